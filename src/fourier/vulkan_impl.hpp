// vulkan_impl.hpp: the insides of vulkan::Transform and vulkan::TransformBinding, shared with the operations on
// spectra.
#pragma once

#include "fourier/dispatch_plan.hpp"
#include "onepass/vulkan/fourier.hpp"
#include "vulkan/compute_pipeline.hpp"

namespace onepass::vulkan {

/// What one dispatch of a stage reads and writes. Ranges without a buffer are not used by the stage.
struct StageResources {
  VkImageView image = VK_NULL_HANDLE;  ///< Source or target of a stage of rows,
  VkImageLayout image_layout = VK_IMAGE_LAYOUT_GENERAL;
  VkDescriptorBufferInfo side{};       ///< or the buffer that is.
  VkImageView alpha = VK_NULL_HANDLE;  ///< Source of a target's alpha.
  VkImageLayout alpha_layout = VK_IMAGE_LAYOUT_GENERAL;
  VkDescriptorBufferInfo in{};
  VkDescriptorBufferInfo out{};
  VkDescriptorBufferInfo scratch{};  ///< FourierStage::scratch_bytes() at least.
  VkDescriptorBufferInfo operand{};  ///< Of an operation on the spectrum.
};

/// What a stage is made from.
struct StageRequest {
  const TransformPlan* plan = nullptr;
  fourier::Stage stage = fourier::Stage::kRowsForward;
  SideKind side = SideKind::kImage;
  TransformTuning tuning;
  float scale = 1;         ///< Of its results.
  uint32_t operation = 0;  ///< OPERATION of src/fourier/fourier_operation.glsl.
  bool join = true;        ///< It works on the spectra of single channels.
  bool alpha = false;      ///< Rows inverse, three channels to an image: its alpha is a source image's.
  bool counted = false;    ///< Tests: the kernel that adds its traffic up in the operand.
};

/// One stage ready to be recorded: its layout, pipelines and tables.
class FourierStage {
 public:
  /// Errors: kUnsupported, kOutOfMemory, kDevice.
  static Result<FourierStage> create(const Device& device, const StageRequest& request);

  [[nodiscard]] const fourier::StageLayout& layout() const { return layout_; }
  [[nodiscard]] SideKind side() const { return side_; }

  /// Bytes of what lies between its dispatches: one buffer of pass_bytes(), of more than two dispatches two.
  [[nodiscard]] uint64_t scratch_bytes() const;

  /// Descriptor sets: one, two of a stage of several dispatches, allocated from `pool`, which has room for them.
  [[nodiscard]] uint32_t set_count() const { return layout_.plan.dispatches == 1 ? 1 : 2; }
  Result<void> create_sets(VkDescriptorPool pool, const StageResources& resources, VkDescriptorSet* sets) const;

  /// All dispatches of the stage, with barriers between them. `row_stride` and `slice_stride` are those of a buffer.
  void record(VkCommandBuffer commands, const VkDescriptorSet* sets, uint32_t row_stride, uint32_t slice_stride) const;

 private:
  explicit FourierStage(const Device& device) : device_(device) {}
  Result<void> create_pipelines(const StageRequest& request);
  Result<void> create_tables();
  [[nodiscard]] uint64_t pass_bytes() const;

  Device device_;
  fourier::StageLayout layout_;
  fourier::FourierParams params_{};
  SideKind side_ = SideKind::kImage;
  bool alpha_ = false;
  uint32_t slices_ = 1;
  std::array<std::shared_ptr<const ComputeKernel>, 32> pipelines_;  // of the dispatches
  std::shared_ptr<const Buffer> tables_;
};

/// What a device can do with the options. Errors: kInvalidArgument for the tuning; kUnsupported, naming the field.
Result<void> check_tuning(const TransformTuning& tuning);
Result<void> check_sides(const Device::Impl& device, const TransformOptions& options, const TransformSides& sides);

/// A view of a side that is an image.
Result<VkImageView> side_view(const Device::Impl& device, const Side& side, Format format, uint32_t slices,
                              bool source);

/// Room for one stage's sets in a descriptor pool.
Result<VkDescriptorPool> create_fourier_pool(const Device::Impl& device, uint32_t sets);

/// Waits for a dispatch's writes before the next reads them.
void record_compute_barrier(const Device::Impl& device, VkCommandBuffer commands);

/// Bytes rounded up so that what follows may be bound.
constexpr uint64_t aligned_range(uint64_t bytes) { return (bytes + 255) / 256 * 256; }

struct ONEPASS_INTERNAL Transform::Impl {
  Device device;
  TransformSides sides;
  TransformDispatchPlan plan;
  std::vector<FourierStage> forward;  // rows, columns; empty if not asked for
  std::vector<FourierStage> inverse;  // columns, rows

  explicit Impl(const Device& d) : device(d) {}
};

/// Of a side that is a buffer.
struct SideLayout {
  uint32_t row = 0;  ///< Strides, texels.
  uint32_t slice = 0;
  uint64_t bytes = 0;  ///< From its offset to the end of the last texel.
};

struct ONEPASS_INTERNAL TransformBinding::Impl {
  std::shared_ptr<const Transform::Impl> transform;  // keeps the device and layouts alive
  VkImageView source = VK_NULL_HANDLE;
  VkImageView target = VK_NULL_HANDLE;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  std::array<VkDescriptorSet, 8> sets{};  // two a stage: rows and columns forward, columns and rows inverse
  Buffer scratch;
  SideLayout source_side;
  SideLayout target_side;

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();
};

}  // namespace onepass::vulkan
