// voxel_rows.hpp: rows of voxels of any type to floats and back.
#pragma once

#include <cstddef>

#include "onepass/volume_stream.hpp"

namespace onepass::cpu {

/// `count` voxels as floats. They need not be aligned.
void load_voxels(VoxelType type, const void* voxels, size_t count, float* values);

/// Floats as voxels. Integers are rounded to nearest, of two equally near to the even one, and clipped; NaN becomes 0.
void store_voxels(VoxelType type, const float* values, size_t count, void* voxels);

}  // namespace onepass::cpu
