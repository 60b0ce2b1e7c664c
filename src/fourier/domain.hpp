// domain.hpp: the domain of a transform: its largest size, and, along one axis and for every Boundary, the texel of the
// image at a position.
#pragma once

#include <algorithm>
#include <cstdint>

#include "onepass/fourier.hpp"

namespace onepass {

/// The most texels an axis of a transform may have.
inline constexpr uint32_t kMaxTransformSize = 65535;

inline constexpr uint32_t kNoTexel = ~uint32_t{0};

/// The texel at `position` of a domain of `size` texels in which a crop of `count` texels starts at `placement`. The
/// texel is counted from the first of the crop; kNoTexel if there is none (Boundary::kZero).
inline uint32_t texel_at(uint32_t position, uint32_t size, uint32_t count, int32_t placement, Boundary boundary) {
  const auto modulo = [](int64_t a, int64_t n) { return (a % n + n) % n; };
  const int64_t n = count;
  const int64_t offset = static_cast<int64_t>(position) - placement;
  switch (boundary) {
    case Boundary::kZero: {
      const int64_t wrapped = modulo(offset, size);
      return wrapped < n ? static_cast<uint32_t>(wrapped) : kNoTexel;
    }
    case Boundary::kWrap:
      return static_cast<uint32_t>(modulo(offset, n));
    case Boundary::kClamp:
      return static_cast<uint32_t>(offset < 0 ? 0 : offset < n ? offset : n - 1);
    case Boundary::kMirror: {
      const int64_t wrapped = modulo(offset, 2 * n);
      return static_cast<uint32_t>(wrapped < n ? wrapped : 2 * n - 1 - wrapped);
    }
  }
  return kNoTexel;
}

/// Texels of the crop, [begin, end), that occur in a domain along an axis. They are contiguous, because a crop is no
/// longer than the domain.
struct VisibleTexels {
  uint32_t begin = 0, end = 0;
};

inline VisibleTexels visible_texels(uint32_t size, uint32_t count, int32_t placement, Boundary boundary) {
  VisibleTexels seen{count, 0};
  for (uint32_t position = 0; position < size; ++position) {
    const uint32_t texel = texel_at(position, size, count, placement, boundary);
    if (texel == kNoTexel) continue;
    seen.begin = std::min(seen.begin, texel);
    seen.end = std::max(seen.end, texel + 1);
  }
  return seen;
}

}  // namespace onepass
