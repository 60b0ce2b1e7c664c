// compute_kernel.hpp: what every technique does with an embedded kernel: its pipeline and layouts, the views, buffers
// and descriptor sets of a binding, the dispatch. A technique only says which resources its kernel binds.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "vulkan/image_view.hpp"
#include "vulkan/kernel_limits.hpp"
#include "vulkan/kernels.hpp"
#include "vulkan/memory.hpp"

namespace onepass::vulkan {

struct ComputeKernelRequest {
  const KernelSet& set;
  std::string kernel;                       ///< A name of the set.
  std::span<const uint32_t> constants;      ///< Specialization constants with ids 0, 1, 2...; four bytes each.
  std::span<const KernelBinding> bindings;  ///< In any order.
  uint32_t params_bytes = 0;                ///< Size of the push constants.
  VkFilter filter = VK_FILTER_NEAREST;      ///< Of sampled images, which are clamped to their edge.
  bool full_subgroups = false;              ///< Requires full subgroups if the device supports it.
};

/// A struct of specialization constants, in the order of their ids, for a request.
template <typename Constants>
std::span<const uint32_t> constants_of(const Constants& constants) {
  static_assert(sizeof(Constants) % 4 == 0 && alignof(Constants) == 4);
  return {reinterpret_cast<const uint32_t*>(&constants), sizeof(Constants) / 4};
}

/// Workgroup counts of a dispatch.
struct GroupCounts {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;
};

/// A pipeline with its layouts: one descriptor set, push constants, and a sampler if it samples images. Kernels with
/// the same bindings and params_bytes have compatible descriptor sets. The layouts exist from the beginning, so that
/// sets can be made; the pipeline exists when compile() has succeeded.
/// Threads: compile() from any thread; any number of record() at once with distinct command buffers.
struct ComputeKernel {
  const Device::Impl* device = nullptr;
  std::string name;
  std::vector<KernelBinding> bindings;
  uint32_t params_bytes = 0;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkPipelineLayout pipeline_layout = VK_NULL_HANDLE;
  VkSampler sampler = VK_NULL_HANDLE;

  ComputeKernel() = default;
  ComputeKernel(const ComputeKernel&) = delete;
  ComputeKernel& operator=(const ComputeKernel&) = delete;
  ~ComputeKernel();

  /// Compiles the pipeline unless it has been compiled. A call during another thread's call waits for it.
  /// Errors: kOutOfMemory, kDevice; the next call tries again.
  Result<void> compile() const;

  /// Whether the pipeline exists.
  [[nodiscard]] bool is_compiled() const;

  /// Binds pipeline, descriptor set and push constants, and dispatches.
  template <typename Params>
  void record(VkCommandBuffer commands, VkDescriptorSet set, const Params& params, const GroupCounts& groups) const {
    ONEPASS_ASSERT(sizeof(Params) == params_bytes);
    bind(commands, set, &params);
    dispatch(commands, groups);
  }

  /// The same with workgroup counts that the device reads from a buffer: a VkDispatchIndirectCommand at `offset`.
  template <typename Params>
  void record_indirect(VkCommandBuffer commands, VkDescriptorSet set, const Params& params, VkBuffer buffer,
                       VkDeviceSize offset) const {
    ONEPASS_ASSERT(sizeof(Params) == params_bytes);
    bind(commands, set, &params);
    device->functions.vkCmdDispatchIndirect(commands, buffer, offset);
  }

 private:
  friend Result<std::shared_ptr<ComputeKernel>> create_compute_kernel(const Device::Impl& device,
                                                                      const ComputeKernelRequest& request);

  void bind(VkCommandBuffer commands, VkDescriptorSet set, const void* params) const;
  void dispatch(VkCommandBuffer commands, const GroupCounts& groups) const;

  std::vector<uint32_t> constants_;
  bool full_subgroups_ = false;
  mutable std::mutex mutex_;            // of the members below, while the pipeline does not exist
  mutable std::vector<uint32_t> code_;  // SPIR-V, until the pipeline exists
  mutable VkPipeline pipeline_ = VK_NULL_HANDLE;
};

/// A kernel with its layouts, not compiled.
/// Errors: kUnsupported if there is no such kernel or the device's limits are too low for it; kOutOfMemory, kDevice.
Result<std::shared_ptr<ComputeKernel>> create_compute_kernel(const Device::Impl& device,
                                                             const ComputeKernelRequest& request);

/// The kernels of an object that is being created. Their pipelines are compiled at the same time, when all of them are
/// known, because compilation takes most of the time of create().
class KernelBatch {
 public:
  explicit KernelBatch(const Device& device) : device_(device) {}

  [[nodiscard]] const Device& device() const { return device_; }

  /// The device's kernel for this request, which techniques share. It may not be compiled before compile().
  /// Errors: those of create_compute_kernel().
  Result<std::shared_ptr<const ComputeKernel>> find(const ComputeKernelRequest& request);

  /// Compiles the kernels that find() has returned, on several threads. Errors: kOutOfMemory, kDevice.
  Result<void> compile() const;

 private:
  const Device& device_;
  std::vector<std::shared_ptr<const ComputeKernel>> kernels_;
};

/// A kernel by itself, compiled. Errors: those of create_compute_kernel() and compile().
Result<std::shared_ptr<const ComputeKernel>> find_compute_kernel(const Device& device,
                                                                 const ComputeKernelRequest& request);

/// What a descriptor refers to: the image view or the range of a buffer at the binding `index`. Null handles count as
/// no resource.
struct Resource {
  Resource(uint32_t at, VkImageView image, VkImageLayout image_layout = VK_IMAGE_LAYOUT_GENERAL)
      : index(at), view(image), layout(image_layout) {}
  Resource(uint32_t at, const VkDescriptorBufferInfo& range) : index(at), buffer(range) {}

  uint32_t index = 0;
  VkImageView view = VK_NULL_HANDLE;
  VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL;
  VkDescriptorBufferInfo buffer{};
};

/// What a new buffer holds. kZero: bytes 0, written by the host, so that the buffer needs no command before its first
/// use. It then lies in host-visible memory of the device or, where the device has none left, in memory of the host:
/// for small buffers.
enum class Content { kUndefined, kZero };

/// The Vulkan objects that a technique's binding owns: image views, buffers, descriptor sets. The device outlives it.
class BindingObjects {
 public:
  /// `technique`: for the debug names of the objects; a literal.
  BindingObjects(const Device::Impl& device, const char* technique) : device_(&device), technique_(technique) {}
  BindingObjects(BindingObjects&& other) noexcept { swap(other); }
  BindingObjects& operator=(BindingObjects&& other) noexcept {
    swap(other);
    return *this;
  }
  ~BindingObjects();

  /// Sets `view` to a new view. Errors: kOutOfMemory, kDevice.
  Result<void> add_view(const ViewRequest& request, VkImageView& view);

  /// If `buffer` is null, sets it to new device memory, and `offset` to 0. `role`: for its debug name. Errors:
  /// kOutOfMemory, kDevice.
  Result<void> add_buffer(uint64_t bytes, VkBufferUsageFlags usage, VkBuffer& buffer, VkDeviceSize& offset,
                          const char* role = "scratch", Content content = Content::kUndefined);

  /// Sets `set` to a new descriptor set of the kernel. Resources at the same index are the elements of an array, whose
  /// remaining elements are the last of them. Bindings without a resource, which the kernel does not read, receive the
  /// first descriptor of their type, so that the set is valid. Resources at an index or of a kind that the kernel does
  /// not bind are ignored. Errors: kOutOfMemory, kDevice.
  Result<void> add_set(const ComputeKernel& kernel, const std::vector<Resource>& resources, VkDescriptorSet& set);

 private:
  void swap(BindingObjects& other) noexcept;

  const Device::Impl* device_ = nullptr;
  const char* technique_ = "";
  std::vector<VkImageView> views_;
  std::vector<Buffer> buffers_;
  std::vector<VkDescriptorPool> pools_;  // one per set, and as large as the set
};

}  // namespace onepass::vulkan
