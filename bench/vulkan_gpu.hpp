// vulkan_gpu.hpp: the measured device, and small compute pipelines for baselines.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "onepass/vulkan/device.hpp"
#include "vulkan/memory.hpp"

namespace onepass::bench {

/// A device with Vulkan functions that the library itself does not use.
class Gpu {
 public:
  /// Opened with features that only kernels of peers need, too, where the device has them.
  /// Errors: those of Device::open; kUnsupported for a queue without timestamps.
  static Result<std::unique_ptr<Gpu>> open(const vulkan::DeviceRequest& request);

  [[nodiscard]] const vulkan::Device& device() const { return device_; }
  [[nodiscard]] const vulkan::Device::Impl& impl() const { return device_.impl(); }
  [[nodiscard]] const vulkan::DeviceFunctions& vk() const { return device_.impl().functions; }
  [[nodiscard]] VkDevice handle() const { return device_.handles().device; }
  [[nodiscard]] bool software() const { return device_.info().software; }

  /// True if the queue can blit this format with a linear filter.
  [[nodiscard]] bool can_blit(Format format) const;
  [[nodiscard]] bool can_filter(Format format) const;
  [[nodiscard]] bool has_quads() const;
  /// Integers of 8 and 16 bits, half floats also in subgroup operations, the Vulkan memory model, addresses of buffers,
  /// scalar layouts and arrays of descriptors without a size.
  [[nodiscard]] bool has_peer_features() const { return has_peer_features_; }
  /// Storage images of all formats of shaderStorageImageExtendedFormats.
  [[nodiscard]] bool has_storage_formats() const { return has_storage_formats_; }

  /// By which other APIs know the same device.
  [[nodiscard]] std::array<uint8_t, VK_UUID_SIZE> uuid() const;

  PFN_vkCmdBlitImage vkCmdBlitImage = nullptr;
  PFN_vkCmdClearColorImage vkCmdClearColorImage = nullptr;
  PFN_vkCmdCopyImage vkCmdCopyImage = nullptr;
  PFN_vkGetBufferDeviceAddress vkGetBufferDeviceAddress = nullptr;
  PFN_vkCreatePipelineCache vkCreatePipelineCache = nullptr;
  PFN_vkDestroyPipelineCache vkDestroyPipelineCache = nullptr;

 private:
  explicit Gpu(const vulkan::Device& device) : device_(device) {}
  vulkan::Device device_;
  bool graphics_ = false;
  bool has_peer_features_ = false;
  bool has_storage_formats_ = false;
};

/// A binding of a descriptor set: one descriptor, or an array of them.
struct Binding {
  VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  uint32_t count = 1;
  uint32_t number = kNext;

  static constexpr uint32_t kNext = ~0U;  ///< The binding's place in the list.
  // NOLINTNEXTLINE(google-explicit-constructor): lists of bindings read as lists of types.
  Binding(VkDescriptorType type_of_all, uint32_t count_of_array = 1, uint32_t number_in_set = kNext)
      : type(type_of_all), count(count_of_array), number(number_in_set) {}
};

/// Description of a compute pipeline.
struct PipelineRequest {
  std::span<const uint32_t> code;
  std::vector<Binding> bindings;    ///< Of descriptor set 0.
  std::vector<Binding> bindings_1;  ///< Of descriptor set 1, if there is one.
  std::vector<uint32_t> constants;  ///< Specialization constants 0 and up, 32 bits each.
  uint32_t push_bytes = 0;
  bool full_subgroups = false;
  bool linear_filter = false;  ///< Of sampled images.
};

/// A compute pipeline and the layouts it is used with.
class ComputePipeline {
 public:
  static Result<std::unique_ptr<ComputePipeline>> create(const Gpu& gpu, const PipelineRequest& request);
  ComputePipeline(const ComputePipeline&) = delete;
  ComputePipeline& operator=(const ComputePipeline&) = delete;
  ~ComputePipeline();

  /// `set` may be null if the pipeline has no bindings.
  void dispatch(VkCommandBuffer commands, VkDescriptorSet set, std::span<const uint32_t> push, uint32_t x,
                uint32_t y = 1, uint32_t z = 1) const;

  [[nodiscard]] VkDescriptorSetLayout set_layout(uint32_t set = 0) const { return set_layouts_[set]; }
  [[nodiscard]] VkPipelineLayout layout() const { return layout_; }
  [[nodiscard]] VkPipeline handle() const { return pipeline_; }
  [[nodiscard]] VkSampler sampler() const { return sampler_; }

 private:
  explicit ComputePipeline(const Gpu& gpu) : gpu_(gpu) {}
  Result<void> create_set_layout(const std::vector<Binding>& bindings, VkDescriptorSetLayout& out) const;
  Result<void> create_layouts(const PipelineRequest& request);
  Result<void> create_pipeline(const PipelineRequest& request);

  const Gpu& gpu_;
  std::array<VkDescriptorSetLayout, 2> set_layouts_{};
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkSampler sampler_ = VK_NULL_HANDLE;
};

/// Descriptor sets of one pipeline, all for its set 0 or 1.
class DescriptorSets {
 public:
  static Result<std::unique_ptr<DescriptorSets>> create(const Gpu& gpu, const ComputePipeline& pipeline,
                                                        const std::vector<Binding>& bindings, uint32_t count,
                                                        uint32_t set = 0);
  DescriptorSets(const DescriptorSets&) = delete;
  DescriptorSets& operator=(const DescriptorSets&) = delete;
  ~DescriptorSets();

  [[nodiscard]] VkDescriptorSet operator[](size_t i) const { return sets_[i]; }
  /// `element`: of an array of descriptors.
  void write_image(size_t set, uint32_t binding, VkDescriptorType type, const VkDescriptorImageInfo& image,
                   uint32_t element = 0) const;
  void write_buffer(size_t set, uint32_t binding, VkBuffer buffer) const;
  /// For VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC.
  void write_uniform(size_t set, uint32_t binding, const VkDescriptorBufferInfo& info) const;

 private:
  explicit DescriptorSets(const Gpu& gpu) : gpu_(gpu) {}
  void write(size_t set, uint32_t binding, VkDescriptorType type, const VkDescriptorBufferInfo& info) const;

  const Gpu& gpu_;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
  std::vector<VkDescriptorSet> sets_;
};

/// Earlier commands finish; their writes become visible to later commands and to the host.
void full_barrier(const Gpu& gpu, VkCommandBuffer commands);

/// Writes of `stage`, compute shader or transfer, become visible to later commands of the same stage.
void stage_barrier(const Gpu& gpu, VkCommandBuffer commands, VkPipelineStageFlagBits stage);

}  // namespace onepass::bench
