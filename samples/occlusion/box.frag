// box.frag: Lambert's law from one sun and the sky, and haze with distance. Colours are as displayed.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "occlusion_params.h"

layout(location = 0) in vec3 world;
layout(location = 1) flat in vec3 normal;
layout(location = 2) flat in uint colour;
layout(location = 0) out vec4 pixel;
layout(push_constant) uniform Push { DrawParams pc; };

void main() {
  vec3 albedo = vec3(uvec3(colour >> 16u, colour >> 8u, colour) & 255u) / 255.0;
  float sun = max(dot(normal, normalize(vec3(-0.55, 0.7, 0.35))), 0.0);
  vec3 lit = albedo * (0.42 + 0.12 * normal.y + 0.62 * sun);
  float far = distance(world, vec3(pc.eye_x, pc.eye_y, pc.eye_z));
  pixel = vec4(mix(vec3(0.74, 0.82, 0.90), lit, exp(-far / 400.0)), 1.0);
}
