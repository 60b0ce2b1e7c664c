// pyramid_kernel.cpp: samples/shaders/pyramid.cu on the host.
#include "samples/shaders/pyramid.cu"
#include "tests/cuda/host_kernel.hpp"

namespace onepass::testing {
namespace {

DepthPyramid parameters_of(const Launch& launch) {
  DepthPyramid out{};
  out.pc = constants_of<PyramidParams>(launch);
  const size_t levels = launch.numbers.size() - 1;
  out.source = {static_cast<float*>(launch.pointers[0]), launch.numbers[0]};
  for (size_t i = 0; i < levels; ++i) {
    out.levels[i] = {static_cast<float*>(launch.pointers[1 + i]), launch.numbers[1 + i]};
  }
  out.counters = static_cast<uint*>(launch.pointers[levels + 1]);
  out.kept = static_cast<float*>(launch.pointers[levels + 2]);
  return out;
}

}  // namespace

CudaKernel pyramid_kernel() { return host_kernel("pyramid", parameters_of, ::pyramid); }

}  // namespace onepass::testing
