// vulkan/pyramid.hpp: mip chains and hierarchical depth buffers on a GPU, in the caller's command buffer.
//
//     auto device = onepass::vulkan::Device::adopt({.instance = instance, .physical_device = gpu, .device = handle,
//                                                   .queue_family = family,
//                                                   .features = {.storage_image_write_without_format = true},
//                                                   .api_version = VK_API_VERSION_1_3});
//     if (!device) return device.error();
//     auto pyramid = onepass::vulkan::Pyramid::create(*device, {.size = {1920, 1080}, .source = Format::kD32Sfloat,
//                                                               .target = Format::kR32Sfloat,
//                                                               .reduction = Reduction::kMax});
//     auto hiz = pyramid->bind({.source = depth_image, .target = hiz_image, .target_level = 0});
//     pyramid->record(commands, *hiz);  // every frame
//
// Barriers that the caller records:
//   before record(): writes to the source are visible to VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT /
//     VK_ACCESS_SHADER_READ_BIT, with the source in PyramidImages::source_layout; earlier accesses to the target's
//     levels are done, the levels in VK_IMAGE_LAYOUT_GENERAL; and the writes of the previous record() or record_reset()
//     on the same binding are available (COMPUTE_SHADER or TRANSFER write -> COMPUTE_SHADER read and write);
//   after record(): COMPUTE_SHADER / SHADER_WRITE -> the next reader of the levels.
// samples/mip_chain.cpp shows all of them.
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "onepass/export.h"
#include "onepass/pyramid.hpp"
#include "onepass/vulkan/device.hpp"

namespace onepass::vulkan {

/// How the base is read.
enum class Sampling : uint32_t {
  kAuto,    ///< kLinear on real GPUs where the rounding contract and the device allow it, except for sRGB; otherwise
            ///< kFetch.
  kFetch,   ///< One texel fetch per texel.
  kLinear,  ///< One linear sample for the mean of 2x2 texels, where a level halves exactly; elsewhere texels are
            ///< fetched. Needs kMean, no alpha mode, no normal map, no depth format, and at most 4096 texels per side
            ///< (8192 if both sizes are powers of two). Software devices filter with float weights: error up to 8 ULP
            ///< per texel of the longer side.
};

/// The pipelines of a pyramid, each of which a driver compiles in tenths of a second.
enum class Pipelines : uint32_t {
  kShared,  ///< Of all sizes: a pyramid of another size, as after a window was resized, finds them compiled. Of a
            ///< format and footprint there are three, with few exceptions, as of images of at most 64 texels or more
            ///< than four times as long as wide (docs/pyramid.md).
  kOwn,     ///< Of this size, and faster: at most 1 % with kAligned, 6 % with kCovering, a fifth for sRGB of
            ///< 4095x4095.
};

/// Tuning; results change at most within the rounding contract (docs/accuracy.md). Fields that are 0 or kAuto are
/// chosen by the tunings of the device (docs/tuning.md), without such by the rules below.
struct PyramidTuning {
  PyramidPath path = PyramidPath::kAuto;
  Switch subgroup = Switch::kAuto;  ///< Ballot, quad and shuffle operations instead of shared memory. kAuto: on if the
                                    ///< device has them and computeFullSubgroups. kOn: the caller guarantees full
                                    ///< subgroups.
  Sampling sampling = Sampling::kAuto;
  /// The exchange of single texels between workgroups. kOn, last-to-start mode: the last workgroup to start waits for
  /// the others' texels and reduces the parent tile. kOff, last-to-finish: the last workgroup to finish reduces it,
  /// which is slower. kOn requires forward progress of every workgroup that has started, which Vulkan does not
  /// guarantee: kAuto is on only with NVIDIA's driver (docs/devices.md). No effect if no single texels are exchanged,
  /// without subgroup operations or `publish`.
  Switch last_to_start = Switch::kAuto;
  /// Single texels are exchanged by self-validating words, without a memory barrier per workgroup: relaxed atomics for
  /// one and two components, coherent volatile vectors for four. kOn requires that these stores become visible to other
  /// workgroups in finite time without a barrier, which Vulkan does not guarantee either: kAuto is on with NVIDIA's
  /// driver and lavapipe, and with last_to_start kOn. kOff, or no effect: memory barriers.
  Switch publish = Switch::kAuto;
  /// The levels after the first few in a dispatch of their own, with a barrier between, where levels of odd size would
  /// otherwise be made by the last workgroups of the only dispatch. kAuto: with Pipelines::kShared on, with kOwn where
  /// it is faster (docs/pyramid.md): on software devices; with subgroup operations and three or four channels; from 1
  /// Mi texels on also with fewer; from 4 Mi with one channel and kCovering where the first levels halve exactly, as at
  /// 1920x1080. kOn: wherever possible. kOff: one dispatch, with pipelines of this size. No effect where all levels
  /// halve exactly, on updates, with kTight or kCoverage, and with kOwn where the first six levels halve exactly.
  Switch second_dispatch = Switch::kAuto;
  bool prepare_update = false;  ///< Creates the pipeline of record_update() in create(), not when the first update is
                                ///< recorded, so that no frame is delayed by it.
  SourceUsage source_usage = SourceUsage::kSampled;  ///< kStorage: the source needs usage STORAGE, not SAMPLED. Not
                                                     ///< with kLinear or kCoverage.
  Pipelines pipelines = Pipelines::kShared;  ///< create() with kOwn can run on a thread while kShared is in use.
};

/// Defined in onepass/pyramid.hpp.
using onepass::PyramidDispatchPlan;

/// Computes the dispatches from the options alone; kAuto counts as kSingleDispatch, the subgroup size as 32. Filters
/// other than kBox have two dispatches per level, of so many slices at a time that scratch memory stays small.
/// Pyramid::plan() has the dispatches for an actual device.
/// Errors: those of plan_pyramid(); kUnsupported if the exchange exceeds 2^32 values, for kSingleDispatch or kLinear
/// with a filter other than kBox, and for what only the CPU engine has: kCeil and kMode.
[[nodiscard]] ONEPASS_API Result<PyramidDispatchPlan> plan_pyramid_dispatches(const PyramidOptions& options,
                                                                              const PyramidTuning& tuning = {});

/// The images of one pyramid. Level 0 is read from `source`; level n is written to mip level target_level + n - 1 of
/// `target`, slices target_slice and up. Both may be the same image.
struct PyramidImages {
  VkImage source = VK_NULL_HANDLE;  ///< Usage SAMPLED, or as tuning.source_usage. Format options.source; of depth and
                                    ///< stencil only depth is read. options.samples samples.
  uint32_t source_level = 0;
  uint32_t source_slice = 0;
  VkImageLayout source_layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;  ///< During the dispatch.
  VkImage target = VK_NULL_HANDLE;  ///< Usage STORAGE. Format options.target; an sRGB image is written through a UNORM
                                    ///< view: flags MUTABLE_FORMAT and EXTENDED_USAGE.
  uint32_t target_level = 1;        ///< The mip level that receives level 1.
  uint32_t target_slice = 0;
  VkBuffer scratch =
      VK_NULL_HANDLE;  ///< Usage STORAGE_BUFFER and TRANSFER_DST, scratch_bytes long; null: bind() allocates it.
  VkDeviceSize scratch_offset = 0;  ///< In bytes; a multiple of 256.
};

/// A pyramid bound to images and scratch memory; each frame in flight needs its own. Destroy it after its commands have
/// run.
class ONEPASS_API PyramidBinding {
 public:
  PyramidBinding(PyramidBinding&&) noexcept;
  PyramidBinding& operator=(PyramidBinding&&) noexcept;
  ~PyramidBinding();

  struct Impl;  // private to the library
  ONEPASS_INTERNAL explicit PyramidBinding(std::unique_ptr<Impl> impl);
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Content of the scratch memory of a binding when an update is recorded.
enum class Scratch : uint32_t {
  kUnknown,        ///< Undefined: the whole source is read again, but only affected texels are written.
  kFromLastBuild,  ///< The data of the last record() on this binding, with the same source outside the changed
                   ///< rectangle: only the texels that the rectangle affects are read again.
};

/// Makes pyramids of one shape. create() and bind() may fail; record() cannot: it allocates nothing and does not wait.
/// Threads: create() and bind() from any thread; any number of record() at once with distinct command buffers.
class ONEPASS_API Pyramid {
 public:
  /// Validates the options and compiles the pipelines.
  /// Errors: those of plan_pyramid_dispatches(); kInvalidArgument for the tuning; kUnsupported, naming the format, size
  /// or feature that the device lacks; kDevice; kOutOfMemory.
  static Result<Pyramid> create(const Device& device, const PyramidOptions& options, const PyramidTuning& tuning = {});

  /// Creates views, descriptors and (if it is null in `images`) scratch memory, which is clear.
  /// Errors: kInvalidArgument, kOutOfMemory, kDevice.
  [[nodiscard]] Result<PyramidBinding> bind(const PyramidImages& images) const;

  /// Records the clearing of the scratch memory to zero: once before the first use of a binding with scratch memory of
  /// the caller's, and after the memory was used for another purpose. After each record() the memory is ready for the
  /// next one. Without it, or if two recordings of a binding overlap, levels are unspecified until the next
  /// record_reset(); dispatches end, if need be after seconds, and write to the levels and the scratch memory only.
  void record_reset(VkCommandBuffer commands, const PyramidBinding& binding) const;

  /// Makes levels 1 and up of every slice: records the dispatches of plan(), with barriers between them but not around
  /// them. With Alpha::kCoverage the recording first clears a histogram: a TRANSFER, with its own barriers.
  void record(VkCommandBuffer commands, const PyramidBinding& binding) const;

  /// Rewrites only the texels that a change inside `changed`, a rectangle of the base in every slice, can affect; the
  /// result is that of record(). With Alpha::kCoverage, or a MipFilter other than kBox, everything can be affected; a
  /// single dispatch with Footprint::kTight reads the whole source. An empty rectangle, or one outside the base,
  /// records nothing. Without PyramidTuning::prepare_update the first update creates a pipeline, which can take as long
  /// as create(); if that fails, everything is rewritten.
  void record_update(VkCommandBuffer commands, const PyramidBinding& binding, Rect changed, Scratch scratch) const;

  /// The plan of the options given to create().
  [[nodiscard]] const PyramidPlan& plan() const { return dispatch_plan().plan; }
  [[nodiscard]] const PyramidDispatchPlan& dispatch_plan() const;  ///< Cost on this device.
  [[nodiscard]] const PyramidOptions& options() const;             ///< The options given to create().

  struct Impl;  // private to the library
  explicit Pyramid(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Result of make_pyramid().
struct HostPyramidReport {
  PyramidDispatchPlan plan;
  double gpu_microseconds = 0;  ///< Measured by GPU timestamps around record(); 0 if the queue has none.
};

/// For programs that work on files: uploads `source`, makes the pyramid on an opened device, and downloads the levels.
/// With `changed`, `levels` contain an existing pyramid on entry and only affected texels change.
/// Errors: those of Pyramid::create() and bind(); kInvalidArgument if a view does not match the options; kOutOfMemory.
ONEPASS_API Result<HostPyramidReport> make_pyramid(const Device& device, const PyramidOptions& options,
                                                   const PyramidTuning& tuning, const ImageView& source,
                                                   std::span<const MutableImageView> levels,
                                                   std::optional<Rect> changed = std::nullopt);

}  // namespace onepass::vulkan
