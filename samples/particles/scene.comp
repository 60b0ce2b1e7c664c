// scene.comp: the depth buffer that particles are tested against, and its colours for pictures: towers and masts of
// random height on a grid, seen from above, with a depth edge in most tiles of 16x16 texels.
//
// An invocation owns a texel: its ray walks from cell to cell of the grid (J. Amanatides, A. Woo, A Fast Voxel
// Traversal Algorithm for Ray Tracing, 1987) until it hits the box of a cell or the ground.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "onepass/depth_query.glsl"
#include "camera.glsl"

layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r32f) writeonly uniform image2D depth;
layout(binding = 1, std430) writeonly buffer Colors { uint colors[]; };  // RGBA8, one per texel

const int MOST_CELLS = 256;
const float TALLEST = 9.0;
const float MOST = 1e30;

uint cell_hash(ivec2 cell) { return hash(uint(cell.x) * 0x9E3779B1u ^ hash(uint(cell.y))); }

// Half the width of the box in a cell and its height; cells are 1 wide.
vec2 cell_box(ivec2 cell) {
  uint sequence = cell_hash(cell);
  float kind = random(sequence);
  float hills = 0.5 + 0.5 * sin(0.31 * float(cell.x)) * cos(0.23 * float(cell.y));
  float height = (0.3 + 4.5 * hills * hills) * (0.3 + 0.7 * random(sequence));
  if (kind < 0.25) return vec2(0.46, 0.1 * height);                // yards
  if (kind < 0.40) return vec2(0.06, min(1.9 * height, TALLEST));  // masts
  return vec2(0.2 + 0.24 * random(sequence), height);
}

// Ray parameter at which the ray enters the box of a cell; MOST if it misses. `face`: axis through which it enters.
float hit_box(ivec2 cell, vec3 origin, vec3 ray, out int face) {
  vec2 box = cell_box(cell);
  vec3 middle = vec3(float(cell.x) + 0.5, 0.0, float(cell.y) + 0.5);
  vec3 half_size = vec3(box.x, box.y, box.x);
  vec3 near = (middle - sign(ray) * half_size - origin) / ray;
  vec3 far = (middle + sign(ray) * half_size - origin) / ray;
  float enters = max(max(near.x, near.y), near.z);
  face = enters == near.y ? 1 : enters == near.x ? 0 : 2;
  return enters < min(min(far.x, far.y), far.z) && enters > 0.0 ? enters : MOST;
}

vec3 shade(ivec2 cell, int face, float distance, bool ground) {
  uint sequence = cell_hash(cell) ^ 0x5BD1E995u;
  vec3 wall = mix(vec3(0.20, 0.25, 0.34), vec3(0.42, 0.36, 0.33), random(sequence));
  vec3 color = ground ? vec3(0.13, 0.15, 0.16) : wall * (0.7 + 0.5 * random(sequence));
  color *= face == 1 ? 1.0 : face == 0 ? 0.62 : 0.38;
  return mix(color, vec3(0.42, 0.50, 0.60), 1.0 - exp(-distance / 70.0));
}

void main() {
  uvec2 texel = gl_GlobalInvocationID.xy;
  if (texel.x >= pc.width || texel.y >= pc.height) return;
  vec3 origin = pc.eye.xyz;
  vec3 ray = ray_through(vec2(texel) + 0.5);
  ray += vec3(equal(ray, vec3(0.0))) * 1e-6;  // no component is exactly 0: 0 would be divided by 0
  float ground = -origin.y / ray.y;           // every ray of this camera points down
  float start = max(0.0, (TALLEST - origin.y) / ray.y);
  ivec2 cell = ivec2(floor(origin.xz + start * ray.xz));
  ivec2 forward = ivec2(sign(ray.xz));
  vec2 each = abs(1.0 / ray.xz);
  vec2 next = (vec2(cell + max(forward, ivec2(0))) - origin.xz) / ray.xz;
  float time = MOST;
  int face = 1;
  for (int i = 0; i < MOST_CELLS; ++i) {
    int entered;
    float hit = hit_box(cell, origin, ray, entered);
    if (hit < time) {
      time = hit;
      face = entered;
    }
    if (time < MOST || min(next.x, next.y) > ground) break;
    bool along_x = next.x < next.y;
    cell += along_x ? ivec2(forward.x, 0) : ivec2(0, forward.y);
    next += along_x ? vec2(each.x, 0.0) : vec2(0.0, each.y);
  }
  float distance = min(time, ground);
  float stored = onepass_depth_of_distance(projection(), min(distance, pc.forward.w));
  imageStore(depth, ivec2(texel), vec4(stored));
  colors[texel.y * pc.width + texel.x] = packUnorm4x8(vec4(shade(cell, face, distance, time > ground), 1.0));
}
