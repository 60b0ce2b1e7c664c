// tile_reduction_cuda_params.h: the constants of the tile reduction's kernels in CUDA C++, one text for C++ and
// kernels.
#ifndef ONEPASS_TILE_REDUCTION_CUDA_PARAMS_H_
#define ONEPASS_TILE_REDUCTION_CUDA_PARAMS_H_

#include "cuda/image_params.h"

#define CUDA_TILE_GROUP_LOG2 8  // threads of a block

// The numbers of the specialised constants behind those of formats, in the order of TileConstants in cuda.cpp.
#define CONSTANT_REDUCTION 20
#define CONSTANT_SIDE_LOG2 21
#define CONSTANT_READS_LOG2 22
#define CONSTANT_PARTIAL 23

#endif  // ONEPASS_TILE_REDUCTION_CUDA_PARAMS_H_
