// cli_options_test.cpp: every option has its documented effect.
#include "onepass/pyramid.hpp"
#include "tests/cli/cli_support.hpp"

namespace cli_test {
namespace {

using onepass::files::ImageFile;

float row_of(uint32_t x, uint32_t, uint32_t) { return static_cast<float>(x); }

bool same_pixels(const ImageFile& a, const ImageFile& b) {
  if (a.levels.size() != b.levels.size()) return false;
  for (size_t n = 0; n < a.levels.size(); ++n) {
    const Image& left = a.levels[n];
    const Image& right = b.levels[n];
    if (left.format() != right.format() || left.size_in_bytes() != right.size_in_bytes()) return false;
    if (std::memcmp(left.data(), right.data(), left.size_in_bytes()) != 0) return false;
  }
  return true;
}

TEST_F(Cli, ReductionChoosesHowTexelsCombine) {
  make("a.exr", Format::kR32Sfloat, {8, 1}, row_of);
  const std::vector<std::pair<std::string, float>> expected{{"mean", 0.5F}, {"min", 0.0F}, {"max", 1.0F}};
  for (const auto& [name, first] : expected) {
    good({"mips", "a.exr", "-o", name + ".ktx2", "--reduction", name});
    EXPECT_EQ(value(read(name + ".ktx2").levels[1], 0, 0), first) << name;
  }
  good({"mips", "a.exr", "-o", "both.ktx2", "--reduction", "min_max"});
  const auto both = read("both.ktx2");
  EXPECT_EQ(both.levels[0].format(), Format::kRG32Sfloat);
  EXPECT_EQ(value(both.levels[0], 5, 0, 1), 5.0F) << "the base feeds both channels";
  EXPECT_EQ(value(both.levels[3], 0, 0, 0), 0.0F);
  EXPECT_EQ(value(both.levels[3], 0, 0, 1), 7.0F);
}

TEST_F(Cli, FootprintChoosesWhoSeesTheRemainder) {
  make("a.exr", Format::kR32Sfloat, {5, 1}, row_of);  // level 1 has two texels
  const std::vector<std::tuple<std::string, float, float>> expected{
      {"aligned", 1.0F, 3.0F}, {"covering", 2.0F, 4.0F}, {"tight", 2.0F, 4.0F}, {"edge", 1.0F, 4.0F}};
  for (const auto& [name, first, second] : expected) {
    good({"hiz", "a.exr", "-o", name + ".ktx2", "--footprint", name});
    const auto file = read(name + ".ktx2");
    EXPECT_EQ(value(file.levels[1], 0, 0), first) << name;
    EXPECT_EQ(value(file.levels[1], 1, 0), second) << name;
  }
}

TEST_F(Cli, LevelsCountTheBase) {
  make("a.png", Format::kRGBA8Srgb, {16, 16}, pattern);
  for (const uint32_t levels : {1U, 3U, 5U}) {
    good({"mips", "a.png", "-o", "a.ktx2", "--levels", std::to_string(levels)});
    EXPECT_EQ(read("a.ktx2").levels.size(), levels);
  }
}

TEST_F(Cli, FormatSetsTheTarget) {
  make("a.exr", Format::kRGBA32Sfloat, {6, 6}, pattern);
  good({"mips", "a.exr", "-o", "a.ktx2", "--format", "r16g16b16a16_sfloat"});
  const auto file = read("a.ktx2");
  EXPECT_EQ(file.levels[0].format(), Format::kRGBA16Sfloat);
  EXPECT_NEAR(value(file.levels[0], 3, 2, 1), pattern(3, 2, 1), 1e-3F) << "the base is converted as well";
}

TEST_F(Cli, ColorDecidesWhetherAveragesAreOfLight) {
  make("a.png", Format::kRGBA8Srgb, {2, 1}, [](uint32_t x, uint32_t, uint32_t) { return static_cast<float>(x); });
  good({"mips", "a.png", "-o", "light.ktx2"});
  good({"mips", "a.png", "-o", "srgb.ktx2", "--color", "srgb"});
  good({"mips", "a.png", "-o", "codes.ktx2", "--color", "linear"});
  const auto code = [&](const std::string& name) { return static_cast<int>(read(name).levels[1].data()[0]); };
  EXPECT_EQ(code("light.ktx2"), 188) << "half the light of white";
  EXPECT_EQ(code("srgb.ktx2"), 188);
  EXPECT_EQ(code("codes.ktx2"), 128) << "half the code of white";
}

TEST_F(Cli, GreyPicturesHaveOneChannel) {
  const auto step = [](uint32_t x, uint32_t, uint32_t) { return static_cast<float>(x); };
  make("grey.png", Format::kR8Srgb, {2, 1}, step);
  make("colours.png", Format::kRGBA8Srgb, {2, 1}, pattern);
  good({"mips", "grey.png", "-o", "grey.ktx2"});
  const auto grey = read("grey.ktx2");
  EXPECT_EQ(grey.base().format, Format::kR8Srgb);
  EXPECT_EQ(static_cast<int>(grey.levels[1].data()[0]), 188) << "half the light of white";
  good({"mips", "colours.png", "-o", "green.ktx2", "--channel", "G"});
  const auto green = read("green.ktx2");
  EXPECT_EQ(green.base().format, Format::kR8Srgb);
  EXPECT_EQ(value(green.levels[0], 1, 0), value(read("colours.png").levels[0], 1, 0, 1));
}

// Where a grey image joins four-channel images, it gets three equal channels and alpha 1.
TEST_F(Cli, GreyPicturesJoinColouredOnes) {
  make("grey.png", Format::kR8Srgb, {4, 4}, pattern);
  make("colours.png", Format::kRGBA8Srgb, {4, 4}, pattern);
  const Image wanted = std::move(read("grey.png").levels[0]);
  const auto is_grey = [&](const std::string& name, uint32_t slice) {
    const auto file = read(name);
    for (uint32_t i = 0; i < 16; ++i) {
      for (uint32_t c = 0; c < 4; ++c) {
        const float expected = c == 3 ? 1.0F : value(wanted, i % 4, i / 4);
        EXPECT_NEAR(value(file.levels[0], i % 4, i / 4, c, slice), expected, 1e-3F) << name << " " << i << " " << c;
      }
    }
    return file.base().format;
  };
  good({"mips", "grey.png", "colours.png", "--array", "-o", "first.ktx2"});
  good({"mips", "colours.png", "grey.png", "--array", "-o", "last.ktx2"});
  EXPECT_EQ(is_grey("first.ktx2", 0), Format::kRGBA8Srgb);
  EXPECT_EQ(is_grey("last.ktx2", 1), Format::kRGBA8Srgb);
  good({"mips", "grey.png", "-o", "half.ktx2", "--format", "r16g16b16a16_sfloat"});
  EXPECT_EQ(is_grey("half.ktx2", 0), Format::kRGBA16Sfloat);
  good({"mips", "grey.png", "-o", "weighted.ktx2", "--alpha", "weighted"});
  EXPECT_EQ(is_grey("weighted.ktx2", 0), Format::kRGBA8Srgb);
  good({"filter", "grey.png", "-o", "filtered.ktx2", "--format", "r16g16b16a16_sfloat", "--gains", "1,1"});
  EXPECT_EQ(is_grey("filtered.ktx2", 0), Format::kRGBA16Sfloat);
  good({"mips", "colours.png", "-o", "old.ktx2"});
  good({"mips", "grey.png", "-o", "new.ktx2", "--update", "old.ktx2", "--region", "0,0,4,4"});
  EXPECT_EQ(is_grey("new.ktx2", 0), Format::kRGBA8Srgb);
  good({"mips", "grey.png", "-o", "all.ktx2", "--format", "r8g8b8a8_srgb"});
  EXPECT_TRUE(same_pixels(read("new.ktx2"), read("all.ktx2")));
  make("small.png", Format::kR8Srgb, {2, 4}, pattern);
  bad(1, {"mips", "colours.png", "small.png", "--array", "-o", "x.ktx2"}, {"small.png: ", "2x4 r8_srgb"});
}

TEST_F(Cli, AlphaWeightedIgnoresInvisibleColours) {
  make("a.png", Format::kRGBA8Unorm, {2, 1}, [](uint32_t x, uint32_t, uint32_t c) {
    return c == 3 ? static_cast<float>(x) : c == 0 ? 1.0F - static_cast<float>(x) : static_cast<float>(x);
  });
  const auto red = [&](const char* alpha) {
    good({"mips", "a.png", "-o", "a.ktx2", "--color", "linear", "--alpha", alpha});
    return value(read("a.ktx2").levels[1], 0, 0, 0);
  };
  EXPECT_NEAR(red("independent"), 0.5F, 0.01F);
  EXPECT_EQ(red("weighted"), 0.0F);
}

TEST_F(Cli, AlphaCoverageKeepsTheShareOfOpaqueTexels) {
  // Alphas of many values, so that few texels of a level are equal and any share can be met closely.
  const auto leaf = [](uint32_t x, uint32_t y) {
    return static_cast<float>((x * 73 + y * 151 + x * y * 17) % 97) / 96;
  };
  make("a.png", Format::kRGBA8Unorm, {64, 64},
       [&](uint32_t x, uint32_t y, uint32_t c) { return c < 3 ? 1.0F : leaf(x, y); });
  const auto share = [&](const Args& more, uint32_t level) {
    Args arguments{"mips", "a.png", "-o", "a.ktx2", "--color", "linear"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    good(arguments);
    const auto file = read("a.ktx2");
    const uint32_t size = 64 >> level;
    uint32_t count = 0;
    for (uint32_t i = 0; i < size * size; ++i)
      count += value(file.levels[level], i % size, i / size, 3) >= 0.7F ? 1U : 0U;
    return static_cast<float>(count) / static_cast<float>(size * size);
  };
  const Args coverage{"--alpha", "coverage", "--alpha-threshold", "0.7"};
  const float base = share(coverage, 0);
  EXPECT_NEAR(share(coverage, 2), base, 0.03F);
  EXPECT_LT(share({"--alpha", "independent"}, 2), base / 3) << "without it, leaves thin out";
}

// 240 of the 400 texels of level 1 have a mean alpha of exactly 0.75, between 191/255 and 192/255, the others 0. 180 of
// 400 would be the share of the base.
TEST_F(Cli, AlphaCoverageCountsWhatTheFileStores) {
  const auto count_opaque = [&](const Image& level, float threshold) {
    uint32_t count = 0;
    for (uint32_t y = 0; y < level.size().height; ++y) {
      for (uint32_t x = 0; x < level.size().width; ++x) count += value(level, x, y, 3) >= threshold ? 1U : 0U;
    }
    return count;
  };
  const auto mask = [](uint32_t x, uint32_t y, uint32_t c) {
    return c == 3 && (y / 2 * 20 + x / 2 >= 240 || x % 2 + y % 2 == 2) ? 0.0F : 1.0F;
  };
  make("a.png", Format::kRGBA8Srgb, {40, 40}, mask);
  good({"mips", "a.png", "-o", "a.ktx2", "--alpha", "coverage", "--alpha-threshold", "0.75"});
  EXPECT_EQ(count_opaque(read("a.ktx2").levels[1], 0.75F), 240U);
  // 16 bits: the program works with floats and writes 16-bit PNG files.
  make("b.exr", Format::kRGBA32Sfloat, {40, 40},
       [](uint32_t x, uint32_t y, uint32_t) { return x % 2 + y % 2 == 2 ? 0.0F : 1.0F; });
  for (const char* threshold : {"0.75", "0.3", "0.95"}) {
    good({"mips", "b.exr", "-o", "b_%d.png", "--alpha", "coverage", "--alpha-threshold", threshold});
    const auto level = read("b_1.png");
    EXPECT_EQ(count_opaque(level.levels[0], std::stof(threshold)), 400U) << threshold;
  }
}

// 0.75 is a half float but no code of 16 bits: 49151/65535 is below it, 49152/65535 above it and no half float.
TEST_F(Cli, AlphaCoverageOfHalfFloatsCountsWhatThePngStores) {
  make("h.exr", Format::kRGBA16Sfloat, {16, 16},
       [](uint32_t x, uint32_t y, uint32_t) { return x % 2 + y % 2 == 2 ? 0.0F : 1.0F; });
  good({"mips", "h.exr", "-o", "h_%d.png", "--alpha", "coverage", "--alpha-threshold", "0.75"});
  const auto level = read("h_1.png");
  for (uint32_t i = 0; i < 64; ++i) EXPECT_GE(value(level.levels[0], i % 8, i / 8, 3), 0.75F) << i;
}

TEST_F(Cli, AlphaCoverageOfPremultipliedColours) {
  const auto leaf = [](uint32_t x, uint32_t y) { return x % 4 == 1 || (x + y) % 5 == 0 ? 1.0F : 0.0F; };
  const float green[] = {0.1F, 0.5F, 0.2F};
  make("straight.png", Format::kRGBA8Unorm, {32, 32}, [&](uint32_t x, uint32_t y, uint32_t c) {
    return c == 3 ? leaf(x, y) : leaf(x, y) > 0 ? green[c] : 1.0F;
  });
  make("premultiplied.png", Format::kRGBA8Unorm, {32, 32},
       [&](uint32_t x, uint32_t y, uint32_t c) { return c == 3 ? leaf(x, y) : leaf(x, y) * green[c]; });
  good({"mips", "straight.png", "-o", "s.ktx2", "--alpha", "coverage"});
  good({"mips", "premultiplied.png", "-o", "p.ktx2", "--alpha", "coverage", "--input-alpha", "premultiplied",
        "--output-alpha", "straight"});
  const auto straight = read("s.ktx2");
  const auto premultiplied = read("p.ktx2");
  for (size_t n = 1; n < straight.levels.size(); ++n) {
    for (uint32_t y = 0; y < straight.levels[n].size().height; ++y) {
      for (uint32_t x = 0; x < straight.levels[n].size().width; ++x) {
        const float alpha = value(straight.levels[n], x, y, 3);
        EXPECT_NEAR(value(premultiplied.levels[n], x, y, 3), alpha, 1.01F / 255) << n;
        if (alpha == 0) continue;
        for (uint32_t c = 0; c < 3; ++c) {
          EXPECT_NEAR(value(premultiplied.levels[n], x, y, c), value(straight.levels[n], x, y, c), 2.0F / 255) << n;
          EXPECT_NEAR(value(straight.levels[n], x, y, c), value(straight.levels[0], 1, 0, c), 2.0F / 255) << n;
        }
      }
    }
  }
}

TEST_F(Cli, NormalMapStaysOfUnitLength) {
  make("a.png", Format::kRGBA8Unorm, {2, 1}, [](uint32_t x, uint32_t, uint32_t c) {
    const float normals[2][3] = {{1, 0, 0}, {0, 0, 1}};
    return c == 3 ? 1.0F : 0.5F + 0.5F * normals[x][c];
  });
  const auto length = [&](const Args& more) {
    Args arguments{"mips", "a.png", "-o", "a.ktx2", "--color", "linear"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    good(arguments);
    const auto file = read("a.ktx2");
    float square = 0;
    for (uint32_t c = 0; c < 3; ++c) square += std::pow(2 * value(file.levels[1], 0, 0, c) - 1, 2.0F);
    return std::sqrt(square);
  };
  EXPECT_NEAR(length({}), 0.707F, 0.01F);
  EXPECT_NEAR(length({"--normal-map"}), 1.0F, 0.01F);
}

TEST_F(Cli, ChannelsAreChosenByName) {
  make("a.exr", Format::kRGBA32Sfloat, {4, 4},
       [](uint32_t, uint32_t, uint32_t c) { return static_cast<float>(c) + 1; });
  make("a.png", Format::kRGBA8Unorm, {4, 4}, [](uint32_t, uint32_t, uint32_t c) { return static_cast<float>(c) / 5; });
  good({"hiz", "a.exr", "--channel", "B", "-o", "a.ktx2"});
  EXPECT_EQ(value(read("a.ktx2").levels[1], 0, 0), 3.0F);
  good({"mips", "a.exr", "--channel", "G,R", "-o", "two.ktx2"});
  const auto two = read("two.ktx2");
  EXPECT_EQ(two.levels[0].format(), Format::kRG32Sfloat);
  EXPECT_EQ(value(two.levels[1], 0, 0, 0), 2.0F);
  EXPECT_EQ(value(two.levels[1], 0, 0, 1), 1.0F);
  good({"hiz", "a.png", "--channel", "G", "-o", "g.ktx2"});
  EXPECT_NEAR(value(read("g.ktx2").levels[2], 0, 0), 0.2F, 1e-6F);
}

TEST_F(Cli, HizPrefersZAndKeepsTheFarthest) {
  good({"scene", "-o", "scene.exr", "--size", "64x36", "-q"});
  good({"hiz", "scene.exr", "-o", "far.ktx2"});
  good({"hiz", "scene.exr", "-o", "near.ktx2", "--reversed-z"});
  const auto z = read("scene.exr", {.channels = {"Z"}});
  float low = 2;
  for (uint32_t i = 0; i < 64 * 36; ++i) low = std::min(low, value(z.levels[0], i % 64, i / 64));
  EXPECT_EQ(read("far.ktx2").levels[0].format(), Format::kR32Sfloat);
  EXPECT_EQ(value(read("far.ktx2").levels.back(), 0, 0), 1.0F);
  EXPECT_EQ(value(read("near.ktx2").levels.back(), 0, 0), low);
}

TEST_F(Cli, ThreadsDoNotChangeTheResult) {
  make("a.png", Format::kRGBA8Srgb, {333, 257}, pattern);
  good({"mips", "a.png", "-o", "one.ktx2", "--threads", "1", "--engine", "cpu"});
  good({"mips", "a.png", "-o", "five.ktx2", "--threads", "5", "--engine", "cpu"});
  EXPECT_TRUE(bytes("one.ktx2") == bytes("five.ktx2"));
}

TEST_F(Cli, VulkanEngineAndItsPathsAgreeWithTheCpu) {
  if (!has_vulkan()) GTEST_SKIP() << "no Vulkan device";
  make("a.exr", Format::kR32Sfloat, {67, 45}, pattern);
  good({"hiz", "a.exr", "-o", "cpu.ktx2", "--engine", "cpu"});
  const auto info = nlohmann::json::parse(good({"info", "--json"}).out);
  for (const char* wanted : {"single_dispatch", "per_level"}) {
    const auto out =
        good({"hiz", "a.exr", "-o", "gpu.ktx2", "--engine", "vulkan", "--device", "0", "--path", wanted, "--json"});
    const auto result = nlohmann::json::parse(out.out)["results"][0];
    EXPECT_EQ(result["engine"], "vulkan");
    const int single = info["vulkan"][0]["software"] ? 2 : 1;  // a software device makes later levels in a second one
    EXPECT_EQ(result["dispatches"], std::string_view(wanted) == "per_level" ? 6 : single);
    const bool two = single == 2 && std::string_view(wanted) == "single_dispatch";
    EXPECT_EQ(result["path"], two ? "two_dispatches" : wanted);
    const auto all = nlohmann::json::parse(out.out);
    EXPECT_EQ(all["engine"], "vulkan");
    EXPECT_EQ(all["device"], result["device"]);
    EXPECT_FALSE(result["device"].is_null());
    EXPECT_TRUE(bytes("cpu.ktx2") == bytes("gpu.ktx2")) << wanted;
  }
}

TEST_F(Cli, AutoTakesNoSoftwareDevice) {
  make("a.exr", Format::kR32Sfloat, {16, 16}, pattern);
  const auto info = nlohmann::json::parse(good({"info", "--json"}).out);
  bool real = false;
  for (const auto& device : info["vulkan"]) real = real || (!device["software"] && device["usable"]);
  const auto json = nlohmann::json::parse(good({"hiz", "a.exr", "-o", "a.ktx2", "--json"}).out);
  EXPECT_EQ(json["results"][0]["engine"], real ? "vulkan" : "cpu");
}

TEST_F(Cli, JsonTellsWhatWasDone) {
  make("a.png", Format::kRGBA8Srgb, {20, 10}, pattern);
  const auto outcome = good({"mips", "a.png", "-o", "a.ktx2", "--json", "--engine", "cpu"});
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["command"], "mips");
  EXPECT_EQ(json["done"], 1);
  EXPECT_EQ(json["failed"], 0);
  const auto& result = json["results"][0];
  EXPECT_EQ(result["inputs"], nlohmann::json({"a.png"}));
  EXPECT_EQ(result["outputs"], nlohmann::json({"a.ktx2"}));
  EXPECT_EQ(result["engine"], "cpu");
  EXPECT_EQ(json["engine"], "cpu");
  EXPECT_TRUE(json["device"].is_null());
  EXPECT_EQ(result["format"], "r8g8b8a8_srgb");
  EXPECT_EQ(result["levels"], 5);
  EXPECT_EQ(result["sizes"][1], nlohmann::json({10, 5}));
  EXPECT_EQ(result["predicted_bytes_read"], 20 * 10 * 4);
  EXPECT_EQ(result["predicted_bytes_written"], (10 * 5 + 5 * 2 + 2 + 1) * 4);
  for (const char* key : {"read_ms", "make_ms", "write_ms"}) EXPECT_GT(result[key].get<double>(), 0) << key;
}

TEST_F(Cli, QuietSaysNothing) {
  make("a.png", Format::kRGBA8Srgb, {4, 4}, pattern);
  EXPECT_NE(good({"mips", "a.png", "-o", "a.ktx2"}).out, "");
  EXPECT_EQ(good({"mips", "a.png", "-o", "a.ktx2", "--quiet"}).out, "");
}

TEST_F(Cli, FiltersAreThoseOfTheLibrary) {
  make("a.exr", Format::kR32Sfloat, {61, 40}, pattern);
  const auto expect_levels = [&](const Args& words, const onepass::MipFilterOptions& filter) {
    Args all = {"mips", "a.exr", "-o", "a.ktx2", "--engine", "cpu", "--filter"};
    all.insert(all.end(), words.begin(), words.end());
    good(all);
    const ImageFile file = read("a.ktx2");
    const Format format = file.levels[0].format();
    auto pyramid = onepass::cpu::Pyramid::create(
        {.size = file.levels[0].size(), .source = format, .target = format, .filter = filter});
    ASSERT_TRUE(pyramid);
    std::vector<Image> levels;
    std::vector<onepass::MutableImageView> views;
    for (size_t n = 1; n < file.levels.size(); ++n) {
      levels.push_back(std::move(*Image::create(format, file.levels[n].size())));
      views.push_back(levels.back().view());
    }
    ASSERT_TRUE(pyramid->build(file.levels[0].view(), views));
    for (size_t n = 1; n < file.levels.size(); ++n) {
      EXPECT_EQ(std::memcmp(file.levels[n].data(), levels[n - 1].data(), levels[n - 1].size_in_bytes()), 0)
          << words[0] << " level " << n;
    }
  };
  using onepass::MipFilter;
  expect_levels({"box"}, {});
  expect_levels({"triangle"}, {.kind = MipFilter::kTriangle});
  expect_levels({"catmull_rom", "--boundary", "mirror"},
                {.kind = MipFilter::kCatmullRom, .boundary = onepass::Boundary::kMirror});
  expect_levels({"mitchell", "--ringing", "limit"},
                {.kind = MipFilter::kMitchell, .ringing = onepass::Ringing::kLimit});
  expect_levels({"lanczos", "--filter-input", "base"},
                {.kind = MipFilter::kLanczos, .input = onepass::MipFilterInput::kBase});
  expect_levels(
      {"kaiser", "--boundary", "wrap", "--kaiser-width", "2.5", "--kaiser-alpha", "6"},
      {.kind = MipFilter::kKaiser, .boundary = onepass::Boundary::kWrap, .kaiser_width = 2.5F, .kaiser_alpha = 6.0F});
}

// Quantised levels of the two engines differ by one step at most.
TEST_F(Cli, FiltersAreTheSameOnVulkan) {
  if (!has_vulkan()) GTEST_SKIP() << "no Vulkan device";
  make("a.png", Format::kRGBA8Srgb, {61, 40}, pattern);
  const Args kinds[] = {{"kaiser", "--boundary", "wrap"}, {"lanczos", "--filter-input", "base", "--ringing", "limit"}};
  for (const Args& words : kinds) {
    std::vector<ImageFile> files;
    for (const char* engine : {"cpu", "vulkan"}) {
      Args all = {"mips", "a.png", "-o", "a.ktx2", "--engine", engine, "--json", "--filter"};
      all.insert(all.end(), words.begin(), words.end());
      const auto result = nlohmann::json::parse(good(all).out)["results"][0];
      EXPECT_EQ(result["engine"], engine);
      if (result["engine"] == "vulkan") {
        EXPECT_EQ(result["path"], "per_level");
        EXPECT_EQ(result["dispatches"], 10) << "two for each of five levels";
      }
      files.push_back(read("a.ktx2"));
    }
    ASSERT_EQ(files[0].levels.size(), 6U);
    int largest = 0;
    uint32_t differ = 0;
    for (size_t n = 0; n < 6; ++n) {
      const auto* a = reinterpret_cast<const uint8_t*>(files[0].levels[n].data());
      const auto* b = reinterpret_cast<const uint8_t*>(files[1].levels[n].data());
      for (size_t i = 0; i < files[0].levels[n].size_in_bytes(); ++i) {
        largest = std::max(largest, std::abs(a[i] - b[i]));
        differ += a[i] != b[i] ? 1 : 0;
      }
    }
    EXPECT_LE(largest, 1) << words[0];
    EXPECT_LT(differ, 50U) << words[0];
  }
}

// Builds pyramids of a base with a changed rectangle, from scratch and by --update.
class Update : public Cli {
 protected:
  static float before(uint32_t x, uint32_t y, uint32_t c) { return pattern(x, y, c); }
  static float after(uint32_t x, uint32_t y, uint32_t c) {
    return x >= 37 && x < 50 && y >= 20 && y < 29 ? 1.0F - 0.5F * pattern(y, x, c) : pattern(x, y, c);
  }
};

TEST_F(Update, EqualsAFullRebuild) {
  make("before.exr", Format::kRGBA32Sfloat, {101, 67}, before);
  make("after.exr", Format::kRGBA32Sfloat, {101, 67}, after);
  for (const char* footprint : {"covering", "aligned", "edge"}) {
    good({"mips", "before.exr", "-o", "old.ktx2", "--footprint", footprint});
    good({"mips", "after.exr", "-o", "full.ktx2", "--footprint", footprint});
    good({"mips", "after.exr", "-o", "new.ktx2", "--footprint", footprint, "--update", "old.ktx2", "--region",
          "37,20,13,9"});
    EXPECT_TRUE(same_pixels(read("new.ktx2"), read("full.ktx2"))) << footprint;
    EXPECT_FALSE(same_pixels(read("new.ktx2"), read("old.ktx2"))) << footprint;
  }
  good({"mips", "before.exr", "-o", "old.ktx2", "--filter", "kaiser", "--ringing", "limit"});
  good({"mips", "after.exr", "-o", "full.ktx2", "--filter", "kaiser", "--ringing", "limit"});
  good({"mips", "after.exr", "-o", "new.ktx2", "--filter", "kaiser", "--ringing", "limit", "--update", "old.ktx2",
        "--region", "37,20,13,9"});
  EXPECT_TRUE(same_pixels(read("new.ktx2"), read("full.ktx2")));
}

TEST_F(Cli, FiltersOfPremultipliedFilesNeedALimit) {
  make("a.exr", Format::kRGBA32Sfloat, {16, 16}, pattern);  // colours of EXR files are premultiplied, of KTX2 straight
  bad(1, {"mips", "a.exr", "-o", "a.ktx2", "--filter", "kaiser"}, {"--ringing", "alpha weighted"});
  good({"mips", "a.exr", "-o", "a.ktx2", "--filter", "kaiser", "--ringing", "limit"});
  good({"mips", "a.exr", "-o", "b.exr", "--filter", "kaiser"});
}

TEST_F(Update, WorksInPlaceAndOnVulkan) {
  make("before.exr", Format::kR32Sfloat, {70, 50}, before);
  make("after.exr", Format::kR32Sfloat, {70, 50}, after);
  good({"hiz", "after.exr", "-o", "full.ktx2"});
  for (const char* engine : {"cpu", "vulkan"}) {
    if (std::string_view(engine) == "vulkan" && !has_vulkan()) continue;
    good({"hiz", "before.exr", "-o", "old.ktx2"});
    good({"hiz", "after.exr", "-o", "old.ktx2", "--update", "old.ktx2", "--region", "37,20,13,9", "--engine", engine});
    EXPECT_TRUE(bytes("old.ktx2") == bytes("full.ktx2")) << engine;
  }
}

TEST_F(Update, KeepsCompression) {
  make("before.exr", Format::kR32Sfloat, {70, 50}, before);
  make("after.exr", Format::kR32Sfloat, {70, 50}, after);
  for (const bool zstd : {false, true}) {
    Args first{"hiz", "before.exr", "-o", "old.ktx2"};
    if (zstd) first.push_back("--zstd");
    good(first);
    good({"hiz", "after.exr", "-o", "new.ktx2", "--update", "old.ktx2", "--region", "37,20,13,9"});
    EXPECT_EQ(read("old.ktx2").zstd, zstd);
    EXPECT_EQ(read("new.ktx2").zstd, zstd);
  }
}

TEST_F(Update, LeavesTexelsOutsideTheRegionAlone) {
  make("before.exr", Format::kR32Sfloat, {64, 64}, before);
  make("other.exr", Format::kR32Sfloat, {64, 64}, [](uint32_t, uint32_t, uint32_t) { return 9.0F; });
  good({"hiz", "before.exr", "-o", "old.ktx2"});
  good({"hiz", "other.exr", "-o", "new.ktx2", "--update", "old.ktx2", "--region", "8,8,8,8"});
  const auto old = read("old.ktx2");
  const auto file = read("new.ktx2");
  EXPECT_EQ(value(file.levels[0], 8, 15), 9.0F);
  EXPECT_EQ(value(file.levels[0], 7, 8), value(old.levels[0], 7, 8));
  EXPECT_EQ(value(file.levels[3], 1, 1), 9.0F);
  EXPECT_EQ(value(file.levels[3], 2, 1), value(old.levels[3], 2, 1));
}

TEST_F(Cli, FactorMakesOneImage) {
  make("a.exr", Format::kR32Sfloat, {37, 20},
       [](uint32_t x, uint32_t y, uint32_t) { return static_cast<float>(100 * y + x); });
  std::vector<Args> engines = {{"--engine", "cpu"}};
  if (has_vulkan()) engines.push_back({"--engine", "vulkan", "--device", "0"});
  for (const Args& engine : engines) {
    Args arguments = {"hiz", "a.exr", "-o", "a.ktx2", "--factor", "16", "--json"};
    arguments.insert(arguments.end(), engine.begin(), engine.end());
    const auto json = nlohmann::json::parse(good(arguments).out);
    EXPECT_EQ(json["results"][0]["factor"], 16);
    EXPECT_EQ(json["results"][0]["engine"], engine[1]);
    EXPECT_EQ(json["results"][0]["predicted_bytes_read"], 37 * 20 * 4);
    const auto file = read("a.ktx2");
    ASSERT_EQ(file.levels.size(), 1U);
    ASSERT_EQ(file.levels[0].size(), (Extent{3, 2}));
    EXPECT_EQ(value(file.levels[0], 0, 0), 1515.0F);
    EXPECT_EQ(value(file.levels[0], 2, 1), 1936.0F) << "the last tile is 5x4";
    arguments.insert(arguments.end(), {"--reversed-z"});
    good(arguments);
    EXPECT_EQ(value(read("a.ktx2").levels[0], 1, 1), 1616.0F);
  }
  good({"hiz", "a.exr", "-o", "a.png", "--factor", "2", "--reduction", "mean", "--sheet", "sheet.png"});
  EXPECT_EQ(read("a.png").levels[0].size(), (Extent{19, 10}));
  bad(2, {"hiz", "a.exr", "-o", "b.ktx2", "--factor", "12"}, {"--factor: 12 is not one of 2, 4, 8, 16, 32 and 64"});
  bad(2, {"hiz", "a.exr", "-o", "b.ktx2", "--factor", "0"}, {"--factor: 0 is not one of"});
  bad(2, {"hiz", "a.exr", "-o", "b.ktx2", "--factor", "4", "--levels", "2"}, {"--factor and --levels"});
  bad(2, {"hiz", "a.exr", "-o", "b.ktx2", "--factor", "4", "--footprint", "tight"}, {"--factor and --footprint"});
  EXPECT_NE(good({"hiz", "--help"}).out.find("--factor"), std::string::npos);
}

}  // namespace
}  // namespace cli_test
