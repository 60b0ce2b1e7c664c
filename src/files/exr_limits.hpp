// exr_limits.hpp: what the header of an OpenEXR part may claim, and the memory that reading it takes. Checked between
// the parsing of the headers and the opening of a part, which allocates buffers by them.
#pragma once

#include <ImathBox.h>
#include <OpenEXR/ImfHeader.h>

#include <cstdint>

#include "files/exr_select.hpp"
#include "files/readers.hpp"

namespace onepass::files {

inline uint64_t box_width(const Imath::Box2i& box) { return static_cast<uint64_t>(int64_t{box.max.x} - box.min.x + 1); }
inline uint64_t box_height(const Imath::Box2i& box) {
  return static_cast<uint64_t>(int64_t{box.max.y} - box.min.y + 1);
}

/// Whether the part is stored in tiles. The stated type decides, because scanline files may carry an unused attribute
/// "tiles".
bool is_tiled(const Imf::Header& header);

/// Refuses headers that claim more than the file can hold, and chunks too large to decompress.
Result<void> check_part(const Source& source, const Imf::Header& header);

/// Memory of OpenEXR besides the pixels, in bytes: buffers for chunks, about as many as `threads`, each with the memory
/// of its compressor, and offset tables for rows and chunks.
uint64_t decoder_bytes(const Imf::Header& header, int threads);

/// Checks the peak of memory of read_exr(): all levels with OpenEXR's buffers, which may exist until the end, plus a
/// copy that covers the display window, plus decoded copies.
Result<void> check_exr_memory(const Source& source, const ReadOptions& options, const Imf::Header& header,
                              const Selection& selection, Format format, int threads);

}  // namespace onepass::files
