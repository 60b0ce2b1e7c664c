// cuda/pyramid.hpp: mip chains and hierarchical depth buffers in linear device memory, on the caller's stream.
//
//     auto device = onepass::cuda::Device::create();
//     if (!device) return device.error();
//     onepass::PyramidOptions options{.size = {1920, 1080}, .source = Format::kRGBA8Unorm,
//                                     .target = Format::kRGBA8Unorm};
//     auto pyramid = onepass::cuda::Pyramid::create(*device, options);
//     if (!pyramid) return pyramid.error();
//     auto packed = onepass::cuda::pack_levels(options);          // packed->bytes: of one allocation
//     auto binding = pyramid->bind({.source = {.data = photo, .row_stride = pitch},
//                                   .levels = packed->images(levels)});
//     if (!binding) return binding.error();
//     return pyramid->record(stream, *binding);                   // every frame
//
// record() enqueues one kernel, or two, and does nothing else: it allocates nothing, waits for nothing, and works while
// the stream is captured into a graph. Options, plans and errors are those of both other engines; docs/accuracy.md
// bounds how far results may differ.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "onepass/cuda/device.hpp"
#include "onepass/cuda/image.hpp"
#include "onepass/export.h"
#include "onepass/pyramid.hpp"

namespace onepass::cuda {

/// The number of launches of record().
enum class Launches : uint32_t {
  kAuto,  ///< Two where levels of odd size would otherwise be made by the last blocks of the only launch, with
          ///< Footprint::kCovering; else one.
  kOne,   ///< One launch makes all levels; slower where kAuto takes two.
};

/// Tuning; results change at most within the rounding contract (docs/accuracy.md).
struct PyramidTuning {
  Launches launches = Launches::kAuto;
};

/// The images of a pyramid. They do not overlap.
struct PyramidImages {
  DeviceImage source;
  std::vector<DeviceImage> levels;  ///< levels[n - 1] receives level n: one for each level except level 0.
  void* scratch = nullptr;  ///< scratch_bytes of dispatch_plan(), aligned to 256 bytes; null: bind() allocates it.
};

/// Levels 1 and up in one allocation without gaps: level after level, in each slice after slice.
struct PackedLevels {
  std::vector<DeviceImage> at_zero;  ///< The levels of an allocation at address 0.
  size_t bytes = 0;                  ///< Of the allocation.

  /// The levels of an allocation at `data`.
  [[nodiscard]] ONEPASS_API std::vector<DeviceImage> images(void* data) const;
};

/// Computes where levels lie in one allocation. Each begins at a multiple of 256 bytes; its rows have no gaps.
/// Errors: those of Pyramid::create() that concern the options.
[[nodiscard]] ONEPASS_API Result<PackedLevels> pack_levels(const PyramidOptions& options,
                                                           const ImageMemory& memory = {});

/// A pyramid bound to images and scratch memory. Two launches on one binding must not overlap: bindings for each
/// stream. Destroy it after its launches have run.
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

/// Makes pyramids of one shape on a CUDA device.
/// Threads: create() and bind() from any thread; any number of record() at once with distinct bindings.
class ONEPASS_API Pyramid {
 public:
  /// Validates the options and loads the kernels, which the driver compiles once and keeps in its cache on disk.
  /// Beyond the formats of other engines, source and target may be RGB without alpha (kRGB8Unorm and its like), both or
  /// one of them.
  /// Errors: those of plan_pyramid(); kInvalidArgument for planar packed formats; kUnsupported for kTight, kCeil,
  /// kMode, Alpha::kCoverage, filters other than kBox, more than one sample, more than 65535 slices, and in builds
  /// without CUDA kernels; kDevice; kOutOfMemory.
  static Result<Pyramid> create(const Device& device, const PyramidOptions& options, const ImageMemory& memory = {},
                                const PyramidTuning& tuning = {});

  /// Checks the images and, if it is null in `images`, allocates scratch memory, which is clear. With scratch memory of
  /// the caller's it calls no function of the driver.
  /// Errors: kInvalidArgument, naming the image and its field; kOutOfMemory, kDevice.
  [[nodiscard]] Result<PyramidBinding> bind(const PyramidImages& images) const;

  /// Enqueues the clearing of the scratch memory: once before the first use of a binding with scratch memory of the
  /// caller's. After each record() the memory is ready for the next one.
  /// Errors: kDevice.
  Result<void> record_reset(Stream stream, const PyramidBinding& binding) const;

  /// Enqueues the making of levels 1 and up of every slice. The stream belongs to the context of the device.
  /// Errors: kDevice, also for errors of earlier work in the context.
  Result<void> record(Stream stream, const PyramidBinding& binding) const;

  /// The plan of the options given to create().
  [[nodiscard]] const PyramidPlan& plan() const { return dispatch_plan().plan; }
  [[nodiscard]] const PyramidDispatchPlan& dispatch_plan() const;  ///< Cost: the launches are its dispatches.
  [[nodiscard]] const PyramidOptions& options() const;             ///< The options given to create().

  struct Impl;  // private to the library
  explicit Pyramid(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace onepass::cuda
