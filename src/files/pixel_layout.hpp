// pixel_layout.hpp: how the pixels of rows are stored.
//
// Rows are interleaved: channel c of pixel x begins at byte (x * channels + c) * sample_bytes, in the byte order of the
// machine. This form holds every source exactly: three channels of 8 bits, signed integers, any number of channels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "onepass/color.hpp"

namespace onepass::files {

enum class Sample { kU8, kI8, kU16, kI16, kU32, kI32, kF16, kF32 };

constexpr uint32_t sample_bytes(Sample sample) {
  return sample == Sample::kU8 || sample == Sample::kI8                               ? 1
         : sample == Sample::kU16 || sample == Sample::kI16 || sample == Sample::kF16 ? 2
                                                                                      : 4;
}
constexpr bool is_float(Sample sample) { return sample == Sample::kF16 || sample == Sample::kF32; }
constexpr bool is_signed(Sample sample) {
  return sample == Sample::kI8 || sample == Sample::kI16 || sample == Sample::kI32;
}

/// "uint8", "int16", "half", "float" and so on.
constexpr std::string_view sample_name(Sample sample) {
  constexpr std::string_view kNames[] = {"uint8", "int8", "uint16", "int16", "uint32", "int32", "half", "float"};
  return kNames[static_cast<size_t>(sample)];
}

struct PixelLayout {
  Sample sample = Sample::kU8;
  uint32_t channels = 1;
  AlphaAssociation alpha = AlphaAssociation::kNone;  ///< Of the last channel; kNone: it is no alpha.
  bool colour = false;                               ///< The first three channels are red, green and blue.

  [[nodiscard]] size_t pixel_bytes() const { return size_t{channels} * sample_bytes(sample); }
  [[nodiscard]] bool has_alpha() const { return alpha != AlphaAssociation::kNone; }
  friend bool operator==(const PixelLayout&, const PixelLayout&) = default;
};

/// The resolution of a picture.
struct Resolution {
  double x = 0;  ///< Pixels per unit.
  double y = 0;
  uint16_t unit = 2;  ///< TIFF's ResolutionUnit: 1 none, 2 inch, 3 centimetre.
};

/// A TIFF tag that is copied: its number, its type by TIFF 6.0, and its values in the byte order of the machine.
struct CopiedTag {
  uint16_t tag = 0;
  uint16_t type = 0;
  uint64_t count = 0;
  std::vector<std::byte> bytes;
};

}  // namespace onepass::files
