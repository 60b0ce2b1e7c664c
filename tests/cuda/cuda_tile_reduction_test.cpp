// cuda_tile_reduction_test.cpp: tile reductions of the CUDA engine against the oracle: factors, reductions, sizes,
// formats, orders of channels; errors; calls of the driver. Without ONEPASS_TEST_CUDA kernels run on the host.
#include <cstring>
#include <map>

#include "onepass/cuda/tile_reduction.hpp"
#include "tests/cuda/cuda_testing.hpp"
#include "tests/cuda/fake_driver.hpp"
#include "tests/tile_reduction/tile_reduction_oracle.hpp"

namespace onepass::testing {
namespace {

constexpr uint32_t kFactors[] = {2, 4, 8, 16, 32, 64};
constexpr Reduction kReductions[] = {Reduction::kMean, Reduction::kMin, Reduction::kMax, Reduction::kMinMax};
constexpr auto kPlanar = cuda::Channels::kPlanar;

TileReductionOptions one_channel(Extent size, Reduction reduction, uint32_t factor) {
  return {.size = size,
          .source = Format::kR32Sfloat,
          .target = reduction == Reduction::kMinMax ? Format::kRG32Sfloat : Format::kR32Sfloat,
          .reduction = reduction,
          .factor = factor};
}

::testing::AssertionResult cuda_tiles_match(const TileReductionOptions& options, const cuda::ImageMemory& memory,
                                            const ImageView& source, size_t row_gap = 0) {
  TileReductionOptions known = options;  // by the oracle
  known.source = known_format(options.source);
  known.target = known_format(options.target);
  const std::string name = describe(options);
  auto tiles = cuda::TileReduction::create(test_cuda_device(), options, memory);
  if (!tiles) return ::testing::AssertionFailure() << name << ": " << tiles.error().text();
  const Extent size = tiles->plan().size;
  const CudaImage fine(options.source, options.size, options.slices, {memory.source, row_gap, 2 * row_gap});
  const CudaImage coarse(options.target, size, options.slices, {memory.target, row_gap, 2 * row_gap});
  fine.upload(source);
  auto binding = tiles->bind({.source = fine.image(), .target = coarse.image()});
  if (!binding) return ::testing::AssertionFailure() << name << ": " << binding.error().text();
  auto done = tiles->record(nullptr, *binding);
  if (!done) return ::testing::AssertionFailure() << name << ": " << done.error().text();
  PaddedImage actual(options.target, size, options.slices);
  if (auto downloaded = coarse.download(actual.view()); !downloaded) return downloaded << ": " << name;
  const PaddedImage known_source = expanded(source, is_row_format(options.target));  // an RGB target drops alpha
  return tiles_match(known, known_source.view(), expanded(actual.view()).view(), cuda_tolerance(as_pyramid(known)),
                     name);
}

::testing::AssertionResult cuda_tiles_match(const TileReductionOptions& options, const cuda::ImageMemory& memory,
                                            uint32_t seed, size_t row_gap = 0) {
  Random random(seed);
  PaddedImage source(options.source, options.size, options.slices, 4, 8);
  fill_random(source.view(), random);
  return cuda_tiles_match(options, memory, source.view(), row_gap);
}

TEST(CudaTileReduction, MatchesTheOracleAroundWholeTiles) {
  CudaSample sample;
  Random random(random_seed());
  for (const uint32_t factor : kFactors) {
    for (const uint32_t width : {1U, factor - 1, factor, factor + 1, 3 * factor, 9 * factor + 3}) {
      for (const uint32_t height : {1U, factor - 1, factor, 5 * factor + 2}) {
        for (const Reduction reduction : kReductions) {
          if (!sample.takes(factor > 16 ? 10 : 5)) continue;
          TileReductionOptions options = one_channel({width, height}, reduction, factor);
          options.slices = 1 + random.below(3);
          ASSERT_TRUE(cuda_tiles_match(options, {}, random.word(), 8 * random.below(2)));
        }
      }
    }
  }
}

// The bytes of a texel decide how many blocks a thread reads, factors how many threads a tile has: every pair of both,
// with tiles of several warps.
TEST(CudaTileReduction, EveryShapeOfTheKernelMatches) {
  std::map<uint32_t, int> gathers;
  for (const uint32_t factor : kFactors) {
    for (const Format format : {Format::kR8Unorm, Format::kRG8Unorm, Format::kR16Sfloat, Format::kR32Sfloat,
                                Format::kRGBA8Unorm, Format::kRGBA16Sfloat, Format::kRGBA32Sfloat}) {
      for (const Reduction reduction : {Reduction::kMean, Reduction::kMax}) {
        const TileReductionOptions options{.size = {2 * factor + 1, 2 * factor - 1},
                                           .source = format,
                                           .target = format,
                                           .reduction = reduction,
                                           .factor = factor};
        EXPECT_TRUE(cuda_tiles_match(options, {}, factor));
        auto tiles = cuda::TileReduction::create(test_cuda_device(), options);
        ASSERT_TRUE(tiles);
        ++gathers[tiles->dispatch_plan().gathers];
      }
    }
  }
  EXPECT_EQ(gathers.size(), 5U);  // 1, 2, 4, 8 and 16
}

TEST(CudaTileReduction, EveryFormatIsRight) {
  for (const FormatInfo& info : all_formats()) {
    const Format target = info.depth ? Format::kR32Sfloat : info.format;
    for (const Reduction reduction : {Reduction::kMean, Reduction::kMax}) {
      EXPECT_TRUE(cuda_tiles_match(
          {.size = {83, 61}, .slices = 2, .source = info.format, .target = target, .reduction = reduction, .factor = 8},
          {}, 3));
    }
  }
  for (const auto& [source, target] : {std::pair{Format::kRGBA8Srgb, Format::kRGBA16Sfloat},
                                       {Format::kRGBA32Sfloat, Format::kRGBA8Srgb},
                                       {Format::kR32Sfloat, Format::kR8Srgb},
                                       {Format::kD16Unorm, Format::kR16Unorm}}) {
    EXPECT_TRUE(cuda_tiles_match(
        {.size = {100, 75}, .source = source, .target = target, .reduction = Reduction::kMean, .factor = 32}, {}, 4));
  }
  // A source that already holds min and max.
  EXPECT_TRUE(cuda_tiles_match(
      {.size = {70, 75}, .source = Format::kRG16Sfloat, .target = Format::kRG32Sfloat, .reduction = Reduction::kMinMax},
      {}, 5));
}

TEST(CudaTileReduction, EveryOrderOfChannelsIsRight) {
  for (const Format format : {Format::kRGB8Unorm, Format::kRGB8Srgb, Format::kRGB16Sfloat, Format::kRGB32Sfloat,
                              Format::kRGBA8Unorm, Format::kRG16Sfloat}) {
    for (const cuda::ImageMemory& memory :
         {cuda::ImageMemory{}, cuda::ImageMemory{.source = kPlanar}, cuda::ImageMemory{.target = kPlanar},
          cuda::ImageMemory{.source = kPlanar, .target = kPlanar}}) {
      for (const Reduction reduction : {Reduction::kMean, Reduction::kMax}) {
        EXPECT_TRUE(cuda_tiles_match(
            {.size = {70, 41}, .slices = 2, .source = format, .target = format, .reduction = reduction, .factor = 8},
            memory, 7, 16))
            << static_cast<int>(memory.source) << static_cast<int>(memory.target);
      }
    }
  }
  for (const auto& [source, target] : {std::pair{Format::kBGRA8Unorm, Format::kRGB8Unorm},
                                       {Format::kRGB8Srgb, Format::kBGRA8Srgb},
                                       {Format::kB10G11R11Ufloat, Format::kRGB32Sfloat},
                                       {Format::kRGB16Sfloat, Format::kB10G11R11Ufloat}}) {
    EXPECT_TRUE(cuda_tiles_match(
        {.size = {45, 38}, .source = source, .target = target, .reduction = Reduction::kMean, .factor = 4}, {}, 8));
  }
}

// Random floats of the whole range, negative ones too.
TEST(CudaTileReduction, MinAndMaxKeepTheOrderOfAllFloats) {
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
    EXPECT_TRUE(cuda_tiles_match(options, {}, source.view()));
  }
}

TEST(CudaTileReduction, PlansCountTheBytesOfTheFormats) {
  auto tiles = cuda::TileReduction::create(test_cuda_device(), {.size = {65, 64},
                                                                .slices = 2,
                                                                .source = Format::kRGB8Unorm,
                                                                .target = Format::kRGB32Sfloat,
                                                                .reduction = Reduction::kMean});
  ASSERT_TRUE(tiles) << tiles.error().text();
  EXPECT_EQ(tiles->plan().size, (Extent{5, 4}));
  EXPECT_EQ(tiles->plan().bytes_read, 2U * 65 * 64 * 3);
  EXPECT_EQ(tiles->plan().bytes_written, 2U * 5 * 4 * 12);
  EXPECT_EQ(tiles->options().source, Format::kRGB8Unorm);
  EXPECT_EQ(tiles->dispatch_plan().groups[2], 2U);
}

TEST(CudaTileReduction, SaysWhatIsWrong) {
  const auto message = [](const TileReductionOptions& options, const cuda::ImageMemory& memory = {}) {
    auto tiles = cuda::TileReduction::create(test_cuda_device(), options, memory);
    return tiles ? std::string("fine") : tiles.error().message;
  };
  TileReductionOptions options = one_channel({64, 64}, Reduction::kMin, 5);
  EXPECT_EQ(message(options), "factor: 5 is not one of 2, 4, 8, 16, 32 and 64");
  options.factor = 4;
  EXPECT_EQ(message(options), "fine");
  options.samples = 4;
  EXPECT_EQ(message(options), "samples: 4, but images in linear memory have one");
  options.samples = 1;
  options.slices = 65536;
  EXPECT_EQ(message(options), "slices: 65536 exceed 65535, the most blocks of a launch");
  options.slices = 1;
  options.target = Format::kRG32Sfloat;
  EXPECT_EQ(message(options), plan_tile_reduction(options).error().message);
  EXPECT_EQ(
      message({.size = {8, 8}, .source = Format::kBGRA8Unorm, .target = Format::kBGRA8Unorm}, {.source = kPlanar}),
      "source: b8g8r8a8_unorm cannot be planar");

  auto tiles = cuda::TileReduction::create(test_cuda_device(), one_channel({64, 64}, Reduction::kMin, 4));
  ASSERT_TRUE(tiles);
  auto* const data = reinterpret_cast<void*>(uintptr_t{4096});
  const auto bound = [&](const cuda::TileReductionImages& images) {
    auto binding = tiles->bind(images);
    return binding ? std::string("fine") : binding.error().message;
  };
  EXPECT_EQ(bound({.source = {data, 256}, .target = {data, 64}}), "fine");
  EXPECT_EQ(bound({.source = {nullptr, 256}, .target = {data, 64}}), "source.data: null");
  EXPECT_EQ(bound({.source = {data, 252}, .target = {data, 64}}), "source.row_stride: 252 is below 256");
  EXPECT_EQ(bound({.source = {data, 256}, .target = {data, 66}}), "target.row_stride: 66 is not a multiple of 4");
}

TEST(CudaTileReduction, RecordOnlyLaunches) {
  if (on_cuda_device()) return;  // counts calls of the driver that runs on the host
  FakeDriver& fake = FakeDriver::get();
  auto tiles = cuda::TileReduction::create(test_cuda_device(), one_channel({33, 17}, Reduction::kMax, 16));
  ASSERT_TRUE(tiles);
  std::vector<float> fine(33 * 17), coarse(3 * 2);
  fake.calls.clear();
  auto binding = tiles->bind({.source = {fine.data(), 33 * 4}, .target = {coarse.data(), 3 * 4}});
  ASSERT_TRUE(binding);
  EXPECT_TRUE(fake.calls.empty());
  fake.streams.clear();
  auto* const stream = reinterpret_cast<cuda::Stream>(uintptr_t{0x77});
  ASSERT_TRUE(tiles->record(stream, *binding));
  EXPECT_EQ(fake.calls,
            (std::map<std::string, int>{{"cuCtxPushCurrent", 1}, {"cuCtxPopCurrent", 1}, {"cuLaunchKernel", 1}}));
  EXPECT_EQ(fake.streams, std::vector<cuda::Stream>{stream});
  fake.failures["cuLaunchKernel"] = 719;
  auto failed = tiles->record(stream, *binding);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().text(), "host: cuLaunchKernel: CUDA_ERROR_OF_A_TEST (719)");
}

}  // namespace
}  // namespace onepass::testing
