// host_image.hpp: a device image that is filled from and read back to host memory, for programs that work on files.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "vulkan/device_impl.hpp"

namespace onepass::vulkan {

/// An image with memory of its own.
struct DeviceImage {
  const Device::Impl* device = nullptr;
  VkImage image = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  Format format = Format::kUndefined;
  Extent size;
  uint32_t levels = 1;
  uint32_t slices = 1;

  DeviceImage() = default;
  DeviceImage(DeviceImage&& other) noexcept { swap(other); }
  DeviceImage& operator=(DeviceImage&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceImage();
  void swap(DeviceImage& other) noexcept;

  struct Request {
    Format format = Format::kUndefined;
    Extent size;
    uint32_t levels = 1;
    uint32_t slices = 1;
    VkImageUsageFlags usage = 0;
  };
  /// sRGB images that are stored to are made mutable, or of the UNORM twin where the device has no such format. Errors:
  /// kUnsupported, kOutOfMemory, kDevice.
  static Result<DeviceImage> create(const Device::Impl& device, const Request& request);

  [[nodiscard]] VkImageAspectFlags aspect() const;

  /// Moves every level and slice from one layout to another.
  void transition(VkCommandBuffer commands, VkImageLayout from, VkPipelineStageFlags from_stage,
                  VkAccessFlags from_access, VkImageLayout to, VkPipelineStageFlags to_stage,
                  VkAccessFlags to_access) const;

  [[nodiscard]] uint64_t level_bytes(uint32_t level) const;
};

/// Two timestamps around commands; null where the queue has none.
class Timestamps {
 public:
  explicit Timestamps(const Device::Impl& device) : device_(device) {
    if (!device.has_timestamps) return;
    VkQueryPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = 2;
    if (device.functions.vkCreateQueryPool(device.handles.device, &info, nullptr, &pool_) != VK_SUCCESS)
      pool_ = VK_NULL_HANDLE;
  }
  Timestamps(const Timestamps&) = delete;
  Timestamps& operator=(const Timestamps&) = delete;
  ~Timestamps() { device_.functions.vkDestroyQueryPool(device_.handles.device, pool_, nullptr); }

  [[nodiscard]] VkQueryPool pool() const { return pool_; }
  /// Records `work` between the two.
  void around(VkCommandBuffer commands, const std::function<void()>& work) const {
    constexpr VkPipelineStageFlagBits kStage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    const DeviceFunctions& vk = device_.functions;
    if (pool_ != VK_NULL_HANDLE) {
      vk.vkCmdResetQueryPool(commands, pool_, 0, 2);
      vk.vkCmdWriteTimestamp(commands, kStage, pool_, 0);
    }
    work();
    if (pool_ != VK_NULL_HANDLE) vk.vkCmdWriteTimestamp(commands, kStage, pool_, 1);
  }
  [[nodiscard]] double microseconds() const {
    uint64_t ticks[2] = {};
    if (pool_ == VK_NULL_HANDLE || device_.functions.vkGetQueryPoolResults(
                                       device_.handles.device, pool_, 0, 2, sizeof(ticks), ticks, sizeof(uint64_t),
                                       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT) != VK_SUCCESS) {
      return 0;
    }
    return static_cast<double>(ticks[1] - ticks[0]) * static_cast<double>(device_.limits.timestampPeriod) / 1000.0;
  }

 private:
  const Device::Impl& device_;
  VkQueryPool pool_ = VK_NULL_HANDLE;
};

/// Checks a host view against what the options say it is. Errors: kInvalidArgument, naming `name`.
Result<void> check_host_view(const ImageView& view, const std::string& name, Format format, Extent size,
                             uint32_t slices);

/// Vulkan does not require R8_SRGB of a device. Where it cannot be sampled, sources in host memory are decoded to
/// r32_sfloat before they are uploaded.
[[nodiscard]] bool needs_decoding(const Device::Impl& device, Format source);
/// Errors: kInvalidArgument, naming `name`; kOutOfMemory.
Result<Image> decode_source(const ImageView& view, const std::string& name, Format source);

/// Calls run(options, view) with the decoded `source`, and its format in `field` of the options.
template <typename Options, typename Run>
auto run_decoded(Options options, Format Options::*field, const char* name, const ImageView& source, const Run& run)
    -> decltype(run(options, source)) {
  const auto decoded = decode_source(source, name, options.*field);
  if (!decoded) return decoded.error();
  options.*field = decoded->format();
  return run(options, decoded->view());
}

/// Options whose target does not depend on the source's format any more.
template <typename Options>
Options with_target(Options options) {
  if (options.target == Format::kUndefined) options.target = options.source;
  return options;
}

/// Copies a host view into tightly packed bytes, and back.
void pack_view(const ImageView& view, std::byte* packed);
void unpack_view(const std::byte* packed, const MutableImageView& view);

/// Copies levels first .. first + count - 1 between an image and a buffer that holds them one after the other from
/// `offset` on, each aligned to 16 bytes.
void copy_levels(const DeviceImage& image, const Buffer& buffer, uint64_t offset, uint32_t first, uint32_t count,
                 bool to_image, VkCommandBuffer commands);

/// Bytes that copy_levels() needs.
uint64_t packed_bytes(const DeviceImage& image, uint32_t first, uint32_t count);

/// Fills level 0 of a fresh image from `offset` of a buffer on; compute shaders may read it afterwards.
void record_upload(const DeviceImage& image, const Buffer& staging, uint64_t offset, VkCommandBuffer commands);

/// Waits for all memory accesses of one kind before those of another.
void record_memory_barrier(const Device::Impl& device, VkCommandBuffer commands, VkPipelineStageFlags from,
                           VkAccessFlags from_access, VkPipelineStageFlags to, VkAccessFlags to_access);

}  // namespace onepass::vulkan
