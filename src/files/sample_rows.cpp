// sample_rows.cpp: conversions of samples of every type; sRGB by tables.
//
// Encoding to 16-bit sRGB needs no logarithm: the upper bits of a float select a quantised value near the result, and a
// comparison with the boundaries between neighbouring values finds the nearest one exactly.
#include "files/sample_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "files/pixels.hpp"
#include "image/small_float.hpp"

namespace onepass::files {
namespace {

// The quantised values 0 to kMost of an sRGB channel, as light.
template <typename Code>
class SrgbTable {
 public:
  static constexpr uint32_t kMost = std::numeric_limits<Code>::max();
  SrgbTable() : light_(kMost + 1), boundary_(kMost + 1), start_(kBuckets + 1) {
    for (uint32_t i = 0; i <= kMost; ++i) {
      light_[i] = static_cast<float>(srgb_to_linear(double{1} * i / kMost));
      boundary_[i] = static_cast<float>(srgb_to_linear((i + 0.5) / kMost));
    }
    boundary_[kMost] = std::numeric_limits<float>::infinity();
    uint32_t code = 0;
    for (uint32_t bucket = 0; bucket <= kBuckets; ++bucket) {
      const auto least = std::bit_cast<float>((kFirst + bucket) << kShift);
      while (least >= boundary_[code]) ++code;
      start_[bucket] = static_cast<Code>(code);
    }
  }
  [[nodiscard]] float light(Code code) const { return light_[code]; }
  [[nodiscard]] Code code(float light) const {
    if (!(light > kLeast)) return light >= boundary_[0] ? 1 : 0;
    if (light >= 1) return kMost;
    uint32_t code = start_[(std::bit_cast<uint32_t>(light) >> kShift) - kFirst];
    while (light >= boundary_[code]) ++code;
    return static_cast<Code>(code);
  }

 private:
  static constexpr uint32_t kShift = 9;  // buckets of 14 mantissa bits: about one 16-bit value each near 1
  static constexpr float kLeast = 0x1p-21F;
  static constexpr uint32_t kFirst = std::bit_cast<uint32_t>(kLeast) >> kShift;
  static constexpr uint32_t kBuckets = (std::bit_cast<uint32_t>(1.0F) >> kShift) - kFirst;
  std::vector<float> light_, boundary_;
  std::vector<Code> start_;
};

template <typename Code>
const SrgbTable<Code>& srgb_table() {
  static const SrgbTable<Code> table;
  return table;
}

template <typename T>
T rounded(float value) {
  constexpr double kLow = std::numeric_limits<T>::lowest();
  constexpr double kHigh = std::numeric_limits<T>::max();
  const double nearest = std::nearbyint(double{value});
  return static_cast<T>(nearest >= kLow ? std::min(nearest, kHigh) : kLow);  // NaN becomes the lowest
}

template <typename T>
void decode_numbers(const std::byte* from, size_t count, float* to) {
  for (size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, from + i * sizeof(T), sizeof(T));
    to[i] = static_cast<float>(value);
  }
}

template <typename T>
void encode_numbers(const float* from, size_t count, std::byte* to) {
  for (size_t i = 0; i < count; ++i) {
    const T value = rounded<T>(from[i]);
    std::memcpy(to + i * sizeof(T), &value, sizeof(T));
  }
}

}  // namespace

void SampleRows::decode(const std::byte* from, size_t count, float* to) const {
  const size_t samples = count * layout_.channels;
  switch (layout_.sample) {
    case Sample::kU8:
      decode_numbers<uint8_t>(from, samples, to);
      break;
    case Sample::kI8:
      decode_numbers<int8_t>(from, samples, to);
      break;
    case Sample::kU16:
      decode_numbers<uint16_t>(from, samples, to);
      break;
    case Sample::kI16:
      decode_numbers<int16_t>(from, samples, to);
      break;
    case Sample::kU32:
      decode_numbers<uint32_t>(from, samples, to);
      break;
    case Sample::kI32:
      decode_numbers<int32_t>(from, samples, to);
      break;
    case Sample::kF16:
      for (size_t i = 0; i < samples; ++i) {
        uint16_t bits = 0;
        std::memcpy(&bits, from + 2 * i, 2);
        to[i] = decode_half(bits);
      }
      break;
    case Sample::kF32:
      std::memcpy(to, from, samples * sizeof(float));
      break;
  }
  if (!srgb_) return;
  for (uint32_t c = 0; c < layout_.channels; ++c) {
    const bool wide = layout_.sample == Sample::kU16;
    const float scale = wide ? 1.0F / 65535 : 1.0F / 255;
    for (size_t i = c; i < samples; i += layout_.channels) {
      if (!is_encoded(c)) {
        to[i] *= scale;
      } else if (wide) {
        to[i] = srgb_table<uint16_t>().light(static_cast<uint16_t>(to[i]));
      } else {
        to[i] = srgb_table<uint8_t>().light(static_cast<uint8_t>(to[i]));
      }
    }
  }
}

void SampleRows::encode(const float* from, size_t count, std::byte* to) const {
  const size_t samples = count * layout_.channels;
  if (srgb_) {
    const bool wide = layout_.sample == Sample::kU16;
    for (size_t i = 0, c = 0; i < samples; ++i, c = c + 1 == layout_.channels ? 0 : c + 1) {
      const bool encoded = is_encoded(static_cast<uint32_t>(c));
      if (wide) {
        const uint16_t code = encoded ? srgb_table<uint16_t>().code(from[i]) : rounded<uint16_t>(from[i] * 65535);
        std::memcpy(to + 2 * i, &code, 2);
      } else {
        const uint8_t code = encoded ? srgb_table<uint8_t>().code(from[i]) : rounded<uint8_t>(from[i] * 255);
        to[i] = static_cast<std::byte>(code);
      }
    }
    return;
  }
  switch (layout_.sample) {
    case Sample::kU8:
      return encode_numbers<uint8_t>(from, samples, to);
    case Sample::kI8:
      return encode_numbers<int8_t>(from, samples, to);
    case Sample::kU16:
      return encode_numbers<uint16_t>(from, samples, to);
    case Sample::kI16:
      return encode_numbers<int16_t>(from, samples, to);
    case Sample::kU32:
      return encode_numbers<uint32_t>(from, samples, to);
    case Sample::kI32:
      return encode_numbers<int32_t>(from, samples, to);
    case Sample::kF16:
      for (size_t i = 0; i < samples; ++i) {
        const uint16_t bits = encode_half(from[i]);
        std::memcpy(to + 2 * i, &bits, 2);
      }
      return;
    case Sample::kF32:
      std::memcpy(to, from, samples * sizeof(float));
      return;
  }
}

}  // namespace onepass::files
