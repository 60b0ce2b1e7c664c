// image_test.cpp: formats, images, and exact rounding of decode_row() and encode_row(). Oracles: the definitions, in
// double.
#include "onepass/image.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "onepass/files.hpp"
#include "onepass/fourier_convolution.hpp"
#include "onepass/luminance.hpp"
#include "onepass/pyramid.hpp"
#include "onepass/tone_map.hpp"
#include "onepass/words.hpp"

namespace onepass {
namespace {

double srgb_to_linear(double encoded) {
  return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}

double linear_to_srgb(double linear) {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

template <typename Stored>
std::array<float, 4> decode(Format format, Stored texel) {
  std::array<float, 4> rgba{};
  decode_row(format, &texel, 1, rgba.data());
  return rgba;
}

template <typename Stored>
Stored encode(Format format, std::array<float, 4> rgba) {
  Stored texel{};
  encode_row(format, rgba.data(), 1, &texel);
  return texel;
}

/// The value of half bits, from the definition.
double half_value(uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31U);
  const double mantissa = bits & 1023U;
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25));
}

/// The bits of the channels of a Vulkan format, lowest first, from its name: letters and numbers, packed words from the
/// highest bits down, up to the type; x and s (stencil) are no channels.
std::array<uint8_t, 4> bits_of(std::string_view name) {
  std::vector<std::pair<char, uint8_t>> found;
  for (size_t at = 0; at + 1 < name.size() && std::isdigit(name[at + 1]) != 0;) {
    const char letter = name[at++];
    uint32_t number = 0;
    for (; at < name.size() && std::isdigit(name[at]) != 0; ++at)
      number = 10 * number + static_cast<uint32_t>(name[at] - '0');
    if (letter != 'x') found.emplace_back(letter, static_cast<uint8_t>(number));
    if (at < name.size() && name[at] == '_' && letter == 'x') ++at;
  }
  if (name.find("pack") != std::string_view::npos) std::reverse(found.begin(), found.end());
  std::array<uint8_t, 4> bits{};
  for (size_t i = 0; i < found.size(); ++i) bits[i] = found[i].second;
  return bits;
}

TEST(Format, TableIsConsistent) {
  std::set<std::string_view> names;
  Format previous = Format::kUndefined;
  for (const FormatInfo& info : all_formats()) {
    EXPECT_LT(static_cast<uint32_t>(previous), static_cast<uint32_t>(info.format));
    previous = info.format;
    names.insert(info.name);
    EXPECT_EQ(&format_info(info.format), &format_info(info.format));
    EXPECT_EQ(format_info(info.format).name, info.name);
    EXPECT_GE(info.channels, 1U);
    EXPECT_LE(info.channels, 4U);
    if (!info.packed) {
      EXPECT_EQ(info.bytes_per_texel % info.channels, 0U) << info.name;
    }
    EXPECT_EQ(info.bits, bits_of(info.name)) << info.name;
  }
  EXPECT_EQ(names.size(), all_formats().size());
  EXPECT_EQ(format_info(Format::kUndefined).channels, 0U);
  EXPECT_EQ(format_info(static_cast<Format>(45)).channels, 0U);
}

TEST(Image, IsTightAlignedAndMovable) {
  auto image = Image::create(Format::kRGBA16Sfloat, {7, 5}, 3);
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(image->size_in_bytes(), 7U * 5 * 3 * 8);
  EXPECT_EQ(image->view().row_stride, 56U);
  EXPECT_EQ(image->view().slice_stride, 280U);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(image->data()) % 64, 0U);
  std::memset(image->data(), 1, image->size_in_bytes());
  const std::byte* data = image->data();
  Image moved = std::move(*image);
  EXPECT_EQ(moved.data(), data);
  EXPECT_EQ(moved.slices(), 3U);
}

TEST(Image, RefusesNonsense) {
  EXPECT_EQ(Image::create(Format::kUndefined, {1, 1}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Image::create(Format::kR8Unorm, {0, 1}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Image::create(Format::kR8Unorm, {1, 1}, 0).error().code, ErrorCode::kInvalidArgument);
  const uint32_t huge = std::numeric_limits<uint32_t>::max();
  EXPECT_EQ(Image::create(Format::kRGBA32Sfloat, {huge, huge}, huge).error().code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(Image::create(Format::kR8Unorm, {huge, huge}, 1U << 24).error().code, ErrorCode::kOutOfMemory);
}

TEST(Decode, EveryUnormCodeIsCorrectlyRounded) {
  for (uint32_t code = 0; code < 256; ++code) {
    EXPECT_EQ(decode(Format::kR8Unorm, static_cast<uint8_t>(code))[0], static_cast<float>(code / 255.0));
  }
  for (uint32_t code = 0; code < 65536; ++code) {
    ASSERT_EQ(decode(Format::kR16Unorm, static_cast<uint16_t>(code))[0], static_cast<float>(code / 65535.0));
    ASSERT_EQ(decode(Format::kD16Unorm, static_cast<uint16_t>(code))[0], static_cast<float>(code / 65535.0));
  }
}

TEST(Decode, EverySrgbCodeIsCorrectlyRounded) {
  for (uint32_t code = 0; code < 256; ++code) {
    const auto rgba = decode(Format::kRGBA8Srgb, code * 0x01010101U);
    EXPECT_EQ(rgba[0], static_cast<float>(srgb_to_linear(code / 255.0)));
    EXPECT_EQ(rgba[2], rgba[0]);
    EXPECT_EQ(rgba[3], static_cast<float>(code / 255.0)) << "alpha is linear";
    EXPECT_EQ(decode(Format::kR8Srgb, static_cast<uint8_t>(code)), (std::array{rgba[0], 0.0F, 0.0F, 1.0F}));
    const auto pair = decode(Format::kRG8Srgb, static_cast<uint16_t>(code | code << 8));
    EXPECT_EQ(pair, (std::array{rgba[0], rgba[0], 0.0F, 1.0F}));
  }
}

// All depths of 24 bits whose ignored bits differ.
TEST(Decode, DepthsOf24BitsAreCorrectlyRounded) {
  for (uint32_t code = 0; code < 1U << 24; code += 37) {
    const auto expected = static_cast<float>(code / 16777215.0);
    for (const Format format : {Format::kX8D24Unorm, Format::kD24UnormS8}) {
      ASSERT_EQ(decode(format, code | code << 24)[0], expected) << code;
    }
    ASSERT_EQ(encode<uint32_t>(Format::kX8D24Unorm, {expected}), code);
  }
  EXPECT_EQ(decode(Format::kX8D24Unorm, 0xFFFFFFFFU), (std::array{1.0F, 0.0F, 0.0F, 1.0F}));
  EXPECT_EQ(decode(Format::kD32SfloatS8, 0.375F), (std::array{0.375F, 0.0F, 0.0F, 1.0F}));
}

TEST(Decode, BlueComesFirst) {
  for (const auto& [blue_first, red_first] :
       {std::pair{Format::kBGRA8Unorm, Format::kRGBA8Unorm}, {Format::kBGRA8Srgb, Format::kRGBA8Srgb}}) {
    for (uint32_t code = 0; code < 256; ++code) {
      const uint32_t other = 255 - code;
      const auto rgba = decode(red_first, code | 77U << 8 | other << 16 | code << 24);
      const uint32_t word = other | 77U << 8 | code << 16 | code << 24;
      EXPECT_EQ(decode(blue_first, word), rgba);
      EXPECT_EQ(encode<uint32_t>(blue_first, rgba), word);
    }
  }
}

TEST(Decode, FillsMissingChannels) {
  EXPECT_EQ(decode(Format::kR8Unorm, uint8_t{255}), (std::array{1.0F, 0.0F, 0.0F, 1.0F}));
  EXPECT_EQ(decode(Format::kRG32Sfloat, std::array{2.0F, 3.0F}), (std::array{2.0F, 3.0F, 0.0F, 1.0F}));
  EXPECT_EQ(decode(Format::kB10G11R11Ufloat, uint32_t{0}), (std::array{0.0F, 0.0F, 0.0F, 1.0F}));
}

TEST(Decode, EveryHalf) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const double expected = half_value(bits);
    const float actual = decode(Format::kR16Sfloat, static_cast<uint16_t>(bits))[0];
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(actual)) << bits;
    } else {
      ASSERT_EQ(actual, expected) << bits;
      ASSERT_EQ(std::signbit(actual), (bits & 0x8000U) != 0) << bits;
    }
  }
}

TEST(RoundTrip, EveryCodeOfEveryFormat) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto word = static_cast<uint16_t>(bits);
    ASSERT_EQ(encode<uint16_t>(Format::kR16Unorm, decode(Format::kR16Unorm, word)), word);
    if (!std::isnan(half_value(bits))) {
      ASSERT_EQ(encode<uint16_t>(Format::kR16Sfloat, decode(Format::kR16Sfloat, word)), word);
    }
  }
  for (uint32_t code = 0; code < 256; ++code) {
    const uint32_t word = code * 0x01010101U;
    EXPECT_EQ(encode<uint32_t>(Format::kRGBA8Unorm, decode(Format::kRGBA8Unorm, word)), word);
    EXPECT_EQ(encode<uint32_t>(Format::kRGBA8Srgb, decode(Format::kRGBA8Srgb, word)), word);
    const auto byte = static_cast<uint8_t>(code);
    EXPECT_EQ(encode<uint8_t>(Format::kR8Srgb, decode(Format::kR8Srgb, byte)), byte);
  }
  for (uint32_t code = 0; code < 1024; ++code) {
    const uint32_t word = code | (1023 - code) << 10 | code << 20 | (code & 3U) << 30;
    EXPECT_EQ(encode<uint32_t>(Format::kA2B10G10R10Unorm, decode(Format::kA2B10G10R10Unorm, word)), word);
  }
  for (uint32_t code = 0; code < 31U << 6; ++code) {  // finite values
    const uint32_t word = code | code << 11 | (code >> 1) << 22;
    EXPECT_EQ(encode<uint32_t>(Format::kB10G11R11Ufloat, decode(Format::kB10G11R11Ufloat, word)), word);
  }
}

TEST(Encode, UnormRoundsToNearest) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> values(-0.25F, 1.25F);
  for (int i = 0; i < 200000; ++i) {
    const float value = values(random);
    const double clamped = std::min(1.0, std::max(0.0, static_cast<double>(value)));
    ASSERT_EQ(encode<uint8_t>(Format::kR8Unorm, {value}), std::floor(clamped * 255 + 0.5)) << value;
    ASSERT_EQ(encode<uint16_t>(Format::kR16Unorm, {value}), std::floor(clamped * 65535 + 0.5)) << value;
  }
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(encode<uint32_t>(Format::kRGBA8Unorm, {std::nanf(""), infinity, -infinity, -0.0F}), 0x0000FF00U);
}

TEST(Encode, SrgbRoundsTheExactCurveToNearest) {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> values(0.0F, 1.0F);
  for (int i = 0; i < 500000; ++i) {
    const float value = i % 2 == 0 ? values(random) : values(random) * values(random) * values(random);
    const uint32_t code = encode<uint32_t>(Format::kRGBA8Srgb, {value, 0, 0, 0});
    ASSERT_LE(std::fabs(linear_to_srgb(value) * 255 - code), 0.5 + 1e-9) << value;
    ASSERT_EQ(encode<uint8_t>(Format::kR8Srgb, {value, 1, 1, 1}), code) << value;
  }
  for (uint32_t code = 0; code < 255; ++code) {  // on either side of every rounding boundary
    const auto boundary = static_cast<float>(srgb_to_linear((code + 0.5) / 255));
    EXPECT_EQ(encode<uint32_t>(Format::kRGBA8Srgb, {boundary * (1 - 0x1p-22F), 0, 0, 0}), code);
    EXPECT_EQ(encode<uint32_t>(Format::kRGBA8Srgb, {boundary * (1 + 0x1p-22F), 0, 0, 0}), code + 1);
  }
  EXPECT_EQ(encode<uint32_t>(Format::kRGBA8Srgb, {std::nanf(""), -1.0F, 2.0F, 2.0F}), 0xFFFF0000U);
}

TEST(Encode, HalfRoundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    const auto middle = static_cast<float>((half_value(bits) + half_value(bits + 1)) / 2);  // exact
    const uint32_t even = bits % 2 == 0 ? bits : bits + 1;
    ASSERT_EQ(encode<uint16_t>(Format::kR16Sfloat, {middle}), even);
    ASSERT_EQ(encode<uint16_t>(Format::kR16Sfloat, {std::nextafter(middle, 0.0F)}), bits);
    ASSERT_EQ(encode<uint16_t>(Format::kR16Sfloat, {std::nextafter(-middle, -1e9F)}), (bits + 1) | 0x8000U);
  }
  for (const float beyond : {65505.0F, 65520.0F, 65536.0F, 1e9F, std::numeric_limits<float>::max()}) {
    EXPECT_EQ(encode<uint16_t>(Format::kR16Sfloat, {beyond}), 0x7BFFU) << beyond;
    EXPECT_EQ(encode<uint16_t>(Format::kR16Sfloat, {-beyond}), 0xFBFFU) << beyond;
  }
  EXPECT_EQ(encode<uint16_t>(Format::kR16Sfloat, {std::numeric_limits<float>::infinity()}), 0x7C00U);
  EXPECT_EQ(encode<uint16_t>(Format::kR16Sfloat, {-std::numeric_limits<float>::infinity()}), 0xFC00U);
  EXPECT_GT(encode<uint16_t>(Format::kR16Sfloat, {std::nanf("")}) & 0x7FFFU, 0x7C00U);
}

TEST(Encode, B10G11R11RoundsAndClamps) {
  const auto encoded = [](float r, float g, float b) {
    return encode<uint32_t>(Format::kB10G11R11Ufloat, {r, g, b, 1});
  };
  EXPECT_EQ(encoded(1.0F, 1.0F, 1.0F), 0x3C0U | 0x3C0U << 11 | 0x1E0U << 22);
  EXPECT_EQ(encoded(-1.0F, -0.0F, -1e-30F), 0U);
  EXPECT_EQ(encoded(1.0F + 1.0F / 128, 1.0F + 3.0F / 128, 1.0F + 1.0F / 64), 0x3C0U | 0x3C2U << 11 | 0x1E0U << 22);
  EXPECT_EQ(encoded(1e9F, 1e9F, 1e9F), 0x7BFU | 0x7BFU << 11 | 0x3DFU << 22) << "the largest finite values";
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(encoded(infinity, infinity, infinity), 0x7C0U | 0x7C0U << 11 | 0x3E0U << 22);
  EXPECT_TRUE(std::isnan(decode(Format::kB10G11R11Ufloat, encoded(std::nanf(""), 0, 0))[0]));
}

// ---- Words of enumerations

TEST(Words, AreThoseOfEveryLanguage) {
  EXPECT_EQ(word_of(Footprint::kCovering), "covering");
  EXPECT_EQ(word_of(Reduction::kMinMax), "min_max");
  EXPECT_EQ(word_of(LuminanceWeights::kAcesCg), "acescg");
  EXPECT_EQ(word_of(ToneOperator::kHejlBurgessDawson), "hejl_burgess_dawson");
  EXPECT_EQ(word_of(files::ExrCompression::kZips), "zips");
  EXPECT_EQ(from_word<KernelScale>("unit_sum_per_channel"), KernelScale::kUnitSumPerChannel);
  EXPECT_EQ(from_word<Transfer>("hlg"), Transfer::kHlg);
  EXPECT_EQ(words<Transfer>().size(), 5U);
}

TEST(Words, UnknownOnesAreNone) {
  EXPECT_EQ(from_word<Reduction>("Mean"), std::nullopt);
  EXPECT_EQ(from_word<Reduction>(""), std::nullopt);
  EXPECT_EQ(word_of(static_cast<Reduction>(5)), "?");
  EXPECT_FALSE(is_enumerator(static_cast<Reduction>(5)));
  EXPECT_FALSE(is_enumerator(static_cast<files::Color>(-1)));
  EXPECT_TRUE(is_enumerator(Reduction::kMode));
}

}  // namespace
}  // namespace onepass
