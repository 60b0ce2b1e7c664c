// vulkan_host.cpp: bloom on images in host memory, on a device: upload, record, download.
#include "fourier/vulkan_operations_host.hpp"
#include "onepass/vulkan/bloom.hpp"

namespace onepass::vulkan {

Result<HostOperationReport> bloom_image(const Device& device, const BloomOptions& options,
                                        const TransformTuning& tuning, const ImageView* kernel, const ImageView& source,
                                        const MutableImageView& target) {
  if (needs_decoding(device.impl(), options.source)) {
    return run_decoded(with_target(options), &BloomOptions::source, "source", source,
                       [&](const BloomOptions& o, const ImageView& view) {
                         return bloom_image(device, o, tuning, kernel, view, target);
                       });
  }
  auto bloom = Bloom::create(device, options, tuning);
  if (!bloom) return bloom.error();
  const BloomOptions& o = bloom->plan().options;
  auto checked = check_host_view(source, "source", o.source, o.size, o.slices);
  if (checked) checked = check_host_view(target, "target", o.target, o.size, o.slices);
  if (checked && kernel != nullptr) checked = bloom->set_kernel(*kernel);
  if (!checked) return checked.error();
  if (!bloom->has_kernel()) return Error{ErrorCode::kInvalidArgument, "no kernel is set", "kernel"};
  return run_on_images(device, *bloom, source, target,
                       [&](VkCommandBuffer commands) { bloom->record_kernel(commands); });
}

}  // namespace onepass::vulkan
