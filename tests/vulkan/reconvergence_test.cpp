// reconvergence_test.cpp: the words that declare reconvergence in a kernel, for every embedded kernel: nothing else
// changes, spirv-val accepts the module, and its control flow follows the rules of maximal reconvergence. Also a rule
// on specialization constants, which validation layers need.
#include "vulkan/reconvergence.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tests/support/shell_word.hpp"
#include "tests/vulkan/all_kernels.hpp"

namespace onepass::vulkan {
namespace {

using Words = std::vector<uint32_t>;
using Instruction = std::span<const uint32_t>;

enum Op : uint32_t {
  kExtension = 10,
  kExtInstImport = 11,
  kMemoryModel = 14,
  kEntryPoint = 15,
  kExecutionMode = 16,
  kCapability = 17,
  kTypeVector = 23,
  kSpecConstantOp = 52,
  kFunction = 54,
  kFunctionEnd = 56,
  kLoopMerge = 246,
  kSelectionMerge = 247,
  kLabel = 248,
  kBranch = 249,
  kBranchConditional = 250,
  kSwitch = 251,
};
constexpr uint32_t kUniformMode = 4421;
constexpr uint32_t kMaximalMode = 6023;

uint32_t op_of(Instruction words) { return words[0] & 0xFFFFU; }

std::vector<Instruction> instructions_of(const Words& module) {
  std::vector<Instruction> out;
  for (size_t at = 5; at < module.size();) {
    const size_t length = module[at] >> 16;
    if (length == 0 || length > module.size() - at) {
      ADD_FAILURE() << "no instruction at word " << at;
      break;
    }
    out.push_back(std::span(module).subspan(at, length));
    at += length;
  }
  return out;
}

// The literal string of an instruction from its word `first` on.
std::string text_of(Instruction words, size_t first) {
  std::string out;
  for (const uint32_t word : words.subspan(first)) {
    for (int shift = 0; shift < 32; shift += 8) {
      const auto letter = static_cast<char>(word >> shift);
      if (letter == '\0') return out;
      out += letter;
    }
  }
  return "no zero after " + out;
}

bool has_subgroup_operations(const Words& module) {
  const auto all = instructions_of(module);
  return std::any_of(all.begin(), all.end(),
                     [](Instruction i) { return op_of(i) == kCapability && i[1] >= 61 && i[1] <= 68; });
}

std::vector<std::string> kernel_names_of_the_build() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(ONEPASS_KERNEL_FOLDER)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".spv" && testing::find_kernel(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The module without the one extension and the one execution mode that declare reconvergence; their places are checked.
Words without_declaration(const Words& module, uint32_t mode, const std::string& extension) {
  Words out(module.begin(), module.begin() + 5);
  int extensions = 0;
  int modes = 0;
  uint32_t entry = 0;
  uint32_t section = 0;  // capabilities, extensions, imports, memory model, entry points, modes, all others
  for (const Instruction words : instructions_of(module)) {
    const uint32_t op = op_of(words);
    constexpr uint32_t kSections[] = {kCapability,  kExtension,  kExtInstImport,
                                      kMemoryModel, kEntryPoint, kExecutionMode};
    const auto here =
        static_cast<uint32_t>(std::find(std::begin(kSections), std::end(kSections), op) - std::begin(kSections));
    EXPECT_GE(here, section) << "opcode " << op << " is too late";
    section = std::max(section, here);
    if (op == kEntryPoint) entry = words[2];
    if (op == kExtension && text_of(words, 1) == extension) {
      ++extensions;
    } else if (op == kExecutionMode && words[2] == mode) {
      EXPECT_EQ(words[1], entry);
      EXPECT_EQ(words.size(), 3U);
      ++modes;
    } else {
      out.insert(out.end(), words.begin(), words.end());
    }
  }
  EXPECT_EQ(extensions, 1);
  EXPECT_EQ(modes, 1);
  return out;
}

TEST(Reconvergence, IsDeclaredInKernelsWithSubgroupOperationsAndNothingElseChanges) {
  size_t declared = 0;
  size_t unchanged = 0;
  for (const std::string& name : kernel_names_of_the_build()) {
    SCOPED_TRACE(name);
    const auto code = testing::find_kernel(name);
    ASSERT_TRUE(code);
    EXPECT_EQ(declare_reconvergence(*code, Reconvergence::kUndeclared), *code);
    const Words uniform = declare_reconvergence(*code, Reconvergence::kSubgroupUniform);
    const Words maximal = declare_reconvergence(*code, Reconvergence::kMaximal);
    if (has_subgroup_operations(*code)) {
      EXPECT_EQ(without_declaration(uniform, kUniformMode, "SPV_KHR_subgroup_uniform_control_flow"), *code);
      EXPECT_EQ(without_declaration(maximal, kMaximalMode, "SPV_KHR_maximal_reconvergence"), *code);
      ++declared;
    } else {
      EXPECT_EQ(uniform, *code);
      EXPECT_EQ(maximal, *code);
      ++unchanged;
    }
  }
  EXPECT_GT(declared, 30U);
  EXPECT_GT(unchanged, 30U);
}

// ---- The rules for control flow

struct Block {
  std::set<uint32_t> predecessors;
  bool may_join = false;  // loop header, merge block, continue target, or target of a switch
};

// The ids of the blocks of a module that break a rule of SPV_KHR_maximal_reconvergence, section 2.11 and
// OpBranchConditional.
std::vector<uint32_t> blocks_without_maximal_reconvergence(const Words& module) {
  std::map<uint32_t, Block> blocks;
  std::vector<uint32_t> wrong;
  uint32_t block = 0;
  for (const Instruction words : instructions_of(module)) {
    const auto reaches = [&](size_t word) -> Block& {
      blocks[words[word]].predecessors.insert(block);
      return blocks[words[word]];
    };
    switch (op_of(words)) {
      case kLabel:
        block = words[1];
        break;
      case kLoopMerge:
        blocks[block].may_join = blocks[words[1]].may_join = blocks[words[2]].may_join = true;
        break;
      case kSelectionMerge:
        blocks[words[1]].may_join = true;
        break;
      case kBranch:
        reaches(1);
        break;
      case kBranchConditional:
        reaches(2);
        reaches(3);
        if (words[2] == words[3]) wrong.push_back(block);
        break;
      case kSwitch:  // selectors of 32 bits: a literal and a label per case
        reaches(2).may_join = true;
        for (size_t i = 4; i < words.size(); i += 2) reaches(i).may_join = true;
        break;
      default:
        break;
    }
  }
  for (const auto& [id, each] : blocks) {
    if (each.predecessors.size() > 1 && !each.may_join) wrong.push_back(id);
  }
  return wrong;
}

TEST(Reconvergence, ControlFlowOfEveryKernelFollowsTheRulesOfMaximalReconvergence) {
  size_t count = 0;
  for (const std::string& name : kernel_names_of_the_build()) {
    const auto code = testing::find_kernel(name);
    ASSERT_TRUE(code) << name;
    if (!has_subgroup_operations(*code)) continue;
    EXPECT_EQ(blocks_without_maximal_reconvergence(*code), std::vector<uint32_t>{}) << name;
    ++count;
  }
  EXPECT_GT(count, 30U);
}

TEST(Reconvergence, TheRulesAreChecked) {
  const auto label = [](uint32_t id) { return Words{2U << 16 | kLabel, id}; };
  const auto branch = [](uint32_t id) { return Words{2U << 16 | kBranch, id}; };
  const auto module = [](const std::vector<Words>& parts) {
    Words out{0x07230203, 0x00010500, 0, 100, 0};
    for (const Words& part : parts) out.insert(out.end(), part.begin(), part.end());
    return out;
  };
  const Words merge{3U << 16 | kSelectionMerge, 4, 0};
  const Words choice{4U << 16 | kBranchConditional, 90, 2, 3};
  const std::vector<Words> good{label(1), merge, choice, label(2), branch(4), label(3), branch(4), label(4)};
  EXPECT_EQ(blocks_without_maximal_reconvergence(module(good)), std::vector<uint32_t>{});
  std::vector<Words> undeclared = good;
  undeclared.erase(undeclared.begin() + 1);
  EXPECT_EQ(blocks_without_maximal_reconvergence(module(undeclared)), std::vector<uint32_t>{4});
  std::vector<Words> same = good;
  same[2][3] = 2;
  EXPECT_EQ(blocks_without_maximal_reconvergence(module(same)), std::vector<uint32_t>{1});
}

// ---- spirv-val

#ifdef ONEPASS_SPIRV_VAL
// What spirv-val says about a module; empty if it is valid.
std::string validate(const Words& module) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("onepass_reconvergence_" + std::to_string(getpid()) + ".spv");
  {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(module.data()), static_cast<std::streamsize>(4 * module.size()));
  }
  const std::string command = testing::shell_word(ONEPASS_SPIRV_VAL) + " --target-env vulkan1.2 " +
                              testing::shell_word(path.string()) + " 2>&1";
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "spirv-val does not start";
  char line[512];
  while (std::fgets(line, sizeof line, pipe) != nullptr) out += line;
  const int status = pclose(pipe);
  std::filesystem::remove(path);
  return status == 0 ? std::string() : out + "status " + std::to_string(status);
}

TEST(Reconvergence, SpirvValAcceptsSubgroupUniformControlFlowInEveryKernel) {
  for (const std::string& name : kernel_names_of_the_build()) {
    const auto code = testing::find_kernel(name);
    ASSERT_TRUE(code) << name;
    if (!has_subgroup_operations(*code)) continue;
    EXPECT_EQ(validate(declare_reconvergence(*code, Reconvergence::kSubgroupUniform)), "") << name;
  }
}

TEST(Reconvergence, SpirvValAcceptsMaximalReconvergenceInEveryKernel) {
  for (const std::string& name : kernel_names_of_the_build()) {
    const auto code = testing::find_kernel(name);
    ASSERT_TRUE(code) << name;
    if (!has_subgroup_operations(*code)) continue;
    const std::string said = validate(declare_reconvergence(*code, Reconvergence::kMaximal));
    if (said.find("operand: 6023") != std::string::npos) GTEST_SKIP() << "SPIRV-Tools before 2024 do not know it";
    EXPECT_EQ(said, "") << name;
  }
}
#endif

// ---- Features and other words

// Validation layers fold such an operation into constants that may follow their first use, and then report the kernel.
TEST(Kernels, ComputeNoVectorsFromSpecializationConstantsAlone) {
  for (const std::string& name : kernel_names_of_the_build()) {
    const auto code = testing::find_kernel(name);
    ASSERT_TRUE(code) << name;
    std::set<uint32_t> vectors;
    for (const Instruction& words : instructions_of(*code)) {
      if (op_of(words) == kTypeVector) vectors.insert(words[1]);
      if (op_of(words) != kSpecConstantOp) continue;
      EXPECT_FALSE(vectors.contains(words[1])) << name << ": %" << words[2];
    }
  }
}

TEST(Reconvergence, TheStrongestEnabledFeatureIsTaken) {
  EXPECT_EQ(reconvergence_of({}), Reconvergence::kUndeclared);
  EXPECT_EQ(reconvergence_of({.subgroup_uniform_control_flow = true}), Reconvergence::kSubgroupUniform);
  EXPECT_EQ(reconvergence_of({.maximal_reconvergence = true}), Reconvergence::kMaximal);
  EXPECT_EQ(reconvergence_of({.subgroup_uniform_control_flow = true, .maximal_reconvergence = true}),
            Reconvergence::kMaximal);
}

TEST(Reconvergence, OtherWordsAreReturnedUnchanged) {
  const Words header{0x07230203, 0x00010500, 0, 100, 0};
  Words endless = header;
  endless.insert(endless.end(), {2U << 16 | kCapability, 61, 0});
  Words beyond = header;
  beyond.insert(beyond.end(), {2U << 16 | kCapability, 61, 9U << 16 | kEntryPoint, 5, 4});
  Words no_entry = header;
  no_entry.insert(no_entry.end(), {2U << 16 | kCapability, 61});
  for (const Words& words : {Words{}, Words{1, 2, 3}, header, endless, beyond, no_entry}) {
    EXPECT_EQ(declare_reconvergence(words, Reconvergence::kMaximal), words);
  }
}

}  // namespace
}  // namespace onepass::vulkan
