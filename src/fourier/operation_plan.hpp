// operation_plan.hpp: functions that the plans of convolution, filter and deconvolution share.
#pragma once

#include "fourier/domain.hpp"
#include "onepass/fourier_convolution.hpp"

namespace onepass {

/// Traffic of a fused pass, from the plan of its transform: the spectrum itself is never written to memory.
inline Traffic fused_traffic(const TransformPlan& plan) {
  return {.bytes_read = plan.forward.bytes_read + plan.inverse.bytes_read - plan.spectrum_bytes,
          .bytes_written = plan.forward.bytes_written + plan.inverse.bytes_written - plan.spectrum_bytes};
}

/// The format of 32-bit floats with this number of channels; three channels are stored as four.
inline Format float_format(uint32_t channels) {
  return channels == 1 ? Format::kR32Sfloat : channels == 2 ? Format::kRG32Sfloat : Format::kRGBA32Sfloat;
}

/// Validates a convolution without its domain: kernel, enumerators, mix. `image_channels`: channels of the image.
/// Errors: kInvalidArgument.
[[nodiscard]] Result<void> check_convolution(const ConvolutionOptions& options, uint32_t image_channels);

/// Transformed channels of the kernel: one that all image channels share, or one per image channel.
inline uint32_t kernel_planes(KernelChannels channels, uint32_t transformed) {
  return channels == KernelChannels::kShared ? 1 : transformed;
}

/// Bytes of the templates of a search that are transformed together, and of their work memory. More than of other
/// transforms: the statistics are read and written once per group.
inline constexpr size_t kMatchBytes = size_t{64} << 20;

/// The given origin, or the kernel's centre.
inline Offset kernel_origin(const std::optional<Offset>& said, Extent kernel) {
  return said.value_or(Offset{static_cast<int32_t>(kernel.width / 2), static_cast<int32_t>(kernel.height / 2)});
}

}  // namespace onepass
