// fourier_volume.hpp: Fourier transforms, convolution and deconvolution of volumes (3-D images) on the CPU.
//
//     transform          F(kx, ky, kz) = f * sum of volume(x, y, z) exp(-2 pi i (kx x / W + ky y / H + kz z / D))
//     convolve           sum over (i, j, k) of kernel(i, j, k) * volume(x - (i - ox), y - (j - oy), z - (k - oz))
//     Richardson-Lucy    x <- x * K*( M g / (K(x) + b) ) / K*( M ),  `iterations` times
//                        K, K*: blur and adjoint, g: volume, b: background, M: 1 on the volume, 0 in the margin
//
// Values are numbers, not light, of any VoxelType but kUint64, and computed in 32-bit floats. Volumes have one channel.
//
//     onepass::VolumeDeconvolutionOptions options{.size = {2048, 2048, 256}, .source = onepass::VoxelType::kUint16};
//     options.kernel_size = {64, 64, 64};  // a measured point spread function, floats
//     auto done = onepass::cpu::deconvolve_volume(options, stack, psf, sharp);
//
// The content beyond the edges of a microscope's volume is unknown, but was blurred into it. The estimate therefore has
// a margin as wide as the kernel, where nothing was measured (M = 0): no assumption about it, no ringing.
//
// A volume that needs more than max_bytes is deconvolved in tiles of one size. A tile reads a halo of voxels around
// itself, whose content pulls on the estimate from all sides as it does in the whole volume; the margin begins behind
// it. docs/deconvolution.md has errors of tiles by the width of their halo.
//
// Sources: W. Richardson, "Bayesian-Based Iterative Method of Image Restoration", 1972; L. Lucy, "An iterative
// technique for the rectification of observed distributions", 1974; M. Bertero and P. Boccacci, "A simple method for
// the reduction of boundary effects in the Richardson-Lucy approach to image deconvolution", 2005; H. Wang and P.
// Miller, "Scaled heavy-ball acceleration of the Richardson-Lucy algorithm for 3D microscopy image restoration", 2014.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "onepass/export.h"
#include "onepass/fourier.hpp"
#include "onepass/fourier_convolution.hpp"
#include "onepass/fourier_deconvolution.hpp"
#include "onepass/result.hpp"
#include "onepass/volume_stream.hpp"

namespace onepass {

/// A voxel of a volume.
struct VolumePoint {
  uint32_t x = 0;
  uint32_t y = 0;
  uint32_t z = 0;
  friend bool operator==(const VolumePoint&, const VolumePoint&) = default;
};

/// Options of a transform of a volume.
struct VolumeTransformOptions {
  VolumeSize size;                ///< 1 to 65535 per axis. Factors 2, 3, 5, 7 are fast.
  Signal signal = Signal::kReal;  ///< kReal: floats, half a spectrum. kComplex: pairs (re, im), a full spectrum.
  Norm norm = Norm::kBackward;    ///< With W*H*D in place of W*H.
};

/// The spectrum of a volume: pairs (re, im) of floats, packed. Pair (kz * SH + ky) * SW + kx is that of (kx, ky, kz).
struct VolumeTransformPlan {
  VolumeTransformOptions options;
  VolumeSize spectrum_size;     ///< SW x SH x SD: {W/2 + 1, H, D} for real signals, else the size.
  uint64_t spectrum_bytes = 0;  ///< Of SW * SH * SD pairs.
};

/// Validates the options and computes the plan. Errors: kInvalidArgument, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<VolumeTransformPlan> plan_volume_transform(const VolumeTransformOptions& options);

/// Options of a convolution of a volume.
struct VolumeConvolutionOptions {
  VolumeSize size;                         ///< 1 to 65535 per axis; the same limit holds for the domain in the plan.
  VoxelType source = VoxelType::kFloat32;  ///< Of the volume. Not kUint64.
  VoxelType target = VoxelType::kFloat32;  ///< Of the result: integers are rounded and clipped. Not kUint64.
  VolumeSize kernel_size{};                ///< 1 to 65535 per axis, also larger than the volume.
  VoxelType kernel = VoxelType::kFloat32;  ///< Of the kernel. Not kUint64.
  std::optional<VolumePoint> kernel_origin{};  ///< Kernel voxel that is aligned with the volume's; none: size / 2,
                                               ///< rounded down.
  Boundary boundary = Boundary::kZero;
  ConvolutionMode mode = ConvolutionMode::kSame;
  KernelScale scale = KernelScale::kNone;  ///< Both others: weights are divided by their sum.
};

/// The domain and the memory of a convolution.
struct VolumeConvolutionPlan {
  VolumeConvolutionOptions options;  ///< The options, with the origin resolved.
  ConvolutionAxis x, y, z;
  VolumeSize result_size;     ///< Size of the target.
  uint64_t memory_bytes = 0;  ///< That the call allocates, for one thread.
};

/// Validates the options and computes the plan. Errors: kInvalidArgument, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<VolumeConvolutionPlan> plan_volume_convolution(
    const VolumeConvolutionOptions& options);

/// The memory that a deconvolution of a volume may take by default, in bytes.
inline constexpr uint64_t kDefaultDeconvolutionBytes = uint64_t{1} << 31;

/// Options of a deconvolution of a volume by Richardson-Lucy.
struct VolumeDeconvolutionOptions {
  VolumeSize size;                         ///< 1 to 65535 per axis.
  VoxelType source = VoxelType::kFloat32;  ///< Of the volume. Not kUint64. Negative voxels and NaN count as 0, Inf as
                                           ///< the largest number.
  VoxelType target = VoxelType::kFloat32;  ///< Of the result, in the unit of the source: integers are rounded and
                                           ///< clipped. Not kUint64.
  VolumeSize kernel_size{};                ///< Size of the point spread function; any.
  VoxelType kernel = VoxelType::kFloat32;  ///< Of the kernel, which is scaled to sum 1. Not kUint64.
  std::optional<VolumePoint> kernel_origin{};  ///< As VolumeConvolutionOptions::kernel_origin.
  uint32_t iterations = 20;                    ///< 1 to 10000. More iterations: sharper and noisier.
  DeconvolutionAcceleration acceleration = DeconvolutionAcceleration::kNone;
  DeconvolutionStart start = DeconvolutionStart::kImage;  ///< kImage: without the background. kConstant: the largest
                                                          ///< power of 2 up to the brightest voxel of a tile.
  float background = 0;  ///< Of the detector and the medium, in the unit of the source: in the volume, not in the
                         ///< result. 0 or more.
  uint64_t max_bytes = kDefaultDeconvolutionBytes;  ///< Memory that the call allocates with one thread; decides the
                                                    ///< tiles.
  std::optional<VolumeSize> halo{};  ///< Voxels that a tile reads beyond itself on each side where the volume is
                                     ///< divided along an axis; none: half of the kernel's size, rounded up.
};

/// Where the voxels of a deconvolution are.
enum class VolumeAccess {
  kMemory,     ///< In memory, or mapped into it: tiles are read and written in place.
  kFunctions,  ///< Behind functions: the call allocates a tile's voxels and a plane of its result.
};

/// The tiles and the memory of a deconvolution.
struct VolumeDeconvolutionPlan {
  VolumeDeconvolutionOptions options;  ///< The options, with defaults resolved.
  VolumeAccess access = VolumeAccess::kMemory;
  VolumeSize tiles{1, 1, 1};  ///< Number of tiles per axis.
  VolumeSize tile;            ///< Voxels of a tile's result; the last one of an axis may have fewer.
  VolumeSize measured;        ///< Voxels of the volume that a tile reads.
  VolumeSize estimate;        ///< With the margin of kernel size - 1.
  VolumeSize domain;          ///< Size of the transforms.
  uint64_t memory_bytes = 0;  ///< Of the call with one thread; at most max_bytes. The system rounds arrays up
                              ///< to 2 MiB; sizes with a factor above 7 take a few rows more.
  uint64_t thread_bytes = 0;  ///< Of each further thread.
};

/// Validates the options and computes the plan. Errors: kInvalidArgument, naming the field and its value, also if the
/// smallest tiles need more than max_bytes.
[[nodiscard]] ONEPASS_API Result<VolumeDeconvolutionPlan> plan_volume_deconvolution(
    const VolumeDeconvolutionOptions& options, VolumeAccess access = VolumeAccess::kMemory);

namespace cpu {

// Results of all functions below are bit-identical for any number of threads and any SIMD target. Views are checked
// against the options; a target overlaps nothing else. Errors of all: those of the plan; kInvalidArgument if a view or
// a span does not match; kOutOfMemory; kCancelled.

/// Volume to spectrum. `source` has floats (kComplex: pairs); `spectrum` has spectrum_bytes. Cost: the volume is read,
/// the spectrum written, read and written. Relative L2 error: below 5e-7.
[[nodiscard]] ONEPASS_API Result<void> transform_volume(const VolumeTransformOptions& options, const VolumeView& source,
                                                        std::span<std::byte> spectrum, const VolumeTuning& tuning = {});

/// Spectrum to volume. Of a real signal only the Hermitian part of a spectrum is used. Allocates spectrum_bytes.
[[nodiscard]] ONEPASS_API Result<void> inverse_transform_volume(const VolumeTransformOptions& options,
                                                                std::span<const std::byte> spectrum,
                                                                const MutableVolumeView& target,
                                                                const VolumeTuning& tuning = {});

/// Convolves a volume with a kernel. The cost does not depend on the kernel. `target` has plan.result_size.
/// A voxel that is NaN or Inf spoils all others. Errors: also kBadData if weights are not finite or their sum, by which
/// they are scaled, is 0.
[[nodiscard]] ONEPASS_API Result<void> convolve_volume(const VolumeConvolutionOptions& options,
                                                       const VolumeView& source, const VolumeView& kernel,
                                                       const MutableVolumeView& target,
                                                       const VolumeTuning& tuning = {});

/// Removes a known blur from a volume in memory, or mapped into it. An iteration reads and writes the spectrum four
/// times. Errors: also kBadData if weights of the kernel are not finite, negative or all 0.
[[nodiscard]] ONEPASS_API Result<void> deconvolve_volume(const VolumeDeconvolutionOptions& options,
                                                         const VolumeView& source, const VolumeView& kernel,
                                                         const MutableVolumeView& target,
                                                         const VolumeTuning& tuning = {});

/// Reads the voxels of a box of the volume, in the type of the source.
using VolumeReader = std::function<Result<void>(VolumePoint first, VolumeSize size, const MutableVolumeView& voxels)>;

/// Takes the voxels of a box of the result, in the type of the target; they are valid during the call only.
using VolumeWriter = std::function<Result<void>(VolumePoint first, VolumeSize size, const VolumeView& voxels)>;

/// The same for a volume that is not in memory, VolumeAccess::kFunctions of the plan: each tile is read once, its halo
/// included, by one call, and written by calls for its planes in order, on the caller's thread. Errors: also those of
/// the functions.
[[nodiscard]] ONEPASS_API Result<void> deconvolve_volume(const VolumeDeconvolutionOptions& options,
                                                         const VolumeReader& read, const VolumeView& kernel,
                                                         const VolumeWriter& write, const VolumeTuning& tuning = {});

}  // namespace cpu
}  // namespace onepass
