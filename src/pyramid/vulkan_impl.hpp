// vulkan_impl.hpp: private members of vulkan::Pyramid and vulkan::PyramidBinding.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "onepass/vulkan/pyramid.hpp"
#include "pyramid/dispatch_plan.hpp"
#include "vulkan/device_impl.hpp"

namespace onepass::vulkan {

inline constexpr uint32_t kLevelImages = 15;  // size of levels[] in pyramid.comp: a base of 65535 has 15 coarser levels

// Bindings of the descriptor set; kHistogram only with Alpha::kCoverage.
enum BindingIndex : uint32_t { kSource = 0, kLevels = 1, kCounters = 2, kIntermediate = 3, kHistogram = 4 };

/// Pipelines and their layouts: shared by all pyramids of a device that have the same stages and differ in size only.
struct PyramidPipelines {
  const Device::Impl* device = nullptr;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkPipelineLayout pipeline_layout = VK_NULL_HANDLE;
  VkSampler sampler = VK_NULL_HANDLE;
  VkPipeline chain = VK_NULL_HANDLE;
  VkPipeline coverage_count = VK_NULL_HANDLE;
  VkPipeline coverage_scale = VK_NULL_HANDLE;

  // Created when the first update is recorded: most pyramids record none.
  std::function<VkPipeline()> create_update;
  mutable std::once_flag update_once;
  mutable VkPipeline lazy_update = VK_NULL_HANDLE;

  PyramidPipelines() = default;
  PyramidPipelines(const PyramidPipelines&) = delete;
  PyramidPipelines& operator=(const PyramidPipelines&) = delete;
  ~PyramidPipelines();

  /// The chain's pipeline that stores only texels affected by a region; null if the device could not create it.
  [[nodiscard]] VkPipeline update() const;
};

struct ONEPASS_INTERNAL Pyramid::Impl {
  Device device;
  pyramid::DispatchLayout layout;
  uint32_t images_per_set = kLevelImages;
  std::shared_ptr<const PyramidPipelines> pipelines;

  explicit Impl(const Device& d) : device(d) {}

  [[nodiscard]] bool coverage() const { return layout.options.alpha == Alpha::kCoverage; }
};

struct ONEPASS_INTERNAL PyramidBinding::Impl {
  std::shared_ptr<const Pyramid::Impl> pyramid;  // keeps the device and layouts alive
  Buffer owned_scratch;
  VkBuffer scratch = VK_NULL_HANDLE;
  VkDeviceSize scratch_offset = 0;
  VkImageView source = VK_NULL_HANDLE;
  std::vector<VkImageView> levels;  // level n at n - 1
  VkDescriptorPool pool = VK_NULL_HANDLE;
  std::vector<VkDescriptorSet> sets;  // one per dispatch of the chain

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();
};

}  // namespace onepass::vulkan
