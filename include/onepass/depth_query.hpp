// depth_query.hpp: questions to a depth pyramid on the CPU: is this rectangle, box or sphere hidden, is this particle
// certainly visible, where does this ray hit. The twin of shaders/onepass/depth_query.glsl: onepass_NAME there is
// depth_query::NAME here, with the same promises and the same answers.
//
// A pyramid of farthest depths (max with standard depth, min with reversed) answers "hidden?": an object is hidden if
// its nearest point lies behind the farthest depth of all texels that it covers. Four cells (texels of a level) of a
// well-chosen level cover any rectangle, so four loads answer. A pyramid of nearest depths answers "certainly
// visible?" and carries rays.
//
//     namespace dq = onepass::depth_query;
//     const dq::DepthPyramid pyramid = dq::full_depth_pyramid({1919, 1079}, onepass::Footprint::kCovering, false);
//     const auto farthest = [&](uint32_t level, dq::Texel cell) { return hiz[level].at(cell.x, cell.y); };
//     if (dq::box_occluded(pyramid, farthest, clip_of_world, low, high)) continue;  // do not draw it
//
// `load` is any callable float(uint32_t level, Texel cell); it is asked for levels first_level to last_level only.
// All answers are one-sided: what is unknown (near plane, outside the image, an object's NaN; the pyramid's depths are
// numbers) is never hidden and never certainly visible. Promises are for the footprints covering, edge and tight;
// aligned gives none at sizes that do not halve exactly. They hold for the pyramid's base, and for what that stands
// for. docs/depth_query.md has pictures.
//
// Errors: none; nothing here allocates or fails. Threads: no state.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "onepass/export.h"
#include "onepass/pyramid.hpp"

namespace onepass::depth_query {

/// Two coordinates.
struct Float2 {
  float x = 0;
  float y = 0;
};

/// A point of the world, or coordinates and depth.
struct Float3 {
  float x = 0;
  float y = 0;
  float z = 0;
};

/// Four columns of four, as in GLSL: element (row, column) is columns[column][row].
struct Float4x4 {
  std::array<std::array<float, 4>, 4> columns{};
};

/// A texel of the base, or a cell: a texel of a level.
struct Texel {
  uint32_t x = 0;
  uint32_t y = 0;
  friend bool operator==(const Texel&, const Texel&) = default;
};

/// A rectangle of texels or cells. Of texels: half-open. Of cells, where said: first and last.
struct TexelRect {
  Texel begin;
  Texel end;
  friend bool operator==(const TexelRect&, const TexelRect&) = default;
};

/// A rectangle of coordinates, 0 to 1 across the image, y as its rows run.
struct CoordinateRect {
  Float2 begin;
  Float2 end;
};

/// What a query must know of a depth pyramid.
struct DepthPyramid {
  Extent size;               ///< Of the pyramid's base, 1 to 65535: not that of the depth buffer, if that differs.
  uint32_t first_level = 0;  ///< Finest level that can be loaded.
  uint32_t last_level = 0;   ///< Coarsest level that can be loaded.
  Footprint footprint = Footprint::kCovering;
  bool reversed_z = false;  ///< false: 0 is near, farthest is the max. true: 1 is near, farthest is the min.
};

/// A pyramid whose levels are all there, level 0 included.
[[nodiscard]] ONEPASS_API DepthPyramid full_depth_pyramid(Extent size, Footprint footprint, bool reversed_z);

// ---- Cells. Their sizes are level_size() of pyramid.hpp.

/// The cell of a coordinate (beyond 0 to 1 is clamped; NaN is 0) on a level, by coordinate: floor(coordinate * size).
/// Promise: with covering its value bounds what this finds at the same coordinate on every finer level, up to 32768
/// texels a side, where floats still tell coordinates apart. With tight the same against level 0, but for coordinates
/// within rounding of a wall: use cell_of_texel. None with edge and aligned.
[[nodiscard]] ONEPASS_API Texel cell(Extent size, uint32_t level, Float2 coordinate);

/// The part of the image that a cell is looked up from by coordinate, its walls k / level size rounded to nearest.
[[nodiscard]] ONEPASS_API CoordinateRect cell_bounds(Extent size, uint32_t level, Texel cell);

/// The cell of a base texel, by texel.
/// Promise: with covering, edge and tight the texel is one of those the cell stands for. Cells of neighbouring texels
/// are the same or neighbours, so that cells first to last cover all texels between. None with aligned at odd sizes.
[[nodiscard]] ONEPASS_API Texel cell_of_texel(Footprint footprint, Extent size, uint32_t level, Texel texel);

/// The base texels that a cell stands for. Exact for every footprint.
[[nodiscard]] ONEPASS_API TexelRect cell_texels(Footprint footprint, Extent size, uint32_t level, Texel cell);

/// The texel of a tile-reduced image (every texel stands for factor x factor of the base) that a base texel is in.
[[nodiscard]] ONEPASS_API Texel tile_of_texel(Texel texel, uint32_t factor);

/// The base texels that a rectangle of coordinates meets; empty where it is outside the image or inside out.
/// Promise: no texel that the exact rectangle touches is missing; a rectangle that ends within 2^-22 of the image of a
/// texel's border takes the neighbour too. NaN takes all.
[[nodiscard]] ONEPASS_API TexelRect rect_texels(Extent size, const CoordinateRect& rect);

/// Is there no texel in it?
[[nodiscard]] ONEPASS_API bool texels_empty(const TexelRect& texels);

/// The fewest cells, first and last, that cover a rectangle of base texels (not empty) on a level.
[[nodiscard]] ONEPASS_API TexelRect texels_cells(const DepthPyramid& pyramid, uint32_t level, const TexelRect& texels);

/// The level to test a rectangle of base texels (not empty) on, so that four cells cover it: the one whose cells are at
/// least as long as the rectangle, or the next finer where four of its cells happen to do.
/// Never finer than first_level. May be coarser than last_level: then four cells are not enough.
[[nodiscard]] ONEPASS_API uint32_t texels_level(const DepthPyramid& pyramid, const TexelRect& texels);

/// As texels_level for a rectangle of coordinates; last_level + 1 where it is outside the image.
[[nodiscard]] ONEPASS_API uint32_t rect_level(const DepthPyramid& pyramid, const CoordinateRect& rect);

// ---- Depths

/// Is `a` strictly nearer than `b`? No for NaN.
[[nodiscard]] inline bool is_nearer(float a, float b, bool reversed_z) { return reversed_z ? a > b : a < b; }

/// The farther of two depths.
[[nodiscard]] inline float farther(float a, float b, bool reversed_z) {
  return reversed_z ? std::min(a, b) : std::max(a, b);
}
/// The nearer of two depths.
[[nodiscard]] inline float nearer(float a, float b, bool reversed_z) { return farther(a, b, !reversed_z); }

/// What queries for the farthest depth return when they do not know: beyond every depth.
[[nodiscard]] ONEPASS_API float unknown_farthest(bool reversed_z);
/// What queries for the nearest depth return when they do not know: in front of every depth.
[[nodiscard]] ONEPASS_API float unknown_nearest(bool reversed_z);

/// Bits of the smallest half that is not below `value`; infinity above 65504. NaN stays NaN.
[[nodiscard]] ONEPASS_API uint16_t half_up(float value);
/// Bits of the largest half that is not above `value`; minus infinity below -65504. NaN stays NaN.
[[nodiscard]] ONEPASS_API uint16_t half_down(float value);
/// For a farthest depth: bits of the nearest half at or behind `depth`.
[[nodiscard]] ONEPASS_API uint16_t half_farther(float depth, bool reversed_z);
/// For a nearest depth: bits of the farthest half at or in front of `depth`.
[[nodiscard]] ONEPASS_API uint16_t half_nearer(float depth, bool reversed_z);

// ---- Projection

/// How view space becomes coordinates and depth. View space: x to the right, y down, distance forward (as Vulkan's clip
/// space; negate what runs the other way). Normalised device coordinates are scale * x / distance + offset, or
/// scale * x + offset if orthographic; coordinates are half of that plus 0.5.
struct Projection {
  Float2 scale{1, 1};
  Float2 offset{};       ///< Off-centre frusta, jitter.
  float near_plane = 0;  ///< Distance, > 0 for perspectives.
  float far_plane = 0;   ///< Distance; 0: a perspective without one.
  bool orthographic = false;
  bool reversed_z = false;  ///< Near is depth 1.
};

/// What an object can cover, seen from the eye.
struct Bounds {
  CoordinateRect rect;  ///< May lie outside the image.
  float nearest = 0;    ///< The depth of its nearest point, or nearer.
  bool known = false;   ///< False: it crosses the near plane or lies behind; the other members mean nothing.
};

/// Depth of a distance between the planes. Within 4 ULP.
[[nodiscard]] ONEPASS_API float depth_of_distance(const Projection& projection, float distance);

/// Distance of a depth in 0 to 1 (linear depth). Within 8 ULP. The largest float for an infinite distance.
[[nodiscard]] ONEPASS_API float distance_of_depth(const Projection& projection, float depth);

/// Bounds of a sphere given in view space, `center` as x, y, distance; radius >= 0.
/// Promise: no point of the sphere is outside the rectangle or nearer than `nearest`. The rectangle is the tightest
/// there is, but for rounding. Not known where the sphere touches the near plane or lies behind it, or where a number
/// is not finite.
/// Source: M. Mara, M. McGuire, "2D Polyhedral Bounds of a Clipped, Perspective-Projected 3D Sphere", JCGT, 2013.
[[nodiscard]] ONEPASS_API Bounds project_sphere(const Projection& projection, Float3 center, float radius);

/// Bounds of the box between two corners, low.x <= high.x and so on, through a matrix to Vulkan's clip space
/// (0 <= z <= w, y as the image runs), perspective or orthographic.
/// Promise: no point of the box is outside the rectangle or nearer than `nearest`. Not known where a corner is in front
/// of the near plane (z < 0, reversed z > w) or w <= 0, within rounding, or where a number is not finite.
[[nodiscard]] ONEPASS_API Bounds project_box(const Float4x4& clip_of_world, Float3 low, Float3 high, bool reversed_z);

// ---- Queries

/// The four (or fewer) cells to load for a rectangle of base texels: their level, the first and the last. `fits` is
/// false when the rectangle is empty or four cells of last_level do not cover it.
struct QueryCells {
  uint32_t level = 0;
  TexelRect cells;
  bool fits = false;
};

/// The cells to load for a rectangle of base texels.
[[nodiscard]] ONEPASS_API QueryCells query_cells(const DepthPyramid& pyramid, const TexelRect& texels);

/// Where a linear filter takes all those cells: the corner that they share, or the middle of the only one.
[[nodiscard]] ONEPASS_API Float2 sample_point(const DepthPyramid& pyramid, const QueryCells& query);

/// The farthest depth of a rectangle of base texels by four loads.
/// Promise: no texel in it is farther. Unsure: unknown_farthest.
template <typename Load>
[[nodiscard]] float texels_farthest(const DepthPyramid& pyramid, const Load& load, const TexelRect& texels) {
  const QueryCells query = query_cells(pyramid, texels);
  if (!query.fits) return unknown_farthest(pyramid.reversed_z);
  const auto& [first, last] = query.cells;
  const bool reversed = pyramid.reversed_z;
  return farther(farther(load(query.level, first), load(query.level, Texel{last.x, first.y}), reversed),
                 farther(load(query.level, Texel{first.x, last.y}), load(query.level, last), reversed), reversed);
}

/// The nearest depth, likewise.
template <typename Load>
[[nodiscard]] float texels_nearest(const DepthPyramid& pyramid, const Load& load, const TexelRect& texels) {
  DepthPyramid mirrored = pyramid;
  mirrored.reversed_z = !pyramid.reversed_z;
  return texels_farthest(mirrored, load, texels);
}

/// The farthest depth of a rectangle of coordinates; see rect_texels.
template <typename Load>
[[nodiscard]] float rect_farthest(const DepthPyramid& pyramid, const Load& load, const CoordinateRect& rect) {
  return texels_farthest(pyramid, load, rect_texels(pyramid.size, rect));
}
/// The nearest depth of a rectangle of coordinates; see rect_texels.
template <typename Load>
[[nodiscard]] float rect_nearest(const DepthPyramid& pyramid, const Load& load, const CoordinateRect& rect) {
  return texels_nearest(pyramid, load, rect_texels(pyramid.size, rect));
}

/// texels_farthest by one sample of a reduction sampler, a callable float(uint32_t level, Float2 coordinate).
/// Promise: the same, or up to one cell more careful, whatever the sampler does with texels of weight zero and however
/// it rounds coordinates, to a quarter of a cell.
template <typename Sample>
[[nodiscard]] float texels_farthest_sampled(const DepthPyramid& pyramid, const Sample& sample,
                                            const TexelRect& texels) {
  const QueryCells query = query_cells(pyramid, texels);
  return query.fits ? sample(query.level, sample_point(pyramid, query)) : unknown_farthest(pyramid.reversed_z);
}
/// texels_nearest by one sample, likewise.
template <typename Sample>
[[nodiscard]] float texels_nearest_sampled(const DepthPyramid& pyramid, const Sample& sample, const TexelRect& texels) {
  const QueryCells query = query_cells(pyramid, texels);
  return query.fits ? sample(query.level, sample_point(pyramid, query)) : unknown_nearest(pyramid.reversed_z);
}

/// Is everything at depth `nearest` and behind it hidden at all of these base texels?
/// Promise: true only if every one of them is strictly nearer. Unsure: false.
template <typename Load>
[[nodiscard]] bool texels_occluded(const DepthPyramid& pyramid, const Load& load, const TexelRect& texels,
                                   float nearest) {
  return is_nearer(texels_farthest(pyramid, load, texels), nearest, pyramid.reversed_z);
}

/// The same for a rectangle of coordinates. The part outside the image does not count; all outside: false.
template <typename Load>
[[nodiscard]] bool rect_occluded(const DepthPyramid& pyramid, const Load& load, const CoordinateRect& rect,
                                 float nearest) {
  return texels_occluded(pyramid, load, rect_texels(pyramid.size, rect), nearest);
}

/// Is a box hidden? See project_box. False if it crosses the near plane, lies behind the camera or outside the image.
template <typename Load>
[[nodiscard]] bool box_occluded(const DepthPyramid& pyramid, const Load& load, const Float4x4& clip_of_world,
                                Float3 low, Float3 high) {
  const Bounds bounds = project_box(clip_of_world, low, high, pyramid.reversed_z);
  return bounds.known && rect_occluded(pyramid, load, bounds.rect, bounds.nearest);
}

/// Is a sphere hidden? `center` in view space: x, y, distance. Promise: as box_occluded.
template <typename Load>
[[nodiscard]] bool sphere_occluded(const DepthPyramid& pyramid, const Load& load, const Projection& projection,
                                   Float3 center, float radius) {
  const Bounds bounds = project_sphere(projection, center, radius);
  return bounds.known && rect_occluded(pyramid, load, bounds.rect, bounds.nearest);
}

/// Is a point at a base texel certainly visible, by one load of a nearest depth? For particles: only those that this
/// cannot tell need the full depth buffer. Levels that are not there become the next that is.
/// Promise: true only if the texel's depth is behind `depth`. Unsure: false.
template <typename Load>
[[nodiscard]] bool certainly_visible(const DepthPyramid& pyramid, const Load& load, uint32_t level, Texel texel,
                                     float depth) {
  const uint32_t there = std::min(std::max(level, pyramid.first_level), pyramid.last_level);
  const Texel cell = cell_of_texel(pyramid.footprint, pyramid.size, there, texel);
  return is_nearer(depth, load(there, cell), pyramid.reversed_z);
}

/// The same against a tile-reduced image of nearest depths; `load` is a callable float(Texel tile).
template <typename Load>
[[nodiscard]] bool tile_certainly_visible(const Load& load, Texel texel, uint32_t factor, float depth,
                                          bool reversed_z) {
  return is_nearer(depth, load(tile_of_texel(texel, factor)), reversed_z);
}

// ---- Rays

/// What has become of a ray.
enum class RayState : uint32_t {
  kMarching,
  kHit,     ///< It went behind the depth of `texel` at time t.
  kMissed,  ///< It came to its end or to the border of the image.
};

/// A ray on its way. Where it leaves a cell it leaves the base texels that the cell stands for, and all times are times
/// of walls of the base, whatever the level: so it visits no other texel than it would without a pyramid.
struct Ray {
  Float3 origin;       ///< Base texels, base texels, depth.
  Float3 direction;    ///< The same, from time 0 to 1.
  Float2 inverse;      ///< 1 / direction, 0 where it does not move.
  float t = 0;         ///< How far it has come.
  Texel texel;         ///< The base texel it is in.
  uint32_t level = 0;  ///< The level to look at next.
  RayState state = RayState::kMissed;
};

/// A ray from one point to another (coordinates and depth; straight lines in the world are straight here under any
/// projection). It ends at `to`: clip it in the world first. A ray that starts outside the image has missed.
[[nodiscard]] ONEPASS_API Ray ray_begin(const DepthPyramid& pyramid, Float3 from, Float3 to);

/// The point of the ray at its time: coordinates and depth.
[[nodiscard]] ONEPASS_API Float3 ray_point(const DepthPyramid& pyramid, const Ray& ray);

/// The cell that a ray looks at next.
[[nodiscard]] ONEPASS_API Texel ray_cell(const DepthPyramid& pyramid, const Ray& ray);
/// What the ray does when it knows the nearest depth of that cell.
ONEPASS_API void ray_advance(const DepthPyramid& pyramid, Ray& ray, Texel cell, float nearest);

/// One step: loads one nearest depth; leaves the cell, goes a level down, or hits.
/// Promise: the ray hits the base texel (and at the time) that it would hit on level 0 alone: the first one, in its
/// order, whose depth is not behind all of the ray within it. Where level 0 is not there, a cell of first_level that
/// the ray goes behind, not later than it would hit on level 0. Source: Y. Uludag, "Hi-Z Screen-Space Cone-Traced
/// Reflections", GPU Pro 5, 2014, with exact walls at every size.
template <typename Load>
void ray_step(const DepthPyramid& pyramid, const Load& load, Ray& ray) {
  const Texel cell = ray_cell(pyramid, ray);
  ray_advance(pyramid, ray, cell, load(ray.level, cell));
}

/// Marches until the ray hits, misses, or has taken max_steps steps: then its state is still kMarching, and nothing
/// before its time was hit. Whether what it hit is thick enough to stop it is for the caller to decide.
template <typename Load>
[[nodiscard]] Ray march(const DepthPyramid& pyramid, const Load& load, Float3 from, Float3 to, uint32_t max_steps) {
  Ray ray = ray_begin(pyramid, from, to);
  for (uint32_t i = 0; i < max_steps && ray.state == RayState::kMarching; ++i) ray_step(pyramid, load, ray);
  return ray;
}

}  // namespace onepass::depth_query
