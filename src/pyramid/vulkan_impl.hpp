// vulkan_impl.hpp: private members of vulkan::Pyramid and vulkan::PyramidBinding.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "onepass/vulkan/pyramid.hpp"
#include "pyramid/dispatch_plan.hpp"
#include "vulkan/compute_kernel.hpp"

namespace onepass::vulkan {

inline constexpr uint32_t kLevelImages = 15;  // size of levels[] in pyramid.comp: a base of 65535 has 15 coarser levels

// Bindings of the descriptor set; kHistogram only with Alpha::kCoverage.
enum BindingIndex : uint32_t { kSource = 0, kLevels = 1, kCounters = 2, kIntermediate = 3, kHistogram = 4 };

/// The kernels of a pyramid.
struct PyramidKernels {
  std::shared_ptr<const ComputeKernel> chain;  // of a build; of its first dispatch, if there are two
  std::shared_ptr<const ComputeKernel> later;  // of the second; null: there is none
  std::shared_ptr<const ComputeKernel> coverage_count;
  std::shared_ptr<const ComputeKernel> coverage_scale;

  // Created when the first update is recorded: most pyramids record none.
  std::function<Result<std::shared_ptr<const ComputeKernel>>()> create_update;
  mutable std::mutex update_mutex;  // of lazy_update
  mutable std::shared_ptr<const ComputeKernel> lazy_update;

  /// The chain's kernel that stores only texels affected by a region; null if the device could not create it, which the
  /// next call tries again.
  [[nodiscard]] const ComputeKernel* update() const;
};

struct ONEPASS_INTERNAL Pyramid::Impl {
  Device device;
  pyramid::DispatchLayout layout;
  SourceUsage source_usage = SourceUsage::kSampled;
  PyramidKernels kernels;

  explicit Impl(const Device& d) : device(d) {}

  [[nodiscard]] bool coverage() const { return layout.options.alpha == Alpha::kCoverage; }
};

struct ONEPASS_INTERNAL PyramidBinding::Impl {
  std::shared_ptr<const Pyramid::Impl> pyramid;  // keeps the device and layouts alive
  BindingObjects objects;
  VkDescriptorBufferInfo state{};     // scratch memory: counters and histogram
  VkDescriptorBufferInfo exchange{};  // scratch memory: intermediate levels and mailbox
  std::vector<VkDescriptorSet> sets;  // one per dispatch of the chain

  explicit Impl(std::shared_ptr<const Pyramid::Impl> p)
      : pyramid(std::move(p)), objects(pyramid->device.impl(), "pyramid") {}
};

}  // namespace onepass::vulkan
