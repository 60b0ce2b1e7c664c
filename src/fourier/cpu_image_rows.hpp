// cpu_image_rows.hpp: loops over the rows of an image, and the copy of alpha, for operations on spectra.
#pragma once

#include <cstdint>
#include <functional>

#include "cpu/workers.hpp"
#include "onepass/fourier.hpp"

namespace onepass::cpu {

/// Calls row(y, slice, slot) for all rows of an image, on several threads.
void for_rows(Workers& workers, uint32_t height, uint32_t slices,
              const std::function<void(uint32_t y, uint32_t slice, uint32_t slot)>& row);

/// Copies alpha from source texel (x + offset.x, y + offset.y) to target texel (x, y), 0 outside the source.
/// Does nothing if the target has no alpha.
void copy_alpha(Workers& workers, const ImageView& source, const MutableImageView& target, Offset offset);

}  // namespace onepass::cpu
