// tile_reduction_64_kernel.cpp: samples/shaders/tile_reduction.cu on the host, with tiles of 64x64 texels, which more
// invocations share than a subgroup has.
#define ONEPASS_TILE_STRATEGY 2  // ONEPASS_TILE_TREE
#define ONEPASS_TILE_SIDE_LOG2 5u
#define ONEPASS_TILE_READS_LOG2 2u
#define TileReduction TileReduction64
#define tile_reduction tile_reduction_64
#include "samples/shaders/tile_reduction.cu"
#include "tests/cuda/host_kernel.hpp"

namespace onepass::testing {
namespace {

TileReduction64 parameters_of(const Launch& launch) {
  TileReduction64 out{};
  out.pc = constants_of<TileReductionParams>(launch);
  out.source = static_cast<const float*>(launch.pointers[0]);
  out.target = static_cast<float*>(launch.pointers[1]);
  return out;
}

}  // namespace

CudaKernel tile_reduction_64_kernel() { return host_kernel("tile_reduction_64", parameters_of, ::tile_reduction_64); }

}  // namespace onepass::testing
