// shader_headers_test.cpp: the complete shaders of samples/shaders, in GLSL and in HLSL, with and without subgroup
// operations. Oracles: scalar loops on the CPU. docs/shaders prints the same shaders.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <numbers>
#include <sstream>

#include "luminance/params.hpp"
#include "onepass/fourier_filter.hpp"
#include "onepass/fourier_filter_params.h"
#include "onepass/shader_setup.h"
#include "onepass/tile_reduction_params.h"
#include "onepass/tone_map.hpp"
#include "tests/shaders/sample_kernels.hpp"
#include "tests/shaders/shader_testing.hpp"
#include "tests/support/test_seed.hpp"
#include "tests/tone_map/tone_map_oracle.hpp"

namespace onepass::testing {
namespace {

using Levels2 = std::vector<std::vector<double>>;

uint32_t subgroup_size() { return test_device().info().subgroup_size; }

template <typename T>
std::vector<uint32_t> words_of(const T& value) {
  std::vector<uint32_t> words(sizeof(T) / 4);
  std::memcpy(words.data(), &value, sizeof(T));
  return words;
}
std::vector<uint32_t> words_of(const std::vector<float>& values) {
  std::vector<uint32_t> words(values.size());
  std::memcpy(words.data(), values.data(), values.size() * 4);
  return words;
}
float number(uint32_t word) { return std::bit_cast<float>(word); }

// All compiled variants of a sample.
std::vector<SampleKernel> variants(std::string_view sample) {
  std::vector<SampleKernel> found;
  for (const SampleKernel& kernel : sample_kernels()) {
    if (kernel.sample == sample) found.push_back(kernel);
  }
  EXPECT_GE(found.size(), 2U) << sample;
  return found;
}

bool can_run(const SampleKernel& kernel) { return !kernel.subgroup || subgroup_size() >= 8; }

OnepassPyramidSetup pyramid_setup(Extent size, uint32_t footprint, const SampleKernel& kernel) {
  OnepassPyramidRequest request{};
  request.width = size.width;
  request.height = size.height;
  request.slices = 1;
  request.levels = -1;
  request.footprint = footprint;
  request.subgroup_size = kernel.subgroup ? subgroup_size() : 0;
  OnepassPyramidSetup setup;
  EXPECT_EQ(onepass_pyramid_setup(&request, &setup), ONEPASS_SETUP_OK);
  return setup;
}

std::vector<float> random_values(size_t count, Random& random, float low, float high) {
  std::vector<float> values(count);
  for (float& value : values) value = random.between(low, high);
  return values;
}

const std::vector<Extent>& sizes() {
  static const std::vector<Extent> list = {{1, 2},   {64, 64},   {65, 63},   {191, 100},
                                           {257, 9}, {640, 360}, {517, 517}, {333, 264}};
  return list;
}

using ShaderHeaders = VulkanTest;

TEST_F(ShaderHeaders, PyramidOfFarthestDepths) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (const Extent size : sizes()) {
    const std::vector<float> base = random_values(size_t{size.width} * size.height, random, -1, 2);
    for (const SampleKernel& kernel : variants("pyramid")) {
      if (!can_run(kernel)) continue;
      const OnepassPyramidSetup setup = pyramid_setup(size, ONEPASS_SETUP_FOOTPRINT_COVERING, kernel);
      std::vector<uint32_t> counters(std::max(setup.counters, 1U), 0);
      std::vector<uint32_t> kept(std::max(setup.kept, 1U), 0);
      ShaderRun run{.code = kernel.code,
                    .buffers = {{.binding = 2, .words = &counters}, {.binding = 3, .words = &kept}},
                    .sources = {{.binding = 0, .size = size, .levels = {base}}},
                    .targets = {{.binding = 1,
                                 .size = level_size(size, 1),
                                 .descriptors = 12,
                                 .levels = std::vector<std::vector<float>>(setup.levels)}},
                    .push = words_of(setup.constants),
                    .groups = {setup.groups[0], setup.groups[1], setup.groups[2]},
                    .times = 2};
      run_shader(run);
      EXPECT_EQ(std::count(counters.begin(), counters.end(), 0U), std::ssize(counters)) << kernel.name;
      for (uint32_t n = 1; n <= setup.levels; ++n) {
        const Extent level = level_size(size, n);
        for (uint32_t i = 0; i < level.width * level.height; ++i) {
          const TexelRange x = oracle_footprint(Footprint::kCovering, size.width, n, i % level.width);
          const TexelRange y = oracle_footprint(Footprint::kCovering, size.height, n, i / level.width);
          float most = -INFINITY;
          for (uint32_t v = y.begin; v < y.end; ++v) {
            for (uint32_t u = x.begin; u < x.end; ++u) most = std::max(most, base[size_t{v} * size.width + u]);
          }
          ASSERT_EQ(run.targets[0].levels[n - 1][i], most)
              << kernel.name << " " << size.width << "x" << size.height << " level " << n << " texel " << i;
        }
      }
    }
  }
}

// The taps and weights of texel i of a mean level, by definition, along a finer axis of `size` texels.
std::vector<std::pair<uint32_t, double>> mean_taps(uint32_t footprint, uint32_t size, uint32_t i) {
  if (size == 1) return {{0, 1.0}};
  if (footprint == ONEPASS_SETUP_FOOTPRINT_ALIGNED || size % 2 == 0) return {{2 * i, 0.5}, {2 * i + 1, 0.5}};
  const double k = size / 2;
  const double s = size;
  return {{2 * i, (k - i) / s}, {2 * i + 1, k / s}, {2 * i + 2, (i + 1) / s}};
}

std::vector<double> mean_level(uint32_t footprint, Extent finer, const std::vector<double>& values) {
  const Extent size{std::max(1U, finer.width / 2), std::max(1U, finer.height / 2)};
  std::vector<double> level(size_t{size.width} * size.height);
  for (uint32_t i = 0; i < level.size(); ++i) {
    for (const auto& [y, wy] : mean_taps(footprint, finer.height, i / size.width)) {
      for (const auto& [x, wx] : mean_taps(footprint, finer.width, i % size.width)) {
        level[i] += wy * wx * values[size_t{y} * finer.width + x];
      }
    }
  }
  return level;
}

// The output of custom_reduction: the words of all levels, one level after the other, `components` per texel.
std::vector<uint32_t> custom_levels(const SampleKernel& kernel, Extent size, uint32_t footprint, uint32_t components,
                                    const std::vector<float>& base) {
  const OnepassPyramidSetup setup = pyramid_setup(size, footprint, kernel);
  std::vector<uint32_t> counters(std::max(setup.counters, 1U), 0);
  std::vector<uint32_t> kept(std::max(setup.kept, 1U) * components, 0);
  std::vector<uint32_t> source = words_of(base);
  size_t texels = 0;
  for (uint32_t n = 1; n <= setup.levels; ++n) texels += size_t{level_size(size, n).width} * level_size(size, n).height;
  std::vector<uint32_t> made(texels * components, 0xFFFFFFFFU);
  ShaderRun run{.code = kernel.code,
                .buffers = {{.binding = 0, .words = &source},
                            {.binding = 1, .words = &made},
                            {.binding = 2, .words = &counters},
                            {.binding = 3, .words = &kept}},
                .push = words_of(setup.constants),
                .groups = {setup.groups[0], setup.groups[1], setup.groups[2]},
                .times = 2};
  run_shader(run);
  EXPECT_EQ(std::count(counters.begin(), counters.end(), 0U), std::ssize(counters)) << kernel.name;
  return made;
}

void expect_variance(const SampleKernel& kernel, Extent size, uint32_t footprint, const std::vector<float>& base) {
  const std::vector<uint32_t> made = custom_levels(kernel, size, footprint, 2, base);
  std::vector<double> means;
  std::vector<double> squares;
  for (size_t i = 0; i < base.size(); i += 2) {
    means.push_back(base[i]);
    squares.push_back(double{base[i]} * base[i]);
  }
  size_t at = 0;
  Extent finer = size;
  for (uint32_t n = 1; at < made.size(); ++n) {
    means = mean_level(footprint, finer, means);
    squares = mean_level(footprint, finer, squares);
    for (size_t i = 0; i < means.size(); ++i, at += 2) {
      ASSERT_NEAR(number(made[at]), means[i], 4e-6) << kernel.name << " level " << n << " texel " << i;
      ASSERT_NEAR(number(made[at + 1]), squares[i], 8e-6) << kernel.name << " level " << n << " texel " << i;
    }
    finer = level_size(size, n);
  }
}

// Calls visit(base columns, base rows, index in the buffer) for every texel of every level, with its footprint.
template <typename Visit>
void each_texel(Extent size, uint32_t footprint, size_t levels, Visit visit) {
  size_t at = 0;
  for (uint32_t n = 1; n <= levels; ++n) {
    const Extent level = level_size(size, n);
    for (uint32_t i = 0; i < level.width * level.height; ++i, ++at) {
      const auto as = static_cast<Footprint>(footprint);
      visit(oracle_footprint(as, size.width, n, i % level.width), oracle_footprint(as, size.height, n, i / level.width),
            at);
    }
  }
}

void expect_max_abs(const SampleKernel& kernel, Extent size, uint32_t footprint, const std::vector<float>& base) {
  const std::vector<uint32_t> made = custom_levels(kernel, size, footprint, 1, base);
  each_texel(size, footprint, full_level_count(size) - 1, [&](TexelRange x, TexelRange y, size_t at) {
    float most = 0;
    for (uint32_t v = y.begin; v < y.end; ++v) {
      for (uint32_t u = x.begin; u < x.end; ++u) most = std::max(most, std::abs(base[2 * (v * size.width + u)]));
    }
    ASSERT_EQ(number(made[at]), most) << kernel.name << " texel " << at;
  });
}

void expect_closest(const SampleKernel& kernel, Extent size, uint32_t footprint, const std::vector<float>& base) {
  const std::vector<uint32_t> made = custom_levels(kernel, size, footprint, 2, base);
  each_texel(size, footprint, full_level_count(size) - 1, [&](TexelRange x, TexelRange y, size_t at) {
    float least = INFINITY;
    float material = 0;
    for (uint32_t v = y.begin; v < y.end; ++v) {
      for (uint32_t u = x.begin; u < x.end; ++u) {
        if (base[2 * (v * size.width + u)] >= least) continue;
        least = base[2 * (v * size.width + u)];
        material = base[2 * (v * size.width + u) + 1];
      }
    }
    ASSERT_EQ(number(made[2 * at]), least) << kernel.name << " texel " << at;
    ASSERT_EQ(made[2 * at + 1], static_cast<uint32_t>(material)) << kernel.name << " texel " << at;
  });
}

TEST_F(ShaderHeaders, PyramidsOfYourOwn) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (const Extent size : sizes()) {
    // All depths differ, so that exactly one texel is the closest.
    std::vector<float> base(size_t{2} * size.width * size.height);
    const uint32_t texels = size.width * size.height;
    const uint32_t first = random.below(texels);
    for (uint32_t i = 0; i < texels; ++i) {
      base[2 * i] = static_cast<float>((uint64_t{i} * 1048583 + first) % texels) / static_cast<float>(texels);
      base[2 * i + 1] = static_cast<float>(random.below(1000));
    }
    std::vector<float> signed_base = base;
    for (size_t i = 0; i < base.size(); i += 2) signed_base[i] = random.between(-1, 1);
    for (const SampleKernel& kernel : variants("custom_reduction")) {
      if (!can_run(kernel)) continue;
      const uint32_t footprint = kernel.number("ONEPASS_FOOTPRINT", ONEPASS_SETUP_FOOTPRINT_COVERING);
      const uint32_t combine = kernel.number("COMBINE", 0);
      if (combine == 0) expect_variance(kernel, size, footprint, signed_base);
      if (combine == 1) expect_max_abs(kernel, size, footprint, signed_base);
      if (combine == 2) expect_closest(kernel, size, footprint, base);
      if (HasFatalFailure()) FAIL() << size.width << "x" << size.height << " seed " << seed;
    }
  }
}

TEST_F(ShaderHeaders, TileReductions) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (const Extent size : {Extent{1, 1}, Extent{129, 65}, Extent{77, 200}, Extent{256, 256}}) {
    const std::vector<float> base = random_values(size_t{size.width} * size.height, random, -1, 2);
    for (const SampleKernel& kernel : variants("tile_reduction")) {
      if (!can_run(kernel)) continue;
      const uint32_t factor = 2U << kernel.number("ONEPASS_TILE_SIDE_LOG2", 2);
      OnepassTileSetup setup;
      ASSERT_EQ(onepass_tile_setup(size.width, size.height, 1, factor, &setup), ONEPASS_SETUP_OK);
      ASSERT_EQ(setup.reads_log2, kernel.number("ONEPASS_TILE_READS_LOG2", 2)) << kernel.name;
      const tile_reduction::TileReductionParams params{
          .size = {size.width, size.height}, .tiles = {setup.tiles[0], setup.tiles[1]}, .last_scale = {1, 1}};
      const Extent tiles{setup.tiles[0], setup.tiles[1]};
      ShaderRun run{.code = kernel.code,
                    .sources = {{.binding = 0, .size = size, .levels = {base}}},
                    .targets = {{.binding = 1, .size = tiles, .levels = std::vector<std::vector<float>>(1)}},
                    .push = words_of(params),
                    .groups = {setup.groups[0], setup.groups[1], 1}};
      run_shader(run);
      const uint32_t reduction = kernel.number("ONEPASS_REDUCTION", 1);
      for (uint32_t i = 0; i < tiles.width * tiles.height; ++i) {
        double sum = 0;
        double least = INFINITY;
        double most = -INFINITY;
        double count = 0;
        for (uint32_t v = i / tiles.width * factor; v < std::min(size.height, (i / tiles.width + 1) * factor); ++v) {
          for (uint32_t u = i % tiles.width * factor; u < std::min(size.width, (i % tiles.width + 1) * factor); ++u) {
            const double value = base[size_t{v} * size.width + u];
            sum += value;
            least = std::min(least, value);
            most = std::max(most, value);
            ++count;
          }
        }
        const double expected = reduction == 0 ? sum / count : reduction == 1 ? least : most;
        ASSERT_NEAR(run.targets[0].levels[0][i], expected, reduction == 0 ? 2e-6 : 0.0)
            << kernel.name << " " << size.width << "x" << size.height << " tile " << i << " seed " << seed;
      }
    }
  }
}

TEST_F(ShaderHeaders, RectanglesBehindAWallAreHidden) {
  const Extent size{203, 117};
  Random random(5);
  std::vector<float> base(size_t{size.width} * size.height);
  for (uint32_t i = 0; i < base.size(); ++i) {
    const bool wall = i % size.width > 60 && i % size.width < 160;
    base[i] = wall ? random.between(0.2F, 0.4F) : random.between(0.7F, 1.0F);
  }
  std::vector<std::vector<float>> levels = {base};
  for (uint32_t n = 1; n < full_level_count(size); ++n) {
    const Extent level = level_size(size, n);
    levels.emplace_back(size_t{level.width} * level.height, 0.0F);
    for (uint32_t i = 0; i < levels[n].size(); ++i) {
      const TexelRange x = oracle_footprint(Footprint::kCovering, size.width, n, i % level.width);
      const TexelRange y = oracle_footprint(Footprint::kCovering, size.height, n, i / level.width);
      for (uint32_t v = y.begin; v < y.end; ++v) {
        for (uint32_t u = x.begin; u < x.end; ++u) levels[n][i] = std::max(levels[n][i], base[v * size.width + u]);
      }
    }
  }
  constexpr uint32_t kCount = 1000;
  std::vector<float> rects;
  for (uint32_t i = 0; i < kCount; ++i) {
    const float x = random.between(-0.1F, 1.0F);
    const float y = random.between(-0.1F, 1.0F);
    const float side = random.between(0.0F, 0.2F);
    const float rect[8] = {x, y, x + side, y + side, random.between(0.1F, 0.9F), 0, 0, 0};
    rects.insert(rects.end(), rect, rect + 8);
  }
  std::vector<uint32_t> first;
  for (const SampleKernel& kernel : variants("depth_query")) {
    std::vector<uint32_t> input = words_of(rects);
    std::vector<uint32_t> hidden(kCount, 7);
    ShaderRun run{.code = kernel.code,
                  .buffers = {{.binding = 1, .words = &input}, {.binding = 2, .words = &hidden}},
                  .sources = {{.binding = 0, .size = size, .levels = levels}},
                  .push = {size.width, size.height, kCount},
                  .groups = {(kCount + 63) / 64, 1, 1}};
    run_shader(run);
    for (uint32_t i = 0; i < kCount; ++i) {
      ASSERT_LE(hidden[i], 1U);
      if (hidden[i] == 0) continue;
      const float* r = &rects[8 * i];
      for (uint32_t t = 0; t < base.size(); ++t) {
        const double u = t % size.width;
        const double v = t / size.width;
        const bool inside = r[0] * double{203} < u + 1 && r[2] * double{203} > u && r[1] * double{117} < v + 1 &&
                            r[3] * double{117} > v;
        ASSERT_TRUE(!inside || base[t] < r[4]) << kernel.name << " rectangle " << i << " texel " << t;
      }
    }
    EXPECT_GT(std::count(hidden.begin(), hidden.end(), 1U), 100);
    if (first.empty()) first = hidden;
    EXPECT_EQ(hidden, first) << kernel.name;
  }
}

TEST_F(ShaderHeaders, LinesAreTransformed) {
  Random random(11);
  for (const SampleKernel& kernel : variants("fourier")) {
    const uint32_t n = kernel.number("LENGTH", 256);
    const uint32_t lines_of_group = kernel.number("LINES", 16);
    const uint32_t lines = lines_of_group + 3;
    std::vector<uint32_t> values = words_of(random_values(size_t{2} * n * lines, random, -1, 1));
    const std::vector<uint32_t> input = values;
    std::vector<float> twiddles;
    for (uint32_t k = 0; k < n; ++k) {
      twiddles.push_back(static_cast<float>(std::cos(2 * std::numbers::pi * k / n)));
      twiddles.push_back(static_cast<float>(-std::sin(2 * std::numbers::pi * k / n)));
    }
    std::vector<uint32_t> table = words_of(twiddles);
    ShaderRun run{.code = kernel.code,
                  .buffers = {{.binding = 0, .words = &values}, {.binding = 1, .words = &table}},
                  .push = {lines},
                  .groups = {(lines + lines_of_group - 1) / lines_of_group, 1, 1}};
    run_shader(run);
    double error = 0;
    double total = 0;
    for (uint32_t line = 0; line < lines; ++line) {
      for (uint32_t k = 0; k < n; ++k) {
        double re = 0;
        double im = 0;
        for (uint32_t i = 0; i < n; ++i) {
          const double angle = -2 * std::numbers::pi * (i * k % n) / n;
          const double x = number(input[2 * (line * n + i)]);
          const double y = number(input[2 * (line * n + i) + 1]);
          re += x * std::cos(angle) - y * std::sin(angle);
          im += x * std::sin(angle) + y * std::cos(angle);
        }
        error += std::pow(number(values[2 * (line * n + k)]) - re, 2) +
                 std::pow(number(values[2 * (line * n + k) + 1]) - im, 2);
        total += re * re + im * im;
      }
    }
    EXPECT_LT(std::sqrt(error / total), 5e-7) << kernel.name;
  }
}

// A Butterworth band-pass with a notch. Oracle: the formula in double.
TEST_F(ShaderHeaders, SpectraAreFiltered) {
  constexpr Extent kSize{30, 21};
  FilterOptions options{.size = kSize,
                        .source = Format::kR32Sfloat,
                        .band = FilterBand::kBandPass,
                        .cutoff = 0.125F,
                        .upper_cutoff = 0.375F,
                        .order = 3,
                        .stop_gain = 0.25F,
                        .pass_gain = 2,
                        .notch_count = 1};
  options.notches[0] = {0.25F, -0.125F, 0.0625F};
  const auto passed = [&](double ratio) { return 1 / (1 + std::pow(ratio, 2.0 * options.order)); };
  const auto apart = [](double d) { return d - std::round(d); };
  std::vector<uint32_t> params(sizeof(FourierFilterParams) / 4);
  FourierFilterParams made{};
  make_filter_params(options, made);
  std::memcpy(params.data(), &made, sizeof made);
  Random random(11);
  constexpr uint32_t kWidth = kSize.width / 2 + 1;
  const std::vector<float> values = random_values(size_t{2} * kWidth * kSize.height, random, 0.5F, 1);
  for (const SampleKernel& kernel : variants("fourier_filter")) {
    std::vector<uint32_t> spectrum = words_of(values);
    ShaderRun run{.code = kernel.code,
                  .buffers = {{.binding = 0, .words = &params}, {.binding = 1, .words = &spectrum}},
                  .push = {kSize.width, kSize.height},
                  .groups = {(kWidth * kSize.height + 63) / 64, 1, 1}};
    run_shader(run);
    for (uint32_t i = 0; i < kWidth * kSize.height; ++i) {
      const double fx = static_cast<double>(i % kWidth) / kSize.width;
      const double row = static_cast<double>(i / kWidth) / kSize.height;
      const double fy = row > 0.5 ? row - 1 : row;
      const double f = std::hypot(fx, fy);
      const double band = f == 0 ? 0 : passed(std::abs(f * f - 0.125 * 0.375) / (f * 0.25));
      const double gain = (0.25 + 1.75 * band) *
                          (1 - passed(std::hypot(apart(fx - 0.25), apart(fy + 0.125)) / 0.0625)) *
                          (1 - passed(std::hypot(apart(fx + 0.25), apart(fy - 0.125)) / 0.0625));
      for (uint32_t part = 0; part < 2; ++part) {
        ASSERT_NEAR(number(spectrum[2 * i + part]), gain * values[2 * i + part], 4e-6)
            << kernel.name << " " << fx << " " << fy;
      }
    }
  }
}

TEST_F(ShaderHeaders, LuminanceIsMetered) {
  const Extent size{301, 77};
  Random random(13);
  std::vector<float> base = random_values(size_t{4} * size.width * size.height, random, 0, 4);
  base[4 * 5] = NAN;
  double logs = 0;
  double sum = 0;
  const size_t texels = base.size() / 4;
  for (size_t i = 0; i < texels; ++i) {
    if (i == 5) continue;
    const double y = 0.2126 * base[4 * i] + 0.7152 * base[4 * i + 1] + 0.0722 * base[4 * i + 2];
    logs += std::log(1e-4 + y);
    sum += y;
  }
  const auto count = static_cast<double>(texels - 1);
  OnepassLuminanceSetup setup;
  ASSERT_EQ(onepass_luminance_setup(0, 0, size.width, size.height, 1, 2048, &setup), ONEPASS_SETUP_OK);
  for (const SampleKernel& kernel : variants("luminance")) {
    std::vector<uint32_t> scratch(setup.words, 0);
    std::vector<uint32_t> results(sizeof(luminance::LuminanceResult) / 4, 0);
    ShaderRun run{.code = kernel.code,
                  .buffers = {{.binding = 1, .words = &scratch}, {.binding = 2, .words = &results}},
                  .sources = {{.binding = 0, .size = size, .channels = 4, .levels = {base}}},
                  .push = words_of(setup.constants),
                  .groups = {setup.groups[0], setup.groups[1], setup.groups[2]},
                  .times = 2};
    run_shader(run);
    luminance::LuminanceResult result;
    std::memcpy(&result, results.data(), sizeof result);
    EXPECT_EQ(result.valid, 1U) << kernel.name;
    EXPECT_EQ(result.finite_count, texels - 1) << kernel.name;
    EXPECT_EQ(result.nan_count, 1U) << kernel.name;
    EXPECT_NEAR(result.log_average, std::exp(logs / count), 1e-6 * std::exp(logs / count)) << kernel.name;
    EXPECT_NEAR(result.mean_luminance, sum / count, 1e-6 * sum / count) << kernel.name;
    EXPECT_NEAR(result.exposure, 0.18 / std::exp(logs / count), 1e-6 * 0.18 / std::exp(logs / count)) << kernel.name;
    EXPECT_EQ(scratch[0], 0U) << kernel.name << ": the counter was not returned to zero";
    uint64_t histogram = 0;
    for (const auto& bin : result.histogram) histogram += bin.x;
    EXPECT_EQ(histogram, texels - 1) << kernel.name;
  }
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_F(ShaderHeaders, TextelsAreToneMapped) {
  const Extent size{53, 37};
  Random random(17);
  const std::vector<float> base = random_values(size_t{4} * size.width * size.height, random, 0, 3);
  const ToneMapOptions options{.size = size,
                               .source = Format::kRGBA32Sfloat,
                               .target = Format::kRGBA32Sfloat,
                               .tone_operator = ToneOperator::kHable,
                               .transfer = Transfer::kSrgb};
  const auto shader = tone_map_shader(options);
  ASSERT_TRUE(shader) << shader.error().text();
  for (const char* language : {"comp", "hlsl"}) {
    const std::string text = text_of(std::string(ONEPASS_SAMPLE_SHADERS) + "/tone_map." + language);
    EXPECT_NE(text.find(shader->definitions), std::string::npos) << language << " needs\n" << shader->definitions;
  }
  luminance::LuminanceResult metered{};
  metered.exposure = 0.75F;
  for (const SampleKernel& kernel : variants("tone_map")) {
    std::vector<uint32_t> program = words_of(shader->program);
    std::vector<uint32_t> cubics = words_of(shader->cubics);
    std::vector<uint32_t> results = words_of(metered);
    ShaderRun run{
        .code = kernel.code,
        .buffers = {{.binding = 2, .words = &program, .uniform = true},
                    {.binding = 3, .words = &cubics},
                    {.binding = 4, .words = &results}},
        .sources = {{.binding = 0, .size = size, .channels = 4, .levels = {base}}},
        .targets = {{.binding = 1, .size = size, .channels = 4, .levels = std::vector<std::vector<float>>(1)}},
        .push = {size.width, size.height},
        .groups = {(size.width + 15) / 16, (size.height + 15) / 16, 1}};
    run_shader(run);
    for (size_t i = 0; i < base.size(); i += 4) {
      const Rgb light{base[i], base[i + 1], base[i + 2]};
      const ExactTexel exact = exact_texel(options, light, 0.75);
      for (size_t c = 0; c < 3; ++c) {
        ASSERT_LE(oracle_error(options, exact, c, run.targets[0].levels[0][i + c]), 1e-5) << kernel.name << " " << i;
      }
      ASSERT_EQ(run.targets[0].levels[0][i + 3], base[i + 3]) << kernel.name;
    }
  }
}

// Each page prints both tested shaders unchanged, and none is longer than 60 lines.
TEST(ShaderPages, PrintTheShadersThatAreTested) {
  const auto expect_printed = [](const std::string& page, const std::string& file, const std::string& language) {
    const std::string text = text_of(std::string(ONEPASS_SAMPLE_SHADERS) + "/" + file);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 60) << file;
    EXPECT_NE(text_of(std::string(ONEPASS_DOCS) + "/shaders/" + page).find("```" + language + "\n" + text + "```\n"),
              std::string::npos)
        << "docs/shaders/" << page << " does not print " << file;
  };
  for (const std::string sample : {"pyramid", "custom_reduction", "tile_reduction", "depth_query", "fourier",
                                   "fourier_filter", "luminance", "tone_map", "blocks"}) {
    expect_printed(sample + ".md", sample + ".comp", "glsl");
    expect_printed(sample + ".md", sample + ".hlsl", "hlsl");
  }
  for (const std::string sample : {"reflection_march", "reflection_denoise"}) {
    expect_printed("reflection.md", sample + ".comp", "glsl");
    expect_printed("reflection.md", sample + ".hlsl", "hlsl");
  }
  expect_printed("cuda.md", "pyramid.cu", "cpp");
  expect_printed("custom_reduction.md", "custom_reduction4.glsl", "glsl");
  expect_printed("custom_reduction.md", "custom_reduction4.comp", "glsl");
  expect_printed("custom_reduction.md", "custom_reduction4.hlsl", "hlsl");
}

}  // namespace
}  // namespace onepass::testing
