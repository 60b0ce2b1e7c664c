// cpu_band.cpp: the order in which a band computes its rows, and where they go: footprints aligned, covering, edge and
// ceil, all formats and reductions, in float or double. cpu_stage.hpp has the idea of a stage, cpu_strip.cpp the
// reduction of strips, cpu_tight.cpp the tight footprint.
//
// make_all_rows() asks for the rows of the coarsest level one after the other. For each, make_row() determines which
// finer rows are missing and computes all of them by the first of these that applies:
//     make_fused_rows()  covering, mostly odd widths: the rows of three levels advance together (row_fused*.cpp)
//     make_tiles()       all taps are 2x2: 8x8 texels to one (row_tile*.cpp); strips compute the remaining columns
//     make_strips()      strips of columns, each passed through the levels
// emit() passes a finished strip of a row to the next stage's plane, to the target or to the alphas of kCoverage.
#include "pyramid/cpu_band.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "hwy/cache_control.h"

namespace onepass::cpu {
namespace {

TexelRange columns_of(const Rect& rect) { return {rect.x, rect.x + rect.width}; }
TexelRange rows_of(const Rect& rect) { return {rect.y, rect.y + rect.height}; }

}  // namespace

// ---- Order of rows

template <typename T>
Band<T>::Band(const StageWork<T>& work, BandScratch<T>& scratch, uint32_t slice, TexelRange top, bool is_last)
    : work_(work), scratch_(scratch), slice_(slice), strips_(work, scratch, slice) {
  TexelRange part = top;
  for (uint32_t k = work.count; k >= 1; --k) {
    owned_[k] = intersect(part, rows_of(work.computed[k]));
    const AxisStep& y = work.steps[k]->y;
    if (y.taps != Taps::kOne) part = {2 * part.begin, is_last ? y.fine : 2 * part.end};
  }
  owned_[0] = part;
  for (uint32_t k = work.count; k >= 1; --k) {
    needed_[k] = owned_[k];
    if (k < work.count) needed_[k] = hull(needed_[k], work.steps[k + 1]->y.fine_range(needed_[k + 1]));
    next_[k] = needed_[k].begin;
  }
}

template <typename T>
void Band<T>::write(const image::AlphaScale* alpha_scales) {
  alpha_scales_ = alpha_scales;
  make_all_rows();
}

template <typename T>
uint64_t Band<T>::collect(const AlphaPass& pass) {
  pass_ = &pass;
  const uint64_t passing = work_.input == nullptr ? count_base_rows() : 0;
  make_all_rows();
  return passing;
}

template <typename T>
void Band<T>::make_all_rows() {
  for (uint32_t k = work_.count; k >= 1; --k) {  // finer levels: the rows that no coarser row has needed
    while (next_[k] < needed_[k].end) make_row(k);
  }
  if (work_.non_temporal) hwy::FlushStream();  // completes non-temporal stores before another thread reads the levels
}

/// Computes the next row of level k and the missing finer rows that it needs.
template <typename T>
void Band<T>::make_row(uint32_t k) {
  const PerLevel end = missing_rows(k);
  if (k == kStageLevels && work_.uses_fused_rows) return make_fused_rows(end);
  make_strips(k, end);
  for (uint32_t j = 1; j <= k; ++j) next_[j] = end[j];
}

/// The ends of the rows that the next row of level k needs, itself included; they begin at next_.
template <typename T>
typename Band<T>::PerLevel Band<T>::missing_rows(uint32_t k) const {
  PerLevel end{};
  end[k] = next_[k] + 1;
  for (uint32_t j = k; j > 1; --j) {
    const TexelRange rows = {next_[j], end[j]};
    end[j - 1] = rows.begin == rows.end ? next_[j - 1] : work_.steps[j]->y.fine_range(rows).end;
  }
  return end;
}

/// Computes the rows from next_ to `end` of levels 1 to k in strips: one of level 1, then the columns of level 2 that
/// it completes, then those of level 3.
template <typename T>
void Band<T>::make_strips(uint32_t k, const PerLevel& end) {
  PerLevel done{};  // the columns of these rows that are computed
  for (uint32_t j = 1; j <= k; ++j) done[j] = end[j] > next_[j] ? work_.needed_x[j].begin : work_.needed_x[j].end;
  tiled_ = {};
  if (k == kStageLevels && can_tile(end)) {
    const uint32_t columns = make_tiles(next_[k]);
    for (uint32_t j = 1; j <= k; ++j) tiled_[j] = done[j] = columns << (k - j);
  }
  for (bool progress = true; progress;) {
    progress = false;
    for (uint32_t j = 1; j <= k; ++j) {
      const TexelRange strip = {done[j], strip_end(j, done)};
      if (strip.begin == strip.end) continue;
      make_strip(j, {next_[j], end[j]}, strip);
      done[j] = strip.end;
      progress = true;
    }
  }
}

// ---- Three levels at once

/// Do the rows from next_ to `end` consist of tiles, except last columns that take the remainder?
template <typename T>
bool Band<T>::can_tile(const PerLevel& end) const {
  bool tiles = work_.tiles && pass_ == nullptr && end[1] - next_[1] == 4;
  for (uint32_t k = 1; k <= kStageLevels; ++k) tiles = tiles && !work_.steps[k]->y.takes_remainder(end[k] - 1);
  return tiles;
}

/// Computes rows 4y to 4y+3, 2y to 2y+1 and y of the three levels at once, as many columns as fill whole vectors.
/// Returns the end of the columns of the last level.
template <typename T>
uint32_t Band<T>::make_tiles(uint32_t y) {
  const BoxKernels<T>& kernels = work_.kernels;
  TexelRange columns = work_.needed_x[kStageLevels];
  for (uint32_t k = 1; k <= kStageLevels; ++k) {  // the texel with the remainder is part of the last tile
    const bool remainder = work_.steps[k]->x.remainder_last && columns.end == work_.steps[kStageLevels]->x.coarse;
    if (remainder && columns.begin < columns.end) --columns.end;
  }
  const uint32_t texels = (columns.end - columns.begin) / kernels.tile_texels * kernels.tile_texels;
  std::array<const void*, 8> rows{};
  std::array<void*, kTileRows> targets{};
  uintptr_t alignment = 0;
  for (uint32_t i = 0; i < 8; ++i) rows[i] = strips_.source_texels(8 * y + i, 8 * columns.begin);
  for (uint32_t i = 0; i < kTileRows; ++i) {
    const uint32_t k = i < 4 ? 1 : i < 6 ? 2 : 3;
    const uint32_t row = k == 1 ? 4 * y + i : k == 2 ? 2 * y + i - 4 : y;
    const size_t x = size_t{columns.begin} << (kStageLevels - k);
    targets[i] = work_.target_row(k, row, slice_) + x * work_.target_bytes;
    alignment |= reinterpret_cast<uintptr_t>(targets[i]);
  }
  T* last = work_.output != nullptr ? work_.output->row(y, slice_) : strips_.ring_row(kStageLevels, y);
  last += size_t{columns.begin} * work_.channels;
  if (!work_.non_temporal) {
    kernels.fold_tiles(rows.data(), texels, targets.data(), last);
  } else if (kernels.fold_tiles_non_temporal != nullptr && alignment % kLineBytes == 0) {
    kernels.fold_tiles_non_temporal(rows.data(), texels, targets.data(), last);
  } else {
    stream_strips(rows.data(), targets.data(), texels, last);
  }
  return columns.begin + texels;
}

/// Computes the rows from next_ to `end` of all three levels as fused rows, at most kMostPairs of a level at a time.
template <typename T>
void Band<T>::make_fused_rows(const PerLevel& end) {
  while (next_[kStageLevels] < end[kStageLevels]) {
    PerLevel part = next_;
    part[1] = std::min(end[1], next_[1] + kMostPairs);
    for (uint32_t k = 2; k <= kStageLevels; ++k) {
      const AxisStep& y = work_.steps[k]->y;
      const uint32_t most = std::min(end[k], next_[k] + kMostPairs);
      while (part[k] < most && y.fine_range(part[k]).end <= part[k - 1]) ++part[k];
    }
    make_fused_part(part);
    next_ = part;
  }
}

template <typename T>
void Band<T>::make_fused_part(const PerLevel& end) {
  reduction::FusedRows<T> fused_rows;
  fused_rows.encoder = &work_.encoder;
  fused_rows.non_temporal = work_.non_temporal;
  for (uint32_t k = 1; k <= kStageLevels; ++k) {
    if (end[k] == next_[k]) continue;
    reduction::FusedLevel<T>& level = fused_rows.levels[k - 1];
    level.fold = strips_.wide_fold(k, next_[k], work_.needed_x[k]);
    level.fold.count = end[k] - next_[k];
    for (uint32_t i = 0; i < 2 * level.fold.count + level.fold.row_taps - 2; ++i) {
      const uint32_t y = 2 * next_[k] + i;
      level.fine[i] = k == 1 ? static_cast<const void*>(strips_.source_texels(y, 0)) : strips_.ring_row(k - 1, y);
    }
    for (uint32_t i = 0; i < level.fold.count; ++i) {
      const uint32_t y = next_[k] + i;
      const bool owned = y >= owned_[k].begin && y < owned_[k].end;
      level.coarse[i] =
          k == kStageLevels && work_.output != nullptr ? work_.output->row(y, slice_) : strips_.ring_row(k, y);
      level.targets[i] = owned ? work_.target_row(k, y, slice_) : nullptr;
    }
  }
  work_.kernels.fused_rows(fused_rows);
}

/// Computes tiles in scratch memory and copies whole cache lines of them to the targets with non-temporal stores. Bytes
/// that do not fill a line are carried over to the next strip.
template <typename T>
void Band<T>::stream_strips(const void* const* rows, void* const* targets, uint32_t texels, T* last) {
  const size_t target_bytes = work_.target_bytes;
  std::array<size_t, kTileRows> waiting{};  // bytes carried over from the previous strip
  std::array<std::byte*, kTileRows> to{};
  for (uint32_t i = 0; i < kTileRows; ++i) to[i] = static_cast<std::byte*>(targets[i]);
  for (uint32_t x = 0; x < texels; x += kTileStrip) {
    const uint32_t count = std::min(kTileStrip, texels - x);
    std::array<const void*, 8> from{};
    std::array<void*, kTileRows> made{};
    for (uint32_t i = 0; i < 8; ++i) from[i] = static_cast<const std::byte*>(rows[i]) + 8 * x * work_.texel_bytes;
    for (uint32_t i = 0; i < kTileRows; ++i) made[i] = scratch_.targets.data() + i * kTileStripBytes + waiting[i];
    work_.kernels.fold_tiles(from.data(), count, made.data(), last + size_t{x} * work_.channels);
    for (uint32_t i = 0; i < kTileRows; ++i) {
      const uint32_t finer = i < 4 ? 4 : i < 6 ? 2 : 1;
      std::byte* strip = scratch_.targets.data() + i * kTileStripBytes;
      const size_t bytes = waiting[i] + finer * count * target_bytes;
      const bool is_last = x + count == texels;
      const size_t beyond = is_last ? 0 : reinterpret_cast<uintptr_t>(to[i] + bytes) % kLineBytes;
      work_.encoder.copy_non_temporal(strip, bytes - beyond, to[i]);
      std::array<std::byte, kLineBytes> line;  // a whole line: a copy of constant size takes a few instructions
      std::memcpy(line.data(), strip + bytes - beyond, line.size());
      std::memcpy(strip, line.data(), line.size());
      to[i] += bytes - beyond;
      waiting[i] = beyond;
    }
  }
}

// ---- Strips

/// The end of the next strip of level k, limited by the computed columns of the finer level; done[k] for no strip yet.
template <typename T>
uint32_t Band<T>::strip_end(uint32_t k, const PerLevel& done) const {
  const uint32_t most = std::min(work_.needed_x[k].end, done[k] + kStripElements / work_.channels);
  if (k == 1 || done[k - 1] == work_.needed_x[k - 1].end) return most;
  const AxisStep& x = work_.steps[k]->x;
  uint32_t ready = done[k - 1];
  if (x.taps == Taps::kTwo) ready /= 2;
  if (x.taps == Taps::kThree) ready = ready == 0 ? 0 : (ready - 1) / 2;
  if (x.remainder_last) ready = std::min(ready, x.coarse - 1);
  if (ready < most) ready -= ready % kStripMultiple;
  return std::max(done[k], std::min(most, ready));
}

/// Computes and emits columns `x` of rows `rows` of level k.
template <typename T>
void Band<T>::make_strip(uint32_t k, TexelRange rows, TexelRange x) {
  const LevelStep<T>& step = *work_.steps[k];
  const TexelRange regular = {rows.begin, step.y.regular_end(rows)};
  const uint32_t regular_end = step.x.regular_end(x);
  const TexelRange columns = {x.begin, regular_end};
  const bool is_folded = strips_.fold_pairs(k, regular, columns);
  for (uint32_t y = rows.begin; y < rows.end; ++y) {
    T* row = strips_.ring_row(k, y);
    const TexelRange rest = {is_folded && y < regular.end ? regular_end : x.begin, x.end};
    if (rest.begin < rest.end) strips_.fold(k, y, rest, row);
    if (y >= owned_[k].begin && y < owned_[k].end) emit(k, y, x, row);
  }
}

// ---- Output of a row

template <typename T>
void Band<T>::emit(uint32_t k, uint32_t y, TexelRange x, const T* row) {
  const TexelRange computed = intersect(x, columns_of(work_.computed[k]));
  const size_t begin = size_t{computed.begin} * work_.channels;
  const size_t end = size_t{computed.end} * work_.channels;
  if (k == work_.count && work_.output != nullptr) {
    std::copy(row + begin, row + end, work_.output->row(y, slice_) + begin);
  }
  if (pass_ != nullptr) return collect_row(k, y, computed, row);
  const TexelRange rows = rows_of(work_.stored[k]);
  const TexelRange stored = {store_begin(k, y, x.begin), store_begin(k, y, x.end)};
  if (y >= rows.begin && y < rows.end && stored.begin < stored.end) encode(k, y, stored, row);
}

/// The first texel to store of a strip that begins with texel x. With non-temporal stores it is moved back to the start
/// of a cache line: a line stored in two parts is slow.
template <typename T>
uint32_t Band<T>::store_begin(uint32_t k, uint32_t y, uint32_t x) const {
  TexelRange stored = columns_of(work_.stored[k]);
  stored.begin = std::max(stored.begin, tiled_[k]);
  if (x >= stored.end || !work_.non_temporal) return std::clamp(x, stored.begin, stored.end);
  const size_t texel_bytes = work_.target_bytes;
  const size_t beyond =
      reinterpret_cast<uintptr_t>(work_.target_row(k, y, slice_) + x * texel_bytes) % kLineBytes / texel_bytes;
  return std::max(stored.begin, x - std::min(x, static_cast<uint32_t>(beyond)));
}

template <typename T>
void Band<T>::encode(uint32_t k, uint32_t y, TexelRange x, const T* row) {
  const image::RowEncoder<T>& encoder = work_.encoder;
  std::byte* to = work_.target_row(k, y, slice_) + x.begin * work_.target_bytes;
  const size_t count = x.end - x.begin;
  const image::AlphaScale alpha_scale = alpha_scales_ != nullptr ? alpha_scales_[work_.first + k] : image::AlphaScale{};
  const T* texels =
      encoder.finish(row + size_t{x.begin} * work_.channels, count, alpha_scale, scratch_.strip(kFinished));
  if (work_.non_temporal) return encoder.encode_non_temporal(texels, count, to, scratch_.strip(kFolded));
  encoder.encode(texels, count, to);
}

// ---- First pass of Alpha::kCoverage

template <typename T>
void Band<T>::collect_row(uint32_t k, uint32_t y, TexelRange x, const T* row) const {
  float* alphas = pass_->alphas[k] + size_t{y} * work_.steps[k]->x.coarse;
  for (uint32_t i = x.begin; i < x.end; ++i) {
    alphas[i] = static_cast<float>(image::alpha_of_weight(row[size_t{4} * i + 3]));
  }
}

template <typename T>
uint64_t Band<T>::count_base_rows() {
  const uint32_t width = work_.source.size.width;
  constexpr uint32_t kTexels = kStripElements / 4;
  uint64_t passing = 0;
  for (uint32_t y = owned_[0].begin; y < owned_[0].end; ++y) {
    for (uint32_t x = 0; x < width; x += kTexels) {
      const uint32_t texels = std::min(width - x, kTexels);
      const T* row = strips_.strip_row(1, y, {x, x + texels}, 0);
      for (size_t i = 0; i < texels; ++i) {
        passing += static_cast<float>(image::alpha_of_weight(row[4 * i + 3])) >= pass_->base_cut ? 1 : 0;
      }
    }
  }
  return passing;
}

template class Band<float>;
template class Band<double>;

}  // namespace onepass::cpu
