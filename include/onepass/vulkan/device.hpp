// device.hpp: the Vulkan device that techniques run on: yours, or one the library opens for programs without a
// renderer.
//
// The Vulkan loader is opened at run time (libvulkan.so.1); nothing here needs it at link or start time.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "onepass/export.h"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass::vulkan {

/// Three-way switch for an optional technique.
enum class Switch : uint32_t { kAuto, kOff, kOn };

/// Device features that were enabled when the VkDevice was created and that the library may use. Claiming one that was
/// not enabled is a caller mistake the validation layers report.
struct EnabledFeatures {
  bool storage_image_write_without_format = false;    ///< shaderStorageImageWriteWithoutFormat. Required.
  bool storage_image_array_dynamic_indexing = false;  ///< shaderStorageImageArrayDynamicIndexing. Shorter kernels.
  bool vulkan_memory_model = false;                   ///< vulkanMemoryModel and vulkanMemoryModelDeviceScope. Without
                                                      ///< them: coherent buffers and barriers.
  bool shader_float16 = false;                        ///< shaderFloat16. For packed half arithmetic.
  bool subgroup_extended_types = false;               ///< shaderSubgroupExtendedTypes. For half in subgroup operations.
  bool compute_full_subgroups = false;                ///< computeFullSubgroups (1.3 or VK_EXT_subgroup_size_control).
                                                      ///< For shuffles: without it odd sizes above all are slower.
  bool sampler_filter_minmax = false;                 ///< samplerFilterMinmax. For your own depth queries; see
                                                      ///< docs/depth_query.md.
};

/// A device that belongs to the caller and outlives everything made from it. Vulkan 1.2 or later.
struct DeviceHandles {
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;  ///< Null: the system's loader.
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  uint32_t queue_family = 0;  ///< Family of the queues that command buffers go to; must support compute.
  EnabledFeatures features{};
  VkPipelineCache pipeline_cache = VK_NULL_HANDLE;  ///< Optional.
};

/// A physical device as list_devices() found it.
struct DeviceInfo {
  uint32_t index = 0;
  std::string name;
  std::string driver;           ///< Driver name and version.
  uint32_t api_version = 0;     ///< As VK_MAKE_API_VERSION.
  bool software = false;        ///< Runs on the CPU (VK_PHYSICAL_DEVICE_TYPE_CPU).
  bool usable = false;          ///< Has what the library requires.
  std::string unusable_reason;  ///< Why not, if not.
  uint32_t subgroup_size = 0;
  uint32_t shared_memory_bytes = 0;
  uint32_t max_image_size = 0;  ///< maxImageDimension2D, texels.
  uint32_t max_slices = 0;      ///< maxImageArrayLayers.
  uint64_t memory_bytes = 0;    ///< Largest device-local heap.
  EnabledFeatures features;     ///< What the device could enable.
  std::vector<Format> sources;  ///< Formats it can read.
  std::vector<Format> targets;  ///< Formats it can write.
};

/// How open() chooses a device.
struct DeviceRequest {
  std::string selector{};  ///< Index as in list_devices(), or part of the name, any case. Empty: the first real GPU.
  bool allow_software = false;  ///< With an empty selector: fall back to a software device.
  bool validation = false;      ///< Load VK_LAYER_KHRONOS_validation with synchronisation validation.
  std::function<void(std::string_view)> on_validation_message{};  ///< Called for every warning and error.
};

/// Every Vulkan device of this machine. Empty when there is no loader or no driver.
/// Errors: kDevice when the loader is there but broken.
[[nodiscard]] ONEPASS_API Result<std::vector<DeviceInfo>> list_devices();

/// A device ready to create techniques on. Cheap to copy; copies share the same device.
/// Memory: techniques share pipelines through it. Those of options once used stay until the last copy is gone and the
/// last technique that was made with it, so that the same options again take no compiling.
///
/// Threads: may be used from any number of threads, except run().
class ONEPASS_API Device {
 public:
  /// Uses the caller's device. Nothing is allocated on it.
  /// Errors: kInvalidArgument for null handles or a family that cannot compute, kUnsupported when a requirement is
  /// missing, kNotFound without a loader, kDevice when entry points are missing.
  static Result<Device> adopt(const DeviceHandles& handles);

  /// Opens an instance, a device and a compute queue of its own, with every feature the library can use.
  /// Errors: kNotFound when nothing matches the selector, kUnsupported when the device lacks a requirement, kDevice.
  static Result<Device> open(const DeviceRequest& request = {});

  [[nodiscard]] const DeviceInfo& info() const;        ///< What it can do.
  [[nodiscard]] const DeviceHandles& handles() const;  ///< Of the device that was adopted or opened.

  /// Can this format be a pyramid's source here?
  [[nodiscard]] bool can_read(Format format) const;
  /// Can this format be a pyramid's target here?
  [[nodiscard]] bool can_write(Format format) const;

  /// Records commands into a fresh command buffer, submits it, waits. For opened devices only.
  /// Threads: one at a time per opened device.
  /// Errors: kInvalidArgument on an adopted device, kDevice, kOutOfMemory.
  Result<void> run(const std::function<void(VkCommandBuffer)>& record) const;

  struct Impl;  // private to the library
  explicit Device(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace onepass::vulkan
