// vulkan/frame_tone_map.hpp: video on a GPU: one dispatch maps a frame with the exposure that the frame before led to,
// and meters it for the next one. The frame is read once; nothing comes back to the host.
//
//     auto frames = onepass::vulkan::FrameToneMap::create(*device, {.meter = {...}, .tone = {...}});
//     auto binding = frames->bind({.source = hdr_image, .target = picture});
//     frames->record_reset(commands, *binding);                                 // once
//     frames->record(commands, *binding, {.seconds = dt, .cut = new_scene});    // every frame
//
// Barriers the caller owes: those of vulkan/luminance.hpp for source, mask, results and scratch memory, and those of
// vulkan/tone_map.hpp for source and target. Results carry the exposure from one frame to the next: frames that share
// them run one after the other.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>

#include "onepass/export.h"
#include "onepass/frame_tone_map.hpp"
#include "onepass/vulkan/luminance.hpp"

namespace onepass::vulkan {

/// Options that never change a result beyond the contract on rounding (docs/accuracy.md).
struct FrameToneMapTuning {
  uint32_t groups = 0;              ///< As MeterTuning::groups.
  uint32_t copies = 0;              ///< As MeterTuning::copies; curves take up to 10 KB of shared memory besides.
  Switch subgroup = Switch::kAuto;  ///< As MeterTuning::subgroup.
};

/// What a frame costs on a device.
struct FrameToneMapDispatchPlan {
  FrameToneMapPlan plan;
  uint32_t groups_x = 0;  ///< Workgroups of 256: a slice,
  uint32_t groups_z = 0;  ///< and slices, of the one dispatch.
  uint32_t copies = 0;    ///< As in the tuning, resolved.
  uint32_t curves = 0;    ///< In shared memory, of 2048 bytes each.
  uint64_t scratch_bytes = 0;
  uint64_t result_bytes = 0;  ///< A MeterResult a slice.
};

/// The images and buffers of a view.
struct FrameToneMapImages {
  VkImage source = VK_NULL_HANDLE;  ///< Usage SAMPLED. Format options.tone.source.
  uint32_t source_level = 0;
  uint32_t source_slice = 0;
  VkImageLayout source_layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;  ///< During the dispatch.
  VkImage mask = VK_NULL_HANDLE;                                           ///< As MeterImages::mask.
  uint32_t mask_level = 0;
  uint32_t mask_slice = 0;
  VkImageLayout mask_layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  VkImage target = VK_NULL_HANDLE;  ///< As ToneMapImages::target: another image than the source, usage STORAGE.
  uint32_t target_level = 0;
  uint32_t target_slice = 0;
  VkBuffer results = VK_NULL_HANDLE;  ///< As MeterImages::results: null: allocated by bind().
  VkDeviceSize results_offset = 0;    ///< A multiple of 256.
  VkBuffer scratch = VK_NULL_HANDLE;  ///< The same, scratch_bytes long.
  VkDeviceSize scratch_offset = 0;    ///< A multiple of 256.
};

/// A frame tone map tied to a view. Destroy it after its commands have run.
class ONEPASS_API FrameToneMapBinding {
 public:
  FrameToneMapBinding(FrameToneMapBinding&&) noexcept;
  FrameToneMapBinding& operator=(FrameToneMapBinding&&) noexcept;
  ~FrameToneMapBinding();

  /// The buffer of results, from results_offset on.
  [[nodiscard]] VkBuffer results() const;
  [[nodiscard]] VkDeviceSize results_offset() const;  ///< Bytes.

  struct Impl;  // private to the library
  ONEPASS_INTERNAL explicit FrameToneMapBinding(std::unique_ptr<Impl> impl);
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Frames of one shape. create() and bind() may fail; record() cannot: it allocates nothing and waits for nothing.
/// Threads: create() and bind() from any thread; record() from any number at once with distinct command buffers.
class ONEPASS_API FrameToneMap {
 public:
  /// Validates, fits the curves, compiles the pipeline.
  /// Errors: those of plan_frame_tone_map; kInvalidArgument for the tuning; kUnsupported, naming the format, limit or
  /// feature the device lacks; kDevice; kOutOfMemory.
  static Result<FrameToneMap> create(const Device& device, const FrameToneMapOptions& options,
                                     const FrameToneMapTuning& tuning = {});

  /// Makes views, descriptors and the buffers that are not given.
  /// Errors: kInvalidArgument, kOutOfMemory, kDevice.
  [[nodiscard]] Result<FrameToneMapBinding> bind(const FrameToneMapImages& images) const;

  /// Zeroes results and scratch memory. Once before the first use of those.
  void record_reset(VkCommandBuffer commands, const FrameToneMapBinding& binding) const;

  /// Maps every slice with the exposure in its result (1 after record_reset()), and meters it into its result: one
  /// dispatch. A negative or infinite frame.seconds is a caller's mistake and taken for 0.
  void record(VkCommandBuffer commands, const FrameToneMapBinding& binding, const MeterFrame& frame = {}) const;

  [[nodiscard]] const FrameToneMapDispatchPlan& plan() const;  ///< What it costs on this device.
  [[nodiscard]] const FrameToneMapOptions& options() const;    ///< As given to create().

  struct Impl;  // private to the library
  explicit FrameToneMap(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace onepass::vulkan
