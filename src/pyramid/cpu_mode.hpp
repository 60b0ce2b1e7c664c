// cpu_mode.hpp: Reduction::kMode: rows of labels to coarser rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onepass/image.hpp"

namespace onepass::cpu {

/// Writes the `coarse` most frequent labels of pairs of columns of two rows of `fine` texels of `format`; equal counts
/// go to the smallest label. `lower` is `upper` where a coarse row has one row only, and a last column without a
/// neighbour stands alone.
void reduce_labels(Format format, const std::byte* upper, const std::byte* lower, uint32_t fine, uint32_t coarse,
                   std::byte* out);

}  // namespace onepass::cpu
