// cpu_band.cpp: see cpu_band.hpp.
#include "pyramid/cpu_band.hpp"

#include <algorithm>
#include <cmath>

#include "hwy/cache_control.h"

namespace onepass::cpu {
namespace {

enum Strip : uint32_t { kDecoded = 0, kPrepared = 3, kFolded = 6, kFinished = 7, kStrips = 8 };

TexelRange columns_of(const Rect& rect) { return {rect.x, rect.x + rect.width}; }
TexelRange rows_of(const Rect& rect) { return {rect.y, rect.y + rect.height}; }

}  // namespace

// ---- LevelStep

template <typename T>
LevelStep<T>::LevelStep(const PyramidOptions& options, uint32_t level, uint32_t channels)
    : x(make_axis_step(options.footprint, options.size.width, level)),
      y(make_axis_step(options.footprint, options.size.height, level)) {
  if (options.reduction != Reduction::kMean || x.taps != Taps::kThree) return;
  const T scale = row_scale(y.taps);  // a power of two: no rounding
  for (uint32_t i = 0; i < x.coarse; ++i) {
    const std::array<double, 3> weights = x.weights(i);
    middle = static_cast<T>(weights[1]);
    const auto before = static_cast<T>(weights[0]);
    const auto after = static_cast<T>(1.0 - static_cast<double>(middle) - static_cast<double>(before));
    first.insert(first.end(), channels, before * scale);
    last.insert(last.end(), channels, after * scale);
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
  rows.resize(kStageLevels * kKeptRows * row_elements);
  strips.resize(kStrips * kStripSpace);
}

// ---- Band: which rows

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
  for (uint32_t k = work_.count; k >= 1; --k) {  // then what remains of the finer levels
    while (next_[k] < needed_[k].end) make_row(k);
  }
  if (work_.streams) hwy::FlushStream();  // before another thread reads the levels
}

template <typename T>
void Band<T>::make_row(uint32_t k) {
  const uint32_t y = next_[k];
  if (k > 1) {
    const uint32_t end = work_.steps[k]->y.fine_range(y).end;
    while (next_[k - 1] < end) make_row(k - 1);
  }
  T* row = kept_row(k, y);
  const bool is_owned = y >= owned_[k].begin && y < owned_[k].end;
  const uint32_t strip_texels = kStripElements / work_.channels;
  for (uint32_t x = work_.needed_x[k].begin; x < work_.needed_x[k].end; x += strip_texels) {
    const TexelRange strip = {x, std::min(work_.needed_x[k].end, x + strip_texels)};
    fold(k, y, strip, row);
    if (reads_source(k)) prefetch_source(y, strip.end, strip_texels);
    if (is_owned) emit(k, y, strip, row);
  }
  ++next_[k];
}

template <typename T>
T* Band<T>::kept_row(uint32_t k, uint32_t y) {
  const size_t row_elements = scratch_.rows.size() / (kStageLevels * kKeptRows);
  return scratch_.rows.data() + ((k - 1) * kKeptRows + y % kKeptRows) * row_elements;
}

// ---- Band: folding

/// Texels `x` of row y of level k.
template <typename T>
void Band<T>::fold(uint32_t k, uint32_t y, TexelRange x, T* out) {
  const LevelStep<T>& step = *work_.steps[k];
  const uint32_t regular_end = step.x.regular_end(x);
  TexelRange rest = x;
  if (fold_quads(k, y, {x.begin, regular_end}, out)) rest.begin = regular_end;
  if (rest.begin == rest.end) return;
  const T row_scale = step.y.is_fat(y) ? T(1) : LevelStep<T>::row_scale(step.y.taps);
  fold_strip_columns(k, rest, row_scale, fold_strip_rows(k, y, step.x.fine_range(rest)), out);
}

/// Fetches the source of the next strip of level 1 while the present one is being encoded: what the hardware fetches on
/// its own comes to a stop at every change between reading and computing.
template <typename T>
void Band<T>::prefetch_source(uint32_t y, uint32_t x, uint32_t texels) const {
  constexpr size_t kLine = 64;
  const AxisStep& step = work_.steps[1]->y;
  if (x >= work_.needed_x[1].end) {
    x = work_.needed_x[1].begin;
    ++y;
  }
  if (y >= step.coarse) return;
  const TexelRange rows = step.fine_range(y);
  const TexelRange columns = work_.steps[1]->x.fine_range({x, std::min(work_.needed_x[1].end, x + texels)});
  for (uint32_t row = rows.begin; row < rows.end; ++row) {
    const std::byte* from = source_texels(row, columns.begin);
    const size_t bytes = (columns.end - columns.begin) * work_.texel_bytes;
    for (size_t i = 0; i < bytes; i += kLine) hwy::Prefetch(from + i);
  }
}

/// The short cut where every texel takes 2x2 finer ones of equal weight. False if it does not apply.
template <typename T>
bool Band<T>::fold_quads(uint32_t k, uint32_t y, TexelRange x, T* out) {
  const LevelStep<T>& step = *work_.steps[k];
  if (step.x.taps != Taps::kTwo || step.y.taps != Taps::kTwo || step.y.is_fat(y) || x.begin >= x.end) return false;
  const size_t texels = x.end - x.begin;
  T* to = out + size_t{x.begin} * work_.channels;
  if (reads_source(k)) {
    if (work_.kernels.fold_source_quads == nullptr) return false;
    work_.kernels.fold_source_quads(source_texels(2 * y, 2 * x.begin), source_texels(2 * y + 1, 2 * x.begin), texels,
                                    to);
  } else {
    const TexelRange fine = {2 * x.begin, 2 * x.end};
    work_.kernels.fold_quads(strip_row(k, 2 * y, fine, 0), strip_row(k, 2 * y + 1, fine, 1), texels, to);
  }
  return true;
}

/// Texels `x` of row y of level k-1 in working form.
template <typename T>
const T* Band<T>::strip_row(uint32_t k, uint32_t y, TexelRange x, uint32_t tap) {
  if (!reads_source(k)) {
    const T* row = k == 1 ? work_.input->row(y, slice_) : kept_row(k - 1, y);
    return row + size_t{x.begin} * work_.channels;
  }
  const RowSpec& spec = work_.spec;
  T* decoded = scratch_.strip(kDecoded + tap);
  work_.kernels.decode(spec, source_texels(y, x.begin), x.end - x.begin, decoded);
  if (!spec.prepares()) return decoded;
  T* prepared = scratch_.strip(kPrepared + tap);
  work_.kernels.prepare(spec, decoded, x.end - x.begin, prepared);
  return prepared;
}

/// The finer rows of row y, folded into one.
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

/// The columns of a strip; `row` begins with the first finer texel that they take.
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
  // The fat last texel: its columns, each a texel long, fold like rows.
  std::array<const T*, 3> columns{};
  for (uint32_t tap = 0; tap < step.x.fat_taps; ++tap) {
    columns[tap] = row + (size_t{2} * (regular_end - x.begin) + tap) * channels;
  }
  std::array<T, 3> weights = round_weights<T>(step.x.fat_weights, step.x.fat_taps);
  for (T& weight : weights) weight *= row_scale;
  work_.kernels.fold_rows(columns.data(), step.x.fat_taps, weights.data(), channels, out + regular_end * channels);
}

// ---- Band: what becomes of a row

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
  const TexelRange stored = intersect(x, columns_of(work_.stored[k]));
  if (y >= rows.begin && y < rows.end && stored.begin < stored.end) encode(k, y, stored, row);
}

template <typename T>
void Band<T>::encode(uint32_t k, uint32_t y, TexelRange x, const T* row) {
  const MutableImageView& target = work_.targets[k];
  const RowSpec& spec = work_.spec;
  const size_t texel_bytes = format_info(target.format).bytes_per_texel;
  std::byte* to = target.row(y, slice_) + x.begin * texel_bytes;
  const T* texels = row + size_t{x.begin} * work_.channels;
  const size_t count = x.end - x.begin;
  if (spec.finishes()) {
    T* finished = scratch_.strip(kFinished);
    work_.kernels.finish(spec, texels, count, alpha_scales_[work_.first + k], finished);
    texels = finished;
  }
  if (!work_.streams) return work_.kernels.encode(spec, texels, count, to);
  if (spec.stores_as_is()) return work_.kernels.stream(texels, count * texel_bytes, to);
  T* encoded = scratch_.strip(kFolded);
  work_.kernels.encode(spec, texels, count, encoded);
  work_.kernels.stream(encoded, count * texel_bytes, to);
}

// ---- Band: counting for Alpha::kCoverage, where a working texel is RGBA in 0..1

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
