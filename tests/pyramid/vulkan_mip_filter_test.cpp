// vulkan_mip_filter_test.cpp: levels by sharper filters than the box on the Vulkan engine: the cases of the CPU
// engine's test against the same oracle, long sums, slices in groups, the plan, errors.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "tests/pyramid/mip_filter_testing.hpp"
#include "tests/vulkan/vulkan_testing.hpp"

namespace onepass::testing {
namespace {

using VulkanMipFilter = VulkanTest;

/// Builds twice, the second time over poison.
Levels build(const GpuPyramid::Setup& setup, const ImageView& source) {
  Levels levels(setup.options);
  auto gpu = GpuPyramid::create(setup);
  EXPECT_TRUE(gpu.ok()) << (gpu.ok() ? "" : gpu.error().text());
  if (!gpu.ok()) return levels;
  gpu->upload(source);
  gpu->build();
  gpu->upload_levels(levels);
  gpu->build();
  gpu->download(levels);
  return levels;
}

void expect_oracle(const PyramidOptions& options, const PaddedImage& source) {
  const Levels levels = build({.options = options, .tuning = {}}, source.view());
  EXPECT_TRUE(matches(oracle_filtered_pyramid(options, source.view()), levels.views, gpu_tolerance(options, {}),
                      describe_filter(options)));
}

void expect_oracle(const PyramidOptions& options) { expect_oracle(options, random_source(options)); }

float float_at(const ImageView& image, uint32_t x, uint32_t y = 0, uint32_t slice = 0) {
  return reinterpret_cast<const float*>(image.row(y, slice))[x];
}

/// Keeps the pipelines of one pyramid, so that the next ones of the same kind find them compiled.
class Pipelines {
 public:
  void keep(const PyramidOptions& options) {
    auto created = vulkan::Pyramid::create(test_device(), options);
    if (created) kept_ = std::make_unique<vulkan::Pyramid>(std::move(*created));
  }

 private:
  std::unique_ptr<vulkan::Pyramid> kept_;
};

TEST_F(VulkanMipFilter, EveryFilterAndBoundaryMatchesTheOracle) {
  Sample sample;
  Pipelines pipelines;
  std::printf("seed %u\n", sample.seed());
  for_every_filter([&](const PyramidOptions& options) {
    if (options.size.width == 64 && options.filter.kind == kFilters[0]) pipelines.keep(options);
    if (sample.takes(12)) expect_oracle(options);
  });
}

TEST_F(VulkanMipFilter, EveryFormatThatTheDeviceStoresMatchesTheOracle) {
  const vulkan::Device& device = test_device();
  Sample sample;
  std::printf("seed %u\n", sample.seed());
  uint32_t tried = 0;
  for (const FormatInfo& info : all_formats()) {
    PyramidOptions options = options_of(info.format, {45, 38}, {.kind = MipFilter::kKaiser});
    options.slices = 2;
    if (info.depth) options.target = Format::kR32Sfloat;
    const bool has_both = device.can_read(info.format) && device.can_write(options.target);
    const MipFilterInput one = sample.takes(2) ? MipFilterInput::kBase : MipFilterInput::kFinerLevel;
    for (const MipFilterInput input : all_enumerators<MipFilterInput>()) {
      options.filter.input = input;
      if (!has_both) {
        EXPECT_EQ(vulkan::Pyramid::create(device, options).error().code, ErrorCode::kUnsupported);
        continue;
      }
      ++tried;
      if (input == one || !device.info().software || full_run()) expect_oracle(options);
    }
  }
  EXPECT_GE(tried, 2U * 13);
}

TEST_F(VulkanMipFilter, ConvertsBetweenFormats) {
  for (const auto& [source, target] : {std::pair{Format::kRGBA8Srgb, Format::kRGBA16Sfloat},
                                       {Format::kRGBA32Sfloat, Format::kRGBA8Srgb},
                                       {Format::kR32Sfloat, Format::kR8Unorm},
                                       {Format::kRGBA16Sfloat, Format::kB10G11R11Ufloat}}) {
    PyramidOptions options = options_of(source, {50, 37}, {.kind = MipFilter::kMitchell});
    options.target = target;
    expect_oracle(options);
  }
}

TEST_F(VulkanMipFilter, StorageSourcesMatchTheOracle) {
  if (!test_device().info().features.storage_image_read_without_format) {
    GTEST_SKIP() << "no shaderStorageImageReadWithoutFormat";
  }
  for (const Format format : {Format::kR32Sfloat, Format::kRG16Sfloat, Format::kRGBA8Unorm}) {
    PyramidOptions options = options_of(format, {61, 34}, {.kind = MipFilter::kLanczos, .boundary = Boundary::kWrap});
    options.slices = 2;
    const PaddedImage source = random_source(options);
    Levels levels(options);
    const auto made = vulkan::make_pyramid(test_device(), options, {.source_usage = vulkan::SourceUsage::kStorage},
                                           source.view(), levels.views);
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_TRUE(matches(oracle_filtered_pyramid(options, source.view()), levels.views, gpu_tolerance(options, {}),
                        describe_filter(options)));
  }
}

TEST_F(VulkanMipFilter, AwkwardSizesMatchTheOracle) {
  Pipelines pipelines;
  const MipFilterOptions filter = {.kind = MipFilter::kLanczos, .boundary = Boundary::kMirror};
  pipelines.keep(options_of(Format::kRG16Sfloat, {64, 64}, filter));
  for (const Extent size : awkward_sizes()) {
    if (uint64_t{size.width} * size.height > 100000) continue;
    expect_oracle(options_of(Format::kRG16Sfloat, size, filter));
  }
}

TEST_F(VulkanMipFilter, KaiserTakesItsWidthAndShape) {
  for_every_kaiser([](const PyramidOptions& options) { expect_oracle(options); });
}

TEST_F(VulkanMipFilter, WeightedAlphaMatchesTheOracle) {
  Pipelines pipelines;
  for_every_weighted([&](const PyramidOptions& options) {
    pipelines.keep(options);
    expect_oracle(options, transparent_source(options));
  });
}

TEST_F(VulkanMipFilter, WeightedAlphaFromTheBaseMatchesTheOracle) {
  for (const Boundary boundary : kBoundaries) {
    const MipFilterOptions filter = {
        .kind = MipFilter::kKaiser, .input = MipFilterInput::kBase, .boundary = boundary, .ringing = Ringing::kLimit};
    PyramidOptions options = options_of(Format::kRGBA32Sfloat, {131, 90}, filter);
    options.alpha = Alpha::kWeighted;
    expect_oracle(options, transparent_source(options));
  }
}

TEST_F(VulkanMipFilter, NormalMapsMatchTheOracle) {
  for_every_normal_map([](const PyramidOptions& options) { expect_oracle(options, normal_source(options)); });
}

// Levels from the base whose texels have up to 30000 taps, which up to 256 invocations share.
TEST_F(VulkanMipFilter, LongSumsMatchTheOracle) {
  for (const Extent size : {Extent{1100, 1}, Extent{1, 1021}, Extent{2, 640}, Extent{511, 40}}) {
    for (const Ringing ringing : all_enumerators<Ringing>()) {
      const MipFilterOptions filter = {
          .kind = MipFilter::kLanczos, .input = MipFilterInput::kBase, .boundary = Boundary::kWrap, .ringing = ringing};
      const bool is_wide = size.width > size.height;
      expect_oracle(options_of(is_wide ? Format::kRGBA32Sfloat : Format::kR32Sfloat, size, filter));
    }
  }
}

// Sums of up to 131072 taps of one value, 8192 in each invocation: within 2 ULP. Without compensation it is 3.
TEST_F(VulkanMipFilter, ConstantsStayConstantInLongSums) {
  const PyramidOptions options = options_of(
      Format::kR32Sfloat, {16, 4096}, {.kind = MipFilter::kKaiser, .input = MipFilterInput::kBase, .kaiser_width = 16});
  const PaddedImage source = image_of(options.size, 1, [](auto...) { return 0.7; });
  const Levels levels = build({.options = options, .tuning = {}}, source.view());
  for (const MutableImageView& level : levels.views) {
    for (uint32_t y = 0; y < level.size.height; ++y) EXPECT_NEAR(float_at(level, 0, y), 0.7F, 2 * 0x1p-24F) << y;
  }
}

// More slices than scratch memory holds at a time: a second group of the same dispatches.
TEST_F(VulkanMipFilter, SlicesAreMadeInGroups) {
  PyramidOptions options = options_of(Format::kR8Unorm, {1024, 1025}, {.kind = MipFilter::kMitchell});
  options.slices = 5;
  options.levels = 3;
  const auto plan = vulkan::plan_pyramid_dispatches(options);
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan->dispatches.size(), 2U * 2 * 2);
  EXPECT_EQ(plan->dispatches[0].z, 3U);
  EXPECT_EQ(plan->dispatches[4].z, 2U);
  const PaddedImage source = random_source(options);
  const Levels levels = build({.options = options, .tuning = {}}, source.view());
  Levels expected(options);
  ASSERT_TRUE(cpu::Pyramid::create(options)->build(source.view(), expected.views).ok());
  for (size_t n = 0; n < levels.views.size(); ++n) {
    const MutableImageView& level = levels.views[n];
    int largest = 0;
    for (uint32_t slice = 0; slice < options.slices; ++slice) {
      for (uint32_t y = 0; y < level.size.height; ++y) {
        for (uint32_t x = 0; x < level.size.width; ++x) {
          const int a = std::to_integer<int>(level.row(y, slice)[x]);
          const int b = std::to_integer<int>(expected.views[n].row(y, slice)[x]);
          largest = std::max(largest, std::abs(a - b));
        }
      }
    }
    EXPECT_LE(largest, 1) << "level " << n + 1;
  }
}

TEST_F(VulkanMipFilter, SourceMayBeLevelZeroOfTheTarget) {
  PyramidOptions options = options_of(Format::kRGBA8Srgb, {70, 33}, {.kind = MipFilter::kCatmullRom});
  options.slices = 3;
  const PaddedImage source = random_source(options);
  const Levels levels = build({.options = options, .tuning = {}, .source_is_level_0 = true}, source.view());
  EXPECT_TRUE(matches(oracle_filtered_pyramid(options, source.view()), levels.views, gpu_tolerance(options, {})));
}

TEST_F(VulkanMipFilter, UpdateIsABuild) {
  PyramidOptions options = options_of(Format::kRGBA8Unorm, {70, 61}, {.kind = MipFilter::kMitchell});
  PaddedImage source = random_source(options);
  auto gpu = GpuPyramid::create({.options = options, .tuning = {.prepare_update = true}});
  ASSERT_TRUE(gpu) << gpu.error().text();
  gpu->upload(source.view());
  gpu->build();
  Random random(5);
  const Rect changed = {20, 30, 7, 5};
  fill_random(source.view(), changed, random);
  for (const vulkan::Scratch scratch : {vulkan::Scratch::kFromLastBuild, vulkan::Scratch::kUnknown}) {
    gpu->upload(source.view());
    Levels levels(options);
    gpu->upload_levels(levels);  // poison, which an update overwrites, too
    gpu->update(changed, scratch);
    gpu->download(levels);
    EXPECT_TRUE(levels.same_bytes(build({.options = options, .tuning = {}}, source.view())));
  }
}

TEST_F(VulkanMipFilter, NanAndInfStayWithinTheirTaps) {
  for (const MipFilterInput input : all_enumerators<MipFilterInput>()) {
    for (const Ringing ringing : all_enumerators<Ringing>()) {
      for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        PyramidOptions options =
            options_of(Format::kR32Sfloat, {64, 64}, {.kind = MipFilter::kLanczos, .input = input, .ringing = ringing});
        options.levels = 2;
        const PaddedImage source = image_of(
            options.size, 1, [&](uint32_t x, uint32_t y, uint32_t) { return x == 30 && y == 21 ? value : 0.5F; });
        const Levels levels = build({.options = options, .tuning = {}}, source.view());
        for (uint32_t y = 0; y < 32; ++y) {
          for (uint32_t x = 0; x < 32; ++x) {
            const bool is_taken = std::fabs(30.5 / 2 - (x + 0.5)) < 3 && std::fabs(21.5 / 2 - (y + 0.5)) < 3;
            const float made = float_at(levels.views[0], x, y);
            if (is_taken) {  // a limit makes Inf finite where its texel is not near
              EXPECT_TRUE(std::isnan(made) || (std::isinf(value) && (std::isinf(made) || made == 0.5F)))
                  << describe_filter(options) << " " << x << " " << y << ": " << made;
            } else {
              EXPECT_NEAR(made, 0.5F, 1e-6) << x << " " << y;
            }
          }
        }
      }
    }
  }
}

// Weights without a sign keep Inf, also in sums that are corrected for their rounding.
TEST_F(VulkanMipFilter, PositiveWeightsKeepInf) {
  for (const MipFilterInput input : all_enumerators<MipFilterInput>()) {
    const PyramidOptions options =
        options_of(Format::kR32Sfloat, {64, 64}, {.kind = MipFilter::kTriangle, .input = input});
    const PaddedImage source = image_of(options.size, 1, [](uint32_t x, uint32_t y, uint32_t) {
      return x == 30 && y == 21 ? std::numeric_limits<float>::infinity() : 0.5F;
    });
    const Levels levels = build({.options = options, .tuning = {}}, source.view());
    EXPECT_TRUE(std::isinf(float_at(levels.views[0], 15, 10))) << word_of(input);
    EXPECT_TRUE(std::isinf(float_at(levels.views.back(), 0, 0))) << word_of(input);
  }
}

TEST_F(VulkanMipFilter, ThePlanHasTwoDispatchesPerLevel) {
  PyramidOptions options = options_of(Format::kRGBA8Unorm, {70, 33}, {.kind = MipFilter::kKaiser});
  options.slices = 2;
  options.levels = 3;
  const auto plan = vulkan::plan_pyramid_dispatches(options);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->path, PyramidPath::kPerLevel);
  const auto expect_groups = [&](size_t i, uint32_t x, uint32_t y) {
    const auto& groups = plan->dispatches[i];
    EXPECT_EQ(groups.x, x) << i;
    EXPECT_EQ(groups.y, y) << i;
    EXPECT_EQ(groups.z, 2U) << i;
    EXPECT_EQ(groups.workgroup_size, 256U) << i;
  };
  ASSERT_EQ(plan->dispatches.size(), 4U);  // groups of 32x32 sums along y, 32x8 texels of levels
  expect_groups(0, 3, 1);                  // 70x16
  expect_groups(1, 2, 2);                  // 35x16
  expect_groups(2, 2, 1);                  // 35x8
  expect_groups(3, 1, 1);                  // 17x8
  const uint64_t sums = 2ULL * 70 * 16 * 16;
  const uint64_t kept = 2ULL * 35 * 16 * 16;
  EXPECT_EQ(plan->scratch_bytes, sums + kept);  // both are multiples of 256
  EXPECT_EQ(plan->bytes_read, 2ULL * 70 * 33 * 4 + sums + kept + 2ULL * 35 * 8 * 16);
  EXPECT_EQ(plan->bytes_written, 2ULL * 4 * (35 * 16 + 17 * 8) + sums + kept + 2ULL * 35 * 8 * 16);
  auto pyramid = vulkan::Pyramid::create(test_device(), options);
  ASSERT_TRUE(pyramid) << pyramid.error().text();
  EXPECT_EQ(pyramid->dispatch_plan().scratch_bytes, plan->scratch_bytes);
  EXPECT_EQ(pyramid->dispatch_plan().dispatches.size(), 4U);

  options.filter.input = MipFilterInput::kBase;  // nothing is kept, and each level reads the base
  const auto from_base = vulkan::plan_pyramid_dispatches(options);
  ASSERT_TRUE(from_base.ok());
  EXPECT_EQ(from_base->scratch_bytes, sums + 256);
  EXPECT_EQ(from_base->bytes_read, 2 * 2ULL * 70 * 33 * 4 + sums + 2ULL * 70 * 8 * 16);

  options.levels = 1;
  const auto nothing = vulkan::plan_pyramid_dispatches(options);
  ASSERT_TRUE(nothing.ok());
  EXPECT_TRUE(nothing->dispatches.empty());
  EXPECT_TRUE(vulkan::Pyramid::create(test_device(), options).ok());
}

TEST_F(VulkanMipFilter, ErrorsNameFieldAndValue) {
  const PyramidOptions good = options_of(Format::kRGBA8Unorm, {16, 16}, {.kind = MipFilter::kKaiser});
  const auto refuse = [](const PyramidOptions& options, const vulkan::PyramidTuning& tuning, ErrorCode code,
                         const std::string& message) {
    const auto pyramid = vulkan::Pyramid::create(test_device(), options, tuning);
    ASSERT_FALSE(pyramid.ok()) << message;
    EXPECT_EQ(pyramid.error().code, code);
    EXPECT_EQ(pyramid.error().message, message);
    const auto plan = vulkan::plan_pyramid_dispatches(options, tuning);
    ASSERT_FALSE(plan.ok()) << message;
    EXPECT_EQ(plan.error().message, message);
  };
  refuse(good, {.path = PyramidPath::kSingleDispatch}, ErrorCode::kUnsupported,
         "tuning.path: single_dispatch, but filter.kind is kaiser: two dispatches per level");
  refuse(good, {.sampling = vulkan::Sampling::kLinear}, ErrorCode::kUnsupported,
         "tuning.sampling: linear, but filter.kind is kaiser");
  PyramidOptions options = good;
  options.filter.boundary = Boundary::kZero;
  refuse(options, {}, ErrorCode::kInvalidArgument, "filter.boundary: zero would darken the edges");
  options = good;
  options.size = {65535, 65535};
  options.slices = 1;
  const auto large = vulkan::plan_pyramid_dispatches(options);
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(large.error().message, "size: the intermediate levels of 1 slices exceed 2^32 values");
}

}  // namespace
}  // namespace onepass::testing
