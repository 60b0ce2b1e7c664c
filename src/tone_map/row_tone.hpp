// row_tone.hpp: row functions of tone mapping: they expose, map and quantise a row of texels. Each is compiled once per
// SIMD target; all compute the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tone_map/program.hpp"
#include "tone_map/row_local.hpp"

namespace onepass::tone_map {

/// The form of a mapped row.
enum class RowStore : uint32_t {
  kFloats,  ///< RGBA floats in place; in quantisation steps for UNORM targets.
  kBytes,   ///< Words of four quantised values of 8 bits, red lowest.
  k10Bits,  ///< Words of three quantised values of 10 bits, red lowest, and one of 2 bits.
};

struct RowTone {
  const Program* program = nullptr;
  TargetUnit unit;
  float exposure = 1;
  bool dithers = false;
  bool clips = true;          ///< The program may give values outside 0..1.
  bool non_temporal = false;  ///< Use non-temporal stores for words, if they are aligned.
  RowStore store = RowStore::kFloats;
  const std::byte* codes = nullptr;   ///< CodeTable::data(), for find_map_row_by_codes().
  const LocalScale* local = nullptr;  ///< For functions with local exposure.
};

/// A row of floats must be readable and writable this many texels beyond its end: functions process whole vectors.
inline constexpr size_t kTexelPadding = 64;

/// Maps `texels` texels from column x of row y on: of `rgba`, or of RGBA `halves` if not null, beyond which nothing is
/// read. The result goes to `rgba` for kFloats, else to `texels` words at `words`; nothing is written beyond.
using MapRow = void (*)(const RowTone& tone, const uint16_t* halves, float* rgba, size_t texels, uint32_t x, uint32_t y,
                        uint32_t* words);

/// The function for a program on the best SIMD target that is enabled. `halves`: the source is halves, not floats.
/// `local`: with local exposure.
MapRow find_map_row(const RowTone& tone, bool halves, bool local);

/// The function that looks quantised values up in a CodeTable; for sources of halves.
MapRow find_map_row_by_codes(const RowTone& tone);

}  // namespace onepass::tone_map
