// pyramid_coverage.comp: scales the alpha of each level so that of the stored alphas the share that passes the alpha
// test stays the base's. src/pyramid/coverage.hpp has the rule; choose_alpha_scale() is the same on the CPU.
//
// Runs after the chain, whose levels are all intermediate levels, unrounded in the exchange buffer. COVERAGE_count runs
// once per digit of 8 bits of an alpha's float, from the highest (pc.level 0) down: it counts the digits of the texels
// whose higher digits are those of the alpha that will be chosen; the first run also counts the texels that pass the
// test unscaled. COVERAGE_scale chooses each level's scale and writes the levels. A workgroup of 256 invocations owns
// up to 4096 consecutive texels of one level of one slice: the first workgroups share the base, the next level 1, and
// so on.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ONEPASS_SUBGROUP 0

layout(local_size_x = 256) in;

#define LEVEL_IMAGES 15
#include "pyramid_texel.glsl"

layout(constant_id = 11) const float THRESHOLD = 0.5;  // the members of AlphaTest
layout(constant_id = 27) const float BASE_CUT = 0.5;
layout(constant_id = 28) const float UNSCALED_CUT = 0.5;
layout(constant_id = 29) const float UNSCALED_SCALE = 1.0;
layout(constant_id = 30) const float LEAST_PASSING = 0.5;
layout(constant_id = 31) const float MOST_FAILING = 0.5;
layout(constant_id = 32) const float TARGET_ALPHA_UNIT = 1.0;  // the target's quantised alpha that stands for 1

#define DIGITS 4u
#define PASSING (256u * DIGITS)  // index of the number of passing texels
#define STRIDE (PASSING + 1u)
layout(binding = 4) buffer Histogram { uint histogram[]; };

groupshared uint s_bins[256];
groupshared uint s_passing;
groupshared uint s_sums[256];
groupshared uint2 s_found;

uint histogram_offset(uint level, uint slice) { return (slice * (pc.last_level + 1u) + level) * STRIDE; }

// The alpha of a working texel, in units of the source.
float alpha_of_weight(float weight) { return weight > LEAST_ALPHA ? weight - LEAST_ALPHA : 0.0; }

// The texels that this workgroup owns: a level, and a half-open range of indices within it.
struct Share {
  uint level;  // beyond the last level: no texels
  uint begin;
  uint end;
};

Share own_share() {
  uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  Share share;
  share.level = ONEPASS_MAX_LEVELS;
  ONEPASS_UNROLL for (uint level = 0u; level < ONEPASS_MAX_LEVELS; ++level) {
    uint2 size = onepass_level_size2(pc.size, level);
    uint groups = (size.x * size.y + 4095u) / 4096u;
    if (share.level == ONEPASS_MAX_LEVELS && level <= pc.last_level && group < groups) {
      share.level = level;
      share.begin = group * 4096u;
      share.end = min(share.begin + 4096u, size.x * size.y);
    }
    group -= groups;  // wraps once the share is found
  }
  return share;
}

void count_base(Share share, uint slice, uint lane) {
  if (pc.level > 0u) return;
  if (lane == 0u) s_passing = 0u;
  onepass_group_barrier();  // the count is zero
  uint passing = 0u;
  for (uint begin = share.begin; begin < share.end; begin += 256u) {
    uint i = min(begin + lane, share.end - 1u);
    float alpha = alpha_of_weight(decode(texelFetch(source, int3(i % pc.size.x, i / pc.size.x, slice), 0)).a);
    if (begin + lane < share.end && alpha >= BASE_CUT) ++passing;
  }
  atomicAdd(s_passing, passing);
  onepass_group_barrier();  // the texels of all invocations are counted
  if (lane == 0u) atomicAdd(histogram[histogram_offset(0u, slice) + PASSING], s_passing);
}

// ---- The alpha of a rank

// a * b - c * d where that is not negative, in 64 bits, high word first.
uint2 product_difference(uint a, uint b, uint c, uint d) {
  uint2 left;
  uint2 right;
  umulExtended(a, b, left.x, left.y);
  umulExtended(c, d, right.x, right.y);
  uint borrow;
  uint low = usubBorrow(left.y, right.y, borrow);
  return uint2(left.x - right.x - borrow, low);
}

bool is_less(uint a, uint b, uint c, uint d) {  // a * b < c * d
  uint2 left;
  uint2 right;
  umulExtended(a, b, left.x, left.y);
  umulExtended(c, d, right.x, right.y);
  return left.x < right.x || (left.x == right.x && left.y < right.y);
}

// So many texels of a level should pass, but at least 1: the base's share, rounded up.
uint wanted_rank(uint base_passing, uint texels) {
  uint base_texels = pc.size.x * pc.size.y;
  uint fewer = 0u;
  for (uint bit = 0x80000000u; bit > 0u; bit >>= 1u) {
    if (is_less(fewer | bit, base_texels, base_passing, texels)) fewer |= bit;
  }
  return fewer + 1u;
}

// The texel of a rank: its alpha's higher digits, its rank among the texels with these digits, and their number.
struct Ranked {
  uint bits;
  uint rank;
  uint equal;
};

// Adds the next digit.
void find_digit(inout Ranked ranked, uint begin, uint lane) {
  uint count = histogram[begin + 255u - lane];  // from the largest digit down
  s_sums[lane] = count;
  for (uint step = 1u; step < 256u; step <<= 1u) {
    onepass_group_barrier();  // sums of this step are complete
    uint before = lane >= step ? s_sums[lane - step] : 0u;
    onepass_group_barrier();  // every read of them is done
    s_sums[lane] += before;
  }
  uint larger = s_sums[lane] - count;
  if (larger < ranked.rank && ranked.rank <= s_sums[lane]) s_found = uint2(255u - lane, larger);
  onepass_group_barrier();  // one invocation has found the digit
  ranked.bits = ranked.bits << 8u | s_found.x;
  ranked.rank -= s_found.y;
  ranked.equal = histogram[begin + s_found.x];
  onepass_group_barrier();  // every read of s_found is done
}

// The first `digits` digits of the alpha whose rank is wanted.
Ranked find_ranked(uint level, uint slice, uint digits, uint lane) {
  uint2 size = onepass_level_size2(pc.size, level);
  Ranked ranked;
  ranked.bits = 0u;
  ranked.rank = wanted_rank(histogram[histogram_offset(0u, slice) + PASSING], size.x * size.y);
  ranked.equal = 0u;
  for (uint digit = 0u; digit < digits; ++digit) {
    find_digit(ranked, histogram_offset(level, slice) + 256u * digit, lane);
  }
  return ranked;
}

// Counts digit pc.level of the texels whose higher digits are those of the wanted rank.
void count_level(Share share, uint slice, uint lane) {
  uint prefix = 0u;
  if (pc.level > 0u) prefix = find_ranked(share.level, slice, pc.level, lane).bits;
  s_bins[lane] = 0u;
  if (lane == 0u) s_passing = 0u;
  onepass_group_barrier();  // counts are zero
  uint shift = 8u * (DIGITS - 1u - pc.level);
  uint intermediate_begin = onepass_intermediate_offset(share.level, slice);
  for (uint begin = share.begin; begin < share.end; begin += 256u) {
    uint i = begin + lane;
    if (i >= share.end) continue;
    float alpha = alpha_of_weight(kept[intermediate_begin + i].a);
    uint digits = onepass_float_bits(alpha) >> shift;
    if (digits >> 8u == prefix) atomicAdd(s_bins[digits & 255u], 1u);
    if (pc.level == 0u && alpha >= UNSCALED_CUT) atomicAdd(s_passing, 1u);
  }
  onepass_group_barrier();  // counts are complete
  uint counts = histogram_offset(share.level, slice);
  if (s_bins[lane] != 0u) atomicAdd(histogram[counts + 256u * pc.level + lane], s_bins[lane]);
  if (lane == 0u && pc.level == 0u) atomicAdd(histogram[counts + PASSING], s_passing);
}

// ---- The scale

// The least float s with v * s >= THRESHOLD.
float least_scale(float v) {
  uint scale = 0u;  // the largest bits whose product is too small
  for (uint bit = 0x40000000u; bit > 0u; bit >>= 1u) {
    uint next = scale | bit;
    precise float product = v * onepass_bits_float(min(next, 0x7F7FFFFFu));
    if (next < 0x7F800000u && product < THRESHOLD) scale = next;
  }
  return onepass_bits_float(scale + 1u);
}

// A level's scale, and the bits of the least alpha that passes the test.
struct Scale {
  float factor;
  uint cut;
};

Scale choose_scale(uint level, uint slice, uint lane) {
  uint counts = histogram_offset(level, slice);
  uint2 size = onepass_level_size2(pc.size, level);
  uint texels = size.x * size.y;
  uint base_texels = pc.size.x * pc.size.y;
  uint base_passing = histogram[histogram_offset(0u, slice) + PASSING];
  Ranked v = find_ranked(level, slice, DIGITS, lane);
  uint larger = wanted_rank(base_passing, texels) - v.rank;
  uint2 more = product_difference(larger + v.equal, base_texels, base_passing, texels);
  uint2 fewer = product_difference(base_passing, texels, larger, base_texels);
  bool equals_pass = v.bits != 0u && (more.x < fewer.x || (more.x == fewer.x && more.y <= fewer.y));
  Scale scale;
  if (larger + (equals_pass ? v.equal : 0u) == histogram[counts + PASSING]) {
    scale.factor = UNSCALED_SCALE;
    scale.cut = onepass_float_bits(UNSCALED_CUT);
  } else {
    const float least_alpha = 5.9604645e-8;  // 2^-24, as in coverage.cpp
    scale.factor = least_scale(max(onepass_bits_float(v.bits), least_alpha));
    scale.cut = v.bits + (equals_pass ? 0u : 1u);
  }
  return scale;
}

float scaled_alpha(float alpha, Scale scale) {
  precise float product = alpha * scale.factor;
  float stored = min(1.0, product);
  if (TARGET_ALPHA_UNIT != 1.0) {
    precise float code = stored * TARGET_ALPHA_UNIT;
    precise float rounded = code + 0.5;
    stored = floor(rounded) / TARGET_ALPHA_UNIT;
  }
  return onepass_float_bits(alpha) >= scale.cut ? max(stored, LEAST_PASSING) : min(stored, MOST_FAILING);
}

void write_level(Share share, uint slice, uint lane) {
  Scale scale = choose_scale(share.level, slice, lane);
  uint intermediate_begin = onepass_intermediate_offset(share.level, slice);
  uint width = onepass_level_size(pc.size.x, share.level);
  for (uint begin = share.begin; begin < share.end; begin += 256u) {
    uint i = begin + lane;
    if (i >= share.end) continue;
    float4 texel = kept[intermediate_begin + i];
    texel = float4(texel.rgb / texel.a, scaled_alpha(alpha_of_weight(texel.a), scale));
    store_texel(share.level - 1u, uint2(i % width, i / width), slice, texel);
  }
}

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint slice = gl_WorkGroupID.z;
  Share share = own_share();
#if defined(COVERAGE_count)
  if (share.level == 0u) {
    count_base(share, slice, lane);
  } else if (share.level <= pc.last_level) {
    count_level(share, slice, lane);
  }
#else
  if (share.level > 0u && share.level <= pc.last_level) write_level(share, slice, lane);
#endif
}
