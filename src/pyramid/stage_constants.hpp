// stage_constants.hpp: which stages a kernel makes, as constants that a driver's compiler knows: specialization
// constants of SPIR-V, and those of CUDA kernels.
#pragma once

#include "pyramid/dispatch_plan.hpp"

namespace onepass::pyramid {

struct StageConstants {
  uint32_t footprint = 0;
  uint32_t stage_count = 1, stage_firsts = 0, stage_depths = 0, stage_kinds = 0;  // or kFromParams
  bool has_general = true;                                                        // are there general stages?
  uint32_t stages = ONEPASS_STAGES_ALL;
  uint32_t workgroup_size = kWorkgroupSize;
  uint32_t base_remainders = 0;
};

/// Of all stages of a layout, as they are.
StageConstants stage_constants(const DispatchLayout& layout);
/// Without the stages, which then come from the parameters: for pyramids of all sizes.
StageConstants without_stages(StageConstants constants);
/// Of a single dispatch. `shares`: pyramids of many sizes get the same constants.
StageConstants chain_constants(const DispatchLayout& layout, bool shares);
/// Of the first of two dispatches.
StageConstants base_constants(const DispatchLayout& layout, bool shares);
/// Of the second.
StageConstants later_constants(const DispatchLayout& layout, bool shares);

}  // namespace onepass::pyramid
