// reflection_filter.comp: one pass of the filter over texels. A workgroup owns a rough tile, an invocation a texel. The
// algorithm: onepass/reflection_denoise.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "reflection/reflection_common.glsl"
#include "reflection/reflection_denoise_images.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

void store_words(uint index, uint4 words) {
  if (reads_settled()) {
    ONEPASS_UNROLL for (uint i = 0u; i < 4u; ++i) traced.words[4u * index + i] = words[i];
  } else {
    settled.texels[index] = words;
  }
}

void main() {
  uint2 tile;
  bool listed = listed_tile(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, tile, denoise_slice);
  uint2 texel = ONEPASS_REFLECTION_TILE * tile + gl_LocalInvocationID.xy;
  if (!listed || !is_inside(texel)) return;
  uint index = texel_index(texel, denoise_slice);
  OnepassSurface surface = load_rough_surface(texel);
  OnepassLight light = unpack_light(load_words(texel));
  if (pc.first_pass != 0u) keep_history(index, light, surface);
  store_words(index, pack_light(onepass_denoise_over_texels(denoiser(), texel, surface, light, pc.step)));
}
