// files_ktx2_test.cpp: KTX2 files made by hand are read; written files are parsed by hand. Descriptors are compared
// with tables from the Khronos Data Format Specification.
#include <gtest/gtest.h>
#include <zstd.h>

#include <cstring>

#include "onepass/blocks.hpp"
#include "tests/files/files_support.hpp"

namespace {

using namespace files_test;
using onepass::ErrorCode;
using onepass::Format;
using onepass::Image;
using onepass::ImageView;
using onepass::files::Color;
using onepass::files::ImageFile;

onepass::Result<ImageFile> read(const Bytes& bytes, Color color = Color::kAuto) {
  return onepass::files::read_memory(bytes, "test.ktx2", {.color = color});
}

Bytes numbers(size_t count, int first = 1) {
  Bytes bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(static_cast<size_t>(first) + i * 7 + i / 50);
  return bytes;
}

bool same(const Image& image, const Bytes& bytes) {
  return image.size_in_bytes() == bytes.size() && std::memcmp(image.data(), bytes.data(), bytes.size()) == 0;
}

// Formats of which host memory holds depth alone, in bits that a file does not.
bool is_depth_alone(const onepass::FormatInfo& info) {
  return info.format == Format::kX8D24Unorm || info.format == Format::kD24UnormS8 ||
         info.format == Format::kD32SfloatS8;
}

TEST(FilesKtx2, DepthInPartOfATexelIsRefused) {
  const TempDirectory directory;
  for (const onepass::FormatInfo& info : onepass::all_formats()) {
    if (!is_depth_alone(info)) continue;
    const auto file = read(make_ktx2({.vk_format = static_cast<uint32_t>(info.format), .levels = {numbers(4)}}));
    ASSERT_FALSE(file) << info.name;
    EXPECT_EQ(file.error().code, ErrorCode::kUnsupported);
    const Image image = random_image(info.format, {3, 2}, 1, 1);
    const ImageView view = image.view();
    const auto written = onepass::files::write_ktx2(directory / "x.ktx2", {&view, 1});
    ASSERT_FALSE(written) << info.name;
    EXPECT_EQ(written.error().message, std::string(info.name) + " is not written to KTX2");
    EXPECT_FALSE(std::filesystem::exists(directory / "x.ktx2"));
  }
}

TEST(FilesKtx2, ReadsEveryFormatStoredAndCompressed) {
  for (const onepass::FormatInfo& info : onepass::all_formats()) {
    if (is_depth_alone(info) || info.blue_first) continue;
    for (const uint32_t scheme : {0U, 2U}) {
      const Bytes base = numbers(size_t{5} * 3 * info.bytes_per_texel);
      const Bytes coarse = numbers(size_t{2} * 1 * info.bytes_per_texel, 9);
      const auto file = read(make_ktx2({.vk_format = static_cast<uint32_t>(info.format),
                                        .width = 5,
                                        .height = 3,
                                        .supercompression = scheme,
                                        .levels = {base, coarse}}));
      ASSERT_TRUE(file) << file.error().text();
      ASSERT_EQ(file->levels.size(), 2U);
      EXPECT_EQ(file->base().format, info.format);
      EXPECT_EQ(file->levels[1].size(), (onepass::Extent{2, 1}));
      EXPECT_TRUE(same(file->levels[0], base)) << info.name;
      EXPECT_TRUE(same(file->levels[1], coarse)) << info.name;
      EXPECT_FALSE(file->cube);
      EXPECT_FALSE(file->array);
      EXPECT_EQ(file->ktx_orientation, "rd");
    }
  }
}

TEST(FilesKtx2, ThreeChannelsAndBgraAreExpanded) {
  struct Case {
    uint32_t vk_format;
    Format format;
    Bytes stored;    // one texel
    Bytes expected;  // one texel
  };
  const auto b = [](std::initializer_list<int> values) {
    Bytes bytes;
    for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
    return bytes;
  };
  const std::vector<Case> cases = {
      {23, Format::kRGBA8Unorm, b({1, 2, 3}), b({1, 2, 3, 255})},
      {29, Format::kRGBA8Srgb, b({1, 2, 3}), b({1, 2, 3, 255})},
      {30, Format::kRGBA8Unorm, b({1, 2, 3}), b({3, 2, 1, 255})},
      {36, Format::kRGBA8Srgb, b({1, 2, 3}), b({3, 2, 1, 255})},
      {44, Format::kRGBA8Unorm, b({1, 2, 3, 4}), b({3, 2, 1, 4})},
      {50, Format::kRGBA8Srgb, b({1, 2, 3, 4}), b({3, 2, 1, 4})},
      {84, Format::kRGBA16Unorm, b({1, 2, 3, 4, 5, 6}), b({1, 2, 3, 4, 5, 6, 255, 255})},
      {90, Format::kRGBA16Sfloat, b({1, 2, 3, 4, 5, 6}), b({1, 2, 3, 4, 5, 6, 0, 0x3c})},
      {106, Format::kRGBA32Sfloat, b({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
       b({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 0x80, 0x3f})},
  };
  for (const Case& c : cases) {
    for (const uint32_t scheme : {0U, 2U}) {
      Bytes level;
      Bytes expected;
      for (int i = 0; i < 6; ++i) {
        level.insert(level.end(), c.stored.begin(), c.stored.end());
        expected.insert(expected.end(), c.expected.begin(), c.expected.end());
      }
      const auto file = read(make_ktx2(
          {.vk_format = c.vk_format, .width = 3, .height = 2, .supercompression = scheme, .levels = {level}}));
      ASSERT_TRUE(file) << file.error().text();
      EXPECT_EQ(file->base().format, c.format);
      EXPECT_TRUE(same(file->levels[0], expected)) << c.vk_format;
    }
  }
}

TEST(FilesKtx2, CubesArraysAndOrientation) {
  const auto cube = read(make_ktx2({.vk_format = 9,
                                    .width = 4,
                                    .height = 4,
                                    .layers = 2,
                                    .faces = 6,
                                    .levels = {numbers(192)},
                                    .orientation = "ru"}));
  ASSERT_TRUE(cube) << cube.error().text();
  EXPECT_TRUE(cube->cube);
  EXPECT_TRUE(cube->array);
  EXPECT_EQ(cube->base().slices, 12U);
  EXPECT_EQ(cube->ktx_orientation, "ru");
  EXPECT_TRUE(same(cube->levels[0], numbers(192)));
  const auto array = read(make_ktx2({.vk_format = 9, .width = 4, .height = 2, .layers = 7, .levels = {numbers(56)}}));
  ASSERT_TRUE(array) << array.error().text();
  EXPECT_FALSE(array->cube);
  EXPECT_TRUE(array->array);
  EXPECT_EQ(array->base().slices, 7U);
}

TEST(FilesKtx2, ColorReinterpretsOrDecodes) {
  const Bytes srgb = make_ktx2({.vk_format = 43, .levels = {numbers(4)}});
  const Bytes unorm = make_ktx2({.vk_format = 37, .levels = {numbers(4)}});
  const Bytes gray = make_ktx2({.vk_format = 9, .levels = {Bytes{std::byte{128}}}});
  const Bytes gray_srgb = make_ktx2({.vk_format = 15, .levels = {Bytes{std::byte{128}}}});
  const Bytes pair = make_ktx2({.vk_format = 16, .levels = {numbers(2, 128)}});
  const Bytes pair_srgb = make_ktx2({.vk_format = 22, .levels = {numbers(2, 128)}});
  EXPECT_EQ(read(srgb, Color::kLinear)->base().format, Format::kRGBA8Unorm);
  EXPECT_EQ(read(unorm, Color::kSrgb)->base().format, Format::kRGBA8Srgb);
  EXPECT_TRUE(same(read(unorm, Color::kSrgb)->levels[0], numbers(4)));
  EXPECT_EQ(read(gray)->base().format, Format::kR8Unorm);
  EXPECT_EQ(read(gray_srgb)->base().format, Format::kR8Srgb);
  EXPECT_EQ(read(gray, Color::kSrgb)->base().format, Format::kR8Srgb);
  EXPECT_EQ(read(gray_srgb, Color::kLinear)->base().format, Format::kR8Unorm);
  EXPECT_TRUE(same(read(gray, Color::kSrgb)->levels[0], {std::byte{128}}));
  EXPECT_EQ(read(pair)->base().format, Format::kRG8Unorm);
  EXPECT_EQ(read(pair_srgb, Color::kLinear)->base().format, Format::kRG8Unorm);
  for (const auto& encoded : {read(pair, Color::kSrgb), read(pair_srgb, Color::kSrgb), read(pair_srgb)}) {
    EXPECT_EQ(encoded->base().format, Format::kRG8Srgb);
    EXPECT_TRUE(same(encoded->levels[0], numbers(2, 128)));
  }
  // 16 bits have no sRGB format.
  const Bytes wide = make_ktx2({.vk_format = 77, .levels = {numbers(4, 128)}});
  const auto decoded = read(wide, Color::kSrgb);
  ASSERT_EQ(decoded->base().format, Format::kRG32Sfloat);
  EXPECT_NEAR(texel(decoded->base(), 0, 0, 0), srgb_decode((128 + 256 * 135) / 65535.0), 6e-8);
  EXPECT_NEAR(texel(decoded->base(), 0, 0, 1), srgb_decode((142 + 256 * 149) / 65535.0), 6e-8);
}

// A UNORM format is read as sRGB if its descriptor says so, even if it should not because an sRGB counterpart exists.
TEST(FilesKtx2, DescriptorsSayHowValuesAreEncoded) {
  const TempDirectory directory;
  for (const auto& [format, encoded] :
       {std::pair(Format::kR16Unorm, Format::kR32Sfloat), {Format::kR8Unorm, Format::kR8Srgb}}) {
    onepass::Image image = random_image(format, {4, 4}, 1, 1);
    const onepass::ImageView level = image.view();
    ASSERT_TRUE(onepass::files::write_ktx2(directory / "x.ktx2", std::span(&level, 1)));
    Bytes bytes = load(directory / "x.ktx2");
    const uint32_t descriptor = get32(bytes, 48);
    for (const auto& [code, transfer] : {std::pair(1, 8U), {2, 13U}, {10, 16U}, {9, 18U}, {4, 4U}, {0, 0U}, {13, 0U}}) {
      bytes[descriptor + 14] = static_cast<std::byte>(code);
      const auto file = read(bytes);
      ASSERT_TRUE(file) << file.error().text();
      EXPECT_EQ(file->transfer, transfer);
      const bool decoded = transfer == 16 || transfer == 18 || transfer == 4;
      EXPECT_EQ(file->base().format, code == 2 ? encoded : decoded ? Format::kR32Sfloat : format);
      EXPECT_EQ(file->warnings.size(), code == 13 ? 1U : 0U) << "a number that is not known";
      EXPECT_EQ(read(bytes, Color::kLinear)->base().format, format);
    }
  }
}

// The descriptor of R8G8B8A8_UNORM: linear, BT.709.
Bytes rgba8_descriptor() {
  Bytes bytes;
  for (const uint32_t word : {92U, 0U, 2U | 88U << 16, 1U | 1U << 8 | 1U << 16, 0U, 4U, 0U}) put32(bytes, word);
  for (uint32_t c = 0; c < 4; ++c) {
    for (const uint32_t word : {c * 8 | 7U << 16 | (c == 3 ? 15U : c) << 24, 0U, 0U, 255U}) put32(bytes, word);
  }
  return bytes;
}

TEST(FilesKtx2, DescriptorsMustFitSrgbFormats) {
  Ktx2Spec spec{.vk_format = 43, .levels = {numbers(4)}, .descriptor = rgba8_descriptor()};
  const auto linear = read(make_ktx2(spec));
  ASSERT_FALSE(linear);
  EXPECT_NE(linear.error().message.find("transfer function 1, but vkFormat 43 is sRGB-encoded"), std::string::npos);
  spec.descriptor[14] = std::byte{2};
  EXPECT_TRUE(read(make_ktx2(spec)));
}

TEST(FilesKtx2, SwizzlesAreApplied) {
  struct Case {
    uint32_t vk_format;
    const char* swizzle;
    Format format;
    Bytes stored, expected;
    onepass::AlphaAssociation alpha;
  };
  const auto b = [](std::initializer_list<int> values) {
    Bytes bytes;
    for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
    return bytes;
  };
  using enum onepass::AlphaAssociation;
  for (const Case& c : {Case{37, "bgra", Format::kRGBA8Unorm, b({1, 2, 3, 4}), b({3, 2, 1, 4}), kStraight},
                        {43, "bgra", Format::kRGBA8Srgb, b({1, 2, 3, 4}), b({3, 2, 1, 4}), kStraight},
                        {37, "a011", Format::kRGBA8Unorm, b({1, 2, 3, 4}), b({4, 0, 255, 255}), kNone},
                        {37, "rgb1", Format::kRGBA8Unorm, b({1, 2, 3, 4}), b({1, 2, 3, 255}), kNone},
                        {23, "bgr1", Format::kRGBA8Unorm, b({1, 2, 3}), b({3, 2, 1, 255}), kNone},
                        {23, "rgbg", Format::kRGBA8Unorm, b({1, 2, 3}), b({1, 2, 3, 2}), kStraight},
                        {16, "rrrg", Format::kRGBA8Unorm, b({1, 2}), b({1, 1, 1, 2}), kStraight},
                        {16, "gr01", Format::kRGBA8Unorm, b({1, 2}), b({2, 1, 0, 255}), kNone},
                        {9, "000r", Format::kRGBA8Unorm, b({7}), b({0, 0, 0, 7}), kStraight},
                        {9, "rrr1", Format::kR8Unorm, b({7}), b({7}), kNone},
                        {9, "r001", Format::kR8Unorm, b({7}), b({7}), kNone},
                        {16, "rgba", Format::kRG8Unorm, b({1, 2}), b({1, 2}), kNone},
                        {70, "000r", Format::kRGBA16Unorm, b({7, 9}), b({0, 0, 0, 0, 0, 0, 7, 9}), kStraight},
                        {76, "rrr0", Format::kRGBA16Sfloat, b({1, 60}), b({1, 60, 1, 60, 1, 60, 0, 0}), kStraight}}) {
    for (const uint32_t scheme : {0U, 2U}) {
      const auto file = read(make_ktx2(
          {.vk_format = c.vk_format, .supercompression = scheme, .levels = {c.stored}, .swizzle = c.swizzle}));
      ASSERT_TRUE(file) << c.vk_format << " " << c.swizzle << ": " << file.error().text();
      EXPECT_EQ(file->base().format, c.format) << c.swizzle;
      EXPECT_TRUE(same(file->levels[0], c.expected)) << c.vk_format << " " << c.swizzle;
      EXPECT_EQ(file->alpha, c.alpha) << c.vk_format << " " << c.swizzle;
    }
  }
  const auto message = [&](uint32_t vk_format, size_t bytes, const char* swizzle) {
    const auto file = read(make_ktx2({.vk_format = vk_format, .levels = {Bytes(bytes)}, .swizzle = swizzle}));
    return file ? std::string() : file.error().message;
  };
  EXPECT_EQ(message(16, 2, "rgab"), "KTX2: KTXswizzle is \"rgab\", but vkFormat 16 has no a");
  EXPECT_EQ(message(23, 3, "rga1"), "KTX2: KTXswizzle is \"rga1\", but vkFormat 23 has no a");
  EXPECT_EQ(message(37, 4, "rgbx"), "KTX2: KTXswizzle is \"rgbx\", not four of r, g, b, a, 0 and 1");
  EXPECT_EQ(message(37, 4, "rgb"), "KTX2: KTXswizzle is \"rgb\", not four of r, g, b, a, 0 and 1");
  EXPECT_EQ(message(126, 4, "0001"), "KTX2: KTXswizzle is \"0001\", which depth cannot have");
}

TEST(FilesKtx2, OrientationsThatDoNotExistAreWarnings) {
  const auto file = read(make_ktx2({.vk_format = 9, .levels = {numbers(1)}, .orientation = "up\x1b"}));
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file->ktx_orientation, "rd");
  ASSERT_EQ(file->warnings.size(), 1U);
  EXPECT_NE(file->warnings[0].find("up\\x1b"), std::string::npos);
}

// A valid file with one 32- or 64-bit field replaced.
struct Damage {
  const char* what;
  size_t offset;
  uint64_t value;
  bool wide;
  ErrorCode code;
  const char* mentions;
};

TEST(FilesKtx2, DamagedFieldsAreNamed) {
  // 128: descriptor, 220: one pair of 20 bytes, 240: level 0, 384: level 1.
  const Bytes good = make_ktx2({.vk_format = 37,
                                .width = 8,
                                .height = 4,
                                .levels = {numbers(128), numbers(32)},
                                .swizzle = "rgba",
                                .descriptor = rgba8_descriptor()});
  ASSERT_TRUE(read(good)) << read(good).error().text();
  ASSERT_EQ(get64(good, 80), 240U);
  const std::vector<Damage> cases = {
      {"format unknown", 12, 147, false, ErrorCode::kUnsupported, "vkFormat is 147"},
      {"format undefined", 12, 0, false, ErrorCode::kUnsupported, "vkFormat is 0"},
      {"format R8_SNORM", 12, 10, false, ErrorCode::kUnsupported, "vkFormat is 10"},
      {"no width", 20, 0, false, ErrorCode::kBadData, "0x4"},
      {"width", 20, 65536, false, ErrorCode::kUnsupported, "65536x4"},
      {"other width", 20, 9, false, ErrorCode::kBadData, "byteLength 128"},
      {"1-D", 24, 0, false, ErrorCode::kUnsupported, "pixelHeight is 0"},
      {"height", 24, 0xffffffff, false, ErrorCode::kUnsupported, "8x4294967295"},
      {"3-D", 28, 2, false, ErrorCode::kBadData, "byteLength 128, not the 256 of 8x4 in 2 slices"},
      {"3-D, deep", 28, 0xffffffff, false, ErrorCode::kUnsupported, "pixelDepth is 4294967295"},
      {"layers", 32, 0xffffffff, false, ErrorCode::kUnsupported, "layerCount is 4294967295"},
      {"layers beyond the file", 32, 60000, false, ErrorCode::kBadData, "byteLength"},
      {"type size", 16, 2, false, ErrorCode::kBadData, "typeSize is 2, not the 1 of vkFormat 37"},
      {"type size 0", 16, 0, false, ErrorCode::kBadData, "typeSize is 0"},
      {"descriptor outside", 48, 0xffffffff, false, ErrorCode::kBadData, "data format descriptor is 92 bytes"},
      {"descriptor length", 52, 0xffffffff, false, ErrorCode::kBadData, "data format descriptor is 4294967295 bytes"},
      {"descriptor shorter", 52, 88, false, ErrorCode::kBadData, "dfdTotalSize 92, but dfdByteLength is 88"},
      {"descriptor in the header", 48, 40, false, ErrorCode::kBadData, "overlaps the level index"},
      {"pairs outside", 56, 0xfffffff0, false, ErrorCode::kBadData, "key/value data is 20 bytes"},
      {"pairs length", 60, 0xfffffff0, false, ErrorCode::kBadData, "key/value data is 4294967280 bytes"},
      {"pairs over the descriptor", 56, 130, false, ErrorCode::kBadData, "overlaps the data format descriptor"},
      {"global data", 72, 8, true, ErrorCode::kBadData, "sgdByteLength is 8"},
      {"level in nothing", 80, 0, true, ErrorCode::kBadData, "level 0 at offset 0 overlaps the level index"},
      {"level in the header", 80, 80, true, ErrorCode::kBadData, "level 0 at offset 80 overlaps the level index"},
      {"level not aligned", 80, 1, true, ErrorCode::kBadData, "starts at offset 1, not at a multiple of 4"},
      {"level in a level", 104, 244, true, ErrorCode::kBadData, "level 1 at offset 244 overlaps level 0"},
      {"uncompressed length", 96, 127, true, ErrorCode::kBadData, "uncompressedByteLength 127 without compression"},
      {"descriptor's total", 128, 96, false, ErrorCode::kBadData, "dfdTotalSize 96"},
      {"vendor", 132, 1, false, ErrorCode::kBadData, "basic block"},
      {"block beyond", 136, 2 | 104 << 16, false, ErrorCode::kBadData, "a basic block, of 104 bytes"},
      {"samples", 136, 2 | 72 << 16, false, ErrorCode::kBadData, "3 samples, but vkFormat 37 has 4 channels"},
      {"bytes of a texel", 148, 3, false, ErrorCode::kBadData, "bytesPlane0 3"},
      {"pair too long", 220, 17, false, ErrorCode::kBadData, "a pair of the key/value data has 17 bytes, 16 are left"},
      {"pair of nothing", 220, 0, false, ErrorCode::kBadData, "has 0 bytes"},
      {"key without end", 232, 0x6262626262626262, true, ErrorCode::kBadData, "has no end"},
      {"faces", 36, 3, false, ErrorCode::kBadData, "faceCount is 3"},
      {"cube not square", 36, 6, false, ErrorCode::kBadData, "a cube of 8x4 faces"},
      {"levels", 40, 5, false, ErrorCode::kBadData, "levelCount is 5"},
      {"levels absurd", 40, 0xffffffff, false, ErrorCode::kBadData, "levelCount is 4294967295"},
      {"BasisLZ", 44, 1, false, ErrorCode::kUnsupported, "BasisLZ"},
      {"ZLIB", 44, 3, false, ErrorCode::kUnsupported, "ZLIB"},
      {"not Zstandard", 44, 2, false, ErrorCode::kBadData, "Zstandard"},
      {"level offset", 80, 1U << 20, true, ErrorCode::kBadData, "beyond the end"},
      {"level offset wraps", 80, ~uint64_t{0} - 100, true, ErrorCode::kBadData, "beyond the end"},
      {"level length", 88, 127, true, ErrorCode::kBadData, "byteLength 127"},
      {"level length wraps", 88, ~uint64_t{0}, true, ErrorCode::kBadData, "beyond the end"},
  };
  for (const Damage& damage : cases) {
    Bytes bytes = good;
    if (damage.wide) {
      set64(bytes, damage.offset, damage.value);
    } else {
      set32(bytes, damage.offset, static_cast<uint32_t>(damage.value));
    }
    const auto file = read(bytes);
    ASSERT_FALSE(file) << damage.what;
    EXPECT_EQ(file.error().code, damage.code) << damage.what << ": " << file.error().text();
    EXPECT_NE(file.error().text().find(damage.mentions), std::string::npos)
        << damage.what << ": " << file.error().text();
    EXPECT_EQ(file.error().context, "test.ktx2");
  }
}

TEST(FilesKtx2, EveryTruncationIsAnError) {
  for (const uint32_t scheme : {0U, 2U}) {
    const Bytes good = make_ktx2(
        {.vk_format = 37, .width = 8, .height = 4, .supercompression = scheme, .levels = {numbers(128), numbers(32)}});
    for (size_t length = 0; length < good.size(); ++length)
      ASSERT_FALSE(read(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length)))) << length;
  }
}

TEST(FilesKtx2, UncompressedLengthMustBeTheLevels) {
  Bytes bytes = make_ktx2({.vk_format = 37, .width = 8, .height = 4, .supercompression = 2, .levels = {numbers(128)}});
  Bytes wrong_index = bytes;
  set64(wrong_index, 96, 124);
  EXPECT_FALSE(read(wrong_index));
  // A frame that holds less or more bytes than the level.
  for (const size_t held : {size_t{124}, size_t{132}}) {
    Ktx2Spec spec{.vk_format = 37, .width = 8, .height = 4, .supercompression = 2, .levels = {numbers(held)}};
    Bytes other = make_ktx2(spec);
    set64(other, 96, 128);
    const auto file = read(other);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, ErrorCode::kBadData);
  }
}

// Writing -------------------------------------------------------------------------------------------------------------

// One sample of the descriptor as the specification requires it.
struct Sample {
  uint32_t bit_offset, bits, channel, qualifiers, lower, upper;
};
struct Expected {
  Format format;
  uint32_t type_size;
  uint32_t transfer;  // 0 unspecified (then so are the primaries), 1 linear, 2 sRGB
  std::vector<Sample> samples;
};

constexpr uint32_t kOne = 0x3f800000;       // 1.0f
constexpr uint32_t kMinusOne = 0xbf800000;  // -1.0f

// Channels R G B A = 0 1 2 15, depth = 14; qualifiers: 1 linear, 4 signed, 8 float.
const std::vector<Expected>& expectations() {
  static const std::vector<Expected> table = {
      {Format::kR8Unorm, 1, 1, {{0, 8, 0, 0, 0, 255}}},
      {Format::kR8Srgb, 1, 2, {{0, 8, 0, 0, 0, 255}}},
      {Format::kRG8Unorm, 1, 1, {{0, 8, 0, 0, 0, 255}, {8, 8, 1, 0, 0, 255}}},
      {Format::kRG8Srgb, 1, 2, {{0, 8, 0, 0, 0, 255}, {8, 8, 1, 0, 0, 255}}},
      {Format::kRGBA8Unorm,
       1,
       1,
       {{0, 8, 0, 0, 0, 255}, {8, 8, 1, 0, 0, 255}, {16, 8, 2, 0, 0, 255}, {24, 8, 15, 0, 0, 255}}},
      {Format::kRGBA8Srgb,
       1,
       2,
       {{0, 8, 0, 0, 0, 255}, {8, 8, 1, 0, 0, 255}, {16, 8, 2, 0, 0, 255}, {24, 8, 15, 1, 0, 255}}},
      {Format::kBGRA8Unorm,
       1,
       1,
       {{0, 8, 2, 0, 0, 255}, {8, 8, 1, 0, 0, 255}, {16, 8, 0, 0, 0, 255}, {24, 8, 15, 0, 0, 255}}},
      {Format::kBGRA8Srgb,
       1,
       2,
       {{0, 8, 2, 0, 0, 255}, {8, 8, 1, 0, 0, 255}, {16, 8, 0, 0, 0, 255}, {24, 8, 15, 1, 0, 255}}},
      {Format::kA2B10G10R10Unorm,
       4,
       1,
       {{0, 10, 0, 0, 0, 1023}, {10, 10, 1, 0, 0, 1023}, {20, 10, 2, 0, 0, 1023}, {30, 2, 15, 0, 0, 3}}},
      {Format::kR16Unorm, 2, 1, {{0, 16, 0, 0, 0, 65535}}},
      {Format::kR16Sfloat, 2, 1, {{0, 16, 0, 12, kMinusOne, kOne}}},
      {Format::kRG16Unorm, 2, 1, {{0, 16, 0, 0, 0, 65535}, {16, 16, 1, 0, 0, 65535}}},
      {Format::kRG16Sfloat, 2, 1, {{0, 16, 0, 12, kMinusOne, kOne}, {16, 16, 1, 12, kMinusOne, kOne}}},
      {Format::kRGBA16Unorm,
       2,
       1,
       {{0, 16, 0, 0, 0, 65535}, {16, 16, 1, 0, 0, 65535}, {32, 16, 2, 0, 0, 65535}, {48, 16, 15, 0, 0, 65535}}},
      {Format::kRGBA16Sfloat,
       2,
       1,
       {{0, 16, 0, 12, kMinusOne, kOne},
        {16, 16, 1, 12, kMinusOne, kOne},
        {32, 16, 2, 12, kMinusOne, kOne},
        {48, 16, 15, 12, kMinusOne, kOne}}},
      {Format::kR32Sfloat, 4, 1, {{0, 32, 0, 12, kMinusOne, kOne}}},
      {Format::kRG32Sfloat, 4, 1, {{0, 32, 0, 12, kMinusOne, kOne}, {32, 32, 1, 12, kMinusOne, kOne}}},
      {Format::kRGBA32Sfloat,
       4,
       1,
       {{0, 32, 0, 12, kMinusOne, kOne},
        {32, 32, 1, 12, kMinusOne, kOne},
        {64, 32, 2, 12, kMinusOne, kOne},
        {96, 32, 15, 12, kMinusOne, kOne}}},
      {Format::kB10G11R11Ufloat, 4, 1, {{0, 11, 0, 8, 0, kOne}, {11, 11, 1, 8, 0, kOne}, {22, 10, 2, 8, 0, kOne}}},
      {Format::kD16Unorm, 2, 0, {{0, 16, 14, 0, 0, 65535}}},
      {Format::kD32Sfloat, 4, 0, {{0, 32, 14, 12, kMinusOne, kOne}}},
  };
  return table;
}

TEST(FilesKtx2, DescriptorsSayWhatTheSpecificationSays) {
  const TempDirectory directory;
  ASSERT_EQ(expectations().size() + 3, onepass::all_formats().size()) << "three are refused";
  for (const Expected& expected : expectations()) {
    const onepass::FormatInfo& info = onepass::format_info(expected.format);
    const Image image = random_image(expected.format, {3, 2}, 1, 1);
    const ImageView view = image.view();
    ASSERT_TRUE(onepass::files::write_ktx2(directory / "x.ktx2", {&view, 1}));
    const Bytes bytes = load(directory / "x.ktx2");
    SCOPED_TRACE(info.name);
    EXPECT_EQ(get32(bytes, 12), static_cast<uint32_t>(expected.format));
    EXPECT_EQ(get32(bytes, 16), expected.type_size);
    const size_t dfd = get32(bytes, 48);
    ASSERT_EQ(dfd, 80U + 24);
    const auto size = static_cast<uint32_t>(4 + 24 + 16 * expected.samples.size());
    ASSERT_EQ(get32(bytes, 52), size);
    EXPECT_EQ(get32(bytes, dfd), size);
    EXPECT_EQ(get32(bytes, dfd + 4), 0U);
    EXPECT_EQ(get32(bytes, dfd + 8), 2U | (size - 4) << 16);
    const uint32_t primaries = expected.transfer == 0 ? 0 : 1;
    EXPECT_EQ(get32(bytes, dfd + 12), 1U | primaries << 8 | expected.transfer << 16);
    EXPECT_EQ(get32(bytes, dfd + 16), 0U);
    EXPECT_EQ(get32(bytes, dfd + 20), info.bytes_per_texel);
    EXPECT_EQ(get32(bytes, dfd + 24), 0U);
    for (size_t i = 0; i < expected.samples.size(); ++i) {
      const Sample& s = expected.samples[i];
      const size_t at = dfd + 28 + 16 * i;
      EXPECT_EQ(get32(bytes, at), s.bit_offset | (s.bits - 1) << 16 | s.channel << 24 | s.qualifiers << 28) << i;
      EXPECT_EQ(get32(bytes, at + 4), 0U);
      EXPECT_EQ(get32(bytes, at + 8), s.lower);
      EXPECT_EQ(get32(bytes, at + 12), s.upper);
    }
  }
}

// If a format has an sRGB counterpart, only the counterpart may be declared as sRGB-encoded. Alpha is always linear.
TEST(FilesKtx2, TransfersOfDescriptorsFitTheFormat) {
  const TempDirectory directory;
  const auto write = [&](Format format, uint8_t transfer) {
    const Image image = random_image(format, {3, 2}, 1, 1);
    const ImageView view = image.view();
    return onepass::files::write_ktx2(directory / "x.ktx2", {&view, 1}, {.code_points = {1, transfer}}).ok();
  };
  for (const onepass::FormatInfo& info : onepass::all_formats()) {
    if (is_depth_alone(info)) continue;
    const bool srgb = info.name.ends_with("_srgb");
    const bool has_twin = info.format == Format::kR8Unorm || info.format == Format::kRG8Unorm ||
                          info.format == Format::kRGBA8Unorm || info.format == Format::kBGRA8Unorm;
    SCOPED_TRACE(info.name);
    EXPECT_EQ(write(info.format, 13), !has_twin && !info.depth);
    EXPECT_EQ(write(info.format, 8), !srgb && !info.depth);
    // Transfer numbers in the descriptor for linear, sRGB, gamma 2.2 and PQ.
    for (const auto& [transfer, number] : {std::pair<uint8_t, uint32_t>{8, 1}, {13, 2}, {4, 4}, {16, 10}}) {
      if (!write(info.format, transfer)) continue;
      const Bytes bytes = load(directory / "x.ktx2");
      const size_t dfd = get32(bytes, 48);
      EXPECT_EQ(get32(bytes, dfd + 12), 1U | 1U << 8 | number << 16);
      for (size_t at = dfd + 28; at < dfd + get32(bytes, dfd); at += 16) {
        const uint32_t channel = get32(bytes, at) >> 24 & 15;
        const bool linear = (get32(bytes, at) >> 28 & 1) != 0;
        EXPECT_EQ(linear, channel == 15 && number != 1) << "channel " << channel << " transfer " << number;
      }
    }
  }
}

// Parses a written file and compares every level with the images.
void expect_file(const Bytes& bytes, const std::vector<Image>& levels, uint32_t layers, uint32_t faces, bool zstd) {
  const uint64_t texel_size = onepass::format_info(levels[0].format()).bytes_per_texel;
  EXPECT_EQ(get32(bytes, 20), levels[0].size().width);
  EXPECT_EQ(get32(bytes, 24), levels[0].size().height);
  EXPECT_EQ(get32(bytes, 28), 0U);
  EXPECT_EQ(get32(bytes, 32), layers);
  EXPECT_EQ(get32(bytes, 36), faces);
  ASSERT_EQ(get32(bytes, 40), levels.size());
  EXPECT_EQ(get32(bytes, 44), zstd ? 2U : 0U);
  uint64_t end = bytes.size();  // the smallest level is stored first, the base last
  for (size_t n = 0; n < levels.size(); ++n) {
    const uint64_t offset = get64(bytes, 80 + 24 * n);
    const uint64_t length = get64(bytes, 88 + 24 * n);
    ASSERT_EQ(get64(bytes, 96 + 24 * n), levels[n].size_in_bytes());
    ASSERT_LE(offset + length, end);
    ASSERT_LT(end - offset - length, zstd ? 1U : 16U) << "padding";
    end = offset;
    Bytes pixels(bytes.begin() + static_cast<std::ptrdiff_t>(offset),
                 bytes.begin() + static_cast<std::ptrdiff_t>(offset + length));
    if (zstd) {
      Bytes unpacked(levels[n].size_in_bytes());
      ASSERT_EQ(ZSTD_decompress(unpacked.data(), unpacked.size(), pixels.data(), pixels.size()), unpacked.size());
      EXPECT_EQ(ZSTD_getFrameContentSize(pixels.data(), pixels.size()), unpacked.size());
      pixels = unpacked;
    } else {
      EXPECT_EQ(offset % 4, 0U);
      EXPECT_EQ(offset % texel_size, 0U);
    }
    EXPECT_TRUE(same(levels[n], pixels)) << "level " << n;
  }
  EXPECT_GE(end, uint64_t{get32(bytes, 56)} + get32(bytes, 60));
}

TEST(FilesKtx2, WritesAllLevelsOfAllSlices) {
  const TempDirectory directory;
  struct Shape {
    onepass::Extent size;
    uint32_t slices;
    bool cube, array;
    uint32_t layers, faces;  // expected
  };
  for (const Shape& shape : {Shape{{1, 1}, 1, false, false, 0, 1}, Shape{{1, 77}, 1, false, false, 0, 1},
                             Shape{{37, 5}, 7, false, false, 7, 1}, Shape{{16, 9}, 1, false, true, 1, 1},
                             Shape{{12, 12}, 6, true, false, 0, 6}, Shape{{5, 5}, 12, true, false, 2, 6},
                             Shape{{8, 8}, 6, true, true, 1, 6}, Shape{{2, 1}, 2048, false, false, 2048, 1}}) {
    for (const Format format : {Format::kR8Unorm, Format::kRG8Unorm, Format::kRGBA16Sfloat, Format::kRGBA32Sfloat,
                                Format::kB10G11R11Ufloat}) {
      for (const int zstd : {0, 1, 3}) {
        for (const uint32_t count : {0U, 1U, 2U}) {
          const auto levels = random_levels(format, shape.size, shape.slices, count);
          const auto done = onepass::files::write_ktx2(directory / "x.ktx2", views(levels),
                                                       {.cube = shape.cube, .array = shape.array, .zstd_level = zstd});
          ASSERT_TRUE(done) << done.error().text();
          expect_file(load(directory / "x.ktx2"), levels, shape.layers, shape.faces, zstd > 0);
        }
      }
    }
  }
}

TEST(FilesKtx2, BlocksOfEveryFormatComeBack) {
  const TempDirectory directory;
  for (const onepass::BlockFormatInfo& info : onepass::all_block_formats()) {
    // Two block sizes of ASTC: the tables of astcenc take some milliseconds for each level.
    const bool other = info.size != onepass::Extent{5, 4} && info.size != onepass::Extent{12, 12};
    if (onepass::is_astc(info.format) && (other || !onepass::has_astc())) continue;
    std::vector<onepass::BlockImage> images;
    std::vector<onepass::BlockView> levels;
    for (const uint32_t edge : {11U, 5U, 2U, 1U}) {
      images.push_back(std::move(*onepass::BlockImage::create(info.format, {edge, edge}, 12)));
      const Bytes bytes = numbers(images.back().size_in_bytes(), static_cast<int>(edge));
      std::memcpy(images.back().view().data, bytes.data(), bytes.size());
    }
    for (const auto& image : images) levels.push_back(image.view());
    for (const int zstd : {0, 3}) {
      const auto done = onepass::files::write_ktx2(directory / "x.ktx2", levels, {.cube = true, .zstd_level = zstd});
      ASSERT_TRUE(done) << done.error().text();
      for (const Color color : {Color::kAuto, Color::kSrgb, Color::kLinear}) {
        const auto file = read(load(directory / "x.ktx2"), color);
        ASSERT_TRUE(file) << info.name << ": " << file.error().text();
        EXPECT_EQ(file->blocks, info.format);
        EXPECT_TRUE(file->cube && file->array);
        EXPECT_EQ(file->zstd, zstd > 0);
        ASSERT_EQ(file->levels.size(), 4U);
        const bool eight = info.texels != Format::kRGBA16Sfloat && !info.has_sign;
        if (color != Color::kAuto && !eight) continue;
        for (size_t n = 0; n < 4; ++n) {
          auto expected = Image::create(info.texels, levels[n].size, 12);
          ASSERT_TRUE(expected && onepass::cpu::decompress(levels[n], expected->view()));
          ASSERT_EQ(file->levels[n].size_in_bytes(), expected->size_in_bytes());
          EXPECT_EQ(std::memcmp(file->levels[n].data(), expected->data(), expected->size_in_bytes()), 0) << info.name;
        }
      }
    }
  }
}

TEST(FilesKtx2, VolumesHaveTheirPlanesAsSlices) {
  // RG8 of 3x2x5 in three levels, the last of one plane; then the same depth in blocks.
  const Ktx2Spec spec{.vk_format = 16,
                      .width = 3,
                      .height = 2,
                      .depth = 5,
                      .supercompression = 2,
                      .levels = {numbers(60), numbers(4, 7), numbers(2, 9)},
                      .orientation = "rui"};
  const auto file = read(make_ktx2(spec));
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_TRUE(file->volume);
  EXPECT_FALSE(file->array || file->cube);
  EXPECT_EQ(file->ktx_orientation, "ru");
  EXPECT_TRUE(file->warnings.empty());
  ASSERT_EQ(file->levels.size(), 3U);
  EXPECT_EQ(file->levels[0].slices(), 5U);
  EXPECT_EQ(file->levels[1].slices(), 2U);
  EXPECT_EQ(file->levels[1].size(), (onepass::Extent{1, 1}));
  EXPECT_EQ(file->levels[2].slices(), 1U);
  for (size_t n = 0; n < 3; ++n) {
    ASSERT_EQ(file->levels[n].size_in_bytes(), spec.levels[n].size());
    EXPECT_EQ(std::memcmp(file->levels[n].data(), spec.levels[n].data(), spec.levels[n].size()), 0) << n;
  }
  const Bytes blocks = numbers(8 * 2 * 3);
  const auto packed = read(make_ktx2({.vk_format = 139, .width = 5, .height = 4, .depth = 3, .levels = {blocks}}));
  ASSERT_TRUE(packed) << packed.error().text();
  auto expected = Image::create(Format::kR8Unorm, {5, 4}, 3);
  const onepass::BlockView view{blocks.data(), onepass::BlockFormat::kBc4Unorm, {5, 4}, 3, 16, 16};
  ASSERT_TRUE(expected && onepass::cpu::decompress(view, expected->view()));
  EXPECT_EQ(std::memcmp(packed->levels[0].data(), expected->data(), expected->size_in_bytes()), 0);

  const auto message = [](const Ktx2Spec& wrong) { return read(make_ktx2(wrong)).error().message; };
  EXPECT_EQ(message({.vk_format = 9, .depth = 2, .layers = 3, .levels = {numbers(6)}}),
            "KTX2: pixelDepth is 2 with layerCount 3 and faceCount 1; 3-D images have neither layers nor faces");
  EXPECT_EQ(message({.vk_format = 9, .depth = 2, .levels = {numbers(2), numbers(1), numbers(1)}}),
            "KTX2: levelCount is 3, too many for 1x1x2");
}

TEST(FilesKtx2, BasisUniversalIsNamed) {
  Bytes bytes =
      make_ktx2({.vk_format = 37, .width = 8, .height = 4, .levels = {numbers(128)}, .descriptor = rgba8_descriptor()});
  const auto message = [&](uint8_t model) {
    uint32_t descriptor = 0;
    std::memcpy(&descriptor, bytes.data() + 48, 4);
    bytes[12] = std::byte{0};  // VK_FORMAT_UNDEFINED
    bytes[descriptor + 12] = static_cast<std::byte>(model);
    return read(bytes).error().message;
  };
  EXPECT_EQ(message(166), "KTX2: vkFormat is 0 (undefined: UASTC of Basis Universal), which is not supported");
  EXPECT_EQ(message(163), "KTX2: vkFormat is 0 (undefined: ETC1S of Basis Universal), which is not supported");
  EXPECT_EQ(message(1), "KTX2: vkFormat is 0 (undefined), which is not supported");
  for (const uint32_t offset : {0xFFFFFFFFU, static_cast<uint32_t>(bytes.size() - 12)}) {  // the model lies outside
    std::memcpy(bytes.data() + 48, &offset, 4);
    EXPECT_EQ(read(bytes).error().message, "KTX2: vkFormat is 0 (undefined), which is not supported");
  }
}

TEST(FilesKtx2, DamagedBlocksAreRefused) {
  const TempDirectory directory;
  auto blocks = onepass::BlockImage::create(onepass::BlockFormat::kBc3Srgb, {8, 8});
  ASSERT_TRUE(blocks);
  std::memset(blocks->view().data, 0, 64);
  const onepass::BlockView view = blocks->view();
  ASSERT_TRUE(onepass::files::write_ktx2(directory / "x.ktx2", std::span(&view, 1)));
  const Bytes good = load(directory / "x.ktx2");
  const auto message = [&](size_t offset, uint32_t value) {
    Bytes bad = good;
    set32(bad, offset, value);
    const auto file = read(bad);
    return file ? std::string("fine") : file.error().message;
  };
  EXPECT_EQ(message(16, 1), "fine");
  EXPECT_EQ(message(16, 4), "KTX2: typeSize is 4, not the 1 of vkFormat 138");
  EXPECT_EQ(message(20, 9), "KTX2: level 0 has byteLength 64, not the 96 of 9x8 in 1 slices");
  EXPECT_EQ(message(12, 145), "KTX2: the data format descriptor has 2 samples, but vkFormat 145 has 1 of blocks");
  const uint32_t descriptor = get32(good, 48);
  EXPECT_EQ(message(descriptor + 20, 8),
            "KTX2: the data format descriptor has bytesPlane0 8, but a block of vkFormat 138 has 16 bytes");
  const auto code_points =
      onepass::files::write_ktx2(directory / "y.ktx2", std::span(&view, 1), {.code_points = {1, 8}});
  ASSERT_FALSE(code_points);
  EXPECT_EQ(code_points.error().message, "code_points 1, 8 cannot be said of bc3_srgb");
}

TEST(FilesKtx2, StridesAreNotStored) {
  const TempDirectory directory;
  const Image image = random_image(Format::kRGBA8Srgb, {20, 10}, 4, 3);
  ImageView part = image.view();  // 7x6 texels of slices 1 and 3
  part.data = image.view().row(2, 1);
  part.size = {7, 6};
  part.slices = 2;
  part.slice_stride *= 2;
  for (const int zstd : {0, 2}) {
    ASSERT_TRUE(onepass::files::write_ktx2(directory / "x.ktx2", {&part, 1}, {.zstd_level = zstd}));
    const auto file = read(load(directory / "x.ktx2"));
    ASSERT_TRUE(file) << file.error().text();
    for (uint32_t slice = 0; slice < 2; ++slice) {
      for (uint32_t y = 0; y < 6; ++y) {
        EXPECT_EQ(std::memcmp(file->base().row(y, slice), image.view().row(y + 2, 1 + 2 * slice), 28), 0);
      }
    }
  }
}

TEST(FilesKtx2, KeyValuesNameWriterAndOrientation) {
  const TempDirectory directory;
  const Image image = random_image(Format::kR8Unorm, {1, 1}, 1, 3);
  const ImageView view = image.view();
  ASSERT_TRUE(onepass::files::write_ktx2(directory / "x.ktx2", {&view, 1}));
  const Bytes bytes = load(directory / "x.ktx2");
  const std::string text(reinterpret_cast<const char*>(bytes.data()) + get32(bytes, 56), get32(bytes, 60));
  EXPECT_EQ(text.substr(0, 24), std::string("\x12\0\0\0KTXorientation\0rd\0\0\0", 24));
  EXPECT_EQ(text.substr(28, 18), std::string("KTXwriter\0onepass ", 18));
  EXPECT_EQ(text.back(), '\0');
  EXPECT_EQ(text.size() % 4, 0U);
}

TEST(FilesKtx2, WriterRefusesWhatDoesNotFitTogether) {
  const TempDirectory directory;
  const auto code = [&](const std::vector<ImageView>& levels, const onepass::files::Ktx2Options& options = {}) {
    const auto done = onepass::files::write_ktx2(directory / "x.ktx2", levels, options);
    return done ? ErrorCode::kDevice : done.error().code;
  };
  const Image base = random_image(Format::kR8Unorm, {9, 4}, 6, 1);
  const Image good = random_image(Format::kR8Unorm, {4, 2}, 6, 1);
  const Image wrong_size = random_image(Format::kR8Unorm, {5, 2}, 6, 1);
  const Image wrong_slices = random_image(Format::kR8Unorm, {4, 2}, 5, 1);
  const Image wrong_format = random_image(Format::kR16Unorm, {4, 2}, 6, 1);
  const Image one = random_image(Format::kR8Unorm, {1, 1}, 1, 1);
  const ImageView nothing;
  EXPECT_EQ(code({base.view(), good.view()}), ErrorCode::kDevice);  // stands for success
  EXPECT_EQ(code({}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({nothing}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({base.view(), wrong_size.view()}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({base.view(), wrong_slices.view()}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({base.view(), wrong_format.view()}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({one.view(), one.view()}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({base.view()}, {.cube = true}), ErrorCode::kInvalidArgument);  // not square
  EXPECT_EQ(code({one.view()}, {.cube = true}), ErrorCode::kInvalidArgument);   // not six slices
  EXPECT_EQ(code({base.view()}, {.zstd_level = 23}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({base.view()}, {.code_points = {9, 1}}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({base.view()}, {.code_points = {11, 8}}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({base.view()}, {.code_points = {0, 16}}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({base.view()}, {.zstd_level = -1}), ErrorCode::kInvalidArgument);
}

}  // namespace
