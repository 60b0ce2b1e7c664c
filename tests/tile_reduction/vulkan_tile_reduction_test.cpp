// vulkan_tile_reduction_test.cpp: the Vulkan engine of tile reductions against the oracle: every strategy, factor and
// reduction at sizes around whole tiles, formats, tunings of the kernel, images with levels and slices, errors.
#include <cstring>

#include "onepass/vulkan/tile_reduction.hpp"
#include "tests/support/test_seed.hpp"
#include "tests/tile_reduction/tile_reduction_oracle.hpp"
#include "tests/vulkan/vulkan_testing.hpp"

namespace onepass::testing {
namespace {

using vulkan::TileReductionTuning;
using vulkan::TileStrategy;

constexpr uint32_t kFactors[] = {2, 4, 8, 16, 32, 64};
constexpr Reduction kReductions[] = {Reduction::kMean, Reduction::kMin, Reduction::kMax, Reduction::kMinMax};
constexpr TileStrategy kStrategies[] = {TileStrategy::kTree, TileStrategy::kSubgroup};

TileReductionOptions one_channel(Extent size, Reduction reduction, uint32_t factor) {
  return {.size = size,
          .source = Format::kR32Sfloat,
          .target = reduction == Reduction::kMinMax ? Format::kRG32Sfloat : Format::kR32Sfloat,
          .reduction = reduction,
          .factor = factor};
}

std::string shape_text(const TileReductionTuning& tuning) {
  static constexpr const char* kWords[] = {"auto", "", "tree", "subgroup"};
  return std::string(" ") + kWords[static_cast<size_t>(tuning.strategy)] + " gathers " +
         std::to_string(tuning.gathers) + " workgroup " + std::to_string(tuning.workgroup_size);
}

::testing::AssertionResult gpu_tiles_match(const TileReductionOptions& options, const TileReductionTuning& tuning,
                                           uint32_t seed) {
  const std::string name = describe(options) + shape_text(tuning);
  Random random(seed);
  PaddedImage source(options.source, options.size, options.slices, 4, 8);
  fill_random(source.view(), random);
  PaddedImage target(options.target, oracle_tiles_size(options), options.slices, 4, 8);
  auto report = vulkan::reduce_tiles(test_device(), options, tuning, source.view(), target.view());
  if (!report) return ::testing::AssertionFailure() << name << ": " << report.error().text();
  if (target.gaps_touched()) return ::testing::AssertionFailure() << name << ": bytes outside were written";
  return tiles_match(options, source.view(), target.view(), gpu_tolerance(as_pyramid(options), {}), name);
}

using VulkanTileReduction = VulkanTest;

TEST_F(VulkanTileReduction, MatchesTheOracleAroundWholeTiles) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (const uint32_t factor : kFactors) {
    for (const uint32_t width : {1U, factor - 1, factor, factor + 1, 3 * factor, 9 * factor + 3}) {
      for (const uint32_t height : {1U, factor - 1, factor, 5 * factor + 2}) {
        for (const Reduction reduction : kReductions) {
          for (const TileStrategy strategy : kStrategies) {
            if (!full_run() && random.below(8) != 0) continue;
            TileReductionOptions options = one_channel({width, height}, reduction, factor);
            options.slices = 1 + random.below(3);
            ASSERT_TRUE(gpu_tiles_match(options, {.strategy = strategy}, random.word())) << "seed " << seed;
          }
        }
      }
    }
  }
}

TEST_F(VulkanTileReduction, EveryShapeOfTheKernelMatches) {
  const uint32_t subgroup = test_device().info().subgroup_size;
  const uint32_t most = test_device().impl().limits.maxComputeWorkGroupInvocations;
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (const uint32_t factor : kFactors) {
    const uint32_t blocks = factor * factor / 4;
    for (const TileStrategy strategy : kStrategies) {
      for (const uint32_t gathers : {1U, 2U, 4U, 8U, 16U}) {
        for (const uint32_t workgroup : {32U, 128U, 512U}) {
          if (gathers > blocks || blocks / gathers > workgroup || workgroup % subgroup != 0 || workgroup > most)
            continue;
          if (!full_run() && random.below(3) != 0) continue;
          const Reduction reduction = random.below(2) == 0 ? Reduction::kMean : Reduction::kMinMax;
          ASSERT_TRUE(gpu_tiles_match(one_channel({5 * factor + 1, 3 * factor - 1}, reduction, factor),
                                      {.strategy = strategy, .gathers = gathers, .workgroup_size = workgroup}, factor));
        }
      }
    }
  }
}

TEST_F(VulkanTileReduction, EveryFormatThatTheDeviceStoresIsRight) {
  int tried = 0;
  for (const FormatInfo& info : all_formats()) {
    const Format target = info.depth ? Format::kR32Sfloat : info.format;
    for (const Reduction reduction : {Reduction::kMean, Reduction::kMax}) {
      const TileReductionOptions options{
          .size = {83, 61}, .slices = 2, .source = info.format, .target = target, .reduction = reduction, .factor = 8};
      if (!test_device().can_read(info.format) || !test_device().can_write(target)) {
        EXPECT_EQ(vulkan::TileReduction::create(test_device(), options).error().code, ErrorCode::kUnsupported);
        continue;
      }
      for (const TileStrategy strategy : kStrategies) {
        EXPECT_TRUE(gpu_tiles_match(options, {.strategy = strategy}, 3));
      }
      ++tried;
    }
  }
  EXPECT_GE(tried, 2 * 13);
  for (const auto& [source, target] : {std::pair{Format::kRGBA8Srgb, Format::kRGBA16Sfloat},
                                       {Format::kRGBA32Sfloat, Format::kRGBA8Srgb},
                                       {Format::kR32Sfloat, Format::kR8Srgb},
                                       {Format::kD16Unorm, Format::kR16Unorm}}) {
    EXPECT_TRUE(gpu_tiles_match(
        {.size = {100, 75}, .source = source, .target = target, .reduction = Reduction::kMean, .factor = 32}, {}, 4));
  }
  // A source that already holds min and max.
  EXPECT_TRUE(gpu_tiles_match(
      {.size = {70, 75}, .source = Format::kRG16Sfloat, .target = Format::kRG32Sfloat, .reduction = Reduction::kMinMax},
      {}, 5));
}

// Random floats of the whole range, negative ones too.
TEST_F(VulkanTileReduction, MinAndMaxKeepTheOrderOfAllFloats) {
  for (const Reduction reduction : {Reduction::kMin, Reduction::kMax, Reduction::kMinMax}) {
    const TileReductionOptions options = one_channel({64, 64}, reduction, 4);
    Random random(6);
    PaddedImage source(options.source, options.size);
    for (uint32_t y = 0; y < options.size.height; ++y) {
      for (uint32_t x = 0; x < options.size.width; ++x) {
        uint32_t bits = random.word();
        if ((bits & 0x7F800000U) == 0x7F800000U || (bits & 0x7F800000U) == 0) bits = y % 2 == 0 ? 0xFF7FFFFFU : 0U;
        std::memcpy(source.view().row(y) + 4 * x, &bits, 4);
      }
    }
    for (const TileStrategy strategy : kStrategies) {
      PaddedImage target(options.target, {16, 16});
      ASSERT_TRUE(vulkan::reduce_tiles(test_device(), options, {.strategy = strategy, .gathers = 1}, source.view(),
                                       target.view()));
      EXPECT_TRUE(tiles_match(options, source.view(), target.view(), Tolerance::exact()));
    }
  }
}

// One image with levels and slices: level 0 is read and level 4 of other slices is written, twice.
TEST_F(VulkanTileReduction, TargetsAreLevelsAndSlices) {
  const vulkan::Device& device = test_device();
  TileReductionOptions options = one_channel({144, 96}, Reduction::kMax, 16);
  options.slices = 2;
  auto tiles = vulkan::TileReduction::create(device, options);
  ASSERT_TRUE(tiles) << tiles.error().text();
  auto image = vulkan::DeviceImage::create(
      device.impl(), {.format = Format::kR32Sfloat,
                      .size = options.size,
                      .levels = 5,
                      .slices = 4,
                      .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                               VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
  ASSERT_TRUE(image);
  Random random(8);
  PaddedImage source(options.source, options.size, 4);
  fill_random(source.view(), random);
  PaddedImage target(options.target, {9, 6}, 4);
  const uint64_t source_bytes = vulkan::packed_bytes(*image, 0, 1);
  auto staging = vulkan::Buffer::create(device.impl(), source_bytes + vulkan::packed_bytes(*image, 4, 1),
                                        VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  ASSERT_TRUE(staging);
  auto* bytes = static_cast<std::byte*>(staging->mapped);
  vulkan::pack_view(source.view(), bytes);
  auto binding = tiles->bind({.source = image->image,
                              .source_slice = 1,
                              .source_layout = VK_IMAGE_LAYOUT_GENERAL,
                              .target = image->image,
                              .target_level = 4,
                              .target_slice = 2});
  ASSERT_TRUE(binding) << binding.error().text();
  auto ran = device.run([&](VkCommandBuffer commands) {
    image->transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                      vulkan::kTransferWrites);
    vulkan::copy_levels(*image, *staging, 0, 0, 1, true, commands);
    image->transition(commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, vulkan::kTransferWrites, VK_IMAGE_LAYOUT_GENERAL,
                      vulkan::kShaderReads | vulkan::kShaderWrites);
    for (int i = 0; i < 2; ++i) {
      tiles->record(commands, *binding);
      image->transition(commands, VK_IMAGE_LAYOUT_GENERAL, vulkan::kShaderWrites, VK_IMAGE_LAYOUT_GENERAL,
                        vulkan::kShaderWrites);
    }
    image->transition(commands, VK_IMAGE_LAYOUT_GENERAL, vulkan::kShaderWrites, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                      vulkan::kTransferReads);
    vulkan::copy_levels(*image, *staging, source_bytes, 4, 1, false, commands);
  });
  ASSERT_TRUE(ran) << ran.error().text();
  vulkan::unpack_view(bytes + source_bytes, target.view());
  ImageView from = source.view();
  from.data = source.view().row(0, 1);
  from.slices = 2;
  ImageView made = target.view();
  made.data = target.view().row(0, 2);
  made.slices = 2;
  EXPECT_TRUE(tiles_match(options, from, made, Tolerance::exact()));
}

TEST_F(VulkanTileReduction, SaysWhatIsWrong) {
  const vulkan::Device& device = test_device();
  const auto message = [&](const TileReductionOptions& options, const TileReductionTuning& tuning) {
    auto tiles = vulkan::TileReduction::create(device, options, tuning);
    return tiles ? std::string("fine") : tiles.error().message;
  };
  const TileReductionOptions good = one_channel({64, 64}, Reduction::kMin, 4);
  EXPECT_EQ(message(good, {}), "fine");
  EXPECT_EQ(message(one_channel({64, 64}, Reduction::kMin, 5), {}), "factor: 5 is not one of 2, 4, 8, 16, 32 and 64");
  EXPECT_EQ(message(good, {.strategy = static_cast<TileStrategy>(3)}), "tuning.strategy: 3 is not an enumerator");
  EXPECT_EQ(message(good, {.gathers = 8}), "tuning.gathers: 8 is not a power of two up to 4");
  EXPECT_EQ(message(good, {.workgroup_size = 100}),
            "tuning.workgroup_size: 100 is not one of 32, 64, 128, 256 and 512");
  EXPECT_NE(message(one_channel({64, 64}, Reduction::kMin, 64), {.gathers = 1, .workgroup_size = 512})
                .find("takes 1024 invocations of 1 gathers"),
            std::string::npos);
  EXPECT_NE(message(one_channel({64, 64}, Reduction::kMin, 64), {.strategy = TileStrategy::kTree, .gathers = 1})
                .find("takes 1024 invocations of 1 gathers"),
            std::string::npos);
  auto tiles = vulkan::TileReduction::create(device, good);
  ASSERT_TRUE(tiles);
  EXPECT_EQ(tiles->bind({}).error().message, "source: null image");
  EXPECT_EQ(tiles->plan().size, (Extent{16, 16}));
  EXPECT_NE(tiles->dispatch_plan().strategy, TileStrategy::kAuto);
}

}  // namespace
}  // namespace onepass::testing
