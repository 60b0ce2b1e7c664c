// files_tiff_write_test.cpp: TIFF files written by onepass, read by libtiff and by onepass.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "tests/files/files_encoders.hpp"

namespace {

using namespace files_test;
using onepass::AlphaAssociation;
using onepass::ErrorCode;
using onepass::Format;
using onepass::files::Color;
using onepass::files::TiffCompression;
using onepass::files::TiffOptions;
using onepass::files::write_tiff;

TiffContent written(const onepass::ImageView& image, const TiffOptions& options = {}) {
  const TempDirectory directory;
  const auto done = write_tiff(directory / "x.tif", image, options);
  if (!done) throw std::runtime_error(done.error().text());
  EXPECT_EQ(directory.entries(), std::vector<std::string>{"x.tif"});
  return parse_tiff(directory / "x.tif");
}

struct Stored {
  Format format;
  uint16_t samples, bits, sample_format, photometric;
};
constexpr std::array<Stored, 15> kStored = {{{Format::kR8Unorm, 1, 8, 1, 1},
                                             {Format::kRG8Unorm, 2, 8, 1, 1},
                                             {Format::kRGBA8Unorm, 4, 8, 1, 2},
                                             {Format::kRGBA8Srgb, 4, 8, 1, 2},
                                             {Format::kR16Unorm, 1, 16, 1, 1},
                                             {Format::kRG16Unorm, 2, 16, 1, 1},
                                             {Format::kRGBA16Unorm, 4, 16, 1, 2},
                                             {Format::kR16Sfloat, 1, 16, 3, 1},
                                             {Format::kRG16Sfloat, 2, 16, 3, 1},
                                             {Format::kRGBA16Sfloat, 4, 16, 3, 2},
                                             {Format::kR32Sfloat, 1, 32, 3, 1},
                                             {Format::kRG32Sfloat, 2, 32, 3, 1},
                                             {Format::kRGBA32Sfloat, 4, 32, 3, 2},
                                             {Format::kD16Unorm, 1, 16, 1, 1},
                                             {Format::kD32Sfloat, 1, 32, 3, 1}}};

TEST(FilesTiffWrite, EveryFormatIsStoredAsItIs) {
  for (const Stored& stored : kStored) {
    for (const TiffCompression compression :
         {TiffCompression::kNone, TiffCompression::kLzw, TiffCompression::kDeflate, TiffCompression::kZstd}) {
      for (const bool predictor : {false, true}) {
        for (const uint32_t tile_size : {0U, 16U}) {
          const auto image = random_image(stored.format, {37, 29}, 1, 7);
          const TiffContent content =
              written(image.view(), {.compression = compression, .predictor = predictor, .tile_size = tile_size});
          const std::string name(onepass::format_info(stored.format).name);
          ASSERT_EQ(content.width, 37U) << name;
          ASSERT_EQ(content.height, 29U);
          ASSERT_EQ(content.samples, stored.samples) << name;
          ASSERT_EQ(content.bits, stored.bits) << name;
          ASSERT_EQ(content.sample_format, stored.sample_format) << name;
          ASSERT_EQ(content.photometric, stored.photometric) << name;
          ASSERT_EQ(content.tile_width, tile_size);
          ASSERT_EQ(content.tile_height, tile_size);
          constexpr std::array<uint16_t, 4> kNumbers = {1, 5, 8, 50000};
          ASSERT_EQ(content.compression, kNumbers[static_cast<size_t>(compression)]);
          const bool predicts = predictor && compression != TiffCompression::kNone;
          ASSERT_EQ(content.predictor, !predicts ? 1 : stored.sample_format == 3 ? 3 : 2);
          ASSERT_EQ(content.pixels.size(), image.size_in_bytes());
          ASSERT_EQ(std::memcmp(content.pixels.data(), image.data(), image.size_in_bytes()), 0) << name;
          ASSERT_FALSE(content.big);
        }
      }
    }
  }
}

TEST(FilesTiffWrite, ImagesComeBackBitForBit) {
  const TempDirectory directory;
  for (const Stored& stored : kStored) {
    const auto image = random_image(stored.format, {33, 17}, 1, 3);
    ASSERT_TRUE(write_tiff(directory / "x.tif", image.view()));
    const bool srgb = stored.format == Format::kRGBA8Srgb;
    const auto file = onepass::files::read(directory / "x.tif", {.color = srgb ? Color::kAuto : Color::kLinear});
    ASSERT_TRUE(file) << file.error().text();
    const Format back = stored.format == Format::kD16Unorm    ? Format::kR16Unorm
                        : stored.format == Format::kD32Sfloat ? Format::kR32Sfloat
                                                              : stored.format;
    ASSERT_EQ(file->base().format, back);
    ASSERT_EQ(std::memcmp(file->levels[0].data(), image.data(), image.size_in_bytes()), 0);
    EXPECT_EQ(file->alpha, stored.samples == 4 ? AlphaAssociation::kStraight : AlphaAssociation::kNone);
  }
}

TEST(FilesTiffWrite, PackedFormatsBecomeWiderSamples) {
  const auto ten = random_image(Format::kA2B10G10R10Unorm, {9, 5}, 1, 1);
  const TiffContent sixteen = written(ten.view(), {.keep_opaque_alpha = true});
  ASSERT_EQ(sixteen.samples, 4);
  ASSERT_EQ(sixteen.bits, 16);
  const auto eleven = random_image(Format::kB10G11R11Ufloat, {9, 5}, 1, 1);
  const TiffContent half = written(eleven.view());
  ASSERT_EQ(half.samples, 3);
  ASSERT_EQ(half.bits, 16);
  ASSERT_EQ(half.sample_format, 3);
  for (size_t i = 0; i < 45; ++i) {
    uint32_t word = 0;
    uint16_t code = 0;
    std::memcpy(&word, ten.data() + 4 * i, 4);
    std::memcpy(&code, &sixteen.pixels[8 * i + 2], 2);
    ASSERT_NEAR(code / 65535.0, (word >> 10 & 1023) / 1023.0, 0.5 / 65535 + 1e-9);
    std::memcpy(&word, eleven.data() + 4 * i, 4);
    std::memcpy(&code, &half.pixels[6 * i + 4], 2);
    ASSERT_EQ(code, (word >> 22) << 5);  // blue: exponent as in half, 5-bit mantissa in the top of half's 10 bits
  }
}

// Blue comes first in memory, red in the file; depths of 24 bits become floats.
TEST(FilesTiffWrite, OtherOrdersAndDepthsAreConverted) {
  for (const Format format : {Format::kBGRA8Unorm, Format::kBGRA8Srgb}) {
    const auto image = random_image(format, {9, 5}, 1, 1);
    const TiffContent content = written(image.view(), {.keep_opaque_alpha = true});
    ASSERT_EQ(content.samples, 4);
    ASSERT_EQ(content.bits, 8);
    for (size_t i = 0; i < 45; ++i) {
      for (const auto& [stored, memory] : {std::pair<size_t, size_t>{0, 2}, {1, 1}, {2, 0}, {3, 3}}) {
        ASSERT_EQ(static_cast<std::byte>(content.pixels[4 * i + stored]), image.data()[4 * i + memory]);
      }
    }
  }
  for (const Format format : {Format::kX8D24Unorm, Format::kD24UnormS8}) {
    const auto image = random_image(format, {9, 5}, 1, 1);
    const TiffContent content = written(image.view());
    ASSERT_EQ(content.samples, 1);
    ASSERT_EQ(content.bits, 32);
    ASSERT_EQ(content.sample_format, 3);
    for (size_t i = 0; i < 45; ++i) {
      uint32_t word = 0;
      float depth = 0;
      std::memcpy(&word, image.data() + 4 * i, 4);
      std::memcpy(&depth, &content.pixels[4 * i], 4);
      ASSERT_EQ(depth, static_cast<float>((word & 0xFFFFFFU) / 16777215.0));
    }
  }
}

// Four texels with alphas 0.5, 0.25, 1 and 0.
onepass::Image with_alpha(Format format) {
  auto image = onepass::Image::create(format, {2, 2});
  const float texels[] = {0.5F, 0.25F, 0.125F, 0.5F, 1, 0.5F, 0, 0.25F, 0.25F, 0.25F, 0.25F, 1, 0, 0, 0, 0};
  for (uint32_t y = 0; y < 2; ++y) onepass::encode_row(format, texels + 8 * y, 2, image->view().row(y));
  return std::move(*image);
}

TEST(FilesTiffWrite, ExtraSamplesSayWhatAlphaIs) {
  using enum AlphaAssociation;
  const auto image = with_alpha(Format::kRGBA32Sfloat);
  struct Case {
    AlphaAssociation alpha, stored;
    uint16_t extra;
    double red;  // of the first texel
  };
  for (const Case& c : {Case{kNone, kNone, 2, 0.5},
                        {kStraight, kNone, 2, 0.5},
                        {kPremultiplied, kNone, 1, 0.5},
                        {kNone, kPremultiplied, 1, 0.5},
                        {kStraight, kPremultiplied, 1, 0.25},
                        {kPremultiplied, kStraight, 2, 1},
                        {kPremultiplied, kPremultiplied, 1, 0.5}}) {
    const TiffContent content = written(image.view(), {.alpha = c.alpha, .stored_alpha = c.stored});
    ASSERT_EQ(content.extra, std::vector<uint16_t>{c.extra});
    float red = 0;
    std::memcpy(&red, content.pixels.data(), 4);
    EXPECT_FLOAT_EQ(red, static_cast<float>(c.red));
  }
  EXPECT_EQ(written(random_image(Format::kRG8Unorm, {2, 2}, 1, 1).view()).extra, std::vector<uint16_t>{0});
}

TEST(FilesTiffWrite, AlphaIsConvertedInLinearLightAcrossStrips) {
  auto image = random_image(Format::kRGBA8Srgb, {300, 900}, 1, 5);
  const TiffContent content =
      written(image.view(), {.alpha = AlphaAssociation::kStraight, .stored_alpha = AlphaAssociation::kPremultiplied});
  EXPECT_GT(content.strips, 2U);
  for (size_t i = 0; i < size_t{300} * 900; ++i) {
    const auto code = [&](const std::byte* texel, size_t c) { return std::to_integer<int>(texel[c]) / 255.0; };
    const std::byte* from = image.data() + 4 * i;
    const std::byte* to = &content.pixels[4 * i];
    ASSERT_EQ(from[3], to[3]);
    ASSERT_NEAR(srgb_encode(srgb_decode(code(from, 1)) * code(from, 3)), code(to, 1), 0.501 / 255) << i;
  }
}

TEST(FilesTiffWrite, OpaqueAlphaIsLeftOutUnlessKept) {
  auto image = random_image(Format::kRGBA16Unorm, {20, 10}, 1, 5);
  auto* codes = reinterpret_cast<uint16_t*>(image.data());
  for (size_t i = 3; i < 800; i += 4) codes[i] = 65535;
  const TiffContent content = written(image.view());
  ASSERT_EQ(content.samples, 3);
  EXPECT_TRUE(content.extra.empty());
  uint16_t last = 0;
  std::memcpy(&last, &content.pixels[6 * 199 + 4], 2);
  EXPECT_EQ(last, codes[798]);
  EXPECT_EQ(written(image.view(), {.keep_opaque_alpha = true}).samples, 4);
  codes[799] = 65534;
  EXPECT_EQ(written(image.view()).samples, 4);
}

TEST(FilesTiffWrite, ProfilesAndPrimaries) {
  const auto srgb = random_image(Format::kRGBA8Srgb, {4, 4}, 1, 1);
  const auto unorm = random_image(Format::kRGBA16Unorm, {4, 4}, 1, 1);
  const auto light = random_image(Format::kRGBA32Sfloat, {4, 4}, 1, 1);
  const TiffContent plain = written(srgb.view());
  EXPECT_TRUE(plain.primaries.empty());
  EXPECT_TRUE(written(unorm.view()).profile.empty());
  EXPECT_TRUE(written(light.view()).profile.empty());
  const TiffContent named = written(light.view(), {.primaries = onepass::kAcesCgChromaticities});
  ASSERT_EQ(named.primaries.size(), 8U);
  EXPECT_FLOAT_EQ(named.primaries[0], 0.713F);
  EXPECT_FLOAT_EQ(named.primaries[5], 0.044F);
  EXPECT_FLOAT_EQ(named.primaries[7], 0.33767F);
#ifdef ONEPASS_HAS_LCMS
  for (const TiffContent* content : {&plain, &named}) {
    ASSERT_GT(content->profile.size(), 128U);
    EXPECT_EQ(std::memcmp(&content->profile[36], "acsp", 4), 0);
    EXPECT_EQ(std::memcmp(&content->profile[16], "RGB XYZ ", 8), 0);
  }
  EXPECT_NE(plain.profile, named.profile);
#endif
  const TempDirectory directory;
  const auto done = write_tiff(directory / "x.tif", light.view(), {.primaries = onepass::Chromaticities{}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kInvalidArgument);
}

TEST(FilesTiffWrite, TheSameImageIsTheSameFile) {
  const TempDirectory directory;
  const auto image = random_image(Format::kRGBA8Srgb, {64, 64}, 1, 1);
  ASSERT_TRUE(write_tiff(directory / "a.tif", image.view()));
  std::this_thread::sleep_for(std::chrono::seconds(1));  // the file must hold no time stamp
  ASSERT_TRUE(write_tiff(directory / "b.tif", image.view()));
  EXPECT_EQ(load(directory / "a.tif"), load(directory / "b.tif"));
}

TEST(FilesTiffWrite, BigTiffOnRequest) {
  const auto image = random_image(Format::kRGBA8Srgb, {64, 64}, 1, 1);
  const TiffContent content = written(image.view(), {.big = true});
  EXPECT_TRUE(content.big);
  EXPECT_EQ(std::memcmp(content.pixels.data(), image.data(), image.size_in_bytes()), 0);
}

TEST(FilesTiffWrite, ByExtensionAndRefusals) {
  const TempDirectory directory;
  const auto levels = random_levels(Format::kRGBA8Srgb, {8, 8}, 1);
  const auto all = views(levels);
  for (const char* name : {"a.tif", "b.TIFF"}) {
    ASSERT_TRUE(onepass::files::write(directory / name, std::span(all).first(1)));
    EXPECT_EQ(onepass::files::type_of_content(load(directory / name)), onepass::files::Type::kTiff);
  }
  // WriteOptions::alpha replaces TiffOptions::alpha.
  const auto image = with_alpha(Format::kRGBA32Sfloat);
  const onepass::ImageView view = image.view();
  ASSERT_TRUE(
      onepass::files::write(directory / "c.tif", std::span(&view, 1), {.alpha = AlphaAssociation::kPremultiplied}));
  EXPECT_EQ(parse_tiff(directory / "c.tif").extra, std::vector<uint16_t>{1});

  const auto code = [&](const onepass::ImageView& given, const TiffOptions& options) {
    const auto done = write_tiff(directory / "x.tif", given, options);
    return done ? ErrorCode::kDevice : done.error().code;
  };
  EXPECT_EQ(onepass::files::write(directory / "x.tif", all).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(random_image(Format::kR8Unorm, {4, 4}, 2, 1).view(), {}), ErrorCode::kUnsupported);
  EXPECT_EQ(code(all[0], {.tile_size = 17}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(all[0], {.tile_size = 8192}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(directory.entries(), (std::vector<std::string>{"a.tif", "b.TIFF", "c.tif"}));
}

}  // namespace
