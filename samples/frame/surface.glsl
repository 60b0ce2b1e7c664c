// surface.glsl: what the colour pass writes of a surface: its light without the screen's reflections, and what these
// need: normal, roughness, reflectance and motion.
#ifndef FRAME_SURFACE_GLSL_
#define FRAME_SURFACE_GLSL_
#include "surroundings.glsl"

layout(location = 0) out vec4 pixel;
layout(location = 1) out vec4 normal_roughness;  // a roughness of 1: no reflections
layout(location = 2) out vec4 reflectance;       // at normal incidence
layout(location = 3) out vec4 motion;            // of the coordinates, to the last frame
layout(push_constant) uniform Push { DrawParams pc; };

// `last`: where the point was in the last frame.
void write_surface(vec3 light, vec3 normal, vec3 world, vec3 last) {
  pixel = vec4(light, 1.0);
  normal_roughness = vec4(normal, 1.0);
  reflectance = vec4(0.0);
  vec2 before = screen_of(frame.eyes[pc.eye].last_clip_of_world, last).xy;
  motion = vec4(before - screen_of(frame.eyes[pc.eye].clip_of_world, world).xy, 0.0, 0.0);
}

// `light` without what the surface mirrors.
void write_reflecting_surface(vec3 light, vec3 normal, float roughness, vec3 at_normal, vec3 world, vec3 last) {
  vec3 view = normalize(frame.eyes[pc.eye].origin.xyz - world);
  vec3 share = reflected_share(at_normal, roughness, dot(normal, view));
  vec3 seen = surroundings(world, reflect(-view, normal), roughness);
  write_surface(light * (1.0 - share) + share * seen, normal, world, last);
  normal_roughness.w = roughness;
  reflectance = vec4(at_normal, 0.0);
}
#endif  // FRAME_SURFACE_GLSL_
