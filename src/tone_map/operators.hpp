// operators.hpp: the formulas of tone operators and transfers, in double. docs/tone_map.md names their sources.
#pragma once

#include <optional>
#include <vector>

#include "onepass/tone_map.hpp"
#include "tone_map/program.hpp"

namespace onepass::tone_map {

/// A function of 0..top. Arguments above `top` are clipped; `f` must stay smooth there.
struct Formula {
  Function f;
  double top = kMostLight;
  std::vector<double> kinks;  ///< Arguments at which derivatives jump.
  double foot = 0;            ///< `f` is constant up to this argument.
};

/// The curve of an operator: of channels, or for Mix::kLuminance a factor as a function of luminance. AgX and Hejl give
/// encoded values, with headroom above 1. Empty if the operator has no curve.
std::optional<Formula> operator_formula(const ToneMapOptions& options);

/// The exponent that decodes an operator's values to light: 2.2 or 2.4 if they are encoded for a display, else 1.
double decoding_exponent(ToneOperator tone_operator);

/// The display light at which transfers clip: headroom_of(), or 1 for operators without headroom.
double operator_headroom(const ToneMapOptions& options);

/// The transfer of display light in 0..operator_headroom(). The argument to the power `decode` is the light. Empty if
/// nothing is left to do. HLG mixes channels; its formula is that of greys.
std::optional<Formula> transfer_formula(const ToneMapOptions& options, double decode);

/// HLG's OETF: scene light in 0..1 to a signal.
Formula hlg_formula();
/// HLG's inverse OOTF: the factor from display light to scene light, as a function of display luminance.
Formula inverse_ootf_formula(const ToneMapOptions& options);

/// x to the power `exponent`, for x in 0..top.
Formula power_formula(double exponent, double top = 1);

/// b(a(x)). Its kinks are those of `a`, and the arguments at which a(x) is a kink of `b`. `a` must be increasing.
Formula compose(const Formula& a, const Formula& b);

struct Look {
  std::array<double, 3> slope{1, 1, 1};
  double power = 1;
  double saturation = 1;
};
Look look_of(AgxLook look);

/// Linear light of Rec.709 to that of Rec.2020, from the chromaticities of their primaries and D65.
Matrix rec2020_from_rec709();

}  // namespace onepass::tone_map
