// cpu_filter_test.cpp: gains against their formulas; filters against FFTW in double with the gains of the formulas.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "onepass/fourier_filter.hpp"
#include "onepass/fourier_filter_params.h"
#include "tests/cpu/simd_targets.hpp"
#include "tests/fourier/fourier_ops_oracle.hpp"
#include "tests/support/test_seed.hpp"

namespace fourier_ops_test {
namespace {

using namespace onepass;

// The formulas of fourier_filter.hpp, in double.
double low_pass(FilterShape shape, uint32_t order, double ratio) {
  if (shape == FilterShape::kIdeal) return ratio <= 1 ? 1 : 0;
  if (shape == FilterShape::kGaussian) return std::exp(-ratio * ratio / 2);
  return 1 / (1 + std::pow(ratio, 2.0 * order));
}

double formula(const FilterOptions& o, double fx, double fy) {
  const double f = std::hypot(fx, fy);
  if (f == 0 && o.dc != DcGain::kFilter) return o.dc == DcGain::kKeep ? 1 : 0;
  const double a = o.cutoff;
  const double b = o.upper_cutoff;
  double passed = 1;
  if (o.band == FilterBand::kLowPass || o.band == FilterBand::kHighPass) passed = low_pass(o.shape, o.order, f / a);
  if (o.band == FilterBand::kBandPass || o.band == FilterBand::kBandStop) {
    if (o.shape == FilterShape::kIdeal) {
      passed = f >= a && f <= b ? 1 : 0;
    } else {
      passed = f == 0 ? 0 : low_pass(o.shape, o.order, std::fabs(f * f - a * b) / (f * (b - a)));
    }
  }
  if (o.band == FilterBand::kHighPass || o.band == FilterBand::kBandStop) passed = 1 - passed;
  double gain = o.stop_gain + (double{o.pass_gain} - o.stop_gain) * passed;
  for (uint32_t i = 0; i < o.notch_count; ++i) {
    const Notch& n = o.notches[i];
    const auto apart = [](double d) { return d - std::round(d); };
    const double at = std::hypot(apart(fx - n.fx), apart(fy - n.fy));
    const double mirrored = std::hypot(apart(fx + n.fx), apart(fy + n.fy));
    gain *= 1 - low_pass(o.shape, o.order, at / n.radius);
    const bool pair = std::fabs(apart(2.0 * n.fx)) > 0 || std::fabs(apart(2.0 * n.fy)) > 0;
    if (pair) gain *= 1 - low_pass(o.shape, o.order, mirrored / n.radius);
  }
  return gain;
}

constexpr FilterBand kBands[] = {FilterBand::kAll, FilterBand::kLowPass, FilterBand::kHighPass, FilterBand::kBandPass,
                                 FilterBand::kBandStop};
constexpr FilterShape kShapes[] = {FilterShape::kIdeal, FilterShape::kButterworth, FilterShape::kGaussian};

FilterOptions basic(Extent size, Format format) { return {.size = size, .source = format}; }

Image run(const FilterOptions& options, const Image& image, uint32_t threads = 0) {
  auto filter = cpu::Filter::create(options, {.threads = threads});
  EXPECT_TRUE(filter) << (filter ? "" : filter.error().text());
  if (!filter) return {};
  auto target = Image::create(filter->plan().options.target, options.size, options.slices);
  const auto done = filter->apply(image.view(), target->view());
  EXPECT_TRUE(done) << (done ? "" : done.error().text());
  return std::move(*target);
}

TEST(FilterGain, IsTheFormula) {
  const uint32_t seed = onepass::testing::random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> frequency(-0.5F, 0.5F), unit(0.0F, 1.0F);
  for (const FilterBand band : kBands) {
    for (const FilterShape shape : {FilterShape::kButterworth, FilterShape::kGaussian}) {
      for (const uint32_t order : {1U, 2U, 3U, 8U, 64U}) {
        for (int i = 0; i < 300; ++i) {
          FilterOptions o = basic({4, 4}, Format::kR32Sfloat);
          o.band = band;
          o.shape = shape;
          o.order = order;
          o.cutoff = 0.01F + 0.4F * unit(random);
          o.upper_cutoff = o.cutoff + 0.02F + 0.3F * unit(random);
          o.stop_gain = unit(random);
          o.pass_gain = 2 * unit(random);
          o.notch_count = static_cast<uint32_t>(i % 3);
          for (uint32_t n = 0; n < o.notch_count; ++n) {
            o.notches[n] = {frequency(random), frequency(random), 0.02F + 0.1F * unit(random)};
          }
          const float fx = i % 7 == 0 ? 0 : frequency(random);
          const float fy = i % 5 == 0 ? 0 : frequency(random);
          const double most = std::max(o.stop_gain, o.pass_gain);
          const double expected = formula(o, fx, fy);
          // Frequencies are floats: at steep edges of narrow bands and notches their rounding adds an error of `slope`.
          double slope = 0;
          const bool narrow = band == FilterBand::kBandPass || band == FilterBand::kBandStop || o.notch_count > 0;
          for (int off = 0; off < 9 && narrow && (fx != 0 || fy != 0); ++off) {
            const double x = fx + (off % 3 - 1) * 0x1p-22;
            const double y = fy + (off / 3 - 1) * 0x1p-22;
            slope = std::max(slope, std::fabs(formula(o, x, y) - expected));
          }
          EXPECT_NEAR(filter_gain(o, fx, fy), expected, (order == 64 ? 8e-6 : 1e-6) * (1 + most) + slope)
              << "band " << static_cast<int>(band) << " shape " << static_cast<int>(shape) << " order " << order << " ("
              << fx << ", " << fy << ")";
        }
      }
    }
  }
}

TEST(FilterGain, AtCutoffs) {
  FilterOptions o = basic({4, 4}, Format::kR32Sfloat);
  o.cutoff = 0.125F;
  o.upper_cutoff = 0.25F;
  const auto gain = [&](FilterBand band, FilterShape shape, float f) {
    o.band = band;
    o.shape = shape;
    return filter_gain(o, f, 0);
  };
  EXPECT_EQ(gain(FilterBand::kLowPass, FilterShape::kIdeal, 0.125F), 1);
  EXPECT_EQ(gain(FilterBand::kLowPass, FilterShape::kIdeal, 0.126F), 0);
  EXPECT_EQ(gain(FilterBand::kHighPass, FilterShape::kIdeal, 0.125F), 0);
  EXPECT_EQ(gain(FilterBand::kBandPass, FilterShape::kIdeal, 0.125F), 1);
  EXPECT_EQ(gain(FilterBand::kBandPass, FilterShape::kIdeal, 0.25F), 1);
  EXPECT_EQ(gain(FilterBand::kBandPass, FilterShape::kIdeal, 0.26F), 0);
  EXPECT_EQ(gain(FilterBand::kLowPass, FilterShape::kButterworth, 0.125F), 0.5F);
  EXPECT_EQ(gain(FilterBand::kBandPass, FilterShape::kButterworth, 0.125F), 0.5F);
  EXPECT_EQ(gain(FilterBand::kBandPass, FilterShape::kButterworth, 0.25F), 0.5F);
  EXPECT_NEAR(gain(FilterBand::kLowPass, FilterShape::kGaussian, 0.125F), 0.60653066, 1e-6);
  EXPECT_NEAR(gain(FilterBand::kBandPass, FilterShape::kGaussian, 0.25F), 0.60653066, 1e-6);
  EXPECT_EQ(gain(FilterBand::kLowPass, FilterShape::kGaussian, 0), 1);
  EXPECT_EQ(gain(FilterBand::kBandPass, FilterShape::kGaussian, 0), 0);
  EXPECT_EQ(gain(FilterBand::kBandStop, FilterShape::kButterworth, 0), 1);
  EXPECT_EQ(gain(FilterBand::kAll, FilterShape::kIdeal, 0.3F), 1);
  o.order = 64;
  EXPECT_EQ(gain(FilterBand::kHighPass, FilterShape::kButterworth, 0.5F), 1) << "no overflow";
  EXPECT_TRUE(std::isfinite(gain(FilterBand::kBandPass, FilterShape::kButterworth, 1e-20F)));
}

TEST(FilterGain, DcIsWhatIsAsked) {
  for (const FilterBand band : kBands) {
    FilterOptions o = basic({4, 4}, Format::kR32Sfloat);
    o.band = band;
    o.notch_count = 1;
    o.notches[0] = {0.01F, 0, 0.1F};
    o.dc = DcGain::kKeep;
    EXPECT_EQ(filter_gain(o, 0, 0), 1);
    o.dc = DcGain::kRemove;
    EXPECT_EQ(filter_gain(o, 0, 0), 0);
  }
}

// All bands and shapes, cyclic and mirrored domains, odd, even and prime sizes.
TEST(Filter, IsTheTransferFunction) {
  std::mt19937 random(21);
  const int sizes[][2] = {{1, 1}, {16, 12}, {15, 31}, {40, 7}, {1, 24}};
  for (const auto& s : sizes) {
    const Plane plane = noise(s[0], s[1], random);
    const Image image = image_of({plane}, Format::kR32Sfloat);
    for (const FilterBand band : kBands) {
      for (const FilterShape shape : kShapes) {
        for (const Boundary boundary : {Boundary::kWrap, Boundary::kMirror}) {
          FilterOptions o = basic({static_cast<uint32_t>(s[0]), static_cast<uint32_t>(s[1])}, Format::kR32Sfloat);
          o.band = band;
          o.shape = shape;
          o.cutoff = 0.123F;
          o.upper_cutoff = 0.321F;
          o.notch_count = 2;
          o.notches[0] = {0.2F, -0.11F, 0.07F};
          o.notches[1] = {0.5F, 0, 0.0513F};
          o.boundary = boundary;
          const bool mirror = boundary == Boundary::kMirror;
          const Plane domain = mirror ? extend(plane, 2 * s[0], 2 * s[1], 0, 0, boundary) : plane;
          const Plane all = filter(domain, [&](double fx, double fy) { return formula(o, fx, fy); });
          EXPECT_LE(difference(plane_of(run(o, image), 0), crop(all, 0, 0, s[0], s[1])), 2e-6)
              << s[0] << "x" << s[1] << " band " << static_cast<int>(band) << " shape " << static_cast<int>(shape)
              << " mirror " << mirror;
        }
      }
    }
  }
}

TEST(Filter, MarginsHoldTheBoundary) {
  std::mt19937 random(22);
  const Plane plane = noise(50, 30, random);
  const Image image = image_of({plane}, Format::kR32Sfloat);
  for (const Boundary boundary : {Boundary::kZero, Boundary::kClamp, Boundary::kMirror}) {
    FilterOptions o = basic({50, 30}, Format::kR32Sfloat);
    o.boundary = boundary;
    o.margin = 10;
    o.shape = FilterShape::kGaussian;
    const auto plan = plan_filter(o);
    ASSERT_TRUE(plan);
    const bool one_gap = boundary == Boundary::kZero;
    EXPECT_EQ(plan->domain, (one_gap ? Extent{60, 40} : Extent{70, 50}));
    const int at = one_gap ? 0 : 10;
    const Plane domain =
        extend(plane, static_cast<int>(plan->domain.width), static_cast<int>(plan->domain.height), at, at, boundary);
    const Plane all = filter(domain, [&](double fx, double fy) { return formula(o, fx, fy); });
    EXPECT_LE(difference(plane_of(run(o, image), 0), crop(all, at, at, 50, 30)), 2e-6);
  }
}

// Except with kWrap, a bright left column must not leak into the right border.
TEST(Filter, NothingWrapsAroundUnlessAsked) {
  Plane plane(128, 16);
  for (int y = 0; y < 16; ++y) plane.at(0, y) = 1000;
  const Image image = image_of({plane}, Format::kR32Sfloat);
  FilterOptions o = basic({128, 16}, Format::kR32Sfloat);
  o.shape = FilterShape::kGaussian;
  o.cutoff = gaussian_cutoff(5);
  for (const Boundary boundary : {Boundary::kZero, Boundary::kClamp, Boundary::kMirror}) {
    o.boundary = boundary;
    EXPECT_NEAR(plane_of(run(o, image), 0).at(127, 8), 0, 2e-3) << static_cast<int>(boundary);
  }
  o.boundary = Boundary::kWrap;
  EXPECT_GT(plane_of(run(o, image), 0).at(127, 8), 50);
}

TEST(Filter, GaussianIsABlurOfThatSigma) {
  Plane plane(65, 65);
  plane.at(32, 32) = 1;
  FilterOptions o = basic({65, 65}, Format::kR32Sfloat);
  o.shape = FilterShape::kGaussian;
  o.cutoff = gaussian_cutoff(3);
  const Plane made = plane_of(run(o, image_of({plane}, Format::kR32Sfloat)), 0);
  for (int d = 0; d < 12; ++d) {
    const double wanted = std::exp(-d * d / 18.0) / (18 * 3.14159265358979);
    EXPECT_NEAR(made.at(32 + d, 32), wanted, 1e-6) << d;
    EXPECT_NEAR(made.at(32, 32 - d), wanted, 1e-6) << d;
  }
}

// Cutoffs above 1 cycle per texel: a narrower sigma blurs less, down to no effect.
TEST(Filter, NarrowGaussiansAreNotWidened) {
  Plane plane(48, 40);
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 48; ++x) plane.at(x, y) = ((x + y) % 2 == 0 ? 1.0 : 0.0) * (x < 24 ? 1 : 0.25);
  }
  FilterOptions o = basic({48, 40}, Format::kR32Sfloat);
  o.shape = FilterShape::kGaussian;
  const Image image = image_of({plane}, Format::kR32Sfloat);
  const Plane domain = extend(plane, 96, 80, 0, 0, Boundary::kMirror);
  for (const double sigma : {0.2, 0.15, 0.1, 0.05, 0.001, 2e-10}) {
    o.cutoff = gaussian_cutoff(static_cast<float>(sigma));
    const Plane wanted = crop(filter(domain,
                                     [&](double fx, double fy) {
                                       const double x = 3.14159265358979 * sigma;
                                       return std::exp(-2 * x * x * (fx * fx + fy * fy));
                                     }),
                              0, 0, 48, 40);
    EXPECT_LE(difference(plane_of(run(o, image), 0), wanted), 2e-6) << sigma;
  }
  o.band = FilterBand::kHighPass;
  EXPECT_LE(largest(plane_of(run(o, image), 0)), 1e-6);
  o.boundary = Boundary::kClamp;
  const Extent narrow = plan_filter(o)->domain;
  o.cutoff = 1;
  EXPECT_EQ(narrow, plan_filter(o)->domain);
}

// Figures of docs/fourier_operations.md: onepass samples a Gaussian over frequencies, others over texels.
TEST(Filter, GaussianAgainstASampledOne) {
  for (const auto& [sigma, apart, within] : {std::tuple{0.3, 0.228, 1e-3},
                                             {0.5, 0.121, 1e-3},
                                             {0.7, 0.0178, 1e-4},
                                             {1.0, 5.35e-4, 2e-6},
                                             {5.0, 9.4e-7, 3e-7}}) {
    // As scipy.ndimage.gaussian_filter: radius 4 sigma, weights of sum 1.
    const int radius = static_cast<int>(4 * sigma + 0.5);
    std::vector<double> weights;
    double sum = 0;
    for (int i = -radius; i <= radius; ++i) sum += weights.emplace_back(std::exp(-i * i / (2 * sigma * sigma)));
    Plane plane(101, 101), sampled(101, 101);
    plane.at(50, 50) = 1;
    for (int y = -radius; y <= radius; ++y) {
      for (int x = -radius; x <= radius; ++x) {
        sampled.at(50 + x, 50 + y) =
            weights[static_cast<size_t>(x + radius)] * weights[static_cast<size_t>(y + radius)] / (sum * sum);
      }
    }
    FilterOptions o = basic({101, 101}, Format::kR32Sfloat);
    o.shape = FilterShape::kGaussian;
    o.cutoff = gaussian_cutoff(static_cast<float>(sigma));
    EXPECT_NEAR(difference(plane_of(run(o, image_of({plane}, Format::kR32Sfloat)), 0), sampled), apart, within)
        << sigma;
  }
}

// The same stripes are attenuated equally along both axes of a 96x24 image: contours of gain are circles.
TEST(Filter, IsIsotropicOnAnyShape) {
  FilterOptions o = basic({96, 24}, Format::kR32Sfloat);
  o.boundary = Boundary::kWrap;
  o.cutoff = 0.1F;
  const auto amplitude = [&](bool across) {
    Plane plane(96, 24);
    for (int y = 0; y < 24; ++y) {
      for (int x = 0; x < 96; ++x) plane.at(x, y) = std::cos(2 * 3.14159265358979 * (across ? x : y) / 8);
    }
    return largest(plane_of(run(o, image_of({plane}, Format::kR32Sfloat)), 0));
  };
  const double wanted = 1 / (1 + std::pow(0.125 / 0.1, 4));
  EXPECT_NEAR(amplitude(true), wanted, 1e-5);
  EXPECT_NEAR(amplitude(false), wanted, 1e-5);
}

TEST(Filter, NotchRemovesStripesAndNothingElse) {
  Plane photo(64, 48);
  Plane striped = photo;
  for (int y = 0; y < 48; ++y) {
    for (int x = 0; x < 64; ++x) {
      photo.at(x, y) = 0.5 + 0.2 * std::cos(2 * 3.14159265358979 * (x / 64.0 + y / 48.0));
      striped.at(x, y) = photo.at(x, y) + 0.3 * std::cos(2 * 3.14159265358979 * (x * 0.25 - y * 0.125) + 1);
    }
  }
  FilterOptions o = basic({64, 48}, Format::kR32Sfloat);
  o.band = FilterBand::kAll;
  o.shape = FilterShape::kIdeal;
  o.boundary = Boundary::kWrap;
  o.notch_count = 1;
  o.notches[0] = {-0.25F, 0.125F, 0.01F};
  EXPECT_LE(difference(plane_of(run(o, image_of({striped}, Format::kR32Sfloat)), 0), photo), 1e-5);
}

TEST(Filter, HomomorphicFiltersLogarithms) {
  std::mt19937 random(23);
  std::vector<Plane> planes;
  for (int c = 0; c < 4; ++c) planes.push_back(noise(30, 20, random, 0, c == 3 ? 1 : 100));
  planes[0].at(3, 3) = -5;
  FilterOptions o = basic({30, 20}, Format::kRGBA32Sfloat);
  o.band = FilterBand::kHighPass;
  o.domain = FilterDomain::kLogarithm;
  o.stop_gain = 0.4F;
  o.pass_gain = 1.3F;
  o.log_offset = 0.5F;
  const Image made = run(o, image_of(planes, o.source));
  for (uint32_t c = 0; c < 3; ++c) {
    Plane log = extend(planes[c], 60, 40, 0, 0, Boundary::kMirror);
    for (double& v : log.v) v = std::log(std::max(v, 0.0) + 0.5);
    Plane wanted = crop(filter(log, [&](double fx, double fy) { return formula(o, fx, fy); }), 0, 0, 30, 20);
    for (double& v : wanted.v) v = std::exp(v) - 0.5;
    EXPECT_LE(difference(plane_of(made, c), wanted), 2e-6 * largest(wanted)) << c;
  }
  EXPECT_EQ(difference(plane_of(made, 3), planes[3]), 0);
}

TEST(Filter, FormatsChannelsSlicesAndAlpha) {
  std::mt19937 random(24);
  std::vector<Plane> planes;
  for (int i = 0; i < 8; ++i) planes.push_back(noise(21, 18, random));
  FilterOptions o = basic({21, 18}, Format::kRGBA32Sfloat);
  o.slices = 2;
  o.alpha = AlphaPolicy::kPass;
  const Image made = run(o, image_of(planes, o.source, 2));
  for (uint32_t slice = 0; slice < 2; ++slice) {
    for (uint32_t c = 0; c < 4; ++c) {
      const Plane& plane = planes[slice * 4 + c];
      const Plane domain = extend(plane, 42, 36, 0, 0, Boundary::kMirror);
      const Plane wanted =
          c == 3 ? plane : crop(filter(domain, [&](double x, double y) { return formula(o, x, y); }), 0, 0, 21, 18);
      EXPECT_LE(difference(plane_of(made, c, slice), wanted), c == 3 ? 0 : 2e-6) << slice << " " << c;
    }
  }
  // A filter that passes all frequencies returns 8-bit images bit by bit.
  FilterOptions all = basic({21, 18}, Format::kRGBA8Srgb);
  all.band = FilterBand::kAll;
  const Image bytes = image_of({planes[0], planes[1], planes[2], planes[3]}, Format::kRGBA8Srgb);
  const Image same = run(all, bytes);
  EXPECT_EQ(std::memcmp(same.data(), bytes.data(), bytes.size_in_bytes()), 0);
}

TEST(Filter, TheSameBitsForThreadsAndTheSameNumbersForSimdTargets) {
  const onepass::testing::SevenThreads seven;
  std::mt19937 random(25);
  const Image image =
      image_of({noise(99, 50, random), noise(99, 50, random), noise(99, 50, random)}, Format::kRGBA32Sfloat);
  FilterOptions o = basic({99, 50}, Format::kRGBA32Sfloat);
  o.notch_count = 1;
  o.notches[0] = {0.1F, 0.2F, 0.03F};
  const Image one = run(o, image, 1);
  for (const uint32_t threads : {2U, 7U}) {
    const Image many = run(o, image, threads);
    EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size_in_bytes()), 0) << threads;
  }
  onepass::testing::on_every_simd_target([&](const char* target) {
    const Image made = run(o, image);
    for (uint32_t c = 0; c < 3; ++c) EXPECT_LE(difference(plane_of(made, c), plane_of(one, c)), 1e-5) << target;
  });
}

TEST(FilterErrors, NameFieldAndValue) {
  const auto refused = [&](const std::function<void(FilterOptions&)>& change, const std::string& words) {
    FilterOptions options = basic({8, 8}, Format::kR32Sfloat);
    change(options);
    const auto plan = plan_filter(options);
    ASSERT_FALSE(plan) << words;
    EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(plan.error().message.find(words), std::string::npos) << plan.error().message;
    EXPECT_FALSE(cpu::Filter::create(options));
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  refused([](auto& o) { o.size = {8, 0}; }, "size: 8x0");
  refused([](auto& o) { o.size = {40000, 8}; }, "domain of 80000x16");
  refused([](auto& o) { o.cutoff = 0; }, "cutoff: 0 is not");
  refused([](auto& o) { o.cutoff = 1e-25F; }, "cutoff: 1e-25 is not within 1e-9 and 1");
  refused(
      [](auto& o) {
        o.boundary = Boundary::kClamp;
        o.margin = 4294967295;
      },
      "margin: 4294967295 around 8x8");
  refused([](auto& o) { o.cutoff = 1.5F; }, "cutoff: 1.5");
  refused([&](auto& o) { o.cutoff = nan; }, "cutoff: nan");
  refused(
      [](auto& o) {
        o.shape = FilterShape::kGaussian;
        o.cutoff = 2e9F;
      },
      "cutoff: 2e+09 is not within 1e-9 and 1e9 cycles per texel");
  refused(
      [](auto& o) {
        o.shape = FilterShape::kGaussian;
        o.band = FilterBand::kBandStop;
        o.cutoff = 1.5F;
        o.upper_cutoff = 2;
      },
      "cutoff: 1.5 is not within 1e-9 and 1 cycle per texel");
  refused(
      [](auto& o) {
        o.band = FilterBand::kBandPass;
        o.cutoff = 0.3F;
      },
      "upper_cutoff: 0.2");
  refused([](auto& o) { o.order = 0; }, "order: 0");
  refused([](auto& o) { o.order = 65; }, "order: 65");
  refused([&](auto& o) { o.stop_gain = nan; }, "stop_gain");
  refused([&](auto& o) { o.pass_gain = nan; }, "pass_gain");
  refused(
      [](auto& o) {
        o.stop_gain = -3e38F;
        o.pass_gain = 3e38F;
      },
      "pass_gain: 3e+38 less stop_gain, -3e+38");
  refused(
      [](auto& o) {
        o.domain = FilterDomain::kLogarithm;
        o.boundary = Boundary::kZero;
      },
      "boundary: zero");
  refused([](auto& o) { o.notch_count = 33; }, "notch_count: 33");
  refused(
      [](auto& o) {
        o.notch_count = 1;
        o.notches[0] = {0.6F, 0, 0.1F};
      },
      "notches[0]: the frequency 0.6");
  refused(
      [](auto& o) {
        o.notch_count = 2;
        o.notches[0].radius = 0.1F;
      },
      "notches[1]: the radius 0 is");
  refused(
      [](auto& o) {
        o.domain = FilterDomain::kLogarithm;
        o.log_offset = 0;
      },
      "log_offset: 0 is");
  refused(
      [](auto& o) {
        o.boundary = Boundary::kWrap;
        o.margin = 3;
      },
      "margin: 3");
  refused([](auto& o) { o.band = static_cast<FilterBand>(7); }, "band");
  refused([](auto& o) { o.shape = static_cast<FilterShape>(7); }, "shape");
  refused([](auto& o) { o.dc = static_cast<DcGain>(7); }, "dc");
  refused([](auto& o) { o.domain = static_cast<FilterDomain>(7); }, "domain");
  refused([](auto& o) { o.alpha = static_cast<AlphaPolicy>(7); }, "alpha");
  refused([](auto& o) { o.boundary = static_cast<Boundary>(7); }, "boundary");
  auto filter = cpu::Filter::create(basic({8, 8}, Format::kR32Sfloat));
  const Image other = image_of({Plane(8, 7)}, Format::kR32Sfloat);
  auto target = Image::create(Format::kR32Sfloat, {8, 8});
  EXPECT_FALSE(filter->apply(other.view(), target->view()));
}

}  // namespace
}  // namespace fourier_ops_test
