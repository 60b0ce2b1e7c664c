// vulkan_fused.hpp: the fused pass (transform, operation on the spectrum, inverse), spectra of convolution kernels, and
// bindings of operations.
#pragma once

#include <optional>

#include "fourier/fourier_operation_params.h"
#include "fourier/vulkan_impl.hpp"
#include "fourier/vulkan_step.hpp"
#include "onepass/vulkan/fourier_convolution.hpp"
#include "vulkan/scratch_layout.hpp"

namespace onepass::vulkan {

/// Bytes of a buffer of float texels; three channels are stored as four.
uint64_t float_bytes(Extent size, uint32_t channels, uint32_t slices);
uint32_t stored_channels(uint32_t channels);

/// A host-visible buffer of floats.
Result<Buffer> upload_floats(const Device::Impl& device, std::span<const float> values);

/// Weights of a kernel, of the format and size of its transform's source, in a host-visible buffer without gaps.
Result<Buffer> upload_weights(const Device::Impl& device, const ImageView& weights);

/// A part of scratch memory; an empty range for 0 bytes.
inline VkDescriptorBufferInfo part_of(const BufferRange& scratch, uint64_t at, uint64_t bytes) {
  return bytes == 0 ? VkDescriptorBufferInfo{} : VkDescriptorBufferInfo{scratch.buffer, scratch.offset + at, bytes};
}

/// Descriptor sets of a fused pass: of its stages (rows forward, columns, columns inverse if the spectrum is stored,
/// rows inverse), and of the operation's step.
struct FusedSets {
  std::array<StageSets, 4> stages{};
  VkDescriptorSet operation = VK_NULL_HANDLE;
};

/// Images, memory and descriptor sets of an operation. Sets are in the order of their creation.
struct ONEPASS_INTERNAL OperationBinding::Impl {
  Device device;
  std::shared_ptr<const void> operation;  // owns the resources of the sets
  std::shared_ptr<const void> memory;     // of an operation, besides scratch memory; freed after the sets
  BindingObjects objects;
  SampledView source;
  VkImageView target = VK_NULL_HANDLE;
  BufferRange scratch;
  std::vector<FusedSets> passes;
  std::vector<VkDescriptorSet> steps;

  explicit Impl(const Device& d) : device(d), objects(d.impl(), "fourier") {}
};

/// Formats and memory of an operation from one image to another.
struct OperationShape {
  Format source = Format::kUndefined;
  Format target = Format::kUndefined;
  uint32_t slices = 1;
  uint64_t scratch_bytes = 0;
};
/// Creates views and scratch memory. Errors: kInvalidArgument for null handles, bad offsets and a target that
/// is the source; kOutOfMemory, kDevice.
Result<std::unique_ptr<OperationBinding::Impl>> bind_images(const Device& device, const OperationImages& images,
                                                            const OperationShape& shape);

/// Errors: kUnsupported, naming the format that the device cannot read or write.
Result<void> check_image_formats(const Device::Impl& device, Format source, Format target);

/// Parameters of FusedPass::create().
struct FusedRequest {
  TransformOptions transform;  ///< With SpectrumOrder::kColumns.
  SideKind source = SideKind::kImage;
  SideKind target = SideKind::kImage;
  TransformTuning tuning;
  uint32_t operation = ONEPASS_OPERATION_NONE;
  bool over = false;  ///< Combine the result with the source image: copy its alpha; with light_out, add to its colours.
  LightPass light_in{};   ///< Rows forward.
  LightPass light_out{};  ///< Rows inverse.
};

/// Resources of a fused pass. Buffers hold rows without gaps.
struct FusedResources {
  SampledView source;  ///< Image that is transformed, or with which the result is combined.
  VkDescriptorBufferInfo source_buffer{};
  VkImageView target = VK_NULL_HANDLE;
  VkDescriptorBufferInfo target_buffer{};
  VkDescriptorBufferInfo operand{};
  VkDescriptorBufferInfo scratch{};  ///< FusedPass::scratch_bytes().
};

/// Rows forward; columns forward, operation, columns inverse; rows inverse: three dispatches if lines fit shared
/// memory. Column lengths with prime factors other than 2, 3, 5 and 7 store the spectrum: five.
class FusedPass {
 public:
  /// The batch compiles its kernels. Errors: kInvalidArgument, kUnsupported, kOutOfMemory, kDevice.
  static Result<FusedPass> create(KernelBatch& batch, const FusedRequest& request);

  [[nodiscard]] uint64_t scratch_bytes() const { return intermediate_in_ + intermediate_out_ + passes_ + spectrum_; }
  [[nodiscard]] const std::vector<StagePlan>& stages() const { return stage_plans_; }
  [[nodiscard]] uint32_t dispatches() const;

  Result<void> create_sets(BindingObjects& objects, const FusedResources& resources, FusedSets& sets) const;

  /// Records barriers between its dispatches, none around them.
  void record(VkCommandBuffer commands, const FusedSets& sets) const;

 private:
  explicit FusedPass(const Device& device) : device_(device) {}
  Result<void> create_stages(KernelBatch& batch, const FusedRequest& request);

  Device device_;
  TransformPlan plan_;
  std::vector<FourierStage> stages_;  // rows, columns (one or two), rows
  std::vector<StagePlan> stage_plans_;
  Step operate_;                  // between the column stages, or null
  uint64_t intermediate_in_ = 0;  // bytes of the intermediate buffers
  uint64_t intermediate_out_ = 0;
  uint64_t passes_ = 0;  // between the dispatches of a stage
  uint64_t spectrum_ = 0;
};

/// A kernel on the device: its weights and, after record() has run, its spectrum.
class DeviceKernel {
 public:
  /// Step after the transform.
  struct Finish {
    uint32_t step = ONEPASS_SPECTRUM_OPERATE;  ///< OPERATE: nothing. MIX, INVERT.
    float amount = 0;
    bool flat_prior = true;  ///< INVERT.
  };

  /// `weights`: from upload_weights(), for kernels that set() does not change; null: a buffer of the kernel's own.
  /// The batch compiles its kernels.
  static Result<DeviceKernel> create(KernelBatch& batch, const TransformOptions& transform,
                                     const TransformTuning& tuning, const Finish& finish,
                                     std::shared_ptr<const Buffer> weights = nullptr);

  /// Copies weights of the transform's format and size into the kernel's own buffer. Not while the device executes
  /// record().
  void set(const ImageView& weights);
  [[nodiscard]] bool is_set() const { return is_set_; }

  /// Transforms the weights, with a barrier after it.
  void record(VkCommandBuffer commands) const;

  [[nodiscard]] VkDescriptorBufferInfo spectrum() const { return {spectrum_.buffer, 0, VK_WHOLE_SIZE}; }
  [[nodiscard]] uint32_t planes() const { return transform_.plan().spectrum_channels; }

 private:
  DeviceKernel(const Device& device, Transform transform)
      : device_(device), transform_(std::move(transform)), objects_(device.impl(), "fourier kernel") {}
  Result<void> create_finish(KernelBatch& batch, const Finish& finish);

  Device device_;
  Transform transform_;
  std::optional<TransformBinding> binding_;
  BindingObjects objects_;
  std::shared_ptr<const Buffer> weights_;
  Buffer spectrum_;
  Buffer laplacian_;
  Step finish_;  // or null
  fourier::SpectrumParams finish_params_{};
  VkDescriptorSet finish_set_ = VK_NULL_HANDLE;
  bool is_set_ = false;
};

}  // namespace onepass::vulkan
