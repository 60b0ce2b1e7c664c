// vulkan_impl.hpp: private members of vulkan::BlockCompressor and vulkan::BlockBinding.
#pragma once

#include <vector>

#include "blocks/blocks_params.h"
#include "onepass/vulkan/blocks.hpp"
#include "vulkan/compute_kernel.hpp"

namespace onepass::vulkan {

struct ONEPASS_INTERNAL BlockCompressor::Impl {
  Device device;
  BlockCompressorOptions options;
  BlockCompressorPlan plan;
  Format view = Format::kUndefined;  // of the source: UNORM for stored values of sRGB
  GroupCounts groups;
  blocks::BlocksParams params{};
  std::shared_ptr<const ComputeKernel> kernel;

  explicit Impl(const Device& d) : device(d) {}
};

struct ONEPASS_INTERNAL BlockBinding::Impl {
  std::shared_ptr<const BlockCompressor::Impl> compressor;  // keeps the device and layouts alive
  BindingObjects objects;
  VkBuffer blocks = VK_NULL_HANDLE;
  VkImage target = VK_NULL_HANDLE;
  std::vector<VkBufferImageCopy> copies;  // one per level
  VkDescriptorSet set = VK_NULL_HANDLE;

  explicit Impl(std::shared_ptr<const BlockCompressor::Impl> c)
      : compressor(std::move(c)), objects(compressor->device.impl(), "blocks") {}
};

}  // namespace onepass::vulkan
