// cpu_light.cpp: scales each texel by its bright share, at half resolution before the mean of 2x2 texels. The
// composite, source + scatter * (glow - bright part), takes the light that the glow adds from the texels that emit it.
#include "bloom/cpu_light.hpp"

#include <array>

namespace onepass::cpu {
namespace {

// The loops over texels have a constant number of channels.
template <uint32_t channels, typename Share>
void multiply(float* texels, uint32_t count, const Share& share) {
  for (uint32_t i = 0; i < count; ++i, texels += channels) {
    const float by = share(texels);
    for (uint32_t c = 0; c < channels; ++c) texels[c] *= by;
  }
}

}  // namespace

void LightRows::decode(const ImageView& source, const std::byte* row, uint32_t count, float* texels) const {
  if (!is_rgb(source.format)) return decoder_.decode(row, count, texels, texels);
  constexpr uint32_t kPart = 64;
  alignas(16) std::array<std::byte, size_t{16} * kPart> colours;
  for (uint32_t i = 0; i < count; i += kPart) {
    const uint32_t n = std::min(kPart, count - i);
    const std::byte* part = texels_with_alpha(source.format, row + i * texel_bytes(source), n, colours.data());
    decoder_.decode(part, n, texels + size_t{i} * channels_, texels + size_t{i} * channels_);
  }
}

void LightRows::darken(float* texels, uint32_t count) const {
  if (options_.threshold == 0) return;
  const auto by = [this](const float* texel) { return share(texel); };
  if (channels_ == 1) return multiply<1>(texels, count, by);
  if (channels_ == 2) return multiply<2>(texels, count, by);
  multiply<4>(texels, count, by);
}

void LightRows::bright_part(const ImageView& source, uint32_t slice, uint32_t y, uint32_t x, uint32_t count,
                            float* texels) const {
  if (options_.resolution == BloomResolution::kFull) {
    read(source, slice, y, x, count, texels);
    return darken(texels, count);
  }
  // Two rows of up to twice the texels; at an odd edge the last column and row repeat.
  const uint32_t from = std::min(2 * count, options_.size.width - 2 * x);
  const uint32_t rows[2] = {2 * y, std::min(2 * y + 1, options_.size.height - 1)};
  std::array<std::array<float, 2 * kPartFloats + image::kRowPadding>, 2> decoded;
  for (uint32_t i = 0; i < 2; ++i) {
    float* row = decoded[i].data();
    read(source, slice, rows[i], 2 * x, from, row);
    darken(row, from);
    for (uint32_t c = 0; c < channels_ && from < 2 * count; ++c)
      row[from * channels_ + c] = row[(from - 1) * channels_ + c];
  }
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t c = 0; c < channels_; ++c) {
      const uint32_t left = 2 * i * channels_ + c, right = left + channels_;
      texels[i * channels_ + c] = 0.25F * (decoded[0][left] + decoded[0][right] + decoded[1][left] + decoded[1][right]);
    }
  }
}

void LightRows::compose(const float* source, uint32_t count, float* glow, uint32_t stored) const {
  const bool all = options_.threshold == 0;
  for (uint32_t i = 0; i < count; ++i, source += channels_, glow += stored) {
    const float bright = all ? 1.0F : share(source);
    for (uint32_t c = 0; c < stored; ++c) {
      if (c < colours_ && c < channels_) {
        glow[c] = source[c] + options_.scatter * (glow[c] - bright * source[c]);
      } else if (c == 3) {
        glow[c] = channels_ == 4 ? source[c] : 1.0F;
      } else {
        glow[c] = 0;
      }
    }
  }
}

}  // namespace onepass::cpu
