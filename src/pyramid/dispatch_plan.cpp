// dispatch_plan.cpp: computes the stages, intermediate levels, counters and scratch memory of a pyramid's dispatches.
//
// The arithmetic of stages and tiles is that of onepass/shader_setup.h, which callers with shaders of their own use
// too, over onepass/pyramid_layout.h, which the kernels include.
#include "pyramid/dispatch_plan.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "image/div_up.hpp"
#include "image/error.hpp"

namespace onepass::pyramid {
namespace {

using Groups = PyramidDispatchPlan::Groups;

constexpr uint64_t kScratchAlign = 256;  // Vulkan's upper limit of minStorageBufferOffsetAlignment

static_assert(ONEPASS_ALIGNED == static_cast<int>(Footprint::kAligned));
static_assert(ONEPASS_COVERING == static_cast<int>(Footprint::kCovering));
static_assert(ONEPASS_TIGHT == static_cast<int>(Footprint::kTight));
static_assert(ONEPASS_EDGE == static_cast<int>(Footprint::kEdge));
static_assert(int{ONEPASS_SETUP_FOOTPRINT_ALIGNED} == ONEPASS_ALIGNED);
static_assert(int{ONEPASS_SETUP_FOOTPRINT_COVERING} == ONEPASS_COVERING);
static_assert(int{ONEPASS_SETUP_FOOTPRINT_EDGE} == ONEPASS_EDGE);

uint64_t align(uint64_t bytes) { return round_up(bytes, kScratchAlign); }
uint32_t pack(uint32_t x, uint32_t y) { return x | y << 16; }

bool may_split(const LayoutRequest& request, const PyramidOptions& options) {
  return request.may_split && options.footprint != Footprint::kTight && options.alpha != Alpha::kCoverage;
}

// Do stages after the first have one kind, so that one pipeline makes those of most sizes? Not where every level halves
// exactly.
bool later_windows(const LayoutRequest& request, const DispatchLayout& layout) {
  const auto [width, height] = layout.options.size;
  const auto exact = static_cast<uint32_t>(std::countr_zero(width | height));
  return request.shares_pipelines && may_split(request, layout.options) && layout.subgroup_size != 0 &&
         layout.options.footprint == Footprint::kCovering && exact < layout.params.last_level;
}

// Computes the stages, and the tiles per workgroup of stage 0.
void choose_stages(const LayoutRequest& request, DispatchLayout& layout) {
  const PyramidOptions& options = layout.options;
  layout.request = {.width = options.size.width,
                    .height = options.size.height,
                    .slices = options.slices,
                    .levels = static_cast<int32_t>(layout.params.last_level),
                    .footprint = static_cast<uint32_t>(options.footprint),
                    .subgroup_size = layout.subgroup_size,
                    .x = 0,
                    .y = 0,
                    .rectangle_width = 0,
                    .rectangle_height = 0,
                    .reuses_scratch = 0,
                    .last_to_start = request.last_to_start ? 1U : 0U,
                    .texel_bytes = format_info(options.source).bytes_per_texel};
  if (layout.params.last_level == 0) return;
  PyramidParams& params = layout.params;
  onepass_choose_stages_({.request = &layout.request,
                          .out = &params,
                          .stage_depth = request.stage_depth,
                          .tiles_per_workgroup = request.tiles_per_workgroup,
                          .later_windows = later_windows(request, layout) ? 1U : 0U});
  if (!request.publishes) params.stage_kinds &= ~(ONEPASS_STAGE_PUBLISHES | ONEPASS_STAGE_LAST_TO_START);
  for (uint32_t i = 0; i < params.stage_count; ++i) {
    const StageKinds kind = 1U << onepass_stage_at_(&params, i).kind;
    (i == 0 ? layout.base_kind : layout.later_kinds) |= kind;
  }
}

// Measured (docs/experiments/pyramid.md), with subgroup operations: the first dispatch is faster without counters and
// without the code of later stages, and the second one costs 1 to 2 us more than the counters. Four components gain at
// every size, others in large images; one component whose first levels halve exactly, before a sliding window, only in
// larger ones (H200: 1 % slower at 1920x1080, 10 % faster at 3840x2160).
bool choose_split(const LayoutRequest& request, const DispatchLayout& layout) {
  if (!may_split(request, layout.options) || layout.params.stage_count <= 1) return false;
  // A tile whose six levels halve exactly has a single texel to exchange.
  const bool single_texel = layout.base_kind == kTwoToOneStages && onepass_stage_at_(&layout.params, 0).depth == 6;
  const bool few_sequences = layout.kinds() == kTwoToOneStages || layout.options.footprint == Footprint::kAligned;
  if (single_texel && (few_sequences || !request.shares_pipelines)) return false;
  if (request.always_splits) return true;
  if (layout.subgroup_size == 0) return false;
  // A pipeline for each kind of stage: a pyramid of another size needs no other.
  if (request.shares_pipelines && !few_sequences) return true;
  const PyramidOptions& options = layout.options;
  const uint64_t texels = uint64_t{options.size.width} * options.size.height * options.slices;
  const bool general = onepass_stage_at_(&layout.params, 1).kind == ONEPASS_STAGE_GENERAL;
  const bool early = layout.components == 2 || general || layout.base_kind != kTwoToOneStages;
  return layout.components == 4 || texels >= (early ? 1U << 20 : 4U << 20);
}

// Measured on an H100 (docs/experiments/pyramid.md): subgroups of a sliding-window stage share nothing but caches, and
// the compiler gives small workgroups more registers.
uint32_t choose_tile_parts(const DispatchLayout& layout) {
  if (!layout.splits || layout.base_kind != kWindowStages) return 1;
  const uint32_t parts[] = {8, 4, 2, 2};  // by components
  return std::min(parts[layout.components - 1], kWorkgroupSize / layout.subgroup_size);
}

uint32_t intermediate_levels(const PyramidOptions& options, const PyramidParams& params, PyramidPath path) {
  const uint32_t all = ((2U << params.last_level) - 1) & ~1U;  // bits 1 to last_level
  if (options.alpha == Alpha::kCoverage) return all;
  if (path == PyramidPath::kPerLevel) {
    return options.footprint == Footprint::kTight ? 0 : all & ~(1U << params.last_level);
  }
  if (options.footprint == Footprint::kTight) return all & ~((2U << onepass_stage_at_(&params, 0).depth) - 1);
  uint32_t levels = 0;
  for (uint32_t i = 1; i < params.stage_count; ++i) levels |= 1U << onepass_stage_at_(&params, i).first;
  return levels;
}

uint32_t element_components(const PyramidOptions& options) {
  if (options.normal_map != NormalMap::kOff) return 4;
  const uint32_t channels = std::max(format_info(options.source).channels, format_info(options.target).channels);
  return channels == 3 ? 4 : channels;
}

// The dispatch of kSingleDispatch; see chain_dispatch().
ChainDispatch single_dispatch(const DispatchLayout& layout, Rect changed, bool all_tiles) {
  ChainDispatch dispatch{.params = layout.params, .groups = {}};
  const uint32_t begin[2] = {changed.x, changed.y};
  const uint32_t end[2] = {changed.x + changed.width, changed.y + changed.height};
  uint32_t groups[3] = {};
  uint32_t offset[2] = {};
  onepass_dispatch_({.request = &layout.request,
                     .out = &dispatch.params,
                     .stage_depth = 0,
                     .tiles_per_workgroup = 0,
                     .later_windows = 0},
                    begin, end, all_tiles ? 1 : 0, groups, offset);
  dispatch.groups = {groups[0], groups[1], groups[2]};
  return dispatch;
}

ChainDispatch level_dispatch(const DispatchLayout& layout, uint32_t level, Rect changed, bool all_tiles) {
  ChainDispatch dispatch{.params = layout.params, .groups = {}};
  dispatch.params.level = level;
  const Extent size = layout.plan.plan.sizes[level];
  const Rect all{0, 0, size.width, size.height};
  const Rect rect = all_tiles ? all : affected_rect(layout.options, level, changed);
  if (rect.width == 0 || rect.height == 0) return dispatch;
  dispatch.params.active_tiles[0] = {pack(rect.x, rect.y), pack(rect.x + rect.width, rect.y + rect.height)};
  // From level 5 on all invocations of a workgroup share one texel of a tight footprint.
  const uint32_t side = layout.options.footprint == Footprint::kTight && level > 4 ? 1 : 16;
  dispatch.groups = {div_up(rect.width, side), div_up(rect.height, side), layout.options.slices};
  return dispatch;
}

// Computes the sizes of scratch memory and the predicted traffic.
void add_scratch(DispatchLayout& layout) {
  const PyramidOptions& options = layout.options;
  PyramidParams& params = layout.params;
  uint64_t intermediate_texels = 0;
  for (uint32_t n = 1; n <= params.last_level; ++n) {
    const Extent size = layout.plan.plan.sizes[n];
    for (uint32_t i = 2; i < params.stage_count; ++i) {
      if (onepass_stage_at_(&params, i).first == n)
        params.intermediate_begin[i - 2] = static_cast<uint32_t>(intermediate_texels);
    }
    if ((params.intermediate_levels >> n & 1U) != 0) intermediate_texels += uint64_t{size.width} * size.height;
  }
  params.intermediate_stride = static_cast<uint32_t>(intermediate_texels);
  layout.intermediate_bytes = intermediate_texels * options.slices * layout.components * 4;
  if ((params.stage_kinds & ONEPASS_STAGE_PUBLISHES) != 0) {  // two buffers and the parity; see pyramid_mailbox.glsl
    const Extent size = layout.plan.plan.sizes[6];
    layout.mailbox_bytes = (2 * uint64_t{size.width} * size.height + 1) * options.slices * layout.components * 4;
  }
  if (layout.plan.path == PyramidPath::kSingleDispatch) {
    const OnepassLayout_ l{
        .request = &layout.request, .out = &params, .stage_depth = 0, .tiles_per_workgroup = 0, .later_windows = 0};
    for (uint32_t i = 1; i < params.stage_count; ++i) {
      const OnepassStage_ stage = onepass_stage_at_(&params, i);
      params.counter_stride += onepass_later_tiles_(l, stage, 0) * onepass_later_tiles_(l, stage, 1);
    }
  }
  layout.counter_bytes = uint64_t{params.counter_stride} * options.slices * 4;
  if (options.alpha == Alpha::kCoverage) {
    layout.histogram_bytes = uint64_t{layout.plan.plan.levels} * options.slices * kCoverageStride * 4;
  }
  layout.histogram_offset = align(std::max<uint64_t>(layout.counter_bytes, 4));
  layout.intermediate_offset = layout.histogram_offset + align(layout.histogram_bytes);
  layout.plan.scratch_bytes =
      layout.intermediate_offset + align(std::max<uint64_t>(layout.intermediate_bytes + layout.mailbox_bytes, 16));
  layout.plan.bytes_read = layout.plan.plan.bytes_read + layout.intermediate_bytes;
  layout.plan.bytes_written = layout.plan.plan.bytes_written + layout.intermediate_bytes;
  if (options.alpha == Alpha::kCoverage) {
    layout.plan.bytes_read += layout.plan.plan.bytes_read + kCoverageDigits * layout.intermediate_bytes;
  }
}

Error too_large(const PyramidOptions& options) {
  return unsupported("size: the intermediate levels of " + std::to_string(options.slices) +
                     " slices exceed 2^32 values");
}

// A mip filter other than the box: two dispatches for each level.
Result<DispatchLayout> lay_out_filtered(const PyramidOptions& options, const PyramidPlan& plan) {
  DispatchLayout layout;
  layout.options = options;
  layout.plan.plan = plan;
  layout.plan.path = PyramidPath::kPerLevel;
  layout.components = element_components(options);
  layout.params.last_level = plan.levels - 1;
  const auto filter = std::make_shared<FilterLayout>(lay_out_filter(options, plan, layout.components));
  if (std::max(filter->sums_bytes, filter->kept_bytes) / 4 > UINT32_MAX) return too_large(options);
  layout.filter = filter;
  layout.plan.scratch_bytes = filter->scratch_bytes;
  layout.plan.bytes_written = plan.bytes_written;
  for (const FilterDispatch& dispatch : filter->dispatches) {
    const auto& params = dispatch.params;
    const uint64_t element = uint64_t{dispatch.groups.z} * layout.components * 4;
    const uint64_t made = uint64_t{params.width} * params.height * element;
    layout.plan.dispatches.push_back(dispatch.groups);
    if (dispatch.step == FILTER_ROWS_OF_BASE) {
      layout.plan.bytes_read += plan.bytes_read / options.slices * dispatch.groups.z;
    } else {  // all of the finer level, or of the sums along y
      const uint64_t lines = dispatch.step == FILTER_COLUMNS ? params.height : params.width;
      layout.plan.bytes_read += lines * params.finer * element;
    }
    if (dispatch.step != FILTER_COLUMNS || params.keeps != 0) layout.plan.bytes_written += made;
  }
  return layout;
}

}  // namespace

Result<DispatchLayout> lay_out(const PyramidOptions& options, const LayoutRequest& request) {
  auto plan = plan_pyramid(options);
  if (!plan) return plan.error();
  if (options.footprint == Footprint::kCeil) {
    return unsupported("footprint ceil: its level sizes round up, those of Vulkan images down; the CPU engine has it");
  }
  if (options.reduction == Reduction::kMode) return unsupported("reduction mode: only the CPU engine has it");
  if (options.filter.kind != MipFilter::kBox) return lay_out_filtered(options, *plan);
  ONEPASS_ASSERT(request.stage_depth == 0 || (request.stage_depth >= 3 && request.stage_depth <= 6));
  ONEPASS_ASSERT(request.tiles_per_workgroup <= 8 && std::has_single_bit(std::max(request.tiles_per_workgroup, 1U)));
  const PyramidPath path = request.path;
  DispatchLayout layout;
  layout.options = options;
  layout.plan.plan = *plan;
  layout.plan.path = path;
  layout.components = element_components(options);
  layout.params.size = {options.size.width, options.size.height};
  layout.params.last_level = plan->levels - 1;
  // The coverage passes need every level in scratch memory: only general stages store all of them.
  const bool in_registers = path == PyramidPath::kSingleDispatch && request.subgroup_size >= 8 &&
                            options.footprint != Footprint::kTight && options.alpha != Alpha::kCoverage;
  layout.subgroup_size = in_registers ? request.subgroup_size : 0;
  if (path == PyramidPath::kSingleDispatch) choose_stages(request, layout);
  layout.splits = choose_split(request, layout);
  layout.tile_parts = choose_tile_parts(layout);
  layout.params.intermediate_levels = intermediate_levels(options, layout.params, path);
  add_scratch(layout);
  if ((layout.intermediate_bytes + layout.mailbox_bytes) / 4 > UINT32_MAX) return too_large(options);
  const uint32_t entries = plan->levels == 1 ? 0 : path == PyramidPath::kSingleDispatch ? 1 : plan->levels - 1;
  for (uint32_t i = 0; i < entries; ++i) {
    layout.plan.dispatches.push_back(chain_dispatch(layout, i, std::nullopt, true).groups);
  }
  if (layout.splits) layout.plan.dispatches.push_back(later_dispatch(layout).groups);
  if (options.alpha == Alpha::kCoverage && entries > 0) {
    layout.plan.dispatches.insert(layout.plan.dispatches.end(), kCoverageDigits + 1, coverage_groups(layout));
  }
  return layout;
}

ChainDispatch chain_dispatch(const DispatchLayout& layout, uint32_t entry, std::optional<Rect> changed,
                             bool all_tiles) {
  const auto [width, height] = layout.options.size;
  const Rect rect = changed.value_or(Rect{0, 0, width, height});
  ChainDispatch dispatch = layout.plan.path == PyramidPath::kSingleDispatch
                               ? single_dispatch(layout, rect, all_tiles)
                               : level_dispatch(layout, entry + 1, rect, all_tiles);
  if (!changed) {
    dispatch.groups.y *= layout.tile_parts;
    dispatch.groups.workgroup_size /= layout.tile_parts;
  }
  dispatch.params.partial = changed.has_value() ? 1 : 0;
  dispatch.params.region = {pack(rect.x, rect.y), pack(rect.x + rect.width, rect.y + rect.height)};
  return dispatch;
}

ChainDispatch later_dispatch(const DispatchLayout& layout) {
  ChainDispatch dispatch = chain_dispatch(layout, 0, std::nullopt, true);
  const OnepassLayout_ l{.request = &layout.request,
                         .out = &dispatch.params,
                         .stage_depth = 0,
                         .tiles_per_workgroup = 0,
                         .later_windows = 0};
  const OnepassStage_ next = onepass_stage_at_(&dispatch.params, 1);
  dispatch.groups = {onepass_later_tiles_(l, next, 0), onepass_later_tiles_(l, next, 1), layout.options.slices};
  return dispatch;
}

Groups coverage_groups(const DispatchLayout& layout) {
  // A workgroup processes up to 4096 texels of one level. Two axes of workgroups, so that none exceeds 65535.
  uint32_t groups = 0;
  for (uint32_t n = 0; n <= layout.params.last_level; ++n) {
    const Extent size = layout.plan.plan.sizes[n];
    groups += static_cast<uint32_t>(div_up(uint64_t{size.width} * size.height, 4096));
  }
  const uint32_t x = std::min(groups, 32768U);
  return {x, div_up(groups, x), layout.options.slices};
}

}  // namespace onepass::pyramid
