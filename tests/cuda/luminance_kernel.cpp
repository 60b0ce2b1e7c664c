// luminance_kernel.cpp: samples/shaders/luminance.cu on the host.
#include "samples/shaders/luminance.cu"
#include "tests/cuda/host_kernel.hpp"

namespace onepass::testing {
namespace {

Luminance parameters_of(const Launch& launch) {
  Luminance out{};
  out.pc = constants_of<LuminanceParams>(launch);
  out.source = static_cast<const onepass_float4*>(launch.pointers[0]);
  out.width = launch.numbers[0];
  out.onepass_words = static_cast<uint*>(launch.pointers[1]);
  out.onepass_results = static_cast<LuminanceResult*>(launch.pointers[2]);
  return out;
}

}  // namespace

CudaKernel luminance_kernel() { return host_kernel("luminance", parameters_of, ::luminance); }

}  // namespace onepass::testing
