// tiff_rows.cpp: decodes the blocks of a TIFF page, and reads the statements of its tags.
// Sources: OGC 19-008r4, "GeoTIFF Standard", 2019; GDAL, "GTiff -- GeoTIFF File Format" (tags 42112 and 42113).
#include "files/tiff_rows.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <optional>

#include "files/ome_xml.hpp"
#include "files/parallel.hpp"
#include "files/tiff_blocks.hpp"
#include "files/tiff_library.hpp"
#include "files/tiff_tags.hpp"

namespace onepass::files {
namespace {

constexpr uint32_t kWantedRows = 64;
// A strip with more bytes is decoded row by row on one thread.
constexpr uint64_t kLargestStrip = uint64_t{64} << 20;

constexpr uint32_t kGeoKeys = 34735;
constexpr uint32_t kLastOfPlace = 34737;  // the tags up to this one state a place
constexpr uint32_t kGdalNodata = 42113;
// ModelPixelScale, ModelTiepoint, ModelTransformation, GeoKeyDirectory, GeoDoubleParams, GeoAsciiParams, GDAL_METADATA,
// GDAL_NODATA.
constexpr std::array<uint32_t, 8> kGeoTags = {33550, 33922, 34264, kGeoKeys, 34736, 34737, 42112, kGdalNodata};

bool is_little_endian() {
  const uint16_t one = 1;
  return *reinterpret_cast<const uint8_t*>(&one) == 1;
}

// The window size that a strip or tile, which begins with `block`, states for its decoder.
uint64_t history_of(uint16_t compression, std::span<const std::byte> block) {
  const auto byte = [&](size_t at) { return at < block.size() ? std::to_integer<uint64_t>(block[at]) : 0; };
  if (compression == COMPRESSION_ZSTD) {
    // RFC 8878, 3.1.1.1: without a window descriptor the output is the window.
    const bool single = (byte(4) & 0x20) != 0;
    const uint64_t base = uint64_t{1} << (10 + (byte(5) >> 3));
    return single ? 0 : base + base / 8 * (byte(5) & 7) + (uint64_t{1} << 18);
  }
  // The .xz format, 3.1: after 12 bytes the header of a block: size, flags, and filters with identification, size and
  // properties. LZMA2 is 0x21, its property the dictionary size. A later block can state a larger one, which is not
  // seen here; that memory is reserved but not touched.
  uint64_t largest = 0;
  for (size_t at = 14; at < 14 + 4 * 8; ++at) {
    if (byte(at) != 0x21 || byte(at + 1) != 1 || byte(at + 2) > 40) continue;
    const uint64_t bits = byte(at + 2);
    largest = std::max(largest, (2 | (bits & 1)) << (bits / 2 + 11));
  }
  return largest + (uint64_t{1} << 18);
}

std::vector<CopiedTag> geo_tags(TIFF* tiff) {
  std::vector<CopiedTag> tags;
  for (const uint32_t number : kGeoTags) {
    uint32_t count = 0;
    void* data = nullptr;
    const TIFFField* field = TIFFFindField(tiff, number, TIFF_ANY);
    if (field == nullptr || TIFFFieldPassCount(field) == 0 || TIFFGetField(tiff, number, &count, &data) == 0) continue;
    const auto type = TIFFFieldDataType(field);
    const auto bytes = static_cast<size_t>(count) * static_cast<size_t>(TIFFDataWidth(type));
    if (bytes == 0 || data == nullptr) continue;
    const auto* first = static_cast<const std::byte*>(data);
    tags.push_back({static_cast<uint16_t>(number), static_cast<uint16_t>(type), count, {first, first + bytes}});
  }
  return tags;
}

std::optional<Resolution> resolution_of(TIFF* tiff) {
  float x = 0;
  float y = 0;
  if (TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &x) == 0 || TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &y) == 0) return {};
  if (!(x > 0 && y > 0)) return {};
  return Resolution{x, y, tag16(tiff, TIFFTAG_RESOLUTIONUNIT)};
}

// Whether a page's rows are the picture: not so where colours must be converted first.
bool has_plain_colours(const TiffPage& page) {
  switch (page.photometric) {
    case PHOTOMETRIC_MINISBLACK:
      return true;
    case PHOTOMETRIC_MINISWHITE:
      return page.samples == 1 && page.bits <= 16 && !is_float(page.sample) && !is_signed(page.sample);
    case PHOTOMETRIC_RGB:
      return page.samples >= 3;
    case PHOTOMETRIC_PALETTE:
      return !page.palette.empty();
    case PHOTOMETRIC_YCBCR:  // converted by libjpeg
      return page.compression == COMPRESSION_JPEG && page.samples == 3 && !page.planes;
    default:
      return false;
  }
}

}  // namespace

TiffRowReader::TiffRowReader(const Source& source, const RowOptions& options)
    : source_(source), options_(options), threads_(usable_threads(options.threads)) {}

Result<void> TiffRowReader::open() {
  if (auto fine = check_tiff_tags(source_); !fine) return fine;
  tag_bytes_ = TiffTags(source_).memory();
  if (auto fine =
          check_memory(source_, {.max_bytes = options_.max_bytes}, directory_bytes(), "TIFF: reading the directory");
      !fine) {
    return fine;
  }
  auto file = TiffFile::open(source_, options_.max_bytes);
  if (!file) return file.error();
  idle_.push_back(std::move(*file));
  describe_picture();
  return {};
}

Result<void> TiffRowReader::read_tags() {
  Result<TiffPage> page = tiff_page(source_, file().tiff());
  if (!page) return page.error();
  page_ = std::move(*page);
  describe_rows();
  return {};
}

Result<void> TiffRowReader::start(TiffPages pages) {
  TIFF* tiff = file().tiff();
  if (auto fine = check_tables(); !fine) return fine.error();
  if (auto done = find_pages(pages); !done) return done;

  const bool interleaved = !page_.planes && pages_ == std::vector<uint32_t>{0};
  const bool reversed = tag16(tiff, TIFFTAG_FILLORDER) == FILLORDER_LSB2MSB;
  if (reversed && source_.in_memory()) reversed_bytes_ = source_.size();  // a copy, which libtiff changes
  const bool native = (page_.bits == 8 || TIFFIsByteSwapped(tiff) == 0) && !reversed;
  direct_ = !page_.tiled && interleaved && page_.compression == COMPRESSION_NONE && page_.verbatim() && native &&
            is_little_endian();
  // WebP decodes a strip as a whole.
  by_rows_ = !direct_ && !page_.tiled && interleaved && page_.block_bytes() > kLargestStrip &&
             page_.compression != COMPRESSION_WEBP;
  group_rows_ = page_.block_height;
  if (!page_.tiled) {
    if (group_rows_ < kWantedRows) group_rows_ *= kWantedRows / group_rows_;
    if (direct_ || by_rows_) group_rows_ = std::min(group_rows_, kWantedRows);
  }
  group_rows_ = std::min(group_rows_, header_.size.height);
  buffer_bytes_ = by_rows_ || direct_ ? 0 : uint64_t{row_bytes()} * group_rows_;
  if (auto fine = check_first_block(); !fine) return fine;
  history_bytes_ = history_bytes();
  return {};
}

// The statements that do not depend on how pixels are stored.
void TiffRowReader::describe_picture() {
  TIFF* tiff = file().tiff();
  header_.resolution = resolution_of(tiff);
  header_.geo = geo_tags(tiff);
  header_.nodata = tiff_nodata(tiff);
  const uint16_t turned = tag16(tiff, TIFFTAG_ORIENTATION);
  const bool placed =
      std::any_of(header_.geo.begin(), header_.geo.end(), [](const CopiedTag& t) { return t.tag <= kLastOfPlace; });
  if (turned > 1 && turned <= 8 && !placed) header_.orientation = turned;
  if (turned > 1 && placed) {
    header_.warnings.push_back("Orientation is " + std::to_string(turned) +
                               ", which is not applied, because GeoTIFF tags place the rows as they are stored");
  }
}

void TiffRowReader::describe_rows() {
  TIFF* tiff = file().tiff();
  header_.size = page_.size;
  PixelLayout& layout = header_.layout;
  layout.sample = page_.sample;
  layout.channels = page_.row_channels();
  layout.colour =
      page_.photometric == PHOTOMETRIC_RGB || page_.photometric == PHOTOMETRIC_YCBCR || !page_.palette.empty();
  layout.alpha = tiff_alpha(tiff, layout.channels, layout.colour ? 3 : 1);
  planes_.resize(page_.plane_count());
  std::iota(planes_.begin(), planes_.end(), 0);
  header_.stored_channels = layout.channels;
  header_.stored_bits = page_.bits;
  header_.colors = tiff_colors(tiff, header_.warnings);
  header_.colors.numbers = true;
  // GeoTIFF without red, green and blue: elevations, bands of sensors.
  header_.linear =
      page_.photometric == PHOTOMETRIC_MINISBLACK &&
      std::any_of(header_.geo.begin(), header_.geo.end(), [](const CopiedTag& t) { return t.tag == kGeoKeys; });
  if (page_.bits == 64) header_.warnings.emplace_back("values of 64 bits are rounded to 32 bits");
}

// Pages that hold the channels of an OME-TIFF; otherwise the first page alone.
Result<void> TiffRowReader::find_pages(TiffPages pages) {
  TiffFile& first = file();
  page_channels_ = page_.row_channels();
  const char* text = nullptr;
  const bool described = pages == TiffPages::kOmeChannels &&
                         TIFFGetField(first.tiff(), TIFFTAG_IMAGEDESCRIPTION, &text) != 0 && text != nullptr;
  const auto ome = described ? parse_ome(text) : std::nullopt;
  if (!ome) {
    if (const uint32_t more = tiff_further_pages(first.tiff()); more > 0) {
      header_.warnings.push_back("only the first page is read, " + std::to_string(more) + " more are left out");
    }
    first.select(0);
    return {};
  }
  if (ome->depth != 1 || ome->times != 1) {
    return source_.unsupported("OME-TIFF: SizeZ is " + std::to_string(ome->depth) + " and SizeT is " +
                               std::to_string(ome->times) + "; both must be 1, and onepass volume takes stacks");
  }
  if (ome->channels == 0 || ome->channels % page_channels_ != 0 || ome->channels > 4096) {
    return source_.bad("OME-TIFF: SizeC is " + std::to_string(ome->channels) + ", but a page holds " +
                       std::to_string(page_channels_) + " channels");
  }
  pages_.clear();
  for (uint32_t c = 0; c < ome->channels; c += page_channels_) pages_.push_back(ome->page_of(c, page_channels_));
  header_.pixel_width_um = ome->pixel_width_um;
  header_.pixel_height_um = ome->pixel_height_um;
  if (ome->channel_names.size() == ome->channels) header_.channel_names = ome->channel_names;
  if (ome->images > 1) {
    header_.warnings.push_back("the first of " + std::to_string(ome->images) + " OME images is read");
  }
  if (!header_.layout.colour) header_.linear = true;
  // All pages must look like page 0, whose layout decodes them.
  for (const uint32_t number : pages_) {
    if (number == 0) continue;
    first.messages().clear();
    if (!first.select(number)) {
      return source_.bad("OME-TIFF: there is no page " + std::to_string(number) + ", which SizeC " +
                         std::to_string(ome->channels) + " needs");
    }
    const Result<TiffPage> other = tiff_page(source_, first.tiff());
    if (!other) return other.error();
    const bool same = other->size == page_.size && other->samples == page_.samples && other->bits == page_.bits &&
                      other->sample == page_.sample && other->tiled == page_.tiled &&
                      other->block_width == page_.block_width && other->block_height == page_.block_height;
    if (!same) return source_.unsupported("OME-TIFF: page " + std::to_string(number) + " differs from page 0");
  }
  if (pages_.size() > 1) {
    header_.layout.channels = page_channels_ * static_cast<uint32_t>(pages_.size());
    header_.layout.colour = false;
    header_.layout.alpha = AlphaAssociation::kNone;
  }
  first.select(0);
  return {};
}

// A table that is too short or cannot be read is no sparse file.
Result<void> TiffRowReader::check_tables() const {
  const auto tiles = page_.tiled ? std::optional(page_.block_count()) : std::nullopt;
  return check_tiff_tables(source_, TiffTags(source_), page_.size.height, page_.plane_count(), tiles);
}

// A few stored bytes, or none, must not claim memory without bound: neither for a block nor for a row of them.
Result<void> TiffRowReader::check_first_block() const {
  constexpr uint64_t kBestRatio = 65536;  // of any compression
  const uint64_t block = page_.block_bytes();
  int error_number = 0;
  const uint64_t offset = TIFFGetStrileOffsetWithErr(file().tiff(), 0, &error_number);
  const uint64_t stored = TIFFGetStrileByteCountWithErr(file().tiff(), 0, &error_number);
  if (error_number != 0) return file().failed();
  const bool left_out = offset == 0 && stored == 0;
  const bool possible =
      left_out ? direct_ || by_rows_ || block <= kLargestStrip : block / kBestRatio <= std::min(stored, source_.size());
  if (!possible) {
    return source_.bad(std::string("TIFF: a ") + (page_.tiled ? "tile" : "strip") + " of " + std::to_string(block) +
                       " bytes cannot fit in the " + std::to_string(left_out ? 0 : stored) +
                       " bytes stored: truncated or damaged");
  }
  if (buffer_bytes_ > kLargestStrip && buffer_bytes_ / kBestRatio > source_.size()) {
    return source_.bad("TIFF: a row of tiles of " + std::to_string(buffer_bytes_) + " bytes cannot fit in " +
                       std::to_string(source_.size()) + " bytes: truncated or damaged");
  }
  return {};
}

// The largest window of the decoder: of all blocks of a file in memory, of the first one of an open file.
uint64_t TiffRowReader::history_bytes() const {
  if (page_.compression != COMPRESSION_ZSTD && page_.compression != COMPRESSION_LZMA) return 0;
  const uint64_t blocks = source_.in_memory() ? page_.block_count() : 1;
  uint64_t most = 0;
  std::array<std::byte, 48> start{};
  for (uint64_t i = 0; i < blocks; ++i) {
    const uint64_t at = TIFFGetStrileOffset(file().tiff(), static_cast<uint32_t>(i));
    const uint64_t left = at < source_.size() ? source_.size() - at : 0;
    const std::span<std::byte> block(start.data(), std::min<uint64_t>(left, start.size()));
    if (block.empty() || source_.read_at(at, block) != 0) continue;
    most = std::max(most, history_of(page_.compression, block));
  }
  return most;
}

// For each handle: libtiff, the directory, its tables of offsets and lengths, a block as it is stored and decoded, rows
// of samples and runs of fax, and the decoder's window.
uint64_t TiffRowReader::decoder_bytes() const {
  constexpr uint64_t kHandleBytes = uint64_t{64} << 10;
  constexpr uint64_t kLargestWindow = uint64_t{128} << 20;  // of Zstandard
  const uint64_t copies = page_.compression == COMPRESSION_NONE ? 1 : 4;
  uint64_t handle = kHandleBytes + tag_bytes_ + 16 * page_.block_count() + history_bytes_;
  if (by_rows_) {
    handle += (copies + 1) * page_.block_row_bytes();
    if (page_.compression == COMPRESSION_ZSTD) handle += std::min(page_.block_bytes(), kLargestWindow);
  } else if (!direct_) {
    handle += copies * page_.block_bytes() + 64 * uint64_t{page_.block_width} * page_.block_samples();
  }
  const uint64_t handles = direct_ || by_rows_ ? 1 : std::min<uint64_t>(threads_, blocks_in_group(group_rows_));
  return kTiffLibraryBytes + reversed_bytes_ + std::max<uint64_t>(handles, 1) * handle;
}

void TiffRowReader::release() {
  const std::scoped_lock lock(mutex_);
  if (idle_.size() > 1) idle_.erase(idle_.begin() + 1, idle_.end());
}

Result<std::unique_ptr<TiffFile>> TiffRowReader::take_file() {
  {
    const std::scoped_lock lock(mutex_);
    if (!idle_.empty()) {
      auto file = std::move(idle_.back());
      idle_.pop_back();
      return file;
    }
  }
  return TiffFile::open(source_, options_.max_bytes);
}

Result<void> TiffRowReader::read_direct(uint32_t rows, std::byte* out, size_t stride) {
  const size_t bytes = row_bytes();
  while (rows > 0) {
    const uint32_t strip = y_ / page_.block_height;
    const uint32_t inside = y_ % page_.block_height;
    const uint32_t count = std::min(rows, page_.block_height - inside);
    const uint32_t strip_rows = std::min(page_.block_height, page_.size.height - strip * page_.block_height);
    int error_number = 0;
    const uint64_t offset = TIFFGetStrileOffsetWithErr(file().tiff(), strip, &error_number);
    const uint64_t stored = TIFFGetStrileByteCountWithErr(file().tiff(), strip, &error_number);
    if (error_number != 0) return file().failed();
    const bool left_out = offset == 0 && stored == 0;  // by a sparse file
    if (!left_out && stored < bytes * strip_rows) {
      return source_.bad("TIFF: strip " + std::to_string(strip) + " has " + std::to_string(stored) + " bytes, not " +
                         std::to_string(bytes * strip_rows));
    }
    const bool dense = stride == bytes;  // one copy for all rows
    const size_t length = dense ? bytes * count : bytes;
    for (uint32_t i = 0; i < (dense ? 1 : count); ++i) {
      const std::span row(out + i * stride, length);
      if (left_out) {
        std::fill(row.begin(), row.end(), std::byte{0});
        continue;
      }
      const int done = source_.read_at(offset + (inside + i) * bytes, row);
      if (done < 0) return source_.bad("TIFF: truncated: strip " + std::to_string(strip) + " is not whole");
      if (done > 0) return source_.unreadable(done);
    }
    out += count * stride;
    rows -= count;
    y_ += count;
  }
  return {};
}

Result<void> TiffRowReader::read_scanlines(uint32_t rows, std::byte* out, size_t stride) {
  buffer_.resize(page_.block_row_bytes());
  for (; rows > 0; --rows, ++y_, out += stride) {
    file().messages().clear();
    const uint32_t strip = y_ / page_.block_height;
    if (TIFFGetStrileOffset(file().tiff(), strip) == 0 && TIFFGetStrileByteCount(file().tiff(), strip) == 0) {
      std::fill_n(out, row_bytes(), std::byte{0});  // a sparse file leaves it out
      continue;
    }
    if (TIFFReadScanline(file().tiff(), buffer_.data(), y_, 0) < 0 || file().messages().made_up()) {
      return file().failed();
    }
    unpack_tiff_pixels(page_, buffer_.data(), page_.size.width, out, header_.layout.pixel_bytes());
  }
  return {};
}

// Decodes one block and copies its pixels to their channels.
Result<void> TiffRowReader::decode_block(TiffFile& file, const Block& block, std::vector<std::byte>& decoded,
                                         const Target& target) {
  file.messages().clear();
  if (!file.select(pages_[block.page])) return file.failed();
  TIFF* tiff = file.tiff();
  const uint32_t x = block.column * page_.block_width;
  const uint32_t height = std::min(page_.block_height, page_.size.height - block.y);
  const auto plane = static_cast<uint16_t>(block.plane);
  const uint32_t number =
      page_.tiled ? TIFFComputeTile(tiff, x, block.y, 0, plane) : TIFFComputeStrip(tiff, block.y, plane);
  const size_t row = page_.block_row_bytes();
  // The last strip has the remaining rows only, the last tile all rows.
  const size_t wanted = row * (page_.tiled ? page_.block_height : height);
  const auto is_stored = decode_tiff_block(source_, file, page_, number, wanted, decoded);
  if (!is_stored) return is_stored.error();
  if (!*is_stored) decoded.assign(row, std::byte{0});
  const size_t pixel = header_.layout.pixel_bytes();
  const size_t channel = block.page * page_channels_ + (page_.planes ? block.plane : 0);
  std::byte* to =
      target.out + (block.y - target.y) * target.stride + x * pixel + channel * sample_bytes(header_.layout.sample);
  const uint32_t width = std::min(page_.block_width, page_.size.width - x);
  for (uint32_t i = 0; i < height; ++i) {
    const std::byte* from = decoded.data() + (*is_stored ? i * row : 0);
    unpack_tiff_pixels(page_, from, width, to + i * target.stride, pixel, block.plane);
  }
  return {};
}

size_t TiffRowReader::blocks_in_group(uint32_t rows) const {
  return static_cast<size_t>(page_.blocks_across()) * div_up(rows, page_.block_height) * planes_.size() * pages_.size();
}

// Decodes a row of blocks.
Result<void> TiffRowReader::decode_group(const Target& target) {
  const uint32_t rows = std::min(group_rows_, page_.size.height - target.y);
  const auto across = static_cast<size_t>(page_.blocks_across());
  const size_t down = div_up(rows, page_.block_height);
  const size_t blocks = blocks_in_group(rows);
  // A group of one row is decoded where it is asked for: perhaps by a thread that runs tasks itself.
  const bool alone = threads_ == 1 || group_rows_ == 1;
  const size_t tasks = alone ? 1 : std::min<size_t>(blocks, size_t{4} * threads_);
  std::optional<Error> failure;
  size_t failed = tasks;  // the first task that failed: the error does not depend on the number of threads
  size_t warned = tasks;
  const auto decode_blocks = [&](size_t task) {
    auto file = take_file();
    Result<void> done = file ? Result<void>() : Result<void>(file.error());
    std::vector<std::byte> decoded;
    std::string warning;
    for (size_t i = blocks * task / tasks; done && i < blocks * (task + 1) / tasks; ++i) {
      // Pages are the outermost loop, so that a handle changes its directory rarely.
      const auto line = static_cast<uint32_t>(i / across % down);
      const Block block{.page = static_cast<uint32_t>(i / across / down / planes_.size()),
                        .plane = planes_[i / across / down % planes_.size()],
                        .column = static_cast<uint32_t>(i % across),
                        .y = target.y + line * page_.block_height};
      done = decode_block(**file, block, decoded, target);
      if (warning.empty() && (*file)->messages().has_warning()) warning = (*file)->messages().warning();
    }
    const std::scoped_lock lock(mutex_);
    if (!done && task < failed) {
      failure = done.error();
      failed = task;
    }
    if (!warning.empty() && task < warned && (warned < tasks || warning_.empty())) {
      warning_ = std::move(warning);
      warned = task;
    }
    if (file) idle_.push_back(std::move(*file));
  };
  if (tasks == 1) {
    decode_blocks(0);
  } else if (options_.run) {
    options_.run(tasks, decode_blocks);
  } else {
    run_tasks(threads_, tasks, decode_blocks);
  }
  if (failure) return *failure;
  return {};
}

Result<void> TiffRowReader::read(uint32_t rows, std::byte* out, size_t stride) {
  if (direct_) return read_direct(rows, out, stride);
  if (by_rows_) return read_scanlines(rows, out, stride);
  while (rows > 0) {
    const uint32_t group = y_ - y_ % group_rows_;
    const uint32_t group_rows = std::min(group_rows_, page_.size.height - group);
    if (y_ == group && rows >= group_rows) {  // without the buffer
      if (auto done = decode_group({group, out, stride}); !done) return done;
      y_ += group_rows;
      rows -= group_rows;
      out += group_rows * stride;
      continue;
    }
    if (!is_filled_ || buffered_ != group) {
      buffer_.resize(buffer_bytes_);
      is_filled_ = false;
      if (auto done = decode_group({group, buffer_.data(), row_bytes()}); !done) return done;
      buffered_ = group;
      is_filled_ = true;
    }
    std::memcpy(out, buffer_.data() + (y_ - group) * row_bytes(), row_bytes());
    ++y_;
    --rows;
    out += stride;
  }
  return {};
}

Result<std::unique_ptr<RowReader>> open_tiff_rows(const Source& source, const RowOptions& options) {
  auto reader = std::make_unique<TiffRowReader>(source, options);
  if (auto done = reader->open(); !done) return done.error();
  if (libtiff_converts(reader->file().tiff())) return std::unique_ptr<RowReader>();
  if (auto done = reader->read_tags(); !done) return done.error();
  if (!has_plain_colours(reader->page())) return std::unique_ptr<RowReader>();
  if (auto done = reader->start(TiffPages::kOmeChannels); !done) return done.error();
  if (reader->memory_bytes() > options.max_bytes) reader->use_one_thread();
  if (auto fine = check_memory(source, {.max_bytes = options.max_bytes}, reader->memory_bytes(),
                               "TIFF: decoding strips or tiles");
      !fine) {
    return fine.error();
  }
  return std::unique_ptr<RowReader>(std::move(reader));
}

}  // namespace onepass::files
