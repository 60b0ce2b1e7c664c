// cuda/tone_map.hpp: tone mapping of images in linear device memory, in one launch (two with local exposure) on the
// caller's stream.
//
//     auto map = onepass::cuda::ToneMap::create(*device, {.size = {3840, 2160}, .source = Format::kRGBA16Sfloat,
//                                                         .target = Format::kRGBA8Srgb});
//     if (!map) return map.error();
//     auto binding = map->bind({.source = {.data = scene, .row_stride = 3840 * 8},
//                               .target = {.data = picture, .row_stride = 3840 * 4},
//                               .exposure = exposure});
//     if (!binding) return binding.error();
//     return map->record(stream, *binding);  // every frame
//
// `exposure` is in device memory: a meter's result (MeterBinding::exposure() in cuda/luminance.hpp) needs no copy to
// the host. record() enqueues one kernel, or two, and does nothing else; it can be captured into a graph. Options,
// plans and errors are those of the other engines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "onepass/cuda/device.hpp"
#include "onepass/cuda/image.hpp"
#include "onepass/export.h"
#include "onepass/tone_map.hpp"

namespace onepass::cuda {

/// Cost of a tone map.
struct ToneMapDispatchPlan {
  ToneMapPlan plan;
  uint32_t curves = 0;               ///< Curves in shared memory, of which a block has 14 KB for all.
  std::array<uint32_t, 3> groups{};  ///< Blocks of 256 threads of the (last) launch.
  uint32_t launches = 1;             ///< 2 with local exposure: the first launch makes the grid.
  uint64_t scratch_bytes = 0;        ///< Scratch memory of each binding: the grid of local exposure, else 0.
};

/// The images of one tone map.
struct ToneMapImages {
  DeviceImage source;
  DeviceImage target;  ///< May be the source, if both have the same format and order of channels; else the two do not
                       ///< overlap.
  const void* exposure = nullptr;  ///< Exposure factors, as floats in device memory. Null: 1. See usable_exposure().
  size_t exposure_stride = 0;  ///< Bytes from one slice's factor to the next, a multiple of 4; 0: one factor for all
                               ///< slices.
  void* scratch = nullptr;     ///< Local exposure only: scratch_bytes of device memory, aligned to 256 bytes. Null:
                               ///< bind() allocates it, of zeros.
};

/// A tone map bound to images. Any number of launches may use it at once, if they may write to the target at once; with
/// local exposure one.
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

/// Makes tone maps of one shape on a CUDA device. Destroy it and its bindings after their launches have run.
/// Threads: any number of calls at once.
class ONEPASS_API ToneMap {
 public:
  /// Validates the options, fits the curves, copies them to device memory of some KB, and loads the kernel, which the
  /// driver compiles once and keeps in its cache on disk. Beyond the formats of other engines, source and target may be
  /// RGB without alpha.
  /// Errors: those of plan_tone_map(); kInvalidArgument for planar packed formats; kUnsupported for more than 65535
  /// slices, grids of local exposure of 2^32 nodes, and in builds without CUDA kernels; kDevice; kOutOfMemory.
  static Result<ToneMap> create(const Device& device, const ToneMapOptions& options, const ImageMemory& memory = {});

  /// Checks the images, and with local exposure allocates scratch memory that is null in `images`. Else it calls no
  /// function of the driver.
  /// Errors: kInvalidArgument, naming the image and its field; kOutOfMemory, kDevice.
  [[nodiscard]] Result<ToneMapBinding> bind(const ToneMapImages& images) const;

  /// Enqueues the clearing of scratch memory: once before the first use of memory of the caller's. Nothing without
  /// local exposure. Errors: kDevice.
  Result<void> record_reset(Stream stream, const ToneMapBinding& binding) const;

  /// Enqueues the mapping of every slice. `exposure` is multiplied by options.exposure and by the factor in memory; see
  /// usable_exposure(). The stream belongs to the context of the device.
  /// Errors: kDevice, also for errors of earlier work in the context.
  Result<void> record(Stream stream, const ToneMapBinding& binding, float exposure = 1.0F) const;

  /// The plan of the options given to create().
  [[nodiscard]] const ToneMapPlan& plan() const { return dispatch_plan().plan; }
  [[nodiscard]] const ToneMapDispatchPlan& dispatch_plan() const;  ///< Cost: one launch or two.
  [[nodiscard]] const ToneMapOptions& options() const;             ///< The options given to create().

  struct Impl;  // private to the library
  explicit ToneMap(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace onepass::cuda
