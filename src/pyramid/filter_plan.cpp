// filter_plan.cpp: lay_out_filter: levels one after the other, of so many slices at a time that scratch memory stays
// small; add_filter_table: the taps of src/pyramid/mip_filter.hpp as the kernel reads them.
#include "pyramid/filter_plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "image/div_up.hpp"
#include "image/srgb.hpp"
#include "pyramid/mip_filter.hpp"

namespace onepass::pyramid {
namespace {

static_assert(FILTER_WRAP == static_cast<uint32_t>(Boundary::kWrap));
static_assert(FILTER_CLAMP == static_cast<uint32_t>(Boundary::kClamp));
static_assert(FILTER_MIRROR == static_cast<uint32_t>(Boundary::kMirror));

constexpr uint64_t kGroupTexels = uint64_t{1} << 22;  // base texels of the slices that are made at a time
constexpr uint32_t kFilterWorkgroup = FILTER_TILE_WIDTH * FILTER_TILE_HEIGHT;
constexpr uint32_t kTapsOfLane = 16;  // at least, where several invocations share the taps of a texel

bool is_from_base(const PyramidOptions& options) { return options.filter.input == MipFilterInput::kBase; }

Extent input_size(const PyramidOptions& options, const PyramidPlan& plan, uint32_t level) {
  return plan.sizes[is_from_base(options) ? 0 : level - 1];
}

/// Invocations that share the taps of a texel. Texels of a workgroup lie side by side: at least `texels`.
uint32_t lanes_of(const PyramidOptions& options, uint32_t finer, uint32_t level, uint32_t texels) {
  if (!is_from_base(options)) return 1;
  const double taps = 2 * filter_half_width(options.filter) * finer / level;
  const auto lanes = std::bit_floor(std::max(1U, static_cast<uint32_t>(taps) / kTapsOfLane));
  return std::min(lanes, kFilterWorkgroup / texels);
}

FilterDispatch make_dispatch(uint32_t step, uint32_t level, Extent size, uint32_t finer, uint32_t lanes) {
  FilterDispatch dispatch;
  dispatch.step = step;
  dispatch.level = level;
  dispatch.params.width = size.width;
  dispatch.params.height = size.height;
  dispatch.params.finer = finer;
  dispatch.params.lanes = lanes;
  dispatch.groups.workgroup_size = kFilterWorkgroup;
  dispatch.groups.x = div_up(size.width, lanes > 1 ? kFilterWorkgroup / lanes : FILTER_TILE_WIDTH);
  const uint32_t run = step == FILTER_COLUMNS ? 1 : FILTER_RUN;
  dispatch.groups.y = lanes > 1 ? size.height : div_up(size.height, FILTER_TILE_HEIGHT * run);
  return dispatch;
}

/// Adds the phases and weights of an axis to the table.
void add_axis(const FilterAxis<float>& axis, uint32_t level, std::vector<uint32_t>& table) {
  const uint32_t phases = axis.is_uniform() ? 1 : level;
  size_t phase = table.size();
  table.resize(phase + size_t{phases} * FILTER_PHASE_WORDS);
  for (uint32_t i = 0; i < phases; ++i, phase += FILTER_PHASE_WORDS) {
    const FilterTaps<float> taps = axis.taps(i);
    const uint32_t words[FILTER_PHASE_WORDS] = {static_cast<uint32_t>(taps.first), taps.count, taps.near_begin,
                                                taps.near_end, static_cast<uint32_t>(table.size())};
    std::copy_n(words, FILTER_PHASE_WORDS, table.begin() + static_cast<std::ptrdiff_t>(phase));
    for (uint32_t k = 0; k < taps.count; ++k) table.push_back(std::bit_cast<uint32_t>(taps.weights[k]));
  }
}

}  // namespace

FilterLayout lay_out_filter(const PyramidOptions& options, const PyramidPlan& plan, uint32_t components) {
  FilterLayout layout;
  if (plan.levels == 1) return layout;
  const bool from_base = is_from_base(options);
  const uint64_t texels = uint64_t{options.size.width} * options.size.height;
  const auto group = static_cast<uint32_t>(std::clamp<uint64_t>(kGroupTexels / texels, 1, options.slices));
  const auto bytes_of = [&](uint64_t count) { return count * group * components * sizeof(float); };
  layout.sums_bytes = bytes_of(uint64_t{options.size.width} * plan.sizes[1].height);
  if (!from_base && plan.levels > 2) layout.kept_bytes = bytes_of(uint64_t{plan.sizes[1].width} * plan.sizes[1].height);
  constexpr uint64_t kAlign = 256;  // Vulkan's upper limit of minStorageBufferOffsetAlignment
  layout.kept_offset = round_up(layout.sums_bytes, kAlign);
  layout.scratch_bytes = layout.kept_offset + round_up(std::max<uint64_t>(layout.kept_bytes, 16), kAlign);
  for (uint32_t slice = 0; slice < options.slices; slice += group) {
    for (uint32_t n = 1; n < plan.levels; ++n) {
      const Extent finer = input_size(options, plan, n);
      const Extent size = plan.sizes[n];
      const Extent sums = {finer.width, size.height};
      // Rows of sums are read side by side, by 16 invocations where they are as long.
      const uint32_t along_y = lanes_of(options, finer.height, size.height, std::min(16U, std::bit_ceil(sums.width)));
      const uint32_t rows = n == 1 || from_base ? FILTER_ROWS_OF_BASE : FILTER_ROWS_OF_LEVEL;
      FilterDispatch pair[] = {
          make_dispatch(rows, n, sums, finer.height, along_y),
          make_dispatch(FILTER_COLUMNS, n, size, finer.width, lanes_of(options, finer.width, size.width, 1))};
      pair[1].params.keeps = !from_base && n + 1 < plan.levels ? 1 : 0;
      for (FilterDispatch& dispatch : pair) {
        dispatch.params.slice = slice;
        dispatch.groups.z = std::min(group, options.slices - slice);
        layout.dispatches.push_back(dispatch);
      }
    }
  }
  return layout;
}

std::vector<uint32_t> add_filter_table(const PyramidOptions& options, const PyramidPlan& plan, FilterLayout& layout) {
  struct Place {
    uint32_t phases = 0;
    uint32_t shift = 0;
  };
  std::map<std::pair<uint32_t, uint32_t>, Place> places;  // by sizes of input and level
  std::vector<uint32_t> table;
  if (format_info(options.source).type == ChannelType::kSrgb) {
    for (uint32_t code = 0; code < 256; ++code) table.push_back(std::bit_cast<uint32_t>(srgb_tables().decode[code]));
  }
  for (FilterDispatch& dispatch : layout.dispatches) {
    const Extent size = plan.sizes[dispatch.level];
    const uint32_t level = dispatch.step == FILTER_COLUMNS ? size.width : size.height;
    const uint32_t finer = dispatch.params.finer;
    auto [place, is_new] = places.try_emplace({finer, level});
    if (is_new) {
      const FilterAxis<float> axis(options.filter, finer, level, 1);
      place->second = {static_cast<uint32_t>(table.size()), axis.is_uniform() ? finer / level : 0};
      add_axis(axis, level, table);
    }
    dispatch.params.phases = place->second.phases;
    dispatch.params.shift = place->second.shift;
  }
  return table;
}

}  // namespace onepass::pyramid
