// reflection_scene.hpp: oracle of reflections: a lit hall with spheres, traced in double precision. The radiance of a
// point does not depend on the viewing direction, so that the screen shows exactly what a reflected ray would see.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "onepass/image.hpp"

namespace onepass::testing {

struct Vec {
  double x = 0, y = 0, z = 0;
  friend Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vec operator*(double s, Vec a) { return {s * a.x, s * a.y, s * a.z}; }
};
double dot(Vec a, Vec b);
Vec cross(Vec a, Vec b);
Vec normalized(Vec a);
double length(Vec a);

struct Material {
  Vec color;
  double roughness = 1;
  double waves = 2;  // of the pattern, per unit
};

/// A sphere; or, with a radius of 0, a plane through `center` with `normal`.
struct Shape {
  Vec center;
  double radius = 0;
  Vec normal{};
  Material material{};
};

struct SceneHit {
  double distance = 0;
  Vec point{}, normal{};
  int shape = -1;
};

struct Scene {
  std::vector<Shape> shapes;
  [[nodiscard]] std::optional<SceneHit> trace(Vec from, Vec direction) const;
  [[nodiscard]] Vec radiance(const SceneHit& hit) const;
};

/// A hall of 6 x 3.5 x 10 units with a floor of this roughness, a rough sphere and a sphere of `sphere_roughness`.
Scene hall(double floor_roughness, double sphere_roughness);

enum class Projection { kReversedInfinite, kStandard, kOrthographicReversed };
inline constexpr Projection kProjections[] = {Projection::kReversedInfinite, Projection::kStandard,
                                              Projection::kOrthographicReversed};

/// A camera in the hall.
struct Camera {
  Camera(Vec eye, Vec at, double width_by_height, Projection projection);

  /// The ray of a coordinate (0 to 1), from the near plane.
  void ray(double u, double v, Vec& from, Vec& direction) const;
  /// Coordinates and depth of a point; w <= 0: behind.
  struct Point {
    double u, v, depth, w;
  };
  [[nodiscard]] Point project(Vec world) const;
  [[nodiscard]] std::array<float, 16> matrix() const;  ///< Clip from world, column-major.
  [[nodiscard]] bool reversed() const { return projection_ != Projection::kStandard; }
  [[nodiscard]] bool orthographic() const { return projection_ == Projection::kOrthographicReversed; }

 private:
  Vec eye_, right_, down_, forward_;
  double x_scale_, y_scale_;
  Projection projection_;
};

/// A camera of each projection, in the hall's middle.
const Camera& usual_camera(Projection projection);

/// What a renderer draws: one value per texel, row by row.
struct Frame {
  Extent size;
  std::vector<float> depth;
  std::vector<std::array<float, 4>> normals;  // normal, roughness
  std::vector<std::array<float, 4>> color;
  std::vector<std::array<float, 2>> motion;  // last position - this position
  std::vector<int> shapes;                   // -1: none
};
/// `last`: the camera and scene of the last frame, for motion vectors.
Frame render(const Scene& scene, const Camera& camera, Extent size, const Scene& last_scene, const Camera& last_camera);
inline Frame render(const Scene& scene, const Camera& camera, Extent size) {
  return render(scene, camera, size, scene, camera);
}

/// What the definition in onepass/reflection.hpp says of a texel, with c = 1 for every point that the camera sees.
struct Expected {
  Vec radiance{};
  double confidence = 0;  // share of the rays whose hit the camera sees
  double distance = 0;    // of the hits that the camera sees, mean
  double u = 0, v = 0;    // where the screen has the last hit that the camera sees
  bool certain = false;   // all rays meet points that are seen, far from any edge on the screen
};
/// By `rays` random directions; one, the mirror's, for roughness up to `mirror`. `fallback`: of rays without an answer.
Expected expect_reflection(const Scene& scene, const Camera& camera, const Frame& frame, uint32_t x, uint32_t y,
                           uint32_t rays, double mirror, Vec fallback);

}  // namespace onepass::testing
