// sky.glsl: the luminance of a sky with thin clouds, the sun, and noise. Unit: 1000 cd/m2.
#ifndef ONEPASS_SAMPLES_SKY_GLSL_
#define ONEPASS_SAMPLES_SKY_GLSL_

const vec3 SUN_LIGHT = vec3(1.0, 0.72, 0.42) * 32.0;  // illuminance, 1000 lx

// PCG: M. Jarzynski, M. Olano, Hash Functions for GPU Rendering, 2020.
uint hash(uint x) {
  uint state = x * 747796405u + 2891336453u;
  uint word = ((state >> ((state >> 28) + 4u)) ^ state) * 277803737u;
  return (word >> 22) ^ word;
}

float lattice(ivec2 at) { return float(hash(uint(at.x) ^ hash(uint(at.y))) >> 8) * (1.0 / 16777216.0); }

// Noise of wavelength 1, 0 to 1.
float noise(vec2 at) {
  ivec2 cell = ivec2(floor(at));
  vec2 part = at - vec2(cell);
  vec2 smooth_part = part * part * (3.0 - 2.0 * part);
  return mix(mix(lattice(cell), lattice(cell + ivec2(1, 0)), smooth_part.x),
             mix(lattice(cell + ivec2(0, 1)), lattice(cell + ivec2(1, 1)), smooth_part.x), smooth_part.y);
}

// Octaves of noise, each half as long and rotated, 0 to 1.
float fractal_noise(vec2 at, int octaves) {
  float sum = 0.0, weight = 0.5;
  for (int i = 0; i < octaves; ++i) {
    sum += weight * noise(at);
    at = mat2(1.6, 1.2, -1.2, 1.6) * at + 17.3;
    weight *= 0.5;
  }
  return sum;
}

// Henyey and Greenstein's phase function, per steradian.
float phase(float cosine, float g) { return (1.0 - g * g) / (12.5664 * pow(1.0 + g * g - 2.0 * g * cosine, 1.5)); }

// Without the sun's disc. `blur`: 0 to 1; 1 replaces clouds by their mean.
vec3 sky(vec3 direction, vec3 to_sun, float blur) {
  float up = max(direction.y, 0.0);
  float cosine = dot(direction, to_sun);
  vec3 horizon = mix(vec3(3.4, 4.4, 5.6), vec3(8.5, 6.0, 3.6), pow(0.5 + 0.5 * cosine, 8.0));
  vec3 light = mix(vec3(1.0, 2.2, 4.8), horizon, exp(-5.5 * up));
  light += SUN_LIGHT * (0.05 * phase(cosine, 0.75) + 0.012 * phase(cosine, 0.95));
  vec2 at = direction.xz / (up + 0.12);
  float density = fractal_noise(at * vec2(0.9, 1.5) + vec2(8.1, 2.7), 5);
  float cover = mix(smoothstep(0.42, 0.72, density), 0.3, blur) * smoothstep(0.01, 0.16, up);
  vec3 cloud =
      vec3(7.6, 7.0, 6.8) * mix(1.0, 0.7, smoothstep(0.6, 0.85, density)) + SUN_LIGHT * 0.09 * phase(cosine, 0.6);
  return mix(light, cloud, 0.8 * cover);
}

#endif  // ONEPASS_SAMPLES_SKY_GLSL_
