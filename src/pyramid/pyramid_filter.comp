// pyramid_filter.comp: one axis of a level whose mip filter is not the box.
//
// A level takes two dispatches. Rows: sums along y of the texels of the base, or of the unrounded texels of the finer
// level; they are as wide as these and as high as the level. Columns: sums along x of these sums, which are the texels
// of the level: encoded in its image, and unrounded for the next level. docs/mip_filters.md has the definition.
//
// Taps and weights come from a table that the host makes (src/pyramid/mip_filter.hpp). An invocation makes one texel of
// columns, and of rows a run of texels below each other, which share most of their taps. Where sums are long, pc.lanes
// invocations of a workgroup add up the taps of one texel.
#version 460
#extension GL_GOOGLE_include_directive : require
#if STORAGE_SOURCE
#extension GL_EXT_shader_image_load_formatted : require
#endif
#include "onepass/prelude.glsl"
#include "pyramid/pyramid_filter_params.h"

layout(local_size_x = 256) in;

layout(constant_id = 0) const uint STEP = FILTER_COLUMNS;
layout(constant_id = 1) const uint BOUNDARY = FILTER_CLAMP;
layout(constant_id = 2) const bool LIMITS = false;     // sums are limited to the range of the near taps
layout(constant_id = 3) const bool WEIGHTED = false;   // alpha is the weight of colours
layout(constant_id = 4) const bool LONG_SUMS = false;  // of thousands of taps
layout(constant_id = 5) const uint TEXEL_MODE = 0u;    // MODE_PLAIN or MODE_NORMAL_MAP
layout(constant_id = 6) const uint SOURCE_CHANNELS = 4u;
layout(constant_id = 7) const uint TARGET_CHANNELS = 4u;
layout(constant_id = 8) const bool SOURCE_UNORM = true;
layout(constant_id = 9) const uint TARGET_KIND = 0u;
layout(constant_id = 10) const bool TARGET_SRGB = false;
layout(constant_id = 11) const bool SOURCE_SRGB = false;
#define ALPHA_UNIT 1.0  // of alpha coverage

layout(push_constant, std430) uniform Constants { FilterParams pc; };

#if COMPONENTS == 1
#define ONEPASS_ELEMENT float
#define LESS(a, b) ((a) < (b))
#define CHOOSE(condition, a, b) ((condition) ? (a) : (b))
#define IS_NAN(a) ((onepass_float_bits(a) & 0x7FFFFFFFu) > 0x7F800000u)
#else
#if COMPONENTS == 2
#define ONEPASS_ELEMENT vec2
#else
#define ONEPASS_ELEMENT vec4
#endif
#define LESS(a, b) lessThan(a, b)
#define CHOOSE(condition, a, b) mix(b, a, condition)
#define IS_NAN(a) greaterThan(onepass_float_bits(a) & 0x7FFFFFFFu, onepass_float_bits(ONEPASS_ELEMENT(INFINITY)))
#endif

#define MULTISAMPLE 0
#include "vulkan/source_image.glsl"
layout(binding = 1) uniform writeonly image2DArray level;
layout(binding = 2) readonly buffer Table { uint table[]; };
layout(binding = 3) buffer Sums { ONEPASS_ELEMENT sums[]; };  // along y
layout(binding = 4) buffer Kept { ONEPASS_ELEMENT kept[]; };  // the level made last, unrounded

#include "vulkan/target_texel.glsl"
#include "pyramid/pyramid_codec.glsl"

#define INFINITY onepass_bits_float(0x7F800000u)

// ---- Taps

struct Taps {
  int first;  // input texel; texels may lie outside of the input
  uint count;
  uint near_begin;
  uint near_end;
  uint weights;
};

Taps find_taps(uint i) {
  uint at = pc.phases + (pc.shift == 0u ? FILTER_PHASE_WORDS * i : 0u);
  return Taps(int(table[at]) + int(i * pc.shift), table[at + 1u], table[at + 2u], table[at + 3u], table[at + 4u]);
}

// mapped_texel() of src/pyramid/mip_filter.hpp.
uint mapped(int j) {
  int size = int(pc.finer);
  if (j >= 0 && j < size) return uint(j);
  if (BOUNDARY == FILTER_CLAMP) return uint(clamp(j, 0, size - 1));
  int period = BOUNDARY == FILTER_MIRROR ? 2 * size : size;
  int within = j >= 0 ? j % period : period - 1 - (-1 - j) % period;
  return uint(within < size ? within : period - 1 - within);
}

// ---- Texels. With WEIGHTED: colours and their weight.

// The light of the quantised value that a device has decoded: by up to half a step too much or too little, which
// negative weights would multiply. The table begins with the light of all 256.
float exact_light(float light) { return onepass_bits_float(table[min(uint(srgb_encode(light) * 255.0 + 0.5), 255u)]); }

ONEPASS_ELEMENT decode_working(float4 texel) {
  if (SOURCE_SRGB) texel.rgb = float3(exact_light(texel.r), exact_light(texel.g), exact_light(texel.b));
  ONEPASS_ELEMENT value = decode(texel);
#if COMPONENTS == 4
  if (WEIGHTED) value.a = max(value.a, 0.0) + LEAST_ALPHA;
#endif
  return value;
}

float4 encode_working(ONEPASS_ELEMENT value) {
#if COMPONENTS == 4
  if (WEIGHTED) value.a = max(value.a - LEAST_ALPHA, 0.0);
#endif
  return encode(value);
}

ONEPASS_ELEMENT load_input(uint2 at, uint j, uint slice) {
  if (STEP == FILTER_ROWS_OF_BASE) return decode_working(load_source(uint2(at.x, j), pc.slice + slice));
  if (STEP == FILTER_ROWS_OF_LEVEL) return kept[(slice * pc.finer + j) * pc.width + at.x];
  return sums[(slice * pc.height + at.y) * pc.finer + j];
}

void store(uint2 at, uint slice, ONEPASS_ELEMENT value) {
  uint index = (slice * pc.height + at.y) * pc.width + at.x;
  if (STEP != FILTER_COLUMNS) {
    sums[index] = value;
    return;
  }
  imageStore(level, int3(at, pc.slice + slice), encode_working(value));
  if (pc.keeps != 0u) kept[index] = value;
}

// ---- Sums

struct Sum {
  ONEPASS_ELEMENT value;
  ONEPASS_ELEMENT low;  // the range of the near taps
  ONEPASS_ELEMENT high;
  ONEPASS_ELEMENT lost;  // LONG_SUMS: what the roundings of the value have added to it
};

ONEPASS_ELEMENT lesser(ONEPASS_ELEMENT a, ONEPASS_ELEMENT b) { return CHOOSE(LESS(b, a), b, a); }
ONEPASS_ELEMENT larger(ONEPASS_ELEMENT a, ONEPASS_ELEMENT b) { return CHOOSE(LESS(a, b), b, a); }

// Kahan 1965. An infinite sum has lost nothing.
void add_exactly(inout ONEPASS_ELEMENT sum, inout ONEPASS_ELEMENT lost, ONEPASS_ELEMENT term) {
  precise ONEPASS_ELEMENT corrected = term - lost;
  precise ONEPASS_ELEMENT next = sum + corrected;
  precise ONEPASS_ELEMENT grown = next - sum;
  precise ONEPASS_ELEMENT rest = grown - corrected;
  lost = CHOOSE(LESS(abs(next), ONEPASS_ELEMENT(INFINITY)), rest, ONEPASS_ELEMENT(0.0));
  sum = next;
}

Sum no_taps() {
  return Sum(ONEPASS_ELEMENT(0.0), ONEPASS_ELEMENT(INFINITY), ONEPASS_ELEMENT(-INFINITY), ONEPASS_ELEMENT(0.0));
}

// Adds the product of tap k.
void add_tap(inout Sum sum, Taps taps, uint k, ONEPASS_ELEMENT texel) {
  ONEPASS_ELEMENT term = onepass_bits_float(table[taps.weights + k]) * texel;
#if COMPONENTS == 4
  if (WEIGHTED) term.rgb *= texel.a;
#endif
  if (LONG_SUMS) {
    add_exactly(sum.value, sum.lost, term);
  } else {
    sum.value += term;
  }
  if (LIMITS && k >= taps.near_begin && k < taps.near_end) {
    sum.low = lesser(sum.low, texel);
    sum.high = larger(sum.high, texel);
  }
}

// The sum of every pc.lanes-th tap, from `part` on.
Sum add_taps(Taps taps, uint part, uint2 at, uint slice) {
  Sum sum = no_taps();
  for (uint k = part; k < taps.count; k += pc.lanes) {
    add_tap(sum, taps, k, load_input(at, mapped(taps.first + int(k)), slice));
  }
  return sum;
}

groupshared ONEPASS_ELEMENT s_values[LONG_SUMS ? 256u : 1u];
groupshared ONEPASS_ELEMENT s_lows[LONG_SUMS && LIMITS ? 256u : 1u];
groupshared ONEPASS_ELEMENT s_highs[LONG_SUMS && LIMITS ? 256u : 1u];

// Adds the sums of all parts of a texel, which are `stride` invocations apart. Part 0 returns the result.
Sum join_parts(Sum sum, uint part, uint lane, uint stride) {
  s_values[lane] = sum.value;
  if (LIMITS) {
    s_lows[lane] = sum.low;
    s_highs[lane] = sum.high;
  }
  for (uint parts = pc.lanes >> 1u; parts > 0u; parts >>= 1u) {
    onepass_group_barrier();  // the sums to add are written
    if (part < parts) {
      uint other = lane + parts * stride;
      s_values[lane] += s_values[other];
      if (LIMITS) {
        s_lows[lane] = lesser(s_lows[lane], s_lows[other]);
        s_highs[lane] = larger(s_highs[lane], s_highs[other]);
      }
    }
  }
  sum.value = s_values[lane];
  if (LIMITS) {
    sum.low = s_lows[lane];
    sum.high = s_highs[lane];
  }
  return sum;
}

// NaN stays NaN. The test is one of bits: compilers may take a choice by a comparison for min(), which returns the
// number.
ONEPASS_ELEMENT finish(Sum sum) {
#if COMPONENTS == 4
  if (WEIGHTED) sum.value.rgb /= sum.low.a < sum.value.a ? sum.value.a : sum.low.a;
#endif
  if (!LIMITS) return sum.value;
  return CHOOSE(IS_NAN(sum.value), sum.value, lesser(larger(sum.value, sum.low), sum.high));
}

// A run of sums below each other: each texel of the input is loaded and decoded once.
void make_rows(uint2 at, uint last, uint slice) {
  Taps taps[FILTER_RUN];
  Sum sums_of[FILTER_RUN];
  ONEPASS_UNROLL for (uint r = 0u; r < FILTER_RUN; ++r) {
    taps[r] = find_taps(min(at.y + r, last));
    sums_of[r] = no_taps();
  }
  int end = taps[FILTER_RUN - 1u].first + int(taps[FILTER_RUN - 1u].count);
  for (int j = taps[0].first; j < end; ++j) {
    ONEPASS_ELEMENT texel = load_input(at, mapped(j), slice);
    ONEPASS_UNROLL for (uint r = 0u; r < FILTER_RUN; ++r) {
      uint k = uint(j - taps[r].first);  // large before the first tap
      if (k < taps[r].count) add_tap(sums_of[r], taps[r], k, texel);
    }
  }
  ONEPASS_UNROLL for (uint r = 0u; r < FILTER_RUN; ++r) {
    if (at.y + r <= last) store(uint2(at.x, at.y + r), slice, finish(sums_of[r]));
  }
}

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint slice = gl_WorkGroupID.z;
  uint2 last = uint2(pc.width, pc.height) - 1u;
  if (LONG_SUMS && pc.lanes > 1u) {
    uint texels = 256u / pc.lanes;  // side by side
    uint2 texel = uint2(texels * gl_WorkGroupID.x, gl_WorkGroupID.y);
    // Consecutive invocations read consecutive texels: of one row of several columns, or of one texel's taps.
    uint part = STEP == FILTER_COLUMNS ? lane % pc.lanes : lane / texels;
    texel.x += STEP == FILTER_COLUMNS ? lane / pc.lanes : lane % texels;
    uint2 at = min(texel, last);
    Taps taps = find_taps(STEP == FILTER_COLUMNS ? at.x : at.y);
    Sum sum = join_parts(add_taps(taps, part, at, slice), part, lane, STEP == FILTER_COLUMNS ? 1u : texels);
    if (part == 0u && texel.x <= last.x) store(at, slice, finish(sum));
    return;
  }
  uint2 at = gl_WorkGroupID.xy * uint2(FILTER_TILE_WIDTH, FILTER_TILE_HEIGHT) +
             uint2(lane % FILTER_TILE_WIDTH, lane / FILTER_TILE_WIDTH);
  if (STEP != FILTER_COLUMNS) at.y *= FILTER_RUN;
  if (any(greaterThan(at, last))) return;
  if (STEP == FILTER_COLUMNS) {
    store(at, slice, finish(add_taps(find_taps(at.x), 0u, at, slice)));
  } else {
    make_rows(at, last.y, slice);
  }
}
