// depth_query.hpp: queries on a depth pyramid on the CPU: whether a rectangle, box or sphere is hidden, whether a
// particle is certainly visible, and where a ray hits. The CPU version of shaders/onepass/depth_query.glsl:
// onepass_NAME there is depth_query::NAME here, with the same guarantees and the same results.
//
// A pyramid of farthest depths (max with standard depth, min with reversed depth) answers "hidden?": an object is
// hidden if its nearest point lies behind the farthest depth of all texels that it covers. Any rectangle is covered by
// four cells (texels of a level) of a suitable level, so four loads are enough. A pyramid of nearest depths answers
// "certainly visible?" and serves ray marches.
//
//     namespace dq = onepass::depth_query;
//     const dq::DepthPyramid pyramid = dq::full_depth_pyramid({1919, 1079}, onepass::Footprint::kCovering, false);
//     const auto farthest = [&](uint32_t level, dq::Texel cell) { return hiz[level].at(cell.x, cell.y); };
//     if (dq::box_occluded(pyramid, farthest, clip_of_world, low, high)) continue;  // do not draw it
//
// `load` is any callable float(uint32_t level, Texel cell); it is called only for levels first_level to last_level. All
// results are conservative: an unknown object (near plane, outside the image, NaN) is never hidden and never certainly
// visible. The depths of the pyramid must not be NaN. Guarantees hold for the footprints covering, edge and tight; for
// aligned only at sizes that halve exactly. They hold for the texels of the pyramid's base, and for the texels that
// these represent. docs/depth_query.md has pictures.
//
// Errors: none; no function allocates memory or fails. Threads: any number of calls at once, there is no state.
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

/// A point in the world, or two coordinates and a depth.
struct Float3 {
  float x = 0;
  float y = 0;
  float z = 0;
};

/// Four columns of four elements, as in GLSL: element (row, column) is columns[column][row].
struct Float4x4 {
  std::array<std::array<float, 4>, 4> columns{};
};

/// A texel of the base, or a cell: a texel of a level.
struct Texel {
  uint32_t x = 0;
  uint32_t y = 0;
  friend bool operator==(const Texel&, const Texel&) = default;
};

/// A rectangle of texels or cells. Texels: half-open. Cells, where stated: first and last.
struct TexelRect {
  Texel begin;
  Texel end;
  friend bool operator==(const TexelRect&, const TexelRect&) = default;
};

/// A rectangle of coordinates: 0 to 1 across the image, y in the direction of the rows.
struct CoordinateRect {
  Float2 begin;
  Float2 end;
};

/// Properties of a depth pyramid that queries need.
struct DepthPyramid {
  Extent size;               ///< Size of the pyramid's base, 1 to 65535; the depth buffer can have another size.
  uint32_t first_level = 0;  ///< Finest level that can be loaded.
  uint32_t last_level = 0;   ///< Coarsest level that can be loaded.
  Footprint footprint = Footprint::kCovering;
  bool reversed_z = false;  ///< false: 0 is near, the farthest depth is the max. true: 1 is near, the farthest depth is
                            ///< the min.
};

/// A pyramid with all levels, including level 0.
[[nodiscard]] ONEPASS_API DepthPyramid full_depth_pyramid(Extent size, Footprint footprint, bool reversed_z);

// ---- Cells. Levels have the sizes given by level_size() of pyramid.hpp.

/// The cell of a level at a coordinate, by coordinate: floor(coordinate * size). Coordinates are clamped to 0..1; NaN
/// counts as 0.
/// Guarantee: with covering, the cell's value bounds the values found at the same coordinate on every finer level, up
/// to 32768 texels per side (above that, floats cannot resolve the coordinates). With tight, it bounds level 0, except
/// for coordinates within rounding error of a cell boundary: use cell_of_texel. None with edge and aligned.
[[nodiscard]] ONEPASS_API Texel cell(Extent size, uint32_t level, Float2 coordinate);

/// The part of the image in which lookup by coordinate finds a cell; its boundaries k / level size are rounded to
/// nearest.
[[nodiscard]] ONEPASS_API CoordinateRect cell_bounds(Extent size, uint32_t level, Texel cell);

/// The cell of a level at a base texel, by texel.
/// Guarantee: with covering, edge and tight, the texel is one of those that the cell represents. The cells of
/// neighbouring texels are equal or neighbours, so the cells from first to last cover all texels in between. None with
/// aligned at odd sizes.
[[nodiscard]] ONEPASS_API Texel cell_of_texel(Footprint footprint, Extent size, uint32_t level, Texel texel);

/// The base texels that a cell represents. Exact for every footprint.
[[nodiscard]] ONEPASS_API TexelRect cell_texels(Footprint footprint, Extent size, uint32_t level, Texel cell);

/// The texel of a tile-reduced image (one texel per factor x factor base texels) that represents a base texel.
[[nodiscard]] ONEPASS_API Texel tile_of_texel(Texel texel, uint32_t factor);

/// The base texels that a rectangle of coordinates overlaps; empty if it is outside the image or its end precedes its
/// begin.
/// Guarantee: contains every texel that the exact rectangle touches. If the rectangle ends within 2^-22 of the image
/// size of a texel boundary, the neighbouring texel is included. NaN includes all texels.
[[nodiscard]] ONEPASS_API TexelRect rect_texels(Extent size, const CoordinateRect& rect);

/// Whether the rectangle contains no texel.
[[nodiscard]] ONEPASS_API bool texels_empty(const TexelRect& texels);

/// The smallest range of cells of a level, first and last, that covers a rectangle of base texels (not empty).
[[nodiscard]] ONEPASS_API TexelRect texels_cells(const DepthPyramid& pyramid, uint32_t level, const TexelRect& texels);

/// The level on which four cells cover a rectangle of base texels (not empty): the one whose cells are at least as long
/// as the rectangle, or the next finer level if four of its cells are enough. Never finer than first_level. If it is
/// coarser than last_level, four cells are not enough.
[[nodiscard]] ONEPASS_API uint32_t texels_level(const DepthPyramid& pyramid, const TexelRect& texels);

/// texels_level() for a rectangle of coordinates; last_level + 1 if it is outside the image.
[[nodiscard]] ONEPASS_API uint32_t rect_level(const DepthPyramid& pyramid, const CoordinateRect& rect);

// ---- Depths

/// Whether `a` is strictly nearer than `b`. False for NaN.
[[nodiscard]] inline bool is_nearer(float a, float b, bool reversed_z) { return reversed_z ? a > b : a < b; }

/// The farther of two depths.
[[nodiscard]] inline float farther(float a, float b, bool reversed_z) {
  return reversed_z ? std::min(a, b) : std::max(a, b);
}
/// The nearer of two depths.
[[nodiscard]] inline float nearer(float a, float b, bool reversed_z) { return farther(a, b, !reversed_z); }

/// Result of a query for the farthest depth if it is unknown: beyond every depth.
[[nodiscard]] ONEPASS_API float unknown_farthest(bool reversed_z);
/// Result of a query for the nearest depth if it is unknown: in front of every depth.
[[nodiscard]] ONEPASS_API float unknown_nearest(bool reversed_z);

/// Bits of the smallest half not below `value`; infinity above 65504. NaN stays NaN.
[[nodiscard]] ONEPASS_API uint16_t half_up(float value);
/// Bits of the largest half not above `value`; minus infinity below -65504. NaN stays NaN.
[[nodiscard]] ONEPASS_API uint16_t half_down(float value);
/// For a farthest depth: bits of the nearest half at or behind `depth`.
[[nodiscard]] ONEPASS_API uint16_t half_farther(float depth, bool reversed_z);
/// For a nearest depth: bits of the farthest half at or in front of `depth`.
[[nodiscard]] ONEPASS_API uint16_t half_nearer(float depth, bool reversed_z);

// ---- Projection

/// The mapping of view space to coordinates and depth. View space: x to the right, y down, distance forward (as in
/// Vulkan's clip space; negate axes that point the other way). Normalised device coordinates are scale * x / distance +
/// offset, or scale * x + offset if orthographic; image coordinates are half of that plus 0.5.
struct Projection {
  Float2 scale{1, 1};
  Float2 offset{};       ///< For off-centre frusta and jitter.
  float near_plane = 0;  ///< Distance, > 0 for a perspective projection.
  float far_plane = 0;   ///< Distance; 0: a perspective projection without a far plane.
  bool orthographic = false;
  bool reversed_z = false;  ///< Depth 1 is near.
};

/// Screen bounds of an object.
struct Bounds {
  CoordinateRect rect;  ///< May lie outside the image.
  float nearest = 0;    ///< Depth of the nearest point, or a nearer depth.
  bool known = false;   ///< False if the object crosses the near plane or lies behind it; the other members are then
                        ///< undefined.
};

/// Depth of a distance between the planes. Error: at most 4 ULP.
[[nodiscard]] ONEPASS_API float depth_of_distance(const Projection& projection, float distance);

/// Distance of a depth within 0 to 1 (linear depth). Error: at most 8 ULP. The largest float for an infinite distance.
[[nodiscard]] ONEPASS_API float distance_of_depth(const Projection& projection, float depth);

/// Bounds of a sphere in view space; `center` is x, y, distance; radius >= 0.
/// Guarantee: no point of the sphere is outside the rectangle or nearer than `nearest`. The rectangle is the smallest
/// possible, up to rounding. Unknown if the sphere touches the near plane or lies behind it, or if a number is not
/// finite.
/// Source: M. Mara, M. McGuire, "2D Polyhedral Bounds of a Clipped, Perspective-Projected 3D Sphere", JCGT, 2013.
[[nodiscard]] ONEPASS_API Bounds project_sphere(const Projection& projection, Float3 center, float radius);

/// Bounds of the box between two corners (low.x <= high.x and so on), with a perspective or orthographic matrix to
/// Vulkan's clip space (0 <= z <= w, y in the direction of image rows).
/// Guarantee: no point of the box is outside the rectangle or nearer than `nearest`. Unknown if, within rounding error,
/// a corner is in front of the near plane (z < 0, reversed z > w) or has w <= 0, or if a number is not finite.
[[nodiscard]] ONEPASS_API Bounds project_box(const Float4x4& clip_of_world, Float3 low, Float3 high, bool reversed_z);

// ---- Queries

/// The at most four cells to load for a rectangle of base texels: their level, the first and the last cell. `fits` is
/// false if the rectangle is empty or four cells of last_level do not cover it.
struct QueryCells {
  uint32_t level = 0;
  TexelRect cells;
  bool fits = false;
};

/// The cells to load for a rectangle of base texels.
[[nodiscard]] ONEPASS_API QueryCells query_cells(const DepthPyramid& pyramid, const TexelRect& texels);

/// The coordinate at which a linear filter reads all those cells: their common corner, or the centre of a single cell.
[[nodiscard]] ONEPASS_API Float2 sample_point(const DepthPyramid& pyramid, const QueryCells& query);

/// The farthest depth of a rectangle of base texels, from four loads.
/// Guarantee: no texel in it is farther. If unsure: unknown_farthest.
template <typename Load>
[[nodiscard]] float texels_farthest(const DepthPyramid& pyramid, const Load& load, const TexelRect& texels) {
  const QueryCells query = query_cells(pyramid, texels);
  if (!query.fits) return unknown_farthest(pyramid.reversed_z);
  const auto& [first, last] = query.cells;
  const bool reversed = pyramid.reversed_z;
  return farther(farther(load(query.level, first), load(query.level, Texel{last.x, first.y}), reversed),
                 farther(load(query.level, Texel{first.x, last.y}), load(query.level, last), reversed), reversed);
}

/// The nearest depth of a rectangle of base texels, from four loads. If unsure: unknown_nearest.
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

/// texels_farthest() with one sample of a reduction sampler, a callable float(uint32_t level, Float2 coordinate).
/// Guarantee: the same result, or one that is conservative by up to one more cell, regardless of how the sampler treats
/// texels of weight zero and how it rounds coordinates (by up to a quarter of a cell).
template <typename Sample>
[[nodiscard]] float texels_farthest_sampled(const DepthPyramid& pyramid, const Sample& sample,
                                            const TexelRect& texels) {
  const QueryCells query = query_cells(pyramid, texels);
  return query.fits ? sample(query.level, sample_point(pyramid, query)) : unknown_farthest(pyramid.reversed_z);
}
/// texels_nearest() with one sample of a reduction sampler.
template <typename Sample>
[[nodiscard]] float texels_nearest_sampled(const DepthPyramid& pyramid, const Sample& sample, const TexelRect& texels) {
  const QueryCells query = query_cells(pyramid, texels);
  return query.fits ? sample(query.level, sample_point(pyramid, query)) : unknown_nearest(pyramid.reversed_z);
}

/// Whether everything at depth `nearest` and behind it is hidden at all of these base texels.
/// Guarantee: true only if every one of the texels is strictly nearer. If unsure: false.
template <typename Load>
[[nodiscard]] bool texels_occluded(const DepthPyramid& pyramid, const Load& load, const TexelRect& texels,
                                   float nearest) {
  return is_nearer(texels_farthest(pyramid, load, texels), nearest, pyramid.reversed_z);
}

/// texels_occluded() for a rectangle of coordinates. Parts outside the image are ignored; all outside: false.
template <typename Load>
[[nodiscard]] bool rect_occluded(const DepthPyramid& pyramid, const Load& load, const CoordinateRect& rect,
                                 float nearest) {
  return texels_occluded(pyramid, load, rect_texels(pyramid.size, rect), nearest);
}

/// Whether a box is hidden; see project_box(). False if it crosses the near plane, lies behind the camera or outside
/// the image.
template <typename Load>
[[nodiscard]] bool box_occluded(const DepthPyramid& pyramid, const Load& load, const Float4x4& clip_of_world,
                                Float3 low, Float3 high) {
  const Bounds bounds = project_box(clip_of_world, low, high, pyramid.reversed_z);
  return bounds.known && rect_occluded(pyramid, load, bounds.rect, bounds.nearest);
}

/// Whether a sphere is hidden. `center` is in view space: x, y, distance. Guarantee: that of box_occluded().
template <typename Load>
[[nodiscard]] bool sphere_occluded(const DepthPyramid& pyramid, const Load& load, const Projection& projection,
                                   Float3 center, float radius) {
  const Bounds bounds = project_sphere(projection, center, radius);
  return bounds.known && rect_occluded(pyramid, load, bounds.rect, bounds.nearest);
}

/// Whether a point at a base texel is certainly visible, from one load of a nearest depth. For particles: only the
/// particles for which the result is false need the full depth buffer. A level outside first_level to last_level is
/// clamped to them.
/// Guarantee: true only if the texel's depth is behind `depth`. If unsure: false.
template <typename Load>
[[nodiscard]] bool certainly_visible(const DepthPyramid& pyramid, const Load& load, uint32_t level, Texel texel,
                                     float depth) {
  const uint32_t there = std::min(std::max(level, pyramid.first_level), pyramid.last_level);
  const Texel cell = cell_of_texel(pyramid.footprint, pyramid.size, there, texel);
  return is_nearer(depth, load(there, cell), pyramid.reversed_z);
}

/// certainly_visible() for a tile-reduced image of nearest depths; `load` is a callable float(Texel tile).
template <typename Load>
[[nodiscard]] bool tile_certainly_visible(const Load& load, Texel texel, uint32_t factor, float depth,
                                          bool reversed_z) {
  return is_nearer(depth, load(tile_of_texel(texel, factor)), reversed_z);
}

// ---- Rays

/// State of a ray.
enum class RayState : uint32_t {
  kMarching,
  kHit,     ///< The ray went behind the depth of `texel` at time t.
  kMissed,  ///< The ray reached its end or the image border.
};

/// The state of a ray march. Leaving a cell means leaving the base texels that the cell represents, and all times are
/// times at boundaries of base texels, on every level. So the ray visits only texels that it would also visit without a
/// pyramid.
struct Ray {
  Float3 origin;       ///< In base texels, base texels, depth.
  Float3 direction;    ///< In the same units, for time 0 to 1.
  Float2 inverse;      ///< 1 / direction; 0 for an axis along which the ray does not move.
  float t = 0;         ///< Current time.
  Texel texel;         ///< Current base texel.
  uint32_t level = 0;  ///< Level of the next load.
  RayState state = RayState::kMissed;
};

/// Begins a ray from one point to another (coordinates and depth; straight lines in the world are straight here under
/// any projection). The ray ends at `to`: clip it in world space first. A ray that starts outside the image is kMissed.
[[nodiscard]] ONEPASS_API Ray ray_begin(const DepthPyramid& pyramid, Float3 from, Float3 to);

/// The ray's point at its current time: coordinates and depth.
[[nodiscard]] ONEPASS_API Float3 ray_point(const DepthPyramid& pyramid, const Ray& ray);

/// The cell whose nearest depth the ray needs next.
[[nodiscard]] ONEPASS_API Texel ray_cell(const DepthPyramid& pyramid, const Ray& ray);
/// Advances the ray, given the nearest depth of that cell.
ONEPASS_API void ray_advance(const DepthPyramid& pyramid, Ray& ray, Texel cell, float nearest);

/// One step: loads one nearest depth, then leaves the cell, goes to the next finer level, or hits.
/// Guarantee: the ray hits the base texel, and at the time, that it would hit on level 0 alone: the first texel on its
/// path whose depth is not behind the whole of the ray inside it. If level 0 is not available, it hits a cell of
/// first_level that it goes behind, not later than it would hit on level 0.
/// Source: Y. Uludag, "Hi-Z Screen-Space Cone-Traced Reflections", GPU Pro 5, 2014, with exact cell boundaries at every
/// size.
template <typename Load>
void ray_step(const DepthPyramid& pyramid, const Load& load, Ray& ray) {
  const Texel cell = ray_cell(pyramid, ray);
  ray_advance(pyramid, ray, cell, load(ray.level, cell));
}

/// Advances until the ray hits, misses, or has made max_steps steps. After max_steps its state is still kMarching, and
/// nothing before its current time was hit. The caller decides whether the surface hit is thick enough to stop the ray.
template <typename Load>
[[nodiscard]] Ray march(const DepthPyramid& pyramid, const Load& load, Float3 from, Float3 to, uint32_t max_steps) {
  Ray ray = ray_begin(pyramid, from, to);
  for (uint32_t i = 0; i < max_steps && ray.state == RayState::kMarching; ++i) ray_step(pyramid, load, ray);
  return ray;
}

}  // namespace onepass::depth_query
