// vulkan_frame_tone_map_test.cpp: meter and tone map in one dispatch, and a tone map that reads a meter's exposure on
// the device. Oracles: luminance_oracle.hpp, tone_map_oracle.hpp, and a separate meter of the same frames.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>

#include "onepass/vulkan/frame_tone_map.hpp"
#include "onepass/vulkan/tone_map.hpp"
#include "tests/luminance/luminance_oracle.hpp"
#include "tests/support/test_seed.hpp"
#include "tests/tone_map/tone_map_oracle.hpp"
#include "tests/vulkan/vulkan_testing.hpp"

namespace onepass::testing {
namespace {

using vulkan::Buffer;
using vulkan::DeviceImage;

/// The error that the contract allows tone maps, for values up to 1.
constexpr double kPromised = 1e-5;

/// The relative error that the contract allows the meter's exposure; mapped values change by at most the same factor.
constexpr double kMetered = 1e-6;

/// The tolerance of a target; UNORM targets of a GPU get an additional 0.02 quantised steps.
double tolerance_of(const ToneMapOptions& options) {
  const FormatInfo& target = format_info(options.target);
  if (target.type == ChannelType::kFloat) return kPromised + kMetered;
  return kPromised + kMetered + 0.02 / (target.bytes_per_texel == target.channels ? 255 : 65535);
}

void barrier(VkCommandBuffer commands) { vulkan::record_barrier(test_device().impl(), commands, vulkan::kFullBarrier); }

DeviceImage create_image(Format format, Extent size, uint32_t slices, VkImageUsageFlags usage) {
  return *DeviceImage::create(test_device().impl(),
                              {.format = format,
                               .size = size,
                               .slices = slices,
                               .usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
}

Buffer create_buffer(uint64_t bytes) {
  return *Buffer::create(
      test_device().impl(), bytes,
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
}

/// Source and target on the device, both in VK_IMAGE_LAYOUT_GENERAL while `record` runs.
struct Live {
  explicit Live(const ToneMapOptions& wanted)
      : options(wanted),
        source(create_image(wanted.source, wanted.size, wanted.slices, VK_IMAGE_USAGE_SAMPLED_BIT)),
        target(create_image(wanted.target, wanted.size, wanted.slices, VK_IMAGE_USAGE_STORAGE_BIT)),
        staging(create_buffer(packed_bytes(source, 0, 1) + packed_bytes(target, 0, 1))) {}

  static void to_general(const DeviceImage& image, VkImageLayout from, VkCommandBuffer commands) {
    image.transition(commands, from, vulkan::kAllAccesses, VK_IMAGE_LAYOUT_GENERAL, vulkan::kAllAccesses);
  }

  void run(const ImageView& frame, const MutableImageView& picture,
           const std::function<void(VkCommandBuffer)>& record) {
    auto* bytes = static_cast<std::byte*>(staging.mapped);
    vulkan::pack_view(frame, bytes);
    const uint64_t half = packed_bytes(source, 0, 1);
    auto ran = test_device().run([&](VkCommandBuffer commands) {
      source.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                        vulkan::kTransferWrites);
      copy_levels(source, staging, 0, 0, 1, true, commands);
      to_general(source, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, commands);
      to_general(target, VK_IMAGE_LAYOUT_UNDEFINED, commands);
      record(commands);
      target.transition(commands, VK_IMAGE_LAYOUT_GENERAL, vulkan::kShaderWrites, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                        vulkan::kTransferReads);
      copy_levels(target, staging, half, 0, 1, false, commands);
      barrier(commands);
    });
    ASSERT_TRUE(ran) << ran.error().text();
    vulkan::unpack_view(bytes + half, picture);
  }

  ToneMapOptions options;
  DeviceImage source, target;
  Buffer staging;
};

/// Compares every slice, each with its exposure, with the oracle.
::testing::AssertionResult slices_match(const ToneMapOptions& options, const ImageView& source, const ImageView& actual,
                                        const std::vector<double>& exposures) {
  ToneMapOptions one = options;
  one.slices = 1;
  for (uint32_t slice = 0; slice < options.slices; ++slice) {
    const ImageView from{source.row(0, slice), source.format, source.size, 1, source.row_stride, 0};
    const ImageView to{actual.row(0, slice), actual.format, actual.size, 1, actual.row_stride, 0};
    auto matches = tones_match(one, from, to, tolerance_of(options), exposures[slice]);
    if (!matches) return matches << "; slice " << slice;
  }
  return ::testing::AssertionSuccess();
}

/// Compares results of two meters of the same pixels: integers are equal, sums within the contract.
void expect_same(const MeterResult& actual, const MeterResult& expected) {
  EXPECT_EQ(actual.valid, expected.valid);
  EXPECT_EQ(actual.finite_count, expected.finite_count);
  EXPECT_EQ(actual.nan_count, expected.nan_count);
  EXPECT_EQ(actual.infinite_count, expected.infinite_count);
  EXPECT_EQ(actual.negative_count, expected.negative_count);
  EXPECT_EQ(actual.zero_count, expected.zero_count);
  EXPECT_EQ(actual.total_weight, expected.total_weight);
  EXPECT_EQ(actual.zero_weight, expected.zero_weight);
  EXPECT_EQ(actual.histogram_low, expected.histogram_low);
  EXPECT_EQ(actual.histogram_high, expected.histogram_high);
  const auto near = [](float a, float b, const char* what) { EXPECT_NEAR(a, b, 4e-6 * std::fabs(b)) << what; };
  near(actual.log_average, expected.log_average, "log_average");
  near(actual.mean_luminance, expected.mean_luminance, "mean_luminance");
  near(actual.min_luminance, expected.min_luminance, "min_luminance");
  near(actual.max_luminance, expected.max_luminance, "max_luminance");
  near(actual.exposure, expected.exposure, "exposure");
  EXPECT_NEAR(actual.adapted_log2, expected.adapted_log2, 4e-6);
  // A pixel at the edge of a bin may be in the neighbouring bin.
  uint64_t moved = 0;
  for (size_t i = 0; i < actual.histogram.size(); ++i) {
    const uint64_t a = actual.histogram[i], b = expected.histogram[i];
    moved += a > b ? a - b : b - a;
  }
  EXPECT_LE(moved, 4 * 255U);
}

struct Case {
  const char* name;
  FrameToneMapOptions options;
  vulkan::FrameToneMapTuning tuning;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](const char* name, Extent size, uint32_t slices, Format source, Format target) -> Case& {
    Case c{name, {}, {}};
    c.options.meter = {.size = size, .slices = slices, .source = source};
    c.options.tone = {.size = size, .slices = slices, .source = source, .target = target};
    return all.emplace_back(c);
  };
  add("half to sRGB", {301, 67}, 1, Format::kRGBA16Sfloat, Format::kRGBA8Srgb);
  Case& rect = add("a part, by centre, several slices", {333, 97}, 3, Format::kRGBA32Sfloat, Format::kRGBA32Sfloat);
  rect.options.meter.rect = {130, 17, 111, 40};
  rect.options.meter.metering = Metering::kCentreWeighted;
  rect.options.tone.tone_operator = ToneOperator::kHable;
  rect.options.tone.exposure = 0.5F;
  rect.tuning.groups = 3;
  Case& grey = add("grey and alpha, by mask", {140, 33}, 2, Format::kRG16Sfloat, Format::kRG16Unorm);
  grey.options.meter.metering = Metering::kMask;
  grey.options.meter.mask = Format::kR8Unorm;
  grey.options.meter.statistic = MeterStatistic::kPercentiles;
  grey.options.tone.tone_operator = ToneOperator::kReinhard;
  Case& spot = add("UNORM, a spot, a range", {128, 16}, 1, Format::kRGBA8Unorm, Format::kRGBA16Sfloat);
  spot.options.meter.metering = Metering::kSpot;
  spot.options.meter.radius = 0.8F;
  spot.options.meter.histogram_low = -8;
  spot.options.meter.histogram_high = 2;
  spot.options.tone.tone_operator = ToneOperator::kPbrNeutral;
  spot.tuning.copies = 1;
  spot.tuning.subgroup = vulkan::Switch::kOff;
  add("grey to sRGB", {97, 45}, 1, Format::kR8Unorm, Format::kR8Srgb);
  Case& hlg = add("as many curves as there can be", {64, 35}, 1, Format::kRGBA16Sfloat, Format::kRGBA32Sfloat);
  hlg.options.tone.tone_operator = ToneOperator::kAgxBlender;
  hlg.options.tone.look = AgxLook::kPunchy;
  hlg.options.tone.transfer = Transfer::kHlg;
  add("one texel", {1, 1}, 1, Format::kRGBA16Sfloat, Format::kRGBA8Srgb);  // uses the pipelines of the first case
  return all;
}

using VulkanFrameToneMap = VulkanTest;

TEST_F(VulkanFrameToneMap, IsMeterAndToneMapOfTheSameFrames) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const MeterOptions& meter = c.options.meter;
    if (!test_device().can_read(meter.source) || !test_device().can_write(c.options.tone.target)) continue;
    auto frames = vulkan::FrameToneMap::create(test_device(), c.options, c.tuning);
    ASSERT_TRUE(frames) << frames.error().text();
    Live live(c.options.tone);
    Buffer results = create_buffer(frames->dispatch_plan().result_bytes);
    PaddedImage mask(Format::kR8Unorm, meter.size);
    fill_random(mask.view(), random);
    const bool masked = meter.metering == Metering::kMask;
    const ImageView mask_view = masked ? ImageView(mask.view()) : ImageView{};
    DeviceImage mask_image = create_image(Format::kR8Unorm, meter.size, 1, VK_IMAGE_USAGE_SAMPLED_BIT);
    Buffer mask_bytes = create_buffer(packed_bytes(mask_image, 0, 1));
    vulkan::pack_view(mask.view(), static_cast<std::byte*>(mask_bytes.mapped));
    auto binding = frames->bind({.source = live.source.image,
                                 .source_layout = VK_IMAGE_LAYOUT_GENERAL,
                                 .mask = masked ? mask_image.image : VK_NULL_HANDLE,
                                 .mask_layout = VK_IMAGE_LAYOUT_GENERAL,
                                 .target = live.target.image,
                                 .results = results.buffer});
    ASSERT_TRUE(binding) << binding.error().text();
    ASSERT_TRUE(test_device().run([&](VkCommandBuffer commands) {
      frames->record_reset(commands, *binding);
      mask_image.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses,
                            VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, vulkan::kTransferWrites);
      copy_levels(mask_image, mask_bytes, 0, 0, 1, true, commands);
      Live::to_general(mask_image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, commands);
      barrier(commands);
    }));
    std::vector<MeterResult> before(meter.slices), expected(meter.slices), actual(meter.slices);
    for (int frame = 0; frame < 3; ++frame) {
      SCOPED_TRACE(frame);
      PaddedImage source(meter.source, meter.size, meter.slices);
      fill_scene(source.view(), random);
      PaddedImage picture(c.options.tone.target, meter.size, meter.slices);
      const MeterFrame time{.seconds = 0.25F, .cut = frame == 0};
      live.run(source.view(), picture.view(), [&](VkCommandBuffer commands) {
        frames->record(commands, *binding, time);
        barrier(commands);
      });
      std::memcpy(static_cast<void*>(actual.data()), results.mapped, actual.size() * sizeof(MeterResult));
      std::vector<double> exposures;
      for (const MeterResult& result : before) exposures.push_back(double{usable_exposure(result.exposure)});
      ASSERT_TRUE(slices_match(c.options.tone, source.view(), picture.view(), exposures)) << "seed " << seed;
      if (frame == 0) {
        for (uint32_t slice = 0; slice < meter.slices; ++slice) {
          const double decoding = format_info(meter.source).type == ChannelType::kUnorm ? 0x1p-23 : 0;
          EXPECT_TRUE(
              result_matches(meter, oracle_meter(meter, source.view(), slice, mask_view, decoding), actual[slice]))
              << "seed " << seed;
        }
      }
      expected = before;
      ASSERT_TRUE(vulkan::meter_image(test_device(), meter, {}, source.view(), expected, time, mask_view));
      for (uint32_t slice = 0; slice < meter.slices; ++slice) expect_same(actual[slice], expected[slice]);
      if (HasFailure()) FAIL() << "seed " << seed;
      before = actual;
    }
  }
}

TEST_F(VulkanFrameToneMap, SeveralFramesOfOneCommandBufferFollowEachOther) {
  // The same frame three times: the last picture has the exposure of the frame before it.
  Random random(5);
  FrameToneMapOptions options;
  options.meter = {.size = {200, 40}, .source = Format::kRGBA32Sfloat};
  options.tone = {.size = {200, 40},
                  .source = Format::kRGBA32Sfloat,
                  .target = Format::kRGBA32Sfloat,
                  .tone_operator = ToneOperator::kReinhard,
                  .transfer = Transfer::kLinear};
  auto frames = vulkan::FrameToneMap::create(test_device(), options);
  ASSERT_TRUE(frames);
  Live live(options.tone);
  auto binding = frames->bind({.source = live.source.image,
                               .source_layout = VK_IMAGE_LAYOUT_GENERAL,
                               .target = live.target.image});  // results are not read back
  ASSERT_TRUE(binding);
  PaddedImage source(Format::kRGBA32Sfloat, {200, 40}), picture(Format::kRGBA32Sfloat, {200, 40});
  fill_scene(source.view(), random);
  live.run(source.view(), picture.view(), [&](VkCommandBuffer commands) {
    frames->record_reset(commands, *binding);
    for (int frame = 0; frame < 3; ++frame) {
      barrier(commands);
      frames->record(commands, *binding, {.cut = true});  // cuts: the exposure follows the image at once
    }
  });
  const OracleMeter metered = oracle_meter(options.meter, source.view(), 0);
  EXPECT_TRUE(slices_match(options.tone, source.view(), picture.view(), {0.18 / metered.log_average}));
}

TEST_F(VulkanFrameToneMap, TwoDispatchesShareTheExposureOnTheDevice) {
  // Meter, then tone map, in one command buffer; the host never reads the results.
  Random random(6);
  for (const Format target : {Format::kRGBA32Sfloat, Format::kRGBA8Srgb}) {
    const uint32_t slices = 3;
    const MeterOptions meter_options{.size = {257, 65}, .slices = slices, .source = Format::kRGBA16Sfloat};
    ToneMapOptions options{.size = {257, 65},
                           .slices = slices,
                           .source = Format::kRGBA16Sfloat,
                           .target = target,
                           .tone_operator = ToneOperator::kReinhard};
    if (target == Format::kRGBA32Sfloat) options.transfer = Transfer::kLinear;
    auto meter = vulkan::Meter::create(test_device(), meter_options);
    auto map = vulkan::ToneMap::create(test_device(), options);
    ASSERT_TRUE(meter && map);
    Live live(options);
    auto metered = meter->bind({.source = live.source.image, .source_layout = VK_IMAGE_LAYOUT_GENERAL});
    ASSERT_TRUE(metered);
    auto mapped = map->bind({.source = live.source.image,
                             .source_layout = VK_IMAGE_LAYOUT_GENERAL,
                             .target = live.target.image,
                             .exposure = metered->results(),
                             .exposure_offset = metered->results_offset() + offsetof(MeterResult, exposure),
                             .exposure_stride = sizeof(MeterResult)});
    ASSERT_TRUE(mapped) << mapped.error().text();
    PaddedImage source(meter_options.source, meter_options.size, slices);
    fill_scene(source.view(), random);
    // The slices differ in brightness by factors that are exact in halves.
    for (uint32_t slice = 1; slice < slices; ++slice) {
      for (uint32_t y = 0; y < 65; ++y) {
        std::vector<float> row(size_t{4} * 257);
        decode_row(meter_options.source, source.view().row(y, slice), 257, row.data());
        for (float& v : row) v *= slice == 1 ? 0.25F : 4.0F;
        encode_row(meter_options.source, row.data(), 257, source.view().row(y, slice));
      }
    }
    PaddedImage picture(target, options.size, slices);
    live.run(source.view(), picture.view(), [&](VkCommandBuffer commands) {
      meter->record_reset(commands, *metered);
      barrier(commands);
      meter->record(commands, *metered);
      barrier(commands);
      map->record(commands, *mapped);
    });
    std::vector<double> exposures;
    for (uint32_t slice = 0; slice < slices; ++slice) {
      exposures.push_back(0.18 / oracle_meter(meter_options, source.view(), slice).log_average);
    }
    EXPECT_GT(exposures[1], 2 * exposures[0]);
    EXPECT_LT(exposures[2], exposures[0] / 2);
    EXPECT_TRUE(slices_match(options, source.view(), picture.view(), exposures));
  }
}

TEST_F(VulkanFrameToneMap, SaysWhatIsWrong) {
  FrameToneMapOptions options;
  options.meter = {.size = {64, 64}, .source = Format::kRGBA16Sfloat};
  options.tone = {.size = {64, 64}, .source = Format::kRGBA16Sfloat, .target = Format::kRGBA8Unorm};
  const auto message = [](const FrameToneMapOptions& o, const vulkan::FrameToneMapTuning& tuning = {}) {
    auto frames = vulkan::FrameToneMap::create(test_device(), o, tuning);
    return frames ? std::string("fine") : frames.error().message;
  };
  auto bad = options;
  bad.tone.size = {32, 64};
  EXPECT_EQ(message(bad), "size: the meter's is 64x64, the tone map's 32x64");
  EXPECT_NE(message(options, {.copies = 3}).find("tuning.copies: 3"), std::string::npos);
  EXPECT_NE(message(options, {.groups = 99}).find("tuning.groups: 99"), std::string::npos);
  EXPECT_NE(message(options, {.subgroup = static_cast<vulkan::Switch>(3)}).find("tuning.subgroup"), std::string::npos);
  auto frames = vulkan::FrameToneMap::create(test_device(), options);
  ASSERT_TRUE(frames);
  EXPECT_EQ(frames->dispatch_plan().groups_x, 4U);
  EXPECT_EQ(frames->plan().bytes_read, uint64_t{64} * 64 * 8);
  const Live live(options.tone);
  EXPECT_EQ(frames->bind({}).error().message, "source: null image");
  EXPECT_EQ(frames->bind({.source = live.source.image}).error().message, "target: null image");
  EXPECT_EQ(frames->bind({.source = live.source.image, .target = live.source.image}).error().message,
            "target_level: 0 would overwrite the source, the same level of the same image");
  EXPECT_EQ(frames->bind({.source = live.source.image, .mask = live.source.image, .target = live.target.image})
                .error()
                .message,
            "mask: given, but metering is not by mask");
  EXPECT_EQ(
      frames->bind({.source = live.source.image, .target = live.target.image, .scratch_offset = 4}).error().message,
      "scratch_offset: 4 is not a multiple of 256");
}

}  // namespace
}  // namespace onepass::testing
