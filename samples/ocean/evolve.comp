// evolve.comp: the spectra of displacements, slopes and their derivatives at a frame's time, from the waves at time 0.
//
// A wave vector's amplitude is h = a(k) exp(-i omega t) + conj(a(-k)) exp(i omega t): a wave along k and one against
// it (J. Tessendorf, Simulating Ocean Water, 2001). Every field is h times a factor:
//     horizontal displacement  i k / |k|      slopes  i k      its derivatives  -k_x k_x / |k|, ...
// All fields are real. The spectrum F + i G of two of them has f + i g as its inverse transform, so that eight fields
// take four complex signals: two slices of two.
//
//     slice c             (d_x, height)  (d_z, d d_x / d z)                          of cascade c
//     slice CASCADES + c  (slope_x, slope_z)  (d d_x / d x, d d_z / d z)
//
// An invocation owns a wave vector of a cascade.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "ocean_params.h"

layout(local_size_x = 64) in;
layout(binding = 0, std430) readonly buffer Waves { Wave waves[]; };
// Index in SpectrumOrder::kColumns: (slice * texels + x) * texels + z.
layout(binding = 1, std430) writeonly buffer Spectra { vec4 spectra[]; };
layout(push_constant) uniform Push { WaterParams pc; };

const float TWO_PI = 6.28318530717959;

vec2 times_i(vec2 a) { return vec2(-a.y, a.x); }
vec2 product(vec2 a, vec2 b) { return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

uint index_of(uint slice, uvec2 at) { return (slice * pc.texels + at.x) * pc.texels + at.y; }

// exp(-i omega t). The fraction of a circle is exact, and sine and cosine get an angle from -pi to pi.
vec2 turn(uint cycles) {
  int part = int(cycles * pc.frame % LOOP_FRAMES);
  if (2 * part > LOOP_FRAMES) part -= LOOP_FRAMES;
  float angle = TWO_PI * float(part) / float(LOOP_FRAMES);
  return vec2(cos(angle), -sin(angle));
}

void main() {
  uvec2 at = gl_GlobalInvocationID.yx;  // adjacent invocations write adjacent values
  if (at.y >= pc.texels) return;
  uint cascade = gl_GlobalInvocationID.z;
  Wave along = waves[index_of(cascade, at)];
  Wave against = waves[index_of(cascade, (pc.texels - at) % pc.texels)];
  vec2 rotation = turn(along.cycles);
  vec2 h = product(vec2(along.re, along.im), rotation);
  h += product(vec2(against.re, -against.im), vec2(rotation.x, -rotation.y));

  ivec2 number = ivec2(at) - ivec2(greaterThan(at, uvec2(pc.texels / 2u))) * int(pc.texels);
  vec2 k = TWO_PI / pc.lengths[cascade] * vec2(number);
  vec2 direction = pc.choppiness * k / max(length(k), 1e-6);
  vec2 i_h = times_i(h);

  uint slice = index_of(cascade, at);
  spectra[slice] = vec4(direction.x * i_h + i_h, direction.y * i_h - k.y * direction.x * i_h);
  slice = index_of(CASCADES + cascade, at);
  spectra[slice] = vec4(k.x * i_h - k.y * h, -k.x * direction.x * h - k.y * direction.y * i_h);
}
