// particles_params.h: the push constants of all shaders of this sample, for C++ and GLSL alike.
#ifndef ONEPASS_SAMPLES_PARTICLES_PARAMS_H_
#define ONEPASS_SAMPLES_PARTICLES_PARAMS_H_

#ifdef __cplusplus
#include <array>
#include <cstddef>
#include <cstdint>
namespace samples::particles {
using uint = uint32_t;
using vec4 = std::array<float, 4>;
#endif

/// A camera, the image it fills and the particles in front of it. Axes have length 1.
struct ParticlesParams {
  vec4 eye;      // w: distance of the near plane
  vec4 forward;  // w: distance of the far plane
  vec4 right;    // w: tangent of half the horizontal field of view
  vec4 down;     // w: tangent of half the vertical field of view
  uint width;    // of the depth buffer, texels
  uint height;
  uint count;     // of particles
  float visible;  // emit.comp: the fraction to place in front of the scene, 0 to 1
  float band;     // emit.comp: largest distance of particles to the scene, as a fraction of its distance, 0 to 1
};

#ifdef __cplusplus
static_assert(sizeof(ParticlesParams) == 84 && offsetof(ParticlesParams, width) == 64);
}  // namespace samples::particles
#endif

#endif  // ONEPASS_SAMPLES_PARTICLES_PARAMS_H_
