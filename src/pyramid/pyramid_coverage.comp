// pyramid_coverage.comp: scales the alpha of each level so that the share of texels passing the threshold stays the
// base's.
//
// Runs after the chain, whose levels are all intermediate levels, unrounded in the exchange buffer. COVERAGE_count
// makes a histogram of alphas per level and slice, and counts the passing texels of the base. COVERAGE_scale chooses
// each level's scale, as coverage.cpp does, and writes the levels. A workgroup of 256 invocations owns up to 4096
// consecutive texels of one level of one slice: the first workgroups share the base, the next level 1, and so on.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ONEPASS_MEMORY_MODEL 0
#define ONEPASS_SUBGROUP 0

layout(local_size_x = 256) in;

#define LEVEL_IMAGES 15
#include "pyramid_texel.glsl"

layout(constant_id = 11) const float THRESHOLD = 0.5;

#define BINS 1025u
#define STRIDE 1026u
layout(binding = 4) buffer Histogram { uint histogram[]; };

groupshared uint s_bins[1280];  // a multiple of 256; STRIDE are used
groupshared uint s_passing;
groupshared uint s_sums[256];

uint histogram_offset(uint level, uint slice) { return (slice * (pc.last_level + 1u) + level) * STRIDE; }

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
  if (lane == 0u) s_passing = 0u;
  onepass_group_barrier();  // the count is zero
  uint passing = 0u;
  for (uint begin = share.begin; begin < share.end; begin += 256u) {
    uint i = min(begin + lane, share.end - 1u);
    float alpha = texelFetch(source, int3(i % pc.size.x, i / pc.size.x, slice), 0).a;
    if (begin + lane < share.end && alpha >= THRESHOLD) ++passing;
  }
  atomicAdd(s_passing, passing);
  onepass_group_barrier();  // the texels of all invocations are counted
  if (lane == 0u) atomicAdd(histogram[histogram_offset(0u, slice) + BINS], s_passing);
}

void count_level(Share share, uint slice, uint lane) {
  for (uint b = 0u; b < 1280u; b += 256u) s_bins[b + lane] = 0u;
  onepass_group_barrier();  // counts are zero
  uint intermediate_begin = onepass_intermediate_offset(share.level, slice);
  for (uint begin = share.begin; begin < share.end; begin += 256u) {
    uint i = begin + lane;
    if (i >= share.end) continue;
    float alpha = kept[intermediate_begin + i].a;
    atomicAdd(s_bins[min(uint(clamp(alpha, 0.0, 1.0) * 1024.0), 1024u)], 1u);  // min: alpha may be NaN
    if (alpha >= THRESHOLD) atomicAdd(s_bins[BINS], 1u);
  }
  onepass_group_barrier();  // counts are complete
  for (uint begin = 0u; begin < STRIDE; begin += 256u) {
    uint b = begin + lane;
    if (b < STRIDE && s_bins[b] != 0u) atomicAdd(histogram[histogram_offset(share.level, slice) + b], s_bins[b]);
  }
}

// A candidate scale: the difference between its share of passing texels and the base's (64 bits, high word first), the
// distance between its bin's edge and the threshold, and that bin; bin 0: unscaled.
struct Candidate {
  uint2 error;
  float distance;
  uint bin;
};

bool better(Candidate a, Candidate b) {
  if (a.error.x != b.error.x) return a.error.x < b.error.x;
  if (a.error.y != b.error.y) return a.error.y < b.error.y;
  if (a.distance != b.distance) return a.distance < b.distance;
  return a.bin < b.bin;
}

Candidate candidate(uint bin, uint passing, uint texels, uint base_passing) {
  uint2 level_side;
  uint2 base_side;
  umulExtended(passing, pc.size.x * pc.size.y, level_side.x, level_side.y);
  umulExtended(base_passing, texels, base_side.x, base_side.y);
  bool level_more = level_side.x > base_side.x || (level_side.x == base_side.x && level_side.y > base_side.y);
  uint2 large = level_more ? level_side : base_side;
  uint2 small = level_more ? base_side : level_side;
  Candidate c;
  uint borrow;
  c.error.y = usubBorrow(large.y, small.y, borrow);
  c.error.x = large.x - small.x - borrow;
  c.distance = bin == 0u ? -1.0 : abs(float(bin) / 1024.0 - THRESHOLD);
  c.bin = bin;
  return c;
}

groupshared Candidate s_best[256];

// The level's scale, the same for every workgroup.
float choose_scale(uint level, uint slice, uint lane) {
  uint begin = histogram_offset(level, slice);
  uint2 size = onepass_level_size2(pc.size, level);
  uint base_passing = histogram[histogram_offset(0u, slice) + BINS];
  // Invocation l has bins 4l+1 .. 4l+4, counted from the top: passing(b) = sum of bins b and up.
  uint top = 1024u - 4u * lane;
  uint count[4];
  uint sum = 0u;
  for (uint i = 0u; i < 4u; ++i) {
    count[i] = histogram[begin + top - i];
    sum += count[i];
  }
  s_sums[lane] = sum;
  for (uint step = 1u; step < 256u; step <<= 1u) {
    onepass_group_barrier();  // sums of this step are complete
    uint before = lane >= step ? s_sums[lane - step] : 0u;
    onepass_group_barrier();  // every read of them is done
    s_sums[lane] += before;
  }
  uint passing = s_sums[lane] - sum;
  Candidate best = candidate(0u, histogram[begin + BINS], size.x * size.y, base_passing);
  for (uint i = 0u; i < 4u; ++i) {
    passing += count[i];
    Candidate c = candidate(top - i, passing, size.x * size.y, base_passing);
    if (better(c, best)) best = c;
  }
  s_best[lane] = best;
  for (uint step = 128u; step > 0u; step >>= 1u) {
    onepass_group_barrier();  // candidates of this step are complete
    if (lane < step && better(s_best[lane + step], s_best[lane])) s_best[lane] = s_best[lane + step];
  }
  onepass_group_barrier();  // the best is found
  uint bin = s_best[0].bin;
  return bin == 0u ? 1.0 : THRESHOLD / (float(bin) / 1024.0);
}

void write_level(Share share, uint slice, uint lane) {
  float scale = choose_scale(share.level, slice, lane);
  uint intermediate_begin = onepass_intermediate_offset(share.level, slice);
  uint width = onepass_level_size(pc.size.x, share.level);
  for (uint begin = share.begin; begin < share.end; begin += 256u) {
    uint i = begin + lane;
    if (i >= share.end) continue;
    float4 texel = kept[intermediate_begin + i];
    if (scale != 1.0) texel.a = min(1.0, max(texel.a, 0.0) * scale);
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
