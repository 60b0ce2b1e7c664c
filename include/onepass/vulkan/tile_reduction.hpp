// vulkan/tile_reduction.hpp: one coarser image on a GPU, in one dispatch, in the caller's command buffer.
//
//     auto tiles = onepass::vulkan::TileReduction::create(*device, {.size = {1648, 1776}, .source = Format::kD32Sfloat,
//                                                                   .target = Format::kR32Sfloat,
//                                                                   .reduction = Reduction::kMax, .factor = 16});
//     auto binding = tiles->bind({.source = depth_image, .target = coarse_image});
//     tiles->record(commands, *binding);  // every frame
//
// Barriers that the caller records:
//   before record(): writes to the source are visible to VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT /
//   VK_ACCESS_SHADER_READ_BIT, with the source in TileReductionImages::source_layout; earlier accesses to the target
//   are done, and the target is in VK_IMAGE_LAYOUT_GENERAL;
//   after record(): COMPUTE_SHADER / SHADER_WRITE -> the next reader of the target.
// There is no scratch memory and nothing to reset: one binding may be recorded any number of times, and used by several
// frames in flight that keep the barriers above.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>

#include "onepass/export.h"
#include "onepass/tile_reduction.hpp"
#include "onepass/vulkan/device.hpp"

namespace onepass::vulkan {

/// How the invocations of a tile combine their results.
enum class TileStrategy : uint32_t {
  kAuto,      ///< kSubgroup if the device has shuffles and computeFullSubgroups, otherwise kTree. kTree for
              ///< multisampled sources and those read as storage images.
  kTree,      ///< A tree of four values to one in shared memory: any device.
  kSubgroup,  ///< Shuffles; shared memory only if a tile needs more than one subgroup. Subgroup sizes 4 to 128.
              ///< Without computeFullSubgroups the caller guarantees full subgroups.
};

/// Tuning; results change at most within the rounding contract (docs/accuracy.md). Fields that are 0 or kAuto are
/// chosen by the tunings of the device (docs/tuning.md), without such by the rules below.
struct TileReductionTuning {
  TileStrategy strategy = TileStrategy::kAuto;
  uint32_t gathers = 0;  ///< Blocks of 2x2 texels that an invocation reads, all in flight together: 1, 2, 4, 8 or 16,
                         ///< at most (factor/2)^2. 0: chosen by format and factor.
  uint32_t workgroup_size = 0;  ///< Invocations: 32, 64, 128, 256 or 512. 0: 256, or more if a tile needs more.
  SourceUsage source_usage = SourceUsage::kSampled;  ///< kStorage: the source needs usage STORAGE, not SAMPLED.
};

/// Cost of a tile reduction on a device.
struct TileReductionDispatchPlan {
  TileReductionPlan plan;
  TileStrategy strategy = TileStrategy::kTree;  ///< Never kAuto.
  uint32_t gathers = 4;                         ///< Value of the tuning, with 0 resolved.
  uint32_t workgroup_size = 256;                ///< Invocations.
  uint32_t groups_x = 0;                        ///< Workgroup counts of the one dispatch.
  uint32_t groups_y = 0;
  uint32_t groups_z = 0;
};

/// The images of one reduction.
struct TileReductionImages {
  VkImage source = VK_NULL_HANDLE;  ///< Usage SAMPLED, or as tuning.source_usage. Format options.source; of depth and
                                    ///< stencil only depth is read. options.samples samples.
  uint32_t source_level = 0;
  uint32_t source_slice = 0;
  VkImageLayout source_layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;  ///< During the dispatch.
  VkImage target = VK_NULL_HANDLE;  ///< Usage STORAGE. Format options.target; an sRGB image is written through a UNORM
                                    ///< view: flags MUTABLE_FORMAT and EXTENDED_USAGE.
  uint32_t target_level = 0;        ///< The mip level that receives the result; its size is plan().size.
  uint32_t target_slice = 0;
};

/// A tile reduction bound to images. Destroy it after its commands have run.
class ONEPASS_API TileReductionBinding {
 public:
  TileReductionBinding(TileReductionBinding&&) noexcept;
  TileReductionBinding& operator=(TileReductionBinding&&) noexcept;
  ~TileReductionBinding();

  struct Impl;  // private to the library
  ONEPASS_INTERNAL explicit TileReductionBinding(std::unique_ptr<Impl> impl);
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Makes tile reductions of one shape. create() and bind() may fail; record() cannot: it allocates nothing and does not
/// wait.
/// Threads: create() and bind() from any thread; any number of record() at once with distinct command buffers.
class ONEPASS_API TileReduction {
 public:
  /// Validates the options and compiles the pipeline.
  /// Errors: those of plan_tile_reduction(); kInvalidArgument for the tuning; kUnsupported, naming the format or
  /// feature that the device lacks; kDevice; kOutOfMemory.
  static Result<TileReduction> create(const Device& device, const TileReductionOptions& options,
                                      const TileReductionTuning& tuning = {});

  /// Creates views and descriptors for a set of images.
  /// Errors: kInvalidArgument, kOutOfMemory, kDevice.
  [[nodiscard]] Result<TileReductionBinding> bind(const TileReductionImages& images) const;

  /// Records the reduction of every slice: one dispatch, no barriers.
  void record(VkCommandBuffer commands, const TileReductionBinding& binding) const;

  /// The plan of the options given to create().
  [[nodiscard]] const TileReductionPlan& plan() const { return dispatch_plan().plan; }
  [[nodiscard]] const TileReductionDispatchPlan& dispatch_plan() const;  ///< Cost on this device.
  [[nodiscard]] const TileReductionOptions& options() const;             ///< The options given to create().

  struct Impl;  // private to the library
  explicit TileReduction(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Result of reduce_tiles().
struct HostTileReductionReport {
  TileReductionDispatchPlan plan;
  double gpu_microseconds = 0;  ///< Measured by GPU timestamps around record(); 0 if the queue has none.
};

/// For programs that work on files: uploads `source`, reduces it on an opened device, and downloads `target`.
/// Errors: those of TileReduction::create() and bind(); kInvalidArgument if a view does not match the options;
/// kOutOfMemory.
ONEPASS_API Result<HostTileReductionReport> reduce_tiles(const Device& device, const TileReductionOptions& options,
                                                         const TileReductionTuning& tuning, const ImageView& source,
                                                         const MutableImageView& target);

}  // namespace onepass::vulkan
