// fourier_deconvolution.hpp: removes a known blur from images.
//
//     Wiener             F(f) = G(f) conj H(f) / (|H(f)|^2 + noise * P(f))        G: image, H: kernel, P: prior
//     Richardson-Lucy    x <- x * K*( M g / K(x) ) / K*( M ),  `iterations` times  K, K*: blur and adjoint, M: mask
//
// The kernel is scaled to sum 1, which keeps brightness. A Wiener step is one fused pass; a Richardson-Lucy iteration
// is two. The image content beyond the edges was blurred into the image and is unknown:
//     kUnknown  Richardson-Lucy also estimates a margin as wide as the kernel. The mask M is 1 on the image and 0 in
//               the margin, where there is no measurement: no assumption, no ringing from the edges.
//     kMirror   Wiener: the endless mirrored image.
//     kTaper    Wiener: towards its edges the image is blended into its own blur, so that it wraps without a step.
//               kPerChannel: over the same width in all channels, that of the mean kernel.
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

/// The deconvolution method.
enum class DeconvolutionMethod : uint32_t {
  kWiener,          ///< Linear, one pass; can ring and produce negative values.
  kRichardsonLucy,  ///< Iterative; never negative; for noise of counts (Poisson). Negative texels of the image and NaN
                    ///< count as 0, Inf as the largest number. Works in any unit.
};

/// Wiener's P: noise power over image power, as a function of frequency.
enum class WienerPrior : uint32_t {
  kFlat,       ///< 1, but 0 at frequency 0, so that the mean is kept.
  kLaplacian,  ///< (4 sin^2(pi fx) + 4 sin^2(pi fy))^2: fine detail is damped more, which suits natural images.
};

/// The first estimate of Richardson-Lucy.
enum class DeconvolutionStart : uint32_t {
  kImage,     ///< The image, its edge texels repeated in margins, at least 1e-6 of its maximum. Sharp from the first
              ///< iteration on; the image's noise stays longer.
  kConstant,  ///< The same value everywhere, below 1e-3 of the maximum; the first iteration finds the brightness.
              ///< Smooth first, so that few iterations leave less noise.
};

/// Assumption about the content beyond the edges; see the top of this file.
enum class DeconvolutionEdges : uint32_t {
  kAuto,     ///< Wiener: kTaper, or kMirror if the kernel is larger than the image. Richardson-Lucy: kUnknown.
  kUnknown,  ///< Only Richardson-Lucy.
  kMirror,   ///< Only Wiener.
  kTaper,    ///< Only Wiener.
  kWrap,
};

/// How iterations of Richardson-Lucy on volumes are sped up.
enum class DeconvolutionAcceleration : uint32_t {
  kNone,      ///< Richardson-Lucy as published.
  kMomentum,  ///< Each iteration n starts from x + (n-1)/(n+2) (x - previous x), at least 1e-6 of the maximum (Wang
              ///< and Miller): 20 iterations reach what 60 do without. Another array of floats. The factor does not
              ///< depend on the data, so that tiles agree.
};

/// Options of a deconvolution, the same for both engines.
struct DeconvolutionOptions {
  Extent size;  ///< Size of the image, 1 to 65535 per axis; the same limit holds for the domain.
  uint32_t slices = 1;
  uint32_t channels = 0;               ///< As TransformOptions::channels.
  Format source = Format::kUndefined;  ///< Any format; sRGB as linear light.
  Format target = Format::kUndefined;  ///< Any format except depth. kUndefined: that of the source.
  Extent kernel_size{};  ///< At most the domain: the image, or with kMirror twice the image; kUnknown: any size.
  Format kernel = Format::kUndefined;                        ///< Format of the kernel image.
  std::optional<Offset> kernel_origin{};                     ///< As ConvolutionOptions::kernel_origin.
  KernelChannels kernel_channels = KernelChannels::kShared;  ///< kPerChannel: each plane is scaled to sum 1.
  AlphaPolicy alpha = AlphaPolicy::kPass;
  DeconvolutionMethod method = DeconvolutionMethod::kWiener;
  DeconvolutionEdges edges = DeconvolutionEdges::kAuto;
  float noise =
      0.01F;  ///< Wiener: 0 or more. 0 is the inverse filter; frequencies that the kernel lost (|H| < 1e-6) stay 0.
  WienerPrior prior = WienerPrior::kFlat;
  uint32_t iterations = 20;  ///< Richardson-Lucy: 1 to 10000. More iterations: sharper and noisier.
  DeconvolutionStart start = DeconvolutionStart::kImage;  ///< Richardson-Lucy.
};

/// The domain, the passes and the minimum memory traffic of a deconvolution.
struct DeconvolutionPlan {
  DeconvolutionOptions options;  ///< The options, with defaults resolved.
  Extent domain;                 ///< Size of the transform in texels.
  Extent estimate;           ///< Richardson-Lucy: size of the estimate, margins included. Wiener: size of the image.
  Offset image_in_estimate;  ///< Position of the image in the estimate.
  uint32_t passes = 0;       ///< Number of fused passes.
  TransformOptions blur;     ///< Wiener: image to result. Richardson-Lucy: estimate to image.
  TransformOptions adjoint;  ///< Richardson-Lucy: image to estimate.
  TransformOptions kernel_transform;
  Traffic traffic;  ///< Traffic of all fused passes.
};

/// Validates the options and computes the plan. Errors: kInvalidArgument, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<DeconvolutionPlan> plan_deconvolution(const DeconvolutionOptions& options);

namespace cpu {

/// Deconvolves images in host memory. Results are bit-identical for any number of threads.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API Deconvolver {
 public:
  /// Validates the options, computes tables and allocates memory.
  /// Errors: those of plan_deconvolution(), kOutOfMemory.
  static Result<Deconvolver> create(const DeconvolutionOptions& options, const TransformTuning& tuning = {});

  /// Sets the blur. `kernel` has the format and size of the options, and one slice.
  /// Errors: kInvalidArgument if the view does not match, kBadData if weights are not finite, sum to 0 or, for
  /// Richardson-Lucy, one is negative; kOutOfMemory.
  Result<void> set_kernel(const ImageView& kernel);

  /// Deconvolves with the last kernel set. Both views have options.size; they do not overlap. Cost: plan().traffic.
  /// Errors: kInvalidArgument if a view does not match or no kernel is set; kOutOfMemory.
  Result<void> deconvolve(const ImageView& source, const MutableImageView& target);

  [[nodiscard]] const DeconvolutionPlan& plan() const;  ///< The plan of the options given to create().

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
