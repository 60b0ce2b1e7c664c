// cpu_tight.cpp: Footprint::kTight: min and max over base texels [floor(i*S/S_n), ceil((i+1)*S/S_n)). These ranges do
// not nest, so every level is computed from the base, all levels in one pass over it:
//
//   - The base is read in blocks of eight rows. For every level, an accumulator as wide as the base takes the rows of
//     the block that belong to the current coarse row. The reduction of all eight rows is computed once, for the levels
//     whose coarse row contains the whole block.
//   - A complete accumulator is reduced along x as in a segment tree: repeated halving, then every range is assembled
//     from the largest aligned pieces.
//   - Bands split the base rows without overlap. A coarse row that crosses bands has one partial row per band; a second
//     pass merges them. Later updates reuse the partial rows of unchanged bands.
#include <algorithm>
#include <cstring>
#include <vector>

#include "cpu/aligned_vector.hpp"
#include "image/div_up.hpp"
#include "image/row_codec.hpp"
#include "pyramid/cpu_axis.hpp"
#include "pyramid/cpu_chain.hpp"
#include "reduction/box_kernels.hpp"

namespace onepass::cpu {
namespace {

using image::kRowPadding;

constexpr uint32_t kBlockRows = 8;

class TightChain : public Chain {
 public:
  TightChain(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers);
  void run(const Job& job) override;

 private:
  struct Scratch {
    AlignedVector<float> stored;        ///< One source row before it becomes a working row.
    AlignedVector<float> block;         ///< kBlockRows working rows, then their reduction.
    AlignedVector<float> accumulators;  ///< One row per level.
    AlignedVector<float> halves;        ///< The accumulator halved once, twice and so on.
    AlignedVector<float> row;           ///< A coarse row, then the same row finished.
  };

  /// The base rows of a coarse row, and a band of base rows.
  struct Span {
    TexelRange rows;  ///< Base rows of the coarse row.
    TexelRange band;
    [[nodiscard]] bool from_above() const { return rows.begin < band.begin; }
    [[nodiscard]] bool complete() const { return !from_above() && rows.end <= band.end; }
  };

  void run_band(const Job& job, uint32_t slice, uint32_t band, Scratch& scratch);
  void read_block(const Job& job, uint32_t slice, TexelRange rows, Scratch& scratch) const;
  uint32_t fold_block(const Job& job, uint32_t slice, uint32_t band, uint32_t level, uint32_t coarse, TexelRange block,
                      Scratch& scratch);
  void accumulate(uint32_t level, Span span, TexelRange block, Scratch& scratch) const;
  void fold_along_x(uint32_t level, Scratch& scratch) const;
  void merge(const Job& job, uint32_t slice, uint32_t level, Scratch& scratch);
  void encode(const Job& job, uint32_t slice, uint32_t level, uint32_t y, Scratch& scratch) const;

  [[nodiscard]] TexelRange rows_of(uint32_t level, uint32_t y) const {
    return footprint_range(Footprint::kTight, options_.size.height, level, y);
  }
  [[nodiscard]] TexelRange band_rows(uint32_t band) const {
    return {band * band_rows_, std::min(options_.size.height, (band + 1) * band_rows_)};
  }
  [[nodiscard]] float* partial(uint32_t slice, uint32_t band, uint32_t level, bool from_above) {
    const size_t row = (size_t{slice} * bands_ + band) * partial_elements_;
    return partials_.data() + row + partial_offsets_[level] + (from_above ? 0 : level_elements(level));
  }
  [[nodiscard]] size_t level_elements(uint32_t level) const {
    return size_t{plan_.sizes[level].width} * spec_.channels();
  }
  Scratch& scratch(uint32_t slot);

  PyramidOptions options_;
  PyramidPlan plan_;
  Workers& workers_;
  reduction::BoxSpec spec_;
  reduction::BoxKernels<float> kernels_;
  image::RowDecoder<float> decoder_;
  image::RowEncoder<float> encoder_;
  size_t row_elements_;  ///< Elements of a padded working row of the base.
  uint32_t band_rows_;
  uint32_t bands_;
  size_t partial_elements_ = 0;  ///< Elements of all partial rows of a band.
  std::vector<size_t> partial_offsets_;
  std::vector<float> partials_;
  std::vector<Scratch> scratch_;
};

TightChain::TightChain(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers)
    : options_(options),
      plan_(plan),
      workers_(workers),
      spec_(reduction::make_box_spec(options.source, options.target, options.reduction)),
      kernels_(reduction::find_box_kernels<float>(spec_)),
      decoder_(spec_.source),
      encoder_(spec_.target),
      row_elements_((size_t{options.size.width} * spec_.channels() + 2 * kRowPadding - 1) / kRowPadding * kRowPadding),
      partial_offsets_(plan.levels),
      scratch_(workers.slots()) {
  const uint32_t height = options.size.height;
  const uint32_t share = std::clamp(height / (kBandsPerThread * workers.slots()), kLeastBandRows, kMostBandRows);
  band_rows_ = share / kBlockRows * kBlockRows;
  bands_ = div_up(height, band_rows_);
  for (uint32_t n = 1; n < plan.levels; ++n) {
    partial_offsets_[n] = partial_elements_;
    partial_elements_ += 2 * level_elements(n);
  }
  if (bands_ > 1) partials_.resize(partial_elements_ * bands_ * options.slices);
}

TightChain::Scratch& TightChain::scratch(uint32_t slot) {
  Scratch& own = scratch_[slot];
  if (own.row.empty()) {
    own.stored.resize(row_elements_);
    own.block.resize((kBlockRows + 1) * row_elements_);
    own.accumulators.resize(plan_.levels * row_elements_);
    own.halves.resize(2 * row_elements_ + size_t{kMaxLevels} * kRowPadding);
    own.row.resize(2 * row_elements_);
  }
  return own;
}

void TightChain::run(const Job& job) {
  std::vector<uint32_t> bands;
  for (uint32_t band = 0; band < bands_; ++band) {
    const TexelRange changed = {job.changed.y, job.changed.y + job.changed.height};
    if (job.fresh || intersect(band_rows(band), changed).end > 0) bands.push_back(band);
  }
  const double share = 1.0 / static_cast<double>(bands.size() * options_.slices);
  workers_.run(bands.size() * options_.slices, [&](size_t task, uint32_t slot) {
    if (job.watch->is_cancelled()) return;
    job.watch->add(share);
    run_band(job, static_cast<uint32_t>(task / bands.size()), bands[task % bands.size()], scratch(slot));
  });
  if (bands_ == 1 || job.watch->is_cancelled()) return;
  const uint32_t made = plan_.levels - 1;
  workers_.run(size_t{options_.slices} * made, [&](size_t task, uint32_t slot) {
    merge(job, static_cast<uint32_t>(task / made), static_cast<uint32_t>(task % made) + 1, scratch(slot));
  });
}

/// Computes what one band contributes to every level.
void TightChain::run_band(const Job& job, uint32_t slice, uint32_t band, Scratch& scratch) {
  const TexelRange rows = band_rows(band);
  std::array<uint32_t, kMaxLevels> coarse{};  // the coarse row of each level that is being accumulated
  for (uint32_t n = 1; n < plan_.levels; ++n) {
    coarse[n] = affected_range(Footprint::kTight, options_.size.height, n, {rows.begin, rows.begin + 1}).begin;
  }
  for (uint32_t y = rows.begin; y < rows.end; y += kBlockRows) {
    const TexelRange block = {y, std::min(rows.end, y + kBlockRows)};
    read_block(job, slice, block, scratch);
    for (uint32_t n = 1; n < plan_.levels; ++n) {
      coarse[n] = fold_block(job, slice, band, n, coarse[n], block, scratch);
    }
  }
}

/// Decodes the rows of a block and also reduces them to one.
void TightChain::read_block(const Job& job, uint32_t slice, TexelRange rows, Scratch& scratch) const {
  const size_t width = options_.size.width;
  float* all = scratch.block.data() + kBlockRows * row_elements_;
  for (uint32_t y = rows.begin; y < rows.end; ++y) {
    float* row = scratch.block.data() + (y - rows.begin) * row_elements_;
    decoder_.decode(job.source.row(y, slice), width, row, scratch.stored.data());
    const std::array<const float*, 3> pair = {all, row, nullptr};
    if (y == rows.begin) {
      std::copy_n(row, width * spec_.channels(), all);
    } else {
      kernels_.fold_rows(pair.data(), 2, nullptr, width * spec_.channels(), all);
    }
  }
}

/// Accumulates a block into the rows of a level, from row `coarse` on. Returns the row for the next block.
uint32_t TightChain::fold_block(const Job& job, uint32_t slice, uint32_t band, uint32_t level, uint32_t coarse,
                                TexelRange block, Scratch& scratch) {
  const TexelRange wanted = {job.stored[level].y, job.stored[level].y + job.stored[level].height};
  const uint32_t count = plan_.sizes[level].height;
  for (uint32_t y = coarse; y < count; ++y) {
    const Span span = {rows_of(level, y), band_rows(band)};
    if (span.rows.begin >= block.end) return y;
    const bool needed = job.fresh || (y >= wanted.begin && y < wanted.end);
    if (needed) accumulate(level, span, block, scratch);
    const bool ends_here = span.rows.end <= block.end || block.end == span.band.end;
    if (!ends_here) return y;
    if (!needed) continue;
    fold_along_x(level, scratch);
    if (span.complete()) {
      encode(job, slice, level, y, scratch);
    } else {
      std::copy_n(scratch.row.data(), level_elements(level), partial(slice, band, level, span.from_above()));
    }
  }
  return count;
}

/// Reduces the rows of `block` that belong to `span` into the level's accumulator.
void TightChain::accumulate(uint32_t level, Span span, TexelRange block, Scratch& scratch) const {
  const TexelRange rows = intersect(span.rows, block);
  const bool begins = std::max(span.rows.begin, span.band.begin) >= block.begin;
  const size_t count = size_t{options_.size.width} * spec_.channels();
  float* accumulator = scratch.accumulators.data() + level * row_elements_;
  std::array<const float*, kBlockRows + 1> parts{};
  uint32_t parts_count = 0;
  if (!begins) parts[parts_count++] = accumulator;
  if (rows == block) {
    parts[parts_count++] = scratch.block.data() + kBlockRows * row_elements_;
  } else {
    for (uint32_t y = rows.begin; y < rows.end; ++y) {
      parts[parts_count++] = scratch.block.data() + (y - block.begin) * row_elements_;
    }
  }
  if (parts_count == 1) std::copy_n(parts[0], count, accumulator);
  for (uint32_t part = 1; part < parts_count;) {  // two parts at a time, on top of the accumulated ones
    const uint32_t taps = part + 1 < parts_count ? 3 : 2;
    const std::array<const float*, 3> taken = {part == 1 ? parts[0] : accumulator, parts[part],
                                               taps == 3 ? parts[part + 1] : nullptr};
    kernels_.fold_rows(taken.data(), taps, nullptr, count, accumulator);
    part += taps - 1;
  }
}

/// Reduces the level's accumulator along x to scratch.row.
void TightChain::fold_along_x(uint32_t level, Scratch& scratch) const {
  const uint32_t channels = spec_.channels();
  std::array<const float*, kMaxLevels> halves{};  // halves[m][i]: base texels [i*2^m, (i+1)*2^m)
  halves[0] = scratch.accumulators.data() + level * row_elements_;
  float* out = scratch.halves.data();
  for (uint32_t m = 1; m <= level && options_.size.width >> m > 0; ++m) {
    const size_t texels = options_.size.width >> m;
    kernels_.fold_columns(halves[m - 1], {.taps = Taps::kTwo, .scale = 1}, texels, out);
    halves[m] = out;
    out += texels * channels + kRowPadding;
  }
  if (level == 1) {  // the same number of columns for all texels
    const Taps taps = options_.size.width == 1 ? Taps::kOne : options_.size.width % 2 == 1 ? Taps::kThree : Taps::kTwo;
    kernels_.fold_columns(halves[0], {.taps = taps}, plan_.sizes[1].width, scratch.row.data());
    return;
  }
  for (uint32_t i = 0; i < plan_.sizes[level].width; ++i) {
    TexelRange range = footprint_range(Footprint::kTight, options_.size.width, level, i);
    float* texel = scratch.row.data() + size_t{i} * channels;
    bool empty = true;
    const auto take = [&](uint32_t m, uint32_t piece) {
      const float* from = halves[m] + size_t{piece} * channels;
      for (uint32_t c = 0; c < channels; ++c) {
        const bool smaller = spec_.reduction == Reduction::kMin || (spec_.reduction == Reduction::kMinMax && c == 0);
        if (empty || (smaller ? from[c] < texel[c] : from[c] > texel[c])) texel[c] = from[c];
      }
      empty = false;
    };
    uint32_t m = 0;
    for (; m < level && range.begin < range.end; ++m) {
      if (range.begin % 2 == 1) take(m, range.begin++);
      if (range.end % 2 == 1 && range.begin < range.end) take(m, --range.end);
      range = {range.begin / 2, range.end / 2};
    }
    for (uint32_t piece = range.begin; piece < range.end; ++piece) take(m, piece);
  }
}

/// Merges the partial rows of coarse rows that cross bands, and writes these rows.
void TightChain::merge(const Job& job, uint32_t slice, uint32_t level, Scratch& scratch) {
  const size_t count = level_elements(level);
  const Rect& wanted = job.stored[level];
  for (uint32_t y = wanted.y; y < wanted.y + wanted.height; ++y) {
    const TexelRange rows = rows_of(level, y);
    const uint32_t first = rows.begin / band_rows_;
    const uint32_t last = (rows.end - 1) / band_rows_;
    if (first == last) continue;
    std::copy_n(partial(slice, first, level, false), count, scratch.row.data());
    for (uint32_t band = first + 1; band <= last; ++band) {
      const float* from = partial(slice, band, level, true);
      for (size_t i = 0; i < count; ++i) {
        const bool smaller =
            spec_.reduction == Reduction::kMin || (spec_.reduction == Reduction::kMinMax && i % 2 == 0);
        float& to = scratch.row[i];
        to = smaller ? std::min(to, from[i]) : std::max(to, from[i]);
      }
    }
    encode(job, slice, level, y, scratch);
  }
}

/// Writes the part of scratch.row that the job stores.
void TightChain::encode(const Job& job, uint32_t slice, uint32_t level, uint32_t y, Scratch& scratch) const {
  const Rect& stored = job.stored[level];
  if (y < stored.y || y >= stored.y + stored.height) return;
  const MutableImageView& target = job.levels[level - 1];
  const float* row = scratch.row.data() + size_t{stored.x} * spec_.channels();
  const float* finished = encoder_.finish(row, stored.width, {}, scratch.row.data() + row_elements_);
  encoder_.encode(finished, stored.width,
                  target.row(y, slice) + size_t{stored.x} * format_info(target.format).bytes_per_texel);
}

}  // namespace

std::unique_ptr<Chain> make_tight_chain(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers) {
  return std::make_unique<TightChain>(options, plan, workers);
}

}  // namespace onepass::cpu
