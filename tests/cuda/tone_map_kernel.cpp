// tone_map_kernel.cpp: samples/shaders/tone_map.cu on the host.
#include "samples/shaders/tone_map.cu"
#include "tests/cuda/host_kernel.hpp"

namespace onepass::testing {
namespace {

ToneMap parameters_of(const Launch& launch) {
  ToneMap out{};
  out.size = onepass_uint2(launch.numbers[0], launch.numbers[1]);
  out.source = static_cast<const onepass_float4*>(launch.pointers[0]);
  out.target = static_cast<onepass_float4*>(launch.pointers[1]);
  out.program = static_cast<const ToneMapProgram*>(launch.pointers[2]);
  out.cubics = static_cast<const onepass_float4*>(launch.pointers[3]);
  out.metered = static_cast<const LuminanceResult*>(launch.pointers[4]);
  return out;
}

}  // namespace

CudaKernel tone_map_kernel() { return host_kernel("tone_map", parameters_of, ::tone_map); }

}  // namespace onepass::testing
