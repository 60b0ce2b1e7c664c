// vulkan_host_test.cpp: memory of devices, error codes, allocation callbacks and debug names. The tests replace entry
// points of Vulkan.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "onepass/vulkan/pyramid.hpp"
#include "onepass/vulkan/tone_map.hpp"
#include "tests/vulkan/replaced_vulkan.hpp"
#include "vulkan/barrier.hpp"
#include "vulkan/host_image.hpp"
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
               VkMemoryPropertyFlags preferred) {
  vulkan::MemoryRequest request{.needs = {}, .required = required, .preferred = preferred};
  request.needs.memoryTypeBits = bits;
  return vulkan::memory_types(memory, request);
}

TEST(MemoryTypes, PreferredOnesComeFirst) {
  const auto gpu = memory_of({kLocal, kMapped, kMapped | kCached, kLocal | kMapped});
  EXPECT_EQ(types_of(gpu, 0xF, kMapped, kLocal), (Types{3, 1, 2}));
  EXPECT_EQ(types_of(gpu, 0xF, kMapped, kCached), (Types{2, 1, 3}));
  EXPECT_EQ(types_of(gpu, 0x7, kMapped, kLocal), (Types{1, 2}));
}

TEST(MemoryTypes, MemoryOfTheHostIsTheLastResortOfTheDevice) {
  const auto gpu = memory_of({kMapped, kLocal, 0, kLocal | kMapped});
  EXPECT_EQ(types_of(gpu, 0xF, 0, kLocal), (Types{1, 3, 0, 2}));
  EXPECT_EQ(types_of(gpu, 0x2, 0, kLocal), (Types{1}));
}

TEST(MemoryTypes, TypesThatNeedAFeatureAreLeftOut) {
  const auto gpu = memory_of({kLocal | VK_MEMORY_PROPERTY_PROTECTED_BIT,
                              kLocal | kMapped | VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD, kLocal | kMapped});
  EXPECT_EQ(types_of(gpu, 0x7, 0, kLocal), (Types{2}));
  EXPECT_EQ(types_of(gpu, 0x3, 0, kLocal), (Types{}));
}

class HostMemory : public ReplacedVulkan {
 protected:
  // Type 0: host-visible memory of the device, whose allocation fails with `error`. Type 1: the host's.
  static inline VkResult error = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  static inline std::vector<uint32_t> tried;
  static inline uint32_t mapped_type = 0;  // of the real device: stands in for type 1

  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(ReplacedVulkan::SetUp());
    error = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    tried.clear();
    VkPhysicalDeviceMemoryProperties properties{};
    own->vki.vkGetPhysicalDeviceMemoryProperties(own->physical, &properties);
    const auto* types = properties.memoryTypes;
    const auto* mapped = std::find_if(types, types + properties.memoryTypeCount,
                                      [](const auto& type) { return (type.propertyFlags & kMapped) == kMapped; });
    ASSERT_NE(mapped, types + properties.memoryTypeCount) << "Vulkan guarantees such a type";
    mapped_type = static_cast<uint32_t>(mapped - types);
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
          if (info->memoryTypeIndex == 0 || mapped_type == VK_MAX_MEMORY_TYPES) return error;
          VkMemoryAllocateInfo real = *info;
          real.memoryTypeIndex = mapped_type;
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

TEST_F(HostMemory, BuffersAndImagesOfTheDeviceAloneToo) {
  replace_function(
      "vkGetImageMemoryRequirements", +[](VkDevice device, VkImage image, VkMemoryRequirements* out) {
        own->vk.vkGetImageMemoryRequirements(device, image, out);
        out->memoryTypeBits = 3;
      });
  const auto device = adopt();
  ASSERT_TRUE(device) << device.error().text();
  const auto buffer = vulkan::Buffer::create(device->impl(), 4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, false);
  ASSERT_TRUE(buffer) << buffer.error().text();
  EXPECT_EQ(buffer->mapped, nullptr);
  EXPECT_EQ(tried, (Types{0, 1}));
  const auto image = vulkan::DeviceImage::create(
      device->impl(), {.format = Format::kR32Sfloat, .size = {4, 4}, .usage = VK_IMAGE_USAGE_STORAGE_BIT});
  ASSERT_TRUE(image) << image.error().text();
  EXPECT_EQ(tried, (Types{0, 1, 0, 1}));
}

TEST_F(HostMemory, ExhaustedInAllTypesIsAnError) {
  mapped_type = VK_MAX_MEMORY_TYPES;  // type 1 fails too
  const auto device = adopt();
  ASSERT_TRUE(device) << device.error().text();
  const auto buffer = vulkan::Buffer::create(device->impl(), 4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, false);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(tried, (Types{0, 1}));
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

// ---- Errors

TEST(VulkanError, TellsExhaustedMemoryAndLostDevicesApart) {
  const auto error = [](VkResult result) { return vulkan::vulkan_error(result, "vkSomething"); };
  EXPECT_EQ(error(VK_ERROR_OUT_OF_HOST_MEMORY).code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(error(VK_ERROR_OUT_OF_DEVICE_MEMORY).code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(error(VK_ERROR_TOO_MANY_OBJECTS).code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(error(VK_ERROR_OUT_OF_DEVICE_MEMORY).message,
            "vkSomething ran out of the device's memory (VK_ERROR_OUT_OF_DEVICE_MEMORY)");
  EXPECT_EQ(error(VK_ERROR_DEVICE_LOST).code, ErrorCode::kDeviceLost);
  EXPECT_EQ(error(VK_ERROR_DEVICE_LOST).message, "vkSomething: the device is lost (VK_ERROR_DEVICE_LOST)");
  EXPECT_EQ(error(VK_ERROR_UNKNOWN).code, ErrorCode::kDevice);
  EXPECT_EQ(error(VK_ERROR_UNKNOWN).message, "vkSomething failed (VkResult -13)");
}

// ---- Allocation callbacks

// Counts the allocations of a driver that are not freed.
struct CountingAllocator {
  std::atomic<int> live{0};
  std::atomic<int> total{0};

  static void* allocate(void* user, size_t size, size_t alignment, VkSystemAllocationScope) {
    auto& self = *static_cast<CountingAllocator*>(user);
    ++self.live;
    ++self.total;
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  }
  static void* reallocate(void* user, void* old, size_t size, size_t alignment, VkSystemAllocationScope scope) {
    if (old == nullptr) return allocate(user, size, alignment, scope);
    if (size == 0) {
      release(user, old);
      return nullptr;
    }
    return std::realloc(old, size);  // aligned as malloc() does, which suffices for these drivers
  }
  static void release(void* user, void* memory) {
    if (memory == nullptr) return;
    --static_cast<CountingAllocator*>(user)->live;
    std::free(memory);
  }
};

// Every call with callbacks passes the caller's: vkCreate..., vkDestroy..., vkAllocateMemory, vkFreeMemory.
class Callbacks : public ReplacedVulkan {
 protected:
  static inline std::set<std::string> calls, calls_without;

  static void note(const char* name, const VkAllocationCallbacks* callbacks) {
    (callbacks == nullptr ? calls_without : calls).insert(name);
  }

  template <int Index, typename Function>
  struct Wrap;
  template <int Index, typename Return, typename... Args>
  struct Wrap<Index, Return(VKAPI_PTR*)(Args...)> {
    static inline Return(VKAPI_PTR* real)(Args...) = nullptr;
    static inline const char* name = nullptr;
    static VKAPI_ATTR Return VKAPI_CALL call(Args... args) {
      const auto look = [](const auto& arg) {
        if constexpr (std::is_same_v<std::decay_t<decltype(arg)>, const VkAllocationCallbacks*>) note(name, arg);
      };
      (look(args), ...);
      return real(args...);
    }
  };
};

TEST_F(Callbacks, ReachEveryCall) {
  calls.clear();
  calls_without.clear();
  enum { kBase = __COUNTER__ };
#define ONEPASS_WRAP(function)                           \
  {                                                      \
    using W = Wrap<__COUNTER__ - kBase, PFN_##function>; \
    W::real = own->vk.function;                          \
    W::name = #function;                                 \
    replace_function(#function, &W::call);               \
  }
  ONEPASS_DEVICE_FUNCTIONS(ONEPASS_WRAP)
#undef ONEPASS_WRAP
  CountingAllocator allocator;
  {
    VkAllocationCallbacks callbacks{};
    callbacks.pUserData = &allocator;
    callbacks.pfnAllocation = &CountingAllocator::allocate;
    callbacks.pfnReallocation = &CountingAllocator::reallocate;
    callbacks.pfnFree = &CountingAllocator::release;
    vulkan::DeviceHandles handles = replaced_handles();
    handles.allocation_callbacks = &callbacks;
    const auto device = vulkan::Device::adopt(handles);
    ASSERT_TRUE(device) << device.error().text();
    callbacks = {};  // the library has a copy
    const Extent size{64, 64};
    const auto image = [&](VkImageUsageFlags usage) {
      return vulkan::DeviceImage::create(
          device->impl(), {.format = Format::kR32Sfloat, .size = size, .levels = 1, .slices = 1, .usage = usage});
    };
    auto source = image(VK_IMAGE_USAGE_SAMPLED_BIT);
    auto target = image(VK_IMAGE_USAGE_STORAGE_BIT);
    ASSERT_TRUE(source && target);
    const auto map =
        vulkan::ToneMap::create(*device, {.size = size, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat});
    ASSERT_TRUE(map) << map.error().text();
    const auto binding = map->bind({.source = source->image, .target = target->image});
    ASSERT_TRUE(binding) << binding.error().text();
  }
  EXPECT_TRUE(calls_without.empty()) << *calls_without.begin();
  for (const char* call : {"vkCreateComputePipelines",
                           "vkDestroyPipeline",
                           "vkCreateShaderModule",
                           "vkDestroyShaderModule",
                           "vkCreatePipelineLayout",
                           "vkDestroyPipelineLayout",
                           "vkCreateDescriptorSetLayout",
                           "vkDestroyDescriptorSetLayout",
                           "vkCreateDescriptorPool",
                           "vkDestroyDescriptorPool",
                           "vkCreateSampler",
                           "vkDestroySampler",
                           "vkCreateImage",
                           "vkDestroyImage",
                           "vkCreateImageView",
                           "vkDestroyImageView",
                           "vkCreateBuffer",
                           "vkDestroyBuffer",
                           "vkAllocateMemory",
                           "vkFreeMemory"}) {
    EXPECT_EQ(calls.count(call), 1U) << call;
  }
  EXPECT_GT(allocator.total, 0);
  EXPECT_EQ(allocator.live, 0);
}

// ---- Debug names

class DebugNames : public ReplacedVulkan {
 protected:
  static inline std::multiset<std::string> names;
  static inline std::vector<std::string> labels;  // "" ends one

  static void record_frame() {
    const auto device = adopt();
    ASSERT_TRUE(device) << device.error().text();
    const Extent size{64, 64};
    const auto image = [&](VkImageUsageFlags usage, uint32_t levels) {
      return vulkan::DeviceImage::create(
          device->impl(), {.format = Format::kR32Sfloat, .size = size, .levels = levels, .slices = 1, .usage = usage});
    };
    auto source = image(VK_IMAGE_USAGE_SAMPLED_BIT, 1);
    auto target = image(VK_IMAGE_USAGE_STORAGE_BIT, 7);
    ASSERT_TRUE(source && target);
    const auto pyramid =
        vulkan::Pyramid::create(*device, {.size = size, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat});
    ASSERT_TRUE(pyramid) << pyramid.error().text();
    const auto binding = pyramid->bind({.source = source->image, .target = target->image});
    ASSERT_TRUE(binding) << binding.error().text();
    const OwnDevice::Commands commands(*own);
    commands.begin();
    pyramid->record_reset(commands.buffer, *binding);
    vulkan::record_barrier(device->impl(), commands.buffer,
                           {vulkan::kTransferWrites, vulkan::kShaderReads | vulkan::kShaderWrites});
    pyramid->record(commands.buffer, *binding);
    commands.end();
  }
};

TEST_F(DebugNames, AreGivenToObjectsAndCommands) {
  names.clear();
  labels.clear();
  replace_function(
      "vkSetDebugUtilsObjectNameEXT", +[](VkDevice, const VkDebugUtilsObjectNameInfoEXT* info) {
        EXPECT_NE(info->objectHandle, 0U);
        names.insert(std::to_string(info->objectType) + " " + info->pObjectName);
        return VK_SUCCESS;
      });
  replace_function(
      "vkCmdBeginDebugUtilsLabelEXT",
      +[](VkCommandBuffer, const VkDebugUtilsLabelEXT* label) { labels.emplace_back(label->pLabelName); });
  replace_function(
      "vkCmdEndDebugUtilsLabelEXT", +[](VkCommandBuffer) { labels.emplace_back(); });
  record_frame();
  const auto has = [](VkObjectType type, const std::string& name) {
    return names.count(std::to_string(type) + " " + name) != 0;
  };
  EXPECT_TRUE(has(VK_OBJECT_TYPE_BUFFER, "onepass pyramid counters"));
  EXPECT_TRUE(has(VK_OBJECT_TYPE_BUFFER, "onepass pyramid exchange buffer"));
  EXPECT_TRUE(has(VK_OBJECT_TYPE_IMAGE_VIEW, "onepass pyramid source"));
  EXPECT_TRUE(has(VK_OBJECT_TYPE_IMAGE_VIEW, "onepass pyramid target"));
  EXPECT_TRUE(has(VK_OBJECT_TYPE_PIPELINE, "onepass pyramid_1 pipeline"));
  EXPECT_TRUE(has(VK_OBJECT_TYPE_DESCRIPTOR_SET, "onepass pyramid_1 descriptor set"));
  EXPECT_EQ(labels, (std::vector<std::string>{"onepass pyramid reset", "", "onepass pyramid", ""}));
}

TEST_F(DebugNames, AreOffWithoutTheExtension) {
  names.clear();
  labels.clear();
  replace_function("vkSetDebugUtilsObjectNameEXT", static_cast<PFN_vkVoidFunction>(nullptr));
  replace_function(
      "vkCmdBeginDebugUtilsLabelEXT",
      +[](VkCommandBuffer, const VkDebugUtilsLabelEXT* label) { labels.emplace_back(label->pLabelName); });
  record_frame();
  EXPECT_TRUE(labels.empty());
}

}  // namespace
}  // namespace onepass::testing
