// line_plan.hpp: how lines of one length are transformed on the CPU: radices, twiddle factors (rounded once from
// double), digit-reversed order.
//
// Lengths without prime factors above 7 (smooth): Cooley-Tukey, decimation in frequency, in place. A pass of radix r
// over a block of r * span elements combines elements `span` apart and leaves r independent blocks of `span` elements:
//
//     N = 8 * 8 * 8      |---------------- 512 -----------------|
//     after pass 0       |- 64 -|- 64 -|        ...      |- 64 -|   a block fits the nearest cache; its passes are
//     after pass 1       |8|8|8|...                                 finished before the next block begins
//     pass 2                                                        stores the results to the target
//
// Other lengths are convolutions with a chirp (Bluestein), computed by transforms of a smooth length:
// exp(-2 pi i n k / N) = exp(-pi i n n / N) exp(-pi i k k / N) exp(pi i (k-n) (k-n) / N). L. Bluestein, "A linear
// filtering approach to the computation of the discrete Fourier transform", 1970.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cpu/aligned_vector.hpp"

namespace onepass::cpu {

/// Lines of a batch, transformed side by side. An element of a batch: 16 real parts, then 16 imaginary parts.
inline constexpr uint32_t kLanes = 16;
inline constexpr size_t kElementFloats = 2 * kLanes;

struct LinePass {
  uint32_t radix = 1;
  uint32_t span = 1;    ///< Elements per block after the pass.
  size_t twiddles = 0;  ///< First pair: pair m * (radix - 1) + q - 1 from it is exp(-2 pi i q m / (radix * span)).
};

struct LinePlan {
  /// Tables of Bluestein's algorithm. Pairs (re, im).
  struct Chirp;

  uint32_t size = 1;
  std::vector<LinePass> passes;   ///< None for size 1 and for chirps.
  AlignedVector<float> twiddles;  ///< Pairs (re, im).
  /// Digit-reversed order: the element of value k after a transform in place. 16 extra entries for whole blocks.
  std::vector<uint32_t> positions;
  std::vector<uint32_t> identity;      ///< 0, 1, 2 ...: elements in natural order.
  std::unique_ptr<const Chirp> chirp;  ///< Null for smooth sizes.

  explicit LinePlan(uint32_t size);
  LinePlan(LinePlan&&) noexcept;
  ~LinePlan();

  /// Size of LineJob::scratch, in elements.
  [[nodiscard]] size_t scratch_elements() const;
};

struct LinePlan::Chirp {
  LinePlan inner;                ///< Plan of a smooth size >= 2 N - 1.
  AlignedVector<float> factors;  ///< exp(-pi i n n / N), N pairs.
  AlignedVector<float> filter;   ///< Spectrum of exp(pi i n n / N), periodic, / inner.size.
};

}  // namespace onepass::cpu
