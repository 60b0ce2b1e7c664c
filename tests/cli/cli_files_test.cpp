// cli_files_test.cpp: every type of input and output, and the commands without input.
#include <sys/stat.h>

#include <thread>

#include "tests/cli/cli_support.hpp"

namespace cli_test {
namespace {

using onepass::files::Type;

TEST_F(Cli, VersionPrintsNumberEnginesAndFormats) {
  const std::string text = good({"--version"}).out;
  EXPECT_TRUE(text.starts_with("onepass 0.")) << text;
  for (const char* line : {"\nengines: CPU, Vulkan\n", "\nread:    PNG, ", "\nwrite:   KTX2, "}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

TEST_F(Cli, HelpShowsExamplesAndSubcommands) {
  const std::string text = good({"--help"}).out;
  for (const char* word : {"mips", "hiz", "scene", "info", "Examples:", "Exit status"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word;
  }
  EXPECT_NE(good({"mips", "--help"}).out.find("--footprint"), std::string::npos);
  EXPECT_NE(good({"hiz", "--help"}).out.find("--reversed-z"), std::string::npos);
}

TEST_F(Cli, InfoListsFormatsAsTextAndJson) {
  EXPECT_NE(good({"info"}).out.find("r8g8b8a8_srgb"), std::string::npos);
  const auto json = nlohmann::json::parse(good({"info", "--json"}).out);
  EXPECT_EQ(json["cpu"]["sources"].size(), 24U);
  EXPECT_EQ(json["cpu"]["targets"].size(), 19U);
  EXPECT_EQ(json["vulkan"].empty(), !has_vulkan());
}

// What somebody without the device needs to know about it: ids, limits, assumptions, and the kernels of every
// technique.
TEST_F(Cli, InfoReportsDevices) {
  const auto report = nlohmann::json::parse(good({"info", "--report"}).out);
  const auto info = nlohmann::json::parse(good({"info", "--json"}).out);
  EXPECT_EQ(report["onepass"], info["onepass"]);
  EXPECT_EQ(report["engines"], nlohmann::json({"cpu", "vulkan"}));
  EXPECT_FALSE(report["system"].get<std::string>().empty());
  ASSERT_EQ(report["vulkan"].size(), info["vulkan"].size());
  for (size_t i = 0; i < info["vulkan"].size(); ++i) {
    const auto& device = report["vulkan"][i];
    SCOPED_TRACE(device["name"].get<std::string>());
    for (const auto& [key, value] : info["vulkan"][i].items()) EXPECT_EQ(device[key], value) << key;
    EXPECT_TRUE(device["vendor_id"].get<std::string>().starts_with("0x"));
    EXPECT_EQ(device["limits"]["maxImageDimension2D"], device["max_image_size"]);
    EXPECT_EQ(device["subgroups"]["size"], device["subgroup_size"]);
    size_t sampled = 0;
    for (const auto& format : device["formats"]) sampled += format["sampled"].get<bool>() ? 1 : 0;
    EXPECT_EQ(sampled, device["sources"].size());
    const auto& known = device["known_driver"];
    if (device["driver_name"] == "llvmpipe") {
      EXPECT_EQ(known["row"], "lavapipe");
      EXPECT_EQ(known["assumptions"]["forward_progress"]["holds"], false);
      EXPECT_EQ(known["assumptions"]["unfenced_stores"]["holds"], true);
    }
    if (!device["usable"].get<bool>()) continue;
    EXPECT_GE(device["variants"].size(), 14U);
    size_t blooms = 0;
    for (const auto& variant : device["variants"]) {
      SCOPED_TRACE(variant["technique"].get<std::string>());
      ASSERT_TRUE(variant.contains("kernels")) << variant["error"];
      EXPECT_FALSE(variant["kernels"].empty());
      const std::string first = variant["kernels"][0];
      if (variant["technique"] == "pyramid") {
        EXPECT_TRUE(first.starts_with("pyramid_")) << "of an earlier technique";
      }
      if (variant["technique"] == "frame_tone_map") {
        EXPECT_TRUE(first.starts_with("frame_")) << "of an earlier technique";
      }
      if (variant["technique"] == "bloom") {
        ++blooms;
        EXPECT_GE(variant["dispatches"], 3);
      }
    }
    EXPECT_EQ(blooms, 2U);
  }
}

TEST_F(Cli, SceneHasColourAndDepthAndRepeats) {
  good({"scene", "-o", "a.exr", "--size", "96x54", "--threads", "1"});
  const auto json =
      nlohmann::json::parse(good({"scene", "-o", "b.exr", "--size", "96x54", "--threads", "3", "--json"}).out);
  EXPECT_EQ(json["width"], 96);
  EXPECT_TRUE(bytes("a.exr") == bytes("b.exr"));
  const auto colour = read("a.exr");
  EXPECT_EQ(colour.levels[0].format(), Format::kRGBA16Sfloat);
  EXPECT_EQ(colour.levels[0].size(), (Extent{96, 54}));
  EXPECT_EQ(colour.exr_channels.size(), 5U);
  const auto depth = read("a.exr", {.channels = {"Z"}});
  EXPECT_EQ(depth.levels[0].format(), Format::kR32Sfloat);
  EXPECT_EQ(value(depth.levels[0], 60, 0), 1.0F) << "the sky is at the far plane";
  EXPECT_LT(value(depth.levels[0], 48, 53), 0.95F) << "the floor is near";
  float brightest = 0;
  for (uint32_t i = 0; i < 96 * 54; ++i) brightest = std::max(brightest, value(colour.levels[0], i % 96, i / 96));
  EXPECT_GT(brightest, 100.0F) << "lamps and sun are far above white";
}

TEST_F(Cli, MipsOfEveryInputType) {
  const auto whole = [](uint32_t x, uint32_t y, uint32_t c) { return static_cast<float>((x + 2 * y + 3 * c) % 9); };
  make("a8.png", Format::kRGBA8Srgb, {13, 7}, pattern);
  make("a16.png", Format::kRGBA16Unorm, {13, 7}, pattern);
  make_jpeg("b.jpg", {13, 7}, pattern);
  make("c.exr", Format::kRGBA16Sfloat, {13, 7}, pattern);
  make_hdr("d.hdr", {13, 7}, whole);
  make("e.ktx2", Format::kRG16Unorm, {13, 7}, pattern);
  const std::vector<std::pair<std::string, Format>> expected{
      {"a8.png", Format::kRGBA8Srgb},   {"a16.png", Format::kRGBA32Sfloat}, {"b.jpg", Format::kRGBA8Srgb},
      {"c.exr", Format::kRGBA16Sfloat}, {"d.hdr", Format::kRGBA32Sfloat},   {"e.ktx2", Format::kRG16Unorm}};
  for (const auto& [name, format] : expected) {
    SCOPED_TRACE(name);
    good({"mips", name, "-o", "out_" + name + ".ktx2"});
    const auto file = read("out_" + name + ".ktx2");
    ASSERT_EQ(file.levels.size(), 4U);
    EXPECT_EQ(file.levels[0].format(), format);
    EXPECT_EQ(file.levels[1].size(), (Extent{6, 3}));
    EXPECT_EQ(file.levels[3].size(), (Extent{1, 1}));
    const auto input = read(name);
    for (uint32_t i = 0; i < 13 * 7; ++i) {
      ASSERT_EQ(value(file.levels[0], i % 13, i / 13), value(input.levels[0], i % 13, i / 13));
    }
  }
}

TEST_F(Cli, TheLastLevelIsTheMeanOfTheImage) {
  make("a.exr", Format::kR32Sfloat, {5, 3},
       [](uint32_t x, uint32_t y, uint32_t) { return static_cast<float>(x + 10 * y); });
  good({"mips", "a.exr", "-o", "a.ktx2"});
  EXPECT_NEAR(value(read("a.ktx2").levels.back(), 0, 0), 12.0F, 1e-5F);
}

TEST_F(Cli, ExrOutputIsMipMapped) {
  make("a.png", Format::kRGBA8Srgb, {9, 6}, pattern);
  good({"mips", "a.png", "-o", "a.exr"});
  const auto file = read("a.exr");
  EXPECT_EQ(file.type, Type::kExr);
  ASSERT_EQ(file.levels.size(), 4U);
  EXPECT_EQ(file.levels[2].size(), (Extent{2, 1}));
}

TEST_F(Cli, ExrOutputOfDepthIsNamedZ) {
  make("a.exr", Format::kR32Sfloat, {4, 4}, pattern);
  good({"hiz", "a.exr", "-o", "z.exr"});
  EXPECT_EQ(read("z.exr").exr_channels, std::vector<std::string>{"Z"});
}

TEST_F(Cli, PngOutputIsOneFileALevel) {
  make("a.png", Format::kRGBA8Srgb, {4, 2}, pattern);
  good({"mips", "a.png", "-o", "l_%02d.png"});
  good({"mips", "a.png", "-o", "plain.png"});
  good({"mips", "a.png", "-o", "n%d.png", "--levels", "2"});
  EXPECT_EQ(listing(), (std::vector<std::string>{"a.png", "l_00.png", "l_01.png", "l_02.png", "n0.png", "n1.png",
                                                 "plain.0.png", "plain.1.png", "plain.2.png"}));
  EXPECT_EQ(read("l_01.png").levels[0].size(), (Extent{2, 1}));
  EXPECT_TRUE(bytes("l_01.png") == bytes("plain.1.png"));
}

// Symbolic links stay links, and files keep their permissions.
TEST_F(Cli, PngLevelsReplaceWhatLinksLeadTo) {
  make("a.png", Format::kRGBA8Srgb, {4, 2}, pattern);
  write_bytes("real.png", "old");
  std::filesystem::create_symlink("real.png", path("l.0.png"));
  write_bytes("l.1.png", "old");
  std::filesystem::permissions(path("l.1.png"), std::filesystem::perms{0600});
  std::filesystem::create_symlink("not_yet.png", path("l.2.png"));
  good({"mips", "a.png", "-o", "l.png"});
  EXPECT_TRUE(std::filesystem::is_symlink(path("l.2.png")));
  EXPECT_EQ(read("not_yet.png").levels[0].size(), (Extent{1, 1}));
  EXPECT_TRUE(std::filesystem::is_symlink(path("l.0.png")));
  EXPECT_EQ(read("real.png").levels[0].size(), (Extent{4, 2}));
  EXPECT_EQ(std::filesystem::status(path("l.1.png")).permissions(), std::filesystem::perms{0600});
  EXPECT_EQ(read("l.1.png").levels[0].size(), (Extent{2, 1}));
}

// A pipe can be read only once; --channel must work on it as on a file.
TEST_F(Cli, PipesHaveChannelsToo) {
  make("a.exr", Format::kRGBA16Sfloat, {8, 4}, pattern);
  good({"mips", "a.exr", "--channel", "G", "-o", "file.ktx2"});
  for (const std::string channel : {"G", "nonsense"}) {
    ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
    std::thread writer([&] { write_bytes("pipe", bytes("a.exr")); });
    const Args arguments{"mips", "pipe", "--channel", channel, "-o", "pipe.ktx2"};
    channel == "G" ? void(good(arguments)) : bad(1, arguments, {"pipe: ", "nonsense"});
    writer.join();
    std::filesystem::remove(path("pipe"));
  }
  EXPECT_TRUE(bytes("pipe.ktx2") == bytes("file.ktx2"));
}

// EXIF orientation and KTXorientation are applied.
TEST_F(Cli, OrientationIsApplied) {
  make_jpeg("a.jpg", {16, 8}, pattern);
  const std::string plain = bytes("a.jpg");
  good({"mips", "a.jpg", "-o", "plain.ktx2"});
  const onepass::files::ImageFile upright = read("plain.ktx2");
  for (const uint32_t orientation : {2U, 3U, 4U, 5U, 6U, 7U, 8U}) {
    std::string exif(
        "\xff\xe1\0\x22"
        "Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0",
        36);
    exif[29] = static_cast<char>(orientation);
    write_bytes("b.jpg", plain.substr(0, 2) + exif + plain.substr(2));
    good({"mips", "b.jpg", "-o", "b.ktx2"});
    const Image turned = std::move(read("b.ktx2").levels[0]);
    const bool swap = orientation > 4;
    ASSERT_EQ(turned.size(), (swap ? Extent{8, 16} : Extent{16, 8})) << orientation;
    for (uint32_t y = 0; y < 8; ++y) {
      for (uint32_t x = 0; x < 16; ++x) {
        // Target of texel (x, y) for EXIF 2.3 orientations 2 to 8.
        const uint32_t right = 15 - x;
        const uint32_t bottom = 7 - y;
        const std::pair<uint32_t, uint32_t> shown[] = {{right, y},  {right, bottom}, {x, bottom}, {y, x},
                                                       {bottom, x}, {bottom, right}, {y, right}};
        const auto [u, v] = shown[orientation - 2];
        ASSERT_EQ(value(turned, u, v), value(upright.levels[0], x, y)) << orientation << " " << x << "," << y;
      }
    }
  }
  make("c.ktx2", Format::kR32Sfloat, {4, 4}, pattern);
  std::string texture = bytes("c.ktx2");
  const size_t at = texture.find("KTXorientation");
  ASSERT_NE(at, std::string::npos);
  texture[at + 16] = 'u';
  write_bytes("c.ktx2", texture);
  good({"mips", "c.ktx2", "-o", "d.ktx2"});
  EXPECT_EQ(value(read("d.ktx2").levels[0], 1, 0), value(read("c.ktx2").levels[0], 1, 3));
}

TEST_F(Cli, SheetIsAPictureLargerThanTheBase) {
  make("a.png", Format::kRGBA8Srgb, {400, 300}, pattern);
  make("d.exr", Format::kR32Sfloat, {33, 200}, pattern);
  make("wide.png", Format::kRGBA8Srgb, {4097, 3}, pattern);
  good({"mips", "a.png", "-o", "a.ktx2", "--sheet", "sheet.png"});
  good({"hiz", "d.exr", "-o", "d.ktx2", "--sheet", "depth.png"});
  good({"hiz", "d.exr", "-o", "d2.ktx2", "--sheet", "depth2.png", "--reduction", "min_max"});
  good({"mips", "wide.png", "-o", "wide.ktx2", "--sheet", "wide_sheet.png"});
  make("tall.png", Format::kRGBA8Srgb, {3, 4097}, pattern);
  good({"mips", "tall.png", "-o", "tall.ktx2", "--sheet", "tall_sheet.png"});
  EXPECT_LT(read("tall_sheet.png").levels[0].size().height, 5200U);
  const auto sheet = read("sheet.png");
  EXPECT_GT(sheet.levels[0].size().width, 500U);
  EXPECT_GT(sheet.levels[0].size().height, 300U);
  // The sheet shows the base unscaled below the title; its first texel is at (28, 98).
  const auto base = read("a.png");
  EXPECT_EQ(value(sheet.levels[0], 28, 98), value(base.levels[0], 0, 0));
  EXPECT_EQ(value(sheet.levels[0], 28 + 399, 98 + 299, 2), value(base.levels[0], 399, 299, 2));
  for (const char* name : {"depth.png", "depth2.png", "wide_sheet.png"}) {
    EXPECT_LT(read(name).levels[0].size().width, 2200U) << name;
  }
}

TEST_F(Cli, ZstdMakesSmallerFilesWithTheSameContent) {
  make("a.png", Format::kRGBA8Srgb, {256, 256},
       [](uint32_t x, uint32_t, uint32_t) { return static_cast<float>(x / 64); });
  good({"mips", "a.png", "-o", "plain.ktx2"});
  good({"mips", "--zstd", "a.png", "-o", "three.ktx2"});
  good({"mips", "a.png", "--zstd=19", "-o", "nineteen.ktx2"});
  EXPECT_LT(bytes("three.ktx2").size(), bytes("plain.ktx2").size() / 4);
  EXPECT_LT(bytes("nineteen.ktx2").size(), bytes("plain.ktx2").size() / 4);
  const auto plain = read("plain.ktx2");
  const auto packed = read("three.ktx2");
  ASSERT_EQ(plain.levels.size(), packed.levels.size());
  for (size_t n = 0; n < plain.levels.size(); ++n) {
    EXPECT_EQ(std::memcmp(plain.levels[n].data(), packed.levels[n].data(), plain.levels[n].size_in_bytes()), 0);
  }
}

TEST_F(Cli, DdsHoldsLevelsAndBlocks) {
  using onepass::BlockFormat;
  make("a.png", Format::kRGBA8Srgb, {37, 20}, pattern);
  good({"mips", "a.png", "-o", "plain.dds"});
  good({"mips", "a.png", "-o", "same.ktx2"});
  const auto plain = read("plain.dds");
  const auto same = read("same.ktx2");
  ASSERT_EQ(plain.levels.size(), same.levels.size());
  for (size_t n = 0; n < plain.levels.size(); ++n) {
    EXPECT_EQ(std::memcmp(plain.levels[n].data(), same.levels[n].data(), same.levels[n].size_in_bytes()), 0);
  }
  const std::pair<const char*, BlockFormat> kCases[] = {
      {"bc1", BlockFormat::kBc1RgbaSrgb}, {"bc3", BlockFormat::kBc3Srgb},
      {"bc4", BlockFormat::kBc4Unorm},    {"bc4_signed", BlockFormat::kBc4Snorm},
      {"bc5", BlockFormat::kBc5Unorm},    {"bc5_signed", BlockFormat::kBc5Snorm},
      {"bc6h", BlockFormat::kBc6hUfloat}, {"bc6h_signed", BlockFormat::kBc6hSfloat},
      {"bc7", BlockFormat::kBc7Srgb}};
  for (const auto& [word, format] : kCases) {
    const std::string output = std::string(word) + ".dds";
    const auto done = run({"mips", "a.png", "-o", output, "--block", word, "--json"});
    EXPECT_EQ(done.status, 0) << done.err;
    const auto file = read(output);
    EXPECT_EQ(file.blocks, format) << word;
    ASSERT_EQ(file.levels.size(), same.levels.size());
    EXPECT_NE(done.out.find("\"block_format\""), std::string::npos) << done.out;
    const bool warns = done.err.find("has no sRGB form") != std::string::npos;
    EXPECT_EQ(warns, onepass::block_format_info(format).type != onepass::ChannelType::kSrgb) << done.err;
    // The blocks are those of the library.
    auto blocks = onepass::BlockImage::create(format, same.levels[1].size());
    auto expected = onepass::Image::create(file.levels[1].format(), same.levels[1].size());
    ASSERT_TRUE(blocks && expected && onepass::cpu::compress(same.levels[1].view(), blocks->view()));
    ASSERT_TRUE(onepass::cpu::decompress(blocks->view(), expected->view()));
    EXPECT_EQ(std::memcmp(expected->data(), file.levels[1].data(), expected->size_in_bytes()), 0) << word;
  }
  for (const char* zstd : {"--json", "--zstd"}) {
    good({"mips", "a.png", "-o", "bc7.ktx2", "--block", "bc7", zstd});
    const auto ktx2 = read("bc7.ktx2");
    const auto dds = read("bc7.dds");
    EXPECT_EQ(ktx2.blocks, BlockFormat::kBc7Srgb);
    ASSERT_EQ(ktx2.levels.size(), dds.levels.size());
    for (size_t n = 0; n < dds.levels.size(); ++n) {
      EXPECT_EQ(std::memcmp(ktx2.levels[n].data(), dds.levels[n].data(), dds.levels[n].size_in_bytes()), 0);
    }
  }
  good({"mips", "bc7.dds", "-o", "again.dds", "--block", "bc1", "--block-quality", "best", "--block-weights", "luma"});
  EXPECT_EQ(read("again.dds").levels[0].size(), (onepass::Extent{37, 20}));
  good({"mips", "a.png", "-o", "out/", "--block", "bc3", "--block-quality", "fast"});
  EXPECT_EQ(read("out/a.dds").blocks, BlockFormat::kBc3Srgb);
}

// Blocks of the quality `fast` are made on the device, and are those of the CPU.
TEST_F(Cli, BlocksAreMadeOnTheDevice) {
  if (!has_vulkan()) GTEST_SKIP() << "no Vulkan device";
  make("a.png", Format::kRGBA8Srgb, {37, 20}, pattern);
  const std::vector<std::string> device{"--engine", "vulkan", "--device", "llvmpipe"};
  const auto engine_of = [&](const std::string& output, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"mips", "a.png", "-o", output, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome done = run(arguments);
    EXPECT_EQ(done.status, 0) << done.err;
    const auto said = nlohmann::json::parse(done.out, nullptr, false);
    if (said.is_discarded()) return done.out;
    return said["results"][0].value("block_engine", done.out);
  };
  for (const std::string block : {"bc1", "bc3"}) {
    // The base alone: levels made on a device may differ by a code.
    std::vector<std::string> options{"--block", block, "--block-quality", "fast", "--levels", "1"};
    if (block == "bc1") options.insert(options.end(), {"--block-weights", "luma"});
    EXPECT_EQ(engine_of("cpu.dds", options), "cpu");
    options.insert(options.end(), device.begin(), device.end());
    EXPECT_EQ(engine_of("gpu.dds", options), "vulkan");
    EXPECT_TRUE(bytes("cpu.dds") == bytes("gpu.dds")) << block;
  }
  EXPECT_EQ(engine_of("normal.dds", {"--block", "bc1", device[0], device[1], device[2], device[3]}), "cpu");
  if (!onepass::has_astc()) return;
  EXPECT_EQ(engine_of("astc.ktx2",
                      {"--block", "astc_6x6", "--block-quality", "fast", device[0], device[1], device[2], device[3]}),
            "cpu");
}

TEST_F(Cli, Ktx2HoldsAstc) {
  using onepass::BlockFormat;
  if (!onepass::has_astc()) GTEST_SKIP() << "built without astcenc";
  make("a.png", Format::kRGBA8Srgb, {37, 20}, pattern);
  make("light.exr", Format::kRGBA16Sfloat, {19, 12}, pattern);
  good({"mips", "a.png", "-o", "plain.ktx2"});
  good({"mips", "a.png", "-o", "astc.ktx2", "--block", "astc_8x5", "--block-quality", "fast", "--zstd"});
  const auto plain = read("plain.ktx2");
  const auto file = read("astc.ktx2");
  EXPECT_EQ(file.blocks, BlockFormat::kAstc8x5Srgb);
  ASSERT_EQ(file.levels.size(), plain.levels.size());
  for (size_t n = 0; n < file.levels.size(); ++n) {
    auto blocks = onepass::BlockImage::create(file.blocks, plain.levels[n].size());
    auto expected = onepass::Image::create(Format::kRGBA8Srgb, plain.levels[n].size());
    ASSERT_TRUE(blocks && expected);
    ASSERT_TRUE(
        onepass::cpu::compress(plain.levels[n].view(), blocks->view(), {.quality = onepass::BlockQuality::kFast}));
    ASSERT_TRUE(onepass::cpu::decompress(blocks->view(), expected->view()));
    EXPECT_EQ(std::memcmp(expected->data(), file.levels[n].data(), expected->size_in_bytes()), 0) << n;
  }
  good({"mips", "a.png", "-o", "linear.ktx2", "--color", "linear", "--block", "astc_12x12"});
  EXPECT_EQ(read("linear.ktx2").blocks, BlockFormat::kAstc12x12Unorm);
  good({"mips", "light.exr", "-o", "out/", "--block", "astc_4x4"});
  EXPECT_EQ(read("out/light.ktx2").blocks, BlockFormat::kAstc4x4Sfloat);
  bad(2, {"mips", "a.png", "-o", "a.dds", "--block", "astc_6x6"}, {"--block", "DDS", "ASTC", "a.dds", "KTX2"});
}

TEST_F(Cli, CubeTakesSixFaces) {
  Args arguments{"mips"};
  for (uint32_t face = 0; face < 6; ++face) {
    const std::string name = "f" + std::to_string(face) + ".png";
    make(name, Format::kRGBA8Unorm, {8, 8},
         [face](uint32_t, uint32_t, uint32_t) { return static_cast<float>(face) / 5; });
    arguments.push_back(name);
  }
  for (const char* word : {"--cube", "--color", "linear", "-o", "cube.ktx2"}) arguments.emplace_back(word);
  good(arguments);
  const auto file = read("cube.ktx2");
  EXPECT_TRUE(file.cube);
  ASSERT_EQ(file.levels.size(), 4U);
  for (uint32_t face = 0; face < 6; ++face) {
    EXPECT_NEAR(value(file.levels[3], 0, 0, 0, face), static_cast<float>(face) / 5, 1e-6F);
  }
  good({"hiz", "cube.ktx2", "--channel", "R", "-o", "again.ktx2"});
  EXPECT_TRUE(read("again.ktx2").cube) << "a cube stays a cube";
}

TEST_F(Cli, ArrayStacksLayersInOrder) {
  for (const char* name : {"a.exr", "b.exr", "c.exr"}) {
    const float level = static_cast<float>(name[0] - 'a');
    make(name, Format::kR16Sfloat, {5, 5}, [level](uint32_t, uint32_t, uint32_t) { return level; });
  }
  good({"hiz", "a.exr", "b.exr", "c.exr", "--array", "-o", "array.ktx2"});
  const auto file = read("array.ktx2");
  EXPECT_TRUE(file.array);
  EXPECT_FALSE(file.cube);
  ASSERT_EQ(file.levels[0].slices(), 3U);
  for (uint32_t slice = 0; slice < 3; ++slice) {
    EXPECT_EQ(value(file.levels[2], 0, 0, 0, slice), static_cast<float>(slice));
  }
  good({"mips", "a.exr", "--array", "-o", "one.ktx2"});
  EXPECT_TRUE(read("one.ktx2").array);
}

}  // namespace
}  // namespace cli_test
