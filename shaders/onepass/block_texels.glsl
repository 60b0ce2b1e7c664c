// block_texels.glsl: the texels of a block, the error that encoders make small, and the line through the colours of a
// block: what the encoders in bc1.glsl, bc4.glsl and bc7.glsl share. They include it.
//
// One invocation encodes one block. Its texels are 16 words of 8-bit RGBA, which stay in registers: every loop over
// them is unrolled. Each operation is that of the CPU engine's quality `fast` (src/blocks/lanes-inl.hpp), in the same
// order; `precise` forbids to fuse multiplications with additions. Where a device divides and takes square roots as
// IEEE 754 says, blocks have the same bits; elsewhere an endpoint differs now and then by one step.
//
// Before including an encoder you may define, constants or uniform:
//   ONEPASS_BLOCK_LUMA      bool, false: red, green and blue count as in luma (BT.709), as BlockMetric::kLuma
//   ONEPASS_BLOCK_WEIGHTED  bool, false: colours count by their alpha, as BlockAlpha::kWeighted
#ifndef ONEPASS_BLOCK_TEXELS_GLSL_
#define ONEPASS_BLOCK_TEXELS_GLSL_

#include "onepass/prelude.glsl"
#include "onepass/prelude_names.glsl"

#ifndef ONEPASS_BLOCK_LUMA
#define ONEPASS_BLOCK_LUMA false
#endif
#ifndef ONEPASS_BLOCK_WEIGHTED
#define ONEPASS_BLOCK_WEIGHTED false
#endif

/// 4x4 texels, row by row.
struct OnepassBlock {
  uint texel[16];  // 8-bit RGBA as stored, red in the lowest byte
  uint inside;     // bit i: texel i is in the image; the others do not count. 0xFFFFu: all
};

uint onepass_block_byte(float value) {
  precise float moved = (value > 0.0 ? min(value, 1.0) : 0.0) * 255.0 + 0.5;
  return uint(moved);
}
/// A texel of values from 0 to 1, for OnepassBlock: rounded to nearest. NaN becomes 0.
uint onepass_block_texel(float4 value) {
  return onepass_block_byte(value.x) | onepass_block_byte(value.y) << 8u | onepass_block_byte(value.z) << 16u |
         onepass_block_byte(value.w) << 24u;
}

/// The bits `inside` of the block at `block` (in blocks) of an image of `size` texels.
uint onepass_block_inside(uint2 block, uint2 size) {
  uint columns = min(size.x - 4u * block.x, 4u);
  uint rows = min(size.y - 4u * block.y, 4u);
  return ((1u << columns) - 1u) * 0x1111u & ((1u << 4u * rows) - 1u);
}

// ---- What encoders use

float4 onepass_block_channels(uint texel) {
  return float4(float(texel & 255u), float(texel >> 8u & 255u), float(texel >> 16u & 255u), float(texel >> 24u));
}

/// Three values for luma, else 1. Numbers are chosen one by one: Mesa 22's lavapipe takes only the first component of a
/// vector that a specialization constant chooses.
float4 onepass_block_choice(float red, float green, float blue) {
  return float4(ONEPASS_BLOCK_LUMA ? red : 1.0, ONEPASS_BLOCK_LUMA ? green : 1.0, ONEPASS_BLOCK_LUMA ? blue : 1.0, 1.0);
}
/// The weights of squared differences in the error, their square roots, and the inverse of these.
float4 onepass_block_weights() { return onepass_block_choice(0.637799978, 2.14560008, 0.216600001); }
float4 onepass_block_roots() { return onepass_block_choice(0.7986238, 1.46478665, 0.46540305); }
float4 onepass_block_inverse_roots() { return onepass_block_choice(1.25215399, 0.682693303, 2.1486752); }

/// The weight of texel `i`, whose alpha is 0 to 255.
float onepass_block_weight(uint inside, uint i, float alpha, bool by_alpha) {
  precise float share = by_alpha ? alpha * (1.0 / 255.0) : 1.0;
  return (inside >> i & 1u) != 0u ? share : 0.0;
}

/// red + green + blue, in this order.
float onepass_block_sum(float3 v) {
  precise float two = v.x + v.y;
  precise float sum = two + v.z;
  return sum;
}

/// The channels of the pairs RG, RB and GB.
float3 onepass_block_earlier(float4 v) { return float3(v.x, v.x, v.y); }
float3 onepass_block_later(float4 v) { return float3(v.y, v.z, v.z); }

/// Where a fit begins: the ends of the texels' projections on the line through them; for the least squares the sums of
/// weights and of weighted texels.
struct OnepassBlockStart {
  float4 first;
  float4 second;
  float count;
  float4 sum;
};

/// The line through the texels: a point is mean + t * along, and t of a texel the sum of (texel - mean) * project.
struct OnepassBlockLine {
  float4 mean;
  float4 along;
  float4 project;
};

/// Principal component analysis by power iteration. Sums over the texels of weighted products: `squares` of each
/// channel with itself, `mixed` of RG, RB and GB, `alpha` of RA, GA and BA.
OnepassBlockLine onepass_block_line(OnepassBlockStart start, float4 squares, float3 mixed, float3 alpha,
                                    bool with_alpha) {
  precise float inverse = 1.0 / max(start.count, 1e-6);
  precise float4 mean = start.sum * inverse;
  float4 roots = onepass_block_roots();
  precise float4 variances = (squares * inverse - mean * mean) * (roots * roots);
  precise float3 colors = (mixed * inverse - onepass_block_later(mean) * onepass_block_earlier(mean)) *
                          (onepass_block_later(roots) * onepass_block_earlier(roots));
  precise float3 alphas = (alpha * inverse - mean.w * mean.xyz) * (roots.w * roots.xyz);
  precise float trace = onepass_block_sum(variances.xyz);
  if (with_alpha) {
    trace = trace + variances.w;
  } else {
    variances.w = 0.0;
    alphas = float3(0.0, 0.0, 0.0);
  }
  float4 r = float4(variances.x, colors.x, colors.y, alphas.x);
  float4 g = float4(colors.x, variances.y, colors.z, alphas.y);
  float4 b = float4(colors.y, colors.z, variances.z, alphas.z);
  float4 a = float4(alphas, variances.w);
  // Starts with the column of the largest variance, and a little of another direction in case it is orthogonal.
  precise float4 axis = r;
  float most = variances.x;
  if (variances.y > most) axis = g;
  most = max(most, variances.y);
  if (variances.z > most) axis = b;
  most = max(most, variances.z);
  if (variances.w > most) axis = a;
  precise float scale = 1.0 / max(trace, 1e-6);
  axis = axis * scale + float4(0.19, 0.23, 0.13, 0.17);
  ONEPASS_UNROLL for (uint turn = 0u; turn < 4u; ++turn) {
    precise float4 next = r * axis.x;
    next = next + g * axis.y;
    next = next + b * axis.z;
    if (with_alpha) next = next + a * axis.w;
    axis = next * scale;
  }
  precise float4 parts = axis * axis;
  precise float length2 = onepass_block_sum(parts.xyz);
  if (with_alpha) length2 = length2 + parts.w;
  precise float unit = 1.0 / sqrt(max(length2, 1e-20));
  axis = axis * unit;
  OnepassBlockLine fitted;
  fitted.mean = mean;
  precise float4 along = axis * onepass_block_inverse_roots();
  precise float4 project = axis * roots;
  fitted.along = along;
  fitted.project = project;
  return fitted;
}

/// Starts a fit of colours, and of alpha if `with_alpha`, over the texels with a bit in `inside`.
OnepassBlockStart onepass_block_start(OnepassBlock block, uint inside, bool by_alpha, bool with_alpha) {
  precise float count = 0.0;
  precise float4 sum = float4(0.0, 0.0, 0.0, 0.0);
  precise float4 squares = sum;
  precise float3 mixed = sum.xyz;
  precise float3 alpha = sum.xyz;
  ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) {
    float4 x = onepass_block_channels(block.texel[i]);
    float weight = onepass_block_weight(inside, i, x.w, by_alpha);
    precise float4 weighted = x * weight;
    count = count + weight;
    sum = sum + weighted;
    squares = squares + weighted * x;
    mixed = mixed + onepass_block_later(weighted) * onepass_block_earlier(x);
    if (with_alpha) alpha = alpha + weighted.w * x.xyz;
  }
  OnepassBlockStart start;
  start.count = count;
  start.sum = sum;
  OnepassBlockLine fitted = onepass_block_line(start, squares, mixed, alpha, with_alpha);
  float least = 1e9;
  float most = -1e9;
  ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) {
    float4 x = onepass_block_channels(block.texel[i]);
    precise float4 steps = (x - fitted.mean) * fitted.project;
    precise float t = onepass_block_sum(steps.xyz);
    if (with_alpha) t = t + steps.w;
    bool counts = onepass_block_weight(inside, i, x.w, by_alpha) > 0.0;
    least = counts ? min(least, t) : least;
    most = counts ? max(most, t) : most;
  }
  if (least > most) least = most = 0.0;  // no texel counts
  precise float4 first = fitted.mean + fitted.along * least;
  precise float4 second = fitted.mean + fitted.along * most;
  start.first = clamp(first, 0.0, 255.0);
  start.second = clamp(second, 0.0, 255.0);
  return start;
}

/// Sums for the least squares of endpoints: weighted sums of the share of the second endpoint, of its square, and of
/// share times texel.
struct OnepassBlockSquares {
  float a;
  float aa;
  float4 ax;
};

/// Moves the endpoints of `start` to the least squares of the indices that gave `squares`; they stay where all texels
/// have the same index.
void onepass_block_solve(OnepassBlockSquares squares, ONEPASS_INOUT(OnepassBlockStart) start) {
  precise float ab = squares.a - squares.aa;
  precise float bb = (start.count - (squares.a + squares.a)) + squares.aa;
  precise float determinant = squares.aa * bb - ab * ab;
  if (!(determinant > 1e-3)) return;
  precise float inverse = 1.0 / determinant;
  precise float4 bx = start.sum - squares.ax;
  precise float4 first = (bx * squares.aa - squares.ax * ab) * inverse;
  precise float4 second = (squares.ax * bb - bx * ab) * inverse;
  start.first = clamp(first, 0.0, 255.0);
  start.second = clamp(second, 0.0, 255.0);
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_BLOCK_TEXELS_GLSL_
