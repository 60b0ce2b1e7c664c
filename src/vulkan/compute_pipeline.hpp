// compute_pipeline.hpp: pipelines of embedded kernels, and the samplers they read with.
#pragma once

#include <cstddef>
#include <memory>
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

/// A pipeline with what it is bound by: one descriptor set, push constants, and a sampler that takes single texels.
struct ComputeKernel {
  const Device::Impl* device = nullptr;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkPipelineLayout pipeline_layout = VK_NULL_HANDLE;
  VkSampler sampler = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;

  ComputeKernel() = default;
  ComputeKernel(const ComputeKernel&) = delete;
  ComputeKernel& operator=(const ComputeKernel&) = delete;
  ~ComputeKernel();
};

struct KernelBinding {
  uint32_t index = 0;
  VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
};

struct ComputeKernelRequest {
  std::string kernel;                       ///< As in kernels.hpp.
  std::span<const uint32_t> constants;      ///< As in ComputePipelineRequest.
  std::span<const KernelBinding> bindings;  ///< One descriptor each.
  uint32_t params_bytes = 0;                ///< Of push constants.
  bool full_subgroups = false;
};

/// Kernels with the same bindings and params_bytes can take each other's descriptor sets.
/// Errors: as create_compute_pipeline.
Result<std::shared_ptr<ComputeKernel>> create_compute_kernel(const Device::Impl& device,
                                                             const ComputeKernelRequest& request);

/// Workgroups of a dispatch.
struct GroupCounts {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;
};

/// Binds everything and dispatches. `params` are the bytes that the request said.
void record_kernel(const ComputeKernel& kernel, VkCommandBuffer commands, VkDescriptorSet set,
                   std::span<const std::byte> params, const GroupCounts& groups);

}  // namespace onepass::vulkan
