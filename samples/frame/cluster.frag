// cluster.frag: leaves lit from both sides. The depth test for equality leaves the texels of the depth pass.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "surface.glsl"

layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 3) flat in vec4 tint;
layout(location = 4) flat in vec3 card;
layout(set = 0, binding = 2) uniform sampler2DArray leaves;

void main() {
  vec3 view = normalize(frame.eyes[pc.eye].origin.xyz - world);
  vec3 facing = dot(normal, view) < 0.0 ? -normal : normal;
  vec3 albedo = tint.rgb * texture(leaves, vec3(uv, tint.w)).rgb;
  float cosine = dot(facing, kToSun);
  vec3 through = albedo * vec3(1.3, 1.25, 0.35);  // light from behind is yellower
  float sun = sun_visible(world, 0.5 * kToSun);
  vec3 light = albedo * max(cosine, 0.0) + 0.75 * through * max(-cosine, 0.0) +
               0.5 * through * pow(max(dot(-view, kToSun), 0.0), 4.0);
  light = kSunColour * kSunLight * sun * light / 3.14159 + albedo * ambient_light(world, facing);
  write_surface(light, dot(card, view) < 0.0 ? -card : card, world, world);
}
