// material_testing.hpp: pictures of the tests of materials.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "onepass/material.hpp"

namespace onepass::testing {

/// An image whose texel (x, y) of `slice` has the four values of `texel(x, y, slice)`.
template <typename Make>
Image image_of(Format format, Extent size, const Make& texel, uint32_t slices = 1) {
  auto image = Image::create(format, size, slices);
  EXPECT_TRUE(image);
  std::vector<float> row(size_t{4} * size.width);
  for (uint32_t slice = 0; slice < slices; ++slice) {
    for (uint32_t y = 0; y < size.height; ++y) {
      for (uint32_t x = 0; x < size.width; ++x) {
        const std::array<float, 4> t = texel(x, y, slice);
        std::copy(t.begin(), t.end(), row.begin() + 4 * x);
      }
      encode_row(format, row.data(), size.width, image->view().row(y, slice));
    }
  }
  return std::move(*image);
}

/// The four values of a texel.
inline std::array<float, 4> texel_of(const ImageView& image, uint32_t x, uint32_t y, uint32_t slice = 0) {
  std::vector<float> row(size_t{4} * image.size.width);
  decode_row(image.format, image.row(y, slice), image.size.width, row.data());
  return {row[4 * x], row[4 * x + 1], row[4 * x + 2], row[4 * x + 3]};
}

/// Levels 1 and up of a base of `size`, all values 0.25.
inline std::vector<Image> levels_of(Format format, Extent size, uint32_t slices = 1) {
  std::vector<Image> levels;
  while (size.width > 1 || size.height > 1) {
    size = {std::max(1U, size.width / 2), std::max(1U, size.height / 2)};
    levels.push_back(image_of(
        format, size,
        [](auto...) {
          return std::array{0.25F, 0.25F, 0.25F, 0.25F};
        },
        slices));
  }
  return levels;
}

inline std::vector<MutableImageView> views_of(std::vector<Image>& levels) {
  std::vector<MutableImageView> views;
  for (Image& level : levels) views.push_back(level.view());
  return views;
}

}  // namespace onepass::testing
