// reflection_surface.glsl: surfaces of a frame, and what reflections know of them. Part of reflection_march.glsl and
// reflection_denoise.glsl. Nothing in it is NaN or infinite that was not so before.
#ifndef ONEPASS_REFLECTION_SURFACE_GLSL_
#define ONEPASS_REFLECTION_SURFACE_GLSL_

#include "onepass/prelude_types.glsl"
#include "onepass/prelude_names.glsl"

/// The surface at a texel. Make it by onepass_make_surface.
struct OnepassSurface {
  float3 position;  // world
  float3 normal;    // world; unit length
  float3 view;      // unit vector to the eye
  float eye;        // distance along `view` to the near plane
  float depth;
  float roughness;  // the square root of GGX's alpha
  bool exists;      // false: background, the near plane, or a depth, normal or position that is none
};

/// The reflection of a texel, as far as it is known.
struct OnepassLight {
  float4 value;     // radiance, confidence
  float deviation;  // standard deviation of the luminance of one frame
  float distance;   // of the hit; 0: none
  float frames;     // that the value is the mean of; 0: nothing is known
};

OnepassLight onepass_no_light() {
  OnepassLight light;
  light.value = float4(0.0, 0.0, 0.0, 0.0);
  light.deviation = 0.0;
  light.distance = 0.0;
  light.frames = 0.0;
  return light;
}

// ---- Numbers that are neither NaN nor infinite, by their bits: compilers may assume that floats are numbers

bool onepass_is_finite(float x) { return (onepass_float_bits(x) & 0x7F800000u) != 0x7F800000u; }
bool onepass_is_finite3(float3 x) { return onepass_is_finite(x.x) && onepass_is_finite(x.y) && onepass_is_finite(x.z); }

#define ONEPASS_MOST_HALF 65504.0

/// A value that a half can hold; NaN and negative values become 0.
float onepass_storable(float x) {
  bool nan = (onepass_float_bits(x) & 0x7FFFFFFFu) > 0x7F800000u;
  return nan ? 0.0 : clamp(x, 0.0, ONEPASS_MOST_HALF);
}
float4 onepass_storable4(float4 x) {
  return float4(onepass_storable(x.x), onepass_storable(x.y), onepass_storable(x.z), onepass_storable(x.w));
}

float onepass_luminance_of(float3 color) { return dot(color, float3(0.2126, 0.7152, 0.0722)); }

// ---- Coordinates: 0 to 1 from left to right and from top to bottom

float2 onepass_center_of(uint2 texel, uint2 size) { return (float2(texel) + 0.5) / float2(size); }

/// The point in the world at a coordinate and depth.
float3 onepass_unproject(float4x4 world_from_clip, float2 at, float depth) {
  float4 world = onepass_transform(world_from_clip, float4(2.0 * at.x - 1.0, 2.0 * at.y - 1.0, depth, 1.0));
  return world.xyz * (1.0 / world.w);
}
float3 onepass_near_point(float4x4 world_from_clip, float2 at, bool reversed_depth) {
  return onepass_unproject(world_from_clip, at, reversed_depth ? 1.0 : 0.0);
}

/// Coordinates and depth of a point in xyz, w in w: w <= 0: behind the eye.
float4 onepass_project(float4x4 clip_from_world, float3 world) {
  float4 clip = onepass_transform(clip_from_world, float4(world, 1.0));
  float over = 1.0 / clip.w;
  return float4(0.5 * clip.x * over + 0.5, 0.5 * clip.y * over + 0.5, clip.z * over, clip.w);
}

// ---- Surfaces

/// A depth of something, and not of the background; NaN is background.
bool onepass_is_surface(float depth, bool reversed_depth) {
  return reversed_depth ? depth > 0.0 && depth <= 1.0 : depth >= 0.0 && depth < 1.0;
}

/// `normal` of unit length, or zero if there is none.
float3 onepass_unit_normal(float3 normal) {
  float squared = dot(normal, normal);
  bool known = onepass_is_finite(squared) && squared > 1e-8;
  return normal * (known ? 1.0 / sqrt(known ? squared : 1.0) : 0.0);
}

/// A vector from two numbers of -1 to 1, not of unit length. Z. Cigolle et al., "A Survey of Efficient Representations
/// for Independent Unit Vectors", JCGT 3 (2), 2014.
float3 onepass_from_octahedron(float2 at) {
  float3 n = float3(at, 1.0 - abs(at.x) - abs(at.y));
  float fold = max(-n.z, 0.0);
  n.x -= n.x >= 0.0 ? fold : -fold;
  n.y -= n.y >= 0.0 ? fold : -fold;
  return n;
}
float2 onepass_to_octahedron(float3 n) {
  float2 at = n.xy / (abs(n.x) + abs(n.y) + abs(n.z));
  float2 folded =
      float2((1.0 - abs(at.y)) * (at.x >= 0.0 ? 1.0 : -1.0), (1.0 - abs(at.x)) * (at.y >= 0.0 ? 1.0 : -1.0));
  return n.z < 0.0 ? folded : at;
}

/// The surface at a coordinate. `normal`: in the world, of any length.
OnepassSurface onepass_make_surface(float4x4 world_from_clip, float2 at, float depth, bool reversed_depth,
                                    float3 normal, float roughness) {
  OnepassSurface surface;
  surface.depth = depth;
  surface.roughness = roughness;
  surface.normal = onepass_unit_normal(normal);
  bool is_near = depth == (reversed_depth ? 1.0 : 0.0);
  bool known = onepass_is_surface(depth, reversed_depth) && !is_near && dot(surface.normal, surface.normal) > 0.5;
  surface.position = onepass_unproject(world_from_clip, at, known ? depth : 0.5);
  float3 to_eye = onepass_near_point(world_from_clip, at, reversed_depth) - surface.position;
  surface.eye = length(to_eye);
  // Compilers remove the vector to the eye where only position and normal are needed: in taps of filters.
  surface.view = surface.eye > 0.0 ? to_eye / surface.eye : surface.normal;
  surface.exists = known && onepass_is_finite3(surface.position);
  return surface;
}

/// The normal that reflects: one that looks away, of a bent or interpolated one, is turned to the silhouette.
float3 onepass_facing_normal(OnepassSurface surface) {
  float facing = dot(surface.normal, surface.view);
  return facing < 0.01 ? normalize(surface.normal + (0.01 - facing) * surface.view) : surface.normal;
}

/// The direction of a mirror's reflection.
float3 onepass_mirror_direction(OnepassSurface surface) {
  float3 normal = onepass_facing_normal(surface);
  return 2.0 * dot(surface.view, normal) * normal - surface.view;
}

// Width of a texel at the surface, in the world.
float onepass_texel_width(float4x4 world_from_clip, OnepassSurface surface, uint2 texel, uint2 size) {
  float2 beside = onepass_center_of(texel, size) + float2(1.0 / float(size.x), 0.0);
  return length(onepass_unproject(world_from_clip, beside, surface.depth) - surface.position);
}

// How fast reflections differ from that of a surface. Members are factors of exponents: by 1 a weight falls to 1 / e.
struct OnepassLikeness {
  float3 position;
  float3 normal;
  float roughness;
  float width;     // half the width of a texel at the surface, in the world
  float per_turn;  // of 1 - the cosine between the normals
  float per_roughness;
};

// `width`: of the texel at its surface.
OnepassLikeness onepass_likeness(OnepassSurface surface, float width) {
  OnepassLikeness to;
  to.position = surface.position;
  to.normal = surface.normal;
  to.roughness = surface.roughness;
  to.width = 0.5 * width;
  // The lobe turns twice as fast as the normal; lobes of width alpha. 1 - the cosine is half the squared angle.
  float alpha = max(surface.roughness * surface.roughness, 0.01);
  to.per_turn = 4.0 / (alpha * alpha + 1e-4);
  to.per_roughness = 1.0 / (0.1 * surface.roughness + 0.01);
  return to;
}

// How much less another texel's reflection belongs to a texel's than one of the same plane, direction and roughness:
// the weight is exp(-difference).
float onepass_difference(OnepassLikeness to, float3 position, float3 normal, float roughness) {
  // 1 at half a texel's width and a twentieth of the distance to the other texel off the plane.
  float3 away = position - to.position;
  float plane = abs(dot(to.normal, away)) / (to.width + 0.05 * length(away));
  // Not endless on a curved surface: a texel without a ray of its own has nothing else.
  float lobe = min(to.per_turn * max(1.0 - dot(to.normal, normal), 0.0), 50.0);
  return plane + lobe + to.per_roughness * abs(roughness - to.roughness);
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_REFLECTION_SURFACE_GLSL_
