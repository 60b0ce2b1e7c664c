// files_color_test.cpp: colour and alpha metadata of files and its effect: PNG chunks, ICC profiles, KTX2 descriptors.
// Profiles are made by Little CMS, chunks by hand; expected light follows from the definitions.
#include <gtest/gtest.h>
#include <lcms2.h>
#include <png.h>
#include <zlib.h>

#include <cmath>
#include <cstring>

#include "tests/files/files_support.hpp"

namespace {

using namespace files_test;
using onepass::AlphaAssociation;
using onepass::Chromaticities;
using onepass::Format;
using onepass::Image;
using onepass::files::Color;
using onepass::files::ImageFile;
using onepass::files::ReadOptions;

ImageFile read_ok(const Bytes& bytes, const ReadOptions& options = {}) {
  auto file = onepass::files::read_memory(bytes, "test.png", options);
  if (!file) throw std::runtime_error(file.error().text());
  return std::move(*file);
}

ImageFile read_ok(const std::filesystem::path& path, const ReadOptions& options = {}) {
  auto file = onepass::files::read(path, options);
  if (!file) throw std::runtime_error(file.error().text());
  return std::move(*file);
}

// Inserts a chunk behind IHDR.
Bytes with_chunk(const Bytes& png, const char* name, const Bytes& contents) {
  Bytes chunk;
  const auto length = static_cast<uint32_t>(contents.size());
  for (const int shift : {24, 16, 8, 0}) chunk.push_back(static_cast<std::byte>(length >> shift));
  for (size_t i = 0; i < 4; ++i) chunk.push_back(static_cast<std::byte>(name[i]));
  chunk.insert(chunk.end(), contents.begin(), contents.end());
  chunk.resize(chunk.size() + 4);
  Bytes out = png;
  out.insert(out.begin() + 33, chunk.begin(), chunk.end());
  repair_png_checksums(out);
  return out;
}

Bytes icc_chunk(const Bytes& profile) {
  Bytes contents = bytes_of(std::string_view("profile\0\0", 9));
  const auto length = static_cast<uLong>(profile.size());
  uLongf size = compressBound(length);
  std::vector<Bytef> deflated(size);
  compress(deflated.data(), &size, reinterpret_cast<const Bytef*>(profile.data()), length);
  for (size_t i = 0; i < size; ++i) contents.push_back(static_cast<std::byte>(deflated[i]));
  return contents;
}

Bytes saved(cmsHPROFILE profile) {
  cmsUInt32Number size = 0;
  cmsSaveProfileToMem(profile, nullptr, &size);
  Bytes bytes(size);
  cmsSaveProfileToMem(profile, bytes.data(), &size);
  cmsCloseProfile(profile);
  return bytes;
}

Bytes rgb_profile(const Chromaticities& c, double gamma) {
  const cmsCIExyY white{c.white[0], c.white[1], 1};
  const cmsCIExyYTRIPLE primaries{{c.red[0], c.red[1], 1}, {c.green[0], c.green[1], 1}, {c.blue[0], c.blue[1], 1}};
  cmsToneCurve* curve = cmsBuildGamma(nullptr, gamma);
  cmsToneCurve* curves[3] = {curve, curve, curve};
  const cmsHPROFILE profile = cmsCreateRGBProfile(&white, &primaries, curves);
  cmsFreeToneCurve(curve);
  return saved(profile);
}

constexpr Chromaticities kAdobe{{0.64, 0.33}, {0.21, 0.71}, {0.15, 0.06}, {0.3127, 0.3290}};

Bytes colours(int bits = 8) {
  const uint32_t most = bits == 8 ? 255 : 65535;
  return make_png({.width = 4,
                   .height = 1,
                   .bits = bits,
                   .colour_type = PNG_COLOR_TYPE_RGB,
                   .samples = {0, 0, 0, most, most / 2, most / 4, most / 3, most, most / 5, most, most, most}});
}

double light(const ImageFile& file, uint32_t x, uint32_t c) {
  std::vector<float> row(size_t{4} * file.base().size.width);
  decode_row(file.base().format, file.base().row(0), file.base().size.width, row.data());
  return row[4 * x + c];
}

TEST(FilesColor, IccProfilesOfPrimariesAndCurvesAreApplied) {
  const Bytes tagged = with_chunk(colours(16), "iCCP", icc_chunk(rgb_profile(kAdobe, 2.2)));
  const ImageFile file = read_ok(tagged);
  EXPECT_TRUE(file.warnings.empty());
  EXPECT_TRUE(file.says_primaries);
  EXPECT_TRUE(onepass::same_chromaticities(file.primaries, kAdobe));
  EXPECT_NEAR(light(file, 1, 1), std::pow(32767.0 / 65535, 2.2), 1e-5);  // sRGB would give 0.2139
  EXPECT_NEAR(light(file, 2, 2), std::pow(0.2, 2.2), 1e-5);
  // Converted to BT.709: both have D65. Coefficients are Lindbloom's for Adobe RGB.
  const ImageFile narrow = read_ok(tagged, {.primaries = onepass::kRec709Chromaticities});
  const double r = 1, g = std::pow(32767.0 / 65535, 2.2);
  EXPECT_NEAR(light(narrow, 1, 0), 1.3984 * r - 0.3984 * g, 1e-3);
  EXPECT_NEAR(light(narrow, 1, 1), g, 1e-3);
  EXPECT_TRUE(narrow.primaries == onepass::kRec709Chromaticities);
}

TEST(FilesColor, EightBitCodesOfOtherCurvesBecomeSrgbCodes) {
  const ImageFile file = read_ok(with_chunk(colours(), "iCCP", icc_chunk(rgb_profile(kAdobe, 1.8))));
  ASSERT_EQ(file.base().format, Format::kRGBA8Srgb);
  const auto* codes = reinterpret_cast<const uint8_t*>(file.base().row(0));
  for (uint32_t x = 0; x < 4; ++x) {
    const int stored[4][3] = {{0, 0, 0}, {255, 127, 63}, {85, 255, 51}, {255, 255, 255}};
    for (uint32_t c = 0; c < 3; ++c) {
      const double exact = 255 * srgb_encode(std::pow(stored[x][c] / 255.0, 1.8));
      EXPECT_LE(std::fabs(codes[4 * x + c] - exact), 0.51) << x << "," << c;
    }
    EXPECT_EQ(codes[4 * x + 3], 255);
  }
}

TEST(FilesColor, ProfilesOfKnownSpacesAreRecognised) {
  const ImageFile srgb = read_ok(with_chunk(colours(), "iCCP", icc_chunk(saved(cmsCreate_sRGBProfile()))));
  EXPECT_TRUE(srgb.primaries == onepass::kRec709Chromaticities && srgb.says_primaries);
  const ImageFile plain = read_ok(colours());
  EXPECT_EQ(std::memcmp(srgb.base().data, plain.base().data, 16), 0);
  const ImageFile p3 =
      read_ok(with_chunk(colours(), "iCCP", icc_chunk(rgb_profile(onepass::kDisplayP3Chromaticities, 1))));
  EXPECT_TRUE(p3.primaries == onepass::kDisplayP3Chromaticities);
  EXPECT_EQ(p3.base().format, Format::kRGBA8Unorm) << "a curve of 1 is linear light";
}

TEST(FilesColor, ProfilesThatCannotBeUsedAreNamed) {
  const Bytes lab = saved(cmsCreateLab4Profile(nullptr));
  Bytes cut = rgb_profile(kAdobe, 2.2);
  cut.resize(cut.size() / 2);
  for (const Bytes& profile : {lab, cut, bytes_of("nonsense")}) {
    auto file = onepass::files::read_memory(with_chunk(colours(), "iCCP", icc_chunk(profile)), "x.png", {});
    ASSERT_TRUE(file);
    EXPECT_EQ(file->base().format, Format::kRGBA8Srgb);
    // libpng drops some invalid profiles itself; for those that it passes on, the warning names the ICC profile.
    for (const std::string& warning : file->warnings) EXPECT_NE(warning.find("ICC profile"), std::string::npos);
  }
}

TEST(FilesColor, GammaAndChromaticitiesOfPngCount) {
  const int gamma = 55556;  // 1 / 1.8
  const PngSpec spec{.width = 2,
                     .bits = 16,
                     .colour_type = PNG_COLOR_TYPE_RGB,
                     .samples = {65535, 32768, 16384, 0, 65535, 1},
                     .gamma = gamma};
  const ImageFile file = read_ok(make_png(spec));
  EXPECT_NEAR(light(file, 0, 1), std::pow(32768 / 65535.0, 1.8), 1e-5);
  EXPECT_FALSE(file.says_primaries);
  // Gamma 1/2.2 is treated as sRGB, because writers of sRGB files store it.
  PngSpec usual = spec;
  usual.gamma = 45455;
  EXPECT_NEAR(light(read_ok(make_png(usual)), 0, 1), srgb_decode(32768 / 65535.0), 1e-6);
  // cHRM: white, red, green, blue, in 1/100000.
  Bytes chrm;
  for (const uint32_t value : {31270U, 32900U, 68000U, 32000U, 26500U, 69000U, 15000U, 6000U}) {
    for (const int shift : {24, 16, 8, 0}) chrm.push_back(static_cast<std::byte>(value >> shift));
  }
  const ImageFile p3 = read_ok(with_chunk(make_png(spec), "cHRM", chrm));
  EXPECT_TRUE(p3.says_primaries);
  EXPECT_TRUE(p3.primaries == onepass::kDisplayP3Chromaticities);
}

TEST(FilesColor, CodePointsOutrankProfilesUnlessTheySayNothing) {
  const auto cicp = [](int primaries, int transfer) {
    return Bytes{std::byte(primaries), std::byte(transfer), std::byte{0}, std::byte{1}};
  };
  const Bytes profiled = with_chunk(colours(16), "iCCP", icc_chunk(rgb_profile(kAdobe, 2.6)));
  const ImageFile wide = read_ok(with_chunk(profiled, "cICP", cicp(9, 13)));
  EXPECT_TRUE(wide.primaries == onepass::kRec2020Chromaticities);
  EXPECT_NEAR(light(wide, 1, 1), srgb_decode(32767 / 65535.0), 1e-6);
  EXPECT_EQ(wide.transfer, 13U);
  const ImageFile unsaid = read_ok(with_chunk(profiled, "cICP", cicp(2, 2)));
  EXPECT_NEAR(light(unsaid, 1, 1), std::pow(32767 / 65535.0, 2.6), 1e-5);
  EXPECT_EQ(unsaid.transfer, 0U);
  const ImageFile video = read_ok(with_chunk(colours(), "cICP", cicp(200, 6)));
  ASSERT_EQ(video.warnings.size(), 2U);
  EXPECT_NE(video.warnings[0].find("200"), std::string::npos);
  EXPECT_NE(video.warnings[1].find("6"), std::string::npos);
}

TEST(FilesColor, OptionsOutrankTheFile) {
  const Bytes tagged = with_chunk(colours(16), "iCCP", icc_chunk(rgb_profile(kAdobe, 2.6)));
  EXPECT_NEAR(light(read_ok(tagged, {.color = Color::kSrgb}), 1, 1), srgb_decode(32767 / 65535.0), 1e-6);
  EXPECT_NEAR(light(read_ok(tagged, {.color = Color::kLinear}), 1, 1), 32767 / 65535.0, 1e-6);
  const ImageFile assumed = read_ok(tagged, {.assume_primaries = onepass::kRec2020Chromaticities});
  EXPECT_TRUE(assumed.primaries == onepass::kRec2020Chromaticities);
}

// A soft edge: one hue, alpha from 0 to 1.
Image soft_edge(Format format, AlphaAssociation alpha) {
  auto image = Image::create(format, {65, 3});
  std::vector<float> row(size_t{4} * 65);
  for (uint32_t y = 0; y < 3; ++y) {
    for (uint32_t x = 0; x < 65; ++x) {
      const float a = static_cast<float>(x) / 64;
      const float m = alpha == AlphaAssociation::kPremultiplied ? a : 1.0F;
      const float rgba[4] = {0.8F * m, 0.3F * m, 0.05F * m, a};
      std::copy(rgba, rgba + 4, &row[size_t{4} * x]);
    }
    encode_row(format, row.data(), 65, image->view().row(y));
  }
  return std::move(*image);
}

TEST(FilesColor, SoftEdgesGoThereAndBackThroughPngAndKtx2) {
  const TempDirectory directory;
  const Image edge = soft_edge(Format::kRGBA32Sfloat, AlphaAssociation::kPremultiplied);
  const onepass::ImageView view = edge.view();
  ASSERT_TRUE(onepass::files::write_exr(directory / "a.exr", std::span(&view, 1)));
  for (const std::string between : {"b.png", "b.ktx2"}) {
    const ImageFile first = read_ok(directory / "a.exr");
    // Channel A of EXR is alpha; the format defines colours as premultiplied.
    ASSERT_EQ(first.alpha, AlphaAssociation::kPremultiplied);
    const onepass::ImageView base = first.base();
    ASSERT_TRUE(
        onepass::files::write(directory / between, std::span(&base, 1), {.alpha = first.alpha, .png = {.bits = 16}}));
    const ImageFile second = read_ok(directory / between);
    EXPECT_EQ(second.alpha, AlphaAssociation::kStraight);
    EXPECT_NEAR(texel(second.base(), 5, 1, 0), 0.8, 1e-4) << between << ": straight where alpha is 5/64";
    const onepass::ImageView straight = second.base();
    ASSERT_TRUE(onepass::files::write(directory / "c.exr", std::span(&straight, 1), {.alpha = second.alpha}));
    const ImageFile third = read_ok(directory / "c.exr");
    for (uint32_t x = 0; x < 65; ++x) {
      for (uint32_t c = 0; c < 4; ++c) {
        ASSERT_NEAR(texel(third.base(), x, 1, c), texel(edge.view(), x, 1, c), 3e-5) << between << " " << x;
      }
    }
  }
}

TEST(FilesColor, Ktx2KeepsItsFlag) {
  const TempDirectory directory;
  const Image edge = soft_edge(Format::kRGBA16Sfloat, AlphaAssociation::kPremultiplied);
  const onepass::ImageView view = edge.view();
  const auto flag = [&](const std::string& name) { return std::to_integer<int>(load(directory / name)[104 + 15]); };
  ASSERT_TRUE(onepass::files::write_ktx2(
      directory / "kept.ktx2", std::span(&view, 1),
      {.alpha = AlphaAssociation::kPremultiplied, .stored_alpha = AlphaAssociation::kPremultiplied}));
  EXPECT_EQ(flag("kept.ktx2"), 1);
  const ImageFile kept = read_ok(directory / "kept.ktx2");
  EXPECT_EQ(kept.alpha, AlphaAssociation::kPremultiplied);
  EXPECT_EQ(std::memcmp(kept.base().data, view.data, edge.size_in_bytes()), 0);
  ASSERT_TRUE(onepass::files::write_ktx2(directory / "straight.ktx2", std::span(&view, 1),
                                         {.alpha = AlphaAssociation::kPremultiplied, .zstd_level = 1}));
  EXPECT_EQ(flag("straight.ktx2"), 0);
  EXPECT_NEAR(texel(read_ok(directory / "straight.ktx2").base(), 32, 0, 0), 0.8, 1e-3);
  EXPECT_NEAR(texel(read_ok(directory / "straight.ktx2", {.alpha = AlphaAssociation::kPremultiplied}).base(), 32, 0, 0),
              0.4, 1e-3);
  EXPECT_NEAR(texel(read_ok(directory / "straight.ktx2",
                            {.assume_alpha = AlphaAssociation::kPremultiplied, .alpha = AlphaAssociation::kStraight})
                        .base(),
                    32, 0, 0),
              1.6, 1e-2);
}

TEST(FilesColor, EightBitSrgbIsDividedInLight) {
  const TempDirectory directory;
  const Image edge = soft_edge(Format::kRGBA8Srgb, AlphaAssociation::kPremultiplied);
  ASSERT_TRUE(onepass::files::write_png(directory / "a.png", edge.view(), {.alpha = AlphaAssociation::kPremultiplied}));
  const ImageFile file = read_ok(directory / "a.png");
  const auto* codes = reinterpret_cast<const uint8_t*>(file.base().row(1));
  // At alpha 1/2 the stored value holds 0.4 of light, within half a step; divided by alpha that is 0.8.
  EXPECT_NEAR(codes[4 * 32], 255 * srgb_encode(0.8), 2);
  EXPECT_EQ(codes[4 * 32 + 3], 128);
}

TEST(FilesColor, TypesWithoutAlphaHoldThePictureOnBlack) {
  const TempDirectory directory;
  const Image edge = soft_edge(Format::kRGBA32Sfloat, AlphaAssociation::kStraight);
  const onepass::ImageView view = edge.view();
  for (const std::string name : {"a.pfm", "a.hdr"}) {
    ASSERT_TRUE(onepass::files::write(directory / name, std::span(&view, 1), {.alpha = AlphaAssociation::kStraight}));
    EXPECT_NEAR(texel(read_ok(directory / name).base(), 16, 1, 0), 0.2, 1e-3);
    ASSERT_TRUE(onepass::files::write(directory / name, std::span(&view, 1)));
    EXPECT_NEAR(texel(read_ok(directory / name).base(), 16, 1, 0), 0.8, 5e-3);
  }
}

TEST(FilesColor, PngTakesPrimariesOfRealColoursOnly) {
  const TempDirectory directory;
  const Image edge = soft_edge(Format::kRGBA32Sfloat, AlphaAssociation::kStraight);
  ASSERT_TRUE(onepass::files::write_png(directory / "a.png", edge.view(), {.primaries = kAdobe}));
  const ImageFile adobe = read_ok(directory / "a.png");
  EXPECT_TRUE(adobe.says_primaries && onepass::same_chromaticities(adobe.primaries, kAdobe));
  EXPECT_EQ(adobe.base().format, Format::kRGBA8Srgb) << "a gamma of 2.2 with sRGB codes";
  const auto refused =
      onepass::files::write_png(directory / "b.png", edge.view(), {.primaries = onepass::kAcesCgChromaticities});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("primaries"), std::string::npos);
}

TEST(FilesColor, DescriptorsNamePrimaries) {
  const TempDirectory directory;
  const Image edge = soft_edge(Format::kRGBA16Sfloat, AlphaAssociation::kStraight);
  const onepass::ImageView view = edge.view();
  const std::pair<uint8_t, Chromaticities> known[] = {{1, onepass::kRec709Chromaticities},
                                                      {9, onepass::kRec2020Chromaticities},
                                                      {12, onepass::kDisplayP3Chromaticities}};
  for (const auto& [code, primaries] : known) {
    ASSERT_TRUE(onepass::files::write_ktx2(directory / "p.ktx2", std::span(&view, 1), {.code_points = {code, 8}}));
    const ImageFile file = read_ok(directory / "p.ktx2");
    EXPECT_TRUE(file.says_primaries && file.primaries == primaries) << int{code};
  }
}

// Points on one line are no primaries; libpng refuses them, and more.
TEST(FilesColor, PngRefusesPrimariesThatAreNone) {
  const TempDirectory directory;
  auto image = Image::create(Format::kRGBA8Srgb, {4, 4});
  ASSERT_TRUE(image);
  for (const Chromaticities& none : {Chromaticities{{0.1, 0.1}, {0.2, 0.2}, {0.3, 0.3}, {0.31, 0.33}},
                                     Chromaticities{{0.3, 0.3}, {0.3, 0.3}, {0.3, 0.3}, {0.3, 0.3}}}) {
    const auto path = directory / "x.png";
    const auto done = onepass::files::write_png(path, image->view(), {.primaries = none});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, onepass::ErrorCode::kInvalidArgument) << done.error().text();
    EXPECT_NE(done.error().message.find("primaries"), std::string::npos) << done.error().text();
    EXPECT_FALSE(std::filesystem::exists(path));
  }
}

}  // namespace
