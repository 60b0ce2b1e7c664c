// kernel_limits.cpp: one table of needs and limits per check; the first exceeded limit gives the message. A combined
// image sampler counts as a sampler and as a sampled image, but as one resource.
#include "vulkan/kernel_limits.hpp"

#include <algorithm>
#include <initializer_list>

namespace onepass::vulkan {
namespace {

// Descriptors of a layout, as Vulkan counts them: a combined image sampler is a sampler and a sampled image, but one
// resource.
struct DescriptorCounts {
  uint32_t samplers = 0, sampled_images = 0, storage_images = 0, storage_buffers = 0, uniform_buffers = 0;
  uint32_t resources = 0;
};

DescriptorCounts count_descriptors(std::span<const KernelBinding> bindings) {
  DescriptorCounts counts;
  for (const KernelBinding& binding : bindings) {
    counts.resources += binding.count;
    switch (binding.type) {
      case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
        counts.samplers += binding.count;
        counts.sampled_images += binding.count;
        break;
      case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
        counts.storage_images += binding.count;
        break;
      case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
        counts.storage_buffers += binding.count;
        break;
      case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
        counts.uniform_buffers += binding.count;
        break;
      default:
        ONEPASS_ASSERT(false);
    }
  }
  return counts;
}

// A need and the limit of the device for it.
struct Check {
  uint32_t needed, limit;
  const char *what, *name;
};

std::string first_exceeded(std::initializer_list<Check> checks) {
  const auto* exceeded =
      std::find_if(checks.begin(), checks.end(), [](const Check& check) { return check.needed > check.limit; });
  if (exceeded == checks.end()) return {};
  return std::to_string(exceeded->needed) + " " + exceeded->what + ", but " + exceeded->name + " is " +
         std::to_string(exceeded->limit);
}

}  // namespace

std::string layout_limit_exceeded(const VkPhysicalDeviceLimits& limits, std::span<const KernelBinding> bindings,
                                  uint32_t params_bytes) {
  const DescriptorCounts counts = count_descriptors(bindings);
  return first_exceeded({
      {counts.samplers, limits.maxPerStageDescriptorSamplers, "samplers", "maxPerStageDescriptorSamplers"},
      {counts.samplers, limits.maxDescriptorSetSamplers, "samplers", "maxDescriptorSetSamplers"},
      {counts.sampled_images, limits.maxPerStageDescriptorSampledImages, "sampled images",
       "maxPerStageDescriptorSampledImages"},
      {counts.sampled_images, limits.maxDescriptorSetSampledImages, "sampled images", "maxDescriptorSetSampledImages"},
      {counts.storage_images, limits.maxPerStageDescriptorStorageImages, "storage images",
       "maxPerStageDescriptorStorageImages"},
      {counts.storage_images, limits.maxDescriptorSetStorageImages, "storage images", "maxDescriptorSetStorageImages"},
      {counts.storage_buffers, limits.maxPerStageDescriptorStorageBuffers, "storage buffers",
       "maxPerStageDescriptorStorageBuffers"},
      {counts.storage_buffers, limits.maxDescriptorSetStorageBuffers, "storage buffers",
       "maxDescriptorSetStorageBuffers"},
      {counts.uniform_buffers, limits.maxPerStageDescriptorUniformBuffers, "uniform buffers",
       "maxPerStageDescriptorUniformBuffers"},
      {counts.uniform_buffers, limits.maxDescriptorSetUniformBuffers, "uniform buffers",
       "maxDescriptorSetUniformBuffers"},
      {counts.resources, limits.maxPerStageResources, "resources", "maxPerStageResources"},
      {params_bytes, limits.maxPushConstantsSize, "bytes of push constants", "maxPushConstantsSize"},
  });
}

std::string needs_limit_exceeded(const VkPhysicalDeviceLimits& limits, const KernelNeeds& needs) {
  const auto [x, y, z] = needs.workgroup_size;
  return first_exceeded({
      {x * y * z, limits.maxComputeWorkGroupInvocations, "invocations in a workgroup",
       "maxComputeWorkGroupInvocations"},
      {x, limits.maxComputeWorkGroupSize[0], "invocations in x", "maxComputeWorkGroupSize[0]"},
      {y, limits.maxComputeWorkGroupSize[1], "invocations in y", "maxComputeWorkGroupSize[1]"},
      {z, limits.maxComputeWorkGroupSize[2], "invocations in z", "maxComputeWorkGroupSize[2]"},
      {needs.shared_bytes, limits.maxComputeSharedMemorySize, "bytes of shared memory", "maxComputeSharedMemorySize"},
  });
}

}  // namespace onepass::vulkan
