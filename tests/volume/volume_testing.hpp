// volume_testing.hpp: random volumes of every type, for all tests of volumes.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "onepass/volume_stream.hpp"
#include "tests/volume/volume_oracle.hpp"

namespace onepass::testing {

using Generator = std::mt19937;

inline uint32_t below(Generator& random, uint32_t end) { return static_cast<uint32_t>(random() % end); }

/// A value of which sums of some thousand are exact in double.
template <typename T>
T random_voxel(Generator& random) {
  if constexpr (std::is_same_v<T, HalfBits>) {
    const auto bits = static_cast<uint16_t>(random());
    return {static_cast<uint16_t>((bits & 0x7C00) == 0x7C00 ? bits ^ 0x4000 : bits)};  // finite
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(static_cast<int32_t>(random())) / 1024;
  } else {
    const uint64_t bits = uint64_t{random()} << 32 | random();
    return static_cast<T>(bits);
  }
}

template <typename T>
constexpr VoxelType type_of() {
  if constexpr (std::is_same_v<T, uint8_t>) return VoxelType::kUint8;
  if constexpr (std::is_same_v<T, int8_t>) return VoxelType::kInt8;
  if constexpr (std::is_same_v<T, uint16_t>) return VoxelType::kUint16;
  if constexpr (std::is_same_v<T, int16_t>) return VoxelType::kInt16;
  if constexpr (std::is_same_v<T, uint32_t>) return VoxelType::kUint32;
  if constexpr (std::is_same_v<T, int32_t>) return VoxelType::kInt32;
  if constexpr (std::is_same_v<T, uint64_t>) return VoxelType::kUint64;
  if constexpr (std::is_same_v<T, HalfBits>) return VoxelType::kFloat16;
  return VoxelType::kFloat32;
}

inline std::string describe(const VolumeOptions& o) {
  std::string text = std::string(voxel_info(o.type).name) + " " + std::to_string(o.size.width) + "x" +
                     std::to_string(o.size.height) + "x" + std::to_string(o.size.planes) + " channels " +
                     std::to_string(o.channels) + " reduction " + std::to_string(static_cast<int>(o.reduction)) +
                     " steps";
  for (const auto& [x, y, z] : o.steps) {
    text += " " + std::to_string(x) + std::to_string(y) + std::to_string(z);
  }
  return text;
}

/// Calls check.operator()<T>() for every type of voxels.
template <typename Check>
void with_every_type(const Check& check) {
  check.template operator()<uint8_t>();
  check.template operator()<int8_t>();
  check.template operator()<uint16_t>();
  check.template operator()<int16_t>();
  check.template operator()<uint32_t>();
  check.template operator()<int32_t>();
  check.template operator()<uint64_t>();
  check.template operator()<HalfBits>();
  check.template operator()<float>();
}

template <typename T>
bool has(Reduction reduction) {
  if (reduction == Reduction::kMean) return !std::is_same_v<T, uint64_t>;
  return reduction != Reduction::kMode || std::is_integral_v<T>;
}

inline constexpr Reduction kReductions[] = {Reduction::kMean, Reduction::kMin, Reduction::kMax, Reduction::kMode};

inline std::vector<VolumeStep> random_steps(Generator& random, size_t count) {
  std::vector<VolumeStep> steps(count);
  for (auto& [x, y, z] : steps) {
    x = 1 + below(random, 2);
    y = 1 + below(random, 2);
    z = 1 + below(random, 2);
  }
  return steps;
}

/// Random voxels; of integers `labels` different ones, if that is not 0.
template <typename T>
Volume<T> random_volume(VolumeSize size, uint32_t channels, Generator& random, uint32_t labels = 0) {
  Volume<T> volume(size, channels);
  for (T& voxel : volume.voxels) {
    voxel = random_voxel<T>(random);
    if constexpr (std::is_integral_v<T>) {
      if (labels > 0) voxel = static_cast<T>(below(random, labels) * 0x3F3F3F3F3F3F3F3FU);
    }
  }
  return volume;
}

}  // namespace onepass::testing
