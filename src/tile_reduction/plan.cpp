// plan.cpp: plan_tile_reduction: validates the options and computes the target's size and the traffic.
#include <bit>
#include <string>

#include "image/div_up.hpp"
#include "image/error.hpp"
#include "onepass/pyramid.hpp"
#include "onepass/tile_reduction.hpp"

namespace onepass {

Result<TileReductionPlan> plan_tile_reduction(const TileReductionOptions& options) {
  if (options.reduction == Reduction::kMode) return invalid("reduction: mode is for pyramids of labels");
  // A pyramid of one level has the same rules for sizes, slices, formats and reductions.
  const auto base = plan_pyramid({.size = options.size,
                                  .slices = options.slices,
                                  .levels = 1,
                                  .source = options.source,
                                  .target = options.target,
                                  .reduction = options.reduction});
  if (!base) return base.error();
  if (options.factor < 2 || options.factor > 64 || !std::has_single_bit(options.factor)) {
    return invalid("factor: " + std::to_string(options.factor) + " is not one of 2, 4, 8, 16, 32 and 64");
  }
  const auto tiles = [&](uint32_t texels) { return div_up(texels, options.factor); };
  const auto bytes = [&](Extent size, Format format) {
    return uint64_t{size.width} * size.height * options.slices * format_info(format).bytes_per_texel;
  };
  TileReductionPlan plan;
  plan.size = {tiles(options.size.width), tiles(options.size.height)};
  plan.bytes_read = bytes(options.size, options.source);
  plan.bytes_written = bytes(plan.size, options.target);
  return plan;
}

}  // namespace onepass
