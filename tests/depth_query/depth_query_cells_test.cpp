// depth_query_cells_test.cpp: cells, their bounds and texels, and levels of depth queries. Oracle: the definition of
// the footprints.
#include <cmath>
#include <limits>

#include "tests/depth_query/depth_query_testing.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

namespace dq = depth_query;
using dq::CoordinateRect;
using dq::Texel;
using dq::TexelRect;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Lengths of an axis: all small ones, then lengths at which other implementations have failed.
const std::vector<uint32_t>& lengths() {
  static const std::vector<uint32_t> all = [] {
    std::vector<uint32_t> list;
    for (uint32_t size = 1; size <= 140; ++size) list.push_back(size);
    for (const uint32_t size : {1023U, 1079U, 1080U, 1919U, 4095U, 4097U, 16383U, 65535U}) list.push_back(size);
    return list;
  }();
  return all;
}

uint32_t last_level(uint32_t size) {
  uint32_t last = 0;
  while (size >> (last + 1) > 0) ++last;
  return last;
}

bool contains(TexelRange range, uint32_t texel) { return range.begin <= texel && texel < range.end; }

TEST(DepthQueryCells, CellOfATexelStandsForIt) {
  for (const Footprint footprint : kQueryFootprints) {
    for (const uint32_t size : lengths()) {
      // Two levels beyond the last, because the other axis may be longer.
      for (uint32_t level = 0; level <= last_level(size) + 2; ++level) {
        uint32_t before = 0;
        for (uint32_t texel = 0; texel < size; ++texel) {
          const uint32_t cell = dq::cell_of_texel(footprint, {size, 1}, level, {texel, 0}).x;
          ASSERT_EQ(dq::cell_of_texel(footprint, {1, size}, level, {0, texel}).y, cell);
          ASSERT_TRUE(contains(oracle_footprint(footprint, size, level, cell), texel))
              << "size " << size << " level " << level << " texel " << texel;
          ASSERT_LE(cell - before, 1U) << "size " << size << " level " << level << " texel " << texel;
          before = cell;
        }
        ASSERT_EQ(before, std::max(1U, size >> level) - 1);
      }
    }
  }
}

TEST(DepthQueryCells, AlignedLosesTexelsAtOddSizes) {
  // 7 texels give 3 cells of 2 texels: texel 6 maps to the last cell, although no cell represents it.
  const Texel cell = dq::cell_of_texel(Footprint::kAligned, {7, 7}, 1, {6, 6});
  EXPECT_EQ(cell, (Texel{2, 2}));
  EXPECT_EQ(dq::cell_texels(Footprint::kAligned, {7, 7}, 1, cell), (TexelRect{{4, 4}, {6, 6}}));
  // Coordinates are worse: 0.64 lies in base texel 4, but in cell 1, which represents texels 2 and 3.
  EXPECT_EQ(dq::cell({7, 7}, 0, {0.64F, 0}).x, 4U);
  EXPECT_EQ(dq::cell({7, 7}, 1, {0.64F, 0}).x, 1U);
}

TEST(DepthQueryCells, TexelsOfACellAreTheDefinition) {
  for (const Footprint footprint : {Footprint::kAligned, Footprint::kCovering, Footprint::kTight, Footprint::kEdge}) {
    for (const uint32_t size : lengths()) {
      for (uint32_t level = 0; level <= last_level(size) + 2; ++level) {
        const uint32_t count = std::max(1U, size >> level);
        for (uint32_t i = 0; i<count; i += count> 300 ? 7 : 1) {
          const TexelRange expected = oracle_footprint(footprint, size, level, i);
          const TexelRect actual = dq::cell_texels(footprint, {size, size}, level, {i, i});
          ASSERT_EQ(actual, (TexelRect{{expected.begin, expected.begin}, {expected.end, expected.end}}))
              << "size " << size << " level " << level << " cell " << i;
        }
      }
    }
  }
}

TEST(DepthQueryCells, CoveringHoldsByCoordinateOnEveryFinerLevel) {
  Random random(7);
  for (const uint32_t size : lengths()) {
    const uint32_t last = last_level(size);
    for (int i = 0; i < 400; ++i) {
      float u = random.between(-0.05F, 1.05F);
      if (i % 2 == 0) {  // on a cell boundary of some level, or one ULP beside it
        const uint32_t count = std::max(1U, size >> random.below(last + 1));
        u = static_cast<float>(random.below(count + 1)) / static_cast<float>(count);
        if (i % 4 == 0) u = std::nextafter(u, random.below(2) == 0 ? -1.0F : 2.0F);
      }
      for (uint32_t level = 1; level <= last; ++level) {
        const TexelRange coarse =
            oracle_footprint(Footprint::kCovering, size, level, dq::cell({size, 1}, level, {u, 0}).x);
        for (uint32_t finer = 0; finer < level; ++finer) {
          const TexelRange fine =
              oracle_footprint(Footprint::kCovering, size, finer, dq::cell({size, 1}, finer, {u, 0}).x);
          ASSERT_TRUE(coarse.begin <= fine.begin && fine.end <= coarse.end)
              << "size " << size << " levels " << level << " " << finer << " at " << u;
        }
      }
    }
  }
}

TEST(DepthQueryCells, BoundsAreTheWallsOfTheLevelItself) {
  for (const uint32_t size : lengths()) {
    for (uint32_t level = 0; level <= last_level(size); ++level) {
      const uint32_t count = std::max(1U, size >> level);
      for (uint32_t i = 0; i<count; i += count> 300 ? 11 : 1) {
        const CoordinateRect bounds = dq::cell_bounds({size, 1}, level, {i, 0});
        ASSERT_EQ(bounds.begin.x, static_cast<float>(1.0 * i / count));
        ASSERT_EQ(bounds.end.x, static_cast<float>((1.0 * i + 1) / count));
        ASSERT_EQ(bounds.end.y, 1.0F);
        ASSERT_EQ(dq::cell({size, 1}, level, {0.5F * (bounds.begin.x + bounds.end.x), 0.5F}), (Texel{i, 0}));
      }
    }
  }
}

TEST(DepthQueryCells, CoordinatesBeyondTheImageAreClamped) {
  EXPECT_EQ(dq::cell({9, 5}, 1, {-3.0F, 7.0F}), (Texel{0, 1}));
  EXPECT_EQ(dq::cell({9, 5}, 0, {1.0F, std::numeric_limits<float>::infinity()}), (Texel{8, 4}));
  EXPECT_EQ(dq::cell({9, 5}, 0, {kNan, 0.5F}), (Texel{0, 2}));
}

TEST(DepthQueryCells, RectanglesTakeEveryTexelTheyTouchAndHardlyMore) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (const uint32_t size : lengths()) {
    for (int i = 0; i < 1000; ++i) {
      const CoordinateRect rect = random_rect(random, {size, size});
      const TexelRange exact = touched_texels(rect.begin.x, rect.end.x, size);
      const TexelRect texels = dq::rect_texels({size, size}, rect);
      if (exact.begin >= exact.end) {
        // A rectangle outside the image touches it only by rounding at the image border.
        const bool near_border = std::fabs(rect.end.x) < 1e-6F || std::fabs(rect.begin.x - 1.0F) < 1e-6F ||
                                 rect.end.x - rect.begin.x < 1e-6F;
        ASSERT_TRUE(texels.begin.x >= texels.end.x || near_border) << size << " " << rect.begin.x << " " << rect.end.x;
        continue;
      }
      ASSERT_TRUE(texels.begin.x <= exact.begin && exact.end <= texels.end.x && texels.end.x <= size)
          << size << " " << rect.begin.x << " " << rect.end.x << " seed " << seed;
      // A neighbouring texel is included only if the rectangle ends within 2^-22 of the image size of it.
      const double slack = size * 0x1.01p-22;
      ASSERT_GE(texels.begin.x, std::max(0.0, std::floor(double{rect.begin.x} * size - slack)));
      ASSERT_LE(texels.end.x, std::ceil(double{rect.end.x} * size + slack));
    }
  }
}

TEST(DepthQueryCells, OddRectanglesAreEmptyOrEverything) {
  const Extent size{9, 5};
  EXPECT_TRUE(dq::texels_empty(dq::rect_texels(size, {{0.6F, 0.1F}, {0.3F, 0.9F}})));    // end before begin
  EXPECT_TRUE(dq::texels_empty(dq::rect_texels(size, {{-0.6F, 0.1F}, {-0.3F, 0.9F}})));  // left of the image
  EXPECT_TRUE(dq::texels_empty(dq::rect_texels(size, {{0.1F, 1.1F}, {0.3F, 1.9F}})));    // below it
  EXPECT_EQ(dq::rect_texels(size, {{kNan, 0.1F}, {0.3F, kNan}}), (TexelRect{{0, 0}, {3, 5}}));
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(dq::rect_texels(size, {{-infinity, -infinity}, {infinity, infinity}}), (TexelRect{{0, 0}, {9, 5}}));
  EXPECT_EQ(dq::rect_texels(size, {{0.5F, 0.5F}, {0.5F, 0.5F}}), (TexelRect{{4, 2}, {5, 3}}));  // a point
  EXPECT_EQ(dq::rect_texels(size, {{0.0F, 0.0F}, {0.0F, 0.0F}}), (TexelRect{{0, 0}, {1, 1}}));
}

/// The fewest consecutive cells whose footprints together contain base texels [begin, end), by exhaustive search.
uint32_t cells_needed(Footprint footprint, uint32_t size, uint32_t level, uint32_t begin, uint32_t end) {
  const uint32_t count = std::max(1U, size >> level);
  uint32_t fewest = count + 1;
  for (uint32_t first = 0; first < count; ++first) {
    if (!contains(oracle_footprint(footprint, size, level, first), begin)) continue;
    uint32_t last = first;
    while (oracle_footprint(footprint, size, level, last).end < end) ++last;
    fewest = std::min(fewest, last - first + 1);
  }
  return fewest;
}

TEST(DepthQueryCells, RectanglesAreCoveredByTheFewestCells) {
  for (const Footprint footprint : kQueryFootprints) {
    for (const uint32_t size : {1U, 2U, 7U, 16U, 37U, 63U}) {
      const dq::DepthPyramid pyramid = dq::full_depth_pyramid({size, 1}, footprint, false);
      for (uint32_t level = 0; level <= last_level(size) + 1; ++level) {
        for (uint32_t begin = 0; begin < size; ++begin) {
          for (uint32_t end = begin + 1; end <= size; ++end) {
            const TexelRect cells = dq::texels_cells(pyramid, level, {{begin, 0}, {end, 1}});
            ASSERT_LE(oracle_footprint(footprint, size, level, cells.begin.x).begin, begin);
            ASSERT_GE(oracle_footprint(footprint, size, level, cells.end.x).end, end);
            ASSERT_LT(cells.end.x, std::max(1U, size >> level));
            ASSERT_EQ(cells.end.x - cells.begin.x + 1, cells_needed(footprint, size, level, begin, end))
                << size << " level " << level << " [" << begin << ", " << end << ")";
          }
        }
      }
    }
  }
}

TEST(DepthQueryCells, LevelIsThatOfTheLengthOrOneFiner) {
  for (const Footprint footprint : kQueryFootprints) {
    for (const uint32_t size : {1U, 2U, 7U, 16U, 37U, 63U, 100U}) {
      const dq::DepthPyramid pyramid = dq::full_depth_pyramid({size, 1}, footprint, false);
      ASSERT_EQ(pyramid.last_level, last_level(size));
      for (uint32_t begin = 0; begin < size; ++begin) {
        for (uint32_t end = begin + 1; end <= size; ++end) {
          uint32_t long_enough = 0;
          while (1U << long_enough < end - begin) ++long_enough;
          const bool finer = long_enough > 0 && cells_needed(footprint, size, long_enough - 1, begin, end) <= 2;
          const uint32_t level = dq::texels_level(pyramid, {{begin, 0}, {end, 1}});
          ASSERT_EQ(level, long_enough - (finer ? 1 : 0)) << size << " [" << begin << ", " << end << ")";
          ASSERT_LE(cells_needed(footprint, size, level, begin, end), 2U);
          ASSERT_LE(level, pyramid.last_level);
        }
      }
    }
  }
}

TEST(DepthQueryCells, LevelCountsTexelsOfThePyramid) {
  // A tenth of the width is 192 texels of a depth buffer 1919 wide, and 96 texels of a pyramid of half that size.
  const CoordinateRect tenth{{0.31F, 0.5F}, {0.41F, 0.51F}};
  const auto level = [&](Extent size) {
    return dq::rect_level(dq::full_depth_pyramid(size, Footprint::kEdge, false), tenth);
  };
  EXPECT_EQ(level({1919, 1079}), 8U);
  EXPECT_EQ(level({959, 539}), 7U);
  dq::DepthPyramid coarse = dq::full_depth_pyramid({1919, 1079}, Footprint::kCovering, false);
  coarse.first_level = 9;
  EXPECT_EQ(dq::rect_level(coarse, tenth), 9U);
  EXPECT_EQ(dq::rect_level(coarse, {{1.5F, 0}, {1.6F, 1}}), coarse.last_level + 1);
}

TEST(DepthQueryCells, TilesOfTexels) {
  EXPECT_EQ(dq::tile_of_texel({15, 16}, 16), (Texel{0, 1}));
  EXPECT_EQ(dq::tile_of_texel({1918, 1078}, 12), (Texel{159, 89}));
}

}  // namespace
}  // namespace onepass::testing
