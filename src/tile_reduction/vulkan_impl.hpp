// vulkan_impl.hpp: private members of vulkan::TileReduction and vulkan::TileReductionBinding.
#pragma once

#include "onepass/tile_reduction_params.h"
#include "onepass/vulkan/tile_reduction.hpp"
#include "vulkan/compute_pipeline.hpp"

namespace onepass::vulkan {

struct ONEPASS_INTERNAL TileReduction::Impl {
  Device device;
  TileReductionOptions options;
  TileReductionDispatchPlan plan;
  tile_reduction::TileReductionParams params{};
  std::shared_ptr<const ComputeKernel> pipeline;  // shared by tile reductions that differ in size only

  explicit Impl(const Device& d) : device(d) {}
};

struct ONEPASS_INTERNAL TileReductionBinding::Impl {
  std::shared_ptr<const TileReduction::Impl> tiles;  // keeps the device and layouts alive
  VkImageView source = VK_NULL_HANDLE;
  VkImageView target = VK_NULL_HANDLE;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();
};

}  // namespace onepass::vulkan
