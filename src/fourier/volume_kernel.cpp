// volume_kernel.cpp: one pass over a kernel checks its weights and sums them in double.
#include "fourier/volume_kernel.hpp"

#include <cmath>

#include "cpu/views.hpp"
#include "fourier/voxel_rows.hpp"
#include "image/error.hpp"

namespace onepass::cpu {

Result<void> check_volume_view(const std::string& what, const VolumeView& view, VoxelType type, VolumeSize size) {
  if (view.data == nullptr) return invalid(what + ": null");
  return check_strides(what, view.row_stride, view.plane_stride, size_t{size.width} * voxel_info(type).bytes,
                       size.height, size.planes, "", "plane");
}

Result<std::vector<float>> volume_weights(const VolumeView& kernel, VoxelType type, VolumeSize size, bool unit_sum,
                                          bool signed_weights) {
  if (auto good = check_volume_view("kernel", kernel, type, size); !good) return good.error();
  std::vector<float> weights(size_t{size.width} * size.height * size.planes);
  double sum = 0;
  float* row = weights.data();
  for (uint32_t z = 0; z < size.planes; ++z) {
    for (uint32_t y = 0; y < size.height; ++y, row += size.width) {
      load_voxels(type, voxel_row(kernel, y, z), size.width, row);
      for (uint32_t x = 0; x < size.width; ++x) {
        const bool negative = row[x] < 0 && !signed_weights;
        if (!std::isfinite(row[x]) || negative) {
          return Error{ErrorCode::kBadData,
                       "the weight at voxel (" + std::to_string(x) + ", " + std::to_string(y) + ", " +
                           std::to_string(z) + ") is " + (negative ? "negative" : "not finite"),
                       "kernel"};
        }
        sum += row[x];
      }
    }
  }
  if (!unit_sum) return weights;
  if (!(std::fabs(sum) > 1e-30)) return Error{ErrorCode::kBadData, "the weights sum to 0", "kernel"};
  for (float& weight : weights) weight = static_cast<float>(weight / sum);
  return weights;
}

}  // namespace onepass::cpu
