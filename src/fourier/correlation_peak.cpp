// correlation_peak.cpp: see correlation_peak.hpp.
//
// Between texels c(x, y) = Re sum C(kx, ky) exp(2 pi i (fx x + fy y)). Its gradient and curvature are such sums as
// well, with factors 2 pi f and their products; Newton's method needs a handful of steps from the best texel. One step
// costs a pass over the spectrum: for each column the sums over ky of C e, fy C e, fy^2 C e, then those over kx.
#include "fourier/correlation_peak.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace onepass::cpu {
namespace {

using Complex = std::complex<double>;

constexpr double kTau = 2 * std::numbers::pi;

// c and its derivatives at a place.
struct Jet {
  double value = 0;
  double dx = 0, dy = 0;
  double dxx = 0, dxy = 0, dyy = 0;
};

struct TrigonometricPolynomial {
  std::span<const float> spectrum;
  Extent size;
  double factor;
  Workers& workers;

  // The finest frequency of an even axis has no sign, and so no say between texels. Other frequencies' power stands in.
  [[nodiscard]] static bool has_sign(uint32_t k, uint32_t n) { return 2 * uint64_t{k} != n; }

  /// Sum of all magnitudes over the sum of those that have a say; 0 if none has.
  [[nodiscard]] double share() const {
    double all = 0;
    double heard = 0;
    for (uint32_t kx = 0; kx < size.width / 2 + 1; ++kx) {
      const float* pair = spectrum.data() + size_t{2} * kx * size.height;
      for (uint32_t ky = 0; ky < size.height; ++ky, pair += 2) {
        const bool alone = kx == 0 || 2 * kx == size.width;
        const double magnitude = std::hypot(double{pair[0]}, double{pair[1]}) * (alone ? 1 : 2);
        all += magnitude;
        if (has_sign(kx, size.width) && has_sign(ky, size.height)) heard += magnitude;
      }
    }
    return heard > 1e-3 * all ? all / heard : 0;
  }

  [[nodiscard]] Jet at(double x, double y) const {
    const uint32_t w = size.width;
    const uint32_t h = size.height;
    const uint32_t columns = w / 2 + 1;
    std::vector<double> fy(h);
    std::vector<Complex> turn(h);
    for (uint32_t ky = 0; ky < h; ++ky) {
      fy[ky] = kTau * frequency(ky, h);
      turn[ky] = has_sign(ky, h) ? std::polar(1.0, fy[ky] * y) : Complex{};
    }
    std::vector<Jet> parts(columns);  // added up in order below: the same sum for any number of threads
    workers.run(columns, [&](size_t kx, uint32_t /*slot*/) {
      if (!has_sign(static_cast<uint32_t>(kx), w)) return;
      Complex s0, s1, s2;
      const float* pair = spectrum.data() + 2 * kx * h;
      for (uint32_t ky = 0; ky < h; ++ky, pair += 2) {
        const Complex term = Complex(pair[0], pair[1]) * turn[ky];
        s0 += term;
        s1 += term * fy[ky];
        s2 += term * (fy[ky] * fy[ky]);
      }
      const double fx = kTau * static_cast<double>(kx) / w;
      const Complex e = std::polar(kx == 0 ? factor : 2 * factor, fx * x);  // twice: the columns not stored
      s0 *= e;
      s1 *= e;
      s2 *= e;
      parts[kx] = {s0.real(), -fx * s0.imag(), -s1.imag(), -fx * fx * s0.real(), -fx * s1.real(), -s2.real()};
    });
    Jet jet;
    for (const Jet& part : parts) {
      jet.value += part.value;
      jet.dx += part.dx;
      jet.dy += part.dy;
      jet.dxx += part.dxx;
      jet.dxy += part.dxy;
      jet.dyy += part.dyy;
    }
    return jet;
  }
};

double vertex(double left, double middle, double right) {
  const double curvature = left - 2 * middle + right;
  return curvature < 0 ? std::clamp(0.5 * (left - right) / curvature, -0.5, 0.5) : 0.0;
}

// Newton's step to a maximum, along the axes that bend down; nothing where none does.
struct Step {
  double x = 0, y = 0;
};

Step newton_step(const Jet& jet) {
  const double determinant = jet.dxx * jet.dyy - jet.dxy * jet.dxy;
  if (jet.dxx < 0 && determinant > 1e-12 * jet.dxx * jet.dyy) {
    return {(jet.dxy * jet.dy - jet.dyy * jet.dx) / determinant, (jet.dxy * jet.dx - jet.dxx * jet.dy) / determinant};
  }
  return {jet.dxx < 0 ? -jet.dx / jet.dxx : 0, jet.dyy < 0 ? -jet.dy / jet.dyy : 0};
}

}  // namespace

Peak find_peak(std::span<const float> c, Extent size) {
  const size_t best = static_cast<size_t>(std::max_element(c.begin(), c.end()) - c.begin());
  return {static_cast<double>(best % size.width), static_cast<double>(best / size.width), double{c[best]}};
}

Peak refine_by_parabola(std::span<const float> c, Extent size, const Peak& peak) {
  const auto px = static_cast<uint32_t>(peak.x);
  const auto py = static_cast<uint32_t>(peak.y);
  const auto at = [&](uint32_t x, uint32_t y) {
    return double{c[size_t{y % size.height} * size.width + x % size.width]};
  };
  return refine_by_parabola({.left = at(px + size.width - 1, py),
                             .right = at(px + 1, py),
                             .above = at(px, py + size.height - 1),
                             .below = at(px, py + 1)},
                            peak);
}

Peak refine_by_parabola(const PeakNeighbours& beside, const Peak& peak) {
  const double x = vertex(beside.left, peak.value, beside.right);
  const double y = vertex(beside.above, peak.value, beside.below);
  // Height of the vertex of a parabola: middle - (left - right) offset / 4, per axis.
  const double lower = (beside.left - beside.right) * x + (beside.above - beside.below) * y;
  return {peak.x + x, peak.y + y, peak.value - 0.25 * lower};
}

ShiftEstimate shift_of(const Peak& peak, Extent size) {
  const auto signed_shift = [](double shift, uint32_t n) { return 2 * shift > n ? shift - n : shift; };
  return {signed_shift(peak.x, size.width), signed_shift(peak.y, size.height), std::clamp(peak.value, 0.0, 1.0)};
}

Peak refine_by_fourier(std::span<const float> spectrum, Extent size, double factor, const Peak& peak, const Peak& start,
                       Workers& workers) {
  const TrigonometricPolynomial c{spectrum, size, factor, workers};
  const double share = c.share();
  if (share == 0) return start;
  double x = start.x;
  double y = start.y;
  Jet jet = c.at(x, y);
  for (int i = 0; i < 20; ++i) {
    Step step = newton_step(jet);
    step.x = std::clamp(x + std::clamp(step.x, -0.5, 0.5), peak.x - 1, peak.x + 1) - x;
    step.y = std::clamp(y + std::clamp(step.y, -0.5, 0.5), peak.y - 1, peak.y + 1) - y;
    if (std::fabs(step.x) < 1e-9 && std::fabs(step.y) < 1e-9) break;
    Jet next = c.at(x + step.x, y + step.y);
    for (int half = 0; half < 6 && next.value < jet.value; ++half) {
      step = {0.5 * step.x, 0.5 * step.y};
      next = c.at(x + step.x, y + step.y);
    }
    if (next.value < jet.value) break;  // rounding is all that is left
    x += step.x;
    y += step.y;
    jet = next;
  }
  return {x, y, jet.value * share};
}

}  // namespace onepass::cpu
