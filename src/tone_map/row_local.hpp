// row_local.hpp: the row functions of local exposure; each exists once per SIMD target, and all compute the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tone_map/local_exposure.hpp"

namespace onepass::tone_map {

/// What maps a row's texels to their factors.
struct LocalScale {
  LocalParams params;
  const LocalNode* nodes = nullptr;  ///< Of LocalGrid::interpolate_row().
  int32_t exposure_whole = 0;        ///< log2 of the exposure over grey: the sum of the two.
  float exposure_part = 0;
};

/// The two for an exposure above 0.
void set_exposure(float exposure, LocalScale& scale);

/// Rows of floats must be readable and writable kTexelPadding texels beyond their end.
struct LocalRowFunctions {
  /// The node below each texel, or ONEPASS_LOCAL_BINS - 1 for one that is no colour and counts nowhere; and the weight
  /// of the node above, 0 to ONEPASS_LOCAL_ONE.
  void (*locate)(const float* rgba, size_t texels, uint32_t* nodes, uint32_t* weights);
  /// Multiplies colours from column x on.
  void (*scale)(const LocalScale& scale, float* rgba, size_t texels, uint32_t x);
};

LocalRowFunctions find_local_rows();

}  // namespace onepass::tone_map
