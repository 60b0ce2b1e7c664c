// fourier_deconvolution.hpp: images freed from a known blur.
//
//     Wiener             F(f) = G(f) conj H(f) / (|H(f)|^2 + noise * P(f))        G: image, H: kernel, P: prior
//     Richardson-Lucy    x <- x * K*( M g / K(x) ) / K*( M ),  `iterations` times  K, K*: blur and adjoint, M: below
//
// The kernel is scaled to sum 1: brightness is kept. One Wiener step is one fused pass; one Richardson-Lucy iteration
// two. What lies beyond the edges blurred into the image, and is unknown:
//     kUnknown  Richardson-Lucy estimates a margin as wide as the kernel as well; M is 1 on the image and 0 in the
//               margin, where there is no measurement: no assumption, no ringing from the edges.
//     kMirror   Wiener: the endless mirrored image.
//     kTaper    Wiener: the image is blended into its own blur towards its edges, so that it wraps without a step.
//     kWrap     the image wraps around.
//
// Sources: W. Richardson, "Bayesian-Based Iterative Method of Image Restoration", 1972; L. Lucy, "An iterative
// technique for the rectification of observed distributions", 1974; M. Bertero and P. Boccacci, "A simple method for
// the reduction of boundary effects in the Richardson-Lucy approach to image deconvolution", 2005; R. Gonzalez and R.
// Woods, "Digital Image Processing", 2018, 5.8 (Wiener), 5.9 (the Laplacian as prior).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "onepass/export.h"
#include "onepass/fourier.hpp"
#include "onepass/fourier_convolution.hpp"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// How to deconvolve.
enum class DeconvolutionMethod : uint32_t {
  kWiener,          ///< Linear, one pass; may ring and go below 0.
  kRichardsonLucy,  ///< Iterative; never below 0; for noise of counts. Negative texels of the image and
                    ///< NaN count as 0, Inf as the largest number. Works in any unit.
};

/// Power of noise over power of image, by frequency: Wiener's P.
enum class WienerPrior : uint32_t {
  kFlat,       ///< 1, but 0 at frequency 0, so that the mean is kept.
  kLaplacian,  ///< (4 sin^2(pi fx) + 4 sin^2(pi fy))^2: fine detail is trusted less, as in images of nature.
};

/// What is assumed beyond the edges; see the top of this file.
enum class DeconvolutionEdges : uint32_t {
  kAuto,     ///< kMirror for Wiener, kUnknown for Richardson-Lucy.
  kUnknown,  ///< Richardson-Lucy only.
  kMirror,   ///< Wiener only.
  kTaper,    ///< Wiener only.
  kWrap,
};

/// What to deconvolve. The two engines take the same options.
struct DeconvolutionOptions {
  Extent size;  ///< Of the image.
  uint32_t slices = 1;
  uint32_t channels = 0;                  ///< As TransformOptions::channels.
  Format source = Format::kUndefined;     ///< Any; sRGB as linear light.
  Format target = Format::kUndefined;     ///< Any but depth. kUndefined: the source's.
  Extent kernel_size{};                   ///< At most the domain: the image, twice that if mirrored; kUnknown: any.
  Format kernel = Format::kUndefined;     ///< Of the kernel image.
  std::optional<Offset> kernel_origin{};  ///< As ConvolutionOptions::kernel_origin.
  KernelChannels kernel_channels = KernelChannels::kShared;  ///< kPerChannel: each plane is scaled to sum 1.
  AlphaPolicy alpha = AlphaPolicy::kPass;
  DeconvolutionMethod method = DeconvolutionMethod::kWiener;
  DeconvolutionEdges edges = DeconvolutionEdges::kAuto;
  float noise =
      0.01F;  ///< Wiener: 0 or more. 0 is the inverse filter; frequencies the kernel lost (|H| < 1e-6) stay 0.
  WienerPrior prior = WienerPrior::kFlat;
  uint32_t iterations = 20;  ///< Richardson-Lucy: 1 to 10000. More is sharper and noisier.
};

/// What a deconvolution needs.
struct DeconvolutionPlan {
  DeconvolutionOptions options;  ///< With everything that was left open resolved.
  Extent domain;                 ///< Texels transformed.
  Extent estimate;               ///< Richardson-Lucy: of what is estimated, margins included. Wiener: the image.
  Offset image_in_estimate;      ///< Where the image lies in it.
  uint32_t passes = 0;           ///< Fused passes in all.
  TransformOptions blur;         ///< Wiener: image to result. Richardson-Lucy: estimate to image.
  TransformOptions adjoint;      ///< Richardson-Lucy: image to estimate.
  TransformOptions kernel_transform;
  Traffic traffic;  ///< Of all fused passes.
};

/// Validates the options and lays the work out. Errors: kInvalidArgument, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<DeconvolutionPlan> plan_deconvolution(const DeconvolutionOptions& options);

namespace cpu {

/// Deconvolves images in host memory. The same bits come out for any number of threads.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API Deconvolver {
 public:
  /// Errors: those of plan_deconvolution, kOutOfMemory.
  static Result<Deconvolver> create(const DeconvolutionOptions& options, const TransformTuning& tuning = {});

  /// The blur. Errors: kInvalidArgument when the view does not match, kBadData when weights are not finite or sum to 0,
  /// or, for Richardson-Lucy, when one is negative, kOutOfMemory.
  Result<void> set_kernel(const ImageView& kernel);

  /// Deconvolves with the kernel set last. Both views have options.size; they do not overlap.
  /// Errors: kInvalidArgument when a view does not match or no kernel is set, kOutOfMemory.
  Result<void> deconvolve(const ImageView& source, const MutableImageView& target);

  [[nodiscard]] const DeconvolutionPlan& plan() const;  ///< What it costs.

  Deconvolver(Deconvolver&&) noexcept;
  Deconvolver& operator=(Deconvolver&&) noexcept;
  ~Deconvolver();

  struct Impl;  // private to the library

 private:
  ONEPASS_INTERNAL explicit Deconvolver(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cpu
}  // namespace onepass
