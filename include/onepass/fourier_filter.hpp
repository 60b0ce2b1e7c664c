// fourier_filter.hpp: filters images by transfer functions: each frequency of the image is multiplied by a gain.
//
// The gain is a formula, evaluated while a column of frequencies is in cache, and never stored. Frequencies are in
// cycles per texel, f = sqrt(fx^2 + fy^2); 0.5 is the finest stripes. So circles of frequencies stay circles for any
// aspect ratio, and a cutoff has the same meaning at every size.
//
//     low-pass, cutoff c      ideal: f <= c     Butterworth: 1 / (1 + (f/c)^(2 order))     Gaussian: exp(-(f/c)^2 / 2)
//     high-pass               1 - low-pass
//     band-pass, a and b      the low-pass with |f^2 - ab| / (f (b - a)) in place of f/c: 1 at sqrt(ab); at a and b the
//                             value of the low-pass at c
//     band-stop               1 - band-pass
//     notch at u, radius r    the product of a high-pass around u and one around -u, of the same shape and order
// The gain at a cutoff is 1 (ideal), 1/2 (Butterworth) or 0.607 (Gaussian). A Gaussian blur with a standard deviation
// of s texels is the Gaussian low-pass with c = 1 / (2 pi s). This is the spectrum of the continuous Gaussian, not of
// its samples; docs/fourier_operations.md compares the two.
//
//     onepass::FilterOptions options{.size = photo.size, .source = photo.format, .cutoff = 0.1F};
//     auto filter = onepass::cpu::Filter::create(options);
//     if (!filter) return filter.error();
//     auto done = filter->apply(photo, smooth);
//
// shaders/onepass/fourier_filter.glsl is the same formula for shaders, from the same source text.
// Sources: R. Gonzalez and R. Woods, "Digital Image Processing", 2018, 4.7-4.10; A. Oppenheim, R. Schafer and T.
// Stockham, "Nonlinear filtering of multiplied and convolved signals", 1968 (homomorphic).
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "onepass/export.h"
#include "onepass/fourier.hpp"
#include "onepass/fourier_convolution.hpp"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// The frequencies that pass.
enum class FilterBand : uint32_t {
  kAll,       ///< All frequencies: for filters of notches alone.
  kLowPass,   ///< Below cutoff.
  kHighPass,  ///< Above cutoff.
  kBandPass,  ///< Between cutoff and upper_cutoff.
  kBandStop,  ///< Outside cutoff to upper_cutoff.
};

/// The transition of the gain at a cutoff; formulas at the top of this file.
enum class FilterShape : uint32_t {
  kIdeal,        ///< A step; it rings.
  kButterworth,  ///< Steeper for higher orders.
  kGaussian,     ///< No ringing. `order` is not used.
};

/// The gain of frequency 0, which is the mean of the image.
enum class DcGain : uint32_t {
  kFilter,  ///< The value of the formula.
  kKeep,    ///< 1: the mean of the image is kept.
  kRemove,  ///< 0: the mean of the result is 0.
};

/// The values that are filtered.
enum class FilterDomain : uint32_t {
  kLinear,     ///< The texel values.
  kLogarithm,  ///< Homomorphic: ln(max(value, 0) + log_offset), with exp afterwards. Light times reflectance becomes a
               ///< sum, so a high-pass with stop_gain > 0 evens out the lighting. Alpha is not filtered.
};

/// A frequency to suppress, together with its mirror image at (-fx, -fy).
struct Notch {
  float fx = 0;  ///< Cycles per texel, -0.5 to 0.5.
  float fy = 0;
  float radius = 0;  ///< Cutoff around the frequency in cycles per texel, 1e-9 to 1.
};

/// Maximum number of notches of a filter.
inline constexpr uint32_t kMaxNotches = 32;

/// Options of a filter, the same for both engines.
struct FilterOptions {
  Extent size;  ///< 1 to 65535 per axis; the same limit holds for the domain.
  uint32_t slices = 1;
  uint32_t channels = 0;               ///< As TransformOptions::channels.
  Format source = Format::kUndefined;  ///< Any format; sRGB is filtered as linear light.
  Format target = Format::kUndefined;  ///< Any format except depth. kUndefined: that of the source.
  FilterBand band = FilterBand::kLowPass;
  FilterShape shape = FilterShape::kButterworth;
  float cutoff = 0.1F;  ///< Cycles per texel, 1e-9 to 1. Gaussian low-pass and high-pass: up to 1e9, for blurs of less
                        ///< than 0.16 texels. Not used by kAll.
  float upper_cutoff = 0.2F;  ///< kBandPass and kBandStop: above cutoff, at most 1.
  uint32_t order = 2;         ///< Butterworth: 1 to 64.
  float stop_gain = 0.0F;     ///< The gain is stop_gain + (pass_gain - stop_gain) * formula, before notches. Finite.
  float pass_gain = 1.0F;
  std::array<Notch, kMaxNotches> notches{};
  uint32_t notch_count = 0;
  DcGain dc = DcGain::kFilter;
  FilterDomain domain = FilterDomain::kLinear;
  float log_offset = 1.0F / 256;  ///< kLogarithm: above 0; darker values count as noise.
  AlphaPolicy alpha = AlphaPolicy::kFilter;
  /// Image content beyond the edges. kMirror is exact: it filters the endless mirrored image, which has no step at the
  /// edges. kWrap transforms the image without padding. kZero is not allowed with kLogarithm.
  Boundary boundary = Boundary::kMirror;
  /// Texels of boundary on each side before the image repeats. 0: for kMirror a whole image, which is exact; for kZero
  /// and kClamp two periods of the lowest cutoff, at most the image's size. kWrap allows only 0.
  uint32_t margin = 0;
};

struct FourierFilterParams;  // shaders/onepass/fourier_filter_params.h

/// The domain and the minimum memory traffic of a filter.
struct FilterPlan {
  FilterOptions options;             ///< The options, with defaults resolved.
  Extent domain;                     ///< Size of the transform in texels.
  TransformOptions image_transform;  ///< The transform of the image (kLogarithm: of its logarithms).
  Traffic traffic;  ///< Traffic of apply(): passes over rows, columns, rows; kLogarithm: two more passes over floats.
};

/// Validates the options and computes the plan.
/// Errors: kInvalidArgument, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<FilterPlan> plan_filter(const FilterOptions& options);

/// The gain of a frequency in cycles per texel, as filters apply it: within 1e-6 of the formula up to order 8, 8e-6 at
/// order 64. `options` must be valid.
[[nodiscard]] ONEPASS_API float filter_gain(const FilterOptions& options, float fx, float fy);

/// The parameters that `fourier_filter.glsl` reads: FourierFilterParams, std430. `options` must be valid.
ONEPASS_API void make_filter_params(const FilterOptions& options, FourierFilterParams& params);

/// The cutoff of a Gaussian low-pass with a standard deviation of `sigma` texels: 1 / (2 pi sigma). Filters accept the
/// cutoffs of 1.6e-10 to 1.5e8 texels.
[[nodiscard]] ONEPASS_API float gaussian_cutoff(float sigma);

namespace cpu {

/// Filters images in host memory. Results are bit-identical for any number of threads.
/// NaN and Inf: one such texel makes its channel of its slice NaN, and the channel with which it shares a complex
/// signal.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API Filter {
 public:
  /// Validates the options and allocates the working memory of apply().
  /// Errors: those of plan_filter(), kOutOfMemory.
  static Result<Filter> create(const FilterOptions& options, const TransformTuning& tuning = {});

  /// Filters an image. Both views have options.size; they do not overlap. Cost: plan().traffic.
  /// Errors: kInvalidArgument if a view does not match the options; kOutOfMemory.
  Result<void> apply(const ImageView& source, const MutableImageView& target);

  [[nodiscard]] const FilterPlan& plan() const;  ///< The plan of the options given to create().

  Filter(Filter&&) noexcept;
  Filter& operator=(Filter&&) noexcept;
  ~Filter();

  struct Impl;  // private to the library

 private:
  ONEPASS_INTERNAL explicit Filter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cpu
}  // namespace onepass
