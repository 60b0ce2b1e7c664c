// vulkan_step.cpp: pipelines, descriptor sets and dispatches of steps; see vulkan_step.hpp.
#include "fourier/vulkan_step.hpp"

#include <algorithm>

#include "vulkan/compute_pipeline.hpp"

namespace onepass::vulkan {
namespace {

constexpr uint32_t kStoredBinding = 2;
constexpr uint32_t kFirstBuffer = 3;
constexpr uint32_t kMostGroups = 32768;  // along x

Result<std::shared_ptr<ComputeKernel>> create_kernel(const Device::Impl& device, const StepRequest& request) {
  std::vector<KernelBinding> bindings;
  for (uint32_t i = 0; i < request.sampled; ++i) bindings.push_back({i, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER});
  if (request.stored) bindings.push_back({kStoredBinding, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE});
  for (uint32_t i = 0; i < request.buffers; ++i) bindings.push_back({kFirstBuffer + i});
  return create_compute_kernel(device, {.kernel = request.kernel,
                                        .constants = request.constants,
                                        .bindings = bindings,
                                        .params_bytes = request.params_bytes});
}

std::string key_of(const StepRequest& request) {
  std::string key = request.kernel;
  for (const uint32_t constant : request.constants) key += ' ' + std::to_string(constant);
  return key;
}

}  // namespace

FourierPool::~FourierPool() {
  if (device_ != nullptr) device_->functions.vkDestroyDescriptorPool(device_->handles.device, pool_, nullptr);
}

Result<FourierPool> FourierPool::create(const Device& device, uint32_t sets) {
  auto pool = create_fourier_pool(device.impl(), sets);
  if (!pool) return pool.error();
  FourierPool out;
  out.device_ = &device.impl();
  out.pool_ = *pool;
  return out;
}

GroupCounts groups_for(uint64_t items, uint32_t per_group) {
  const uint64_t groups = std::max<uint64_t>(1, (items + per_group - 1) / per_group);
  const auto x = static_cast<uint32_t>(std::min<uint64_t>(groups, kMostGroups));
  return {x, static_cast<uint32_t>((groups + x - 1) / x), 1};
}

GroupCounts groups_for_texels(Extent size, uint32_t slices) {
  return {(size.width + 63) / 64, (size.height + 3) / 4, slices};
}

Result<Step> Step::create(const Device& device, const StepRequest& request) {
  Step out(device);
  out.request_ = request;
  auto pipeline =
      device.impl().shared->get<ComputeKernel>(key_of(request), [&] { return create_kernel(device.impl(), request); });
  if (!pipeline) return pipeline.error();
  out.pipeline_ = std::move(*pipeline);
  return out;
}

Result<VkDescriptorSet> Step::create_set(VkDescriptorPool pool, const StepResources& resources) const {
  const Device::Impl& device = device_.impl();
  VkDescriptorSetAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = pool;
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &pipeline_->set_layout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  const VkResult result = device.functions.vkAllocateDescriptorSets(device.handles.device, &allocate, &set);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkAllocateDescriptorSets");

  VkDescriptorImageInfo sampled[2] = {};
  const VkDescriptorImageInfo stored{VK_NULL_HANDLE, resources.stored, VK_IMAGE_LAYOUT_GENERAL};
  std::vector<VkDescriptorBufferInfo> buffers(request_.buffers);
  std::vector<VkWriteDescriptorSet> writes;
  const auto write = [&](uint32_t binding, VkDescriptorType type) -> VkWriteDescriptorSet& {
    VkWriteDescriptorSet w{};
    w.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    w.dstSet = set;
    w.dstBinding = binding;
    w.descriptorCount = 1;
    w.descriptorType = type;
    return writes.emplace_back(w);
  };
  for (uint32_t i = 0; i < request_.sampled; ++i) {
    sampled[i] = {pipeline_->sampler, resources.sampled[i].view, resources.sampled[i].layout};
    write(i, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER).pImageInfo = &sampled[i];
  }
  if (request_.stored) write(kStoredBinding, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE).pImageInfo = &stored;
  for (uint32_t i = 0; i < request_.buffers; ++i) {
    const bool used = i < resources.buffers.size() && resources.buffers[i].buffer != VK_NULL_HANDLE;
    buffers[i] = used ? resources.buffers[i] : resources.buffers[0];
    write(kFirstBuffer + i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER).pBufferInfo = &buffers[i];
  }
  device.functions.vkUpdateDescriptorSets(device.handles.device, static_cast<uint32_t>(writes.size()), writes.data(), 0,
                                          nullptr);
  return set;
}

void Step::record(VkCommandBuffer commands, VkDescriptorSet set, const void* params, const GroupCounts& groups) const {
  record_kernel(*pipeline_, commands, set, {static_cast<const std::byte*>(params), request_.params_bytes}, groups);
}

}  // namespace onepass::vulkan
