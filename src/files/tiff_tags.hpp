// tiff_tags.hpp: reads numbers of the first directory of a TIFF file without libtiff, whose messages about wrong ones
// are less precise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "files/readers.hpp"

namespace onepass::files {

/// The first directory of a TIFF or BigTIFF file.
class TiffTags {
 public:
  /// An empty directory if the file has none.
  explicit TiffTags(std::span<const std::byte> file);

  /// The first value of `tag`, if it is an unsigned integer in the directory itself.
  [[nodiscard]] std::optional<uint64_t> number(uint32_t tag) const;
  /// Whether the tag exists, with any type.
  [[nodiscard]] bool has(uint32_t tag) const { return find(tag).has_value(); }
  /// Upper bound of libtiff's memory for the values of all tags, in bytes.
  [[nodiscard]] uint64_t memory() const;
  [[nodiscard]] bool empty() const { return entries_ == 0; }

 private:
  [[nodiscard]] std::optional<size_t> find(uint32_t tag) const;
  [[nodiscard]] uint64_t load(uint64_t at, size_t bytes) const;

  std::span<const std::byte> file_;
  bool little_ = true;
  bool big_ = false;
  uint64_t first_ = 0;  // offset of the first entry
  uint64_t entries_ = 0;
};

/// Refuses a first directory whose sizes are missing, zero or too large, and a palette without colours. Messages give
/// field and value.
Result<void> check_tiff_tags(const Source& source);

}  // namespace onepass::files
