// cuda/tile_reduction.hpp: one coarser image in linear device memory, in one launch on the caller's stream.
//
//     auto tiles = onepass::cuda::TileReduction::create(*device, {.size = {1648, 1776}, .source = Format::kR32Sfloat,
//                                                                 .target = Format::kR32Sfloat,
//                                                                 .reduction = Reduction::kMax, .factor = 16});
//     if (!tiles) return tiles.error();
//     auto binding = tiles->bind({.source = {.data = depth, .row_stride = pitch},
//                                 .target = {.data = coarse, .row_stride = 103 * 4}});
//     if (!binding) return binding.error();
//     return tiles->record(stream, *binding);  // every frame
//
// There is no scratch memory and nothing to reset. record() enqueues one kernel and does nothing else; it can be
// captured into a graph. Options, plans and errors are those of the other engines.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "onepass/cuda/device.hpp"
#include "onepass/cuda/image.hpp"
#include "onepass/export.h"
#include "onepass/tile_reduction.hpp"

namespace onepass::cuda {

/// Cost of a tile reduction.
struct TileReductionDispatchPlan {
  TileReductionPlan plan;
  uint32_t gathers = 4;              ///< Blocks of 2x2 texels that a thread reads, all in flight together.
  std::array<uint32_t, 3> groups{};  ///< Blocks of 256 threads of the one launch.
};

/// The images of one reduction. They do not overlap.
struct TileReductionImages {
  DeviceImage source;
  DeviceImage target;  ///< Of size plan().size.
};

/// A tile reduction bound to images. Any number of launches may use it at once.
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

/// Makes tile reductions of one shape on a CUDA device.
/// Threads: any number of calls at once.
class ONEPASS_API TileReduction {
 public:
  /// Validates the options and loads the kernel, which the driver compiles once and keeps in its cache on disk. Beyond
  /// the formats of other engines, source and target may be RGB without alpha.
  /// Errors: those of plan_tile_reduction(); kInvalidArgument for planar packed formats; kUnsupported for more than one
  /// sample, more than 65535 slices, and in builds without CUDA kernels; kDevice; kOutOfMemory.
  static Result<TileReduction> create(const Device& device, const TileReductionOptions& options,
                                      const ImageMemory& memory = {});

  /// Checks the images. It calls no function of the driver.
  /// Errors: kInvalidArgument, naming the image and its field; kOutOfMemory.
  [[nodiscard]] Result<TileReductionBinding> bind(const TileReductionImages& images) const;

  /// Enqueues the reduction of every slice. The stream belongs to the context of the device.
  /// Errors: kDevice, also for errors of earlier work in the context.
  Result<void> record(Stream stream, const TileReductionBinding& binding) const;

  /// The plan of the options given to create().
  [[nodiscard]] const TileReductionPlan& plan() const { return dispatch_plan().plan; }
  [[nodiscard]] const TileReductionDispatchPlan& dispatch_plan() const;  ///< Cost: one launch.
  [[nodiscard]] const TileReductionOptions& options() const;             ///< The options given to create().

  struct Impl;  // private to the library
  explicit TileReduction(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace onepass::cuda
