// noise.glsl: hashes and value noise.
#ifndef FRAME_NOISE_GLSL_
#define FRAME_NOISE_GLSL_

// M. O'Neill's PCG hash.
uint hash(uint value) {
  uint state = value * 747796405u + 2891336453u;
  uint word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
  return (word >> 22u) ^ word;
}
float random(inout uint sequence) {
  sequence = hash(sequence);
  return float(sequence >> 8u) / 16777216.0;
}
float random_at(ivec3 at) { return float(hash(uint(at.x) + hash(uint(at.y) + hash(uint(at.z)))) >> 8u) / 16777216.0; }

// Smooth noise of unit wavelength, 0 to 1.
float noise(vec3 at) {
  ivec3 cell = ivec3(floor(at));
  vec3 t = fract(at);
  t = t * t * (3.0 - 2.0 * t);
  vec4 front = vec4(random_at(cell), random_at(cell + ivec3(1, 0, 0)), random_at(cell + ivec3(0, 1, 0)),
                    random_at(cell + ivec3(1, 1, 0)));
  vec4 back = vec4(random_at(cell + ivec3(0, 0, 1)), random_at(cell + ivec3(1, 0, 1)), random_at(cell + ivec3(0, 1, 1)),
                   random_at(cell + ivec3(1, 1, 1)));
  vec4 both = mix(front, back, t.z);
  vec2 row = mix(both.xz, both.yw, t.x);
  return mix(row.x, row.y, t.y);
}
float noise(vec2 at) {
  ivec2 cell = ivec2(floor(at));
  vec2 t = fract(at);
  t = t * t * (3.0 - 2.0 * t);
  vec4 c = vec4(random_at(ivec3(cell, 7)), random_at(ivec3(cell + ivec2(1, 0), 7)),
                random_at(ivec3(cell + ivec2(0, 1), 7)), random_at(ivec3(cell + ivec2(1, 1), 7)));
  vec2 row = mix(c.xz, c.yw, t.x);
  return mix(row.x, row.y, t.y);
}

// Three octaves, 0 to 1.
float clouds(vec2 at) { return (4.0 * noise(at) + 2.0 * noise(2.03 * at + 5.1) + noise(4.1 * at + 9.7)) / 7.0; }
float grain(vec3 at) { return (4.0 * noise(at) + 2.0 * noise(2.03 * at + 5.1) + noise(4.1 * at + 9.7)) / 7.0; }
#endif  // FRAME_NOISE_GLSL_
