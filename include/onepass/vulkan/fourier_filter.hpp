// vulkan/fourier_filter.hpp: filters on a GPU in three dispatches, in your own command buffer.
//
// The gain of a frequency is computed where its value is, between the transforms of its column: no table of gains, no
// spectrum in memory. shaders/onepass/fourier_filter.glsl is the formula. The homomorphic filter has a dispatch before,
// for logarithms, and one after.
//
//     auto filter = onepass::vulkan::Filter::create(*device, options);
//     auto binding = filter->bind({.source = {.image = frame}, .target = {.image = smooth}});
//     filter->record(commands, *binding);
//
// Barriers the caller owes: those of record() in vulkan/fourier_convolution.hpp.
#pragma once

#include "onepass/export.h"
#include "onepass/fourier_filter.hpp"
#include "onepass/vulkan/fourier_convolution.hpp"

namespace onepass::vulkan {

/// Filters images. create() may fail; record() cannot: it allocates nothing and waits for nothing.
/// Results are those of cpu::Filter within the contract; logarithms and powers are the device's: 4e-6 of the largest.
/// Threads: create() and bind() from any thread; record() from any number at once with distinct command buffers.
class ONEPASS_API Filter {
 public:
  /// Validates, compiles the pipelines, makes tables.
  /// Errors: those of plan_filter; kInvalidArgument for the tuning; kUnsupported, naming the format, the size or the
  /// feature the device lacks; kDevice; kOutOfMemory.
  static Result<Filter> create(const Device& device, const FilterOptions& options, const TransformTuning& tuning = {});

  /// Makes views and descriptors. Errors: kInvalidArgument, kOutOfMemory, kDevice.
  [[nodiscard]] Result<OperationBinding> bind(const OperationImages& images) const;

  /// Source to target. dispatch_plan().dispatches.
  void record(VkCommandBuffer commands, const OperationBinding& binding) const;

  [[nodiscard]] const FilterPlan& plan() const;                      ///< What it costs.
  [[nodiscard]] const OperationDispatchPlan& dispatch_plan() const;  ///< What it costs on this device.

  struct Impl;  // private to the library
  explicit Filter(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

/// For programs that work on files: uploads, filters on an opened device, downloads. As cpu::Filter's calls.
/// Errors: those of Filter; kInvalidArgument when a view does not match the options.
ONEPASS_API Result<HostOperationReport> filter_image(const Device& device, const FilterOptions& options,
                                                     const TransformTuning& tuning, const ImageView& source,
                                                     const MutableImageView& target);

}  // namespace onepass::vulkan
