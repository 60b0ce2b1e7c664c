// format.cpp: the table of formats, and the conversion of rows between any format and float RGBA. Scalar and exact; the
// fast paths of the techniques are tested against it.
#include <cmath>
#include <cstring>
#include <utility>

#include "image/row_rgb.hpp"
#include "image/small_float.hpp"
#include "image/srgb.hpp"
#include "onepass/image.hpp"

namespace onepass {
namespace {

constexpr uint32_t kMost24Bits = 0xFFFFFF;  // of a depth
constexpr auto kUnorm = ChannelType::kUnorm;
constexpr auto kFloat = ChannelType::kFloat;

constexpr FormatInfo kUnknown = {};

/// Fills in the bits of formats whose channels are of the same size.
template <size_t kCount>
constexpr std::array<FormatInfo, kCount> with_bits(std::array<FormatInfo, kCount> formats) {
  for (FormatInfo& info : formats) {
    if (info.packed) continue;
    const uint32_t bits = 8 * info.bytes_per_texel / info.channels;
    for (uint32_t c = 0; c < info.channels; ++c) info.bits[c] = static_cast<uint8_t>(bits);
  }
  return formats;
}

constexpr auto kFormats = with_bits(std::to_array<FormatInfo>({
    {Format::kR8Unorm, "r8_unorm", 1, 1, kUnorm},
    {Format::kR8Srgb, "r8_srgb", 1, 1, ChannelType::kSrgb},
    {Format::kRG8Unorm, "r8g8_unorm", 2, 2, kUnorm},
    {Format::kRG8Srgb, "r8g8_srgb", 2, 2, ChannelType::kSrgb},
    {Format::kRGBA8Unorm, "r8g8b8a8_unorm", 4, 4, kUnorm},
    {Format::kRGBA8Srgb, "r8g8b8a8_srgb", 4, 4, ChannelType::kSrgb},
    {Format::kBGRA8Unorm, "b8g8r8a8_unorm", 4, 4, kUnorm, false, false, true},
    {Format::kBGRA8Srgb, "b8g8r8a8_srgb", 4, 4, ChannelType::kSrgb, false, false, true},
    {Format::kA2B10G10R10Unorm, "a2b10g10r10_unorm_pack32", 4, 4, kUnorm, false, true, false, {10, 10, 10, 2}},
    {Format::kR16Unorm, "r16_unorm", 1, 2, kUnorm},
    {Format::kR16Sfloat, "r16_sfloat", 1, 2, kFloat},
    {Format::kRG16Unorm, "r16g16_unorm", 2, 4, kUnorm},
    {Format::kRG16Sfloat, "r16g16_sfloat", 2, 4, kFloat},
    {Format::kRGBA16Unorm, "r16g16b16a16_unorm", 4, 8, kUnorm},
    {Format::kRGBA16Sfloat, "r16g16b16a16_sfloat", 4, 8, kFloat},
    {Format::kR32Sfloat, "r32_sfloat", 1, 4, kFloat},
    {Format::kRG32Sfloat, "r32g32_sfloat", 2, 8, kFloat},
    {Format::kRGBA32Sfloat, "r32g32b32a32_sfloat", 4, 16, kFloat},
    {Format::kB10G11R11Ufloat, "b10g11r11_ufloat_pack32", 3, 4, kFloat, false, true, false, {11, 11, 10}},
    {Format::kD16Unorm, "d16_unorm", 1, 2, kUnorm, true},
    {Format::kX8D24Unorm, "x8_d24_unorm_pack32", 1, 4, kUnorm, true, true, false, {24}},
    {Format::kD32Sfloat, "d32_sfloat", 1, 4, kFloat, true},
    {Format::kD24UnormS8, "d24_unorm_s8_uint", 1, 4, kUnorm, true, true, false, {24}},
    {Format::kD32SfloatS8, "d32_sfloat_s8_uint", 1, 4, kFloat, true},
}));

/// The formats of is_row_format().
constexpr auto kRowFormats = with_bits(std::to_array<FormatInfo>({
    {Format::kR8Uint, "r8_uint", 1, 1, ChannelType::kUint},
    {Format::kRGB8Unorm, "r8g8b8_unorm", 3, 3, kUnorm},
    {Format::kRGB8Srgb, "r8g8b8_srgb", 3, 3, ChannelType::kSrgb},
    {Format::kR16Uint, "r16_uint", 1, 2, ChannelType::kUint},
    {Format::kRGB16Unorm, "r16g16b16_unorm", 3, 6, kUnorm},
    {Format::kRGB16Sfloat, "r16g16b16_sfloat", 3, 6, kFloat},
    {Format::kR32Uint, "r32_uint", 1, 4, ChannelType::kUint},
    {Format::kRGB32Sfloat, "r32g32b32_sfloat", 3, 12, kFloat},
}));

template <size_t kCount>
const FormatInfo& find_format(const std::array<FormatInfo, kCount>& formats, Format format) {
  for (const FormatInfo& info : formats) {
    if (info.format == format) return info;
  }
  return kUnknown;
}

template <typename T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <typename T>
void store(std::byte* bytes, T value) {
  std::memcpy(bytes, &value, sizeof value);
}

/// Quantises `value` in 0..1 to the nearest of 0..max, in double: the product of a float and a 24-bit integer is exact.
uint32_t encode_unorm(float value, uint32_t max) {
  if (!(value > 0.0F)) return 0;  // NaN too
  return value < 1.0F ? static_cast<uint32_t>(static_cast<double>(value) * max + 0.5) : max;
}

void decode_a2b10g10r10(uint32_t word, float* rgba) {
  for (uint32_t c = 0; c < 3; ++c) rgba[c] = static_cast<float>(word >> 10 * c & 1023U) / 1023.0F;
  rgba[3] = static_cast<float>(word >> 30) / 3.0F;
}

void decode_b10g11r11(uint32_t word, float* rgba) {
  rgba[0] = decode_magnitude(word & 0x7FFU, 6);
  rgba[1] = decode_magnitude(word >> 11 & 0x7FFU, 6);
  rgba[2] = decode_magnitude(word >> 22, 5);
}

/// One channel of an unpacked format. In sRGB formats alpha, channel 3, is linear.
float decode_channel(const FormatInfo& info, uint32_t channel, const std::byte* texel) {
  switch (info.bytes_per_texel / info.channels) {
    case 1: {
      const uint32_t code = load<uint8_t>(texel + channel);
      return info.type == ChannelType::kSrgb ? srgb_tables().decode[channel == 3 ? code + 256 : code]
                                             : static_cast<float>(code) / 255.0F;
    }
    case 2: {
      const auto bits = load<uint16_t>(texel + size_t{2} * channel);
      return info.type == kFloat ? decode_half(bits) : static_cast<float>(bits) / 65535.0F;
    }
    default:
      return load<float>(texel + size_t{4} * channel);
  }
}

void encode_channel(const FormatInfo& info, uint32_t channel, float value, std::byte* texel) {
  switch (info.bytes_per_texel / info.channels) {
    case 1: {
      const bool srgb = info.type == ChannelType::kSrgb && channel != 3;
      store(texel + channel, static_cast<uint8_t>(srgb ? encode_srgb(srgb_tables(), value) : encode_unorm(value, 255)));
      return;
    }
    case 2:
      store(texel + size_t{2} * channel,
            info.type == kFloat ? encode_half(value) : static_cast<uint16_t>(encode_unorm(value, 65535)));
      return;
    default:
      store(texel + size_t{4} * channel, value);
  }
}

}  // namespace

std::span<const FormatInfo> all_formats() { return kFormats; }

const FormatInfo& format_info(Format format) { return find_format(kFormats, format); }

bool is_row_format(Format format) { return find_format(kRowFormats, format).channels != 0; }

const FormatInfo& texel_info(Format format) {
  return is_row_format(format) ? find_format(kRowFormats, format) : format_info(format);
}

void decode_row(Format format, const void* texels, uint32_t count, float* rgba) {
  const FormatInfo& info = texel_info(format);
  ONEPASS_ASSERT(info.channels != 0 && info.type != ChannelType::kUint);
  const auto* texel = static_cast<const std::byte*>(texels);
  for (uint32_t i = 0; i < count; ++i, texel += info.bytes_per_texel, rgba += 4) {
    rgba[0] = rgba[1] = rgba[2] = 0.0F;
    rgba[3] = 1.0F;
    if (format == Format::kA2B10G10R10Unorm) {
      decode_a2b10g10r10(load<uint32_t>(texel), rgba);
    } else if (format == Format::kB10G11R11Ufloat) {
      decode_b10g11r11(load<uint32_t>(texel), rgba);
    } else if (info.packed) {  // depth
      rgba[0] = static_cast<float>(load<uint32_t>(texel) & kMost24Bits) / static_cast<float>(kMost24Bits);
    } else {
      for (uint32_t c = 0; c < info.channels; ++c) rgba[c] = decode_channel(info, c, texel);
      if (info.blue_first) std::swap(rgba[0], rgba[2]);
    }
  }
}

void encode_row(Format format, const float* rgba, uint32_t count, void* texels) {
  const FormatInfo& info = texel_info(format);
  ONEPASS_ASSERT(info.channels != 0 && info.type != ChannelType::kUint);
  auto* texel = static_cast<std::byte*>(texels);
  for (uint32_t i = 0; i < count; ++i, texel += info.bytes_per_texel, rgba += 4) {
    if (format == Format::kA2B10G10R10Unorm) {
      store(texel, encode_unorm(rgba[0], 1023) | encode_unorm(rgba[1], 1023) << 10 | encode_unorm(rgba[2], 1023) << 20 |
                       encode_unorm(rgba[3], 3) << 30);
    } else if (format == Format::kB10G11R11Ufloat) {
      store(texel, encode_b10g11r11(rgba[0], rgba[1], rgba[2]));
    } else if (info.packed) {  // depth
      store(texel, encode_unorm(rgba[0], kMost24Bits));
    } else {
      for (uint32_t c = 0; c < info.channels; ++c) {
        encode_channel(info, c, rgba[info.blue_first && c < 3 ? 2 - c : c], texel);
      }
    }
  }
}

namespace image {

Format with_alpha(Format format) {
  switch (format) {
    case Format::kRGB8Unorm:
      return Format::kRGBA8Unorm;
    case Format::kRGB8Srgb:
      return Format::kRGBA8Srgb;
    case Format::kRGB16Unorm:
      return Format::kRGBA16Unorm;
    case Format::kRGB16Sfloat:
      return Format::kRGBA16Sfloat;
    case Format::kRGB32Sfloat:
      return Format::kRGBA32Sfloat;
    default:
      return format;
  }
}

}  // namespace image
}  // namespace onepass
