// record_allocations_test.cpp: record() of every technique on Vulkan allocates no host memory. The program replaces the
// global operator new. Commands end in the test's loader instead of the driver, which may allocate.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "onepass/vulkan/pyramid.hpp"
#include "tests/integration/technique_rig.hpp"
#include "tests/support/test_seed.hpp"

namespace {

/// Allocations by operator new and commands of the library, on this thread, while `on`.
struct Counter {
  bool on = false;
  int allocations = 0;
  int commands = 0;
};
thread_local Counter counter;

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (counter.on) ++counter.allocations;
  void* made = nullptr;
  if (posix_memalign(&made, alignment, bytes) != 0) throw std::bad_alloc();
  return made;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
#ifdef __GNUC__  // g++ warns where it inlines a delete, but not the new of the same object
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace onepass::testing {
namespace {

PFN_vkGetDeviceProcAddr real_device_proc_addr = nullptr;

/// A command that is counted and dropped while the counter is on.
template <int Index, typename Function>
struct Command;
template <int Index, typename... Args>
struct Command<Index, void(VKAPI_PTR*)(Args...)> {
  static inline void(VKAPI_PTR* real)(Args...) = nullptr;
  static VKAPI_ATTR void VKAPI_CALL call(Args... args) {
    if (counter.on) {
      ++counter.commands;
    } else {
      real(args...);
    }
  }
};

/// `real`, the command named `wanted`, or a Command in its place.
PFN_vkVoidFunction counted(const char* wanted, PFN_vkVoidFunction real) {
  enum { kBase = __COUNTER__ };
#define ONEPASS_COUNTED(function)                           \
  if (std::strcmp(wanted, #function) == 0) {                \
    using C = Command<__COUNTER__ - kBase, PFN_##function>; \
    C::real = reinterpret_cast<PFN_##function>(real);       \
    return reinterpret_cast<PFN_vkVoidFunction>(&C::call);  \
  }
  ONEPASS_COUNTED(vkCmdBindPipeline)
  ONEPASS_COUNTED(vkCmdBindDescriptorSets)
  ONEPASS_COUNTED(vkCmdPushConstants)
  ONEPASS_COUNTED(vkCmdDispatch)
  ONEPASS_COUNTED(vkCmdDispatchIndirect)
  ONEPASS_COUNTED(vkCmdPipelineBarrier)
  ONEPASS_COUNTED(vkCmdFillBuffer)
  ONEPASS_COUNTED(vkCmdCopyBuffer)
  ONEPASS_COUNTED(vkCmdUpdateBuffer)
  ONEPASS_COUNTED(vkCmdBeginDebugUtilsLabelEXT)
  ONEPASS_COUNTED(vkCmdEndDebugUtilsLabelEXT)
#undef ONEPASS_COUNTED
  return real;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL counting_device_proc_addr(VkDevice device, const char* wanted) {
  return counted(wanted, real_device_proc_addr(device, wanted));
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL counting_instance_proc_addr(VkInstance instance, const char* wanted) {
  PFN_vkVoidFunction real = system_loader()(instance, wanted);
  if (std::strcmp(wanted, "vkGetDeviceProcAddr") != 0) return counted(wanted, real);
  real_device_proc_addr = reinterpret_cast<PFN_vkGetDeviceProcAddr>(real);
  return reinterpret_cast<PFN_vkVoidFunction>(&counting_device_proc_addr);
}

/// Runs `record` and expects commands without allocations.
template <typename Record>
void expect_no_allocation(const char* what, uint32_t number, const Record& record) {
  counter = {.on = true};
  record();
  counter.on = false;
  EXPECT_EQ(counter.allocations, 0) << what << " " << number;
  EXPECT_GT(counter.commands, 0) << what << " " << number;
}

TEST(RecordAllocations, NoTechniqueAllocates) {
  const std::unique_ptr<OwnDevice> own = OwnDevice::create(&counting_instance_proc_addr);
  ASSERT_NE(own, nullptr);
  {
    const auto device = vulkan::Device::adopt(own->handles());
    ASSERT_TRUE(device) << device.error().text();
    Rig rig(*own, *device, random_seed());
    const OwnDevice::Commands commands(*own);  // the counter drops what is recorded; C refuses a null handle
    const PyramidOptions options{.size = kRigSize,
                                 .source = Format::kRGBA16Sfloat,
                                 .target = Format::kRGBA16Sfloat,
                                 .reduction = Reduction::kMax};
    for (const auto path : {PyramidPath::kSingleDispatch, PyramidPath::kPerLevel}) {
      const auto pyramid = vulkan::Pyramid::create(*device, options, {.path = path, .prepare_update = true});
      ASSERT_TRUE(pyramid) << pyramid.error().text();
      const auto binding = pyramid->bind({.source = rig.source.image, .target = rig.levels.image, .target_level = 0});
      ASSERT_TRUE(binding) << binding.error().text();
      expect_no_allocation("update, path", static_cast<uint32_t>(path), [&] {
        pyramid->record_update(VK_NULL_HANDLE, *binding, {10, 10, 20, 20}, vulkan::Scratch::kFromLastBuild);
      });
      expect_no_allocation("path", static_cast<uint32_t>(path), [&] { pyramid->record(VK_NULL_HANDLE, *binding); });
    }
    for (const auto make : {make_cpp_driver, make_c_driver}) {
      const std::unique_ptr<Driver> driver = make(rig);
      expect_no_allocation("reset", 0, [&] { driver->reset(commands.buffer); });
      for (uint32_t t = 0; t < kTechniques; ++t)
        expect_no_allocation("technique", t, [&] { driver->record(static_cast<Technique>(t), commands.buffer); });
    }
  }
  EXPECT_EQ(own->validation_messages(), 0);
}

TEST(RecordAllocations, AnAllocationIsCounted) {
  counter = {.on = true};
  void* memory = ::operator new(64);
  counter.on = false;
  ::operator delete(memory);
  EXPECT_EQ(counter.allocations, 1);
}

}  // namespace
}  // namespace onepass::testing
