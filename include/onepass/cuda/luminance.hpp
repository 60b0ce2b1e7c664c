// cuda/luminance.hpp: luminance statistics of an image in linear device memory, and the exposure computed from them:
// one launch on the caller's stream, which reads the image once; nothing is read back.
//
//     auto meter = onepass::cuda::Meter::create(*device, {.size = {3840, 2160}, .source = Format::kRGBA16Sfloat});
//     if (!meter) return meter.error();
//     auto binding = meter->bind({.source = {.data = scene, .row_stride = 3840 * 8}});
//     if (!binding) return binding.error();
//     // tone mapping takes binding->exposure(), and so may kernels of yours
//     return meter->record(stream, *binding, {.seconds = dt, .cut = new_scene});  // every frame
//
// Results and scratch memory must be zero before their first use. Those that bind() allocates are; on memory of yours
// call record_reset() once. After a resize, a new meter that is bound to the same results continues from them: with
// scratch memory of its own at once, with scratch memory of yours after record_reset_scratch().
//
// The results hold the state of adaptation. One meter serves any number of camera views; each has its own binding or
// its own results. record() enqueues one kernel and does nothing else; it can be captured into a graph, which repeats
// the frame it was recorded with.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "onepass/cuda/device.hpp"
#include "onepass/cuda/image.hpp"
#include "onepass/export.h"
#include "onepass/luminance.hpp"

namespace onepass::cuda {

/// How the images of a meter are stored, apart from their format.
struct MeterMemory {
  Channels source = Channels::kInterleaved;
  Channels mask = Channels::kInterleaved;
};

/// Cost of metering on a device.
struct MeterDispatchPlan {
  MeterPlan plan;
  std::array<uint32_t, 3> groups{};  ///< Blocks of 256 threads of the one launch. All slices: two for each
                                     ///< multiprocessor, at most one per tile of 128x16 texels.
  uint64_t scratch_bytes = 0;        ///< Bytes of device memory for counters, sums and histograms.
  uint64_t result_bytes = 0;         ///< One MeterResult per slice.
};

/// The images and memory of one binding.
struct MeterImages {
  DeviceImage source;
  DeviceImage mask;         ///< Metering::kMask: of the size of the source, one slice.
  void* results = nullptr;  ///< result_bytes of device memory, aligned to 16 bytes: one MeterResult per slice, in the
                            ///< same layout as in host memory. Null: bind() allocates it, of zeros.
  void* scratch = nullptr;  ///< scratch_bytes of device memory, aligned to 256 bytes. Null: bind() allocates it, of
                            ///< zeros.
};

/// A meter bound to images and memory. Two launches with the same results or scratch memory must not overlap. Destroy
/// it after its launches have run.
class ONEPASS_API MeterBinding {
 public:
  MeterBinding(MeterBinding&&) noexcept;
  MeterBinding& operator=(MeterBinding&&) noexcept;
  ~MeterBinding();

  /// The results in device memory: an array of MeterResult, one per slice.
  [[nodiscard]] void* results() const;
  /// The exposure in the first slice's result, for ToneMapImages::exposure; the next slice's is kExposureStride bytes
  /// further.
  [[nodiscard]] const void* exposure() const;
  static constexpr size_t kExposureStride = sizeof(MeterResult);  ///< For ToneMapImages::exposure_stride.

  struct Impl;  // private to the library
  ONEPASS_INTERNAL explicit MeterBinding(std::unique_ptr<Impl> impl);
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Meters images of one shape on a CUDA device.
/// Threads: create() and bind() from any thread; any number of record() at once with distinct bindings.
class ONEPASS_API Meter {
 public:
  /// Validates the options and loads the kernel, which the driver compiles once and keeps in its cache on disk. Beyond
  /// the formats of other engines, source and mask may be RGB without alpha.
  /// Errors: those of plan_meter(); kInvalidArgument for planar packed formats; kUnsupported for more than 65535
  /// slices, and in builds without CUDA kernels; kDevice; kOutOfMemory.
  static Result<Meter> create(const Device& device, const MeterOptions& options, const MeterMemory& memory = {});

  /// Checks the images, and allocates the memory that is null in `images`. With memory of the caller's it calls no
  /// function of the driver.
  /// Errors: kInvalidArgument, naming the image and its field; kOutOfMemory, kDevice.
  [[nodiscard]] Result<MeterBinding> bind(const MeterImages& images) const;

  /// Enqueues the clearing of results and scratch memory: once before the first use of memory of the caller's, and to
  /// forget the history.
  /// Errors: kDevice.
  Result<void> record_reset(Stream stream, const MeterBinding& binding) const;

  /// Enqueues the clearing of scratch memory alone: for scratch memory of the caller's that is new, or was used for
  /// something else, while the results keep the history.
  /// Errors: kDevice.
  Result<void> record_reset_scratch(Stream stream, const MeterBinding& binding) const;

  /// Enqueues the metering of every slice. The stream belongs to the context of the device.
  /// Errors: kInvalidArgument if frame.seconds is not within 0 and 1e9; kDevice, also for errors of earlier work in the
  /// context.
  Result<void> record(Stream stream, const MeterBinding& binding, const MeterFrame& frame = {}) const;

  /// The plan of the options given to create().
  [[nodiscard]] const MeterPlan& plan() const { return dispatch_plan().plan; }
  [[nodiscard]] const MeterDispatchPlan& dispatch_plan() const;  ///< Cost on this device: one launch.
  [[nodiscard]] const MeterOptions& options() const;             ///< The options given to create().

  struct Impl;  // private to the library
  explicit Meter(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace onepass::cuda
