// luminance_cuda_params.h: the constants of the meter's kernel in CUDA C++, one text for C++ and the kernel.
#ifndef ONEPASS_LUMINANCE_CUDA_PARAMS_H_
#define ONEPASS_LUMINANCE_CUDA_PARAMS_H_

#include "cuda/image_params.h"

// The numbers of the specialised constants behind those of formats, in the order of MeterConstants in cuda.cpp.
#define CONSTANT_BINS 20
#define CONSTANT_METERING 21
#define CONSTANT_STATISTIC 22
#define CONSTANT_MASK_STORAGE 23
#define CONSTANT_MASK_STEP 24    // bytes from a texel to the next
#define CONSTANT_MASK_OFFSET 25  // bytes from a texel to its first channel
#define CONSTANT_MASK_SCALE 26   // float: factor of loaded values
#define CONSTANT_MASK_SRGB 27

#endif  // ONEPASS_LUMINANCE_CUDA_PARAMS_H_
