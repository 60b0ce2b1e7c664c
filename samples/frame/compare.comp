// compare.comp: keeps a frame's depths and light in a buffer, or counts the texels that differ from it.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "eyes.glsl"
layout(local_size_x = GROUP_SIZE, local_size_y = GROUP_SIZE) in;

layout(set = 0, binding = 1) uniform sampler2DArray depth;
layout(set = 0, binding = 2) uniform sampler2DArray scene;
layout(std430, set = 0, binding = 3) buffer Kept { uvec4 kept[]; };
layout(std430, set = 0, binding = 4) buffer CountersBuffer { Counters counters; };
layout(push_constant) uniform Push { CompareParams pc; };

void main() {
  uvec3 at = gl_GlobalInvocationID;
  if (at.x >= frame.width || at.y >= frame.height) return;
  vec4 light = texelFetch(scene, ivec3(at), 0);  // halves: two words hold all bits
  uvec4 bits =
      uvec4(floatBitsToUint(texelFetch(depth, ivec3(at), 0).r), packHalf2x16(light.rg), packHalf2x16(light.ba), 0u);
  uint index = (at.z * frame.height + at.y) * frame.width + at.x;
  if (pc.compare == 0u) {
    kept[index] = bits;
  } else if (kept[index] != bits) {
    atomicAdd(counters.different, 1u);
  }
}
