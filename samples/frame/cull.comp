// cull.comp: decides which objects to draw. One invocation tests one object in all eyes and may append it to the list.
//
//     LIST_EARLY      objects in view that were visible last frame       needs no pyramid
//     LIST_LATE       objects in view, not drawn early and not hidden    queries the pyramid, updates the visible set
//     LIST_IN_VIEW    objects in view                                    for comparison
#version 450
#extension GL_GOOGLE_include_directive : require
#include "eyes.glsl"
layout(local_size_x = LIST_GROUP_SIZE) in;

struct DrawCommand {
  uint vertex_count, instance_count, first_vertex, first_instance;
};

layout(std430, set = 0, binding = 1) readonly buffer Objects { Object objects[]; };
layout(std430, set = 0, binding = 2) buffer States { uint states[]; };
layout(std430, set = 0, binding = 3) writeonly buffer Lists { uint entries[]; };
layout(std430, set = 0, binding = 4) buffer Commands { DrawCommand draws[]; };
// Levels 1 and up of the farthest depths; a layer per eye.
layout(set = 0, binding = 5) uniform sampler2DArray farthest;
layout(push_constant) uniform Push { CullParams pc; };

uint eye;  // read by the load below
#define ONEPASS_LOAD_FARTHEST(level, cell) texelFetch(farthest, ivec3(ivec2(cell), int(eye)), int(level) - 1).r
#include "onepass/depth_query.glsl"

// False only if all corners are outside of the same plane of the frustum. Rounding moves the planes by much less than
// the half pixel between the image border and the first pixel's centre.
bool in_view(vec3 low, vec3 high) {
  uint outside_of = 31u;
  for (uint i = 0u; i < 8u; ++i) {
    vec3 corner =
        vec3((i & 1u) != 0u ? high.x : low.x, (i & 2u) != 0u ? high.y : low.y, (i & 4u) != 0u ? high.z : low.z);
    vec4 clip = frame.eyes[eye].clip_of_world * vec4(corner, 1.0);
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
  OnepassDepthPyramid pyramid = onepass_full_depth_pyramid(uvec2(frame.width, frame.height), ONEPASS_COVERING, true);
  pyramid.first_level = 1u;  // the image does not hold the base
  OnepassBounds bounds = onepass_project_box(frame.eyes[eye].clip_of_world, low, high, true);
  // A stored depth may be farther than the drawn one by the rounding of its format.
  return bounds.known && onepass_rect_occluded(pyramid, bounds.rect, bounds.nearest + frame.depth_step);
}

uint first_ball() { return frame.object_count - frame.ball_count; }

void append(uint object) {
  uint kind = object < frame.box_count ? KIND_BOX : KIND_CLUSTER;
  if (object >= first_ball()) kind = KIND_BALL;
  uint draw = pc.list * KIND_COUNT + kind;
  uint at = atomicAdd(draws[draw].instance_count, 1u);
  entries[draw * frame.object_count + at] = object;
}

uint state_after(bool viewed, bool drawn_early, bool is_hidden) {
  if (!viewed) return STATE_OUTSIDE;
  if (drawn_early) return is_hidden ? STATE_EARLY_HIDDEN : STATE_EARLY;
  return is_hidden ? STATE_HIDDEN : STATE_LATE;
}

void main() {
  uint index = gl_GlobalInvocationID.x;
  if (index >= frame.object_count) return;
  Object object = objects[index];
  vec3 low = vec3(object.low_x, object.low_y, object.low_z);
  vec3 high = vec3(object.high_x, object.high_y, object.high_z);
  if (index >= first_ball()) {  // where it is in this frame
    vec4 ball = frame.balls[index - first_ball()];
    low = ball.xyz - ball.w;
    high = ball.xyz + ball.w;
  }
  bool viewed = false;
  bool is_hidden = true;
  for (eye = 0u; eye < frame.eye_count; ++eye) {
    if (!in_view(low, high)) continue;
    viewed = true;
    if (pc.list == LIST_LATE) is_hidden = is_hidden && hidden(low, high);
  }
  bool drawn_early = viewed && (states[index] == STATE_EARLY || states[index] == STATE_LATE);
  bool wanted = viewed;
  if (pc.list == LIST_EARLY) wanted = drawn_early;
  if (pc.list == LIST_LATE) {
    uint state = state_after(viewed, drawn_early, is_hidden);
    wanted = state == STATE_LATE;
    states[index] = state;
  }
  if (wanted) append(index);
}
