// vulkan_local.cpp: the Vulkan part of local exposure: buffers and descriptors of the grid, and the dispatch that makes
// it, with its barriers.
#include <string>

#include "tone_map/vulkan_impl.hpp"
#include "vulkan/barrier.hpp"

namespace onepass::vulkan {
namespace {

using tone_map::LocalGridParams;
using tone_map::LocalPlan;
using tone_map::LocalScratch;

enum BindingIndex : uint32_t { kSource, kCounters, kRaw, kNodes };

constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

}  // namespace

Result<uint64_t> plan_local_scratch(const Device::Impl& device, const ToneMapOptions& options, const LocalPlan& plan) {
  const LocalScratch scratch(plan, options.slices);
  const uint64_t nodes = scratch.node_bytes;
  if (nodes > device.limits.maxStorageBufferRange || plan.nodes() * options.slices > UINT32_MAX) {
    return unsupported(device,
                       "local.region: the grid takes " + std::to_string(nodes) + " bytes, more than a buffer may have");
  }
  return scratch.bytes;
}

Result<std::shared_ptr<const ComputeKernel>> find_local_kernel(KernelBatch& batch, const ToneMapOptions& options) {
  const uint32_t grey = format_info(options.source).channels < 3 ? VK_TRUE : VK_FALSE;
  constexpr KernelBinding kBindings[] = {
      {kSource, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}, {kCounters}, {kRaw}, {kNodes}};
  return batch.find({.set = kToneMapKernels,
                     .kernel = "local_exposure",
                     .constants = {&grey, 1},
                     .bindings = kBindings,
                     .params_bytes = sizeof(LocalGridParams)});
}

Result<void> bind_local(const ToneMap::Impl& map, const ToneMapImages& images, VkImageView source,
                        BindingObjects& objects, LocalBinding& binding) {
  const LocalScratch scratch(map.local, map.options.slices);
  VkBuffer grid = images.scratch;
  VkDeviceSize raw_at = images.scratch_offset + scratch.raw_at;
  if (grid != VK_NULL_HANDLE) {
    binding.counters = {grid, images.scratch_offset + scratch.counters_at, scratch.counter_bytes};
  } else {
    // Every dispatch leaves zeroes in the counters.
    binding.counters.range = scratch.counter_bytes;
    auto done = objects.add_buffer(scratch.counter_bytes, kUsage, binding.counters.buffer, binding.counters.offset,
                                   "counters", Content::kZero);
    if (done) done = objects.add_buffer(scratch.bytes - scratch.raw_at, kUsage, grid, raw_at, "grid");
    if (!done) return done;
  }
  const VkDescriptorBufferInfo raw{grid, raw_at, scratch.node_bytes};
  binding.nodes = {grid, raw_at + scratch.nodes_at - scratch.raw_at, scratch.node_bytes};
  return objects.add_set(
      *map.grid,
      {{kSource, source, images.source_layout}, {kCounters, binding.counters}, {kRaw, raw}, {kNodes, binding.nodes}},
      binding.set);
}

void record_local(const ToneMap::Impl& map, const LocalBinding& binding, VkCommandBuffer commands) {
  const Device::Impl& device = map.device.impl();
  const ToneMapOptions& options = map.options;
  const LocalPlan& plan = map.local;
  // Waits for an earlier use of this binding to read the grid and to leave zeroes in the counters.
  record_barrier(device, commands, {.before = kShaderWrites, .after = kShaderReads | kShaderWrites});
  const LocalGridParams params{options.size.width, options.size.height, plan.side, plan.columns, plan.rows};
  map.grid->record(commands, binding.set, params, {plan.columns, plan.rows, options.slices});
  record_barrier(device, commands, {.before = kShaderWrites, .after = kShaderReads});
}

}  // namespace onepass::vulkan
