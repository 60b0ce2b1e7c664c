// dispatch_plan.cpp: stages, kept levels, counters and scratch memory of a pyramid's dispatches.
//
// Mirrors shaders/onepass/pyramid_schedule.glsl, which does the same arithmetic per workgroup.
#include "pyramid/dispatch_plan.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
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
  uint32_t kind = ONEPASS_STAGE_GENERAL;
};

Stage stage_of(const PyramidParams& params, uint32_t index) {
  return {.first = params.stage_firsts >> (4 * index) & 15U,
          .depth = params.stage_depths >> (4 * index) & 15U,
          .kind = params.stage_kinds >> (4 * index) & 15U};
}

void add_stage(Stage stage, PyramidParams& params) {
  const uint32_t shift = 4 * params.stage_count++;
  params.stage_firsts |= stage.first << shift;
  params.stage_depths |= stage.depth << shift;
  params.stage_kinds |= stage.kind << shift;
}

// Columns that a subgroup of `lanes` makes of a stream's third level.
uint32_t stream_columns(uint32_t lanes, uint32_t width, uint32_t first) {
  return lanes / 4 - ((width >> first & 7U) != 0 ? 1 : 0);
}

// Texels that a tile of a stage above 0 makes of its last level; of its third for streams.
Extent later_made(const DispatchLayout& layout, Stage stage) {
  if (stage.kind == ONEPASS_STAGE_STREAM) {
    return {stream_columns(layout.subgroup_size, layout.options.size.width, stage.first), 256 / layout.subgroup_size};
  }
  return {kTile >> stage.depth, kTile >> stage.depth};
}

Extent made(const DispatchLayout& layout, uint32_t index) {
  if (index == 0) return {layout.params.base_made & 0xFFFFU, layout.params.base_made >> 16};
  return later_made(layout, stage_of(layout.params, index));
}

// The texels of its finest level that a tile of a stage above 0 makes them from, without the halo.
Extent span_of(const DispatchLayout& layout, Stage stage) {
  if (stage.kind != ONEPASS_STAGE_STREAM) return {kTile, kTile};
  const Extent made = later_made(layout, stage);
  return {8 * made.width, 8 * made.height};
}

Extent tile_counts(const DispatchLayout& layout, Stage stage, Extent stream_made) {
  const auto [width, height] = layout.options.size;
  if (stage.kind == ONEPASS_STAGE_STREAM) {
    return {div_up(axis_level(width, stage.first + 3), stream_made.width),
            div_up(axis_level(height, stage.first + 3), stream_made.height)};
  }
  return {div_up(axis_level(width, stage.first + 1), kTile / 2),
          div_up(axis_level(height, stage.first + 1), kTile / 2)};
}

// Tiles of a stage above 0.
Extent later_tiles(const DispatchLayout& layout, Stage stage) {
  return tile_counts(layout, stage, stage.kind == ONEPASS_STAGE_STREAM ? later_made(layout, stage) : Extent{});
}

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

// How many levels from `first` on, up to `limit`, halve exactly and need no halo, along one axis?
uint32_t exact_levels(Footprint footprint, uint32_t size, uint32_t first, uint32_t limit) {
  uint32_t count = 0;
  while (count < limit && (size >> first) >= 2U << count &&
         (footprint == Footprint::kAligned || (size & ((2U << (first + count)) - 1)) == 0)) {
    ++count;
  }
  return count;
}

bool is_one(Extent count) { return count.width == 1 && count.height == 1; }

// The stage that begins at level `first`: as many levels as possible where they halve exactly, three where they do not,
// all the rest once a single tile holds a whole level.
Stage choose_stage(const DispatchLayout& layout, const LayoutRequest& request, uint32_t first) {
  constexpr uint32_t kMaxPlain = 6;  // of a tile of 64x64
  const PyramidOptions& options = layout.options;
  const auto [width, height] = options.size;
  const uint32_t remaining = layout.params.last_level - first;
  Stage stage{.first = first, .depth = std::min(3U, remaining), .kind = ONEPASS_STAGE_GENERAL};
  const bool tight = options.footprint == Footprint::kTight;
  const bool one_tile = is_one(later_tiles(layout, stage)) && (first > 0 || !tight);
  if (tight || layout.subgroup_size == 0) {
    if (one_tile) stage.depth = remaining;
    return stage;
  }
  const uint32_t limit = std::min(remaining, request.stage_depth == 0 ? kMaxPlain : request.stage_depth);
  const uint32_t plain = std::min(exact_levels(options.footprint, width, first, limit),
                                  exact_levels(options.footprint, height, first, limit));
  if (plain >= (one_tile ? remaining : stage.depth) && (plain >= 3 || first > 0)) {
    stage.depth = plain;
    stage.kind = ONEPASS_STAGE_PLAIN;
    return stage;
  }
  if (options.footprint == Footprint::kCovering && remaining >= 3 && std::min(width, height) >> first >= 8) {
    stage.kind = ONEPASS_STAGE_STREAM;
    // Further levels are made as those of general tiles, whose third has 8x8 texels.
    if (one_tile && is_one(later_tiles(layout, stage))) stage.depth = remaining;
  } else if (one_tile) {
    stage.depth = remaining;
  }
  return stage;
}

// Does a tile of stage 0 hand over a single texel, to a plain stage, so that it may be posted? Not where the chain ends
// with several tiles, none of which knows when all turns have been read, nor where a middle tile has no coarser one
// that waits for it. See shaders/onepass/pyramid_schedule.glsl.
bool may_post(const DispatchLayout& layout) {
  const PyramidParams& params = layout.params;
  const Stage base = stage_of(params, 0);
  if (params.stage_count < 2 || base.depth != 6 || base.kind != ONEPASS_STAGE_PLAIN ||
      stage_of(params, 1).kind != ONEPASS_STAGE_PLAIN) {
    return false;
  }
  if (!is_one(later_tiles(layout, stage_of(params, params.stage_count - 1)))) return false;
  if (params.stage_count == 2) return true;
  const Stage coarser = stage_of(params, 2);
  const Extent middle = later_tiles(layout, stage_of(params, 1));
  const Extent waiting = later_tiles(layout, coarser);
  const Extent span = span_of(layout, coarser);
  const Extent side = made(layout, 1);
  return (middle.width - 1) * side.width < waiting.width * span.width &&
         (middle.height - 1) * side.height < waiting.height * span.height;
}

// One axis of an extent.
uint32_t along(Extent extent, bool vertical) { return vertical ? extent.height : extent.width; }

// Workgroups that keep a large GPU busy, all at a time.
constexpr uint64_t kEnoughGroups = 500;

// Tiles in a row of a plain stage 0, each loaded while the one before is made: as many as leave enough workgroups. Wide
// texels keep memory busy with fewer.
uint32_t usual_tiles(const DispatchLayout& layout, Stage base) {
  const Extent tiles = later_tiles(layout, base);
  const uint64_t count = uint64_t{tiles.width} * tiles.height * layout.options.slices;
  const uint32_t most = format_info(layout.options.source).bytes_per_texel < 8 ? 8 : 2;
  uint32_t run = 1;
  while (run < most && count >= 2 * run * kEnoughGroups) run *= 2;
  return run;
}

// Rows of level 3 that a subgroup of a stream of stage 0 makes one below the other: more share the rows read ahead,
// fewer are more subgroups at a time.
uint32_t usual_rows(const DispatchLayout& layout, Stage base) {
  const auto groups = [&](uint32_t rows) {
    const Extent made = later_made(layout, base);
    const Extent tiles = tile_counts(layout, base, {made.width, made.height * rows});
    return uint64_t{tiles.width} * tiles.height * layout.options.slices;
  };
  if (groups(1) < kEnoughGroups) return 1;
  return layout.components > 1 && groups(4) >= 2 * kEnoughGroups ? 4 : 3;
}

// Fills what the parameters say about stages, and what a workgroup of stage 0 makes.
void choose_stages(const LayoutRequest& request, DispatchLayout& layout) {
  PyramidParams& params = layout.params;
  for (uint32_t first = 0; first < params.last_level;) {
    const Stage stage = choose_stage(layout, request, first);
    add_stage(stage, params);
    layout.has_stream |= stage.kind == ONEPASS_STAGE_STREAM;
    layout.has_general |= stage.kind == ONEPASS_STAGE_GENERAL;
    first += stage.depth;
  }
  const Stage base = stage_of(params, 0);
  const Extent tile = later_made(layout, base);
  params.base_run = 1;
  if (base.kind == ONEPASS_STAGE_PLAIN) {
    params.base_run = request.run != 0 ? request.run : usual_tiles(layout, base);
  } else if (base.kind == ONEPASS_STAGE_STREAM) {
    params.base_run = request.run != 0 ? request.run : usual_rows(layout, base);
  }
  const bool vertical = base.kind != ONEPASS_STAGE_PLAIN;  // one below the other
  // A workgroup counts in at the coarser tile that it begins in and that one's neighbours: it must not reach further,
  // as small subgroups' short tiles would let it.
  const uint32_t span = params.stage_count > 1 ? along(span_of(layout, stage_of(params, 1)), vertical) : 0;
  while (params.stage_count > 1 && params.base_run > 1) {
    const uint32_t side = along(tile, vertical) * params.base_run;
    if (side - std::gcd(side, span) <= span) break;
    params.base_run /= 2;
  }
  params.base_made =
      vertical ? pack(tile.width, tile.height * params.base_run) : pack(tile.width * params.base_run, tile.height);
  if (may_post(layout)) params.stage_kinds |= ONEPASS_STAGE_POSTS | (request.waits ? ONEPASS_STAGE_WAITS : 0);
}

// Workgroups of stage 0.
Extent base_tiles(const DispatchLayout& layout) {
  const Stage stage = stage_of(layout.params, 0);
  Extent tiles = tile_counts(layout, stage, made(layout, 0));
  if (stage.kind == ONEPASS_STAGE_PLAIN) tiles.width = div_up(tiles.width, layout.params.base_run);
  return tiles;
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
void activate(const DispatchLayout& layout, uint32_t begin, uint32_t end, bool vertical, PyramidParams& out) {
  const PyramidParams& params = layout.params;
  const uint32_t size = along(layout.options.size, vertical);
  for (uint32_t i = 0; i < params.stage_count; ++i) {
    if (i > 0) {
      const Stage coarser = stage_of(params, i);
      const uint32_t width = along(made(layout, i - 1), vertical);
      const uint32_t span = along(span_of(layout, coarser), vertical);
      const uint32_t count = along(later_tiles(layout, coarser), vertical);
      uint32_t home = begin * width / span;
      if (home > 0) {
        const uint32_t reach = halo(layout.options.footprint, size, coarser, home * (kTile >> coarser.depth));
        if (begin * width < span * home + reach || home >= count) --home;
      }
      end = std::min((end * width - 1) / span + 1, count);
      begin = home;
    }
    const uint32_t shift = vertical ? 16 : 0;
    out.active_tiles[i].x |= begin << shift;
    out.active_tiles[i].y |= end << shift;
  }
}

// Tiles of stage 0 that hold a texel the range affects, on any level of that stage.
TexelRange affected_tiles(const DispatchLayout& layout, TexelRange changed, bool vertical) {
  const Stage stage = stage_of(layout.params, 0);
  const uint32_t depth = stage.kind == ONEPASS_STAGE_STREAM ? 3 : stage.depth;  // that tiles are counted in
  const uint32_t count = along(base_tiles(layout), vertical);
  TexelRange tiles{UINT32_MAX, 0};
  for (uint32_t step = 1; step <= depth; ++step) {
    const TexelRange texels =
        affected_range(layout.options.footprint, along(layout.options.size, vertical), step, changed);
    if (texels.begin == texels.end) continue;
    const uint32_t width = along(made(layout, 0), vertical) << (depth - step);
    tiles.begin = std::min(tiles.begin, texels.begin / width);
    tiles.end = std::max(tiles.end, (texels.end - 1) / width + 1);
  }
  // What an odd size leaves over belongs to the last tile.
  return {std::min(tiles.begin, count - 1), std::min(tiles.end, count)};
}

ChainDispatch single_dispatch(const DispatchLayout& layout, Rect changed, bool all_tiles) {
  ChainDispatch dispatch{.params = layout.params, .groups = {}};
  PyramidParams& params = dispatch.params;
  const Extent tiles = base_tiles(layout);
  TexelRange x{0, tiles.width};
  TexelRange y{0, tiles.height};
  if (!all_tiles) {
    x = affected_tiles(layout, {changed.x, changed.x + changed.width}, false);
    y = affected_tiles(layout, {changed.y, changed.y + changed.height}, true);
    if (x.begin >= x.end || y.begin >= y.end) return dispatch;
  }
  activate(layout, x.begin, x.end, false, params);
  activate(layout, y.begin, y.end, true, params);
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
    for (uint32_t i = 2; i < params.stage_count; ++i) {
      if (stage_of(params, i).first == n) params.kept_begin[i - 2] = static_cast<uint32_t>(kept_texels);
    }
    if ((params.kept_levels >> n & 1U) != 0) kept_texels += uint64_t{size.width} * size.height;
  }
  params.kept_stride = static_cast<uint32_t>(kept_texels);
  layout.kept_bytes = kept_texels * options.slices * layout.components * 4;
  if ((params.stage_kinds & ONEPASS_STAGE_POSTS) != 0) {  // see pyramid.comp
    const Extent size = layout.plan.plan.sizes[6];
    layout.mail_bytes = (2 * uint64_t{size.width} * size.height + 1) * options.slices * layout.components * 4;
  }
  if (layout.plan.path == PyramidPath::kSingleDispatch) {
    for (uint32_t i = 1; i < params.stage_count; ++i) {
      const Extent tiles = later_tiles(layout, stage_of(params, i));
      params.counter_stride += tiles.width * tiles.height;
    }
  }
  layout.counter_bytes = uint64_t{params.counter_stride} * options.slices * 4;
  if (options.alpha == Alpha::kCoverage) {
    layout.histogram_bytes = uint64_t{layout.plan.plan.levels} * options.slices * kCoverageStride * 4;
  }
  layout.histogram_offset = align(std::max<uint64_t>(layout.counter_bytes, 4));
  layout.kept_offset = layout.histogram_offset + align(layout.histogram_bytes);
  layout.plan.scratch_bytes = layout.kept_offset + align(std::max<uint64_t>(layout.kept_bytes + layout.mail_bytes, 16));
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
  if (request.run > 8 || !std::has_single_bit(std::max(request.run, 1U))) {
    return Error{
        ErrorCode::kInvalidArgument, "tuning.run: " + std::to_string(request.run) + " is not 0, 1, 2, 4 or 8", {}};
  }
  DispatchLayout layout;
  layout.options = options;
  layout.plan.plan = *plan;
  layout.plan.path = path;
  layout.components = element_components(options);
  layout.params.size = {options.size.width, options.size.height};
  layout.params.last_level = plan->levels - 1;
  // The coverage passes need every level in scratch memory, which only general stages provide.
  const bool in_registers = path == PyramidPath::kSingleDispatch && request.subgroup_size >= 8 &&
                            options.footprint != Footprint::kTight && options.alpha != Alpha::kCoverage;
  layout.subgroup_size = in_registers ? request.subgroup_size : 0;
  if (path == PyramidPath::kSingleDispatch) choose_stages(request, layout);
  layout.params.kept_levels = kept_levels(options, layout.params, path);
  add_scratch(layout);
  if ((layout.kept_bytes + layout.mail_bytes) / 4 > UINT32_MAX) {
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
                                           .run = tuning.run,
                                           .subgroup_size = tuning.subgroup == Switch::kOff ? 0 : kUsualSubgroup});
  if (!layout) return layout.error();
  return std::move(layout->plan);
}

}  // namespace onepass::vulkan
