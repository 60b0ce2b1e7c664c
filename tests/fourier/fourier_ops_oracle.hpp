// fourier_ops_oracle.hpp: convolutions and filters from their definitions, in double, with transforms by FFTW. Of the
// library only its enums and images are used.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "onepass/fourier.hpp"
#include "onepass/image.hpp"

namespace fourier_ops_test {

using onepass::Boundary;
using onepass::Extent;
using onepass::Format;
using onepass::Image;

/// One channel of an image.
struct Plane {
  int w = 0;
  int h = 0;
  std::vector<double> v;
  Plane() = default;
  Plane(int width, int height) : w(width), h(height), v(static_cast<size_t>(width) * static_cast<size_t>(height)) {}
  double& at(int x, int y) { return v[static_cast<size_t>(y) * static_cast<size_t>(w) + static_cast<size_t>(x)]; }
  [[nodiscard]] double at(int x, int y) const {
    return v[static_cast<size_t>(y) * static_cast<size_t>(w) + static_cast<size_t>(x)];
  }
  /// The texel at any coordinates, by the boundary rule.
  [[nodiscard]] double beyond(int x, int y, Boundary boundary) const;
};

/// sum over (i, j) of kernel(i, j) image(x - (i - ox), y - (j - oy)) for x = x0 .. x0 + w - 1, y likewise.
Plane convolve(const Plane& image, const Plane& kernel, int ox, int oy, Boundary boundary, int x0, int y0, int w,
               int h);

/// The image extended by the boundary rule to a domain of w x h texels, its first texel at (px, py).
Plane extend(const Plane& image, int w, int h, int px, int py, Boundary boundary);

using Spectrum = std::vector<std::complex<double>>;  ///< kx + W * ky, all frequencies.

Spectrum transform(const Plane& plane);
Plane inverse(const Spectrum& spectrum, int w, int h);  ///< With 1/(W H); the real part.

/// Frequency k of n, in cycles per texel.
double cycles(int k, int n);

/// The plane with its spectrum multiplied by gain(fx, fy); the plane is taken as periodic.
Plane filter(const Plane& plane, const std::function<double(double fx, double fy)>& gain);

/// A part of a plane.
Plane crop(const Plane& plane, int x, int y, int w, int h);

/// Channel `c` of an image, decoded.
Plane plane_of(const Image& image, uint32_t c, uint32_t slice = 0);

/// An image of 1 to 4 channels from planes[slice * channels + c].
Image image_of(const std::vector<Plane>& planes, Format format, uint32_t slices = 1);

Format floats(uint32_t channels);

Plane noise(int w, int h, std::mt19937& random, double low = 0, double high = 1);

double largest(const Plane& plane);
double difference(const Plane& a, const Plane& b);  ///< The largest; infinite if one is NaN or sizes differ.
double rms_difference(const Plane& a, const Plane& b);

}  // namespace fourier_ops_test
