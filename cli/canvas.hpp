// canvas.hpp: an RGB picture in memory, with functions that draw rectangles, images and text on it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "onepass/image.hpp"

namespace onepass::cli {

/// A colour as it is stored: sRGB-encoded, 0 to 255.
struct Rgb {
  uint8_t r = 0;
  uint8_t g = 0;
  uint8_t b = 0;
};

/// A picture; rows from top to bottom.
struct Pixels {
  Extent size;
  std::vector<Rgb> texels;

  Pixels() = default;
  Pixels(Extent extent, Rgb fill) : size(extent), texels(size_t{extent.width} * extent.height, fill) {}
  [[nodiscard]] Rgb& at(uint32_t x, uint32_t y) { return texels[size_t{y} * size.width + x]; }
  [[nodiscard]] const Rgb& at(uint32_t x, uint32_t y) const { return texels[size_t{y} * size.width + x]; }
};

/// Fills `rect` with `colour`; parts outside `target` are clipped.
void fill(Pixels& target, Rect rect, Rgb colour);

/// Fills `rect` with `source`; each pixel takes the nearest texel.
void blit(Pixels& target, const Pixels& source, Rect rect);

/// A smaller copy; each pixel is the mean of the stored values it covers.
[[nodiscard]] Pixels shrink(const Pixels& source, Extent size);

/// Height of a line of text and advance of one character, in pixels at scale 1.
inline constexpr uint32_t kTextHeight = 9;
inline constexpr uint32_t kTextAdvance = 6;

/// Width of `text` in pixels.
[[nodiscard]] uint32_t text_width(std::string_view text, uint32_t scale);

/// Draws text; (x, y) is the upper left corner of its bounding box. Printable ASCII; "\x7F" draws a raised dot, every
/// other character '?'.
void draw_text(Pixels& target, uint32_t x, uint32_t y, std::string_view text, uint32_t scale, Rgb colour);

/// The bitmap of a character: kTextHeight rows, bit 4 is the leftmost of five columns.
[[nodiscard]] const uint8_t* glyph(char character);

}  // namespace onepass::cli
