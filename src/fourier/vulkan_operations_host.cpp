// vulkan_operations_host.cpp: operations on spectra of images in host memory, on a device: upload, record, download.
#include "fourier/vulkan_operations_host.hpp"

#include "onepass/vulkan/fourier_correlation.hpp"
#include "onepass/vulkan/fourier_deconvolution.hpp"
#include "onepass/vulkan/fourier_filter.hpp"

namespace onepass::vulkan {

Result<HostOperationReport> filter_image(const Device& device, const FilterOptions& options,
                                         const TransformTuning& tuning, const ImageView& source,
                                         const MutableImageView& target) {
  if (needs_decoding(device.impl(), options.source)) {
    return run_decoded(
        with_target(options), &FilterOptions::source, "source", source,
        [&](const FilterOptions& o, const ImageView& view) { return filter_image(device, o, tuning, view, target); });
  }
  auto filter = Filter::create(device, options, tuning);
  if (!filter) return filter.error();
  const FilterOptions& o = filter->plan().options;
  auto checked = check_host_view(source, "source", o.source, o.size, o.slices);
  if (checked) checked = check_host_view(target, "target", o.target, o.size, o.slices);
  if (!checked) return checked.error();
  return run_on_images(device, *filter, source, target, [](VkCommandBuffer) {});
}

Result<HostOperationReport> convolve_image(const Device& device, const ConvolutionOptions& options,
                                           const TransformTuning& tuning, const ImageView& kernel,
                                           const ImageView& source, const MutableImageView& target) {
  if (needs_decoding(device.impl(), options.source)) {
    return run_decoded(with_target(options), &ConvolutionOptions::source, "source", source,
                       [&](const ConvolutionOptions& o, const ImageView& view) {
                         return convolve_image(device, o, tuning, kernel, view, target);
                       });
  }
  auto convolver = Convolver::create(device, options, tuning);
  if (!convolver) return convolver.error();
  const ConvolutionOptions& o = convolver->plan().options;
  auto checked = check_host_view(source, "source", o.source, o.size, o.slices);
  if (checked) checked = check_host_view(target, "target", o.target, convolver->plan().result_size, o.slices);
  if (checked) checked = convolver->set_kernel(kernel);
  if (!checked) return checked.error();
  return run_on_images(device, *convolver, source, target,
                       [&](VkCommandBuffer commands) { convolver->record_kernel(commands); });
}

Result<HostOperationReport> deconvolve_image(const Device& device, const DeconvolutionOptions& options,
                                             const TransformTuning& tuning, const ImageView& kernel,
                                             const ImageView& source, const MutableImageView& target) {
  if (needs_decoding(device.impl(), options.source)) {
    return run_decoded(with_target(options), &DeconvolutionOptions::source, "source", source,
                       [&](const DeconvolutionOptions& o, const ImageView& view) {
                         return deconvolve_image(device, o, tuning, kernel, view, target);
                       });
  }
  auto deconvolver = Deconvolver::create(device, options, tuning);
  if (!deconvolver) return deconvolver.error();
  const DeconvolutionOptions& o = deconvolver->plan().options;
  auto checked = check_host_view(source, "source", o.source, o.size, o.slices);
  if (checked) checked = check_host_view(target, "target", o.target, o.size, o.slices);
  if (checked) checked = deconvolver->set_kernel(kernel);
  if (!checked) return checked.error();
  return run_on_images(device, *deconvolver, source, target,
                       [&](VkCommandBuffer commands) { deconvolver->record_kernel(commands); });
}

Result<HostCorrelationReport> estimate_shift(const Device& device, const CorrelationOptions& options,
                                             const TransformTuning& tuning, const ImageView& first,
                                             const ImageView& second, const MutableImageView* target) {
  if (needs_decoding(device.impl(), options.first)) {
    return run_decoded(options, &CorrelationOptions::first, "first", first,
                       [&](const CorrelationOptions& o, const ImageView& view) {
                         return estimate_shift(device, o, tuning, view, second, target);
                       });
  }
  if (needs_decoding(device.impl(), options.second)) {
    return run_decoded(options, &CorrelationOptions::second, "second", second,
                       [&](const CorrelationOptions& o, const ImageView& view) {
                         return estimate_shift(device, o, tuning, first, view, target);
                       });
  }
  auto correlator = Correlator::create(device, options, tuning);
  if (!correlator) return correlator.error();
  const CorrelationOptions& o = correlator->plan().options;
  auto checked = check_host_view(first, "first", o.first, o.size, 1);
  if (checked) checked = check_host_view(second, "second", o.second, o.size, 1);
  if (checked && target != nullptr) checked = check_host_view(*target, "target", Format::kR32Sfloat, o.size, 1);
  if (!checked) return checked.error();

  const Device::Impl& impl = device.impl();
  constexpr VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  auto a = create_image(impl, first, usage);
  if (!a) return a.error();
  auto b = create_image(impl, second, usage);
  if (!b) return b.error();
  const CorrelationDispatchPlan& plan = correlator->dispatch_plan();
  // Device buffer: the result, then c. Staging buffer: the same, then both images.
  const uint64_t surface_at = aligned_range(plan.result_bytes);
  const uint64_t first_at = surface_at + aligned_range(plan.surface_bytes);
  const uint64_t second_at = first_at + aligned_range(packed_bytes(*a, 0, 1));
  auto results = Buffer::create(impl, first_at, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | kCopies, false);
  if (!results) return results.error();
  auto staging = Buffer::create(impl, second_at + packed_bytes(*b, 0, 1), kCopies, true);
  if (!staging) return staging.error();
  auto* bytes = static_cast<std::byte*>(staging->mapped);
  pack_view(first, bytes + first_at);
  pack_view(second, bytes + second_at);
  auto binding = correlator->bind({.first = {.image = a->image},
                                   .second = {.image = b->image},
                                   .result = {results->buffer, 0},
                                   .surface = {results->buffer, surface_at}});
  if (!binding) return binding.error();
  const Timestamps timestamps(impl);
  auto ran = device.run([&](VkCommandBuffer commands) {
    record_upload(*a, *staging, first_at, commands);
    record_upload(*b, *staging, second_at, commands);
    timestamps.around(commands, [&] { correlator->record(commands, *binding); });
    record_barrier(impl, commands, {.before = kShaderWrites, .after = kTransferReads});
    const VkBufferCopy copy{0, 0, target != nullptr ? first_at : surface_at};
    impl.functions.vkCmdCopyBuffer(commands, results->buffer, staging->buffer, 1, &copy);
    record_barrier(impl, commands, {.before = kTransferWrites, .after = kHostReads});
  });
  if (!ran) return ran.error();
  auto shift = correlator->finish({bytes, plan.result_bytes});
  if (!shift) return shift.error();
  if (target != nullptr) unpack_view(bytes + surface_at, *target);
  return HostCorrelationReport{*shift, plan, timestamps.microseconds()};
}

}  // namespace onepass::vulkan
