// bloom_params.h: steps and push constants of src/bloom/bloom.comp, shared by C++ and GLSL.
#ifndef ONEPASS_BLOOM_PARAMS_H_
#define ONEPASS_BLOOM_PARAMS_H_

#include "onepass/fourier_params.h"

#ifdef __cplusplus
namespace onepass::bloom {
using fourier::uint;
using fourier::uint2;
#endif

#define ONEPASS_BLOOM_BRIGHT 1u
#define ONEPASS_BLOOM_ADD 2u
#define ONEPASS_BLOOM_COMPOSE 3u

struct BloomParams {
  uint2 size;                      // of the texels that the step writes
  uint2 coarse;                    // ADD: size of the coarser level. COMPOSE: size of the glow
  float threshold, knee, scatter;  // onepass/bloom.hpp
  float spread;                    // ADD
};

#ifdef __cplusplus
static_assert(sizeof(BloomParams) == 32, "must match the std430 layout in the shader");
}  // namespace onepass::bloom
#endif
#endif  // ONEPASS_BLOOM_PARAMS_H_
