// exif.hpp: reads the orientation of the camera from EXIF metadata.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace onepass::files {

/// The orientation, 1 (upright) to 8, in EXIF metadata: a TIFF header and a directory, with or without the six bytes
/// "Exif\0\0" before them. Damaged metadata, and metadata without an orientation, give 1.
/// Source: CIPA DC-008, "Exchangeable image file format for digital still cameras: Exif Version 2.32", section 4.5-4.6.
uint32_t orientation_in(std::span<const std::byte> metadata);

}  // namespace onepass::files
