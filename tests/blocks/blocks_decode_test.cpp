// blocks_decode_test.cpp: cpu::decompress against the definition of every format, on random blocks of every mode;
// sizes, strides, slices, targets, errors; the table of formats and BlockImage.
#include <cmath>
#include <cstring>
#include <set>

#include <gtest/gtest.h>

#include "tests/blocks/blocks_oracle.hpp"
#include "tests/blocks/blocks_testing.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

constexpr uint32_t kCount = 2304;  // 256 of each mode of BC7, 72 of each number of BC6H

Image decompressed(const BlockView& blocks, Format format, uint32_t threads = 1) {
  auto image = Image::create(format, blocks.size, blocks.slices);
  EXPECT_TRUE(image);
  auto done = cpu::decompress(blocks, image->view(), {.threads = threads});
  EXPECT_TRUE(done) << (done ? "" : done.error().message);
  return std::move(*image);
}

// What `value` of a channel becomes in floats: 8-bit codes for bytes, floats for others. Halves of a code are rounded
// up; as doubles they may be a little less than a half.
double rounded(const BlockFormatInfo& info, double value) {
  const bool bytes = info.texels == Format::kRGBA8Unorm || info.texels == Format::kRGBA8Srgb;
  return bytes ? std::floor(value * 255 + 0.5 + 1e-9) / 255 : value;
}

TEST(BlocksDecode, EveryFormatByItsDefinition) {
  for (const BlockFormatInfo& info : all_block_formats()) {
    if (info.type == ChannelType::kSrgb) continue;  // the next test
    if (is_astc(info.format)) continue;             // blocks_astc_test
    const auto data = random_blocks(info.format, kCount, random_seed());
    const BlockView blocks = tight_blocks(info.format, data, {4 * kCount, 4});
    const Image image = decompressed(blocks, Format::kRGBA32Sfloat);
    int wrong = 0;
    for (uint32_t n = 0; n < kCount && wrong < 5; ++n) {
      const auto expected = blocks_oracle::decode(info.format, data.data() + n * info.bytes_per_block);
      for (uint32_t i = 0; i < 16; ++i) {
        float texel[4];
        std::memcpy(texel, image.view().row(i / 4) + (4 * n + i % 4) * sizeof texel, sizeof texel);
        for (uint32_t c = 0; c < 4; ++c) {
          const auto value = static_cast<float>(rounded(info, expected[i][c]));
          if (texel[c] == value) continue;
          ADD_FAILURE() << info.name << ", block " << n << ", texel " << i << ", channel " << c << ": " << texel[c]
                        << ", expected " << value;
          ++wrong;
        }
      }
    }
  }
}

TEST(BlocksDecode, SrgbFormatsHaveTheBitsOfUnormFormats) {
  for (const BlockFormatInfo& info : all_block_formats()) {
    if (info.type != ChannelType::kSrgb || is_astc(info.format)) continue;
    const auto unorm = static_cast<BlockFormat>(static_cast<uint32_t>(info.format) - 1);
    const auto data = random_blocks(info.format, kCount, random_seed());
    const Image srgb = decompressed(tight_blocks(info.format, data, {4 * kCount, 4}), Format::kRGBA8Srgb);
    const Image plain = decompressed(tight_blocks(unorm, data, {4 * kCount, 4}), Format::kRGBA8Unorm);
    EXPECT_EQ(std::memcmp(srgb.data(), plain.data(), srgb.size_in_bytes()), 0) << info.name;
  }
}

TEST(BlocksDecode, SrgbBecomesLinearLight) {
  const auto data = random_blocks(BlockFormat::kBc7Srgb, 64, random_seed());
  const BlockView blocks = tight_blocks(BlockFormat::kBc7Srgb, data, {256, 4});
  const Image encoded = decompressed(blocks, Format::kRGBA8Srgb);
  const Image light = decompressed(blocks, Format::kRGBA32Sfloat);
  std::vector<float> row(size_t{4} * 256);
  decode_row(Format::kRGBA8Srgb, encoded.view().row(3), 256, row.data());
  EXPECT_EQ(std::memcmp(row.data(), light.view().row(3), row.size() * sizeof(float)), 0);
}

TEST(BlocksDecode, PartialBlocksStridesSlicesAndThreads) {
  for (const Extent size : {Extent{1, 1}, Extent{2, 3}, Extent{5, 4}, Extent{7, 13}, Extent{33, 2}}) {
    const Extent count = size_in_blocks(BlockFormat::kBc7Unorm, size);
    constexpr uint32_t kSlices = 3;
    const size_t row_stride = count.width * 16 + 48;
    const size_t slice_stride = row_stride * count.height + 32;
    const auto data = random_blocks(BlockFormat::kBc7Unorm, slice_stride * kSlices / 16 + 1, random_seed());
    const BlockView blocks{data.data(), BlockFormat::kBc7Unorm, size, kSlices, row_stride, slice_stride};
    for (const uint32_t threads : {1U, 2U, 7U}) {
      const Image image = decompressed(blocks, Format::kRGBA8Unorm, threads);
      for (uint32_t slice = 0; slice < kSlices; ++slice) {
        for (uint32_t y = 0; y < size.height; ++y) {
          for (uint32_t x = 0; x < size.width; ++x) {
            const auto texels = blocks_oracle::decode(blocks.format, blocks.row(y / 4, slice) + size_t{16} * (x / 4));
            for (uint32_t c = 0; c < 4; ++c) {
              const auto code = static_cast<int>(image.view().row(y, slice)[4 * x + c]);
              ASSERT_EQ(code, std::lround(texels[4 * (y % 4) + x % 4][c] * 255)) << size.width << "x" << size.height;
            }
          }
        }
      }
    }
  }
}

TEST(BlocksDecode, SignedValuesBecomeUnormAsNormalMapsStoreThem) {
  const auto data = random_blocks(BlockFormat::kBc5Snorm, 64, random_seed());
  const BlockView blocks = tight_blocks(BlockFormat::kBc5Snorm, data, {256, 4});
  const Image floats = decompressed(blocks, Format::kRG32Sfloat);
  const Image codes = decompressed(blocks, Format::kRG16Unorm);
  const auto* const values = reinterpret_cast<const float*>(floats.data());
  const auto* const stored = reinterpret_cast<const uint16_t*>(codes.data());
  for (size_t i = 0; i < size_t{2} * 256 * 4; ++i) {
    ASSERT_NEAR(stored[i], (values[i] + 1.0) / 2 * 65535, 0.51) << i;
  }
}

TEST(BlocksDecode, SaysWhatIsWrong) {
  const std::vector<std::byte> data(1024);
  auto image = Image::create(Format::kRGBA8Unorm, {9, 9}, 2);
  ASSERT_TRUE(image);
  const BlockView good{data.data(), BlockFormat::kBc7Unorm, {9, 9}, 2, 48, 144};
  const auto message = [&](const BlockView& blocks, const MutableImageView& target) {
    const auto done = cpu::decompress(blocks, target);
    if (!done) {
      EXPECT_EQ(done.error().code, ErrorCode::kInvalidArgument);
    }
    return done ? std::string("fine") : done.error().message;
  };
  const auto changed = [&](auto change) {
    BlockView bad = good;
    change(bad);
    return message(bad, image->view());
  };
  EXPECT_EQ(message(good, image->view()), "fine");
  EXPECT_EQ(changed([](BlockView& b) { b.data = nullptr; }), "blocks: data is null");
  EXPECT_EQ(changed([](BlockView& b) { b.format = static_cast<BlockFormat>(130); }), "blocks: unknown format 130");
  EXPECT_EQ(changed([](BlockView& b) { b.size.width = 0; }), "blocks: size 0x9, not 1 to 65535 per axis");
  EXPECT_EQ(changed([](BlockView& b) { b.size.height = 65536; }), "blocks: size 9x65536, not 1 to 65535 per axis");
  EXPECT_EQ(changed([](BlockView& b) { b.slices = 0; }), "blocks: slices 0");
  EXPECT_EQ(changed([](BlockView& b) { b.row_stride = 47; }), "blocks: row_stride 47, a row of blocks has 48 bytes");
  EXPECT_EQ(changed([](BlockView& b) { b.slice_stride = 143; }), "blocks: slice_stride 143, a slice has 144 bytes");
  EXPECT_EQ(changed([](BlockView& b) { b.row_stride = SIZE_MAX; }),
            "blocks: row_stride 18446744073709551615, more than memory has for 3 rows of blocks");
  EXPECT_EQ(changed([](BlockView& b) { b.slice_stride = SIZE_MAX; }),
            "blocks: slice_stride 18446744073709551615, more than memory has for 2 slices");
  EXPECT_EQ(changed([](BlockView& b) { b.slices = 1; }), "target: slices 2, expected 1");
  EXPECT_EQ(changed([](BlockView& b) { b.size.height = 8; }), "target: size 9x9, expected 9x8");
  MutableImageView target = image->view();
  target.format = Format::kD32Sfloat;
  EXPECT_EQ(message(good, target), "target: format d32_sfloat has no colours that blocks could hold");
  target.format = Format::kR8Uint;
  EXPECT_EQ(message(good, target), "target: format r8_uint has no colours that blocks could hold");
  target.format = Format::kUndefined;
  EXPECT_EQ(message(good, target), "target: unknown format 0");
  target = image->view();
  target.row_stride = 35;
  EXPECT_EQ(message(good, target), "target: row_stride 35, a row has 36 bytes");
}

TEST(BlockFormats, TableIsConsistent) {
  std::set<std::string_view> names;
  uint32_t number = 131;
  for (const BlockFormatInfo& info : all_block_formats()) {
    if (!is_astc(info.format)) {
      EXPECT_EQ(static_cast<uint32_t>(info.format), number++);
    }
    EXPECT_EQ(&block_format_info(info.format), &info);
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(info.type == ChannelType::kSrgb, info.name.ends_with("_srgb"));
    EXPECT_EQ(info.has_sign, info.name.ends_with("_snorm") || info.name == "bc6h_sfloat");
    EXPECT_NE(format_info(info.texels).channels, 0U);
    EXPECT_EQ(format_info(info.texels).type == ChannelType::kSrgb, info.type == ChannelType::kSrgb);
    const bool small = info.name.starts_with("bc1") || info.name.starts_with("bc4");
    EXPECT_EQ(info.bytes_per_block, small ? 8U : 16U);
  }
  EXPECT_EQ(number, 147U);
  EXPECT_EQ(block_format_info(BlockFormat::kUndefined).channels, 0U);
  EXPECT_EQ(block_format_info(static_cast<BlockFormat>(147)).channels, 0U);
}

TEST(BlockImage, AllocatesWholeBlocks) {
  auto image = BlockImage::create(BlockFormat::kBc1RgbUnorm, {9, 4}, 2);
  ASSERT_TRUE(image);
  EXPECT_EQ(image->size(), (Extent{9, 4}));
  EXPECT_EQ(image->slices(), 2U);
  EXPECT_EQ(image->view().row_stride, 24U);
  EXPECT_EQ(image->size_in_bytes(), 48U);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(image->view().data) % 64, 0U);
  BlockImage moved = std::move(*image);
  EXPECT_EQ(moved.format(), BlockFormat::kBc1RgbUnorm);
  EXPECT_EQ(image->view().data, nullptr);
  const auto message = [](BlockFormat format, Extent size, uint32_t slices) {
    auto made = BlockImage::create(format, size, slices);
    return made ? std::string("fine") : made.error().message;
  };
  EXPECT_EQ(message(BlockFormat::kUndefined, {4, 4}, 1), "blocks: unknown format 0");
  EXPECT_EQ(message(BlockFormat::kBc7Unorm, {4, 0}, 1), "blocks: size 4x0, not 1 to 65535 per axis");
  EXPECT_EQ(message(BlockFormat::kBc7Unorm, {4, 4}, 0), "blocks: slices 0");
  EXPECT_EQ(message(BlockFormat::kBc7Unorm, {65535, 65535}, UINT32_MAX),
            "no memory for blocks of size 65535x65535, slices 4294967295 in bc7_unorm");
}

}  // namespace
}  // namespace onepass::testing
