// canvas.cpp: drawing on a Pixels picture, pixel by pixel, clipped to it. shrink() takes means of the stored values,
// not of light.
#include "canvas.hpp"

#include <algorithm>
#include <cmath>

namespace onepass::cli {

void fill(Pixels& target, Rect rect, Rgb colour) {
  const uint32_t right = std::min(rect.x + rect.width, target.size.width);
  const uint32_t bottom = std::min(rect.y + rect.height, target.size.height);
  for (uint32_t y = rect.y; y < bottom; ++y) {
    for (uint32_t x = rect.x; x < right; ++x) target.at(x, y) = colour;
  }
}

void blit(Pixels& target, const Pixels& source, Rect rect) {
  for (uint32_t v = 0; v < rect.height && rect.y + v < target.size.height; ++v) {
    const auto y = static_cast<uint32_t>((2 * uint64_t{v} + 1) * source.size.height / (2 * uint64_t{rect.height}));
    for (uint32_t u = 0; u < rect.width && rect.x + u < target.size.width; ++u) {
      const auto x = static_cast<uint32_t>((2 * uint64_t{u} + 1) * source.size.width / (2 * uint64_t{rect.width}));
      target.at(rect.x + u, rect.y + v) = source.at(x, y);
    }
  }
}

Pixels shrink(const Pixels& source, Extent size) {
  Pixels result(size, {});
  const auto from = [](uint32_t i, uint32_t count, uint32_t of) {
    return static_cast<uint32_t>(uint64_t{i} * of / count);
  };
  for (uint32_t y = 0; y < size.height; ++y) {
    const uint32_t top = from(y, size.height, source.size.height);
    const uint32_t bottom = std::max(top + 1, from(y + 1, size.height, source.size.height));
    for (uint32_t x = 0; x < size.width; ++x) {
      const uint32_t left = from(x, size.width, source.size.width);
      const uint32_t right = std::max(left + 1, from(x + 1, size.width, source.size.width));
      uint64_t r = 0;
      uint64_t g = 0;
      uint64_t b = 0;
      for (uint32_t v = top; v < bottom; ++v) {
        for (uint32_t u = left; u < right; ++u) {
          const Rgb& texel = source.at(u, v);
          r += texel.r;
          g += texel.g;
          b += texel.b;
        }
      }
      const uint64_t count = uint64_t{bottom - top} * (right - left);
      const auto mean = [count](uint64_t sum) { return static_cast<uint8_t>((sum + count / 2) / count); };
      result.at(x, y) = {mean(r), mean(g), mean(b)};
    }
  }
  return result;
}

uint32_t text_width(std::string_view text, uint32_t scale) {
  return text.empty() ? 0 : static_cast<uint32_t>(text.size()) * kTextAdvance * scale - scale;
}

void draw_text(Pixels& target, uint32_t x, uint32_t y, std::string_view text, uint32_t scale, Rgb colour) {
  for (const char character : text) {
    const uint8_t* rows = glyph(character);
    for (uint32_t v = 0; v < kTextHeight; ++v) {
      for (uint32_t u = 0; u < 5; ++u) {
        if (((rows[v] >> (4 - u)) & 1) != 0) fill(target, {x + u * scale, y + v * scale, scale, scale}, colour);
      }
    }
    x += kTextAdvance * scale;
  }
}

}  // namespace onepass::cli
