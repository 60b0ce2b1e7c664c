// fourier_checks.cpp: direct sums over the whole image for one frequency or one texel: O(texels) per value, so that a
// benchmark checks a few random values only.
#include "fourier_checks.hpp"

#include <cmath>
#include <mutex>

#include "cpu/workers.hpp"

namespace onepass::bench {
namespace {

constexpr double kPi = 3.14159265358979323846;

// exp(-2 pi i k x / n), x = 0 .. n - 1.
std::vector<std::complex<double>> waves(uint32_t k, uint32_t n) {
  std::vector<std::complex<double>> out(n);
  for (uint32_t x = 0; x < n; ++x) {
    const auto turns = static_cast<double>(uint64_t{k} * x % n) / n;
    out[x] = std::polar(1.0, -2 * kPi * turns);
  }
  return out;
}

// Index of the texel that a boundary reads for position i of n; -1: none, the value is 0.
int64_t bounded(int64_t i, int64_t n, Boundary boundary) {
  if (i >= 0 && i < n) return i;
  switch (boundary) {
    case Boundary::kZero:
      return -1;
    case Boundary::kWrap:
      return (i % n + n) % n;
    case Boundary::kClamp:
      return i < 0 ? 0 : n - 1;
    default: {
      const int64_t period = (i % (2 * n) + 2 * n) % (2 * n);
      return period < n ? period : 2 * n - 1 - period;
    }
  }
}

}  // namespace

std::complex<double> spectrum_value(const FourierCase& transform, const ImageView& source, Extent at,
                                    uint32_t channel) {
  const std::vector<std::complex<double>> along_x = waves(at.width, transform.size.width);
  const std::vector<std::complex<double>> along_y = waves(at.height, transform.size.height);
  const bool pairs = transform.signal == Signal::kComplex;
  std::mutex mutex;
  std::complex<double> sum = 0;
  cpu::Workers workers(0);
  workers.run(transform.size.height, [&](size_t y, uint32_t) {
    std::vector<float> rgba(size_t{transform.size.width} * 4);
    decode_row(source.format, source.row(static_cast<uint32_t>(y)), transform.size.width, rgba.data());
    std::complex<double> row = 0;
    for (size_t x = 0; x < along_x.size(); ++x) {
      const float* texel = &rgba[4 * x];
      row += along_x[x] * (pairs ? std::complex<double>(texel[2 * channel], texel[2 * channel + 1])
                                 : std::complex<double>(texel[channel], 0));
    }
    const std::lock_guard lock(mutex);
    sum += row * along_y[y];
  });
  return sum;
}

double convolved_value(const ConvolutionCase& convolution, const ImageView& source, const ImageView& kernel, Extent at,
                       uint32_t channel) {
  const auto& [width, height] = convolution.size;
  const int64_t origin_x = convolution.kernel.width / 2;
  const int64_t origin_y = convolution.kernel.height / 2;
  std::vector<float> rgba(size_t{width} * 4);
  std::vector<float> weights(size_t{convolution.kernel.width} * 4);
  double sum = 0;
  double unit = 0;
  for (uint32_t j = 0; j < convolution.kernel.height; ++j) {
    const int64_t y = bounded(int64_t{at.height} - (int64_t{j} - origin_y), height, convolution.boundary);
    if (y >= 0) decode_row(source.format, source.row(static_cast<uint32_t>(y)), width, rgba.data());
    decode_row(kernel.format, kernel.row(j), convolution.kernel.width, weights.data());
    for (uint32_t i = 0; i < convolution.kernel.width; ++i) {
      const double weight = static_cast<double>(weights[4 * size_t{i}]);
      unit += weight;
      const int64_t x = bounded(int64_t{at.width} - (int64_t{i} - origin_x), width, convolution.boundary);
      if (x >= 0 && y >= 0) sum += weight * static_cast<double>(rgba[4 * static_cast<size_t>(x) + channel]);
    }
  }
  return sum / unit;
}

}  // namespace onepass::bench
