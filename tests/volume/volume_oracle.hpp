// volume_oracle.hpp: the levels of a volume by the definitions of volume_stream.hpp, voxel by voxel, in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <type_traits>
#include <vector>

#include "onepass/volume_stream.hpp"

namespace onepass::testing {

/// The bits of a half, as a type of its own.
struct HalfBits {
  uint16_t bits = 0;
  friend bool operator==(const HalfBits&, const HalfBits&) = default;
};

inline double half_value(HalfBits half) {
  const int exponent = half.bits >> 10 & 31;
  const int mantissa = half.bits & 1023;
  double value = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  if (exponent == 31) value = mantissa == 0 ? HUGE_VAL : NAN;
  return (half.bits & 0x8000) != 0 ? -value : value;
}

/// The half nearest to a finite number that is no larger than the largest half; even ones of two.
inline HalfBits nearest_half(double value) {
  const double magnitude = std::abs(value);
  const int exponent = magnitude < 0x1p-14 ? -14 : std::ilogb(magnitude);
  const double units = std::nearbyint(std::ldexp(magnitude, 10 - exponent));  // 1024 and more: normal
  const int code =
      magnitude < 0x1p-14 ? static_cast<int>(units) : (exponent + 15) * 1024 + static_cast<int>(units) - 1024;
  return {static_cast<uint16_t>(code | (std::signbit(value) ? 0x8000 : 0))};
}

template <typename T>
double value_of(T voxel) {
  if constexpr (std::is_same_v<T, HalfBits>) {
    return half_value(voxel);
  } else {
    return static_cast<double>(voxel);
  }
}

/// Voxels of a level: x fastest, channels interleaved.
template <typename T>
struct Volume {
  VolumeSize size;
  uint32_t channels = 1;
  std::vector<T> voxels;

  Volume(VolumeSize extent, uint32_t channel_count)
      : size(extent),
        channels(channel_count),
        voxels(size_t{extent.width} * extent.height * extent.planes * channels) {}
  T& at(uint32_t x, uint32_t y, uint32_t z, uint32_t c) {
    return voxels[((size_t{z} * size.height + y) * size.width + x) * channels + c];
  }
  const T& at(uint32_t x, uint32_t y, uint32_t z, uint32_t c) const {
    return const_cast<Volume*>(this)->at(x, y, z, c);
  }
};

/// One channel of the cell at (x, y, z), whose sides are `cell` where the volume does not end.
template <typename T>
std::vector<T> cell_values(const Volume<T>& base, const VolumeStep& cell, uint32_t x, uint32_t y, uint32_t z,
                           uint32_t c) {
  std::vector<T> values;
  for (uint32_t k = z * cell.z; k < std::min(base.size.planes, (z + 1) * cell.z); ++k) {
    for (uint32_t j = y * cell.y; j < std::min(base.size.height, (y + 1) * cell.y); ++j) {
      for (uint32_t i = x * cell.x; i < std::min(base.size.width, (x + 1) * cell.x); ++i) {
        values.push_back(base.at(i, j, k, c));
      }
    }
  }
  return values;
}

template <typename T>
T oracle_mean(const std::vector<T>& values) {
  double sum = 0;
  for (const T value : values) sum += value_of(value);
  const double mean = sum / static_cast<double>(values.size());
  if constexpr (std::is_same_v<T, HalfBits>) {
    return nearest_half(static_cast<float>(mean));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(mean);
  } else {
    return static_cast<T>(std::nearbyint(mean));  // ties to even
  }
}

template <typename T>
T oracle_extreme(const std::vector<T>& values, bool is_max) {
  T best = values[0];
  for (const T value : values) {
    bool better = false;
    if constexpr (std::is_same_v<T, HalfBits>) {
      better = is_max ? half_value(value) > half_value(best) : half_value(value) < half_value(best);
    } else {
      better = is_max ? value > best : value < best;
    }
    if (better) best = value;
  }
  return best;
}

template <typename T>
T oracle_mode(const std::vector<T>& values) {
  std::map<T, uint32_t> counts;
  for (const T value : values) ++counts[value];
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most->first;  // the first of equal counts: the map is sorted
}

/// Level n, from the base; modes from level n - 1, `finer`.
template <typename T>
Volume<T> oracle_level(const VolumeOptions& options, const Volume<T>& base, const Volume<T>& finer, size_t n) {
  VolumeStep cell = {1, 1, 1};
  const bool is_mode = options.reduction == Reduction::kMode;
  for (size_t i = is_mode ? n - 1 : 0; i < n; ++i) {
    cell = {cell.x * options.steps[i].x, cell.y * options.steps[i].y, cell.z * options.steps[i].z};
  }
  const Volume<T>& from = is_mode ? finer : base;
  const auto cells = [](uint32_t extent, uint32_t side) { return (extent + side - 1) / side; };
  Volume<T> level({cells(from.size.width, cell.x), cells(from.size.height, cell.y), cells(from.size.planes, cell.z)},
                  options.channels);
  for (uint32_t z = 0; z < level.size.planes; ++z) {
    for (uint32_t y = 0; y < level.size.height; ++y) {
      for (uint32_t x = 0; x < level.size.width; ++x) {
        for (uint32_t c = 0; c < options.channels; ++c) {
          const std::vector<T> values = cell_values(from, cell, x, y, z, c);
          T& voxel = level.at(x, y, z, c);
          if (options.reduction == Reduction::kMean) {
            voxel = oracle_mean(values);
          } else if (!is_mode) {
            voxel = oracle_extreme(values, options.reduction == Reduction::kMax);
          } else if constexpr (std::is_integral_v<T>) {
            voxel = oracle_mode(values);
          }
        }
      }
    }
  }
  return level;
}

}  // namespace onepass::testing
