// voxel_rows.cpp: one loop per type; the conversions of a row are a small part of its transforms.
#include "fourier/voxel_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "image/small_float.hpp"

namespace onepass::cpu {
namespace {

template <typename T>
void load_as(const void* voxels, size_t count, float* values) {
  const auto* bytes = static_cast<const std::byte*>(voxels);
  for (size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, bytes + i * sizeof value, sizeof value);
    values[i] = static_cast<float>(value);
  }
}

template <typename T>
void store_as(const float* values, size_t count, void* voxels) {
  constexpr double kLeast = std::numeric_limits<T>::min();
  constexpr double kMost = std::numeric_limits<T>::max();
  auto* bytes = static_cast<std::byte*>(voxels);
  for (size_t i = 0; i < count; ++i) {
    const double rounded = std::isnan(values[i]) ? 0.0 : std::nearbyint(static_cast<double>(values[i]));
    const T value = static_cast<T>(std::clamp(rounded, kLeast, kMost));
    std::memcpy(bytes + i * sizeof value, &value, sizeof value);
  }
}

}  // namespace

void load_voxels(VoxelType type, const void* voxels, size_t count, float* values) {
  switch (type) {
    case VoxelType::kUint8:
      return load_as<uint8_t>(voxels, count, values);
    case VoxelType::kInt8:
      return load_as<int8_t>(voxels, count, values);
    case VoxelType::kUint16:
      return load_as<uint16_t>(voxels, count, values);
    case VoxelType::kInt16:
      return load_as<int16_t>(voxels, count, values);
    case VoxelType::kUint32:
      return load_as<uint32_t>(voxels, count, values);
    case VoxelType::kInt32:
      return load_as<int32_t>(voxels, count, values);
    case VoxelType::kUint64:
      return load_as<uint64_t>(voxels, count, values);
    case VoxelType::kFloat16: {
      const auto* bytes = static_cast<const std::byte*>(voxels);
      for (size_t i = 0; i < count; ++i) {
        uint16_t half = 0;
        std::memcpy(&half, bytes + i * sizeof half, sizeof half);
        values[i] = decode_half(half);
      }
      return;
    }
    case VoxelType::kFloat32:
      std::memcpy(values, voxels, count * sizeof(float));
      return;
  }
}

void store_voxels(VoxelType type, const float* values, size_t count, void* voxels) {
  switch (type) {
    case VoxelType::kUint8:
      return store_as<uint8_t>(values, count, voxels);
    case VoxelType::kInt8:
      return store_as<int8_t>(values, count, voxels);
    case VoxelType::kUint16:
      return store_as<uint16_t>(values, count, voxels);
    case VoxelType::kInt16:
      return store_as<int16_t>(values, count, voxels);
    case VoxelType::kUint32:
      return store_as<uint32_t>(values, count, voxels);
    case VoxelType::kInt32:
      return store_as<int32_t>(values, count, voxels);
    case VoxelType::kUint64:
      return;  // no technique writes labels
    case VoxelType::kFloat16: {
      auto* bytes = static_cast<std::byte*>(voxels);
      for (size_t i = 0; i < count; ++i) {
        const uint16_t half = encode_half(values[i]);
        std::memcpy(bytes + i * sizeof half, &half, sizeof half);
      }
      return;
    }
    case VoxelType::kFloat32:
      std::memcpy(voxels, values, count * sizeof(float));
      return;
  }
}

}  // namespace onepass::cpu
