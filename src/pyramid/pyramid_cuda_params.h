// pyramid_cuda_params.h: the constants and parameters of the pyramid kernels in CUDA C++, one text for C++ and kernels.
#ifndef ONEPASS_PYRAMID_CUDA_PARAMS_H_
#define ONEPASS_PYRAMID_CUDA_PARAMS_H_

#include "cuda/image_params.h"

#define CUDA_PYRAMID_LEVELS 15  // a base of 65535 texels has so many coarser levels

// The numbers of the specialised constants (cuda/specialized.cuh), in the order of PyramidConstants in cuda.cpp.
#define CONSTANT_REDUCTION 0
#define CONSTANT_FOOTPRINT 1
#define CONSTANT_TEXEL_MODE 2
#define CONSTANT_SOURCE_CHANNELS 3
#define CONSTANT_TARGET_CHANNELS 4
#define CONSTANT_SOURCE_UNORM 5
#define CONSTANT_TARGET_KIND 6
#define CONSTANT_SOURCE_SRGB 7
#define CONSTANT_TARGET_SRGB 8
#define CONSTANT_SOURCE_STORAGE 9
#define CONSTANT_TARGET_STORAGE 10
#define CONSTANT_SOURCE_BYTES 11  // of a texel that one load reads; 0: channel by channel
#define CONSTANT_TARGET_BYTES 12
#define CONSTANT_SOURCE_STEP 13  // bytes from a texel to the next
#define CONSTANT_TARGET_STEP 14
#define CONSTANT_SOURCE_BLUE_FIRST 15
#define CONSTANT_TARGET_BLUE_FIRST 16
#define CONSTANT_SOURCE_SCALE 17    // float: factor of loaded values
#define CONSTANT_SOURCE_ONE 18      // float: the loaded value of an alpha that is not stored
#define CONSTANT_TARGET_SCALE 19    // float: factor of values in UNORM targets
#define CONSTANT_TARGET_DIVISOR 20  // float: divisor of values in targets of floats
#define CONSTANT_TARGET_INVERSE 21  // float: 1 / divisor
#define CONSTANT_TARGET_MOST 22     // float: largest integer of the target
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
