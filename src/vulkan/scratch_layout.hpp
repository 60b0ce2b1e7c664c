// scratch_layout.hpp: consecutive parts of one range of scratch memory.
#pragma once

#include <cstdint>

#include "image/div_up.hpp"

namespace onepass::vulkan {

/// Rounds up to 256 bytes, so that the next range may be bound.
constexpr uint64_t aligned_range(uint64_t bytes) { return round_up(bytes, 256); }

/// Offsets of consecutive parts of scratch memory, aligned so that each may be bound.
class ScratchLayout {
 public:
  /// Adds a part of `bytes`; returns its offset.
  uint64_t add(uint64_t bytes) {
    const uint64_t at = bytes_;
    bytes_ += aligned_range(bytes);
    return at;
  }
  [[nodiscard]] uint64_t bytes() const { return bytes_; }

 private:
  uint64_t bytes_ = 0;
};

}  // namespace onepass::vulkan
