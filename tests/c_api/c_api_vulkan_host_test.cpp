// c_api_vulkan_host_test.cpp: images in host memory on a device that the C API opened: bit-equal to the C++ calls on
// the same device; an error for every mistake. Software Vulkan, unless the environment names another device.
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "onepass/onepass_vulkan.h"
#include "onepass/vulkan/blocks.hpp"
#include "onepass/vulkan/bloom.hpp"
#include "onepass/vulkan/fourier.hpp"
#include "onepass/vulkan/fourier_convolution.hpp"
#include "onepass/vulkan/fourier_correlation.hpp"
#include "onepass/vulkan/fourier_deconvolution.hpp"
#include "onepass/vulkan/fourier_filter.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "onepass/vulkan/tile_reduction.hpp"
#include "onepass/vulkan/tone_map.hpp"
#include "tests/c_api/c_api_testing.hpp"

namespace onepass::testing {
namespace {

constexpr Extent kSize{37, 22};
constexpr onepass_extent kExtent{37, 22};
constexpr onepass_format kFormat = ONEPASS_FORMAT_R32G32B32A32_SFLOAT;

class CApiVulkanHost : public CApi {
 protected:
  // One device for C and one for C++, opened by the same selector.
  static void SetUpTestSuite() {
    const char* name = std::getenv("ONEPASS_TEST_DEVICE");
    const std::string selector = name != nullptr ? name : "llvmpipe";
    onepass_vulkan_device_request request;
    onepass_vulkan_device_request_init(&request, sizeof request);
    request.selector = selector.c_str();
    request.allow_software = 1;
    onepass_error error{};
    ASSERT_EQ(onepass_vulkan_device_open(&request, &device_, &error), ONEPASS_OK) << error.message;
    auto opened = vulkan::Device::open({.selector = selector, .allow_software = true});
    ASSERT_TRUE(opened) << opened.error().text();
    cpp_ = new vulkan::Device(*opened);
  }
  static void TearDownTestSuite() {
    onepass_vulkan_device_destroy(device_);
    delete cpp_;
  }
  void SetUp() override { ASSERT_NE(cpp_, nullptr); }

  // Options with the size and formats of the images.
  template <typename Options>
  static Options sized(void (*init)(Options*, size_t)) {
    Options options;
    init(&options, sizeof options);
    options.size = kExtent;
    options.source = kFormat;
    return options;
  }

  const PaddedImage source_ = random_image(Format::kRGBA32Sfloat, kSize);
  const onepass_image_view from_ = c_view(source_);
  PaddedImage expected_{Format::kRGBA32Sfloat, kSize, 1, 16, 32};
  PaddedImage actual_{Format::kRGBA32Sfloat, kSize, 1, 16, 32};
  const onepass_mutable_image_view to_ = c_view(actual_.view());
  double time_ = -1;

  static inline onepass_vulkan_device* device_ = nullptr;
  static inline vulkan::Device* cpp_ = nullptr;
};

TEST_F(CApiVulkanHost, DevicesAreThoseOfCpp) {
  const auto expected = vulkan::list_devices();
  ASSERT_TRUE(expected);
  onepass_vulkan_device_list* list = nullptr;
  ASSERT_EQ(onepass_vulkan_list_devices(&list, &error_), ONEPASS_OK) << error_.message;
  ASSERT_EQ(onepass_vulkan_device_list_count(list), expected->size());
  EXPECT_EQ(onepass_vulkan_device_list_count(nullptr), 0U);
  onepass_vulkan_device_info info{};
  info.struct_size = sizeof info;
  for (uint32_t i = 0; i < expected->size(); ++i) {
    ASSERT_EQ(onepass_vulkan_device_list_info(list, i, &info, &error_), ONEPASS_OK) << error_.message;
    const vulkan::DeviceInfo& wanted = (*expected)[i];
    EXPECT_EQ(info.name, wanted.name);
    EXPECT_EQ(info.driver, wanted.driver);
    EXPECT_EQ(info.unusable_reason, wanted.unusable_reason);
    EXPECT_EQ(info.memory_bytes, wanted.memory_bytes);
    EXPECT_EQ(info.index, i);
    EXPECT_EQ(info.api_version, wanted.api_version);
    EXPECT_EQ(info.software != 0, wanted.software);
    EXPECT_EQ(info.usable != 0, wanted.usable);
    EXPECT_EQ(info.subgroup_size, wanted.subgroup_size);
    EXPECT_EQ(info.shared_memory_bytes, wanted.shared_memory_bytes);
    EXPECT_EQ(info.max_image_size, wanted.max_image_size);
    EXPECT_EQ(info.max_slices, wanted.max_slices);
    EXPECT_EQ(info.processors, wanted.processors);
    EXPECT_EQ(info.tunings, wanted.tunings);
  }
  const auto count = static_cast<uint32_t>(expected->size());
  expect_failure(ONEPASS_INVALID_ARGUMENT,
                 "index: ", [&](onepass_error* e) { return onepass_vulkan_device_list_info(list, count, &info, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "list: null",
                 [&](onepass_error* e) { return onepass_vulkan_device_list_info(nullptr, 0, &info, e); });
  onepass_vulkan_device_list_destroy(list);
  onepass_vulkan_device_list_destroy(nullptr);
  ASSERT_EQ(onepass_vulkan_device_get_info(device_, &info, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(info.name, cpp_->info().name);
  expect_failure(ONEPASS_INVALID_ARGUMENT, "device: null",
                 [&](onepass_error* e) { return onepass_vulkan_device_get_info(nullptr, &info, e); });
  EXPECT_NE(onepass_vulkan_device_can_read(device_, kFormat), 0);
}

TEST_F(CApiVulkanHost, RequestsAreChecked) {
  onepass_vulkan_device_request request;
  onepass_vulkan_device_request_init(&request, sizeof request);
  EXPECT_EQ(request.selector, nullptr);
  request.selector = "no such device";
  onepass_vulkan_device* device = nullptr;
  const auto open = [&](onepass_error* e) { return onepass_vulkan_device_open(&request, &device, e); };
  expect_failure(ONEPASS_NOT_FOUND, "no such device", open);
  EXPECT_EQ(device, nullptr);
  request.reserved = 1;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "request.reserved", open);
  expect_failure(ONEPASS_INVALID_ARGUMENT, "where the handle goes: null",
                 [&](onepass_error* e) { return onepass_vulkan_device_open(nullptr, nullptr, e); });
}

TEST_F(CApiVulkanHost, RequestsPassTunings) {
  onepass_vulkan_device_request request;
  onepass_vulkan_device_request_init(&request, sizeof request);
  EXPECT_EQ(request.tunings, nullptr);
  const std::string name = cpp_->info().name;
  request.selector = name.c_str();
  request.tunings = R"({"onepass_tunings": 1, "processors": 3})";
  onepass_vulkan_device* device = nullptr;
  ASSERT_EQ(onepass_vulkan_device_open(&request, &device, &error_), ONEPASS_OK) << error_.message;
  onepass_vulkan_device_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(onepass_vulkan_device_get_info(device, &info, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(info.processors, 3U);
  EXPECT_TRUE(std::string(info.tunings).starts_with("caller's text: any device")) << info.tunings;
  onepass_vulkan_device_destroy(device);
  EXPECT_EQ(onepass_vulkan_check_tunings(request.tunings, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(onepass_vulkan_check_tunings(nullptr, &error_), ONEPASS_OK) << error_.message;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "tunings: line 1",
                 [](onepass_error* e) { return onepass_vulkan_check_tunings("{", e); });
  request.tunings = "{";
  expect_failure(ONEPASS_INVALID_ARGUMENT, "tunings: line 1",
                 [&](onepass_error* e) { return onepass_vulkan_device_open(&request, &device, e); });
}

TEST_F(CApiVulkanHost, PyramidsAndTiles) {
  auto options = sized(onepass_pyramid_options_init);
  options.target = kFormat;
  PyramidOptions cpp{.size = kSize, .source = Format::kRGBA32Sfloat, .target = Format::kRGBA32Sfloat};
  Levels expected(cpp), actual(cpp);
  std::vector<onepass_mutable_image_view> levels;
  for (const MutableImageView& level : actual.views) levels.push_back(c_view(level));
  ASSERT_TRUE(vulkan::make_pyramid(*cpp_, cpp, {}, source_.view(), expected.views));
  onepass_vulkan_pyramid_tuning tuning;
  onepass_vulkan_pyramid_tuning_init(&tuning, sizeof tuning);
  const auto build = [&](const onepass_rect* changed, onepass_error* e) {
    return onepass_vulkan_make_pyramid(device_, &options, &tuning, &from_, levels.data(), levels.size(), changed,
                                       &time_, e);
  };
  ASSERT_EQ(build(nullptr, &error_), ONEPASS_OK) << error_.message;
  EXPECT_TRUE(actual.same_bytes(expected));
  EXPECT_GE(time_, 0);

  options.filter_kind = ONEPASS_MIP_FILTER_KAISER;
  options.filter_boundary = ONEPASS_BOUNDARY_WRAP;
  options.filter_kaiser_width = 2.5F;
  const MipFilterOptions filter = {.kind = MipFilter::kKaiser, .boundary = Boundary::kWrap, .kaiser_width = 2.5F};
  cpp.filter = filter;
  ASSERT_TRUE(vulkan::make_pyramid(*cpp_, cpp, {}, source_.view(), expected.views));
  ASSERT_EQ(build(nullptr, &error_), ONEPASS_OK) << error_.message;
  EXPECT_TRUE(actual.same_bytes(expected));
  options.filter_kind = ONEPASS_MIP_FILTER_BOX;
  cpp.filter = {};
  ASSERT_EQ(build(nullptr, &error_), ONEPASS_OK) << error_.message;
  ASSERT_TRUE(vulkan::make_pyramid(*cpp_, cpp, {}, source_.view(), expected.views));

  const Rect changed{5, 6, 3, 2};
  PaddedImage other = source_;
  fill_random(other.view(), random_);  // outside the rectangle, too: there the levels stay
  const onepass_image_view from = c_view(std::as_const(other).view());
  ASSERT_TRUE(vulkan::make_pyramid(*cpp_, cpp, {}, std::as_const(other).view(), expected.views, changed));
  const onepass_rect rect{5, 6, 3, 2};
  ASSERT_EQ(onepass_vulkan_make_pyramid(device_, &options, nullptr, &from, levels.data(), levels.size(), &rect, nullptr,
                                        &error_),
            ONEPASS_OK)
      << error_.message;
  EXPECT_TRUE(actual.same_bytes(expected));
  expect_failure(ONEPASS_INVALID_ARGUMENT, "levels: null", [&](onepass_error* e) {
    return onepass_vulkan_make_pyramid(device_, &options, nullptr, &from_, nullptr, 3, nullptr, nullptr, e);
  });
  tuning.struct_size = 4;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "tuning.struct_size", [&](onepass_error* e) { return build(nullptr, e); });

  auto tiles = sized(onepass_tile_reduction_options_init);
  tiles.target = kFormat;
  tiles.factor = 8;
  PaddedImage expected_tiles(Format::kRGBA32Sfloat, {5, 3}), actual_tiles(Format::kRGBA32Sfloat, {5, 3});
  ASSERT_TRUE(vulkan::reduce_tiles(
      *cpp_, {.size = kSize, .source = Format::kRGBA32Sfloat, .target = Format::kRGBA32Sfloat, .factor = 8}, {},
      source_.view(), expected_tiles.view()));
  const auto to = c_view(actual_tiles.view());
  ASSERT_EQ(onepass_vulkan_reduce_tiles(device_, &tiles, nullptr, &from_, &to, &time_, &error_), ONEPASS_OK)
      << error_.message;
  EXPECT_EQ(actual_tiles.bytes(), expected_tiles.bytes());
  expect_failure(ONEPASS_INVALID_ARGUMENT, "target: null", [&](onepass_error* e) {
    return onepass_vulkan_reduce_tiles(device_, &tiles, nullptr, &from_, nullptr, nullptr, e);
  });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "device: null", [&](onepass_error* e) {
    return onepass_vulkan_reduce_tiles(nullptr, &tiles, nullptr, &from_, &to, nullptr, e);
  });
}

TEST_F(CApiVulkanHost, Blocks) {
  auto options = sized(onepass_block_compressor_options_init);
  options.levels = 1;
  options.blocks = ONEPASS_BLOCK_FORMAT_BC7_UNORM;
  const BlockCompressorOptions cpp{.size = kSize, .source = Format::kRGBA32Sfloat};
  auto expected = BlockImage::create(BlockFormat::kBc7Unorm, kSize);
  auto actual = BlockImage::create(BlockFormat::kBc7Unorm, kSize);
  ASSERT_TRUE(expected && actual);
  const ImageView source = std::as_const(source_).view();
  const MutableBlockView wanted = expected->view();
  ASSERT_TRUE(vulkan::compress_levels(*cpp_, cpp, {&source, 1}, {&wanted, 1}));
  const onepass_mutable_block_view blocks = {
      actual->view().data, ONEPASS_BLOCK_FORMAT_BC7_UNORM, {kSize.width, kSize.height}, 0, 0, 0};
  const auto compress = [&](const onepass_image_view* from, const onepass_mutable_block_view* to, size_t count,
                            onepass_error* e) {
    return onepass_vulkan_compress_levels(device_, &options, from, to, count, &time_, e);
  };
  ASSERT_EQ(compress(&from_, &blocks, 1, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(std::memcmp(actual->view().data, wanted.data, expected->size_in_bytes()), 0);
  expect_failure(ONEPASS_INVALID_ARGUMENT, "levels: 0 views, not 1",
                 [&](onepass_error* e) { return compress(&from_, &blocks, 0, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "levels: null",
                 [&](onepass_error* e) { return compress(nullptr, &blocks, 1, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "blocks: null",
                 [&](onepass_error* e) { return compress(&from_, nullptr, 1, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "level_count: 17 is more than any image has",
                 [&](onepass_error* e) { return compress(&from_, &blocks, 17, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "device: null", [&](onepass_error* e) {
    return onepass_vulkan_compress_levels(nullptr, &options, &from_, &blocks, 1, nullptr, e);
  });
}

TEST_F(CApiVulkanHost, Transforms) {
  auto options = sized(onepass_transform_options_init);
  const TransformOptions cpp{.size = kSize, .source = Format::kRGBA32Sfloat};
  const auto plan = plan_transform(cpp);
  ASSERT_TRUE(plan);
  std::vector<std::byte> expected(plan->spectrum_bytes), actual(plan->spectrum_bytes);
  ASSERT_TRUE(vulkan::transform_forward(*cpp_, cpp, {}, source_.view(), expected));
  ASSERT_EQ(onepass_vulkan_transform_forward(device_, &options, nullptr, &from_, actual.data(), actual.size(), &time_,
                                             &error_),
            ONEPASS_OK)
      << error_.message;
  EXPECT_EQ(actual, expected);
  ASSERT_TRUE(vulkan::transform_inverse(*cpp_, cpp, {}, expected, expected_.view()));
  ASSERT_EQ(onepass_vulkan_transform_inverse(device_, &options, nullptr, actual.data(), actual.size(), &to_, nullptr,
                                             &error_),
            ONEPASS_OK)
      << error_.message;
  EXPECT_EQ(actual_.bytes(), expected_.bytes());
  expect_failure(ONEPASS_INVALID_ARGUMENT, "spectrum", [&](onepass_error* e) {
    return onepass_vulkan_transform_forward(device_, &options, nullptr, &from_, nullptr, actual.size(), nullptr, e);
  });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "spectrum", [&](onepass_error* e) {
    return onepass_vulkan_transform_inverse(device_, &options, nullptr, actual.data(), 8, &to_, nullptr, e);
  });
}

TEST_F(CApiVulkanHost, Operations) {
  const PaddedImage kernel = [&] {
    PaddedImage image(Format::kR32Sfloat, {5, 3});
    for (uint32_t y = 0; y < 3; ++y) {
      for (uint32_t x = 0; x < 5; ++x) reinterpret_cast<float*>(image.view().row(y))[x] = random_.between(0.1F, 1);
    }
    return image;
  }();
  const onepass_image_view weights = c_view(kernel);

  auto convolution = sized(onepass_convolution_options_init);
  convolution.kernel_size = {5, 3};
  convolution.kernel = ONEPASS_FORMAT_R32_SFLOAT;
  ASSERT_TRUE(vulkan::convolve_image(
      *cpp_, {.size = kSize, .source = Format::kRGBA32Sfloat, .kernel_size = {5, 3}, .kernel = Format::kR32Sfloat}, {},
      kernel.view(), source_.view(), expected_.view()));
  ASSERT_EQ(onepass_vulkan_convolve_image(device_, &convolution, nullptr, &weights, &from_, &to_, &time_, &error_),
            ONEPASS_OK)
      << error_.message;
  EXPECT_EQ(actual_.bytes(), expected_.bytes());
  expect_failure(ONEPASS_INVALID_ARGUMENT, "kernel: null", [&](onepass_error* e) {
    return onepass_vulkan_convolve_image(device_, &convolution, nullptr, nullptr, &from_, &to_, nullptr, e);
  });

  auto blur = sized(onepass_deconvolution_options_init);
  blur.kernel_size = {5, 3};
  blur.kernel = ONEPASS_FORMAT_R32_SFLOAT;
  ASSERT_TRUE(vulkan::deconvolve_image(
      *cpp_, {.size = kSize, .source = Format::kRGBA32Sfloat, .kernel_size = {5, 3}, .kernel = Format::kR32Sfloat}, {},
      kernel.view(), source_.view(), expected_.view()));
  ASSERT_EQ(onepass_vulkan_deconvolve_image(device_, &blur, nullptr, &weights, &from_, &to_, &time_, &error_),
            ONEPASS_OK)
      << error_.message;
  EXPECT_EQ(actual_.bytes(), expected_.bytes());
  expect_failure(ONEPASS_INVALID_ARGUMENT, "kernel: null", [&](onepass_error* e) {
    return onepass_vulkan_deconvolve_image(device_, &blur, nullptr, nullptr, &from_, &to_, nullptr, e);
  });

  auto filter = sized(onepass_filter_options_init);
  ASSERT_TRUE(vulkan::filter_image(*cpp_, {.size = kSize, .source = Format::kRGBA32Sfloat}, {}, source_.view(),
                                   expected_.view()));
  ASSERT_EQ(onepass_vulkan_filter_image(device_, &filter, nullptr, &from_, &to_, &time_, &error_), ONEPASS_OK)
      << error_.message;
  EXPECT_EQ(actual_.bytes(), expected_.bytes());

  auto bloom = sized(onepass_bloom_options_init);
  BloomOptions cpp{.size = kSize, .source = Format::kRGBA32Sfloat};
  ASSERT_TRUE(vulkan::bloom_image(*cpp_, cpp, {}, nullptr, source_.view(), expected_.view()));
  ASSERT_EQ(onepass_vulkan_bloom_image(device_, &bloom, nullptr, nullptr, &from_, &to_, &time_, &error_), ONEPASS_OK)
      << error_.message;
  EXPECT_EQ(actual_.bytes(), expected_.bytes());
  cpp.kernel_size = {5, 3};
  cpp.kernel = Format::kR32Sfloat;
  bloom.kernel_size = {5, 3};
  bloom.kernel = ONEPASS_FORMAT_R32_SFLOAT;
  const ImageView own = kernel.view();
  ASSERT_TRUE(vulkan::bloom_image(*cpp_, cpp, {}, &own, source_.view(), expected_.view()));
  ASSERT_EQ(onepass_vulkan_bloom_image(device_, &bloom, nullptr, &weights, &from_, &to_, nullptr, &error_), ONEPASS_OK)
      << error_.message;
  EXPECT_EQ(actual_.bytes(), expected_.bytes());
}

TEST_F(CApiVulkanHost, Shifts) {
  onepass_correlation_options options;
  onepass_correlation_options_init(&options, sizeof options);
  options.size = kExtent;
  options.first = kFormat;
  const PaddedImage second = random_image(Format::kRGBA32Sfloat, kSize);
  const onepass_image_view other = c_view(second);
  PaddedImage expected(Format::kR32Sfloat, kSize), actual(Format::kR32Sfloat, kSize);
  const MutableImageView surface = expected.view();
  const auto wanted = vulkan::estimate_shift(*cpp_, {.size = kSize, .first = Format::kRGBA32Sfloat}, {}, source_.view(),
                                             second.view(), &surface);
  ASSERT_TRUE(wanted) << wanted.error().text();
  onepass_shift shift{};
  const auto to = c_view(actual.view());
  ASSERT_EQ(onepass_vulkan_estimate_shift(device_, &options, nullptr, &from_, &other, &to, &shift, &time_, &error_),
            ONEPASS_OK)
      << error_.message;
  EXPECT_EQ(shift.x, wanted->shift.x);
  EXPECT_EQ(shift.y, wanted->shift.y);
  EXPECT_EQ(shift.confidence, wanted->shift.confidence);
  EXPECT_EQ(actual.bytes(), expected.bytes());
  onepass_shift alone{};
  ASSERT_EQ(
      onepass_vulkan_estimate_shift(device_, &options, nullptr, &from_, &other, nullptr, &alone, nullptr, &error_),
      ONEPASS_OK);
  EXPECT_EQ(alone.x, shift.x);
  expect_failure(ONEPASS_INVALID_ARGUMENT, "shift: null", [&](onepass_error* e) {
    return onepass_vulkan_estimate_shift(device_, &options, nullptr, &from_, &other, nullptr, nullptr, nullptr, e);
  });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "second: null", [&](onepass_error* e) {
    return onepass_vulkan_estimate_shift(device_, &options, nullptr, &from_, nullptr, nullptr, &shift, nullptr, e);
  });
}

TEST_F(CApiVulkanHost, Light) {
  auto meter = sized(onepass_meter_options_init);
  MeterResult expected{};
  onepass_meter_result actual{};
  for (const float seconds : {0.0F, 0.1F}) {
    ASSERT_TRUE(vulkan::meter_image(*cpp_, {.size = kSize, .source = Format::kRGBA32Sfloat}, {}, source_.view(),
                                    {&expected, 1}, {.seconds = seconds}));
    const onepass_meter_frame frame{seconds, 0};
    ASSERT_EQ(
        onepass_vulkan_meter_image(device_, &meter, nullptr, &from_, &actual, 1, &frame, nullptr, &time_, &error_),
        ONEPASS_OK)
        << error_.message;
  }
  EXPECT_EQ(std::memcmp(&actual, &expected, sizeof actual), 0);
  expect_failure(ONEPASS_INVALID_ARGUMENT, "results: null", [&](onepass_error* e) {
    return onepass_vulkan_meter_image(device_, &meter, nullptr, &from_, nullptr, 1, nullptr, nullptr, nullptr, e);
  });

  auto tone = sized(onepass_tone_map_options_init);
  tone.target = kFormat;
  tone.transfer = ONEPASS_TRANSFER_LINEAR;
  for (const float shadows : {1.0F, 0.5F}) {
    ToneMapOptions cpp{.size = kSize, .source = Format::kRGBA32Sfloat, .target = Format::kRGBA32Sfloat};
    cpp.transfer = Transfer::kLinear;
    cpp.local.shadows = tone.local_shadows = shadows;
    ASSERT_TRUE(vulkan::map_tones(*cpp_, cpp, {}, source_.view(), expected_.view(), 1.5F));
    ASSERT_EQ(onepass_vulkan_map_tones(device_, &tone, nullptr, &from_, &to_, 1.5F, &time_, &error_), ONEPASS_OK)
        << error_.message;
    EXPECT_EQ(actual_.bytes(), expected_.bytes());
  }
  tone.transfer = 1079;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "transfer", [&](onepass_error* e) {
    return onepass_vulkan_map_tones(device_, &tone, nullptr, &from_, &to_, 1, nullptr, e);
  });
}

}  // namespace
}  // namespace onepass::testing
