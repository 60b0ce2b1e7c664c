// vulkan/luminance.hpp: all statistics of an image's luminance, and the exposure that follows, on a GPU: in one
// dispatch that reads the image once, in your own command buffer, with nothing read back.
//
//     auto meter = onepass::vulkan::Meter::create(*device, {.size = {3840, 2160}, .source = Format::kRGBA16Sfloat});
//     auto binding = meter->bind({.source = hdr_image});
//     meter->record_reset(commands, *binding);                             // once
//     meter->record(commands, *binding, {.seconds = dt, .cut = new_scene});  // every frame
//     // tone mapping binds binding->results() and reads exposure: shaders/onepass/luminance.glsl
//
// Barriers the caller owes:
//   after record_reset(): TRANSFER / TRANSFER_WRITE -> COMPUTE_SHADER / SHADER_READ and SHADER_WRITE;
//   before record(): writes to the source (and mask) made visible to COMPUTE_SHADER / SHADER_READ, in the layouts of
//   MeterImages; the previous record() with the same results or scratch memory: COMPUTE_SHADER / SHADER_WRITE ->
//   COMPUTE_SHADER / SHADER_READ and SHADER_WRITE; earlier readers of the results finished;
//   after record(): COMPUTE_SHADER / SHADER_WRITE -> whatever reads the results next.
// What adaptation remembers lives in the results. One meter serves any number of views: one binding, or one buffer of
// results, each. Bindings with different sources and the same results and scratch memory (a swapchain's images) share
// it.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <span>

#include "onepass/export.h"
#include "onepass/luminance.hpp"
#include "onepass/vulkan/device.hpp"

namespace onepass::vulkan {

/// Options that never change a result beyond the contract on rounding (docs/accuracy.md).
struct MeterTuning {
  bool two_pass = false;      ///< The simple sibling: sums, a barrier, one group a slice that finishes the result.
  uint32_t groups = 0;        ///< Workgroups a slice, at most one a tile of 128x16 texels. 0: 264 shared by the slices.
  uint32_t copies = 0;        ///< Of the histogram in shared memory, each 8 KB: 1, 2 or 4. 0: 2 where there are 32 KB.
  bool memory_model = false;  ///< Written to the Vulkan memory model; needs the device's feature. Not with two_pass.
  Switch subgroup = Switch::kAuto;  ///< Shuffles before atomics. Off with two_pass.
};

/// What metering costs on a device.
struct MeterDispatchPlan {
  MeterPlan plan;
  uint32_t dispatches = 1;     ///< 2 with MeterTuning::two_pass.
  uint32_t groups_x = 0;       ///< Workgroups of 256: a slice,
  uint32_t groups_z = 0;       ///< and slices.
  uint32_t copies = 0;         ///< As in the tuning, resolved.
  uint64_t scratch_bytes = 0;  ///< Device memory for counters, sums and histograms.
  uint64_t result_bytes = 0;   ///< A MeterResult a slice.
};

/// The images and buffers of a view.
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
      VK_NULL_HANDLE;  ///< Usage STORAGE_BUFFER and TRANSFER_DST, result_bytes long; null: allocated by
                       ///< bind(), with TRANSFER_SRC too. LuminanceResult of luminance_params.h, one a slice.
  VkDeviceSize results_offset = 0;    ///< A multiple of 256.
  VkBuffer scratch = VK_NULL_HANDLE;  ///< The same, scratch_bytes long.
  VkDeviceSize scratch_offset = 0;    ///< A multiple of 256.
};

/// A meter tied to a view. Destroy it after its commands have run.
class ONEPASS_API MeterBinding {
 public:
  MeterBinding(MeterBinding&&) noexcept;
  MeterBinding& operator=(MeterBinding&&) noexcept;
  ~MeterBinding();

  /// The buffer of results, from results_offset on: for your own shaders, or to copy to the host.
  [[nodiscard]] VkBuffer results() const;
  [[nodiscard]] VkDeviceSize results_offset() const;  ///< Bytes.

  struct Impl;  // private to the library
  ONEPASS_INTERNAL explicit MeterBinding(std::unique_ptr<Impl> impl);
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Meters of one shape. create() and bind() may fail; record() cannot: it allocates nothing and waits for nothing.
/// Threads: create() and bind() from any thread; record() from any number at once with distinct command buffers.
class ONEPASS_API Meter {
 public:
  /// Validates, compiles the pipelines.
  /// Errors: those of plan_meter; kInvalidArgument for the tuning; kUnsupported, naming the format, limit or feature
  /// the device lacks; kDevice; kOutOfMemory.
  static Result<Meter> create(const Device& device, const MeterOptions& options, const MeterTuning& tuning = {});

  /// Makes views, descriptors and the buffers that are not given.
  /// Errors: kInvalidArgument, kOutOfMemory, kDevice.
  [[nodiscard]] Result<MeterBinding> bind(const MeterImages& images) const;

  /// Zeroes results and scratch memory. Once before the first use of those.
  void record_reset(VkCommandBuffer commands, const MeterBinding& binding) const;

  /// Meters every slice: one dispatch. A negative or infinite frame.seconds is a caller's mistake and taken for 0.
  void record(VkCommandBuffer commands, const MeterBinding& binding, const MeterFrame& frame = {}) const;

  [[nodiscard]] const MeterDispatchPlan& plan() const;  ///< What it costs on this device.
  [[nodiscard]] const MeterOptions& options() const;    ///< As given to create().

  struct Impl;  // private to the library
  explicit Meter(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

/// What meter_image() did.
struct HostMeterReport {
  MeterDispatchPlan plan;
  double gpu_microseconds = 0;  ///< From GPU timestamps around record(); 0 where the queue has none.
};

/// For programs that work on files: uploads `source`, meters it on an opened device, fetches the results. `results` has
/// as many elements as options.slices; what they hold of the images before is used unless frame.cut. Errors: those of
/// Meter::create and bind; kInvalidArgument when a view, the number of results or frame.seconds does not fit;
/// kOutOfMemory.
ONEPASS_API Result<HostMeterReport> meter_image(const Device& device, const MeterOptions& options,
                                                const MeterTuning& tuning, const ImageView& source,
                                                std::span<MeterResult> results, const MeterFrame& frame = {},
                                                const ImageView& mask = {});

}  // namespace onepass::vulkan
