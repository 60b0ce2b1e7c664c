// compute_pipeline.hpp: pipelines of embedded kernels, and the samplers they read with.
#pragma once

#include <span>
#include <string>

#include "vulkan/device_impl.hpp"

namespace onepass::vulkan {

struct ComputePipelineRequest {
  VkPipelineLayout layout = VK_NULL_HANDLE;
  std::string kernel;                   ///< As in kernels.hpp.
  std::span<const uint32_t> constants;  ///< Specialization constants with ids 0, 1, 2...; four bytes each.
  bool full_subgroups = false;          ///< Asked for where the device can.
};

/// Errors: kUnsupported if there is no such kernel; kOutOfMemory, kDevice.
Result<VkPipeline> create_compute_pipeline(const Device::Impl& device, const ComputePipelineRequest& request);

/// A sampler that clamps to the edge. Errors: kOutOfMemory, kDevice.
Result<VkSampler> create_sampler(const Device::Impl& device, VkFilter filter);

}  // namespace onepass::vulkan
