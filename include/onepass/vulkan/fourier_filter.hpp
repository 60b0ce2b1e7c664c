// vulkan/fourier_filter.hpp: filters on a GPU in three dispatches, in the caller's command buffer.
//
// The gain of a frequency is computed between the two transforms of its column: no table of gains and no spectrum is
// stored. shaders/onepass/fourier_filter.glsl has the formula. The homomorphic filter has one more dispatch before, for
// logarithms, and one after.
//
//     auto filter = onepass::vulkan::Filter::create(*device, options);
//     auto binding = filter->bind({.source = {.image = frame}, .target = {.image = smooth}});
//     filter->record(commands, *binding);
//
// Barriers that the caller records: those of record() in vulkan/fourier_convolution.hpp.
#pragma once

#include "onepass/export.h"
#include "onepass/fourier_filter.hpp"
#include "onepass/vulkan/fourier_convolution.hpp"

namespace onepass::vulkan {

/// Filters images. create() and bind() may fail; record() cannot: it allocates nothing and does not wait.
/// Results are those of cpu::Filter within the contract; logarithms and powers are those of the device: 4e-6 of the
/// largest.
/// Threads: create() and bind() from any thread; any number of record() at once with distinct command buffers.
class ONEPASS_API Filter {
 public:
  /// Validates the options, compiles the pipelines and computes the tables.
  /// Errors: those of plan_filter(); kInvalidArgument for the tuning; kUnsupported, naming the format, size or feature
  /// that the device lacks; kDevice; kOutOfMemory.
  static Result<Filter> create(const Device& device, const FilterOptions& options, const TransformTuning& tuning = {});

  /// Creates views and descriptors. Errors: kInvalidArgument, kOutOfMemory, kDevice.
  [[nodiscard]] Result<OperationBinding> bind(const OperationImages& images) const;

  /// Records the filter from source to target: dispatch_plan().dispatches.
  void record(VkCommandBuffer commands, const OperationBinding& binding) const;

  [[nodiscard]] const FilterPlan& plan() const;                      ///< The plan of the options given to create().
  [[nodiscard]] const OperationDispatchPlan& dispatch_plan() const;  ///< Cost on this device.

  struct Impl;  // private to the library
  explicit Filter(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

/// For programs that work on files: uploads, filters on an opened device, and downloads. Arguments as in cpu::Filter.
/// Errors: those of Filter; kInvalidArgument if a view does not match the options.
ONEPASS_API Result<HostOperationReport> filter_image(const Device& device, const FilterOptions& options,
                                                     const TransformTuning& tuning, const ImageView& source,
                                                     const MutableImageView& target);

}  // namespace onepass::vulkan
