// matrix.hpp: the matrices of a view for the kernels.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "onepass/vulkan/reflection.hpp"
#include "reflection/reflection_params.h"

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

inline ReflectionMatrices make_matrices(const vulkan::ReflectionView& view) {
  ReflectionMatrices matrices{};
  std::copy(view.clip_from_world.begin(), view.clip_from_world.end(), matrices.clip_from_world);
  std::copy(view.last_clip_from_world.begin(), view.last_clip_from_world.end(), matrices.last_clip_from_world);
  invert(view.clip_from_world, matrices.world_from_clip);
  invert(view.last_clip_from_world, matrices.last_world_from_clip);
  return matrices;
}

}  // namespace onepass::reflection
