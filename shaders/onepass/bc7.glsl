// bc7.glsl: the encoder of BC7: one block of 16 bytes per call.
//
//     block.texel[i] = onepass_block_texel(...);  // 16 texels, row by row
//     block.inside = 0xFFFFu;
//     uint4 words = onepass_bc7(block);           // the 16 bytes of the block, the first word first
//
// Two of the eight modes: mode 6 (one line through the colours with alpha, 16 steps, 8-bit endpoints), and for blocks
// with alpha mode 5 (colours and alpha apart, 4 steps each), if its error is smaller. A fit takes the ends of the
// projections on the line through the texels, each texel takes the nearest of the palette, least squares give better
// endpoints, and each texel chooses again; errors are those of the decoder's integer arithmetic. Opaque texels stay
// opaque exactly. Blocks are those of BlockQuality::kFast. Options and exactness: block_texels.glsl.
#ifndef ONEPASS_BC7_GLSL_
#define ONEPASS_BC7_GLSL_

#include "onepass/bc7_pack.glsl"
#include "onepass/block_texels.glsl"
#include "onepass/prelude_names.glsl"

/// Mode 6: the stored value with the P-bit `p` nearest to 0 to 255; it means itself.
float4 onepass_bc7_with_p_bit(float4 value, float p) {
  precise float4 high = max(value - p, float4(0.0, 0.0, 0.0, 0.0)) * 0.5 + 0.5;
  return min(floor(high), float4(127.0, 127.0, 127.0, 127.0)) * 2.0 + p;
}

float onepass_bc7_p_bit_error(float4 value, float p) {
  precise float4 difference = onepass_bc7_with_p_bit(value, p) - value;
  precise float4 parts = (difference * difference) * onepass_block_weights();
  precise float error = onepass_block_sum(parts.xyz) + parts.w;
  return error;
}

/// Mode 6: chooses the P-bit of an endpoint. An alpha of exactly 255 needs 1.
float4 onepass_bc7_quantised6(float4 value, bool opaque) {
  precise float gain = onepass_bc7_p_bit_error(value, 0.0) - onepass_bc7_p_bit_error(value, 1.0);
  return onepass_bc7_with_p_bit(value, gain > 0.0 || opaque ? 1.0 : 0.0);
}

/// Mode 5: colours of 7 bits.
float4 onepass_bc7_quantised5(float4 value) {
  precise float4 scaled = value * (127.0 / 255.0) + 0.5;
  return floor(scaled);
}

/// The 8-bit values that stored colours of 7 bits mean.
float4 onepass_bc7_meaning5(float4 stored) { return stored * 2.0 + floor(stored * (1.0 / 64.0)); }

/// The weight of the second endpoint in 64ths.
float onepass_bc7_weight(uint index, bool sixteen) {
  uint wide = 4u * index + (index >> 2u) + (index >> 1u & 1u);
  uint narrow = 21u * index + (index >> 1u);
  return float(sixteen ? wide : narrow);
}

/// The place of a texel between the endpoints of mode 6 where colours and alpha count differently. `parts`: distance
/// from the first endpoint times `project`, which is scaled to steps of equal weights.
float onepass_bc7_weighted_place(float4 parts, float color_weight, float alpha_weight, float color_length,
                                 float alpha_length) {
  precise float t = onepass_block_sum(parts.xyz);
  precise float length2 = color_length + alpha_length;
  precise float weighted = color_weight * color_length + alpha_weight * alpha_length;
  precise float sum = color_weight * t + alpha_weight * parts.w;
  precise float scaled = sum * (max(length2, 1e-6) / max(weighted, 1e-6));
  precise float plain = t + parts.w;
  return weighted == length2 ? plain : clamp(scaled, 0.0, 15.0);
}

/// The squared differences of a texel from the palette colour with this weight of the second endpoint.
float4 onepass_bc7_errors(float4 x, float4 first, float4 along, float weight) {
  // The decoder's integer arithmetic, exact in floats: (64 first + weight (second - first) + 32) >> 6.
  float4 decoded = floor((first * 64.0 + (along * weight + 32.0)) * (1.0 / 64.0));
  precise float4 difference = x - decoded;
  precise float4 errors = (difference * difference) * onepass_block_weights();
  return errors;
}

/// Chooses the index of every texel for endpoints that mean `first` and `second`, 0 to 255; mode 6 if `sixteen`, else
/// the colours of mode 5. Fills indices and error of `fit`. `alpha_squares`: those of alpha, which has other weights.
void onepass_bc7_choose(OnepassBlock block, bool sixteen, float4 first, float4 second, ONEPASS_INOUT(OnepassBc7Fit) fit,
                        ONEPASS_OUT(OnepassBlockSquares) squares, ONEPASS_OUT(OnepassBlockSquares) alpha_squares) {
  float steps = sixteen ? 15.0 : 3.0;
  precise float4 along = second - first;
  precise float4 project = along * onepass_block_weights();
  precise float4 lengths = along * project;
  precise float color_length = onepass_block_sum(lengths.xyz);
  precise float alpha_length = sixteen ? lengths.w : 0.0;
  precise float length2 = color_length + alpha_length;
  precise float scale = steps / max(length2, 1e-6);
  project = project * scale;
  precise float error = 0.0;
  precise float a = 0.0;
  precise float aa = 0.0;
  precise float alpha_a = 0.0;
  precise float alpha_aa = 0.0;
  precise float4 ax = float4(0.0, 0.0, 0.0, 0.0);
  fit.low = 0u;
  fit.high = 0u;
  ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) {
    float4 x = onepass_block_channels(block.texel[i]);
    float alpha_weight = onepass_block_weight(block.inside, i, x.w, false);
    float color_weight = onepass_block_weight(block.inside, i, x.w, ONEPASS_BLOCK_WEIGHTED);
    precise float4 parts = (x - first) * project;
    precise float place = onepass_block_sum(parts.xyz);
    if (sixteen && ONEPASS_BLOCK_WEIGHTED) {
      place = onepass_bc7_weighted_place(parts, color_weight, alpha_weight, color_length, alpha_length);
    } else if (sixteen) {
      place = place + parts.w;
    }
    place = clamp(place, 0.0, steps) + 0.5;
    uint index = uint(place);
    precise float weight = onepass_bc7_weight(index, sixteen);
    precise float share = weight * (1.0 / 64.0);
    float4 errors = onepass_bc7_errors(x, first, along, weight);
    if (sixteen) error = error + errors.w * alpha_weight;
    error = error + onepass_block_sum(errors.xyz) * color_weight;
    precise float weighted = color_weight * share;
    a = a + weighted;
    aa = aa + weighted * share;
    precise float4 value = x * float4(color_weight, color_weight, color_weight, alpha_weight);
    ax = ax + value * share;
    if (sixteen && ONEPASS_BLOCK_WEIGHTED) {
      precise float alpha_weighted = alpha_weight * share;
      alpha_a = alpha_a + alpha_weighted;
      alpha_aa = alpha_aa + alpha_weighted * share;
    }
    if (!sixteen) {
      fit.low |= index << (2u * i);
    } else if (i < 8u) {
      fit.low |= index << (4u * i);
    } else {
      fit.high |= index << (4u * (i - 8u));
    }
  }
  fit.error = error;
  squares.a = a;
  squares.aa = aa;
  squares.ax = ax;
  alpha_squares.a = alpha_a;
  alpha_squares.aa = alpha_aa;
  alpha_squares.ax = ax;
}

/// Mode 6 if `sixteen`, else the colours of mode 5: the better one of two rounds. Alpha's sums are those of weights
/// of 1.
OnepassBc7Fit onepass_bc7_fit(OnepassBlock block, bool sixteen, bool opaque, float alpha_count, float alpha_sum) {
  OnepassBlockStart start = onepass_block_start(block, block.inside, ONEPASS_BLOCK_WEIGHTED, sixteen);
  OnepassBc7Fit best;
  ONEPASS_UNROLL for (uint turn = 0u; turn < 2u; ++turn) {
    OnepassBc7Fit fit;
    OnepassBlockSquares squares;
    OnepassBlockSquares alpha_squares;
    if (sixteen) {
      fit.first = onepass_bc7_quantised6(start.first, opaque);
      fit.second = onepass_bc7_quantised6(start.second, opaque);
      onepass_bc7_choose(block, true, fit.first, fit.second, fit, squares, alpha_squares);
    } else {
      fit.first = onepass_bc7_quantised5(start.first);
      fit.second = onepass_bc7_quantised5(start.second);
      onepass_bc7_choose(block, false, onepass_bc7_meaning5(fit.first), onepass_bc7_meaning5(fit.second), fit, squares,
                         alpha_squares);
    }
    if (turn == 0u) {
      best = fit;
      OnepassBlockStart alpha_start = start;
      onepass_block_solve(squares, start);
      if (sixteen && ONEPASS_BLOCK_WEIGHTED) {
        alpha_start.count = alpha_count;
        alpha_start.sum.w = alpha_sum;
        onepass_block_solve(alpha_squares, alpha_start);
        start.first.w = alpha_start.first.w;
        start.second.w = alpha_start.second.w;
      }
    } else {
      bool better = fit.error < best.error;
      best.error = better ? fit.error : best.error;
      best.first = better ? fit.first : best.first;
      best.second = better ? fit.second : best.second;
      best.low = better ? fit.low : best.low;
      best.high = better ? fit.high : best.high;
    }
  }
  return best;
}

/// Alpha of mode 5, with endpoints of 8 bits: the better one of two rounds. Its values are in w.
OnepassBc7Fit onepass_bc7_fit_alpha(OnepassBlock block, float least, float most, float count, float sum) {
  OnepassBlockStart start;
  start.first = float4(0.0, 0.0, 0.0, least);
  start.second = float4(0.0, 0.0, 0.0, most);
  start.count = count;
  start.sum = float4(0.0, 0.0, 0.0, sum);
  OnepassBc7Fit best;
  ONEPASS_UNROLL for (uint turn = 0u; turn < 2u; ++turn) {
    precise float from = floor(start.first.w + 0.5);
    precise float along = floor(start.second.w + 0.5) - from;
    precise float length2 = along * along;
    precise float project = along * (3.0 / max(length2, 1e-6));
    OnepassBlockSquares squares;
    precise float error = 0.0;
    precise float a = 0.0;
    precise float aa = 0.0;
    precise float ax = 0.0;
    uint indices = 0u;
    ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) {
      float x = float(block.texel[i] >> 24u);
      float weight = onepass_block_weight(block.inside, i, x, false);
      precise float place = clamp((x - from) * project, 0.0, 3.0) + 0.5;
      uint index = uint(place);
      precise float portion = onepass_bc7_weight(index, false);
      precise float share = portion * (1.0 / 64.0);
      precise float difference = x - floor((from * 64.0 + (along * portion + 32.0)) * (1.0 / 64.0));
      error = error + (difference * difference) * weight;
      precise float weighted = weight * share;
      a = a + weighted;
      aa = aa + weighted * share;
      ax = ax + (x * weight) * share;
      indices |= index << (2u * i);
    }
    bool better = turn == 0u || error < best.error;
    if (turn == 0u) best.error = 0.0;
    best.error = better ? error : best.error;
    best.first = better ? float4(0.0, 0.0, 0.0, from) : best.first;
    best.second = better ? float4(0.0, 0.0, 0.0, from + along) : best.second;
    best.low = better ? indices : best.low;
    squares.a = a;
    squares.aa = aa;
    squares.ax = float4(0.0, 0.0, 0.0, ax);
    if (turn == 0u) onepass_block_solve(squares, start);
  }
  best.high = 0u;
  return best;
}

/// The four words of a block.
uint4 onepass_bc7(OnepassBlock block) {
  precise float count = 0.0;
  precise float sum = 0.0;
  float least = 255.0;
  float most = 0.0;
  ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) {
    float alpha = float(block.texel[i] >> 24u);
    bool counts = (block.inside >> i & 1u) != 0u;
    count = count + (counts ? 1.0 : 0.0);
    sum = sum + (counts ? alpha : 0.0);
    least = counts ? min(least, alpha) : least;
    most = counts ? max(most, alpha) : most;
  }
  bool opaque = least == 255.0;
  OnepassBc7Fit six = onepass_bc7_fit(block, true, opaque, count, sum);
  uint4 words = onepass_bc7_pack6(six);
  if (!opaque && six.error > 0.0) {
    OnepassBc7Fit colors = onepass_bc7_fit(block, false, false, count, sum);
    OnepassBc7Fit alpha = onepass_bc7_fit_alpha(block, least, most, count, sum);
    precise float error = colors.error + alpha.error;
    if (error < six.error) words = onepass_bc7_pack5(colors, alpha);
  }
  return words;
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_BC7_GLSL_
