// own_device.hpp: a Vulkan device that the test creates itself, as a renderer does, with its own loader, validation and
// synchronisation validation. For tests of the library on devices that it did not open.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "onepass/vulkan/device.hpp"
#include "vulkan/device_impl.hpp"

namespace onepass::testing {

/// vkGetInstanceProcAddr of libvulkan.so.1, opened by the test itself.
PFN_vkGetInstanceProcAddr system_loader();

// Further entry points that the tests use, Vulkan 1.3.
// clang-format off
#define ONEPASS_TEST_FUNCTIONS(X) \
  X(vkCmdPipelineBarrier2) X(vkQueueSubmit2) X(vkCreateSemaphore) X(vkDestroySemaphore) X(vkWaitSemaphores) \
  X(vkCmdBeginRendering) X(vkCmdEndRendering) X(vkCmdClearAttachments) X(vkCmdClearColorImage) \
  X(vkCreateGraphicsPipelines) X(vkCmdDraw)
// clang-format on

/// Instance, device and queue of Vulkan 1.3 with dynamic rendering, synchronization2 and timeline semaphores.
class OwnDevice {
 public:
  /// `get`: the loader. `compute_only`: takes a queue family without graphics, if there is one.
  static std::unique_ptr<OwnDevice> create(PFN_vkGetInstanceProcAddr get, bool compute_only = false);
  /// A device with VK_EXT_descriptor_buffer and buffer addresses; null if there is none.
  static std::unique_ptr<OwnDevice> create_with_descriptor_buffers(PFN_vkGetInstanceProcAddr get);
  OwnDevice(const OwnDevice&) = delete;
  ~OwnDevice();

  /// The handles for vulkan::Device::adopt().
  [[nodiscard]] vulkan::DeviceHandles handles() const;
  [[nodiscard]] int validation_messages() const { return messages_; }
  /// Returns the messages so far and sets their count to 0.
  std::string take_messages();

  /// Records into a new command buffer of a new pool, submits and waits. From any thread.
  void run(const std::function<void(VkCommandBuffer)>& record);

  /// Owns a pool with one command buffer.
  struct Commands {
    OwnDevice& device;
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer buffer = VK_NULL_HANDLE;
    explicit Commands(OwnDevice& d);
    Commands(const Commands&) = delete;
    ~Commands();
    void begin() const;
    void end() const;
  };
  void submit_and_wait(VkCommandBuffer commands);

  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  uint32_t family = 0;
  VkQueueFlags family_flags = 0;
  vulkan::InstanceFunctions vki;
  vulkan::DeviceFunctions vk;
#define ONEPASS_DECLARE(name) PFN_##name name = nullptr;
  ONEPASS_TEST_FUNCTIONS(ONEPASS_DECLARE)
#undef ONEPASS_DECLARE

 private:
  OwnDevice() = default;
  bool create_instance(PFN_vkGetInstanceProcAddr get);
  bool choose(bool compute_only);
  bool create_device(bool descriptor_buffers);
  static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                   VkDebugUtilsMessageTypeFlagsEXT,
                                                   const VkDebugUtilsMessengerCallbackDataEXT* data, void* user);

  PFN_vkGetInstanceProcAddr get_ = nullptr;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  std::mutex queue_mutex_;
  std::atomic<int> messages_{0};
  std::mutex text_mutex_;
  std::string text_;
};

}  // namespace onepass::testing
