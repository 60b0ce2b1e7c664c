// output_tiff.cpp: pyramidal TIFF: one BigTIFF file whose directories are the levels, finest first.
//
//     plain   header | tiles of all levels, as they are completed | directories
//     COG     header | layout | directories | tiles of the coarsest level | ... | tiles of the base
//
// The container is written here and not by libtiff, which writes one directory after the other: tiles of all levels are
// completed at the same time. The tiles of a COG go to one file per level first (a spool), because the sizes of the
// coarser levels are known at the end only; they are then copied inside the kernel (copy_file_range).
//
// A shard writes the same spools with the rows of tiles that it makes: one of all levels, or for a COG one per level. A
// merge notes where the tiles of the shards belong, and copies them at the end.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

#include "files/writers.hpp"
#include "tiles/file_io.hpp"
#include "tiles/output.hpp"
#include "tiles/put_in_place.hpp"
#include "tiles/system.hpp"
#include "tiles/text.hpp"
#include "tiles/tiff_container.hpp"

namespace onepass::tiles {
namespace {

// Tags, and the values of Compression, PhotometricInterpretation, ExtraSamples and SampleFormat.
enum Tag : uint16_t {
  kNewSubfileType = 254,
  kImageWidth = 256,
  kImageLength = 257,
  kBitsPerSample = 258,
  kCompression = 259,
  kPhotometric = 262,
  kSamplesPerPixel = 277,
  kXResolution = 282,
  kYResolution = 283,
  kPlanarConfiguration = 284,
  kResolutionUnit = 296,
  kSoftware = 305,
  kPredictor = 317,
  kTileWidth = 322,
  kTileLength = 323,
  kTileOffsets = 324,
  kTileByteCounts = 325,
  kExtraSamples = 338,
  kSampleFormat = 339,
  kJpegTables = 347,
  kYCbCrSubSampling = 530,
  kReferenceBlackWhite = 532,
  kIccProfile = 34675,
  kGdalNodata = 42113
};
constexpr uint16_t kMinIsBlack = 1;
constexpr uint16_t kRgb = 2;
constexpr uint16_t kYCbCr = 6;

uint16_t compression_code(TileCompression compression) {
  switch (compression) {
    case TileCompression::kJpeg:
      return 7;
    case TileCompression::kDeflate:
      return 8;
    case TileCompression::kZstd:
      return 50000;
    case TileCompression::kLzw:
      return 5;
    default:
      return 1;
  }
}

// Places of the tiles of a level. Offsets are those in the file that append() writes.
struct LevelTiles {
  std::vector<uint64_t> offsets;
  std::vector<uint32_t> sizes;
};

class PyramidTiff final : public Output {
 public:
  explicit PyramidTiff(const OutputPlan& plan) : Output(plan) {
    for (const TileGrid& grid : plan_.grids) {
      const size_t count = size_t{grid.columns()} * grid.rows();
      levels_.push_back({std::vector<uint64_t>(count), std::vector<uint32_t>(count)});
    }
    spools_.resize(plan_.options.cog ? levels_.size() : 1);
  }

  Result<void> prepare();
  [[nodiscard]] bool ordered() const override { return true; }
  [[nodiscard]] Bytes encode(const Tile& tile) const override;
  Result<void> append(uint32_t level, uint32_t row, std::span<const Bytes> tiles) override;
  [[nodiscard]] std::string journal_entry() const override { return entry_; }
  [[nodiscard]] Result<bool> is_intact(uint32_t level, uint32_t row, const std::filesystem::path& part,
                                       const std::string& entry) const override;
  bool restore(uint32_t level, uint32_t row, const std::string& entry) override;
  [[nodiscard]] Result<void> sync() const override;
  Result<uint64_t> join(uint32_t level, uint32_t row, const std::filesystem::path& part,
                        const std::string& entry) override;
  Result<std::vector<std::filesystem::path>> finish() override;
  [[nodiscard]] std::string encoding_name() const override {
    constexpr const char* kNames[] = {"auto", "none", "jpeg", "deflate", "zstd", "lzw"};
    return kNames[static_cast<size_t>(plan_.options.compression)];
  }

 private:
  // Bytes of a shard's spool that belong to a spool of the merge.
  struct Segment {
    std::filesystem::path path;
    uint64_t from = 0;
    uint64_t to = 0;
    uint64_t bytes = 0;
  };
  struct Spool {
    std::filesystem::path path;
    files::Handle handle;
    uint64_t end = 0;
    std::vector<Segment> joined;
  };

  [[nodiscard]] bool is_jpeg() const { return plan_.options.compression == TileCompression::kJpeg; }
  [[nodiscard]] uint32_t predictor() const {
    const bool none = is_jpeg() || plan_.options.compression == TileCompression::kNone;
    return none ? 1 : is_float(plan_.header.layout.sample) ? 3 : 2;
  }
  [[nodiscard]] TiffDirectory directory(uint32_t level, uint64_t shift) const;
  Result<void> write_plain();
  Result<void> write_cog();
  struct Entry {
    uint64_t start = 0;  // in the file that append() wrote
    uint64_t bytes = 0;
    uint64_t crc = 0;
    std::vector<uint64_t> sizes;  // of the tiles
  };
  [[nodiscard]] std::optional<Entry> parse(uint32_t level, const std::string& entry) const;
  void set_places(uint32_t level, uint32_t row, const Entry& entry, uint64_t start);
  [[nodiscard]] std::filesystem::path recorded_file(const std::filesystem::path& part, uint32_t level) const {
    return part / (plan_.options.cog ? spool_name(level) : plan_.role == Role::kWhole ? "image.tif" : "tiles");
  }
  [[nodiscard]] std::string spool_name(uint32_t level) const {
    return plan_.options.cog ? text_of("level_", level) : plan_.role == Role::kShard ? "tiles" : "image.tif";
  }
  Result<void> copy_joined(const Spool& spool, const files::Handle& to, uint64_t offset) const;
  Result<void> copy_bytes(const files::Handle& from, uint64_t first, uint64_t bytes, const files::Handle& to,
                          uint64_t offset) const;

  std::vector<LevelTiles> levels_;
  std::vector<Spool> spools_;  // COG: one per level; plain: the file itself
  std::string entry_;
};

Result<void> PyramidTiff::prepare() {
  for (size_t i = 0; i < spools_.size(); ++i) {
    Spool& spool = spools_[i];
    if (plan_.options.cog && plan_.role != Role::kWhole && plan_.rows.tiles[i].count() == 0) continue;
    spool.path = plan_.part / spool_name(static_cast<uint32_t>(i));
    // A resumed run continues its file; shards and merges start again.
    const auto access = plan_.role == Role::kWhole ? system::Access::kCreate : system::Access::kReplace;
    spool.handle = system::open_file(spool.path, access);
    if (!spool.handle.valid()) return write_error(spool.path, errno);
    if (plan_.options.cog || plan_.role == Role::kShard) continue;
    spool.end = kBigTiffHeader;  // the header stays zero until the file is complete
  }
  return {};
}

Bytes PyramidTiff::encode(const Tile& tile) const {
  const size_t pixel = plan_.header.layout.pixel_bytes();
  const uint32_t edge = plan_.options.tile_size;
  const Extent size = tile.pixels.size;
  const size_t row_bytes = pixel * edge;
  // Tiles at the right and lower edges are filled up: with their last pixels for JPEG, whose blocks cross the edge,
  // else with zeros.
  const bool whole = size.width == edge && size.height == edge;
  TilePixels full = tile.pixels;
  Bytes block;
  if (!whole || !is_jpeg()) {
    block.resize(row_bytes * edge);
    for (uint32_t y = 0; y < edge; ++y) {
      if (y >= size.height && !is_jpeg()) break;
      const std::byte* from = tile.pixels.row(std::min(y, size.height - 1));
      std::byte* to = block.data() + y * row_bytes;
      std::memcpy(to, from, pixel * size.width);
      for (uint32_t x = size.width; is_jpeg() && x < edge; ++x) {
        std::memcpy(to + x * pixel, from + (size.width - 1) * pixel, pixel);
      }
    }
    full.data = block.data();
    full.stride = row_bytes;
    full.size = {edge, edge};
  }
  if (is_jpeg()) return encode_jpeg(full, plan_.options.quality, plan_.srgb, {}, JpegStream::kAbbreviated);
  const uint32_t width = sample_bytes(plan_.header.layout.sample);
  if (predictor() == 2) difference_rows(block, row_bytes, plan_.header.layout.channels, width);
  if (predictor() == 3) difference_float_rows(block, row_bytes, plan_.header.layout.channels, width);
  switch (plan_.options.compression) {
    case TileCompression::kDeflate:
      return compress_zlib(block, kDeflateLevel);
    case TileCompression::kZstd:
      return compress_zstd(block, kZstdLevel);
    case TileCompression::kLzw:
      return compress_lzw(block);
    default:
      return block;
  }
}

Result<void> PyramidTiff::append(uint32_t level, uint32_t row, std::span<const Bytes> tiles) {
  Spool& spool = spools_[plan_.options.cog ? level : 0];
  LevelTiles& places = levels_[level];
  const size_t first = size_t{row} * plan_.grids[level].columns();
  Bytes joined;
  std::string sizes;
  for (size_t i = 0; i < tiles.size(); ++i) {
    const Bytes& tile = tiles[i];
    if (tile.size() > UINT32_MAX) return write_error(plan_.options.output, EFBIG);
    // GDAL reads a tile of a COG with one request: its size stands before it, its last bytes are repeated.
    if (plan_.options.cog) put_number(joined, tile.size(), 4);
    places.offsets[first + i] = spool.end + joined.size();
    places.sizes[first + i] = static_cast<uint32_t>(tile.size());
    joined.insert(joined.end(), tile.begin(), tile.end());
    if (plan_.options.cog) {
      for (size_t b = 0; b < 4; ++b) joined.push_back(tile.size() >= 4 ? tile[tile.size() - 4 + b] : std::byte{0});
    } else if (joined.size() % 2 != 0) {
      joined.push_back(std::byte{0});
    }
    sizes += text_of(" ", tile.size());
  }
  entry_ = text_of(spool.end, " ", crc32_of(0, joined), sizes);
  if (const int number = write_fully(spool.handle.number(), joined, spool.end); number != 0) {
    return write_error(plan_.options.output, number);
  }
  spool.end += joined.size();
  return {};
}

std::optional<PyramidTiff::Entry> PyramidTiff::parse(uint32_t level, const std::string& entry) const {
  const std::optional<std::vector<uint64_t>> numbers = numbers_of(entry);
  if (!numbers || numbers->size() != size_t{plan_.grids[level].columns()} + 2) return std::nullopt;
  Entry out{(*numbers)[0], 0, (*numbers)[1], {numbers->begin() + 2, numbers->end()}};
  for (const uint64_t size : out.sizes) {
    if (size > UINT32_MAX) return std::nullopt;
    out.bytes += size + (plan_.options.cog ? 8 : size % 2);
  }
  return out;
}

// The places that append() gives to tiles of these sizes, which begin at `start`.
void PyramidTiff::set_places(uint32_t level, uint32_t row, const Entry& entry, uint64_t start) {
  LevelTiles& places = levels_[level];
  const size_t first = size_t{row} * entry.sizes.size();
  for (size_t i = 0; i < entry.sizes.size(); ++i) {
    const uint64_t size = entry.sizes[i];
    places.offsets[first + i] = start + (plan_.options.cog ? 4 : 0);
    places.sizes[first + i] = static_cast<uint32_t>(size);
    start += size + (plan_.options.cog ? 8 : size % 2);
  }
}

Result<bool> PyramidTiff::is_intact(uint32_t level, uint32_t /*row*/, const std::filesystem::path& part,
                                    const std::string& entry) const {
  const auto parsed = parse(level, entry);
  if (!parsed) return false;
  return has_checksum(recorded_file(part, level), parsed->start, parsed->bytes, parsed->crc, false);
}

bool PyramidTiff::restore(uint32_t level, uint32_t row, const std::string& entry) {
  Spool& spool = spools_[plan_.options.cog ? level : 0];
  const auto parsed = parse(level, entry);
  if (!parsed || parsed->start != spool.end) return false;
  set_places(level, row, *parsed, spool.end);
  spool.end += parsed->bytes;
  return true;
}

Result<void> PyramidTiff::sync() const {
  for (const Spool& spool : spools_) {
    if (spool.handle.valid() && !system::sync_data(spool.handle.number())) return write_error(spool.path, errno);
  }
  return {};
}

Result<uint64_t> PyramidTiff::join(uint32_t level, uint32_t row, const std::filesystem::path& part,
                                   const std::string& entry) {
  Spool& spool = spools_[plan_.options.cog ? level : 0];
  const auto parsed = parse(level, entry);
  if (!parsed) return files::file_error(part, ErrorCode::kBadData, "is damaged: its journal has a wrong entry");
  set_places(level, row, *parsed, spool.end);
  const std::filesystem::path path = recorded_file(part, level);
  const uint64_t to = spool.end;
  spool.end += parsed->bytes;
  if (!spool.joined.empty()) {  // rows of tiles of one shard mostly follow each other in both files
    Segment& last = spool.joined.back();
    if (last.path == path && last.from + last.bytes == parsed->start && last.to + last.bytes == to) {
      last.bytes += parsed->bytes;
      return parsed->bytes;
    }
  }
  spool.joined.push_back({path, parsed->start, to, parsed->bytes});
  return parsed->bytes;
}

// The directory of a level; `shift` is added to the offsets of its tiles.
TiffDirectory PyramidTiff::directory(uint32_t level, uint64_t shift) const {
  const PixelLayout& layout = plan_.header.layout;
  const TileGrid& grid = plan_.grids[level];
  TiffDirectory tags;
  tags.set_long(kNewSubfileType, level == 0 ? 0 : 1);
  tags.set_long(kImageWidth, grid.size.width);
  tags.set_long(kImageLength, grid.size.height);
  const std::vector<uint16_t> bits(layout.channels, static_cast<uint16_t>(8 * sample_bytes(layout.sample)));
  tags.set_short(kBitsPerSample, bits);
  tags.set_short(kCompression, compression_code(plan_.options.compression));
  tags.set_short(kPhotometric, !layout.colour ? kMinIsBlack : is_jpeg() ? kYCbCr : kRgb);
  tags.set_short(kSamplesPerPixel, static_cast<uint16_t>(layout.channels));
  tags.set_short(kPlanarConfiguration, 1);
  tags.set_text(kSoftware, "onepass " ONEPASS_VERSION);
  if (predictor() != 1) tags.set_short(kPredictor, static_cast<uint16_t>(predictor()));
  tags.set_long(kTileWidth, plan_.options.tile_size);
  tags.set_long(kTileLength, plan_.options.tile_size);
  const uint32_t colours = layout.colour ? 3 : 1;
  if (layout.channels > colours) {
    std::vector<uint16_t> extra(layout.channels - colours, 0);
    if (layout.has_alpha()) extra.back() = layout.alpha == AlphaAssociation::kPremultiplied ? 1 : 2;
    tags.set_short(kExtraSamples, extra);
  }
  const uint16_t format = is_float(layout.sample) ? 3 : is_signed(layout.sample) ? 2 : 1;
  tags.set_short(kSampleFormat, std::vector<uint16_t>(layout.channels, format));
  if (is_jpeg()) {
    tags.set_bytes(kJpegTables, jpeg_tables(plan_.options.quality, layout.channels));
    if (layout.colour) {
      const uint16_t ratio = subsamples_chroma(plan_.options.quality) ? 2 : 1;
      tags.set_short(kYCbCrSubSampling, std::vector<uint16_t>{ratio, ratio});
      tags.set_rational(kReferenceBlackWhite, std::vector<double>{0, 255, 128, 255, 128, 255});
    }
  }
  if (const auto& resolution = plan_.header.resolution) {
    // The same size in the world at fewer pixels.
    const TileGrid& base = plan_.grids.front();
    const double x = resolution->x * grid.size.width / base.size.width;
    const double y = resolution->y * grid.size.height / base.size.height;
    tags.set_rational(kXResolution, std::span(&x, 1));
    tags.set_rational(kYResolution, std::span(&y, 1));
    tags.set_short(kResolutionUnit, resolution->unit);
  }
  if (!plan_.header.colors.icc.empty()) tags.set_bytes(kIccProfile, plan_.header.colors.icc);
  for (const CopiedTag& tag : plan_.header.geo) {
    if (level == 0 || tag.tag == kGdalNodata) tags.copy(tag);
  }
  std::vector<uint64_t> offsets = levels_[level].offsets;
  for (uint64_t& offset : offsets) offset += shift;
  tags.set_long8(kTileOffsets, offsets);
  tags.set_longs(kTileByteCounts, levels_[level].sizes);
  return tags;
}

Result<void> PyramidTiff::write_plain() {
  const Spool& spool = spools_.front();
  if (auto done = copy_joined(spool, spool.handle, 0); !done) return done;
  uint64_t at = spool.end + spool.end % 2;
  Bytes directories;
  const uint64_t first = at;
  for (uint32_t level = 0; level < levels_.size(); ++level) {
    const TiffDirectory tags = directory(level, 0);
    const uint64_t next = at + tags.size();
    tags.append_to(directories, at, level + 1 < levels_.size() ? next : 0);
    at = next;
  }
  int number = write_fully(spool.handle.number(), directories, first);
  // Last, so that the file is no TIFF before it is complete.
  if (number == 0) number = write_fully(spool.handle.number(), big_tiff_header(first), 0);
  if (number == 0 && !system::set_size(spool.handle.number(), at)) number = errno;
  if (number != 0) return write_error(plan_.options.output, number);
  return {};
}

Result<void> PyramidTiff::copy_bytes(const files::Handle& from, uint64_t first, uint64_t bytes, const files::Handle& to,
                                     uint64_t offset) const {
  Bytes buffer;
  for (uint64_t done = 0; done < bytes;) {
    if (buffer.empty()) {
      const ptrdiff_t copied = system::copy(from.number(), first + done, to.number(), offset + done, bytes - done);
      if (copied < 0) return write_error(plan_.options.output, errno);
      done += static_cast<uint64_t>(copied);
      if (copied > 0) continue;
      buffer.resize(size_t{1} << 20);
    }
    const std::span part = std::span(buffer).first(std::min<uint64_t>(bytes - done, buffer.size()));
    int number = read_fully(from.number(), part.data(), part.size(), first + done);
    if (number == 0) number = write_fully(to.number(), part, offset + done);
    if (number != 0) return write_error(plan_.options.output, number < 0 ? EIO : number);
    done += part.size();
  }
  return {};
}

// Copies the tiles of shards to where they belong in a file in which the spool begins at `offset`.
Result<void> PyramidTiff::copy_joined(const Spool& spool, const files::Handle& to, uint64_t offset) const {
  std::filesystem::path open;
  files::Handle from;
  for (const Segment& segment : spool.joined) {
    if (segment.path != open) {
      open = segment.path;
      from = system::open_file(open, system::Access::kRead);
      if (!from.valid())
        return files::file_error(open, ErrorCode::kIo, text_of("cannot open it: ", std::strerror(errno)));
    }
    if (auto done = copy_bytes(from, segment.from, segment.bytes, to, offset + segment.to); !done) return done;
  }
  return {};
}

Result<void> PyramidTiff::write_cog() {
  const std::filesystem::path path = plan_.work / "image.tif";
  const files::Handle file = system::open_file(path, system::Access::kReplace);
  if (!file.valid()) return write_error(path, errno);
  const std::string layout = cog_layout_text();
  const uint64_t first = kBigTiffHeader + layout.size() + layout.size() % 2;
  uint64_t data = first;
  for (uint32_t level = 0; level < levels_.size(); ++level) data += directory(level, 0).size();
  std::vector<uint64_t> starts(levels_.size());
  for (size_t level = levels_.size(); level-- > 0;) {
    starts[level] = data;
    data += spools_[level].end;
  }
  Bytes head = big_tiff_header(first);
  for (const char c : layout) head.push_back(static_cast<std::byte>(c));
  if (head.size() % 2 != 0) head.push_back(std::byte{0});
  for (uint32_t level = 0; level < levels_.size(); ++level) {
    const TiffDirectory tags = directory(level, starts[level]);
    const uint64_t at = head.size();
    tags.append_to(head, at, level + 1 < levels_.size() ? at + tags.size() : 0);
  }
  if (const int number = write_fully(file.number(), head, 0); number != 0) {
    return write_error(plan_.options.output, number);
  }
  for (size_t level = levels_.size(); level-- > 0;) {
    const Spool& spool = spools_[level];
    if (auto done = copy_joined(spool, file, starts[level]); !done) return done;
    if (!spool.handle.valid()) continue;  // all of it comes from shards
    if (auto done = copy_bytes(spool.handle, 0, spool.end, file, starts[level]); !done) return done;
  }
  return {};
}

Result<std::vector<std::filesystem::path>> PyramidTiff::finish() {
  if (auto done = plan_.options.cog ? write_cog() : write_plain(); !done) return done.error();
  const Move move{plan_.work / "image.tif", plan_.options.output};
  if (auto done = put_in_place(plan_.work, std::span(&move, 1)); !done) return done.error();
  return std::vector{plan_.options.output};
}

}  // namespace

Result<OutputPtr> make_tiff(const OutputPlan& plan) {
  auto output = std::make_unique<PyramidTiff>(plan);
  if (auto done = output->prepare(); !done) return done.error();
  return OutputPtr(std::move(output));
}

}  // namespace onepass::tiles
