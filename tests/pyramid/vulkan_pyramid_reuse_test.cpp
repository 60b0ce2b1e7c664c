// vulkan_pyramid_reuse_test.cpp: repeated use of a pyramid: repeated dispatches, shared scratch memory, changed
// rectangles; and the bugs of other implementations. Oracles: pyramid_oracle.hpp, and full builds.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "pyramid/dispatch_plan.hpp"
#include "tests/support/enumerators.hpp"
#include "tests/support/test_seed.hpp"
#include "tests/vulkan/vulkan_testing.hpp"

namespace onepass::testing {
namespace {

using vulkan::PyramidTuning;
using vulkan::Scratch;
using vulkan::Switch;

constexpr auto kFootprints = enumerators_without<Footprint::kCeil>();
constexpr PyramidTuning kSingle{.path = PyramidPath::kSingleDispatch, .second_dispatch = Switch::kOff};
constexpr PyramidTuning kTwo{.path = PyramidPath::kSingleDispatch, .second_dispatch = Switch::kOn};
constexpr PyramidTuning kPerLevel{.path = PyramidPath::kPerLevel};

using VulkanPyramidReuse = VulkanTest;
using VulkanPyramidBugs = VulkanTest;

PyramidOptions r32f(Extent size, Reduction reduction, Footprint footprint = Footprint::kCovering, uint32_t slices = 1) {
  return {.size = size,
          .slices = slices,
          .source = Format::kR32Sfloat,
          .target = Format::kR32Sfloat,
          .reduction = reduction,
          .footprint = footprint};
}

// A random rectangle: tiny, large, or at an edge.
Rect any_rect(Extent size, Random& random) {
  const auto side = [&](uint32_t length, uint32_t* begin) {
    *begin = random.below(4) == 0 ? length - 1 : random.below(length);
    return 1 + random.below(random.below(2) == 0 ? std::min(3U, length - *begin) : length - *begin);
  };
  Rect rect;
  rect.width = side(size.width, &rect.x);
  rect.height = side(size.height, &rect.y);
  return rect;
}

// After a change in a rectangle of the base, an update must equal a full build and write no unaffected texel.
void expect_update_is_a_build(const PyramidOptions& options, const PyramidTuning& tuning, Scratch scratch,
                              Random& random) {
  const std::string name = describe(options) + " " + describe(tuning);
  PaddedImage source(options.source, options.size, options.slices);
  fill_random(source.view(), random);
  auto gpu = GpuPyramid::create({.options = options, .tuning = tuning});
  ASSERT_TRUE(gpu) << gpu.error().text();
  gpu->upload(source.view());
  gpu->build();
  for (int round = 0; round < 3; ++round) {
    const Rect changed = any_rect(options.size, random);
    fill_random(source.view(), changed, random);
    gpu->upload(source.view());
    // Poison the levels: texels that the update does not write stay poison.
    Levels actual(options);
    gpu->upload_levels(actual);
    gpu->update(changed, scratch);
    gpu->download(actual);
    Levels full(options);
    auto fresh = GpuPyramid::create({.options = options, .tuning = tuning});
    ASSERT_TRUE(fresh) << fresh.error().text();
    fresh->upload(source.view());
    fresh->build();
    fresh->download(full);
    const uint32_t bytes = format_info(options.target).bytes_per_texel;
    for (uint32_t n = 0; n < full.views.size(); ++n) {
      const Rect affected = affected_rect(options, n + 1, changed);
      const Extent size = full.views[n].size;
      for (uint32_t s = 0; s < options.slices; ++s) {
        for (uint32_t y = 0; y < size.height; ++y) {
          for (uint32_t x = 0; x < size.width; ++x) {
            const bool inside = x - affected.x < affected.width && y - affected.y < affected.height;
            const std::byte* texel = actual.views[n].row(y, s) + size_t{x} * bytes;
            const std::byte* wanted = full.views[n].row(y, s) + size_t{x} * bytes;
            const std::byte poison[16] = {PaddedImage::kPoison, PaddedImage::kPoison, PaddedImage::kPoison,
                                          PaddedImage::kPoison};
            ASSERT_EQ(std::memcmp(texel, inside ? wanted : poison, bytes), 0)
                << name << " level " << n + 1 << " (" << x << ", " << y << ") slice " << s
                << (inside ? " is stale" : " was written") << " after a change of " << changed.x << "," << changed.y
                << "," << changed.width << "," << changed.height;
          }
        }
      }
    }
  }
}

TEST_F(VulkanPyramidReuse, UpdateEqualsBuildAndWritesNothingElse) {
  Sample sample;
  Random random(sample.seed());
  for (const PyramidTuning& tuning : {kSingle, kTwo, kPerLevel}) {
    for (const Footprint footprint : kFootprints) {
      for (const Extent size : {Extent{150, 131}, Extent{640, 65}, Extent{600, 521}, Extent{257, 5}}) {
        if (!sample.takes(tuning.path == PyramidPath::kPerLevel ? 1 : 2)) continue;
        for (const Scratch scratch : {Scratch::kFromLastBuild, Scratch::kUnknown}) {
          expect_update_is_a_build(r32f(size, Reduction::kMax, footprint), tuning, scratch, random);
        }
      }
    }
    expect_update_is_a_build(
        {.size = {333, 217}, .slices = 2, .source = Format::kRGBA8Srgb, .target = Format::kRGBA8Srgb}, tuning,
        Scratch::kFromLastBuild, random);
  }
}

TEST_F(VulkanPyramidReuse, ThousandDispatchesOnOneScratchBuffer) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  auto scratch = vulkan::Buffer::create(test_device().impl(), 64 << 20,
                                        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, false);
  ASSERT_TRUE(scratch) << scratch.error().text();
  // Software Vulkan compiles a pipeline for each shape and repeats 12 shapes; other devices use 100 shapes.
  const bool few = test_device().info().software && !full_run();
  std::vector<PyramidOptions> shapes;
  for (int i = 0; i < (few ? 12 : 100); ++i) {
    const Extent size{1 + random.below(400), 1 + random.below(400)};
    shapes.push_back(r32f(size, Reduction::kMin, kFootprints[random.below(kFootprints.size())]));
  }
  for (size_t i = 0; i < 100; ++i) {
    PyramidOptions options = shapes[few ? random.below(12) : i];
    options.slices = 1 + random.below(3);
    const Extent size = options.size;
    PaddedImage source(options.source, size, options.slices);
    fill_random(source.view(), random);
    const PyramidTuning& tuning = random.below(2) == 0 ? kSingle : kTwo;
    auto gpu = GpuPyramid::create({.options = options, .tuning = tuning, .scratch = scratch->buffer});
    ASSERT_TRUE(gpu) << gpu.error().text();
    gpu->reset();  // the memory was used for another shape
    gpu->upload(source.view());
    Levels levels(options);
    gpu->upload_levels(levels);
    gpu->build(9);
    gpu->upload_levels(levels);  // poison, which the last of ten dispatches must overwrite
    gpu->build();
    gpu->download(levels);
    ASSERT_TRUE(matches(oracle_pyramid(options, source.view()), levels.views, Tolerance::exact()))
        << describe(options) << " seed " << seed;
  }
}

// Where tiles of 64x64 halve exactly, a dispatch publishes single texels that the next but one overwrites: what is read
// must be of the same dispatch, whatever was built or updated in between.
TEST_F(VulkanPyramidReuse, PublishedTexelsAreOfTheirOwnDispatch) {
  std::vector<PyramidOptions> shapes = {r32f({512, 512}, Reduction::kMax, Footprint::kCovering, 2),
                                        r32f({1000, 700}, Reduction::kMean, Footprint::kAligned),
                                        {.size = {256, 256},
                                         .source = Format::kR32Sfloat,
                                         .target = Format::kRG32Sfloat,
                                         .reduction = Reduction::kMinMax},
                                        {.size = {330, 300},
                                         .slices = 2,
                                         .source = Format::kRGBA16Sfloat,
                                         .target = Format::kRGBA16Sfloat,
                                         .footprint = Footprint::kAligned},
                                        {.size = {1100, 1050},  // many invocations wait, each for its own texels
                                         .source = Format::kRGBA8Unorm,
                                         .target = Format::kRGBA8Unorm,
                                         .footprint = Footprint::kAligned}};
  // Three stages, and a column of tiles that no parent tile reads.
  shapes.push_back(r32f({8256, 512}, Reduction::kMin, Footprint::kAligned));
  Random random(21);
  for (const PyramidOptions& options : shapes) {
    const auto layout = pyramid::lay_out(options, {.subgroup_size = test_device().info().subgroup_size});
    ASSERT_TRUE(layout && (layout->params.stage_kinds & ONEPASS_STAGE_PUBLISHES) != 0) << describe(options);
    PyramidTuning last_to_start = kSingle;
    last_to_start.last_to_start = Switch::kOn;
    const PyramidTuning last_to_finish{.path = PyramidPath::kSingleDispatch, .last_to_start = Switch::kOff};
    for (const GpuPyramid::Setup& setup :
         {GpuPyramid::Setup{.options = options, .tuning = last_to_start, .test = {.delay = 3000}},
          GpuPyramid::Setup{.options = options, .tuning = last_to_finish}}) {
      const Tolerance tolerance = gpu_tolerance(options, setup.tuning);
      PaddedImage source(options.source, options.size, options.slices);
      auto gpu = GpuPyramid::create(setup);
      ASSERT_TRUE(gpu) << gpu.error().text();
      for (const int builds : {1, 3, 1, 1}) {
        fill_random(source.view(), random);
        gpu->upload(source.view());
        Levels levels(options);
        gpu->upload_levels(levels);
        if (builds > 1) {
          gpu->build(builds - 1);
          gpu->upload_levels(levels);  // poison
        }
        gpu->build();
        gpu->download(levels);
        ASSERT_TRUE(matches(oracle_pyramid(options, source.view()), levels.views, tolerance)) << describe(setup);
        const Rect changed = any_rect(options.size, random);
        fill_random(source.view(), changed, random);
        gpu->upload(source.view());
        gpu->update(changed, Scratch::kFromLastBuild);
        gpu->download(levels);
        ASSERT_TRUE(matches(oracle_pyramid(options, source.view()), levels.views, tolerance))
            << describe(setup) << " after an update";
      }
    }
  }
}

// A length near the sides of tiles and of the texels that stages combine, 1 to `most`.
uint32_t length_near_tiles(uint32_t most, Random& random) {
  constexpr uint32_t kAnchors[] = {1,   2,   8,   16,   32,   64,   96,   128,   192,
                                   256, 448, 512, 1024, 2048, 4096, 8192, 12288, 16384};
  for (;;) {
    const int64_t anchor = kAnchors[random.below(std::size(kAnchors))];
    const int64_t reach = random.below(2) == 0 ? 4 : 130;
    const int64_t length = anchor + random.below(static_cast<uint32_t>(2 * reach + 1)) - reach;
    if (length >= 1 && length <= most) return static_cast<uint32_t>(length);
  }
}

PyramidOptions any_pyramid_near_tiles(Random& random) {
  const Footprint footprint = kFootprints[random.below(kFootprints.size())];
  const bool slow = footprint == Footprint::kTight || footprint == Footprint::kEdge;  // for the oracle
  const uint32_t texels = slow ? 200'000 : 1'500'000;
  constexpr uint32_t kMostLength = 16384;  // of an image, on all tested devices
  uint32_t width = length_near_tiles(kMostLength, random);
  uint32_t height = length_near_tiles(std::clamp(texels / width, 1U, kMostLength), random);
  if (random.below(2) == 0) std::swap(width, height);
  const bool mean = footprint != Footprint::kTight && random.below(2) == 0;
  PyramidOptions options = r32f({width, height}, mean ? Reduction::kMean : Reduction::kMax, footprint);
  if (width * height < 500'000) {
    constexpr Format kFormats[] = {Format::kR32Sfloat, Format::kRGBA8Unorm, Format::kRGBA16Sfloat, Format::kRG32Sfloat};
    options.source = options.target = kFormats[random.below(4)];
  }
  if (width * height < 300'000) options.slices = 1 + random.below(3);
  if (random.below(3) == 0) options.levels = 2 + random.below(full_level_count(options.size));
  options.levels = std::min(options.levels, full_level_count(options.size));
  return options;
}

GpuPyramid::Setup any_single_dispatch(Random& random) {
  GpuPyramid::Setup setup{.options = any_pyramid_near_tiles(random), .tuning = kSingle};
  if (random.below(6) == 0) setup.tuning.subgroup = vulkan::Switch::kOff;
  if (random.below(6) == 0) setup.test.stage_depth = 3 + random.below(4);
  if (random.below(6) == 0) setup.test.tiles_per_workgroup = 1U << random.below(4);
  return setup;
}

// Builds one to three times, then, in every second call, rebuilds a rectangle.
void expect_builds_and_updates(const GpuPyramid::Setup& setup, Random& random, const std::string& name) {
  const PyramidOptions& options = setup.options;
  const Tolerance tolerance = gpu_tolerance(options, setup.tuning);
  auto gpu = GpuPyramid::create(setup);
  ASSERT_TRUE(gpu) << name << ": " << gpu.error().text();
  PaddedImage source(options.source, options.size, options.slices);
  fill_random(source.view(), random);
  gpu->upload(source.view());
  Levels levels(options);
  gpu->upload_levels(levels);
  for (uint32_t builds = 1 + random.below(3); builds > 0; --builds) {
    gpu->upload_levels(levels);  // poison
    gpu->build();
  }
  gpu->download(levels);
  ASSERT_TRUE(matches(oracle_pyramid(options, source.view()), levels.views, tolerance)) << name;
  if (random.below(2) == 0) return;
  const Rect changed = any_rect(options.size, random);
  fill_random(source.view(), changed, random);
  gpu->upload(source.view());
  gpu->update(changed, random.below(2) == 0 ? Scratch::kFromLastBuild : Scratch::kUnknown);
  gpu->download(levels);
  ASSERT_TRUE(matches(oracle_pyramid(options, source.view()), levels.views, tolerance))
      << name << " after an update of " << changed.x << "," << changed.y << " " << changed.width << "x"
      << changed.height;
}

// Sizes near the ends of tiles, of the tiles of one workgroup and of stages; full and cut chains; builds, then updates.
TEST_F(VulkanPyramidReuse, AnyShapeNearTiles) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  const int shapes = full_run() ? 1000 : test_device().info().software ? 8 : 100;
  for (int i = 0; i < shapes; ++i) {
    const GpuPyramid::Setup setup = any_single_dispatch(random);
    expect_builds_and_updates(setup, random, describe(setup) + " seed " + std::to_string(seed));
    if (HasFatalFailure()) return;
  }
}

// Tight, whose tiles are made in strips: levels that halve exactly and others, last tiles of one row or column and of
// 65, footprints of levels 1 to 3 that end in the next tile, images narrower than a strip.
TEST_F(VulkanPyramidReuse, TightStripsOfEverySize) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  constexpr Extent kSizes[] = {{136, 72}, {64, 64},  {65, 65},   {66, 129},  {130, 66}, {71, 150}, {1, 90},
                               {200, 7},  {15, 31},  {2049, 3},  {128, 200}, {8, 24},   {72, 81},  {63, 127},
                               {129, 65}, {3, 1030}, {4097, 17}, {10, 12},   {24, 1},   {193, 80}};
  for (const Extent size : kSizes) {
    for (const Format format : {Format::kR32Sfloat, Format::kRG32Sfloat, Format::kRGBA8Unorm}) {
      if (test_device().info().software && !full_run() && random.below(5) != 0) continue;
      PyramidOptions options =
          r32f(size, format == Format::kRG32Sfloat ? Reduction::kMax : Reduction::kMin, Footprint::kTight);
      options.source = options.target = format;
      options.slices = 1 + random.below(2);
      const GpuPyramid::Setup setup{.options = options, .tuning = kSingle};
      expect_builds_and_updates(setup, random, describe(setup) + " seed " + std::to_string(seed));
      if (HasFatalFailure()) return;
    }
  }
}

// A ramp: the extremes of each footprint are at its corners, so that a row or column too few or too many shows.
PaddedImage ramp(Format format, Extent size) {
  PaddedImage image(format, size);
  const uint32_t channels = texel_info(format).bytes_per_texel / sizeof(float);
  for (uint32_t y = 0; y < size.height; ++y) {
    auto* row = reinterpret_cast<float*>(image.view().row(y));
    for (uint32_t i = 0; i < size.width * channels; ++i) row[i] = static_cast<float>(i / channels + y);
  }
  return image;
}

// Tight at all pairs of lengths up to 20, where footprints are almost two blocks long, and around the ends of tiles;
// and several tiles of odd sizes. Software Vulkan takes few of them: last tiles of 65, the longest halo, exact levels.
TEST_F(VulkanPyramidReuse, TightFootprintsOfRampsHaveTheirEnds) {
  std::vector<Extent> sizes = {{65, 65}, {15, 23}, {71, 129}, {72, 80}};
  if (full_run() || !test_device().info().software) {
    std::vector<uint32_t> lengths(20);
    std::iota(lengths.begin(), lengths.end(), 1U);
    for (const uint32_t length : {63U, 64U, 65U, 66U, 127U, 128U, 129U, 130U}) lengths.push_back(length);
    for (const uint32_t width : lengths) {
      for (const uint32_t height : lengths) sizes.push_back({width, height});
    }
    sizes.insert(sizes.end(), {{1919, 1079}, {1920, 1080}, {4095, 3}, {3, 4095}});
  }
  for (const Extent size : sizes) {
    for (const Format target : {Format::kR32Sfloat, Format::kRG32Sfloat, Format::kRGBA32Sfloat}) {
      const bool pair = target == Format::kRG32Sfloat;
      PyramidOptions options = r32f(size, pair ? Reduction::kMinMax : Reduction::kMax, Footprint::kTight);
      options.source = pair ? Format::kR32Sfloat : target;
      options.target = target;
      EXPECT_TRUE(gpu_build_matches(options, kSingle, ramp(options.source, size).view()));
    }
  }
}

// Tiles of rows and columns that aligned drops, which no parent tile reads; chains that end before a level is one tile.
TEST_F(VulkanPyramidReuse, TilesThatNobodyReadsCountNothing) {
  struct Shape {
    Extent size;
    uint32_t levels, slices;
  };
  for (const auto& [size, levels, slices] : {Shape{{8194, 512}, 0, 1},
                                             {{4160, 300}, 0, 1},
                                             {{140, 4200}, 0, 3},
                                             {{8192, 128}, 8, 1},
                                             {{8192, 512}, 10, 1},
                                             {{4100, 4096}, 0, 2}}) {
    if (uint64_t{size.width} * size.height * slices > 8 << 20 && test_device().info().software && !full_run()) continue;
    for (const Reduction reduction : {Reduction::kMean, Reduction::kMax}) {
      PyramidOptions options = r32f(size, reduction, Footprint::kAligned, slices);
      options.levels = levels;
      EXPECT_TRUE(gpu_build_matches(options, kSingle, 22, 5));
    }
  }
}

// A chain of two stages, the first 2:1 and the second with several tiles: one workgroup may own all of these.
TEST_F(VulkanPyramidReuse, OneTileCompletesAllThatWaitForIt) {
  Random random(23);
  for (const uint32_t levels : {6U, 7U}) {
    PyramidOptions options = r32f({1000, 1000}, Reduction::kMax);
    options.levels = levels;
    PaddedImage source(options.source, options.size);
    fill_random(source.view(), random);
    auto gpu = GpuPyramid::create({.options = options, .tuning = kSingle});
    ASSERT_TRUE(gpu) << gpu.error().text();
    gpu->upload(source.view());
    Levels actual(options);
    gpu->upload_levels(actual);
    gpu->build();
    const Rect changed{512, 512, 1, 1};
    const float most = 1e9F;
    std::memcpy(source.view().row(512, 0) + size_t{4} * 512, &most, sizeof(most));
    gpu->upload(source.view());
    gpu->update(changed, Scratch::kFromLastBuild);
    gpu->download(actual);
    EXPECT_TRUE(matches(oracle_pyramid(options, source.view()), actual.views, Tolerance::exact())) << levels;
  }
}

TEST_F(VulkanPyramidReuse, NoTexelLooksLikeAnEmptyMailbox) {
  const PyramidOptions options = r32f({256, 256}, Reduction::kMax);  // all levels halve: it publishes
  PaddedImage source(options.source, options.size);
  for (uint32_t y = 0; y < options.size.height; ++y) {
    // Zeros on the left; on the right NaNs with all bits set.
    std::memset(source.view().row(y, 0), 0, size_t{4} * 128);
    std::memset(source.view().row(y, 0) + size_t{4} * 128, 0xFF, size_t{4} * 128);
  }
  auto gpu = GpuPyramid::create({.options = options, .tuning = kSingle});
  ASSERT_TRUE(gpu) << gpu.error().text();
  gpu->upload(source.view());
  Levels levels(options);
  gpu->upload_levels(levels);
  gpu->build(2);
  gpu->upload_levels(levels);  // poison
  gpu->build();
  gpu->download(levels);
  float texels[4];  // level 6
  std::memcpy(texels, levels.views[5].row(0, 0), sizeof(texels));
  EXPECT_EQ(texels[0], 0.0F);
  EXPECT_EQ(texels[1], 0.0F);
  EXPECT_TRUE(std::isnan(texels[2]) && std::isnan(texels[3]));
}

// Whichever form its words have, a kernel that publishes flips the parity, the last word of the mailbox. Now and then a
// delayed workgroup makes another one poll more than once.
TEST_F(VulkanPyramidReuse, EveryFormOfSelfValidatingWordsFlipsTheParity) {
  for (const Reduction reduction : {Reduction::kMin, Reduction::kMinMax}) {
    PyramidOptions options = r32f({1024, 1024}, reduction);
    if (reduction == Reduction::kMinMax) options.target = Format::kRG32Sfloat;
    auto layout = pyramid::lay_out(options, {.path = PyramidPath::kSingleDispatch,
                                             .subgroup_size = test_device().impl().full_subgroup_size(),
                                             .publishes = true,
                                             .last_to_start = true});
    ASSERT_TRUE(layout) << layout.error().text();
    ASSERT_GT(layout->mailbox_bytes, 0U);
    auto scratch = vulkan::Buffer::create(test_device().impl(), layout->plan.scratch_bytes,
                                          VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
    ASSERT_TRUE(scratch) << scratch.error().text();
    const GpuPyramid::Setup setup{.options = options,
                                  .tuning = {.path = PyramidPath::kSingleDispatch,
                                             .subgroup = Switch::kOn,
                                             .last_to_start = Switch::kOn,
                                             .publish = Switch::kOn},
                                  .test = {.delay = 3000},
                                  .scratch = scratch->buffer};
    auto gpu = GpuPyramid::create(setup);
    ASSERT_TRUE(gpu) << gpu.error().text();
    PaddedImage source(options.source, options.size);
    Levels poison(options);
    Levels actual(options);
    Random random(24);
    fill_random(source.view(), random);
    gpu->upload(source.view());
    gpu->reset();
    const uint64_t end = layout->intermediate_offset + layout->intermediate_bytes + layout->mailbox_bytes;
    const auto* parity =
        reinterpret_cast<const uint32_t*>(static_cast<const std::byte*>(scratch->mapped) + end) - layout->components;
    const auto oracle = oracle_pyramid(options, source.view());
    for (uint32_t build = 1; build <= 20; ++build) {
      gpu->upload_levels(poison);
      gpu->build();
      gpu->download(actual);
      EXPECT_EQ(*parity, build & 1U) << describe(setup);
      EXPECT_TRUE(matches(oracle, actual.views, Tolerance::exact())) << describe(setup);
    }
  }
}

TEST_F(VulkanPyramidBugs, Tail128x32ReadsNothingOutside) {
  for (const PyramidTuning& tuning : {kSingle, kPerLevel}) {
    for (const Format format : {Format::kRGBA8Unorm, Format::kRGBA32Sfloat}) {
      EXPECT_TRUE(gpu_build_matches({.size = {128, 32}, .source = format, .target = format}, tuning));
      EXPECT_TRUE(gpu_build_matches({.size = {4096, 64}, .source = format, .target = format}, tuning));
    }
  }
}

TEST_F(VulkanPyramidBugs, MoreThanSixSlices) {
  for (const uint32_t slices : {6U, 7U, 64U}) {
    EXPECT_TRUE(gpu_build_matches(r32f({130, 67}, Reduction::kMin, Footprint::kCovering, slices), kSingle));
  }
  EXPECT_TRUE(gpu_build_matches(r32f({66, 5}, Reduction::kMax, Footprint::kCovering, 2048), kSingle));
}

TEST_F(VulkanPyramidBugs, MoreThan4096AndThinImages) {
  for (const Extent size : {Extent{8192, 64}, Extent{4097, 3}, Extent{16384, 16}, Extent{3, 5001}, Extent{16384, 1}}) {
    for (const PyramidTuning& tuning : {kSingle, kPerLevel}) {
      EXPECT_TRUE(gpu_build_matches(r32f(size, Reduction::kMin), tuning));
      EXPECT_TRUE(gpu_build_matches(r32f(size, Reduction::kMean), tuning));
    }
  }
  // An invocation reduces more than 65535 texels of the last level, where loops of lavapipe end.
  EXPECT_TRUE(gpu_build_matches(r32f({8192, 4096}, Reduction::kMin, Footprint::kTight), kPerLevel));
  if (test_device().info().software && !full_run()) return;
  EXPECT_TRUE(gpu_build_matches(r32f({16384, 16384}, Reduction::kMin), kSingle));
  EXPECT_TRUE(gpu_build_matches(r32f({8191, 8191}, Reduction::kMean), kSingle));
}

TEST_F(VulkanPyramidBugs, OddInOneAxisOnlyKeepsWeightsApart) {
  for (const Extent size : {Extent{65, 64}, Extent{64, 65}, Extent{127, 254}}) {
    for (const PyramidTuning& tuning : {kSingle, kPerLevel})
      EXPECT_TRUE(gpu_build_matches(r32f(size, Reduction::kMean), tuning));
  }
}

TEST_F(VulkanPyramidBugs, ShortChainsFinishEveryTileOfTheirLastStage) {
  // If the last stage of a cut chain has several tiles, one workgroup may complete more than one of them.
  for (uint32_t levels = 1; levels <= 8; ++levels) {
    for (const Extent size : {Extent{127, 1720}, Extent{1030, 260}}) {
      PyramidOptions options = r32f(size, Reduction::kMin);
      options.levels = levels;
      for (uint32_t seed = 1; seed <= 4; ++seed) EXPECT_TRUE(gpu_build_matches(options, kSingle, seed));
    }
  }
}

TEST_F(VulkanPyramidBugs, ShapesTheDeviceCannotDoAreRefusedWithAReason) {
  const vulkan::Device& device = test_device();
  const auto error = [&](PyramidOptions options, PyramidTuning tuning = {}) {
    auto created = vulkan::Pyramid::create(device, options, tuning);
    return created ? Error{ErrorCode::kInvalidArgument, "created", {}} : created.error();
  };
  const uint32_t limit = device.info().max_image_size;
  EXPECT_NE(error(r32f({limit + 1, 4}, Reduction::kMin)).text().find("maxImageDimension2D"), std::string::npos);
  EXPECT_NE(
      error(r32f({4, 4}, Reduction::kMin, Footprint::kCovering, device.info().max_slices + 1)).text().find("slices"),
      std::string::npos);
  EXPECT_NE(error(r32f({4, 4}, Reduction::kMean, Footprint::kTight)).text().find("tight"), std::string::npos);
  PyramidOptions depth = r32f({4, 4}, Reduction::kMin);
  depth.target = Format::kD32Sfloat;
  EXPECT_NE(error(depth).text().find("d32_sfloat"), std::string::npos);
  PyramidOptions pair = r32f({4, 4}, Reduction::kMinMax);
  EXPECT_NE(error(pair).text().find("two channels"), std::string::npos);
  EXPECT_NE(error(r32f({4, 4}, Reduction::kMin), {.sampling = vulkan::Sampling::kLinear}).text().find("sampling"),
            std::string::npos);
}

// The kinds of stages decide which pipelines a pyramid needs: here one of two for the first dispatch, and one for the
// second. Sizes of windows on a GPU of 32 invocations per subgroup.
TEST(PyramidDispatchPlan, SharedPipelinesHaveStagesOfOneKind) {
  Random random(11);
  uint32_t base_kinds = 0;
  for (int i = 0; i < 2000; ++i) {
    const uint32_t unit = 1U << random.below(7);
    const uint32_t width = (320 + random.below(3777)) / unit * unit;
    const Extent size{width, std::max(width / 4 + random.below(2 * width) / unit * unit, 65U)};
    const auto layout = pyramid::lay_out(r32f(size, Reduction::kMin),
                                         {.subgroup_size = 32, .may_split = true, .shares_pipelines = true});
    ASSERT_TRUE(layout);
    if (layout->kinds() == pyramid::kTwoToOneStages) continue;  // a square power of two
    base_kinds |= layout->base_kind;
    EXPECT_TRUE(layout->splits) << size.width << "x" << size.height;
    EXPECT_EQ(layout->later_kinds, pyramid::kWindowStages) << size.width << "x" << size.height;
  }
  EXPECT_EQ(base_kinds, pyramid::kTwoToOneStages | pyramid::kWindowStages);
}

TEST(PyramidDispatchPlan, OneDispatchForAnyChainAndOneALevelOtherwise) {
  for (const Extent size : {Extent{1, 2}, Extent{1920, 1080}, Extent{4095, 4095}, Extent{16384, 16384}}) {
    auto single = vulkan::plan_pyramid_dispatches(r32f(size, Reduction::kMin), kSingle);
    auto levels = vulkan::plan_pyramid_dispatches(r32f(size, Reduction::kMin), kPerLevel);
    ASSERT_TRUE(single && levels);
    EXPECT_EQ(single->dispatches.size(), 1U);
    EXPECT_EQ(levels->dispatches.size(), full_level_count(size) - 1);
  }
  const auto dispatches = [](const PyramidOptions& options, Switch second) {
    const PyramidTuning tuning{.second_dispatch = second, .pipelines = vulkan::Pipelines::kOwn};
    return vulkan::plan_pyramid_dispatches(options, tuning)->dispatches.size();
  };
  const PyramidOptions colour{.size = {1920, 1080},
                              .source = Format::kRGBA8Unorm,
                              .target = Format::kRGBA8Unorm};  // three levels halve exactly
  EXPECT_EQ(dispatches(colour, Switch::kAuto), 2U);
  EXPECT_EQ(dispatches(colour, Switch::kOff), 1U);
  EXPECT_EQ(dispatches(r32f({1920, 1080}, Reduction::kMin), Switch::kAuto), 1U);
  EXPECT_EQ(dispatches(r32f({1920, 1080}, Reduction::kMin), Switch::kOn), 2U);
  EXPECT_EQ(dispatches(r32f({3840, 2160}, Reduction::kMin), Switch::kAuto), 2U);
  EXPECT_EQ(dispatches(r32f({1920, 1080}, Reduction::kMin, Footprint::kEdge), Switch::kAuto), 2U);
  EXPECT_EQ(dispatches(r32f({1919, 1079}, Reduction::kMin), Switch::kAuto), 2U);
  EXPECT_EQ(dispatches(r32f({511, 511}, Reduction::kMin), Switch::kAuto), 1U);
  EXPECT_EQ(dispatches(r32f({2560, 1440}, Reduction::kMin), Switch::kAuto), 1U);  // 2:1, window, general
  EXPECT_EQ(dispatches(r32f({4096, 2048}, Reduction::kMin), Switch::kOn), 1U);    // the first six levels halve exactly
  // Pipelines that sizes share have one kind of stages each.
  const auto shared = [](Extent size, Footprint footprint) {
    return vulkan::plan_pyramid_dispatches(r32f(size, Reduction::kMin, footprint))->dispatches.size();
  };
  EXPECT_EQ(shared({1920, 1080}, Footprint::kCovering), 2U);
  EXPECT_EQ(shared({4096, 2048}, Footprint::kCovering), 2U);
  EXPECT_EQ(shared({4096, 4096}, Footprint::kCovering), 1U);
  EXPECT_EQ(shared({1919, 1079}, Footprint::kAligned), 1U);
  EXPECT_EQ(shared({3440, 1440}, Footprint::kAligned), 1U);  // 2:1, then general
  EXPECT_EQ(shared({60, 34}, Footprint::kCovering), 1U);
  EXPECT_EQ(vulkan::plan_pyramid_dispatches(colour, {.subgroup = Switch::kOff})->dispatches.size(), 1U);
  auto plan = vulkan::plan_pyramid_dispatches(r32f({1920, 1080}, Reduction::kMin), kSingle);
  EXPECT_EQ(plan->dispatches[0].x, 30U);
  EXPECT_EQ(plan->dispatches[0].y, 17U);
  // Levels 3 (240x135) and 6 (30x16) are intermediate levels: 4 bytes per fp32 texel.
  EXPECT_EQ(plan->bytes_read, 4U * (1920 * 1080 + 240 * 135 + 30 * 16));
  uint64_t texels = 0;
  for (uint32_t n = 1; n < 11; ++n) texels += uint64_t{std::max(1U, 1920U >> n)} * std::max(1U, 1080U >> n);
  EXPECT_EQ(plan->bytes_written, 4U * (texels + 240 * 135 + 30 * 16));
  EXPECT_EQ(vulkan::plan_pyramid_dispatches({.size = {1, 1}, .source = Format::kR8Unorm, .target = Format::kR8Unorm})
                ->dispatches.size(),
            0U);
}

}  // namespace
}  // namespace onepass::testing
