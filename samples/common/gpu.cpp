// gpu.cpp: thin wrappers of Vulkan's create functions. Each registers the destruction of its object with at_end(),
// which runs in reverse order.
#include "gpu.hpp"

#include <algorithm>
#include <cstdio>

namespace samples {
namespace {

constexpr uint32_t kMostSets = 64;
constexpr uint32_t kMostDescriptors = 256;

template <typename Function>
Function instance_function(const onepass::vulkan::DeviceHandles& handles, const char* name) {
  return reinterpret_cast<Function>(handles.get_instance_proc_addr(handles.instance, name));
}

}  // namespace

void Gpu::require(VkResult result, const char* call) {
  if (result != VK_SUCCESS) throw Failure(std::string(call) + " failed with VkResult " + std::to_string(result));
}

Gpu::Gpu(const std::string& selector, bool validation, VkQueueFlags capabilities) {
  device_ = value_of(onepass::vulkan::Device::open({
      .selector = selector,
      .allow_software = true,
      .validation = validation,
      .on_validation_message =
          [this](std::string_view message) {
            ++messages_;
            std::fprintf(stderr, "validation: %.*s\n", static_cast<int>(message.size()), message.data());
          },
  }));
  load_functions();
  require_queue(capabilities);

  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kMostDescriptors},
                                        {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, kMostDescriptors},
                                        {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, kMostDescriptors}};
  VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool.maxSets = kMostSets;
  pool.poolSizeCount = 3;
  pool.pPoolSizes = sizes;
  require(vk.vkCreateDescriptorPool(handle(), &pool, nullptr, &pool_), "vkCreateDescriptorPool");
  at_end([this] { vk.vkDestroyDescriptorPool(handle(), pool_, nullptr); });
  VkSamplerCreateInfo sampler{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};  // shaders only fetch
  sampler.maxLod = VK_LOD_CLAMP_NONE;
  require(vk.vkCreateSampler(handle(), &sampler, nullptr, &sampler_), "vkCreateSampler");
  at_end([this] { vk.vkDestroySampler(handle(), sampler_, nullptr); });
}

Gpu::~Gpu() {
  for (auto destroy = cleanup_.rbegin(); destroy != cleanup_.rend(); ++destroy) (*destroy)();
}

void Gpu::load_functions() {
  const auto& handles = device_->handles();
  const auto get = instance_function<PFN_vkGetDeviceProcAddr>(handles, "vkGetDeviceProcAddr");
#define SAMPLES_LOAD(name)                                            \
  vk.name = reinterpret_cast<PFN_##name>(get(handles.device, #name)); \
  if (vk.name == nullptr) throw Failure("the Vulkan driver lacks " #name);
  SAMPLES_FUNCTIONS(SAMPLES_LOAD)
#undef SAMPLES_LOAD
}

void Gpu::require_queue(VkQueueFlags capabilities) {
  const auto& handles = device_->handles();
  VkPhysicalDeviceProperties properties{};
  instance_function<PFN_vkGetPhysicalDeviceProperties>(handles, "vkGetPhysicalDeviceProperties")(
      handles.physical_device, &properties);
  limits_ = properties.limits;
  instance_function<PFN_vkGetPhysicalDeviceMemoryProperties>(handles, "vkGetPhysicalDeviceMemoryProperties")(
      handles.physical_device, &memory_);
  const auto get_families = instance_function<PFN_vkGetPhysicalDeviceQueueFamilyProperties>(
      handles, "vkGetPhysicalDeviceQueueFamilyProperties");
  uint32_t count = 0;
  get_families(handles.physical_device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  get_families(handles.physical_device, &count, families.data());
  const VkQueueFamilyProperties& family = families.at(handles.queue_family);
  if ((family.queueFlags & capabilities) != capabilities) {
    throw Failure(device_->info().name + ": the queue lacks graphics or compute");
  }
  if (family.timestampValidBits == 0) throw Failure(device_->info().name + ": the queue has no timestamps");
}

VkDeviceMemory Gpu::allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags required,
                             VkMemoryPropertyFlags preferred) {
  const auto first_type = [&](VkMemoryPropertyFlags flags) {
    uint32_t type = 0;
    while (type < memory_.memoryTypeCount &&
           ((needs.memoryTypeBits >> type & 1U) == 0 || (memory_.memoryTypes[type].propertyFlags & flags) != flags)) {
      ++type;
    }
    return type;
  };
  VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size,
                            first_type(required | preferred)};
  if (info.memoryTypeIndex == memory_.memoryTypeCount) info.memoryTypeIndex = first_type(required);
  if (info.memoryTypeIndex == memory_.memoryTypeCount) throw Failure("no suitable kind of device memory");
  VkDeviceMemory memory = VK_NULL_HANDLE;
  require(vk.vkAllocateMemory(handle(), &info, nullptr, &memory), "vkAllocateMemory");
  at_end([this, memory] { vk.vkFreeMemory(handle(), memory, nullptr); });
  return memory;
}

Buffer Gpu::buffer(VkDeviceSize size, VkBufferUsageFlags usage, Memory memory) {
  Buffer result;
  result.size = size;
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = size;
  info.usage = usage;
  require(vk.vkCreateBuffer(handle(), &info, nullptr, &result.handle), "vkCreateBuffer");
  at_end([this, buffer = result.handle] { vk.vkDestroyBuffer(handle(), buffer, nullptr); });
  VkMemoryRequirements needs{};
  vk.vkGetBufferMemoryRequirements(handle(), result.handle, &needs);
  const bool host = memory == Memory::kHost;
  // Cached: the host reads uncached memory very slowly.
  const VkDeviceMemory block =
      host ? allocate(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                      VK_MEMORY_PROPERTY_HOST_CACHED_BIT)
           : allocate(needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  require(vk.vkBindBufferMemory(handle(), result.handle, block, 0), "vkBindBufferMemory");
  void* mapped = nullptr;
  if (host) require(vk.vkMapMemory(handle(), block, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
  result.mapped = static_cast<std::byte*>(mapped);
  return result;
}

Image Gpu::image(VkFormat format, onepass::Extent size, uint32_t levels, VkImageUsageFlags usage, uint32_t layers) {
  Image result{.format = format, .size = size, .levels = levels, .layers = std::max(layers, 1U)};
  if (format == VK_FORMAT_D32_SFLOAT) result.aspect = VK_IMAGE_ASPECT_DEPTH_BIT;
  if (format == VK_FORMAT_D24_UNORM_S8_UINT) result.aspect = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {size.width, size.height, 1};
  info.mipLevels = levels;
  info.arrayLayers = result.layers;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = usage;
  require(vk.vkCreateImage(handle(), &info, nullptr, &result.handle), "vkCreateImage");
  at_end([this, image = result.handle] { vk.vkDestroyImage(handle(), image, nullptr); });
  VkMemoryRequirements needs{};
  vk.vkGetImageMemoryRequirements(handle(), result.handle, &needs);
  require(vk.vkBindImageMemory(handle(), result.handle, allocate(needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT), 0),
          "vkBindImageMemory");
  result.view =
      view(result, layers == 0 ? VK_IMAGE_VIEW_TYPE_2D : VK_IMAGE_VIEW_TYPE_2D_ARRAY, levels, 0, result.layers);
  return result;
}

VkImageView Gpu::layer_view(const Image& image, uint32_t layer) {
  return view(image, VK_IMAGE_VIEW_TYPE_2D, 1, layer, 1);
}

VkImageView Gpu::view(const Image& image, VkImageViewType type, uint32_t levels, uint32_t layer, uint32_t layers) {
  const VkImageAspectFlags depth = image.aspect & VK_IMAGE_ASPECT_DEPTH_BIT;  // shaders see one aspect of a view
  VkImageViewCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  info.image = image.handle;
  info.viewType = type;
  info.format = image.format;
  info.subresourceRange = {depth != 0 ? depth : image.aspect, 0, levels, layer, layers};
  VkImageView made = VK_NULL_HANDLE;
  require(vk.vkCreateImageView(handle(), &info, nullptr, &made), "vkCreateImageView");
  at_end([this, made] { vk.vkDestroyImageView(handle(), made, nullptr); });
  return made;
}

VkSampler Gpu::linear_sampler(VkSamplerAddressMode address) {
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.magFilter = VK_FILTER_LINEAR;
  info.minFilter = VK_FILTER_LINEAR;
  info.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR;
  info.addressModeU = info.addressModeV = info.addressModeW = address;
  info.maxLod = VK_LOD_CLAMP_NONE;
  VkSampler made = VK_NULL_HANDLE;
  require(vk.vkCreateSampler(handle(), &info, nullptr, &made), "vkCreateSampler");
  at_end([this, made] { vk.vkDestroySampler(handle(), made, nullptr); });
  return made;
}

VkShaderModule Gpu::shader(std::span<const uint32_t> code) {
  VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  info.codeSize = code.size_bytes();
  info.pCode = code.data();
  VkShaderModule module = VK_NULL_HANDLE;
  require(vk.vkCreateShaderModule(handle(), &info, nullptr, &module), "vkCreateShaderModule");
  at_end([this, module] { vk.vkDestroyShaderModule(handle(), module, nullptr); });
  return module;
}

Pipeline Gpu::layout(std::vector<VkDescriptorType> types, VkShaderStageFlags stages, uint32_t push_bytes) {
  Pipeline result;
  result.bindings = std::move(types);
  result.stages = stages;
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (const VkDescriptorType type : result.bindings) {
    bindings.push_back({static_cast<uint32_t>(bindings.size()), type, 1, stages, nullptr});
  }
  VkDescriptorSetLayoutCreateInfo set{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  set.bindingCount = static_cast<uint32_t>(bindings.size());
  set.pBindings = bindings.data();
  require(vk.vkCreateDescriptorSetLayout(handle(), &set, nullptr, &result.set_layout), "vkCreateDescriptorSetLayout");
  at_end([this, made = result.set_layout] { vk.vkDestroyDescriptorSetLayout(handle(), made, nullptr); });
  const VkPushConstantRange push{stages, 0, push_bytes};
  VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.setLayoutCount = 1;
  info.pSetLayouts = &result.set_layout;
  info.pushConstantRangeCount = push_bytes > 0 ? 1 : 0;
  info.pPushConstantRanges = &push;
  require(vk.vkCreatePipelineLayout(handle(), &info, nullptr, &result.layout), "vkCreatePipelineLayout");
  at_end([this, made = result.layout] { vk.vkDestroyPipelineLayout(handle(), made, nullptr); });
  return result;
}

Pipeline Gpu::compute(std::span<const uint32_t> code, std::vector<VkDescriptorType> bindings, uint32_t push_bytes,
                      const std::vector<uint32_t>& constants) {
  Pipeline result = layout(std::move(bindings), VK_SHADER_STAGE_COMPUTE_BIT, push_bytes);
  std::vector<VkSpecializationMapEntry> entries(constants.size());
  for (uint32_t i = 0; i < entries.size(); ++i) entries[i] = {i, 4 * i, 4};
  const VkSpecializationInfo specialization{static_cast<uint32_t>(entries.size()), entries.data(), 4 * constants.size(),
                                            constants.data()};
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = shader(code);
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &specialization;
  info.layout = result.layout;
  require(vk.vkCreateComputePipelines(handle(), VK_NULL_HANDLE, 1, &info, nullptr, &result.handle),
          "vkCreateComputePipelines");
  at_end([this, made = result.handle] { vk.vkDestroyPipeline(handle(), made, nullptr); });
  return result;
}

VkDescriptorSet Gpu::descriptors(const Pipeline& pipeline, std::initializer_list<Resource> resources) {
  VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  info.descriptorPool = pool_;
  info.descriptorSetCount = 1;
  info.pSetLayouts = &pipeline.set_layout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  require(vk.vkAllocateDescriptorSets(handle(), &info, &set), "vkAllocateDescriptorSets");
  uint32_t binding = 0;
  for (const Resource& resource : resources) {
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set;
    write.dstBinding = binding;
    write.descriptorCount = 1;
    write.descriptorType = pipeline.bindings.at(binding++);
    VkDescriptorBufferInfo buffer{VK_NULL_HANDLE, 0, VK_WHOLE_SIZE};
    VkDescriptorImageInfo image{sampler_, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_UNDEFINED};
    if (const auto* viewed = std::get_if<ImageResource>(&resource)) {
      image.imageView = viewed->view;
      image.imageLayout = viewed->layout;
      if (viewed->sampler != VK_NULL_HANDLE) image.sampler = viewed->sampler;
      write.pImageInfo = &image;
    } else {
      buffer.buffer = std::get<VkBuffer>(resource);
      write.pBufferInfo = &buffer;
    }
    vk.vkUpdateDescriptorSets(handle(), 1, &write, 0, nullptr);
  }
  return set;
}

VkQueryPool Gpu::timestamps(uint32_t count) {
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = count;
  VkQueryPool pool = VK_NULL_HANDLE;
  require(vk.vkCreateQueryPool(handle(), &info, nullptr, &pool), "vkCreateQueryPool");
  at_end([this, pool] { vk.vkDestroyQueryPool(handle(), pool, nullptr); });
  return pool;
}

void Gpu::run(const std::function<void(VkCommandBuffer)>& record) const {
  check(device_->run([&](VkCommandBuffer commands) {
    record(commands);
    full_barrier(commands);
  }));
}

void Gpu::dispatch(VkCommandBuffer commands, const Pipeline& pipeline, VkDescriptorSet set,
                   std::span<const std::byte> push, uint32_t groups_x, uint32_t groups_y, uint32_t groups_z) const {
  vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle);
  vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout, 0, 1, &set, 0, nullptr);
  if (!push.empty()) {
    vk.vkCmdPushConstants(commands, pipeline.layout, pipeline.stages, 0, static_cast<uint32_t>(push.size()),
                          push.data());
  }
  vk.vkCmdDispatch(commands, groups_x, groups_y, groups_z);
}

void Gpu::barrier(VkCommandBuffer commands, Access before, Access after) const {
  const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, before.access, after.access};
  vk.vkCmdPipelineBarrier(commands, before.stages, after.stages, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

void Gpu::full_barrier(VkCommandBuffer commands) const {
  barrier(commands, {VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT},
          {VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
           VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT});
}

void Gpu::transition(VkCommandBuffer commands, const Image& image, VkImageLayout from, Access before, VkImageLayout to,
                     Access after) const {
  VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
  barrier.srcAccessMask = before.access;
  barrier.dstAccessMask = after.access;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image.handle;
  barrier.subresourceRange = {image.aspect, 0, image.levels, 0, image.layers};
  vk.vkCmdPipelineBarrier(commands, before.stages, after.stages, 0, 0, nullptr, 0, nullptr, 1, &barrier);
}

}  // namespace samples
