// unpack_kernel.cpp: takes a kernel out of its group, as cmake/pack_kernels.pl has packed it: decompresses the group up
// to the end of the kernel, then replaces differences of operands by operands.
#include <algorithm>
#include <cstddef>

#include "vulkan/kernels.hpp"
#include "vulkan/lzma.hpp"

namespace onepass::vulkan {
namespace {

// Replaces each operand, which is the difference from the operand at the same place of the previous instruction with
// the same opcode, by their sum. False if an instruction reaches beyond the module.
bool sum_operands(std::span<uint32_t> words) {
  constexpr size_t kHeader = 5;
  constexpr size_t kOpcodes = 512;
  constexpr size_t kOperands = 16;
  std::vector<uint32_t> previous(kOpcodes * kOperands);
  for (size_t at = kHeader; at < words.size();) {
    const size_t length = words[at] >> 16;
    if (length == 0 || length > words.size() - at) return false;
    const size_t places = words[at] % kOpcodes * kOperands;
    for (size_t operand = 1; operand < std::min(length, kOperands); ++operand) {
      words[at + operand] += previous[places + operand];
      previous[places + operand] = words[at + operand];
    }
    at += length;
  }
  return true;
}

}  // namespace

bool has_kernel(const KernelSet& set, std::string_view name) {
  return std::any_of(set.entries.begin(), set.entries.end(),
                     [&](const KernelEntry& entry) { return entry.name == name; });
}

std::optional<std::vector<uint32_t>> unpack_kernel(const KernelSet& set, const KernelEntry& entry) {
  if (entry.group >= set.groups.size()) return std::nullopt;
  const KernelGroup& group = set.groups[entry.group];
  if (group.compressed_bytes == 0) {
    if (entry.first > group.content.size() || entry.words > group.content.size() - entry.first) return std::nullopt;
    const auto words = group.content.subspan(entry.first, entry.words);
    return std::vector<uint32_t>(words.begin(), words.end());
  }
  const std::span<const std::byte> packed = std::as_bytes(group.content);
  if (group.compressed_bytes > packed.size()) return std::nullopt;
  std::vector<uint32_t> words(size_t{entry.first} + entry.words);
  if (!decompress_lzma(packed.first(group.compressed_bytes), std::as_writable_bytes(std::span(words)))) {
    return std::nullopt;
  }
  words.erase(words.begin(), words.begin() + entry.first);
  if (!sum_operands(words)) return std::nullopt;
  return words;
}

}  // namespace onepass::vulkan
