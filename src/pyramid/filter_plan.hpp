// filter_plan.hpp: the dispatches of a pyramid whose mip filter is not the box, on a GPU: two per level.
#pragma once

#include <vector>

#include "onepass/pyramid.hpp"
#include "pyramid/pyramid_filter_params.h"

namespace onepass::pyramid {

/// One vkCmdDispatch.
struct FilterDispatch {
  uint32_t step = FILTER_COLUMNS;  ///< One of the FILTER_ steps.
  uint32_t level = 1;
  FilterParams params{};  ///< Without the phases of the axis before add_filter_table().
  PyramidDispatchPlan::Groups groups;
};

/// The part of the dispatches that is the same for every recording.
struct FilterLayout {
  std::vector<FilterDispatch> dispatches;  ///< In order, with a barrier between each two.
  uint64_t sums_bytes = 0;                 ///< Scratch memory: sums along y, at its begin.
  uint64_t kept_offset = 0;                ///< Unrounded levels.
  uint64_t kept_bytes = 0;
  uint64_t scratch_bytes = 0;
};

/// Lays out `options`, which are valid. `components`: of a texel in the kernel.
FilterLayout lay_out_filter(const PyramidOptions& options, const PyramidPlan& plan, uint32_t components);

/// The kernel's table; sets the phases of the dispatches.
std::vector<uint32_t> add_filter_table(const PyramidOptions& options, const PyramidPlan& plan, FilterLayout& layout);

}  // namespace onepass::pyramid
