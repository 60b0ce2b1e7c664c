// files_hdr_test.cpp: Radiance files made by hand; mantissa m with exponent e has the value m * 2^(e - 136).
#include <gtest/gtest.h>

#include <cmath>

#include "files_support.hpp"

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
  EXPECT_FALSE(read("+X 2 -Y 2", Pixels(64)));
  EXPECT_FALSE(read("-Y 2", Pixels(64)));
  EXPECT_FALSE(read("-Y 2 +X", Pixels(64)));
  EXPECT_FALSE(read("-Y 0 +X 5", Pixels(64)));
  EXPECT_FALSE(read("-Y 65536 +X 1", Pixels(64)));
  EXPECT_FALSE(read("-Y 99999999999999999999 +X 1", Pixels(64)));
  EXPECT_FALSE(read("-Y 65535 +X 65535", Pixels(64)));
  const Bytes xyz = bytes_of("#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n-Y 1 +X 1\n\1\1\1\1");
  const auto file = onepass::files::read_memory(xyz, "xyz.hdr");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, onepass::ErrorCode::kUnsupported);
}

}  // namespace
