// vulkan_tone_map_test.cpp: the Vulkan engine of tone maps against the oracle: every operator and transfer, formats,
// tunings of the kernel, exposure from a buffer, images with levels and slices, NaN and Inf, errors.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "onepass/vulkan/tone_map.hpp"
#include "tests/support/test_seed.hpp"
#include "tests/tone_map/tone_map_oracle.hpp"
#include "tests/vulkan/vulkan_testing.hpp"

namespace onepass::testing {
namespace {

using vulkan::Buffer;
using vulkan::DeviceImage;
using vulkan::ToneMapTuning;

constexpr double kPromised = 1e-5;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

/// The device decodes sources and rounds stored values: half a step of an sRGB source is 2^-6 of light; a UNORM value
/// near the middle between two steps may be rounded to either.
double gpu_tolerance(const ToneMapOptions& options) {
  const FormatInfo& target = format_info(options.target);
  const bool no_scene = options.tone_operator == ToneOperator::kDrago && options.drago.white < options.drago.average;
  double tolerance = no_scene ? 2 * kPromised : kPromised;
  if (format_info(options.source).type == ChannelType::kSrgb) tolerance += 1.0 / 255;
  if (target.type != ChannelType::kFloat) {
    tolerance += 0.02 / ((1 << target.bits[0]) - 1);
  }
  return tolerance;
}

::testing::AssertionResult gpu_tones_match(const ToneMapOptions& options, const ToneMapTuning& tuning,
                                           const PaddedImage& source, float exposure = 1) {
  PaddedImage target(options.target, options.size, options.slices, 4, 8);
  auto report = vulkan::map_tones(test_device(), options, tuning, source.view(), target.view(), exposure);
  if (!report) return ::testing::AssertionFailure() << describe(options) << ": " << report.error().text();
  if (target.gaps_touched()) return ::testing::AssertionFailure() << describe(options) << ": bytes outside";
  return tones_match(options, source.view(), target.view(), gpu_tolerance(options), exposure);
}

using VulkanToneMap = VulkanTest;

TEST_F(VulkanToneMap, EveryOperatorAndTransfer) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  const Extent size = full_run() ? Extent{1021, 97} : Extent{131, 37};
  for (const ToneOperator tone_operator : kAllOperators) {
    const bool agx = tone_operator == ToneOperator::kAgxSobotka || tone_operator == ToneOperator::kAgxBlender;
    for (const Transfer transfer : kAllTransfers) {
      for (const Primaries primaries : {Primaries::kRec709, Primaries::kRec2020}) {
        // The kernel treats all transfers alike: one operator is tested with all, the others with sRGB and a selection.
        const bool always = transfer == Transfer::kSrgb || tone_operator == ToneOperator::kAcesHill;
        if (!full_run() && !always && random.below(4) != 0) continue;
        ToneMapOptions options{.size = size,
                               .source = Format::kRGBA32Sfloat,
                               .target = Format::kRGBA32Sfloat,
                               .tone_operator = tone_operator,
                               .transfer = transfer,
                               .primaries = primaries};
        if (agx) options.look = static_cast<AgxLook>(random.below(3));
        const PaddedImage source = light_of(options.source, size, 1, random);
        ASSERT_TRUE(gpu_tones_match(options, {}, source)) << "seed " << seed;
      }
    }
  }
}

// Displays with headroom: curves that end above 1, and for HLG the OOTF before the last curve, after every kind of mix
// and matrix.
TEST_F(VulkanToneMap, Headroom) {
  Random random(35);
  const Extent size{97, 31};
  const auto check = [&](ToneOperator tone_operator, const std::function<void(ToneMapOptions&)>& change) {
    ToneMapOptions options{
        .size = size, .source = Format::kRGBA32Sfloat, .target = Format::kRGBA32Sfloat, .tone_operator = tone_operator};
    change(options);
    const PaddedImage source = light_of(options.source, size, 1, random);
    ASSERT_TRUE(gpu_tones_match(options, {}, source))
        << "paper white " << options.paper_white_nits << " peak " << options.peak_nits;
  };
  for (const ToneOperator tone_operator : kAllOperators) {
    for (const Primaries primaries : {Primaries::kRec709, Primaries::kRec2020}) {
      check(tone_operator, [&](auto& o) { o.transfer = Transfer::kHlg, o.primaries = primaries; });
      if (!uses_headroom(tone_operator)) continue;
      check(tone_operator, [&](auto& o) { o.transfer = Transfer::kPq, o.primaries = primaries; });
      check(tone_operator,
            [&](auto& o) { o.transfer = Transfer::kHlg, o.primaries = primaries, o.paper_white_nits = 1; });
      check(tone_operator, [&](auto& o) {
        o.transfer = Transfer::kLinear, o.primaries = primaries,
        o.headroom = primaries == Primaries::kRec709 ? 4.926F : 1000.0F;
      });
      check(tone_operator, [&](auto& o) {
        o.transfer = Transfer::kPq, o.primaries = primaries, o.paper_white_nits = 1, o.peak_nits = 10000;
      });
    }
  }
  for (const ToneOperator tone_operator : {ToneOperator::kAgxBlender, ToneOperator::kAgxSobotka}) {
    for (const Transfer transfer : {Transfer::kPq, Transfer::kHlg}) {
      for (const Primaries primaries : {Primaries::kRec709, Primaries::kRec2020}) {
        const AgxLook look = random.below(2) == 0 ? AgxLook::kGolden : AgxLook::kPunchy;
        check(tone_operator, [&](auto& o) { o.transfer = transfer, o.primaries = primaries, o.look = look; });
      }
    }
  }
}

TEST_F(VulkanToneMap, FormatsOfSourcesAndTargets) {
  Random random(31);
  uint32_t pairs = 0;
  for (const FormatInfo& source : all_formats()) {
    for (const FormatInfo& target : all_formats()) {
      ToneMapOptions options{.size = {37, 23},
                             .slices = 2,
                             .source = source.format,
                             .target = target.format,
                             .tone_operator = kAllOperators[pairs % kAllOperators.size()]};
      if (!plan_tone_map(options)) continue;
      ++pairs;
      // Every source once with a 4-channel float, every target once with a half source; the rest only in full runs.
      const bool wanted = target.format == Format::kRGBA32Sfloat || source.format == Format::kRGBA16Sfloat ||
                          (source.channels == target.channels && source.channels < 3 && source.format == target.format);
      if (!full_run() && !wanted) continue;
      if (!test_device().can_read(source.format) || !test_device().can_write(target.format)) continue;
      const PaddedImage image = light_of(source.format, options.size, 2, random);
      ASSERT_TRUE(gpu_tones_match(options, {}, image));
    }
  }
  EXPECT_EQ(pairs, 24U * 9 + 10 * 5 + 5 * 4);
}

TEST_F(VulkanToneMap, SizesAndShapesOfTheKernel) {
  Random random(32);
  for (const Extent size :
       {Extent{1, 1}, Extent{1, 70}, Extent{70, 1}, Extent{16, 16}, Extent{17, 65}, Extent{333, 9}}) {
    for (const uint32_t pixels : {1U, 2U, 4U, 8U}) {
      for (const uint32_t workgroup : {64U, 128U, 256U, 512U}) {
        if (workgroup > test_device().impl().limits.maxComputeWorkGroupInvocations) continue;
        if (!full_run() && random.below(3) != 0) continue;
        const ToneMapOptions options{.size = size,
                                     .slices = 1 + random.below(3),
                                     .source = Format::kRGBA16Sfloat,
                                     .target = Format::kRGBA8Srgb,
                                     .tone_operator = ToneOperator::kHable,
                                     .dither = Dither::kOn};
        const PaddedImage image = light_of(options.source, size, options.slices, random);
        ASSERT_TRUE(gpu_tones_match(options, {.pixels = pixels, .workgroup_size = workgroup}, image, 2.0F))
            << pixels << " pixels, workgroups of " << workgroup;
      }
    }
  }
}

TEST_F(VulkanToneMap, ExtremeOptions) {
  const PaddedImage image = saturated_light();
  Sample sample;
  for (const ToneMapOptions& options : extreme_options()) {
    if (!test_device().can_write(options.target) || !sample.takes(2)) continue;
    EXPECT_TRUE(gpu_tones_match(options, {}, image)) << options.drago.white << " " << options.drago.bias;
  }
}

TEST_F(VulkanToneMap, LooksOfDarkChannels) {
  const PaddedImage image = steep_light();
  for (const ToneMapOptions& options : look_options()) EXPECT_TRUE(gpu_tones_match(options, {}, image));
}

TEST_F(VulkanToneMap, DitherKeepsCodesAndIsThatOfTheCpu) {
  for (const Format target : {Format::kRGBA8Unorm, Format::kA2B10G10R10Unorm, Format::kRGBA16Unorm}) {
    if (!test_device().can_write(target)) continue;
    ToneMapOptions options{.size = {256, 64},
                           .source = Format::kRGBA32Sfloat,
                           .target = target,
                           .tone_operator = ToneOperator::kExposure,
                           .transfer = Transfer::kLinear,
                           .dither = Dither::kOn};
    PaddedImage source(options.source, options.size);
    const float most = target == Format::kRGBA8Unorm ? 255.0F : target == Format::kRGBA16Unorm ? 65535.0F : 1023.0F;
    for (uint32_t y = 0; y < 64; ++y) {
      for (uint32_t x = 0; x < 256; ++x) {
        // Even rows: quantised values, including the largest. Odd rows: values between them.
        const auto code =
            most - static_cast<float>(x * 3 % 255 * (y / 2 % 3 == 0 ? static_cast<uint32_t>(most) / 255 : 1));
        const float value = (y % 2 == 0 ? code : std::max(0.0F, code - 0.37F)) / most;
        const float texel[4] = {value, value, value, 1};
        std::memcpy(source.view().row(y) + size_t{x} * 16, texel, 16);
      }
    }
    PaddedImage expected(target, options.size);
    auto map = cpu::ToneMap::create(options);
    ASSERT_TRUE(map);
    ASSERT_TRUE(map->apply(source.view(), expected.view()));
    PaddedImage actual(target, options.size);
    ASSERT_TRUE(vulkan::map_tones(test_device(), options, {}, source.view(), actual.view()));
    size_t different = 0;
    for (size_t i = 0; i < actual.bytes().size(); ++i) different += actual.bytes()[i] != expected.bytes()[i];
    EXPECT_LE(different, actual.bytes().size() / 500) << format_info(target).name;
    std::vector<float> row(size_t{4} * 256);
    for (uint32_t y = 0; y < 64; y += 2) {
      decode_row(target, actual.view().row(y), 256, row.data());
      for (uint32_t x = 0; x < 256; ++x) {
        const float wanted = reinterpret_cast<const float*>(source.view().row(y))[size_t{4} * x];
        ASSERT_NEAR(row[size_t{4} * x] * most, wanted * most, 0.01) << format_info(target).name << " " << x << " " << y;
      }
    }
  }
}

TEST_F(VulkanToneMap, NanInfAndNegativeLight) {
  const float odd[] = {kNan, kInf, -kInf, -1.0F, -0.0F, 0.0F, 1e-30F, 3e38F, 65504.0F, 0.18F};
  for (const ToneOperator tone_operator : kAllOperators) {
    const ToneMapOptions options{.size = {100, 10},
                                 .source = Format::kRGBA32Sfloat,
                                 .target = Format::kRGBA32Sfloat,
                                 .tone_operator = tone_operator};
    PaddedImage source(options.source, options.size);
    for (uint32_t i = 0; i < 1000; ++i) {
      const float texel[4] = {odd[i % 10], odd[i / 10 % 10], odd[i / 100], i % 7 == 0 ? kNan : 0.5F};
      std::memcpy(source.view().row(i / 100) + size_t{i % 100} * 16, texel, 16);
    }
    ASSERT_TRUE(gpu_tones_match(options, {}, source));
    ASSERT_TRUE(gpu_tones_match(options, {}, source, 1e30F));
  }
}

/// A source and a target with two levels and four slices on the device, mapped at level 1, slices 1 and 2.
struct Scene {
  ToneMapOptions options{.size = {40, 24},
                         .slices = 2,
                         .source = Format::kRGBA32Sfloat,
                         .target = Format::kRGBA32Sfloat,
                         .tone_operator = ToneOperator::kReinhard,
                         .exposure = 0.5F,
                         .transfer = Transfer::kLinear};
  static constexpr VkImageUsageFlags kTransfers = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  DeviceImage source = create(VK_IMAGE_USAGE_SAMPLED_BIT | kTransfers);
  DeviceImage target = create(VK_IMAGE_USAGE_STORAGE_BIT | kTransfers);
  Buffer staging = *Buffer::create(test_device().impl(), 4 * packed_bytes(source, 0, 2),
                                   VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  /// 997 unused floats, then an exposure every 3 floats.
  Buffer exposures = *Buffer::create(test_device().impl(), 4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true);

  [[nodiscard]] DeviceImage create(VkImageUsageFlags usage) const {
    return *DeviceImage::create(test_device().impl(),
                                {.format = options.source, .size = {80, 48}, .levels = 2, .slices = 4, .usage = usage});
  }
};

TEST_F(VulkanToneMap, ExposureComesFromABufferForLevelsAndSlices) {
  Scene scene;
  auto map = vulkan::ToneMap::create(test_device(), scene.options);
  ASSERT_TRUE(map);
  auto* texels = static_cast<float*>(scene.staging.mapped);
  const size_t level_floats = size_t{80} * 48 * 4 * 4;  // of level 0, four slices
  for (size_t i = 0; i < level_floats; ++i) texels[i] = 100;
  for (size_t i = 0; i < level_floats / 4; ++i) texels[level_floats + i] = static_cast<float>(i % 16) + 1;
  auto* exposures = static_cast<float*>(scene.exposures.mapped);
  std::fill_n(exposures, 1024, 9.0F);
  exposures[997] = 2;
  exposures[1000] = kNan;
  auto binding = map->bind({.source = scene.source.image,
                            .source_level = 1,
                            .source_slice = 1,
                            .source_layout = VK_IMAGE_LAYOUT_GENERAL,
                            .target = scene.target.image,
                            .target_level = 1,
                            .target_slice = 1,
                            .exposure = scene.exposures.buffer,
                            .exposure_offset = 3988,
                            .exposure_stride = 12});
  ASSERT_TRUE(binding);
  constexpr auto kGeneral = VK_IMAGE_LAYOUT_GENERAL;
  auto ran = test_device().run([&](VkCommandBuffer commands) {
    scene.source.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses,
                            VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, vulkan::kTransferWrites);
    copy_levels(scene.source, scene.staging, 0, 0, 2, true, commands);
    scene.source.transition(commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, vulkan::kTransferWrites, kGeneral,
                            vulkan::kShaderReads);
    scene.target.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses,
                            VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, vulkan::kTransferWrites);
    copy_levels(scene.target, scene.staging, 0, 0, 2, true, commands);
    scene.target.transition(commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, vulkan::kTransferWrites, kGeneral,
                            vulkan::kShaderWrites);
    map->record(commands, *binding, 4.0F);
    scene.target.transition(commands, kGeneral, vulkan::kShaderWrites, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                            vulkan::kTransferReads);
    copy_levels(scene.target, scene.staging, 0, 0, 2, false, commands);
  });
  ASSERT_TRUE(ran);
  for (size_t i = 0; i < level_floats; i += 97) ASSERT_EQ(texels[i], 100) << "level 0 was written";
  for (size_t i = 0; i < level_floats / 4; ++i) {
    const size_t slice = i / (size_t{40} * 24 * 4);
    const float before = static_cast<float>(i % 16) + 1;
    // Exposures: the buffer has 2 for slice 1 and NaN, which counts as 1, for slice 2; the options 1/2, the call 4.
    const float light = before * (slice == 1 ? 2.0F : 1.0F) * 0.5F * 4.0F;
    const bool mapped = (slice == 1 || slice == 2) && i % 4 != 3;
    const float expected = mapped ? light / (1 + light) : before;
    ASSERT_NEAR(texels[level_floats + i], expected, kPromised) << i;
  }
}

TEST_F(VulkanToneMap, SaysWhatIsWrong) {
  const ToneMapOptions good{.size = {64, 64}, .source = Format::kRGBA16Sfloat, .target = Format::kRGBA8Unorm};
  const auto message = [&](const ToneMapTuning& tuning) {
    auto map = vulkan::ToneMap::create(test_device(), good, tuning);
    return map ? std::string("fine") : map.error().message;
  };
  EXPECT_EQ(message({}), "fine");
  EXPECT_EQ(message({.pixels = 3}), "tuning.pixels: 3 is not one of 1, 2, 4 and 8");
  EXPECT_EQ(message({.pixels = 16}), "tuning.pixels: 16 is not one of 1, 2, 4 and 8");
  EXPECT_NE(message({.workgroup_size = 96}).find("tuning.workgroup_size: 96"), std::string::npos);
  ToneMapOptions bad = good;
  bad.slices = 0;
  EXPECT_EQ(vulkan::ToneMap::create(test_device(), bad).error().message, "slices: 0, at least one is needed");
  bad = good;
  bad.size = {65535, 1};
  if (test_device().info().max_image_size < 65535) {
    EXPECT_EQ(vulkan::ToneMap::create(test_device(), bad).error().code, ErrorCode::kUnsupported);
  }
  auto map = vulkan::ToneMap::create(test_device(), good);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->bind({}).error().message, "source: null image");
  const Scene scene;
  EXPECT_EQ(map->bind({.source = scene.source.image}).error().message, "target: null image");
  EXPECT_EQ(map->bind({.source = scene.source.image, .target = scene.source.image}).error().message,
            "target_level: 0 would overwrite the source, the same level of the same image");
  EXPECT_EQ(
      map->bind({.source = scene.source.image, .target = scene.target.image, .exposure_offset = 6}).error().message,
      "exposure_offset: 6 is not a multiple of 4");
  EXPECT_EQ(map->dispatch_plan().groups_x, 4U);
  EXPECT_EQ(map->dispatch_plan().groups_y, 1U);
  EXPECT_EQ(map->plan().bytes_written, uint64_t{64} * 64 * 4);
}

}  // namespace
}  // namespace onepass::testing
