// read_only.comp: reads every texel of an image once: a lower bound for the time of tile reductions and meters.
//
// A workgroup of 256 invocations owns 64x64 texels. An invocation has 16 texels in flight: with one channel as four
// gathers of 2x2, else as fetches 32 texels apart in x and 8 in y, so that the 32 invocations of a subgroup read 8x4
// texels at a time. No barrier. The sum is stored only if it is -1. No image of this program yields that, but a
// compiler cannot know it and must keep the reads.
#version 460

layout(local_size_x = 256) in;

layout(constant_id = 0) const bool ONE_CHANNEL = true;  // four gathers, else 16 fetches

layout(push_constant) uniform Constants { uvec2 size; } pc;

layout(binding = 0) uniform sampler2DArray source;
layout(binding = 1) uniform writeonly image2DArray target;

vec4 load_block(uvec2 texel, uint slice) {
  return textureGather(source, vec3(vec2(texel + 1u) / vec2(pc.size), slice));
}

vec4 load_texel(uvec2 texel, uint slice) { return texelFetch(source, ivec3(min(texel, pc.size - 1u), slice), 0); }

void main() {
  uint lane = gl_LocalInvocationIndex;
  uvec2 corner = 64u * gl_WorkGroupID.xy;
  uint slice = gl_WorkGroupID.z;
  vec4 sum = vec4(0.0);
  if (ONE_CHANNEL) {
    uvec2 at = corner + 2u * uvec2(lane & 15u, lane >> 4u);
    sum = (load_block(at, slice) + load_block(at + uvec2(32u, 0u), slice)) +
          (load_block(at + uvec2(0u, 32u), slice) + load_block(at + uvec2(32u, 32u), slice));
  } else {
    uvec2 at = corner + uvec2((lane & 7u) + ((lane >> 5u) & 3u) * 8u, ((lane >> 3u) & 3u) + (lane >> 7u) * 4u);
    for (uint i = 0u; i < 16u; ++i) sum += load_texel(at + uvec2((i & 1u) * 32u, (i >> 1u) * 8u), slice);
  }
  if (dot(sum, vec4(1.0)) == -1.0) imageStore(target, ivec3(0, 0, slice), sum);
}
