// compute_pipeline.cpp: see compute_pipeline.hpp.
#include "vulkan/compute_pipeline.hpp"

#include <vector>

#include "vulkan/kernels.hpp"

namespace onepass::vulkan {

Result<VkPipeline> create_compute_pipeline(const Device::Impl& device, const ComputePipelineRequest& request) {
  const DeviceFunctions& vk = device.functions;
  const std::span<const uint32_t> code = find_kernel(request.kernel);
  if (code.empty()) return Error{ErrorCode::kUnsupported, "no kernel " + request.kernel, device.info.name};
  VkShaderModuleCreateInfo module_info{};
  module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module_info.codeSize = code.size_bytes();
  module_info.pCode = code.data();
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
  // Lane numbers are made of subgroup numbers: no subgroup may have idle lanes.
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

}  // namespace onepass::vulkan
