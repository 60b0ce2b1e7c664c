// fourier_plan_test.cpp: plans of transforms (bytes, indices, factors), smooth lengths, and the text of every error.
#include <gtest/gtest.h>

#include "fourier/dispatch_plan.hpp"
#include "onepass/fourier.hpp"

namespace onepass::testing {
namespace {

TransformOptions good() { return {.size = {640, 480}, .source = Format::kRGBA8Unorm}; }

TEST(TransformPlan, RealSignalsKeepHalfASpectrum) {
  TransformOptions options = good();
  options.slices = 2;
  auto plan = plan_transform(options);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->options.target, Format::kRGBA8Unorm);
  EXPECT_EQ(plan->options.channels, 4U);
  EXPECT_EQ(plan->spectrum_size, (Extent{321, 480}));
  EXPECT_EQ(plan->spectrum_channels, 4U);
  const uint64_t pixels = uint64_t{640} * 480 * 2;
  const uint64_t spectrum = uint64_t{321} * 480 * 4 * 8 * 2;
  EXPECT_EQ(plan->spectrum_bytes, spectrum);
  EXPECT_EQ(plan->forward, (Traffic{pixels * 4 + spectrum, 2 * spectrum}));
  EXPECT_EQ(plan->inverse, (Traffic{2 * spectrum, spectrum + pixels * 4}));
  EXPECT_EQ(plan->index(3, 5, 2, 1), ((uint64_t{480} + 5) * 321 + 3) * 4 + 2);
  options.order = SpectrumOrder::kColumns;
  options.size = {7, 4};
  plan = plan_transform(options);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->spectrum_size, (Extent{4, 4}));
  EXPECT_EQ(plan->index(3, 2, 1, 1), ((uint64_t{4} + 3) * 4 + 2) * 4 + 1);
}

TEST(TransformPlan, PaddingIsNeitherReadNorWritten) {
  const auto plan = plan_transform({.size = {100, 60},
                                    .signal = Signal::kComplex,
                                    .source = Format::kRG32Sfloat,
                                    .target = Format::kRG16Sfloat,
                                    .crop = {0, 0, 50, 20},
                                    .result = {10, 10, 30, 40},
                                    .precision = SpectrumPrecision::kHalf});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->spectrum_bytes, 100U * 60 * 4);
  EXPECT_EQ(plan->forward, (Traffic{50 * 20 * 8 + 100 * 20 * 4, 100 * 20 * 4 + 100 * 60 * 4}));
  EXPECT_EQ(plan->inverse, (Traffic{100 * 60 * 4 + 100 * 40 * 4, 100 * 40 * 4 + 30 * 40 * 4}));
}

TEST(TransformPlan, FactorsFollowTheNorm) {
  TransformOptions options = good();
  options.size = {32, 8};
  const auto factors = [&](Norm norm) {
    options.norm = norm;
    const auto plan = plan_transform(options);
    EXPECT_TRUE(plan);
    return std::pair(plan->forward_factor, plan->inverse_factor);
  };
  EXPECT_EQ(factors(Norm::kBackward), std::pair(1.0, 1.0 / 256));
  EXPECT_EQ(factors(Norm::kOrtho), std::pair(1.0 / 16, 1.0 / 16));
  EXPECT_EQ(factors(Norm::kForward), std::pair(1.0 / 256, 1.0));
  EXPECT_EQ(factors(Norm::kNone), std::pair(1.0, 1.0));
  options.precision = SpectrumPrecision::kHalf;
  options.peak = 4;
  EXPECT_EQ(factors(Norm::kBackward), std::pair(1.0 / 64, 4.0 / 16));
  const auto plan = plan_transform(options);
  EXPECT_EQ(plan->half_scale, 1.0 / 64);
}

TEST(TransformPlan, SaysWhatIsWrong) {
  const auto message = [](auto change) {
    TransformOptions options = good();
    change(options);
    const auto plan = plan_transform(options);
    const auto made = cpu::Transform::create(options);
    EXPECT_EQ(plan.ok(), made.ok());
    if (!plan) {
      EXPECT_EQ(plan.error().message, made.error().message);
      EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
    }
    return plan ? std::string("fine") : plan.error().message;
  };
  using O = TransformOptions;
  EXPECT_EQ(message([](O&) {}), "fine");
  EXPECT_EQ(message([](O& o) { o.size = {0, 5}; }), "size: 0x5 is not within 1 and 65535");
  EXPECT_EQ(message([](O& o) { o.size = {5, 65536}; }), "size: 5x65536 is not within 1 and 65535");
  EXPECT_EQ(message([](O& o) { o.slices = 0; }), "slices: 0");
  EXPECT_EQ(message([](O& o) {
              o.size = {65535, 65535};
              o.slices = UINT32_MAX;
            }),
            "slices: 4294967295 of 65535x65535 are too many");
  EXPECT_EQ(message([](O& o) { o.source = Format::kUndefined; }), "source: no such format");
  EXPECT_EQ(message([](O& o) { o.target = static_cast<Format>(1); }), "target: no such format");
  EXPECT_EQ(message([](O& o) { o.target = Format::kD32Sfloat; }), "target: d32_sfloat is a source only");
  EXPECT_EQ(message([](O& o) { o.channels = 5; }), "channels: 5, but r8g8b8a8_unorm has 4");
  EXPECT_EQ(message([](O& o) {
              o.channels = 2;
              o.target = Format::kR8Unorm;
            }),
            "channels: 2, but r8_unorm has 1");
  EXPECT_EQ(message([](O& o) { o.signal = static_cast<Signal>(2); }), "signal: 2 is not an enumerator");
  EXPECT_EQ(message([](O& o) { o.norm = static_cast<Norm>(4); }), "norm: 4 is not an enumerator");
  EXPECT_EQ(message([](O& o) { o.order = static_cast<SpectrumOrder>(2); }), "order: 2 is not an enumerator");
  EXPECT_EQ(message([](O& o) { o.origin = static_cast<SpectrumOrigin>(9); }), "origin: 9 is not an enumerator");
  EXPECT_EQ(message([](O& o) { o.precision = static_cast<SpectrumPrecision>(2); }),
            "precision: 2 is not an enumerator");
  EXPECT_EQ(message([](O& o) { o.boundary = static_cast<Boundary>(4); }), "boundary: 4 is not an enumerator");
  EXPECT_EQ(message([](O& o) { o.signal = Signal::kComplex; }), "signal: complex needs formats of signed floats");
  EXPECT_EQ(message([](O& o) {
              o.signal = Signal::kComplex;
              o.channels = 3;
            }),
            "channels: 3, but complex signals take pairs: 2 or 4");
  EXPECT_EQ(message([](O& o) { o.crop = {0, 0, 641, 5}; }), "crop: 0,0 641x5 does not fit the size of 640x480");
  EXPECT_EQ(message([](O& o) { o.crop = {0, 0, 0, 5}; }), "crop: 0,0 0x5 does not fit the size of 640x480");
  EXPECT_EQ(message([](O& o) { o.crop = {65536, 0, 5, 5}; }), "crop: 65536,0 5x5 leaves every image");
  EXPECT_EQ(message([](O& o) { o.placement = {-641, 0}; }), "placement: -641,0 is farther than the size");
  EXPECT_EQ(message([](O& o) { o.result = {600, 0, 41, 480}; }), "result: 600,0 41x480 leaves the size of 640x480");
  EXPECT_EQ(message([](O& o) {
              o.precision = SpectrumPrecision::kHalf;
              o.norm = Norm::kNone;
            }),
            "norm: none would overflow in half precision");
  EXPECT_EQ(message([](O& o) {
              o.precision = SpectrumPrecision::kHalf;
              o.peak = -1;
            }),
            "peak: -1 is not positive");
}

TEST(TransformPlan, NextSmoothSize) {
  EXPECT_EQ(next_smooth_size(0), 1U);
  for (uint32_t n = 1, previous = 1; n <= 3000; ++n) {
    const uint32_t smooth = next_smooth_size(n);
    uint32_t rest = smooth;
    for (uint32_t factor = 2; factor <= 7; ++factor) {
      while (rest % factor == 0) rest /= factor;
    }
    EXPECT_EQ(rest, 1U) << n;
    EXPECT_GE(smooth, n);
    EXPECT_TRUE(smooth == previous || n == previous + 1) << n;  // no smooth size is skipped
    previous = smooth;
  }
  EXPECT_EQ(next_smooth_size(11), 12U);
  EXPECT_EQ(next_smooth_size(4097), 4116U);
}

TEST(TransformPlan, Frequencies) {
  EXPECT_EQ(frequency(0, 8), 0);
  EXPECT_EQ(frequency(4, 8), 0.5);
  EXPECT_EQ(frequency(5, 8), -0.375);
  EXPECT_EQ(frequency(3, 7), 3.0 / 7);
  EXPECT_EQ(frequency(4, 7), -3.0 / 7);
}

TEST(TransformPlan, SmallImagesHaveSmallWorkgroupsAndInvocations) {
  const auto stage = [](uint32_t side, uint32_t slices) {
    const auto plan = plan_transform({.size = {side, side}, .slices = slices, .source = Format::kRGBA32Sfloat});
    EXPECT_TRUE(plan);
    return fourier::plan_stage(*plan, {}, {}, {.invocations = 1024, .shared_bytes = 49152});
  };
  const auto invocations = [&](uint32_t side, uint32_t slices) {
    const auto layout = stage(side, slices);
    return layout.plan.lanes * layout.plan.lines;
  };
  const auto values = [&](uint32_t side, uint32_t slices) { return side / stage(side, slices).plan.lanes; };
  EXPECT_EQ(values(64, 1), 4U);
  EXPECT_EQ(values(256, 1), 4U);
  EXPECT_EQ(values(256, 4), 8U);
  EXPECT_EQ(values(256, 8), 16U);
  EXPECT_EQ(values(512, 1), 8U);
  EXPECT_EQ(values(1024, 1), 16U);
  EXPECT_EQ(invocations(64, 1), 64U);
  EXPECT_EQ(invocations(256, 1), 128U);  // two rows of 64, whose values fill a memory sector
  EXPECT_EQ(invocations(256, 4), 128U);  // 256 workgroups
  EXPECT_EQ(invocations(256, 8), 128U);
  EXPECT_EQ(invocations(1024, 1), 128U);
  for (const uint32_t side : {64U, 256U, 512U}) {
    EXPECT_TRUE(stage(side, 1).lines[0].whole) << side;
    EXPECT_EQ(stage(side, 1).plan.shared_bytes, 16 * stage(side, 1).lines[0].shared_floats) << side;
  }
  EXPECT_FALSE(stage(1024, 1).lines[0].whole);
  const auto radices = [&](uint32_t side) { return stage(side, 1).lines[0].radices; };
  // Lengths with a factor above the values have more of them: 5 and 7 need 8, 11 a convolution, whose length is chosen.
  EXPECT_EQ(radices(60), (std::array<uint32_t, 5>{5, 3, 4, 1, 1}));
  EXPECT_EQ(radices(14), (std::array<uint32_t, 5>{7, 2, 1, 1, 1}));
  EXPECT_EQ(radices(22), (std::array<uint32_t, 5>{3, 4, 4, 1, 1}));
}

// Bytes moved by the classic shader implementations at 512x256.
TEST(TransformPlan, ClassicTraffic) {
  const Extent size = {512, 256};
  EXPECT_EQ(classic_ping_pong_traffic(size, Axis::kX), (Traffic{75497472, 37748736}));
  EXPECT_EQ(classic_shared_memory_traffic(size), (Traffic{4194304, 4194304}));
  EXPECT_EQ(classic_shared_memory_traffic(size, false).bytes_read, 2097152U);
  EXPECT_EQ(classic_table_traffic(size, Axis::kX), (Traffic{18874368, 0}));
  EXPECT_EQ(classic_ping_pong_traffic(size, Axis::kY), (Traffic{67108864, 33554432}));
}

}  // namespace
}  // namespace onepass::testing
