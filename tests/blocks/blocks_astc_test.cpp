// blocks_astc_test.cpp: ASTC by astcenc: blocks whose texels the specification states, errors of every block size in
// numbers, sizes that blocks do not divide, bands of large images, any number of threads, alpha, floats, errors.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "tests/blocks/blocks_testing.hpp"
#include "tests/cpu/simd_targets.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

/// Smooth colours and edges in 8 bits; alpha is a wave.
Image picture(Format format, Extent size, uint32_t slices = 1) {
  auto image = Image::create(format, size, slices);
  EXPECT_TRUE(image);
  for (uint32_t slice = 0; slice < slices; ++slice) {
    for (uint32_t y = 0; y < size.height; ++y) {
      auto* const row = reinterpret_cast<uint8_t*>(image->view().row(y, slice));
      for (uint32_t x = 0; x < size.width; ++x) {
        for (uint32_t c = 0; c < 4; ++c) {
          const double wave = 60 * std::sin(0.05 * x * (c + 1) + slice) + 50 * std::cos(0.07 * y + 1.3 * c);
          const double edge = (x / 23 + y / 17) % 4 == c ? 30 : 0;
          row[4 * x + c] = static_cast<uint8_t>(std::clamp(120 + wave + edge, 0.0, 255.0));
        }
      }
    }
  }
  return std::move(*image);
}

BlockImage compressed(const ImageView& source, BlockFormat format, const BlockOptions& options = {},
                      uint32_t threads = 1) {
  auto blocks = BlockImage::create(format, source.size, source.slices);
  EXPECT_TRUE(blocks);
  const auto done = cpu::compress(source, blocks->view(), options, {.threads = threads});
  EXPECT_TRUE(done) << (done ? "" : done.error().message);
  return std::move(*blocks);
}

Image decompressed(const BlockView& blocks, Format format, uint32_t threads = 1) {
  auto image = Image::create(format, blocks.size, blocks.slices);
  EXPECT_TRUE(image && cpu::decompress(blocks, image->view(), {.threads = threads}));
  return std::move(*image);
}

bool same_bytes(const BlockImage& a, const BlockImage& b) {
  return a.size_in_bytes() == b.size_in_bytes() && std::memcmp(a.view().data, b.view().data, a.size_in_bytes()) == 0;
}

/// Decibels of all channels of 8-bit images.
double psnr(const Image& a, const Image& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size_in_bytes(); ++i) {
    sum += std::pow(static_cast<int>(a.data()[i]) - static_cast<int>(b.data()[i]), 2);
  }
  return 10 * std::log10(255.0 * 255 * static_cast<double>(a.size_in_bytes()) / sum);
}

std::vector<BlockFormatInfo> astc_formats(ChannelType type) {
  std::vector<BlockFormatInfo> formats;
  for (const BlockFormatInfo& info : all_block_formats()) {
    if (is_astc(info.format) && info.type == type) formats.push_back(info);
  }
  return formats;
}

TEST(BlocksAstc, FormatsAreThoseOfVulkan) {
  for (const ChannelType type : {ChannelType::kUnorm, ChannelType::kSrgb, ChannelType::kFloat}) {
    EXPECT_EQ(astc_formats(type).size(), 14U);
  }
  const BlockFormatInfo& wide = block_format_info(static_cast<BlockFormat>(180));  // ASTC_10x10_SRGB
  EXPECT_EQ(wide.name, "astc_10x10_srgb");
  EXPECT_EQ(wide.size, (Extent{10, 10}));
  const BlockFormatInfo& floats = block_format_info(static_cast<BlockFormat>(1000066006));  // ASTC_8x6_SFLOAT
  EXPECT_EQ(floats.name, "astc_8x6_sfloat");
  EXPECT_EQ(floats.size, (Extent{8, 6}));
  EXPECT_EQ(size_in_blocks(floats.format, {9, 13}), (Extent{2, 3}));
  EXPECT_EQ(size_in_blocks(floats.format, {8, 6}), (Extent{1, 1}));
  EXPECT_EQ(block_format_info(static_cast<BlockFormat>(185)).channels, 0U);
  EXPECT_EQ(block_format_info(static_cast<BlockFormat>(1000066014)).channels, 0U);
}

// Blocks of one colour, as the specification's section on void extents states them.
TEST(BlocksAstc, BlocksOfOneColourDecodeAsSpecified) {
  constexpr uint8_t kLdr[16] = {0xFC, 0xFD, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                0xFF, 0xFF, 0x80, 0x80, 0x00, 0x00, 0x33, 0x33};
  const BlockView ldr{kLdr, BlockFormat::kAstc8x5Unorm, {8, 5}, 1, 16, 0};
  const Image colours = decompressed(ldr, Format::kRGBA8Unorm);
  for (size_t i = 0; i < colours.size_in_bytes(); ++i) {
    EXPECT_EQ(static_cast<int>(colours.data()[i]), (std::array{255, 128, 0, 51}[i % 4])) << i;
  }
  constexpr uint8_t kHdr[16] = {0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                0x00, 0x3C, 0x00, 0x40, 0xFF, 0x7B, 0x00, 0x38};  // halves 1, 2, 65504, 0.5
  const BlockView hdr{kHdr, BlockFormat::kAstc4x4Sfloat, {3, 2}, 1, 16, 0};
  const Image light = decompressed(hdr, Format::kRGBA32Sfloat);
  for (size_t i = 0; i < 24; ++i) {
    float value;
    std::memcpy(&value, light.data() + 4 * i, 4);
    EXPECT_EQ(value, (std::array{1.0F, 2.0F, 65504.0F, 0.5F}[i % 4])) << i;
  }
}

// The figures are those of astcenc 4.2, less half a decibel.
TEST(BlocksAstc, EveryBlockSizeKeepsItsQuality) {
  const double kFloors[] = {39.2, 37.6, 36.2, 34.9, 33.3, 33.5, 32.7, 30.7, 32.4, 31.6, 29.8, 28.6, 27.8, 26.8};
  size_t n = 0;
  for (const BlockFormatInfo& info : astc_formats(ChannelType::kSrgb)) {
    const Image source = picture(Format::kRGBA8Srgb, {131, 97}, 2);
    const BlockImage blocks = compressed(source.view(), info.format, {.quality = BlockQuality::kFast});
    const Extent count = size_in_blocks(info.format, {131, 97});
    EXPECT_EQ(blocks.size_in_bytes(), size_t{2} * 16 * count.width * count.height);
    const double decibels = psnr(source, decompressed(blocks.view(), Format::kRGBA8Srgb));
    EXPECT_GE(decibels, kFloors[n++]) << info.name;
    // The blocks of UNORM are other ones, but hold the same numbers within the error.
    Image plain = picture(Format::kRGBA8Unorm, {131, 97}, 2);
    const auto unorm = static_cast<BlockFormat>(static_cast<uint32_t>(info.format) - 1);
    const BlockImage linear = compressed(plain.view(), unorm, {.quality = BlockQuality::kFast});
    EXPECT_NEAR(psnr(plain, decompressed(linear.view(), Format::kRGBA8Unorm)), decibels, 1.5) << info.name;
  }
}

TEST(BlocksAstc, HigherQualitiesAreBetter) {
  const Image source = picture(Format::kRGBA8Srgb, {96, 96});
  double before = 0;
  for (const BlockQuality quality : {BlockQuality::kFast, BlockQuality::kNormal, BlockQuality::kBest}) {
    const BlockImage blocks = compressed(source.view(), BlockFormat::kAstc6x6Srgb, {.quality = quality});
    const double decibels = psnr(source, decompressed(blocks.view(), Format::kRGBA8Srgb));
    EXPECT_GT(decibels, before);
    before = decibels;
  }
}

TEST(BlocksAstc, ThreadsAndStridesDoNotMatter) {
  const SevenThreads allow;
  for (const Extent size : {Extent{1, 1}, Extent{2, 3}, Extent{5, 4}, Extent{7, 13}, Extent{33, 2}, Extent{64, 65}}) {
    const Image source = picture(Format::kRGBA8Unorm, size, 3);
    for (const BlockFormat format : {BlockFormat::kAstc4x4Unorm, BlockFormat::kAstc12x10Unorm}) {
      const BlockImage expected = compressed(source.view(), format, {.quality = BlockQuality::kFast});
      const Image texels = decompressed(expected.view(), Format::kRGBA8Unorm);
      for (const uint32_t threads : {2U, 7U}) {
        EXPECT_TRUE(same_bytes(compressed(source.view(), format, {.quality = BlockQuality::kFast}, threads), expected));
        const Image same = decompressed(expected.view(), Format::kRGBA8Unorm, threads);
        EXPECT_EQ(std::memcmp(same.data(), texels.data(), texels.size_in_bytes()), 0);
      }
      // Gaps between rows and slices of blocks keep their bytes.
      const Extent count = size_in_blocks(format, size);
      const size_t row = size_t{16} * count.width;
      std::vector<std::byte> memory((row + 24) * count.height * 3 + 40, std::byte{0xA5});
      const MutableBlockView wide{memory.data(), format, size, 3, row + 24, (row + 24) * count.height + 8};
      ASSERT_TRUE(cpu::compress(source.view(), wide, {.quality = BlockQuality::kFast}));
      for (uint32_t slice = 0; slice < 3; ++slice) {
        for (uint32_t y = 0; y < count.height; ++y) {
          EXPECT_EQ(std::memcmp(wide.row(y, slice), expected.view().row(y, slice), row), 0);
          EXPECT_EQ(wide.row(y, slice)[row], std::byte{0xA5});
        }
      }
      const Image same = decompressed(wide, Format::kRGBA8Unorm);
      EXPECT_EQ(std::memcmp(same.data(), texels.data(), texels.size_in_bytes()), 0);
    }
  }
}

// Images of more than a million texels pass in bands of rows of blocks.
TEST(BlocksAstc, BandsHaveTheBlocksOfTheirImage) {
  const Extent size{4099, 600};
  auto image = Image::create(Format::kRGBA8Srgb, size);
  ASSERT_TRUE(image);
  for (uint32_t y = 0; y < size.height; ++y) {
    auto* const row = reinterpret_cast<uint8_t*>(image->view().row(y));
    for (uint32_t x = 0; x < 4 * size.width; ++x) row[x] = static_cast<uint8_t>(x / 96 * 7 + y / 24 * 31 + x % 4);
  }
  const BlockImage whole = compressed(image->view(), BlockFormat::kAstc6x6Srgb, {.quality = BlockQuality::kFast}, 2);
  for (const uint32_t first : {0U, 240U, 594U}) {
    ImageView part = image->view();
    part.data = image->view().row(first);
    part.size.height = 6;
    const BlockImage row = compressed(part, BlockFormat::kAstc6x6Srgb, {.quality = BlockQuality::kFast});
    EXPECT_EQ(std::memcmp(row.view().data, whole.view().row(first / 6), row.size_in_bytes()), 0) << first;
  }
  const Image texels = decompressed(whole.view(), Format::kRGBA8Srgb, 2);
  EXPECT_GE(psnr(*image, texels), 45);
}

TEST(BlocksAstc, FloatsKeepTheirRatios) {
  const Extent size{50, 41};
  auto image = Image::create(Format::kRGBA32Sfloat, size);
  ASSERT_TRUE(image);
  for (uint32_t y = 0; y < size.height; ++y) {
    auto* const row = reinterpret_cast<float*>(image->view().row(y));
    for (uint32_t x = 0; x < 4 * size.width; ++x) {
      row[x] = x % 4 == 3 ? 1 : std::exp2(0.25F * static_cast<float>(x / 4) - 4 + 0.02F * static_cast<float>(y));
    }
  }
  const BlockImage blocks = compressed(image->view(), BlockFormat::kAstc4x4Sfloat);
  const Image light = decompressed(blocks.view(), Format::kRGBA32Sfloat);
  for (uint32_t y = 0; y < size.height; ++y) {
    const auto* const given = reinterpret_cast<const float*>(image->view().row(y));
    const auto* const kept = reinterpret_cast<const float*>(light.view().row(y));
    for (uint32_t x = 0; x < 4 * size.width; ++x) EXPECT_NEAR(kept[x] / given[x], 1, 0.05) << x << ", " << y;
  }
}

TEST(BlocksAstc, UnusualFloatsAreReplaced) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float values[] = {-3, std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity, 1e30F, 0.5F};
  const float expected[] = {0, 0, 65504, 0, 65504, 0.5F};
  for (size_t n = 0; n < std::size(values); ++n) {
    std::vector<float> texels(4 * 16, values[n]);
    const ImageView source{texels.data(), Format::kRGBA32Sfloat, {4, 4}, 1, 64, 0};
    const Image light = decompressed(compressed(source, BlockFormat::kAstc4x4Sfloat).view(), Format::kRGBA32Sfloat);
    float first;
    std::memcpy(&first, light.data(), sizeof first);
    EXPECT_NEAR(first, expected[n], 0.002 * expected[n]) << values[n];
  }
}

TEST(BlocksAstc, OptionsHaveAnEffect) {
  const Image source = picture(Format::kRGBA8Srgb, {48, 48});
  const BlockImage plain = compressed(source.view(), BlockFormat::kAstc8x8Srgb);
  EXPECT_FALSE(same_bytes(plain, compressed(source.view(), plain.format(), {.metric = BlockMetric::kLuma})));
  EXPECT_FALSE(same_bytes(plain, compressed(source.view(), plain.format(), {.alpha = BlockAlpha::kWeighted})));
}

TEST(BlocksAstc, SourcesOfAnyFormatAreConverted) {
  const Image source = picture(Format::kRGBA8Srgb, {24, 24});
  auto light = Image::create(Format::kRGBA32Sfloat, {24, 24});
  ASSERT_TRUE(light);
  for (uint32_t y = 0; y < 24; ++y) {
    decode_row(Format::kRGBA8Srgb, source.view().row(y), 24, reinterpret_cast<float*>(light->view().row(y)));
  }
  const BlockImage expected = compressed(source.view(), BlockFormat::kAstc5x5Srgb);
  EXPECT_TRUE(same_bytes(compressed(light->view(), BlockFormat::kAstc5x5Srgb), expected));
  const Image floats = decompressed(expected.view(), Format::kRGBA32Sfloat);
  const Image bytes = decompressed(expected.view(), Format::kRGBA8Srgb);
  std::vector<float> row(size_t{4} * 24);
  decode_row(Format::kRGBA8Srgb, bytes.view().row(5), 24, row.data());
  EXPECT_EQ(std::memcmp(row.data(), floats.view().row(5), row.size() * sizeof(float)), 0);
}

TEST(BlocksAstc, BadViewsAreRefused) {
  const Image source = picture(Format::kRGBA8Unorm, {12, 12});
  auto blocks = BlockImage::create(BlockFormat::kAstc6x6Unorm, {12, 12});
  ASSERT_TRUE(blocks);
  MutableBlockView view = blocks->view();
  view.row_stride = 31;
  const auto done = cpu::compress(source.view(), view);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "blocks: row_stride 31, a row of blocks has 32 bytes");
  view = blocks->view();
  view.format = static_cast<BlockFormat>(1000066014);
  const auto unknown = cpu::compress(source.view(), view);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "blocks: unknown format 1000066014");
}

}  // namespace
}  // namespace onepass::testing
