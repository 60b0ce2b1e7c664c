// gpu.hpp: the Vulkan objects that samples need besides the library: buffers, images, pipelines, timestamps.
//
// All objects live until the Gpu is destroyed. Errors are thrown as Failure and end the program, which suffices for a
// sample; the library returns them instead.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "onepass/vulkan/device.hpp"

namespace samples {

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns the value or throws a Failure.
template <typename T>
T value_of(onepass::Result<T> result) {
  if (!result) throw Failure(result.error().text());
  return std::move(result).value();
}
inline void check(const onepass::Result<void>& result) {
  if (!result) throw Failure(result.error().text());
}

// clang-format off
#define SAMPLES_FUNCTIONS(X) \
  X(vkCreateBuffer) X(vkDestroyBuffer) X(vkGetBufferMemoryRequirements) X(vkBindBufferMemory) X(vkCreateImage) \
  X(vkDestroyImage) X(vkGetImageMemoryRequirements) X(vkBindImageMemory) X(vkAllocateMemory) X(vkFreeMemory) \
  X(vkMapMemory) X(vkCreateImageView) X(vkDestroyImageView) X(vkCreateSampler) X(vkDestroySampler) \
  X(vkCreateShaderModule) X(vkDestroyShaderModule) X(vkCreateDescriptorSetLayout) X(vkDestroyDescriptorSetLayout) \
  X(vkCreatePipelineLayout) X(vkDestroyPipelineLayout) X(vkCreateComputePipelines) X(vkCreateGraphicsPipelines) \
  X(vkDestroyPipeline) X(vkCreateDescriptorPool) X(vkDestroyDescriptorPool) X(vkAllocateDescriptorSets) \
  X(vkUpdateDescriptorSets) X(vkCreateRenderPass) X(vkDestroyRenderPass) X(vkCreateFramebuffer) \
  X(vkDestroyFramebuffer) X(vkCreateQueryPool) X(vkDestroyQueryPool) X(vkGetQueryPoolResults) \
  X(vkCmdBindPipeline) X(vkCmdBindDescriptorSets) X(vkCmdPushConstants) X(vkCmdDispatch) X(vkCmdDraw) X(vkCmdDrawIndirect) \
  X(vkCmdBeginRenderPass) X(vkCmdEndRenderPass) X(vkCmdSetViewport) X(vkCmdSetScissor) X(vkCmdPipelineBarrier) \
  X(vkCmdClearColorImage) X(vkCmdCopyBuffer) X(vkCmdCopyBufferToImage) X(vkCmdCopyImageToBuffer) X(vkCmdUpdateBuffer) X(vkCmdFillBuffer) X(vkCmdWriteTimestamp) \
  X(vkCmdResetQueryPool)
// clang-format on

struct Functions {
#define SAMPLES_DECLARE(name) PFN_##name name = nullptr;
  SAMPLES_FUNCTIONS(SAMPLES_DECLARE)
#undef SAMPLES_DECLARE
};

struct Buffer {
  VkBuffer handle = VK_NULL_HANDLE;
  VkDeviceSize size = 0;
  std::byte* mapped = nullptr;  ///< Host address; null in device memory.
};

struct Image {
  VkImage handle = VK_NULL_HANDLE;
  VkImageView view = VK_NULL_HANDLE;  ///< All levels and layers.
  VkFormat format = VK_FORMAT_UNDEFINED;
  onepass::Extent size;
  uint32_t levels = 1;
  uint32_t layers = 1;
  VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;
};

struct Pipeline {
  VkPipeline handle = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  std::vector<VkDescriptorType> bindings;
  VkShaderStageFlags stages = 0;
};

/// The resource of a descriptor: a storage buffer, or an image with the layout that the shader finds it in.
struct ImageResource {
  VkImageView view = VK_NULL_HANDLE;
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
  VkSampler sampler = VK_NULL_HANDLE;  ///< Null: nearest texels, for shaders that only fetch.
};
using Resource = std::variant<VkBuffer, ImageResource>;

enum class Memory { kDevice, kHost };

class Gpu {
 public:
  /// Opens a device whose queue has compute, timestamps and `capabilities`. `selector`: see
  /// onepass::vulkan::DeviceRequest.
  Gpu(const std::string& selector, bool validation, VkQueueFlags capabilities = VK_QUEUE_COMPUTE_BIT);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  [[nodiscard]] const onepass::vulkan::Device& device() const { return *device_; }
  [[nodiscard]] VkDevice handle() const { return device_->handles().device; }
  [[nodiscard]] uint32_t validation_messages() const { return messages_; }
  [[nodiscard]] const VkPhysicalDeviceLimits& limits() const { return limits_; }
  [[nodiscard]] double nanoseconds_per_tick() const { return limits_.timestampPeriod; }

  Buffer buffer(VkDeviceSize size, VkBufferUsageFlags usage, Memory memory);
  /// `layers` 0: one layer, and a view of type 2D. Otherwise the view has type 2D_ARRAY.
  Image image(VkFormat format, onepass::Extent size, uint32_t levels, VkImageUsageFlags usage, uint32_t layers = 0);
  /// A view of one level of one layer, of type 2D, for framebuffers; of depth formats the depth alone.
  VkImageView layer_view(const Image& image, uint32_t layer);
  /// A sampler with linear filters between texels and levels.
  VkSampler linear_sampler(VkSamplerAddressMode address);
  VkShaderModule shader(std::span<const uint32_t> code);
  /// Creates the layouts of a pipeline, but not the pipeline itself.
  Pipeline layout(std::vector<VkDescriptorType> bindings, VkShaderStageFlags stages, uint32_t push_bytes);
  /// `constants`: the values of specialization constants 0 and up.
  Pipeline compute(std::span<const uint32_t> code, std::vector<VkDescriptorType> bindings, uint32_t push_bytes,
                   const std::vector<uint32_t>& constants = {});
  VkDescriptorSet descriptors(const Pipeline& pipeline, std::initializer_list<Resource> resources);
  VkQueryPool timestamps(uint32_t count);

  /// Calls `destroy` when the Gpu is destroyed; the last function comes first.
  void at_end(std::function<void()> destroy) { cleanup_.push_back(std::move(destroy)); }

  /// Runs commands and waits for them. Their writes are visible to the host and to later commands.
  void run(const std::function<void(VkCommandBuffer)>& record) const;
  void dispatch(VkCommandBuffer commands, const Pipeline& pipeline, VkDescriptorSet set,
                std::span<const std::byte> push, uint32_t groups_x, uint32_t groups_y = 1, uint32_t groups_z = 1) const;
  static void require(VkResult result, const char* call);

  /// One side of a barrier: the stages before or after it, and their accesses.
  struct Access {
    VkPipelineStageFlags stages = 0;
    VkAccessFlags access = 0;
  };
  void barrier(VkCommandBuffer commands, Access before, Access after) const;
  /// Waits for all earlier commands; their writes are visible to all later commands and to the host.
  void full_barrier(VkCommandBuffer commands) const;
  void transition(VkCommandBuffer commands, const Image& image, VkImageLayout from, Access before, VkImageLayout to,
                  Access after) const;

  Functions vk;

 private:
  void load_functions();
  void require_queue(VkQueueFlags capabilities);
  /// Memory with the properties `required` and, where there is such memory, `preferred`.
  VkDeviceMemory allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags required,
                          VkMemoryPropertyFlags preferred = 0);

  VkImageView view(const Image& image, VkImageViewType type, uint32_t levels, uint32_t layer, uint32_t layers);

  uint32_t messages_ = 0;
  std::optional<onepass::vulkan::Device> device_;
  VkPhysicalDeviceMemoryProperties memory_{};
  VkPhysicalDeviceLimits limits_{};
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
  VkSampler sampler_ = VK_NULL_HANDLE;
  std::vector<std::function<void()>> cleanup_;
};

}  // namespace samples
