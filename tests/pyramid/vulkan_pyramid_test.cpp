// vulkan_pyramid_test.cpp: the Vulkan engine against the oracle: every footprint, reduction, path and switch, at sizes
// where other implementations have failed.
#include <cmath>
#include <limits>

#include "tests/pyramid/coverage_oracle.hpp"
#include "tests/support/enumerators.hpp"
#include "tests/support/test_seed.hpp"
#include "tests/vulkan/vulkan_testing.hpp"

namespace onepass::testing {
namespace {

using vulkan::PyramidTuning;
using vulkan::Sampling;
using vulkan::Switch;

constexpr auto kShared = vulkan::Pipelines::kShared;
constexpr auto kOwn = vulkan::Pipelines::kOwn;
constexpr auto kFootprints = enumerators_without<Footprint::kCeil>();
constexpr Reduction kReductions[] = {Reduction::kMean, Reduction::kMin, Reduction::kMax, Reduction::kMinMax};

const std::vector<PyramidTuning>& main_tunings() {
  static const std::vector<PyramidTuning> tunings = {
      {.path = PyramidPath::kSingleDispatch, .subgroup = Switch::kOff, .second_dispatch = Switch::kOff},
      {.path = PyramidPath::kSingleDispatch, .subgroup = Switch::kOn},
      {.path = PyramidPath::kPerLevel},
      {.path = PyramidPath::kSingleDispatch,
       .subgroup = Switch::kOn,
       .last_to_start = Switch::kOff,
       .second_dispatch = Switch::kOff},
  };
  return tunings;
}

PyramidOptions one_channel(Extent size, Reduction reduction, Footprint footprint) {
  return {.size = size,
          .source = Format::kR32Sfloat,
          .target = reduction == Reduction::kMinMax ? Format::kRG32Sfloat : Format::kR32Sfloat,
          .reduction = reduction,
          .footprint = footprint};
}

std::vector<PyramidOptions> one_channel_cases(Extent size) {
  std::vector<PyramidOptions> cases;
  for (const Footprint footprint : kFootprints) {
    for (const Reduction reduction : kReductions) {
      if (footprint == Footprint::kTight && reduction == Reduction::kMean) continue;
      cases.push_back(one_channel(size, reduction, footprint));
    }
  }
  return cases;
}

// Software Vulkan runs only a selection of the large cases.
bool software() { return test_device().info().software && !full_run(); }

using VulkanPyramid = VulkanTest;

TEST_F(VulkanPyramid, MatchesTheOracleAtAwkwardSizes) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (const Extent size : awkward_sizes()) {
    const uint64_t texels = uint64_t{size.width} * size.height;
    for (const PyramidOptions& options : one_channel_cases(size)) {
      for (const PyramidTuning& tuning : main_tunings()) {
        uint32_t odds = 1;
        if (!full_run()) odds = texels > 4'000'000 ? 100 : texels > 500'000 ? 60 : texels > 100'000 ? 12 : 4;
        // Software Vulkan compiles a pipeline for every shape of a single dispatch, but one for all sizes per level.
        if (software() && tuning.path == PyramidPath::kSingleDispatch) odds *= 5;
        // The per-level path of tight reads the base once per level.
        const bool slow = software() && texels > 500'000 && options.footprint == Footprint::kTight;
        if (random.below(odds) != 0 || slow) continue;
        EXPECT_TRUE(gpu_build_matches(options, tuning)) << "seed " << seed;
      }
    }
  }
}

// The sizes that users build most, and an odd one, in every run, with default options.
TEST_F(VulkanPyramid, HeadlineSizes) {
  for (const Extent size : {Extent{1920, 1080}, Extent{3840, 2160}, Extent{2048, 2048}, Extent{1919, 1079}}) {
    EXPECT_TRUE(gpu_build_matches({.size = size, .source = Format::kRGBA8Unorm, .target = Format::kRGBA8Unorm},
                                  {.path = PyramidPath::kSingleDispatch}));
  }
}

TEST_F(VulkanPyramid, MatchesTheOracleWithFourChannels) {
  Sample sample;
  for (const Extent size : {Extent{65, 65}, Extent{191, 100}, Extent{128, 32}, Extent{640, 360}, Extent{513, 257}}) {
    for (const Footprint footprint : kFootprints) {
      const Reduction reduction = footprint == Footprint::kTight ? Reduction::kMax : Reduction::kMean;
      for (const Format format : {Format::kRGBA8Srgb, Format::kRGBA32Sfloat}) {
        for (const PyramidTuning& tuning : main_tunings()) {
          if (!sample.takes(tuning.path == PyramidPath::kPerLevel ? 1 : 4)) continue;
          EXPECT_TRUE(gpu_build_matches(
              {.size = size, .source = format, .target = format, .reduction = reduction, .footprint = footprint},
              tuning))
              << "seed " << sample.seed();
        }
      }
    }
  }
}

// Two and three stages in sequence, 2:1, sliding-window and general, that exchange one or several texels per tile.
TEST_F(VulkanPyramid, StagesOfEveryKindFollowEachOther) {
  for (const Extent size : {Extent{640, 360}, Extent{191, 191}, Extent{512, 512}, Extent{200, 120}}) {
    for (const Footprint footprint : {Footprint::kAligned, Footprint::kCovering, Footprint::kEdge}) {
      for (const auto& [second, pipelines] :
           {std::pair(Switch::kOff, kShared), std::pair(Switch::kOn, kShared), std::pair(Switch::kOn, kOwn)}) {
        PyramidTuning tuning = main_tunings()[1];
        tuning.second_dispatch = second;
        tuning.pipelines = pipelines;
        EXPECT_TRUE(gpu_build_matches(one_channel(size, Reduction::kMean, footprint), tuning));
      }
    }
  }
}

// At sizes whose stages are of every kind, with several slices, in chains that end in every stage. In the second build
// each counter must be zero again.
void expect_stages_in_two_dispatches_match(Reduction reduction, Format format) {
  Sample sample;
  PyramidTuning tuning{.path = PyramidPath::kSingleDispatch, .second_dispatch = Switch::kOn};
  for (const Extent size : {Extent{640, 360}, Extent{191, 191}, Extent{1000, 77}, Extent{3, 700}, Extent{517, 519}}) {
    for (const Footprint footprint : {Footprint::kCovering, Footprint::kEdge}) {
      PyramidOptions options = one_channel(size, reduction, footprint);
      options.slices = 2;
      options.source = format;
      if (reduction != Reduction::kMinMax) options.target = format;
      for (const uint32_t levels : {0U, 5U, 8U}) {
        if (!sample.takes(3)) continue;
        options.levels = std::min(levels, full_level_count(size));
        tuning.pipelines = tuning.pipelines == kShared ? kOwn : kShared;
        EXPECT_TRUE(gpu_build_matches({.options = options, .tuning = tuning, .test = {.delay = 3000}}, 2))
            << "seed " << sample.seed();
      }
    }
  }
}

TEST_F(VulkanPyramid, StagesInTwoDispatchesMatch) {
  expect_stages_in_two_dispatches_match(Reduction::kMean, Format::kR32Sfloat);
}
TEST_F(VulkanPyramid, StagesInTwoDispatchesMatchWithTwoChannels) {
  expect_stages_in_two_dispatches_match(Reduction::kMinMax, Format::kR32Sfloat);
}
TEST_F(VulkanPyramid, StagesInTwoDispatchesMatchWithFourChannels) {
  expect_stages_in_two_dispatches_match(Reduction::kMean, Format::kRGBA16Sfloat);
}

// A level of at most 64x32 texels and the coarser ones are made by one workgroup of the second dispatch: level 3 with
// subgroups of 8 (the first three sizes), 16 and 32 invocations, level 6 of the next. With shared pipelines levels of a
// few texels too: 10x5 and 5x10, level 6 of 640x360 and 360x640.
TEST_F(VulkanPyramid, LastTilesMatch) {
  PyramidTuning tuning{.path = PyramidPath::kSingleDispatch, .second_dispatch = Switch::kOn};
  for (const Extent size : {Extent{100, 200}, Extent{127, 127}, Extent{121, 267}, Extent{248, 71}, Extent{511, 264},
                            Extent{580, 577}, Extent{640, 360}, Extent{360, 640}, Extent{31, 17}, Extent{63, 8}}) {
    tuning.pipelines = tuning.pipelines == kShared ? kOwn : kShared;
    if (size.width == 640 || size.height == 640) tuning.pipelines = kShared;
    for (const Reduction reduction : {Reduction::kMean, Reduction::kMinMax}) {
      const PyramidOptions options = one_channel(size, reduction, Footprint::kCovering);
      EXPECT_TRUE(gpu_build_matches({.options = options, .tuning = tuning}, 2));
    }
    PyramidOptions colour = one_channel(size, Reduction::kMean, Footprint::kCovering);
    colour.source = colour.target = Format::kRGBA16Sfloat;
    colour.slices = 2;
    for (const uint32_t levels : {0U, 7U}) {
      colour.levels = std::min(levels, full_level_count(size));
      EXPECT_TRUE(gpu_build_matches({.options = colour, .tuning = tuning}, 2));
    }
  }
}

// In four parts: compilers of GPUs take a large part of a second for each build, and the parts can run side by side.
class VulkanPyramidParts : public VulkanPyramid, public ::testing::WithParamInterface<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Parts, VulkanPyramidParts, ::testing::Range(0U, 4U));

TEST_P(VulkanPyramidParts, MatchesTheOracleAtRandomSizes) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed + GetParam());
  for (int i = 0; i < (software() ? 13 : 150); ++i) {
    const auto any_length = [&] { return 1 + random.below(1U << random.below(software() ? 10 : 12)); };
    const Extent size{any_length(), any_length()};
    const auto cases = one_channel_cases(size);
    PyramidOptions options = cases[random.below(static_cast<uint32_t>(cases.size()))];
    options.levels = random.below(3) == 0 ? 1 + random.below(full_level_count(size)) : 0;
    options.slices = random.below(3) == 0 ? 1 + random.below(7) : 1;
    PyramidTuning tuning = main_tunings()[random.below(static_cast<uint32_t>(main_tunings().size()))];
    tuning.pipelines = random.below(4) == 0 ? kOwn : kShared;
    EXPECT_TRUE(gpu_build_matches(options, tuning, random.word())) << "levels " << options.levels << " seed " << seed;
  }
}

TEST_F(VulkanPyramid, EveryFormatThatTheDeviceStoresIsRight) {
  const vulkan::Device& device = test_device();
  Sample sample;
  int tried = 0;
  for (const FormatInfo& info : all_formats()) {
    Format target = info.format;
    if (info.depth) target = Format::kR32Sfloat;
    // Every format with at least one of the two reductions.
    const Reduction one = sample.takes(2) ? Reduction::kMean : Reduction::kMax;
    const bool both = !software();
    for (const Reduction reduction : {Reduction::kMean, Reduction::kMax}) {
      const PyramidOptions options{
          .size = {83, 61}, .slices = 2, .source = info.format, .target = target, .reduction = reduction};
      if (!device.can_read(info.format) || !device.can_write(target)) {
        EXPECT_EQ(vulkan::Pyramid::create(device, options).error().code, ErrorCode::kUnsupported);
        continue;
      }
      ++tried;
      if (!both && reduction != one) continue;
      EXPECT_TRUE(gpu_build_matches(options, {.sampling = Sampling::kFetch})) << "seed " << sample.seed();
    }
  }
  EXPECT_GE(tried, 2 * 13);
}

TEST_F(VulkanPyramid, ConvertsBetweenFormats) {
  for (const auto& [source, target] : {std::pair{Format::kRGBA8Srgb, Format::kRGBA16Sfloat},
                                       {Format::kRGBA32Sfloat, Format::kRGBA8Srgb},
                                       {Format::kR32Sfloat, Format::kR8Srgb},
                                       {Format::kD16Unorm, Format::kR16Unorm},
                                       {Format::kR8Unorm, Format::kR32Sfloat}}) {
    EXPECT_TRUE(gpu_build_matches({.size = {100, 75}, .source = source, .target = target}, {}));
  }
}

// Values around all rounding decisions of small floats: denormals, ties, overflow, infinities.
TEST_F(VulkanPyramid, SmallFloatsAreRoundedToNearest) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Random random(29);
  for (const auto& [source_format, target_format] : {std::pair{Format::kR32Sfloat, Format::kR16Sfloat},
                                                     {Format::kRG32Sfloat, Format::kRG16Sfloat},
                                                     {Format::kRGBA32Sfloat, Format::kRGBA16Sfloat},
                                                     {Format::kRGBA32Sfloat, Format::kB10G11R11Ufloat}}) {
    for (const Reduction reduction : {Reduction::kMean, Reduction::kMax}) {
      const PyramidOptions options{
          .size = {130, 67}, .source = source_format, .target = target_format, .reduction = reduction};
      const PyramidTuning tuning{.path = random.below(2) == 0 ? PyramidPath::kSingleDispatch : PyramidPath::kPerLevel,
                                 .sampling = Sampling::kFetch};
      PaddedImage source(options.source, options.size);
      for (uint32_t y = 0; y < options.size.height; ++y) {
        auto* row = reinterpret_cast<float*>(source.view().row(y));
        for (uint32_t i = 0; i < options.size.width * format_info(options.source).channels; ++i) {
          const int exponent = static_cast<int>(random.below(46)) - 28;
          const float sign = random.below(2) == 0 ? 1.0F : -1.0F;
          row[i] = sign * std::ldexp(static_cast<float>(random.below(8192)), exponent - 12);
          if (reduction == Reduction::kMax && random.below(64) == 0) row[i] = sign * kInfinity;
        }
      }
      EXPECT_TRUE(gpu_build_matches(options, tuning, source.view()));
    }
  }
}

TEST_F(VulkanPyramid, AlphaAndNormalModesMatch) {
  Sample sample;
  for (const PyramidTuning& tuning : main_tunings()) {
    for (const Extent size : {Extent{64, 64}, Extent{77, 50}}) {
      const uint32_t odds = tuning.path == PyramidPath::kPerLevel ? 1 : 2;
      for (const Format format : {Format::kRGBA8Unorm, Format::kRGBA8Srgb, Format::kRGBA32Sfloat}) {
        if (!sample.takes(odds)) continue;
        EXPECT_TRUE(
            gpu_build_matches({.size = size, .source = format, .target = format, .alpha = Alpha::kWeighted}, tuning));
      }
      for (const Format format : {Format::kRGBA8Unorm, Format::kRG8Unorm, Format::kRGBA16Sfloat}) {
        if (!sample.takes(odds)) continue;
        EXPECT_TRUE(gpu_build_matches(
            {.size = size, .source = format, .target = format, .normal_map = NormalMap::kRenormalize}, tuning));
      }
    }
  }
}

TEST_F(VulkanPyramid, CoverageAgreesWithTheCpuEngine) {
  Random random(7);
  for (const PyramidTuning& tuning : {main_tunings()[0], main_tunings()[2]}) {
    for (const Extent size : {Extent{200, 120}, Extent{65, 33}, Extent{3, 1}}) {
      const PyramidOptions options{.size = size,
                                   .slices = 3,
                                   .source = Format::kRGBA8Unorm,
                                   .target = Format::kRGBA8Unorm,
                                   .alpha = Alpha::kCoverage,
                                   .alpha_threshold = 0.4F};
      PaddedImage source(options.source, size, options.slices);
      fill_random(source.view(), random);
      Levels expected(options);
      Levels actual(options);
      auto cpu = cpu::Pyramid::create(options);
      ASSERT_TRUE(cpu && cpu->build(source.view(), expected.views));
      auto gpu = GpuPyramid::create({.options = options, .tuning = tuning});
      ASSERT_TRUE(gpu) << gpu.error().text();
      gpu->upload(source.view());
      gpu->build(2);  // the second build starts with the histogram of the first
      gpu->download(actual);
      for (size_t n = 0; n < actual.images.size(); ++n) {
        const auto& a = actual.images[n].bytes();
        const auto& b = expected.images[n].bytes();
        for (size_t i = 0; i < a.size(); ++i) {
          ASSERT_LE(std::abs(std::to_integer<int>(a[i]) - std::to_integer<int>(b[i])), 1)
              << describe(options) << " " << describe(tuning) << " level " << n + 1 << " byte " << i;
        }
      }
    }
  }
}

// Alphas whose means are exact give the same scale, and the same stored alphas, on both engines.
TEST_F(VulkanPyramid, CoverageStoresTheAlphasOfTheCpuEngine) {
  Sample sample;
  Random random(sample.seed());
  for (const PyramidTuning& tuning : {main_tunings()[0], main_tunings()[2]}) {
    for (const Format source_format : {Format::kRGBA8Srgb, Format::kRGBA16Unorm, Format::kRGBA32Sfloat}) {
      for (const Format target_format : {Format::kRGBA8Srgb, Format::kBGRA8Unorm, Format::kRGBA16Unorm,
                                         Format::kRGBA16Sfloat, Format::kRGBA32Sfloat, Format::kA2B10G10R10Unorm}) {
        for (const AlphaPicture picture : kAlphaPictures) {
          const uint32_t draw = random.below(7);
          if (!sample.takes(3)) continue;
          // Random floats have no exact means.
          if (source_format == Format::kRGBA32Sfloat && picture == AlphaPicture::kLeaves) continue;
          const bool is_16_bit = source_format == Format::kRGBA16Unorm;
          const float thresholds[] = {0.1F, 0.25F, 0.4F, 0.5F, 0.75F, 0.9F, 0.95F};
          const PyramidOptions options{.size = {128, 64},
                                       .slices = 2,
                                       .levels = is_16_bit ? 5U : 0U,  // sums of 16 bits are exact for four levels
                                       .source = source_format,
                                       .target = target_format,
                                       .alpha = Alpha::kCoverage,
                                       .alpha_threshold = thresholds[draw]};
          const auto possible = vulkan::Pyramid::create(test_device(), options);
          if (!possible && possible.error().code == ErrorCode::kUnsupported) continue;  // no such storage images
          PaddedImage source(options.source, options.size, options.slices);
          fill_alpha(source.view(), picture, sample.seed());
          Levels expected(options);
          Levels actual(options);
          auto cpu = cpu::Pyramid::create(options);
          ASSERT_TRUE(cpu && cpu->build(source.view(), expected.views));
          auto gpu = GpuPyramid::create({.options = options, .tuning = tuning});
          ASSERT_TRUE(gpu) << gpu.error().text();
          gpu->upload(source.view());
          gpu->build();
          gpu->download(actual);
          EXPECT_TRUE(keeps_coverage(options, source.view(), actual.views)) << "seed " << sample.seed();
          for (size_t n = 0; n < actual.views.size(); ++n) {
            for (uint32_t slice = 0; slice < options.slices; ++slice) {
              const std::vector<double> a = oracle_decode(actual.views[n], slice);
              const std::vector<double> b = oracle_decode(expected.views[n], slice);
              for (size_t i = 3; i < a.size(); i += 4) {
                ASSERT_EQ(a[i], b[i]) << describe(options) << " threshold " << options.alpha_threshold << " "
                                      << describe(tuning) << " level " << n + 1 << " texel " << i / 4 << " seed "
                                      << sample.seed();
              }
            }
          }
        }
      }
    }
  }
}

TEST_F(VulkanPyramid, CoverageCountsStoredAlphas) {
  Sample sample;
  Random random(sample.seed());
  for (const PyramidTuning& tuning : {main_tunings()[0], main_tunings()[2]}) {
    for (const Format format : {Format::kRGBA8Unorm, Format::kRGBA16Sfloat, Format::kRGBA32Sfloat}) {
      for (const Extent size : {Extent{64, 64}, Extent{61, 45}, Extent{20, 20}, Extent{96, 7}}) {
        for (const AlphaPicture picture : kAlphaPictures) {
          for (const float threshold : {0.1F, 0.3F, 0.5F, 0.75F, 0.95F}) {
            const uint32_t draw = random.below(2);
            if (!sample.takes(12)) continue;
            const PyramidOptions options{.size = size,
                                         .slices = 2,
                                         .source = format,
                                         .target = format,
                                         .footprint = kFootprints[draw],
                                         .alpha = Alpha::kCoverage,
                                         .alpha_threshold = threshold};
            PaddedImage source(options.source, options.size, options.slices);
            fill_alpha(source.view(), picture, sample.seed());
            auto gpu = GpuPyramid::create({.options = options, .tuning = tuning});
            ASSERT_TRUE(gpu) << gpu.error().text();
            gpu->upload(source.view());
            gpu->build(2);
            Levels actual(options);
            gpu->download(actual);
            EXPECT_TRUE(keeps_coverage(options, source.view(), actual.views))
                << describe(tuning) << " seed " << sample.seed();
          }
        }
      }
    }
  }
}

TEST_F(VulkanPyramid, LinearSamplerAndFetchAgreeWithTheContract) {
  Sample sample;
  for (const Extent size : {Extent{64, 64}, Extent{640, 360}, Extent{100, 51}, Extent{2, 1}}) {
    for (const Format format : {Format::kRGBA8Srgb, Format::kRGBA8Unorm, Format::kRGBA16Sfloat, Format::kR32Sfloat}) {
      for (const Sampling sampling : {Sampling::kFetch, Sampling::kLinear}) {
        // sRGB is only fetched, because hardware filters decoded sRGB with too few bits.
        if (format == Format::kRGBA8Srgb && sampling == Sampling::kLinear) continue;
        if (sample.takes(2)) {
          EXPECT_TRUE(gpu_build_matches({.size = size, .source = format, .target = format},
                                        {.path = PyramidPath::kSingleDispatch, .sampling = sampling}));
        }
        EXPECT_TRUE(gpu_build_matches({.size = size, .source = format, .target = format},
                                      {.path = PyramidPath::kPerLevel, .sampling = sampling}));
      }
    }
  }
}

// Beyond 4096 texels the coordinate of the middle of 2x2 texels needs all bits of a filter.
TEST_F(VulkanPyramid, LinearSamplerFindsTheMiddleOfLongImages) {
  for (const Extent size : {Extent{8192, 64}, Extent{64, 8192}, Extent{4090, 62}}) {
    EXPECT_TRUE(gpu_build_matches({.size = size, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat},
                                  {.sampling = Sampling::kLinear}));
  }
}

TEST_F(VulkanPyramid, EveryNumberOfTilesPerWorkgroupMatches) {
  Sample sample;
  // Three even levels, then odd ones: with small subgroups the tiles of one workgroup extend over more than two parent
  // tiles.
  EXPECT_TRUE(gpu_build_matches({.options = one_channel({1000, 1000}, Reduction::kMin, Footprint::kCovering),
                                 .tuning = {.path = PyramidPath::kSingleDispatch},
                                 .test = {.tiles_per_workgroup = 4}}));
  EXPECT_TRUE(gpu_build_matches({.options = one_channel({63, 1100}, Reduction::kMin, Footprint::kCovering),
                                 .tuning = {.path = PyramidPath::kSingleDispatch},
                                 .test = {.tiles_per_workgroup = 8}}));
  for (const uint32_t tiles : {1U, 2U, 4U, 8U}) {
    for (const Extent size : {Extent{700, 300}, Extent{512, 640}, Extent{1023, 133}}) {
      for (const Footprint footprint : {Footprint::kAligned, Footprint::kCovering}) {
        if (!sample.takes(2)) continue;
        EXPECT_TRUE(gpu_build_matches({.options = one_channel(size, Reduction::kMin, footprint),
                                       .tuning = {.path = PyramidPath::kSingleDispatch},
                                       .test = {.tiles_per_workgroup = tiles}}));
      }
    }
  }
}

TEST_F(VulkanPyramid, EveryExchangeAndLateArrivalsMatch) {
  Sample sample;
  for (PyramidTuning tuning :
       {PyramidTuning{}, PyramidTuning{.last_to_start = Switch::kOff}, PyramidTuning{.publish = Switch::kOff}}) {
    for (const Footprint footprint : kFootprints) {
      for (const Extent size : {Extent{700, 300}, Extent{512, 512}, Extent{1023, 129}}) {
        for (const uint32_t depth : {0U, 3U, 6U}) {
          if (!sample.takes(4)) continue;
          tuning.path = PyramidPath::kSingleDispatch;
          tuning.second_dispatch = Switch::kOff;  // it has less to exchange
          EXPECT_TRUE(gpu_build_matches({.options = one_channel(size, Reduction::kMin, footprint),
                                         .tuning = tuning,
                                         .test = {.stage_depth = depth, .delay = 3000}}));
        }
      }
    }
  }
}

// Words in relaxed atomics. The third build finds zeros only if the parity was
// flipped.
TEST_F(VulkanPyramid, AtomicSelfValidatingWordsMatch) {
  for (const Extent size : {Extent{512, 512}, Extent{700, 300}}) {
    for (const Switch last_to_start : {Switch::kOn, Switch::kOff}) {
      const PyramidTuning tuning{.path = PyramidPath::kSingleDispatch,
                                 .subgroup = Switch::kOn,
                                 .last_to_start = last_to_start,
                                 .publish = Switch::kOn,
                                 .second_dispatch = Switch::kOff};
      PyramidOptions pair = one_channel(size, Reduction::kMinMax, Footprint::kAligned);
      pair.target = Format::kRG32Sfloat;
      for (const PyramidOptions& options : {one_channel(size, Reduction::kMin, Footprint::kAligned), pair}) {
        EXPECT_TRUE(gpu_build_matches({.options = options, .tuning = tuning, .test = {.delay = 3000}}, 3));
      }
    }
  }
}

TEST_F(VulkanPyramid, SourceMayBeLevelZeroOfTheTarget) {
  for (const Format format : {Format::kR32Sfloat, Format::kRGBA8Srgb}) {
    for (const PyramidTuning& tuning : main_tunings()) {
      const PyramidOptions options{.size = {300, 133}, .slices = 6, .source = format, .target = format};
      Random random(5);
      PaddedImage source(format, options.size, options.slices);
      fill_random(source.view(), random);
      Levels levels(options);
      auto gpu = GpuPyramid::create({.options = options, .tuning = tuning, .source_is_level_0 = true});
      ASSERT_TRUE(gpu) << gpu.error().text();
      gpu->upload(source.view());
      gpu->build();
      gpu->download(levels);
      EXPECT_TRUE(matches(oracle_pyramid(options, source.view()), levels.views, gpu_tolerance(options, tuning)));
    }
  }
}

}  // namespace
}  // namespace onepass::testing
