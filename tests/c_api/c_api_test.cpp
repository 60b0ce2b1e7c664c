// c_api_test.cpp: the C API on the CPU: bit-equal to the C++ classes; an error for every invalid argument.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "onepass/blocks.hpp"
#include "onepass/fourier_convolution.hpp"
#include "onepass/fourier_correlation.hpp"
#include "onepass/fourier_deconvolution.hpp"
#include "onepass/fourier_filter.hpp"
#include "onepass/luminance.hpp"
#include "onepass/material.hpp"
#include "onepass/tile_reduction.hpp"
#include "onepass/tone_map.hpp"
#include "tests/c_api/c_api_client.h"
#include "tests/c_api/c_api_testing.hpp"

namespace onepass::testing {
namespace {

// ---- Results equal to C++, bit by bit

TEST_F(CApi, PyramidsHaveTheBitsOfCpp) {
  for (const Reduction reduction : {Reduction::kMean, Reduction::kMin, Reduction::kMax}) {
    const PyramidOptions options{.size = {2 + random_.below(200), 2 + random_.below(200)},
                                 .slices = 2,
                                 .source = Format::kRGBA8Srgb,
                                 .target = Format::kRGBA16Sfloat,
                                 .reduction = reduction};
    auto source = random_image(options.source, options.size, options.slices);
    Levels expected(options), actual(options, 16, 32);
    auto pyramid = cpu::Pyramid::create(options);
    ASSERT_TRUE(pyramid && pyramid->build(source.view(), expected.views));
    std::vector<onepass_mutable_image_view> levels;
    for (const MutableImageView& level : actual.views) levels.push_back(c_view(level));
    const auto view = c_view(source);
    ASSERT_EQ(client_pyramid(&view, levels.data(), levels.size(), static_cast<uint32_t>(reduction), nullptr, &error_),
              ONEPASS_OK)
        << error_.message;
    EXPECT_FALSE(actual.gaps_touched());
    const auto same = [&] {
      for (size_t n = 0; n < levels.size(); ++n) {
        for (uint32_t s = 0; s < 2; ++s) {
          for (uint32_t y = 0; y < actual.views[n].size.height; ++y) {
            if (std::memcmp(actual.views[n].row(y, s), expected.views[n].row(y, s), actual.views[n].size.width * 8) !=
                0)
              return false;
          }
        }
      }
      return true;
    };
    EXPECT_TRUE(same());
    const Rect changed{options.size.width / 2, options.size.height / 2, 1, 1};
    fill_random(source.view(), changed, random_);
    ASSERT_TRUE(pyramid->update(source.view(), expected.views, changed));
    const onepass_rect rect{changed.x, changed.y, 1, 1};
    ASSERT_EQ(client_pyramid(&view, levels.data(), levels.size(), static_cast<uint32_t>(reduction), &rect, &error_),
              ONEPASS_OK);
    EXPECT_TRUE(same());
  }
}

TEST_F(CApi, TilesHaveTheBitsOfCpp) {
  const TileReductionOptions options{.size = random_size(),
                                     .slices = 2,
                                     .source = Format::kD32Sfloat,
                                     .target = Format::kR32Sfloat,
                                     .reduction = Reduction::kMax,
                                     .factor = 8};
  auto source = random_image(options.source, options.size, 2);
  const Extent size = plan_tile_reduction(options)->size;
  PaddedImage expected(options.target, size, 2), actual(options.target, size, 2);
  auto tiles = cpu::TileReduction::create(options);
  ASSERT_TRUE(tiles && tiles->reduce(source.view(), expected.view()));
  const auto from = c_view(source);
  const auto to = c_view(actual.view());
  ASSERT_EQ(client_tiles(&from, &to, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(actual.bytes(), expected.bytes());
}

TEST_F(CApi, TransformsHaveTheBitsOfCpp) {
  const TransformOptions options{.size = random_size(),
                                 .slices = 2,
                                 .source = Format::kRGBA8Srgb,
                                 .norm = Norm::kOrtho,
                                 .order = SpectrumOrder::kColumns};
  auto source = random_image(options.source, options.size, 2);
  auto transform = cpu::Transform::create(options);
  ASSERT_TRUE(transform);
  std::vector<std::byte> expected(transform->plan().spectrum_bytes), actual(expected.size());
  ASSERT_TRUE(transform->forward(source.view(), expected));
  PaddedImage again(options.source, options.size, 2), expected_again(options.source, options.size, 2);
  ASSERT_TRUE(transform->inverse(expected, expected_again.view()));
  const auto from = c_view(source);
  const auto to = c_view(again.view());
  ASSERT_EQ(client_transform(&from, actual.data(), actual.size(), &to, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(actual, expected);
  EXPECT_EQ(again.bytes(), expected_again.bytes());
}

TEST_F(CApi, BlocksHaveTheBitsOfCpp) {
  auto source = random_image(Format::kRGBA8Srgb, random_size(), 2);
  auto expected = BlockImage::create(BlockFormat::kBc7Srgb, source.view().size, 2);
  auto actual = BlockImage::create(BlockFormat::kBc7Srgb, source.view().size, 2);
  ASSERT_TRUE(expected && actual);
  ASSERT_TRUE(cpu::compress(source.view(), expected->view(), {.quality = BlockQuality::kFast}));
  const auto from = c_view(source);
  const MutableBlockView view = actual->view();
  const onepass_mutable_block_view to{
      view.data, ONEPASS_BLOCK_FORMAT_BC7_SRGB, {view.size.width, view.size.height}, 2, 0, 0};
  onepass_block_options options;
  onepass_block_options_init(&options, sizeof options);
  EXPECT_EQ(options.quality, static_cast<uint32_t>(ONEPASS_BLOCK_QUALITY_NORMAL));
  options.quality = ONEPASS_BLOCK_QUALITY_FAST;
  ASSERT_EQ(onepass_compress_blocks(&from, &to, &options, nullptr, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(std::memcmp(view.data, expected->view().data, expected->size_in_bytes()), 0);
  EXPECT_EQ(onepass_block_bytes(ONEPASS_BLOCK_FORMAT_BC7_SRGB), 16U);
  EXPECT_EQ(onepass_block_bytes(5), 0U);
  EXPECT_EQ(onepass_block_size(ONEPASS_BLOCK_FORMAT_BC7_SRGB).width, 4U);
  EXPECT_EQ(onepass_block_size(ONEPASS_BLOCK_FORMAT_ASTC_10X6_SRGB).width, 10U);
  EXPECT_EQ(onepass_block_size(ONEPASS_BLOCK_FORMAT_ASTC_10X6_SRGB).height, 6U);
  EXPECT_EQ(onepass_block_size(5).height, 0U);
  EXPECT_EQ(onepass_has_astc() != 0, has_astc());

  PaddedImage texels(Format::kRGBA8Srgb, view.size, 2), expected_texels(Format::kRGBA8Srgb, view.size, 2);
  ASSERT_TRUE(cpu::decompress(expected->view(), expected_texels.view()));
  const auto target = c_view(texels.view());
  const onepass_block_view blocks{view.data, to.format, to.size, 2, 0, 0};
  ASSERT_EQ(onepass_decompress_blocks(&blocks, &target, nullptr, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(texels.bytes(), expected_texels.bytes());

  const auto compress = [&](const onepass_image_view* image, const onepass_mutable_block_view* out,
                            const onepass_block_options* how) {
    return [=](onepass_error* e) { return onepass_compress_blocks(image, out, how, nullptr, e); };
  };
  expect_failure(ONEPASS_INVALID_ARGUMENT, "source: null", compress(nullptr, &to, &options));
  expect_failure(ONEPASS_INVALID_ARGUMENT, "blocks: null", compress(&from, nullptr, &options));
  expect_failure(ONEPASS_INVALID_ARGUMENT, "options: null", compress(&from, &to, nullptr));
  onepass_mutable_block_view bad = to;
  bad.format = 1;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "blocks: unknown format 1", compress(&from, &bad, &options));
  bad = to;
  bad.size = {UINT32_MAX, UINT32_MAX};
  expect_failure(ONEPASS_INVALID_ARGUMENT, "blocks: size 4294967295x4294967295", compress(&from, &bad, &options));
  onepass_block_options wrong = options;
  wrong.metric = 7;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "metric: 7", compress(&from, &to, &wrong));
  wrong = options;
  wrong.struct_size = 3;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "struct_size", compress(&from, &to, &wrong));
  expect_failure(ONEPASS_INVALID_ARGUMENT, "blocks: null",
                 [&](onepass_error* e) { return onepass_decompress_blocks(nullptr, &target, nullptr, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "target: null",
                 [&](onepass_error* e) { return onepass_decompress_blocks(&blocks, nullptr, nullptr, e); });
}

TEST_F(CApi, MaterialsHaveTheBitsOfCpp) {
  const Extent size{33, 20}, half{16, 10};
  const auto normals = random_image(Format::kRGBA8Unorm, size, 2);
  const auto rough = random_image(Format::kRG16Unorm, size, 2);
  PaddedImage expected_n(Format::kRG16Unorm, half, 2), actual_n(Format::kRG16Unorm, half, 2);
  PaddedImage expected_r(Format::kRG32Sfloat, half, 2), actual_r(Format::kRG32Sfloat, half, 2);
  const RoughnessOptions cpp{.variance = NormalVariance::kCovariance, .source_channel = 1};
  const std::array to_n{expected_n.view()}, to_r{expected_r.view()};
  ASSERT_TRUE(cpu::roughness_mips(normals.view(), rough.view(), to_n, to_r, cpp));
  onepass_roughness_options options;
  onepass_roughness_options_init(&options, sizeof options);
  EXPECT_EQ(options.variance, static_cast<uint32_t>(ONEPASS_NORMAL_VARIANCE_TOKSVIG));
  options.variance = ONEPASS_NORMAL_VARIANCE_COVARIANCE;
  options.source_channel = 1;
  const auto from = c_view(normals), values = c_view(rough);
  const auto n = c_view(actual_n.view()), r = c_view(actual_r.view());
  ASSERT_EQ(onepass_roughness_mips(&from, &values, &n, 1, &r, 1, &options, nullptr, &error_), ONEPASS_OK)
      << error_.message;
  EXPECT_EQ(actual_n.bytes(), expected_n.bytes());
  EXPECT_EQ(actual_r.bytes(), expected_r.bytes());

  PaddedImage expected_h(Format::kRGBA8Unorm, size, 2), actual_h(Format::kRGBA8Unorm, size, 2);
  ASSERT_TRUE(cpu::height_to_normals(rough.view(), expected_h.view(), {.scale = 2, .channel = 1}));
  onepass_height_options height;
  onepass_height_options_init(&height, sizeof height);
  EXPECT_EQ(height.boundary, static_cast<uint32_t>(ONEPASS_BOUNDARY_CLAMP));
  height.scale = 2;
  height.channel = 1;
  const auto h = c_view(actual_h.view());
  ASSERT_EQ(onepass_height_to_normals(&values, &h, &height, nullptr, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(actual_h.bytes(), expected_h.bytes());
  ASSERT_TRUE(cpu::flip_normal_y(expected_h.view(), expected_h.view()));
  const onepass_image_view flipped = c_view(static_cast<const PaddedImage&>(actual_h));
  ASSERT_EQ(onepass_flip_normal_y(&flipped, &h, nullptr, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(actual_h.bytes(), expected_h.bytes());

  ASSERT_TRUE(cpu::convert_normals(normals.view(), expected_h.view()));
  ASSERT_EQ(onepass_convert_normals(&from, &h, nullptr, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(actual_h.bytes(), expected_h.bytes());

  const std::array<ChannelSource, 4> sources{ChannelSource{rough.view(), 1}, ChannelSource{normals.view(), 2},
                                             ChannelSource{.value = 0.25F}, ChannelSource{.value = 1}};
  ASSERT_TRUE(cpu::pack_channels(sources, expected_h.view()));
  const onepass_channel_source channels[] = {{&values, 1, 0}, {&from, 2, 0}, {nullptr, 0, 0.25F}, {nullptr, 0, 1}};
  ASSERT_EQ(onepass_pack_channels(channels, 4, &h, nullptr, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(actual_h.bytes(), expected_h.bytes());

  onepass_image_view empty = values;
  empty.data = nullptr;
  const auto mips = [&](const onepass_image_view* a, const onepass_image_view* b, const onepass_mutable_image_view* c) {
    return [=, &options](onepass_error* e) {
      return onepass_roughness_mips(a, b, nullptr, 0, c, 1, &options, nullptr, e);
    };
  };
  expect_failure(ONEPASS_INVALID_ARGUMENT, "normals: null", mips(nullptr, &values, &r));
  expect_failure(ONEPASS_INVALID_ARGUMENT, "roughness: data is null", mips(&from, &empty, &r));
  expect_failure(ONEPASS_INVALID_ARGUMENT, "roughness_levels: null", mips(&from, &values, nullptr));
  expect_failure(ONEPASS_INVALID_ARGUMENT, "channels: null",
                 [&](onepass_error* e) { return onepass_pack_channels(nullptr, 4, &h, nullptr, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "channels: 5",
                 [&](onepass_error* e) { return onepass_pack_channels(channels, 5, &h, nullptr, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "options: null",
                 [&](onepass_error* e) { return onepass_height_to_normals(&values, &h, nullptr, nullptr, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "source: null",
                 [&](onepass_error* e) { return onepass_flip_normal_y(nullptr, &h, nullptr, e); });
}

TEST_F(CApi, ConvolutionsAndFiltersHaveTheBitsOfCpp) {
  ConvolutionOptions options{.size = random_size(),
                             .source = Format::kRGBA16Sfloat,
                             .kernel_size = {5, 4},
                             .kernel = Format::kR8Unorm,
                             .kernel_origin = Offset{1, 0},
                             .boundary = Boundary::kMirror,
                             .scale = KernelScale::kUnitSum};
  auto source = random_image(options.source, options.size);
  auto kernel = random_image(options.kernel, options.kernel_size);
  PaddedImage expected(options.source, options.size), actual(options.source, options.size);
  auto convolver = cpu::Convolver::create(options);
  ASSERT_TRUE(convolver && convolver->set_kernel(kernel.view()));
  ASSERT_TRUE(convolver->convolve(source.view(), expected.view()));
  const auto from = c_view(source);
  const auto weights = c_view(kernel);
  const auto to = c_view(actual.view());
  ASSERT_EQ(client_convolve(&from, &weights, &to, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(actual.bytes(), expected.bytes());

  FilterOptions filtering{.size = options.size,
                          .source = options.source,
                          .shape = FilterShape::kGaussian,
                          .cutoff = 0.2F,
                          .notch_count = 1};
  filtering.notches[0] = {0.25F, 0.125F, 0.05F};
  auto filter = cpu::Filter::create(filtering);
  ASSERT_TRUE(filter && filter->apply(source.view(), expected.view()));
  ASSERT_EQ(client_filter(&from, &to, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(actual.bytes(), expected.bytes());
}

TEST_F(CApi, MetersHaveTheBitsOfCpp) {
  MeterOptions options{
      .size = random_size(), .slices = 2, .source = Format::kRGBA16Sfloat, .metering = Metering::kCentreWeighted};
  options.percentiles[0] = 0.02F;
  options.adaptation.ease_stops = 0.5F;
  auto meter = cpu::Meter::create(options);
  ASSERT_TRUE(meter);
  std::array<MeterResult, 2> expected{};
  std::array<onepass_meter_result, 2> actual{};
  for (int i = 0; i < 2; ++i) {  // frame 1 adapts from frame 0
    auto source = random_image(options.source, options.size, 2);
    ASSERT_TRUE(meter->measure(source.view(), expected, {.seconds = 0.1F, .cut = i == 0}));
    const auto from = c_view(source);
    const onepass_meter_frame frame{0.1F, i == 0 ? 1U : 0U};
    ASSERT_EQ(client_meter(&from, actual.data(), 2, &frame, &error_), ONEPASS_OK) << error_.message;
    EXPECT_EQ(std::memcmp(actual.data(), expected.data(), sizeof actual), 0);
  }
}

TEST_F(CApi, ToneMapsHaveTheBitsOfCpp) {
  const ToneMapOptions options{.size = random_size(),
                               .slices = 2,
                               .source = Format::kRGBA16Sfloat,
                               .target = Format::kRGBA8Srgb,
                               .tone_operator = ToneOperator::kDrago,
                               .drago = {.bias = 0.7F},
                               .dither = Dither::kOn};
  auto source = random_image(options.source, options.size, 2);
  PaddedImage expected(options.target, options.size, 2), actual(options.target, options.size, 2);
  auto map = cpu::ToneMap::create(options);
  ASSERT_TRUE(map && map->apply(source.view(), expected.view(), 1.5F));
  const auto from = c_view(source);
  const auto to = c_view(actual.view());
  ASSERT_EQ(client_tone_map(&from, &to, 1.5F, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(actual.bytes(), expected.bytes());
}

// ---- Defaults and plans

TEST_F(CApi, DefaultsAreThoseOfCpp) {
  onepass_pyramid_options pyramid;
  std::memset(&pyramid, 0xFF, sizeof pyramid);
  onepass_pyramid_options_init(&pyramid, sizeof pyramid);
  EXPECT_EQ(pyramid.struct_size, sizeof pyramid);
  EXPECT_EQ(pyramid.slices, 1U);
  EXPECT_EQ(pyramid.footprint, static_cast<uint32_t>(ONEPASS_FOOTPRINT_COVERING));
  EXPECT_EQ(pyramid.alpha_threshold, 0.5F);
  EXPECT_EQ(pyramid.samples, 1U);
  EXPECT_EQ(pyramid.filter_kind, static_cast<uint32_t>(ONEPASS_MIP_FILTER_BOX));
  EXPECT_EQ(pyramid.filter_boundary, static_cast<uint32_t>(ONEPASS_BOUNDARY_CLAMP));
  EXPECT_EQ(pyramid.filter_kaiser_width, 3.0F);
  EXPECT_EQ(pyramid.filter_kaiser_alpha, 4.0F);
  onepass_tile_reduction_options tiles;
  onepass_tile_reduction_options_init(&tiles, sizeof tiles);
  EXPECT_EQ(tiles.factor, 16U);
  onepass_filter_options filter;
  onepass_filter_options_init(&filter, sizeof filter);
  EXPECT_EQ(filter.boundary, static_cast<uint32_t>(ONEPASS_BOUNDARY_MIRROR));
  EXPECT_EQ(filter.order, 2U);
  onepass_meter_options meter;
  onepass_meter_options_init(&meter, sizeof meter);
  EXPECT_EQ(meter.percentiles[7], 0.99F);
  EXPECT_EQ(meter.adaptation_ease_stops, 1.5F);
  onepass_tone_map_options map;
  onepass_tone_map_options_init(&map, sizeof map);
  EXPECT_EQ(map.tone_operator, static_cast<uint32_t>(ONEPASS_TONE_OPERATOR_AGX_BLENDER));
  EXPECT_EQ(map.drago_average, 0.18F);
  EXPECT_EQ(onepass_abi_version(), static_cast<uint32_t>(ONEPASS_ABI_VERSION));
  EXPECT_EQ(onepass_format_bytes(ONEPASS_FORMAT_R16G16B16A16_SFLOAT), 8U);
  EXPECT_EQ(onepass_format_bytes(5), 0U);
  EXPECT_STREQ(onepass_code_text(ONEPASS_BAD_DATA), "bad data");
  EXPECT_STREQ(onepass_code_text(99), "not a code of onepass");
}

TEST_F(CApi, PlansOfOperationsAreThoseOfCpp) {
  onepass_filter_options filter;
  onepass_filter_options_init(&filter, sizeof filter);
  filter.size = {190, 108};
  filter.source = ONEPASS_FORMAT_R8_UNORM;
  onepass_filter_plan of_filter{};
  of_filter.struct_size = sizeof of_filter;
  ASSERT_EQ(onepass_plan_filter(&filter, &of_filter, &error_), ONEPASS_OK) << error_.message;
  const auto filter_cpp = plan_filter({.size = {190, 108}, .source = Format::kR8Unorm});
  EXPECT_EQ(of_filter.domain.width, filter_cpp->domain.width);
  EXPECT_EQ(of_filter.domain.height, filter_cpp->domain.height);
  EXPECT_EQ(of_filter.bytes_read, filter_cpp->traffic.bytes_read);
  EXPECT_EQ(of_filter.bytes_written, filter_cpp->traffic.bytes_written);

  onepass_correlation_options correlation;
  onepass_correlation_options_init(&correlation, sizeof correlation);
  correlation.size = {190, 108};
  correlation.first = ONEPASS_FORMAT_R8_UNORM;
  onepass_correlation_plan of_correlation{};
  of_correlation.struct_size = sizeof of_correlation;
  ASSERT_EQ(onepass_plan_correlation(&correlation, &of_correlation, &error_), ONEPASS_OK) << error_.message;
  const auto correlation_cpp = plan_correlation({.size = {190, 108}, .first = Format::kR8Unorm});
  EXPECT_EQ(of_correlation.bytes_read, correlation_cpp->traffic.bytes_read);
  EXPECT_EQ(of_correlation.bytes_written, correlation_cpp->traffic.bytes_written);

  onepass_deconvolution_options blur;
  onepass_deconvolution_options_init(&blur, sizeof blur);
  blur.size = {190, 108};
  blur.source = blur.kernel = ONEPASS_FORMAT_R32_SFLOAT;
  blur.kernel_size = {9, 7};
  blur.method = ONEPASS_DECONVOLUTION_METHOD_RICHARDSON_LUCY;
  onepass_deconvolution_plan of_blur{};
  of_blur.struct_size = sizeof of_blur;
  ASSERT_EQ(onepass_plan_deconvolution(&blur, &of_blur, &error_), ONEPASS_OK) << error_.message;
  const auto blur_cpp = plan_deconvolution({.size = {190, 108},
                                            .source = Format::kR32Sfloat,
                                            .kernel_size = {9, 7},
                                            .kernel = Format::kR32Sfloat,
                                            .method = DeconvolutionMethod::kRichardsonLucy});
  EXPECT_EQ(of_blur.domain.width, blur_cpp->domain.width);
  EXPECT_EQ(of_blur.estimate.height, blur_cpp->estimate.height);
  EXPECT_EQ(of_blur.passes, blur_cpp->passes);
  EXPECT_EQ(of_blur.bytes_read, blur_cpp->traffic.bytes_read);
  EXPECT_EQ(of_blur.bytes_written, blur_cpp->traffic.bytes_written);
  EXPECT_EQ(onepass_plan_deconvolution(&blur, nullptr, &error_), ONEPASS_INVALID_ARGUMENT);
  blur.iterations = 0;
  EXPECT_EQ(onepass_plan_deconvolution(&blur, &of_blur, &error_), ONEPASS_INVALID_ARGUMENT);

  EXPECT_EQ(onepass_next_smooth_size(1081), 1120U);
  EXPECT_EQ(onepass_next_smooth_size(0), 1U);
  EXPECT_STREQ(onepass_version(), ONEPASS_TEST_VERSION);
}

TEST_F(CApi, PlansAreThoseOfCpp) {
  onepass_pyramid_options options;
  onepass_pyramid_options_init(&options, sizeof options);
  options.size = {1920, 1080};
  options.source = options.target = ONEPASS_FORMAT_R8_UNORM;
  onepass_pyramid_plan plan{};
  plan.struct_size = sizeof plan;
  ASSERT_EQ(onepass_plan_pyramid(&options, &plan, &error_), ONEPASS_OK);
  const auto expected = plan_pyramid({.size = {1920, 1080}, .source = Format::kR8Unorm, .target = Format::kR8Unorm});
  EXPECT_EQ(plan.levels, 11U);
  EXPECT_EQ(plan.sizes[3].height, 135U);
  EXPECT_EQ(plan.bytes_read, expected->bytes_read);
  EXPECT_EQ(plan.bytes_written, expected->bytes_written);
  plan.struct_size = 0;
  EXPECT_EQ(onepass_plan_pyramid(&options, &plan, &error_), ONEPASS_INVALID_ARGUMENT);
  EXPECT_STREQ(error_.message, "plan.struct_size: 0 is not sizeof the struct, 288");
  EXPECT_EQ(onepass_plan_pyramid(&options, nullptr, &error_), ONEPASS_INVALID_ARGUMENT);
}

// ---- Programs of older and newer versions

struct FuturePyramidOptions {
  onepass_pyramid_options known;
  uint64_t news;
};

TEST_F(CApi, FieldsOfTheFutureMustBeUnset) {
  FuturePyramidOptions options;
  std::memset(&options, 0xFF, sizeof options);
  onepass_pyramid_options_init(&options.known, sizeof options);
  EXPECT_EQ(options.known.struct_size, sizeof options);
  EXPECT_EQ(options.news, 0U) << "init zeroes what it does not know";
  options.known.size = {16, 16};
  options.known.source = options.known.target = ONEPASS_FORMAT_R8_UNORM;
  onepass_cpu_pyramid* pyramid = nullptr;
  EXPECT_EQ(onepass_cpu_pyramid_create(&options.known, nullptr, &pyramid, &error_), ONEPASS_OK) << error_.message;
  onepass_cpu_pyramid_destroy(pyramid);
  options.news = 1;
  EXPECT_EQ(onepass_cpu_pyramid_create(&options.known, nullptr, &pyramid, &error_), ONEPASS_UNSUPPORTED);
  EXPECT_EQ(pyramid, nullptr);
  const std::string size = "struct_size: " + std::to_string(sizeof options);
  EXPECT_NE(std::strstr(error_.message, size.c_str()), nullptr) << error_.message;
  struct {
    onepass_pyramid_plan known;
    uint64_t news;
  } plan{};
  plan.known.struct_size = sizeof plan;
  plan.news = 7;
  options.news = 0;
  EXPECT_EQ(onepass_plan_pyramid(&options.known, &plan.known, &error_), ONEPASS_OK);
  EXPECT_EQ(plan.news, 0U);
}

TEST_F(CApi, InitOfAnOlderProgramStaysInItsStruct) {
  struct {
    onepass_pyramid_options options;
    uint32_t guard[4];
  } memory;
  std::memset(&memory, 0xEE, sizeof memory);
  onepass_pyramid_options_init(&memory.options, 24);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&memory);
  for (size_t i = 24; i < sizeof memory; ++i) ASSERT_EQ(bytes[i], 0xEE) << i;
  onepass_pyramid_options_init(nullptr, 24);
}

// ---- Invalid arguments

TEST_F(CApi, CreateFunctionsAnswerNullAndBadSizes) {
  expect_guarded_create<onepass_pyramid_options, onepass_cpu_pyramid>(onepass_pyramid_options_init,
                                                                      onepass_cpu_pyramid_create);
  expect_guarded_create<onepass_tile_reduction_options, onepass_cpu_tile_reduction>(onepass_tile_reduction_options_init,
                                                                                    onepass_cpu_tile_reduction_create);
  expect_guarded_create<onepass_transform_options, onepass_cpu_transform>(onepass_transform_options_init,
                                                                          onepass_cpu_transform_create);
  expect_guarded_create<onepass_convolution_options, onepass_cpu_convolver>(onepass_convolution_options_init,
                                                                            onepass_cpu_convolver_create);
  expect_guarded_create<onepass_filter_options, onepass_cpu_filter>(onepass_filter_options_init,
                                                                    onepass_cpu_filter_create);
  expect_guarded_create<onepass_meter_options, onepass_cpu_meter>(onepass_meter_options_init, onepass_cpu_meter_create);
  expect_guarded_create<onepass_tone_map_options, onepass_cpu_tone_map>(onepass_tone_map_options_init,
                                                                        onepass_cpu_tone_map_create);
  onepass_cpu_pyramid_destroy(nullptr);
  onepass_cpu_tile_reduction_destroy(nullptr);
  onepass_cpu_transform_destroy(nullptr);
  onepass_cpu_convolver_destroy(nullptr);
  onepass_cpu_filter_destroy(nullptr);
  onepass_cpu_meter_destroy(nullptr);
  onepass_cpu_tone_map_destroy(nullptr);
}

TEST_F(CApi, EnumerationsAreChecked) {
  onepass_pyramid_options p;
  onepass_pyramid_options_init(&p, sizeof p);
  p.size = {16, 16};
  p.source = p.target = ONEPASS_FORMAT_R8G8B8A8_UNORM;
  using P = onepass_pyramid_options;
  expect_checked_enums<P, onepass_cpu_pyramid>(
      p, onepass_cpu_pyramid_create, onepass_cpu_pyramid_destroy,
      {offsetof(P, source), offsetof(P, target), offsetof(P, reduction), offsetof(P, footprint), offsetof(P, alpha),
       offsetof(P, normal_map), offsetof(P, samples), offsetof(P, filter_kind), offsetof(P, filter_input),
       offsetof(P, filter_boundary), offsetof(P, filter_ringing)});
  onepass_tile_reduction_options r;
  onepass_tile_reduction_options_init(&r, sizeof r);
  r.size = {16, 16};
  r.source = r.target = ONEPASS_FORMAT_R8_UNORM;
  using R = onepass_tile_reduction_options;
  expect_checked_enums<R, onepass_cpu_tile_reduction>(
      r, onepass_cpu_tile_reduction_create, onepass_cpu_tile_reduction_destroy,
      {offsetof(R, source), offsetof(R, target), offsetof(R, reduction), offsetof(R, factor), offsetof(R, samples)});
  onepass_transform_options t;
  onepass_transform_options_init(&t, sizeof t);
  t.size = {16, 16};
  t.source = ONEPASS_FORMAT_R8_UNORM;
  using T = onepass_transform_options;
  expect_checked_enums<T, onepass_cpu_transform>(
      t, onepass_cpu_transform_create, onepass_cpu_transform_destroy,
      {offsetof(T, signal), offsetof(T, source), offsetof(T, boundary), offsetof(T, norm), offsetof(T, order),
       offsetof(T, origin), offsetof(T, precision), offsetof(T, reserved)});
  onepass_convolution_options c;
  onepass_convolution_options_init(&c, sizeof c);
  c.size = {16, 16};
  c.kernel_size = {3, 3};
  c.source = c.kernel = ONEPASS_FORMAT_R8_UNORM;
  using C = onepass_convolution_options;
  expect_checked_enums<C, onepass_cpu_convolver>(
      c, onepass_cpu_convolver_create, onepass_cpu_convolver_destroy,
      {offsetof(C, source), offsetof(C, target), offsetof(C, kernel), offsetof(C, boundary), offsetof(C, mode),
       offsetof(C, scale), offsetof(C, kernel_channels), offsetof(C, alpha)});
  onepass_filter_options f;
  onepass_filter_options_init(&f, sizeof f);
  f.size = {16, 16};
  f.source = ONEPASS_FORMAT_R8_UNORM;
  using F = onepass_filter_options;
  expect_checked_enums<F, onepass_cpu_filter>(
      f, onepass_cpu_filter_create, onepass_cpu_filter_destroy,
      {offsetof(F, source), offsetof(F, target), offsetof(F, band), offsetof(F, shape), offsetof(F, order),
       offsetof(F, dc), offsetof(F, domain), offsetof(F, alpha), offsetof(F, boundary), offsetof(F, notch_count)});
  onepass_meter_options m;
  onepass_meter_options_init(&m, sizeof m);
  m.size = {16, 16};
  m.source = ONEPASS_FORMAT_R8_UNORM;
  using M = onepass_meter_options;
  expect_checked_enums<M, onepass_cpu_meter>(
      m, onepass_cpu_meter_create, onepass_cpu_meter_destroy,
      {offsetof(M, source), offsetof(M, weights), offsetof(M, metering), offsetof(M, statistic), offsetof(M, rule)});
  onepass_tone_map_options o;
  onepass_tone_map_options_init(&o, sizeof o);
  o.size = {16, 16};
  o.source = o.target = ONEPASS_FORMAT_R8G8B8A8_UNORM;
  using O = onepass_tone_map_options;
  expect_checked_enums<O, onepass_cpu_tone_map>(
      o, onepass_cpu_tone_map_create, onepass_cpu_tone_map_destroy,
      {offsetof(O, source), offsetof(O, target), offsetof(O, tone_operator), offsetof(O, look), offsetof(O, transfer),
       offsetof(O, primaries), offsetof(O, dither)});
}

// Messages use the C names of fields.
TEST_F(CApi, MessagesNameFieldsOfC) {
  onepass_tone_map_options tone;
  onepass_tone_map_options_init(&tone, sizeof tone);
  tone.size = {16, 8};
  tone.source = ONEPASS_FORMAT_R16G16B16A16_SFLOAT;
  tone.target = ONEPASS_FORMAT_R8G8B8A8_SRGB;
  onepass_cpu_tone_map* map = nullptr;
  const auto map_tones = [&](onepass_error* e) { return onepass_cpu_tone_map_create(&tone, nullptr, &map, e); };
  tone.local_detail = 9;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "local_detail: 9", map_tones);
  tone.local_detail = 1;
  tone.drago_bias = 9;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "drago_bias: 9", map_tones);
  tone.drago_bias = 0.85F;
  onepass_meter_options options;
  onepass_meter_options_init(&options, sizeof options);
  options.size = {16, 8};
  options.source = ONEPASS_FORMAT_R16G16B16A16_SFLOAT;
  options.adaptation_ease_stops = -1;
  onepass_cpu_meter* meter = nullptr;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "adaptation_ease_stops: -1",
                 [&](onepass_error* e) { return onepass_cpu_meter_create(&options, nullptr, &meter, e); });
}

TEST_F(CApi, SamplesCountInPlansAndAreRefusedOnTheCpu) {
  onepass_pyramid_options options;
  onepass_pyramid_options_init(&options, sizeof options);
  options.size = {16, 8};
  options.source = ONEPASS_FORMAT_D24_UNORM_S8_UINT;
  options.target = ONEPASS_FORMAT_R32_SFLOAT;
  options.reduction = ONEPASS_REDUCTION_MAX;
  onepass_pyramid_plan plan{};
  plan.struct_size = sizeof plan;
  for (const uint32_t samples : {1U, 4U}) {
    options.samples = samples;
    ASSERT_EQ(onepass_plan_pyramid(&options, &plan, &error_), ONEPASS_OK) << error_.message;
    EXPECT_EQ(plan.bytes_read, 16U * 8 * 4 * samples);
  }
  onepass_cpu_pyramid* pyramid = nullptr;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "samples: 4, but images in host memory have one",
                 [&](onepass_error* e) { return onepass_cpu_pyramid_create(&options, nullptr, &pyramid, e); });
  onepass_tile_reduction_options tiles;
  onepass_tile_reduction_options_init(&tiles, sizeof tiles);
  tiles.size = {16, 8};
  tiles.source = ONEPASS_FORMAT_D32_SFLOAT_S8_UINT;
  tiles.target = ONEPASS_FORMAT_R32_SFLOAT;
  tiles.samples = 3;
  onepass_cpu_tile_reduction* reduction = nullptr;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "samples: 3 is not one of 1, 2, 4 and 8",
                 [&](onepass_error* e) { return onepass_cpu_tile_reduction_create(&tiles, nullptr, &reduction, e); });
}

TEST_F(CApi, CallsAnswerMistakes) {
  const PyramidOptions shape{.size = {16, 8}, .source = Format::kRGBA8Unorm, .target = Format::kRGBA8Unorm};
  auto source = random_image(shape.source, shape.size);
  Levels levels(shape);
  std::vector<onepass_mutable_image_view> views;
  for (const MutableImageView& level : levels.views) views.push_back(c_view(level));
  onepass_pyramid_options options;
  onepass_pyramid_options_init(&options, sizeof options);
  options.size = {16, 8};
  options.source = options.target = ONEPASS_FORMAT_R8G8B8A8_UNORM;
  onepass_cpu_tuning tuning{};
  onepass_cpu_pyramid* pyramid = nullptr;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "tuning.struct_size: 0",
                 [&](onepass_error* e) { return onepass_cpu_pyramid_create(&options, &tuning, &pyramid, e); });
  ASSERT_EQ(onepass_cpu_pyramid_create(&options, nullptr, &pyramid, nullptr), ONEPASS_OK);
  auto from = c_view(source);
  const auto build = [&](onepass_error* e) {
    return onepass_cpu_pyramid_build(pyramid, &from, views.data(), views.size(), e);
  };
  EXPECT_EQ(build(&error_), ONEPASS_OK);
  EXPECT_STREQ(error_.message, "");
  from.row_stride = 63;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "source: row_stride 63, a row has 64 bytes", build);
  from.row_stride = SIZE_MAX / 2;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "source: row_stride 9223372036854775807, more than memory has", build);
  from.row_stride = static_cast<size_t>(-64);
  expect_failure(ONEPASS_INVALID_ARGUMENT, "source: row_stride 18446744073709551552, more than memory has", build);
  from.row_stride = 0;  // 0: rows are contiguous
  from.slices = 0;      // 0: one slice
  EXPECT_EQ(build(&error_), ONEPASS_OK);
  from.data = nullptr;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "source: data is null", build);
  from = c_view(source);
  from.format = ONEPASS_FORMAT_R8_UNORM;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "source: format r8_unorm", build);
  from = c_view(source);
  expect_failure(ONEPASS_INVALID_ARGUMENT, "levels", [&](onepass_error* e) {
    return onepass_cpu_pyramid_build(pyramid, &from, views.data(), views.size() - 1, e);
  });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "level_count", [&](onepass_error* e) {
    return onepass_cpu_pyramid_build(pyramid, &from, views.data(), SIZE_MAX, e);
  });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "levels: null",
                 [&](onepass_error* e) { return onepass_cpu_pyramid_build(pyramid, &from, nullptr, views.size(), e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "source: null", [&](onepass_error* e) {
    return onepass_cpu_pyramid_build(pyramid, nullptr, views.data(), views.size(), e);
  });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "pyramid: null", [&](onepass_error* e) {
    return onepass_cpu_pyramid_build(nullptr, &from, views.data(), views.size(), e);
  });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "", [&](onepass_error* e) {
    return onepass_cpu_pyramid_update(pyramid, &from, views.data(), views.size(), {15, 0, 2, 1}, e);
  });
  onepass_cpu_pyramid_destroy(pyramid);

  std::array<std::byte, 64> spectrum{};
  const auto to = c_view(source.view());
  expect_failure(ONEPASS_INVALID_ARGUMENT, "spectrum",
                 [&](onepass_error* e) { return client_transform(&from, spectrum.data(), spectrum.size(), &to, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "spectrum: null",
                 [&](onepass_error* e) { return client_transform(&from, nullptr, spectrum.size(), &to, e); });
  PaddedImage black(Format::kR8Unorm, {3, 3});
  std::memset(black.view().data, 0, black.bytes().size());
  const auto kernel = c_view(black);
  expect_failure(ONEPASS_BAD_DATA, "", [&](onepass_error* e) { return client_convolve(&from, &kernel, &to, e); });
  onepass_meter_result result{};
  expect_failure(ONEPASS_INVALID_ARGUMENT, "results",
                 [&](onepass_error* e) { return client_meter(&from, &result, 2, nullptr, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "results: null",
                 [&](onepass_error* e) { return client_meter(&from, nullptr, 1, nullptr, e); });
}

TEST_F(CApi, NullHandlesAndViewsAreAnswered) {
  auto source = random_image(Format::kR8Unorm, {4, 4});
  const auto from = c_view(source);
  const auto to = c_view(source.view());
  onepass_meter_result result{};
  std::byte byte{};
  const auto expect_null = [](onepass_code code) { EXPECT_EQ(code, ONEPASS_INVALID_ARGUMENT); };
  expect_null(onepass_cpu_tile_reduction_reduce(nullptr, &from, &to, nullptr));
  expect_null(onepass_cpu_transform_forward(nullptr, &from, &byte, 1, nullptr));
  expect_null(onepass_cpu_transform_inverse(nullptr, &byte, 1, &to, nullptr));
  expect_null(onepass_cpu_convolver_set_kernel(nullptr, &from, nullptr));
  expect_null(onepass_cpu_convolver_convolve(nullptr, &from, &to, nullptr));
  expect_null(onepass_cpu_filter_apply(nullptr, &from, &to, nullptr));
  expect_null(onepass_cpu_meter_measure(nullptr, &from, &result, 1, nullptr, nullptr, nullptr));
  expect_null(onepass_cpu_tone_map_apply(nullptr, &from, &to, 1, nullptr));
  onepass_tone_map_options options;
  onepass_tone_map_options_init(&options, sizeof options);
  options.size = {4, 4};
  options.source = options.target = ONEPASS_FORMAT_R8_UNORM;
  onepass_cpu_tone_map* map = nullptr;
  ASSERT_EQ(onepass_cpu_tone_map_create(&options, nullptr, &map, &error_), ONEPASS_OK) << error_.message;
  expect_null(onepass_cpu_tone_map_apply(map, nullptr, &to, 1, nullptr));
  expect_null(onepass_cpu_tone_map_apply(map, &from, nullptr, 1, nullptr));
  onepass_cpu_tone_map_destroy(map);
}

}  // namespace
}  // namespace onepass::testing
