// plain_loop.hpp: pyramids as a program without a library makes them: level by level, two loops over texels.
#pragma once

#include <span>

#include "cpu/workers.hpp"
#include "onepass/pyramid.hpp"

namespace onepass::bench {

/// Makes levels 1 and up. Each is made from the stored texels of the level before, rounding included: 8-bit levels come
/// out up to two codes away from exact ones. Means and minima, aligned or covering, of the formats in cases.cpp; one
/// slice. Anything else is left undone and answered with false.
[[nodiscard]] bool build_plain(const PyramidOptions& options, cpu::Workers& workers, const ImageView& source,
                               std::span<const MutableImageView> levels);

}  // namespace onepass::bench
