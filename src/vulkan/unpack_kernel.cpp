// unpack_kernel.cpp: decompression of embedded kernels: LZ4 frames of one block, as cmake/PackKernel.cmake makes them.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "vulkan/kernels.hpp"

namespace onepass::vulkan {
namespace {

constexpr uint32_t kSpirvMagic = 0x07230203;
constexpr uint32_t kLz4Magic = 0x184D2204;
// Precedes a frame that holds a module as cmake/pack_kernel.pl rearranges it.
constexpr uint32_t kRearrangedMagic = 0x524B504F;
constexpr size_t kHeaderBytes = 15;          // magic, FLG, BD, content size, header checksum
constexpr uint8_t kVersionAndSize = 0x48;    // of FLG: version 1, content size present
constexpr uint32_t kStoredBlock = 1U << 31;  // of the block size: the block is not compressed

template <typename T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// A 4-bit length of 15 continues in bytes; the first byte other than 255 is the last. False if the input ends before
// it.
bool read_length(std::span<const std::byte>& in, size_t& length) {
  if (length != 15) return true;
  for (;;) {
    if (in.empty()) return false;
    const auto more = std::to_integer<size_t>(in.front());
    in = in.subspan(1);
    length += more;
    if (more != 255) return true;
  }
}

// Fills `out` from an LZ4 block: sequences of literals and a copy of earlier output, of which the last has literals
// only.
bool decompress_block(std::span<const std::byte> in, std::span<std::byte> out) {
  constexpr size_t kLeastMatch = 4;
  size_t made = 0;
  while (!in.empty()) {
    const auto token = std::to_integer<uint8_t>(in.front());
    in = in.subspan(1);
    size_t literals = token >> 4;
    if (!read_length(in, literals) || literals > in.size() || literals > out.size() - made) return false;
    std::copy_n(in.begin(), literals, out.begin() + static_cast<ptrdiff_t>(made));
    in = in.subspan(literals);
    made += literals;
    if (in.empty()) break;
    if (in.size() < 2) return false;
    const size_t distance = load<uint16_t>(in.data());
    in = in.subspan(2);
    size_t match = token & 15;
    if (!read_length(in, match)) return false;
    match += kLeastMatch;
    if (distance == 0 || distance > made || match > out.size() - made) return false;
    // A copy may overlap its own beginning and so repeat it: each part doubles the bytes that can be copied next.
    std::byte* const to = out.data() + made;
    for (size_t done = 0; done < match;) {
      const size_t count = std::min(match - done, distance + done);
      std::memcpy(to + done, to - distance, count);
      done += count;
    }
    made += match;
  }
  return made == out.size();
}

// The words of an LZ4 frame; no value if it is damaged.
std::optional<std::vector<uint32_t>> decompress_frame(std::span<const uint32_t> frame) {
  const std::span<const std::byte> bytes = std::as_bytes(frame);
  if (frame.empty() || frame[0] != kLz4Magic || bytes.size() < kHeaderBytes + 4) return std::nullopt;
  if ((std::to_integer<uint8_t>(bytes[4]) & 0xC8) != kVersionAndSize) return std::nullopt;
  const auto content = load<uint64_t>(bytes.data() + 6);
  const auto block = load<uint32_t>(bytes.data() + kHeaderBytes);
  const size_t size = block & ~kStoredBlock;
  constexpr uint64_t kMostContent = 1U << 22;  // of a block
  if (content % 4 != 0 || content > kMostContent || size > bytes.size() - kHeaderBytes - 4) return std::nullopt;
  std::vector<uint32_t> words(content / 4);
  const std::span<std::byte> out = std::as_writable_bytes(std::span(words));
  const std::span<const std::byte> in = bytes.subspan(kHeaderBytes + 4, size);
  if ((block & kStoredBlock) != 0) {
    if (in.size() != out.size()) return std::nullopt;
    std::copy(in.begin(), in.end(), out.begin());
    return words;
  }
  if (!decompress_block(in, out)) return std::nullopt;
  return words;
}

// Words from their byte planes: a quarter of `planes` holds the lowest bytes of all words, the next quarter the second
// bytes.
std::vector<uint32_t> join_planes(std::span<const uint32_t> planes) {
  const size_t count = planes.size();
  const auto* bytes = reinterpret_cast<const uint8_t*>(planes.data());
  std::vector<uint32_t> words(count);
  for (size_t i = 0; i < count; ++i) {
    words[i] = bytes[i] | uint32_t{bytes[count + i]} << 8 | uint32_t{bytes[2 * count + i]} << 16 |
               uint32_t{bytes[3 * count + i]} << 24;
  }
  return words;
}

// The inverse of cmake/pack_kernel.pl's first step: operands are differences from the operand at the same place of the
// previous instruction with the same opcode. False if an instruction reaches beyond the module.
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

std::optional<std::vector<uint32_t>> unpack_kernel(std::span<const uint32_t> packed) {
  if (packed.empty()) return std::nullopt;
  if (packed[0] == kSpirvMagic) return std::vector<uint32_t>(packed.begin(), packed.end());
  if (packed[0] != kRearrangedMagic) return decompress_frame(packed);
  const auto planes = decompress_frame(packed.subspan(1));
  if (!planes) return std::nullopt;
  std::vector<uint32_t> words = join_planes(*planes);
  if (!sum_operands(words)) return std::nullopt;
  return words;
}

}  // namespace onepass::vulkan
