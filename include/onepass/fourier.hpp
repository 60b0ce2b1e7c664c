// fourier.hpp: 2-D discrete Fourier transforms of any size, from images to spectra and back.
//
//                      W-1 H-1
//     F(kx, ky) = f *  sum sum  image(x, y) exp(-2 pi i (kx x / W + ky y / H))         f: see Norm
//                      x=0 y=0
//
// The image is read in its own format (sRGB as linear light); the inverse writes any format. The transform works on a
// domain of `size` texels. A rectangle of the image is placed in the domain; the rest is filled according to `boundary`
// and never stored. The inverse writes only the rectangle `result` of the domain.
//
// A spectrum is an array of pairs (re, im), tightly packed, with all channels of a frequency together. With C =
// spectrum channels and SW x SH = spectrum size of the plan, the value of channel c at (kx, ky) of slice s is pair
//     kRows:     ((s * SH + ky) * SW + kx) * C + c          rows of frequencies, the layout of FFTW and scipy
//     kColumns:  ((s * SW + kx) * SH + ky) * C + c          columns: the direct output of a GPU's second pass
// Spectra of real signals are Hermitian, F(-kx, -ky) = conj F(kx, ky): only kx = 0 .. W/2 is stored, SW = W/2 + 1.
//
//     onepass::TransformOptions options{.size = {1920, 1080}, .source = Format::kRGBA8Srgb};
//     auto transform = onepass::cpu::Transform::create(options);
//     if (!transform) return transform.error();
//     std::vector<std::byte> spectrum(transform->plan().spectrum_bytes);
//     auto there = transform->forward(photo, spectrum);
//     auto back = transform->inverse(spectrum, photo_again);  // the same bytes again
//
// onepass/vulkan/fourier.hpp is the GPU version, with the same options and results.
// Sources: J. Cooley and J. Tukey, "An Algorithm for the Machine Calculation of Complex Fourier Series", 1965;
// C. Van Loan, "Computational Frameworks for the Fast Fourier Transform", 1992, 1.7 (Stockham), 4.2 (Bluestein).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "onepass/export.h"
#include "onepass/image.hpp"
#include "onepass/progress.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// How the channels of an image form signals.
enum class Signal : uint32_t {
  kReal,     ///< Each channel is a real signal with half a spectrum. No imaginary part is stored or read.
  kComplex,  ///< Pairs of channels are (re, im): two channels are one signal, four are two. Full spectra.
};

/// The factor f of forward and inverse. With all but kNone, a round trip restores the image.
enum class Norm : uint32_t {
  kBackward,  ///< 1 forward, 1/(W*H) inverse: the forward values are those of FFTW. F(0,0) is the sum of all texels.
  kOrtho,     ///< 1/sqrt(W*H) in both directions: energy is kept (Parseval).
  kForward,   ///< 1/(W*H) forward, 1 inverse. F(0,0) is the mean.
  kNone,      ///< 1 in both directions: a round trip multiplies by W*H.
};

/// Order of the frequencies in memory; the index formulas are at the top of this file.
enum class SpectrumOrder : uint32_t {
  kRows,
  kColumns,
};

/// Position of frequency 0.
enum class SpectrumOrigin : uint32_t {
  kCorner,  ///< At (0, 0); negative frequencies follow the positive ones.
  kCentre,  ///< Row floor(H/2); for complex signals also column floor(W/2). The half spectrum of a real signal has no
            ///< negative kx, so its columns stay in place. Correct for odd sizes too.
};

/// Number format of spectra, in the caller's memory and between the passes.
enum class SpectrumPrecision : uint32_t {
  kFloat,  ///< 32-bit floats: relative L2 error below 5e-7.
  kHalf,   ///< 16-bit floats with 32-bit arithmetic: relative L2 error below 1e-3, half the bytes. Stored values are
           ///< scaled so that they cannot overflow: see TransformPlan::forward_factor and TransformOptions::peak.
};

/// A signed offset in texels.
struct Offset {
  int32_t x = 0;
  int32_t y = 0;
  friend bool operator==(const Offset&, const Offset&) = default;
};

/// Options of a transform, the same for both engines.
struct TransformOptions {
  Extent size;            ///< Size of the domain in texels, 1 to 65535 per axis. Factors 2, 3, 5, 7 are fast.
  uint32_t slices = 1;    ///< Array layers; each is transformed separately.
  uint32_t channels = 0;  ///< Number of leading channels to transform, 1 to 4; 0: all. The inverse writes 0 to the
                          ///< other channels and 1 to an alpha.
  Signal signal = Signal::kReal;       ///< kComplex: 2 or 4 channels, float formats.
  Format source = Format::kUndefined;  ///< Format that forward() reads: any.
  Format target = Format::kUndefined;  ///< Format that inverse() writes: any except depth. kUndefined: that of the
                                       ///< source (kR32Sfloat for a depth source).
  Rect crop{};                         ///< The texels of the image that are placed in the domain; all 0: {0, 0, size}.
  Offset placement{};  ///< Position of the crop's first texel in the domain. With kZero, texels that leave the domain
                       ///< on one side enter on the other (a kernel around (0, 0)).
  Boundary boundary = Boundary::kZero;  ///< Fills the rest of the domain. Its rows are never transformed or stored.
  Rect result{};                        ///< The texels of the domain that inverse() writes; all 0: {0, 0, size}.
  Norm norm = Norm::kBackward;
  SpectrumOrder order = SpectrumOrder::kRows;
  SpectrumOrigin origin = SpectrumOrigin::kCorner;
  SpectrumPrecision precision = SpectrumPrecision::kFloat;  ///< kHalf needs a norm other than kNone.
  float peak = 1.0F;  ///< kHalf only: upper bound of a texel's magnitude (HDR: the brightest texel). Positive, finite.
};

/// Memory traffic in bytes.
struct Traffic {
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

/// The spectrum of a transform and the minimum memory traffic. Computed from the options alone.
struct TransformPlan {
  TransformOptions options;        ///< The options, with defaults resolved.
  Extent spectrum_size;            ///< SW x SH: {W/2 + 1, H} for real signals, {W, H} for complex ones.
  uint32_t spectrum_channels = 0;  ///< C: the number of channels for real signals, half of it for complex ones.
  uint64_t spectrum_bytes = 0;     ///< Size of SW * SH * C * slices pairs.
  double forward_factor = 1;       ///< Stored value / bare sum. kHalf: 1/(peak sqrt(W*H)) for every norm.
  double inverse_factor = 1;       ///< Factor applied to the bare inverse sum.
  double half_scale = 1;           ///< kHalf: stored value / value under the requested norm. kFloat: 1.
  Traffic forward;  ///< Two passes: the image is read once; rows of the spectrum are written and read; the spectrum is
                    ///< written.
  Traffic inverse;

  /// Index of the pair of a value, by the formulas at the top of this file. kx and ky are positions in memory: the
  /// origin is not applied.
  [[nodiscard]] constexpr uint64_t index(uint32_t kx, uint32_t ky, uint32_t channel = 0, uint32_t slice = 0) const {
    const uint64_t w = spectrum_size.width, h = spectrum_size.height;
    const uint64_t element =
        options.order == SpectrumOrder::kRows ? (slice * h + ky) * w + kx : (slice * w + kx) * h + ky;
    return element * spectrum_channels + channel;
  }
};

/// Validates the options and computes the plan.
/// Errors: kInvalidArgument, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<TransformPlan> plan_transform(const TransformOptions& options);

/// The smallest length >= n without prime factors above 7: the fast lengths. 1 for n = 0.
[[nodiscard]] ONEPASS_API uint32_t next_smooth_size(uint32_t n);

/// Frequency of position k on an axis of n positions, in cycles per texel, -0.5 <= f <= 0.5: k/n, minus 1 above n/2.
[[nodiscard]] constexpr double frequency(uint32_t k, uint32_t n) {
  return (2 * uint64_t{k} > n ? static_cast<double>(k) - n : static_cast<double>(k)) / n;
}

/// The technique of the Vulkan engine; results differ at most by the rounding contract (docs/accuracy.md). A stage
/// takes another one where the device or its driver cannot run the one asked for: TransformStagePlan has the one taken.
/// On SwiftShader it is always kPingPong (docs/devices.md).
enum class FourierTechnique : uint32_t {
  kAuto,          ///< kSharedMemory where the device supports it, otherwise kFourStep.
  kSharedMemory,  ///< One dispatch per axis: whole lines are transformed in registers and shared memory.
  kPingPong,      ///< One dispatch per butterfly pass, between two buffers, and one before and after that copy from the
                  ///< source and to the target: the simplest technique. Any length.
  kFourStep,  ///< Two dispatches per axis: each line is a table whose columns and rows are transformed. kAuto uses it
              ///< if a line does not fit in shared memory. Three dispatches for lengths that need Bluestein's
              ///< algorithm; kPingPong for lengths that form no table (1, 2, 3, 5, 7).
};

/// The axis along which lines are transformed.
enum class Axis : uint32_t { kX, kY };

/// One stage of a transform on a GPU: one axis in one direction.
struct TransformStagePlan {
  Axis axis = Axis::kX;
  FourierTechnique technique = FourierTechnique::kSharedMemory;
  uint32_t length = 0;                 ///< Length of the axis.
  uint32_t transform_length = 0;       ///< Length of the transforms: `length`, or that of Bluestein's algorithm.
  std::array<uint32_t, 16> radices{};  ///< Radices of the passes in order; four-step and ping-pong: a dispatch each.
  uint32_t passes = 0;
  uint32_t dispatches = 0;
  uint32_t lanes = 0;  ///< Invocations per line. This and the next two: shared memory only.
  uint32_t lines = 0;  ///< Lines per workgroup.
  uint32_t shared_bytes = 0;
  Traffic traffic;  ///< Requests of the invocations; repeated reads are counted each time.
};

/// Traffic of one axis of the classic ping-pong shader, with real and imaginary planes of 16-byte texels: each of the
/// log2(length) passes reads two texels of both planes for each texel of both planes that it writes.
/// Source: "Fast Fourier Transform for Image Processing in DirectX 11", Intel, 2015.
[[nodiscard]] ONEPASS_API Traffic classic_ping_pong_traffic(Extent size, Axis axis);

/// Traffic of one axis of the classic shared-memory shader: both planes are read and written once. `imaginary_read`:
/// false for a real image, whose imaginary plane is not read.
[[nodiscard]] ONEPASS_API Traffic classic_shared_memory_traffic(Extent size, bool imaginary_read = true);

/// Additional reads if weights and indices come from a lookup table with one 16-byte texel per position and pass.
[[nodiscard]] ONEPASS_API Traffic classic_table_traffic(Extent size, Axis axis);

namespace cpu {

/// Tuning of the CPU engine; it never changes a result.
struct TransformTuning {
  uint32_t threads = 0;  ///< At most this many threads; 0 = usable_threads().

  /// Called while images are transformed, convolved, filtered and so on. False cancels the call, whose output is then
  /// partly written. Not called while a kernel is set or an edge is tapered, nor by a bloom by mip chain.
  Progress progress = {};
};

/// Transforms images in host memory: several lines side by side in vector registers, columns in strips that stay in
/// cache.
///
/// Results are bit-identical for any number of threads and any SIMD target.
/// Any length: factors 2, 3, 5, 7 directly, others by Bluestein's algorithm.
/// NaN and Inf: one such texel leaves no finite value in the spectrum of its channel, and can spoil the channel with
/// which it shares a complex signal (R with G, B with A). Other channels and slices are not affected.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API Transform {
 public:
  /// Validates the options, computes tables and allocates the working memory of forward() and inverse().
  /// Errors: those of plan_transform(), kOutOfMemory.
  static Result<Transform> create(const TransformOptions& options, const TransformTuning& tuning = {});

  /// Image to spectrum. `source` has format options.source and contains the crop. `spectrum` has plan().spectrum_bytes
  /// and does not overlap the source. Cost: plan().forward.
  /// Errors: kInvalidArgument if a view or the spectrum's size does not match the options; kOutOfMemory.
  Result<void> forward(const ImageView& source, std::span<std::byte> spectrum);

  /// Spectrum to image. `target` has format options.target and the size of options.result. For a real signal, only the
  /// Hermitian part of the spectrum is used: imaginary parts that a real signal cannot have are ignored. Cost:
  /// plan().inverse.
  /// Errors: those of forward().
  Result<void> inverse(std::span<const std::byte> spectrum, const MutableImageView& target);

  [[nodiscard]] const TransformPlan& plan() const;  ///< The plan of the options given to create().

  Transform(Transform&&) noexcept;
  Transform& operator=(Transform&&) noexcept;
  ~Transform();

  struct Impl;  // private to the library
  [[nodiscard]] Impl& impl() { return *impl_; }

 private:
  ONEPASS_INTERNAL explicit Transform(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cpu
}  // namespace onepass
