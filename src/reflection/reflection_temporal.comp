// reflection_temporal.comp: joins what this frame's rays found with the last frames. A workgroup owns a rough tile, an
// invocation a texel.
//
// The history is looked up twice: where the surface was, and where the point that is seen in the reflection was (as far
// behind the surface as it is in front of it, as in a plane mirror). Each tap counts only if its surface is the
// texel's: its normal is similar, and it lies in the texel's plane. Of both lookups the one nearer to the mean of this
// frame around the texel is taken, and clipped to a few standard deviations around that mean, so that moving
// reflections leave no trail. After C. Schied et al., "Spatiotemporal Variance-Guided Filtering", HPG 2017 (moments),
// and T. Stachowiak, "Stochastic Screen-Space Reflections", SIGGRAPH 2015 (hit points).
#version 460
#extension GL_GOOGLE_include_directive : require
#include "reflection/reflection_common.glsl"
#include "reflection/reflection_weights.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

const int kHalo = 2;  // texels around the tile
const int kSide = 8 + 2 * kHalo;

shared float4 s_values[kSide * kSide];
shared float4 s_surfaces[kSide * kSide];  // position, roughness; roughness -1: nothing to use
shared uint s_normals[kSide * kSide];
shared float s_distances[kSide * kSide];

void load_tile(int2 first, uint slice, uint lane) {
  for (uint i = lane; i < uint(kSide * kSide); i += 64u) {
    int2 texel = first + int2(i % uint(kSide), i / uint(kSide)) - kHalo;
    float4 surface = float4(0.0, 0.0, 0.0, -1.0);
    if (is_inside(texel)) {
      Surface found = load_surface(texel, slice);
      uint4 words = load_traced(texel_index(uint2(texel), slice));
      Light light = unpack_light(words);
      s_values[i] = light.value;
      s_distances[i] = light.distance;
      s_normals[i] = pack_normal(found.normal);
      bool usable = found.kind == ONEPASS_REFLECTION_ROUGH && words.z != kNoRay;
      surface = float4(found.position, usable ? found.roughness : -1.0);
    }
    s_surfaces[i] = surface;
  }
}

/// This frame's rays around a texel.
struct Around {
  float4 mean, deviation;  // of 5x5 texels
  float4 near;             // the texel's own, or the mean of 3x3 texels
  float near_weight;       // 0: none
  float distance;          // of hits, mean of 3x3 texels; 0: none
};

Around gather(Surface surface, float width, uint at) {
  float4 sum = float4(0.0, 0.0, 0.0, 0.0);
  float4 squares = float4(0.0, 0.0, 0.0, 0.0);
  float4 near = float4(0.0, 0.0, 0.0, 0.0);
  float weights = 0.0;
  float near_weights = 0.0;
  float distances = 0.0;
  float distance_weights = 0.0;
  for (int j = -kHalo; j <= kHalo; ++j) {
    for (int i = -kHalo; i <= kHalo; ++i) {
      int k = int(at) + j * kSide + i;
      float4 other = s_surfaces[k];
      if (other.w < 0.0) continue;
      float weight = surface_weight(surface, width, other.xyz, unpack_normal(s_normals[k]), other.w);
      float4 value = s_values[k];
      sum += weight * value;
      squares += weight * value * value;
      weights += weight;
      if (max(abs(i), abs(j)) > 1) continue;
      near += weight * value;
      near_weights += weight;
      if (s_distances[k] <= 0.0) continue;
      distances += weight * s_distances[k];
      distance_weights += weight;
    }
  }
  Around around;
  around.mean = sum / max(weights, 1e-6);
  around.deviation = sqrt(max(squares / max(weights, 1e-6) - around.mean * around.mean, float4(0.0)));
  around.near = near / max(near_weights, 1e-6);
  around.near_weight = near_weights;
  around.distance = distances / max(distance_weights, 1e-6);
  if (s_surfaces[at].w >= 0.0) around.near = s_values[at];
  return around;
}

// The last frame's light at a coordinate of it; frames 0: nothing that belongs to the surface.
Light last_light(float2 at, uint slice, Surface surface, float width) {
  Light none = Light(float4(0.0, 0.0, 0.0, 0.0), 0.0, 0.0, 0.0);
  if (!(at.x >= 0.0 && at.y >= 0.0 && at.x <= 1.0 && at.y <= 1.0)) return none;
  float2 place = at * float2(pc.size) - 0.5;
  int2 first = int2(floor(place));
  float2 part = place - float2(first);
  Light sum = none;
  float weights = 0.0;
  float distance_weights = 0.0;
  ONEPASS_UNROLL for (int i = 0; i < 4; ++i) {
    int2 corner = int2(i & 1, i >> 1);
    int2 texel = first + corner;
    if (!is_inside(texel)) continue;
    uint index = 3u * texel_index(uint2(texel), slice);
    Light light = unpack_light(uint4(history.pairs[index], history.pairs[index + 1u]));
    if (!(light.frames > 0.0)) continue;
    uint2 words = history.pairs[index + 2u];
    float3 position =
        unproject(state.matrices[slice].last_world_from_clip, center_of(uint2(texel)), uintBitsToFloat(words.x));
    float2 linear = mix(1.0 - part, part, float2(corner));
    // Moving surfaces have left their plane: by the distance that motion vectors cannot tell.
    float off = abs(dot(surface.normal, position - surface.position));
    bool same = off <= 2.0 * width + 0.01 * surface.eye && dot(unpack_normal(words.y), surface.normal) > 0.9;
    float weight = same ? linear.x * linear.y : 0.0;
    sum.value += weight * light.value;
    sum.deviation += weight * light.deviation;
    sum.frames += weight * light.frames;
    weights += weight;
    if (light.distance <= 0.0) continue;
    sum.distance += weight * light.distance;
    distance_weights += weight;
  }
  if (!(weights > 0.01)) return none;
  sum.value /= weights;
  sum.deviation /= weights;
  sum.frames /= weights;
  sum.distance /= max(distance_weights, 1e-6);
  return sum;
}

// Where the surface was, and where what it reflects was.
float2 surface_place(int2 texel, uint slice, Surface surface) {
  if (!HAS_MOTION) return project(state.matrices[slice].last_clip_from_world, surface.position).xy;
  float2 motion = texelFetch(motion_image, int3(texel, int(slice)), 0).xy;
  return center_of(uint2(texel)) + float2(pc.motion_x, pc.motion_y) * motion;
}
float2 reflected_place(uint slice, Surface surface, float distance) {
  float far = distance > 0.0 ? distance : 1e4 * surface.eye;
  float4 place = project(state.matrices[slice].last_clip_from_world, surface.position - far * surface.view);
  return place.w > 0.0 ? place.xy : float2(-1.0, -1.0);
}

Light find_history(int2 texel, uint slice, Surface surface, float width, Around around) {
  Light by_surface = last_light(surface_place(texel, slice, surface), slice, surface, width);
  Light by_hit = last_light(reflected_place(slice, surface, around.distance), slice, surface, width);
  if (by_hit.frames <= 0.0) return by_surface;
  if (by_surface.frames <= 0.0) return by_hit;
  float3 a = by_surface.value.rgb - around.mean.rgb;
  float3 b = by_hit.value.rgb - around.mean.rgb;
  if (dot(b, b) < dot(a, a)) return by_hit;
  return by_surface;
}

// With a ray of the texel's own, the mean with the last frames; without, these alone, or else what is around.
Light join(Around around, Light last, bool has_ray) {
  float own = luminance(around.near.rgb);
  float mean = luminance(last.value.rgb);
  float squares = last.deviation * last.deviation + mean * mean;
  // Few rays around the texel may all miss what others hit: the deviation over the frames knows better.
  float4 reach = pc.history_deviations * max(around.deviation, float4(last.deviation));
  float4 clipped = clamp(last.value, around.mean - reach, around.mean + reach);
  if (pc.history_deviations > 0.0) last.value = clipped;
  Light light;
  light.frames = min(last.frames + 1.0, float(pc.history_frames));
  float part = 1.0 / light.frames;
  if (!has_ray && last.frames > 0.0) {
    light.frames = last.frames;
    part = 0.0;
  }
  light.value = mix(last.value, around.near, part);
  light.distance = around.distance > 0.0 ? around.distance : last.distance;
  if (around.distance > 0.0 && last.distance > 0.0) light.distance = mix(last.distance, around.distance, part);
  // The variance of one frame: over the frames, in the first ones over the texels around.
  float joined = mix(squares, own * own, part);
  float mixed = luminance(light.value.rgb);
  float over_frames = sqrt(max(joined - mixed * mixed, 0.0));
  float over_texels = luminance(around.deviation.rgb);
  light.deviation = light.frames < 4.0 ? max(over_frames, over_texels) : over_frames;
  return light;
}

void main() {
  uint2 tile;
  uint slice;
  bool listed = listed_tile(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, tile, slice);
  uint lane = gl_LocalInvocationIndex;
  int2 first = int2(tile * ONEPASS_REFLECTION_TILE);
  load_tile(first, slice, lane);
  barrier();  // the texels of the tile and around it are in shared memory
  int2 texel = first + int2(gl_LocalInvocationID.xy);
  if (!listed || !is_inside(texel)) return;
  uint index = texel_index(uint2(texel), slice);
  Surface surface = load_surface(texel, slice);
  Light light = Light(float4(0.0, 0.0, 0.0, 0.0), 0.0, 0.0, 0.0);
  if (surface.kind == ONEPASS_REFLECTION_MIRROR) light = unpack_light(uint4(load_traced(index).xyz, 0u));
  if (surface.kind == ONEPASS_REFLECTION_ROUGH) {
    float width = texel_width(surface, texel, slice);
    uint at = (gl_LocalInvocationID.y + uint(kHalo)) * uint(kSide) + gl_LocalInvocationID.x + uint(kHalo);
    Around around = gather(surface, width, at);
    Light last = light;
    if (pc.reset == 0u && pc.history_frames > 1u) last = find_history(texel, slice, surface, width, around);
    light = around.near_weight > 0.0 ? join(around, last, s_surfaces[at].w >= 0.0) : last;
  }
  settled.texels[index] = pack_light(light);
}
