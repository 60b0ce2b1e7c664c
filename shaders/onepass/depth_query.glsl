// depth_query.glsl: queries of a depth pyramid: is a rectangle, box or sphere hidden, is a particle certainly visible,
// where does a ray hit. For any shader stage; the C++ version is onepass/depth_query.hpp.
//
// A pyramid of farthest depths (max with standard depth, min with reversed) answers "hidden?": an object is hidden if
// its nearest point lies behind the farthest depth of all texels that it covers. Four cells (texels of a level) of a
// suitable level cover any rectangle, so four loads answer. A pyramid of nearest depths answers "certainly visible?",
// and rays march through it.
//
//          object's rectangle                 the finest level where four cells cover it
//         +--------------+                    +--------+--------+
//     ....|..............|....                |   ##########    |   hidden if the nearest point of the object
//     ....|..............|....       --->     +---##########----+   is behind the farthest of the four
//     ....+--------------+....                |   ##########    |
//                                             +--------+--------+
//
// All answers are one-sided. An unknown object (it crosses the near plane, is outside the image or has a NaN) is never
// hidden and never certainly visible. Depths in the pyramid must be numbers. Answers hold for the pyramid's base and
// the depth buffer that it stands for.
//
// Define before including, as far as the functions in use need them:
//     ONEPASS_LOAD_FARTHEST(level, cell)     float: farthest depth of a cell, level in first_level..last_level
//     ONEPASS_LOAD_NEAREST(level, cell)      float: nearest depth of a cell
//     ONEPASS_SAMPLE_FARTHEST(level, at)     float: farthest depth by a reduction sampler at coordinate `at`: linear
//     ONEPASS_SAMPLE_NEAREST(level, at)      filter, nearest mip, clamped to the edge, explicit level, mode MAX for
//                                            farthest with standard depth or nearest with reversed, else MIN
//     ONEPASS_LOAD_TILE(tile)                float: nearest depth of a tile of a tile-reduced image
// These are macros, expressions or names of functions declared before the inclusion:
//     layout(binding = 0) uniform sampler2D hiz;
//     #define ONEPASS_LOAD_FARTHEST(level, cell) texelFetch(hiz, ivec2(cell), int(level)).r
//     #include "onepass/depth_query.glsl"
// Needs GL_GOOGLE_include_directive, GLSL 4.50 and Vulkan 1.0. Can be included together with pyramid.glsl.
#ifndef ONEPASS_DEPTH_QUERY_GLSL_
#define ONEPASS_DEPTH_QUERY_GLSL_

#include "onepass/depth_query_cells.glsl"
#include "onepass/depth_query_half.glsl"
#include "onepass/depth_query_projection.glsl"
#include "onepass/prelude_names.glsl"

/// True if `a` is strictly nearer than `b`; false for NaN.
bool onepass_is_nearer(float a, float b, bool reversed_z) { return reversed_z ? a > b : a < b; }

float onepass_farther(float a, float b, bool reversed_z) { return reversed_z ? min(a, b) : max(a, b); }
float onepass_nearer(float a, float b, bool reversed_z) { return reversed_z ? max(a, b) : min(a, b); }

/// The farthest depth of a query that cannot tell: beyond every depth.
float onepass_unknown_farthest(bool reversed_z) { return reversed_z ? -ONEPASS_MOST : ONEPASS_MOST; }
/// The nearest depth of a query that cannot tell: in front of every depth.
float onepass_unknown_nearest(bool reversed_z) { return reversed_z ? ONEPASS_MOST : -ONEPASS_MOST; }

/// The four (or fewer) cells to load for a rectangle of base texels: their level, the first cell in xy, the last in zw.
/// False: the rectangle is empty, or four cells of last_level do not cover it.
bool onepass_query_cells(OnepassDepthPyramid pyramid, uint4 texels, ONEPASS_OUT(uint) level, ONEPASS_OUT(uint4) cells) {
  level = pyramid.last_level;
  cells = uint4(0u, 0u, 0u, 0u);
  if (onepass_texels_empty(texels)) return false;
  level = min(onepass_texels_level(pyramid, texels), pyramid.last_level);
  cells = onepass_texels_cells(pyramid, level, texels);
  return onepass_fits_four(cells);
}

// The coordinate at which a linear filter reads all cells: the corner they share, or the middle of the only one. Along
// an axis with two cells both weights are 1/2, so that rounding of coordinates to sub-texels (at least 4 bits, usually
// 8) makes neither of them zero. Along an axis with one cell its neighbours have a weight of about zero: whether a
// device reads them is not defined, and can only make the answer more conservative.
float2 onepass_sample_point(OnepassDepthPyramid pyramid, uint level, uint4 cells) {
  return 0.5 * float2(cells.xy + cells.zw + uint2(1u, 1u)) / float2(onepass_level_size2(pyramid.size, level));
}

#ifdef ONEPASS_LOAD_FARTHEST
/// The farthest depth of a rectangle of base texels, begin in xy, end in zw, by four loads.
/// Promise: no texel in it is farther, with covering, edge and tight; with aligned a texel may be, at odd sizes. Texels
/// around the rectangle count as well, as far as the four cells reach. Unsure: onepass_unknown_farthest.
float onepass_texels_farthest(OnepassDepthPyramid pyramid, uint4 texels) {
  uint level;
  uint4 cells;
  if (!onepass_query_cells(pyramid, texels, level, cells)) return onepass_unknown_farthest(pyramid.reversed_z);
  float top = onepass_farther(ONEPASS_LOAD_FARTHEST(level, cells.xy), ONEPASS_LOAD_FARTHEST(level, cells.zy),
                              pyramid.reversed_z);
  float bottom = onepass_farther(ONEPASS_LOAD_FARTHEST(level, cells.xw), ONEPASS_LOAD_FARTHEST(level, cells.zw),
                                 pyramid.reversed_z);
  return onepass_farther(top, bottom, pyramid.reversed_z);
}

/// The same for a rectangle of coordinates; see onepass_rect_texels.
float onepass_rect_farthest(OnepassDepthPyramid pyramid, float4 rect) {
  return onepass_texels_farthest(pyramid, onepass_rect_texels(pyramid.size, rect));
}

/// Is everything at depth `nearest` and behind it hidden at all of these base texels?
/// Promise: true only if every texel is strictly nearer, with covering, edge and tight. Unsure: false.
bool onepass_texels_occluded(OnepassDepthPyramid pyramid, uint4 texels, float nearest) {
  return onepass_is_nearer(onepass_texels_farthest(pyramid, texels), nearest, pyramid.reversed_z);
}

/// The same for a rectangle of coordinates. The part outside the image does not count; all outside: false.
bool onepass_rect_occluded(OnepassDepthPyramid pyramid, float4 rect, float nearest) {
  return onepass_texels_occluded(pyramid, onepass_rect_texels(pyramid.size, rect), nearest);
}

/// Is a box hidden, seen through `clip_of_world`? See onepass_project_box. Promise: as onepass_rect_occluded for its
/// rectangle and nearest depth. False if it crosses the near plane, lies behind the camera or outside the image.
bool onepass_box_occluded(OnepassDepthPyramid pyramid, float4x4 clip_of_world, float3 low, float3 high) {
  OnepassBounds bounds = onepass_project_box(clip_of_world, low, high, pyramid.reversed_z);
  return bounds.known && onepass_rect_occluded(pyramid, bounds.rect, bounds.nearest);
}

/// Is a sphere hidden? `center` in view space: x, y, distance. Promise: as onepass_box_occluded.
bool onepass_sphere_occluded(OnepassDepthPyramid pyramid, OnepassProjection projection, float3 center, float radius) {
  OnepassBounds bounds = onepass_project_sphere(projection, center, radius);
  return bounds.known && onepass_rect_occluded(pyramid, bounds.rect, bounds.nearest);
}
#endif

#ifdef ONEPASS_LOAD_NEAREST
/// The nearest depth of a rectangle of base texels by four loads; promise as onepass_texels_farthest, mirrored.
float onepass_texels_nearest(OnepassDepthPyramid pyramid, uint4 texels) {
  uint level;
  uint4 cells;
  if (!onepass_query_cells(pyramid, texels, level, cells)) return onepass_unknown_nearest(pyramid.reversed_z);
  float top =
      onepass_nearer(ONEPASS_LOAD_NEAREST(level, cells.xy), ONEPASS_LOAD_NEAREST(level, cells.zy), pyramid.reversed_z);
  float bottom =
      onepass_nearer(ONEPASS_LOAD_NEAREST(level, cells.xw), ONEPASS_LOAD_NEAREST(level, cells.zw), pyramid.reversed_z);
  return onepass_nearer(top, bottom, pyramid.reversed_z);
}

/// The same for a rectangle of coordinates.
float onepass_rect_nearest(OnepassDepthPyramid pyramid, float4 rect) {
  return onepass_texels_nearest(pyramid, onepass_rect_texels(pyramid.size, rect));
}

/// Is a point at a base texel certainly visible, by one load of one level? For particles: only a particle with the
/// answer false needs the full depth buffer. Level 4 is a good choice; the level is clamped to first_level..last_level.
/// Promise: true only if the texel's depth is behind `depth`, with covering, edge and tight. Unsure: false.
bool onepass_certainly_visible(OnepassDepthPyramid pyramid, uint level, uint2 texel, float depth) {
  uint there = min(max(level, pyramid.first_level), pyramid.last_level);
  uint2 cell = onepass_cell_of_texel(pyramid.footprint, pyramid.size, there, texel);
  return onepass_is_nearer(depth, ONEPASS_LOAD_NEAREST(there, cell), pyramid.reversed_z);
}
#endif

#ifdef ONEPASS_LOAD_TILE
/// The same against a tile-reduced image of nearest depths, of ceil(base size / factor) tiles.
bool onepass_tile_certainly_visible(uint2 texel, uint factor, float depth, bool reversed_z) {
  return onepass_is_nearer(depth, ONEPASS_LOAD_TILE(onepass_tile_of_texel(texel, factor)), reversed_z);
}
#endif

#ifdef ONEPASS_SAMPLE_FARTHEST
/// onepass_texels_farthest by one sample of a reduction sampler. Promise: the same, but up to one cell more
/// conservative.
float onepass_texels_farthest_sampled(OnepassDepthPyramid pyramid, uint4 texels) {
  uint level;
  uint4 cells;
  if (!onepass_query_cells(pyramid, texels, level, cells)) return onepass_unknown_farthest(pyramid.reversed_z);
  return ONEPASS_SAMPLE_FARTHEST(level, onepass_sample_point(pyramid, level, cells));
}

/// onepass_texels_occluded by one sample.
bool onepass_texels_occluded_sampled(OnepassDepthPyramid pyramid, uint4 texels, float nearest) {
  return onepass_is_nearer(onepass_texels_farthest_sampled(pyramid, texels), nearest, pyramid.reversed_z);
}
#endif

#ifdef ONEPASS_SAMPLE_NEAREST
/// onepass_texels_nearest by one sample of a reduction sampler.
float onepass_texels_nearest_sampled(OnepassDepthPyramid pyramid, uint4 texels) {
  uint level;
  uint4 cells;
  if (!onepass_query_cells(pyramid, texels, level, cells)) return onepass_unknown_nearest(pyramid.reversed_z);
  return ONEPASS_SAMPLE_NEAREST(level, onepass_sample_point(pyramid, level, cells));
}
#endif

#ifdef ONEPASS_LOAD_NEAREST
#include "onepass/depth_query_march.glsl"
#include "onepass/prelude_names.glsl"
#endif

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_DEPTH_QUERY_GLSL_
