// vulkan_impl.hpp: private members of vulkan::TileReduction and vulkan::TileReductionBinding.
#pragma once

#include "onepass/tile_reduction_params.h"
#include "onepass/vulkan/tile_reduction.hpp"
#include "vulkan/compute_kernel.hpp"

namespace onepass::vulkan {

struct ONEPASS_INTERNAL TileReduction::Impl {
  Device device;
  TileReductionOptions options;
  TileReductionDispatchPlan plan;
  SourceUsage source_usage = SourceUsage::kSampled;
  tile_reduction::TileReductionParams params{};
  std::shared_ptr<const ComputeKernel> kernel;  // shared by tile reductions that differ in size only

  explicit Impl(const Device& d) : device(d) {}
};

struct ONEPASS_INTERNAL TileReductionBinding::Impl {
  std::shared_ptr<const TileReduction::Impl> tiles;  // keeps the device and layouts alive
  BindingObjects objects;
  VkDescriptorSet set = VK_NULL_HANDLE;

  explicit Impl(std::shared_ptr<const TileReduction::Impl> t)
      : tiles(std::move(t)), objects(tiles->device.impl(), "tile_reduction") {}
};

}  // namespace onepass::vulkan
