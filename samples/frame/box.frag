// box.frag: the light that boxes send to the eye, and the properties of surfaces that reflect.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "surface.glsl"

layout(location = 0) in vec3 world;
layout(location = 1) flat in uvec3 surface;
layout(location = 2) in vec3 local;
layout(location = 3) flat in vec3 size;

struct Material {
  vec3 albedo;
  float roughness;
  float mirror;  // reflectance at normal incidence; 0: no reflections
};

vec3 colour_of(uint bits) { return vec3(uvec3(bits >> 16u, bits >> 8u, bits) & 255u) / 255.0; }

// Distance to the nearest joint of a grid.
float joint(vec2 at, vec2 pitch) {
  vec2 from = abs(fract(at / pitch + 0.5) - 0.5) * pitch;
  return min(from.x, from.y);
}

// Lines along the longest axis of a plank.
float wood(vec3 at, vec3 size, float seed) {
  vec3 scale = vec3(18.0);
  if (size.x >= size.y && size.x >= size.z)
    scale.x = 0.9;
  else if (size.y >= size.z)
    scale.y = 0.9;
  else
    scale.z = 0.9;
  return grain(at * scale + seed);
}

Material material_of(uint kind, vec3 colour, vec3 size, float seed, inout vec3 bent, float footprint) {
  Material m = Material(colour, 0.8, 0.0);
  float fine = 1.0 - smoothstep(0.004, 0.03, footprint);  // details of centimetres fade where a pixel is as large
  if (kind == MATERIAL_CONCRETE) {
    float stain = grain(world * vec3(0.9, 0.35, 0.9) + seed);
    float pores = step(0.83, noise(world * 55.0)) * fine;
    m.albedo *= 0.78 + 0.4 * stain - 0.12 * pores + 0.10 * (fract(seed) - 0.5);
  } else if (kind == MATERIAL_TIMBER || kind == MATERIAL_BARK) {
    m.albedo *= 0.62 + 0.55 * mix(0.5, wood(world, size, seed), 0.5 + 0.5 * fine) + 0.25 * (fract(seed * 3.7) - 0.5);
    m.roughness = kind == MATERIAL_TIMBER ? 0.45 : 0.9;
  } else if (kind == MATERIAL_FLOOR) {
    float dust = grain(vec3(world.xz * 0.8, 3.0));
    ivec2 tile = ivec2(floor(world.xz / vec2(1.2, 0.8)));
    float tone = random_at(ivec3(tile, 5));
    float joints = 1.0 - smoothstep(0.004, 0.010 + footprint, joint(world.xz, vec2(1.2, 0.8)));
    float line = 1.0 - joints * min(1.0, 0.01 / footprint);  // a joint has 1 cm; fades where a pixel is as large
    m.albedo *= (0.75 + 0.35 * tone + 0.3 * (dust - 0.5)) * mix(0.45, 1.0, line);
    m.roughness = mix(0.5, 0.06 + 0.36 * smoothstep(0.40, 0.75, dust) + 0.06 * tone, line);  // polished to worn
    m.mirror = 0.055 * mix(0.2, 1.0, line);
    bent = normalize(vec3(0.004 * (tone - 0.5), 1.0, 0.004 * (fract(tone * 7.0) - 0.5)));
    if (frame.floor_roughness >= 0.0) {
      m.roughness = frame.floor_roughness;
      m.mirror = 0.055;
      bent = vec3(0.0, 1.0, 0.0);
    }
  } else if (kind == MATERIAL_PAVING) {
    float wet = grain(vec3(world.xz * 0.5, 11.0));
    m.albedo *= 0.8 + 0.4 * grain(world * 3.0) * (0.6 + 0.4 * fine) + 0.2 * (fract(seed * 5.3) - 0.5);
    m.roughness = mix(0.5, 0.07, smoothstep(0.40, 0.7, wet));
    m.mirror = 0.03;
  } else if (kind == MATERIAL_WATER) {
    float away = 1.0 - smoothstep(0.01, 0.12, footprint);
    vec2 slope =
        vec2(noise(vec3(world.xz * 2.1 + 9.0, 0.7 * frame.time)) - 0.5,
             noise(vec3(world.xz * 2.3, 0.6 * frame.time)) - 0.5) +
        0.5 * vec2(noise(vec3(world.xz * 6.1, frame.time)) - 0.5, noise(vec3(world.xz * 6.7 + 3.0, frame.time)) - 0.5);
    bent = normalize(vec3(0.030 * away * slope.x, 1.0, 0.045 * away * slope.y));
    m.roughness = 0.04;
    m.mirror = 0.02;
  } else if (kind == MATERIAL_GROUND) {
    float patches = clouds(world.xz * 0.35);
    m.albedo *= 0.6 + 0.5 * patches + 0.5 * (noise(world.xz * 9.0) - 0.5) * fine;
  } else if (kind == MATERIAL_TILES) {
    m.albedo *= 0.75 + 0.5 * fract(seed * 3.1);
  } else if (kind == MATERIAL_PLASTER) {
    m.albedo *= 0.9 + 0.2 * grain(world * 0.7 + seed);
  } else if (kind == MATERIAL_PLAIN) {
    m.roughness = 0.5;
  }
  return m;
}

void main() {
  uint axis = surface.x >> 1u;
  vec3 normal = vec3(axis == 0u, axis == 1u, axis == 2u) * ((surface.x & 1u) != 0u ? 1.0 : -1.0);
  uint kind = surface.y & 255u;
  float seed = float(hash(surface.z) >> 16u) / 997.0;
  vec3 to_eye = frame.eyes[pc.eye].origin.xyz - world;
  float away = length(to_eye);
  vec3 view = to_eye / away;
  float footprint = away * length(frame.eyes[pc.eye].right) * 2.0 / float(frame.width);

  if (kind == MATERIAL_LAMP) {  // paper, brighter in the middle
    float middle = 1.0 - 0.45 * abs(2.0 * fract(world.y * 2.0) - 1.0);
    float bars = 0.35 + 0.65 * smoothstep(0.0, 0.012 + footprint,
                                          joint(vec2(local.x + local.z, local.y), vec2(0.17, 0.125)) - 0.004);
    float intensity = float(surface.y >> 8u) / 1000.0;  // luminance of the paper, for its area
    write_surface(kLampColour * intensity * (2.4 * middle * bars + 0.1), normal, world, world);
    return;
  }
  vec3 bent = normal;
  Material m = material_of(kind, colour_of(surface.y >> 8u), size, seed, bent, footprint);
  float sun = dot(bent, kToSun) > 0.0 ? sun_visible(world, normal) * ball_shadow(world) : 0.0;
  vec3 direct = kSunColour * kSunLight * sun;
  vec3 light =
      m.albedo * (direct * max(dot(bent, kToSun), 0.0) / 3.14159 +
                  ambient_light(world, normal) * corner_occlusion(world, normal) * ball_occlusion(world, normal) +
                  lamp_light(world, normal));
  light += direct * max(dot(bent, kToSun), 0.0) * min(sun_highlight(bent, view, max(m.roughness, 0.09)), 3.0);
  if (m.mirror > 0.0 && normal.y > 0.5) {
    write_reflecting_surface(light, bent, m.roughness, vec3(m.mirror), world, world);
  } else {
    write_surface(light, normal, world, world);
  }
}
