// simd_target_list.cpp: prints the SIMD targets of the build, one per line: the name, then the instruction sets that
// its functions may use. The last line names the target that this processor runs. For tests/cpu/simd_contents.py and
// scripts/test-processors.
#include <cstdio>

#include "cpu/simd_target.hpp"

int main() {
  using namespace onepass;
  for (size_t target = 0; target < simd::kTargets; ++target) {
    const auto sets = simd::instruction_sets(target);
    if (sets.empty() && target + 1 < simd::kTargets) continue;  // not built
    std::printf("%s", simd::kTargetNames[target]);
    for (const std::string_view set : sets) std::printf(" %.*s", static_cast<int>(set.size()), set.data());
    std::printf("\n");
  }
  std::printf("runs %s\n", simd::kTargetNames[simd::best_target()]);
}
