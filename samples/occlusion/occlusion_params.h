// occlusion_params.h: constants and structs shared by the shaders and the C++ code of this sample.
#ifndef OCCLUSION_PARAMS_H_
#define OCCLUSION_PARAMS_H_

#ifdef __cplusplus
#include <cstdint>

#include "onepass/depth_query.hpp"
namespace samples::occlusion {
using mat4 = onepass::depth_query::Float4x4;
using uint = uint32_t;
#endif

// The lists of boxes to draw. Each can hold every box and has its own VkDrawIndirectCommand.
#define LIST_EARLY 0u    // visible last frame: drawn before the pyramid is made
#define LIST_LATE 1u     // not visible last frame, and not hidden by the early boxes
#define LIST_IN_VIEW 2u  // boxes that intersect the camera's frustum: drawn by a renderer without occlusion culling
#define LIST_ALL 3u      // every box, untested: the reference
#define LIST_COUNT 4u

// State of a box after a frame. Boxes in state EARLY or LATE are the visible set that the next frame starts with.
#define STATE_OUTSIDE 0u
#define STATE_HIDDEN 1u
#define STATE_EARLY 2u         // drawn in phase 1, still visible
#define STATE_LATE 3u          // drawn in phase 2
#define STATE_EARLY_HIDDEN 4u  // drawn in phase 1 but hidden: not drawn early in the next frame

#define BOX_HAS_WINDOWS 0x1000000u

#define CULL_GROUP_SIZE 64
#define COMPARE_GROUP_SIZE 8

struct Box {
  float low_x, low_y, low_z;
  uint colour;  // 0xRRGGBB, and BOX_HAS_WINDOWS
  float high_x, high_y, high_z;
  uint unused;
};

struct CullParams {
  mat4 clip_of_world;
  uint width, height;  // of the depth buffer, texels
  uint count;          // boxes
  uint list;           // the list to make
  uint footprint;      // of the pyramid
  uint unused0, unused1, unused2;
};

struct DrawParams {
  mat4 clip_of_world;
  uint first;  // index of the list's first entry
  float eye_x, eye_y, eye_z;
};

#ifdef __cplusplus
static_assert(sizeof(Box) == 32 && sizeof(CullParams) == 96 && sizeof(DrawParams) == 80);
}  // namespace samples::occlusion
#endif

#endif  // OCCLUSION_PARAMS_H_
