// ktx2_format.cpp: data format descriptors and key/value data of KTX2 files.
//
// A basic descriptor block states for each channel its bits in a texel, their type, and the stored values that mean 0
// and 1. Readers that do not know the VkFormat can decode pixels from the block alone. Source: Khronos Data Format
// Specification 1.3, section 5, "Khronos Basic Data Format Descriptor Block".
#include "files/ktx2_format.hpp"

#include <array>
#include <bit>

namespace onepass::files::ktx2 {
namespace {

constexpr uint32_t kVersion = 2;           // of the Khronos Data Format Specification 1.3
constexpr uint32_t kBlockHeaderSize = 24;  // before the samples
constexpr uint32_t kSampleSize = 16;
constexpr uint32_t kModelRgbsda = 1;
constexpr uint32_t kPrimariesUnspecified = 0;
constexpr uint32_t kPrimariesBt709 = 1;
constexpr uint32_t kPrimariesBt2020 = 4;
constexpr uint32_t kPrimariesAces = 6;    // AP0
constexpr uint32_t kPrimariesAcesCc = 7;  // AP1
constexpr uint32_t kPrimariesDisplayP3 = 10;
constexpr uint32_t kPrimariesAdobeRgb = 11;
constexpr uint32_t kTransferUnspecified = 0;
constexpr uint32_t kTransferLinear = 1;
constexpr uint32_t kTransferSrgb = 2;
constexpr uint32_t kTransferGamma22 = 4;
constexpr uint32_t kTransferHlg = 8;  // the OETF of BT.2100
constexpr uint32_t kTransferHlgShown = 9;
constexpr uint32_t kTransferPq = 10;  // its EOTF
constexpr uint32_t kTransferPqStored = 11;

// ITU-T H.273 code points and numbers of descriptors. If a code point has two numbers, the first is written and both
// are read.
struct Transfer {
  uint8_t code_point;
  uint32_t transfer;
};
constexpr Transfer kTransfers[] = {{2, kTransferUnspecified}, {4, kTransferGamma22},  {8, kTransferLinear},
                                   {13, kTransferSrgb},       {16, kTransferPq},      {16, kTransferPqStored},
                                   {18, kTransferHlg},        {18, kTransferHlgShown}};

constexpr uint32_t kChannelDepth = 14;
constexpr uint32_t kChannelAlpha = 15;

constexpr uint32_t kQualifierLinear = 0x10;  // this channel does not follow the transfer function
constexpr uint32_t kQualifierSigned = 0x40;
constexpr uint32_t kQualifierFloat = 0x80;

constexpr uint32_t kChannelBc1Alpha = 1;  // colours and alpha
constexpr uint32_t kModelBc1 = 128;       // the others follow
constexpr uint32_t kModelBc2 = 129;
constexpr uint32_t kModelBc3 = 130;
constexpr uint32_t kModelAstc = 162;

/// The colour model of a descriptor.
uint32_t block_model(BlockFormat format) {
  if (is_astc(format)) return kModelAstc;
  // Two formats for each model, but four for BC1.
  const auto number = static_cast<uint32_t>(format) - static_cast<uint32_t>(BlockFormat::kBc1RgbUnorm);
  return number < 4 ? kModelBc1 : kModelBc2 + (number - 4) / 2;
}

struct Sample {
  uint32_t offset = 0;  // in bits
  uint32_t bits = 0;
  uint32_t channel = 0;  // with qualifiers
  uint32_t lower = 0;    // stored value that means the lower limit; for floats the limit itself, as 32-bit float
  uint32_t upper = 0;
};

Sample sample(const FormatInfo& info, uint32_t channel, uint32_t offset, uint32_t bits, uint32_t transfer) {
  Sample result{.offset = offset, .bits = bits, .channel = info.blue_first ? 2 - channel : channel};
  if (channel == 3) result.channel = kChannelAlpha;
  if (info.depth) result.channel = kChannelDepth;
  const bool encoded = transfer != kTransferUnspecified && transfer != kTransferLinear;
  if (channel == 3 && encoded) result.channel |= kQualifierLinear;
  switch (info.type) {
    case ChannelType::kUnorm:
    case ChannelType::kSrgb:
      result.upper = (1U << bits) - 1;
      break;
    case ChannelType::kFloat: {
      const bool has_sign = info.format != Format::kB10G11R11Ufloat;
      result.channel |= kQualifierFloat | (has_sign ? kQualifierSigned : 0);
      result.lower = std::bit_cast<uint32_t>(has_sign ? -1.0F : 0.0F);
      result.upper = std::bit_cast<uint32_t>(1.0F);
      break;
    }
    case ChannelType::kUint:  // labels: files have none
      break;
  }
  return result;
}

void append_key_value(Bytes& bytes, std::string_view key, std::string_view value) {
  bytes.u32(static_cast<uint32_t>(key.size() + 1 + value.size() + 1));
  bytes.text(key);
  bytes.text(value);
  bytes.pad_to(4);
}

}  // namespace

void Bytes::little(uint64_t value, size_t count) {
  for (size_t i = 0; i < count; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
}

void Bytes::raw(std::string_view value) {
  for (const char c : value) bytes_.push_back(static_cast<std::byte>(c));
}

void Bytes::text(std::string_view value) {
  raw(value);
  bytes_.push_back(std::byte{0});
}

void Bytes::pad_to(size_t multiple) {
  while (bytes_.size() % multiple != 0) bytes_.push_back(std::byte{0});
}

bool has_file_form(const FormatInfo& info) {
  return info.channels != 0 && !(info.depth && info.packed) && info.format != Format::kD32SfloatS8;
}

uint32_t type_size(Format format) {
  const FormatInfo& info = format_info(format);
  return info.packed ? 4 : info.bytes_per_texel / info.channels;
}

// KTX 2.0, document revision 4, restrictions on the data format descriptor: *_SRGB formats have the transfer sRGB.
// Formats with an *_SRGB counterpart must not have it (KTX-Software's validator: error 6014); of the formats here these
// are R8, R8G8, R8G8B8A8 and B8G8R8A8 UNORM. Formats without a counterpart may have it: 16-bit UNORM, half, float and
// packed formats. Depth formats have neither primaries nor a transfer.
std::optional<DescriptorColor> descriptor_color(Format format, std::array<uint8_t, 2> code_points) {
  const FormatInfo& info = format_info(format);
  const bool srgb = info.type == ChannelType::kSrgb;
  const bool has_twin = info.type == ChannelType::kUnorm && !info.packed && info.bytes_per_texel == info.channels;
  DescriptorColor color = {kPrimariesBt709, srgb ? kTransferSrgb : kTransferLinear};
  if (info.depth) color = {kPrimariesUnspecified, kTransferUnspecified};
  const auto [primaries, transfer] = code_points;
  if (primaries == 0 && transfer == 0) return color;
  if (info.depth || (has_twin && transfer == 13)) return std::nullopt;
  switch (primaries) {
    case 1:
      break;
    case 9:
      color.primaries = kPrimariesBt2020;
      break;
    case 12:
      color.primaries = kPrimariesDisplayP3;
      break;
    default:
      return std::nullopt;
  }
  if (srgb) return transfer == 13 ? std::optional(color) : std::nullopt;
  for (const Transfer& known : kTransfers) {
    if (known.code_point != transfer) continue;
    color.transfer = known.transfer;
    return color;
  }
  return std::nullopt;
}

uint32_t code_point_of_transfer(uint32_t transfer) {
  for (const Transfer& known : kTransfers) {
    if (known.transfer == transfer && transfer != kTransferUnspecified) return known.code_point;
  }
  return 0;
}

std::optional<Chromaticities> primaries_of(uint32_t number) {
  switch (number) {
    case kPrimariesBt709:
      return kRec709Chromaticities;
    case kPrimariesBt2020:
      return kRec2020Chromaticities;
    case kPrimariesAces:
      return kAces2065Chromaticities;
    case kPrimariesAcesCc:
      return kAcesCgChromaticities;
    case kPrimariesDisplayP3:
      return kDisplayP3Chromaticities;
    case kPrimariesAdobeRgb:
      return Chromaticities{{0.64, 0.33}, {0.21, 0.71}, {0.15, 0.06}, {0.3127, 0.3290}};
    default:
      return std::nullopt;
  }
}

void append_descriptor(Bytes& bytes, Format format, DescriptorColor color) {
  const FormatInfo& info = format_info(format);
  const uint32_t block_size = kBlockHeaderSize + kSampleSize * info.channels;
  bytes.u32(4 + block_size);
  bytes.u32(0);  // vendor Khronos, type basic
  bytes.u32(kVersion | block_size << 16);
  const uint32_t flags = color.premultiplied ? kFlagPremultiplied : 0;
  bytes.u32(kModelRgbsda | color.primaries << 8 | color.transfer << 16 | flags << 24);
  bytes.u32(0);                     // texel blocks of 1x1x1x1
  bytes.u32(info.bytes_per_texel);  // bytes of plane 0
  bytes.u32(0);
  uint32_t offset = 0;
  for (uint32_t c = 0; c < info.channels; ++c) {
    const Sample part = sample(info, c, offset, info.bits[c], color.transfer);
    bytes.u32(part.offset | (part.bits - 1) << 16 | part.channel << 24);
    bytes.u32(0);  // sample position
    bytes.u32(part.lower);
    bytes.u32(part.upper);
    offset += part.bits;
  }
}

uint32_t block_samples(BlockFormat format) {
  const BlockFormatInfo& info = block_format_info(format);
  return info.bytes_per_block == 16 &&
                 (info.channels == 2 || info.texels == Format::kRGBA8Unorm || info.texels == Format::kRGBA8Srgb) &&
                 format < BlockFormat::kBc6hUfloat
             ? 2
             : 1;
}

void append_descriptor(Bytes& bytes, BlockFormat format, DescriptorColor color) {
  const BlockFormatInfo& info = block_format_info(format);
  const uint32_t samples = block_samples(format);
  const uint32_t block_size = kBlockHeaderSize + kSampleSize * samples;
  const uint32_t model = block_model(format);
  bytes.u32(4 + block_size);
  bytes.u32(0);  // vendor Khronos, type basic
  bytes.u32(kVersion | block_size << 16);
  const uint32_t flags = color.premultiplied ? kFlagPremultiplied : 0;
  bytes.u32(model | color.primaries << 8 | color.transfer << 16 | flags << 24);
  bytes.u32((info.size.width - 1) | (info.size.height - 1) << 8);
  bytes.u32(info.bytes_per_block);  // bytes of plane 0
  bytes.u32(0);
  const uint32_t bits = 8 * info.bytes_per_block / samples;
  for (uint32_t n = 0; n < samples; ++n) {
    uint32_t channel = n;  // red and green of BC5, colours of all others
    if (model == kModelBc2 || model == kModelBc3) {
      const bool linear = color.transfer != kTransferUnspecified && color.transfer != kTransferLinear;
      channel = n == 0 ? kChannelAlpha | (linear ? kQualifierLinear : 0) : 0;
    }
    if (format == BlockFormat::kBc1RgbaUnorm || format == BlockFormat::kBc1RgbaSrgb) channel = kChannelBc1Alpha;
    const bool floats = info.type == ChannelType::kFloat;
    if (floats) channel |= kQualifierFloat;
    // Blocks of ASTC with floats hold no negative values, but all floats but those of BC6H_UFLOAT count as signed.
    const bool has_sign = info.has_sign || (floats && is_astc(format));
    if (has_sign) channel |= kQualifierSigned;
    bytes.u32(n * bits | (bits - 1) << 16 | channel << 24);
    bytes.u32(0);  // sample position
    // Limits of values: floats of -1 or 0 to 1, integers of the whole range.
    if (floats) {
      bytes.u32(std::bit_cast<uint32_t>(has_sign ? -1.0F : 0.0F));
      bytes.u32(std::bit_cast<uint32_t>(1.0F));
    } else {
      bytes.u32(info.has_sign ? 0x80000000U : 0);
      bytes.u32(info.has_sign ? 0x7FFFFFFFU : 0xFFFFFFFFU);
    }
  }
}

void append_key_values(Bytes& bytes, std::string_view writer) {
  append_key_value(bytes, "KTXorientation", "rd");
  append_key_value(bytes, "KTXwriter", writer);
}

}  // namespace onepass::files::ktx2
