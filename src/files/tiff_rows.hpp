// tiff_rows.hpp: rows of TIFF, BigTIFF and OME-TIFF, with all samples of a pixel as stored.
//
// A row of blocks is a row of tiles, or as many strips as make about 64 rows. Its blocks are decoded in parallel, each
// by a handle of libtiff that no other task uses at that time. Uncompressed strips are copied from the file to the
// caller without a buffer in between, and large compressed ones are decoded row by row. Pages of an OME-TIFF are
// channels that are read side by side.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "files/row_reader.hpp"
#include "files/tiff_file.hpp"
#include "files/tiff_layout.hpp"

namespace onepass::files {

enum class TiffPages { kFirst, kOmeChannels };

class TiffRowReader final : public RowReader {
 public:
  TiffRowReader(const Source& source, const RowOptions& options);

  // In this order. Errors: those of read_tiff().
  /// Opens the source, and reads what the file says of the whole picture: file() is valid then.
  Result<void> open();
  /// Reads how pixels are stored: page() and header() are valid then.
  Result<void> read_tags();
  /// Finds the pages and blocks that rows consist of.
  Result<void> start(TiffPages pages);

  [[nodiscard]] TiffFile& file() const { return *idle_.front(); }
  [[nodiscard]] const TiffPage& page() const { return page_; }
  /// Memory of libtiff for an open file.
  [[nodiscard]] uint64_t directory_bytes() const { return kTiffLibraryBytes + tag_bytes_; }
  /// The first warning of libtiff while it decoded; empty: none.
  [[nodiscard]] const std::string& warning() const { return warning_; }
  /// From now on one block at a time is decoded, which takes less memory.
  void use_one_thread() { threads_ = 1; }
  /// The planes to decode, if there are planes; samples of the others are undefined.
  void use_planes(std::vector<uint32_t> planes) { planes_ = std::move(planes); }
  /// memory_bytes() of a reader whose rows are asked for in whole groups of block_rows().
  [[nodiscard]] uint64_t decoder_bytes() const;

  [[nodiscard]] uint32_t block_rows() const override { return group_rows_; }
  [[nodiscard]] uint64_t memory_bytes() const override { return decoder_bytes() + buffer_bytes_; }
  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override;
  bool skip(uint32_t rows) override {
    if (by_rows_) return false;  // libtiff decodes a strip from its first row on
    y_ += rows;
    is_filled_ = false;
    return true;
  }
  void release() override;

 private:
  /// Where rows are decoded to: row `y` of the picture at `out`.
  struct Target {
    uint32_t y = 0;
    std::byte* out = nullptr;
    size_t stride = 0;
  };
  struct Block {
    uint32_t page = 0, plane = 0, column = 0, y = 0;
  };

  void describe_picture();
  void describe_rows();
  Result<void> find_pages(TiffPages pages);
  Result<void> check_tables() const;
  Result<void> check_first_block() const;
  [[nodiscard]] uint64_t history_bytes() const;
  Result<void> read_direct(uint32_t rows, std::byte* out, size_t stride);
  Result<void> read_scanlines(uint32_t rows, std::byte* out, size_t stride);
  Result<void> decode_group(const Target& target);
  [[nodiscard]] size_t blocks_in_group(uint32_t rows) const;
  Result<void> decode_block(TiffFile& file, const Block& block, std::vector<std::byte>& decoded, const Target& target);
  Result<std::unique_ptr<TiffFile>> take_file();

  Source source_;
  RowOptions options_;
  uint32_t threads_ = 1;
  TiffPage page_;
  std::vector<uint32_t> pages_{0};  // one after the other: the channels of a pixel
  std::vector<uint32_t> planes_{0};
  uint32_t page_channels_ = 1;
  uint32_t group_rows_ = 1;
  bool direct_ = false;   // uncompressed strips in the byte order of the machine
  bool by_rows_ = false;  // large compressed strips
  uint64_t tag_bytes_ = 0;
  uint64_t history_bytes_ = 0;
  uint64_t reversed_bytes_ = 0;
  uint32_t y_ = 0;         // next row of read()
  uint32_t buffered_ = 0;  // the first row in buffer_
  bool is_filled_ = false;
  size_t buffer_bytes_ = 0;
  std::vector<std::byte> buffer_;  // allocated when it is needed
  std::string warning_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<TiffFile>> idle_;
};

}  // namespace onepass::files
