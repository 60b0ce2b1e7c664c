// depth_query.hlsl: tests many rectangles on the screen for occlusion. docs/shaders/depth_query.md
struct Constants {
  uint width, height, count;
};
struct Rect {
  float4 rect;
  float nearest, a, b, c;
};  // begin in xy, end in zw; nearest depth; unused
[[vk::push_constant]] cbuffer Push { Constants pc; };
[[vk::binding(0)]] Texture2D<float4> hiz;  // farthest depths, level 0 included
[[vk::binding(1)]] StructuredBuffer<Rect> rects;
[[vk::binding(2)]] RWStructuredBuffer<uint> hidden;

#define ONEPASS_LOAD_FARTHEST(level, cell) hiz.Load(int3(cell, level)).r
#include "onepass/depth_query.hlsl"

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  uint i = id.x;
  if (i >= pc.count) return;
  OnepassDepthPyramid pyramid = onepass_full_depth_pyramid(uint2(pc.width, pc.height), ONEPASS_COVERING, false);
  hidden[i] = onepass_rect_occluded(pyramid, rects[i].rect, rects[i].nearest) ? 1u : 0u;
}
