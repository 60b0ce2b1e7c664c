// pyramid_layout.h: the arithmetic of pyramids along one axis: sizes of levels, footprints, halos, and the tiles of
// stages. One text for C99, C++, GLSL and HLSL: the kernels, the library's dispatches and those of
// onepass/shader_setup.h include it. The CPU engine takes footprints from it (pyramid/plan.cpp), but neither halos,
// which follow from pyramid/cpu_axis.cpp, nor tiles. Scripts write the footprints in JavaScript for the web
// (pyramid_layout.js). docs/pyramid.md has drawings of footprints, and a list of the places that compute halos.
//
// It is written in the common subset of the four languages: functions of whole numbers without pointers or structs.
// Divisions stand in ONEPASS_NARROW_(), which in C is a conversion from 64 bits, or in ONEPASS_DIVIDE_(), which on a
// device avoids the slow division of integers.
#ifndef ONEPASS_PYRAMID_LAYOUT_H_
#define ONEPASS_PYRAMID_LAYOUT_H_

#include "onepass/pyramid_params.h"

#if (defined(__cplusplus) || defined(__STDC_VERSION__)) && !defined(ONEPASS_CUDA)
#include "onepass/host_names.h"
#define ONEPASS_INLINE_ static inline
#define ONEPASS_WIDE_(value) ((uint64_t)(value))
#define ONEPASS_NARROW_(value) ((uint32_t)(value))
#define ONEPASS_DIVIDE_(a, b) ((a) / (b))
ONEPASS_INLINE_ uint onepass_min_(uint a, uint b) { return a < b ? a : b; }
ONEPASS_INLINE_ uint onepass_max_(uint a, uint b) { return a > b ? a : b; }
/// Index of the highest bit that is set; the value must not be 0.
ONEPASS_INLINE_ uint onepass_highest_bit(uint value) {
  uint bit = 0;
  while (value >> 1 >> bit != 0) ++bit;
  return bit;
}
#else
#define ONEPASS_INLINE_
#define ONEPASS_WIDE_(value) (value)
#define ONEPASS_NARROW_(value) (value)
#ifdef ONEPASS_CUDA
#define onepass_min_ onepass_min
#define onepass_max_ onepass_max
#else
#define onepass_min_(a, b) min(a, b)
#define onepass_max_(a, b) max(a, b)
#endif
// a / b, for a below 2^20 and b below 2^9.
uint ONEPASS_DIVIDE_(uint a, uint b) { return uint((float(a) + 0.5) * (1.0 / float(b))); }
#endif

// ---- Levels and footprints. `size` is that of the base, at most 65535 in shaders and 2^31 on the CPU; `level` is
// below 32.

/// Texels of a level whose sizes round down: of all footprints but ceil.
ONEPASS_INLINE_ uint onepass_level_size(uint size, uint level) { return onepass_max_(size >> level, 1u); }

/// First base texel that texel `i` of `level` stands for.
ONEPASS_INLINE_ uint onepass_footprint_begin(uint footprint, uint size, uint level, uint i) {
  if (footprint == ONEPASS_TIGHT) return ONEPASS_NARROW_(ONEPASS_WIDE_(i) * size / onepass_level_size(size, level));
  // An axis of one texel is not halved further: its block stops growing.
  return i << onepass_min_(level, onepass_highest_bit(size));
}

/// Behind the last base texel that texel `i` of `level` stands for.
ONEPASS_INLINE_ uint onepass_footprint_end(uint footprint, uint size, uint level, uint i) {
  uint count = onepass_level_size(size, level);
  uint block = 1u << onepass_min_(level, onepass_highest_bit(size));
  if (footprint == ONEPASS_TIGHT) return ONEPASS_NARROW_((ONEPASS_WIDE_(i + 1u) * size + count - 1u) / count);
  if (footprint == ONEPASS_EDGE && i + 1u == count) return size;
  return (i + 1u) * block + (footprint == ONEPASS_COVERING ? size & (block - 1u) : 0u);
}

/// First texel of `level` whose footprint overlaps the base texels from `begin` on.
ONEPASS_INLINE_ uint onepass_affected_begin(uint footprint, uint size, uint level, uint begin) {
  uint count = onepass_level_size(size, level);
  uint first = begin >> level;
  if (footprint == ONEPASS_COVERING) {
    uint tail = size & ((1u << level) - 1u);
    first = begin >= tail ? (begin - tail) >> level : 0u;
  }
  if (footprint == ONEPASS_TIGHT) first = ONEPASS_NARROW_(ONEPASS_WIDE_(begin) * count / size);
  return onepass_min_(first, count - 1u);
}

/// Behind the last texel of `level` whose footprint overlaps the base texels [begin, end). 0 if there is none: aligned
/// drops the last texels of odd sizes.
ONEPASS_INLINE_ uint onepass_affected_end(uint footprint, uint size, uint level, uint begin, uint end) {
  uint count = onepass_level_size(size, level);
  uint last = (end - 1u) >> level;
  if (footprint == ONEPASS_ALIGNED && begin >= onepass_footprint_end(footprint, size, level, count - 1u)) return 0u;
  if (footprint == ONEPASS_TIGHT) last = ONEPASS_NARROW_((ONEPASS_WIDE_(end) * count + size - 1u) / size) - 1u;
  return onepass_min_(last, count - 1u) + 1u;
}

// ---- Stages: groups of levels that are made from one read of level `first`; a tile is the part of one workgroup.

/// Texels of `level` that a tile reads beyond its own, at most 7 (tight: 8 if `level` is not 0), if the stage's last
/// level is `last`; `own_end` is the end of the tile's texels of that level.
ONEPASS_INLINE_ uint onepass_halo_texels(uint footprint, uint size, uint level, uint last, uint own_end) {
  if (footprint == ONEPASS_ALIGNED) return 0u;
  if (footprint == ONEPASS_EDGE && own_end < onepass_level_size(size, last)) return 0u;
  // A tight footprint may end within a texel of `level`.
  if (footprint == ONEPASS_TIGHT) return ((size & ((1u << last) - 1u)) + (1u << level) - 1u) >> level;
  return onepass_level_size(size, level) & ((1u << (last - level)) - 1u);
}

/// Columns that a subgroup of `lanes` invocations makes of the third level of a sliding-window stage. It reads 2 *
/// lanes columns; where levels are odd its last footprints lack their third texel.
ONEPASS_INLINE_ uint onepass_window_columns(uint lanes, uint width, uint first) {
  return lanes / 4u - (((width >> first) & 7u) == 0u ? 0u : 1u);
}

/// Texels per tile, along x, of the last level of a stage above 0; of the third level for a sliding-window stage.
ONEPASS_INLINE_ uint onepass_made_x(uint kind, uint depth, uint first, uint lanes, uint width) {
  return kind == ONEPASS_STAGE_SLIDING_WINDOW ? onepass_window_columns(lanes, width, first) : 64u >> depth;
}

/// The same along y.
ONEPASS_INLINE_ uint onepass_made_y(uint kind, uint depth, uint lanes) {
  return kind == ONEPASS_STAGE_SLIDING_WINDOW ? 256u / lanes : 64u >> depth;
}

/// Texels per tile of the stage's finest level, without the halo; `made` is the result of the functions above.
ONEPASS_INLINE_ uint onepass_span_of(uint kind, uint made) {
  return kind == ONEPASS_STAGE_SLIDING_WINDOW ? 8u * made : 64u;
}

/// Number of tiles of a stage along an axis.
ONEPASS_INLINE_ uint onepass_tiles_of(uint kind, uint size, uint first, uint made) {
  if (kind == ONEPASS_STAGE_SLIDING_WINDOW) {
    return ONEPASS_DIVIDE_(onepass_level_size(size, first + 3u) + made - 1u, made);
  }
  return (onepass_level_size(size, first + 1u) + 31u) / 32u;
}

/// The four bits of stage `index` in stage_firsts, stage_depths or stage_kinds.
ONEPASS_INLINE_ uint onepass_stage_bits(uint word, uint index) { return (word >> (4u * index)) & 15u; }

#if (defined(__cplusplus) || defined(__STDC_VERSION__)) && !defined(ONEPASS_CUDA)
#include "onepass/host_names_end.h"
#endif
#undef ONEPASS_INLINE_
#endif  // ONEPASS_PYRAMID_LAYOUT_H_
