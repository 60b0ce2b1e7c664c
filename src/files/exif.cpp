// exif.cpp: walks the entries of the first TIFF directory in either byte order, and bounds every offset by the
// metadata's size.
#include "files/exif.hpp"

#include <cstring>

namespace onepass::files {

// A directory has 12-byte entries; the orientation is tag 0x0112, a 16-bit number.
uint32_t orientation_in(std::span<const std::byte> metadata) {
  constexpr size_t kPrefix = 6;
  constexpr uint32_t kTag = 0x0112;
  std::span<const std::byte> tiff = metadata;
  if (tiff.size() >= kPrefix && std::memcmp(tiff.data(), "Exif\0\0", kPrefix) == 0) tiff = tiff.subspan(kPrefix);
  if (tiff.size() < 8) return 1;
  const bool little = std::memcmp(tiff.data(), "II*\0", 4) == 0;
  if (!little && std::memcmp(tiff.data(), "MM\0*", 4) != 0) return 1;
  const auto number = [&](size_t offset, size_t size) {
    uint32_t value = 0;
    for (size_t i = 0; i < size; ++i) {
      value = value << 8 | std::to_integer<uint32_t>(tiff[offset + (little ? size - 1 - i : i)]);
    }
    return value;
  };
  const size_t directory = number(4, 4);
  if (directory > tiff.size() || tiff.size() - directory < 2) return 1;
  const size_t entries = number(directory, 2);
  for (size_t i = 0; i < entries; ++i) {
    const size_t entry = directory + 2 + 12 * i;
    if (tiff.size() < entry + 12) return 1;
    if (number(entry, 2) != kTag) continue;
    const uint32_t value = number(entry + 8, 2);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

}  // namespace onepass::files
