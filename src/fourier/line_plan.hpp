// line_plan.hpp: how lines of one length are transformed: radices and twiddle factors, rounded once from double.
//
// Smooth lengths are split by decimation in frequency. A pass of radix r over a block of r * span elements combines the
// elements that are `span` apart and leaves r blocks of `span` elements, each a transform of its own:
//
//     N = 8 * 8 * 8      |---------------- 512 -----------------|
//     after pass 0       |- 64 -|- 64 -|        ...      |- 64 -|   each now fits the nearest cache: finished before
//     after pass 1       |8|8|8|...                                 the next one is begun
//     pass 2                                                        stores results where they belong
//
// Other lengths are convolutions with a chirp, done by transforms of a smooth length: exp(-2 pi i n k / N) =
// exp(-pi i n n / N) exp(-pi i k k / N) exp(pi i (k-n) (k-n) / N). L. Bluestein, "A linear filtering approach to the
// computation of the discrete Fourier transform", 1970.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cpu/aligned_vector.hpp"

namespace onepass::cpu {

/// Lines that are transformed side by side. An element of such a batch is 16 real parts, then 16 imaginary parts.
inline constexpr uint32_t kLanes = 16;
inline constexpr size_t kElementFloats = 2 * kLanes;

struct LinePass {
  uint32_t radix = 1;
  uint32_t span = 1;    ///< Elements of the blocks it leaves.
  size_t twiddles = 0;  ///< Index of the first pair: exp(-2 pi i q m / (radix * span)) is pair m * (radix - 1) + q - 1.
};

struct LinePlan {
  /// What a length that is not smooth needs beside. Pairs (re, im).
  struct Chirp;

  uint32_t size = 1;
  std::vector<LinePass> passes;   ///< None for size 1 and for chirps.
  AlignedVector<float> twiddles;  ///< Pairs (re, im).
  /// The element that value k is in after a transform in place. 16 more than there are, for whole blocks.
  std::vector<uint32_t> positions;
  std::vector<uint32_t> identity;      ///< 0, 1, 2 ...: the elements in their order.
  std::unique_ptr<const Chirp> chirp;  ///< Null for smooth sizes.

  explicit LinePlan(uint32_t size);
  LinePlan(LinePlan&&) noexcept;
  ~LinePlan();

  /// Elements of scratch memory that a transform needs.
  [[nodiscard]] size_t scratch_elements() const;
};

struct LinePlan::Chirp {
  LinePlan inner;                ///< Of a smooth size >= 2 N - 1.
  AlignedVector<float> factors;  ///< exp(-pi i n n / N), N pairs.
  AlignedVector<float> filter;   ///< Spectrum of exp(pi i n n / N), periodic, over inner.size.
};

}  // namespace onepass::cpu
