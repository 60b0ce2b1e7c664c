// fourier_params.h: the constants of the transform kernels, for C++ and GLSL alike.
#ifndef ONEPASS_FOURIER_PARAMS_H_
#define ONEPASS_FOURIER_PARAMS_H_

#ifdef __cplusplus
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

// What the complex numbers of a line are made of.
#define ONEPASS_FOURIER_COMPLEX 0   // complex signals, as they are
#define ONEPASS_FOURIER_CHANNELS 1  // two real channels: red + i green, blue + i alpha
#define ONEPASS_FOURIER_ROWS 2      // one real channel: row r + i row (r + half of the rows)

#define ONEPASS_FOURIER_MOST_PASSES 5

// What a pass between two buffers, of four-step or ping-pong, does beside its butterflies.
#define ONEPASS_FOURIER_FIRST 1u     // values come from where the stage reads
#define ONEPASS_FOURIER_LAST 2u      // and go to where it writes
#define ONEPASS_FOURIER_CONVOLVE 4u  // Bluestein: results are multiplied by the chirp's spectrum; the way back follows
#define ONEPASS_FOURIER_OPERATE 8u   // results are operated on as a spectrum; the way back follows
#define ONEPASS_FOURIER_REJOIN 16u   // pairs of real signals are put together as they come in

struct FourierParams {
  uint2 size;         // of the domain
  uint2 crop_at;      // the part of the image that enters it
  uint2 crop_size;
  int2 placement;     // of the crop in the domain
  uint2 result_at;    // the part of the domain that leaves
  uint2 result_size;
  uint2 seen_rows;    // of the crop, first and one past the last: the others do not enter the domain
  uint2 shift;        // frequency (kx, ky) lies at position (kx + shift.x, ky + shift.y), modulo the size
  uint2 stride;       // of kx and of ky in the spectrum, elements
  uint slice_stride;  // of the spectrum, elements
  uint lines;         // of a slice
  uint row_stride;    // of a source or target buffer, texels
  uint image_stride;  // of its slices, texels
  float scale;        // results are multiplied by it
  uint before;        // four-step, ping-pong: product of the radices of the passes before this one
};

#ifdef __cplusplus
static_assert(sizeof(FourierParams) == 96 && offsetof(FourierParams, scale) == 88,
              "must match the std430 layout in the shader");
}  // namespace onepass::fourier
#endif
#endif  // ONEPASS_FOURIER_PARAMS_H_
