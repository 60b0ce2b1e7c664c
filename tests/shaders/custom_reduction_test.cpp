// custom_reduction_test.cpp: shaders that reduce four texels in order, bit by bit: the reductions of samples/shaders
// against cpu::reduce_pyramid, and one that differs for every order against its definition.
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "custom_reduction4.hpp"
#include "onepass/shader_setup.h"
#include "tests/shaders/sample_kernels.hpp"
#include "tests/shaders/shader_testing.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

using Words = std::vector<uint32_t>;

uint32_t subgroup_size() { return test_device().info().subgroup_size; }

/// All compiled variants of a sample that the device runs.
std::vector<SampleKernel> variants(std::string_view sample) {
  std::vector<SampleKernel> found;
  for (const SampleKernel& kernel : sample_kernels()) {
    if (kernel.sample == sample && (!kernel.subgroup || subgroup_size() >= 8)) found.push_back(kernel);
  }
  return found;
}

template <typename T>
Words words_of(const T* values, size_t count) {
  Words words(count * sizeof(T) / 4);
  std::memcpy(words.data(), values, count * sizeof(T));
  return words;
}

struct Shape {
  Extent size;
  uint32_t slices;
};

/// Even, odd, narrow; up to three stages; 2:1 stages of six levels and their remainders.
constexpr Shape kShapes[] = {{{1, 2}, 1},     {{37, 1}, 2},    {{1, 1000}, 1},  {{3, 500}, 2},   {{64, 64}, 3},
                             {{65, 63}, 2},   {{191, 100}, 1}, {{257, 9}, 3},   {{128, 128}, 2}, {{640, 360}, 1},
                             {{517, 517}, 2}, {{71, 1111}, 1}, {{2048, 16}, 3}, {{1024, 192}, 2}};

std::string text(const Shape& shape) {
  return std::to_string(shape.size.width) + "x" + std::to_string(shape.size.height) + "x" +
         std::to_string(shape.slices);
}

size_t base_texels(const Shape& shape) { return size_t{shape.size.width} * shape.size.height * shape.slices; }

/// The buffer of all levels that a shader makes of the words of the base.
Words shader_levels(const SampleKernel& kernel, const Shape& shape, uint32_t element_words, uint32_t made_words,
                    Words base) {
  OnepassPyramidRequest request{};
  request.width = shape.size.width;
  request.height = shape.size.height;
  request.slices = shape.slices;
  request.levels = -1;
  request.footprint = ONEPASS_SETUP_FOOTPRINT_ALIGNED;
  request.subgroup_size = kernel.subgroup ? subgroup_size() : 0;
  OnepassPyramidSetup setup;
  EXPECT_EQ(onepass_pyramid_setup(&request, &setup), ONEPASS_SETUP_OK);
  size_t texels = 0;
  for (uint32_t n = 1; n <= setup.levels; ++n) {
    texels += size_t{level_size(shape.size, n).width} * level_size(shape.size, n).height;
  }
  const size_t places = size_t{shape.size.width >> 6U} * (shape.size.height >> 6U);
  Words made(texels * made_words * shape.slices, 0xA5A5A5A5U);
  Words counters(std::max(setup.counters, 1U), 0);
  Words kept(size_t{std::max(setup.kept, 1U)} * element_words, 0);
  Words mailbox((2 * places + 1) * shape.slices, 0);
  ShaderRun run{.code = kernel.code,
                .buffers = {{.binding = 0, .words = &base},
                            {.binding = 1, .words = &made},
                            {.binding = 2, .words = &counters},
                            {.binding = 3, .words = &kept},
                            {.binding = 4, .words = &mailbox}},
                .push = words_of(&setup.constants, 1),
                .groups = {setup.groups[0], setup.groups[1], setup.groups[2]},
                .times = 2};
  run_shader(run);
  EXPECT_EQ(std::count(counters.begin(), counters.end(), 0U), std::ssize(counters)) << kernel.name;
  return made;
}

void expect_same(const Words& actual, const Words& expected, const SampleKernel& kernel, const Shape& shape) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    ASSERT_EQ(actual[i], expected[i]) << kernel.name << " " << text(shape) << ": word " << i << " of " << actual.size();
  }
}

/// Compares a sample with the same reduction on the CPU.
template <typename Reduction, typename Base>
void expect_sample(uint32_t combine, const Shape& shape, const std::vector<Base>& base) {
  using Element = decltype(Reduction::element_of(base[0]));
  const auto made = custom_reduction4::make_levels<Reduction>(shape.size, shape.slices, base);
  ASSERT_FALSE(made.empty());
  const Words expected = words_of(made.data(), made.size());
  uint32_t kernels = 0;
  for (const SampleKernel& kernel : variants("custom_reduction4")) {
    if (kernel.number("COMBINE", 0) != combine) continue;
    ++kernels;
    const Words actual =
        shader_levels(kernel, shape, sizeof(Element) / 4, sizeof(made[0]) / 4, words_of(base.data(), base.size()));
    expect_same(actual, expected, kernel, shape);
  }
  EXPECT_GE(kernels, 2U) << combine;
}

std::vector<float> random_floats(const Shape& shape, Random& random) {
  std::vector<float> values(base_texels(shape));
  for (float& value : values) value = random.between(-1, 1);
  return values;
}

using CustomReduction = VulkanTest;

TEST_F(CustomReduction, MediansAreThoseOfTheCpu) {
  Random random(random_seed());
  for (const Shape& shape : kShapes) {
    expect_sample<custom_reduction4::Median>(0, shape, random_floats(shape, random));
    if (HasFatalFailure()) return;
  }
}

TEST_F(CustomReduction, CheckerboardsAreThoseOfTheCpu) {
  Random random(random_seed());
  for (const Shape& shape : kShapes) {
    expect_sample<custom_reduction4::Checkerboard>(1, shape, random_floats(shape, random));
    if (HasFatalFailure()) return;
  }
}

TEST_F(CustomReduction, MeansOfSquaresAreThoseOfTheCpu) {
  Random random(random_seed());
  for (const Shape& shape : kShapes) {
    expect_sample<custom_reduction4::Variance>(2, shape, random_floats(shape, random));
    if (HasFatalFailure()) return;
  }
}

// Few different depths: their normals say which of equally close texels was taken.
TEST_F(CustomReduction, NormalsOfTheClosestDepthsAreThoseOfTheCpu) {
  Random random(random_seed());
  for (const Shape& shape : kShapes) {
    std::vector<custom_reduction4::Four> base(base_texels(shape));
    for (custom_reduction4::Four& texel : base) {
      texel = {random.between(-1, 1), random.between(-1, 1), random.between(-1, 1),
               static_cast<float>(1 + random.below(3)) / 4};
    }
    expect_sample<custom_reduction4::Closest>(3, shape, base);
    if (HasFatalFailure()) return;
  }
}

/// The definition of ordered_reduction.glsl for one word of its element, whose base is multiplied by `factor`.
Words ordered_levels(const Shape& shape, const Words& base, uint32_t factor) {
  Words made;
  for (uint32_t slice = 0; slice < shape.slices; ++slice) {
    Extent finer_size = shape.size;
    Words finer;
    for (uint32_t i = 0; i < finer_size.width * finer_size.height; ++i) {
      finer.push_back(factor * base[size_t{slice} * finer_size.width * finer_size.height + i]);
    }
    while (finer_size.width > 1 || finer_size.height > 1) {
      const Extent size{std::max(1U, finer_size.width / 2), std::max(1U, finer_size.height / 2)};
      Words level;
      for (uint32_t y = 0; y < size.height; ++y) {
        for (uint32_t x = 0; x < size.width; ++x) {
          const auto texel = [&](uint32_t right, uint32_t down) {
            const uint32_t u = finer_size.width == 1 ? 0 : 2 * x + right;
            const uint32_t v = finer_size.height == 1 ? 0 : 2 * y + down;
            return finer[size_t{v} * finer_size.width + u];
          };
          const uint32_t hash = 3 * texel(0, 0) + 5 * texel(1, 0) + 7 * texel(0, 1) + 11 * texel(1, 1) + 1;
          level.push_back(hash & 0x7FFFFFFFU);
        }
      }
      made.insert(made.end(), level.begin(), level.end());
      finer = level;
      finer_size = size;
    }
  }
  return made;
}

/// Compares every element of ordered_reduction with the definition.
void expect_order(const Shape& shape, Random& random) {
  constexpr std::array<uint32_t, 4> kFactors = {1, 13, 17, 19};
  Words base(base_texels(shape));
  for (uint32_t& word : base) word = random.word();
  uint32_t kernels = 0;
  for (const SampleKernel& kernel : variants("ordered_reduction")) {
    const uint32_t element = kernel.number("ELEMENT", 0);
    const uint32_t words = element == 1 ? 4 : element == 2 ? 2 : 1;
    std::vector<Words> levels;
    for (uint32_t i = 0; i < words; ++i) levels.push_back(ordered_levels(shape, base, kFactors[i]));
    Words expected;
    for (size_t i = 0; i < levels[0].size() * words; ++i) expected.push_back(levels[i % words][i / words]);
    expect_same(shader_levels(kernel, shape, words, words, base), expected, kernel, shape);
    ++kernels;
  }
  EXPECT_GE(kernels, 4U);
}

TEST_F(CustomReduction, TakesFourTexelsInOrderOnEveryLevel) {
  Random random(random_seed());
  for (const Shape& shape : kShapes) {
    expect_order(shape, random);
    if (HasFatalFailure()) return;
  }
}

TEST_F(CustomReduction, TakesFourTexelsInOrderAtRandomSizes) {
  Random random(random_seed());
  for (int i = 0; i < 12; ++i) {
    expect_order({{1 + random.below(400), 2 + random.below(400)}, 1 + random.below(3)}, random);
    if (HasFatalFailure()) return;
  }
}

// 1000 tiles and more: a workgroup makes two of them one after the other.
TEST_F(CustomReduction, TakesFourTexelsInOrderInRunsOfTiles) {
  Random random(random_seed());
  expect_order({{640, 320}, 20}, random);
}

}  // namespace
}  // namespace onepass::testing
