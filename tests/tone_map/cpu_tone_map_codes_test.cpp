// cpu_tone_map_codes_test.cpp: large fp16 images are mapped by a lookup table of quantised values. Results must be
// bit-equal to those of single rows, which are too small for a table.
#include <array>
#include <cstring>
#include <limits>

#include "onepass/frame_tone_map.hpp"
#include "tbb/global_control.h"
#include "tests/cpu/simd_targets.hpp"
#include "tests/tone_map/tone_map_oracle.hpp"
#include "tone_map/code_table.hpp"

namespace onepass::testing {
namespace {

// The smallest image that two threads map by a table; large enough to contain every half.
constexpr uint32_t kWidth = 512;
constexpr uint32_t kRows = 2 * tone_map::CodeTable::kLeastTexels / kWidth;
static_assert(tone_map::CodeTable::kLeastTexels % kWidth == 0 && kRows * kWidth >= 65536);

ToneMapOptions halves(ToneOperator tone_operator, Format target, Transfer transfer) {
  return {.size = {kWidth, kRows},
          .source = Format::kRGBA16Sfloat,
          .target = target,
          .tone_operator = tone_operator,
          .transfer = transfer};
}

/// Each channel takes every fp16 bit pattern, combined with different values of the other channels.
PaddedImage every_half(Extent size, uint32_t slices = 1) {
  PaddedImage image(Format::kRGBA16Sfloat, size, slices, 24, 40);
  uint32_t i = 0;
  for (uint32_t slice = 0; slice < slices; ++slice) {
    for (uint32_t y = 0; y < size.height; ++y) {
      for (uint32_t x = 0; x < size.width; ++x, ++i) {
        const uint16_t texel[4] = {static_cast<uint16_t>(i), static_cast<uint16_t>(i * 40503 + 7),
                                   static_cast<uint16_t>(i * 25173 + 13849), static_cast<uint16_t>(i * 4093 + 1)};
        std::memcpy(image.view().row(y, slice) + size_t{x} * 8, texel, 8);
      }
    }
  }
  return image;
}

PaddedImage map_whole(const ToneMapOptions& options, const PaddedImage& source, float exposure, uint32_t threads = 2) {
  PaddedImage target(options.target, options.size, options.slices, 12, 20);
  auto map = cpu::ToneMap::create(options, {.threads = threads});
  EXPECT_TRUE(map.ok() && map->apply(source.view(), target.view(), exposure).ok()) << describe(options);
  EXPECT_FALSE(target.gaps_touched()) << describe(options);
  return target;
}

/// Reference: maps row by row; no row is long enough for a table.
PaddedImage map_rows(ToneMapOptions options, const PaddedImage& source, const std::vector<float>& exposures) {
  PaddedImage target(options.target, options.size, options.slices, 12, 20);
  const uint32_t height = options.size.height;
  options.size.height = options.slices = 1;
  auto map = cpu::ToneMap::create(options);
  EXPECT_TRUE(map.ok()) << describe(options);
  for (uint32_t row = 0; row < height * exposures.size(); ++row) {
    ImageView from = source.view();
    MutableImageView to = target.view();
    from.data = from.row(row % height, row / height);
    to.data = to.row(row % height, row / height);
    from.slices = to.slices = from.size.height = to.size.height = 1;
    EXPECT_TRUE(map->apply(from, to, exposures[row / height]).ok()) << describe(options);
  }
  return target;
}

TEST(CpuToneMapCodes, EveryHalfInEveryChannel) {
  struct Case {
    Format target;
    Transfer transfer;
  };
  const Case cases[] = {{Format::kRGBA8Srgb, Transfer::kSrgb},
                        {Format::kRGBA8Unorm, Transfer::kLinear},
                        {Format::kRGBA8Unorm, Transfer::kHlg},
                        {Format::kA2B10G10R10Unorm, Transfer::kPq},
                        {Format::kA2B10G10R10Unorm, Transfer::kGamma}};
  const float exposures[] = {1.0F, 0.18F, 37.5F, 3e38F, 1e-38F, std::numeric_limits<float>::quiet_NaN()};
  const PaddedImage source = every_half({kWidth, kRows});
  size_t i = 0;
  for (const ToneOperator tone_operator : kAllOperators) {
    for (const Case& one : cases) {
      const ToneMapOptions options = halves(tone_operator, one.target, one.transfer);
      const float exposure = exposures[i++ % std::size(exposures)];
      EXPECT_EQ(map_whole(options, source, exposure).bytes(), map_rows(options, source, {exposure}).bytes())
          << describe(options) << " " << exposure;
    }
  }
}

TEST(CpuToneMapCodes, EverySimdTargetAndThreadCount) {
  const tbb::global_control more_threads_than_cores(tbb::global_control::max_allowed_parallelism, 7);
  const Extent size{kWidth, 4 * kRows};
  const PaddedImage source = every_half(size);
  for (const Format target : {Format::kRGBA8Srgb, Format::kA2B10G10R10Unorm}) {
    ToneMapOptions options = halves(ToneOperator::kHable, target, Transfer::kSrgb);
    options.size = size;
    const PaddedImage expected = map_rows(options, source, {0.7F});
    EXPECT_EQ(map_whole(options, source, 0.7F, 1).bytes(), expected.bytes());
    EXPECT_EQ(map_whole(options, source, 0.7F, 7).bytes(), expected.bytes());
    for (const size_t simd : machine_targets()) {
      const OnlyTarget only(simd);
      EXPECT_EQ(map_whole(options, source, 0.7F).bytes(), expected.bytes()) << name_of_target(simd);
    }
  }
}

TEST(CpuToneMapCodes, SizesAroundTheLeast) {
  const Extent sizes[] = {{kWidth, kRows - 1}, {kWidth, kRows}, {kWidth - 1, kRows}, {kWidth + 1, kRows},
                          {1, 65535},          {3, 65535},      {65535, 3}};
  for (const Extent size : sizes) {
    const PaddedImage source = every_half(size);
    for (const Format target : {Format::kRGBA8Srgb, Format::kA2B10G10R10Unorm}) {
      ToneMapOptions options = halves(ToneOperator::kAcesNarkowicz, target, Transfer::kSrgb);
      options.size = size;
      EXPECT_EQ(map_whole(options, source, 2).bytes(), map_rows(options, source, {2}).bytes()) << describe(options);
    }
  }
}

// A table is valid for one exposure only.
TEST(CpuToneMapCodes, ExposuresOneAfterTheOther) {
  const PaddedImage source = every_half({kWidth, kRows});
  const ToneMapOptions options = halves(ToneOperator::kReinhard, Format::kRGBA8Srgb, Transfer::kSrgb);
  auto map = cpu::ToneMap::create(options);
  ASSERT_TRUE(map);
  for (const float exposure : {1.0F, 1.0F, 0.5F, 0.0F, 0.5F, 8.0F, 1.0F}) {
    PaddedImage target(options.target, options.size, 1, 12, 20);
    ASSERT_TRUE(map->apply(source.view(), target.view(), exposure));
    EXPECT_EQ(target.bytes(), map_rows(options, source, {exposure}).bytes()) << exposure;
  }
}

TEST(CpuToneMapCodes, UnalignedTargets) {
  const PaddedImage source = every_half({kWidth, kRows});
  const ToneMapOptions options = halves(ToneOperator::kLottes, Format::kRGBA8Srgb, Transfer::kSrgb);
  const PaddedImage expected = map_rows(options, source, {1});
  auto map = cpu::ToneMap::create(options);
  ASSERT_TRUE(map);
  for (const size_t offset : {1U, 4U}) {
    const size_t pitch = kWidth * 4 + 3;
    std::vector<std::byte> bytes(pitch * kRows + offset);
    const MutableImageView view{bytes.data() + offset, options.target, options.size, 1, pitch, 0};
    ASSERT_TRUE(map->apply(source.view(), view));
    for (uint32_t y = 0; y < kRows; ++y) {
      ASSERT_EQ(std::memcmp(view.row(y), expected.view().row(y), kWidth * 4), 0) << y;
    }
  }
}

// FrameToneMap has one exposure per slice, and so one table per slice.
TEST(CpuToneMapCodes, SlicesOfFrames) {
  constexpr uint32_t kSlices = 3;
  const PaddedImage source = every_half({kWidth, kRows}, kSlices);
  FrameToneMapOptions options;
  options.tone = halves(ToneOperator::kUchimura, Format::kRGBA8Srgb, Transfer::kSrgb);
  options.tone.slices = kSlices;
  options.meter = {.size = options.tone.size, .slices = kSlices, .source = options.tone.source};
  options.meter.rect = {0, 30, kWidth, 100};
  for (const uint32_t threads : {1U, 2U}) {
    auto frames = cpu::FrameToneMap::create(options, {.threads = threads});
    ASSERT_TRUE(frames);
    std::vector<MeterResult> state(kSlices);
    for (int frame = 0; frame < 2; ++frame) {
      std::vector<float> exposures;
      for (uint32_t slice = 0; slice < kSlices; ++slice) {
        if (frame == 0) state[slice].exposure = 0.25F * static_cast<float>(1 + slice);
        exposures.push_back(state[slice].exposure);
      }
      PaddedImage target(options.tone.target, options.tone.size, kSlices, 12, 20);
      ASSERT_TRUE(frames->apply(source.view(), target.view(), state));
      EXPECT_EQ(target.bytes(), map_rows(options.tone, source, exposures).bytes()) << threads << " " << frame;
    }
  }
}

}  // namespace
}  // namespace onepass::testing
