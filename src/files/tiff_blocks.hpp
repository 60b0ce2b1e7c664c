// tiff_blocks.hpp: decodes a strip or tile of a TIFF page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "files/tiff_file.hpp"
#include "files/tiff_layout.hpp"

namespace onepass::files {

/// Decodes strip or tile `number` of the current page of `file`, which is `page`, to `decoded`: `bytes` bytes, in the
/// byte order of the machine. False: a sparse file leaves it out, all samples are 0. Errors: kIo, kBadData,
/// kOutOfMemory.
Result<bool> decode_tiff_block(const Source& source, TiffFile& file, const TiffPage& page, uint32_t number,
                               size_t bytes, std::vector<std::byte>& decoded);

}  // namespace onepass::files
