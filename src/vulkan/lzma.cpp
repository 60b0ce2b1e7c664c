// lzma.cpp: the decoder of the LZMA specification: bits of adaptive probabilities from a range decoder; with these,
// literals and copies of earlier bytes.
#include "vulkan/lzma.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

namespace onepass::vulkan {
namespace {

constexpr size_t kStates = 12;        // of the last packets
constexpr uint32_t kFirstCopied = 7;  // states from here on follow a copy
constexpr size_t kLeastMatch = 2;

using Probability = uint16_t;  // of a bit 0, in 2048ths
constexpr Probability kEven = 1024;

/// Probabilities that are even at first.
template <size_t count>
struct Probabilities : std::array<Probability, count> {
  Probabilities() { this->fill(kEven); }
};

class RangeDecoder {
 public:
  explicit RangeDecoder(std::span<const std::byte> in) : in_(in) {
    good_ = next() == 0;
    for (int i = 0; i < 4; ++i) code_ = code_ << 8 | next();
  }

  /// Whether the input was valid and sufficient so far.
  [[nodiscard]] bool good() const { return good_; }

  uint32_t bit(Probability& zero) {
    const uint32_t bound = (range_ >> 11) * zero;
    const bool one = code_ >= bound;
    if (one) {
      range_ -= bound;
      code_ -= bound;
      zero = static_cast<Probability>(zero - (zero >> 5));
    } else {
      range_ = bound;
      zero = static_cast<Probability>(zero + ((2048 - zero) >> 5));
    }
    refill();
    return one ? 1 : 0;
  }

  /// `count` bits of even probability, the highest first.
  uint32_t even_bits(uint32_t count) {
    uint32_t value = 0;
    for (; count > 0; --count) {
      range_ >>= 1;
      const bool one = code_ >= range_;
      if (one) code_ -= range_;
      refill();
      value = value << 1 | (one ? 1U : 0U);
    }
    return value;
  }

  /// A number of `bits` bits, the highest first. `tree`: 2^bits probabilities.
  uint32_t number(std::span<Probability> tree, uint32_t bits) {
    uint32_t node = 1;
    for (uint32_t i = 0; i < bits; ++i) node = node << 1 | bit(tree[node]);
    return node - (1U << bits);
  }

  /// The same, the lowest bit first.
  uint32_t reversed_number(std::span<Probability> tree, uint32_t bits) {
    uint32_t node = 1;
    uint32_t value = 0;
    for (uint32_t i = 0; i < bits; ++i) {
      const uint32_t one = bit(tree[node]);
      node = node << 1 | one;
      value |= one << i;
    }
    return value;
  }

 private:
  uint32_t next() {
    if (at_ == in_.size()) {
      good_ = false;
      return 0;
    }
    return std::to_integer<uint32_t>(in_[at_++]);
  }
  void refill() {
    if (range_ >= 1U << 24) return;
    range_ <<= 8;
    code_ = code_ << 8 | next();
  }

  std::span<const std::byte> in_;
  size_t at_ = 0;
  uint32_t range_ = 0xFFFFFFFF;
  uint32_t code_ = 0;
  bool good_ = true;
};

/// The length of a copy, less kLeastMatch: 0 to 271.
class LengthDecoder {
 public:
  uint32_t decode(RangeDecoder& range) {
    if (range.bit(choices_[0]) == 0) return range.number(low_, 3);
    if (range.bit(choices_[1]) == 0) return 8 + range.number(middle_, 3);
    return 16 + range.number(high_, 8);
  }

 private:
  Probabilities<2> choices_;
  Probabilities<8> low_, middle_;
  Probabilities<256> high_;
};

class Decoder {
 public:
  Decoder(std::span<const std::byte> in, std::span<std::byte> out) : range_(in), out_(out) {}

  bool run() {
    while (made_ < out_.size() && range_.good()) {
      if (range_.bit(is_match_[state_]) == 0) {
        literal();
        continue;
      }
      size_t length = 0;
      if (range_.bit(is_repeat_[state_]) == 0) {
        length = lengths_.decode(range_);
        distances_ = {distance(std::min<size_t>(length, 3)), distances_[0], distances_[1], distances_[2]};
        state_ = state_ < kFirstCopied ? 7 : 10;
      } else if (!repeats()) {
        length = repeat_lengths_.decode(range_);
        state_ = state_ < kFirstCopied ? 8 : 11;
      } else {
        if (!copy(1)) return false;
        state_ = state_ < kFirstCopied ? 9 : 11;
        continue;
      }
      if (!copy(length + kLeastMatch)) return false;
    }
    return range_.good();
  }

 private:
  void literal() {
    uint32_t node = 1;
    if (state_ >= kFirstCopied && distances_[0] < made_) {
      // After a copy: as long as the bits are those of the byte that a longer copy would give, its bits choose.
      auto likely = std::to_integer<uint32_t>(out_[made_ - distances_[0] - 1]);
      while (node < 0x100) {
        const uint32_t expected = likely >> 7 & 1;
        likely <<= 1;
        const uint32_t bit = range_.bit(literals_[((1 + expected) << 8) + node]);
        node = node << 1 | bit;
        if (bit != expected) break;
      }
    }
    while (node < 0x100) node = node << 1 | range_.bit(literals_[node]);
    out_[made_++] = static_cast<std::byte>(node);
    state_ = state_ < 4 ? 0 : state_ < 10 ? state_ - 3 : state_ - 6;
  }

  /// A copy from an earlier distance, which becomes the first. True: of one byte.
  bool repeats() {
    if (range_.bit(is_first_[state_]) == 0) return range_.bit(is_long_[state_]) == 0;
    size_t chosen = 1;
    if (range_.bit(is_second_[state_]) != 0) chosen = 2 + range_.bit(is_third_[state_]);
    std::rotate(distances_.begin(), distances_.begin() + static_cast<ptrdiff_t>(chosen),
                distances_.begin() + static_cast<ptrdiff_t>(chosen) + 1);
    return false;
  }

  /// A new distance, less 1. `length`: 0 to 3, which chooses the probabilities.
  uint32_t distance(size_t length) {
    const uint32_t slot = range_.number(slots_[length], 6);
    if (slot < 4) return slot;
    const uint32_t bits = (slot >> 1) - 1;
    const uint32_t first = (2 | (slot & 1)) << bits;
    if (slot < 14) return first + range_.reversed_number(std::span(near_).subspan(first - slot), bits);
    const uint32_t high = range_.even_bits(bits - 4) << 4;
    return first + high + range_.reversed_number(far_, 4);
  }

  bool copy(size_t length) {
    const size_t back = size_t{distances_[0]} + 1;
    if (back > made_) return false;
    length = std::min(length, out_.size() - made_);
    std::byte* const to = out_.data() + made_;
    made_ += length;
    // A copy may overlap its own beginning and so repeat it: each part doubles the bytes that can be copied next.
    for (size_t done = 0; done < length;) {
      const size_t count = std::min(length - done, back + done);
      std::memcpy(to + done, to - back, count);
      done += count;
    }
    return true;
  }

  RangeDecoder range_;
  std::span<std::byte> out_;
  size_t made_ = 0;
  uint32_t state_ = 0;
  std::array<uint32_t, 4> distances_{};  // of the last copies, less 1
  Probabilities<0x300> literals_;
  Probabilities<kStates> is_match_, is_long_, is_repeat_, is_first_, is_second_, is_third_;
  LengthDecoder lengths_, repeat_lengths_;
  std::array<Probabilities<64>, 4> slots_;
  Probabilities<128> near_;
  Probabilities<16> far_;
};

}  // namespace

bool decompress_lzma(std::span<const std::byte> in, std::span<std::byte> out) { return Decoder(in, out).run(); }

}  // namespace onepass::vulkan
