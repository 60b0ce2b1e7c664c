// vulkan_luminance_test.cpp: the Vulkan engine of meters against the oracle and the CPU engine: sizes, formats,
// meterings, ranges, array layers, both paths, reproducible bits, NaN and Inf, adaptation on the device, errors.
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

#include "luminance/params.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "tests/luminance/luminance_oracle.hpp"
#include "tests/support/test_seed.hpp"
#include "tests/vulkan/vulkan_testing.hpp"

namespace onepass::testing {
namespace {

using vulkan::MeterTuning;
using vulkan::Switch;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The error allowed for the device's decoding: one bit for UNORM, half a quantised step for sRGB.
double decode_error(Format format) {
  const FormatInfo& info = format_info(format);
  return info.type == ChannelType::kSrgb ? 0x1p-9 : info.type == ChannelType::kUnorm ? 0x1p-23 : 0;
}

std::vector<MeterResult> measure(const MeterOptions& options, const MeterTuning& tuning, const ImageView& source,
                                 const ImageView& mask = {}) {
  std::vector<MeterResult> results(options.slices);
  auto report = vulkan::meter_image(test_device(), options, tuning, source, results, {}, mask);
  EXPECT_TRUE(report.ok()) << describe(options) << ": " << (report ? "" : report.error().text());
  return results;
}

::testing::AssertionResult all_match(const MeterOptions& options, const MeterTuning& tuning, const ImageView& source,
                                     const ImageView& mask = {}) {
  const auto results = measure(options, tuning, source, mask);
  for (uint32_t slice = 0; slice < options.slices; ++slice) {
    const OracleMeter expected = oracle_meter(options, source, slice, mask, decode_error(options.source));
    auto checked = result_matches(options, expected, results[slice]);
    if (!checked) {
      return checked << "; slice " << slice << " of " << describe(options)
                     << (tuning.divergent_barriers == Switch::kOff ? " two passes" : "") << " groups " << tuning.groups;
    }
  }
  return ::testing::AssertionSuccess();
}

using VulkanLuminance = VulkanTest;

TEST_F(VulkanLuminance, EveryFormatIsRight) {
  Random random(1);
  int tried = 0;
  for (const FormatInfo& info : all_formats()) {
    MeterOptions options{.size = {131, 37}, .slices = 2, .source = info.format};
    if (!test_device().can_read(info.format)) {
      EXPECT_EQ(vulkan::Meter::create(test_device(), options).error().code, ErrorCode::kUnsupported);
      continue;
    }
    ++tried;
    options.weights = static_cast<LuminanceWeights>(random.below(3));
    PaddedImage source(info.format, options.size, options.slices, 12, 20);
    fill_scene(source.view(), random);
    EXPECT_TRUE(all_match(options, {}, source.view()));
    if (info.type == ChannelType::kFloat && !info.depth) spoil(source.view(), random, 300);
    EXPECT_TRUE(all_match(options, {}, source.view()));
  }
  EXPECT_GE(tried, 13);
}

TEST_F(VulkanLuminance, EveryAwkwardSizeIsRightInEveryShape) {
  Random random(2);
  for (const Extent size : {Extent{1, 1},
                            {1, 2},
                            {127, 15},
                            {128, 16},
                            {129, 17},
                            {17, 17},
                            {1366, 768},
                            {4097, 3},
                            {3, 4097},
                            {700, 300}}) {
    const Format format = Format::kRGBA16Sfloat;
    PaddedImage source(format, size);
    fill_scene(source.view(), random);
    for (const MeterTuning& tuning : {MeterTuning{}, MeterTuning{.groups = 1}, MeterTuning{.copies = 1},
                                      MeterTuning{.divergent_barriers = Switch::kOff},
                                      MeterTuning{.groups = 1, .copies = 1, .divergent_barriers = Switch::kOff},
                                      MeterTuning{.subgroup = Switch::kOff}}) {
      EXPECT_TRUE(all_match({.size = size, .source = format}, tuning, source.view()));
    }
  }
  const uint32_t longest = test_device().info().max_image_size;
  for (const Extent size : {Extent{longest, 1}, {1, longest}}) {
    PaddedImage source(Format::kR8Unorm, size);
    fill_random(source.view(), random);
    EXPECT_TRUE(all_match({.size = size, .source = Format::kR8Unorm}, {}, source.view()));
  }
}

TEST_F(VulkanLuminance, EveryMeteringOfAnyRectangleIsRight) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (int i = 0; i < (full_run() ? 400 : 32); ++i) {
    // Few pipelines, because each takes seconds to compile on a CPU.
    const auto metering = static_cast<Metering>(i % 4);
    const bool grey = metering == Metering::kMask;
    MeterOptions options{.size = {1 + random.below(400), 1 + random.below(60)},
                         .slices = 1 + random.below(4),
                         .source = grey ? Format::kRG16Sfloat : Format::kRGBA32Sfloat};
    options.rect = {random.below(options.size.width), random.below(options.size.height), 0, 0};
    options.rect.width = 1 + random.below(options.size.width - options.rect.x);
    options.rect.height = 1 + random.below(options.size.height - options.rect.y);
    options.metering = metering;
    options.centre_x = random.between(0, 1);
    options.radius = random.below(2) == 0 ? 0 : random.between(0.05F, 2);
    if (metering == Metering::kAverage || metering == Metering::kMask) {
      options.histogram_low = random.between(-14, 0);
      options.histogram_high = options.histogram_low + random.between(0.5F, 20);
    }
    PaddedImage source(options.source, options.size, options.slices, 16, 32);
    fill_scene(source.view(), random);
    spoil(source.view(), random, 10);
    PaddedImage mask(Format::kRGBA8Unorm, options.size, 1, 8, 0);
    fill_random(mask.view(), random);
    const bool masked = options.metering == Metering::kMask;
    if (masked) options.mask = Format::kRGBA8Unorm;
    ASSERT_TRUE(all_match(options, {.divergent_barriers = metering == Metering::kSpot ? Switch::kOff : Switch::kAuto},
                          source.view(), masked ? ImageView(mask.view()) : ImageView{}))
        << "seed " << seed;
  }
}

TEST_F(VulkanLuminance, LightOfAnyScaleIsRight) {
  // From 2^-31 to 2^31 the kernel sums eight texels at a time. Light around these limits and beyond the histogram
  // reaches all branches.
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (const auto& [low, high] :
       {std::pair{-31.9F, -28.0F}, {28.0F, 31.9F}, {-31.9F, 31.9F}, {-60.0F, 60.0F}, {90.0F, 127.0F}}) {
    for (const float delta : {0.0F, 1e-4F, 1.0F}) {
      const MeterOptions options{.size = {400, 37}, .source = Format::kRGBA32Sfloat, .delta = delta};
      PaddedImage source(options.source, options.size);
      std::vector<float> rgba(size_t{4} * options.size.width);
      for (uint32_t y = 0; y < options.size.height; ++y) {
        for (float& value : rgba) value = std::exp2(random.between(low, high));
        encode_row(options.source, rgba.data(), options.size.width, source.view().row(y, 0));
      }
      SCOPED_TRACE("2^" + std::to_string(low) + " to 2^" + std::to_string(high) + " delta " + std::to_string(delta));
      if (std::max(-low, high) < 32) {
        EXPECT_TRUE(all_match(options, {}, source.view()));
        continue;
      }
      // The outermost bins count all values beyond them, so percentiles are vague. The oracle is the CPU engine.
      const MeterResult gpu = measure(options, {}, source.view())[0];
      MeterResult cpu;
      ASSERT_TRUE(cpu::Meter::create(options)->measure(source.view(), {&cpu, 1}));
      EXPECT_EQ(gpu.finite_count, cpu.finite_count);
      EXPECT_EQ(gpu.total_weight, cpu.total_weight);
      EXPECT_EQ(gpu.histogram.front(), cpu.histogram.front());
      EXPECT_EQ(gpu.histogram.back(), cpu.histogram.back());
      EXPECT_NEAR(gpu.log_average / cpu.log_average, 1, 2e-6);
      EXPECT_NEAR(gpu.mean_luminance / cpu.mean_luminance, 1, 2e-6);
      EXPECT_NEAR(gpu.min_luminance / cpu.min_luminance, 1, 3e-7);
      EXPECT_NEAR(gpu.max_luminance / cpu.max_luminance, 1, 3e-7);
    }
  }
}

TEST_F(VulkanLuminance, AgreesWithTheCpu) {
  Random random(4);
  for (const MeterStatistic statistic :
       {MeterStatistic::kLogAverage, MeterStatistic::kMean, MeterStatistic::kPercentiles}) {
    const MeterOptions options{.size = {517, 211},
                               .source = Format::kRGBA32Sfloat,
                               .statistic = statistic,
                               .rule = ExposureRule::kSaturation,
                               .compensation = 0.5F};
    PaddedImage source(options.source, options.size);
    fill_scene(source.view(), random);
    spoil(source.view(), random, 2000);
    const MeterResult gpu = measure(options, {}, source.view())[0];
    MeterResult cpu;
    ASSERT_TRUE(cpu::Meter::create(options)->measure(source.view(), {&cpu, 1}));
    EXPECT_EQ(gpu.finite_count, cpu.finite_count);
    EXPECT_EQ(gpu.histogram_low, cpu.histogram_low);
    EXPECT_EQ(gpu.histogram_high, cpu.histogram_high);
    EXPECT_NEAR(gpu.metered_luminance / cpu.metered_luminance, 1, 1e-5);
    EXPECT_NEAR(gpu.exposure / cpu.exposure, 1, 1e-5);
    EXPECT_NEAR(gpu.ev100, cpu.ev100, 1e-5);
    for (size_t i = 0; i < 8; ++i) EXPECT_NEAR(gpu.percentiles[i] / cpu.percentiles[i], 1, 1e-4) << i;
  }
}

// Dark pixels count alike, constants are exact, and no pixel that rises lowers the result.
TEST_F(VulkanLuminance, PercentileMeansAreMonotone) {
  for (const float low : {0.0F, -8.0F}) {
    const MeterOptions options{.size = {8, 1},
                               .source = Format::kR32Sfloat,
                               .histogram_low = low,
                               .histogram_high = low == 0 ? 0.0F : 4.0F,
                               .statistic = MeterStatistic::kPercentiles};
    const auto metered = [&](const std::vector<float>& row) {
      return measure(options, {}, {row.data(), Format::kR32Sfloat, {8, 1}, 1, 32, 0})[0].adapted_luminance;
    };
    EXPECT_NEAR(metered(std::vector<float>(8, 1.0F)), 1, 1e-6);
    EXPECT_NEAR(metered(std::vector<float>(8, 0.18F)), 0.18, 1e-6);
    const float zeros = metered({0, 0, 0, 0, 1, 1, 1, 1});
    EXPECT_NEAR(metered({6e-8F, 1e-12F, 6e-8F, 1e-12F, 1, 1, 1, 1}) / zeros, 1, 2e-6);
    Random random(79);
    std::vector<float> row(8, 0.0F);
    float before = zeros;
    row = {0, 0, 0, 0, 1, 1, 1, 1};
    for (int step = 0; step < 40; ++step) {
      float& pixel = row[random.below(8)];
      pixel = pixel == 0 ? std::exp2(random.between(-40.0F, 0.0F)) : pixel * std::exp2(random.between(0.0F, 3.0F));
      const float after = metered(row);
      ASSERT_GE(after, before * (1 - 3e-6F)) << step;
      before = after;
    }
  }
}

TEST_F(VulkanLuminance, EdgesOfBinsAreInTheBinAbove) {
  constexpr uint32_t kBits[] = {ONEPASS_LUMINANCE_BIN_ENDS};
  constexpr uint32_t kStops = 7;  // with the last edge 8: automatic bins of 1/32 stop
  std::vector<float> texels;
  for (uint32_t stop = 0; stop < kStops; ++stop) {
    for (const uint32_t bits : kBits) {
      const float edge = std::ldexp(std::bit_cast<float>(bits), static_cast<int>(stop) - 4);
      for (const float value : {edge, std::nextafter(edge, 0.0F)}) texels.push_back(value);
    }
  }
  const Extent size{static_cast<uint32_t>(2 * std::size(kBits)), kStops};
  const ImageView view{texels.data(), Format::kR32Sfloat, size, 1, size_t{4} * size.width, 0};
  const MeterOptions options{.size = size, .source = Format::kR32Sfloat};
  const MeterResult gpu = measure(options, {}, view)[0];
  MeterResult cpu;
  ASSERT_TRUE(cpu::Meter::create(options)->measure(view, {&cpu, 1}));
  EXPECT_EQ(cpu.histogram_high - cpu.histogram_low, 8);
  EXPECT_EQ(gpu.histogram_low, cpu.histogram_low);
  EXPECT_EQ(gpu.histogram, cpu.histogram);
}

TEST_F(VulkanLuminance, HugeAndConstantImagesAreExact) {
  // In a full run more than 2^24 pixels, where float counters would stop.
  const Extent size{4096, full_run() ? 4100U : 1100U};
  const float value = 0.18F;
  const std::vector<float> texels(size_t{size.width} * size.height, value);
  const ImageView view{texels.data(), Format::kR32Sfloat, size, 1, size_t{4} * size.width, 0};
  for (const MeterTuning& tuning :
       {MeterTuning{}, MeterTuning{.groups = 3}, MeterTuning{.divergent_barriers = Switch::kOff},
        MeterTuning{.subgroup = Switch::kOff}}) {
    const MeterResult result = measure({.size = size, .source = Format::kR32Sfloat, .delta = 0}, tuning, view)[0];
    EXPECT_EQ(result.finite_count, texels.size());
    EXPECT_NEAR(result.mean_luminance / value, 1, 1e-6);
    EXPECT_NEAR(result.log_average / value, 1, 1e-6);
    EXPECT_EQ(*std::max_element(result.histogram.begin(), result.histogram.end()), texels.size());
  }
  constexpr float kLargest = std::numeric_limits<float>::max();
  const std::vector<float> bright(10000, kLargest);
  const MeterResult result = measure({.size = {100, 100}, .source = Format::kR32Sfloat}, {},
                                     {bright.data(), Format::kR32Sfloat, {100, 100}, 1, 400, 0})[0];
  EXPECT_EQ(result.max_luminance, kLargest);
  EXPECT_NEAR(result.mean_luminance / kLargest, 1, 1e-6);
}

TEST_F(VulkanLuminance, SumsKeepWhatIsSmallBesideTheLarge) {
  // Channels of very different magnitudes, of both signs, and rare very bright pixels: each sum keeps its precision.
  const Extent size{517, 93};
  std::vector<float> texels;
  Random random(15);
  for (uint32_t i = 0; i < size.width * size.height; ++i) {
    const float scale = i % 1000 == 0 ? 3e7F : i % 7 == 0 ? 1e-6F : 1.0F;
    texels.insert(texels.end(), {scale * random.between(0, 1e6F), random.between(-2, 1), 1e-12F * (scale + 1), 1});
  }
  double sums[3] = {};
  for (size_t i = 0; i < texels.size(); i += 4) {
    for (size_t c = 0; c < 3; ++c) sums[c] += static_cast<double>(texels[i + c]);
  }
  const double pixels = size.width * size.height;
  const ImageView view{texels.data(), Format::kRGBA32Sfloat, size, 1, size_t{16} * size.width, 0};
  for (const MeterTuning& tuning : {MeterTuning{}, MeterTuning{.subgroup = Switch::kOff}}) {
    const MeterResult result = measure({.size = size, .source = Format::kRGBA32Sfloat}, tuning, view)[0];
    EXPECT_NEAR(static_cast<double>(result.mean_colour[0]) * pixels / sums[0], 1, 1e-6);
    EXPECT_NEAR(static_cast<double>(result.mean_colour[1]) * pixels / sums[1], 1, 1e-6);
    EXPECT_NEAR(static_cast<double>(result.mean_colour[2]) * pixels / sums[2], 1, 1e-6);
  }
}

TEST_F(VulkanLuminance, TheLastPercentileIsTheGreatest) {
  // A total weight beyond 24 bits, which floats do not add exactly; one pixel is black.
  const Extent size{4099, 4097};
  std::vector<uint8_t> codes(size_t{size.width} * size.height, 128);
  codes[17] = 0;
  codes[20] = 255;
  const ImageView view{codes.data(), Format::kR8Unorm, size, 1, size.width, 0};
  MeterOptions options{.size = size, .source = Format::kR8Unorm};
  options.percentiles[7] = 1;
  const MeterResult counted = measure(options, {}, view)[0];
  EXPECT_EQ(counted.percentiles[7], 1.0F);
  const Extent small{257, 257};
  const ImageView part{codes.data(), Format::kR8Unorm, small, 1, small.width, 0};
  std::vector<uint8_t> all(size_t{small.width} * small.height, 255);
  options.size = small;
  options.metering = Metering::kMask;
  options.mask = Format::kR8Unorm;
  const MeterResult weighted =
      measure(options, {}, part, ImageView{all.data(), Format::kR8Unorm, small, 1, small.width, 0})[0];
  EXPECT_EQ(weighted.percentiles[7], 1.0F);
}

TEST_F(VulkanLuminance, LargestFloatsOfAnyWeightHaveAMean) {
  const Extent size{2048, full_run() ? 8192U : 1024U};
  constexpr float kLarge = 3e38F;
  const std::vector<float> bright(size_t{size.width} * size.height, kLarge);
  const std::vector<uint8_t> mask(bright.size(), 255);
  const MeterOptions options{
      .size = size, .source = Format::kR32Sfloat, .metering = Metering::kMask, .mask = Format::kR8Unorm};
  const MeterResult result =
      measure(options, {}, {bright.data(), Format::kR32Sfloat, size, 1, size_t{4} * size.width, 0},
              {mask.data(), Format::kR8Unorm, size, 1, size.width, 0})[0];
  EXPECT_NEAR(result.mean_luminance / kLarge, 1, 1e-6);
}

TEST_F(VulkanLuminance, WeightsOf64BitsDoNotOverflow) {
  const Extent size{8192, full_run() ? 4320U : 2060U};
  const std::vector<uint8_t> bytes(size_t{size.width} * size.height, 255);
  const ImageView view{bytes.data(), Format::kR8Unorm, size, 1, size.width, 0};
  const MeterOptions options{
      .size = size, .source = Format::kR8Unorm, .delta = 0, .metering = Metering::kMask, .mask = Format::kR8Unorm};
  const MeterResult result = measure(options, {}, view, view)[0];
  const uint64_t weight = uint64_t{255} * bytes.size();
  ASSERT_GT(weight, uint64_t{1} << 32);
  EXPECT_EQ(result.total_weight, weight);
  EXPECT_EQ(result.histogram[0], weight);
  EXPECT_EQ(result.log_average, 1.0F);
  EXPECT_NEAR(result.mean_luminance, 1, 1e-6);
}

/// A meter on one image whose results and scratch memory persist.
struct LiveMeter {
  explicit LiveMeter(const MeterOptions& wanted, const MeterTuning& tuning = {}) : options(wanted) {
    const vulkan::Device::Impl& device = test_device().impl();
    meter = std::make_unique<vulkan::Meter>(*vulkan::Meter::create(test_device(), options, tuning));
    image =
        *vulkan::DeviceImage::create(device, {.format = options.source,
                                              .size = options.size,
                                              .slices = options.slices,
                                              .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    staging = *vulkan::Buffer::create(device, packed_bytes(image, 0, 1), VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true);
    fetched = *vulkan::Buffer::create(device, meter->dispatch_plan().result_bytes,
                                      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
    binding = std::make_unique<vulkan::MeterBinding>(
        *meter->bind({.source = image.image, .source_layout = VK_IMAGE_LAYOUT_GENERAL, .results = fetched.buffer}));
    EXPECT_TRUE(test_device().run([&](VkCommandBuffer commands) { meter->record_reset(commands, *binding); }));
  }

  static void barrier(VkCommandBuffer commands) {
    vulkan::record_barrier(test_device().impl(), commands, vulkan::kFullBarrier);
  }

  /// Meters an image, `times` times in one command buffer.
  const MeterResult* measure(const ImageView& view, const vulkan::Meter& with, const MeterFrame& frame, int times = 1) {
    vulkan::pack_view(view, static_cast<std::byte*>(staging.mapped));
    auto ran = test_device().run([&](VkCommandBuffer commands) {
      image.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                       vulkan::kTransferWrites);
      copy_levels(image, staging, 0, 0, 1, true, commands);
      image.transition(commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, vulkan::kTransferWrites, VK_IMAGE_LAYOUT_GENERAL,
                       vulkan::kShaderReads);
      for (int i = 0; i < times; ++i) {
        barrier(commands);
        with.record(commands, *binding, frame);
      }
      barrier(commands);
    });
    EXPECT_TRUE(ran.ok());
    return static_cast<const MeterResult*>(fetched.mapped);
  }

  MeterOptions options;
  std::unique_ptr<vulkan::Meter> meter;
  vulkan::DeviceImage image;
  vulkan::Buffer staging, fetched;
  std::unique_ptr<vulkan::MeterBinding> binding;
};

TEST_F(VulkanLuminance, GivesTheSameBitsEveryTime) {
  Random random(5);
  for (const MeterTuning& tuning :
       {MeterTuning{}, MeterTuning{.divergent_barriers = Switch::kOff}, MeterTuning{.subgroup = Switch::kOff}}) {
    LiveMeter live({.size = {1000, 260}, .slices = 3, .source = Format::kRGBA16Sfloat}, tuning);
    PaddedImage source(live.options.source, live.options.size, 3);
    fill_scene(source.view(), random);
    spoil(source.view(), random, 3000);
    std::array<MeterResult, 3> first;
    std::memcpy(static_cast<void*>(first.data()), live.measure(source.view(), *live.meter, {.cut = true}),
                sizeof(first));
    for (int i = 0; i < (full_run() ? 1000 : 10); ++i) {
      std::memset(live.fetched.mapped, 0xA5, sizeof(first));  // a dispatch that does nothing leaves the poison
      const MeterResult* again = live.measure(source.view(), *live.meter, {.cut = true}, i % 3 + 1);
      ASSERT_EQ(std::memcmp(first.data(), again, sizeof(first)), 0) << "run " << i;
    }
    for (uint32_t slice = 0; slice < 3; ++slice) {
      EXPECT_TRUE(result_matches(live.options, oracle_meter(live.options, source.view(), slice), first[slice]));
    }
  }
}

TEST_F(VulkanLuminance, SlicesOfFloatsMatchWithAndWithoutSubgroups) {
  Random random(6);
  const MeterOptions options{.size = {900, 200}, .slices = 2, .source = Format::kRGBA32Sfloat};
  PaddedImage source(options.source, options.size, 2);
  fill_scene(source.view(), random);
  EXPECT_TRUE(all_match(options, {}, source.view()));
  EXPECT_TRUE(all_match(options, {.subgroup = Switch::kOff}, source.view()));
}

TEST_F(VulkanLuminance, AdaptsOnTheDevice) {
  const auto grey = [](float value) { return std::vector<float>(12, value); };
  const auto view_of = [](const std::vector<float>& texels) {
    return ImageView{texels.data(), Format::kR32Sfloat, {2, 3}, 2, 8, 24};
  };
  for (const float ease : {0.0F, 1.5F}) {
    const MeterOptions options{
        .size = {2, 3},
        .slices = 2,
        .source = Format::kR32Sfloat,
        .delta = 0,
        .adaptation = {.up_stops_per_second = 3, .down_stops_per_second = 1, .ease_stops = ease}};
    LiveMeter live(options);
    for (const float target : {0x1p-6F, 1.25F, 0x1p5F}) {
      for (const float seconds : {0.0F, 0.3F, 3.0F}) {
        ASSERT_EQ(live.measure(view_of(grey(1.0F)), *live.meter, {.cut = true})->adapted_log2, 0.0F);
        const MeterFrame whole{.seconds = seconds, .cut = false};
        const float once = live.measure(view_of(grey(target)), *live.meter, whole)[1].adapted_log2;
        const double expected = oracle_adapted(options.adaptation, 0, std::log2(double{target}), double{seconds});
        EXPECT_NEAR(once, expected, 1e-4) << "ease " << ease << " to " << target << " in " << seconds;
        live.measure(view_of(grey(1.0F)), *live.meter, {.cut = true});
        const MeterResult twice =
            live.measure(view_of(grey(target)), *live.meter, {.seconds = seconds / 2, .cut = false}, 2)[1];
        EXPECT_NEAR(twice.adapted_log2, once, 2e-6);
        EXPECT_NEAR(twice.exposure, 0.18 * std::exp2(-double{twice.adapted_log2}), 2e-6 * double{twice.exposure});
        EXPECT_NEAR(twice.ev100, double{twice.adapted_log2} + 3, 2e-6);
        EXPECT_NEAR(twice.adapted_luminance / std::exp2(twice.adapted_log2), 1, 1e-6);
      }
    }
    // A slice without finite pixels keeps its exposure, and its NaN does not affect later images. The other slice
    // continues to adapt.
    live.measure(view_of(grey(1.0F)), *live.meter, {.cut = true});
    std::vector<float> half = grey(1.0F);
    std::fill_n(half.begin(), 6, kNan);
    half[3] = kInfinity;
    const MeterFrame next{.seconds = 0.1F, .cut = false};
    const MeterResult* results = live.measure(view_of(half), *live.meter, next);
    EXPECT_EQ(results[0].valid, 0U);
    EXPECT_EQ(results[0].nan_count, 5U);
    EXPECT_EQ(results[0].infinite_count, 1U);
    EXPECT_EQ(results[0].exposure, results[1].exposure);
    EXPECT_EQ(results[0].log_average, 0.0F);
    EXPECT_EQ(results[1].valid, 1U);
    results = live.measure(view_of(grey(1.0F)), *live.meter, next);
    EXPECT_EQ(results[0].valid, 1U);
    EXPECT_NEAR(results[0].adapted_log2, 0, 1e-6);
    live.measure(view_of(half), *live.meter, {.cut = true});  // a cut discards the history
    results = live.measure(view_of(grey(16.0F)), *live.meter, next);
    EXPECT_NEAR(results[0].adapted_log2, 4, 1e-5);
    EXPECT_LT(results[1].adapted_log2, 1);
  }
  // Frames without light before the first one with light are no history.
  LiveMeter fading({.size = {2, 3}, .slices = 2, .source = Format::kR32Sfloat});
  const MeterFrame soon{.seconds = 0.04F, .cut = false};
  for (const float dark : {0.0F, -1.0F, 5e-5F}) {
    const MeterResult result = fading.measure(view_of(grey(dark)), *fading.meter, soon)[1];
    EXPECT_EQ(result.valid, 1U);
    EXPECT_EQ(result.has_history, 0U);
    EXPECT_EQ(result.exposure, 1.0F);
    EXPECT_EQ(result.adapted_luminance, 0.0F);
  }
  const MeterResult lit = fading.measure(view_of(grey(0.5F)), *fading.meter, soon)[1];
  EXPECT_EQ(lit.has_history, 1U);
  EXPECT_NEAR(lit.adapted_luminance, 0.5F + 1e-4F, 1e-6);
  EXPECT_NEAR(fading.measure(view_of(grey(0.0F)), *fading.meter, soon)[1].adapted_log2, lit.adapted_log2 - 0.04F, 1e-5);
  LiveMeter fresh({.size = {2, 3}, .slices = 2, .source = Format::kR32Sfloat});
  const MeterResult* results = fresh.measure(view_of(grey(kNan)), *fresh.meter, {.seconds = 1, .cut = false});
  EXPECT_EQ(results[0].valid, 0U);
  EXPECT_EQ(results[0].exposure, 1.0F);
}

// A window changes its size: meters of other sizes take over the results, in scratch memory that held something else.
TEST_F(VulkanLuminance, AdaptsAcrossSizesAfterAResetOfScratch) {
  const auto buffer = [](uint64_t bytes) {
    return std::move(*vulkan::Buffer::create(
        test_device().impl(), bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true));
  };
  Random random(12);
  for (const MeterTuning& tuning : {MeterTuning{}, MeterTuning{.divergent_barriers = Switch::kOff}}) {
    const vulkan::Buffer results = buffer(sizeof(MeterResult)), scratch = buffer(1 << 20);
    std::memset(results.mapped, 0, sizeof(MeterResult));
    const auto& result = *static_cast<const MeterResult*>(results.mapped);
    double adapted = 0;
    for (const Extent size : {Extent{320, 200}, {64, 48}, {1, 1}, {500, 333}}) {
      const MeterOptions options{.size = size, .source = Format::kRGBA32Sfloat};
      LiveMeter live(options, tuning);
      ASSERT_LE(live.meter->dispatch_plan().scratch_bytes, scratch.size);
      *live.binding = *live.meter->bind({.source = live.image.image,
                                         .source_layout = VK_IMAGE_LAYOUT_GENERAL,
                                         .results = results.buffer,
                                         .scratch = scratch.buffer});
      auto* words = static_cast<uint32_t*>(scratch.mapped);
      std::generate_n(words, scratch.size / 4, [&] { return random.below(2) == 0 ? random.below(4) : random.word(); });
      ASSERT_TRUE(test_device().run([&](VkCommandBuffer commands) {
        live.meter->record_reset_scratch(commands, *live.binding);
        LiveMeter::barrier(commands);
      }));
      PaddedImage source(options.source, size);
      fill_scene(source.view(), random);
      const bool first = result.has_history == 0;
      live.measure(source.view(), *live.meter, {.seconds = 0.1F});
      const OracleMeter oracle = oracle_meter(options, source.view(), 0);
      EXPECT_TRUE(result_matches(options, oracle, result)) << size.width;
      const double target = std::log2(static_cast<double>(oracle.log_average));
      adapted = first ? target : oracle_adapted(options.adaptation, adapted, target, double{0.1F});
      EXPECT_NEAR(result.adapted_log2, adapted, 1e-4) << size.width;
    }
  }
}

TEST_F(VulkanLuminance, PlansWhatItDispatches) {
  auto meter = vulkan::Meter::create(test_device(), {.size = {3840, 2160}, .source = Format::kRGBA16Sfloat});
  ASSERT_TRUE(meter);
  EXPECT_EQ(meter->dispatch_plan().dispatches, 1U);
  EXPECT_EQ(meter->dispatch_plan().groups_x, 264U);
  EXPECT_EQ(meter->dispatch_plan().scratch_bytes, 4 * (1056 + 2 * 2048U));
  EXPECT_EQ(meter->plan().bytes_read, uint64_t{3840} * 2160 * 8);
  meter = vulkan::Meter::create(test_device(), {.size = {100, 20}, .slices = 5, .source = Format::kR8Unorm},
                                {.divergent_barriers = Switch::kOff});
  ASSERT_TRUE(meter);
  EXPECT_EQ(meter->dispatch_plan().dispatches, 2U);
  EXPECT_EQ(meter->dispatch_plan().groups_x, 2U);
  EXPECT_EQ(meter->dispatch_plan().groups_z, 5U);
}

TEST_F(VulkanLuminance, SaysWhatIsWrong) {
  const MeterOptions good{.size = {64, 64}, .source = Format::kR8Unorm};
  const auto message = [&](const MeterOptions& options, const MeterTuning& tuning) {
    auto meter = vulkan::Meter::create(test_device(), options, tuning);
    return meter ? std::string() : meter.error().message;
  };
  EXPECT_EQ(message(good, {}), "");
  EXPECT_NE(message({.size = {0, 1}, .source = Format::kR8Unorm}, {}).find("size"), std::string::npos);
  EXPECT_NE(message(good, {.groups = 5}).find("tuning.groups"), std::string::npos);
  EXPECT_NE(message(good, {.copies = 3}).find("tuning.copies"), std::string::npos);
  EXPECT_NE(message(good, {.subgroup = Switch::kOn, .divergent_barriers = Switch::kOff}).find("tuning.subgroup"),
            std::string::npos);
  EXPECT_NE(message(good, {.subgroup = static_cast<Switch>(3)}).find("tuning.subgroup"), std::string::npos);
  const uint32_t longest = test_device().info().max_image_size;
  if (longest < 65535) {
    EXPECT_NE(message({.size = {longest + 1, 1}, .source = Format::kR8Unorm}, {}).find("size"), std::string::npos);
  }
  auto meter = vulkan::Meter::create(test_device(), good);
  ASSERT_TRUE(meter);
  EXPECT_NE(meter->bind({}).error().message.find("source"), std::string::npos);
  PaddedImage image(Format::kR8Unorm, {64, 64});
  std::array<MeterResult, 2> results;
  auto report = vulkan::meter_image(test_device(), good, {}, image.view(), results);
  EXPECT_NE(report.error().message.find("results"), std::string::npos);
  report =
      vulkan::meter_image(test_device(), good, {}, image.view(), {results.data(), 1}, {.seconds = kNan, .cut = false});
  EXPECT_NE(report.error().message.find("seconds"), std::string::npos);
  const PaddedImage colours(Format::kRGB8Unorm, {64, 64});  // the CPU engine reads it
  report = vulkan::meter_image(test_device(), {.size = {64, 64}, .source = Format::kRGBA8Unorm}, {}, colours.view(),
                               {results.data(), 1});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message, "source: format is r8g8b8_unorm, not r8g8b8a8_unorm");
}

}  // namespace
}  // namespace onepass::testing
