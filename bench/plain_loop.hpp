// plain_loop.hpp: pyramids without a library: level by level, in two loops over texels.
#pragma once

#include <span>

#include "cpu/workers.hpp"
#include "onepass/pyramid.hpp"

namespace onepass::bench {

/// Makes levels 1 and up, each from the stored and so rounded texels of the level before: 8-bit levels are up to two
/// quantised values away from exact ones. Supports the reductions mean, min and min_max, the footprints aligned and
/// covering, the filters lanczos and kaiser from the level before with clamped edges, the formats of the CPU cases in
/// cases.cpp, and one slice. Returns false for other options.
[[nodiscard]] bool build_plain(const PyramidOptions& options, cpu::Workers& workers, const ImageView& source,
                               std::span<const MutableImageView> levels);

}  // namespace onepass::bench
