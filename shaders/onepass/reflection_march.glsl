// reflection_march.glsl: rays of screen-space reflections: random directions of a rough surface's reflection, and the
// march of one ray through a depth pyramid to the surface that it meets. For any shader stage.
//
// A ray hits the base texels that it would hit without a pyramid, except where it cuts less than a hundredth of a texel
// off a corner; with ONEPASS_LOAD_RANGE it may pass surfaces that are seen nearly edge-on. Of a texel that it goes
// behind, the surface stops it if it faces the ray, and the ray meets the plane of the surface in the texel or beside
// it, or is not farther behind it than the thickness.
//
// The steps are cheaper than those of depth_query_march.glsl, which are exact to the bit: GPUs are bound by the
// instructions of a step, not by its load.
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
  float3 normal = onepass_facing_normal(surface);
  onepass_tangents_of(normal, x, y);
  float3 view = float3(dot(surface.view, x), dot(surface.view, y), dot(surface.view, normal));
  float alpha = surface.roughness * surface.roughness;
  float3 found = onepass_mirror_direction(surface);
  bool done = false;
  for (uint i = 0u; i < 4u && !done; ++i) {
    float2 moved = random + float(i) * float2(0.5, 0.25);
    float3 half_vector = onepass_visible_normal(view, alpha, moved - floor(moved));
    float3 direction = 2.0 * dot(view, half_vector) * half_vector - view;
    done = direction.z > 0.0;
    if (done) found = normalize(direction.x * x + direction.y * y + direction.z * normal);
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

#ifndef ONEPASS_LOAD_RANGE
#define ONEPASS_HAS_RANGE false
#elif !defined(ONEPASS_HAS_RANGE)
#define ONEPASS_HAS_RANGE true
#endif

// Distances along a line of sight. From the near plane to depth z it is k |z - near| / (w(z) w(near)) with w(z) =
// |w0 + w1 z|; the matrix has w0 and w1, and k is that of the line.
struct OnepassSight {
  float w0;
  float w1;
  float near_depth;
  float thickness;  // over a lower bound of k
  float relative;   // over w(near_depth)
};

OnepassSight onepass_make_sight(OnepassDepthPyramid pyramid, float3 from, float3 to, OnepassReflectionRules rules) {
  float4 along = onepass_transform(ONEPASS_WORLD_FROM_CLIP, float4(0.0, 0.0, 1.0, 0.0));
  float4 first = onepass_transform(ONEPASS_WORLD_FROM_CLIP, float4(2.0 * from.x - 1.0, 2.0 * from.y - 1.0, 0.0, 1.0));
  float4 last = onepass_transform(ONEPASS_WORLD_FROM_CLIP, float4(2.0 * to.x - 1.0, 2.0 * to.y - 1.0, 0.0, 1.0));
  // Between two lines of sight at less than 120 degrees k is at least half of the smaller one.
  float k =
      0.5 * min(length(along.xyz * first.w - first.xyz * along.w), length(along.xyz * last.w - last.xyz * along.w));
  OnepassSight sight;
  sight.w0 = first.w;
  sight.w1 = along.w;
  sight.near_depth = pyramid.reversed_z ? 1.0 : 0.0;
  sight.thickness = rules.thickness / max(k, 1e-30);
  sight.relative = rules.relative_thickness / max(abs(sight.w0 + sight.near_depth * sight.w1), 1e-30);
  return sight;
}

// A ray on the screen: a straight line in base texels and depth, from time 0 on.
struct OnepassScreenRay {
  float3 origin;     // base texels, base texels, depth
  float3 direction;  // in the same units, per time
  float3 inverse;    // 1 / direction
  float2 offset;     // -origin / direction: the ray crosses coordinate x at inverse * x + offset
  float nudge;       // the time in which the ray moves a hundredth of a texel: beyond a boundary, whatever is rounded
  float end;         // the time at which the line ends, or leaves the image
  float t;           // the current time
  uint level;        // of the next step
  uint steps;        // taken
  bool ends;         // without a hit
  uint2 texel;       // of a hit: the base texel
  float depth;       // and its depth
};

// A slope that has an inverse: lines that do not move along an axis cross no boundary before their end.
float onepass_screen_slope(float slope, float least) { return abs(slope) > least ? slope : least; }

// Time at which the ray leaves the base texels before `wall`, of both axes.
float2 onepass_screen_crossings(OnepassScreenRay ray, uint2 wall) { return float2(wall) * ray.inverse.xy + ray.offset; }

// 1 where the ray leaves a cell at its end, 0 where it leaves it at its begin.
uint2 onepass_screen_ahead(OnepassScreenRay ray) {
  return uint2(ray.direction.x > 0.0 ? 1u : 0u, ray.direction.y > 0.0 ? 1u : 0u);
}

// Leaves a cell at time `leave`.
void onepass_screen_leave(ONEPASS_INOUT(OnepassScreenRay) ray, OnepassReflectionRules rules, float leave) {
  ray.t = max(leave, ray.t) + ray.nudge;
  bool is_long = ray.steps >= rules.max_steps;
  ray.ends = is_long || ray.t >= ray.end;
}

OnepassScreenRay onepass_screen_ray(OnepassDepthPyramid pyramid, float3 from, float3 to, uint2 texel,
                                    OnepassReflectionRules rules) {
  float3 scale = float3(float2(pyramid.size), 1.0);
  float3 toward = (to - from) * scale;
  OnepassScreenRay ray;
  ray.origin = from * scale;
  ray.direction = float3(onepass_screen_slope(toward.x, 1e-6), onepass_screen_slope(toward.y, 1e-6),
                         onepass_screen_slope(toward.z, 1e-30));
  ray.inverse = 1.0 / ray.direction;
  ray.offset = -ray.origin.xy * ray.inverse.xy;
  ray.nudge = (0.01 + 5e-7 * max(scale.x, scale.y)) * min(abs(ray.inverse.x), abs(ray.inverse.y));
  ray.level = min(pyramid.first_level + 1u, pyramid.last_level);
  ray.steps = 0u;
  ray.texel = texel;
  ray.depth = 0.0;
  uint2 ahead = onepass_screen_ahead(ray);
  float2 out_of_image = onepass_screen_crossings(ray, ahead * pyramid.size);
  ray.end = min(1.0, min(out_of_image.x, out_of_image.y));
  // The ray begins where it leaves the texel of its surface.
  ray.t = 0.0;
  float2 leave = onepass_screen_crossings(ray, texel + ahead);
  onepass_screen_leave(ray, rules, min(leave.x, leave.y));
  return ray;
}

// One step, without branches; true: the ray goes behind the depth of a base texel.
bool onepass_screen_step(OnepassDepthPyramid pyramid, ONEPASS_INOUT(OnepassScreenRay) ray, OnepassSight sight,
                         OnepassReflectionRules rules) {
  uint2 ahead = onepass_screen_ahead(ray);
  uint2 texel = uint2(max(ray.origin.xy + ray.t * ray.direction.xy, float2(0.0, 0.0)));
  uint2 cell = uint2(texel.x >> ray.level, texel.y >> ray.level);
  // The texels behind those of a level's last cell have its depths, in cells of the same size.
  uint2 loaded = min(cell, onepass_level_size2(pyramid.size, ray.level) - uint2(1u, 1u));
  uint2 next = cell + ahead;
  uint2 wall = uint2(next.x << ray.level, next.y << ray.level);
  if (pyramid.footprint == ONEPASS_TIGHT) {
    texel = min(texel, pyramid.size - uint2(1u, 1u));
    loaded = onepass_cell_of_texel(pyramid.footprint, pyramid.size, ray.level, texel);
    uint4 box = onepass_cell_texels(pyramid.footprint, pyramid.size, ray.level, loaded);
    wall = uint2(ahead.x > 0u ? box.z : box.x, ahead.y > 0u ? box.w : box.y);
    next = uint2(0u, 0u);  // cells do not end where those of the level above do
  }
#ifdef ONEPASS_LOAD_RANGE
  float2 range = ONEPASS_LOAD_RANGE(ray.level, loaded);
#else
  float2 range = float2(ONEPASS_LOAD_NEAREST(ray.level, loaded), 0.0);
#endif
  float2 crossings = onepass_screen_crossings(ray, wall);
  float leave = min(crossings.x, crossings.y);
  // Depths times sign_z grow with the distance.
  float sign_z = pyramid.reversed_z ? -1.0 : 1.0;
  float here = sign_z * (ray.origin.z + ray.t * ray.direction.z);
  float there = sign_z * (ray.origin.z + leave * ray.direction.z);
  float shallow = min(here, there);
  float nearest = sign_z * range.x;
  bool passes = max(here, there) < nearest;
  bool is_base = ray.level == pyramid.first_level;
  if (ONEPASS_HAS_RANGE) {
    // Too far behind the cell: by more than the thickness, and by more than twice the range of depths in the cell, so
    // that the ray meets no plane of a texel in or beside that texel.
    float farthest = range.y + 2.0 * (range.y - range.x);
    float slack =
        abs(sight.w0 + farthest * sight.w1) * sight.thickness + abs(farthest - sight.near_depth) * sight.relative;
    float least = sign_z * farthest + abs(sight.w0 + sign_z * shallow * sight.w1) * slack;
    bool is_far = shallow > least && !is_base;
    passes = passes || is_far;
  }
  bool hits = is_base && !passes;
  // In front of the cell's depth the ray goes there; below, it may continue behind that.
  float reach = max(ray.t, min((range.x - ray.origin.z) * ray.inverse.z, leave));
  reach = here < nearest ? reach : ray.t;
  // To the level above, where the ray leaves a cell of that as well.
  uint same = (crossings.x < crossings.y ? next.x : next.y) & 1u;
  uint above = min(ray.level + 1u - same, pyramid.last_level);
  uint below = is_base ? ray.level : ray.level - 1u;
  ray.texel = loaded;  // on the finest level a base texel, of the image whatever is rounded
  ray.depth = range.x;
  ray.steps += 1u;
  ray.t = passes ? max(leave, ray.t) + ray.nudge : reach;
  ray.level = passes ? above : below;
  bool is_long = ray.steps >= rules.max_steps;
  ray.ends = is_long || ray.t >= ray.end;
  return hits;
}

// The point of a texel's surface, in the world.
float3 onepass_texel_point(OnepassDepthPyramid pyramid, uint2 texel, float depth) {
  return onepass_unproject(ONEPASS_WORLD_FROM_CLIP, onepass_center_of(texel, pyramid.size), depth);
}

// Whether the ray meets the plane of the texel's surface in the texel or beside it, and where. `slope`: of the ray
// against `normal`, which may have any length.
bool onepass_meets_plane(OnepassDepthPyramid pyramid, OnepassScreenRay ray, OnepassSurface surface, float3 direction,
                         float3 normal, float slope, float3 met, ONEPASS_INOUT(OnepassReflectionHit) hit) {
  hit.distance = dot(normal, met - surface.position) / slope;
  hit.at = onepass_project(ONEPASS_CLIP_FROM_WORLD, surface.position + hit.distance * direction).xy;
  float2 off = abs(hit.at * float2(pyramid.size) - (float2(ray.texel) + 0.5));
  bool beside = max(off.x, off.y) <= 1.0;
  return hit.distance > 0.0 && beside;
}

// Whether the surface of the base texel that the ray went behind stops it.
bool onepass_surface_stops(OnepassDepthPyramid pyramid, OnepassScreenRay ray, OnepassSight sight,
                           OnepassSurface surface, float3 direction, OnepassReflectionRules rules) {
  float3 normal = ONEPASS_LOAD_NORMAL(ray.texel);
  float slope = dot(normal, direction);
  // Only the front of a surface is known. This refuses the surface that the ray leaves, too.
  bool is_front = onepass_is_finite(slope) && slope < 0.0;
  if (!is_front || !onepass_is_surface(ray.depth, pyramid.reversed_z)) return false;
  // Distances of the surface and of the ray from the near plane, along the line of sight: the ratio of the two.
  float z = ray.origin.z + ray.t * ray.direction.z;
  float surface_part = abs((ray.depth - sight.near_depth) * (sight.w0 + z * sight.w1));
  float ray_part = abs((z - sight.near_depth) * (sight.w0 + ray.depth * sight.w1));
  if (ray_part <= (1.0 + rules.relative_thickness) * surface_part) return true;
  float3 met = onepass_texel_point(pyramid, ray.texel, ray.depth);
  if (rules.thickness > 0.0) {
    float distance = length(met - onepass_texel_point(pyramid, ray.texel, sight.near_depth));
    float behind = distance * (ray_part / max(surface_part, 1e-30) - 1.0);
    if (behind <= rules.thickness + rules.relative_thickness * distance) return true;
  }
  OnepassReflectionHit hit;
  return onepass_meets_plane(pyramid, ray, surface, direction, normal, slope, met, hit);
}

// Where the ray hits the surface that stops it: at its plane if it meets that in or beside the texel, else where it is.
OnepassReflectionHit onepass_hit_of(OnepassDepthPyramid pyramid, OnepassScreenRay ray, OnepassSurface surface,
                                    float3 direction) {
  OnepassReflectionHit hit;
  float3 normal = ONEPASS_LOAD_NORMAL(ray.texel);
  float3 met = onepass_texel_point(pyramid, ray.texel, ray.depth);
  if (onepass_meets_plane(pyramid, ray, surface, direction, normal, dot(normal, direction), met, hit)) return hit;
  float3 at = ray.origin + ray.t * ray.direction;
  hit.at = at.xy / float2(pyramid.size);
  hit.distance = length(onepass_unproject(ONEPASS_WORLD_FROM_CLIP, hit.at, at.z) - surface.position);
  return hit;
}

/// Follows a ray from the surface at `texel`. `direction` has unit length. The pyramid is one of nearest depths, with
/// first_level 0 and a footprint of covering, tight or edge.
OnepassReflectionHit onepass_reflection_trace(OnepassDepthPyramid pyramid, uint2 texel, OnepassSurface surface,
                                              float3 direction, OnepassReflectionRules rules) {
  float3 from = float3(onepass_center_of(texel, pyramid.size), surface.depth);
  float3 to = onepass_line_end(pyramid, from, surface, direction);
  OnepassScreenRay ray = onepass_screen_ray(pyramid, from, to, texel, rules);
  OnepassSight sight = onepass_make_sight(pyramid, from, to, rules);
  bool found = false;
  // The loop decides whether the ray is stopped; where, follows once for all rays of a subgroup.
  while (!ray.ends && !found) {
    if (onepass_screen_step(pyramid, ray, sight, rules)) {
      found = onepass_surface_stops(pyramid, ray, sight, surface, direction, rules);
      if (!found) {
        float2 leave = onepass_screen_crossings(ray, ray.texel + onepass_screen_ahead(ray));
        onepass_screen_leave(ray, rules, min(leave.x, leave.y));
        ray.level = min(ray.level + 1u, pyramid.last_level);
      }
    }
  }
  OnepassReflectionHit hit;
  hit.at = float2(0.0, 0.0);
  hit.distance = 0.0;
  if (found) hit = onepass_hit_of(pyramid, ray, surface, direction);
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
