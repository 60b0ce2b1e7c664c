// vulkan_fourier_test.cpp: transforms on the device under test, against the same oracle as the CPU engine.
#include <cmath>
#include <cstring>
#include <random>

#include "fourier/dispatch_plan.hpp"
#include "fourier_testing.hpp"
#include "onepass/vulkan/fourier.hpp"
#include "vulkan_testing.hpp"

namespace onepass::testing {
namespace {

using vulkan::TransformTuning;

FourierEngine engine_with(const TransformTuning& tuning) {
  FourierEngine engine;
  engine.forward = [tuning](const TransformOptions& options, const ImageView& source) {
    const auto plan = plan_transform(options);
    std::vector<std::byte> spectrum(plan ? plan->spectrum_bytes : 0);
    auto done = vulkan::transform_forward(test_device(), options, tuning, source, spectrum);
    EXPECT_TRUE(done.ok()) << describe(options) << (done ? "" : done.error().text());
    return spectrum;
  };
  engine.inverse = [tuning](const TransformOptions& options, std::span<const std::byte> spectrum) {
    const auto plan = plan_transform(options);
    const TransformOptions& o = plan->options;
    PaddedImage target(o.target, {o.result.width, o.result.height}, o.slices, 16, 32);
    auto done = vulkan::transform_inverse(test_device(), options, tuning, spectrum, target.view());
    EXPECT_TRUE(done.ok()) << describe(options) << (done ? "" : done.error().text());
    EXPECT_FALSE(target.gaps_touched()) << describe(options);
    return target;
  };
  return engine;
}

const FourierEngine kShared = engine_with({});
const FourierEngine kPingPong = engine_with({.technique = FourierTechnique::kPingPong});

class VulkanFourier : public VulkanTest {};

// Every length up to 130 on either axis with every kind: sampled, all of them in a full run.
TEST_F(VulkanFourier, EveryLength) {
  const uint32_t seed = std::random_device()();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (uint32_t length = 1; length <= 130; length += full_run() ? 1 : 1 + random.below(48)) {
    const uint32_t kind = random.below(kFourierKinds);
    ASSERT_TRUE(both_match(kShared, fourier_kind(kind, {length, 1 + random.below(40)}), random)) << "seed " << seed;
    ASSERT_TRUE(both_match(kShared, fourier_kind((kind + 3) % kFourierKinds, {1 + random.below(40), length}), random))
        << "seed " << seed;
  }
}

TEST_F(VulkanFourier, EveryRadix) {
  Random random(2);
  uint32_t kind = 0;
  for (const Extent size :
       {Extent{2, 3}, Extent{4, 5}, Extent{6, 7}, Extent{8, 9}, Extent{10, 12}, Extent{14, 15}, Extent{16, 1}}) {
    ASSERT_TRUE(both_match(kShared, fourier_kind(kind++ % kFourierKinds, size), random));
  }
}

TEST_F(VulkanFourier, EveryCombinationOfOptions) {
  const uint32_t seed = std::random_device()();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (int i = 0; i < (full_run() ? 1000 : 6); ++i) {
    ASSERT_TRUE(both_match(i % 3 == 2 ? kPingPong : kShared, random_transform(random), random))
        << "round " << i << " seed " << seed;
  }
}

TEST_F(VulkanFourier, LongLengths) {
  Random random(4);
  const std::vector<uint32_t> all = {449, 1021, 1080, 1920, 2048, 2187, 3125, 4093, 4096, 4802, 6250, 7203, 8192};
  for (size_t i = 0; i < all.size(); i += full_run() ? 1 : 5) {
    ASSERT_TRUE(both_match(kShared, fourier_kind(static_cast<uint32_t>(i) % kFourierKinds, {all[i], 2}), random));
    const uint32_t length = all[(i + 1) % all.size()];
    ASSERT_TRUE(both_match(kShared, fourier_kind(static_cast<uint32_t>(i + 2) % kFourierKinds, {3, length}), random));
  }
}

// Longer than shared memory holds: one dispatch a pass.
TEST_F(VulkanFourier, LongerThanSharedMemory) {
  Random random(5);
  for (const Extent size : {Extent{10007, 2}, Extent{2, 9000}}) {
    const TransformOptions options = fourier_kind(2, size);
    const auto transform = vulkan::Transform::create(test_device(), options);
    ASSERT_TRUE(transform) << transform.error().text();
    const auto& stage = transform->plan().forward[size.width > size.height ? 0 : 1];
    EXPECT_EQ(stage.technique, FourierTechnique::kPingPong);
    ASSERT_TRUE(both_match(kShared, options, random));
  }
}

TEST_F(VulkanFourier, TuningDoesNotChangeResults) {
  Random random(6);
  const TransformTuning tunings[] = {
      {.twiddles = vulkan::Twiddles::kComputed},
      {.most_radix = 8},
      {.lines_of_rows = 1, .lines_of_columns = 1},
      {.lines_of_rows = 8, .lines_of_columns = 16},
      {.technique = FourierTechnique::kPingPong, .most_radix = 2},
      {.technique = FourierTechnique::kPingPong, .twiddles = vulkan::Twiddles::kComputed}};
  for (const TransformTuning& tuning : tunings) {
    SCOPED_TRACE("tuning " + std::to_string(&tuning - tunings));
    EXPECT_TRUE(both_match(engine_with(tuning), fourier_kind(3, {240, 64}), random));
  }
}

// 8-bit pictures survive there and back.
TEST_F(VulkanFourier, EightBitsComeBack) {
  Random random(7);
  for (const Format format : {Format::kRGBA8Unorm, Format::kR8Unorm, Format::kRG8Unorm, Format::kRGBA8Srgb}) {
    const TransformOptions options{.size = {320, 135}, .source = format};
    PaddedImage source(format, options.size, 1, 16, 32);
    fill_random(source.view(), random);
    const auto spectrum = kShared.forward(options, source.view());
    const PaddedImage target = kShared.inverse(options, spectrum);
    for (uint32_t y = 0; y < options.size.height; ++y) {
      ASSERT_EQ(std::memcmp(source.view().row(y), target.view().row(y),
                            options.size.width * format_info(format).bytes_per_texel),
                0)
          << format_info(format).name << " row " << y;
    }
  }
}

}  // namespace
}  // namespace onepass::testing
