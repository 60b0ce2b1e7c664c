// cpu_fourier_test.cpp: the CPU engine of transforms: every length, every option and its combinations, accuracy, what
// the definition promises of spectra, errors.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "fourier_oracle.hpp"
#include "hwy/targets.h"
#include "tbb/global_control.h"

namespace onepass::testing {
namespace {

constexpr double kFloatError = 5e-7;
constexpr double kHalfError = 1e-3;

double tolerance(const TransformOptions& o) {
  return o.precision == SpectrumPrecision::kHalf ? kHalfError : kFloatError;
}

std::vector<std::byte> forward(const TransformOptions& options, const ImageView& source, uint32_t threads = 2) {
  auto transform = cpu::Transform::create(options, {.threads = threads});
  EXPECT_TRUE(transform.ok()) << describe(options);
  if (!transform) return {};
  std::vector<std::byte> spectrum(transform->plan().spectrum_bytes + 1, std::byte{0xA5});
  auto done = transform->forward(source, std::span(spectrum).first(spectrum.size() - 1));
  EXPECT_TRUE(done.ok()) << describe(options) << (done ? "" : done.error().message);
  EXPECT_EQ(spectrum.back(), std::byte{0xA5}) << describe(options);
  spectrum.pop_back();
  return spectrum;
}

PaddedImage inverse(const TransformOptions& options, std::span<const std::byte> spectrum, uint32_t threads = 2) {
  auto transform = cpu::Transform::create(options, {.threads = threads});
  EXPECT_TRUE(transform.ok()) << describe(options);
  const TransformOptions& o = transform->plan().options;
  PaddedImage target(o.target, {o.result.width, o.result.height}, o.slices, 16, 32);
  auto done = transform->inverse(spectrum, target.view());
  EXPECT_TRUE(done.ok()) << describe(options) << (done ? "" : done.error().message);
  EXPECT_FALSE(target.gaps_touched()) << describe(options);
  return target;
}

/// An image that holds the crop with some texels around it.
PaddedImage source_of(const TransformOptions& o, Random& random) {
  const Rect crop = o.crop == Rect{} ? Rect{0, 0, o.size.width, o.size.height} : o.crop;
  PaddedImage source(o.source, {crop.x + crop.width + random.below(3), crop.y + crop.height + random.below(3)},
                     o.slices, 16, 32);
  fill_random(source.view(), random);
  return source;
}

/// A random spectrum that a transform of the options could have made in size.
ComplexValues random_spectrum(const TransformOptions& options, Random& random) {
  const auto plan = plan_transform(options);
  EXPECT_TRUE(plan);
  const size_t bytes = options.precision == SpectrumPrecision::kHalf ? 4 : 8;
  ComplexValues pairs(plan->spectrum_bytes / bytes);
  for (auto& pair : pairs) pair = {random.between(-1, 1), random.between(-1, 1)};
  return read_pairs(options, write_pairs(options, pairs));
}

::testing::AssertionResult forward_is_right(const TransformOptions& options, Random& random, bool direct = false) {
  const PaddedImage source = source_of(options, random);
  const ComplexValues actual = read_pairs(options, forward(options, source.view()));
  const double error = relative_error(actual, oracle_spectrum(options, source.view(), direct));
  if (error < tolerance(options)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "forward " << describe(options) << ": " << error;
}

/// Float targets only.
::testing::AssertionResult inverse_is_right(const TransformOptions& options, Random& random) {
  const ComplexValues spectrum = random_spectrum(options, random);
  const PaddedImage target = inverse(options, write_pairs(options, spectrum));
  const double error = relative_error(read_values(options, target.view()), oracle_image(options, spectrum));
  if (error < tolerance(options)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "inverse " << describe(options) << ": " << error;
}

::testing::AssertionResult both_are_right(const TransformOptions& options, Random& random) {
  const auto there = forward_is_right(options, random);
  if (!there) return there;
  return inverse_is_right(options, random);
}

constexpr Format kFloats[] = {Format::kUndefined, Format::kR32Sfloat, Format::kRG32Sfloat, Format::kRGBA32Sfloat,
                              Format::kRGBA32Sfloat};

/// Real signals of 1 to 4 channels, then complex ones of one and two.
TransformOptions of_kind(uint32_t kind, Extent size) {
  if (kind < 4) return {.size = size, .channels = kind + 1, .source = kFloats[kind + 1]};
  const uint32_t channels = 2 * (kind - 3);
  return {.size = size, .channels = channels, .signal = Signal::kComplex, .source = kFloats[channels]};
}
constexpr uint32_t kKinds = 6;

TEST(CpuFourier, SmallSizesMatchTheDefinition) {
  Random random(1);
  for (uint32_t width = 1; width <= 9; ++width) {
    for (uint32_t height = 1; height <= 9; ++height) {
      for (uint32_t kind = 0; kind < kKinds; ++kind) {
        ASSERT_TRUE(forward_is_right(of_kind(kind, {width, height}), random, true));
        ASSERT_TRUE(inverse_is_right(of_kind(kind, {width, height}), random));
      }
    }
  }
}

TEST(CpuFourier, EveryLengthOfBothAxes) {
  Random random(2);
  for (uint32_t length = 1; length <= 130; ++length) {
    const uint32_t other = 1 + random.below(40);
    ASSERT_TRUE(both_are_right(of_kind(length % kKinds, {length, other}), random));
    ASSERT_TRUE(both_are_right(of_kind((length + 2) % kKinds, {other, length}), random));
    ASSERT_TRUE(both_are_right(of_kind((length + 4) % kKinds, {length, length}), random));
  }
}

TEST(CpuFourier, LongLengths) {
  Random random(3);
  for (const uint32_t length : {243U,  256U,  257U,  449U,  512U,  625U,   1021U,  1024U,  1080U,  1920U,
                                2048U, 2401U, 4093U, 4096U, 6561U, 10007U, 16384U, 16807U, 65521U, 65535U}) {
    ASSERT_TRUE(both_are_right(of_kind(length % kKinds, {length, 2}), random));
    ASSERT_TRUE(both_are_right(of_kind((length + 1) % kKinds, {3, length}), random));
  }
}

}  // namespace
}  // namespace onepass::testing
