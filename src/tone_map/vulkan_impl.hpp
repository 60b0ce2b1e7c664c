// vulkan_impl.hpp: the insides of vulkan::ToneMap and vulkan::ToneMapBinding.
#pragma once

#include "onepass/tone_map_params.h"
#include "onepass/vulkan/tone_map.hpp"
#include "vulkan/device_impl.hpp"

namespace onepass::vulkan {

/// A pipeline and its layout: shared by all tone maps of a device that differ in numbers only.
struct TonePipeline {
  const Device::Impl* device = nullptr;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkPipelineLayout pipeline_layout = VK_NULL_HANDLE;
  VkSampler sampler = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;

  TonePipeline() = default;
  TonePipeline(const TonePipeline&) = delete;
  TonePipeline& operator=(const TonePipeline&) = delete;
  ~TonePipeline();
};

struct ToneMap::Impl {
  Device device;
  ToneMapOptions options;
  ToneMapDispatchPlan plan;
  Buffer program;  // a ToneMapProgram, then, from kCubicsOffset on, cubics
  std::shared_ptr<const TonePipeline> pipeline;

  explicit Impl(const Device& d) : device(d) {}
};

struct ToneMapBinding::Impl {
  std::shared_ptr<const ToneMap::Impl> map;  // keeps the device and layouts alive
  VkImageView source = VK_NULL_HANDLE;
  VkImageView target = VK_NULL_HANDLE;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
  uint32_t exposure_index = 0;
  uint32_t exposure_step = 0;

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();
};

}  // namespace onepass::vulkan
