// cpu_volume_fourier_test.cpp: transforms and convolutions of volumes against FFTW's transforms and the definition in
// double.
#include <fftw3.h>

#include <complex>
#include <cstring>
#include <limits>
#include <numbers>

#include "tests/fourier/volume_fourier_testing.hpp"

namespace volume_fourier_test {
namespace {

// ---- Transforms

using Spectrum = std::vector<std::complex<double>>;

/// The whole spectrum, by FFTW in double.
Spectrum oracle(Spectrum values, VolumeSize size, int sign) {
  auto* data = reinterpret_cast<fftw_complex*>(values.data());
  fftw_plan plan = fftw_plan_dft_3d(static_cast<int>(size.planes), static_cast<int>(size.height),
                                    static_cast<int>(size.width), data, data, sign, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  return values;
}

/// From the definition, in long double.
Spectrum definition(const Spectrum& values, VolumeSize size) {
  Spectrum out(values.size());
  size_t k = 0;
  each(size, [&](int64_t kx, int64_t ky, int64_t kz) {
    std::complex<long double> sum = 0;
    size_t i = 0;
    each(size, [&](int64_t x, int64_t y, int64_t z) {
      const long double turns = static_cast<long double>(kx * x) / size.width +
                                static_cast<long double>(ky * y) / size.height +
                                static_cast<long double>(kz * z) / size.planes;
      sum += std::complex<long double>(values[i++]) * std::polar(1.0L, -2 * std::numbers::pi_v<long double> * turns);
    });
    out[k++] = std::complex<double>(sum);
  });
  return out;
}

double relative_error(const float* pairs, const Spectrum& expected) {
  double off = 0, all = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    off += std::norm(std::complex<double>(pairs[2 * i], pairs[2 * i + 1]) - expected[i]);
    all += std::norm(expected[i]);
  }
  return std::sqrt(off / all);
}

/// The half of a spectrum that a real signal has.
Spectrum half_of(const Spectrum& whole, VolumeSize size) {
  Spectrum half;
  for (size_t i = 0; i < whole.size(); ++i) {
    if (i % size.width <= size.width / 2) half.push_back(whole[i]);
  }
  return half;
}

constexpr VolumeSize kSizes[] = {{1, 1, 1}, {2, 1, 3}, {1, 6, 1}, {5, 4, 3}, {16, 9, 20}, {33, 20, 17}, {40, 37, 11}};

TEST(CpuVolumeFourier, RealTransformsMatchTheOracle) {
  for (const VolumeSize size : kSizes) {
    SCOPED_TRACE(::testing::Message() << size.width << "x" << size.height << "x" << size.planes);
    const Cube cube = noise(size, 1, -1, 1);
    const Spectrum values(cube.v.begin(), cube.v.end());
    Spectrum expected = oracle(values, size, FFTW_FORWARD);
    if (values.size() <= 60) {
      const Spectrum defined = definition(values, size);
      for (size_t i = 0; i < values.size(); ++i) ASSERT_LT(std::abs(defined[i] - expected[i]), 1e-12);
    }
    expected = half_of(expected, size);
    for (const Norm norm : {Norm::kBackward, Norm::kOrtho, Norm::kForward, Norm::kNone}) {
      const VolumeTransformOptions options{.size = size, .norm = norm};
      const double n = static_cast<double>(values.size());
      const double forth = norm == Norm::kOrtho ? 1 / std::sqrt(n) : norm == Norm::kForward ? 1 / n : 1;
      const double back = norm == Norm::kOrtho ? 1 / std::sqrt(n) : norm == Norm::kBackward ? 1 / n : 1;
      Spectrum scaled = expected;
      for (auto& value : scaled) value *= forth;
      std::vector<float> pairs(plan_volume_transform(options)->spectrum_bytes / 4);
      ASSERT_EQ(pairs.size(), 2 * scaled.size());
      expect_done(cpu::transform_volume(options, Floats(cube, 3).view(), std::as_writable_bytes(std::span(pairs))));
      EXPECT_LT(relative_error(pairs.data(), scaled), 5e-7);

      // The inverse by itself, from the oracle's spectrum.
      for (size_t i = 0; i < expected.size(); ++i) {
        pairs[2 * i] = static_cast<float>(expected[i].real());
        pairs[2 * i + 1] = static_cast<float>(expected[i].imag());
      }
      Floats again(size, 2);
      expect_done(cpu::inverse_transform_volume(options, std::as_bytes(std::span(pairs)), again.out()));
      Cube restored = cube;
      for (double& value : restored.v) value *= n * back;
      EXPECT_LT(difference(again.cube(), restored), 3e-6 * largest(restored));
    }
  }
}

TEST(CpuVolumeFourier, ComplexTransformsMatchTheOracle) {
  for (const VolumeSize size : kSizes) {
    SCOPED_TRACE(::testing::Message() << size.width << "x" << size.height << "x" << size.planes);
    const VolumeTransformOptions options{.size = size, .signal = Signal::kComplex};
    const Cube floats = noise({2 * size.width, size.height, size.planes}, 2, -1, 1);
    Spectrum values;
    for (size_t i = 0; i < floats.v.size(); i += 2) values.emplace_back(floats.v[i], floats.v[i + 1]);
    std::vector<float> pairs(2 * values.size());
    expect_done(cpu::transform_volume(options, Floats(floats).view(), std::as_writable_bytes(std::span(pairs))));
    const Spectrum expected = oracle(values, size, FFTW_FORWARD);
    EXPECT_LT(relative_error(pairs.data(), expected), 5e-7);
    Floats again(floats.size);
    expect_done(cpu::inverse_transform_volume(options, std::as_bytes(std::span(pairs)), again.out()));
    EXPECT_LT(relative_error(again.v.data(), values), 1e-6);
  }
}

// ---- Convolution

void expect_convolution(VolumeConvolutionOptions options, const Cube& a, const Cube& kernel) {
  const auto plan = plan_volume_convolution(options);
  ASSERT_TRUE(plan) << plan.error().text();
  const VolumePoint at = *plan->options.kernel_origin;
  const Point origin = {at.x, at.y, at.z};
  const auto first_of = [&](int64_t n, int64_t k, int64_t o) {
    return options.mode == ConvolutionMode::kSame   ? 0
           : options.mode == ConvolutionMode::kFull ? -o
                                                    : std::min(n, k) - 1 - o;
  };
  const Point first = {first_of(a.size.width, kernel.size.width, origin.x),
                       first_of(a.size.height, kernel.size.height, origin.y),
                       first_of(a.size.planes, kernel.size.planes, origin.z)};
  const Cube scaled = options.scale == KernelScale::kNone ? kernel : unit_sum(kernel);
  const Boundary beyond = options.mode == ConvolutionMode::kValid ? Boundary::kZero : options.boundary;
  const Cube expected = convolve(a, scaled, origin, beyond, first, plan->result_size);
  Floats out(plan->result_size, 1);
  expect_done(cpu::convolve_volume(options, Floats(a, 2).view(), Floats(kernel).view(), out.out()));
  EXPECT_LT(difference(out.cube(), expected), 2e-6 * largest(expected));
}

TEST(CpuVolumeFourier, ConvolutionsMatchTheDefinition) {
  const Cube a = noise({11, 9, 7}, 3);
  for (const VolumeSize size : {VolumeSize{4, 3, 5}, {1, 1, 1}, {3, 12, 2}, {12, 10, 9}}) {
    const Cube kernel = noise(size, 4);
    for (const Boundary boundary : {Boundary::kZero, Boundary::kWrap, Boundary::kClamp, Boundary::kMirror}) {
      for (const ConvolutionMode mode : {ConvolutionMode::kSame, ConvolutionMode::kFull, ConvolutionMode::kValid}) {
        if (mode == ConvolutionMode::kValid && size.height == 12) continue;
        SCOPED_TRACE(::testing::Message() << size.width << "x" << size.height << "x" << size.planes << ", boundary "
                                          << static_cast<int>(boundary) << ", mode " << static_cast<int>(mode));
        VolumeConvolutionOptions options = convolution(a, kernel);
        options.boundary = boundary;
        options.mode = mode;
        expect_convolution(options, a, kernel);
        options.kernel_origin = VolumePoint{0, size.height - 1, size.planes / 3};
        options.scale = KernelScale::kUnitSum;
        expect_convolution(options, a, kernel);
      }
    }
  }
}

// No length of 64828 to 65535 has factors of 2, 3, 5 and 7 alone: their lines take Bluestein's algorithm.
TEST(CpuVolumeFourier, ConvolutionsAlongTheLongestAxesMatch) {
  for (const VolumeSize size : {VolumeSize{65000, 1, 1}, {1, 65000, 1}, {1, 1, 65000}}) {
    const auto short_of = [](uint32_t n) { return n > 1 ? 9U : 1U; };
    const Cube a = noise(size, 3);
    const Cube kernel = noise({short_of(size.width), short_of(size.height), short_of(size.planes)}, 4);
    for (const ConvolutionMode mode : {ConvolutionMode::kSame, ConvolutionMode::kFull, ConvolutionMode::kValid}) {
      SCOPED_TRACE(::testing::Message() << size.width << "x" << size.height << ", mode " << static_cast<int>(mode));
      VolumeConvolutionOptions options = convolution(a, kernel);
      options.boundary = Boundary::kClamp;
      options.mode = mode;
      expect_convolution(options, a, kernel);
    }
  }
}

TEST(CpuVolumeFourier, WrappedDomainIsTheVolumeItself) {
  const Cube a = noise({40, 18, 35}, 5);
  const Cube kernel = noise({3, 5, 4}, 6);
  VolumeConvolutionOptions options = convolution(a, kernel);
  options.boundary = Boundary::kWrap;
  EXPECT_EQ(plan_volume_convolution(options)->z.domain, 35U);
  expect_convolution(options, a, kernel);
}

// Integers are read and written in their own type; results are rounded and clipped.
template <typename T>
void expect_integers(VoxelType type, double low, double high) {
  const Cube kernel = unit_sum(streak({3, 2, 3}));
  Cube a = noise({9, 8, 6}, 7, low, high);
  std::vector<T> in, out(a.v.size());
  for (double& value : a.v) in.push_back(static_cast<T>(value = std::round(value)));
  VolumeConvolutionOptions options = convolution(a, kernel);
  options.source = options.target = type;
  Cube twice = kernel;
  for (double& weight : twice.v) weight *= 2;
  const cpu::VolumeView view{in.data(), 9 * sizeof(T), 72 * sizeof(T)};
  expect_done(cpu::convolve_volume(options, view, Floats(twice).view(), {out.data(), 9 * sizeof(T), 72 * sizeof(T)}));
  const Cube expected = convolve(a, twice, {1, 1, 1}, Boundary::kZero, {0, 0, 0}, a.size);
  for (size_t i = 0; i < out.size(); ++i) {
    const double clipped =
        std::clamp(expected.v[i], double{std::numeric_limits<T>::min()}, double{std::numeric_limits<T>::max()});
    ASSERT_LE(std::abs(out[i] - clipped), 0.5 + 1e-5 * largest(expected)) << i;
  }
}

TEST(CpuVolumeFourier, IntegersAreRoundedAndClipped) {
  expect_integers<uint8_t>(VoxelType::kUint8, 0, 255);
  expect_integers<int8_t>(VoxelType::kInt8, -128, 127);
  expect_integers<uint16_t>(VoxelType::kUint16, 0, 65535);
  expect_integers<int16_t>(VoxelType::kInt16, -32768, 32767);
  expect_integers<int32_t>(VoxelType::kInt32, -1000, 1000);
  expect_integers<uint32_t>(VoxelType::kUint32, 0, 1000);
}

}  // namespace
}  // namespace volume_fourier_test
