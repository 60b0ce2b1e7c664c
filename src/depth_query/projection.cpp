// projection.cpp: projects objects to screen rectangles and depths, and converts depths to distances. The CPU version
// of shaders/onepass/depth_query_projection.glsl, operation by operation.
//
// Bounds are widened by the largest error of devices whose division and square root are only as precise as Vulkan
// requires. The CPU uses the same margins, so that both versions give the same bounds.
//
// The sphere: in the plane of an axis and the viewing direction, tangents from the eye touch the circle at the slopes
//     (x d -+ r t) / (d^2 - r^2),   t^2 = x^2 + d^2 - r^2
// M. Mara, M. McGuire, "2D Polyhedral Bounds of a Clipped, Perspective-Projected 3D Sphere", JCGT, 2013.
#include <cmath>
#include <limits>

#include "onepass/depth_query.hpp"

namespace onepass::depth_query {
namespace {

constexpr float kSlack = 0x1p-21F;        // error of a sum of four products and of a quotient
constexpr float kSphereSlack = 0x1p-19F;  // error of a square root and its products
constexpr float kMost = std::numeric_limits<float>::max();

using Float4 = std::array<float, 4>;

// The lower and upper slope (orthographic: position) of a sphere's image along one axis, widened.
Float2 sphere_axis(bool orthographic, float x, float distance, float radius) {
  if (orthographic) {
    const float slack = kSlack * (std::fabs(x) + radius);
    return {x - radius - slack, x + radius + slack};
  }
  const float square = (distance - radius) * (distance + radius);  // > 0: the whole sphere is in front of the eye
  const float tangent = std::sqrt(x * x + square);
  const float middle = x * distance;
  const float half_width = radius * tangent;
  const float slack = kSphereSlack * (std::fabs(middle) + half_width);
  return {(middle - half_width - slack) / square, (middle + half_width + slack) / square};
}

// Image coordinates of slopes, widened.
Float2 axis_coordinates(Float2 slopes, float scale, float offset) {
  const float a = slopes.x * scale;
  const float b = slopes.y * scale;
  const float slack = kSphereSlack * (std::max(std::fabs(a), std::fabs(b)) + std::fabs(offset) + 1.0F) * 0.25F;
  return {0.5F * (std::min(a, b) + offset) + 0.5F - slack, 0.5F * (std::max(a, b) + offset) + 0.5F + slack};
}

// The corners of a box in clip space, as sums of one term per axis.
class Corners {
 public:
  Corners(const Float4x4& m, Float3 low, Float3 high) {
    for (size_t row = 0; row < 4; ++row) {
      terms_[0][0][row] = m.columns[0][row] * low.x;
      terms_[0][1][row] = m.columns[0][row] * high.x;
      terms_[1][0][row] = m.columns[1][row] * low.y;
      terms_[1][1][row] = m.columns[1][row] * high.y;
      terms_[2][0][row] = m.columns[2][row] * low.z + m.columns[3][row];
      terms_[2][1][row] = m.columns[2][row] * high.z + m.columns[3][row];
    }
  }
  [[nodiscard]] Float4 at(uint32_t i) const {
    Float4 corner{};
    for (size_t row = 0; row < 4; ++row) {
      corner[row] = terms_[0][i & 1U][row] + (terms_[1][i >> 1 & 1U][row] + terms_[2][i >> 2 & 1U][row]);
    }
    return corner;
  }

 private:
  std::array<std::array<Float4, 2>, 3> terms_{};
};

float magnitude_sum(Float3 v) { return std::fabs(v.x) + std::fabs(v.y) + std::fabs(v.z); }

// The largest error of a corner's clip coordinates.
Float4 corner_error(const Float4x4& m, Float3 low, Float3 high) {
  const auto magnitude = [](float a, float b) { return std::max(std::fabs(a), std::fabs(b)); };
  const Float3 far_corner{magnitude(low.x, high.x), magnitude(low.y, high.y), magnitude(low.z, high.z)};
  Float4 error{};
  for (size_t row = 0; row < 4; ++row) {
    error[row] = kSlack * (std::fabs(m.columns[0][row]) * far_corner.x + std::fabs(m.columns[1][row]) * far_corner.y +
                           std::fabs(m.columns[2][row]) * far_corner.z + std::fabs(m.columns[3][row]));
  }
  return error;
}

}  // namespace

float depth_of_distance(const Projection& p, float distance) {
  const float range = p.far_plane - p.near_plane;
  if (p.orthographic) return (p.reversed_z ? p.far_plane - distance : distance - p.near_plane) / range;
  float depth = p.reversed_z ? p.near_plane / distance : (distance - p.near_plane) / distance;
  if (p.far_plane > 0.0F) depth *= (p.reversed_z ? p.far_plane - distance : p.far_plane) / range;
  return depth;
}

float distance_of_depth(const Projection& p, float depth) {
  const float to_near = p.reversed_z ? depth : 1.0F - depth;
  const float to_far = p.reversed_z ? 1.0F - depth : depth;
  if (p.orthographic) return p.near_plane * to_near + p.far_plane * to_far;
  // Equals near * far / (near * to_far + far * to_near), in a form that avoids cancellation near the far plane.
  float scaled = to_near;
  if (p.far_plane > 0.0F) scaled += to_far * (p.near_plane / p.far_plane);
  return scaled > 0.0F ? p.near_plane / scaled : kMost;
}

Bounds project_sphere(const Projection& p, Float3 center, float radius) {
  Bounds bounds;
  float distance = center.z - radius;
  distance -= kSlack * (std::fabs(center.z) + radius);
  bounds.known = distance > p.near_plane && std::fabs(center.x) + std::fabs(center.y) + center.z + radius < kMost;
  const Float2 x = axis_coordinates(sphere_axis(p.orthographic, center.x, center.z, radius), p.scale.x, p.offset.x);
  const Float2 y = axis_coordinates(sphere_axis(p.orthographic, center.y, center.z, radius), p.scale.y, p.offset.y);
  bounds.rect = {{x.x, y.x}, {x.y, y.y}};
  const float depth = depth_of_distance(p, distance);
  // A reversed perspective has a relative error: it is precise where depths are small.
  const float magnitude = p.reversed_z && !p.orthographic ? depth : 1.0F;
  bounds.nearest = p.reversed_z ? depth + 2 * kSlack * magnitude : depth - 2 * kSlack * magnitude;
  return bounds;
}

Bounds project_box(const Float4x4& clip_of_world, Float3 low, Float3 high, bool reversed_z) {
  const Float4 error = corner_error(clip_of_world, low, high);
  const Corners corners(clip_of_world, low, high);
  std::array<float, 3> least = {kMost, kMost, kMost};
  std::array<float, 3> most = {-kMost, -kMost, -kMost};
  float least_w = kMost;
  float least_inside = kMost;  // smallest distance behind the near plane, in clip space
  for (uint32_t i = 0; i < 8; ++i) {
    const Float4 corner = corners.at(i);
    for (size_t axis = 0; axis < 3; ++axis) {
      least[axis] = std::min(least[axis], corner[axis] / corner[3]);
      most[axis] = std::max(most[axis], corner[axis] / corner[3]);
    }
    least_w = std::min(least_w, corner[3]);
    least_inside = std::min(least_inside, reversed_z ? corner[3] - corner[2] : corner[2]);
  }
  least_w -= error[3];
  Bounds bounds;
  // A sum that is not finite fails the comparison with kMost.
  const float sizes = magnitude_sum(low) + magnitude_sum(high) + (error[0] + error[1] + error[2] + error[3]);
  bounds.known = least_w > 0.0F && least_inside >= error[2] + (reversed_z ? error[3] : 0.0F) && sizes < kMost;
  std::array<float, 3> slack{};
  for (size_t axis = 0; axis < 3; ++axis) {
    const float magnitude = std::max(std::fabs(least[axis]), std::fabs(most[axis]));
    slack[axis] = (error[axis] + magnitude * error[3]) / least_w + kSlack * magnitude;
  }
  // Covers the bits that small device coordinates lose when 0.5 is added.
  constexpr float kLowHalf = 0.5F - 0.5F * kSlack;
  constexpr float kHighHalf = 0.5F + 0.5F * kSlack;
  bounds.rect = {{0.5F * (least[0] - slack[0]) + kLowHalf, 0.5F * (least[1] - slack[1]) + kLowHalf},
                 {0.5F * (most[0] + slack[0]) + kHighHalf, 0.5F * (most[1] + slack[1]) + kHighHalf}};
  bounds.nearest = reversed_z ? most[2] + slack[2] : least[2] - slack[2];
  return bounds;
}

}  // namespace onepass::depth_query
