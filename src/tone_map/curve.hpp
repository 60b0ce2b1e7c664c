// curve.hpp: a function of one variable as a lookup table of short polynomials, indexed by exponent.
//
// The variable x >= 0 becomes w = s * scale + 1, with s = x or sqrt(x). The exponent of w and the first bits of its
// mantissa are the index of the piece. The mantissa minus 1.5, z in -1/2..1/2, is the argument of its polynomial:
//
//     w   1      2          4                  8                  (split 1: two pieces per octave)
//         |--|---|----|-----|--------|---------|----
//     x   0 .. near 0 pieces have equal width; far from it each is twice as wide as the one an octave before
//
// A curve that is constant up to `bottom` and logarithmic beyond it has w = s * scale, with w = 1 at `bottom`. Its
// pieces are then in proportion to s, and none is spent on the constant part.
//
// One table therefore covers 0 to 65504 and resolves curvature near 0. An evaluation is a few multiplications and
// additions, which give the same bits on every machine. `scale` is chosen so that a kink of the curve is on a boundary
// between pieces.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace onepass::tone_map {

using Function = std::function<double(double)>;

/// The function to fit, and the accuracy that is needed.
struct CurveRequest {
  Function f;                  ///< Must stay smooth for a while above `top`.
  double top = 1;              ///< Arguments are clipped to 0..top.
  std::vector<double> kinks;   ///< Arguments at which derivatives jump, the worst one first.
  double foot = 0;             ///< `f` is constant up to this argument, which may also be a kink. 0: nowhere.
  double factor_of = 0;        ///< If not 0: the curve's value multiplies a channel of at most factor_of * x.
  double enough = 1e-6;        ///< With this error, no more expensive curve is tried for the CPU.
  double gpu_enough = 1.5e-6;  ///< The same for GPUs, where a square root is even more expensive.
  bool fine = false;           ///< Later stages magnify errors: twice as many pieces for the GPU.
  Function through;            ///< Applied to values, or products, next. Errors are measured after it. May be empty.
  double mixed = 0;  ///< If a matrix stands between this curve and `through`: the factor of the relative errors of
                     ///< values above 1. Otherwise 0.
};

/// Pieces of the CPU's tables: as many as two AVX-512 vectors hold.
inline constexpr uint32_t kPieces = 32;
/// Degrees of the CPU's polynomials; the lowest that is accurate enough is chosen.
inline constexpr uint32_t kLeastDegree = 3;
inline constexpr uint32_t kMostDegree = 8;
/// Pieces of the GPU's tables, and of fine ones. They are cubics, so that a piece is one load of 16 bytes.
inline constexpr uint32_t kGpuPieces = 128;
inline constexpr uint32_t kFineGpuPieces = 256;

/// How an argument is mapped to w, and w to a piece.
struct CurveShape {
  bool root = false;
  uint32_t split = 0;  ///< 2^split pieces per octave.
  float scale = 1;
  float top = 1;
  float bottom = 0;  ///< Arguments are clipped to bottom..top.
  float bias = 1;    ///< In w = s * scale + bias: 0 if bottom > 0, else 1. w is never less than 1.
};

/// A fitted curve. The inherited shape is the CPU's.
struct Curve : CurveShape {
  uint32_t degree = kLeastDegree;
  double error = 0;  ///< Largest found |fit - f| / max(1, |f|), after `through`, evaluated in float as the CPU does.
  /// By power, by piece. The index of a piece is the lowest five bits of bits(w) >> (23 - split): one shift finds it.
  alignas(64) std::array<std::array<float, kPieces>, kMostDegree + 1> coefficients{};
  CurveShape gpu;
  double gpu_error = 0;                      ///< As `error`, for the cubics.
  std::vector<std::array<float, 4>> cubics;  ///< By piece, by power: kGpuPieces or kFineGpuPieces.
};

/// Fits the curve for both engines: tries several shapes, and for the CPU several degrees.
Curve fit_curve(const CurveRequest& request);

/// Evaluates a curve as the CPU's row functions do; this defines their results. x >= 0, not NaN.
float evaluate(const Curve& curve, float x);

}  // namespace onepass::tone_map
