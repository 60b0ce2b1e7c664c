// cpu_convolution_test.cpp: convolutions against direct summation in double.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "onepass/fourier_convolution.hpp"
#include "tests/cpu/simd_targets.hpp"
#include "tests/fourier/fourier_ops_oracle.hpp"
#include "tests/support/test_seed.hpp"

namespace fourier_ops_test {
namespace {

using namespace onepass;

constexpr Boundary kBoundaries[] = {Boundary::kZero, Boundary::kWrap, Boundary::kClamp, Boundary::kMirror};
constexpr ConvolutionMode kModes[] = {ConvolutionMode::kSame, ConvolutionMode::kFull, ConvolutionMode::kValid};

// First coordinate and number of a mode's results along one axis, in coordinates of the image.
struct Span {
  int first = 0;
  int count = 0;
};

Span span_of(int n, int k, int o, ConvolutionMode mode) {
  if (mode == ConvolutionMode::kSame) return {0, n};
  if (mode == ConvolutionMode::kFull) return {-o, n + k - 1};
  return {std::min(n, k) - 1 - o, std::abs(n - k) + 1};
}

Extent extent_of(const Plane& plane) { return {static_cast<uint32_t>(plane.w), static_cast<uint32_t>(plane.h)}; }

struct Case {
  std::vector<Plane> image;   // one plane per channel
  std::vector<Plane> kernel;  // one plane, or one per channel
  ConvolutionOptions options;
};

Case make_case(int w, int h, int kw, int kh, uint32_t channels, bool per_channel, std::mt19937& random) {
  Case c;
  for (uint32_t i = 0; i < channels; ++i) c.image.push_back(noise(w, h, random));
  const uint32_t planes = per_channel ? std::min(channels, 3U) : 1;
  for (uint32_t i = 0; i < planes; ++i) c.kernel.push_back(noise(kw, kh, random, -0.5, 1));
  c.options.size = extent_of(c.image[0]);
  c.options.source = floats(channels);
  c.options.channels = channels;
  c.options.kernel_size = extent_of(c.kernel[0]);
  c.options.kernel = floats(planes);
  c.options.kernel_channels = per_channel ? KernelChannels::kPerChannel : KernelChannels::kShared;
  return c;
}

Image run(const Case& c, uint32_t threads = 0) {
  auto convolver = cpu::Convolver::create(c.options, {.threads = threads});
  EXPECT_TRUE(convolver) << (convolver ? "" : convolver.error().text());
  if (!convolver) return {};
  const Image image = image_of(c.image, c.options.source, c.options.slices);
  const Image kernel = image_of(c.kernel, c.options.kernel);
  auto target = Image::create(convolver->plan().options.target, convolver->plan().result_size, c.options.slices);
  auto done = convolver->set_kernel(kernel.view());
  if (done) done = convolver->convolve(image.view(), target->view());
  EXPECT_TRUE(done) << (done ? "" : done.error().text());
  return std::move(*target);
}

Plane luminance_of(const std::vector<Plane>& kernel) {
  Plane luminance = kernel[0];
  for (size_t t = 0; t < luminance.v.size(); ++t) {
    luminance.v[t] = 0.2126 * kernel[0].v[t] + 0.7152 * kernel[1].v[t] + 0.0722 * kernel[2].v[t];
  }
  return luminance;
}

// Kernel of channel i: its own plane, or the luminance for alpha.
Plane kernel_of(const Case& c, size_t i) {
  if (c.kernel.size() == 1) return c.kernel[0];
  if (i < 3 && i < c.kernel.size()) return c.kernel[i];
  return luminance_of(c.kernel);
}

Plane expected(const Case& c, size_t channel) {
  const ConvolutionOptions& o = c.options;
  const Plane kernel = kernel_of(c, channel);
  const int ox = o.kernel_origin ? o.kernel_origin->x : kernel.w / 2;
  const int oy = o.kernel_origin ? o.kernel_origin->y : kernel.h / 2;
  const Plane& image = c.image[channel];
  const Span x = span_of(image.w, kernel.w, ox, o.mode);
  const Span y = span_of(image.h, kernel.h, oy, o.mode);
  const Boundary boundary = o.mode == ConvolutionMode::kValid ? Boundary::kZero : o.boundary;
  return convolve(image, kernel, ox, oy, boundary, x.first, y.first, x.count, y.count);
}

// Bound of the rounding error, proportional to the sum of the magnitudes of the products. Those of a luminance are the
// products of its three channels: their sum may cancel, their rounding does not.
double bound(const Case& c, size_t channel) {
  Case magnitudes = c;
  for (Plane& plane : magnitudes.kernel) {
    for (double& w : plane.v) w = std::fabs(w);
  }
  double weights = 0;
  for (const double w : kernel_of(magnitudes, channel).v) weights += w;
  return 1e-6 * std::max(1e-3, weights) * largest(c.image[channel]);
}

// The larger bound of the two channels that share a complex signal, R with G and B with A: they share rounding errors.
double tolerance(const Case& c, size_t channel) {
  const size_t other = channel ^ 1;
  return std::max(bound(c, channel), other < c.image.size() ? bound(c, other) : 0.0);
}

void check(const Case& c, const std::string& what) {
  const Image made = run(c);
  ASSERT_NE(made.data(), nullptr) << what;
  for (uint32_t channel = 0; channel < c.image.size(); ++channel) {
    EXPECT_LE(difference(plane_of(made, channel), expected(c, channel)), tolerance(c, channel))
        << what << ", channel " << channel;
  }
}

std::string text(const Case& c) {
  const ConvolutionOptions& o = c.options;
  return std::to_string(o.size.width) + "x" + std::to_string(o.size.height) + " * " +
         std::to_string(o.kernel_size.width) + "x" + std::to_string(o.kernel_size.height) + ", boundary " +
         std::to_string(static_cast<int>(o.boundary)) + ", mode " + std::to_string(static_cast<int>(o.mode)) + ", " +
         std::to_string(c.image.size()) + " channels, " + std::to_string(c.kernel.size()) + " kernels";
}

bool fits(int w, int h, int kw, int kh) { return (kw <= w && kh <= h) || (kw >= w && kh >= h); }

TEST(Convolution, EveryBoundaryModeAndKernelSize) {
  std::mt19937 random(1);
  const int sizes[][2] = {{1, 1}, {7, 5}, {16, 12}, {13, 17}};
  const int kernels[][2] = {{1, 1}, {3, 3}, {4, 2}, {1, 5}, {8, 9}, {23, 3}, {30, 31}};
  for (const auto& s : sizes) {
    for (const auto& k : kernels) {
      for (const Boundary boundary : kBoundaries) {
        for (const ConvolutionMode mode : kModes) {
          if (mode == ConvolutionMode::kValid && !fits(s[0], s[1], k[0], k[1])) continue;
          Case c = make_case(s[0], s[1], k[0], k[1], 1, false, random);
          c.options.boundary = boundary;
          c.options.mode = mode;
          check(c, text(c));
        }
      }
    }
  }
}

TEST(Convolution, EveryNumberOfChannelsAndKernels) {
  std::mt19937 random(2);
  for (uint32_t channels = 1; channels <= 4; ++channels) {
    for (const bool per_channel : {false, true}) {
      for (const Boundary boundary : kBoundaries) {
        Case c = make_case(19, 11, 6, 5, channels, per_channel, random);
        c.options.boundary = boundary;
        check(c, text(c));
      }
    }
  }
}

// A kernel with more channels than the image: kPerChannel uses the first ones, kShared uses the luminance.
TEST(Convolution, KernelsOfMoreChannelsThanTheImage) {
  std::mt19937 random(16);
  for (uint32_t channels = 1; channels <= 2; ++channels) {
    Case c = make_case(20, 17, 5, 4, channels, true, random);
    while (c.kernel.size() < 4) c.kernel.push_back(noise(5, 4, random));
    c.options.kernel = floats(4);
    check(c, std::to_string(channels) + " of 4");
    const Plane luminance = kernel_of(c, 3);
    c.options.kernel_channels = KernelChannels::kShared;
    const Image shared = run(c);
    c.kernel = {luminance};
    for (uint32_t i = 0; i < channels; ++i) {
      EXPECT_LE(difference(plane_of(shared, i), expected(c, i)), tolerance(c, i)) << channels;
    }
  }
}

// Domains of the shortest length: in shorter ones, kernels that reach to one side would meet the opposite border.
TEST(Convolution, EveryOriginOnTightDomains) {
  std::mt19937 random(15);
  for (const Boundary boundary : kBoundaries) {
    for (int n = 5; n <= 12; ++n) {
      for (int k = 2; k <= 7; ++k) {
        for (int o = 0; o < k; ++o) {
          Case c = make_case(n, 1, k, 1, 1, false, random);
          c.options.boundary = boundary;
          c.options.kernel_origin = Offset{o, 0};
          check(c, text(c) + ", origin " + std::to_string(o));
        }
      }
    }
  }
}

// Random sizes. A strip holds 16 values, so widths around multiples of 16 matter.
TEST(Convolution, RandomCases) {
  const uint32_t seed = onepass::testing::random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const int count = std::getenv("ONEPASS_FULL") != nullptr ? 2000 : 60;
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int i = 0; i < count; ++i) {
    const int w = pick(1, 70), h = pick(1, 70), kw = pick(1, i % 4 == 0 ? 90 : 12), kh = pick(1, i % 4 == 1 ? 90 : 12);
    Case c = make_case(w, h, kw, kh, static_cast<uint32_t>(pick(1, 4)), pick(0, 1) == 1, random);
    c.options.boundary = kBoundaries[pick(0, 3)];
    c.options.mode = kModes[pick(0, fits(w, h, kw, kh) ? 2 : 1)];
    c.options.kernel_origin = Offset{pick(0, kw - 1), pick(0, kh - 1)};
    check(c, text(c));
    if (HasFailure()) return;
  }
}

// A 61x55 kernel on a 300x200 image: the error must stay below 1e-6, as for small sizes.
TEST(Convolution, LargeKernelOnALargeImage) {
  std::mt19937 random(3);
  Case c = make_case(300, 200, 61, 55, 3, false, random);
  for (double& w : c.kernel[0].v) w = std::fabs(w);
  c.options.scale = KernelScale::kUnitSum;
  c.options.boundary = Boundary::kMirror;
  const Image made = run(c);
  double sum = 0;
  for (const double w : c.kernel[0].v) sum += w;
  for (double& w : c.kernel[0].v) w /= sum;
  EXPECT_LE(difference(plane_of(made, 1), expected(c, 1)), 1e-6);
}

TEST(Convolution, OriginMovesTheImage) {
  Case c;
  std::mt19937 random(4);
  c = make_case(9, 8, 4, 3, 1, false, random);
  c.kernel[0].v.assign(12, 0.0);
  c.kernel[0].at(2, 1) = 1;  // the default origin: floor(4/2), floor(3/2)
  EXPECT_LE(difference(plane_of(run(c), 0), c.image[0]), 1e-6) << "a 1 at the origin changes nothing";
  c.options.kernel_origin = Offset{0, 0};
  const Plane moved = plane_of(run(c), 0);
  for (int y = 1; y < 8; ++y) {
    for (int x = 2; x < 9; ++x) EXPECT_NEAR(moved.at(x, y), c.image[0].at(x - 2, y - 1), 1e-6) << x << "," << y;
  }
  EXPECT_NEAR(moved.at(1, 1), 0, 1e-6) << "no wrap-around";
}

TEST(Convolution, NothingWrapsAroundUnlessAsked) {
  Case c;
  std::mt19937 random(5);
  c = make_case(64, 32, 31, 31, 1, false, random);
  c.image[0].v.assign(64 * 32, 0.0);
  for (int y = 0; y < 32; ++y) c.image[0].at(0, y) = 1000;
  for (double& w : c.kernel[0].v) w = std::fabs(w);
  for (const Boundary boundary : {Boundary::kZero, Boundary::kClamp, Boundary::kMirror}) {
    c.options.boundary = boundary;
    const Plane made = plane_of(run(c), 0);
    for (int y = 0; y < 32; ++y) EXPECT_NEAR(made.at(63, y), 0, 0.01) << static_cast<int>(boundary);
  }
  c.options.boundary = Boundary::kWrap;
  EXPECT_GT(plane_of(run(c), 0).at(63, 16), 100);
}

TEST(Convolution, ScaleMakesWeightsSumToOne) {
  std::mt19937 random(6);
  Case c = make_case(12, 12, 5, 5, 3, true, random);
  for (Plane& kernel : c.kernel) {
    for (double& w : kernel.v) w = static_cast<float>(std::fabs(w) + 0.1);
  }
  double sums[3] = {};
  for (size_t i = 0; i < 3; ++i) {
    for (const double w : c.kernel[i].v) sums[i] += w;
    c.image[i].v.assign(144, 0.5);
  }
  c.options.boundary = Boundary::kClamp;
  c.options.scale = KernelScale::kUnitSumPerChannel;
  Image made = run(c);
  for (uint32_t i = 0; i < 3; ++i) EXPECT_NEAR(plane_of(made, i).at(6, 6), 0.5, 1e-6);
  c.options.scale = KernelScale::kUnitSum;
  made = run(c);
  const double mean = (sums[0] + sums[1] + sums[2]) / 3;
  for (uint32_t i = 0; i < 3; ++i)
    EXPECT_NEAR(plane_of(made, i).at(6, 6), 0.5 * sums[i] / mean, 1e-6) << "a tint stays";
}

TEST(Convolution, SumIsOfTheWholeKernelWhereOnlyAPartReaches) {
  std::mt19937 random(7);
  Case c = make_case(3, 3, 101, 101, 1, false, random);
  c.kernel[0].v.assign(101 * 101, 1.0);
  c.image[0].v.assign(9, 1.0);
  c.options.scale = KernelScale::kUnitSum;
  EXPECT_NEAR(plane_of(run(c), 0).at(1, 1), 9.0 / (101 * 101), 1e-9);
  const auto plan = plan_convolution(c.options);
  EXPECT_EQ(plan->x.kernel_size, 5U);
  EXPECT_EQ(plan->x.domain, 5U);
}

TEST(Convolution, MixIsBetweenImageAndConvolved) {
  std::mt19937 random(8);
  Case c = make_case(20, 14, 7, 7, 4, false, random);
  c.options.boundary = Boundary::kMirror;
  for (const float mix : {0.0F, 0.3F, 1.5F}) {
    c.options.mix = mix;
    const Plane made = plane_of(run(c), 2);
    Plane wanted = expected(c, 2);
    for (size_t i = 0; i < wanted.v.size(); ++i) wanted.v[i] = (1 - mix) * c.image[2].v[i] + mix * wanted.v[i];
    EXPECT_LE(difference(made, wanted), 2 * tolerance(c, 2)) << mix;
  }
}

TEST(Convolution, AlphaPassesOrIsFiltered) {
  std::mt19937 random(9);
  for (const ConvolutionMode mode : kModes) {
    Case c = make_case(12, 10, 5, 4, 4, false, random);
    c.options.mode = mode;
    c.options.alpha = AlphaPolicy::kPass;
    const Image made = run(c);
    const Span x = span_of(12, 5, 2, mode);
    const Span y = span_of(10, 4, 2, mode);
    const Plane alpha = plane_of(made, 3);
    for (int j = 0; j < y.count; ++j) {
      for (int i = 0; i < x.count; ++i) {
        EXPECT_EQ(alpha.at(i, j), c.image[3].beyond(x.first + i, y.first + j, Boundary::kZero));
      }
    }
    EXPECT_LE(difference(plane_of(made, 0), expected(c, 0)), tolerance(c, 0));
  }
}

TEST(Convolution, SrgbIsConvolvedAsLight) {
  const Plane black(6, 1);
  Plane half = black;
  for (int x = 3; x < 6; ++x) half.at(x, 0) = 1;
  Case c;
  c.image = {half, half, half, half};
  for (double& a : c.image[3].v) a = 1;
  c.kernel = {Plane(2, 1)};
  c.kernel[0].v = {0.5, 0.5};
  c.options = {.size = {6, 1},
               .source = Format::kRGBA8Srgb,
               .kernel_size = {2, 1},
               .kernel = Format::kR32Sfloat,
               .boundary = Boundary::kClamp};
  const Image made = run(c);
  const auto* codes = reinterpret_cast<const uint8_t*>(made.data());
  EXPECT_EQ(codes[0], 0);
  EXPECT_EQ(codes[4 * 2], 188) << "half the light of white";
  EXPECT_EQ(codes[4 * 5], 255);
  EXPECT_EQ(codes[4 * 2 + 3], 255);
}

TEST(Convolution, EightBitImagesWithAOneStayExact) {
  std::mt19937 random(10);
  for (const Format format : {Format::kRGBA8Srgb, Format::kRGBA8Unorm, Format::kR8Unorm, Format::kA2B10G10R10Unorm}) {
    const uint32_t channels = format_info(format).channels;
    Case c;
    for (uint32_t i = 0; i < channels; ++i) c.image.push_back(noise(57, 33, random));
    c.kernel = {Plane(9, 7)};
    c.kernel[0].at(4, 3) = 1;
    c.options = {.size = {57, 33}, .source = format, .kernel_size = {9, 7}, .kernel = Format::kR32Sfloat};
    const Image source = image_of(c.image, format);
    for (const AlphaPolicy alpha : {AlphaPolicy::kFilter, AlphaPolicy::kPass}) {
      c.options.alpha = alpha;
      const Image made = run(c);
      EXPECT_EQ(std::memcmp(made.data(), source.data(), source.size_in_bytes()), 0) << format_info(format).name;
    }
  }
}

TEST(Convolution, SlicesAreConvolvedOnTheirOwn) {
  std::mt19937 random(11);
  Case c = make_case(18, 9, 4, 4, 2, false, random);
  std::vector<Plane> second{noise(18, 9, random), noise(18, 9, random)};
  Case other = c;
  other.image = second;
  const Image alone = run(other);
  Case both = c;
  both.image.insert(both.image.end(), second.begin(), second.end());
  both.options.slices = 2;
  const Image made = run(both);
  EXPECT_EQ(difference(plane_of(made, 1, 1), plane_of(alone, 1)), 0);
  EXPECT_LE(difference(plane_of(made, 0, 0), expected(c, 0)), tolerance(c, 0));
}

TEST(Convolution, NanStaysInItsSliceAndPair) {
  std::mt19937 random(12);
  Case c = make_case(16, 16, 3, 3, 4, false, random);
  const auto more = make_case(16, 16, 3, 3, 4, false, random).image;
  c.image.insert(c.image.end(), more.begin(), more.end());
  c.options.slices = 2;
  c.image[0].at(5, 5) = std::numeric_limits<double>::quiet_NaN();
  const Image made = run(c);
  EXPECT_TRUE(std::isnan(plane_of(made, 0).at(0, 0)));
  Case alone = c;
  alone.image = more;
  alone.options.slices = 1;
  for (uint32_t i = 0; i < 4; ++i) EXPECT_LE(difference(plane_of(made, i, 1), expected(alone, i)), 1e-5) << i;
  for (uint32_t i = 2; i < 4; ++i) EXPECT_LE(difference(plane_of(made, i), expected(c, i)), 1e-5) << i;
}

TEST(Convolution, TheSameBitsForAnyNumberOfThreads) {
  const onepass::testing::SevenThreads seven;
  std::mt19937 random(13);
  Case c = make_case(123, 77, 20, 9, 4, true, random);
  c.options.boundary = Boundary::kMirror;
  const Image one = run(c, 1);
  for (const uint32_t threads : {2U, 7U}) {
    const Image many = run(c, threads);
    EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size_in_bytes()), 0) << threads;
  }
}

TEST(Convolution, EverySimdTargetIsRight) {
  std::mt19937 random(15);
  const Case c = make_case(70, 41, 6, 9, 4, true, random);
  onepass::testing::on_every_simd_target([&](const char* target) {
    const Image made = run(c);
    for (uint32_t i = 0; i < 4; ++i) EXPECT_LE(difference(plane_of(made, i), expected(c, i)), 1e-5) << target << i;
  });
}

TEST(Convolution, KernelCanBeReplacedAndIsNeeded) {
  std::mt19937 random(14);
  Case c = make_case(8, 8, 3, 3, 1, false, random);
  auto convolver = cpu::Convolver::create(c.options);
  const Image image = image_of(c.image, c.options.source);
  auto target = Image::create(c.options.source, c.options.size);
  auto early = convolver->convolve(image.view(), target->view());
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, ErrorCode::kInvalidArgument);
  for (int round = 0; round < 2; ++round) {
    c.kernel = {noise(3, 3, random)};
    ASSERT_TRUE(convolver->set_kernel(image_of(c.kernel, c.options.kernel).view()));
    ASSERT_TRUE(convolver->convolve(image.view(), target->view()));
    EXPECT_LE(difference(plane_of(*target, 0), expected(c, 0)), 1e-5) << round;
  }
}

TEST(ConvolutionPlan, DomainsAreAsWideAsTheBoundaryNeeds) {
  const auto axis = [](uint32_t n, uint32_t k, Boundary b, ConvolutionMode m) {
    return plan_convolution_axis(n, k, k / 2, b, m);
  };
  EXPECT_EQ(axis(1920, 255, Boundary::kZero, ConvolutionMode::kSame).domain, 2048U) << "one gap: 1920 + 127";
  EXPECT_EQ(axis(1920, 255, Boundary::kMirror, ConvolutionMode::kSame).domain, 2187U) << "two: 1920 + 254 = 2174";
  EXPECT_EQ(axis(1920, 255, Boundary::kWrap, ConvolutionMode::kSame).domain, 1920U) << "none";
  EXPECT_EQ(axis(1921, 255, Boundary::kWrap, ConvolutionMode::kSame).domain, 2187U) << "1921 is no fast length";
  EXPECT_EQ(axis(1920, 255, Boundary::kZero, ConvolutionMode::kValid).domain, 1920U);
  EXPECT_EQ(axis(1920, 255, Boundary::kZero, ConvolutionMode::kFull).domain, 2187U);
  EXPECT_EQ(axis(60000, 60000, Boundary::kMirror, ConvolutionMode::kSame).domain, 0U) << "too large";
  EXPECT_EQ(axis(100, 9, Boundary::kZero, ConvolutionMode::kFull).result_size, 108U);
  EXPECT_EQ(axis(100, 9, Boundary::kZero, ConvolutionMode::kValid).result_size, 92U);
  EXPECT_EQ(axis(9, 100, Boundary::kZero, ConvolutionMode::kValid).result_size, 92U);
}

TEST(ConvolutionPlan, TrafficCountsWhatExists) {
  const auto plan = plan_convolution({.size = {100, 60},
                                      .source = Format::kRGBA8Srgb,
                                      .kernel_size = {29, 5},
                                      .kernel = Format::kR32Sfloat,
                                      .boundary = Boundary::kMirror});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->x.domain, 128U);
  EXPECT_EQ(plan->y.domain, 64U);
  const uint64_t row = 65 * 4 * 8;      // complex values of four channels
  const uint64_t kernel = 65 * 64 * 8;  // one plane
  EXPECT_EQ(plan->kernel_bytes, kernel);
  EXPECT_EQ(plan->traffic.bytes_read, 100U * 60 * 4 + row * 60 + kernel + row * 60);
  EXPECT_EQ(plan->traffic.bytes_written, row * 60 + row * 60 + 100U * 60 * 4);
}

TEST(ConvolutionErrors, NameFieldAndValue) {
  const ConvolutionOptions good{
      .size = {8, 8}, .source = Format::kRGBA8Unorm, .kernel_size = {3, 3}, .kernel = Format::kR32Sfloat};
  const auto refused = [&](const std::function<void(ConvolutionOptions&)>& change, const std::string& words) {
    ConvolutionOptions options = good;
    change(options);
    const auto plan = plan_convolution(options);
    ASSERT_FALSE(plan) << words;
    EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(plan.error().message.find(words), std::string::npos) << plan.error().message;
    EXPECT_FALSE(cpu::Convolver::create(options));
  };
  refused([](auto& o) { o.size = {0, 8}; }, "size: 0x8");
  refused([](auto& o) { o.source = Format::kUndefined; }, "source");
  refused([](auto& o) { o.target = Format::kD16Unorm; }, "target");
  refused([](auto& o) { o.kernel = Format::kUndefined; }, "kernel: no such format");
  refused([](auto& o) { o.kernel_size = {3, 0}; }, "kernel_size: 3x0");
  refused(
      [](auto& o) {
        o.kernel_size = {65535, 1};
        o.mode = ConvolutionMode::kFull;
      },
      "65535x1");
  refused([](auto& o) { o.kernel_origin = Offset{3, 0}; }, "kernel_origin: 3,0");
  refused([](auto& o) { o.kernel_origin = Offset{0, -1}; }, "kernel_origin: 0,-1");
  refused([](auto& o) { o.kernel_channels = KernelChannels::kPerChannel; }, "kernel: r32_sfloat has 1");
  refused(
      [](auto& o) {
        o.mode = ConvolutionMode::kValid;
        o.kernel_size = {9, 3};
      },
      "mode: valid");
  refused(
      [](auto& o) {
        o.mode = ConvolutionMode::kFull;
        o.mix = 0.5F;
      },
      "mix: 0.5");
  refused([](auto& o) { o.mix = std::numeric_limits<float>::infinity(); }, "mix: inf");
  refused([](auto& o) { o.boundary = static_cast<Boundary>(9); }, "boundary");
  refused([](auto& o) { o.mode = static_cast<ConvolutionMode>(9); }, "mode");
  refused([](auto& o) { o.scale = static_cast<KernelScale>(9); }, "scale");
  refused([](auto& o) { o.alpha = static_cast<AlphaPolicy>(9); }, "alpha");
  refused([](auto& o) { o.kernel_channels = static_cast<KernelChannels>(9); }, "kernel_channels");
}

TEST(ConvolutionErrors, BadWeightsAndViews) {
  ConvolutionOptions options{.size = {8, 8},
                             .source = Format::kR32Sfloat,
                             .kernel_size = {3, 3},
                             .kernel = Format::kR32Sfloat,
                             .scale = KernelScale::kUnitSum};
  auto convolver = cpu::Convolver::create(options);
  Plane kernel(3, 3);
  auto zero = convolver->set_kernel(image_of({kernel}, Format::kR32Sfloat).view());
  ASSERT_FALSE(zero);
  EXPECT_EQ(zero.error().code, ErrorCode::kBadData);
  kernel.at(1, 2) = std::numeric_limits<double>::infinity();
  auto bad = convolver->set_kernel(image_of({kernel}, Format::kR32Sfloat).view());
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find("(1, 2)"), std::string::npos) << bad.error().message;
  kernel.at(1, 2) = 1;
  ASSERT_TRUE(convolver->set_kernel(image_of({kernel}, Format::kR32Sfloat).view()));
  EXPECT_FALSE(convolver->set_kernel(image_of({Plane(4, 3)}, Format::kR32Sfloat).view()));
  const Image image = image_of({Plane(8, 8)}, Format::kR32Sfloat);
  auto small = Image::create(Format::kR32Sfloat, {8, 7});
  EXPECT_FALSE(convolver->convolve(image.view(), small->view()));
  EXPECT_FALSE(convolver->convolve(small->view(), small->view()));
}

}  // namespace
}  // namespace fourier_ops_test
