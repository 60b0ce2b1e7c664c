// operators.hpp: the formulas of tone operators and transfers, in double. See docs/tone_map.md for where they are from.
#pragma once

#include <optional>
#include <vector>

#include "onepass/tone_map.hpp"
#include "tone_map/program.hpp"

namespace onepass::tone_map {

/// A function of 0..top that goes on smoothly beyond, where arguments are clipped, with the arguments at which its
/// derivatives jump.
struct Formula {
  Function f;
  double top = kMostLight;
  std::vector<double> kinks;
  double foot = 0;  ///< It is constant up to this.
};

/// The curve of an operator that has one: of channels, or for Mix::kLuminance the factor for a luminance. AgX
/// and Hejl's give encoded values: with headroom above 1. Empty where there is none.
std::optional<Formula> operator_formula(const ToneMapOptions& options);

/// The exponent that makes light of what an operator gives: 1, or 2.2 or 2.4 where that is for a display.
double decoding_exponent(ToneOperator tone_operator);

/// headroom_of(), or 1 for operators without: the display light that transfers clip at.
double operator_headroom(const ToneMapOptions& options);

/// From display light in 0..operator_headroom(), which was encoded with a power before: `decode` is its exponent. Empty
/// where nothing is left to do. Of HLG, which mixes channels, that of greys.
std::optional<Formula> transfer_formula(const ToneMapOptions& options, double decode);

/// HLG's OETF: scene light in 0..1 to a signal.
Formula hlg_formula();
/// HLG's inverse OOTF: what channels are multiplied by to become scene light, of display luminance.
Formula inverse_ootf_formula(const ToneMapOptions& options);

/// x to `exponent`, of 0..top.
Formula power_formula(double exponent, double top = 1);

/// b(a(x)): its kinks are those of `a` and where a(x) is one of b's. a(x) must rise.
Formula compose(const Formula& a, const Formula& b);

struct Look {
  std::array<double, 3> slope{1, 1, 1};
  double power = 1;
  double saturation = 1;
};
Look look_of(AgxLook look);

Matrix multiply(const Matrix& a, const Matrix& b);
Matrix inverse(const Matrix& m);
/// Linear light of Rec.709 to that of Rec.2020, from the chromaticities of their primaries and D65.
Matrix rec2020_from_rec709();

}  // namespace onepass::tone_map
