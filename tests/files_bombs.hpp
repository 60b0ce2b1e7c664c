// files_bombs.hpp: small valid files that are large images, and headers that decoders would take much memory for.
#pragma once

#include "files_support.hpp"

namespace files_test {

/// A black Radiance file of `edge` x `edge` pixels, 12 bytes a scanline (edge above 255).
Bytes hdr_bomb(uint32_t edge);

/// A black PNG of 1 bit a pixel.
Bytes png_bomb(uint32_t width, uint32_t height);

/// A PNG of one pixel with `count` zTXt chunks, each of `bytes` zeros deflated.
Bytes png_text_bomb(size_t count, size_t bytes);

/// A PNG of one pixel with an ICC profile of `bytes` bytes, mostly zeros deflated.
Bytes png_profile_bomb(uint32_t bytes);

/// A KTX2 of RGBA8, Zstandard, one byte repeated: 4 bytes of file for 128 KB.
Bytes ktx2_bomb(uint32_t width, uint32_t height);

/// An EXR of `edge` x `edge` equal halves, compression DWAB.
Bytes exr_bomb(int edge);

/// An EXR of one pixel with `count` attributes of one byte.
Bytes exr_attribute_bomb(size_t count);

/// A gray JPEG of one value.
Bytes flat_jpeg(uint32_t edge, bool progressive);

}  // namespace files_test
