// cpu.cpp: cpu::Meter, the CPU engine of the meter. Tasks sum bands of rows; the sums are joined in the order of bands.
//
// Bands depend only on the size of the rectangle, so the sums have the same bits for any number of threads. Histograms
// are integers, whose order does not matter: each thread has one for all of its bands.
#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "cpu/aligned_vector.hpp"
#include "cpu/rgb_texels.hpp"
#include "cpu/views.hpp"
#include "cpu/workers.hpp"
#include "image/div_up.hpp"
#include "image/error.hpp"
#include "luminance/finish.hpp"
#include "luminance/row_meter.hpp"
#include "luminance/weights.hpp"

namespace onepass::cpu {
namespace {

using luminance::LaneSums;
using luminance::MeterRowSpec;
using luminance::MeterStorage;
using luminance::MeterTotals;

constexpr uint32_t kBandPixels = 32768;  ///< Approximately: a band has whole rows.
constexpr double kUnscale = 1 / static_cast<double>(luminance::kSumScale);
constexpr uint64_t kMostPending = UINT32_MAX / 255;  ///< Pixels of weight 255 that a 32-bit bin holds.

/// Whether a row has to be decoded to four floats before it is metered.
bool needs_decoding(const FormatInfo& info) { return info.packed || info.blue_first || info.channels == 2; }

MeterStorage storage_of(const FormatInfo& info) {
  if (needs_decoding(info)) return MeterStorage::kF32;
  switch (info.bytes_per_texel / info.channels) {
    case 1:
      return info.type == ChannelType::kSrgb ? MeterStorage::kSrgb8 : MeterStorage::kU8;
    case 2:
      return info.type == ChannelType::kFloat ? MeterStorage::kF16 : MeterStorage::kU16;
    default:
      return MeterStorage::kF32;
  }
}

size_t padded_width(size_t width) { return round_up(width, luminance::kLanes); }

/// The index at which a row function reads the weight of pixel `x`.
size_t place_of(bool colour, size_t x) {
  return x / luminance::kLanes * luminance::kLanes + luminance::lane_of_pixel(colour, x % luminance::kLanes);
}

MeterRowSpec make_spec(const MeterOptions& options, Rect rect) {
  const FormatInfo& info = format_info(options.source);
  return {.storage = storage_of(info),
          .colour = info.channels > 1,
          .weighted = options.metering != Metering::kAverage,
          .params = luminance::make_params(options, rect),
          .bins = luminance::counted_bins(options)};
}

/// Sums pairwise, in an order that is the same for all SIMD targets.
double sum_of(const std::array<double, luminance::kLanes>& lanes) {
  std::array<double, luminance::kLanes> sums = lanes;
  for (size_t count = sums.size() / 2; count > 0; count /= 2) {
    for (size_t i = 0; i < count; ++i) sums[i] += sums[i + count];
  }
  return sums[0];
}

MeterTotals totals_of(const LaneSums& lanes) {
  MeterTotals totals;
  totals.red = sum_of(lanes.red) * kUnscale;
  totals.green = sum_of(lanes.green) * kUnscale;
  totals.blue = sum_of(lanes.blue) * kUnscale;
  totals.luminance = sum_of(lanes.luminance) * kUnscale;
  totals.log2_fraction = sum_of(lanes.log2_fraction);
  totals.log2_whole = lanes.log2_whole;
  totals.weight = lanes.weight;
  totals.zero_weight = lanes.zero_weight;
  totals.nan = lanes.nan;
  totals.infinite = lanes.infinite;
  totals.negative = lanes.negative;
  totals.zero = lanes.zero;
  totals.min = *std::min_element(lanes.min.begin(), lanes.min.end());
  totals.max = *std::max_element(lanes.max.begin(), lanes.max.end());
  totals.finite = lanes.finite;
  return totals;
}

void join(const MeterTotals& band, MeterTotals& totals) {
  totals.red += band.red;
  totals.green += band.green;
  totals.blue += band.blue;
  totals.luminance += band.luminance;
  totals.log2_fraction += band.log2_fraction;
  totals.log2_whole += band.log2_whole;
  totals.weight += band.weight;
  totals.zero_weight += band.zero_weight;
  totals.nan += band.nan;
  totals.infinite += band.infinite;
  totals.negative += band.negative;
  totals.zero += band.zero;
  totals.min = std::min(totals.min, band.min);
  totals.max = std::max(totals.max, band.max);
  totals.finite += band.finite;
}

}  // namespace

struct ONEPASS_INTERNAL Meter::Impl {
  /// The buffers of one thread.
  struct Scratch {
    AlignedVector<uint32_t> histogram;  ///< Counts of the row functions.
    std::vector<uint64_t> counted;      ///< Counts moved out of `histogram`.
    uint64_t pending = 0;               ///< Pixels counted in `histogram`, at most.
    AlignedVector<float> decoded;       ///< One row, if rows must be decoded.
    AlignedVector<uint8_t> weights;     ///< The weights of one row.
    AlignedVector<std::byte> colours;   ///< One row with alpha, if the source is RGB.
  };

  MeterOptions options;
  MeterPlan plan;
  Workers workers;
  MeterRowSpec spec;
  luminance::MeterRow meter_row;
  uint32_t band_rows;
  uint32_t bands;                   ///< Per slice.
  std::vector<MeterTotals> sums;    ///< Of each band.
  std::vector<Scratch> scratch;     ///< One per slot of `workers`.
  std::vector<uint64_t> histogram;  ///< Of a slice.
  std::vector<float> distances;     ///< Squared, of columns from the centre, in the order of weights; then infinity.

  Impl(const MeterOptions& wanted, const MeterPlan& planned, const MeterTuning& tuning);
  void meter_slice(const ImageView& source, const ImageView& mask, uint32_t slice, const Visit& visit,
                   MeterTotals& totals);
  void meter_band(const ImageView& source, const ImageView& mask, uint32_t slice, uint32_t band, Scratch& work);
  const uint8_t* make_weights(const ImageView& mask, uint32_t y, Scratch& work) const;
  const void* decode(const ImageView& source, uint32_t y, uint32_t slice, Scratch& work) const;
  void prepare(Scratch& work) const;
  static void move_counts(Scratch& work);
  void sum_counts();
};

Meter::Impl::Impl(const MeterOptions& wanted, const MeterPlan& planned, const MeterTuning& tuning)
    : options(wanted),
      plan(planned),
      workers(tuning.threads),
      spec(make_spec(options, plan.rect)),
      meter_row(luminance::find_meter_row(spec)),
      band_rows(std::max(1U, kBandPixels / plan.rect.width)),
      bands(div_up(plan.rect.height, band_rows)),
      sums(bands),
      scratch(workers.slots()),
      histogram(spec.bins) {
  if (spec.weighted && options.metering != Metering::kMask) {
    distances.resize(padded_width(plan.rect.width), std::numeric_limits<float>::infinity());
    for (uint32_t x = 0; x < plan.rect.width; ++x) {
      distances[place_of(spec.colour, x)] =
          luminance::axis_distance(x, spec.params.centre_x, spec.params.inverse_radius_x);
    }
  }
  prepare(scratch[0]);  // so that create() reports missing memory
}

/// Allocates the buffers of a slot, on the thread that uses it first.
void Meter::Impl::prepare(Scratch& work) const {
  if (!work.histogram.empty()) return;
  const size_t width = padded_width(plan.rect.width);
  work.counted.resize(spec.bins);
  if (spec.weighted) work.weights.resize(width);
  const bool decodes =
      needs_decoding(format_info(options.source)) || options.metering == Metering::kMask || meter_row == nullptr;
  if (decodes) work.decoded.resize(width * 4);
  work.histogram.resize(luminance::kHistogramWords);
}

/// The weights of row `y` of the rectangle, in the order of SIMD lanes; null if all weights are equal.
const uint8_t* Meter::Impl::make_weights(const ImageView& mask, uint32_t y, Scratch& work) const {
  if (!spec.weighted) return nullptr;
  const uint32_t width = plan.rect.width;
  if (options.metering == Metering::kMask) {
    const size_t texel_bytes = format_info(options.mask).bytes_per_texel;
    decode_row(options.mask, mask.row(plan.rect.y + y) + plan.rect.x * texel_bytes, width, work.decoded.data());
    std::fill(work.weights.begin(), work.weights.end(), uint8_t{0});
    for (size_t x = 0; x < width; ++x) {
      work.weights[place_of(spec.colour, x)] = luminance::mask_weight(work.decoded[4 * x]);
    }
    return work.weights.data();
  }
  const float row = luminance::axis_distance(y, spec.params.centre_y, spec.params.inverse_radius_y);
  // Groups of constant size, which compilers vectorise.
  const auto fill = [&](auto weight_of) {
    for (size_t begin = 0; begin < distances.size(); begin += luminance::kLanes) {
      const float* from = distances.data() + begin;
      std::array<uint8_t, luminance::kLanes> group;
      for (size_t i = 0; i < luminance::kLanes; ++i) group[i] = weight_of(from[i] + row);
      std::copy(group.begin(), group.end(), work.weights.data() + begin);
    }
  };
  if (options.metering == Metering::kSpot) {
    fill([](float distance) { return luminance::spot_weight(distance); });
  } else {
    fill([](float distance) { return luminance::centre_weight(distance); });
  }
  return work.weights.data();
}

/// Texels of row `y` of the rectangle as the row function reads them: as stored, with alpha, or decoded to floats.
const void* Meter::Impl::decode(const ImageView& source, uint32_t y, uint32_t slice, Scratch& work) const {
  const FormatInfo& info = format_info(options.source);
  const std::byte* texels = source.row(plan.rect.y + y, slice) + plan.rect.x * texel_bytes(source);
  if (is_rgb(source.format)) work.colours.resize(size_t{plan.rect.width} * info.bytes_per_texel);
  texels = texels_with_alpha(source.format, texels, plan.rect.width, work.colours.data());
  if (meter_row != nullptr && !needs_decoding(info)) return texels;
  float* rgba = work.decoded.data();
  decode_row(options.source, texels, plan.rect.width, rgba);
  if (info.channels == 2) {
    for (size_t x = 0; x < plan.rect.width; ++x) rgba[4 * x + 1] = rgba[4 * x + 2] = rgba[4 * x];
  } else if (info.channels == 1) {
    for (size_t x = 0; x < plan.rect.width; ++x) rgba[x] = rgba[4 * x];
  }
  return rgba;
}

/// Moves 32-bit counts to 64-bit ones, before they can overflow.
void Meter::Impl::move_counts(Scratch& work) {
  for (size_t i = 0; i < work.counted.size(); ++i) {
    uint32_t sum = 0;  // of at most kMostPending pixels: fits
    for (size_t copy = 0; copy < luminance::kCopies; ++copy) sum += work.histogram[copy * luminance::kCopyWords + i];
    work.counted[i] += sum;
  }
  std::fill(work.histogram.begin(), work.histogram.end(), 0U);
  work.pending = 0;
}

/// Adds the counts of all threads to `histogram` and clears them. A task has some bins of every thread.
void Meter::Impl::sum_counts() {
  constexpr size_t kTaskBins = 128;
  const size_t task_bins = bands == 1 || workers.slots() == 1 ? spec.bins : kTaskBins;
  workers.run(div_up(spec.bins, task_bins), [&](size_t task, uint32_t /*slot*/) {
    const size_t begin = task * task_bins;
    const size_t count = std::min(task_bins, spec.bins - begin);
    uint64_t* sums_of_bins = histogram.data() + begin;
    std::fill_n(sums_of_bins, count, uint64_t{0});
    const auto move = [&](auto* counts) {
      for (size_t i = 0; i < count; ++i) sums_of_bins[i] += counts[i];
      std::fill_n(counts, count, 0);
    };
    for (Scratch& work : scratch) {
      if (work.histogram.empty()) continue;
      move(work.counted.data() + begin);
      for (size_t copy = 0; copy < luminance::kCopies; ++copy) {
        move(work.histogram.data() + copy * luminance::kCopyWords + begin);
      }
    }
  });
  for (Scratch& work : scratch) work.pending = 0;
}

void Meter::Impl::meter_band(const ImageView& source, const ImageView& mask, uint32_t slice, uint32_t band,
                             Scratch& work) {
  prepare(work);
  const Rect& rect = plan.rect;
  const uint32_t begin = band * band_rows;
  const uint32_t end = std::min(begin + band_rows, rect.height);
  const uint64_t pixels = uint64_t{end - begin} * rect.width;
  if (work.pending + pixels > kMostPending) move_counts(work);
  work.pending += pixels;
  LaneSums out;
  for (uint32_t y = begin; y < end; ++y) {
    const uint8_t* weights = make_weights(mask, y, work);
    const void* texels = decode(source, y, slice, work);
    const auto row = meter_row != nullptr ? meter_row : luminance::meter_row_plain;
    row(spec, texels, rect.width, weights, out, work.histogram.data());
  }
  sums[band] = totals_of(out);
}

void Meter::Impl::meter_slice(const ImageView& source, const ImageView& mask, uint32_t slice, const Visit& visit,
                              MeterTotals& totals) {
  workers.run(bands, [&](size_t band, uint32_t slot) {
    meter_band(source, mask, slice, static_cast<uint32_t>(band), scratch[slot]);
    if (!visit) return;
    const uint32_t begin = static_cast<uint32_t>(band) * band_rows;
    visit(slice, plan.rect.y + begin, std::min(band_rows, plan.rect.height - begin));
  });
  totals.min = std::numeric_limits<float>::infinity();
  for (const MeterTotals& band : sums) join(band, totals);
  sum_counts();
}

Result<Meter> Meter::create(const MeterOptions& options, const MeterTuning& tuning) {
  auto plan = plan_meter(options);
  if (!plan) return plan.error();
  try {
    return Meter(std::make_unique<Impl>(options, *plan, tuning));
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory for a meter", ""};
  }
}

Result<void> Meter::measure(const ImageView& source, std::span<MeterResult> results, const MeterFrame& frame,
                            const ImageView& mask) const {
  return measure_rows(source, results, frame, mask, {});
}

Result<void> Meter::measure_rows(const ImageView& source, std::span<MeterResult> results, const MeterFrame& frame,
                                 const ImageView& mask, const Visit& visit) const {
  const MeterOptions& options = impl_->options;
  if (auto checked = check_color_view("source", source, options.source, options.size, options.slices); !checked) {
    return checked;
  }
  if (options.metering == Metering::kMask) {
    if (auto checked = check_view("mask", mask, options.mask, options.size, 1); !checked) return checked;
  } else if (mask.data != nullptr) {
    return invalid("mask: given, but metering is not by mask");
  }
  if (results.size() != options.slices) {
    return invalid("results: " + std::to_string(results.size()) + ", expected " + std::to_string(options.slices));
  }
  const auto seconds = luminance::seconds_of(frame);
  if (!seconds) return seconds.error();
  luminance::LuminanceParams params = impl_->spec.params;
  params.seconds = *seconds;
  try {
    for (uint32_t slice = 0; slice < options.slices; ++slice) {
      MeterTotals totals;
      impl_->meter_slice(source, mask, slice, visit, totals);
      luminance::finish_meter(options, params, totals, impl_->histogram, results[slice]);
    }
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory to meter", ""};
  }
  return {};
}

const MeterPlan& Meter::plan() const { return impl_->plan; }

Meter::Meter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Meter::Meter(Meter&&) noexcept = default;
Meter& Meter::operator=(Meter&&) noexcept = default;
Meter::~Meter() = default;

}  // namespace onepass::cpu
