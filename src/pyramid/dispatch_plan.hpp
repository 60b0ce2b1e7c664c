// dispatch_plan.hpp: layout of a pyramid on a GPU: stages, intermediate levels, counters, scratch memory, constants.
#pragma once

#include <memory>
#include <optional>

#include "onepass/pyramid.hpp"
#include "onepass/shader_setup.h"
#include "pyramid/filter_plan.hpp"

namespace onepass::pyramid {

/// Alpha coverage: each of so many dispatches counts one digit of 8 bits of every level's alphas.
inline constexpr uint32_t kCoverageDigits = 4;
/// Counters of one level: 256 for each digit, then the number of texels that pass the alpha test without a scale. Level
/// 0 uses only this number.
inline constexpr uint32_t kCoverageStride = 256 * kCoverageDigits + 1;

inline constexpr uint32_t kWorkgroupSize = 256;  // invocations, unless workgroups make parts of tiles

using PyramidParams = ::OnepassPyramidConstants;

/// A set of kinds of stages.
using StageKinds = uint32_t;
inline constexpr StageKinds kGeneralStages = 1U << ONEPASS_STAGE_GENERAL;
inline constexpr StageKinds kTwoToOneStages = 1U << ONEPASS_STAGE_TWO_TO_ONE;
inline constexpr StageKinds kWindowStages = 1U << ONEPASS_STAGE_SLIDING_WINDOW;

/// The part of a pyramid's dispatches that is the same for every recording.
struct DispatchLayout {
  PyramidOptions options;
  PyramidDispatchPlan plan;
  OnepassPyramidRequest request{};   // the same options for the functions of shader_setup.h
  PyramidParams params{};            // for a full build; chain_dispatch() sets region, level and active tiles
  uint32_t components = 4;           // of an element in the kernel
  uint32_t subgroup_size = 0;        // 0: the kernel uses no subgroup operations
  StageKinds base_kind = 0;          // the kind of stage 0
  StageKinds later_kinds = 0;        // the kinds of the stages after it
  bool splits = false;               // have the stages after stage 0 a dispatch of their own?
  uint32_t tile_parts = 1;           // workgroups that make a tile of stage 0 together; with `splits` only
  uint64_t histogram_offset = 0;     // bytes from the start of scratch memory to the histogram
  uint64_t intermediate_offset = 0;  // bytes to the intermediate levels; counters are at 0
  uint64_t counter_bytes = 0;
  uint64_t histogram_bytes = 0;
  uint64_t intermediate_bytes = 0;
  uint64_t mailbox_bytes = 0;  // the mailbox, behind the intermediate levels

  // Of a mip filter other than the box, whose chain has nothing of the members after `components`.
  std::shared_ptr<const FilterLayout> filter;

  [[nodiscard]] StageKinds kinds() const { return base_kind | later_kinds; }
};

/// One vkCmdDispatch of a chain.
struct ChainDispatch {
  PyramidParams params{};
  PyramidDispatchPlan::Groups groups;
};

/// Limits and device features for a layout.
struct LayoutRequest {
  PyramidPath path = PyramidPath::kSingleDispatch;  // not kAuto
  uint32_t stage_depth = 0;                         // most levels of a 2:1 stage, 3 to 6; 0: six
  uint32_t tiles_per_workgroup = 0;                 // of stage 0, 1, 2, 4 or 8 (sliding window: rows); 0: by size
  uint32_t subgroup_size = 0;                       // 0: no subgroup operations
  bool publishes = true;                            // self-validating words, where the stages allow them
  bool last_to_start = false;                       // last-to-start mode, with `publishes`; needs forward progress
  bool may_split = false;                           // are two dispatches possible?
  bool always_splits = false;                       // are they faster wherever they are possible?
  bool shares_pipelines = false;                    // stages of as few kinds as possible, each in its own dispatch
};

/// Lays out `options`; with a mip filter other than the box nothing of the request matters. Errors: as
/// vulkan::plan_pyramid_dispatches().
Result<DispatchLayout> lay_out(const PyramidOptions& options, const LayoutRequest& request);

/// The dispatch `entry` of a chain that rebuilds the texels affected by `changed`; all texels if it is empty. With
/// `all_tiles` every texel is computed, but only affected ones are stored. kPerLevel has one entry per level, n - 1 for
/// level n; kSingleDispatch has one entry. An entry without groups does nothing.
ChainDispatch chain_dispatch(const DispatchLayout& layout, uint32_t entry, std::optional<Rect> changed, bool all_tiles);

/// The second dispatch of a chain that splits, after a full build of stage 0.
ChainDispatch later_dispatch(const DispatchLayout& layout);

/// Workgroups of each coverage dispatch, which process all texels of the base and of the levels.
PyramidDispatchPlan::Groups coverage_groups(const DispatchLayout& layout);

}  // namespace onepass::pyramid
