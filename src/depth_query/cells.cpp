// cells.cpp: finds the cells (texels of a level) of coordinates, base texels and rectangles. The CPU version of
// shaders/onepass/depth_query_cells.glsl, in the same order; that file explains the two conventions with a picture.
#include <bit>
#include <cmath>

#include "onepass/depth_query.hpp"

namespace onepass::depth_query {
namespace {

uint32_t highest_bit(uint32_t value) { return static_cast<uint32_t>(std::bit_width(value)) - 1; }

uint32_t axis_cell(uint32_t count, float coordinate) {
  const float at = coordinate * static_cast<float>(count);
  return at > 0.0F ? static_cast<uint32_t>(std::min(at, static_cast<float>(count - 1))) : 0;
}

uint32_t axis_cell_of_texel(Footprint footprint, uint32_t size, uint32_t level, uint32_t texel) {
  const uint32_t count = std::max(1U, size >> level);
  if (footprint == Footprint::kTight) return texel * count / size;
  return std::min(texel >> level, count - 1);
}

// First and last of the fewest cells whose footprints cover base texels `begin` to `last` along an axis. Footprints
// overlap: covering ones by the remainder of the size, tight ones by a texel. The result is therefore the last cell
// that contains texel `begin`, and the first cell that contains texel `last`.
std::array<uint32_t, 2> axis_cells(Footprint footprint, uint32_t size, uint32_t level, uint32_t begin, uint32_t last) {
  const uint32_t count = std::max(1U, size >> level);
  uint32_t first_cell = axis_cell_of_texel(footprint, size, level, begin);
  uint32_t last_cell = axis_cell_of_texel(footprint, size, level, last);
  if (footprint == Footprint::kTight) first_cell = ((begin + 1) * count - 1) / size;
  if (footprint == Footprint::kCovering) {
    const uint32_t overlap = size & ((1U << level) - 1);
    last_cell = last >= overlap ? std::min((last - overlap) >> level, count - 1) : 0;
  }
  return {first_cell, std::max(first_cell, last_cell)};
}

TexelRange axis_texels(float begin, float end, uint32_t size) {
  const auto count = static_cast<float>(size);
  // Four times the largest rounding error of coordinates and products.
  const float slack = count * 0x1p-22F;
  const float first = begin * count - slack;
  const float last = end * count + slack;
  // The comparisons are written so that NaN gives the whole axis.
  return {first > 0.0F ? static_cast<uint32_t>(std::min(first, count)) : 0,
          last < count ? static_cast<uint32_t>(std::ceil(std::max(last, 0.0F))) : size};
}

bool fits_four(const TexelRect& cells) { return cells.end.x - cells.begin.x <= 1 && cells.end.y - cells.begin.y <= 1; }

}  // namespace

DepthPyramid full_depth_pyramid(Extent size, Footprint footprint, bool reversed_z) {
  return {size, 0, highest_bit(std::max(size.width, size.height)), footprint, reversed_z};
}

Texel cell(Extent size, uint32_t level, Float2 coordinate) {
  const Extent count = level_size(size, level);
  return {axis_cell(count.width, coordinate.x), axis_cell(count.height, coordinate.y)};
}

CoordinateRect cell_bounds(Extent size, uint32_t level, Texel cell) {
  const Extent count = level_size(size, level);
  const auto width = static_cast<float>(count.width);
  const auto height = static_cast<float>(count.height);
  return {{static_cast<float>(cell.x) / width, static_cast<float>(cell.y) / height},
          {static_cast<float>(cell.x + 1) / width, static_cast<float>(cell.y + 1) / height}};
}

Texel cell_of_texel(Footprint footprint, Extent size, uint32_t level, Texel texel) {
  return {axis_cell_of_texel(footprint, size.width, level, texel.x),
          axis_cell_of_texel(footprint, size.height, level, texel.y)};
}

TexelRect cell_texels(Footprint footprint, Extent size, uint32_t level, Texel cell) {
  const TexelRange x = footprint_range(footprint, size.width, level, cell.x);
  const TexelRange y = footprint_range(footprint, size.height, level, cell.y);
  return {{x.begin, y.begin}, {x.end, y.end}};
}

Texel tile_of_texel(Texel texel, uint32_t factor) { return {texel.x / factor, texel.y / factor}; }

TexelRect rect_texels(Extent size, const CoordinateRect& rect) {
  const TexelRange x = axis_texels(rect.begin.x, rect.end.x, size.width);
  const TexelRange y = axis_texels(rect.begin.y, rect.end.y, size.height);
  return {{x.begin, y.begin}, {x.end, y.end}};
}

bool texels_empty(const TexelRect& texels) { return texels.begin.x >= texels.end.x || texels.begin.y >= texels.end.y; }

TexelRect texels_cells(const DepthPyramid& pyramid, uint32_t level, const TexelRect& texels) {
  const auto& [begin, end] = texels;
  const auto x = axis_cells(pyramid.footprint, pyramid.size.width, level, begin.x, end.x - 1);
  const auto y = axis_cells(pyramid.footprint, pyramid.size.height, level, begin.y, end.y - 1);
  return {{x[0], y[0]}, {x[1], y[1]}};
}

uint32_t texels_level(const DepthPyramid& pyramid, const TexelRect& texels) {
  const uint32_t longest = std::max(texels.end.x - texels.begin.x, texels.end.y - texels.begin.y);
  uint32_t level = longest > 1 ? highest_bit(longest - 1) + 1 : 0;
  if (level > 0 && fits_four(texels_cells(pyramid, level - 1, texels))) level -= 1;
  return std::max(level, pyramid.first_level);
}

uint32_t rect_level(const DepthPyramid& pyramid, const CoordinateRect& rect) {
  const TexelRect texels = rect_texels(pyramid.size, rect);
  return texels_empty(texels) ? pyramid.last_level + 1 : texels_level(pyramid, texels);
}

QueryCells query_cells(const DepthPyramid& pyramid, const TexelRect& texels) {
  QueryCells query{pyramid.last_level, {}, false};
  if (texels_empty(texels)) return query;
  query.level = std::min(texels_level(pyramid, texels), pyramid.last_level);
  query.cells = texels_cells(pyramid, query.level, texels);
  query.fits = fits_four(query.cells);
  return query;
}

Float2 sample_point(const DepthPyramid& pyramid, const QueryCells& query) {
  const Extent count = level_size(pyramid.size, query.level);
  const auto& [first, last] = query.cells;
  return {0.5F * static_cast<float>(first.x + last.x + 1) / static_cast<float>(count.width),
          0.5F * static_cast<float>(first.y + last.y + 1) / static_cast<float>(count.height)};
}

}  // namespace onepass::depth_query
