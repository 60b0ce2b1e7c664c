// ball.frag: metal: it mirrors in its own colour, here and there less sharply.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "surface.glsl"

layout(location = 0) in vec3 world;
layout(location = 1) in vec3 last;
layout(location = 2) in vec3 normal;
layout(location = 3) flat in uint ball;

void main() {
  vec3 outwards = normalize(normal);
  vec3 view = normalize(frame.eyes[pc.eye].origin.xyz - world);
  vec3 metal = frame.metals[ball].rgb;
  float roughness = 0.10 + 0.22 * smoothstep(0.4, 0.7, grain(3.0 * outwards));
  float sun = dot(outwards, kToSun) > 0.0 ? sun_visible(world, outwards) : 0.0;
  float highlight = min(sun_highlight(outwards, view, roughness) / 0.04, 60.0);
  vec3 light = metal * kSunColour * kSunLight * sun * max(dot(outwards, kToSun), 0.0) * highlight;
  write_reflecting_surface(min(light, vec3(2.0 * kBrightest)), outwards, roughness, metal, world, last);
}
