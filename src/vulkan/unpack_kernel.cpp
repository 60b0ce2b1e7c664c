// unpack_kernel.cpp: takes a kernel out of its group, as cmake/pack_kernels.pl has packed it: decompresses the group up
// to the end of the kernel, then reads its numbers and replaces distances of ids by ids.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "vulkan/kernels.hpp"
#include "vulkan/lzma.hpp"

namespace onepass::vulkan {
namespace {

// Reads the numbers of a module.
class Numbers {
 public:
  explicit Numbers(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }

  // No value at the end of the bytes, and for numbers of more than 33 bits: twice a word and 1 is the largest.
  std::optional<uint64_t> next() {
    constexpr uint64_t kMost = uint64_t{0xFFFFFFFF} * 2 + 1;
    uint64_t value = 0;
    while (at_ < bytes_.size()) {
      const auto byte = std::to_integer<uint32_t>(bytes_[at_++]);
      value = value << 7 | (byte & 0x7F);
      if (value > kMost) return std::nullopt;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

 private:
  std::span<const std::byte> bytes_;
  size_t at_ = 0;
};

// Ids that are not shared form a circle. A distance counts back from the id after the largest one so far, so that a new
// id has the distance 0.
class Distances {
 public:
  Distances(uint32_t shared, uint32_t bound) : shared_(shared), span_(bound - shared - 1), largest_(shared) {}

  uint32_t id(uint64_t distance) {
    const uint64_t ahead = uint64_t{largest_} - shared_ + span_ - distance % span_;  // of the first, and once round
    const uint32_t id = shared_ + 1 + static_cast<uint32_t>(ahead % span_);
    largest_ = std::max(largest_, id);
    return id;
  }

 private:
  uint32_t shared_, span_, largest_;
};

std::optional<std::vector<uint32_t>> decode(std::span<const std::byte> bytes) {
  constexpr size_t kHeader = 5;
  constexpr size_t kBound = 3;
  constexpr size_t kUnused = 4;  // 0 in SPIR-V
  Numbers numbers(bytes);
  std::vector<uint32_t> words;
  for (size_t i = 0; i < kHeader; ++i) {
    const auto number = numbers.next();
    if (!number) return std::nullopt;
    words.push_back(static_cast<uint32_t>(*number));
  }
  const uint32_t shared = std::exchange(words[kUnused], 0);
  if (words[kBound] < 2 || shared > words[kBound] - 2) return std::nullopt;
  Distances distances(shared, words[kBound]);
  while (!numbers.at_end()) {
    const auto opcode = numbers.next();
    const auto length = numbers.next();
    if (!opcode || !length || *opcode > 0xFFFF || *length == 0 || *length > 0xFFFF) return std::nullopt;
    words.push_back(static_cast<uint32_t>(*length << 16 | *opcode));
    for (uint64_t i = 1; i < *length; ++i) {
      const auto number = numbers.next();
      if (!number) return std::nullopt;
      words.push_back(*number % 2 == 0 ? static_cast<uint32_t>(*number / 2) : distances.id(*number / 2));
    }
  }
  return words;
}

}  // namespace

bool has_kernel(const KernelSet& set, std::string_view name) {
  return std::any_of(set.entries.begin(), set.entries.end(),
                     [&](const KernelEntry& entry) { return entry.name == name; });
}

std::optional<std::vector<uint32_t>> unpack_kernel(const KernelSet& set, const KernelEntry& entry) {
  if (entry.group >= set.groups.size()) return std::nullopt;
  const KernelGroup& group = set.groups[entry.group];
  const std::span<const std::byte> content = std::as_bytes(group.content);
  if (group.compressed_bytes == 0) {
    if (entry.first > content.size() || entry.bytes > content.size() - entry.first) return std::nullopt;
    const auto words = group.content.subspan(entry.first / 4, entry.bytes / 4);
    return std::vector<uint32_t>(words.begin(), words.end());
  }
  if (group.compressed_bytes > content.size()) return std::nullopt;
  std::vector<std::byte> bytes(size_t{entry.first} + entry.bytes);
  if (!decompress_lzma(content.first(group.compressed_bytes), bytes)) return std::nullopt;
  return decode(std::span(bytes).subspan(entry.first));
}

}  // namespace onepass::vulkan
