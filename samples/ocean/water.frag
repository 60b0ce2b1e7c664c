// water.frag: light from the water's surface: the sky's reflection, the sun's glitter, light from below, foam.
//
// The mip chains give the mean of slopes over a pixel's footprint and, with the mean of their squares, the variance:
// waves that are smaller than a pixel become roughness. A long footprint is covered by several samples, so that the
// level is chosen by its short side. The glitter is the probability of the slope that reflects the sun into the eye
// (E. Bruneton, F. Neyret, N. Holzschuch, Real-time Realistic Ocean Lighting using Seamless Transitions from Geometry
// to BRDF, 2010).
#version 460
#extension GL_GOOGLE_include_directive : require
#include "ocean_params.h"
#include "sky.glsl"

layout(binding = 0) uniform sampler2DArray fields;
layout(binding = 1) uniform sampler2DArray surface;
layout(push_constant) uniform Push { DrawParams pc; };
layout(location = 0) in vec3 world;
layout(location = 1) in vec2 calm;
layout(location = 2) flat in uint is_sky;
layout(location = 0) out vec4 light;

const float PI = 3.14159265;
const float MOST_SAMPLES = 12.0;
const vec3 DEEP = vec3(0.008, 0.062, 0.085);     // share of the sky's light that comes back from the water
const vec3 SCATTER = vec3(0.030, 0.150, 0.125);  // of light that crosses a crest

struct Footprint {
  vec2 slope;
  vec3 variance;  // of slopes along x and z, and their covariance
  float foam;
  float width;  // metres, the short side
};

Footprint read_footprint() {
  vec2 dx = dFdx(calm), dy = dFdy(calm);
  if (dot(dx, dx) < dot(dy, dy)) {
    vec2 swapped = dx;
    dx = dy;
    dy = swapped;
  }
  Footprint f = Footprint(vec2(0.0), vec3(0.0), 0.0, abs(dx.x * dy.y - dx.y * dy.x) / max(length(dx), 1e-6));
  float samples = clamp(ceil(length(dx) / max(f.width, 1e-4)), 1.0, MOST_SAMPLES);
  float side = max(f.width, length(dx) / samples);
  vec2 stretch = vec2(1.0);
  for (int c = 0; c < CASCADES; ++c) {
    float level = log2(side * float(pc.texels) / pc.lengths[c]);
    vec4 field = vec4(0.0);
    vec4 squares = vec4(0.0);
    for (float i = 0.5; i < samples; i += 1.0) {
      vec2 at = (calm + (i / samples - 0.5) * dx) / pc.lengths[c];
      field += textureLod(fields, vec3(at, CASCADES + c), level);
      squares += textureLod(surface, vec3(at, c), level);
    }
    field /= samples;
    squares /= samples;
    f.slope += field.xy;
    stretch += field.zw;
    f.variance += squares.xyz - vec3(field.xy * field.xy, field.x * field.y);
    if (c + 1 < CASCADES) f.foam = 1.0 - (1.0 - f.foam) * (1.0 - squares.w);  // the last patch has ripples only
  }
  // Slopes are per metre of the calm surface; displacements shorten that metre at crests.
  f.slope /= max(stretch, vec2(0.35));
  f.variance.xy = max(f.variance.xy, 0.0) + 0.0008;  // and of waves shorter than the shortest texel
  return f;
}

// Probability of a slope. The smaller eigenvalue stays above 0.
float slope_probability(vec2 slope, Footprint f) {
  vec2 off = slope - f.slope;
  float product = f.variance.x * f.variance.y;
  float covariance = clamp(f.variance.z, -0.9 * sqrt(product), 0.9 * sqrt(product));
  float determinant = product - covariance * covariance;
  float distance = (off.x * off.x * f.variance.y - 2.0 * off.x * off.y * covariance + off.y * off.y * f.variance.x);
  return exp(-0.5 * distance / determinant) / (2.0 * PI * sqrt(determinant));
}

vec3 glitter(vec3 to_eye, vec3 to_sun, Footprint f) {
  vec3 middle = normalize(to_eye + to_sun);
  middle.y = max(middle.y, 0.05);
  float fresnel = 0.02 + 0.98 * pow(clamp(1.0 - dot(to_eye, middle), 0.0, 1.0), 5.0);
  float probability = slope_probability(-middle.xz / middle.y, f);
  return SUN_LIGHT * fresnel * probability / (4.0 * pow(middle.y, 4.0) * max(to_eye.y, 0.08));
}

// Foam is dense where its share is high and torn into threads where it is low. Far away only the mean is left.
float foam_cover(Footprint f) {
  vec2 warp =
      vec2(noise(calm * 1.7), noise(calm * 1.7 + 31.7)) + 0.35 * vec2(noise(calm * 5.1), noise(calm * 5.1 + 9.2));
  float threads = abs(2.0 * fractal_noise(calm * 1.9 + 0.9 * warp, 4) - 0.93);
  float bubbles = fractal_noise(calm * 11.0, 3);
  float density = (1.0 - smoothstep(0.0, 0.5, threads)) * (0.55 + 0.6 * bubbles) + 0.3 * bubbles;
  float torn = smoothstep(1.05 - f.foam, 1.5 - f.foam, density);
  return mix(torn, 0.5 * f.foam, smoothstep(0.08, 0.5, f.width));
}

vec3 water(vec3 to_eye, float distance) {
  vec3 to_sun = pc.sun.xyz;
  Footprint f = read_footprint();
  vec3 normal = normalize(vec3(-f.slope.x, 1.0, -f.slope.y));
  // Slopes that face away from the eye are hidden.
  float facing = dot(normal, to_eye);
  if (facing < 0.05) normal = normalize(normal + (0.05 - facing) * to_eye);

  float roughness = sqrt(f.variance.x + f.variance.y);
  float cosine = clamp(dot(normal, to_eye), 0.0, 1.0);
  // The mean over the slopes of a rough surface: Bruneton et al.
  float fresnel = 0.02 + 0.98 * pow(1.0 - cosine, 5.0 * exp(-2.69 * roughness)) / (1.0 + 22.7 * pow(roughness, 1.5));
  vec3 mirrored = reflect(-to_eye, normal);
  mirrored.y = abs(mirrored.y) + 0.4 * roughness;
  vec3 reflected = sky(normalize(mirrored), to_sun, smoothstep(0.0, 0.2, roughness));

  vec3 ambient = vec3(3.4, 4.1, 5.0);
  float crest = max(world.y / max(pc.wave_height, 0.1) + 0.25, 0.0);
  float through = pow(max(dot(to_sun, -to_eye), 0.0), 3.0) * pow(0.5 - 0.5 * dot(to_sun, normal), 2.0);
  vec3 below = DEEP * ambient + SCATTER * SUN_LIGHT * (0.55 * crest * through + 0.012 * crest * cosine);

  vec3 sum = mix(below, reflected, fresnel) + glitter(to_eye, to_sun, f);
  f.foam *= mix(0.3, 1.0, smoothstep(-0.3, 0.45, world.y / max(pc.wave_height, 0.1)));
  vec3 white = vec3(0.75) * (SUN_LIGHT * max(dot(normal, to_sun), 0.0) / PI + ambient);
  sum = mix(sum, white, foam_cover(f));
  vec3 haze = sky(normalize(vec3(-to_eye.x, 0.004, -to_eye.z)), to_sun, 0.0);
  return mix(haze, sum, exp(-distance / 9000.0));
}

void main() {
  vec3 ray = world - pc.eye.xyz;
  vec3 direction = normalize(ray);
  vec3 sum;
  if (is_sky != 0u) {
    sum = sky(direction, pc.sun.xyz, 0.0) + 60.0 * SUN_LIGHT * smoothstep(0.99990, 0.99996, dot(direction, pc.sun.xyz));
  } else {
    sum = water(-direction, length(ray));
  }
  light = vec4(min(sum, 6e4), 1.0);
}
