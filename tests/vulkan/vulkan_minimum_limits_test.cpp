// vulkan_minimum_limits_test.cpp: a device with the limits that Vulkan guarantees and no more. Every technique either
// works on it or refuses it with kUnsupported and the name of the limit; no Vulkan call is invalid.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "onepass/pyramid.hpp"
#include "onepass/vulkan/blocks.hpp"
#include "onepass/vulkan/bloom.hpp"
#include "onepass/vulkan/fourier_convolution.hpp"
#include "onepass/vulkan/fourier_correlation.hpp"
#include "onepass/vulkan/fourier_deconvolution.hpp"
#include "onepass/vulkan/fourier_filter.hpp"
#include "onepass/vulkan/frame_tone_map.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "onepass/vulkan/reflection.hpp"
#include "onepass/vulkan/tile_reduction.hpp"
#include "onepass/vulkan/tone_map.hpp"
#include "tests/vulkan/replaced_vulkan.hpp"
#include "vulkan/barrier.hpp"
#include "vulkan/host_image.hpp"

namespace onepass::testing {
namespace {

constexpr Format kHalf = Format::kRGBA16Sfloat;
constexpr Format kFloat = Format::kR32Sfloat;
constexpr Extent kSize{64, 48};

// Vulkan 1.2, section "Limits", table "Required Limits"; only the limits that the library asks for.
void lower_to_minimum(VkPhysicalDeviceLimits& limits) {
  limits.maxImageDimension2D = 4096;
  limits.maxImageArrayLayers = 256;
  limits.maxStorageBufferRange = 1U << 27;
  limits.maxUniformBufferRange = 16384;
  limits.maxPushConstantsSize = 128;
  limits.maxPerStageDescriptorSamplers = 16;
  limits.maxPerStageDescriptorUniformBuffers = 12;
  limits.maxPerStageDescriptorStorageBuffers = 4;
  limits.maxPerStageDescriptorSampledImages = 16;
  limits.maxPerStageDescriptorStorageImages = 4;
  limits.maxPerStageResources = 128;
  limits.maxDescriptorSetSamplers = 96;
  limits.maxDescriptorSetUniformBuffers = 72;
  limits.maxDescriptorSetStorageBuffers = 24;
  limits.maxDescriptorSetSampledImages = 96;
  limits.maxDescriptorSetStorageImages = 24;
  limits.maxComputeSharedMemorySize = 16384;
  limits.maxComputeWorkGroupInvocations = 128;
  limits.maxComputeWorkGroupSize[0] = limits.maxComputeWorkGroupSize[1] = 128;
  limits.maxComputeWorkGroupSize[2] = 64;
  for (uint32_t& count : limits.maxComputeWorkGroupCount) count = 65535;
}

// The outcome of a creation: "works", or the message of a refusal.
template <typename Object>
std::string outcome(const Result<Object>& created) {
  if (created) return "works";
  EXPECT_EQ(created.error().code, ErrorCode::kUnsupported) << created.error().text();
  return created.error().message;
}

class MinimumLimits : public ReplacedVulkan {
 protected:
  static inline uint32_t storage_buffers = 4;
  static inline uint32_t invocations = 128;

  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(ReplacedVulkan::SetUp());
    storage_buffers = 4;
    invocations = 128;
    change_properties([](VkPhysicalDeviceProperties2& out) {
      VkPhysicalDeviceLimits& limits = out.properties.limits;
      lower_to_minimum(limits);
      limits.maxPerStageDescriptorStorageBuffers = storage_buffers;
      limits.maxComputeWorkGroupInvocations = invocations;
      limits.maxComputeWorkGroupSize[0] = limits.maxComputeWorkGroupSize[1] = invocations;
      for (auto* next = static_cast<VkBaseOutStructure*>(out.pNext); next != nullptr; next = next->pNext) {
        if (next->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES) continue;
        auto& subgroup = *reinterpret_cast<VkPhysicalDeviceSubgroupProperties*>(next);
        subgroup.subgroupSize = 1;
        subgroup.supportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT;
      }
    });
  }

  static vulkan::Device device() {
    auto adopted = adopt();
    EXPECT_TRUE(adopted) << adopted.error().text();
    return *adopted;
  }
};

const char* const kInvocations = "256 invocations in a workgroup, but maxComputeWorkGroupInvocations is 128";

void expect_refusal(const std::string& outcome, const std::string& limit) {
  EXPECT_NE(outcome.find(limit), std::string::npos) << outcome;
}

TEST_F(MinimumLimits, TileReductionsWork) {
  const vulkan::Device on = device();
  const auto tiles = vulkan::TileReduction::create(
      on, {.size = kSize, .source = kFloat, .target = kFloat, .reduction = Reduction::kMax, .factor = 16});
  ASSERT_TRUE(tiles) << tiles.error().text();
  EXPECT_LE(tiles->dispatch_plan().workgroup_size, 128U);
  const auto make = [&](Extent size, VkImageUsageFlags usage) {
    return vulkan::DeviceImage::create(
        on.impl(), {.format = kFloat,
                    .size = size,
                    .levels = 1,
                    .slices = 1,
                    .usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
  };
  auto source = make(kSize, VK_IMAGE_USAGE_SAMPLED_BIT);
  auto target = make({4, 3}, VK_IMAGE_USAGE_STORAGE_BIT);
  ASSERT_TRUE(source && target);
  std::vector<float> texels(size_t{kSize.width} * kSize.height);
  for (size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i * 2654435761U % 1000003U);
  const uint64_t source_bytes = vulkan::packed_bytes(*source, 0, 1);
  auto staging = vulkan::Buffer::create(on.impl(), source_bytes + vulkan::packed_bytes(*target, 0, 1),
                                        VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  ASSERT_TRUE(staging) << staging.error().text();
  std::memcpy(staging->mapped, texels.data(), texels.size() * sizeof(float));
  const auto binding = tiles->bind({.source = source->image, .target = target->image});
  ASSERT_TRUE(binding) << binding.error().text();
  own->run([&](VkCommandBuffer commands) {
    vulkan::record_upload(*source, *staging, 0, commands);
    target->transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses, VK_IMAGE_LAYOUT_GENERAL,
                       vulkan::kShaderWrites);
    tiles->record(commands, *binding);
    vulkan::record_download(*target, *staging, source_bytes, commands);
  });
  float made[12] = {};
  std::memcpy(made, static_cast<const std::byte*>(staging->mapped) + source_bytes, sizeof made);
  for (uint32_t tile = 0; tile < 12; ++tile) {
    float most = 0;
    for (uint32_t i = 0; i < 256; ++i) {
      const uint32_t x = tile % 4 * 16 + i % 16, y = tile / 4 * 16 + i / 16;
      most = std::max(most, texels[size_t{y} * kSize.width + x]);
    }
    EXPECT_EQ(made[tile], most) << "tile " << tile;
  }
}

TEST_F(MinimumLimits, ToneMapsWorkWithoutLocalExposure) {
  ToneMapOptions options{.size = kSize, .source = kHalf, .target = Format::kRGBA8Unorm};
  const vulkan::Device on = device();
  const auto map = vulkan::ToneMap::create(on, options);
  EXPECT_EQ(outcome(map), "works");
  if (map) {
    EXPECT_LE(map->dispatch_plan().workgroup_size, 128U);
  }
  options.local = {.highlights = 0.5F, .shadows = 0.5F, .detail = 1};
  expect_refusal(outcome(vulkan::ToneMap::create(on, options)), kInvocations);
}

TEST_F(MinimumLimits, PyramidsNeedLargerWorkgroups) {
  const PyramidOptions options{.size = kSize, .source = kHalf, .target = kHalf};
  expect_refusal(outcome(vulkan::Pyramid::create(device(), options)), kInvocations);
  expect_refusal(outcome(vulkan::Pyramid::create(device(), options, {.path = PyramidPath::kSingleDispatch})),
                 "15 storage images, but maxPerStageDescriptorStorageImages is 4");
  expect_refusal(outcome(vulkan::Pyramid::create(
                     device(), {.size = kSize, .source = kHalf, .target = kHalf, .alpha = Alpha::kCoverage})),
                 "15 storage images, but maxPerStageDescriptorStorageImages is 4");
  invocations = 256;
  const auto pyramid = vulkan::Pyramid::create(device(), options);
  ASSERT_EQ(outcome(pyramid), "works");
  EXPECT_EQ(pyramid->dispatch_plan().path, PyramidPath::kPerLevel);
}

// An update by the reference variant, the only one on such a device, after a build.
TEST_F(MinimumLimits, UpdatesOfPyramidsWork) {
  invocations = 256;
  const vulkan::Device on = device();
  const PyramidOptions options{.size = kSize, .source = kFloat, .target = kFloat, .reduction = Reduction::kMax};
  const auto pyramid = vulkan::Pyramid::create(on, options, {.prepare_update = true});
  ASSERT_EQ(outcome(pyramid), "works");
  ASSERT_EQ(pyramid->dispatch_plan().path, PyramidPath::kPerLevel);
  const uint32_t levels = pyramid->plan().levels;
  const VkImageUsageFlags transfers = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  auto image = vulkan::DeviceImage::create(
      on.impl(), {.format = kFloat,
                  .size = kSize,
                  .levels = levels,
                  .slices = 1,
                  .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT | transfers});
  ASSERT_TRUE(image) << image.error().text();
  const uint64_t base_bytes = vulkan::packed_bytes(*image, 0, 1);
  auto staging = vulkan::Buffer::create(on.impl(), 2 * vulkan::packed_bytes(*image, 0, levels),
                                        VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  ASSERT_TRUE(staging) << staging.error().text();
  const auto binding = pyramid->bind(
      {.source = image->image, .source_layout = VK_IMAGE_LAYOUT_GENERAL, .target = image->image, .target_level = 1});
  ASSERT_TRUE(binding) << binding.error().text();

  std::vector<float> texels(size_t{kSize.width} * kSize.height);
  for (size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i * 2654435761U % 1000003U);
  const Rect changed{17, 30, 9, 5};
  const auto upload = [&](VkCommandBuffer commands, VkImageLayout from) {
    std::memcpy(staging->mapped, texels.data(), base_bytes);
    image->transition(commands, from, from == VK_IMAGE_LAYOUT_UNDEFINED ? vulkan::kNoAccesses : vulkan::kShaderWrites,
                      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, vulkan::kTransferWrites);
    vulkan::copy_levels(*image, *staging, 0, 0, 1, true, commands);
    image->transition(commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, vulkan::kTransferWrites, VK_IMAGE_LAYOUT_GENERAL,
                      vulkan::kShaderReads | vulkan::kShaderWrites);
  };
  const auto wait = [&](VkCommandBuffer commands) {
    vulkan::record_barrier(on.impl(), commands, vulkan::kFullBarrier);
  };
  own->run([&](VkCommandBuffer commands) {
    upload(commands, VK_IMAGE_LAYOUT_UNDEFINED);
    pyramid->record(commands, *binding);
    wait(commands);
  });
  for (uint32_t y = changed.y; y < changed.y + changed.height; ++y) {
    for (uint32_t x = changed.x; x < changed.x + changed.width; ++x) texels[size_t{y} * kSize.width + x] += 2e6F;
  }
  own->run([&](VkCommandBuffer commands) {
    upload(commands, VK_IMAGE_LAYOUT_GENERAL);
    pyramid->record_update(commands, *binding, changed, vulkan::Scratch::kUnknown);
    wait(commands);
    image->transition(commands, VK_IMAGE_LAYOUT_GENERAL, vulkan::kShaderWrites, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                      vulkan::kTransferReads);
    vulkan::copy_levels(*image, *staging, base_bytes, 1, levels - 1, false, commands);
    wait(commands);
  });
  // Sizes halve exactly, down to 4x3: each texel is the largest of its block.
  const auto* made = reinterpret_cast<const float*>(static_cast<const std::byte*>(staging->mapped) + base_bytes);
  for (uint32_t n = 1; n <= 4; ++n) {
    const uint32_t width = kSize.width >> n, height = kSize.height >> n;
    for (uint32_t y = 0; y < height; ++y) {
      for (uint32_t x = 0; x < width; ++x) {
        float most = 0;
        for (uint32_t i = 0; i < 1U << 2 * n; ++i) {
          const uint32_t column = (x << n) + i % (1U << n), row = (y << n) + i / (1U << n);
          most = std::max(most, texels[size_t{row} * kSize.width + column]);
        }
        ASSERT_EQ(made[size_t{y} * width + x], most) << "level " << n << " (" << x << ", " << y << ")";
      }
    }
    made += size_t{width} * height;
  }
}

TEST_F(MinimumLimits, BloomNeedsLargerWorkgroupsWhereTheGlowIsStored) {
  const BloomOptions options{.size = kSize, .source = kHalf};
  BloomOptions half = options, chain = options;
  half.resolution = BloomResolution::kHalf;
  chain.method = BloomMethod::kMipChain;
  EXPECT_EQ(outcome(vulkan::Bloom::create(device(), options)), "works");
  expect_refusal(outcome(vulkan::Bloom::create(device(), half)), kInvocations);
  expect_refusal(outcome(vulkan::Bloom::create(device(), chain)), kInvocations);
  invocations = 256;
  EXPECT_EQ(outcome(vulkan::Bloom::create(device(), half)), "works");
  EXPECT_EQ(outcome(vulkan::Bloom::create(device(), chain)), "works");
}

TEST_F(MinimumLimits, MetersAndFramesNeedLargerWorkgroups) {
  const MeterOptions meter{.size = kSize, .source = kHalf};
  const FrameToneMapOptions frame{.meter = meter,
                                  .tone = {.size = kSize, .source = kHalf, .target = Format::kRGBA8Unorm}};
  expect_refusal(outcome(vulkan::Meter::create(device(), meter)), kInvocations);
  // The tables of the curves come on top of a meter's histogram.
  const char* const shared = "need more shared memory than 16384 bytes";
  expect_refusal(outcome(vulkan::FrameToneMap::create(device(), frame)), shared);
  invocations = 256;
  const auto made = vulkan::Meter::create(device(), meter);
  ASSERT_EQ(outcome(made), "works");
  EXPECT_EQ(made->dispatch_plan().copies, 1U);
  expect_refusal(outcome(vulkan::Meter::create(device(), meter, {.copies = 2})), "tuning.copies: 2");
  expect_refusal(outcome(vulkan::FrameToneMap::create(device(), frame)), shared);
}

TEST_F(MinimumLimits, TransformsWork) {
  const vulkan::Device on = device();
  EXPECT_EQ(outcome(vulkan::Transform::create(on, {.size = kSize, .source = kHalf}, {})), "works");
  const vulkan::TransformSides buffers{.source = vulkan::SideKind::kBuffer, .target = vulkan::SideKind::kBuffer};
  EXPECT_EQ(outcome(vulkan::Transform::create(on, {.size = kSize, .source = kHalf}, buffers)), "works");
  EXPECT_EQ(outcome(vulkan::Filter::create(on, {.size = kSize, .source = kHalf})), "works");
  EXPECT_EQ(outcome(vulkan::Convolver::create(
                on, {.size = kSize, .source = kHalf, .kernel_size = {5, 5}, .kernel = Format::kR8Unorm})),
            "works");
}

TEST_F(MinimumLimits, DeconvolutionsAndCorrelationsNeedLargerWorkgroups) {
  const DeconvolutionOptions blurred{.size = kSize, .source = kHalf, .kernel_size = {5, 5}, .kernel = Format::kR8Unorm};
  expect_refusal(outcome(vulkan::Deconvolver::create(device(), blurred)), kInvocations);
  const CorrelationOptions options{.size = kSize, .first = kHalf, .second = kHalf};
  expect_refusal(outcome(vulkan::Correlator::create(device(), options)), kInvocations);
  invocations = 256;
  EXPECT_EQ(outcome(vulkan::Deconvolver::create(device(), blurred)), "works");
  EXPECT_EQ(outcome(vulkan::Correlator::create(device(), options)), "works");
}

TEST_F(MinimumLimits, ReflectionsWorkUpToTheSizeOfTheirHistory) {
  ReflectionOptions options{
      .size = kSize, .color = kHalf, .depth = kFloat, .pyramid = kFloat, .normals = kHalf, .roughness = kHalf};
  EXPECT_EQ(outcome(vulkan::Reflection::create(device(), options)), "works");
  options.size = {4096, 1400};
  expect_refusal(outcome(vulkan::Reflection::create(device(), options)),
                 "size: a history of 137625600 bytes, but maxStorageBufferRange is 134217728");
}

TEST_F(MinimumLimits, BlocksWorkUpToTheSizeOfTheirBuffer) {
  BlockCompressorOptions options{.size = {4096, 4096}, .slices = 8};
  EXPECT_EQ(outcome(vulkan::BlockCompressor::create(device(), options)), "works");
  options.slices = 9;
  expect_refusal(outcome(vulkan::BlockCompressor::create(device(), options)),
                 "size: blocks of 150994944 bytes, but maxStorageBufferRange is 134217728");
  options = {.size = {4097, 1}};
  expect_refusal(outcome(vulkan::BlockCompressor::create(device(), options)),
                 "size: 4097x1 exceeds maxImageDimension2D 4096");
  options = {.size = kSize, .slices = 257};
  expect_refusal(outcome(vulkan::BlockCompressor::create(device(), options)),
                 "slices: 257 exceeds maxImageArrayLayers 256");
}

TEST_F(MinimumLimits, StorageBuffersAreRefusedByName) {
  storage_buffers = 2;
  expect_refusal(outcome(vulkan::Transform::create(device(), {.size = kSize, .source = kHalf}, {})),
                 "3 storage buffers, but maxPerStageDescriptorStorageBuffers is 2");
}

TEST_F(MinimumLimits, SubgroupOperationsAreRefusedByName) {
  invocations = 256;
  expect_refusal(outcome(vulkan::Pyramid::create(device(), {.size = kSize, .source = kHalf, .target = kHalf},
                                                 {.subgroup = vulkan::Switch::kOn})),
                 "tuning.subgroup");
  expect_refusal(
      outcome(vulkan::Meter::create(device(), {.size = kSize, .source = kHalf}, {.subgroup = vulkan::Switch::kOn})),
      "tuning.subgroup");
  expect_refusal(outcome(vulkan::TileReduction::create(device(), {.size = kSize, .source = kHalf, .target = kHalf},
                                                       {.strategy = vulkan::TileStrategy::kSubgroup})),
                 "tuning.strategy: subgroup");
}

TEST_F(MinimumLimits, SizesAreRefusedByName) {
  expect_refusal(
      outcome(vulkan::TileReduction::create(device(), {.size = {4097, 16}, .source = kHalf, .target = kHalf})),
      "exceeds maxImageDimension2D 4096");
  expect_refusal(outcome(vulkan::TileReduction::create(
                     device(), {.size = kSize, .slices = 257, .source = kHalf, .target = kHalf})),
                 "exceeds maxImageArrayLayers 256");
  // 2049 x 4096 complex numbers of four channels: twice 2^27 bytes and some.
  const auto large = vulkan::Transform::create(device(), {.size = {4096, 4096}, .source = kHalf}, {});
  expect_refusal(outcome(large), "buffers of the device have 134217728");
}

}  // namespace
}  // namespace onepass::testing
