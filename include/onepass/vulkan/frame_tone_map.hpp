// vulkan/frame_tone_map.hpp: tone mapping of video on a GPU. One dispatch maps a frame with the exposure from the
// previous frame and meters it for the next frame. The frame is read once; nothing is read back to the host.
//
//     auto frames = onepass::vulkan::FrameToneMap::create(*device, {.meter = meter, .tone = tone});
//     auto binding = frames->bind({.source = hdr_image, .target = picture});
//     frames->record(commands, *binding, {.seconds = dt, .cut = new_scene});    // every frame
//
// Barriers that the caller records: those of vulkan/luminance.hpp for source, mask, results and scratch memory, and
// those of vulkan/tone_map.hpp for source and target. The results carry the exposure from one frame to the next, so
// frames that share results must run one after the other.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>

#include "onepass/export.h"
#include "onepass/frame_tone_map.hpp"
#include "onepass/vulkan/luminance.hpp"

namespace onepass::vulkan {

/// Tuning; results change at most within the rounding contract (docs/accuracy.md). Fields that are 0 or kAuto are
/// chosen by the tunings of the device (docs/tuning.md), without such by the rules below.
struct FrameToneMapTuning {
  uint32_t groups = 0;              ///< See MeterTuning::groups.
  uint32_t copies = 0;              ///< See MeterTuning::copies; curves use up to 10 KB of shared memory in addition.
  Switch subgroup = Switch::kAuto;  ///< See MeterTuning::subgroup.
  Switch divergent_barriers = Switch::kAuto;  ///< See MeterTuning::divergent_barriers; without them create() refuses:
                                              ///< use a Meter and a ToneMap.
};

/// Cost of a frame on a device.
struct FrameToneMapDispatchPlan {
  FrameToneMapPlan plan;
  uint32_t groups_x = 0;  ///< Workgroups of 256 invocations per slice,
  uint32_t groups_z = 0;  ///< and slices, of the one dispatch.
  uint32_t copies = 0;    ///< Value of the tuning, with 0 resolved.
  uint32_t curves = 0;    ///< Curves in shared memory, 2048 bytes each.
  uint64_t scratch_bytes = 0;
  uint64_t result_bytes = 0;  ///< One MeterResult per slice.
};

/// The images and buffers of one binding.
struct FrameToneMapImages {
  VkImage source = VK_NULL_HANDLE;  ///< Usage SAMPLED. Format options.tone.source.
  uint32_t source_level = 0;
  uint32_t source_slice = 0;
  VkImageLayout source_layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;  ///< During the dispatch.
  VkImage mask = VK_NULL_HANDLE;                                           ///< See MeterImages::mask.
  uint32_t mask_level = 0;
  uint32_t mask_slice = 0;
  VkImageLayout mask_layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  VkImage target = VK_NULL_HANDLE;  ///< See ToneMapImages::target: not the source image, usage STORAGE.
  uint32_t target_level = 0;
  uint32_t target_slice = 0;
  VkBuffer results = VK_NULL_HANDLE;  ///< See MeterImages::results; null: bind() allocates it.
  VkDeviceSize results_offset = 0;    ///< In bytes; a multiple of 256.
  VkBuffer scratch = VK_NULL_HANDLE;  ///< Same usage, scratch_bytes long; null: bind() allocates it.
  VkDeviceSize scratch_offset = 0;    ///< In bytes; a multiple of 256.
};

/// A frame tone map bound to images and buffers. Destroy it after its commands have run.
class ONEPASS_API FrameToneMapBinding {
 public:
  FrameToneMapBinding(FrameToneMapBinding&&) noexcept;
  FrameToneMapBinding& operator=(FrameToneMapBinding&&) noexcept;
  ~FrameToneMapBinding();

  /// The buffer of results; they begin at results_offset().
  [[nodiscard]] VkBuffer results() const;
  [[nodiscard]] VkDeviceSize results_offset() const;  ///< In bytes.

  struct Impl;  // private to the library
  ONEPASS_INTERNAL explicit FrameToneMapBinding(std::unique_ptr<Impl> impl);
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Maps and meters frames of one shape. create() and bind() may fail; record() cannot: it allocates nothing and does
/// not wait.
/// Threads: create() and bind() from any thread; any number of record() at once with distinct command buffers.
class ONEPASS_API FrameToneMap {
 public:
  /// Validates the options, fits the curves and compiles the pipeline.
  /// Errors: those of plan_frame_tone_map(); kInvalidArgument for the tuning; kUnsupported, naming the format, limit or
  /// feature that the device lacks; kDevice; kOutOfMemory.
  static Result<FrameToneMap> create(const Device& device, const FrameToneMapOptions& options,
                                     const FrameToneMapTuning& tuning = {});

  /// Creates views, descriptors and the buffers that are null in `images`.
  /// Errors: kInvalidArgument, kOutOfMemory, kDevice.
  [[nodiscard]] Result<FrameToneMapBinding> bind(const FrameToneMapImages& images) const;

  /// Records the clearing of results and scratch memory to zero: once before the first use of memory of the caller's,
  /// and to forget the history. Memory that bind() allocates is zero.
  void record_reset(VkCommandBuffer commands, const FrameToneMapBinding& binding) const;

  /// Records the clearing of scratch memory alone: for scratch memory of the caller's that is new, or was used for
  /// something else, while the results keep the exposure.
  void record_reset_scratch(VkCommandBuffer commands, const FrameToneMapBinding& binding) const;

  /// Records one dispatch that maps every slice with the exposure in its result (1 where the result is zero) and meters
  /// it into its result. A negative or infinite frame.seconds is a caller mistake and counts as 0.
  void record(VkCommandBuffer commands, const FrameToneMapBinding& binding, const MeterFrame& frame = {}) const;

  /// The plan of the options given to create().
  [[nodiscard]] const FrameToneMapPlan& plan() const { return dispatch_plan().plan; }
  [[nodiscard]] const FrameToneMapDispatchPlan& dispatch_plan() const;  ///< Cost on this device.
  [[nodiscard]] const FrameToneMapOptions& options() const;             ///< The options given to create().

  struct Impl;  // private to the library
  explicit FrameToneMap(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace onepass::vulkan
