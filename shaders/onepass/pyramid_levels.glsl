// pyramid_levels.glsl: the arithmetic of levels and footprints, shared by the pyramid kernels.
//
// Per axis, with base size S: level n has max(1, S >> n) texels; texel i of level n+1 takes one, two or three texels of
// level n, starting at 2*i. docs/pyramid.md draws it.
#ifndef ONEPASS_PYRAMID_LEVELS_GLSL_
#define ONEPASS_PYRAMID_LEVELS_GLSL_

#include "onepass/prelude.glsl"
#include "onepass/pyramid_footprint.glsl"

// What a kernel has to do: from the parameters, if not known when it is compiled.
#ifndef ONEPASS_STAGE_COUNT
#define ONEPASS_STAGE_COUNT ONEPASS_PARAMS.stage_count
#define ONEPASS_STAGE_FIRSTS ONEPASS_PARAMS.stage_firsts
#define ONEPASS_STAGE_DEPTHS ONEPASS_PARAMS.stage_depths
#define ONEPASS_STAGE_KINDS ONEPASS_PARAMS.stage_kinds
#endif
#ifndef ONEPASS_PARTIAL
#define ONEPASS_PARTIAL (ONEPASS_PARAMS.partial != 0u)
#endif
#ifndef ONEPASS_MAIL
#define ONEPASS_MAIL 0
#endif
#ifndef ONEPASS_PLAIN_ONLY
#define ONEPASS_PLAIN_ONLY 0
#endif
#ifndef ONEPASS_WAITS_TOGETHER
#define ONEPASS_WAITS_TOGETHER false
#endif
#ifndef ONEPASS_HAS_GENERAL
#define ONEPASS_HAS_GENERAL true
#endif

/// What a texel of the next coarser level takes along one axis: texels at.x, at.y and, if `three`, at.z. Whether it is three
/// depends on the level only, so that all lanes read alike. Where a footprint has fewer texels one of them is taken twice,
/// sharing its weight: harmless for min and max, exact for the mean.
struct OnepassTaps {
  uint3 at;
  float3 weight;
  bool three;
};

/// Taps of texel `i` of level `level + 1` on level `level`, on an axis of base size `size`. For every footprint but tight.
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
      // Polyphase: over all texels i, the weights that a finer texel is taken with add up to the same for each.
      float2 outer = float2(float(coarse - i), float(i + 1u)) / float(fine);
      // The middle weight as the rest: however a device divides, the three add up to 1.
      taps.weight = float3(outer.x, 1.0 - outer.x - outer.y, outer.y);
    }
  } else if (ONEPASS_FOOTPRINT == ONEPASS_EDGE) {
    taps.three = true;
    bool last = i + 1u == coarse;
    // The last finer texel may itself stand for more base texels than the others.
    uint block = 1u << level;
    float fat = float(size - (fine - 1u) * block);
    float whole = float(size) - float(2u * i) * float(block);
    if (last && fine > 1u && fine - 2u * i == 3u) {
      taps.weight = float3(float(block), float(block), fat) / whole;
    } else {
      taps.at.z = taps.at.y;
      float second = last && fine > 1u ? fat / whole : 0.5;
      taps.weight = float3(1.0 - second, 0.5 * second, 0.5 * second);
    }
  }
  return taps;
}

/// Texels [x, y) of `level` whose footprint meets the base range [begin, end); empty if x >= y.
uint2 onepass_affected(uint size, uint level, uint begin, uint end) {
  uint count = onepass_level_size(size, level);
  uint tail = size & ((1u << level) - 1u);
  uint first = begin >> level;
  uint last = (end - 1u) >> level;
  if (ONEPASS_FOOTPRINT == ONEPASS_ALIGNED) {
    uint kept = min(count << level, 1u << onepass_highest_bit(size));
    if (begin >= (count > 1u ? count << level : kept)) return uint2(0u, 0u);
  } else if (ONEPASS_FOOTPRINT == ONEPASS_COVERING) {
    first = begin >= tail ? (begin - tail) >> level : 0u;
  } else if (ONEPASS_FOOTPRINT == ONEPASS_TIGHT) {
    first = begin * count / size;
    last = (end * count + size - 1u) / size - 1u;
  }
  return uint2(min(first, count - 1u), min(last, count - 1u) + 1u);
}

/// Is a texel of a level stored: inside it, and affected by the changed region if only those are? Not for tight.
bool onepass_is_stored(uint level, uint2 texel) {
  uint2 size = onepass_level_size2(ONEPASS_PARAMS.size, level);
  bool inside = all(onepass_less(texel, size));
  if (!ONEPASS_PARTIAL) return inside;
  // Its footprint on the base.
  uint2 begin = texel << level;
  uint2 end = begin + (1u << level);
  if (ONEPASS_FOOTPRINT == ONEPASS_ALIGNED) {
    // Along an axis that is down to one texel for longer than the other, it ends with the last one that was halved.
    uint2 most = uint2(1u << onepass_highest_bit(ONEPASS_PARAMS.size.x), 1u << onepass_highest_bit(ONEPASS_PARAMS.size.y));
    end = uint2(size.x == 1u ? most.x : end.x, size.y == 1u ? most.y : end.y);
  }
  if (ONEPASS_FOOTPRINT == ONEPASS_COVERING) end += ONEPASS_PARAMS.size & ((1u << level) - 1u);
  if (ONEPASS_FOOTPRINT == ONEPASS_EDGE) {
    end = uint2(texel.x + 1u == size.x ? ONEPASS_PARAMS.size.x : end.x, texel.y + 1u == size.y ? ONEPASS_PARAMS.size.y : end.y);
  }
  uint2 region = ONEPASS_PARAMS.region;
  return inside && all(onepass_less(begin, uint2(region.y & 0xFFFFu, region.y >> 16))) &&
         all(onepass_greater(end, uint2(region.x & 0xFFFFu, region.x >> 16)));
}

/// The texels of `level` to store, begin in xy, end in zw: all, or those that the changed region affects.
uint4 onepass_store_rect(uint level) {
  uint2 region = ONEPASS_PARAMS.region;
  uint2 x = onepass_affected(ONEPASS_PARAMS.size.x, level, region.x & 0xFFFFu, region.y & 0xFFFFu);
  uint2 y = onepass_affected(ONEPASS_PARAMS.size.y, level, region.x >> 16, region.y >> 16);
  return uint4(x.x, y.x, x.y, y.y);
}

/// Is the level kept, unrounded, in the hand-over buffer?
bool onepass_is_kept(uint level) { return ((ONEPASS_PARAMS.kept_levels >> level) & 1u) != 0u; }

/// Index of the first element of a kept level. Kept levels lie one after the other, rows without gaps, slices kept_stride apart.
uint onepass_kept_offset(uint level, uint slice) {
  uint offset = slice * ONEPASS_PARAMS.kept_stride;
  uint finer = ONEPASS_PARAMS.kept_levels & ((1u << level) - 1u);
  if (ONEPASS_FOOTPRINT == ONEPASS_TIGHT) {
    // Asked for by single lanes, for every part of a coarse texel.
    ONEPASS_UNROLL for (uint n = 1u; n < ONEPASS_MAX_LEVELS; ++n) {
      uint2 size = onepass_level_size2(ONEPASS_PARAMS.size, n);
      offset += ((finer >> n) & 1u) * size.x * size.y;
    }
  } else {
    for (uint n = 1u; n < level; ++n) {
      uint2 size = onepass_level_size2(ONEPASS_PARAMS.size, n);
      offset += ((finer >> n) & 1u) * size.x * size.y;
    }
  }
  return offset;
}

#endif  // ONEPASS_PYRAMID_LEVELS_GLSL_
