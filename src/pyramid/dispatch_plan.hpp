// dispatch_plan.hpp: how a pyramid is laid out on a GPU: stages, kept levels, counters, scratch memory, constants.
#pragma once

#include <optional>

#include "onepass/pyramid_params.h"
#include "onepass/vulkan/pyramid.hpp"
#include "pyramid/coverage.hpp"

namespace onepass::pyramid {

/// Counters of one level in the coverage histogram: the bins of coverage.hpp, then the texels that pass the threshold
/// exactly. Level 0 uses only the latter.
inline constexpr uint32_t kCoverageStride = kCoverageBins + 1;

/// Everything about a pyramid's dispatches that does not depend on what is recorded.
struct DispatchLayout {
  PyramidOptions options;
  vulkan::PyramidDispatchPlan plan;
  PyramidParams params{};         // for a full build; record fills region, level and active tiles in
  uint32_t components = 4;        // of an element in the kernel
  uint32_t subgroup_size = 0;     // 0: the kernel does without
  bool has_stream = false;        // is any stage a stream?
  bool has_general = false;       // is any stage general?
  uint64_t histogram_offset = 0;  // bytes from the start of the scratch memory, 0 without coverage
  uint64_t kept_offset = 0;       // likewise; counters come first
  uint64_t counter_bytes = 0;
  uint64_t histogram_bytes = 0;
  uint64_t kept_bytes = 0;
  uint64_t mail_bytes = 0;  // posted texels, behind the kept ones
};

/// One vkCmdDispatch of a chain.
struct ChainDispatch {
  PyramidParams params{};
  vulkan::PyramidDispatchPlan::Groups groups;
};

/// How a layout may use the device.
struct LayoutRequest {
  PyramidPath path = PyramidPath::kSingleDispatch;  // not kAuto
  uint32_t stage_depth = 0;                         // at most; 0: no limit
  uint32_t run = 0;                                 // 0: chosen by size
  uint32_t subgroup_size = 0;                       // 0: no subgroup operations
  bool waits = false;                               // may a workgroup wait for others that have begun?
};

/// Lays out `options`. Errors: as plan_pyramid_dispatches.
Result<DispatchLayout> lay_out(const PyramidOptions& options, const LayoutRequest& request);

/// The dispatches that rebuild what `changed` affects; everything if absent. With `all_tiles` every texel is computed,
/// but only affected ones are stored. Level n (1 ..) is entry n - 1 for kPerLevel; a single entry otherwise. An entry
/// without groups does nothing.
ChainDispatch chain_dispatch(const DispatchLayout& layout, uint32_t entry, std::optional<Rect> changed, bool all_tiles);

/// Workgroups of the two coverage dispatches: they walk all texels of the base and of the levels.
vulkan::PyramidDispatchPlan::Groups coverage_groups(const DispatchLayout& layout);

}  // namespace onepass::pyramid
