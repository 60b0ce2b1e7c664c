// pixels.cpp: sRGB arithmetic and the choice of formats by channel count.
//
// The transfer function is computed in double and not taken from the core's 8-bit tables, because it also serves 16-bit
// files and values outside 0..1.
#include "files/pixels.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace onepass::files {
namespace {

constexpr std::pair<Format, Format> kTwins[] = {{Format::kR8Unorm, Format::kR8Srgb},
                                                {Format::kRG8Unorm, Format::kRG8Srgb},
                                                {Format::kRGBA8Unorm, Format::kRGBA8Srgb},
                                                {Format::kBGRA8Unorm, Format::kBGRA8Srgb}};

}  // namespace

double srgb_to_linear(double encoded) {
  const double magnitude = std::abs(encoded);
  const double linear = magnitude <= 0.04045 ? magnitude / 12.92 : std::pow((magnitude + 0.055) / 1.055, 2.4);
  return std::copysign(linear, encoded);
}

double linear_to_srgb(double linear) {
  const double magnitude = std::abs(linear);
  const double encoded = magnitude <= 0.0031308 ? magnitude * 12.92 : 1.055 * std::pow(magnitude, 1.0 / 2.4) - 0.055;
  return std::copysign(encoded, linear);
}

Format without_srgb(Format format) {
  for (const auto& [unorm, srgb] : kTwins) {
    if (format == srgb) return unorm;
  }
  return format;
}

Format with_srgb(Format format) {
  for (const auto& [unorm, srgb] : kTwins) {
    if (format == unorm) return srgb;
  }
  return format;
}

Format unorm8_format(bool gray, bool linear) {
  const Format codes = gray ? Format::kR8Unorm : Format::kRGBA8Unorm;
  return linear ? codes : with_srgb(codes);
}

Format unorm16_format(uint32_t channels) {
  return channels == 1 ? Format::kR16Unorm : channels == 2 ? Format::kRG16Unorm : Format::kRGBA16Unorm;
}

Format half_format(uint32_t channels) {
  return channels == 1 ? Format::kR16Sfloat : channels == 2 ? Format::kRG16Sfloat : Format::kRGBA16Sfloat;
}

Format float_format(uint32_t channels) {
  return channels == 1 ? Format::kR32Sfloat : channels == 2 ? Format::kRG32Sfloat : Format::kRGBA32Sfloat;
}

void reverse_bytes(std::span<std::byte> samples, size_t sample_bytes) {
  if (sample_bytes == 2) {
    for (size_t i = 0; i < samples.size(); i += 2) std::swap(samples[i], samples[i + 1]);
  } else if (sample_bytes > 2) {
    for (size_t i = 0; i < samples.size(); i += sample_bytes) {
      std::reverse(&samples[i], &samples[i] + sample_bytes);
    }
  }
}

Result<Image> decoded_from_srgb(const ImageView& image) {
  ImageView stored = image;
  stored.format = without_srgb(image.format);
  const uint32_t channels = format_info(image.format).channels;
  const uint32_t colours = channels < 3 ? channels : 3;
  Result<Image> decoded = Image::create(float_format(channels), image.size, image.slices);
  if (!decoded) return decoded;
  std::vector<float> texels(size_t{4} * image.size.width);
  for (uint32_t slice = 0; slice < image.slices; ++slice) {
    for (uint32_t y = 0; y < image.size.height; ++y) {
      decode_row(stored.format, stored.row(y, slice), image.size.width, texels.data());
      for (uint32_t x = 0; x < image.size.width; ++x) {
        for (uint32_t c = 0; c < colours; ++c) {
          float& value = texels[size_t{4} * x + c];
          value = static_cast<float>(srgb_to_linear(value));
        }
      }
      encode_row(decoded->format(), texels.data(), image.size.width, decoded->view().row(y, slice));
    }
  }
  return decoded;
}

}  // namespace onepass::files
