// bloom.hpp: the glare of bright light in a lens or an eye, for HDR images.
//
//     result = image + scatter * (glow - bright)      bright: the light above the threshold;  glow: bright, spread out
//
// Light is moved, not added: the share that scatters leaves its texel, and the glow spreads it with weights whose sum
// is 1. The sum of the light is kept (except for light that leaves through a zero boundary), so a scene does not become
// brighter. Without a threshold, the formula is a blend: (1 - scatter) * image + scatter * glow.
//
// Two methods compute the glow:
//     kConvolution   a convolution with a kernel as wide as the image, if wanted: the built-in kernel is the falloff of
//                    scattering in the human eye, with streaks; or the kernel is an image, rescaled to the image's
//                    size. The bright pass is part of the transform's first pass, the composite of its last.
//     kMipChain      a mip chain of the bright light, whose levels are added from coarse to fine by tent filters. Round
//                    glow without streaks; less memory traffic at half resolution.
// With a threshold, light scatters by its texel's largest colour m: none below threshold - knee, all that exceeds the
// threshold above threshold + knee, and a parabola between these, with continuous slope:
//     bright = texel * clamp(max(s * s / (4 knee), m - threshold) / m, 0, 1),
//              s = clamp(m - threshold + knee, 0, 2 knee)
//
//     onepass::BloomOptions options{.size = frame.size, .source = frame.format, .scatter = 0.05F};
//     auto bloom = onepass::cpu::Bloom::create(options);       // the built-in kernel is set
//     if (!bloom) return bloom.error();
//     auto done = bloom->apply(frame, glowing);                // as often as wanted
//
// onepass/vulkan/bloom.hpp is the GPU version, with the same options and results.
// Sources: G. Spencer, P. Shirley, K. Zimmerman and D. Greenberg, "Physically-Based Glare Effects for Digital Images",
// 1995 (the built-in kernel); J. Jimenez, in the course "Advances in Real-Time Rendering in Games", SIGGRAPH 2014 (the
// mip chain).
#pragma once

#include <cstdint>
#include <memory>

#include "onepass/export.h"
#include "onepass/fourier_convolution.hpp"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// Computation of the glow.
enum class BloomMethod : uint32_t {
  kConvolution,  ///< Exact for any kernel, by Fourier transforms.
  kMipChain,     ///< Mip levels, blurred by tent filters and added. No kernel image, no streaks.
};

/// Size at which the glow is computed. The image itself is never resampled.
enum class BloomResolution : uint32_t {
  kFull,  ///< That of the image.
  kHalf,  ///< Half, rounded up: about half of the cost. The bright light is averaged over 2x2 texels, the glow is
          ///< interpolated linearly. Odd sizes keep the sum of the light within 2 %. Glow near its source is softer.
};

/// The built-in kernel: f(angle) = 0.478 * 20.91 / (angle + 0.02)^3 + 0.138 * 72.37 / (angle + 0.02)^2, in degrees,
/// with a smooth cutoff at its rim.
struct GlareOptions {
  float field_of_view = 60;  ///< Degrees across the width of the image, 0.1 to 180: a wider view has smaller glows.
  uint32_t rays = 0;         ///< Streaks, as blades of an aperture diffract them: 0 to 64.
  friend bool operator==(const GlareOptions&, const GlareOptions&) = default;
};

/// Options of a bloom, the same for both engines.
struct BloomOptions {
  Extent size;                         ///< Size of the image, 1 to 65535 per axis; kConvolution: also of the domain.
  uint32_t slices = 1;                 ///< Each slice is treated separately.
  Format source = Format::kUndefined;  ///< Format of the image: any; sRGB as linear light. Alpha does not scatter.
  Format target = Format::kUndefined;  ///< Format of the result: any except depth. kUndefined: that of the source.
  BloomMethod method = BloomMethod::kConvolution;
  BloomResolution resolution = BloomResolution::kFull;
  float scatter = 0.1F;       ///< Share of the bright light that scatters, 0 to 1.
  float threshold = 0;        ///< Only light above it scatters, 0 to 1e30, in the image's unit. 0: all light.
  float knee = 0;             ///< Half the width of the transition at the threshold, 0 to 1e30. Not used without one.
  float kernel_width = 0.5F;  ///< Width of the glow in widths of the image, 0.0001 to 4.
  GlareOptions glare{};       ///< The built-in kernel.
  Extent kernel_size{};       ///< kConvolution: size of a kernel image, which set_kernel() rescales; {}: built in.
  Format kernel = Format::kUndefined;     ///< Format of the kernel image. With three colours, they tint the glow.
  Boundary boundary = Boundary::kMirror;  ///< kConvolution: light from beyond the edges. kMipChain: kClamp and kMirror
                                          ///< are the same; the others are refused.
  float spread = 0.75F;  ///< kMipChain: share of its light that each level takes from the next coarser one, 0 to 1:
                         ///< large values give wide glows.
};

/// Size and minimum memory traffic of a bloom.
struct BloomPlan {
  BloomOptions options;       ///< The options, with defaults resolved.
  Extent glow_size;           ///< Size at which the glow is computed.
  Extent kernel_size;         ///< kConvolution: texels of the kernel at that size, odd.
  Extent domain;              ///< kConvolution: size of the transforms.
  uint64_t kernel_bytes = 0;  ///< kConvolution: size of the kernel's spectra.
  uint32_t levels = 0;        ///< kMipChain: levels of the chain, the first of glow_size.
  uint32_t passes = 0;        ///< Passes over images.
  Traffic traffic;            ///< Of apply().
};

/// Validates the options and computes the plan.
/// Errors: kInvalidArgument, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<BloomPlan> plan_bloom(const BloomOptions& options);

/// The kernel of a plan with kConvolution as an image of plan.kernel_size: the built-in one, r32_sfloat, or `kernel`
/// rescaled by a tent filter whose half width is the larger of a source and a target texel, rgba32_sfloat. Weights are
/// not normalised.
/// Errors: kInvalidArgument if the plan has no kernel or the view does not match options.kernel_size and
/// options.kernel; kOutOfMemory.
[[nodiscard]] ONEPASS_API Result<Image> make_bloom_kernel(const BloomPlan& plan, const ImageView* kernel = nullptr);

namespace cpu {

/// Adds bloom to images in host memory.
///
/// Results are bit-identical for any number of threads. Error of a texel: below 1e-6 of the largest texel.
/// NaN and Inf: NaN counts as 0, +Inf as 65504 and -Inf as -65504, so that one such texel does not spoil others.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API Bloom {
 public:
  /// Validates the options, computes tables, allocates memory and sets the built-in kernel, if the options name no
  /// other.
  /// Errors: those of plan_bloom(), kOutOfMemory.
  static Result<Bloom> create(const BloomOptions& options, const TransformTuning& tuning = {});

  /// Rescales a kernel image and stores its spectrum. `kernel` has the format and size of the options, and one slice.
  /// Errors: kInvalidArgument if the options name no kernel image or the view does not match, kBadData if weights are
  /// not finite or their sum, by which they are scaled, is 0; kOutOfMemory.
  Result<void> set_kernel(const ImageView& kernel);

  /// Adds bloom. Both views have options.size; they do not overlap. Cost: plan().traffic.
  /// Errors: kInvalidArgument if a view does not match or no kernel is set; kOutOfMemory.
  Result<void> apply(const ImageView& source, const MutableImageView& target);

  [[nodiscard]] const BloomPlan& plan() const;  ///< The plan of the options given to create().

  Bloom(Bloom&&) noexcept;
  Bloom& operator=(Bloom&&) noexcept;
  ~Bloom();

  struct Impl;  // private to the library

 private:
  ONEPASS_INTERNAL explicit Bloom(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cpu
}  // namespace onepass
