// bc6h.glsl: the encoder of BC6H: one block of 16 bytes per call.
//
//     onepass_set_light(block, i, light, false);  // 16 texels, row by row; true: of BC6H_SFLOAT
//     block.inside = 0xFFFFu;
//     uint4 words = onepass_bc6h(block, false);   // the 16 bytes of the block, the first word first
//
// Values are codes: the bits of a half float as an integer, negative for negative halves. They grow with the logarithm
// of light, and a block interpolates them: equal ratios of light count the same in dark and in bright texels. Of the
// fourteen modes the encoder has the four with one pair of endpoints, of 10, 11, 12 or 16 bits, in the finest that can
// hold the difference of the two. A fit takes the ends of the projections on the line through the texels, each texel
// takes the nearest of the 16 colours, least squares give better endpoints, and each texel chooses again. Blocks are
// those of BlockQuality::kFast. ONEPASS_BLOCK_LUMA, and exactness: block_texels.glsl.
#ifndef ONEPASS_BC6H_GLSL_
#define ONEPASS_BC6H_GLSL_

#include "onepass/bc6h_modes.glsl"
#include "onepass/block_texels.glsl"
#include "onepass/prelude_names.glsl"

/// 4x4 texels of light, row by row.
struct OnepassLightBlock {
  uint red_green[16];  // codes of 16 bits
  uint blue[16];
  uint inside;  // bit i: texel i is in the image; the others do not count. 0xFFFFu: all
};

/// The code of the nearest half float. NaN becomes 0.
int onepass_light_code(float value, bool has_sign) {
  if (!(value > 0.0) && !(value < 0.0 && has_sign)) return 0;
  float size = min(abs(value), 65504.0);
  uint bits = onepass_float_bits(size);
  uint rounded = (bits + 0xFFFu + (bits >> 13u & 1u) >> 13u) - 0x1C000u;  // ties to even
  precise float moved = size * 16777216.0 + 8388608.0;  // below 2^-14 multiples of 2^-24: adding 2^23 rounds to them
  int code = int(size < 1.0 / 16384.0 ? onepass_float_bits(moved) & 0x7FFFFFu : rounded);
  return value < 0.0 ? -code : code;
}

/// Sets texel i of a block; `has_sign`: of BC6H_SFLOAT. A macro: a function would copy the block in and out.
#define onepass_set_light(block, i, light, has_sign)                     \
  {                                                                      \
    block.red_green[i] = onepass_light_pair(light.x, light.y, has_sign); \
    block.blue[i] = onepass_light_pair(light.z, 0.0, has_sign);          \
  }
uint onepass_light_pair(float low, float high, bool has_sign) {
  return (uint(onepass_light_code(low, has_sign)) & 0xFFFFu) | uint(onepass_light_code(high, has_sign)) << 16u;
}

/// The code in the lower half of a word.
int onepass_bc6h_code(uint word) {
  int code = int(word & 0xFFFFu);
  return code > 32767 ? code - 65536 : code;
}

/// An integer of endpoints that means a code; the middle if several do.
float onepass_bc6h_point(int code, bool has_sign) {
  int size = abs(code);
  if (!has_sign) return float((64 * size + 30) / 31) + 0.5;
  float middle = float((32 * size + 30) / 31);
  return code < 0 ? -middle : middle;
}

float3 onepass_bc6h_codes(uint red_green, uint blue) {
  return float3(float(onepass_bc6h_code(red_green)), float(onepass_bc6h_code(red_green >> 16u)),
                float(onepass_bc6h_code(blue)));
}

float3 onepass_bc6h_points(uint red_green, uint blue, bool has_sign) {
  return float3(onepass_bc6h_point(onepass_bc6h_code(red_green), has_sign),
                onepass_bc6h_point(onepass_bc6h_code(red_green >> 16u), has_sign),
                onepass_bc6h_point(onepass_bc6h_code(blue), has_sign));
}

float onepass_bc6h_dot(float3 a, float3 b) {
  precise float3 parts = a * b;
  return onepass_block_sum(parts);
}

/// The ends of the projections of the texels on the line through them, the one nearer to the first texel first.
OnepassBc6hEnds onepass_bc6h_start(OnepassLightBlock block, bool has_sign) {
  precise float3 mean = float3(0.0, 0.0, 0.0);
  precise float count = 0.0;
  ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) {
    bool counts = (block.inside >> i & 1u) != 0u;
    mean = mean + (counts ? onepass_bc6h_points(block.red_green[i], block.blue[i], has_sign) : float3(0.0, 0.0, 0.0));
    count = count + (counts ? 1.0 : 0.0);
  }
  mean = mean / max(count, 1.0);
  precise float3 r = float3(0.0, 0.0, 0.0);  // columns of the covariance
  precise float3 g = r;
  precise float3 b = r;
  ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) {
    bool counts = (block.inside >> i & 1u) != 0u;
    precise float3 d = onepass_bc6h_points(block.red_green[i], block.blue[i], has_sign) - mean;
    if (!counts) d = float3(0.0, 0.0, 0.0);
    r = r + d.x * d;
    g = g + d.y * d;
    b = b + d.z * d;
  }
  precise float3 axis = r;
  float most = r.x;
  if (g.y > most) axis = g;
  most = max(most, g.y);
  if (b.z > most) axis = b;
  most = max(most, b.z);
  if (!(most > 0.0)) axis = float3(0.0, 0.0, 0.0);
  ONEPASS_UNROLL for (uint turn = 0u; turn < 4u; ++turn) {  // power iteration
    float scale = max(max(abs(axis.x), abs(axis.y)), abs(axis.z));
    axis = axis / (most > 0.0 ? scale : 1.0);
    axis = float3(onepass_bc6h_dot(r, axis), onepass_bc6h_dot(g, axis), onepass_bc6h_dot(b, axis));
  }
  float length2 = onepass_bc6h_dot(axis, axis);
  float low = 0.0;
  float high = 0.0;
  ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) {
    bool counts = (block.inside >> i & 1u) != 0u && length2 > 0.0;
    precise float3 d = onepass_bc6h_points(block.red_green[i], block.blue[i], has_sign) - mean;
    precise float at = onepass_bc6h_dot(d, axis) / (length2 > 0.0 ? length2 : 1.0);
    low = counts ? min(low, at) : low;
    high = counts ? max(high, at) : high;
  }
  precise float3 first = mean + low * axis;
  precise float3 second = mean + high * axis;
  precise float3 from_first = onepass_bc6h_points(block.red_green[0], block.blue[0], has_sign) - first;
  precise float3 from_second = onepass_bc6h_points(block.red_green[0], block.blue[0], has_sign) - second;
  bool swap = onepass_bc6h_dot(from_first, from_first) > onepass_bc6h_dot(from_second, from_second);
  OnepassBc6hEnds ends;
  ends.first = swap ? second : first;
  ends.second = swap ? first : second;
  return ends;
}

/// The code of an interpolated integer. `weight`: of the second endpoint in 64ths.
float onepass_bc6h_mixed(int first, int second, int weight, bool has_sign) {
  int value = (first * (64 - weight) + second * weight + 32) >> 6u;
  int size = (abs(value) * 31) >> (has_sign ? 5u : 6u);
  return float(value < 0 ? -size : size);
}

int onepass_bc6h_weight(uint index) { return int(4u * index + (index >> 2u) + (index >> 1u & 1u)); }

/// Chooses the nearest of the 16 colours for every texel; the first texel takes one of the first eight.
OnepassBc6hIndices onepass_bc6h_choose(OnepassLightBlock block, OnepassBc6hMode mode, bool has_sign) {
  int3 first = onepass_bc6h_expanded3(mode.first, mode.bits, has_sign);
  int3 second = onepass_bc6h_expanded3(mode.second, mode.bits, has_sign);
  float3 weights = onepass_block_weights().xyz;
  float least[16];
  OnepassBc6hIndices indices;
  indices.low = 0u;
  indices.high = 0u;
  // Texels outside the image take index 0.
  ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) least[i] = (block.inside >> i & 1u) != 0u ? 3.402823466e38 : 0.0;
  ONEPASS_LOOP for (uint k = 0u; k < 16u; ++k) {
    int weight = onepass_bc6h_weight(k);
    float3 color = float3(onepass_bc6h_mixed(first.x, second.x, weight, has_sign),
                          onepass_bc6h_mixed(first.y, second.y, weight, has_sign),
                          onepass_bc6h_mixed(first.z, second.z, weight, has_sign));
    ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) {
      precise float3 difference = color - onepass_bc6h_codes(block.red_green[i], block.blue[i]);
      precise float3 errors = weights * (difference * difference);
      float error = onepass_block_sum(errors);
      bool better = error < least[i] && (i > 0u || k < 8u);
      least[i] = better ? error : least[i];
      if (i < 8u) {
        indices.low = better ? (indices.low & ~(15u << (4u * i))) | k << (4u * i) : indices.low;
      } else {
        uint at = 4u * (i - 8u);
        indices.high = better ? (indices.high & ~(15u << at)) | k << at : indices.high;
      }
    }
  }
  precise float sum = 0.0;
  ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) sum = sum + least[i];
  indices.error = sum;
  return indices;
}

/// Moves endpoints to the least squares of the indices; they stay where all texels have the same index.
void onepass_bc6h_refine(OnepassLightBlock block, OnepassBc6hIndices indices, bool has_sign,
                         ONEPASS_INOUT(OnepassBc6hEnds) ends) {
  precise float aa = 0.0;
  precise float ab = 0.0;
  precise float bb = 0.0;
  precise float3 a = float3(0.0, 0.0, 0.0);
  precise float3 b = a;
  ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) {
    bool counts = (block.inside >> i & 1u) != 0u;
    uint k = (i < 8u ? indices.low >> (4u * i) : indices.high >> (4u * (i - 8u))) & 15u;
    precise float t = float(onepass_bc6h_weight(k)) * (1.0 / 64.0);
    precise float rest = 1.0 - t;
    float3 point_of_texel = onepass_bc6h_points(block.red_green[i], block.blue[i], has_sign);
    aa = aa + (counts ? rest * rest : 0.0);
    ab = ab + (counts ? rest * t : 0.0);
    bb = bb + (counts ? t * t : 0.0);
    a = a + (counts ? rest : 0.0) * point_of_texel;
    b = b + (counts ? t : 0.0) * point_of_texel;
  }
  precise float determinant = aa * bb - ab * ab;
  if (!(determinant > 1e-3)) return;
  precise float3 first = (bb * a - ab * b) / determinant;
  precise float3 second = (aa * b - ab * a) / determinant;
  ends.first = first;
  ends.second = second;
}

/// The four words of a block; `has_sign`: of BC6H_SFLOAT.
uint4 onepass_bc6h(OnepassLightBlock block, bool has_sign) {
  OnepassBc6hEnds ends = onepass_bc6h_start(block, has_sign);
  OnepassBc6hMode best_mode = onepass_bc6h_store(ends, has_sign);
  OnepassBc6hIndices best = onepass_bc6h_choose(block, best_mode, has_sign);
  onepass_bc6h_refine(block, best, has_sign, ends);
  OnepassBc6hMode mode = onepass_bc6h_store(ends, has_sign);
  OnepassBc6hIndices indices = onepass_bc6h_choose(block, mode, has_sign);
  if (indices.error < best.error) {
    best_mode = mode;
    best = indices;
  }
  return onepass_bc6h_pack(best_mode, best);
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_BC6H_GLSL_
