// vulkan_fourier_ops_test.cpp: operations on spectra on the device under test. Oracle: the CPU engine, which has its
// own oracles.
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

#include "onepass/vulkan/fourier_correlation.hpp"
#include "onepass/vulkan/fourier_deconvolution.hpp"
#include "onepass/vulkan/fourier_filter.hpp"
#include "tests/support/test_seed.hpp"
#include "tests/vulkan/vulkan_testing.hpp"

namespace onepass::testing {
namespace {

using vulkan::TransformTuning;

constexpr TransformTuning kShared;
constexpr TransformTuning kPingPong{.technique = FourierTechnique::kPingPong};
constexpr TransformTuning kFourStep{.technique = FourierTechnique::kFourStep};
constexpr TransformTuning kSixteenValues{.values_per_invocation = 16};  // also two signals per value, as large images
constexpr TransformTuning kTunings[] = {kShared, kFourStep, kPingPong, kSixteenValues};

// The largest difference allowed between device and CPU, relative to the largest value: three times the contract on
// transforms, rounded up.
constexpr double kTolerance = 2e-6;

class VulkanFourierOps : public VulkanTest {};

Image random_image(Format format, Extent size, uint32_t slices, Random& random) {
  auto image = Image::create(format, size, slices);
  EXPECT_TRUE(image);
  fill_random(image->view(), random);
  return std::move(*image);
}

// Positive weights, so that no kernel sums to 0.
Image random_kernel(Format format, Extent size, Random& random) {
  auto image = Image::create(format, size);
  EXPECT_TRUE(image);
  std::vector<float> row(size_t{4} * size.width);
  for (uint32_t y = 0; y < size.height; ++y) {
    for (float& value : row) value = random.between(0.1F, 1.0F);
    encode_row(format, row.data(), size.width, image->view().row(y));
  }
  return std::move(*image);
}

// Decoded texels of all slices.
std::vector<float> texels_of(const Image& image) {
  const size_t row = size_t{4} * image.size().width;
  std::vector<float> out(row * image.size().height * image.slices());
  for (uint32_t s = 0; s < image.slices(); ++s) {
    for (uint32_t y = 0; y < image.size().height; ++y) {
      decode_row(image.format(), image.view().row(y, s), image.size().width,
                 out.data() + (size_t{s} * image.size().height + y) * row);
    }
  }
  return out;
}

// The largest difference divided by the largest value; infinite for NaN.
double apart(const Image& actual, const Image& expected) {
  const std::vector<float> a = texels_of(actual), e = texels_of(expected);
  if (a.size() != e.size()) return std::numeric_limits<double>::infinity();
  double most = 0;
  double largest = 1e-30;
  for (size_t i = 0; i < a.size(); ++i) {
    const double difference = std::fabs(double{a[i]} - e[i]);
    if (!(difference <= most)) most = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
    largest = std::max(largest, std::fabs(double{e[i]}));
  }
  return most / largest;
}

// The largest difference between bytes of 8-bit images.
int codes_apart(const Image& actual, const Image& expected) {
  int most = 0;
  for (size_t i = 0; i < expected.size_in_bytes(); ++i) {
    most = std::max(most, std::abs(static_cast<int>(actual.data()[i]) - static_cast<int>(expected.data()[i])));
  }
  return most;
}

Format floats(uint32_t channels) {
  constexpr Format kFloats[] = {Format::kR32Sfloat, Format::kRG32Sfloat, Format::kRGBA32Sfloat, Format::kRGBA32Sfloat};
  return kFloats[channels - 1];
}

template <typename T, size_t kCount>
T any_of(const T (&values)[kCount], Random& random) {
  return values[random.below(kCount)];
}

struct Pair {
  Image actual;
  Image expected;
};

// Runs both engines on one image. An error of either fails the test.
Pair convolve_on_both(const ConvolutionOptions& options, const TransformTuning& tuning, const Image& kernel,
                      const Image& source) {
  Pair out;
  auto convolver = cpu::Convolver::create(options);
  EXPECT_TRUE(convolver) << (convolver ? "" : convolver.error().text());
  if (!convolver) return out;
  const auto& plan = convolver->plan();
  out.expected = std::move(*Image::create(plan.options.target, plan.result_size, options.slices));
  out.actual = std::move(*Image::create(plan.options.target, plan.result_size, options.slices));
  auto done = convolver->set_kernel(kernel.view());
  if (done) done = convolver->convolve(source.view(), out.expected.view());
  EXPECT_TRUE(done) << (done ? "" : done.error().text());
  const auto made =
      vulkan::convolve_image(test_device(), options, tuning, kernel.view(), source.view(), out.actual.view());
  EXPECT_TRUE(made) << (made ? "" : made.error().text());
  return out;
}

Pair filter_on_both(const FilterOptions& options, const TransformTuning& tuning, const Image& source) {
  Pair out;
  auto filter = cpu::Filter::create(options);
  EXPECT_TRUE(filter) << (filter ? "" : filter.error().text());
  if (!filter) return out;
  out.expected = std::move(*Image::create(filter->plan().options.target, options.size, options.slices));
  out.actual = std::move(*Image::create(filter->plan().options.target, options.size, options.slices));
  const auto done = filter->apply(source.view(), out.expected.view());
  EXPECT_TRUE(done) << (done ? "" : done.error().text());
  const auto made = vulkan::filter_image(test_device(), options, tuning, source.view(), out.actual.view());
  EXPECT_TRUE(made) << (made ? "" : made.error().text());
  return out;
}

Pair deconvolve_on_both(const DeconvolutionOptions& options, const TransformTuning& tuning, const Image& kernel,
                        const Image& source) {
  Pair out;
  auto deconvolver = cpu::Deconvolver::create(options);
  EXPECT_TRUE(deconvolver) << (deconvolver ? "" : deconvolver.error().text());
  if (!deconvolver) return out;
  out.expected = std::move(*Image::create(deconvolver->plan().options.target, options.size, options.slices));
  out.actual = std::move(*Image::create(deconvolver->plan().options.target, options.size, options.slices));
  auto done = deconvolver->set_kernel(kernel.view());
  if (done) done = deconvolver->deconvolve(source.view(), out.expected.view());
  EXPECT_TRUE(done) << (done ? "" : done.error().text());
  const auto made =
      vulkan::deconvolve_image(test_device(), options, tuning, kernel.view(), source.view(), out.actual.view());
  EXPECT_TRUE(made) << (made ? "" : made.error().text());
  return out;
}

std::string text(const ConvolutionOptions& o) {
  return std::to_string(o.size.width) + "x" + std::to_string(o.size.height) + "x" + std::to_string(o.slices) +
         " channels " + std::to_string(o.channels) + " kernel " + std::to_string(o.kernel_size.width) + "x" +
         std::to_string(o.kernel_size.height) + " boundary " + std::to_string(static_cast<int>(o.boundary)) + " mode " +
         std::to_string(static_cast<int>(o.mode)) + " planes " + std::to_string(static_cast<int>(o.kernel_channels)) +
         " alpha " + std::to_string(static_cast<int>(o.alpha)) + " mix " + std::to_string(o.mix);
}

::testing::AssertionResult convolution_matches(const ConvolutionOptions& options, const TransformTuning& tuning,
                                               Random& random) {
  const Image source = random_image(options.source, options.size, options.slices, random);
  const Image kernel = random_kernel(options.kernel, options.kernel_size, random);
  const Pair pair = convolve_on_both(options, tuning, kernel, source);
  const double error = apart(pair.actual, pair.expected);
  if (error < kTolerance) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << text(options) << ": " << error;
}

// A random selection of boundaries x modes x kernels x channels x alpha x planes; more in a full run.
TEST_F(VulkanFourierOps, ConvolutionsOfAllKinds) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  constexpr Boundary kBoundaries[] = {Boundary::kZero, Boundary::kWrap, Boundary::kClamp, Boundary::kMirror};
  constexpr ConvolutionMode kModes[] = {ConvolutionMode::kSame, ConvolutionMode::kFull, ConvolutionMode::kValid};
  for (uint32_t round = 0; round < (full_run() ? 600U : 12U); ++round) {
    // The first 12 rounds combine every boundary with every mode.
    ConvolutionOptions o{.boundary = kBoundaries[round % 4], .mode = kModes[round / 4 % 3]};
    o.channels = 1 + random.below(4);
    o.source = floats(o.channels);
    // Mostly small sizes: software Vulkan takes half a second to compile the kernel of a long line.
    const uint32_t most = full_run() || round % 8 == 7 ? 60 : 9;
    o.size = {1 + random.below(most), 1 + random.below(most)};
    o.slices = 1 + random.below(2);
    o.kernel_size = {1 + random.below(most / 2), 1 + random.below(most / 2)};
    if (o.mode == ConvolutionMode::kValid) {
      o.kernel_size = {std::min(o.kernel_size.width, o.size.width), std::min(o.kernel_size.height, o.size.height)};
    }
    o.kernel_channels = any_of({KernelChannels::kShared, KernelChannels::kPerChannel}, random);
    o.kernel = o.kernel_channels == KernelChannels::kShared
                   ? any_of({Format::kR32Sfloat, Format::kRGBA32Sfloat}, random)
                   : floats(std::min(o.channels, 3U));
    o.scale = any_of({KernelScale::kNone, KernelScale::kUnitSum, KernelScale::kUnitSumPerChannel}, random);
    o.alpha = any_of({AlphaPolicy::kFilter, AlphaPolicy::kPass}, random);
    if (o.mode == ConvolutionMode::kSame && random.below(2) == 0) o.mix = 0.25F;
    ASSERT_TRUE(convolution_matches(o, kTunings[round % std::size(kTunings)], random))
        << "round " << round << " seed " << seed;
  }
}

// A kernel for all channels leaves pairs of channels in one complex signal; one kernel per channel separates them.
TEST_F(VulkanFourierOps, SharedKernelsAndPlanes) {
  Random random(2);
  for (const TransformTuning& tuning : kTunings) {
    for (uint32_t channels = 1; channels <= 4; ++channels) {
      for (const KernelChannels planes : {KernelChannels::kShared, KernelChannels::kPerChannel}) {
        const bool shared = tuning.technique == kShared.technique;
        if (!full_run() && (channels < 3 || (!shared && channels != 3))) continue;
        const ConvolutionOptions o{.size = {20, 12},
                                   .slices = 2,
                                   .channels = channels,
                                   .source = floats(channels),
                                   .kernel_size = {6, 5},
                                   .kernel = floats(std::min(channels, 3U)),
                                   .boundary = Boundary::kWrap,
                                   .kernel_channels = planes};
        EXPECT_TRUE(convolution_matches(o, tuning, random));
      }
    }
  }
}

// Wrapped images have columns of any length; columns with large prime factors store their spectrum.
TEST_F(VulkanFourierOps, ColumnsOfAnyLength) {
  Random random(3);
  for (const uint32_t height :
       full_run() ? std::vector<uint32_t>{1, 2, 3, 11, 97, 128, 194} : std::vector<uint32_t>{1, 22}) {
    for (uint32_t channels = 1; channels <= 4; channels += 3) {
      const FilterOptions o{.size = {14, height},
                            .channels = channels,
                            .source = floats(channels),
                            .cutoff = 0.2F,
                            .boundary = Boundary::kWrap};
      const Pair pair = filter_on_both(o, kShared, random_image(o.source, o.size, 1, random));
      EXPECT_LT(apart(pair.actual, pair.expected), kTolerance) << height << " channels " << channels;
    }
  }
  // Columns of several radices, in order and in reverse; and columns longer than shared memory holds.
  for (const uint32_t height : {2560U, 3072U, 9000U}) {
    const FilterOptions o{
        .size = {3, height}, .source = Format::kRG32Sfloat, .cutoff = 0.2F, .boundary = Boundary::kWrap};
    const Pair pair = filter_on_both(o, kShared, random_image(o.source, o.size, 1, random));
    EXPECT_LT(apart(pair.actual, pair.expected), kTolerance) << height;
  }
}

TEST_F(VulkanFourierOps, FiltersOfAllKinds) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  constexpr FilterBand kBands[] = {FilterBand::kAll, FilterBand::kLowPass, FilterBand::kHighPass, FilterBand::kBandPass,
                                   FilterBand::kBandStop};
  constexpr FilterShape kShapes[] = {FilterShape::kIdeal, FilterShape::kButterworth, FilterShape::kGaussian};
  for (uint32_t round = 0; round < (full_run() ? 300U : 6U); ++round) {
    FilterOptions o{.band = kBands[round % 5], .shape = kShapes[round % 3]};
    o.channels = 1 + random.below(4);
    o.source = floats(o.channels);
    const uint32_t most = full_run() || round == 3 ? 50 : 9;
    o.size = {1 + random.below(most), 1 + random.below(most)};
    o.cutoff = random.between(0.05F, 0.3F);
    o.upper_cutoff = o.cutoff + 0.15F;
    o.order = 1 + random.below(8);
    o.stop_gain = random.between(0.0F, 0.5F);
    o.dc = any_of({DcGain::kFilter, DcGain::kKeep, DcGain::kRemove}, random);
    o.alpha = any_of({AlphaPolicy::kFilter, AlphaPolicy::kPass}, random);
    o.boundary = any_of({Boundary::kZero, Boundary::kWrap, Boundary::kClamp, Boundary::kMirror}, random);
    o.notch_count = random.below(3);
    for (uint32_t i = 0; i < o.notch_count; ++i) {
      o.notches[i] = {random.between(-0.5F, 0.5F), random.between(-0.5F, 0.5F), 0.07F};
    }
    const Pair pair =
        filter_on_both(o, kTunings[round % std::size(kTunings)], random_image(o.source, o.size, o.slices, random));
    ASSERT_LT(apart(pair.actual, pair.expected), kTolerance)
        << "round " << round << " seed " << seed << " size " << o.size.width << "x" << o.size.height << " channels "
        << o.channels << " band " << round % 5 << " shape " << round % 3 << " notches " << o.notch_count;
  }
}

// A frequency exactly on an ideal cutoff passes on both engines.
TEST_F(VulkanFourierOps, IdealCutoffsAgree) {
  Random random(5);
  for (const uint32_t n : full_run() ? std::vector<uint32_t>{100, 60, 70} : std::vector<uint32_t>{70}) {
    const FilterOptions o{.size = {n, n / 10},
                          .source = Format::kR32Sfloat,
                          .shape = FilterShape::kIdeal,
                          .cutoff = 0.1F,
                          .boundary = Boundary::kWrap};
    const Pair pair = filter_on_both(o, kShared, random_image(o.source, o.size, 1, random));
    EXPECT_LT(apart(pair.actual, pair.expected), kTolerance) << n;
  }
}

TEST_F(VulkanFourierOps, HomomorphicFilters) {
  Random random(6);
  for (const Format format : {Format::kR32Sfloat, Format::kRGBA32Sfloat}) {
    if (!full_run() && format == Format::kR32Sfloat) continue;
    const FilterOptions o{.size = {10, 6},
                          .slices = 2,
                          .source = format,
                          .band = FilterBand::kHighPass,
                          .stop_gain = 0.5F,
                          .pass_gain = 1.2F,
                          .domain = FilterDomain::kLogarithm};
    const Pair pair = filter_on_both(o, kShared, random_image(format, o.size, o.slices, random));
    EXPECT_LT(apart(pair.actual, pair.expected), 4e-6) << format_info(format).name;
  }
}

// 8-bit and sRGB images: within one quantised step, alpha exact.
TEST_F(VulkanFourierOps, EightBitImages) {
  Random random(7);
  for (const Format format : full_run() ? std::vector{Format::kRGBA8Srgb, Format::kRGBA8Unorm, Format::kR8Unorm}
                                        : std::vector{Format::kRGBA8Srgb}) {
    const Image source = random_image(format, {12, 15}, 1, random);
    const Image kernel = random_kernel(Format::kRGBA32Sfloat, {5, 7}, random);
    const ConvolutionOptions c{.size = source.size(),
                               .source = format,
                               .kernel_size = kernel.size(),
                               .kernel = kernel.format(),
                               .boundary = Boundary::kMirror,
                               .mode = ConvolutionMode::kFull,
                               .scale = KernelScale::kUnitSum,
                               .alpha = AlphaPolicy::kPass};
    const Pair convolved = convolve_on_both(c, kShared, kernel, source);
    EXPECT_LE(codes_apart(convolved.actual, convolved.expected), 1) << format_info(format).name;
    const FilterOptions f{
        .size = source.size(), .source = format, .domain = FilterDomain::kLogarithm, .alpha = AlphaPolicy::kPass};
    const Pair filtered = filter_on_both(f, kShared, source);
    EXPECT_LE(codes_apart(filtered.actual, filtered.expected), 1) << format_info(format).name;
    if (format_info(format).channels < 4) continue;
    for (const Pair* pair : {&convolved, &filtered}) {
      for (size_t i = 3; i < pair->expected.size_in_bytes(); i += 4) {
        ASSERT_EQ(pair->actual.data()[i], pair->expected.data()[i]) << "alpha of texel " << i / 4;
      }
    }
  }
}

TEST_F(VulkanFourierOps, WienerDeconvolutions) {
  Random random(8);
  for (const DeconvolutionEdges edges :
       {DeconvolutionEdges::kMirror, DeconvolutionEdges::kTaper, DeconvolutionEdges::kWrap}) {
    for (uint32_t channels = 1; channels <= 4; ++channels) {
      if (!full_run() && (channels + static_cast<uint32_t>(edges)) % 4 != 2) continue;
      const bool planes = channels % 2 == 0;
      const DeconvolutionOptions o{.size = {10, 12},
                                   .slices = 1 + channels % 2,
                                   .channels = channels,
                                   .source = floats(channels),
                                   .kernel_size = {4, 5},
                                   .kernel = floats(std::min(channels, 3U)),
                                   .kernel_channels = planes ? KernelChannels::kPerChannel : KernelChannels::kShared,
                                   .alpha = channels == 4 ? AlphaPolicy::kPass : AlphaPolicy::kFilter,
                                   .edges = edges,
                                   .noise = 0.02F,
                                   .prior = channels % 3 == 0 ? WienerPrior::kLaplacian : WienerPrior::kFlat};
      const Image source = random_image(o.source, o.size, o.slices, random);
      const Image kernel = random_kernel(o.kernel, o.kernel_size, random);
      const Pair pair = deconvolve_on_both(o, channels == 2 ? kPingPong : kShared, kernel, source);
      // The filter amplifies rounding errors by up to 1 / (2 sqrt(noise)) = 3.5.
      EXPECT_LT(apart(pair.actual, pair.expected), 3.5 * kTolerance)
          << "edges " << static_cast<int>(edges) << " channels " << channels;
    }
  }
}

TEST_F(VulkanFourierOps, RichardsonLucy) {
  Random random(9);
  for (const DeconvolutionEdges edges : {DeconvolutionEdges::kUnknown, DeconvolutionEdges::kWrap}) {
    for (uint32_t channels = 1; channels <= 4; ++channels) {
      if (!full_run() && (channels + static_cast<uint32_t>(edges)) % 3 != 0) continue;
      DeconvolutionOptions o{.size = {12, 10},
                             .slices = 1 + channels % 2,
                             .channels = channels,
                             .source = floats(channels),
                             .kernel_size = {5, 3},
                             .kernel = floats(std::min(channels, 3U)),
                             .kernel_channels = channels == 3 ? KernelChannels::kPerChannel : KernelChannels::kShared,
                             .alpha = AlphaPolicy::kPass,
                             .method = DeconvolutionMethod::kRichardsonLucy,
                             .edges = edges,
                             .iterations = 6};
      const Image source = random_image(o.source, o.size, o.slices, random);
      const Image kernel = random_kernel(o.kernel, o.kernel_size, random);
      for (const DeconvolutionStart start : {DeconvolutionStart::kImage, DeconvolutionStart::kConstant}) {
        o.start = start;
        const Pair pair = deconvolve_on_both(o, channels == 2 ? kPingPong : kShared, kernel, source);
        EXPECT_LT(apart(pair.actual, pair.expected), 5e-5)
            << "edges " << static_cast<int>(edges) << " channels " << channels << " start " << static_cast<int>(start);
      }
    }
  }
}

// Richardson-Lucy on images in very small and very large units, and with Inf and NaN. Oracle: the CPU engine.
TEST_F(VulkanFourierOps, RichardsonLucyOfAnyUnit) {
  Random random(19);
  DeconvolutionOptions o{.size = {70, 9},
                         .slices = 3,
                         .source = Format::kRGBA32Sfloat,
                         .kernel_size = {5, 3},
                         .kernel = Format::kR32Sfloat,
                         .alpha = AlphaPolicy::kPass,
                         .method = DeconvolutionMethod::kRichardsonLucy,
                         .iterations = 6};
  Image source = random_image(o.source, o.size, o.slices, random);
  const Image kernel = random_kernel(o.kernel, o.kernel_size, random);
  const auto values = [&](Image& image, uint32_t slice) {
    return std::span(reinterpret_cast<float*>(image.view().row(0, slice)), size_t{4} * o.size.width * o.size.height);
  };
  const float units[] = {1e-12F, 1e9F, 1.0F};
  for (uint32_t slice = 0; slice < 3; ++slice) {
    const auto all = values(source, slice);
    for (size_t i = 0; i < all.size(); ++i) all[i] = i % 4 == 3 ? 1 : all[i] * units[slice];  // alpha has no unit
  }
  Pair pair = deconvolve_on_both(o, kShared, kernel, source);
  for (uint32_t slice = 0; slice < 3; ++slice) {
    const auto actual = values(pair.actual, slice), expected = values(pair.expected, slice);
    double sum = 0;
    for (size_t i = 0; i < actual.size(); ++i) {
      if (i % 4 == 3) {
        ASSERT_EQ(actual[i], 1) << slice << " " << i;
      } else {
        ASSERT_NEAR(actual[i], expected[i], 4 * 5e-5 * units[slice]) << slice << " " << i;
      }
      if (i % 4 != 3) sum += expected[i];
    }
    EXPECT_GT(sum, 100 * units[slice]) << "not black";
  }

  values(source, 1)[4] = std::numeric_limits<float>::infinity();
  values(source, 2)[8] = std::numeric_limits<float>::quiet_NaN();
  pair = deconvolve_on_both(o, kShared, kernel, source);
  for (uint32_t slice = 0; slice < 3; ++slice) {
    const auto actual = values(pair.actual, slice), expected = values(pair.expected, slice);
    for (size_t i = 0; i < actual.size(); ++i) {
      if (i % 4 == 3) continue;
      ASSERT_FALSE(std::isnan(actual[i])) << slice << " " << i;
      if (slice == 1) {
        ASSERT_EQ(actual[i] > 1e30F, expected[i] > 1e30F) << i;
      } else {
        ASSERT_NEAR(actual[i], expected[i], 4 * 5e-5 * units[slice]) << slice << " " << i;
      }
    }
  }
}

// A smooth pattern, shifted by (dx, dy) and sampled at the texels.
Image moved(Extent size, double dx, double dy, Format format) {
  auto image = Image::create(format, size);
  std::vector<float> row(size_t{4} * size.width);
  const double w = size.width, h = size.height, tau = 6.283185307179586;
  for (uint32_t y = 0; y < size.height; ++y) {
    for (uint32_t x = 0; x < size.width; ++x) {
      double value = 0.5;
      for (int k = 1; k < 9; ++k) {
        value += 0.04 * std::sin(tau * (k * (x - dx) / w + (k * k % 7) * (y - dy) / h) + k);
        value += 0.03 * std::cos(tau * ((k * 3 % 5) * (x - dx) / w - k * (y - dy) / h) - 2 * k);
      }
      for (size_t c = 0; c < 3; ++c) row[size_t{4} * x + c] = static_cast<float>(value);
      row[size_t{4} * x + 3] = 1;
    }
    encode_row(format, row.data(), size.width, image->view().row(y));
  }
  return std::move(*image);
}

TEST_F(VulkanFourierOps, ShiftsAreFound) {
  for (const CorrelationKind kind : {CorrelationKind::kPhase, CorrelationKind::kCross}) {
    for (const PeakRefinement refinement :
         {PeakRefinement::kNone, PeakRefinement::kParabola, PeakRefinement::kFourier}) {
      const CorrelationOptions o{
          .size = {96, 77},
          .first = Format::kRGBA32Sfloat,
          .second = Format::kR32Sfloat,
          .kind = kind,
          .window = refinement == PeakRefinement::kNone ? CorrelationWindow::kHann : CorrelationWindow::kNone,
          .refinement = refinement,
          .floor = 1e-3F};
      const Image first = moved(o.size, 5.25, -3.5, o.first);
      const Image second = moved(o.size, 0, 0, o.second);
      auto correlator = cpu::Correlator::create(o);
      ASSERT_TRUE(correlator);
      const auto expected = correlator->estimate(first.view(), second.view());
      ASSERT_TRUE(expected);
      auto surface = Image::create(Format::kR32Sfloat, o.size);
      auto reference = Image::create(Format::kR32Sfloat, o.size);
      ASSERT_TRUE(correlator->correlate(first.view(), second.view(), reference->view()));
      const MutableImageView target = surface->view();
      const auto actual = vulkan::estimate_shift(test_device(), o, kShared, first.view(), second.view(), &target);
      ASSERT_TRUE(actual) << actual.error().text();
      EXPECT_NEAR(actual->shift.x, expected->x, 1e-3);
      EXPECT_NEAR(actual->shift.y, expected->y, 1e-3);
      EXPECT_NEAR(actual->shift.confidence, expected->confidence, 1e-4);
      EXPECT_LT(apart(*surface, *reference), 1e-4);
      if (refinement == PeakRefinement::kFourier) {
        EXPECT_NEAR(actual->shift.x, 5.25, 0.02);
        EXPECT_NEAR(actual->shift.y, -3.5, 0.02);
      }
    }
  }
}

TEST_F(VulkanFourierOps, CorrelationsOfNoise) {
  Random random(11);
  for (const Extent size : {Extent{1, 1}, Extent{2, 5}, Extent{120, 64}}) {
    const CorrelationOptions o{.size = size, .first = Format::kRGBA32Sfloat};
    const Image first = random_image(o.first, size, 1, random);
    const Image second = random_image(o.first, size, 1, random);
    auto correlator = cpu::Correlator::create(o);
    ASSERT_TRUE(correlator);
    auto surface = Image::create(Format::kR32Sfloat, size);
    auto reference = Image::create(Format::kR32Sfloat, size);
    ASSERT_TRUE(correlator->correlate(first.view(), second.view(), reference->view()));
    const MutableImageView target = surface->view();
    const auto actual = vulkan::estimate_shift(test_device(), o, kShared, first.view(), second.view(), &target);
    ASSERT_TRUE(actual) << actual.error().text();
    EXPECT_LT(apart(*surface, *reference), 1e-4) << size.width << "x" << size.height;
    const auto again = vulkan::estimate_shift(test_device(), o, kShared, first.view(), second.view());
    ASSERT_TRUE(again);
    EXPECT_EQ(again->shift.x, actual->shift.x);
    EXPECT_EQ(again->shift.y, actual->shift.y);
    EXPECT_EQ(again->shift.confidence, actual->shift.confidence);
  }
}

// Shifts that rounding could decide: of periodic patterns, of images that are constant along an axis, by half the size,
// and of images with a corner so bright that it would hide the rest.
TEST_F(VulkanFourierOps, ShiftsThatAreNotUnique) {
  const Extent size{96, 72};
  const auto pattern = [&](uint32_t period_x, uint32_t period_y, uint32_t dx, uint32_t dy) {
    Random random(23);
    std::vector<float> noise(size_t{size.width} * size.height);
    for (float& value : noise) value = random.between(0.0F, 1.0F);
    auto image = Image::create(Format::kR32Sfloat, size);
    for (uint32_t y = 0; y < size.height; ++y) {
      auto* row = reinterpret_cast<float*>(image->view().row(y));
      for (uint32_t x = 0; x < size.width; ++x) {
        row[x] = noise[size_t{(y + size.height - dy) % size.height % period_y} * size.width +
                       (x + size.width - dx) % size.width % period_x];
      }
    }
    return std::move(*image);
  };
  struct Case {
    uint32_t period_x, period_y, dx, dy;
    double x, y;
  };
  const Case cases[] = {{8, 12, 3, 8, 3, -4},   {16, 18, 13, 2, -3, 2},   {1, 72, 0, 5, 0, 5},
                        {96, 1, 90, 40, -6, 0}, {96, 72, 48, 36, 48, 36}, {6, 72, 2, 36, 2, 36}};
  for (const Case& c : cases) {
    const Image first = pattern(c.period_x, c.period_y, c.dx, c.dy), second = pattern(c.period_x, c.period_y, 0, 0);
    for (const CorrelationKind kind : {CorrelationKind::kPhase, CorrelationKind::kCross}) {
      for (const PeakRefinement refinement : {PeakRefinement::kNone, PeakRefinement::kFourier}) {
        const CorrelationOptions o{.size = size,
                                   .first = Format::kR32Sfloat,
                                   .kind = kind,
                                   .window = CorrelationWindow::kNone,
                                   .refinement = refinement};
        const auto found = vulkan::estimate_shift(test_device(), o, kShared, first.view(), second.view());
        ASSERT_TRUE(found) << found.error().text();
        EXPECT_NEAR(found->shift.x, c.x, 2e-3) << c.period_x << "x" << c.period_y << " " << static_cast<int>(kind);
        EXPECT_NEAR(found->shift.y, c.y, 2e-3) << c.period_x << "x" << c.period_y << " " << static_cast<int>(kind);
      }
    }
  }
  Image first = pattern(96, 72, 4, 70), second = pattern(96, 72, 0, 0);
  for (Image* image : {&first, &second}) *reinterpret_cast<float*>(image->view().row(0)) = 2e5F;
  const auto found = vulkan::estimate_shift(test_device(), {.size = size, .first = Format::kR32Sfloat}, kShared,
                                            first.view(), second.view());
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_NEAR(found->shift.x, 4, 0.05);
  EXPECT_NEAR(found->shift.y, -2, 0.05);
  EXPECT_GT(found->shift.confidence, 0.3);
}

// Constant images have neither shift nor confidence, also if rounding could produce them.
TEST_F(VulkanFourierOps, ConstantsHaveNoShift) {
  const CorrelationOptions o{.size = {70, 50}, .first = Format::kR32Sfloat};
  for (const float value : {0.0F, 0.1F, 12345.678F, -1e17F}) {
    auto constant = Image::create(o.first, o.size);
    std::vector<float> row(size_t{4} * o.size.width, value);
    for (uint32_t y = 0; y < o.size.height; ++y) {
      encode_row(o.first, row.data(), o.size.width, constant->view().row(y));
    }
    const auto shift = vulkan::estimate_shift(test_device(), o, kShared, constant->view(), constant->view());
    ASSERT_TRUE(shift);
    EXPECT_EQ(shift->shift.x, 0) << value;
    EXPECT_EQ(shift->shift.confidence, 0) << value;
  }
}

TEST_F(VulkanFourierOps, BadTexelsAreNamed) {
  Random random(13);
  const CorrelationOptions o{.size = {70, 50}, .first = Format::kR32Sfloat};
  const Image good = random_image(o.first, o.size, 1, random);
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -2e18F}) {
    Image bad = random_image(o.first, o.size, 1, random);
    reinterpret_cast<float*>(bad.view().row(31))[17] = value;
    reinterpret_cast<float*>(bad.view().row(40))[3] = value;
    const auto shift = vulkan::estimate_shift(test_device(), o, kShared, good.view(), bad.view());
    ASSERT_FALSE(shift);
    EXPECT_EQ(shift.error().code, ErrorCode::kBadData);
    EXPECT_EQ(shift.error().context, "second");
    EXPECT_NE(shift.error().message.find("(17, 31)"), std::string::npos) << shift.error().text();
  }
}

TEST_F(VulkanFourierOps, Errors) {
  Random random(14);
  const ConvolutionOptions c{
      .size = {8, 8}, .source = Format::kR32Sfloat, .kernel_size = {3, 3}, .kernel = Format::kR32Sfloat};
  const Image image = random_image(Format::kR32Sfloat, {8, 8}, 1, random);
  const Image kernel = random_kernel(Format::kR32Sfloat, {3, 3}, random);
  auto target = Image::create(Format::kR32Sfloat, {8, 8});
  const auto refused = [&](const auto& result, ErrorCode code, const char* word) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, code) << result.error().text();
    EXPECT_NE(result.error().text().find(word), std::string::npos) << result.error().text();
  };
  const auto convolve = [&](const ConvolutionOptions& options, const Image& k, const Image& from) {
    return vulkan::convolve_image(test_device(), options, kShared, k.view(), from.view(), target->view());
  };
  ConvolutionOptions bad = c;
  bad.size = {0, 8};
  refused(convolve(bad, kernel, image), ErrorCode::kInvalidArgument, "size");
  refused(convolve(c, image, image), ErrorCode::kInvalidArgument, "kernel");
  refused(convolve(c, kernel, kernel), ErrorCode::kInvalidArgument, "source");
  Image zero = random_kernel(Format::kR32Sfloat, {3, 3}, random);
  std::memset(zero.view().row(0), 0, zero.size_in_bytes());
  bad = c;
  bad.scale = KernelScale::kUnitSum;
  refused(convolve(bad, zero, image), ErrorCode::kBadData, "sum to 0");
  refused(vulkan::Convolver::create(test_device(), c, {.most_radix = 3}), ErrorCode::kInvalidArgument, "most_radix");
  refused(vulkan::Convolver::create(test_device(), c, {.values_per_invocation = 5}), ErrorCode::kInvalidArgument,
          "tuning.values_per_invocation: 5");
  const auto convolver = vulkan::Convolver::create(test_device(), c);
  ASSERT_TRUE(convolver);
  refused(convolver->bind({}), ErrorCode::kInvalidArgument, "source: null image");
  const auto used = vulkan::DeviceImage::create(
      test_device().impl(),
      {.format = Format::kR32Sfloat, .size = {8, 8}, .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT});
  ASSERT_TRUE(used);
  refused(convolver->bind({.source = {.image = used->image}, .target = {.image = used->image}}),
          ErrorCode::kInvalidArgument, "target.level: 0 would overwrite the source");
  EXPECT_FALSE(convolver->has_kernel());
  const auto correlator = vulkan::Correlator::create(test_device(), {.size = {8, 8}, .first = Format::kR8Unorm});
  ASSERT_TRUE(correlator);
  refused(correlator->bind({}), ErrorCode::kInvalidArgument, "first: null image");
  refused(correlator->finish({}), ErrorCode::kInvalidArgument, "result: 0 bytes");
  DeconvolutionOptions d{
      .size = {8, 8}, .source = Format::kR32Sfloat, .kernel_size = {3, 3}, .kernel = Format::kR32Sfloat};
  d.method = DeconvolutionMethod::kRichardsonLucy;
  reinterpret_cast<float*>(zero.view().row(1))[1] = 1;
  reinterpret_cast<float*>(zero.view().row(1))[2] = -0.25F;
  refused(vulkan::deconvolve_image(test_device(), d, kShared, zero.view(), image.view(), target->view()),
          ErrorCode::kBadData, "negative");
}

// Three dispatches if columns can be fused, with any technique of rows.
TEST_F(VulkanFourierOps, DispatchesAreCounted) {
  if (!test_device().impl().driver.compiles_whole_lines) GTEST_SKIP() << "the driver gets a dispatch per pass";
  const auto dispatches = [](Extent size) {
    const auto filter = vulkan::Filter::create(
        test_device(), {.size = size, .source = Format::kRGBA32Sfloat, .boundary = Boundary::kWrap});
    return filter ? filter->dispatch_plan().dispatches : 0;
  };
  EXPECT_EQ(dispatches({64, 60}), 3U);
  EXPECT_EQ(dispatches({61, 60}), 3U);
  EXPECT_EQ(dispatches({64, 61}), 5U);
}

}  // namespace
}  // namespace onepass::testing
