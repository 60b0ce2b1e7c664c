// reflection_scene.hpp: the scene of the benchmarks of reflections, as images and as a function of rays: a yard with a
// floor of roughness 0.3, walls of 0.5, spheres of 0.1, mirrors and matte ones, and a background.
//
// The radiance of a point does not depend on the direction that it is seen from, so that a mirror shows what the image
// has elsewhere. The camera looks along -z; it is in two places by turns, as in a view that moves slowly.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "onepass/image.hpp"

namespace onepass::bench {

struct Vec {
  double x = 0, y = 0, z = 0;
  friend Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vec operator*(double s, Vec a) { return {s * a.x, s * a.y, s * a.z}; }
};
[[nodiscard]] double dot(Vec a, Vec b);
[[nodiscard]] Vec normalized(Vec a);

struct SceneHit {
  double distance = 0;
  Vec point{}, normal{};
  size_t shape = 0;
};

/// The first point of the scene along a ray.
[[nodiscard]] std::optional<SceneHit> trace(Vec from, Vec direction);
[[nodiscard]] Vec radiance(const SceneHit& hit);
[[nodiscard]] float roughness(const SceneHit& hit);

/// Perspective with reversed depth and no far plane; the axes of the view are those of the world.
class SceneCamera {
 public:
  /// `place`: 0 or 1.
  SceneCamera(Extent size, uint32_t place);

  [[nodiscard]] Vec eye() const { return eye_; }
  /// From the eye; coordinates of 0 to 1.
  [[nodiscard]] Vec direction(double u, double v) const;
  struct Point {
    double u, v, depth, w;  // w <= 0: behind the eye
  };
  [[nodiscard]] Point project(Vec world) const;

  /// Column-major. Clip space has y down, depth 1 near.
  [[nodiscard]] std::array<float, 16> clip_from_world() const;
  [[nodiscard]] std::array<float, 16> world_from_clip() const;
  [[nodiscard]] std::array<float, 16> clip_from_view() const;
  [[nodiscard]] std::array<float, 16> view_from_clip() const;
  [[nodiscard]] std::array<float, 16> view_from_world() const;
  [[nodiscard]] std::array<float, 16> world_from_view() const;

 private:
  Vec eye_;
  double x_scale_, y_scale_;
};

/// What a renderer draws.
struct SceneImages {
  Image color;    ///< RGBA16F: radiance, 1.
  Image depth;    ///< R32F; 0: background.
  Image normals;  ///< RGBA16F: normal in the world, roughness.
  Image motion;   ///< RG16F: position in the view of the other place - this position.
};
[[nodiscard]] Result<SceneImages> render(Extent size, uint32_t place);

inline constexpr Format kSceneColor = Format::kRGBA16Sfloat;
inline constexpr Format kSceneDepth = Format::kR32Sfloat;
inline constexpr Format kSceneNormals = Format::kRGBA16Sfloat;
inline constexpr Format kSceneMotion = Format::kRG16Sfloat;

}  // namespace onepass::bench
