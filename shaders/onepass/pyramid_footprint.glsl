// pyramid_footprint.glsl: sizes of levels, and which base texels a texel of a level stands for, per axis: the
// definition of the footprints. Kernels and queries use it, in every shader stage. docs/pyramid.md has a drawing.
#ifndef ONEPASS_PYRAMID_FOOTPRINT_GLSL_
#define ONEPASS_PYRAMID_FOOTPRINT_GLSL_

#include "onepass/prelude_types.glsl"
#include "onepass/pyramid_params.h"
#include "onepass/prelude_names.glsl"

/// Texels of level `level` (below 32) of an axis whose base has `size`.
uint onepass_level_size(uint size, uint level) { return max(size >> level, 1u); }

uint2 onepass_level_size2(uint2 size, uint level) {
  return uint2(onepass_level_size(size.x, level), onepass_level_size(size.y, level));
}

/// Base texels [x, y) of texel `i` of level `level` with the tight footprint.
uint2 onepass_tight_range(uint size, uint level, uint i) {
  uint count = onepass_level_size(size, level);
  return uint2(i * size / count, ((i + 1u) * size + count - 1u) / count);
}

/// Base texels [x, y) of texel `i` of level `level` with any footprint, ONEPASS_ALIGNED to ONEPASS_EDGE.
uint2 onepass_footprint_range(uint footprint, uint size, uint level, uint i) {
  if (footprint == ONEPASS_TIGHT) return onepass_tight_range(size, level, i);
  // An axis of one texel is not halved further: its block stops growing.
  uint block = 1u << min(level, onepass_highest_bit(size));
  uint begin = i * block;
  uint end = begin + block;
  if (footprint == ONEPASS_COVERING) end += size & (block - 1u);
  if (footprint == ONEPASS_EDGE && i + 1u == onepass_level_size(size, level)) end = size;
  return uint2(begin, end);
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_PYRAMID_FOOTPRINT_GLSL_
