// light.hpp: what a ray brings back: sky, sea, surfaces, reflections.
#pragma once

#include <optional>

#include "scene/terrace.hpp"

namespace onepass::cli::scene {

/// Towards the middle of the sun.
[[nodiscard]] Vec3 sun_direction();

/// How the sky shows the sun.
enum class Sun : uint8_t {
  kDisc,    ///< As it is.
  kSmooth,  ///< Smeared out: for reflections in ripples.
  kHidden,  ///< Without: its light is added where it falls, surface by surface.
};

[[nodiscard]] Vec3 sky(Vec3 direction, Sun sun);

/// A point on something solid.
struct Surface {
  Vec3 position;
  Vec3 normal;
  uint32_t material = 0;
};

/// What the camera sees along a ray before any light is computed.
struct Sight {
  float distance = 0;  ///< Metres; infinite for the sky.
  uint32_t shape = UINT32_MAX;
  bool water = false;
  Surface surface;  ///< Of solids.
  [[nodiscard]] bool solid() const { return shape != UINT32_MAX; }
};

[[nodiscard]] Sight look(const Terrace& terrace, const Ray& ray);

/// Light from the sky and from other surfaces that arrives at `surface`, divided by pi: `count` rays over the
/// hemisphere, scrambled by `seed`.
[[nodiscard]] Vec3 gather(const Terrace& terrace, const Surface& surface, uint32_t count, uint32_t seed);

/// How much is spent on the edge of the sun's shadows.
enum class Shadow : uint8_t {
  kSoft,    ///< Rays to all parts of the disc, where they disagree.
  kOneRay,  ///< One, to another part of the disc for each ray of a pixel: for their average.
  kSharp,   ///< One to the middle.
};

/// The most rays of one pixel: seeds n * kRaysPerPixel to n * kRaysPerPixel + kRaysPerPixel - 1 belong together.
inline constexpr uint32_t kRaysPerPixel = 5;

/// Light along the ray to what `look` found. `ambient` is what gather() gives there; without it an estimate is used.
[[nodiscard]] Vec3 radiance(const Terrace& terrace, const Ray& ray, const Sight& sight, Shadow shadow, uint32_t seed,
                            std::optional<Vec3> ambient);

}  // namespace onepass::cli::scene
