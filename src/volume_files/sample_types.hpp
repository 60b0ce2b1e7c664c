// sample_types.hpp: samples of pictures as voxels.
#pragma once

#include "files/pixel_layout.hpp"
#include "onepass/volume_stream.hpp"

namespace onepass::volumes {

/// The VoxelType with the same numbers.
constexpr VoxelType voxel_type(files::Sample sample) {
  constexpr VoxelType kTypes[] = {VoxelType::kUint8,  VoxelType::kInt8,  VoxelType::kUint16,  VoxelType::kInt16,
                                  VoxelType::kUint32, VoxelType::kInt32, VoxelType::kFloat16, VoxelType::kFloat32};
  return kTypes[static_cast<size_t>(sample)];
}

}  // namespace onepass::volumes
