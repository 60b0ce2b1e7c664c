// cpu_bloom_test.cpp: bloom on the CPU engine against its definition in double; plans, kernels and errors.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/bloom/bloom_oracle.hpp"
#include "tests/cpu/simd_targets.hpp"

namespace fourier_ops_test {
namespace {

using namespace onepass;
using onepass::testing::on_every_simd_target;
using onepass::testing::SevenThreads;

constexpr Extent kSizes[] = {{1, 1}, {2, 1}, {13, 9}, {24, 17}, {31, 40}};

Image apply(const BloomOptions& options, const Image* kernel, const Image& source, uint32_t threads = 0) {
  auto bloom = cpu::Bloom::create(options, {.threads = threads});
  EXPECT_TRUE(bloom) << (bloom ? "" : bloom.error().text());
  if (!bloom) return {};
  const BloomOptions& o = bloom->plan().options;
  auto target = Image::create(o.target, o.size, o.slices);
  Result<void> done;
  if (kernel != nullptr) done = bloom->set_kernel(kernel->view());
  // Twice, so that state from the first call would show.
  for (int i = 0; i < 2 && done; ++i) done = bloom->apply(source.view(), target->view());
  EXPECT_TRUE(done) << (done ? "" : done.error().text());
  return std::move(*target);
}

Image run(const BloomOptions& options, const Image* kernel, const Image& source) {
  return apply(options, kernel, source);
}

// A sum of light, which a large image needs in double.
double light_of(const Image& image, uint32_t c) {
  double sum = 0;
  for (const double v : plane_of(image, c).v) sum += v;
  return sum;
}

// A few bright texels on a dark ground.
Image lamps(Extent size, Format format, float light = 50) {
  std::mt19937 random(3);
  std::vector<Plane> planes;
  for (uint32_t c = 0; c < format_info(format).channels; ++c) {
    Plane plane = noise(static_cast<int>(size.width), static_cast<int>(size.height), random, 0, 0.1);
    for (size_t i = 0; i < plane.v.size(); i += 97) plane.v[i] = light;
    planes.push_back(std::move(plane));
  }
  return image_of(planes, format);
}

TEST(Bloom, MatchesTheDefinition) {
  uint32_t seed = 1;
  for (const Extent size : kSizes) {
    for (const uint32_t channels : {1U, 2U, 4U}) {
      for (const BloomOptions& options : bloom_cases(size, channels)) check_bloom(run, options, seed++, 1e-6);
    }
  }
}

TEST(Bloom, SlicesAreSeparate) {
  for (BloomOptions options : bloom_cases({15, 11}, 4)) {
    options.slices = 3;
    check_bloom(run, options, 5, 1e-6);
  }
}

TEST(Bloom, ThreadsAndSimdTargetsChangeNoBit) {
  const Image source = lamps({150, 90}, Format::kRGBA16Sfloat);
  for (BloomOptions options : bloom_cases({150, 90}, 4)) {
    if (options.kernel != Format::kUndefined) continue;
    options.source = Format::kRGBA16Sfloat;
    options.target = Format::kRGBA32Sfloat;
    const Image expected = apply(options, nullptr, source, 1);
    const auto same = [&](const Image& made, const char* what) {
      EXPECT_EQ(std::memcmp(made.data(), expected.data(), expected.size_in_bytes()), 0)
          << describe(options) << ", " << what;
    };
    const SevenThreads seven;
    same(apply(options, nullptr, source, 2), "2 threads");
    same(apply(options, nullptr, source, 7), "7 threads");
    if (options.threshold == 0) continue;
    on_every_simd_target([&](const char* target) { same(apply(options, nullptr, source, 2), target); });
  }
}

TEST(Bloom, KeepsTheSumOfTheLight) {
  // Even sizes, so that the levels of the chain halve exactly.
  const Image source = lamps({128, 64}, Format::kRGBA32Sfloat);
  for (BloomOptions options : bloom_cases({128, 64}, 4)) {
    if (options.kernel != Format::kUndefined) continue;
    options.boundary = Boundary::kMirror;
    const Image made = run(options, nullptr, source);
    for (uint32_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(light_of(made, c) / light_of(source, c), 1, 1e-5) << describe(options);
    }
  }
}

TEST(Bloom, OddSizesKeepTheLightAlmost) {
  const Image source = lamps({127, 61}, Format::kRGBA32Sfloat);
  for (BloomOptions options : bloom_cases({127, 61}, 4)) {
    if (options.kernel != Format::kUndefined) continue;
    const Image made = run(options, nullptr, source);
    EXPECT_NEAR(light_of(made, 1) / light_of(source, 1), 1, 0.02) << describe(options);
  }
}

TEST(Bloom, NoScatterChangesNothing) {
  for (BloomOptions options : bloom_cases({33, 18}, 4)) {
    if (options.kernel != Format::kUndefined) continue;
    options.scatter = 0;
    const Image source = lamps({33, 18}, Format::kRGBA32Sfloat);
    const Image made = run(options, nullptr, source);
    EXPECT_EQ(std::memcmp(made.data(), source.data(), source.size_in_bytes()), 0) << describe(options);
  }
}

TEST(Bloom, LightBelowTheKneeStays) {
  for (BloomOptions options : bloom_cases({33, 18}, 4)) {
    if (options.kernel != Format::kUndefined) continue;
    options.threshold = 60;
    options.knee = 5;
    const Image source = lamps({33, 18}, Format::kRGBA32Sfloat);
    const Image made = run(options, nullptr, source);
    for (uint32_t c = 0; c < 4; ++c) {
      EXPECT_LE(difference(plane_of(made, c), plane_of(source, c)), 1e-6) << describe(options);
    }
  }
}

TEST(Bloom, NanAndInfDoNotSpread) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
  for (const Format format : {Format::kRGBA32Sfloat, Format::kRGBA16Sfloat}) {
    for (BloomOptions options : bloom_cases({16, 12}, 4)) {
      if (options.kernel != Format::kUndefined) continue;
      options.source = format;
      options.target = Format::kRGBA32Sfloat;
      Image source = lamps({16, 12}, format);
      std::vector<float> row(size_t{4} * 16);
      decode_row(format, source.view().row(5), 16, row.data());
      row[4 * 3 + 1] = kNan;
      row[4 * 9] = kInf;
      row[4 * 10 + 2] = -kInf;
      encode_row(format, row.data(), 16, source.view().row(5));
      const Image made = run(options, nullptr, source);
      const auto plan = plan_bloom(options);
      std::vector<Plane> planes, kernels;
      for (uint32_t c = 0; c < 3; ++c) planes.push_back(plane_of(source, c));
      if (options.method == BloomMethod::kConvolution) kernels = {plane_of(*make_bloom_kernel(*plan), 0)};
      const auto expected = bloom_of(planes, options, kernels, plan->levels);
      for (uint32_t c = 0; c < 3; ++c) {
        EXPECT_LE(difference(plane_of(made, c), expected[c]), 1e-6 * 65504) << describe(options) << ", colour " << c;
      }
    }
  }
}

TEST(Bloom, EveryFormatIsReadAndWritten) {
  for (const FormatInfo& info : all_formats()) {
    const Format format = info.format;
    for (const BloomResolution resolution : {BloomResolution::kFull, BloomResolution::kHalf}) {
      const BloomOptions floats_options{.size = {21, 14},
                                        .source = format,
                                        .target = info.channels == 1   ? Format::kR32Sfloat
                                                  : info.channels == 2 ? Format::kRG32Sfloat
                                                                       : Format::kRGBA32Sfloat,
                                        .resolution = resolution,
                                        .scatter = 0.5F,
                                        .threshold = 0.25F,
                                        .knee = 0.1F};
      const Image source = lamps({21, 14}, format, 1);
      const Image wide = run(floats_options, nullptr, source);
      // The same from the decoded texels.
      auto decoded = Image::create(floats_options.target, {21, 14});
      std::vector<float> row(size_t{4} * 21);
      for (uint32_t y = 0; y < 14; ++y) {
        decode_row(format, source.view().row(y), 21, row.data());
        encode_row(decoded->format(), row.data(), 21, decoded->view().row(y));
      }
      BloomOptions of_floats = floats_options;
      of_floats.source = floats_options.target;
      const Image expected = run(of_floats, nullptr, *decoded);
      for (uint32_t c = 0; c < info.channels; ++c) {
        EXPECT_LE(difference(plane_of(wide, c), plane_of(expected, c)), 2e-6) << info.name << " channel " << c;
      }
      if (info.depth) continue;
      BloomOptions back = floats_options;
      back.target = format;
      const Image narrow = run(back, nullptr, source);
      auto encoded = Image::create(format, {21, 14});
      for (uint32_t y = 0; y < 14; ++y) {
        decode_row(wide.format(), wide.view().row(y), 21, row.data());
        encode_row(format, row.data(), 21, encoded->view().row(y));
      }
      for (uint32_t c = 0; c < info.channels; ++c) {
        EXPECT_LE(difference(plane_of(narrow, c), plane_of(*encoded, c)), 0.02) << info.name << " channel " << c;
      }
    }
  }
}

TEST(Bloom, TheBuiltInKernelFollowsItsFormula) {
  const auto plan = plan_bloom({.size = {200, 100}, .source = Format::kRGBA16Sfloat, .kernel_width = 1});
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->kernel_size, (Extent{201, 201}));
  const auto kernel = make_bloom_kernel(*plan);
  ASSERT_TRUE(kernel);
  const Plane weights = plane_of(*kernel, 0);
  for (const int x : {20, 50, 80}) {
    const double degrees = x * 60.0 / 200 + 0.02;
    const double cut = 1 - x * x / (100.5 * 100.5);
    const double expected = (0.478 * 20.91 / std::pow(degrees, 3) + 0.138 * 72.37 / (degrees * degrees)) * cut * cut;
    EXPECT_NEAR(weights.at(100 + x, 100) / expected, 1, 1e-5) << x;
    EXPECT_NEAR(weights.at(100, 100 - x) / expected, 1, 1e-5) << x;
  }
  EXPECT_EQ(weights.at(0, 0), 0) << "beyond the rim";
  const auto rays =
      plan_bloom({.size = {200, 100}, .source = Format::kRGBA16Sfloat, .kernel_width = 1, .glare = {.rays = 4}});
  const Plane streaks = plane_of(*make_bloom_kernel(*rays), 0);
  EXPECT_NEAR(streaks.at(100, 50) / weights.at(100, 50), 12.25, 1e-3) << "upwards";
  EXPECT_NEAR(streaks.at(135, 65) / weights.at(135, 65), 0.25, 1e-3) << "between two streaks";
}

TEST(Bloom, KernelImagesAreRescaled) {
  BloomOptions options{.size = {90, 60},
                       .source = Format::kRGBA32Sfloat,
                       .kernel_width = 0.5F,
                       .kernel_size = {10, 20},
                       .kernel = Format::kRGBA32Sfloat};
  auto plan = plan_bloom(options);
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->kernel_size, (Extent{45, 91})) << "odd, with the aspect of the image";
  // A ramp stays a ramp, away from its ends.
  Plane ramp(10, 20);
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 10; ++x) ramp.at(x, y) = x + 3 * y;
  }
  const Image image = image_of({ramp, ramp, ramp, ramp}, options.kernel);
  const ImageView view = image.view();
  const auto kernel = make_bloom_kernel(*plan, &view);
  ASSERT_TRUE(kernel) << kernel.error().text();
  const Plane made = plane_of(*kernel, 1);
  for (const int y : {10, 45, 80}) {
    for (const int x : {5, 22, 39}) {
      EXPECT_NEAR(made.at(x, y), (x + 0.5) * 10 / 45 - 0.5 + 3 * ((y + 0.5) * 20 / 91 - 0.5), 1e-3) << x << "," << y;
    }
  }
  // Smaller: every texel of the kernel counts about as much.
  options.kernel_width = 5.0F / 90;
  plan = plan_bloom(options);
  EXPECT_EQ(plan->kernel_size, (Extent{5, 11}));
  const auto small = make_bloom_kernel(*plan, &view);
  double sum = 0;
  for (const double v : plane_of(*small, 0).v) sum += v;
  EXPECT_NEAR(sum / 55, 4.5 + 3 * 9.5, 0.01);
}

TEST(Bloom, PlanCountsBytes) {
  BloomOptions options{.size = {100, 80}, .source = Format::kRGBA16Sfloat};
  auto plan = plan_bloom(options);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->glow_size, options.size);
  EXPECT_EQ(plan->passes, 3U);
  ConvolutionOptions convolution{.size = options.size,
                                 .source = options.source,
                                 .kernel_size = {51, 51},
                                 .kernel = Format::kR32Sfloat,
                                 .boundary = Boundary::kMirror,
                                 .alpha = AlphaPolicy::kPass};
  EXPECT_EQ(plan->kernel_size, convolution.kernel_size);
  EXPECT_EQ(plan->traffic.bytes_read, plan_convolution(convolution)->traffic.bytes_read + 100 * 80 * 8)
      << "the image is read once more";
  EXPECT_EQ(plan->traffic.bytes_written, plan_convolution(convolution)->traffic.bytes_written);
  options.resolution = BloomResolution::kHalf;
  options.size = {99, 80};
  plan = plan_bloom(options);
  EXPECT_EQ(plan->glow_size, (Extent{50, 40}));
  EXPECT_EQ(plan->passes, 4U);
  options.method = BloomMethod::kMipChain;
  options.kernel_width = 1;
  plan = plan_bloom(options);
  ASSERT_EQ(plan->levels, 4U) << "the tents of the last level, 4 * 8 texels wide, fit 50";
  EXPECT_EQ(plan->passes, 6U);
  constexpr uint64_t kLevels[] = {50 * 40 * 16, 25 * 20 * 16, 12 * 10 * 16, 6 * 5 * 16};
  const uint64_t image = 99 * 80 * 8;
  EXPECT_EQ(plan->traffic.bytes_read,
            image + kLevels[0] + kLevels[0] + 2 * kLevels[1] + 2 * kLevels[2] + kLevels[3] + image + kLevels[0]);
  EXPECT_EQ(plan->traffic.bytes_written,
            kLevels[0] + kLevels[1] + kLevels[2] + kLevels[3] + kLevels[0] + kLevels[1] + kLevels[2] + image);
}

TEST(Bloom, SaysWhatIsWrong) {
  const BloomOptions good{.size = {40, 30}, .source = Format::kRGBA16Sfloat};
  const auto refused = [](const BloomOptions& options, const std::string& part) {
    const auto plan = plan_bloom(options);
    ASSERT_FALSE(plan) << part;
    EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(plan.error().text().find(part), std::string::npos) << plan.error().text();
    EXPECT_FALSE(cpu::Bloom::create(options));
  };
  const auto with = [&](const auto& change) {
    BloomOptions options = good;
    change(options);
    return options;
  };
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  refused(with([](BloomOptions& o) { o.size = {0, 3}; }), "size: 0x3");
  refused(with([](BloomOptions& o) { o.slices = 0; }), "slices: 0");
  refused(with([](BloomOptions& o) { o.source = Format::kUndefined; }), "source");
  refused(with([](BloomOptions& o) { o.target = Format::kD32Sfloat; }), "target");
  refused(with([](BloomOptions& o) { o.method = static_cast<BloomMethod>(2); }), "method");
  refused(with([](BloomOptions& o) { o.resolution = static_cast<BloomResolution>(2); }), "resolution");
  refused(with([](BloomOptions& o) { o.boundary = static_cast<Boundary>(4); }), "boundary");
  refused(with([](BloomOptions& o) { o.scatter = 1.5F; }), "scatter: 1.5");
  refused(with([](BloomOptions& o) { o.scatter = kNan; }), "scatter: nan");
  refused(with([](BloomOptions& o) { o.threshold = -1; }), "threshold: -1");
  refused(with([](BloomOptions& o) { o.knee = kNan; }), "knee: nan");
  refused(with([](BloomOptions& o) { o.kernel_width = 0; }), "kernel_width: 0");
  refused(with([](BloomOptions& o) { o.kernel_width = 5; }), "kernel_width: 5 is not within 0.0001 and 4");
  refused(with([](BloomOptions& o) { o.glare.field_of_view = 0; }), "glare.field_of_view: 0");
  refused(with([](BloomOptions& o) { o.glare.rays = 65; }), "glare.rays: 65");
  refused(with([](BloomOptions& o) { o.spread = 2; }), "spread: 2");
  refused(with([](BloomOptions& o) { o.kernel = Format::kR8Unorm; }), "kernel_size: 0x0");
  refused(with([](BloomOptions& o) { o.kernel_size = {3, 3}; }), "kernel: no such format");
  refused(with([](BloomOptions& o) { o.size = {60000, 4}, o.kernel_width = 1; }), "kernel_size");
  const BloomOptions chain = with([](BloomOptions& o) { o.method = BloomMethod::kMipChain; });
  BloomOptions wrong = chain;
  wrong.kernel_size = {3, 3};
  wrong.kernel = Format::kR8Unorm;
  refused(wrong, "kernel_size: 3x3");
  wrong = chain;
  wrong.boundary = Boundary::kZero;
  refused(wrong, "boundary");

  BloomOptions options = good;
  options.kernel_size = {3, 3};
  options.kernel = Format::kR32Sfloat;
  auto bloom = cpu::Bloom::create(options);
  ASSERT_TRUE(bloom);
  const Image source = lamps({40, 30}, good.source);
  auto target = Image::create(good.source, {40, 30});
  const auto fails = [](const Result<void>& done, ErrorCode code, const std::string& part) {
    ASSERT_FALSE(done) << part;
    EXPECT_EQ(done.error().code, code) << part;
    EXPECT_NE(done.error().text().find(part), std::string::npos) << done.error().text();
  };
  fails(bloom->apply(source.view(), target->view()), ErrorCode::kInvalidArgument, "no kernel is set");
  Plane weights(3, 3);
  fails(bloom->set_kernel(image_of({weights}, options.kernel).view()), ErrorCode::kBadData, "sum");
  weights.v[2] = kNan;
  fails(bloom->set_kernel(image_of({weights}, options.kernel).view()), ErrorCode::kBadData, "not finite");
  fails(bloom->set_kernel(image_of({Plane(4, 3)}, options.kernel).view()), ErrorCode::kInvalidArgument, "kernel");
  weights.v.assign(9, 1);
  EXPECT_TRUE(bloom->set_kernel(image_of({weights}, options.kernel).view()));
  EXPECT_TRUE(bloom->apply(source.view(), target->view()));
  auto small = Image::create(good.source, {39, 30});
  fails(bloom->apply(source.view(), small->view()), ErrorCode::kInvalidArgument, "target");
  fails(bloom->apply(small->view(), target->view()), ErrorCode::kInvalidArgument, "source");
  auto built_in = cpu::Bloom::create(good);
  fails(built_in->set_kernel(image_of({weights}, options.kernel).view()), ErrorCode::kInvalidArgument,
        "no kernel image");
}

}  // namespace
}  // namespace fourier_ops_test
