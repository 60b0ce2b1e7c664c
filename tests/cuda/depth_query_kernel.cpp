// depth_query_kernel.cpp: samples/shaders/depth_query.cu on the host.
#include "samples/shaders/depth_query.cu"
#include "tests/cuda/host_kernel.hpp"

namespace onepass::testing {
namespace {

DepthQuery parameters_of(const Launch& launch) {
  DepthQuery out{};
  out.size = onepass_uint2(launch.numbers[0], launch.numbers[1]);
  out.count = launch.numbers[2];
  const size_t levels = launch.pointers.size() - 2;
  for (size_t i = 0; i < levels; ++i) out.levels[i] = static_cast<const float*>(launch.pointers[i]);
  out.rects = static_cast<const DepthQuery::Rect*>(launch.pointers[levels]);
  out.hidden = static_cast<uint*>(launch.pointers[levels + 1]);
  return out;
}

}  // namespace

CudaKernel depth_query_kernel() { return host_kernel("depth_query", parameters_of, ::depth_query); }

}  // namespace onepass::testing
