// dds_format.hpp: everything before the pixels of a DDS file, checked, and the numbers of its formats.
//
//     "DDS " | header 124 | header of DX10 20, if the FourCC is "DX10" | slice 0: level 0, level 1 ... | slice 1 ...
//
// Slices are array layers, and of cubes their faces +X -X +Y -Y +Z -Z. Rows and levels follow each other without gaps.
// Source: Microsoft, "Programming Guide for DDS", 2021; "DXGI_FORMAT enumeration".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/readers.hpp"
#include "onepass/blocks.hpp"

namespace onepass::files::dds {

inline constexpr uint32_t kMagic = 0x20534444;  // "DDS "
inline constexpr size_t kHeaderSize = 124;
inline constexpr size_t kPixelFormatSize = 32;
inline constexpr size_t kHeaderEnd = 4 + kHeaderSize;
inline constexpr size_t kDx10Size = 20;
inline constexpr uint32_t kFaces = 6;

constexpr uint32_t four_cc(const char (&text)[5]) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<uint8_t>(text[i]);
  return value;
}

/// Offsets in the file, and bits of flags.
enum Offset : size_t {
  kSize = 4,
  kFlags = 8,
  kHeight = 12,
  kWidth = 16,
  kPitch = 20,
  kDepth = 24,
  kLevels = 28,
  kPixelFormat = 76,
  kPixelFlags = 80,
  kFourCc = 84,
  kBitCount = 88,
  kMasks = 92,
  kCaps = 108,
  kCaps2 = 112,
  kDxgiFormat = 128,
  kDimension = 132,
  kMiscFlags = 136,
  kArraySize = 140,
  kMiscFlags2 = 144,
};
inline constexpr uint32_t kFlagCaps = 0x1, kFlagHeight = 0x2, kFlagWidth = 0x4, kFlagPitch = 0x8,
                          kFlagPixelFormat = 0x1000, kFlagLevels = 0x20000, kFlagLinearSize = 0x80000;
inline constexpr uint32_t kPixelAlpha = 0x1, kPixelAlphaOnly = 0x2, kPixelFourCc = 0x4, kPixelRgb = 0x40,
                          kPixelLuminance = 0x20000;
inline constexpr uint32_t kCapsComplex = 0x8, kCapsTexture = 0x1000, kCapsMipmap = 0x400000;
inline constexpr uint32_t kCaps2Cube = 0x200, kCaps2AllFaces = 0xFC00, kCaps2Volume = 0x200000;
inline constexpr uint32_t kDimension2d = 3;
inline constexpr uint32_t kMiscCube = 0x4;
inline constexpr uint32_t kAlphaStraight = 1, kAlphaPremultiplied = 2, kAlphaOpaque = 3, kAlphaCustom = 4;

/// How the texels of a file are stored, and what becomes of them.
struct Layout {
  BlockFormat blocks = BlockFormat::kUndefined;  ///< kUndefined: texels.
  Format format = Format::kUndefined;            ///< Of the image, before options.color.
  uint32_t texel_bytes = 0;                      ///< Stored; 0 for blocks.
  bool three_floats = false;                     ///< RGB without alpha, as floats.
  bool has_masks = false;                        ///< Channels are bits of a word.
  std::array<uint32_t, 4> masks{};               ///< Of R, G, B and A; of grey R alone. 0: no such channel.
  uint32_t channels = 0;                         ///< Stored ones.
  uint32_t bits = 0;                             ///< Of the widest channel; of blocks 8, or 16 of floats.
  bool says_encoding = false;                    ///< The format says whether colours are sRGB-encoded.
  bool is_color = true;                          ///< Of formats that say nothing: sRGB is possible.
};

struct Header {
  Extent size;
  uint32_t levels = 1;
  uint32_t slices = 1;
  bool cube = false;
  bool array = false;
  Layout layout;
  AlphaAssociation alpha = AlphaAssociation::kNone;
  size_t pixels = 0;  ///< Offset of the first byte of pixels.
  std::vector<std::string> warnings;
};

/// Reads and checks the header and the length of the file.
Result<Header> read_header(const Source& source);

/// Bytes of one slice of level n.
uint64_t level_bytes(const Header& header, uint32_t level);
/// Bytes of one slice of all levels.
uint64_t slice_bytes(const Header& header);
Extent level_size(Extent base, uint32_t level);

/// DXGI's number of a format; 0: it has none.
uint32_t dxgi_of(Format format);
uint32_t dxgi_of(BlockFormat format);

/// The pixel format of the header of DirectX 9.
struct PixelFormat {
  uint32_t flags = kPixelFourCc;
  uint32_t four_cc = 0;  ///< A text, or a number of D3DFORMAT; 0: masks.
  uint32_t bits = 0;
  std::array<uint32_t, 4> masks{};
};

/// The legacy pixel format of a format; no value: it has none.
std::optional<PixelFormat> legacy_of(Format format);
std::optional<PixelFormat> legacy_of(BlockFormat format, AlphaAssociation alpha);

}  // namespace onepass::files::dds
