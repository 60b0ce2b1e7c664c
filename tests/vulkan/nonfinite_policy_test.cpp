// nonfinite_policy_test.cpp: effect of NaN and Inf on techniques of both engines, as docs/nonfinite.md says. The tests
// of meters, tone maps, local exposure, correlations and Richardson-Lucy are in their own files.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "onepass/depth_query.hpp"
#include "onepass/fourier_deconvolution.hpp"
#include "onepass/fourier_filter.hpp"
#include "onepass/frame_tone_map.hpp"
#include "onepass/nonfinite.hpp"
#include "onepass/vulkan/fourier_filter.hpp"
#include "onepass/vulkan/tile_reduction.hpp"
#include "tests/tile_reduction/tile_reduction_oracle.hpp"
#include "tests/vulkan/vulkan_testing.hpp"

namespace onepass::testing {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

float* texel(const MutableImageView& image, uint32_t x, uint32_t y) {
  return reinterpret_cast<float*>(image.row(y)) + size_t{x} * format_info(image.format).channels;
}

PyramidOptions pyramid_options(Reduction reduction, Footprint footprint, Extent size, Format format) {
  return {.size = size, .source = format, .target = format, .reduction = reduction, .footprint = footprint};
}

/// Random texels with a NaN in red, Inf in green and both infinities in blue, far apart.
PaddedImage spoiled(const PyramidOptions& options) {
  PaddedImage source(options.source, options.size);
  Random random(7);
  fill_random(source.view(), random);
  texel(source.view(), 20, 10)[0] = kNan;
  texel(source.view(), 30, 20)[1] = kInf;
  texel(source.view(), 3, 4)[2] = kInf;
  texel(source.view(), 40, 29)[2] = -kInf;
  return source;
}

// ---- Pyramids and tile reductions

using NonFinitePolicy = VulkanTest;

// The oracle adds in double, so that it is NaN or Inf exactly where a footprint contains them.
TEST_F(NonFinitePolicy, MeansAreNanWhereTheirFootprintsHaveOne) {
  for (const Extent size : {Extent{45, 31}, Extent{64, 32}}) {
    for (const Footprint footprint : {Footprint::kCovering, Footprint::kAligned, Footprint::kEdge}) {
      const auto options = pyramid_options(Reduction::kMean, footprint, size, Format::kRGBA32Sfloat);
      const PaddedImage source = spoiled(options);
      const auto expected = oracle_pyramid(options, source.view());
      EXPECT_TRUE(std::any_of(expected.begin(), expected.end(),
                              [](const OracleLevel& level) { return std::isnan(level.value(0, 0, 0)); }));
      const Levels levels(options);
      auto pyramid = cpu::Pyramid::create(options);
      ASSERT_TRUE(pyramid && pyramid->build(source.view(), levels.views));
      EXPECT_TRUE(matches(expected, levels.views, cpu_tolerance(options), describe(options)));
      if (footprint != Footprint::kCovering || size.width == 64) continue;  // software Vulkan compiles slowly
      for (const PyramidPath path : {PyramidPath::kSingleDispatch, PyramidPath::kPerLevel}) {
        EXPECT_TRUE(gpu_build_matches(options, {.path = path}, source.view()));
      }
    }
  }
}

TEST_F(NonFinitePolicy, MeansStoreNanAsTheFormatHasIt) {
  for (const Format target : {Format::kRGBA16Sfloat, Format::kRGBA8Unorm, Format::kRGBA8Srgb, Format::kRGBA16Unorm}) {
    auto options = pyramid_options(Reduction::kMean, Footprint::kCovering, {45, 31}, Format::kRGBA32Sfloat);
    options.target = target;
    const PaddedImage source = spoiled(options);
    const Levels levels(options);
    auto pyramid = cpu::Pyramid::create(options);
    ASSERT_TRUE(pyramid && pyramid->build(source.view(), levels.views));
    std::array<float, 4> top{};
    decode_row(target, levels.views.back().row(0), 1, top.data());
    if (target == Format::kRGBA16Sfloat) {
      EXPECT_TRUE(std::isnan(top[0]) && top[1] == kInf && std::isnan(top[2])) << top[0] << " " << top[1];
    } else {
      EXPECT_EQ(top[0], 0.0F) << format_info(target).name;
      EXPECT_EQ(top[1], 1.0F) << format_info(target).name;
      EXPECT_EQ(top[2], 0.0F) << format_info(target).name;
    }
  }
}

/// A copy of `clean` in which about 1 in 60 texels is `value`.
PaddedImage with_some(const PaddedImage& clean, float value) {
  PaddedImage out(clean.view().format, clean.view().size);
  Random random(17);
  for (uint32_t y = 0; y < clean.view().size.height; ++y) {
    std::memcpy(out.view().row(y), clean.view().row(y), clean.view().row_stride);
    for (uint32_t x = 0; x < clean.view().size.width; ++x) {
      if (random.below(60) == 0) *texel(out.view(), x, y) = value;
    }
  }
  return out;
}

/// Where no texel of a footprint is NaN, `actual` is exact; elsewhere it is NaN, or between the least and the greatest
/// finite texel. With `ignores`, it is the extreme of the texels that are not NaN.
/// `low`, `high`: min with NaN as +Inf, max with NaN as -Inf. `low_marked`: min with NaN as -Inf.
void expect_bounded(const ImageView& actual, const ImageView& low, const ImageView& high, const ImageView& low_marked,
                    bool is_min, bool ignores, const std::string& name) {
  uint32_t with_nan = 0;
  for (uint32_t y = 0; y < actual.size.height; ++y) {
    const auto row = [y](const ImageView& image) { return reinterpret_cast<const float*>(image.row(y)); };
    for (uint32_t x = 0; x < actual.size.width; ++x) {
      const float value = row(actual)[x], wanted = row(is_min ? low : high)[x];
      const bool has_nan = row(low_marked)[x] == -kInf;
      with_nan += has_nan ? 1 : 0;
      if (!has_nan || ignores) {
        ASSERT_EQ(value, wanted) << name << " " << x << ", " << y;
      } else {
        ASSERT_TRUE(std::isnan(value) || (value >= row(low)[x] && value <= row(high)[x])) << name << " " << value;
      }
    }
  }
  EXPECT_GT(with_nan, 0U) << name;
}

bool ignores_nan() { return test_device().info().driver.starts_with("llvmpipe"); }

// A comparison with NaN is false. The operand that min and max then return depends on the instruction on a CPU, and is
// undefined in GLSL; lavapipe returns the number.
TEST_F(NonFinitePolicy, MinAndMaxOfFootprintsWithNanAreNanOrOneOfTheirTexels) {
  const Extent size{151, 93};
  PaddedImage clean(Format::kR32Sfloat, size);
  Random random(3);
  fill_random(clean.view(), random);
  const PaddedImage source = with_some(clean, kNan);
  for (const Footprint footprint : {Footprint::kCovering, Footprint::kTight}) {
    const auto build = [&](Reduction reduction, const PaddedImage& image) {
      const auto options = pyramid_options(reduction, footprint, size, Format::kR32Sfloat);
      Levels levels(options);
      auto pyramid = cpu::Pyramid::create(options);
      EXPECT_TRUE(pyramid && pyramid->build(image.view(), levels.views));
      return levels;
    };
    const Levels low = build(Reduction::kMin, with_some(clean, kInf));
    const Levels high = build(Reduction::kMax, with_some(clean, -kInf));
    const Levels marked = build(Reduction::kMin, with_some(clean, -kInf));
    for (const Reduction reduction : {Reduction::kMin, Reduction::kMax}) {
      const auto options = pyramid_options(reduction, footprint, size, Format::kR32Sfloat);
      const bool is_min = reduction == Reduction::kMin;
      const Levels on_cpu = build(reduction, source);
      Levels on_gpu(options);
      ASSERT_TRUE(vulkan::make_pyramid(test_device(), options, {}, source.view(), on_gpu.views));
      for (size_t n = 0; n < low.views.size(); ++n) {
        const std::string name = describe(options) + ", level " + std::to_string(n + 1);
        expect_bounded(on_cpu.views[n], low.views[n], high.views[n], marked.views[n], is_min, false, name);
        expect_bounded(on_gpu.views[n], low.views[n], high.views[n], marked.views[n], is_min, ignores_nan(), name);
      }
    }
  }
}

TEST_F(NonFinitePolicy, TilesAreAsPyramids) {
  const TileReductionOptions mean{.size = {61, 47},
                                  .source = Format::kRGBA32Sfloat,
                                  .target = Format::kRGBA32Sfloat,
                                  .reduction = Reduction::kMean,
                                  .factor = 8};
  const PaddedImage source = spoiled({.size = mean.size, .source = mean.source});
  const Extent size = plan_tile_reduction(mean)->size;
  PaddedImage on_cpu(mean.target, size), on_gpu(mean.target, size);
  auto tiles = cpu::TileReduction::create(mean);
  ASSERT_TRUE(tiles && tiles->reduce(source.view(), on_cpu.view()));
  EXPECT_TRUE(std::isnan(*texel(on_cpu.view(), 20 / 8, 10 / 8)));
  EXPECT_TRUE(tiles_match(mean, source.view(), on_cpu.view(), cpu_tolerance(as_pyramid(mean))));
  ASSERT_TRUE(vulkan::reduce_tiles(test_device(), mean, {}, source.view(), on_gpu.view()));
  EXPECT_TRUE(tiles_match(mean, source.view(), on_gpu.view(), gpu_tolerance(as_pyramid(mean), {})));

  PaddedImage clean(Format::kR32Sfloat, {151, 93});
  Random random(5);
  fill_random(clean.view(), random);
  const auto reduce = [&](Reduction reduction, const PaddedImage& image, bool on_vulkan) {
    const TileReductionOptions options{.size = {151, 93},
                                       .source = Format::kR32Sfloat,
                                       .target = Format::kR32Sfloat,
                                       .reduction = reduction,
                                       .factor = 4};
    PaddedImage out(Format::kR32Sfloat, plan_tile_reduction(options)->size);
    if (on_vulkan) {
      EXPECT_TRUE(vulkan::reduce_tiles(test_device(), options, {}, image.view(), out.view()));
    } else {
      auto made = cpu::TileReduction::create(options);
      EXPECT_TRUE(made && made->reduce(image.view(), out.view()));
    }
    return out;
  };
  const PaddedImage low = reduce(Reduction::kMin, with_some(clean, kInf), false);
  const PaddedImage high = reduce(Reduction::kMax, with_some(clean, -kInf), false);
  const PaddedImage marked = reduce(Reduction::kMin, with_some(clean, -kInf), false);
  for (const Reduction reduction : {Reduction::kMin, Reduction::kMax}) {
    for (const bool on_vulkan : {false, true}) {
      const PaddedImage made = reduce(reduction, with_some(clean, kNan), on_vulkan);
      expect_bounded(std::as_const(made).view(), std::as_const(low).view(), std::as_const(high).view(),
                     std::as_const(marked).view(), reduction == Reduction::kMin, on_vulkan && ignores_nan(),
                     on_vulkan ? "vulkan" : "cpu");
    }
  }
}

// ---- Depth queries

// A footprint of NaN alone hides nothing. Among other depths a NaN may be lost, so pyramids must not contain NaN.
TEST_F(NonFinitePolicy, NothingIsHiddenByNanAlone) {
  namespace dq = depth_query;
  for (const bool reversed : {false, true}) {
    const dq::DepthPyramid pyramid = dq::full_depth_pyramid({64, 64}, Footprint::kCovering, reversed);
    const auto nan = [](uint32_t, dq::Texel) { return kNan; };
    const float behind_all = reversed ? -1.0F : 2.0F;
    EXPECT_FALSE(dq::rect_occluded(pyramid, nan, {{0.1F, 0.1F}, {0.4F, 0.3F}}, behind_all));
    EXPECT_FALSE(dq::certainly_visible(pyramid, nan, 0, {3, 3}, 0.5F));
  }
  // replace_nonfinite() makes a NaN of reversed depth infinitely far: its texel hides nothing, others keep their depth.
  PaddedImage depth(Format::kD32Sfloat, {64, 64});
  for (uint32_t y = 0; y < 64; ++y) std::fill_n(texel(depth.view(), 0, y), 64, 0.5F);
  *texel(depth.view(), 9, 9) = kNan;
  *texel(depth.view(), 10, 9) = 0.25F;
  ASSERT_EQ(replace_nonfinite(depth.view())->nan_count, 1U);
  PyramidOptions options{
      .size = {64, 64}, .source = Format::kD32Sfloat, .target = Format::kR32Sfloat, .reduction = Reduction::kMin};
  const Levels levels(options);
  auto pyramid = cpu::Pyramid::create(options);
  ASSERT_TRUE(pyramid && pyramid->build(std::as_const(depth).view(), levels.views));
  EXPECT_EQ(*texel(levels.views[0], 4, 4), 0.0F);
  EXPECT_EQ(*texel(levels.views[0], 5, 4), 0.25F);
}

// ---- Spectra

/// RGBA noise in 2 slices, with one NaN or Inf in red of the first slice.
PaddedImage spoiled_red(Extent size, float value) {
  PaddedImage source(Format::kRGBA32Sfloat, size, 2);
  Random random(11);
  fill_random(source.view(), random);
  if (value != 0) *texel(source.view(), 5, 6) = value;
  return source;
}

/// Red of the first slice is finite nowhere; channels that share no complex signal with it do not change.
void expect_spread(const PaddedImage& made, const PaddedImage& without, float tolerance, const std::string& name) {
  const auto size = made.view().size;
  for (uint32_t slice = 0; slice < 2; ++slice) {
    for (uint32_t y = 0; y < size.height; ++y) {
      const auto* a = reinterpret_cast<const float*>(made.view().row(y, slice));
      const auto* b = reinterpret_cast<const float*>(without.view().row(y, slice));
      for (uint32_t i = 0; i < 4 * size.width; ++i) {
        if (slice == 0 && i % 4 == 0) {
          ASSERT_FALSE(std::isfinite(a[i])) << name << " " << i / 4 << ", " << y;
        } else if (slice == 1 || i % 4 >= 2) {
          ASSERT_NEAR(a[i], b[i], tolerance) << name << " " << i / 4 << ", " << y;
        }
      }
    }
  }
}

TEST_F(NonFinitePolicy, FiltersSpreadToAllOfTheirChannel) {
  const FilterOptions options{.size = {24, 20}, .slices = 2, .source = Format::kRGBA32Sfloat};
  const auto run = [&](const PaddedImage& source, bool on_vulkan) {
    PaddedImage out(options.source, options.size, 2);
    if (on_vulkan) {
      EXPECT_TRUE(vulkan::filter_image(test_device(), options, {}, source.view(), out.view()));
    } else {
      auto filter = cpu::Filter::create(options);
      EXPECT_TRUE(filter && filter->apply(source.view(), out.view()));
    }
    return out;
  };
  for (const bool on_vulkan : {false, true}) {
    const PaddedImage without = run(spoiled_red(options.size, 0), on_vulkan);
    for (const float value : {kNan, kInf}) {
      expect_spread(run(spoiled_red(options.size, value), on_vulkan), without, on_vulkan ? 1e-6F : 0,
                    on_vulkan ? "vulkan" : "cpu");
    }
  }
}

TEST_F(NonFinitePolicy, WienersFilterSpreadsToAllOfItsChannel) {
  const DeconvolutionOptions options{.size = {24, 20},
                                     .slices = 2,
                                     .source = Format::kRGBA32Sfloat,
                                     .target = Format::kRGBA32Sfloat,
                                     .kernel_size = {3, 3},
                                     .kernel = Format::kR32Sfloat,
                                     .noise = 0.05F};
  PaddedImage kernel(Format::kR32Sfloat, {3, 3});
  for (uint32_t i = 0; i < 9; ++i) *texel(kernel.view(), i % 3, i / 3) = 1.0F / 9;
  const auto run = [&](const PaddedImage& source) {
    PaddedImage out(options.target, options.size, 2);
    auto deconvolver = cpu::Deconvolver::create(options);
    EXPECT_TRUE(deconvolver && deconvolver->set_kernel(std::as_const(kernel).view()) &&
                deconvolver->deconvolve(source.view(), out.view()));
    return out;
  };
  const PaddedImage without = run(spoiled_red(options.size, 0));
  for (const float value : {kNan, kInf}) expect_spread(run(spoiled_red(options.size, value)), without, 0, "wiener");
}

// ---- Light

TEST_F(NonFinitePolicy, FramesCountNanAndShowItBlack) {
  const Extent size{40, 30};
  PaddedImage source(Format::kRGBA32Sfloat, size);
  for (uint32_t y = 0; y < size.height; ++y) std::fill_n(texel(source.view(), 0, y), 4 * size.width, 0.18F);
  texel(source.view(), 3, 4)[0] = texel(source.view(), 3, 4)[1] = texel(source.view(), 3, 4)[2] = kNan;
  texel(source.view(), 5, 6)[1] = kInf;
  FrameToneMapOptions options;
  options.meter = {.size = size, .source = source.view().format};
  options.tone = {.size = size, .source = source.view().format, .target = Format::kRGBA8Srgb};
  auto frames = cpu::FrameToneMap::create(options);
  ASSERT_TRUE(frames);
  PaddedImage picture(Format::kRGBA8Srgb, size);
  std::array<MeterResult, 1> result{};
  ASSERT_TRUE(frames->apply(std::as_const(source).view(), picture.view(), result));
  EXPECT_EQ(result[0].nan_count, 1U);
  EXPECT_EQ(result[0].infinite_count, 1U);
  EXPECT_NEAR(result[0].mean_luminance, 0.18F, 1e-6F);
  const auto code = [&](uint32_t x, uint32_t y, uint32_t c) {
    return std::to_integer<int>(picture.view().row(y)[4 * x + c]);
  };
  for (uint32_t c = 0; c < 3; ++c) EXPECT_EQ(code(3, 4, c), 0) << c;
  EXPECT_GT(code(5, 6, 1), code(6, 6, 1));
  EXPECT_GT(code(6, 6, 1), 0);
}

}  // namespace
}  // namespace onepass::testing
