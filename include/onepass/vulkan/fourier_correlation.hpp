// vulkan/fourier_correlation.hpp: estimates the shift between two images on a GPU.
//
// The device computes luminance, means, windows, both transforms at once as two channels, the cross-spectrum, its
// inverse, and the maximum. The result has 256 bytes; for PeakRefinement::kFourier the cross-spectrum follows. The host
// uses it to refine the peak, with the code of the CPU engine.
//
//     auto correlator = onepass::vulkan::Correlator::create(*device, options);
//     auto binding = correlator->bind({.first = {.image = a}, .second = {.image = b}, .result = {.buffer = buffer}});
//     correlator->record(commands, *binding);
//     // submit, wait, read correlator->dispatch_plan().result_bytes of the buffer
//     auto shift = correlator->finish(bytes);
//
// Barriers that the caller records, all at VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT:
//   before record(): both images are readable, in Side::layout; earlier accesses to result and surface are done;
//   after: SHADER_WRITE -> the next reader of the result or the surface;
//   between two recordings that share scratch memory (all of one binding do): SHADER_READ and SHADER_WRITE -> both.
// The library records the barriers between its own dispatches.
#pragma once

#include "onepass/export.h"
#include "onepass/fourier_correlation.hpp"
#include "onepass/vulkan/fourier_convolution.hpp"

namespace onepass::vulkan {

/// Cost of a correlation on a device.
struct CorrelationDispatchPlan {
  std::vector<StagePlan> stages;  ///< Rows and columns of both images, columns and rows of c.
  uint32_t dispatches = 0;
  uint64_t scratch_bytes = 0;
  uint64_t result_bytes = 0;   ///< 256; with kFourier, plus the size of the cross-spectrum.
  uint64_t surface_bytes = 0;  ///< Size of c for all shifts: floats, rows without gaps.
};

/// The images and buffers of a correlation.
struct CorrelationResources {
  Side first{};  ///< Images, usage SAMPLED.
  Side second{};
  BufferRange result{};   ///< Size: dispatch_plan().result_bytes.
  BufferRange surface{};  ///< Float (x, y) is c of the shift (x, y), modulo the size. Without a buffer, c stays in
                          ///< scratch memory.
  BufferRange scratch{};  ///< Size: dispatch_plan().scratch_bytes; without a buffer the binding allocates its own.
};

/// A correlation bound to memory. Destroy it after its commands have run.
class ONEPASS_API CorrelationBinding {
 public:
  CorrelationBinding(CorrelationBinding&&) noexcept;
  CorrelationBinding& operator=(CorrelationBinding&&) noexcept;
  ~CorrelationBinding();

  struct Impl;  // private to the library
  ONEPASS_INTERNAL explicit CorrelationBinding(std::unique_ptr<Impl> impl);
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Correlates images. create() and bind() may fail; record() cannot: it allocates nothing and does not wait.
/// Results are those of cpu::Correlator up to the device's rounding: c within 1e-4, the position of a sharp peak within
/// 1e-3 texels. Of equal values the first is the peak. Sums have a fixed order, so results are bit-identical in every
/// run.
/// Threads: create(), bind() and finish() from any thread; any number of record() at once with distinct command
/// buffers.
class ONEPASS_API Correlator {
 public:
  /// Validates the options, compiles the pipelines and computes the tables.
  /// Errors: those of plan_correlation(); kInvalidArgument for the tuning; kUnsupported, naming the format, size or
  /// feature that the device lacks; kDevice; kOutOfMemory.
  static Result<Correlator> create(const Device& device, const CorrelationOptions& options,
                                   const TransformTuning& tuning = {});

  /// Creates views and descriptors. Errors: kInvalidArgument, kOutOfMemory, kDevice.
  [[nodiscard]] Result<CorrelationBinding> bind(const CorrelationResources& resources) const;

  /// Records the correlation from images to result and surface: dispatch_plan().dispatches.
  void record(VkCommandBuffer commands, const CorrelationBinding& binding) const;

  /// The shift in the bytes of a result that the caller has read back. Never NaN.
  /// Errors: kInvalidArgument for too few bytes, kBadData for a texel that is not within +-1e18, kOutOfMemory.
  [[nodiscard]] Result<ShiftEstimate> finish(std::span<const std::byte> result) const;

  [[nodiscard]] const CorrelationPlan& plan() const;                   ///< The plan of the options given to create().
  [[nodiscard]] const CorrelationDispatchPlan& dispatch_plan() const;  ///< Cost on this device.

  struct Impl;  // private to the library
  explicit Correlator(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Result of estimate_shift().
struct HostCorrelationReport {
  ShiftEstimate shift;
  CorrelationDispatchPlan plan;
  double gpu_microseconds = 0;  ///< Measured by GPU timestamps around record(); 0 if the queue has none.
};

/// For programs that work on files: uploads, correlates on an opened device, and downloads. Arguments as in
/// cpu::Correlator::estimate(); with a target, kR32Sfloat of options.size, also as in correlate().
/// Errors: those of Correlator; kInvalidArgument if a view does not match the options.
ONEPASS_API Result<HostCorrelationReport> estimate_shift(const Device& device, const CorrelationOptions& options,
                                                         const TransformTuning& tuning, const ImageView& first,
                                                         const ImageView& second,
                                                         const MutableImageView* target = nullptr);

}  // namespace onepass::vulkan
