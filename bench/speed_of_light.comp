// speed_of_light.comp: moves 98.4 % of a pyramid's bytes and does nothing else: a lower bound for a pyramid's time.
//
// A workgroup of 256 invocations owns 64x64 texels of the base. Each invocation takes four linear samples, each at the
// common corner of 2x2 texels and so a texel of level 1. It stores them and one texel of level 2. No barrier, no
// atomics, no coarser level. Two mappings:
//
//   CONTIGUOUS=0  the samples of an invocation are 2x2 neighbours; their mean is its level 2 texel.
//   CONTIGUOUS=1  the samples lie 16 level 1 texels apart, so that every store of a subgroup fills whole rows of 16
//                 texels; the four invocations of a quad exchange sums, and each stores the level 2 texel of a sample.
#version 460
#if CONTIGUOUS
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_quad : require
#endif

layout(local_size_x = 256) in;

layout(constant_id = 0) const bool LINEAR_SAMPLER = true;  // false: the device cannot filter the format
layout(constant_id = 1) const bool TWO_FROM_ONE = false;   // a one-channel source feeds both channels of the target

layout(push_constant) uniform Constants {
  uvec2 size;    // of the base
  uvec2 size_1;  // of level 1
  uvec2 size_2;
} pc;

layout(binding = 0) uniform sampler2DArray source;
layout(binding = 1) uniform writeonly image2DArray level_1;
layout(binding = 2) uniform writeonly image2DArray level_2;

// In texels, as SAMPLE_SHIFT in src/pyramid/pyramid_texel.glsl: a filter that truncates coordinates then still samples
// at the corner.
const float kSampleShift = 1.0 / 1024.0;

// The mean of 2x2 base texels: texel `at` of level 1.
vec4 load_quad(uvec2 at, uint slice) {
  vec4 mean;
  if (LINEAR_SAMPLER) {
    mean = textureLod(source, vec3((vec2(2u * at + 1u) + kSampleShift) / vec2(pc.size), slice), 0.0);
  } else {
    ivec3 corner = ivec3(min(2u * at, pc.size - 2u), slice);
    mean = 0.25 * (texelFetch(source, corner, 0) + texelFetch(source, corner + ivec3(1, 0, 0), 0) +
                   texelFetch(source, corner + ivec3(0, 1, 0), 0) + texelFetch(source, corner + ivec3(1, 1, 0), 0));
  }
  return TWO_FROM_ONE ? mean.rrrr : mean;
}

void store_1(uvec2 at, uint slice, vec4 texel) {
  if (all(lessThan(at, pc.size_1))) imageStore(level_1, ivec3(at, slice), texel);
}
void store_2(uvec2 at, uint slice, vec4 texel) {
  if (all(lessThan(at, pc.size_2))) imageStore(level_2, ivec3(at, slice), texel);
}

#if CONTIGUOUS
// The invocations of a quad own 2x2 neighbours; quads lie in rows of 8. Sample (sx, sy) of an invocation is
// 16 * (sx, sy) texels of level 1 away.
void main() {
  uint lane = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
  uvec2 corner = uvec2(lane & 1u, lane >> 1u & 1u);
  uvec2 quad = uvec2(lane >> 2u & 7u, lane >> 5u);
  uvec2 at = 32u * gl_WorkGroupID.xy + 2u * quad + corner;
  uint slice = gl_WorkGroupID.z;
  vec4 s00 = load_quad(at, slice);
  vec4 s10 = load_quad(at + uvec2(16u, 0u), slice);
  vec4 s01 = load_quad(at + uvec2(0u, 16u), slice);
  vec4 s11 = load_quad(at + uvec2(16u, 16u), slice);
  store_1(at, slice, s00);
  store_1(at + uvec2(16u, 0u), slice, s10);
  store_1(at + uvec2(0u, 16u), slice, s01);
  store_1(at + uvec2(16u, 16u), slice, s11);
  // Invocation (x, y) of the quad sums sample (x, y) of all four: samples are exchanged first in x, then in y.
  bool right = corner.x == 1u;
  bool lower = corner.y == 1u;
  vec4 upper_sum = (right ? s10 : s00) + subgroupQuadSwapHorizontal(right ? s00 : s10);
  vec4 lower_sum = (right ? s11 : s01) + subgroupQuadSwapHorizontal(right ? s01 : s11);
  vec4 sum = (lower ? lower_sum : upper_sum) + subgroupQuadSwapVertical(lower ? upper_sum : lower_sum);
  store_2(16u * gl_WorkGroupID.xy + 8u * corner + quad, slice, 0.25 * sum);
}
#else
void main() {
  uvec2 at = 16u * gl_WorkGroupID.xy + uvec2(gl_LocalInvocationIndex & 15u, gl_LocalInvocationIndex >> 4u);
  uint slice = gl_WorkGroupID.z;
  vec4 s00 = load_quad(2u * at, slice);
  vec4 s10 = load_quad(2u * at + uvec2(1u, 0u), slice);
  vec4 s01 = load_quad(2u * at + uvec2(0u, 1u), slice);
  vec4 s11 = load_quad(2u * at + uvec2(1u, 1u), slice);
  store_1(2u * at, slice, s00);
  store_1(2u * at + uvec2(1u, 0u), slice, s10);
  store_1(2u * at + uvec2(0u, 1u), slice, s01);
  store_1(2u * at + uvec2(1u, 1u), slice, s11);
  store_2(at, slice, 0.25 * ((s00 + s10) + (s01 + s11)));
}
#endif
