// tone_map_cache_test.cpp: the programs of tone maps that the process keeps: create() fits the curves of an operator
// once.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "onepass/tone_map.hpp"
#include "tone_map/program.hpp"

namespace onepass::testing {
namespace {

using tone_map::Curve;
using tone_map::find_program;
using tone_map::Program;

ToneMapOptions reinhard(float white, Extent size = {16, 9}) {
  return {.size = size,
          .source = Format::kRGBA16Sfloat,
          .target = Format::kRGBA8Srgb,
          .tone_operator = ToneOperator::kReinhardExtended,
          .white = white};
}

bool same(const Curve& a, const Curve& b) {
  return a.degree == b.degree && a.scale == b.scale && a.top == b.top && a.coefficients == b.coefficients &&
         a.cubics == b.cubics;
}

/// Whether the curves of all stages are equal.
bool same(const Program& a, const Program& b) {
  return std::equal(a.stages.begin(), a.stages.end(), b.stages.begin(), [](const auto& x, const auto& y) {
    return x.curve.has_value() == y.curve.has_value() && (!x.curve || same(*x.curve, *y.curve));
  });
}

TEST(ToneMapPrograms, AreMadeOnceForAllSizesAndExposures) {
  ToneMapOptions options = reinhard(11);
  const auto first = find_program(options);
  options.size = {1920, 1080};
  options.source = Format::kRGBA32Sfloat;
  options.exposure = 2;
  EXPECT_EQ(find_program(options), first);
  options.white = 12;
  const auto other = find_program(options);
  EXPECT_NE(other, first);
  EXPECT_FALSE(same(*other, *first));
  EXPECT_TRUE(same(*other, tone_map::make_program(options)));
}

TEST(ToneMapPrograms, ObjectsUseTheKeptOnes) {
  const auto kept = find_program(reinhard(13));
  const long before = kept.use_count();
  {
    const auto map = cpu::ToneMap::create(reinhard(13, {640, 360}));
    ASSERT_TRUE(map) << map.error().text();
    EXPECT_EQ(kept.use_count(), before + 1);
  }
  EXPECT_EQ(kept.use_count(), before);
}

TEST(ToneMapPrograms, TheLastUsedAreKept) {
  const auto first = find_program(reinhard(20));
  std::weak_ptr<const Program> second = find_program(reinhard(21));
  for (size_t i = 2; i <= tone_map::kKeptPrograms; ++i) {  // one too many
    find_program(reinhard(20 + static_cast<float>(i)));
    EXPECT_EQ(find_program(reinhard(20)), first) << i;
  }
  EXPECT_TRUE(second.expired()) << "the memory is bounded";
  EXPECT_TRUE(same(*find_program(reinhard(21)), tone_map::make_program(reinhard(21))));
}

TEST(ToneMapPrograms, ThreadsGetThoseOfTheirOptions) {
  constexpr size_t kOptions = 2 * tone_map::kKeptPrograms;
  std::vector<Program> expected;
  for (size_t i = 0; i < kOptions; ++i)
    expected.push_back(tone_map::make_program(reinhard(40 + static_cast<float>(i))));
  std::vector<std::thread> threads;
  std::vector<size_t> wrong(6);
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < 60; ++i) {
        const size_t which = (i * (t + 1) + i / 7) % (i % 2 == 0 ? kOptions : 5);
        if (!same(*find_program(reinhard(40 + static_cast<float>(which))), expected[which])) ++wrong[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const size_t count : wrong) EXPECT_EQ(count, 0U);
}

}  // namespace
}  // namespace onepass::testing
