// line_kernels.hpp: the SIMD functions of the CPU engine: transforms of 16 lines side by side, transposes, copies
// between lines and strips (blocks of columns stored contiguously, cpu_impl.hpp). Each exists once per SIMD target; all
// targets compute the same bits: a line is a SIMD lane, and products and sums are never fused.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fourier/line_plan.hpp"
#include "image/row_codec.hpp"

namespace onepass::cpu {

/// Transform of one batch of lines. Pointers are aligned to cache lines.
struct LineJob {
  const LinePlan* plan = nullptr;
  const float* source = nullptr;
  const uint32_t* source_elements = nullptr;  ///< Element that holds value n. Never null.
  float* target = nullptr;                    ///< May be the source.
  const uint32_t* target_elements = nullptr;  ///< Element for value k. Never null.
  /// plan->scratch_elements(). Without a chirp may be the source if that is in natural order, and the target too if its
  /// elements are plan->positions; both are faster.
  float* scratch = nullptr;
  bool inverse = false;  ///< Inverse transform: exp(+2 pi i ...).
  /// Unless 0, source or target has unaligned rows of 16 pairs (re, im), this many floats apart, instead of elements.
  /// Values stored to such rows are multiplied by `scale`.
  size_t source_pair_stride = 0;
  size_t target_pair_stride = 0;
  float scale = 1;
  bool far = false;  ///< Source and target are not in the cache.
};

/// The part of complex lines that a channel occupies.
enum class Part : uint32_t {
  kWhole,   ///< The complex lines.
  kFirst,   ///< The real signal that is their real part.
  kSecond,  ///< The real signal that is their imaginary part.
};

/// The lines of one channel.
struct ChannelLines {
  float* lines = nullptr;
  Part part = Part::kWhole;
};

/// Converts floats to halves and back.
struct HalfRows {
  image::RowEncoder<float> encoder{image::make_encode_spec(Format::kR16Sfloat)};
  image::RowDecoder<float> decoder{image::make_decode_spec(Format::kR16Sfloat)};
  void store(const float* floats, size_t count, void* halves) const { encoder.encode(floats, count, halves); }
  void load(const void* halves, size_t count, float* floats) const { decoder.decode(halves, count, floats); }
};

/// Sixteen rows of spectra and their location in the strips. Strip i holds frequencies kx = i * strip_columns + ...,
/// one element per row, the channels of a frequency adjacent.
struct StripRows {
  uint32_t size = 1;     ///< Length of the lines.
  uint32_t columns = 1;  ///< Frequencies per row.
  uint32_t channels = 1;
  uint32_t strip_columns = 1;
  uint32_t rows = 0;                    ///< Up to 16.
  const uint32_t* positions = nullptr;  ///< Element that holds value k: scatter() only.
  std::array<ChannelLines, 4> lines;
  float scale = 1;
  std::byte* strips = nullptr;       ///< First of the rows, in the first strip.
  size_t strip_stride = 0;           ///< In bytes.
  const HalfRows* halves = nullptr;  ///< Strips hold halves. Null: floats.
};

/// Transpose of `count` blocks of 16x16 floats: value j of in[i] + b * in_steps[i] becomes value i of
/// out[j] + b * out_steps[j], for all blocks b. No alignment.
struct Transpose {
  const uint32_t* in_map = nullptr;  ///< transpose_blocks_mapped() only.
  std::array<size_t, kLanes> in_first{};
  size_t in_texels = 0;
  std::array<const float*, kLanes> in;
  std::array<size_t, kLanes> in_steps;
  std::array<float*, kLanes> out;
  std::array<size_t, kLanes> out_steps;
  size_t count = 0;
};

/// Strips as rows of pairs (re, im): element order[i] of strip s becomes the sixteen pairs from
/// pairs[s] + positions[i] * stride on.
struct StripPairs {
  static constexpr uint32_t kMostStrips = 8;
  uint32_t strips = 0;
  std::array<const float*, kMostStrips> elements;
  std::array<float*, kMostStrips> pairs;
  const uint32_t* order = nullptr;
  const uint32_t* positions = nullptr;
  size_t rows = 0;
  size_t stride = 0;  ///< In floats.
  float scale = 1;
};

struct LineKernels {
  void (*transform)(const LineJob& job) = nullptr;
  void (*transpose_blocks)(const Transpose& transpose_blocks) = nullptr;
  /// As transpose_blocks(), but row i of block b is in[i] + in_steps[i] * in_map[in_first[i] + in_texels * b].
  void (*transpose_blocks_mapped)(const Transpose& transpose_blocks) = nullptr;
  /// Copies lines to strips, separating real signals.
  void (*scatter)(const StripRows& rows) = nullptr;
  /// Copies strips to lines. Of two real signals that share lines, kFirst must come first: it sets, kSecond adds.
  void (*gather)(const StripRows& rows) = nullptr;
  void (*interleave)(const StripPairs& strips) = nullptr;
  /// Rows of 16 pairs, `stride` floats apart, to elements.
  void (*deinterleave)(const float* pairs, size_t stride, size_t count, float* elements) = nullptr;
  /// Multiplies elements by others, or by their conjugates.
  void (*multiply)(float* elements, const float* factors, size_t count, bool conjugate) = nullptr;
};

/// The functions for the best enabled SIMD target.
LineKernels find_line_kernels();

}  // namespace onepass::cpu
