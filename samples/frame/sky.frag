// sky.frag: the sky where nothing was drawn.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "eyes.glsl"
#include "sky.glsl"
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 pixel;
layout(location = 1) out vec4 normal_roughness;
layout(location = 2) out vec4 reflectance;
layout(location = 3) out vec4 motion;
layout(push_constant) uniform Push { DrawParams pc; };

void main() {
  pixel = vec4(sky(normalize(ray_of(pc.eye, uv)), true), 1.0);
  normal_roughness = vec4(0.0, 0.0, 0.0, 1.0);
  reflectance = motion = vec4(0.0);
}
