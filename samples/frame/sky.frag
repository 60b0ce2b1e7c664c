// sky.frag: the sky where nothing was drawn.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "eyes.glsl"
#include "sky.glsl"
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 pixel;
layout(location = 1) out vec4 mirror;
layout(push_constant) uniform Push { DrawParams pc; };

void main() {
  pixel = vec4(sky(normalize(ray_of(pc.eye, uv)), true), 1.0);
  mirror = vec4(0.0);
}
