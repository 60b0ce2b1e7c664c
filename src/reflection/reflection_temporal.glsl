// reflection_temporal.glsl: joins what this frame's rays found with the last frames. A workgroup owns a rough tile, an
// invocation a texel. The algorithm: onepass/reflection_denoise.glsl.
#include "reflection/reflection_common.glsl"
#include "reflection/reflection_denoise_images.glsl"

void main() {
  uint2 tile;
  bool listed = listed_tile(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, tile, denoise_slice);
  OnepassLight light = onepass_denoise_over_frames(denoiser(), tile, gl_LocalInvocationIndex);
  uint2 texel = ONEPASS_REFLECTION_TILE * tile + gl_LocalInvocationID.xy;
  if (!listed || !is_inside(texel)) return;
  uint index = texel_index(texel, denoise_slice);
  if (kind_of(load_surface(texel, denoise_slice)) == ONEPASS_REFLECTION_MIRROR) {
    light = unpack_light(uint4(load_traced(index).xyz, 0u));
  }
  settled[index] = pack_light(light);
}
