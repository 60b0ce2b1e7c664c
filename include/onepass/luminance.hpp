// luminance.hpp: how bright is an image? One pass over it answers for exposure, tone mapping and quality control: mean
// colour, arithmetic and log-average luminance, min, max, counts of pixels that are not numbers, a histogram over log2
// of luminance, percentiles, EV100 and an exposure that adapts over time.
//
//     onepass::MeterOptions options{.size = {3840, 2160}, .source = Format::kRGBA16Sfloat};
//     auto meter = onepass::cpu::Meter::create(options);
//     if (!meter) return meter.error();
//     std::array<onepass::MeterResult, 1> result{};  // one a slice; zeroed: nothing seen so far
//     auto done = meter->measure(image, result);
//     float shown = result[0].exposure * linear_colour;
//
// Definitions. Per pixel of the metered rectangle, with a weight w of 0 (not looked at) or more:
//     a pixel with a NaN or an infinity in red, green or blue is counted and left out; the others are finite;
//     Y = weights . rgb, luminance; below 0 it is counted and taken for 0. One- and two-channel images are grey: Y is
//     the red channel.
//
// What is made of them:
//
//     mean colour       sum(w rgb) / sum(w); negative channels count as they are
//     mean luminance    sum(w Y) / sum(w)
//     log-average       2^(sum(w log2(max(delta + Y, 2^-126))) / sum(w))
//     histogram         of log2(Y), weights added up, for Y > 0; pixels of Y = 0 have a place of their own, below bin 0
//     percentile p      the luminance that p of all the weight is at or below, interpolated in its bin in log2
//     EV100             log2(L 100 / K) of the luminance L adapted to
//     exposure          key / L, or 1 / (78 / (100 q) 2^EV100), times 2^compensation
//
// Relative error of sums, means, averages, min and max: 1e-6 (means of colours: of the mean of magnitudes).
//
// onepass/vulkan/luminance.hpp is the same on a GPU, in one dispatch, with the same options and results.
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

/// What luminance is of linear red, green and blue.
enum class LuminanceWeights : uint32_t {
  kRec709,   ///< 0.2126, 0.7152, 0.0722: Rec. ITU-R BT.709, sRGB.
  kRec2020,  ///< 0.2627, 0.6780, 0.0593: Rec. ITU-R BT.2020.
  kAcesCg,   ///< 0.2722287, 0.6740818, 0.0536895: the primaries AP1 of ACEScg.
};

/// Which pixels count, and how much. Weights are whole 255ths, so that sums of them are exact.
enum class Metering : uint32_t {
  kAverage,         ///< All the same.
  kCentreWeighted,  ///< (1 - d^2)^2, d being the distance from the centre, an ellipse as wide and high as `radius`
                    ///< says.
  kSpot,            ///< 1 in a circle, 0 outside.
  kMask,            ///< The first channel of an image, clamped to 0..1 (NaN: 0). Metered as a part of the whole image.
};

/// The luminance that exposure is made for.
enum class MeterStatistic : uint32_t {
  kLogAverage,   ///< One pixel of a thousand cannot move it much.
  kMean,         ///< The arithmetic mean: what a grey card would reflect. Follows highlights.
  kPercentiles,  ///< The log-average of the histogram between two percentiles: neither highlights nor shadows count.
};

/// How exposure follows from a luminance.
enum class ExposureRule : uint32_t {
  kKey,         ///< The metered luminance becomes `key`.
  kSaturation,  ///< The brightest that a sensor at EV100 holds becomes 1: the metered luminance becomes about 0.1.
};

/// How exposure follows the scene: the luminance adapted to moves towards the metered one, in stops.
struct Adaptation {
  float up_stops_per_second = 3.0F;    ///< While the scene is brighter; above 0, infinity: at once.
  float down_stops_per_second = 1.0F;  ///< While it is darker: eyes take longer.
  float ease_stops = 1.5F;  ///< Within so many stops the speed falls with the distance. 0: full speed to the end.
};

/// What to measure. The two engines take the same options.
struct MeterOptions {
  Extent size;                         ///< Of the source, 1 to 65535 each way (Vulkan: the device's limit).
  uint32_t slices = 1;                 ///< Array layers or cube faces; each is metered on its own.
  Format source = Format::kUndefined;  ///< Any Format; sRGB is decoded to linear light.
  Rect rect{};                         ///< The pixels to meter, the same in all slices. All 0: the whole image.
  LuminanceWeights weights = LuminanceWeights::kRec709;
  float delta = 1e-4F;  ///< Added to luminance before the logarithm, 0 to 1: how dark black counts. With 0, black
                        ///< counts as 2^-126.
  Metering metering = Metering::kAverage;
  float centre_x = 0.5F;  ///< Of kCentreWeighted and kSpot, as a share of the rectangle.
  float centre_y = 0.5F;
  float radius = 0.0F;  ///< kCentreWeighted: share of the rectangle's half width and half height; 0: 1.4142, which ends
                        ///< at its corners. kSpot: share of half the shorter side; 0: 0.1.
  Format mask = Format::kUndefined;  ///< kMask: of an image of `size` with one slice, for all slices of the source.
  float histogram_low =
      0.0F;  ///< log2 of the luminances between which the 256 bins lie; what is outside is in the first
  float histogram_high = 0.0F;  ///< or last. Equal: automatic: bins of n/32 stops, n as small as holds all that lies
                                ///< between 2^-32 and 2^32, exactly.
  std::array<float, 8> percentiles = {0.01F, 0.05F, 0.25F, 0.5F, 0.75F, 0.9F, 0.95F, 0.99F};  ///< Each 0 to 1.
  MeterStatistic statistic = MeterStatistic::kLogAverage;
  float clip_low = 0.1F;  ///< kPercentiles: shares of the weight between which luminance counts, 0 <= low < high <= 1.
  float clip_high = 0.9F;
  float lowest_ev100 = -32.0F;  ///< The metered luminance is clamped to these: a black frame must not blind.
  float highest_ev100 = 32.0F;
  ExposureRule rule = ExposureRule::kKey;
  float key = 0.18F;               ///< Above 0: middle grey.
  float calibration = 12.5F;       ///< K of reflected-light meters: 12.5 (Canon, Nikon, Sekonic), 14 (Pentax, Minolta).
  float lens_attenuation = 0.65F;  ///< q: transmittance, vignetting and angle; 0.65 makes 78 / (100 q) = 1.2.
  float compensation = 0.0F;       ///< Stops that exposure is raised by; EV100 is without.
  Adaptation adaptation{};
};

/// When an image was taken.
struct MeterFrame {
  float seconds = 0.0F;  ///< Since the image before; 0 or more. Two steps of half the time are one of the whole.
  bool cut = true;       ///< Forget the images before: a still, the first frame, a new scene or camera.
};

/// What was measured of one slice, and what adaptation remembers of it: give the same back with the next image.
/// In memory as struct LuminanceResult of shaders/onepass/luminance_params.h.
struct MeterResult {
  uint32_t valid = 0;     ///< 1; 0 if there was no finite pixel: exposure, ev100 and adapted_luminance are then as
                          ///< they were (of the first image: 1, 0 and 0), statistics 0.
  float exposure = 0;     ///< Multiply linear colours by this.
  float ev100 = 0;        ///< Of adapted_luminance.
  float log_average = 0;  ///< Luminance.
  float adapted_luminance = 0;
  float mean_luminance = 0;
  float min_luminance = 0;
  float max_luminance = 0;
  std::array<float, 3> mean_colour{};
  float metered_luminance = 0;  ///< What MeterOptions::statistic says, clamped: where adaptation moves to.
  uint32_t finite_count = 0;    ///< Pixels of a weight above 0.
  uint32_t nan_count = 0;
  uint32_t infinite_count = 0;
  uint32_t negative_count = 0;
  uint32_t zero_count = 0;  ///< Of luminance 0; negative ones are not among them.
  uint32_t has_history = 0;
  float adapted_log2 = 0;  ///< log2 of adapted_luminance.
  float histogram_low = 0;
  float histogram_high = 0;
  uint32_t reserved0 = 0;
  uint64_t total_weight = 0;  ///< kAverage and kSpot: finite_count. Else in 255ths.
  uint64_t zero_weight = 0;   ///< Of pixels of luminance 0 or below.
  std::array<float, 8> percentiles{};
  std::array<uint32_t, 2> reserved1{};
  std::array<uint64_t, 256> histogram{};  ///< With zero_weight they add up to total_weight.
};

/// What metering reads at least: pure arithmetic on the options, no engine involved.
struct MeterPlan {
  Rect rect;                   ///< The pixels that are metered.
  uint64_t bytes_read = 0;     ///< The rectangle of all slices, once; the mask once a slice.
  uint64_t bytes_written = 0;  ///< A MeterResult a slice.
};

/// Validates the options and says what metering reads.
/// Errors: kInvalidArgument or kUnsupported, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<MeterPlan> plan_meter(const MeterOptions& options);

namespace cpu {

/// Options of the CPU engine that never change a result.
struct MeterTuning {
  uint32_t threads = 0;  ///< At most this many threads; 0 = all the machine has.
};

/// Meters images in host memory: one pass, spread over threads.
///
/// The same bits come out for any number of threads and any SIMD target.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API Meter {
 public:
  /// Validates the options and allocates what measure() needs.
  /// Errors: those of plan_meter, kOutOfMemory.
  static Result<Meter> create(const MeterOptions& options, const MeterTuning& tuning = {});

  /// Meters every slice. `results` has as many elements as options.slices; what they hold of the images before is used
  /// unless frame.cut. `mask` is for kMask only. Cost: reads the rectangle once.
  /// Errors: kInvalidArgument when a view, the number of results or frame.seconds does not fit, kOutOfMemory.
  [[nodiscard]] Result<void> measure(const ImageView& source, std::span<MeterResult> results,
                                     const MeterFrame& frame = {}, const ImageView& mask = {}) const;

  [[nodiscard]] const MeterPlan& plan() const;  ///< What it costs.

  Meter(Meter&&) noexcept;
  Meter& operator=(Meter&&) noexcept;
  ~Meter();

 private:
  friend class FrameToneMap;
  /// After rows `first` to `first + count` of a slice were metered, on the same thread.
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
