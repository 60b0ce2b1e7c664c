// files_statement_test.cpp: the meaning of values in files that do not state it, and statements in files that onepass
// writes: 16-bit values keep their bits, and encoded ones their light.
#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <cstring>

#include "tests/files/files_encoders.hpp"

namespace {

using namespace files_test;
using onepass::Format;
using onepass::Image;
using onepass::files::Color;
using onepass::files::ImageFile;

ImageFile read_ok(const Bytes& bytes, const std::string& name) {
  auto file = onepass::files::read_memory(bytes, name);
  if (!file) throw std::runtime_error(file.error().text());
  return std::move(*file);
}

ImageFile read_back(const std::filesystem::path& path) {
  auto file = onepass::files::read(path);
  if (!file) throw std::runtime_error(file.error().text());
  EXPECT_TRUE(file->warnings.empty());
  return std::move(*file);
}

// The first channel of a texel after reading, for the stored code 13107 / 65535 = 51 / 255 = 0.2.
constexpr double kCode = 0.2;

double png_light(int bits, int colour_type, int gamma) {
  PngSpec spec{.width = 2, .height = 2, .bits = bits, .colour_type = colour_type, .gamma = gamma};
  spec.samples.assign(16, bits == 16 ? 13107 : 51);
  return texel(read_ok(make_png(spec), "a.png").base(), 1, 1, 0);
}

TEST(FilesStatement, PngWithoutOneIsEncodedExceptGreyOf16Bits) {
  const double encoded = srgb_decode(kCode);
  for (const int type :
       {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA}) {
    const bool grey = type == PNG_COLOR_TYPE_GRAY || type == PNG_COLOR_TYPE_GRAY_ALPHA;
    EXPECT_NEAR(png_light(8, type, 0), encoded, 1e-7) << type;
    EXPECT_NEAR(png_light(16, type, 0), grey ? kCode : encoded, 1e-7) << type;
    // A statement decides at any depth.
    for (const int bits : {8, 16}) {
      EXPECT_NEAR(png_light(bits, type, 100000), kCode, 1e-7) << type;
      EXPECT_NEAR(png_light(bits, type, 45455), encoded, 1e-7) << type;
    }
  }
}

// Rows of numbers in a 16-bit image, all bytes different.
Image numbers(Format format) { return random_image(format, {23, 9}, 1, 3); }

TEST(FilesStatement, GreyPngOf16BitsKeepsItsBits) {
  const TempDirectory directory;
  const Image image = numbers(Format::kR16Unorm);
  ASSERT_TRUE(onepass::files::write_png(directory / "a.png", image.view()));
  const ImageFile file = read_back(directory / "a.png");
  ASSERT_EQ(file.base().format, Format::kR16Unorm);
  EXPECT_EQ(std::memcmp(file.levels[0].data(), image.data(), image.size_in_bytes()), 0);
}

TEST(FilesStatement, ColourPngOf16BitsKeepsItsBitsIfItSaysLinear) {
  const TempDirectory directory;
  const Image image = numbers(Format::kRGBA16Unorm);
  ASSERT_TRUE(onepass::files::write_png(directory / "a.png", image.view(), {.code_points = {1, 8}}));
  const ImageFile file = read_back(directory / "a.png");
  ASSERT_EQ(file.base().format, Format::kRGBA16Unorm);
  EXPECT_EQ(std::memcmp(file.levels[0].data(), image.data(), image.size_in_bytes()), 0);
}

#ifdef ONEPASS_HAS_TIFF

TEST(FilesStatement, TiffWithoutOneIsEncodedUpTo8BitsOnly) {
  for (const uint16_t bits : Numbers{4, 8, 12, 16, 32}) {
    for (const uint16_t samples : Numbers{1, 2, 3, 4}) {
      TiffSpec spec{.width = 3, .height = 2, .samples = samples, .bits = bits};
      spec.photometric = samples >= 3 ? 2 : 1;
      if (samples % 2 == 0) spec.extra = {2};  // straight alpha
      spec.values.assign(size_t{6} * samples, std::floor((std::pow(2.0, bits) - 1) * kCode));
      const double code = spec.values[0] / (std::pow(2.0, bits) - 1);
      const ImageFile file = read_ok(make_tiff(spec), "a.tif");
      const double expected = bits <= 8 ? srgb_decode(code) : code;
      EXPECT_NEAR(texel(file.base(), 2, 1, 0), expected, bits == 12 ? 1e-5 : 1e-6) << bits << " " << samples;
    }
  }
}

TEST(FilesStatement, TiffOf16BitsKeepsItsBits) {
  const TempDirectory directory;
  for (const Format format : {Format::kR16Unorm, Format::kRG16Unorm, Format::kRGBA16Unorm}) {
    const Image image = numbers(format);
    ASSERT_TRUE(onepass::files::write_tiff(directory / "a.tif", image.view()));
    const ImageFile file = read_back(directory / "a.tif");
    ASSERT_EQ(file.base().format, format);
    EXPECT_EQ(std::memcmp(file.levels[0].data(), image.data(), image.size_in_bytes()), 0);
  }
}

#ifdef ONEPASS_HAS_LCMS

TEST(FilesStatement, EncodedTiffSaysSo) {
  const TempDirectory directory;
  for (const Format format : {Format::kR8Unorm, Format::kR16Unorm, Format::kRGBA16Unorm}) {
    const Image image = numbers(format);
    ASSERT_TRUE(onepass::files::write_tiff(directory / "a.tif", image.view(), {.color = Color::kSrgb}));
    const ImageFile file = read_back(directory / "a.tif");
    for (uint32_t x = 0; x < 23; ++x) {
      EXPECT_NEAR(texel(file.base(), x, 4, 0), srgb_decode(texel(image.view(), x, 4, 0)), 1e-6) << x;
    }
  }
}

TEST(FilesStatement, EncodedTiffKeepsItsPrimaries) {
  const TempDirectory directory;
  const Image image = numbers(Format::kRGBA16Unorm);
  const onepass::files::TiffOptions options{.primaries = onepass::kRec2020Chromaticities, .color = Color::kSrgb};
  ASSERT_TRUE(onepass::files::write_tiff(directory / "a.tif", image.view(), options));
  const ImageFile file = read_back(directory / "a.tif");
  EXPECT_TRUE(onepass::same_chromaticities(file.primaries, onepass::kRec2020Chromaticities));
  EXPECT_NEAR(texel(file.base(), 5, 5, 1), srgb_decode(texel(image.view(), 5, 5, 1)), 1e-6);
}

#endif
#endif

}  // namespace
