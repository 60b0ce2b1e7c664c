// camera.cpp: Catmull-Rom splines through a table of stops give eye and target; the matrices are composed for
// left-handed coordinates and reversed depth without a far plane. The sun's matrix encloses the scene's bounding box.
#include "camera.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace samples::frame {
namespace {

using onepass::depth_query::Float3;

constexpr float kNear = 0.1F;
constexpr float kHalfHeight = 0.52F;  // tangent of half the vertical field of view

Float3 operator+(Float3 a, Float3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Float3 operator-(Float3 a, Float3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Float3 operator*(Float3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
float dot(Float3 a, Float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
// Of left-handed coordinates: x to the right, y up, z forward.
Float3 cross(Float3 a, Float3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
Float3 normalized(Float3 a) { return a * (1 / std::sqrt(dot(a, a))); }

struct Stop {
  float time;
  Float3 at;
  Float3 target;
};

// The path. Between stops both points move along Catmull-Rom splines.
constexpr std::array<Stop, 7> kPath{{{0.00F, {1.3F, 1.60F, -24.6F}, {-0.9F, 1.75F, -14.0F}},
                                     {0.16F, {0.5F, 1.60F, -19.5F}, {-0.2F, 1.75F, -8.0F}},
                                     {0.30F, {-0.3F, 1.60F, -14.2F}, {0.3F, 1.80F, 2.0F}},
                                     {0.42F, {-1.35F, 1.45F, -8.6F}, {0.55F, 2.05F, 6.0F}},
                                     {0.66F, {-0.6F, 1.60F, 4.0F}, {1.0F, 2.00F, 22.0F}},
                                     {0.84F, {-0.3F, 1.60F, 14.5F}, {3.2F, 2.60F, 32.0F}},
                                     {1.00F, {-0.2F, 1.60F, 18.6F}, {9.8F, 5.0F, 33.0F}}}};

float spline(float a, float b, float c, float d, float t) {
  return 0.5F * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t * t * t);
}

Float3 spline(const Float3& a, const Float3& b, const Float3& c, const Float3& d, float t) {
  return {spline(a.x, b.x, c.x, d.x, t), spline(a.y, b.y, c.y, d.y, t), spline(a.z, b.z, c.z, d.z, t)};
}

}  // namespace

Eye eye_at(float time, onepass::Extent size, float aside) {
  size_t next = 1;
  while (next + 1 < kPath.size() && kPath[next].time < time) ++next;
  const Stop& b = kPath[next - 1];
  const Stop& c = kPath[next];
  const Stop& a = kPath[next >= 2 ? next - 2 : 0];
  const Stop& d = kPath[std::min(next + 1, kPath.size() - 1)];
  const float t = std::clamp((time - b.time) / (c.time - b.time), 0.0F, 1.0F);
  const Float3 middle = spline(a.at, b.at, c.at, d.at, t);
  const Float3 forward = normalized(spline(a.target, b.target, c.target, d.target, t) - middle);
  const Float3 right = normalized(cross({0, 1, 0}, forward));
  const Float3 down = cross(right, forward);
  const Float3 at = middle + right * aside;

  const float half_height = kHalfHeight;
  const float half_width = half_height * static_cast<float>(size.width) / static_cast<float>(size.height);
  Eye eye;
  eye.origin = {at.x, at.y, at.z, kNear};
  eye.right = {right.x * half_width, right.y * half_width, right.z * half_width, 0};
  eye.down = {down.x * half_height, down.y * half_height, down.z * half_height, 0};
  eye.forward = {forward.x, forward.y, forward.z, 0};
  // Rows of the matrix: x and y scaled by the image's size, z the near plane (reversed depth, no far plane), w forward.
  const Float3 x = right * (1 / half_width);
  const Float3 y = down * (1 / half_height);
  auto& m = eye.clip_of_world.columns;
  m[0] = {x.x, y.x, 0, forward.x};
  m[1] = {x.y, y.y, 0, forward.y};
  m[2] = {x.z, y.z, 0, forward.z};
  m[3] = {-dot(x, at), -dot(y, at), kNear, -dot(forward, at)};
  return eye;
}

mat4 sun_of_world() {
  constexpr Float3 kLow{-16, -0.6F, -27};
  constexpr Float3 kHigh{20, 11, 62};
  const Float3 forward = normalized({-SUN_X, -SUN_Y, -SUN_Z});
  const Float3 right = normalized(cross({0, 1, 0}, forward));
  const Float3 down = cross(right, forward);
  const std::array<Float3, 3> axes{right, down, forward};
  mat4 matrix;
  auto& m = matrix.columns;
  m[3] = {0, 0, 0, 1};
  for (size_t row = 0; row < 3; ++row) {
    float low = INFINITY;
    float high = -INFINITY;
    for (uint32_t i = 0; i < 8; ++i) {
      const Float3 corner{(i & 1) != 0 ? kHigh.x : kLow.x, (i & 2) != 0 ? kHigh.y : kLow.y,
                          (i & 4) != 0 ? kHigh.z : kLow.z};
      low = std::min(low, dot(axes[row], corner));
      high = std::max(high, dot(axes[row], corner));
    }
    // x and y to -1..1, z to 0..1.
    const float scale = (row < 2 ? 2.0F : 1.0F) / (high - low);
    const Float3 axis = axes[row] * scale;
    m[0][row] = axis.x;
    m[1][row] = axis.y;
    m[2][row] = axis.z;
    m[3][row] = row < 2 ? -(high + low) / (high - low) : -low * scale;
  }
  return matrix;
}

}  // namespace samples::frame
