// descriptor_buffer_test.cpp: a program that keeps its descriptors in buffers (VK_EXT_descriptor_buffer) beside the
// library, whose descriptors are sets: after a recording it binds pipeline, offsets and constants again. Skipped where
// the device lacks the extension, as lavapipe of Mesa 22 does.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "test_user_sets.h"
#include "tests/integration/technique_rig.hpp"
#include "tests/vulkan/own_device.hpp"

namespace onepass::testing {
namespace {

constexpr uint32_t kTables = 4;

/// A buffer with an address, mapped.
struct AddressedBuffer {
  OwnDevice& own;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceAddress address = 0;
  VkDeviceSize size;
  std::byte* mapped = nullptr;

  AddressedBuffer(OwnDevice& device, VkDeviceSize bytes, VkBufferUsageFlags usage) : own(device), size(bytes) {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = bytes;
    info.usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    own.vk.vkCreateBuffer(own.device, &info, nullptr, &buffer);
    VkMemoryRequirements needs{};
    own.vk.vkGetBufferMemoryRequirements(own.device, buffer, &needs);
    VkPhysicalDeviceMemoryProperties types{};
    own.vki.vkGetPhysicalDeviceMemoryProperties(own.physical, &types);
    constexpr VkMemoryPropertyFlags kMapped =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while (type + 1 < types.memoryTypeCount &&
           ((needs.memoryTypeBits >> type & 1U) == 0 || (types.memoryTypes[type].propertyFlags & kMapped) != kMapped)) {
      ++type;
    }
    const VkMemoryAllocateFlagsInfo addressed{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                              VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
    const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &addressed, needs.size, type};
    own.vk.vkAllocateMemory(own.device, &allocate, nullptr, &memory);
    own.vk.vkBindBufferMemory(own.device, buffer, memory, 0);
    void* at = nullptr;
    EXPECT_EQ(own.vk.vkMapMemory(own.device, memory, 0, VK_WHOLE_SIZE, 0, &at), VK_SUCCESS);
    mapped = static_cast<std::byte*>(at);
    std::memset(mapped, 0, bytes);
    const auto get = reinterpret_cast<PFN_vkGetBufferDeviceAddress>(
        own.vki.vkGetDeviceProcAddr(own.device, "vkGetBufferDeviceAddress"));
    const VkBufferDeviceAddressInfo which{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer};
    address = get(own.device, &which);
  }
  AddressedBuffer(const AddressedBuffer&) = delete;
  ~AddressedBuffer() {
    own.vk.vkDestroyBuffer(own.device, buffer, nullptr);
    own.vk.vkFreeMemory(own.device, memory, nullptr);
  }
};

TEST(DescriptorBuffers, OffsetsAndPipelineAreBoundAgainAfterARecording) {
  const auto own = OwnDevice::create_with_descriptor_buffers(system_loader());
  if (own == nullptr) GTEST_SKIP() << "no VK_EXT_descriptor_buffer";
  const auto device = vulkan::Device::adopt(own->handles());
  ASSERT_TRUE(device) << device.error().text();
  const vulkan::DeviceFunctions& vk = own->vk;
#define LOAD(name) const auto name = reinterpret_cast<PFN_##name>(own->vki.vkGetDeviceProcAddr(own->device, #name))
  LOAD(vkGetDescriptorSetLayoutSizeEXT);
  LOAD(vkGetDescriptorSetLayoutBindingOffsetEXT);
  LOAD(vkGetDescriptorEXT);
  LOAD(vkCmdBindDescriptorBuffersEXT);
  LOAD(vkCmdSetDescriptorBufferOffsetsEXT);
#undef LOAD
  VkPhysicalDeviceDescriptorBufferPropertiesEXT limits{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits};
  own->vki.vkGetPhysicalDeviceProperties2(own->physical, &properties);

  // The buffers, and descriptors of both sets in one buffer.
  AddressedBuffer results(*own, 256, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  AddressedBuffer tables(*own, 256 * kTables, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  for (uint32_t i = 0; i < kTables; ++i) {
    const uint32_t value = 1000 * (i + 1);
    std::memcpy(tables.mapped + size_t{256} * i, &value, sizeof value);
  }
  std::array<VkDescriptorSetLayout, 2> layouts{};
  for (uint32_t set = 0; set < 2; ++set) {
    const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, set == 0 ? 1 : kTables,
                                               VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    info.bindingCount = 1;
    info.pBindings = &binding;
    ASSERT_EQ(vk.vkCreateDescriptorSetLayout(own->device, &info, nullptr, &layouts[set]), VK_SUCCESS);
  }
  std::array<VkDeviceSize, 2> offsets{};
  VkDeviceSize bytes = 0;
  for (uint32_t set = 0; set < 2; ++set) {
    const VkDeviceSize align = limits.descriptorBufferOffsetAlignment;
    offsets[set] = (bytes + align - 1) / align * align;
    VkDeviceSize size = 0;
    vkGetDescriptorSetLayoutSizeEXT(own->device, layouts[set], &size);
    bytes = offsets[set] + size;
  }
  AddressedBuffer descriptors(*own, bytes, VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT);
  const auto write = [&](uint32_t set, uint32_t element, VkDeviceAddress address, VkDeviceSize range) {
    const VkDescriptorAddressInfoEXT info{VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT, nullptr, address, range,
                                          VK_FORMAT_UNDEFINED};
    VkDescriptorGetInfoEXT get{VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT};
    get.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    get.data.pStorageBuffer = &info;
    VkDeviceSize at = 0;
    vkGetDescriptorSetLayoutBindingOffsetEXT(own->device, layouts[set], 0, &at);
    vkGetDescriptorEXT(own->device, &get, limits.storageBufferDescriptorSize,
                       descriptors.mapped + offsets[set] + at + element * limits.storageBufferDescriptorSize);
  };
  write(0, 0, results.address, results.size);
  for (uint32_t i = 0; i < kTables; ++i) write(1, i, tables.address + VkDeviceSize{256} * i, 256);

  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 12};
  VkPipelineLayoutCreateInfo layout_info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layout_info.setLayoutCount = 2;
  layout_info.pSetLayouts = layouts.data();
  layout_info.pushConstantRangeCount = 1;
  layout_info.pPushConstantRanges = &range;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  vk.vkCreatePipelineLayout(own->device, &layout_info, nullptr, &layout);
  VkShaderModuleCreateInfo module_info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  module_info.codeSize = sizeof kernel_test_user_sets;
  module_info.pCode = kernel_test_user_sets;
  VkShaderModule module = VK_NULL_HANDLE;
  vk.vkCreateShaderModule(own->device, &module_info, nullptr, &module);
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  ASSERT_EQ(vk.vkCreateComputePipelines(own->device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), VK_SUCCESS);

  {
    Rig rig(*own, *device, 13);
    const auto driver = make_cpp_driver(rig);
    own->run([&](VkCommandBuffer commands) {
      const VkDescriptorBufferBindingInfoEXT bound{VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT, nullptr,
                                                   descriptors.address,
                                                   VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT};
      const uint32_t buffers[] = {0, 0};
      const auto dispatch = [&](uint32_t place) {
        vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        vkCmdBindDescriptorBuffersEXT(commands, 1, &bound);
        vkCmdSetDescriptorBufferOffsetsEXT(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 2, buffers,
                                           offsets.data());
        const uint32_t constants[] = {place, place % kTables, place};
        vk.vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof constants, constants);
        vk.vkCmdDispatch(commands, 1, 1, 1);
      };
      dispatch(0);
      driver->reset(commands);
      full_barrier(*own, commands);
      for (uint32_t t = 0; t < kTechniques; ++t) {
        driver->record(static_cast<Technique>(t), commands);
        full_barrier(*own, commands);
        dispatch(t + 1);
      }
      full_barrier(*own, commands);
    });
  }
  for (uint32_t place = 0; place <= kTechniques; ++place) {
    uint32_t value = 0;
    std::memcpy(&value, results.mapped + size_t{4} * place, sizeof value);
    EXPECT_EQ(value, 1000 * (place % kTables + 1) + place) << "after technique " << place;
  }
  vk.vkDestroyPipeline(own->device, pipeline, nullptr);
  vk.vkDestroyShaderModule(own->device, module, nullptr);
  vk.vkDestroyPipelineLayout(own->device, layout, nullptr);
  for (VkDescriptorSetLayout set : layouts) vk.vkDestroyDescriptorSetLayout(own->device, set, nullptr);
  EXPECT_EQ(own->validation_messages(), 0) << "see above";
}

}  // namespace
}  // namespace onepass::testing
