// coverage.hpp: the rule that keeps the share of texels passing an alpha test constant from level to level.
//
// The alphas of a level, clamped to 0..1, are counted in a histogram of 1025 bins, bin = floor(alpha * 1024). An edge
// e = b / 1024 is a candidate threshold: as many texels pass it as there are in bins b and up. The level's alphas are
// then scaled by threshold / e, so that exactly those texels pass the threshold after scaling. The unscaled level, with
// its exact count, is a candidate as well. Everything is counted in integers: both engines choose alike.
//
// Source: I. Castano, "Computing Alpha Mipmaps", 2010.
#pragma once

#include <array>
#include <cstdint>

namespace onepass {

inline constexpr uint32_t kCoverageBins = 1025;
using CoverageHistogram = std::array<uint32_t, kCoverageBins>;

/// What is known of one level of one slice.
struct CoverageCounts {
  const CoverageHistogram& bins;  ///< Of the level's unrounded alphas.
  uint64_t passing = 0;           ///< The level's texels with alpha >= threshold, unscaled.
  uint64_t texels = 0;            ///< Of the level.
  uint64_t base_passing = 0;      ///< The base's texels with alpha >= threshold.
  uint64_t base_texels = 0;
};

/// The factor for the level's alphas: threshold / e of the candidate whose share of passing texels is closest to the
/// base's; among equals unscaled (1), then the edge closest to the threshold, then the smaller edge.
[[nodiscard]] float choose_alpha_scale(const CoverageCounts& counts, float threshold);

}  // namespace onepass
