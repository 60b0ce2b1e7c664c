// pyramid_levels.glsl: the arithmetic of levels and footprints, shared by the pyramid kernels.
//
// Per axis, with base size S: level n has max(1, S >> n) texels; texel i of level n+1 is the reduction of one, two or
// three texels of level n, starting at 2*i. docs/pyramid.md has a drawing.
#ifndef ONEPASS_PYRAMID_LEVELS_GLSL_
#define ONEPASS_PYRAMID_LEVELS_GLSL_

#include "onepass/prelude.glsl"
#include "onepass/pyramid_footprint.glsl"
#include "onepass/prelude_names.glsl"

// The stages, from the parameters where they are no specialization constants.
#ifndef ONEPASS_STAGE_COUNT
#define ONEPASS_STAGE_COUNT ONEPASS_PARAMS.stage_count
#define ONEPASS_STAGE_FIRSTS ONEPASS_PARAMS.stage_firsts
#define ONEPASS_STAGE_DEPTHS ONEPASS_PARAMS.stage_depths
#define ONEPASS_STAGE_KINDS ONEPASS_PARAMS.stage_kinds
#endif
#ifndef ONEPASS_PARTIAL
#define ONEPASS_PARTIAL (ONEPASS_PARAMS.partial != 0u)
#endif
#ifndef ONEPASS_MAILBOX
#define ONEPASS_MAILBOX 0
#endif
#ifndef ONEPASS_TWO_TO_ONE_ONLY
#define ONEPASS_TWO_TO_ONE_ONLY 0
#endif
#ifndef ONEPASS_WINDOW_ONLY
#define ONEPASS_WINDOW_ONLY 0
#endif
#ifndef ONEPASS_SUBGROUP_POLLS
#define ONEPASS_SUBGROUP_POLLS false
#endif
#ifndef ONEPASS_MAX_POLLS
#define ONEPASS_MAX_POLLS ONEPASS_DEFAULT_MAX_POLLS
#endif
#ifndef ONEPASS_STAGES
#define ONEPASS_STAGES ONEPASS_STAGES_ALL
#endif
#ifndef ONEPASS_TILE_PARTS
#define ONEPASS_TILE_PARTS 1u
#endif
#ifndef ONEPASS_BASE_REMAINDERS
#define ONEPASS_BASE_REMAINDERS ((ONEPASS_PARAMS.size.x & 7u) | (ONEPASS_PARAMS.size.y & 7u) << 3u)
#endif
#ifndef ONEPASS_HAS_LAST_TILE
#define ONEPASS_HAS_LAST_TILE (ONEPASS_STAGES == ONEPASS_STAGES_LATER)
#endif
#ifndef ONEPASS_HAS_GENERAL
#define ONEPASS_HAS_GENERAL true
#endif

/// The taps of a texel of the next coarser level along one axis: texels at.x, at.y and, if `three`, at.z. `three`
/// depends on the level only, so that control flow is uniform. Where a footprint has fewer texels, two taps read the
/// same texel and share its weight: harmless for min and max, exact for the mean.
struct OnepassTaps {
  uint3 at;
  float3 weight;
  bool three;
};

/// Taps of texel `i` of level `level + 1` on level `level`, on an axis of base size `size`. Not for ONEPASS_TIGHT.
OnepassTaps onepass_taps(uint size, uint level, uint i) {
  uint fine = onepass_level_size(size, level);
  uint coarse = onepass_level_size(size, level + 1u);
  OnepassTaps taps;
  taps.at = min(2u * i + uint3(0u, 1u, 2u), fine - 1u);
  taps.weight = float3(0.5, 0.5, 0.0);
  taps.three = false;
  if (ONEPASS_FOOTPRINT == ONEPASS_COVERING) {
    taps.three = (fine & 1u) == 1u && fine > 1u;
    if (taps.three) {
      // Polyphase weights: summed over all texels i, every finer texel has the same weight.
      float2 outer = float2(float(coarse - i), float(i + 1u)) / float(fine);
      // The middle weight is the remainder: the three add up to 1 however a device rounds divisions.
      taps.weight = float3(outer.x, 1.0 - outer.x - outer.y, outer.y);
    }
  } else if (ONEPASS_FOOTPRINT == ONEPASS_EDGE) {
    taps.three = true;
    bool last = i + 1u == coarse;
    // The last finer texel may stand for more base texels than the others.
    uint block = 1u << level;
    float remainder = float(size - (fine - 1u) * block);
    float whole = float(size) - float(2u * i) * float(block);
    if (last && fine > 1u && fine - 2u * i == 3u) {
      taps.weight = float3(float(block), float(block), remainder) / whole;
    } else {
      taps.at.z = taps.at.y;
      float second = last && fine > 1u ? remainder / whole : 0.5;
      taps.weight = float3(1.0 - second, 0.5 * second, 0.5 * second);
    }
  }
  return taps;
}

/// True if every texel of level 1 is exactly 2x2 texels of the base.
bool onepass_base_halves() {
  uint2 size = ONEPASS_PARAMS.size;
  bool even = ((size.x | size.y) & 1u) == 0u || ONEPASS_FOOTPRINT == ONEPASS_ALIGNED;
  return even && min(size.x, size.y) >= 2u;
}

/// Texels [x, y) of `level` whose footprint overlaps the base range [begin, end); empty if x >= y.
uint2 onepass_affected(uint size, uint level, uint begin, uint end) {
  return uint2(onepass_affected_begin(ONEPASS_FOOTPRINT, size, level, begin),
               onepass_affected_end(ONEPASS_FOOTPRINT, size, level, begin, end));
}

/// True if a texel lies inside its level and, in an update, the changed region affects it. Not for ONEPASS_TIGHT.
bool onepass_is_stored(uint level, uint2 texel) {
  uint2 size = onepass_level_size2(ONEPASS_PARAMS.size, level);
  bool inside = all(onepass_less(texel, size));
  if (!ONEPASS_PARTIAL) return inside;
  // The texel's footprint on the base.
  uint2 begin = texel << level;
  uint2 end = begin + (1u << level);
  if (ONEPASS_FOOTPRINT == ONEPASS_ALIGNED) {
    // An axis of one texel is not halved further: its footprint ends at the largest power of two in the base's size.
    uint2 most =
        uint2(1u << onepass_highest_bit(ONEPASS_PARAMS.size.x), 1u << onepass_highest_bit(ONEPASS_PARAMS.size.y));
    end = uint2(size.x == 1u ? most.x : end.x, size.y == 1u ? most.y : end.y);
  }
  if (ONEPASS_FOOTPRINT == ONEPASS_COVERING) end += ONEPASS_PARAMS.size & ((1u << level) - 1u);
  if (ONEPASS_FOOTPRINT == ONEPASS_EDGE) {
    end = uint2(texel.x + 1u == size.x ? ONEPASS_PARAMS.size.x : end.x,
                texel.y + 1u == size.y ? ONEPASS_PARAMS.size.y : end.y);
  }
  uint2 region = ONEPASS_PARAMS.region;
  return inside && all(onepass_less(begin, uint2(region.y & 0xFFFFu, region.y >> 16))) &&
         all(onepass_greater(end, uint2(region.x & 0xFFFFu, region.x >> 16)));
}

/// The texels of `level` that the changed region affects, all in a full build: begin in xy, end in zw.
uint4 onepass_store_rect(uint level) {
  uint2 region = ONEPASS_PARAMS.region;
  uint2 x = onepass_affected(ONEPASS_PARAMS.size.x, level, region.x & 0xFFFFu, region.y & 0xFFFFu);
  uint2 y = onepass_affected(ONEPASS_PARAMS.size.y, level, region.x >> 16, region.y >> 16);
  return uint4(x.x, y.x, x.y, y.y);
}

/// True for an intermediate level, whose unrounded texels are in the exchange buffer.
bool onepass_is_intermediate(uint level) { return ((ONEPASS_PARAMS.intermediate_levels >> level) & 1u) != 0u; }

/// Index of an intermediate level's first element in the exchange buffer. The levels follow each other, rows without
/// gaps; slices are intermediate_stride apart.
uint onepass_intermediate_offset(uint level, uint slice) {
  uint offset = slice * ONEPASS_PARAMS.intermediate_stride;
  uint finer = ONEPASS_PARAMS.intermediate_levels & ((1u << level) - 1u);
  for (uint n = 1u; n < level; ++n) {
    uint2 size = onepass_level_size2(ONEPASS_PARAMS.size, n);
    offset += ((finer >> n) & 1u) * size.x * size.y;
  }
  return offset;
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_PYRAMID_LEVELS_GLSL_
