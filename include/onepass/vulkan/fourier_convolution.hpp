// vulkan/fourier_convolution.hpp: convolutions on a GPU in three dispatches, in the caller's command buffer.
//
// The first dispatch transforms rows. The second transforms columns, multiplies them by the kernel's spectrum and
// transforms them back, so the image's spectrum is never stored. The third transforms rows back. Two dispatches compute
// the kernel's spectrum once; it is stored.
//
//     auto convolver = onepass::vulkan::Convolver::create(*device, options);
//     if (auto set = convolver->set_kernel(bokeh); !set) return set.error();
//     auto binding = convolver->bind({.source = {.image = frame}, .target = {.image = blurred}});
//     convolver->record_kernel(commands);             // once for each kernel
//     convolver->record(commands, *binding);          // as often as wanted
//
// Barriers that the caller records, all at VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT:
//   before record():        the source is readable, in Side::layout; earlier accesses to the target are done, and the
//                           target is in GENERAL;
//   before record_kernel(): earlier recordings that read the kernel are done (SHADER_READ -> SHADER_WRITE);
//   after record():         SHADER_WRITE -> the next reader of the target;
//   between two recordings that share scratch memory (all of one binding do): SHADER_READ and SHADER_WRITE -> both.
// The library records the barriers between its own dispatches, and the one after record_kernel().
#pragma once

#include "onepass/export.h"
#include "onepass/fourier_convolution.hpp"
#include "onepass/vulkan/fourier.hpp"

namespace onepass::vulkan {

/// The images of an operation on spectra. Side::buffer and strides are not used.
struct OperationImages {
  Side source{};  ///< Usage SAMPLED; options.source and options.size.
  Side target{};  ///< Usage STORAGE; options.target and the size of the result. Not the same image as the source.
  BufferRange scratch{};  ///< Size: dispatch_plan().scratch_bytes; without a buffer the binding allocates its own.
                          ///< Bloom by a mip chain: usage TRANSFER_DST too.
  VkImage mip_chain = VK_NULL_HANDLE;  ///< Bloom by a mip chain only: an image as Bloom::mip_chain_info() describes it,
                                       ///< without content or layout between recordings. Null: the binding makes its
                                       ///< own.
};

/// Cost of an operation on a device.
struct OperationDispatchPlan {
  std::vector<StagePlan> stages;  ///< Stages of each fused pass: rows, columns, rows. Columns whose length has prime
                                  ///< factors other than 2, 3, 5 and 7 take two stages and store their spectrum in
                                  ///< between.
  uint32_t dispatches = 0;        ///< Dispatches of record(), including small steps between the stages.
  uint64_t scratch_bytes = 0;     ///< Scratch memory of each binding.
};

/// An operation bound to images and memory. Destroy it after its commands have run.
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

/// Convolves images. create(), set_kernel() and bind() may fail; record_*() cannot: they allocate nothing and do not
/// wait.
/// Results are those of cpu::Convolver within the contract: error of a texel below 2e-6 of the largest texel.
/// Threads: create() and bind() from any thread; any number of record_*() at once with distinct command buffers;
/// set_kernel() not at the same time as other calls on the object.
class ONEPASS_API Convolver {
 public:
  /// Validates the options, compiles the pipelines, computes tables and allocates memory for the kernel.
  /// Errors: those of plan_convolution(); kInvalidArgument for the tuning; kUnsupported, naming the format, size or
  /// feature that the device lacks; kDevice; kOutOfMemory.
  static Result<Convolver> create(const Device& device, const ConvolutionOptions& options,
                                  const TransformTuning& tuning = {});

  /// Copies a kernel's weights to memory that record_kernel()'s commands read; do not call it while the device executes
  /// them. `kernel` has the format and size of the options, and one slice.
  /// Errors: kInvalidArgument if the view does not match, kBadData if weights are not finite or their sum, by which
  /// they are scaled, is 0; kOutOfMemory.
  Result<void> set_kernel(const ImageView& kernel);
  [[nodiscard]] bool has_kernel() const;  ///< Whether set_kernel() has succeeded. Earlier recordings have no valid
                                          ///< kernel.

  /// Records the computation of the spectrum by which all bindings multiply. Two dispatches, three with a mix; then a
  /// barrier.
  void record_kernel(VkCommandBuffer commands) const;

  /// Creates views and descriptors. Errors: kInvalidArgument, kOutOfMemory, kDevice.
  [[nodiscard]] Result<OperationBinding> bind(const OperationImages& images) const;

  /// Records the convolution from source to target: dispatch_plan().dispatches.
  void record(VkCommandBuffer commands, const OperationBinding& binding) const;

  [[nodiscard]] const ConvolutionPlan& plan() const;                 ///< The plan of the options given to create().
  [[nodiscard]] const OperationDispatchPlan& dispatch_plan() const;  ///< Cost on this device.

  struct Impl;  // private to the library
  explicit Convolver(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<Impl> impl_;
};

/// Result of the functions that work on host memory.
struct HostOperationReport {
  OperationDispatchPlan plan;
  double gpu_microseconds = 0;  ///< Measured by GPU timestamps around record(); 0 if the queue has none.
};

/// For programs that work on files: uploads, convolves on an opened device, and downloads. Arguments as in
/// cpu::Convolver.
/// Errors: those of Convolver; kInvalidArgument if a view does not match the options.
ONEPASS_API Result<HostOperationReport> convolve_image(const Device& device, const ConvolutionOptions& options,
                                                       const TransformTuning& tuning, const ImageView& kernel,
                                                       const ImageView& source, const MutableImageView& target);

}  // namespace onepass::vulkan
