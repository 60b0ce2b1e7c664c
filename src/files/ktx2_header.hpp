// ktx2_header.hpp: everything before the pixels of a KTX2 file, checked: header, level index, data format descriptor
// and key/value data.
//
// Every offset and length is checked against the file, against the other parts and against the size of its level, and
// every field that repeats what another one says must agree with it, before anything is allocated.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "files/ktx2_format.hpp"
#include "files/readers.hpp"

namespace onepass::files::ktx2 {

/// A stored format that is expanded to RGBA. `order`: the stored channel for each of R, G, B and A.
struct Expansion {
  uint32_t vk_format;
  Format format;
  uint32_t channels;       // stored
  uint32_t channel_bytes;  // 1, 2 or 4
  std::array<uint8_t, 4> order;
  uint32_t opaque;  // stored value of alpha 1, if the file has no alpha
};

struct Header {
  uint32_t vk_format = 0;
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t depth = 0;   // as stored: 0 for no 3-D image
  uint32_t layers = 0;  // as stored: 0 for no array
  uint32_t faces = 0;
  uint32_t levels = 0;
  uint32_t supercompression = 0;
  uint32_t slices = 0;                           // of the base
  Format format = Format::kUndefined;            // of the image, before options.color
  const Expansion* expansion = nullptr;          // null if stored texels need no expansion
  BlockFormat blocks = BlockFormat::kUndefined;  // kUndefined: texels
  uint32_t stored_texel = 0;                     // bytes, also of a block
  uint32_t stored_channels = 0;
};

struct Level {
  Extent size;
  uint32_t slices = 0;
  uint64_t length = 0;  // bytes of its pixels after decompression
  std::span<const std::byte> bytes;
};

/// Statements of the data format descriptor; zeros if they are unspecified.
struct DescriptorBytes {
  uint32_t primaries = 0;
  uint32_t transfer = 0;         // by ITU-T H.273
  uint32_t stored_transfer = 0;  // number of the descriptor
  bool premultiplied = false;
};

/// Statements of the key/value data.
struct KeyValues {
  std::string orientation = "rd";
  std::string swizzle = "rgba";  // for each of R, G, B and A: a channel, "0" or "1"
  std::vector<std::string> warnings;
};

struct Contents {
  Header header;
  std::vector<Level> levels;
  DescriptorBytes descriptor;
  KeyValues key_values;
};

Result<Contents> read_contents(const Source& source);

/// Whether a swizzle changes nothing in an image of `channels`. One channel stands for grey: "rrr1" repeats it.
bool is_identity(std::string_view swizzle, uint32_t channels);

}  // namespace onepass::files::ktx2
