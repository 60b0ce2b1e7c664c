// code_table.hpp: a lookup table from the bits of a half to the quantised value that a tone map stores for it.
//
// If channels are not mixed and not dithered, a stored channel depends only on its half and the exposure. There are
// 31745 halves from 0 to infinity; as bytes, their quantised values fit the first-level cache. For images with many
// more texels, lookups are faster than the computation. The bits are the same, because the table is filled by mapping
// rows of all halves.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/aligned_vector.hpp"
#include "tone_map/row_tone.hpp"

namespace onepass::tone_map {

class CodeTable {
 public:
  /// Whether the lookup gives the results of `tone`, for a source of halves.
  static bool fits(const RowTone& tone);
  /// With fewer texels per thread, filling the table takes longer than it saves.
  static constexpr uint64_t kLeastTexels = uint64_t{1} << 16;

  /// Fills the table for the exposure of `tone`, unless the last call had the same. `map_row`: from find_map_row().
  void fill(const RowTone& tone, MapRow map_row);
  /// 65536 entries, indexed by the bits of a half: one byte each for kBytes, two for k10Bits. A whole vector may be
  /// loaded from any entry on.
  [[nodiscard]] const std::byte* data() const { return codes_.data(); }

 private:
  cpu::AlignedVector<std::byte> codes_;
  float exposure_ = 0;
};

}  // namespace onepass::tone_map
