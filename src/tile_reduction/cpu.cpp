// cpu.cpp: cpu::TileReduction: halves tiles repeatedly, as a pyramid does, but stores only the last result.
//
// A task owns a strip: one row of tiles, up to kStripTexels columns. The first step reduces 2x2 source texels, directly
// from the source format where a kernel exists. Each further step reduces 2x2 texels of the previous one, between two
// buffers of rows that stay in the cache:
//
//     factor 8, step 1             step 2          step 3
//     8 source rows -> 4 rows  --> 2 rows  -->     1 row  --> the target
//
// The missing texels of a partial tile are replaced: for means by zeros, and the result is scaled by (all texels of a
// tile) / (texels inside the image); for min and max by texels of the same tile, which do not change the result.
#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <vector>

#include "cpu/aligned_vector.hpp"
#include "cpu/views.hpp"
#include "cpu/workers.hpp"
#include "image/div_up.hpp"
#include "image/error.hpp"
#include "image/row_codec.hpp"
#include "onepass/tile_reduction.hpp"
#include "reduction/box_kernels.hpp"

namespace onepass::cpu {
namespace {

using image::kRowPadding;
using reduction::kMostPairs;

constexpr uint32_t kStripTexels = 8192;  ///< Source texels: 32 half-width rows of float are 512 KB per channel.

/// Indices from `begin` to `end` - 1.
struct Range {
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// Reduces tiles strip by strip, with one type of working rows.
class Strips {
 public:
  virtual ~Strips() = default;
  virtual void run(const ImageView& source, const MutableImageView& target) = 0;
};

template <typename T>
class TypedStrips : public Strips {
 public:
  TypedStrips(const TileReductionOptions& options, const reduction::BoxSpec& spec, Extent tiles, Workers& workers);
  void run(const ImageView& source, const MutableImageView& target) override;

 private:
  /// The texels of one task: columns [x, x + width) and rows [y, y + height) of the source.
  struct Strip {
    uint32_t slice = 0;
    uint32_t x = 0, y = 0;
    uint32_t width = 0, height = 0;
  };
  struct Scratch {
    std::array<AlignedVector<T>, 2> rows;  ///< Input and output of a step, in alternation.
    AlignedVector<T> decoded;              ///< Two source rows.
    AlignedVector<T> stored;               ///< The same before they become working rows.
    AlignedVector<T> zeros;                ///< A source row.
    AlignedVector<T> finished;             ///< A target row.
  };

  [[nodiscard]] Strip strip_of(size_t task) const;
  void make(const ImageView& source, const MutableImageView& target, const Strip& strip, Scratch& scratch) const;
  void fold_source(const ImageView& source, const Strip& strip, Scratch& scratch) const;
  void fold_decoded(const ImageView& source, const Strip& strip, Range rows, Range columns, Scratch& scratch) const;
  [[nodiscard]] T* decode(const std::byte* texels, uint32_t count, uint32_t index, Scratch& scratch) const;
  void fold_rows(uint32_t rows, uint32_t texels, uint32_t from, Scratch& scratch) const;
  void scale_partial_tiles(const Strip& strip, T* row) const;
  void pad(T* row, uint32_t texels) const;
  Scratch& scratch(uint32_t slot);

  [[nodiscard]] bool mean() const { return options_.reduction == Reduction::kMean; }
  [[nodiscard]] const std::byte* texels_of(const ImageView& source, const Strip& strip, uint32_t y, uint32_t x) const {
    return source.row(strip.y + y, strip.slice) + size_t{strip.x + x} * source_texel_bytes_;
  }
  [[nodiscard]] T* row(Scratch& scratch, uint32_t set, uint32_t y) const {
    return scratch.rows[set].data() + y * row_elements_;
  }
  /// The replacement of a row below the image.
  [[nodiscard]] const T* missing_row(const T* above, const Scratch& scratch) const {
    return mean() ? scratch.zeros.data() : above;
  }

  TileReductionOptions options_;
  Extent tiles_;
  Workers& workers_;
  uint32_t channels_;  ///< Of working rows.
  reduction::BoxKernels<T> kernels_;
  image::RowDecoder<T> decoder_;
  image::RowEncoder<T> encoder_;
  uint32_t source_texel_bytes_;
  uint32_t target_texel_bytes_;
  uint32_t strips_x_;
  size_t row_elements_;           ///< Elements of a half-width row.
  std::vector<Scratch> scratch_;  ///< By slot.
};

template <typename T>
TypedStrips<T>::TypedStrips(const TileReductionOptions& options, const reduction::BoxSpec& spec, Extent tiles,
                            Workers& workers)
    : options_(options),
      tiles_(tiles),
      workers_(workers),
      channels_(spec.channels()),
      kernels_(reduction::find_box_kernels<T>(spec)),
      decoder_(spec.source),
      encoder_(spec.target),
      source_texel_bytes_(format_info(options.source).bytes_per_texel),
      target_texel_bytes_(format_info(options.target).bytes_per_texel),
      strips_x_(div_up(options.size.width, kStripTexels)),
      scratch_(workers.slots()) {
  const size_t halves = (std::min(options.size.width, kStripTexels) + 1) / 2 + 1;
  row_elements_ = (halves * channels_ + 2 * kRowPadding - 1) / kRowPadding * kRowPadding;
  scratch(0);  // reports missing memory in create(), not in the first reduce()
}

/// The scratch memory of a slot, allocated by the thread that uses it first.
template <typename T>
typename TypedStrips<T>::Scratch& TypedStrips<T>::scratch(uint32_t slot) {
  Scratch& s = scratch_[slot];
  if (!s.finished.empty()) return s;
  const size_t source_elements = 2 * row_elements_;
  s.decoded.resize(2 * source_elements);
  s.stored.resize(2 * source_elements);
  s.zeros.resize(source_elements);
  s.rows[0].resize(options_.factor / 2 * row_elements_);
  s.rows[1].resize((options_.factor / 4 + 1) * row_elements_);
  s.finished.resize(source_elements);
  return s;
}

template <typename T>
typename TypedStrips<T>::Strip TypedStrips<T>::strip_of(size_t task) const {
  Strip strip;
  strip.x = static_cast<uint32_t>(task % strips_x_) * kStripTexels;
  strip.y = static_cast<uint32_t>(task / strips_x_ % tiles_.height) * options_.factor;
  strip.slice = static_cast<uint32_t>(task / strips_x_ / tiles_.height);
  strip.width = std::min(kStripTexels, options_.size.width - strip.x);
  strip.height = std::min(options_.factor, options_.size.height - strip.y);
  return strip;
}

template <typename T>
void TypedStrips<T>::run(const ImageView& source, const MutableImageView& target) {
  const size_t tasks = size_t{strips_x_} * tiles_.height * options_.slices;
  workers_.run(tasks, [&](size_t task, uint32_t slot) { make(source, target, strip_of(task), scratch(slot)); });
}

template <typename T>
void TypedStrips<T>::make(const ImageView& source, const MutableImageView& target, const Strip& strip,
                          Scratch& scratch) const {
  fold_source(source, strip, scratch);
  uint32_t rows = (strip.height + 1) / 2;
  uint32_t texels = (strip.width + 1) / 2;
  uint32_t set = 0;
  for (uint32_t factor = options_.factor / 2; factor > 1; factor /= 2) {
    fold_rows(rows, texels, set, scratch);
    set = 1 - set;
    rows = (rows + 1) / 2;
    texels = (texels + 1) / 2;
  }
  T* made = row(scratch, set, 0);
  if (mean()) scale_partial_tiles(strip, made);
  const T* finished = encoder_.finish(made, texels, {}, scratch.finished.data());
  std::byte* out =
      target.row(strip.y / options_.factor, strip.slice) + size_t{strip.x / options_.factor} * target_texel_bytes_;
  encoder_.encode(finished, texels, out);
}

/// Decodes source texels to working form. `index`: 0 or 1, the buffer of two that receives them.
template <typename T>
T* TypedStrips<T>::decode(const std::byte* texels, uint32_t count, uint32_t index, Scratch& scratch) const {
  const size_t from = index * scratch.decoded.size() / 2;
  T* decoded = scratch.decoded.data() + from;
  decoder_.decode(texels, count, decoded, scratch.stored.data() + from);
  return decoded;
}

/// The first step: reduces 2x2 source texels.
template <typename T>
void TypedStrips<T>::fold_source(const ImageView& source, const Strip& strip, Scratch& scratch) const {
  const Range all_columns = {0, strip.width};
  const uint32_t even_rows = strip.height & ~1U;
  const uint32_t even_columns = strip.width & ~1U;
  if (kernels_.fold_source_quads == nullptr || even_columns == 0) {
    return fold_decoded(source, strip, {0, strip.height}, all_columns, scratch);
  }
  std::array<const void*, 2 * kMostPairs> fine{};
  std::array<T*, kMostPairs> coarse{};
  for (uint32_t y = 0; y < even_rows;) {
    const uint32_t pairs = std::min(kMostPairs, (even_rows - y) / 2);
    for (uint32_t i = 0; i < 2 * pairs; ++i) fine[i] = texels_of(source, strip, y + i, 0);
    for (uint32_t i = 0; i < pairs; ++i) coarse[i] = row(scratch, 0, y / 2 + i);
    kernels_.fold_source_quads(fine.data(), pairs, even_columns / 2, coarse.data());
    y += 2 * pairs;
  }
  if (even_columns < strip.width) {
    fold_decoded(source, strip, {0, even_rows}, {even_columns, strip.width}, scratch);
  }
  if (even_rows < strip.height) fold_decoded(source, strip, {even_rows, strip.height}, all_columns, scratch);
}

/// The same through decoded rows, where no direct kernel applies. `rows` and `columns` begin at even numbers.
template <typename T>
void TypedStrips<T>::fold_decoded(const ImageView& source, const Strip& strip, Range rows, Range columns,
                                  Scratch& scratch) const {
  const uint32_t count = columns.end - columns.begin;
  for (uint32_t y = rows.begin; y < rows.end; y += 2) {
    T* upper = decode(texels_of(source, strip, y, columns.begin), count, 0, scratch);
    T* lower = nullptr;
    if (y + 1 < strip.height) lower = decode(texels_of(source, strip, y + 1, columns.begin), count, 1, scratch);
    pad(upper, count);
    if (lower != nullptr) pad(lower, count);
    const std::array<const void*, 2> fine = {upper, lower != nullptr ? lower : missing_row(upper, scratch)};
    T* coarse = row(scratch, 0, y / 2) + size_t{columns.begin} / 2 * channels_;
    kernels_.fold_quads(fine.data(), 1, (count + 1) / 2, &coarse);
  }
}

/// A further step: reduces `rows` rows of `texels` texels of buffer `from` to the other buffer.
template <typename T>
void TypedStrips<T>::fold_rows(uint32_t rows, uint32_t texels, uint32_t from, Scratch& scratch) const {
  for (uint32_t y = 0; y < rows; ++y) pad(row(scratch, from, y), texels);
  const uint32_t coarse_rows = (rows + 1) / 2;
  std::array<const void*, 2 * kMostPairs> fine{};
  std::array<T*, kMostPairs> coarse{};
  for (uint32_t y = 0; y < coarse_rows;) {
    const uint32_t pairs = std::min(kMostPairs, coarse_rows - y);
    for (uint32_t i = 0; i < 2 * pairs; ++i) {
      const uint32_t finer = 2 * y + i;
      fine[i] = finer < rows ? row(scratch, from, finer) : missing_row(row(scratch, from, finer - 1), scratch);
    }
    for (uint32_t i = 0; i < pairs; ++i) coarse[i] = row(scratch, 1 - from, y + i);
    kernels_.fold_quads(fine.data(), pairs, (texels + 1) / 2, coarse.data());
    y += pairs;
  }
}

/// Adds a replacement texel if the number of texels is odd.
template <typename T>
void TypedStrips<T>::pad(T* row, uint32_t texels) const {
  if (texels % 2 == 0) return;
  T* end = row + size_t{texels} * channels_;
  for (uint32_t c = 0; c < channels_; ++c)
    end[c] = mean() ? T(0) : end[static_cast<int>(c) - static_cast<int>(channels_)];
}

/// Scales the means of partial tiles, in which missing texels count as zeros.
template <typename T>
void TypedStrips<T>::scale_partial_tiles(const Strip& strip, T* row) const {
  const uint32_t factor = options_.factor;
  const uint32_t last_width = strip.width % factor;
  if (strip.height == factor && last_width == 0) return;
  const uint32_t tiles = div_up(strip.width, factor);
  for (uint32_t i = 0; i < tiles; ++i) {
    const uint32_t width = i + 1 == tiles && last_width != 0 ? last_width : factor;
    const T scale = static_cast<T>(factor * factor) / static_cast<T>(width * strip.height);
    for (uint32_t c = 0; c < channels_; ++c) row[i * channels_ + c] *= scale;
  }
}

}  // namespace

struct ONEPASS_INTERNAL TileReduction::Impl {
  TileReductionOptions options;
  TileReductionPlan plan;
  Workers workers;
  std::unique_ptr<Strips> strips;

  Impl(const TileReductionOptions& wanted, const TileReductionPlan& planned, const TileReductionTuning& tuning)
      : options(wanted), plan(planned), workers(tuning.threads) {
    const reduction::BoxSpec spec = reduction::make_box_spec(options.source, options.target, options.reduction);
    if (spec.works_in_double()) {
      strips = std::make_unique<TypedStrips<double>>(options, spec, plan.size, workers);
    } else {
      strips = std::make_unique<TypedStrips<float>>(options, spec, plan.size, workers);
    }
  }
};

Result<TileReduction> TileReduction::create(const TileReductionOptions& options, const TileReductionTuning& tuning) {
  auto plan = plan_tile_reduction(options);
  if (!plan) return plan.error();
  if (auto checked = require_one_sample(options.samples); !checked) return checked.error();
  try {
    return TileReduction(std::make_unique<Impl>(options, *plan, tuning));
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory for a tile reduction", ""};
  }
}

Result<void> TileReduction::reduce(const ImageView& source, const MutableImageView& target) const {
  const TileReductionOptions& options = impl_->options;
  auto checked = check_view("source", source, options.source, options.size, options.slices);
  if (checked) checked = check_view("target", target, options.target, impl_->plan.size, options.slices);
  if (!checked) return checked;
  try {
    impl_->strips->run(source, target);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory to reduce tiles", ""};
  }
  return {};
}

const TileReductionPlan& TileReduction::plan() const { return impl_->plan; }

TileReduction::TileReduction(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TileReduction::TileReduction(TileReduction&&) noexcept = default;
TileReduction& TileReduction::operator=(TileReduction&&) noexcept = default;
TileReduction::~TileReduction() = default;

}  // namespace onepass::cpu
