// files_pfm_test.cpp: reading and writing of PFM, writing of HDR, against hand-made bytes and the definitions.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/files/files_support.hpp"

namespace {

using namespace files_test;
using onepass::ErrorCode;
using onepass::Extent;
using onepass::Format;
using onepass::Image;

Bytes pfm(const std::string& header, const std::vector<float>& values, bool big_endian) {
  Bytes bytes = bytes_of(header);
  for (const float value : values) {
    const auto bits = std::bit_cast<uint32_t>(value);
    for (uint32_t i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(bits >> (big_endian ? 24 - 8 * i : 8 * i)));
  }
  return bytes;
}

TEST(FilesPfm, RowsRunFromTheBottomInEitherByteOrder) {
  const std::vector<float> values{1, 2, 3, 4, 5, 6, -7, 8.5F, 9, 10, 11, 1e30F};
  for (const bool big : {false, true}) {
    const auto file = onepass::files::read_memory(pfm(big ? "PF\n2 2\n1.0\n" : "PF\n2 2\n-1.0\n", values, big), "x");
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_EQ(file->type, onepass::files::Type::kPfm);
    EXPECT_EQ(file->base().format, Format::kRGBA32Sfloat);
    EXPECT_EQ(file->stored_channels, 3U);
    for (uint32_t c = 0; c < 3; ++c) {
      EXPECT_EQ(texel(file->base(), 0, 1, c), values[c]);
      EXPECT_EQ(texel(file->base(), 1, 1, c), values[3 + c]);
      EXPECT_EQ(texel(file->base(), 0, 0, c), values[6 + c]);
      EXPECT_EQ(texel(file->base(), 1, 0, c), values[9 + c]);
    }
    EXPECT_EQ(texel(file->base(), 1, 0, 3), 1);
  }
}

TEST(FilesPfm, LinesMayEndAsOnWindows) {
  for (const std::string end : {"\r\n", "\r", "\n"}) {
    const auto file = onepass::files::read_memory(pfm("Pf" + end + "2 1" + end + "-1.0" + end, {3, 4}, false), "x");
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_EQ(texel(file->base(), 0, 0, 0), 3);
    EXPECT_EQ(texel(file->base(), 1, 0, 0), 4);
  }
}

TEST(FilesPfm, GreyAnySpacesAndSrgb) {
  const auto file = onepass::files::read_memory(pfm("Pf 3\t1 -0.5 ", {0.25F, 0.5F, 2}, false), "x");
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file->base().format, Format::kR32Sfloat);
  EXPECT_EQ(texel(file->base(), 2, 0, 0), 2);
  const auto srgb =
      onepass::files::read_memory(pfm("Pf\n1 1\n-1\n", {0.5F}, false), "x", {.color = onepass::files::Color::kSrgb});
  ASSERT_TRUE(srgb);
  EXPECT_NEAR(texel(srgb->base(), 0, 0, 0), srgb_decode(0.5), 1e-7);
}

TEST(FilesPfm, BadHeadersNameWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"PF\nx 2\n-1.0\n", "width is \"x\""},    {"PF\n2 2.5\n-1.0\n", "height is \"2.5\""},
      {"PF\n2 -2\n-1.0\n", "height is \"-2\""}, {"PF\n2 2\n0\n", "scale is \"0\""},
      {"PF\n2 2\nnan\n", "scale is \"nan\""},   {"PF\n2 2\n-1e\n", "scale is \"-1e\""},
      {"PF\n0 2\n-1\n", "size is 0x2"},         {"PF\n2 3\n-1\n", "truncated"},
      {"PF\n65535 65535\n-1\n", "truncated"},   {"PF\n99999999999 1\n-1\n", "width is \"99999999999\""}};
  for (const auto& [header, words] : cases) {
    const auto file = onepass::files::read_memory(pfm(header, std::vector<float>(12, 1.0F), false), "bad.pfm");
    ASSERT_FALSE(file) << header;
    EXPECT_EQ(file.error().code, ErrorCode::kBadData) << header;
    EXPECT_EQ(file.error().context, "bad.pfm");
    EXPECT_NE(file.error().message.find(words), std::string::npos) << file.error().message;
  }
  EXPECT_EQ(onepass::files::read_memory(pfm("PF\n70000 1\n-1\n", {}, false), "x").error().code,
            ErrorCode::kUnsupported);
  EXPECT_EQ(onepass::files::type_of_content(bytes_of("PFxx")), onepass::files::Type::kUnknown);
}

TEST(FilesPfm, WritesWhatItReads) {
  const TempDirectory directory;
  for (const auto& [format, channels] : {std::pair{Format::kR32Sfloat, 1U}, {Format::kRGBA32Sfloat, 3U}}) {
    const Image image = random_image(format, {7, 5}, 1, 3);
    ASSERT_TRUE(onepass::files::write(directory / "x.pfm", std::vector{image.view()}));
    const Bytes bytes = load(directory / "x.pfm");
    const std::string header = channels == 1 ? "Pf\n7 5\n-1.0\n" : "PF\n7 5\n-1.0\n";
    ASSERT_EQ(bytes.size(), header.size() + 7 * 5 * channels * 4);
    EXPECT_EQ(std::memcmp(bytes.data(), header.data(), header.size()), 0);
    float first = 0;  // first value in the file: the lower left corner
    std::memcpy(&first, bytes.data() + header.size(), 4);
    EXPECT_EQ(first, texel(image.view(), 0, 4, 0));
    const auto file = onepass::files::read(directory / "x.pfm");
    ASSERT_TRUE(file);
    for (uint32_t i = 0; i < 35; ++i) {
      for (uint32_t c = 0; c < channels; ++c) {
        ASSERT_EQ(texel(file->base(), i % 7, i / 7, c), texel(image.view(), i % 7, i / 7, c));
      }
    }
  }
}

/// Texels of all magnitudes; odd rows have runs of equal texels.
Image light(Extent size) {
  Image image = std::move(*Image::create(Format::kRGBA32Sfloat, size));
  for (uint32_t y = 0; y < size.height; ++y) {
    auto* row = reinterpret_cast<float*>(image.view().row(y));
    for (uint32_t x = 0; x < size.width; ++x, row += 4) {
      const uint32_t group = y % 2 == 0 ? x : x / 40;
      const float base = std::exp2(static_cast<float>(group * 37 % 200) - 100);
      for (uint32_t c = 0; c < 3; ++c) row[c] = base * (1 + static_cast<float>((group * 7 + c * 11) % 16) / 16.001F);
      row[3] = 1;
    }
  }
  return image;
}

TEST(FilesHdrWrite, EveryChannelIsTheNearestThatTheSharedExponentHas) {
  const TempDirectory directory;
  for (const Extent size : {Extent{1, 3}, Extent{7, 2}, Extent{8, 4}, Extent{300, 4}, Extent{33000, 2}}) {
    const Image image = light(size);
    ASSERT_TRUE(onepass::files::write_hdr(directory / "x.hdr", image.view()));
    const auto file = onepass::files::read(directory / "x.hdr");
    ASSERT_TRUE(file) << file.error().text();
    ASSERT_EQ(file->base().size, size);
    for (uint32_t y = 0; y < size.height; ++y) {
      for (uint32_t x = 0; x < size.width; ++x) {
        double most = 0;
        for (uint32_t c = 0; c < 3; ++c) most = std::max(most, texel(image.view(), x, y, c));
        for (uint32_t c = 0; c < 3; ++c) {
          // Half a step of the 8-bit mantissa, or a whole step where rounding raises the shared exponent.
          const double wanted = texel(image.view(), x, y, c);
          ASSERT_NEAR(texel(file->base(), x, y, c), wanted, most / 256 + 1e-300) << x << ", " << y;
        }
      }
    }
  }
  // Runs are compressed.
  EXPECT_LT(load(directory / "x.hdr").size(), size_t{33000} * 2 * 4 + 200);
}

TEST(FilesHdrWrite, WhatItCannotHold) {
  const TempDirectory directory;
  Image image = std::move(*Image::create(Format::kRGBA32Sfloat, {5, 1}));
  const float inf = std::numeric_limits<float>::infinity();
  const float values[20] = {-1, std::nanf(""), 1, 1, inf, 0, 0, 1, 1e-40F, 0, 0, 1, 0.99999F, 0.5F, 0, 1, 0, 0, 0, 1};
  std::memcpy(image.data(), values, sizeof values);
  ASSERT_TRUE(onepass::files::write_hdr(directory / "x.hdr", image.view()));
  const auto file = onepass::files::read(directory / "x.hdr");
  ASSERT_TRUE(file);
  const auto at = [&](uint32_t x, uint32_t c) { return texel(file->base(), x, 0, c); };
  EXPECT_EQ(at(0, 0), 0);
  EXPECT_EQ(at(0, 1), 0);
  EXPECT_EQ(at(0, 2), 1);
  EXPECT_EQ(at(1, 0), 0x1.FEp+126);
  EXPECT_EQ(at(2, 0), 0);
  EXPECT_EQ(at(3, 0), 1) << "rounds up to the next power of two";
  EXPECT_EQ(at(3, 1), 0.5);
  EXPECT_EQ(at(4, 0), 0);
}

TEST(FilesHdrWrite, OneSliceOneLevel) {
  const TempDirectory directory;
  const Image two = random_image(Format::kRGBA32Sfloat, {4, 4}, 2, 1);
  for (const char* name : {"x.hdr", "x.pfm"}) {
    EXPECT_EQ(onepass::files::write(directory / name, std::vector{two.view()}).error().code, ErrorCode::kUnsupported);
    const auto levels = random_levels(Format::kRGBA8Unorm, {4, 4}, 1);
    EXPECT_EQ(onepass::files::write(directory / name, views(levels)).error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_TRUE(directory.entries().empty());
}

TEST(FilesPng, CodePointsReplaceTheSrgbChunk) {
  const TempDirectory directory;
  const Image image = random_image(Format::kRGBA16Unorm, {4, 4}, 1, 1);
  ASSERT_TRUE(onepass::files::write_png(directory / "x.png", image.view(), {.code_points = {9, 16}}));
  const Bytes bytes = load(directory / "x.png");
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const size_t at = text.find("cICP");
  ASSERT_NE(at, std::string::npos);
  EXPECT_LT(at, text.find("IDAT"));
  EXPECT_EQ(text.substr(at + 4, 4), std::string("\x09\x10\x00\x01", 4));
  EXPECT_EQ(text.find("sRGB"), std::string::npos);
  const auto file = onepass::files::read(directory / "x.png");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->transfer, 16U);
  ASSERT_TRUE(onepass::files::write_png(directory / "linear.png", image.view(), {.code_points = {1, 8}}));
  const auto linear = onepass::files::read(directory / "linear.png");
  ASSERT_TRUE(linear);
  EXPECT_EQ(linear->base().format, Format::kRGBA16Unorm);
}

}  // namespace
