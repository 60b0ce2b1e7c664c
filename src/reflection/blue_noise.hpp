// blue_noise.hpp: random numbers whose neighbours differ, for rays of neighbouring texels.
#pragma once

#include <cstdint>
#include <vector>

namespace onepass::reflection {

/// A permutation of 0 to side * side - 1 on a torus of side * side texels, row by row: for each n, the texels below n
/// are spread evenly. `seed`: another one, another permutation. Deterministic: integers only. Source: R. Ulichney, "The
/// void-and-cluster method for dither array generation", SPIE 1913, 1993.
std::vector<uint16_t> blue_noise_ranks(uint32_t side, uint32_t seed);

/// Words of the noise table of the kernels: two permutations, scaled to 16 bits each.
std::vector<uint32_t> blue_noise_words();

}  // namespace onepass::reflection
