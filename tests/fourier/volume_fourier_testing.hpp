// volume_fourier_testing.hpp: volumes of doubles, and convolution by its definition, for tests of spectra of volumes.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "onepass/fourier_volume.hpp"

namespace volume_fourier_test {

using namespace onepass;

inline double real(int64_t value) { return static_cast<double>(value); }

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
inline void each(VolumeSize size, const std::function<void(int64_t, int64_t, int64_t)>& visit) {
  for (int64_t z = 0; z < size.planes; ++z) {
    for (int64_t y = 0; y < size.height; ++y) {
      for (int64_t x = 0; x < size.width; ++x) visit(x, y, z);
    }
  }
}

inline Cube noise(VolumeSize size, uint32_t seed, double low = 0, double high = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(static_cast<float>(low), static_cast<float>(high));
  Cube cube(size);
  for (double& value : cube.v) value = values(random);
  return cube;
}

/// A blur without symmetry, so that errors of orientation or origin show.
inline Cube streak(VolumeSize size) {
  Cube kernel(size);
  each(size, [&](int64_t x, int64_t y, int64_t z) {
    kernel.at(x, y, z) = static_cast<float>(
        std::exp(-0.6 * std::abs(real(x - y)) - 0.3 * real(x) - 0.5 * std::abs(real(z) - 0.5 * real(y))));
  });
  return kernel;
}

inline Cube unit_sum(Cube kernel) {
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

inline double largest(const Cube& cube) {
  double most = 0;
  for (const double value : cube.v) most = std::max(most, std::abs(value));
  return most;
}

inline double difference(const Cube& a, const Cube& b) {
  if (a.v.size() != b.v.size()) return INFINITY;
  double most = 0;
  for (size_t i = 0; i < a.v.size(); ++i) {
    const double d = std::abs(a.v[i] - b.v[i]);
    if (!(d <= most)) most = std::isnan(d) ? INFINITY : d;
  }
  return most;
}

inline double rms(const Cube& a, const Cube& b) {
  double sum = 0;
  for (size_t i = 0; i < a.v.size(); ++i) sum += (a.v[i] - b.v[i]) * (a.v[i] - b.v[i]);
  return std::sqrt(sum / static_cast<double>(a.v.size()));
}

inline void expect_done(const Result<void>& done) { EXPECT_TRUE(done) << (done ? "" : done.error().text()); }

inline int64_t fold(int64_t i, int64_t n, Boundary boundary) {
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
inline Cube convolve(const Cube& a, const Cube& kernel, Point origin, Boundary boundary, Point first, VolumeSize size) {
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

inline VolumeConvolutionOptions convolution(const Cube& a, const Cube& kernel) {
  return {.size = a.size, .kernel_size = kernel.size};
}

}  // namespace volume_fourier_test
