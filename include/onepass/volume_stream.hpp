// volume_stream.hpp: pyramids of volumes (3-D images): planes of the base in, planes of every level out.
//
//     planes of the base, in order                  planes of the levels, as soon as they are complete
//     push(planes, ..., count)  -->  VolumeStream  -->  sink(level 1, plane 0), sink(level 1, plane 1), sink(level 2,
//                                                       plane 0), ...
//
// A volume is a stack of planes: width x height voxels each, one or more channels interleaved. Its values are numbers,
// not light: an 8-bit voxel is 0 to 255, a 16-bit one of a CT scan may be negative. A stream stores a few planes per
// level, never the volume. Level sizes round up, as in OME-Zarr and Neuroglancer, and each level halves the axes that
// its step names: microscopes sample the planes farther apart than the voxels of a plane.
//
//     onepass::VolumeOptions options{.size = {2048, 2048, 700}, .type = onepass::VoxelType::kUint16};
//     options.steps = onepass::isotropic_steps(options.size, {.x = 0.4, .y = 0.4, .z = 2.0});  // micrometres
//     auto stream = onepass::cpu::VolumeStream::create(options, [&](const onepass::cpu::VolumePlane& plane) {
//       return write_plane(arrays[plane.level], plane.z, plane.data, plane.row_stride);  // a Result<void>
//     });
//     if (!stream) return stream.error();
//     while (reader.next(&plane)) {
//       if (auto done = stream->push(plane.data, plane.row_stride, 0, 1); !done) return done.error();
//     }
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "onepass/export.h"
#include "onepass/progress.hpp"
#include "onepass/reduction.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// The numbers that a volume holds, in the byte order of the machine. They need not be aligned.
enum class VoxelType : uint32_t {
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kUint64,   ///< Labels; not kMean, whose sums would not be exact.
  kFloat16,  ///< IEEE 754 half precision.
  kFloat32,
};

/// The properties of a VoxelType.
struct VoxelInfo {
  VoxelType type = VoxelType::kUint8;
  std::string_view name;  ///< As NumPy calls it: "uint8".
  uint32_t bytes = 0;     ///< Bytes of a voxel's channel: 1, 2, 4 or 8; 0 for a number that is no VoxelType.
};

/// The properties of `type`; VoxelInfo::bytes is 0 if it is unknown.
[[nodiscard]] ONEPASS_API const VoxelInfo& voxel_info(VoxelType type);

/// The size of a volume in voxels.
struct VolumeSize {
  uint32_t width = 0;   ///< x
  uint32_t height = 0;  ///< y
  uint32_t planes = 0;  ///< z
  friend bool operator==(const VolumeSize&, const VolumeSize&) = default;
};

/// The factors between a level and the finer one before it, per axis: 1 or 2.
struct VolumeStep {
  uint32_t x = 2;
  uint32_t y = 2;
  uint32_t z = 2;
  friend bool operator==(const VolumeStep&, const VolumeStep&) = default;
};

/// The extents of a voxel, in any one unit of length.
struct VoxelSize {
  double x = 1.0;
  double y = 1.0;
  double z = 1.0;
};

/// Options of a volume pyramid.
struct VolumeOptions {
  VolumeSize size;                         ///< Size of the base, 1 to 2^31 per axis.
  VoxelType type = VoxelType::kUint8;      ///< Of the base and of every level.
  uint32_t channels = 1;                   ///< Interleaved numbers of a voxel, 1 to 4. kMode: 1.
  Reduction reduction = Reduction::kMean;  ///< kMean, kMin, kMax, or kMode of integers.
  std::vector<VolumeStep> steps = {};      ///< steps[0] leads to level 1: 1 to 31 of them. isotropic_steps() has some.
};

/// Steps that bring voxels nearer to a cube, then keep them so, until no axis has more than `largest` voxels: each step
/// halves every axis whose voxel extent is below sqrt(2) times the smallest. The others stay, because the voxel is then
/// nearer to a cube than with them. Axes of one voxel neither count nor are halved. Voxels of 4 x 4 x 40 nm: three
/// steps {2, 2, 1}, then {2, 2, 2}: 32 x 32 x 40, 64 x 64 x 80. In the end extents of a voxel differ by at most sqrt(2)
/// if two of them are equal, else by less than 2, unless axes come to an end before. At most 31 steps; none for a
/// `voxel` whose extents are not positive and finite. `largest` 0 counts as 1.
[[nodiscard]] ONEPASS_API std::vector<VolumeStep> isotropic_steps(VolumeSize size, VoxelSize voxel = {},
                                                                  uint32_t largest = 64);

/// The part of a pyramid that one stream makes, so that boxes of a volume can be reduced one by one, on any machines.
///
///     levels 1 to 3 of a box         one stream each: steps[0] to steps[2], size of the box, keep_unrounded
///     levels 4 and up                one stream over the planes that the others have kept: all steps, first_level = 3
///
/// A box begins, per axis, at a multiple of the cell of its last level, and ends at another or where the volume ends.
/// Its levels then have the bits of a stream over the whole volume, whose first voxel there is the box's first divided
/// by the cell. VolumeOptions::size is the size of the box in voxels of the base, whatever the first level.
struct VolumePart {
  /// The level of the planes that push() takes. 0: voxels of the base. Else unrounded planes, as VolumePlane::unrounded
  /// had them; less than the number of steps.
  uint32_t first_level = 0;
  bool keep_unrounded = false;  ///< Planes of the last level come with VolumePlane::unrounded.
  VolumeSize whole{};           ///< The volume that the box is a part of: boxes have its sums. All 0: the box is all.
};

/// The levels of a volume pyramid and its costs.
struct VolumePlan {
  std::vector<VolumeSize> sizes;          ///< sizes[n] is the size of level n; there is one more than steps.
  std::vector<uint32_t> unrounded_bytes;  ///< Of a number of level n between levels: a sum of a mean, else a voxel.
  uint64_t bytes_read = 0;                ///< The base, read once; of a part its first level.
  uint64_t bytes_written = 0;             ///< Levels 1 and up, written once; of a part those after its first.
  /// Bytes that a stream allocates for one thread: the planes of docs/volumes.md. With N threads up to N - 1 times
  /// `thread_bytes` more.
  uint64_t stream_bytes = 0;
  uint64_t thread_bytes = 0;  ///< Working rows of a thread.
};

/// Validates the options and computes the plan of a stream. A level has ceil(size / step) voxels per axis.
/// Errors: kInvalidArgument, naming the field and its value; kUnsupported for sums of a mean that 64 bits do not hold:
/// cells of more than 2^31 voxels of 32 bits.
[[nodiscard]] ONEPASS_API Result<VolumePlan> plan_volume(const VolumeOptions& options, const VolumePart& part = {});

namespace cpu {

/// Voxels that the caller owns and onepass reads. Channel c of voxel (x, y, z) begins at byte
///     data + z * plane_stride + y * row_stride + (x * channels + c) * bytes of the type.
struct VolumeView {
  const void* data = nullptr;
  size_t row_stride = 0;    ///< Bytes from one row to the next.
  size_t plane_stride = 0;  ///< Bytes from one plane to the next; not used if there is one plane.
};

/// Voxels that the caller owns and onepass writes, as in VolumeView.
struct MutableVolumeView {
  void* data = nullptr;
  size_t row_stride = 0;
  size_t plane_stride = 0;
};

/// A finished plane of a level. The voxels are valid during the call of the sink only.
struct VolumePlane {
  uint32_t level = 0;          ///< 1 and up.
  uint32_t z = 0;              ///< Index of the plane; each level's planes come in order, without gaps.
  uint32_t width = 0;          ///< Voxels of a row.
  uint32_t height = 0;         ///< Rows.
  const void* data = nullptr;  ///< The first row, in VolumeOptions::type.
  size_t row_stride = 0;       ///< Bytes from one row to the next.

  /// The same plane unrounded, with VolumePlan::unrounded_bytes for a number: what a stream of coarser levels takes.
  /// Null but for the last level of a part that keeps it.
  const void* unrounded = nullptr;
  size_t unrounded_row_stride = 0;  ///< Bytes from one row to the next.
};

/// Receives finished planes, inside push() and on its thread. An error that it returns ends the stream: push() returns
/// it. A finer level is never behind a coarser one.
using VolumeSink = std::function<Result<void>(const VolumePlane&)>;

/// Tuning of volumes; it never changes a voxel.
struct VolumeTuning {
  uint32_t threads = 0;    ///< At most this many threads; 0 = usable_threads().
  Progress progress = {};  ///< The fraction of the base's planes that is reduced.
};

/// Makes a volume pyramid from planes that arrive in order.
///
/// Voxel i of a level, per axis, stands for the base voxels [i*f, min(size, (i+1)*f)), where f is the product of the
/// steps: its cell.
///
///   kMean        The mean of all base voxels of the cell, each with the same weight, also at borders. Integers have
///                exact sums and are rounded once per level, to nearest, of two equally near to the even one. Floats
///                are added in double, in one order, and rounded to float, then to half.
///   kMin, kMax   Of all base voxels of the cell. -0 is less than +0; results with NaN are not specified.
///   kMode        The most frequent of the up to eight labels one level finer; the smallest of equally frequent ones.
///
/// Results are bit-identical for any division into calls, any number of threads and any SIMD target (floats: of volumes
/// without NaN). Memory, whatever the number of planes: VolumePlan::stream_bytes.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API VolumeStream {
 public:
  /// Validates the options and allocates all memory.
  /// Errors: those of plan_volume(); kInvalidArgument for an empty sink; kOutOfMemory.
  static Result<VolumeStream> create(const VolumeOptions& options, VolumeSink sink, const VolumeTuning& tuning = {});

  /// The same for a part of a pyramid. Errors: also kInvalidArgument for a part without levels.
  static Result<VolumeStream> create_part(const VolumeOptions& options, const VolumePart& part, VolumeSink sink,
                                          const VolumeTuning& tuning = {});

  /// Takes the next `count` planes of the base and passes the planes that they complete to the sink. Where the first
  /// step halves z, a plane without its neighbour in the same call is copied, so that calls with an even number of
  /// planes cost the least. The last plane of the base completes all levels: nothing else ends a stream.
  /// `row_stride`: bytes from one row to the next; `plane_stride`: from one plane to the next, not used if count is 1.
  /// Errors: kInvalidArgument if `planes` is null, a stride is less than a row or a plane, or more planes come than the
  /// base has; the error of the sink; kCancelled; kOutOfMemory. After one of the last three every call returns it.
  Result<void> push(const void* planes, size_t row_stride, size_t plane_stride, uint32_t count);

  [[nodiscard]] uint32_t planes_pushed() const;  ///< Planes that push() has taken.
  [[nodiscard]] size_t row_bytes() const;        ///< Bytes of a row that push() takes.
  [[nodiscard]] const VolumePlan& plan() const;  ///< Sizes of the levels and costs.

  VolumeStream(VolumeStream&&) noexcept;
  VolumeStream& operator=(VolumeStream&&) noexcept;
  ~VolumeStream();

 private:
  struct Impl;
  ONEPASS_INTERNAL explicit VolumeStream(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Makes levels 1 and up of a volume in memory (or mapped into it) by a stream: levels[n-1] receives level n. The views
/// must not overlap the source or each other.
/// Errors: those of VolumeStream; kInvalidArgument if the number of views or a stride does not match the options.
[[nodiscard]] ONEPASS_API Result<void> build_volume(const VolumeOptions& options, const VolumeView& source,
                                                    std::span<const MutableVolumeView> levels,
                                                    const VolumeTuning& tuning = {});

}  // namespace cpu
}  // namespace onepass
