// vulkan_step.hpp: steps: small kernels that run before, between or after transforms.
#pragma once

#include <string>

#include "fourier/vulkan_impl.hpp"

namespace onepass::vulkan {

using Step = std::shared_ptr<const ComputeKernel>;

/// The kernel of a step and its bindings: sampled images at 0 and 1, a storage image at 2, storage buffers from 3 on.
struct StepRequest {
  const KernelSet& set = kFourierKernels;
  std::string kernel;
  std::vector<uint32_t> constants;  ///< Specialization constants with ids 0, 1, 2...
  uint32_t sampled = 0;
  bool stored = false;
  uint32_t buffers = 0;
  uint32_t params_bytes = 0;
};

/// An image that a step reads.
struct SampledView {
  VkImageView view = VK_NULL_HANDLE;
  VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL;
};

/// Resources of a step, in the order of its bindings. Bindings without a resource get the first buffer: a kernel of
/// several steps has the bindings of all.
struct StepResources {
  std::vector<SampledView> sampled;
  VkImageView stored = VK_NULL_HANDLE;
  std::vector<VkDescriptorBufferInfo> buffers;
};

/// Workgroups for `items`, in one or two dimensions: devices support at least 65535 of each.
[[nodiscard]] GroupCounts groups_for(uint64_t items, uint32_t per_group);

/// Workgroups of src/fourier/fourier_texels.comp.
[[nodiscard]] GroupCounts groups_for_texels(Extent size, uint32_t slices);

/// Sets `step` to the kernel, which the batch compiles. Errors: kUnsupported, kOutOfMemory, kDevice.
Result<void> find_step(KernelBatch& batch, const StepRequest& request, Step& step);

/// Sets `set` to a new descriptor set of the step. Errors: kOutOfMemory, kDevice.
Result<void> add_step_set(BindingObjects& objects, const Step& step, const StepResources& resources,
                          VkDescriptorSet& set);

}  // namespace onepass::vulkan
