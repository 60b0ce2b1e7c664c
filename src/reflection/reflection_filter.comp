// reflection_filter.comp: one pass of an edge-avoiding à-trous filter: 3x3 taps, `step` texels apart, which doubles
// from pass to pass. A workgroup owns a rough tile, an invocation a texel.
//
// A tap counts by its surface (reflection_weights.glsl), by the difference of the luminance against its standard
// deviation, and by its distance against the width on the screen of what one texel's lobe sees: reflections of near
// things are sharp, and so stay sharp. After H. Dammertz et al., "Edge-Avoiding À-Trous Wavelet Transform for fast
// Global Illumination Filtering", HPG 2010, and C. Schied et al., "Spatiotemporal Variance-Guided Filtering", HPG 2017.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "reflection/reflection_common.glsl"
#include "reflection/reflection_weights.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

// Odd passes read `settled` and write `traced`, even ones the other way.
bool reads_settled() { return (pc.step & 0x55555555u) != 0u; }
uint4 load_words(uint index) { return reads_settled() ? settled.texels[index] : load_traced(index); }
void store_words(uint index, uint4 words) {
  if (reads_settled()) {
    ONEPASS_UNROLL for (uint i = 0u; i < 4u; ++i) traced.words[4u * index + i] = words[i];
  } else {
    settled.texels[index] = words;
  }
}

// Radius on the screen, in texels, of what the lobe of a texel covers: tan(lobe) = alpha.
float lobe_radius(Surface surface, float width, float distance) {
  float seen = distance > 0.0 ? distance : surface.eye;
  float alpha = surface.roughness * surface.roughness;
  return alpha * seen * surface.eye / ((surface.eye + seen) * max(width, 1e-30));
}

Light filtered(int2 texel, uint slice, Surface surface, Light own) {
  float width = texel_width(surface, texel, slice);
  float radius = max(pc.filter_radius * lobe_radius(surface, width, own.distance), 0.01);
  // Of the mean over the frames.
  float scale = 1.0 / (4.0 * own.deviation * inversesqrt(max(own.frames, 1.0)) + 1e-4);
  float brightness = luminance(own.value.rgb);
  float4 sum = own.value;
  float variance = own.deviation * own.deviation;
  float weights = 1.0;
  ONEPASS_UNROLL for (int i = 0; i < 9; ++i) {
    int2 offset = int(pc.step) * int2(i % 3 - 1, i / 3 - 1);
    int2 at = texel + offset;
    if (i == 4 || !is_inside(at)) continue;
    Surface other = load_surface(at, slice);
    if (other.kind != ONEPASS_REFLECTION_ROUGH) continue;
    Light light = unpack_light(load_words(texel_index(uint2(at), slice)));
    float2 far = float2(offset) / radius;
    float weight = exp(-0.5 * dot(far, far) - scale * abs(luminance(light.value.rgb) - brightness));
    weight *= surface_weight(surface, width, other.position, other.normal, other.roughness);
    if (!(light.frames > 0.0)) weight = 0.0;
    sum += weight * light.value;
    variance += weight * weight * light.deviation * light.deviation;
    weights += weight;
  }
  own.value = sum / weights;
  own.deviation = sqrt(variance) / weights;
  return own;
}

void main() {
  uint2 tile;
  uint slice;
  bool listed = listed_tile(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, tile, slice);
  int2 texel = int2(tile * ONEPASS_REFLECTION_TILE + gl_LocalInvocationID.xy);
  if (!listed || !is_inside(texel)) return;
  uint index = texel_index(uint2(texel), slice);
  uint4 words = load_words(index);
  Surface surface = load_surface(texel, slice);
  Light light = unpack_light(words);
  if (pc.first_pass != 0u) keep_history(index, light, surface);
  if (surface.kind == ONEPASS_REFLECTION_ROUGH) words = pack_light(filtered(texel, slice, surface, light));
  store_words(index, words);
}
