// reflection_ray.glsl: directions of rays and the march of one ray through the depth pyramid.
//
// Directions: half vectors from the distribution of visible normals of GGX, by a uniform point of a spherical cap:
// J. Dupuy, A. Benyoub, "Sampling Visible GGX Normals with Spherical Caps", HPG 2023; the distribution: E. Heitz,
// "Sampling the GGX Distribution of Visible Normals", JCGT 7 (4), 2018. Ray march: onepass/depth_query_march.glsl.

uint march_slice;  // of the invocation's ray

float load_nearest(uint level, uint2 cell) {
  int3 at = int3(int2(cell), int(march_slice));
  return level == 0u ? texelFetch(depth_image, at, 0).x
                     : texelFetch(pyramid_image, at, int(level) - 1)[NEAREST_CHANNEL];
}
#define ONEPASS_LOAD_NEAREST(level, cell) load_nearest(level, cell)
#include "onepass/depth_query.glsl"

// ---- Directions

// Two numbers in [0, 1): blue noise over the texels, a sequence of low discrepancy (the plastic number's) over rays and
// frames.
float2 noise_of(uint2 texel, uint number) {
  uint2 at = texel % ONEPASS_REFLECTION_NOISE;
  uint index = at.y * ONEPASS_REFLECTION_NOISE + at.x;
  uint word = noise.words[index / 4u][index % 4u];
  uint2 value = uint2(word << 16u, word & 0xFFFF0000u) + uint2(0x8000u, 0x8000u);
  value += number * uint2(3242174889u, 2447445414u);
  return float2(value >> 8u) * (1.0 / 16777216.0);
}

// Two unit vectors at right angles to n and to each other.
void tangents_of(float3 n, out float3 x, out float3 y) {
  float sign_z = n.z >= 0.0 ? 1.0 : -1.0;
  float a = -1.0 / (sign_z + n.z);
  float b = n.x * n.y * a;
  x = float3(1.0 + sign_z * n.x * n.x * a, sign_z * b, -sign_z * n.x);
  y = float3(b, sign_z + n.y * n.y * a, -n.y);
}

// A visible normal of GGX, for a view vector in the space of the surface, whose normal is z.
float3 visible_normal(float3 view, float alpha, float2 u) {
  float3 stretched = normalize(float3(alpha * view.xy, view.z));
  float z = (1.0 - u.y) * (1.0 + stretched.z) - stretched.z;
  float radius = sqrt(clamp(1.0 - z * z, 0.0, 1.0));
  float angle = 2.0 * kPi * u.x;
  float3 cap = float3(radius * cos(angle), radius * sin(angle), z) + stretched;
  return normalize(float3(alpha * cap.xy, max(cap.z, 1e-6)));
}

// A direction of the surface's reflection. Directions into the surface are drawn again; after four of them, the
// mirror's.
float3 ray_direction(Surface surface, uint2 texel, uint number) {
  float3 mirror = reflect(-surface.view, surface.normal);
  if (surface.kind == ONEPASS_REFLECTION_MIRROR) return mirror;
  float3 x;
  float3 y;
  tangents_of(surface.normal, x, y);
  float3 view = float3(dot(surface.view, x), dot(surface.view, y), dot(surface.view, surface.normal));
  float alpha = surface.roughness * surface.roughness;
  float2 u = noise_of(texel, number);
  ONEPASS_UNROLL for (uint i = 0u; i < 4u; ++i) {
    float3 half_vector = visible_normal(view, alpha, fract(u + float(i) * float2(0.5, 0.25)));
    float3 direction = reflect(-view, half_vector);
    if (direction.z > 0.0) return normalize(direction.x * x + direction.y * y + direction.z * surface.normal);
  }
  return mirror;
}

// ---- Ray march

struct Hit {
  float2 at;       // coordinates
  float distance;  // along the ray; 0: none
};

// The end of the ray's line on the screen, a texel beyond the border; the start if there is no line.
float3 line_end(float3 from, Surface surface, float3 direction) {
  float4x4 clip_from_world = state.matrices[march_slice].clip_from_world;
  float4 start = clip_from_world * float4(surface.position, 1.0);
  float4 along = clip_from_world * float4(direction, 0.0);
  // Not to the near plane: there the quantity below is 0.
  float near_start = REVERSED_DEPTH ? start.w - start.z : start.z;
  float near_along = REVERSED_DEPTH ? along.w - along.z : along.z;
  float length = 1e4 * surface.eye;  // the vanishing point, within 1e-4 of the coordinates
  if (near_along < 0.0) length = min(length, 0.999 * near_start / -near_along);
  float4 end = start + length * along;
  if (!(end.w > 0.0)) return from;
  float3 to = float3(0.5 * end.xy / end.w + 0.5, end.z / end.w);
  float2 margin = 1.0 / float2(pc.size);
  float2 ahead = to.xy - from.xy;
  float2 room = float2(ahead.x > 0.0 ? 1.0 + margin.x - from.x : from.x + margin.x,
                       ahead.y > 0.0 ? 1.0 + margin.y - from.y : from.y + margin.y);
  float part = min(1.0, min(room.x / max(abs(ahead.x), 1e-30), room.y / max(abs(ahead.y), 1e-30)));
  return from + part * (to - from);
}

// Whether the surface of the base texel that the ray went behind stops it, and where.
bool stops(OnepassDepthPyramid pyramid, OnepassRay ray, Surface surface, float3 direction, out Hit hit) {
  int2 texel = int2(ray.texel);
  float depth = texelFetch(depth_image, int3(texel, int(march_slice)), 0).x;
  float3 normal = load_normal(texel, march_slice);
  float slope = dot(normal, direction);
  // Only the front of a surface is known. This refuses the surface that the ray leaves, too.
  if (!is_surface(depth) || !(slope < 0.0)) return false;
  float4x4 world_from_clip = state.matrices[march_slice].world_from_clip;
  float2 center = center_of(ray.texel);
  float3 met = unproject(world_from_clip, center, depth);
  // Where the ray meets the plane of the texel's surface: a hit if that is within the texel or beside it.
  hit.distance = dot(normal, met - surface.position) / slope;
  hit.at = project(state.matrices[march_slice].clip_from_world, surface.position + hit.distance * direction).xy;
  float2 off = abs(hit.at - center) * float2(pc.size);
  if (hit.distance > 0.0 && max(off.x, off.y) <= 1.0) return true;
  // Otherwise the ray is behind the texel's surface, which ends somewhere behind.
  float3 point = onepass_ray_point(pyramid, ray);
  float3 ray_at = unproject(world_from_clip, point.xy, point.z);
  float3 eye = near_point(world_from_clip, center);
  float surface_distance = length(met - eye);
  float behind = length(ray_at - near_point(world_from_clip, point.xy)) - surface_distance;
  hit.at = point.xy;
  hit.distance = length(ray_at - surface.position);
  return behind <= pc.thickness + pc.relative_thickness * surface_distance;
}

Hit trace(uint2 texel, Surface surface, float3 direction) {
  OnepassDepthPyramid pyramid = onepass_full_depth_pyramid(pc.size, FOOTPRINT, REVERSED_DEPTH);
  pyramid.last_level = pc.last_level;
  float3 from = float3(center_of(texel), surface.depth);
  OnepassRay ray = onepass_ray_begin(pyramid, from, line_end(from, surface, direction));
  // The ray leaves the texel from which it starts.
  float beyond = onepass_unknown_farthest(REVERSED_DEPTH);
  if (ray.state == ONEPASS_RAY_MARCHING) onepass_ray_advance(pyramid, ray, ray.texel, beyond);
  Hit hit = Hit(float2(0.0, 0.0), 0.0);
  bool found = false;
  for (uint step = 0u; step < pc.max_steps && ray.state == ONEPASS_RAY_MARCHING; ++step) {
    onepass_ray_step(pyramid, ray);
    if (ray.state == ONEPASS_RAY_HIT) {
      found = stops(pyramid, ray, surface, direction, hit);
      if (!found) {
        ray.state = ONEPASS_RAY_MARCHING;
        onepass_ray_advance(pyramid, ray, ray.texel, beyond);
      }
    }
  }
  if (!found) hit.distance = 0.0;
  return hit;
}
