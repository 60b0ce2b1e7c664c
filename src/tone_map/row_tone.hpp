// row_tone.hpp: the row functions of tone mapping; each exists once per SIMD target, and all compute the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tone_map/program.hpp"

namespace onepass::tone_map {

/// What a row of RGBA floats becomes.
enum class RowStore : uint32_t {
  kFloats,  ///< The same floats, mapped; in units of codes for UNORM targets.
  kBytes,   ///< Words of four codes of 8 bits, red lowest.
  k10Bits,  ///< Words of three codes of 10 bits, red lowest, and one of 2.
};

struct RowTone {
  const Program* program = nullptr;
  TargetUnit unit;
  float exposure = 1;
  bool dithers = false;
  bool clips = true;     ///< Programs may give values that are not within 0..1.
  bool streams = false;  ///< Words go past the caches where they are aligned.
  RowStore store = RowStore::kFloats;
  const std::byte* codes = nullptr;  ///< CodeTable::data(), for find_map_row_by_codes().
};

/// Texels that a row of floats must be readable and writable beyond its end: functions work in whole vectors.
inline constexpr size_t kTexelPadding = 64;

/// Maps `texels` texels from column x of row y on, of `rgba`, or of RGBA halves where `halves` is not null (nothing is
/// read beyond them). kFloats: to `rgba`. Otherwise writes `texels` words, and nothing beyond, to `words`.
using MapRow = void (*)(const RowTone& tone, const uint16_t* halves, float* rgba, size_t texels, uint32_t x, uint32_t y,
                        uint32_t* words);

/// The function for a program on the best SIMD target that is enabled; `halves`: what its sources are.
MapRow find_map_row(const RowTone& tone, bool halves);

/// The function that looks codes up in a CodeTable, of halves only.
MapRow find_map_row_by_codes(const RowTone& tone);

}  // namespace onepass::tone_map
