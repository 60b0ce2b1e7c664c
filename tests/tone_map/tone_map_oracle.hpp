// tone_map_oracle.hpp: oracle of tone maps for tests of every engine and for the tables of docs/tone_map.md, in double
// precision, from the published definitions. Shares no code with the library.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "onepass/tone_map.hpp"
#include "tests/pyramid/pyramid_testing.hpp"
#include "tests/support/enumerators.hpp"

namespace onepass::testing {

using Rgb = std::array<double, 3>;

/// The operator alone, with the look: exposed light to display light, or to encoded values (Hejl-Burgess-Dawson, AgX:
/// gamma 2.2; Blender's AgX: 2.4). Clips only where the definition clips.
Rgb oracle_operator(const ToneMapOptions& options, const Rgb& light);

/// The largest display light of an operator for a target, with reference white at 1. Operators with headroom: the
/// display's peak over paper white for PQ and HLG, options.headroom for linear targets. Otherwise 1.
double oracle_headroom(const ToneMapOptions& options);

/// The exponent that converts the result of oracle_operator() to light.
double oracle_decode_exponent(ToneOperator tone_operator);

/// Display light to the scene light that HLG stores, in the target's primaries: the inverse of the OOTF of BT.2100 for
/// a display of 1000 cd/m^2, system gamma 1.2.
Rgb oracle_scene_light(const ToneMapOptions& options, const Rgb& display);

/// One channel of light to its stored value. Light is in 0..1, for PQ in 0..oracle_headroom(), for HLG scene light.
double oracle_transfer(const ToneMapOptions& options, double light);

/// All steps from the source's light to the stored value before rounding to a format, with the rules for NaN and Inf.
Rgb oracle_tone_map(const ToneMapOptions& options, const Rgb& light, double exposure = 1);

/// A texel's light and the exact value to store for it.
struct ExactTexel {
  Rgb light;
  double exposure;
  Rgb stored;
};
ExactTexel exact_texel(const ToneMapOptions& options, const Rgb& light, double exposure = 1);

/// The error of a channel's stored value, relative to max(1, |value|). Gamma, PQ and HLG are steep at black, so the
/// stored values of all light within 1e-6 count as right: within 1e-5 for Blender's AgX, whose matrices and guard rail
/// enlarge errors of light. The looks of Blender's AgX are steep at black too, and mix channels after that: the results
/// of all light in front of a look within kNearLook count as right.
double oracle_error(const ToneMapOptions& options, const ExactTexel& exact, size_t channel, double actual);
inline constexpr double kNearLook = 4e-7;

/// The value that dithering adds at a texel, in quantised steps.
double oracle_dither(uint32_t x, uint32_t y);

/// "37x23 slices 1 r32_sfloat > r8_unorm reinhard srgb rec709", for messages.
std::string describe(const ToneMapOptions& options);

inline constexpr auto kAllOperators = all_enumerators<ToneOperator>();
inline constexpr auto kAllTransfers = all_enumerators<Transfer>();

/// Options at the limits of operators and transfers: a gamma of 1, Drago's curve from shallow to steep, results above 1
/// and above the largest half, with and without a matrix. Sources are rgba32_sfloat of kSaturatedSize.
std::vector<ToneMapOptions> extreme_options();

/// Light of all magnitudes, if the format is a float; else any texels.
PaddedImage light_of(Format format, Extent size, uint32_t slices, Random& random);

/// Every mix of primaries, in 200 levels from 1e-6 to 65504.
inline constexpr Extent kSaturatedSize{200, 7};
PaddedImage saturated_light();

/// Lights that have a channel near 0 in front of a look of Blender's AgX, where the look is steep.
inline constexpr Extent kSteepSize{121, 8};
PaddedImage steep_light();
/// Both looks of Blender's AgX, for light and sRGB, with both primaries.
std::vector<ToneMapOptions> look_options();

/// Compares an image with the oracle texel by texel: float targets within `tolerance`, relative to max(1, |value|),
/// half and UNORM targets within that plus half a step.
::testing::AssertionResult tones_match(const ToneMapOptions& options, const ImageView& source, const ImageView& actual,
                                       double tolerance, double exposure = 1);

}  // namespace onepass::testing
