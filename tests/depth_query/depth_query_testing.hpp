// depth_query_testing.hpp: depth scenes with pyramids from the definition of the footprints, and oracles of the queries
// in double precision, texel by texel. Shares no code with the library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onepass/depth_query.hpp"
#include "tests/pyramid/pyramid_oracle.hpp"
#include "tests/pyramid/pyramid_testing.hpp"

namespace onepass::testing {

/// The footprints for which queries give guarantees.
inline constexpr Footprint kQueryFootprints[] = {Footprint::kCovering, Footprint::kTight, Footprint::kEdge};

/// Odd and even sizes, one texel wide or high, and 2^n - 1.
const std::vector<Extent>& query_sizes();

/// A depth buffer and its pyramids of farthest and nearest depths.
class DepthScene {
 public:
  /// Rectangular walls at several depths in front of a far background; some single texels are holes.
  DepthScene(Extent size, Footprint footprint, bool reversed_z, uint32_t seed);

  [[nodiscard]] Extent size() const { return pyramid_.size; }
  [[nodiscard]] const depth_query::DepthPyramid& pyramid() const { return pyramid_; }
  [[nodiscard]] float base(uint32_t x, uint32_t y) const { return nearest_[0][size_t{y} * size().width + x]; }
  [[nodiscard]] const std::vector<std::vector<float>>& farthest_levels() const { return farthest_; }
  [[nodiscard]] const std::vector<std::vector<float>>& nearest_levels() const { return nearest_; }

  /// Loaders for the library; a cell outside its level fails the test.
  [[nodiscard]] float farthest(uint32_t level, depth_query::Texel cell) const { return at(farthest_, level, cell); }
  [[nodiscard]] float nearest(uint32_t level, depth_query::Texel cell) const { return at(nearest_, level, cell); }
  [[nodiscard]] auto load_farthest() const {
    return [this](uint32_t level, depth_query::Texel cell) { return farthest(level, cell); };
  }
  [[nodiscard]] auto load_nearest() const {
    return [this](uint32_t level, depth_query::Texel cell) { return nearest(level, cell); };
  }

  /// Is `a` strictly nearer than `b`?
  [[nodiscard]] bool nearer(double a, double b) const { return pyramid_.reversed_z ? a > b : a < b; }

  /// The farthest (or nearest) base depth of texels [x0, x1) x [y0, y1), not empty.
  [[nodiscard]] float extreme(uint32_t x0, uint32_t x1, uint32_t y0, uint32_t y1, bool farthest) const;

  [[nodiscard]] std::string describe() const;

 private:
  [[nodiscard]] float at(const std::vector<std::vector<float>>& levels, uint32_t level, depth_query::Texel cell) const;
  [[nodiscard]] std::vector<float> reduce(uint32_t level, bool farthest) const;

  depth_query::DepthPyramid pyramid_;
  std::vector<std::vector<float>> farthest_;
  std::vector<std::vector<float>> nearest_;
};

/// Base texels that the exact rectangle [begin, end] of coordinates touches along an axis; empty: begin >= end.
TexelRange touched_texels(float begin, float end, uint32_t size);

/// A random rectangle of any size; some ends lie on cell boundaries of a level or one ULP beside, some off the image.
depth_query::CoordinateRect random_rect(Random& random, Extent size);

/// A perspective or orthographic view, as a projection and as a matrix from view space (y down, z forward) to clip
/// space; both give the same image.
struct View {
  depth_query::Projection projection;
  depth_query::Float4x4 clip_of_view;
};
View random_view(Random& random, bool orthographic, bool reversed_z);

/// A point of view space on the screen, in double: coordinates and depth. `inside`: not in front of the near plane.
struct ScreenPoint {
  double x = 0;
  double y = 0;
  double depth = 0;
  bool inside = false;
};
ScreenPoint on_screen(const depth_query::Float4x4& clip_of_view, bool reversed_z, double x, double y, double z);
ScreenPoint on_screen(const depth_query::Projection& projection, double x, double y, double z);

/// An object in view space: a box, and a sphere around its middle.
struct Object {
  depth_query::Float3 low;
  depth_query::Float3 high;
  depth_query::Float3 center;
  float radius = 0;
};

/// An object on the screen or near its border; some objects cross the near plane.
Object random_object(Random& random, const View& view);

/// The same object in a world that is turned and shifted; `clip_of_view` becomes the matrix from there. The box is one
/// of the same size along the axes of that world.
Object in_rotated_world(Random& random, const Object& object, depth_query::Float4x4& clip_of_view);

/// Points of the surface, including the extreme points of the object's image on the screen.
struct Point {
  double x, y, z;
};
std::vector<Point> box_surface(const Object& object);
std::vector<Point> sphere_surface(const Object& object);

/// Bounds and visibility of an object, from points of its surface.
struct Seen {
  bool inside = true;  ///< No point in front of the near plane.
  double x0 = 1e9, x1 = -1e9, y0 = 1e9, y1 = -1e9;
  double nearest = 0;
  bool visible = false;  ///< Some point is at or in front of the depth of its texel.
};
Seen look(const DepthScene& scene, const std::vector<ScreenPoint>& points);

}  // namespace onepass::testing
