// files_profile_test.cpp: ICC profiles made by Little CMS in JPEG, TIFF and WebP files, and the light that results.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/files/files_encoders.hpp"

namespace {

using namespace files_test;
using onepass::Format;
using onepass::files::Color;
using onepass::files::ImageFile;

constexpr onepass::Chromaticities kPrimaries = onepass::kDisplayP3Chromaticities;

ImageFile read_ok(const Bytes& bytes, Color color = Color::kAuto) {
  auto file = onepass::files::read_memory(bytes, "profiled", {.color = color});
  if (!file) throw std::runtime_error(file.error().text());
  return std::move(*file);
}

// A JPEG with the profile in one segment behind the start marker.
Bytes with_profile(Bytes jpeg, const Bytes& profile) {
  Bytes segment = bytes_of(std::string_view("\xFF\xE2\0\0ICC_PROFILE\0\1\1", 18));
  const size_t length = profile.size() + 16;
  segment[2] = static_cast<std::byte>(length >> 8);
  segment[3] = static_cast<std::byte>(length & 255);
  segment.insert(segment.end(), profile.begin(), profile.end());
  jpeg.insert(jpeg.begin() + 2, segment.begin(), segment.end());
  return jpeg;
}

// Expects equal texels of light (code / 255)^gamma, and no warning.
void expect_light(const ImageFile& file, double code, double gamma, double tolerance) {
  const double expected = srgb_encode(std::pow(code / 255, gamma)) * 255;
  EXPECT_NEAR(srgb_encode(texel(file.base(), 3, 3, 0)) * 255, expected, tolerance);
  EXPECT_TRUE(file.warnings.empty()) << file.warnings.front();
}

TEST(FilesProfile, CurvesOfJpegAndWebpDecodeTheirCodes) {
  const Bytes profile = make_rgb_profile(1.8, kPrimaries);
  for (const uint8_t code : std::array<uint8_t, 4>{30, 100, 180, 255}) {
    const Bytes jpeg = with_profile(make_jpeg(16, 16, 3, std::vector<uint8_t>(16 * 16 * 3, code)), profile);
    const ImageFile file = read_ok(jpeg);
    EXPECT_EQ(file.base().format, Format::kRGBA8Srgb);
    EXPECT_TRUE(onepass::same_chromaticities(file.primaries, kPrimaries));
    EXPECT_TRUE(file.says_primaries);
    expect_light(file, code, 1.8, 2);
    // Color::kLinear returns the stored values unchanged.
    EXPECT_NEAR(texel(read_ok(jpeg, Color::kLinear).base(), 3, 3, 0) * 255, code, 1);
#ifdef ONEPASS_HAS_WEBP
    const Bytes plain = make_webp(16, 16, std::vector<uint8_t>(16 * 16 * 4, code));
    const ImageFile webp = read_ok(webp_with_chunks(plain, 16, 16, 0x30, {{"ICCP", profile}}));
    EXPECT_TRUE(onepass::same_chromaticities(webp.primaries, kPrimaries));
    expect_light(webp, code, 1.8, 0.51);
    EXPECT_EQ(texel(webp.base(), 3, 3, 3) * 255, code);  // alpha has no curve
#endif
  }
  const ImageFile none = read_ok(make_jpeg(16, 16, 3, std::vector<uint8_t>(16 * 16 * 3, 100)));
  EXPECT_FALSE(none.says_primaries);
  EXPECT_NEAR(srgb_encode(texel(none.base(), 3, 3, 0)) * 255, 100, 1);
}

#ifdef ONEPASS_HAS_TIFF

TEST(FilesProfile, CurvesOfTiffDecodeTheirCodes) {
  for (const uint16_t bits : Numbers{8, 16}) {
    TiffSpec spec{.width = 4, .height = 4, .samples = 3, .bits = bits, .photometric = 2};
    spec.profile = make_rgb_profile(1.8, kPrimaries);
    spec.values.assign(48, bits == 8 ? 100 : 100 * 257);
    const ImageFile file = read_ok(make_tiff(spec));
    EXPECT_EQ(file.base().format, bits == 8 ? Format::kRGBA8Srgb : Format::kRGBA32Sfloat);
    EXPECT_TRUE(onepass::same_chromaticities(file.primaries, kPrimaries));
    expect_light(file, 100, 1.8, bits == 8 ? 0.51 : 0.01);
  }
  TiffSpec spec{.width = 4, .height = 4, .samples = 3, .bits = 32, .photometric = 2};
  spec.profile = make_rgb_profile(1.8, kPrimaries);
  spec.values.assign(48, 100 * 16843009.0);
  EXPECT_NEAR(texel(read_ok(make_tiff(spec)).base(), 1, 1, 1), std::pow(100 / 255.0, 1.8), 1e-5);
}

TEST(FilesProfile, WhatIsWrittenIsReadWithItsPrimaries) {
  const TempDirectory directory;
  for (const Format format :
       {Format::kRGBA8Srgb, Format::kRGBA8Unorm, Format::kRGBA16Unorm, Format::kRGBA16Sfloat, Format::kRGBA32Sfloat}) {
    const auto image = random_image(format, {9, 7}, 1, 5);
    for (const onepass::Chromaticities& primaries : {onepass::kRec709Chromaticities, kPrimaries,
                                                     onepass::kRec2020Chromaticities, onepass::kAcesCgChromaticities}) {
      ASSERT_TRUE(onepass::files::write_tiff(directory / "x.tif", image.view(), {.primaries = primaries}));
      const auto file = onepass::files::read(directory / "x.tif");
      ASSERT_TRUE(file) << file.error().text();
      EXPECT_TRUE(onepass::same_chromaticities(file->primaries, primaries));
      EXPECT_TRUE(file->says_primaries);
      EXPECT_TRUE(file->warnings.empty()) << file->warnings.front();
      // A linear profile means that stored values are light: nothing is decoded.
      ASSERT_EQ(file->base().format, format);
      EXPECT_EQ(std::memcmp(file->levels[0].data(), image.data(), image.size_in_bytes()), 0);
    }
  }
}

#endif

}  // namespace
