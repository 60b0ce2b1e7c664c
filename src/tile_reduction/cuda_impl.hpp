// cuda_impl.hpp: private members of cuda::TileReduction and cuda::TileReductionBinding.
#pragma once

#include "cuda/images.hpp"
#include "cuda/kernel.hpp"
#include "onepass/cuda/tile_reduction.hpp"
#include "onepass/tile_reduction_params.h"

namespace onepass::cuda {

struct ONEPASS_INTERNAL TileReduction::Impl {
  Device device;
  TileReductionOptions options;  // the caller's
  TileReductionDispatchPlan plan;
  Stored source, target;
  tile_reduction::TileReductionParams params{};
  std::shared_ptr<const Kernel> kernel;  // shared by tile reductions that differ in size only

  explicit Impl(const Device& d) : device(d) {}
};

/// The parameter of the kernels: the struct of tile_reduction.cu.
struct TileReductionParameters {
  tile_reduction::TileReductionParams params;
  DeviceRows source;
  DeviceRows target;
};
static_assert(sizeof(TileReductionParameters) == 24 + 2 * 32);

struct ONEPASS_INTERNAL TileReductionBinding::Impl {
  std::shared_ptr<const TileReduction::Impl> tiles;  // keeps the device alive
  TileReductionParameters parameters{};

  explicit Impl(std::shared_ptr<const TileReduction::Impl> t) : tiles(std::move(t)) {}
};

}  // namespace onepass::cuda
