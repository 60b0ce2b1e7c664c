// reducer.cpp: the reduction of layouts that cpu::PyramidStream has no format for (stream_reducer.cpp has the others):
// signed and 32-bit integers, 16-bit sRGB, half RGB, grey with alpha, more than four channels.
//
// A chain of levels passes rows on. Each level keeps the sums of one row of blocks and the number of
// base texels in them, so that the mean of a level is exact to float precision and never comes from rounded texels.
//
// The last block of a level can be cut off by the edge of the picture: it stands for the base texels that exist.
// Colours with straight alpha are weighted by it. With a value for "no data" each pixel has a second half, the number
// of base texels with data in each channel:
//
//     value 0, value 1, ... | count 0, count 1, ...
#include "tiles/reducer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "files/sample_rows.hpp"
#include "image/div_up.hpp"
#include "tiles/stream_reducer.hpp"

namespace onepass::tiles {
namespace {

// The number of base texels along one axis in block `i` of 2^level texels.
double texels_in(uint32_t size, uint32_t level, uint32_t i) {
  const uint64_t first = uint64_t{i} << level;
  return static_cast<double>(std::min<uint64_t>(uint64_t{size} - first, uint64_t{1} << level));
}

class BoxReducer final : public Reducer {
 public:
  BoxReducer(const ReducerOptions& options, Sink sink)
      : options_(options), sink_(std::move(sink)), codec_(options.layout, options.srgb) {
    if (options.nodata) find_nodata(*options.nodata);
    for (uint32_t n = 0; n < options.levels; ++n) {
      const Extent size = ceil_level_size(options.size, n);
      Level level{.size = size};
      if (n > options.first_level && n <= options.last_level) {
        level.sums.resize(size.width * numbers());
        level.y = options.rows.begin >> (n - options.first_level);
      }
      levels_.push_back(std::move(level));
    }
    means_.resize(levels_[options.first_level].size.width * size_t{options.layout.channels});
    if (options.first_level == 0) base_.resize(means_.size());
    if (!nodata_.empty()) counted_.resize(2 * base_.size());
    weighted_ = options.reduction == Reduction::kMean && options.layout.alpha == AlphaAssociation::kStraight;
  }

  Result<void> push(const std::byte* rows, size_t stride, uint32_t count) override {
    if (options_.last_level == options_.first_level) return {};
    for (; count > 0; --count, rows += stride) {
      if (options_.first_level > 0) {
        if (auto done = take(options_.first_level + 1, reinterpret_cast<const float*>(rows)); !done) return done;
        continue;
      }
      codec_.decode(rows, options_.size.width, base_.data());
      if (weighted_) multiply();
      if (!nodata_.empty()) count_data();
      if (auto done = take(1, nodata_.empty() ? base_.data() : counted_.data()); !done) return done;
    }
    return {};
  }

  [[nodiscard]] size_t unrounded_row_bytes() const override {
    return levels_[options_.first_level].size.width * numbers() * sizeof(float);
  }

 private:
  // Numbers of a pixel in a row.
  [[nodiscard]] size_t numbers() const { return options_.layout.channels * (nodata_.empty() ? size_t{1} : 2); }

  struct Level {
    Extent size;
    std::vector<float> sums;  // or minima, maxima
    uint32_t y = 0;           // row that `sums` belongs to
    uint32_t taken = 0;       // finer rows in it
  };

  // Adds a row of the next finer level to level n.
  Result<void> take(uint32_t n, const float* row) {
    Level& level = levels_[n];
    const Level& finer = levels_[n - 1];
    const auto channels = static_cast<uint32_t>(numbers());
    const bool first = level.taken == 0;
    for (uint32_t x = 0; x < level.size.width; ++x) {
      const float* a = row + size_t{2} * x * channels;
      const bool pair = 2 * x + 1 < finer.size.width;
      float* to = level.sums.data() + size_t{x} * channels;
      if (!nodata_.empty()) {
        if (first) std::copy_n(a, channels, to);
        if (!first) join_counted(a, to);
        if (pair) join_counted(a + channels, to);
        continue;
      }
      for (uint32_t c = 0; c < channels; ++c) {
        float value = a[c];
        if (pair) value = join(value, a[channels + c]);
        to[c] = first ? value : join(to[c], value);
      }
    }
    ++level.taken;
    const uint32_t finer_rows = std::min(2U, finer.size.height - 2 * level.y);
    if (level.taken < finer_rows) return {};
    emit(n);
    level.taken = 0;
    ++level.y;
    if (n < options_.last_level) return take(n + 1, level.sums.data());
    if (n + 1 == levels_.size() || !sink_.keep_row) return {};
    return sink_.keep_row(std::as_bytes(std::span(level.sums)));
  }

  [[nodiscard]] float join(float a, float b) const {
    switch (options_.reduction) {
      case Reduction::kMin:
        return a < b || std::isnan(a) ? a : b;  // NaN on either side stays
      case Reduction::kMax:
        return a > b || std::isnan(a) ? a : b;
      default:
        return a + b;
    }
  }

  void emit(uint32_t n) {
    Level& level = levels_[n];
    const uint32_t channels = options_.layout.channels;
    const float* values = level.sums.data();
    if (!nodata_.empty()) {
      for (size_t x = 0; x < level.size.width; ++x) settle(values + 2 * x * channels, means_.data() + x * channels);
      values = means_.data();
    } else if (options_.reduction == Reduction::kMean) {
      const double rows = texels_in(options_.size.height, n, level.y);
      for (uint32_t x = 0; x < level.size.width; ++x) {
        const auto share = static_cast<float>(1 / (rows * texels_in(options_.size.width, n, x)));
        float* to = means_.data() + size_t{x} * channels;
        const float* from = values + size_t{x} * channels;
        for (uint32_t c = 0; c < channels; ++c) to[c] = from[c] * share;
        if (weighted_) divide(to);
      }
      values = means_.data();
    }
    codec_.encode(values, level.size.width, sink_.next_row(n));
    sink_.row_done(n);
  }

  // The value for "no data" as decoded; none if samples cannot hold it, or if alpha says which texels count.
  void find_nodata(double value) {
    const PixelLayout& layout = options_.layout;
    if (layout.alpha == AlphaAssociation::kStraight || options_.reduction == Reduction::kMode) return;
    const std::vector<float> pixel(layout.channels, static_cast<float>(value));
    std::vector<std::byte> stored(layout.pixel_bytes());
    std::vector<float> back(layout.channels);
    files::SampleRows(layout, false).encode(pixel.data(), 1, stored.data());
    files::SampleRows(layout, false).decode(stored.data(), 1, back.data());
    const auto nearest = static_cast<float>(value);
    const bool held = back[0] == nearest || (std::isnan(back[0]) && std::isnan(nearest)) || is_float(layout.sample);
    if (!held) return;
    nodata_.resize(layout.channels);
    codec_.decode(stored.data(), 1, nodata_.data());
  }

  void count_data() {
    const uint32_t channels = options_.layout.channels;
    for (size_t i = 0; i < base_.size(); i += channels) {
      for (uint32_t c = 0; c < channels; ++c) {
        const bool none = base_[i + c] == nodata_[c] || (std::isnan(nodata_[c]) && std::isnan(base_[i + c]));
        counted_[2 * i + c] = none ? 0 : base_[i + c];
        counted_[2 * i + channels + c] = none ? 0.0F : 1.0F;
      }
    }
  }

  void join_counted(const float* from, float* to) const {
    const uint32_t channels = options_.layout.channels;
    for (uint32_t c = 0; c < channels; ++c) {
      if (from[channels + c] == 0) continue;
      to[c] = to[channels + c] == 0 ? from[c] : join(to[c], from[c]);
      to[channels + c] += from[channels + c];
    }
  }

  void settle(const float* pixel, float* to) const {
    const uint32_t channels = options_.layout.channels;
    for (uint32_t c = 0; c < channels; ++c) {
      const float count = pixel[channels + c];
      to[c] = count == 0 ? nodata_[c] : options_.reduction == Reduction::kMean ? pixel[c] / count : pixel[c];
    }
  }

  // The weight of a transparent texel is tiny but not 0: a block of transparent texels gets their mean colour.
  static constexpr float kLeastWeight = 0x1p-40F;

  void multiply() {
    const uint32_t alpha = options_.layout.channels - 1;
    for (size_t i = 0; i < base_.size(); i += alpha + 1) {
      const float weight = std::max(base_[i + alpha], 0.0F) + kLeastWeight;
      for (uint32_t c = 0; c < alpha; ++c) base_[i + c] *= weight;
      base_[i + alpha] = weight;
    }
  }
  void divide(float* pixel) const {
    const uint32_t alpha = options_.layout.channels - 1;
    for (uint32_t c = 0; c < alpha; ++c) pixel[c] /= pixel[alpha];
  }

  ReducerOptions options_;
  Sink sink_;
  files::SampleRows codec_;
  bool weighted_ = false;
  std::vector<Level> levels_;
  std::vector<float> base_, means_, counted_;
  std::vector<float> nodata_;  // of each channel, decoded; empty: none
};

}  // namespace

Extent ceil_level_size(Extent base, uint32_t level) {
  const auto size = [&](uint32_t edge) {
    return static_cast<uint32_t>(div_up(uint64_t{edge}, uint64_t{1} << std::min(level, 40U)));
  };
  return {size(base.width), size(base.height)};
}

Result<std::unique_ptr<Reducer>> Reducer::create(const ReducerOptions& options, Sink sink) {
  const bool labels = options.reduction == Reduction::kMode;
  const Format format = labels ? label_format(options.layout.sample) : stream_format(options.layout, options.srgb);
  const bool counts = options.nodata && !labels;
  if (format != Format::kUndefined && options.levels > 1 && !counts)
    return make_stream_reducer(options, format, std::move(sink));
  return std::unique_ptr<Reducer>(std::make_unique<BoxReducer>(options, std::move(sink)));
}

}  // namespace onepass::tiles
