// sample_rows.hpp: rows of samples to floats and back. 8- and 16-bit colours that are encoded by sRGB become linear
// light.
#pragma once

#include <cstddef>
#include <cstdint>

#include "files/pixel_layout.hpp"

namespace onepass::files {

/// Converts the rows of one layout.
class SampleRows {
 public:
  /// `srgb`: colours are encoded by sRGB; the alpha channel is not.
  SampleRows(const PixelLayout& layout, bool srgb) : layout_(layout), srgb_(srgb) {}

  /// Decodes `count` pixels to `channels` floats each. Quantised values keep their scale (0 to 255...) unless they are
  /// sRGB, which become 0 to 1.
  void decode(const std::byte* from, size_t count, float* to) const;

  /// The reverse: rounds to nearest and clamps. The result of decode() comes back unchanged, except that integers of 32
  /// bits have 24 bits of precision.
  void encode(const float* from, size_t count, std::byte* to) const;

 private:
  [[nodiscard]] bool is_encoded(uint32_t channel) const {
    return srgb_ && !(layout_.has_alpha() && channel + 1 == layout_.channels);
  }

  PixelLayout layout_;
  bool srgb_;
};

}  // namespace onepass::files
