// blocks_bc6h_test.cpp: compression to BC6H against the decoder of the oracle: flat blocks are exact, every mode is
// written, errors stay within the steps of indices and endpoints, higher qualities are better, odd values are handled.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "image/small_float.hpp"
#include "tests/blocks/blocks_oracle.hpp"
#include "tests/blocks/blocks_testing.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

constexpr int kMostCode = 0x7BFF;  // of 65504
constexpr BlockFormat kFormats[] = {BlockFormat::kBc6hUfloat, BlockFormat::kBc6hSfloat};

/// The bits of a half float as an integer, negative for negative halves.
int code_of(double value) {
  const int code = encode_half(static_cast<float>(std::abs(value)));
  return value < 0 ? -code : code;
}

float value_of(int code) {
  const float value = decode_half(static_cast<uint16_t>(std::abs(code)));
  return code < 0 ? -value : value;
}

/// An image of blocks next to each other; `code(n, i, c)` is that of channel c of texel i of block n.
template <typename Code>
Image blocks_of(uint32_t count, const Code& code) {
  auto image = Image::create(Format::kRGBA32Sfloat, {4 * count, 4});
  EXPECT_TRUE(image);
  for (uint32_t y = 0; y < 4; ++y) {
    auto* const row = reinterpret_cast<float*>(image->view().row(y));
    for (uint32_t x = 0; x < 4 * count; ++x) {
      for (uint32_t c = 0; c < 3; ++c) row[4 * x + c] = value_of(code(x / 4, 4 * y + x % 4, c));
      row[4 * x + 3] = 0.5F;  // is lost
    }
  }
  return std::move(*image);
}

/// The largest and the summed squared difference of codes, by the oracle.
struct Errors {
  int largest = 0;
  double sum = 0;
};

Errors errors_of(const Image& source, const BlockImage& blocks) {
  Errors out;
  for (uint32_t n = 0; n < source.size().width / 4; ++n) {
    const auto texels = blocks_oracle::decode(blocks.format(), blocks.view().row(0) + size_t{16} * n);
    for (uint32_t i = 0; i < 16; ++i) {
      const auto* const texel = reinterpret_cast<const float*>(source.view().row(i / 4)) + size_t{4} * (4 * n + i % 4);
      EXPECT_EQ(texels[i][3], 1);
      for (uint32_t c = 0; c < 3; ++c) {
        const int difference = code_of(texels[i][c]) - code_of(texel[c]);
        out.largest = std::max(out.largest, std::abs(difference));
        out.sum += static_cast<double>(difference) * difference;
      }
    }
  }
  return out;
}

BlockImage compressed(const Image& source, BlockFormat format, const BlockOptions& options) {
  auto blocks = BlockImage::create(format, source.size());
  EXPECT_TRUE(blocks);
  const auto done = cpu::compress(source.view(), blocks->view(), options);
  EXPECT_TRUE(done) << (done ? "" : done.error().message);
  return std::move(*blocks);
}

/// The number of the mode of a block.
uint32_t mode_of(const std::byte* block) {
  const auto first = static_cast<uint32_t>(block[0]);
  return (first & 3U) < 2 ? first & 3U : first & 31U;
}

TEST(BlocksBc6h, FlatBlocksAreExact) {
  for (const BlockFormat format : kFormats) {
    const bool has_sign = format == BlockFormat::kBc6hSfloat;
    const Image source = blocks_of(6000, [&](uint32_t n, uint32_t /*i*/, uint32_t c) {
      const int code = n < 4 ? static_cast<int>(n) : static_cast<int>((n * 5 + c * 7919 * n) % (kMostCode + 1));
      return n == 4 ? kMostCode : has_sign && (n + c) % 3 == 0 ? -code : code;
    });
    for (const BlockQuality quality : {BlockQuality::kFast, BlockQuality::kNormal}) {
      EXPECT_EQ(errors_of(source, compressed(source, format, {.quality = quality})).largest, 0) << name_of(format);
    }
  }
}

// Colours on a line: an index moves a colour by at most a fourteenth of the line, and texels lie between two of them.
TEST(BlocksBc6h, GradientsAreWithinAStepOfIndices) {
  for (const BlockFormat format : kFormats) {
    for (const int range : {16, 200, 3000, 20000}) {
      const Image source = blocks_of(300, [&](uint32_t n, uint32_t i, uint32_t c) {
        const int base = static_cast<int>((n * 37 + 1000 * c) % 9000);
        const int slope = c == n % 3 ? range : range / 3;
        return base + slope * static_cast<int>(i * 7 % 16) / 15;
      });
      for (const BlockQuality quality : {BlockQuality::kFast, BlockQuality::kBest}) {
        const int largest = errors_of(source, compressed(source, format, {.quality = quality})).largest;
        // Ten bits of endpoints at least: 16 of 31744 codes each in one direction; twice that with sign.
        EXPECT_LE(largest, range / 28 + (format == BlockFormat::kBc6hSfloat ? 32 : 16))
            << name_of(format) << " " << range;
      }
    }
  }
}

/// Blocks with one or two clusters, of all spreads.
Image clusters(uint32_t count, bool has_sign) {
  std::mt19937 random(random_seed());
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<std::array<std::array<double, 3>, 3>> blocks(count);  // two centres, and spreads
  for (uint32_t n = 0; n < count; ++n) {
    auto& block = blocks[n];
    const double scale = n % 4 == 0 ? 4 * kMostCode : std::exp2(15 * uniform(random));
    for (uint32_t c = 0; c < 3; ++c) {
      block[0][c] = kMostCode * (has_sign ? 2 * uniform(random) - 1 : uniform(random));
      block[1][c] = block[0][c] + scale * (uniform(random) - 0.5) * (uniform(random) < 0.3 ? 0.2 : 1);
      block[2][c] = scale * 0.2 * uniform(random);
    }
  }
  return blocks_of(count, [&](uint32_t n, uint32_t i, uint32_t c) {
    const auto& block = blocks[n];
    const bool second = n % 3 != 0 && (n % 2 == 0 ? i % 4 >= 2 : i >= 8 + n % 4);
    const double code = block[second ? 1 : 0][c] + block[2][c] * (uniform(random) - 0.5);
    return static_cast<int>(std::clamp(code, has_sign ? -1.0 * kMostCode : 0.0, 1.0 * kMostCode));
  });
}

TEST(BlocksBc6h, EveryModeIsWrittenAndQualitiesHelp) {
  for (const BlockFormat format : kFormats) {
    const Image source = clusters(4000, format == BlockFormat::kBc6hSfloat);
    double before = std::numeric_limits<double>::max();
    std::set<uint32_t> modes;
    for (const BlockQuality quality : {BlockQuality::kFast, BlockQuality::kNormal, BlockQuality::kBest}) {
      const BlockImage blocks = compressed(source, format, {.quality = quality});
      const double sum = errors_of(source, blocks).sum;
      EXPECT_LT(sum, before) << name_of(format);
      before = sum;
      for (uint32_t n = 0; n < 4000; ++n) modes.insert(mode_of(blocks.view().row(0) + size_t{16} * n));
    }
    EXPECT_EQ(modes, (std::set<uint32_t>{0, 1, 2, 3, 6, 7, 10, 11, 14, 15, 18, 22, 26, 30})) << name_of(format);
  }
}

TEST(BlocksBc6h, TwoSubsetsFollowTwoLines) {
  // Green differs in both halves, which no line through both follows; with two subsets each half has its own line.
  const Image source = blocks_of(64, [](uint32_t /*n*/, uint32_t i, uint32_t c) {
    const int green = c == 1 ? 1200 * static_cast<int>(i / 4) : 0;
    return (i % 4 < 2 ? 8000 : 11000 + 500 * static_cast<int>(c)) + green;
  });
  const double one =
      errors_of(source, compressed(source, BlockFormat::kBc6hUfloat, {.quality = BlockQuality::kFast})).sum;
  const double two = errors_of(source, compressed(source, BlockFormat::kBc6hUfloat, {})).sum;
  EXPECT_LT(two, 0.5 * one);
}

TEST(BlocksBc6h, LumaLowersTheWeightedError) {
  const Image source = clusters(500, false);
  const auto green = [&](BlockMetric metric) {
    const BlockImage blocks = compressed(source, BlockFormat::kBc6hUfloat, {.metric = metric});
    double sum = 0;
    for (uint32_t n = 0; n < 500; ++n) {
      const auto texels = blocks_oracle::decode(blocks.format(), blocks.view().row(0) + size_t{16} * n);
      for (uint32_t i = 0; i < 16; ++i) {
        const auto* const texel =
            reinterpret_cast<const float*>(source.view().row(i / 4)) + size_t{4} * (4 * n + i % 4);
        const double weights[3] = {0.2126, 0.7152, 0.0722};
        for (uint32_t c = 0; c < 3; ++c) sum += weights[c] * std::pow(code_of(texels[i][c]) - code_of(texel[c]), 2);
      }
    }
    return sum;
  };
  EXPECT_LT(green(BlockMetric::kLuma), green(BlockMetric::kUniform));
}

TEST(BlocksBc6h, ValuesOutsideTheRangeAreClamped) {
  auto source = Image::create(Format::kRGBA32Sfloat, {4, 4});
  ASSERT_TRUE(source);
  auto* const values = reinterpret_cast<float*>(source->data());
  const float infinity = std::numeric_limits<float>::infinity();
  for (const auto& [given, no_sign, sign] :
       {std::array{infinity, 65504.0F, 65504.0F}, std::array{1e9F, 65504.0F, 65504.0F}, std::array{NAN, 0.0F, 0.0F},
        std::array{-2.0F, 0.0F, -2.0F}, std::array{-infinity, 0.0F, -65504.0F}, std::array{-0.0F, 0.0F, 0.0F}}) {
    std::fill_n(values, 64, given);
    for (const BlockFormat format : kFormats) {
      const BlockImage blocks = compressed(*source, format, {});
      const auto texels = blocks_oracle::decode(format, blocks.view().row(0));
      for (const auto& texel : texels) {
        for (uint32_t c = 0; c < 3; ++c)
          EXPECT_EQ(texel[c], format == BlockFormat::kBc6hUfloat ? no_sign : sign) << given;
      }
    }
  }
}

TEST(BlocksBc6h, SizesThatFourDoesNotDivide) {
  for (const Extent size : {Extent{1, 1}, Extent{2, 1}, Extent{5, 3}, Extent{5, 6}}) {
    auto source = Image::create(Format::kRGBA16Sfloat, size);
    ASSERT_TRUE(source);
    for (uint32_t y = 0; y < size.height; ++y) {
      std::vector<float> row(size_t{4} * size.width, 3.25F);
      if (size.width > 4) row[4 * 4] = row[4 * 4 + 1] = 100;  // texel 4, the first of its block
      encode_row(Format::kRGBA16Sfloat, row.data(), size.width, source->view().row(y));
    }
    const BlockImage blocks = compressed(*source, BlockFormat::kBc6hUfloat, {.quality = BlockQuality::kBest});
    auto out = Image::create(Format::kRGBA32Sfloat, size);
    ASSERT_TRUE(out && cpu::decompress(blocks.view(), out->view()));
    for (uint32_t y = 0; y < size.height; ++y) {
      const auto* const row = reinterpret_cast<const float*>(out->view().row(y));
      for (uint32_t x = 0; x < size.width; ++x) {
        EXPECT_EQ(row[4 * x], x == 4 ? 100.0F : 3.25F) << size.width << "x" << size.height << " at " << x << "," << y;
        EXPECT_EQ(row[4 * x + 2], 3.25F);
      }
    }
  }
}

// The texels of an image of 3x3 are nearer to their values than those of the same texels in a block of 4x4 that repeats
// its last row and column.
TEST(BlocksBc6h, RepeatedTexelsOfPartialBlocksHaveNoWeight) {
  constexpr uint32_t kCount = 400;
  auto small = Image::create(Format::kRGBA32Sfloat, {3, 3}, kCount);
  auto whole = Image::create(Format::kRGBA32Sfloat, {4, 4}, kCount);
  ASSERT_TRUE(small && whole);
  std::mt19937 random(random_seed());
  const auto texel = [](const Image& image, uint32_t n, uint32_t x, uint32_t y) {
    return reinterpret_cast<float*>(const_cast<std::byte*>(image.view().row(y, n))) + size_t{4} * x;
  };
  for (uint32_t n = 0; n < kCount; ++n) {
    for (uint32_t i = 0; i < 9; ++i) {
      for (uint32_t c = 0; c < 4; ++c) {
        texel(*small, n, i % 3, i / 3)[c] = value_of(static_cast<int>(9000 + random() % 8000));
      }
    }
    for (uint32_t i = 0; i < 16; ++i) {
      std::copy_n(texel(*small, n, std::min(i % 4, 2U), std::min(i / 4, 2U)), 4, texel(*whole, n, i % 4, i / 4));
    }
  }
  const auto error = [&](const Image& source) {
    auto blocks = BlockImage::create(BlockFormat::kBc6hUfloat, source.size(), kCount);
    EXPECT_TRUE(blocks && cpu::compress(source.view(), blocks->view(), {.quality = BlockQuality::kBest}));
    double sum = 0;
    for (uint32_t n = 0; n < kCount; ++n) {
      const auto made = blocks_oracle::decode(blocks->format(), blocks->view().row(0, n));
      for (uint32_t i = 0; i < 9; ++i) {
        for (uint32_t c = 0; c < 3; ++c) {
          sum += std::pow(code_of(made[4 * (i / 3) + i % 3][c]) - code_of(texel(*small, n, i % 3, i / 3)[c]), 2);
        }
      }
    }
    return sum;
  };
  const double alone = error(*small);
  const double repeated = error(*whole);
  EXPECT_LT(alone, 0.9 * repeated) << alone << " " << repeated;
}

}  // namespace
}  // namespace onepass::testing
