// vulkan_step.cpp: finds the kernels of steps and writes their descriptor sets, with binding numbers that are the same
// in all of them. Dispatches of more than 32768 workgroups continue along y.
#include "fourier/vulkan_step.hpp"

#include <algorithm>

#include "image/div_up.hpp"

namespace onepass::vulkan {
namespace {

constexpr uint32_t kStoredBinding = 2;
constexpr uint32_t kFirstBuffer = 3;
constexpr uint32_t kMostGroups = 32768;  // along x

}  // namespace

GroupCounts groups_for(uint64_t items, uint32_t per_group) {
  const uint64_t groups = std::max<uint64_t>(1, div_up(items, per_group));
  const auto x = static_cast<uint32_t>(std::min<uint64_t>(groups, kMostGroups));
  return {x, static_cast<uint32_t>(div_up(groups, x)), 1};
}

GroupCounts groups_for_texels(Extent size, uint32_t slices) {
  return {div_up(size.width, 64), div_up(size.height, 4), slices};
}

Result<void> find_step(KernelBatch& batch, const StepRequest& request, Step& step) {
  std::vector<KernelBinding> bindings;
  for (uint32_t i = 0; i < request.sampled; ++i) bindings.push_back({i, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER});
  if (request.stored) bindings.push_back({kStoredBinding, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE});
  for (uint32_t i = 0; i < request.buffers; ++i) bindings.push_back({kFirstBuffer + i});
  auto kernel = batch.find({.set = request.set,
                            .kernel = request.kernel,
                            .constants = request.constants,
                            .bindings = bindings,
                            .params_bytes = request.params_bytes});
  if (!kernel) return kernel.error();
  step = std::move(*kernel);
  return {};
}

Result<void> add_step_set(BindingObjects& objects, const Step& step, const StepResources& resources,
                          VkDescriptorSet& set) {
  std::vector<Resource> bound = {{kStoredBinding, resources.stored}};
  for (uint32_t i = 0; i < resources.sampled.size(); ++i) {
    bound.emplace_back(i, resources.sampled[i].view, resources.sampled[i].layout);
  }
  for (uint32_t i = 0; i < resources.buffers.size(); ++i) bound.emplace_back(kFirstBuffer + i, resources.buffers[i]);
  return objects.add_set(*step, bound, set);
}

}  // namespace onepass::vulkan
