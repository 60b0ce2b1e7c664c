// reflection_march.glsl: rays of screen-space reflections: random directions of a rough surface's reflection, and the
// march of one ray through a depth pyramid to the surface that it meets. For any shader stage.
//
// A ray hits the base texels that it would hit without a pyramid; with ONEPASS_LOAD_RANGE it may pass surfaces that are
// seen nearly edge-on. Of a texel that it goes behind, the surface stops it
// if it faces the ray, and the ray meets the plane of the surface in the texel or beside it, or is not farther behind
// it than the thickness.
//
// Directions: half vectors from the distribution of visible normals of GGX, by a uniform point of a spherical cap:
// J. Dupuy, A. Benyoub, "Sampling Visible GGX Normals with Spherical Caps", HPG 2023; the distribution: E. Heitz,
// "Sampling the GGX Distribution of Visible Normals", JCGT 7 (4), 2018.
//
// Define before including it; macros, expressions or names of functions declared before:
//     ONEPASS_LOAD_NEAREST(level, cell)  float: nearest depth of a cell; of level 0 the depth of a texel
//     ONEPASS_LOAD_RANGE(level, cell)    float2, optional: nearest and farthest depth of a cell of a pyramid of minima
//                                        and maxima: rays also skip cells that they are behind.
//                                        ONEPASS_HAS_RANGE false: they do not, and only the nearest depth counts
//     ONEPASS_LOAD_NORMAL(texel)         float3: normal in the world, of any length; zero: none
//     ONEPASS_CLIP_FROM_WORLD            float4x4: the matrix of the frame; columns are multiplied by components
//     ONEPASS_WORLD_FROM_CLIP            float4x4: its inverse
// Includes depth_query.glsl. Needs GL_GOOGLE_include_directive, GLSL 4.50 and Vulkan 1.0.
#ifndef ONEPASS_REFLECTION_MARCH_GLSL_
#define ONEPASS_REFLECTION_MARCH_GLSL_

#if !defined(ONEPASS_LOAD_NEAREST) || !defined(ONEPASS_LOAD_NORMAL)
#error onepass: define ONEPASS_LOAD_NEAREST and ONEPASS_LOAD_NORMAL before reflection_march.glsl
#endif
#if !defined(ONEPASS_CLIP_FROM_WORLD) || !defined(ONEPASS_WORLD_FROM_CLIP)
#error onepass: define ONEPASS_CLIP_FROM_WORLD and ONEPASS_WORLD_FROM_CLIP before reflection_march.glsl
#endif

#include "onepass/depth_query.glsl"
#include "onepass/reflection_surface.glsl"
#include "onepass/prelude_names.glsl"

// ---- Directions

// Two unit vectors at right angles to n and to each other.
void onepass_tangents_of(float3 n, ONEPASS_OUT(float3) x, ONEPASS_OUT(float3) y) {
  float sign_z = n.z >= 0.0 ? 1.0 : -1.0;
  float a = -1.0 / (sign_z + n.z);
  float b = n.x * n.y * a;
  x = float3(1.0 + sign_z * n.x * n.x * a, sign_z * b, -sign_z * n.x);
  y = float3(b, sign_z + n.y * n.y * a, -n.y);
}

/// A visible normal of GGX, for a view vector in the space of the surface, whose normal is z. `random`: two numbers of
/// 0 to 1.
float3 onepass_visible_normal(float3 view, float alpha, float2 random) {
  float3 stretched = normalize(float3(alpha * view.x, alpha * view.y, view.z));
  float z = (1.0 - random.y) * (1.0 + stretched.z) - stretched.z;
  float radius = sqrt(clamp(1.0 - z * z, 0.0, 1.0));
  float angle = 6.2831853 * random.x;
  float3 cap = float3(radius * cos(angle), radius * sin(angle), z) + stretched;
  return normalize(float3(alpha * cap.x, alpha * cap.y, max(cap.z, 1e-6)));
}

/// A random direction of the surface's reflection. Directions into the surface are drawn again; after four of them, the
/// mirror's is the answer.
float3 onepass_reflection_direction(OnepassSurface surface, float2 random) {
  float3 x;
  float3 y;
  onepass_tangents_of(surface.normal, x, y);
  float3 view = float3(dot(surface.view, x), dot(surface.view, y), dot(surface.view, surface.normal));
  float alpha = surface.roughness * surface.roughness;
  float3 found = onepass_mirror_direction(surface);
  bool done = false;
  for (uint i = 0u; i < 4u && !done; ++i) {
    float2 moved = random + float(i) * float2(0.5, 0.25);
    float3 half_vector = onepass_visible_normal(view, alpha, moved - floor(moved));
    float3 direction = 2.0 * dot(view, half_vector) * half_vector - view;
    done = direction.z > 0.0;
    if (done) found = normalize(direction.x * x + direction.y * y + direction.z * surface.normal);
  }
  return found;
}

// ---- Ray march

/// What stops rays.
struct OnepassReflectionRules {
  float thickness;           // depth behind a surface that stops rays: in units of the world,
  float relative_thickness;  // plus this share of its distance from the near plane
  uint max_steps;            // most loads of depths along a ray
};

struct OnepassReflectionHit {
  float2 at;       // coordinates
  float distance;  // along the ray, in the world; 0: the ray hits nothing that the screen shows
};

// The end of the ray's line on the screen, a texel beyond the border; the start if there is no line.
float3 onepass_line_end(OnepassDepthPyramid pyramid, float3 from, OnepassSurface surface, float3 direction) {
  float4 start = onepass_transform(ONEPASS_CLIP_FROM_WORLD, float4(surface.position, 1.0));
  float4 along = onepass_transform(ONEPASS_CLIP_FROM_WORLD, float4(direction, 0.0));
  // Not to the near plane: there the quantity below is 0.
  float near_start = pyramid.reversed_z ? start.w - start.z : start.z;
  float near_along = pyramid.reversed_z ? along.w - along.z : along.z;
  float reach = 1e4 * surface.eye;  // the vanishing point, within 1e-4 of the coordinates
  if (near_along < 0.0) reach = min(reach, 0.999 * near_start / -near_along);
  float4 end = start + reach * along;
  if (!(end.w > 0.0)) return from;
  float3 to = float3(0.5 * end.x / end.w + 0.5, 0.5 * end.y / end.w + 0.5, end.z / end.w);
  float2 margin = 1.0 / float2(pyramid.size);
  float2 ahead = to.xy - from.xy;
  float2 room = float2(ahead.x > 0.0 ? 1.0 + margin.x - from.x : from.x + margin.x,
                       ahead.y > 0.0 ? 1.0 + margin.y - from.y : from.y + margin.y);
  float part = min(1.0, min(room.x / max(abs(ahead.x), 1e-30), room.y / max(abs(ahead.y), 1e-30)));
  return from + part * (to - from);
}

#ifdef ONEPASS_LOAD_RANGE
#ifndef ONEPASS_HAS_RANGE
#define ONEPASS_HAS_RANGE true
#endif

// When a ray is so far behind all texels of a cell that none stops it. Along a line of sight the distance of two depths
// is k |z1 - z2| / (w(z1) w(z2)) with w(z) = |w0 + w1 z|; the matrix has w0 and w1, and k is least in the middle.
struct OnepassBehind {
  float w0;
  float w1;
  float near_depth;
  float thickness;  // over a lower bound of k
  float relative;   // over w(near_depth)
};

OnepassBehind onepass_make_behind(OnepassDepthPyramid pyramid, float3 from, float3 to, OnepassReflectionRules rules) {
  float4 along = onepass_transform(ONEPASS_WORLD_FROM_CLIP, float4(0.0, 0.0, 1.0, 0.0));
  float4 first = onepass_transform(ONEPASS_WORLD_FROM_CLIP, float4(2.0 * from.x - 1.0, 2.0 * from.y - 1.0, 0.0, 1.0));
  float4 last = onepass_transform(ONEPASS_WORLD_FROM_CLIP, float4(2.0 * to.x - 1.0, 2.0 * to.y - 1.0, 0.0, 1.0));
  // Between two lines of sight at less than 120 degrees k is at least half of the smaller one.
  float k =
      0.5 * min(length(along.xyz * first.w - first.xyz * along.w), length(along.xyz * last.w - last.xyz * along.w));
  OnepassBehind behind;
  behind.w0 = first.w;
  behind.w1 = along.w;
  behind.near_depth = pyramid.reversed_z ? 1.0 : 0.0;
  behind.thickness = rules.thickness / max(k, 1e-30);
  behind.relative = rules.relative_thickness / max(abs(behind.w0 + behind.near_depth * behind.w1), 1e-30);
  return behind;
}

// Whether the ray is too far behind the cell: by more than the thickness, and by more than twice the range of depths in
// the cell, so that it meets no plane of a texel in or beside that texel.
bool onepass_is_far_behind(OnepassDepthPyramid pyramid, OnepassRay ray, OnepassBehind behind, float2 range) {
  float sign_z = pyramid.reversed_z ? -1.0 : 1.0;
  float farthest = range.y + 2.0 * sign_z * abs(range.y - range.x);
  float slack =
      abs(behind.w0 + farthest * behind.w1) * behind.thickness + abs(farthest - behind.near_depth) * behind.relative;
  // The ray leaves the cell before it has crossed twice the cell's side.
  float side = float(2u << ray.level);
  float time_x = ray.inverse.x == 0.0 ? 1.0 : side * abs(ray.inverse.x);
  float time_y = ray.inverse.y == 0.0 ? 1.0 : side * abs(ray.inverse.y);
  float here = onepass_ray_depth(ray, ray.t);
  float there = onepass_ray_depth(ray, min(ray.t + min(time_x, time_y), 1.0));
  return (here - farthest) * sign_z > abs(behind.w0 + here * behind.w1) * slack &&
         (there - farthest) * sign_z > abs(behind.w0 + there * behind.w1) * slack;
}
#else
#define ONEPASS_HAS_RANGE false
#endif

// Whether the surface of the base texel that the ray went behind stops it, and where.
bool onepass_surface_stops(OnepassDepthPyramid pyramid, OnepassRay ray, float depth, OnepassSurface surface,
                           float3 direction, OnepassReflectionRules rules, ONEPASS_INOUT(OnepassReflectionHit) hit) {
  float3 normal = onepass_unit_normal(ONEPASS_LOAD_NORMAL(ray.texel));
  float slope = dot(normal, direction);
  // Only the front of a surface is known. This refuses the surface that the ray leaves, too.
  if (!onepass_is_surface(depth, pyramid.reversed_z) || !(slope < 0.0)) return false;
  float2 center = onepass_center_of(ray.texel, pyramid.size);
  float3 met = onepass_unproject(ONEPASS_WORLD_FROM_CLIP, center, depth);
  // Where the ray meets the plane of the texel's surface: a hit if that is within the texel or beside it.
  hit.distance = dot(normal, met - surface.position) / slope;
  hit.at = onepass_project(ONEPASS_CLIP_FROM_WORLD, surface.position + hit.distance * direction).xy;
  float2 off = abs(hit.at - center) * float2(pyramid.size);
  if (hit.distance > 0.0 && max(off.x, off.y) <= 1.0) return true;
  // Otherwise the ray is behind the texel's surface, which ends somewhere behind.
  float3 ray_point = onepass_ray_point(pyramid, ray);
  float3 ray_at = onepass_unproject(ONEPASS_WORLD_FROM_CLIP, ray_point.xy, ray_point.z);
  float surface_distance = length(met - onepass_near_point(ONEPASS_WORLD_FROM_CLIP, center, pyramid.reversed_z));
  float3 ray_eye = onepass_near_point(ONEPASS_WORLD_FROM_CLIP, ray_point.xy, pyramid.reversed_z);
  float behind = length(ray_at - ray_eye) - surface_distance;
  hit.at = ray_point.xy;
  hit.distance = length(ray_at - surface.position);
  return behind <= rules.thickness + rules.relative_thickness * surface_distance;
}

/// Follows a ray from the surface at `texel`. `direction` has unit length. The pyramid is one of nearest depths, with
/// first_level 0 and a footprint of covering, tight or edge.
OnepassReflectionHit onepass_reflection_trace(OnepassDepthPyramid pyramid, uint2 texel, OnepassSurface surface,
                                              float3 direction, OnepassReflectionRules rules) {
  float3 from = float3(onepass_center_of(texel, pyramid.size), surface.depth);
  float3 to = onepass_line_end(pyramid, from, surface, direction);
  OnepassRay ray = onepass_ray_begin(pyramid, from, to);
#ifdef ONEPASS_LOAD_RANGE
  OnepassBehind far_behind = onepass_make_behind(pyramid, from, to, rules);
#endif
  // The ray leaves the texel from which it starts.
  float beyond = onepass_unknown_farthest(pyramid.reversed_z);
  if (ray.state == ONEPASS_RAY_MARCHING) onepass_ray_advance(pyramid, ray, ray.texel, beyond);
  OnepassReflectionHit hit;
  hit.at = float2(0.0, 0.0);
  hit.distance = 0.0;
  bool found = false;
  for (uint i = 0u; i < rules.max_steps && ray.state == ONEPASS_RAY_MARCHING; ++i) {
    uint2 cell = onepass_cell_of_texel(pyramid.footprint, pyramid.size, ray.level, ray.texel);
#ifdef ONEPASS_LOAD_RANGE
    float2 range = ONEPASS_LOAD_RANGE(ray.level, cell);
    float nearest = range.x;
    if (ONEPASS_HAS_RANGE && ray.level > 0u && onepass_is_far_behind(pyramid, ray, far_behind, range)) nearest = beyond;
#else
    float nearest = ONEPASS_LOAD_NEAREST(ray.level, cell);
#endif
    onepass_ray_advance(pyramid, ray, cell, nearest);
    if (ray.state == ONEPASS_RAY_HIT) {
      found = onepass_surface_stops(pyramid, ray, nearest, surface, direction, rules, hit);
      if (!found) {
        ray.state = ONEPASS_RAY_MARCHING;
        onepass_ray_advance(pyramid, ray, ray.texel, beyond);
        // Without maxima the next texel is likely to be refused, too: behind an object.
        if (!ONEPASS_HAS_RANGE) ray.level = pyramid.first_level;
      }
    }
  }
  if (!found) hit.distance = 0.0;
  return hit;
}

/// Confidence of a hit at a coordinate: 1, and less within `border_fade` of the image's borders; 0 for NaN.
float onepass_border_confidence(float2 at, float border_fade) {
  float2 border = min(at, 1.0 - at);
  if (!(border.x >= 0.0 && border.y >= 0.0)) return 0.0;
  if (border_fade <= 0.0) return 1.0;
  float2 fade = clamp(border / border_fade, 0.0, 1.0);
  fade *= fade * (3.0 - 2.0 * fade);
  return fade.x * fade.y;
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_REFLECTION_MARCH_GLSL_
