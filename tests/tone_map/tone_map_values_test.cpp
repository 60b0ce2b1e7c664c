// tone_map_values_test.cpp: operators and transfers. Oracles: published values and, densely between them, the
// double-precision definitions, within 1e-5 (relative for values above 1).
#include <algorithm>
#include <cmath>

#include "tests/support/test_seed.hpp"
#include "tests/tone_map/tone_map_oracle.hpp"

namespace onepass::testing {
namespace {

constexpr double kPromised = 1e-5;

/// Tone-maps float texels to float texels.
std::vector<Rgb> map_floats(ToneMapOptions options, const std::vector<Rgb>& lights) {
  const auto count = static_cast<uint32_t>(lights.size());
  const uint32_t width = std::min(count, 50000U);
  options.size = {width, (count + width - 1) / width};
  options.source = Format::kRGBA32Sfloat;
  options.target = Format::kRGBA32Sfloat;
  std::vector<float> texels;
  for (const Rgb& light : lights) {
    for (const double v : light) texels.push_back(static_cast<float>(v));
    texels.push_back(1.0F);
  }
  texels.resize(size_t{4} * width * options.size.height);
  const MutableImageView view{texels.data(), options.source, options.size, 1, size_t{16} * width, 0};
  auto map = cpu::ToneMap::create(options);
  EXPECT_TRUE(map.ok()) << (map ? "" : map.error().text());
  EXPECT_TRUE(map->apply(view, view).ok());
  std::vector<Rgb> out;
  for (size_t i = 0; i < lights.size(); ++i) out.push_back({texels[4 * i], texels[4 * i + 1], texels[4 * i + 2]});
  return out;
}

ToneMapOptions linear(ToneOperator tone_operator) {
  return {.tone_operator = tone_operator, .transfer = Transfer::kLinear};
}

ToneMapOptions encoded(ToneOperator tone_operator) {
  return {.tone_operator = tone_operator, .transfer = Transfer::kGamma, .gamma = 2.2F};
}

struct GreyRow {
  ToneMapOptions options;
  std::array<double, 6> values;  // for 0.01, 0.18, 0.5, 1, 4, 16
};

TEST(ToneMapValues, GreysOfEveryOperator) {
  ToneMapOptions drago = linear(ToneOperator::kDrago);
  const GreyRow rows[] = {
      {linear(ToneOperator::kReinhard), {.009901, .152542, .333333, .500000, .800000, .941176}},
      {linear(ToneOperator::kReinhardExtended), {.009907, .154258, .343750, .531250, 1.000000, 1.882353}},
      {linear(ToneOperator::kReinhardLuminance), {.009907, .154258, .343750, .531250, 1.000000, 1.882353}},
      {linear(ToneOperator::kHable), {.007664, .128338, .304301, .492919, .918030, 1.169622}},
      {encoded(ToneOperator::kHejlBurgessDawson), {.045769, .508028, .730204, .841188, .954133, .988067}},
      {linear(ToneOperator::kAcesNarkowicz), {.003770, .266899, .616307, .803797, .973417, 1}},
      {linear(ToneOperator::kAcesHill), {.001053, .105591, .374308, .619115, .909014, .989935}},
      {linear(ToneOperator::kPbrNeutral), {.000625, .140000, .460000, .869091, .983256, .996269}},
      {linear(ToneOperator::kLottes), {.003751, .267000, .621780, .806153, .963494, 1.029931}},
      {linear(ToneOperator::kUchimura), {.003644, .178995, .500000, .827832, .999717, 1}},
      {encoded(ToneOperator::kAgxSobotka), {.096153, .500000, .677188, .787515, .937802, .999540}},
      {linear(ToneOperator::kAgxBlender), {.006262, .180000, .400747, .555999, .815412, .998045}},
      {drago, {.018360, .188453, .331381, .441490, .654173, .829681}},
      {linear(ToneOperator::kExposure), {.01, .18, .5, 1, 4, 16}}};
  const double lights[] = {0.01, 0.18, 0.5, 1, 4, 16};
  for (const GreyRow& row : rows) {
    std::vector<Rgb> greys;
    for (const double x : lights) greys.push_back({x, x, x});
    const std::vector<Rgb> got = map_floats(row.options, greys);
    for (size_t i = 0; i < greys.size(); ++i) {
      for (const double v : got[i]) {
        // The published values are rounded to 6 digits. Operators that mix channels keep greys only as far as the rows
        // of their published matrices sum up to 1.
        const bool mixes = row.options.tone_operator == ToneOperator::kAcesHill ||
                           row.options.tone_operator == ToneOperator::kAgxSobotka;
        const double printed = mixes ? 3e-5 : 1e-6;
        EXPECT_NEAR(v, row.values[i], (kPromised + printed) * std::max(1.0, row.values[i]))
            << word_of(row.options.tone_operator) << " of " << lights[i];
      }
    }
  }
}

TEST(ToneMapValues, ColoursOfOperatorsThatMixChannels) {
  const auto near = [](const ToneMapOptions& options, const Rgb& light, const Rgb& expected) {
    const Rgb got = map_floats(options, {light})[0];
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(got[c], expected[c], kPromised + 1e-6) << word_of(options.tone_operator);
  };
  near(linear(ToneOperator::kAcesHill), {4, 1, .1}, {1, .663411, .206658});
  near(linear(ToneOperator::kAcesHill), {1, .5, .25}, {.634990, .384600, .203160});
  near(linear(ToneOperator::kPbrNeutral), {4, 1, .1}, {.983256, .468299, .313812});
  near(linear(ToneOperator::kPbrNeutral), {1, .5, .25}, {.869091, .422529, .199248});
  near(linear(ToneOperator::kPbrNeutral), {.04, .02, .01}, {.030625, .010625, .000625});
  // Ratios of channels stay: blue of 8 alone has luminance 0.5776, and its result may exceed 1.
  near(linear(ToneOperator::kReinhardLuminance), {0, 0, 8}, {0, 0, 8 * (1 + .5776 / 16) / 1.5776});
}

TEST(ToneMapValues, Transfers) {
  const auto stored = [](Transfer transfer, double light, float peak = 10000) {
    ToneMapOptions options = linear(ToneOperator::kExposure);
    options.transfer = transfer;
    options.peak_nits = options.paper_white_nits = peak;
    return map_floats(options, {{light, light, light}})[0][1];
  };
  const double srgb[][2] = {{0, 0}, {.001, .01292}, {.18, .46135613}, {.5, .73535698}, {1, 1}, {7, 1}};
  const double pq[][2] = {{0, 7.3e-7}, {.01, .50807842}, {.0203, .58068888}, {.1, .75182710}, {1, 1}};
  const double hlg[][2] = {{0, 0}, {1.0 / 12, .5}, {.18, .67235813}, {.5, .87164347}, {1, 1}};
  for (const auto& [x, y] : srgb) EXPECT_NEAR(stored(Transfer::kSrgb, x), y, kPromised) << x;
  for (const auto& [x, y] : pq) EXPECT_NEAR(stored(Transfer::kPq, x), y, kPromised) << x;
  // The table is in scene light: a display of 1000 cd/m^2 shows greys as scene light to the power 1.2.
  for (const auto& [x, y] : hlg) EXPECT_NEAR(stored(Transfer::kHlg, std::pow(x, 1.2), 1000), y, kPromised) << x;
  EXPECT_NEAR(stored(Transfer::kGamma, .25), std::pow(.25, 1 / 2.2), kPromised);
  EXPECT_NEAR(stored(Transfer::kPq, 1, 1000), .75182710, kPromised);
  EXPECT_EQ(stored(Transfer::kLinear, 7), 7);
}

TEST(ToneMapValues, Rec2020Primaries) {
  ToneMapOptions options = linear(ToneOperator::kExposure);
  options.primaries = Primaries::kRec2020;
  const double columns[3][3] = {{.627402, .069095, .016394}, {.329292, .919544, .088028}, {.043306, .011360, .895578}};
  for (int c = 0; c < 3; ++c) {
    Rgb light{};
    light[c] = 1;
    const Rgb got = map_floats(options, {light})[0];
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(got[i], columns[c][i], 2e-5);  // printed from rounded chromaticities
  }
}

/// Greys and colours of all magnitudes, and greys near the bends of curves.
std::vector<Rgb> many_lights(uint32_t seed, size_t count) {
  Random random(seed);
  std::vector<Rgb> lights = {{0, 0, 0},
                             {1, 1, 1},
                             {1, 0, 0},
                             {0, 1, 0},
                             {0, 0, 1},
                             {1e-30, 0, 0},
                             {65504, 65504, 65504},
                             {65504, 0, 0},
                             {0, 65504, 1},
                             {1e30, 1e30, 1},
                             {.0031308, .004, .18},
                             // Hill's matrix subtracts channels here, and PQ is steep.
                             {0.0055309436284005642, 0.59354639053344727, 2.6078492737724446e-05},
                             // Golden's saturation subtracts a dark channel from a darker one.
                             {0.0031854887489542, 4.6715125790797e-05, 2.8060767363058e-06},
                             // Punchy's saturation and the guard rail magnify errors of dark saturated channels.
                             {0.11936648935079575, 9.3661092250840738e-06, 0.0020761496853083372},
                             {0.21264734864234924, 0.0024291796144098043, 0.011203289963304996}};
  for (const double bend :
       {.0031308, .004, .18, .22, .532, 1.0 / 12, 7.2417, 16.2917, .00017578, 5898.24, 1.0, .8, .08}) {
    for (const double factor : {1 - 1e-3, 1 - 1e-6, 1.0, 1 + 1e-6, 1 + 1e-3}) {
      lights.push_back({bend * factor, bend * factor, bend * factor});
    }
  }
  const auto magnitude = [&] { return std::exp2(random.between(-22, 17)); };
  while (lights.size() < count) {
    const double base = magnitude();
    switch (random.below(3)) {
      case 0:
        lights.push_back({base, base, base});
        break;
      case 1:
        lights.push_back({base * random.between(0, 1), base, base * random.between(0, 1)});
        break;
      default:
        lights.push_back({magnitude(), magnitude(), magnitude()});
    }
  }
  for (Rgb& light : lights) {  // rounded to floats
    for (double& v : light) v = static_cast<float>(v);
  }
  return lights;
}

/// The largest error over all lights, with its light and colours.
struct Worst {
  double error = 0;
  Rgb light{}, got{}, expected{};
};

Worst worst_of(const ToneMapOptions& options, const std::vector<Rgb>& lights) {
  const std::vector<Rgb> got = map_floats(options, lights);
  Worst worst;
  for (size_t i = 0; i < lights.size(); ++i) {
    const ExactTexel exact = exact_texel(options, lights[i]);
    for (size_t c = 0; c < 3; ++c) {
      const double error = oracle_error(options, exact, c, got[i][c]);
      if (error > worst.error) worst = {error, lights[i], got[i], exact.stored};
    }
  }
  return worst;
}

TEST(ToneMapValues, EverythingIsWithin1e5OfTheDefinitions) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  const size_t count = full_run() ? 400000 : 8000;
  for (const ToneOperator tone_operator : kAllOperators) {
    const bool agx = tone_operator == ToneOperator::kAgxSobotka || tone_operator == ToneOperator::kAgxBlender;
    for (const AgxLook look : {AgxLook::kNone, AgxLook::kGolden, AgxLook::kPunchy}) {
      if (look != AgxLook::kNone && !agx) continue;
      for (const Transfer transfer : kAllTransfers) {
        for (const Primaries primaries : {Primaries::kRec709, Primaries::kRec2020}) {
          const ToneMapOptions options{.size = {1, 1},
                                       .source = Format::kRGBA32Sfloat,
                                       .target = Format::kRGBA32Sfloat,
                                       .tone_operator = tone_operator,
                                       .look = look,
                                       .transfer = transfer,
                                       .primaries = primaries};
          const Worst worst = worst_of(options, many_lights(seed, count));
          EXPECT_LE(worst.error, kPromised)
              << describe(options) << " seed " << seed << ": light " << worst.light[0] << ", " << worst.light[1] << ", "
              << worst.light[2] << " became " << worst.got[0] << ", " << worst.got[1] << ", " << worst.got[2]
              << ", expected " << worst.expected[0] << ", " << worst.expected[1] << ", " << worst.expected[2];
        }
      }
    }
  }
}

TEST(ToneMapValues, ParametersOfOperatorsAndTransfers) {
  const std::vector<Rgb> lights = many_lights(5, 5000);
  std::vector<ToneMapOptions> all;
  for (const float white : {0x1p-6F, 0.5F, 1.0F, 100.0F, 65504.0F}) {
    for (const ToneOperator op : {ToneOperator::kReinhardExtended, ToneOperator::kReinhardLuminance}) {
      for (const Transfer transfer : {Transfer::kSrgb, Transfer::kLinear}) {
        all.push_back({.tone_operator = op, .white = white, .transfer = transfer});
      }
    }
  }
  for (const DragoOptions drago : {DragoOptions{0.5F, 0.18F, 10}, DragoOptions{0.7F, 1, 65504}, DragoOptions{1, 10, 1},
                                   DragoOptions{0.95F, 0.01F, 100}}) {
    all.push_back({.tone_operator = ToneOperator::kDrago, .drago = drago, .transfer = Transfer::kSrgb});
    all.push_back({.tone_operator = ToneOperator::kDrago, .drago = drago, .transfer = Transfer::kLinear});
  }
  for (const float gamma : {1.0F, 1.8F, 2.2F, 2.4F, 3.0F}) {
    for (const ToneOperator op : {ToneOperator::kReinhard, ToneOperator::kAgxSobotka, ToneOperator::kAgxBlender}) {
      all.push_back({.tone_operator = op, .transfer = Transfer::kGamma, .gamma = gamma});
    }
  }
  for (const float peak : {1.0F, 100.0F, 1000.0F, 10000.0F}) {
    all.push_back({.tone_operator = ToneOperator::kHable,
                   .transfer = Transfer::kPq,
                   .peak_nits = peak,
                   .paper_white_nits = peak});
  }
  for (ToneMapOptions& options : all) {
    const Worst worst = worst_of(options, lights);
    EXPECT_LE(worst.error, kPromised) << describe(options) << " white " << options.white << " gamma " << options.gamma
                                      << " peak " << options.peak_nits << " drago " << options.drago.bias << " "
                                      << options.drago.average << " " << options.drago.white << ": light "
                                      << worst.light[0] << ", " << worst.light[1] << ", " << worst.light[2]
                                      << " became " << worst.got[0] << ", expected " << worst.expected[0];
  }
}

// Faults of other implementations: Drago's white below 1, black above 0, falling curves, white never reached.
TEST(ToneMapValues, BlackStaysBlackAndCurvesRise) {
  for (const ToneOperator tone_operator : kAllOperators) {
    for (const Transfer transfer : {Transfer::kLinear, Transfer::kSrgb}) {
      ToneMapOptions options = linear(tone_operator);
      options.transfer = transfer;
      std::vector<Rgb> greys = {{0, 0, 0}};
      for (int i = 0; i <= 4000; ++i) {
        const double x = static_cast<float>(std::exp2(-16 + 32.0 * i / 4000));
        greys.push_back({x, x, x});
      }
      const std::vector<Rgb> got = map_floats(options, greys);
      for (const double v : got[0]) EXPECT_NEAR(v, 0, 1e-6) << word_of(tone_operator);
      for (size_t i = 1; i < got.size(); ++i) {
        ASSERT_GE(got[i][1], got[i - 1][1] - 2e-6 * std::max(1.0, got[i][1]))
            << word_of(tone_operator) << " of " << greys[i][1];
      }
    }
  }
  const Rgb white = map_floats(linear(ToneOperator::kDrago), {{100, 100, 100}})[0];
  EXPECT_NEAR(white[0], 1, kPromised);
}

}  // namespace
}  // namespace onepass::testing
