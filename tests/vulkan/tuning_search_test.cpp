// tuning_search_test.cpp: the search for a faster tuning, with a technique whose times and results the test makes up.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tuning/search.hpp"
#include "tuning/texels.hpp"

namespace onepass::testing {
namespace {

using vulkan::Output;
using vulkan::OutputTolerance;
using vulkan::Runner;
using vulkan::SearchTask;
using vulkan::ToneMapTuning;

/// A technique whose time and output are functions of its tuning. Its clock advances with every sample.
struct MadeUp {
  std::function<double(const ToneMapTuning&)> microseconds;
  std::function<Result<Output>(const ToneMapTuning&)> output = [](const ToneMapTuning&) {
    return Result<Output>(Output{.codes = {1}, .numbers = {1, 2, 3}});
  };
  std::vector<double> noise{1};  // factors of samples, in turn
  double deadline = 1000;
  double latest = 0;
  double seconds_to_make = 0;
  size_t samples = 0;
  double clock = 0;

  Result<vulkan::SearchResult<ToneMapTuning>> search() {
    SearchTask<ToneMapTuning> task;
    task.axes = {{{.pixels = 1}, {.pixels = 2}, {.pixels = 8}}, {{.workgroup_size = 64}, {.workgroup_size = 512}}};
    task.make = [this](const ToneMapTuning& tuning) -> Result<Runner> {
      if (tuning.pixels == 2) return Error{ErrorCode::kUnsupported, "not on this device", {}};
      const double time = microseconds(tuning);
      clock += seconds_to_make;
      return Runner{.record = [time](VkCommandBuffer, size_t) { last_ = time; },
                    .output = [this, tuning] { return output(tuning); }};
    };
    task.time = [this](const Runner& runner) -> Result<double> {
      runner.record(VK_NULL_HANDLE, 0);
      clock += 1;
      return last_ * noise[samples++ % noise.size()];
    };
    task.now = [this] { return clock; };
    task.deadline = deadline;
    task.latest = latest;
    return vulkan::TuningSearch<ToneMapTuning>(task).run();
  }

  static inline double last_ = 0;
};

// 8 texels per invocation save a fifth, then workgroups of 64 another tenth.
double two_gains(const ToneMapTuning& tuning) {
  double time = 100;
  if (tuning.pixels == 8) time *= 0.8;
  if (tuning.workgroup_size == 64) time *= 0.9;
  if (tuning.workgroup_size == 512) time *= 1.5;
  return time;
}

TEST(TuningSearch, JoinsTheBestValuesOfTheAxes) {
  MadeUp technique{.microseconds = two_gains};
  const auto found = technique.search();
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->use.pixels, 8U);
  EXPECT_EQ(found->use.workgroup_size, 64U);
  EXPECT_DOUBLE_EQ(found->default_us, 100);
  EXPECT_DOUBLE_EQ(found->best_us, 72);
  EXPECT_TRUE(found->notes.empty()) << "candidates that the device refuses are none";
}

TEST(TuningSearch, DropsCandidatesWithOtherResults) {
  MadeUp technique{.microseconds = two_gains};
  technique.output = [](const ToneMapTuning& tuning) {
    return Result<Output>(Output{.codes = {1}, .numbers = {1, tuning.pixels == 8 ? 2.01F : 2, 3}});
  };
  const auto found = technique.search();
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->use.pixels, 0U);
  EXPECT_EQ(found->use.workgroup_size, 64U);
  ASSERT_EQ(found->notes.size(), 1U);
  EXPECT_EQ(found->notes[0], R"({"pixels": 8}: its results differ from those of the default)");
}

TEST(TuningSearch, KeepsTheDefaultIfGainsAreSmallOrUncertain) {
  MadeUp small{.microseconds = [](const ToneMapTuning& tuning) { return tuning.pixels == 8 ? 98.5 : 100; }};
  auto found = small.search();
  ASSERT_TRUE(found);
  EXPECT_TRUE(vulkan::is_default(found->use));
  EXPECT_EQ(found->best_us, found->default_us);
  // 6 % faster, in rounds that differ by 20 %.
  MadeUp noisy{.microseconds = [](const ToneMapTuning& tuning) { return tuning.pixels == 8 ? 94 : 100; },
               .noise = {0.85, 1, 1.15, 1, 0.9, 1.1, 1}};
  found = noisy.search();
  ASSERT_TRUE(found);
  EXPECT_TRUE(vulkan::is_default(found->use)) << vulkan::use_text(found->use);
}

TEST(TuningSearch, EndsAtItsDeadline) {
  MadeUp technique{.microseconds = two_gains};
  technique.deadline = 12;
  auto found = technique.search();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->use.pixels, 8U) << "the first axis fits";
  EXPECT_EQ(found->use.workgroup_size, 0U);
  // Two candidates of 3 rounds, then 7 rounds of the best one, each of two samples.
  EXPECT_EQ(technique.samples, 26U);
  // One candidate is compared in any case.
  MadeUp late{.microseconds = two_gains};
  late.deadline = -1;
  found = late.search();
  ASSERT_TRUE(found);
  EXPECT_EQ(late.samples, 6U);
  EXPECT_DOUBLE_EQ(found->default_us, 100);
}

// A case whose techniques take 10 s to make has as long as its candidates take, if there is so much time.
TEST(TuningSearch, SlowCasesHaveMoreTime) {
  MadeUp slow{.microseconds = two_gains, .deadline = 20, .latest = 1000, .seconds_to_make = 10};
  auto found = slow.search();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->use.pixels, 8U);
  MadeUp short_of_time{.microseconds = two_gains, .deadline = 20, .latest = 25, .seconds_to_make = 10};
  found = short_of_time.search();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->use.pixels, 0U);
}

TEST(TuningSearch, ErrorsOfTheDefaultAndALostDeviceEndIt) {
  MadeUp fails{.microseconds = two_gains};
  fails.output = [](const ToneMapTuning&) -> Result<Output> { return Error{ErrorCode::kOutOfMemory, "no memory", {}}; };
  EXPECT_EQ(fails.search().error().code, ErrorCode::kOutOfMemory);
  MadeUp lost{.microseconds = two_gains};
  lost.output = [](const ToneMapTuning& tuning) -> Result<Output> {
    if (tuning.pixels == 8) return Error{ErrorCode::kDeviceLost, "lost", {}};
    return Output{};
  };
  EXPECT_EQ(lost.search().error().code, ErrorCode::kDeviceLost);
}

TEST(TuningSearch, OutputsMatchWithinTheTolerance) {
  const Output expected{.codes = {5, 250}, .numbers = {0, 100, -3}};
  const auto codes_match = [&](const std::vector<uint8_t>& codes, int most) {
    return vulkan::outputs_match({codes, expected.numbers}, expected, {.codes = most});
  };
  EXPECT_TRUE(codes_match({5, 250}, 0));
  EXPECT_FALSE(codes_match({5, 251}, 0));
  EXPECT_TRUE(codes_match({4, 251}, 1));
  EXPECT_FALSE(codes_match({4, 252}, 1));
  EXPECT_FALSE(codes_match({5}, 255));
  const auto match = [&](const std::vector<float>& numbers, const OutputTolerance& tolerance) {
    return vulkan::outputs_match({expected.codes, numbers}, expected, tolerance);
  };
  EXPECT_TRUE(match({0, 100, -3}, {}));
  EXPECT_FALSE(match({0, std::nextafter(100.0F, 101.0F), -3}, {}));
  EXPECT_FALSE(match({0, 100}, {.relative = 1000}));
  EXPECT_TRUE(match({0, 101, -3}, {.relative = 0.01}));
  EXPECT_FALSE(match({0, 102, -3}, {.relative = 0.01}));
  EXPECT_TRUE(match({1, 100, -3}, {.norm = 0.011}));
  EXPECT_FALSE(match({1, 100, -3}, {.norm = 0.009}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(match({0, nan, -3}, {.relative = 1000}));
  EXPECT_FALSE(match({0, nan, -3}, {.norm = 1000}));
}

TEST(TuningSearch, RatiosAreThoseOfTheRounds) {
  const std::vector<double> candidate{90, 80, 45, 100, 120};
  const std::vector<double> expected{100, 100, 50, 100, 100};
  const vulkan::PairedTimes times = vulkan::paired_times(candidate, expected);
  EXPECT_DOUBLE_EQ(times.ratio, 0.9);
  EXPECT_DOUBLE_EQ(times.spread, 0.05);
  EXPECT_DOUBLE_EQ(times.default_us, 100);
}

// Measured sizes divide the sizes between them; at the ends a size stands for half to twice its texels.
TEST(TuningSearch, SizesStandForThoseAround) {
  const std::vector<uint64_t> measured{10000, 40000, 90000};
  const auto range = [&](uint64_t texels) {
    const auto condition = vulkan::texels_around(texels, measured);
    return std::pair(condition.least, condition.most);
  };
  EXPECT_EQ(range(10000), std::pair(uint64_t{5001}, uint64_t{20000}));
  EXPECT_EQ(range(40000), std::pair(uint64_t{20001}, uint64_t{60000}));
  EXPECT_EQ(range(90000), std::pair(uint64_t{60001}, uint64_t{180000}));
}

}  // namespace
}  // namespace onepass::testing
