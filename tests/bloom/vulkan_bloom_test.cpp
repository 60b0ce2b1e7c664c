// vulkan_bloom_test.cpp: bloom on the device under test against its definition, and formats against the CPU engine.
#include "onepass/vulkan/bloom.hpp"

#include <cmath>
#include <cstring>

#include "tests/bloom/bloom_oracle.hpp"
#include "tests/support/test_seed.hpp"
#include "tests/vulkan/own_device.hpp"
#include "tests/vulkan/vulkan_testing.hpp"

namespace onepass::testing {
namespace {

using fourier_ops_test::bloom_cases;
using fourier_ops_test::check_bloom;
using fourier_ops_test::describe;
using fourier_ops_test::difference;
using fourier_ops_test::plane_of;
using vulkan::TransformTuning;

constexpr TransformTuning kTunings[] = {{},
                                        {.technique = FourierTechnique::kFourStep},
                                        {.technique = FourierTechnique::kPingPong},
                                        {.values_per_invocation = 16}};  // as large images

// Of the largest value: three times the contract on transforms, rounded up.
constexpr double kTolerance = 2e-6;

class VulkanBloom : public VulkanTest {};

Image run(const BloomOptions& options, const TransformTuning& tuning, const Image* kernel, const Image& source) {
  const auto plan = plan_bloom(options);
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().text());
  auto target = Image::create(plan->options.target, options.size, options.slices);
  const ImageView view = kernel != nullptr ? kernel->view() : ImageView{};
  const auto made = vulkan::bloom_image(test_device(), options, tuning, kernel != nullptr ? &view : nullptr,
                                        source.view(), target->view());
  EXPECT_TRUE(made) << describe(options) << (made ? "" : made.error().text());
  return std::move(*target);
}

fourier_ops_test::BloomEngine engine_of(const TransformTuning& tuning) {
  return [tuning](const BloomOptions& options, const Image* kernel, const Image& source) {
    return run(options, tuning, kernel, source);
  };
}

// Every case on a GPU; a random part of them on software Vulkan, which compiles a pipeline in a second or two. The
// slices of one case show that these are separate.
TEST_F(VulkanBloom, MatchesTheDefinition) {
  Sample sample;
  uint32_t seed = 1;
  constexpr Extent kSizes[] = {{1, 1}, {13, 9}, {24, 17}, {31, 40}};
  uint32_t number = 0;
  for (const Extent size : kSizes) {
    for (const uint32_t channels : {1U, 2U, 4U}) {
      for (BloomOptions options : bloom_cases(size, channels)) {
        ++number;
        const TransformTuning& tuning = kTunings[number % 3 == 0 ? number / 3 % std::size(kTunings) : 0];
        if (!sample.takes(20)) continue;
        if (number % 2 == 0) options.slices = 2;
        check_bloom(engine_of(tuning), options, seed++, kTolerance);
      }
    }
  }
  // A case of each method and resolution in every run.
  for (const BloomOptions& options : bloom_cases({13, 9}, 4)) {
    if (options.knee != 0) check_bloom(engine_of({}), options, seed++, kTolerance);
  }
}

// Source formats with one, two, three and four channels, and every kind of target.
TEST_F(VulkanBloom, FormatsMatchTheCpu) {
  Random random(random_seed());
  Sample sample;
  constexpr std::pair<Format, Format> kFormats[] = {
      {Format::kB10G11R11Ufloat, Format::kRGBA16Sfloat}, {Format::kRGBA16Sfloat, Format::kRGBA8Srgb},
      {Format::kRGBA8Srgb, Format::kRGBA8Srgb},          {Format::kR16Sfloat, Format::kR32Sfloat},
      {Format::kR32Sfloat, Format::kRGBA32Sfloat},       {Format::kRG16Sfloat, Format::kRG32Sfloat}};
  for (const auto& [source_format, target] : kFormats) {
    for (const BloomResolution resolution : {BloomResolution::kFull, BloomResolution::kHalf}) {
      if (!sample.takes(4)) continue;
      const BloomOptions options{.size = {37, 22},
                                 .source = source_format,
                                 .target = target,
                                 .resolution = resolution,
                                 .scatter = 0.5F,
                                 .threshold = 0.5F,
                                 .knee = 0.25F};
      auto source = Image::create(source_format, options.size);
      fill_random(source->view(), random);
      auto bloom = cpu::Bloom::create(options);
      ASSERT_TRUE(bloom) << bloom.error().text();
      auto expected = Image::create(target, options.size);
      ASSERT_TRUE(bloom->apply(source->view(), expected->view()));
      const Image made = run(options, {}, nullptr, *source);
      const double step =
          format_info(target).type == ChannelType::kFloat ? (target == Format::kRGBA16Sfloat ? 2e-3 : 1e-5) : 0.01;
      for (uint32_t c = 0; c < format_info(target).channels; ++c) {
        EXPECT_LE(difference(plane_of(made, c), plane_of(*expected, c)), step)
            << describe(options) << ", channel " << c;
      }
    }
  }
}

TEST_F(VulkanBloom, NanAndInfDoNotSpread) {
  for (BloomOptions options : bloom_cases({16, 12}, 4)) {
    if (options.kernel != Format::kUndefined || options.knee == 0) continue;
    std::mt19937 random(7);
    std::vector<fourier_ops_test::Plane> planes;
    for (int c = 0; c < 4; ++c) planes.push_back(fourier_ops_test::noise(16, 12, random));
    planes[1].at(3, 5) = std::numeric_limits<double>::quiet_NaN();
    planes[0].at(9, 5) = std::numeric_limits<double>::infinity();
    planes[2].at(10, 11) = -std::numeric_limits<double>::infinity();
    const Image source = fourier_ops_test::image_of(planes, options.source);
    auto bloom = cpu::Bloom::create(options);
    auto expected = Image::create(options.source, options.size);
    ASSERT_TRUE(bloom->apply(source.view(), expected->view()));
    const Image made = run(options, {}, nullptr, source);
    for (uint32_t c = 0; c < 4; ++c) {
      EXPECT_LE(difference(plane_of(made, c), plane_of(*expected, c)), kTolerance * 65504) << describe(options);
    }
  }
}

TEST_F(VulkanBloom, DispatchesAreThoseOfTheConvolution) {
  const BloomOptions options{.size = {128, 64}, .source = Format::kRGBA16Sfloat, .threshold = 1};
  const auto bloom = vulkan::Bloom::create(test_device(), options);
  ASSERT_TRUE(bloom) << bloom.error().text();
  const ConvolutionOptions convolution{.size = options.size,
                                       .source = options.source,
                                       .kernel_size = bloom->plan().kernel_size,
                                       .kernel = Format::kR32Sfloat,
                                       .boundary = Boundary::kMirror,
                                       .alpha = AlphaPolicy::kPass};
  const auto convolver = vulkan::Convolver::create(test_device(), convolution);
  ASSERT_TRUE(convolver) << convolver.error().text();
  EXPECT_EQ(bloom->dispatch_plan().dispatches, convolver->dispatch_plan().dispatches);
  EXPECT_EQ(bloom->dispatch_plan().scratch_bytes, convolver->dispatch_plan().scratch_bytes);
  BloomOptions half = options;
  half.resolution = BloomResolution::kHalf;
  EXPECT_EQ(vulkan::Bloom::create(test_device(), half)->dispatch_plan().dispatches, 4U);
}

TEST_F(VulkanBloom, SaysWhatIsWrong) {
  BloomOptions options{.size = {40, 30}, .source = Format::kRGBA16Sfloat, .scatter = 2};
  auto bloom = vulkan::Bloom::create(test_device(), options);
  ASSERT_FALSE(bloom);
  EXPECT_NE(bloom.error().text().find("scatter: 2"), std::string::npos) << bloom.error().text();
  options.scatter = 0.5F;
  options.kernel_size = {3, 3};
  options.kernel = Format::kR8Unorm;
  bloom = vulkan::Bloom::create(test_device(), options);
  ASSERT_TRUE(bloom) << bloom.error().text();
  EXPECT_FALSE(bloom->has_kernel());
  auto black = Image::create(Format::kR8Unorm, {3, 3});
  std::memset(black->view().row(0), 0, 9);
  auto set = bloom->set_kernel(black->view());
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().code, ErrorCode::kBadData);
  EXPECT_FALSE(bloom->bind({}));
  const Image source(std::move(*Image::create(options.source, options.size)));
  auto target = Image::create(options.source, options.size);
  const auto made = vulkan::bloom_image(test_device(), options, {}, nullptr, source.view(), target->view());
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().text().find("no kernel is set"), std::string::npos) << made.error().text();
}

}  // namespace
}  // namespace onepass::testing
