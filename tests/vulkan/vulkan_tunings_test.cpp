// vulkan_tunings_test.cpp: tunings of devices: which of the caller's struct, the caller's text, the built-in table and
// the rule decides, and that results do not depend on it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "onepass/vulkan/fourier.hpp"
#include "onepass/vulkan/fourier_convolution.hpp"
#include "onepass/vulkan/frame_tone_map.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "onepass/vulkan/tile_reduction.hpp"
#include "onepass/vulkan/tone_map.hpp"
#include "onepass/vulkan/tunings.hpp"
#include "tests/vulkan/replaced_vulkan.hpp"

namespace onepass::testing {
namespace {

using vulkan::Device;

// ---- Which source decides

constexpr MeterOptions kFrame{.size = {3840, 2160}, .source = Format::kRGBA16Sfloat};  // 4050 tiles

/// A device of a name, a driver and a number of multiprocessors that it tells by VK_NV_shader_sm_builtins.
class NamedDevices : public ReplacedVulkan {
 protected:
  static Result<Device> adopt_as(const char* name, uint32_t multiprocessors, const std::string& tunings = {}) {
    named_ = name;
    multiprocessors_ = multiprocessors;
    change_properties([](VkPhysicalDeviceProperties2& out) {
      std::strncpy(out.properties.deviceName, named_, sizeof out.properties.deviceName - 1);
      if (most_rows_ != 0) out.properties.limits.maxComputeWorkGroupCount[1] = most_rows_;
      for (auto* next = static_cast<VkBaseOutStructure*>(out.pNext); next != nullptr; next = next->pNext) {
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES) {
          reinterpret_cast<VkPhysicalDeviceDriverProperties*>(next)->driverID = VK_DRIVER_ID_NVIDIA_PROPRIETARY;
        }
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV) {
          reinterpret_cast<VkPhysicalDeviceShaderSMBuiltinsPropertiesNV*>(next)->shaderSMCount = multiprocessors_;
        }
      }
    });
    replace_function(
        "vkEnumerateDeviceExtensionProperties",
        +[](VkPhysicalDevice device, const char* layer, uint32_t* count, VkExtensionProperties* out) {
          uint32_t real = 0;
          own->vki.vkEnumerateDeviceExtensionProperties(device, layer, &real, nullptr);
          if (out == nullptr) {
            *count = real + 1;
            return VK_SUCCESS;
          }
          own->vki.vkEnumerateDeviceExtensionProperties(device, layer, &real, out);
          std::strncpy(out[real].extensionName, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME, VK_MAX_EXTENSION_NAME_SIZE);
          if (multiprocessors_ == 0) out[real].extensionName[0] = 'X';
          *count = real + 1;
          return VK_SUCCESS;
        });
    vulkan::DeviceHandles handles = replaced_handles();
    handles.tunings = tunings;
    return Device::adopt(handles);
  }

  static uint32_t groups_of(const Result<Device>& device, const vulkan::MeterTuning& tuning = {}) {
    EXPECT_TRUE(device) << device.error().text();
    if (!device) return 0;
    auto meter = vulkan::Meter::create(*device, kFrame, tuning);
    EXPECT_TRUE(meter) << meter.error().text();
    return meter ? meter->dispatch_plan().groups_x : 0;
  }

 private:
  static inline const char* named_ = "";
  static inline uint32_t multiprocessors_ = 0;

 protected:
  static inline uint32_t most_rows_ = 0;  // of workgroups in a dispatch; 0: as the device allows
};

TEST_F(NamedDevices, StructThenTextThenTableThenRule) {
  const std::string text = R"({"onepass_tunings": 1, "meter": [{"use": {"groups": 100}}]})";
  const std::string processors = R"({"onepass_tunings": 1, "device": "h200", "processors": 10})";
  EXPECT_EQ(groups_of(adopt_as("A GPU", 0)), 264U) << "today's constant";
  EXPECT_EQ(groups_of(adopt_as("A GPU", 20)), 40U) << "the rule: two workgroups for each multiprocessor";
  EXPECT_EQ(groups_of(adopt_as("NVIDIA H200", 20)), 264U) << "the table";
  EXPECT_EQ(groups_of(adopt_as("NVIDIA H100 PCIe", 114)), 264U) << "the table";
  EXPECT_EQ(groups_of(adopt_as("NVIDIA H200", 20, processors)), 20U) << "the text";
  EXPECT_EQ(groups_of(adopt_as("A GPU", 20, processors)), 40U) << "a text for another device";
  EXPECT_EQ(groups_of(adopt_as("NVIDIA H200", 20, text)), 100U) << "the text";
  EXPECT_EQ(groups_of(adopt_as("NVIDIA H200", 20, text), {.groups = 7}), 7U) << "the struct";
  EXPECT_EQ(adopt_as("A GPU", 0xFFFFFFFF)->info().processors, 65535U);
}

TEST_F(NamedDevices, InfoNamesTheSources) {
  EXPECT_EQ(adopt_as("A GPU", 20)->info().tunings, "");
  EXPECT_EQ(adopt_as("A GPU", 20)->info().processors, 20U);
  EXPECT_EQ(adopt_as("NVIDIA H200", 20)->info().tunings, "built-in table: H200");
  EXPECT_EQ(adopt_as("NVIDIA H200", 20, R"({"onepass_tunings": 1, "device": "nvidia"})")->info().tunings,
            "caller's text: nvidia; built-in table: H200");
  EXPECT_EQ(adopt_as("A GPU", 20, R"({"onepass_tunings": 1})")->info().tunings, "caller's text: any device");
  EXPECT_EQ(adopt_as("A GPU", 20, R"({"onepass_tunings": 1, "device": "B GPU"})")->info().tunings, "");
}

TEST_F(NamedDevices, TheFirstObjectOfTheDeviceIsTaken) {
  const std::string text = R"([{"onepass_tunings": 1, "device": "B GPU", "processors": 1},
                               {"onepass_tunings": 1, "device": "a gpu", "processors": 2},
                               {"onepass_tunings": 1, "device": "GPU", "processors": 3}])";
  EXPECT_EQ(adopt_as("A GPU", 20, text)->info().processors, 2U);
  EXPECT_EQ(adopt_as("C GPU", 20, text)->info().processors, 3U);
}

TEST_F(NamedDevices, TextsThatCannotBeReadAreErrors) {
  const auto adopted = adopt_as("A GPU", 20, R"({"onepass_tunings": 1, "meter": [{"use": {"copies": 3}}]})");
  ASSERT_FALSE(adopted);
  EXPECT_EQ(adopted.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(adopted.error().message, "tunings: line 1: meter[0].use.copies: 3 is not a power of two from 1 to 4");
  EXPECT_EQ(Device::open({.tunings = "{"}).error().code, ErrorCode::kInvalidArgument);
}

// A row for all cases may not fit one of them: the technique then chooses as without the row.
TEST_F(NamedDevices, RowsThatDoNotFitHaveNoEffect) {
  const auto device = adopt_as("A GPU", 0, R"({"onepass_tunings": 1, "meter": [{"use": {"groups": 5000}}],
      "tile_reduction": [{"use": {"gathers": 16, "workgroup_size": 512}}]})");
  EXPECT_EQ(groups_of(device), 264U);
  const TileReductionOptions tiles{
      .size = {64, 64}, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat, .factor = 4};
  const auto made = vulkan::TileReduction::create(*device, tiles);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->dispatch_plan().gathers, 4U);
  EXPECT_EQ(made->dispatch_plan().workgroup_size, 256U);
  // Ping-pong takes a row of workgroups for each line.
  most_rows_ = 8;
  const auto small =
      adopt_as("A GPU", 0, R"({"onepass_tunings": 1, "transform": [{"use": {"technique": "ping_pong"}}]})");
  most_rows_ = 0;
  const auto transform =
      vulkan::Transform::create(*small, {.size = {32, 64}, .source = Format::kRGBA32Sfloat}, {.inverse = false});
  ASSERT_TRUE(transform) << transform.error().text();
  EXPECT_EQ(transform->dispatch_plan().forward[0].technique, FourierTechnique::kSharedMemory);
  // An error of the caller's options is the same as without tunings.
  MeterOptions wrong = kFrame;
  wrong.size = {0, 5};
  EXPECT_EQ(vulkan::Meter::create(*device, wrong).error().message,
            vulkan::Meter::create(*adopt(), wrong).error().message);
}

// Transforms fill the device with the groups that it tells.
TEST_F(NamedDevices, TransformsFillTheDevice) {
  const TransformOptions options{.size = {256, 256}, .source = Format::kRGBA32Sfloat};
  const auto rows_of = [&](uint32_t multiprocessors) {
    const auto device = adopt_as("A GPU", multiprocessors);
    auto transform = vulkan::Transform::create(*device, options, {.inverse = false});
    EXPECT_TRUE(transform) << transform.error().text();
    return transform ? transform->dispatch_plan().forward.front() : TransformStagePlan{};
  };
  const uint32_t usual = rows_of(0).lanes;
  EXPECT_EQ(rows_of(132).lanes, usual);
  EXPECT_LT(rows_of(4).lanes, usual) << "more values per invocation fill a small device";
}

// Rows are measured on transforms; columns of operations go forward and back in one dispatch, which does not.
TEST_F(NamedDevices, ColumnsOfOperationsHaveNoRows) {
  const ConvolutionOptions options{
      .size = {60, 48}, .source = Format::kR32Sfloat, .kernel_size = {5, 5}, .kernel = Format::kR32Sfloat};
  const auto stages_of = [&](const std::string& text) {
    const auto convolver = vulkan::Convolver::create(*adopt_as("A GPU", 0, text), options);
    EXPECT_TRUE(convolver) << convolver.error().text();
    return convolver->dispatch_plan().stages;
  };
  const auto usual = stages_of({});
  const auto tuned = stages_of(R"({"onepass_tunings": 1, "transform": [
      {"use": {"values_per_invocation": 16, "lines_of_rows": 8, "lines_of_columns": 8}}]})");
  ASSERT_EQ(usual.size(), 3U) << "rows, columns, rows";
  ASSERT_EQ(tuned.size(), 3U);
  for (const size_t rows : {0U, 2U}) {
    EXPECT_EQ(tuned[rows].lines, 8U);
    EXPECT_LT(tuned[rows].lanes, usual[rows].lanes);
  }
  EXPECT_EQ(tuned[1].lines, usual[1].lines);
  EXPECT_EQ(tuned[1].lanes, usual[1].lanes);
}

// The rows of a device in the table reach its transforms.
TEST_F(NamedDevices, TheTableHasRowsForSizes) {
  const auto columns_of = [&](const char* device, Extent size) {
    const auto transform =
        vulkan::Transform::create(*adopt_as(device, 132), {.size = size, .source = Format::kR32Sfloat});
    EXPECT_TRUE(transform) << transform.error().text();
    return transform->dispatch_plan().forward[1].lines;
  };
  EXPECT_EQ(columns_of("NVIDIA H200", {1920, 1080}), 4U);
  EXPECT_EQ(columns_of("A GPU", {1920, 1080}), 2U);
  EXPECT_EQ(columns_of("NVIDIA H200", {256, 256}), columns_of("A GPU", {256, 256}));
}

// ---- Results

/// Devices of the machine, with tunings and without.
class TunedResults : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const char* name = std::getenv("ONEPASS_TEST_DEVICE");
    const std::string selector = name != nullptr ? name : "llvmpipe";
    auto plain = Device::open({.selector = selector});
    auto tuned = Device::open({.selector = selector, .tunings = R"({"onepass_tunings": 1,
        "pyramid": [{"when": {"footprint": "aligned"}, "use": {"path": "per_level"}}, {"use": {"subgroup": "off"}}],
        "transform": [{"use": {"values_per_invocation": 16, "lines_of_rows": 2, "lines_of_columns": 1}}],
        "meter": [{"use": {"groups": 3, "copies": 1}}],
        "tile_reduction": [{"use": {"strategy": "tree", "gathers": 1, "workgroup_size": 64}}],
        "tone_map": [{"use": {"pixels": 1, "workgroup_size": 64}}],
        "frame_tone_map": [{"use": {"groups": 2}}]})"});
    ASSERT_TRUE(plain) << plain.error().text();
    ASSERT_TRUE(tuned) << tuned.error().text();
    plain_ = new Device(*plain);
    tuned_ = new Device(*tuned);
  }
  static void TearDownTestSuite() {
    delete plain_;
    delete tuned_;
  }
  void SetUp() override { ASSERT_NE(tuned_, nullptr); }

  static Image picture(Format format, Extent size) {
    auto image = Image::create(format, size);
    EXPECT_TRUE(image);
    const MutableImageView view = image->view();
    for (uint32_t y = 0; y < size.height; ++y) {
      auto* row = reinterpret_cast<float*>(static_cast<std::byte*>(view.data) + y * view.row_stride);
      const uint32_t floats = size.width * format_info(format).channels;
      for (uint32_t x = 0; x < floats; ++x) row[x] = 0.01F + static_cast<float>((x * 7919 + y * 104729) % 1000) / 500;
    }
    return std::move(*image);
  }
  static std::vector<float> floats_of(const Image& image) {
    std::vector<float> out;
    const ImageView view = image.view();
    const uint32_t floats = view.size.width * format_info(view.format).channels;
    for (uint32_t y = 0; y < view.size.height; ++y) {
      const auto* row = reinterpret_cast<const float*>(static_cast<const std::byte*>(view.data) + y * view.row_stride);
      out.insert(out.end(), row, row + floats);
    }
    return out;
  }
  static void expect_near(const std::vector<float>& a, const std::vector<float>& b, double tolerance) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance * std::max(1.0F, std::abs(b[i]))) << i;
  }

  static inline Device* plain_ = nullptr;
  static inline Device* tuned_ = nullptr;
};

constexpr Extent kSize{203, 117};

TEST_F(TunedResults, Pyramids) {
  const Image source = picture(Format::kR32Sfloat, kSize);
  for (const Footprint footprint : {Footprint::kAligned, Footprint::kCovering}) {
    const PyramidOptions options{.size = kSize,
                                 .source = Format::kR32Sfloat,
                                 .target = Format::kR32Sfloat,
                                 .reduction = Reduction::kMax,
                                 .footprint = footprint};
    const auto plan = plan_pyramid(options);
    ASSERT_TRUE(plan);
    std::vector<std::vector<float>> made[2];
    for (const Device* device : {plain_, tuned_}) {
      std::vector<Image> levels;
      std::vector<MutableImageView> views;
      for (uint32_t n = 1; n < plan->levels; ++n) levels.push_back(*Image::create(options.target, plan->sizes[n]));
      for (Image& level : levels) views.push_back(level.view());
      const auto report = vulkan::make_pyramid(*device, options, {}, source.view(), views);
      ASSERT_TRUE(report) << report.error().text();
      const bool per_level = device == tuned_ && footprint == Footprint::kAligned;
      EXPECT_EQ(report->plan.path, per_level ? PyramidPath::kPerLevel : PyramidPath::kSingleDispatch);
      for (const Image& level : levels) made[device == tuned_].push_back(floats_of(level));
    }
    EXPECT_EQ(made[0], made[1]);
  }
}

TEST_F(TunedResults, Transforms) {
  const TransformOptions options{.size = {60, 48}, .source = Format::kRGBA32Sfloat};
  const auto plan = plan_transform(options);
  ASSERT_TRUE(plan);
  const Image source = picture(options.source, options.size);
  std::vector<float> spectra[2];
  TransformStagePlan rows[2];
  for (const Device* device : {plain_, tuned_}) {
    std::vector<float>& spectrum = spectra[device == tuned_];
    spectrum.resize(plan->spectrum_bytes / sizeof(float));
    const auto report =
        vulkan::transform_forward(*device, options, {}, source.view(), std::as_writable_bytes(std::span(spectrum)));
    ASSERT_TRUE(report) << report.error().text();
    rows[device == tuned_] = report->plan.forward.front();
  }
  EXPECT_LT(rows[1].lanes, rows[0].lanes);
  double error = 0, norm = 0;
  for (size_t i = 0; i < spectra[0].size(); ++i) {
    const double difference = double{spectra[0][i]} - spectra[1][i];
    error += difference * difference;
    norm += double{spectra[0][i]} * spectra[0][i];
  }
  EXPECT_LT(std::sqrt(error / norm), 1e-6);
}

TEST_F(TunedResults, Meters) {
  const MeterOptions options{.size = kSize, .source = Format::kRGBA32Sfloat};
  const Image source = picture(options.source, kSize);
  MeterResult results[2]{};
  for (const Device* device : {plain_, tuned_}) {
    const auto report =
        vulkan::meter_image(*device, options, {}, source.view(), std::span(&results[device == tuned_], 1));
    ASSERT_TRUE(report) << report.error().text();
    if (device == tuned_) {
      EXPECT_EQ(report->plan.groups_x, 3U);
      EXPECT_EQ(report->plan.copies, 1U);
    }
  }
  EXPECT_NEAR(results[0].exposure, results[1].exposure, 2e-6 * results[0].exposure);
}

TEST_F(TunedResults, TileReductions) {
  const TileReductionOptions options{.size = kSize,
                                     .source = Format::kR32Sfloat,
                                     .target = Format::kR32Sfloat,
                                     .reduction = Reduction::kMax,
                                     .factor = 8};
  const Image source = picture(options.source, kSize);
  std::vector<float> made[2];
  for (const Device* device : {plain_, tuned_}) {
    auto target = Image::create(options.target, plan_tile_reduction(options)->size);
    const auto report = vulkan::reduce_tiles(*device, options, {}, source.view(), target->view());
    ASSERT_TRUE(report) << report.error().text();
    if (device == tuned_) {
      EXPECT_EQ(report->plan.gathers, 1U);
      EXPECT_EQ(report->plan.workgroup_size, 64U);
      EXPECT_EQ(report->plan.strategy, vulkan::TileStrategy::kTree);
    }
    made[device == tuned_] = floats_of(*target);
  }
  EXPECT_EQ(made[0], made[1]);
}

TEST_F(TunedResults, ToneMaps) {
  const ToneMapOptions options{.size = kSize, .source = Format::kRGBA32Sfloat, .target = Format::kRGBA32Sfloat};
  const Image source = picture(options.source, kSize);
  std::vector<float> made[2];
  for (const Device* device : {plain_, tuned_}) {
    auto target = Image::create(options.target, kSize);
    const auto report = vulkan::map_tones(*device, options, {}, source.view(), target->view(), 1.0F);
    ASSERT_TRUE(report) << report.error().text();
    if (device == tuned_) {
      EXPECT_EQ(report->plan.pixels, 1U);
      EXPECT_EQ(report->plan.workgroup_size, 64U);
    }
    made[device == tuned_] = floats_of(*target);
  }
  expect_near(made[0], made[1], 1e-6);
  const FrameToneMapOptions frames{.meter = {.size = kSize, .source = options.source}, .tone = options};
  const auto created = vulkan::FrameToneMap::create(*tuned_, frames);
  ASSERT_TRUE(created) << created.error().text();
  EXPECT_EQ(created->dispatch_plan().groups_x, 2U);
}

}  // namespace
}  // namespace onepass::testing
