// cull.comp: decides which boxes to draw. One invocation tests one box and may append it to the requested list.
//
//     LIST_EARLY      boxes in view that were visible last frame       needs no pyramid
//     LIST_LATE       boxes in view, not drawn early and not hidden    queries the pyramid, updates the visible set
//     LIST_IN_VIEW    boxes in view                                    for comparison
#version 450
#extension GL_GOOGLE_include_directive : require
#include "occlusion_params.h"
layout(local_size_x = CULL_GROUP_SIZE) in;

struct DrawCommand {
  uint vertex_count, instance_count, first_vertex, first_instance;
};

layout(std430, set = 0, binding = 0) readonly buffer Boxes { Box boxes[]; };
layout(std430, set = 0, binding = 1) buffer States { uint states[]; };
layout(std430, set = 0, binding = 2) writeonly buffer Lists { uint entries[]; };
layout(std430, set = 0, binding = 3) buffer Commands { DrawCommand draws[]; };
layout(set = 0, binding = 4) uniform sampler2D hiz;  // farthest depths (reversed: min), levels 1 and up
layout(push_constant) uniform Push { CullParams pc; };

#define ONEPASS_LOAD_FARTHEST(level, cell) texelFetch(hiz, ivec2(cell), int(level) - 1).r
#include "onepass/depth_query.glsl"

// False only if all corners are outside of the same plane of the frustum. Rounding moves the planes by much less than
// the half pixel between the image border and the first pixel's centre.
bool in_view(vec3 low, vec3 high) {
  uint outside_of = 31u;
  for (uint i = 0u; i < 8u; ++i) {
    vec3 corner =
        vec3((i & 1u) != 0u ? high.x : low.x, (i & 2u) != 0u ? high.y : low.y, (i & 4u) != 0u ? high.z : low.z);
    vec4 clip = pc.clip_of_world * vec4(corner, 1.0);
    uint sides = 0u;
    sides |= clip.x < -clip.w ? 1u : 0u;
    sides |= clip.x > clip.w ? 2u : 0u;
    sides |= clip.y < -clip.w ? 4u : 0u;
    sides |= clip.y > clip.w ? 8u : 0u;
    sides |= clip.z > clip.w ? 16u : 0u;  // in front of the near plane; there is no far plane
    outside_of &= sides;
  }
  return outside_of == 0u;
}

bool hidden(vec3 low, vec3 high) {
  OnepassDepthPyramid pyramid = onepass_full_depth_pyramid(uvec2(pc.width, pc.height), pc.footprint, true);
  pyramid.first_level = 1u;  // the image does not hold the base
  return onepass_box_occluded(pyramid, pc.clip_of_world, low, high);
}

void append(uint box) {
  uint at = atomicAdd(draws[pc.list].instance_count, 1u);
  entries[pc.list * pc.count + at] = box;
}

uint state_after(bool viewed, bool drawn_early, bool is_hidden) {
  if (!viewed) return STATE_OUTSIDE;
  if (drawn_early) return is_hidden ? STATE_EARLY_HIDDEN : STATE_EARLY;
  return is_hidden ? STATE_HIDDEN : STATE_LATE;
}

void main() {
  uint index = min(gl_GlobalInvocationID.x, pc.count - 1u);
  bool exists = gl_GlobalInvocationID.x < pc.count;
  Box box = boxes[index];
  vec3 low = vec3(box.low_x, box.low_y, box.low_z);
  vec3 high = vec3(box.high_x, box.high_y, box.high_z);
  bool viewed = in_view(low, high);
  bool drawn_early = viewed && (states[index] == STATE_EARLY || states[index] == STATE_LATE);

  bool wanted = viewed;
  if (pc.list == LIST_EARLY) wanted = drawn_early;
  if (pc.list == LIST_LATE) {
    uint state = state_after(viewed, drawn_early, hidden(low, high));
    wanted = state == STATE_LATE;
    if (exists) states[index] = state;
  }
  if (exists && wanted) append(index);
}
