// operation_plan.hpp: what the plans of operations on spectra share.
#pragma once

#include "onepass/fourier_convolution.hpp"

namespace onepass {

/// Bytes that a fused pass moves, from the plan of its transform: the spectrum itself never reaches memory.
inline Traffic fused_traffic(const TransformPlan& plan) {
  return {.bytes_read = plan.forward.bytes_read + plan.inverse.bytes_read - plan.spectrum_bytes,
          .bytes_written = plan.forward.bytes_written + plan.inverse.bytes_written - plan.spectrum_bytes};
}

/// The format of 32-bit floats with this number of channels; three take four.
inline Format float_format(uint32_t channels) {
  return channels == 1 ? Format::kR32Sfloat : channels == 2 ? Format::kRG32Sfloat : Format::kRGBA32Sfloat;
}

/// Everything about a convolution but its domain: kernel, enumerators, mix. `image_channels` are those of the image.
/// Errors: kInvalidArgument.
[[nodiscard]] Result<void> check_convolution(const ConvolutionOptions& options, uint32_t image_channels);

/// The kernel's channels that are transformed: one that all share, or one of each of the image's.
inline uint32_t kernel_planes(KernelChannels channels, uint32_t transformed) {
  return channels == KernelChannels::kShared ? 1 : transformed;
}

/// Half of it, unless it is said.
inline Offset kernel_origin(const std::optional<Offset>& said, Extent kernel) {
  return said.value_or(Offset{static_cast<int32_t>(kernel.width / 2), static_cast<int32_t>(kernel.height / 2)});
}

}  // namespace onepass
