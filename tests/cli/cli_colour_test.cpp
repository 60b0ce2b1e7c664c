// cli_colour_test.cpp: how the program handles alpha, primaries, NaN and Inf. Expected values follow from the
// definitions. The test image is a soft edge: one hue, alpha from 0 to 1.
#include <cmath>
#include <limits>

#include "tests/cli/cli_support.hpp"

namespace cli_test {
namespace {

using onepass::AlphaAssociation;
using onepass::Chromaticities;
using onepass::files::WriteOptions;

constexpr float kHue[3] = {0.8F, 0.3F, 0.05F};

double srgb_code(double light) {
  const double encoded = light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
  return 255 * std::min(1.0, encoded);
}

class CliColour : public Cli {
 protected:
  // Alpha of column x; all rows are equal.
  static float alpha_at(uint32_t x) { return static_cast<float>(x) / 16; }

  // A 17x4 soft edge of colour kHue, straight or premultiplied.
  void make_edge(const std::string& name, Format format, AlphaAssociation alpha, WriteOptions options = {}) const {
    const bool premultiplied = alpha == AlphaAssociation::kPremultiplied;
    write_as(name,
             image(format, {17, 4},
                   [&](uint32_t x, uint32_t, uint32_t c) {
                     return c == 3 ? alpha_at(x) : kHue[c] * (premultiplied ? alpha_at(x) : 1.0F);
                   }),
             std::move(options));
  }

  void write_as(const std::string& name, const Image& picture, const WriteOptions& options) const {
    const onepass::ImageView view = picture.view();
    const auto done = onepass::files::write(path(name), std::span(&view, 1), options);
    ASSERT_TRUE(done) << done.error().text();
  }

  // Expects success and exactly one line of warning that contains all of `words`.
  void warns(const Args& arguments, const std::vector<std::string>& words) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("onepass: warning: ")) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    for (const std::string& word : words) EXPECT_NE(outcome.err.find(word), std::string::npos) << outcome.err;
  }

  // Texel x of level 1 of an edge: mean premultiplied light of columns 2x and 2x+1, divided by their mean alpha.
  static double level_one(uint32_t x, uint32_t c) {
    const double a = alpha_at(2 * x), b = alpha_at(2 * x + 1);
    return a + b > 0 ? kHue[c] * (a + b) / (a + b) : 0;
  }
};

// Numbers of 16 bits keep their bits through the program; where the output's readers would take them as sRGB, the file
// says that they are linear, or they are encoded.
TEST_F(CliColour, SixteenBitsWithoutAStatementAreLinear) {
  const auto ramp = [](uint32_t x, uint32_t y, uint32_t c) {
    return c == 3 ? 1.0F : static_cast<float>(x * 3 + y + c) / 70;
  };
  make("one.pfm", Format::kR32Sfloat, {1, 1}, [](uint32_t, uint32_t, uint32_t) { return 1.0F; });
  for (const Format format : {Format::kR16Unorm, Format::kRGBA16Unorm}) {
    make("in.tif", format, {16, 8}, ramp);
    const Image in = image(format, {16, 8}, ramp);
    for (const char* name : {"out.tif", "out.png", "out.ktx2"}) {
      good({"convolve", "in.tif", "--kernel", "one.pfm", "-o", name, "--engine", "cpu"});
      const auto out = read(name);
      ASSERT_EQ(out.base().format, format) << name;
      for (uint32_t x = 0; x < 16; ++x) EXPECT_NEAR(value(out.levels[0], x, 3), value(in, x, 3), 1.01 / 65535) << name;
    }
    good({"convolve", "in.tif", "--kernel", "one.pfm", "-o", "out.jpg", "--quality", "100", "--engine", "cpu"});
    const auto coded = read("out.jpg", {.color = onepass::files::Color::kLinear});
    const float light = value(in, 5, 3);
    EXPECT_NEAR(value(coded.levels[0], 5, 3) * 255, srgb_code(light), 6);
    EXPECT_GT(srgb_code(light) - light * 255, 50);
  }
}

// What readers take as sRGB, JPEG and PNM files of colours, is encoded; 16-bit grey in PGM and PAM files is linear.
TEST_F(CliColour, SixteenBitsOfPnmFilesComeBackAsTheyWere) {
  const float light[] = {1000.0F / 65535, 20000.0F / 65535, 40000.0F / 65535, 1.0F};
  make("one.pfm", Format::kR32Sfloat, {1, 1}, [](uint32_t, uint32_t, uint32_t) { return 1.0F; });
  const auto texel = [&](uint32_t, uint32_t, uint32_t c) { return light[c]; };
  make("colours.tif", Format::kRGBA16Unorm, {4, 4}, texel);
  make("grey.tif", Format::kR16Unorm, {4, 4}, texel);
  make("grey.pfm", Format::kR32Sfloat, {4, 4}, [](uint32_t, uint32_t, uint32_t) { return 0.2F; });
  const auto written = [&](const char* input, const char* output) {
    good({"convolve", input, "--kernel", "one.pfm", "-o", output, "--engine", "cpu"});
    return read(output);
  };
  // One step of 16 bits: 1/65535 of the sRGB value, whose slope is at most 2.28 at white, 1/12.92 at black.
  constexpr float kStep = 2.3F / 65535;
  for (const char* name : {"c.ppm", "c.pam", "c.pnm"}) {
    const auto file = written("colours.tif", name);
    for (uint32_t c = 0; c < 3; ++c) EXPECT_NEAR(value(file.levels[0], 2, 1, c), light[c], kStep) << name << c;
  }
  for (const char* name : {"g.pgm", "g.pam", "g.pnm", "g.ppm"}) {
    EXPECT_NEAR(value(written("grey.tif", name).levels[0], 2, 1), light[0], kStep) << name;
    EXPECT_NEAR(value(written("grey.pfm", name).levels[0], 2, 1), 0.2F, kStep) << name;
  }
  // --color linear: numbers, which stay as they are.
  good({"convolve", "colours.tif", "--kernel", "one.pfm", "-o", "n.ppm", "--engine", "cpu", "--color", "linear"});
  const auto numbers = read("n.ppm", {.color = onepass::files::Color::kLinear});
  EXPECT_NEAR(value(numbers.levels[0], 2, 1, 1), light[1], 1.01F / 65535);
}

TEST_F(CliColour, PremultipliedFilesBecomeStraightPictures) {
  make_edge("e.exr", Format::kRGBA16Sfloat, AlphaAssociation::kPremultiplied);
  good({"mips", "e.exr", "-o", "e.png", "-q", "--footprint", "aligned"});
  for (const std::string alpha : {"independent", "weighted"}) {
    good({"mips", "e.exr", "-o", "e.png", "-q", "--footprint", "aligned", "--alpha", alpha});
    const auto base = read("e.0.png", {.color = onepass::files::Color::kLinear});
    const auto level = read("e.1.png", {.color = onepass::files::Color::kLinear});
    for (uint32_t x = 1; x < 8; ++x) {
      for (uint32_t c = 0; c < 3; ++c) {
        EXPECT_NEAR(255 * value(base.levels[0], x, 0, c), srgb_code(kHue[c]), 0.7) << alpha << " " << x;
        EXPECT_NEAR(255 * value(level.levels[0], x, 0, c), srgb_code(level_one(x, c)), 0.7) << alpha << " " << x;
      }
      EXPECT_NEAR(value(level.levels[0], x, 0, 3), (alpha_at(2 * x) + alpha_at(2 * x + 1)) / 2, 0.003);
    }
  }
}

TEST_F(CliColour, WeightedAveragesWeighOnce) {
  make_edge("e.exr", Format::kRGBA32Sfloat, AlphaAssociation::kPremultiplied);
  good({"mips", "e.exr", "-o", "one.exr", "-q", "--levels", "1"});
  good({"mips", "e.exr", "-o", "e.ktx2", "-q", "--footprint", "aligned", "--alpha", "weighted", "--output-alpha",
        "premultiplied"});
  const auto file = read("e.ktx2");
  EXPECT_EQ(file.alpha, AlphaAssociation::kPremultiplied);
  for (uint32_t x = 0; x < 8; ++x) {
    const float expected = kHue[0] * (alpha_at(2 * x) + alpha_at(2 * x + 1)) / 2;
    EXPECT_NEAR(value(file.levels[1], x, 0, 0), expected, 1e-6) << x;
  }
}

TEST_F(CliColour, StraightFilesBecomePremultipliedOnesAndBack) {
  make_edge("e.png", Format::kRGBA16Unorm, AlphaAssociation::kStraight, {.png = {.code_points = {1, 8}}});
  good({"mips", "e.png", "-o", "e.exr", "-q", "--levels", "1"});
  const auto light = read("e.exr");
  ASSERT_EQ(light.alpha, AlphaAssociation::kPremultiplied);
  for (uint32_t x = 0; x < 17; ++x) EXPECT_NEAR(value(light.levels[0], x, 1, 0), kHue[0] * alpha_at(x), 3e-5) << x;
  good({"mips", "e.exr", "-o", "back.ktx2", "-q", "--levels", "1"});
  const auto back = read("back.ktx2");
  EXPECT_EQ(back.alpha, AlphaAssociation::kStraight);
  for (uint32_t x = 1; x < 17; ++x) EXPECT_NEAR(value(back.levels[0], x, 1, 0), kHue[0], 1e-3) << x;
}

TEST_F(CliColour, WhatTheFileSaysCanBeOverridden) {
  make_edge("e.exr", Format::kRGBA32Sfloat, AlphaAssociation::kStraight);  // straight alpha: against the format
  good({"mips", "e.exr", "-o", "e.ktx2", "-q", "--levels", "1", "--input-alpha", "straight"});
  EXPECT_NEAR(value(read("e.ktx2").levels[0], 4, 0, 0), kHue[0], 1e-6);
  bad(2, {"mips", "e.exr", "-o", "x.png", "--output-alpha", "premultiplied"}, {"--output-alpha", "x.png", "straight"});
  bad(2, {"mips", "e.exr", "-o", "x.exr", "--output-alpha", "straight"}, {"--output-alpha", "x.exr", "premultiplied"});
  bad(2, {"filter", "e.exr", "--blur", "1", "-o", "x.hdr", "--output-alpha", "straight"}, {"--output-alpha", "x.hdr"});
  bad(2, {"mips", "e.exr", "-o", "x.png", "--input-alpha", "premult"},
      {"--input-alpha", "did you mean premultiplied?"});
}

TEST_F(CliColour, Ktx2KeepsItsFlag) {
  make_edge("e.ktx2", Format::kRGBA16Sfloat, AlphaAssociation::kPremultiplied,
            {.alpha = AlphaAssociation::kPremultiplied, .ktx2 = {.stored_alpha = AlphaAssociation::kPremultiplied}});
  good({"mips", "e.ktx2", "-o", "kept.ktx2", "-q"});
  const auto kept = read("kept.ktx2");
  EXPECT_EQ(kept.alpha, AlphaAssociation::kPremultiplied);
  EXPECT_NEAR(value(kept.levels[0], 4, 0, 0), kHue[0] / 4, 1e-3);
  good({"mips", "e.ktx2", "-o", "plain.ktx2", "-q", "--output-alpha", "straight"});
  const auto plain = read("plain.ktx2");
  EXPECT_EQ(plain.alpha, AlphaAssociation::kStraight);
  EXPECT_NEAR(value(plain.levels[0], 4, 0, 0), kHue[0], 1e-3);
}

// A blur takes the outline with it: colours stay what they were wherever anything is seen.
TEST_F(CliColour, BlurredCutOutsHaveBlurredOutlines) {
  const auto cut_out = [](uint32_t x, uint32_t, uint32_t c) { return c < 3 ? kHue[c] : x < 16 ? 1.0F : 0.0F; };
  write_as("cut.png", image(Format::kRGBA16Unorm, {32, 8}, cut_out), {.png = {.code_points = {1, 8}}});
  make("box.exr", Format::kR32Sfloat, {7, 1}, [](uint32_t, uint32_t, uint32_t) { return 1.0F; });
  for (const Args& command : {Args{"filter", "--blur", "2"}, Args{"filter", "--lowpass", "0.1", "--order", "1"},
                              Args{"convolve", "-k", "box.exr"}}) {
    Args arguments = command;
    arguments.insert(arguments.end(), {"cut.png", "-o", "out.ktx2"});
    EXPECT_EQ(good(arguments).err.find("warning"), std::string::npos) << command[0];
    const Image blurred = std::move(read("out.ktx2").levels[0]);
    EXPECT_NEAR(value(blurred, 15, 4, 3), 0.57, 0.1) << command[0];
    EXPECT_NEAR(value(blurred, 2, 4, 3), 1, 0.02) << command[0];
    EXPECT_NEAR(value(blurred, 29, 4, 3), 0, 0.02) << command[0];
    for (const uint32_t x : {2U, 13U, 15U, 17U}) {
      for (uint32_t c = 0; c < 3; ++c) EXPECT_NEAR(value(blurred, x, 4, c), kHue[c], 2e-3) << command[0] << " " << x;
    }
    arguments.insert(arguments.end(), {"--alpha", "pass", "-q"});
    EXPECT_EQ(run(arguments).status, 0);
    EXPECT_EQ(value(read("out.ktx2").levels[0], 16, 4, 3), 0) << command[0];
  }
  // Edges of a picture are no outline, and what has no alpha is opaque.
  make("plain.png", Format::kRGBA8Unorm, {9, 9}, [](uint32_t, uint32_t, uint32_t) { return 1.0F; });
  good({"convolve", "-k", "box.exr", "plain.png", "-o", "plain.ktx2", "--boundary", "zero", "-q"});
  EXPECT_EQ(value(read("plain.ktx2").levels[0], 0, 4, 3), 1);
}

// Light with alpha 0: what a flame is in a render.
TEST_F(CliColour, EmissionSurvivesOrIsNamed) {
  make("flame.exr", Format::kRGBA16Sfloat, {8, 8},
       [](uint32_t x, uint32_t y, uint32_t c) { return x == 3 && y == 3 && c < 3 ? 4.0F : 0.0F; });
  for (const Args& command : {Args{"mips"}, Args{"filter", "--lowpass", "0.5"}, Args{"bloom", "--scatter", "0"},
                              Args{"tonemap", "--operator", "exposure", "--exposure", "0"}}) {
    Args whole = command, picture = command, shown = command;
    whole.insert(whole.end(), {"flame.exr", "-o", "out.exr", "-q"});
    good(whole);
    EXPECT_GT(value(read("out.exr").levels[0], 3, 3, 0), 2.5F) << command[0];
    picture.insert(picture.end(), {"flame.exr", "-o", "out.png"});
    warns(picture, {"flame.exr", "alpha 0", "--background", "--channel"});
    shown.insert(shown.end(), {"flame.exr", "-o", "shown.png", "--background", "#808080", "-q"});
    good(shown);
    const std::string name = command[0] == "mips" ? "shown.0.png" : "shown.png";
    const auto on_grey = read(name, {.color = onepass::files::Color::kLinear});
    EXPECT_EQ(on_grey.stored_channels, 3U);
    EXPECT_NEAR(255 * value(on_grey.levels[0], 3, 3, 0), 255, 0.5) << command[0];
    EXPECT_NEAR(255 * value(on_grey.levels[0], 0, 0, 1), 128, 1.5) << command[0];
  }
}

TEST_F(CliColour, TonesAreOfStraightColours) {
  make_edge("e.exr", Format::kRGBA32Sfloat, AlphaAssociation::kPremultiplied);
  const Args options{"--operator", "reinhard", "--exposure", "1", "-q"};
  const auto map = [&](const std::string& output) {
    Args arguments{"tonemap", "e.exr", "-o", output};
    arguments.insert(arguments.end(), options.begin(), options.end());
    good(arguments);
    return read(output, {.color = onepass::files::Color::kLinear});
  };
  const double exposed = 2 * kHue[0], mapped = exposed / (1 + exposed);
  const auto png = map("e.png");
  const auto exr = map("out.exr");
  for (uint32_t x = 1; x < 17; ++x) {
    EXPECT_NEAR(255 * value(png.levels[0], x, 0, 0), srgb_code(mapped), 0.7) << x;
    EXPECT_NEAR(value(png.levels[0], x, 0, 3), alpha_at(x), 0.003) << x;
    EXPECT_NEAR(value(exr.levels[0], x, 0, 0), mapped * alpha_at(x), 1e-3) << x;
    EXPECT_NEAR(value(exr.levels[0], x, 0, 3), alpha_at(x), 1e-3) << x;
  }
}

// Straight colour under alpha 0 is not light: filters do not spread it and the meter ignores it.
TEST_F(CliColour, HiddenColoursDoNotBleed) {
  make("h.png", Format::kRGBA8Srgb, {16, 16}, [](uint32_t x, uint32_t, uint32_t c) {
    return x < 8 ? (c == 0 ? 1.0F : 0.0F) : (c == 1 || c == 3 ? 1.0F : 0.0F);  // left: hidden red; right: opaque green
  });
  for (const Args& command : {Args{"filter", "--blur", "2"}, Args{"convolve", "--kernel", "k.pfm"}}) {
    make("k.pfm", Format::kR32Sfloat, {5, 5}, [](uint32_t, uint32_t, uint32_t) { return 0.04F; });
    Args arguments = command;
    arguments.insert(arguments.end(), {"h.png", "-o", "out.png", "-q"});
    good(arguments);
    EXPECT_EQ(value(read("out.png", {.color = onepass::files::Color::kLinear}).levels[0], 8, 8, 0), 0.0F) << command[0];
  }
  const auto metered = nlohmann::json::parse(good({"meter", "h.png", "--json"}).out);
  EXPECT_NEAR(metered["results"][0]["meter"][0]["max_luminance"].get<double>(), 0.7152, 1e-4);
  EXPECT_NEAR(metered["results"][0]["meter"][0]["mean_luminance"].get<double>(), 0.3576, 1e-4);
}

TEST_F(CliColour, PrimariesOfInputsAreHeard) {
  const auto numbers = [](const Chromaticities& c) {
    return std::array<float, 8>{static_cast<float>(c.red[0]),   static_cast<float>(c.red[1]),
                                static_cast<float>(c.green[0]), static_cast<float>(c.green[1]),
                                static_cast<float>(c.blue[0]),  static_cast<float>(c.blue[1]),
                                static_cast<float>(c.white[0]), static_cast<float>(c.white[1])};
  };
  const auto colour = image(Format::kRGBA32Sfloat, {8, 8}, [](uint32_t, uint32_t, uint32_t c) {
    return c == 3 ? 1.0F : c == 0 ? 0.5F : c == 1 ? 0.4F : 0.3F;
  });
  write_as("wide.exr", colour, {.exr = {.chromaticities = numbers(onepass::kRec2020Chromaticities)}});
  write_as("plain.exr", colour, {});
  // Inverse of the BT.709 to BT.2020 matrix of ITU-R BT.2087.
  const double expected[3] = {1.6605 * 0.5 - 0.5876 * 0.4 - 0.0728 * 0.3, -0.1246 * 0.5 + 1.1329 * 0.4 - 0.0083 * 0.3,
                              -0.0182 * 0.5 - 0.1006 * 0.4 + 1.1187 * 0.3};
  good({"mips", "wide.exr", "-o", "w.png", "-q", "--levels", "1"});
  good({"mips", "plain.exr", "-o", "p.png", "-q", "--levels", "1", "--input-primaries", "rec2020"});
  good({"tonemap", "wide.exr", "-o", "t.exr", "-q", "--operator", "exposure", "--exposure", "0", "--bits", "32"});
  for (uint32_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(255 * value(read("w.0.png", {.color = onepass::files::Color::kLinear}).levels[0], 2, 2, c),
                srgb_code(expected[c]), 0.7);
    EXPECT_NEAR(255 * value(read("p.0.png", {.color = onepass::files::Color::kLinear}).levels[0], 2, 2, c),
                srgb_code(expected[c]), 0.7);
    EXPECT_NEAR(value(read("t.exr").levels[0], 2, 2, c), expected[c], 2e-4);
  }
  // EXR to EXR keeps the values and the primaries.
  good({"mips", "wide.exr", "-o", "kept.exr", "-q"});
  const auto kept = read("kept.exr");
  EXPECT_TRUE(kept.says_primaries && onepass::same_chromaticities(kept.primaries, onepass::kRec2020Chromaticities));
  EXPECT_EQ(value(kept.levels[0], 2, 2, 0), 0.5F);
  good({"mips", "wide.exr", "-o", "p3.png", "-q", "--levels", "1", "--output-primaries", "p3"});
  EXPECT_TRUE(read("p3.0.png").primaries == onepass::kDisplayP3Chromaticities);
  good({"mips", "wide.exr", "-o", "aces.exr", "-q", "--output-primaries", "acescg"});
  EXPECT_TRUE(onepass::same_chromaticities(read("aces.exr").primaries, onepass::kAcesCgChromaticities));
  bad(2, {"mips", "wide.exr", "-o", "x.png", "--output-primaries", "acescg"}, {"--output-primaries", "x.png"});
  good({"mips", "wide.exr", "-o", "wide.ktx2", "-q", "--output-primaries", "keep"});
  EXPECT_TRUE(read("wide.ktx2").primaries == onepass::kRec2020Chromaticities);
  bad(2, {"mips", "wide.exr", "-o", "x.ktx2", "--output-primaries", "acescg"}, {"--output-primaries", "x.ktx2"});
  bad(2, {"mips", "wide.exr", "-o", "x.png", "--input-primaries", "rec202"}, {"--input-primaries", "rec2020?"});
  bad(2, {"mips", "wide.exr", "-o", "x.png", "--input-primaries", "0,0,0,0,0,0,0,0"}, {"--input-primaries", "0,0,0"});
}

TEST_F(CliColour, SpectraRememberWhatPicturesMeant) {
  make_edge("e.png", Format::kRGBA8Srgb, AlphaAssociation::kStraight);
  good({"fft", "e.png", "-o", "s.exr", "-q"});
  good({"fft", "s.exr", "--inverse", "-o", "back.png", "-q"});
  const auto was = read("e.png"), is = read("back.png");
  EXPECT_EQ(std::memcmp(was.levels[0].data(), is.levels[0].data(), was.levels[0].size_in_bytes()), 0);
  good({"fft", "s.exr", "--inverse", "-o", "back.exr", "-q"});
  EXPECT_NEAR(value(read("back.exr").levels[0], 8, 1, 0), kHue[0] / 2, 4e-3);
}

TEST_F(CliColour, NumbersThatAreNoneAreRefusedReplacedOrKept) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  make("n.pfm", Format::kRGBA32Sfloat, {40, 30}, [&](uint32_t x, uint32_t y, uint32_t c) {
    return x == 7 && y == 5 && c == 1 ? nan : x == 9 && y == 6 && c == 0 ? inf : 0.25F;
  });
  make("k.pfm", Format::kR32Sfloat, {3, 3}, [](uint32_t, uint32_t, uint32_t) { return 0.1F; });
  const std::vector<Args> spoiled = {{"fft"},
                                     {"filter", "--blur", "3"},
                                     {"convolve", "--kernel", "k.pfm"},
                                     {"bloom"},
                                     {"deconvolve", "--kernel", "k.pfm"}};
  for (const Args& command : spoiled) {
    Args arguments = command;
    arguments.insert(arguments.end(), {"n.pfm", "-o", "out.exr"});
    bad(1, arguments, {"n.pfm: ", "(7, 5)", "NaN", "1 NaN and 1 infinite", "--nonfinite"});
    arguments.insert(arguments.end(), {"--nonfinite", "zero"});
    warns(arguments, {"n.pfm", "1 NaN and 1 infinite", "replaced"});
  }
  bad(1, {"align", "n.pfm", "n.pfm"}, {"n.pfm: ", "(7, 5)"});
  good({"filter", "n.pfm", "--blur", "3", "-o", "out.exr", "-q", "--nonfinite", "keep"});
  EXPECT_TRUE(std::isnan(value(read("out.exr").levels[0], 39, 29, 1)));
  good({"mips", "n.pfm", "-o", "out.ktx2", "-q"});
  EXPECT_TRUE(std::isnan(value(read("out.ktx2").levels[0], 7, 5, 1)));
  bad(1, {"mips", "n.pfm", "-o", "out.ktx2", "--nonfinite", "refuse"}, {"(7, 5)"});
  warns({"mips", "n.pfm", "-o", "out.ktx2", "--nonfinite", "zero"}, {"replaced"});
  EXPECT_EQ(value(read("out.ktx2").levels[0], 7, 5, 1), 0.0F);
  EXPECT_EQ(value(read("out.ktx2").levels[0], 9, 6, 0), std::numeric_limits<float>::max() / 4);
}

// Infinity becomes a number that the target holds and whose means are finite, the same on both engines.
TEST_F(CliColour, NonFiniteZeroFitsTheTarget) {
  const float infinity = std::numeric_limits<float>::infinity();
  make("i.pfm", Format::kR32Sfloat, {8, 8}, [&](uint32_t x, uint32_t y, uint32_t) {
    return x < 4 ? infinity : y < 4 ? -infinity : 1.0F;
  });
  for (const std::string format : {"r32_sfloat", "r16_sfloat"}) {
    const float most = format == "r16_sfloat" ? 65504.0F : std::numeric_limits<float>::max() / 4;
    for (const std::string engine : {"cpu", "vulkan"}) {
      if (engine == "vulkan" && !has_vulkan()) continue;
      warns({"mips", "i.pfm", "-o", engine + ".ktx2", "--nonfinite", "zero", "--format", format, "--engine", engine},
            {"warning: i.pfm: 48 infinite texels replaced"});
      const auto file = read(engine + ".ktx2");
      for (uint32_t n = 0; n < 3; ++n) {
        EXPECT_EQ(value(file.levels[n], 0, 0), most) << engine << ' ' << format << " level " << n;
        EXPECT_EQ(value(file.levels[n], (8 >> n) - 1, 0), -most) << engine << ' ' << format << " level " << n;
        EXPECT_EQ(value(file.levels[n], (8 >> n) - 1, (8 >> n) - 1), 1.0F) << engine << ' ' << format;
      }
      EXPECT_TRUE(std::isfinite(value(file.levels[3], 0, 0))) << engine << ' ' << format;
    }
  }
}

TEST_F(CliColour, FiniteValuesBeyondATargetAreLimitedWithAWarning) {
  make("a.pfm", Format::kR32Sfloat, {4, 4}, [](uint32_t x, uint32_t y, uint32_t) {
    return x == 0 && y == 0 ? 1e5F : x == 3 && y == 3 ? -7e37F : 2.0F;
  });
  for (const std::string engine : {"cpu", "vulkan"}) {
    if (engine == "vulkan" && !has_vulkan()) continue;
    warns({"mips", "a.pfm", "-o", "a.ktx2", "--format", "r16_sfloat", "--engine", engine},
          {"2 texels beyond 65504, the largest value of r16_sfloat, limited to it"});
    const auto file = read("a.ktx2");
    EXPECT_EQ(value(file.levels[0], 0, 0), 65504.0F) << engine;
    EXPECT_EQ(value(file.levels[0], 3, 3), -65504.0F) << engine;
    EXPECT_EQ(value(file.levels[1], 0, 0), 25008.0F) << engine << ", the mean of the unrounded base";
    EXPECT_EQ(value(file.levels[1], 1, 1), -65504.0F) << engine;
  }
  EXPECT_EQ(good({"mips", "a.pfm", "-o", "a.ktx2", "--format", "r32_sfloat"}).err, "");
}

TEST_F(CliColour, HizWarnsOfTargetsThatRoundDepths) {
  make("d.pfm", Format::kR32Sfloat, {4, 4},
       [](uint32_t x, uint32_t y, uint32_t) { return 0.1F * static_cast<float>(x + y); });
  for (const std::string format : {"r16_sfloat", "r16_unorm"}) {
    warns({"hiz", "d.pfm", "-o", "d.ktx2", "--format", format}, {format + " rounds depths", "--format r32_sfloat"});
  }
  EXPECT_EQ(good({"hiz", "d.pfm", "-o", "d.ktx2"}).err, "");
}

TEST_F(CliColour, WindowsOfExrSurvive) {
  const auto picture = image(Format::kRGBA16Sfloat, {6, 4}, pattern);
  write_as("w.exr", picture,
           {.exr = {.data_window = onepass::files::Box{10, 20, 15, 23},
                    .display_window = onepass::files::Box{8, 18, 19, 29},
                    .pixel_aspect_ratio = 2}});
  for (const Args& command : {Args{"mips"}, Args{"filter", "--blur", "1"}, Args{"tonemap"}, Args{"bloom"}}) {
    Args arguments = command;
    arguments.insert(arguments.end(), {"w.exr", "-o", "out.exr", "-q"});
    good(arguments);
    const auto file = read("out.exr");
    EXPECT_TRUE((file.data_window == onepass::files::Box{10, 20, 15, 23})) << command[0];
    EXPECT_TRUE((file.display_window == onepass::files::Box{8, 18, 19, 29})) << command[0];
    EXPECT_EQ(file.pixel_aspect_ratio, 2) << command[0];
  }
  good({"mips", "w.exr", "-o", "d.png", "-q", "--levels", "1", "--window", "display"});
  EXPECT_EQ(read("d.0.png").levels[0].size(), (Extent{12, 12}));
  good({"mips", "w.exr", "-o", "d.ktx2", "-q", "--levels", "1"});
  EXPECT_EQ(read("d.ktx2").levels[0].size(), (Extent{6, 4}));
}

TEST_F(CliColour, TiffKeepsAlphaAndJpegIsPutOnBlack) {
  make_edge("e.exr", Format::kRGBA16Sfloat, AlphaAssociation::kPremultiplied);
  good({"filter", "e.exr", "--lowpass", "0.5", "--gains", "1,1", "-o", "e.tif", "-q"});
  const auto tiff = read("e.tif");
  EXPECT_EQ(tiff.alpha, AlphaAssociation::kPremultiplied);
  EXPECT_NEAR(value(tiff.levels[0], 8, 1, 0), kHue[0] / 2, 1e-3);
  good({"tonemap", "e.exr", "-o", "s.tif", "-q", "--output-alpha", "straight", "--operator", "exposure", "--exposure",
        "0"});
  const auto straight = read("s.tif");
  EXPECT_EQ(straight.alpha, AlphaAssociation::kStraight);
  EXPECT_NEAR(value(straight.levels[0], 8, 1, 0), kHue[0], 5e-3);
  good({"tonemap", "e.exr", "-o", "e.jpg", "-q", "--operator", "exposure", "--exposure", "0", "--quality", "100"});
  EXPECT_NEAR(value(read("e.jpg").levels[0], 8, 1, 0), kHue[0] / 2, 2e-2);
  bad(2, {"tonemap", "e.exr", "-o", "e.jpg", "--transfer", "pq"}, {"--transfer pq", "e.jpg"});
  bad(2, {"mips", "e.exr", "-o", "e.jpg"}, {"e.jpg", "extension"});
  bad(2, {"filter", "e.exr", "--blur", "1", "-o", "e.jpg", "--quality", "0"}, {"--quality"});
}

TEST_F(CliColour, GreyStaysOneByte) {
  make("g.png", Format::kR8Unorm, {16, 16}, pattern);
  good({"mips", "g.png", "-o", "g.ktx2", "-q"});
  EXPECT_EQ(read("g.ktx2").levels[0].format(), Format::kR8Srgb);
  good({"tonemap", "g.png", "-o", "t.ktx2", "-q"});
  EXPECT_EQ(read("t.ktx2").levels[0].format(), Format::kR8Srgb);
  EXPECT_EQ(read("t.ktx2").transfer, 13U);
}

// Grey pictures of any depth are grey in formats of colours, alone and beside pictures with colours.
TEST_F(CliColour, GreyBecomesColourWithThreeAlikeChannels) {
  const auto slope = [](uint32_t x, uint32_t, uint32_t) { return 0.25F + static_cast<float>(x) / 16; };
  make("grey.exr", Format::kR32Sfloat, {8, 8}, slope);
  make("half.exr", Format::kR16Sfloat, {8, 8}, slope);
  make("codes.png", Format::kR8Unorm, {8, 8}, slope);
  const auto expect_grey = [&](const Image& picture, uint32_t slice, float near, const std::string& what) {
    for (uint32_t x = 0; x < 8; ++x) {
      EXPECT_EQ(value(picture, x, 3, 1, slice), value(picture, x, 3, 0, slice)) << what;
      EXPECT_EQ(value(picture, x, 3, 2, slice), value(picture, x, 3, 0, slice)) << what;
      EXPECT_EQ(value(picture, x, 3, 3, slice), 1) << what;
      EXPECT_NEAR(value(picture, x, 3, 0, slice), slope(x, 3, 0), near) << what;
    }
  };
  for (const std::string name : {"grey.exr", "half.exr", "codes.png"}) {
    good({"mips", name, "-o", "g.ktx2", "--color", "linear", "--format", "r16g16b16a16_sfloat", "-q"});
    expect_grey(read("g.ktx2").levels[0], 0, name == "codes.png" ? 2e-3F : 5e-4F, name);
  }
  make("colour.exr", Format::kRGBA32Sfloat, {8, 8}, pattern);
  good({"mips", "grey.exr", "colour.exr", "--array", "-o", "two.ktx2", "-q"});
  expect_grey(read("two.ktx2").levels[0], 0, 0, "slice");
}

}  // namespace
}  // namespace cli_test
