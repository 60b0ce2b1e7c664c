// line_kernels.hpp: the functions that the CPU engine of transforms is made of. Each exists once per SIMD target; all
// targets compute the same bits: a line is a lane, and products and sums are never fused.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cpu/row_kernels.hpp"
#include "fourier/line_plan.hpp"

namespace onepass::cpu {

/// One batch of lines to transform. Pointers are aligned to cache lines.
struct LineJob {
  const LinePlan* plan = nullptr;
  const float* source = nullptr;
  const uint32_t* source_elements = nullptr;  ///< Where element n of a line is. Never null.
  float* target = nullptr;                    ///< May be the source.
  const uint32_t* target_elements = nullptr;  ///< Where value k goes. Never null.
  /// plan->scratch_elements(). May be the source if its elements are in order: that is faster, and so is a target that
  /// is the scratch, too, if its elements are plan->positions. Not for chirps.
  float* scratch = nullptr;
  bool inverse = false;  ///< The kernel exp(+2 pi i ...).
  /// Unless 0, source or target are not elements but rows of 16 pairs (re, im), this many floats apart, without
  /// alignment; values stored so are multiplied by `scale`.
  size_t source_pair_stride = 0;
  size_t target_pair_stride = 0;
  float scale = 1;
  bool far = false;  ///< Source and target are not in the cache.
};

/// What a channel's lines are within a batch.
enum class Part : uint32_t {
  kWhole,   ///< The complex lines.
  kFirst,   ///< The real signal that is their real part.
  kSecond,  ///< The real signal that is their imaginary part.
};

/// Where the lines of one channel are.
struct ChannelLines {
  float* lines = nullptr;
  Part part = Part::kWhole;
};

/// Floats to halves and back.
struct HalfRows {
  RowSpec to_half;
  RowSpec to_float;
  RowKernels<float> encode;
  RowKernels<float> decode;
  HalfRows();
  void store(const float* floats, size_t count, void* halves) const { encode.encode(to_half, floats, count, halves); }
  void load(const void* halves, size_t count, float* floats) const { decode.decode(to_float, halves, count, floats); }
};

/// Sixteen rows of spectra and where they lie in the strips: strip i has the frequencies kx = i * strip_columns + ...,
/// all channels of one after the other, as an element a row.
struct StripRows {
  uint32_t size = 1;     ///< Length of the lines.
  uint32_t columns = 1;  ///< Frequencies.
  uint32_t channels = 1;
  uint32_t strip_columns = 1;
  uint32_t rows = 0;                    ///< Up to 16.
  const uint32_t* positions = nullptr;  ///< Element of lines that has value k: scatter() only.
  std::array<ChannelLines, 4> lines;
  float scale = 1;
  std::byte* strips = nullptr;       ///< The first of the rows in the first strip.
  size_t strip_stride = 0;           ///< In bytes.
  const HalfRows* halves = nullptr;  ///< Strips are of halves. Null: of floats.
};

/// `count` blocks of 16x16 floats to be transposed: number j of in[i] + b * in_steps[i] becomes number i of
/// out[j] + b * out_steps[j], for all blocks b. No alignment.
struct Turn {
  const uint32_t* in_map = nullptr;  ///< Null, or what finds elements of in: see turn_back.
  std::array<size_t, kLanes> in_first{};
  size_t in_texels = 0;
  std::array<const float*, kLanes> in;
  std::array<size_t, kLanes> in_steps;
  std::array<float*, kLanes> out;
  std::array<size_t, kLanes> out_steps;
  size_t count = 0;
};

struct LineKernels {
  void (*transform)(const LineJob& job) = nullptr;
  void (*turn)(const Turn& turn) = nullptr;
  /// The same, but rows begin at in[i] + in_steps[i] * in_map[in_first[i] + in_texels * b].
  void (*turn_back)(const Turn& turn) = nullptr;
  /// Lines to strips, real signals separated.
  void (*scatter)(const StripRows& rows) = nullptr;
  /// Strips to lines. Two real signals that share lines come one after the other: the first one sets, the second adds.
  void (*gather)(const StripRows& rows) = nullptr;
  /// Elements to rows of 16 pairs, `stride` floats apart, and back. Element order[i] becomes row positions[i].
  void (*interleave)(const float* elements, const uint32_t* order, size_t count, float scale, float* pairs,
                     size_t stride, const uint32_t* positions) = nullptr;
  void (*deinterleave)(const float* pairs, size_t stride, size_t count, float* elements) = nullptr;
};

/// The functions of the best SIMD target that is enabled.
LineKernels find_line_kernels();

}  // namespace onepass::cpu
