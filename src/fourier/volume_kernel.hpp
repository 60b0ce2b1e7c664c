// volume_kernel.hpp: the kernel of an operation on a volume, and the views of a call.
#pragma once

#include <string>
#include <vector>

#include "onepass/fourier_volume.hpp"

namespace onepass::cpu {

/// Checks pointer and strides of a view. Errors: kInvalidArgument.
Result<void> check_volume_view(const std::string& what, const VolumeView& view, VoxelType type, VolumeSize size);

/// The voxels of row `y` of plane `z`.
inline const std::byte* voxel_row(const VolumeView& view, uint32_t y, uint32_t z) {
  return static_cast<const std::byte*>(view.data) + z * view.plane_stride + y * view.row_stride;
}
inline std::byte* voxel_row(const MutableVolumeView& view, uint32_t y, uint32_t z) {
  return static_cast<std::byte*>(view.data) + z * view.plane_stride + y * view.row_stride;
}

/// The weights of a kernel, x fastest. `unit_sum`: divided by their sum. Errors: kInvalidArgument for a bad view;
/// kBadData for weights that are not finite, negative unless `signed_weights`, or sum to 0 with `unit_sum`.
Result<std::vector<float>> volume_weights(const VolumeView& kernel, VoxelType type, VolumeSize size, bool unit_sum,
                                          bool signed_weights);

}  // namespace onepass::cpu
