// simd_target.cpp: finds the processor's SIMD targets.
//
// Highway passes the instruction sets of a target to the compiler, as one text. The same text says here what a
// processor needs: this file is compiled once per target to collect the texts, without using the instructions.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/simd_target.cpp"
#ifndef HWY_WANT_AVX3_DL
#define HWY_WANT_AVX3_DL
#endif
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "cpu/simd_target.hpp"
#include "hwy/highway.h"

namespace onepass::simd {
namespace HWY_NAMESPACE {

#ifdef HWY_TARGET_STR
inline constexpr char kInstructionSets[] = HWY_TARGET_STR;
#else
inline constexpr char kInstructionSets[] = "";
#endif

}  // namespace HWY_NAMESPACE
}  // namespace onepass::simd

#if HWY_ONCE
#include <algorithm>
#include <atomic>
#include <cstdint>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace onepass::simd {
namespace {

enum Target : size_t { kAvx3Dl, kAvx3, kAvx2, kSse4, kBaseline };  // in the order of kTargetNames
static_assert(kBaseline + 1 == kTargets);

#if HWY_TARGETS & (HWY_TARGETS - 1)  // several targets
constexpr std::array<const char*, kBaseline> kTexts = {
    HWY_CHOOSE_AVX3_DL(kInstructionSets[0]), HWY_CHOOSE_AVX3(kInstructionSets[0]), HWY_CHOOSE_AVX2(kInstructionSets[0]),
    HWY_CHOOSE_SSE4(kInstructionSets[0])};
#else
constexpr std::array<const char*, kBaseline> kTexts = {};
#endif

#if defined(__x86_64__) || defined(__i386__)

/// Registers that the operating system saves: bits of XCR0.
constexpr uint64_t kSavesAvx = 0x6, kSavesAvx512 = 0xE6;

enum Register : uint8_t { kEax, kEbx, kEcx, kEdx };

/// The bit of CPUID that says whether the processor has an instruction set.
struct CpuidBit {
  std::string_view name;
  uint32_t leaf, subleaf;
  Register in;
  uint8_t bit;
  uint64_t saved = 0;  ///< Registers that the system must save.
};

constexpr CpuidBit kBits[] = {
    {"sse2", 1, 0, kEdx, 26},
    {"sse3", 1, 0, kEcx, 0},
    {"pclmul", 1, 0, kEcx, 1},
    {"ssse3", 1, 0, kEcx, 9},
    {"fma", 1, 0, kEcx, 12, kSavesAvx},
    {"sse4.1", 1, 0, kEcx, 19},
    {"sse4.2", 1, 0, kEcx, 20},
    {"popcnt", 1, 0, kEcx, 23},
    {"aes", 1, 0, kEcx, 25},
    {"avx", 1, 0, kEcx, 28, kSavesAvx},
    {"f16c", 1, 0, kEcx, 29, kSavesAvx},
    {"bmi", 7, 0, kEbx, 3},
    {"avx2", 7, 0, kEbx, 5, kSavesAvx},
    {"bmi2", 7, 0, kEbx, 8},
    {"avx512f", 7, 0, kEbx, 16, kSavesAvx512},
    {"avx512dq", 7, 0, kEbx, 17, kSavesAvx512},
    {"avx512cd", 7, 0, kEbx, 28, kSavesAvx512},
    {"avx512bw", 7, 0, kEbx, 30, kSavesAvx512},
    {"avx512vl", 7, 0, kEbx, 31, kSavesAvx512},
    {"avx512vbmi", 7, 0, kEcx, 1, kSavesAvx512},
    {"avx512vbmi2", 7, 0, kEcx, 6, kSavesAvx512},
    {"gfni", 7, 0, kEcx, 8},
    {"vaes", 7, 0, kEcx, 9, kSavesAvx},
    {"vpclmulqdq", 7, 0, kEcx, 10, kSavesAvx},
    {"avx512vnni", 7, 0, kEcx, 11, kSavesAvx512},
    {"avx512bitalg", 7, 0, kEcx, 12, kSavesAvx512},
    {"avx512vpopcntdq", 7, 0, kEcx, 14, kSavesAvx512},
    {"lzcnt", 0x80000001, 0, kEcx, 5},
};

/// XCR0, or 0 where the system saves no extended registers.
uint64_t saved_registers() {
  uint32_t leaf[4] = {};
  constexpr uint32_t kOsxsave = 1u << 27;
  if (__get_cpuid(1, &leaf[kEax], &leaf[kEbx], &leaf[kEcx], &leaf[kEdx]) == 0 || !(leaf[kEcx] & kOsxsave)) return 0;
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

/// False also for names that kBits lacks: a target with an unknown instruction set is not used.
bool processor_has(std::string_view name) {
  const CpuidBit* found = std::find_if(std::begin(kBits), std::end(kBits), [&](auto& bit) { return bit.name == name; });
  if (found == std::end(kBits)) return false;
  uint32_t leaf[4] = {};
  if (!__get_cpuid_count(found->leaf, found->subleaf, &leaf[kEax], &leaf[kEbx], &leaf[kEcx], &leaf[kEdx])) return false;
  return (leaf[found->in] >> found->bit & 1) != 0 && (saved_registers() & found->saved) == found->saved;
}

#else
bool processor_has(std::string_view /*name*/) { return false; }
#endif

Target detect() {
  for (size_t target = 0; target < kBaseline; ++target) {
    const std::vector<std::string_view> sets = instruction_sets(target);
    if (!sets.empty() && std::all_of(sets.begin(), sets.end(), processor_has)) return static_cast<Target>(target);
  }
  return kBaseline;
}

std::atomic<size_t> least{0};  ///< No better target is used.

}  // namespace

std::vector<std::string_view> instruction_sets(size_t target) {
  std::vector<std::string_view> sets;
  if (target >= kBaseline || kTexts[target] == nullptr) return sets;
  for (std::string_view rest = kTexts[target]; !rest.empty();) {
    const std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    // Highway 1.0.3 names AVX-VNNI. g++ 12 then fuses a multiplication and an addition of 512 bits into one instruction
    // of AVX512_VNNI. Processors with that set need not have AVX-VNNI (Ice Lake, Zen 4), whose own instructions, of 256
    // bits, the test simd_contents would find.
    if (name == "avxvnni") {
      sets.push_back("avx512vnni");
      continue;
    }
    sets.push_back(name);
    // Instruction sets that compilers enable together with another one.
    if (name == "ssse3") sets.push_back("sse3");
    if (name == "sse4.2") sets.push_back("popcnt");
  }
  return sets;
}

size_t best_target() {
  static const size_t detected = detect();
  return std::max(detected, least.load(std::memory_order_relaxed));
}

void use_target(size_t target) { least.store(target, std::memory_order_relaxed); }
void use_best_target() { use_target(0); }

}  // namespace onepass::simd
#endif
