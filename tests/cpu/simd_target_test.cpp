// simd_target_test.cpp: the library's choice of SIMD targets. Oracle: the processor's features, as Linux lists them,
// and the instruction sets of each target, as the compiler was told them.
#include "cpu/simd_target.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/cpu/simd_targets.hpp"

namespace onepass::testing {
namespace {

#if defined(__linux__) && (defined(__x86_64__) || defined(__i386__))
/// Linux's name of an instruction set.
std::string linux_name(std::string_view set) {
  static const std::map<std::string_view, const char*> kOther = {
      {"sse3", "pni"},
      {"pclmul", "pclmulqdq"},
      {"sse4.1", "sse4_1"},
      {"sse4.2", "sse4_2"},
      {"bmi", "bmi1"},
      {"lzcnt", "abm"},
      {"avx512vbmi2", "avx512_vbmi2"},
      {"avx512vnni", "avx512_vnni"},
      {"avx512bitalg", "avx512_bitalg"},
      {"avx512vpopcntdq", "avx512_vpopcntdq"},
  };
  const auto other = kOther.find(set);
  return other == kOther.end() ? std::string(set) : other->second;
}

/// The processor's features by Linux's names, or none.
std::vector<std::string> processor_features() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("flags", 0) != 0) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

TEST(SimdTarget, IsTheProcessorsBest) {
  const std::vector<std::string> features = processor_features();
  if (features.empty()) GTEST_SKIP() << "/proc/cpuinfo names no features";
  size_t expected = 0;
  for (; expected + 1 < simd::kTargets; ++expected) {
    const std::vector<std::string_view> sets = simd::instruction_sets(expected);
    const auto has = [&](std::string_view set) {
      return std::find(features.begin(), features.end(), linux_name(set)) != features.end();
    };
    if (!sets.empty() && std::all_of(sets.begin(), sets.end(), has)) break;
  }
  EXPECT_STREQ(name_of_target(simd::best_target()), name_of_target(expected));
}
#endif

TEST(SimdTarget, NeedsAllThatItsPredecessorNeeds) {
  EXPECT_TRUE(simd::instruction_sets(simd::kTargets - 1).empty()) << "the baseline needs nothing";
  for (size_t target = 0; target + 2 < simd::kTargets; ++target) {
    const std::vector<std::string_view> sets = simd::instruction_sets(target);
    if (sets.empty()) continue;  // not built
    const std::vector<std::string_view> less = simd::instruction_sets(target + 1);
    EXPECT_GT(sets.size(), less.size()) << name_of_target(target);
    for (const std::string_view set : less) {
      EXPECT_NE(std::find(sets.begin(), sets.end(), set), sets.end()) << name_of_target(target) << " " << set;
    }
  }
}

TEST(SimdTarget, CanBeRestricted) {
  const size_t best = simd::best_target();
  for (const size_t target : machine_targets()) {
    const OnlyTarget only(target);
    EXPECT_EQ(simd::best_target(), target);
  }
  EXPECT_EQ(simd::best_target(), best);
}

}  // namespace
}  // namespace onepass::testing
