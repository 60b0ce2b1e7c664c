// dds_format.cpp: reads and checks the headers of DDS files; see dds_format.hpp.
#include "files/dds_format.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace onepass::files::dds {
namespace {

struct DxgiFormat {
  uint32_t number;
  Format format;
};
// Formats whose texels have the bytes of an image in memory.
constexpr DxgiFormat kFormats[] = {
    {2, Format::kRGBA32Sfloat}, {10, Format::kRGBA16Sfloat},     {11, Format::kRGBA16Unorm},
    {16, Format::kRG32Sfloat},  {24, Format::kA2B10G10R10Unorm}, {26, Format::kB10G11R11Ufloat},
    {28, Format::kRGBA8Unorm},  {29, Format::kRGBA8Srgb},        {34, Format::kRG16Sfloat},
    {35, Format::kRG16Unorm},   {40, Format::kD32Sfloat},        {41, Format::kR32Sfloat},
    {49, Format::kRG8Unorm},    {54, Format::kR16Sfloat},        {55, Format::kD16Unorm},
    {56, Format::kR16Unorm},    {61, Format::kR8Unorm},          {87, Format::kBGRA8Unorm},
    {91, Format::kBGRA8Srgb}};

struct DxgiBlocks {
  uint32_t number;
  BlockFormat format;
};
constexpr DxgiBlocks kBlocks[] = {
    {71, BlockFormat::kBc1RgbaUnorm}, {72, BlockFormat::kBc1RgbaSrgb}, {74, BlockFormat::kBc2Unorm},
    {75, BlockFormat::kBc2Srgb},      {77, BlockFormat::kBc3Unorm},    {78, BlockFormat::kBc3Srgb},
    {80, BlockFormat::kBc4Unorm},     {81, BlockFormat::kBc4Snorm},    {83, BlockFormat::kBc5Unorm},
    {84, BlockFormat::kBc5Snorm},     {95, BlockFormat::kBc6hUfloat},  {96, BlockFormat::kBc6hSfloat},
    {98, BlockFormat::kBc7Unorm},     {99, BlockFormat::kBc7Srgb}};

// Formats of DXGI whose channels are bits of a word.
struct DxgiMasks {
  uint32_t number;
  uint32_t bytes;
  std::array<uint32_t, 4> masks;
  bool srgb;
};
constexpr DxgiMasks kMaskFormats[] = {{65, 1, {0, 0, 0, 0xFF}, false},                       // A8
                                      {85, 2, {0xF800, 0x07E0, 0x001F, 0}, false},           // B5G6R5
                                      {86, 2, {0x7C00, 0x03E0, 0x001F, 0x8000}, false},      // B5G5R5A1
                                      {87, 4, {0xFF0000, 0xFF00, 0xFF, 0xFF000000}, false},  // B8G8R8A8
                                      {88, 4, {0xFF0000, 0xFF00, 0xFF, 0}, false},           // B8G8R8X8
                                      {91, 4, {0xFF0000, 0xFF00, 0xFF, 0xFF000000}, true},   // the same, sRGB
                                      {93, 4, {0xFF0000, 0xFF00, 0xFF, 0}, true},            // the same, sRGB
                                      {115, 2, {0x0F00, 0x00F0, 0x000F, 0xF000}, false}};    // B4G4R4A4

// What stands in the place of a FourCC in files without the header of DX10: texts, or numbers of D3DFORMAT.
struct LegacyBlocks {
  uint32_t four_cc;
  BlockFormat format;
  bool premultiplied;
};
constexpr LegacyBlocks kLegacyBlocks[] = {
    {four_cc("DXT1"), BlockFormat::kBc1RgbaUnorm, false}, {four_cc("DXT2"), BlockFormat::kBc2Unorm, true},
    {four_cc("DXT3"), BlockFormat::kBc2Unorm, false},     {four_cc("DXT4"), BlockFormat::kBc3Unorm, true},
    {four_cc("DXT5"), BlockFormat::kBc3Unorm, false},     {four_cc("ATI1"), BlockFormat::kBc4Unorm, false},
    {four_cc("BC4U"), BlockFormat::kBc4Unorm, false},     {four_cc("BC4S"), BlockFormat::kBc4Snorm, false},
    {four_cc("ATI2"), BlockFormat::kBc5Unorm, false},     {four_cc("BC5U"), BlockFormat::kBc5Unorm, false},
    {four_cc("BC5S"), BlockFormat::kBc5Snorm, false}};
constexpr DxgiFormat kLegacyFormats[] = {
    {36, Format::kRGBA16Unorm}, {111, Format::kR16Sfloat},  {112, Format::kRG16Sfloat},  {113, Format::kRGBA16Sfloat},
    {114, Format::kR32Sfloat},  {115, Format::kRG32Sfloat}, {116, Format::kRGBA32Sfloat}};

constexpr uint32_t kDxgiThreeFloats = 6;  // R32G32B32_FLOAT

template <typename Table>
auto* find_number(const Table& table, uint32_t number) {
  const auto* const found =
      std::find_if(std::begin(table), std::end(table), [&](const auto& entry) { return entry.number == number; });
  return found == std::end(table) ? nullptr : found;
}

Layout layout_of(Format format) {
  const FormatInfo& info = format_info(format);
  return {.format = format,
          .texel_bytes = info.bytes_per_texel,
          .channels = info.channels,
          .bits = *std::max_element(info.bits.begin(), info.bits.end())};
}

Layout layout_of(BlockFormat format) {
  const BlockFormatInfo& info = block_format_info(format);
  const bool color = info.texels == Format::kRGBA8Unorm || info.texels == Format::kRGBA8Srgb;
  return {.blocks = format,
          .format = info.texels,
          .channels = info.channels,
          .bits = info.type == ChannelType::kFloat ? 16U : 8U,
          .is_color = color};
}

uint32_t bits_of(uint32_t mask) { return static_cast<uint32_t>(std::popcount(mask)); }

/// Channels that are bits of a word of `bytes` bytes. Grey has the mask of red alone and is one channel without alpha.
Layout layout_of(uint32_t bytes, const std::array<uint32_t, 4>& masks, bool grey) {
  Layout layout{.texel_bytes = bytes, .has_masks = true, .masks = masks};
  for (const uint32_t mask : masks) {
    layout.channels += mask != 0 ? 1 : 0;
    layout.bits = std::max(layout.bits, bits_of(mask));
  }
  const bool wide = layout.bits > 8;
  layout.format = wide ? Format::kRGBA16Unorm : Format::kRGBA8Unorm;
  if (grey && masks[3] == 0) layout.format = wide ? Format::kR16Unorm : Format::kR8Unorm;
  if (grey && masks[3] != 0) layout.masks[1] = layout.masks[2] = masks[0];
  return layout;
}

std::string hexadecimal(uint32_t value) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[value >> shift & 15];
  return "0x" + text;
}

Result<Layout> read_masks(const Source& source, uint32_t flags) {
  const auto number = [&](size_t offset) { return load<uint32_t>(source.bytes, offset); };
  const uint32_t count = number(kBitCount);
  if (count != 8 && count != 16 && count != 24 && count != 32) {
    return source.unsupported("DDS: dwRGBBitCount is " + std::to_string(count) + ", not 8, 16, 24 or 32");
  }
  const bool grey = (flags & kPixelLuminance) != 0;
  const bool alpha_only = (flags & kPixelAlphaOnly) != 0;
  std::array<uint32_t, 4> masks{};
  for (size_t c = 0; c < 4; ++c) masks[c] = number(kMasks + 4 * c);
  if (grey) masks[1] = masks[2] = 0;
  if ((flags & (kPixelAlpha | kPixelAlphaOnly)) == 0) masks[3] = 0;
  if (alpha_only) masks = {0, 0, 0, masks[3] != 0 || count > 16 ? masks[3] : (1U << count) - 1};
  uint32_t taken = 0;
  for (size_t c = 0; c < 4; ++c) {
    const uint32_t mask = masks[c];
    const uint32_t low = mask & (~mask + 1);
    const bool whole = (mask & (mask + low)) == 0;
    const bool inside = count == 32 || mask >> count == 0;
    if (!whole || !inside || (mask & taken) != 0 || bits_of(mask) > 16) {
      return source.unsupported(std::string("DDS: the mask of ") + "RGBA"[c] + " is " + hexadecimal(mask) +
                                ", not up to 16 adjacent bits of its own in " + std::to_string(count));
    }
    taken |= mask;
  }
  if (taken == 0) return source.bad("DDS: all masks of the pixel format are 0");
  return layout_of(count / 8, masks, grey);
}

Result<Layout> read_legacy_layout(const Source& source, Header& header) {
  const auto flags = load<uint32_t>(source.bytes, kPixelFlags);
  if ((flags & kPixelFourCc) == 0) {
    if ((flags & (kPixelRgb | kPixelLuminance | kPixelAlphaOnly)) != 0) return read_masks(source, flags);
    return source.unsupported("DDS: the pixel format has the flags " + hexadecimal(flags) +
                              "; FourCC, RGB, luminance and alpha are supported");
  }
  const auto code = load<uint32_t>(source.bytes, kFourCc);
  for (const LegacyBlocks& entry : kLegacyBlocks) {
    if (entry.four_cc != code) continue;
    if (entry.premultiplied) header.alpha = AlphaAssociation::kPremultiplied;
    return layout_of(entry.format);
  }
  if (const auto* entry = find_number(kLegacyFormats, code)) return layout_of(entry->format);
  const std::string_view text(reinterpret_cast<const char*>(source.bytes.data()) + kFourCc, 4);
  return source.unsupported("DDS: the FourCC is " +
                            (code < 256 ? std::to_string(code) : "\"" + printable(text) + "\"") +
                            ", which is not supported");
}

Result<Layout> read_dxgi_layout(const Source& source) {
  const auto number = load<uint32_t>(source.bytes, kDxgiFormat);
  Layout layout;
  if (const auto* masks = find_number(kMaskFormats, number)) {
    layout = layout_of(masks->bytes, masks->masks, false);
    if (masks->srgb) layout.format = Format::kRGBA8Srgb;
  } else if (const auto* blocks = find_number(kBlocks, number)) {
    layout = layout_of(blocks->format);
  } else if (const auto* texels = find_number(kFormats, number)) {
    layout = layout_of(texels->format);
  } else if (number == kDxgiThreeFloats) {
    layout = {.format = Format::kRGBA32Sfloat, .texel_bytes = 12, .three_floats = true, .channels = 3, .bits = 32};
  } else {
    return source.unsupported("DDS: dxgiFormat is " + std::to_string(number) + ", which is not supported");
  }
  layout.says_encoding = true;
  return layout;
}

/// The fields of the header of DX10 besides the format.
Result<void> read_dx10(const Source& source, Header& header) {
  const auto number = [&](Offset offset) { return load<uint32_t>(source.bytes, offset); };
  if (number(kDimension) != kDimension2d) {
    return source.unsupported("DDS: resourceDimension is " + std::to_string(number(kDimension)) +
                              ", not 3; only 2-D textures are supported");
  }
  const uint32_t layers = number(kArraySize);
  header.cube = (number(kMiscFlags) & kMiscCube) != 0;
  const uint64_t slices = uint64_t{layers} * (header.cube ? kFaces : 1);
  if (layers == 0) return source.bad("DDS: arraySize is 0");
  if (slices > kMaxSlices) {
    return source.unsupported("DDS: arraySize is " + std::to_string(layers) + ", more than " +
                              std::to_string(kMaxSlices) + " slices");
  }
  header.slices = static_cast<uint32_t>(slices);
  header.array = layers > 1;
  const uint32_t mode = number(kMiscFlags2) & 7;
  if (mode == kAlphaPremultiplied) header.alpha = AlphaAssociation::kPremultiplied;
  if (mode == kAlphaOpaque || mode == kAlphaCustom) header.alpha = AlphaAssociation::kNone;
  return {};
}

Result<void> check_shape(const Source& source, Header& header) {
  const auto number = [&](Offset offset) { return load<uint32_t>(source.bytes, offset); };
  if (auto fine = check_size(source, header.size.width, header.size.height); !fine) return fine;
  if (header.cube && header.size.width != header.size.height) {
    return source.bad("DDS: a cube of " + size_text(header.size.width, header.size.height) + " faces");
  }
  const uint32_t levels = number(kLevels);
  if (levels > 1 && std::max(header.size.width, header.size.height) >> (std::min(levels, 32U) - 1) == 0) {
    return source.bad("DDS: dwMipMapCount is " + std::to_string(levels) + ", too many for " +
                      size_text(header.size.width, header.size.height));
  }
  header.levels = std::max(levels, 1U);
  // At most 2^16 * 2^16 texels * 2^4 bytes * 4/3 in a slice, and 2^16 slices: no overflow.
  const uint64_t needed = header.pixels + slice_bytes(header) * header.slices;
  if (needed > source.bytes.size()) {
    return source.bad("DDS: " + size_text(header.size.width, header.size.height) + " pixels, " +
                      std::to_string(header.levels) + " levels, " + std::to_string(header.slices) + " slices need " +
                      std::to_string(needed) + " bytes, but the file has " + std::to_string(source.bytes.size()) +
                      ": truncated or damaged");
  }
  if (needed < source.bytes.size()) {
    header.warnings.push_back(std::to_string(source.bytes.size() - needed) +
                              " bytes after its last level are not read");
  }
  return {};
}

}  // namespace

Extent level_size(Extent base, uint32_t level) {
  return {std::max(1U, base.width >> level), std::max(1U, base.height >> level)};
}

uint64_t level_bytes(const Header& header, uint32_t level) {
  const Extent size = level_size(header.size, level);
  if (header.layout.blocks == BlockFormat::kUndefined) {
    return uint64_t{size.width} * size.height * header.layout.texel_bytes;
  }
  const Extent blocks = size_in_blocks(header.layout.blocks, size);
  return uint64_t{blocks.width} * blocks.height * block_format_info(header.layout.blocks).bytes_per_block;
}

uint64_t slice_bytes(const Header& header) {
  uint64_t bytes = 0;
  for (uint32_t n = 0; n < header.levels; ++n) bytes += level_bytes(header, n);
  return bytes;
}

Result<Header> read_header(const Source& source) {
  if (source.bytes.size() < kHeaderEnd) return source.bad("DDS: the header is truncated");
  const auto number = [&](Offset offset) { return load<uint32_t>(source.bytes, offset); };
  if (number(kSize) != kHeaderSize) {
    return source.bad("DDS: dwSize is " + std::to_string(number(kSize)) + ", not " + std::to_string(kHeaderSize));
  }
  Header header{.size = {number(kWidth), number(kHeight)}, .alpha = AlphaAssociation::kStraight, .pixels = kHeaderEnd};
  const uint32_t caps2 = number(kCaps2);
  if ((caps2 & kCaps2Volume) != 0) return source.unsupported("DDS: dwCaps2 says volume; 3-D images are not supported");
  const bool dx10 = (number(kPixelFlags) & kPixelFourCc) != 0 && number(kFourCc) == four_cc("DX10");
  if (dx10 && source.bytes.size() < kHeaderEnd + kDx10Size) return source.bad("DDS: the header of DX10 is truncated");
  Result<Layout> layout = dx10 ? read_dxgi_layout(source) : read_legacy_layout(source, header);
  if (!layout) return layout.error();
  header.layout = *layout;
  if (dx10) {
    header.pixels += kDx10Size;
    if (auto done = read_dx10(source, header); !done) return done.error();
  } else if ((caps2 & kCaps2Cube) != 0) {
    if ((caps2 & kCaps2AllFaces) != kCaps2AllFaces) {
      return source.unsupported("DDS: dwCaps2 is " + hexadecimal(caps2) + ", a cube without all six faces");
    }
    header.cube = true;
    header.slices = kFaces;
  }
  const bool has_alpha = header.layout.has_masks ? header.layout.masks[3] != 0 : header.layout.channels == 4;
  if (!has_alpha) header.alpha = AlphaAssociation::kNone;
  if (auto fine = check_shape(source, header); !fine) return fine.error();
  return header;
}

uint32_t dxgi_of(Format format) {
  for (const DxgiFormat& entry : kFormats) {
    if (entry.format == format) return entry.number;
  }
  return 0;
}

uint32_t dxgi_of(BlockFormat format) {
  if (format == BlockFormat::kBc1RgbUnorm) format = BlockFormat::kBc1RgbaUnorm;
  if (format == BlockFormat::kBc1RgbSrgb) format = BlockFormat::kBc1RgbaSrgb;
  for (const DxgiBlocks& entry : kBlocks) {
    if (entry.format == format) return entry.number;
  }
  return 0;
}

std::optional<PixelFormat> legacy_of(Format format) {
  switch (format) {
    case Format::kRGBA8Unorm:
    case Format::kRGBA8Srgb:
      return PixelFormat{kPixelRgb | kPixelAlpha, 0, 32, {0xFF, 0xFF00, 0xFF0000, 0xFF000000}};
    case Format::kBGRA8Unorm:
    case Format::kBGRA8Srgb:
      return PixelFormat{kPixelRgb | kPixelAlpha, 0, 32, {0xFF0000, 0xFF00, 0xFF, 0xFF000000}};
    case Format::kR8Unorm:
      return PixelFormat{kPixelLuminance, 0, 8, {0xFF, 0, 0, 0}};
    case Format::kR16Unorm:
      return PixelFormat{kPixelLuminance, 0, 16, {0xFFFF, 0, 0, 0}};
    case Format::kRG16Unorm:
      return PixelFormat{kPixelRgb, 0, 32, {0xFFFF, 0xFFFF0000, 0, 0}};
    default:
      break;
  }
  for (const DxgiFormat& entry : kLegacyFormats) {
    if (entry.format == format) return PixelFormat{.four_cc = entry.number};
  }
  return std::nullopt;
}

std::optional<PixelFormat> legacy_of(BlockFormat format, AlphaAssociation alpha) {
  if (block_format_info(format).type == ChannelType::kSrgb) {
    format = static_cast<BlockFormat>(static_cast<uint32_t>(format) - 1);  // the same blocks as UNORM
  }
  if (format == BlockFormat::kBc1RgbUnorm) format = BlockFormat::kBc1RgbaUnorm;
  // Of BC2 and BC3, one code is for premultiplied alpha; the others have no such code.
  const bool premultiplied = alpha == AlphaAssociation::kPremultiplied &&
                             (format == BlockFormat::kBc2Unorm || format == BlockFormat::kBc3Unorm);
  for (const LegacyBlocks& entry : kLegacyBlocks) {
    if (entry.format == format && entry.premultiplied == premultiplied) return PixelFormat{.four_cc = entry.four_cc};
  }
  return std::nullopt;
}

}  // namespace onepass::files::dds
