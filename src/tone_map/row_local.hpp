// row_local.hpp: row functions of local exposure: they find the nodes of texels, and multiply colours by factors.
// Each is compiled once per SIMD target; all compute the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tone_map/local_exposure.hpp"

namespace onepass::tone_map {

/// The parameters of a row's factors.
struct LocalScale {
  LocalParams params;
  const LocalNode* nodes = nullptr;  ///< From LocalGrid::interpolate_row().
  int32_t exposure_whole = 0;        ///< The sum of the two is log2(exposure / grey).
  float exposure_part = 0;
};

/// Sets exposure_whole and exposure_part for an exposure above 0.
void set_exposure(float exposure, LocalScale& scale);

/// Rows of floats must be readable and writable kTexelPadding texels beyond their end.
struct LocalRowFunctions {
  /// Writes the node below each texel, and the weight of the node above, 0 to ONEPASS_LOCAL_ONE. The node of a texel
  /// with a channel that is not finite is ONEPASS_LOCAL_BINS - 1: it adds no weight.
  void (*locate)(const float* rgba, size_t texels, uint32_t* nodes, uint32_t* weights);
  /// Multiplies colours by their factors; `x` is the column of the first texel.
  void (*scale)(const LocalScale& scale, float* rgba, size_t texels, uint32_t x);
};

LocalRowFunctions find_local_rows();

}  // namespace onepass::tone_map
