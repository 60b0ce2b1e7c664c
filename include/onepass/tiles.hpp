// tiles.hpp: pyramids of pictures that are larger than memory: DeepZoom, pyramidal TIFF and COG, OME-Zarr, KTX2 and
// mip-mapped OpenEXR (target onepass::files).
//
// The base is read once, from top to bottom. Every level is made from unrounded finer levels while the rows pass, and
// its tiles are encoded by all cores and written. Memory holds a few rows of tiles, whatever the height of the picture.
//
//     onepass::tiles::TileOptions options{.input = {.path = "scan.tif"}, .output = "scan.dzi"};
//     auto report = onepass::tiles::make_tiles(options);
//     if (!report) return report.error();
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "onepass/export.h"
#include "onepass/files.hpp"
#include "onepass/image.hpp"
#include "onepass/reduction.hpp"
#include "onepass/result.hpp"

/// Tiled pyramids of pictures larger than memory.
namespace onepass::tiles {

/// Pixels of a mosaic that several files have.
enum class GridOverlap {
  kFirst,    ///< Those of the first of these files in the table.
  kAverage,  ///< The mean of all, of integers rounded to nearest: of numbers, not of sRGB colours or alpha.
};

/// The picture to read.
struct TileInput {
  /// TIFF and BigTIFF (strips or tiles; 1 to 16 and 32 bits, half, float; any number of channels), OME-TIFF, PNG, JPEG
  /// and OpenEXR are read by rows, OME-Zarr (a directory, Zarr version 2) by rows of chunks. Other types that
  /// files::read() reads are read as a whole. Orientation, transfer, primaries and profile are applied or passed on, as
  /// in the other operations; a picture that must be turned is held in memory. A run that resumes or merges notices
  /// other metadata of an OME-Zarr input, not other chunks. Whole slides (.svs, .ndpi, .scn, .mrxs, .vms, .vmu, .bif)
  /// are read by OpenSlide 3.4 or 4, which is loaded at run time: level 0, RGB of 8 bits. TIFF and OME-Zarr may be
  /// addresses, "https://host/scan.tif", which are read over HTTP by libcurl, loaded at run time. Empty if `grid` is
  /// set.
  std::filesystem::path path{};

  /// Pixels without a header: "WxH:FORMAT[:be][+OFFSET]". FORMAT is gray, rg, rgb or rgba and 8, 16, 32 (unsigned
  /// integers), 8s, 16s, 32s (signed), 16f or 32f, for example rgb8, gray16, rgba32f. Little-endian; ":be" is
  /// big-endian; OFFSET is the number of bytes before the first pixel. Empty: the file has a header.
  std::string raw{};

  /// The name of the files of a grid, with {x} for the column and {y} for the row, both from 0: "tile_{x}_{y}.png".
  /// Files of one row of the grid have the same height, files of one column the same width, all the same channels.
  /// Or a table, "positions.csv", with the columns file, x and y: a mosaic of files of any sizes at positions in
  /// pixels, rounded to whole ones. The smallest x and y become 0. Files without a folder are beside the table.
  std::string grid{};
  GridOverlap grid_overlap = GridOverlap::kFirst;  ///< Of a table.
  std::optional<double> grid_fill{};  ///< Of a table: every sample of pixels that no file has. None: they are an error.

  /// Limit in bytes for the memory of the run: rows of tiles, decoders, pictures that are turned, and files that are
  /// read as a whole.
  uint64_t max_bytes = files::kDefaultMaxBytes;
};

/// Compression of tiles in TIFF files and of chunks of OME-Zarr.
enum class TileCompression {
  kAuto,  ///< TIFF: JPEG for 8-bit grey and RGB, deflate for others. OME-Zarr: Zstandard.
  kNone,
  kJpeg,  ///< TIFF of 8-bit grey and RGB.
  kDeflate,
  kZstd,  ///< OME-Zarr, and TIFF, where readers with libtiff 4.0.10 or later are needed.
  kLzw,   ///< TIFF.
};

/// File format of DeepZoom tiles.
enum class TileFormat {
  kAuto,  ///< JPEG, or PNG for pictures with alpha or more than 8 bits.
  kJpeg,
  kPng,
  kWebp,
};

/// State of a run that make_tiles() passes to a callback.
struct TileProgress {
  uint64_t rows = 0;        ///< Rows of the base that have been reduced.
  uint64_t height = 0;      ///< All of them.
  uint64_t texels = 0;      ///< Texels of the base in these rows.
  uint64_t tiles = 0;       ///< Tiles written.
  uint64_t tiles_kept = 0;  ///< Tiles kept from an interrupted run.
  uint64_t bytes_written = 0;
  double seconds = 0;  ///< Since the start.
};

/// The largest number of shards.
inline constexpr uint32_t kMostShards = 1000000;

/// One of `count` runs that make a pyramid together, in any order, on any machines with a common file system. Each
/// makes the tiles of a band of rows, level 0 to some coarse level, and reads the rows of the base that these need.
/// Then one run with TileOptions::merge makes the other levels and puts the output in its place. The output has the
/// same bytes for any number of shards and without shards.
///
/// All runs have the same input, output and options. Work and results of shards are in unfinished_path(). A shard that
/// has ended is not made again; one that was interrupted starts again. A shard of a picture of few rows may be empty.
struct TileShard {
  uint32_t index = 0;
  uint32_t count = 0;  ///< 0: no shard.
};

/// Options of make_tiles().
struct TileOptions {
  TileInput input{};

  /// The type follows from the extension. ".dzi": DeepZoom, the descriptor and a directory NAME_files beside it.
  /// ".tif", ".tiff": pyramidal tiled BigTIFF. ".zarr": a directory, OME-Zarr 0.4 (Zarr version 2). ".ktx2", ".exr":
  /// all levels of a picture that fits into memory.
  std::filesystem::path output{};

  uint32_t levels = 0;     ///< Number of levels including the base. 0: DeepZoom, KTX2 and OpenEXR down to 1x1, others
                           ///< until a level fits into one tile.
  uint32_t tile_size = 0;  ///< Edge of a tile in texels without overlap, 16 to 16384. 0: 254 for DeepZoom, else 256.
                           ///< TIFF: a multiple of 16.
  int32_t overlap = -1;    ///< DeepZoom: texels that a tile shares with each neighbour; -1: 1. Others: 0.
  Reduction reduction = Reduction::kMean;  ///< kMean, kMin, kMax, or kMode for labels: one channel of unsigned integers
                                           ///< of 8, 16 or 32 bits, not for KTX2 and OpenEXR. Tiles of labels are
                                           ///< lossless, and `color` stays kAuto.
  files::Color color = files::Color::kAuto;  ///< Whether the mean is that of decoded sRGB colours. kAuto: as the file
                                             ///< states. Without a statement 8 bits are sRGB, unless there are GeoTIFF
                                             ///< tags without RGB, and so are colours of PNG; all others are linear.
  TileFormat tile_format = TileFormat::kAuto;
  TileCompression compression = TileCompression::kAuto;
  int quality = 75;     ///< Of JPEG and WebP, 1 to 100.
  bool cog = false;     ///< TIFF: a Cloud Optimized GeoTIFF: directories first, then the levels, coarsest first.
  bool viewer = false;  ///< DeepZoom: also writes NAME.html, a page that shows the result without a network.

  bool resume = false;  ///< Continues the unfinished output of an interrupted run with the same input and options.

  TileShard shard{};   ///< Makes this shard only. Not for KTX2 and OpenEXR.
  uint32_t merge = 0;  ///< Joins this many shards. 0: no merge. `input` is opened for its size and type only.

  uint32_t threads = 0;  ///< Tuning: 0 = usable_threads(). The output has the same bytes for every number.

  /// Called on the calling thread some times per second, and with the last state when all tiles are encoded, or before
  /// the file is written (KTX2, OpenEXR); with height 0 while a server is asked for the input. False: the run ends with
  /// kCancelled and leaves an unfinished output that `resume` continues; KTX2 and OpenEXR leave nothing.
  std::function<bool(const TileProgress&)> progress{};
};

/// Rows and bytes of a shard, or of a merge.
struct TileTraffic {
  uint32_t first_row = 0;     ///< The first row of the base under the shard's tiles, without overlap.
  uint32_t rows = 0;          ///< The number of these rows.
  uint32_t rows_read = 0;     ///< Rows of the base that were read, with overlaps.
  uint32_t rows_skipped = 0;  ///< Rows above them. PNG and JPEG decode them, the other types do not read them.
  uint32_t kept_level = 0;    ///< The coarsest level of the shards.
  uint64_t base_bytes = 0;    ///< Decoded bytes of the rows read.
  uint64_t kept_bytes = 0;    ///< Unrounded rows of kept_level, written by shards and read by the merge.
  uint64_t joined_bytes = 0;  ///< Tiles that a merge copied from the files of shards. 0 for DeepZoom and OME-Zarr.
  bool was_complete = false;  ///< An earlier run has made the shard; this one did nothing.
};

/// A finished run.
struct TileReport {
  std::vector<std::filesystem::path> outputs;  ///< Files and directories that were made.
  std::vector<Extent> sizes;                   ///< One per level.
  uint32_t channels = 0;
  std::string sample;      ///< "uint8", "uint16", "half", "float" and so on.
  bool srgb = false;       ///< The mean was that of decoded sRGB colours.
  uint32_t tile_size = 0;  ///< 0: KTX2 and OpenEXR, which have no tiles.
  std::string encoding;    ///< "jpeg", "png", "deflate" and so on.
  TileProgress progress;   ///< At the end.
  TileTraffic traffic;     ///< Of shards and merges.
  std::vector<std::string> warnings;
};

/// The version of OpenSlide on this machine, "3.4.1"; empty without one. Whole slides are read by it.
[[nodiscard]] ONEPASS_API std::string openslide_version();

/// The directory in which an interrupted run leaves its work: `output` with ".unfinished" appended.
[[nodiscard]] ONEPASS_API std::filesystem::path unfinished_path(const std::filesystem::path& output);

/// Makes the pyramid. Before anything is written, outputs are compared with all inputs; NAME_files, NAME.html and
/// NAME.zarr are replaced only if an earlier call has made them for this output and hold no file of another kind. Old
/// outputs stay until the new ones are complete. After an error of the input nothing is left; after a failed read or
/// write, a lack of memory, an interruption or the death of the process, unfinished_path() is left, which a run with
/// `resume` continues: it reads and reduces the input again and encodes only the tiles that are missing or that differ
/// from their recorded sizes and checksums.
///
/// Footprint: `ceil` for DeepZoom, TIFF and OME-Zarr: level n has size ceil(size / 2^n). `covering` for KTX2 and EXR.
/// Memory: one row of tiles per level, three of the base, two of which are being encoded; and rows of the
/// reduction, at most 150 of the base; independent of the height.
/// Errors: those of files::read(); kInvalidArgument for options out of range or without meaning for the output, for
/// outputs that are inputs or hold them, and for shards of another input or with other options; kBadData also for
/// damaged shards; kUnsupported for pixels that the output cannot hold; kNotFound for a merge of shards that are
/// missing or not complete; kIo, also for a file or directory that no earlier call has made; kOutOfMemory, kCancelled.
/// Threads: any number of calls at once, for different outputs or different shards.
[[nodiscard]] ONEPASS_API Result<TileReport> make_tiles(const TileOptions& options);

}  // namespace onepass::tiles
