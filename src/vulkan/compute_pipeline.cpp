// compute_pipeline.cpp: see compute_pipeline.hpp.
#include "vulkan/compute_pipeline.hpp"

#include <vector>

#include "vulkan/kernels.hpp"

namespace onepass::vulkan {

Result<VkPipeline> create_compute_pipeline(const Device::Impl& device, const ComputePipelineRequest& request) {
  const DeviceFunctions& vk = device.functions;
  const auto code = find_kernel(request.kernel);
  if (!code) return Error{ErrorCode::kUnsupported, "no kernel " + request.kernel, device.info.name};
  VkShaderModuleCreateInfo module_info{};
  module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module_info.codeSize = 4 * code->size();
  module_info.pCode = code->data();
  VkShaderModule module = VK_NULL_HANDLE;
  VkResult result = vk.vkCreateShaderModule(device.handles.device, &module_info, nullptr, &module);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateShaderModule");

  const auto count = static_cast<uint32_t>(request.constants.size());
  std::vector<VkSpecializationMapEntry> entries(count);
  for (uint32_t i = 0; i < count; ++i) entries[i] = {i, 4 * i, 4};
  const VkSpecializationInfo specialization{count, entries.data(), request.constants.size_bytes(),
                                            request.constants.data()};
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  // The kernel computes invocation indices from subgroup indices, so every subgroup must be full.
  if (request.full_subgroups && device.handles.features.compute_full_subgroups) {
    info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  }
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &specialization;
  info.layout = request.layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  result =
      vk.vkCreateComputePipelines(device.handles.device, device.handles.pipeline_cache, 1, &info, nullptr, &pipeline);
  vk.vkDestroyShaderModule(device.handles.device, module, nullptr);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateComputePipelines");
  return pipeline;
}

Result<VkSampler> create_sampler(const Device::Impl& device, VkFilter filter) {
  VkSamplerCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  info.magFilter = filter;
  info.minFilter = filter;
  info.mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST;
  info.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  info.addressModeV = info.addressModeU;
  info.addressModeW = info.addressModeU;
  VkSampler sampler = VK_NULL_HANDLE;
  const VkResult result = device.functions.vkCreateSampler(device.handles.device, &info, nullptr, &sampler);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateSampler");
  return sampler;
}

namespace {

Result<void> create_layouts(const Device::Impl& device, const ComputeKernelRequest& request, ComputeKernel& out) {
  const DeviceFunctions& vk = device.functions;
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (const KernelBinding& binding : request.bindings) {
    bindings.push_back({binding.index, binding.type, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  }
  VkDescriptorSetLayoutCreateInfo set{};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = static_cast<uint32_t>(bindings.size());
  set.pBindings = bindings.data();
  VkResult result = vk.vkCreateDescriptorSetLayout(device.handles.device, &set, nullptr, &out.set_layout);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateDescriptorSetLayout");
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, request.params_bytes};
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &out.set_layout;
  layout.pushConstantRangeCount = request.params_bytes != 0 ? 1 : 0;
  layout.pPushConstantRanges = &range;
  result = vk.vkCreatePipelineLayout(device.handles.device, &layout, nullptr, &out.pipeline_layout);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreatePipelineLayout");
  return {};
}

}  // namespace

ComputeKernel::~ComputeKernel() {
  if (device == nullptr) return;
  const DeviceFunctions& vk = device->functions;
  VkDevice handle = device->handles.device;
  vk.vkDestroyPipeline(handle, pipeline, nullptr);
  vk.vkDestroyPipelineLayout(handle, pipeline_layout, nullptr);
  vk.vkDestroyDescriptorSetLayout(handle, set_layout, nullptr);
  vk.vkDestroySampler(handle, sampler, nullptr);
}

Result<std::shared_ptr<ComputeKernel>> create_compute_kernel(const Device::Impl& device,
                                                             const ComputeKernelRequest& request) {
  auto out = std::make_shared<ComputeKernel>();
  out->device = &device;
  if (auto created = create_layouts(device, request, *out); !created) return created.error();
  auto sampler = create_sampler(device, VK_FILTER_NEAREST);
  if (!sampler) return sampler.error();
  out->sampler = *sampler;
  auto pipeline = create_compute_pipeline(device, {.layout = out->pipeline_layout,
                                                   .kernel = request.kernel,
                                                   .constants = request.constants,
                                                   .full_subgroups = request.full_subgroups});
  if (!pipeline) return pipeline.error();
  out->pipeline = *pipeline;
  return out;
}

void record_kernel(const ComputeKernel& kernel, VkCommandBuffer commands, VkDescriptorSet set,
                   std::span<const std::byte> params, const GroupCounts& groups) {
  const DeviceFunctions& vk = kernel.device->functions;
  vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline);
  vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline_layout, 0, 1, &set, 0, nullptr);
  vk.vkCmdPushConstants(commands, kernel.pipeline_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                        static_cast<uint32_t>(params.size()), params.data());
  vk.vkCmdDispatch(commands, groups.x, groups.y, groups.z);
}

}  // namespace onepass::vulkan
