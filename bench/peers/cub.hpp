// cub.hpp: the two passes of a hand-written meter with CUB, for images of four half floats per texel. cub.cu defines
// them; cub.cpp is the adapter.
#pragma once

#include <cstddef>

namespace onepass::bench {

constexpr float kCubWeights[3] = {0.2126F, 0.7152F, 0.0722F};
constexpr float kCubLeast = -16.0F;  ///< Log2 of luminance is clamped to this range.
constexpr float kCubMost = 16.0F;
constexpr int kCubBins = 256;  ///< Of that range, all equally wide.

/// The sum of log2 of luminance. Without `temporary` it only sets `bytes`, the temporary memory that it needs. All
/// pointers are of the device. Returns 0 or a cudaError_t.
int cub_sum(void* temporary, size_t& bytes, const void* texels, float* sum, int count, void* stream);

/// The histogram of log2 of luminance, in the same way.
int cub_histogram(void* temporary, size_t& bytes, const void* texels, unsigned* bins, int count, void* stream);

}  // namespace onepass::bench
