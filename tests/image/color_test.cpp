// color_test.cpp: conversions of primaries against published matrices, of alpha against its definition.
#include "onepass/color.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace onepass {
namespace {

constexpr auto kStraight = AlphaAssociation::kStraight;
constexpr auto kPremultiplied = AlphaAssociation::kPremultiplied;

ColorMatrix matrix(const Chromaticities& from, const Chromaticities& to) {
  const auto made = conversion_matrix(from, to);
  EXPECT_TRUE(made) << (made ? "" : made.error().text());
  return made ? *made : ColorMatrix{};
}

void expect_near(const ColorMatrix& actual, const ColorMatrix& expected, double tolerance) {
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) EXPECT_NEAR(actual[i][j], expected[i][j], tolerance) << i << "," << j;
  }
}

TEST(Color, MatricesAreThePublishedOnes) {
  // ITU-R BT.2087, table 2, rounded to four digits.
  expect_near(matrix(kRec709Chromaticities, kRec2020Chromaticities),
              {{{0.6274, 0.3293, 0.0433}, {0.0691, 0.9195, 0.0114}, {0.0164, 0.0880, 0.8956}}}, 6e-5);
  // IEC 61966-2-1, annex F: sRGB to XYZ.
  const auto xyz = xyz_matrix(kRec709Chromaticities);
  ASSERT_TRUE(xyz);
  expect_near(*xyz, {{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}}, 6e-5);
  // Academy TB-2014-004: ACES2065-1 to ACEScg, which have the same white.
  expect_near(matrix(kAces2065Chromaticities, kAcesCgChromaticities),
              {{{1.4514393161, -0.2365107469, -0.2149285693},
                {-0.0765537734, 1.1762296998, -0.0996759264},
                {0.0083161484, -0.0060324498, 0.9977163014}}},
              1e-9);
  // ACEScg to sRGB primaries, D60 to D65 by the Bradford transform, as in OpenColorIO's ACES configurations.
  expect_near(
      matrix(kAcesCgChromaticities, kRec709Chromaticities),
      {{{1.7050509, -0.6217921, -0.0832588}, {-0.1302564, 1.1408047, -0.0105483}, {-0.0240034, -0.1289690, 1.1529724}}},
      2e-6);
}

TEST(Color, WhiteStaysWhiteAndThereAndBackIsTheSame) {
  for (const Chromaticities& from : {kRec709Chromaticities, kDisplayP3Chromaticities, kAcesCgChromaticities}) {
    for (const Chromaticities& to : {kRec2020Chromaticities, kAces2065Chromaticities, kRec709Chromaticities}) {
      const ColorMatrix there = matrix(from, to), back = matrix(to, from);
      for (size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(there[i][0] + there[i][1] + there[i][2], 1, 1e-12);
        for (size_t j = 0; j < 3; ++j) {
          double sum = 0;
          for (size_t k = 0; k < 3; ++k) sum += there[i][k] * back[k][j];
          EXPECT_NEAR(sum, i == j ? 1 : 0, 1e-12);
        }
      }
    }
  }
}

// XYZ is measured light: a colour keeps its tristimulus values, whatever the white of the other primaries is.
TEST(Color, XyzIsNotAdapted) {
  for (const Chromaticities& other : {kRec709Chromaticities, kAces2065Chromaticities, kDisplayP3Chromaticities}) {
    const auto definition = xyz_matrix(other);
    ASSERT_TRUE(definition);
    expect_near(matrix(other, kXyzChromaticities), *definition, 1e-12);
    const ColorMatrix back = matrix(kXyzChromaticities, other);
    for (size_t i = 0; i < 3; ++i) {
      for (size_t j = 0; j < 3; ++j) {
        double sum = 0;
        for (size_t k = 0; k < 3; ++k) sum += back[i][k] * (*definition)[k][j];
        EXPECT_NEAR(sum, i == j ? 1 : 0, 1e-12);
      }
    }
  }
  // OpenEXR files round E to six digits. Lindbloom, "RGB/XYZ Matrices": sRGB from XYZ.
  const Chromaticities rounded{{1, 0}, {0, 1}, {0, 0}, {0.333333, 0.333333}};
  expect_near(
      matrix(rounded, kRec709Chromaticities),
      {{{3.2404542, -1.5371385, -0.4985314}, {-0.9692660, 1.8760108, 0.0415560}, {0.0556434, -0.2040259, 1.0572252}}},
      6e-4);
  expect_near(matrix(kXyzChromaticities, kXyzChromaticities), {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, 1e-12);
}

TEST(Color, WhatIsNoPrimariesIsRefused) {
  Chromaticities line = kRec709Chromaticities;
  line.blue = {0.47, 0.465};  // on the line from red to green
  Chromaticities dark = kRec709Chromaticities;
  dark.white = {0.3, 0};
  Chromaticities nan = kRec709Chromaticities;
  nan.green[0] = std::numeric_limits<double>::quiet_NaN();
  for (const Chromaticities& bad : {line, dark, nan, Chromaticities{}}) {
    EXPECT_FALSE(xyz_matrix(bad));
    const auto refused = conversion_matrix(kRec709Chromaticities, bad);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(refused.error().message.find("chromaticities"), std::string::npos);
  }
  EXPECT_TRUE(same_chromaticities(kRec709Chromaticities, {{0.6401, 0.33}, {0.3, 0.6}, {0.15, 0.06}, {0.3127, 0.329}}));
  EXPECT_FALSE(same_chromaticities(kRec709Chromaticities, kDisplayP3Chromaticities));
}

struct Texel {
  float r, g, b, a;
};

Image image_of(Format format, const std::vector<Texel>& texels) {
  auto image = Image::create(format, {static_cast<uint32_t>(texels.size()), 1});
  EXPECT_TRUE(image);
  encode_row(format, &texels[0].r, image->size().width, image->data());
  return std::move(*image);
}

std::vector<Texel> texels_of(const Image& image) {
  std::vector<Texel> texels(image.size().width);
  decode_row(image.format(), image.data(), image.size().width, &texels[0].r);
  return texels;
}

std::vector<Texel> converted(const std::vector<Texel>& texels, const ColorConversion& how,
                             Format format = Format::kRGBA32Sfloat, uint64_t* emissive = nullptr) {
  Image image = image_of(format, texels);
  const auto report = convert_colors(image.view(), image.view(), how, 2);
  EXPECT_TRUE(report);
  if (report && emissive != nullptr) *emissive = report->emissive_texels;
  return texels_of(image);
}

void expect_texel(const Texel& actual, const Texel& expected) {
  EXPECT_FLOAT_EQ(actual.r, expected.r);
  EXPECT_FLOAT_EQ(actual.g, expected.g);
  EXPECT_FLOAT_EQ(actual.b, expected.b);
  EXPECT_FLOAT_EQ(actual.a, expected.a);
}

TEST(Color, AlphaDividesAndMultiplies) {
  const std::vector<Texel> light = {{0.5F, 0.25F, 0.125F, 0.5F}, {2, 3, 4, 1}, {0, 0, 0, 0}, {7, 0, 0, 0}};
  uint64_t emissive = 99;
  const auto straight = converted(light, {.from = kPremultiplied, .to = kStraight}, Format::kRGBA32Sfloat, &emissive);
  expect_texel(straight[0], {1, 0.5F, 0.25F, 0.5F});
  expect_texel(straight[1], light[1]);
  expect_texel(straight[2], light[2]);
  expect_texel(straight[3], light[3]);  // emission: alpha 0, colour unchanged and counted
  EXPECT_EQ(emissive, 1U);
  const auto back = converted(straight, {.from = kStraight, .to = kPremultiplied}, Format::kRGBA32Sfloat, &emissive);
  expect_texel(back[0], light[0]);
  expect_texel(back[3], {0, 0, 0, 0});
  EXPECT_EQ(emissive, 0U);
  const auto kept = converted(straight, {.from = kStraight, .to = kPremultiplied, .keep_emission = true});
  for (size_t i = 0; i < light.size(); ++i) expect_texel(kept[i], light[i]);
}

TEST(Color, NothingHappensWithoutAlphaOrToOtherFourthChannels) {
  const std::vector<Texel> data = {{0.5F, 0.25F, 0.125F, 0.5F}};
  for (const AlphaAssociation to : {AlphaAssociation::kNone, kStraight, kPremultiplied}) {
    expect_texel(converted(data, {.from = AlphaAssociation::kNone, .to = to})[0], data[0]);
  }
  expect_texel(converted(data, {.from = kPremultiplied})[0], data[0]);
  Image two = image_of(Format::kRG32Sfloat, data);
  ASSERT_TRUE(convert_colors(two.view(), two.view(), {.from = kStraight, .to = kPremultiplied}));
  expect_texel(texels_of(two)[0], {0.5F, 0.25F, 0, 1});
}

TEST(Color, DivisionEndsAtTheLargestFiniteValue) {
  const std::vector<Texel> light = {{100, -100, std::numeric_limits<float>::quiet_NaN(), 1e-5F}};
  const auto half = converted(light, {.from = kPremultiplied, .to = kStraight}, Format::kRGBA16Sfloat);
  EXPECT_EQ(half[0].r, 65504.0F);
  EXPECT_EQ(half[0].g, -65504.0F);
  EXPECT_TRUE(std::isnan(half[0].b));
  const auto wide = converted({{3e38F, 1, 1, 1e-3F}}, {.from = kPremultiplied, .to = kStraight});
  EXPECT_EQ(wide[0].r, std::numeric_limits<float>::max());
}

TEST(Color, MatrixWorksOnStraightColoursAndBackgroundOnLight) {
  const ColorMatrix swap = {{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}};
  const ColorConversion how{.from = kStraight, .to = kPremultiplied, .matrix = swap};
  expect_texel(converted({{1, 0.5F, 0.25F, 0.5F}}, how)[0], {0.25F, 0.5F, 0.125F, 0.5F});
  // Straight and premultiplied inputs composite to the same image.
  const std::array<float, 3> ground = {0.2F, 0.4F, 0.6F};
  const Texel expected = {0.5F + 0.1F, 0.25F + 0.2F, 0.125F + 0.3F, 1};
  expect_texel(converted({{1, 0.5F, 0.25F, 0.5F}}, {.from = kStraight, .background = ground})[0], expected);
  expect_texel(converted({{0.5F, 0.25F, 0.125F, 0.5F}}, {.from = kPremultiplied, .background = ground})[0], expected);
  expect_texel(
      converted({{0.5F, 0.25F, 0.125F, 0.5F}}, {.from = kPremultiplied, .to = kStraight, .background = ground})[0],
      expected);
  // Emission is added to the background.
  expect_texel(converted({{3, 0, 0, 0}}, {.from = kPremultiplied, .background = ground})[0], {3.2F, 0.4F, 0.6F, 1});
  Image grey = image_of(Format::kR32Sfloat, {{0.5F, 0, 0, 1}});
  ASSERT_TRUE(convert_colors(grey.view(), grey.view(), {.matrix = swap}));
  EXPECT_EQ(texels_of(grey)[0].r, 0.5F);
}

TEST(Color, EverySliceAndRowIsConvertedAndNothingBesides) {
  const Extent size{19, 37};
  const size_t stride = size.width * 16 + 32;
  std::vector<std::byte> bytes(stride * size.height * 3, std::byte{0x5A});
  const MutableImageView view{bytes.data(), Format::kRGBA32Sfloat, size, 3, stride, stride * size.height};
  std::mt19937 random(7);
  std::vector<float> before;
  for (uint32_t s = 0; s < 3; ++s) {
    for (uint32_t y = 0; y < size.height; ++y) {
      auto* row = reinterpret_cast<float*>(view.row(y, s));
      for (uint32_t i = 0; i < size.width * 4; ++i) row[i] = static_cast<float>(1 + random() % 8) / 8;
      before.insert(before.end(), row, row + size_t{size.width} * 4);
    }
  }
  ASSERT_TRUE(convert_colors(view, view, {.from = kStraight, .to = kPremultiplied}, 3));
  const float* was = before.data();
  for (uint32_t s = 0; s < 3; ++s) {
    for (uint32_t y = 0; y < size.height; ++y) {
      const auto* row = reinterpret_cast<const float*>(view.row(y, s));
      for (uint32_t x = 0; x < size.width; ++x, was += 4, row += 4) {
        for (size_t c = 0; c < 3; ++c) ASSERT_EQ(row[c], was[c] * was[3]);
        ASSERT_EQ(row[3], was[3]);
      }
      for (size_t i = size.width * 16; i < stride; ++i) ASSERT_EQ(view.row(y, s)[i], std::byte{0x5A});
    }
  }
}

TEST(Color, ViewsThatDoNotFitAreRefused) {
  Image a = image_of(Format::kRGBA32Sfloat, {{}, {}});
  Image b = image_of(Format::kRGBA32Sfloat, {{}});
  Image depth = std::move(*Image::create(Format::kD32Sfloat, {2, 1}));
  EXPECT_FALSE(convert_colors(a.view(), b.view(), {}));
  EXPECT_FALSE(convert_colors(a.view(), depth.view(), {}));
  EXPECT_FALSE(convert_colors(ImageView{}, a.view(), {}));
  MutableImageView half = a.view();
  half.format = Format::kRGBA16Sfloat;
  EXPECT_FALSE(convert_colors(a.view(), half, {}));
}

}  // namespace
}  // namespace onepass
