// program.cpp: makes the program of a tone map: combines the matrices of its options and fits its curves.
#include "tone_map/program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "image/matrix.hpp"
#include "tone_map/operators.hpp"

namespace onepass::tone_map {
namespace {

// ---- translated: constants of operators, for api/translate.py. Matrices are listed by rows.

// Hill's matrices: sRGB to the RRT's input space, and the ODT's output back to sRGB.
constexpr Matrix kHillIn = {{{0.59719, 0.35458, 0.04823}, {0.07600, 0.90834, 0.01566}, {0.02840, 0.13383, 0.83777}}};
constexpr Matrix kHillOut = {
    {{1.60475, -0.53108, -0.07367}, {-0.10208, 1.10813, -0.00605}, {-0.00327, -0.07276, 1.07602}}};

// Sobotka's inset of Rec.709.
constexpr Matrix kSobotkaInset = {{{0.842479062253094, 0.0784335999999992, 0.0792237451477643},
                                   {0.0423282422610123, 0.878468636469772, 0.0791661274605434},
                                   {0.0423756549057051, 0.0784336, 0.879142973793104}}};

// Blender's inset of Rec.2020, and the inset whose inverse is the outset.
constexpr Matrix kBlenderInset = {{{0.856627153315983, 0.0951212405381588, 0.0482516061458583},
                                   {0.137318972929847, 0.761241990602591, 0.101439036467562},
                                   {0.11189821299995, 0.0767994186031903, 0.811302368396859}}};
constexpr Matrix kBlenderOutsetInverse = {{{0.899796955911611, 0.0871996192028351, 0.013003424885555},
                                           {0.11142098895748, 0.875575586156966, 0.0130034248855548},
                                           {0.11142098895748, 0.0871996192028349, 0.801379391839686}}};

// Weights of luminance of Rec.2020 for the CIE 2015 observer, used by Blender's guard rail.
constexpr std::array<double, 3> kRailWeights = {0.2589235355689848, 0.6104985346066525, 0.13057792982436284};
constexpr double kRailPower = 0.08;

constexpr std::array<double, 3> kLuminance709 = {0.2126, 0.7152, 0.0722};
constexpr std::array<double, 3> kLuminance2020 = {0.2627, 0.6780, 0.0593};  // as in BT.2100

// One curve replaces two if its error is at most this.
constexpr double kEnough = 2e-6;
// The error of a curve in front of another one: a matrix between them magnifies it.
constexpr double kEnoughBetween = 2e-7;

// A relative error of light changes PQ by a tenth of it, HLG by at most a quarter of it.
constexpr double kMixedHeadroom = 0.25;

// ---- end of what is translated

/// `mixed`: see CurveRequest.
Curve fit(const Formula& formula, const std::optional<Formula>& next = {}, double mixed = 0) {
  CurveRequest request{.f = formula.f, .top = formula.top, .kinks = formula.kinks, .foot = formula.foot};
  if (next) {
    request.through = next->f;
    request.mixed = mixed;
    request.enough = kEnoughBetween;
  }
  return fit_curve(request);
}

/// Fits a factor of numbers up to `factor_of` times its argument. `next` is applied to the product.
Curve fit_factor(const Formula& formula, double factor_of, const std::optional<Formula>& next = {}) {
  return fit_curve({.f = formula.f,
                    .top = formula.top,
                    .kinks = formula.kinks,
                    .foot = formula.foot,
                    .factor_of = factor_of,
                    .through = next ? next->f : Function()});
}

std::optional<Curve> fit(const std::optional<Formula>& formula) {
  return formula ? std::optional(fit(*formula)) : std::nullopt;
}

/// Slope and saturation of ASC CDL as a matrix after the power, which a curve has: (slope x)^power = slope^power
/// x^power.
Matrix look_matrix(const Look& look) {
  Matrix m{};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      const double mixed = (1 - look.saturation) * kLuminance709[j] + (i == j ? look.saturation : 0);
      m[i][j] = mixed * std::pow(look.slope[j], look.power);
    }
  }
  return m;
}

class Maker {
 public:
  explicit Maker(const ToneMapOptions& options)
      : options_(options),
        wide_(options.primaries == Primaries::kRec2020),
        hlg_(options.transfer == Transfer::kHlg),
        headroom_(operator_headroom(options)),
        to_2020_(rec2020_from_rec709()) {}

  Program make();

 private:
  void map_channels(const std::optional<Formula>& formula, size_t stage);
  void store(size_t stage, double decode);
  void finish_light(size_t stage);
  [[nodiscard]] Function light_transfer() const;
  void hill();
  void agx_sobotka();
  void agx_blender();

  const ToneMapOptions& options_;
  bool wide_, hlg_;
  double headroom_;
  Matrix to_2020_;
  Program program_;
};

/// Adds the transfer of display light in the target's primaries, encoded with the exponent `decode`: the curve of
/// `stage`, and for HLG of encoded values also the next stage.
void Maker::store(size_t stage, double decode) {
  if (!hlg_) {
    program_.stages[stage].curve = fit(transfer_formula(options_, decode));
    return;
  }
  if (decode != 1) {
    program_.stages[stage].curve =
        fit(power_formula(decode, std::pow(headroom_, 1 / decode)), transfer_formula(options_, 1));
    ++stage;
  }
  const auto& weights = wide_ ? kLuminance2020 : kLuminance709;
  program_.ootf_stage = stage;
  program_.ootf = fit_factor(inverse_ootf_formula(options_), 1 / weights[2], hlg_formula());
  for (size_t i = 0; i < 3; ++i) program_.ootf_weights[i] = static_cast<float>(weights[i]);
  program_.stages[stage].top = static_cast<float>(headroom_);
  program_.stages[stage].curve = fit(hlg_formula());
}

/// Adds primaries and transfer, from Rec.709 light to stored values.
void Maker::finish_light(size_t stage) {
  Stage& last = program_.stages[stage];
  if (wide_) last.matrix = to_2020_;
  store(stage, 1);
  if (!last.curve) last.top = std::numeric_limits<float>::max();  // mapped light may exceed the limit of exposed light
}

/// Adds an operator of channels and the transfer: as one curve if it is accurate enough, else as two.
void Maker::map_channels(const std::optional<Formula>& formula, size_t stage) {
  const double decode = decoding_exponent(options_.tone_operator);
  if (!formula) return finish_light(stage);
  std::optional<Curve>& curve = program_.stages[stage].curve;
  if (!wide_ && !hlg_) {
    const auto transfer = transfer_formula(options_, decode);
    curve = fit(transfer ? compose(*formula, *transfer) : *formula);
    if (!transfer || std::max(curve->error, curve->gpu_error) <= kEnough) return;
    curve = fit(*formula, transfer);
    program_.stages[stage + 1].curve = fit(*transfer);
    return;
  }
  curve = fit(decode == 1 ? *formula : compose(*formula, power_formula(decode)), transfer_formula(options_, 1),
              headroom_ > 1 ? kMixedHeadroom : 0);
  finish_light(stage + 1);
}

/// The transfer of light. The errors of a curve that is followed by matrices are measured after it.
Function Maker::light_transfer() const {
  const auto transfer = transfer_formula(options_, 1);
  return transfer ? transfer->f : Function();
}

void Maker::hill() {
  program_.stages[0].matrix = kHillIn;
  program_.stages[0].curve = fit(*operator_formula(options_), transfer_formula(options_, 1));
  program_.stages[1].matrix = kHillOut;
  program_.stages[1].top = 1;
  if (wide_) {
    finish_light(2);
  } else {
    store(1, 1);
  }
}

void Maker::agx_sobotka() {
  program_.stages[0].matrix = kSobotkaInset;
  const auto formula = operator_formula(options_);
  if (options_.look == AgxLook::kNone) return map_channels(formula, 0);
  const Look look = look_of(options_.look);
  const double decode = decoding_exponent(options_.tone_operator);
  // A power below 1 (golden: 0.8) magnifies errors near 0: they are measured after the power, not after the transfer.
  program_.stages[0].curve = fit(*formula, power_formula(look.power));
  program_.stages[1].curve = fit(power_formula(look.power), transfer_formula(options_, decode));
  program_.stages[2].matrix = look_matrix(look);
  program_.stages[2].top = 1;
  if (wide_) {
    program_.stages[2].curve = fit(power_formula(decode), transfer_formula(options_, 1));
    finish_light(3);
  } else {
    store(2, decode);
  }
}

void Maker::agx_blender() {
  program_.stages[0].matrix = multiply(kBlenderInset, to_2020_);
  const Formula encoded = *operator_formula(options_);
  const double decode = decoding_exponent(options_.tone_operator);
  Formula light = encoded;  // not compose(), which would clip where the curve reaches 1: it continues above
  light.f = [=](double x) { return std::pow(encoded.f(x), decode); };
  const Look look = look_of(options_.look);
  const bool has_look = options_.look != AgxLook::kNone;
  const Formula power = power_formula(look.power / decode, std::pow(headroom_, 1 / look.power));
  // The outset magnifies errors, and a look's power magnifies those near 0 a lot.
  const double enough = has_look ? 1.6e-7 : 3e-7;
  program_.stages[0].curve = fit_curve({.f = light.f,
                                        .top = light.top,
                                        .kinks = light.kinks,
                                        .foot = light.foot,
                                        .enough = enough,
                                        .gpu_enough = enough,
                                        .fine = true,
                                        .through = has_look ? power.f : light_transfer()});
  program_.keeps_hue = true;
  const Matrix outset = inverse(kBlenderOutsetInverse);
  program_.stages[1].matrix = wide_ ? outset : multiply(inverse(to_2020_), outset);
  program_.stages[1].top = static_cast<float>(power.top);  // the look's power maps it to the headroom
  program_.guard_rail = !wide_;
  if (!wide_) {
    program_.rail = fit_factor(power_formula(kRailPower), 1);
    for (size_t j = 0; j < 3; ++j) {
      double weight = 0;
      for (size_t i = 0; i < 3; ++i) weight += kRailWeights[i] * to_2020_[i][j];
      program_.rail_weights[j] = static_cast<float>(weight);
    }
  }
  if (!has_look) return store(1, 1);
  // Errors are measured in front of saturation, which adds those of dark channels to bright ones.
  program_.stages[1].curve = fit_curve({.f = power.f, .top = power.top, .enough = 3e-7, .gpu_enough = 2e-6});
  program_.stages[2].matrix = look_matrix(look);
  program_.stages[2].top = static_cast<float>(std::pow(headroom_, 1 / decode));
  store(2, decode);
}

Program Maker::make() {
  switch (options_.tone_operator) {
    case ToneOperator::kAcesHill:
      hill();
      break;
    case ToneOperator::kAgxSobotka:
      agx_sobotka();
      break;
    case ToneOperator::kAgxBlender:
      agx_blender();
      break;
    case ToneOperator::kPbrNeutral:
      program_.mix = Mix::kNeutral;
      finish_light(0);
      break;
    case ToneOperator::kReinhardLuminance:
    case ToneOperator::kDrago:
      program_.mix = Mix::kLuminance;
      program_.luminance = fit_factor(*operator_formula(options_), 1 / kLuminance709[2],  // pure blue
                                      transfer_formula(options_, 1));
      finish_light(0);
      break;
    default:
      map_channels(operator_formula(options_), 0);
  }
  for (size_t s = 0; s < kStages; ++s) {
    Stage& stage = program_.stages[s];
    if (!stage.matrix) continue;
    stage.clips = !stage.curve || stage.curve->top > stage.top || s == program_.ootf_stage;
    for (size_t i = 0; i < 9; ++i) stage.weights[i / 3][i % 3] = static_cast<float>((*stage.matrix)[i / 3][i % 3]);
  }
  return std::move(program_);
}

}  // namespace

Program make_program(const ToneMapOptions& options) { return Maker(options).make(); }

std::string program_key(const ToneMapOptions& options) {
  ToneMapOptions o = options;
  o.size = {};
  o.slices = 0;
  o.source = Format::kUndefined;
  o.exposure = 0;
  o.dither = Dither::kOff;
  o.local = {};
  static_assert(std::is_trivially_copyable_v<ToneMapOptions> && sizeof o == 24 * 4, "a field more, or padding");
  return {reinterpret_cast<const char*>(&o), sizeof o};
}

bool keeps_channels_apart(const Program& program) {
  const auto& stages = program.stages;
  return program.mix == Mix::kNone && !program.keeps_hue && program.ootf_stage == kStages &&
         std::none_of(stages.begin(), stages.end(), [](const Stage& s) { return s.matrix.has_value(); });
}

TargetUnit target_unit(Format target) {
  const FormatInfo& info = format_info(target);
  if (target == Format::kR16Sfloat || target == Format::kRG16Sfloat || target == Format::kRGBA16Sfloat) {
    return {.most = static_cast<float>(kMostLight)};
  }
  if (info.type == ChannelType::kFloat) return {};
  const auto largest = [&](size_t channel) { return static_cast<float>((1U << info.bits[channel]) - 1); };
  return {largest(0), largest(info.channels == 4 ? 3 : 0), largest(0), true};
}

}  // namespace onepass::tone_map
