// cpu_fourier_test.cpp: transforms on the CPU: every length, all options and combinations, accuracy, properties that
// follow from the definition, errors. The oracle computes in double.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "fourier/cpu_impl.hpp"
#include "tbb/global_control.h"
#include "tests/cpu/simd_targets.hpp"
#include "tests/fourier/fourier_testing.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

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

FourierEngine cpu_engine() {
  return {
      .forward = [](const TransformOptions& o, const ImageView& source) { return forward(o, source); },
      .inverse = [](const TransformOptions& o, std::span<const std::byte> spectrum) { return inverse(o, spectrum); }};
}
const FourierEngine kCpu = cpu_engine();

TEST(CpuFourier, SmallSizesMatchTheDefinition) {
  Random random(1);
  for (uint32_t width = 1; width <= 9; ++width) {
    for (uint32_t height = 1; height <= 9; ++height) {
      for (uint32_t kind = 0; kind < kFourierKinds; ++kind) {
        ASSERT_TRUE(forward_matches(kCpu, fourier_kind(kind, {width, height}), random, Oracle::kDefinition));
        ASSERT_TRUE(inverse_matches(kCpu, fourier_kind(kind, {width, height}), random));
      }
    }
  }
}

TEST(CpuFourier, EveryLengthOfBothAxes) {
  Random random(2);
  for (uint32_t length = 1; length <= 130; ++length) {
    const uint32_t other = 1 + random.below(40);
    ASSERT_TRUE(both_match(kCpu, fourier_kind(length % kFourierKinds, {length, other}), random));
    ASSERT_TRUE(both_match(kCpu, fourier_kind((length + 2) % kFourierKinds, {other, length}), random));
    ASSERT_TRUE(both_match(kCpu, fourier_kind((length + 4) % kFourierKinds, {length, length}), random));
  }
}

TEST(CpuFourier, LongLengths) {
  Random random(3);
  for (const uint32_t length : {243U,  256U,  257U,  449U,  512U,  625U,   1021U,  1024U,  1080U,  1920U,
                                2048U, 2401U, 4093U, 4096U, 6561U, 10007U, 16384U, 16807U, 65521U, 65535U}) {
    ASSERT_TRUE(both_match(kCpu, fourier_kind(length % kFourierKinds, {length, 2}), random));
    ASSERT_TRUE(both_match(kCpu, fourier_kind((length + 1) % kFourierKinds, {3, length}), random));
  }
}

TEST(CpuFourier, EveryCombinationOfOptions) {
  const uint32_t seed = full_run() ? random_seed() : seed_or(4);
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  const int rounds = full_run() ? 100000 : 3000;
  for (int i = 0; i < rounds; ++i) ASSERT_TRUE(both_match(kCpu, random_transform(random), random)) << "round " << i;
}

// Sizes and modes that have failed in comparable libraries.
TEST(CpuFourier, SizesThatHaveGoneWrongElsewhere) {
  Random random(5);
  for (const Extent size : {Extent{256, 54}, Extent{512, 127}, Extent{97, 101}, Extent{449, 3}, Extent{3, 449},
                            Extent{449, 449}, Extent{1024, 256}, Extent{1000, 1001}, Extent{720, 405}}) {
    for (uint32_t kind = random.below(2); kind < kFourierKinds; kind += full_run() ? 1 : 2) {
      TransformOptions o = fourier_kind(kind, size);
      ASSERT_TRUE(both_match(kCpu, o, random));
      o.crop = {0, 0, (size.width + 1) / 2, (size.height + 1) / 2};  // zero padding
      ASSERT_TRUE(both_match(kCpu, o, random));
    }
  }
  ASSERT_TRUE(forward_matches(kCpu, fourier_kind(0, {4096, 1024}), random));
  ASSERT_TRUE(inverse_matches(kCpu, fourier_kind(0, {4096, 1024}), random));
}

TEST(CpuFourier, EveryFormat) {
  Random random(6);
  for (const FormatInfo& format : all_formats()) {
    for (uint32_t channels = 1; channels <= format.channels; ++channels) {
      // 301 texels: several full chunks of a row and a remainder.
      const TransformOptions o = {
          .size = {301, 35}, .channels = channels, .source = format.format, .target = Format::kRGBA32Sfloat};
      ASSERT_TRUE(forward_matches(kCpu, o, random));
      if (format.depth) continue;
      const PaddedImage source = transform_source(o, random);
      TransformOptions back = o;
      back.target = format.format;
      const PaddedImage target = inverse(back, forward(o, source.view()));
      // The round trip is exact for integers and within rounding for floats; missing channels are 0, alpha is 1.
      const std::vector<double> expected = oracle_decode(source.view(), 0);
      const std::vector<double> actual = oracle_decode(target.view(), 0);
      const double near = format.type == ChannelType::kFloat ? 3e-6 : 0.0;
      for (size_t i = 0; i < actual.size(); ++i) {
        const size_t x = i / 4 % 301;
        const size_t y = i / 4 / 301;
        const size_t c = i % 4;
        double value = c == 3 ? 1.0 : 0.0;
        if (c < channels) value = expected[(y * source.view().size.width + x) * 4 + c];
        ASSERT_NEAR(actual[i], value, near) << format.name << " channels " << channels << " " << x << "," << y;
      }
    }
  }
}

// ---- Properties of the definition

TEST(CpuFourier, ImpulseHasAFlatSpectrum) {
  for (const Extent size : {Extent{24, 35}, Extent{97, 64}}) {
    const TransformOptions o = {.size = size, .source = Format::kR32Sfloat};
    PaddedImage source(o.source, size);
    std::memset(source.view().data, 0, size_t{size.width} * size.height * 4);
    reinterpret_cast<float*>(source.view().row(0))[0] = 3;
    for (const auto& pair : read_pairs(o, forward(o, source.view()))) {
      ASSERT_NEAR(pair.real(), 3, 3e-6);
      ASSERT_NEAR(pair.imag(), 0, 3e-6);
    }
  }
}

TEST(CpuFourier, ConstantHasOneFrequency) {
  for (const SpectrumOrigin origin : {SpectrumOrigin::kCorner, SpectrumOrigin::kCentre}) {
    for (const Extent size : {Extent{8, 8}, Extent{7, 9}, Extent{15, 6}}) {
      TransformOptions o = {.size = size, .signal = Signal::kComplex, .source = Format::kRG32Sfloat};
      o.norm = Norm::kForward;
      o.origin = origin;
      PaddedImage source(o.source, size);
      std::fill_n(static_cast<float*>(source.view().data), size_t{size.width} * size.height * 2, 0.5F);
      const ComplexValues pairs = read_pairs(o, forward(o, source.view()));
      const bool centred = origin == SpectrumOrigin::kCentre;
      const size_t at = centred ? size_t{size.height / 2} * size.width + size.width / 2 : 0;
      for (size_t i = 0; i < pairs.size(); ++i) {
        ASSERT_NEAR(pairs[i].real(), i == at ? 0.5 : 0.0, 1e-6) << size.width << "x" << size.height << " " << i;
      }
    }
  }
}

TEST(CpuFourier, ShiftTurnsPhases) {
  Random random(7);
  TransformOptions o = {.size = {40, 21}, .source = Format::kR32Sfloat, .boundary = Boundary::kWrap};
  const PaddedImage source = [&] {
    PaddedImage image(o.source, o.size);
    fill_random(image.view(), random);
    return image;
  }();
  const ComplexValues plain = read_pairs(o, forward(o, source.view()));
  o.placement = {7, -4};
  const ComplexValues shifted = read_pairs(o, forward(o, source.view()));
  ComplexValues expected = plain;
  for (uint32_t ky = 0; ky < 21; ++ky) {
    for (uint32_t kx = 0; kx < 21; ++kx) {
      expected[ky * 21 + kx] *= std::polar(1.0, -2 * std::numbers::pi * (7.0 * kx / 40 - 4.0 * ky / 21));
    }
  }
  EXPECT_LT(relative_error(shifted, expected), kFourierFloatError);
}

TEST(CpuFourier, SumsAndEnergyAndSymmetryAreKept) {
  Random random(8);
  TransformOptions o = {.size = {45, 50}, .signal = Signal::kComplex, .source = Format::kRG32Sfloat};
  o.norm = Norm::kOrtho;
  PaddedImage images[3] = {{o.source, o.size}, {o.source, o.size}, {o.source, o.size}};
  fill_random(images[0].view(), random);
  fill_random(images[1].view(), random);
  ComplexValues pairs[3];
  for (size_t i = 0; i < size_t{45} * 50 * 2; ++i) {
    const auto value = [&](size_t image) -> float& { return static_cast<float*>(images[image].view().data)[i]; };
    if (i % 2 == 1) value(0) = 0;  // image 0 is real
    value(2) = value(0) + 2 * value(1);
  }
  for (size_t i = 0; i < 3; ++i) pairs[i] = read_pairs(o, forward(o, images[i].view()));
  ComplexValues sum = pairs[0];
  double energy = 0;
  double texels = 0;
  for (size_t i = 0; i < sum.size(); ++i) {
    sum[i] += 2.0 * pairs[1][i];
    energy += std::norm(pairs[1][i]);
    const float* texel = static_cast<const float*>(images[1].view().data) + 2 * i;
    texels += texel[0] * double{texel[0]} + texel[1] * double{texel[1]};
    const size_t x = i % 45;
    const size_t y = i / 45;
    const std::complex<double> mirror = pairs[0][(50 - y) % 50 * 45 + (45 - x) % 45];
    ASSERT_LT(std::abs(pairs[0][i] - std::conj(mirror)), 1e-5) << x << "," << y;
  }
  EXPECT_LT(relative_error(pairs[2], sum), 2 * kFourierFloatError);
  EXPECT_NEAR(energy / texels, 1, 1e-6);
}

TEST(CpuFourier, EightBitImagesComeBackExactly) {
  Random random(9);
  for (const Format format :
       {Format::kR8Unorm, Format::kR8Srgb, Format::kRG8Unorm, Format::kRGBA8Unorm, Format::kRGBA8Srgb}) {
    for (const Extent size : {Extent{640, 480}, Extent{509, 127}, Extent{1, 300}, Extent{1024, 1}}) {
      for (const Norm norm : {Norm::kBackward, Norm::kOrtho, Norm::kForward}) {
        TransformOptions o = {.size = size, .slices = 2, .source = format, .norm = norm};
        PaddedImage source(format, size, 2, 16, 32);
        fill_random(source.view(), random);
        EXPECT_EQ(inverse(o, forward(o, source.view())).bytes(), source.bytes()) << describe(o);
      }
    }
  }
}

TEST(CpuFourier, AccuracyIsFarBelowTheContract) {
  Random random(10);
  for (const Extent size : {Extent{512, 512}, Extent{1920, 1080}, Extent{1000, 729}}) {
    const TransformOptions o = {.size = size, .source = Format::kR32Sfloat};
    PaddedImage source(o.source, size);
    for (uint32_t y = 0; y < size.height; ++y) {
      for (uint32_t x = 0; x < size.width; ++x)
        reinterpret_cast<float*>(source.view().row(y))[x] = random.between(-1, 1);
    }
    const double error = relative_error(read_pairs(o, forward(o, source.view())), oracle_spectrum(o, source.view()));
    EXPECT_LT(error, 2.5e-7) << describe(o);
    RecordProperty(std::to_string(size.width) + "x" + std::to_string(size.height), std::to_string(error * 1e7) + "e-7");
  }
}

TEST(CpuFourier, SpecialValuesStayInTheirChannelAndSlice) {
  Random random(11);
  for (const float special : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (uint32_t channel = 0; channel < 4; ++channel) {
      const TransformOptions o = {.size = {20, 37}, .slices = 2, .source = Format::kRGBA32Sfloat};
      PaddedImage source(o.source, o.size, 2);
      fill_random(source.view(), random);
      reinterpret_cast<float*>(source.view().row(13, 1))[4 * 6 + channel] = special;
      const ComplexValues pairs = read_pairs(o, forward(o, source.view()));
      for (size_t i = 0; i < pairs.size(); ++i) {
        const bool finite = std::isfinite(pairs[i].real()) && std::isfinite(pairs[i].imag());
        const size_t its_channel = i % 4;
        const bool its_slice = i >= pairs.size() / 2;
        if (its_slice && its_channel == channel) {
          ASSERT_FALSE(finite) << i;
        } else if (!its_slice || its_channel / 2 != channel / 2) {
          ASSERT_TRUE(finite) << i;
        }
      }
    }
  }
}

TEST(CpuFourier, RowsThatAreNotSeenLeaveNothing) {
  Random random(14);
  EXPECT_TRUE(unseen_rows_leave_nothing(kCpu, random));
}

TEST(CpuFourier, SameBitsOnEverySimdTargetAndThreadCount) {
  const tbb::global_control more_threads_than_cores(tbb::global_control::max_allowed_parallelism, 7);
  Random random(12);
  for (int i = 0; i < 40; ++i) {
    TransformOptions o = random_transform(random);
    if (i % 4 == 0) o.size = {97 + 3 * random.below(50), 60 + random.below(90)};
    if (i % 4 == 0) o.crop = o.result = {};
    if (i % 4 == 0) o.placement = {};
    if (i == 1 || i == 2) {  // strips that are stored together: a strip that wraps among them; rows of 4096 bytes
      o = fourier_kind(5, i == 1 ? Extent{720, 405} : Extent{256, 40});
      o.origin = SpectrumOrigin::kCentre;
      o.slices = 2;
    }
    const PaddedImage source = transform_source(o, random);
    const std::vector<std::byte> spectrum = write_pairs(o, random_spectrum(o, random));
    const std::vector<std::byte> there = forward(o, source.view(), 1);
    const std::vector<std::byte> back = inverse(o, spectrum, 1).bytes();
    for (const uint32_t threads : {2U, 7U}) {
      ASSERT_EQ(forward(o, source.view(), threads), there) << describe(o);
      ASSERT_EQ(inverse(o, spectrum, threads).bytes(), back) << describe(o);
    }
    for (const size_t target : machine_targets()) {
      const OnlyTarget only(target);
      EXPECT_EQ(forward(o, source.view()), there) << name_of_target(target) << " " << describe(o);
      EXPECT_EQ(inverse(o, spectrum).bytes(), back) << name_of_target(target) << " " << describe(o);
    }
  }
}

TEST(CpuFourier, ViewsAreChecked) {
  const TransformOptions o = {
      .size = {16, 8}, .source = Format::kR32Sfloat, .crop = {2, 3, 5, 4}, .result = {1, 1, 4, 4}};
  auto transform = cpu::Transform::create(o);
  ASSERT_TRUE(transform);
  std::vector<std::byte> spectrum(transform->plan().spectrum_bytes);
  std::vector<std::byte> longer(spectrum.size() + 8);
  PaddedImage source(o.source, {7, 7});
  PaddedImage small(o.source, {7, 6});
  PaddedImage wrong(Format::kR16Sfloat, {7, 7});
  PaddedImage target(o.source, {4, 4});
  EXPECT_TRUE(transform->forward(source.view(), spectrum));
  EXPECT_TRUE(transform->inverse(spectrum, target.view()));
  EXPECT_EQ(transform->forward(small.view(), spectrum).error().message, "source: size 7x6, the crop ends at 7,7");
  EXPECT_EQ(transform->forward(wrong.view(), spectrum).error().message,
            "source: format r16_sfloat, expected r32_sfloat");
  EXPECT_EQ(transform->forward(source.view(), longer).error().message, "spectrum: 584 bytes, expected 576");
  EXPECT_EQ(transform->inverse(longer, target.view()).error().message, "spectrum: 584 bytes, expected 576");
  EXPECT_EQ(transform->inverse(spectrum, source.view()).error().message, "target: size 7x7, expected 4x4");
}

// ---- The fused pass

TEST(CpuFourierStrips, FusedPassMultipliesSpectra) {
  Random random(13);
  for (int round = 0; round < 300; ++round) {
    TransformOptions o = random_transform(random);
    o.slices = 1 + random.below(2);
    const PaddedImage source = transform_source(o, random);
    auto transform = cpu::Transform::create(o);
    ASSERT_TRUE(transform);
    cpu::Transform::Impl& impl = transform->impl();
    const TransformOptions& resolved = transform->plan().options;
    // A factor of Hermitian symmetry, so that real signals stay real.
    const auto factor = [&](uint32_t kx, uint32_t ky, uint32_t c) {
      const double fx = frequency(kx, o.size.width);
      const double fy = frequency(ky, o.size.height);
      const bool own_mirror = 2 * kx % o.size.width == 0 || 2 * ky % o.size.height == 0;
      return std::complex<double>(1 + c + fx * fx + fy * fy, own_mirror ? 0 : (fx + fy) * 0.5);
    };
    PaddedImage target(resolved.target, {resolved.result.width, resolved.result.height}, o.slices, 16, 32);
    std::atomic<uint32_t> frequencies = 0;
    impl.apply(
        source.view(),
        [&](const cpu::SpectrumStrip& strip, uint32_t slot) {
          EXPECT_LT(slot, impl.slots());
          frequencies += strip.columns;
          for (uint32_t ky = 0; ky < strip.height; ++ky) {
            for (uint32_t i = 0; i < strip.columns * strip.channels; ++i) {
              float* re = strip.values + ky * strip.kRowFloats + i;
              const std::complex<double> value(re[0], re[strip.kImaginary]);
              const auto product = value * factor(strip.first_kx + i / strip.channels, ky, i % strip.channels);
              re[0] = static_cast<float>(product.real());
              re[strip.kImaginary] = static_cast<float>(product.imag());
            }
          }
        },
        target.view());
    EXPECT_EQ(frequencies, transform->plan().spectrum_size.width * o.slices);
    EXPECT_FALSE(target.gaps_touched());

    TransformOptions exact = o;
    exact.precision = SpectrumPrecision::kFloat;
    exact.order = SpectrumOrder::kRows;
    exact.origin = SpectrumOrigin::kCorner;
    ComplexValues spectrum = oracle_spectrum(exact, source.view());
    const TransformPlan& plan = transform->plan();
    for (size_t i = 0; i < spectrum.size(); ++i) {
      const auto c = static_cast<uint32_t>(i % plan.spectrum_channels);
      const auto kx = static_cast<uint32_t>(i / plan.spectrum_channels % plan.spectrum_size.width);
      const auto ky = static_cast<uint32_t>(i / plan.spectrum_channels / plan.spectrum_size.width % o.size.height);
      spectrum[i] *= factor(kx, ky, c);
    }
    const double error = result_error(exact, read_values(o, target.view()), spectrum);
    ASSERT_LT(error, 3 * fourier_tolerance(o)) << describe(o) << " round " << round;
  }
}

}  // namespace
}  // namespace onepass::testing
