// light.hpp: the light that arrives along a ray from sky, sea, surfaces and reflections.
#pragma once

#include <optional>

#include "scene/terrace.hpp"

namespace onepass::cli::scene {

/// Unit vector towards the centre of the sun.
[[nodiscard]] Vec3 sun_direction();

/// How sky() shows the sun.
enum class Sun : uint8_t {
  kDisc,    ///< The disc.
  kSmooth,  ///< A smooth lobe, for reflections in ripples.
  kHidden,  ///< No sun: its light is added at each surface instead.
};

[[nodiscard]] Vec3 sky(Vec3 direction, Sun sun);

/// A point on a solid shape.
struct Surface {
  Vec3 position;
  Vec3 normal;
  uint32_t material = 0;
};

/// The first object along a ray, before any light is computed.
struct Sight {
  float distance = 0;  ///< Metres; infinite for the sky.
  uint32_t shape = UINT32_MAX;
  bool water = false;
  Surface surface;  ///< Of solids only.
  [[nodiscard]] bool solid() const { return shape != UINT32_MAX; }
};

[[nodiscard]] Sight look(const Terrace& terrace, const Ray& ray);

/// Light from the sky and from other surfaces that arrives at `surface`, divided by pi. Traces `count` rays over the
/// hemisphere; `seed` selects their rotation.
[[nodiscard]] Vec3 gather(const Terrace& terrace, const Surface& surface, uint32_t count, uint32_t seed);

/// Number of rays that sample the sun for its shadows.
enum class Shadow : uint8_t {
  kSoft,    ///< Rays to the whole disc where a few test rays disagree.
  kOneRay,  ///< One; the rays of a pixel aim at different parts of the disc and are averaged.
  kSharp,   ///< One, to the centre.
};

/// Most rays of one pixel: seeds n * kRaysPerPixel to n * kRaysPerPixel + kRaysPerPixel - 1 belong to the same pixel.
inline constexpr uint32_t kRaysPerPixel = 5;

/// Radiance along the ray from `sight`, which look() found. `ambient`: gather() at that point; empty: an estimate is
/// used.
[[nodiscard]] Vec3 radiance(const Terrace& terrace, const Ray& ray, const Sight& sight, Shadow shadow, uint32_t seed,
                            std::optional<Vec3> ambient);

}  // namespace onepass::cli::scene
