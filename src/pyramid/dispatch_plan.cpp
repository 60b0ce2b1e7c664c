// dispatch_plan.cpp: stages, kept levels, counters and scratch memory of a pyramid's dispatches.
//
// Mirrors shaders/onepass/pyramid_schedule.glsl, which does the same arithmetic per workgroup.
#include "pyramid/dispatch_plan.hpp"

#include <algorithm>
#include <string>

namespace onepass::pyramid {
namespace {

using Groups = vulkan::PyramidDispatchPlan::Groups;

constexpr uint32_t kTile = 64;           // texels of a stage's finest level per tile and axis
constexpr uint64_t kScratchAlign = 256;  // no device asks for more than that between storage buffers

uint64_t align(uint64_t bytes) { return (bytes + kScratchAlign - 1) / kScratchAlign * kScratchAlign; }
uint32_t div_up(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
uint32_t axis_level(uint32_t size, uint32_t level) { return std::max(1U, size >> level); }
uint32_t pack(uint32_t x, uint32_t y) { return x | y << 16; }

struct Stage {
  uint32_t first = 0;
  uint32_t depth = 0;
};

Stage stage_of(const PyramidParams& params, uint32_t index) {
  Stage stage;
  for (uint32_t i = 0; i < index; ++i) stage.first += params.stage_depths >> (4 * i) & 15U;
  stage.depth = params.stage_depths >> (4 * index) & 15U;
  return stage;
}

uint32_t tile_count(uint32_t size, uint32_t first) { return div_up(axis_level(size, first + 1), kTile / 2); }

// Texels of the stage's finest level that a tile reads beyond its own 64.
uint32_t halo(Footprint footprint, uint32_t size, Stage stage, uint32_t own_end) {
  const uint32_t last = stage.first + stage.depth;
  switch (footprint) {
    case Footprint::kAligned:
      return 0;
    case Footprint::kEdge:
      if (own_end < axis_level(size, last)) return 0;
      break;
    case Footprint::kTight:
      return div_up(size & ((1U << last) - 1), 1U << stage.first);
    case Footprint::kCovering:
      break;
  }
  return axis_level(size, stage.first) & ((1U << stage.depth) - 1);
}

// Texels of a stage's last level that a workgroup makes.
Extent made(const PyramidParams& params, uint32_t index) {
  if (index == 0) return {params.base_made & 0xFFFFU, params.base_made >> 16};
  const uint32_t side = kTile >> stage_of(params, index).depth;
  return {side, side};
}

// How many levels from `first` on, up to `limit`, halve exactly and need no halo, along one axis?
uint32_t exact_levels(Footprint footprint, uint32_t size, uint32_t first, uint32_t limit) {
  uint32_t count = 0;
  while (count < limit && (size >> first) >= 2U << count &&
         (footprint == Footprint::kAligned || (size & ((2U << (first + count)) - 1)) == 0)) {
    ++count;
  }
  return count;
}

bool is_single(const PyramidParams& params, uint32_t first) {
  return tile_count(params.size.x, first) == 1 && tile_count(params.size.y, first) == 1;
}

// Fills stage_count, stage_depths and plain_stages: as many levels as possible where they halve exactly, three at a
// time where they do not, all the rest once a single tile holds a whole level.
void choose_stages(const PyramidOptions& options, const LayoutRequest& request, PyramidParams& params) {
  constexpr uint32_t kMaxPlain = 6;  // of a tile of 64x64
  uint32_t first = 0;
  while (first < params.last_level) {
    const uint32_t remaining = params.last_level - first;
    const uint32_t limit = std::min(remaining, request.stage_depth == 0 ? kMaxPlain : request.stage_depth);
    uint32_t plain = 0;
    if (options.footprint != Footprint::kTight) {
      plain = std::min(exact_levels(options.footprint, params.size.x, first, limit),
                       exact_levels(options.footprint, params.size.y, first, limit));
    }
    const bool single = is_single(params, first) && (first > 0 || options.footprint != Footprint::kTight);
    uint32_t depth = single ? remaining : std::min(3U, remaining);
    const bool is_plain = plain >= depth && (depth >= 3 || first > 0);
    if (is_plain) depth = single ? remaining : plain;
    params.plain_stages |= static_cast<uint32_t>(is_plain) << params.stage_count;
    params.stage_depths |= depth << (4 * params.stage_count);
    ++params.stage_count;
    first += depth;
  }
}

// Chooses how stage 0 is made, and what a workgroup makes of it.
void choose_base(const PyramidOptions& options, const LayoutRequest& request, DispatchLayout& layout) {
  PyramidParams& params = layout.params;
  const uint32_t depth = stage_of(params, 0).depth;
  const auto [width, height] = options.size;
  params.base_run = 1;
  params.base_made = pack(kTile >> depth, kTile >> depth);
  if (request.path != PyramidPath::kSingleDispatch) return;
  const bool subgroups = request.subgroup_size >= 8;
  if (subgroups && (params.plain_stages & 1U) != 0) {
    layout.base = ONEPASS_BASE_PLAIN;
    // Where there are many tiles, two in a row: half as many fences and counts.
    constexpr uint32_t kManyTiles = 1024;
    params.base_run = tile_count(width, 0) * tile_count(height, 0) * options.slices > kManyTiles ? 2 : 1;
    params.base_made = pack(params.base_run * (kTile >> depth), kTile >> depth);
  } else if (subgroups && options.footprint == Footprint::kCovering && depth == 3 && std::min(width, height) >= 8) {
    layout.base = ONEPASS_BASE_STREAM;
    constexpr uint32_t kManyTexels = 4U << 20;
    params.base_run = uint64_t{width} * height > kManyTexels ? 2 : 1;
    const uint32_t columns = request.subgroup_size / 4 - ((width & 7U) != 0 ? 1 : 0);
    params.base_made = pack(columns, 256 / request.subgroup_size * params.base_run);
  }
  const uint32_t all = (1U << params.stage_count) - 1;
  const uint32_t in_registers = layout.base == ONEPASS_BASE_GENERAL ? 0 : 1;
  const uint32_t later_plain = subgroups ? params.plain_stages & ~1U : 0;
  layout.plain = later_plain != 0;
  layout.general = (in_registers | later_plain) != all;
}

// Workgroups along an axis of stage 0.
uint32_t base_tiles(const DispatchLayout& layout, uint32_t size, uint32_t made) {
  if (layout.base == ONEPASS_BASE_STREAM) return div_up(size >> 3, made);
  const uint32_t depth = stage_of(layout.params, 0).depth;
  return div_up(tile_count(size, 0), made / (kTile >> depth));
}

uint32_t kept_levels(const PyramidOptions& options, const PyramidParams& params, PyramidPath path) {
  const uint32_t all = ((2U << params.last_level) - 1) & ~1U;  // bits 1 .. last_level
  if (options.alpha == Alpha::kCoverage) return all;
  if (path == PyramidPath::kPerLevel) {
    return options.footprint == Footprint::kTight ? 0 : all & ~(1U << params.last_level);
  }
  if (options.footprint == Footprint::kTight) return all & ~((2U << stage_of(params, 0).depth) - 1);
  uint32_t kept = 0;
  for (uint32_t i = 1; i < params.stage_count; ++i) kept |= 1U << stage_of(params, i).first;
  return kept;
}

uint32_t element_components(const PyramidOptions& options) {
  if (options.normal_map != NormalMap::kOff) return 4;
  const uint32_t channels = std::max(format_info(options.source).channels, format_info(options.target).channels);
  return channels == 3 ? 4 : channels;
}

// The tiles of every stage that run when tiles [begin, end) of stage 0 do, along one axis.
void activate(const PyramidOptions& options, const PyramidParams& params, uint32_t size, uint32_t begin, uint32_t end,
              bool vertical, PyramidParams& out) {
  for (uint32_t i = 0; i < params.stage_count; ++i) {
    if (i > 0) {
      const Stage coarser = stage_of(params, i);
      const uint32_t width = vertical ? made(params, i - 1).height : made(params, i - 1).width;
      const uint32_t count = tile_count(size, coarser.first);
      uint32_t home = begin * width / kTile;
      if (home > 0) {
        const uint32_t reach = halo(options.footprint, size, coarser, home * (kTile >> coarser.depth));
        if (begin * width < kTile * home + reach || home >= count) --home;
      }
      end = std::min((end * width - 1) / kTile + 1, count);
      begin = home;
    }
    const uint32_t shift = vertical ? 16 : 0;
    out.active_tiles[i].x |= begin << shift;
    out.active_tiles[i].y |= end << shift;
  }
}

// Tiles of stage 0 that hold a texel the range affects, on any level of that stage. A tile makes `made` texels of the
// stage's last level.
TexelRange affected_tiles(const DispatchLayout& layout, uint32_t size, uint32_t made, TexelRange changed) {
  const uint32_t depth = stage_of(layout.params, 0).depth;
  const uint32_t count = base_tiles(layout, size, made);
  TexelRange tiles{UINT32_MAX, 0};
  for (uint32_t step = 1; step <= depth; ++step) {
    const TexelRange texels = affected_range(layout.options.footprint, size, step, changed);
    if (texels.begin == texels.end) continue;
    const uint32_t width = made << (depth - step);
    tiles.begin = std::min(tiles.begin, texels.begin / width);
    tiles.end = std::max(tiles.end, (texels.end - 1) / width + 1);
  }
  // What an odd size leaves over belongs to the last tile.
  return {std::min(tiles.begin, count - 1), std::min(tiles.end, count)};
}

ChainDispatch single_dispatch(const DispatchLayout& layout, Rect changed, bool all_tiles) {
  ChainDispatch dispatch{.params = layout.params, .groups = {}};
  PyramidParams& params = dispatch.params;
  const auto [width, height] = layout.options.size;
  const Extent tile = made(params, 0);
  TexelRange x{0, base_tiles(layout, width, tile.width)};
  TexelRange y{0, base_tiles(layout, height, tile.height)};
  if (!all_tiles) {
    x = affected_tiles(layout, width, tile.width, {changed.x, changed.x + changed.width});
    y = affected_tiles(layout, height, tile.height, {changed.y, changed.y + changed.height});
    if (x.begin >= x.end || y.begin >= y.end) return dispatch;
  }
  activate(layout.options, layout.params, width, x.begin, x.end, false, params);
  activate(layout.options, layout.params, height, y.begin, y.end, true, params);
  dispatch.groups = {x.end - x.begin, y.end - y.begin, layout.options.slices};
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
  // From level 5 on a workgroup shares one tight texel.
  const uint32_t side = layout.options.footprint == Footprint::kTight && level > 4 ? 1 : 16;
  dispatch.groups = {div_up(rect.width, side), div_up(rect.height, side), layout.options.slices};
  return dispatch;
}

// Fills scratch sizes and the predicted traffic.
void add_scratch(DispatchLayout& layout) {
  const PyramidOptions& options = layout.options;
  PyramidParams& params = layout.params;
  uint64_t kept_texels = 0;
  for (uint32_t n = 1; n <= params.last_level; ++n) {
    const Extent size = layout.plan.plan.sizes[n];
    if ((params.kept_levels >> n & 1U) != 0) kept_texels += uint64_t{size.width} * size.height;
  }
  params.kept_stride = static_cast<uint32_t>(kept_texels);
  layout.kept_bytes = kept_texels * options.slices * layout.components * 4;
  if (layout.plan.path == PyramidPath::kSingleDispatch) {
    for (uint32_t i = 1; i < params.stage_count; ++i) {
      const uint32_t first = stage_of(params, i).first;
      params.counter_stride += tile_count(params.size.x, first) * tile_count(params.size.y, first);
    }
  }
  layout.counter_bytes = uint64_t{params.counter_stride} * options.slices * 4;
  if (options.alpha == Alpha::kCoverage) {
    layout.histogram_bytes = uint64_t{layout.plan.plan.levels} * options.slices * kCoverageStride * 4;
  }
  layout.histogram_offset = align(std::max<uint64_t>(layout.counter_bytes, 4));
  layout.kept_offset = layout.histogram_offset + align(layout.histogram_bytes);
  layout.plan.scratch_bytes = layout.kept_offset + align(std::max<uint64_t>(layout.kept_bytes, 16));
  layout.plan.bytes_read = layout.plan.plan.bytes_read + layout.kept_bytes;
  layout.plan.bytes_written = layout.plan.plan.bytes_written + layout.kept_bytes;
  if (options.alpha == Alpha::kCoverage) layout.plan.bytes_read += layout.plan.plan.bytes_read + layout.kept_bytes;
}

}  // namespace

Result<DispatchLayout> lay_out(const PyramidOptions& options, const LayoutRequest& request) {
  auto plan = plan_pyramid(options);
  if (!plan) return plan.error();
  const uint32_t stage_depth = request.stage_depth;
  const PyramidPath path = request.path;
  if (stage_depth != 0 && (stage_depth < 3 || stage_depth > 6)) {
    return Error{
        ErrorCode::kInvalidArgument, "tuning.stage_depth: " + std::to_string(stage_depth) + " is not 0 or 3 to 6", {}};
  }
  DispatchLayout layout;
  layout.options = options;
  layout.plan.plan = *plan;
  layout.plan.path = path;
  layout.components = element_components(options);
  layout.params.size = {options.size.width, options.size.height};
  layout.params.last_level = plan->levels - 1;
  if (path == PyramidPath::kSingleDispatch) choose_stages(options, request, layout.params);
  choose_base(options, request, layout);
  layout.params.kept_levels = kept_levels(options, layout.params, path);
  add_scratch(layout);
  if (layout.kept_bytes / 4 > UINT32_MAX) {
    return Error{ErrorCode::kUnsupported,
                 "size: the hand-over of " + std::to_string(options.slices) + " slices exceeds 2^32 values",
                 {}};
  }
  const uint32_t entries = plan->levels == 1 ? 0 : path == PyramidPath::kSingleDispatch ? 1 : plan->levels - 1;
  for (uint32_t i = 0; i < entries; ++i) {
    layout.plan.dispatches.push_back(chain_dispatch(layout, i, std::nullopt, true).groups);
  }
  if (options.alpha == Alpha::kCoverage && entries > 0) {
    layout.plan.dispatches.insert(layout.plan.dispatches.end(), 2, coverage_groups(layout));
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
  dispatch.params.partial = changed.has_value() ? 1 : 0;
  dispatch.params.region = {pack(rect.x, rect.y), pack(rect.x + rect.width, rect.y + rect.height)};
  return dispatch;
}

Groups coverage_groups(const DispatchLayout& layout) {
  // A workgroup takes up to 4096 texels of one level; rows of groups, so that no axis exceeds 65535.
  uint32_t groups = 0;
  for (uint32_t n = 0; n <= layout.params.last_level; ++n) {
    const Extent size = layout.plan.plan.sizes[n];
    groups += static_cast<uint32_t>((uint64_t{size.width} * size.height + 4095) / 4096);
  }
  const uint32_t x = std::min(groups, 32768U);
  return {x, div_up(groups, x), layout.options.slices};
}

}  // namespace onepass::pyramid

namespace onepass::vulkan {

Result<PyramidDispatchPlan> plan_pyramid_dispatches(const PyramidOptions& options, const PyramidTuning& tuning) {
  const PyramidPath path =
      tuning.path == PyramidPath::kPerLevel ? PyramidPath::kPerLevel : PyramidPath::kSingleDispatch;
  constexpr uint32_t kUsualSubgroup = 32;
  auto layout = pyramid::lay_out(options, {.path = path,
                                           .stage_depth = tuning.stage_depth,
                                           .subgroup_size = tuning.subgroup == Switch::kOff ? 0 : kUsualSubgroup});
  if (!layout) return layout.error();
  return std::move(layout->plan);
}

}  // namespace onepass::vulkan
