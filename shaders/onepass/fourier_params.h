// fourier_params.h: constants and push constants of the transform kernels, shared by C++ and GLSL.
#ifndef ONEPASS_FOURIER_PARAMS_H_
#define ONEPASS_FOURIER_PARAMS_H_

#if !defined(__cplusplus) || defined(ONEPASS_CUDA)
#include "onepass/prelude_names.glsl"
#endif

#if defined(__cplusplus) && !defined(ONEPASS_CUDA)
#include <cstddef>
#include <cstdint>
namespace onepass::fourier {
using uint = uint32_t;
struct alignas(8) int2 {
  int32_t x, y;
};
struct alignas(8) uint2 {
  uint x, y;
};
#endif

// Signals that the complex numbers of a line hold.
#define ONEPASS_FOURIER_COMPLEX 0   // complex signals, unchanged
#define ONEPASS_FOURIER_CHANNELS 1  // two real channels: red + i green, blue + i alpha
#define ONEPASS_FOURIER_ROWS 2      // one real channel: row r + i row (r + ceil(rows / 2))

// Bloom: change of texels when a row stage reads or stores them.
#define ONEPASS_LIGHT_NONE 0u
#define ONEPASS_LIGHT_FULL 1u  // rows forward: the bright light of a texel. Rows inverse: adds the glow to the source
#define ONEPASS_LIGHT_HALF 2u  // rows forward: the mean bright light of 2x2 texels of the source

#define ONEPASS_FOURIER_MOST_PASSES 5

// Work of a pass between two buffers (four-step or ping-pong) besides its butterflies.
#define ONEPASS_FOURIER_FIRST 1u     // loads the values from the source of the stage
#define ONEPASS_FOURIER_LAST 2u      // stores the results to the target of the stage
#define ONEPASS_FOURIER_CONVOLVE 4u  // Bluestein: multiplies results by the chirp's spectrum; inverse follows
#define ONEPASS_FOURIER_OPERATE 8u   // applies the operation to the spectrum; the inverse follows
#define ONEPASS_FOURIER_REJOIN 16u   // combines pairs of real signals while loading

struct FourierParams {
  uint row_stride;    // of a source or target buffer, texels
  uint image_stride;  // slice stride of that buffer, texels
  uint before;        // four-step, ping-pong: product of the radices of all earlier passes
  float threshold;    // this and the next two: onepass/bloom.hpp
  float knee;
  float scatter;
};

#if defined(__cplusplus) && !defined(ONEPASS_CUDA)
static_assert(sizeof(FourierParams) == 24 && offsetof(FourierParams, scatter) == 20,
              "must match the std430 layout in the shader");
}  // namespace onepass::fourier
#endif
#if !defined(__cplusplus) || defined(ONEPASS_CUDA)
#include "onepass/prelude_names_end.glsl"
#endif
#endif  // ONEPASS_FOURIER_PARAMS_H_
