// cpu_mode.hpp: Reduction::kMode: rows of labels to coarser rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onepass/image.hpp"

namespace onepass::cpu {

/// Reduces two rows of `fine` labels each to one row of `coarse` labels: the most frequent label of each 2x2 block, the
/// smallest of several. `lower` is `upper` where the coarse row is made from a single row; a last column without a
/// neighbour is reduced by itself. `format`: of the labels.
void reduce_labels(Format format, const std::byte* upper, const std::byte* lower, uint32_t fine, uint32_t coarse,
                   std::byte* out);

}  // namespace onepass::cpu
