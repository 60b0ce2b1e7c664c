// source_tiff.cpp: TIFF, BigTIFF and OME-TIFF by rows of blocks.
//
// A row of blocks is a row of tiles, or as many strips as make about kWantedRows rows. Its blocks are decoded in
// parallel, each by a handle of libtiff that no other task uses at that time. Uncompressed strips are copied from the
// file to the caller without a buffer in between. Pages of an OME-TIFF are channels that are read side by side.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>

#include "files/tiff_layout.hpp"
#include "files/tiff_tags.hpp"
#include "image/div_up.hpp"
#include "tiles/file_io.hpp"
#include "tiles/ome_xml.hpp"
#include "tiles/row_source.hpp"
#include "tiles/tiff_file.hpp"
#include "tiles/tiff_pixels.hpp"

namespace onepass::tiles {
namespace {

constexpr uint32_t kWantedRows = 64;
// A strip with more bytes is decoded row by row on one thread.
constexpr uint64_t kLargestStrip = uint64_t{64} << 20;

bool is_little_endian() {
  const uint16_t one = 1;
  return *reinterpret_cast<const uint8_t*>(&one) == 1;
}

class TiffRows final : public RowSource {
 public:
  TiffRows(const std::filesystem::path& path, WorkerPool& pool, uint64_t max_bytes)
      : path_(path), pool_(pool), max_bytes_(max_bytes) {
    name_ = path.string();
  }

  // False: pixels that are not read by rows.
  Result<bool> open();
  [[nodiscard]] uint32_t block_rows() const override { return group_rows_; }
  [[nodiscard]] uint64_t memory_bytes() const override {
    return buffer_bytes_ + pool_.threads() * (by_rows_ || direct_ ? 0 : pixels_.block_bytes());
  }
  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override;
  Result<void> skip(uint32_t rows) override {
    y_ += rows;
    is_filled_ = false;
    return {};
  }
  void release_handles() override {
    const std::scoped_lock lock(mutex_);
    if (idle_.size() > 1) idle_.erase(idle_.begin() + 1, idle_.end());
  }

 private:
  Result<void> find_pages(TiffFile& file);
  Result<void> check_tables(TiffFile& file) const;
  Result<void> check_first_block(TiffFile& file) const;
  Result<void> read_direct(uint32_t rows, std::byte* out, size_t stride);
  Result<void> read_scanlines(uint32_t rows, std::byte* out, size_t stride);
  Result<void> fill_buffer();
  Result<void> decode_block(TiffFile& file, uint32_t page, uint32_t plane, uint32_t column, uint32_t y,
                            std::vector<std::byte>& block);
  Result<std::unique_ptr<TiffFile>> take_file();
  Error failed(TiffFile& file, uint32_t y) const;

  std::filesystem::path path_;
  WorkerPool& pool_;
  uint64_t max_bytes_;
  TiffPixels pixels_;
  std::vector<uint32_t> pages_{0};  // one after the other: the channels of a pixel
  uint32_t page_channels_ = 1;
  uint32_t group_rows_ = 1;
  bool direct_ = false;    // uncompressed strips in the byte order of the machine
  bool by_rows_ = false;   // huge compressed strips
  uint32_t y_ = 0;         // next row of read()
  uint32_t buffered_ = 0;  // the first row in buffer_
  bool is_filled_ = false;
  size_t buffer_bytes_ = 0;
  std::vector<std::byte> buffer_;  // allocated by the first read()
  std::mutex mutex_;
  std::vector<std::unique_ptr<TiffFile>> idle_;
};

Error TiffRows::failed(TiffFile& file, uint32_t y) const {
  return error(ErrorCode::kBadData, file.messages().error() + ", at row " + std::to_string(y));
}

Result<std::unique_ptr<TiffFile>> TiffRows::take_file() {
  {
    const std::scoped_lock lock(mutex_);
    if (!idle_.empty()) {
      auto file = std::move(idle_.back());
      idle_.pop_back();
      return file;
    }
  }
  return TiffFile::open(path_);
}

// Pages that hold the channels of an OME-TIFF; otherwise the first page alone.
Result<void> TiffRows::find_pages(TiffFile& file) {
  page_channels_ = pixels_.row_channels();
  const char* text = nullptr;
  const bool described = TIFFGetField(file.tiff(), TIFFTAG_IMAGEDESCRIPTION, &text) != 0 && text != nullptr;
  const auto ome = described ? parse_ome(text) : std::nullopt;
  if (!ome) {
    if (const uint32_t more = files::tiff_further_pages(file.tiff()); more > 0) {
      tags_.warnings.push_back("only the first page is read, " + std::to_string(more) + " more are left out");
    }
    file.select(0);
    return {};
  }
  if (ome->depth != 1 || ome->times != 1) {
    return error(ErrorCode::kUnsupported, "OME-TIFF: SizeZ is " + std::to_string(ome->depth) + " and SizeT is " +
                                              std::to_string(ome->times) + "; both must be 1");
  }
  if (ome->channels == 0 || ome->channels % page_channels_ != 0 || ome->channels > 4096) {
    return error(ErrorCode::kBadData, "OME-TIFF: SizeC is " + std::to_string(ome->channels) + ", but a page holds " +
                                          std::to_string(page_channels_) + " channels");
  }
  pages_.clear();
  for (uint32_t c = 0; c < ome->channels; c += page_channels_) pages_.push_back(ome->page_of(c, page_channels_));
  tags_.pixel_width_um = ome->pixel_width_um;
  tags_.pixel_height_um = ome->pixel_height_um;
  if (ome->channel_names.size() == ome->channels) tags_.channel_names = ome->channel_names;
  if (ome->images > 1) tags_.warnings.push_back("the first of " + std::to_string(ome->images) + " OME images is read");
  if (!layout_.colour) transfer_ = Transfer::kLinear;
  for (const uint32_t page : pages_) {
    if (page == 0) continue;
    file.messages().clear();
    if (!file.select(page)) {
      return error(ErrorCode::kBadData, "OME-TIFF: there is no page " + std::to_string(page) + ", which SizeC " +
                                            std::to_string(ome->channels) + " needs");
    }
    const Result<TiffPixels> other = tiff_pixels(name_, file.tiff());
    if (!other) return other.error();
    const bool same = other->width == pixels_.width && other->height == pixels_.height &&
                      other->samples == pixels_.samples && other->bits == pixels_.bits &&
                      other->format == pixels_.format && other->tiled == pixels_.tiled &&
                      other->block_width == pixels_.block_width && other->block_height == pixels_.block_height;
    if (!same) return error(ErrorCode::kUnsupported, "OME-TIFF: page " + std::to_string(page) + " differs from page 0");
  }
  if (pages_.size() > 1) {
    layout_.channels = page_channels_ * static_cast<uint32_t>(pages_.size());
    layout_.colour = false;
    layout_.alpha = AlphaAssociation::kNone;
  }
  file.select(0);
  return {};
}

// A table that is too short or cannot be read is no sparse file.
Result<void> TiffRows::check_tables(TiffFile& file) const {
  const files::Source source{.name = name_, .file = file.descriptor(), .file_size = file.size(), .max_edge = kMaxEdge};
  const uint32_t planes = pixels_.planes ? pixels_.samples : 1;
  std::optional<uint64_t> tiles;
  if (pixels_.tiled) {
    tiles = div_up(uint64_t{size_.width}, uint64_t{pixels_.block_width}) *
            div_up(uint64_t{size_.height}, uint64_t{pixels_.block_height}) * planes;
  }
  return files::check_tiff_tables(source, files::TiffTags(source), size_.height, planes, tiles);
}

// A few stored bytes, or none, must not claim memory without bound.
Result<void> TiffRows::check_first_block(TiffFile& file) const {
  constexpr uint64_t kBestRatio = 65536;  // of any compression
  const uint64_t block = pixels_.block_bytes();
  int error_number = 0;
  const uint64_t offset = TIFFGetStrileOffsetWithErr(file.tiff(), 0, &error_number);
  const uint64_t stored = TIFFGetStrileByteCountWithErr(file.tiff(), 0, &error_number);
  if (error_number != 0) return failed(file, 0);
  const bool left_out = offset == 0 && stored == 0;
  const bool possible = left_out ? block <= kLargestStrip : block / kBestRatio <= std::min(stored, file.size());
  if (!possible) {
    return error(ErrorCode::kBadData, std::string("TIFF: a ") + (pixels_.tiled ? "tile" : "strip") + " of " +
                                          std::to_string(block) + " bytes cannot fit in the " +
                                          std::to_string(left_out ? 0 : stored) +
                                          " bytes stored: truncated or damaged");
  }
  return files::check_memory({.name = name_}, {.max_bytes = max_bytes_}, memory_bytes(),
                             "TIFF: decoding strips or tiles");
}

Result<bool> TiffRows::open() {
  auto file = TiffFile::open(path_);
  if (!file) return file.error();
  TIFF* tiff = (*file)->tiff();
  (*file)->select(0);
  const Result<TiffPixels> pixels = tiff_pixels(name_, tiff);
  if (!pixels && pixels.error().code == ErrorCode::kUnsupported) return false;
  if (!pixels) return pixels.error();
  pixels_ = *pixels;
  size_ = {pixels_.width, pixels_.height};
  layout_ = row_layout(pixels_, tiff);
  tags_ = tiff_picture_tags(tiff);
  if (auto fine = check_tables(**file); !fine) return fine.error();
  if (pixels_.bits == 64) tags_.warnings.emplace_back("values of 64 bits are rounded to 32 bits");
  if (holds_measurements(tags_, pixels_)) transfer_ = Transfer::kLinear;
  if (auto done = find_pages(**file); !done) return done.error();

  const bool interleaved = !pixels_.planes && pages_.size() == 1;
  const bool native = pixels_.bits == 8 || TIFFIsByteSwapped(tiff) == 0;
  direct_ = !pixels_.tiled && interleaved && pixels_.compression == COMPRESSION_NONE && pixels_.verbatim() && native &&
            is_little_endian();
  by_rows_ = !direct_ && !pixels_.tiled && pixels_.block_bytes() > kLargestStrip;
  if (by_rows_ && !interleaved) {
    return error(ErrorCode::kUnsupported,
                 "TIFF: a strip of a plane has " + std::to_string(pixels_.block_bytes()) + " bytes, more than 64 MiB");
  }
  group_rows_ = pixels_.block_height;
  if (!pixels_.tiled) {
    if (group_rows_ < kWantedRows) group_rows_ *= kWantedRows / group_rows_;
    if (direct_ || by_rows_) group_rows_ = std::min(group_rows_, kWantedRows);
  }
  group_rows_ = std::min(group_rows_, size_.height);
  buffer_bytes_ = by_rows_ ? pixels_.block_row_bytes() : direct_ ? 0 : row_bytes() * group_rows_;
  if (auto fine = check_first_block(**file); !fine) return fine.error();
  idle_.push_back(std::move(*file));
  return true;
}

Result<void> TiffRows::read_direct(uint32_t rows, std::byte* out, size_t stride) {
  TiffFile& file = *idle_.front();
  const size_t bytes = row_bytes();
  while (rows > 0) {
    const uint32_t strip = y_ / pixels_.block_height;
    const uint32_t inside = y_ % pixels_.block_height;
    const uint32_t count = std::min({rows, pixels_.block_height - inside, size_.height - y_});
    int error_number = 0;
    const uint64_t offset = TIFFGetStrileOffsetWithErr(file.tiff(), strip, &error_number);
    const uint64_t stored = TIFFGetStrileByteCountWithErr(file.tiff(), strip, &error_number);
    const uint32_t strip_rows = std::min(pixels_.block_height, size_.height - strip * pixels_.block_height);
    if (error_number != 0) return failed(file, y_);
    if (offset == 0 && stored == 0) {  // a sparse file leaves it out
      for (uint32_t i = 0; i < count; ++i) std::memset(out + i * stride, 0, bytes);
      out += count * stride;
      rows -= count;
      y_ += count;
      continue;
    }
    if (stored < bytes * strip_rows) {
      return error(ErrorCode::kBadData, "TIFF: strip " + std::to_string(strip) + " has " + std::to_string(stored) +
                                            " bytes, not " + std::to_string(bytes * strip_rows));
    }
    const uint64_t start = offset + inside * bytes;
    int done = 0;
    if (stride == bytes) {
      done = read_fully(file.descriptor(), out, bytes * count, start);
    } else {
      for (uint32_t i = 0; i < count && done == 0; ++i) {
        done = read_fully(file.descriptor(), out + i * stride, bytes, start + i * bytes);
      }
    }
    if (done < 0)
      return error(ErrorCode::kBadData, "TIFF: truncated: strip " + std::to_string(strip) + " is not whole");
    if (done > 0) return error(ErrorCode::kIo, std::string("cannot read it: ") + std::strerror(done));
    out += count * stride;
    rows -= count;
    y_ += count;
  }
  return {};
}

Result<void> TiffRows::read_scanlines(uint32_t rows, std::byte* out, size_t stride) {
  TiffFile& file = *idle_.front();
  for (; rows > 0; --rows, ++y_, out += stride) {
    file.messages().clear();
    if (TIFFReadScanline(file.tiff(), buffer_.data(), y_, 0) < 0) return failed(file, y_);
    unpack_pixels(pixels_, buffer_.data(), size_.width, out, layout_.pixel_bytes());
  }
  return {};
}

// Decodes one block and copies its pixels to their channels in buffer_, which begins at row buffered_.
Result<void> TiffRows::decode_block(TiffFile& file, uint32_t page, uint32_t plane, uint32_t column, uint32_t y,
                                    std::vector<std::byte>& block) {
  file.messages().clear();
  if (!file.select(pages_[page])) return failed(file, y);
  TIFF* tiff = file.tiff();
  const uint32_t x = column * pixels_.block_width;
  const uint32_t height = std::min(pixels_.block_height, size_.height - y);
  const auto sample = static_cast<uint16_t>(plane);
  const uint32_t number = pixels_.tiled ? TIFFComputeTile(tiff, x, y, 0, sample) : TIFFComputeStrip(tiff, y, sample);
  const size_t row = pixels_.block_row_bytes();
  const size_t wanted = row * (pixels_.tiled ? pixels_.block_height : height);
  int error_number = 0;
  const uint64_t stored = TIFFGetStrileByteCountWithErr(tiff, number, &error_number);
  const uint64_t offset = TIFFGetStrileOffsetWithErr(tiff, number, &error_number);
  if (error_number != 0) return failed(file, y);
  if (stored == 0 && offset == 0) {
    std::fill(block.begin(), block.end(), std::byte{0});  // a sparse file leaves it out
  } else {
    const auto bytes = static_cast<tmsize_t>(wanted);
    const tmsize_t got = pixels_.tiled ? TIFFReadEncodedTile(tiff, number, block.data(), bytes)
                                       : TIFFReadEncodedStrip(tiff, number, block.data(), bytes);
    if (got < bytes || file.messages().made_up()) return failed(file, y);
  }
  const size_t pixel = layout_.pixel_bytes();
  const size_t channel = page * page_channels_ + (pixels_.planes ? plane : 0);
  std::byte* to = buffer_.data() + (y - buffered_) * row_bytes() + x * pixel + channel * sample_bytes(layout_.sample);
  const uint32_t width = std::min(pixels_.block_width, size_.width - x);
  for (uint32_t i = 0; i < height; ++i) {
    unpack_pixels(pixels_, block.data() + i * row, width, to + i * row_bytes(), pixel);
  }
  return {};
}

// Decodes the next row of blocks into buffer_.
Result<void> TiffRows::fill_buffer() {
  const uint32_t rows = std::min(group_rows_, size_.height - buffered_);
  const uint32_t across = pixels_.tiled ? div_up(size_.width, pixels_.block_width) : 1;
  const uint32_t down = div_up(rows, pixels_.block_height);
  const uint32_t planes = pixels_.planes ? pixels_.samples : 1;
  const size_t blocks = size_t{across} * down * planes * pages_.size();
  const size_t tasks = std::min<size_t>(blocks, size_t{4} * pool_.threads());
  std::optional<Error> failure;
  pool_.run(tasks, [&](size_t task) {
    auto file = take_file();
    Result<void> done = file ? Result<void>() : Result<void>(file.error());
    std::vector<std::byte> block(pixels_.block_bytes());
    for (size_t i = blocks * task / tasks; done && i < blocks * (task + 1) / tasks; ++i) {
      // Pages are the outermost loop, so that a handle changes its directory rarely.
      const auto column = static_cast<uint32_t>(i % across);
      const auto line = static_cast<uint32_t>(i / across % down);
      const auto plane = static_cast<uint32_t>(i / across / down % planes);
      const auto page = static_cast<uint32_t>(i / across / down / planes);
      done = decode_block(**file, page, plane, column, buffered_ + line * pixels_.block_height, block);
    }
    const std::scoped_lock lock(mutex_);
    if (file) idle_.push_back(std::move(*file));
    if (!done && !failure) failure = done.error();
  });
  if (failure) return *failure;
  return {};
}

Result<void> TiffRows::read(uint32_t rows, std::byte* out, size_t stride) {
  if (buffer_.empty()) buffer_.resize(buffer_bytes_);
  if (direct_) return read_direct(rows, out, stride);
  if (by_rows_) return read_scanlines(rows, out, stride);
  for (; rows > 0; --rows, ++y_, out += stride) {
    if (y_ % group_rows_ == 0 || !is_filled_) {
      buffered_ = y_ - y_ % group_rows_;
      if (auto done = fill_buffer(); !done) return done;
      is_filled_ = true;
    }
    std::memcpy(out, buffer_.data() + (y_ - buffered_) * row_bytes(), row_bytes());
  }
  return {};
}

}  // namespace

Result<SourcePtr> open_tiff_rows(const std::filesystem::path& path, WorkerPool& pool, uint64_t max_bytes) {
  auto source = std::make_unique<TiffRows>(path, pool, max_bytes);
  const auto opened = source->open();
  if (!opened) return opened.error();
  if (!*opened) return open_memory_rows(path, max_bytes, pool.threads());
  return SourcePtr(std::move(source));
}

}  // namespace onepass::tiles
