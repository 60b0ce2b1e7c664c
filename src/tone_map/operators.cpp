// operators.cpp: the formulas of the curves of tone operators, of transfers and looks, in double. Each is the published
// one, in a form without cancellation near 0. Matrices of operators are in program.cpp; what mixes the channels of a
// texel (PBR Neutral, hues, the guard rail) is in row_tone.cpp and tone_map.glsl.
//
// api/translate.py writes what stands between "translated" and "end of what is translated" in JavaScript, for the web.
// It knows expressions of doubles, lambdas, switch, if and for, the functions of <cmath>, formula(), and designated
// initialisers, and refuses other text.
#include "tone_map/operators.hpp"

#include <algorithm>
#include <cmath>

#include "onepass/color.hpp"

namespace onepass::tone_map {
namespace {

Formula formula(Function f, double top = kMostLight, std::vector<double> kinks = {}, double foot = 0) {
  return {std::move(f), top, std::move(kinks), foot};
}

// ---- translated

/// (x (a x + b) + g) / (x (c x + d) + e).
Function rational(double a, double b, double c, double d, double e, double g = 0) {
  return [=](double x) { return (x * (a * x + b) + g) / (x * (c * x + d) + e); };
}

/// Hable's curve (x(Ax + CB) + DE) / (x(Ax + B) + DF) - E/F, with one denominator, applied to twice the light and
/// scaled so that white, 11.2, becomes 1.
Formula hable() {
  constexpr double kA = 0.15, kB = 0.50, kC = 0.10, kD = 0.20, kE = 0.02, kF = 0.30, kWhite = 11.2, kBias = 2;
  const double a = kA * (kF - kE), b = kB * (kC * kF - kE), c = kA * kF, d = kB * kF, e = kD * kF * kF;
  const double scale = 1 / rational(a, b, c, d, e)(kWhite);
  return formula(rational(scale * a * kBias * kBias, scale * b * kBias, c * kBias * kBias, d * kBias, e));
}

// ---- AgX

constexpr double kGrey = 0.18;
constexpr double kStopsBelow = 10;    // below grey, where the encoding begins
constexpr double kStops = 16.5;       // from there to where the curve reaches 1
constexpr double kBlenderAbove = 15;  // stops above grey, where Blender's tables end

/// s u / (1 + u^p)^(1/p), u = slope t / s: a line that bends to an asymptote; s is chosen so that t = x gives y.
Function bend(double slope, double x, double y, double p) {
  const double scale = slope * x / std::pow(std::pow(slope * x / y, p) - 1, 1 / p);
  return [=](double t) {
    const double u = slope * t / scale;
    return scale * u / std::pow(1 + std::pow(u, p), 1 / p);
  };
}

/// The distance of `top` from grey divided by the distance of 1, both in stops.
double stretch_to(double top, double grey) { return std::log(top / grey) / std::log(1 / grey); }

/// AgX's sigmoid, whose shoulder ends at `top` instead of 1. The shoulder is stretched from grey on, by the same factor
/// in stops of input and of output, and so keeps its slope at grey. A top of 1 changes no bit.
Function agx_sigmoid(double grey_out, double slope, double toe_power, double shoulder_power, double top) {
  const double pivot = kStopsBelow / kStops;
  const Function toe = bend(slope, pivot, grey_out, toe_power);
  const Function shoulder = bend(slope, 1 - pivot, 1 - grey_out, shoulder_power);
  const double stretch = stretch_to(top, grey_out);
  return [=](double x) {
    if (!(x > 0)) return 0.0;
    const double t = (std::log2(x / kGrey) + kStopsBelow) / kStops - pivot;
    if (t <= -pivot) return 0.0;
    if (t < 0) return std::max(0.0, grey_out - toe(-t));
    return top * std::pow(grey_out + shoulder(t / stretch), stretch);
  };
}

/// A look's power moves the end of the curve: the curve ends at the value that the power maps to the headroom.
Formula agx_blender(const ToneMapOptions& options) {
  const double top = std::pow(operator_headroom(options), 1 / look_of(options.look).power);
  const double encode = 1 / decoding_exponent(ToneOperator::kAgxBlender);
  const double encoded_top = std::pow(top, encode);
  const double grey_out = std::pow(kGrey, encode);
  const double foot = kGrey * std::exp2(-kStopsBelow);
  const double end = kGrey * std::exp2(kBlenderAbove * stretch_to(encoded_top, grey_out));
  return formula(agx_sigmoid(grey_out, 2.4, 1.5, 1.5, encoded_top), std::min(end, kMostLight), {kGrey, foot}, foot);
}

Formula agx_sobotka() {
  const double foot = kGrey * std::exp2(-kStopsBelow);
  return formula(agx_sigmoid(0.5, 2.0, 3.0, 3.25, 1), kGrey * std::exp2(kStops - kStopsBelow), {kGrey, foot}, foot);
}

// ---- Others with logarithms and powers

Formula lottes() {
  constexpr double kA = 1.6, kD = 0.977, kMax = 8, kMidIn = 0.18, kMidOut = 0.267;
  const double max_a = std::pow(kMax, kA), max_ad = std::pow(kMax, kA * kD);
  const double mid_a = std::pow(kMidIn, kA), mid_ad = std::pow(kMidIn, kA * kD);
  const double b = (-mid_a + max_a * kMidOut) / ((max_ad - mid_ad) * kMidOut);
  const double c = (max_ad * mid_a - max_a * mid_ad * kMidOut) / ((max_ad - mid_ad) * kMidOut);
  return formula([=](double x) { return x > 0 ? std::pow(x, kA) / (std::pow(x, kA * kD) * b + c) : 0.0; });
}

Formula uchimura() {
  constexpr double kP = 1, kA = 1, kM = 0.22, kL = 0.4, kC = 1.33, kB = 0;
  constexpr double kLinear = (kP - kM) * kL / kA;
  constexpr double kS0 = kM + kLinear, kS1 = kM + kA * kLinear, kC2 = kA * kP / (kP - kS1);
  const auto f = [=](double x) {
    const double unit = std::clamp(x / kM, 0.0, 1.0);
    const double toe_weight = 1 - unit * unit * (3 - 2 * unit);
    const double shoulder_weight = x < kS0 ? 0 : 1;
    const double toe = kM * std::pow(std::max(x, 0.0) / kM, kC) + kB;
    const double line = kM + kA * (x - kM);
    const double shoulder = kP - (kP - kS1) * std::exp(-kC2 * (x - kS0) / kP);
    return toe * toe_weight + line * (1 - toe_weight - shoulder_weight) + shoulder * shoulder_weight;
  };
  return formula(f, 16, {kS0, kM});  // at 16 it is 1 - 1e-15
}

/// Drago's curve as a factor for channels, a function of luminance.
Formula drago(const DragoOptions& options) {
  const double average = options.average;
  const double most = options.white / average;
  const double exponent = std::log(static_cast<double>(options.bias)) / std::log(0.5);
  const auto f = [=](double luminance) {
    const double y = luminance / average;
    const double base = std::log(2 + 8 * std::pow(y / most, exponent)) * std::log10(most + 1);
    return (y < 1e-12 ? 1 : std::log1p(y) / y) / (base * average);
  };
  return formula(f);
}

/// Reinhard's curve divided by its argument. In units of the headroom it is the curve without headroom.
Formula reinhard_luminance(double white, double headroom) {
  return formula([=](double y) { return (1 + y * headroom / (white * white)) / (1 + y / headroom); });
}

// ---- Transfers

constexpr double kHlgGamma = 1.2;  // system gamma of a display of 1000 cd/m^2

double srgb(double x) { return x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055; }

double pq(double x) {
  constexpr double kM1 = 0.1593017578125, kM2 = 78.84375, kC1 = 0.8359375, kC2 = 18.8515625, kC3 = 18.6875;
  const double y = std::pow(x, kM1);
  return std::pow((kC1 + kC2 * y) / (1 + kC3 * y), kM2);
}

double hlg(double x) {
  constexpr double kA = 0.17883277, kB = 1 - 4 * kA;
  const double c = 0.5 - kA * std::log(4 * kA);
  return x <= 1.0 / 12 ? std::sqrt(3 * x) : kA * std::log(12 * x - kB) + c;
}

}  // namespace

std::optional<Formula> operator_formula(const ToneMapOptions& options) {
  const double white = options.white;
  const double headroom = operator_headroom(options);
  switch (options.tone_operator) {
    case ToneOperator::kExposure:
    case ToneOperator::kPbrNeutral:
      return std::nullopt;
    case ToneOperator::kReinhard:
      return formula([=](double x) { return x / (1 + x / headroom); });
    case ToneOperator::kReinhardExtended:
      return formula([=](double x) { return x / (1 + x / headroom) * (1 + x * headroom / (white * white)); });
    case ToneOperator::kReinhardLuminance:
      return reinhard_luminance(white, headroom);
    case ToneOperator::kHable:
      return hable();
    case ToneOperator::kHejlBurgessDawson: {
      const Function curve = rational(6.2, 0.5, 6.2, 1.7, 0.06);
      return formula([=](double x) { return curve(std::max(0.0, x - 0.004)); }, kMostLight, {0.004});
    }
    case ToneOperator::kAcesNarkowicz: {
      // The curve reaches 1, with a kink, where 0.08 x^2 - 0.56 x = 0.14.
      const double top = (0.56 + std::sqrt(0.56 * 0.56 + 4 * 0.08 * 0.14)) / 0.16;
      return formula(rational(2.51, 0.03, 2.43, 0.59, 0.14), top);
    }
    case ToneOperator::kAcesHill:
      return formula(rational(1, 0.0245786, 0.983729, 0.4329510, 0.238081, -0.000090537));
    case ToneOperator::kAgxSobotka:
      return agx_sobotka();
    case ToneOperator::kAgxBlender:
      return agx_blender(options);
    case ToneOperator::kLottes:
      return lottes();
    case ToneOperator::kUchimura:
      return uchimura();
    case ToneOperator::kDrago:
      return drago(options.drago);
  }
  return std::nullopt;
}

double decoding_exponent(ToneOperator tone_operator) {
  switch (tone_operator) {
    case ToneOperator::kHejlBurgessDawson:
    case ToneOperator::kAgxSobotka:
      return 2.2;
    case ToneOperator::kAgxBlender:
      return 2.4;
    default:
      return 1;
  }
}

Formula power_formula(double exponent, double top) {
  return formula([=](double x) { return x > 0 ? std::pow(x, exponent) : 0.0; }, top);
}

Formula hlg_formula() { return formula(hlg, 1, {1.0 / 12}); }

Formula inverse_ootf_formula(const ToneMapOptions& options) {
  // A display shows E Y^(gamma - 1), in units of its peak. The factor would be infinite at 0; it is constant below
  // about 1e-6 cd/m^2.
  const double unit = double{options.paper_white_nits} / kHlgPeakNits;
  const double top = operator_headroom(options);
  const double foot = std::exp2(std::floor(std::log2(top)) - 30);
  const auto f = [=](double luminance) { return unit * std::pow(std::max(luminance, foot) * unit, 1 / kHlgGamma - 1); };
  return formula(f, top, {foot}, foot);
}

std::optional<Formula> transfer_formula(const ToneMapOptions& options, double decode) {
  const double top = operator_headroom(options);
  const auto decoded = [=](const Function& f, double kink) {
    Formula out = formula([=](double x) { return f(x > 0 ? std::pow(x, decode) : 0.0); }, std::pow(top, 1 / decode));
    if (kink > 0) out.kinks.push_back(std::pow(kink, 1 / decode));
    return out;
  };
  switch (options.transfer) {
    case Transfer::kLinear:
      if (decode == 1) return std::nullopt;
      return power_formula(decode, std::pow(top, 1 / decode));
    case Transfer::kSrgb:
      return decoded(srgb, 0.0031308);
    case Transfer::kGamma: {
      const double gamma = options.gamma == 2.2F ? 2.2 : options.gamma == 2.4F ? 2.4 : options.gamma;
      // Values encoded with this gamma are within 0..1 and stored as they are. Light may be above 1: a curve clips it.
      if (decode == gamma && decode != 1) return std::nullopt;
      return power_formula(decode / gamma);
    }
    case Transfer::kPq: {
      const double white = options.paper_white_nits / 10000.0;
      return decoded([=](double x) { return pq(x * white); }, 0);
    }
    case Transfer::kHlg: {
      const double unit = double{options.paper_white_nits} / kHlgPeakNits;
      return decoded([=](double x) { return hlg(std::pow(x * unit, 1 / kHlgGamma)); },
                     std::pow(1.0 / 12, kHlgGamma) / unit);
    }
  }
  return std::nullopt;
}

Formula compose(const Formula& a, const Formula& b) {
  // x with a(x) == value, by bisection; 0 if there is none
  const auto argument_for = [&](double value) {
    double low = 0;
    double high = a.top;
    if (a.f(high) < value || a.f(low) > value) return 0.0;
    for (int i = 0; i < 200; ++i) {
      const double middle = (low + high) / 2;
      if (a.f(middle) < value) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  };
  Formula out = formula([=](double x) { return b.f(std::max(0.0, a.f(x))); }, a.top, {}, a.foot);
  for (const double kink : b.kinks) {
    const double x = argument_for(kink);
    if (x > 0) out.kinks.push_back(x);
  }
  for (const double kink : a.kinks) out.kinks.push_back(kink);
  const double x = argument_for(b.top);
  if (x > 0) out.top = std::min(out.top, x);
  return out;
}

Look look_of(AgxLook look) {
  switch (look) {
    case AgxLook::kGolden:
      return Look{.slope = {1, 0.9, 0.5}, .power = 0.8, .saturation = 1.3};
    case AgxLook::kPunchy:
      return Look{.slope = {1, 1, 1}, .power = 1.35, .saturation = 1.4};
    case AgxLook::kNone:
      break;
  }
  return Look{.slope = {1, 1, 1}, .power = 1, .saturation = 1};
}

// ---- end of what is translated

double operator_headroom(const ToneMapOptions& options) {
  return uses_headroom(options.tone_operator) ? headroom_of(options) : 1;
}

// ---- Matrices

Matrix rec2020_from_rec709() {
  const auto matrix = conversion_matrix(kRec709Chromaticities, kRec2020Chromaticities);
  ONEPASS_ASSERT(matrix.ok());
  return *matrix;
}

}  // namespace onepass::tone_map
