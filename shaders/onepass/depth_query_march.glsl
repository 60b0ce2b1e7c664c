// depth_query_march.glsl: ray march through a pyramid of nearest depths, as for screen-space reflections. Part of
// depth_query.glsl.
//
// A ray is a straight line in coordinates and depth. It leaves a cell whose nearest depth lies behind all of the ray in
// it in one step, to a coarser level. Otherwise it continues on a finer level; on the finest level it has hit.
// After Y. Uludag, "Hi-Z Screen-Space Cone-Traced Reflections", GPU Pro 5, 2014.
//
// A ray leaves a cell where it leaves the base texels that the cell stands for: at a boundary of their exact range
// (with covering and tight never less than k / level size to (k + 1) / level size). All times are crossing times of
// base texel boundaries, computed in the same way on every level, and the ray holds its base texel as integers. So it
// visits only texels that it would visit without a pyramid, and hits the same one, to the bit, however a device rounds.
#ifndef ONEPASS_DEPTH_QUERY_MARCH_GLSL_
#define ONEPASS_DEPTH_QUERY_MARCH_GLSL_

#include "onepass/depth_query_cells.glsl"
#include "onepass/prelude_names.glsl"

#define ONEPASS_RAY_MARCHING 0u
#define ONEPASS_RAY_HIT 1u     // the ray went behind the depth of `texel` at time t
#define ONEPASS_RAY_MISSED 2u  // the ray reached its end or the image border

/// The state of a ray march.
struct OnepassRay {
  float3 origin;     // base texels, base texels, depth
  float3 direction;  // in the same units, per time from 0 to 1
  float2 inverse;    // 1 / direction, 0 along an axis without movement
  float t;           // the current time
  uint2 texel;       // the base texel at time t
  uint level;        // the level of the next step
  uint state;        // a number ONEPASS_RAY_
};

// At most 1e-30 texels per unit of time count as no movement.
float onepass_ray_inverse(float direction) { return abs(direction) > 1e-30 ? 1.0 / direction : 0.0; }

/// A ray from one point to another, in coordinates and depth. Straight lines in the world are straight here under any
/// projection. The ray ends at `to`: clip it in the world first. A ray that starts outside the image has missed.
OnepassRay onepass_ray_begin(OnepassDepthPyramid pyramid, float3 from, float3 to) {
  float2 size = float2(pyramid.size);
  OnepassRay ray;
  ray.origin = float3(from.xy * size, from.z);
  ray.direction = float3(to.xy * size, to.z) - ray.origin;
  ray.inverse = float2(onepass_ray_inverse(ray.direction.x), onepass_ray_inverse(ray.direction.y));
  ray.t = 0.0;
  ray.level = pyramid.first_level;
  bool inside = ray.origin.x >= 0.0 && ray.origin.y >= 0.0 && ray.origin.x < size.x && ray.origin.y < size.y;
  ray.state = inside ? ONEPASS_RAY_MARCHING : ONEPASS_RAY_MISSED;
  ray.texel = inside ? uint2(ray.origin.xy) : uint2(0u, 0u);
  return ray;
}

float onepass_ray_depth(OnepassRay ray, float t) { return ray.origin.z + ray.direction.z * t; }

/// The point of the ray at its current time: coordinates and depth.
float3 onepass_ray_point(OnepassDepthPyramid pyramid, OnepassRay ray) {
  float3 at = ray.origin + ray.direction * ray.t;
  return float3(at.xy / float2(pyramid.size), at.z);
}

// The time at which the ray crosses the boundary before texel `wall` of an axis. Monotonic in `wall`.
float onepass_boundary_time(uint wall, float origin, float inverse) { return (float(wall) - origin) * inverse; }

// The time at which the ray leaves base texels [begin, end) of an axis.
float onepass_leave_time(uint begin, uint end, float origin, float inverse) {
  if (inverse == 0.0) return ONEPASS_MOST;
  return onepass_boundary_time(inverse > 0.0 ? end : begin, origin, inverse);
}

// The ray's texel of an axis at time t, before it leaves [begin, end): the one whose boundaries have crossing times
// around t. `texel` is an earlier texel of the ray.
uint onepass_follow(uint texel, uint begin, uint end, float t, float origin, float direction, float inverse) {
  if (inverse == 0.0) return texel;
  float low = float(inverse > 0.0 ? texel : begin);
  float high = float(inverse > 0.0 ? end - 1u : texel);
  uint guess = uint(min(max(origin + direction * t, low), high));
  // The guess is rounded and at most one texel off: the crossing times of its boundaries decide.
  bool passed = onepass_boundary_time(inverse > 0.0 ? guess + 1u : guess, origin, inverse) <= t;
  bool before = onepass_boundary_time(inverse > 0.0 ? guess : guess + 1u, origin, inverse) > t;
  if (inverse > 0.0) {
    if (passed && guess + 1u < end) return guess + 1u;
    if (before && guess > texel) return guess - 1u;
  } else {
    if (passed && guess > begin) return guess - 1u;
    if (before && guess < texel) return guess + 1u;
  }
  return guess;
}

// The base texel after leaving [begin, end) of an axis.
uint onepass_beyond(uint begin, uint end, float inverse) { return inverse > 0.0 ? end : begin - 1u; }

/// One step with the nearest depth of the ray's cell, `cell` = onepass_cell_of_texel(footprint, size, ray.level,
/// ray.texel): leaves the cell, continues one level finer, or hits. With a nearest depth beyond every depth
/// (onepass_unknown_farthest) the ray leaves: after a hit that the caller refuses, set the state to
/// ONEPASS_RAY_MARCHING and pass the texel in this way.
void onepass_ray_advance(OnepassDepthPyramid pyramid, ONEPASS_INOUT(OnepassRay) ray, uint2 cell, float nearest) {
  uint4 box = onepass_cell_texels(pyramid.footprint, pyramid.size, ray.level, cell);
  float leave_x = onepass_leave_time(box.x, box.z, ray.origin.x, ray.inverse.x);
  float leave_y = onepass_leave_time(box.y, box.w, ray.origin.y, ray.inverse.y);
  float leave = max(min(min(leave_x, leave_y), 1.0), ray.t);
  float here = onepass_ray_depth(ray, ray.t);
  float there = onepass_ray_depth(ray, leave);
  bool here_in_front = onepass_is_nearer(here, nearest, pyramid.reversed_z);
  bool in_front = here_in_front && onepass_is_nearer(there, nearest, pyramid.reversed_z);
  if (in_front) {
    bool over_x = leave_x <= leave;
    bool over_y = leave_y <= leave;
    bool out_x = over_x && (ray.inverse.x > 0.0 ? box.z == pyramid.size.x : box.x == 0u);
    bool out_y = over_y && (ray.inverse.y > 0.0 ? box.w == pyramid.size.y : box.y == 0u);
    ray.t = leave;
    if (leave >= 1.0 || out_x || out_y) {
      ray.state = ONEPASS_RAY_MISSED;
      return;
    }
    ray.texel.x = over_x
                      ? onepass_beyond(box.x, box.z, ray.inverse.x)
                      : onepass_follow(ray.texel.x, box.x, box.z, leave, ray.origin.x, ray.direction.x, ray.inverse.x);
    ray.texel.y = over_y
                      ? onepass_beyond(box.y, box.w, ray.inverse.y)
                      : onepass_follow(ray.texel.y, box.y, box.w, leave, ray.origin.y, ray.direction.y, ray.inverse.y);
    ray.level = min(ray.level + 1u, pyramid.last_level);
    return;
  }
  // The time of reaching the cell's depth; below a little before, so that rounding cannot overshoot.
  float reach = here_in_front ? (nearest - ray.origin.z) / ray.direction.z : ray.t;
  if (ray.level == pyramid.first_level) {
    ray.t = min(max(reach, ray.t), leave);
    ray.state = ONEPASS_RAY_HIT;
    return;
  }
  ray.level -= 1u;
  reach *= 1.0 - ONEPASS_SLACK;
  if (here_in_front && reach > ray.t && reach < leave &&
      onepass_is_nearer(onepass_ray_depth(ray, reach), nearest, pyramid.reversed_z)) {
    ray.t = reach;
    ray.texel.x = onepass_follow(ray.texel.x, box.x, box.z, reach, ray.origin.x, ray.direction.x, ray.inverse.x);
    ray.texel.y = onepass_follow(ray.texel.y, box.y, box.w, reach, ray.origin.y, ray.direction.y, ray.inverse.y);
  }
}

/// One step: loads one nearest depth, then leaves the cell, continues one level finer, or hits.
/// Promise: with covering, edge and tight the ray hits the base texel, and at the time, that it would hit on level 0
/// alone: the first texel on its way whose depth is not behind all of the ray within it. With first_level 1, it hits a
/// cell of that level that it goes behind, not later. With aligned it may miss, at odd sizes.
void onepass_ray_step(OnepassDepthPyramid pyramid, ONEPASS_INOUT(OnepassRay) ray) {
  uint2 cell = onepass_cell_of_texel(pyramid.footprint, pyramid.size, ray.level, ray.texel);
  onepass_ray_advance(pyramid, ray, cell, ONEPASS_LOAD_NEAREST(ray.level, cell));
}

/// Advances until the ray hits, misses, or has taken max_steps steps; then its state is still ONEPASS_RAY_MARCHING, and
/// it has hit nothing up to its time. The caller decides whether a hit surface is thick enough to stop the ray.
OnepassRay onepass_march(OnepassDepthPyramid pyramid, float3 from, float3 to, uint max_steps) {
  OnepassRay ray = onepass_ray_begin(pyramid, from, to);
  for (uint i = 0u; i < max_steps && ray.state == ONEPASS_RAY_MARCHING; ++i) onepass_ray_step(pyramid, ray);
  return ray;
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_DEPTH_QUERY_MARCH_GLSL_
