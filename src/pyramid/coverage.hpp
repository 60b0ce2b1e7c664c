// coverage.hpp: the rule that keeps the share of texels passing an alpha test constant from level to level.
//
// A histogram of 1025 bins counts the alphas of a level, clamped to 0..1: bin = floor(alpha * 1024). Every edge
// e = b / 1024 is a candidate threshold: the texels of bins b and up pass it. Scaling the level's alphas by
// threshold / e makes exactly these texels pass the threshold. The unscaled level, with its exact count, is a candidate
// as well. All counts are integers, so that both engines choose the same scale.
//
// Source: I. Castano, "Computing Alpha Mipmaps", 2010.
#pragma once

#include <array>
#include <cstdint>

namespace onepass {

inline constexpr uint32_t kCoverageBins = 1025;
using CoverageHistogram = std::array<uint32_t, kCoverageBins>;

/// Counts of one level of one slice.
struct CoverageCounts {
  const CoverageHistogram& bins;  ///< Histogram of the level's unrounded alphas.
  uint64_t passing = 0;           ///< Unscaled texels of the level with alpha >= threshold.
  uint64_t texels = 0;            ///< Texels of the level.
  uint64_t base_passing = 0;      ///< Texels of the base with alpha >= threshold.
  uint64_t base_texels = 0;
};

/// The factor for the level's alphas: threshold / e of the candidate whose share of passing texels is closest to that
/// of the base. Of equally close candidates the unscaled level (1) wins, then the edge closest to the threshold, then
/// the smaller edge.
[[nodiscard]] float choose_alpha_scale(const CoverageCounts& counts, float threshold);

}  // namespace onepass
