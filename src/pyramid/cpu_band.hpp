// cpu_band.hpp: Band: computes one band of rows of one stage (cpu_stage.hpp).
//
// All rows of the input that a row of the coarsest level needs are read together, in strips of columns, and a strip
// passes through all levels before the next one is read. The hardware prefetcher then follows eight rows at once, and
// the L1 cache holds the finer texels of a level. The order of the strips:
//
//     level 1   |-- 1 --|-- 4 --|-- 7 --|      four rows, from eight rows of the input
//     level 2   |-- 2 --|-- 5 --|-- 8 --|      two rows
//     level 3   |-- 3 --|-- 6 --|-- 9 --|      one row
//
// A band owns rows of every level. Where a coarse row needs finer rows that the next band owns (covering and edge), the
// band computes these rows too but does not write them: at most seven rows of the input.
#pragma once

#include <array>
#include <cstdint>

#include "pyramid/cpu_strip.hpp"

namespace onepass::cpu {

template <typename T>
class Band {
 public:
  /// Rows [top.begin, top.end) of the stage's last level of `slice`; `is_last`: no band lies below.
  Band(const StageWork<T>& work, BandScratch<T>& scratch, uint32_t slice, TexelRange top, bool is_last);

  /// Computes the rows and writes them. Alpha::kCoverage: `alpha_scales[level]` scales the alphas.
  void write(const image::AlphaScale* alpha_scales = nullptr);

  /// Computes the rows and collects their alphas. Returns the number of base texels that pass the alpha test.
  uint64_t collect(const AlphaPass& pass);

 private:
  using PerLevel = std::array<uint32_t, kStageLevels + 1>;  ///< Rows or columns by level of the stage.

  void make_all_rows();
  void make_row(uint32_t k);
  [[nodiscard]] PerLevel missing_rows(uint32_t k) const;

  void make_fused_rows(const PerLevel& end);
  void make_fused_part(const PerLevel& end);
  [[nodiscard]] bool can_tile(const PerLevel& end) const;
  uint32_t make_tiles(uint32_t y);
  void stream_strips(const void* const* rows, void* const* targets, uint32_t texels, T* last);

  void make_strips(uint32_t k, const PerLevel& end);
  [[nodiscard]] uint32_t strip_end(uint32_t k, const PerLevel& done) const;
  void make_strip(uint32_t k, TexelRange rows, TexelRange x);

  void emit(uint32_t k, uint32_t y, TexelRange x, const T* row);
  [[nodiscard]] uint32_t store_begin(uint32_t k, uint32_t y, uint32_t x) const;
  void encode(uint32_t k, uint32_t y, TexelRange x, const T* row);
  void collect_row(uint32_t k, uint32_t y, TexelRange x, const T* row) const;
  uint64_t count_base_rows();

  const StageWork<T>& work_;
  BandScratch<T>& scratch_;
  uint32_t slice_;
  StripFold<T> strips_;
  std::array<TexelRange, kStageLevels + 1> owned_{};   ///< Rows it outputs; [0] (input) is not clipped to the job.
  std::array<TexelRange, kStageLevels + 1> needed_{};  ///< Rows it computes: owned ones, and those that these need.
  PerLevel next_{};                                    ///< The next row of each level to compute.
  PerLevel tiled_{};                                   ///< Columns of the current rows that make_tiles() has computed.
  const image::AlphaScale* alpha_scales_ = nullptr;    ///< By level of the pyramid; null without Alpha::kCoverage.
  const AlphaPass* pass_ = nullptr;                    ///< Null while writing.
};

}  // namespace onepass::cpu
