// cuda_shader_test.cpp: the kernels of samples/shaders in CUDA C++, on the host. Oracles: the CPU engine, and loops
// from the definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>
#include <vector>

#include "luminance/params.hpp"
#include "onepass/blocks.hpp"
#include "onepass/pyramid.hpp"
#include "onepass/shader_setup.h"
#include "onepass/tile_reduction_params.h"
#include "onepass/tone_map.hpp"
#include "tests/cuda/cuda_device.hpp"
#include "tests/cuda/kernels.hpp"
#include "tests/cuda/workgroups.hpp"
#include "tests/pyramid/pyramid_oracle.hpp"
#include "tests/pyramid/pyramid_testing.hpp"
#include "tests/support/test_seed.hpp"
#include "tests/tone_map/tone_map_oracle.hpp"

namespace onepass::testing {
namespace {

using Levels = std::vector<std::vector<float>>;

std::vector<float> random_values(size_t count, Random& random, float low, float high) {
  std::vector<float> values(count);
  for (float& value : values) value = random.between(low, high);
  return values;
}

/// Where kernels run.
class CudaShaders : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (on_device() && CudaDevice::get() == nullptr) GTEST_SKIP() << "no CUDA device";
  }
  static bool on_device() { return GetParam(); }

  static void run(const CudaKernel& kernel, const Launch& launch, Random& random) {
    ASSERT_EQ(
        on_device() ? CudaDevice::get()->run(ptx_file(kernel), kernel, launch) : kernel.run(launch, random.word()), "")
        << kernel.name;
  }

  void expect_pyramid(const struct PyramidCase& of, Extent size, Random& random);
  void expect_tiles(const CudaKernel& kernel, uint32_t factor, uint32_t reads_log2, Random& random);

 private:
  /// In the folder ONEPASS_TEST_PTX, or that of the build.
  static std::string ptx_file(const CudaKernel& kernel) {
    const char* folder = std::getenv("ONEPASS_TEST_PTX");
    return std::string(folder != nullptr ? folder : ONEPASS_PTX_FOLDER) + "/" + kernel.name + ".ptx";
  }
};

INSTANTIATE_TEST_SUITE_P(Cuda, CudaShaders, ::testing::Bool(),
                         [](const auto& of) { return std::string(of.param ? "OnADevice" : "OnTheHost"); });

// ---- Pyramids

struct PyramidCase {
  const CudaKernel kernel;
  Format format;
  Reduction reduction;
  uint32_t components;
};

Levels levels_of_the_cpu(const PyramidCase& of, Extent size, const std::vector<float>& base) {
  auto pyramid = cpu::Pyramid::create({.size = size,
                                       .source = of.format,
                                       .target = of.format,
                                       .reduction = of.reduction,
                                       .footprint = Footprint::kCovering});
  EXPECT_TRUE(pyramid) << pyramid.error().text();
  if (!pyramid) return {};
  Levels levels;
  std::vector<MutableImageView> views;
  for (uint32_t n = 1; n < pyramid->plan().levels; ++n) {
    const Extent level = pyramid->plan().sizes[n];
    levels.emplace_back(size_t{level.width} * level.height * of.components);
    views.push_back({.data = levels.back().data(),
                     .format = of.format,
                     .size = level,
                     .row_stride = level.width * of.components * sizeof(float)});
  }
  const ImageView source{
      .data = base.data(), .format = of.format, .size = size, .row_stride = size.width * of.components * sizeof(float)};
  EXPECT_TRUE(pyramid->build(source, views));
  return levels;
}

void CudaShaders::expect_pyramid(const PyramidCase& of, Extent size, Random& random) {
  SCOPED_TRACE(of.kernel.name + " " + std::to_string(size.width) + "x" + std::to_string(size.height));
  std::vector<float> base = random_values(size_t{size.width} * size.height * of.components, random, -1, 2);
  const Levels expected = levels_of_the_cpu(of, size, base);
  OnepassPyramidRequest request{};
  request.width = size.width;
  request.height = size.height;
  request.slices = 1;
  request.levels = -1;
  request.footprint = ONEPASS_SETUP_FOOTPRINT_COVERING;
  request.subgroup_size = 32;
  OnepassPyramidSetup setup;
  ASSERT_EQ(onepass_pyramid_setup(&request, &setup), ONEPASS_SETUP_OK);
  Levels levels = expected;
  std::vector<uint32_t> counters(setup.counters + 1);
  std::vector<float> kept((setup.kept + 1) * of.components, -5.0F);
  Launch launch{.groups = {setup.groups[0], setup.groups[1], setup.groups[2]},
                .constants = {},
                .buffers = {bytes_of(base)},
                .pointers = {},
                .numbers = {size.width}};
  launch.set_constants(setup.constants);
  for (uint32_t n = 0; n < levels.size(); ++n) {
    launch.buffers.push_back(bytes_of(levels[n]));
    launch.numbers.push_back(std::max(1U, size.width >> (n + 1)));
  }
  launch.buffers.insert(launch.buffers.end(), {bytes_of(counters), bytes_of(kept)});
  for (int time = 0; time < 2; ++time) {  // the second one finds the counters that the first one leaves
    for (auto& level : levels) std::fill(level.begin(), level.end(), -5.0F);
    run(of.kernel, launch, random);
    for (size_t n = 0; n < levels.size(); ++n) {
      if (of.reduction != Reduction::kMean) {
        ASSERT_EQ(levels[n], expected[n]) << "level " << n + 1;
      }
      for (size_t i = 0; i < levels[n].size(); ++i)
        ASSERT_NEAR(levels[n][i], expected[n][i], 1e-6) << "level " << n + 1;
    }
  }
}

const std::vector<Extent> kSizes{{2, 1},   {1, 300},   {64, 64},   {65, 63},   {191, 100},
                                 {257, 9}, {256, 128}, {640, 360}, {517, 517}, {333, 264}};

TEST_P(CudaShaders, PyramidsOfFarthestDepths) {
  Random random(random_seed());
  for (const Extent size : kSizes) {
    expect_pyramid({pyramid_kernel(), Format::kR32Sfloat, Reduction::kMax, 1}, size, random);
  }
}

TEST_P(CudaShaders, MipChainsOfFourComponents) {
  Random random(random_seed());
  for (const Extent size : kSizes) {
    expect_pyramid({mean_kernel(), Format::kRGBA32Sfloat, Reduction::kMean, 4}, size, random);
  }
}

// ---- Tile reductions

void CudaShaders::expect_tiles(const CudaKernel& kernel, uint32_t factor, uint32_t reads_log2, Random& random) {
  for (const Extent size : {Extent{1, 1}, {129, 65}, {77, 200}, {256, 256}}) {
    std::vector<float> base = random_values(size_t{size.width} * size.height, random, -1, 2);
    OnepassTileSetup setup;
    ASSERT_EQ(onepass_tile_setup(size.width, size.height, 1, factor, &setup), ONEPASS_SETUP_OK);
    ASSERT_EQ(setup.reads_log2, reads_log2) << "the kernel's constant";
    std::vector<float> expected(size_t{setup.tiles[0]} * setup.tiles[1], INFINITY);
    for (uint32_t i = 0; i < base.size(); ++i) {
      float& least = expected[i / size.width / factor * setup.tiles[0] + i % size.width / factor];
      least = std::min(least, base[i]);
    }
    std::vector<float> made(expected.size());
    Launch launch{.groups = {setup.groups[0], setup.groups[1], 1},
                  .constants = {},
                  .buffers = {bytes_of(base), bytes_of(made)},
                  .pointers = {},
                  .numbers = {}};
    launch.set_constants(tile_reduction::TileReductionParams{
        .size = {size.width, size.height}, .tiles = {setup.tiles[0], setup.tiles[1]}, .last_scale = {1, 1}});
    run(kernel, launch, random);
    EXPECT_EQ(made, expected) << kernel.name << " " << size.width << "x" << size.height;
  }
}

TEST_P(CudaShaders, TileReductions) {
  Random random(random_seed());
  expect_tiles(tile_reduction_kernel(), 8, 2, random);
  if (!on_device()) expect_tiles(tile_reduction_64_kernel(), 64, 2, random);  // a host's variant of the same text
}

// ---- Depth queries

// Depths of a wall in front of a farther scene, and the farthest depths of its levels.
Levels wall_and_levels(Extent size, Random& random) {
  Levels levels{std::vector<float>(size_t{size.width} * size.height)};
  for (uint32_t i = 0; i < levels[0].size(); ++i) {
    const bool wall = i % size.width > 60 && i % size.width < 160;
    levels[0][i] = wall ? random.between(0.2F, 0.4F) : random.between(0.7F, 1.0F);
  }
  for (uint32_t n = 1; n < full_level_count(size); ++n) {
    const Extent level = level_size(size, n);
    levels.emplace_back(size_t{level.width} * level.height, 0.0F);
    for (uint32_t i = 0; i < levels[n].size(); ++i) {
      const TexelRange x = oracle_footprint(Footprint::kCovering, size.width, n, i % level.width);
      const TexelRange y = oracle_footprint(Footprint::kCovering, size.height, n, i / level.width);
      for (uint32_t v = y.begin; v < y.end; ++v) {
        for (uint32_t u = x.begin; u < x.end; ++u) {
          levels[n][i] = std::max(levels[n][i], levels[0][v * size.width + u]);
        }
      }
    }
  }
  return levels;
}

TEST_P(CudaShaders, RectanglesBehindAWallAreHidden) {
  constexpr Extent kSize{203, 117};
  constexpr uint32_t kCount = 1000;
  Random random(random_seed());
  Levels levels = wall_and_levels(kSize, random);
  std::vector<float> rects;
  for (uint32_t i = 0; i < kCount; ++i) {
    const float x = random.between(-0.1F, 1.0F), y = random.between(-0.1F, 1.0F), side = random.between(0.0F, 0.2F);
    const float rect[8] = {x, y, x + side, y + side, random.between(0.1F, 0.9F), 0, 0, 0};
    rects.insert(rects.end(), rect, rect + 8);
  }
  std::vector<uint32_t> hidden(kCount, 7);
  Launch launch{.groups = {(kCount + 63) / 64, 1, 1},
                .invocations = 64,
                .constants = {},
                .buffers = {},
                .pointers = {},
                .numbers = {kSize.width, kSize.height, kCount}};
  for (auto& level : levels) launch.buffers.push_back(bytes_of(level));
  launch.buffers.insert(launch.buffers.end(), {bytes_of(rects), bytes_of(hidden)});
  run(depth_query_kernel(), launch, random);
  for (uint32_t i = 0; i < kCount; ++i) {
    ASSERT_LE(hidden[i], 1U);
    if (hidden[i] == 0) continue;
    const float* r = &rects[size_t{8} * i];
    for (uint32_t t = 0; t < levels[0].size(); ++t) {
      const double u = t % kSize.width, v = t / kSize.width;
      const bool inside = r[0] * double{kSize.width} < u + 1 && r[2] * double{kSize.width} > u &&
                          r[1] * double{kSize.height} < v + 1 && r[3] * double{kSize.height} > v;
      ASSERT_TRUE(!inside || levels[0][t] < r[4]) << "rectangle " << i << " texel " << t;
    }
  }
  EXPECT_GT(std::count(hidden.begin(), hidden.end(), 1U), 100);
}

// ---- Luminance

TEST_P(CudaShaders, LuminanceIsMetered) {
  constexpr Extent kSize{301, 77};
  Random random(random_seed());
  std::vector<float> base = random_values(size_t{4} * kSize.width * kSize.height, random, 0, 4);
  base[4 * 5] = NAN;
  double logs = 0, sum = 0;
  const size_t texels = base.size() / 4;
  for (size_t i = 0; i < texels; ++i) {
    if (i == 5) continue;
    const double y = 0.2126 * base[4 * i] + 0.7152 * base[4 * i + 1] + 0.0722 * base[4 * i + 2];
    logs += std::log(1e-4 + y);
    sum += y;
  }
  const auto count = static_cast<double>(texels - 1);
  const double average = std::exp(logs / count);
  OnepassLuminanceSetup setup;
  ASSERT_EQ(onepass_luminance_setup(0, 0, kSize.width, kSize.height, 1, 2048, &setup), ONEPASS_SETUP_OK);
  std::vector<uint32_t> words(setup.words);
  luminance::LuminanceResult result{}, before{};
  Launch launch{.groups = {setup.groups[0], setup.groups[1], setup.groups[2]},
                .constants = {},
                .buffers = {bytes_of(base), bytes_of(words), bytes_of(result)},
                .pointers = {},
                .numbers = {kSize.width}};
  launch.set_constants(setup.constants);
  for (int time = 0; time < 2; ++time) {
    before = result;
    run(luminance_kernel(), launch, random);
    EXPECT_EQ(result.finite_count, texels - 1);
    EXPECT_EQ(result.nan_count, 1U);
    EXPECT_NEAR(result.log_average, average, 1e-6 * average);
    EXPECT_NEAR(result.mean_luminance, sum / count, 1e-6 * sum / count);
    EXPECT_NEAR(result.exposure, 0.18 / average, 1e-6 * 0.18 / average);
    EXPECT_EQ(words[0], 0U) << "the counter was not returned to zero";
    uint64_t histogram = 0;
    for (const auto& bin : result.histogram) histogram += bin.x;
    EXPECT_EQ(histogram, texels - 1);
  }
  EXPECT_EQ(before.log_average, result.log_average) << "the order of invocations changed bits";
}

// ---- Tone maps

TEST_P(CudaShaders, TexelsAreToneMapped) {
  constexpr Extent kSize{53, 37};
  Random random(random_seed());
  std::vector<float> base = random_values(size_t{4} * kSize.width * kSize.height, random, 0, 3);
  const ToneMapOptions options{.size = kSize,
                               .source = Format::kRGBA32Sfloat,
                               .target = Format::kRGBA32Sfloat,
                               .tone_operator = ToneOperator::kHable,
                               .transfer = Transfer::kSrgb};
  auto shader = tone_map_shader(options);
  ASSERT_TRUE(shader) << shader.error().text();
  luminance::LuminanceResult metered{};
  metered.exposure = 0.75F;
  std::vector<float> made(base.size());
  const Launch launch{.groups = {(kSize.width + 15) / 16, (kSize.height + 15) / 16, 1},
                      .constants = {},
                      .buffers = {bytes_of(base), bytes_of(made), bytes_of(shader->program), bytes_of(shader->cubics),
                                  bytes_of(metered)},
                      .pointers = {},
                      .numbers = {kSize.width, kSize.height}};
  run(tone_map_kernel(), launch, random);
  for (size_t i = 0; i < base.size(); i += 4) {
    const ExactTexel exact = exact_texel(options, {base[i], base[i + 1], base[i + 2]}, 0.75);
    for (size_t c = 0; c < 3; ++c) ASSERT_LE(oracle_error(options, exact, c, made[i + c]), 1e-5) << i;
    ASSERT_EQ(made[i + 3], base[i + 3]);
  }
}

// ---- Blocks

// The compiler may fuse multiplications and additions: blocks can differ from those of the CPU engine, their quality
// not.
TEST_P(CudaShaders, BlocksAreAsGoodAsThoseOfTheCpuEngine) {
  constexpr Extent kSize{61, 42};
  Random random(random_seed());
  std::vector<uint8_t> texels(size_t{4} * kSize.width * kSize.height);
  std::vector<float> base;
  for (size_t i = 0; i < texels.size(); ++i) {
    const double wave = 120 + 80 * std::sin(0.002 * static_cast<double>(i) + static_cast<double>(i % 4));
    texels[i] = static_cast<uint8_t>(wave + random.between(0, i % 4 == 3 ? 50 : 10));
    base.push_back(static_cast<float>(texels[i]) / 255);
  }
  auto expected = BlockImage::create(BlockFormat::kBc7Unorm, kSize);
  const ImageView source{texels.data(), Format::kRGBA8Unorm, kSize, 1, size_t{4} * kSize.width};
  ASSERT_TRUE(expected && cpu::compress(source, expected->view(), {.quality = BlockQuality::kFast}));
  auto blocks = BlockImage::create(BlockFormat::kBc7Unorm, kSize);
  const Extent count = size_in_blocks(BlockFormat::kBc7Unorm, kSize);
  const Launch launch{.groups = {(count.width + 63) / 64, count.height, 1},
                      .invocations = 64,
                      .constants = {},
                      .buffers = {bytes_of(base), {static_cast<std::byte*>(blocks->view().data), 16 * 16 * 11}},
                      .pointers = {},
                      .numbers = {kSize.width, kSize.height}};
  run(blocks_kernel(), launch, random);
  const auto error_of = [&](const BlockView& view) {
    auto image = Image::create(Format::kRGBA8Unorm, kSize);
    EXPECT_TRUE(image && cpu::decompress(view, image->view()));
    double sum = 0;
    for (size_t i = 0; i < texels.size(); ++i) sum += std::pow(static_cast<int>(image->data()[i]) - texels[i], 2);
    return sum;
  };
  EXPECT_LE(error_of(blocks->view()), std::pow(10, 0.005) * error_of(expected->view()));  // 0.05 dB
}

// ---- Transforms

TEST_P(CudaShaders, LinesAreTransformed) {
  constexpr uint32_t kLength = 256, kLinesOfGroup = 16, kLines = kLinesOfGroup + 3;
  Random random(random_seed());
  const std::vector<float> input = random_values(size_t{2} * kLength * kLines, random, -1, 1);
  std::vector<float> values = input, table;
  for (uint32_t k = 0; k < kLength; ++k) {
    table.push_back(static_cast<float>(std::cos(2 * std::numbers::pi * k / kLength)));
    table.push_back(static_cast<float>(-std::sin(2 * std::numbers::pi * k / kLength)));
  }
  const Launch launch{.groups = {(kLines + kLinesOfGroup - 1) / kLinesOfGroup, 1, 1},
                      .constants = {},
                      .buffers = {bytes_of(values), bytes_of(table)},
                      .pointers = {},
                      .numbers = {kLines}};
  run(fourier_kernel(), launch, random);
  double error = 0, total = 0;
  for (uint32_t line = 0; line < kLines; ++line) {
    for (uint32_t k = 0; k < kLength; ++k) {
      double re = 0, im = 0;
      for (uint32_t i = 0; i < kLength; ++i) {
        const double angle = -2 * std::numbers::pi * (i * k % kLength) / kLength;
        const double x = input[2 * (line * kLength + i)];
        const double y = input[2 * (line * kLength + i) + 1];
        re += x * std::cos(angle) - y * std::sin(angle);
        im += x * std::sin(angle) + y * std::cos(angle);
      }
      const size_t at = 2 * (line * kLength + k);
      error += std::pow(values[at] - re, 2) + std::pow(values[at + 1] - im, 2);
      total += re * re + im * im;
    }
  }
  EXPECT_LT(std::sqrt(error / total), 5e-7);
}

// ---- The scheduler

TEST(CudaWorkgroups, WhatWouldHangIsAnError) {
  const Workgroups one{.invocations = 64};
  EXPECT_EQ(run_workgroups(one, [] { wait_for_group(); }), "");
  EXPECT_EQ(run_workgroups(one,
                           [] {
                             if (running_invocation() < 10) wait_for_group();
                           }),
            "10 invocations wait at a barrier, the others have ended");
  EXPECT_NE(run_workgroups(one,
                           [] {
                             if (running_invocation() != 40) shuffle_word(1, 0);
                           }),
            "");
}

TEST(CudaWorkgroups, ShufflesExchangeWords) {
  std::vector<uint32_t> taken(64);
  EXPECT_EQ(run_workgroups({.invocations = 64},
                           [&] {
                             const uint32_t lane = running_invocation();
                             taken[lane] = shuffle_word(lane, (lane % 32) ^ 5);
                           }),
            "");
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(taken[i], i ^ 5);
}

}  // namespace
}  // namespace onepass::testing
