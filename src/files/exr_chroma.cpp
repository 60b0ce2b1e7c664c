// exr_chroma.cpp: luminance and chroma to red, green and blue, with the rows that OpenEXR's filters need.
//
// Source: OpenEXR, "Technical Introduction to OpenEXR", luminance/chroma images; F. Kainz, ImfRgbaYca.h.
#include "files/exr_chroma.hpp"

#include <OpenEXR/ImfRgba.h>
#include <OpenEXR/ImfRgbaYca.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace onepass::files {
namespace {

using Imf::Rgba;
using Imf::RgbaYca::N;
using Imf::RgbaYca::N2;

/// Luminance of unit red, green and blue.
Result<std::array<double, 3>> luminance_weights(const Source& source, const Chromaticities& primaries) {
  const Result<ColorMatrix> matrix = xyz_matrix(primaries);
  if (!matrix) return source.error(matrix.error().code, matrix.error().message);
  const std::array<double, 3> weights = (*matrix)[1];
  if (std::fabs(weights[1]) < 1e-6) {
    return source.bad("EXR: chromaticities has green at " + std::to_string(primaries.green[0]) + ", " +
                      std::to_string(primaries.green[1]) +
                      ", where it has no luminance, so that luminance and chroma do not say how much there is");
  }
  return weights;
}

/// An image with RY and BY at the even pixels of even rows, converted from top to bottom.
///
/// Chroma is interpolated horizontally, then vertically. Beyond the edges rows repeat as in Imf::RgbaInputFile: the
/// first row upwards, the last row with chroma downwards.
class SubsampledRows {
 public:
  SubsampledRows(Image& image, const Image& chroma, const Imath::V3f& weights)
      : image_(image.view()),
        chroma_(chroma.view()),
        half_(image_.format == Format::kRGBA16Sfloat),
        weights_(weights),
        width_(image_.size.width),
        height_(image_.size.height),
        padded_(width_ + N - 1),
        luminance_(width_),
        row_(width_) {
    for (auto& row : across_) row.resize(width_);
    across_number_.fill(-1);
  }

  /// Colours of row `y`, which is -1 or more, before desaturation.
  void reconstruct(int64_t y, Rgba* colours) {
    load_luminance(std::max<int64_t>(y, 0));
    if (y % 2 == 0) {
      std::copy_n(across(y), width_, row_.data());
      for (size_t x = 0; x < width_; ++x) row_[x].g = luminance_[x].g;
    } else {
      std::array<const Rgba*, N> rows;
      rows.fill(luminance_.data());  // the middle row gives luminance; its odd neighbours are not read
      for (int i = 0; i < N; i += 2) rows[static_cast<size_t>(i)] = across(y - N2 + i);
      Imf::RgbaYca::reconstructChromaVert(static_cast<int>(width_), rows.data(), row_.data());
    }
    Imf::RgbaYca::YCAtoRGBA(weights_, static_cast<int>(width_), row_.data(), colours);
  }

  /// Desaturates the middle one of three rows of colours and stores it as row `y`, over the luminance of that row.
  void store(uint32_t y, const std::array<const Rgba*, 3>& colours) {
    Imf::RgbaYca::fixSaturation(weights_, static_cast<int>(width_), colours.data(), row_.data());
    if (half_) {
      auto* texels = reinterpret_cast<uint16_t*>(image_.row(y));
      for (size_t x = 0; x < width_; ++x) {
        texels[4 * x] = row_[x].r.bits();
        texels[4 * x + 1] = row_[x].g.bits();
        texels[4 * x + 2] = row_[x].b.bits();
      }
      return;
    }
    auto* texels = reinterpret_cast<float*>(image_.row(y));
    for (size_t x = 0; x < width_; ++x) {
      const std::array<float, 3> colour = {row_[x].r, row_[x].g, row_[x].b};
      const float luminance = texels[4 * x + 1];
      const float reached = weights_.x * colour[0] + weights_.y * colour[1] + weights_.z * colour[2];
      for (size_t c = 0; c < 3; ++c) texels[4 * x + c] = reached == 0 ? luminance : colour[c] / reached * luminance;
    }
  }

 private:
  /// Luminance of row `y` as OpenEXR needs it. Of float luminance only zero and the sign are kept, because all later
  /// steps are proportional to the luminance of each pixel.
  void load_luminance(int64_t y) {
    const std::byte* row = image_.row(static_cast<uint32_t>(y));
    for (size_t x = 0; x < width_; ++x) {
      Imath::half value;
      if (half_) {
        value.setBits(reinterpret_cast<const uint16_t*>(row)[4 * x + 1]);
      } else {
        const float luminance = reinterpret_cast<const float*>(row)[4 * x + 1];
        value = luminance == 0 ? 0.0F : std::copysign(1.0F, luminance);
      }
      luminance_[x] = Rgba(0.0F, value, 0.0F, 1.0F);
    }
  }

  /// Chroma of all pixels of row `y`, which is even and may lie beyond the edges.
  const Rgba* across(int64_t y) {
    const int64_t inside = y < 0 ? 0 : std::min<int64_t>(y, static_cast<int64_t>(height_) - 2);
    const auto number = inside / 2;
    const size_t slot = static_cast<size_t>(number) % across_.size();
    if (across_number_[slot] == number) return across_[slot].data();
    across_number_[slot] = number;
    const auto* chroma = reinterpret_cast<const uint16_t*>(chroma_.row(static_cast<uint32_t>(number)));
    for (int64_t i = 0; i < static_cast<int64_t>(padded_.size()); ++i) {
      const int64_t x = std::clamp<int64_t>(i - N2, 0, static_cast<int64_t>(width_) - 2) / 2;
      padded_[static_cast<size_t>(i)].r.setBits(chroma[2 * x]);
      padded_[static_cast<size_t>(i)].b.setBits(chroma[2 * x + 1]);
    }
    Imf::RgbaYca::reconstructChromaHoriz(static_cast<int>(width_), padded_.data(), across_[slot].data());
    return across_[slot].data();
  }

  MutableImageView image_;
  ImageView chroma_;
  bool half_;
  Imath::V3f weights_;
  size_t width_;
  size_t height_;
  std::array<std::vector<Rgba>, 16> across_;  // every second row of the filter, which spans 27 rows
  std::array<int64_t, 16> across_number_{};
  std::vector<Rgba> padded_;
  std::vector<Rgba> luminance_;
  std::vector<Rgba> row_;
};

}  // namespace

Result<void> colour_from_chroma(const Source& source, Image& image, const Chromaticities& primaries) {
  const auto weights = luminance_weights(source, primaries);
  if (!weights) return weights.error();
  const MutableImageView view = image.view();
  std::vector<float> texels(size_t{4} * view.size.width);
  for (uint32_t y = 0; y < view.size.height; ++y) {
    decode_row(view.format, view.row(y), view.size.width, texels.data());
    for (size_t i = 0; i < texels.size(); i += 4) {
      const double luminance = texels[i + 1];
      const double red = 1.0 + texels[i];  // red and blue are relative to luminance
      const double blue = 1.0 + texels[i + 2];
      const double green = (1.0 - red * (*weights)[0] - blue * (*weights)[2]) / (*weights)[1];
      texels[i] = static_cast<float>(red * luminance);
      texels[i + 1] = static_cast<float>(green * luminance);
      texels[i + 2] = static_cast<float>(blue * luminance);
    }
    encode_row(view.format, texels.data(), view.size.width, view.row(y));
  }
  return {};
}

Result<void> colour_from_subsampled_chroma(const Source& source, Image& image, const Image& chroma,
                                           const Chromaticities& primaries) {
  if (const auto weights = luminance_weights(source, primaries); !weights) return weights.error();
  const auto point = [](const std::array<double, 2>& p) {
    return Imath::V2f(static_cast<float>(p[0]), static_cast<float>(p[1]));
  };
  // OpenEXR's own weights; they differ from luminance_weights() in the last bits.
  const Imath::V3f weights = Imf::RgbaYca::computeYw(
      Imf::Chromaticities(point(primaries.red), point(primaries.green), point(primaries.blue), point(primaries.white)));
  SubsampledRows rows(image, chroma, weights);
  const uint32_t height = image.size().height;
  std::array<std::vector<Rgba>, 3> colours;
  for (auto& row : colours) row.resize(image.size().width);
  rows.reconstruct(-1, colours[0].data());
  rows.reconstruct(0, colours[1].data());
  for (uint32_t y = 0; y < height; ++y) {
    auto& above = colours[y % 3];
    auto& below = colours[(y + 2) % 3];
    // For the last row OpenEXR uses the row above in place of the row below.
    const bool last = y + 1 == height;
    if (!last) rows.reconstruct(int64_t{y} + 1, below.data());
    rows.store(y, {above.data(), colours[(y + 1) % 3].data(), last ? above.data() : below.data()});
  }
  return {};
}

}  // namespace onepass::files
