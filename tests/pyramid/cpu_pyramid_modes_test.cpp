// cpu_pyramid_modes_test.cpp: alpha-weighted means, alpha coverage and normal maps against the oracle.
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

#include <gtest/gtest.h>

#include "tests/pyramid/coverage_oracle.hpp"
#include "tests/pyramid/pyramid_oracle.hpp"
#include "tests/pyramid/pyramid_testing.hpp"

namespace onepass::testing {
namespace {

Levels build(const PyramidOptions& options, const PaddedImage& source) {
  Levels levels(options);
  auto pyramid = cpu::Pyramid::create(options);
  EXPECT_TRUE(pyramid.ok()) << describe(options);
  EXPECT_TRUE(pyramid->build(source.view(), levels.views).ok());
  return levels;
}

constexpr Footprint kMeans[] = {Footprint::kAligned, Footprint::kCovering, Footprint::kEdge, Footprint::kCeil};
constexpr Extent kSizes[] = {{64, 64}, {61, 45}, {128, 7}, {1, 9}};

/// Random colours; alpha is 0 in the left third, random in the middle third, 1 in the right third.
PaddedImage cutout(Format format, Extent size, uint32_t seed) {
  PaddedImage image(format, size);
  Random random(seed);
  std::vector<float> row(size_t{4} * size.width);
  for (uint32_t y = 0; y < size.height; ++y) {
    for (uint32_t x = 0; x < size.width; ++x) {
      for (uint32_t c = 0; c < 4; ++c) row[4 * x + c] = random.between(0.0F, 1.0F);
      if (3 * x < size.width) row[4 * x + 3] = 0.0F;
      if (3 * x > 2 * size.width) row[4 * x + 3] = 1.0F;
    }
    encode_row(format, row.data(), size.width, image.view().row(y));
  }
  return image;
}

TEST(CpuPyramid, WeightedAlphaMatchesTheOracle) {
  for (const Format format : {Format::kRGBA8Unorm, Format::kRGBA8Srgb, Format::kRGBA16Unorm, Format::kRGBA16Sfloat,
                              Format::kRGBA32Sfloat, Format::kA2B10G10R10Unorm}) {
    for (const Footprint footprint : kMeans) {
      for (const Extent size : kSizes) {
        const PyramidOptions options = {
            .size = size, .source = format, .target = format, .footprint = footprint, .alpha = Alpha::kWeighted};
        const PaddedImage source = cutout(format, size, 3);
        const Levels levels = build(options, source);
        EXPECT_TRUE(matches(oracle_pyramid(options, source.view()), levels.views, {.ulps = 8}, describe(options)));
      }
    }
  }
}

TEST(CpuPyramid, WeightedAlphaKeepsTheColourOfVisibleTexels) {
  const PyramidOptions options = {
      .size = {2, 2}, .source = Format::kRGBA8Unorm, .target = Format::kRGBA8Unorm, .alpha = Alpha::kWeighted};
  PaddedImage source(options.source, options.size);
  const uint32_t green_leaf = 0xFF00FF00U;
  const uint32_t invisible_red = 0x000000FFU;
  for (uint32_t i = 0; i < 4; ++i) {
    std::memcpy(source.view().row(i / 2) + 4 * (i % 2), i == 1 ? &green_leaf : &invisible_red, 4);
  }
  const Levels levels = build(options, source);
  uint32_t texel = 0;
  std::memcpy(&texel, levels.views[0].data, 4);
  EXPECT_EQ(texel, 0x4000FF00U);
}

constexpr Format kAlphaFormats[] = {Format::kRGBA8Unorm,      Format::kRGBA8Srgb,    Format::kBGRA8Unorm,
                                    Format::kRGBA16Unorm,     Format::kRGBA16Sfloat, Format::kRGBA32Sfloat,
                                    Format::kA2B10G10R10Unorm};

TEST(CpuPyramid, CoverageMatchesTheOracle) {
  for (const Format format : kAlphaFormats) {
    for (const Extent size : {Extent{64, 64}, Extent{256, 128}, Extent{8, 8}}) {
      for (const float threshold : {0.3F, 0.5F, 0.9F}) {
        const PyramidOptions options = {.size = size,
                                        .source = format,
                                        .target = format,
                                        .footprint = Footprint::kAligned,
                                        .alpha = Alpha::kCoverage,
                                        .alpha_threshold = threshold};
        const PaddedImage source = cutout(format, size, 4);
        const Levels levels = build(options, source);
        // Alphas are scaled in float on both engines.
        const Tolerance tolerance = {.codes = format == Format::kRGBA16Unorm ? 0.01 : 1e-3, .ulps = 8};
        EXPECT_TRUE(matches(oracle_pyramid(options, source.view()), levels.views, tolerance, describe(options)));
      }
    }
  }
}

constexpr float kThresholds[] = {0.1F, 0.2F, 0.25F, 1.0F / 3, 0.4F, 0.5F, 0.6F, 0.75F, 0.8F, 0.9F, 0.95F, 1.0F};

TEST(CpuPyramid, CoverageCountsStoredAlphas) {
  size_t next = 0;
  for (const AlphaPicture picture : kAlphaPictures) {
    for (const Extent size : {Extent{64, 64}, Extent{61, 45}, Extent{96, 7}, Extent{20, 20}}) {
      for (const Format source_format : {Format::kRGBA8Srgb, Format::kRGBA32Sfloat, Format::kRGBA16Unorm}) {
        for (const Format target_format : kAlphaFormats) {
          PyramidOptions options = {
              .size = size, .slices = 2, .source = source_format, .target = target_format, .alpha = Alpha::kCoverage};
          PaddedImage source(source_format, size, options.slices);
          fill_alpha(source.view(), picture, 11);
          for (const Footprint footprint : {Footprint::kCovering, Footprint::kAligned, Footprint::kEdge}) {
            for (uint32_t i = 0; i < 3; ++i) {
              options.footprint = footprint;
              options.alpha_threshold = kThresholds[next++ * 5 % std::size(kThresholds)];
              EXPECT_TRUE(keeps_coverage(options, source.view(), build(options, source).views));
            }
          }
        }
      }
    }
  }
}

TEST(CpuPyramid, CoverageWeighsColoursByAlpha) {
  // A green leaf; the transparent texels around it are white, as in many files, or black, as in premultiplied ones.
  for (const uint32_t transparent : {0x00FFFFFFU, 0x00000000U}) {
    const PyramidOptions options = {
        .size = {16, 16}, .source = Format::kRGBA8Unorm, .target = Format::kRGBA8Unorm, .alpha = Alpha::kCoverage};
    const uint32_t green = 0xFF1E7814U;  // (20, 120, 30)
    PaddedImage source(options.source, options.size);
    for (uint32_t i = 0; i < 256; ++i) {
      const bool leaf = (i % 16 + i / 16) % 3 == 0;
      std::memcpy(source.view().row(i / 16) + size_t{4} * (i % 16), leaf ? &green : &transparent, 4);
    }
    for (const MutableImageView& level : build(options, source).views) {
      for (uint32_t i = 0; i < level.size.width * level.size.height; ++i) {
        uint32_t texel = 0;
        std::memcpy(&texel, level.row(i / level.size.width) + size_t{4} * (i % level.size.width), 4);
        EXPECT_EQ(texel & 0xFFFFFFU, green & 0xFFFFFFU) << level.size.width;
      }
    }
  }
}

TEST(CpuPyramid, ThresholdsOfCoverageLieBetweenZeroAndOne) {
  PyramidOptions options = {
      .size = {8, 8}, .source = Format::kRGBA8Unorm, .target = Format::kRGBA8Unorm, .alpha = Alpha::kCoverage};
  const std::pair<float, std::string> kWrong[] = {
      {0.0F, "0"}, {-0.5F, "-0.5"}, {1.5F, "1.5"}, {std::numeric_limits<float>::quiet_NaN(), "nan"}};
  for (const auto& [wrong, text] : kWrong) {
    options.alpha_threshold = wrong;
    const auto pyramid = cpu::Pyramid::create(options);
    ASSERT_FALSE(pyramid.ok()) << wrong;
    EXPECT_NE(pyramid.error().text().find("alpha_threshold: " + text + " is not"), std::string::npos)
        << pyramid.error().text();
  }
  options.alpha_threshold = 1;
  EXPECT_TRUE(cpu::Pyramid::create(options).ok());
}

/// Share of texels with alpha >= threshold.
double passing_share(const ImageView& image, uint32_t slice, float threshold) {
  const std::vector<double> rgba = oracle_decode(image, slice);
  size_t passing = 0;
  for (size_t i = 3; i < rgba.size(); i += 4) passing += static_cast<float>(rgba[i]) >= threshold ? 1 : 0;
  return 4.0 * static_cast<double>(passing) / static_cast<double>(rgba.size());
}

TEST(CpuPyramid, CoverageKeepsTheShareOfPassingTexelsInEverySlice) {
  // Thin leaves: alpha is 1 on 3 to 22 % of the texels. More slices than are counted at a time.
  PyramidOptions options = {.size = {255, 130},
                            .slices = 20,
                            .source = Format::kRGBA32Sfloat,
                            .target = Format::kRGBA32Sfloat,
                            .alpha = Alpha::kCoverage};
  PaddedImage source(options.source, options.size, options.slices);
  Random random(9);
  for (uint32_t slice = 0; slice < options.slices; ++slice) {
    for (uint32_t y = 0; y < options.size.height; ++y) {
      auto* row = reinterpret_cast<float*>(source.view().row(y, slice));
      for (uint32_t x = 0; x < 4 * options.size.width; ++x) row[x] = random.below(100) < 3 + slice ? 1.0F : 0.0F;
    }
  }
  const Levels levels = build(options, source);
  options.alpha = Alpha::kIndependent;
  const Levels faded = build(options, source);
  for (uint32_t slice = 0; slice < options.slices; ++slice) {
    const double wanted = passing_share(source.view(), slice, 0.5F);
    for (uint32_t n = 1; n <= 3; ++n) {
      EXPECT_NEAR(passing_share(levels.views[n - 1], slice, 0.5F), wanted, 0.05) << "level " << n << " slice " << slice;
    }
    EXPECT_LT(passing_share(faded.views[1], slice, 0.5F), wanted / 2) << "without coverage the leaves fade";
  }
}

TEST(CpuPyramid, RenormalizeMatchesTheOracle) {
  for (const Format format :
       {Format::kRG8Unorm, Format::kRGBA8Unorm, Format::kRG16Unorm, Format::kRGBA16Unorm, Format::kRG16Sfloat,
        Format::kRGBA16Sfloat, Format::kRG32Sfloat, Format::kRGBA32Sfloat, Format::kA2B10G10R10Unorm}) {
    for (const Footprint footprint : kMeans) {
      for (const Extent size : kSizes) {
        const PyramidOptions options = {.size = size,
                                        .source = format,
                                        .target = format,
                                        .footprint = footprint,
                                        .normal_map = NormalMap::kRenormalize};
        PaddedImage source(format, size);
        Random random(6);
        std::vector<float> row(size_t{4} * size.width);
        const bool is_unorm = format_info(format).type == ChannelType::kUnorm;
        for (uint32_t y = 0; y < size.height; ++y) {
          for (uint32_t x = 0; x < size.width; ++x) {
            float* n = &row[4 * x];
            n[0] = random.between(-0.6F, 0.6F);
            n[1] = random.between(-0.6F, 0.6F);
            const float length = std::sqrt(n[0] * n[0] + n[1] * n[1] + 1);
            n[0] /= length;
            n[1] /= length;
            n[2] = 1 / length;
            n[3] = 0.25F;
            for (uint32_t c = 0; c < 3 && is_unorm; ++c) n[c] = 0.5F * n[c] + 0.5F;
          }
          encode_row(format, row.data(), size.width, source.view().row(y));
        }
        const Levels levels = build(options, source);
        const Tolerance tolerance = {
            .ulps = 12,
            .code_ulps =
                is_unorm && format_info(format).bytes_per_texel / format_info(format).channels == 2 ? 0.0 : 8.0};
        EXPECT_TRUE(matches(oracle_pyramid(options, source.view()), levels.views, tolerance, describe(options)));
      }
    }
  }
}

TEST(CpuPyramid, RenormalizePointsUpWhereVectorsCancel) {
  const PyramidOptions options = {.size = {2, 1},
                                  .source = Format::kRGBA32Sfloat,
                                  .target = Format::kRGBA32Sfloat,
                                  .normal_map = NormalMap::kRenormalize};
  PaddedImage source(options.source, options.size);
  const std::array<float, 8> opposite = {1, 0, 0, 0.5F, -1, 0, 0, 1.0F};
  std::memcpy(source.view().row(0), opposite.data(), sizeof opposite);
  const Levels levels = build(options, source);
  std::array<float, 4> texel{};
  std::memcpy(texel.data(), levels.views[0].data, sizeof texel);
  EXPECT_EQ(texel, (std::array{0.0F, 0.0F, 1.0F, 0.75F}));
}

}  // namespace
}  // namespace onepass::testing
