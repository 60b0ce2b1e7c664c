// files_png_test.cpp: reading and writing of PNG against libpng and the definitions of PNG's sample expansion and sRGB.
#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <cmath>

#include "tests/files/files_support.hpp"

namespace {

using namespace files_test;
using onepass::Format;
using onepass::Image;
using onepass::files::Color;
using onepass::files::ImageFile;

ImageFile read_ok(const Bytes& bytes, const onepass::files::ReadOptions& options = {}) {
  auto file = onepass::files::read_memory(bytes, "test.png", options);
  if (!file) throw std::runtime_error(file.error().text());
  return std::move(*file);
}

// The stored byte of a channel of an 8-bit image.
int code(const ImageFile& file, uint32_t x, uint32_t y, uint32_t c) {
  const auto view = file.base();
  return std::to_integer<int>(view.row(y)[size_t{x} * onepass::format_info(view.format).bytes_per_texel + c]);
}

std::vector<uint32_t> ramp(size_t count, uint32_t below) {
  std::vector<uint32_t> samples(count);
  for (size_t i = 0; i < count; ++i) samples[i] = static_cast<uint32_t>((i * 40503 + 17) % below);
  return samples;
}

TEST(FilesPng, GrayOfEveryDepthExpandsToTheFullRange) {
  for (const int bits : {1, 2, 4, 8}) {
    const uint32_t codes = 1U << bits;
    const PngSpec spec{.width = 13, .height = 7, .bits = bits, .samples = ramp(91, codes)};
    for (const Color color : {Color::kAuto, Color::kLinear}) {
      const ImageFile file = read_ok(make_png(spec), {.color = color});
      const bool linear = color == Color::kLinear;
      ASSERT_EQ(file.base().format, linear ? Format::kR8Unorm : Format::kR8Srgb);
      EXPECT_EQ(file.stored_channels, 1U);
      EXPECT_EQ(file.stored_bits, static_cast<uint32_t>(bits));
      for (uint32_t y = 0; y < 7; ++y) {
        for (uint32_t x = 0; x < 13; ++x) {
          const int expected = static_cast<int>(spec.samples[y * 13 + x] * 255 / (codes - 1));
          ASSERT_EQ(code(file, x, y, 0), expected) << bits << " bits";
        }
      }
    }
  }
}

TEST(FilesPng, ColourTypesKeepTheirCodes) {
  for (const int type : {PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA}) {
    const uint32_t channels = type == PNG_COLOR_TYPE_GRAY_ALPHA ? 2 : (type == PNG_COLOR_TYPE_RGB ? 3 : 4);
    for (const bool interlaced : {false, true}) {
      const PngSpec spec{.width = 19,
                         .height = 11,
                         .colour_type = type,
                         .interlaced = interlaced,
                         .samples = ramp(size_t{19} * 11 * channels, 256)};
      const ImageFile file = read_ok(make_png(spec));
      ASSERT_EQ(file.base().format, Format::kRGBA8Srgb);
      EXPECT_EQ(file.stored_channels, channels);
      for (uint32_t i = 0; i < 19 * 11; ++i) {
        const uint32_t* s = &spec.samples[size_t{i} * channels];
        const std::array<uint32_t, 4> expected = channels == 2   ? std::array{s[0], s[0], s[0], s[1]}
                                                 : channels == 3 ? std::array{s[0], s[1], s[2], 255U}
                                                                 : std::array{s[0], s[1], s[2], s[3]};
        for (uint32_t c = 0; c < 4; ++c) ASSERT_EQ(code(file, i % 19, i / 19, c), static_cast<int>(expected[c]));
      }
    }
  }
}

TEST(FilesPng, PaletteAndTransparencyBecomeRgba) {
  const PngSpec palette{.width = 4,
                        .height = 1,
                        .bits = 4,
                        .colour_type = PNG_COLOR_TYPE_PALETTE,
                        .samples = {2, 0, 1, 2},
                        .palette = {{10, 20, 30}, {40, 50, 60}, {70, 80, 90}},
                        .palette_alpha = {0, 128}};
  const ImageFile file = read_ok(make_png(palette));
  EXPECT_EQ(file.stored_channels, 4U);
  const std::array<std::array<int, 4>, 4> expected = {
      {{70, 80, 90, 255}, {10, 20, 30, 0}, {40, 50, 60, 128}, {70, 80, 90, 255}}};
  for (uint32_t x = 0; x < 4; ++x) {
    for (uint32_t c = 0; c < 4; ++c) EXPECT_EQ(code(file, x, 0, c), expected[x][c]);
  }

  const PngSpec gray{.width = 3, .height = 1, .bits = 2, .samples = {0, 1, 3}, .transparent = {{1, 0, 0}}};
  const ImageFile keyed = read_ok(make_png(gray), {.color = Color::kLinear});
  EXPECT_EQ(keyed.base().format, Format::kRGBA8Unorm);
  EXPECT_EQ(keyed.stored_channels, 2U);
  EXPECT_EQ(code(keyed, 0, 0, 3), 255);
  EXPECT_EQ(code(keyed, 1, 0, 3), 0);
  EXPECT_EQ(code(keyed, 1, 0, 0), 85);

  const PngSpec rgb{.width = 2,
                    .height = 1,
                    .colour_type = PNG_COLOR_TYPE_RGB,
                    .samples = {1, 2, 3, 4, 5, 6},
                    .transparent = {{4, 5, 6}}};
  const ImageFile keyed_rgb = read_ok(make_png(rgb));
  EXPECT_EQ(code(keyed_rgb, 0, 0, 3), 255);
  EXPECT_EQ(code(keyed_rgb, 1, 0, 3), 0);
}

TEST(FilesPng, SixteenBitsAreKeptLinearOrDecodedToFloat) {
  const PngSpec gray{.width = 31, .height = 9, .bits = 16, .interlaced = true, .samples = ramp(279, 65536)};
  const PngSpec rgba{
      .width = 10, .height = 4, .bits = 16, .colour_type = PNG_COLOR_TYPE_RGB_ALPHA, .samples = ramp(160, 65536)};
  const ImageFile gray_linear = read_ok(make_png(gray), {.color = Color::kLinear});
  ASSERT_EQ(gray_linear.base().format, Format::kR16Unorm);
  const ImageFile gray_srgb = read_ok(make_png(gray), {.color = Color::kSrgb});
  ASSERT_EQ(gray_srgb.base().format, Format::kR32Sfloat);
  for (uint32_t i = 0; i < 279; ++i) {
    const double stored = gray.samples[i] / 65535.0;
    ASSERT_DOUBLE_EQ(texel(gray_linear.base(), i % 31, i / 31, 0), stored);
    ASSERT_NEAR(texel(gray_srgb.base(), i % 31, i / 31, 0), srgb_decode(stored), 6e-8);
  }
  const ImageFile rgba_linear = read_ok(make_png(rgba), {.color = Color::kLinear});
  ASSERT_EQ(rgba_linear.base().format, Format::kRGBA16Unorm);
  const ImageFile rgba_srgb = read_ok(make_png(rgba));
  ASSERT_EQ(rgba_srgb.base().format, Format::kRGBA32Sfloat);
  for (uint32_t i = 0; i < 160; ++i) {
    const double stored = rgba.samples[i] / 65535.0;
    const uint32_t x = i / 4 % 10;
    const uint32_t y = i / 40;
    ASSERT_DOUBLE_EQ(texel(rgba_linear.base(), x, y, i % 4), stored);
    ASSERT_NEAR(texel(rgba_srgb.base(), x, y, i % 4), i % 4 == 3 ? stored : srgb_decode(stored), 6e-8);
  }
}

TEST(FilesPng, LinearGammaChunkMeansLinear) {
  PngSpec spec{.width = 1, .height = 1, .samples = {99}, .gamma = 100000};
  EXPECT_EQ(read_ok(make_png(spec)).base().format, Format::kR8Unorm);
  EXPECT_EQ(read_ok(make_png(spec), {.color = Color::kSrgb}).base().format, Format::kR8Srgb);
  spec.gamma = 45455;
  EXPECT_EQ(read_ok(make_png(spec)).base().format, Format::kR8Srgb);
}

TEST(FilesPng, WritesStoredCodesAsTheyAre) {
  const TempDirectory directory;
  struct Case {
    Format format;
    int bits;
    int colour_type;
    uint32_t channels;  // channels of the image that are stored in the file
    bool srgb;
  };
  for (const Case& c : {Case{Format::kR8Unorm, 8, PNG_COLOR_TYPE_GRAY, 1, false},
                        Case{Format::kR8Srgb, 8, PNG_COLOR_TYPE_GRAY, 1, true},
                        Case{Format::kRGBA8Unorm, 8, PNG_COLOR_TYPE_RGB_ALPHA, 4, false},
                        Case{Format::kRGBA8Srgb, 8, PNG_COLOR_TYPE_RGB_ALPHA, 4, true},
                        Case{Format::kR16Unorm, 16, PNG_COLOR_TYPE_GRAY, 1, false},
                        Case{Format::kRGBA16Unorm, 16, PNG_COLOR_TYPE_RGB_ALPHA, 4, false}}) {
    const Image image = random_image(c.format, {23, 9}, 1, 5);
    const auto done = onepass::files::write_png(directory / "x.png", image.view());
    ASSERT_TRUE(done) << done.error().text();
    const PngContent content = parse_png(load(directory / "x.png"));
    EXPECT_EQ(content.width, 23U);
    EXPECT_EQ(content.height, 9U);
    EXPECT_EQ(content.bits, c.bits);
    EXPECT_EQ(content.colour_type, c.colour_type);
    EXPECT_EQ(content.has_srgb, c.srgb);
    for (size_t i = 0; i < content.samples.size(); ++i) {
      uint32_t stored = std::to_integer<uint32_t>(image.data()[i * (c.bits / 8)]);
      if (c.bits == 16) stored += 256 * std::to_integer<uint32_t>(image.data()[2 * i + 1]);
      ASSERT_EQ(content.samples[i], stored) << onepass::format_info(c.format).name;
    }
  }
}

TEST(FilesPng, FloatIsClampedAndEncoded) {
  const TempDirectory directory;
  const std::vector<float> values = {-1.0F, 0.0F, 0.001F, 0.0031F, 0.18F, 0.5F, 0.75F, 1.0F, 7.0F, NAN};
  const onepass::ImageView view{values.data(), Format::kR32Sfloat, {10, 1}, 1, 40, 40};
  for (const uint32_t bits : {8U, 16U}) {
    for (const Color color : {Color::kAuto, Color::kLinear}) {
      ASSERT_TRUE(onepass::files::write_png(directory / "x.png", view, {.bits = bits, .color = color}));
      const PngContent content = parse_png(load(directory / "x.png"));
      ASSERT_EQ(content.colour_type, PNG_COLOR_TYPE_GRAY);
      ASSERT_EQ(content.bits, static_cast<int>(bits));
      EXPECT_EQ(content.has_srgb, color == Color::kAuto);
      const double top = bits == 8 ? 255 : 65535;
      for (size_t i = 0; i < values.size(); ++i) {
        const double clamped = std::isnan(values[i]) ? 0.0 : std::clamp(static_cast<double>(values[i]), 0.0, 1.0);
        const double exact = top * (color == Color::kAuto ? srgb_encode(clamped) : clamped);
        EXPECT_NEAR(content.samples[i], exact, 0.501) << values[i];
      }
    }
  }
  // Depth is not light: kAuto leaves it linear.
  const onepass::ImageView depth{values.data(), Format::kD32Sfloat, {10, 1}, 1, 40, 40};
  ASSERT_TRUE(onepass::files::write_png(directory / "x.png", depth));
  EXPECT_EQ(parse_png(load(directory / "x.png")).samples[5], 128U);
}

TEST(FilesPng, OpaqueAlphaIsLeftOutUnlessAskedFor) {
  const TempDirectory directory;
  Image image = random_image(Format::kRGBA8Srgb, {5, 4}, 1, 9);
  for (size_t i = 3; i < image.size_in_bytes(); i += 4) image.data()[i] = std::byte{255};
  ASSERT_TRUE(onepass::files::write_png(directory / "x.png", image.view()));
  const PngContent rgb = parse_png(load(directory / "x.png"));
  ASSERT_EQ(rgb.colour_type, PNG_COLOR_TYPE_RGB);
  for (size_t i = 0; i < rgb.samples.size(); ++i) {
    EXPECT_EQ(rgb.samples[i], std::to_integer<uint32_t>(image.data()[i / 3 * 4 + i % 3]));
  }
  ASSERT_TRUE(onepass::files::write_png(directory / "x.png", image.view(), {.keep_opaque_alpha = true}));
  EXPECT_EQ(parse_png(load(directory / "x.png")).colour_type, PNG_COLOR_TYPE_RGB_ALPHA);
  image.data()[size_t{4} * 19 + 3] = std::byte{254};
  ASSERT_TRUE(onepass::files::write_png(directory / "x.png", image.view()));
  EXPECT_EQ(parse_png(load(directory / "x.png")).colour_type, PNG_COLOR_TYPE_RGB_ALPHA);
}

TEST(FilesPng, TwoChannelsBecomeRedAndGreen) {
  const TempDirectory directory;
  const Image image = random_image(Format::kRG8Unorm, {3, 3}, 1, 2);
  ASSERT_TRUE(onepass::files::write_png(directory / "x.png", image.view()));
  const PngContent content = parse_png(load(directory / "x.png"));
  ASSERT_EQ(content.colour_type, PNG_COLOR_TYPE_RGB);
  for (size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(content.samples[3 * i], std::to_integer<uint32_t>(image.data()[2 * i]));
    EXPECT_EQ(content.samples[3 * i + 1], std::to_integer<uint32_t>(image.data()[2 * i + 1]));
    EXPECT_EQ(content.samples[3 * i + 2], 0U);
  }
}

TEST(FilesPng, BitsConvertByRounding) {
  const TempDirectory directory;
  const Image wide = random_image(Format::kRGBA16Unorm, {16, 16}, 1, 3);
  ASSERT_TRUE(onepass::files::write_png(directory / "x.png", wide.view(), {.bits = 8}));
  const PngContent narrow = parse_png(load(directory / "x.png"));
  for (uint32_t i = 0; i < narrow.samples.size(); ++i) {
    ASSERT_NEAR(narrow.samples[i], texel(wide.view(), i / 4 % 16, i / 64, i % 4) * 255, 0.5001);
  }
  const Image codes = random_image(Format::kRGBA8Srgb, {16, 16}, 1, 3);
  ASSERT_TRUE(onepass::files::write_png(directory / "x.png", codes.view(), {.bits = 16}));
  const PngContent widened = parse_png(load(directory / "x.png"));
  EXPECT_TRUE(widened.has_srgb);
  for (size_t i = 0; i < widened.samples.size(); ++i) {
    ASSERT_EQ(widened.samples[i], std::to_integer<uint32_t>(codes.data()[i]) * 257);
  }
}

TEST(FilesPng, EveryEffortAndStrideGivesTheSamePixels) {
  const TempDirectory directory;
  const Image image = random_image(Format::kRGBA8Srgb, {40, 30}, 1, 4);
  onepass::ImageView part = image.view();  // columns 0 to 16 of a wider image
  part.size.width = 17;
  for (const int effort : {0, 1, 5, 6, 9}) {
    ASSERT_TRUE(onepass::files::write_png(directory / "x.png", part, {.effort = effort}));
    const PngContent content = parse_png(load(directory / "x.png"));
    ASSERT_EQ(content.samples.size(), 17U * 30 * 4);
    for (size_t i = 0; i < content.samples.size(); ++i) {
      ASSERT_EQ(content.samples[i], std::to_integer<uint32_t>(image.data()[i / 68 * 160 + i % 68]));
    }
  }
}

// Images of several pieces of rows, with gradients in all directions, so that each filter is the best in some rows.
TEST(FilesPng, ManyThreadsWriteTheSameFile) {
  const TempDirectory directory;
  for (const Format format : {Format::kRGBA8Unorm, Format::kRGBA16Unorm, Format::kR8Unorm}) {
    Image image = random_image(format, {801, 907}, 1, 5);
    const size_t row_bytes = image.size_in_bytes() / 907;
    for (size_t i = 0; i < image.size_in_bytes(); ++i) {
      const size_t x = i % row_bytes;
      const size_t y = i / row_bytes;
      const size_t noise = std::to_integer<size_t>(image.data()[i]) % (y % 3 + 1);
      const size_t part = y / 100 % 4;
      image.data()[i] = std::byte(part == 0   ? x + noise
                                  : part == 1 ? x * x / 64 + noise
                                  : part == 2 ? x / 16 * y / 32 + noise
                                              : x * 37);
    }
    for (const int effort : {0, 1, format == Format::kRGBA8Unorm ? 6 : 5}) {
      SCOPED_TRACE("effort " + std::to_string(effort));
      ASSERT_TRUE(onepass::files::write_png(directory / "x.png", image.view(), {.effort = effort, .threads = 1}));
      const auto one = load(directory / "x.png");
      const ImageFile file = read_ok(one, {.color = Color::kLinear});
      ASSERT_EQ(file.base().size, image.size());
      EXPECT_TRUE(std::equal(image.data(), image.data() + image.size_in_bytes(), file.levels[0].data()));
      for (const uint32_t threads : {0U, 2U, 7U}) {
        ASSERT_TRUE(
            onepass::files::write_png(directory / "y.png", image.view(), {.effort = effort, .threads = threads}));
        EXPECT_EQ(load(directory / "y.png"), one) << threads << " threads";
      }
      if (effort != 0) {
        EXPECT_LT(one.size(), image.size_in_bytes() * 9 / 10);
      }
    }
  }
}

TEST(FilesPng, ThinImagesRoundTrip) {
  const TempDirectory directory;
  for (const onepass::Extent size : {onepass::Extent{1, 1}, {1, 300}, {65535, 1}, {1, 65535}}) {
    const Image image = random_image(Format::kR16Unorm, size, 1, 8);
    ASSERT_TRUE(onepass::files::write_png(directory / "x.png", image.view()));
    const ImageFile file = read_ok(load(directory / "x.png"), {.color = Color::kLinear});
    ASSERT_EQ(file.base().size, size);
    EXPECT_TRUE(std::equal(image.data(), image.data() + image.size_in_bytes(), file.levels[0].data()));
  }
}

}  // namespace
