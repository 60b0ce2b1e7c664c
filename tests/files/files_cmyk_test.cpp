// files_cmyk_test.cpp: CMYK pixels in JPEG and TIFF files, with and without an ICC profile.
#include <cstddef>
#include <cstdio>
// jpeglib.h needs FILE and size_t declared before it.
#include <gtest/gtest.h>
#include <jpeglib.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "tests/files/files_encoders.hpp"

namespace {

using namespace files_test;
using onepass::Format;
using onepass::files::Color;
using onepass::files::ImageFile;

// The four 8-bit inks of a 16x16 image of one colour; 0 is paper.
using Inks = std::array<int, 4>;

ImageFile read_ok(const Bytes& bytes, Color color = Color::kLinear) {
  auto file = onepass::files::read_memory(bytes, "ink", {.color = color});
  if (!file) throw std::runtime_error(file.error().text());
  return std::move(*file);
}

// Inks are stored inverted, as every program writes them. `adobe`: with Adobe's marker.
Bytes jpeg_of(Inks inks, bool adobe, bool ycck, const Bytes& profile = {}) {
  jpeg_compress_struct state{};
  jpeg_error_mgr errors{};
  state.err = jpeg_std_error(&errors);
  errors.error_exit = [](j_common_ptr) { throw std::runtime_error("libjpeg"); };
  jpeg_create_compress(&state);
  unsigned char* memory = nullptr;
  unsigned long size = 0;  // NOLINT: libjpeg's type
  jpeg_mem_dest(&state, &memory, &size);
  state.image_width = state.image_height = 16;
  state.input_components = 4;
  state.in_color_space = JCS_CMYK;
  jpeg_set_defaults(&state);
  if (ycck) jpeg_set_colorspace(&state, JCS_YCCK);
  jpeg_set_quality(&state, 100, TRUE);
  state.write_Adobe_marker = adobe ? TRUE : FALSE;
  jpeg_start_compress(&state, TRUE);
  if (!profile.empty()) {
    jpeg_write_icc_profile(&state, reinterpret_cast<const JOCTET*>(profile.data()),
                           static_cast<unsigned>(profile.size()));
  }
  std::vector<uint8_t> row;
  for (int x = 0; x < 16; ++x) {
    for (const int ink : inks) row.push_back(static_cast<uint8_t>(255 - ink));
  }
  JSAMPROW pointer = row.data();
  for (int y = 0; y < 16; ++y) jpeg_write_scanlines(&state, &pointer, 1);
  jpeg_finish_compress(&state);
  const auto* first = reinterpret_cast<const std::byte*>(memory);
  Bytes bytes(first, first + size);
  jpeg_destroy_compress(&state);
  std::free(memory);
  return bytes;
}

void expect_plain(const ImageFile& file, Inks inks, double tolerance) {
  for (uint32_t c = 0; c < 3; ++c) {
    const double expected = (255.0 - inks[c]) * (255.0 - inks[3]) / 255;
    EXPECT_NEAR(texel(file.base(), 5, 7, c) * 255, expected, tolerance) << "channel " << c;
  }
  EXPECT_EQ(texel(file.base(), 5, 7, 3), 1);
  EXPECT_EQ(file.alpha, onepass::AlphaAssociation::kNone);
  EXPECT_EQ(file.stored_channels, 4U);
  ASSERT_EQ(file.warnings.size(), 1U);
  EXPECT_NE(file.warnings[0].find("CMYK was turned into RGB"), std::string::npos);
}

constexpr std::array<Inks, 5> kInks = {
    {{0, 0, 0, 0}, {255, 0, 0, 0}, {10, 100, 200, 50}, {0, 255, 128, 100}, {0, 0, 0, 255}}};

TEST(FilesCmyk, JpegInksBecomeColours) {
  for (const Inks& inks : kInks) {
    for (const bool adobe : {false, true}) {
      expect_plain(read_ok(jpeg_of(inks, adobe, false)), inks, 2);
    }
    expect_plain(read_ok(jpeg_of(inks, true, true)), inks, 3);
  }
  EXPECT_EQ(read_ok(jpeg_of(kInks[0], true, false), Color::kAuto).base().format, Format::kRGBA8Srgb);
}

#ifdef ONEPASS_HAS_TIFF

TiffSpec tiff_of(Inks inks, uint16_t bits, const Bytes& profile = {}) {
  TiffSpec spec{.width = 16, .height = 16, .samples = 4, .bits = bits, .photometric = 5, .profile = profile};
  for (int i = 0; i < 256; ++i) {
    for (const int ink : inks) spec.values.push_back(bits == 8 ? ink : ink * 257);
  }
  return spec;
}

TEST(FilesCmyk, TiffInksBecomeColours) {
  for (const Inks& inks : kInks) {
    for (const uint16_t bits : Numbers{8, 16}) {
      for (const bool planes : {false, true}) {
        TiffSpec spec = tiff_of(inks, bits);
        spec.planes = planes;
        const ImageFile file = read_ok(make_tiff(spec));
        EXPECT_EQ(file.base().format, bits == 8 ? Format::kRGBA8Unorm : Format::kRGBA16Unorm);
        expect_plain(file, inks, bits == 8 ? 0.51 : 0.002);
      }
    }
  }
  // Colours computed from inks are sRGB-encoded.
  const ImageFile file = read_ok(make_tiff(tiff_of({0, 0, 0, 100}, 16)), Color::kAuto);
  EXPECT_EQ(file.base().format, Format::kRGBA32Sfloat);
  EXPECT_NEAR(texel(file.base(), 0, 0, 0), srgb_decode(155 / 255.0), 1e-4);
}

TEST(FilesCmyk, FurtherSamplesOfInksAreLeftOut) {
  TiffSpec spec = tiff_of({0, 0, 0, 0}, 8);
  spec.samples = 5;
  spec.extra = {2};
  spec.values.assign(5 * 256, 0);
  const ImageFile file = read_ok(make_tiff(spec));
  EXPECT_EQ(texel(file.base(), 0, 0, 3), 1);
  ASSERT_EQ(file.warnings.size(), 2U);
  EXPECT_NE(file.warnings[0].find("1 of 5 samples"), std::string::npos);
}

#endif

#ifdef ONEPASS_HAS_LCMS

// sRGB value, 0 to 255, of a neutral colour of this lightness. Black point compensation, a scaling of XYZ, maps
// `darkest` to 0.
double code_of_lightness(double lightness, double darkest) {
  const auto luminance = [](double l) { return l > 8 ? std::pow((l + 16) / 116, 3) : l / 903.3; };
  const double black = luminance(darkest);
  return 255 * srgb_encode((luminance(lightness) - black) / (1 - black));
}

void expect_neutral(const ImageFile& file, double expected, double tolerance) {
  for (uint32_t c = 0; c < 3; ++c) EXPECT_NEAR(texel(file.base(), 5, 7, c) * 255, expected, tolerance) << c;
  EXPECT_EQ(texel(file.base(), 5, 7, 3), 1);
  EXPECT_TRUE(file.warnings.empty());
}

TEST(FilesCmyk, ProfilesSayWhatInksLookLike) {
  for (const double darkest : {0.0, 20.0}) {
    const Bytes profile = make_ink_profile(darkest);
    for (const int black : {0, 64, 150, 255}) {
      const double expected = code_of_lightness(100 - (100 - darkest) * black / 255, darkest);
      // In this profile only black changes the colour. Near black one 8-bit step is a large step of lightness.
      const Inks inks = {200, 30, 90, black};
      expect_neutral(read_ok(jpeg_of(inks, true, false, profile)), expected, 4);
      expect_neutral(read_ok(jpeg_of(inks, false, false, profile)), expected, 4);
#ifdef ONEPASS_HAS_TIFF
      expect_neutral(read_ok(make_tiff(tiff_of(inks, 8, profile))), expected, 2);
      expect_neutral(read_ok(make_tiff(tiff_of(inks, 16, profile))), expected, 1);
#endif
    }
  }
}

TEST(FilesCmyk, DamagedProfilesAndOthersAreNotUsed) {
  Bytes cut = make_ink_profile(0);
  cut.resize(200);
  expect_plain(read_ok(jpeg_of(kInks[2], true, false, cut)), kInks[2], 2);
  Bytes other = make_ink_profile(0);
  std::memcpy(&other[16], "GRAY", 4);
  expect_plain(read_ok(jpeg_of(kInks[2], true, false, other)), kInks[2], 2);
  expect_plain(read_ok(jpeg_of(kInks[2], true, false, Bytes(500, std::byte{7}))), kInks[2], 2);
}

#endif

TEST(FilesCmyk, ProfilesWithAMissingPieceAreAWarning) {
  Bytes bytes = jpeg_of({0, 0, 0, 0}, true, false, Bytes(100000, std::byte{7}));  // two segments
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const size_t second = text.find("ICC_PROFILE", text.find("ICC_PROFILE") + 1);
  ASSERT_NE(second, std::string_view::npos);
  bytes[second] = std::byte{'X'};
  const ImageFile file = read_ok(bytes);
  ASSERT_EQ(file.warnings.size(), 2U);
  EXPECT_NE(file.warnings[0].find("ICC profile is not whole"), std::string::npos);
}

}  // namespace
