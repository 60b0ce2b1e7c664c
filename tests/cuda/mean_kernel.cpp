// mean_kernel.cpp: mean.cu on the host.
#include "tests/cuda/mean.cu"

// Behind the kernel, whose types it needs.
#include "tests/cuda/host_kernel.hpp"

namespace onepass::testing {
namespace {

Mean parameters_of(const Launch& launch) {
  Mean out{};
  out.pc = constants_of<PyramidParams>(launch);
  const size_t levels = launch.pointers.size() - 3;
  out.source = static_cast<const onepass_float4*>(launch.pointers[0]);
  for (size_t i = 0; i < levels; ++i) out.levels[i] = static_cast<onepass_float4*>(launch.pointers[1 + i]);
  out.counters = static_cast<uint*>(launch.pointers[levels + 1]);
  out.kept = {static_cast<float*>(launch.pointers[levels + 2])};
  return out;
}

}  // namespace

CudaKernel mean_kernel() { return host_kernel("mean", parameters_of, ::mean); }

}  // namespace onepass::testing
