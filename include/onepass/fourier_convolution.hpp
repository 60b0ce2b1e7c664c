// fourier_convolution.hpp: convolves images with kernel images of any size, by multiplication of spectra.
//
//     same(x, y) = sum over (i, j) of kernel(i, j) * image(x - (i - ox), y - (j - oy))           (ox, oy): origin
//
// The cost does not depend on the kernel. Rows are transformed; columns are transformed, multiplied by the kernel's
// spectrum and transformed back while they are in cache; rows are transformed back. The kernel's spectrum is computed
// once and stored. `boundary` defines the content beyond the image's edges. The transformed domain is wide enough that
// opposite edges do not mix, unless kWrap asks for it. Padding rows are never transformed, and unneeded rows never
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

/// The texels of the convolution that form the result, in scipy's terms. n: image size, k: kernel size, per axis.
enum class ConvolutionMode : uint32_t {
  kSame,   ///< n: texel (0, 0) is that of the image. (scipy centres on (k-1)/2; set kernel_origin for that at even
           ///< sizes.)
  kFull,   ///< n + k - 1: all texels that the kernel can affect. Texel (0, 0) is same(-ox, -oy).
  kValid,  ///< |n - k| + 1: the texels that need nothing beyond the edges. The kernel must not be larger than the image
           ///< on one axis and smaller on the other.
};

/// Scaling of the kernel's weights.
enum class KernelScale : uint32_t {
  kNone,     ///< No scaling.
  kUnitSum,  ///< One factor for all channels, so that the mean of their sums is 1: brightness and tint are kept.
  kUnitSumPerChannel,  ///< Each channel sums to 1: brightness is kept, the kernel's tint is removed.
};

/// The kernel with which each channel of the image is convolved.
enum class KernelChannels : uint32_t {
  kShared,  ///< One kernel for all channels: the kernel image's luminance (Rec. 709 of R, G, B), its only channel, or
            ///< the first of two.
  kPerChannel,  ///< Each channel with the same channel of the kernel image; alpha with its luminance. The kernel's
                ///< alpha is not read.
};

/// Treatment of alpha in four-channel images.
enum class AlphaPolicy : uint32_t {
  kFilter,  ///< Alpha is treated like the colours. Correct for premultiplied colours.
  kPass,    ///< Alpha is copied. Outside the image (kFull) it is 0.
};

/// Options of a convolution, the same for both engines.
struct ConvolutionOptions {
  Extent size;            ///< Size of the image, 1 to 65535 per axis; the same limit holds for the domain in the plan.
  uint32_t slices = 1;    ///< Each slice is convolved separately, with the same kernel.
  uint32_t channels = 0;  ///< As TransformOptions::channels.
  Format source = Format::kUndefined;  ///< Format of the image; sRGB is convolved as linear light.
  Format target = Format::kUndefined;  ///< Format of the result: any except depth. kUndefined: that of the source.
  Extent kernel_size{};                ///< 1 to 65535 per axis, also larger than the image.
  Format kernel = Format::kUndefined;  ///< Format of the kernel image; kPerChannel: at least as many colour channels as
                                       ///< the image.
  std::optional<Offset>
      kernel_origin{};  ///< Kernel texel that is aligned with the image texel; none: (floor(w/2), floor(h/2)).
  Boundary boundary = Boundary::kZero;
  ConvolutionMode mode = ConvolutionMode::kSame;
  KernelScale scale = KernelScale::kNone;
  KernelChannels kernel_channels = KernelChannels::kShared;
  AlphaPolicy alpha = AlphaPolicy::kFilter;
  float mix = 1.0F;  ///< kSame: result = (1 - mix) * image + mix * convolved, without extra cost. 1: only the
                     ///< convolution. Finite.
};

/// The plan of a convolution along one axis.
struct ConvolutionAxis {
  uint32_t domain = 0;    ///< Texels transformed: a length without prime factors above 7, if there is one up to 65535.
  int32_t placement = 0;  ///< Position of the image's first texel in the domain.
  uint32_t result = 0;    ///< First texel of the domain that is written.
  uint32_t result_size = 0;   ///< Number of texels written.
  uint32_t kernel_first = 0;  ///< First texel of the kernel that can affect the result.
  uint32_t kernel_size = 0;   ///< Number of kernel texels that can.
  int32_t kernel_origin = 0;  ///< Origin relative to kernel_first; may be negative or beyond the used part.
};

/// Plans one axis. `image` and `kernel` are n >= 1 and k >= 1; 0 <= origin < kernel.
///
/// A domain of D texels is cyclic. With kZero both sides share one gap, D >= n + max(origin, k - 1 - origin); kernel
/// texels that always lie beyond the image are left out. Other boundaries fill the gap from both sides, D >= n + k - 1.
/// kValid needs no gap, and kWrap needs none with kSame, k <= n and n without prime factors above 7. D is 0 if it would
/// exceed 65535.
[[nodiscard]] ONEPASS_API ConvolutionAxis plan_convolution_axis(uint32_t image, uint32_t kernel, uint32_t origin,
                                                                Boundary boundary, ConvolutionMode mode);

/// The domain and the minimum memory traffic of a convolution.
struct ConvolutionPlan {
  ConvolutionOptions options;  ///< The options, with defaults resolved.
  ConvolutionAxis x;
  ConvolutionAxis y;
  Extent result_size;                 ///< Size of the target.
  uint32_t kernel_planes = 0;         ///< Number of kernel spectra: 1, or one per channel.
  uint64_t kernel_bytes = 0;          ///< Size of the kernel spectra.
  TransformOptions image_transform;   ///< The transform of the image: domain, crop, boundary, result.
  TransformOptions kernel_transform;  ///< The transform of the kernel.
  Traffic traffic;                    ///< Traffic of convolve(): passes over rows, columns (with the kernel), rows.
};

/// Validates the options and computes the plan.
/// Errors: kInvalidArgument, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<ConvolutionPlan> plan_convolution(const ConvolutionOptions& options);

namespace cpu {

/// Convolves images in host memory.
///
/// Results are bit-identical for any number of threads. Error of a texel: below 1e-6 of the largest texel.
/// NaN and Inf: one such texel makes its channel of its slice NaN, and the channel with which it shares a complex
/// signal.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API Convolver {
 public:
  /// Validates the options, computes tables and allocates memory for the kernel's spectrum.
  /// Errors: those of plan_convolution(), kOutOfMemory.
  static Result<Convolver> create(const ConvolutionOptions& options, const TransformTuning& tuning = {});

  /// Transforms a kernel and stores its spectrum. `kernel` has the format and size of the options, and one slice.
  /// Errors: kInvalidArgument if the view does not match, kBadData if weights are not finite or their sum, by which
  /// they are scaled, is 0; kOutOfMemory.
  Result<void> set_kernel(const ImageView& kernel);

  /// Convolves with the last kernel set. `source` has options.size, `target` plan().result_size; they do not overlap.
  /// Cost: plan().traffic.
  /// Errors: kInvalidArgument if a view does not match or no kernel is set; kOutOfMemory.
  Result<void> convolve(const ImageView& source, const MutableImageView& target);

  [[nodiscard]] const ConvolutionPlan& plan() const;  ///< The plan of the options given to create().

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
