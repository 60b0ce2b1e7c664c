// operation_plan.hpp: what the plans of operations on spectra share.
#pragma once

#include "onepass/fourier.hpp"

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

}  // namespace onepass
