// particle.glsl: a particle, and which one an invocation owns.
#ifndef ONEPASS_SAMPLES_PARTICLE_GLSL_
#define ONEPASS_SAMPLES_PARTICLE_GLSL_

layout(local_size_x = 256) in;

struct Particle {
  vec3 position;    // in the world
  uint brightness;  // what it adds to its texel: whole numbers add up to the same sum in any order
};

// Workgroups of 256 in rows and columns, because devices may allow no more than 65535 in a row.
uint particle_index() {
  return (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
}

#endif  // ONEPASS_SAMPLES_PARTICLE_GLSL_
