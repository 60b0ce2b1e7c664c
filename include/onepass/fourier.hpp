// fourier.hpp: images to spectra and back: the 2-D discrete Fourier transform of every size, straight from and to
// images.
//
//                      W-1 H-1
//     F(kx, ky) = f *  sum sum  image(x, y) exp(-2 pi i (kx x / W + ky y / H))         f: see Norm
//                      x=0 y=0
//
// The image is read in whatever format it has (sRGB as linear light); the inverse writes any format. What is
// transformed is a domain of `size` texels: a rectangle of the image is placed in it, the rest is filled as `boundary`
// says and never stored; the inverse writes the rectangle `result` of the domain only.
//
// A spectrum is plain memory: pairs of (re, im), tightly packed, all channels of a frequency together. With
// C = spectrum channels and SW x SH = spectrum size of the plan, the value of channel c at (kx, ky) of slice s is pair
//     kRows:     ((s * SH + ky) * SW + kx) * C + c          rows of frequencies, as FFTW and scipy lay them out
//     kColumns:  ((s * SW + kx) * SH + ky) * C + c          columns: what a GPU's second pass makes without a detour
// Real signals have Hermitian spectra, F(-kx, -ky) = conj F(kx, ky): only kx = 0 .. W/2 is kept, SW = W/2 + 1.
//
//     onepass::TransformOptions options{.size = {1920, 1080}, .source = Format::kRGBA8Srgb};
//     auto transform = onepass::cpu::Transform::create(options);
//     if (!transform) return transform.error();
//     std::vector<std::byte> spectrum(transform->plan().spectrum_bytes);
//     auto there = transform->forward(photo, spectrum);
//     auto back = transform->inverse(spectrum, photo_again);  // the same bytes again
//
// onepass/vulkan/fourier.hpp is the same on a GPU, with the same options and results.
// Sources: J. Cooley and J. Tukey, "An Algorithm for the Machine Calculation of Complex Fourier Series", 1965;
// C. Van Loan, "Computational Frameworks for the Fast Fourier Transform", 1992, 1.7 (Stockham), 4.2 (Bluestein).
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "onepass/export.h"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// What the channels of an image are to a transform.
enum class Signal : uint32_t {
  kReal,     ///< Each channel a real signal: half a spectrum each. No imaginary part is stored or read.
  kComplex,  ///< Pairs of channels (re, im): one signal of two channels, two of four. Full spectra.
};

/// The factor f of forward and inverse. All but kNone restore the image.
enum class Norm : uint32_t {
  kBackward,  ///< 1 forward, 1/(W*H) inverse: FFTW's values forward. F(0,0) is the sum of all texels.
  kOrtho,     ///< 1/sqrt(W*H) both ways: energy is kept (Parseval).
  kForward,   ///< 1/(W*H) forward, 1 inverse. F(0,0) is the mean.
  kNone,      ///< 1 both ways: a round trip multiplies by W*H.
};

/// Order of the frequencies in memory; the index expressions are at the top of this file.
enum class SpectrumOrder : uint32_t {
  kRows,
  kColumns,
};

/// Where the frequency 0 lies.
enum class SpectrumOrigin : uint32_t {
  kCorner,  ///< At (0, 0); negative frequencies follow the positive ones.
  kCentre,  ///< Row floor(H/2); of complex signals column floor(W/2) too. The half spectrum of a real signal has no
            ///< negative kx and keeps its columns. Also right at odd sizes.
};

/// How spectra are stored, in memory that the caller sees and between the passes.
enum class SpectrumPrecision : uint32_t {
  kFloat,  ///< 32 bits a number: relative L2 error below 5e-7.
  kHalf,   ///< 16 bits a number, arithmetic in 32: below 1e-3, half the bytes. Stored values are scaled so that they
           ///< cannot overflow: see TransformPlan::forward_factor and TransformOptions::peak.
};

/// What a domain holds beside the image.
enum class Boundary : uint32_t {
  kZero,    ///< Nothing.        0 0 0 | a b c | 0 0 0
  kWrap,    ///< Periodic.       a b c | a b c | a b c
  kClamp,   ///< The last texel. a a a | a b c | c c c
  kMirror,  ///< Mirrored, the last texel twice (as a texture's mirrored repeat). c b a | a b c | c b a
};

/// Texels from a corner, either sign.
struct Offset {
  int32_t x = 0;
  int32_t y = 0;
  friend bool operator==(const Offset&, const Offset&) = default;
};

/// What to transform. The two engines take the same options.
struct TransformOptions {
  Extent size;                          ///< Of the domain, texels: 1 to 65535 an axis. Factors 2, 3, 5, 7 are fast.
  uint32_t slices = 1;                  ///< Array layers; each is transformed on its own.
  uint32_t channels = 0;                ///< The first so many channels of the formats, 1 to 4; 0: all. The inverse
                                        ///< writes 0 to the others, 1 to an alpha.
  Signal signal = Signal::kReal;        ///< kComplex: channels 2 or 4, formats of floats.
  Format source = Format::kUndefined;   ///< What forward() reads: any Format.
  Format target = Format::kUndefined;   ///< What inverse() writes: any but depth. kUndefined: the source's.
  Rect crop{};                          ///< Texels of the image that enter the domain; all 0: {0, 0, size}.
  Offset placement{};                   ///< Where in the domain the crop's first texel goes. With kZero texels that
                                        ///< leave the domain on one side enter on the other (a kernel around (0, 0)).
  Boundary boundary = Boundary::kZero;  ///< The rest of the domain. Rows of it are never transformed or stored.
  Rect result{};                        ///< Texels of the domain that inverse() writes; all 0: {0, 0, size}.
  Norm norm = Norm::kBackward;
  SpectrumOrder order = SpectrumOrder::kRows;
  SpectrumOrigin origin = SpectrumOrigin::kCorner;
  SpectrumPrecision precision = SpectrumPrecision::kFloat;  ///< kHalf needs a norm other than kNone.
  float peak = 1.0F;  ///< kHalf only: no texel's magnitude exceeds this (HDR: the brightest). Positive, finite.
};

/// Bytes that cross to memory.
struct Traffic {
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

/// What a transform makes and what it costs at least: pure arithmetic on the options, no engine involved.
struct TransformPlan {
  TransformOptions options;        ///< With everything that was left open resolved.
  Extent spectrum_size;            ///< SW x SH: {W/2 + 1, H} of real signals, {W, H} of complex ones.
  uint32_t spectrum_channels = 0;  ///< C: the channels of real signals, half of them of complex ones.
  uint64_t spectrum_bytes = 0;     ///< SW * SH * C * slices pairs.
  double forward_factor = 1;       ///< A stored value is this times the bare sum. kHalf: 1/(peak sqrt(W*H)),
                                   ///< whatever the norm.
  double inverse_factor = 1;       ///< What the bare inverse sum is multiplied by.
  double half_scale = 1;           ///< kHalf: stored value / value under the norm asked for. kFloat: 1.
  Traffic forward;                 ///< Two passes: image once, spectrum-sized memory written, read, written.
  Traffic inverse;

  /// The pair of a value, counted from the first: the index expressions at the top of this file. Origin not applied:
  /// kx and ky are positions in memory.
  [[nodiscard]] constexpr uint64_t index(uint32_t kx, uint32_t ky, uint32_t channel = 0, uint32_t slice = 0) const {
    const uint64_t w = spectrum_size.width, h = spectrum_size.height;
    const uint64_t element =
        options.order == SpectrumOrder::kRows ? (slice * h + ky) * w + kx : (slice * w + kx) * h + ky;
    return element * spectrum_channels + channel;
  }
};

/// Validates the options and lays the spectrum out.
/// Errors: kInvalidArgument or kUnsupported, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<TransformPlan> plan_transform(const TransformOptions& options);

/// The smallest length >= n without prime factors above 7: the fast lengths. 1 for 0.
[[nodiscard]] ONEPASS_API uint32_t next_smooth_size(uint32_t n);

/// Frequency of position k of an axis of n positions, in cycles per texel, -0.5 <= f <= 0.5: k/n, less 1 beyond n/2.
[[nodiscard]] constexpr double frequency(uint32_t k, uint32_t n) {
  return (2 * uint64_t{k} > n ? static_cast<double>(k) - n : static_cast<double>(k)) / n;
}

/// How the Vulkan engine goes about it; never changes a result beyond the contract on rounding.
enum class FourierTechnique : uint32_t {
  kAuto,          ///< kSharedMemory wherever the device can, else kFourStep.
  kSharedMemory,  ///< One dispatch an axis: whole lines are transformed in registers and shared memory.
  kPingPong,      ///< One dispatch a butterfly pass, between two buffers: the simple sibling. Any length.
  kFourStep,      ///< Two dispatches an axis, lines as tables whose columns and rows are transformed: what kAuto does
                  ///< where shared memory cannot hold a line. Twice that for lengths that Bluestein's way is for;
                  ///< of lengths that are no tables (1, 2, 3, 5, 7) kPingPong.
};

/// The axis along which lines are transformed.
enum class Axis : uint32_t { kX, kY };

/// Traffic of one axis in the classic shader form, real and imaginary planes of 16-byte texels, by ping-pong: each of
/// log2(length) passes reads two texels of both planes for every texel of both it writes.
/// Source: "Fast Fourier Transform for Image Processing in DirectX 11", Intel, 2015.
[[nodiscard]] ONEPASS_API Traffic classic_ping_pong_traffic(Extent size, Axis axis);

/// The same by shared memory: both planes are read and written once. `imaginary_read`: false where a real image enters,
/// whose imaginary plane need not be read.
[[nodiscard]] ONEPASS_API Traffic classic_shared_memory_traffic(Extent size, bool imaginary_read = true);

/// What looking weights and indices up in a table, a 16-byte texel a position and pass, adds to the reads.
[[nodiscard]] ONEPASS_API Traffic classic_table_traffic(Extent size, Axis axis);

namespace cpu {

/// Options of the CPU engine that never change a result.
struct TransformTuning {
  uint32_t threads = 0;  ///< At most this many threads; 0 = all the machine has.
};

/// Transforms images in host memory: lines side by side in vector registers, columns in strips that stay in cache.
///
/// The same bits come out for any number of threads and any SIMD target.
/// Any length: factors 2, 3, 5, 7 directly, others by Bluestein's convolution.
/// NaN and Inf: a texel that is either leaves no finite value in its channel's spectrum, and may spoil the channel it
/// shares a complex signal with (R with G, B with A). Other channels and slices are as without it.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API Transform {
 public:
  /// Validates the options, makes tables and allocates what the calls need.
  /// Errors: those of plan_transform, kOutOfMemory.
  static Result<Transform> create(const TransformOptions& options, const TransformTuning& tuning = {});

  /// Image to spectrum. `source` has format options.source and holds the crop; `spectrum` has plan().spectrum_bytes and
  /// does not overlap it. Cost: plan().forward.
  /// Errors: kInvalidArgument when a view does not match the options, kOutOfMemory.
  Result<void> forward(const ImageView& source, std::span<std::byte> spectrum);

  /// Spectrum to image. `target` has the format and size of options.target and options.result. Of a real signal's
  /// spectrum only what is Hermitian counts: imaginary parts where a real signal has none are ignored.
  /// Errors: as forward().
  Result<void> inverse(std::span<const std::byte> spectrum, const MutableImageView& target);

  [[nodiscard]] const TransformPlan& plan() const;  ///< What it costs.

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
