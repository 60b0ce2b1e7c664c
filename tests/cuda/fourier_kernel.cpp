// fourier_kernel.cpp: samples/shaders/fourier.cu on the host.
#include "samples/shaders/fourier.cu"
#include "tests/cuda/host_kernel.hpp"

namespace onepass::testing {
namespace {

Fourier parameters_of(const Launch& launch) {
  Fourier out{};
  out.values = static_cast<onepass_float2*>(launch.pointers[0]);
  out.table = static_cast<const onepass_float2*>(launch.pointers[1]);
  out.count = launch.numbers[0];
  return out;
}

}  // namespace

CudaKernel fourier_kernel() { return host_kernel("fourier", parameters_of, ::fourier); }

}  // namespace onepass::testing
