// local_exposure_oracle.hpp: local exposure in double precision, from its definition: every texel's base is a weighted
// mean over all texels of the slice. No grid; of the library only conversions of formats are used.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "onepass/tone_map.hpp"
#include "tests/pyramid/pyramid_testing.hpp"

namespace onepass::testing {

/// One slice, decoded once.
class LocalOracle {
 public:
  LocalOracle(const ToneMapOptions& options, const ImageView& source, uint32_t slice);

  /// Side of a region, in texels.
  [[nodiscard]] uint32_t side() const { return side_; }
  /// The linear source colour, RGBA.
  [[nodiscard]] const float* texel(uint32_t x, uint32_t y) const;
  /// Mean log2 luminance of the texels that are near in position and in luminance.
  [[nodiscard]] double base(uint32_t x, uint32_t y) const;
  /// The factor that multiplies a texel's colour before all other steps. 1 where the colour is not finite.
  [[nodiscard]] double factor(uint32_t x, uint32_t y, double exposure) const;

 private:
  [[nodiscard]] double log2_luminance(uint32_t x, uint32_t y) const;
  [[nodiscard]] bool is_colour(uint32_t x, uint32_t y) const;

  ToneMapOptions options_;
  uint32_t side_ = 0;
  std::vector<float> rgba_;
};

/// Fills with patches of light of all magnitudes, with gradients and noise. `odd`: some texels are NaN, infinite,
/// negative or out of gamut, if the format has such values.
void fill_local_scene(const MutableImageView& image, Random& random, bool odd = false);

/// Options with a random local exposure and no tone curve, so that targets (RGBA32F) store light.
ToneMapOptions local_options(Extent size, Format source, Random& random);

std::string describe_local(const ToneMapOptions& options);

/// Compares `samples` texels per slice (0: all) of an RGBA32F picture, made with kExposure and kLinear, with the
/// oracle. `tolerance` is relative.
::testing::AssertionResult local_matches(const ToneMapOptions& options, const ImageView& source,
                                         const ImageView& actual, const std::vector<double>& exposures,
                                         double tolerance, Random& random, uint32_t samples = 0);

}  // namespace onepass::testing
