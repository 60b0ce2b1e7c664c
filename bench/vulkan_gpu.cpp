// vulkan_gpu.cpp: opens the device with the further features that peers need, all of them or none, and creates
// pipelines with one set layout for the baselines.
#include "vulkan_gpu.hpp"

#include <algorithm>
#include <array>

#include "vulkan/barrier.hpp"

namespace onepass::bench {
namespace {

using vulkan::vulkan_error;

bool queue_has_graphics(const vulkan::Device::Impl& device) {
  const auto get = device.instance_functions.vkGetPhysicalDeviceQueueFamilyProperties;
  uint32_t count = 0;
  get(device.handles.physical_device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  get(device.handles.physical_device, &count, families.data());
  const uint32_t family = device.handles.queue_family;
  return family < count && (families[family].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0;
}

template <typename Function>
bool load(const vulkan::Device::Impl& device, const char* name, Function& out) {
  out = reinterpret_cast<Function>(device.instance_functions.vkGetDeviceProcAddr(device.handles.device, name));
  return out != nullptr;
}

// Enables all of them or none. Returns whether the device has them.
bool enable_peer_features(const vulkan::SupportedFeatures& has, VkPhysicalDeviceFeatures& core,
                          VkPhysicalDeviceVulkan12Features& vulkan12) {
  constexpr std::array kCore = {&VkPhysicalDeviceFeatures::shaderInt16,
                                &VkPhysicalDeviceFeatures::shaderSampledImageArrayDynamicIndexing};
  constexpr std::array kVulkan12 = {&VkPhysicalDeviceVulkan12Features::shaderInt8,
                                    &VkPhysicalDeviceVulkan12Features::shaderFloat16,
                                    &VkPhysicalDeviceVulkan12Features::shaderSubgroupExtendedTypes,
                                    &VkPhysicalDeviceVulkan12Features::vulkanMemoryModel,
                                    &VkPhysicalDeviceVulkan12Features::vulkanMemoryModelDeviceScope,
                                    &VkPhysicalDeviceVulkan12Features::bufferDeviceAddress,
                                    &VkPhysicalDeviceVulkan12Features::scalarBlockLayout,
                                    &VkPhysicalDeviceVulkan12Features::runtimeDescriptorArray};
  for (const auto feature : kCore) {
    if (has.core.*feature == VK_FALSE) return false;
  }
  for (const auto feature : kVulkan12) {
    if (has.vulkan12.*feature == VK_FALSE) return false;
  }
  for (const auto feature : kCore) core.*feature = VK_TRUE;
  for (const auto feature : kVulkan12) vulkan12.*feature = VK_TRUE;
  return true;
}

bool has_all(VkFlags flags, VkFlags wanted) { return (flags & wanted) == wanted; }

}  // namespace

Result<std::unique_ptr<Gpu>> Gpu::open(const vulkan::DeviceRequest& request) {
  bool has_peer_features = false, has_storage_formats = false;
  auto device =
      vulkan::Device::Impl::open(request, [&](const vulkan::SupportedFeatures& has, VkPhysicalDeviceFeatures& core,
                                              VkPhysicalDeviceVulkan12Features& vulkan12) {
        has_peer_features = enable_peer_features(has, core, vulkan12);
        core.shaderStorageImageExtendedFormats = has.core.shaderStorageImageExtendedFormats;
        has_storage_formats = has.core.shaderStorageImageExtendedFormats == VK_TRUE;
      });
  if (!device) return device.error();
  std::unique_ptr<Gpu> gpu(new Gpu(*device));
  gpu->has_peer_features_ = has_peer_features;
  gpu->has_storage_formats_ = has_storage_formats;
  const vulkan::Device::Impl& impl = gpu->impl();
  if (!impl.has_timestamps) return Error{ErrorCode::kUnsupported, "the queue has no timestamps", impl.info.name};
  if (!load(impl, "vkCmdBlitImage", gpu->vkCmdBlitImage) ||
      !load(impl, "vkCmdClearColorImage", gpu->vkCmdClearColorImage) ||
      !load(impl, "vkCmdCopyImage", gpu->vkCmdCopyImage) ||
      !load(impl, "vkGetBufferDeviceAddress", gpu->vkGetBufferDeviceAddress) ||
      !load(impl, "vkCreatePipelineCache", gpu->vkCreatePipelineCache) ||
      !load(impl, "vkDestroyPipelineCache", gpu->vkDestroyPipelineCache)) {
    return Error{ErrorCode::kDevice, "an entry point of Vulkan 1.2 is missing", impl.info.name};
  }
  gpu->graphics_ = queue_has_graphics(impl);
  return gpu;
}

bool Gpu::can_blit(Format format) const {
  return graphics_ && has_all(impl().features_of(static_cast<VkFormat>(format)),
                              VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT |
                                  VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT);
}

bool Gpu::can_filter(Format format) const {
  return has_all(impl().features_of(static_cast<VkFormat>(format)), VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT);
}

std::array<uint8_t, VK_UUID_SIZE> Gpu::uuid() const {
  VkPhysicalDeviceIDProperties id{};
  id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &id;
  impl().instance_functions.vkGetPhysicalDeviceProperties2(device_.handles().physical_device, &properties);
  return std::to_array(id.deviceUUID);
}

bool Gpu::has_quads() const {
  return has_all(impl().subgroup_operations, VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT) &&
         device_.handles().features.compute_full_subgroups;
}

Result<std::unique_ptr<ComputePipeline>> ComputePipeline::create(const Gpu& gpu, const PipelineRequest& request) {
  std::unique_ptr<ComputePipeline> out(new ComputePipeline(gpu));
  if (auto created = out->create_layouts(request); !created) return created.error();
  if (auto created = out->create_pipeline(request); !created) return created.error();
  return out;
}

ComputePipeline::~ComputePipeline() {
  gpu_.vk().vkDestroyPipeline(gpu_.handle(), pipeline_, nullptr);
  gpu_.vk().vkDestroyPipelineLayout(gpu_.handle(), layout_, nullptr);
  for (VkDescriptorSetLayout layout : set_layouts_)
    gpu_.vk().vkDestroyDescriptorSetLayout(gpu_.handle(), layout, nullptr);
  gpu_.vk().vkDestroySampler(gpu_.handle(), sampler_, nullptr);
}

Result<void> ComputePipeline::create_set_layout(const std::vector<Binding>& bindings,
                                                VkDescriptorSetLayout& out) const {
  std::vector<VkDescriptorSetLayoutBinding> all;
  for (const Binding& binding : bindings) {
    const uint32_t number = binding.number == Binding::kNext ? static_cast<uint32_t>(all.size()) : binding.number;
    all.push_back({number, binding.type, binding.count, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  }
  VkDescriptorSetLayoutCreateInfo set{};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = static_cast<uint32_t>(all.size());
  set.pBindings = all.data();
  const VkResult result = gpu_.vk().vkCreateDescriptorSetLayout(gpu_.handle(), &set, nullptr, &out);
  return result == VK_SUCCESS ? Result<void>() : vulkan_error(result, "vkCreateDescriptorSetLayout");
}

Result<void> ComputePipeline::create_layouts(const PipelineRequest& request) {
  if (auto created = create_set_layout(request.bindings, set_layouts_[0]); !created) return created;
  const bool two = !request.bindings_1.empty();
  if (two) {
    if (auto created = create_set_layout(request.bindings_1, set_layouts_[1]); !created) return created;
  }
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, request.push_bytes};
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = two ? 2 : 1;
  layout.pSetLayouts = set_layouts_.data();
  layout.pushConstantRangeCount = request.push_bytes > 0 ? 1 : 0;
  layout.pPushConstantRanges = &range;
  VkResult result = gpu_.vk().vkCreatePipelineLayout(gpu_.handle(), &layout, nullptr, &layout_);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreatePipelineLayout");

  VkSamplerCreateInfo sampler{};
  sampler.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  sampler.magFilter = request.linear_filter ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
  sampler.maxLod = VK_LOD_CLAMP_NONE;  // a peer samples coarser levels
  sampler.minFilter = sampler.magFilter;
  sampler.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  sampler.addressModeV = sampler.addressModeU;
  sampler.addressModeW = sampler.addressModeU;
  result = gpu_.vk().vkCreateSampler(gpu_.handle(), &sampler, nullptr, &sampler_);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateSampler");
  return {};
}

Result<void> ComputePipeline::create_pipeline(const PipelineRequest& request) {
  VkShaderModuleCreateInfo module_info{};
  module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module_info.codeSize = request.code.size_bytes();
  module_info.pCode = request.code.data();
  VkShaderModule module = VK_NULL_HANDLE;
  VkResult result = gpu_.vk().vkCreateShaderModule(gpu_.handle(), &module_info, nullptr, &module);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateShaderModule");

  std::vector<VkSpecializationMapEntry> entries(request.constants.size());
  for (uint32_t i = 0; i < entries.size(); ++i) entries[i] = {i, 4 * i, 4};
  const VkSpecializationInfo specialization{static_cast<uint32_t>(entries.size()), entries.data(),
                                            4 * request.constants.size(), request.constants.data()};
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  if (request.full_subgroups) info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &specialization;
  info.layout = layout_;
  result = gpu_.vk().vkCreateComputePipelines(gpu_.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_);
  gpu_.vk().vkDestroyShaderModule(gpu_.handle(), module, nullptr);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateComputePipelines");
  return {};
}

void ComputePipeline::dispatch(VkCommandBuffer commands, VkDescriptorSet set, std::span<const uint32_t> push,
                               uint32_t x, uint32_t y, uint32_t z) const {
  const vulkan::DeviceFunctions& vk = gpu_.vk();
  vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  if (set != VK_NULL_HANDLE) {
    vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set, 0, nullptr);
  }
  if (!push.empty()) {
    vk.vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, static_cast<uint32_t>(push.size_bytes()),
                          push.data());
  }
  vk.vkCmdDispatch(commands, x, y, z);
}

Result<std::unique_ptr<DescriptorSets>> DescriptorSets::create(const Gpu& gpu, const ComputePipeline& pipeline,
                                                               const std::vector<Binding>& bindings, uint32_t count,
                                                               uint32_t set) {
  std::unique_ptr<DescriptorSets> out(new DescriptorSets(gpu));
  std::vector<VkDescriptorPoolSize> sizes;
  for (const Binding& binding : bindings) sizes.push_back({binding.type, binding.count * count});
  VkDescriptorPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.maxSets = count;
  pool.poolSizeCount = static_cast<uint32_t>(sizes.size());
  pool.pPoolSizes = sizes.data();
  VkResult result = gpu.vk().vkCreateDescriptorPool(gpu.handle(), &pool, nullptr, &out->pool_);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateDescriptorPool");
  const std::vector<VkDescriptorSetLayout> layouts(count, pipeline.set_layout(set));
  VkDescriptorSetAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = out->pool_;
  allocate.descriptorSetCount = count;
  allocate.pSetLayouts = layouts.data();
  out->sets_.resize(count);
  result = gpu.vk().vkAllocateDescriptorSets(gpu.handle(), &allocate, out->sets_.data());
  if (result != VK_SUCCESS) return vulkan_error(result, "vkAllocateDescriptorSets");
  return out;
}

DescriptorSets::~DescriptorSets() { gpu_.vk().vkDestroyDescriptorPool(gpu_.handle(), pool_, nullptr); }

void DescriptorSets::write_image(size_t set, uint32_t binding, VkDescriptorType type,
                                 const VkDescriptorImageInfo& image, uint32_t element) const {
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = sets_[set];
  write.dstBinding = binding;
  write.dstArrayElement = element;
  write.descriptorCount = 1;
  write.descriptorType = type;
  write.pImageInfo = &image;
  gpu_.vk().vkUpdateDescriptorSets(gpu_.handle(), 1, &write, 0, nullptr);
}

void DescriptorSets::write_buffer(size_t set, uint32_t binding, VkBuffer buffer) const {
  write(set, binding, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {buffer, 0, VK_WHOLE_SIZE});
}

void DescriptorSets::write_uniform(size_t set, uint32_t binding, const VkDescriptorBufferInfo& info) const {
  write(set, binding, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, info);
}

void DescriptorSets::write(size_t set, uint32_t binding, VkDescriptorType type,
                           const VkDescriptorBufferInfo& info) const {
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = sets_[set];
  write.dstBinding = binding;
  write.descriptorCount = 1;
  write.descriptorType = type;
  write.pBufferInfo = &info;
  gpu_.vk().vkUpdateDescriptorSets(gpu_.handle(), 1, &write, 0, nullptr);
}

void full_barrier(const Gpu& gpu, VkCommandBuffer commands) {
  record_barrier(gpu.device().impl(), commands, vulkan::kFullBarrier);
}

void stage_barrier(const Gpu& gpu, VkCommandBuffer commands, VkPipelineStageFlagBits stage) {
  const bool compute = stage == VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  const vulkan::Accesses writes = compute ? vulkan::kShaderWrites : vulkan::kTransferWrites;
  const vulkan::Accesses reads = compute ? vulkan::kShaderReads : vulkan::kTransferReads;
  record_barrier(gpu.device().impl(), commands, {.before = writes, .after = reads | writes});
}

}  // namespace onepass::bench
