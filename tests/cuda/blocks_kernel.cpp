// blocks_kernel.cpp: samples/shaders/blocks.cu on the host.
#include "samples/shaders/blocks.cu"
#include "tests/cuda/host_kernel.hpp"

namespace onepass::testing {
namespace {

Blocks parameters_of(const Launch& launch) {
  Blocks out{};
  out.size = onepass_uint2(launch.numbers[0], launch.numbers[1]);
  out.source = static_cast<const onepass_float4*>(launch.pointers[0]);
  out.blocks = static_cast<onepass_uint4*>(launch.pointers[1]);
  return out;
}

}  // namespace

CudaKernel blocks_kernel() { return host_kernel("blocks", parameters_of, ::blocks); }

}  // namespace onepass::testing
