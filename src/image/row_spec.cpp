// row_spec.cpp: derives the specs of row_spec.hpp from formats.
#include "image/row_spec.hpp"

namespace onepass::image {
namespace {

Storage storage_of(Format format) {
  const FormatInfo& info = format_info(format);
  if (info.depth && info.packed) return Storage::kX8D24;
  if (info.packed) return info.type == ChannelType::kFloat ? Storage::kB10G11R11 : Storage::kA2B10G10R10;
  switch (info.bytes_per_texel / info.channels) {
    case 1:
      if (info.type == ChannelType::kSrgb) return info.channels == 4 ? Storage::kSrgb8 : Storage::kSrgbColors;
      return Storage::kU8;
    case 2:
      return info.type == ChannelType::kFloat ? Storage::kF16 : Storage::kU16;
    default:
      return Storage::kF32;
  }
}

/// The quantised value that stands for 1, by channel; 1 for formats other than UNORM.
std::array<float, 4> largest_quantised(Storage storage) {
  switch (storage) {
    case Storage::kU8:
      return {255, 255, 255, 255};
    case Storage::kU16:
      return {65535, 65535, 65535, 65535};
    case Storage::kA2B10G10R10:
      return {1023, 1023, 1023, 3};
    case Storage::kX8D24:
      return {0xFFFFFF, 1, 1, 1};
    default:
      return {1, 1, 1, 1};
  }
}

/// The quantised alpha that stands for 1; 1 where alpha is a float.
float alpha_unit_of(Storage storage) { return storage == Storage::kSrgb8 ? 255.0F : largest_quantised(storage)[3]; }

/// Is it UNORM with the same number of bits in all channels?
bool is_uniform_unorm(Storage storage) { return storage == Storage::kU8 || storage == Storage::kU16; }

uint32_t as_stored(uint32_t channels) { return channels == 3 ? 4 : channels; }

uint32_t working_channels(PixelSemantics semantics, uint32_t stored) {
  if (semantics == PixelSemantics::kPair) return 2;
  return semantics == PixelSemantics::kNormal ? 4 : stored;
}

}  // namespace

DecodeSpec make_decode_spec(Format format, const DecodeOptions& options) {
  const FormatInfo& info = format_info(format);
  DecodeSpec spec;
  spec.storage = storage_of(format);
  spec.semantics = options.semantics;
  spec.stored_channels = as_stored(info.channels);
  spec.channels = working_channels(options.semantics, spec.stored_channels);
  spec.alpha_unit = alpha_unit_of(spec.storage);
  spec.fixed_srgb = options.fixed_srgb;
  spec.is_signed = info.type == ChannelType::kFloat;
  spec.blue_first = info.blue_first;
  const bool plain = options.semantics == PixelSemantics::kPlain || options.semantics == PixelSemantics::kPair;
  if (options.keeps_integers && plain && is_uniform_unorm(spec.storage)) {
    spec.unit = largest_quantised(spec.storage)[0];
  } else {
    spec.divisor = largest_quantised(spec.storage);
  }
  return spec;
}

EncodeSpec make_encode_spec(Format format, const EncodeOptions& options) {
  const FormatInfo& info = format_info(format);
  EncodeSpec spec;
  spec.storage = storage_of(format);
  spec.semantics = options.semantics;
  spec.stored_channels = as_stored(info.channels);
  spec.channels = working_channels(options.semantics, spec.stored_channels);
  spec.texel_bytes = info.bytes_per_texel;
  spec.alpha_unit = alpha_unit_of(spec.storage);
  spec.within_unit = options.within_unit;
  spec.fixed_srgb = options.fixed_srgb;
  spec.is_signed = info.type == ChannelType::kFloat;
  spec.blue_first = info.blue_first;
  if (is_uniform_unorm(spec.storage)) {
    spec.scale = largest_quantised(spec.storage)[0] / options.unit;
  } else {
    spec.divisor = static_cast<float>(options.unit);
  }
  return spec;
}

}  // namespace onepass::image
