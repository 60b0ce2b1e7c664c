// box.frag: Lambertian reflection of sun and sky, and haze with distance. Colours are display values, not linear light.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "occlusion_params.h"

layout(location = 0) in vec3 world;
layout(location = 1) flat in vec3 normal;
layout(location = 2) flat in uint colour;
layout(location = 0) out vec4 pixel;
layout(push_constant) uniform Push { DrawParams pc; };

// Windows: darker rectangles, 2.4 m apart, 3 m per storey.
float window() {
  vec2 at = fract(vec2(abs(normal.x) > 0.5 ? world.z : world.x, world.y) / vec2(2.4, 3.0));
  return normal.y == 0.0 && all(greaterThan(at, vec2(0.3, 0.35))) && at.y < 0.85 ? 1.0 : 0.0;
}

void main() {
  vec3 albedo = vec3(uvec3(colour >> 16u, colour >> 8u, colour) & 255u) / 255.0;
  if ((colour & BOX_HAS_WINDOWS) != 0u) albedo *= 1.0 - 0.35 * window();
  float sun = max(dot(normal, normalize(vec3(0.45, 0.7, -0.55))), 0.0);
  vec3 lit = albedo * (0.42 + 0.12 * normal.y + 0.62 * sun);
  float far = distance(world, vec3(pc.eye_x, pc.eye_y, pc.eye_z));
  pixel = vec4(mix(vec3(0.74, 0.82, 0.90), lit, exp(-far / 400.0)), 1.0);
}
