// edge_shares.hpp: which share of a voxel's blur lands on the voxels that were measured: the adjoint of the mask.
//
// The mask is 1 in a box, so that the share of an estimate's voxel is the sum of the kernel's weights in a box: eight
// entries of a table of sums. It takes no array of the volume's size and no transform.
#pragma once

#include <algorithm>
#include <vector>

#include "onepass/volume_stream.hpp"

namespace onepass::cpu {

class EdgeShares {
 public:
  /// Where less of a voxel's blur was measured, no data determine the estimate.
  static constexpr double kLeast = 1e-3;

  /// `weights` of a kernel, x fastest. The estimate is as large as the measured box and kernel - 1.
  EdgeShares(const std::vector<float>& weights, VolumeSize kernel, VolumeSize measured)
      : kernel_(kernel),
        measured_(measured),
        sums_((size_t{kernel.width} + 1) * (size_t{kernel.height} + 1) * (size_t{kernel.planes} + 1)) {
    const float* weight = weights.data();
    for (uint32_t z = 1; z <= kernel.planes; ++z) {
      for (uint32_t y = 1; y <= kernel.height; ++y) {
        double row = 0;
        for (uint32_t x = 1; x <= kernel.width; ++x) {
          row += *weight++;
          at(x, y, z) = row + at(x, y - 1, z) + at(x, y, z - 1) - at(x, y - 1, z - 1);
        }
      }
    }
  }

  /// 1 / share of a row of the estimate; 0 where the share is less than kLeast.
  void inverse_row(uint32_t z, uint32_t y, float* values) const {
    const Range planes = range(z, kernel_.planes, measured_.planes);
    const Range rows = range(y, kernel_.height, measured_.height);
    const auto share = [&](uint32_t x) {
      const Range columns = range(x, kernel_.width, measured_.width);
      const auto up_to = [&](uint32_t end) {
        return at(end, rows.end, planes.end) - at(end, rows.begin, planes.end) - at(end, rows.end, planes.begin) +
               at(end, rows.begin, planes.begin);
      };
      const double sum = up_to(columns.end) - up_to(columns.begin);
      return sum < kLeast ? 0.0F : static_cast<float>(1 / sum);
    };
    // From kernel - 1 on, until the measured voxels end, all weights of a row count.
    const uint32_t width = measured_.width + kernel_.width - 1;
    const uint32_t inner = kernel_.width - 1;
    const uint32_t outer = std::max(inner, measured_.width);
    for (uint32_t x = 0; x < inner; ++x) values[x] = share(x);
    std::fill(values + inner, values + outer, share(inner));
    for (uint32_t x = outer; x < width; ++x) values[x] = share(x);
  }

 private:
  struct Range {
    uint32_t begin, end;
  };
  /// The weights that take voxel `at` of the estimate to measured ones: weight j takes it to at - (kernel - 1) + j.
  static Range range(uint32_t at, uint32_t kernel, uint32_t measured) {
    return {at < kernel - 1 ? kernel - 1 - at : 0, std::min(kernel, measured + kernel - 1 - at)};
  }
  [[nodiscard]] const double& at(uint32_t x, uint32_t y, uint32_t z) const {
    return sums_[(size_t{z} * (kernel_.height + 1) + y) * (kernel_.width + 1) + x];
  }
  double& at(uint32_t x, uint32_t y, uint32_t z) {
    return sums_[(size_t{z} * (kernel_.height + 1) + y) * (kernel_.width + 1) + x];
  }

  VolumeSize kernel_;
  VolumeSize measured_;
  std::vector<double> sums_;  ///< Of weights before (x, y, z).
};

}  // namespace onepass::cpu
