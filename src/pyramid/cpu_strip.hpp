// cpu_strip.hpp: StripFold: makes strips of rows of a level from the rows of the finer level. The rows of a band are in
// a ring buffer: row y of a level replaces row y - kRingRows.
#pragma once

#include "pyramid/cpu_stage.hpp"

namespace onepass::cpu {

/// The rows of one band in working form. `k` is a level of the stage, 1 to 3.
template <typename T>
class StripFold {
 public:
  StripFold(const StageWork<T>& work, BandScratch<T>& scratch, uint32_t slice)
      : work_(work), scratch_(scratch), slice_(slice) {}

  /// Row y of level k, at texel 0, which lies before the buffer where the stage has columns from `ring_begin` on only.
  [[nodiscard]] T* ring_row(uint32_t k, uint32_t y) {
    const size_t row_elements = scratch_.rows.size() / (kStageLevels * kRingRows);
    T* row = scratch_.rows.data() + ((k - 1) * kRingRows + y % kRingRows) * row_elements;
    return row - size_t{work_.ring_begin[k]} * work_.channels;
  }

  /// The first stage: texels of the source.
  [[nodiscard]] const std::byte* source_texels(uint32_t y, uint32_t x) const {
    const std::byte* row =
        work_.source_rows != nullptr ? work_.source_rows[y - work_.first_source_row] : work_.source.row(y, slice_);
    return row + size_t{x} * work_.texel_bytes - work_.source_begin;
  }

  /// Returns texels `x` of row y of level k-1 in working form. `tap`, 0 to 2: the strip buffer for decoded source
  /// texels.
  const T* strip_row(uint32_t k, uint32_t y, TexelRange x, uint32_t tap);

  /// Makes texels `x` of rows `rows` of level k if a function for two or three taps per axis applies; else returns
  /// false.
  bool fold_pairs(uint32_t k, TexelRange rows, TexelRange x);

  /// Makes texels `x` of row y of level k, in `out`, with any taps.
  void fold(uint32_t k, uint32_t y, TexelRange x, T* out);

  /// Parameters for columns `x` of the rows from y on of level k.
  [[nodiscard]] WideFold<T> wide_fold(uint32_t k, uint32_t y, TexelRange x) const;

 private:
  bool fold_quads(uint32_t k, TexelRange rows, TexelRange x);
  bool fold_wide(uint32_t k, TexelRange rows, TexelRange x);
  void fold_unorm8(uint32_t y, TexelRange x, T* out);
  const T* fold_strip_rows(uint32_t k, uint32_t y, TexelRange fine);
  void fold_strip_columns(uint32_t k, TexelRange x, T row_scale, const T* row, T* out);
  [[nodiscard]] bool reads_source(uint32_t k) const { return k == 1 && work_.input == nullptr; }

  const StageWork<T>& work_;
  BandScratch<T>& scratch_;
  uint32_t slice_;
};

}  // namespace onepass::cpu
