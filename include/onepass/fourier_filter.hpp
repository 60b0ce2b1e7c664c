// fourier_filter.hpp: images filtered by transfer functions: each frequency of the image times a gain.
//
// The gain is a formula that is evaluated while columns of frequencies are in cache and never stored. Frequencies are
// in cycles per texel, f = sqrt(fx^2 + fy^2), 0.5 being the finest stripes: circles stay circles on images of any
// shape, and a cutoff means the same on every size.
//
//     low-pass, cutoff c      ideal: f <= c     Butterworth: 1 / (1 + (f/c)^(2 order))     Gaussian: exp(-(f/c)^2 / 2)
//     high-pass               1 - low-pass
//     band-pass, a and b      the low-pass with |f^2 - ab| / (f (b - a)) for f/c: 1 at sqrt(ab); at a and b what the
//                             low-pass is at c
//     band-stop               1 - band-pass
//     notch at u, radius r    high-pass around u and around -u, of the same shape and order, multiplied
// At a cutoff the gain is 1 (ideal), 1/2 (Butterworth), 0.607 (Gaussian). A Gaussian blur of standard deviation s
// texels is the Gaussian low-pass with c = 1 / (2 pi s): of the continuous Gaussian's spectrum, not of its samples,
// which docs/fourier_operations.md compares.
//
//     onepass::FilterOptions options{.size = photo.size, .source = photo.format, .cutoff = 0.1F};
//     auto filter = onepass::cpu::Filter::create(options);
//     if (!filter) return filter.error();
//     auto done = filter->apply(photo, smooth);
//
// shaders/onepass/fourier_filter.glsl is the same formula for shaders, from the same text.
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

/// Which frequencies pass.
enum class FilterBand : uint32_t {
  kAll,       ///< All: for lists of notches.
  kLowPass,   ///< Below cutoff.
  kHighPass,  ///< Above cutoff.
  kBandPass,  ///< Between cutoff and upper_cutoff.
  kBandStop,  ///< Outside of them.
};

/// How a gain goes from one to the other; formulas at the top of this file.
enum class FilterShape : uint32_t {
  kIdeal,        ///< At once: rings.
  kButterworth,  ///< The steeper the higher the order.
  kGaussian,     ///< Never rings. `order` is not used.
};

/// The gain of frequency 0, whose value is the image's mean.
enum class DcGain : uint32_t {
  kFilter,  ///< What the formula says.
  kKeep,    ///< 1: the mean stays, whatever the filter.
  kRemove,  ///< 0: the result has mean 0.
};

/// What is filtered.
enum class FilterDomain : uint32_t {
  kLinear,     ///< The values.
  kLogarithm,  ///< Homomorphic: ln(max(value, 0) + log_offset), and back by exp. Light times reflectance becomes a sum,
               ///< so that a high-pass with stop_gain > 0 evens lighting out. Alpha is left alone.
};

/// A frequency to stop, together with its mirror image at (-fx, -fy).
struct Notch {
  float fx = 0;  ///< Cycles per texel, -0.5 to 0.5.
  float fy = 0;
  float radius = 0;  ///< The cutoff around it, 1e-9 to 1.
};

/// The most notches of a filter.
inline constexpr uint32_t kMaxNotches = 32;

/// What to filter and how. The two engines take the same options.
struct FilterOptions {
  Extent size;  ///< 1 to 65535 an axis; so must the domain be.
  uint32_t slices = 1;
  uint32_t channels = 0;               ///< As TransformOptions::channels.
  Format source = Format::kUndefined;  ///< Any; sRGB is filtered as linear light.
  Format target = Format::kUndefined;  ///< Any but depth. kUndefined: the source's.
  FilterBand band = FilterBand::kLowPass;
  FilterShape shape = FilterShape::kButterworth;
  float cutoff = 0.1F;        ///< Cycles per texel, 1e-9 to 1; Gaussian low-pass and high-pass: to 1e9, where blurs of
                              ///< less than 0.16 texels have it. Not used by kAll.
  float upper_cutoff = 0.2F;  ///< kBandPass and kBandStop: above cutoff.
  uint32_t order = 2;         ///< Butterworth: 1 to 64.
  float stop_gain = 0.0F;     ///< The gain is stop_gain + (pass_gain - stop_gain) * formula, before notches. Finite.
  float pass_gain = 1.0F;
  std::array<Notch, kMaxNotches> notches{};
  uint32_t notch_count = 0;
  DcGain dc = DcGain::kFilter;
  FilterDomain domain = FilterDomain::kLinear;
  float log_offset = 1.0F / 256;  ///< kLogarithm: above 0; what is darker counts as noise.
  AlphaPolicy alpha = AlphaPolicy::kFilter;
  /// What lies beyond the edges. kMirror is exact (the endless mirrored image is filtered) and has no edge for a filter
  /// to answer to; kWrap is the bare transform of the image itself. kZero is not for kLogarithm.
  Boundary boundary = Boundary::kMirror;
  /// Texels of boundary on each side before the image repeats. 0: kMirror, a whole image, which is exact; kZero and
  /// kClamp, two periods of the lowest cutoff, at most the image's size. kWrap takes none.
  uint32_t margin = 0;
};

struct FourierFilterParams;  // shaders/onepass/fourier_filter_params.h

/// What a filter costs.
struct FilterPlan {
  FilterOptions options;             ///< With everything that was left open resolved.
  Extent domain;                     ///< Texels transformed.
  TransformOptions image_transform;  ///< Of the (logarithms of the) image.
  Traffic traffic;                   ///< Of apply(): rows, columns, rows; kLogarithm: and two passes over floats.
};

/// Validates the options and lays the work out.
/// Errors: kInvalidArgument, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<FilterPlan> plan_filter(const FilterOptions& options);

/// The gain of a frequency, in cycles per texel: as filters apply it, within 1e-6 of the formula up to order 8, 8e-6 at
/// order 64. Valid options only.
[[nodiscard]] ONEPASS_API float filter_gain(const FilterOptions& options, float fx, float fy);

/// What `fourier_filter.glsl` reads: std430, FourierFilterParams. Valid options only.
ONEPASS_API void make_filter_params(const FilterOptions& options, FourierFilterParams& params);

/// The cutoff of a Gaussian low-pass that blurs with a standard deviation of `sigma` texels: 1 / (2 pi sigma). Filters
/// take what follows from 1.6e-10 to 1.5e8 texels.
[[nodiscard]] ONEPASS_API float gaussian_cutoff(float sigma);

namespace cpu {

/// Filters images in host memory. The same bits come out for any number of threads.
/// NaN and Inf: one such texel makes its slice's channel (and the one it shares a complex signal with) NaN.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API Filter {
 public:
  /// Errors: those of plan_filter, kOutOfMemory.
  static Result<Filter> create(const FilterOptions& options, const TransformTuning& tuning = {});

  /// Filters an image. Both views have options.size; they do not overlap. Cost: plan().traffic.
  /// Errors: kInvalidArgument when a view does not match, kOutOfMemory.
  Result<void> apply(const ImageView& source, const MutableImageView& target);

  [[nodiscard]] const FilterPlan& plan() const;  ///< What it costs.

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
