// kernel_limits.cpp: see kernel_limits.hpp.
#include "vulkan/kernel_limits.hpp"

#include <algorithm>

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

}  // namespace

std::string layout_limit_exceeded(const VkPhysicalDeviceLimits& limits, std::span<const KernelBinding> bindings,
                                  uint32_t params_bytes) {
  const DescriptorCounts counts = count_descriptors(bindings);
  const struct {
    uint32_t needed, limit;
    const char *what, *name;
  } checks[] = {
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
  };
  const auto* exceeded =
      std::find_if(std::begin(checks), std::end(checks), [](const auto& check) { return check.needed > check.limit; });
  if (exceeded == std::end(checks)) return {};
  return std::to_string(exceeded->needed) + " " + exceeded->what + ", but " + exceeded->name + " is " +
         std::to_string(exceeded->limit);
}

}  // namespace onepass::vulkan
