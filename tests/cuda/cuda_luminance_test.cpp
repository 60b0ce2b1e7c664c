// cuda_luminance_test.cpp: meters of the CUDA engine against the oracle and the CPU engine: formats, orders of
// channels, meterings, ranges, sizes, adaptation, reproducible bits; errors; calls of the driver; a tone map that takes
// the exposure from the results. Without ONEPASS_TEST_CUDA kernels run on the host.
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>

#include "luminance/cuda_impl.hpp"
#include "onepass/cuda/luminance.hpp"
#include "onepass/cuda/tone_map.hpp"
#include "tests/cuda/cuda_testing.hpp"
#include "tests/cuda/fake_driver.hpp"
#include "tests/luminance/luminance_oracle.hpp"

namespace onepass::testing {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr auto kPlanar = cuda::Channels::kPlanar;

/// The error allowed for decoding: one bit for UNORM, 2^-19 of the light for sRGB.
double decode_error(Format format) {
  const FormatInfo& info = format_info(format);
  return info.type == ChannelType::kSrgb ? 0x1p-19 : info.type == ChannelType::kUnorm ? 0x1p-23 : 0;
}

/// A meter on images whose results and scratch memory persist.
struct LiveMeter {
  LiveMeter(const MeterOptions& options, const cuda::MeterMemory& memory = {}, uint32_t groups = 0, size_t gap = 0)
      : meter(*cuda::create_meter(test_cuda_device(), options, memory, groups)),
        source(options.source, options.size, options.slices, {memory.source, gap, gap}),
        mask(mask_format(options), options.size, 1, {memory.mask, gap, 0}),
        binding(*meter.bind({.source = source.image(),
                             .mask = options.metering == Metering::kMask ? mask.image() : cuda::DeviceImage{}})),
        results(options.slices) {}

  static Format mask_format(const MeterOptions& options) {
    return options.metering == Metering::kMask ? options.mask : Format::kR8Unorm;
  }

  const std::vector<MeterResult>& measure(const ImageView& view, const MeterFrame& frame = {}, int times = 1) {
    source.upload(view);
    for (int i = 0; i < times; ++i) {
      auto done = meter.record(nullptr, binding, frame);
      EXPECT_TRUE(done.ok()) << done.error().text();
    }
    return download();
  }

  const std::vector<MeterResult>& download() {
    const cuda::Device::Impl& device = test_cuda_device().impl();
    const cuda::CurrentContext current(device);
    const auto address = reinterpret_cast<cuda::DeviceAddress>(binding.results());
    EXPECT_EQ(device.driver.copy_to_host(results.data(), address, results.size() * sizeof(MeterResult)), 0);
    return results;
  }

  cuda::Meter meter;
  CudaImage source, mask;
  cuda::MeterBinding binding;
  std::vector<MeterResult> results;
};

::testing::AssertionResult all_match(const MeterOptions& options, const ImageView& source,
                                     const cuda::MeterMemory& memory = {}, const ImageView& mask = {},
                                     uint32_t groups = 0, size_t gap = 0) {
  LiveMeter live(options, memory, groups, gap);
  if (mask.data != nullptr) live.mask.upload(mask);
  live.measure(source);
  MeterOptions known = options;  // by the oracle
  known.source = known_format(options.source);
  known.mask = known_format(options.mask);
  const PaddedImage known_source = expanded(source);
  PaddedImage known_mask(Format::kR8Unorm, {1, 1});
  if (mask.data != nullptr) known_mask = expanded(mask);
  for (uint32_t slice = 0; slice < options.slices; ++slice) {
    const OracleMeter expected =
        oracle_meter(known, known_source.view(), slice,
                     mask.data != nullptr ? ImageView(known_mask.view()) : ImageView{}, decode_error(known.source));
    if (auto checked = result_matches(known, expected, live.results[slice]); !checked) {
      return checked << "; slice " << slice << " of " << describe(known) << " groups " << groups;
    }
  }
  return ::testing::AssertionSuccess();
}

TEST(CudaMeter, EveryFormatIsRight) {
  Random random(1);
  for (const FormatInfo& info : all_formats()) {
    MeterOptions options{.size = {131, 19}, .slices = 2, .source = info.format};
    options.weights = static_cast<LuminanceWeights>(random.below(3));
    PaddedImage source(info.format, options.size, options.slices, 12, 20);
    fill_scene(source.view(), random);
    EXPECT_TRUE(all_match(options, source.view()));
    if (info.type == ChannelType::kFloat && !info.depth) {
      spoil(source.view(), random, 300);
      EXPECT_TRUE(all_match(options, source.view()));
    }
  }
}

TEST(CudaMeter, EveryOrderOfChannelsIsRight) {
  Random random(2);
  for (const Format format : {Format::kRGB8Unorm, Format::kRGB8Srgb, Format::kRGB16Sfloat, Format::kRGB32Sfloat,
                              Format::kRGBA16Sfloat, Format::kRG16Sfloat}) {
    for (const cuda::Channels channels : {cuda::Channels::kInterleaved, kPlanar}) {
      const MeterOptions options{.size = {140, 30}, .slices = 2, .source = format};
      PaddedImage source(format, options.size, options.slices);
      fill_random(source.view(), random);
      EXPECT_TRUE(all_match(options, source.view(), {.source = channels}, {}, 0, 16)) << static_cast<int>(channels);
    }
  }
}

TEST(CudaMeter, EveryAwkwardSizeIsRight) {
  Random random(3);
  for (const Extent size :
       {Extent{1, 1}, {1, 2}, {127, 15}, {128, 16}, {129, 17}, {17, 17}, {391, 70}, {4097, 3}, {3, 1100}}) {
    PaddedImage source(Format::kRGBA16Sfloat, size);
    fill_scene(source.view(), random);
    for (const uint32_t groups : {0U, 2U}) {
      EXPECT_TRUE(all_match({.size = size, .source = Format::kRGBA16Sfloat}, source.view(), {}, {}, groups));
    }
  }
}

TEST(CudaMeter, EveryMeteringOfAnyRectangleIsRight) {
  Random random(random_seed());
  constexpr Format kMasks[] = {Format::kRGBA8Unorm, Format::kR16Sfloat,        Format::kRGB8Unorm,
                               Format::kBGRA8Srgb,  Format::kA2B10G10R10Unorm, Format::kB10G11R11Ufloat,
                               Format::kR32Sfloat};
  for (int i = 0; i < (full_run() || on_cuda_device() ? 200 : 48); ++i) {
    MeterOptions options{.size = {1 + random.below(300), 1 + random.below(60)},
                         .slices = 1 + random.below(4),
                         .source = random.below(2) == 0 ? Format::kRG16Sfloat : Format::kRGBA32Sfloat};
    options.rect = {random.below(options.size.width), random.below(options.size.height), 0, 0};
    options.rect.width = 1 + random.below(options.size.width - options.rect.x);
    options.rect.height = 1 + random.below(options.size.height - options.rect.y);
    options.metering = static_cast<Metering>(i % 4);
    options.centre_x = random.between(0, 1);
    options.radius = random.below(2) == 0 ? 0 : random.between(0.05F, 2);
    options.statistic = static_cast<MeterStatistic>(random.below(3));
    if (random.below(2) == 0) {
      options.histogram_low = random.between(-14, 0);
      options.histogram_high = options.histogram_low + random.between(0.5F, 20);
    }
    PaddedImage source(options.source, options.size, options.slices, 16, 32);
    fill_scene(source.view(), random);
    spoil(source.view(), random, 10);
    if (options.metering != Metering::kMask) {
      ASSERT_TRUE(all_match(options, source.view(), {}, {}, random.below(3)));
      continue;
    }
    options.mask = kMasks[static_cast<size_t>(i / 4) % std::size(kMasks)];
    const bool planes = options.mask == Format::kRGBA8Unorm || options.mask == Format::kRGB8Unorm;
    PaddedImage mask(options.mask, options.size);
    fill_random(mask.view(), random);
    ASSERT_TRUE(all_match(options, source.view(), {.mask = planes && random.below(2) == 0 ? kPlanar : cuda::Channels{}},
                          mask.view(), random.below(3), 16));
  }
}

// From 2^-31 to 2^31 the kernel sums eight texels at a time. Light around these limits reaches all branches.
TEST(CudaMeter, LightOfAnyScaleIsRight) {
  Random random(random_seed());
  for (const auto& [low, high] : {std::pair{-31.9F, -28.0F}, {28.0F, 31.9F}, {-31.9F, 31.9F}}) {
    for (const float delta : {0.0F, 1e-4F, 1.0F}) {
      const MeterOptions options{.size = {300, 37}, .source = Format::kRGBA32Sfloat, .delta = delta};
      PaddedImage source(options.source, options.size);
      std::vector<float> rgba(size_t{4} * options.size.width);
      for (uint32_t y = 0; y < options.size.height; ++y) {
        for (float& value : rgba) value = std::exp2(random.between(low, high));
        encode_row(options.source, rgba.data(), options.size.width, source.view().row(y, 0));
      }
      EXPECT_TRUE(all_match(options, source.view())) << "2^" << low << " to 2^" << high << " delta " << delta;
    }
  }
}

TEST(CudaMeter, AgreesWithTheCpu) {
  Random random(4);
  for (const MeterStatistic statistic :
       {MeterStatistic::kLogAverage, MeterStatistic::kMean, MeterStatistic::kPercentiles}) {
    const MeterOptions options{.size = {317, 111},
                               .source = Format::kRGBA32Sfloat,
                               .statistic = statistic,
                               .rule = ExposureRule::kSaturation,
                               .compensation = 0.5F};
    PaddedImage source(options.source, options.size);
    fill_scene(source.view(), random);
    spoil(source.view(), random, 2000);
    LiveMeter live(options);
    const MeterResult gpu = live.measure(source.view())[0];
    MeterResult cpu;
    ASSERT_TRUE(cpu::Meter::create(options)->measure(source.view(), {&cpu, 1}));
    EXPECT_EQ(gpu.finite_count, cpu.finite_count);
    EXPECT_EQ(gpu.histogram_low, cpu.histogram_low);
    EXPECT_EQ(gpu.histogram_high, cpu.histogram_high);
    EXPECT_NEAR(gpu.metered_luminance / cpu.metered_luminance, 1, 1e-5);
    EXPECT_NEAR(gpu.exposure / cpu.exposure, 1, 1e-5);
    EXPECT_NEAR(gpu.ev100, cpu.ev100, 1e-5);
    for (size_t i = 0; i < 8; ++i) EXPECT_NEAR(gpu.percentiles[i], cpu.percentiles[i], 1e-4F * cpu.percentiles[i]) << i;
  }
}

TEST(CudaMeter, EdgesOfBinsAreInTheBinAbove) {
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
  LiveMeter live(options);
  const MeterResult gpu = live.measure(view)[0];
  MeterResult cpu;
  ASSERT_TRUE(cpu::Meter::create(options)->measure(view, {&cpu, 1}));
  EXPECT_EQ(cpu.histogram_high - cpu.histogram_low, 8);
  EXPECT_EQ(gpu.histogram_low, cpu.histogram_low);
  EXPECT_EQ(gpu.histogram, cpu.histogram);
}

TEST(CudaMeter, GivesTheSameBitsEveryTime) {
  Random random(5);
  const MeterOptions options{.size = {300, 40}, .slices = 3, .source = Format::kRGBA16Sfloat};
  LiveMeter live(options);
  PaddedImage source(options.source, options.size, 3);
  fill_scene(source.view(), random);
  spoil(source.view(), random, 3000);
  const std::vector<MeterResult> first = live.measure(source.view(), {.cut = true});
  for (int i = 0; i < (on_cuda_device() ? 300 : 3); ++i) {
    // A launch that does nothing leaves the poison; one that leaves its scratch memory in disorder spoils the next.
    const std::vector<std::byte> poison(3 * sizeof(MeterResult), std::byte{0xA5});
    {
      const cuda::Device::Impl& device = test_cuda_device().impl();
      const cuda::CurrentContext current(device);
      ASSERT_EQ(device.driver.copy_to_device(reinterpret_cast<cuda::DeviceAddress>(live.binding.results()),
                                             poison.data(), poison.size()),
                0);
    }
    const std::vector<MeterResult>& again = live.measure(source.view(), {.cut = true}, i % 3 + 1);
    ASSERT_EQ(std::memcmp(first.data(), again.data(), 3 * sizeof(MeterResult)), 0) << "run " << i;
  }
}

TEST(CudaMeter, AdaptsOnTheDevice) {
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
        ASSERT_EQ(live.measure(view_of(grey(1.0F)), {.cut = true})[1].adapted_log2, 0.0F);
        const MeterFrame whole{.seconds = seconds, .cut = false};
        const float once = live.measure(view_of(grey(target)), whole)[1].adapted_log2;
        const double expected = oracle_adapted(options.adaptation, 0, std::log2(double{target}), double{seconds});
        EXPECT_NEAR(once, expected, 1e-4) << "ease " << ease << " to " << target << " in " << seconds;
        live.measure(view_of(grey(1.0F)), {.cut = true});
        const MeterResult twice = live.measure(view_of(grey(target)), {.seconds = seconds / 2, .cut = false}, 2)[1];
        EXPECT_NEAR(twice.adapted_log2, once, 2e-6);
        EXPECT_NEAR(twice.exposure, 0.18 * std::exp2(-double{twice.adapted_log2}), 2e-6 * double{twice.exposure});
        EXPECT_NEAR(twice.ev100, double{twice.adapted_log2} + 3, 2e-6);
      }
    }
    // A slice without finite pixels keeps its exposure; the other slice continues to adapt.
    live.measure(view_of(grey(1.0F)), {.cut = true});
    std::vector<float> half = grey(1.0F);
    std::fill_n(half.begin(), 6, kNan);
    half[3] = kInfinity;
    const std::vector<MeterResult>& results = live.measure(view_of(half), {.seconds = 0.1F, .cut = false});
    EXPECT_EQ(results[0].valid, 0U);
    EXPECT_EQ(results[0].nan_count, 5U);
    EXPECT_EQ(results[0].infinite_count, 1U);
    EXPECT_EQ(results[0].exposure, results[1].exposure);
    EXPECT_EQ(results[1].valid, 1U);
  }
}

// Meters of other sizes take over the results, in scratch memory that held something else.
TEST(CudaMeter, AdaptsAcrossSizesInMemoryOfTheCaller) {
  Random random(12);
  const CudaMemory results(sizeof(MeterResult)), scratch(1 << 16);
  MeterResult result;
  double adapted = 0;
  bool first = true;
  for (const Extent size : {Extent{320, 100}, {64, 48}, {1, 1}, {200, 133}}) {
    const MeterOptions options{.size = size, .source = Format::kRGBA32Sfloat};
    auto meter = cuda::Meter::create(test_cuda_device(), options);
    ASSERT_TRUE(meter);
    ASSERT_LE(meter->dispatch_plan().scratch_bytes, size_t{1} << 16);
    std::vector<uint32_t> words(1 << 14);
    for (uint32_t& word : words) word = random.word();
    scratch.upload(words.data(), words.size() * 4);
    if (first) results.upload(words.data(), sizeof(MeterResult));
    const CudaImage image(options.source, size, 1, {});
    PaddedImage source(options.source, size);
    fill_scene(source.view(), random);
    image.upload(source.view());
    auto binding = meter->bind({.source = image.image(), .results = results.data(), .scratch = scratch.data()});
    ASSERT_TRUE(binding) << binding.error().text();
    EXPECT_EQ(binding->results(), results.data());
    ASSERT_TRUE(first ? meter->record_reset(nullptr, *binding) : meter->record_reset_scratch(nullptr, *binding));
    ASSERT_TRUE(meter->record(nullptr, *binding, {.seconds = 0.1F}));
    results.download(&result, sizeof result);
    const OracleMeter oracle = oracle_meter(options, source.view(), 0);
    EXPECT_TRUE(result_matches(options, oracle, result)) << size.width;
    const double target = std::log2(static_cast<double>(oracle.log_average));
    adapted = first ? target : oracle_adapted(options.adaptation, adapted, target, double{0.1F});
    EXPECT_NEAR(result.adapted_log2, adapted, 1e-4) << size.width;
    first = false;
  }
}

// The next launch on the stream maps tones by the exposures of this frame; nothing is read back.
TEST(CudaMeter, ToneMapsTakeTheExposureFromTheResults) {
  const MeterOptions options{.size = {50, 20}, .slices = 2, .source = Format::kRGBA32Sfloat, .delta = 0};
  const ToneMapOptions tones{.size = options.size,
                             .slices = 2,
                             .source = options.source,
                             .target = Format::kRGBA32Sfloat,
                             .tone_operator = ToneOperator::kReinhard,
                             .transfer = Transfer::kLinear};
  LiveMeter live(options);
  auto map = cuda::ToneMap::create(test_cuda_device(), tones);
  ASSERT_TRUE(map);
  const CudaImage picture(tones.target, tones.size, 2, {});
  auto binding = map->bind({.source = live.source.image(),
                            .target = picture.image(),
                            .exposure = live.binding.exposure(),
                            .exposure_stride = cuda::MeterBinding::kExposureStride});
  ASSERT_TRUE(binding) << binding.error().text();
  PaddedImage source(options.source, options.size, 2);
  for (uint32_t slice = 0; slice < 2; ++slice) {
    for (uint32_t y = 0; y < 20; ++y) {
      std::fill_n(reinterpret_cast<float*>(source.view().row(y, slice)), 200, slice == 0 ? 4.0F : 0.5F);
    }
  }
  live.measure(source.view(), {.cut = true});
  ASSERT_TRUE(map->record(nullptr, *binding));
  PaddedImage actual(tones.target, tones.size, 2);
  ASSERT_TRUE(picture.download(actual.view()));
  for (uint32_t slice = 0; slice < 2; ++slice) {
    // Light of any level is exposed to 0.18.
    EXPECT_NEAR(reinterpret_cast<const float*>(actual.view().row(7, slice))[4], 0.18 / 1.18, 1e-5);
  }
}

TEST(CudaMeter, PlansWhatItLaunches) {
  auto meter = cuda::Meter::create(test_cuda_device(), {.size = {3840, 2160}, .source = Format::kRGB16Sfloat});
  ASSERT_TRUE(meter);
  const uint32_t running = 2 * test_cuda_device().info().multiprocessors;
  EXPECT_EQ(meter->dispatch_plan().groups, (std::array<uint32_t, 3>{running, 1, 1}));
  EXPECT_EQ(meter->dispatch_plan().scratch_bytes, 4 * (1056 + 2 * 2048U));
  EXPECT_EQ(meter->plan().bytes_read, uint64_t{3840} * 2160 * 6);
  EXPECT_EQ(meter->plan().bytes_written, sizeof(MeterResult));
  EXPECT_EQ(meter->options().source, Format::kRGB16Sfloat);
  meter = cuda::Meter::create(test_cuda_device(), {.size = {100, 20},
                                                   .slices = 5,
                                                   .source = Format::kR8Unorm,
                                                   .metering = Metering::kMask,
                                                   .mask = Format::kRGB8Unorm});
  ASSERT_TRUE(meter);
  EXPECT_EQ(meter->dispatch_plan().groups, (std::array<uint32_t, 3>{2, 1, 5}));
  EXPECT_EQ(meter->plan().bytes_read, uint64_t{100} * 20 * 5 * 4);
}

TEST(CudaMeter, SaysWhatIsWrong) {
  const MeterOptions good{.size = {64, 64}, .source = Format::kR8Unorm};
  const auto message = [](const MeterOptions& options, const cuda::MeterMemory& memory = {}) {
    auto meter = cuda::Meter::create(test_cuda_device(), options, memory);
    return meter ? std::string("fine") : meter.error().message;
  };
  EXPECT_EQ(message(good), "fine");
  MeterOptions bad = good;
  bad.size = {0, 1};
  EXPECT_EQ(message(bad), plan_meter(bad).error().message);
  bad = good;
  bad.slices = 65536;
  EXPECT_EQ(message(bad), "slices: 65536 exceed 65535, the most blocks of a launch");
  bad = good;
  bad.source = Format::kBGRA8Unorm;
  EXPECT_EQ(message(bad, {.source = kPlanar}), "source: b8g8r8a8_unorm cannot be planar");
  bad = good;
  bad.metering = Metering::kMask;
  bad.mask = Format::kA2B10G10R10Unorm;
  EXPECT_EQ(message(bad, {.mask = kPlanar}).substr(0, 6), "mask: ");

  auto meter = cuda::Meter::create(test_cuda_device(), good);
  ASSERT_TRUE(meter);
  auto* const data = reinterpret_cast<void*>(uintptr_t{4096});
  const auto bound = [&](const cuda::MeterImages& images) {
    auto binding = meter->bind(images);
    return binding ? std::string("fine") : binding.error().message;
  };
  EXPECT_EQ(bound({.source = {data, 64}, .results = data, .scratch = data}), "fine");
  EXPECT_EQ(bound({}), "source.data: null");
  EXPECT_EQ(bound({.source = {data, 64}, .mask = {data, 64}}), "mask: given, but metering is not by mask");
  EXPECT_EQ(bound({.source = {data, 64}, .results = reinterpret_cast<void*>(uintptr_t{4104})}),
            "results: the address 4104 is not a multiple of 16");
  EXPECT_EQ(bound({.source = {data, 64}, .scratch = reinterpret_cast<void*>(uintptr_t{4112})}),
            "scratch: the address 4112 is not a multiple of 256");
  auto binding = meter->bind({.source = {data, 64}, .results = data, .scratch = data});
  ASSERT_TRUE(binding);
  EXPECT_EQ(meter->record(nullptr, *binding, {.seconds = -1}).error().message, "seconds: -1 is not within 0 and 1e9");
}

TEST(CudaMeter, RecordOnlyLaunches) {
  if (on_cuda_device()) return;  // counts calls of the driver that runs on the host
  FakeDriver& fake = FakeDriver::get();
  const size_t allocations = fake.memory.size();
  {
    auto meter = cuda::Meter::create(test_cuda_device(), {.size = {33, 17}, .source = Format::kR32Sfloat});
    ASSERT_TRUE(meter);
    std::vector<float> light(33 * 17, 1.0F);
    for (const char* call : {"cuMemAlloc", "cuMemsetD8", "cuCtxSynchronize"}) {
      fake.failures[call] = 700;
      auto failed = meter->bind({.source = {light.data(), 33 * 4}});
      ASSERT_FALSE(failed) << call;
      EXPECT_EQ(failed.error().code, ErrorCode::kDevice);
    }
    EXPECT_EQ(fake.memory.size(), allocations);
    auto binding = meter->bind({.source = {light.data(), 33 * 4}});
    ASSERT_TRUE(binding);
    EXPECT_EQ(fake.memory.size(), allocations + 2);
    fake.calls.clear();
    fake.streams.clear();
    auto* const stream = reinterpret_cast<cuda::Stream>(uintptr_t{0x77});
    ASSERT_TRUE(meter->record(stream, *binding));
    EXPECT_EQ(fake.calls,
              (std::map<std::string, int>{{"cuCtxPushCurrent", 1}, {"cuCtxPopCurrent", 1}, {"cuLaunchKernel", 1}}));
    EXPECT_EQ(fake.streams, std::vector<cuda::Stream>{stream});
  }
  EXPECT_EQ(fake.memory.size(), allocations);
}

}  // namespace
}  // namespace onepass::testing
