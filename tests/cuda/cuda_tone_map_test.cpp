// cuda_tone_map_test.cpp: tone maps of the CUDA engine against the oracle: operators, transfers, displays with
// headroom, formats, orders of channels, dithering, exposure in device memory, local exposure; errors; calls of the
// driver. Without ONEPASS_TEST_CUDA kernels run on the host.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>

#include "onepass/cuda/tone_map.hpp"
#include "tests/cuda/cuda_testing.hpp"
#include "tests/cuda/fake_driver.hpp"
#include "tests/local_exposure/local_exposure_oracle.hpp"
#include "tests/tone_map/tone_map_oracle.hpp"

namespace onepass::testing {
namespace {

constexpr double kPromised = 1e-5;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr auto kPlanar = cuda::Channels::kPlanar;

/// sRGB is decoded within 2^-19 of its light. A UNORM value near the middle between two steps may be rounded to either.
double tolerance_of(const ToneMapOptions& options) {
  const FormatInfo& target = format_info(options.target);
  const bool no_scene = options.tone_operator == ToneOperator::kDrago && options.drago.white < options.drago.average;
  double tolerance = no_scene ? 2 * kPromised : kPromised;
  if (format_info(options.source).type == ChannelType::kSrgb) tolerance += 0x1p-19;
  if (target.type != ChannelType::kFloat) tolerance += 0.02 / ((1 << target.bits[0]) - 1);
  return tolerance;
}

struct MapSetup {
  cuda::ImageMemory memory = {};
  size_t row_gap = 0;
  float exposure = 1;
};

/// Maps `source` and downloads to `actual`.
::testing::AssertionResult map(const ToneMapOptions& options, const ImageView& source, const MapSetup& setup,
                               const MutableImageView& actual) {
  auto map = cuda::ToneMap::create(test_cuda_device(), options, setup.memory);
  if (!map) return ::testing::AssertionFailure() << describe(options) << ": " << map.error().text();
  const CudaImage from(options.source, options.size, options.slices, {setup.memory.source, setup.row_gap, 32});
  const CudaImage to(options.target, options.size, options.slices, {setup.memory.target, setup.row_gap, 32});
  from.upload(source);
  auto binding = map->bind({.source = from.image(), .target = to.image()});
  if (!binding) return ::testing::AssertionFailure() << describe(options) << ": " << binding.error().text();
  auto done = map->record(nullptr, *binding, setup.exposure);
  if (!done) return ::testing::AssertionFailure() << describe(options) << ": " << done.error().text();
  if (auto downloaded = to.download(actual); !downloaded) return downloaded << ": " << describe(options);
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult cuda_tones_match(const ToneMapOptions& options, const ImageView& source,
                                            const MapSetup& setup = {}) {
  PaddedImage actual(options.target, options.size, options.slices);
  if (auto mapped = map(options, source, setup, actual.view()); !mapped) return mapped;
  ToneMapOptions known = options;  // by the oracle
  known.source = known_format(options.source);
  known.target = known_format(options.target);
  const PaddedImage known_source = expanded(source, is_row_format(options.target));  // an RGB target drops alpha
  const PaddedImage known_actual = expanded(actual.view());
  return tones_match(known, known_source.view(), known_actual.view(), tolerance_of(known), setup.exposure);
}

::testing::AssertionResult cuda_tones_match(const ToneMapOptions& options, const PaddedImage& source,
                                            const MapSetup& setup = {}) {
  return cuda_tones_match(options, source.view(), setup);
}

TEST(CudaToneMap, EveryOperatorAndTransfer) {
  Random random(random_seed());
  CudaSample sample;
  const Extent size{131, 37};
  for (const ToneOperator tone_operator : kAllOperators) {
    const bool agx = tone_operator == ToneOperator::kAgxSobotka || tone_operator == ToneOperator::kAgxBlender;
    for (const Transfer transfer : kAllTransfers) {
      for (const Primaries primaries : {Primaries::kRec709, Primaries::kRec2020}) {
        // The kernel treats all transfers alike: one operator is tested with all, the others with sRGB and a selection.
        const bool always = transfer == Transfer::kSrgb || tone_operator == ToneOperator::kAcesHill;
        if (!always && !sample.takes(4, 4)) continue;
        ToneMapOptions options{.size = size,
                               .source = Format::kRGBA32Sfloat,
                               .target = Format::kRGBA32Sfloat,
                               .tone_operator = tone_operator,
                               .transfer = transfer,
                               .primaries = primaries};
        if (agx) options.look = static_cast<AgxLook>(random.below(3));
        ASSERT_TRUE(cuda_tones_match(options, light_of(options.source, size, 1, random)));
      }
    }
  }
}

// Curves that end above 1, and for HLG the OOTF before the last curve, after every kind of mix and matrix.
TEST(CudaToneMap, Headroom) {
  Random random(35);
  const auto check = [&](ToneOperator tone_operator, const std::function<void(ToneMapOptions&)>& change) {
    ToneMapOptions options{.size = {97, 31},
                           .source = Format::kRGBA32Sfloat,
                           .target = Format::kRGBA32Sfloat,
                           .tone_operator = tone_operator};
    change(options);
    ASSERT_TRUE(cuda_tones_match(options, light_of(options.source, options.size, 1, random)))
        << "paper white " << options.paper_white_nits << " peak " << options.peak_nits;
  };
  for (const ToneOperator tone_operator : kAllOperators) {
    for (const Primaries primaries : {Primaries::kRec709, Primaries::kRec2020}) {
      check(tone_operator, [&](auto& o) { o.transfer = Transfer::kHlg, o.primaries = primaries; });
      if (!uses_headroom(tone_operator)) continue;
      check(tone_operator, [&](auto& o) { o.transfer = Transfer::kPq, o.primaries = primaries; });
      check(tone_operator, [&](auto& o) {
        o.transfer = Transfer::kLinear, o.primaries = primaries,
        o.headroom = primaries == Primaries::kRec709 ? 4.926F : 1000.0F;
      });
    }
  }
  for (const ToneOperator tone_operator : {ToneOperator::kAgxBlender, ToneOperator::kAgxSobotka}) {
    for (const Transfer transfer : {Transfer::kPq, Transfer::kHlg}) {
      check(tone_operator, [&](auto& o) { o.transfer = transfer, o.look = AgxLook::kPunchy; });
    }
  }
}

TEST(CudaToneMap, ExtremeOptions) {
  const PaddedImage image = saturated_light();
  CudaSample sample;
  for (const ToneMapOptions& options : extreme_options()) {
    if (!sample.takes(2)) continue;
    EXPECT_TRUE(cuda_tones_match(options, image)) << options.drago.white << " " << options.drago.bias;
  }
}

TEST(CudaToneMap, LooksOfDarkChannels) {
  const PaddedImage image = steep_light();
  for (const ToneMapOptions& options : look_options()) EXPECT_TRUE(cuda_tones_match(options, image));
}

TEST(CudaToneMap, FormatsOfSourcesAndTargets) {
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
      ASSERT_TRUE(cuda_tones_match(options, light_of(source.format, options.size, 2, random)));
    }
  }
  EXPECT_GT(pairs, 200U);
}

TEST(CudaToneMap, EveryOrderOfChannelsIsRight) {
  Random random(33);
  for (const auto& [source, target] : {std::pair{Format::kRGB32Sfloat, Format::kRGB8Srgb},
                                       {Format::kRGB16Sfloat, Format::kRGBA8Unorm},
                                       {Format::kRGBA16Sfloat, Format::kRGB16Unorm},
                                       {Format::kRGBA32Sfloat, Format::kRGBA32Sfloat},
                                       {Format::kRGB8Srgb, Format::kRGB32Sfloat},
                                       {Format::kRG16Sfloat, Format::kRG16Sfloat}}) {
    for (const cuda::ImageMemory& memory :
         {cuda::ImageMemory{}, cuda::ImageMemory{.source = kPlanar}, cuda::ImageMemory{.target = kPlanar},
          cuda::ImageMemory{.source = kPlanar, .target = kPlanar}}) {
      const ToneMapOptions options{
          .size = {70, 41}, .slices = 2, .source = source, .target = target, .tone_operator = ToneOperator::kReinhard};
      PaddedImage image(source, options.size, 2);
      fill_random(image.view(), random);
      EXPECT_TRUE(cuda_tones_match(options, image.view(), {.memory = memory, .row_gap = 16}))
          << static_cast<int>(memory.source) << static_cast<int>(memory.target);
    }
  }
  const ToneMapOptions packed{.size = {33, 9},
                              .source = Format::kRGB32Sfloat,
                              .target = Format::kB10G11R11Ufloat,
                              .transfer = Transfer::kLinear};
  PaddedImage image(packed.source, packed.size);
  fill_random(image.view(), random);
  EXPECT_TRUE(cuda_tones_match(packed, image.view()));
}

TEST(CudaToneMap, SizesAroundBlocks) {
  Random random(32);
  for (const Extent size :
       {Extent{1, 1}, Extent{1, 70}, Extent{70, 1}, Extent{32, 32}, Extent{33, 65}, Extent{31, 8}, Extent{333, 9}}) {
    const ToneMapOptions options{.size = size,
                                 .slices = 1 + random.below(3),
                                 .source = Format::kRGBA16Sfloat,
                                 .target = Format::kRGBA8Srgb,
                                 .tone_operator = ToneOperator::kHable,
                                 .dither = Dither::kOn};
    EXPECT_TRUE(cuda_tones_match(options, light_of(options.source, size, options.slices, random),
                                 {.row_gap = 8, .exposure = 2}));
  }
}

TEST(CudaToneMap, DitherKeepsCodesAndIsThatOfTheCpu) {
  for (const Format target : {Format::kRGBA8Unorm, Format::kA2B10G10R10Unorm, Format::kRGBA16Unorm}) {
    const ToneMapOptions options{.size = {256, 64},
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
    auto cpu = cpu::ToneMap::create(options);
    ASSERT_TRUE(cpu);
    ASSERT_TRUE(cpu->apply(source.view(), expected.view()));
    PaddedImage actual(target, options.size);
    ASSERT_TRUE(map(options, source.view(), {}, actual.view()));
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

TEST(CudaToneMap, NanInfAndNegativeLight) {
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
    ASSERT_TRUE(cuda_tones_match(options, source));
    ASSERT_TRUE(cuda_tones_match(options, source, {.exposure = 1e30F}));
  }
}

// Exposures of slices lie 12 bytes apart; one is not usable and counts as 1. The target is the source.
TEST(CudaToneMap, ExposureComesFromMemoryAndTheTargetMayBeTheSource) {
  const ToneMapOptions options{.size = {40, 37},
                               .slices = 3,
                               .source = Format::kRGBA32Sfloat,
                               .target = Format::kRGBA32Sfloat,
                               .tone_operator = ToneOperator::kReinhard,
                               .exposure = 0.5F,
                               .transfer = Transfer::kLinear};
  auto map = cuda::ToneMap::create(test_cuda_device(), options);
  ASSERT_TRUE(map);
  PaddedImage image(options.source, options.size, 3);
  for (uint32_t slice = 0; slice < 3; ++slice) {
    for (uint32_t y = 0; y < 37; ++y) {
      for (uint32_t i = 0; i < 160; ++i) {
        reinterpret_cast<float*>(image.view().row(y, slice))[i] = static_cast<float>((i + y) % 16) + 1;
      }
    }
  }
  const CudaImage on_device(options.source, options.size, 3, {.row_gap = 32});
  const float factors[8] = {9, 2, 9, 9, kNan, 9, 9, 3};
  const CudaMemory exposures(sizeof factors);
  exposures.upload(factors, sizeof factors);
  for (const bool each_slice : {true, false}) {
    on_device.poison();
    const CudaImage source(options.source, options.size, 3, {.row_gap = 16});
    source.upload(image.view());
    // The first run reads another image; the second one maps its own texels.
    const CudaImage& target = each_slice ? on_device : source;
    auto binding = map->bind({.source = source.image(),
                              .target = target.image(),
                              .exposure = static_cast<const float*>(exposures.data()) + 1,
                              .exposure_stride = each_slice ? size_t{12} : size_t{0}});
    ASSERT_TRUE(binding) << binding.error().text();
    ASSERT_TRUE(map->record(nullptr, *binding, 4.0F));
    PaddedImage actual(options.target, options.size, 3);
    const auto downloaded = target.download(actual.view());
    EXPECT_TRUE(!each_slice || downloaded);  // the source has other bytes in its gaps
    for (uint32_t slice = 0; slice < 3; ++slice) {
      const float factor = !each_slice || slice == 0 ? 2.0F : slice == 1 ? 1.0F : 3.0F;
      for (uint32_t y = 0; y < 37; ++y) {
        for (uint32_t i = 0; i < 160; ++i) {
          const float before = static_cast<float>((i + y) % 16) + 1;
          const float light = before * factor * 0.5F * 4.0F;
          const float expected = i % 4 == 3 ? before : light / (1 + light);
          ASSERT_NEAR(reinterpret_cast<const float*>(actual.view().row(y, slice))[i], expected, kPromised)
              << slice << " " << y << " " << i;
        }
      }
    }
  }
}

// ---- Local exposure

// Relative errors of light: differences of divisions and fused additions.
constexpr double kLocalPromised = 5e-6;

TEST(CudaToneMap, LocalExposureIsThatOfTheDefinition) {
  Random random(random_seed());
  for (const Extent size :
       {Extent{1, 1}, Extent{1, 70}, Extent{70, 1}, Extent{16, 16}, Extent{17, 65}, Extent{333, 9}, Extent{130, 97}}) {
    for (int i = 0; i < 2; ++i) {
      ToneMapOptions options = local_options(size, Format::kRGBA32Sfloat, random);
      options.slices = 1 + random.below(3);
      PaddedImage source(options.source, size, options.slices, 0, 16);
      fill_local_scene(source.view(), random, i % 2 == 1);
      const float exposure = std::exp2(random.between(-6, 6));
      PaddedImage actual(options.target, size, options.slices);
      ASSERT_TRUE(map(options, source.view(), {.exposure = exposure}, actual.view()));
      ASSERT_TRUE(local_matches(options, source.view(), actual.view(), {exposure, exposure, exposure}, kLocalPromised,
                                random, 60));
    }
  }
  for (const float region : {0.004F, 0.1F, 0.5F}) {
    ToneMapOptions options = local_options({220, 150}, Format::kRGBA16Sfloat, random);
    options.local.region = region;
    PaddedImage source(options.source, options.size, 1);
    fill_local_scene(source.view(), random, true);
    PaddedImage actual(options.target, options.size);
    ASSERT_TRUE(map(options, source.view(), {.row_gap = 16, .exposure = 0.5F}, actual.view()));
    ASSERT_TRUE(local_matches(options, source.view(), actual.view(), {0.5}, kLocalPromised, random, 60)) << region;
  }
}

// Grey, sRGB and RGB in planes, with operators, beside the CPU engine.
TEST(CudaToneMap, LocalExposureOfFormatsIsThatOfTheCpu) {
  Random random(51);
  const std::pair<Format, Format> formats[] = {{Format::kRGBA8Srgb, Format::kRGBA8Srgb},
                                               {Format::kR16Sfloat, Format::kRGBA8Unorm},
                                               {Format::kRG32Sfloat, Format::kRGBA32Sfloat},
                                               {Format::kRGBA32Sfloat, Format::kRGBA8Unorm}};
  for (const auto& [from, to] : formats) {
    ToneMapOptions options = local_options({150, 70}, from, random);
    options.target = to;
    options.tone_operator = from == Format::kR16Sfloat ? ToneOperator::kAgxBlender : ToneOperator::kHable;
    options.transfer = Transfer::kSrgb;
    PaddedImage source(from, options.size);
    fill_local_scene(source.view(), random);
    PaddedImage expected(to, options.size);
    auto cpu = cpu::ToneMap::create(options);
    ASSERT_TRUE(cpu && cpu->apply(source.view(), expected.view()));
    PaddedImage actual(to, options.size);
    const bool planes = from == Format::kRGBA32Sfloat;
    ASSERT_TRUE(
        map(options, source.view(), {.memory = {.source = planes ? kPlanar : cuda::Channels{}}}, actual.view()));
    const double tolerance = format_info(to).bytes_per_texel == 4 ? 1.01 / 255 : 1e-5;
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

// Three runs in memory of the caller's, which held something else: each leaves the counters as the next one needs them.
TEST(CudaToneMap, LocalExposureRunsAgainInMemoryOfTheCaller) {
  Random random(52);
  ToneMapOptions options = local_options({100, 60}, Format::kRGBA32Sfloat, random);
  options.slices = 2;
  auto map = cuda::ToneMap::create(test_cuda_device(), options);
  ASSERT_TRUE(map) << map.error().text();
  EXPECT_EQ(map->dispatch_plan().launches, 2U);
  ASSERT_GT(map->dispatch_plan().scratch_bytes, 0U);
  PaddedImage source(options.source, options.size, 2);
  fill_local_scene(source.view(), random);
  const CudaImage from(options.source, options.size, 2, {}), to(options.target, options.size, 2, {});
  const CudaMemory scratch(map->dispatch_plan().scratch_bytes);
  std::vector<std::byte> noise(map->dispatch_plan().scratch_bytes, std::byte{0xFF});
  scratch.upload(noise.data(), noise.size());
  from.upload(source.view());
  auto binding = map->bind({.source = from.image(), .target = to.image(), .scratch = scratch.data()});
  ASSERT_TRUE(binding) << binding.error().text();
  ASSERT_TRUE(map->record_reset(nullptr, *binding));
  for (int i = 0; i < 3; ++i) {
    to.poison();
    ASSERT_TRUE(map->record(nullptr, *binding));
    PaddedImage actual(options.target, options.size, 2);
    ASSERT_TRUE(to.download(actual.view()));
    ASSERT_TRUE(local_matches(options, source.view(), actual.view(), {1, 1}, kLocalPromised, random, 40)) << i;
  }
  auto own = map->bind({.source = from.image(), .target = to.image()});
  ASSERT_TRUE(own);
  to.poison();
  ASSERT_TRUE(map->record(nullptr, *own));
  PaddedImage actual(options.target, options.size, 2);
  ASSERT_TRUE(to.download(actual.view()));
  EXPECT_TRUE(local_matches(options, source.view(), actual.view(), {1, 1}, kLocalPromised, random, 40));
  EXPECT_EQ(
      map->bind(
             {.source = from.image(), .target = to.image(), .scratch = static_cast<std::byte*>(scratch.data()) + 128})
          .error()
          .message.substr(0, 21),
      "scratch: the address ");
}

TEST(CudaToneMap, SaysWhatIsWrong) {
  const ToneMapOptions good{.size = {64, 64}, .source = Format::kRGBA16Sfloat, .target = Format::kRGBA8Unorm};
  const auto message = [](const ToneMapOptions& options, const cuda::ImageMemory& memory = {}) {
    auto map = cuda::ToneMap::create(test_cuda_device(), options, memory);
    return map ? std::string("fine") : map.error().message;
  };
  EXPECT_EQ(message(good), "fine");
  ToneMapOptions bad = good;
  bad.slices = 0;
  EXPECT_EQ(message(bad), "slices: 0, at least one is needed");
  bad.slices = 65536;
  EXPECT_EQ(message(bad), "slices: 65536 exceed 65535, the most blocks of a launch");
  bad = good;
  bad.target = Format::kBGRA8Unorm;
  EXPECT_EQ(message(bad, {.target = kPlanar}), "target: b8g8r8a8_unorm cannot be planar");
  auto map = cuda::ToneMap::create(
      test_cuda_device(),
      {.size = {64, 40}, .slices = 2, .source = Format::kRGB16Sfloat, .target = Format::kRGB8Unorm});
  ASSERT_TRUE(map);
  EXPECT_EQ(map->plan().bytes_read, 2U * 64 * 40 * 6);
  EXPECT_EQ(map->plan().bytes_written, 2U * 64 * 40 * 3);
  EXPECT_EQ(map->dispatch_plan().groups, (std::array<uint32_t, 3>{2, 2, 2}));
  EXPECT_EQ(map->options().source, Format::kRGB16Sfloat);
  auto* const data = reinterpret_cast<void*>(uintptr_t{4096});
  const auto bound = [&](const cuda::ToneMapImages& images) {
    auto binding = map->bind(images);
    return binding ? std::string("fine") : binding.error().message;
  };
  const cuda::DeviceImage source{data, 384, 384 * 40};
  const cuda::DeviceImage target{data, 192, 192 * 40};
  EXPECT_EQ(bound({.source = source, .target = target}), "fine");
  EXPECT_EQ(bound({.target = target}), "source.data: null");
  EXPECT_EQ(bound({.source = source}), "target.data: null");
  EXPECT_EQ(bound({.source = source, .target = {data, 191, 192 * 40}}), "target.row_stride: 191 is below 192");
  EXPECT_EQ(bound({.source = source, .target = target, .exposure_stride = 6}),
            "exposure_stride: 6 is not a multiple of 4");
  EXPECT_EQ(bound({.source = source, .target = target, .exposure = reinterpret_cast<void*>(uintptr_t{4098})}),
            "exposure: the address 4098 is not a multiple of 4");
}

TEST(CudaToneMap, RecordOnlyLaunches) {
  if (on_cuda_device()) return;  // counts calls of the driver that runs on the host
  FakeDriver& fake = FakeDriver::get();
  const size_t allocations = fake.memory.size();
  {
    const ToneMapOptions options{.size = {33, 17}, .source = Format::kRGBA32Sfloat, .target = Format::kRGBA8Srgb};
    auto map = cuda::ToneMap::create(test_cuda_device(), options);
    ASSERT_TRUE(map);
    EXPECT_EQ(fake.memory.size(), allocations + 1);  // the curves
    std::vector<float> light(33 * 17 * 4);
    std::vector<uint32_t> picture(33 * 17);
    fake.calls.clear();
    auto binding = map->bind({.source = {light.data(), 33 * 16}, .target = {picture.data(), 33 * 4}});
    ASSERT_TRUE(binding);
    EXPECT_TRUE(fake.calls.empty());
    fake.streams.clear();
    auto* const stream = reinterpret_cast<cuda::Stream>(uintptr_t{0x77});
    ASSERT_TRUE(map->record(stream, *binding));
    EXPECT_EQ(fake.calls,
              (std::map<std::string, int>{{"cuCtxPushCurrent", 1}, {"cuCtxPopCurrent", 1}, {"cuLaunchKernel", 1}}));
    EXPECT_EQ(fake.streams, std::vector<cuda::Stream>{stream});
    for (const char* call : {"cuMemAlloc", "cuMemcpyHtoD", "cuCtxSynchronize"}) {
      fake.failures[call] = cuda::kOutOfDeviceMemory;
      auto failed = cuda::ToneMap::create(test_cuda_device(), options);
      ASSERT_FALSE(failed) << call;
      EXPECT_EQ(failed.error().code, ErrorCode::kOutOfMemory);
    }
  }
  EXPECT_EQ(fake.memory.size(), allocations);
}

}  // namespace
}  // namespace onepass::testing
