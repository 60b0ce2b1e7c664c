// luminance.hpp: luminance statistics of an image, measured in one pass, for exposure, tone mapping and quality
// control: mean colour, arithmetic and log-average luminance, minimum, maximum, counts of non-finite pixels, a
// histogram over log2 of luminance, percentiles, EV100, and an exposure that adapts over time.
//
//     onepass::MeterOptions options{.size = {3840, 2160}, .source = Format::kRGBA16Sfloat};
//     auto meter = onepass::cpu::Meter::create(options);
//     if (!meter) return meter.error();
//     std::array<onepass::MeterResult, 1> result{};  // one per slice; zeroed: nothing seen so far
//     auto done = meter->measure(image, result);
//     float shown = result[0].exposure * linear_colour;
//
// Definitions. Each pixel of the metered rectangle has a weight w of 0 (ignored) or more:
//     a pixel with NaN or an infinity in red, green or blue is counted and left out; the others are finite;
//     Y = weights . rgb is the luminance; a negative Y is counted and replaced by 0. Images with one or two channels
//     are grey: Y is the red channel.
//
// Results:
//
//     mean colour       sum(w rgb) / sum(w); negative channels are included
//     mean luminance    sum(w Y) / sum(w)
//     log-average       2^(sum(w log2(max(delta + Y, 2^-126))) / sum(w))
//     histogram         sums of weights over log2(Y), for Y > 0; pixels with Y = 0 are summed separately, below bin 0
//     percentile p      the luminance below or at which a share p of the weight lies, interpolated in its bin in log2
//     percentile mean   2^(mean of log2 of luminance between two shares of the weight). Pixels count with the middle of
//                       their bin, within the image's min and max; all up to delta, and all in or below the first bin,
//                       count alike. Exact for constants; otherwise within half a bin of luminances inside the
//                       histogram's range. Those outside a given range count in its first or last bin
//     EV100             log2(L 100 / K) of the adapted luminance L
//     exposure          key / L, or 1 / (78 / (100 q) 2^EV100), times 2^compensation
//
// Relative error of sums, means, averages, minimum and maximum: 1e-6 (mean colours: of the mean of magnitudes).
//
// onepass/vulkan/luminance.hpp is the GPU version, in one dispatch, with the same options and results.
// Sources: E. Reinhard et al., "Photographic Tone Reproduction for Digital Images", 2002 (log-average, key); ISO
// 12232:2006 (saturation-based speed); S. Lagarde, C. de Rousiers, "Moving Frostbite to Physically Based Rendering",
// 2014, 5.1.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "onepass/export.h"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// The weights of linear red, green and blue in luminance.
enum class LuminanceWeights : uint32_t {
  kRec709,   ///< 0.2126, 0.7152, 0.0722: Rec. ITU-R BT.709, sRGB.
  kRec2020,  ///< 0.2627, 0.6780, 0.0593: Rec. ITU-R BT.2020.
  kAcesCg,   ///< 0.2722287, 0.6740818, 0.0536895: the AP1 primaries of ACEScg.
};

/// The weights of pixels. They are multiples of 1/255, so that their sums are exact.
enum class Metering : uint32_t {
  kAverage,         ///< All pixels have the same weight.
  kCentreWeighted,  ///< (1 - d^2)^2, where d is the distance from the centre in units of an ellipse; `radius` gives its
                    ///< size.
  kSpot,            ///< 1 inside a circle, 0 outside.
  kMask,  ///< The first channel of a mask image, clamped to 0..1 (NaN: 0). The mask has the size of the whole image,
          ///< not of the rectangle.
};

/// The luminance from which exposure is computed.
enum class MeterStatistic : uint32_t {
  kLogAverage,   ///< One pixel in a thousand has little effect on it.
  kMean,         ///< The arithmetic mean: what a grey card would reflect. It follows highlights.
  kPercentiles,  ///< The log-average of the histogram between two percentiles: neither highlights nor shadows count.
                 ///< Within half a bin, 1/64 stop with the automatic range. Luminances outside a given range are
                 ///< clamped to it.
};

/// How exposure is computed from a luminance.
enum class ExposureRule : uint32_t {
  kKey,         ///< The metered luminance is mapped to `key`.
  kSaturation,  ///< The saturation level of a sensor at EV100 is mapped to 1: the metered luminance becomes about 0.1.
};

/// Adaptation over time: the adapted luminance moves towards the metered luminance, in stops. It begins with the first
/// image that has light, at once. A black or empty image before that, such as the first frame of a fade-in, has
/// exposure 1 and is no history.
struct Adaptation {
  float up_stops_per_second = 3.0F;    ///< Speed while the scene is brighter: at least 1e-6; infinity: immediate.
  float down_stops_per_second = 1.0F;  ///< Speed while the scene is darker: eyes are slower then.
  float ease_stops = 1.5F;  ///< Within this distance the speed decreases with the distance, 0 to 256. 0: full speed to
                            ///< the end.
};

/// Options of a meter, the same for both engines.
struct MeterOptions {
  Extent size;                         ///< Size of the source, 1 to 65535 per axis (Vulkan: up to the device's limit).
  uint32_t slices = 1;                 ///< Array layers or cube faces; each is metered separately.
  Format source = Format::kUndefined;  ///< Any format; sRGB is decoded to linear light.
  Rect rect{};                         ///< The pixels to meter, the same in all slices. All 0: the whole image.
  LuminanceWeights weights = LuminanceWeights::kRec709;
  float delta = 1e-4F;  ///< Added to luminance before the logarithm, 0 to 1; it limits the influence of black pixels.
                        ///< With 0, black counts as 2^-126. kPercentiles: the least luminance that pixels count with.
                        ///< An image without a brighter pixel does not begin a history of adaptation.
  Metering metering = Metering::kAverage;
  float centre_x = 0.5F;  ///< Centre for kCentreWeighted and kSpot, as a share of the rectangle, 0 to 1.
  float centre_y = 0.5F;
  float radius = 0.0F;  ///< kCentreWeighted: share of the rectangle's half width and half height; 0: 1.4142, the
                        ///< ellipse through the corners. kSpot: share of half the shorter side; 0: 0.1. At most 1000.
  Format mask = Format::kUndefined;  ///< kMask: format of the mask, an image of `size` with one slice, used for all
                                     ///< slices of the source.
  float histogram_low =
      0.0F;  ///< log2 of the luminance at which the 256 bins begin, -126 to 128. Darker pixels count in the first bin.
  float histogram_high = 0.0F;  ///< log2 of the luminance at which they end. Brighter pixels count in the last bin.
                                ///< Equal to histogram_low: automatic bins of n/32 stops, with the smallest n that
                                ///< covers all luminances between 2^-32 and 2^32, exactly.
  std::array<float, 8> percentiles = {0.01F, 0.05F, 0.25F, 0.5F, 0.75F, 0.9F, 0.95F, 0.99F};  ///< Shares of the weight,
                                                                                              ///< each 0 to 1.
  MeterStatistic statistic = MeterStatistic::kLogAverage;
  float clip_low = 0.1F;  ///< kPercentiles: luminance counts between these shares of the weight, 0 <= low < high <= 1.
  float clip_high = 0.9F;
  float lowest_ev100 = -32.0F;  ///< The metered luminance is clamped to this range: a black frame must not give an
                                ///< unlimited exposure.
  float highest_ev100 = 32.0F;
  ExposureRule rule = ExposureRule::kKey;
  float key = 0.18F;          ///< Mapped luminance of kKey, 1e-6 to 1e6. The default is middle grey.
  float calibration = 12.5F;  ///< K of reflected-light meters: 12.5 (Canon, Nikon, Sekonic), 14 (Pentax, Minolta). 1e-6
                              ///< to 1e6.
  float lens_attenuation = 0.65F;  ///< q: transmittance, vignetting and angle; 0.65 gives 78 / (100 q) = 1.2. 1e-6 to
                                   ///< 1e6.
  float compensation = 0.0F;       ///< Stops added to exposure, -64 to 64; EV100 does not include them.
  Adaptation adaptation{};
};

/// The time of an image. Results without a history (MeterResult::has_history), such as those of value {}, adapt at once
/// whatever the frame is: a still and a first image need no fields. With a history, {} keeps the adapted luminance: no
/// time has passed.
struct MeterFrame {
  float seconds = 0.0F;  ///< Seconds since the previous image, 0 to 1e9. Two steps of half the time are equal to one
                         ///< step.
  bool cut = false;      ///< Ignores the previous images: for a new scene or camera.
};

/// The measurements of one slice, and the state of adaptation: pass the same object with the next image. Its memory
/// layout is that of struct LuminanceResult in shaders/onepass/luminance_params.h.
struct MeterResult {
  uint32_t valid = 0;  ///< 1; 0 if there was no finite pixel with a weight above 0. Then statistics are 0, and
                       ///< exposure, ev100 and adapted_luminance keep their values (1, 0 and 0 after the first image).
  float exposure = 0;  ///< Multiply linear colours by it.
  float ev100 = 0;     ///< EV100 of adapted_luminance.
  float log_average = 0;  ///< Log-average luminance.
  float adapted_luminance = 0;
  float mean_luminance = 0;
  float min_luminance = 0;
  float max_luminance = 0;
  std::array<float, 3> mean_colour{};
  float metered_luminance = 0;  ///< MeterOptions::statistic, clamped: the target of adaptation.
  uint32_t finite_count = 0;    ///< Finite pixels with a weight above 0.
  uint32_t nan_count = 0;
  uint32_t infinite_count = 0;
  uint32_t negative_count = 0;
  uint32_t zero_count = 0;   ///< Pixels of luminance 0; negative ones are not included.
  uint32_t has_history = 0;  ///< 1: the next image adapts from adapted_log2. 0 until an image has a pixel brighter than
                             ///< delta: until then exposure is 1, ev100 and adapted_luminance are 0.
  float adapted_log2 = 0;    ///< log2 of adapted_luminance.
  float histogram_low = 0;
  float histogram_high = 0;
  uint32_t reserved0 = 0;
  uint64_t total_weight = 0;  ///< kAverage and kSpot: equal to finite_count. Otherwise in units of 1/255.
  uint64_t zero_weight = 0;   ///< Weight of the pixels of luminance 0 or below.
  std::array<float, 8> percentiles{};
  std::array<uint32_t, 2> reserved1{};
  std::array<uint64_t, 256> histogram{};  ///< histogram and zero_weight add up to total_weight.
};

/// The metered rectangle and the minimum memory traffic. Computed from the options alone.
struct MeterPlan {
  Rect rect;                   ///< The pixels that are metered.
  uint64_t bytes_read = 0;     ///< The rectangle of all slices, read once; the mask, once per slice.
  uint64_t bytes_written = 0;  ///< One MeterResult per slice.
};

/// Validates the options and computes the plan.
/// Errors: kInvalidArgument, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<MeterPlan> plan_meter(const MeterOptions& options);

namespace cpu {

/// Tuning of the CPU engine; it never changes a result.
struct MeterTuning {
  uint32_t threads = 0;  ///< At most this many threads; 0 = usable_threads().
};

/// Meters images in host memory in one pass, on several threads.
///
/// Results are bit-identical for any number of threads and any SIMD target.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API Meter {
 public:
  /// Validates the options and allocates the working memory of measure().
  /// Errors: those of plan_meter(), kOutOfMemory.
  static Result<Meter> create(const MeterOptions& options, const MeterTuning& tuning = {});

  /// Meters every slice. `results` has options.slices elements; their adaptation state from the previous images is used
  /// unless frame.cut is set. `mask` is only for kMask. Cost: reads the rectangle once.
  /// Errors: kInvalidArgument if a view, the number of results or frame.seconds is not valid; kOutOfMemory.
  [[nodiscard]] Result<void> measure(const ImageView& source, std::span<MeterResult> results,
                                     const MeterFrame& frame = {}, const ImageView& mask = {}) const;

  [[nodiscard]] const MeterPlan& plan() const;  ///< The plan of the options given to create().

  Meter(Meter&&) noexcept;
  Meter& operator=(Meter&&) noexcept;
  ~Meter();

 private:
  friend class FrameToneMap;
  /// Called after rows `first` to `first + count` of a slice were metered, on the same thread.
  using Visit = std::function<void(uint32_t slice, uint32_t first, uint32_t count)>;
  [[nodiscard]] ONEPASS_INTERNAL Result<void> measure_rows(const ImageView& source, std::span<MeterResult> results,
                                                           const MeterFrame& frame, const ImageView& mask,
                                                           const Visit& visit) const;

  struct Impl;
  ONEPASS_INTERNAL explicit Meter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cpu
}  // namespace onepass
