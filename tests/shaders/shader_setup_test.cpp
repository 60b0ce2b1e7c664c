// shader_setup_test.cpp: the values that shader_setup.h computes. Oracle: the library's own dispatch plans.
#include "onepass/shader_setup.h"
#include "tests/support/enumerators.hpp"
#include "tests/support/test_seed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "luminance/settings.hpp"
#include "pyramid/dispatch_plan.hpp"
#include "tests/pyramid/pyramid_testing.hpp"

namespace onepass::testing {
namespace {

using pyramid::PyramidParams;

constexpr auto kFootprints = enumerators_without<Footprint::kTight, Footprint::kCeil>();

constexpr Format kFormats[] = {Format::kR8Unorm,          Format::kRG8Unorm,       Format::kRGBA8Srgb,
                               Format::kA2B10G10R10Unorm, Format::kR16Sfloat,      Format::kRG16Unorm,
                               Format::kRGBA16Unorm,      Format::kR32Sfloat,      Format::kRG32Sfloat,
                               Format::kRGBA32Sfloat,     Format::kB10G11R11Ufloat};

// The same request to both, for images of `format`.
void expect_same(OnepassPyramidRequest request, Format format, uint32_t seed) {
  const FormatInfo& info = format_info(format);
  request.texel_bytes = info.bytes_per_texel;
  const auto footprint = static_cast<Footprint>(request.footprint);
  const Extent size{request.width, request.height};
  const PyramidOptions options{.size = size,
                               .slices = request.slices,
                               .levels = request.levels < 0 ? 0U : static_cast<uint32_t>(request.levels) + 1,
                               .source = format,
                               .target = format,
                               .reduction = Reduction::kMean,
                               .footprint = footprint};
  const auto layout =
      pyramid::lay_out(options, {.subgroup_size = request.subgroup_size, .last_to_start = request.last_to_start != 0});
  ASSERT_TRUE(layout) << layout.error().text();
  std::optional<Rect> changed;
  if (request.rectangle_width != 0) {
    changed = Rect{request.x, request.y, std::min(request.rectangle_width, size.width - request.x),
                   std::min(request.rectangle_height, size.height - request.y)};
  }
  const auto expected = pyramid::chain_dispatch(*layout, 0, changed, request.reuses_scratch == 0);
  OnepassPyramidSetup setup;
  ASSERT_EQ(onepass_pyramid_setup(&request, &setup), ONEPASS_SETUP_OK);
  const std::string what = std::to_string(size.width) + "x" + std::to_string(size.height) + " levels " +
                           std::to_string(request.levels) + " footprint " + std::to_string(request.footprint) +
                           " subgroup " + std::to_string(request.subgroup_size) + " " + std::string(info.name) +
                           " seed " + std::to_string(seed);
  EXPECT_EQ(std::memcmp(&setup.constants, &expected.params, sizeof(PyramidParams)), 0) << what;
  EXPECT_EQ(setup.groups[0], expected.groups.x) << what;
  EXPECT_EQ(setup.groups[1], expected.groups.y) << what;
  EXPECT_EQ(setup.groups[2], expected.groups.z) << what;
  EXPECT_EQ(setup.group_offset[0], expected.params.active_tiles[0].x & 0xFFFFU) << what;
  EXPECT_EQ(setup.group_offset[1], expected.params.active_tiles[0].x >> 16) << what;
  EXPECT_EQ(setup.levels, layout->plan.plan.levels - 1) << what;
  EXPECT_EQ(setup.counters * 4ULL, layout->counter_bytes) << what;
  EXPECT_EQ(setup.kept * 4ULL * layout->components, layout->intermediate_bytes) << what;
}

TEST(ShaderSetup, PyramidsAreThoseOfTheLibrary) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (int i = 0; i < 20000; ++i) {
    const auto any_length = [&] { return 1 + random.below(1U << (1 + random.below(14))); };
    OnepassPyramidRequest request{};
    request.width = any_length();
    request.height = any_length();
    if (random.below(4) == 0) request.width = (1 + random.below(16)) << random.below(9);
    if (random.below(4) == 0) request.height = (1 + random.below(16)) << random.below(9);
    const uint32_t full = full_level_count({request.width, request.height}) - 1;
    if (full == 0) continue;
    request.slices = 1 + random.below(3);
    request.levels = random.below(3) == 0 ? static_cast<int32_t>(1 + random.below(full)) : -1;
    request.footprint = static_cast<uint32_t>(kFootprints[random.below(kFootprints.size())]);
    request.subgroup_size = random.below(3) == 0 ? 0 : 8U << random.below(5);
    request.last_to_start = random.below(2);
    if (random.below(2) == 0) {
      request.x = random.below(request.width);
      request.y = random.below(request.height);
      request.rectangle_width = 1 + random.below(request.width);
      request.rectangle_height = 1 + random.below(request.height);
      request.reuses_scratch = random.below(2);
    }
    expect_same(request, kFormats[random.below(std::size(kFormats))], seed);
    if (HasFailure()) return;
  }
}

// Worked out by hand. 2:1 stages: 576 tiles at 1536x1536, 784 at 1792x1792, 1024 at 2048x2048, 1156 at 2176x2176, 4096
// at 4096x4096. At 1808x1808, with 841 tiles, a tile makes four levels only. Sliding windows: columns by rows of
// workgroups of one row per subgroup are 9 by 8 at 511x511, 28 by 16 at 1535x1023 (with four rows: 28 by 4), 37 by 32
// at 2047x2047 (37 by 8), 73 by 64 at 4095x4095 (73 by 16).
TEST(ShaderSetup, SizeAndBytesPerTexelChooseTilesPerWorkgroupAndRowsPerSubgroup) {
  const auto run = [](uint32_t width, uint32_t height, uint32_t texel_bytes) {
    OnepassPyramidRequest request{};
    request.width = width;
    request.height = height;
    request.slices = 1;
    request.levels = -1;
    request.footprint = ONEPASS_SETUP_FOOTPRINT_COVERING;
    request.subgroup_size = 32;
    request.texel_bytes = texel_bytes;
    OnepassPyramidSetup setup;
    EXPECT_EQ(onepass_pyramid_setup(&request, &setup), ONEPASS_SETUP_OK);
    return setup.constants.base_run;
  };
  EXPECT_EQ(run(1536, 1536, 4), 1U);
  EXPECT_EQ(run(1792, 1792, 4), 2U);
  EXPECT_EQ(run(2048, 2048, 16), 2U);
  EXPECT_EQ(run(2176, 2176, 4), 1U);
  EXPECT_EQ(run(1808, 1808, 4), 1U);
  EXPECT_EQ(run(4096, 4096, 4), 1U);
  EXPECT_EQ(run(511, 511, 4), 1U);
  EXPECT_EQ(run(1535, 1023, 4), 2U);
  EXPECT_EQ(run(1535, 1023, 16), 1U);
  EXPECT_EQ(run(2047, 2047, 4), 4U);
  EXPECT_EQ(run(2047, 2047, 8), 4U);
  EXPECT_EQ(run(4095, 4095, 0), 4U);
  EXPECT_EQ(run(4095, 4095, 8), 2U);
  EXPECT_EQ(run(4095, 4095, 16), 1U);
}

// A tile of stage 0 has 256 invocations, in one workgroup or in several.
TEST(PyramidDispatchPlan, SmallWorkgroupsShareATileOfTheFirstOfTwoDispatches) {
  const std::pair<Format, uint32_t> cases[] = {
      {Format::kR32Sfloat, 32}, {Format::kRG32Sfloat, 64}, {Format::kRGBA8Srgb, 128}};
  for (const auto& [format, workgroup_size] : cases) {
    const PyramidOptions options{.size = {4095, 4095}, .source = format, .target = format};
    const auto one = pyramid::lay_out(options, {.subgroup_size = 32});
    const auto two = pyramid::lay_out(options, {.subgroup_size = 32, .may_split = true});
    ASSERT_TRUE(one && two);
    ASSERT_EQ(one->plan.dispatches.size(), 1U);
    ASSERT_EQ(two->plan.dispatches.size(), 2U);
    const auto whole = one->plan.dispatches[0];
    const auto first = two->plan.dispatches[0];
    EXPECT_EQ(whole.workgroup_size, 256U);
    EXPECT_EQ(first.workgroup_size, workgroup_size);
    EXPECT_EQ(first.x, whole.x);
    EXPECT_EQ(first.y * first.workgroup_size, whole.y * whole.workgroup_size);
    EXPECT_EQ(two->plan.dispatches[1].workgroup_size, 256U);
  }
}

TEST(ShaderSetup, SaysWhatIsWrong) {
  OnepassPyramidRequest good{};
  good.width = 100;
  good.height = 50;
  good.slices = 1;
  good.levels = -1;
  good.footprint = ONEPASS_SETUP_FOOTPRINT_COVERING;
  OnepassPyramidSetup setup;
  EXPECT_EQ(onepass_pyramid_setup(&good, &setup), ONEPASS_SETUP_OK);
  const auto expect = [&](int code, auto change) {
    OnepassPyramidRequest bad = good;
    change(bad);
    EXPECT_EQ(onepass_pyramid_setup(&bad, &setup), code);
    EXPECT_EQ(setup.groups[0], 0U);
  };
  expect(ONEPASS_SETUP_BAD_SIZE, [](auto& r) { r.width = 0; });
  expect(ONEPASS_SETUP_BAD_SIZE, [](auto& r) { r.height = 65536; });
  expect(ONEPASS_SETUP_BAD_SIZE, [](auto& r) { r.slices = 0; });
  expect(ONEPASS_SETUP_BAD_LEVELS, [](auto& r) { r.levels = 7; });
  expect(ONEPASS_SETUP_BAD_LEVELS, [](auto& r) { r.levels = -2; });
  expect(ONEPASS_SETUP_BAD_FOOTPRINT, [](auto& r) { r.footprint = 2; });
  expect(ONEPASS_SETUP_BAD_SUBGROUP, [](auto& r) { r.subgroup_size = 24; });
  expect(ONEPASS_SETUP_BAD_SUBGROUP, [](auto& r) { r.subgroup_size = 4; });
  expect(ONEPASS_SETUP_BAD_RECTANGLE, [](auto& r) { r.rectangle_width = 1; });
  expect(ONEPASS_SETUP_BAD_RECTANGLE, [](auto& r) {
    r.x = 100;
    r.rectangle_width = r.rectangle_height = 1;
  });
  expect(ONEPASS_SETUP_TOO_LARGE, [](auto& r) {
    r.width = r.height = 65535;
    r.slices = 1000;
  });
  expect(ONEPASS_SETUP_OK, [](auto& r) { r.levels = 0; });
  expect(ONEPASS_SETUP_OK, [](auto& r) {  // texels that aligned drops affect no level
    r.footprint = ONEPASS_SETUP_FOOTPRINT_ALIGNED;
    r.width = r.height = 65;
    r.x = r.y = 64;
    r.rectangle_width = r.rectangle_height = r.reuses_scratch = 1;
  });
}

TEST(ShaderSetup, TilesCoverTheImage) {
  OnepassTileSetup setup;
  for (const uint32_t factor : {2U, 4U, 8U, 16U, 32U, 64U}) {
    for (const Extent size : {Extent{1, 1}, Extent{64, 64}, Extent{1919, 1081}, Extent{65535, 3}}) {
      ASSERT_EQ(onepass_tile_setup(size.width, size.height, 3, factor, &setup), ONEPASS_SETUP_OK);
      EXPECT_EQ(2U << setup.side_log2, factor);
      EXPECT_EQ(setup.tiles[0], (size.width + factor - 1) / factor);
      EXPECT_EQ(setup.tiles[1], (size.height + factor - 1) / factor);
      const uint32_t lanes_log2 = 2 * setup.side_log2 - setup.reads_log2;
      ASSERT_LE(lanes_log2, setup.group_log2);
      ASSERT_LE(setup.reads_log2, 4U);
      const uint32_t tiles_log2 = setup.group_log2 - lanes_log2;
      const uint32_t columns = 1U << (tiles_log2 + 1) / 2;
      const uint32_t rows = 1U << tiles_log2 / 2;
      EXPECT_GE(setup.groups[0] * columns, setup.tiles[0]);
      EXPECT_LT((setup.groups[0] - 1) * columns, setup.tiles[0]);
      EXPECT_GE(setup.groups[1] * rows, setup.tiles[1]);
      EXPECT_LT((setup.groups[1] - 1) * rows, setup.tiles[1]);
      EXPECT_EQ(setup.groups[2], 3U);
    }
  }
  EXPECT_EQ(onepass_tile_setup(10, 10, 1, 3, &setup), ONEPASS_SETUP_BAD_FACTOR);
  EXPECT_EQ(onepass_tile_setup(10, 10, 1, 128, &setup), ONEPASS_SETUP_BAD_FACTOR);
  EXPECT_EQ(onepass_tile_setup(0, 10, 1, 2, &setup), ONEPASS_SETUP_BAD_SIZE);
  EXPECT_EQ(setup.groups[0], 0U);
}

TEST(ShaderSetup, MetersAreThoseOfTheLibrary) {
  for (const Extent size : {Extent{1, 1}, Extent{129, 17}, Extent{1920, 1080}, Extent{30000, 20000}}) {
    const MeterOptions options{.size = {size.width + 7, size.height + 9}, .source = Format::kRGBA16Sfloat};
    luminance::LuminanceParams expected = luminance::make_params(options, {7, 9, size.width, size.height});
    expected.seconds = -1.0F;  // a cut
    OnepassLuminanceSetup setup;
    ASSERT_EQ(onepass_luminance_setup(7, 9, size.width, size.height, 2, 2048, &setup), ONEPASS_SETUP_OK);
    const uint64_t tiles = uint64_t{(size.width + 127) / 128} * ((size.height + 15) / 16);
    EXPECT_EQ(setup.constants.groups, std::clamp<uint64_t>(132, (tiles + 8191) / 8192, tiles));
    EXPECT_EQ(setup.groups[0], setup.constants.groups);
    EXPECT_EQ(setup.groups[1], 1U);
    EXPECT_EQ(setup.groups[2], 2U);
    EXPECT_EQ(setup.words, 2 * (1056 + 2 * 2048U));
    expected.groups = setup.constants.groups;
    EXPECT_EQ(std::memcmp(&setup.constants, &expected, sizeof expected), 0) << size.width;
  }
  OnepassLuminanceSetup setup;
  EXPECT_EQ(onepass_luminance_setup(0, 0, 0, 5, 1, 2048, &setup), ONEPASS_SETUP_BAD_SIZE);
  EXPECT_EQ(onepass_luminance_setup(65000, 0, 600, 5, 1, 2048, &setup), ONEPASS_SETUP_BAD_RECTANGLE);
  EXPECT_EQ(onepass_luminance_setup(0, 0, 5, 5, 1, 100, &setup), ONEPASS_SETUP_TOO_LARGE);
  EXPECT_EQ(onepass_luminance_setup(0, 0, 5, 5, 0xFFFFFFFFU, 2048, &setup), ONEPASS_SETUP_TOO_LARGE);
  EXPECT_EQ(setup.groups[0], 0U);
}

// One axis of a rectangle of the source: SPD runs the tiles of the rectangle; covering footprints also the tiles with a
// texel, of the levels that tiles make, whose footprint overlaps it.
void expect_spd_tiles(uint32_t size, uint32_t begin, uint32_t end, uint32_t mips, bool covering, uint32_t offset,
                      uint32_t groups) {
  uint32_t first = begin / 64;
  for (uint32_t n = 1; n <= std::min(mips, 6U) && covering; ++n) {
    const uint32_t block = 1U << n;
    for (uint32_t i = 0; i < size >> n; ++i) {
      if (i * block < end && (i + 1) * block + size % block > begin) first = std::min(first, i * block / 64);
    }
  }
  EXPECT_EQ(offset, first) << size << " " << begin << " " << end << " mips " << mips;
  EXPECT_EQ(offset + groups, (end + 63) / 64) << size << " " << begin << " " << end << " mips " << mips;
}

TEST(ShaderSetup, SpdRunsEveryTileThatARectangleAffects) {
  const uint32_t seed = random_seed();
  Random random(seed);
  for (int i = 0; i < 2000; ++i) {
    OnepassSpdRequest request{};
    request.width = 1 + random.below(random.below(2) == 0 ? 300 : 4096);
    request.height = 1 + random.below(300);
    request.slices = 1 + random.below(6);
    const uint32_t full = full_level_count({request.width, request.height}) - 1;
    request.levels = static_cast<int32_t>(random.below(full + 2)) - 1;
    request.footprint = random.below(2) == 0 ? ONEPASS_SETUP_FOOTPRINT_ALIGNED : ONEPASS_SETUP_FOOTPRINT_COVERING;
    const bool partial = random.below(3) != 0;
    request.x = partial ? random.below(request.width) : 0;
    request.y = partial ? random.below(request.height) : 0;
    request.rectangle_width = partial ? 1 + random.below(request.width) : 0;  // may end beyond the image
    request.rectangle_height = partial ? 1 + random.below(request.height) : 0;
    OnepassSpdSetup setup;
    ASSERT_EQ(onepass_spd_setup(&request, &setup), ONEPASS_SETUP_OK);
    ASSERT_EQ(setup.mips, request.levels < 0 ? full : static_cast<uint32_t>(request.levels));
    if (setup.mips == 0) {
      EXPECT_EQ(setup.groups[0] + setup.groups[1] + setup.groups[2], 0U);
      continue;
    }
    const uint32_t right = partial ? std::min(request.x + request.rectangle_width, request.width) : request.width;
    const uint32_t bottom = partial ? std::min(request.y + request.rectangle_height, request.height) : request.height;
    const bool covering = request.footprint == ONEPASS_SETUP_FOOTPRINT_COVERING;
    expect_spd_tiles(request.width, request.x, right, setup.mips, covering, setup.group_offset[0], setup.groups[0]);
    expect_spd_tiles(request.height, request.y, bottom, setup.mips, covering, setup.group_offset[1], setup.groups[1]);
    EXPECT_EQ(setup.groups[2], request.slices);
    EXPECT_EQ(setup.work_group_count, setup.groups[0] * setup.groups[1]);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(ShaderSetup, SpdRefusesWhatItCannotMake) {
  OnepassSpdRequest sound{};
  sound.width = 4096;
  sound.height = 100;
  sound.slices = 1;
  sound.levels = -1;
  OnepassSpdSetup setup;
  ASSERT_EQ(onepass_spd_setup(&sound, &setup), ONEPASS_SETUP_OK);
  EXPECT_EQ(setup.mips, 12U);
  const auto expect = [&](int result, uint32_t OnepassSpdRequest::*member, uint32_t value) {
    OnepassSpdRequest request = sound;
    request.*member = value;
    EXPECT_EQ(onepass_spd_setup(&request, &setup), result);
    EXPECT_EQ(setup.groups[0] + setup.work_group_count + setup.mips, 0U);
  };
  expect(ONEPASS_SETUP_BAD_SIZE, &OnepassSpdRequest::width, 0);
  expect(ONEPASS_SETUP_BAD_SIZE, &OnepassSpdRequest::width, 4097);
  expect(ONEPASS_SETUP_BAD_SIZE, &OnepassSpdRequest::height, 4097);
  expect(ONEPASS_SETUP_BAD_SIZE, &OnepassSpdRequest::slices, 0);
  expect(ONEPASS_SETUP_BAD_FOOTPRINT, &OnepassSpdRequest::footprint, ONEPASS_SETUP_FOOTPRINT_EDGE);
  expect(ONEPASS_SETUP_BAD_RECTANGLE, &OnepassSpdRequest::rectangle_width, 5);
  sound.rectangle_width = sound.rectangle_height = 1;
  expect(ONEPASS_SETUP_BAD_RECTANGLE, &OnepassSpdRequest::x, 4096);
  expect(ONEPASS_SETUP_BAD_RECTANGLE, &OnepassSpdRequest::y, 100);
  for (const int32_t levels : {-2, 13}) {
    OnepassSpdRequest request = sound;
    request.levels = levels;
    EXPECT_EQ(onepass_spd_setup(&request, &setup), ONEPASS_SETUP_BAD_LEVELS);
  }
}

}  // namespace
}  // namespace onepass::testing
