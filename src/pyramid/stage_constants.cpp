// stage_constants.cpp: the constants of stages, for pyramids of one size or of many.
#include "pyramid/stage_constants.hpp"

namespace onepass::pyramid {
namespace {

// Instead of a constant that depends on the size: FROM_PARAMS in pyramid_options.glsl.
constexpr uint32_t kFromParams = 0xFFFFFFFF;

// Has a set of kinds of stages one that the kernel makes in shared memory?
bool has_general(StageKinds kinds) { return (kinds & kGeneralStages) != 0; }

}  // namespace

StageConstants stage_constants(const DispatchLayout& layout) {
  return {.footprint = static_cast<uint32_t>(layout.options.footprint),
          .stage_count = layout.params.stage_count,
          .stage_firsts = layout.params.stage_firsts,
          .stage_depths = layout.params.stage_depths,
          .stage_kinds = layout.params.stage_kinds,
          .has_general = has_general(layout.kinds())};
}

StageConstants without_stages(StageConstants constants) {
  constants.stage_count = constants.stage_firsts = constants.stage_depths = constants.stage_kinds = kFromParams;
  return constants;
}

StageConstants chain_constants(const DispatchLayout& layout, bool shares) {
  StageConstants constants = stage_constants(layout);
  if (!shares || constants.stage_count == 0) return constants;
  if (layout.kinds() == kGeneralStages) return without_stages(constants);
  // A kernel for all sizes would have the code of all kinds of stages, which takes more than a second to compile: a
  // single dispatch on request, and small images, have pipelines of their own. An aligned chain has few sequences of
  // stages.
  const bool halves = layout.kinds() == kTwoToOneStages;
  if (!halves && layout.options.footprint != Footprint::kAligned) return constants;
  // A constant number of stages, 1 to 3, makes kernels faster by 5 to 9 %. The depth of the last stage is that of the
  // chain. Where all levels halve exactly, footprints do not differ.
  constants.footprint = static_cast<uint32_t>(Footprint::kAligned);
  constants.stage_depths &= ~(15U << (4 * (constants.stage_count - 1)));
  return constants;
}

StageConstants base_constants(const DispatchLayout& layout, bool shares) {
  StageConstants constants = stage_constants(layout);
  constants.stages = ONEPASS_STAGES_BASE;
  constants.workgroup_size = kWorkgroupSize / layout.tile_parts;
  // Without the shared memory of a general stage, of which small workgroups would declare as much as large ones.
  constants.has_general = has_general(layout.base_kind);
  const auto [width, height] = layout.options.size;
  const bool window = layout.base_kind == kWindowStages;
  if (window) constants.base_remainders = shares ? kFromParams : width % 8 | height % 8 << 3;
  if (!shares) return constants;
  // Of the stages after the first it matters only that there are some.
  constants.stage_count = 2;
  constants.stage_firsts = 0;
  constants.stage_kinds &= 15U;
  constants.stage_depths = window ? 3 : kFromParams;
  return constants;
}

StageConstants later_constants(const DispatchLayout& layout, bool shares) {
  StageConstants constants = stage_constants(layout);
  if (shares) constants = without_stages(constants);
  constants.stages = ONEPASS_STAGES_LATER;
  constants.has_general = has_general(layout.later_kinds);
  return constants;
}

}  // namespace onepass::pyramid
