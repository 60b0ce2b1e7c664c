// files_pnm_test.cpp: files of Netpbm written by hand after pbm(5), pgm(5), ppm(5) and pam(5).
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/files/files_support.hpp"

namespace {

using namespace files_test;
using onepass::AlphaAssociation;
using onepass::ErrorCode;
using onepass::Format;
using onepass::Image;
using onepass::files::Color;
using onepass::files::ImageFile;
using onepass::files::Type;

using Codes = std::vector<int>;

onepass::Result<ImageFile> read(const std::string& text, Color color = Color::kLinear) {
  return onepass::files::read_memory(bytes_of(text), "test.pnm", {.color = color});
}

ImageFile read_ok(const std::string& text, Color color = Color::kLinear) {
  auto file = read(text, color);
  if (!file) throw std::runtime_error(file.error().text());
  EXPECT_EQ(file->type, Type::kPnm);
  return std::move(*file);
}

std::string message(const std::string& text) {
  const auto file = read(text);
  return file ? "no error" : file.error().message;
}

// All values of an image of 8- or 16-bit channels, in order.
Codes codes_of(const Image& image) {
  Codes codes;
  const auto& info = onepass::format_info(image.format());
  const size_t bytes = info.bytes_per_texel / info.channels;
  for (size_t i = 0; i < image.size_in_bytes(); i += bytes) {
    int code = std::to_integer<int>(image.data()[i]);
    if (bytes == 2) code |= std::to_integer<int>(image.data()[i + 1]) << 8;
    codes.push_back(code);
  }
  return codes;
}
Codes codes_of(const ImageFile& file) { return codes_of(file.levels[0]); }

std::string raw(std::initializer_list<int> bytes) {
  std::string out;
  for (const int byte : bytes) out += static_cast<char>(byte);
  return out;
}

TEST(FilesPnm, BitsOneIsBlack) {
  const Codes expected = {0, 255, 0, 255, 255, 0, 0, 0, 0, 255, 255, 0, 255, 0, 255, 255, 255, 255};
  // Nine columns: a row of two bytes, of which the last has one bit.
  const ImageFile binary = read_ok("P4\n9 2\n" + raw({0xa7, 0x80 ^ 0x80, 0x94, 0x00}));
  EXPECT_EQ(binary.base().format, Format::kR8Unorm);
  EXPECT_EQ(binary.stored_bits, 1U);
  EXPECT_EQ(codes_of(binary), (Codes{0, 255, 0, 255, 255, 0, 0, 0, 255, 0, 255, 255, 0, 255, 0, 255, 255, 255}));
  // As text, white space is not needed, and comments may stand anywhere.
  const ImageFile text = read_ok("P1#first\n# second\n9 #width\n2\n1 0 1 0011#bits\n11 0 0 1 0 1 0000");
  EXPECT_EQ(codes_of(text), expected);
  EXPECT_EQ(read_ok("P1 1 1 1", Color::kAuto).base().format, Format::kR8Srgb);
}

TEST(FilesPnm, GreyAndColourAsTextAndBytes) {
  EXPECT_EQ(codes_of(read_ok("P2\n# c\n3 1\n255\n0 \t7\r\n255")), (Codes{0, 7, 255}));
  EXPECT_EQ(codes_of(read_ok("P5 3 1 255\n" + raw({0, 7, 255}))), (Codes{0, 7, 255}));
  EXPECT_EQ(codes_of(read_ok("P3 1 2 255 1 2 3 4 5 6\n")), (Codes{1, 2, 3, 255, 4, 5, 6, 255}));
  const ImageFile colour = read_ok("P6 1 2 255\n" + raw({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(codes_of(colour), (Codes{1, 2, 3, 255, 4, 5, 6, 255}));
  EXPECT_EQ(colour.alpha, AlphaAssociation::kNone);
  EXPECT_EQ(colour.stored_channels, 3U);
  EXPECT_EQ(colour.stored_bits, 8U);
  EXPECT_TRUE(colour.warnings.empty());
  // The character after maxval ends the header, even if it ends a comment; the pixel "#" is no comment.
  EXPECT_EQ(codes_of(read_ok("P5 2 1 255#comment\n#7")), (Codes{'#', '7'}));
  EXPECT_EQ(codes_of(read_ok("P5 2 1 255\n#\n")), (Codes{'#', '\n'}));
}

TEST(FilesPnm, EveryMaxvalIsScaledExactly) {
  for (uint32_t most = 1; most <= 65535; most = most < 300 ? most + 1 : most * 2 + 11) {
    const uint32_t full = most > 255 ? 65535 : 255;
    std::string pixels;
    Codes expected;
    const uint32_t step = std::max(1U, most / 200);
    uint32_t count = 0;
    for (uint32_t value = 0; value <= most; value += step, ++count) {
      if (most > 255) pixels += static_cast<char>(value >> 8);
      pixels += static_cast<char>(value & 255);
      expected.push_back(static_cast<int>(std::floor(static_cast<double>(value) * full / most + 0.5)));
    }
    const ImageFile file = read_ok("P5 " + std::to_string(count) + " 1 " + std::to_string(most) + "\n" + pixels);
    ASSERT_EQ(file.base().format, most > 255 ? Format::kR16Unorm : Format::kR8Unorm) << most;
    ASSERT_EQ(codes_of(file), expected) << most;
    ASSERT_EQ(file.stored_bits, most > 255 ? 16U : 8U);
  }
}

TEST(FilesPnm, SixteenBitsAreBigEndianAndSrgb) {
  const std::string text = "P6 1 1 65535\n" + raw({0x12, 0x34, 0, 0, 0xff, 0xff});
  EXPECT_EQ(codes_of(read_ok(text)), (Codes{0x1234, 0, 0xffff, 0xffff}));
  const ImageFile light = read_ok(text, Color::kAuto);
  ASSERT_EQ(light.base().format, Format::kRGBA32Sfloat);
  EXPECT_NEAR(texel(light.base(), 0, 0, 0), srgb_decode(0x1234 / 65535.0), 1e-8);
  EXPECT_EQ(texel(light.base(), 0, 0, 2), 1);
  EXPECT_EQ(texel(light.base(), 0, 0, 3), 1);
}

std::string pam(int depth, int most, const std::string& type, const std::string& pixels) {
  return "P7\n# a comment\nHEIGHT 1\nWIDTH 1\nDEPTH " + std::to_string(depth) + "\nMAXVAL " + std::to_string(most) +
         "\n" + (type.empty() ? "" : "TUPLTYPE " + type + "\n") + "ENDHDR\n" + pixels;
}

TEST(FilesPnm, PamTuplesWithAndWithoutAlpha) {
  using enum AlphaAssociation;
  struct Case {
    const char* type;
    int depth, most;
    std::string pixels;
    Codes expected;
    AlphaAssociation alpha;
  };
  for (const Case& c : {Case{"BLACKANDWHITE", 1, 1, raw({1}), {255}, kNone},  // here 1 is white
                        {"GRAYSCALE", 1, 15, raw({3}), {51}, kNone},
                        {"RGB", 3, 255, raw({1, 2, 3}), {1, 2, 3, 255}, kNone},
                        {"BLACKANDWHITE_ALPHA", 2, 1, raw({0, 1}), {0, 0, 0, 255}, kStraight},
                        {"GRAYSCALE_ALPHA", 2, 255, raw({9, 4}), {9, 9, 9, 4}, kStraight},
                        {"RGB_ALPHA", 4, 255, raw({1, 2, 3, 4}), {1, 2, 3, 4}, kStraight},
                        {"RGB_ALPHA", 4, 65535, raw({0, 1, 0, 2, 0, 3, 1, 4}), {1, 2, 3, 260}, kStraight},
                        {"", 1, 255, raw({8}), {8}, kNone},
                        {"", 2, 255, raw({8, 7}), {8, 8, 8, 7}, kStraight},
                        {"", 4, 255, raw({8, 7, 6, 5}), {8, 7, 6, 5}, kStraight}}) {
    const ImageFile file = read_ok(pam(c.depth, c.most, c.type, c.pixels));
    EXPECT_EQ(codes_of(file), c.expected) << c.type;
    EXPECT_EQ(file.alpha, c.alpha) << c.type;
    EXPECT_EQ(file.stored_channels, static_cast<uint32_t>(c.depth));
  }
}

TEST(FilesPnm, WhatIsRefusedIsNamed) {
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {"P5 0 1 255\n", "the size is 0x1"},
           {"P5 65536 1 255\n", "more than 65535"},
           {"P5 x 1 255\n", "the width is \"x\""},
           {"P5 -3 1 255\n", "the width is \"-3\""},
           {"P5 3\x1b[2J 1 255\n", "the width is \"3\\x1b[2J\""},
           {"P5 3", "truncated before the height"},
           {"P5 1 1 0\n", "maxval is 0, not 1 to 65535"},
           {"P5 1 1 65536\n12", "maxval is 65536"},
           {"P5 1 1 99999999999\n12", "the maxval is \"99999999999\""},
           {"P5 2 2 255\nabc", "truncated: 2x2 pixels take at least 4 bytes, 3 are there"},
           {"P6 65535 65535 255\nabc", "truncated: 65535x65535"},
           {"P2 2 1 9 1", "truncated"},
           {"P2 2 1 9 1 \n\n\n", "truncated before the value"},
           {"P2 2 1 9 1 10", "a value in row 0 is 10, above the maxval 9"},
           {"P5 2 1 9\n" + raw({1, 10}), "a value in row 0 is 10, above the maxval 9"},
           {"P2 2 1 9 1 z2", "the value of a pixel is \"z2\""},
           {"P1 2 1 12", "a bit is \"2\""},
           {"P7\nWIDTH 1\n", "has no ENDHDR"},
           {"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nENDHDR\nx", "lacks one of WIDTH"},
           {"P7\nWIDTH a\nENDHDR\n", "WIDTH is \"a\""},
           {"P7\nCOLOUR 1\nENDHDR\n", "the line \"COLOUR 1\""},
           {pam(1, 255, "RGB", "x"), "DEPTH is 1, but TUPLTYPE RGB has 3 samples"},
           {pam(4, 255, "CMYK", "xxxx"), "TUPLTYPE is \"CMYK\""},
           {pam(5, 255, "", "xxxxx"), "DEPTH is 5, not 1 to 4"},
           {pam(0, 255, "", ""), "DEPTH is 0"}}) {
    EXPECT_NE(message(text).find(says), std::string::npos) << text << "\n" << message(text);
  }
  // Another format with a similar signature.
  EXPECT_EQ(onepass::files::type_of_content(bytes_of("P7 332\n#END_OF_COMMENTS\n")), Type::kUnknown);
  EXPECT_EQ(onepass::files::type_of_content(bytes_of("P8\n1 1\n")), Type::kUnknown);
  EXPECT_EQ(onepass::files::type_of_content(bytes_of("P5#")), Type::kPnm);
  EXPECT_EQ(onepass::files::type_of_extension("a.PAM"), Type::kPnm);
}

TEST(FilesPnm, EveryTruncationIsAnError) {
  for (const std::string& good : {"P5 3 2 300\n" + std::string(12, '\0'), pam(4, 255, "RGB_ALPHA", "abcd"),
                                  std::string("P4\n9 2\nabcd"), std::string("P6 1 1 255 abc")}) {
    ASSERT_TRUE(read(good)) << message(good);
    for (size_t length = 0; length < good.size(); ++length) EXPECT_FALSE(read(good.substr(0, length))) << length;
  }
}

TEST(FilesPnm, FurtherImagesAreAWarning) {
  const ImageFile file = read_ok("P5 1 1 255\nxP5 1 1 255\ny");
  EXPECT_EQ(codes_of(file), (Codes{'x'}));
  ASSERT_EQ(file.warnings.size(), 1U);
  EXPECT_NE(file.warnings[0].find("only the first"), std::string::npos);
  EXPECT_TRUE(read_ok("P5 1 1 255\nx\n").warnings.empty());
}

// Writing -------------------------------------------------------------------------------------------------------------

std::string written(const Image& image, const std::string& name, const onepass::files::PnmOptions& options = {}) {
  const TempDirectory directory;
  const auto done = onepass::files::write_pnm(directory / name, image.view(), options);
  if (!done) return "error: " + done.error().message;
  const Bytes bytes = load(directory / name);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Image image_of(Format format, std::initializer_list<int> bytes) {
  auto image = Image::create(format, {1, 1});
  size_t i = 0;
  for (const int byte : bytes) image->data()[i++] = static_cast<std::byte>(byte);
  return std::move(*image);
}

TEST(FilesPnm, WritesWhatTheExtensionSays) {
  const Image grey = image_of(Format::kR8Srgb, {7});
  EXPECT_EQ(written(grey, "x.pgm"), "P5\n1 1\n255\n\7");
  EXPECT_EQ(written(grey, "x.PNM"), "P5\n1 1\n255\n\7");
  EXPECT_EQ(written(grey, "x.ppm"), "P6\n1 1\n255\n\7\7\7");
  EXPECT_EQ(written(grey, "x.pam"), "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nTUPLTYPE GRAYSCALE\nENDHDR\n\7");
  const Image colour = image_of(Format::kRGBA8Unorm, {1, 2, 3, 4});
  EXPECT_EQ(written(colour, "x.ppm"), "P6\n1 1\n255\n\1\2\3");
  EXPECT_EQ(written(colour, "x.pam"),
            "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n\1\2\3\4");
  const Image wide = image_of(Format::kR16Unorm, {0x34, 0x12});
  EXPECT_EQ(written(wide, "x.pgm"), "P5\n1 1\n65535\n\x12\x34");
  EXPECT_EQ(written(wide, "x.pgm", {.bits = 8}), "P5\n1 1\n255\n\x12");
  EXPECT_NE(written(colour, "x.pgm").find("write .ppm or .pam"), std::string::npos);
  EXPECT_NE(written(grey, "x.pbm").find("PBM"), std::string::npos);
  EXPECT_NE(written(grey, "x.pgm", {.bits = 12}).find("bits is 12"), std::string::npos);
}

TEST(FilesPnm, FloatsAreEncodedAndAlphaIsApplied) {
  auto half = Image::create(Format::kRGBA32Sfloat, {1, 1});
  const std::array<float, 4> texel = {0.25F, 0.5F, 2.0F, 0.5F};
  onepass::encode_row(Format::kRGBA32Sfloat, texel.data(), 1, half->data());
  const auto code = [](double light) {
    return static_cast<char>(std::lround(255 * srgb_encode(std::min(light, 1.0))));
  };
  const auto linear = [](double light) { return static_cast<char>(std::lround(255 * std::min(light, 1.0))); };
  const auto tail = [](const std::string& file, size_t count) { return file.substr(file.size() - count); };
  EXPECT_EQ(tail(written(*half, "x.ppm"), 3), (std::string{code(0.25), code(0.5), code(2)}));
  EXPECT_EQ(tail(written(*half, "x.ppm", {.color = Color::kLinear}), 3),
            (std::string{linear(0.25), linear(0.5), linear(2)}));
  EXPECT_EQ(tail(written(*half, "x.ppm", {.alpha = AlphaAssociation::kStraight}), 3),
            (std::string{code(0.125), code(0.25), code(1)}));
  EXPECT_EQ(tail(written(*half, "x.pam", {.alpha = AlphaAssociation::kPremultiplied}), 4),
            (std::string{code(0.5), code(1), code(4), linear(0.5)}));
  const std::string wide = tail(written(*half, "x.ppm", {.bits = 16}), 6);
  const auto expected = static_cast<int>(std::lround(65535 * srgb_encode(0.25)));
  EXPECT_NEAR((static_cast<uint8_t>(wide[0]) << 8) | static_cast<uint8_t>(wide[1]), expected, 1);
}

TEST(FilesPnm, SixteenBitGreyIsLinear) {
  EXPECT_EQ(read_ok("P5 1 1 65535\n" + raw({0x12, 0x34}), Color::kAuto).base().format, Format::kR16Unorm);
  auto image = Image::create(Format::kR32Sfloat, {1, 1});
  const float value = 0.25F;
  std::memcpy(image->data(), &value, sizeof value);
  const std::string file = written(*image, "x.pgm", {.bits = 16});
  EXPECT_EQ(file.substr(file.size() - 2), std::string("\x40\x00", 2));
}

TEST(FilesPnm, WrittenFilesAreReadUnchanged) {
  const TempDirectory directory;
  for (const Format format : {Format::kR8Unorm, Format::kRGBA8Unorm, Format::kR16Unorm, Format::kRGBA16Unorm}) {
    const Image image = random_image(format, {17, 5}, 1, 3);
    ASSERT_TRUE(onepass::files::write(directory / "x.pam", std::array{image.view()}));
    const auto file = onepass::files::read(directory / "x.pam", {.color = Color::kLinear});
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_EQ(file->base().format, format);
    EXPECT_EQ(codes_of(*file), codes_of(image));
  }
}

}  // namespace
