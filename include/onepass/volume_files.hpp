// volume_files.hpp: pyramids of volumes (3-D images) in files: OME-Zarr from OME-Zarr, TIFF stacks, NIfTI, numbered
// pictures and raw voxels (target onepass::files). The volume need not fit into memory.
//
//     onepass::volumes::VolumeFileOptions options{.input = {.path = "brain.zarr"}, .output = "pyramid.zarr"};
//     auto report = onepass::volumes::make_volume(options);
//     if (!report) return report.error();
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "onepass/export.h"
#include "onepass/fourier_volume.hpp"
#include "onepass/reduction.hpp"
#include "onepass/result.hpp"
#include "onepass/volume_stream.hpp"

/// Pyramids of volumes in files.
namespace onepass::volumes {

/// The volume to read.
struct VolumeInput {
  /// OME-Zarr (a directory; Zarr 2 or 3), an OME-TIFF, ImageJ or plain stack of TIFF pages, or NIfTI-1 and -2.
  /// OME-Zarr and TIFF may be addresses, "https://host/brain.zarr", which are read over HTTP by libcurl, loaded at run
  /// time. Empty if `planes` is set.
  std::filesystem::path path{};

  /// Voxels without a header: "XxYxZ:FORMAT[:be][+OFFSET]". FORMAT is uint8, int8, uint16, int16, uint32, int32,
  /// uint64, float16 or float32. x varies fastest. Little-endian; ":be" is big-endian; OFFSET is the number of bytes
  /// before the first voxel. Empty: the file has a header.
  std::string raw{};

  /// The name of files of one plane each, with {z} for a number: "plane_{z}.tif". The planes are all files of such a
  /// name, in the order of their numbers, which have no gaps.
  std::string planes{};

  /// The extents of a voxel in micrometres, in place of what the file states.
  std::optional<VoxelSize> voxel{};
};

/// Codec of the chunks of an output. Blosc sorts the bytes of voxels by significance and then compresses them.
enum class VolumeCompression {
  kZstd,  ///< Zstandard of level 3.
  kNone,
  kBloscLz4,   ///< Blosc with LZ4, level 5: the default of many writers of Zarr 2; fast.
  kBloscZstd,  ///< Blosc with Zstandard: smaller than kZstd where voxels have more than one byte.
};

/// The deconvolution of a volume before its pyramid is made, by Richardson-Lucy: VolumeDeconvolutionOptions has more on
/// each field.
struct VolumeFileDeconvolution {
  /// The measured point spread function (PSF): one volume, or one per channel. Weights are finite, not negative and not
  /// all 0; they are divided by their sum. Its voxels are taken to be as large as those of the volume: other extents
  /// are a warning.
  VolumeInput kernel{};
  std::optional<VolumePoint>
      kernel_origin{};       ///< Its voxel at the position of the light; none: size / 2, rounded down.
  uint32_t iterations = 20;  ///< 1 to 10000.
  DeconvolutionAcceleration acceleration = DeconvolutionAcceleration::kNone;
  DeconvolutionStart start = DeconvolutionStart::kImage;
  float background = 0;              ///< In the volume, not in the result; in the unit of its voxels. 0 or more.
  std::optional<VolumeSize> halo{};  ///< Of a tile. None: half of the kernel's size, rounded up.
  bool as_float = false;  ///< The output is float32; else of the input's type, rounded to nearest and clipped.
};

/// State of a run that make_volume() passes to a callback.
struct VolumeProgress {
  uint64_t voxels = 0;         ///< Voxels of the base, and of unrounded levels, that have been reduced.
  uint64_t all_voxels = 0;     ///< All of them in this run.
  uint64_t blocks = 0;         ///< Blocks made.
  uint64_t blocks_kept = 0;    ///< Blocks kept from an interrupted run.
  uint64_t bytes_written = 0;  ///< Of chunks, shards and unrounded levels.
  double seconds = 0;          ///< Since the start.
  double deconvolved = 0;      ///< The part of this run's deconvolutions that is done, 0 to 1.
};

/// One of `count` runs that make a pyramid together, in any order, on any machines with a common file system. Each
/// makes a share of the blocks, level 0 to some coarse level. Then one run with VolumeFileOptions::merge makes the
/// other levels and puts the output in its place. The output has the same bytes for any number of shards and without
/// shards. All runs have the same input, output and options. A shard that was interrupted continues when it is run
/// again; one that has ended does nothing. (Shards of a Zarr array are something else: files of several chunks.)
struct VolumeShard {
  uint32_t index = 0;
  uint32_t count = 0;  ///< 0: no shard.
};

/// The largest number of shards of a run.
inline constexpr uint32_t kMostVolumeShards = 1000000;

/// VolumeFileOptions::max_bytes by default.
inline constexpr uint64_t kDefaultVolumeBytes = uint64_t{1} << 30;

/// Options of make_volume().
struct VolumeFileOptions {
  VolumeInput input{};
  std::filesystem::path output{};  ///< A directory NAME.zarr.

  /// Axes that each level halves; the last step is repeated as long as it makes an axis smaller that has more voxels
  /// than a chunk. Axes of one voxel are not halved. Empty: isotropic_steps() for the voxel's extents.
  std::vector<VolumeStep> steps{};
  uint32_t levels = 0;                     ///< Number of levels with the base. 0: until a level fits into one chunk.
  Reduction reduction = Reduction::kMean;  ///< kMean, kMin, kMax, or kMode for labels.

  uint32_t zarr_version = 3;  ///< 3: OME-NGFF 0.5. 2: OME-NGFF 0.4, for readers without Zarr 3.

  /// Voxels of a chunk, 1 to 4096 per axis. All 0: 64 per axis; of volumes of fewer planes than 64 fewer planes, and
  /// wider ones of 32 planes and less, of about as many voxels.
  VolumeSize chunk{};

  /// Voxels of a file of chunks (Zarr 3, codec sharding_indexed), a multiple of the chunk per axis. All 0: four chunks
  /// per axis. The size of the chunk: one chunk per file. Zarr 2 has one chunk per file.
  VolumeSize shard_size{};
  VolumeCompression compression = VolumeCompression::kZstd;

  /// Deconvolves each channel and time first, in OUT.unfinished, which holds one whole volume of the output's type
  /// meanwhile. Not for shards: each would deconvolve the whole volume.
  std::optional<VolumeFileDeconvolution> deconvolution{};

  /// Limit in bytes for the memory of the run. It decides the size of blocks, but no byte of the output, unless a
  /// volume is deconvolved: one whose deconvolution needs more than 7/8 of the limit is divided into tiles.
  uint64_t max_bytes = kDefaultVolumeBytes;

  bool viewer = false;  ///< Also writes NAME.html, a page that shows the output from any web server.
  bool resume = false;  ///< Continues the unfinished output of an interrupted run with the same input and options.
  VolumeShard shard{};  ///< Makes this shard only.
  uint32_t merge = 0;   ///< Joins this many shards. 0: no merge. `input` is opened for its size and type only.

  uint32_t threads = 0;  ///< Tuning: 0 = usable_threads(). The output has the same bytes for every number.

  /// Called on the calling thread some times per second, and with the last state; with all_voxels 0 while a server is
  /// asked for the input. While a volume is deconvolved, another thread of the run may call it instead, never two at
  /// once. False: the run ends with kCancelled and leaves an unfinished output that `resume` continues.
  std::function<bool(const VolumeProgress&)> progress{};
};

/// A finished run.
struct VolumeFileReport {
  std::filesystem::path output;   ///< What was made: the output, or the directory of a shard.
  std::filesystem::path viewer;   ///< The page that was made; empty: none.
  std::vector<VolumeSize> sizes;  ///< One per level.
  std::vector<VolumeStep> steps;  ///< steps[n] leads to level n + 1.
  VoxelType type = VoxelType::kUint8;
  uint32_t times = 1;
  uint32_t channels = 1;
  VolumeSize chunk;
  VolumeSize shard_size;       ///< Of files; the chunk's if they hold one chunk each.
  VolumeSize block;            ///< Voxels of the base that were reduced at a time.
  uint32_t block_level = 0;    ///< The coarsest level that blocks of the base make.
  uint64_t planned_bytes = 0;  ///< Memory that the run was planned with.
  bool was_complete = false;   ///< A shard that an earlier run has made, or an output that it has finished.
  VolumeSize deconvolution_tiles{0, 0, 0};  ///< Tiles per axis; 0: no deconvolution.
  VolumeProgress progress;                  ///< At the end.
  std::vector<std::string> warnings;
};

/// Makes a pyramid of volumes as OME-Zarr, in blocks: boxes of the base whose levels are made together, so that each
/// voxel of the base is read once. Times and channels are volumes of their own. Level n has ceil(size / step) voxels
/// per axis, as VolumeStream makes them, bit for bit.
///
/// Nothing of the user's is destroyed: the output is made in tiles::unfinished_path(), compared with the inputs before,
/// and replaces an old one only if an earlier call of make_volume() or make_tiles() has made that and it holds nothing
/// else, a page only if it shows this output. After a failed read or write, a lack of memory, an interruption or the
/// death of the process the unfinished output is left, which a run with `resume` continues: at most the blocks of some
/// seconds are made again.
///
/// Memory: docs/volumes.md, "Files"; it does not depend on the size of the volume.
/// Errors: those of the input and of the point spread function; kInvalidArgument for options out of range, for outputs
/// that are inputs or hold them, and for shards of another input or with other options; kUnsupported for Blosc in a
/// build without it; kNotFound for a merge of shards that are missing or not complete; kIo, also for a directory that
/// no earlier call has made; kOutOfMemory, also if max_bytes is too small for a block; kCancelled. Threads: any number
/// of calls at once, for different outputs or different shards.
[[nodiscard]] ONEPASS_API Result<VolumeFileReport> make_volume(const VolumeFileOptions& options);

}  // namespace onepass::volumes
