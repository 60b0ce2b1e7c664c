// curve.hpp: a function of one variable as short polynomials that are looked up by exponent.
//
// The variable x >= 0 becomes w = s * scale + 1, with s = x or sqrt(x). The exponent of w and the first bits of its
// mantissa number the piece; what is left, z, in -1/2..1/2, goes into the piece's polynomial:
//
//     w   1      2          4                  8                  (split 1: two pieces an octave)
//         |--|---|----|-----|--------|---------|----
//     x   0 .. near zero pieces are of equal width, far from it each is twice as wide as the one an octave before
//
// A curve that is constant up to some `bottom` and has its pieces in proportion to x after it, as logarithmic ones do,
// takes w = x * scale with bottom * scale = 1: no piece is spent on what is constant.
//
// So one table covers 0 and 65504, curves bend freely near 0, and an evaluation is a few multiplications and additions
// that give the same bits everywhere. `scale` is chosen so that a kink of the curve falls on a border between pieces.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace onepass::tone_map {

using Function = std::function<double(double)>;

/// What a curve is to be.
struct CurveRequest {
  Function f;                  ///< Goes on smoothly for a while above `top`.
  double top = 1;              ///< Arguments are clipped to 0..top.
  std::vector<double> kinks;   ///< Arguments at which derivatives jump, the worst one first.
  double foot = 0;             ///< Where it is constant up to some argument: that. May be a kink too.
  double factor_of = 0;        ///< Values are for multiplying something up to so many times the argument; 0: are not.
  double enough = 1e-6;        ///< An error at which nothing dearer is tried for the CPU.
  double gpu_enough = 1.5e-6;  ///< And for GPUs, where a square root is dearer still.
  bool fine = false;           ///< What comes after makes errors larger: more pieces for the GPU.
  Function through;  ///< What values, or products, go through next: their error counts as it comes out. May be empty.
  double mixed = 0;  ///< Of `through`: how much relative errors of values above 1 count, for a matrix in between.
};

/// Pieces of the CPU's tables: as many as two vectors of AVX-512 hold.
inline constexpr uint32_t kPieces = 32;
/// Degrees of the CPU's polynomials: the least that is good enough.
inline constexpr uint32_t kLeastDegree = 3;
inline constexpr uint32_t kMostDegree = 8;
/// Pieces of the GPU's: cubics, so that a piece is one load of 16 bytes; and those of fine curves.
inline constexpr uint32_t kGpuPieces = 128;
inline constexpr uint32_t kFineGpuPieces = 256;

/// How an argument finds its piece.
struct CurveShape {
  bool root = false;
  uint32_t split = 0;  ///< 2^split pieces an octave.
  float scale = 1;
  float top = 1;
  float bottom = 0;  ///< Arguments are clipped to bottom..top.
  float bias = 1;    ///< w = s * scale + bias: 0 where there is a bottom, else 1. Never less than 1.
};

/// A fitted curve. Its own shape is the CPU's.
struct Curve : CurveShape {
  uint32_t degree = kLeastDegree;
  double error = 0;  ///< Largest found |fit - f| / max(1, |f|), after `through`, evaluated in float as the CPU does.
  /// By power, by piece. A piece's place is the lowest five bits of the exponent and the first bits of the mantissa of
  /// its w, as floats have them: it takes a shift to find.
  alignas(64) std::array<std::array<float, kPieces>, kMostDegree + 1> coefficients{};
  CurveShape gpu;
  double gpu_error = 0;                      ///< As `error`, for the cubics.
  std::vector<std::array<float, 4>> cubics;  ///< By piece, by power: kGpuPieces or kFineGpuPieces.
};

/// Fits the curve, trying what shapes there are.
Curve fit_curve(const CurveRequest& request);

/// Evaluates it as the CPU's kernels do: the definition of their results. 0 <= x; NaN is not allowed.
float evaluate(const Curve& curve, float x);

}  // namespace onepass::tone_map
