// vulkan_host_test.cpp: what the library does on the host beside recording: memory types. The tests replace entry
// points of Vulkan.
#include <gtest/gtest.h>

#include <vector>

#include "replaced_vulkan.hpp"
#include "vulkan/memory.hpp"

namespace onepass::testing {
namespace {

constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kMapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

// ---- Memory

VkPhysicalDeviceMemoryProperties memory_of(const std::vector<VkMemoryPropertyFlags>& types) {
  VkPhysicalDeviceMemoryProperties memory{};
  memory.memoryHeapCount = 1;
  memory.memoryHeaps[0] = {uint64_t{1} << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  memory.memoryTypeCount = static_cast<uint32_t>(types.size());
  for (size_t i = 0; i < types.size(); ++i) memory.memoryTypes[i] = {types[i], 0};
  return memory;
}

using Types = std::vector<uint32_t>;

Types types_of(const VkPhysicalDeviceMemoryProperties& memory, uint32_t bits, VkMemoryPropertyFlags required,
               VkMemoryPropertyFlags preferred, bool falls_back) {
  vulkan::MemoryRequest request{.needs = {}, .required = required, .preferred = preferred, .falls_back = falls_back};
  request.needs.memoryTypeBits = bits;
  return vulkan::memory_types(memory, request);
}

TEST(MemoryTypes, PreferredOnesComeFirst) {
  const auto gpu = memory_of({kLocal, kMapped, kMapped | kCached, kLocal | kMapped});
  EXPECT_EQ(types_of(gpu, 0xF, kMapped, kLocal, true), (Types{3, 1, 2}));
  EXPECT_EQ(types_of(gpu, 0xF, kMapped, kCached, true), (Types{2, 1, 3}));
  EXPECT_EQ(types_of(gpu, 0x7, kMapped, kLocal, true), (Types{1, 2}));
}

TEST(MemoryTypes, MemoryOfTheDeviceDoesNotFallBack) {
  const auto gpu = memory_of({kLocal, kMapped, kLocal | kMapped});
  EXPECT_EQ(types_of(gpu, 0x7, 0, kLocal, false), (Types{0, 2}));
  EXPECT_EQ(types_of(gpu, 0x2, 0, kLocal, false), (Types{1}));
}

TEST(MemoryTypes, TypesThatNeedAFeatureAreLeftOut) {
  const auto gpu = memory_of({kLocal | VK_MEMORY_PROPERTY_PROTECTED_BIT,
                              kLocal | kMapped | VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD, kLocal | kMapped});
  EXPECT_EQ(types_of(gpu, 0x7, 0, kLocal, false), (Types{2}));
  EXPECT_EQ(types_of(gpu, 0x3, 0, kLocal, false), (Types{}));
}

class HostMemory : public ReplacedVulkan {
 protected:
  // Type 0: host-visible memory of the device, whose allocation fails with `error`. Type 1: the host's.
  static inline VkResult error = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  static inline std::vector<uint32_t> tried;

  void SetUp() override {
    ReplacedVulkan::SetUp();
    error = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    tried.clear();
    replace_function(
        "vkGetPhysicalDeviceMemoryProperties", +[](VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* out) {
          *out = memory_of({kLocal | kMapped, kMapped});
        });
    replace_function(
        "vkGetBufferMemoryRequirements", +[](VkDevice device, VkBuffer buffer, VkMemoryRequirements* out) {
          own->vk.vkGetBufferMemoryRequirements(device, buffer, out);
          out->memoryTypeBits = 3;
        });
    replace_function(
        "vkAllocateMemory", +[](VkDevice device, const VkMemoryAllocateInfo* info,
                                const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
          tried.push_back(info->memoryTypeIndex);
          if (info->memoryTypeIndex == 0) return error;
          VkMemoryAllocateInfo real = *info;
          real.memoryTypeIndex = 0;
          return own->vk.vkAllocateMemory(device, &real, callbacks, memory);
        });
  }
};

TEST_F(HostMemory, ExhaustedDeviceMemoryIsReplacedByTheHosts) {
  const auto device = adopt();
  ASSERT_TRUE(device) << device.error().text();
  const auto buffer = vulkan::Buffer::create(device->impl(), 4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true, kLocal);
  ASSERT_TRUE(buffer) << buffer.error().text();
  EXPECT_NE(buffer->mapped, nullptr);
  EXPECT_EQ(tried, (Types{0, 1}));
}

TEST_F(HostMemory, BuffersOfTheDeviceAloneStayThere) {
  const auto device = adopt();
  ASSERT_TRUE(device) << device.error().text();
  const auto buffer = vulkan::Buffer::create(device->impl(), 4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, false);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(tried, (Types{0}));
}

TEST_F(HostMemory, OtherFailuresAreNotRetried) {
  error = VK_ERROR_OUT_OF_HOST_MEMORY;
  const auto device = adopt();
  ASSERT_TRUE(device) << device.error().text();
  const auto buffer = vulkan::Buffer::create(device->impl(), 4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true, kLocal);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(tried, (Types{0}));
}

}  // namespace
}  // namespace onepass::testing
