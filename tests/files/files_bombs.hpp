// files_bombs.hpp: small valid files that decode to large images, and headers that cost decoders much memory.
#pragma once

#include "tests/files/files_support.hpp"

namespace files_test {

/// A black Radiance file of `edge` x `edge` pixels (edge above 255), 12 bytes per scanline.
Bytes hdr_bomb(uint32_t edge);

/// A black PNG of 1 bit per pixel.
Bytes png_bomb(uint32_t width, uint32_t height);

/// A PNG of one pixel with `count` zTXt chunks, each of which inflates to `bytes` zeros.
Bytes png_text_bomb(size_t count, size_t bytes);

/// A PNG of one pixel with an ICC profile of `bytes` bytes when inflated, mostly zeros.
Bytes png_profile_bomb(uint32_t bytes);

/// A Zstandard-compressed RGBA8 KTX2 file that repeats one byte: 4 bytes of file for 128 KB of image.
Bytes ktx2_bomb(uint32_t width, uint32_t height);

/// A DWAB-compressed EXR of `edge` x `edge` equal half values.
Bytes exr_bomb(int edge);

/// An EXR of one pixel with `count` attributes of one byte each.
Bytes exr_attribute_bomb(size_t count);

/// A grey JPEG with equal pixels.
Bytes flat_jpeg(uint32_t edge, bool progressive);

}  // namespace files_test
