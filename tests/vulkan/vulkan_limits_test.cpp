// vulkan_limits_test.cpp: limits of devices against the needs of kernels, subgroup sizes, declared reconvergence. The
// tests replace entry points of Vulkan.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "onepass/vulkan/device_report.hpp"
#include "onepass/vulkan/fourier.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "onepass/vulkan/reflection.hpp"
#include "onepass/vulkan/tile_reduction.hpp"
#include "tests/vulkan/all_kernels.hpp"
#include "tests/vulkan/replaced_vulkan.hpp"
#include "vulkan/kernel_limits.hpp"
#include "vulkan/reconvergence.hpp"

namespace onepass::testing {
namespace {

// ---- Limits

VkPhysicalDeviceLimits roomy_limits() {
  VkPhysicalDeviceLimits limits{};
  limits.maxPerStageDescriptorSamplers = limits.maxDescriptorSetSamplers = 16;
  limits.maxPerStageDescriptorSampledImages = limits.maxDescriptorSetSampledImages = 16;
  limits.maxPerStageDescriptorStorageImages = limits.maxDescriptorSetStorageImages = 16;
  limits.maxPerStageDescriptorStorageBuffers = limits.maxDescriptorSetStorageBuffers = 16;
  limits.maxPerStageDescriptorUniformBuffers = limits.maxDescriptorSetUniformBuffers = 16;
  limits.maxPerStageResources = 128;
  limits.maxPushConstantsSize = 128;
  return limits;
}

TEST(LayoutLimits, NameWhatIsExceeded) {
  const std::vector<vulkan::KernelBinding> bindings = {{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
                                                       {1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 5},
                                                       {2},
                                                       {3},
                                                       {4, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER}};
  using Limits = VkPhysicalDeviceLimits;
  const struct {
    uint32_t Limits::*limit;
    uint32_t least;
    const char* text;
  } cases[] = {
      {&Limits::maxPerStageDescriptorSamplers, 1, "1 samplers, but maxPerStageDescriptorSamplers is 0"},
      {&Limits::maxDescriptorSetSampledImages, 1, "1 sampled images, but maxDescriptorSetSampledImages is 0"},
      {&Limits::maxPerStageDescriptorStorageImages, 5, "5 storage images, but maxPerStageDescriptorStorageImages is 4"},
      {&Limits::maxDescriptorSetStorageImages, 5, "5 storage images, but maxDescriptorSetStorageImages is 4"},
      {&Limits::maxPerStageDescriptorStorageBuffers, 2,
       "2 storage buffers, but maxPerStageDescriptorStorageBuffers is 1"},
      {&Limits::maxDescriptorSetUniformBuffers, 1, "1 uniform buffers, but maxDescriptorSetUniformBuffers is 0"},
      {&Limits::maxPerStageResources, 9, "9 resources, but maxPerStageResources is 8"},
      {&Limits::maxPushConstantsSize, 96, "96 bytes of push constants, but maxPushConstantsSize is 95"}};
  for (const auto& [limit, least, text] : cases) {
    VkPhysicalDeviceLimits limits = roomy_limits();
    limits.*limit = least;
    EXPECT_EQ(vulkan::layout_limit_exceeded(limits, bindings, 96), "");
    limits.*limit = least - 1;
    EXPECT_EQ(vulkan::layout_limit_exceeded(limits, bindings, 96), text);
  }
}

// The needs that the options of each technique compute for themselves.
TEST(KernelNeeds, AreReadFromSpirv) {
  const auto needs_of = [](const char* name, const std::vector<uint32_t>& constants) {
    const auto code = testing::find_kernel(name);
    EXPECT_TRUE(code) << name;
    return code ? vulkan::kernel_needs(*code, constants) : vulkan::KernelNeeds{};
  };
  using Size = std::array<uint32_t, 3>;
  // Bins, copies.
  EXPECT_EQ(needs_of("luminance", {256, 1}).shared_bytes, 8192U + 2880U);
  EXPECT_EQ(needs_of("luminance", {256, 4}).shared_bytes, 4 * 8192U + 2880U);
  EXPECT_EQ(needs_of("luminance", {256, 1}).workgroup_size, (Size{256, 1, 1}));
  // The size of the workgroup, twice.
  EXPECT_EQ(needs_of("tone_map", {64, 64}).workgroup_size, (Size{64, 1, 1}));
  EXPECT_EQ(needs_of("tile_reduction_4_tree", {128}).workgroup_size, (Size{128, 1, 1}));
  EXPECT_EQ(needs_of("fourier_texels_load", {}).workgroup_size, (Size{64, 4, 1}));
  EXPECT_EQ(needs_of("fourier_spectrum", {}).shared_bytes, 0U);
}

TEST(KernelNeeds, OfEveryPyramidFit32KB) {
  for (const char* name : {"pyramid_1", "pyramid_2_subgroup", "pyramid_4_indexed_subgroup", "pyramid_tight_4"}) {
    const auto code = testing::find_kernel(name);
    ASSERT_TRUE(code) << name;
    const vulkan::KernelNeeds needs = vulkan::kernel_needs(*code, {});
    EXPECT_GT(needs.shared_bytes, 0U) << name;
    EXPECT_LE(needs.shared_bytes, 32768U) << name;
  }
}

TEST(KernelNeeds, OfDamagedModulesAreNothing) {
  const std::vector<uint32_t> module = {0x07230203, 0x00010500, 0, 10, 0, 0x00090013};
  EXPECT_EQ(vulkan::kernel_needs(module, {}).shared_bytes, 0U);
  EXPECT_EQ(vulkan::kernel_needs({}, {}).shared_bytes, 0U);
}

TEST(NeedsLimits, NameWhatIsExceeded) {
  VkPhysicalDeviceLimits limits{};
  limits.maxComputeWorkGroupInvocations = 128;
  limits.maxComputeWorkGroupSize[0] = limits.maxComputeWorkGroupSize[1] = 128;
  limits.maxComputeWorkGroupSize[2] = 64;
  limits.maxComputeSharedMemorySize = 16384;
  EXPECT_EQ(vulkan::needs_limit_exceeded(limits, {{128, 1, 1}, 16384}), "");
  EXPECT_EQ(vulkan::needs_limit_exceeded(limits, {{64, 4, 1}, 0}),
            "256 invocations in a workgroup, but maxComputeWorkGroupInvocations is 128");
  EXPECT_EQ(vulkan::needs_limit_exceeded(limits, {{1, 1, 65}, 0}),
            "65 invocations in z, but maxComputeWorkGroupSize[2] is 64");
  EXPECT_EQ(vulkan::needs_limit_exceeded(limits, {{64, 1, 1}, 16388}),
            "16388 bytes of shared memory, but maxComputeSharedMemorySize is 16384");
}

// ---- Subgroup sizes

TEST(SubgroupSize, IsAskedForWhereThereAreSeveral) {
  const auto size = vulkan::subgroup_size_to_require;
  EXPECT_EQ(size(32, 32, 64), 0U);  // NVIDIA
  EXPECT_EQ(size(8, 8, 64), 0U);    // lavapipe
  EXPECT_EQ(size(8, 32, 64), 16U);  // Intel
  EXPECT_EQ(size(16, 32, 64), 16U);
  EXPECT_EQ(size(32, 64, 64), 32U);   // AMD
  EXPECT_EQ(size(64, 128, 16), 64U);  // Qualcomm
  EXPECT_EQ(size(4, 8, 128), 8U);
  EXPECT_EQ(size(8, 32, 16), 32U);  // workgroups of 512 invocations
}

class SubgroupSizes : public ReplacedVulkan {
 protected:
  static inline uint32_t required = 0;  // of the last pipeline
  static inline bool full = false;

  // A device with subgroups of 8 to 32. The driver gets pipelines without a request, which its device does not allow.
  static Result<vulkan::Device> adopt_device(bool control) {
    change_properties([](VkPhysicalDeviceProperties2& out) {
      for (auto* next = static_cast<VkBaseOutStructure*>(out.pNext); next != nullptr; next = next->pNext) {
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES) {
          auto& sizes = *reinterpret_cast<VkPhysicalDeviceSubgroupSizeControlProperties*>(next);
          sizes.minSubgroupSize = 8;
          sizes.maxSubgroupSize = 32;
          sizes.maxComputeWorkgroupSubgroups = 64;
          sizes.requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT;
        }
      }
    });
    replace_function(
        "vkCreateComputePipelines",
        +[](VkDevice device, VkPipelineCache cache, uint32_t count, const VkComputePipelineCreateInfo* infos,
            const VkAllocationCallbacks* callbacks, VkPipeline* pipelines) {
          VkComputePipelineCreateInfo info = infos[0];
          full = info.stage.flags == VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
          const auto* size = static_cast<const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo*>(info.stage.pNext);
          required = size == nullptr ? 0 : size->requiredSubgroupSize;
          info.stage.flags = 0;
          info.stage.pNext = nullptr;
          return own->vk.vkCreateComputePipelines(device, cache, count, &info, callbacks, pipelines);
        });
    vulkan::DeviceHandles handles = replaced_handles();
    handles.features.compute_full_subgroups = true;
    handles.features.subgroup_size_control = control;
    return vulkan::Device::adopt(handles);
  }

  static void create(const Result<vulkan::Device>& device) {
    ASSERT_TRUE(device) << device.error().text();
    const auto tiles = vulkan::TileReduction::create(
        *device, {.size = {64, 64}, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat, .factor = 8});
    ASSERT_TRUE(tiles) << tiles.error().text();
    EXPECT_EQ(tiles->dispatch_plan().strategy, vulkan::TileStrategy::kSubgroup);
    EXPECT_TRUE(full);
  }
};

TEST_F(SubgroupSizes, AreAskedForWithTheFeature) {
  create(adopt_device(true));
  EXPECT_EQ(required, 16U);
}

TEST_F(SubgroupSizes, AreLeftToTheDriverWithout) {
  create(adopt_device(false));
  EXPECT_EQ(required, 0U);
}

class DeclaredReconvergence : public ReplacedVulkan {
 protected:
  static inline std::vector<uint32_t> module;

  // The module that a device with the features gets for a kernel with or without subgroup operations. The driver does
  // not get it, because its device has not enabled the features.
  static std::vector<uint32_t> module_with(vulkan::EnabledFeatures features, vulkan::TileStrategy strategy) {
    module.clear();
    replace_function(
        "vkCreateShaderModule",
        +[](VkDevice, const VkShaderModuleCreateInfo* info, const VkAllocationCallbacks*, VkShaderModule*) {
          module.assign(info->pCode, info->pCode + info->codeSize / 4);
          return VK_ERROR_OUT_OF_HOST_MEMORY;
        });
    vulkan::DeviceHandles handles = replaced_handles();
    features.storage_image_write_without_format = true;
    features.compute_full_subgroups = true;
    handles.features = features;
    const auto device = vulkan::Device::adopt(handles);
    EXPECT_TRUE(device) << device.error().text();
    const auto tiles = vulkan::TileReduction::create(
        *device, {.size = {64, 64}, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat, .factor = 8},
        {.strategy = strategy});
    EXPECT_FALSE(tiles);
    return module;
  }
};

TEST_F(DeclaredReconvergence, OnlyWhereTheDeviceEnabledIt) {
  const auto subgroup = vulkan::TileStrategy::kSubgroup;
  const std::vector<uint32_t> plain = module_with({}, subgroup);
  ASSERT_GT(plain.size(), 100U);
  EXPECT_EQ(module_with({.subgroup_uniform_control_flow = true}, subgroup),
            vulkan::declare_reconvergence(plain, vulkan::Reconvergence::kSubgroupUniform));
  EXPECT_GT(module.size(), plain.size());
  EXPECT_EQ(module_with({.subgroup_uniform_control_flow = true, .maximal_reconvergence = true}, subgroup),
            vulkan::declare_reconvergence(plain, vulkan::Reconvergence::kMaximal));
  EXPECT_GT(module.size(), plain.size());
  const auto tree = vulkan::TileStrategy::kTree;
  EXPECT_EQ(module_with({.maximal_reconvergence = true}, tree), module_with({}, tree));
}

TEST_F(DeclaredReconvergence, DevicesOfTheLibraryEnableWhatTheyHave) {
  auto reports = vulkan::report_devices();
  ASSERT_TRUE(reports) << reports.error().text();
  ASSERT_FALSE(reports->empty());
  for (const vulkan::DeviceReport& report : *reports) {
    const auto has = [&](const char* name) {
      return std::find(report.extensions.begin(), report.extensions.end(), name) != report.extensions.end();
    };
    const vulkan::EnabledFeatures& features = report.info.features;
    EXPECT_EQ(features.subgroup_uniform_control_flow, has("VK_KHR_shader_subgroup_uniform_control_flow"));
    EXPECT_EQ(features.maximal_reconvergence, has("VK_KHR_shader_maximal_reconvergence"));
    if (!report.info.usable) continue;
    auto device = vulkan::Device::open({.selector = std::to_string(report.info.index)});
    ASSERT_TRUE(device) << device.error().text();
    EXPECT_EQ(device->handles().features.subgroup_uniform_control_flow, features.subgroup_uniform_control_flow);
    EXPECT_EQ(device->handles().features.maximal_reconvergence, features.maximal_reconvergence);
  }
}

using Limits = ReplacedVulkan;

TEST_F(Limits, OfDescriptorsAreCheckedBeforeLayoutsAreCreated) {
  change_properties(
      [](VkPhysicalDeviceProperties2& out) { out.properties.limits.maxPerStageDescriptorStorageBuffers = 2; });
  static int layouts = 0;
  layouts = 0;
  replace_function(
      "vkCreateDescriptorSetLayout", +[](VkDevice device, const VkDescriptorSetLayoutCreateInfo* info,
                                         const VkAllocationCallbacks* callbacks, VkDescriptorSetLayout* layout) {
        ++layouts;
        return own->vk.vkCreateDescriptorSetLayout(device, info, callbacks, layout);
      });
  const auto device = adopt();
  ASSERT_TRUE(device) << device.error().text();
  const auto transform = vulkan::Transform::create(
      *device, {.size = {64, 64}, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat}, {});
  ASSERT_FALSE(transform);
  EXPECT_EQ(transform.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(transform.error().message.find("kernel fourier_rows_forward"), 0U) << transform.error().message;
  EXPECT_NE(transform.error().message.find("storage buffers, but maxPerStageDescriptorStorageBuffers is 2"),
            std::string::npos)
      << transform.error().message;
  EXPECT_EQ(layouts, 0);
}

// Options of reflections, each image in a format of its own.
TEST_F(Limits, OfReflectionsNameTheOption) {
  static VkFormat lacking = VK_FORMAT_UNDEFINED;
  replace_function(
      "vkGetPhysicalDeviceFormatProperties", +[](VkPhysicalDevice device, VkFormat format, VkFormatProperties* out) {
        own->vki.vkGetPhysicalDeviceFormatProperties(device, format, out);
        if (format == lacking) *out = {};
      });
  const ReflectionOptions options{.size = {4096, 2048},
                                  .slices = 2,
                                  .color = Format::kB10G11R11Ufloat,
                                  .depth = Format::kD32Sfloat,
                                  .pyramid = Format::kR32Sfloat,
                                  .normals = Format::kRGBA32Sfloat,
                                  .roughness = Format::kR8Unorm,
                                  .motion = Format::kRG16Sfloat,
                                  .environment = Format::kRGBA8Srgb,
                                  .hit_distance = Format::kR16Sfloat};
  const auto refused = [&] {
    const auto device = adopt();
    EXPECT_TRUE(device) << device.error().text();
    const auto made = vulkan::Reflection::create(*device, options);
    EXPECT_FALSE(made);
    if (made) return std::string();
    EXPECT_EQ(made.error().code, ErrorCode::kUnsupported);
    return made.error().message;
  };
  const std::pair<Format, const char*> cases[] = {
      {options.color, "color: the device cannot sample b10g11r11_ufloat_pack32"},
      {options.depth, "depth: the device cannot sample d32_sfloat"},
      {options.pyramid, "pyramid: the device cannot sample r32_sfloat"},
      {options.normals, "normals: the device cannot sample r32g32b32a32_sfloat"},
      {options.roughness, "roughness: the device cannot sample r8_unorm"},
      {options.motion, "motion: the device cannot sample r16g16_sfloat"},
      {options.environment, "environment: the device cannot sample r8g8b8a8_srgb"},
      {options.hit_distance, "hit_distance: the device cannot store to r16_sfloat"}};
  for (const auto& [format, message] : cases) {
    lacking = static_cast<VkFormat>(format);
    EXPECT_EQ(refused(), message);
  }
  lacking = VK_FORMAT_UNDEFINED;
  const std::pair<Change, const char*> limits[] = {
      {[](auto& p) { p.properties.limits.maxImageDimension2D = 4095; },
       "size: 4096x2048 exceeds maxImageDimension2D 4095"},
      {[](auto& p) { p.properties.limits.maxImageArrayLayers = 1; }, "slices: 2 exceeds maxImageArrayLayers 1"},
      {[](auto& p) { p.properties.limits.maxStorageBufferRange = 1U << 27U; },
       "size: a history of 402653184 bytes, but maxStorageBufferRange is 134217728"}};
  for (const auto& [change, message] : limits) {
    change_properties(change);
    EXPECT_EQ(refused(), message);
  }
}

TEST_F(Limits, OfSharedMemoryAreThoseOfTheKernel) {
  static uint32_t shared_bytes = 0;
  change_properties(
      [](VkPhysicalDeviceProperties2& out) { out.properties.limits.maxComputeSharedMemorySize = shared_bytes; });
  const auto path = [](Format format, vulkan::PyramidTuning tuning = {}) -> Result<PyramidPath> {
    const auto device = adopt();
    if (!device) return device.error();
    const auto pyramid =
        vulkan::Pyramid::create(*device, {.size = {64, 64}, .source = format, .target = format}, tuning);
    if (!pyramid) return pyramid.error();
    return pyramid->dispatch_plan().path;
  };
  shared_bytes = 16384;
  const auto one = path(Format::kR32Sfloat);
  ASSERT_TRUE(one) << one.error().text();
  EXPECT_EQ(*one, PyramidPath::kSingleDispatch);
  const auto four = path(Format::kRGBA32Sfloat);
  ASSERT_TRUE(four) << four.error().text();
  EXPECT_EQ(*four, PyramidPath::kPerLevel);
  const auto refused = path(Format::kRGBA32Sfloat, {.path = PyramidPath::kSingleDispatch});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(refused.error().message.find("bytes of shared memory, but maxComputeSharedMemorySize is 16384"),
            std::string::npos)
      << refused.error().message;
}

}  // namespace
}  // namespace onepass::testing
