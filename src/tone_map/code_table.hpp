// code_table.hpp: the codes that a channel becomes, by the bits of its half.
//
// Once the exposure is known, a channel that nothing is mixed into, and to which no noise is added, has as many values
// as there are halves: 31745 from 0 to infinity, in bytes less than the nearest cache holds. Of an image with far more
// texels than that, looking them up costs less than working them out, and the codes are the same: rows of every half
// there is are mapped to make the table.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/aligned_vector.hpp"
#include "tone_map/row_tone.hpp"

namespace onepass::tone_map {

class CodeTable {
 public:
  /// Can codes be looked up at all? Sources must be halves.
  static bool fits(const RowTone& tone);
  /// With fewer texels a thread, making the table takes longer than it saves.
  static constexpr uint64_t kLeastTexels = uint64_t{1} << 16;

  /// For the exposure of `tone`; nothing is done where it is that of the last call. `map_row` is find_map_row()'s.
  void fill(const RowTone& tone, MapRow map_row);
  /// Of 65536 halves a byte for kBytes, two for k10Bits; a vector may be loaded from any of them.
  [[nodiscard]] const std::byte* data() const { return codes_.data(); }

 private:
  cpu::AlignedVector<std::byte> codes_;
  float exposure_ = 0;
};

}  // namespace onepass::tone_map
