// files_tiff_test.cpp: TIFF files written by libtiff: every way of storing pixels, and the meaning of the pixels.
#include <gtest/gtest.h>
#include <tiffio.h>

#include <cmath>
#include <cstring>

#include "tests/files/files_encoders.hpp"

namespace {

using namespace files_test;
using onepass::AlphaAssociation;
using onepass::Format;
using onepass::files::Color;
using onepass::files::ImageFile;

constexpr uint16_t kRgb = 2;
constexpr uint16_t kFloats = 3;
constexpr uint16_t kAssociated = 1;
constexpr uint16_t kUnassociated = 2;

ImageFile read_ok(const TiffSpec& spec, Color color = Color::kAuto) {
  auto file = onepass::files::read_memory(make_tiff(spec), "test.tif", {.color = color});
  if (!file) throw std::runtime_error(file.error().text());
  EXPECT_EQ(file->type, onepass::files::Type::kTiff);
  EXPECT_EQ(file->base().size, (onepass::Extent{spec.width, spec.height}));
  return std::move(*file);
}

// Channel `c` of a texel; images of one channel repeat it, and missing alpha is 1.
double light(const ImageFile& file, uint32_t x, uint32_t y, uint32_t c) {
  const uint32_t channels = onepass::format_info(file.base().format).channels;
  if (channels == 1) return c == 3 ? 1 : texel(file.base(), x, y, 0);
  return c < channels ? texel(file.base(), x, y, c) : c == 3;
}

// Integers below `limit` that differ between neighbouring texels and samples.
std::vector<double> codes(const TiffSpec& spec, uint32_t limit) {
  std::vector<double> values(size_t{spec.width} * spec.height * spec.samples);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>((i * 2654435761U >> 7) % limit);
  return values;
}

bool warns(const ImageFile& file, const std::string& of) {
  return std::any_of(file.warnings.begin(), file.warnings.end(),
                     [&](const std::string& warning) { return warning.find(of) != std::string::npos; });
}

TEST(FilesTiff, EveryCompressionAndArrangementGivesTheStoredValues) {
  for (const uint16_t compression : Numbers{1, 5, 8, 32773, 32946, 34925, 50000}) {
    for (const bool tiled : {false, true}) {
      for (const bool planes : {false, true}) {
        for (const std::string mode : {"wl", "wb", "w8"}) {
          for (const auto& [bits, format] : {std::pair{8, 1}, {16, 1}, {16, 3}, {32, 3}}) {
            TiffSpec spec{.width = 37, .height = 21, .samples = 4, .photometric = kRgb, .extra = {kUnassociated}};
            spec.bits = static_cast<uint16_t>(bits);
            spec.sample_format = static_cast<uint16_t>(format);
            spec.compression = compression;
            spec.mode = mode;
            spec.planes = planes;
            if (tiled) spec.tile_width = 16, spec.tile_height = 32;
            if (!tiled) spec.strip_rows = 8;
            const bool predicts = compression != 1 && compression != 32773;
            // libtiff writes the bytes of predicted floats in the wrong order for the other byte order.
            const bool wrong = format == 3 && mode == "wb";
            if (predicts && !wrong) spec.predictor = format == 3 ? 3 : 2;
            const uint32_t limit = format == 3 ? 2048 : 1U << bits;  // exact in half
            spec.values = codes(spec, limit);
            const ImageFile file = read_ok(spec, Color::kLinear);
            const double scale = format == 3 ? 1 : limit - 1;
            for (size_t i = 0; i < spec.values.size(); ++i) {
              const auto pixel = static_cast<uint32_t>(i / 4);
              ASSERT_DOUBLE_EQ(texel(file.base(), pixel % 37, pixel / 37, i % 4), spec.values[i] / scale)
                  << compression << " tiled " << tiled << " planes " << planes << " " << mode << " bits " << bits
                  << " sample " << i;
            }
            ASSERT_EQ(file.alpha, AlphaAssociation::kStraight);
            ASSERT_EQ(file.stored_channels, 4U);
            ASSERT_EQ(file.stored_bits, spec.bits);
            ASSERT_TRUE(file.warnings.empty()) << file.warnings.front();
          }
        }
      }
    }
  }
}

TEST(FilesTiff, FormatsFollowSamples) {
  struct Case {
    uint16_t bits, format, samples;
    Color color;
    Format expected;
  };
  for (const Case& c :
       {Case{8, 1, 3, Color::kAuto, Format::kRGBA8Srgb}, {8, 1, 3, Color::kLinear, Format::kRGBA8Unorm},
        {8, 1, 1, Color::kLinear, Format::kR8Unorm},     {8, 1, 2, Color::kLinear, Format::kRG8Unorm},
        {16, 1, 1, Color::kAuto, Format::kR16Unorm},     {16, 1, 1, Color::kSrgb, Format::kR32Sfloat},
        {16, 1, 2, Color::kAuto, Format::kRG16Unorm},    {16, 1, 3, Color::kSrgb, Format::kRGBA32Sfloat},
        {16, 1, 3, Color::kAuto, Format::kRGBA16Unorm},  {16, 3, 1, Color::kAuto, Format::kR16Sfloat},
        {16, 3, 2, Color::kAuto, Format::kRG16Sfloat},   {16, 3, 3, Color::kAuto, Format::kRGBA16Sfloat},
        {16, 3, 3, Color::kSrgb, Format::kRGBA32Sfloat}, {32, 3, 1, Color::kAuto, Format::kR32Sfloat},
        {32, 3, 2, Color::kAuto, Format::kRG32Sfloat},   {32, 3, 3, Color::kAuto, Format::kRGBA32Sfloat},
        {64, 3, 3, Color::kAuto, Format::kRGBA32Sfloat}, {24, 3, 1, Color::kAuto, Format::kR32Sfloat},
        {32, 1, 1, Color::kAuto, Format::kR32Sfloat},    {32, 1, 4, Color::kLinear, Format::kRGBA32Sfloat}}) {
    TiffSpec spec{.width = 2, .height = 2, .samples = c.samples, .bits = c.bits, .sample_format = c.format};
    spec.photometric = c.samples >= 3 ? kRgb : 1;
    if (c.samples == 2 || c.samples == 4) spec.extra = {0};
    spec.values = codes(spec, 2);
    EXPECT_EQ(read_ok(spec, c.color).base().format, c.expected) << c.bits << " " << c.format << " " << c.samples;
  }
}

TEST(FilesTiff, EveryDepthOfCodesReachesFromBlackToWhite) {
  for (uint16_t bits = 1; bits <= 16; ++bits) {
    TiffSpec spec{.width = 19, .height = 5, .samples = 1, .bits = bits};
    const uint32_t most = (1U << bits) - 1;
    spec.values = codes(spec, most + 1);
    spec.values[0] = 0;
    spec.values[1] = most;
    const ImageFile file = read_ok(spec, Color::kLinear);
    EXPECT_EQ(file.base().format, bits <= 8 ? Format::kR8Unorm : Format::kR16Unorm);
    const double half_step = 0.5 / (bits <= 8 ? 255 : 65535);
    for (uint32_t i = 0; i < spec.values.size(); ++i) {
      ASSERT_NEAR(texel(file.base(), i % 19, i / 19, 0), spec.values[i] / most, half_step + 1e-12) << bits << " " << i;
    }
    EXPECT_EQ(texel(file.base(), 0, 0, 0), 0);
    EXPECT_EQ(texel(file.base(), 1, 0, 0), 1);
    EXPECT_EQ(file.stored_bits, bits);
  }
}

TEST(FilesTiff, EightBitsAreEncodedAndMoreBitsAreLight) {
  for (const uint16_t bits : Numbers{8, 16, 32}) {
    TiffSpec spec{.width = 4, .height = 1, .samples = 3, .bits = bits, .photometric = kRgb};
    const double most = std::pow(2.0, bits) - 1;
    for (int i = 0; i < 12; ++i) spec.values.push_back(std::floor(most * i / 11));
    const ImageFile file = read_ok(spec);
    for (uint32_t i = 0; i < 12; ++i) {
      const double code = spec.values[i] / most;
      const double expected = bits == 8 ? srgb_decode(code) : code;
      EXPECT_NEAR(light(file, i / 3, 0, i % 3), expected, 1e-7) << bits << " " << i;
    }
    EXPECT_EQ(light(file, 0, 0, 3), 1);
    EXPECT_EQ(file.alpha, AlphaAssociation::kNone);
    EXPECT_EQ(warns(file, "24 bits"), bits == 32);
  }
  TiffSpec spec{.width = 2, .height = 1, .samples = 3, .bits = 32, .sample_format = kFloats, .photometric = kRgb};
  spec.values = {0, 0.25, -3, 1e6, 0.5, INFINITY};
  const ImageFile file = read_ok(spec);
  for (uint32_t i = 0; i < 6; ++i) EXPECT_EQ(light(file, i / 3, 0, i % 3), static_cast<float>(spec.values[i]));
  const ImageFile decoded = read_ok(spec, Color::kSrgb);
  EXPECT_NEAR(light(decoded, 0, 0, 1), srgb_decode(0.25), 1e-7);
}

TEST(FilesTiff, FloatsOfOtherWidthsBecomeFloats) {
  TiffSpec spec{.width = 6, .height = 1, .samples = 1, .bits = 24, .sample_format = kFloats};
  spec.values = {0, 1, -2.5, 0x1p+60, 0x1p-60, 1.0 / 3};
  const ImageFile narrow = read_ok(spec);
  for (uint32_t x = 0; x < 5; ++x) EXPECT_EQ(light(narrow, x, 0, 0), spec.values[x]) << x;
  EXPECT_NEAR(light(narrow, 5, 0, 0), 1.0 / 3, 1.0 / 3 * 0x1p-16);
  spec.bits = 64;
  const ImageFile wide = read_ok(spec);
  for (uint32_t x = 0; x < 6; ++x) EXPECT_EQ(light(wide, x, 0, 0), static_cast<float>(spec.values[x])) << x;
}

TEST(FilesTiff, SmallAndSpecialFloatsOf24Bits) {
  // By hand: smallest positive number, largest below 2^-62, minus infinity; and 3 in the other byte order.
  TiffSpec spec{.width = 3, .height = 1, .samples = 1, .bits = 24, .sample_format = kFloats, .mode = "wl"};
  spec.values = {0, 0, 0};
  Bytes bytes = make_tiff(spec);
  const size_t pixels = get32(bytes, tiff_entry(bytes, 273));
  const uint8_t stored[] = {1, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0xFF};
  std::memcpy(&bytes[pixels], stored, sizeof(stored));
  const auto file = onepass::files::read_memory(bytes, "x.tif");
  ASSERT_TRUE(file);
  EXPECT_EQ(texel(file->base(), 0, 0, 0), 0x1p-78);
  EXPECT_EQ(texel(file->base(), 1, 0, 0), 65535 * 0x1p-78);
  EXPECT_EQ(texel(file->base(), 2, 0, 0), -INFINITY);
  spec.mode = "wb";
  spec.values = {3, 0, 0};
  EXPECT_EQ(light(read_ok(spec), 0, 0, 0), 3);
}

TEST(FilesTiff, MinIsWhiteIsInvertedAndItsAlphaIsNot) {
  for (const uint16_t bits : Numbers{1, 4, 8, 16}) {
    TiffSpec spec{.width = 3, .height = 2, .samples = 2, .bits = bits, .photometric = 0, .extra = {kUnassociated}};
    const double most = (1U << bits) - 1;
    spec.values = {0, 0, most, 0, 0, most, most, most, 1, 1, 1, 0};
    for (const bool planes : {false, true}) {
      spec.planes = planes;
      const ImageFile file = read_ok(spec, Color::kLinear);
      for (uint32_t i = 0; i < 6; ++i) {
        for (uint32_t c = 0; c < 3; ++c) {
          EXPECT_NEAR(light(file, i % 3, i / 3, c), 1 - spec.values[2 * i] / most, 1.0 / 255) << bits << " " << i;
        }
        EXPECT_NEAR(light(file, i % 3, i / 3, 3), spec.values[2 * i + 1] / most, 1.0 / 255) << bits << " " << i;
      }
    }
  }
}

TEST(FilesTiff, PalettesOfSixteenAndEightBits) {
  for (const uint16_t bits : Numbers{1, 2, 4, 8}) {
    for (const bool wide : {true, false}) {
      TiffSpec spec{.width = 5, .height = 3, .samples = 1, .bits = bits, .photometric = 3};
      const uint32_t count = 1U << bits;
      std::vector<uint8_t> colours;
      for (uint32_t i = 0; i < 3 * count; ++i) colours.push_back(static_cast<uint8_t>(i * 71 + 40));
      for (const uint8_t code : colours) spec.palette.push_back(static_cast<uint16_t>(wide ? code * 257 : code));
      spec.values = codes(spec, count);
      const ImageFile file = read_ok(spec, Color::kLinear);
      EXPECT_EQ(file.stored_channels, 3U);
      for (uint32_t i = 0; i < 15; ++i) {
        for (uint32_t c = 0; c < 3; ++c) {
          EXPECT_EQ(light(file, i % 5, i / 5, c) * 255, colours[c * count + static_cast<size_t>(spec.values[i])]);
        }
      }
      EXPECT_EQ(read_ok(spec).base().format, Format::kRGBA8Srgb);
    }
  }
}

TEST(FilesTiff, ExtraSamplesSayWhatAlphaIs) {
  TiffSpec spec{.width = 1, .height = 1, .samples = 4, .photometric = kRgb, .values = {10, 20, 30, 40}};
  struct Case {
    std::vector<uint16_t> extra;
    AlphaAssociation expected;
  };
  for (const Case& c : {Case{{kAssociated}, AlphaAssociation::kPremultiplied},
                        {{kUnassociated}, AlphaAssociation::kStraight},
                        {{0}, AlphaAssociation::kNone},
                        {{}, AlphaAssociation::kPremultiplied}}) {
    spec.extra = c.extra;
    const ImageFile file = read_ok(spec, Color::kLinear);
    EXPECT_EQ(file.alpha, c.expected);
    EXPECT_EQ(light(file, 0, 0, 3) * 255, 40);
    EXPECT_EQ(file.stored_channels, 4U);
  }
}

TEST(FilesTiff, GrayWithASecondSample) {
  TiffSpec spec{.width = 1, .height = 1, .samples = 2, .extra = {kAssociated}, .values = {100, 200}};
  const ImageFile alpha = read_ok(spec);
  EXPECT_EQ(alpha.base().format, Format::kRGBA8Srgb);
  EXPECT_EQ(alpha.alpha, AlphaAssociation::kPremultiplied);
  for (uint32_t c = 0; c < 3; ++c) EXPECT_NEAR(light(alpha, 0, 0, c), srgb_decode(100 / 255.0), 1e-12);
  EXPECT_EQ(light(alpha, 0, 0, 3) * 255, 200);
  EXPECT_EQ(alpha.stored_channels, 2U);
  // Not alpha: with Color::kLinear the two samples stay two channels.
  spec.extra = {0};
  const ImageFile data = read_ok(spec, Color::kLinear);
  EXPECT_EQ(data.base().format, Format::kRG8Unorm);
  EXPECT_EQ(data.alpha, AlphaAssociation::kNone);
  EXPECT_EQ(texel(data.base(), 0, 0, 0) * 255, 100);
  EXPECT_EQ(texel(data.base(), 0, 0, 1) * 255, 200);
  const ImageFile encoded = read_ok(spec);
  EXPECT_NEAR(light(encoded, 0, 0, 2), srgb_decode(100 / 255.0), 1e-12);
  EXPECT_EQ(light(encoded, 0, 0, 3) * 255, 200);
}

TEST(FilesTiff, FurtherSamplesAreLeftOutAndSaidSo) {
  TiffSpec spec{.width = 1, .height = 1, .samples = 6, .photometric = kRgb};
  spec.extra = {0, kUnassociated, 0};
  spec.values = {10, 20, 30, 40, 50, 60};
  for (const bool planes : {false, true}) {
    spec.planes = planes;
    const ImageFile file = read_ok(spec, Color::kLinear);
    EXPECT_EQ(file.alpha, AlphaAssociation::kStraight);
    EXPECT_EQ(light(file, 0, 0, 0) * 255, 10);
    EXPECT_EQ(light(file, 0, 0, 3) * 255, 50);  // the sample declared as alpha, not the first extra one
    EXPECT_TRUE(warns(file, "2 of 6 samples"));
  }
  // If no extra sample is alpha, the first three samples are colours.
  spec = {.width = 1, .height = 1, .samples = 3, .extra = {0, 0}, .values = {10, 20, 30}};
  const ImageFile bands = read_ok(spec, Color::kLinear);
  EXPECT_EQ(light(bands, 0, 0, 2) * 255, 30);
  EXPECT_EQ(light(bands, 0, 0, 3), 1);
  EXPECT_TRUE(warns(bands, "3 samples"));
}

TEST(FilesTiff, JpegInsideBecomesRgb) {
  for (const uint16_t photometric : Numbers{1, 2, 6}) {
    TiffSpec spec{.width = 40, .height = 24, .photometric = photometric, .compression = 7, .strip_rows = 16};
    spec.samples = photometric == 1 ? 1 : 3;
    for (const bool tiled : {false, true}) {
      if (tiled) spec.tile_width = 16, spec.tile_height = 16;
      spec.values.clear();
      for (uint32_t y = 0; y < 24; ++y) {
        for (uint32_t x = 0; x < 40; ++x) {
          for (uint32_t s = 0; s < spec.samples; ++s) spec.values.push_back(20 + 2 * x + (s + 1) * y);
        }
      }
      const ImageFile file = read_ok(spec, Color::kLinear);
      for (uint32_t i = 0; i < spec.values.size(); ++i) {
        const uint32_t pixel = i / spec.samples;
        // Chroma of YCbCr is stored once per four pixels.
        ASSERT_NEAR(light(file, pixel % 40, pixel / 40, i % spec.samples) * 255, spec.values[i],
                    photometric == 6 ? 5 : 2)
            << photometric << " tiled " << tiled << " " << i;
      }
    }
  }
}

TEST(FilesTiff, FaxOfOneBit) {
  for (const uint16_t compression : Numbers{2, 3, 4}) {
    for (const uint16_t photometric : Numbers{0, 1}) {
      TiffSpec spec{.width = 67, .height = 9, .bits = 1, .photometric = photometric, .compression = compression};
      spec.values = codes(spec, 2);
      const ImageFile file = read_ok(spec, Color::kLinear);
      for (uint32_t i = 0; i < spec.values.size(); ++i) {
        ASSERT_EQ(light(file, i % 67, i / 67, 0), photometric == 1 ? spec.values[i] : 1 - spec.values[i]) << i;
      }
    }
  }
}

TEST(FilesTiff, OrientationIsReportedNotApplied) {
  TiffSpec spec{.width = 2, .height = 1, .values = {10, 20}};
  for (uint16_t orientation = 1; orientation <= 8; ++orientation) {
    spec.orientation = orientation;
    const ImageFile file = read_ok(spec, Color::kLinear);
    EXPECT_EQ(file.exif_orientation, orientation);
    EXPECT_EQ(light(file, 0, 0, 0) * 255, 10);
  }
}

TEST(FilesTiff, FurtherPagesAndReducedCopiesAreWarnings) {
  TiffSpec spec{.width = 1, .height = 1, .pages = 4, .values = {77}};
  const ImageFile file = read_ok(spec);
  EXPECT_TRUE(warns(file, "3 more"));
  spec.pages = 1;
  EXPECT_TRUE(read_ok(spec).warnings.empty());
  spec.subfile_type = 1;
  EXPECT_TRUE(warns(read_ok(spec), "NewSubfileType is 1"));
}

TEST(FilesTiff, CurvesOfAProfileDoNotDecodeFloats) {
  const TempDirectory directory;
  auto image = random_image(Format::kRGBA8Srgb, {2, 2}, 1, 1);
  ASSERT_TRUE(onepass::files::write_tiff(directory / "x.tif", image.view()));
  TiffSpec spec{.width = 1, .height = 1, .samples = 3, .bits = 32, .sample_format = kFloats, .photometric = kRgb};
  spec.values = {0.25, 0.5, 0.75};
  spec.profile = parse_tiff(directory / "x.tif").profile;
  if (spec.profile.empty()) GTEST_SKIP() << "no profile without Little CMS";
  const ImageFile file = read_ok(spec);
  EXPECT_EQ(light(file, 0, 0, 0), 0.25);
  EXPECT_TRUE(warns(file, "ICC profile has transfer curves"));
  EXPECT_TRUE(read_ok(spec, Color::kLinear).warnings.empty());
}

// Neutral colours stay neutral, and colours follow CIE's definition with the white D50.
TEST(FilesTiff, LabBecomesSrgb) {
  struct Colour {
    double l, a, b;
  };
  const Colour colours[] = {{100, 0, 0}, {50, 0, 0}, {5, 0, 0}, {60, 40, 20}, {40, -30, -25}, {70, 10, -60}, {0, 0, 0}};
  for (const uint16_t bits : Numbers{8, 16}) {
    TiffSpec spec{.width = std::size(colours), .height = 1, .samples = 3, .bits = bits, .photometric = 8};
    const double most = bits == 8 ? 255 : 65535;
    const double unit = bits == 8 ? 1 : 256;
    for (const Colour& colour : colours) {
      const double modulus = most + 1;
      spec.values.push_back(std::round(colour.l / 100 * most));
      for (const double value : {colour.a, colour.b}) spec.values.push_back(std::fmod(value * unit + modulus, modulus));
    }
    const auto file = onepass::files::read_memory(make_tiff(spec), "lab.tif");
    ASSERT_TRUE(file.ok()) << file.error().text();
    EXPECT_TRUE(file->warnings.empty());
    for (uint32_t x = 0; x < std::size(colours); ++x) {
      const double fy = (spec.values[3 * x] / most * 100 + 16) / 116;
      const double f[3] = {fy + colours[x].a / 500, fy, fy - colours[x].b / 200};
      double xyz[3];
      for (int i = 0; i < 3; ++i) {
        const double t = f[i] > 24.0 / 116 ? f[i] * f[i] * f[i] : (116 * f[i] - 16) * 27 / 24389;
        xyz[i] = t * (i == 0 ? 0.96422 : i == 1 ? 1 : 0.82521);
      }
      // XYZ of D50 to linear sRGB, as published for the Bradford adaptation.
      const double to_srgb[3][3] = {
          {3.1338561, -1.6168667, -0.4906146}, {-0.9787684, 1.9161415, 0.0334540}, {0.0719453, -0.2289914, 1.4052427}};
      for (uint32_t c = 0; c < 3; ++c) {
        const double light = to_srgb[c][0] * xyz[0] + to_srgb[c][1] * xyz[1] + to_srgb[c][2] * xyz[2];
        EXPECT_NEAR(255 * srgb_encode(texel(file->base(), x, 0, c)), 255 * srgb_encode(std::clamp(light, 0.0, 1.0)),
                    0.6)
            << bits << ": " << x << ", " << c;
      }
    }
  }
}

// ITU-R BT.601, which TIFF's YCbCrCoefficients have by default.
TEST(FilesTiff, YcbcrOutsideJpegBecomesSrgb) {
  for (const uint32_t tile : {0U, 16U}) {
    TiffSpec spec{.width = 16, .height = 3, .samples = 3, .photometric = 6, .tile_width = tile, .tile_height = tile};
    for (int i = 0; i < 48; ++i) {
      for (const int value : {60 + i * 3, 118 + i % 20, 138 - i % 17}) spec.values.push_back(value);
    }
    const auto file = onepass::files::read_memory(make_tiff(spec), "ycc.tif");
    ASSERT_TRUE(file.ok()) << file.error().text();
    ASSERT_EQ(file->base().format, Format::kRGBA8Srgb);
    for (uint32_t i = 0; i < 48; ++i) {
      const double y = spec.values[3 * i], cb = spec.values[3 * i + 1] - 128, cr = spec.values[3 * i + 2] - 128;
      const double rgb[3] = {y + 1.402 * cr, y - 0.344136 * cb - 0.714136 * cr, y + 1.772 * cb};
      const std::byte* got = file->base().row(i / 16) + size_t{4} * (i % 16);
      for (uint32_t c = 0; c < 3; ++c) EXPECT_NEAR(std::to_integer<int>(got[c]), std::clamp(rgb[c], 0.0, 255.0), 1.01);
    }
  }
}

// The encoding of light by luminance (to 0.3 %) and chromaticity; its white has X = Y = Z.
TEST(FilesTiff, LogLuvBecomesLinearLight) {
  const TempDirectory directory;
  const double colours[][3] = {{1, 1, 1},      {0.01, 0.01, 0.01}, {500, 500, 500},
                               {0.5, 2, 0.25}, {3, 1, 0.5},        {0.2, 0.3, 4}};
  // Columns: X, Y, Z of red, green and blue of BT.709 whose sum is (1, 1, 1).
  const double to_xyz[3][3] = {{0.497, 0.339, 0.164}, {0.256, 0.678, 0.066}, {0.023, 0.113, 0.864}};
  TIFF* tiff = TIFFOpen((directory / "log.tif").string().c_str(), "w");
  ASSERT_NE(tiff, nullptr);
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, static_cast<uint32_t>(std::size(colours)));
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 2);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 3);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 32);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_LOGLUV);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_SGILOG);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 1);
  TIFFSetField(tiff, TIFFTAG_SGILOGDATAFMT, SGILOGDATAFMT_FLOAT);
  std::vector<float> row;
  for (const auto& rgb : colours) {
    for (const auto& line : to_xyz) {
      row.push_back(static_cast<float>(line[0] * rgb[0] + line[1] * rgb[1] + line[2] * rgb[2]));
    }
  }
  for (uint32_t y = 0; y < 2; ++y) ASSERT_EQ(TIFFWriteScanline(tiff, row.data(), y, 0), 1);
  TIFFClose(tiff);
  const auto file = onepass::files::read(directory / "log.tif");
  ASSERT_TRUE(file.ok()) << file.error().text();
  ASSERT_EQ(file->base().format, Format::kRGBA32Sfloat);
  for (uint32_t x = 0; x < std::size(colours); ++x) {
    const double most = std::max({colours[x][0], colours[x][1], colours[x][2]});
    for (uint32_t c = 0; c < 3; ++c) EXPECT_NEAR(texel(file->base(), x, 1, c), colours[x][c], 0.02 * most) << x << c;
    EXPECT_EQ(texel(file->base(), x, 1, 3), 1);
  }
}

}  // namespace
