// files_jpeg_test.cpp: JPEG files written by libjpeg at quality 100 are read within the loss of that quality.
#include <gtest/gtest.h>

#include "tests/files/files_support.hpp"

namespace {

using namespace files_test;
using onepass::Format;
using onepass::files::Color;
using onepass::files::ImageFile;

ImageFile read_ok(const Bytes& bytes, Color color = Color::kAuto) {
  auto file = onepass::files::read_memory(bytes, "test.jpg", {.color = color});
  if (!file) throw std::runtime_error(file.error().text());
  return std::move(*file);
}

// Smooth, so that quality 100 loses only a few 8-bit steps.
std::vector<uint8_t> gradient(uint32_t width, uint32_t height, uint32_t channels) {
  std::vector<uint8_t> samples;
  for (uint32_t y = 0; y < height; ++y) {
    for (uint32_t x = 0; x < width; ++x) {
      for (uint32_t c = 0; c < channels; ++c) samples.push_back(static_cast<uint8_t>(20 + 3 * x + (c + 1) * y));
    }
  }
  return samples;
}

void expect_codes(const ImageFile& file, const std::vector<uint8_t>& samples, uint32_t channels) {
  const auto view = file.base();
  const uint32_t stored = onepass::format_info(view.format).channels;
  for (uint32_t y = 0; y < view.size.height; ++y) {
    for (uint32_t x = 0; x < view.size.width; ++x) {
      for (uint32_t c = 0; c < stored; ++c) {
        const int actual = std::to_integer<int>(view.row(y)[size_t{x} * stored + c]);
        const int expected =
            c == 3 ? 255 : samples[(size_t{y} * view.size.width + x) * channels + (channels == 1 ? 0 : c)];
        ASSERT_NEAR(actual, expected, c == 3 ? 0 : 3) << x << "," << y << " channel " << c;
      }
    }
  }
}

TEST(FilesJpeg, ColourBecomesSrgb) {
  for (const bool progressive : {false, true}) {
    const auto samples = gradient(37, 21, 3);
    const ImageFile file = read_ok(make_jpeg(37, 21, 3, samples, {}, progressive));
    EXPECT_EQ(file.base().format, Format::kRGBA8Srgb);
    EXPECT_EQ(file.base().size, (onepass::Extent{37, 21}));
    EXPECT_EQ(file.stored_channels, 3U);
    EXPECT_EQ(file.exif_orientation, 1U);
    expect_codes(file, samples, 3);
  }
}

TEST(FilesJpeg, MoreScansThanAnyEncoderWritesAreRefused) {
  const auto file = onepass::files::read_memory(make_jpeg_of_253_scans(8, 8, gradient(8, 8, 1)), "test.jpg");
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message.find("more than 200 scans"), std::string::npos) << file.error().message;
}

TEST(FilesJpeg, GrayIsOneChannel) {
  const auto samples = gradient(16, 40, 1);
  const Bytes bytes = make_jpeg(16, 40, 1, samples);
  const ImageFile srgb = read_ok(bytes);
  EXPECT_EQ(srgb.base().format, Format::kR8Srgb);
  EXPECT_EQ(srgb.stored_channels, 1U);
  expect_codes(srgb, samples, 1);
  const ImageFile linear = read_ok(bytes, Color::kLinear);
  EXPECT_EQ(linear.base().format, Format::kR8Unorm);
  expect_codes(linear, samples, 1);
}

TEST(FilesJpeg, OnePixel) {
  const std::vector<uint8_t> samples = {200, 100, 50};
  const ImageFile file = read_ok(make_jpeg(1, 1, 3, samples), Color::kLinear);
  EXPECT_EQ(file.base().format, Format::kRGBA8Unorm);
  expect_codes(file, samples, 3);
}

TEST(FilesJpeg, ExifOrientationIsReported) {
  const auto samples = gradient(8, 8, 3);
  for (const bool little : {true, false}) {
    // A TIFF header and a directory at offset 8 with two entries; the second is tag 0x0112 (orientation) with value 6.
    std::string exif("Exif\0\0", 6);
    exif += little
                ? std::string(
                      "II*\0\x08\0\0\0\x02\0\x00\x01\x03\0\x01\0\0\0\x09\0\0\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0", 34)
                : std::string(
                      "MM\0*\0\0\0\x08\0\x02\x01\x00\0\x03\0\0\0\x01\0\x09\0\0\x01\x12\0\x03\0\0\0\x01\0\x06\0\0", 34);
    const auto* bytes = reinterpret_cast<const uint8_t*>(exif.data());
    EXPECT_EQ(read_ok(make_jpeg(8, 8, 3, samples, {bytes, exif.size()})).exif_orientation, 6U);
    // A truncated segment counts as absent, whatever its length.
    for (size_t length = 0; length + 4 < exif.size(); ++length) {
      EXPECT_EQ(read_ok(make_jpeg(8, 8, 3, samples, {bytes, length})).exif_orientation, 1U) << length;
    }
  }
}

}  // namespace
