// texels.hpp: the sizes for which a measured size stands.
#pragma once

#include <cstdint>
#include <vector>

#include "vulkan/tunings.hpp"

namespace onepass::vulkan {

/// A measured size stands for half to twice its texels, and on a scale of logarithms for those that are nearer to it
/// than to any of the other measured sizes.
[[nodiscard]] TuningCondition texels_around(uint64_t texels, const std::vector<uint64_t>& others);

}  // namespace onepass::vulkan
