// local_exposure_oracle.hpp: local exposure in double precision, from its definition: every texel's base is a weighted
// mean over all other texels. No grid, and no code of the library.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "onepass/tone_map.hpp"
#include "pyramid_testing.hpp"

namespace onepass::testing {

/// One slice, decoded once.
class LocalOracle {
 public:
  LocalOracle(const ToneMapOptions& options, const ImageView& source, uint32_t slice);

  /// Texels of a region's side.
  [[nodiscard]] uint32_t side() const { return side_; }
  /// The source's linear colour.
  [[nodiscard]] const float* texel(uint32_t x, uint32_t y) const;
  /// Mean log2 luminance of what is near in place and in luminance.
  [[nodiscard]] double base(uint32_t x, uint32_t y) const;
  /// What a texel's colour is multiplied with before anything else happens to it. 1 where it is none.
  [[nodiscard]] double factor(uint32_t x, uint32_t y, double exposure) const;

 private:
  [[nodiscard]] double log2_luminance(uint32_t x, uint32_t y) const;
  [[nodiscard]] bool is_colour(uint32_t x, uint32_t y) const;

  ToneMapOptions options_;
  uint32_t side_ = 0;
  std::vector<float> rgba_;
};

/// Light of all magnitudes in patches, with gradients and noise: what local exposure is for. `odd`: some texels are
/// NaN, infinite, negative or out of gamut, where the format has that.
void fill_local_scene(const MutableImageView& image, Random& random, bool odd = false);

/// Floats with exposure alone, so that light is what is stored, and a random local exposure.
ToneMapOptions local_options(Extent size, Format source, Random& random);

std::string describe_local(const ToneMapOptions& options);

/// Compares `samples` texels a slice (0: all) of an RGBA32F picture made with kExposure and kLinear with the oracle,
/// each within `tolerance` of its light.
::testing::AssertionResult local_matches(const ToneMapOptions& options, const ImageView& source,
                                         const ImageView& actual, const std::vector<double>& exposures,
                                         double tolerance, Random& random, uint32_t samples = 0);

}  // namespace onepass::testing
