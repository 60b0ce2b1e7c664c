// reflection_resolve.comp: stores every texel of the targets, and forgets the history of texels outside of rough tiles.
// An invocation owns a texel.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "reflection/reflection_common.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

void main() {
  uint2 texel = gl_GlobalInvocationID.xy;
  uint slice = gl_WorkGroupID.z;
  if (!is_inside(texel)) return;
  uint2 tiles = gl_NumWorkGroups.xy;
  uint kind = state.tiles[2u * ((slice * tiles.y + gl_WorkGroupID.y) * tiles.x + gl_WorkGroupID.x)];
  uint index = texel_index(texel, slice);
  OnepassLight light = onepass_no_light();
  if (kind == ONEPASS_REFLECTION_ROUGH) {
    light = unpack_light((FILTER_PASSES & 1u) != 0u ? load_traced(index) : settled.texels[index]);
    if (FILTER_PASSES == 0u) keep_history(index, light, load_surface(texel, slice));
  } else {
    uint4 words = load_traced(index);
    if (words.z != kNoRay) light = unpack_light(uint4(words.xyz, 0u));
    forget_history(index);
  }
  imageStore(target, int3(int2(texel), int(slice)), light.value);
  if (STORES_DISTANCE) imageStore(distance_target, int3(int2(texel), int(slice)), float4(light.distance));
}
