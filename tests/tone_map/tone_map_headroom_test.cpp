// tone_map_headroom_test.cpp: displays brighter than reference white: the luminance that PQ and HLG show, and operators
// with headroom. Oracle: the double-precision definitions, within 1e-5.
#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/cpu/simd_targets.hpp"
#include "tests/tone_map/tone_map_oracle.hpp"

namespace onepass::testing {
namespace {

constexpr double kPromised = 1e-5;
constexpr std::array kWithHeadroom = {ToneOperator::kExposure, ToneOperator::kReinhard, ToneOperator::kReinhardExtended,
                                      ToneOperator::kReinhardLuminance, ToneOperator::kAgxBlender};

bool has_headroom(ToneOperator tone_operator) {
  return std::find(kWithHeadroom.begin(), kWithHeadroom.end(), tone_operator) != kWithHeadroom.end();
}

ToneMapOptions floats(ToneOperator tone_operator, Transfer transfer, Primaries primaries = Primaries::kRec709) {
  return {.source = Format::kRGBA32Sfloat,
          .target = Format::kRGBA32Sfloat,
          .tone_operator = tone_operator,
          .transfer = transfer,
          .primaries = primaries};
}

std::vector<Rgb> map_floats(ToneMapOptions options, const std::vector<Rgb>& lights) {
  const auto count = static_cast<uint32_t>(lights.size());
  const uint32_t width = std::min(count, 50000U);
  options.size = {width, (count + width - 1) / width};
  std::vector<float> texels;
  for (const Rgb& light : lights) {
    for (const double v : light) texels.push_back(static_cast<float>(v));
    texels.push_back(1.0F);
  }
  texels.resize(size_t{4} * width * options.size.height);
  const MutableImageView view{texels.data(), options.source, options.size, 1, size_t{16} * width, 0};
  auto map = cpu::ToneMap::create(options);
  EXPECT_TRUE(map.ok()) << (map ? "" : map.error().text());
  if (!map || !map->apply(view, view).ok()) return std::vector<Rgb>(lights.size());
  std::vector<Rgb> out;
  for (size_t i = 0; i < lights.size(); ++i) out.push_back({texels[4 * i], texels[4 * i + 1], texels[4 * i + 2]});
  return out;
}

double map_grey(const ToneMapOptions& options, double x) { return map_floats(options, {{x, x, x}})[0][1]; }

std::vector<Rgb> greys(double first_stop, double last_stop, int count) {
  std::vector<Rgb> all;
  for (int i = 0; i <= count; ++i) {
    const double x = static_cast<float>(std::exp2(first_stop + (last_stop - first_stop) * i / count));
    all.push_back({x, x, x});
  }
  return all;
}

/// Greys and colours of any saturation, of all magnitudes.
std::vector<Rgb> many_lights(uint32_t seed, size_t count) {
  Random random(seed);
  std::vector<Rgb> lights = {{0, 0, 0}, {1, 1, 1}, {1e-30, 0, 0}, {65504, 65504, 65504}, {0, 65504, 1}, {0, 0, 1e30}};
  while (lights.size() < count) {
    const double base = std::exp2(random.between(-22, 17));
    const double first = random.between(0, 1), second = random.between(0, 1);
    const bool grey = random.below(3) == 0;
    Rgb light = grey ? Rgb{base, base, base} : Rgb{base, base * first, base * second * second * second};
    if (!grey) std::rotate(light.begin(), light.begin() + random.below(3), light.end());
    for (double& v : light) v = static_cast<float>(v);
    lights.push_back(light);
  }
  return lights;
}

void expect_promised(const ToneMapOptions& options, const std::vector<Rgb>& lights) {
  const std::vector<Rgb> got = map_floats(options, lights);
  double worst = 0;
  std::string where;
  for (size_t i = 0; i < lights.size(); ++i) {
    const ExactTexel exact = exact_texel(options, lights[i]);
    for (size_t c = 0; c < 3; ++c) {
      const double error = oracle_error(options, exact, c, got[i][c]);
      if (error <= worst) continue;
      worst = error;
      where = std::to_string(lights[i][0]) + ", " + std::to_string(lights[i][1]) + ", " + std::to_string(lights[i][2]) +
              " became " + std::to_string(got[i][c]) + ", expected " + std::to_string(exact.stored[c]);
    }
  }
  EXPECT_LE(worst, kPromised) << describe(options) << " paper white " << options.paper_white_nits << " peak "
                              << options.peak_nits << " headroom " << options.headroom << " white " << options.white
                              << ": " << where;
}

// ---- Luminance of the display

/// The signal of SMPTE ST 2084 for a luminance in cd/m^2.
double pq_signal(double nits) {
  const double y = std::pow(nits / 10000, 0.1593017578125);
  return std::pow((0.8359375 + 18.8515625 * y) / (1 + 18.6875 * y), 78.84375);
}

/// HLG signals to cd/m^2 on a display of 1000 cd/m^2, with the OOTF of BT.2100, which depends on luminance.
Rgb hlg_display(const Rgb& signal, const Rgb& weights) {
  const double a = 0.17883277, b = 0.28466892, c = 0.55991073;
  Rgb scene{};
  for (int i = 0; i < 3; ++i) {
    scene[i] = signal[i] <= 0.5 ? signal[i] * signal[i] / 3 : (std::exp((signal[i] - c) / a) + b) / 12;
  }
  const double y = weights[0] * scene[0] + weights[1] * scene[1] + weights[2] * scene[2];
  const double gain = 1000 * std::pow(y, 1.2 - 1);
  return {gain * scene[0], gain * scene[1], gain * scene[2]};
}

constexpr Rgb kWeights2020 = {0.2627, 0.6780, 0.0593};

TEST(ToneMapHeadroom, PqShowsReferenceWhiteAtPaperWhiteAndEndsAtThePeak) {
  ToneMapOptions options = floats(ToneOperator::kExposure, Transfer::kPq);
  EXPECT_NEAR(map_grey(options, 1), 0.58068888, kPromised) << "203 cd/m^2";
  EXPECT_NEAR(map_grey(options, 1000.0 / 203), 0.75182710, kPromised) << "1000 cd/m^2";
  EXPECT_NEAR(map_grey(options, 300), 0.75182710, kPromised);
  EXPECT_NEAR(map_grey(options, 0.5), pq_signal(101.5), kPromised);
  options.paper_white_nits = 100;
  options.peak_nits = 4000;
  EXPECT_NEAR(map_grey(options, 1), 0.50807842, kPromised) << "100 cd/m^2";
  EXPECT_NEAR(map_grey(options, 1e4), pq_signal(4000), kPromised);
}

TEST(ToneMapHeadroom, HlgShowsReferenceWhiteAt75Percent) {
  ToneMapOptions options = floats(ToneOperator::kExposure, Transfer::kHlg);
  EXPECT_NEAR(map_grey(options, 1), 0.7498, 1e-4) << "BT.2408, table 1";
  EXPECT_NEAR(map_grey(options, 1000.0 / 203), 1, kPromised);
  EXPECT_NEAR(map_grey(options, 300), 1, kPromised);
  for (const double x : {0.001, 0.02, 0.18, 1.0, 3.0}) {
    const double signal = map_grey(options, x);
    EXPECT_NEAR(hlg_display({signal, signal, signal}, kWeights2020)[1], 203 * x, 203 * x * 1e-4) << x;
  }
}

// The same curve on each channel would darken saturated colours: blue to 57 %.
TEST(ToneMapHeadroom, HlgShowsColoursAsTheyAre) {
  const ToneMapOptions hlg = floats(ToneOperator::kExposure, Transfer::kHlg, Primaries::kRec2020);
  ToneMapOptions linear = floats(ToneOperator::kExposure, Transfer::kLinear, Primaries::kRec2020);
  linear.headroom = 5;
  const std::vector<Rgb> lights = {{1, 0.1, 0.1}, {0.2, 1.5, 0.1}, {0.05, 0.02, 0.8}, {0.01, 0.008, 0.001}, {3, 2, 4}};
  const std::vector<Rgb> signals = map_floats(hlg, lights);
  const std::vector<Rgb> display = map_floats(linear, lights);
  for (size_t i = 0; i < lights.size(); ++i) {
    const Rgb shown = hlg_display(signals[i], kWeights2020);
    const double largest = *std::max_element(shown.begin(), shown.end());
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(shown[c], 203 * display[i][c], 2e-4 * largest) << i << " " << c;
  }
}

// Operators without headroom reach at most paper white.
TEST(ToneMapHeadroom, OtherOperatorsEndAtPaperWhite) {
  const std::vector<Rgb> lights = many_lights(3, 2000);
  for (const ToneOperator tone_operator : kAllOperators) {
    EXPECT_EQ(uses_headroom(tone_operator), has_headroom(tone_operator)) << word_of(tone_operator);
    for (const Primaries primaries : {Primaries::kRec709, Primaries::kRec2020}) {
      double most = 0, most_hlg = 0;
      for (const Rgb& signal : map_floats(floats(tone_operator, Transfer::kPq, primaries), lights)) {
        most = std::max({most, signal[0], signal[1], signal[2]});
      }
      const Rgb weights = primaries == Primaries::kRec2020 ? kWeights2020 : Rgb{0.2126, 0.7152, 0.0722};
      for (const Rgb& signal : map_floats(floats(tone_operator, Transfer::kHlg, primaries), lights)) {
        const Rgb shown = hlg_display(signal, weights);
        most_hlg = std::max({most_hlg, shown[0], shown[1], shown[2]});
      }
      if (has_headroom(tone_operator)) {
        EXPECT_NEAR(most, pq_signal(1000), 0.01) << word_of(tone_operator);
        EXPECT_GT(most_hlg, 900) << word_of(tone_operator);
      } else {
        EXPECT_LE(most, pq_signal(203) + 2e-6) << word_of(tone_operator);
        EXPECT_LE(most_hlg, 203.1) << word_of(tone_operator);
      }
    }
  }
}

// With paper white at the peak there is no headroom: PQ encodes the result of the linear target.
TEST(ToneMapHeadroom, PaperWhiteAtThePeakIsNone) {
  const std::vector<Rgb> lights = many_lights(4, 2000);
  for (const ToneOperator tone_operator : kAllOperators) {
    ToneMapOptions pq = floats(tone_operator, Transfer::kPq, Primaries::kRec2020);
    pq.paper_white_nits = pq.peak_nits = 600;
    const ToneMapOptions linear = floats(tone_operator, Transfer::kLinear, Primaries::kRec2020);
    const std::vector<Rgb> stored = map_floats(pq, lights);
    const std::vector<Rgb> light = map_floats(linear, lights);
    for (size_t i = 0; i < lights.size(); ++i) {
      for (int c = 0; c < 3; ++c) {
        const double near = 2e-5;  // both curves are fitted, and PQ is steep
        const double low = pq_signal(600 * std::clamp(light[i][c] - near, 0.0, 1.0));
        const double high = pq_signal(600 * std::clamp(light[i][c] + near, 0.0, 1.0));
        ASSERT_GE(stored[i][c], low - kPromised) << word_of(tone_operator);
        ASSERT_LE(stored[i][c], high + kPromised) << word_of(tone_operator);
      }
    }
  }
}

// ---- Curves with headroom

ToneMapOptions linear(ToneOperator tone_operator, double headroom) {
  ToneMapOptions options = floats(tone_operator, Transfer::kLinear);
  options.headroom = static_cast<float>(headroom);
  return options;
}

TEST(ToneMapHeadroom, CurvesRiseToTheHeadroom) {
  for (const double headroom : {1.0, 2.0, 4.926, 20.0}) {
    for (const ToneOperator tone_operator : kWithHeadroom) {
      if (tone_operator == ToneOperator::kExposure) continue;
      ToneMapOptions options = linear(tone_operator, headroom);
      options.white = static_cast<float>(4 * headroom);
      const std::vector<Rgb> lights = greys(-12, 16, 3000);
      const std::vector<Rgb> got = map_floats(options, lights);
      for (size_t i = 1; i < got.size(); ++i) {
        const double step = 2e-6 * std::max(1.0, got[i][1]);
        ASSERT_GE(got[i][1], got[i - 1][1] - step) << describe(options) << " " << headroom << " " << lights[i][1];
      }
      const double end = std::min(got.back()[1], headroom);
      EXPECT_GT(end, 0.85 * headroom) << describe(options) << " " << headroom;
      EXPECT_LE(end, headroom * (1 + kPromised)) << describe(options) << " " << headroom;
    }
  }
}

TEST(ToneMapHeadroom, ReinhardHasSlopeOneAndReachesTheHeadroomAtWhite) {
  for (const double headroom : {1.0, 3.0, 10.0}) {
    for (const double white : {1.5, 4.0, 30.0}) {
      for (const ToneOperator tone_operator : {ToneOperator::kReinhardExtended, ToneOperator::kReinhardLuminance}) {
        ToneMapOptions options = linear(tone_operator, headroom);
        options.white = static_cast<float>(white);
        EXPECT_NEAR(map_grey(options, white), headroom, kPromised * headroom);
        EXPECT_NEAR(map_grey(options, 1e-4) / 1e-4, 1, 2e-3);
      }
    }
  }
  // White at the headroom: no compression, a straight line.
  ToneMapOptions straight = linear(ToneOperator::kReinhardExtended, 4);
  for (const double x : {0.01, 0.18, 1.0, 3.9}) EXPECT_NEAR(map_grey(straight, x), x, kPromised * std::max(1.0, x));
}

TEST(ToneMapHeadroom, AgxKeepsWhatIsDarkerThanGrey) {
  std::vector<Rgb> lights = greys(-14, std::log2(0.18), 500);
  lights.back() = {0.17999, 0.17999, 0.17999};
  for (const double headroom : {1.5, 4.926, 50.0}) {
    const std::vector<Rgb> without = map_floats(linear(ToneOperator::kAgxBlender, 1), lights);
    const std::vector<Rgb> with = map_floats(linear(ToneOperator::kAgxBlender, headroom), lights);
    for (size_t i = 0; i < lights.size(); ++i) ASSERT_NEAR(with[i][1], without[i][1], 2e-6) << lights[i][1];
  }
}

// The slope is continuous at grey. Above grey the curve is Blender's with stretched stops: Blender's range of 6.5 stops
// grows by the ratio of the stops from grey to the headroom to those from grey to 1.
TEST(ToneMapHeadroom, AgxStretchesItsShoulderFromGrey) {
  for (const double headroom : {1.0, 2.0, 4.926, 10.0}) {
    const ToneMapOptions options = linear(ToneOperator::kAgxBlender, headroom);
    const double stretch = std::log(headroom / 0.18) / std::log(1 / 0.18);
    EXPECT_NEAR(map_grey(options, 0.18), 0.18, 2e-6);
    EXPECT_NEAR(map_grey(options, 0.18 * std::exp2(6.5 * stretch)), headroom, kPromised * headroom);
    const double step = 0.01;
    const auto slope = [&](double from, double to) {
      return std::log2(map_grey(options, 0.18 * std::exp2(to)) / map_grey(options, 0.18 * std::exp2(from))) /
             (to - from);
    };
    EXPECT_NEAR(slope(0, step), slope(-step, 0), 0.01) << headroom;
    // Blender's curve maps 1, which is 2.47 stops above grey, to 0.556, as published.
    const double at = 0.18 * std::exp2(stretch * std::log2(1 / 0.18));
    const double expected = 0.18 * std::exp2(stretch * std::log2(0.5559991 / 0.18));
    EXPECT_NEAR(map_grey(options, at), expected, 2e-5 * expected) << headroom;
  }
}

/// Hue in sixths of the hue circle.
double hue_of(const Rgb& c) {
  const double most = std::max({c[0], c[1], c[2]}), least = std::min({c[0], c[1], c[2]});
  const double range = most - least;
  if (most == c[0]) return std::fmod((c[1] - c[2]) / range + 6, 6);
  return most == c[1] ? 2 + (c[2] - c[0]) / range : 4 + (c[0] - c[1]) / range;
}

// With increasing light, colours of AgX approach white at the headroom, never get darker, and shift their hue no
// farther than without headroom. Hues below 15 % saturation are left out, because colours near white clip.
TEST(ToneMapHeadroom, AgxTakesColoursToWhiteAtTheHeadroom) {
  const double headroom = 1000.0 / 203;
  const auto farthest_turn = [&](double top, const Rgb& colour) {
    std::vector<Rgb> lights;
    for (int i = 0; i <= 300; ++i) {
      const double level = std::exp2(-6 + 22.0 * i / 300);
      lights.push_back({colour[0] * level, colour[1] * level, colour[2] * level});
    }
    double turn = 0, last = 0;
    for (const Rgb& c : map_floats(linear(ToneOperator::kAgxBlender, top), lights)) {
      const double most = std::max({c[0], c[1], c[2]}), least = std::min({c[0], c[1], c[2]});
      EXPECT_GE(most, last - 2e-5 * top);
      EXPECT_LE(most, top * (1 + 1e-6));
      EXPECT_GE(least, 0);
      last = most;
      if (most - least < 0.15 * most) continue;
      const double difference = std::fabs(hue_of(c) - hue_of(colour));
      turn = std::max(turn, std::min(difference, 6 - difference));
    }
    return turn;
  };
  for (int i = 0; i < 36; ++i) {
    for (const double least : {0.0, 0.05, 0.3}) {
      Rgb colour{};
      for (int c = 0; c < 3; ++c) {
        const double way = std::fabs(std::fmod(i / 6.0 - 2.0 * c + 9, 6.0) - 3);
        colour[c] = least + (1 - least) * std::clamp(2 - way, 0.0, 1.0);
      }
      EXPECT_LE(farthest_turn(headroom, colour), farthest_turn(1, colour) + 1e-4)
          << colour[0] << " " << colour[1] << " " << colour[2];
    }
  }
  for (const Rgb& colour : {Rgb{65504, 2000, 2000}, Rgb{2000, 65504, 2000}, Rgb{20000, 2000, 65504}}) {
    const Rgb c = map_floats(linear(ToneOperator::kAgxBlender, headroom), {colour})[0];
    for (const double v : c) EXPECT_GT(v, 0.6 * headroom);
  }
}

// ---- Accuracy

TEST(ToneMapHeadroom, EveryHeadroomIsWithin1e5OfTheDefinitions) {
  struct Range {
    float paper_white, peak;
  };
  const Range ranges[] = {{203, 203},   {203, 600}, {203, 4000}, {203, 10000},
                          {100, 10000}, {1, 10000}, {50, 100},   {10000, 10000}};
  const std::vector<Rgb> lights = many_lights(6, full_run() ? 100000 : 3000);
  for (const ToneOperator tone_operator : kWithHeadroom) {
    for (const Primaries primaries : {Primaries::kRec709, Primaries::kRec2020}) {
      for (const Range& range : ranges) {
        ToneMapOptions options = floats(tone_operator, Transfer::kPq, primaries);
        options.paper_white_nits = range.paper_white;
        options.peak_nits = range.peak;
        expect_promised(options, lights);
        options.peak_nits = 1000;
        options.transfer = Transfer::kHlg;
        options.paper_white_nits = std::min(range.paper_white, 1000.0F);
        expect_promised(options, lights);
        options = floats(tone_operator, Transfer::kLinear, primaries);
        options.headroom = range.peak / range.paper_white;
        expect_promised(options, lights);
      }
    }
  }
}

TEST(ToneMapHeadroom, LooksAndWhitesAreWithin1e5OfTheDefinitions) {
  const std::vector<Rgb> lights = many_lights(7, full_run() ? 100000 : 3000);
  for (const Transfer transfer : {Transfer::kPq, Transfer::kHlg, Transfer::kLinear}) {
    for (const Primaries primaries : {Primaries::kRec709, Primaries::kRec2020}) {
      ToneMapOptions options = floats(ToneOperator::kAgxBlender, transfer, primaries);
      if (transfer == Transfer::kLinear) options.headroom = 4.926F;
      for (const AgxLook look : {AgxLook::kGolden, AgxLook::kPunchy}) {
        options.look = look;
        expect_promised(options, lights);
      }
      options.look = AgxLook::kNone;
      for (const ToneOperator tone_operator : {ToneOperator::kReinhardExtended, ToneOperator::kReinhardLuminance}) {
        options.tone_operator = tone_operator;
        for (const float white : {0.5F, 2.0F, 16.0F, 1000.0F}) {
          options.white = white;
          expect_promised(options, lights);
        }
      }
    }
  }
}

TEST(ToneMapHeadroom, SameBitsOnEverySimdTarget) {
  const std::vector<Rgb> lights = many_lights(8, 1000);
  for (const ToneOperator tone_operator : kAllOperators) {
    for (const Primaries primaries : {Primaries::kRec709, Primaries::kRec2020}) {
      const ToneMapOptions options = floats(tone_operator, Transfer::kHlg, primaries);
      const std::vector<Rgb> expected = map_floats(options, lights);
      for (const size_t target : machine_targets()) {
        const OnlyTarget only(target);
        EXPECT_EQ(map_floats(options, lights), expected) << name_of_target(target) << " " << describe(options);
      }
    }
  }
}

// ---- Mistakes

TEST(ToneMapHeadroom, SaysWhatIsWrong) {
  const auto message = [&](const std::function<void(ToneMapOptions&)>& change) {
    ToneMapOptions options = floats(ToneOperator::kAgxBlender, Transfer::kPq);
    options.size = {1, 1};
    change(options);
    const auto plan = plan_tone_map(options);
    return plan ? std::string("fine") : plan.error().message;
  };
  EXPECT_EQ(message([](auto&) {}), "fine");
  EXPECT_EQ(message([](auto& o) { o.paper_white_nits = 0.5F; }), "paper_white_nits: 0.5 is not within 1 and 10000");
  EXPECT_EQ(message([](auto& o) { o.paper_white_nits = NAN; }), "paper_white_nits: nan is not within 1 and 10000");
  EXPECT_EQ(message([](auto& o) { o.peak_nits = 100; }), "paper_white_nits: 203 is above peak_nits, 100");
  EXPECT_EQ(message([](auto& o) { o.paper_white_nits = o.peak_nits = 100; }), "fine");
  EXPECT_EQ(message([](auto& o) {
              o.transfer = Transfer::kHlg;
              o.paper_white_nits = 1500;
            }),
            "paper_white_nits: 1500 is above 1000, the peak of the display that HLG is made for");
  EXPECT_EQ(message([](auto& o) {
              o.transfer = Transfer::kSrgb;
              o.peak_nits = 100;
            }),
            "fine");
  EXPECT_EQ(message([](auto& o) { o.headroom = 2; }),
            "headroom: 2, but transfer is not linear; PQ and HLG have paper_white_nits, others none");
  EXPECT_EQ(message([](auto& o) {
              o.transfer = Transfer::kLinear;
              o.headroom = 2;
            }),
            "fine");
  EXPECT_EQ(message([](auto& o) {
              o.transfer = Transfer::kLinear;
              o.headroom = 0.5F;
            }),
            "headroom: 0.5 is not within 1 and 10000");
  EXPECT_EQ(message([](auto& o) {
              o.transfer = Transfer::kLinear;
              o.target = Format::kRGBA8Unorm;
              o.headroom = 2;
            }),
            "headroom: 2, but target r8g8b8a8_unorm ends at 1");
}

}  // namespace
}  // namespace onepass::testing
