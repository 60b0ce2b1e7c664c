// row_source.hpp: a picture as rows from top to bottom, read on demand, so that it need not fit into memory.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "onepass/tiles.hpp"
#include "tiles/file_io.hpp"
#include "tiles/picture_header.hpp"
#include "tiles/worker_pool.hpp"

namespace onepass::tiles {

/// Delivers every row once, in order. A source is used by one thread at a time; it may decode on `pool` meanwhile.
class RowSource {
 public:
  virtual ~RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const PictureHeader& header() const { return header_; }
  [[nodiscard]] Extent size() const { return header_.size; }
  [[nodiscard]] const PixelLayout& layout() const { return header_.layout; }
  [[nodiscard]] Transfer transfer() const { return transfer_; }
  [[nodiscard]] size_t row_bytes() const { return layout().pixel_bytes() * size().width; }

  /// Number of rows that are decoded together: the height of a strip or tile. Reading multiples of it is cheapest.
  [[nodiscard]] virtual uint32_t block_rows() const { return 1; }

  /// Bytes that reading holds besides the rows of the caller.
  [[nodiscard]] virtual uint64_t memory_bytes() const { return 0; }

  /// Copies the next `rows` rows to `out`, `stride` bytes apart. The caller never asks for more rows than are left.
  /// Errors: kIo, kBadData, with the file as context.
  virtual Result<void> read(uint32_t rows, std::byte* out, size_t stride) = 0;

  /// Leaves out the next `rows` rows; read() continues behind them. Types with random access read
  /// nothing of them; the others read and decode them. Errors: those of read().
  virtual Result<void> skip(uint32_t rows);

  /// Closes handles of the file that read() opens again when it needs them.
  virtual void release_handles() {}

 protected:
  RowSource() { header_.colors.numbers = true; }

  [[nodiscard]] Error error(ErrorCode code, std::string message) const { return {code, std::move(message), name_}; }

  std::string name_;
  PictureHeader header_;  ///< Behind as_meant(), `colors` are the profile and the primaries of the rows.
  Transfer transfer_ = Transfer::kUnknown;
};

using SourcePtr = std::unique_ptr<RowSource>;

/// Opens the picture that `input` names; the type follows from the content, from input.raw and input.grid, or from the
/// extension of a whole slide. Rows are upright and sRGB or linear, see as_meant(); `color` other than kAuto leaves the
/// values as they are stored.
/// Errors: kNotFound, kIo, kBadData, kUnsupported, kInvalidArgument, kOutOfMemory.
/// `site`: where input.path is, if that is an address of the web.
Result<SourcePtr> open_source(const TileInput& input, WorkerPool& pool, files::Color color = files::Color::kAuto,
                              const remote::SitePtr& site = nullptr);

// One function per type. `path` is a regular file, `root` a directory.
/// PQ and HLG become light, unless `color` leaves values as they are stored.
Result<SourcePtr> open_file_rows(const std::filesystem::path& path, InputHandle file, WorkerPool& pool,
                                 uint64_t max_bytes, files::Color color);
Result<SourcePtr> open_raw_rows(const std::filesystem::path& path, const std::string& description);
Result<SourcePtr> open_zarr_rows(const std::filesystem::path& root, WorkerPool& pool,
                                 const remote::SitePtr& site = nullptr);
Result<SourcePtr> open_slide_rows(const std::filesystem::path& path, WorkerPool& pool);
Result<SourcePtr> open_grid_rows(const TileInput& input, WorkerPool& pool, files::Color color);
/// Files at the positions of the table input.grid.
Result<SourcePtr> open_mosaic_rows(const TileInput& input, WorkerPool& pool, files::Color color);
/// The name of a file of a grid: `pattern` with all {x} and {y} replaced.
std::string grid_name(const std::string& pattern, uint32_t x, uint32_t y);

}  // namespace onepass::tiles
