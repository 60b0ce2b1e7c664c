// pyramid_cuda_params.h: the constants and parameters of the pyramid kernels in CUDA C++, one text for C++ and kernels.
#ifndef ONEPASS_PYRAMID_CUDA_PARAMS_H_
#define ONEPASS_PYRAMID_CUDA_PARAMS_H_

#include "cuda/image_params.h"

#define CUDA_PYRAMID_LEVELS 15  // a base of 65535 texels has so many coarser levels

// The numbers of the specialised constants (cuda/specialized.cuh) behind those of formats, in the order of
// PyramidConstants in cuda.cpp.
#define CONSTANT_REDUCTION 20
#define CONSTANT_FOOTPRINT 21
#define CONSTANT_TEXEL_MODE 22
#define CONSTANT_STAGE_COUNT 23
#define CONSTANT_STAGE_FIRSTS 24
#define CONSTANT_STAGE_DEPTHS 25
#define CONSTANT_STAGE_KINDS 26
#define CONSTANT_WINDOW_PAIRS 27
#define CONSTANT_STAGES 28
#define CONSTANT_BLOCK_SIZE 29
#define CONSTANT_BASE_REMAINDERS 30
#define CONSTANT_DELAY 31

#endif  // ONEPASS_PYRAMID_CUDA_PARAMS_H_
