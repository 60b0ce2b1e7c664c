// terrace.hpp: the sample scene: a terrace above the sea at sunset, with a stack of blocks that halve in size.
#pragma once

#include <vector>

#include "scene/world.hpp"

namespace onepass::cli::scene {

/// A small sphere that lights its surroundings.
struct Lamp {
  Vec3 centre;
  float radius = 0;
  Vec3 radiance;
};

/// The whole scene.
struct Terrace {
  World world;
  std::vector<Lamp> lamps;
  float water_height = -1.4F;  ///< Metres; the terrace is at 0.
};

[[nodiscard]] Terrace make_terrace();

}  // namespace onepass::cli::scene
