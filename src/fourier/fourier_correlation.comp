// fourier_correlation.comp: the steps of a correlation besides its transforms: normalisation of both images, product of
// their spectra, peak of the correlation surface c.
//
// STEP, a specialization constant, one of ONEPASS_CORRELATION_..., in the order of execution. The first one, which
// reads the images, has a kernel of its own (READS_IMAGES):
//     luminance   both images -> pairs (first, second); partial sums for the means
//     mean        one workgroup: means and largest magnitudes
//     window      (pair - mean) / largest magnitude, times the window; partial sums for the power
//     power       one workgroup: factors that make the power 1
//     product     spectra of the pairs -> first times conj second; partial counts of frequencies with signal
//     count       one workgroup: the factor that makes the correlation of equal images 1
//     scale       the product times that factor (phase correlation only, as count)
//     peak        per workgroup: the largest c
//     highest     one workgroup: the largest c
//     nearest     per workgroup: of the local maxima within ONEPASS_CORRELATION_TIE of it, the shortest shift
//     result      one workgroup: the nearest of all, its neighbours, the range of c in its row and its column
// Sums are added in a fixed order: every run gives the same bits.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "onepass/prelude.glsl"
#include "fourier/fourier_operation_params.h"

#define GROUP 256u
#define NONE 0xFFFFFFFFu
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint FIRST_CHANNELS = 4u;
layout(constant_id = 1) const uint SECOND_CHANNELS = 4u;
layout(constant_id = 2) const uint STEP = ONEPASS_CORRELATION_LUMINANCE;
layout(push_constant, std430) uniform Constants { CorrelationParams pc; };

#if READS_IMAGES
layout(binding = 0) uniform sampler2DArray first_image;
layout(binding = 1) uniform sampler2DArray second_image;
#endif

// .x of the first image, .y of the second.
struct Stats {
  float2 mean;
  float2 inverse_largest;
  float2 scale;
  float product_scale;
  float highest;
};
struct Partial {
  float4 numbers;
  uint4 places;
};
// Steps bind at most four buffers, as many as every device has. From PEAK on the first is c.
layout(binding = 3) buffer Pairs { float2 pairs[]; };              // luminance; the product of spectra
layout(binding = 3) readonly buffer Surface { float surface[]; };  // c
layout(binding = 4) buffer Partials { Partial partials[]; };
layout(binding = 5) buffer Statistics { Stats stats; };
layout(binding = 6) readonly buffer Window { float window[]; };  // W horizontal weights, then H vertical
layout(binding = 6) readonly buffer Spectra { float4 spectra[]; };
layout(binding = 6) buffer Result { CorrelationResult result; };  // MEAN, RESULT

// Partial results. numbers: sums; maxima in .zw of LUMINANCE and from PEAK on. places: smallest indices; counts
// (PRODUCT, COUNT); from PEAK on the smallest pair of squared shift and index.
const bool kOfPeak = STEP >= ONEPASS_CORRELATION_PEAK;
const bool kOfImages = STEP == ONEPASS_CORRELATION_LUMINANCE || STEP == ONEPASS_CORRELATION_MEAN;
groupshared float4 s_numbers[GROUP];
groupshared uint4 s_places[GROUP];

Partial joined(Partial a, Partial b) {
  if (kOfImages) {
    return Partial(float4(a.numbers.xy + b.numbers.xy, max(a.numbers.zw, b.numbers.zw)), min(a.places, b.places));
  }
  if (kOfPeak) {
    bool first = a.places.x < b.places.x || (a.places.x == b.places.x && a.places.y < b.places.y);
    return Partial(max(a.numbers, b.numbers), first ? a.places : b.places);
  }
  return Partial(a.numbers + b.numbers, a.places + b.places);
}

Partial nothing() {
  const float least = kOfPeak ? -3.4e38 : 0.0;
  const uint place = kOfPeak || kOfImages ? NONE : 0u;
  return Partial(float4(least, least, least, least), uint4(place, place, place, place));
}

// Joins the partial results of all invocations, for all invocations.
Partial joined_in_group(Partial own) {
  uint i = gl_LocalInvocationIndex;
  s_numbers[i] = own.numbers;
  s_places[i] = own.places;
  ONEPASS_UNROLL for (uint half_way = GROUP / 2u; half_way > 0u; half_way /= 2u) {
    onepass_group_barrier();  // both halves are stored
    if (i < half_way) {
      Partial sum =
          joined(Partial(s_numbers[i], s_places[i]), Partial(s_numbers[i + half_way], s_places[i + half_way]));
      s_numbers[i] = sum.numbers;
      s_places[i] = sum.places;
    }
  }
  onepass_group_barrier();  // element 0 is complete
  return Partial(s_numbers[0], s_places[0]);
}

// Joins the partial results of the previous step, for all invocations.
Partial joined_partials() {
  Partial own = nothing();
  uint rounds = (pc.groups + GROUP - 1u) / GROUP;  // uniform: see ONEPASS_UNROLL
  for (uint round = 0u; round < rounds; ++round) {
    uint i = round * GROUP + gl_LocalInvocationIndex;
    Partial next = nothing();
    if (i < pc.groups) next = partials[i];
    own = joined(own, next);
  }
  return joined_in_group(own);
}

void leave(Partial own, uint group) {
  Partial all = joined_in_group(own);
  if (gl_LocalInvocationIndex == 0u && group < pc.groups) partials[group] = all;
}

// The texel in the middle, where windows are largest.
uint pivot_index() { return pc.size.y / 2u * pc.size.x + pc.size.x / 2u; }

uint this_group() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }

// Item `round` of this invocation. Neighbouring invocations get neighbouring items.
uint item(uint round) { return (this_group() * ONEPASS_CORRELATION_VALUES + round) * GROUP + gl_LocalInvocationIndex; }

#if READS_IMAGES
float luminance(float4 texel, uint channels) {
  return channels < 3u ? texel.r : 0.2126 * texel.r + 0.7152 * texel.g + 0.0722 * texel.b;
}

float2 luminances(uint i) {
  int3 at = int3(int(i % pc.size.x), int(i / pc.size.x), 0);
  return float2(luminance(texelFetch(first_image, at, 0), FIRST_CHANNELS),
                luminance(texelFetch(second_image, at, 0), SECOND_CHANNELS));
}

// Compares bits, which order magnitudes, Inf and NaN included, even if a compiler assumes that floats are never NaN.
bool is_bad(float value) { return (onepass_float_bits(value) & 0x7FFFFFFFu) > onepass_float_bits(1e18); }

void luminance_step() {
  float2 pivot = luminances(pivot_index());  // sums of differences from it: 0 for constants
  Partial own = nothing();
  ONEPASS_UNROLL for (uint round = 0u; round < ONEPASS_CORRELATION_VALUES; ++round) {
    uint i = item(round);
    if (i < pc.count) {
      float2 value = luminances(i);
      pairs[i] = value;
      float weight = window[i % pc.size.x] * window[pc.size.x + i / pc.size.x];
      Partial next = Partial(float4(weight * (value - pivot), weight * abs(value)), uint4(NONE, NONE, NONE, NONE));
      if (is_bad(value.x)) next.places.x = i;
      if (is_bad(value.y)) next.places.y = i;
      own = joined(own, next);
    }
  }
  leave(own, this_group());
}

void main() { luminance_step(); }

#else
void mean_step() {
  Partial all = joined_partials();
  if (gl_LocalInvocationIndex != 0u) return;
  stats.mean = pairs[pivot_index()] + all.numbers.xy * pc.weight;
  stats.inverse_largest =
      float2(all.numbers.z > 1e-37 ? 1.0 / all.numbers.z : 0.0, all.numbers.w > 1e-37 ? 1.0 / all.numbers.w : 0.0);
  result.bad_first = all.places.x;
  result.bad_second = all.places.y;
}

void window_step() {
  Partial own = nothing();
  ONEPASS_UNROLL for (uint round = 0u; round < ONEPASS_CORRELATION_VALUES; ++round) {
    uint i = item(round);
    if (i < pc.count) {
      float weight = window[i % pc.size.x] * window[pc.size.x + i / pc.size.x];
      float2 value = (pairs[i] - stats.mean) * stats.inverse_largest * weight;
      pairs[i] = value;
      own.numbers.xy += value * value;
    }
  }
  leave(own, this_group());
}

void power_step() {
  Partial all = joined_partials();
  if (gl_LocalInvocationIndex != 0u) return;
  float2 rms = sqrt(all.numbers.xy / pc.texels);
  // A smaller rms is the rounding error of a constant image.
  stats.scale = float2(rms.x > 1e-6 ? 1.0 / rms.x : 0.0, rms.y > 1e-6 ? 1.0 / rms.y : 0.0);
}

void product_step() {
  Partial own = nothing();
  ONEPASS_UNROLL for (uint round = 0u; round < ONEPASS_CORRELATION_VALUES; ++round) {
    uint i = item(round);
    if (i < pc.count) {
      float2 a = spectra[i].xy * stats.scale.x;
      float2 b = spectra[i].zw * stats.scale.y;
      float2 product = float2(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y);
      if (pc.phase != 0u) {
        float la = length(a);
        float lb = length(b);
        bool empty = !(la > pc.least && lb > pc.least);
        product = empty ? float2(0.0, 0.0) : product / (la * lb);
        uint kx = i / pc.size.y;
        if (!empty) own.places.x += kx == 0u || 2u * kx == pc.size.x ? 1u : 2u;  // mirrored columns are not stored
      } else {
        product /= pc.texels;
      }
      pairs[i] = product;
    }
  }
  leave(own, this_group());
}

void count_step() {
  uint count = joined_partials().places.x;
  if (gl_LocalInvocationIndex == 0u) stats.product_scale = count == 0u ? 0.0 : pc.texels / float(count);
}

void scale_step() {
  uint i = this_group() * GROUP + gl_LocalInvocationIndex;
  if (i < pc.count) pairs[i] *= stats.product_scale;
}

void peak_step() {
  Partial own = nothing();
  ONEPASS_UNROLL for (uint round = 0u; round < ONEPASS_CORRELATION_VALUES; ++round) {
    uint i = item(round);
    if (i < pc.count) own.numbers.x = max(own.numbers.x, surface[i]);
  }
  leave(own, this_group());
}

void highest_step() {
  float highest = joined_partials().numbers.x;
  if (gl_LocalInvocationIndex == 0u) stats.highest = highest;
}

float around(uint x, uint y) { return surface[y % pc.size.y * pc.size.x + x % pc.size.x]; }

float largest_of_row(uint x, uint y) {
  return max(around(x, y), max(around(x + pc.size.x - 1u, y), around(x + 1u, y)));
}

bool is_local_maximum(uint x, uint y, float value) {
  float others = max(largest_of_row(x, y), max(largest_of_row(x, y + pc.size.y - 1u), largest_of_row(x, y + 1u)));
  return value >= others;
}

void nearest_step() {
  Partial own = nothing();
  ONEPASS_UNROLL for (uint round = 0u; round < ONEPASS_CORRELATION_VALUES; ++round) {
    uint i = item(round);
    if (i < pc.count && surface[i] >= stats.highest - ONEPASS_CORRELATION_TIE) {
      uint x = i % pc.size.x;
      uint y = i / pc.size.x;
      uint2 shift = uint2(min(x, pc.size.x - x), min(y, pc.size.y - y));
      Partial next = nothing();
      if (is_local_maximum(x, y, surface[i])) next.places.xy = uint2(shift.x * shift.x + shift.y * shift.y, i);
      own = joined(own, next);
    }
  }
  leave(own, this_group());
}

void result_step() {
  uint index = min(joined_partials().places.y, pc.count - 1u);
  uint x = index % pc.size.x;
  uint y = index / pc.size.x;
  Partial own = nothing();                                         // numbers: max, -min of the row, of the column
  uint rounds = (max(pc.size.x, pc.size.y) + GROUP - 1u) / GROUP;  // uniform: see ONEPASS_UNROLL
  for (uint round = 0u; round < rounds; ++round) {
    uint i = round * GROUP + gl_LocalInvocationIndex;  // wraps around beyond the size
    float across = around(i, y);
    float down = around(x, i);
    own.numbers = max(own.numbers, float4(across, -across, down, -down));
  }
  onepass_group_barrier();  // shared memory has been read
  float4 extremes = joined_in_group(own).numbers;
  if (gl_LocalInvocationIndex != 0u) return;
  result.index = index;
  result.value = surface[index];
  result.left = around(x + pc.size.x - 1u, y);
  result.right = around(x + 1u, y);
  result.above = around(x, y + pc.size.y - 1u);
  result.below = around(x, y + 1u);
  result.range_x = extremes.x + extremes.y;
  result.range_y = extremes.z + extremes.w;
}

void main() {
  if (STEP == ONEPASS_CORRELATION_MEAN) mean_step();
  if (STEP == ONEPASS_CORRELATION_WINDOW) window_step();
  if (STEP == ONEPASS_CORRELATION_POWER) power_step();
  if (STEP == ONEPASS_CORRELATION_PRODUCT) product_step();
  if (STEP == ONEPASS_CORRELATION_COUNT) count_step();
  if (STEP == ONEPASS_CORRELATION_SCALE) scale_step();
  if (STEP == ONEPASS_CORRELATION_PEAK) peak_step();
  if (STEP == ONEPASS_CORRELATION_HIGHEST) highest_step();
  if (STEP == ONEPASS_CORRELATION_NEAREST) nearest_step();
  if (STEP == ONEPASS_CORRELATION_RESULT) result_step();
}
#endif
