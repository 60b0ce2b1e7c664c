// vulkan/fourier_convolution.hpp: convolutions on a GPU in three dispatches, in your own command buffer.
//
// Rows are transformed; columns are transformed, multiplied by the kernel's spectrum and transformed back in one
// dispatch, so that the image's spectrum is never stored; rows are transformed back. The kernel's spectrum is made
// once, by two dispatches, and kept.
//
//     auto convolver = onepass::vulkan::Convolver::create(*device, options);
//     if (auto set = convolver->set_kernel(bokeh); !set) return set.error();
//     auto binding = convolver->bind({.source = {.image = frame}, .target = {.image = blurred}});
//     convolver->record_kernel(commands);             // once for each kernel
//     convolver->record(commands, *binding);          // as often as wanted
//
// Barriers the caller owes, all at VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT:
//   before record():        the source readable, in Side::layout; earlier accesses to the target finished and the
//                           target in GENERAL;
//   before record_kernel(): earlier recordings that read the kernel finished (SHADER_READ -> SHADER_WRITE);
//   after record():         SHADER_WRITE -> whatever reads the target next;
//   between two recordings that share scratch memory (all of one binding do): SHADER_READ and SHADER_WRITE -> both.
// Barriers between its own dispatches, and after record_kernel()'s, are recorded by the library.
#pragma once

#include "onepass/export.h"
#include "onepass/fourier_convolution.hpp"
#include "onepass/vulkan/fourier.hpp"

namespace onepass::vulkan {

/// What an operation on spectra reads and writes: images. Side::buffer and strides are not used.
struct OperationImages {
  Side source{};  ///< Usage SAMPLED; of options.source and options.size.
  Side target{};  ///< Usage STORAGE; of options.target and the size of the result. Another image than the source.
  BufferRange scratch{};  ///< plan().scratch_bytes of the caller's; without a buffer the binding allocates its own.
};

/// What an operation costs on a device.
struct OperationDispatchPlan {
  std::vector<StagePlan> stages;  ///< Of each fused pass: rows, columns, rows. Columns whose length has other factors
                                  ///< than 2, 3, 5 and 7 take two stages and store their spectrum between.
  uint32_t dispatches = 0;        ///< Of record(), small steps between the stages included.
  uint64_t scratch_bytes = 0;
};

/// An operation tied to images and memory. Destroy it after its commands have run.
class ONEPASS_API OperationBinding {
 public:
  OperationBinding(OperationBinding&&) noexcept;
  OperationBinding& operator=(OperationBinding&&) noexcept;
  ~OperationBinding();

  struct Impl;  // private to the library
  ONEPASS_INTERNAL explicit OperationBinding(std::unique_ptr<Impl> impl);
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Convolves images. create() and set_kernel() may fail; record_*() cannot: they allocate nothing and wait for nothing.
/// Results are those of cpu::Convolver within the contract: error of a texel below 1e-6 of the largest.
/// Threads: create() and bind() from any thread; record_*() from any number at once with distinct command buffers;
/// set_kernel() by itself.
class ONEPASS_API Convolver {
 public:
  /// Validates, compiles the pipelines, makes tables and memory for the kernel.
  /// Errors: those of plan_convolution; kInvalidArgument for the tuning; kUnsupported, naming the format, the size or
  /// the feature the device lacks; kDevice; kOutOfMemory.
  static Result<Convolver> create(const Device& device, const ConvolutionOptions& options,
                                  const TransformTuning& tuning = {});

  /// Copies a kernel's weights to where record_kernel() finds them: not while the device runs a recording of that.
  /// `kernel` has the format and size of the options, one slice.
  /// Errors: kInvalidArgument when it does not, kBadData when its weights are not finite or sum to 0 though they are to
  /// be scaled, kOutOfMemory.
  Result<void> set_kernel(const ImageView& kernel);
  [[nodiscard]] bool has_kernel() const;  ///< Has set_kernel() succeeded? What is recorded before works on nothing.

  /// Weights to the spectrum that all bindings multiply by. Two dispatches, three with a mix; then a barrier.
  void record_kernel(VkCommandBuffer commands) const;

  /// Makes views and descriptors. Errors: kInvalidArgument, kOutOfMemory, kDevice.
  [[nodiscard]] Result<OperationBinding> bind(const OperationImages& images) const;

  /// Source to target. plan().dispatches.
  void record(VkCommandBuffer commands, const OperationBinding& binding) const;

  [[nodiscard]] const ConvolutionPlan& plan() const;                 ///< What it costs.
  [[nodiscard]] const OperationDispatchPlan& dispatch_plan() const;  ///< What it costs on this device.

  struct Impl;  // private to the library
  explicit Convolver(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<Impl> impl_;
};

/// What the calls on host memory did.
struct HostOperationReport {
  OperationDispatchPlan plan;
  double gpu_microseconds = 0;  ///< From GPU timestamps around record(); 0 where the queue has none.
};

/// For programs that work on files: uploads, convolves on an opened device, downloads. As cpu::Convolver's calls.
/// Errors: those of Convolver; kInvalidArgument when a view does not match the options.
ONEPASS_API Result<HostOperationReport> convolve_image(const Device& device, const ConvolutionOptions& options,
                                                       const TransformTuning& tuning, const ImageView& kernel,
                                                       const ImageView& source, const MutableImageView& target);

}  // namespace onepass::vulkan
