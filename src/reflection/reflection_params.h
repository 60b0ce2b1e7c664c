// reflection_params.h: constants, push constants and the header of scratch memory of the reflection kernels, shared by
// C++ and GLSL.
#ifndef ONEPASS_REFLECTION_PARAMS_H_
#define ONEPASS_REFLECTION_PARAMS_H_

#include "onepass/fourier_params.h"

#ifdef __cplusplus
namespace onepass::reflection {
using fourier::uint;
using fourier::uint2;
#endif

#define ONEPASS_REFLECTION_TILE 8u             // texels along a side of a tile
#define ONEPASS_REFLECTION_MOST_SLICES 64      // with the matrices of each in scratch memory
#define ONEPASS_REFLECTION_NOISE 64u           // texels along a side of the noise
#define ONEPASS_REFLECTION_MOST_GROUPS 32768u  // workgroups along x, of lists that continue along y

// Kinds of texels, and of tiles: the largest of their texels.
#define ONEPASS_REFLECTION_NONE 0u    // no surface, or too rough: no ray
#define ONEPASS_REFLECTION_MIRROR 1u  // one ray, no filter
#define ONEPASS_REFLECTION_ROUGH 2u   // random rays, filtered

// Words of the header of scratch memory: counters, then two commands of indirect dispatches.
#define ONEPASS_REFLECTION_RAYS 0u   // texels in the list of rays
#define ONEPASS_REFLECTION_TILES 1u  // tiles in the list of rough tiles
#define ONEPASS_REFLECTION_MARCH_COMMAND 4u
#define ONEPASS_REFLECTION_TILE_COMMAND 8u
#define ONEPASS_REFLECTION_HEADER_WORDS 16u

// Column-major matrices of a slice. Grid: the clip space in which the traced texels fill the screen, so that their
// centres are those of an image of their size; at full resolution the clip space.
struct ReflectionMatrices {
#ifdef __cplusplus
  float clip_from_world[16], world_from_clip[16], last_clip_from_world[16];
  float world_from_grid[16], last_grid_from_world[16], last_world_from_grid[16];
#else
  float4x4 clip_from_world, world_from_clip, last_clip_from_world;
  float4x4 world_from_grid, last_grid_from_world, last_world_from_grid;
#endif
};

struct ReflectionParams {
  uint2 size;                                // of the images
  uint2 traced;                              // texels with rays
  uint frame;                                // seeds the noise
  uint reset;                                // 1: the history is not read
  float fallback_r, fallback_g, fallback_b;  // radiance of rays that hit nothing
  uint step;                                 // FILTER: texels between taps
  float motion_x, motion_y;                  // factors of motion vectors
  float thickness, relative_thickness;       // onepass/reflection.hpp
  float border_fade, mirror_roughness, max_roughness;
  float history_deviations, filter_radius;
  uint history_frames, max_steps;
  uint first_pass;  // FILTER: 1: keeps the history, too
  uint last_level;  // of the pyramid
  uint reserved;
};

#ifdef __cplusplus
static_assert(sizeof(ReflectionMatrices) == 384, "must match the std430 layout in the shader");
static_assert(sizeof(ReflectionParams) == 96, "must match the std430 layout in the shader");
}  // namespace onepass::reflection
#endif
#endif  // ONEPASS_REFLECTION_PARAMS_H_
