// reflection_denoise.glsl: removes the noise of reflections that have few random rays per texel: a mean over frames,
// then a mean over texels. The rays may be those of reflection_march.glsl, or of an acceleration structure.
//
// onepass_denoise_over_frames. The history is looked up twice: where the surface was, and where the point that is seen
// in the reflection was (as far behind the surface as it is in front of it, as in a plane mirror). Each tap counts only
// if its surface is the texel's: its normal is similar, and it lies in the texel's plane. Of both lookups the one
// nearer to the mean of this frame around the texel is taken, and clipped to a few standard deviations around that
// mean, so that moving reflections leave no trail. After C. Schied et al., "Spatiotemporal Variance-Guided Filtering",
// HPG 2017 (moments), and T. Stachowiak, "Stochastic Screen-Space Reflections", SIGGRAPH 2015 (hit points).
//
// onepass_denoise_over_texels. One pass of an edge-avoiding à-trous filter: 3x3 taps, `step` texels apart, which
// doubles from pass to pass. A tap counts by its surface, by the difference of the luminance against its standard
// deviation, and by its distance against the width on the screen of what one texel's lobe sees: reflections of near
// things are sharp, and so stay sharp. After H. Dammertz et al., "Edge-Avoiding À-Trous Wavelet Transform for fast
// Global Illumination Filtering", HPG 2010, and Schied et al.
//
// Define before including it; macros, expressions or names of functions declared before, whose types are in
// reflection_surface.glsl. Texels are uint2:
//     ONEPASS_LOAD_SURFACE(texel)        OnepassSurface of this frame; exists = false: has no part in the filter. Of
//                                        texels around, only exists, position, normal and roughness are read
//     ONEPASS_LOAD_RAYS(texel, value, distance)   bool: whether the texel has rays in this frame; sets the mean of
//                                        their radiance and confidence (float4) and of the distances of their hits, in
//                                        the world (0: none). No value may be NaN or infinite
//     ONEPASS_LOAD_LAST(texel, light, depth, normal)   sets the OnepassLight of the last frame (light.frames = 0: there
//                                        is none), and depth and normal, a float3 of unit length, of its surface
//     ONEPASS_LOAD_LIGHT(texel)          OnepassLight: what the pass before has stored
//     ONEPASS_LAST_PLACE(texel, surface) float2: the coordinate at which the last frame showed the surface
//     ONEPASS_WORLD_FROM_CLIP, ONEPASS_LAST_CLIP_FROM_WORLD, ONEPASS_LAST_WORLD_FROM_CLIP   float4x4, as in
//                                        reflection_march.glsl; of the last frame without its jitter
// Needs GL_GOOGLE_include_directive, GLSL 4.60 and Vulkan 1.1; compute shaders only.
#ifndef ONEPASS_REFLECTION_DENOISE_GLSL_
#define ONEPASS_REFLECTION_DENOISE_GLSL_

#if !defined(ONEPASS_LOAD_SURFACE) || !defined(ONEPASS_LOAD_RAYS) || !defined(ONEPASS_LOAD_LAST)
#error onepass: define ONEPASS_LOAD_SURFACE and ONEPASS_LOAD_RAYS and ONEPASS_LOAD_LAST before reflection_denoise.glsl
#endif
#if !defined(ONEPASS_LOAD_LIGHT) || !defined(ONEPASS_LAST_PLACE)
#error onepass: define ONEPASS_LOAD_LIGHT and ONEPASS_LAST_PLACE before reflection_denoise.glsl
#endif
#if !defined(ONEPASS_WORLD_FROM_CLIP) || !defined(ONEPASS_LAST_CLIP_FROM_WORLD) || \
    !defined(ONEPASS_LAST_WORLD_FROM_CLIP)
#error onepass: define ONEPASS_WORLD_FROM_CLIP and both ONEPASS_LAST_ matrices before reflection_denoise.glsl
#endif

#include "onepass/prelude.glsl"
#include "onepass/reflection_surface.glsl"
#include "onepass/prelude_names.glsl"

/// What both steps need.
struct OnepassDenoiser {
  uint2 size;                // of the images
  uint history_frames;       // most frames in a mean; 1: no history
  float history_deviations;  // clip of the history, in standard deviations; 0: none
  bool reset;                // the history is not read: after a cut
  float filter_radius;       // of the filter over texels, in radii of what the lobe of a texel covers; default 0.5
};

bool onepass_is_texel(int2 texel, uint2 size) {
  return texel.x >= 0 && texel.y >= 0 && texel.x < int(size.x) && texel.y < int(size.y);
}

#include "onepass/reflection_frames.glsl"
#include "onepass/prelude_names.glsl"

// ---- The mean over texels

// Radius on the screen, in texels, of what the lobe of a texel covers: tan(lobe) = alpha.
float onepass_lobe_radius(OnepassSurface surface, float width, float distance) {
  float seen = distance > 0.0 ? distance : surface.eye;
  float alpha = surface.roughness * surface.roughness;
  return alpha * seen * surface.eye / ((surface.eye + seen) * max(width, 1e-30));
}

/// One pass of the filter: the mean of a texel and the eight texels `step` beside it. `light`: the texel's own, as the
/// pass before has stored it; the answer for a surface that does not exist.
OnepassLight onepass_denoise_over_texels(OnepassDenoiser denoiser, uint2 texel, OnepassSurface surface,
                                         OnepassLight light, uint step) {
  if (!surface.exists) return light;
  float width = onepass_texel_width(ONEPASS_WORLD_FROM_CLIP, surface, texel, denoiser.size);
  OnepassLikeness likeness = onepass_likeness(surface, width);
  float radius = max(denoiser.filter_radius * onepass_lobe_radius(surface, width, light.distance), 0.01);
  float per_offset = 0.5 / (radius * radius);
  // Of the mean over the frames.
  float scale = 1.0 / (4.0 * light.deviation / sqrt(max(light.frames, 1.0)) + 1e-4);
  float brightness = onepass_luminance_of(light.value.rgb);
  float4 sum = light.value;
  float variance = light.deviation * light.deviation;
  float weights = 1.0;
  ONEPASS_LOOP for (int i = 0; i < 9; ++i) {
    int2 offset = int(step) * int2(i % 3 - 1, i / 3 - 1);
    int2 at = int2(texel) + offset;
    if (i == 4 || !onepass_is_texel(at, denoiser.size)) continue;
    OnepassSurface other = ONEPASS_LOAD_SURFACE(uint2(at));
    if (!other.exists) continue;
    OnepassLight tap = ONEPASS_LOAD_LIGHT(uint2(at));
    float difference = onepass_difference(likeness, other.position, other.normal, other.roughness);
    difference += per_offset * float(offset.x * offset.x + offset.y * offset.y);
    difference += scale * abs(onepass_luminance_of(tap.value.rgb) - brightness);
    float weight = tap.frames > 0.0 ? exp(-difference) : 0.0;
    sum += weight * tap.value;
    variance += weight * weight * tap.deviation * tap.deviation;
    weights += weight;
  }
  light.value = sum / weights;
  light.deviation = sqrt(variance) / weights;
  return light;
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_REFLECTION_DENOISE_GLSL_
