// compute_kernel.cpp: checks the device's limits before it creates layouts, sampler and pipeline in this order, because
// drivers do not report exceeded limits. Equal requests share one kernel per device; every set has its own descriptor
// pool. Pipelines of one object are compiled at the same time.
#include "vulkan/compute_kernel.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "vulkan/debug_names.hpp"
#include "vulkan/kernels.hpp"
#include "vulkan/reconvergence.hpp"
#include "vulkan/run_together.hpp"

namespace onepass::vulkan {
namespace {

Error exceeds(const Device::Impl& device, const ComputeKernelRequest& request, const std::string& limit) {
  return unsupported(device, "kernel " + request.kernel + ": " + limit);
}

Result<void> create_sampler(const Device::Impl& device, VkFilter filter, ComputeKernel& out) {
  VkSamplerCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  info.magFilter = filter;
  info.minFilter = filter;
  info.mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST;
  info.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  info.addressModeV = info.addressModeU;
  info.addressModeW = info.addressModeU;
  const VkResult result =
      device.functions.vkCreateSampler(device.handles.device, &info, device.handles.allocation_callbacks, &out.sampler);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateSampler");
  return {};
}

Result<void> create_layouts(const Device::Impl& device, const ComputeKernelRequest& request, ComputeKernel& out) {
  const DeviceFunctions& vk = device.functions;
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (const KernelBinding& binding : request.bindings) {
    bindings.push_back({binding.index, binding.type, binding.count, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  }
  VkDescriptorSetLayoutCreateInfo set{};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = static_cast<uint32_t>(bindings.size());
  set.pBindings = bindings.data();
  VkResult result =
      vk.vkCreateDescriptorSetLayout(device.handles.device, &set, device.handles.allocation_callbacks, &out.set_layout);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateDescriptorSetLayout");
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, request.params_bytes};
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &out.set_layout;
  layout.pushConstantRangeCount = request.params_bytes != 0 ? 1 : 0;
  layout.pPushConstantRanges = &range;
  result = vk.vkCreatePipelineLayout(device.handles.device, &layout, device.handles.allocation_callbacks,
                                     &out.pipeline_layout);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreatePipelineLayout");
  return {};
}

// Everything that a kernel depends on.
std::string key_of(const ComputeKernelRequest& request) {
  std::string key = "kernel " + request.kernel;
  for (const uint32_t value :
       {request.params_bytes, static_cast<uint32_t>(request.filter), static_cast<uint32_t>(request.full_subgroups)}) {
    key += ' ' + std::to_string(value);
  }
  for (const KernelBinding& binding : request.bindings) {
    key +=
        ' ' + std::to_string(binding.index) + ':' + std::to_string(binding.type) + 'x' + std::to_string(binding.count);
  }
  const auto bytes = std::as_bytes(request.constants);
  return key.append(" ").append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// ---- Descriptors

bool is_image(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER || type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
}

// The resource of an element of a binding, or the last one of the binding; null if the binding has none.
const Resource* find_element(const KernelBinding& binding, uint32_t element, const std::vector<Resource>& resources) {
  const Resource* last = nullptr;
  for (const Resource& resource : resources) {
    const bool given =
        is_image(binding.type) ? resource.view != VK_NULL_HANDLE : resource.buffer.buffer != VK_NULL_HANDLE;
    if (!given || resource.index != binding.index) continue;
    last = &resource;
    if (element-- == 0) break;
  }
  return last;
}

// A binding without a resource gets another one of its type, because every descriptor of a set must be valid.
const Resource& find_resource(const ComputeKernel& kernel, const KernelBinding& binding, uint32_t element,
                              const std::vector<Resource>& resources) {
  const Resource* found = find_element(binding, element, resources);
  for (const KernelBinding& other : kernel.bindings) {
    if (found == nullptr && other.type == binding.type) found = find_element(other, 0, resources);
  }
  ONEPASS_ASSERT(found != nullptr);
  return *found;
}

void write_set(const ComputeKernel& kernel, const std::vector<Resource>& resources, VkDescriptorSet set) {
  size_t elements = 0;
  for (const KernelBinding& binding : kernel.bindings) elements += binding.count;
  std::vector<VkDescriptorImageInfo> images;
  std::vector<VkDescriptorBufferInfo> buffers;
  images.reserve(elements);  // the writes point to their elements
  buffers.reserve(elements);
  std::vector<VkWriteDescriptorSet> writes;
  for (const KernelBinding& binding : kernel.bindings) {
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set;
    write.dstBinding = binding.index;
    write.descriptorCount = binding.count;
    write.descriptorType = binding.type;
    write.pImageInfo = images.data() + images.size();
    write.pBufferInfo = buffers.data() + buffers.size();
    for (uint32_t i = 0; i < binding.count; ++i) {
      const Resource& resource = find_resource(kernel, binding, i, resources);
      if (is_image(binding.type)) {
        images.push_back({kernel.sampler, resource.view, resource.layout});
      } else {
        buffers.push_back(resource.buffer);
      }
    }
    writes.push_back(write);
  }
  kernel.device->functions.vkUpdateDescriptorSets(kernel.device->handles.device, static_cast<uint32_t>(writes.size()),
                                                  writes.data(), 0, nullptr);
}

}  // namespace

ComputeKernel::~ComputeKernel() {
  if (device == nullptr) return;
  const DeviceFunctions& vk = device->functions;
  VkDevice handle = device->handles.device;
  vk.vkDestroyPipeline(handle, pipeline_, device->handles.allocation_callbacks);
  vk.vkDestroyPipelineLayout(handle, pipeline_layout, device->handles.allocation_callbacks);
  vk.vkDestroyDescriptorSetLayout(handle, set_layout, device->handles.allocation_callbacks);
  vk.vkDestroySampler(handle, sampler, device->handles.allocation_callbacks);
}

Result<std::shared_ptr<ComputeKernel>> create_compute_kernel(const Device::Impl& device,
                                                             const ComputeKernelRequest& request) {
  std::string exceeded = layout_limit_exceeded(device.limits, request.bindings, request.params_bytes);
  if (!exceeded.empty()) return exceeds(device, request, exceeded);
  auto code = find_kernel(request.set, request.kernel);
  if (!code) return unsupported(device, "no kernel " + request.kernel);
  exceeded = needs_limit_exceeded(device.limits, kernel_needs(*code, request.constants));
  if (!exceeded.empty()) return exceeds(device, request, exceeded);
  auto out = std::make_shared<ComputeKernel>();
  out->device = &device;
  out->name = request.kernel;
  out->bindings.assign(request.bindings.begin(), request.bindings.end());
  out->params_bytes = request.params_bytes;
  out->constants_.assign(request.constants.begin(), request.constants.end());
  out->full_subgroups_ = request.full_subgroups;
  const bool samples = std::any_of(request.bindings.begin(), request.bindings.end(), [](const KernelBinding& binding) {
    return binding.type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  });
  auto done = create_layouts(device, request, *out);
  if (done && samples) done = create_sampler(device, request.filter, *out);
  if (!done) return done.error();
  out->code_ = declare_reconvergence(std::move(*code), reconvergence_of(device.handles.features));
  name_object(device, VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, out->set_layout, out->name, "set layout");
  name_object(device, VK_OBJECT_TYPE_PIPELINE_LAYOUT, out->pipeline_layout, out->name, "pipeline layout");
  name_object(device, VK_OBJECT_TYPE_SAMPLER, out->sampler, out->name, "sampler");
  return out;
}

bool ComputeKernel::is_compiled() const {
  const std::lock_guard lock(mutex_);
  return pipeline_ != VK_NULL_HANDLE;
}

Result<void> ComputeKernel::compile() const {
  const std::lock_guard lock(mutex_);
  if (pipeline_ != VK_NULL_HANDLE) return {};
  const DeviceFunctions& vk = device->functions;
  const DeviceHandles& handles = device->handles;
  VkShaderModuleCreateInfo module_info{};
  module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module_info.codeSize = code_.size() * sizeof(uint32_t);
  module_info.pCode = code_.data();
  VkShaderModule module = VK_NULL_HANDLE;
  VkResult result = vk.vkCreateShaderModule(handles.device, &module_info, handles.allocation_callbacks, &module);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateShaderModule");

  const auto count = static_cast<uint32_t>(constants_.size());
  std::vector<VkSpecializationMapEntry> entries(count);
  for (uint32_t i = 0; i < count; ++i) entries[i] = {i, 4 * i, 4};
  const VkSpecializationInfo specialization{count, entries.data(), 4 * size_t{count}, constants_.data()};
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  // The kernel computes invocation indices from subgroup indices, so every subgroup must be full.
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size{};
  size.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  size.requiredSubgroupSize = device->required_subgroup_size;
  if (full_subgroups_ && handles.features.compute_full_subgroups) {
    info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    if (size.requiredSubgroupSize != 0) info.stage.pNext = &size;
  }
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &specialization;
  info.layout = pipeline_layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  result = vk.vkCreateComputePipelines(handles.device, handles.pipeline_cache, 1, &info, handles.allocation_callbacks,
                                       &pipeline);
  vk.vkDestroyShaderModule(handles.device, module, handles.allocation_callbacks);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateComputePipelines");
  name_object(*device, VK_OBJECT_TYPE_PIPELINE, pipeline, name, "pipeline");
  pipeline_ = pipeline;
  code_ = {};
  return {};
}

Result<std::shared_ptr<const ComputeKernel>> KernelBatch::find(const ComputeKernelRequest& request) {
  const Device::Impl& device = device_.impl();
  auto kernel =
      device.shared->get<ComputeKernel>(key_of(request), [&] { return create_compute_kernel(device, request); });
  if (kernel) kernels_.push_back(*kernel);
  return kernel;
}

Result<void> KernelBatch::compile() const {
  std::vector<const ComputeKernel*> missing;
  for (const auto& kernel : kernels_) {
    const bool known = std::find(missing.begin(), missing.end(), kernel.get()) != missing.end();
    if (!known && !kernel->is_compiled()) missing.push_back(kernel.get());
  }
  std::vector<Result<void>> results(missing.size());
  run_together(missing.size(), [&](size_t i) { results[i] = missing[i]->compile(); });
  for (const Result<void>& result : results) {
    if (!result) return result;
  }
  return {};
}

Result<std::shared_ptr<const ComputeKernel>> find_compute_kernel(const Device& device,
                                                                 const ComputeKernelRequest& request) {
  KernelBatch batch(device);
  auto kernel = batch.find(request);
  if (!kernel) return kernel.error();
  if (auto compiled = batch.compile(); !compiled) return compiled.error();
  return kernel;
}

void ComputeKernel::bind(VkCommandBuffer commands, VkDescriptorSet set, const void* params) const {
  const DeviceFunctions& vk = device->functions;
  vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_layout, 0, 1, &set, 0, nullptr);
  vk.vkCmdPushConstants(commands, pipeline_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, params_bytes, params);
}

void ComputeKernel::dispatch(VkCommandBuffer commands, const GroupCounts& groups) const {
  ONEPASS_ASSERT(groups.x <= device->limits.maxComputeWorkGroupCount[0] &&
                 groups.y <= device->limits.maxComputeWorkGroupCount[1] &&
                 groups.z <= device->limits.maxComputeWorkGroupCount[2]);
  device->functions.vkCmdDispatch(commands, groups.x, groups.y, groups.z);
}

void BindingObjects::swap(BindingObjects& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(technique_, other.technique_);
  views_.swap(other.views_);
  buffers_.swap(other.buffers_);
  pools_.swap(other.pools_);
}

BindingObjects::~BindingObjects() {
  for (VkDescriptorPool pool : pools_)
    device_->functions.vkDestroyDescriptorPool(device_->handles.device, pool, device_->handles.allocation_callbacks);
  for (VkImageView view : views_)
    device_->functions.vkDestroyImageView(device_->handles.device, view, device_->handles.allocation_callbacks);
}

Result<void> BindingObjects::add_view(const ViewRequest& request, VkImageView& view) {
  auto created = create_view(*device_, request);
  if (!created) return created.error();
  view = views_.emplace_back(*created);
  name_object(*device_, VK_OBJECT_TYPE_IMAGE_VIEW, view, technique_, request.role);
  return {};
}

Result<void> BindingObjects::add_buffer(uint64_t bytes, VkBufferUsageFlags usage, VkBuffer& buffer,
                                        VkDeviceSize& offset, const char* role, Content content) {
  if (buffer != VK_NULL_HANDLE) return {};
  const bool zero = content == Content::kZero;
  auto created = Buffer::create(*device_, bytes, usage, zero, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  if (!created) return created.error();
  if (zero) std::memset(created->mapped, 0, bytes);
  const Buffer& made = buffers_.emplace_back(std::move(*created));
  name_buffer(made, technique_, role);
  buffer = made.buffer;
  offset = 0;
  return {};
}

Result<void> BindingObjects::add_set(const ComputeKernel& kernel, const std::vector<Resource>& resources,
                                     VkDescriptorSet& set) {
  std::vector<VkDescriptorPoolSize> sizes;
  for (const KernelBinding& binding : kernel.bindings) sizes.push_back({binding.type, binding.count});
  VkDescriptorPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = 1;
  info.poolSizeCount = static_cast<uint32_t>(sizes.size());
  info.pPoolSizes = sizes.data();
  VkDescriptorPool pool = VK_NULL_HANDLE;
  VkResult result = device_->functions.vkCreateDescriptorPool(device_->handles.device, &info,
                                                              device_->handles.allocation_callbacks, &pool);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateDescriptorPool");
  pools_.push_back(pool);
  name_object(*device_, VK_OBJECT_TYPE_DESCRIPTOR_POOL, pool, kernel.name, "descriptor pool");
  VkDescriptorSetAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = pool;
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &kernel.set_layout;
  result = device_->functions.vkAllocateDescriptorSets(device_->handles.device, &allocate, &set);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkAllocateDescriptorSets");
  name_object(*device_, VK_OBJECT_TYPE_DESCRIPTOR_SET, set, kernel.name, "descriptor set");
  write_set(kernel, resources, set);
  return {};
}

}  // namespace onepass::vulkan
