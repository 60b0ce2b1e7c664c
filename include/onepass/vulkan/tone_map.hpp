// vulkan/tone_map.hpp: tone mapping on a GPU, in one dispatch, in your own command buffer; in two with local exposure.
//
//     auto map = onepass::vulkan::ToneMap::create(*device, {.size = {3840, 2160}, .source = Format::kRGBA16Sfloat,
//                                                           .target = Format::kRGBA8Srgb});
//     auto binding = map->bind({.source = scene_image, .target = picture_image,
//                               .exposure = meter_results, .exposure_offset = 4});
//     map->record(commands, *binding);  // every frame
//
// With the exposure in a buffer, metering and mapping are two dispatches and nothing is read back: the map reads what
// the meter wrote. onepass/luminance_params.h says where in the meter's results it is: LuminanceResult::exposure, 4
// bytes from the beginning of each.
//
// Barriers the caller owes:
//   before record(): writes to the source and to the exposure made visible to VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT /
//   VK_ACCESS_SHADER_READ_BIT, with the source in ToneMapImages::source_layout; earlier accesses to the target
//   finished, the target in VK_IMAGE_LAYOUT_GENERAL; after record(): COMPUTE_SHADER / SHADER_WRITE -> whatever reads
//   the target next.
// One binding may be recorded any number of times, and used by several frames in flight that keep the barriers above.
// With local exposure a binding has scratch memory: record() then has the barriers for that itself, so that uses of a
// binding on one queue run one after the other; frames that are to overlap have a binding each.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>

#include "onepass/export.h"
#include "onepass/tone_map.hpp"
#include "onepass/vulkan/device.hpp"

namespace onepass::vulkan {

/// Options that never change a result beyond the contract on rounding (docs/accuracy.md).
struct ToneMapTuning {
  uint32_t pixels = 0;          ///< Texels of an invocation, all read before the first is mapped: 1, 2, 4 or 8. 0: 4.
  uint32_t workgroup_size = 0;  ///< Invocations: 64, 128, 256 or 512. 0: 256, or what the device can.
};

/// What a tone map costs on a device.
struct ToneMapDispatchPlan {
  ToneMapPlan plan;
  uint32_t pixels = 4;            ///< As in the tuning, resolved.
  uint32_t workgroup_size = 256;  ///< Invocations.
  uint32_t curves = 0;            ///< In shared memory, of 2048 bytes each; of AgX as Blender has it the first of 4096.
  uint32_t groups_x = 0;          ///< Workgroups of the one dispatch.
  uint32_t groups_y = 0;
  uint32_t groups_z = 0;
  uint32_t dispatches = 1;     ///< 2 with local exposure: the first makes its grid. What is above is of the last.
  uint64_t scratch_bytes = 0;  ///< Of the grid, in buffers of each binding.
};

/// The images of one tone map.
struct ToneMapImages {
  VkImage source = VK_NULL_HANDLE;  ///< Usage SAMPLED. Format options.source.
  uint32_t source_level = 0;
  uint32_t source_slice = 0;
  VkImageLayout source_layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;  ///< During the dispatch.
  VkImage target = VK_NULL_HANDLE;  ///< Usage STORAGE; not the source, or another level of it. Of options.target; sRGB
                                    ///< images are written through a view of their UNORM twin: flags MUTABLE_FORMAT and
                                    ///< EXTENDED_USAGE.
  uint32_t target_level = 0;
  uint32_t target_slice = 0;
  VkBuffer exposure = VK_NULL_HANDLE;  ///< Usage STORAGE_BUFFER: factors as floats. Null: 1. See usable_exposure().
  VkDeviceSize exposure_offset = 0;    ///< Of the first slice's, in bytes: a multiple of 4.
  VkDeviceSize exposure_stride = 0;    ///< Bytes to the next slice's, a multiple of 4; 0: all slices have the same.
};

/// A tone map tied to images. Destroy it after its commands have run.
class ONEPASS_API ToneMapBinding {
 public:
  ToneMapBinding(ToneMapBinding&&) noexcept;
  ToneMapBinding& operator=(ToneMapBinding&&) noexcept;
  ~ToneMapBinding();

  struct Impl;  // private to the library
  ONEPASS_INTERNAL explicit ToneMapBinding(std::unique_ptr<Impl> impl);
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Makes tone maps of one shape. create() may fail; record() cannot: it allocates nothing and waits for nothing.
/// Threads: create() and bind() from any thread; record() from any number at once with distinct command buffers.
class ONEPASS_API ToneMap {
 public:
  /// Validates, fits the curves, writes them to a buffer of some KB that the host can reach, compiles the pipeline.
  /// Errors: those of plan_tone_map; kInvalidArgument for the tuning; kUnsupported, naming the format the device lacks;
  /// kDevice; kOutOfMemory.
  static Result<ToneMap> create(const Device& device, const ToneMapOptions& options, const ToneMapTuning& tuning = {});

  /// Makes views and descriptors for a set of images.
  /// Errors: kInvalidArgument, kOutOfMemory, kDevice.
  [[nodiscard]] Result<ToneMapBinding> bind(const ToneMapImages& images) const;

  /// Maps every slice: one dispatch, no barriers; with local exposure two, each behind a barrier of compute shaders.
  /// `exposure` is multiplied with options.exposure and with what the buffer says; see usable_exposure().
  void record(VkCommandBuffer commands, const ToneMapBinding& binding, float exposure = 1.0F) const;

  [[nodiscard]] const ToneMapDispatchPlan& plan() const;  ///< What it costs on this device.
  [[nodiscard]] const ToneMapOptions& options() const;    ///< As given to create().

  struct Impl;  // private to the library
  explicit ToneMap(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

/// What map_tones() did.
struct HostToneMapReport {
  ToneMapDispatchPlan plan;
  double gpu_microseconds = 0;  ///< From GPU timestamps around record(); 0 where the queue has none.
};

/// For programs that work on files: uploads `source`, maps it on an opened device, downloads `target`.
/// Errors: those of ToneMap::create and bind; kInvalidArgument when a view does not match the options; kOutOfMemory.
ONEPASS_API Result<HostToneMapReport> map_tones(const Device& device, const ToneMapOptions& options,
                                                const ToneMapTuning& tuning, const ImageView& source,
                                                const MutableImageView& target, float exposure = 1.0F);

}  // namespace onepass::vulkan
