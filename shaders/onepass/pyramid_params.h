// pyramid_params.h: the constants of the pyramid kernels, for C++ and GLSL alike.
//
// Pairs of 16-bit numbers are packed x | y << 16. Rectangles take two words: where they begin, where they end.
#ifndef ONEPASS_PYRAMID_PARAMS_H_
#define ONEPASS_PYRAMID_PARAMS_H_

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>
namespace onepass::pyramid {
using uint = uint32_t;
struct alignas(8) uint2 {
  uint x, y;
};
#endif

// The numbers of the enums Footprint and Reduction.
#define ONEPASS_ALIGNED 0
#define ONEPASS_COVERING 1
#define ONEPASS_TIGHT 2
#define ONEPASS_EDGE 3
#define ONEPASS_MEAN 0
#define ONEPASS_MIN 1
#define ONEPASS_MAX 2
#define ONEPASS_MIN_MAX 3

// How the tiles of a stage are made.
#define ONEPASS_STAGE_GENERAL 0u  // 64x64 texels in shared memory: any size, any footprint
#define ONEPASS_STAGE_PLAIN 1u    // 64x64 texels in registers: every level halves exactly
#define ONEPASS_STAGE_STREAM 2u   // three levels in registers: covering, with odd levels

// Bits of stage_kinds: what stage 0 hands over may be posted; and then, of the workgroups that post to a tile, the one that
// begins last makes it and waits for the others, instead of the one that ends last.
#define ONEPASS_STAGE_POSTS 0x10000000u
#define ONEPASS_STAGE_WAITS 0x20000000u

#define ONEPASS_MAX_LEVELS 16  // of a 65535 texel base, level 0 included
#define ONEPASS_MAX_STAGES 6

struct PyramidParams {
  uint2 size;             // of the base
  uint last_level;        // levels 1 to last_level are made
  uint level;             // per_level: the level this dispatch makes
  uint stage_count;       // single_dispatch: stages in use
  uint stage_depths;      // single_dispatch: levels that stage s makes, 4 bits each, stage 0 lowest
  uint stage_firsts;      // single_dispatch: the finest level of stage s, which it reads, likewise
  uint stage_kinds;       // single_dispatch: one of ONEPASS_STAGE_, likewise
  uint base_made;         // texels that a workgroup of stage 0 makes of the stage's last level, packed
  uint base_run;          // stage 0: tiles that a workgroup makes one after the other (plain), rows of level 3 that a
                          // subgroup makes (stream)
  uint partial;           // not 0: only texels affected by the region are stored
  uint kept_levels;       // bit n: level n is kept in scratch, unrounded
  uint kept_stride;       // elements of all kept levels of one slice
  uint counter_stride;    // counters of one slice
  uint2 region;           // the changed rectangle of the base
  uint2 active_tiles[ONEPASS_MAX_STAGES];  // per stage: the tiles that run
  uint kept_begin[ONEPASS_MAX_STAGES - 2]; // stage s + 2: where the level that it reads begins in a slice of the scratch
};

#ifdef __cplusplus
static_assert(sizeof(PyramidParams) <= 128, "Vulkan guarantees 128 bytes of push constants");
static_assert(offsetof(PyramidParams, region) == 56 && offsetof(PyramidParams, active_tiles) == 64, "must match the std430 layout in the shader");
}  // namespace onepass::pyramid
#endif
#endif  // ONEPASS_PYRAMID_PARAMS_H_
