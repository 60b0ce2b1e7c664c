// compute_pipeline.hpp: pipelines of embedded kernels, and their samplers.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "vulkan/device_impl.hpp"

namespace onepass::vulkan {

struct ComputePipelineRequest {
  VkPipelineLayout layout = VK_NULL_HANDLE;
  std::string kernel;                   ///< Name for find_kernel().
  std::span<const uint32_t> constants;  ///< Specialization constants with ids 0, 1, 2...; four bytes each.
  bool full_subgroups = false;          ///< Requires full subgroups if the device supports it.
};

/// Errors: kUnsupported if there is no such kernel; kOutOfMemory, kDevice.
Result<VkPipeline> create_compute_pipeline(const Device::Impl& device, const ComputePipelineRequest& request);

/// Creates a sampler that clamps to the edge. Errors: kOutOfMemory, kDevice.
Result<VkSampler> create_sampler(const Device::Impl& device, VkFilter filter);

/// A pipeline with its layouts: one descriptor set, push constants, and a nearest-texel sampler.
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
  std::string kernel;                       ///< Name for find_kernel().
  std::span<const uint32_t> constants;      ///< See ComputePipelineRequest.
  std::span<const KernelBinding> bindings;  ///< One descriptor per binding.
  uint32_t params_bytes = 0;                ///< Size of the push constants.
  bool full_subgroups = false;
};

/// Kernels with the same bindings and params_bytes have compatible descriptor sets.
/// Errors: those of create_compute_pipeline().
Result<std::shared_ptr<ComputeKernel>> create_compute_kernel(const Device::Impl& device,
                                                             const ComputeKernelRequest& request);

/// Workgroup counts of a dispatch.
struct GroupCounts {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;
};

/// Binds pipeline, descriptor set and push constants, and dispatches. `params` has the size params_bytes of the
/// request.
void record_kernel(const ComputeKernel& kernel, VkCommandBuffer commands, VkDescriptorSet set,
                   std::span<const std::byte> params, const GroupCounts& groups);

}  // namespace onepass::vulkan
