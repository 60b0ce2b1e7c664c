// bloom.comp: per-texel steps of a bloom whose glow is stored. One invocation per texel.
//
// STEP, a specialization constant, one of ONEPASS_BLOOM_...:
//     bright     image -> level 0 of the mip chain: the bright light of a texel, or the mean of 2x2
//     compose    image and glow (floats, enlarged linearly at half resolution) -> image
// The macro ADDS is 1 for the step of the other bindings:
//     add        a level of the chain and the coarser level, enlarged by a tent filter -> floats
//
// Floats are buffers of STORED channels per texel, rows and slices without gaps.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "onepass/prelude.glsl"
#include "bloom/bloom_params.h"

layout(local_size_x = 64, local_size_y = 4) in;
layout(constant_id = 0) const uint STORED = 4u;
layout(constant_id = 1) const uint SOURCE_CHANNELS = 4u;
layout(constant_id = 2) const bool HALF_SIZE = false;     // bright, compose: the glow has half the size
layout(constant_id = 3) const bool COARSE_IMAGE = false;  // add: the coarser level is in the chain, not in floats
layout(constant_id = 4) const uint TARGET_KIND = 0u;
layout(constant_id = 5) const bool TARGET_SRGB = false;
layout(constant_id = 6) const uint STEP = ONEPASS_BLOOM_BRIGHT;
layout(push_constant, std430) uniform Constants { BloomParams pc; };

layout(binding = 0) uniform sampler2DArray source;  // the image. add: the level
#if ADDS
layout(binding = 1) uniform sampler2DArray coarser;
layout(binding = 4) buffer Sums { float sums[]; };
#else
layout(binding = 2) uniform writeonly image2DArray target;
#include "vulkan/target_texel.glsl"
#endif
layout(binding = 3) buffer Floats { float floats[]; };  // add: the coarser sum. compose: the glow

#define LIGHT_PARAMS pc
#define LIGHT_CHANNELS SOURCE_CHANNELS
#include "fourier/fourier_light.glsl"

uint index_in(uint2 size, uint2 texel, uint slice) { return ((slice * size.y + texel.y) * size.x + texel.x) * STORED; }

float4 load_floats(uint2 size, uint2 texel, uint slice) {
  uint i = index_in(size, texel, slice);
  float4 value = float4(0.0, 0.0, 0.0, 0.0);
  ONEPASS_UNROLL for (uint c = 0u; c < STORED; ++c) value[c] = floats[i + c];
  return value;
}

float4 image_texel(int2 texel, uint slice) { return texelFetch(source, int3(texel, int(slice)), 0); }

// The texel of an axis of `coarse` texels to the left of texel `at` of an axis of `fine`, and the offset from it: the
// position (at + 0.5) coarse / fine - 0.5.
int position_in(uint at, uint fine, uint coarse, out float offset) {
  uint position = (2u * at + 1u) * coarse;  // less than 2^32; in units of 1 / (2 fine), and `fine` of these too large
  uint whole = 2u * fine;
  bool before = position < fine;
  position = before ? position + fine : position - fine;
  offset = float(position % whole) / float(whole);
  return before ? -1 : int(position / whole);
}

// Mirrored, with the edge texel repeated.
uint mirrored(int at, uint n) {
  at = at < 0 ? -1 - at : at >= int(n) ? 2 * int(n) - 1 - at : at;
  return uint(clamp(at, 0, int(n) - 1));
}

#if ADDS
float4 coarse_texel(uint2 texel, uint slice) {
  if (COARSE_IMAGE) return texelFetch(coarser, int3(int2(texel), int(slice)), 0);
  return load_floats(pc.coarse, texel, slice);
}

float4 tent_weights(float offset) { return 0.25 * float4(1.0 - offset, 2.0 - offset, 1.0 + offset, offset); }

void change(uint2 at, uint slice) {
  float2 offset;
  int left = position_in(at.x, pc.size.x, pc.coarse.x, offset.x);
  int top = position_in(at.y, pc.size.y, pc.coarse.y, offset.y);
  float4 across = tent_weights(offset.x);
  float4 down = tent_weights(offset.y);
  float4 sum = float4(0.0, 0.0, 0.0, 0.0);
  ONEPASS_UNROLL for (int j = 0; j < 4; ++j) {
    uint y = mirrored(top + j - 1, pc.coarse.y);
    ONEPASS_UNROLL for (int i = 0; i < 4; ++i) {
      sum += down[j] * across[i] * coarse_texel(uint2(mirrored(left + i - 1, pc.coarse.x), y), slice);
    }
  }
  float4 value = (1.0 - pc.spread) * image_texel(int2(at), slice) + pc.spread * sum;
  uint to = index_in(pc.size, at, slice);
  ONEPASS_UNROLL for (uint c = 0u; c < STORED; ++c) sums[to + c] = value[c];
}
#else
void find_bright(uint2 at, uint slice) {
  float4 light;
  if (HALF_SIZE) {
    int2 first = 2 * int2(at);
    int2 last = min(first + 1, textureSize(source, 0).xy - 1);  // the last ones repeat at an odd edge
    light = 0.25 * (bright_light(image_texel(first, slice)) + bright_light(image_texel(int2(last.x, first.y), slice)) +
                    bright_light(image_texel(int2(first.x, last.y), slice)) + bright_light(image_texel(last, slice)));
  } else {
    light = bright_light(image_texel(int2(at), slice));
  }
  imageStore(target, int3(int2(at), int(slice)), light);
}

float4 glow_at(uint2 at, uint slice) {
  if (!HALF_SIZE) return load_floats(pc.coarse, at, slice);
  float2 offset;
  int left = position_in(at.x, 2u * pc.coarse.x, pc.coarse.x, offset.x);
  int top = position_in(at.y, 2u * pc.coarse.y, pc.coarse.y, offset.y);
  uint x0 = mirrored(left, pc.coarse.x);
  uint x1 = mirrored(left + 1, pc.coarse.x);
  uint y0 = mirrored(top, pc.coarse.y);
  uint y1 = mirrored(top + 1, pc.coarse.y);
  float4 above =
      mix(load_floats(pc.coarse, uint2(x0, y0), slice), load_floats(pc.coarse, uint2(x1, y0), slice), offset.x);
  float4 below =
      mix(load_floats(pc.coarse, uint2(x0, y1), slice), load_floats(pc.coarse, uint2(x1, y1), slice), offset.x);
  return mix(above, below, offset.y);
}

void compose(uint2 at, uint slice) {
  float4 original = image_texel(int2(at), slice);
  float4 texel = with_glow(original, glow_at(at, slice));
  if (SOURCE_CHANNELS < 2u) texel.g = 0.0;
  if (SOURCE_CHANNELS < 3u) texel.b = 0.0;
  texel.a = original.a;
  imageStore(target, int3(int2(at), int(slice)), encode_target(texel));
}

void change(uint2 at, uint slice) {
  if (STEP == ONEPASS_BLOOM_BRIGHT) {
    find_bright(at, slice);
  } else {
    compose(at, slice);
  }
}
#endif

void main() {
  if (all(lessThan(gl_GlobalInvocationID.xy, pc.size))) change(gl_GlobalInvocationID.xy, gl_GlobalInvocationID.z);
}
