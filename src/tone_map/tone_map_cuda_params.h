// tone_map_cuda_params.h: the constants of the tone map's kernel in CUDA C++, one text for C++ and the kernel.
#ifndef ONEPASS_TONE_MAP_CUDA_PARAMS_H_
#define ONEPASS_TONE_MAP_CUDA_PARAMS_H_

#include "cuda/image_params.h"

#define CUDA_TONE_WIDTH 32   // texels that a block maps in a row: those of a warp
#define CUDA_TONE_ROWS 8     // rows of a block, and warps
#define CUDA_TONE_TEXELS 4u  // of a thread, CUDA_TONE_ROWS rows apart, all loaded before the first one is mapped

// The numbers of the specialised constants behind those of formats, in the order of ToneConstants in cuda.cpp.
#define CONSTANT_MIX 20
#define CONSTANT_MATRIX_MASK 21
#define CONSTANT_CURVE_MASK 22
#define CONSTANT_ROOT_MASK 23
#define CONSTANT_FOOT_MASK 24
#define CONSTANT_SHIFTS 25
#define CONSTANT_CURVE_COUNT 26
#define CONSTANT_KEEPS_HUE 27
#define CONSTANT_GUARD_RAIL 28
#define CONSTANT_OOTF_STAGE 29
#define CONSTANT_FINE 30
#define CONSTANT_DITHER 31
#define CONSTANT_LOCAL 32

#endif  // ONEPASS_TONE_MAP_CUDA_PARAMS_H_
