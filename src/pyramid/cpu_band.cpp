// cpu_band.cpp: computes a band of rows of one stage, up to three levels: footprints aligned, covering and edge, all
// formats and reductions, in float or double. cpu_band.hpp has the idea of a stage, cpu_tight.cpp the tight footprint.
//
// make_all_rows() asks for the rows of the coarsest level one after the other. make_row() determines which finer rows
// are missing and computes all of them with the first of these loops over columns that applies:
//     make_fused_rows()  fused rows: three levels with three column taps advance together (row_fused.cpp)
//     make_tiles()  8x8 texels to one where all taps are 2x2 (row_tile*.cpp); strips compute the remaining columns
//     make_strip()  strips of columns, each passed through the levels: fold_quads() for 2x2 taps, fold_wide() for two
//                   or three taps per axis, fold() for the rest
// emit() passes a finished strip of a row to the next stage's plane, to the target or to the coverage histogram.
#include "pyramid/cpu_band.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "hwy/cache_control.h"

namespace onepass::cpu {
namespace {

/// Strip buffers. kStored and kSums are not used together: only texels whose stored channels are not working channels
/// need kStored, and their columns are not reduced before rows.
enum Strip : uint32_t { kDecoded = 0, kStored = 3, kSums = 3, kFolded = 6, kFinished = 7, kStrips = 8 };

TexelRange columns_of(const Rect& rect) { return {rect.x, rect.x + rect.width}; }
TexelRange rows_of(const Rect& rect) { return {rect.y, rect.y + rect.height}; }

}  // namespace

// ---- LevelStep

template <typename T>
LevelStep<T>::LevelStep(const PyramidOptions& options, const BoxSpec& spec, uint32_t level)
    : x(make_axis_step(options.footprint, options.size.width, level)),
      y(make_axis_step(options.footprint, options.size.height, level)) {
  sums_integers = level == 1 && spec.sums_integers() && x.taps == Taps::kThree;
  if (options.reduction != Reduction::kMean) return;
  for (uint32_t i = 0; i < y.coarse && y.taps == Taps::kThree; ++i) {
    rows.push_back(round_weights<T>(y.weights(i), 3, weights_scale()));
  }
  if (x.taps != Taps::kThree) return;
  const T scale = sums_integers ? T(1) : row_scale(y.taps);  // scale is a power of two: no rounding
  for (uint32_t i = 0; i < x.coarse; ++i) {
    const std::array<double, 3> weights = x.weights(i);
    middle = static_cast<T>(weights[1]);
    auto before = static_cast<T>(weights[0]);
    auto after = static_cast<T>(1.0 - static_cast<double>(middle) - static_cast<double>(before));
    if (sums_integers) {
      before = static_cast<T>(x.coarse - i);
      middle = static_cast<T>(x.coarse);
      after = static_cast<T>(i + 1);
    }
    first.insert(first.end(), spec.channels(), before * scale);
    last.insert(last.end(), spec.channels(), after * scale);
  }
  middle *= scale;
  first.resize(first.size() + kRowPadding);
  last.resize(last.size() + kRowPadding);
}

template <typename T>
ColumnFold<T> LevelStep<T>::columns(size_t element, T scale) const {
  ColumnFold<T> fold;
  fold.taps = x.taps;
  fold.scale = x.taps == Taps::kTwo ? scale * T(0.5) : scale;
  if (!first.empty()) {
    fold.first = first.data() + element;
    fold.middle = middle;
    fold.last = last.data() + element;
  }
  return fold;
}

// ---- BandScratch

template <typename T>
void BandScratch<T>::reserve(size_t row_elements) {
  rows.resize(kStageLevels * kRingRows * row_elements);
  strips.resize(kStrips * kStripSpace);
  targets.resize(kTileRows * kTileStripBytes + kLineBytes);
}

// ---- Band: order of rows and strips

template <typename T>
Band<T>::Band(const StageWork<T>& work, BandScratch<T>& scratch, uint32_t slice, TexelRange top, bool is_last)
    : work_(work), scratch_(scratch), slice_(slice) {
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
void Band<T>::write(const double* alpha_scales) {
  alpha_scales_ = alpha_scales;
  make_all_rows();
}

template <typename T>
void Band<T>::count(float threshold) {
  threshold_ = threshold;
  if (work_.input == nullptr) count_base_rows();
  make_all_rows();
}

template <typename T>
void Band<T>::make_all_rows() {
  for (uint32_t k = work_.count; k >= 1; --k) {  // finer levels: rows that no coarser row has needed
    while (next_[k] < needed_[k].end) make_row(k);
  }
  if (work_.non_temporal) hwy::FlushStream();  // completes non-temporal stores before another thread reads the levels
}

/// Computes the next row of level k and, strip by strip with it, the missing finer rows that it needs.
template <typename T>
void Band<T>::make_row(uint32_t k) {
  Columns end{};   // of the rows to compute, by level
  Columns done{};  // the columns of these rows that are computed
  end[k] = next_[k] + 1;
  for (uint32_t j = k; j > 1; --j) {
    const bool idle = end[j] == next_[j];
    end[j - 1] = idle ? next_[j - 1] : std::max(next_[j - 1], work_.steps[j]->y.fine_range({next_[j], end[j]}).end);
  }
  if (k == kStageLevels && make_fused_rows(end)) {
    for (uint32_t j = 1; j <= k; ++j) next_[j] = end[j];
    return;
  }
  for (uint32_t j = 1; j <= k; ++j) done[j] = end[j] > next_[j] ? work_.needed_x[j].begin : work_.needed_x[j].end;
  if (k == kStageLevels && work_.tiles && alpha_scales_ != nullptr && end[1] - next_[1] == 4) {
    const uint32_t texels = make_tiles(next_[k]);
    for (uint32_t j = 1; j <= k; ++j) tiled_[j] = done[j] = texels << (k - j);
  } else {
    tiled_ = {};
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
  for (uint32_t j = 1; j <= k; ++j) next_[j] = end[j];
}

/// Computes rows 4y to 4y+3, 2y to 2y+1 and y of the three levels at once, as many columns as fill whole vectors.
/// Returns the number of texels of the last level.
template <typename T>
uint32_t Band<T>::make_tiles(uint32_t y) {
  const BoxKernels<T>& kernels = work_.kernels;
  const uint32_t texels = work_.needed_x[kStageLevels].end / kernels.tile_texels * kernels.tile_texels;
  std::array<const void*, 8> rows{};
  std::array<void*, kTileRows> targets{};
  uintptr_t alignment = 0;
  for (uint32_t i = 0; i < 8; ++i) rows[i] = source_texels(8 * y + i, 0);
  for (uint32_t i = 0; i < kTileRows; ++i) {
    targets[i] = i < 4   ? work_.targets[1].row(4 * y + i, slice_)
                 : i < 6 ? work_.targets[2].row(2 * y + i - 4, slice_)
                         : work_.targets[3].row(y, slice_);
    alignment |= reinterpret_cast<uintptr_t>(targets[i]);
  }
  T* last = work_.output != nullptr ? work_.output->row(y, slice_) : ring_row(kStageLevels, y);
  if (!work_.non_temporal) {
    kernels.fold_tiles(rows.data(), texels, targets.data(), last);
  } else if (kernels.fold_tiles_non_temporal != nullptr && alignment % kLineBytes == 0) {
    kernels.fold_tiles_non_temporal(rows.data(), texels, targets.data(), last);
  } else {
    stream_strips(rows.data(), targets.data(), texels, last);
  }
  return texels;
}

/// Computes the rows from next_ to `end` of all three levels as fused rows. False if these do not apply.
template <typename T>
bool Band<T>::make_fused_rows(const Columns& end) {
  if (!work_.uses_fused_rows || alpha_scales_ == nullptr) return false;
  reduction::FusedRows<T> fused_rows;
  fused_rows.encoder = &work_.encoder;
  uintptr_t addresses = 0;
  for (uint32_t k = 1; k <= kStageLevels; ++k) {
    if (end[k] == next_[k] || end[k] - next_[k] > kMostPairs) return false;
    reduction::FusedLevel<T>& level = fused_rows.levels[k - 1];
    level.fold = wide_fold(k, next_[k], work_.needed_x[k]);
    level.fold.count = end[k] - next_[k];
    for (uint32_t i = 0; i < 2 * level.fold.count + level.fold.row_taps - 2; ++i) {
      const uint32_t y = 2 * next_[k] + i;
      level.fine[i] = k == 1 ? static_cast<const void*>(source_texels(y, 0)) : ring_row(k - 1, y);
    }
    for (uint32_t i = 0; i < level.fold.count; ++i) {
      const uint32_t y = next_[k] + i;
      const bool owned = y >= owned_[k].begin && y < owned_[k].end;
      level.coarse[i] = k == kStageLevels && work_.output != nullptr ? work_.output->row(y, slice_) : ring_row(k, y);
      level.targets[i] = owned ? work_.targets[k].row(y, slice_) : nullptr;
      addresses |= reinterpret_cast<uintptr_t>(level.targets[i]);
    }
  }
  if (addresses % work_.target_bytes != 0) return false;
  work_.kernels.fused_rows(fused_rows);
  return true;
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

/// The end of the next strip of level k, limited by the computed columns of the finer level; done[k] for no strip yet.
template <typename T>
uint32_t Band<T>::strip_end(uint32_t k, const Columns& done) const {
  const uint32_t most = std::min(work_.needed_x[k].end, done[k] + kStripElements / work_.channels);
  if (k == 1 || done[k - 1] == work_.needed_x[k - 1].end) return most;
  const AxisStep& x = work_.steps[k]->x;
  uint32_t ready = done[k - 1];
  if (x.taps == Taps::kTwo) ready /= 2;
  if (x.taps == Taps::kThree) ready = ready == 0 ? 0 : (ready - 1) / 2;
  if (x.fat_last) ready = std::min(ready, x.coarse - 1);
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
  const bool is_folded = fold_quads(k, regular, columns) || fold_wide(k, regular, columns);
  for (uint32_t y = rows.begin; y < rows.end; ++y) {
    T* row = ring_row(k, y);
    const TexelRange rest = {is_folded && y < regular.end ? regular_end : x.begin, x.end};
    if (rest.begin < rest.end) fold(k, y, rest, row);
    if (y >= owned_[k].begin && y < owned_[k].end) emit(k, y, x, row);
  }
}

template <typename T>
T* Band<T>::ring_row(uint32_t k, uint32_t y) {
  const size_t row_elements = scratch_.rows.size() / (kStageLevels * kRingRows);
  return scratch_.rows.data() + ((k - 1) * kRingRows + y % kRingRows) * row_elements;
}

// ---- Band: reduction of rows and columns

/// Reduces to texels `x` of row y of level k, rows before columns.
template <typename T>
void Band<T>::fold(uint32_t k, uint32_t y, TexelRange x, T* out) {
  const LevelStep<T>& step = *work_.steps[k];
  if (step.sums_integers) return fold_unorm8(y, x, out);
  const T row_scale = step.y.is_fat(y) ? T(1) : step.row_scale(step.y.taps);
  fold_strip_columns(k, x, row_scale, fold_strip_rows(k, y, step.x.fine_range(x)), out);
}

/// The same for level 1 where LevelStep::sums_integers: columns before rows.
template <typename T>
void Band<T>::fold_unorm8(uint32_t y, TexelRange x, T* out) {
  const LevelStep<T>& step = *work_.steps[1];
  const TexelRange range = step.y.fine_range(y);
  const uint32_t taps = range.end - range.begin;
  const size_t begin = size_t{x.begin} * work_.channels;
  const size_t texels = x.end - x.begin;
  std::array<const T*, 3> rows{};
  for (uint32_t tap = 0; tap < taps; ++tap) {
    T* sums = scratch_.strip(kSums + tap);
    const T* decoded = strip_row(1, range.begin + tap, step.x.fine_range(x), tap);
    work_.kernels.fold_columns(decoded, step.columns(begin, T(1)), texels, sums);
    rows[tap] = sums;
  }
  const size_t count = texels * work_.channels;
  if (taps == 3) return work_.kernels.fold_rows(rows.data(), taps, step.rows[y].data(), count, out + begin);
  T* folded = scratch_.strip(kFolded);
  if (taps == 2) work_.kernels.fold_rows(rows.data(), taps, nullptr, count, folded);
  const ColumnFold<T> scaled = {.taps = Taps::kOne, .scale = step.row_scale(step.y.taps)};
  work_.kernels.fold_columns(taps == 2 ? folded : rows[0], scaled, texels, out + begin);
}

/// Fast path for 2x2 finer texels of equal weight. False if it does not apply.
template <typename T>
bool Band<T>::fold_quads(uint32_t k, TexelRange rows, TexelRange x) {
  const LevelStep<T>& step = *work_.steps[k];
  const auto kernel = reads_source(k) ? work_.kernels.fold_source_quads : work_.kernels.fold_quads;
  const bool two_by_two = step.x.taps == Taps::kTwo && step.y.taps == Taps::kTwo;
  if (!two_by_two || kernel == nullptr || x.begin >= x.end) return false;
  std::array<const void*, 2 * kMostPairs> fine{};
  std::array<T*, kMostPairs> coarse{};
  for (uint32_t y = rows.begin; y < rows.end;) {
    const uint32_t pairs = std::min(kMostPairs, rows.end - y);
    for (uint32_t i = 0; i < 2 * pairs; ++i) {
      fine[i] = reads_source(k) ? static_cast<const void*>(source_texels(2 * y + i, 2 * x.begin))
                                : strip_row(k, 2 * y + i, {2 * x.begin, 2 * x.end}, 0);
    }
    for (uint32_t i = 0; i < pairs; ++i) coarse[i] = ring_row(k, y + i) + size_t{x.begin} * work_.channels;
    kernel(fine.data(), pairs, x.end - x.begin, coarse.data());
    y += pairs;
  }
  return true;
}

/// Parameters for columns `x` of the rows from y on of level k.
template <typename T>
WideFold<T> Band<T>::wide_fold(uint32_t k, uint32_t y, TexelRange x) const {
  const LevelStep<T>& step = *work_.steps[k];
  WideFold<T> fold;
  fold.row_taps = static_cast<uint32_t>(step.y.taps);
  if (!step.rows.empty()) fold.weights = &step.rows[y];
  fold.columns = step.columns(size_t{x.begin} * work_.channels, step.row_scale(step.y.taps));
  fold.texels = x.end - x.begin;
  fold.readable = size_t{step.x.fine - 2 * x.begin} * work_.channels;
  return fold;
}

/// Fast path for two or three taps per axis. False if it does not apply.
template <typename T>
bool Band<T>::fold_wide(uint32_t k, TexelRange rows, TexelRange x) {
  const LevelStep<T>& step = *work_.steps[k];
  const auto kernel = step.sums_integers ? work_.kernels.fold_unorm8
                      : reads_source(k)  ? work_.kernels.fold_source_wide
                                         : work_.kernels.fold_wide;
  if (kernel == nullptr || step.x.taps == Taps::kOne || step.y.taps == Taps::kOne || x.begin >= x.end) return false;
  WideFold<T> fold;
  std::array<const void*, 2 * kMostPairs + 1> fine{};
  std::array<T*, kMostPairs> coarse{};
  for (uint32_t y = rows.begin; y < rows.end; y += fold.count) {
    fold = wide_fold(k, y, x);
    fold.count = std::min(kMostPairs, rows.end - y);
    for (uint32_t i = 0; i < 2 * fold.count + fold.row_taps - 2; ++i) {
      fine[i] = reads_source(k) ? static_cast<const void*>(source_texels(2 * y + i, 2 * x.begin))
                                : strip_row(k, 2 * y + i, {2 * x.begin, step.x.fine}, 0);
    }
    for (uint32_t i = 0; i < fold.count; ++i) {
      coarse[i] = ring_row(k, y + i) + size_t{x.begin} * work_.channels;
    }
    kernel(fine.data(), fold, coarse.data());
  }
  return true;
}

/// Returns texels `x` of row y of level k-1 in working form. `tap`: the strip buffer for decoded source texels.
template <typename T>
const T* Band<T>::strip_row(uint32_t k, uint32_t y, TexelRange x, uint32_t tap) {
  if (!reads_source(k)) {
    const T* row = k == 1 ? work_.input->row(y, slice_) : ring_row(k - 1, y);
    return row + size_t{x.begin} * work_.channels;
  }
  T* decoded = scratch_.strip(kDecoded + tap);
  work_.decoder.decode(source_texels(y, x.begin), x.end - x.begin, decoded, scratch_.strip(kStored + tap));
  return decoded;
}

/// The finer rows of row y, reduced to one.
template <typename T>
const T* Band<T>::fold_strip_rows(uint32_t k, uint32_t y, TexelRange fine) {
  const AxisStep& step = work_.steps[k]->y;
  const TexelRange range = step.fine_range(y);
  const uint32_t taps = range.end - range.begin;
  if (taps == 1) return strip_row(k, range.begin, fine, 0);
  const bool weighted = step.taps == Taps::kThree || step.is_fat(y);
  const std::array<T, 3> weights = round_weights<T>(step.weights(y), taps);
  const T* used_weights = weighted ? weights.data() : nullptr;
  const size_t count = size_t{fine.end - fine.begin} * work_.channels;
  T* folded = scratch_.strip(kFolded);
  if (reads_source(k) && work_.kernels.fold_source_rows != nullptr) {
    std::array<const void*, 3> rows{};
    for (uint32_t tap = 0; tap < taps; ++tap) rows[tap] = source_texels(range.begin + tap, fine.begin);
    work_.kernels.fold_source_rows(rows.data(), taps, used_weights, count, folded);
  } else {
    std::array<const T*, 3> rows{};
    for (uint32_t tap = 0; tap < taps; ++tap) rows[tap] = strip_row(k, range.begin + tap, fine, tap);
    work_.kernels.fold_rows(rows.data(), taps, used_weights, count, folded);
  }
  return folded;
}

/// Reduces the columns of a strip; `row` begins with the first finer texel of the strip.
template <typename T>
void Band<T>::fold_strip_columns(uint32_t k, TexelRange x, T row_scale, const T* row, T* out) {
  const LevelStep<T>& step = *work_.steps[k];
  const size_t channels = work_.channels;
  const uint32_t regular_end = step.x.regular_end(x);
  const size_t begin = x.begin * channels;
  if (x.begin < regular_end) {
    work_.kernels.fold_columns(row, step.columns(begin, row_scale), regular_end - x.begin, out + begin);
  }
  if (regular_end == x.end) return;
  // The fat last texel: its columns, each one texel long, are reduced as if they were rows.
  std::array<const T*, 3> columns{};
  for (uint32_t tap = 0; tap < step.x.fat_taps; ++tap) {
    columns[tap] = row + (size_t{2} * (regular_end - x.begin) + tap) * channels;
  }
  std::array<T, 3> weights = round_weights<T>(step.x.fat_weights, step.x.fat_taps);
  for (T& weight : weights) weight *= row_scale;
  work_.kernels.fold_rows(columns.data(), step.x.fat_taps, weights.data(), channels, out + regular_end * channels);
}

// ---- Band: output of a row

template <typename T>
void Band<T>::emit(uint32_t k, uint32_t y, TexelRange x, const T* row) {
  const TexelRange computed = intersect(x, columns_of(work_.computed[k]));
  const size_t begin = size_t{computed.begin} * work_.channels;
  const size_t end = size_t{computed.end} * work_.channels;
  if (k == work_.count && work_.output != nullptr) {
    std::copy(row + begin, row + end, work_.output->row(y, slice_) + begin);
  }
  if (alpha_scales_ == nullptr) return count_row(k, row + begin, computed.end - computed.begin);
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
  const MutableImageView& target = work_.targets[k];
  const size_t texel_bytes = work_.target_bytes;
  const size_t beyond = reinterpret_cast<uintptr_t>(target.row(y, slice_) + x * texel_bytes) % kLineBytes / texel_bytes;
  return std::max(stored.begin, x - std::min(x, static_cast<uint32_t>(beyond)));
}

template <typename T>
void Band<T>::encode(uint32_t k, uint32_t y, TexelRange x, const T* row) {
  const image::RowEncoder<T>& encoder = work_.encoder;
  std::byte* to = work_.targets[k].row(y, slice_) + x.begin * work_.target_bytes;
  const size_t count = x.end - x.begin;
  const T* texels = encoder.finish(row + size_t{x.begin} * work_.channels, count, alpha_scales_[work_.first + k],
                                   scratch_.strip(kFinished));
  if (work_.non_temporal) return encoder.encode_non_temporal(texels, count, to, scratch_.strip(kFolded));
  encoder.encode(texels, count, to);
}

// ---- Band: counts for Alpha::kCoverage, where a working texel is RGBA in 0..1

template <typename T>
void Band<T>::count_row(uint32_t k, const T* row, size_t texels) {
  CoverageHistogram& bins = scratch_.counts.bins[k];
  for (size_t i = 0; i < texels; ++i) {
    const auto alpha = static_cast<float>(row[4 * i + 3]);
    const float clamped = alpha > 0.0F ? std::min(alpha, 1.0F) : 0.0F;
    if (k > 0) ++bins[static_cast<size_t>(clamped * 1024.0F)];
    if (alpha >= threshold_) ++scratch_.counts.passing[k];
  }
}

template <typename T>
void Band<T>::count_base_rows() {
  const uint32_t width = work_.source.size.width;
  constexpr uint32_t kTexels = kStripElements / 4;
  for (uint32_t y = owned_[0].begin; y < owned_[0].end; ++y) {
    for (uint32_t x = 0; x < width; x += kTexels) {
      const TexelRange strip = {x, std::min(width, x + kTexels)};
      count_row(0, strip_row(1, y, strip, 0), strip.end - strip.begin);
    }
  }
}

template struct LevelStep<float>;
template struct LevelStep<double>;
template struct BandScratch<float>;
template struct BandScratch<double>;
template class Band<float>;
template class Band<double>;

}  // namespace onepass::cpu
