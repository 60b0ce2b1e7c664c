// vulkan_local_exposure_test.cpp: local exposure on the Vulkan engine: sizes, formats, a meter's exposure read on the
// device, repeated recording, errors. Oracles: the definition, and the CPU engine.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "onepass/vulkan/luminance.hpp"
#include "onepass/vulkan/tone_map.hpp"
#include "tests/local_exposure/local_exposure_oracle.hpp"
#include "tests/support/test_seed.hpp"
#include "tests/vulkan/vulkan_testing.hpp"

namespace onepass::testing {
namespace {

using vulkan::Buffer;
using vulkan::DeviceImage;

// Relative errors of light: that of the CPU engine, and differences of a device's divisions and fused additions.
constexpr double kPromised = 5e-6;
constexpr double kPromisedByCpu = 4e-6;

PaddedImage map_tones(const ToneMapOptions& options, const ImageView& source, float exposure = 1) {
  PaddedImage target(options.target, options.size, options.slices, 4, 8);
  auto report = vulkan::map_tones(test_device(), options, {}, source, target.view(), exposure);
  EXPECT_TRUE(report.ok()) << describe_local(options) << (report ? "" : report.error().text());
  EXPECT_FALSE(target.gaps_touched());
  return target;
}

using VulkanLocalExposure = VulkanTest;

TEST_F(VulkanLocalExposure, IsThatOfTheDefinition) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (const Extent size :
       {Extent{1, 1}, Extent{1, 70}, Extent{70, 1}, Extent{16, 16}, Extent{17, 65}, Extent{333, 9}, Extent{130, 97}}) {
    for (int i = 0; i < (full_run() ? 20 : 2); ++i) {
      ToneMapOptions options = local_options(size, Format::kRGBA32Sfloat, random);
      options.slices = 1 + random.below(3);
      PaddedImage source(options.source, size, options.slices, 0, 16);
      fill_local_scene(source.view(), random, i % 2 == 1);
      const float exposure = std::exp2(random.between(-6, 6));
      const PaddedImage actual = map_tones(options, source.view(), exposure);
      ASSERT_TRUE(
          local_matches(options, source.view(), actual.view(), {exposure, exposure, exposure}, kPromised, random, 60))
          << "seed " << seed;
    }
  }
}

TEST_F(VulkanLocalExposure, RegionsOfAllSizesAndTheCpusPicture) {
  Random random(50);
  for (const float region : {0.004F, 0.1F, 0.3F, 0.5F}) {
    ToneMapOptions options = local_options({700, 520}, Format::kRGBA16Sfloat, random);
    options.local.region = region;
    PaddedImage source(options.source, options.size, 1);
    fill_local_scene(source.view(), random, true);
    const PaddedImage actual = map_tones(options, source.view(), 0.5F);
    ASSERT_TRUE(local_matches(options, source.view(), actual.view(), {0.5}, kPromised, random, 12)) << region;
    PaddedImage expected(options.target, options.size);
    auto map = cpu::ToneMap::create(options);
    ASSERT_TRUE(map && map->apply(source.view(), expected.view(), 0.5F));
    for (uint32_t y = 0; y < 520; ++y) {
      const auto* a = reinterpret_cast<const float*>(actual.view().row(y));
      const auto* b = reinterpret_cast<const float*>(expected.view().row(y));
      for (uint32_t i = 0; i < 2800; ++i)
        ASSERT_NEAR(a[i], b[i], (kPromised + kPromisedByCpu) * std::fabs(b[i]) + 1e-30) << i / 4 << ", " << y;
    }
  }
}

TEST_F(VulkanLocalExposure, LightOfTheBrightestAndDarkestNodes) {
  Random random(51);
  for (const float stops : {-20.0F, 19.5F}) {
    ToneMapOptions options = local_options({300, 140}, Format::kRGBA32Sfloat, random);
    options.local.region = 0.1F;
    PaddedImage source(options.source, options.size);
    for (uint32_t y = 0; y < options.size.height; ++y) {
      auto* row = reinterpret_cast<float*>(source.view().row(y));
      for (uint32_t x = 0; x < 4 * options.size.width; ++x) {
        row[x] = std::exp2(stops + random.between(-1.5F, 1.5F) + (x / 200 % 2 == 0 ? 0.0F : -1.0F));
      }
    }
    const float exposure = std::exp2(-std::trunc(stops));  // near grey, where regions are moved by their distance
    const PaddedImage actual = map_tones(options, source.view(), exposure);
    EXPECT_TRUE(local_matches(options, source.view(), actual.view(), {exposure}, kPromised, random, 200)) << stops;
  }
}

TEST_F(VulkanLocalExposure, SourceFormatsAndOperators) {
  Random random(51);
  const std::pair<Format, Format> formats[] = {{Format::kRGBA8Srgb, Format::kRGBA8Srgb},
                                               {Format::kR16Sfloat, Format::kRGBA8Unorm},
                                               {Format::kRGBA16Sfloat, Format::kRGBA16Sfloat},
                                               {Format::kRG32Sfloat, Format::kRGBA32Sfloat}};
  for (const auto& [from, to] : formats) {
    if (!test_device().can_read(from) || !test_device().can_write(to)) continue;
    ToneMapOptions options = local_options({150, 70}, from, random);
    options.target = to;
    options.tone_operator = from == Format::kR16Sfloat ? ToneOperator::kAgxBlender : ToneOperator::kHable;
    options.transfer = Transfer::kSrgb;
    PaddedImage source(from, options.size);
    fill_local_scene(source.view(), random);
    PaddedImage expected(to, options.size);
    auto map = cpu::ToneMap::create(options);
    ASSERT_TRUE(map && map->apply(source.view(), expected.view()));
    const PaddedImage actual = map_tones(options, source.view());
    // The device decodes sRGB; a quantised value may be the neighbouring one.
    const double tolerance = from == Format::kRGBA8Srgb             ? 1.5 / 255
                             : format_info(to).bytes_per_texel == 4 ? 1.01 / 255
                             : to == Format::kRGBA16Sfloat          ? 1e-3
                                                                    : 1e-5;
    std::vector<float> a(600), b(600);
    for (uint32_t y = 0; y < 70; ++y) {
      decode_row(to == Format::kRGBA8Srgb ? Format::kRGBA8Unorm : to, actual.view().row(y), 150, a.data());
      decode_row(to == Format::kRGBA8Srgb ? Format::kRGBA8Unorm : to, expected.view().row(y), 150, b.data());
      for (size_t i = 0; i < 600; ++i) {
        ASSERT_NEAR(a[i], b[i], tolerance) << format_info(from).name << " " << i / 4 << ", " << y;
      }
    }
  }
}

/// A source and a target on the device, for work recorded in one command buffer.
struct Live {
  explicit Live(const ToneMapOptions& wanted)
      : options(wanted),
        source(create(wanted.source, VK_IMAGE_USAGE_SAMPLED_BIT)),
        target(create(wanted.target, VK_IMAGE_USAGE_STORAGE_BIT)),
        staging(*Buffer::create(test_device().impl(), packed_bytes(source, 0, 1) + packed_bytes(target, 0, 1),
                                VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true)) {}

  [[nodiscard]] DeviceImage create(Format format, VkImageUsageFlags usage) const {
    usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    return *DeviceImage::create(test_device().impl(),
                                {.format = format, .size = options.size, .slices = options.slices, .usage = usage});
  }

  static void compute_barrier(VkCommandBuffer commands) {
    vulkan::record_barrier(test_device().impl(), commands, vulkan::kBetweenDispatches);
  }

  PaddedImage run(const ImageView& frame, const std::function<void(VkCommandBuffer)>& record) {
    auto* bytes = static_cast<std::byte*>(staging.mapped);
    vulkan::pack_view(frame, bytes);
    const uint64_t half = packed_bytes(source, 0, 1);
    auto ran = test_device().run([&](VkCommandBuffer commands) {
      vulkan::record_upload(source, staging, 0, commands);
      target.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses, VK_IMAGE_LAYOUT_GENERAL,
                        vulkan::kShaderWrites);
      record(commands);
      target.transition(commands, VK_IMAGE_LAYOUT_GENERAL, vulkan::kShaderWrites, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                        vulkan::kTransferReads);
      copy_levels(target, staging, half, 0, 1, false, commands);
      vulkan::record_barrier(test_device().impl(), commands,
                             {.before = vulkan::kTransferWrites, .after = vulkan::kHostReads});
    });
    EXPECT_TRUE(ran) << ran.error().text();
    PaddedImage picture(options.target, options.size, options.slices);
    vulkan::unpack_view(bytes + half, picture.view());
    return picture;
  }

  ToneMapOptions options;
  DeviceImage source, target;
  Buffer staging;
};

TEST_F(VulkanLocalExposure, TheMetersExposureStaysOnTheDevice) {
  Random random(52);
  ToneMapOptions options = local_options({257, 65}, Format::kRGBA32Sfloat, random);
  options.slices = 3;
  options.exposure = 2;
  const MeterOptions meter_options{.size = options.size, .slices = 3, .source = options.source};
  auto meter = vulkan::Meter::create(test_device(), meter_options);
  auto map = vulkan::ToneMap::create(test_device(), options);
  ASSERT_TRUE(meter && map);
  EXPECT_EQ(map->dispatch_plan().dispatches, 2U);
  Live live(options);
  auto metered = meter->bind({.source = live.source.image});
  ASSERT_TRUE(metered);
  auto mapped = map->bind({.source = live.source.image,
                           .target = live.target.image,
                           .exposure = metered->results(),
                           .exposure_offset = metered->results_offset() + offsetof(MeterResult, exposure),
                           .exposure_stride = sizeof(MeterResult)});
  ASSERT_TRUE(mapped) << mapped.error().text();
  PaddedImage source(options.source, options.size, 3);
  fill_local_scene(source.view(), random);
  const PaddedImage picture = live.run(source.view(), [&](VkCommandBuffer commands) {
    meter->record_reset(commands, *metered);
    vulkan::record_barrier(test_device().impl(), commands,
                           {.before = vulkan::kTransferWrites, .after = vulkan::kShaderReads | vulkan::kShaderWrites});
    meter->record(commands, *metered);
    Live::compute_barrier(commands);
    map->record(commands, *mapped);
  });
  std::vector<MeterResult> results(3);
  auto on_cpu = cpu::Meter::create(meter_options);
  ASSERT_TRUE(on_cpu && on_cpu->measure(source.view(), results));
  std::vector<double> exposures;
  for (const MeterResult& result : results) exposures.push_back(2 * double{result.exposure});
  EXPECT_GT(std::fabs(exposures[0] / exposures[1] - 1), 1e-3);
  EXPECT_TRUE(local_matches(options, source.view(), picture.view(), exposures, kPromised + 2e-6, random, 60));
}

TEST_F(VulkanLocalExposure, RecordedAgainAndAgainGivesTheSameBits) {
  Random random(53);
  ToneMapOptions options = local_options({300, 200}, Format::kRGBA16Sfloat, random);
  options.slices = 2;
  auto map = vulkan::ToneMap::create(test_device(), options);
  ASSERT_TRUE(map);
  Live live(options);
  auto binding = map->bind({.source = live.source.image, .target = live.target.image});
  ASSERT_TRUE(binding);
  PaddedImage source(options.source, options.size, 2);
  PaddedImage other(options.source, options.size, 2);
  fill_local_scene(source.view(), random);
  fill_local_scene(other.view(), random);
  const auto times = [&](const PaddedImage& image, const vulkan::ToneMapBinding& with, int count) {
    return live.run(image.view(), [&](VkCommandBuffer commands) {
      for (int i = 0; i < count; ++i) {
        if (i > 0) Live::compute_barrier(commands);
        map->record(commands, with);
      }
    });
  };
  const PaddedImage once = times(source, *binding, 1);
  EXPECT_EQ(once.bytes(), times(source, *binding, 1).bytes());
  EXPECT_EQ(once.bytes(), times(source, *binding, 3).bytes());
  // A new image must not get the grid of the previous one.
  auto fresh = map->bind({.source = live.source.image, .target = live.target.image});
  ASSERT_TRUE(fresh);
  const PaddedImage expected = times(other, *fresh, 1);
  EXPECT_NE(once.bytes(), expected.bytes());
  EXPECT_EQ(expected.bytes(), times(other, *binding, 1).bytes());
}

TEST_F(VulkanLocalExposure, PlanAndErrors) {
  ToneMapOptions options{.size = {3840, 2160},
                         .source = Format::kRGBA16Sfloat,
                         .target = Format::kRGBA8Unorm,
                         .local = {.highlights = 0.5F}};
  auto map = vulkan::ToneMap::create(test_device(), options);
  ASSERT_TRUE(map);
  // 30x17 regions of 128x128 texels, each with a counter and two sets of 42 nodes of two floats.
  EXPECT_EQ(map->dispatch_plan().dispatches, 2U);
  const auto part = [](uint64_t bytes) { return (bytes + 255) / 256 * 256; };
  EXPECT_EQ(map->dispatch_plan().scratch_bytes, part(uint64_t{30} * 17 * 4) + 2 * part(uint64_t{30} * 17 * 42 * 8));
  options.local = {};
  map = vulkan::ToneMap::create(test_device(), options);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->dispatch_plan().dispatches, 1U);
  EXPECT_EQ(map->dispatch_plan().scratch_bytes, 0U);
  options.local.detail = -1;
  EXPECT_EQ(vulkan::ToneMap::create(test_device(), options).error().message, "local.detail: -1 is not within 0 and 4");
}

}  // namespace
}  // namespace onepass::testing
