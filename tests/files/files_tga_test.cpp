// files_tga_test.cpp: TGA files made by hand after the specification, version 2.0.
#include <gtest/gtest.h>

#include "tests/files/files_encoders.hpp"

namespace {

using namespace files_test;
using onepass::AlphaAssociation;
using onepass::ErrorCode;
using onepass::Format;
using onepass::files::Color;
using onepass::files::ImageFile;
using onepass::files::Type;

using Codes = std::vector<int>;

ImageFile read_ok(const TgaSpec& spec, Color color = Color::kLinear) {
  auto file = onepass::files::read_memory(make_tga(spec), "test.tga", {.color = color});
  if (!file) throw std::runtime_error(file.error().text());
  EXPECT_EQ(file->type, Type::kTga);
  return std::move(*file);
}

onepass::Error error_of(const Bytes& bytes, const onepass::files::ReadOptions& options = {}) {
  const auto file = onepass::files::read_memory(bytes, "test.tga", options);
  return file ? onepass::Error{ErrorCode::kDevice, "no error", ""} : file.error();
}

// The 8-bit values of all texels, in order.
Codes codes_of(const ImageFile& file) {
  Codes codes;
  for (size_t i = 0; i < file.levels[0].size_in_bytes(); ++i) {
    codes.push_back(std::to_integer<int>(file.levels[0].data()[i]));
  }
  return codes;
}

TEST(FilesTga, ColourOf24And32Bits) {
  TgaSpec spec{.width = 2, .height = 1, .bits = 24, .pixels = {3, 2, 1, 6, 5, 4}};
  const ImageFile file = read_ok(spec);
  EXPECT_EQ(file.base().format, Format::kRGBA8Unorm);
  EXPECT_EQ(codes_of(file), (Codes{1, 2, 3, 255, 4, 5, 6, 255}));
  EXPECT_EQ(file.alpha, AlphaAssociation::kNone);
  EXPECT_EQ(file.stored_channels, 3U);
  EXPECT_EQ(file.stored_bits, 8U);
  EXPECT_EQ(read_ok(spec, Color::kAuto).base().format, Format::kRGBA8Srgb);
  spec = {.width = 2, .height = 1, .bits = 32, .descriptor = 0x28, .pixels = {3, 2, 1, 9, 6, 5, 4, 8}};
  const ImageFile alpha = read_ok(spec);
  EXPECT_EQ(codes_of(alpha), (Codes{1, 2, 3, 9, 4, 5, 6, 8}));
  EXPECT_EQ(alpha.alpha, AlphaAssociation::kStraight);
  EXPECT_EQ(alpha.stored_channels, 4U);
}

TEST(FilesTga, FiveBitsReachFromBlackToWhite) {
  // Red 31, green 16, blue 0; then the complement, with the attribute bit set.
  const std::vector<uint8_t> pixels = {0x00, 0x7E, 0xFF, 0x81};
  for (const uint16_t bits : Numbers{15, 16}) {
    const ImageFile file = read_ok({.width = 2, .height = 1, .bits = static_cast<uint8_t>(bits), .pixels = pixels});
    EXPECT_EQ(codes_of(file), (Codes{255, 132, 0, 255, 0, 123, 255, 255})) << bits;
    EXPECT_EQ(file.alpha, AlphaAssociation::kNone);
    EXPECT_EQ(file.stored_bits, 5U);
  }
  // The attribute bit is alpha only if the extension area says so.
  TgaSpec spec{.width = 2, .height = 1, .bits = 16, .descriptor = 0x21, .pixels = pixels};
  EXPECT_EQ(read_ok(spec).alpha, AlphaAssociation::kNone);
  spec.attributes = 3;
  const ImageFile file = read_ok(spec);
  EXPECT_EQ(file.alpha, AlphaAssociation::kStraight);
  EXPECT_EQ(codes_of(file), (Codes{255, 132, 0, 0, 0, 123, 255, 255}));
}

TEST(FilesTga, OriginsOfAllFourCorners) {
  // 1 2 3
  // 4 5 6 as displayed
  const std::array<std::vector<uint8_t>, 4> stored = {{{4, 5, 6, 1, 2, 3},    // origin at the bottom left
                                                       {6, 5, 4, 3, 2, 1},    // origin at the bottom right
                                                       {1, 2, 3, 4, 5, 6},    // origin at the top left
                                                       {3, 2, 1, 6, 5, 4}}};  // origin at the top right
  for (uint8_t origin = 0; origin < 4; ++origin) {
    TgaSpec spec{.type = 3, .width = 3, .height = 2, .bits = 8, .pixels = stored[origin]};
    spec.descriptor = static_cast<uint8_t>(origin << 4);
    EXPECT_EQ(codes_of(read_ok(spec)), (Codes{1, 2, 3, 4, 5, 6})) << int{origin};
  }
}

TEST(FilesTga, GreyWithAndWithoutAlpha) {
  const ImageFile grey = read_ok({.type = 3, .width = 2, .height = 1, .bits = 8, .pixels = {7, 9}});
  EXPECT_EQ(grey.base().format, Format::kR8Unorm);
  EXPECT_EQ(grey.stored_channels, 1U);
  const ImageFile encoded = read_ok({.type = 3, .width = 1, .height = 1, .bits = 8, .pixels = {100}}, Color::kAuto);
  EXPECT_NEAR(texel(encoded.base(), 0, 0, 0), srgb_decode(100 / 255.0), 1e-12);
  TgaSpec spec{.type = 3, .width = 2, .height = 1, .bits = 16, .descriptor = 0x28, .pixels = {7, 200, 9, 100}};
  const ImageFile alpha = read_ok(spec);
  EXPECT_EQ(codes_of(alpha), (Codes{7, 7, 7, 200, 9, 9, 9, 100}));
  EXPECT_EQ(alpha.alpha, AlphaAssociation::kStraight);
  EXPECT_EQ(alpha.stored_channels, 2U);
  spec.descriptor = 0x20;
  EXPECT_EQ(codes_of(read_ok(spec)), (Codes{7, 9}));
}

TEST(FilesTga, PalettesOfEveryDepth) {
  struct Case {
    uint8_t bits;
    std::vector<uint8_t> palette;
    Codes first, second;
  };
  for (const Case& c : {Case{8, {40, 200}, {40, 40, 40, 255}, {200, 200, 200, 255}},
                        {15, {0x00, 0x7C, 0x1F, 0x00}, {255, 0, 0, 255}, {0, 0, 255, 255}},
                        {16, {0x00, 0x7C, 0x1F, 0x00}, {255, 0, 0, 255}, {0, 0, 255, 255}},
                        {24, {3, 2, 1, 6, 5, 4}, {1, 2, 3, 255}, {4, 5, 6, 255}},
                        {32, {3, 2, 1, 9, 6, 5, 4, 8}, {1, 2, 3, 255}, {4, 5, 6, 255}}}) {
    TgaSpec spec{.type = 1, .width = 3, .height = 1, .bits = 8, .palette_bits = c.bits, .palette = c.palette};
    spec.identification = "a picture";
    spec.pixels = {1, 0, 1};
    Codes expected = c.second;
    expected.insert(expected.end(), c.first.begin(), c.first.end());
    expected.insert(expected.end(), c.second.begin(), c.second.end());
    EXPECT_EQ(codes_of(read_ok(spec)), expected) << int{c.bits};
    // Palette that starts at index 300, with 2-byte indices.
    spec.palette_first = 300;
    spec.bits = 16;
    spec.pixels = {45, 1, 44, 1, 45, 1};
    EXPECT_EQ(codes_of(read_ok(spec)), expected) << int{c.bits};
  }
  TgaSpec spec{.type = 1, .width = 1, .height = 1, .bits = 8, .descriptor = 0x28, .palette_bits = 32};
  spec.palette = {3, 2, 1, 9};
  spec.pixels = {0};
  EXPECT_EQ(read_ok(spec).alpha, AlphaAssociation::kStraight);
  EXPECT_EQ(codes_of(read_ok(spec)), (Codes{1, 2, 3, 9}));
}

TEST(FilesTga, RunsAlsoOverTheEndOfRows) {
  TgaSpec spec{.type = 11, .width = 3, .height = 2, .bits = 8};
  spec.pixels = {0x80 + 3, 5, 1, 8, 9};  // four times 5, then 8 and 9
  EXPECT_EQ(codes_of(read_ok(spec)), (Codes{5, 5, 5, 5, 8, 9}));
  spec.pixels = {0x80 + 127, 5};  // more pixels than the image has
  EXPECT_EQ(codes_of(read_ok(spec)), (Codes{5, 5, 5, 5, 5, 5}));
  spec = {.type = 10, .width = 2, .height = 2, .bits = 24, .pixels = {0x80 + 2, 3, 2, 1, 0, 6, 5, 4}};
  EXPECT_EQ(codes_of(read_ok(spec)), (Codes{1, 2, 3, 255, 1, 2, 3, 255, 1, 2, 3, 255, 4, 5, 6, 255}));
  spec = {.type = 9, .width = 2, .height = 1, .bits = 8, .palette_bits = 24, .palette = {3, 2, 1}, .pixels = {0x81, 0}};
  EXPECT_EQ(codes_of(read_ok(spec)), (Codes{1, 2, 3, 255, 1, 2, 3, 255}));
}

TEST(FilesTga, TheExtensionAreaSaysWhatAlphaIs) {
  using enum AlphaAssociation;
  TgaSpec spec{.width = 1, .height = 1, .bits = 32, .descriptor = 0x28, .pixels = {3, 2, 1, 77}};
  const std::array<AlphaAssociation, 5> expected = {kNone, kNone, kNone, kStraight, kPremultiplied};
  for (uint8_t type = 0; type < 5; ++type) {
    spec.attributes = type;
    const ImageFile file = read_ok(spec);
    EXPECT_EQ(file.alpha, expected[type]) << int{type};
    EXPECT_EQ(codes_of(file)[3], type >= 3 ? 77 : 255) << int{type};
    EXPECT_EQ(file.stored_channels, type >= 3 ? 4U : 3U);
  }
  // The same without attribute bits in the descriptor; a footer without an extension area has no effect.
  spec.descriptor = 0x20;
  EXPECT_EQ(read_ok(spec).alpha, kPremultiplied);
  spec.attributes.reset();
  spec.footer = true;
  EXPECT_EQ(read_ok(spec).alpha, kNone);
}

TEST(FilesTga, AlphaOfZeroEverywhereIsOpaqueUnlessDeclared) {
  TgaSpec spec{.width = 2, .height = 1, .bits = 32, .descriptor = 0x28, .pixels = {3, 2, 1, 0, 6, 5, 4, 0}};
  const ImageFile file = read_ok(spec);
  EXPECT_EQ(file.alpha, AlphaAssociation::kNone);
  EXPECT_EQ(codes_of(file), (Codes{1, 2, 3, 255, 4, 5, 6, 255}));
  ASSERT_EQ(file.warnings.size(), 1U);
  EXPECT_NE(file.warnings[0].find("alpha is 0 everywhere"), std::string::npos);
  spec.pixels[7] = 1;
  EXPECT_EQ(codes_of(read_ok(spec)), (Codes{1, 2, 3, 0, 4, 5, 6, 1}));
  spec.pixels[7] = 0;
  spec.attributes = 3;
  EXPECT_EQ(codes_of(read_ok(spec)), (Codes{1, 2, 3, 0, 4, 5, 6, 0}));
  EXPECT_TRUE(read_ok(spec).warnings.empty());
}

TEST(FilesTga, ExtensionAreasOutsideTheFileAreWarnings) {
  const Bytes good = make_tga({.width = 1, .height = 1, .bits = 32, .pixels = {1, 2, 3, 4}, .attributes = 3});
  const size_t footer = good.size() - 26;
  for (const uint32_t offset : {uint32_t{1}, get32(good, footer) + 1, uint32_t{0xffffffff}}) {
    Bytes bytes = good;
    set32(bytes, footer, offset);
    const auto file = onepass::files::read_memory(bytes, "x.tga", {.color = Color::kLinear});
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_EQ(file->alpha, AlphaAssociation::kNone) << "eight attribute bits would be alpha, the header has none";
    ASSERT_EQ(file->warnings.size(), 1U);
    EXPECT_NE(file->warnings[0].find("at offset " + std::to_string(offset)), std::string::npos);
  }
}

TEST(FilesTga, GammaIsAWarning) {
  TgaSpec spec{.width = 1, .height = 1, .pixels = {1, 2, 3}, .attributes = 0, .gamma = {18, 10}};
  const ImageFile file = read_ok(spec, Color::kAuto);
  ASSERT_EQ(file.warnings.size(), 1U);
  EXPECT_NE(file.warnings[0].find("1.8"), std::string::npos);
}

TEST(FilesTga, KnownByFooterOrByNameAndHeader) {
  const TempDirectory directory;
  TgaSpec spec{.width = 2, .height = 2, .bits = 24, .pixels = std::vector<uint8_t>(12, 50)};
  const Bytes bare = make_tga(spec);
  EXPECT_EQ(onepass::files::type_of_content(bare), Type::kUnknown);
  save(directory / "x.tga", bare);
  save(directory / "x.dat", bare);
  EXPECT_TRUE(onepass::files::read(directory / "x.tga"));
  const auto unknown = onepass::files::read(directory / "x.dat");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kBadData);
  spec.footer = true;
  const Bytes footed = make_tga(spec);
  EXPECT_EQ(onepass::files::type_of_content(footed), Type::kTga);
  save(directory / "y.dat", footed);
  const auto file = onepass::files::read(directory / "y.dat");
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file->type, Type::kTga);
  // The extension alone is not sufficient, and a signature takes precedence over the extension.
  save(directory / "text.tga", bytes_of("This is a text of some length, not a picture."));
  EXPECT_NE(onepass::files::read(directory / "text.tga").error().message.find("is not a PNG"), std::string::npos);
  save(directory / "empty.tga", {});
  EXPECT_NE(onepass::files::read(directory / "empty.tga").error().message.find("empty"), std::string::npos);
  save(directory / "png.tga", make_png({.samples = {7}}));
  EXPECT_EQ(onepass::files::read(directory / "png.tga")->type, Type::kPng);
  EXPECT_EQ(onepass::files::type_of_extension("a.TGA"), Type::kTga);
}

TEST(FilesTga, WhatIsRefusedIsNamed) {
  const TgaSpec good{.width = 2, .height = 2, .bits = 24, .pixels = std::vector<uint8_t>(12), .footer = true};
  const auto with = [&](size_t at, uint8_t value) {
    Bytes bytes = make_tga(good);
    bytes[at] = static_cast<std::byte>(value);
    return error_of(bytes);
  };
  for (const auto& [at, value, says] : {std::tuple{1, 7, "colour map type is 7"},
                                        {2, 0, "image type is 0"},
                                        {2, 33, "image type is 33"},
                                        {12, 0, "the size is 0x2"},
                                        {14, 0, "the size is 2x0"},
                                        {16, 12, "pixel depth is 12"},
                                        {17, 0x40, "interleaving is 1"},
                                        {2, 1, "colour map type is 0"},
                                        {2, 3, "pixel depth is 24"}}) {
    const auto error = with(static_cast<size_t>(at), static_cast<uint8_t>(value));
    EXPECT_NE(error.message.find(says), std::string::npos) << error.text();
    EXPECT_EQ(error.code, at == 12 || at == 14 ? ErrorCode::kBadData : ErrorCode::kUnsupported);
  }
  // More pixels than bytes, an index outside the palette, runs that end too soon.
  EXPECT_NE(with(13, 0xFF).message.find("65282x2"), std::string::npos);
  TgaSpec spec{.type = 1, .width = 1, .height = 1, .bits = 8, .palette_bits = 24, .palette = {1, 2, 3}, .pixels = {1}};
  EXPECT_NE(error_of(make_tga(spec)).message.find("index 1"), std::string::npos) << error_of(make_tga(spec)).text();
  spec.palette_first = 5;
  EXPECT_NE(error_of(make_tga(spec)).message.find("5 to 5"), std::string::npos);
  spec = {.type = 11, .width = 4, .height = 2, .bits = 8, .pixels = {0x83, 5, 2, 8}};
  EXPECT_NE(error_of(make_tga(spec)).message.find("4 of 8 pixels"), std::string::npos)
      << error_of(make_tga(spec)).text();
  const auto memory = error_of(make_tga(good), {.max_bytes = 15});
  EXPECT_EQ(memory.code, ErrorCode::kOutOfMemory);
}

}  // namespace
