// canvas.hpp: an RGB picture in memory, with functions that draw rectangles, images and text on it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "onepass/image.hpp"

namespace samples {

/// A colour as it is stored: sRGB-encoded, 0 to 255.
struct Rgb {
  uint8_t r = 0;
  uint8_t g = 0;
  uint8_t b = 0;
  bool operator==(const Rgb&) const = default;
};

/// A picture; rows from top to bottom.
struct Pixels {
  onepass::Extent size;
  std::vector<Rgb> texels;

  Pixels(onepass::Extent extent, Rgb fill) : size(extent), texels(size_t{extent.width} * extent.height, fill) {}
  [[nodiscard]] Rgb& at(uint32_t x, uint32_t y) { return texels[size_t{y} * size.width + x]; }
  [[nodiscard]] const Rgb& at(uint32_t x, uint32_t y) const { return texels[size_t{y} * size.width + x]; }
};

/// Fills `rect` with `colour`; parts outside `target` are clipped.
void fill(Pixels& target, onepass::Rect rect, Rgb colour);

/// Fills `rect` with `source`: smaller pictures are repeated texel by texel, larger ones reduced to means of texels.
void draw_scaled(Pixels& target, const Pixels& source, onepass::Rect rect);

/// Draws text; (x, y) is the upper left corner of its bounding box. Lower-case letters, digits, space, comma and colon.
void draw_text(Pixels& target, uint32_t x, uint32_t y, std::string_view text, Rgb colour);

/// Height of a line of text in pixels.
inline constexpr uint32_t kTextHeight = 18;

}  // namespace samples
