// cli_errors_test.cpp: invalid input gives one line of error and leaves no file behind.
#include <sys/mount.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

#include "tests/cli/cli_support.hpp"

namespace cli_test {
namespace {

// Noise that lossless compression cannot shrink.
float noise(uint32_t x, uint32_t y, uint32_t c) {
  uint32_t h = x * 0x9e3779b9U + y * 0x85ebca6bU + c * 0xc2b2ae35U;
  h = (h ^ (h >> 15)) * 0x2c1b3c6dU;
  return static_cast<float>((h ^ (h >> 13)) >> 8) * 0x1p-24F;
}

class CliErrors : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    make("a.png", Format::kRGBA8Srgb, {64, 64}, pattern);
    make("z.exr", Format::kR32Sfloat, {64, 64}, pattern);
  }

  // As bad(); the old output must be unchanged and no new file in the directory.
  void refused(int status, const Args& arguments, const std::vector<std::string>& words) {
    write_bytes("out.ktx2", "precious");
    const auto before = listing();
    bad(status, arguments, words);
    EXPECT_TRUE(bytes("out.ktx2") == "precious");
    EXPECT_EQ(listing(), before);
  }
};

TEST_F(CliErrors, MissingInput) { refused(1, {"mips", "none.png", "-o", "out.ktx2"}, {"none.png", "no such file"}); }

TEST_F(CliErrors, DirectoryAsInput) {
  std::filesystem::create_directory(path("dir"));
  refused(2, {"mips", "dir", "-o", "out.ktx2"}, {"dir: ", "directory without image files"});
}

TEST_F(CliErrors, TruncatedInput) {
  make("a.ktx2", Format::kRGBA8Srgb, {64, 64}, pattern);
  make_jpeg("a.jpg", {64, 64}, pattern);
  make_hdr("a.hdr", {64, 64}, [](uint32_t, uint32_t, uint32_t) { return 1.0F; });
  for (const std::string name : {"a.png", "z.exr", "a.ktx2", "a.jpg", "a.hdr"}) {
    const std::string whole = bytes(name);
    write_bytes("cut_" + name, whole.substr(0, whole.size() / 2));
    refused(1, {"mips", "cut_" + name, "-o", "out.ktx2"}, {"cut_" + name + ": "});
  }
}

// All outputs of one command appear together: if the second cannot be written, the first does not appear.
TEST_F(CliErrors, OutputsOfOneCommandAppearTogether) {
  ASSERT_EQ(::mkfifo(path("sheet.png").c_str(), 0600), 0);
  write_bytes("spectrum.exr", "precious");
  refused(1, {"mips", "a.png", "-o", "out.ktx2", "--sheet", "sheet.png", "--engine", "cpu"},
          {"sheet.png", "not a regular file"});
  refused(1, {"mips", "a.png", "-o", "new.exr", "--sheet", "sheet.png", "--engine", "cpu"},
          {"sheet.png", "not a regular file"});
  refused(1, {"mips", "a.png", "-o", "level%d.png", "--sheet", "sheet.png", "--engine", "cpu"}, {"sheet.png"});
  refused(1, {"fft", "a.png", "-o", "spectrum.exr", "--png", "sheet.png", "--engine", "cpu"}, {"sheet.png"});
  EXPECT_EQ(bytes("spectrum.exr"), "precious");
}

TEST_F(CliErrors, NotAnImage) {
  write_bytes("text.png", "This is not a picture.\n");
  write_bytes("empty.png", "");
  refused(1, {"mips", "text.png", "-o", "out.ktx2"}, {"text.png: "});
  refused(1, {"mips", "empty.png", "-o", "out.ktx2"}, {"empty.png: "});
}

TEST_F(CliErrors, AbsurdAndZeroSizes) {
  make("a.ktx2", Format::kRGBA8Srgb, {64, 64}, pattern);
  const auto with_width = [&](uint32_t width) {  // pixelWidth is the third field after the identifier
    std::string file = bytes("a.ktx2");
    std::memcpy(file.data() + 20, &width, sizeof(width));
    return file;
  };
  write_bytes("huge.ktx2", with_width(0xFFFFFFFFU));
  write_bytes("zero.ktx2", with_width(0));
  write_bytes("long.ktx2", with_width(60000));
  refused(1, {"mips", "huge.ktx2", "-o", "out.ktx2"}, {"huge.ktx2: ", "4294967295"});
  refused(1, {"mips", "zero.ktx2", "-o", "out.ktx2"}, {"zero.ktx2: ", "0"});
  refused(1, {"mips", "long.ktx2", "-o", "out.ktx2"}, {"long.ktx2: "});
  write_bytes("huge.hdr", "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2000000000 +X 2000000000\n");
  write_bytes("zero.hdr", "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 0 +X 5\n");
  refused(1, {"mips", "huge.hdr", "-o", "out.ktx2"}, {"huge.hdr: "});
  refused(1, {"mips", "zero.hdr", "-o", "out.ktx2"}, {"zero.hdr: "});
}

TEST_F(CliErrors, NanDepthNamesTheTexel) {
  make("nan.exr", Format::kR32Sfloat, {64, 64}, [](uint32_t x, uint32_t y, uint32_t) {
    return x == 41 && y == 17 ? std::numeric_limits<float>::quiet_NaN() : 0.5F;
  });
  refused(1, {"hiz", "nan.exr", "-o", "out.ktx2"}, {"nan.exr: ", "(41, 17)", "NaN"});
  // Infinite depth is a background: it is not searched for, so that no number of it is printed.
  const float inf = std::numeric_limits<float>::infinity();
  make("depth.exr", Format::kR32Sfloat, {8, 8}, [&](uint32_t x, uint32_t y, uint32_t) {
    return x == 2 && y == 3 ? std::nanf("") : y == 0 ? inf : 0.5F;
  });
  refused(1, {"hiz", "depth.exr", "-o", "out.ktx2"}, {"(2, 3)", "1 NaN texel in all"});
  refused(1, {"hiz", "depth.exr", "-o", "out.ktx2", "--nonfinite", "refuse"}, {"1 NaN texel in all"});
}

TEST_F(CliErrors, InfiniteDepthIsDepth) {
  make("inf.exr", Format::kR32Sfloat, {4, 4},
       [](uint32_t, uint32_t, uint32_t) { return std::numeric_limits<float>::infinity(); });
  good({"hiz", "inf.exr", "-o", "inf.ktx2", "--sheet", "inf.png"});
  EXPECT_TRUE(std::isinf(value(read("inf.ktx2").levels[2], 0, 0)));
}

TEST_F(CliErrors, ColourIsNotDepth) {
  refused(1, {"hiz", "a.png", "-o", "out.ktx2"}, {"a.png: ", "--channel"});
  make("rgb.exr", Format::kRGBA16Sfloat, {8, 8}, pattern);
  refused(1, {"hiz", "rgb.exr", "-o", "out.ktx2"}, {"rgb.exr: ", "--channel"});
}

TEST_F(CliErrors, UnknownChannel) {
  refused(1, {"hiz", "z.exr", "--channel", "depth", "-o", "out.ktx2"}, {"z.exr: ", "depth"});
  refused(1, {"hiz", "a.png", "--channel", "Q", "-o", "out.ktx2"}, {"a.png: ", "'Q'"});
}

TEST_F(CliErrors, WrongUsage) {
  refused(2, {}, {"subcommand"});
  refused(2, {"polish"}, {"polish", "subcommand"});
  refused(2, {"mips", "a.png", "-o", "out.ktx2", "--bogus"}, {"--bogus", "mips --help"});
  refused(2, {"mips", "-o", "out.ktx2"}, {"INPUT"});
  refused(2, {"mips", "a.png"}, {"--output"});
  refused(2, {"mips", "a.png", "-o", "out.bmp"}, {"out.bmp", "extension"});
  refused(2, {"mips", "a.png", "-o", "out.ktx2", "--sheet", "s.jpg"}, {"s.jpg", ".png"});
  refused(2, {"info", "--bogus"}, {"--bogus"});
  refused(2, {"scene", "-o", "s.png"}, {"s.png", ".exr"});
  for (const char* size : {"0x5", "12", "ax9", "9x", "20000x1", "-1x4", "8x8x8"}) {
    refused(2, {"scene", "-o", "s.exr", "--size=" + std::string(size)}, {"--size"});
  }
}

TEST_F(CliErrors, BadValuesOfOptions) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"--reduction", "median"}, {"--footprint", "round"}, {"--levels", "0"},      {"--levels", "33"},
      {"--levels", "x"},         {"--levels", "0x2"},      {"--levels", " 2"},     {"--levels", "2.5"},
      {"--engine", "gpu"},       {"--path", "slow"},       {"--color", "rec2020"}, {"--alpha", "none"},
      {"--filter", "gauss"},     {"--boundary", "zero"},   {"--ringing", "off"},   {"--filter-input", "finest"},
      {"--threads", "0"},        {"--zstd", "23"},         {"--format", "bc7"},    {"--zstd", "0"}};
  for (const auto& [option, text] : wrong) {
    refused(2, {"mips", "a.png", "-o", "out.ktx2", option + "=" + text}, {option});
  }
}

TEST_F(CliErrors, ContradictingOptions) {
  const std::vector<std::pair<Args, std::string>> wrong{
      {{"mips", "a.png", "--cube", "--array"}, "--array"},
      {{"mips", "a.png", "a.png", "--cube"}, "six"},
      {{"mips", "a.png", "--region", "0,0,4,4"}, "--update"},
      {{"mips", "a.png", "--update", "x.ktx2"}, "--region"},
      {{"mips", "a.png", "--update", "x.ktx2", "--region", "1,2,3"}, "--region"},
      {{"mips", "a.png", "--update", "x.ktx2", "--region", "1,2,3,4,5"}, "--region"},
      {{"mips", "a.png", "--update", "x.ktx2", "--region", "1,2,0,4"}, "empty"},
      {{"mips", "a.png", "--device", "0", "--engine", "cpu"}, "--device"},
      {{"mips", "a.png", "--path", "per_level", "--engine", "cpu"}, "--path"},
      {{"mips", "a.png", "--footprint", "tight"}, "tight"},
      {{"mips", "a.png", "--alpha", "weighted", "--reduction", "max"}, "--alpha"},
      {{"mips", "a.png", "--alpha-threshold", "0.5"}, "--alpha-threshold"},
      {{"mips", "a.png", "--alpha", "coverage", "--alpha-threshold", "1.5"}, "1.5"},
      {{"mips", "a.png", "--normal-map", "--alpha", "weighted"}, "--normal-map"},
      {{"mips", "a.png", "--boundary", "wrap"}, "--boundary needs a --filter"},
      {{"mips", "a.png", "--ringing", "limit", "--filter", "box"}, "--ringing needs a --filter"},
      {{"mips", "a.png", "--filter-input", "base"}, "--filter-input needs a --filter"},
      {{"mips", "a.png", "--filter", "lanczos", "--kaiser-width", "4"}, "--kaiser-width needs --filter kaiser"},
      {{"mips", "a.png", "--filter", "kaiser", "--reduction", "max"}, "--filter kaiser needs --reduction mean"},
      {{"mips", "a.png", "--filter", "kaiser", "--footprint", "edge"}, "--filter kaiser needs --footprint covering"},
      {{"mips", "a.png", "--filter", "kaiser", "--alpha", "coverage"}, "needs --alpha independent or weighted"},
      {{"mips", "a.png", "--filter", "mitchell", "--alpha", "weighted"}, "need --ringing limit"},
      {{"mips", "a.png", "--filter", "kaiser", "--path", "single_dispatch"},
       "--filter kaiser and --path single_dispatch"},
      {{"hiz", "z.exr", "--reversed-z", "--reduction", "max"}, "--reversed-z"},
  };
  for (const auto& [arguments, word] : wrong) {
    Args all = arguments;
    all.insert(all.end(), {"-o", "out.ktx2"});
    refused(2, all, {word});
  }
}

TEST_F(CliErrors, RangesOfKaiser) {
  const Args kaiser = {"mips", "a.png", "-o", "out.ktx2", "--filter", "kaiser"};
  Args wide = kaiser;
  wide.insert(wide.end(), {"--kaiser-width", "17"});
  refused(1, wide, {"a.png: ", "--kaiser-width", "17"});
  Args sharp = kaiser;
  sharp.insert(sharp.end(), {"--kaiser-alpha", "-1"});
  refused(1, sharp, {"a.png: ", "--kaiser-alpha", "-1"});
}

TEST_F(CliErrors, MoreLevelsThanTheImageHas) {
  refused(1, {"mips", "a.png", "-o", "out.ktx2", "--levels", "8"}, {"a.png: ", "levels"});
}

TEST_F(CliErrors, UnknownDevice) {
  if (!has_vulkan()) GTEST_SKIP() << "no Vulkan device";
  refused(1, {"mips", "a.png", "-o", "out.ktx2", "--engine", "vulkan", "--device", "no such device"},
          {"no such device"});
}

// The loader returns a lack of memory for a driver's manifest that is no JSON.
TEST_F(CliErrors, BrokenManifestOfADriver) {
  if (!has_vulkan()) GTEST_SKIP() << "no Vulkan device";
  write_bytes("icd.json", "{ broken");
  std::map<const char*, std::string> before;
  for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
    const char* const value = std::getenv(name);
    before[name] = value == nullptr ? "" : value;
    ::setenv(name, path("icd.json").c_str(), 1);
  }
  const Outcome outcome = run({"mips", "a.png", "-o", "x.ktx2", "--engine", "vulkan"});
  for (const auto& [name, value] : before) value.empty() ? ::unsetenv(name) : ::setenv(name, value.c_str(), 1);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("manifest of a driver"), std::string::npos) << outcome.err;
}

TEST_F(CliErrors, OutputOverInput) {
  const std::string before = bytes("z.exr");
  refused(2, {"mips", "z.exr", "-o", "z.exr"}, {"z.exr", "overwrite"});
  refused(2, {"mips", "z.exr", "-o", "./z.exr"}, {"overwrite"});
  refused(2, {"mips", "a.png", "-o", "new.ktx2", "--sheet", "a.png"}, {"a.png", "overwrite"});
  std::filesystem::create_symlink("z.exr", path("link.exr"));
  refused(2, {"mips", "z.exr", "-o", "link.exr"}, {"overwrite"});
  make("a.0.png", Format::kRGBA8Srgb, {4, 4}, pattern);
  refused(2, {"mips", "a.0.png", "-o", "a.png"}, {"a.0.png", "overwrite"});
  EXPECT_TRUE(bytes("z.exr") == before);
}

// Two names of one file.
TEST_F(CliErrors, OutputOverAHardLink) {
  std::filesystem::create_hard_link(path("z.exr"), path("same.exr"));
  refused(2, {"mips", "z.exr", "-o", "same.exr"}, {"same.exr", "overwrite an input, z.exr"});
  make("x.png", Format::kRGBA8Srgb, {4, 4}, pattern);
  std::filesystem::create_hard_link(path("x.png"), path("y.png"));
  std::filesystem::create_directory(path("o"));
  make("o/a.ktx2", Format::kRGBA8Srgb, {4, 4}, pattern);
  std::filesystem::create_hard_link(path("o/a.ktx2"), path("o/x.ktx2"));
  refused(2, {"mips", "a.png", "x.png", "-o", "o/"}, {"o/x.ktx2", "two outputs", "x.png"});
}

TEST_F(CliErrors, OutputOverAList) {
  write_bytes("list.png", "a.png\n");
  refused(2, {"mips", "@list.png", "-o", "x.ktx2", "--sheet", "list.png"}, {"list.png", "overwrite"});
}

TEST_F(CliErrors, EmptyTexts) {
  refused(2, {"mips", "a.png", "-o", "x.ktx2", "--device", ""}, {"--device", "empty"});
  refused(2, {"mips", "a.png", "-o", ""}, {"--output", "empty"});
  refused(2, {"tonemap", "z.exr", "-o", "x.png", "--mask", ""}, {"--mask", "empty"});
}

// No output of a batch may overwrite a kernel or mask.
TEST_F(CliErrors, OutputOverKernelOrMask) {
  make("k.png", Format::kRGBA8Srgb, {3, 3}, pattern);
  std::filesystem::create_directory(path("o"));
  make("o/a.png", Format::kRGBA8Srgb, {3, 3}, pattern);
  for (const std::string command : {"convolve", "deconvolve", "bloom"}) {
    refused(2, {command, "a.png", "--kernel", "k.png", "-o", "k.png"}, {"k.png", "overwrite"});
  }
  refused(2, {"convolve", "a.png", "z.exr", "--kernel", "o/a.png", "-o", "o/"}, {"o/a.png", "overwrite"});
  refused(2, {"tonemap", "z.exr", "--mask", "k.png", "-o", "k.png"}, {"k.png", "overwrite"});
  refused(2, {"meter", "z.exr", "--mask", "k.png", "--histogram", "k.png"}, {"k.png", "overwrite"});
}

TEST_F(CliErrors, NumbersAreWholeAndInBaseTen) {
  refused(2, {"bloom", "a.png", "-o", "x.png", "--scatter", ""}, {"--scatter", "not a number"});
  refused(2, {"convolve", "a.png", "--kernel", "a.png", "-o", "x.png", "--origin", "0.9,0"}, {"--origin", "0.9,0"});
  refused(2, {"convolve", "a.png", "--kernel", "a.png", "-o", "x.png", "--origin", "1e10,0"}, {"--origin", "1e10"});
  good({"mips", "a.png", "-o", "levels.ktx2", "--levels", "05", "-q"});
  EXPECT_EQ(read("levels.ktx2").levels.size(), 5U);
}

TEST_F(CliErrors, UrlsAreNotRead) {
  for (const std::string url : {"http://example.org/a.png", "https://example.org/a.exr", "s3://bucket/key.tif"}) {
    for (const char* command : {"mips", "meter", "tonemap", "fft"}) {
      Args arguments{command, url};
      if (std::string_view(command) != "meter") arguments.insert(arguments.end(), {"-o", "out.exr"});
      refused(1, arguments,
              {url + ": ", url.starts_with("s3") ? "https://bucket.s3.amazonaws.com/key.tif" : "TIFF and OME-Zarr"});
    }
    if (url.starts_with("s3")) refused(1, {"tiles", url, "-o", "out.tif"}, {"https://bucket.s3.amazonaws.com/key.tif"});
    refused(1, {"mips", "a.png", "-o", url.substr(0, url.rfind('.')) + ".ktx2"}, {"onepass writes files, not URLs"});
  }
}

TEST_F(CliErrors, ChannelsToChooseAreNamed) {
  refused(1, {"mips", "a.png", "--normal-map", "-o", "out.ktx2", "--format", "r8g8_unorm"}, {"--channel R,G"});
  refused(1, {"mips", "a.png", "-o", "out.ktx2", "--format", "r8_unorm"}, {"one channel with --channel R"});
  good({"mips", "a.png", "--normal-map", "-o", "out.ktx2", "--format", "r8g8_unorm", "--channel", "R,G", "-q"});
}

TEST_F(CliErrors, UnwritableTargets) {
  refused(1, {"mips", "a.png", "-o", "nowhere/x.ktx2"}, {"nowhere/x.ktx2: "});
  refused(1, {"mips", "a.png", "-o", "a.png/x.ktx2"}, {"a.png/x.ktx2: "});
  refused(1, {"mips", "a.png", "-o", "/proc/x.ktx2"}, {"/proc/x.ktx2: "});
  refused(1, {"mips", "a.png", "-o", "nowhere/x%d.png"}, {"nowhere"});
  refused(1, {"mips", "z.exr", "-o", "a.png/"}, {"a.png"});
  std::filesystem::create_directory(path("dir.ktx2"));
  std::filesystem::create_directory(path("dir.exr"));
  refused(1, {"scene", "-o", "dir.exr", "--size", "8x8"}, {"dir.exr: ", "directory"});
  refused(1, {"scene", "-o", "nowhere/s.exr", "--size", "8x8"}, {"nowhere/s.exr: "});
}

TEST_F(CliErrors, SlicesThatDoNotMatch) {
  make("b.png", Format::kRGBA8Srgb, {32, 64}, pattern);
  refused(1, {"mips", "a.png", "b.png", "--array", "-o", "out.ktx2"}, {"b.png: ", "32x64", "64x64"});
  make("wide.png", Format::kRGBA8Srgb, {32, 16}, pattern);
  refused(1,
          {"mips", "wide.png", "wide.png", "wide.png", "wide.png", "wide.png", "wide.png", "--cube", "-o", "out.ktx2"},
          {"wide.png: ", "square"});
}

TEST_F(CliErrors, FormatsWithoutSlices) {
  refused(1, {"mips", "a.png", "a.png", "--array", "-o", "x.exr"}, {"x.exr: ", "slice"});
  refused(1, {"mips", "a.png", "a.png", "--array", "-o", "x%d.png"}, {"x%d.png: ", "slice"});
}

TEST_F(CliErrors, UpdateOfSomethingElse) {
  make("small.ktx2", Format::kR32Sfloat, {32, 32}, pattern);
  make("other.ktx2", Format::kR16Sfloat, {64, 64}, pattern);
  make("base_only.ktx2", Format::kR32Sfloat, {64, 64}, pattern);
  const auto update = [](const std::string& file, const std::string& region) {
    return Args{"hiz", "z.exr", "-o", "out.ktx2", "--update", file, "--region", region};
  };
  refused(1, update("none.ktx2", "0,0,4,4"), {"none.ktx2: ", "no such file"});
  refused(1, update("a.png", "0,0,4,4"), {"a.png: ", "KTX2"});
  refused(1, update("small.ktx2", "0,0,4,4"), {"small.ktx2: ", "32x32", "64x64"});
  refused(1, update("other.ktx2", "0,0,4,4"), {"other.ktx2: ", "r16_sfloat", "r32_sfloat"});
  make("one.exr", Format::kR32Sfloat, {64, 64}, pattern);
  good({"hiz", "one.exr", "--array", "-o", "array.ktx2", "-q"});
  refused(1, update("array.ktx2", "0,0,4,4"), {"array.ktx2: ", "an array", "one image"});
  refused(1, update("base_only.ktx2", "60,0,5,4"), {"z.exr: ", "60,0,5,4", "64x64"});
  Args levels = update("base_only.ktx2", "0,0,4,4");
  levels.insert(levels.end(), {"--levels", "3"});
  refused(1, levels, {"base_only.ktx2: ", "1 levels"});
}

// A file size limit (RLIMIT_FSIZE) simulates a full disk.
TEST_F(CliErrors, NoRoomForTheOutput) {
  make("big.png", Format::kRGBA8Srgb, {256, 256}, noise);
  for (const std::string out : {"out.ktx2", "new.ktx2", "new.exr", "new%d.png"}) {
    write_bytes("out.ktx2", "precious");
    const auto before = listing();
    const Outcome outcome = run({"mips", "big.png", "-o", out}, {.file_limit = 4096});
    EXPECT_EQ(outcome.status, 1) << out;
    EXPECT_TRUE(outcome.err.starts_with("onepass: ")) << outcome.err;
    EXPECT_TRUE(bytes("out.ktx2") == "precious") << out;
    EXPECT_EQ(listing(), before) << out;
  }
}

TEST_F(CliErrors, FullDisk) {
  std::filesystem::create_directory(path("disk"));
  if (::mount("none", path("disk").c_str(), "tmpfs", 0, "size=32k") != 0) GTEST_SKIP() << "may not mount";
  make("big.png", Format::kRGBA8Srgb, {256, 256}, noise);
  write_bytes("disk/big.ktx2", "precious");
  for (const std::string out : {"disk/big.ktx2", "disk/big.exr", "disk/big%d.png"}) {
    bad(1, {"mips", "big.png", "-o", out}, {"disk/big", "No space left"});
  }
  make("small.png", Format::kRGBA8Srgb, {128, 128}, noise);
  bad(1, {"mips", "small.png", "-o", "disk/small.exr"}, {"disk/small.exr", "No space left"});
  bad(1, {"scene", "-o", "disk/s.exr", "--size", "240x135"}, {"disk/s.exr: ", "No space left"});
  EXPECT_TRUE(bytes("disk/big.ktx2") == "precious");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("disk")), {}), 1);
  ::umount(path("disk").c_str());
}

TEST_F(CliErrors, FullStandardOutput) {
  for (const Args& arguments : {Args{"mips", "a.png", "-o", "new.ktx2", "--json"}, Args{"--help"},
                                Args{"mips", "--help"}, Args{"--version"}, Args{"--manual"}, Args{"info"}}) {
    const Outcome outcome = run(arguments, {.stdout_to = "/dev/full"});
    EXPECT_EQ(outcome.status, 1) << arguments[0];
    EXPECT_NE(outcome.err.find("standard output"), std::string::npos) << outcome.err;
  }
}

TEST_F(CliErrors, LineBreaksInNamesStayInOneLine) {
  bad(1, {"mips", "no\nsuch\x1b[2J.png", "-o", "x.ktx2"}, {"no?such?[2J.png"});
  // C1 controls in UTF-8: CSI, NEL, the first and the last; U+00A0 and é are none.
  const Outcome outcome = run({"mips",
                               "a\xC2\x9B"
                               "2J\xC2\x85"
                               "b\xC2\x80\xC2\x9F\xC2\xA0\xC3\xA9.png",
                               "-o", "x.ktx2"});
  EXPECT_NE(outcome.err.find("a?2J?b??\xC2\xA0\xC3\xA9.png"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace cli_test
