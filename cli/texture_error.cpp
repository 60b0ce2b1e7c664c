// texture_error.cpp: errors row by row, collected in the pixels of the heat map.
#include "texture_error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace onepass::cli {
namespace {

using Texel = const float*;

// Squares of the differences of codes: the sum over channels, and the largest difference.
class CodeErrors {
 public:
  CodeErrors(uint32_t channels, bool srgb)
      : channels_(channels), format_(srgb ? Format::kRGBA8Srgb : Format::kRGBA8Unorm) {}

  // Errors of a row of texels: the mean square of a texel's channels.
  void row(const std::vector<float>& a, const std::vector<float>& b, std::vector<double>& squares, double& largest) {
    const auto width = static_cast<uint32_t>(squares.size());
    codes_a_.resize(a.size());
    codes_b_.resize(b.size());
    encode_row(format_, a.data(), width, codes_a_.data());
    encode_row(format_, b.data(), width, codes_b_.data());
    for (size_t x = 0; x < squares.size(); ++x) {
      double sum = 0;
      const double weight = channels_ == 4 ? a[4 * x + 3] : 1;  // colours of invisible texels do not count
      for (uint32_t c = 0; c < channels_; ++c) {
        const double d = (c < 3 ? weight : 1) * std::abs(int{codes_a_[4 * x + c]} - int{codes_b_[4 * x + c]});
        sum += d * d;
        largest = std::max(largest, d);
      }
      squares[x] = sum / channels_;
    }
  }

 private:
  uint32_t channels_;
  Format format_;
  std::vector<uint8_t> codes_a_, codes_b_;
};

// The vector of a texel with values of 0 to 1. Two channels imply z.
std::array<double, 3> vector_of(Texel t, bool two) {
  const double x = 2.0 * t[0] - 1, y = 2.0 * t[1] - 1;
  return {x, y, two ? std::sqrt(std::max(0.0, 1 - x * x - y * y)) : 2.0 * t[2] - 1};
}

double degrees_between(Texel a, bool two_a, Texel b, bool two_b) {
  const auto n = vector_of(a, two_a), m = vector_of(b, two_b);
  const std::array<double, 3> cross{n[1] * m[2] - n[2] * m[1], n[2] * m[0] - n[0] * m[2], n[0] * m[1] - n[1] * m[0]};
  const double sine = std::hypot(cross[0], cross[1], cross[2]);
  return std::atan2(sine, n[0] * m[0] + n[1] * m[1] + n[2] * m[2]) * 180 / std::numbers::pi;
}

// Stops between the brightest channels. Light below 2^-10 counts as that: in the dark a ratio says nothing.
double stops_between(Texel a, Texel b) {
  constexpr float kDark = 1.0F / 1024;
  const auto light = [](Texel t) { return std::max({t[0], t[1], t[2], kDark}); };
  return std::abs(std::log2(static_cast<double>(light(a)) / light(b)));
}

// Mean squares of all texels that a pixel of the heat map covers.
class HeatMap {
 public:
  HeatMap(Extent texels, Extent pixels)
      : texels_(texels),
        pixels_(pixels),
        sums_(size_t{pixels.width} * pixels.height),
        counts_(size_t{pixels.width} * pixels.height) {}

  void add(uint32_t y, const std::vector<double>& squares) {
    const size_t row = uint64_t{y} * pixels_.height / texels_.height * pixels_.width;
    for (size_t x = 0; x < squares.size(); ++x) {
      const size_t at = row + x * pixels_.width / texels_.width;
      sums_[at] += squares[x];
      ++counts_[at];
    }
  }

  [[nodiscard]] Pixels pixels(double end) const {
    Pixels out(pixels_, {});
    for (size_t i = 0; i < sums_.size(); ++i) {
      out.texels[i] = heat_colour(std::sqrt(sums_[i] / std::max<uint32_t>(counts_[i], 1)) / end);
    }
    return out;
  }

 private:
  Extent texels_, pixels_;
  std::vector<double> sums_;
  std::vector<uint32_t> counts_;
};

}  // namespace

double psnr(const TextureError& error) {
  return error.mean > 0 ? 20 * std::log10(255 / error.mean) : std::numeric_limits<double>::infinity();
}

double scale_end(TexelMeaning meaning) {
  switch (meaning) {
    case TexelMeaning::kCodes:
      return 16;
    case TexelMeaning::kNormals:
      return 4;
    case TexelMeaning::kLight:
      return 0.25;
  }
  return 1;
}

Rgb heat_colour(double share) {
  constexpr std::array<std::array<double, 3>, 6> kColours{
      {{0, 0, 0}, {60, 20, 110}, {160, 40, 110}, {235, 85, 50}, {250, 190, 60}, {255, 255, 235}}};
  const double at = std::clamp(share, 0.0, 1.0) * (kColours.size() - 1);
  const auto low = std::min(static_cast<size_t>(at), kColours.size() - 2);
  const double t = at - static_cast<double>(low);
  const auto mix = [&](size_t c) {
    return static_cast<uint8_t>(std::lround((1 - t) * kColours[low][c] + t * kColours[low + 1][c]));
  };
  return {mix(0), mix(1), mix(2)};
}

TextureError compare_texels(const ImageView& source, const ImageView& stored, TexelMeaning meaning, uint32_t channels,
                            bool srgb, Extent heat) {
  TextureError error{.meaning = meaning};
  const uint32_t width = source.size.width;
  std::vector<float> a(size_t{4} * width), b(size_t{4} * width);
  std::vector<double> squares(width);
  const bool two_a = format_info(source.format).channels == 2, two_b = format_info(stored.format).channels == 2;
  CodeErrors codes(channels, srgb);
  HeatMap map(source.size, heat);
  double sum = 0;
  for (uint32_t y = 0; y < source.size.height; ++y) {
    decode_row(source.format, source.row(y), width, a.data());
    decode_row(stored.format, stored.row(y), width, b.data());
    if (meaning == TexelMeaning::kCodes) {
      codes.row(a, b, squares, error.largest);
      for (const double square : squares) sum += square;
    } else {
      for (size_t x = 0; x < width; ++x) {
        const Texel p = a.data() + 4 * x, q = b.data() + 4 * x;
        const double value =
            meaning == TexelMeaning::kNormals ? degrees_between(p, two_a, q, two_b) : stops_between(p, q);
        error.largest = std::max(error.largest, value);
        sum += value;
        squares[x] = value * value;
      }
    }
    map.add(y, squares);
  }
  const double mean = sum / (static_cast<double>(width) * source.size.height);
  error.mean = meaning == TexelMeaning::kCodes ? std::sqrt(mean) : mean;
  error.heat = map.pixels(scale_end(meaning));
  return error;
}

}  // namespace onepass::cli
