// vma_memory.cpp: bloom and a tone map with local exposure, whose device memory comes from the Vulkan Memory Allocator:
// through callbacks what create() allocates, as a buffer and an image what a binding needs. docs/integration.md
// explains its parts.
#define VMA_IMPLEMENTATION
#define VMA_VULKAN_VERSION 1002000
#include <vk_mem_alloc.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "onepass/vulkan/bloom.hpp"
#include "onepass/vulkan/tone_map.hpp"

namespace {

using namespace onepass;

constexpr Extent kSize{640, 360};
constexpr VkImageUsageFlags kSampled = VK_IMAGE_USAGE_SAMPLED_BIT, kStorage = VK_IMAGE_USAGE_STORAGE_BIT;
constexpr VkAccessFlags kShaderAccess = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;

int fail(const char* what) { return std::fprintf(stderr, "%s\n", what), 1; }

void check(VkResult result, const char* what) {
  if (result != VK_SUCCESS) std::exit(fail(what));
}

template <typename T>
T take(Result<T> result) {
  if (!result) std::exit(fail(result.error().text().c_str()));
  return std::move(*result);
}

VkInstance instance = VK_NULL_HANDLE;
VkPhysicalDevice physical = VK_NULL_HANDLE;
VkDevice device = VK_NULL_HANDLE;
VmaAllocator allocator = VK_NULL_HANDLE;
uint32_t family = 0;
std::atomic<int> allocations{0};  // of the library

// [callbacks]
VkResult allocate(void* user, const onepass_vulkan_memory_request* request, onepass_vulkan_memory* memory) {
  auto* vma = static_cast<VmaAllocator>(user);
  VmaAllocationCreateInfo wanted{};
  wanted.requiredFlags = request->required;
  wanted.preferredFlags = request->preferred;
  wanted.memoryTypeBits = request->requirements.memoryTypeBits;
  if ((request->required & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0) wanted.flags = VMA_ALLOCATION_CREATE_MAPPED_BIT;
  VmaAllocation allocation = VK_NULL_HANDLE;
  VmaAllocationInfo info{};
  const VkResult result = request->image != VK_NULL_HANDLE
                              ? vmaAllocateMemoryForImage(vma, request->image, &wanted, &allocation, &info)
                              : vmaAllocateMemoryForBuffer(vma, request->buffer, &wanted, &allocation, &info);
  if (result != VK_SUCCESS) return result;  // onepass returns kOutOfMemory
  memory->memory = info.deviceMemory;
  memory->offset = info.offset;
  memory->mapped = info.pMappedData;
  memory->allocation = allocation;
  ++allocations;
  return VK_SUCCESS;
}

void release(void* user, const onepass_vulkan_memory* memory) {
  vmaFreeMemory(static_cast<VmaAllocator>(user), static_cast<VmaAllocation>(memory->allocation));
}
// [/callbacks]

void create_device() {
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo instance_info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  instance_info.pApplicationInfo = &application;
  check(vkCreateInstance(&instance_info, nullptr, &instance), "vkCreateInstance");
  uint32_t count = 1;
  vkEnumeratePhysicalDevices(instance, &count, &physical);
  if (count == 0) std::exit(fail("no Vulkan device"));
  VkQueueFamilyProperties families[16] = {};
  count = 16;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
  constexpr VkQueueFlags kBoth = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  while (family + 1 < count && (families[family].queueFlags & kBoth) != kBoth) ++family;
  VkPhysicalDeviceFeatures features{};
  features.shaderStorageImageWriteWithoutFormat = VK_TRUE;
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, family, 1, &priority};
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.pEnabledFeatures = &features;
  check(vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice");
  VmaAllocatorCreateInfo allocator_info{};
  allocator_info.vulkanApiVersion = VK_API_VERSION_1_2;
  allocator_info.physicalDevice = physical;
  allocator_info.device = device;
  allocator_info.instance = instance;
  check(vmaCreateAllocator(&allocator_info, &allocator), "vmaCreateAllocator");
}

struct Image {
  VkImage image = VK_NULL_HANDLE;
  VmaAllocation allocation = VK_NULL_HANDLE;

  explicit Image(const VkImageCreateInfo& info) {
    VmaAllocationCreateInfo wanted{};
    wanted.usage = VMA_MEMORY_USAGE_AUTO;
    check(vmaCreateImage(allocator, &info, &wanted, &image, &allocation, nullptr), "vmaCreateImage");
  }
  Image(VkFormat format, VkImageUsageFlags usage) : Image(image_info(format, usage)) {}
  Image(const Image&) = delete;
  ~Image() { vmaDestroyImage(allocator, image, allocation); }

  static VkImageCreateInfo image_info(VkFormat format, VkImageUsageFlags usage) {
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {kSize.width, kSize.height, 1};
    info.mipLevels = 1;
    info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = usage;
    return info;
  }
};

struct Buffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  VmaAllocation allocation = VK_NULL_HANDLE;
  VmaAllocationInfo info{};

  Buffer(VkDeviceSize size, VkBufferUsageFlags usage, VmaAllocationCreateFlags flags) {
    VkBufferCreateInfo buffer_info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    buffer_info.size = size;
    buffer_info.usage = usage;
    VmaAllocationCreateInfo wanted{};
    wanted.usage = VMA_MEMORY_USAGE_AUTO;
    wanted.flags = flags;
    check(vmaCreateBuffer(allocator, &buffer_info, &wanted, &buffer, &allocation, &info), "vmaCreateBuffer");
  }
  Buffer(const Buffer&) = delete;
  ~Buffer() { vmaDestroyBuffer(allocator, buffer, allocation); }
};

void barrier(VkCommandBuffer commands, VkImage image, VkPipelineStageFlags from, VkAccessFlags wrote,
             VkImageLayout old_layout, VkPipelineStageFlags to, VkAccessFlags reads, VkImageLayout new_layout) {
  VkImageMemoryBarrier b{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
  b.srcAccessMask = wrote;
  b.dstAccessMask = reads;
  b.oldLayout = old_layout;
  b.newLayout = new_layout;
  b.srcQueueFamilyIndex = b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  b.image = image;
  b.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdPipelineBarrier(commands, from, to, 0, 0, nullptr, 0, nullptr, 1, &b);
}

void memory_barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags wrote, VkPipelineStageFlags to,
                    VkAccessFlags reads) {
  const VkMemoryBarrier b{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, wrote, reads};
  vkCmdPipelineBarrier(commands, from, to, 0, 1, &b, 0, nullptr, 0, nullptr);
}

/// Records a frame: a grey source, bloom, the tone map, and a copy of one texel.
void record_frame(VkCommandBuffer commands, const Image& source, const Image& glowing, const Image& picture,
                  const Buffer& texel, const vulkan::Bloom& bloom, const vulkan::OperationBinding& bloom_binding,
                  const vulkan::ToneMap& map, const vulkan::ToneMapBinding& map_binding) {
  constexpr VkPipelineStageFlags kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                 kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  map.record_reset(commands, map_binding);  // once: the scratch memory has unknown content
  memory_barrier(commands, kTransfer, VK_ACCESS_TRANSFER_WRITE_BIT, kCompute, kShaderAccess);
  barrier(commands, source.image, kTransfer, 0, VK_IMAGE_LAYOUT_UNDEFINED, kTransfer, VK_ACCESS_TRANSFER_WRITE_BIT,
          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  const VkClearColorValue grey{{0.18F, 0.18F, 0.18F, 1.0F}};
  const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdClearColorImage(commands, source.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &grey, 1, &all);
  barrier(commands, source.image, kTransfer, VK_ACCESS_TRANSFER_WRITE_BIT, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
          kCompute, VK_ACCESS_SHADER_READ_BIT, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  for (const Image* target : {&glowing, &picture}) {
    barrier(commands, target->image, kCompute, 0, VK_IMAGE_LAYOUT_UNDEFINED, kCompute, VK_ACCESS_SHADER_WRITE_BIT,
            VK_IMAGE_LAYOUT_GENERAL);
  }
  bloom.record(commands, bloom_binding);
  memory_barrier(commands, kCompute, VK_ACCESS_SHADER_WRITE_BIT, kCompute, VK_ACCESS_SHADER_READ_BIT);
  map.record(commands, map_binding);
  barrier(commands, picture.image, kCompute, VK_ACCESS_SHADER_WRITE_BIT, VK_IMAGE_LAYOUT_GENERAL, kTransfer,
          VK_ACCESS_TRANSFER_READ_BIT, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageOffset = {kSize.width / 2, kSize.height / 2, 0};
  region.imageExtent = {1, 1, 1};
  vkCmdCopyImageToBuffer(commands, picture.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, texel.buffer, 1, &region);
  memory_barrier(commands, kTransfer, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                 VK_ACCESS_HOST_READ_BIT);
}

template <typename Record>
void run_commands(const Record& record) {
  const VkCommandPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, family};
  VkCommandPool pool = VK_NULL_HANDLE;
  check(vkCreateCommandPool(device, &pool_info, nullptr, &pool), "vkCreateCommandPool");
  const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool,
                                         VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  VkCommandBuffer commands = VK_NULL_HANDLE;
  check(vkAllocateCommandBuffers(device, &info, &commands), "vkAllocateCommandBuffers");
  const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  record(commands);
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  VkQueue queue = VK_NULL_HANDLE;
  vkGetDeviceQueue(device, family, 0, &queue);
  VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  check(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  check(vkQueueWaitIdle(queue), "vkQueueWaitIdle");
  vkDestroyCommandPool(device, pool, nullptr);
}

int run() {
  // [adopt_memory]
  const auto gpu =
      take(vulkan::Device::adopt({.instance = instance,
                                  .physical_device = physical,
                                  .device = device,
                                  .queue_family = family,
                                  .features = {.storage_image_write_without_format = true},
                                  .memory = {.user = allocator, .allocate = allocate, .release = release}}));
  // [/adopt_memory]
  constexpr Format kHalf = Format::kRGBA16Sfloat;
  const auto bloom =
      take(vulkan::Bloom::create(gpu, {.size = kSize, .source = kHalf, .method = BloomMethod::kMipChain}));
  const auto map = take(vulkan::ToneMap::create(
      gpu, {.size = kSize, .source = kHalf, .target = Format::kRGBA8Unorm, .local = {.highlights = 0.5F}}));
  const Image source(VK_FORMAT_R16G16B16A16_SFLOAT, kSampled | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  const Image glowing(VK_FORMAT_R16G16B16A16_SFLOAT, kSampled | kStorage);
  const Image picture(VK_FORMAT_R8G8B8A8_UNORM, kStorage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  const int created = allocations;
  // [own_scratch]
  // One buffer for both techniques, an image for the mip chain: bind() allocates no device memory.
  const VkDeviceSize map_at = (bloom.dispatch_plan().scratch_bytes + 255) / 256 * 256;
  const Buffer scratch(map_at + map.dispatch_plan().scratch_bytes,
                       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, 0);
  const Image mip_chain(bloom.mip_chain_info());
  const auto bloom_binding = take(bloom.bind({.source = {.image = source.image},
                                              .target = {.image = glowing.image},
                                              .scratch = {.buffer = scratch.buffer},
                                              .mip_chain = mip_chain.image}));
  const auto map_binding = take(map.bind({.source = glowing.image,
                                          .source_layout = VK_IMAGE_LAYOUT_GENERAL,
                                          .target = picture.image,
                                          .scratch = scratch.buffer,
                                          .scratch_offset = map_at}));
  // [/own_scratch]
  if (allocations != created) return fail("bind() has allocated memory");
  const Buffer texel(4, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                     VMA_ALLOCATION_CREATE_MAPPED_BIT | VMA_ALLOCATION_CREATE_HOST_ACCESS_RANDOM_BIT);
  run_commands([&](VkCommandBuffer commands) {
    record_frame(commands, source, glowing, picture, texel, bloom, bloom_binding, map, map_binding);
  });
  check(vmaInvalidateAllocation(allocator, texel.allocation, 0, VK_WHOLE_SIZE), "vmaInvalidateAllocation");
  const auto* rgba = static_cast<const unsigned char*>(texel.info.pMappedData);
  if (rgba[0] == 0 || rgba[0] == 255 || rgba[0] != rgba[1] || rgba[0] != rgba[2] || rgba[3] != 255)
    return fail("the picture is not grey");
  std::printf("%s: allocations of the library: %d; grey: %d\n", gpu.info().name.c_str(), created, rgba[0]);
  return 0;
}

}  // namespace

int main() {
  create_device();
  int failed = run();
  VmaTotalStatistics statistics{};
  vmaCalculateStatistics(allocator, &statistics);
  if (statistics.total.statistics.allocationCount != 0) failed = fail("memory was not released");
  vmaDestroyAllocator(allocator);
  vkDestroyDevice(device, nullptr);
  vkDestroyInstance(instance, nullptr);
  return failed;
}
