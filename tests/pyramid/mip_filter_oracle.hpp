// mip_filter_oracle.hpp: oracle of levels by a MipFilter other than the box, in double precision, from the formulas in
// docs/mip_filters.md. Shares no code with the library.
#pragma once

#include <vector>

#include "tests/pyramid/pyramid_oracle.hpp"

namespace onepass::testing {

/// h(x).
double oracle_filter_height(const MipFilterOptions& filter, double x);

/// h(x) is 0 from here on.
double oracle_filter_half_width(const MipFilterOptions& filter);

/// The weight of one input texel, which may lie outside of the input.
struct OracleTap {
  int64_t texel = 0;
  double weight = 0;
  bool is_near = false;  ///< Nearer than one texel of the level.
};

/// The taps of texel i of `level` texels on an axis of `input` texels; the sum of their weights is 1.
std::vector<OracleTap> oracle_taps(const MipFilterOptions& filter, int64_t input, int64_t level, int64_t i);

/// The input texel that stands for texel j: by walking along the axis, texel by texel.
int64_t oracle_mapped(Boundary boundary, int64_t j, int64_t size);

/// Levels 1 and up of every slice, as oracle_pyramid().
std::vector<OracleLevel> oracle_filtered_pyramid(const PyramidOptions& options, const ImageView& source);

}  // namespace onepass::testing
