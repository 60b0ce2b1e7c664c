// cli_textures_test.cpp: sets of textures: formats and levels of every role, names, channels of other pictures, errors,
// batches, shards, reports, and that a set appears as a whole or not at all.
#include <cmath>

#include "cli_support.hpp"
#include "onepass/blocks.hpp"
#include "onepass/material.hpp"

namespace cli_test {
namespace {

using Json = nlohmann::json;
using onepass::BlockFormat;
namespace fs = std::filesystem;

class CliTextures : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    fs::create_directory(path("out"));
    make("wall_albedo.png", Format::kRGBA8Srgb, kSize, opaque);
    make("wall_normal.png", Format::kRGBA8Unorm, kSize, bumps);
    make("wall_rough.png", Format::kR8Unorm, kSize,
         [](uint32_t x, uint32_t, uint32_t) { return 0.2F + 0.01F * static_cast<float>(x); });
    make("wall_ao.png", Format::kR8Unorm, kSize,
         [](uint32_t, uint32_t y, uint32_t) { return 1 - 0.02F * static_cast<float>(y); });
    make("wall_height.png", Format::kR16Unorm, kSize, [](uint32_t x, uint32_t y, uint32_t) {
      return 0.5F + 0.25F * std::sin(0.7F * static_cast<float>(x)) * std::cos(0.5F * static_cast<float>(y));
    });
  }

  static float opaque(uint32_t x, uint32_t y, uint32_t c) { return c == 3 ? 1 : pattern(x, y, c); }

  /// Steep and different from texel to texel; y is not symmetric to x.
  static float bumps(uint32_t x, uint32_t y, uint32_t c) {
    const float nx = 0.6F * std::sin(1.7F * static_cast<float>(x) + 0.3F),
                ny = 0.3F * std::cos(2.1F * static_cast<float>(y));
    const float n[] = {nx, ny, std::sqrt(1 - nx * nx - ny * ny), 1};
    return c == 3 ? 1 : 0.5F * n[c] + 0.5F;
  }

  /// Of level 0 of a texture of wall_albedo.png, by its definition.
  [[nodiscard]] double psnr_of(const std::string& name) const {
    const auto source = read("wall_albedo.png"), stored = read(name);
    const Image &a = source.levels[0], &b = stored.levels[0];
    EXPECT_EQ(a.size_in_bytes(), b.size_in_bytes());
    double sum = 0;
    for (size_t i = 0; i < a.size_in_bytes(); ++i) {
      const double d = static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i]);
      sum += i % 4 < 3 ? d * d : 0;
    }
    return 10 * std::log10(255.0 * 255 / (sum / (0.75 * static_cast<double>(a.size_in_bytes()))));
  }

  [[nodiscard]] std::vector<std::string> outputs() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path("out"))) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  static constexpr Extent kSize{37, 22};
};

TEST_F(CliTextures, DesktopWritesBlocksForEveryRole) {
  make("glow.exr", Format::kRGBA16Sfloat, {20, 12},
       [](uint32_t x, uint32_t, uint32_t c) { return c == 3 ? 1 : 0.5F * static_cast<float>(x); });
  make("flame.png", Format::kRGBA8Srgb, {20, 12}, opaque);
  const Args all{"textures", "wall_albedo.png", "--normal",   "wall_normal.png", "--rough", "wall_rough.png",
                 "--ao",     "wall_ao.png",     "--rough-xy", "--quality",       "fast"};
  const std::pair<std::string, BlockFormat> roles[] = {{"base", BlockFormat::kBc7Srgb},
                                                       {"normal", BlockFormat::kBc5Unorm},
                                                       {"orm", BlockFormat::kBc7Unorm},
                                                       {"rough_xy", BlockFormat::kBc5Unorm},
                                                       {"emissive", BlockFormat::kBc6hUfloat}};
  for (const std::string extension : {"ktx2", "dds"}) {
    Args args = all;
    args.insert(args.end(), {"--emissive", "glow.exr", "-o", "out/{name}." + extension, "--json"});
    const Json result = Json::parse(good(args).out)["results"][0];
    ASSERT_EQ(result["textures"].size(), std::size(roles));
    for (size_t i = 0; i < std::size(roles); ++i) {
      const auto& [role, format] = roles[i];
      const std::string name = "out/wall_" + role + "." + extension;
      const auto file = read(name);
      EXPECT_EQ(file.blocks, format) << name;
      EXPECT_EQ(file.levels.size(), role == "emissive" ? 5U : 6U) << name;
      const Json& texture = result["textures"][i];
      EXPECT_EQ(texture["role"], role);
      EXPECT_EQ(texture["file"], name);
      EXPECT_EQ(texture["format"], onepass::block_format_info(format).name);
      EXPECT_EQ(texture["levels"], file.levels.size());
    }
    EXPECT_NEAR(result["textures"][0]["psnr_db"].get<double>(), psnr_of("out/wall_base." + extension), 0.01);
    EXPECT_LT(result["textures"][1]["mean_error_degrees"], 4);
  }
  good({"textures", "wall_albedo.png", "--emissive", "flame.png", "-o", "out/{name}.ktx2"});
  EXPECT_EQ(read("out/wall_emissive.ktx2").blocks, BlockFormat::kBc7Srgb);
}

TEST_F(CliTextures, MobileWritesAstc) {
  make("glow.exr", Format::kRGBA16Sfloat, {20, 12}, opaque);
  const Args args{"textures",        "wall_albedo.png", "--normal",   "wall_normal.png", "--rough",
                  "wall_rough.png",  "--rough-xy",      "--emissive", "glow.exr",        "-o",
                  "out/{name}.ktx2", "--profile",       "mobile",     "--json"};
  const Outcome outcome = run(args);
  if (outcome.out.find("astc") == std::string::npos && outcome.err.find("ASTC") != std::string::npos) {
    GTEST_SKIP() << outcome.err;  // a build without astcenc
  }
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read("out/wall_base.ktx2").blocks, BlockFormat::kAstc6x6Srgb);
  EXPECT_EQ(read("out/wall_normal.ktx2").blocks, BlockFormat::kAstc4x4Unorm);
  EXPECT_EQ(read("out/wall_orm.ktx2").blocks, BlockFormat::kAstc5x5Unorm);
  EXPECT_EQ(read("out/wall_rough_xy.ktx2").blocks, BlockFormat::kAstc4x4Unorm);
  EXPECT_EQ(read("out/wall_emissive.ktx2").blocks, BlockFormat::kAstc6x6Sfloat);
  const Json result = Json::parse(outcome.out)["results"][0];
  EXPECT_LT(result["textures"][1]["mean_error_degrees"], 6);
}

TEST_F(CliTextures, RoughnessOfLevelsIsThatOfTheLibrary) {
  good({"textures", "wall_albedo.png", "--normal", "wall_normal.png", "--rough", "wall_rough.png", "--ao",
        "wall_ao.png", "--metal", "0.25", "-o", "out/{name}.ktx2", "--profile", "web"});
  const auto normal = read("out/wall_normal.ktx2"), orm = read("out/wall_orm.ktx2");
  ASSERT_EQ(normal.levels.front().format(), Format::kRGBA8Unorm);
  ASSERT_EQ(orm.levels.front().format(), Format::kRGBA8Unorm);
  EXPECT_TRUE(orm.zstd);
  const auto vectors = read("wall_normal.png", {.color = onepass::files::Color::kLinear});
  const auto rough = read("wall_rough.png", {.color = onepass::files::Color::kLinear});
  std::vector<Image> expected_n, expected_r;
  std::vector<onepass::MutableImageView> to_n, to_r;
  for (size_t i = 1; i < orm.levels.size(); ++i) {
    expected_n.push_back(std::move(*Image::create(Format::kRGBA32Sfloat, orm.levels[i].size())));
    expected_r.push_back(std::move(*Image::create(Format::kR32Sfloat, orm.levels[i].size())));
  }
  for (size_t i = 0; i < expected_n.size(); ++i) {
    to_n.push_back(expected_n[i].view());
    to_r.push_back(expected_r[i].view());
  }
  const auto done = onepass::cpu::roughness_mips(vectors.levels[0].view(), rough.levels[0].view(), to_n, to_r);
  ASSERT_TRUE(done) << done.error().message;
  double grown = 0;
  for (size_t i = 0; i < expected_r.size(); ++i) {
    const Extent size = expected_r[i].size();
    for (uint32_t y = 0; y < size.height; ++y) {
      for (uint32_t x = 0; x < size.width; ++x) {
        const float r = value(expected_r[i], x, y);
        EXPECT_NEAR(value(orm.levels[i + 1], x, y, 1), r, 0.51 / 255 + 1e-4) << x << ", " << y << " of level " << i + 1;
        grown += r / static_cast<double>(size.width * size.height);
        for (uint32_t c = 0; c < 3; ++c) {
          EXPECT_NEAR(2 * value(normal.levels[i + 1], x, y, c) - 1, value(expected_n[i], x, y, c), 1.1 / 255);
        }
        EXPECT_NEAR(value(orm.levels[i + 1], x, y, 2), 0.25, 0.51 / 255);
      }
    }
  }
  EXPECT_GT(grown / static_cast<double>(expected_r.size()), 0.6);  // that of the base is 0.38

  good({"textures", "wall_albedo.png", "--normal", "wall_normal.png", "--rough", "wall_rough.png", "-o",
        "out/{name}.ktx2", "--profile", "web", "--keep-roughness"});
  EXPECT_NEAR(value(read("out/wall_orm.ktx2").levels.back(), 0, 0, 1), 0.38, 0.01);
}

TEST_F(CliTextures, NormalsOfHeightsAndFlippedOnes) {
  good({"textures", "wall_albedo.png", "--height", "wall_height.png", "--height-scale", "4", "-o", "out/{name}.ktx2",
        "--profile", "web"});
  const auto heights = read("wall_height.png", {.color = onepass::files::Color::kLinear});
  Image expected = std::move(*Image::create(Format::kRGBA32Sfloat, kSize));
  ASSERT_TRUE(onepass::cpu::height_to_normals(heights.levels[0].view(), expected.view(), {.scale = 4}));
  const Image made = std::move(read("out/wall_normal.ktx2").levels[0]);
  for (uint32_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(2 * value(made, 9, 7, c) - 1, value(expected, 9, 7, c), 1.1 / 255);
    EXPECT_NEAR(2 * value(made, 0, 21, c) - 1, value(expected, 0, 21, c), 1.1 / 255);
  }
  for (const bool flip : {false, true}) {
    Args args{"textures", "wall_albedo.png", "--normal",  "wall_normal.png",
              "-o",       "out/{name}.ktx2", "--profile", "web"};
    if (flip) args.emplace_back("--flip-y");
    good(args);
    const float y = value(read("out/wall_normal.ktx2").levels[0], 5, 4, 1), given = bumps(5, 4, 1);
    EXPECT_NEAR(y, flip ? 1 - given : given, 1.1 / 255);
  }
}

TEST_F(CliTextures, ChannelsComeFromAnyPictureOfAnySize) {
  make("packed.png", Format::kRGBA8Unorm, kSize,
       [](uint32_t, uint32_t, uint32_t c) { return 0.2F * static_cast<float>(c + 1); });
  make("half.png", Format::kR8Unorm, {18, 11}, [](auto...) { return 0.6F; });
  good({"textures", "wall_albedo.png", "--pack", "r=half.png,g=packed.png:b,b=packed.png:r,a=packed.png:a", "-o",
        "out/{name}.ktx2", "--profile", "web"});
  const auto orm = read("out/wall_orm.ktx2");
  EXPECT_EQ(orm.levels[0].size(), kSize);
  const float expected[] = {0.6F, 0.6F, 0.2F, 0.8F};
  for (uint32_t c = 0; c < 4; ++c) EXPECT_NEAR(value(orm.levels[0], 3, 3, c), expected[c], 1.1 / 255) << c;
  // A number needs no picture; without normals a constant stays what it is.
  good({"textures", "wall_albedo.png", "--rough", "0.5", "-o", "out/{name}.ktx2", "--profile", "web"});
  const auto one = read("out/wall_orm.ktx2");
  EXPECT_EQ(one.levels[0].size(), (Extent{1, 1}));
  EXPECT_NEAR(value(one.levels[0], 0, 0, 1), 0.5, 0.51 / 255);
  EXPECT_EQ(value(one.levels[0], 0, 0, 0), 1);
  EXPECT_EQ(value(one.levels[0], 0, 0, 2), 0);
}

TEST_F(CliTextures, AlphaOfTheBaseIsKept) {
  make("leaf.png", Format::kRGBA8Srgb, {32, 32}, [](uint32_t x, uint32_t y, uint32_t c) {
    return c < 3 ? 0.5F : static_cast<float>((x * x * 31 + y * 17 + x * y * 13) % 97) / 96;
  });
  good({"textures", "leaf.png", "-o", "out/{name}.ktx2", "--profile", "web", "--alpha", "coverage"});
  const auto file = read("out/leaf_base.ktx2");
  double wanted = 0;  // the share of the base
  for (const Image& level : file.levels) {
    if (level.size().width < 8) break;
    double passing = 0;
    for (uint32_t i = 0; i < level.size().width * level.size().height; ++i) {
      passing += value(level, i % level.size().width, i / level.size().width, 3) >= 0.5F ? 1 : 0;
    }
    const double share = passing / (level.size().width * level.size().height);
    if (&level == &file.levels.front()) wanted = share;
    EXPECT_NEAR(share, wanted, 0.02) << level.size().width;
  }
  EXPECT_NE(run({"textures", "wall_albedo.png", "-o", "out/x.ktx2", "--alpha", "coverage"}).err.find("is opaque"),
            std::string::npos);
}

TEST_F(CliTextures, NamesFollowSetsAndRoles) {
  fs::create_directory(path("sets"));
  for (const char* name : {"a_BaseColor.png", "b-diffuse.png", "plain.png", "col.png"}) {
    make(std::string("sets/") + name, Format::kRGBA8Srgb, {4, 4}, opaque);
  }
  for (const char* name : {"a_n.png", "b_n.png", "plain_n.png", "col_n.png"}) {
    make(std::string("sets/") + name, Format::kRGBA8Unorm, {4, 4}, bumps);
  }
  const Args inputs{"textures", "sets/a_BaseColor.png", "sets/b-diffuse.png", "sets/plain.png", "sets/col.png",
                    "--normal", "{dir}/{name}_n.png"};
  Args args = inputs;
  args.insert(args.end(), {"-o", "out/", "--sheet", "out/"});
  good(args);
  EXPECT_EQ(outputs(), (std::vector<std::string>{"a.png", "a_base.ktx2", "a_normal.ktx2", "b.png", "b_base.ktx2",
                                                 "b_normal.ktx2", "col.png", "col_base.ktx2", "col_normal.ktx2",
                                                 "plain.png", "plain_base.ktx2", "plain_normal.ktx2"}));
  args = inputs;
  args.insert(args.end(), {"-o", "out/{role}_{ext}.ktx2", "--shard", "1/2"});
  bad(2, args, {"out/base_png.ktx2", "two outputs"});
  args = inputs;
  args.insert(args.end(), {"-o", "fresh/{role}_{name}.dds", "--shard", "1/2"});
  fs::create_directory(path("fresh"));
  good(args);
  std::vector<std::string> made;
  for (const auto& entry : fs::directory_iterator(path("fresh"))) made.push_back(entry.path().filename().string());
  std::sort(made.begin(), made.end());
  EXPECT_EQ(made, (std::vector<std::string>{"base_b.dds", "base_col.dds", "normal_b.dds", "normal_col.dds"}));
}

// Levels of the web's texels differ by one step at most; blocks of quality fast are made on the device, too.
TEST_F(CliTextures, TheEnginesMakeTheSameTextures) {
  if (!has_vulkan()) GTEST_SKIP() << "no Vulkan device";
  const auto make_set = [&](const std::string& engine, const Args& more) {
    Args args{"textures",
              "wall_albedo.png",
              "--rough",
              "wall_rough.png",
              "--normal",
              "wall_normal.png",
              "--json",
              "--engine",
              engine,
              "-o",
              "out/" + engine + "_{role}.ktx2"};
    args.insert(args.end(), more.begin(), more.end());
    return Json::parse(good(args).out)["results"][0];
  };
  for (const Args& more : {Args{"--profile", "web", "--filter", "kaiser", "--wrap"}, Args{"--profile", "web"}}) {
    EXPECT_EQ(make_set("cpu", more)["engine"], "cpu");
    const Json result = make_set("vulkan", more);
    EXPECT_EQ(result["engine"], "vulkan");
    EXPECT_TRUE(result["device"].is_string());
    EXPECT_EQ(result["block_engine"], "cpu") << "no blocks";
    for (const std::string role : {"base", "normal", "orm"}) {
      const auto a = read("out/cpu_" + role + ".ktx2"), b = read("out/vulkan_" + role + ".ktx2");
      ASSERT_EQ(a.levels.size(), b.levels.size());
      int largest = 0;
      for (size_t n = 0; n < a.levels.size(); ++n) {
        const auto* x = reinterpret_cast<const uint8_t*>(a.levels[n].data());
        const auto* y = reinterpret_cast<const uint8_t*>(b.levels[n].data());
        for (size_t i = 0; i < a.levels[n].size_in_bytes(); ++i) largest = std::max(largest, std::abs(x[i] - y[i]));
      }
      EXPECT_LE(largest, 1) << role;
    }
  }
  std::vector<double> psnr;  // of blocks
  for (const std::string engine : {"cpu", "vulkan"}) {
    const Json result = Json::parse(
        good({"textures", "wall_albedo.png", "-o", "out/b.ktx2", "--quality", "fast", "--engine", engine, "--json"})
            .out)["results"][0];
    EXPECT_EQ(result["block_engine"], engine);
    psnr.push_back(result["textures"][0]["psnr_db"].get<double>());
  }
  EXPECT_EQ(psnr[0], psnr[1]) << "level 0 has the same bits";
  bad(2, {"textures", "wall_albedo.png", "-o", "out/", "--engine", "cpu", "--device", "0"},
      {"--device needs --engine"});
}

TEST_F(CliTextures, ASetAppearsAsAWholeOrNotAtAll) {
  make("other_albedo.png", Format::kRGBA8Srgb, kSize, opaque);
  make("other_rough.png", Format::kR8Unorm, kSize, opaque);
  write_bytes("other_normal.png", bytes("wall_normal.png").substr(0, 300));
  const Outcome outcome = run({"textures", "other_albedo.png", "wall_albedo.png", "--normal", "{name}_normal.png",
                               "--rough", "{name}_rough.png", "-o", "out/", "--json"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outputs(), (std::vector<std::string>{"wall_base.ktx2", "wall_normal.ktx2", "wall_orm.ktx2"}));
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["command"], "textures");
  EXPECT_EQ(json["done"], 1);
  EXPECT_NE(json["results"][0]["error"].get<std::string>().find("other_normal.png"), std::string::npos);
}

TEST_F(CliTextures, SaysWhatIsWrong) {
  const auto refused = [&](int status, const Args& more, const std::vector<std::string>& words) {
    Args args{"textures", "wall_albedo.png", "-o", "out/{name}.ktx2"};
    args.insert(args.end(), more.begin(), more.end());
    bad(status, args, words);
    EXPECT_TRUE(outputs().empty());
  };
  refused(2, {"--normal", "wall_normal.png", "--height", "wall_height.png"}, {"--normal and --height"});
  refused(2, {"--height-scale", "2"}, {"--height-scale needs --height"});
  refused(2, {"--flip-y"}, {"--flip-y needs --normal"});
  refused(2, {"--rough-xy", "--rough", "0.5"}, {"--rough-xy needs --normal or --height"});
  refused(2, {"--keep-roughness", "--normal", "wall_normal.png"}, {"--keep-roughness needs --rough"});
  refused(2, {"--rough", "1.5"}, {"--rough", "1.5", "0 to 1"});
  refused(2, {"--rough", "wall_rough.png:x"}, {"--rough", "wall_rough.png:x", ":x"});
  refused(2, {"--metal", ":g"}, {"--metal", ":g"});
  refused(2, {"--pack", "g=wall_rough.png,q=a.png"}, {"--pack", "q=a.png"});
  refused(2, {"--pack", "r=wall_ao.png"}, {"--pack: g"});
  refused(2, {"--pack", "g=a.png,g=b.png"}, {"--pack: g is given twice"});
  refused(2, {"--pack", "g=a.png", "--ao", "b.png"}, {"--pack and --ao"});
  refused(2, {"--normal", "{nam}_n.png"}, {"{nam}", "{name}, {ext} and {dir}"});
  refused(2, {"--profile", "console"}, {"--profile", "console", "desktop, mobile, web"});
  refused(2, {"--profile", "web", "--quality", "best"}, {"--quality needs --profile desktop or mobile"});
  refused(2, {"--alpha-threshold", "0.2"}, {"--alpha-threshold needs --alpha coverage"});
  refused(2, {"--alpha", "coverage", "--filter", "kaiser"}, {"--filter kaiser", "--alpha coverage"});
  refused(2, {"--sheet", "sheet.jpg"}, {"--sheet", "sheet.jpg", ".png"});
  refused(1, {"--normal", "none.png"}, {"none.png"});
  refused(1, {"--normal", "wall_rough.png"}, {"wall_rough.png", "is grey"});
  refused(1, {"--rough", "wall_rough.png:a"}, {"wall_rough.png", "1 channel, no a"});
  bad(2, {"textures", "wall_albedo.png", "-o", "out/x.png"}, {"out/x_base.png", ".ktx2 or .dds"});
  for (const std::string profile : {"web", "mobile"}) {
    bad(2, {"textures", "wall_albedo.png", "-o", "out/x.dds", "--profile", profile},
        {"out/x_base.dds", "--profile " + profile});
  }
  bad(2, {"textures", "wall_albedo.png", "-o", "out/x.dds", "--zstd"}, {"--zstd", "out/x_base.dds"});
  bad(2, {"textures", "wall_albedo.png", "wall_ao.png", "-o", "out/x.ktx2"}, {"-o out/x.ktx2", "{name}"});
  bad(2, {"textures", "wall_albedo.png", "-o", "-"}, {"-o -"});
  bad(1, {"textures", "wall_albedo.png", "-o", "none/x.ktx2"}, {"none/x_base.ktx2", "no directory"});
  good({"textures", "wall_albedo.png", "-o", "out/in.ktx2"});
  bad(2, {"textures", "out/in_base.ktx2", "-o", "out/{name}.ktx2"}, {"out/in_base.ktx2"});
}

}  // namespace
}  // namespace cli_test
