// row_reader.hpp: a picture in a file as rows from top to bottom, with every statement of the file about itself.
//
//     file in memory  --+                              +-- files::read(): all rows into an Image
//                       +-- Source -- RowReader rows --+
//     open descriptor --+                              +-- tiles: some rows at a time, bounded memory
//
// One reader per type serves both, so that both give the same picture. KTX2, DDS and WebP are read as a whole, as are
// some kinds of the other types: see kReaders in read.cpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/encoding.hpp"
#include "files/pixel_layout.hpp"
#include "files/readers.hpp"

namespace onepass::files {

/// What a file says about its picture. A new statement is added here, once for all readers and commands.
struct PictureHeader {
  Extent size;
  PixelLayout layout;        ///< Of the rows.
  ColorTags colors;          ///< Primaries and transfer.
  bool linear = false;       ///< Values are light or numbers, whatever `colors` says of a transfer: floats.
  bool decoded = false;      ///< Values are linear or sRGB, whatever curve the file states.
  uint32_t orientation = 1;  ///< EXIF: 1 upright to 8.
  std::optional<Resolution> resolution;
  float pixel_aspect_ratio = 1;  ///< As in ImageFile.
  uint32_t stored_channels = 0;
  uint32_t stored_bits = 0;
  std::vector<std::string> channel_names;  ///< Empty, or one per channel of a picture without colours.
  std::vector<CopiedTag> geo;              ///< GeoTIFF and GDAL tags.
  std::string nodata;                      ///< GDAL_NODATA, the value that stands for no value; empty: none.
  std::optional<double> pixel_width_um;    ///< Micrometres, from OME metadata.
  std::optional<double> pixel_height_um;
  std::vector<std::string> warnings;  ///< Statements that are not used, one clause each.
};

struct RowOptions {
  uint64_t max_bytes = kDefaultMaxBytes;
  uint32_t threads = 0;        ///< As in ReadOptions.
  Color color = Color::kAuto;  ///< The same; decides which statements of a file count.
  /// Calls task(i) for every i below `count`, on any threads, and returns when all are done. Empty: run_tasks() does.
  std::function<void(size_t count, const std::function<void(size_t)>& task)> run;
};

/// Delivers every row once, in order. Used by one thread at a time.
class RowReader {
 public:
  virtual ~RowReader() = default;
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;

  [[nodiscard]] const PictureHeader& header() const { return header_; }
  [[nodiscard]] size_t row_bytes() const { return header_.layout.pixel_bytes() * header_.size.width; }

  /// Rows that are decoded together. Reading multiples of it is cheapest.
  [[nodiscard]] virtual uint32_t block_rows() const { return 1; }
  /// Bytes that reading holds besides the rows of the caller.
  [[nodiscard]] virtual uint64_t memory_bytes() const = 0;
  /// Copies the next `rows` rows to `out`, `stride` bytes apart. The caller never asks for more rows than are left.
  virtual Result<void> read(uint32_t rows, std::byte* out, size_t stride) = 0;
  /// Leaves out rows. False: this type decodes them, which the caller does.
  virtual bool skip(uint32_t /*rows*/) { return false; }
  /// Frees what read() can make anew.
  virtual void release() {}

 protected:
  RowReader() = default;
  PictureHeader header_;
};

/// Opens the picture of `source`, whose name and bytes or descriptor must outlive the reader. Nothing that depends on
/// the size in the header is allocated before it is compared with the length of the file and options.max_bytes. Errors:
/// those of files::read().
Result<std::unique_ptr<RowReader>> open_rows(const Source& source, const RowOptions& options);

/// The same with linear or sRGB values, read as a whole: PQ and HLG become light.
Result<std::unique_ptr<RowReader>> open_whole_rows(const Source& source, const RowOptions& options);

/// Copies the statements that ImageFile has fields for, but those on colours.
void describe(ImageFile& file, const PictureHeader& header);

/// All rows of `rows` as an image, of 1 channel if they have one, else of 4. `label`: "PNG".
Result<ImageFile> image_of_rows(RowReader& rows, const Source& source, const ReadOptions& options, Type type,
                                std::string_view label);

// The functions of kReaders in read.cpp, per type. A null reader: this kind of picture is not read by rows.
Result<std::unique_ptr<RowReader>> open_png_rows(const Source& source, const RowOptions& options);
Result<std::unique_ptr<RowReader>> open_jpeg_rows(const Source& source, const RowOptions& options);
Result<std::unique_ptr<RowReader>> open_exr_rows(const Source& source, const RowOptions& options);
Result<std::unique_ptr<RowReader>> open_tiff_rows(const Source& source, const RowOptions& options);
Result<std::unique_ptr<RowReader>> open_hdr_rows(const Source& source, const RowOptions& options);
Result<std::unique_ptr<RowReader>> open_pfm_rows(const Source& source, const RowOptions& options);
Result<std::unique_ptr<RowReader>> open_tga_rows(const Source& source, const RowOptions& options);
Result<std::unique_ptr<RowReader>> open_pnm_rows(const Source& source, const RowOptions& options);
Result<ImageFile> read_png(const Source& source, const ReadOptions& options);
Result<ImageFile> read_jpeg(const Source& source, const ReadOptions& options);
Result<ImageFile> read_exr(const Source& source, const ReadOptions& options);
Result<ImageFile> read_tiff(const Source& source, const ReadOptions& options);
Result<ImageFile> read_dds(const Source& source, const ReadOptions& options);
Result<ImageFile> read_ktx2(const Source& source, const ReadOptions& options);
Result<ImageFile> read_webp(const Source& source, const ReadOptions& options);

}  // namespace onepass::files
