// vulkan_impl.hpp: implementation of vulkan::Transform and its bindings; FourierStage, one axis in one direction, also
// serves the operations on spectra.
#pragma once

#include "fourier/dispatch_plan.hpp"
#include "image/div_up.hpp"
#include "onepass/vulkan/fourier.hpp"
#include "vulkan/barrier.hpp"
#include "vulkan/compute_kernel.hpp"

namespace onepass::vulkan {

/// Resources of a stage. Ranges without a buffer are not used.
struct StageResources {
  VkImageView image = VK_NULL_HANDLE;  ///< Source or target of a row stage: an image,
  VkImageLayout image_layout = VK_IMAGE_LAYOUT_GENERAL;
  VkDescriptorBufferInfo side{};      ///< or a buffer.
  VkImageView over = VK_NULL_HANDLE;  ///< Image with which the result is combined.
  VkImageLayout over_layout = VK_IMAGE_LAYOUT_GENERAL;
  VkDescriptorBufferInfo in{};
  VkDescriptorBufferInfo out{};
  VkDescriptorBufferInfo scratch{};  ///< At least FourierStage::scratch_bytes().
  VkDescriptorBufferInfo operand{};  ///< Of the operation on the spectrum.
};

/// Change of texels by bloom when a row stage reads or stores them.
struct LightPass {
  uint32_t mode = ONEPASS_LIGHT_NONE;
  float threshold = 0;
  float knee = 0;
  float scatter = 0;
};

/// Parameters of FourierStage::create().
struct StageRequest {
  const TransformPlan* plan = nullptr;
  fourier::Stage stage = fourier::Stage::kRowsForward;
  SideKind side = SideKind::kImage;
  TransformTuning tuning;
  float scale = 1;         ///< Factor of the results.
  uint32_t operation = 0;  ///< OPERATION of src/fourier/fourier_operation.glsl.
  bool join = true;        ///< The operation needs the spectrum of each channel.
  bool over = false;       ///< Rows inverse: copy alpha from a source image; with `light`, add the result to it.
  LightPass light{};
  bool counted = false;  ///< Tests: count the traffic, in the operand.
};

/// One stage ready to be recorded: its layout, pipelines and tables.
class FourierStage {
 public:
  /// Errors: kUnsupported, kOutOfMemory, kDevice.
  static Result<FourierStage> create(const Device& device, const StageRequest& request);

  [[nodiscard]] const fourier::StageLayout& layout() const { return layout_; }
  [[nodiscard]] SideKind side() const { return side_; }

  /// Buffers between its dispatches: one of pass_bytes(), with more than two dispatches two.
  [[nodiscard]] uint64_t scratch_bytes() const;

  /// Descriptor sets: one, or two with several dispatches.
  [[nodiscard]] uint32_t set_count() const { return layout_.plan.dispatches == 1 ? 1 : 2; }
  Result<void> create_sets(BindingObjects& objects, const StageResources& resources, VkDescriptorSet* sets) const;

  /// Records all dispatches, with barriers between them. Strides of a source or target buffer, texels.
  void record(VkCommandBuffer commands, const VkDescriptorSet* sets, uint32_t row_stride, uint32_t slice_stride) const;

 private:
  explicit FourierStage(const Device& device) : device_(device) {}
  Result<void> find_kernels(const StageRequest& request);
  Result<void> create_tables();
  [[nodiscard]] uint64_t pass_bytes() const;

  Device device_;
  fourier::StageLayout layout_;
  fourier::FourierParams params_{};
  SideKind side_ = SideKind::kImage;
  uint32_t slices_ = 1;
  std::array<std::shared_ptr<const ComputeKernel>, 32> kernels_;  // one per dispatch
  std::shared_ptr<const Buffer> tables_;
};

/// Validate the tuning, and formats against the device. Errors: kInvalidArgument; kUnsupported, naming the field.
Result<void> check_tuning(const TransformTuning& tuning);
Result<void> check_sides(const Device::Impl& device, const TransformOptions& options, const TransformSides& sides);

/// The view of a source (usage SAMPLED) or a target (usage STORAGE) that is an image.
ViewRequest view_of_side(const Side& side, Format format, uint32_t slices, VkImageUsageFlagBits usage);

/// Rounds up to 256 bytes, so that the next range may be bound.
constexpr uint64_t aligned_range(uint64_t bytes) { return round_up(bytes, 256); }

struct ONEPASS_INTERNAL Transform::Impl {
  Device device;
  TransformSides sides;
  TransformDispatchPlan plan;
  std::vector<FourierStage> forward;  // rows, columns; empty if not asked for
  std::vector<FourierStage> inverse;  // columns, rows

  explicit Impl(const Device& d) : device(d) {}
};

/// Layout of a source or target that is a buffer.
struct SideLayout {
  uint32_t row = 0;  ///< Strides, texels.
  uint32_t slice = 0;
  uint64_t bytes = 0;  ///< From its offset to the end of the last texel.
};

struct ONEPASS_INTERNAL TransformBinding::Impl {
  std::shared_ptr<const Transform::Impl> transform;  // keeps the device and layouts alive
  BindingObjects objects;
  std::array<VkDescriptorSet, 8> sets{};  // two per stage: rows and columns forward, columns and rows inverse
  SideLayout source_side;
  SideLayout target_side;

  explicit Impl(std::shared_ptr<const Transform::Impl> t)
      : transform(std::move(t)), objects(transform->device.impl(), "fourier") {}
};

}  // namespace onepass::vulkan
