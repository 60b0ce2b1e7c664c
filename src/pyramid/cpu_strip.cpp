// cpu_strip.cpp: reduces strips of rows of one level to the next.
//
// fold_pairs() makes several rows at once where all taps are two or three:
//     fold_quads()  2x2 finer texels of equal weight
//     fold_wide()   two or three taps per axis
// fold() makes one row with any taps:
//     fold_strip_rows(), fold_strip_columns()  finer rows to one row, then its columns
//     fold_unorm8()                            columns as integer sums, then rows: exact for 8-bit channels
#include "pyramid/cpu_strip.hpp"

#include <algorithm>

namespace onepass::cpu {

template <typename T>
bool StripFold<T>::fold_pairs(uint32_t k, TexelRange rows, TexelRange x) {
  return fold_quads(k, rows, x) || fold_wide(k, rows, x);
}

/// Reduces to texels `x` of row y of level k, rows before columns.
template <typename T>
void StripFold<T>::fold(uint32_t k, uint32_t y, TexelRange x, T* out) {
  const LevelStep<T>& step = *work_.steps[k];
  if (step.sums_integers) return fold_unorm8(y, x, out);
  const T row_scale = step.y.takes_remainder(y) ? T(1) : step.row_scale(step.y.taps);
  fold_strip_columns(k, x, row_scale, fold_strip_rows(k, y, step.x.fine_range(x)), out);
}

/// The same for level 1 where LevelStep::sums_integers: columns before rows.
template <typename T>
void StripFold<T>::fold_unorm8(uint32_t y, TexelRange x, T* out) {
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
  if (taps == 3) return work_.kernels.fold_rows(rows.data(), taps, step.row_weights(y)->data(), count, out + begin);
  T* folded = scratch_.strip(kFolded);
  if (taps == 2) work_.kernels.fold_rows(rows.data(), taps, nullptr, count, folded);
  const ColumnFold<T> scaled = {.taps = Taps::kOne, .scale = step.row_scale(step.y.taps)};
  work_.kernels.fold_columns(taps == 2 ? folded : rows[0], scaled, texels, out + begin);
}

/// Fast path for 2x2 finer texels of equal weight. False if it does not apply.
template <typename T>
bool StripFold<T>::fold_quads(uint32_t k, TexelRange rows, TexelRange x) {
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
WideFold<T> StripFold<T>::wide_fold(uint32_t k, uint32_t y, TexelRange x) const {
  const LevelStep<T>& step = *work_.steps[k];
  WideFold<T> fold;
  fold.row_taps = static_cast<uint32_t>(step.y.taps);
  fold.weights = step.row_weights(y);
  fold.columns = step.columns(size_t{x.begin} * work_.channels, step.row_scale(step.y.taps));
  fold.texels = x.end - x.begin;
  fold.readable = size_t{step.x.fine - 2 * x.begin} * work_.channels;
  return fold;
}

/// Fast path for two or three taps per axis. False if it does not apply.
template <typename T>
bool StripFold<T>::fold_wide(uint32_t k, TexelRange rows, TexelRange x) {
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
const T* StripFold<T>::strip_row(uint32_t k, uint32_t y, TexelRange x, uint32_t tap) {
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
const T* StripFold<T>::fold_strip_rows(uint32_t k, uint32_t y, TexelRange fine) {
  const AxisStep& step = work_.steps[k]->y;
  const TexelRange range = step.fine_range(y);
  const uint32_t taps = range.end - range.begin;
  if (taps == 1) return strip_row(k, range.begin, fine, 0);
  const bool weighted = step.taps == Taps::kThree || step.takes_remainder(y);
  const std::array<T, 3> weights = weighted ? round_weights<T>(step.weights(y), taps) : std::array<T, 3>{};
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
void StripFold<T>::fold_strip_columns(uint32_t k, TexelRange x, T row_scale, const T* row, T* out) {
  const LevelStep<T>& step = *work_.steps[k];
  const size_t channels = work_.channels;
  const uint32_t regular_end = step.x.regular_end(x);
  const size_t begin = x.begin * channels;
  if (x.begin < regular_end) {
    work_.kernels.fold_columns(row, step.columns(begin, row_scale), regular_end - x.begin, out + begin);
  }
  if (regular_end == x.end) return;
  if (step.x.remainder_taps == 1) {
    const ColumnFold<T> only = {.taps = Taps::kOne, .scale = row_scale};
    const T* column = row + size_t{2} * (regular_end - x.begin) * channels;
    return work_.kernels.fold_columns(column, only, 1, out + size_t{regular_end} * channels);
  }
  // The last texel, which takes the remainder: its columns, each one texel long, are reduced as if they were rows.
  std::array<const T*, 3> columns{};
  for (uint32_t tap = 0; tap < step.x.remainder_taps; ++tap) {
    columns[tap] = row + (size_t{2} * (regular_end - x.begin) + tap) * channels;
  }
  std::array<T, 3> weights = round_weights<T>(step.x.remainder_weights, step.x.remainder_taps);
  for (T& weight : weights) weight *= row_scale;
  work_.kernels.fold_rows(columns.data(), step.x.remainder_taps, weights.data(), channels,
                          out + regular_end * channels);
}

template class StripFold<float>;
template class StripFold<double>;

}  // namespace onepass::cpu
