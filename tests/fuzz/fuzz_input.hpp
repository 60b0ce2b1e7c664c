// fuzz_input.hpp: takes numbers from libFuzzer's bytes, one after the other; zeros after the end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

namespace fuzz {

class Input {
 public:
  Input(const uint8_t* data, size_t size) : bytes_(data, size) {}

  uint8_t byte() {
    if (bytes_.empty()) return 0;
    const uint8_t value = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return value;
  }
  uint32_t number() {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | byte();
    return value;
  }
  uint32_t below(uint32_t limit) { return limit <= 256 ? byte() % limit : number() % limit; }
  uint32_t between(uint32_t least, uint32_t most) { return least + below(most - least + 1); }
  bool one_in(uint32_t count) { return below(count) == count - 1; }
  bool flag() { return (byte() & 1) != 0; }
  /// Any bits, including NaN, infinities and denormals.
  float real() { return std::bit_cast<float>(number()); }
  template <typename T, size_t N>
  const T& pick(const T (&choices)[N]) {
    return choices[below(N)];
  }
  /// Fills `target` with the remaining bytes, repeated as needed, without consuming them.
  void fill(std::span<std::byte> target) {
    for (size_t i = 0; i < target.size(); ++i) {
      target[i] = bytes_.empty() ? std::byte{0} : static_cast<std::byte>(bytes_[i % bytes_.size()]);
    }
  }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }

 private:
  std::span<const uint8_t> bytes_;
};

/// Reports a finding and aborts.
[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "finding: %s\n", what.c_str());
  std::abort();
}

}  // namespace fuzz
