// blocks_params.h: the push constants of src/blocks/blocks.comp, shared by C++ and GLSL.
#ifndef ONEPASS_BLOCKS_PARAMS_H_
#define ONEPASS_BLOCKS_PARAMS_H_

#ifdef __cplusplus
#include <cstdint>
namespace onepass::blocks {
using uint = uint32_t;
struct alignas(8) uint2 {
  uint x, y;
};
#endif

#define ONEPASS_BLOCKS_GROUP 8  // width and height of a workgroup in blocks

struct BlocksParams {
  uint2 size;  // of the first level, in texels
  uint levels;
  uint slices;
  float threshold;  // BC1 with alpha: 0 to 255
  uint group_row;   // workgroups of the dispatch in x
};

#ifdef __cplusplus
static_assert(sizeof(BlocksParams) == 24, "must match the std430 layout in the shader");
}  // namespace onepass::blocks
#endif
#endif  // ONEPASS_BLOCKS_PARAMS_H_
