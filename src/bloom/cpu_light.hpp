// cpu_light.hpp: the bright pass and the composite of bloom on rows of floats. The kernels' version is
// src/fourier/fourier_light.glsl.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "cpu/rgb_texels.hpp"
#include "image/row_codec.hpp"
#include "onepass/bloom.hpp"

namespace onepass::cpu {

/// NaN counts as 0, Inf as the largest half float: one such texel would leave nothing but NaN in a transform.
inline float usable_light(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & 0x7FFFFFFFU;
  const float most = bits == magnitude ? 65504.0F : -65504.0F;
  return magnitude < 0x7F800000U ? value : magnitude == 0x7F800000U ? most : 0.0F;
}

/// Reads rows of a source and changes them.
class LightRows {
 public:
  /// Most floats that bright_part() computes at a time.
  static constexpr uint32_t kPartFloats = 256;

  explicit LightRows(const BloomOptions& options)
      : options_(options),
        decoder_(image::make_decode_spec(options.source)),
        channels_(decoder_.spec().stored_channels),
        colours_(std::min(format_info(options.source).channels, 3U)) {}

  [[nodiscard]] uint32_t channels() const { return channels_; }  ///< Of decoded texels: 1, 2 or 4.
  [[nodiscard]] uint32_t colours() const { return colours_; }    ///< 1 to 3.

  /// Decodes usable texels. Writes up to image::kRowPadding floats more.
  void read(const ImageView& source, uint32_t slice, uint32_t y, uint32_t x, uint32_t count, float* texels) const {
    decode(source, source.row(y, slice) + x * texel_bytes(source), count, texels);
    if (format_info(options_.source).type != ChannelType::kFloat) return;
    for (uint32_t i = 0; i < count * channels_; ++i) texels[i] = usable_light(texels[i]);
  }

  /// The bright light of texels of the glow: of the image, or the mean of 2x2 of its texels. At most kPartFloats
  /// floats.
  void bright_part(const ImageView& source, uint32_t slice, uint32_t y, uint32_t x, uint32_t count,
                   float* texels) const;

  /// The share of a usable texel's light that exceeds the threshold.
  [[nodiscard]] float share(const float* texel) const {
    float most = texel[0];
    for (uint32_t c = 1; c < colours_; ++c) most = std::max(most, texel[c]);
    const float over = most - options_.threshold;
    const float soft = std::clamp(over + options_.knee, 0.0F, 2 * options_.knee);
    const float curved = options_.knee > 0 ? soft * (soft / (4 * options_.knee)) : 0.0F;
    // If the knee is wider than the threshold, the parabola exceeds m.
    return most > 0 ? std::clamp(std::max(curved, over) / most, 0.0F, 1.0F) : 0.0F;
  }

  /// Replaces the glow at texels by the result. `glow` has `stored` channels; a channel that the source lacks becomes
  /// 0, a missing alpha 1.
  void compose(const float* source, uint32_t count, float* glow, uint32_t stored) const;

 private:
  void decode(const ImageView& source, const std::byte* row, uint32_t count, float* texels) const;
  /// Multiplies texels by their share.
  void darken(float* texels, uint32_t count) const;

  BloomOptions options_;
  image::RowDecoder<float> decoder_;
  uint32_t channels_ = 4;
  uint32_t colours_ = 3;
};

}  // namespace onepass::cpu
