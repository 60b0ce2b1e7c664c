// sky.glsl: the light of the evening sky: a gradient, the glow around the sun, thin clouds, ridges of hills.
#ifndef FRAME_SKY_GLSL_
#define FRAME_SKY_GLSL_
#include "frame_params.h"
#include "noise.glsl"

const vec3 kToSun = vec3(SUN_X, SUN_Y, SUN_Z);
const vec3 kSunColour = vec3(1.0, 0.72, 0.42);
const float kSunLight = 640.0;  // illuminance, 100 lx

// Henyey and Greenstein's phase function, per steradian.
float phase(float cosine, float g) { return (1.0 - g * g) / (12.5664 * pow(1.0 + g * g - 2.0 * g * cosine, 1.5)); }

// Luminance of the clear sky, for directions above the horizon.
vec3 clear_sky(vec3 direction) {
  float up = max(direction.y, 0.0);
  float cosine = dot(direction, kToSun);
  vec3 zenith = vec3(6.0, 12.5, 27.0);
  vec3 horizon = mix(vec3(22.0, 26.0, 34.0), vec3(44.0, 30.0, 18.0), pow(0.5 + 0.5 * cosine, 3.0));
  vec3 light = mix(zenith, horizon, exp(-4.2 * up));
  return light + kSunColour * (6.0 * phase(cosine, 0.72) + 2.2 * phase(cosine, 0.93));
}

vec3 with_clouds(vec3 light, vec3 direction) {
  vec2 at = direction.xz / (direction.y + 0.16);
  float cover = smoothstep(0.55, 0.9, clouds(at * vec2(0.9, 2.3) + vec2(3.7, 1.3)));
  float cosine = dot(direction, kToSun);
  vec3 cloud = vec3(46.0, 39.0, 36.0) + kSunColour * 26.0 * phase(cosine, 0.6) * 6.0;
  return mix(light, cloud, 0.75 * cover * smoothstep(0.02, 0.2, direction.y));
}

// Three ridges of hills, the farther the paler.
vec3 with_hills(vec3 light, vec3 direction) {
  float azimuth = atan(direction.x, direction.z);
  float elevation = direction.y;
  vec3 haze = clear_sky(normalize(vec3(direction.x, 0.03, direction.z)));
  for (int ridge = 2; ridge >= 0; --ridge) {
    float far = float(ridge) / 2.0;
    float wave = clouds(vec2(azimuth * (5.0 - 1.1 * float(ridge)) + 13.0 * float(ridge) + 2.0, 0.5));
    float detail = noise(vec2(azimuth * 60.0, float(ridge)));
    float height = 0.015 + 0.045 * far + (0.10 + 0.06 * far) * (wave - 0.35) + 0.004 * detail;
    vec3 hill = mix(vec3(3.0, 4.6, 4.4), haze, 0.45 + 0.3 * far);
    light = mix(light, hill, smoothstep(0.0015, -0.0015, elevation - height));
  }
  return light;
}

vec3 sky(vec3 direction, bool disc) {
  if (direction.y < -0.02) return vec3(6.0, 5.4, 3.6);
  vec3 light = with_clouds(clear_sky(direction), direction);
  // The disc is twice as wide as the sun's, and dimmer, so that a half can hold it.
  if (disc) light += kSunColour * 9000.0 * smoothstep(0.99992, 0.99997, dot(direction, kToSun));
  return with_hills(light, direction);
}
#endif  // FRAME_SKY_GLSL_
