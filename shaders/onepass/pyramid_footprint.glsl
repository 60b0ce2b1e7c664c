// pyramid_footprint.glsl: sizes of levels, and which base texels a texel of a level stands for: pairs of the functions
// of pyramid_layout.h. Kernels and queries use it, in every shader stage.
#ifndef ONEPASS_PYRAMID_FOOTPRINT_GLSL_
#define ONEPASS_PYRAMID_FOOTPRINT_GLSL_

#include "onepass/prelude_types.glsl"
#include "onepass/pyramid_layout.h"
#include "onepass/prelude_names.glsl"

uint2 onepass_level_size2(uint2 size, uint level) {
  return uint2(onepass_level_size(size.x, level), onepass_level_size(size.y, level));
}

/// Base texels [x, y) of texel `i` of level `level` with the tight footprint.
uint2 onepass_tight_range(uint size, uint level, uint i) {
  return uint2(onepass_footprint_begin(ONEPASS_TIGHT, size, level, i),
               onepass_footprint_end(ONEPASS_TIGHT, size, level, i));
}

/// Base texels [x, y) of texel `i` of level `level` with any footprint, ONEPASS_ALIGNED to ONEPASS_EDGE.
uint2 onepass_footprint_range(uint footprint, uint size, uint level, uint i) {
  return uint2(onepass_footprint_begin(footprint, size, level, i), onepass_footprint_end(footprint, size, level, i));
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_PYRAMID_FOOTPRINT_GLSL_
