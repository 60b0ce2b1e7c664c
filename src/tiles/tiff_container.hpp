// tiff_container.hpp: directories of a BigTIFF file with tiles, built in memory.
// Sources: Adobe, "TIFF Revision 6.0", 1992; "BigTIFF File Format", libtiff; OGC 21-026, "Cloud Optimized GeoTIFF",
// 2023.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tiles/compress.hpp"
#include "tiles/picture_header.hpp"

namespace onepass::tiles {

/// The tags of one directory, sorted by number.
class TiffDirectory {
 public:
  void set_short(uint16_t tag, std::span<const uint16_t> values);
  void set_short(uint16_t tag, uint16_t value) { set_short(tag, std::span(&value, 1)); }
  void set_long(uint16_t tag, uint32_t value);
  void set_longs(uint16_t tag, std::span<const uint32_t> values);
  void set_long8(uint16_t tag, std::span<const uint64_t> values);
  void set_rational(uint16_t tag, std::span<const double> values);
  void set_bytes(uint16_t tag, std::span<const std::byte> bytes);  ///< UNDEFINED
  void set_text(uint16_t tag, const std::string& text);
  void copy(const CopiedTag& tag);

  /// Bytes of the directory and of the values that do not fit into it.
  [[nodiscard]] uint64_t size() const;

  /// Appends the directory, which begins at `offset` of the file; `next` is the offset of the next one, 0 for none.
  void append_to(Bytes& out, uint64_t offset, uint64_t next) const;

 private:
  struct Entry {
    uint16_t type = 0;
    uint64_t count = 0;
    Bytes bytes;
  };
  std::map<uint16_t, Entry> entries_;
};

/// Appends a little-endian number of `bytes` bytes.
void put_number(Bytes& out, uint64_t value, uint32_t bytes);

inline constexpr uint64_t kBigTiffHeader = 16;

/// The header of a BigTIFF file, with the offset of its first directory.
Bytes big_tiff_header(uint64_t first_directory);

/// The text behind the header by which GDAL recognises the layout of a COG.
std::string cog_layout_text();

}  // namespace onepass::tiles
