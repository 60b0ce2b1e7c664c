// files_exr_picture_test.cpp: luminance and chroma, alpha, integers and primaries of EXR files, against the definitions
// and OpenEXR; alpha is written premultiplied.
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIntAttribute.h>
#include <OpenEXR/ImfRgbaFile.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "tests/files/files_support.hpp"

namespace {

using namespace files_test;
using onepass::AlphaAssociation;
using onepass::Chromaticities;
using onepass::ErrorCode;
using onepass::Extent;
using onepass::Format;
using onepass::Image;
using onepass::ImageView;
using onepass::files::Box;
using onepass::files::ExrOptions;
using onepass::files::ImageFile;
using onepass::files::ReadOptions;
using onepass::files::Window;
using enum ExrSpec::Type;

using Value = std::function<double(int, int, int)>;

class FilesExrPicture : public testing::Test {
 protected:
  TempDirectory directory_;
  std::filesystem::path path_ = directory_ / "x.exr";

  ImageFile read_ok(const ReadOptions& options = {}) {
    auto file = onepass::files::read(path_, options);
    if (!file) throw std::runtime_error(file.error().text());
    return std::move(*file);
  }
  onepass::Error read_error(const ReadOptions& options = {}) {
    const auto file = onepass::files::read(path_, options);
    return file ? onepass::Error{ErrorCode::kDevice, "no error", ""} : file.error();
  }
  void make(const ExrSpec& spec) { make_exr(path_, spec); }
  void write_ok(std::span<const ImageView> levels, const ExrOptions& options) {
    const auto done = onepass::files::write_exr(path_, levels, options);
    if (!done) throw std::runtime_error(done.error().text());
  }
};

ExrSpec spec_of(const Box& data, std::vector<ExrSpec::Channel> channels) {
  return {.data = data, .display = data, .channels = std::move(channels)};
}

// Luminance and chroma ------------------------------------------------------------------------------------------------

using Colour = std::array<double, 3>;

// Luminances of the primaries: solves for the amounts of red, green and blue that add up to white.
Colour weights_of(const Chromaticities& c) {
  const auto z = [](const std::array<double, 2>& p) { return 1 - p[0] - p[1]; };
  const auto determinant = [](const Colour& a, const Colour& b, const Colour& d) {
    return a[0] * (b[1] * d[2] - b[2] * d[1]) - b[0] * (a[1] * d[2] - a[2] * d[1]) + d[0] * (a[1] * b[2] - a[2] * b[1]);
  };
  const Colour r = {c.red[0], c.red[1], z(c.red)};
  const Colour g = {c.green[0], c.green[1], z(c.green)};
  const Colour b = {c.blue[0], c.blue[1], z(c.blue)};
  const Colour w = {c.white[0] / c.white[1], 1, z(c.white) / c.white[1]};
  const double all = determinant(r, g, b);
  return {determinant(w, g, b) / all * r[1], determinant(r, w, b) / all * g[1], determinant(r, g, w) / all * b[1]};
}

double luminance(const Colour& c, const Colour& w) { return c[0] * w[0] + c[1] * w[1] + c[2] * w[2]; }

// Channels Y, RY and BY of a colour image.
std::vector<ExrSpec::Channel> luminance_chroma(const std::function<Colour(int, int)>& colour, const Colour& weights,
                                               ExrSpec::Type type, int sampling, const std::string& prefix = "") {
  const Value y = [=](int px, int py, int) { return luminance(colour(px, py), weights); };
  const Value ry = [=](int px, int py, int) { return y(px, py, 0) == 0 ? 0 : colour(px, py)[0] / y(px, py, 0) - 1; };
  const Value by = [=](int px, int py, int) { return y(px, py, 0) == 0 ? 0 : colour(px, py)[2] / y(px, py, 0) - 1; };
  return {{prefix + "Y", type, y}, {prefix + "RY", type, ry, sampling}, {prefix + "BY", type, by, sampling}};
}

Imf::Chromaticities to_imf(const Chromaticities& c) {
  const auto point = [](const std::array<double, 2>& p) {
    return Imath::V2f(static_cast<float>(p[0]), static_cast<float>(p[1]));
  };
  return {point(c.red), point(c.green), point(c.blue), point(c.white)};
}

Chromaticities rounded(const Chromaticities& c) {
  const auto point = [](const std::array<double, 2>& p) {
    return std::array<double, 2>{static_cast<float>(p[0]), static_cast<float>(p[1])};
  };
  return {point(c.red), point(c.green), point(c.blue), point(c.white)};
}

// A test image with hard steps: bright and dark, saturated and grey.
Colour harsh(int x, int y) {
  const auto level = [](int n) { return std::array<double, 4>{0, 0.03, 1, 20}[static_cast<size_t>(n & 3)]; };
  return {level(x / 3 + y), level(x * 7 + y / 5), level((x ^ y) >> 1)};
}

// A smooth test image with zero slope at the border, so that repeated border texels cause no error.
Colour smooth(int x, int y, double width, double height) {
  const double u = std::cos(std::numbers::pi * (x + 0.5) / width);
  const double v = std::cos(std::numbers::pi * (y + 0.5) / height);
  return {0.5 + 0.2 * u, 0.6 + 0.2 * v, 0.4 + 0.15 * u * v};
}

const Value kHalfway = [](int, int, int) { return 0.5; };
const Value kRamp = [](int x, int y, int) { return (1 + (x & 7) + 8 * (y & 3)) / 64.0; };

TEST_F(FilesExrPicture, FullChromaIsColourByTheDefinition) {
  for (const Chromaticities& primaries : {onepass::kRec709Chromaticities, onepass::kAcesCgChromaticities}) {
    for (const auto type : {kFloat, kHalf}) {
      for (const uint32_t tile : {0U, 16U}) {
        const Colour weights = weights_of(rounded(primaries));
        ExrSpec spec = spec_of({-3, 5, 30, 24}, luminance_chroma(harsh, weights, type, 1));
        spec.tile_size = tile;
        spec.edit = [&](Imf::Header& header) { Imf::addChromaticities(header, to_imf(primaries)); };
        make(spec);
        const ImageFile file = read_ok();
        ASSERT_EQ(file.base().format, type == kHalf ? Format::kRGBA16Sfloat : Format::kRGBA32Sfloat);
        EXPECT_EQ(file.alpha, AlphaAssociation::kNone);
        EXPECT_EQ(file.stored_channels, 3U);
        const auto stored = [&](double value) {
          return type == kHalf ? double{half(static_cast<float>(value))} : double{static_cast<float>(value)};
        };
        const double step = type == kHalf ? 0x1p-11 + 0x1p-24 : 0x1p-24;  // to half by way of float: two roundings
        const double least = type == kHalf ? 0x1p-25 : 0;                 // smallest halves
        for (int y = 5; y <= 24; ++y) {
          for (int x = -3; x <= 30; ++x) {
            const double lum = stored(spec.channels[0].value(x, y, 0));
            const double r = (stored(spec.channels[1].value(x, y, 0)) + 1) * lum;
            const double b = (stored(spec.channels[2].value(x, y, 0)) + 1) * lum;
            const double g = (lum - r * weights[0] - b * weights[2]) / weights[1];
            const auto at = [&](uint32_t c) {
              return texel(file.base(), static_cast<uint32_t>(x + 3), static_cast<uint32_t>(y - 5), c);
            };
            // Tolerance: rounding of the result, plus cancellation in green in double.
            ASSERT_NEAR(at(0), r, step * std::abs(r) + least) << x << " " << y;
            ASSERT_NEAR(at(1), g, step * std::abs(g) + least + 1e-13 * lum) << x << " " << y;
            ASSERT_NEAR(at(2), b, step * std::abs(b) + least) << x << " " << y;
            ASSERT_EQ(at(3), 1);
          }
        }
      }
    }
  }
}

TEST_F(FilesExrPicture, SubsampledChromaOfSmoothContentIsColourByTheDefinition) {
  const Box box{-4, 6, 91, 77};
  const auto colour = [](int x, int y) { return smooth(x + 4, y - 6, 96, 72); };
  const Colour weights = weights_of(onepass::kRec709Chromaticities);
  for (const auto type : {kFloat, kHalf}) {
    make(spec_of(box, luminance_chroma(colour, weights, type, 2)));
    const ImageFile file = read_ok();
    ASSERT_EQ(file.base().format, type == kHalf ? Format::kRGBA16Sfloat : Format::kRGBA32Sfloat);
    for (int y = box.min_y; y <= box.max_y; ++y) {
      for (int x = box.min_x; x <= box.max_x; ++x) {
        Colour read{};
        for (uint32_t c = 0; c < 3; ++c) {
          read[c] = texel(file.base(), static_cast<uint32_t>(x + 4), static_cast<uint32_t>(y - 6), c);
          // Tolerance: chroma in half, luminance also in half in the second round, half a sample of slope at the right
          // and lower border.
          ASSERT_NEAR(read[c], colour(x, y)[c], 0.003) << x << " " << y << " " << c;
        }
        const double exact = luminance(colour(x, y), weights);
        ASSERT_NEAR(luminance(read, weights), exact, (type == kFloat ? 3e-7 : 1e-3) * exact) << x << " " << y;
      }
    }
  }
}

TEST_F(FilesExrPicture, SubsampledHalfChromaIsWhatRgbaInputFileGives) {
  for (const bool alpha : {false, true}) {
    for (const int compression : {0, 4}) {  // none, PIZ
      const Box box{-6, -2, 57, 41};
      ExrSpec spec = spec_of(box, luminance_chroma(harsh, weights_of(onepass::kRec2020Chromaticities), kHalf, 2));
      spec.compression = compression;
      spec.edit = [](Imf::Header& header) { Imf::addChromaticities(header, to_imf(onepass::kRec2020Chromaticities)); };
      if (alpha) spec.channels.push_back({"A", kHalf, kRamp});
      make(spec);
      const ImageFile file = read_ok();
      ASSERT_EQ(file.base().format, Format::kRGBA16Sfloat);
      ASSERT_EQ(file.base().size, (Extent{64, 44}));
      EXPECT_EQ(file.alpha, alpha ? AlphaAssociation::kPremultiplied : AlphaAssociation::kNone);
      EXPECT_EQ(file.stored_channels, alpha ? 4U : 3U);
      Imf::RgbaInputFile oracle(path_.string().c_str());
      std::vector<Imf::Rgba> expected(64 * 44);
      oracle.setFrameBuffer(Imf::ComputeBasePointer(expected.data(), oracle.dataWindow()), 1, 64);
      oracle.readPixels(box.min_y, box.max_y);
      for (uint32_t i = 0; i < expected.size(); ++i) {
        const Imf::Rgba& rgba = expected[i];
        const std::array<float, 4> values = {rgba.r, rgba.g, rgba.b, rgba.a};
        for (uint32_t c = 0; c < 4; ++c) {
          ASSERT_EQ(texel(file.base(), i % 64, i / 64, c), values[c]) << i % 64 << " " << i / 64 << " " << c;
        }
      }
    }
  }
}

TEST_F(FilesExrPicture, SubsampledFloatLuminanceKeepsItsRange) {
  // 1e6 times the half image, far beyond the range of half; the colours agree within half's precision.
  const Colour weights = weights_of(onepass::kRec709Chromaticities);
  const Box box{0, 0, 63, 43};
  const auto bright = [](int x, int y) {
    Colour colour = harsh(x, y);
    for (double& value : colour) value *= 1e6;
    return colour;
  };
  make(spec_of(box, luminance_chroma(harsh, weights, kHalf, 2)));
  const ImageFile dim = read_ok();
  make(spec_of(box, luminance_chroma(bright, weights, kFloat, 2)));
  const ImageFile file = read_ok();
  ASSERT_EQ(file.base().format, Format::kRGBA32Sfloat);
  for (uint32_t y = 0; y < 44; ++y) {
    for (uint32_t x = 0; x < 64; ++x) {
      Colour read{};
      const double exact = luminance(bright(static_cast<int>(x), static_cast<int>(y)), weights);
      for (uint32_t c = 0; c < 3; ++c) {
        read[c] = texel(file.base(), x, y, c);
        ASSERT_NEAR(read[c], 1e6 * texel(dim.base(), x, y, c), 0x1p-9 * (read[c] + exact)) << x << " " << y << " " << c;
      }
      ASSERT_NEAR(luminance(read, weights), exact, 1e-6 * exact) << x << " " << y;
    }
  }
}

TEST_F(FilesExrPicture, LuminanceAndChromaInPartsAndLayers) {
  const Colour weights = weights_of(onepass::kRec709Chromaticities);
  const Box box{0, 0, 15, 11};
  make(spec_of(box, luminance_chroma(harsh, weights, kHalf, 2)));
  const ImageFile plain = read_ok();
  ExrSpec first = spec_of(box, {{"Z", kFloat, kRamp}});
  first.part = "depth";
  ExrSpec second = spec_of(box, luminance_chroma(harsh, weights, kHalf, 2));
  for (ExrSpec::Channel& channel : luminance_chroma(harsh, weights, kHalf, 2, "key."))
    second.channels.push_back(channel);
  second.channels.push_back({"key.A", kHalf, kRamp});
  second.part = "beauty";
  make_multipart_exr(path_, {first, second});
  const ImageFile any = read_ok();
  EXPECT_EQ(any.exr_part, "beauty");
  const ImageFile layer = read_ok({.channels = {"key"}});
  EXPECT_EQ(layer.alpha, AlphaAssociation::kPremultiplied);
  for (uint32_t i = 0; i < 16 * 12; ++i) {
    for (uint32_t c = 0; c < 3; ++c) {
      const double expected = texel(plain.base(), i % 16, i / 16, c);
      ASSERT_EQ(texel(any.base(), i % 16, i / 16, c), expected);
      ASSERT_EQ(texel(layer.base(), i % 16, i / 16, c), expected);
    }
    ASSERT_EQ(texel(layer.base(), i % 16, i / 16, 3), kRamp(static_cast<int>(i) % 16, static_cast<int>(i) / 16, 0));
  }
}

TEST_F(FilesExrPicture, ChannelYAloneIsLuminance) {
  const Colour weights = weights_of(onepass::kRec709Chromaticities);
  make(spec_of({0, 0, 7, 7}, luminance_chroma(harsh, weights, kFloat, 2)));
  const ImageFile file = read_ok({.channels = {"Y"}});
  ASSERT_EQ(file.base().format, Format::kR32Sfloat);
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) {
      ASSERT_EQ(texel(file.base(), static_cast<uint32_t>(x), static_cast<uint32_t>(y), 0),
                static_cast<float>(luminance(harsh(x, y), weights)));
    }
  }
}

TEST_F(FilesExrPicture, OtherSubsamplingIsRefusedByName) {
  const auto message = [&](std::vector<ExrSpec::Channel> channels) {
    make(spec_of({0, 0, 7, 7}, std::move(channels)));
    const onepass::Error error = read_error();
    EXPECT_EQ(error.code, ErrorCode::kUnsupported);
    return error.message;
  };
  const ExrSpec::Channel y{"Y", kHalf, kHalfway};
  EXPECT_NE(message({y, {"RY", kHalf, kHalfway, 4}, {"BY", kHalf, kHalfway, 4}}).find("RY is subsampled 4x4"),
            std::string::npos);
  EXPECT_NE(message({y, {"RY", kHalf, kHalfway, 1}, {"BY", kHalf, kHalfway, 2}}).find("BY is subsampled 2x2"),
            std::string::npos);
  EXPECT_NE(message({y, {"RY", kUint, kRamp, 2}, {"BY", kUint, kRamp, 2}}).find("RY is subsampled 2x2"),
            std::string::npos);
  EXPECT_NE(message({{"Y", kHalf, kHalfway, 2}, {"RY", kHalf, kHalfway, 2}, {"BY", kHalf, kHalfway, 2}})
                .find("channel Y is subsampled 2x2"),
            std::string::npos);
}

// Alpha ---------------------------------------------------------------------------------------------------------------

TEST_F(FilesExrPicture, LuminanceWithAlphaIsGreyWithAlpha) {
  for (const auto type : {kHalf, kFloat}) {
    make(spec_of({0, 0, 8, 4}, {{"Y", type, kHalfway}, {"A", kHalf, kRamp}}));
    const ImageFile file = read_ok();
    ASSERT_EQ(file.base().format, type == kHalf ? Format::kRGBA16Sfloat : Format::kRGBA32Sfloat);
    EXPECT_EQ(file.alpha, AlphaAssociation::kPremultiplied);
    EXPECT_EQ(file.stored_channels, 2U);
    EXPECT_EQ(file.stored_bits, type == kHalf ? 16U : 32U);
    for (uint32_t y = 0; y < 5; ++y) {
      for (uint32_t x = 0; x < 9; ++x) {
        for (uint32_t c = 0; c < 3; ++c) ASSERT_EQ(texel(file.base(), x, y, c), 0.5);
        ASSERT_EQ(texel(file.base(), x, y, 3), kRamp(static_cast<int>(x), static_cast<int>(y), 0));
      }
    }
  }
}

TEST_F(FilesExrPicture, AlphaIsPremultipliedByTheNameOfTheFourthChannel) {
  make(spec_of({0, 0, 3, 3}, {{"R", kHalf, kRamp},
                              {"G", kHalf, kRamp},
                              {"B", kHalf, kRamp},
                              {"A", kHalf, kRamp},
                              {"Z", kHalf, kRamp},
                              {"matte.A", kHalf, kRamp},
                              {"BETA", kHalf, kRamp}}));
  EXPECT_EQ(read_ok().alpha, AlphaAssociation::kPremultiplied);
  EXPECT_EQ(read_ok({.channels = {"R", "G", "B", "matte.A"}}).alpha, AlphaAssociation::kPremultiplied);
  EXPECT_EQ(read_ok({.channels = {"R", "G", "B", "Z"}}).alpha, AlphaAssociation::kNone);
  EXPECT_EQ(read_ok({.channels = {"R", "G", "B", "BETA"}}).alpha, AlphaAssociation::kNone);
  EXPECT_EQ(read_ok({.channels = {"R", "G", "B"}}).alpha, AlphaAssociation::kNone);
  EXPECT_EQ(read_ok({.channels = {"R", "A"}}).alpha, AlphaAssociation::kNone);
}

TEST_F(FilesExrPicture, StraightColoursAreWrittenPremultiplied) {
  auto image = Image::create(Format::kRGBA32Sfloat, {3, 2});
  ASSERT_TRUE(image);
  auto* texels = reinterpret_cast<float*>(image->data());
  for (size_t i = 0; i < 24; ++i)
    texels[i] = i % 4 == 3 ? 0.25F * static_cast<float>(i / 4) : 1 + static_cast<float>(i);
  const ImageView view = image->view();
  const auto expect = [&](const std::vector<std::string>& names, AlphaAssociation alpha, bool multiplied) {
    write_ok({&view, 1}, {.alpha = alpha, .channels = names});
    const ImageFile file = read_ok({.channels = names.empty() ? std::vector<std::string>{"R", "G", "B", "A"} : names});
    for (uint32_t i = 0; i < 6; ++i) {
      for (uint32_t c = 0; c < 4; ++c) {
        const float factor = multiplied && c < 3 ? texels[4 * i + 3] : 1.0F;
        ASSERT_EQ(texel(file.base(), i % 3, i / 3, c), texels[4 * i + c] * factor) << i << " " << c;
      }
    }
  };
  expect({}, AlphaAssociation::kStraight, true);
  expect({"fg.R", "fg.G", "fg.B", "fg.A"}, AlphaAssociation::kStraight, true);
  expect({"R", "G", "B", "Z"}, AlphaAssociation::kStraight, false);
  expect({}, AlphaAssociation::kPremultiplied, false);
  expect({}, AlphaAssociation::kNone, false);
}

TEST_F(FilesExrPicture, StraightColoursOfAllLevelsAreWrittenPremultiplied) {
  const auto levels = random_levels(Format::kRGBA8Srgb, {19, 8}, 1);
  const auto all = views(levels);
  write_ok(all, {.alpha = AlphaAssociation::kStraight, .type = onepass::files::ExrType::kFloat});
  const ImageFile file = read_ok();
  ASSERT_EQ(file.levels.size(), levels.size());
  for (size_t n = 0; n < levels.size(); ++n) {
    const ImageView level = file.levels[n].view();
    for (uint32_t y = 0; y < level.size.height; ++y) {
      for (uint32_t x = 0; x < level.size.width; ++x) {
        const double alpha = texel(all[n], x, y, 3);
        ASSERT_NEAR(texel(level, x, y, 0), texel(all[n], x, y, 0) * alpha, 1e-6);
        ASSERT_NEAR(texel(level, x, y, 2), texel(all[n], x, y, 2) * alpha, 1e-6);
        ASSERT_NEAR(texel(level, x, y, 3), alpha, 1e-7);
      }
    }
  }
}

// Integers ------------------------------------------------------------------------------------------------------------

TEST_F(FilesExrPicture, IntegersAreExactOrRefused) {
  constexpr int kMost = 1 << 24;
  for (const uint32_t tile : {0U, 8U}) {
    ExrSpec spec = spec_of(
        {-2, 1, 17, 9},
        {{"id", kUint, [](int x, int y, int) { return kMost - 19 - 20 * (9 - y) + x + 2; }}, {"Z", kHalf, kRamp}});
    spec.tile_size = tile;
    make(spec);
    const ImageFile file = read_ok({.channels = {"id"}});
    ASSERT_EQ(file.base().format, Format::kR32Sfloat);
    for (uint32_t i = 0; i < 180; ++i)
      ASSERT_EQ(texel(file.base(), i % 20, i / 20, 0), kMost - 179 + static_cast<int>(i));
    for (const double value : {16777217.0, 33554432.0, 4294967295.0}) {
      spec.channels[0].value = [=](int x, int y, int) { return x == 3 && y == 4 ? value : 7; };
      make(spec);
      const onepass::Error error = read_error({.channels = {"Z", "id"}});
      EXPECT_EQ(error.code, ErrorCode::kUnsupported);
      char text[100];
      std::snprintf(text, sizeof(text), "channel id holds %.0f at texel (5, 3)", value);
      EXPECT_NE(error.message.find(text), std::string::npos) << error.message;
      EXPECT_NE(error.message.find("16777216"), std::string::npos) << error.message;
      EXPECT_EQ(read_ok({.channels = {"Z"}}).stored_bits, 16U);  // the integer channel is not requested
    }
  }
}

// Primaries -----------------------------------------------------------------------------------------------------------

TEST_F(FilesExrPicture, ChromaticitiesAreReported) {
  ExrSpec spec = spec_of({0, 0, 1, 1}, {{"R", kHalf, kRamp}, {"G", kHalf, kRamp}, {"B", kHalf, kRamp}});
  make(spec);
  EXPECT_FALSE(read_ok().says_primaries);
  EXPECT_EQ(read_ok().primaries, onepass::kRec709Chromaticities);
  spec.edit = [](Imf::Header& header) {
    Imf::addChromaticities(header, to_imf(onepass::kAcesCgChromaticities));
    Imf::addAdoptedNeutral(header, Imath::V2f(0.4F, 0.4F));
  };
  make(spec);
  const ImageFile file = read_ok();
  EXPECT_TRUE(file.says_primaries);
  EXPECT_EQ(file.primaries, rounded(onepass::kAcesCgChromaticities));
  EXPECT_TRUE(file.warnings.empty());
}

TEST_F(FilesExrPicture, ImpossibleChromaticitiesAreIgnoredWithAWarning) {
  ExrSpec spec = spec_of({0, 0, 1, 1}, luminance_chroma(harsh, weights_of(onepass::kRec709Chromaticities), kFloat, 1));
  make(spec);
  const ImageFile expected = read_ok();
  for (const float white : {0.0F, std::numeric_limits<float>::quiet_NaN()}) {
    spec.edit = [=](Imf::Header& header) {
      Imf::addChromaticities(header,
                             Imf::Chromaticities({0.625F, 0.25F}, {0.25F, 0.5F}, {0.125F, 0.0625F}, {0.375F, white}));
    };
    make(spec);
    const ImageFile file = read_ok();
    EXPECT_FALSE(file.says_primaries);
    EXPECT_EQ(file.primaries, onepass::kRec709Chromaticities);
    ASSERT_EQ(file.warnings.size(), 1U);
    EXPECT_NE(file.warnings[0].find("0.6250,0.2500"), std::string::npos) << file.warnings[0];
    for (uint32_t c = 0; c < 3; ++c) EXPECT_EQ(texel(file.base(), 1, 1, c), texel(expected.base(), 1, 1, c));
  }
}

TEST_F(FilesExrPicture, GreenWithoutLuminanceLeavesChromaUnread) {
  for (const int sampling : {1, 2}) {
    ExrSpec spec =
        spec_of({0, 0, 7, 7}, luminance_chroma(harsh, weights_of(onepass::kRec709Chromaticities), kHalf, sampling));
    spec.edit = [](Imf::Header& header) {
      Imf::addChromaticities(header,
                             Imf::Chromaticities({0.64F, 0.33F}, {0.3F, 0.0F}, {0.15F, 0.06F}, {0.3127F, 0.329F}));
    };
    make(spec);
    const onepass::Error error = read_error();
    EXPECT_EQ(error.code, ErrorCode::kBadData);
    EXPECT_NE(error.message.find("green at 0.300000, 0.000000"), std::string::npos) << error.message;
    EXPECT_EQ(read_ok({.channels = {"Y"}}).stored_channels, 1U);
  }
}

TEST_F(FilesExrPicture, AcesContainersHaveAcesPrimaries) {
  ExrSpec spec = spec_of({0, 0, 1, 1}, {{"Y", kHalf, kRamp}});
  spec.edit = [](Imf::Header& header) { header.insert("acesImageContainerFlag", Imf::IntAttribute(1)); };
  make(spec);
  EXPECT_TRUE(read_ok().says_primaries);
  EXPECT_EQ(read_ok().primaries, onepass::kAces2065Chromaticities);
  // Explicit chromaticities take precedence.
  spec.edit = [](Imf::Header& header) {
    header.insert("acesImageContainerFlag", Imf::IntAttribute(1));
    Imf::addChromaticities(header, to_imf(onepass::kRec2020Chromaticities));
  };
  make(spec);
  EXPECT_EQ(read_ok().primaries, rounded(onepass::kRec2020Chromaticities));
}

}  // namespace
