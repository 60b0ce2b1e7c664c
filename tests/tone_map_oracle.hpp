// tone_map_oracle.hpp: what a tone map must be, in double precision and straight from the published definitions. Shares
// no code with the library. For tests of every engine and for the tables of docs/tone_map.md.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "onepass/tone_map.hpp"
#include "pyramid_testing.hpp"

namespace onepass::testing {

using Rgb = std::array<double, 3>;

/// The operator alone: exposed light to display light, or to what is encoded for a display (Hejl-Burgess-Dawson, AgX:
/// gamma 2.2; Blender's AgX: 2.4), with the look; not clipped where the definition does not.
Rgb oracle_operator(const ToneMapOptions& options, const Rgb& light);

/// The most display light of an operator for a target, 1 being reference white: the display's peak over paper white for
/// PQ and HLG, or what linear targets are given, of operators with a form for that; 1 of the others.
double oracle_headroom(const ToneMapOptions& options);

/// The exponent that makes light of that.
double oracle_decode_exponent(ToneOperator tone_operator);

/// Display light to the scene light that HLG stores: what a display of 1000 cd/m^2 with the OOTF of BT.2100, system
/// gamma 1.2, shows as the same light, in the target's primaries.
Rgb oracle_scene_light(const ToneMapOptions& options, const Rgb& display);

/// One value of light in 0..1, of PQ in 0..oracle_headroom(), of HLG scene light, to what is stored.
double oracle_transfer(const ToneMapOptions& options, double light);

/// Everything from the source's light to what is stored, before it is rounded to a format. Policies for NaN and the
/// like included.
Rgb oracle_tone_map(const ToneMapOptions& options, const Rgb& light, double exposure = 1);

/// How far a value that should be stored as oracle_tone_map() says is off, of max(1, |value|). Gamma, PQ and HLG are so
/// steep at black that what light 1e-6 away would give counts as right: 1e-5 for Blender's AgX, whose matrices and
/// guard rail make errors of light larger.
double oracle_error(const ToneMapOptions& options, double expected, double actual);

/// What dithering adds at a texel, in codes.
double oracle_dither(uint32_t x, uint32_t y);

/// "kReinhard srgb rec709", for messages.
std::string describe(const ToneMapOptions& options);

inline constexpr std::array<ToneOperator, 14> kAllOperators = {
    ToneOperator::kExposure,          ToneOperator::kReinhard,   ToneOperator::kReinhardExtended,
    ToneOperator::kReinhardLuminance, ToneOperator::kHable,      ToneOperator::kHejlBurgessDawson,
    ToneOperator::kAcesNarkowicz,     ToneOperator::kAcesHill,   ToneOperator::kAgxSobotka,
    ToneOperator::kAgxBlender,        ToneOperator::kPbrNeutral, ToneOperator::kLottes,
    ToneOperator::kUchimura,          ToneOperator::kDrago};
inline constexpr std::array<Transfer, 5> kAllTransfers = {Transfer::kLinear, Transfer::kSrgb, Transfer::kGamma,
                                                          Transfer::kPq, Transfer::kHlg};
const char* name_of(ToneOperator tone_operator);

/// Options at the ends of what operators and transfers take: a gamma of 1, Drago's curve from shallow to steep, light
/// that is mapped above 1 and above what halves hold, with and without a matrix. Of rgba32_sfloat sources of
/// kSaturatedSize.
std::vector<ToneMapOptions> extreme_options();

/// Every mix of primaries, in 200 levels from 1e-6 to 65504.
inline constexpr Extent kSaturatedSize{200, 7};
PaddedImage saturated_light();

/// Compares an image with the oracle texel by texel: float targets within `tolerance` (of max(1, |value|)), half
/// targets within that and half a step, UNORM targets within that and half a code.
::testing::AssertionResult tones_match(const ToneMapOptions& options, const ImageView& source, const ImageView& actual,
                                       double tolerance, double exposure = 1);

}  // namespace onepass::testing
