// read_only.comp: reads every texel of an image once and keeps none: what a tile reduction cannot be faster than.
//
// A workgroup of 256 owns 64x64 texels, an invocation four blocks of 2x2, 32 texels apart, all in flight at a time. No
// barrier. The sum is stored only if it is what no image of this program has, which a compiler cannot know.
#version 460

layout(local_size_x = 256) in;

layout(constant_id = 0) const bool ONE_CHANNEL = true;  // a block is one gather, else four fetches

layout(push_constant) uniform Constants { uvec2 size; } pc;

layout(binding = 0) uniform sampler2DArray source;
layout(binding = 1) uniform writeonly image2DArray target;

vec4 load_block(uvec2 texel, uint slice) {
  if (ONE_CHANNEL) return textureGather(source, vec3(vec2(texel + 1u) / vec2(pc.size), slice));
  uvec2 from = min(texel, pc.size - 1u);
  uvec2 to = min(texel + 1u, pc.size - 1u);
  return (texelFetch(source, ivec3(from, slice), 0) + texelFetch(source, ivec3(to.x, from.y, slice), 0)) +
         (texelFetch(source, ivec3(from.x, to.y, slice), 0) + texelFetch(source, ivec3(to, slice), 0));
}

void main() {
  uint lane = gl_LocalInvocationIndex;
  uvec2 at = 64u * gl_WorkGroupID.xy + 2u * uvec2(lane & 15u, lane >> 4u);
  uint slice = gl_WorkGroupID.z;
  vec4 sum = (load_block(at, slice) + load_block(at + uvec2(32u, 0u), slice)) +
             (load_block(at + uvec2(0u, 32u), slice) + load_block(at + uvec2(32u, 32u), slice));
  if (dot(sum, vec4(1.0)) == -1.0) imageStore(target, ivec3(0, 0, slice), sum);
}
