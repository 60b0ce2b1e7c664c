// cli_light_test.cpp: `meter` and `tonemap`: the effect of every option, and an error that names every mistake.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "tests/cli/cli_support.hpp"

namespace cli_test {
namespace {

using nlohmann::json;

float light(uint32_t x, uint32_t y, uint32_t c) {
  return c == 3 ? 1.0F : std::exp2(static_cast<float>(x % 16) - 8) * (1 + 0.1F * static_cast<float>(c + y % 3));
}

class CliLight : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    make("a.exr", Format::kRGBA32Sfloat, {48, 32}, light);
  }

  [[nodiscard]] json report(Args arguments) const {
    arguments.insert(arguments.begin() + 1, {"--engine", "cpu", "--json"});
    return json::parse(good(arguments).out)["results"][0];
  }
  [[nodiscard]] json meter(Args more = {}) const {
    more.insert(more.begin(), {"meter", "a.exr"});
    return report(more)["meter"][0];
  }
  [[nodiscard]] double exposure(Args more) const {
    more.insert(more.begin(), {"tonemap", "a.exr", "-o", "e.exr"});
    return report(more)["exposure"];
  }
  std::string mapped(const std::string& output, Args more) const {
    more.insert(more.begin(), {"tonemap", "a.exr", "--engine", "cpu", "-o", output});
    good(more);
    return bytes(output);
  }
};

TEST_F(CliLight, MeterSaysWhatTheDefinitionsSay) {
  double sum = 0, logs = 0, least = 1e9, most = 0;
  for (uint32_t y = 0; y < 32; ++y) {
    for (uint32_t x = 0; x < 48; ++x) {
      const double v = 0.2126 * light(x, y, 0) + 0.7152 * light(x, y, 1) + 0.0722 * light(x, y, 2);
      sum += v;
      logs += std::log2(v + 1e-4);
      least = std::min(least, v);
      most = std::max(most, v);
    }
  }
  const double average = std::exp2(logs / (48 * 32));
  const json m = meter();
  EXPECT_NEAR(m["mean_luminance"].get<double>() / (sum / (48 * 32)), 1, 1e-6);
  EXPECT_NEAR(m["log_average"].get<double>() / average, 1, 1e-6);
  EXPECT_NEAR(m["min_luminance"].get<double>() / least, 1, 1e-6);
  EXPECT_NEAR(m["max_luminance"].get<double>() / most, 1, 1e-6);
  EXPECT_NEAR(m["exposure"].get<double>(), 0.18 / average, 1e-6);
  EXPECT_NEAR(m["ev100"].get<double>(), std::log2(average * 8), 1e-5);
  EXPECT_EQ(m["finite"], 48 * 32);
  uint64_t weights = 0;
  for (const json& weight : m["histogram"]["weights"]) weights += weight.get<uint64_t>();
  EXPECT_EQ(weights, 48U * 32);
  // Share of texels above 1 after exposure. Tolerance: one bin, which holds at most one of 48 luminances.
  const double white = average / 0.18;
  double above = 0;
  for (uint32_t i = 0; i < 48 * 32; ++i) {
    const uint32_t x = i % 48, y = i / 48;
    const double v = 0.2126 * light(x, y, 0) + 0.7152 * light(x, y, 1) + 0.0722 * light(x, y, 2);
    above += v > white ? 1.0 / (48 * 32) : 0;
  }
  EXPECT_NEAR(m["above_white"].get<double>(), above, 1.0 / 48 + 0.01);
}

TEST_F(CliLight, MeterPrintsATable) {
  const std::string out = good({"meter", "a.exr", "--engine", "cpu", "--percentiles", "20,80"}).out;
  for (const char* words : {"a.exr: 48x32 r32g32b32a32_sfloat, metered", "(cpu)", "log-average", "50 %", "20..80 %",
                            "EV100", "exposure", "above white", "1536 metered: 0 black, 0 negative"}) {
    EXPECT_NE(out.find(words), std::string::npos) << words << " in\n" << out;
  }
  EXPECT_EQ(good({"meter", "a.exr", "-q"}).out, "");
}

TEST_F(CliLight, MeterOptionsChangeTheExposure) {
  const double plain = meter()["exposure"];
  const auto ratio = [&](const Args& more) { return meter(more)["exposure"].get<double>() / plain; };
  EXPECT_NEAR(ratio({"--key", "0.36"}), 2, 1e-5);
  EXPECT_NEAR(ratio({"--compensation", "-1"}), 0.5, 1e-5);
  EXPECT_NEAR(ratio({"--rule", "saturation"}), 1 / 9.6 / 0.18, 1e-4);
  const std::set<double> different{ratio({"--statistic", "mean"}),
                                   ratio({"--percentiles", "10,30"}),
                                   ratio({"--metering", "spot"}),
                                   ratio({"--metering", "centre_weighted"}),
                                   ratio({"--input-primaries", "rec2020"}),
                                   ratio({"--delta", "0.1"}),
                                   ratio({"--ev-range", "5,6"}),
                                   1.0,
                                   ratio({"--metering", "spot", "--centre", "0.1,0.5"}),
                                   ratio({"--metering", "spot", "--radius", "0.9"})};
  EXPECT_EQ(different.size(), 10U);
  EXPECT_NEAR(meter({"--calibration", "25"})["ev100"].get<double>() + 1, meter()["ev100"].get<double>(), 1e-5);
  const json range = meter({"--range", "-4,4"})["histogram"];
  EXPECT_EQ(range["log2_low"], -4);
  EXPECT_EQ(range["log2_high"], 4);
}

TEST_F(CliLight, LocalExposure) {
  const std::string plain = mapped("e.exr", {});
  const std::string local = mapped("e.exr", {"--local-exposure"});
  const std::set<std::string> different{plain,
                                        local,
                                        mapped("e.exr", {"--local-exposure", "--highlight-contrast", "0.3"}),
                                        mapped("e.exr", {"--local-exposure", "--shadow-contrast", "0.3"}),
                                        mapped("e.exr", {"--local-exposure", "--detail", "2"}),
                                        mapped("e.exr", {"--local-exposure", "--key", "0.4"})};
  EXPECT_EQ(different.size(), 6U);
  EXPECT_EQ(plain, mapped("e.exr", {"--local-exposure", "--highlight-contrast", "1", "--shadow-contrast", "1"}));
  const json said = report({"tonemap", "a.exr", "-o", "e.png", "--local-exposure", "--key", "0.25"})["local_exposure"];
  EXPECT_NEAR(said["grey"].get<double>(), 0.25, 1e-6);
  EXPECT_NEAR(said["highlight_contrast"].get<double>(), 0.6, 1e-6);
  EXPECT_NEAR(said["shadow_contrast"].get<double>(), 0.7, 1e-6);
  EXPECT_EQ(report({"tonemap", "a.exr", "-o", "b.png", "--local-exposure", "--bracket", "-1:1:1"})["cells"].size(), 3U);
  EXPECT_GT(report({"tonemap", "a.exr", "-o", "c.png", "--local-exposure", "--compare"})["cells"].size(), 10U);
}

TEST_F(CliLight, MasksWeighPixels) {
  make("mask.png", Format::kR8Unorm, {48, 32}, [](uint32_t x, uint32_t, uint32_t) { return x == 3 ? 1.0F : 0.0F; });
  const json m = meter({"--mask", "mask.png"});
  EXPECT_EQ(m["finite"], 32);
  EXPECT_NEAR(m["max_luminance"].get<double>() / m["min_luminance"].get<double>(), 1.3 / 1.08, 0.03);
  make("small.png", Format::kR8Unorm, {4, 4}, light);
  bad(1, {"meter", "a.exr", "--mask", "small.png"}, {"a.exr: mask: small.png is 4x4, but the image is 48x32"});
  bad(1, {"meter", "a.exr", "--mask", "none.png"}, {"none.png", "no such file"});
}

TEST_F(CliLight, PixelsThatAreNoNumbersAndBlackImages) {
  make("nan.exr", Format::kR32Sfloat, {4, 4}, [](uint32_t, uint32_t, uint32_t) { return std::nanf(""); });
  const std::string out = good({"meter", "nan.exr", "--engine", "cpu", "--histogram", "nan.svg"}).out;
  EXPECT_NE(out.find("no pixels to meter: 16 NaN"), std::string::npos) << out;
  EXPECT_NE(bytes("nan.svg").find("no pixels to meter"), std::string::npos);
  good({"tonemap", "nan.exr", "-o", "nan.png"});
  make("black.exr", Format::kRGBA16Sfloat, {4, 4}, [](uint32_t, uint32_t, uint32_t c) { return c == 3 ? 1.0F : 0.0F; });
  good({"meter", "black.exr", "--histogram", "black.png"});
  good({"tonemap", "black.exr", "-o", "black_sheet.png", "--bracket", "-1:1:1"});
}

TEST_F(CliLight, HistogramsAreDrawn) {
  good({"meter", "a.exr", "--histogram", "h.svg", "--operator", "hable"});
  const std::string svg = bytes("h.svg");
  for (const char* words : {"<svg ", "</svg>", "<polyline", "a.exr", "tone curve hable", "log2 of luminance",
                            "18% grey", "above white", "EV100"}) {
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  }
  good({"meter", "a.exr", "--histogram", "h.png"});
  EXPECT_EQ(read("h.png").base().size, (Extent{1080, 620}));
  make("b.exr", Format::kRGBA32Sfloat, {9, 9}, light);
  good({"meter", "a.exr", "b.exr", "--histogram", "charts/"});
  good({"meter", "a.exr", "b.exr", "--histogram", "{name}_h.svg"});
  for (const char* name : {"charts/a.png", "charts/b.png", "a_h.svg", "b_h.svg"}) {
    EXPECT_TRUE(std::filesystem::exists(path(name))) << name;
  }
}

TEST_F(CliLight, TonemapWritesEveryType) {
  const std::vector<std::tuple<std::string, Args, Format>> cases{
      {"8.png", {}, Format::kRGBA8Srgb},
      {"16.png", {"--bits", "16"}, Format::kRGBA32Sfloat},  // 16-bit sRGB is read as floats
      {"16.tif", {"--bits", "16"}, Format::kRGBA32Sfloat},
      {"16.exr", {}, Format::kRGBA16Sfloat},
      {"32.exr", {"--bits", "32"}, Format::kRGBA32Sfloat},
      {"a.hdr", {}, Format::kRGBA32Sfloat},
      {"a.pfm", {}, Format::kRGBA32Sfloat},
      {"a.ktx2", {}, Format::kRGBA8Srgb},
      {"10.ktx2", {"--bits", "10", "--transfer", "linear"}, Format::kA2B10G10R10Unorm}};
  for (const auto& [name, more, format] : cases) {
    mapped(name, more);
    const auto file = read(name);
    EXPECT_EQ(file.base().format, format) << name;
    EXPECT_EQ(file.base().size, (Extent{48, 32})) << name;
  }
  // All types hold the same light within their precision.
  const auto exact = read("32.exr");
  for (const std::string name : {"8.png", "16.png", "16.tif", "16.exr", "a.hdr", "a.pfm", "a.ktx2", "10.ktx2"}) {
    const auto file = read(name);
    for (const uint32_t x : {0U, 7U, 15U}) {
      const float wanted = value(exact.levels[0], x, 3, 1);
      EXPECT_NEAR(value(file.levels[0], x, 3, 1), wanted, 0.005F + wanted / 100) << name << " " << x;
    }
  }
}

TEST_F(CliLight, TheDefaultIsAgxAtTheMeteredExposure) {
  const double metered = meter()["exposure"];
  EXPECT_NEAR(exposure({}), metered, 1e-9);
  EXPECT_NEAR(exposure({"--exposure", "auto", "--key", "0.09"}), metered / 2, 1e-5);
  EXPECT_EQ(exposure({"--exposure", "-1"}), 0.5);
  const std::string stops = std::to_string(std::log2(metered));
  EXPECT_EQ(mapped("auto.png", {}), mapped("ev.png", {"--exposure", stops}));
  EXPECT_EQ(mapped("agx.png", {"--operator", "agx_blender", "--transfer", "srgb", "--primaries", "rec709"}),
            mapped("auto.png", {}));
}

// Words that are not listed any more stand for those of the other languages.
TEST_F(CliLight, FormerWordsAreAccepted) {
  EXPECT_EQ(mapped("agx.png", {"--operator", "agx"}), mapped("blender.png", {"--operator", "agx_blender"}));
  EXPECT_EQ(mapped("hejl.png", {"--operator", "hejl"}), mapped("dawson.png", {"--operator", "hejl_burgess_dawson"}));
  EXPECT_EQ(meter({"--metering", "centre"})["exposure"], meter({"--metering", "centre_weighted"})["exposure"]);
  EXPECT_EQ(meter({"--input-primaries", "p3"})["exposure"], meter({"--input-primaries", "display_p3"})["exposure"]);
  const std::string help = good({"tonemap", "--help"}).out;
  EXPECT_NE(help.find("agx_sobotka|agx_blender"), std::string::npos);
  EXPECT_EQ(help.find("agx|"), std::string::npos);
  const auto report = json::parse(good({"tonemap", "a.exr", "-o", "x.png", "--operator", "agx", "--json"}).out);
  EXPECT_EQ(report["results"][0]["operator"], "agx_blender");
  bad(2, {"tonemap", "a.exr", "-o", "x.png", "--transfer", "agx"}, {"'agx' is not one of linear"});
}

// What `tonemap` writes as PQ and HLG is read as the light that it showed.
TEST_F(CliLight, PqAndHlgFilesAreLight) {
  make("x.exr", Format::kRGBA32Sfloat, {16, 16}, [](uint32_t x, uint32_t y, uint32_t c) {
    return c == 3 ? 1.0F : 0.02F + 0.9F * static_cast<float>((x * 7 + y * 3 + c * 5) % 16) / 15;
  });
  const double average = json::parse(good({"meter", "x.exr", "--json"}).out)["results"][0]["meter"][0]["log_average"];
  for (const char* transfer : {"pq", "hlg"}) {
    for (const char* extension : {"png", "ktx2"}) {
      const std::string first = std::string("first.") + extension;
      const std::string again = std::string("again.") + extension;
      const auto map = [&](const std::string& from, const std::string& to) {
        good({"tonemap", from, "-o", to, "--operator", "exposure", "--exposure", "0", "--transfer", transfer,
              "--primaries", "rec2020", "--bits", "16", "-q"});
      };
      map("x.exr", first);
      map(first, again);
      const auto a = read(first, {.color = onepass::files::Color::kLinear});
      const auto b = read(again, {.color = onepass::files::Color::kLinear});
      const bool half = std::string_view(extension) == "ktx2";
      for (uint32_t y = 0; y < 16; ++y) {
        for (uint32_t x = 0; x < 16; ++x) {
          for (uint32_t c = 0; c < 3; ++c) {
            EXPECT_NEAR(value(a.levels[0], x, y, c), value(b.levels[0], x, y, c), half ? 0x1p-11 : 1.5 / 65535)
                << transfer << " " << extension << " (" << x << ", " << y << ") " << c;
          }
        }
      }
      const auto metered = json::parse(good({"meter", first, "--json"}).out)["results"][0]["meter"][0];
      EXPECT_NEAR(metered["log_average"].get<double>() / average, 1, half ? 5e-3 : 5e-4) << first;
      good({"mips", first, "-o", "light.ktx2", "-q"});
      EXPECT_EQ(read("light.ktx2").base().format, Format::kRGBA32Sfloat);
      good({"mips", first, "-o", "codes.ktx2", "--color", "linear", "-q"});
    }
  }
}

// In an image of one luminance, local exposure has nothing to change, whatever the global exposure is.
TEST_F(CliLight, LocalExposureKeepsWhatMeteringWants) {
  make("flat.exr", Format::kRGBA32Sfloat, {32, 32},
       [](uint32_t, uint32_t, uint32_t c) { return c == 3 ? 1.0F : 0.37F; });
  for (const Args& more : {Args{}, Args{"--compensation", "2"}, Args{"--compensation", "-2"},
                           Args{"--rule", "saturation"}, Args{"--key", "0.3"}}) {
    Args arguments{"tonemap", "flat.exr", "-o", "plain.exr", "--bits", "32"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    good(arguments);
    arguments[3] = "local.exr";
    arguments.push_back("--local-exposure");
    good(arguments);
    EXPECT_NEAR(value(read("local.exr").levels[0], 9, 9), value(read("plain.exr").levels[0], 9, 9), 2e-5);
  }
}

// Drago's curve adapts to the scene's luminance; compensation must brighten the result nevertheless.
TEST_F(CliLight, CompensationBrightensDragoToo) {
  good({"tonemap", "a.exr", "-o", "plain.exr", "--operator", "drago"});
  good({"tonemap", "a.exr", "-o", "up.exr", "--operator", "drago", "--compensation", "1"});
  EXPECT_GT(value(read("up.exr").levels[0], 2, 2), 1.2F * value(read("plain.exr").levels[0], 2, 2));
}

TEST_F(CliLight, SheetsOfThinImages) {
  make("thin.exr", Format::kRGBA32Sfloat, {3000, 1},
       [](uint32_t x, uint32_t, uint32_t) { return 1e-3F * static_cast<float>(x); });
  good({"tonemap", "thin.exr", "-o", "sheet.png", "--bracket", "-2:2:1"});
  EXPECT_LT(read("sheet.png").levels[0].size().width, 12000U);
}

TEST_F(CliLight, OptionsChangeThePicture) {
  std::set<std::string> pictures{mapped("p.png", {})};
  const std::vector<Args> all{{"--operator", "agx_sobotka"},
                              {"--operator", "drago"},
                              {"--operator", "drago", "--bias", "0.7"},
                              {"--operator", "drago", "--white", "8"},
                              {"--operator", "reinhard_extended"},
                              {"--operator", "reinhard_extended", "--white", "9"},
                              {"--look", "punchy"},
                              {"--look", "golden"},
                              {"--transfer", "gamma"},
                              {"--transfer", "gamma", "--gamma", "1.8"},
                              {"--transfer", "pq"},
                              {"--transfer", "pq", "--peak-nits", "300"},
                              {"--transfer", "pq", "--paper-white", "300"},
                              {"--transfer", "hlg"},
                              {"--transfer", "hlg", "--paper-white", "300"},
                              {"--transfer", "linear"},
                              {"--primaries", "rec2020"},
                              {"--dither"},
                              {"--bits", "16"},
                              {"--exposure", "1"}};
  for (const Args& more : all)
    EXPECT_TRUE(pictures.insert(mapped("p.png", more)).second) << more[0] << " " << more.back();
  good({"tonemap", "a.exr", "-o", "p.png", "--operator", "drago", "--white", "0.012"});
  mapped("gamma.png", {"--transfer", "gamma", "--gamma", "2.4"});
  EXPECT_NE(bytes("gamma.png").find(std::string("\0\0\0\x04gAMA\0\0\xa2\xc3", 12)), std::string::npos);
  mapped("gamma.png", {"--transfer", "gamma", "--primaries", "rec2020"});
  EXPECT_NE(bytes("gamma.png").find(std::string("cICP\x09\x04\x00\x01", 8)), std::string::npos);
  good({"tonemap", "a.exr", "-o", "wide.exr", "--primaries", "rec2020"});
  const float red[2] = {0.708F, 0.292F};
  EXPECT_NE(bytes("wide.exr")
                .find(std::string("chromaticities\0chromaticities\0\x20\0\0\0", 34) +
                      std::string(reinterpret_cast<const char*>(red), 8)),
            std::string::npos);
  mapped("hdr10.png", {"--bits", "16", "--transfer", "pq", "--primaries", "rec2020"});
  EXPECT_NE(bytes("hdr10.png").find(std::string("cICP\x09\x10\x00\x01", 8)), std::string::npos);
  // In a file of one level the descriptor starts at 104; bytes 12 to 14 are model, primaries and transfer.
  const auto color = [&](const Args& more) {
    mapped("c.ktx2", more);
    return bytes("c.ktx2").substr(104 + 12, 3);
  };
  EXPECT_EQ(color({}), "\x01\x01\x02");
  EXPECT_EQ(color({"--bits", "10", "--transfer", "pq", "--primaries", "rec2020"}), "\x01\x04\x0a");
  EXPECT_EQ(color({"--transfer", "hlg"}), "\x01\x01\x08");
  EXPECT_EQ(color({"--bits", "16", "--transfer", "linear"}), "\x01\x01\x01");
  EXPECT_EQ(color({"--transfer", "gamma"}), "\x01\x01\x04");
  EXPECT_EQ(color({"--transfer", "gamma", "--gamma", "2"}), std::string("\x01\x01\x00", 3));
  make("grey.exr", Format::kR32Sfloat, {8, 8}, light);
  good({"tonemap", "grey.exr", "-o", "grey.png"});
  EXPECT_EQ(read("grey.png").base().format, Format::kR8Srgb);
  EXPECT_NE(bytes("grey.png").find("sRGB"), std::string::npos);
  good({"tonemap", "grey.exr", "-o", "grey.ktx2"});
  EXPECT_EQ(read("grey.ktx2").base().format, Format::kR8Srgb);
  EXPECT_EQ(bytes("grey.ktx2").substr(104 + 12, 3), "\x01\x01\x02");
  for (uint32_t x = 0; x < 8; ++x) {
    EXPECT_EQ(value(read("grey.ktx2").levels[0], x, 2), value(read("grey.png").levels[0], x, 2));
  }
  // 16 bits say that they are encoded: readers would take them as linear.
  for (const char* name : {"grey16.png", "grey16.tif"}) {
    good({"tonemap", "grey.exr", "-o", name, "--bits", "16"});
    for (uint32_t x = 0; x < 8; ++x) {
      EXPECT_NEAR(value(read(name).levels[0], x, 2), value(read("grey.png").levels[0], x, 2), 0.01) << name;
    }
  }
  good({"tonemap", "grey.exr", "-o", "codes.ktx2", "--transfer", "gamma"});
  EXPECT_EQ(read("codes.ktx2", {.color = onepass::files::Color::kLinear}).base().format, Format::kR8Unorm);
  EXPECT_EQ(read("codes.ktx2").base().format, Format::kR32Sfloat) << "decoded to light";
  good({"tonemap", "grey.exr", "-o", "grey.ktx2", "--bits", "10"});
  EXPECT_EQ(read("grey.ktx2", {.color = onepass::files::Color::kLinear}).base().format, Format::kA2B10G10R10Unorm);
}

// A gamma without an H.273 code point is stored in gAMA only: cICP would take precedence over it.
TEST_F(CliLight, GammaOfPngs) {
  const auto chunks = [&](const Args& more) {
    mapped("gamma.png", more);
    const std::string file = bytes("gamma.png");
    std::string found;
    for (const char* chunk : {"gAMA", "cICP", "sRGB"}) {
      if (file.find(chunk) != std::string::npos) found += std::string(found.empty() ? "" : " ") + chunk;
    }
    return found;
  };
  EXPECT_EQ(chunks({"--transfer", "gamma"}), "gAMA cICP");
  EXPECT_EQ(chunks({"--transfer", "gamma", "--gamma", "2.4"}), "gAMA");
  EXPECT_EQ(chunks({"--transfer", "gamma", "--gamma", "1.8", "--bits", "16"}), "gAMA");
  EXPECT_EQ(chunks({"--transfer", "gamma", "--gamma", "1.8", "--primaries", "rec2020"}), "gAMA");
  EXPECT_EQ(chunks({"--transfer", "gamma", "--primaries", "rec2020"}), "gAMA cICP");
}

// Four luminances from black to far above white.
TEST_F(CliLight, HdrPicturesHaveHeadroom) {
  make("steps.exr", Format::kRGBA32Sfloat, {4, 1}, [](uint32_t x, uint32_t, uint32_t c) {
    return c == 3 ? 1.0F : std::array{0.0F, 1.0F, 1000.0F / 203, 500.0F}[x];
  });
  const auto signals = [&](const Args& more) {
    Args arguments{"tonemap", "steps.exr", "-o", "steps.png", "--bits", "16", "--exposure", "0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    good(arguments);
    const auto file = read("steps.png", {.color = onepass::files::Color::kLinear});
    return std::array{value(file.levels[0], 0, 0), value(file.levels[0], 1, 0), value(file.levels[0], 2, 0),
                      value(file.levels[0], 3, 0)};
  };
  const auto expect = [](const std::array<float, 4>& got, const std::array<double, 4>& wanted) {
    for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(got[i], wanted[i], 3e-5) << i;
  };
  // PQ values (SMPTE ST 2084) of 203, 1000, 100 and 4000 cd/m^2.
  expect(signals({"--operator", "exposure", "--transfer", "pq"}), {0, 0.580689, 0.751827, 0.751827});
  expect(signals({"--operator", "exposure", "--transfer", "pq", "--paper-white", "100", "--peak-nits", "4000"}),
         {0, 0.508078, 0.674979, 0.902572});
  expect(signals({"--operator", "exposure", "--transfer", "hlg"}), {0, 0.749877, 1, 1});
  expect(signals({"--operator", "aces_narkowicz", "--transfer", "pq"}), {0, 0.557983, 0.579063, 0.580689});

  const json pq = report({"tonemap", "steps.exr", "-o", "s.png", "--transfer", "pq", "--peak-nits", "4060"});
  EXPECT_EQ(pq["paper_white_nits"], 203);
  EXPECT_EQ(pq["peak_nits"], 4060);
  EXPECT_NEAR(pq["headroom"], 20, 1e-6);
  const json hlg = report({"tonemap", "steps.exr", "-o", "s.png", "--transfer", "hlg", "--paper-white", "250"});
  EXPECT_EQ(hlg["paper_white_nits"], 250);
  EXPECT_EQ(hlg["peak_nits"], 1000);
  EXPECT_EQ(hlg["headroom"], 4);
  const json ends = report({"tonemap", "steps.exr", "-o", "s.png", "--transfer", "pq", "--operator", "hable"});
  EXPECT_EQ(ends["headroom"], 1);
  EXPECT_FALSE(report({"tonemap", "steps.exr", "-o", "s.png"}).contains("headroom"));

  // The note is printed once, for any number of files.
  const auto notes = [&](const Args& more) {
    Args arguments{"tonemap", "steps.exr", "a.exr", "-o", "notes/"};
    std::filesystem::create_directories(directory_ / "notes");
    arguments.insert(arguments.end(), more.begin(), more.end());
    const std::string out = good(arguments).out;
    size_t count = 0;
    for (size_t at = out.find("note: "); at != std::string::npos; at = out.find("note: ", at + 1)) ++count;
    return count;
  };
  EXPECT_EQ(notes({"--transfer", "pq", "--operator", "hable"}), 1U);
  EXPECT_EQ(notes({"--transfer", "pq"}), 0U);
  EXPECT_EQ(notes({"--operator", "hable"}), 0U);
}

TEST_F(CliLight, SheetsShowExposuresAndOperators) {
  const json bracket = report({"tonemap", "a.exr", "-o", "b.png", "--bracket", "-4:4:1"});
  EXPECT_EQ(bracket["cells"], (json{"-4 EV", "-3 EV", "-2 EV", "-1 EV", "+0 EV", "+1 EV", "+2 EV", "+3 EV", "+4 EV"}));
  const json zero = report({"tonemap", "a.exr", "-o", "b.png", "--bracket=-0.3:0.3:0.1"});
  EXPECT_EQ(zero["cells"][3], "+0 EV");
  const json halves = report({"tonemap", "a.exr", "-o", "b.png", "--bracket", "0:1:0.5", "--exposure", "1"});
  EXPECT_EQ(halves["cells"], (json{"+0 EV", "+0.5 EV", "+1 EV"}));
  const json compare = report({"tonemap", "a.exr", "-o", "c.png", "--compare"});
  EXPECT_EQ(compare["cells"].size(), 14U);
  EXPECT_GT(read("c.png").base().size.width, 1000U);
}

TEST_F(CliLight, SequencesAdapt) {
  make("f0.exr", Format::kR32Sfloat, {8, 8}, [](uint32_t, uint32_t, uint32_t) { return 1.0F; });
  for (const char* name : {"f1.exr", "f2.exr", "f3.exr"}) {
    make(name, Format::kR32Sfloat, {8, 8}, [](uint32_t, uint32_t, uint32_t) { return 16.0F; });
  }
  const auto run_all = [&](Args more) {
    more.insert(more.begin(),
                {"tonemap", "f0.exr", "f1.exr", "f2.exr", "f3.exr", "-o", "out/", "--engine", "cpu", "--json"});
    std::vector<double> stops;
    const json all = json::parse(good(more).out);
    for (const json& result : all["results"]) stops.push_back(result["exposure_ev"]);
    return stops;
  };
  const double grey = std::log2(0.18);
  const auto still = run_all({});
  EXPECT_NEAR(still[3], grey - 4, 1e-3);
  // 5 stops/s * 0.1 s: half a stop per frame, while more than 1.5 stops from the target.
  const auto moving = run_all({"--fps", "10", "--adapt-up", "5"});
  EXPECT_NEAR(moving[0], grey, 1e-3);
  EXPECT_NEAR(moving[1], grey - 0.5, 1e-3);
  EXPECT_NEAR(moving[3], grey - 1.5, 1e-3);
  EXPECT_TRUE(std::filesystem::exists(path("out/f3.png")));
  // A frame that cannot be read still advances the time.
  write_bytes("f1.exr", "no image");
  const Outcome outcome = run({"tonemap", "f0.exr", "f1.exr", "f2.exr", "-o", "out/", "--engine", "cpu", "--json",
                               "--fps", "10", "--adapt-up", "5"});
  EXPECT_EQ(outcome.status, 1);
  const json results = json::parse(outcome.out);
  EXPECT_EQ(results["failed"], 1);
  EXPECT_NE(results["results"][1]["error"].get<std::string>().find("f1.exr"), std::string::npos);
  EXPECT_NEAR(results["results"][2]["exposure_ev"].get<double>(), grey - 1, 1e-3);
}

TEST_F(CliLight, PicturesBelowDeltaAreMentioned) {
  make("dim.exr", Format::kRGBA32Sfloat, {8, 8},
       [](uint32_t x, uint32_t, uint32_t c) { return c == 3 ? 1.0F : static_cast<float>(x) * 1e-5F; });
  for (const Args& words : {Args{"tonemap", "dim.exr", "-o", "dim.png"}, Args{"meter", "dim.exr"}}) {
    const Outcome dark = run(words);
    EXPECT_EQ(dark.status, 0);
    EXPECT_NE(dark.err.find("dim.exr: no pixel is brighter than --delta 0.0001"), std::string::npos) << dark.err;
    EXPECT_NE(dark.err.find("7e-05"), std::string::npos) << dark.err;
    Args with_delta = words;
    with_delta.insert(with_delta.end(), {"--delta", "1e-7"});
    EXPECT_EQ(good(with_delta).err, "");
  }
  EXPECT_GT(report({"tonemap", "dim.exr", "-o", "dim.png", "--delta", "1e-7"})["exposure"], 1000);
}

TEST_F(CliLight, BothEnginesAgree) {
  if (!has_vulkan()) GTEST_SKIP() << "no Vulkan";
  const auto with = [&](const char* engine) {
    const json all = json::parse(
        good({"tonemap", "a.exr", "-o", std::string(engine) + ".exr", "--bits", "32", "--engine", engine, "--json"})
            .out);
    EXPECT_EQ(all["results"][0]["engine"], engine);
    EXPECT_EQ(all["results"][0]["device"].is_null(), std::string(engine) == "cpu");
    return all["results"][0]["exposure"].get<double>();
  };
  EXPECT_NEAR(with("vulkan") / with("cpu"), 1, 1e-6);
  const auto cpu = read("cpu.exr"), gpu = read("vulkan.exr");
  for (uint32_t i = 0; i < 48 * 32; ++i) {
    for (uint32_t c = 0; c < 3; ++c) {
      ASSERT_NEAR(value(gpu.levels[0], i % 48, i / 48, c), value(cpu.levels[0], i % 48, i / 48, c), 2e-5F);
    }
  }
  const json metered = json::parse(good({"meter", "a.exr", "--engine", "vulkan", "--json"}).out)["results"][0];
  EXPECT_EQ(metered["dispatches"], 1);
  EXPECT_NEAR(metered["meter"][0]["log_average"].get<double>() / meter()["log_average"].get<double>(), 1, 1e-6);
}

TEST_F(CliLight, SlicesAreMeteredApartAndMappedAlike) {
  make("b.exr", Format::kRGBA32Sfloat, {48, 32},
       [](uint32_t x, uint32_t y, uint32_t c) { return c == 3 ? 1.0F : 4 * light(x, y, c); });
  good({"mips", "a.exr", "b.exr", "--array", "--levels", "1", "-o", "both.ktx2"});
  const json result = report({"tonemap", "both.ktx2", "-o", "mapped.ktx2"});
  ASSERT_EQ(result["meter"].size(), 2U);
  const double first = result["meter"][0]["exposure"], second = result["meter"][1]["exposure"];
  EXPECT_GT(first, 3 * second);
  EXPECT_NEAR(result["exposure"].get<double>(), std::sqrt(first * second), 1e-5);
  EXPECT_EQ(read("mapped.ktx2").base().slices, 2U);
  bad(1, {"tonemap", "both.ktx2", "-o", "both.png"}, {"both.png", "one slice, not 2"});
}

// Readers take 16-bit grey of PGM and PAM files as linear, colours and 8 bits as sRGB.
TEST_F(CliLight, GreyOfSixteenBitsNeedsAFileThatNamesItsTransfer) {
  make("grey.pfm", Format::kR32Sfloat, {4, 4}, [](uint32_t, uint32_t, uint32_t) { return 0.2F; });
  const Args map{"tonemap", "grey.pfm", "--exposure", "0", "--operator", "exposure", "--engine", "cpu"};
  const auto with = [&](const char* output, const char* bits) {
    Args arguments = map;
    arguments.insert(arguments.end(), {"-o", output, "--bits", bits});
    return arguments;
  };
  for (const char* name : {"x.pgm", "x.pam", "x.pnm"}) {
    bad(1, with(name, "16"), {name, "cannot store this transfer", "16-bit grey"});
    EXPECT_FALSE(std::filesystem::exists(path(name)));
  }
  good(with("x.pgm", "8"));
  good(with("x.ppm", "16"));
  good(with("x.tif", "16"));
  const float want = value(read("x.tif").levels[0], 1, 1);
  EXPECT_NEAR(value(read("x.ppm").levels[0], 1, 1), want, 3.0F / 65535);
}

TEST_F(CliLight, MistakesAreNamed) {
  const std::vector<std::pair<Args, std::string>> meter_cases{
      {{"--key", "0"}, "key: 0 is not"},
      {{"--delta", "2"}, "delta: 2"},
      {{"--radius", "1"}, "--radius needs --metering centre_weighted or spot"},
      {{"--centre", "0.5,0.5"}, "--centre needs --metering"},
      {{"--metering", "spot", "--centre", "2,0.5"}, "--centre: 2"},
      {{"--metering", "spot", "--centre", "2"}, "--centre: '2' is not 2 numbers"},
      {{"--metering", "mask"}, "--metering mask needs --mask"},
      {{"--metering", "spot", "--mask", "m.png"}, "--mask and --metering spot exclude each other"},
      {{"--metering", "matrix"}, "--metering"},
      {{"--percentiles", "90,10"}, "--percentiles: '90,10'"},
      {{"--percentiles", "10"}, "--percentiles: '10'"},
      {{"--percentiles", "10,101"}, "--percentiles: '10,101'"},
      {{"--percentiles", "10,90", "--statistic", "mean"}, "--percentiles and --statistic mean exclude each other"},
      {{"--ev-range", "5,4"}, "--ev-range"},
      {{"--range", "5,4"}, "--range"},
      {{"--fps", "0"}, "--fps: 0"},
      {{"--fps", "nan"}, "--fps: nan"},
      {{"--adapt-up", "2"}, "--adapt-up needs --fps"},
      {{"--fps", "24", "--adapt-down", "0"}, "--adapt-down"},
      {{"--operator", "agx_blender"}, "--operator needs --histogram"},
      {{"--histogram", "x.gif"}, "--histogram x.gif: the histogram's extension must be .svg or .png"},
      {{"--engine", "cpu", "--device", "0"}, "--device needs --engine vulkan"},
      {{"a.exr", "--histogram", "h.png"}, "--histogram h.png: several inputs need a directory"}};
  for (const auto& [more, words] : meter_cases) {
    Args arguments{"meter", "a.exr"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    bad(2, arguments, {words});
  }
  const std::vector<std::pair<Args, std::string>> cases{
      {{"-o", "x.gif"},
       "x.gif: the output's extension must be .ktx2, .dds, .exr, .tif, .jpg, .hdr, .pfm, .ppm, .pgm, .pnm, .pam or "
       ".png"},
      {{"-o", "a.exr"}, "would overwrite an input"},
      {{"-o", "x.png", "--exposure", "bright"}, "--exposure: 'bright' is neither auto nor a number"},
      {{"-o", "x.png", "--exposure", "99"}, "--exposure: '99'"},
      {{"-o", "x.png", "--exposure", "1", "--key", "0.2"}, "--key needs --exposure auto"},
      {{"-o", "x.png", "--exposure", "1", "--fps", "24"}, "--fps needs --exposure auto"},
      {{"-o", "x.png", "--operator", "filmic"}, "--operator"},
      {{"-o", "x.png", "--white", "9"}, "--white: the operator agx_blender has no white"},
      {{"-o", "x.png", "--bias", "0.7"}, "--bias: the operator agx_blender has no bias"},
      {{"-o", "x.hdr", "--primaries", "rec2020"}, "--primaries rec2020: x.hdr cannot store primaries"},
      {{"-o", "x.png", "--operator", "hable", "--look", "golden"}, "look"},
      {{"-o", "x.png", "--gamma", "2"}, "--gamma needs --transfer gamma"},
      {{"-o", "x.png", "--transfer", "gamma", "--gamma", "9"}, "gamma: 9"},
      {{"-o", "x.png", "--peak-nits", "2"}, "--peak-nits needs --transfer pq"},
      {{"-o", "x.png", "--transfer", "hlg", "--peak-nits", "900"}, "--peak-nits needs --transfer pq"},
      {{"-o", "x.png", "--transfer", "pq", "--peak-nits", "20000"}, "--peak-nits: 20000 is not within 1 and 10000"},
      {{"-o", "x.png", "--transfer", "pq", "--peak-nits", "100"},
       "--peak-nits: 100 is below the paper white of 203: set --paper-white too"},
      {{"-o", "x.png", "--paper-white", "203"}, "--paper-white needs --transfer pq or hlg"},
      {{"-o", "x.png", "--transfer", "pq", "--paper-white", "0"}, "--paper-white: 0 is not within 1 and 10000"},
      {{"-o", "x.png", "--transfer", "pq", "--paper-white", "nan"}, "--paper-white: nan is not within 1 and 10000"},
      {{"-o", "x.png", "--transfer", "pq", "--paper-white", "1200"}, "--paper-white: 1200 is above the peak of 1000"},
      {{"-o", "x.png", "--transfer", "hlg", "--paper-white", "1001"}, "--paper-white: 1001 is above the peak of 1000"},
      {{"-o", "x.png", "--detail", "2"}, "--detail needs --local-exposure"},
      {{"-o", "x.png", "--highlight-contrast", "0.5"}, "--highlight-contrast needs --local-exposure"},
      {{"-o", "x.png", "--local-exposure", "--shadow-contrast", "3"}, "--shadow-contrast: 3"},
      {{"-o", "x.png", "--local-exposure", "--region", "0.6"}, "--region: 0.6"},
      {{"-o", "x.png", "--bits", "12"}, "--bits: 12"},
      {{"-o", "x.png", "--bits", "32"}, "--bits 32: x.png stores 8 or 16"},
      {{"-o", "x.png", "--bits", "10"}, "--bits 10: x.png stores 8 or 16"},
      {{"-o", "x.exr", "--bits", "10"}, "--bits 10: x.exr stores 16 or 32"},
      {{"-o", "x.exr", "--bits", "8"}, "--bits 8: x.exr stores 16 or 32"},
      {{"-o", "x.hdr", "--bits", "8"}, "--bits 8: x.hdr stores a fixed number of bits"},
      {{"-o", "x.exr", "--dither"}, "--dither: x.exr stores floats"},
      {{"-o", "x.png", "--bracket", "4"}, "--bracket: '4' is not FROM:TO:STEP"},
      {{"-o", "x.png", "--bracket", "4,5,1"}, "--bracket: '4,5,1' is not FROM:TO:STEP"},
      {{"-o", "x.png", "--bracket", "4:-4:1"}, "--bracket: '4:-4:1' needs FROM <= TO"},
      {{"-o", "x.png", "--bracket", "0:1:0"}, "a STEP above 0"},
      {{"-o", "x.png", "--bracket", "-60:60:0.5"}, "241 exposures, more than 64"},
      {{"-o", "x.exr", "--compare"}, "x.exr: a sheet's extension must be .png"},
      {{"-o", "x.png", "--compare", "--bits", "16"}, "--bits: sheets are 8-bit sRGB"},
      {{"-o", "x.png", "--compare", "--operator", "agx"}, "--compare and --operator exclude each other"},
      {{"-o", "x.png", "--compare", "--bracket", "0:1:1"}, "--compare and --bracket exclude each other"}};
  for (const auto& [more, words] : cases) {
    Args arguments{"tonemap", "a.exr"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    bad(2, arguments, {words});
  }
  bad(1, {"tonemap", "none.exr", "-o", "x.png"}, {"none.exr: no such file"});
  bad(1, {"tonemap", "a.exr", "-o", "none/x.png"}, {"none/x.png"});
  bad(1, {"meter", "a.exr", "--histogram", "none/x.png"}, {"none/x.png"});
  if (has_vulkan()) bad(1, {"meter", "a.exr", "--engine", "vulkan", "--device", "nothing"}, {"nothing"});
  write_bytes("cut.pfm", "PF\n4 4\n-1.0\n1234");
  bad(1, {"meter", "cut.pfm"}, {"cut.pfm: PFM: truncated"});
  EXPECT_EQ(listing(), (std::vector<std::string>{"a.exr", "cut.pfm"}));
}

}  // namespace
}  // namespace cli_test
