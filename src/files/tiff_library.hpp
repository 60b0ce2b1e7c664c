// tiff_library.hpp: TIFF pictures whose colours libtiff converts: YCbCr outside JPEG, SGI LogLuv.
#pragma once

#include "files/readers.hpp"
#include "files/tiff_handle.hpp"

namespace onepass::files {

/// Whether libtiff converts the colours of the current directory.
bool libtiff_converts(TIFF* tiff);

/// The picture as RGBA8 sRGB (YCbCr), or as floats in linear light (LogLuv; LogL as one channel). `tag_bytes`:
/// memory for the directory.
/// Errors: those of read_tiff().
Result<Image> read_converted(const Source& source, const ReadOptions& options, TIFF* tiff, TiffMessages& messages,
                             uint64_t tag_bytes);

}  // namespace onepass::files
