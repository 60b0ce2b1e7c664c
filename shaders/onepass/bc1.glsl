// bc1.glsl: the encoder of BC1, and of the colours of BC3: one block of 8 bytes per call.
//
//     block.texel[i] = onepass_block_texel(...);  // 16 texels, row by row
//     block.inside = 0xFFFFu;
//     uint2 words = onepass_bc1(block);           // the 8 bytes of the block, the first word first
//
// A block has two endpoints of 5, 6 and 5 bits, and two colours between them (or one, and transparent black). The ends
// of the texels' projections on the line through their colours are the first endpoints; each texel takes the nearest
// palette colour; least squares give the endpoints that suit these choices best; each texel chooses again. Blocks of
// almost one colour take the endpoints whose mix at 1/3 is nearest to it. The best of the three is kept. Blocks are
// those of BlockQuality::kFast. Options and exactness: block_texels.glsl.
#ifndef ONEPASS_BC1_GLSL_
#define ONEPASS_BC1_GLSL_

#include "onepass/block_texels.glsl"
#include "onepass/prelude_names.glsl"

/// A choice of endpoints and indices.
struct OnepassBc1Choice {
  float error;
  float3 first;   // as stored
  float3 second;  // as stored
  uint steps;     // of texel i from the first endpoint to the second, in bits 2i and 2i + 1
};

/// Chooses the nearest of steps + 1 palette colours for every texel; `third`: 1 / steps.
OnepassBc1Choice onepass_bc1_choose(OnepassBlock block, uint inside, bool by_alpha, float3 first, float3 second,
                                    float steps, float third, ONEPASS_OUT(OnepassBlockSquares) squares) {
  const float3 unit = float3(255.0 / 31.0, 255.0 / 63.0, 255.0 / 31.0);
  float3 weights = onepass_block_weights().xyz;
  precise float3 from = first * unit;
  precise float3 to = second * unit;
  precise float3 along = to - from;
  precise float3 project = along * weights;
  precise float3 lengths = along * project;
  precise float scale = steps / max(onepass_block_sum(lengths), 1e-6);
  project = project * scale;
  OnepassBc1Choice choice;
  choice.first = first;
  choice.second = second;
  choice.steps = 0u;
  precise float error = 0.0;
  precise float a = 0.0;
  precise float aa = 0.0;
  precise float3 ax = float3(0.0, 0.0, 0.0);
  ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) {
    float4 x = onepass_block_channels(block.texel[i]);
    float weight = onepass_block_weight(inside, i, x.w, by_alpha);
    precise float3 distance = x.xyz - from;
    precise float3 parts = distance * project;
    precise float place = clamp(onepass_block_sum(parts), 0.0, steps) + 0.5;
    uint index = uint(place);
    precise float share = float(index) * third;
    precise float3 difference = distance - share * along;
    precise float3 errors = (difference * difference) * weights;
    error = error + onepass_block_sum(errors) * weight;
    precise float weighted = share * weight;
    a = a + weighted;
    aa = aa + weighted * share;
    ax = ax + weighted * x.xyz;
    choice.steps |= index << (2u * i);
  }
  choice.error = error;
  squares.a = a;
  squares.aa = aa;
  squares.ax = float4(ax, 0.0);
  return choice;
}

/// The stored value of 5 or 6 bits nearest to 0 to 255.
float3 onepass_bc1_quantised(float3 value) {
  const float3 most = float3(31.0, 63.0, 31.0);
  precise float3 scaled = value * float3(31.0 / 255.0, 63.0 / 255.0, 31.0 / 255.0);
  precise float3 moved = clamp(scaled, float3(0.0, 0.0, 0.0), most) + 0.5;
  return floor(moved);
}

/// The stored endpoints of one channel whose mix at 1/3 is nearest to `value`, 0 to 255: 2 x + y is the number of
/// thirds of a step, and the two differ by one step at most.
float2 onepass_bc1_mix(float value, uint most) {
  precise float moved = clamp(value, 0.0, 255.0) + 0.5;
  uint thirds = (6u * most * uint(moved) + 255u) / 510u;
  uint first = (thirds + 1u) / 3u;
  return float2(float(first), float(thirds - 2u * first));
}

/// The two words of a choice. `clear`: bits 2i and 2i + 1 are set for transparent texels.
uint2 onepass_bc1_pack(OnepassBc1Choice choice, uint clear, bool three, bool four_colors) {
  uint first = uint(choice.first.x) << 11u | uint(choice.first.y) << 5u | uint(choice.first.z);
  uint second = uint(choice.second.x) << 11u | uint(choice.second.y) << 5u | uint(choice.second.z);
  // Four colours need first > second, three first <= second. BC3 has four in either order.
  bool swap = three ? first > second : first < second;
  uint low = choice.steps & 0x55555555u;
  uint high = choice.steps >> 1u & 0x55555555u;
  uint codes;
  if (three) {  // steps 0, 1, 2 are the codes 0, 2, 1
    if (swap) high = 0x55555555u & ~(low | high);
    codes = low << 1u | high;
  } else {  // steps 0, 1, 2, 3 are the codes 0, 2, 3, 1
    if (swap) {
      low ^= 0x55555555u;
      high ^= 0x55555555u;
    }
    codes = (low ^ high) << 1u | high;
    if (first == second && !four_colors) codes = 0u;  // two equal endpoints state three colours
  }
  codes |= clear;
  return uint2(swap ? second | first << 16u : first | second << 16u, codes);
}

/// `clear`: bits 2i and 2i + 1 are set for texels that become transparent.
uint2 onepass_bc1_encode(OnepassBlock block, uint inside, bool by_alpha, uint clear, bool four_colors) {
  bool three = clear != 0u;
  float steps = three ? 2.0 : 3.0;
  float third = three ? 0.5 : 1.0 / 3.0;
  OnepassBlockStart start = onepass_block_start(block, inside, by_alpha, false);
  precise float3 mean = start.sum.xyz * (1.0 / max(start.count, 1e-6));
  float2 red = onepass_bc1_mix(mean.x, 31u);
  float2 green = onepass_bc1_mix(mean.y, 63u);
  float2 blue = onepass_bc1_mix(mean.z, 31u);
  OnepassBc1Choice best;
  ONEPASS_UNROLL for (uint turn = 0u; turn < 3u; ++turn) {
    float3 first = onepass_bc1_quantised(start.first.xyz);
    float3 second = onepass_bc1_quantised(start.second.xyz);
    if (turn == 2u) {
      first = float3(red.x, green.x, blue.x);
      second = float3(red.y, green.y, blue.y);
    }
    OnepassBlockSquares squares;
    OnepassBc1Choice choice = onepass_bc1_choose(block, inside, by_alpha, first, second, steps, third, squares);
    if (turn == 0u) {
      best = choice;
      onepass_block_solve(squares, start);
    } else {
      bool better = choice.error < best.error && !(turn == 2u && three);
      best.error = better ? choice.error : best.error;
      best.first = better ? choice.first : best.first;
      best.second = better ? choice.second : best.second;
      best.steps = better ? choice.steps : best.steps;
    }
  }
  return onepass_bc1_pack(best, clear, three, four_colors);
}

/// A block of opaque colours; alpha counts as a weight only (ONEPASS_BLOCK_WEIGHTED).
uint2 onepass_bc1(OnepassBlock block) {
  return onepass_bc1_encode(block, block.inside, ONEPASS_BLOCK_WEIGHTED, 0u, false);
}

/// A block of BC1 with alpha: texels whose alpha is below `threshold`, 0 to 255, become transparent black, others
/// opaque.
uint2 onepass_bc1_alpha(OnepassBlock block, float threshold) {
  uint clear = 0u;
  uint inside = block.inside;
  ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) {
    bool transparent = float(block.texel[i] >> 24u) < threshold;
    clear |= transparent ? 3u << (2u * i) : 0u;
    inside &= transparent ? ~(1u << i) : 0xFFFFu;
  }
  return onepass_bc1_encode(block, inside, false, clear, false);
}

/// The colours of a block of BC3, which has four colours in either order of the endpoints.
uint2 onepass_bc1_of_bc3(OnepassBlock block) {
  return onepass_bc1_encode(block, block.inside, ONEPASS_BLOCK_WEIGHTED, 0u, true);
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_BC1_GLSL_
