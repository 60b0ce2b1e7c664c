// depth_query.cu: tests many rectangles on the screen for occlusion, in CUDA C++. docs/shaders/cuda.md
#define ONEPASS_CUDA 1
#include "onepass/prelude.glsl"

#define ONEPASS_LOAD_FARTHEST(level, cell) onepass_load(level, cell)

ONEPASS_DEVICE_BEGIN

struct DepthQuery {
  struct Rect {
    onepass_float4 rect;  // begin in xy, end in zw
    float nearest;        // depth
    float unused[3];
  };
  onepass_uint2 size;
  uint count;
  const float* levels[16];  // farthest depths, level 0 included; rows without gaps
  const Rect* rects;
  uint* hidden;

  float onepass_load(uint level, onepass_uint2 cell) {
    return levels[level][cell.y * onepass_level_size(size.x, level) + cell.x];
  }
#include "onepass/depth_query.glsl"

  void run(uint i) {
    if (i >= count) return;
    OnepassDepthPyramid pyramid = onepass_full_depth_pyramid(size, ONEPASS_COVERING, false);
    hidden[i] = onepass_rect_occluded(pyramid, rects[i].rect, rects[i].nearest) ? 1u : 0u;
  }
};

ONEPASS_DEVICE_END

ONEPASS_KERNEL depth_query(DepthQuery kernel) {
  kernel.run(onepass_group_index().x * 64u + onepass_invocation_index());
}
