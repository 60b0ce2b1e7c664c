// matrix.hpp: the matrices of a view for the kernels.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "onepass/vulkan/reflection.hpp"
#include "reflection/reflection_params.h"
#include "reflection/scratch.hpp"

namespace onepass::reflection {

/// The inverse of a matrix, in double by elimination with pivots; zeroes if it has none.
inline void invert(const std::array<float, 16>& matrix, float (&inverse)[16]) {
  double rows[4][8] = {};
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 4; ++c) rows[r][c] = matrix[static_cast<size_t>(4 * c + r)];
    rows[r][4 + r] = 1;
  }
  std::fill(std::begin(inverse), std::end(inverse), 0.0F);
  for (int column = 0; column < 4; ++column) {
    int pivot = column;
    for (int r = column + 1; r < 4; ++r) {
      if (std::fabs(rows[r][column]) > std::fabs(rows[pivot][column])) pivot = r;
    }
    if (!(std::fabs(rows[pivot][column]) > 0)) return;  // singular, or NaN
    std::swap(rows[pivot], rows[column]);
    for (int r = 0; r < 4; ++r) {
      if (r == column) continue;
      const double factor = rows[r][column] / rows[column][column];
      for (int c = column; c < 8; ++c) rows[r][c] -= factor * rows[column][c];
    }
  }
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 4; ++c) inverse[4 * c + r] = static_cast<float>(rows[r][4 + c] / rows[r][r]);
  }
}

/// The matrix to the clip space in which the traced texels fill the screen. Of `stride` texels of the image along an
/// axis the first one is traced: with coordinates u = a u' + b of the image, those of the grid are u'.
inline std::array<float, 16> to_grid(const ReflectionPlan& plan, std::array<float, 16> clip_from_world) {
  const Extent size = plan.options.size;
  const double stride = stride_of(plan.options.resolution);
  const double a[] = {stride * plan.traced.width / size.width, stride * plan.traced.height / size.height};
  const double b[] = {0.5 * (1 - stride) / size.width, 0.5 * (1 - stride) / size.height};
  for (size_t column = 0; column < 16; column += 4) {
    for (size_t axis = 0; axis < 2; ++axis) {
      const double moved = ((1 - 2 * b[axis]) / a[axis] - 1) * clip_from_world[column + 3];
      clip_from_world[column + axis] = static_cast<float>(clip_from_world[column + axis] / a[axis] + moved);
    }
  }
  return clip_from_world;
}

inline ReflectionMatrices make_matrices(const ReflectionPlan& plan, const vulkan::ReflectionView& view) {
  ReflectionMatrices matrices{};
  const std::array<float, 16> last_grid_from_world = to_grid(plan, view.last_clip_from_world);
  std::copy(view.clip_from_world.begin(), view.clip_from_world.end(), matrices.clip_from_world);
  std::copy(view.last_clip_from_world.begin(), view.last_clip_from_world.end(), matrices.last_clip_from_world);
  std::copy(last_grid_from_world.begin(), last_grid_from_world.end(), matrices.last_grid_from_world);
  invert(view.clip_from_world, matrices.world_from_clip);
  invert(to_grid(plan, view.clip_from_world), matrices.world_from_grid);
  invert(last_grid_from_world, matrices.last_world_from_grid);
  return matrices;
}

}  // namespace onepass::reflection
