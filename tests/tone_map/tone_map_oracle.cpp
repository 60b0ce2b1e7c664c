// tone_map_oracle.cpp: each operator from its publication, named beside it, with matrices at full precision; then
// exposure, gamut, transfer function and the error that the engines' floats may have.
#include "tests/tone_map/tone_map_oracle.hpp"

#include <algorithm>
#include <cmath>

namespace onepass::testing {
namespace {

double clip01(double x) { return std::clamp(x, 0.0, 1.0); }
Rgb map(const Rgb& c, double (*f)(double)) { return {f(c[0]), f(c[1]), f(c[2])}; }
double luminance(const Rgb& c) { return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; }

Rgb transform(const double (&m)[3][3], const Rgb& c) {
  Rgb out{};
  for (int i = 0; i < 3; ++i) out[i] = m[i][0] * c[0] + m[i][1] * c[1] + m[i][2] * c[2];
  return out;
}

/// Solves m out = c.
Rgb solve(const double (&m)[3][3], Rgb c) {
  double a[3][4];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) a[i][j] = m[i][j];
    a[i][3] = c[i];
  }
  for (int i = 0; i < 3; ++i) {  // diagonally dominant: no pivoting
    for (int k = 0; k < 3; ++k) {
      if (k == i) continue;
      const double factor = a[k][i] / a[i][i];
      for (int j = 0; j < 4; ++j) a[k][j] -= factor * a[i][j];
    }
  }
  return {a[0][3] / a[0][0], a[1][3] / a[1][1], a[2][3] / a[2][2]};
}

// BT.2087, at full precision.
constexpr double kTo2020[3][3] = {{0.627403895934699, 0.329283038377884, 0.043313065687417},
                                  {0.069097289358232, 0.919540395075459, 0.011362315566309},
                                  {0.016391438875150, 0.088013307877226, 0.895595253247624}};

// ---- Per channel, as published

double hable_partial(double x) {
  const double a = 0.15, b = 0.50, c = 0.10, d = 0.20, e = 0.02, f = 0.30;
  return (x * (a * x + c * b) + d * e) / (x * (a * x + b) + d * f) - e / f;
}
double hable(double x) { return hable_partial(2 * x) / hable_partial(11.2); }

double hejl(double v) {
  const double x = std::max(0.0, v - 0.004);
  return (x * (6.2 * x + 0.5)) / (x * (6.2 * x + 1.7) + 0.06);
}

double narkowicz(double x) { return clip01((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14)); }

double lottes(double x) {
  const double a = 1.6, d = 0.977, hdr_max = 8.0, mid_in = 0.18, mid_out = 0.267;
  const double divisor = (std::pow(hdr_max, a * d) - std::pow(mid_in, a * d)) * mid_out;
  const double b = (-std::pow(mid_in, a) + std::pow(hdr_max, a) * mid_out) / divisor;
  const double c =
      (std::pow(hdr_max, a * d) * std::pow(mid_in, a) - std::pow(hdr_max, a) * std::pow(mid_in, a * d) * mid_out) /
      divisor;
  return std::pow(x, a) / (std::pow(x, a * d) * b + c);
}

double uchimura(double x) {
  const double p = 1, a = 1, m = 0.22, l = 0.4, c = 1.33, b = 0;
  const double l0 = (p - m) * l / a;
  const double s0 = m + l0;
  const double s1 = m + a * l0;
  const double c2 = a * p / (p - s1);
  const double u = clip01(x / m);
  const double w0 = 1 - u * u * (3 - 2 * u);
  const double w2 = x < m + l0 ? 0 : 1;
  const double w1 = 1 - w0 - w2;
  const double toe = m * std::pow(x / m, c) + b;
  const double shoulder = p - (p - s1) * std::exp(-c2 * (x - s0) / p);
  const double linear = m + a * (x - m);
  return toe * w0 + linear * w1 + shoulder * w2;
}

// ---- AgX

double sigmoid(double x, double pivot_y, double slope, double toe_power, double shoulder_power) {
  const double pivot_x = 10 / 16.5;
  const bool shoulder = x >= pivot_x;
  const double power = shoulder ? shoulder_power : toe_power;
  const double limit_x = shoulder ? 1 - pivot_x : pivot_x;
  const double limit_y = shoulder ? 1 - pivot_y : pivot_y;
  double scale =
      std::pow(std::pow(slope * limit_x, -power) * (std::pow(slope * limit_x / limit_y, power) - 1), -1 / power);
  if (!shoulder) scale = -scale;
  const double term = slope * (x - pivot_x) / scale;
  return scale * term / std::pow(1 + std::pow(term, power), 1 / power) + pivot_y;
}

double agx_log(double x, double top) { return x > 0 ? std::clamp((std::log2(x / 0.18) + 10) / 16.5, 0.0, top) : 0.0; }

/// ASC CDL: slope, power, then saturation about Rec.709 luma, clipped to 0..top.
Rgb look(AgxLook which, const Rgb& c, double top) {
  if (which == AgxLook::kNone) return c;
  const bool golden = which == AgxLook::kGolden;
  const Rgb slope = golden ? Rgb{1, 0.9, 0.5} : Rgb{1, 1, 1};
  const double power = golden ? 0.8 : 1.35;
  const double saturation = golden ? 1.3 : 1.4;
  Rgb out{};
  for (int i = 0; i < 3; ++i) out[i] = std::pow(std::max(0.0, c[i] * slope[i]), power);
  const double luma = luminance(out);
  for (double& v : out) v = std::clamp(luma + saturation * (v - luma), 0.0, top);
  return out;
}

Rgb agx_sobotka(const ToneMapOptions& options, const Rgb& light) {
  static constexpr double kInset[3][3] = {{0.842479062253094, 0.0784335999999992, 0.0792237451477643},
                                          {0.0423282422610123, 0.878468636469772, 0.0791661274605434},
                                          {0.0423756549057051, 0.0784336, 0.879142973793104}};
  Rgb c = transform(kInset, light);
  for (double& v : c) v = sigmoid(agx_log(v, 1), 0.5, 2.0, 3.0, 3.25);
  return look(options.look, c, 1);
}

struct Hsv {
  double h, s, v;
};

Hsv to_hsv(const Rgb& c) {
  const double most = std::max({c[0], c[1], c[2]});
  const double range = most - std::min({c[0], c[1], c[2]});
  if (range == 0) return {0, 0, most};
  double h = 0;
  if (most == c[0]) {
    h = (c[1] - c[2]) / range;
  } else if (most == c[1]) {
    h = 2 + (c[2] - c[0]) / range;
  } else {
    h = 4 + (c[0] - c[1]) / range;
  }
  h /= 6;
  return {h - std::floor(h), range / most, most};
}

Rgb from_hsv(const Hsv& hsv) {
  Rgb out{};
  const double offsets[3] = {0.0, 2.0 / 3, 1.0 / 3};
  for (int i = 0; i < 3; ++i) {
    const double turn = hsv.h + offsets[i] - std::floor(hsv.h + offsets[i]);
    const double amount = std::clamp(std::fabs(6 * turn - 3) - 1, 0.0, 1.0);
    out[i] = hsv.v * (1 - hsv.s + hsv.s * amount);
  }
  return out;
}

double dot(const Rgb& a, const Rgb& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// Blender's lower guard rail for sRGB.
Rgb guard_rail(const Rgb& rgb) {
  const Rgb weights = {0.2589235355689848, 0.6104985346066525, 0.13057792982436284};
  const auto compensated = [&](const Rgb& c) {
    const double y = dot(transform(kTo2020, c), weights);
    const double most = std::max({c[0], c[1], c[2]});
    const Rgb opponent = {most - c[0], most - c[1], most - c[2]};
    const double most_opponent = std::max({opponent[0], opponent[1], opponent[2]});
    const double compensation = most_opponent - dot(transform(kTo2020, opponent), weights) + y;
    const double share = clip01(std::pow(std::max(y, 0.0), 0.08));
    return compensation + share * (y - compensation);
  };
  const double offset = std::max(0.0, -std::min({rgb[0], rgb[1], rgb[2]}));
  const Rgb moved = {rgb[0] + offset, rgb[1] + offset, rgb[2] + offset};
  const double before = compensated(rgb);
  const double after = compensated(moved);
  const double ratio = after > before ? before / std::max(after, 1e-100) : 1;
  return {ratio * moved[0], ratio * moved[1], ratio * moved[2]};
}

/// Blender's curve, from light to light.
double blender_curve(double x) {
  return std::pow(sigmoid(agx_log(x, 25 / 16.5), std::pow(0.18, 1 / 2.4), 2.4, 1.5, 1.5), 2.4);
}

/// The curve that ends at `top`: blender_curve() with the stops above grey stretched, of input and output alike.
double blender_curve_to(double top, double x) {
  const double stretch = std::log2(top / 0.18) / std::log2(1 / 0.18);
  if (x <= 0.18) return blender_curve(x);
  const double squeezed = 0.18 * std::exp2(std::log2(x / 0.18) / stretch);
  return 0.18 * std::exp2(std::log2(blender_curve(squeezed) / 0.18) * stretch);
}

/// The largest light in front of a look, which maps it to the headroom.
double blender_top(const ToneMapOptions& options) {
  const double power = options.look == AgxLook::kGolden ? 0.8 : options.look == AgxLook::kPunchy ? 1.35 : 1;
  return std::pow(oracle_headroom(options), 1 / power);
}

/// Blender's AgX up to its look: light in the target's primaries.
Rgb agx_blender_light(const ToneMapOptions& options, const Rgb& light) {
  static constexpr double kInset[3][3] = {{0.856627153315983, 0.0951212405381588, 0.0482516061458583},
                                          {0.137318972929847, 0.761241990602591, 0.101439036467562},
                                          {0.11189821299995, 0.0767994186031903, 0.811302368396859}};
  static constexpr double kOutsetInverse[3][3] = {{0.899796955911611, 0.0871996192028351, 0.013003424885555},
                                                  {0.11142098895748, 0.875575586156966, 0.0130034248855548},
                                                  {0.11142098895748, 0.0871996192028349, 0.801379391839686}};
  Rgb c = transform(kInset, transform(kTo2020, light));
  const Hsv before = to_hsv(c);
  const double top = blender_top(options);
  for (double& v : c) v = blender_curve_to(top, v);
  Hsv after = to_hsv(c);
  double turn = after.h - before.h;
  if (turn > 0.5) turn -= 1;
  if (turn < -0.5) turn += 1;
  const double h = before.h + 0.4 * turn;
  after.h = h - std::floor(h);
  c = solve(kOutsetInverse, from_hsv(after));
  if (options.primaries == Primaries::kRec709) c = guard_rail(solve(kTo2020, c));
  for (double& v : c) v = std::clamp(v, 0.0, top);
  return c;
}

/// The look of Blender's AgX, from light to encoded values.
Rgb agx_blender_look(const ToneMapOptions& options, Rgb light) {
  for (double& v : light) v = std::pow(v, 1 / 2.4);
  return look(options.look, light, std::pow(oracle_headroom(options), 1 / 2.4));
}

// ---- Others

Rgb aces_hill(const Rgb& light) {
  static constexpr double kIn[3][3] = {
      {0.59719, 0.35458, 0.04823}, {0.07600, 0.90834, 0.01566}, {0.02840, 0.13383, 0.83777}};
  static constexpr double kOut[3][3] = {
      {1.60475, -0.53108, -0.07367}, {-0.10208, 1.10813, -0.00605}, {-0.00327, -0.07276, 1.07602}};
  Rgb c = transform(kIn, light);
  for (double& v : c) v = (v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.4329510) + 0.238081);
  return map(transform(kOut, c), clip01);
}

Rgb pbr_neutral(Rgb c) {
  const double start = 0.8 - 0.04;
  const double desaturation = 0.15;
  const double least = std::min({c[0], c[1], c[2]});
  const double offset = least < 0.08 ? least - 6.25 * least * least : 0.04;
  for (double& v : c) v -= offset;
  const double peak = std::max({c[0], c[1], c[2]});
  if (peak < start) return c;
  const double d = 1 - start;
  const double new_peak = 1 - d * d / (peak + d - start);
  for (double& v : c) v *= new_peak / peak;
  const double g = 1 - 1 / (desaturation * (peak - new_peak) + 1);
  for (double& v : c) v = v * (1 - g) + new_peak * g;
  return c;
}

Rgb by_luminance(const Rgb& c, double mapped) {
  const double y = luminance(c);
  if (y == 0) return {0, 0, 0};
  return {c[0] * mapped / y, c[1] * mapped / y, c[2] * mapped / y};
}

double drago(const DragoOptions& options, double luminance_in) {
  const double y = luminance_in / options.average;
  const double most = options.white / static_cast<double>(options.average);
  const double exponent = std::log(static_cast<double>(options.bias)) / std::log(0.5);
  return std::log(y + 1) / (std::log(2 + 8 * std::pow(y / most, exponent)) * std::log10(most + 1));
}

/// Reinhard's curves in units of `top`, the largest result. Without `white` it is infinite.
double reinhard(double x, double top, double white = INFINITY) {
  const double unit = x / top;
  const double unit_white = white / top;
  return top * unit * (1 + unit / (unit_white * unit_white)) / (1 + unit);
}

}  // namespace

double oracle_headroom(const ToneMapOptions& options) {
  switch (options.tone_operator) {
    case ToneOperator::kExposure:
    case ToneOperator::kReinhard:
    case ToneOperator::kReinhardExtended:
    case ToneOperator::kReinhardLuminance:
    case ToneOperator::kAgxBlender:
      break;
    default:
      return 1;
  }
  const double paper_white = options.paper_white_nits;
  if (options.transfer == Transfer::kPq) return options.peak_nits / paper_white;
  if (options.transfer == Transfer::kHlg) return 1000 / paper_white;
  return options.transfer == Transfer::kLinear ? options.headroom : 1;
}

Rgb oracle_operator(const ToneMapOptions& options, const Rgb& light) {
  const double white = options.white;
  const double headroom = oracle_headroom(options);
  const double y = luminance(light);
  switch (options.tone_operator) {
    case ToneOperator::kExposure:
      return light;
    case ToneOperator::kReinhard:
    case ToneOperator::kReinhardExtended: {
      Rgb out = light;
      const bool ends = options.tone_operator == ToneOperator::kReinhardExtended;
      for (double& x : out) x = reinhard(x, headroom, ends ? white : INFINITY);
      return out;
    }
    case ToneOperator::kReinhardLuminance:
      return by_luminance(light, reinhard(y, headroom, white));
    case ToneOperator::kHable:
      return map(light, hable);
    case ToneOperator::kHejlBurgessDawson:
      return map(light, hejl);
    case ToneOperator::kAcesNarkowicz:
      return map(light, narkowicz);
    case ToneOperator::kAcesHill:
      return aces_hill(light);
    case ToneOperator::kAgxSobotka:
      return agx_sobotka(options, light);
    case ToneOperator::kAgxBlender:
      return agx_blender_look(options, agx_blender_light(options, light));
    case ToneOperator::kPbrNeutral:
      return pbr_neutral(light);
    case ToneOperator::kLottes:
      return map(light, lottes);
    case ToneOperator::kUchimura:
      return map(light, uchimura);
    case ToneOperator::kDrago:
      return by_luminance(light, drago(options.drago, y));
  }
  return {};
}

double oracle_decode_exponent(ToneOperator tone_operator) {
  if (tone_operator == ToneOperator::kAgxBlender) return 2.4;
  return tone_operator == ToneOperator::kAgxSobotka || tone_operator == ToneOperator::kHejlBurgessDawson ? 2.2 : 1;
}

double oracle_transfer(const ToneMapOptions& options, double light) {
  if (options.transfer == Transfer::kLinear) return light;
  const double x = std::clamp(light, 0.0, options.transfer == Transfer::kPq ? oracle_headroom(options) : 1.0);
  switch (options.transfer) {
    case Transfer::kSrgb:
      return x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
    case Transfer::kGamma:
      return std::pow(x, 1.0 / options.gamma);
    case Transfer::kPq: {
      const double m1 = 2610.0 / 16384, m2 = 2523.0 / 4096 * 128, c1 = 3424.0 / 4096, c2 = 2413.0 / 4096 * 32,
                   c3 = 2392.0 / 4096 * 32;
      const double y = std::pow(x * options.paper_white_nits / 10000, m1);
      return std::pow((c1 + c2 * y) / (1 + c3 * y), m2);
    }
    default: {
      const double a = 0.17883277, b = 1 - 4 * a, c = 0.5 - a * std::log(4 * a);
      return x <= 1.0 / 12 ? std::sqrt(3 * x) : a * std::log(12 * x - b) + c;
    }
  }
}

Rgb oracle_scene_light(const ToneMapOptions& options, const Rgb& display) {
  const Rgb weights =
      options.primaries == Primaries::kRec2020 ? Rgb{0.2627, 0.6780, 0.0593} : Rgb{0.2126, 0.7152, 0.0722};
  Rgb shown{};  // relative to the display's peak
  for (int i = 0; i < 3; ++i) {
    shown[i] = std::clamp(display[i], 0.0, oracle_headroom(options)) * options.paper_white_nits / 1000;
  }
  const double y = dot(shown, weights);  // scene luminance to the power 1.2
  if (y == 0) return {0, 0, 0};
  const double system_gain = std::pow(std::pow(y, 1 / 1.2), 1.2 - 1);
  return {shown[0] / system_gain, shown[1] / system_gain, shown[2] / system_gain};
}

namespace {

Rgb exposed(const ToneMapOptions& options, const Rgb& light, double exposure) {
  Rgb c{};
  for (int i = 0; i < 3; ++i) {
    const double v = light[i] * exposure * options.exposure;
    c[i] = v > 0 ? std::min(v, 65504.0) : 0.0;
  }
  return c;
}

/// The steps after an operator: from its result to the stored value.
Rgb stored_value(const ToneMapOptions& options, Rgb c) {
  const double exponent = oracle_decode_exponent(options.tone_operator);
  for (double& v : c) v = exponent == 1 ? v : std::pow(std::max(v, 0.0), exponent);
  const bool wide_already = options.tone_operator == ToneOperator::kAgxBlender;
  if (options.primaries == Primaries::kRec2020 && !wide_already) c = transform(kTo2020, c);
  if (options.transfer == Transfer::kHlg) c = oracle_scene_light(options, c);
  for (double& v : c) v = oracle_transfer(options, v);
  return c;
}

/// The error of a channel against its exact value, as described for oracle_error(), without the rule for looks.
double channel_error(const ToneMapOptions& options, double expected, double actual) {
  if (std::isnan(actual)) return INFINITY;
  const double error = std::fabs(actual - expected) / std::max(1.0, std::fabs(expected));
  if (error < 1e-6 || options.transfer == Transfer::kLinear || options.transfer == Transfer::kSrgb) return error;
  const double near = options.tone_operator == ToneOperator::kAgxBlender ? 1e-5 : 1e-6;  // of light
  double low = 0;  // bisection for the light whose stored value is `expected`
  double high = options.transfer == Transfer::kPq ? oracle_headroom(options) : 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (oracle_transfer(options, middle) < expected ? low : high) = middle;
  }
  const double least = oracle_transfer(options, std::max(0.0, high - near));
  const double most = oracle_transfer(options, high + near);
  return std::max({0.0, least - actual, actual - most});
}

}  // namespace

Rgb oracle_tone_map(const ToneMapOptions& options, const Rgb& light, double exposure) {
  return stored_value(options, oracle_operator(options, exposed(options, light, exposure)));
}

ExactTexel exact_texel(const ToneMapOptions& options, const Rgb& light, double exposure) {
  return {light, exposure, oracle_tone_map(options, light, exposure)};
}

double oracle_error(const ToneMapOptions& options, const ExactTexel& exact, size_t channel, double actual) {
  const double expected = exact.stored[channel];
  const double error = channel_error(options, expected, actual);
  const bool has_look = options.tone_operator == ToneOperator::kAgxBlender && options.look != AgxLook::kNone;
  if (!has_look || error < 1e-6) return error;
  const Rgb light = agx_blender_light(options, exposed(options, exact.light, exact.exposure));
  double least = expected;
  double most = expected;
  for (unsigned corner = 0; corner < 8; ++corner) {
    Rgb moved = light;
    for (unsigned c = 0; c < 3; ++c) {
      const double by = (corner >> c & 1) != 0 ? kNearLook : -kNearLook;
      moved[c] = std::clamp(light[c] + by, 0.0, blender_top(options));
    }
    const double value = stored_value(options, agx_blender_look(options, moved))[channel];
    least = std::min(least, value);
    most = std::max(most, value);
  }
  return channel_error(options, std::clamp(actual, least, most), actual);
}

double oracle_dither(uint32_t x, uint32_t y) {
  // The plastic number p, p^3 = p + 1; steps of 1/p and 1/p^2, rounded down to 32 bits.
  const uint64_t phase = (uint64_t{x} * 3242174889ULL + uint64_t{y} * 2447445413ULL) % (uint64_t{1} << 32);
  const double unit = static_cast<double>(phase >> 8) / (1 << 24);
  const double triangle = unit < 0.5 ? 2 * unit : 2 - 2 * unit;
  return (triangle - 0.5) * (1 - 0x1p-15);
}

std::string describe(const ToneMapOptions& options) {
  return std::to_string(options.size.width) + "x" + std::to_string(options.size.height) + " slices " +
         std::to_string(options.slices) + " " + std::string(format_info(options.source).name) + " > " +
         std::string(format_info(options.target).name) + " " + std::string(word_of(options.tone_operator)) +
         (options.look == AgxLook::kNone ? "" : " " + std::string(word_of(options.look))) + " " +
         std::string(word_of(options.transfer)) + " " + std::string(word_of(options.primaries)) +
         (options.dither == Dither::kOn ? " dithered" : "");
}

namespace {

/// The step between neighbouring values of a channel of a format near `value`; 0 for fp32.
double step_of(Format format, double value, uint32_t channel) {
  const FormatInfo& info = format_info(format);
  if (info.type != ChannelType::kFloat) {
    return 1.0 / ((1U << info.bits[channel]) - 1);
  }
  if (info.bytes_per_texel == 4 * info.channels) return 0;
  const int mantissa = format == Format::kB10G11R11Ufloat ? (channel == 2 ? 5 : 6) : 10;
  const int exponent = std::max(-14, std::fabs(value) > 0 ? std::ilogb(value) : -14);
  return std::ldexp(1.0, exponent - mantissa);
}

/// The largest finite value of a format.
double largest_of(Format format, uint32_t channel) {
  const FormatInfo& info = format_info(format);
  if (info.type != ChannelType::kFloat) return 1;
  if (format == Format::kB10G11R11Ufloat) return channel == 2 ? 64512 : 65024;
  return channel < 3 && info.bytes_per_texel == 2 * info.channels ? 65504 : 1e30;
}

}  // namespace

std::vector<ToneMapOptions> extreme_options() {
  std::vector<ToneMapOptions> all;
  const ToneMapOptions plain{.size = kSaturatedSize, .source = Format::kRGBA32Sfloat, .target = Format::kRGBA32Sfloat};
  for (const ToneOperator tone_operator : kAllOperators) {
    for (const Format target : {Format::kRGBA8Unorm, Format::kA2B10G10R10Unorm, Format::kRGBA32Sfloat}) {
      ToneMapOptions o = plain;
      o.tone_operator = tone_operator;
      o.target = target;
      o.transfer = Transfer::kGamma;
      o.gamma = 1;
      all.push_back(o);
    }
  }
  for (const auto& [white, bias] : {std::pair{100.0F, 0.8F},
                                    {100.0F, 0.75F},
                                    {65504.0F, 0.85F},
                                    {0.5F, 0.6F},
                                    {0.02F, 0.9F},
                                    {0.01F, 0.5F},
                                    {4000.0F, 1.0F},
                                    {100.0F, 0.85F}}) {
    for (const Transfer transfer : {Transfer::kLinear, Transfer::kSrgb}) {
      ToneMapOptions o = plain;
      o.tone_operator = ToneOperator::kDrago;
      o.drago.white = white;
      o.drago.bias = bias;
      o.transfer = transfer;
      all.push_back(o);
    }
  }
  for (const ToneOperator tone_operator : {ToneOperator::kReinhardExtended, ToneOperator::kReinhardLuminance}) {
    for (const float white : {0.1F, 0.5F}) {
      for (const Primaries primaries : {Primaries::kRec709, Primaries::kRec2020}) {
        for (const Format target : {Format::kRGBA32Sfloat, Format::kRGBA16Sfloat}) {
          ToneMapOptions o = plain;
          o.tone_operator = tone_operator;
          o.white = white;
          o.primaries = primaries;
          o.target = target;
          o.transfer = Transfer::kLinear;
          all.push_back(o);
        }
      }
    }
  }
  return all;
}

PaddedImage light_of(Format format, Extent size, uint32_t slices, Random& random) {
  PaddedImage image(format, size, slices, 4, 8);
  if (format_info(format).type != ChannelType::kFloat) {
    fill_random(image.view(), random);
    return image;
  }
  const uint32_t bytes = format_info(format).bytes_per_texel;
  for (uint32_t slice = 0; slice < slices; ++slice) {
    for (uint32_t y = 0; y < size.height; ++y) {
      for (uint32_t x = 0; x < size.width; ++x) {
        std::array<float, 4> texel{};
        const float base = std::exp2(random.between(-14, 10));
        for (float& v : texel) v = base * random.between(0, 1);
        if (random.below(3) == 0) texel = {base, base, base, 0};
        texel[3] = random.between(0, 1);
        encode_row(format, texel.data(), 1, image.view().row(y, slice) + size_t{x} * bytes);
      }
    }
  }
  return image;
}

PaddedImage saturated_light() {
  PaddedImage image(Format::kRGBA32Sfloat, kSaturatedSize);
  for (uint32_t y = 0; y < kSaturatedSize.height; ++y) {
    auto* row = reinterpret_cast<float*>(image.view().row(y));
    for (uint32_t x = 0; x < kSaturatedSize.width; ++x) {
      const auto level = static_cast<float>(1e-6 * std::pow(65504e6, x / (kSaturatedSize.width - 1.0)));
      for (uint32_t c = 0; c < 3; ++c) row[4 * x + c] = ((y + 1) >> c & 1) != 0 ? level : level / 64;
      row[4 * x + 3] = 1;
    }
  }
  return image;
}

PaddedImage steep_light() {
  // Found by climbing from random lights to larger errors.
  static constexpr std::array<std::array<float, 3>, kSteepSize.height> kLights = {
      {{0.212647349F, 0.00242917961F, 0.01120329F},
       {0.359613895F, 1.74928027e-05F, 0.030980505F},
       {0.392994583F, 0.000116980722F, 0.0161296744F},
       {6.08042774e-06F, 0.199740604F, 0.220387548F},
       {0.330586761F, 0.000321061641F, 0.0342173614F},
       {0.39226228F, 1.22803631e-05F, 0.0179112498F},
       {0.440015763F, 0.00151437731F, 4.98053532e-06F},
       {0.426020354F, 5.15455781e-07F, 0.00917048659F}}};
  PaddedImage image(Format::kRGBA32Sfloat, kSteepSize);
  for (uint32_t y = 0; y < kSteepSize.height; ++y) {
    auto* row = reinterpret_cast<float*>(image.view().row(y));
    for (uint32_t x = 0; x < kSteepSize.width; ++x) {
      std::array<float, 3> light = kLights[y];
      if (x > 0) light[x % 3] *= 1 + std::ldexp(x % 2 == 0 ? 1.0F : -1.0F, -4 - static_cast<int>((x - 1) / 6));
      for (uint32_t c = 0; c < 3; ++c) row[4 * x + c] = light[c];
      row[4 * x + 3] = 1;
    }
  }
  return image;
}

std::vector<ToneMapOptions> look_options() {
  std::vector<ToneMapOptions> all;
  for (const AgxLook look : {AgxLook::kGolden, AgxLook::kPunchy}) {
    for (const Transfer transfer : {Transfer::kLinear, Transfer::kSrgb}) {
      for (const Primaries primaries : {Primaries::kRec709, Primaries::kRec2020}) {
        all.push_back({.size = kSteepSize,
                       .source = Format::kRGBA32Sfloat,
                       .target = Format::kRGBA32Sfloat,
                       .tone_operator = ToneOperator::kAgxBlender,
                       .look = look,
                       .transfer = transfer,
                       .primaries = primaries});
      }
    }
  }
  return all;
}

::testing::AssertionResult tones_match(const ToneMapOptions& options, const ImageView& source, const ImageView& actual,
                                       double tolerance, double exposure) {
  const auto [width, height] = options.size;
  const uint32_t source_channels = format_info(options.source).channels;
  const uint32_t target_channels = format_info(options.target).channels;
  const Format stored = options.target == Format::kRGBA8Srgb   ? Format::kRGBA8Unorm
                        : options.target == Format::kBGRA8Srgb ? Format::kBGRA8Unorm
                        : options.target == Format::kR8Srgb    ? Format::kR8Unorm
                                                               : options.target;
  std::vector<float> in(size_t{width} * 4);
  std::vector<float> out(size_t{width} * 4);
  for (uint32_t slice = 0; slice < options.slices; ++slice) {
    for (uint32_t y = 0; y < height; ++y) {
      decode_row(options.source, source.row(y, slice), width, in.data());
      decode_row(stored, actual.row(y, slice), width, out.data());
      for (uint32_t x = 0; x < width; ++x) {
        const float* texel = in.data() + 4 * x;
        const float* got = out.data() + 4 * x;
        const bool grey = source_channels <= 2;
        const Rgb light = {texel[0], grey ? texel[0] : texel[1], grey ? texel[0] : texel[2]};
        const double alpha_in = source_channels == 2 ? texel[1] : texel[3];
        const ExactTexel exact = exact_texel(options, light, exposure);
        const Rgb& expected = exact.stored;
        const auto fails = [&](uint32_t channel, double wanted, double value, double allowed) {
          const double step = step_of(options.target, wanted, channel);
          const bool unorm = format_info(options.target).type != ChannelType::kFloat;
          const double limited = unorm ? clip01(wanted) : std::min(wanted, largest_of(options.target, channel));
          const double unit = std::max(1.0, std::fabs(wanted));
          const double half_step = step * 0.5 * (1 + 1e-5);
          const double noise = unorm && options.dither == Dither::kOn && channel < 3 ? oracle_dither(x, y) * step : 0;
          const double target = unorm ? clip01(limited + noise) : limited;
          const double slack = half_step + allowed * unit + 1e-7 * unit;
          if (std::fabs(value - target) <= slack) return false;
          const double shift = target - limited;  // dithering
          return !(channel < 3 && oracle_error(options, exact, channel, value - shift) * unit <= slack);
        };
        for (uint32_t c = 0; c < std::min(3U, target_channels == 2 ? 1U : target_channels); ++c) {
          if (fails(c, expected[c], got[c], tolerance)) {
            return ::testing::AssertionFailure()
                   << describe(options) << ": texel " << x << ", " << y << " slice " << slice << " channel " << c
                   << ": light " << light[0] << ", " << light[1] << ", " << light[2] << " became " << got[c]
                   << ", expected " << expected[c];
          }
        }
        if (target_channels == 4 || target_channels == 2) {
          const bool unorm = format_info(options.target).type != ChannelType::kFloat;
          const double known = std::isnan(alpha_in) ? 0.0 : alpha_in;
          const double alpha = unorm ? clip01(known) : known;
          const float value = target_channels == 2 ? got[1] : got[3];
          // In sRGB of two channels the alpha is encoded, too.
          const bool encoded = source_channels == 2 && format_info(options.source).type == ChannelType::kSrgb;
          if (value != alpha && fails(3, alpha, value, encoded ? tolerance : 0)) {
            return ::testing::AssertionFailure()
                   << describe(options) << ": texel " << x << ", " << y << " alpha " << alpha << " became " << value;
          }
        }
      }
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace onepass::testing
