// curve.cpp: fits a function by piecewise polynomials: tries shapes and degrees, measures their errors, and takes the
// cheapest that is accurate enough, or else the most accurate.
#include "tone_map/curve.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

namespace onepass::tone_map {
namespace {

constexpr uint32_t kOneBits = 0x3F800000;  // of 1.0F
constexpr uint32_t kMantissa = 0x7FFFFF;

/// The interval of piece `index`, with 2^split pieces per octave.
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
  double bottom = 0;
  [[nodiscard]] double bias() const { return bottom > 0 ? 0 : 1; }
};

double argument_of(double w, const Shape& shape) {
  const double s = (w - shape.bias()) / shape.scale;
  return shape.root ? s * s : s;
}

/// The nodes of interpolation in a piece: Chebyshev nodes, or those moved towards a boundary at which f is not smooth.
enum class Nodes { kEven, kTowardsBegin, kTowardsEnd };
constexpr double kCrowding = 1.15;  // the best exponent for functions that begin like x^2.4 or x^2.5

double crowd(double unit, Nodes nodes) {
  if (nodes == Nodes::kTowardsBegin) return std::pow(unit, kCrowding);
  if (nodes == Nodes::kTowardsEnd) return 1 - std::pow(1 - unit, kCrowding);
  return unit;
}

/// The polynomial of `degree` in z through f at the nodes of a piece.
std::vector<double> fit_piece(const CurveRequest& request, const Shape& shape, const Piece& piece, uint32_t degree,
                              Nodes nodes) {
  const uint32_t count = degree + 1;
  std::vector<double> x(count);
  std::vector<double> slopes(count);  // divided differences, computed in place
  for (uint32_t i = 0; i < count; ++i) {
    const double unit = crowd(0.5 + 0.5 * std::cos((2.0 * i + 1.0) * std::numbers::pi / (2.0 * count)), nodes);
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

/// The polynomial of a piece. If a kink is at a boundary of the piece, the nodes with the smallest error are chosen.
std::vector<double> fit_best(const CurveRequest& request, const Shape& shape, const Piece& piece, uint32_t degree) {
  std::vector<double> best = fit_piece(request, shape, piece, degree, Nodes::kEven);
  const auto at_kink = [&](double w) {
    const double x = argument_of(w, shape);
    return std::any_of(request.kinks.begin(), request.kinks.end(),
                       [&](double kink) { return std::fabs(x - kink) <= 1e-5 * kink; });
  };
  const auto error = [&](const std::vector<double>& powers) {
    constexpr int kSamples = 64;
    double most = 0;
    for (int i = 0; i <= kSamples; ++i) {
      const double unit = 0.5 - 0.5 * std::cos(i * std::numbers::pi / kSamples);
      const double z = piece.least + unit * piece.width;
      double value = 0;
      for (size_t power = powers.size(); power-- > 0;) value = value * z + powers[power];
      const double w = piece.begin + unit * (piece.end - piece.begin);
      most = std::max(most, std::fabs(value - request.f(argument_of(w, shape))));
    }
    return most;
  };
  for (const auto& [border, nodes] :
       {std::pair{piece.begin, Nodes::kTowardsBegin}, std::pair{piece.end, Nodes::kTowardsEnd}}) {
    if (!at_kink(border)) continue;
    std::vector<double> other = fit_piece(request, shape, piece, degree, nodes);
    if (error(other) < error(best)) best = std::move(other);
  }
  return best;
}

/// The largest scale, at most `most`, that puts `kink` on a boundary between pieces.
double scale_for(double kink, double most, uint32_t split) {
  const double w = kink * most + 1;
  const double octave = std::exp2(std::floor(std::log2(w)));
  const double parts = 1U << split;
  const double border = octave * (1 + std::floor((w / octave - 1) * parts) / parts);
  return border > 1 ? (border - 1) / kink : most;
}

uint32_t piece_index(float w, uint32_t split) { return (std::bit_cast<uint32_t>(w) - kOneBits) >> (23 - split); }
/// The index of a piece in the CPU's tables.
uint32_t place_of(uint32_t piece, uint32_t split) { return (piece + (kOneBits >> (23 - split))) % kPieces; }
float mantissa(float w) { return std::bit_cast<float>((std::bit_cast<uint32_t>(w) & kMantissa) | kOneBits) - 1.5F; }

float position(const CurveShape& shape, float x) {
  const float clamped = std::min(std::max(x, shape.bottom), shape.top);
  return (shape.root ? std::sqrt(clamped) : clamped) * shape.scale + shape.bias;
}

float evaluate_cubic(const Curve& curve, float x) {
  const float w = position(curve.gpu, x);
  const std::array<float, 4>& c = curve.cubics[piece_index(w, curve.gpu.split)];
  const float m = mantissa(w) + 1.5F;
  return ((c[3] * m + c[2]) * m + c[1]) * m + c[0];
}

CurveShape curve_shape(const CurveRequest& request, const Shape& shape) {
  return {shape.root,
          shape.split,
          static_cast<float>(shape.scale),
          static_cast<float>(request.top),
          static_cast<float>(shape.bottom),
          static_cast<float>(shape.bias())};
}

// If f(0) is 0, the first polynomial is exactly 0 at 0, because the next function may be steep there. At 0, z is -1/2
// and the GPU's m is 1, so products are exact.

void fill_cpu(const CurveRequest& request, const Shape& shape, Curve& curve) {
  static_cast<CurveShape&>(curve) = curve_shape(request, shape);
  const uint32_t degree = curve.degree;
  for (uint32_t i = 0; i < kPieces; ++i) {
    const auto powers = fit_best(request, shape, piece_of(i, shape.split), degree);
    const uint32_t place = place_of(i, shape.split);
    for (uint32_t power = 0; power <= degree; ++power) {
      curve.coefficients[power][place] = static_cast<float>(powers[power]);
    }
  }
  if (request.f(0) != 0) return;
  const uint32_t first = place_of(0, shape.split);
  float rest = curve.coefficients[degree][first];
  for (uint32_t power = degree; power-- > 1;) rest = rest * -0.5F + curve.coefficients[power][first];
  curve.coefficients[0][first] = 0.5F * rest;
}

/// `shape` is that of the CPU's pieces; the GPU has four times as many, or eight times for a fine curve.
void fill_gpu(const CurveRequest& request, Shape shape, Curve& curve) {
  shape.split += request.fine ? 3 : 2;
  curve.gpu = curve_shape(request, shape);
  curve.cubics.resize(request.fine ? kFineGpuPieces : kGpuPieces);
  for (uint32_t i = 0; i < curve.cubics.size(); ++i) {
    const auto p = fit_best(request, shape, piece_of(i, shape.split), 3);  // in m - 1.5; the GPU's are in m
    const double powers[] = {p[0] - 1.5 * p[1] + 2.25 * p[2] - 3.375 * p[3], p[1] - 3 * p[2] + 6.75 * p[3],
                             p[2] - 4.5 * p[3], p[3]};
    for (uint32_t power = 0; power < 4; ++power) curve.cubics[i][power] = static_cast<float>(powers[power]);
  }
  if (request.f(0) != 0) return;
  std::array<float, 4>& cubic = curve.cubics[0];
  cubic[0] = -((cubic[3] + cubic[2]) + cubic[1]);  // m is 1
}

double error_of(const CurveRequest& request, double value, double exact) {
  if (!request.through) return std::fabs(value - exact);
  // A transfer may be infinitely steep at 0: errors of 1e-7 before it, the precision of floats, do not count.
  constexpr double kNear = 1e-7;
  const auto after = [&](double v) { return request.through(std::max(0.0, v)); };
  return std::max({0.0, after(exact - kNear) - after(value), after(value) - after(exact + kNear)});
}

double unit_of(double exact) { return std::max(1.0, std::fabs(exact)); }

double value_error(const CurveRequest& request, double value, double exact) {
  const double error = error_of(request, value, exact) / unit_of(exact);
  return request.mixed > 0 && exact > 1 ? std::max(error, request.mixed * std::fabs(value - exact) / exact) : error;
}

/// The error of a factor in products, and after request.through, for the largest multiplicand and for smaller ones.
double factor_error(const CurveRequest& request, double value, double exact, double x) {
  const double largest = request.factor_of * x;
  double worst = std::fabs(value - exact) * largest / unit_of(exact * largest);
  if (!request.through) return worst;
  for (const double part : {1.0, 1.0 / 4, 1.0 / 16, 1.0 / 64, 1.0 / 1024}) {
    const double by = largest * part;
    worst = std::max(worst, error_of(request, value * by, exact * by) / unit_of(exact * by));
  }
  return worst;
}

/// The largest error of `value_of` at samples of a shape's pieces, and beside kinks, which may lie near a boundary but
/// not on it. Stops after a piece with an error above `limit`.
template <class ValueOf>
double measure(const CurveRequest& request, const Shape& shape, double limit, const ValueOf& value_of) {
  constexpr uint32_t kSamples = 40;  // per piece
  double worst = 0;
  const auto sample = [&](double argument) {
    const auto x = static_cast<float>(std::min(request.top, argument));
    const double exact = request.f(x);
    worst = std::max(worst, request.factor_of > 0 ? factor_error(request, value_of(x), exact, x)
                                                  : value_error(request, value_of(x), exact));
  };
  for (const double kink : request.kinks) {
    for (const double beside : {1 - 1e-2, 1 - 1e-3, 1 - 1e-4, 1 + 1e-4, 1 + 1e-3, 1 + 1e-2}) sample(kink * beside);
  }
  for (uint32_t i = 0; i < kPieces && worst <= limit; ++i) {
    const Piece piece = piece_of(i, shape.split);
    for (uint32_t k = 0; k <= kSamples; ++k) {
      sample(argument_of(piece.begin + (piece.end - piece.begin) * k / kSamples, shape));
    }
  }
  return worst;
}

}  // namespace

float evaluate(const Curve& curve, float x) {
  const float w = position(curve, x);
  const uint32_t place = place_of(piece_index(w, curve.split), curve.split);
  const float z = mantissa(w);
  float value = curve.coefficients[curve.degree][place];
  for (uint32_t power = curve.degree; power-- > 0;) value = value * z + curve.coefficients[power][place];
  return value;
}

namespace {

/// Adds shapes in which w is 1 at the foot: in float, `scale` times the foot (or its root) must be exactly 1.
void add_foot_shapes(const CurveRequest& request, std::vector<Shape>& shapes) {
  if (!(request.foot > 0)) return;
  for (const bool root : {false, true}) {
    const auto bottom = static_cast<float>(request.foot);
    const float s = root ? std::sqrt(bottom) : bottom;
    float scale = 1 / s;
    if (s * scale < 1) scale = std::nextafter(scale, INFINITY);
    if (s * scale != 1) continue;
    const double most = root ? std::sqrt(request.top) : request.top;
    uint32_t split = 2;
    while (split > 0 && most * scale >= std::exp2(kPieces >> split)) --split;
    if (most * scale < std::exp2(kPieces >> split)) shapes.push_back({root, split, scale, bottom});
  }
}

std::vector<Shape> shapes_for(const CurveRequest& request) {
  std::vector<Shape> shapes;
  add_foot_shapes(request, shapes);
  for (const bool root : {false, true}) {
    const double top = root ? std::sqrt(request.top) : request.top;
    for (const uint32_t split : {0U, 1U, 2U}) {
      // Slightly before the end of the last octave, because w is rounded.
      const double most = (std::exp2(kPieces >> split) - 1) / top * (1 - 0x1p-20);
      const auto add = [&](double scale) { shapes.push_back({root, split, static_cast<float>(scale)}); };
      for (const double kink : request.kinks) add(scale_for(root ? std::sqrt(kink) : kink, most, split));
      if (request.kinks.empty()) add(most);
    }
  }
  return shapes;
}

/// Tries degrees and shapes in the order of their cost, all shapes of one cost together, until the error is small
/// enough. A square root costs more than any degree.
void fit_cpu(const CurveRequest& request, const std::vector<Shape>& shapes, Curve& best) {
  best.error = INFINITY;
  for (const bool root : {false, true}) {
    for (uint32_t degree = kLeastDegree; degree <= kMostDegree; ++degree) {
      for (const Shape& shape : shapes) {
        if (shape.root != root) continue;
        Curve curve;
        curve.degree = degree;
        fill_cpu(request, shape, curve);
        curve.error = measure(request, shape, best.error, [&](float x) { return evaluate(curve, x); });
        if (curve.error < best.error) best = std::move(curve);
      }
      if (best.error <= request.enough) return;
    }
  }
}

void fit_gpu(const CurveRequest& request, const std::vector<Shape>& shapes, Curve& best) {
  best.gpu_error = INFINITY;
  for (const Shape& shape : shapes) {
    Curve curve;
    fill_gpu(request, shape, curve);
    curve.gpu_error = measure(request, shape, best.gpu_error, [&](float x) { return evaluate_cubic(curve, x); });
    if (curve.gpu_error < best.gpu_error) {
      best.gpu = curve.gpu;
      best.gpu_error = curve.gpu_error;
      best.cubics = std::move(curve.cubics);
    }
    if (best.gpu_error <= request.gpu_enough) return;
  }
}

}  // namespace

Curve fit_curve(const CurveRequest& request) {
  const std::vector<Shape> shapes = shapes_for(request);
  Curve curve;
  fit_cpu(request, shapes, curve);
  fit_gpu(request, shapes, curve);
  return curve;
}

}  // namespace onepass::tone_map
