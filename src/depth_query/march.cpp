// march.cpp: ray march through a depth pyramid. The CPU version of shaders/onepass/depth_query_march.glsl, which
// explains the algorithm.
#include <cmath>
#include <limits>

#include "onepass/depth_query.hpp"

namespace onepass::depth_query {
namespace {

constexpr float kSlack = 0x1p-21F;

/// One axis of a ray.
struct Axis {
  float origin;
  float direction;
  float inverse;

  /// The time at which the ray crosses the boundary before texel `wall`: monotonic in `wall`.
  [[nodiscard]] float boundary_time(uint32_t wall) const { return (static_cast<float>(wall) - origin) * inverse; }

  /// The time at which the ray leaves the base texels of `box`.
  [[nodiscard]] float leave_time(TexelRange box) const {
    if (inverse == 0.0F) return std::numeric_limits<float>::max();
    return boundary_time(inverse > 0.0F ? box.end : box.begin);
  }

  [[nodiscard]] bool ends_at_border(TexelRange box, uint32_t size) const {
    return inverse > 0.0F ? box.end == size : box.begin == 0;
  }

  [[nodiscard]] uint32_t beyond(TexelRange box) const { return inverse > 0.0F ? box.end : box.begin - 1; }

  /// The ray's texel at time t, before it leaves `box`: the texel whose two boundaries have times on either side of t.
  /// `texel` is the ray's previous texel.
  [[nodiscard]] uint32_t follow(uint32_t texel, TexelRange box, float t) const {
    if (inverse == 0.0F) return texel;
    const bool up = inverse > 0.0F;
    const auto low = static_cast<float>(up ? texel : box.begin);
    const auto high = static_cast<float>(up ? box.end - 1 : texel);
    const auto guess = static_cast<uint32_t>(std::min(std::max(origin + direction * t, low), high));
    // The guess has rounding errors. The times of the boundaries decide; they correct it by at most one texel.
    const bool passed = boundary_time(up ? guess + 1 : guess) <= t;
    const bool before = boundary_time(up ? guess : guess + 1) > t;
    if (up) {
      if (passed && guess + 1 < box.end) return guess + 1;
      if (before && guess > texel) return guess - 1;
    } else {
      if (passed && guess > box.begin) return guess - 1;
      if (before && guess < texel) return guess + 1;
    }
    return guess;
  }
};

float inverse_of(float direction) { return std::fabs(direction) > 1e-30F ? 1.0F / direction : 0.0F; }

float depth_at(const Ray& ray, float t) { return ray.origin.z + ray.direction.z * t; }

}  // namespace

Ray ray_begin(const DepthPyramid& pyramid, Float3 from, Float3 to) {
  const auto width = static_cast<float>(pyramid.size.width);
  const auto height = static_cast<float>(pyramid.size.height);
  Ray ray;
  ray.origin = {from.x * width, from.y * height, from.z};
  ray.direction = {to.x * width - ray.origin.x, to.y * height - ray.origin.y, to.z - ray.origin.z};
  ray.inverse = {inverse_of(ray.direction.x), inverse_of(ray.direction.y)};
  ray.level = pyramid.first_level;
  const bool inside = ray.origin.x >= 0.0F && ray.origin.y >= 0.0F && ray.origin.x < width && ray.origin.y < height;
  if (!inside) return ray;
  ray.state = RayState::kMarching;
  ray.texel = {static_cast<uint32_t>(ray.origin.x), static_cast<uint32_t>(ray.origin.y)};
  return ray;
}

Float3 ray_point(const DepthPyramid& pyramid, const Ray& ray) {
  return {(ray.origin.x + ray.direction.x * ray.t) / static_cast<float>(pyramid.size.width),
          (ray.origin.y + ray.direction.y * ray.t) / static_cast<float>(pyramid.size.height), depth_at(ray, ray.t)};
}

Texel ray_cell(const DepthPyramid& pyramid, const Ray& ray) {
  return cell_of_texel(pyramid.footprint, pyramid.size, ray.level, ray.texel);
}

void ray_advance(const DepthPyramid& pyramid, Ray& ray, Texel cell, float nearest) {
  const TexelRect texels = cell_texels(pyramid.footprint, pyramid.size, ray.level, cell);
  const TexelRange box_x{texels.begin.x, texels.end.x};
  const TexelRange box_y{texels.begin.y, texels.end.y};
  const Axis x{ray.origin.x, ray.direction.x, ray.inverse.x};
  const Axis y{ray.origin.y, ray.direction.y, ray.inverse.y};
  const float leave_x = x.leave_time(box_x);
  const float leave_y = y.leave_time(box_y);
  const float leave = std::max(std::min(std::min(leave_x, leave_y), 1.0F), ray.t);
  const bool here_in_front = is_nearer(depth_at(ray, ray.t), nearest, pyramid.reversed_z);
  const bool in_front = here_in_front && is_nearer(depth_at(ray, leave), nearest, pyramid.reversed_z);
  if (in_front) {
    const bool over_x = leave_x <= leave;
    const bool over_y = leave_y <= leave;
    ray.t = leave;
    if (leave >= 1.0F || (over_x && x.ends_at_border(box_x, pyramid.size.width)) ||
        (over_y && y.ends_at_border(box_y, pyramid.size.height))) {
      ray.state = RayState::kMissed;
      return;
    }
    ray.texel.x = over_x ? x.beyond(box_x) : x.follow(ray.texel.x, box_x, leave);
    ray.texel.y = over_y ? y.beyond(box_y) : y.follow(ray.texel.y, box_y, leave);
    ray.level = std::min(ray.level + 1, pyramid.last_level);
    return;
  }
  // The time at which the ray reaches the cell's depth. On coarser levels it is then reduced a little, so that rounding
  // cannot carry the ray past this depth.
  float reach = here_in_front ? (nearest - ray.origin.z) / ray.direction.z : ray.t;
  if (ray.level == pyramid.first_level) {
    ray.t = std::min(std::max(reach, ray.t), leave);
    ray.state = RayState::kHit;
    return;
  }
  ray.level -= 1;
  reach *= 1.0F - kSlack;
  if (here_in_front && reach > ray.t && reach < leave && is_nearer(depth_at(ray, reach), nearest, pyramid.reversed_z)) {
    ray.t = reach;
    ray.texel.x = x.follow(ray.texel.x, box_x, reach);
    ray.texel.y = y.follow(ray.texel.y, box_y, reach);
  }
}

}  // namespace onepass::depth_query
