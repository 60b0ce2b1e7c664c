// reflection_frames.glsl: the mean over frames of a texel's reflection. Part of reflection_denoise.glsl, whose macros
// it needs.
#ifndef ONEPASS_REFLECTION_FRAMES_GLSL_
#define ONEPASS_REFLECTION_FRAMES_GLSL_

#include "onepass/prelude_names.glsl"

#define ONEPASS_DENOISE_TILE 8u     // texels along a side of a workgroup's tile
#define ONEPASS_DENOISE_HALO 2      // texels around it
#define ONEPASS_DENOISE_SIDE 12u    // of both
#define ONEPASS_DENOISE_LEAST 0.01  // weight of the texels around, for a mean that says something about a texel

groupshared float4 s_denoise_values[ONEPASS_DENOISE_SIDE * ONEPASS_DENOISE_SIDE];
groupshared float4 s_denoise_surfaces[ONEPASS_DENOISE_SIDE * ONEPASS_DENOISE_SIDE];  // position, roughness; -1: none
groupshared float3 s_denoise_normals[ONEPASS_DENOISE_SIDE * ONEPASS_DENOISE_SIDE];
groupshared float s_denoise_distances[ONEPASS_DENOISE_SIDE * ONEPASS_DENOISE_SIDE];

void onepass_load_denoise_tile(uint2 size, uint2 tile, uint lane) {
  for (uint i = lane; i < ONEPASS_DENOISE_SIDE * ONEPASS_DENOISE_SIDE;
       i += ONEPASS_DENOISE_TILE * ONEPASS_DENOISE_TILE) {
    int2 texel = int2(tile * ONEPASS_DENOISE_TILE + uint2(i % ONEPASS_DENOISE_SIDE, i / ONEPASS_DENOISE_SIDE)) -
                 ONEPASS_DENOISE_HALO;
    float4 kept = float4(0.0, 0.0, 0.0, -1.0);
    if (onepass_is_texel(texel, size)) {
      OnepassSurface surface = ONEPASS_LOAD_SURFACE(uint2(texel));
      float4 value = float4(0.0, 0.0, 0.0, 0.0);
      float distance = 0.0;
      bool has_rays = ONEPASS_LOAD_RAYS(uint2(texel), value, distance);
      s_denoise_values[i] = value;
      s_denoise_distances[i] = distance;
      s_denoise_normals[i] = surface.normal;
      kept = float4(surface.position, surface.exists && has_rays ? surface.roughness : -1.0);
    }
    s_denoise_surfaces[i] = kept;
  }
}

/// This frame's rays around a texel.
struct OnepassAround {
  float4 mean;  // of 5x5 texels
  float4 deviation;
  float4 closest;        // the texel's own, or the mean of 3x3 texels
  float weight;          // of the texels in mean
  float closest_weight;  // of the texels in closest; 0: none
  float distance;        // of hits, mean of 3x3 texels; 0: none
};

OnepassAround onepass_rays_around(OnepassLikeness likeness, uint at) {
  float4 sum = float4(0.0, 0.0, 0.0, 0.0);
  float4 squares = float4(0.0, 0.0, 0.0, 0.0);
  float weights = 0.0;
  float distances = 0.0;
  float distance_weights = 0.0;
  OnepassAround around;
  around.closest = float4(0.0, 0.0, 0.0, 0.0);
  around.closest_weight = 0.0;
  ONEPASS_LOOP for (int j = -ONEPASS_DENOISE_HALO; j <= ONEPASS_DENOISE_HALO; ++j) {
    ONEPASS_LOOP for (int i = -ONEPASS_DENOISE_HALO; i <= ONEPASS_DENOISE_HALO; ++i) {
      int k = int(at) + j * int(ONEPASS_DENOISE_SIDE) + i;
      float4 other = s_denoise_surfaces[k];
      if (other.w < 0.0) continue;
      float weight = exp(-onepass_difference(likeness, other.xyz, s_denoise_normals[k], other.w));
      float4 value = s_denoise_values[k];
      float4 weighted = weight * value;
      sum += weighted;
      squares += weighted * value;
      weights += weight;
      if (max(abs(i), abs(j)) > 1) continue;
      around.closest += weighted;
      around.closest_weight += weight;
      if (s_denoise_distances[k] <= 0.0) continue;
      distances += weight * s_denoise_distances[k];
      distance_weights += weight;
    }
  }
  // Of texels on curved surfaces without rays of their own the weights can be as small as 1e-30.
  around.mean = sum / max(weights, 1e-37);
  float4 variance = squares / max(weights, 1e-37) - around.mean * around.mean;
  around.deviation = sqrt(max(variance, float4(0.0, 0.0, 0.0, 0.0)));
  around.closest /= max(around.closest_weight, 1e-37);
  around.weight = weights;
  around.distance = distances / max(distance_weights, 1e-6);
  if (s_denoise_surfaces[at].w >= 0.0) around.closest = s_denoise_values[at];
  return around;
}

// The last frame's light at a coordinate of it; frames 0: nothing that belongs to the surface.
OnepassLight onepass_last_light(OnepassDenoiser denoiser, float2 at, OnepassSurface surface, float width) {
  OnepassLight sum = onepass_no_light();
  if (!(at.x >= 0.0 && at.y >= 0.0 && at.x <= 1.0 && at.y <= 1.0)) return sum;
  float2 place = at * float2(denoiser.size) - 0.5;
  int2 first = int2(floor(place));
  float2 part = place - float2(first);
  float weights = 0.0;
  float distance_weights = 0.0;
  ONEPASS_LOOP for (int i = 0; i < 4; ++i) {
    int2 corner = int2(i & 1, i >> 1);
    int2 texel = first + corner;
    if (!onepass_is_texel(texel, denoiser.size)) continue;
    OnepassLight light = onepass_no_light();
    float depth = 0.0;
    float3 normal = float3(0.0, 0.0, 0.0);
    ONEPASS_LOAD_LAST(uint2(texel), light, depth, normal);
    if (!(light.frames > 0.0)) continue;
    float2 center = onepass_center_of(uint2(texel), denoiser.size);
    float3 position = onepass_unproject(ONEPASS_LAST_WORLD_FROM_CLIP, center, depth);
    float across = corner.x == 0 ? 1.0 - part.x : part.x;
    float down = corner.y == 0 ? 1.0 - part.y : part.y;
    // Moving surfaces have left their plane: by the distance that motion vectors cannot tell.
    float off = abs(dot(surface.normal, position - surface.position));
    bool same = off <= 2.0 * width + 0.01 * surface.eye && dot(normal, surface.normal) > 0.9;
    float weight = same ? across * down : 0.0;
    sum.value += weight * light.value;
    sum.deviation += weight * light.deviation;
    sum.frames += weight * light.frames;
    weights += weight;
    if (light.distance <= 0.0) continue;
    sum.distance += weight * light.distance;
    distance_weights += weight;
  }
  if (!(weights > 0.01)) return onepass_no_light();
  sum.value /= weights;
  sum.deviation /= weights;
  sum.frames /= weights;
  sum.distance /= max(distance_weights, 1e-6);
  return sum;
}

// Where the last frame showed what the surface reflects at this distance.
float2 onepass_reflected_place(OnepassSurface surface, float distance) {
  float far = distance > 0.0 ? distance : 1e4 * surface.eye;
  float4 place = onepass_project(ONEPASS_LAST_CLIP_FROM_WORLD, surface.position - far * surface.view);
  return place.w > 0.0 ? place.xy : float2(-1.0, -1.0);
}

OnepassLight onepass_find_history(OnepassDenoiser denoiser, uint2 texel, OnepassSurface surface, float width,
                                  OnepassAround around) {
  float2 at = ONEPASS_LAST_PLACE(texel, surface);
  OnepassLight by_surface = onepass_last_light(denoiser, at, surface, width);
  at = onepass_reflected_place(surface, around.distance);
  OnepassLight by_hit = onepass_last_light(denoiser, at, surface, width);
  if (by_hit.frames <= 0.0) return by_surface;
  if (by_surface.frames <= 0.0) return by_hit;
  float3 a = by_surface.value.rgb - around.mean.rgb;
  float3 b = by_hit.value.rgb - around.mean.rgb;
  if (dot(b, b) < dot(a, a)) return by_hit;
  return by_surface;
}

float onepass_mix(float a, float b, float part) { return a * (1.0 - part) + b * part; }

// With rays of the texel's own, the mean with the last frames; without, these alone, or else what is around.
OnepassLight onepass_join_frames(OnepassDenoiser denoiser, OnepassAround around, OnepassLight last, bool has_rays) {
  float own = onepass_luminance_of(around.closest.rgb);
  float mean = onepass_luminance_of(last.value.rgb);
  float squares = last.deviation * last.deviation + mean * mean;
  // Few rays around the texel may all miss what others hit: the deviation over the frames knows better.
  float4 reach = denoiser.history_deviations *
                 max(around.deviation, float4(last.deviation, last.deviation, last.deviation, last.deviation));
  float4 clipped = clamp(last.value, around.mean - reach, around.mean + reach);
  if (denoiser.history_deviations > 0.0 && around.weight > ONEPASS_DENOISE_LEAST) last.value = clipped;
  OnepassLight light;
  light.frames = min(last.frames + 1.0, float(denoiser.history_frames));
  float part = 1.0 / light.frames;
  if (!has_rays && last.frames > 0.0) {
    light.frames = last.frames;
    part = 0.0;
  }
  light.value = last.value * (1.0 - part) + around.closest * part;
  light.distance = around.distance > 0.0 ? around.distance : last.distance;
  if (around.distance > 0.0 && last.distance > 0.0) light.distance = onepass_mix(last.distance, around.distance, part);
  // The variance of one frame: over the frames, in the first ones over the texels around.
  float mixed = onepass_luminance_of(light.value.rgb);
  float over_frames = sqrt(max(onepass_mix(squares, own * own, part) - mixed * mixed, 0.0));
  float over_texels = onepass_luminance_of(around.deviation.rgb);
  light.deviation = light.frames < 4.0 ? max(over_frames, over_texels) : over_frames;
  return light;
}

/// The mean over frames of a texel, of this frame's rays and the history. Call it with all invocations of a workgroup
/// of 64, which has a tile of 8x8 texels: `lane` is the index of the invocation, whose texel is 8 * tile + (lane % 8,
/// lane / 8). The answer of texels outside the image and of surfaces that do not exist has no meaning.
OnepassLight onepass_denoise_over_frames(OnepassDenoiser denoiser, uint2 tile, uint lane) {
  onepass_load_denoise_tile(denoiser.size, tile, lane);
  onepass_group_barrier();  // the texels of the tile and around it are in shared memory
  uint2 own = uint2(lane % ONEPASS_DENOISE_TILE, lane / ONEPASS_DENOISE_TILE);
  uint2 texel = tile * ONEPASS_DENOISE_TILE + own;
  OnepassLight light = onepass_no_light();
  if (!onepass_is_texel(int2(texel), denoiser.size)) return light;
  OnepassSurface surface = ONEPASS_LOAD_SURFACE(texel);
  if (!surface.exists) return light;
  float width = onepass_texel_width(ONEPASS_WORLD_FROM_CLIP, surface, texel, denoiser.size);
  uint at = (own.y + uint(ONEPASS_DENOISE_HALO)) * ONEPASS_DENOISE_SIDE + own.x + uint(ONEPASS_DENOISE_HALO);
  OnepassAround around = onepass_rays_around(onepass_likeness(surface, width), at);
  if (!denoiser.reset && denoiser.history_frames > 1u) {
    light = onepass_find_history(denoiser, texel, surface, width, around);
  }
  if (!(around.closest_weight > 0.0)) return light;
  return onepass_join_frames(denoiser, around, light, s_denoise_surfaces[at].w >= 0.0);
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_REFLECTION_FRAMES_GLSL_
