// output.hpp: where encoded tiles become files. One class per output type.
//
// The files of an output are made in a working directory, the unfinished output, and put in place by finish(). Tiles
// are encoded on any thread. A directory of tiles stores each tile when it is encoded; a single file stores the tiles
// of one band after the other, row by row and from left to right, in the order of TileOrder, so that its bytes depend
// neither on the threads nor on the number of shards.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onepass/tiles.hpp"
#include "remote/site.hpp"
#include "tiles/band.hpp"
#include "tiles/compress.hpp"
#include "tiles/picture_header.hpp"
#include "tiles/row_plan.hpp"
#include "tiles/tile_image.hpp"

namespace onepass::tiles {

/// The shortest time between two calls of TileOptions::progress, but for the last.
constexpr auto kReportEvery = std::chrono::milliseconds(100);

/// What a run makes of a pyramid.
enum class Role {
  kWhole,
  kShard,  ///< Rows of tiles up to some level, for a merge.
  kMerge,  ///< The coarser levels, and the files that join everything.
};

/// Facts about the pyramid that all outputs need.
struct OutputPlan {
  TileOptions options;  ///< With defaults resolved.
  PictureHeader header;
  bool srgb = false;             ///< Values are encoded by sRGB.
  std::optional<double> nodata;  ///< Value that counts as none.
  std::vector<TileGrid> grids;   ///< One per level, finest first.
  Role role = Role::kWhole;
  RowPlan rows;                ///< Rows of texels and of tiles that this run makes.
  std::filesystem::path work;  ///< The directory of the unfinished output.
  std::filesystem::path part;  ///< The directory of files that append() writes: `work`, or that of a shard.
  uint32_t threads = 1;
  remote::SitePtr site;  ///< Of the input, if that is behind HTTP.
};

/// One tile and its place. `plane`: 0 to Output::planes() - 1.
struct Tile {
  uint32_t level = 0;
  uint32_t column = 0;
  uint32_t row = 0;
  uint32_t plane = 0;
  TilePixels pixels;
};

class Output {
 public:
  virtual ~Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Pieces that each tile is stored as: 1, or the number of channels if they are stored apart.
  [[nodiscard]] virtual uint32_t planes() const { return 1; }

  /// Whether append() stores the tiles; else store() does.
  [[nodiscard]] virtual bool ordered() const = 0;

  /// The stored bytes of a tile. Called on any thread, also concurrently. May throw std::exception.
  [[nodiscard]] virtual Bytes encode(const Tile& tile) const = 0;

  /// The file that store() writes a tile to. Its pixels do not matter.
  [[nodiscard]] virtual std::filesystem::path tile_path(const Tile& tile) const;

  /// Stores a tile as a file. Called on any thread, also concurrently.
  Result<void> store(const Tile& tile, std::span<const std::byte> bytes) const;

  /// Stores the tiles of one row of tiles, by planes, each from left to right. Called by one thread at a time.
  virtual Result<void> append(uint32_t level, uint32_t row, std::span<const Bytes> tiles);

  /// The journal's entry for the last append(): offset, checksum and sizes of its tiles.
  [[nodiscard]] virtual std::string journal_entry() const { return {}; }

  /// Whether the tiles of a row have the sizes and checksums of their journal entry. `part`: the directory of the files
  /// that append() wrote. Called on any thread, also concurrently. Errors: kIo.
  [[nodiscard]] virtual Result<bool> is_intact(uint32_t level, uint32_t row, const std::filesystem::path& part,
                                               const std::string& entry) const;

  /// Takes over a row of tiles of an interrupted run, by its journal entry, in the order of append(). False: it does
  /// not follow the row before.
  virtual bool restore(uint32_t level, uint32_t row, const std::string& entry);

  /// Syncs all tiles that have been stored or appended. Called on any thread. Errors: kIo.
  [[nodiscard]] virtual Result<void> sync() const;

  /// Takes over a row of tiles that a shard has appended to its files, which are in the directory `part`, with its
  /// journal entry. Called in the order of append(), by one thread at a time. Returns the number of bytes.
  virtual Result<uint64_t> join(uint32_t level, uint32_t row, const std::filesystem::path& part,
                                const std::string& entry);

  /// Completes the files and puts them in place of the old ones. Returns what was made.
  virtual Result<std::vector<std::filesystem::path>> finish() = 0;

  [[nodiscard]] virtual std::string encoding_name() const = 0;

 protected:
  explicit Output(const OutputPlan& plan) : plan_(plan) {}

  OutputPlan plan_;
};
using OutputPtr = std::unique_ptr<Output>;

/// Size and checksum of a tile in a file, in entries of the journal.
struct TileRecord {
  uint64_t bytes = 0;
  uint32_t crc = 0;
};
std::string entry_of(std::span<const TileRecord> records);

/// The numbers of a journal entry; none if there is anything else in it.
std::optional<std::vector<uint64_t>> numbers_of(const std::string& entry);

/// "mean", "min", "max" or "mode"; null for a reduction that tiles do not have.
const char* reduction_name(Reduction reduction);

/// The method that the metadata of OME-Zarr outputs state.
inline constexpr const char* kZarrMethod = "onepass tiles";

/// Types of outputs, by extension.
enum class OutputType { kDeepZoom, kTiff, kZarr, kKtx2, kExr, kUnknown };
OutputType output_type(const std::filesystem::path& path);

Result<OutputPtr> make_output(const OutputPlan& plan);
Result<OutputPtr> make_deep_zoom(const OutputPlan& plan);
Result<OutputPtr> make_tiff(const OutputPlan& plan);
Result<OutputPtr> make_zarr(const OutputPlan& plan);

/// Writes the web page that shows a DeepZoom pyramid: `descriptor` is the name of the .dzi beside it.
std::string viewer_page(const OutputPlan& plan, const std::string& title, const std::string& tiles_directory,
                        const std::string& extension);

/// Whether a page shows the tiles in the directory of this name beside it, and is a page of viewer_page().
bool is_own_viewer(const std::string& page, const std::string& tiles_directory);

/// Whether a .dzi file has exactly the form in which DeepZoom outputs are written, whatever its numbers.
bool is_own_descriptor(const std::string& text);

/// The colour profile that tiles on the web need: the picture's own, unless that is sRGB or does not fit the layout.
std::span<const std::byte> web_profile(const OutputPlan& plan);

}  // namespace onepass::tiles
