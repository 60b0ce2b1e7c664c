// coverage.cpp: see coverage.hpp.
#include "pyramid/coverage.hpp"

#include <cmath>

namespace onepass {

float choose_alpha_scale(const CoverageCounts& counts, float threshold) {
  const auto error = [&](uint64_t passing) {  // |share - base share| times both texel counts; products stay below 2^62
    const uint64_t level_side = passing * counts.base_texels;
    const uint64_t base_side = counts.base_passing * counts.texels;
    return level_side > base_side ? level_side - base_side : base_side - level_side;
  };
  uint64_t best_error = error(counts.passing);
  float best_edge = 0.0F;  // 0: the level stays unscaled
  uint64_t passing = 0;
  // From the highest bin down, so that of two edges equally close to the threshold the smaller one is last and wins.
  for (uint32_t b = kCoverageBins - 1; b >= 1; --b) {
    passing += counts.bins[b];
    const float edge = static_cast<float>(b) / 1024.0F;
    const uint64_t edge_error = error(passing);
    const bool closer =
        best_edge > 0.0F && edge_error == best_error && std::fabs(edge - threshold) <= std::fabs(best_edge - threshold);
    if (edge_error < best_error || closer) {
      best_error = edge_error;
      best_edge = edge;
    }
  }
  return best_edge > 0.0F ? threshold / best_edge : 1.0F;
}

}  // namespace onepass
