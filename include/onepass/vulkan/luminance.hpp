// vulkan/luminance.hpp: luminance statistics of an image, and the exposure computed from them, on a GPU: one dispatch
// in the caller's command buffer, which reads the image once; nothing is read back.
//
//     auto meter = onepass::vulkan::Meter::create(*device, {.size = {3840, 2160}, .source = Format::kRGBA16Sfloat});
//     auto binding = meter->bind({.source = hdr_image});
//     meter->record(commands, *binding, {.seconds = dt, .cut = new_scene});  // every frame
//     // tone mapping binds binding->results() and reads exposure: shaders/onepass/luminance.glsl
//
// Results and scratch memory must be zero before their first use. Those that bind() allocates are; on memory of yours
// record record_reset() once. After a resize, a new meter that is bound to the same buffer of results continues from
// them: with scratch memory of its own at once, with scratch memory of yours after record_reset_scratch().
//
// Barriers that the caller records:
//   after record_reset() and record_reset_scratch(): TRANSFER / TRANSFER_WRITE -> COMPUTE_SHADER / SHADER_READ and
//   SHADER_WRITE;
//   before record(): writes to the source (and mask) are visible to COMPUTE_SHADER / SHADER_READ, in the layouts of
//   MeterImages; after the previous record() with the same results or scratch memory: COMPUTE_SHADER / SHADER_WRITE ->
//   COMPUTE_SHADER / SHADER_READ and SHADER_WRITE; earlier reads of the results are done;
//   after record(): COMPUTE_SHADER / SHADER_WRITE -> the next reader of the results.
// The results hold the state of adaptation. One meter serves any number of camera views; each has its own binding or
// its own buffer of results. Bindings with different sources but the same results and scratch memory (the images of a
// swapchain) share the state.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <span>

#include "onepass/export.h"
#include "onepass/luminance.hpp"
#include "onepass/vulkan/device.hpp"

namespace onepass::vulkan {

/// Tuning; results change at most within the rounding contract (docs/accuracy.md). Fields that are 0 or kAuto are
/// chosen by the tunings of the device (docs/tuning.md), without such by the rules below.
struct MeterTuning {
  uint32_t groups = 0;  ///< Workgroups per slice, at most one per tile of 128x16 texels. 0: two for each of
                        ///< DeviceInfo::processors (264 if it is 132), divided by the slices.
  uint32_t copies = 0;  ///< Copies of the histogram in shared memory, 8 KB each: 1, 2 or 4. 0: 2 if there are 32 KB,
                        ///< otherwise 1.
  Switch subgroup = Switch::kAuto;  ///< Shuffles before atomics. Not without divergent_barriers.
  /// kOn: memory barriers in the control flow of one invocation, as the single dispatch has them. kOff: the simple
  /// variant in two dispatches: sums, a barrier, then one workgroup per slice that computes the result. kAuto: on,
  /// except with drivers that are known to mishandle such barriers (docs/devices.md).
  Switch divergent_barriers = Switch::kAuto;
};

/// Cost of metering on a device.
struct MeterDispatchPlan {
  MeterPlan plan;
  uint32_t dispatches = 1;     ///< 2 without MeterTuning::divergent_barriers.
  uint32_t groups_x = 0;       ///< Workgroups of 256 invocations per slice,
  uint32_t groups_z = 0;       ///< and slices.
  uint32_t copies = 0;         ///< Value of the tuning, with 0 resolved.
  uint64_t scratch_bytes = 0;  ///< Bytes of device memory for counters, sums and histograms.
  uint64_t result_bytes = 0;   ///< One MeterResult per slice.
};

/// The images and buffers of one binding.
struct MeterImages {
  VkImage source = VK_NULL_HANDLE;  ///< Usage SAMPLED. Format options.source.
  uint32_t source_level = 0;
  uint32_t source_slice = 0;
  VkImageLayout source_layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;  ///< During the dispatch.
  VkImage mask = VK_NULL_HANDLE;  ///< Metering::kMask: usage SAMPLED. Format options.mask.
  uint32_t mask_level = 0;
  uint32_t mask_slice = 0;
  VkImageLayout mask_layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  VkBuffer results =
      VK_NULL_HANDLE;  ///< Usage STORAGE_BUFFER and TRANSFER_DST, result_bytes long: one LuminanceResult
                       ///< (luminance_params.h) per slice. Null: bind() allocates it, of zeros, also with TRANSFER_SRC.
  VkDeviceSize results_offset = 0;    ///< In bytes; a multiple of 256.
  VkBuffer scratch = VK_NULL_HANDLE;  ///< Same usage, scratch_bytes long; null: bind() allocates it, of zeros.
  VkDeviceSize scratch_offset = 0;    ///< In bytes; a multiple of 256.
};

/// A meter bound to images and buffers. Destroy it after its commands have run.
class ONEPASS_API MeterBinding {
 public:
  MeterBinding(MeterBinding&&) noexcept;
  MeterBinding& operator=(MeterBinding&&) noexcept;
  ~MeterBinding();

  /// The buffer of results, which begin at results_offset(): for your own shaders, or to copy to the host.
  [[nodiscard]] VkBuffer results() const;
  [[nodiscard]] VkDeviceSize results_offset() const;  ///< In bytes.

  struct Impl;  // private to the library
  ONEPASS_INTERNAL explicit MeterBinding(std::unique_ptr<Impl> impl);
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Meters images of one shape. create() and bind() may fail; record() cannot: it allocates nothing and does not wait.
/// Threads: create() and bind() from any thread; any number of record() at once with distinct command buffers.
class ONEPASS_API Meter {
 public:
  /// Validates the options and compiles the pipelines.
  /// Errors: those of plan_meter(); kInvalidArgument for the tuning; kUnsupported, naming the format, limit or feature
  /// that the device lacks; kDevice; kOutOfMemory.
  static Result<Meter> create(const Device& device, const MeterOptions& options, const MeterTuning& tuning = {});

  /// Creates views, descriptors and the buffers that are null in `images`.
  /// Errors: kInvalidArgument, kOutOfMemory, kDevice.
  [[nodiscard]] Result<MeterBinding> bind(const MeterImages& images) const;

  /// Records the clearing of results and scratch memory to zero: once before the first use of memory of the caller's,
  /// and to forget the history.
  void record_reset(VkCommandBuffer commands, const MeterBinding& binding) const;

  /// Records the clearing of scratch memory alone: for scratch memory of the caller's that is new, or was used for
  /// something else, while the results keep the history.
  void record_reset_scratch(VkCommandBuffer commands, const MeterBinding& binding) const;

  /// Records the metering of every slice: plan().dispatches. A negative or infinite frame.seconds is a caller mistake
  /// and counts as 0.
  void record(VkCommandBuffer commands, const MeterBinding& binding, const MeterFrame& frame = {}) const;

  /// The plan of the options given to create().
  [[nodiscard]] const MeterPlan& plan() const { return dispatch_plan().plan; }
  [[nodiscard]] const MeterDispatchPlan& dispatch_plan() const;  ///< Cost on this device.
  [[nodiscard]] const MeterOptions& options() const;             ///< The options given to create().

  struct Impl;  // private to the library
  explicit Meter(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Result of meter_image().
struct HostMeterReport {
  MeterDispatchPlan plan;
  double gpu_microseconds = 0;  ///< Measured by GPU timestamps around record(); 0 if the queue has none.
};

/// For programs that work on files: uploads `source`, meters it on an opened device, and reads the results back.
/// `results` has options.slices elements; their adaptation state from the previous images is used unless frame.cut is
/// set.
/// Errors: those of Meter::create() and bind(); kInvalidArgument if a view, the number of results or frame.seconds is
/// not valid; kOutOfMemory.
ONEPASS_API Result<HostMeterReport> meter_image(const Device& device, const MeterOptions& options,
                                                const MeterTuning& tuning, const ImageView& source,
                                                std::span<MeterResult> results, const MeterFrame& frame = {},
                                                const ImageView& mask = {});

}  // namespace onepass::vulkan
