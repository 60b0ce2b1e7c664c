// vulkan/fourier_deconvolution.hpp: deconvolutions on a GPU, in your own command buffer.
//
// Wiener: one fused pass with the inverted spectrum of the kernel, three dispatches; with kTaper five more, which blend
// the image into its blur towards its edges. Richardson-Lucy: an iteration is two fused passes, a division and a
// correction, eight dispatches, all of them in one recording; what lies between stays in scratch memory.
//
//     auto deconvolver = onepass::vulkan::Deconvolver::create(*device, options);
//     if (auto set = deconvolver->set_kernel(motion); !set) return set.error();
//     auto binding = deconvolver->bind({.source = {.image = blurred}, .target = {.image = sharp}});
//     deconvolver->record_kernel(commands);           // once for each kernel
//     deconvolver->record(commands, *binding);
//
// Barriers the caller owes: those in vulkan/fourier_convolution.hpp.
#pragma once

#include "onepass/export.h"
#include "onepass/fourier_deconvolution.hpp"
#include "onepass/vulkan/fourier_convolution.hpp"

namespace onepass::vulkan {

/// Deconvolves images. create() and set_kernel() may fail; record_*() cannot: they allocate nothing and wait for
/// nothing.
/// Results are those of cpu::Deconvolver, as far as rounding lets them: Wiener divides by |H|^2 + noise, and what
/// rounding does to weak frequencies grows by 1 / (2 sqrt(noise)) at most; iterations keep rounding small.
/// Threads: as Convolver.
class ONEPASS_API Deconvolver {
 public:
  /// Errors: those of plan_deconvolution; kInvalidArgument for the tuning; kUnsupported, naming the format, the size or
  /// the feature the device lacks; kDevice; kOutOfMemory.
  static Result<Deconvolver> create(const Device& device, const DeconvolutionOptions& options,
                                    const TransformTuning& tuning = {});

  /// Copies the blur's weights to where record_kernel() finds them: not while the device runs recordings of this
  /// object. Errors: kInvalidArgument when the view does not match, kBadData when weights are not finite or sum to 0,
  /// or, for Richardson-Lucy, when one is negative, kOutOfMemory.
  Result<void> set_kernel(const ImageView& kernel);
  [[nodiscard]] bool has_kernel() const;  ///< Has set_kernel() succeeded? What is recorded before works on nothing.

  /// Weights to the spectrum that all bindings multiply by: two dispatches, for Wiener three, with kTaper five.
  void record_kernel(VkCommandBuffer commands) const;

  /// Makes views and descriptors. Source and target have options.size. Errors: kInvalidArgument, kOutOfMemory, kDevice.
  [[nodiscard]] Result<OperationBinding> bind(const OperationImages& images) const;

  /// Source to target. dispatch_plan().dispatches.
  void record(VkCommandBuffer commands, const OperationBinding& binding) const;

  [[nodiscard]] const DeconvolutionPlan& plan() const;               ///< What it costs.
  [[nodiscard]] const OperationDispatchPlan& dispatch_plan() const;  ///< What it costs on this device.

  struct Impl;  // private to the library
  explicit Deconvolver(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<Impl> impl_;
};

/// For programs that work on files: uploads, deconvolves on an opened device, downloads. As cpu::Deconvolver's calls.
/// Errors: those of Deconvolver; kInvalidArgument when a view does not match the options.
ONEPASS_API Result<HostOperationReport> deconvolve_image(const Device& device, const DeconvolutionOptions& options,
                                                         const TransformTuning& tuning, const ImageView& kernel,
                                                         const ImageView& source, const MutableImageView& target);

}  // namespace onepass::vulkan
