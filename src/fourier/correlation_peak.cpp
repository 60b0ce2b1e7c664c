// correlation_peak.cpp: peak search, and refinement by parabolas or by Newton's method.
//
// Between texels c(x, y) = Re sum C(kx, ky) exp(2 pi i (fx x + fy y)). Its derivatives are sums of the same form, with
// factors 2 pi f and their products; Newton's method needs a few steps from the peak texel. One step is a pass over the
// spectrum: for each column the sums over ky of C e, fy C e, fy^2 C e, then the sums over kx.
#include "fourier/correlation_peak.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "fourier/fourier_operation_params.h"

namespace onepass::cpu {
namespace {

using Complex = std::complex<double>;

constexpr double kTau = 2 * std::numbers::pi;

// c and its first and second derivatives at a point.
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

  // The Nyquist frequency of an even axis has no sign, thus no value between texels: share() scales the others up.
  [[nodiscard]] static bool has_sign(uint32_t k, uint32_t n) { return 2 * uint64_t{k} != n; }

  /// Sum of all magnitudes / sum of those with a sign; 0 if those are 1/1000 of all or less.
  [[nodiscard]] double share() const {
    double all = 0;
    double heard = 0;
    for (uint32_t kx = 0; kx < size.width / 2 + 1; ++kx) {
      const float* pair = spectrum.data() + size_t{2} * kx * size.height;
      for (uint32_t ky = 0; ky < size.height; ++ky, pair += 2) {
        const bool alone = kx == 0 || 2 * kx == size.width;
        const double re = pair[0];
        const double im = pair[1];
        const double magnitude = std::sqrt(re * re + im * im) * (alone ? 1 : 2);
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
    std::vector<Complex> phase(h);
    for (uint32_t ky = 0; ky < h; ++ky) {
      fy[ky] = kTau * frequency(ky, h);
      phase[ky] = has_sign(ky, h) ? std::polar(1.0, fy[ky] * y) : Complex{};
    }
    std::vector<Jet> parts(columns);  // added in order below: same bits with any thread count
    workers.run(columns, [&](size_t kx, uint32_t /*slot*/) {
      if (!has_sign(static_cast<uint32_t>(kx), w)) return;
      Complex s0, s1, s2;
      const float* pair = spectrum.data() + 2 * kx * h;
      for (uint32_t ky = 0; ky < h; ++ky, pair += 2) {
        const Complex term = Complex(pair[0], pair[1]) * phase[ky];
        s0 += term;
        s1 += term * fy[ky];
        s2 += term * (fy[ky] * fy[ky]);
      }
      const double fx = kTau * static_cast<double>(kx) / w;
      const Complex e = std::polar(kx == 0 ? factor : 2 * factor, fx * x);  // twice: mirrored columns are not stored
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

// A position in c, in texels, and the correlation there.
struct Peak {
  double x = 0;
  double y = 0;
  double value = 0;
};

// Moves `texel` to the vertices of the parabolas through its neighbours.
Peak refine_by_parabola(const PeakTexel& texel) {
  const double x = vertex(texel.left, texel.value, texel.right);
  const double y = vertex(texel.above, texel.value, texel.below);
  // Height of the vertex of a parabola: middle - (left - right) offset / 4, per axis.
  const double lower = (texel.left - texel.right) * x + (texel.above - texel.below) * y;
  return {texel.x + x, texel.y + y, texel.value - 0.25 * lower};
}

// Newton's step to a maximum; if the Hessian is not negative definite, only along axes of negative curvature.
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

// Largest distance of a maximum from its texel: 1, plus 1e-3 of the size. The broadest peak is as wide as the image:
// its texels are within ONEPASS_CORRELATION_TIE of the top up to 7e-4 of the size away.
double reach_of(uint32_t n) { return 1 + 1e-3 * n; }

// Moves `texel` to the maximum nearby of the trigonometric polynomial, starting at `start`.
Peak refine_by_fourier(const TrigonometricPolynomial& c, const PeakTexel& texel, const Peak& start) {
  const double share = c.share();
  if (share == 0) return start;
  const double reach_x = reach_of(c.size.width);
  const double reach_y = reach_of(c.size.height);
  double x = start.x;
  double y = start.y;
  Jet jet = c.at(x, y);
  for (int i = 0; i < 20; ++i) {
    Step step = newton_step(jet);
    step.x =
        std::clamp(x + std::clamp(step.x, -0.5 * reach_x, 0.5 * reach_x), texel.x - reach_x, texel.x + reach_x) - x;
    step.y =
        std::clamp(y + std::clamp(step.y, -0.5 * reach_y, 0.5 * reach_y), texel.y - reach_y, texel.y + reach_y) - y;
    if (std::fabs(step.x) < 1e-9 && std::fabs(step.y) < 1e-9) break;
    Jet next = c.at(x + step.x, y + step.y);
    for (int half = 0; half < 6 && next.value < jet.value; ++half) {
      step = {0.5 * step.x, 0.5 * step.y};
      next = c.at(x + step.x, y + step.y);
    }
    if (next.value < jet.value) break;  // only rounding error is left
    x += step.x;
    y += step.y;
    jet = next;
  }
  return {x, y, jet.value * share};
}

// Shifts beyond half the size are negative. Half the size stays positive, whatever its rounding error.
double signed_shift(double shift, uint32_t n) { return 2 * shift > n + 1e-3 ? shift - n : shift; }

double range_of(std::span<const float> c, size_t first, size_t stride, size_t count) {
  float least = c[first];
  float largest = least;
  for (size_t i = 0; i < count; ++i) {
    least = std::min(least, c[first + i * stride]);
    largest = std::max(largest, c[first + i * stride]);
  }
  return double{largest} - least;
}

}  // namespace

PeakTexel find_peak(std::span<const float> c, Extent size) {
  const size_t w = size.width;
  const size_t h = size.height;
  const auto at = [&](size_t x, size_t y) { return c[y % h * w + x % w]; };
  const auto is_local_maximum = [&](size_t x, size_t y) {
    for (size_t dy = h - 1; dy <= h + 1; ++dy) {
      for (size_t dx = w - 1; dx <= w + 1; ++dx) {
        if (at(x + dx, y + dy) > at(x, y)) return false;
      }
    }
    return true;
  };
  const float least = *std::max_element(c.begin(), c.end()) - ONEPASS_CORRELATION_TIE;
  PeakTexel peak;
  uint64_t shortest = ~uint64_t{0};
  for (size_t y = 0; y < h; ++y) {
    for (size_t x = 0; x < w; ++x) {
      if (c[y * w + x] < least) continue;
      const uint64_t sx = std::min(x, w - x);
      const uint64_t sy = std::min(y, h - y);
      if (sx * sx + sy * sy >= shortest || !is_local_maximum(x, y)) continue;
      shortest = sx * sx + sy * sy;
      peak.x = static_cast<uint32_t>(x);
      peak.y = static_cast<uint32_t>(y);
    }
  }
  const size_t x = peak.x;
  const size_t y = peak.y;
  peak.value = at(x, y);
  peak.left = at(x + w - 1, y);
  peak.right = at(x + 1, y);
  peak.above = at(x, y + h - 1);
  peak.below = at(x, y + 1);
  peak.range_x = range_of(c, y * w, 1, w);
  peak.range_y = range_of(c, x, w, h);
  return peak;
}

ShiftEstimate shift_of(const PeakTexel& peak, Extent size, PeakRefinement refinement, std::span<const float> spectrum,
                       Workers& workers) {
  if (!(peak.value > 0)) return {};
  Peak place{static_cast<double>(peak.x), static_cast<double>(peak.y), peak.value};
  if (refinement != PeakRefinement::kNone) place = refine_by_parabola(peak);
  if (refinement == PeakRefinement::kFourier) {
    const double factor = 1 / (static_cast<double>(size.width) * size.height);
    place = refine_by_fourier({spectrum, size, factor, workers}, peak, place);
  }
  const bool varies_x = peak.range_x > ONEPASS_CORRELATION_TIE;
  const bool varies_y = peak.range_y > ONEPASS_CORRELATION_TIE;
  return {varies_x ? signed_shift(place.x, size.width) : 0, varies_y ? signed_shift(place.y, size.height) : 0,
          std::clamp(place.value, 0.0, 1.0)};
}

}  // namespace onepass::cpu
