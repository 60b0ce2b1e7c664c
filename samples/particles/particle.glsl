// particle.glsl: a particle, and the index of the particle that an invocation owns.
#ifndef ONEPASS_SAMPLES_PARTICLE_GLSL_
#define ONEPASS_SAMPLES_PARTICLE_GLSL_

layout(local_size_x = 256) in;

struct Particle {
  vec3 position;    // in the world
  uint brightness;  // added to its texel; sums of integers do not depend on the order
};

// Workgroups lie in rows and columns, because devices may allow no more than 65535 per dimension.
uint particle_index() {
  return (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
}

#endif  // ONEPASS_SAMPLES_PARTICLE_GLSL_
