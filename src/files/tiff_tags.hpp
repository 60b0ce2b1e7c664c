// tiff_tags.hpp: reads numbers of the first directory of a TIFF file without libtiff, whose messages about wrong ones
// are less precise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "files/readers.hpp"

namespace onepass::files {

inline constexpr uint32_t kMaxTile = 65536;  ///< Width and height of a tile, in pixels.

/// The first directory of a TIFF or BigTIFF file.
class TiffTags {
 public:
  /// An empty directory if the file has none or it cannot be read.
  explicit TiffTags(const Source& source);

  /// The first value of `tag`, if it is an unsigned integer in the directory itself.
  [[nodiscard]] std::optional<uint64_t> number(uint32_t tag) const;
  /// The number of values of `tag`; 0 without it.
  [[nodiscard]] uint64_t count(uint32_t tag) const;
  /// Whether the tag exists, with any type.
  [[nodiscard]] bool has(uint32_t tag) const { return find(tag).has_value(); }
  /// Upper bound of libtiff's memory for the values of all tags, in bytes.
  [[nodiscard]] uint64_t memory() const;
  [[nodiscard]] bool empty() const { return entries_ == 0; }

 private:
  [[nodiscard]] std::optional<size_t> find(uint32_t tag) const;
  [[nodiscard]] uint64_t load(uint64_t at, size_t bytes) const;

  std::vector<std::byte> directory_;  // the entries
  uint64_t file_size_;
  bool little_ = true;
  bool big_ = false;
  uint64_t entries_ = 0;
};

/// Refuses tables of strips or tiles with too few entries for the picture, or with more than the file has bytes. The
/// number of strips is that of the file: libtiff divides a single large one. `tiles`: their number; none: strips.
Result<void> check_tiff_tables(const Source& source, const TiffTags& tags, uint32_t height, uint32_t planes,
                               std::optional<uint64_t> tiles);

/// Refuses a first directory whose sizes are missing, zero or too large, and a palette without colours. Messages give
/// field and value.
Result<void> check_tiff_tags(const Source& source);

}  // namespace onepass::files
