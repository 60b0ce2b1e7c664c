// vulkan/fourier.hpp: image transforms on a GPU, one dispatch per axis, in the caller's command buffer.
//
//     onepass::TransformOptions options{.size = {1920, 1080}, .source = Format::kRGBA16Sfloat,
//                                       .order = SpectrumOrder::kColumns};
//     auto transform = onepass::vulkan::Transform::create(*device, options);
//     auto binding = transform->bind({.source = {.image = frame}, .spectrum = {.buffer = spectrum},
//                                     .target = {.image = filtered}});
//     transform->record_forward(commands, *binding);
//     // change the spectrum
//     transform->record_inverse(commands, *binding);
//
// Barriers that the caller records, all at VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT:
//   before record_forward(): the source is readable (an image in Side::layout); earlier reads of the spectrum are done;
//   before record_inverse(): the spectrum is readable; earlier accesses to the target are done, an image in GENERAL;
//   after: SHADER_WRITE -> the next reader of the spectrum or the target;
//   between two recordings that share scratch memory (all of one binding do): SHADER_READ and SHADER_WRITE -> both.
// The library records the barriers between its own dispatches.
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

/// Storage of a transform's image.
enum class SideKind : uint32_t {
  kImage,   ///< A VkImage of any format that the device reads or writes.
  kBuffer,  ///< Rows of texels in a VkBuffer: formats with 32-bit floats, or with 16-bit floats and 2 or 4 channels.
};

/// The use for which a Transform is created.
struct TransformSides {
  SideKind source = SideKind::kImage;
  SideKind target = SideKind::kImage;
  bool forward = true;  ///< Creates the pipelines of record_forward().
  bool inverse = true;  ///< Creates the pipelines of record_inverse().
};

/// Source of the twiddle factors. Both are accurate to about the last bit.
enum class Twiddles : uint32_t {
  kTable,     ///< A lookup table of one axis's length, rounded from double precision.
  kComputed,  ///< Polynomials evaluated in the kernel.
};

/// Tuning; results change at most within the rounding contract (docs/accuracy.md). Fields that are 0 or kAuto are
/// chosen by the tunings of the device (docs/tuning.md), without such by the rules below.
struct TransformTuning {
  FourierTechnique technique = FourierTechnique::kAuto;
  Twiddles twiddles = Twiddles::kTable;
  uint32_t most_radix = 16;  ///< Largest radix of a pass, 7 to 16. Ping-pong: 2 selects radix 2 for powers of two, the
                             ///< classic form.
  uint32_t values_per_invocation = 0;  ///< 4, 8 or 16, each of both signals of a texel; no radix is larger. 0: chosen
                                       ///< by the size; columns of the smallest images then have one signal.
  uint32_t lines_of_rows = 0;          ///< Rows per workgroup, 1 to 64. 0: chosen by the size.
  uint32_t lines_of_columns = 0;       ///< Columns per workgroup, all channels, 1 to 64. 0: chosen by the size.
};

/// One stage of a transform.
using StagePlan = TransformStagePlan;

/// Cost of a transform on a device.
struct TransformDispatchPlan {
  TransformPlan plan;
  std::vector<StagePlan> forward;  ///< Rows, columns.
  std::vector<StagePlan> inverse;  ///< Columns, rows.
  uint64_t scratch_bytes = 0;
};

/// Rows of texels in an image or a buffer, according to TransformSides.
struct Side {
  VkImage image = VK_NULL_HANDLE;  ///< Source: usage SAMPLED. Target: usage STORAGE; an sRGB image is written through a
                                   ///< UNORM view: flags MUTABLE_FORMAT and EXTENDED_USAGE.
  uint32_t level = 0;
  uint32_t slice = 0;                                               ///< First slice.
  VkImageLayout layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;  ///< Layout of a source during the dispatch.
  VkBuffer buffer = VK_NULL_HANDLE;                                 ///< Usage STORAGE_BUFFER.
  VkDeviceSize offset = 0;                                          ///< In bytes; a multiple of 256.
  uint32_t row_stride = 0;    ///< Texels from one row to the next; 0: the width read or written.
  uint32_t slice_stride = 0;  ///< Texels from one slice to the next; 0: no gap.
};

/// A range of a buffer.
struct BufferRange {
  VkBuffer buffer = VK_NULL_HANDLE;  ///< Usage STORAGE_BUFFER.
  VkDeviceSize offset = 0;           ///< In bytes; a multiple of 256.
};

/// The memory of one binding.
struct TransformResources {
  Side source{};           ///< Not needed if the transform was created without `forward`.
  BufferRange spectrum{};  ///< Size: plan().spectrum_bytes.
  Side target{};           ///< Not needed if the transform was created without `inverse`.
  BufferRange scratch{};   ///< Size: dispatch_plan().scratch_bytes; without a buffer the binding allocates its own.
};

/// A transform bound to memory. Destroy it after its commands have run.
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

/// Transforms of one shape. create() and bind() may fail; record_*() cannot: they allocate nothing and do not wait.
/// Cost: one dispatch per axis with shared memory, for lengths up to 8192, or up to 4096 with prime factors other than
/// 2, 3, 5, 7. Columns of two to four real channels: up to 6144 and 3072 if a workgroup has 48 KB of shared memory.
/// Longer axes: two dispatches, with other prime factors three.
/// Threads: create() and bind() from any thread; any number of record_*() at once with distinct command buffers.
class ONEPASS_API Transform {
 public:
  /// Validates the options, compiles the pipelines and computes the tables.
  /// Errors: those of plan_transform(); kInvalidArgument for the tuning; kUnsupported, naming the format, size or
  /// feature that the device lacks; kDevice; kOutOfMemory.
  static Result<Transform> create(const Device& device, const TransformOptions& options,
                                  const TransformSides& sides = {}, const TransformTuning& tuning = {});

  /// Creates views and descriptors. The first source and the first target buffer with gaps between rows or slices
  /// compile pipelines, as create() does. Errors: kInvalidArgument; kUnsupported for a buffer larger than
  /// maxStorageBufferRange; kOutOfMemory; kDevice.
  [[nodiscard]] Result<TransformBinding> bind(const TransformResources& resources) const;

  /// Records the transform from source to spectrum.
  void record_forward(VkCommandBuffer commands, const TransformBinding& binding) const;

  /// Records the transform from spectrum to target. The spectrum is not changed.
  void record_inverse(VkCommandBuffer commands, const TransformBinding& binding) const;

  /// The plan of the options given to create().
  [[nodiscard]] const TransformPlan& plan() const { return dispatch_plan().plan; }
  [[nodiscard]] const TransformDispatchPlan& dispatch_plan() const;  ///< Cost on this device.

  struct Impl;  // private to the library
  explicit Transform(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Result of transform_forward() and transform_inverse().
struct HostTransformReport {
  TransformDispatchPlan plan;
  double gpu_microseconds = 0;  ///< Measured by GPU timestamps around the recording; 0 if the queue has none.
};

/// For programs that work on files: uploads, transforms on an opened device, and downloads. Arguments as in
/// cpu::Transform::forward().
/// Errors: those of Transform::create() and bind(); kInvalidArgument if a view or the spectrum does not match the
/// options; kOutOfMemory.
ONEPASS_API Result<HostTransformReport> transform_forward(const Device& device, const TransformOptions& options,
                                                          const TransformTuning& tuning, const ImageView& source,
                                                          std::span<std::byte> spectrum);

/// The inverse of transform_forward(), with the same errors. Arguments as in cpu::Transform::inverse().
ONEPASS_API Result<HostTransformReport> transform_inverse(const Device& device, const TransformOptions& options,
                                                          const TransformTuning& tuning,
                                                          std::span<const std::byte> spectrum,
                                                          const MutableImageView& target);

}  // namespace onepass::vulkan
