// blocks_encode_test.cpp: cpu::compress: errors of decompressed texels in numbers that the formats allow, the same
// blocks for every SIMD target and number of threads, partial blocks, alpha, metrics, signed values, strides, errors.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "tests/blocks/blocks_oracle.hpp"
#include "tests/blocks/blocks_testing.hpp"
#include "tests/cpu/simd_targets.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

constexpr BlockQuality kQualities[] = {BlockQuality::kFast, BlockQuality::kNormal, BlockQuality::kBest};

bool can_compress(const BlockFormatInfo& info) {
  const bool bc2 = info.format == BlockFormat::kBc2Unorm || info.format == BlockFormat::kBc2Srgb;
  return !bc2 && !is_astc(info.format);  // blocks_astc_test
}

/// RGBA8 texels made by `texel(x, y, c)`, 0 to 255.
template <typename Make>
Image make_image(Format format, Extent size, const Make& texel, uint32_t slices = 1) {
  auto image = Image::create(format, size, slices);
  EXPECT_TRUE(image);
  for (uint32_t slice = 0; slice < slices; ++slice) {
    for (uint32_t y = 0; y < size.height; ++y) {
      auto* const row = reinterpret_cast<uint8_t*>(image->view().row(y, slice));
      for (uint32_t x = 0; x < 4 * size.width; ++x) {
        row[x] = static_cast<uint8_t>(std::clamp(std::lround(texel(x / 4, y + 64 * slice, x % 4)), 0L, 255L));
      }
    }
  }
  return std::move(*image);
}

/// Smooth colours, edges and noise; alpha is 255, or a wave.
Image picture(Format format, Extent size, bool alpha, uint32_t slices = 1) {
  std::mt19937 random(7);
  return make_image(
      format, size,
      [&](uint32_t x, uint32_t y, uint32_t c) {
        const double noise = static_cast<double>(random() % 13) - 6;
        if (c == 3) return alpha ? 128 + 150 * std::sin(0.11 * x + 0.07 * y) : 255.0;
        const double wave = 60 * std::sin(0.05 * x * (c + 1) + 0.9 * c) + 50 * std::cos(0.07 * y + 1.3 * c);
        const double edge = (x / 23 + y / 17) % 3 == c ? 60 : 0;
        return 110 + wave + edge + noise;
      },
      slices);
}

BlockImage compressed(const ImageView& source, BlockFormat format, const BlockOptions& options = {},
                      uint32_t threads = 1) {
  auto blocks = BlockImage::create(format, source.size, source.slices);
  EXPECT_TRUE(blocks);
  const auto done = cpu::compress(source, blocks->view(), options, {.threads = threads});
  EXPECT_TRUE(done) << (done ? "" : done.error().message);
  return std::move(*blocks);
}

Image decompressed(const BlockImage& blocks, Format format) {
  auto image = Image::create(format, blocks.size(), blocks.slices());
  EXPECT_TRUE(image && cpu::decompress(blocks.view(), image->view()));
  return std::move(*image);
}

/// Sum of squared differences of RGBA8 images, of the channels first .. last.
double squared_error(const Image& a, const Image& b, uint32_t first = 0, uint32_t last = 2) {
  double sum = 0;
  for (size_t i = 0; i < a.size_in_bytes(); ++i) {
    if (i % 4 < first || i % 4 > last) continue;
    const double difference = static_cast<int>(a.data()[i]) - static_cast<int>(b.data()[i]);
    sum += difference * difference;
  }
  return sum;
}

double psnr(const Image& a, const Image& b, uint32_t first = 0, uint32_t last = 2) {
  const double count = static_cast<double>(a.size_in_bytes()) / 4 * (last - first + 1);
  return 10 * std::log10(255.0 * 255 * count / squared_error(a, b, first, last));
}

TEST(BlocksEncode, EveryTargetAndNumberOfThreadsMakesTheSameBlocks) {
  const SevenThreads allow;
  const Extent size{149, 70};
  const Image plain = picture(Format::kRGBA8Unorm, size, true, 2);
  const Image srgb = picture(Format::kRGBA8Srgb, size, true, 2);
  for (const BlockFormatInfo& info : all_block_formats()) {
    if (!can_compress(info)) continue;
    const ImageView source = info.type == ChannelType::kSrgb ? srgb.view() : plain.view();
    for (const BlockQuality quality : kQualities) {
      const BlockOptions options{.quality = quality, .metric = BlockMetric::kLuma, .alpha = BlockAlpha::kWeighted};
      const BlockImage expected = compressed(source, info.format, options);
      on_every_simd_target([&](const char* target) {
        for (const uint32_t threads : {1U, 2U, 7U}) {
          const BlockImage blocks = compressed(source, info.format, options, threads);
          EXPECT_EQ(std::memcmp(blocks.view().data, expected.view().data, expected.size_in_bytes()), 0)
              << info.name << ", " << target << ", " << threads << " threads";
        }
      });
    }
  }
}

// The figures are those of the encoders, less a tenth of a decibel.
TEST(BlocksEncode, QualitiesKeepTheirPromise) {
  struct Case {
    BlockFormat format;
    bool alpha;
    double fast, normal, best;  // dB of red, green and blue
  };
  for (const Case& c :
       {Case{BlockFormat::kBc1RgbSrgb, false, 33.4, 33.4, 33.6}, Case{BlockFormat::kBc3Unorm, true, 33.4, 33.4, 33.6},
        Case{BlockFormat::kBc7Srgb, false, 34.8, 39.1, 39.6}, Case{BlockFormat::kBc7Unorm, true, 34.0, 36.6, 37.1}}) {
    const Image source = picture(block_format_info(c.format).texels, {256, 192}, c.alpha);
    double before = 0;
    for (const BlockQuality quality : kQualities) {
      const Image out = decompressed(compressed(source.view(), c.format, {.quality = quality}), source.format());
      const double rgb = psnr(source, out);
      const double all = psnr(source, out, 0, 3);
      const double floor = quality == BlockQuality::kFast     ? c.fast
                           : quality == BlockQuality::kNormal ? c.normal
                                                              : c.best;
      EXPECT_GE(rgb, floor) << name_of(c.format);
      EXPECT_GE(all, before) << name_of(c.format) << ": a higher quality is worse";
      before = all;
    }
  }
}

TEST(BlocksEncode, BestOfOneChannelIsWithinATenthOfTheOptimum) {
  // The optimum over all pairs of endpoints, which the format's definition gives.
  const auto optimum = [](const std::array<int, 16>& values) {
    double least = 1e30;
    for (int e0 = 0; e0 < 256; ++e0) {
      for (int e1 = 0; e1 < 256; ++e1) {
        double palette[8] = {static_cast<double>(e0), static_cast<double>(e1)};
        for (int k = 2; k < 8; ++k) {
          palette[k] = e0 > e1  ? ((8 - k) * e0 + (k - 1) * e1) / 7.0
                       : k < 6  ? ((6 - k) * e0 + (k - 1) * e1) / 5.0
                       : k == 6 ? 0
                                : 255;
        }
        double error = 0;
        for (const int value : values) {
          double nearest = 1e30;
          for (const double p : palette) nearest = std::min(nearest, (value - p) * (value - p));
          error += nearest;
          if (error >= least) break;
        }
        least = std::min(least, error);
      }
    }
    return least;
  };
  std::mt19937 random(random_seed());
  double best = 0;
  double least = 0;
  for (int n = 0; n < 12; ++n) {
    std::array<int, 16> values;
    const int range = 20 + 18 * n;
    for (int& value : values)
      value = static_cast<int>(random() % static_cast<uint32_t>(range)) + (n % 2) * (255 - range);
    if (n % 3 == 0) values[3] = values[7] = 255;
    const Image source = make_image(Format::kRGBA8Unorm, {4, 4}, [&](uint32_t x, uint32_t y, uint32_t /*c*/) {
      return static_cast<double>(values[4 * y + x]);
    });
    const BlockImage blocks = compressed(source.view(), BlockFormat::kBc4Unorm, {.quality = BlockQuality::kBest});
    const auto texels = blocks_oracle::decode(blocks.format(), blocks.view().row(0));
    double error = 0;
    for (size_t i = 0; i < 16; ++i) error += std::pow(255 * texels[i][0] - values[i], 2);
    const double bound = optimum(values);
    EXPECT_GE(error, bound - 1e-6);
    best += error;
    least += bound;
  }
  EXPECT_LE(best, 1.1 * least);
}

TEST(BlocksEncode, FlatBlocksAreAsExactAsTheFormatAllows) {
  // One block of each grey and of some colours.
  const Image source = make_image(Format::kRGBA8Unorm, {4 * 512, 4}, [](uint32_t x, uint32_t /*y*/, uint32_t c) {
    const uint32_t n = x / 4;
    if (c == 3) return 255.0;
    return static_cast<double>(n < 256 ? n : (n * (c + 3) * 37) % 256);
  });
  const auto largest = [&](BlockFormat format, BlockQuality quality) {
    const Image out = decompressed(compressed(source.view(), format, {.quality = quality}), Format::kRGBA8Unorm);
    int most = 0;
    for (size_t i = 0; i < source.size_in_bytes(); ++i) {
      if (format == BlockFormat::kBc4Unorm && i % 4 > 0) continue;
      most = std::max(most, std::abs(static_cast<int>(source.data()[i]) - static_cast<int>(out.data()[i])));
    }
    return most;
  };
  for (const BlockQuality quality : kQualities) {
    EXPECT_LE(largest(BlockFormat::kBc1RgbUnorm, quality), 2);  // between 5-bit values 8.2 apart
    EXPECT_LE(largest(BlockFormat::kBc3Unorm, quality), 2);
    EXPECT_EQ(largest(BlockFormat::kBc4Unorm, quality), 0);
    EXPECT_LE(largest(BlockFormat::kBc7Unorm, quality), 1);
  }
}

TEST(BlocksEncode, OpaqueTexelsStayOpaque) {
  const Image source = picture(Format::kRGBA8Srgb, {64, 64}, false);
  for (const BlockFormat format : {BlockFormat::kBc1RgbaSrgb, BlockFormat::kBc3Srgb, BlockFormat::kBc7Srgb}) {
    for (const BlockQuality quality : kQualities) {
      const Image out = decompressed(compressed(source.view(), format, {.quality = quality}), Format::kRGBA8Srgb);
      EXPECT_EQ(squared_error(source, out, 3, 3), 0) << name_of(format);
    }
  }
}

TEST(BlocksEncode, Bc1AlphaIsATest) {
  const Image source = picture(Format::kRGBA8Unorm, {64, 64}, true);
  for (const float threshold : {0.0F, 0.25F, 0.5F, 1.0F}) {
    for (const BlockQuality quality : kQualities) {
      const BlockOptions options{.quality = quality, .alpha_threshold = threshold};
      const Image out =
          decompressed(compressed(source.view(), BlockFormat::kBc1RgbaUnorm, options), Format::kRGBA8Unorm);
      for (size_t i = 3; i < source.size_in_bytes(); i += 4) {
        const bool opaque = static_cast<float>(source.data()[i]) >= 255 * threshold;
        ASSERT_EQ(static_cast<int>(out.data()[i]), opaque ? 255 : 0) << threshold << ", texel " << i / 4;
      }
    }
  }
}

TEST(BlocksEncode, TexelsOutsideTheImageDoNotCount) {
  // A block with few texels in the image has more palette colours per texel: its error is not larger.
  for (const BlockFormat format : {BlockFormat::kBc1RgbUnorm, BlockFormat::kBc3Unorm, BlockFormat::kBc4Unorm,
                                   BlockFormat::kBc5Unorm, BlockFormat::kBc7Unorm}) {
    const bool exact = format == BlockFormat::kBc4Unorm || format == BlockFormat::kBc5Unorm;
    for (const Extent size : {Extent{1, 1}, Extent{2, 1}, Extent{1, 2}}) {
      const Image source = picture(Format::kRGBA8Unorm, size, false);
      const BlockImage blocks = compressed(source.view(), format);
      const Image out = decompressed(blocks, Format::kRGBA8Unorm);
      const uint32_t channels = std::min(block_format_info(format).channels, 3U);
      const double error = squared_error(source, out, 0, channels - 1);
      EXPECT_LE(error, exact                              ? 0
                       : format == BlockFormat::kBc7Unorm ? 2.0 * channels
                                                          : 60.0)
          << name_of(format) << ", " << size.width << "x" << size.height;
    }
  }
  for (uint32_t width = 1; width <= 9; ++width) {
    for (uint32_t height = 1; height <= 9; ++height) {
      const Image source = picture(Format::kRGBA8Unorm, {width, height}, true);
      for (const BlockFormat format :
           {BlockFormat::kBc1RgbaUnorm, BlockFormat::kBc3Unorm, BlockFormat::kBc5Snorm, BlockFormat::kBc7Unorm}) {
        const BlockImage blocks = compressed(source.view(), format);
        EXPECT_EQ(blocks.size_in_bytes(),
                  size_t{(width + 3) / 4} * ((height + 3) / 4) * (blocks.view().row_stride / ((width + 3) / 4)));
      }
    }
  }
}

TEST(BlocksEncode, NothingBesideTheImageCounts) {
  // Blocks of three columns have smaller errors in these than blocks whose fourth column repeats the third.
  std::mt19937 random(random_seed());
  for (const BlockFormat format : {BlockFormat::kBc1RgbUnorm, BlockFormat::kBc7Unorm}) {
    double partial_error = 0;
    double whole_error = 0;
    for (int n = 0; n < 200; ++n) {
      std::array<double, 64> texels;
      for (double& texel : texels) texel = static_cast<double>(random() % 256);
      const auto texel = [&](uint32_t x, uint32_t y, uint32_t c) {
        return c == 3 ? 255.0 : texels[16 * y + 4 * std::min(x, 2U) + c];
      };
      const Image partial = make_image(Format::kRGBA8Unorm, {3, 4}, texel);
      const Image whole = make_image(Format::kRGBA8Unorm, {4, 4}, texel);
      const Image partial_out = decompressed(compressed(partial.view(), format), Format::kRGBA8Unorm);
      const Image whole_out = decompressed(compressed(whole.view(), format), Format::kRGBA8Unorm);
      partial_error += squared_error(partial, partial_out);
      for (uint32_t y = 0; y < 4; ++y) {
        for (uint32_t i = 0; i < 12; ++i) {
          const double difference =
              static_cast<int>(whole.view().row(y)[i]) - static_cast<int>(whole_out.view().row(y)[i]);
          whole_error += i % 4 == 3 ? 0 : difference * difference;
        }
      }
    }
    EXPECT_LT(partial_error, 0.99 * whole_error) << name_of(format);
  }
}

TEST(BlocksEncode, InvisibleColoursDoNotCountIfWeighted) {
  std::mt19937 random(3);
  const Image source = make_image(Format::kRGBA8Unorm, {128, 128}, [&](uint32_t x, uint32_t y, uint32_t c) {
    const bool visible = (x + y) % 3 != 0;
    if (c == 3) return visible ? 255.0 : 0.0;
    return visible ? 100 + 40 * std::sin(0.1 * x + c) + 0.3 * y : static_cast<double>(random() % 256);
  });
  const auto visible_error = [&](BlockFormat format, BlockAlpha alpha, BlockQuality quality) {
    const Image out =
        decompressed(compressed(source.view(), format, {.quality = quality, .alpha = alpha}), Format::kRGBA8Unorm);
    double sum = 0;
    double wrong_alpha = 0;
    for (size_t i = 0; i < source.size_in_bytes(); i += 4) {
      const double alpha_difference = static_cast<int>(source.data()[i + 3]) - static_cast<int>(out.data()[i + 3]);
      wrong_alpha = std::max(wrong_alpha, std::fabs(alpha_difference));
      for (size_t c = 0; c < 3 && source.data()[i + 3] != std::byte{0}; ++c) {
        sum += std::pow(static_cast<int>(source.data()[i + c]) - static_cast<int>(out.data()[i + c]), 2);
      }
    }
    EXPECT_LE(wrong_alpha, alpha == BlockAlpha::kWeighted ? 3 : 255) << name_of(format);
    return sum;
  };
  for (const BlockFormat format : {BlockFormat::kBc3Unorm, BlockFormat::kBc7Unorm}) {
    for (const BlockQuality quality : kQualities) {
      EXPECT_LE(visible_error(format, BlockAlpha::kWeighted, quality),
                0.25 * visible_error(format, BlockAlpha::kIndependent, quality))
          << name_of(format);
    }
  }
}

TEST(BlocksEncode, LumaMetricLowersTheWeightedError) {
  const Image source = picture(Format::kRGBA8Srgb, {256, 128}, false);
  const auto error = [&](BlockFormat format, BlockMetric metric, bool weighted) {
    const Image out = decompressed(compressed(source.view(), format, {.metric = metric}), Format::kRGBA8Srgb);
    const double r = squared_error(source, out, 0, 0);
    const double g = squared_error(source, out, 1, 1);
    const double b = squared_error(source, out, 2, 2);
    return weighted ? 0.2126 * r + 0.7152 * g + 0.0722 * b : r + g + b;
  };
  for (const BlockFormat format : {BlockFormat::kBc1RgbSrgb, BlockFormat::kBc7Srgb}) {
    EXPECT_LT(error(format, BlockMetric::kLuma, true), 0.95 * error(format, BlockMetric::kUniform, true));
    EXPECT_LT(error(format, BlockMetric::kUniform, false), error(format, BlockMetric::kLuma, false));
  }
}

TEST(BlocksEncode, SignedFormatsTakeNormalMapsAndFloats) {
  const Extent size{64, 32};
  auto floats = Image::create(Format::kRG32Sfloat, size);
  auto codes = Image::create(Format::kRG8Unorm, size);
  ASSERT_TRUE(floats && codes);
  auto* const values = reinterpret_cast<float*>(floats->data());
  auto* const stored = reinterpret_cast<uint8_t*>(codes->data());
  for (uint32_t i = 0; i < 2 * size.width * size.height; ++i) {
    stored[i] = static_cast<uint8_t>(std::lround(127.5 + 120 * std::sin(0.05 * i)));
    values[i] = static_cast<float>(stored[i]) / 127.5F - 1;
  }
  values[0] = 7;    // clamped
  values[1] = NAN;  // 0
  stored[0] = 255;
  stored[1] = 128;
  for (const ImageView source : {ImageView(floats->view()), ImageView(codes->view())}) {
    const BlockImage blocks = compressed(source, BlockFormat::kBc5Snorm, {.quality = BlockQuality::kBest});
    const Image out = decompressed(blocks, Format::kRG32Sfloat);
    const auto* const result = reinterpret_cast<const float*>(out.data());
    for (uint32_t i = 2; i < 2 * size.width * size.height; ++i) ASSERT_NEAR(result[i], values[i], 0.12) << i;
    EXPECT_NEAR(result[0], 1, 0.12);
    EXPECT_NEAR(result[1], 0, 0.12);
  }
}

TEST(BlocksEncode, SourcesOfEveryFormat) {
  for (const Format format : {Format::kR8Unorm, Format::kRG16Unorm, Format::kRGB8Srgb, Format::kBGRA8Srgb,
                              Format::kRGBA16Sfloat, Format::kRGBA32Sfloat, Format::kB10G11R11Ufloat}) {
    auto source = Image::create(format, {20, 9});
    ASSERT_TRUE(source);
    std::vector<float> row(size_t{4} * 20);
    for (uint32_t y = 0; y < 9; ++y) {
      for (uint32_t x = 0; x < 20; ++x) {
        for (uint32_t c = 0; c < 4; ++c)
          row[4 * x + c] = c == 3 ? 1 : 0.02F * static_cast<float>(x + c) + 0.03F * static_cast<float>(y);
      }
      encode_row(format, row.data(), 20, source->view().row(y));
    }
    const Image out = decompressed(compressed(source->view(), BlockFormat::kBc7Srgb), Format::kRGBA32Sfloat);
    std::vector<float> expected(row.size());
    for (uint32_t y = 0; y < 9; ++y) {
      decode_row(format, source->view().row(y), 20, expected.data());
      const auto* const texels = reinterpret_cast<const float*>(out.view().row(y));
      for (size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(texels[i], expected[i], 0.03) << texel_info(format).name;
    }
  }
}

TEST(BlocksEncode, WritesInsideItsStrides) {
  const Extent size{21, 10};
  const Image source = picture(Format::kRGBA8Unorm, size, false, 2);
  const size_t row_stride = 6 * 16 + 24;
  const size_t slice_stride = 3 * row_stride + 40;
  std::vector<std::byte> data(2 * slice_stride, std::byte{0xA5});
  const MutableBlockView blocks{data.data(), BlockFormat::kBc7Unorm, size, 2, row_stride, slice_stride};
  ASSERT_TRUE(cpu::compress(source.view(), blocks));
  const BlockImage tight = compressed(source.view(), BlockFormat::kBc7Unorm);
  for (size_t i = 0; i < data.size(); ++i) {
    const size_t slice = i / slice_stride;
    const size_t row = i % slice_stride / row_stride;
    const size_t column = i % slice_stride % row_stride;
    const bool inside = row < 3 && column < 96;
    ASSERT_EQ(data[i], inside ? tight.view().row(static_cast<uint32_t>(row), static_cast<uint32_t>(slice))[column]
                              : std::byte{0xA5});
  }
}

TEST(BlocksEncode, SaysWhatIsWrong) {
  const Image source = picture(Format::kRGBA8Unorm, {8, 8}, false);
  const auto message = [&](BlockFormat format, const BlockOptions& options, Extent size = {8, 8}) {
    auto blocks = BlockImage::create(format, size);
    EXPECT_TRUE(blocks);
    const auto done = cpu::compress(source.view(), blocks->view(), options);
    if (!done) {
      EXPECT_EQ(done.error().code, ErrorCode::kInvalidArgument);
    }
    return done ? std::string("fine") : done.error().message;
  };
  EXPECT_EQ(message(BlockFormat::kBc7Unorm, {}), "fine");
  EXPECT_EQ(message(BlockFormat::kBc7Unorm, {}, {8, 9}), "source: size 8x8, expected 8x9");
  EXPECT_EQ(message(BlockFormat::kBc2Srgb, {}), "blocks: format bc2_srgb can only be decompressed");
  EXPECT_EQ(message(BlockFormat::kBc7Unorm, {.quality = static_cast<BlockQuality>(3)}),
            "quality: 3 is not an enumerator");
  EXPECT_EQ(message(BlockFormat::kBc7Unorm, {.metric = static_cast<BlockMetric>(2)}), "metric: 2 is not an enumerator");
  EXPECT_EQ(message(BlockFormat::kBc7Unorm, {.alpha = static_cast<BlockAlpha>(9)}), "alpha: 9 is not an enumerator");
  EXPECT_EQ(message(BlockFormat::kBc1RgbaUnorm, {.alpha_threshold = 1.5F}), "alpha_threshold: 1.5 is not 0 to 1");
  EXPECT_EQ(message(BlockFormat::kBc1RgbaUnorm, {.alpha_threshold = NAN}), "alpha_threshold: nan is not 0 to 1");
}

}  // namespace
}  // namespace onepass::testing
