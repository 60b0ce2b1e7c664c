// picture.cpp: the colours of depth and of light, learnt from the base and used for every level: depths are coloured by
// rank among all depths, light gets the exposure that maps its log-average to 0.18.
#include "picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace onepass::cli {
namespace {

constexpr uint32_t kMostTiles = 12;  // shown at most
constexpr uint64_t kMostSamples = 1U << 18;

// Calls `visit` with every texel, or an even sample of a large image, as four floats.
template <typename Visit>
void sample(const ImageView& image, Visit&& visit) {
  const uint64_t texels = uint64_t{image.size.width} * image.size.height * image.slices;
  const auto step = static_cast<uint32_t>(std::sqrt(static_cast<double>(texels) / kMostSamples)) + 1;
  std::vector<float> row(size_t{4} * image.size.width);
  for (uint32_t slice = 0; slice < image.slices; ++slice) {
    for (uint32_t y = 0; y < image.size.height; y += step) {
      decode_row(image.format, image.row(y, slice), image.size.width, row.data());
      for (uint32_t x = 0; x < image.size.width; x += step) visit(&row[size_t{4} * x]);
    }
  }
}

float luminance(const float* rgba, uint32_t channels) {
  return channels < 3 ? rgba[0] : 0.2126F * rgba[0] + 0.7152F * rgba[1] + 0.0722F * rgba[2];
}

// A filmic curve with toe and shoulder. Source: K. Narkowicz, "ACES filmic tone mapping curve", 2015.
float film(float x) {
  x = std::min(std::max(x, 0.0F), 1e4F);  // NaN becomes 0
  return std::min(1.0F, x * (2.51F * x + 0.03F) / (x * (2.43F * x + 0.59F) + 0.14F));
}

uint8_t linear_code(float value) { return static_cast<uint8_t>(std::min(std::max(value, 0.0F), 1.0F) * 255 + 0.5F); }

}  // namespace

Viewer::Viewer(const ImageView& base, const PixelSemantics& meaning) : meaning_(meaning) {
  const FormatInfo& info = format_info(base.format);
  if (meaning.depth) {
    study_depth(base);
  } else if (info.type == ChannelType::kFloat) {
    hdr_ = true;
    study_light(base);
  }
}

void Viewer::study_depth(const ImageView& base) {
  const size_t channels = meaning_.two_depths ? 2 : 1;
  sample(base, [&](const float* rgba) {
    for (size_t c = 0; c < channels; ++c) {
      if (std::isfinite(rgba[c])) depths_.push_back(rgba[c]);
    }
  });
  std::sort(depths_.begin(), depths_.end());
  depths_.erase(std::unique(depths_.begin(), depths_.end()), depths_.end());
  if (depths_.empty()) return;
  lowest_ = depths_.front();
  highest_ = depths_.back();
}

void Viewer::study_light(const ImageView& base) {
  const uint32_t channels = format_info(base.format).channels;
  double sum = 0;
  uint64_t count = 0;
  sample(base, [&](const float* rgba) {
    const float y = luminance(rgba, channels);
    if (!(y > 1e-6F) || !std::isfinite(y)) return;
    sum += std::log2(static_cast<double>(y));
    ++count;
  });
  if (count == 0) return;
  const double mean = std::exp2(sum / static_cast<double>(count));
  exposure_ = static_cast<float>(std::clamp(0.18 / mean, 0x1p-20, 0x1p20));
}

float Viewer::rank(float depth) const {
  if (depths_.size() < 2) return 0.5F;
  if (std::isnan(depth)) return 0;
  const auto at = std::lower_bound(depths_.begin(), depths_.end(), depth) - depths_.begin();
  const float place = std::min(1.0F, static_cast<float>(at) / static_cast<float>(depths_.size() - 1));
  return meaning_.reversed ? 1 - place : place;
}

Rgb Viewer::depth_colour(float place) {
  // Pale yellow, red, violet, dark blue. Brightness falls evenly, for grey prints.
  constexpr std::array<Rgb, 9> kScale{{{255, 250, 214},
                                       {254, 219, 140},
                                       {252, 176, 90},
                                       {240, 122, 80},
                                       {213, 80, 96},
                                       {165, 55, 116},
                                       {113, 43, 122},
                                       {62, 34, 101},
                                       {17, 18, 52}}};
  const float scaled = std::clamp(place, 0.0F, 1.0F) * (kScale.size() - 1);
  const auto index = std::min(static_cast<size_t>(scaled), kScale.size() - 2);
  const float t = scaled - static_cast<float>(index);
  const auto mix = [t](uint8_t a, uint8_t b) {
    return static_cast<uint8_t>(static_cast<float>(a) + t * (static_cast<float>(b) - static_cast<float>(a)) + 0.5F);
  };
  const Rgb& a = kScale[index];
  const Rgb& b = kScale[index + 1];
  return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b)};
}

std::string Viewer::remark() const {
  if (meaning_.depth) return "coloured by rank of depth";
  if (hdr_) return fmt::format("tone-mapped, exposure {:+.1f} EV", std::log2(exposure_));
  return "";
}

// Number of pictures side by side: one per slice, two for a minimum and a maximum.
uint32_t Viewer::tiles(const ImageView& level) const {
  return std::min(kMostTiles, level.slices * (meaning_.two_depths ? 2 : 1));
}

Extent Viewer::shown_size(const ImageView& level) const {
  const uint32_t count = tiles(level);
  const uint32_t columns = count == 6 ? 3 : count <= 3 ? count : 4;
  return {level.size.width * columns, level.size.height * ((count + columns - 1) / columns)};
}

void Viewer::colour_row(const ImageView& level, const float* rgba, std::vector<Rgb>& row, uint32_t tile) const {
  const FormatInfo& info = format_info(level.format);
  std::array<float, 4> light{};
  std::array<uint8_t, 4> code{};
  for (size_t x = 0; x < row.size(); ++x) {
    const float* texel = rgba + 4 * x;
    if (meaning_.depth) {
      row[x] = depth_colour(rank(texel[meaning_.two_depths ? tile % 2 : 0]));
      continue;
    }
    const bool straight_alpha = info.channels == 4 && !hdr_;
    const float alpha = straight_alpha ? texel[3] : 1.0F;
    for (size_t c = 0; c < 3; ++c) {
      const float value = info.channels == 1 ? texel[0] : texel[c];
      light[c] = hdr_ ? film(value * exposure_) : value * alpha + 0.05F * (1 - alpha);
    }
    light[3] = 1;
    if (info.type == ChannelType::kUnorm || meaning_.data) {
      row[x] = {linear_code(light[0]), linear_code(light[1]), linear_code(light[2])};
    } else {
      encode_row(Format::kRGBA8Srgb, light.data(), 1, code.data());
      row[x] = {code[0], code[1], code[2]};
    }
  }
}

Pixels Viewer::show(const ImageView& level) const {
  const Extent size = shown_size(level);
  const uint32_t columns = size.width / level.size.width;
  Pixels pixels(size, {0, 0, 0});
  std::vector<float> rgba(size_t{4} * level.size.width);
  std::vector<Rgb> row(level.size.width);
  for (uint32_t tile = 0; tile < tiles(level); ++tile) {
    const uint32_t slice = meaning_.two_depths ? tile / 2 : tile;
    const uint32_t left = tile % columns * level.size.width;
    const uint32_t top = tile / columns * level.size.height;
    for (uint32_t y = 0; y < level.size.height; ++y) {
      decode_row(level.format, level.row(y, slice), level.size.width, rgba.data());
      colour_row(level, rgba.data(), row, tile);
      std::copy(row.begin(), row.end(), &pixels.at(left, top + y));
    }
  }
  return pixels;
}

}  // namespace onepass::cli
