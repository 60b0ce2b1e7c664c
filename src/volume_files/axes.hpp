// axes.hpp: arithmetic on sizes of volumes, axis by axis.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "onepass/volume_stream.hpp"
#include "tiles/text.hpp"

namespace onepass::volumes {

/// Calls f(axis of each size) for x, y and z.
template <typename Function, typename... Sizes>
VolumeSize per_axis(const Function& f, const Sizes&... sizes) {
  return {static_cast<uint32_t>(f(sizes.width...)), static_cast<uint32_t>(f(sizes.height...)),
          static_cast<uint32_t>(f(sizes.planes...))};
}

/// Parts of size `part` that hold `size`.
inline VolumeSize parts_of(const VolumeSize& size, const VolumeSize& part) {
  return per_axis([](uint32_t s, uint32_t p) { return s / p + (s % p != 0 ? 1 : 0); }, size, part);
}

inline uint64_t product(const VolumeSize& size) { return uint64_t{size.width} * size.height * size.planes; }

/// Voxels of one level per voxel of a coarser one.
struct Factors {
  uint64_t x = 1, y = 1, z = 1;
};

inline Factors factors_of(std::span<const VolumeStep> steps) {
  Factors f;
  for (const VolumeStep& step : steps) f = {f.x * step.x, f.y * step.y, f.z * step.z};
  return f;
}

/// size * factors, but at most `most`.
inline VolumeSize scaled(const VolumeSize& size, const Factors& f, const VolumeSize& most) {
  const auto scale = [](uint64_t s, uint64_t factor, uint64_t limit) {
    return static_cast<uint32_t>(std::min(s * factor, limit));
  };
  return {scale(size.width, f.x, most.width), scale(size.height, f.y, most.height),
          scale(size.planes, f.z, most.planes)};
}

inline std::string axes_text(const VolumeSize& size) {
  return tiles::text_of(size.width, "x", size.height, "x", size.planes);
}

}  // namespace onepass::volumes
