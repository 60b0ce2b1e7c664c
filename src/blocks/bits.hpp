// bits.hpp: writes the fields of a block of 16 bytes, the lowest bit of the first byte first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace onepass::blocks {

class BitWriter {
 public:
  /// The lowest `count` bits of `value`, at most 32; higher bits are 0.
  void write(uint64_t value, uint32_t count) {
    if (count == 0) return;
    words_[at_ / 64] |= value << (at_ % 64);
    if (at_ % 64 + count > 64) words_[1] |= value >> (64 - at_ % 64);
    at_ += count;
  }
  void store(std::byte* out) const { std::memcpy(out, words_.data(), 16); }

 private:
  std::array<uint64_t, 2> words_{};
  uint32_t at_ = 0;
};

}  // namespace onepass::blocks
