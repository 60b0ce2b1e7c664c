// local_exposure.cpp: divides an image into regions, and makes, blurs and interpolates the grid of local exposure on
// the CPU.
#include "tone_map/local_exposure.hpp"

#include <algorithm>
#include <cmath>

#include "image/div_up.hpp"

namespace onepass::tone_map {

LocalPlan plan_local_exposure(const ToneMapOptions& options) {
  const auto [width, height] = options.size;
  const double wanted = double{options.local.region} * std::min(width, height) / ONEPASS_LOCAL_TILE;
  const auto tiles = static_cast<uint32_t>(std::lround(std::clamp(wanted, 1.0, 1e6)));
  const uint32_t side = ONEPASS_LOCAL_TILE * std::min<uint32_t>(tiles, ONEPASS_LOCAL_MOST_SIDE / ONEPASS_LOCAL_TILE);
  return {side, div_up(width, side), div_up(height, side)};
}

LocalParams make_local_params(const ToneMapOptions& options) {
  const LocalPlan plan = plan_local_exposure(options);
  const LocalExposure& local = options.local;
  return {.inverse_side = 1.0F / static_cast<float>(plan.side),
          .columns = plan.columns,
          .rows = plan.rows,
          .highlights = local.highlights - 1,
          .shadows = local.shadows - 1,
          .detail = local.detail - 1,
          .grey = static_cast<float>(std::log2(double{local.grey}))};
}

void LocalGrid::take(uint32_t row, uint32_t column, const LocalSums& sums) {
  constexpr float kUnit = 1.0F / ONEPASS_LOCAL_ONE;
  LocalNode* out = raw_.data() + (size_t{row} * plan_.columns + column) * kLocalBins;
  float below = 0;
  uint64_t from_below = 0;
  for (uint32_t n = 0; n < kLocalBins; ++n) {
    const uint64_t weight = sums.texels[n] * ONEPASS_LOCAL_ONE - sums.above[n] + from_below;
    const float between = static_cast<float>(sums.between[n]) * kUnit;
    out[n] = {static_cast<float>(weight) * kUnit, between - below};
    below = between;
    from_below = sums.above[n];
  }
}

void LocalGrid::blur_row(uint32_t row) {
  for (uint32_t column = 0; column < plan_.columns; ++column) {
    float* out = nodes_.data() + size_t{row} * row_size() + size_t{2} * kLocalStride * column;
    for (uint32_t n = 0; n < kLocalBins; ++n) {
      LocalNode sum;
      for (uint32_t y = std::max(row, 1U) - 1; y < std::min(row + 2, plan_.rows); ++y) {
        for (uint32_t x = std::max(column, 1U) - 1; x < std::min(column + 2, plan_.columns); ++x) {
          const LocalNode* in = raw_.data() + (size_t{y} * plan_.columns + x) * kLocalBins + n;
          const float scale = (y == row ? 0.5F : 0.25F) * (x == column ? 0.5F : 0.25F);
          const LocalNode low = n > 0 ? in[-1] : LocalNode{};
          const LocalNode high = n + 1 < kLocalBins ? in[1] : LocalNode{};
          sum.weight += scale * (2 * in->weight + (low.weight + high.weight));
          sum.offset += scale * (2 * in->offset + (low.offset + high.offset) + (high.weight - low.weight));
        }
      }
      out[n] = sum.weight;
      out[kLocalStride + n] = sum.offset;
    }
  }
}

LocalGrid::Rows LocalGrid::rows_at(uint32_t y) const {
  const float inverse_side = 1.0F / static_cast<float>(plan_.side);
  const float place = (static_cast<float>(y) + 0.5F) * inverse_side - 0.5F;
  const float limited = std::clamp(place, 0.0F, static_cast<float>(plan_.rows - 1));
  const auto first = static_cast<uint32_t>(limited);
  const uint32_t second = std::min(first + 1, plan_.rows - 1);
  return {nodes_.data() + first * row_size(), nodes_.data() + second * row_size(), limited - static_cast<float>(first)};
}

}  // namespace onepass::tone_map
