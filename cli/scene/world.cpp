// world.cpp: ray intersection with each kind of shape, and a bounding volume hierarchy over the shapes.
//
// Every intersection function returns the distance to the first surface point in front of the origin, or infinity, and
// the outward normal there. Origins inside a shape do not occur.
#include "scene/world.hpp"

#include <array>
#include <numeric>
#include <utility>

namespace onepass::cli::scene {
namespace {

constexpr float kNear = 1e-4F;  // metres: nearer hits are the surface on which the ray starts

// The part of a ray inside a shape: entry and exit distance; empty if enter > exit.
struct Span {
  float enter = kInfinity;
  float exit = -kInfinity;
};

Span box_span(const Ray& ray, Vec3 low, Vec3 high, int& axis) {
  Span span{-kInfinity, kInfinity};
  for (int i = 0; i < 3; ++i) {
    const float inverse = 1 / ray.direction[i];
    float t0 = (low[i] - ray.origin[i]) * inverse;
    float t1 = (high[i] - ray.origin[i]) * inverse;
    if (t0 > t1) std::swap(t0, t1);
    if (t0 > span.enter) {
      span.enter = t0;
      axis = i;
    }
    span.exit = std::min(span.exit, t1);
  }
  return span;
}

Vec3 axis_normal(const Ray& ray, int axis) {
  const float sign = ray.direction[axis] > 0 ? -1.0F : 1.0F;
  return {axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0};
}

// Roots of a t^2 + 2 b t + c.
Span quadratic_span(float a, float b, float c) {
  const float discriminant = b * b - a * c;
  if (discriminant < 0 || a == 0) return {};
  const float root = std::sqrt(discriminant);
  return {(-b - root) / a, (-b + root) / a};
}

float hit_sphere(const Ray& ray, Vec3 centre, float radius, Vec3& normal) {
  const Vec3 offset = ray.origin - centre;
  const float b = dot(offset, ray.direction);
  const Vec3 nearest = offset - ray.direction * b;  // point of closest approach, precise for far spheres
  const float discriminant = radius * radius - dot(nearest, nearest);
  if (discriminant < 0) return kInfinity;
  const float t = -b - std::sqrt(discriminant);
  if (t < kNear) return kInfinity;
  normal = (offset + ray.direction * t) * (1 / radius);
  return t;
}

float hit_box(const Ray& ray, const Shape& shape, Vec3& normal) {
  int axis = 0;
  const Span span = box_span(ray, shape.a, shape.b, axis);
  if (span.enter > span.exit || span.enter < kNear) return kInfinity;
  normal = axis_normal(ray, axis);
  return span.enter;
}

float hit_capsule(const Ray& ray, const Shape& shape, Vec3& normal) {
  const Vec3 along = shape.b - shape.a;
  const Vec3 offset = ray.origin - shape.a;
  const float aa = dot(along, along);
  const float ad = dot(along, ray.direction);
  const float ao = dot(along, offset);
  const Span span = quadratic_span(aa - ad * ad, aa * dot(offset, ray.direction) - ao * ad,
                                   aa * dot(offset, offset) - ao * ao - shape.r * shape.r * aa);
  if (span.enter <= span.exit) {
    const float place = ao + span.enter * ad;
    if (place > 0 && place < aa) {
      if (span.enter < kNear) return kInfinity;
      normal = (offset + ray.direction * span.enter - along * (place / aa)) * (1 / shape.r);
      return span.enter;
    }
  }
  Vec3 other;
  const float first = hit_sphere(ray, shape.a, shape.r, normal);
  const float second = hit_sphere(ray, shape.b, shape.r, other);
  if (second < first) normal = other;
  return std::min(first, second);
}

float hit_cone(const Ray& ray, const Shape& shape, Vec3& normal) {
  const float height = shape.b.y - shape.a.y;
  const float slope = (shape.q - shape.r) / height;  // radius(y) = r + slope * y
  const Vec3 o = ray.origin - shape.a;
  const Vec3 d = ray.direction;
  const float radius = shape.r + slope * o.y;
  const Span side =
      quadratic_span(d.x * d.x + d.z * d.z - slope * slope * d.y * d.y, o.x * d.x + o.z * d.z - radius * slope * d.y,
                     o.x * o.x + o.z * o.z - radius * radius);
  float nearest = kInfinity;
  const float y = o.y + side.enter * d.y;
  if (side.enter <= side.exit && side.enter > kNear && y >= 0 && y <= height) {
    nearest = side.enter;
    const Vec3 p = o + d * nearest;
    normal = normalize({p.x, -slope * (shape.r + slope * y), p.z});
  }
  for (const auto& [cap, cap_radius] : {std::pair{0.0F, shape.r}, std::pair{height, shape.q}}) {
    const float t = (cap - o.y) / d.y;
    const float x = o.x + t * d.x;
    const float z = o.z + t * d.z;
    if (t > kNear && t < nearest && x * x + z * z <= cap_radius * cap_radius) {
      nearest = t;
      normal = {0, cap > 0 ? 1.0F : -1.0F, 0};
    }
  }
  return nearest;
}

float hit_arch(const Ray& ray, const Shape& shape, Vec3& normal) {
  int axis = 0;
  const Span wall = box_span(ray, shape.a, shape.b, axis);
  if (wall.enter > wall.exit) return kInfinity;
  const Vec3 o = ray.origin - shape.c;
  const Vec3 d = ray.direction;
  const Span hole =
      quadratic_span(d.y * d.y + d.z * d.z, o.y * d.y + o.z * d.z, o.y * o.y + o.z * o.z - shape.r * shape.r);
  if (wall.enter >= kNear && !(wall.enter > hole.enter && wall.enter < hole.exit)) {
    normal = axis_normal(ray, axis);
    return wall.enter;
  }
  if (hole.exit < kNear || hole.exit < wall.enter || hole.exit >= wall.exit) return kInfinity;
  const Vec3 p = o + d * hole.exit;
  normal = Vec3{0, -p.y, -p.z} * (1 / shape.r);
  return hole.exit;
}

float hit_shape(const Ray& ray, const Shape& shape, Vec3& normal) {
  switch (shape.kind) {
    case Shape::Kind::kSphere:
      return hit_sphere(ray, shape.a, shape.r, normal);
    case Shape::Kind::kBox:
      return hit_box(ray, shape, normal);
    case Shape::Kind::kCapsule:
      return hit_capsule(ray, shape, normal);
    case Shape::Kind::kCone:
      return hit_cone(ray, shape, normal);
    case Shape::Kind::kArch:
      return hit_arch(ray, shape, normal);
  }
  return kInfinity;
}

void bounds(const Shape& shape, Vec3& low, Vec3& high) {
  const float r = std::max(shape.r, shape.q);
  low = min(shape.a, shape.b);
  high = max(shape.a, shape.b);
  switch (shape.kind) {
    case Shape::Kind::kSphere:
      low = shape.a - Vec3{r, r, r};
      high = shape.a + Vec3{r, r, r};
      break;
    case Shape::Kind::kCapsule:
      low = low - Vec3{r, r, r};
      high = high + Vec3{r, r, r};
      break;
    case Shape::Kind::kCone:
      low = low - Vec3{r, 0, r};
      high = high + Vec3{r, 0, r};
      break;
    case Shape::Kind::kBox:
    case Shape::Kind::kArch:
      break;
  }
}

float area(Vec3 low, Vec3 high) {
  const Vec3 e = high - low;
  return e.x * e.y + e.y * e.z + e.z * e.x;
}

}  // namespace

void World::sphere(Vec3 centre, float radius, uint32_t material) {
  shapes.push_back({.kind = Shape::Kind::kSphere, .a = centre, .b = centre, .r = radius, .material = material});
}

void World::box(Vec3 low, Vec3 high, uint32_t material) {
  shapes.push_back({.kind = Shape::Kind::kBox, .a = low, .b = high, .material = material});
}

void World::capsule(Vec3 from, Vec3 to, float radius, uint32_t material) {
  shapes.push_back({.kind = Shape::Kind::kCapsule, .a = from, .b = to, .r = radius, .material = material});
}

void World::cone(Vec3 foot, float height, float foot_radius, float top_radius, uint32_t material) {
  shapes.push_back({.kind = Shape::Kind::kCone,
                    .a = foot,
                    .b = foot + Vec3{0, height, 0},
                    .r = foot_radius,
                    .q = top_radius,
                    .material = material});
}

void World::arch(Vec3 low, Vec3 high, Vec3 axis, float radius, uint32_t material) {
  shapes.push_back({.kind = Shape::Kind::kArch, .a = low, .b = high, .c = axis, .r = radius, .material = material});
}

// A ray with the values that the test against four boxes needs.
struct World::Slabs {
  Vec3 origin;
  Vec3 inverse;

  explicit Slabs(const Ray& ray)
      : origin(ray.origin), inverse{1 / ray.direction.x, 1 / ray.direction.y, 1 / ray.direction.z} {}

  // Distance at which the ray enters each box; infinity if it does not do so within `limit`.
  [[nodiscard]] Float4 enter(const Node& node, float limit) const {
    Float4 near{};
    Float4 far = near + limit;
    for (int axis = 0; axis < 3; ++axis) {
      const Float4 t0 = (node.low[axis] - origin[axis]) * inverse[axis];
      const Float4 t1 = (node.high[axis] - origin[axis]) * inverse[axis];
      const Float4 first = t0 < t1 ? t0 : t1;
      const Float4 last = t0 < t1 ? t1 : t0;
      near = first > near ? first : near;
      far = last < far ? last : far;
    }
    const Float4 none = Float4{} + kInfinity;
    return near <= far ? near : none;
  }
};

World::Range World::range(uint32_t first, uint32_t count) const {
  Range all{first, count, {kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
  for (uint32_t i = first; i < first + count; ++i) {
    Vec3 low;
    Vec3 high;
    bounds(shapes[i], low, high);
    all.low = min(all.low, low);
    all.high = max(all.high, high);
  }
  return all;
}

// Sorts the shapes of `all` along the axis, and returns the cut, that minimise surface area times number of shapes over
// both parts: the surface area heuristic (MacDonald and Booth, "Heuristics for ray tracing using space subdivision",
// 1990).
uint32_t World::best_split(const Range& all) {
  const auto sort_along = [&](int axis) {
    const auto begin = shapes.begin() + all.first;
    std::stable_sort(begin, begin + all.count, [axis](const Shape& left, const Shape& right) {
      Vec3 low[2];
      Vec3 high[2];
      bounds(left, low[0], high[0]);
      bounds(right, low[1], high[1]);
      return low[0][axis] + high[0][axis] < low[1][axis] + high[1][axis];
    });
  };
  float best = kInfinity;
  uint32_t cut = all.count / 2;
  int best_axis = 0;
  std::vector<float> right(all.count);
  for (int axis = 0; axis < 3; ++axis) {
    sort_along(axis);
    Range part = range(all.first, 0);
    const auto grow = [&](uint32_t i) {
      const Range one = range(all.first + i, 1);
      part.low = min(part.low, one.low);
      part.high = max(part.high, one.high);
      return area(part.low, part.high);
    };
    for (uint32_t i = all.count - 1; i > 0; --i) right[i] = grow(i) * static_cast<float>(all.count - i);
    part = range(all.first, 0);
    for (uint32_t i = 1; i < all.count; ++i) {
      const float cost = grow(i - 1) * static_cast<float>(i) + right[i];
      if (cost < best) {
        best = cost;
        best_axis = axis;
        cut = i;
      }
    }
  }
  sort_along(best_axis);
  return cut;
}

// Splits the part with the largest area until there are four, then recurses.
uint32_t World::add_node(const Range& all) {
  constexpr uint32_t kLeaf = 3;
  std::vector<Range> parts{all};
  while (parts.size() < 4) {
    Range* largest = nullptr;
    for (Range& part : parts) {
      if (part.count <= kLeaf) continue;
      if (largest == nullptr || area(part.low, part.high) > area(largest->low, largest->high)) largest = &part;
    }
    if (largest == nullptr) break;
    const uint32_t cut = best_split(*largest);
    const Range rest = range(largest->first + cut, largest->count - cut);
    *largest = range(largest->first, cut);
    parts.push_back(rest);
  }
  const auto index = static_cast<uint32_t>(nodes_.size());
  nodes_.emplace_back();
  Node node{};
  node.used = static_cast<uint32_t>(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    const Range& part = parts[i];
    for (int axis = 0; axis < 3; ++axis) {
      node.low[axis][i] = part.low[axis];
      node.high[axis][i] = part.high[axis];
    }
    node.count[i] = part.count <= kLeaf ? part.count : 0;
    node.first[i] = part.count <= kLeaf ? part.first : add_node(part);
  }
  nodes_[index] = node;
  return index;
}

void World::build() {
  nodes_.clear();
  add_node(range(0, static_cast<uint32_t>(shapes.size())));
}

Hit World::trace(const Ray& ray) const {
  Hit hit;
  const Slabs slabs(ray);
  std::array<std::pair<float, uint32_t>, 128> stack{};
  size_t depth = 0;
  stack[depth++] = {0.0F, 0U};
  while (depth > 0) {
    const auto [nearest, index] = stack[--depth];
    if (nearest >= hit.distance) continue;
    const Node& node = nodes_[index];
    const Float4 enter = slabs.enter(node, hit.distance);
    const size_t bottom = depth;
    for (size_t i = 0; i < node.used; ++i) {
      if (!(enter[i] < hit.distance)) continue;
      if (node.count[i] == 0) {  // sorted insertion: the nearest is on top
        size_t place = depth++;
        for (; place > bottom && stack[place - 1].first < enter[i]; --place) stack[place] = stack[place - 1];
        stack[place] = {enter[i], node.first[i]};
      }
      for (uint32_t k = node.first[i]; k < node.first[i] + node.count[i]; ++k) {
        Vec3 normal;
        const float t = hit_shape(ray, shapes[k], normal);
        if (t < hit.distance) hit = {t, k, normal};
      }
    }
  }
  return hit;
}

bool World::blocked(const Ray& ray, float distance) const {
  const Slabs slabs(ray);
  std::array<uint32_t, 128> stack{};
  size_t depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const Node& node = nodes_[stack[--depth]];
    const Float4 enter = slabs.enter(node, distance);
    for (size_t i = 0; i < node.used; ++i) {
      if (!(enter[i] < kInfinity)) continue;
      if (node.count[i] == 0) stack[depth++] = node.first[i];
      for (uint32_t k = node.first[i]; k < node.first[i] + node.count[i]; ++k) {
        Vec3 normal;
        if (hit_shape(ray, shapes[k], normal) >= distance) continue;
        if (luminance(materials[shapes[k].material].emission) == 0) return true;
      }
    }
  }
  return false;
}

}  // namespace onepass::cli::scene
