#include "tests/reflection/reflection_scene.hpp"

#include <cmath>
#include <random>

namespace onepass::testing {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kNear = 0.1, kFar = 30;
constexpr double kHalfHeight = 2.2;  // of the orthographic camera

double wave(double at, double waves) { return std::sin(waves * at); }

}  // namespace

double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vec cross(Vec a, Vec b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
double length(Vec a) { return std::sqrt(dot(a, a)); }
Vec normalized(Vec a) { return 1 / length(a) * a; }

std::optional<SceneHit> Scene::trace(Vec from, Vec direction) const {
  SceneHit best{.distance = 1e30};
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Shape& shape = shapes[i];
    double t = -1;
    const Vec to = from - shape.center;
    if (shape.radius == 0) {
      t = -dot(to, shape.normal) / dot(direction, shape.normal);
    } else {
      const double b = dot(to, direction), c = dot(to, to) - shape.radius * shape.radius;
      if (b * b >= c) t = -b - std::sqrt(b * b - c);
    }
    if (!(t > 1e-9 && t < best.distance)) continue;
    const Vec point = from + t * direction;
    const Vec normal = shape.radius == 0 ? shape.normal : 1 / shape.radius * (point - shape.center);
    if (dot(normal, direction) >= 0) continue;
    best = {t, point, normal, static_cast<int>(i)};
  }
  if (best.shape < 0) return std::nullopt;
  return best;
}

Vec Scene::radiance(const SceneHit& hit) const {
  const Shape& shape = shapes[static_cast<size_t>(hit.shape)];
  const Material& m = shape.material;
  const Vec p = hit.point - shape.center;  // the pattern moves with the shape
  const double light = 0.55 + 0.2 * wave(p.x + 0.3 * p.y, m.waves) + 0.2 * wave(p.z - 0.5 * p.y, 1.3 * m.waves);
  return light * m.color;
}

Scene hall(double floor_roughness, double sphere_roughness) {
  return {{{.center = {0, 0, 0}, .normal = {0, 1, 0}, .material = {{0.5, 0.5, 0.55}, floor_roughness}},
           {.center = {0, 3.5, 0}, .normal = {0, -1, 0}, .material = {{2.0, 1.9, 1.7}}},
           {.center = {-3, 0, 0}, .normal = {1, 0, 0}, .material = {{1.6, 0.3, 0.2}}},
           {.center = {3, 0, 0}, .normal = {-1, 0, 0}, .material = {{0.2, 0.5, 1.6}}},
           {.center = {0, 0, -4}, .normal = {0, 0, 1}, .material = {{0.9, 1.2, 0.5}}},
           {.center = {0, 0, 6}, .normal = {0, 0, -1}, .material = {{0.6, 0.6, 0.6}}},
           {.center = {-1, 0.8, -1.4}, .radius = 0.8, .material = {{2.4, 2.0, 0.4}, 1, 4}},
           {.center = {1.3, 0.7, -0.6}, .radius = 0.7, .material = {{0.4, 0.4, 0.4}, sphere_roughness}}}};
}

Camera::Camera(Vec eye, Vec at, double width_by_height, Projection projection)
    : eye_(eye), forward_(normalized(at - eye)), projection_(projection) {
  right_ = normalized(cross(forward_, {0, 1, 0}));
  down_ = cross(forward_, right_);
  y_scale_ = orthographic() ? 1 / kHalfHeight : 1 / std::tan(30 * kPi / 180);
  x_scale_ = y_scale_ / width_by_height;
}

void Camera::ray(double u, double v, Vec& from, Vec& direction) const {
  const Vec across = (2 * u - 1) / x_scale_ * right_ + (2 * v - 1) / y_scale_ * down_;
  if (orthographic()) {
    from = eye_ + across + kNear * forward_;
    direction = forward_;
  } else {
    from = eye_ + kNear * (forward_ + across);
    direction = normalized(forward_ + across);
  }
}

Camera::Point Camera::project(Vec world) const {
  const Vec to = world - eye_;
  const double x = dot(to, right_), y = dot(to, down_), z = dot(to, forward_);
  const double w = orthographic() ? 1 : z;
  double depth = kNear / z;
  if (projection_ == Projection::kStandard) depth = kFar * (z - kNear) / ((kFar - kNear) * z);
  if (orthographic()) depth = (kFar - z) / (kFar - kNear);
  return {0.5 + 0.5 * x_scale_ * x / w, 0.5 + 0.5 * y_scale_ * y / w, depth, w};
}

std::array<float, 16> Camera::matrix() const {
  // Rows of the matrix as factors of (right, down, forward, 1).
  std::array<std::array<double, 4>, 4> rows{};
  rows[0][0] = x_scale_;
  rows[1][1] = y_scale_;
  if (projection_ == Projection::kReversedInfinite) {
    rows[2][3] = kNear;
  } else if (projection_ == Projection::kStandard) {
    rows[2][2] = kFar / (kFar - kNear);
    rows[2][3] = -kNear * kFar / (kFar - kNear);
  } else {
    rows[2][2] = -1 / (kFar - kNear);
    rows[2][3] = kFar / (kFar - kNear);
  }
  rows[3][orthographic() ? 3 : 2] = 1;
  std::array<float, 16> matrix{};
  for (size_t r = 0; r < 4; ++r) {
    const Vec axis = rows[r][0] * right_ + rows[r][1] * down_ + rows[r][2] * forward_;
    matrix[r] = static_cast<float>(axis.x);
    matrix[4 + r] = static_cast<float>(axis.y);
    matrix[8 + r] = static_cast<float>(axis.z);
    matrix[12 + r] = static_cast<float>(rows[r][3] - dot(axis, eye_));
  }
  return matrix;
}

const Camera& usual_camera(Projection projection) {
  static const Camera kCameras[] = {{{0.2, 1.3, 4.2}, {0, 0.9, 0}, 1.5, Projection::kReversedInfinite},
                                    {{0.2, 1.3, 4.2}, {0, 0.9, 0}, 1.5, Projection::kStandard},
                                    {{0.2, 1.9, 4.2}, {0, 0.9, 0}, 1.5, Projection::kOrthographicReversed}};
  return kCameras[static_cast<int>(projection)];
}

Frame render(const Scene& scene, const Camera& camera, Extent size, const Scene& last_scene,
             const Camera& last_camera) {
  const size_t texels = size_t{size.width} * size.height;
  Frame frame{.size = size,
              .depth = std::vector<float>(texels, camera.reversed() ? 0.0F : 1.0F),
              .normals = std::vector<std::array<float, 4>>(texels),
              .color = std::vector<std::array<float, 4>>(texels),
              .motion = std::vector<std::array<float, 2>>(texels),
              .shapes = std::vector<int>(texels, -1)};
  for (uint32_t y = 0; y < size.height; ++y) {
    for (uint32_t x = 0; x < size.width; ++x) {
      const size_t i = size_t{y} * size.width + x;
      const double u = (x + 0.5) / size.width, v = (y + 0.5) / size.height;
      Vec from, direction;
      camera.ray(u, v, from, direction);
      const auto hit = scene.trace(from, direction);
      if (!hit) continue;
      const Vec n = hit->normal, light = scene.radiance(*hit);
      const auto shape = static_cast<size_t>(hit->shape);
      const Vec moved = last_scene.shapes[shape].center - scene.shapes[shape].center;
      const Camera::Point last = last_camera.project(hit->point + moved);
      frame.depth[i] = static_cast<float>(camera.project(hit->point).depth);
      frame.normals[i] = {static_cast<float>(n.x), static_cast<float>(n.y), static_cast<float>(n.z),
                          static_cast<float>(scene.shapes[shape].material.roughness)};
      frame.color[i] = {static_cast<float>(light.x), static_cast<float>(light.y), static_cast<float>(light.z), 1};
      frame.motion[i] = {static_cast<float>(last.u - u), static_cast<float>(last.v - v)};
      frame.shapes[i] = hit->shape;
    }
  }
  return frame;
}

namespace {

// A visible normal of GGX, by projected areas of a hemisphere: E. Heitz, "Sampling the GGX Distribution of Visible
// Normals", JCGT 7 (4), 2018. The library samples spherical caps.
Vec visible_normal(Vec view, double alpha, double u1, double u2) {
  const Vec stretched = normalized({alpha * view.x, alpha * view.y, view.z});
  const double across = stretched.x * stretched.x + stretched.y * stretched.y;
  const Vec t1 = across > 0 ? 1 / std::sqrt(across) * Vec{-stretched.y, stretched.x, 0} : Vec{1, 0, 0};
  const Vec t2 = cross(stretched, t1);
  const double r = std::sqrt(u1), phi = 2 * kPi * u2, s = 0.5 * (1 + stretched.z);
  const double p1 = r * std::cos(phi);
  const double p2 = (1 - s) * std::sqrt(1 - p1 * p1) + s * r * std::sin(phi);
  const Vec n = p1 * t1 + p2 * t2 + std::sqrt(std::max(0.0, 1 - p1 * p1 - p2 * p2)) * stretched;
  return normalized({alpha * n.x, alpha * n.y, std::max(0.0, n.z)});
}

Vec mirrored(Vec view, Vec normal) { return 2 * dot(view, normal) * normal - view; }

// Whether the camera sees a point; `far_from_edges`: the texels around it show its shape, too.
bool is_seen(const Scene& scene, const Camera& camera, const Frame& frame, const SceneHit& hit, bool& far_from_edges) {
  const Camera::Point at = camera.project(hit.point);
  far_from_edges = false;
  if (!(at.w > 0 && at.u >= 0 && at.v >= 0 && at.u < 1 && at.v < 1)) return false;
  Vec from, direction;
  camera.ray(at.u, at.v, from, direction);
  const auto seen = scene.trace(from, direction);
  if (!seen || seen->shape != hit.shape || length(seen->point - hit.point) > 1e-6) return false;
  const int x = static_cast<int>(at.u * frame.size.width), y = static_cast<int>(at.v * frame.size.height);
  for (int j = y - 2; j <= y + 2; ++j) {
    for (int i = x - 2; i <= x + 2; ++i) {
      if (i < 0 || j < 0 || i >= static_cast<int>(frame.size.width) || j >= static_cast<int>(frame.size.height))
        return true;
      if (frame.shapes[static_cast<size_t>(j) * frame.size.width + static_cast<size_t>(i)] != hit.shape) return true;
    }
  }
  far_from_edges = true;
  return true;
}

}  // namespace

Expected expect_reflection(const Scene& scene, const Camera& camera, const Frame& frame, uint32_t x, uint32_t y,
                           uint32_t rays, double mirror, Vec fallback) {
  Vec from, direction;
  camera.ray((x + 0.5) / frame.size.width, (y + 0.5) / frame.size.height, from, direction);
  const auto surface = scene.trace(from, direction);
  Expected expected;
  if (!surface) return expected;
  const double roughness = scene.shapes[static_cast<size_t>(surface->shape)].material.roughness;
  const bool is_mirror = roughness <= mirror;
  const Vec n = surface->normal, view = -1 * direction;
  const Vec tx = normalized(cross(std::fabs(n.y) < 0.9 ? Vec{0, 1, 0} : Vec{1, 0, 0}, n)), ty = cross(n, tx);
  const Vec local{dot(view, tx), dot(view, ty), dot(view, n)};
  std::mt19937 random(x * 7919 + y);
  std::uniform_real_distribution<double> uniform;
  const uint32_t count = is_mirror ? 1 : rays;
  uint32_t certain = 0;
  for (uint32_t ray = 0; ray < count; ++ray) {
    Vec to = mirrored(view, n);
    while (!is_mirror) {  // given that the direction leaves the surface
      const Vec h = visible_normal(local, roughness * roughness, uniform(random), uniform(random));
      const Vec out = mirrored(local, h);
      to = out.x * tx + out.y * ty + out.z * n;
      if (out.z > 0) break;
    }
    const auto hit = scene.trace(surface->point + 1e-7 * n, to);
    bool far_from_edges = false;
    const bool seen = hit && is_seen(scene, camera, frame, *hit, far_from_edges);
    expected.radiance = expected.radiance + 1.0 / count * (seen ? scene.radiance(*hit) : fallback);
    expected.confidence += seen ? 1.0 / count : 0;
    if (seen) {
      expected.distance += hit->distance;
      const Camera::Point at = camera.project(hit->point);
      expected.u = at.u;
      expected.v = at.v;
    }
    certain += far_from_edges ? 1 : 0;
  }
  expected.certain = certain == count;
  if (expected.confidence > 0) expected.distance /= expected.confidence * count;
  return expected;
}

}  // namespace onepass::testing
