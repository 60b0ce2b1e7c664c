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

// Bindings of mip filters, with kSource and kLevels, which is the image of one level.
enum FilterBindingIndex : uint32_t { kFilterTable = 2, kFilterSums = 3, kFilterKept = 4 };

/// The kernels of a mip filter other than the box, and the table of its weights.
struct FilterKernels {
  std::shared_ptr<const ComputeKernel> steps[3];  // by FILTER_ step; null: no dispatch has it
  Buffer table;
};

// Values of the MODE_ macros in pyramid_codec.glsl.
enum TexelMode : uint32_t { kModePlain = 0, kModeWeightedAlpha = 1, kModeNormalMap = 2, kModeCoverage = 3 };

struct ONEPASS_INTERNAL Pyramid::Impl {
  Device device;
  pyramid::DispatchLayout layout;
  SourceUsage source_usage = SourceUsage::kSampled;
  PyramidKernels kernels;
  FilterKernels filter;  // instead of these where the layout has a filter

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

/// Refuses tunings that mip filters other than the box have not. Errors: kUnsupported, naming the field.
Result<void> check_filter_tuning(const PyramidOptions& options, const PyramidTuning& tuning);

/// Creates kernels and table of a pyramid whose layout has a filter. Errors: those of Pyramid::create().
Result<void> create_filter(const Device& device, Pyramid::Impl& out);

/// Records its dispatches.
void record_filter(const Pyramid::Impl& self, VkCommandBuffer commands, const PyramidBinding::Impl& binding);

}  // namespace onepass::vulkan
