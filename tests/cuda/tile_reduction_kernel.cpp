// tile_reduction_kernel.cpp: samples/shaders/tile_reduction.cu on the host.
#include "samples/shaders/tile_reduction.cu"
#include "tests/cuda/host_kernel.hpp"

namespace onepass::testing {
namespace {

TileReduction parameters_of(const Launch& launch) {
  TileReduction out{};
  out.pc = constants_of<TileReductionParams>(launch);
  out.source = static_cast<const float*>(launch.pointers[0]);
  out.target = static_cast<float*>(launch.pointers[1]);
  return out;
}

}  // namespace

CudaKernel tile_reduction_kernel() { return host_kernel("tile_reduction", parameters_of, ::tile_reduction); }

}  // namespace onepass::testing
