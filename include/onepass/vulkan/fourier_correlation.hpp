// vulkan/fourier_correlation.hpp: how far is one image shifted against another, on a GPU.
//
// Luminance, means, windows, both transforms at once as two channels, the cross-spectrum, its inverse and the search
// for the largest value all run on the device; the result is 256 bytes, and for PeakRefinement::kFourier the
// cross-spectrum after them, which the host refines the peak with: the same code as the CPU engine's.
//
//     auto correlator = onepass::vulkan::Correlator::create(*device, options);
//     auto binding = correlator->bind({.first = {.image = a}, .second = {.image = b}, .result = {.buffer = buffer}});
//     correlator->record(commands, *binding);
//     ... submit, wait, read correlator->dispatch_plan().result_bytes of the buffer ...
//     auto shift = correlator->finish(bytes);
//
// Barriers the caller owes, all at VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT:
//   before record(): both images readable, in Side::layout; earlier accesses to the result and the surface finished;
//   after: SHADER_WRITE -> whatever reads the result or the surface next;
//   between two recordings that share scratch memory (all of one binding do): SHADER_READ and SHADER_WRITE -> both.
// Barriers between its own dispatches are recorded by the library.
#pragma once

#include "onepass/export.h"
#include "onepass/fourier_correlation.hpp"
#include "onepass/vulkan/fourier_convolution.hpp"

namespace onepass::vulkan {

/// What a correlation costs on a device.
struct CorrelationDispatchPlan {
  std::vector<StagePlan> stages;  ///< Rows and columns of both images, columns and rows of c.
  uint32_t dispatches = 0;
  uint64_t scratch_bytes = 0;
  uint64_t result_bytes = 0;   ///< 256; kFourier: and the cross-spectrum.
  uint64_t surface_bytes = 0;  ///< All of c: floats, rows without gaps.
};

/// What a correlation reads and writes.
struct CorrelationResources {
  Side first{};  ///< Images, usage SAMPLED.
  Side second{};
  BufferRange result{};  ///< dispatch_plan().result_bytes.
  BufferRange
      surface{};  ///< Float (x, y): c of the shift (x, y), modulo the size. Without a buffer it stays in scratch.
  BufferRange scratch{};  ///< dispatch_plan().scratch_bytes; without a buffer the binding allocates its own.
};

/// A correlation tied to memory. Destroy it after its commands have run.
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

/// Correlates images. create() may fail; record() cannot: it allocates nothing and waits for nothing.
/// Results are those of cpu::Correlator but for rounding, which is the device's: c within 1e-4, a sharp peak's place
/// within 1e-3 texels. Of equal values the first is the peak; sums are in a fixed order: the same bits on every run.
/// Threads: create(), bind() and finish() from any thread; record() from any number at once with distinct command
/// buffers.
class ONEPASS_API Correlator {
 public:
  /// Errors: those of plan_correlation; kInvalidArgument for the tuning; kUnsupported, naming the format, the size or
  /// the feature the device lacks; kDevice; kOutOfMemory.
  static Result<Correlator> create(const Device& device, const CorrelationOptions& options,
                                   const TransformTuning& tuning = {});

  /// Makes views and descriptors. Errors: kInvalidArgument, kOutOfMemory, kDevice.
  [[nodiscard]] Result<CorrelationBinding> bind(const CorrelationResources& resources) const;

  /// Images to result and surface. dispatch_plan().dispatches.
  void record(VkCommandBuffer commands, const CorrelationBinding& binding) const;

  /// The shift that the bytes of a result say. Never NaN.
  /// Errors: kInvalidArgument for too few bytes, kBadData for a texel that is not within +-1e18, kOutOfMemory.
  [[nodiscard]] Result<ShiftEstimate> finish(std::span<const std::byte> result) const;

  [[nodiscard]] const CorrelationPlan& plan() const;                   ///< What it costs.
  [[nodiscard]] const CorrelationDispatchPlan& dispatch_plan() const;  ///< What it costs on this device.

  struct Impl;  // private to the library
  explicit Correlator(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

/// What estimate_shift() and correlate_images() did.
struct HostCorrelationReport {
  ShiftEstimate shift;
  CorrelationDispatchPlan plan;
  double gpu_microseconds = 0;  ///< From GPU timestamps around record(); 0 where the queue has none.
};

/// For programs that work on files: uploads, correlates on an opened device, downloads. As cpu::Correlator::estimate();
/// with a target, kR32Sfloat of options.size, as correlate() too.
/// Errors: those of Correlator; kInvalidArgument when a view does not match the options.
ONEPASS_API Result<HostCorrelationReport> estimate_shift(const Device& device, const CorrelationOptions& options,
                                                         const TransformTuning& tuning, const ImageView& first,
                                                         const ImageView& second,
                                                         const MutableImageView* target = nullptr);

}  // namespace onepass::vulkan
