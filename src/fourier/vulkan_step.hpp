// vulkan_step.hpp: Step: a small kernel that runs before, between or after transforms: pipeline, descriptor set,
// dispatch.
#pragma once

#include <string>

#include "fourier/vulkan_impl.hpp"

namespace onepass::vulkan {

/// Owns a descriptor pool.
class FourierPool {
 public:
  FourierPool() = default;
  FourierPool(FourierPool&& other) noexcept { swap(other); }
  FourierPool& operator=(FourierPool&& other) noexcept {
    swap(other);
    return *this;
  }
  ~FourierPool();

  /// A pool for `sets` descriptor sets. Errors: kOutOfMemory, kDevice.
  static Result<FourierPool> create(const Device& device, uint32_t sets);
  [[nodiscard]] VkDescriptorPool handle() const { return pool_; }

 private:
  void swap(FourierPool& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(pool_, other.pool_);
  }
  const Device::Impl* device_ = nullptr;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
};

/// The kernel of a step and its bindings: sampled images at 0 and 1, a storage image at 2, storage buffers from 3 on.
struct StepRequest {
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

/// Resources of a step, in the order of its bindings. Null buffers are not used: the first one is bound instead.
struct StepResources {
  std::vector<SampledView> sampled;
  VkImageView stored = VK_NULL_HANDLE;
  std::vector<VkDescriptorBufferInfo> buffers;
};

/// Workgroups for `items`, in one or two dimensions: devices support at least 65535 of each.
[[nodiscard]] GroupCounts groups_for(uint64_t items, uint32_t per_group);

/// Workgroups of src/fourier/fourier_texels.comp.
[[nodiscard]] GroupCounts groups_for_texels(Extent size, uint32_t slices);

class Step {
 public:
  /// Errors: kUnsupported, kOutOfMemory, kDevice.
  static Result<Step> create(const Device& device, const StepRequest& request);

  Result<VkDescriptorSet> create_set(VkDescriptorPool pool, const StepResources& resources) const;

  /// Records one dispatch. `params` has StepRequest::params_bytes.
  void record(VkCommandBuffer commands, VkDescriptorSet set, const void* params, const GroupCounts& groups) const;

 private:
  explicit Step(const Device& device) : device_(device) {}

  Device device_;
  StepRequest request_;
  std::shared_ptr<const ComputeKernel> pipeline_;
};

}  // namespace onepass::vulkan
