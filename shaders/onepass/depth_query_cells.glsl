// depth_query_cells.glsl: the cells of a level that hold a coordinate, a texel or a rectangle. A cell is a texel of a
// level. Loads nothing. Part of depth_query.glsl.
//
// There are two ways to look up a cell, and one query must not mix them. At base size 7, level 1 has 3 cells:
//
//     base texels          |  0  |  1  |  2  |  3  |  4  |  5  |  6  |
//     by coordinate        |------ 0 ----|------ 1 ----|------ 2 ----|     boundaries at k/3 of the image
//     by texel             |---- 0 ----|---- 1 ----|------- 2 -------|     boundaries at 2k texels, the last is longer
//
// By coordinate is right for covering only (and for all footprints at sizes that halve exactly). By texel is right for
// covering, edge and tight (which has other boundaries), in integers. depth_query.glsl looks up by texel.
#ifndef ONEPASS_DEPTH_QUERY_CELLS_GLSL_
#define ONEPASS_DEPTH_QUERY_CELLS_GLSL_

#include "onepass/pyramid_footprint.glsl"
#include "onepass/prelude_names.glsl"

/// The shape of a depth pyramid. Where members are constants, compilers remove the code that is not needed.
struct OnepassDepthPyramid {
  uint2 size;        // of the pyramid's base, 1 to 65535; the depth buffer it was made from may have another size
  uint first_level;  // finest level that can be loaded: 0, or 1 where the pyramid image begins with level 1
  uint last_level;   // coarsest level that can be loaded
  uint footprint;    // ONEPASS_COVERING, ONEPASS_TIGHT or ONEPASS_EDGE; ONEPASS_ALIGNED has no promises at odd sizes
  bool reversed_z;   // false: 0 is near, farthest is the max. true: 1 is near, farthest is the min
};

/// A pyramid that has all levels, level 0 included.
OnepassDepthPyramid onepass_full_depth_pyramid(uint2 size, uint footprint, bool reversed_z) {
  OnepassDepthPyramid pyramid;
  pyramid.size = size;
  pyramid.first_level = 0u;
  pyramid.last_level = onepass_highest_bit(max(size.x, size.y));
  pyramid.footprint = footprint;
  pyramid.reversed_z = reversed_z;
  return pyramid;
}

// NaN becomes 0.
uint onepass_axis_cell(uint count, float coordinate) {
  float at = coordinate * float(count);
  return at > 0.0 ? uint(min(at, float(count - 1u))) : 0u;
}

/// The cell of a coordinate (clamped to 0 to 1) on a level, by coordinate.
/// Promise: with covering its value bounds the values of the cells that this function returns for the same coordinate
/// on every finer level, up to 32768 texels per side. With tight it bounds those of level 0, except for coordinates
/// within rounding of a boundary: use onepass_cell_of_texel. No promise with edge and aligned.
uint2 onepass_cell(uint2 size, uint level, float2 coordinate) {
  uint2 count = onepass_level_size2(size, level);
  return uint2(onepass_axis_cell(count.x, coordinate.x), onepass_axis_cell(count.y, coordinate.y));
}

/// The coordinates for which onepass_cell returns a cell: begin in xy, end in zw, each within rounding of the
/// boundaries k / level size. (Not k * 2^level / size: those are the boundaries of another convention.)
float4 onepass_cell_bounds(uint2 size, uint level, uint2 cell) {
  float2 count = float2(onepass_level_size2(size, level));
  return float4(float2(cell) / count, float2(cell + uint2(1u, 1u)) / count);
}

uint onepass_axis_cell_of_texel(uint footprint, uint size, uint level, uint texel) {
  uint count = onepass_level_size(size, level);
  if (footprint == ONEPASS_TIGHT) return texel * count / size;
  return min(texel >> level, count - 1u);
}

/// The cell of a base texel, by texel.
/// Promise: with covering, edge and tight the cell stands for the texel. Cells of neighbouring texels are the same or
/// neighbours, so that cells first to last cover all texels between. None with aligned at odd sizes.
uint2 onepass_cell_of_texel(uint footprint, uint2 size, uint level, uint2 texel) {
  return uint2(onepass_axis_cell_of_texel(footprint, size.x, level, texel.x),
               onepass_axis_cell_of_texel(footprint, size.y, level, texel.y));
}

/// The base texels that a cell stands for, begin in xy, end in zw. Exact for every footprint.
uint4 onepass_cell_texels(uint footprint, uint2 size, uint level, uint2 cell) {
  uint2 x = onepass_footprint_range(footprint, size.x, level, cell.x);
  uint2 y = onepass_footprint_range(footprint, size.y, level, cell.y);
  return uint4(x.x, y.x, x.y, y.y);
}

/// The texel of a tile-reduced image that a base texel is in. Every texel stands for factor x factor base texels.
uint2 onepass_tile_of_texel(uint2 texel, uint factor) { return texel / factor; }

uint2 onepass_axis_texels(float begin, float end, uint size) {
  float count = float(size);
  // Wider by four times the rounding error of coordinates and products.
  float slack = count * 2.384185791e-7;
  precise float first = begin * count - slack;  // not fused: the C++ version finds the same texels
  precise float last = end * count + slack;
  // The comparisons are false for NaN, which then gives all texels.
  return uint2(first > 0.0 ? uint(min(first, count)) : 0u, last < count ? uint(ceil(max(last, 0.0))) : size);
}

/// The base texels that a rectangle of coordinates (begin in xy, end in zw) overlaps, begin in xy, end in zw.
/// Empty (begin >= end) where the rectangle is outside the image or its end lies before its begin.
/// Promise: no texel that the exact rectangle touches is missing; a rectangle that ends within 2^-22 of the image's
/// size of a texel's edge includes the neighbour. NaN gives all texels.
uint4 onepass_rect_texels(uint2 size, float4 rect) {
  uint2 x = onepass_axis_texels(rect.x, rect.z, size.x);
  uint2 y = onepass_axis_texels(rect.y, rect.w, size.y);
  return uint4(x.x, y.x, x.y, y.y);
}

bool onepass_texels_empty(uint4 texels) { return texels.x >= texels.z || texels.y >= texels.w; }

// First and last of the fewest cells whose footprints cover base texels `begin` to `last` along an axis. Footprints
// overlap: with covering by the remainder of the size, with tight by one texel. So they reach from the last cell that
// stands for texel `begin` to the first cell that stands for texel `last`.
uint2 onepass_axis_cells(uint footprint, uint size, uint level, uint begin, uint last) {
  uint count = onepass_level_size(size, level);
  uint first_cell = onepass_axis_cell_of_texel(footprint, size, level, begin);
  uint last_cell = onepass_axis_cell_of_texel(footprint, size, level, last);
  if (footprint == ONEPASS_TIGHT) first_cell = ((begin + 1u) * count - 1u) / size;
  if (footprint == ONEPASS_COVERING) {
    uint overlap = size & ((1u << level) - 1u);
    last_cell = last >= overlap ? min((last - overlap) >> level, count - 1u) : 0u;
  }
  return uint2(first_cell, max(first_cell, last_cell));
}

/// The fewest cells of a level, first in xy, last in zw, that cover a rectangle of base texels (not empty). With
/// aligned they may not cover it, at odd sizes.
uint4 onepass_texels_cells(OnepassDepthPyramid pyramid, uint level, uint4 texels) {
  uint2 x = onepass_axis_cells(pyramid.footprint, pyramid.size.x, level, texels.x, texels.z - 1u);
  uint2 y = onepass_axis_cells(pyramid.footprint, pyramid.size.y, level, texels.y, texels.w - 1u);
  return uint4(x.x, y.x, x.y, y.y);
}

bool onepass_fits_four(uint4 cells) { return cells.z - cells.x <= 1u && cells.w - cells.y <= 1u; }

/// The level on which four cells cover a rectangle of base texels (not empty): the finest one with cells at least as
/// long as the rectangle, or the next finer one where four of its cells suffice too.
/// Never finer than first_level. May be coarser than last_level: then four cells are not enough.
uint onepass_texels_level(OnepassDepthPyramid pyramid, uint4 texels) {
  uint longest = max(texels.z - texels.x, texels.w - texels.y);
  uint level = longest > 1u ? onepass_highest_bit(longest - 1u) + 1u : 0u;
  if (level > 0u && onepass_fits_four(onepass_texels_cells(pyramid, level - 1u, texels))) level -= 1u;
  return max(level, pyramid.first_level);
}

/// As onepass_texels_level, for a rectangle of coordinates; last_level + 1 where it is outside the image.
uint onepass_rect_level(OnepassDepthPyramid pyramid, float4 rect) {
  uint4 texels = onepass_rect_texels(pyramid.size, rect);
  return onepass_texels_empty(texels) ? pyramid.last_level + 1u : onepass_texels_level(pyramid, texels);
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_DEPTH_QUERY_CELLS_GLSL_
