// vulkan/bloom.hpp: bloom on a GPU, in the caller's command buffer. Nothing is computed on the host per frame.
//
// kConvolution at full resolution takes three dispatches, as a convolution: the first reads the image, applies the
// bright pass and transforms rows; the second transforms columns, multiplies them by the kernel's spectrum and
// transforms them back; the third transforms rows back, and adds the glow to the image while it stores. At half
// resolution, a fourth dispatch interpolates the glow and adds it. kMipChain takes one dispatch for the bright light,
// one for all levels below, and one per level for the sum.
//
//     auto bloom = onepass::vulkan::Bloom::create(*device, {.size = size, .source = Format::kRGBA16Sfloat});
//     auto binding = bloom->bind({.source = {.image = frame}, .target = {.image = glowing}});
//     bloom->record_kernel(commands);             // once
//     bloom->record(commands, *binding);          // every frame
//
// Barriers that the caller records, all at VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT:
//   before record():        the source is readable, in Side::layout; earlier accesses to the target are done, and the
//                           target is in GENERAL;
//   before record_kernel(): earlier recordings that read the kernel are done (SHADER_READ -> SHADER_WRITE);
//   after record():         SHADER_WRITE -> the next reader of the target;
//   between two recordings that share scratch memory (all of one binding do): SHADER_READ and SHADER_WRITE -> both.
// The library records the barriers between its own dispatches, and the one after record_kernel().
#pragma once

#include "onepass/bloom.hpp"
#include "onepass/export.h"
#include "onepass/vulkan/fourier_convolution.hpp"

namespace onepass::vulkan {

/// Adds bloom to images. create(), set_kernel() and bind() may fail; record_*() cannot: they allocate nothing and do
/// not wait. A binding's images are those of a convolution: OperationImages. Results are those of cpu::Bloom within the
/// contract: error of a texel below 2e-6 of the largest texel. Threads: create() and bind() from any thread; any number
/// of record_*() at once with distinct command buffers; set_kernel() not at the same time as other calls on the object.
class ONEPASS_API Bloom {
 public:
  /// Validates the options, compiles the pipelines, computes tables, allocates memory for the kernel and sets the
  /// built-in kernel, if the options name no other.
  /// Errors: those of plan_bloom(); kInvalidArgument for the tuning; kUnsupported, naming the format, size or feature
  /// that the device lacks; kDevice; kOutOfMemory.
  static Result<Bloom> create(const Device& device, const BloomOptions& options, const TransformTuning& tuning = {});

  /// Rescales a kernel image on the host and copies it to memory that record_kernel()'s commands read; do not call it
  /// while the device executes them. `kernel` has the format and size of the options, and one slice.
  /// Errors: kInvalidArgument if the options name no kernel image or the view does not match, kBadData if weights are
  /// not finite or their sum, by which they are scaled, is 0; kOutOfMemory.
  Result<void> set_kernel(const ImageView& kernel);
  [[nodiscard]] bool has_kernel() const;  ///< The built-in kernel, one from set_kernel(), or none is needed.

  /// Records the computation of the kernel's spectrum, then a barrier: once before record(), and after set_kernel().
  /// Nothing with kMipChain.
  void record_kernel(VkCommandBuffer commands) const;

  /// What OperationImages::mip_chain must be: pass it to vkCreateImage or to your allocator. Other usages may be added.
  /// Format UNDEFINED with kConvolution, which needs no image. With OperationImages::scratch and this image, bind()
  /// allocates no device memory.
  [[nodiscard]] VkImageCreateInfo mip_chain_info() const;

  /// Creates views and descriptors, and the memory and image that are null in `images`.
  /// Errors: kInvalidArgument, kOutOfMemory, kDevice.
  [[nodiscard]] Result<OperationBinding> bind(const OperationImages& images) const;

  /// Records the bloom from source to target: dispatch_plan().dispatches.
  void record(VkCommandBuffer commands, const OperationBinding& binding) const;

  [[nodiscard]] const BloomPlan& plan() const;                       ///< The plan of the options given to create().
  [[nodiscard]] const OperationDispatchPlan& dispatch_plan() const;  ///< Cost on this device.

  struct Impl;  // private to the library
  explicit Bloom(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<Impl> impl_;
};

/// For programs that work on files: uploads, adds bloom on an opened device, and downloads. `kernel`: null if the
/// options name none. Other arguments as in cpu::Bloom. Errors: those of Bloom; kInvalidArgument if a view does not
/// match the options.
ONEPASS_API Result<HostOperationReport> bloom_image(const Device& device, const BloomOptions& options,
                                                    const TransformTuning& tuning, const ImageView* kernel,
                                                    const ImageView& source, const MutableImageView& target);

}  // namespace onepass::vulkan
