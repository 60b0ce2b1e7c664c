// simd_target_test.cpp: the library's choice of SIMD targets. Oracle: the processor's features, as Linux lists them.
#include "cpu/simd_target.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string>

#include "simd_targets.hpp"

namespace onepass::testing {
namespace {

#if defined(__linux__) && (defined(__x86_64__) || defined(__i386__))
/// " fpu vme ... ", or nothing.
std::string processor_features() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("flags", 0) == 0) return line.substr(line.find(':') + 1) + " ";
  }
  return {};
}

TEST(SimdTarget, IsTheProcessorsBest) {
  const std::string features = processor_features();
  if (features.empty()) GTEST_SKIP() << "/proc/cpuinfo names no features";
  const auto has = [&](std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (features.find(std::string(" ") + name + " ") == std::string::npos) return false;
    }
    return true;
  };
  // All that the compiler may use in the functions of a target.
  const bool sse4 = has({"ssse3", "sse4_1", "sse4_2", "aes", "pclmulqdq"});
  const bool avx2 = sse4 && has({"avx", "avx2", "fma", "f16c", "bmi1", "bmi2", "abm"});
  const bool avx3 = avx2 && has({"avx512f", "avx512vl", "avx512dq", "avx512bw", "avx512cd"});
  const bool avx3_dl = avx3 && has({"avx512_vnni", "avx512vbmi", "avx512_vbmi2", "avx512_bitalg", "avx512_vpopcntdq",
                                    "gfni", "vaes", "vpclmulqdq"});
  const char* expected = avx3_dl ? "AVX3_DL" : avx3 ? "AVX3" : avx2 ? "AVX2" : sse4 ? "SSE4" : "baseline";
  EXPECT_STREQ(name_of_target(simd::best_target()), expected);
}
#endif

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
