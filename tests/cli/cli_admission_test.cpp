// cli_admission_test.cpp: which units of a batch run at once, by threads, memory and order.
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <future>

#include "admission.hpp"
#include "tests/cli/cli_support.hpp"

namespace cli_test {
namespace {

using onepass::cli::Admission;
using onepass::cli::AdmissionLimits;
using onepass::cli::most_at_once;
using onepass::cli::Unit;
using onepass::cli::UnitShare;

constexpr uint64_t kMiB = uint64_t{1} << 20;

// Units may hold 750 MiB of a limit of 1000 MiB.
constexpr AdmissionLimits kLimits{.threads = 4, .memory = 1000 * kMiB, .memory_factor = 2};

class CliAdmission : public Cli {
 protected:
  // A unit whose input is a file of `bytes` zeros without disk space.
  void add_unit(uint64_t bytes) {
    const std::string name = path(std::to_string(units_.size())).string();
    std::ofstream(name).close();
    std::filesystem::resize_file(name, bytes);
    units_.push_back({{name}, {}, {}, false, units_.size()});
  }

  void add_pipe() {
    const std::string name = path(std::to_string(units_.size())).string();
    ASSERT_EQ(::mkfifo(name.c_str(), 0600), 0);
    units_.push_back({{name}, {}, {}, false, units_.size()});
  }

  template <typename Call>
  static std::future<std::invoke_result_t<Call>> start(Call call) {
    return std::async(std::launch::async, std::move(call));
  }

  template <typename T>
  static bool blocks(const std::future<T>& call) {
    return call.wait_for(std::chrono::milliseconds(50)) == std::future_status::timeout;
  }

  std::vector<Unit> units_;
};

TEST_F(CliAdmission, NumberOfUnitsAtOnce) {
  EXPECT_EQ(most_at_once(100, {.threads = 8, .memory = 1024 * kMiB}), 8U);
  EXPECT_EQ(most_at_once(3, {.threads = 8, .memory = 1024 * kMiB}), 3U);
  EXPECT_EQ(most_at_once(100, {.threads = 8, .memory = 128 * kMiB}), 2U);
  EXPECT_EQ(most_at_once(100, {.threads = 8, .memory = 16 * kMiB}), 1U);
}

TEST_F(CliAdmission, UnitsBeginInOrderAndAsManyAsThreads) {
  for (int i = 0; i < 4; ++i) add_unit(10);
  Admission admission(units_, {.threads = 2, .memory = 1000 * kMiB});
  UnitShare shares[4];
  EXPECT_EQ(admission.begin(shares[0]), 0U);
  EXPECT_EQ(admission.begin(shares[1]), 1U);
  auto third = start([&] { return admission.begin(shares[2]); });
  EXPECT_TRUE(blocks(third));
  admission.end(shares[1]);
  EXPECT_EQ(third.get(), 2U);
  admission.stop();
  EXPECT_EQ(admission.begin(shares[3]), 4U) << "none after stop()";
}

TEST_F(CliAdmission, FilesWaitUntilTheyFit) {
  for (int i = 0; i < 2; ++i) add_unit(400 * kMiB);
  Admission admission(units_, kLimits);
  UnitShare first, second;
  admission.begin(first);
  auto begun = start([&] { return admission.begin(second); });
  EXPECT_TRUE(blocks(begun));
  admission.end(first);
  EXPECT_EQ(begun.get(), 1U);
}

TEST_F(CliAdmission, ImagesWaitUntilTheyFit) {
  for (int i = 0; i < 2; ++i) add_unit(10);
  Admission admission(units_, kLimits);
  UnitShare first, second;
  admission.begin(first);
  admission.begin(second);
  first.need_memory(200 * kMiB);  // twice that
  auto fits = start([&] { return second.need_memory(200 * kMiB); });
  EXPECT_TRUE(blocks(fits));
  admission.end(first);
  fits.get();
}

TEST_F(CliAdmission, EarlierImagesGetMemoryFirst) {
  for (int i = 0; i < 2; ++i) add_unit(10);
  Admission admission(units_, kLimits);
  UnitShare first, second;
  admission.begin(first);
  admission.begin(second);
  auto fits = start([&] { return second.need_memory(kMiB); });
  EXPECT_TRUE(blocks(fits));
  first.need_memory(kMiB);
  fits.get();
}

// Both hold memory and ask for more than is left: the earlier unit continues.
TEST_F(CliAdmission, UnitsDoNotWaitForEachOther) {
  for (int i = 0; i < 2; ++i) add_unit(10);
  Admission admission(units_, kLimits);
  UnitShare first, second;
  admission.begin(first);
  admission.begin(second);
  first.need_memory(150 * kMiB);
  second.need_memory(150 * kMiB);
  auto later = start([&] { return second.need_memory(300 * kMiB); });
  EXPECT_TRUE(blocks(later));
  first.need_memory(300 * kMiB);
  EXPECT_TRUE(blocks(later));
  admission.end(first);
  later.get();
}

TEST_F(CliAdmission, ThreadsAreSharedByTheUnitsThatFit) {
  for (int i = 0; i < 8; ++i) add_unit(10);
  Admission admission(units_, kLimits);
  UnitShare first, second;
  admission.begin(first);
  EXPECT_EQ(first.threads(), 1U);
  first.need_memory(150 * kMiB);
  EXPECT_EQ(first.threads(), 2U) << "two such units fit";
  admission.begin(second);
  second.need_memory(200 * kMiB);
  EXPECT_EQ(second.threads(), 4U) << "one such unit fits";
}

TEST_F(CliAdmission, OneUnitGetsAllThreads) {
  add_unit(10);
  Admission admission(units_, kLimits);
  UnitShare share;
  admission.begin(share);
  EXPECT_EQ(share.threads(), 4U);
}

TEST_F(CliAdmission, UnitOutOfMemoryIsRepeatedAlone) {
  for (int i = 0; i < 3; ++i) add_unit(10);
  Admission admission(units_, kLimits);
  UnitShare first, second, third;
  admission.begin(first);
  admission.begin(second);
  auto alone = start([&] { return admission.begin_alone(first); });
  EXPECT_TRUE(blocks(alone));
  auto begun = start([&] { return admission.begin(third); });
  EXPECT_TRUE(blocks(begun));
  admission.end(second);
  EXPECT_TRUE(alone.get());
  EXPECT_EQ(first.threads(), 4U);
  EXPECT_TRUE(blocks(begun));
  EXPECT_FALSE(admission.begin_alone(first)) << "no other unit took memory from it";
  admission.end(first);
  EXPECT_EQ(begun.get(), 2U);
  EXPECT_FALSE(admission.begin_alone(third));
}

TEST_F(CliAdmission, PipesAreReadAlone) {
  add_unit(10);
  add_pipe();
  add_unit(10);
  Admission admission(units_, kLimits);
  UnitShare shares[3];
  admission.begin(shares[0]);
  auto pipe = start([&] { return admission.begin(shares[1]); });
  EXPECT_TRUE(blocks(pipe));
  admission.end(shares[0]);
  EXPECT_EQ(pipe.get(), 1U);
  auto last = start([&] { return admission.begin(shares[2]); });
  EXPECT_TRUE(blocks(last));
  admission.end(shares[1]);
  EXPECT_EQ(last.get(), 2U);
}

TEST_F(CliAdmission, LaterUnitsWaitForEarlierOnes) {
  for (int i = 0; i < 3; ++i) add_unit(10);
  Admission admission(units_, kLimits);
  UnitShare shares[3];
  for (UnitShare& share : shares) admission.begin(share);
  auto last = start([&] { return shares[2].wait_for_earlier().ok(); });
  EXPECT_TRUE(blocks(last));
  admission.end(shares[0]);
  EXPECT_TRUE(blocks(last));
  shares[1].let_later_pass();
  EXPECT_TRUE(last.get());
}

TEST_F(CliAdmission, LaterUnitIsRepeatedAfterAnEarlierOne) {
  for (int i = 0; i < 2; ++i) add_unit(10);
  Admission admission(units_, kLimits);
  UnitShare first, second;
  admission.begin(first);
  admission.begin(second);
  auto later = start([&] { return second.wait_for_earlier(); });
  EXPECT_TRUE(blocks(later));
  auto alone = start([&] { return admission.begin_alone(first); });
  const auto told = later.get();
  ASSERT_FALSE(told);
  EXPECT_EQ(told.error().code, onepass::ErrorCode::kOutOfMemory);
  auto later_alone = start([&] { return admission.begin_alone(second); });
  EXPECT_TRUE(alone.get());
  EXPECT_TRUE(blocks(later_alone));
  admission.end(first);
  EXPECT_TRUE(later_alone.get());
}

}  // namespace
}  // namespace cli_test
