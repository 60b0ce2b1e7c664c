// plain_loop.cpp: a row of a level is the sum or the extreme of its taps, channel by channel. Written from the
// definitions of the footprints and filters, without code of src/pyramid, because the CPU engine's results are checked
// against it.
#include "plain_loop.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "image/div_up.hpp"

namespace onepass::bench {
namespace {

// Channels ----------------------------------------------------------------------------------------------------------

// Filters may leave 0..1.
float limited(float value, float most) { return value > 0 ? std::min(value, most) : 0.0F; }

// Values are never negative here.
uint32_t round_positive(float value) {
  return static_cast<uint32_t>(value + 0.5F);  // NOLINT(bugprone-incorrect-roundings): lround() is a call
}

struct Float {
  using Stored = float;
  static float load(float value, int) { return value; }
  static float store(float value, int) { return value; }
  static float mean(float a, float b, float c, float d, int) { return (a + b + c + d) * 0.25F; }
};

struct Unorm8 {
  using Stored = uint8_t;
  static float load(uint8_t value, int) { return value; }
  static uint8_t store(float value, int) { return static_cast<uint8_t>(round_positive(limited(value, 255))); }
  // Ties go to even: rounding them up would brighten the image from level to level.
  static uint8_t mean(int a, int b, int c, int d, int) {
    const int sum = a + b + c + d;
    return static_cast<uint8_t>((sum + 1 + (sum >> 2 & 1)) >> 2);
  }
};

// Linear light through lookup tables: 256 quantised values to light, and 2^16 steps of light back.
struct Srgb8 {
  using Stored = uint8_t;
  static constexpr int kSteps = 65535;

  static float load(uint8_t value, int channel) { return channel == 3 ? value / 255.0F : decoded()[value]; }
  static uint8_t store(float stored, int channel) {
    const float value = limited(stored, 1);
    if (channel == 3) return static_cast<uint8_t>(round_positive(value * 255.0F));
    return encoded()[round_positive(value * kSteps)];
  }
  static uint8_t mean(uint8_t a, uint8_t b, uint8_t c, uint8_t d, int channel) {
    return store((load(a, channel) + load(b, channel) + load(c, channel) + load(d, channel)) * 0.25F, channel);
  }

 private:
  static const std::array<float, 256>& decoded() {
    static const std::array<float, 256> table = [] {
      std::array<float, 256> out{};
      for (size_t i = 0; i < out.size(); ++i) {
        const double code = static_cast<double>(i) / 255.0;
        out[i] = static_cast<float>(code <= 0.04045 ? code / 12.92 : std::pow((code + 0.055) / 1.055, 2.4));
      }
      return out;
    }();
    return table;
  }
  static const std::vector<uint8_t>& encoded() {
    static const std::vector<uint8_t> table = [] {
      std::vector<uint8_t> out(kSteps + 1);
      for (size_t i = 0; i < out.size(); ++i) {
        const double x = static_cast<double>(i) / kSteps;
        const double code = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1.0 / 2.4) - 0.055;
        out[i] = static_cast<uint8_t>(std::lround(code * 255.0));
      }
      return out;
    }();
    return table;
  }
};

// Footprints --------------------------------------------------------------------------------------------------------

// Finer texels first, first + 1, ... with their weights. Those outside of the level stand for its edge texels.
struct Taps {
  int64_t first = 0;
  std::vector<float> weight = {1};
};

Taps box_taps(uint32_t finer, uint32_t i, Footprint footprint) {
  if (finer == 1) return {};
  if (finer % 2 == 0 || footprint == Footprint::kAligned) return {2 * int64_t{i}, {0.5F, 0.5F}};
  const uint32_t half = finer / 2;
  const auto k = static_cast<float>(half);
  const auto n = static_cast<float>(finer);
  return {2 * int64_t{i}, {(k - static_cast<float>(i)) / n, k / n, (static_cast<float>(i) + 1) / n}};
}

// sinc(x) times a window: Lanczos' of half width 3, or Kaiser's.
double filter_height(const MipFilterOptions& filter, double x) {
  const auto sinc = [](double t) { return t == 0 ? 1 : std::sin(std::numbers::pi * t) / (std::numbers::pi * t); };
  const double width = filter.kind == MipFilter::kLanczos ? 3 : static_cast<double>(filter.kaiser_width);
  if (std::fabs(x) >= width) return 0;
  if (filter.kind == MipFilter::kLanczos) return sinc(x) * sinc(x / 3);
  const double half = static_cast<double>(filter.kaiser_alpha) * std::sqrt(1 - x * x / (width * width)) / 2;
  double bessel = 1;  // I0, by its power series
  double term = 1;
  for (int k = 1; k < 60; ++k) bessel += term *= half * half / (k * k);
  return sinc(x) * bessel;
}

Taps filter_taps(uint32_t finer, uint32_t coarser, uint32_t i, const MipFilterOptions& filter) {
  if (finer == 1) return {};
  const double ratio = static_cast<double>(finer) / coarser;
  const double middle = (i + 0.5) * ratio;
  Taps out{static_cast<int64_t>(std::floor(middle - 8 * ratio)), {}};  // with zeros on both sides
  double sum = 0;
  for (int64_t j = out.first; static_cast<double>(j) < middle + 8 * ratio; ++j) {
    sum += filter_height(filter, (static_cast<double>(j) + 0.5 - middle) / ratio);
  }
  for (int64_t j = out.first; static_cast<double>(j) < middle + 8 * ratio; ++j) {
    const double height = filter_height(filter, (static_cast<double>(j) + 0.5 - middle) / ratio);
    if (out.weight.empty() && height == 0) {
      ++out.first;
    } else {
      out.weight.push_back(static_cast<float>(height / sum));
    }
  }
  while (out.weight.back() == 0) out.weight.pop_back();
  return out;
}

// Rows --------------------------------------------------------------------------------------------------------------

size_t clamped(int64_t at, uint32_t size) { return static_cast<size_t>(std::clamp<int64_t>(at, 0, int64_t{size} - 1)); }

template <typename Stored>
const Stored* row_of(const ImageView& image, int64_t y) {
  return reinterpret_cast<const Stored*>(image.row(static_cast<uint32_t>(clamped(y, image.size.height))));
}
template <typename Stored>
Stored* row_of(const MutableImageView& image, uint32_t y) {
  return reinterpret_cast<Stored*>(image.row(y));
}

// A level and the taps of its texels along both axes.
struct Step {
  ImageView finer;
  MutableImageView coarser;
  std::vector<Taps> columns;
  std::vector<Taps> rows;

  [[nodiscard]] bool halves(uint32_t y) const { return columns[0].weight.size() == 2 && rows[y].weight.size() == 2; }
};

std::vector<Taps> taps_of_axis(uint32_t finer, uint32_t coarser, const PyramidOptions& options) {
  std::vector<Taps> out(coarser);
  for (uint32_t i = 0; i < coarser; ++i) {
    out[i] = options.filter.kind == MipFilter::kBox ? box_taps(finer, i, options.footprint)
                                                    : filter_taps(finer, coarser, i, options.filter);
  }
  return out;
}

using RowFunction = void (*)(const Step& step, uint32_t y);

template <typename Channel, size_t kChannels>
void mean_row(const Step& step, uint32_t y) {
  using Stored = typename Channel::Stored;
  Stored* out = row_of<Stored>(step.coarser, y);
  const Taps& v = step.rows[y];
  if (step.halves(y)) {
    const Stored* upper = row_of<Stored>(step.finer, v.first);
    const Stored* lower = row_of<Stored>(step.finer, v.first + 1);
    for (uint32_t x = 0; x < step.coarser.size.width; ++x, upper += kChannels, lower += kChannels) {
      for (size_t c = 0; c < kChannels; ++c, ++upper, ++lower) {
        *out++ = Channel::mean(upper[0], upper[kChannels], lower[0], lower[kChannels], static_cast<int>(c));
      }
    }
    return;
  }
  for (const Taps& h : step.columns) {
    for (size_t c = 0; c < kChannels; ++c) {
      float sum = 0;
      for (size_t j = 0; j < v.weight.size(); ++j) {
        const Stored* in = row_of<Stored>(step.finer, v.first + static_cast<int64_t>(j)) + c;
        float row_sum = 0;
        for (size_t i = 0; i < h.weight.size(); ++i) {
          const size_t x = clamped(h.first + static_cast<int64_t>(i), step.finer.size.width);
          row_sum += h.weight[i] * Channel::load(in[kChannels * x], static_cast<int>(c));
        }
        sum += v.weight[j] * row_sum;
      }
      *out++ = Channel::store(sum, static_cast<int>(c));
    }
  }
}

void min_row(const Step& step, uint32_t y) {
  auto* out = row_of<float>(step.coarser, y);
  const Taps& v = step.rows[y];
  if (step.halves(y)) {
    const auto* upper = row_of<float>(step.finer, v.first);
    const auto* lower = row_of<float>(step.finer, v.first + 1);
    for (size_t x = 0; x < step.coarser.size.width; ++x) {
      out[x] = std::min(std::min(upper[2 * x], upper[2 * x + 1]), std::min(lower[2 * x], lower[2 * x + 1]));
    }
    return;
  }
  for (const Taps& h : step.columns) {
    float least = row_of<float>(step.finer, v.first)[h.first];
    for (size_t j = 0; j < v.weight.size(); ++j) {
      const auto* in = row_of<float>(step.finer, v.first + static_cast<int64_t>(j)) + h.first;
      for (size_t i = 0; i < h.weight.size(); ++i) least = std::min(least, in[i]);
    }
    *out++ = least;
  }
}

// The finer level has one channel, or two that are already a minimum and a maximum.
template <size_t kChannels>
void min_max_row(const Step& step, uint32_t y) {
  auto* out = row_of<float>(step.coarser, y);
  const Taps& v = step.rows[y];
  for (const Taps& h : step.columns) {
    float least = row_of<float>(step.finer, v.first)[kChannels * h.first];
    float most = row_of<float>(step.finer, v.first)[kChannels * h.first + kChannels - 1];
    for (size_t j = 0; j < v.weight.size(); ++j) {
      const auto* in = row_of<float>(step.finer, v.first + static_cast<int64_t>(j)) + kChannels * h.first;
      for (size_t i = 0; i < h.weight.size(); ++i, in += kChannels) {
        least = std::min(least, in[0]);
        most = std::max(most, in[kChannels - 1]);
      }
    }
    *out++ = least;
    *out++ = most;
  }
}

RowFunction row_function(const PyramidOptions& options, bool from_source) {
  const bool mean = options.reduction == Reduction::kMean;
  switch (options.source) {
    case Format::kRGBA8Unorm:
      return mean ? mean_row<Unorm8, 4> : nullptr;
    case Format::kRGBA8Srgb:
      return mean ? mean_row<Srgb8, 4> : nullptr;
    case Format::kRGBA32Sfloat:
      return mean ? mean_row<Float, 4> : nullptr;
    case Format::kR32Sfloat:
      if (mean) return mean_row<Float, 1>;
      if (options.reduction == Reduction::kMin) return min_row;
      if (options.reduction == Reduction::kMinMax) return from_source ? min_max_row<1> : min_max_row<2>;
      return nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

bool build_plain(const PyramidOptions& options, cpu::Workers& workers, const ImageView& source,
                 std::span<const MutableImageView> levels) {
  const bool known_footprint = options.footprint == Footprint::kAligned || options.footprint == Footprint::kCovering;
  const MipFilterOptions& filter = options.filter;
  const bool known_filter = filter.kind == MipFilter::kBox || filter.kind == MipFilter::kLanczos ||
                            (filter.kind == MipFilter::kKaiser && filter.kaiser_width <= 8);
  if (!known_footprint || !known_filter || options.slices != 1 || row_function(options, true) == nullptr) return false;
  ImageView finer = source;
  for (const MutableImageView& coarser : levels) {
    const RowFunction make_row = row_function(options, finer.data == source.data);
    const Extent size = coarser.size;
    const Step step = {finer, coarser, taps_of_axis(finer.size.width, size.width, options),
                       taps_of_axis(finer.size.height, size.height, options)};
    constexpr uint32_t kRowsPerTask = 16;
    workers.run(div_up(size.height, kRowsPerTask), [&](size_t task, uint32_t) {
      const auto begin = static_cast<uint32_t>(task) * kRowsPerTask;
      for (uint32_t y = begin; y < std::min(size.height, begin + kRowsPerTask); ++y) make_row(step, y);
    });
    finer = coarser;
  }
  return true;
}

}  // namespace onepass::bench
