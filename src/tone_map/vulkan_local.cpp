// vulkan_local.cpp: the Vulkan part of local exposure: buffers and descriptors of the grid, and the dispatch that makes
// it, with its barriers.
#include <cstring>
#include <string>

#include "tone_map/vulkan_impl.hpp"
#include "vulkan/host_image.hpp"

namespace onepass::vulkan {
namespace {

using tone_map::LocalGridParams;
using tone_map::LocalNode;
using tone_map::LocalPlan;

enum BindingIndex : uint32_t { kSource = 0, kCounters = 1, kRaw = 2, kNodes = 3, kBindings = 4 };

constexpr KernelBinding kKernelBindings[kBindings] = {
    {kSource, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}, {kCounters}, {kRaw}, {kNodes}};

uint64_t counter_bytes(const ToneMapOptions& options, const LocalPlan& plan) {
  return sizeof(uint32_t) * uint64_t{plan.columns} * plan.rows * options.slices;
}

uint64_t node_bytes(const ToneMapOptions& options, const LocalPlan& plan) {
  return sizeof(LocalNode) * plan.nodes() * options.slices;
}

Result<void> create_buffers(const ToneMap::Impl& map, LocalBinding& binding) {
  const Device::Impl& device = map.device.impl();
  const uint64_t counters = counter_bytes(map.options, map.local);
  // Host-visible: the host zeroes the counters once, and every dispatch leaves zeroes.
  auto buffer =
      Buffer::create(device, counters, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  if (!buffer) return buffer.error();
  binding.counters = std::move(*buffer);
  std::memset(binding.counters.mapped, 0, counters);
  for (Buffer* nodes : {&binding.raw, &binding.nodes}) {
    buffer = Buffer::create(device, node_bytes(map.options, map.local), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, false);
    if (!buffer) return buffer.error();
    *nodes = std::move(*buffer);
  }
  return {};
}

}  // namespace

Result<uint64_t> plan_local_scratch(const Device::Impl& device, const ToneMapOptions& options, const LocalPlan& plan) {
  const uint64_t nodes = node_bytes(options, plan);
  if (nodes > device.limits.maxStorageBufferRange || plan.nodes() * options.slices > UINT32_MAX) {
    return Error{ErrorCode::kUnsupported,
                 "local.region: the grid takes " + std::to_string(nodes) + " bytes, more than a buffer may have",
                 device.info.name};
  }
  return counter_bytes(options, plan) + 2 * nodes;
}

Result<std::shared_ptr<const ComputeKernel>> find_local_kernel(const Device::Impl& device,
                                                               const ToneMapOptions& options) {
  const uint32_t grey = format_info(options.source).channels < 3 ? VK_TRUE : VK_FALSE;
  return device.shared->get<ComputeKernel>(grey != 0 ? "local_exposure/grey" : "local_exposure", [&] {
    return create_compute_kernel(device, {.kernel = "local_exposure",
                                          .constants = {&grey, 1},
                                          .bindings = kKernelBindings,
                                          .params_bytes = sizeof(LocalGridParams)});
  });
}

Result<void> bind_local(const ToneMap::Impl& map, VkImageView source, VkImageLayout layout, LocalBinding& binding) {
  if (auto created = create_buffers(map, binding); !created) return created;
  const Device::Impl& device = map.device.impl();
  const DeviceFunctions& vk = device.functions;
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1},
                                        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kBindings - 1}};
  VkDescriptorPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.maxSets = 1;
  pool.poolSizeCount = static_cast<uint32_t>(std::size(sizes));
  pool.pPoolSizes = sizes;
  VkResult result = vk.vkCreateDescriptorPool(device.handles.device, &pool, nullptr, &binding.pool);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateDescriptorPool");
  VkDescriptorSetAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = binding.pool;
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &map.grid->set_layout;
  result = vk.vkAllocateDescriptorSets(device.handles.device, &allocate, &binding.set);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkAllocateDescriptorSets");
  const VkDescriptorImageInfo image{map.grid->sampler, source, layout};
  const VkDescriptorBufferInfo buffers[kBindings] = {{},
                                                     {binding.counters.buffer, 0, VK_WHOLE_SIZE},
                                                     {binding.raw.buffer, 0, VK_WHOLE_SIZE},
                                                     {binding.nodes.buffer, 0, VK_WHOLE_SIZE}};
  VkWriteDescriptorSet writes[kBindings] = {};
  for (uint32_t i = 0; i < kBindings; ++i) {
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = binding.set;
    writes[i].dstBinding = i;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = kKernelBindings[i].type;
    writes[i].pImageInfo = i == kSource ? &image : nullptr;
    writes[i].pBufferInfo = i == kSource ? nullptr : &buffers[i];
  }
  vk.vkUpdateDescriptorSets(device.handles.device, kBindings, writes, 0, nullptr);
  return {};
}

void record_local(const ToneMap::Impl& map, const LocalBinding& binding, VkCommandBuffer commands) {
  constexpr VkPipelineStageFlagBits kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  const Device::Impl& device = map.device.impl();
  const ToneMapOptions& options = map.options;
  const LocalPlan& plan = map.local;
  // Waits for an earlier use of this binding to read the grid and to leave zeroes in the counters.
  constexpr VkAccessFlags kBoth = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  record_memory_barrier(device, commands, kCompute, VK_ACCESS_SHADER_WRITE_BIT, kCompute, kBoth);
  const LocalGridParams params{options.size.width, options.size.height, plan.side, plan.columns, plan.rows};
  record_kernel(*map.grid, commands, binding.set, std::as_bytes(std::span(&params, 1)),
                {plan.columns, plan.rows, options.slices});
  record_memory_barrier(device, commands, kCompute, VK_ACCESS_SHADER_WRITE_BIT, kCompute, VK_ACCESS_SHADER_READ_BIT);
}

}  // namespace onepass::vulkan
