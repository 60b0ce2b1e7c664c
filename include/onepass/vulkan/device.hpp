// device.hpp: the Vulkan device on which techniques run: the caller's device, or one that the library opens for
// programs without a renderer.
//
// The Vulkan loader (libvulkan.so.1, vulkan-1.dll, libvulkan.dylib) is opened at run time; the library does not need it
// at link or start time.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "onepass/export.h"
#include "onepass/image.hpp"
#include "onepass/result.hpp"
#include "onepass/vulkan_memory.h"

namespace onepass::vulkan {

/// Switch for an optional technique. kAuto: the library decides.
enum class Switch : uint32_t { kAuto, kOff, kOn };

/// How a technique reads its source, which decides the usage that the image needs.
enum class SourceUsage : uint32_t {
  kSampled,  ///< Usage SAMPLED.
  kStorage,  ///< Usage STORAGE, layout GENERAL; for images that another shader writes and nobody samples. Needs
             ///< storage_image_read_without_format and a format with storage support: no depth, no sRGB. Slower.
};

/// Device features that were enabled when the VkDevice was created and that the library may use. Stating a feature that
/// was not enabled is a caller mistake, which the validation layers report.
struct EnabledFeatures {
  bool storage_image_write_without_format = false;    ///< shaderStorageImageWriteWithoutFormat. Required.
  bool storage_image_array_dynamic_indexing = false;  ///< shaderStorageImageArrayDynamicIndexing. Gives shorter
                                                      ///< kernels.
  bool storage_image_read_without_format = false;     ///< shaderStorageImageReadWithoutFormat. For
                                                      ///< SourceUsage::kStorage.
  bool compute_full_subgroups = false;  ///< computeFullSubgroups (1.3 or VK_EXT_subgroup_size_control). For shuffles;
                                        ///< without it, odd sizes in particular are slower.
  bool subgroup_size_control = false;   ///< subgroupSizeControl (1.3 or VK_EXT_subgroup_size_control). With
                                        ///< computeFullSubgroups: the library chooses the size of subgroups where
                                        ///< the driver offers several.
  bool sampler_filter_minmax = false;   ///< samplerFilterMinmax. For your own depth queries; see docs/depth_query.md.
  bool subgroup_uniform_control_flow = false;  ///< shaderSubgroupUniformControlFlow
                                               ///< (VK_KHR_shader_subgroup_uniform_control_flow). Kernels with
                                               ///< subgroup operations declare it: docs/devices.md.
  bool maximal_reconvergence = false;          ///< shaderMaximalReconvergence (VK_KHR_shader_maximal_reconvergence).
                                               ///< The same; kernels declare it alone where both are true.
};

/// Functions of the caller that allocate device memory, and what they get and return: onepass/vulkan_memory.h.
using MemoryCallbacks = ::onepass_vulkan_memory_callbacks;
using MemoryCallbackRequest = ::onepass_vulkan_memory_request;  ///< What the memory of a buffer or image must be.
using MemoryRange = ::onepass_vulkan_memory;                    ///< A range that a callback returns.

/// A device that belongs to the caller and outlives all objects made with it. Vulkan 1.2 or later.
struct DeviceHandles {
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;  ///< Null: the system's loader.
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  uint32_t queue_family = 0;  ///< Family of the queues to which command buffers are submitted; must support compute.
  EnabledFeatures features{};
  VkPipelineCache pipeline_cache = VK_NULL_HANDLE;  ///< Optional. Not externally synchronised: several threads may
                                                    ///< compile at once.
  const VkAllocationCallbacks* allocation_callbacks = nullptr;  ///< Optional. Passed to every call that creates,
                                                                ///< destroys, allocates or frees; the struct is copied.
                                                                ///< The functions are called from several threads.
  uint32_t api_version = 0;  ///< VkApplicationInfo::apiVersion of the instance: VK_API_VERSION_1_2 or higher. A device
                             ///< may be used up to this version only, whatever the driver supports, and Vulkan has no
                             ///< query for it. 0: not stated; adopt() then refuses what it can find out.
  MemoryCallbacks memory{};  ///< Optional: device memory of all buffers and images of the library. Without them each
                             ///< has a VkDeviceMemory of its own. The functions are called from several threads.
  std::string
      tunings{};  ///< Optional: a JSON text of measured tunings, which `onepass tune` writes: vulkan/tunings.hpp.
};

/// A physical device found by list_devices().
struct DeviceInfo {
  uint32_t index = 0;
  std::string name;
  std::string driver;           ///< Driver name and version.
  uint32_t api_version = 0;     ///< Encoded as by VK_MAKE_API_VERSION.
  bool software = false;        ///< Runs on the CPU (VK_PHYSICAL_DEVICE_TYPE_CPU).
  bool usable = false;          ///< Whether it meets the library's requirements.
  std::string unusable_reason;  ///< The missing requirement, if it is not usable.
  uint32_t subgroup_size = 0;
  uint32_t shared_memory_bytes = 0;
  uint32_t max_image_size = 0;  ///< maxImageDimension2D, texels.
  uint32_t max_slices = 0;      ///< maxImageArrayLayers.
  uint64_t memory_bytes = 0;    ///< Size of the largest device-local heap.
  EnabledFeatures features;     ///< The features that the device supports.
  std::vector<Format> sources;  ///< The formats that it can read.
  std::vector<Format> targets;  ///< The formats that it can write.
  uint32_t processors = 0;      ///< Multiprocessors or compute units that default tunings fill: as an extension of the
                                ///< driver tells or tunings state; 132 if none does.
  std::string tunings;  ///< Where tunings come from: "caller's text: NAME", "built-in table: NAME", both, or nothing:
                        ///< the rules for unknown devices.
};

/// Options of Device::open().
struct DeviceRequest {
  std::string selector{};  ///< Index in list_devices(), or part of the name in any case. Empty: the first usable GPU.
  bool allow_software = false;  ///< With an empty selector: falls back to a software device.
  bool validation = false;      ///< Loads VK_LAYER_KHRONOS_validation with synchronisation validation.
  bool gpu_validation = false;  ///< With validation: also GPU-assisted validation, which checks the accesses of shaders
                                ///< to descriptors and buffers while they run. Slow.
  std::function<void(std::string_view)> on_validation_message{};  ///< Called for every warning and error of the
                                                                  ///< validation layer.
  std::string tunings{};                                          ///< As DeviceHandles::tunings.
};

/// All Vulkan devices of this machine. Empty if there is no loader or no driver.
/// Errors: kDevice if the loader does not work, kOutOfMemory.
/// Threads: any number of calls at once.
[[nodiscard]] ONEPASS_API Result<std::vector<DeviceInfo>> list_devices();

/// A device on which techniques are created. Cheap to copy; copies share the same device.
/// Memory: techniques share pipelines and tables through the device. Once created, these stay until trim() finds them
/// unused, or the last copy of the device and the last technique made with it are destroyed. So a technique with the
/// same options is created again without compilation.
///
/// Threads: any number of threads at once, except run().
class ONEPASS_API Device {
 public:
  /// Uses the caller's device. Nothing is allocated on it.
  /// Errors: kInvalidArgument for null handles, a queue family without compute, one of two memory callbacks, or a text
  /// of tunings that check_tunings() refuses, kUnsupported if a requirement is missing or the instance was created for
  /// a version below 1.2, kNotFound without a loader, kDevice if Vulkan functions are missing.
  static Result<Device> adopt(const DeviceHandles& handles);

  /// Opens its own instance, device and compute queue, with all features that the library can use.
  /// Errors: kNotFound if there is no loader or validation layer or no device matches the selector, kUnsupported if the
  /// selected device lacks a requirement, kInvalidArgument for the tunings, kDevice, kOutOfMemory.
  static Result<Device> open(const DeviceRequest& request = {});

  [[nodiscard]] const DeviceInfo& info() const;        ///< Properties of the device.
  [[nodiscard]] const DeviceHandles& handles() const;  ///< Handles of the adopted or opened device.

  /// Whether this format can be the source of a technique on this device.
  [[nodiscard]] bool can_read(Format format) const;
  /// Whether this format can be the target of a technique on this device.
  [[nodiscard]] bool can_write(Format format) const;

  /// Destroys the pipelines and tables that no technique uses; returns their number. For a program that creates
  /// techniques with many different options in turn.
  size_t trim() const;

  /// Records commands into a new command buffer, submits it, and waits for its completion. Only for opened devices.
  /// Threads: one call at a time per opened device.
  /// Errors: kInvalidArgument for an adopted device, kDevice, kDeviceLost, kOutOfMemory.
  Result<void> run(const std::function<void(VkCommandBuffer)>& record) const;

  struct Impl;  // private to the library
  explicit Device(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace onepass::vulkan
