// cpu_custom_pyramid_test.cpp: cpu::reduce_pyramid against naive loops and, for pairwise reductions, against the oracle
// of pyramids; threads, errors, progress, exceptions.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "onepass/pyramid_custom.hpp"
#include "tests/pyramid/pyramid_oracle.hpp"
#include "tests/pyramid/pyramid_testing.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

/// A texel whose value tells the order of all base texels that it is made of.
struct Hash {
  uint64_t value = 0;
};

Hash hash_of(const Hash& v00, const Hash& v10, const Hash& v01, const Hash& v11) {
  return {3 * v00.value + 5 * v10.value + 7 * v01.value + 11 * v11.value + 1};
}

Hash base_hash(uint32_t x, uint32_t y, uint32_t slice) {
  return {(uint64_t{slice} << 40U) ^ (uint64_t{y} << 20U) ^ (x * 2654435761U)};
}

/// All levels of a slice by the definition: four texels of the finer level, one of them where an axis has only one.
std::vector<std::vector<uint64_t>> naive_levels(Extent size, uint32_t slice) {
  std::vector<std::vector<uint64_t>> levels(1);
  for (uint32_t i = 0; i < size.width * size.height; ++i) {
    levels[0].push_back(base_hash(i % size.width, i / size.width, slice).value);
  }
  while (size.width > 1 || size.height > 1) {
    const Extent coarse{std::max(1U, size.width / 2), std::max(1U, size.height / 2)};
    const std::vector<uint64_t> finer = levels.back();
    levels.emplace_back();
    for (uint32_t i = 0; i < coarse.width * coarse.height; ++i) {
      const uint32_t left = size.width == 1 ? 0 : 2 * (i % coarse.width);
      const uint32_t right = size.width == 1 ? 0 : left + 1;
      const size_t upper = (size.height == 1 ? 0 : 2 * size_t{i / coarse.width}) * size.width;
      const size_t lower = size.height == 1 ? 0 : upper + size.width;
      levels.back().push_back(3 * finer[upper + left] + 5 * finer[upper + right] + 7 * finer[lower + left] +
                              11 * finer[lower + right] + 1);
    }
    size = coarse;
  }
  return levels;
}

struct Shape {
  Extent size;
  uint32_t slices;
};

void expect_naive(const Shape& shape, uint32_t count, uint32_t threads) {
  const std::string where = std::to_string(shape.size.width) + "x" + std::to_string(shape.size.height) + " slices " +
                            std::to_string(shape.slices) + " threads " + std::to_string(threads);
  const uint32_t levels = count == 0 ? full_level_count(shape.size) : count;
  // Per slice and level: the value, and the number of calls of store.
  std::vector<std::vector<std::vector<uint64_t>>> made(shape.slices);
  std::vector<std::vector<std::vector<int>>> stores(shape.slices);
  for (uint32_t slice = 0; slice < shape.slices; ++slice) {
    for (uint32_t n = 0; n < levels; ++n) {
      const Extent size = level_size(shape.size, n);
      made[slice].emplace_back(size_t{size.width} * size.height);
      stores[slice].emplace_back(size_t{size.width} * size.height);
    }
  }
  std::atomic<uint64_t> outside = 0;
  const auto done = cpu::reduce_pyramid(
      {.size = shape.size, .slices = shape.slices, .levels = count},
      [&](uint32_t x, uint32_t y, uint32_t slice) {
        if (x >= shape.size.width || y >= shape.size.height || slice >= shape.slices) ++outside;
        return base_hash(x, y, slice);
      },
      hash_of,
      [&](uint32_t level, uint32_t x, uint32_t y, uint32_t slice, const Hash& hash) {
        const size_t at = size_t{y} * level_size(shape.size, level).width + x;
        made[slice][level].at(at) = hash.value;
        ++stores[slice][level].at(at);
      },
      {.threads = threads});
  ASSERT_TRUE(done) << where << ": " << done.error().text();
  EXPECT_EQ(outside, 0U) << where;
  for (uint32_t slice = 0; slice < shape.slices; ++slice) {
    const auto expected = naive_levels(shape.size, slice);
    for (uint32_t n = 1; n < levels; ++n) {
      ASSERT_EQ(made[slice][n], expected[n]) << where << " slice " << slice << " level " << n;
      ASSERT_EQ(stores[slice][n], std::vector<int>(expected[n].size(), 1)) << where << " level " << n;
    }
  }
}

TEST(CpuCustomPyramid, FourTexelsAreThoseOfANaiveLoop) {
  for (const Shape& shape : {Shape{{1, 1}, 1}, Shape{{1, 2}, 2}, Shape{{2, 1}, 1}, Shape{{1, 1000}, 2},
                             Shape{{65535, 1}, 1}, Shape{{3, 500}, 1}, Shape{{64, 64}, 3}, Shape{{65, 63}, 2},
                             Shape{{191, 100}, 1}, Shape{{517, 517}, 2}, Shape{{640, 360}, 1}, Shape{{9001, 3}, 1}}) {
    for (const uint32_t threads : {1U, 2U, 7U}) {
      expect_naive(shape, 0, threads);
      if (HasFatalFailure()) return;
    }
    for (uint32_t count = 1; count <= std::min(4U, full_level_count(shape.size)); ++count) {
      expect_naive(shape, count, 2);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(CpuCustomPyramid, FourTexelsAreThoseOfANaiveLoopAtRandomSizes) {
  Random random(random_seed());
  for (int i = 0; i < 40; ++i) {
    expect_naive({{1 + random.below(300), 1 + random.below(300)}, 1 + random.below(3)}, 0, 1 + random.below(4));
    if (HasFatalFailure()) return;
  }
}

// A texel that owns memory, and a reduction with a state of its own.
TEST(CpuCustomPyramid, TakesTexelsOfAnyType) {
  const std::array<std::string, 2> rows = {"abcd", "efgh"};
  const std::string separator = ".";
  std::vector<std::string> levels;
  const auto done = cpu::reduce_pyramid(
      {.size = {4, 2}}, [&](uint32_t x, uint32_t y, uint32_t /*slice*/) { return std::string(1, rows[y][x]); },
      [&](const std::string& v00, const std::string& v10, const std::string& v01, const std::string& v11) {
        return v00 + v10 + separator + v01 + v11;
      },
      [&](uint32_t /*level*/, uint32_t /*x*/, uint32_t /*y*/, uint32_t /*slice*/, const std::string& texel) {
        levels.push_back(texel);
      },
      {.threads = 1});
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(levels, (std::vector<std::string>{"ab.ef", "cd.gh", "ab.efcd.gh.ab.efcd.gh"}));
}

struct PairMean {
  float operator()(float a, float b, cpu::PairWeights weight) const { return a * weight[0] + b * weight[1]; }
  float operator()(float a, float b, float c, cpu::TripleWeights weight) const {
    return a * weight[0] + b * weight[1] + c * weight[2];
  }
};

struct PairMax {
  float operator()(float a, float b, cpu::PairWeights /*weight*/) const { return std::max(a, b); }
  float operator()(float a, float b, float c, cpu::TripleWeights /*weight*/) const { return std::max({a, b, c}); }
};

/// Compares a pairwise reduction of floats with the oracle.
template <typename Reduce>
void expect_oracle(const PyramidOptions& options, const Reduce& reduce, Random& random, const Tolerance& tolerance) {
  PaddedImage source(options.source, options.size, options.slices);
  fill_random(source.view(), random);
  Levels levels(options);
  const auto done = cpu::reduce_pyramid(
      {.size = options.size, .slices = options.slices, .footprint = options.footprint},
      [&](uint32_t x, uint32_t y, uint32_t slice) {
        return reinterpret_cast<const float*>(source.view().row(y, slice))[x];
      },
      reduce,
      [&](uint32_t level, uint32_t x, uint32_t y, uint32_t slice, float value) {
        reinterpret_cast<float*>(levels.views[level - 1].row(y, slice))[x] = value;
      });
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_TRUE(matches(oracle_pyramid(options, source.view()), levels.views, tolerance)) << describe(options);
}

TEST(CpuCustomPyramid, PairsHaveTheFootprintsAndWeightsOfThePyramid) {
  Random random(random_seed());
  for (const Extent size : {Extent{1, 37}, Extent{64, 64}, Extent{65, 63}, Extent{191, 100}, Extent{300, 7},
                            Extent{255, 129}, Extent{3, 3}, Extent{97, 1}}) {
    for (const Footprint footprint : {Footprint::kAligned, Footprint::kCovering, Footprint::kEdge}) {
      PyramidOptions options = {.size = size, .slices = 2};
      options.source = options.target = Format::kR32Sfloat;
      options.footprint = footprint;
      options.reduction = Reduction::kMax;
      expect_oracle(options, PairMax(), random, Tolerance::exact());
      options.reduction = Reduction::kMean;
      expect_oracle(options, PairMean(), random, Tolerance());
      if (HasFailure()) return;
    }
  }
}

/// The error of options with four texels in order, or with pairs.
Error error_of(const CustomPyramidOptions& options, bool pairs) {
  const auto load = [](uint32_t, uint32_t, uint32_t) { return 0.0F; };
  const auto store = [](uint32_t, uint32_t, uint32_t, uint32_t, float) {};
  const auto first = [](float v00, float, float, float) { return v00; };
  const auto done =
      pairs ? cpu::reduce_pyramid(options, load, PairMax(), store) : cpu::reduce_pyramid(options, load, first, store);
  return done ? Error{ErrorCode::kIo, "no error", {}} : done.error();
}

TEST(CpuCustomPyramid, SaysWhatIsWrong) {
  const auto expect = [](const CustomPyramidOptions& options, bool pairs, const std::string& field) {
    const Error error = error_of(options, pairs);
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << field;
    EXPECT_EQ(error.message.substr(0, field.size() + 1), field + ":") << error.message;
  };
  expect({.size = {0, 4}}, false, "size");
  expect({.size = {4, 65536}}, false, "size");
  expect({.size = {4, 4}, .slices = 0}, false, "slices");
  expect({.size = {4, 4}, .levels = 4}, false, "levels");
  for (const Footprint footprint : {Footprint::kTight, Footprint::kCeil, static_cast<Footprint>(9)}) {
    expect({.size = {4, 4}, .footprint = footprint}, true, "footprint");
  }
  for (const Footprint footprint : {Footprint::kCovering, Footprint::kEdge}) {
    expect({.size = {4, 4}, .footprint = footprint}, false, "footprint");
    EXPECT_EQ(error_of({.size = {4, 4}, .footprint = footprint}, true).message, "no error");
  }
}

TEST(CpuCustomPyramid, ReportsMissingMemory) {
  struct Large {
    std::array<char, 4096> bytes;
  };
  const auto first = [](const Large& v00, const Large&, const Large&, const Large&) { return v00; };
  // 2^74 bytes
  const auto done = cpu::reduce_pyramid(
      {.size = {65535, 65535}, .slices = UINT32_MAX}, [](uint32_t, uint32_t, uint32_t) { return Large{}; }, first,
      [](uint32_t, uint32_t, uint32_t, uint32_t, const Large&) {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kOutOfMemory);
  const auto rows = cpu::for_each_custom_rows({.size = {64, 64}}, true, {.threads = 1},
                                              [](const cpu::CustomPyramidRows&) { throw std::bad_alloc(); });
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, ErrorCode::kOutOfMemory);
}

TEST(CpuCustomPyramid, ExceptionsPassThrough) {
  const auto load = [](uint32_t x, uint32_t, uint32_t) -> float {
    if (x == 33) throw std::runtime_error("texel 33");
    return 0;
  };
  const auto first = [](float v00, float, float, float) { return v00; };
  const auto store = [](uint32_t, uint32_t, uint32_t, uint32_t, float) {};
  for (const uint32_t threads : {1U, 4U}) {
    EXPECT_THROW((void)cpu::reduce_pyramid({.size = {512, 512}}, load, first, store, {.threads = threads}),
                 std::runtime_error);
  }
}

TEST(CpuCustomPyramid, ProgressReportsAndCancels) {
  const auto run = [](bool cancels, std::vector<double>& reports) {
    return cpu::reduce_pyramid(
        {.size = {256, 256}, .slices = 4}, [](uint32_t, uint32_t, uint32_t) { return 1.0F; },
        [](float v00, float, float, float) { return v00; },
        [](uint32_t level, uint32_t x, uint32_t y, uint32_t, float) {
          // Each of the sixteen tasks of level 1 takes 60 ms.
          if (level == 1 && x == 0 && y % 32 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(60));
        },
        {.threads = 1, .progress = [&reports, cancels](double fraction) {
           reports.push_back(fraction);
           return !cancels;
         }});
  };
  std::vector<double> reports;
  ASSERT_TRUE(run(false, reports));
  ASSERT_GE(reports.size(), 2U);
  EXPECT_TRUE(std::is_sorted(reports.begin(), reports.end()));
  EXPECT_LT(reports.front(), 1.0);
  EXPECT_EQ(reports.back(), 1.0);
  std::vector<double> reports_of_cancelled;
  const auto cancelled = run(true, reports_of_cancelled);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(reports_of_cancelled.size(), 1U);
}

}  // namespace
}  // namespace onepass::testing
