// cpu_volume_fourier_test.cpp: transforms, convolution and deconvolution of volumes against their definitions in double
// and FFTW's transforms.
#include <fftw3.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "cpu/progress_watch.hpp"
#include "onepass/fourier_volume.hpp"
#include "tests/cpu/simd_targets.hpp"

namespace volume_fourier_test {
namespace {

using namespace onepass;

double real(int64_t value) { return static_cast<double>(value); }

/// A volume of doubles.
struct Cube {
  VolumeSize size;
  std::vector<double> v;
  Cube() = default;
  explicit Cube(VolumeSize extent) : size(extent), v(size_t{extent.width} * extent.height * extent.planes) {}
  [[nodiscard]] size_t index(int64_t x, int64_t y, int64_t z) const {
    return static_cast<size_t>((z * size.height + y) * size.width + x);
  }
  double& at(int64_t x, int64_t y, int64_t z) { return v[index(x, y, z)]; }
  [[nodiscard]] double at(int64_t x, int64_t y, int64_t z) const { return v[index(x, y, z)]; }
};

/// Calls visit(x, y, z) for all voxels.
void each(VolumeSize size, const std::function<void(int64_t, int64_t, int64_t)>& visit) {
  for (int64_t z = 0; z < size.planes; ++z) {
    for (int64_t y = 0; y < size.height; ++y) {
      for (int64_t x = 0; x < size.width; ++x) visit(x, y, z);
    }
  }
}

Cube noise(VolumeSize size, uint32_t seed, double low = 0, double high = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(static_cast<float>(low), static_cast<float>(high));
  Cube cube(size);
  for (double& value : cube.v) value = values(random);
  return cube;
}

/// A blur without symmetry, so that errors of orientation or origin show.
Cube streak(VolumeSize size) {
  Cube kernel(size);
  each(size, [&](int64_t x, int64_t y, int64_t z) {
    kernel.at(x, y, z) = static_cast<float>(
        std::exp(-0.6 * std::abs(real(x - y)) - 0.3 * real(x) - 0.5 * std::abs(real(z) - 0.5 * real(y))));
  });
  return kernel;
}

Cube unit_sum(Cube kernel) {
  double sum = 0;
  for (const double w : kernel.v) sum += w;
  for (double& w : kernel.v) w /= sum;
  return kernel;
}

/// Floats in memory, with gaps behind rows and planes.
struct Floats {
  VolumeSize size;
  size_t row = 0, plane = 0;
  std::vector<float> v;
  explicit Floats(VolumeSize extent, size_t gap = 0)
      : size(extent), row(extent.width + gap), plane(row * extent.height + gap), v(plane * extent.planes, -77.0F) {}
  explicit Floats(const Cube& cube, size_t gap = 0) : Floats(cube.size, gap) {
    each(size, [&](int64_t x, int64_t y, int64_t z) { at(x, y, z) = static_cast<float>(cube.at(x, y, z)); });
  }
  float& at(int64_t x, int64_t y, int64_t z) {
    return v[static_cast<size_t>(z) * plane + static_cast<size_t>(y) * row + static_cast<size_t>(x)];
  }
  [[nodiscard]] cpu::VolumeView view() const { return {v.data(), row * 4, plane * 4}; }
  [[nodiscard]] cpu::MutableVolumeView out() { return {v.data(), row * 4, plane * 4}; }
  [[nodiscard]] Cube cube() {
    Cube cube(size);
    each(size, [&](int64_t x, int64_t y, int64_t z) { cube.at(x, y, z) = at(x, y, z); });
    return cube;
  }
};

double largest(const Cube& cube) {
  double most = 0;
  for (const double value : cube.v) most = std::max(most, std::abs(value));
  return most;
}

double difference(const Cube& a, const Cube& b) {
  if (a.v.size() != b.v.size()) return INFINITY;
  double most = 0;
  for (size_t i = 0; i < a.v.size(); ++i) {
    const double d = std::abs(a.v[i] - b.v[i]);
    if (!(d <= most)) most = std::isnan(d) ? INFINITY : d;
  }
  return most;
}

double rms(const Cube& a, const Cube& b) {
  double sum = 0;
  for (size_t i = 0; i < a.v.size(); ++i) sum += (a.v[i] - b.v[i]) * (a.v[i] - b.v[i]);
  return std::sqrt(sum / static_cast<double>(a.v.size()));
}

void expect_done(const Result<void>& done) { EXPECT_TRUE(done) << (done ? "" : done.error().text()); }

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

int64_t fold(int64_t i, int64_t n, Boundary boundary) {
  if (i >= 0 && i < n) return i;
  switch (boundary) {
    case Boundary::kZero:
      return -1;
    case Boundary::kClamp:
      return i < 0 ? 0 : n - 1;
    case Boundary::kWrap:
      return (i % n + n) % n;
    case Boundary::kMirror:
      i = (i % (2 * n) + 2 * n) % (2 * n);
      return i < n ? i : 2 * n - 1 - i;
  }
  return -1;
}

struct Point {
  int64_t x, y, z;
};

/// The results from voxel `first` on.
Cube convolve(const Cube& a, const Cube& kernel, Point origin, Boundary boundary, Point first, VolumeSize size) {
  Cube out(size);
  each(size, [&](int64_t x, int64_t y, int64_t z) {
    double sum = 0;
    each(kernel.size, [&](int64_t i, int64_t j, int64_t k) {
      const int64_t u = fold(first.x + x - (i - origin.x), a.size.width, boundary);
      const int64_t v = fold(first.y + y - (j - origin.y), a.size.height, boundary);
      const int64_t w = fold(first.z + z - (k - origin.z), a.size.planes, boundary);
      if (u >= 0 && v >= 0 && w >= 0) sum += kernel.at(i, j, k) * a.at(u, v, w);
    });
    out.at(x, y, z) = sum;
  });
  return out;
}

VolumeConvolutionOptions convolution(const Cube& a, const Cube& kernel) {
  return {.size = a.size, .kernel_size = kernel.size};
}

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

// ---- Deconvolution

VolumeDeconvolutionOptions deconvolution(VolumeSize size, VolumeSize kernel, uint32_t iterations) {
  return {.size = size, .kernel_size = kernel, .iterations = iterations};
}

Cube run(const VolumeDeconvolutionOptions& options, const Cube& a, const Cube& kernel, uint32_t threads = 0) {
  Floats out(a.size, 1);
  expect_done(
      cpu::deconvolve_volume(options, Floats(a, 2).view(), Floats(kernel).view(), out.out(), {.threads = threads}));
  return out.cube();
}

/// Richardson-Lucy from its definition: the estimate has kernel - 1 voxels more than the volume, per axis.
Cube reference(const VolumeDeconvolutionOptions& o, const Cube& g, const Cube& kernel, Point origin) {
  const VolumeSize n = g.size, k = kernel.size;
  const Cube h = unit_sum(kernel);
  Cube x(VolumeSize{n.width + k.width - 1, n.height + k.height - 1, n.planes + k.planes - 1});
  const Point margin = {k.width - 1 - origin.x, k.height - 1 - origin.y, k.planes - 1 - origin.z};
  const double unit = std::exp2(std::floor(std::log2(largest(g))));
  const auto blur = [&](const Cube& from) { return convolve(from, h, origin, Boundary::kZero, margin, n); };
  const auto adjoint = [&](const Cube& from) {
    Cube out(x.size);
    each(n, [&](int64_t u, int64_t v, int64_t w) {
      each(k, [&](int64_t i, int64_t j, int64_t l) {
        out.at(u + k.width - 1 - i, v + k.height - 1 - j, w + k.planes - 1 - l) += h.at(i, j, l) * from.at(u, v, w);
      });
    });
    return out;
  };
  each(x.size, [&](int64_t u, int64_t v, int64_t w) {
    const double near =
        g.at(std::clamp<int64_t>(u - margin.x, 0, n.width - 1), std::clamp<int64_t>(v - margin.y, 0, n.height - 1),
             std::clamp<int64_t>(w - margin.z, 0, n.planes - 1));
    x.at(u, v, w) = o.start == DeconvolutionStart::kConstant ? unit : std::max(near - o.background, 1e-6 * unit);
  });
  Cube ones(n);
  std::fill(ones.v.begin(), ones.v.end(), 1.0);
  const Cube share = adjoint(ones);
  const bool constant = o.start == DeconvolutionStart::kConstant;
  for (size_t v = 0; constant && v < x.v.size(); ++v) {
    if (share.v[v] < 1e-3) x.v[v] = 1e-6 * unit;
  }
  Cube previous = x;
  for (uint32_t i = 1; i <= o.iterations; ++i) {
    Cube from = x;
    const bool moves = o.acceleration != DeconvolutionAcceleration::kNone && !(constant && i == 2);
    const double momentum = moves ? (i - 1.0) / (i + 2.0) : 0;
    for (size_t v = 0; v < x.v.size(); ++v)
      from.v[v] = std::max(x.v[v] + momentum * (x.v[v] - previous.v[v]), 1e-6 * unit);
    if (momentum == 0) from = x;
    Cube ratio = blur(from);
    for (size_t v = 0; v < g.v.size(); ++v) ratio.v[v] = g.v[v] / (ratio.v[v] + o.background);
    const Cube correction = adjoint(ratio);
    previous = x;
    for (size_t v = 0; v < x.v.size(); ++v) {
      x.v[v] = share.v[v] < 1e-3 ? from.v[v] : from.v[v] * correction.v[v] / share.v[v];
    }
  }
  Cube out(n);
  each(n, [&](int64_t u, int64_t v, int64_t w) { out.at(u, v, w) = x.at(u + margin.x, v + margin.y, w + margin.z); });
  return out;
}

TEST(CpuVolumeFourier, RichardsonLucyMatchesTheDefinition) {
  for (const VolumeSize kernel_size : {VolumeSize{4, 3, 5}, {1, 1, 1}, {9, 12, 2}}) {
    const Cube kernel = streak(kernel_size);
    const Cube g = noise({10, 9, 7}, 8, 3, 50);
    for (const auto start : {DeconvolutionStart::kImage, DeconvolutionStart::kConstant}) {
      for (const auto acceleration : {DeconvolutionAcceleration::kNone, DeconvolutionAcceleration::kMomentum}) {
        for (const float background : {0.0F, 2.5F}) {
          SCOPED_TRACE(::testing::Message()
                       << kernel_size.width << ", start " << static_cast<int>(start) << ", acceleration "
                       << static_cast<int>(acceleration) << ", background " << background);
          VolumeDeconvolutionOptions options = deconvolution(g.size, kernel_size, 7);
          options.start = start;
          options.acceleration = acceleration;
          options.background = background;
          options.kernel_origin = VolumePoint{kernel_size.width / 3, kernel_size.height / 2, kernel_size.planes - 1};
          const Point origin = {kernel_size.width / 3, kernel_size.height / 2, kernel_size.planes - 1};
          const Cube expected = reference(options, g, kernel, origin);
          EXPECT_LT(difference(run(options, g, kernel), expected), 1e-4 * largest(expected));
        }
      }
    }
  }
}

/// Spheres and a wall that leaves the volume: voxels 4 and more beyond the edges count, too.
Cube phantom(VolumeSize size, uint32_t margin) {
  Cube cube(VolumeSize{size.width + 2 * margin, size.height + 2 * margin, size.planes + 2 * margin});
  each(cube.size, [&](int64_t x, int64_t y, int64_t z) {
    const auto u = static_cast<double>(x - margin), v = static_cast<double>(y - margin),
               w = static_cast<double>(z - margin);
    double value = 20;
    for (int s = 0; s < 6; ++s) {
      const double dx = u - (7.3 * s + 2), dy = v - (5.1 * s + 3), dz = w - (3.7 * s + 1);
      if (dx * dx + dy * dy + dz * dz < 12) value = 200 + 30 * s;
    }
    if (u > size.width - 5.0) value = 120;
    cube.at(x, y, z) = value;
  });
  return cube;
}

struct Scene {
  Cube truth, blurred, kernel;
};

/// A phantom, blurred with the content beyond its edges.
Scene scene(VolumeSize size, VolumeSize kernel_size) {
  Scene s;
  s.kernel = Cube(kernel_size);
  each(kernel_size, [&](int64_t x, int64_t y, int64_t z) {
    const double dx = real(x) - 0.5 * (kernel_size.width - 1), dy = real(y) - 0.5 * (kernel_size.height - 1);
    const double dz = real(z) - 0.5 * (kernel_size.planes - 1);
    s.kernel.at(x, y, z) = std::exp(-(dx * dx + dy * dy) / 3 - dz * dz / 5);
  });
  s.kernel = unit_sum(s.kernel);
  const uint32_t margin = 8;
  const Cube wide = phantom(size, margin);
  const Point origin = {kernel_size.width / 2, kernel_size.height / 2, kernel_size.planes / 2};
  s.blurred = convolve(wide, s.kernel, origin, Boundary::kClamp, {margin, margin, margin}, size);
  s.truth = Cube(size);
  each(size,
       [&](int64_t x, int64_t y, int64_t z) { s.truth.at(x, y, z) = wide.at(x + margin, y + margin, z + margin); });
  return s;
}

TEST(CpuVolumeFourier, KnownBlurIsRemoved) {
  const Scene s = scene({36, 30, 22}, {7, 7, 9});
  VolumeDeconvolutionOptions options = deconvolution(s.truth.size, s.kernel.size, 40);
  const double before = rms(s.blurred, s.truth);
  const double plain = rms(run(options, s.blurred, s.kernel), s.truth);
  options.acceleration = DeconvolutionAcceleration::kMomentum;
  const double accelerated = rms(run(options, s.blurred, s.kernel), s.truth);
  EXPECT_LT(plain, 0.8 * before);
  EXPECT_LT(accelerated, 0.95 * plain);
}

// A constant volume stays constant up to its corners: edges do not ring.
TEST(CpuVolumeFourier, EdgesOfAFlatVolumeStayFlat) {
  Cube flat({20, 16, 12});
  std::fill(flat.v.begin(), flat.v.end(), 40.0);
  const Cube kernel = streak({6, 5, 7});
  for (const auto acceleration : {DeconvolutionAcceleration::kNone, DeconvolutionAcceleration::kMomentum}) {
    VolumeDeconvolutionOptions options = deconvolution(flat.size, kernel.size, 30);
    options.acceleration = acceleration;
    EXPECT_LT(difference(run(options, flat, kernel), flat), 40 * 3e-4);
  }
}

TEST(CpuVolumeFourier, TilesHaveNoSeams) {
  const Scene s = scene({60, 44, 26}, {7, 7, 5});
  VolumeDeconvolutionOptions options = deconvolution(s.truth.size, s.kernel.size, 15);
  const Cube whole = run(options, s.blurred, s.kernel);
  const uint64_t all = plan_volume_deconvolution(options)->memory_bytes;
  options.halo = VolumeSize{8, 8, 8};
  options.max_bytes = all / 2;
  const auto plan = plan_volume_deconvolution(options);
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_GT(plan->tiles.width * plan->tiles.height * plan->tiles.planes, 1U);
  EXPECT_LE(plan->memory_bytes, options.max_bytes);
  const Cube tiled = run(options, s.blurred, s.kernel);
  EXPECT_LT(difference(tiled, whole), 1e-3 * largest(whole));
  EXPECT_GT(difference(tiled, whole), 0);

  // The same voxels by functions that read and write boxes.
  Floats in(s.blurred);
  Floats out(s.blurred.size);
  std::vector<VolumePoint> planes;
  const auto read = [&](VolumePoint first, VolumeSize size, const cpu::MutableVolumeView& voxels) -> Result<void> {
    EXPECT_EQ(size, plan->measured);
    each(size, [&](int64_t x, int64_t y, int64_t z) {
      std::memcpy(static_cast<char*>(voxels.data) + static_cast<size_t>(z) * voxels.plane_stride +
                      static_cast<size_t>(y) * voxels.row_stride + 4 * static_cast<size_t>(x),
                  &in.at(x + first.x, y + first.y, z + first.z), 4);
    });
    return {};
  };
  const auto write = [&](VolumePoint first, VolumeSize size, const cpu::VolumeView& voxels) -> Result<void> {
    EXPECT_EQ(size.planes, 1U);
    each(size, [&](int64_t x, int64_t y, int64_t /*z*/) {
      std::memcpy(&out.at(x + first.x, y + first.y, first.z),
                  static_cast<const char*>(voxels.data) + static_cast<size_t>(y) * voxels.row_stride +
                      4 * static_cast<size_t>(x),
                  4);
    });
    return {};
  };
  expect_done(cpu::deconvolve_volume(options, read, Floats(s.kernel).view(), write));
  EXPECT_EQ(difference(out.cube(), tiled), 0);

  const auto failed = cpu::deconvolve_volume(
      options,
      [](VolumePoint, VolumeSize, const cpu::MutableVolumeView&) -> Result<void> {
        return Error{ErrorCode::kIo, "gone", "disk"};
      },
      Floats(s.kernel).view(), write);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kIo);
}

TEST(CpuVolumeFourier, BadVoxelsCountAsZeroOrTheLargest) {
  Cube g = noise({12, 10, 8}, 9, 1, 2);
  const Cube kernel = streak({3, 3, 3});
  const VolumeDeconvolutionOptions options = deconvolution(g.size, kernel.size, 5);
  g.at(4, 5, 3) = 0;
  const Cube expected = run(options, g, kernel);
  g.at(4, 5, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(difference(run(options, g, kernel), expected), 0);
  g.at(4, 5, 3) = -5;
  EXPECT_EQ(difference(run(options, g, kernel), expected), 0);
  g.at(4, 5, 3) = std::numeric_limits<double>::infinity();
  for (const double value : run(options, g, kernel).v) ASSERT_FALSE(std::isnan(value));
  std::fill(g.v.begin(), g.v.end(), 0.0);
  for (const double value : run(options, g, kernel).v) ASSERT_LT(std::abs(value), 1e-30);
}

// The unit of the volume does not matter: powers of two give the same bits.
TEST(CpuVolumeFourier, UnitDoesNotMatter) {
  Cube g = noise({12, 10, 8}, 10, 1, 2);
  const Cube kernel = streak({3, 3, 3});
  const VolumeDeconvolutionOptions options = deconvolution(g.size, kernel.size, 5);
  Cube expected = run(options, g, kernel);
  for (double& value : g.v) value *= 0x1p-70;
  for (double& value : expected.v) value *= 0x1p-70;
  EXPECT_EQ(difference(run(options, g, kernel), expected), 0);
}

TEST(CpuVolumeFourier, ThreadsAndTargetsGiveTheSameBits) {
  const onepass::testing::SevenThreads seven;
  const Scene s = scene({37, 33, 18}, {5, 4, 6});
  VolumeDeconvolutionOptions options = deconvolution(s.truth.size, s.kernel.size, 3);
  options.acceleration = DeconvolutionAcceleration::kMomentum;
  const auto results = [&](uint32_t threads) {
    const cpu::VolumeTuning tuning{.threads = threads};
    std::vector<Cube> all = {run(options, s.blurred, s.kernel, threads)};
    Floats convolved(s.truth.size);
    VolumeConvolutionOptions mirrored = convolution(s.truth, s.kernel);
    mirrored.boundary = Boundary::kMirror;
    expect_done(
        cpu::convolve_volume(mirrored, Floats(s.truth).view(), Floats(s.kernel).view(), convolved.out(), tuning));
    all.push_back(convolved.cube());
    const VolumeTransformOptions transform{.size = s.truth.size};
    Floats spectrum(VolumeSize{2 * (37 / 2 + 1), 33, 18});
    expect_done(cpu::transform_volume(transform, Floats(s.truth).view(), std::as_writable_bytes(std::span(spectrum.v)),
                                      tuning));
    all.push_back(spectrum.cube());
    Floats again(s.truth.size);
    expect_done(cpu::inverse_transform_volume(transform, std::as_bytes(std::span(spectrum.v)), again.out(), tuning));
    all.push_back(again.cube());
    return all;
  };
  const auto expected = results(1);
  const auto expect_same = [&](uint32_t threads) {
    const auto made = results(threads);
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(difference(made[i], expected[i]), 0) << i << ", threads " << threads;
  };
  expect_same(2);
  expect_same(7);
  onepass::testing::on_every_simd_target([&](const char* target) {
    SCOPED_TRACE(target);
    expect_same(2);
  });
}

TEST(CpuVolumeFourier, ReportsProgressAndIsCancelled) {
  cpu::ProgressWatch::interval = std::chrono::milliseconds(0);
  const Scene s = scene({24, 20, 10}, {3, 3, 3});
  const VolumeDeconvolutionOptions options = deconvolution(s.truth.size, s.kernel.size, 4);
  Floats out(s.truth.size);
  std::vector<double> fractions;
  const auto call = [&](bool go_on) {
    fractions.clear();
    return cpu::deconvolve_volume(options, Floats(s.blurred).view(), Floats(s.kernel).view(), out.out(),
                                  {.threads = 1, .progress = [&, go_on](double fraction) {
                                     fractions.push_back(fraction);
                                     return go_on || fraction < 0.5;
                                   }});
  };
  expect_done(call(true));
  ASSERT_GT(fractions.size(), 20U);
  for (size_t i = 1; i < fractions.size(); ++i) EXPECT_GE(fractions[i], fractions[i - 1]);
  EXPECT_GT(fractions[fractions.size() - 2], 0.95);
  EXPECT_EQ(fractions.back(), 1.0);
  const auto cancelled = call(false);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, ErrorCode::kCancelled);
  EXPECT_LT(fractions.back(), 0.6);
  cpu::ProgressWatch::interval = std::chrono::milliseconds(100);
}

// The microscope's volume of 2 GB is deconvolved in less memory than it has.
TEST(CpuVolumeFourier, TilesKeepTheMemory) {
  VolumeDeconvolutionOptions options = deconvolution({2048, 2048, 256}, {64, 64, 64}, 20);
  options.source = options.target = VoxelType::kUint16;
  options.acceleration = DeconvolutionAcceleration::kMomentum;
  for (const uint64_t most : {uint64_t{600} << 20, uint64_t{1} << 30, uint64_t{3} << 30}) {
    options.max_bytes = most;
    const auto plan = plan_volume_deconvolution(options);
    ASSERT_TRUE(plan) << plan.error().text();
    EXPECT_LE(plan->memory_bytes, most);
    EXPECT_GT(plan->memory_bytes, most / 2);
    EXPECT_GE(plan->tiles.width * plan->tile.width, 2048U);
    EXPECT_GE(plan->domain.width, plan->estimate.width);
  }
  options.max_bytes = 1 << 20;
  const auto refused = plan_volume_deconvolution(options);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("max_bytes: 1048576"), std::string::npos) << refused.error().text();
}

std::string refusal(const VolumeDeconvolutionOptions& options) {
  const auto plan = plan_volume_deconvolution(options);
  return plan ? "" : plan.error().text();
}

TEST(CpuVolumeFourier, SaysWhatIsWrong) {
  const VolumeDeconvolutionOptions good = deconvolution({8, 7, 6}, {3, 3, 3}, 2);
  const auto expect_refusal = [&](const char* field, const std::function<void(VolumeDeconvolutionOptions&)>& change) {
    VolumeDeconvolutionOptions options = good;
    change(options);
    EXPECT_NE(refusal(options).find(field), std::string::npos) << field << ": " << refusal(options);
  };
  EXPECT_EQ(refusal(good), "");
  expect_refusal("size", [](auto& o) { o.size.planes = 0; });
  expect_refusal("size", [](auto& o) { o.size.width = 65536; });
  expect_refusal("kernel_size", [](auto& o) { o.kernel_size.height = 0; });
  expect_refusal("kernel_origin", [](auto& o) { o.kernel_origin = VolumePoint{0, 0, 3}; });
  expect_refusal("iterations", [](auto& o) { o.iterations = 0; });
  expect_refusal("background", [](auto& o) { o.background = -1; });
  expect_refusal("background", [](auto& o) { o.background = std::nanf(""); });
  expect_refusal("source", [](auto& o) { o.source = VoxelType::kUint64; });
  expect_refusal("target", [](auto& o) { o.target = VoxelType::kUint64; });
  expect_refusal("kernel", [](auto& o) { o.kernel = static_cast<VoxelType>(99); });
  expect_refusal("acceleration", [](auto& o) { o.acceleration = static_cast<DeconvolutionAcceleration>(2); });

  const Cube a = noise(good.size, 11);
  Floats out(a.size);
  Cube kernel = streak({3, 3, 3});
  const auto code = [&] {
    const auto done = cpu::deconvolve_volume(good, Floats(a).view(), Floats(kernel).view(), out.out());
    return done ? ErrorCode::kIo : done.error().code;
  };
  kernel.at(1, 1, 1) = -0.1;
  EXPECT_EQ(code(), ErrorCode::kBadData);
  kernel.at(1, 1, 1) = std::nan("");
  EXPECT_EQ(code(), ErrorCode::kBadData);
  kernel = Cube({3, 3, 3});
  EXPECT_EQ(code(), ErrorCode::kBadData);
  const auto null = cpu::deconvolve_volume(good, {}, Floats(kernel).view(), out.out());
  EXPECT_EQ(null.error().code, ErrorCode::kInvalidArgument);
  const auto narrow = cpu::convolve_volume({.size = a.size, .kernel_size = {3, 3, 3}}, {out.v.data(), 8, 80},
                                           Floats(kernel).view(), out.out());
  EXPECT_EQ(narrow.error().code, ErrorCode::kInvalidArgument);
  std::vector<std::byte> spectrum(8);
  EXPECT_EQ(cpu::transform_volume({.size = a.size}, Floats(a).view(), spectrum).error().code,
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace volume_fourier_test
