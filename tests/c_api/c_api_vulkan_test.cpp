// c_api_vulkan_test.cpp: frames, correlation and deconvolution by the C API on a GPU: every invalid argument gives an
// error. integration_test.cpp checks that results are bit-equal to C++.
#include <gtest/gtest.h>

#include <cstring>

#include "c_api/vulkan_abi.hpp"
#include "onepass/onepass_vulkan.h"
#include "onepass/vulkan/frame_tone_map.hpp"
#include "tests/integration/technique_rig.hpp"
#include "tests/vulkan/own_device.hpp"

namespace onepass::testing {
namespace {

// Meter options for the images of the test rig.
onepass_meter_options rig_meter() {
  onepass_meter_options meter;
  onepass_meter_options_init(&meter, sizeof meter);
  meter.size = {kRigSize.width, kRigSize.height};
  meter.source = ONEPASS_FORMAT_R16G16B16A16_SFLOAT;
  return meter;
}

onepass_tone_map_options rig_tone() {
  onepass_tone_map_options tone;
  onepass_tone_map_options_init(&tone, sizeof tone);
  tone.size = {kRigSize.width, kRigSize.height};
  tone.source = ONEPASS_FORMAT_R16G16B16A16_SFLOAT;
  tone.target = ONEPASS_FORMAT_R8G8B8A8_SRGB;
  return tone;
}

class CApiVulkan : public ::testing::Test {
 protected:
  void SetUp() override {
    own_ = OwnDevice::create(system_loader(), false);
    ASSERT_NE(own_, nullptr);
    auto adopted = vulkan::Device::adopt(own_->handles());
    ASSERT_TRUE(adopted) << adopted.error().text();
    device_ = std::make_unique<vulkan::Device>(*adopted);
    const onepass_vulkan_device_handles handles = c_handles(*own_);
    ASSERT_EQ(onepass_vulkan_device_adopt(&handles, &c_device_, &error_), ONEPASS_OK) << error_.message;
    commands_ = std::make_unique<OwnDevice::Commands>(*own_);
    commands_->begin();
    image_ = std::move(*vulkan::DeviceImage::create(
        device_->impl(), {.format = Format::kRGBA16Sfloat, .size = kRigSize, .usage = VK_IMAGE_USAGE_SAMPLED_BIT}));
    picture_ = std::move(*vulkan::DeviceImage::create(
        device_->impl(), {.format = Format::kRGBA8Srgb, .size = kRigSize, .usage = VK_IMAGE_USAGE_STORAGE_BIT}));
    buffer_ = std::move(*vulkan::Buffer::create(device_->impl(), 4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, false));
  }
  void TearDown() override {
    if (commands_ != nullptr) commands_->end();
    commands_.reset();
    image_ = {};
    picture_ = {};
    buffer_ = {};
    onepass_vulkan_device_destroy(c_device_);
    if (own_ != nullptr) {
      EXPECT_EQ(own_->validation_messages(), 0) << "see above";
    }
    device_.reset();
    own_.reset();
  }
  /// Expects ONEPASS_INVALID_ARGUMENT and a message that contains `words`.
  void expect_mistake(onepass_code code, const char* words) {
    EXPECT_EQ(code, ONEPASS_INVALID_ARGUMENT) << words;
    EXPECT_NE(std::strstr(error_.message, words), nullptr) << "'" << error_.message << "' lacks '" << words << "'";
  }

  std::unique_ptr<OwnDevice> own_;
  std::unique_ptr<vulkan::Device> device_;
  onepass_vulkan_device* c_device_ = nullptr;
  std::unique_ptr<OwnDevice::Commands> commands_;
  vulkan::DeviceImage image_, picture_;
  vulkan::Buffer buffer_;
  onepass_error error_{};
};

TEST_F(CApiVulkan, FramesAnswerMistakes) {
  const onepass_meter_options meter = rig_meter();
  const onepass_tone_map_options tone = rig_tone();
  onepass_vulkan_frame_tone_map* frames = nullptr;
  expect_mistake(onepass_vulkan_frame_tone_map_create(nullptr, &meter, &tone, nullptr, &frames, &error_),
                 "device: null");
  expect_mistake(onepass_vulkan_frame_tone_map_create(c_device_, nullptr, &tone, nullptr, &frames, &error_),
                 "meter: null");
  expect_mistake(onepass_vulkan_frame_tone_map_create(c_device_, &meter, nullptr, nullptr, &frames, &error_),
                 "tone: null");
  onepass_vulkan_frame_tone_map_tuning tuning{};
  expect_mistake(onepass_vulkan_frame_tone_map_create(c_device_, &meter, &tone, &tuning, &frames, &error_),
                 "tuning.struct_size: 0");
  onepass_vulkan_frame_tone_map_tuning_init(&tuning, sizeof tuning);
  tuning.copies = 1079;
  expect_mistake(onepass_vulkan_frame_tone_map_create(c_device_, &meter, &tone, &tuning, &frames, &error_),
                 "copies: 1079");
  onepass_vulkan_frame_tone_map_tuning_init(&tuning, sizeof tuning);
  tuning.groups = 7;  // must reach the plan: scratch memory holds one sum per workgroup
  ASSERT_EQ(onepass_vulkan_frame_tone_map_create(c_device_, &meter, &tone, &tuning, &frames, &error_), ONEPASS_OK);
  const auto same = vulkan::FrameToneMap::create(
      *device_,
      {.meter = {.size = kRigSize, .source = Format::kRGBA16Sfloat},
       .tone = {.size = kRigSize, .source = Format::kRGBA16Sfloat, .target = Format::kRGBA8Srgb}},
      {.groups = 7});
  ASSERT_TRUE(same) << same.error().text();
  EXPECT_EQ(onepass_vulkan_frame_tone_map_scratch_bytes(frames), same->dispatch_plan().scratch_bytes);
  EXPECT_EQ(onepass_vulkan_frame_tone_map_scratch_bytes(nullptr), 0U);
  onepass_vulkan_frame_tone_map_images images;
  onepass_vulkan_frame_tone_map_images_init(&images, sizeof images);
  onepass_vulkan_frame_tone_map_binding* binding = nullptr;
  expect_mistake(onepass_vulkan_frame_tone_map_bind(frames, &images, &binding, &error_), "source");
  expect_mistake(onepass_vulkan_frame_tone_map_bind(nullptr, &images, &binding, &error_), "frames: null");
  images.source = image_.image;
  images.target = picture_.image;
  images.results = buffer_.buffer;
  images.results_offset = 8;
  expect_mistake(onepass_vulkan_frame_tone_map_bind(frames, &images, &binding, &error_), "results_offset: 8");
  EXPECT_EQ(binding, nullptr);
  EXPECT_EQ(onepass_vulkan_frame_tone_map_results(nullptr).buffer, static_cast<VkBuffer>(VK_NULL_HANDLE));
  EXPECT_EQ(onepass_vulkan_frame_tone_map_record(frames, commands_->buffer, nullptr, nullptr),
            ONEPASS_INVALID_ARGUMENT);
  EXPECT_EQ(onepass_vulkan_frame_tone_map_record_reset(nullptr, commands_->buffer, nullptr), ONEPASS_INVALID_ARGUMENT);
  EXPECT_EQ(onepass_vulkan_frame_tone_map_record_reset_scratch(frames, commands_->buffer, nullptr),
            ONEPASS_INVALID_ARGUMENT);
  EXPECT_EQ(onepass_vulkan_meter_record_reset_scratch(nullptr, commands_->buffer, nullptr), ONEPASS_INVALID_ARGUMENT);
  onepass_vulkan_frame_tone_map_destroy(frames);
}

TEST_F(CApiVulkan, HandlesStateTheirFeatures) {
  for (const VkBool32 stated : {VK_FALSE, VK_TRUE}) {
    onepass_vulkan_device_handles handles = c_handles(*own_);
    handles.shader_subgroup_uniform_control_flow = stated;
    handles.shader_maximal_reconvergence = stated;
    onepass_vulkan_device* adopted = nullptr;
    ASSERT_EQ(onepass_vulkan_device_adopt(&handles, &adopted, &error_), ONEPASS_OK) << error_.message;
    const vulkan::EnabledFeatures& features = adopted->object.handles().features;
    EXPECT_EQ(features.subgroup_uniform_control_flow, stated == VK_TRUE);
    EXPECT_EQ(features.maximal_reconvergence, stated == VK_TRUE);
    onepass_vulkan_device_destroy(adopted);
  }
  onepass_vulkan_device_handles handles = c_handles(*own_);
  handles.struct_size = offsetof(onepass_vulkan_device_handles, shader_maximal_reconvergence);
  onepass_vulkan_device* none = nullptr;
  expect_mistake(onepass_vulkan_device_adopt(&handles, &none, &error_), "handles.struct_size");
}

TEST_F(CApiVulkan, HandlesPassTunings) {
  onepass_vulkan_device_handles handles = c_handles(*own_);
  handles.tunings = R"({"onepass_tunings": 1, "processors": 3})";
  onepass_vulkan_device* adopted = nullptr;
  ASSERT_EQ(onepass_vulkan_device_adopt(&handles, &adopted, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(adopted->object.info().processors, 3U);
  onepass_vulkan_device_destroy(adopted);
  handles.tunings = R"({"onepass_tunings": 1, "processor": 3})";
  expect_mistake(onepass_vulkan_device_adopt(&handles, &adopted, &error_), "tunings: line 1: processor");
}

// Structs of programs of later versions work while the fields behind the known ones are 0.
TEST_F(CApiVulkan, LongerTunings) {
  struct Longer {
    onepass_vulkan_meter_tuning known;
    uint64_t later;
  } tuning;
  onepass_vulkan_meter_tuning_init(&tuning.known, sizeof tuning);
  const onepass_meter_options meter = rig_meter();
  onepass_vulkan_meter* made = nullptr;
  ASSERT_EQ(onepass_vulkan_meter_create(c_device_, &meter, &tuning.known, &made, &error_), ONEPASS_OK)
      << error_.message;
  onepass_vulkan_meter_destroy(made);
  tuning.later = 1;
  EXPECT_EQ(onepass_vulkan_meter_create(c_device_, &meter, &tuning.known, &made, &error_), ONEPASS_UNSUPPORTED);
  tuning.known.struct_size = 20;
  expect_mistake(onepass_vulkan_meter_create(c_device_, &meter, &tuning.known, &made, &error_),
                 "tuning.struct_size: 20");
}

TEST_F(CApiVulkan, TuningsAreChecked) {
  const onepass_meter_options meter = rig_meter();
  onepass_vulkan_meter_tuning tuning;
  onepass_vulkan_meter_tuning_init(&tuning, sizeof tuning);
  tuning.divergent_barriers = 7;
  onepass_vulkan_meter* made = nullptr;
  expect_mistake(onepass_vulkan_meter_create(c_device_, &meter, &tuning, &made, &error_),
                 "tuning.divergent_barriers: 7 is not an enumerator");
  onepass_pyramid_options options;
  onepass_pyramid_options_init(&options, sizeof options);
  options.size = {64, 64};
  options.source = options.target = ONEPASS_FORMAT_R32_SFLOAT;
  onepass_vulkan_pyramid* levels = nullptr;
  using Tuning = onepass_vulkan_pyramid_tuning;
  for (onepass_switch Tuning::*field : {&Tuning::last_to_start, &Tuning::publish, &Tuning::second_dispatch}) {
    Tuning pyramid_tuning;
    onepass_vulkan_pyramid_tuning_init(&pyramid_tuning, sizeof pyramid_tuning);
    pyramid_tuning.*field = 3;
    expect_mistake(onepass_vulkan_pyramid_create(c_device_, &options, &pyramid_tuning, &levels, &error_),
                   ": 3 is not an enumerator");
  }
}

// The device of this test has not enabled loads without format.
TEST_F(CApiVulkan, StorageSourcesNeedTheirFeature) {
  onepass_pyramid_options options;
  onepass_pyramid_options_init(&options, sizeof options);
  options.size = {64, 64};
  options.source = options.target = ONEPASS_FORMAT_B8G8R8A8_UNORM;
  onepass_vulkan_pyramid_tuning tuning;
  onepass_vulkan_pyramid_tuning_init(&tuning, sizeof tuning);
  tuning.source_usage = ONEPASS_SOURCE_USAGE_STORAGE;
  onepass_vulkan_pyramid* pyramid = nullptr;
  EXPECT_EQ(onepass_vulkan_pyramid_create(c_device_, &options, &tuning, &pyramid, &error_), ONEPASS_UNSUPPORTED);
  EXPECT_NE(std::strstr(error_.message, "tuning.source_usage: storage: feature shaderStorageImageReadWithoutFormat"),
            nullptr)
      << error_.message;
  onepass_tile_reduction_options tile_options;
  onepass_tile_reduction_options_init(&tile_options, sizeof tile_options);
  tile_options.size = {64, 64};
  tile_options.source = tile_options.target = ONEPASS_FORMAT_R32_SFLOAT;
  onepass_vulkan_tile_reduction_tuning tile_tuning;
  onepass_vulkan_tile_reduction_tuning_init(&tile_tuning, sizeof tile_tuning);
  tile_tuning.source_usage = ONEPASS_SOURCE_USAGE_STORAGE;
  onepass_vulkan_tile_reduction* tiles = nullptr;
  EXPECT_EQ(onepass_vulkan_tile_reduction_create(c_device_, &tile_options, &tile_tuning, &tiles, &error_),
            ONEPASS_UNSUPPORTED);
  EXPECT_NE(std::strstr(error_.message, "tuning.source_usage: storage"), nullptr) << error_.message;
  tile_tuning.source_usage = 2;
  expect_mistake(onepass_vulkan_tile_reduction_create(c_device_, &tile_options, &tile_tuning, &tiles, &error_),
                 "tuning.source_usage: 2 is not an enumerator");
}

TEST_F(CApiVulkan, TileStrategiesAreChecked) {
  onepass_tile_reduction_options options;
  onepass_tile_reduction_options_init(&options, sizeof options);
  options.size = {64, 64};
  options.source = options.target = ONEPASS_FORMAT_R32_SFLOAT;
  onepass_vulkan_tile_reduction_tuning tuning;
  onepass_vulkan_tile_reduction_tuning_init(&tuning, sizeof tuning);
  onepass_vulkan_tile_reduction* tiles = nullptr;
  tuning.strategy = ONEPASS_TILE_STRATEGY_TREE;
  ASSERT_EQ(onepass_vulkan_tile_reduction_create(c_device_, &options, &tuning, &tiles, &error_), ONEPASS_OK)
      << error_.message;
  onepass_vulkan_tile_reduction_destroy(tiles);
  tuning.strategy = 3;
  expect_mistake(onepass_vulkan_tile_reduction_create(c_device_, &options, &tuning, &tiles, &error_),
                 "tuning.strategy: 3 is not an enumerator");
}

// Invalid times are errors in C; in C++ they fail an assertion in debug builds and count as 0 s otherwise.
TEST_F(CApiVulkan, TimesBetweenFramesAreChecked) {
  const onepass_meter_options options = rig_meter();
  onepass_vulkan_meter* meter = nullptr;
  ASSERT_EQ(onepass_vulkan_meter_create(c_device_, &options, nullptr, &meter, &error_), ONEPASS_OK) << error_.message;
  onepass_vulkan_meter_images images;
  onepass_vulkan_meter_images_init(&images, sizeof images);
  images.source = image_.image;
  onepass_vulkan_meter_binding* binding = nullptr;
  ASSERT_EQ(onepass_vulkan_meter_bind(meter, &images, &binding, &error_), ONEPASS_OK) << error_.message;
  for (const float seconds : {-1.0F, 2e9F, std::numeric_limits<float>::quiet_NaN()}) {
    const onepass_meter_frame frame{seconds, 0};
    EXPECT_EQ(onepass_vulkan_meter_record(meter, commands_->buffer, binding, &frame), ONEPASS_INVALID_ARGUMENT);
  }
  onepass_vulkan_meter_binding_destroy(binding);
  onepass_vulkan_meter_destroy(meter);
}

TEST_F(CApiVulkan, CorrelatorsAnswerMistakes) {
  onepass_correlation_options options;
  onepass_correlation_options_init(&options, sizeof options);
  options.size = {64, 64};
  options.first = ONEPASS_FORMAT_R16G16B16A16_SFLOAT;
  onepass_vulkan_correlator* correlator = nullptr;
  options.floor = 2;
  expect_mistake(onepass_vulkan_correlator_create(c_device_, &options, nullptr, &correlator, &error_), "floor: 2");
  options.floor = 0;
  ASSERT_EQ(onepass_vulkan_correlator_create(c_device_, &options, nullptr, &correlator, &error_), ONEPASS_OK)
      << error_.message;
  onepass_vulkan_correlation_plan plan{};
  expect_mistake(onepass_vulkan_correlator_get_plan(correlator, &plan, &error_), "plan.struct_size: 0");
  expect_mistake(onepass_vulkan_correlator_get_plan(nullptr, &plan, &error_), "correlator: null");
  onepass_vulkan_correlation_resources resources;
  onepass_vulkan_correlation_resources_init(&resources, sizeof resources);
  onepass_vulkan_correlation_binding* bound = nullptr;
  expect_mistake(onepass_vulkan_correlator_bind(correlator, &resources, &bound, &error_), "first");
  resources.struct_size = 3;
  expect_mistake(onepass_vulkan_correlator_bind(correlator, &resources, &bound, &error_), "resources.struct_size: 3");
  EXPECT_EQ(onepass_vulkan_correlator_record(correlator, commands_->buffer, nullptr), ONEPASS_INVALID_ARGUMENT);
  onepass_vulkan_correlator_destroy(correlator);
}

TEST_F(CApiVulkan, DeconvolversAnswerMistakes) {
  onepass_deconvolution_options sharp;
  onepass_deconvolution_options_init(&sharp, sizeof sharp);
  onepass_vulkan_deconvolver* deconvolver = nullptr;
  expect_mistake(onepass_vulkan_deconvolver_create(c_device_, &sharp, nullptr, &deconvolver, &error_), "size");
  expect_mistake(onepass_vulkan_deconvolver_set_kernel(nullptr, nullptr, &error_), "deconvolver: null");
  EXPECT_EQ(onepass_vulkan_deconvolver_scratch_bytes(nullptr), 0U);
  EXPECT_EQ(onepass_vulkan_deconvolver_record_kernel(nullptr, commands_->buffer), ONEPASS_INVALID_ARGUMENT);
  EXPECT_EQ(onepass_vulkan_deconvolver_record(nullptr, commands_->buffer, nullptr), ONEPASS_INVALID_ARGUMENT);
}

TEST_F(CApiVulkan, BloomsAnswerMistakes) {
  onepass_bloom_options options;
  onepass_bloom_options_init(&options, sizeof options);
  onepass_vulkan_bloom* bloom = nullptr;
  expect_mistake(onepass_vulkan_bloom_create(c_device_, &options, nullptr, &bloom, &error_), "size");
  options.size = {64, 64};
  options.source = ONEPASS_FORMAT_R16G16B16A16_SFLOAT;
  options.kernel_size = {3, 3};
  options.kernel = ONEPASS_FORMAT_R8_UNORM;
  ASSERT_EQ(onepass_vulkan_bloom_create(c_device_, &options, nullptr, &bloom, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(onepass_vulkan_bloom_record_kernel(bloom, commands_->buffer), ONEPASS_INVALID_ARGUMENT) << "no kernel";
  EXPECT_EQ(onepass_vulkan_bloom_record(bloom, commands_->buffer, nullptr), ONEPASS_INVALID_ARGUMENT);
  expect_mistake(onepass_vulkan_bloom_set_kernel(bloom, nullptr, &error_), "kernel: null");
  expect_mistake(onepass_vulkan_bloom_set_kernel(nullptr, nullptr, &error_), "bloom: null");
  onepass_vulkan_operation_images images;
  onepass_vulkan_operation_images_init(&images, sizeof images);
  onepass_vulkan_operation_binding* binding = nullptr;
  expect_mistake(onepass_vulkan_bloom_bind(bloom, &images, &binding, &error_), "source: null");
  EXPECT_EQ(onepass_vulkan_bloom_scratch_bytes(nullptr), 0U);
  VkImageCreateInfo info{};
  EXPECT_EQ(onepass_vulkan_bloom_mip_chain_info(nullptr, &info), ONEPASS_INVALID_ARGUMENT);
  EXPECT_EQ(onepass_vulkan_bloom_mip_chain_info(bloom, &info), ONEPASS_INVALID_ARGUMENT) << "no mip chain";
  EXPECT_EQ(info.sType, VkStructureType{}) << "not written";
  onepass_vulkan_bloom_destroy(bloom);

  options.kernel = ONEPASS_FORMAT_UNDEFINED;
  options.kernel_size = {0, 0};
  options.method = ONEPASS_BLOOM_METHOD_MIP_CHAIN;
  options.resolution = ONEPASS_BLOOM_RESOLUTION_HALF;
  options.kernel_width = 2;
  ASSERT_EQ(onepass_vulkan_bloom_create(c_device_, &options, nullptr, &bloom, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(onepass_vulkan_bloom_mip_chain_info(bloom, nullptr), ONEPASS_INVALID_ARGUMENT);
  ASSERT_EQ(onepass_vulkan_bloom_mip_chain_info(bloom, &info), ONEPASS_OK);
  EXPECT_EQ(info.extent.width, 32U);
  EXPECT_EQ(info.extent.height, 32U);
  EXPECT_GT(info.mipLevels, 1U);
  EXPECT_EQ(info.usage, VkImageUsageFlags{VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT});
  images.source.image = images.mip_chain = image_.image;
  images.target.image = picture_.image;
  expect_mistake(onepass_vulkan_bloom_bind(bloom, &images, &binding, &error_), "mip_chain");
  onepass_vulkan_bloom_destroy(bloom);
}

TEST_F(CApiVulkan, LocalExposureAnswersMistakes) {
  onepass_tone_map_options tone = rig_tone();
  tone.local_highlights = 0.5F;
  onepass_vulkan_tone_map* map = nullptr;
  ASSERT_EQ(onepass_vulkan_tone_map_create(c_device_, &tone, nullptr, &map, &error_), ONEPASS_OK) << error_.message;
  EXPECT_GT(onepass_vulkan_tone_map_scratch_bytes(map), 0U);
  EXPECT_EQ(onepass_vulkan_tone_map_scratch_bytes(nullptr), 0U);
  onepass_vulkan_tone_map_images images;
  onepass_vulkan_tone_map_images_init(&images, sizeof images);
  images.source = image_.image;
  images.target = picture_.image;
  images.scratch = buffer_.buffer;
  images.scratch_offset = 128;
  onepass_vulkan_tone_map_binding* binding = nullptr;
  expect_mistake(onepass_vulkan_tone_map_bind(map, &images, &binding, &error_),
                 "scratch_offset: 128 is not a multiple of 256");
  EXPECT_EQ(onepass_vulkan_tone_map_record_reset(map, commands_->buffer, nullptr), ONEPASS_INVALID_ARGUMENT);
  EXPECT_EQ(onepass_vulkan_tone_map_record_reset(nullptr, commands_->buffer, binding), ONEPASS_INVALID_ARGUMENT);
  onepass_vulkan_tone_map_destroy(map);
}

// Reflections of images that are not read: recordings are not submitted.
class CApiVulkanReflections : public CApiVulkan {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(CApiVulkan::SetUp());
    onepass_reflection_options_init(&options_, sizeof options_);
    options_.size = {1, 1};  // without a pyramid
    options_.color = options_.normals = options_.roughness = ONEPASS_FORMAT_R16G16B16A16_SFLOAT;
    options_.depth = ONEPASS_FORMAT_R32_SFLOAT;
    const auto make = [&](Format format, VkImageUsageFlags usage) {
      return std::move(
          *vulkan::DeviceImage::create(device_->impl(), {.format = format, .size = {1, 1}, .usage = usage}));
    };
    surface_ = make(Format::kRGBA16Sfloat, VK_IMAGE_USAGE_SAMPLED_BIT);
    depth_ = make(Format::kR32Sfloat, VK_IMAGE_USAGE_SAMPLED_BIT);
    target_ = make(Format::kRGBA16Sfloat, VK_IMAGE_USAGE_STORAGE_BIT);
    onepass_vulkan_reflection_images_init(&images_, sizeof images_);
    images_.color.image = images_.normals.image = images_.roughness.image = surface_.image;
    images_.depth.image = depth_.image;
    images_.target.image = target_.image;
    ASSERT_EQ(onepass_vulkan_reflection_create(c_device_, &options_, nullptr, &reflection_, &error_), ONEPASS_OK)
        << error_.message;
  }
  void TearDown() override {
    if (commands_ != nullptr) commands_->end();
    commands_.reset();
    for (onepass_vulkan_reflection_binding* binding : bindings_) onepass_vulkan_reflection_binding_destroy(binding);
    onepass_vulkan_reflection_destroy(reflection_);
    surface_ = {};
    depth_ = {};
    target_ = {};
    CApiVulkan::TearDown();
  }
  onepass_vulkan_reflection_binding* bind(const onepass_vulkan_reflection* reflection) {
    EXPECT_EQ(onepass_vulkan_reflection_bind(reflection, &images_, &bindings_.emplace_back(), &error_), ONEPASS_OK)
        << error_.message;
    return bindings_.back();
  }

  onepass_reflection_options options_{};
  onepass_vulkan_reflection_images images_{};
  onepass_vulkan_reflection* reflection_ = nullptr;
  std::vector<onepass_vulkan_reflection_binding*> bindings_;
  vulkan::DeviceImage surface_, depth_, target_;
};

TEST_F(CApiVulkanReflections, AnswerMistakes) {
  onepass_vulkan_reflection* made = nullptr;
  expect_mistake(onepass_vulkan_reflection_create(nullptr, &options_, nullptr, &made, &error_), "device: null");
  expect_mistake(onepass_vulkan_reflection_create(c_device_, nullptr, nullptr, &made, &error_), "options: null");
  expect_mistake(onepass_vulkan_reflection_create(c_device_, &options_, nullptr, nullptr, &error_), "null");
  onepass_vulkan_reflection_tuning tuning;
  onepass_vulkan_reflection_tuning_init(&tuning, sizeof tuning);
  tuning.march_group = 48;
  expect_mistake(onepass_vulkan_reflection_create(c_device_, &options_, &tuning, &made, &error_),
                 "tuning.march_group: 48 is not one of 32, 64 and 128");
  const auto refused = [&](const char* message, auto&& change) {
    onepass_reflection_options changed = options_;
    change(changed);
    made = reflection_;
    expect_mistake(onepass_vulkan_reflection_create(c_device_, &changed, nullptr, &made, &error_), message);
    EXPECT_EQ(made, nullptr) << message;
    onepass_reflection_plan plan{};
    plan.struct_size = sizeof plan;
    expect_mistake(onepass_plan_reflection(&changed, &plan, &error_), message);
    EXPECT_EQ(plan.dispatches, 0U) << "written only on success";
  };
  refused("slices: 65", [](auto& o) { o.slices = 65; });
  refused("normal_encoding: 3 is not an enumerator", [](auto& o) { o.normal_encoding = 3; });
  refused("rays: 4 is not an enumerator", [](auto& o) { o.rays = 4; });
  refused("color_frame: 2 is not an enumerator", [](auto& o) { o.color_frame = 2; });
  refused("footprint: ceil", [](auto& o) { o.footprint = ONEPASS_FOOTPRINT_CEIL; });
  refused("motion_scale[1]", [](auto& o) { o.motion_scale[1] = std::numeric_limits<float>::quiet_NaN(); });
  refused("hit_distance: 97", [](auto& o) { o.hit_distance = ONEPASS_FORMAT_R16G16B16A16_SFLOAT; });
  refused("resolution: 2 is not an enumerator", [](auto& o) { o.resolution = 2; });

  EXPECT_EQ(onepass_vulkan_reflection_scratch_bytes(nullptr), 0U);
  onepass_vulkan_reflection_binding* binding = nullptr;
  expect_mistake(onepass_vulkan_reflection_bind(nullptr, &images_, &binding, &error_), "reflection: null");
  expect_mistake(onepass_vulkan_reflection_bind(reflection_, nullptr, &binding, &error_), "images: null");
  const auto not_bound = [&](const char* message, auto&& change) {
    onepass_vulkan_reflection_images changed = images_;
    change(changed);
    expect_mistake(onepass_vulkan_reflection_bind(reflection_, &changed, &binding, &error_), message);
  };
  not_bound("color: null image", [](auto& i) { i.color.image = VK_NULL_HANDLE; });
  not_bound("motion: given, but the options have none", [](auto& i) { i.motion = i.depth; });
  not_bound("target: the same level and slice as color", [](auto& i) { i.target = i.color; });
  not_bound("scratch_offset: 128 is not a multiple of 256", [](auto& i) { i.scratch_offset = 128; });
  not_bound("target.reserved: 1", [](auto& i) { i.target.reserved = 1; });
  onepass_vulkan_reflection_destroy(nullptr);
  onepass_vulkan_reflection_binding_destroy(nullptr);
}

TEST_F(CApiVulkanReflections, RefuseFramesThatDoNotFit) {
  const onepass_vulkan_reflection_view views[2] = {};
  onepass_vulkan_reflection_frame frame;
  onepass_vulkan_reflection_frame_init(&frame, sizeof frame);
  frame.views = views;
  frame.view_count = 1;
  const auto* binding = bind(reflection_);
  const auto record = [&](const onepass_vulkan_reflection_frame* f) {
    return onepass_vulkan_reflection_record(reflection_, commands_->buffer, binding, f);
  };
  EXPECT_EQ(record(&frame), ONEPASS_OK);
  EXPECT_EQ(record(nullptr), ONEPASS_INVALID_ARGUMENT);
  const auto refused = [&](auto&& change) {
    onepass_vulkan_reflection_frame changed = frame;
    change(changed);
    EXPECT_EQ(record(&changed), ONEPASS_INVALID_ARGUMENT);
  };
  refused([](auto& f) { f.views = nullptr; });
  refused([](auto& f) { f.view_count = 0; });
  refused([](auto& f) { f.view_count = 2; });
  refused([](auto& f) { f.struct_size = 0; });
  refused([](auto& f) { f.struct_size = sizeof f - 4; });
  struct Longer {
    onepass_vulkan_reflection_frame known;
    uint64_t later;
  } longer{frame, 0};
  longer.known.struct_size = sizeof longer;
  EXPECT_EQ(record(&longer.known), ONEPASS_OK);
  longer.later = 1;
  EXPECT_EQ(record(&longer.known), ONEPASS_UNSUPPORTED);

  EXPECT_EQ(onepass_vulkan_reflection_record(nullptr, commands_->buffer, binding, &frame), ONEPASS_INVALID_ARGUMENT);
  EXPECT_EQ(onepass_vulkan_reflection_record(reflection_, VK_NULL_HANDLE, binding, &frame), ONEPASS_INVALID_ARGUMENT);
  EXPECT_EQ(onepass_vulkan_reflection_record(reflection_, commands_->buffer, nullptr, &frame),
            ONEPASS_INVALID_ARGUMENT);
  onepass_vulkan_reflection* other = nullptr;
  ASSERT_EQ(onepass_vulkan_reflection_create(c_device_, &options_, nullptr, &other, &error_), ONEPASS_OK);
  EXPECT_EQ(onepass_vulkan_reflection_record(reflection_, commands_->buffer, bind(other), &frame),
            ONEPASS_INVALID_ARGUMENT)
      << "a binding of another object";
  onepass_vulkan_reflection_destroy(other);
}

TEST_F(CApiVulkan, MemoryCallbacksComeInPairs) {
  onepass_vulkan_device_handles handles = c_handles(*own_);
  onepass_vulkan_device* device = nullptr;
  handles.memory.release = [](void*, const onepass_vulkan_memory*) {};
  expect_mistake(onepass_vulkan_device_adopt(&handles, &device, &error_),
                 "memory: one of allocate and release is null");
}

// Recording before set_kernel() is an error: there is no kernel spectrum to upload or to multiply by.
TEST_F(CApiVulkan, KernelsComeFirst) {
  onepass_convolution_options blur;
  onepass_convolution_options_init(&blur, sizeof blur);
  blur.size = {16, 8};
  blur.source = ONEPASS_FORMAT_R32_SFLOAT;
  blur.kernel_size = {3, 3};
  blur.kernel = ONEPASS_FORMAT_R32_SFLOAT;
  onepass_vulkan_convolver* convolver = nullptr;
  ASSERT_EQ(onepass_vulkan_convolver_create(c_device_, &blur, nullptr, &convolver, &error_), ONEPASS_OK)
      << error_.message;
  onepass_deconvolution_options sharp;
  onepass_deconvolution_options_init(&sharp, sizeof sharp);
  sharp.size = blur.size;
  sharp.source = sharp.kernel = ONEPASS_FORMAT_R32_SFLOAT;
  sharp.kernel_size = blur.kernel_size;
  onepass_vulkan_deconvolver* deconvolver = nullptr;
  ASSERT_EQ(onepass_vulkan_deconvolver_create(c_device_, &sharp, nullptr, &deconvolver, &error_), ONEPASS_OK)
      << error_.message;
  EXPECT_EQ(onepass_vulkan_convolver_record_kernel(convolver, commands_->buffer), ONEPASS_INVALID_ARGUMENT);
  EXPECT_EQ(onepass_vulkan_convolver_record(convolver, commands_->buffer, nullptr), ONEPASS_INVALID_ARGUMENT);
  EXPECT_EQ(onepass_vulkan_deconvolver_record_kernel(deconvolver, commands_->buffer), ONEPASS_INVALID_ARGUMENT);
  EXPECT_EQ(onepass_vulkan_deconvolver_record(deconvolver, commands_->buffer, nullptr), ONEPASS_INVALID_ARGUMENT);
  const float nothing[9] = {};
  onepass_image_view kernel{nothing, ONEPASS_FORMAT_R32_SFLOAT, {3, 3}, 1, 12, 36};
  EXPECT_EQ(onepass_vulkan_deconvolver_set_kernel(deconvolver, &kernel, &error_), ONEPASS_BAD_DATA);
  EXPECT_EQ(onepass_vulkan_deconvolver_record_kernel(deconvolver, commands_->buffer), ONEPASS_INVALID_ARGUMENT);
  EXPECT_EQ(onepass_vulkan_convolver_set_kernel(convolver, &kernel, &error_), ONEPASS_OK) << error_.message;
  onepass_vulkan_convolver_destroy(convolver);
  onepass_vulkan_deconvolver_destroy(deconvolver);
}

}  // namespace
}  // namespace onepass::testing
