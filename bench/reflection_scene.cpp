#include "reflection_scene.hpp"

#include <cmath>
#include <vector>

#include "cpu/workers.hpp"

namespace onepass::bench {
namespace {

constexpr double kNear = 0.1;
constexpr double kMost = 1e30;

/// A sphere; or, with a radius of 0, the part of a plane through `center` that is not higher than `top`.
struct Shape {
  Vec center;
  double radius;
  Vec normal;  // of a plane
  double top;
  Vec color;
  float roughness;
  double waves;  // of the pattern, per unit
};

constexpr Shape kShapes[] = {
    {{0, 0, 0}, 0, {0, 1, 0}, 0.001, {0.5, 0.5, 0.55}, 0.3F, 3},    // floor
    {{-4, 0, 0}, 0, {1, 0, 0}, 3, {1.6, 0.4, 0.3}, 0.5F, 2},        // walls
    {{4, 0, 0}, 0, {-1, 0, 0}, 3, {0.3, 0.6, 1.6}, 0.5F, 2},        //
    {{0, 0, -8}, 0, {0, 0, 1}, 1.8, {0.9, 1.2, 0.5}, 1, 2.5},       // matte, the background above
    {{-1.9, 0.8, -2.2}, 0.8, {}, kMost, {0.4, 0.4, 0.4}, 0.1F, 4},  // glossy
    {{2.4, 0.6, -0.9}, 0.6, {}, kMost, {0.5, 0.4, 0.3}, 0.1F, 4},   //
    {{0.6, 1, -3.6}, 1, {}, kMost, {0.1, 0.1, 0.1}, 0, 4},          // mirrors
    {{-2.6, 0.5, 0.4}, 0.5, {}, kMost, {0.1, 0.1, 0.1}, 0, 4},      //
    {{-0.3, 0.45, -0.4}, 0.45, {}, kMost, {2.4, 2.0, 0.4}, 1, 5},   // matte
    {{1.2, 0.4, 0.6}, 0.4, {}, kMost, {0.4, 2.2, 0.8}, 1, 6},       //
    {{2.6, 1.1, -5.5}, 1.1, {}, kMost, {1.8, 0.6, 1.9}, 0.8F, 3},   //
};

// Where the ray meets a shape from its front; <= 0: nowhere.
double meet(const Shape& shape, Vec from, Vec direction) {
  const Vec to = from - shape.center;
  if (shape.radius == 0) {
    const double along = dot(direction, shape.normal);
    if (along >= 0) return 0;
    const double t = -dot(to, shape.normal) / along;
    return from.y + t * direction.y <= shape.top ? t : 0;
  }
  const double b = dot(to, direction), c = dot(to, to) - shape.radius * shape.radius;
  return b * b > c ? -b - std::sqrt(b * b - c) : 0;
}

std::array<float, 16> columns(const std::array<double, 16>& matrix) {
  std::array<float, 16> out{};
  for (size_t i = 0; i < 16; ++i) out[i] = static_cast<float>(matrix[i]);
  return out;
}

}  // namespace

double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vec normalized(Vec a) { return 1 / std::sqrt(dot(a, a)) * a; }

std::optional<SceneHit> trace(Vec from, Vec direction) {
  SceneHit best{.distance = kMost};
  for (size_t i = 0; i < std::size(kShapes); ++i) {
    const double t = meet(kShapes[i], from, direction);
    if (t > 1e-9 && t < best.distance) best = {.distance = t, .shape = i};
  }
  if (best.distance == kMost) return std::nullopt;
  const Shape& shape = kShapes[best.shape];
  best.point = from + best.distance * direction;
  best.normal = shape.radius == 0 ? shape.normal : 1 / shape.radius * (best.point - shape.center);
  return best;
}

Vec radiance(const SceneHit& hit) {
  const Shape& shape = kShapes[hit.shape];
  const Vec p = hit.point;
  const double light =
      0.55 + 0.2 * std::sin(shape.waves * (p.x + 0.3 * p.y)) + 0.2 * std::sin(1.3 * shape.waves * (p.z - 0.5 * p.y));
  return light * shape.color;
}

float roughness(const SceneHit& hit) { return kShapes[hit.shape].roughness; }

SceneCamera::SceneCamera(Extent size, uint32_t place)
    : eye_{0.2 + 0.03 * place, 1.3, 4.2 + 0.02 * place},
      x_scale_(std::sqrt(3.0) * size.height / size.width),  // 60 degrees high
      y_scale_(std::sqrt(3.0)) {}

Vec SceneCamera::direction(double u, double v) const {
  return normalized({(2 * u - 1) / x_scale_, (1 - 2 * v) / y_scale_, -1});
}

SceneCamera::Point SceneCamera::project(Vec world) const {
  const Vec to = world - eye_;
  const double w = -to.z;
  return {0.5 + 0.5 * x_scale_ * to.x / w, 0.5 - 0.5 * y_scale_ * to.y / w, kNear / w, w};
}

// clip = (x_scale x, -y_scale y, near, -z) of (x, y, z, 1) in the view.
std::array<float, 16> SceneCamera::clip_from_world() const {
  return columns(
      {x_scale_, 0, 0, 0, 0, -y_scale_, 0, 0, 0, 0, 0, -1, -x_scale_ * eye_.x, y_scale_ * eye_.y, kNear, eye_.z});
}
std::array<float, 16> SceneCamera::world_from_clip() const {
  return columns({1 / x_scale_, 0, 0, 0, 0, -1 / y_scale_, 0, 0, eye_.x / kNear, eye_.y / kNear, eye_.z / kNear,
                  1 / kNear, 0, 0, -1, 0});
}
std::array<float, 16> SceneCamera::clip_from_view() const {
  return columns({x_scale_, 0, 0, 0, 0, -y_scale_, 0, 0, 0, 0, 0, -1, 0, 0, kNear, 0});
}
std::array<float, 16> SceneCamera::view_from_clip() const {
  return columns({1 / x_scale_, 0, 0, 0, 0, -1 / y_scale_, 0, 0, 0, 0, 0, 1 / kNear, 0, 0, -1, 0});
}
std::array<float, 16> SceneCamera::view_from_world() const {
  return columns({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -eye_.x, -eye_.y, -eye_.z, 1});
}
std::array<float, 16> SceneCamera::world_from_view() const {
  return columns({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, eye_.x, eye_.y, eye_.z, 1});
}

Result<SceneImages> render(Extent size, uint32_t place) {
  auto color = Image::create(kSceneColor, size), depth = Image::create(kSceneDepth, size);
  auto normals = Image::create(kSceneNormals, size), motion = Image::create(kSceneMotion, size);
  for (const auto* image : {&color, &depth, &normals, &motion}) {
    if (!*image) return image->error();
  }
  const SceneCamera camera(size, place), other(size, 1 - place);
  cpu::Workers(0).run(size.height, [&](size_t y, uint32_t) {
    std::vector<std::array<float, 4>> colors(size.width), depths(size.width), surfaces(size.width), moves(size.width);
    for (uint32_t x = 0; x < size.width; ++x) {
      const double u = (x + 0.5) / size.width, v = (static_cast<double>(y) + 0.5) / size.height;
      const auto hit = trace(camera.eye(), camera.direction(u, v));
      colors[x] = {0.2F, 0.3F, 0.5F, 1};
      if (!hit) continue;
      const Vec light = radiance(*hit), n = hit->normal;
      const SceneCamera::Point last = other.project(hit->point);
      colors[x] = {static_cast<float>(light.x), static_cast<float>(light.y), static_cast<float>(light.z), 1};
      depths[x] = {static_cast<float>(camera.project(hit->point).depth)};
      surfaces[x] = {static_cast<float>(n.x), static_cast<float>(n.y), static_cast<float>(n.z), roughness(*hit)};
      moves[x] = {static_cast<float>(last.u - u), static_cast<float>(last.v - v)};
    }
    const auto row = static_cast<uint32_t>(y);
    encode_row(kSceneColor, colors[0].data(), size.width, color->view().row(row));
    encode_row(kSceneDepth, depths[0].data(), size.width, depth->view().row(row));
    encode_row(kSceneNormals, surfaces[0].data(), size.width, normals->view().row(row));
    encode_row(kSceneMotion, moves[0].data(), size.width, motion->view().row(row));
  });
  return SceneImages{std::move(*color), std::move(*depth), std::move(*normals), std::move(*motion)};
}

}  // namespace onepass::bench
