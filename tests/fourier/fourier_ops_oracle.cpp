// fourier_ops_oracle.cpp: operations on planes of doubles (extension by a boundary, FFTW's transforms, gains per
// frequency, crops) from which tests compose definitions, without the padding, tiles and fused passes of the engines.
#include "tests/fourier/fourier_ops_oracle.hpp"

#include <fftw3.h>

#include <cmath>
#include <limits>

namespace fourier_ops_test {
namespace {

// Index of the texel at position i by the boundary rule, -1 for none.
int fold(int i, int n, Boundary boundary) {
  if (i >= 0 && i < n) return i;
  switch (boundary) {
    case Boundary::kZero:
      return -1;
    case Boundary::kClamp:
      return i < 0 ? 0 : n - 1;
    case Boundary::kWrap:
      while (i < 0) i += n;
      return i % n;
    case Boundary::kMirror:
      while (i < 0) i += 2 * n;
      i %= 2 * n;
      return i < n ? i : 2 * n - 1 - i;
  }
  return -1;
}

}  // namespace

double Plane::beyond(int x, int y, Boundary boundary) const {
  const int i = fold(x, w, boundary);
  const int j = fold(y, h, boundary);
  return i < 0 || j < 0 ? 0.0 : at(i, j);
}

Plane convolve(const Plane& image, const Plane& kernel, int ox, int oy, Boundary boundary, int x0, int y0, int w,
               int h) {
  Plane out(w, h);
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      double sum = 0;
      for (int j = 0; j < kernel.h; ++j) {
        for (int i = 0; i < kernel.w; ++i) {
          sum += kernel.at(i, j) * image.beyond(x0 + x - (i - ox), y0 + y - (j - oy), boundary);
        }
      }
      out.at(x, y) = sum;
    }
  }
  return out;
}

Plane extend(const Plane& image, int w, int h, int px, int py, Boundary boundary) {
  Plane out(w, h);
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) out.at(x, y) = image.beyond(x - px, y - py, boundary);
  }
  return out;
}

Spectrum transform(const Plane& plane) {
  Spectrum out(plane.v.begin(), plane.v.end());
  auto* data = reinterpret_cast<fftw_complex*>(out.data());
  fftw_plan plan = fftw_plan_dft_2d(plane.h, plane.w, data, data, FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  return out;
}

Plane inverse(const Spectrum& spectrum, int w, int h) {
  Spectrum copy = spectrum;
  auto* data = reinterpret_cast<fftw_complex*>(copy.data());
  fftw_plan plan = fftw_plan_dft_2d(h, w, data, data, FFTW_BACKWARD, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  Plane out(w, h);
  for (size_t i = 0; i < copy.size(); ++i) out.v[i] = copy[i].real() / static_cast<double>(copy.size());
  return out;
}

double cycles(int k, int n) { return static_cast<double>(2 * k > n ? k - n : k) / n; }

Plane filter(const Plane& plane, const std::function<double(double fx, double fy)>& gain) {
  Spectrum spectrum = transform(plane);
  for (int ky = 0; ky < plane.h; ++ky) {
    for (int kx = 0; kx < plane.w; ++kx) {
      spectrum[static_cast<size_t>(ky) * static_cast<size_t>(plane.w) + static_cast<size_t>(kx)] *=
          gain(cycles(kx, plane.w), cycles(ky, plane.h));
    }
  }
  return inverse(spectrum, plane.w, plane.h);
}

Plane crop(const Plane& plane, int x, int y, int w, int h) {
  Plane out(w, h);
  for (int j = 0; j < h; ++j) {
    for (int i = 0; i < w; ++i) out.at(i, j) = plane.at(x + i, y + j);
  }
  return out;
}

Plane plane_of(const Image& image, uint32_t c, uint32_t slice) {
  Plane out(static_cast<int>(image.size().width), static_cast<int>(image.size().height));
  std::vector<float> row(size_t{4} * image.size().width);
  for (uint32_t y = 0; y < image.size().height; ++y) {
    onepass::decode_row(image.format(), image.view().row(y, slice), image.size().width, row.data());
    for (uint32_t x = 0; x < image.size().width; ++x) {
      out.at(static_cast<int>(x), static_cast<int>(y)) = row[size_t{4} * x + c];
    }
  }
  return out;
}

Image image_of(const std::vector<Plane>& planes, Format format, uint32_t slices) {
  const auto channels = static_cast<uint32_t>(planes.size()) / slices;
  const Extent size{static_cast<uint32_t>(planes[0].w), static_cast<uint32_t>(planes[0].h)};
  auto image = Image::create(format, size, slices);
  std::vector<float> row(size_t{4} * size.width);
  for (uint32_t slice = 0; slice < slices; ++slice) {
    for (uint32_t y = 0; y < size.height; ++y) {
      for (uint32_t x = 0; x < size.width; ++x) {
        for (uint32_t c = 0; c < 4; ++c) {
          row[size_t{4} * x + c] =
              c < channels
                  ? static_cast<float>(planes[slice * channels + c].at(static_cast<int>(x), static_cast<int>(y)))
              : c == 3 ? 1.0F
                       : 0.0F;
        }
      }
      onepass::encode_row(format, row.data(), size.width, image->view().row(y, slice));
    }
  }
  return std::move(*image);
}

Format floats(uint32_t channels) {
  return channels == 1 ? Format::kR32Sfloat : channels == 2 ? Format::kRG32Sfloat : Format::kRGBA32Sfloat;
}

Plane noise(int w, int h, std::mt19937& random, double low, double high) {
  std::uniform_real_distribution<double> uniform(low, high);
  Plane out(w, h);
  for (double& v : out.v) v = static_cast<float>(uniform(random));
  return out;
}

double largest(const Plane& plane) {
  double most = 0;
  for (const double v : plane.v) most = std::max(most, std::fabs(v));
  return most;
}

double difference(const Plane& a, const Plane& b) {
  if (a.w != b.w || a.h != b.h) return std::numeric_limits<double>::infinity();
  double most = 0;
  for (size_t i = 0; i < a.v.size(); ++i) {
    const double d = std::fabs(a.v[i] - b.v[i]);
    if (!(d <= most)) most = std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
  }
  return most;
}

double rms_difference(const Plane& a, const Plane& b) {
  double sum = 0;
  for (size_t i = 0; i < a.v.size(); ++i) sum += (a.v[i] - b.v[i]) * (a.v[i] - b.v[i]);
  return std::sqrt(sum / static_cast<double>(a.v.size()));
}

}  // namespace fourier_ops_test
