// custom_reduction4.hpp: the reductions of custom_reduction4.glsl on the CPU. docs/shaders/custom_reduction.md
#pragma once

#include <algorithm>
#include <vector>

#include "onepass/pyramid_custom.hpp"

namespace custom_reduction4 {

struct Two {
  float x, y;
};
struct Four {
  float x, y, z, w;
};

// COMBINE 0: the median: the mean of the second and the third of four.
struct Median {
  static float element_of(float base) { return base; }
  static float reduce4(float v00, float v10, float v01, float v11) {
    return 0.5F * (std::max(std::min(v00, v10), std::min(v01, v11)) + std::min(std::max(v00, v10), std::max(v01, v11)));
  }
  static float level_texel(float element, uint32_t /*x*/, uint32_t /*y*/) { return element; }
};

// COMBINE 1: minimum and maximum, of which a level holds one: the minimum in the white fields of a checkerboard.
struct Checkerboard {
  static Two element_of(float base) { return {base, base}; }
  static Two reduce4(const Two& v00, const Two& v10, const Two& v01, const Two& v11) {
    return {std::min({v00.x, v10.x, v01.x, v11.x}), std::max({v00.y, v10.y, v01.y, v11.y})};
  }
  static float level_texel(const Two& element, uint32_t x, uint32_t y) {
    return (x + y) % 2 == 0 ? element.x : element.y;
  }
};

// COMBINE 2: mean, and mean of squares: the variance is y - x * x. The bits of the shader need -ffp-contract=off.
struct Variance {
  static Two element_of(float base) { return {base, base * base}; }
  static Two reduce4(const Two& v00, const Two& v10, const Two& v01, const Two& v11) {
    return {0.25F * ((v00.x + v10.x) + (v01.x + v11.x)), 0.25F * ((v00.y + v10.y) + (v01.y + v11.y))};
  }
  static Two level_texel(const Two& element, uint32_t /*x*/, uint32_t /*y*/) { return element; }
};

// COMBINE 3: normal, and the closest depth in w: the first of equally close texels.
struct Closest {
  static Four element_of(const Four& base) { return base; }
  static Four reduce4(const Four& v00, const Four& v10, const Four& v01, const Four& v11) {
    const Four& upper = v10.w < v00.w ? v10 : v00;
    const Four& lower = v11.w < v01.w ? v11 : v01;
    return lower.w < upper.w ? lower : upper;
  }
  static Four level_texel(const Four& element, uint32_t /*x*/, uint32_t /*y*/) { return element; }
};

// Levels 1 and up as in the buffer of the shader: slice by slice, the levels of a slice one after the other.
template <typename Reduction, typename Base>
auto make_levels(onepass::Extent size, uint32_t slices, const std::vector<Base>& base) {
  using Made = decltype(Reduction::level_texel(Reduction::element_of(base[0]), 0, 0));
  std::vector<size_t> begin = {0, 0};  // of level n
  for (uint32_t n = 1; n < onepass::full_level_count(size); ++n) {
    const onepass::Extent level = onepass::level_size(size, n);
    begin.push_back(begin.back() + size_t{level.width} * level.height);
  }
  std::vector<Made> made(begin.back() * slices);
  const auto result = onepass::cpu::reduce_pyramid(
      {.size = size, .slices = slices},
      [&](uint32_t x, uint32_t y, uint32_t slice) {
        return Reduction::element_of(base[(size_t{slice} * size.height + y) * size.width + x]);
      },
      Reduction::reduce4,
      [&](uint32_t level, uint32_t x, uint32_t y, uint32_t slice, const auto& element) {
        const uint32_t width = onepass::level_size(size, level).width;
        made[slice * begin.back() + begin[level] + size_t{y} * width + x] = Reduction::level_texel(element, x, y);
      });
  if (!result) made.clear();
  return made;
}

}  // namespace custom_reduction4
