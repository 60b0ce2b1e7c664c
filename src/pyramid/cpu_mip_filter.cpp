// cpu_mip_filter.cpp: FilterChain: levels by a MipFilter other than the box, one after the other, each in bands of
// rows.
//
//     input rows --decode, or the unrounded level before--> working rows
//       --weigh_rows: the band's rows, as wide as the input--> --weigh_columns--> unrounded level --encode--> target
//
// A band goes through strips of columns of its input, so that the rows of a strip stay in the L2 cache. Input rows come
// in chunks, whose products are added to all rows of the band that take them: a row of a level may have any number of
// taps. The result is then extended by the boundary's texels on both sides and reduced along x.
//
// With Alpha::kWeighted working texels are (colour, weight), and sums have colours times weights. A sum with negative
// weights may have any colour and no alpha: both are limited to the range of the near taps (Ringing::kLimit).
#include <algorithm>
#include <vector>

#include "image/div_up.hpp"
#include "pyramid/cpu_chain.hpp"
#include "pyramid/cpu_stage.hpp"
#include "pyramid/row_mip_filter.hpp"

namespace onepass::cpu {
namespace {

using pyramid::mapped_texel;

constexpr uint32_t kLeastRows = 8;  ///< Of a band, where the level has as many.
constexpr uint32_t kMostRows = 32;
constexpr uint32_t kMostRowElements = uint32_t{1} << 19;  ///< Rows of a band, as wide as the input, in the caches.
constexpr uint32_t kChunkRows = 16;                       ///< Input rows that are decoded at a time.
constexpr uint32_t kStrip = 1024;                         ///< Elements of a strip; a multiple of kRowPadding.
constexpr uint64_t kGroupTexels = uint64_t{1} << 22;      ///< Base texels of the slices that are made at a time.

/// Filtered values may lie beyond those of the source, and none are exact sums.
BoxSpec filter_spec(const PyramidOptions& options) {
  PyramidOptions plain = options;
  plain.alpha = Alpha::kIndependent;  // FilterChain applies weights itself
  BoxSpec spec = box_spec(plain);
  spec.source.fixed_srgb = spec.target.fixed_srgb = false;
  spec.target.within_unit = false;
  return spec;
}

// ---- Texels (red, green, blue, weight) of Alpha::kWeighted

template <typename T>
void weights_of_alphas(size_t texels, T* row) {
  for (size_t i = 0; i < texels; ++i) row[4 * i + 3] = std::max(T(0), row[4 * i + 3]) + T(image::kLeastWeight);
}

template <typename T>
void alphas_of_weights(const T* row, size_t texels, T* out) {
  for (size_t i = 0; i < 4 * texels; ++i) out[i] = i % 4 == 3 ? image::alpha_of_weight(row[i]) : row[i];
}

template <typename T>
void multiply_by_weights(const T* row, size_t texels, T* out) {
  for (size_t i = 0; i < texels; ++i) {
    for (size_t c = 0; c < 3; ++c) out[4 * i + c] = row[4 * i + c] * row[4 * i + 3];
    out[4 * i + 3] = row[4 * i + 3];
  }
}

/// Divides the sums of products by the sum of weights, which is at least the least weight of the near taps.
template <typename T>
void divide_by_weights(const T* low, size_t texels, T* row) {
  for (size_t i = 0; i < texels; ++i) {
    const T weight = std::max(low[4 * i + 3], row[4 * i + 3]);
    for (size_t c = 0; c < 3; ++c) row[4 * i + c] /= weight;
  }
}

/// Divides a row into its even and its odd texels.
template <size_t kChannels, typename T>
void split_texels_of(const T* row, size_t pairs, T* even, T* odd) {
  for (size_t i = 0; i < pairs; ++i) {
    std::copy_n(row + 2 * i * kChannels, kChannels, even + i * kChannels);
    std::copy_n(row + (2 * i + 1) * kChannels, kChannels, odd + i * kChannels);
  }
}

template <typename T>
void split_texels(const T* row, size_t pairs, uint32_t channels, T* even, T* odd) {
  if (channels == 1) return split_texels_of<1>(row, pairs, even, odd);
  if (channels == 2) return split_texels_of<2>(row, pairs, even, odd);
  split_texels_of<4>(row, pairs, even, odd);
}

/// The range of the near taps of each texel of a row.
template <typename T>
void find_range_of_columns(const FilterAxis<T>& axis, const T* row, uint32_t channels, uint32_t texels, T* low,
                           T* high) {
  for (uint32_t i = 0; i < texels; ++i) {
    const FilterTaps<T> taps = axis.taps(i);
    for (uint32_t c = 0; c < channels; ++c, ++low, ++high) {
      const T* value = row + (taps.first + taps.near_begin) * static_cast<int64_t>(channels) + c;
      *low = *high = *value;
      for (uint32_t k = taps.near_begin + 1; k < taps.near_end; ++k) {
        value += channels;
        *low = *value < *low ? *value : *low;
        *high = *value > *high ? *value : *high;
      }
    }
  }
}

// ---- The chain

template <typename T>
class FilterChain : public Chain {
 public:
  FilterChain(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers);
  void run(const Job& job) override;

 private:
  struct Level {
    FilterAxis<T> x;
    HalvingAxis<T> halving_x;
    FilterAxis<T> y;
    uint32_t band_rows = 1;
    size_t row_elements = 0;  ///< Of rows as wide as the input.
  };

  /// The buffers of one thread.
  struct Scratch {
    AlignedVector<T> stored;    ///< A strip of an input row, as stored.
    AlignedVector<T> chunk;     ///< kChunkRows strips of input rows.
    AlignedVector<T> products;  ///< The same times their weights.
    AlignedVector<T> rows;      ///< Rows of the band, as wide as the input.
    AlignedVector<T> low;       ///< Ranges of their near taps.
    AlignedVector<T> high;
    AlignedVector<T> extended;           ///< A row between its margins.
    AlignedVector<T> extended_products;  ///< The same times its weights.
    AlignedVector<T> even;               ///< The even and the odd texels of one of them.
    AlignedVector<T> odd;
    AlignedVector<T> low_columns;  ///< Ranges of the near taps of a row of the level.
    AlignedVector<T> high_columns;
    AlignedVector<T> made;  ///< A row of the level.
    AlignedVector<T> finished;
  };

  /// Rows of a level of a slice.
  struct Band {
    const Job& job;
    Scratch& scratch;
    uint32_t level = 0;
    uint32_t slice = 0;
    TexelRange rows;
  };

  [[nodiscard]] bool reads_base(uint32_t level) const { return level == 1 || from_base_; }
  [[nodiscard]] Extent input_size(uint32_t level) const { return plan_.sizes[reads_base(level) ? 0 : level - 1]; }
  [[nodiscard]] T* plane_row(uint32_t level, uint32_t slice, uint32_t y);
  [[nodiscard]] T* band_row(const Band& band, AlignedVector<T>& rows, uint32_t y) const;
  void run_levels(const Job& job, TexelRange levels, TexelRange slices);
  void make_band(const Band& band);
  void make_strip(const Band& band, uint32_t begin, uint32_t texels);
  void read_chunk(const Band& band, int64_t first, uint32_t count, uint32_t begin, uint32_t texels);
  void add_chunk(const Band& band, int64_t first, uint32_t count, uint32_t begin, uint32_t texels) const;
  void make_row(const Band& band, uint32_t y);
  void limit(const T* low, const T* high, size_t texels, T* row) const;
  void extend(const Band& band, const T* row) const;
  void encode(const Band& band, uint32_t y, const T* row) const;
  Scratch& scratch(uint32_t slot);

  PyramidOptions options_;
  PyramidPlan plan_;
  Workers& workers_;
  BoxSpec spec_;
  uint32_t channels_;
  bool from_base_;
  bool weighted_;
  bool limits_;
  FilterFunctions<T> functions_;
  image::RowDecoder<T> decoder_;
  image::RowEncoder<T> encoder_;
  std::vector<Level> levels_;               ///< By level; [0] is empty.
  std::array<AlignedVector<T>, 2> planes_;  ///< Unrounded levels of a group of slices: the even and the odd ones.
  uint32_t group_ = 1;                      ///< Slices of a group.
  std::vector<Scratch> scratch_;
};

template <typename T>
FilterChain<T>::FilterChain(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers)
    : options_(options),
      plan_(plan),
      workers_(workers),
      spec_(filter_spec(options)),
      channels_(spec_.channels()),
      from_base_(options.filter.input == MipFilterInput::kBase),
      weighted_(options.alpha == Alpha::kWeighted),
      limits_(weighted_ || options.filter.ringing == Ringing::kLimit),
      functions_(find_filter_functions<T>()),
      decoder_(spec_.source),
      encoder_(spec_.target),
      levels_(plan.levels),
      scratch_(workers.slots()) {
  const uint64_t texels = uint64_t{options.size.width} * options.size.height;
  group_ = static_cast<uint32_t>(std::clamp<uint64_t>(kGroupTexels / texels, 1, options.slices));
  for (uint32_t n = 1; n < plan.levels; ++n) {
    const Extent input = input_size(n);
    const Extent size = plan.sizes[n];
    Level& level = levels_[n];
    level.x = FilterAxis<T>(options.filter, input.width, size.width, channels_);
    level.halving_x = HalvingAxis<T>(level.x, size.width, channels_);
    level.y = FilterAxis<T>(options.filter, input.height, size.height, 1);
    level.row_elements = padded_row(input.width, channels_);
    const auto fitting = static_cast<uint32_t>(kMostRowElements / level.row_elements);
    const uint32_t share = size.height / (kBandsPerThread * workers.slots());
    level.band_rows = std::min(size.height, std::clamp(std::min(share, fitting), kLeastRows, kMostRows));
    AlignedVector<T>& plane = planes_[n % 2];
    const size_t elements = padded_row(size.width, channels_) * size.height * group_;
    if (!from_base_ && n + 1 < plan.levels && plane.size() < elements) plane.resize(elements);
  }
}

template <typename T>
typename FilterChain<T>::Scratch& FilterChain<T>::scratch(uint32_t slot) {
  Scratch& own = scratch_[slot];
  if (!own.chunk.empty()) return own;
  size_t rows = 0;
  size_t extended = 0;
  for (const Level& level : levels_) {
    rows = std::max(rows, level.band_rows * level.row_elements);
    extended = std::max(extended, (size_t{level.x.input()} + 2 * level.x.margin()) * channels_);
  }
  const size_t made = padded_row(plan_.sizes[1].width, 4);
  own.stored.resize(kStrip * 4 + kRowPadding);
  own.chunk.resize(kChunkRows * (kStrip + kRowPadding));
  own.rows.resize(rows);
  own.extended.resize(extended + channels_);
  own.even.resize(extended / 2 + 2 * kRowPadding);
  own.odd.resize(extended / 2 + 2 * kRowPadding);
  own.made.resize(made);
  own.finished.resize(made);
  if (weighted_) own.products.resize(own.chunk.size());
  if (weighted_) own.extended_products.resize(own.extended.size());
  if (!limits_) return own;
  own.low.resize(rows);
  own.high.resize(rows);
  own.low_columns.resize(made);
  own.high_columns.resize(made);
  return own;
}

template <typename T>
T* FilterChain<T>::plane_row(uint32_t level, uint32_t slice, uint32_t y) {
  const Extent size = plan_.sizes[level];
  const size_t row = size_t{slice % group_} * size.height + y;
  return planes_[level % 2].data() + row * padded_row(size.width, channels_);
}

template <typename T>
T* FilterChain<T>::band_row(const Band& band, AlignedVector<T>& rows, uint32_t y) const {
  return rows.data() + (y - band.rows.begin) * levels_[band.level].row_elements;
}

template <typename T>
void FilterChain<T>::run(const Job& job) {
  for (uint32_t slice = 0; slice < options_.slices; slice += group_) {
    const TexelRange slices = {slice, std::min(options_.slices, slice + group_)};
    if (from_base_) {
      run_levels(job, {1, plan_.levels}, slices);  // they do not depend on each other
      continue;
    }
    for (uint32_t n = 1; n < plan_.levels; ++n) run_levels(job, {n, n + 1}, slices);
  }
}

template <typename T>
void FilterChain<T>::run_levels(const Job& job, TexelRange levels, TexelRange slices) {
  struct Task {
    uint32_t level = 0;
    uint32_t slice = 0;
    uint32_t row = 0;
  };
  std::vector<Task> tasks;
  for (uint32_t n = levels.begin; n < levels.end; ++n) {
    for (uint32_t slice = slices.begin; slice < slices.end; ++slice) {
      for (uint32_t y = 0; y < plan_.sizes[n].height; y += levels_[n].band_rows) tasks.push_back({n, slice, y});
    }
  }
  const auto texels = [&](uint32_t n) { return static_cast<double>(input_size(n).width) * input_size(n).height; };
  double all = 0;
  for (uint32_t n = 1; n < plan_.levels; ++n) all += texels(n) * options_.slices;
  workers_.run(tasks.size(), [&](size_t index, uint32_t slot) {
    if (job.watch->is_cancelled()) return;
    const Task& task = tasks[index];
    const uint32_t height = plan_.sizes[task.level].height;
    const TexelRange rows = {task.row, std::min(height, task.row + levels_[task.level].band_rows)};
    job.watch->add(texels(task.level) / all * (rows.end - rows.begin) / height);
    make_band({job, scratch(slot), task.level, task.slice, rows});
  });
}

template <typename T>
void FilterChain<T>::make_band(const Band& band) {
  const uint32_t width = input_size(band.level).width;
  const uint32_t strip = kStrip / channels_;
  for (uint32_t x = 0; x < width; x += strip) make_strip(band, x, std::min(strip, width - x));
  for (uint32_t y = band.rows.begin; y < band.rows.end; ++y) make_row(band, y);
}

/// Reduces columns [begin, begin + texels) of the input to the rows of the band.
template <typename T>
void FilterChain<T>::make_strip(const Band& band, uint32_t begin, uint32_t texels) {
  const FilterAxis<T>& axis = levels_[band.level].y;
  const FilterTaps<T> last = axis.taps(band.rows.end - 1);
  const int64_t end = last.first + last.count;
  for (int64_t first = axis.taps(band.rows.begin).first; first < end; first += kChunkRows) {
    const auto count = static_cast<uint32_t>(std::min<int64_t>(kChunkRows, end - first));
    read_chunk(band, first, count, begin, texels);
    add_chunk(band, first, count, begin, texels);
  }
  const size_t at = size_t{begin} * channels_;
  for (uint32_t y = band.rows.begin; y < band.rows.end && limits_; ++y) {
    limit(band_row(band, band.scratch.low, y) + at, band_row(band, band.scratch.high, y) + at, texels,
          band_row(band, band.scratch.rows, y) + at);
  }
}

/// Reads input rows, which may lie outside of the input.
template <typename T>
void FilterChain<T>::read_chunk(const Band& band, int64_t first, uint32_t count, uint32_t begin, uint32_t texels) {
  Scratch& own = band.scratch;
  const uint32_t height = input_size(band.level).height;
  for (uint32_t k = 0; k < count; ++k) {
    const uint32_t y = mapped_texel(options_.filter.boundary, first + k, height);
    T* out = own.chunk.data() + k * (kStrip + kRowPadding);
    if (reads_base(band.level)) {
      const size_t bytes = size_t{begin} * format_info(options_.source).bytes_per_texel;
      decoder_.decode(band.job.source.row(y, band.slice) + bytes, texels, out, own.stored.data());
      if (weighted_) weights_of_alphas(texels, out);
    } else {
      const T* row = plane_row(band.level - 1, band.slice, y);
      std::copy_n(row + size_t{begin} * channels_, size_t{texels} * channels_, out);
    }
    if (weighted_) multiply_by_weights(out, texels, own.products.data() + k * (kStrip + kRowPadding));
  }
}

/// Adds the products of the rows of a chunk to the rows of the band that take them.
template <typename T>
void FilterChain<T>::add_chunk(const Band& band, int64_t first, uint32_t count, uint32_t begin, uint32_t texels) const {
  Scratch& own = band.scratch;
  std::array<const T*, kChunkRows> rows{};
  const auto take = [&](const AlignedVector<T>& chunk, int64_t from, int64_t to) {
    for (int64_t k = from; k < to; ++k) rows[k - from] = chunk.data() + (k - first) * (kStrip + kRowPadding);
    return static_cast<uint32_t>(to - from);
  };
  const size_t at = size_t{begin} * channels_;
  const size_t elements = size_t{texels} * channels_;
  for (uint32_t y = band.rows.begin; y < band.rows.end; ++y) {
    const FilterTaps<T> taps = levels_[band.level].y.taps(y);
    int64_t from = std::max(first, taps.first);
    int64_t to = std::min(first + count, taps.first + taps.count);
    if (from >= to) continue;
    const uint32_t used = take(weighted_ ? own.products : own.chunk, from, to);
    functions_.weigh_rows(rows.data(), taps.weights + (from - taps.first), used, elements, from > taps.first,
                          band_row(band, own.rows, y) + at);
    if (!limits_) continue;
    const int64_t nearest = taps.first + taps.near_begin;
    from = std::max(first, nearest);
    to = std::min(first + count, taps.first + taps.near_end);
    if (from >= to) continue;
    functions_.find_range(rows.data(), take(own.chunk, from, to), elements, from > nearest,
                          band_row(band, own.low, y) + at, band_row(band, own.high, y) + at);
  }
}

/// Limits sums to the range of their near taps; divides sums of products by those of weights first.
template <typename T>
void FilterChain<T>::limit(const T* low, const T* high, size_t texels, T* row) const {
  if (weighted_) divide_by_weights(low, texels, row);
  functions_.limit(low, high, texels * channels_, row);
}

/// Copies a row and the texels that the boundary adds on both sides.
template <typename T>
void FilterChain<T>::extend(const Band& band, const T* row) const {
  const FilterAxis<T>& axis = levels_[band.level].x;
  const int64_t width = axis.input();
  T* out = band.scratch.extended.data();
  const auto copy_outside = [&](int64_t from, int64_t to) {
    for (int64_t x = from; x < to; ++x, out += channels_) {
      const size_t mapped = mapped_texel(options_.filter.boundary, x, axis.input());
      std::copy_n(row + mapped * channels_, channels_, out);
    }
  };
  copy_outside(-int64_t{axis.margin()}, 0);
  out = std::copy_n(row, static_cast<size_t>(width) * channels_, out);
  copy_outside(width, width + axis.margin());
}

/// Reduces a row of the band along x, and writes it.
template <typename T>
void FilterChain<T>::make_row(const Band& band, uint32_t y) {
  Scratch& own = band.scratch;
  const FilterAxis<T>& axis = levels_[band.level].x;
  const uint32_t texels = plan_.sizes[band.level].width;
  extend(band, band_row(band, own.rows, y));
  const bool keeps = !from_base_ && band.level + 1 < plan_.levels;
  T* made = keeps ? plane_row(band.level, band.slice, y) : own.made.data();
  const size_t margin = size_t{axis.margin()} * channels_;
  const T* extended = own.extended.data() + margin;
  const T* values = extended;
  if (weighted_) {
    multiply_by_weights(own.extended.data(), axis.input() + size_t{2} * axis.margin(), own.extended_products.data());
    values = own.extended_products.data() + margin;
  }
  if (levels_[band.level].halving_x.runs().empty()) {
    functions_.weigh_columns(axis, values, channels_, texels, made);
  } else {
    const size_t pairs = (axis.input() + size_t{2} * axis.margin() + 1) / 2;
    split_texels(values - margin, pairs, channels_, own.even.data(), own.odd.data());
    functions_.weigh_halves(levels_[band.level].halving_x, own.even.data(), own.odd.data(), channels_, made);
  }
  if (limits_) {
    find_range_of_columns(axis, extended, channels_, texels, own.low_columns.data(), own.high_columns.data());
    limit(own.low_columns.data(), own.high_columns.data(), texels, made);
  }
  encode(band, y, made);
}

template <typename T>
void FilterChain<T>::encode(const Band& band, uint32_t y, const T* row) const {
  const uint32_t texels = plan_.sizes[band.level].width;
  T* finished = band.scratch.finished.data();
  if (weighted_) {
    alphas_of_weights(row, texels, finished);
    row = finished;
  }
  encoder_.encode(encoder_.finish(row, texels, {}, finished), texels,
                  band.job.levels[band.level - 1].row(y, band.slice));
}

}  // namespace

std::unique_ptr<Chain> make_filter_chain(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers) {
  // A level from the base may have thousands of taps: their sum in float would be too inexact.
  const bool needs_double = options.filter.input == MipFilterInput::kBase || box_spec(options).works_in_double();
  if (needs_double) return std::make_unique<FilterChain<double>>(options, plan, workers);
  return std::make_unique<FilterChain<float>>(options, plan, workers);
}

}  // namespace onepass::cpu
