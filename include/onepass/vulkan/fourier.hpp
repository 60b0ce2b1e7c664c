// vulkan/fourier.hpp: image transforms on a GPU, one dispatch an axis, in your own command buffer.
//
//     onepass::TransformOptions options{.size = {1920, 1080}, .source = Format::kRGBA16Sfloat,
//                                       .order = SpectrumOrder::kColumns};
//     auto transform = onepass::vulkan::Transform::create(*device, options);
//     auto binding = transform->bind({.source = {.image = frame}, .spectrum = {.buffer = spectrum},
//                                     .target = {.image = filtered}});
//     transform->record_forward(commands, *binding);
//     ... change the spectrum ...
//     transform->record_inverse(commands, *binding);
//
// Barriers the caller owes, all at VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT:
//   before record_forward(): the source readable (an image in Side::layout); earlier readers of the spectrum finished;
//   before record_inverse(): the spectrum readable; earlier accesses to the target finished, an image in GENERAL;
//   after: SHADER_WRITE -> whatever reads the spectrum or the target next;
//   between two recordings that share scratch memory (all of one binding do): SHADER_READ and SHADER_WRITE -> both.
// Barriers between its own dispatches are recorded by the library.
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "onepass/export.h"
#include "onepass/fourier.hpp"
#include "onepass/vulkan/device.hpp"

namespace onepass::vulkan {

/// Where a transform's image lies.
enum class SideKind : uint32_t {
  kImage,   ///< A VkImage, any format the device reads or writes.
  kBuffer,  ///< Rows of texels in a VkBuffer: formats of 32-bit floats, or of 16-bit floats with 2 or 4 channels.
};

/// What a Transform is created for.
struct TransformSides {
  SideKind source = SideKind::kImage;
  SideKind target = SideKind::kImage;
  bool forward = true;  ///< Creates the pipelines of record_forward().
  bool inverse = true;  ///< Creates the pipelines of record_inverse().
};

/// Where twiddle factors come from. Both are exact to the last bit or so.
enum class Twiddles : uint32_t {
  kTable,     ///< A table of one axis's length, rounded from double precision.
  kComputed,  ///< Polynomials in the kernel.
};

/// Options that never change a result beyond the contract on rounding (docs/accuracy.md).
struct TransformTuning {
  FourierTechnique technique = FourierTechnique::kAuto;
  Twiddles twiddles = Twiddles::kTable;
  uint32_t most_radix = 16;       ///< The largest radix a pass may have: 7 to 16. Ping-pong: 2 means radix 2 for powers
                                  ///< of two, the classic form.
  uint32_t lines_of_rows = 0;     ///< Rows a workgroup transforms: 1 to 64. 0: by length.
  uint32_t lines_of_columns = 0;  ///< Columns a workgroup transforms, all channels: 1 to 64. 0: by length.
};

/// One stage of a transform as it runs on a device: an axis one way.
struct StagePlan {
  Axis axis = Axis::kX;
  FourierTechnique technique = FourierTechnique::kSharedMemory;
  uint32_t length = 0;                 ///< Of the axis.
  uint32_t transform_length = 0;       ///< Of the transforms made: `length`, or Bluestein's.
  std::array<uint32_t, 16> radices{};  ///< Of the passes, first to last; four-step, ping-pong: one dispatch each.
  uint32_t passes = 0;
  uint32_t dispatches = 0;
  uint32_t lanes = 0;  ///< Invocations that share a line; shared memory only, as the following.
  uint32_t lines = 0;  ///< Lines of a workgroup.
  uint32_t shared_bytes = 0;
  Traffic traffic;  ///< What its invocations ask for, repeated reads counted each time.
};

/// What a transform costs on a device.
struct TransformDispatchPlan {
  TransformPlan plan;
  std::vector<StagePlan> forward;  ///< Rows, columns.
  std::vector<StagePlan> inverse;  ///< Columns, rows.
  uint64_t scratch_bytes = 0;
};

/// Rows of texels, an image or a buffer, as TransformSides said.
struct Side {
  VkImage image = VK_NULL_HANDLE;  ///< Source: usage SAMPLED. Target: usage STORAGE; an sRGB image is written through a
                                   ///< view of its UNORM twin: flags MUTABLE_FORMAT and EXTENDED_USAGE.
  uint32_t level = 0;
  uint32_t slice = 0;                                               ///< The first.
  VkImageLayout layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;  ///< Of a source, during the dispatch.
  VkBuffer buffer = VK_NULL_HANDLE;                                 ///< Usage STORAGE_BUFFER.
  VkDeviceSize offset = 0;                                          ///< Bytes; a multiple of 256.
  uint32_t row_stride = 0;    ///< Texels from row to row; 0: the width read or written.
  uint32_t slice_stride = 0;  ///< Texels from slice to slice; 0: rows without gaps.
};

/// Bytes of a buffer.
struct BufferRange {
  VkBuffer buffer = VK_NULL_HANDLE;  ///< Usage STORAGE_BUFFER.
  VkDeviceSize offset = 0;           ///< A multiple of 256.
};

/// What one binding works on.
struct TransformResources {
  Side source{};           ///< Not needed if created without `forward`.
  BufferRange spectrum{};  ///< plan().plan.spectrum_bytes.
  Side target{};           ///< Not needed if created without `inverse`.
  BufferRange scratch{};   ///< plan().scratch_bytes of the caller's; without a buffer the binding allocates its own.
};

/// A transform tied to memory. Destroy it after its commands have run.
class ONEPASS_API TransformBinding {
 public:
  TransformBinding(TransformBinding&&) noexcept;
  TransformBinding& operator=(TransformBinding&&) noexcept;
  ~TransformBinding();

  struct Impl;  // private to the library
  ONEPASS_INTERNAL explicit TransformBinding(std::unique_ptr<Impl> impl);
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Makes transforms of one shape. create() may fail; record_*() cannot: they allocate nothing and wait for nothing.
/// Cost: a dispatch an axis with shared memory (up to 8192, others than factors 2, 3, 5, 7 up to 4096; columns of two
/// to four real channels up to 6144 and 3072 where a workgroup has 48 KB); of longer axes two, of those others four.
/// Threads: create() and bind() from any thread; record_*() from any number at once with distinct command buffers.
class ONEPASS_API Transform {
 public:
  /// Validates, compiles the pipelines, makes tables.
  /// Errors: those of plan_transform; kInvalidArgument for the tuning; kUnsupported, naming the format, the size or the
  /// feature the device lacks; kDevice; kOutOfMemory.
  static Result<Transform> create(const Device& device, const TransformOptions& options,
                                  const TransformSides& sides = {}, const TransformTuning& tuning = {});

  /// Makes views and descriptors. Errors: kInvalidArgument, kOutOfMemory, kDevice.
  [[nodiscard]] Result<TransformBinding> bind(const TransformResources& resources) const;

  /// Source to spectrum.
  void record_forward(VkCommandBuffer commands, const TransformBinding& binding) const;

  /// Spectrum to target. The spectrum is left as it was.
  void record_inverse(VkCommandBuffer commands, const TransformBinding& binding) const;

  [[nodiscard]] const TransformDispatchPlan& plan() const;  ///< What it costs on this device.

  struct Impl;  // private to the library
  explicit Transform(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

/// What transform_forward() and transform_inverse() did.
struct HostTransformReport {
  TransformDispatchPlan plan;
  double gpu_microseconds = 0;  ///< From GPU timestamps around the recording; 0 where the queue has none.
};

/// For programs that work on files: uploads, transforms on an opened device, downloads. As cpu::Transform::forward().
/// Errors: those of Transform::create and bind; kInvalidArgument when a view or the spectrum does not match the
/// options; kOutOfMemory.
ONEPASS_API Result<HostTransformReport> transform_forward(const Device& device, const TransformOptions& options,
                                                          const TransformTuning& tuning, const ImageView& source,
                                                          std::span<std::byte> spectrum);

/// The same the other way: as cpu::Transform::inverse().
ONEPASS_API Result<HostTransformReport> transform_inverse(const Device& device, const TransformOptions& options,
                                                          const TransformTuning& tuning,
                                                          std::span<const std::byte> spectrum,
                                                          const MutableImageView& target);

}  // namespace onepass::vulkan
