// curve.cpp: see curve.hpp.
#include "tone_map/curve.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace onepass::tone_map {
namespace {

constexpr uint32_t kOneBits = 0x3F800000;
constexpr uint32_t kMantissa = 0x7FFFFF;

/// Borders of piece `index` where an octave has 2^split.
struct Piece {
  double begin, end;    // of w
  double least, width;  // of z
};

Piece piece_of(uint32_t index, uint32_t split) {
  const double octave = std::ldexp(1.0, static_cast<int>(index >> split));
  const double parts = 1U << split;
  const double part = index & ((1U << split) - 1);
  return {octave * (1 + part / parts), octave * (1 + (part + 1) / parts), part / parts - 0.5, 1 / parts};
}

struct Shape {
  bool root;
  uint32_t split;
  double scale;
};

double argument_of(double w, const Shape& shape) {
  const double s = (w - 1) / shape.scale;
  return shape.root ? s * s : s;
}

/// The polynomial of `degree` in z through f at the Chebyshev nodes of a piece.
std::vector<double> fit_piece(const CurveRequest& request, const Shape& shape, const Piece& piece, uint32_t degree) {
  const uint32_t count = degree + 1;
  std::vector<double> x(count);
  std::vector<double> slopes(count);  // divided differences, in place
  for (uint32_t i = 0; i < count; ++i) {
    const double unit = 0.5 + 0.5 * std::cos((2.0 * i + 1.0) * std::numbers::pi / (2.0 * count));
    x[i] = piece.least + unit * piece.width;
    const double w = piece.begin + unit * (piece.end - piece.begin);
    slopes[i] = request.f(argument_of(w, shape));
  }
  for (uint32_t order = 1; order < count; ++order) {
    for (uint32_t i = count; i-- > order;) slopes[i] = (slopes[i] - slopes[i - 1]) / (x[i] - x[i - order]);
  }
  std::vector<double> powers(count, 0.0);
  powers[0] = slopes[degree];
  for (uint32_t i = degree; i-- > 0;) {  // powers = powers * (z - x[i]) + slopes[i]
    for (uint32_t power = count; power-- > 1;) powers[power] = powers[power - 1] - x[i] * powers[power];
    powers[0] = slopes[i] - x[i] * powers[0];
  }
  return powers;
}

/// The largest scale, at most `most`, that puts `kink` on a border.
double scale_for(double kink, double most, uint32_t split) {
  const double w = kink * most + 1;
  const double octave = std::exp2(std::floor(std::log2(w)));
  const double parts = 1U << split;
  const double border = octave * (1 + std::floor((w / octave - 1) * parts) / parts);
  return border > 1 ? (border - 1) / kink : most;
}

uint32_t piece_index(float w, uint32_t split) { return (std::bit_cast<uint32_t>(w) - kOneBits) >> (23 - split); }
float mantissa(float w) { return std::bit_cast<float>((std::bit_cast<uint32_t>(w) & kMantissa) | kOneBits) - 1.5F; }

float position(const Curve& curve, float x) {
  const float clamped = std::min(x, curve.top);
  return (curve.root ? std::sqrt(clamped) : clamped) * curve.scale + 1.0F;
}

float evaluate_cubic(const Curve& curve, float x) {
  const float w = position(curve, x);
  const std::array<float, 4>& c = curve.cubics[piece_index(w, curve.split + 2)];
  const float z = mantissa(w);
  return ((c[3] * z + c[2]) * z + c[1]) * z + c[0];
}

void fill(const CurveRequest& request, const Shape& shape, Curve& curve) {
  curve.root = shape.root;
  curve.split = shape.split;
  curve.scale = static_cast<float>(shape.scale);
  curve.top = static_cast<float>(request.top);
  for (uint32_t i = 0; i < kPieces; ++i) {
    const auto powers = fit_piece(request, shape, piece_of(i, shape.split), kDegree);
    for (uint32_t power = 0; power <= kDegree; ++power)
      curve.coefficients[power][i] = static_cast<float>(powers[power]);
  }
  for (uint32_t i = 0; i < kGpuPieces; ++i) {
    const auto powers = fit_piece(request, shape, piece_of(i, shape.split + 2), 3);
    for (uint32_t power = 0; power < 4; ++power) curve.cubics[i][power] = static_cast<float>(powers[power]);
  }
}

/// Makes 0 of 0 exactly, however steep what comes next may be there. z is -1/2, the products are exact.
void pin_zero(Curve& curve) {
  float rest = curve.coefficients[kDegree][0];
  for (uint32_t power = kDegree; power-- > 1;) rest = rest * -0.5F + curve.coefficients[power][0];
  curve.coefficients[0][0] = 0.5F * rest;
  std::array<float, 4>& cubic = curve.cubics[0];
  cubic[0] = 0.5F * ((cubic[3] * -0.5F + cubic[2]) * -0.5F + cubic[1]);
}

double error_of(const CurveRequest& request, double value, double exact) {
  if (!request.through) return std::fabs(value - exact);
  // Transfers that are infinitely steep at 0 are not asked for more than floats can do.
  constexpr double kNear = 1e-7;
  const auto after = [&](double v) { return request.through(std::max(0.0, v)); };
  return std::max({0.0, after(exact - kNear) - after(value), after(value) - after(exact + kNear)});
}

void measure(const CurveRequest& request, const Shape& shape, Curve& curve) {
  constexpr uint32_t kSamples = 5;  // a piece of the GPU
  for (uint32_t i = 0; i < kGpuPieces; ++i) {
    const Piece piece = piece_of(i, shape.split + 2);
    for (uint32_t k = 0; k <= kSamples; ++k) {
      const auto x = static_cast<float>(
          std::min(request.top, argument_of(piece.begin + (piece.end - piece.begin) * k / kSamples, shape)));
      const double exact = request.f(x);
      // What an error of a factor does to the product.
      const double unit = request.is_factor ? std::max(1.0, std::fabs(exact * x)) / std::max<double>(x, 1e-30)
                                            : std::max(1.0, std::fabs(exact));
      curve.error = std::max(curve.error, error_of(request, evaluate(curve, x), exact) / unit);
      curve.gpu_error = std::max(curve.gpu_error, error_of(request, evaluate_cubic(curve, x), exact) / unit);
    }
  }
}

}  // namespace

float evaluate(const Curve& curve, float x) {
  const float w = position(curve, x);
  const uint32_t piece = piece_index(w, curve.split);
  const float z = mantissa(w);
  float value = curve.coefficients[kDegree][piece];
  for (uint32_t power = kDegree; power-- > 0;) value = value * z + curve.coefficients[power][piece];
  return value;
}

Curve fit_curve(const CurveRequest& request) {
  Curve best;
  double best_error = INFINITY;
  for (const bool root : {false, true}) {
    const double top = root ? std::sqrt(request.top) : request.top;
    for (const uint32_t split : {0U, 1U, 2U}) {
      // A little less than the last octave's end, for the rounding of w.
      const double most = (std::exp2(kPieces >> split) - 1) / top * (1 - 0x1p-20);
      std::vector<double> scales;
      for (const double kink : request.kinks) scales.push_back(scale_for(root ? std::sqrt(kink) : kink, most, split));
      if (scales.empty()) scales.push_back(most);
      for (const double scale : scales) {
        const Shape shape{root, split, static_cast<double>(static_cast<float>(scale))};
        Curve curve;
        fill(request, shape, curve);
        if (request.f(0) == 0) pin_zero(curve);
        measure(request, shape, curve);
        const double error = std::max(curve.error, curve.gpu_error);
        if (error < best_error) {
          best = curve;
          best_error = error;
        }
        if (best_error <= request.enough) return best;
      }
    }
  }
  return best;
}

}  // namespace onepass::tone_map
