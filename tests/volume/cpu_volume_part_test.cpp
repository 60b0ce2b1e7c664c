// cpu_volume_part_test.cpp: pyramids made box by box, and their coarse levels from what the boxes keep, have the bits
// of one stream over the whole volume.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "onepass/volume_stream.hpp"
#include "tests/support/test_seed.hpp"
#include "tests/volume/volume_testing.hpp"

namespace onepass::testing {
namespace {

/// Numbers of `bytes` bytes each on a grid, x fastest.
struct Grid {
  VolumeSize size;
  size_t bytes = 0;
  std::vector<std::byte> data;

  Grid() = default;
  Grid(VolumeSize extent, size_t number)
      : size(extent), bytes(number), data(size_t{extent.width} * extent.height * extent.planes * number) {}
  [[nodiscard]] size_t offset(uint32_t x, uint32_t y, uint32_t z) const {
    return ((size_t{z} * size.height + y) * size.width + x) * bytes;
  }
};

/// The levels of a pyramid, and the unrounded numbers of the level at which it is cut.
struct Pyramid {
  std::vector<Grid> levels;
  Grid kept;
};

Pyramid empty_pyramid(const VolumeOptions& options, size_t cut) {
  const VolumePlan plan = *plan_volume(options);
  const size_t bytes = voxel_info(options.type).bytes * options.channels;
  Pyramid pyramid;
  for (const VolumeSize& size : plan.sizes) pyramid.levels.emplace_back(size, bytes);
  pyramid.kept = Grid(plan.sizes[cut], size_t{plan.unrounded_bytes[cut]} * options.channels);
  return pyramid;
}

/// Streams a box of `source`, which is `part.first_level` of the pyramid; all coordinates are those of that level.
Result<void> stream_box(const VolumeOptions& box_options, const VolumePart& part, const Grid& source,
                        const VolumeSize& first, Pyramid& pyramid) {
  const auto factor = [&](uint32_t level) {
    VolumeStep f = {1, 1, 1};
    for (uint32_t n = part.first_level; n < level; ++n) {
      const VolumeStep& step = box_options.steps[n];
      f = {f.x * step.x, f.y * step.y, f.z * step.z};
    }
    return f;
  };
  const auto put = [&](Grid& grid, const cpu::VolumePlane& plane, const void* data, size_t stride) {
    const VolumeStep f = factor(plane.level);
    for (uint32_t y = 0; y < plane.height; ++y) {
      std::memcpy(&grid.data[grid.offset(first.width / f.x, first.height / f.y + y, first.planes / f.z + plane.z)],
                  static_cast<const std::byte*>(data) + y * stride, plane.width * grid.bytes);
    }
  };
  const auto sink = [&](const cpu::VolumePlane& plane) -> Result<void> {
    put(pyramid.levels[plane.level], plane, plane.data, plane.row_stride);
    if (plane.unrounded != nullptr) put(pyramid.kept, plane, plane.unrounded, plane.unrounded_row_stride);
    return {};
  };
  auto stream = cpu::VolumeStream::create_part(box_options, part, sink, {.threads = 1});
  if (!stream) return stream.error();
  const uint32_t planes = stream->plan().sizes[part.first_level].planes;
  return stream->push(source.data.data() + source.offset(first.width, first.height, first.planes),
                      source.size.width * source.bytes, size_t{source.size.width} * source.size.height * source.bytes,
                      planes);
}

/// Makes levels after `first` in boxes of `cells` cells of the last level per axis. `source`: level `first`.
Result<void> stream_boxes(const VolumeOptions& options, uint32_t first, const Grid& source, const VolumeSize& cells,
                          bool keep, Pyramid& pyramid) {
  const VolumePart part = {.first_level = first, .keep_unrounded = keep, .whole = options.size};
  VolumeStep before = {1, 1, 1};  // base voxels of a voxel of level `first`
  VolumeStep box = {1, 1, 1};     // voxels of level `first` of a cell of the last level
  for (uint32_t n = 0; n < options.steps.size(); ++n) {
    VolumeStep& f = n < first ? before : box;
    f = {f.x * options.steps[n].x, f.y * options.steps[n].y, f.z * options.steps[n].z};
  }
  box = {box.x * cells.width, box.y * cells.height, box.z * cells.planes};
  for (uint32_t z = 0; z < source.size.planes; z += box.z) {
    for (uint32_t y = 0; y < source.size.height; y += box.y) {
      for (uint32_t x = 0; x < source.size.width; x += box.x) {
        VolumeOptions box_options = options;
        box_options.size = {std::min(box.x * before.x, options.size.width - x * before.x),
                            std::min(box.y * before.y, options.size.height - y * before.y),
                            std::min(box.z * before.z, options.size.planes - z * before.z)};
        if (auto done = stream_box(box_options, part, source, {x, y, z}, pyramid); !done) return done;
      }
    }
  }
  return {};
}

/// Compares levels made in boxes, with a cut after `cut` steps, with those of one stream.
template <typename T>
::testing::AssertionResult same_in_boxes(VolumeOptions options, uint32_t cut, Generator& random) {
  options.type = type_of<T>();
  Volume<T> base = random_volume<T>(options.size, options.channels, random, below(random, 4));
  if constexpr (std::is_same_v<T, float>) {  // sums that depend on the order of additions
    for (T& voxel : base.voxels) voxel = std::ldexp(voxel, static_cast<int>(below(random, 60)));
  }
  const std::string what = describe(options) + ", cut " + std::to_string(cut);
  Pyramid whole = empty_pyramid(options, cut);
  Pyramid parts = whole;
  std::memcpy(whole.levels[0].data.data(), base.voxels.data(), whole.levels[0].data.size());
  const Grid& source = whole.levels[0];
  if (auto done = stream_box(options, {}, source, {}, whole); !done) {
    return ::testing::AssertionFailure() << what << ": " << done.error().text();
  }
  VolumeOptions fine = options;
  fine.steps.resize(cut);
  const auto cells = [&] { return VolumeSize{1 + below(random, 3), 1 + below(random, 3), 1 + below(random, 3)}; };
  auto done = stream_boxes(fine, 0, source, cells(), true, parts);
  if (done) done = stream_boxes(options, cut, parts.kept, cells(), false, parts);
  if (!done) return ::testing::AssertionFailure() << what << ": " << done.error().text();
  for (size_t n = 1; n < whole.levels.size(); ++n) {
    if (whole.levels[n].data != parts.levels[n].data) return ::testing::AssertionFailure() << what << ", level " << n;
  }
  return ::testing::AssertionSuccess();
}

TEST(CpuVolumeParts, BoxesHaveTheBitsOfTheWholeVolume) {
  Generator random(random_seed());
  for (int round = 0; round < 60; ++round) {
    VolumeOptions options = {.size = {1 + below(random, 40), 1 + below(random, 30), 1 + below(random, 20)}};
    with_every_type([&]<typename T>() {
      for (const Reduction reduction : kReductions) {
        if (!has<T>(reduction)) continue;
        options.reduction = reduction;
        options.channels = reduction == Reduction::kMode ? 1 : 1 + below(random, 3);
        options.steps = random_steps(random, 2 + below(random, 4));
        const uint32_t cut = 1 + below(random, static_cast<uint32_t>(options.steps.size()) - 1);
        ASSERT_TRUE(same_in_boxes<T>(options, cut, random));
      }
    });
  }
}

TEST(CpuVolumeParts, DeepCellsKeepTheSumsOfTheWholeVolume) {
  // Sums of the whole volume need 64 bits, those of its last box 32.
  VolumeOptions options = {.size = {(1U << 17) + 1, 1, 1}, .type = VoxelType::kUint16};
  options.steps.assign(18, {2, 1, 1});
  Generator random(random_seed());
  EXPECT_EQ(plan_volume(options)->unrounded_bytes[16], 8U);
  VolumeOptions box = options;
  box.size.width = 1;
  EXPECT_EQ(plan_volume(box)->unrounded_bytes[16], 4U);
  EXPECT_EQ(plan_volume(box, {.whole = options.size})->unrounded_bytes[16], 8U);
  EXPECT_TRUE(same_in_boxes<uint16_t>(options, 16, random));
}

TEST(CpuVolumeParts, BadPartsAreRefused) {
  const VolumeOptions options = {.size = {16, 16, 16}, .steps = {{2, 2, 2}, {2, 2, 2}}};
  const auto text = [&](const VolumePart& part) {
    const auto plan = plan_volume(options, part);
    return plan ? std::string() : plan.error().text();
  };
  EXPECT_EQ(text({.first_level = 1}), "");
  EXPECT_EQ(text({.first_level = 2}), "part.first_level: 2, but the last of 2 steps begins at level 1");
  EXPECT_EQ(text({.whole = {16, 15, 16}}), "part.whole: 16x15x16 does not hold 16x16x16");
}

}  // namespace
}  // namespace onepass::testing
