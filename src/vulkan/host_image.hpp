// host_image.hpp: a device image that is uploaded from and downloaded to host memory, for programs that work on files.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "vulkan/barrier.hpp"
#include "vulkan/memory.hpp"

namespace onepass::vulkan {

/// An image that owns its memory.
struct DeviceImage {
  const Device::Impl* device = nullptr;
  VkImage image = VK_NULL_HANDLE;
  DeviceMemory memory;
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
    VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
  };
  /// sRGB images with usage STORAGE are created mutable, or with the UNORM format if the device has no such sRGB
  /// format. Errors: kUnsupported, kOutOfMemory, kDevice.
  static Result<DeviceImage> create(const Device::Impl& device, const Request& request);

  [[nodiscard]] VkImageAspectFlags aspect() const;

  /// Records a barrier that changes the layout of every level and slice.
  void transition(VkCommandBuffer commands, VkImageLayout from, const Accesses& before, VkImageLayout to,
                  const Accesses& after) const;

  [[nodiscard]] uint64_t level_bytes(uint32_t level) const;
};

/// Two timestamps around commands; no query pool if the queue has no timestamps.
class Timestamps {
 public:
  explicit Timestamps(const Device::Impl& device) : device_(device) {
    if (!device.has_timestamps) return;
    VkQueryPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = 2;
    if (device.functions.vkCreateQueryPool(device.handles.device, &info, device.handles.allocation_callbacks, &pool_) !=
        VK_SUCCESS)
      pool_ = VK_NULL_HANDLE;
  }
  Timestamps(const Timestamps&) = delete;
  Timestamps& operator=(const Timestamps&) = delete;
  ~Timestamps() {
    device_.functions.vkDestroyQueryPool(device_.handles.device, pool_, device_.handles.allocation_callbacks);
  }

  /// Calls `work` and records the two timestamps before and after it.
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

/// Checks a host view against the format, size and slices of the options. Errors: kInvalidArgument, naming `name`.
Result<void> check_host_view(const ImageView& view, const std::string& name, Format format, Extent size,
                             uint32_t slices);

/// Whether sources in host memory must be decoded to floats before the upload, because the device cannot sample R8_SRGB
/// or R8G8_SRGB, which Vulkan does not require.
[[nodiscard]] bool needs_decoding(const Device::Impl& device, Format source);
/// Decodes a source to 32-bit floats with as many channels. Errors: kInvalidArgument, naming `name`; kOutOfMemory.
Result<Image> decode_source(const ImageView& view, const std::string& name, Format source);

/// Calls run(options, view) with the decoded `source`, and sets `field` of the options to its format.
template <typename Options, typename Run>
auto run_decoded(Options options, Format Options::*field, const char* name, const ImageView& source, const Run& run)
    -> decltype(run(options, source)) {
  const auto decoded = decode_source(source, name, options.*field);
  if (!decoded) return decoded.error();
  options.*field = decoded->format();
  return run(options, decoded->view());
}

/// Options with a resolved target, so that it no longer depends on the source format.
template <typename Options>
Options with_target(Options options) {
  if (options.target == Format::kUndefined) options.target = options.source;
  return options;
}

/// Copies a host view to tightly packed bytes, and back.
void pack_view(const ImageView& view, std::byte* packed);
void unpack_view(const std::byte* packed, const MutableImageView& view);

/// Copies levels first .. first + count - 1 between an image and a buffer. In the buffer, the levels begin at `offset`,
/// each aligned to 16 bytes.
void copy_levels(const DeviceImage& image, const Buffer& buffer, uint64_t offset, uint32_t first, uint32_t count,
                 bool to_image, VkCommandBuffer commands);

/// Size of the buffer for copy_levels().
uint64_t packed_bytes(const DeviceImage& image, uint32_t first, uint32_t count);

/// Records the upload of level 0 of a new image from `offset` of a buffer; compute shaders can read it afterwards, in
/// `layout`.
void record_upload(const DeviceImage& image, const Buffer& staging, uint64_t offset, VkCommandBuffer commands,
                   VkImageLayout layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);

/// Records the download of all levels of an image in layout GENERAL that compute shaders have written to `offset` of a
/// buffer; the host can read it afterwards.
void record_download(const DeviceImage& image, const Buffer& staging, uint64_t offset, VkCommandBuffer commands);

}  // namespace onepass::vulkan
