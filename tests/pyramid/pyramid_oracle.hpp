// pyramid_oracle.hpp: oracle of pyramids for tests of every engine, in double precision, from the definitions of the
// footprints: ranges of base texels for min, max and unweighted means, polyphase weights for the covering mean. Shares
// no code with the library.
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
  /// Exact values before rounding to the target format, four per texel, as a reader of the target gets them (linear
  /// light, 0..1, vectors as stored).
  std::vector<double> rgba;
  /// Means of absolute values, four per texel: rounding errors of `rgba` are relative to them.
  std::vector<double> magnitude;

  [[nodiscard]] double value(uint32_t x, uint32_t y, uint32_t channel) const {
    return rgba[(size_t{y} * size.width + x) * 4 + channel];
  }
};

/// Levels 1 and up of every slice, slice by slice: [slice * (levels - 1) + level - 1].
std::vector<OracleLevel> oracle_pyramid(const PyramidOptions& options, const ImageView& source);

/// The base texels that texel i of a level represents along an axis of `size` texels.
TexelRange oracle_footprint(Footprint footprint, uint32_t size, uint32_t level, uint32_t i);

/// The base of one slice: four values per texel, sRGB decoded.
std::vector<double> oracle_decode(const ImageView& source, uint32_t slice);

/// The quantised alpha that stands for 1: 255, 65535 or 3; 1 for floats.
double oracle_alpha_unit(Format format);

/// Whether the float that a sampler returns for `alpha` passes an alpha test.
bool passes_alpha_test(double alpha, float threshold);

/// The exact number that a target of `format` stores for `value` after rounding to nearest: a quantised value for UNORM
/// and sRGB, the value itself for floats.
double oracle_target(Format format, uint32_t channel, double value);

/// Errors allowed before a value is rounded to the target format.
struct Tolerance {
  double codes = 1e-3;   ///< UNORM and sRGB: in quantised steps.
  double ulps = 4;       ///< Floats: in float ULPs of the magnitude.
  double code_ulps = 0;  ///< UNORM: also in float ULPs, for quotients such as normals, which carry a divisor's error.

  static Tolerance exact() { return {0, 0}; }
};

/// The tolerance that the contract gives the CPU engine.
Tolerance cpu_tolerance(const PyramidOptions& options);

/// Compares slice `expected.slice` of `actual` with the oracle. On failure names the first wrong texels and writes
/// actual, expected and difference as .pfm files to the temporary folder under `name`.
::testing::AssertionResult matches(const OracleLevel& expected, const ImageView& actual, const Tolerance& tolerance,
                                   const std::string& name = "level");

/// matches() for all levels of all slices; levels[n-1] is level n.
::testing::AssertionResult matches(std::span<const OracleLevel> expected, std::span<const MutableImageView> levels,
                                   const Tolerance& tolerance, const std::string& name = "pyramid");

}  // namespace onepass::testing
