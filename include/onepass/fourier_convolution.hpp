// fourier_convolution.hpp: images convolved with kernel images of any size, through their spectra.
//
//     same(x, y) = sum over (i, j) of kernel(i, j) * image(x - (i - ox), y - (j - oy))           (ox, oy): origin
//
// The cost does not depend on the kernel: rows are transformed, columns are transformed, multiplied by the kernel's
// spectrum and transformed back while they are in cache, and rows are transformed back. The kernel's spectrum is made
// once and kept. What lies beyond the image's edges is what `boundary` says and never the opposite edge unless asked
// for: the domain that is transformed is wide enough. Rows of padding are never transformed, unneeded rows never
// written.
//
//     onepass::ConvolutionOptions options{.size = photo.size, .source = photo.format, .kernel_size = bokeh.size,
//                                         .kernel = bokeh.format, .boundary = Boundary::kMirror};
//     auto convolver = onepass::cpu::Convolver::create(options);
//     if (!convolver) return convolver.error();
//     if (auto set = convolver->set_kernel(bokeh); !set) return set.error();
//     auto done = convolver->convolve(photo, blurred);     // as often as wanted
//
// Sources: T. Stockham, "High-speed convolution and correlation", 1966; A. Oppenheim and R. Schafer, "Discrete-Time
// Signal Processing", 1989, 8.7 (circular and linear convolution).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "onepass/export.h"
#include "onepass/fourier.hpp"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// Which texels of the convolution are the result: scipy's words. n: image, k: kernel, per axis.
enum class ConvolutionMode : uint32_t {
  kSame,   ///< n: texel (0, 0) is the image's. (scipy centres on (k-1)/2; set kernel_origin for that at even sizes.)
  kFull,   ///< n + k - 1: all that the kernel can touch. Texel (0, 0) is same(-ox, -oy).
  kValid,  ///< |n - k| + 1: only what needs nothing beyond the edges; neither may be larger on one axis only.
};

/// How a kernel's weights are scaled.
enum class KernelScale : uint32_t {
  kNone,               ///< Not at all.
  kUnitSum,            ///< One factor for all channels, so that their mean sum is 1: brightness is kept, a tint stays.
  kUnitSumPerChannel,  ///< Each channel sums to 1: no tint.
};

/// Which kernel a channel of the image is convolved with.
enum class KernelChannels : uint32_t {
  kShared,      ///< All with one: the kernel's luminance (Rec. 709 of R, G, B), or its only channel; of two, the first.
  kPerChannel,  ///< Each with its own; alpha with the luminance. The kernel's alpha is not read.
};

/// What happens to the alpha of four-channel images.
enum class AlphaPolicy : uint32_t {
  kFilter,  ///< It is treated as the colours are. Right for premultiplied colours.
  kPass,    ///< It is copied. Outside of the image (kFull) it is 0.
};

/// What to convolve. The two engines take the same options.
struct ConvolutionOptions {
  Extent size;                         ///< Of the image: 1 to 65535 an axis, and so is what plan.domain says.
  uint32_t slices = 1;                 ///< Each is convolved on its own, with the same kernel.
  uint32_t channels = 0;               ///< As TransformOptions::channels.
  Format source = Format::kUndefined;  ///< Of the image; sRGB is convolved as linear light.
  Format target = Format::kUndefined;  ///< Of the result: any but depth. kUndefined: the source's.
  Extent kernel_size{};                ///< Any, also larger than the image.
  Format kernel = Format::kUndefined;  ///< Of the kernel image; kPerChannel: as many colours as the image.
  std::optional<Offset>
      kernel_origin{};  ///< The kernel's texel that stands on the image's; none: (floor(w/2), floor(h/2)).
  Boundary boundary = Boundary::kZero;
  ConvolutionMode mode = ConvolutionMode::kSame;
  KernelScale scale = KernelScale::kNone;
  KernelChannels kernel_channels = KernelChannels::kShared;
  AlphaPolicy alpha = AlphaPolicy::kFilter;
  float mix = 1.0F;  ///< kSame: result = (1 - mix) * image + mix * convolved, at no cost. 1: convolved. Finite.
};

/// What one axis of a convolution needs.
struct ConvolutionAxis {
  uint32_t domain = 0;        ///< Texels transformed: a smooth length, but for kWrap that needs no padding.
  int32_t placement = 0;      ///< Of the image's first texel in the domain.
  uint32_t result = 0;        ///< First texel of the domain that is written.
  uint32_t result_size = 0;   ///< Texels written.
  uint32_t kernel_first = 0;  ///< First texel of the kernel that can reach a result.
  uint32_t kernel_size = 0;   ///< How many can.
  int32_t kernel_origin = 0;  ///< Counted from kernel_first; may be negative or beyond.
};

/// The arithmetic of one axis. `image`, `kernel` >= 1, 0 <= origin < kernel.
///
/// A domain of D texels is a circle. With kZero both sides share one gap, D >= n + max(origin, k - 1 - origin), and
/// kernel texels that reach beyond the image from everywhere are left out; the other boundaries fill the gap from both
/// sides, D >= n + k - 1. kValid needs no gap. D is 0 if it would exceed 65535.
[[nodiscard]] ONEPASS_API ConvolutionAxis plan_convolution_axis(uint32_t image, uint32_t kernel, uint32_t origin,
                                                                Boundary boundary, ConvolutionMode mode);

/// What a convolution makes and costs.
struct ConvolutionPlan {
  ConvolutionOptions options;  ///< With everything that was left open resolved.
  ConvolutionAxis x;
  ConvolutionAxis y;
  Extent result_size;                 ///< Of the target.
  uint32_t kernel_planes = 0;         ///< Spectra kept: 1, or one a channel.
  uint64_t kernel_bytes = 0;          ///< Of the kept spectrum.
  TransformOptions image_transform;   ///< The transform of the image: domain, crop, boundary, result.
  TransformOptions kernel_transform;  ///< The transform of the kernel.
  Traffic traffic;                    ///< Of convolve(): rows, columns with the kernel, rows.
};

/// Validates the options and lays the work out.
/// Errors: kInvalidArgument, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<ConvolutionPlan> plan_convolution(const ConvolutionOptions& options);

namespace cpu {

/// Convolves images in host memory.
///
/// The same bits come out for any number of threads. Error of a texel: below 1e-6 of the largest.
/// NaN and Inf: one such texel makes its slice's channel (and the one it shares a complex signal with) NaN.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API Convolver {
 public:
  /// Errors: those of plan_convolution, kOutOfMemory.
  static Result<Convolver> create(const ConvolutionOptions& options, const TransformTuning& tuning = {});

  /// Transforms a kernel and keeps its spectrum. `kernel` has the format and size of the options, one slice.
  /// Errors: kInvalidArgument when it does not, kBadData when its weights are not finite or sum to 0 though they are
  /// to be scaled, kOutOfMemory.
  Result<void> set_kernel(const ImageView& kernel);

  /// Convolves with the kernel set last. `source` has options.size, `target` plan().result_size; they do not overlap.
  /// Cost: plan().traffic.
  /// Errors: kInvalidArgument when a view does not match or no kernel is set, kOutOfMemory.
  Result<void> convolve(const ImageView& source, const MutableImageView& target);

  [[nodiscard]] const ConvolutionPlan& plan() const;  ///< What it costs.

  Convolver(Convolver&&) noexcept;
  Convolver& operator=(Convolver&&) noexcept;
  ~Convolver();

  struct Impl;  // private to the library

 private:
  ONEPASS_INTERNAL explicit Convolver(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cpu
}  // namespace onepass
