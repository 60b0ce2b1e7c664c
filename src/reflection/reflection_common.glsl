// reflection_common.glsl: constants, bindings, surfaces and storage of texels, for all kernels of reflections.
//
// Scratch memory, one element per texel and slice:
//     traced   4 words   what the march found: a Light in three words, kNoRay in the third one without a ray. The last
//                        word of element k is entry k of the list of rays. Passes of the filter overwrite all.
//     settled  4 words   a Light: the mean over frames; passes of the filter overwrite it
//     history  6 words   a Light as the last frame left it, not filtered; then depth and normal of its surface
#include "onepass/prelude.glsl"
#include "reflection/reflection_params.h"

layout(constant_id = 0) const uint MARCH_GROUP = 64u;
layout(constant_id = 1) const uint RAYS = 1u;  // per texel; 0: one for each quad of 2x2
layout(constant_id = 2) const uint FOOTPRINT = 1u;
layout(constant_id = 3) const uint NEAREST_CHANNEL = 0u;
layout(constant_id = 4) const bool REVERSED_DEPTH = false;
layout(constant_id = 5) const uint NORMAL_ENCODING = 0u;  // of enum NormalEncoding
layout(constant_id = 6) const uint ROUGHNESS_CHANNEL = 0u;
layout(constant_id = 7) const bool HAS_MOTION = false;
layout(constant_id = 8) const bool HAS_ENVIRONMENT = false;
layout(constant_id = 9) const bool COLOR_OF_LAST_FRAME = false;
layout(constant_id = 10) const bool STORES_DISTANCE = false;
layout(constant_id = 11) const uint FILTER_PASSES = 0u;
layout(push_constant, std430) uniform Constants { ReflectionParams pc; };

layout(binding = 0) uniform sampler2DArray depth_image;
layout(binding = 1) uniform sampler2DArray pyramid_image;  // levels 1 and up
layout(binding = 2) uniform sampler2DArray normal_image;
layout(binding = 3) uniform sampler2DArray roughness_image;
layout(binding = 4) uniform sampler2DArray color_image;
layout(binding = 5) uniform sampler2DArray motion_image;
layout(binding = 6) uniform sampler2DArray environment_image;
layout(binding = 7) uniform writeonly image2DArray target;
layout(binding = 8) uniform writeonly image2DArray distance_target;
layout(binding = 9, std430) buffer State {
  uint header[ONEPASS_REFLECTION_HEADER_WORDS];
  ReflectionMatrices matrices[ONEPASS_REFLECTION_MOST_SLICES];
  uint tiles[];  // two per tile: its kind; an entry of the list of rough tiles
} state;
layout(binding = 10, std430) buffer Traced { uint words[]; } traced;
layout(binding = 11, std430) buffer Settled { uint4 texels[]; } settled;
layout(binding = 12, std430) buffer History { uint2 pairs[]; } history;
layout(binding = 13, std140) uniform Noise { uint4 words[ONEPASS_REFLECTION_NOISE * ONEPASS_REFLECTION_NOISE / 4u]; } noise;

const float kPi = 3.14159265;
const float kMostHalf = 65504.0;
const uint kNoRay = 0xFFFFFFFFu;

// ---- Numbers that are neither NaN nor infinite, by their bits: compilers may assume that floats are numbers

bool is_finite(float x) { return (floatBitsToUint(x) & 0x7F800000u) != 0x7F800000u; }
bool is_finite3(float3 x) { return is_finite(x.x) && is_finite(x.y) && is_finite(x.z); }

// A value that a half can hold; NaN is 0.
float storable(float x) {
  bool nan = (floatBitsToUint(x) & 0x7FFFFFFFu) > 0x7F800000u;
  return nan ? 0.0 : clamp(x, 0.0, kMostHalf);
}
float4 storable4(float4 x) { return float4(storable(x.x), storable(x.y), storable(x.z), storable(x.w)); }

float luminance(float3 color) { return dot(color, float3(0.2126, 0.7152, 0.0722)); }

// ---- Texels

uint texel_index(uint2 texel, uint slice) { return (slice * pc.size.y + texel.y) * pc.size.x + texel.x; }
bool is_inside(int2 texel) {
  return texel.x >= 0 && texel.y >= 0 && texel.x < int(pc.size.x) && texel.y < int(pc.size.y);
}
float2 center_of(uint2 texel) { return (float2(texel) + 0.5) / float2(pc.size); }

// The tile and slice of a workgroup of the lists' dispatches; false beyond the list's end.
bool listed_tile(uint group, out uint2 tile, out uint slice) {
  uint2 tiles = (pc.size + (ONEPASS_REFLECTION_TILE - 1u)) / ONEPASS_REFLECTION_TILE;
  bool listed = group < state.header[ONEPASS_REFLECTION_TILES];
  uint entry = listed ? state.tiles[2u * group + 1u] : 0u;
  tile = uint2(entry % tiles.x, entry / tiles.x % tiles.y);
  slice = entry / (tiles.x * tiles.y);
  return listed;
}

uint2 packed(float4 value) {
  float4 kept = storable4(value);
  return uint2(packHalf2x16(kept.xy), packHalf2x16(kept.zw));
}
float4 unpacked(uint2 words) { return float4(unpackHalf2x16(words.x), unpackHalf2x16(words.y)); }

/// The state of a texel: its reflection as far as it is known.
struct Light {
  float4 value;     // radiance, confidence
  float deviation;  // standard deviation of the luminance of one frame
  float distance;   // of the hit; 0: none
  float frames;     // that the value is the mean of
};

uint4 pack_light(Light light) {
  uint2 value = packed(light.value);
  return uint4(value, packHalf2x16(float2(storable(light.deviation), storable(light.distance))),
               packHalf2x16(float2(storable(light.frames), 0.0)));
}
Light unpack_light(uint4 words) {
  float2 rest = unpackHalf2x16(words.z);
  return Light(unpacked(words.xy), rest.x, rest.y, unpackHalf2x16(words.w).x);
}

uint4 load_traced(uint index) {
  uint at = 4u * index;
  return uint4(traced.words[at], traced.words[at + 1u], traced.words[at + 2u], traced.words[at + 3u]);
}

// ---- Surfaces

struct Surface {
  float3 position;  // world
  float3 normal;    // world; unit length, towards the eye
  float3 view;      // unit vector to the eye
  float eye;        // distance along `view` to the near plane
  float depth;
  float roughness;
  uint kind;  // ONEPASS_REFLECTION_...
};

float3 unproject(float4x4 world_from_clip, float2 at, float depth) {
  float4 world = world_from_clip * float4(2.0 * at - 1.0, depth, 1.0);
  return world.xyz / world.w;
}
float3 near_point(float4x4 world_from_clip, float2 at) {
  return unproject(world_from_clip, at, REVERSED_DEPTH ? 1.0 : 0.0);
}

// Coordinates and depth of a point; w <= 0: behind the eye.
float4 project(float4x4 clip_from_world, float3 world) {
  float4 clip = clip_from_world * float4(world, 1.0);
  return float4(0.5 * clip.xy / clip.w + 0.5, clip.z / clip.w, clip.w);
}

// A depth of something, and not of the background; NaN is background.
bool is_surface(float depth) { return REVERSED_DEPTH ? depth > 0.0 && depth <= 1.0 : depth >= 0.0 && depth < 1.0; }

float3 octahedral(float2 at) {
  float3 n = float3(at, 1.0 - abs(at.x) - abs(at.y));
  float fold = max(-n.z, 0.0);
  n.xy -= float2(n.x >= 0.0 ? fold : -fold, n.y >= 0.0 ? fold : -fold);
  return n;
}

// Unit length, or zero if there is none.
float3 load_normal(int2 texel, uint slice) {
  float4 stored = texelFetch(normal_image, int3(texel, int(slice)), 0);
  float3 n = stored.xyz;
  if (NORMAL_ENCODING != 0u) n = 2.0 * n - 1.0;
  if (NORMAL_ENCODING == 2u) n = octahedral(n.xy);
  float squared = dot(n, n);
  return is_finite(squared) && squared > 1e-8 ? n * inversesqrt(squared) : float3(0.0, 0.0, 0.0);
}

float load_roughness(int2 texel, uint slice) {
  return texelFetch(roughness_image, int3(texel, int(slice)), 0)[ROUGHNESS_CHANNEL];
}

Surface load_surface(int2 texel, uint slice) {
  Surface surface;
  surface.depth = texelFetch(depth_image, int3(texel, int(slice)), 0).x;
  surface.roughness = load_roughness(texel, slice);
  surface.normal = load_normal(texel, slice);
  surface.kind = surface.roughness <= pc.max_roughness ? ONEPASS_REFLECTION_ROUGH : ONEPASS_REFLECTION_NONE;
  if (surface.roughness <= pc.mirror_roughness) surface.kind = ONEPASS_REFLECTION_MIRROR;
  float4x4 world_from_clip = state.matrices[slice].world_from_clip;
  float2 at = center_of(uint2(texel));
  bool known = is_surface(surface.depth) && dot(surface.normal, surface.normal) > 0.5;
  surface.position = unproject(world_from_clip, at, known ? surface.depth : 0.5);
  float3 to_eye = near_point(world_from_clip, at) - surface.position;
  surface.eye = length(to_eye);
  surface.view = to_eye / max(surface.eye, 1e-30);
  if (!known || !is_finite3(surface.position) || !is_finite(surface.eye) || surface.eye <= 0.0)
    surface.kind = ONEPASS_REFLECTION_NONE;
  // A normal that looks away, of a bent or interpolated one, is turned to the silhouette.
  float facing = dot(surface.normal, surface.view);
  const float kLeast = 0.01;
  if (facing < kLeast) surface.normal = normalize(surface.normal + (kLeast - facing) * surface.view);
  return surface;
}

// Width of a texel at the surface, in the world.
float texel_width(Surface surface, int2 texel, uint slice) {
  float2 beside = center_of(uint2(texel)) + float2(1.0 / float(pc.size.x), 0.0);
  return length(unproject(state.matrices[slice].world_from_clip, beside, surface.depth) - surface.position);
}

uint pack_normal(float3 n) {
  float2 at = n.xy / (abs(n.x) + abs(n.y) + abs(n.z));
  if (n.z < 0.0) at = (1.0 - abs(at.yx)) * float2(at.x >= 0.0 ? 1.0 : -1.0, at.y >= 0.0 ? 1.0 : -1.0);
  return packSnorm2x16(at);
}
float3 unpack_normal(uint word) { return normalize(octahedral(unpackSnorm2x16(word))); }

// ---- History

void keep_history(uint index, Light light, Surface surface) {
  uint4 words = pack_light(light);
  history.pairs[3u * index] = words.xy;
  history.pairs[3u * index + 1u] = words.zw;
  history.pairs[3u * index + 2u] = uint2(floatBitsToUint(surface.depth), pack_normal(surface.normal));
}
void forget_history(uint index) { history.pairs[3u * index + 1u] = uint2(0u, 0u); }
