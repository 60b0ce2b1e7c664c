// vulkan/fourier_deconvolution.hpp: deconvolutions on a GPU, in the caller's command buffer.
//
// Wiener: one fused pass with the inverted spectrum of the kernel, three dispatches. kTaper adds five dispatches, which
// blend the image into its blur towards its edges. Richardson-Lucy: each iteration is two fused passes, a division and
// a correction, eight dispatches; one recording contains all iterations. Intermediate results stay in scratch memory.
//
//     auto deconvolver = onepass::vulkan::Deconvolver::create(*device, options);
//     if (auto set = deconvolver->set_kernel(motion); !set) return set.error();
//     auto binding = deconvolver->bind({.source = {.image = blurred}, .target = {.image = sharp}});
//     deconvolver->record_kernel(commands);           // once for each kernel
//     deconvolver->record(commands, *binding);
//
// Barriers that the caller records: those in vulkan/fourier_convolution.hpp.
#pragma once

#include "onepass/export.h"
#include "onepass/fourier_deconvolution.hpp"
#include "onepass/vulkan/fourier_convolution.hpp"

namespace onepass::vulkan {

/// Deconvolves images. create(), set_kernel() and bind() may fail; record_*() cannot: they allocate nothing and do not
/// wait.
/// Results are those of cpu::Deconvolver up to rounding. Wiener divides by |H|^2 + noise, which amplifies rounding
/// errors of weak frequencies by at most 1 / (2 sqrt(noise)); iterations keep rounding errors small.
/// Threads: those of Convolver.
class ONEPASS_API Deconvolver {
 public:
  /// Validates the options, compiles the pipelines, computes tables and allocates memory for the kernel.
  /// Errors: those of plan_deconvolution(); kInvalidArgument for the tuning; kUnsupported, naming the format, size or
  /// feature that the device lacks; kDevice; kOutOfMemory.
  static Result<Deconvolver> create(const Device& device, const DeconvolutionOptions& options,
                                    const TransformTuning& tuning = {});

  /// Copies the blur's weights to memory that the recorded commands read; do not call it while the device executes
  /// recordings of this object. `kernel` has the format and size of the options, and one slice.
  /// Errors: kInvalidArgument if the view does not match, kBadData if weights are not finite, sum to 0 or, for
  /// Richardson-Lucy, one is negative; kOutOfMemory.
  Result<void> set_kernel(const ImageView& kernel);
  [[nodiscard]] bool has_kernel() const;  ///< Whether set_kernel() has succeeded. Earlier recordings have no valid
                                          ///< kernel.

  /// Records the computation of the spectrum by which all bindings multiply: two dispatches, for Wiener three, with
  /// kTaper five.
  void record_kernel(VkCommandBuffer commands) const;

  /// Creates views and descriptors. Source and target have options.size. Errors: kInvalidArgument, kOutOfMemory,
  /// kDevice.
  [[nodiscard]] Result<OperationBinding> bind(const OperationImages& images) const;

  /// Records the deconvolution from source to target: dispatch_plan().dispatches.
  void record(VkCommandBuffer commands, const OperationBinding& binding) const;

  [[nodiscard]] const DeconvolutionPlan& plan() const;               ///< The plan of the options given to create().
  [[nodiscard]] const OperationDispatchPlan& dispatch_plan() const;  ///< Cost on this device.

  struct Impl;  // private to the library
  explicit Deconvolver(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<Impl> impl_;
};

/// For programs that work on files: uploads, deconvolves on an opened device, and downloads. Arguments as in
/// cpu::Deconvolver. Errors: those of Deconvolver; kInvalidArgument if a view does not match the options.
ONEPASS_API Result<HostOperationReport> deconvolve_image(const Device& device, const DeconvolutionOptions& options,
                                                         const TransformTuning& tuning, const ImageView& kernel,
                                                         const ImageView& source, const MutableImageView& target);

}  // namespace onepass::vulkan
