// tiff_tags.cpp: parses the first directory by hand, and bounds counts of entries, tables and memory by the size of the
// file.
//
//     TIFF      "II" or "MM", 42, offset of 4 bytes                 entries of 12: tag 2, type 2, count 4, value 4
//     BigTIFF   "II" or "MM", 43, 8 and 0, offset of 8 bytes        entries of 20: tag 2, type 2, count 8, value 8
// A directory consists of its number of entries, in 2 or 8 bytes, and the entries. Source: Adobe, "TIFF Revision 6.0",
// 1992.
#include "files/tiff_tags.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "image/div_up.hpp"

namespace onepass::files {
namespace {

constexpr uint64_t kEntryBytes = 512;  // memory of libtiff for an unknown tag, besides the value
constexpr uint32_t kPalette = 3;       // of PhotometricInterpretation

enum Tag : uint32_t {
  kImageWidth = 256,
  kImageLength = 257,
  kPhotometric = 262,
  kRowsPerStrip = 278,
  kColorMap = 320,
  kTileWidth = 322,
  kTileLength = 323,
  kStripOffsets = 273,
  kStripByteCounts = 279,
  kTileOffsets = 324,
  kTileByteCounts = 325,
};

}  // namespace

TiffTags::TiffTags(const Source& source) : file_size_(source.size()) {
  constexpr uint64_t kMostEntries = 65536;
  directory_.resize(16);
  if (source.read_at(0, std::span(directory_).first(8)) != 0) return;
  little_ = directory_[0] == std::byte{'I'};
  big_ = load(2, 2) == 43;
  if (big_ && source.read_at(0, directory_) != 0) return;
  const uint64_t at = big_ ? load(8, 8) : load(4, 4);
  const size_t counter = big_ ? 8 : 2;
  const size_t entry = big_ ? 20 : 12;
  if (at > file_size_ || source.read_at(at, std::span(directory_).first(counter)) != 0) return;
  const uint64_t room = (file_size_ - at - counter) / entry;
  const uint64_t entries = std::min({load(0, counter), room, kMostEntries});
  directory_.resize(entries * entry);
  if (source.read_at(at + counter, directory_) == 0) entries_ = entries;
}

std::optional<uint64_t> TiffTags::number(uint32_t tag) const {
  const std::optional<size_t> entry = find(tag);
  if (!entry) return {};
  const size_t value = *entry + (big_ ? 12 : 8);
  switch (load(*entry + 2, 2)) {
    case 1:  // BYTE
      return load(value, 1);
    case 3:  // SHORT
      return load(value, 2);
    case 4:  // LONG
      return load(value, 4);
    case 16:  // LONG8
      return big_ ? std::optional(load(value, 8)) : std::nullopt;
    default:
      return {};
  }
}

// The values as stored, and the numbers of up to 8 bytes that libtiff converts them to. A value cannot be longer than
// the file, but any number of tags can share the same bytes.
uint64_t TiffTags::memory() const {
  constexpr std::array<uint8_t, 19> kBytes = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};  // by type
  uint64_t bytes = 0;
  for (uint64_t i = 0; i < entries_; ++i) {
    const uint64_t entry = i * (big_ ? 20 : 12);
    const uint64_t type = load(entry + 2, 2);
    const uint64_t size = type < kBytes.size() ? kBytes[type] : 0;
    const uint64_t count = std::min<uint64_t>(load(entry + 4, big_ ? 8 : 4), file_size_);
    bytes += kEntryBytes + count * (size == 1 ? 2 : size + 8);
  }
  return bytes;
}

uint64_t TiffTags::count(uint32_t tag) const {
  const std::optional<size_t> entry = find(tag);
  return entry ? load(*entry + 4, big_ ? 8 : 4) : 0;
}

std::optional<size_t> TiffTags::find(uint32_t tag) const {
  for (uint64_t i = 0; i < entries_; ++i) {
    const uint64_t entry = i * (big_ ? 20 : 12);
    if (load(entry, 2) == tag) return entry;
  }
  return {};
}

uint64_t TiffTags::load(uint64_t at, size_t bytes) const {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i) {
    value = value << 8 | std::to_integer<uint64_t>(directory_[at + (little_ ? bytes - 1 - i : i)]);
  }
  return value;
}

Result<void> check_tiff_tables(const Source& source, const TiffTags& tags, uint32_t height, uint32_t planes,
                               std::optional<uint64_t> tiles) {
  const uint64_t rows = std::clamp<uint64_t>(tags.number(kRowsPerStrip).value_or(height), 1, height);
  const uint64_t blocks = tiles.value_or(div_up(uint64_t{height}, rows) * planes);
  for (const bool offsets : {true, false}) {
    const Tag of_tiles = offsets ? kTileOffsets : kTileByteCounts;
    const Tag of_strips = offsets ? kStripOffsets : kStripByteCounts;
    const Tag tag = tags.has(of_tiles) ? of_tiles : of_strips;  // some writers store those of tiles as those of strips
    const uint64_t count = tags.count(tag);
    if (count >= blocks && count <= source.size()) continue;
    if (count == 0 && !offsets) continue;  // libtiff computes them
    return source.bad(std::string("TIFF: ") + (tag >= kTileOffsets ? "Tile" : "Strip") +
                      (offsets ? "Offsets" : "ByteCounts") + " has " + std::to_string(count) +
                      " entries, the picture has " + std::to_string(blocks) + (tiles ? " tiles" : " strips") +
                      (count > blocks ? ", and the file is shorter than that" : ""));
  }
  return {};
}

Result<void> check_tiff_tags(const Source& source) {
  const TiffTags tags(source);
  if (tags.empty())
    return source.bad("TIFF: there is no directory at the place that the header names: truncated or damaged");
  for (const auto& [tag, name] : {std::pair{kImageWidth, "ImageWidth"}, {kImageLength, "ImageLength"}}) {
    if (!tags.has(tag)) return source.bad(std::string("TIFF: the tag ") + name + " is missing");
  }
  const auto width = tags.number(kImageWidth);
  const auto height = tags.number(kImageLength);
  if (width && height) {
    if (auto fine = check_size(source, *width, *height); !fine) return fine;
  }
  for (const auto& [tag, name] : {std::pair{kTileWidth, "TileWidth"}, {kTileLength, "TileLength"}}) {
    const auto edge = tags.number(tag);
    if (edge && (*edge == 0 || *edge > kMaxTile)) {
      return source.bad(std::string("TIFF: ") + name + " is " + std::to_string(*edge) + ", not 1 to " +
                        std::to_string(kMaxTile));
    }
  }
  if (tags.number(kRowsPerStrip) == 0U) return source.bad("TIFF: RowsPerStrip is 0");
  if (tags.number(kPhotometric) == kPalette && !tags.has(kColorMap)) {
    return source.bad("TIFF: the tag ColorMap is missing, PhotometricInterpretation is 3 (palette)");
  }
  return {};
}

}  // namespace onepass::files
