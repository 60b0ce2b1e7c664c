// copy.comp: copies a buffer, 16 bytes per load and store. The reference of transforms and tone maps.
//
// An invocation owns ITEMS words of 16 bytes, 256 words apart; all are loaded before the first is stored.
#version 460
layout(local_size_x = 256) in;

layout(push_constant) uniform Constants { uint count; } pc;  // words

layout(binding = 0, std430) readonly buffer From { uvec4 from[]; };
layout(binding = 1, std430) writeonly buffer To { uvec4 to[]; };

const uint ITEMS = 8u;

void main() {
  uint first = gl_WorkGroupID.x * 256u * ITEMS + gl_LocalInvocationIndex;
  uvec4 words[ITEMS];
  for (uint i = 0u; i < ITEMS; ++i) words[i] = from[min(first + 256u * i, pc.count - 1u)];
  for (uint i = 0u; i < ITEMS; ++i) {
    uint index = first + 256u * i;
    if (index < pc.count) to[index] = words[i];
  }
}
