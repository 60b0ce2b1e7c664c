// depth_query_testing.cpp: scenes of noise, walls and holes, with levels reduced from the base by the oracle's
// footprints; random views and objects; and sampled surfaces of objects, whose points show what is visible.
#include "tests/depth_query/depth_query_testing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "onepass/words.hpp"

namespace onepass::testing {

using depth_query::CoordinateRect;
using depth_query::Float3;
using depth_query::Float4x4;
using depth_query::Projection;
using depth_query::Texel;

const std::vector<Extent>& query_sizes() {
  static const std::vector<Extent> sizes = {{1, 1},   {1, 17},   {37, 1},    {2, 3},   {7, 4},     {16, 16},
                                            {63, 63}, {64, 48},  {119, 67},  {127, 5}, {255, 127}, {129, 257},
                                            {96, 54}, {100, 75}, {239, 135}, {5, 300}};
  return sizes;
}

DepthScene::DepthScene(Extent size, Footprint footprint, bool reversed_z, uint32_t seed) {
  uint32_t last = 0;
  while (std::max(size.width, size.height) >> (last + 1) > 0) ++last;
  pyramid_ = {size, 0, last, footprint, reversed_z};
  Random random(seed);
  std::vector<float> depths(size_t{size.width} * size.height);
  for (float& depth : depths) depth = random.between(0.9F, 0.95F);
  for (int wall = 0; wall < 6; ++wall) {
    const uint32_t x0 = random.below(size.width);
    const uint32_t y0 = random.below(size.height);
    const uint32_t x1 = x0 + 1 + random.below(size.width);
    const uint32_t y1 = y0 + 1 + random.below(size.height);
    const float near = random.between(0.2F, 0.7F);
    for (uint32_t y = y0; y < std::min(y1, size.height); ++y) {
      for (uint32_t x = x0; x < std::min(x1, size.width); ++x) {
        float& depth = depths[size_t{y} * size.width + x];
        depth = std::min(depth, near + random.between(0.0F, 0.01F));
      }
    }
  }
  for (size_t hole = 0; hole < std::min<size_t>(depths.size() / 400 + 1, 60); ++hole) {
    depths[random.below(static_cast<uint32_t>(depths.size()))] = 1.0F;
  }
  if (reversed_z) {
    for (float& depth : depths) depth = 1.0F - depth;
  }
  farthest_.push_back(depths);
  nearest_.push_back(depths);
  for (uint32_t level = 1; level <= last; ++level) {
    farthest_.push_back(reduce(level, true));
    nearest_.push_back(reduce(level, false));
  }
}

std::vector<float> DepthScene::reduce(uint32_t level, bool farthest) const {
  const uint32_t width = std::max(1U, size().width >> level);
  const uint32_t height = std::max(1U, size().height >> level);
  std::vector<float> cells(size_t{width} * height);
  for (uint32_t y = 0; y < height; ++y) {
    const TexelRange rows = oracle_footprint(pyramid_.footprint, size().height, level, y);
    for (uint32_t x = 0; x < width; ++x) {
      const TexelRange columns = oracle_footprint(pyramid_.footprint, size().width, level, x);
      cells[size_t{y} * width + x] = extreme(columns.begin, columns.end, rows.begin, rows.end, farthest);
    }
  }
  return cells;
}

float DepthScene::extreme(uint32_t x0, uint32_t x1, uint32_t y0, uint32_t y1, bool farthest) const {
  float result = base(x0, y0);
  for (uint32_t y = y0; y < y1; ++y) {
    for (uint32_t x = x0; x < x1; ++x) {
      const float depth = base(x, y);
      if (farthest ? nearer(result, depth) : nearer(depth, result)) result = depth;
    }
  }
  return result;
}

float DepthScene::at(const std::vector<std::vector<float>>& levels, uint32_t level, Texel cell) const {
  const uint32_t width = std::max(1U, size().width >> level);
  const uint32_t height = std::max(1U, size().height >> level);
  if (level >= levels.size() || cell.x >= width || cell.y >= height) {
    ADD_FAILURE() << describe() << ": load outside the pyramid, level " << level << " at " << cell.x << ", " << cell.y;
    return 0;
  }
  return levels[level][size_t{cell.y} * width + cell.x];
}

std::string DepthScene::describe() const {
  return std::to_string(size().width) + "x" + std::to_string(size().height) + " " +
         std::string(word_of(pyramid_.footprint)) + (pyramid_.reversed_z ? " reversed" : "");
}

TexelRange touched_texels(float begin, float end, uint32_t size) {
  // Products of a float (24 bits) and a size (16 bits) are exact in double.
  const double first = std::floor(double{begin} * size);
  const double last = std::ceil(double{end} * size);
  if (!(begin <= end) || last <= 0 || first >= size) return {};
  return {static_cast<uint32_t>(std::max(first, 0.0)), static_cast<uint32_t>(std::min<double>(last, size))};
}

namespace {

/// Any coordinate from -0.1 to 1.1, or a cell boundary of some level, or one ULP beside it.
float random_coordinate(Random& random, uint32_t size) {
  if (random.below(4) != 0) return random.between(-0.1F, 1.1F);
  const uint32_t count = std::max(1U, size >> random.below(5));
  const float wall = static_cast<float>(random.below(count + 1)) / static_cast<float>(count);
  const uint32_t side = random.below(3);
  if (side == 0) return wall;
  return std::nextafter(wall, side == 1 ? -1.0F : 2.0F);
}

}  // namespace

CoordinateRect random_rect(Random& random, Extent size) {
  CoordinateRect rect;
  rect.begin = {random_coordinate(random, size.width), random_coordinate(random, size.height)};
  if (random.below(4) == 0) {
    rect.end = {random_coordinate(random, size.width), random_coordinate(random, size.height)};
    if (rect.end.x < rect.begin.x) std::swap(rect.begin.x, rect.end.x);
    if (rect.end.y < rect.begin.y) std::swap(rect.begin.y, rect.end.y);
  } else {
    const float longest = std::ldexp(1.0F, -static_cast<int>(random.below(8)));
    rect.end = {rect.begin.x + random.between(0.0F, longest), rect.begin.y + random.between(0.0F, longest)};
  }
  return rect;
}

View random_view(Random& random, bool orthographic, bool reversed_z) {
  View view;
  Projection& p = view.projection;
  p.orthographic = orthographic;
  p.reversed_z = reversed_z;
  p.near_plane = random.between(0.05F, 1.0F);
  const bool infinite = !orthographic && random.below(2) == 0;
  p.far_plane = infinite ? 0.0F : p.near_plane + random.between(50.0F, 500.0F);
  const float zoom = orthographic ? random.between(0.02F, 0.2F) : random.between(0.7F, 3.0F);
  p.scale = {random.below(4) == 0 ? -zoom : zoom, zoom * random.between(1.0F, 1.8F)};
  p.offset = {random.between(-0.2F, 0.2F), random.between(-0.2F, 0.2F)};
  // Depth as a function of distance d: (a + b / d) for perspectives, (a + b d) otherwise.
  const double near = p.near_plane;
  const double far = p.far_plane;
  double a = orthographic ? -near / (far - near) : infinite ? 1 : far / (far - near);
  double b = orthographic ? 1 / (far - near) : infinite ? -near : -near * far / (far - near);
  if (reversed_z) {
    a = 1 - a;
    b = -b;
  }
  auto& m = view.clip_of_view.columns;
  m[0][0] = p.scale.x;
  m[1][1] = p.scale.y;
  const size_t offset_column = orthographic ? 3 : 2;
  m[offset_column][0] = p.offset.x;
  m[offset_column][1] = p.offset.y;
  m[orthographic ? 3 : 2][2] = static_cast<float>(a);
  m[orthographic ? 2 : 3][2] = static_cast<float>(b);
  m[orthographic ? 3 : 2][3] = 1;
  return view;
}

ScreenPoint on_screen(const Float4x4& clip_of_view, bool reversed_z, double x, double y, double z) {
  double clip[4];
  for (size_t row = 0; row < 4; ++row) {
    clip[row] = clip_of_view.columns[0][row] * x + clip_of_view.columns[1][row] * y + clip_of_view.columns[2][row] * z +
                clip_of_view.columns[3][row];
  }
  ScreenPoint point;
  point.inside = clip[3] > 0 && (reversed_z ? clip[2] <= clip[3] : clip[2] >= 0);
  point.x = 0.5 * clip[0] / clip[3] + 0.5;
  point.y = 0.5 * clip[1] / clip[3] + 0.5;
  point.depth = clip[2] / clip[3];
  return point;
}

ScreenPoint on_screen(const Projection& p, double x, double y, double z) {
  ScreenPoint point;
  const double divisor = p.orthographic ? 1 : z;
  point.inside = z >= p.near_plane;
  point.x = 0.5 * (p.scale.x * x / divisor + p.offset.x) + 0.5;
  point.y = 0.5 * (p.scale.y * y / divisor + p.offset.y) + 0.5;
  const double near = p.near_plane;
  const double far = p.far_plane;
  double forward = 0;  // standard depth
  if (p.orthographic) {
    forward = (z - near) / (far - near);
  } else {
    forward = far > 0 ? far * (z - near) / (z * (far - near)) : 1 - near / z;
  }
  point.depth = p.reversed_z ? 1 - forward : forward;
  return point;
}

// ---- Objects

Object random_object(Random& random, const View& view) {
  const auto& p = view.projection;
  const float far_plane = p.far_plane > 0 ? p.far_plane : p.near_plane * 100;
  const float share = random.between(0.0F, 1.0F);
  const float distance =
      p.orthographic ? p.near_plane + (far_plane - p.near_plane) * share : p.near_plane * (0.9F + 12 * share * share);
  const float unit = p.orthographic ? 1.0F : distance;
  Object object;
  object.center = {(random.between(-1.2F, 1.2F) - p.offset.x) / p.scale.x * unit,
                   (random.between(-1.2F, 1.2F) - p.offset.y) / p.scale.y * unit, distance};
  object.radius = random.between(0.01F, 0.4F) * unit / p.scale.y;
  const auto half = [&] { return object.radius * random.between(0.05F, 1.5F); };
  const Float3 h{half(), half(), half()};
  object.low = {object.center.x - h.x, object.center.y - h.y, object.center.z - h.z};
  object.high = {object.center.x + h.x, object.center.y + h.y, object.center.z + h.z};
  return object;
}

Object in_rotated_world(Random& random, const Object& object, Float4x4& clip_of_view) {
  // Two turns, then a shift: view = turn * world + shift.
  const double a = random.between(0, 6.28F);
  const double b = random.between(0, 6.28F);
  const double turn[3][3] = {{std::cos(a), -std::sin(a) * std::cos(b), std::sin(a) * std::sin(b)},
                             {std::sin(a), std::cos(a) * std::cos(b), -std::cos(a) * std::sin(b)},
                             {0, std::sin(b), std::cos(b)}};
  const double shift[3] = {random.between(-30, 30), random.between(-30, 30), random.between(-30, 30)};
  const Float4x4 clip = clip_of_view;
  for (size_t row = 0; row < 4; ++row) {
    for (size_t column = 0; column < 4; ++column) {
      double sum = column == 3 ? clip.columns[3][row] : 0;
      for (size_t k = 0; k < 3; ++k) sum += clip.columns[k][row] * (column == 3 ? shift[k] : turn[k][column]);
      clip_of_view.columns[column][row] = static_cast<float>(sum);
    }
  }
  const double centered[3] = {object.center.x - shift[0], object.center.y - shift[1], object.center.z - shift[2]};
  double center[3] = {};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t k = 0; k < 3; ++k) center[i] += turn[k][i] * centered[k];
  }
  Object moved = object;
  moved.center = {static_cast<float>(center[0]), static_cast<float>(center[1]), static_cast<float>(center[2])};
  const Float3 half{0.5F * (object.high.x - object.low.x), 0.5F * (object.high.y - object.low.y),
                    0.5F * (object.high.z - object.low.z)};
  moved.low = {moved.center.x - half.x, moved.center.y - half.y, moved.center.z - half.z};
  moved.high = {moved.center.x + half.x, moved.center.y + half.y, moved.center.z + half.z};
  return moved;
}

std::vector<Point> box_surface(const Object& object) {
  std::vector<Point> points;
  constexpr int kSteps = 6;
  for (int i = 0; i <= kSteps; ++i) {
    for (int j = 0; j <= kSteps; ++j) {
      for (int k = 0; k <= kSteps; ++k) {
        if (i % kSteps != 0 && j % kSteps != 0 && k % kSteps != 0) continue;
        const auto between = [](float low, float high, int step) { return low + (double{high} - low) * step / kSteps; };
        points.push_back({between(object.low.x, object.high.x, i), between(object.low.y, object.high.y, j),
                          between(object.low.z, object.high.z, k)});
      }
    }
  }
  return points;
}

std::vector<Point> sphere_surface(const Object& object) {
  std::vector<Point> points;
  const double r = object.radius;
  const Float3& c = object.center;
  for (int i = 0; i <= 24; ++i) {
    for (int j = 0; j < 48; ++j) {
      const double polar = 3.14159265358979 * i / 24;
      const double around = 3.14159265358979 * j / 24;
      points.push_back({c.x + r * std::sin(polar) * std::cos(around), c.y + r * std::sin(polar) * std::sin(around),
                        c.z - r * std::cos(polar)});
    }
  }
  // Points whose tangents pass through the eye, in the planes of the axes: the extreme points of the sphere's image.
  for (int axis = 0; axis < 2; ++axis) {
    const double x = axis == 0 ? c.x : c.y;
    const double square = x * x + double{c.z} * c.z;
    if (square <= r * r) continue;
    for (const double side : {-1.0, 1.0}) {
      const double along = r * r / square;
      const double across = side * r * std::sqrt(square - r * r) / square;
      const double dx = -x * along - c.z * across;
      const double dz = -c.z * along + x * across;
      points.push_back({axis == 0 ? c.x + dx : c.x, axis == 0 ? c.y : c.y + dx, c.z + dz});
    }
  }
  return points;
}

Seen look(const DepthScene& scene, const std::vector<ScreenPoint>& points) {
  Seen seen;
  seen.nearest = points.front().depth;
  for (const ScreenPoint& point : points) {
    seen.inside = seen.inside && point.inside;
    if (!point.inside) continue;
    seen.x0 = std::min(seen.x0, point.x);
    seen.x1 = std::max(seen.x1, point.x);
    seen.y0 = std::min(seen.y0, point.y);
    seen.y1 = std::max(seen.y1, point.y);
    if (scene.nearer(point.depth, seen.nearest)) seen.nearest = point.depth;
    if (!(point.x >= 0 && point.x < 1 && point.y >= 0 && point.y < 1)) continue;
    const double texel = scene.base(static_cast<uint32_t>(point.x * scene.size().width),
                                    static_cast<uint32_t>(point.y * scene.size().height));
    seen.visible = seen.visible || !scene.nearer(texel, point.depth);
  }
  return seen;
}

}  // namespace onepass::testing
