// coverage.hpp: the rule of Alpha::kCoverage: of the alphas that a level stores, the share that passes the alpha test
// is the nearest to that of the base.
//
// Scaling keeps the order of alphas, so that it can only decide how many of the largest ones pass. With P of B base
// texels passing, and N texels in the level:
//
//     r   = max(1, ceil(P * N / B))    so many texels should pass
//     v   = the r-th largest unrounded alpha of the level
//     the texels with alpha >= v pass, or those with alpha > v: the number nearer to P * N / B, of two equally near the
//     former; texels with alpha 0 never pass
//     s   = the least float with v * s >= threshold; 1 if as many texels pass unscaled
//
// The stored alpha is alpha * s, rounded to the target, but texels that pass get at least the target's least value that
// passes the test, and texels that fail at most its largest value that fails: rounding moves no texel across the
// threshold, however a device rounds. Alphas are in units of the source's quantised values, in which the means of 2x2
// texels are exact. All counts are integers, all candidates alphas of the level, and v * s is rounded once, so that
// both engines choose the same scale from the same alphas.
//
// Source: I. Castano, "Computing Alpha Mipmaps", 2010.
#pragma once

#include <cstdint>
#include <span>

#include "image/row_spec.hpp"
#include "onepass/image.hpp"

namespace onepass {

/// The alpha test of two formats. A texel passes if the float that a sampler returns for its alpha is >= threshold.
struct AlphaTest {
  float threshold = 0;
  float base_cut = 0;        ///< Least alpha of a base texel that passes, in units of the source.
  float unscaled_cut = 0;    ///< Least unrounded alpha of a level's texel that passes without a scale, in these units.
  float unscaled_scale = 1;  ///< Factor from these units to 0..1.
  float least_passing = 0;   ///< As AlphaScale.
  float most_failing = 0;
};

/// `threshold`: above 0, at most 1.
[[nodiscard]] AlphaTest make_alpha_test(Format source, Format target, float threshold);

/// Counts of the base of one slice.
struct BaseCoverage {
  uint64_t passing = 0;  ///< Texels with alpha >= AlphaTest::base_cut.
  uint64_t texels = 0;   ///< At most 2^32.
};

/// The scale of a level with these unrounded alphas, which are neither negative nor NaN.
[[nodiscard]] image::AlphaScale choose_alpha_scale(std::span<const float> alphas, const BaseCoverage& base,
                                                   const AlphaTest& test);

}  // namespace onepass
