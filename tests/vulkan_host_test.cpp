// vulkan_host_test.cpp: what the library does on the host beside recording: memory types, shared objects, limits.
// The tests replace entry points of Vulkan.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "onepass/vulkan/device_report.hpp"
#include "onepass/vulkan/fourier.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "onepass/vulkan/tile_reduction.hpp"
#include "onepass/vulkan/tone_map.hpp"
#include "replaced_vulkan.hpp"
#include "vulkan/barrier.hpp"
#include "vulkan/host_image.hpp"
#include "vulkan/kernel_limits.hpp"
#include "vulkan/kernels.hpp"
#include "vulkan/memory.hpp"
#include "vulkan/reconvergence.hpp"
#include "vulkan/shared_objects.hpp"

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
    ReplacedVulkan::SetUp();
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
  EXPECT_TRUE(has(VK_OBJECT_TYPE_BUFFER, "onepass pyramid scratch"));
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

// ---- Shared objects

using Made = Result<std::shared_ptr<int>>;

// Long enough for everything that does not wait; a test that waits for nothing fails instead of hanging.
constexpr std::chrono::seconds kPatience{60};

TEST(SharedObjects, CreationOfOneDoesNotDelayOthers) {
  vulkan::SharedObjects objects;
  ASSERT_TRUE(objects.get<int>("made", [] { return Made(std::make_shared<int>(1)); }));
  std::promise<void> begun, released;
  std::future<void> release = released.get_future();
  std::thread slow([&] {
    const auto object = objects.get<int>("slow", [&] {
      begun.set_value();
      release.wait_for(kPatience);
      return Made(std::make_shared<int>(2));
    });
    EXPECT_TRUE(object && **object == 2);
  });
  begun.get_future().wait();
  const auto start = std::chrono::steady_clock::now();
  const auto hit = objects.get<int>("made", [] { return Made(std::make_shared<int>(3)); });
  EXPECT_TRUE(hit && **hit == 1);
  const auto other = objects.get<int>("other", [] { return Made(std::make_shared<int>(4)); });
  EXPECT_TRUE(other && **other == 4);
  EXPECT_LT(std::chrono::steady_clock::now() - start, kPatience);
  released.set_value();
  slow.join();
}

TEST(SharedObjects, ThreadsThatAskForOneShareItsCreation) {
  vulkan::SharedObjects objects;
  std::atomic<int> created{0};
  std::vector<std::thread> threads;
  std::vector<std::shared_ptr<const int>> results(4);
  for (auto& result : results) {
    threads.emplace_back([&] {
      const auto object = objects.get<int>("key", [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return Made(std::make_shared<int>(++created));
      });
      if (object) result = *object;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(created, 1);
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

TEST(SharedObjects, FailuresAreNotStored) {
  vulkan::SharedObjects objects;
  const auto failed = objects.get<int>("key", [] { return Made(Error{ErrorCode::kOutOfMemory, "none left", {}}); });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "none left");
  const auto object = objects.get<int>("key", [] { return Made(std::make_shared<int>(5)); });
  ASSERT_TRUE(object);
  EXPECT_EQ(**object, 5);
}

TEST(SharedObjects, TrimDestroysWhatNobodyUses) {
  vulkan::SharedObjects objects;
  const auto make = [] { return Made(std::make_shared<int>(6)); };
  const auto used = objects.get<int>("used", make);
  ASSERT_TRUE(used && objects.get<int>("unused", make));
  EXPECT_EQ(objects.trim(), 1U);
  EXPECT_EQ(objects.trim(), 0U);
  const auto again = objects.get<int>("used", make);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *used);
}

// The first pipeline that is compiled waits for `released`.
class SlowCompiler : public ReplacedVulkan {
 protected:
  static inline std::atomic<int> compiled{0};
  static inline std::promise<void>* begun = nullptr;
  static inline std::future<void>* released = nullptr;

  static VkResult create(VkDevice device, VkPipelineCache cache, uint32_t count,
                         const VkComputePipelineCreateInfo* infos, const VkAllocationCallbacks* callbacks,
                         VkPipeline* pipelines) {
    if (compiled++ == 0) {
      begun->set_value();
      released->wait_for(kPatience);
    }
    return own->vk.vkCreateComputePipelines(device, cache, count, infos, callbacks, pipelines);
  }
};

TEST_F(SlowCompiler, DelaysNoOtherKernel) {
  std::promise<void> begins, releases;
  std::future<void> release = releases.get_future();
  begun = &begins;
  released = &release;
  compiled = 0;
  replace_function("vkCreateComputePipelines", &create);
  const auto device = adopt();
  ASSERT_TRUE(device) << device.error().text();
  const auto tiles = [&](uint32_t factor) {
    return vulkan::TileReduction::create(
        *device, {.size = {64, 64}, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat, .factor = factor});
  };
  std::thread slow([&] { EXPECT_TRUE(tiles(4)); });
  begins.get_future().wait();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(tiles(8));
  EXPECT_TRUE(tiles(8));
  EXPECT_LT(std::chrono::steady_clock::now() - start, kPatience);
  releases.set_value();
  slow.join();
  EXPECT_EQ(compiled, 2);
}

using Trim = ReplacedVulkan;

TEST_F(Trim, DestroysPipelinesWithoutUsers) {
  static int pipelines = 0;
  pipelines = 0;
  replace_function(
      "vkCreateComputePipelines",
      +[](VkDevice device, VkPipelineCache cache, uint32_t count, const VkComputePipelineCreateInfo* infos,
          const VkAllocationCallbacks* callbacks, VkPipeline* out) {
        ++pipelines;
        return own->vk.vkCreateComputePipelines(device, cache, count, infos, callbacks, out);
      });
  replace_function(
      "vkDestroyPipeline", +[](VkDevice device, VkPipeline pipeline, const VkAllocationCallbacks* callbacks) {
        pipelines -= pipeline == VK_NULL_HANDLE ? 0 : 1;
        own->vk.vkDestroyPipeline(device, pipeline, callbacks);
      });
  const auto device = adopt();
  ASSERT_TRUE(device) << device.error().text();
  {
    const TransformOptions options{.size = {64, 64}, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat};
    const auto transform = vulkan::Transform::create(*device, options, {});
    ASSERT_TRUE(transform) << transform.error().text();
    EXPECT_GT(pipelines, 0);
    EXPECT_EQ(device->trim(), 0U);
  }
  EXPECT_GT(pipelines, 0);
  EXPECT_GT(device->trim(), 1U);  // pipelines and a table
  EXPECT_EQ(pipelines, 0);
  EXPECT_EQ(device->trim(), 0U);
}

// ---- Limits

VkPhysicalDeviceLimits roomy_limits() {
  VkPhysicalDeviceLimits limits{};
  limits.maxPerStageDescriptorSamplers = limits.maxDescriptorSetSamplers = 16;
  limits.maxPerStageDescriptorSampledImages = limits.maxDescriptorSetSampledImages = 16;
  limits.maxPerStageDescriptorStorageImages = limits.maxDescriptorSetStorageImages = 16;
  limits.maxPerStageDescriptorStorageBuffers = limits.maxDescriptorSetStorageBuffers = 16;
  limits.maxPerStageDescriptorUniformBuffers = limits.maxDescriptorSetUniformBuffers = 16;
  limits.maxPerStageResources = 128;
  limits.maxPushConstantsSize = 128;
  return limits;
}

TEST(LayoutLimits, NameWhatIsExceeded) {
  const std::vector<vulkan::KernelBinding> bindings = {{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
                                                       {1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 5},
                                                       {2},
                                                       {3},
                                                       {4, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER}};
  using Limits = VkPhysicalDeviceLimits;
  const struct {
    uint32_t Limits::*limit;
    uint32_t least;
    const char* text;
  } cases[] = {
      {&Limits::maxPerStageDescriptorSamplers, 1, "1 samplers, but maxPerStageDescriptorSamplers is 0"},
      {&Limits::maxDescriptorSetSampledImages, 1, "1 sampled images, but maxDescriptorSetSampledImages is 0"},
      {&Limits::maxPerStageDescriptorStorageImages, 5, "5 storage images, but maxPerStageDescriptorStorageImages is 4"},
      {&Limits::maxDescriptorSetStorageImages, 5, "5 storage images, but maxDescriptorSetStorageImages is 4"},
      {&Limits::maxPerStageDescriptorStorageBuffers, 2,
       "2 storage buffers, but maxPerStageDescriptorStorageBuffers is 1"},
      {&Limits::maxDescriptorSetUniformBuffers, 1, "1 uniform buffers, but maxDescriptorSetUniformBuffers is 0"},
      {&Limits::maxPerStageResources, 9, "9 resources, but maxPerStageResources is 8"},
      {&Limits::maxPushConstantsSize, 96, "96 bytes of push constants, but maxPushConstantsSize is 95"}};
  for (const auto& [limit, least, text] : cases) {
    VkPhysicalDeviceLimits limits = roomy_limits();
    limits.*limit = least;
    EXPECT_EQ(vulkan::layout_limit_exceeded(limits, bindings, 96), "");
    limits.*limit = least - 1;
    EXPECT_EQ(vulkan::layout_limit_exceeded(limits, bindings, 96), text);
  }
}

// The needs that the options of each technique compute for themselves.
TEST(KernelNeeds, AreReadFromSpirv) {
  const auto needs_of = [](const char* name, const std::vector<uint32_t>& constants) {
    const auto code = vulkan::find_kernel(name);
    EXPECT_TRUE(code) << name;
    return code ? vulkan::kernel_needs(*code, constants) : vulkan::KernelNeeds{};
  };
  using Size = std::array<uint32_t, 3>;
  // Bins, copies.
  EXPECT_EQ(needs_of("luminance", {256, 1}).shared_bytes, 8192U + 2880U);
  EXPECT_EQ(needs_of("luminance", {256, 4}).shared_bytes, 4 * 8192U + 2880U);
  EXPECT_EQ(needs_of("luminance", {256, 1}).workgroup_size, (Size{256, 1, 1}));
  // The size of the workgroup, twice.
  EXPECT_EQ(needs_of("tone_map", {64, 64}).workgroup_size, (Size{64, 1, 1}));
  EXPECT_EQ(needs_of("tile_reduction_4_tree", {128}).workgroup_size, (Size{128, 1, 1}));
  EXPECT_EQ(needs_of("fourier_texels_load", {}).workgroup_size, (Size{64, 4, 1}));
  EXPECT_EQ(needs_of("fourier_spectrum", {}).shared_bytes, 0U);
}

TEST(KernelNeeds, OfEveryPyramidFit32KB) {
  for (const char* name : {"pyramid_1", "pyramid_2_subgroup", "pyramid_4_indexed_subgroup", "pyramid_tight_4"}) {
    const auto code = vulkan::find_kernel(name);
    ASSERT_TRUE(code) << name;
    const vulkan::KernelNeeds needs = vulkan::kernel_needs(*code, {});
    EXPECT_GT(needs.shared_bytes, 0U) << name;
    EXPECT_LE(needs.shared_bytes, 32768U) << name;
  }
}

TEST(KernelNeeds, OfDamagedModulesAreNothing) {
  const std::vector<uint32_t> module = {0x07230203, 0x00010500, 0, 10, 0, 0x00090013};
  EXPECT_EQ(vulkan::kernel_needs(module, {}).shared_bytes, 0U);
  EXPECT_EQ(vulkan::kernel_needs({}, {}).shared_bytes, 0U);
}

TEST(NeedsLimits, NameWhatIsExceeded) {
  VkPhysicalDeviceLimits limits{};
  limits.maxComputeWorkGroupInvocations = 128;
  limits.maxComputeWorkGroupSize[0] = limits.maxComputeWorkGroupSize[1] = 128;
  limits.maxComputeWorkGroupSize[2] = 64;
  limits.maxComputeSharedMemorySize = 16384;
  EXPECT_EQ(vulkan::needs_limit_exceeded(limits, {{128, 1, 1}, 16384}), "");
  EXPECT_EQ(vulkan::needs_limit_exceeded(limits, {{64, 4, 1}, 0}),
            "256 invocations in a workgroup, but maxComputeWorkGroupInvocations is 128");
  EXPECT_EQ(vulkan::needs_limit_exceeded(limits, {{1, 1, 65}, 0}),
            "65 invocations in z, but maxComputeWorkGroupSize[2] is 64");
  EXPECT_EQ(vulkan::needs_limit_exceeded(limits, {{64, 1, 1}, 16388}),
            "16388 bytes of shared memory, but maxComputeSharedMemorySize is 16384");
}

// ---- Subgroup sizes

TEST(SubgroupSize, IsAskedForWhereThereAreSeveral) {
  const auto size = vulkan::subgroup_size_to_require;
  EXPECT_EQ(size(32, 32, 64), 0U);  // NVIDIA
  EXPECT_EQ(size(8, 8, 64), 0U);    // lavapipe
  EXPECT_EQ(size(8, 32, 64), 16U);  // Intel
  EXPECT_EQ(size(16, 32, 64), 16U);
  EXPECT_EQ(size(32, 64, 64), 32U);   // AMD
  EXPECT_EQ(size(64, 128, 16), 64U);  // Qualcomm
  EXPECT_EQ(size(4, 8, 128), 8U);
  EXPECT_EQ(size(8, 32, 16), 32U);  // workgroups of 512 invocations
}

class SubgroupSizes : public ReplacedVulkan {
 protected:
  static inline uint32_t required = 0;  // of the last pipeline
  static inline bool full = false;

  // A device with subgroups of 8 to 32. The driver gets pipelines without a request, which its device does not allow.
  static Result<vulkan::Device> adopt_device(bool control) {
    change_properties([](VkPhysicalDeviceProperties2& out) {
      for (auto* next = static_cast<VkBaseOutStructure*>(out.pNext); next != nullptr; next = next->pNext) {
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES) {
          auto& sizes = *reinterpret_cast<VkPhysicalDeviceSubgroupSizeControlProperties*>(next);
          sizes.minSubgroupSize = 8;
          sizes.maxSubgroupSize = 32;
          sizes.maxComputeWorkgroupSubgroups = 64;
          sizes.requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT;
        }
      }
    });
    replace_function(
        "vkCreateComputePipelines",
        +[](VkDevice device, VkPipelineCache cache, uint32_t count, const VkComputePipelineCreateInfo* infos,
            const VkAllocationCallbacks* callbacks, VkPipeline* pipelines) {
          VkComputePipelineCreateInfo info = infos[0];
          full = info.stage.flags == VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
          const auto* size = static_cast<const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo*>(info.stage.pNext);
          required = size == nullptr ? 0 : size->requiredSubgroupSize;
          info.stage.flags = 0;
          info.stage.pNext = nullptr;
          return own->vk.vkCreateComputePipelines(device, cache, count, &info, callbacks, pipelines);
        });
    vulkan::DeviceHandles handles = replaced_handles();
    handles.features.compute_full_subgroups = true;
    handles.features.subgroup_size_control = control;
    return vulkan::Device::adopt(handles);
  }

  static void create(const Result<vulkan::Device>& device) {
    ASSERT_TRUE(device) << device.error().text();
    const auto tiles = vulkan::TileReduction::create(
        *device, {.size = {64, 64}, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat, .factor = 8});
    ASSERT_TRUE(tiles) << tiles.error().text();
    EXPECT_EQ(tiles->plan().strategy, vulkan::TileStrategy::kSubgroup);
    EXPECT_TRUE(full);
  }
};

TEST_F(SubgroupSizes, AreAskedForWithTheFeature) {
  create(adopt_device(true));
  EXPECT_EQ(required, 16U);
}

TEST_F(SubgroupSizes, AreLeftToTheDriverWithout) {
  create(adopt_device(false));
  EXPECT_EQ(required, 0U);
}

class DeclaredReconvergence : public ReplacedVulkan {
 protected:
  static inline std::vector<uint32_t> module;

  // The module that a device with the features gets for a kernel with or without subgroup operations. The driver does
  // not get it, because its device has not enabled the features.
  static std::vector<uint32_t> module_with(vulkan::EnabledFeatures features, vulkan::TileStrategy strategy) {
    module.clear();
    replace_function(
        "vkCreateShaderModule",
        +[](VkDevice, const VkShaderModuleCreateInfo* info, const VkAllocationCallbacks*, VkShaderModule*) {
          module.assign(info->pCode, info->pCode + info->codeSize / 4);
          return VK_ERROR_OUT_OF_HOST_MEMORY;
        });
    vulkan::DeviceHandles handles = replaced_handles();
    features.storage_image_write_without_format = true;
    features.compute_full_subgroups = true;
    handles.features = features;
    const auto device = vulkan::Device::adopt(handles);
    EXPECT_TRUE(device) << device.error().text();
    const auto tiles = vulkan::TileReduction::create(
        *device, {.size = {64, 64}, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat, .factor = 8},
        {.strategy = strategy});
    EXPECT_FALSE(tiles);
    return module;
  }
};

TEST_F(DeclaredReconvergence, OnlyWhereTheDeviceEnabledIt) {
  const auto subgroup = vulkan::TileStrategy::kSubgroup;
  const std::vector<uint32_t> plain = module_with({}, subgroup);
  ASSERT_GT(plain.size(), 100U);
  EXPECT_EQ(module_with({.subgroup_uniform_control_flow = true}, subgroup),
            vulkan::declare_reconvergence(plain, vulkan::Reconvergence::kSubgroupUniform));
  EXPECT_GT(module.size(), plain.size());
  EXPECT_EQ(module_with({.subgroup_uniform_control_flow = true, .maximal_reconvergence = true}, subgroup),
            vulkan::declare_reconvergence(plain, vulkan::Reconvergence::kMaximal));
  EXPECT_GT(module.size(), plain.size());
  const auto tree = vulkan::TileStrategy::kTree;
  EXPECT_EQ(module_with({.maximal_reconvergence = true}, tree), module_with({}, tree));
}

TEST_F(DeclaredReconvergence, DevicesOfTheLibraryEnableWhatTheyHave) {
  auto reports = vulkan::report_devices();
  ASSERT_TRUE(reports) << reports.error().text();
  ASSERT_FALSE(reports->empty());
  for (const vulkan::DeviceReport& report : *reports) {
    const auto has = [&](const char* name) {
      return std::find(report.extensions.begin(), report.extensions.end(), name) != report.extensions.end();
    };
    const vulkan::EnabledFeatures& features = report.info.features;
    EXPECT_EQ(features.subgroup_uniform_control_flow, has("VK_KHR_shader_subgroup_uniform_control_flow"));
    EXPECT_EQ(features.maximal_reconvergence, has("VK_KHR_shader_maximal_reconvergence"));
    if (!report.info.usable) continue;
    auto device = vulkan::Device::open({.selector = std::to_string(report.info.index)});
    ASSERT_TRUE(device) << device.error().text();
    EXPECT_EQ(device->handles().features.subgroup_uniform_control_flow, features.subgroup_uniform_control_flow);
    EXPECT_EQ(device->handles().features.maximal_reconvergence, features.maximal_reconvergence);
  }
}

using Limits = ReplacedVulkan;

TEST_F(Limits, OfDescriptorsAreCheckedBeforeLayoutsAreCreated) {
  change_properties(
      [](VkPhysicalDeviceProperties2& out) { out.properties.limits.maxPerStageDescriptorStorageBuffers = 2; });
  static int layouts = 0;
  layouts = 0;
  replace_function(
      "vkCreateDescriptorSetLayout", +[](VkDevice device, const VkDescriptorSetLayoutCreateInfo* info,
                                         const VkAllocationCallbacks* callbacks, VkDescriptorSetLayout* layout) {
        ++layouts;
        return own->vk.vkCreateDescriptorSetLayout(device, info, callbacks, layout);
      });
  const auto device = adopt();
  ASSERT_TRUE(device) << device.error().text();
  const auto transform = vulkan::Transform::create(
      *device, {.size = {64, 64}, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat}, {});
  ASSERT_FALSE(transform);
  EXPECT_EQ(transform.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(transform.error().message.find("kernel fourier_rows_forward"), 0U) << transform.error().message;
  EXPECT_NE(transform.error().message.find("storage buffers, but maxPerStageDescriptorStorageBuffers is 2"),
            std::string::npos)
      << transform.error().message;
  EXPECT_EQ(layouts, 0);
}

TEST_F(Limits, OfSharedMemoryAreThoseOfTheKernel) {
  static uint32_t shared_bytes = 0;
  change_properties(
      [](VkPhysicalDeviceProperties2& out) { out.properties.limits.maxComputeSharedMemorySize = shared_bytes; });
  const auto path = [](Format format, vulkan::PyramidTuning tuning = {}) -> Result<PyramidPath> {
    const auto device = adopt();
    if (!device) return device.error();
    const auto pyramid =
        vulkan::Pyramid::create(*device, {.size = {64, 64}, .source = format, .target = format}, tuning);
    if (!pyramid) return pyramid.error();
    return pyramid->plan().path;
  };
  shared_bytes = 16384;
  const auto one = path(Format::kR32Sfloat);
  ASSERT_TRUE(one) << one.error().text();
  EXPECT_EQ(*one, PyramidPath::kSingleDispatch);
  const auto four = path(Format::kRGBA32Sfloat);
  ASSERT_TRUE(four) << four.error().text();
  EXPECT_EQ(*four, PyramidPath::kPerLevel);
  const auto refused = path(Format::kRGBA32Sfloat, {.path = PyramidPath::kSingleDispatch});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(refused.error().message.find("bytes of shared memory, but maxComputeSharedMemorySize is 16384"),
            std::string::npos)
      << refused.error().message;
}

}  // namespace
}  // namespace onepass::testing
