// vulkan_impl.hpp: implementation of vulkan::Transform and its bindings; FourierStage, one axis in one direction, also
// serves the operations on spectra.
#pragma once

#include <algorithm>
#include <optional>

#include "fourier/dispatch_plan.hpp"
#include "image/div_up.hpp"
#include "onepass/vulkan/fourier.hpp"
#include "vulkan/barrier.hpp"
#include "vulkan/compute_kernel.hpp"
#include "vulkan/scratch_layout.hpp"

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

/// Descriptor sets of a stage, by the buffers that its dispatches read and write: the first dispatch, the last, and
/// between them those from one scratch buffer to the other and back. A single dispatch has the first.
struct StageSets {
  std::array<VkDescriptorSet, 4> sets{};
};

/// Distances in a source or target buffer, texels.
struct BufferStrides {
  uint32_t row = 0;
  uint32_t slice = 0;
  friend bool operator==(const BufferStrides&, const BufferStrides&) = default;
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
  BufferStrides strides{};  ///< Of a source or target buffer. 0: those that are given to record(), which is slower.
  bool counted = false;     ///< Tests, whose kernels count the traffic: the counts are the operand.
};

/// One stage ready to be recorded: its layout, pipelines and tables.
class FourierStage {
 public:
  /// The batch compiles its kernels. Errors: kUnsupported, kOutOfMemory, kDevice.
  static Result<FourierStage> create(KernelBatch& batch, const StageRequest& request);

  [[nodiscard]] const fourier::StageLayout& layout() const { return layout_; }
  [[nodiscard]] SideKind side() const { return side_; }

  /// Buffers between its dispatches: one of pass_bytes(), with more than two dispatches two.
  [[nodiscard]] uint64_t scratch_bytes() const;

  Result<void> create_sets(BindingObjects& objects, const StageResources& resources, StageSets& sets) const;

  /// Records all dispatches, with barriers between them.
  void record(VkCommandBuffer commands, const StageSets& sets, const BufferStrides& strides = {}) const;

 private:
  explicit FourierStage(const Device& device) : device_(device) {}
  static Result<FourierStage> create_resolved(KernelBatch& batch, const StageRequest& request,
                                              const TransformTuning& tuning);
  Result<void> find_kernels(KernelBatch& batch, const StageRequest& request);
  Result<void> create_tables();
  [[nodiscard]] uint32_t lines_of_passes() const;  ///< Lines per slice between dispatches; ping-pong: one per signal.
  [[nodiscard]] uint64_t pass_bytes() const;
  [[nodiscard]] uint32_t set_count() const { return std::min(layout_.plan.dispatches, 4U); }
  [[nodiscard]] uint32_t set_of(uint32_t dispatch) const;

  Device device_;
  fourier::StageLayout layout_;
  LightPass light_;
  SideKind side_ = SideKind::kImage;
  uint32_t slices_ = 1;
  std::vector<std::shared_ptr<const ComputeKernel>> kernels_;  // one per dispatch
  std::shared_ptr<const Buffer> tables_;
};

/// Transform::create() with kernels that the batch compiles.
Result<Transform> create_transform(KernelBatch& batch, const TransformOptions& options, const TransformSides& sides,
                                   const TransformTuning& tuning);

/// Validate the tuning, and formats against the device. Errors: kInvalidArgument; kUnsupported, naming the field.
Result<void> check_tuning(const TransformTuning& tuning);
Result<void> check_sides(const Device::Impl& device, const TransformOptions& options, const TransformSides& sides);

/// The view of a source (usage SAMPLED) or a target (usage STORAGE) that is an image.
ViewRequest view_of_side(const Side& side, Format format, uint32_t slices, VkImageUsageFlagBits usage);

struct ONEPASS_INTERNAL Transform::Impl {
  Device device;
  TransformSides sides;
  TransformTuning tuning;
  TransformDispatchPlan plan;
  std::vector<FourierStage> forward;  // rows, columns; empty if not asked for
  std::vector<FourierStage> inverse;  // columns, rows

  explicit Impl(const Device& d) : device(d) {}
};

/// Layout of a source or target that is a buffer.
struct SideLayout {
  BufferStrides strides;
  uint64_t bytes = 0;  ///< From its offset to the end of the last texel.
};

struct ONEPASS_INTERNAL TransformBinding::Impl {
  std::shared_ptr<const Transform::Impl> transform;  // keeps the device and layouts alive
  BindingObjects objects;
  std::array<StageSets, 4> sets{};  // of the stages: rows and columns forward, columns and rows inverse
  SideLayout source_side;
  SideLayout target_side;
  std::optional<FourierStage> source_rows;  // instead of the transform's stage, for a buffer with gaps
  std::optional<FourierStage> target_rows;

  explicit Impl(std::shared_ptr<const Transform::Impl> t)
      : transform(std::move(t)), objects(transform->device.impl(), "fourier") {}

  [[nodiscard]] const FourierStage& rows_forward() const { return source_rows ? *source_rows : transform->forward[0]; }
  [[nodiscard]] const FourierStage& rows_inverse() const { return target_rows ? *target_rows : transform->inverse[1]; }
};

}  // namespace onepass::vulkan
