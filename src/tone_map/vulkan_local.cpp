// vulkan_local.cpp: the Vulkan part of local exposure: buffers and descriptors of the grid, and the dispatch that makes
// it, with its barriers.
#include <cstring>
#include <string>

#include "tone_map/vulkan_impl.hpp"
#include "vulkan/barrier.hpp"
#include "vulkan/debug_names.hpp"

namespace onepass::vulkan {
namespace {

using tone_map::LocalGridParams;
using tone_map::LocalNode;
using tone_map::LocalPlan;

enum BindingIndex : uint32_t { kSource, kCounters, kRaw, kNodes };

uint64_t counter_bytes(const ToneMapOptions& options, const LocalPlan& plan) {
  return sizeof(uint32_t) * uint64_t{plan.columns} * plan.rows * options.slices;
}

uint64_t node_bytes(const ToneMapOptions& options, const LocalPlan& plan) {
  return sizeof(LocalNode) * plan.nodes() * options.slices;
}

}  // namespace

Result<uint64_t> plan_local_scratch(const Device::Impl& device, const ToneMapOptions& options, const LocalPlan& plan) {
  const uint64_t nodes = node_bytes(options, plan);
  if (nodes > device.limits.maxStorageBufferRange || plan.nodes() * options.slices > UINT32_MAX) {
    return unsupported(device,
                       "local.region: the grid takes " + std::to_string(nodes) + " bytes, more than a buffer may have");
  }
  return counter_bytes(options, plan) + 2 * nodes;
}

Result<std::shared_ptr<const ComputeKernel>> find_local_kernel(const Device::Impl& device,
                                                               const ToneMapOptions& options) {
  const uint32_t grey = format_info(options.source).channels < 3 ? VK_TRUE : VK_FALSE;
  constexpr KernelBinding kBindings[] = {
      {kSource, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}, {kCounters}, {kRaw}, {kNodes}};
  return find_compute_kernel(device, {.kernel = "local_exposure",
                                      .constants = {&grey, 1},
                                      .bindings = kBindings,
                                      .params_bytes = sizeof(LocalGridParams)});
}

Result<void> bind_local(const ToneMap::Impl& map, VkImageView source, VkImageLayout layout, BindingObjects& objects,
                        LocalBinding& binding) {
  // Host-visible: the host zeroes the counters once, and every dispatch leaves zeroes.
  const uint64_t counters = counter_bytes(map.options, map.local);
  auto buffer = Buffer::create(map.device.impl(), counters, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true,
                               VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  if (!buffer) return buffer.error();
  binding.counters = std::move(*buffer);
  std::memset(binding.counters.mapped, 0, counters);
  name_object(map.device.impl(), VK_OBJECT_TYPE_BUFFER, binding.counters.buffer, "local_exposure", "counters");
  VkBuffer raw = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;
  Result<void> done;
  for (VkBuffer* nodes : {&raw, &binding.nodes}) {
    if (!done) return done;
    done = objects.add_buffer(node_bytes(map.options, map.local), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, *nodes, offset);
  }
  if (!done) return done;
  return objects.add_set(*map.grid,
                         {{kSource, source, layout},
                          {kCounters, {binding.counters.buffer, 0, VK_WHOLE_SIZE}},
                          {kRaw, {raw, 0, VK_WHOLE_SIZE}},
                          {kNodes, {binding.nodes, 0, VK_WHOLE_SIZE}}},
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
