// vulkan_fused.hpp: there and back with an operation between, and the spectra of kernels that operations multiply by.
#pragma once

#include <optional>

#include "fourier/fourier_operation_params.h"
#include "fourier/vulkan_impl.hpp"
#include "fourier/vulkan_step.hpp"
#include "onepass/vulkan/fourier_convolution.hpp"

namespace onepass::vulkan {

/// Bytes of floats that texels of `channels` lie in, three taking four.
uint64_t float_bytes(Extent size, uint32_t channels, uint32_t slices);
uint32_t stored_channels(uint32_t channels);

/// Host-visible floats for kernels to read.
Result<Buffer> upload_floats(const Device::Impl& device, std::span<const float> values);

/// Parts of scratch memory, one after the other, each where it may be bound.
class ScratchLayout {
 public:
  /// Where a part of so many bytes begins.
  uint64_t add(uint64_t bytes) {
    const uint64_t at = bytes_;
    bytes_ += aligned_range(bytes);
    return at;
  }
  [[nodiscard]] uint64_t bytes() const { return bytes_; }

 private:
  uint64_t bytes_ = 0;
};

/// A part of scratch memory; an empty range if it has no bytes.
inline VkDescriptorBufferInfo part_of(const BufferRange& scratch, uint64_t at, uint64_t bytes) {
  return bytes == 0 ? VkDescriptorBufferInfo{} : VkDescriptorBufferInfo{scratch.buffer, scratch.offset + at, bytes};
}

/// Descriptor sets of a fused pass: two a stage, and the operation's.
struct FusedSets {
  std::array<VkDescriptorSet, 9> sets{};
};

/// Images and memory of an operation. Its sets are those of passes and steps, in the order in which they run.
struct ONEPASS_INTERNAL OperationBinding::Impl {
  Device device;
  std::shared_ptr<const void> operation;  // keeps what sets refer to alive
  VkImageView source = VK_NULL_HANDLE;
  VkImageView target = VK_NULL_HANDLE;
  VkImageLayout source_layout = VK_IMAGE_LAYOUT_GENERAL;
  FourierPool pool;
  Buffer own_scratch;
  BufferRange scratch;
  std::vector<FusedSets> passes;
  std::vector<VkDescriptorSet> steps;

  explicit Impl(const Device& d) : device(d) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();
};

/// What all operations on one image into another bind: views, scratch memory, a pool.
struct OperationShape {
  Format source = Format::kUndefined;
  Format target = Format::kUndefined;
  uint32_t slices = 1;
  uint64_t scratch_bytes = 0;
};
/// Errors: kInvalidArgument for null handles and offsets, kOutOfMemory, kDevice.
Result<std::unique_ptr<OperationBinding::Impl>> bind_images(const Device& device, const OperationImages& images,
                                                            const OperationShape& shape);

/// Errors: kUnsupported, naming the format that the device cannot read or write.
Result<void> check_image_formats(const Device::Impl& device, Format source, Format target);

/// What a fused pass is made from.
struct FusedRequest {
  TransformOptions transform;  ///< Order columns.
  SideKind source = SideKind::kImage;
  SideKind target = SideKind::kImage;
  TransformTuning tuning;
  uint32_t operation = ONEPASS_OPERATION_NONE;
  bool alpha = false;  ///< Three channels into an image of four: the source image's alpha goes along.
};

/// What a fused pass works on. Buffers hold rows without gaps.
struct FusedResources {
  SampledView source;  ///< Image that is transformed, or whose alpha passes.
  VkDescriptorBufferInfo source_buffer{};
  VkImageView target = VK_NULL_HANDLE;
  VkDescriptorBufferInfo target_buffer{};
  VkDescriptorBufferInfo operand{};
  VkDescriptorBufferInfo scratch{};  ///< scratch_bytes() of it.
};

/// Rows, columns there and back with an operation between, rows: three dispatches. Columns whose length has other prime
/// factors than 2, 3, 5 and 7 store their spectrum: five.
class FusedPass {
 public:
  using Sets = FusedSets;

  /// Errors: kInvalidArgument, kUnsupported, kOutOfMemory, kDevice.
  static Result<FusedPass> create(const Device& device, const FusedRequest& request);

  [[nodiscard]] uint64_t scratch_bytes() const { return between_in_ + between_out_ + passes_ + spectrum_; }
  [[nodiscard]] const std::vector<StagePlan>& stages() const { return stage_plans_; }
  [[nodiscard]] uint32_t dispatches() const;

  Result<Sets> create_sets(VkDescriptorPool pool, const FusedResources& resources) const;

  /// With barriers between its dispatches, none around them.
  void record(VkCommandBuffer commands, const Sets& sets) const;

 private:
  explicit FusedPass(const Device& device) : device_(device) {}
  Result<void> create_stages(const FusedRequest& request);
  Result<void> create_operation(const FusedRequest& request);

  Device device_;
  TransformPlan plan_;
  std::vector<FourierStage> stages_;  // rows, columns (one or two), rows
  std::vector<StagePlan> stage_plans_;
  std::optional<Step> operate_;  // between two stages of columns
  uint64_t between_in_ = 0;      // bytes
  uint64_t between_out_ = 0;
  uint64_t passes_ = 0;  // between the dispatches of a stage
  uint64_t spectrum_ = 0;
};

/// A kernel on the device: its weights, and its spectrum once record() has run.
class DeviceKernel {
 public:
  /// What becomes of the spectrum.
  struct Finish {
    uint32_t step = ONEPASS_SPECTRUM_OPERATE;  ///< OPERATE: nothing. MIX, INVERT.
    float amount = 0;
    bool flat_prior = true;  ///< INVERT.
  };

  static Result<DeviceKernel> create(const Device& device, const TransformOptions& transform,
                                     const TransformTuning& tuning, const Finish& finish);

  /// Copies weights of the transform's format and size. Not while the device runs record().
  void set(const ImageView& weights);
  [[nodiscard]] bool is_set() const { return is_set_; }

  /// Weights to spectrum, with a barrier after it.
  void record(VkCommandBuffer commands) const;

  [[nodiscard]] VkDescriptorBufferInfo spectrum() const { return {spectrum_.buffer, 0, VK_WHOLE_SIZE}; }
  [[nodiscard]] uint32_t planes() const { return transform_.plan().plan.spectrum_channels; }

 private:
  DeviceKernel(const Device& device, Transform transform) : device_(device), transform_(std::move(transform)) {}
  Result<void> create_finish(const Finish& finish);

  Device device_;
  Transform transform_;
  std::optional<TransformBinding> binding_;
  Buffer weights_;
  Buffer spectrum_;
  Buffer laplacian_;
  std::optional<Step> finish_;
  fourier::SpectrumParams finish_params_{};
  FourierPool pool_;
  VkDescriptorSet finish_set_ = VK_NULL_HANDLE;
  bool is_set_ = false;
};

}  // namespace onepass::vulkan
