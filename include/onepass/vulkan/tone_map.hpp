// vulkan/tone_map.hpp: tone mapping on a GPU, in one dispatch (two with local exposure), in the caller's command
// buffer.
//
//     auto map = onepass::vulkan::ToneMap::create(*device, {.size = {3840, 2160}, .source = Format::kRGBA16Sfloat,
//                                                           .target = Format::kRGBA8Srgb});
//     auto binding = map->bind({.source = scene_image, .target = picture_image,
//                               .exposure = meter_results, .exposure_offset = 4});
//     map->record(commands, *binding);  // every frame
//
// With the exposure in a buffer, metering and mapping are two dispatches and nothing is read back: the tone map reads
// the meter's result. LuminanceResult::exposure is 4 bytes from the start of each result (onepass/luminance_params.h).
//
// Barriers that the caller records:
//   before record(): writes to the source and to the exposure are visible to VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT /
//   VK_ACCESS_SHADER_READ_BIT, with the source in ToneMapImages::source_layout; earlier accesses to the target are
//   done, and the target is in VK_IMAGE_LAYOUT_GENERAL;
//   after record(): COMPUTE_SHADER / SHADER_WRITE -> the next reader of the target.
// One binding may be recorded any number of times, and used by several frames in flight that keep the barriers above.
// With local exposure, a binding has scratch memory. record() then contains the barriers for it, so the uses of one
// binding on one queue run one after the other; frames that shall overlap need one binding each. Scratch memory of the
// caller is cleared once:
//   after record_reset(): TRANSFER / TRANSFER_WRITE -> COMPUTE_SHADER / SHADER_READ and SHADER_WRITE.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>

#include "onepass/export.h"
#include "onepass/tone_map.hpp"
#include "onepass/vulkan/device.hpp"

namespace onepass::vulkan {

/// Tuning; results change at most within the rounding contract (docs/accuracy.md). Fields that are 0 or kAuto are
/// chosen by the tunings of the device (docs/tuning.md), without such by the rules below.
struct ToneMapTuning {
  uint32_t pixels = 0;          ///< Texels per invocation, all read before the first one is mapped: 1, 2, 4 or 8. 0: 4.
  uint32_t workgroup_size = 0;  ///< Invocations: 64, 128, 256 or 512. 0: 256, or fewer if that is the device's limit.
  Switch divergent_barriers = Switch::kAuto;  ///< See MeterTuning::divergent_barriers; without them create() refuses
                                              ///< local exposure.
};

/// Cost of a tone map on a device.
struct ToneMapDispatchPlan {
  ToneMapPlan plan;
  uint32_t pixels = 4;            ///< Value of the tuning, with 0 resolved.
  uint32_t workgroup_size = 256;  ///< Invocations.
  uint32_t curves = 0;            ///< Curves in shared memory, 2048 bytes each; for kAgxBlender the first has 4096.
  uint32_t groups_x = 0;          ///< Workgroup counts of the (last) dispatch.
  uint32_t groups_y = 0;
  uint32_t groups_z = 0;
  uint32_t dispatches = 1;  ///< 2 with local exposure: the first dispatch makes the grid; the counts above are those of
                            ///< the second.
  uint64_t scratch_bytes = 0;  ///< Scratch memory of each binding: the grid of local exposure, else 0.
};

/// The images of one tone map.
struct ToneMapImages {
  VkImage source = VK_NULL_HANDLE;  ///< Usage SAMPLED. Format options.source.
  uint32_t source_level = 0;
  uint32_t source_slice = 0;
  VkImageLayout source_layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;  ///< During the dispatch.
  VkImage target = VK_NULL_HANDLE;  ///< Usage STORAGE; not the source or another level of it. Format options.target; an
                                    ///< sRGB image is written through a UNORM view: flags MUTABLE_FORMAT and
                                    ///< EXTENDED_USAGE.
  uint32_t target_level = 0;
  uint32_t target_slice = 0;
  VkBuffer exposure = VK_NULL_HANDLE;  ///< Usage STORAGE_BUFFER: exposure factors as floats. Null: 1. See
                                       ///< usable_exposure().
  VkDeviceSize exposure_offset = 0;    ///< Bytes to the factor of the first slice: a multiple of 4.
  VkDeviceSize exposure_stride = 0;   ///< Bytes from one slice's factor to the next, a multiple of 4; 0: one factor for
                                      ///< all slices.
  VkBuffer scratch = VK_NULL_HANDLE;  ///< Local exposure only. Usage STORAGE_BUFFER, TRANSFER_DST;
                                      ///< dispatch_plan().scratch_bytes long. Null: the binding allocates its own.
  VkDeviceSize scratch_offset = 0;    ///< In bytes; a multiple of 256.
};

/// A tone map bound to images. Destroy it after its commands have run.
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

/// Makes tone maps of one shape. create() and bind() may fail; record() cannot: it allocates nothing and does not wait.
/// Threads: create() and bind() from any thread; any number of record() at once with distinct command buffers.
class ONEPASS_API ToneMap {
 public:
  /// Validates the options, fits the curves, writes them to a host-visible buffer of some KB, and compiles the
  /// pipeline.
  /// Errors: those of plan_tone_map(); kInvalidArgument for the tuning; kUnsupported, naming the format that the device
  /// lacks; kDevice; kOutOfMemory.
  static Result<ToneMap> create(const Device& device, const ToneMapOptions& options, const ToneMapTuning& tuning = {});

  /// Creates views and descriptors for a set of images, and scratch memory that is null in `images`.
  /// Errors: kInvalidArgument, kOutOfMemory, kDevice.
  [[nodiscard]] Result<ToneMapBinding> bind(const ToneMapImages& images) const;

  /// Records the clearing of the caller's scratch memory: once before the first record(), and whenever something else
  /// has written to the memory. Scratch memory of the binding's own is clear. Nothing without local exposure.
  void record_reset(VkCommandBuffer commands, const ToneMapBinding& binding) const;

  /// Records the mapping of every slice: one dispatch, no barriers; with local exposure two dispatches, each after a
  /// barrier between compute shaders. `exposure` is multiplied by options.exposure and by the factor in the buffer; see
  /// usable_exposure().
  void record(VkCommandBuffer commands, const ToneMapBinding& binding, float exposure = 1.0F) const;

  /// The plan of the options given to create().
  [[nodiscard]] const ToneMapPlan& plan() const { return dispatch_plan().plan; }
  [[nodiscard]] const ToneMapDispatchPlan& dispatch_plan() const;  ///< Cost on this device.
  [[nodiscard]] const ToneMapOptions& options() const;             ///< The options given to create().

  struct Impl;  // private to the library
  explicit ToneMap(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Result of map_tones().
struct HostToneMapReport {
  ToneMapDispatchPlan plan;
  double gpu_microseconds = 0;  ///< Measured by GPU timestamps around record(); 0 if the queue has none.
};

/// For programs that work on files: uploads `source`, maps it on an opened device, and downloads `target`. The target
/// is written last, and only after success, so it may overlap the source. Errors: those of ToneMap::create() and
/// bind(); kInvalidArgument if a view does not match the options; kOutOfMemory.
ONEPASS_API Result<HostToneMapReport> map_tones(const Device& device, const ToneMapOptions& options,
                                                const ToneMapTuning& tuning, const ImageView& source,
                                                const MutableImageView& target, float exposure = 1.0F);

}  // namespace onepass::vulkan
