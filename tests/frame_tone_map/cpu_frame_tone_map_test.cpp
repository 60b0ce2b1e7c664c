// cpu_frame_tone_map_test.cpp: FrameToneMap on the CPU is bit-equal to a Meter followed by a ToneMap.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

#include "onepass/frame_tone_map.hpp"
#include "tests/cpu/simd_targets.hpp"
#include "tests/luminance/luminance_oracle.hpp"
#include "tests/pyramid/pyramid_testing.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

FrameToneMapOptions options_of(Extent size, uint32_t slices, Format source, Format target) {
  FrameToneMapOptions options;
  options.meter = {.size = size, .slices = slices, .source = source};
  options.tone = {.size = size, .slices = slices, .source = source, .target = target};
  return options;
}

TEST(CpuFrameToneMap, HasTheBitsOfMeterAndToneMap) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  const SevenThreads allow;
  const std::pair<Format, Format> formats[] = {
      {Format::kRGBA16Sfloat, Format::kRGBA8Srgb}, {Format::kRGBA32Sfloat, Format::kRGBA16Sfloat},
      {Format::kR8Unorm, Format::kRGBA8Srgb},      {Format::kR8Srgb, Format::kR8Srgb},
      {Format::kRG16Sfloat, Format::kRG16Unorm},   {Format::kB10G11R11Ufloat, Format::kA2B10G10R10Unorm}};
  for (int i = 0; i < (full_run() ? 300 : 25); ++i) {
    const auto [source_format, target_format] = formats[i % 6];
    // Some images are higher than a band of rows.
    auto options = options_of({1 + random.below(700), 1 + random.below(i % 4 == 0 ? 300 : 40)}, 1 + random.below(3),
                              source_format, target_format);
    const Extent size = options.meter.size;
    if (random.below(2) == 0) {
      Rect rect{random.below(size.width), random.below(size.height), 0, 0};
      rect.width = 1 + random.below(size.width - rect.x);
      rect.height = 1 + random.below(size.height - rect.y);
      options.meter.rect = rect;
    }
    options.meter.metering = static_cast<Metering>(random.below(4));
    const bool masked = options.meter.metering == Metering::kMask;
    if (masked) options.meter.mask = Format::kR8Unorm;
    options.tone.exposure = 0.7F;
    PaddedImage mask(Format::kR8Unorm, size, 1, 4, 0);
    fill_random(mask.view(), random);
    const ImageView mask_view = masked ? ImageView(mask.view()) : ImageView{};

    auto frames = cpu::FrameToneMap::create(options, {.threads = 1 + random.below(7)});
    ASSERT_TRUE(frames) << frames.error().text();
    auto meter = cpu::Meter::create(options.meter);
    ToneMapOptions one = options.tone;
    one.slices = 1;
    auto map_one = cpu::ToneMap::create(one);
    ASSERT_TRUE(meter && map_one);
    std::vector<MeterResult> state(options.meter.slices), expected_state(options.meter.slices);
    for (int frame = 0; frame < 3; ++frame) {
      PaddedImage source(source_format, size, options.meter.slices, 16, 32);
      fill_scene(source.view(), random);
      PaddedImage actual(target_format, size, options.meter.slices, 4, 8);
      PaddedImage expected(target_format, size, options.meter.slices, 4, 8);
      for (uint32_t slice = 0; slice < options.meter.slices; ++slice) {
        ImageView from = source.view();
        MutableImageView to = expected.view();
        from.data = from.row(0, slice);
        to.data = to.row(0, slice);
        from.slices = to.slices = 1;
        ASSERT_TRUE(map_one->apply(from, to, expected_state[slice].exposure));
      }
      const MeterFrame time{.seconds = 0.1F, .cut = frame == 0};
      ASSERT_TRUE(meter->measure(source.view(), expected_state, time, mask_view));
      auto done = frames->apply(source.view(), actual.view(), state, time, mask_view);
      ASSERT_TRUE(done) << done.error().text();
      ASSERT_FALSE(actual.gaps_touched());
      ASSERT_EQ(actual.bytes().size(), expected.bytes().size());
      ASSERT_EQ(std::memcmp(actual.bytes().data(), expected.bytes().data(), actual.bytes().size()), 0)
          << describe(options.meter) << " seed " << seed << " run " << i << " frame " << frame;
      ASSERT_EQ(std::memcmp(static_cast<void*>(state.data()), static_cast<void*>(expected_state.data()),
                            state.size() * sizeof(MeterResult)),
                0)
          << describe(options.meter) << " seed " << seed << " run " << i << " frame " << frame;
    }
  }
}

TEST(CpuFrameToneMap, PlansBytes) {
  auto options = options_of({100, 50}, 2, Format::kRGBA16Sfloat, Format::kRGBA8Srgb);
  options.meter.rect = {10, 10, 20, 30};
  auto plan = plan_frame_tone_map(options);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->bytes_read, uint64_t{100} * 50 * 2 * 8) << "once, not once for the meter and once for the map";
  EXPECT_EQ(plan->bytes_written, uint64_t{100} * 50 * 2 * 4 + 2 * 2192);
  options.meter.metering = Metering::kMask;
  options.meter.mask = Format::kR8Unorm;
  EXPECT_EQ(plan_frame_tone_map(options)->bytes_read, uint64_t{100} * 50 * 2 * 8 + 20 * 30 * 2);
}

TEST(CpuFrameToneMap, SaysWhatIsWrong) {
  const auto good = options_of({64, 32}, 1, Format::kRGBA16Sfloat, Format::kRGBA8Srgb);
  const auto message = [](const FrameToneMapOptions& options) {
    const auto plan = plan_frame_tone_map(options);
    return plan ? std::string("fine") : plan.error().message;
  };
  auto bad = good;
  bad.tone.size = {32, 64};
  EXPECT_EQ(message(bad), "size: the meter's is 64x32, the tone map's 32x64");
  bad = good;
  bad.meter.slices = 2;
  EXPECT_EQ(message(bad), "slices: the meter's is 2, the tone map's 1");
  bad = good;
  bad.meter.source = Format::kR8Unorm;
  EXPECT_EQ(message(bad), "source: the meter's is r8_unorm, the tone map's r16g16b16a16_sfloat");
  bad = good;
  bad.meter.key = 0;
  EXPECT_NE(message(bad).find("key: 0"), std::string::npos);
  bad = good;
  bad.tone.exposure = -1;
  EXPECT_NE(message(bad).find("exposure: -1"), std::string::npos);

  auto frames = cpu::FrameToneMap::create(good);
  ASSERT_TRUE(frames);
  PaddedImage source(Format::kRGBA16Sfloat, {64, 32}), target(Format::kRGBA8Srgb, {64, 32});
  std::vector<MeterResult> state(1), none;
  EXPECT_TRUE(frames->apply(source.view(), target.view(), state));
  EXPECT_NE(frames->apply(source.view(), target.view(), none).error().message.find("results: 0"), std::string::npos);
  EXPECT_EQ(frames->apply(target.view(), target.view(), state).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(frames->apply(source.view(), source.view(), state).error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(
      frames->apply(source.view(), target.view(), state, {.seconds = -1, .cut = false}).error().message.find("seconds"),
      std::string::npos);
}

}  // namespace
}  // namespace onepass::testing
