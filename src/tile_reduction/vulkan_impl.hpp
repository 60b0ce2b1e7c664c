// vulkan_impl.hpp: the insides of vulkan::TileReduction and vulkan::TileReductionBinding.
#pragma once

#include "onepass/tile_reduction_params.h"
#include "onepass/vulkan/tile_reduction.hpp"
#include "vulkan/device_impl.hpp"

namespace onepass::vulkan {

/// A pipeline and its layout: shared by all tile reductions of a device that differ in size only.
struct TilePipeline {
  const Device::Impl* device = nullptr;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkPipelineLayout pipeline_layout = VK_NULL_HANDLE;
  VkSampler sampler = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;

  TilePipeline() = default;
  TilePipeline(const TilePipeline&) = delete;
  TilePipeline& operator=(const TilePipeline&) = delete;
  ~TilePipeline();
};

struct TileReduction::Impl {
  Device device;
  TileReductionOptions options;
  TileReductionDispatchPlan plan;
  tile_reduction::TileReductionParams params{};
  std::shared_ptr<const TilePipeline> pipeline;

  explicit Impl(const Device& d) : device(d) {}
};

struct TileReductionBinding::Impl {
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
