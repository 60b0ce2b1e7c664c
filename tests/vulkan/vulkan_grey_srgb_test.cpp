// vulkan_grey_srgb_test.cpp: r8_srgb in host memory, as a source and as a target of every technique, and r8g8_srgb of
// pyramids and tile reductions, on devices with and without such images. Oracle: the CPU engine, which has its own
// oracles.
#include <cmath>
#include <cstdlib>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "onepass/luminance.hpp"
#include "onepass/tile_reduction.hpp"
#include "onepass/tone_map.hpp"
#include "onepass/vulkan/fourier.hpp"
#include "onepass/vulkan/fourier_correlation.hpp"
#include "onepass/vulkan/fourier_filter.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "onepass/vulkan/tile_reduction.hpp"
#include "onepass/vulkan/tone_map.hpp"
#include "tests/vulkan/vulkan_testing.hpp"

namespace onepass::testing {
namespace {

constexpr Format kGrey = Format::kR8Srgb;
constexpr Extent kSize{83, 61};

PaddedImage grey_source(uint32_t slices, Format format = kGrey) {
  Random random(41);
  PaddedImage image(format, kSize, slices, 5, 7);
  fill_random(image.view(), random);
  return image;
}

/// The largest difference between bytes of two images.
int largest_difference(const ImageView& a, const ImageView& b) {
  int largest = 0;
  for (uint32_t slice = 0; slice < a.slices; ++slice) {
    for (uint32_t y = 0; y < a.size.height; ++y) {
      for (uint32_t x = 0; x < a.size.width * format_info(a.format).bytes_per_texel; ++x) {
        const int difference = std::to_integer<int>(a.row(y, slice)[x]) - std::to_integer<int>(b.row(y, slice)[x]);
        largest = std::max(largest, std::abs(difference));
      }
    }
  }
  return largest;
}

using VulkanGreySrgb = VulkanTest;

TEST_F(VulkanGreySrgb, Pyramids) {
  for (const Format format : {kGrey, Format::kRG8Srgb}) {
    const PaddedImage source = grey_source(2, format);
    for (const Reduction reduction : {Reduction::kMean, Reduction::kMax}) {
      const PyramidOptions options{
          .size = kSize, .slices = 2, .source = format, .target = format, .reduction = reduction};
      Levels expected(options);
      Levels actual(options);
      ASSERT_TRUE(cpu::Pyramid::create(options)->build(source.view(), expected.views));
      const auto made = vulkan::make_pyramid(test_device(), options, {}, source.view(), actual.views);
      ASSERT_TRUE(made) << made.error().text();
      for (size_t n = 0; n < actual.views.size(); ++n) {
        EXPECT_LE(largest_difference(actual.views[n], expected.views[n]), 1) << "level " << n + 1;
      }
    }
  }
}

TEST_F(VulkanGreySrgb, TileReductions) {
  for (const Format format : {kGrey, Format::kRG8Srgb}) {
    const PaddedImage source = grey_source(1, format);
    const TileReductionOptions options{
        .size = kSize, .source = format, .target = format, .reduction = Reduction::kMean, .factor = 8};
    const Extent size = plan_tile_reduction(options)->size;
    PaddedImage expected(format, size), actual(format, size);
    ASSERT_TRUE(cpu::TileReduction::create(options)->reduce(source.view(), expected.view()));
    const auto made = vulkan::reduce_tiles(test_device(), options, {}, source.view(), actual.view());
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_LE(largest_difference(actual.view(), expected.view()), 1);
  }
}

TEST_F(VulkanGreySrgb, Meters) {
  const PaddedImage source = grey_source(2);
  const MeterOptions options{.size = kSize, .slices = 2, .source = kGrey, .metering = Metering::kMask, .mask = kGrey};
  std::vector<MeterResult> expected(2), actual(2);
  const PaddedImage mask = grey_source(1);
  ASSERT_TRUE(cpu::Meter::create(options)->measure(source.view(), expected, {}, mask.view()));
  const auto made = vulkan::meter_image(test_device(), options, {}, source.view(), actual, {}, mask.view());
  ASSERT_TRUE(made) << made.error().text();
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(actual[i].mean_luminance, expected[i].mean_luminance, 2e-3F);
    EXPECT_NEAR(actual[i].max_luminance, expected[i].max_luminance, 4e-3F);
    EXPECT_EQ(actual[i].finite_count, expected[i].finite_count);
  }
}

TEST_F(VulkanGreySrgb, ToneMaps) {
  const PaddedImage source = grey_source(2);
  const ToneMapOptions options{
      .size = kSize, .slices = 2, .source = kGrey, .target = kGrey, .tone_operator = ToneOperator::kReinhard};
  PaddedImage expected(kGrey, kSize, 2), actual(kGrey, kSize, 2);
  ASSERT_TRUE(cpu::ToneMap::create(options)->apply(source.view(), expected.view(), 2.0F));
  const auto made = vulkan::map_tones(test_device(), options, {}, source.view(), actual.view(), 2.0F);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_LE(largest_difference(actual.view(), expected.view()), 1);
}

TEST_F(VulkanGreySrgb, TransformsFiltersAndCorrelations) {
  const PaddedImage source = grey_source(1);
  PaddedImage actual(kGrey, kSize);
  const TransformOptions transform{.size = kSize, .source = kGrey};
  std::vector<std::byte> spectrum(plan_transform(transform)->spectrum_bytes);
  ASSERT_TRUE(vulkan::transform_forward(test_device(), transform, {}, source.view(), spectrum));
  ASSERT_TRUE(vulkan::transform_inverse(test_device(), transform, {}, spectrum, actual.view()));
  EXPECT_EQ(largest_difference(actual.view(), source.view()), 0);
  FilterOptions filter{.size = kSize, .source = kGrey};
  filter.stop_gain = filter.pass_gain = 1;
  const auto filtered = vulkan::filter_image(test_device(), filter, {}, source.view(), actual.view());
  ASSERT_TRUE(filtered) << filtered.error().text();
  EXPECT_EQ(largest_difference(actual.view(), source.view()), 0);
  const CorrelationOptions correlation{.size = kSize, .first = kGrey, .second = kGrey};
  const auto shift = vulkan::estimate_shift(test_device(), correlation, {}, source.view(), source.view());
  ASSERT_TRUE(shift) << shift.error().text();
}

// The caller's own images are refused: on such a device the caller cannot create any.
TEST_F(VulkanGreySrgb, SourcesAreRefusedByNameWhereTheDeviceHasNone) {
  if (test_device().can_read(kGrey)) GTEST_SKIP() << "the device has r8_srgb";
  const auto pyramid = vulkan::Pyramid::create(test_device(), {.size = kSize, .source = kGrey, .target = kGrey});
  ASSERT_FALSE(pyramid);
  EXPECT_EQ(pyramid.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(pyramid.error().message, "source: the device cannot sample r8_srgb");
  EXPECT_TRUE(test_device().can_write(kGrey)) << "through r8_unorm";
}

}  // namespace
}  // namespace onepass::testing
