// pyramid_oracle.hpp: what a pyramid must be, in double precision and straight from the definitions of the footprints:
// ranges of base texels for min, max and plain means, the polyphase weights for the covering mean. Shares no code with
// the library. For tests of every engine.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "onepass/pyramid.hpp"

namespace onepass::testing {

/// One level of one slice.
struct OracleLevel {
  uint32_t level = 0;
  uint32_t slice = 0;
  Extent size;
  /// Exact values as a reader of the target would see them (linear light, 0..1, vectors as stored), four a texel.
  /// Before any rounding to the target format.
  std::vector<double> rgba;
  /// The magnitude that rounding errors of `rgba` are measured against: the mean of absolute values. Four a texel.
  std::vector<double> magnitude;

  [[nodiscard]] double value(uint32_t x, uint32_t y, uint32_t channel) const {
    return rgba[(size_t{y} * size.width + x) * 4 + channel];
  }
};

/// Levels 1 and up of every slice, slice by slice: [slice * (levels - 1) + level - 1].
std::vector<OracleLevel> oracle_pyramid(const PyramidOptions& options, const ImageView& source);

/// The base texels that texel i of a level stands for along an axis of size `size`.
TexelRange oracle_footprint(Footprint footprint, uint32_t size, uint32_t level, uint32_t i);

/// The base as the oracle sees it: four values a texel of one slice, sRGB decoded.
std::vector<double> oracle_decode(const ImageView& source, uint32_t slice);

/// The exact, unrounded number that a target of `format` should store for `value`: a code for UNORM and sRGB, the value
/// itself for floats. What must be rounded to nearest.
double oracle_target(Format format, uint32_t channel, double value);

/// How far a stored value may be off.
struct Tolerance {
  double codes = 1e-3;   ///< UNORM and sRGB: the code is that of some value within this many codes.
  double ulps = 4;       ///< Floats: that of some value within this many float ULPs of the magnitude.
  double code_ulps = 0;  ///< UNORM too: for values that carry the error of a divisor, as normals do.

  static Tolerance exact() { return {0, 0}; }
};

/// The tolerance the contract gives the CPU engine.
Tolerance cpu_tolerance(const PyramidOptions& options);

/// Whether slice `expected.slice` of `actual` is what it should be. Names the first texels that are not; writes actual,
/// expected and difference as .pfm files to the temporary directory under `name`.
::testing::AssertionResult matches(const OracleLevel& expected, const ImageView& actual, const Tolerance& tolerance,
                                   const std::string& name = "level");

/// matches() for all levels of all slices; levels[n-1] is level n.
::testing::AssertionResult matches(std::span<const OracleLevel> expected, std::span<const MutableImageView> levels,
                                   const Tolerance& tolerance, const std::string& name = "pyramid");

}  // namespace onepass::testing
