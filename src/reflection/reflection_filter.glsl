// reflection_filter.glsl: one pass of the filter over texels. A workgroup owns a rough tile, an invocation a texel. The
// algorithm: onepass/reflection_denoise.glsl.
#include "reflection/reflection_common.glsl"
#include "reflection/reflection_denoise_images.glsl"

void store_words(uint index, uint4 words) {
  if (reads_settled()) {
    ONEPASS_UNROLL for (uint i = 0u; i < 4u; ++i) traced[4u * index + i] = words[i];
  } else {
    settled[index] = words;
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
