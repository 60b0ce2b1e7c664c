// files_hdr_test.cpp: Radiance files made by hand; mantissa m with exponent e has the value m * 2^(e - 136).
#include <gtest/gtest.h>

#include <cmath>

#include "tests/files/files_support.hpp"

namespace {

using namespace files_test;
using onepass::Format;

using Pixels = std::vector<uint8_t>;

onepass::Result<onepass::files::ImageFile> read(const std::string& size_line, const Pixels& pixels) {
  return onepass::files::read_memory(make_hdr(size_line, pixels), "test.hdr");
}

void expect_texel(const onepass::files::ImageFile& file, uint32_t x, uint32_t y,
                  const std::array<double, 3>& expected) {
  for (uint32_t c = 0; c < 3; ++c) EXPECT_EQ(texel(file.base(), x, y, c), expected[c]) << x << "," << y;
  EXPECT_EQ(texel(file.base(), x, y, 3), 1.0);
}

TEST(FilesHdr, FlatPixels) {
  const auto file = read("-Y 2 +X 2", {128, 64, 32, 129, 255, 0, 1, 136, 10, 20, 30, 0, 1, 2, 3, 1});
  ASSERT_TRUE(file) << file.error().text();
  ASSERT_EQ(file->base().format, Format::kRGBA32Sfloat);
  ASSERT_EQ(file->base().size, (onepass::Extent{2, 2}));
  EXPECT_EQ(file->stored_channels, 3U);
  expect_texel(*file, 0, 0, {1.0, 0.5, 0.25});
  expect_texel(*file, 1, 0, {255.0, 0.0, 1.0});
  expect_texel(*file, 0, 1, {0.0, 0.0, 0.0});  // exponent 0 is black
  expect_texel(*file, 1, 1, {std::ldexp(1.0, -135), std::ldexp(2.0, -135), std::ldexp(3.0, -135)});
}

TEST(FilesHdr, RunLengthPlanes) {
  Pixels pixels = {2, 2, 0, 9};
  for (const uint8_t plane : {uint8_t{1}, uint8_t{2}, uint8_t{3}})
    pixels.insert(pixels.end(), {128 + 8, uint8_t(plane * 10), 1, plane});
  pixels.insert(pixels.end(), {9, 136, 136, 136, 136, 136, 136, 136, 136, 137});
  const auto file = read("-Y 1 +X 9", pixels);
  ASSERT_TRUE(file) << file.error().text();
  for (uint32_t x = 0; x < 8; ++x) expect_texel(*file, x, 0, {10, 20, 30});
  expect_texel(*file, 8, 0, {2, 4, 6});
}

TEST(FilesHdr, OldRepeatMarks) {
  // One pixel, then 3 + 1 * 256 repeats: consecutive repeat marks are digits in base 256.
  const auto file = read("-Y 1 +X 260", {4, 5, 6, 136, 1, 1, 1, 3, 1, 1, 1, 1});
  ASSERT_TRUE(file) << file.error().text();
  expect_texel(*file, 0, 0, {4, 5, 6});
  expect_texel(*file, 259, 0, {4, 5, 6});
}

TEST(FilesHdr, EveryTruncationIsAnError) {
  Pixels pixels;
  for (int line = 0; line < 3; ++line) {
    pixels.insert(pixels.end(), {2, 2, 0, 9});
    for (int plane = 0; plane < 4; ++plane) pixels.insert(pixels.end(), {128 + 7, 9, 2, 1, 2});
  }
  ASSERT_TRUE(read("-Y 3 +X 9", pixels));
  while (!pixels.empty()) {
    pixels.pop_back();
    const auto file = read("-Y 3 +X 9", pixels);
    ASSERT_FALSE(file) << pixels.size();
    EXPECT_EQ(file.error().code, onepass::ErrorCode::kBadData);
  }
}

TEST(FilesHdr, DamagedRunsAreErrors) {
  const std::vector<Pixels> cases = {
      {2, 2, 0, 10},                             // length of the scanline is not the width
      {2, 2, 0, 9, 128 + 10, 1},                 // a run beyond the end
      {2, 2, 0, 9, 10, 1, 2, 3, 4, 5, 6, 7, 8},  // literals beyond the end
      {2, 2, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0},   // runs of length 0 would never end
      {1, 1, 1, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0},   // a repeat without a pixel before it
      {9, 9, 9, 9, 1, 1, 1, 200, 0, 0, 0, 0},    // repeats beyond the end
  };
  for (Pixels pixels : cases) {
    pixels.resize(64);
    const auto file = read("-Y 1 +X 9", pixels);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, onepass::ErrorCode::kBadData);
    EXPECT_EQ(file.error().context, "test.hdr");
  }
}

TEST(FilesHdr, HeadersThatAreRefused) {
  EXPECT_FALSE(read("-Y 2", Pixels(64)));
  EXPECT_FALSE(read("-Y 2 +X", Pixels(64)));
  EXPECT_FALSE(read("-Y 2 +Y 2", Pixels(64)));
  EXPECT_FALSE(read("Y 2 X 2", Pixels(64)));
  EXPECT_FALSE(read("-Y 2 +X 2 3", Pixels(64)));
  EXPECT_FALSE(read("-Y 0 +X 5", Pixels(64)));
  EXPECT_FALSE(read("-Y -2 +X 5", Pixels(64)));
  EXPECT_FALSE(read("-Y 65536 +X 1", Pixels(64)));
  EXPECT_FALSE(read("-Y 99999999999999999999 +X 1", Pixels(64)));
  EXPECT_FALSE(read("-Y 65535 +X 65535", Pixels(64)));
  const auto file =
      onepass::files::read_memory(bytes_of("#?RADIANCE\nFORMAT=32-bit\x1b[2J\xff\n\n-Y 1 +X 1\n\1\1\1\1"), "x.hdr");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message,
            "HDR: FORMAT is \"32-bit\\x1b[2J\\xff\"; 32-bit_rle_rgbe and 32-bit_rle_xyze are possible");
}

// A file with these lines after the signature, of one pixel per scanline byte group.
onepass::Result<onepass::files::ImageFile> read_lines(const std::string& lines, const Pixels& pixels,
                                                      onepass::files::ReadOptions options = {}) {
  Bytes bytes = bytes_of("#?RADIANCE\n" + lines + "\n");
  for (const uint8_t value : pixels) bytes.push_back(static_cast<std::byte>(value));
  return onepass::files::read_memory(bytes, "test.hdr", options);
}

TEST(FilesHdr, EveryOrderOfPixelsIsUpright) {
  // Pixel (x, y) of the upright image has red 10 + x and green 20 + y.
  constexpr uint32_t kWidth = 3;
  constexpr uint32_t kHeight = 2;
  for (const bool columns : {false, true}) {
    for (const char sign_x : {'+', '-'}) {
      for (const char sign_y : {'+', '-'}) {
        const std::string x_axis = std::string(1, sign_x) + "X        3";
        const std::string y_axis = std::string(1, sign_y) + "Y        2";
        Pixels pixels;
        for (uint32_t major = 0; major < (columns ? kWidth : kHeight); ++major) {
          for (uint32_t minor = 0; minor < (columns ? kHeight : kWidth); ++minor) {
            // +X counts from the left, +Y from the bottom.
            const uint32_t along_x = columns ? major : minor;
            const uint32_t along_y = columns ? minor : major;
            const uint32_t x = sign_x == '+' ? along_x : kWidth - 1 - along_x;
            const uint32_t y = sign_y == '+' ? kHeight - 1 - along_y : along_y;
            pixels.insert(pixels.end(), {uint8_t(10 + x), uint8_t(20 + y), 30, 136});
          }
        }
        const std::string line = columns ? x_axis + " " + y_axis : y_axis + " " + x_axis;
        const auto file = read(line, pixels);
        ASSERT_TRUE(file) << line << ": " << file.error().text();
        ASSERT_EQ(file->base().size, (onepass::Extent{kWidth, kHeight})) << line;
        for (uint32_t y = 0; y < kHeight; ++y) {
          for (uint32_t x = 0; x < kWidth; ++x) expect_texel(*file, x, y, {10.0 + x, 20.0 + y, 30});
        }
      }
    }
  }
}

TEST(FilesHdr, ScanlinesOfColumnsAreRunLengthCoded) {
  // Two columns of nine pixels: runs have the length of a column.
  Pixels pixels;
  for (const uint8_t column : {uint8_t{1}, uint8_t{2}}) {
    pixels.insert(pixels.end(), {2, 2, 0, 9});
    for (const uint8_t value : {column, uint8_t{0}, uint8_t{0}, uint8_t{136}}) {
      pixels.insert(pixels.end(), {128 + 8, value, 1, uint8_t(value == 136 ? 136 : value + 50)});
    }
  }
  const auto file = read("+X 2 -Y 9", pixels);
  ASSERT_TRUE(file) << file.error().text();
  ASSERT_EQ(file->base().size, (onepass::Extent{2, 9}));
  for (uint32_t x = 0; x < 2; ++x) {
    expect_texel(*file, x, 7, {1.0 + x, 0, 0});
    expect_texel(*file, x, 8, {51.0 + x, 50, 50});
  }
}

TEST(FilesHdr, ExposureAndColourCorrectionAreDividedOut) {
  const Pixels pixels = {200, 100, 50, 136};
  const std::string lines =
      "FORMAT=32-bit_rle_rgbe\nEXPOSURE=2.5\nCOLORCORR= 0.5 1 2\nsome program, with = signs\n\tEXPOSURE=7\n"
      "EXPOSURE= 4e0\r\nCOLORCORR=2 2 2\nPIXASPECT=0.5\nVIEW=-vtv\n\n-Y 1 +X 1";
  const auto file = read_lines(lines, pixels);
  ASSERT_TRUE(file) << file.error().text();
  expect_texel(*file, 0, 0, {200 / (10 * 1.0), 100 / (10 * 2.0), 50 / (10 * 4.0)});
  EXPECT_EQ(file->pixel_aspect_ratio, 2.0F);
  EXPECT_TRUE(file->warnings.empty());
  EXPECT_FALSE(file->says_primaries);
  const auto stored = read_lines(lines, pixels, {.color = onepass::files::Color::kLinear});
  ASSERT_TRUE(stored);
  expect_texel(*stored, 0, 0, {200, 100, 50});
}

TEST(FilesHdr, UnusableStatementsAreNamed) {
  for (const std::string line : {"EXPOSURE=0", "EXPOSURE=-1", "EXPOSURE=nan", "EXPOSURE=1e300", "EXPOSURE=two",
                                 "COLORCORR=1 1", "PRIMARIES=0.6 0.3", "PIXASPECT=0", "EXPOSURE=\x1b[31m"}) {
    const auto file = read_lines(line + "\n\n-Y 1 +X 1", {8, 16, 32, 136});
    ASSERT_TRUE(file) << line;
    expect_texel(*file, 0, 0, {8, 16, 32});
    ASSERT_EQ(file->warnings.size(), 1U) << line;
    EXPECT_NE(file->warnings[0].find(line.substr(0, line.find('='))), std::string::npos);
    EXPECT_EQ(file->warnings[0].find('\x1b'), std::string::npos);
  }
  const auto file = read_lines("PRIMARIES=.1 .1 .2 .2 .3 .3 .3 .3\n\n-Y 1 +X 1", {8, 16, 32, 136});
  ASSERT_TRUE(file);
  EXPECT_FALSE(file->says_primaries);
  EXPECT_EQ(file->warnings.size(), 1U);
}

// The lines of one name are cumulative, so that their number must not take the product out of its range.
TEST(FilesHdr, ProductsOfPixelAspectsStayInTheirRange) {
  for (const std::string ratio : {"1e-6", "1e6", "0.001"}) {
    std::string lines;
    for (int i = 0; i < 60; ++i) lines += "PIXASPECT=" + ratio + "\n";
    const auto file = read_lines(lines + "\n-Y 1 +X 1", {8, 16, 32, 136});
    ASSERT_TRUE(file);
    EXPECT_NEAR(file->pixel_aspect_ratio, ratio == "1e6" ? 1e-6 : 1e6, ratio == "1e6" ? 1e-12 : 1.0) << ratio;
    ASSERT_FALSE(file->warnings.empty()) << ratio;
    EXPECT_NE(file->warnings[0].find("PIXASPECT"), std::string::npos);
  }
}

TEST(FilesHdr, PrimariesAreThoseOfTheColours) {
  const std::string lines = "PRIMARIES= 0.6800 0.3200 0.2650 0.6900 0.1500 0.0600 0.3127 0.3290\n\n-Y 1 +X 1";
  const auto file = read_lines(lines, {8, 16, 32, 136});
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->says_primaries);
  EXPECT_EQ(file->primaries, onepass::kDisplayP3Chromaticities);
  expect_texel(*file, 0, 0, {8, 16, 32});
}

TEST(FilesHdr, XyzePixelsAreTristimulusValues) {
  // The XYZ of a colour of 0.25, 0.5, 1 in BT.709: columns of the primaries, scaled so that their sum is D65.
  const std::string lines = "FORMAT=32-bit_rle_xyze\n\n-Y 1 +X 1";
  const Pixels pixels = {116, 120, 255, 128};
  const auto stored = read_lines(lines, pixels);
  ASSERT_TRUE(stored) << stored.error().text();
  EXPECT_TRUE(stored->says_primaries);
  EXPECT_EQ(stored->primaries, onepass::kXyzChromaticities);
  expect_texel(*stored, 0, 0, {116 / 256.0, 120 / 256.0, 255 / 256.0});
  const auto colours = read_lines(lines, pixels, {.primaries = onepass::kRec709Chromaticities});
  ASSERT_TRUE(colours);
  // The inverse of the matrix of IEC 61966-2-1, in seven digits: XYZ is not adapted to another white.
  const double x = 116 / 256.0, y = 120 / 256.0, z = 255 / 256.0;
  EXPECT_NEAR(texel(colours->base(), 0, 0, 0), 3.2409699 * x - 1.5373832 * y - 0.4986108 * z, 2e-6);
  EXPECT_NEAR(texel(colours->base(), 0, 0, 1), -0.9692436 * x + 1.8759675 * y + 0.0415551 * z, 2e-6);
  EXPECT_NEAR(texel(colours->base(), 0, 0, 2), 0.0556301 * x - 0.2039770 * y + 1.0569715 * z, 2e-6);
  const auto both = read_lines("PRIMARIES=.64 .33 .3 .6 .15 .06 .3127 .329\n" + lines, pixels);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->primaries, onepass::kXyzChromaticities);
  ASSERT_EQ(both->warnings.size(), 1U);
}

}  // namespace
