// blocks_oracle.hpp: decoders of blocks written from the text of the specification, bit by bit, in double precision.
#pragma once

#include <array>
#include <cstddef>

#include "onepass/blocks.hpp"

namespace onepass::blocks_oracle {

/// 16 texels of R, G, B and A, row by row. Values of sRGB formats are the encoded ones.
using Texels = std::array<std::array<double, 4>, 16>;

Texels decode(BlockFormat format, const std::byte* block);

}  // namespace onepass::blocks_oracle
