// scene.hpp: the objects of the scene: a hall of timber and concrete, a dark library behind it, a garden, a town.
#pragma once

#include <vector>

#include "frame_params.h"

namespace samples::frame {

struct Scene {
  std::vector<Object> objects;  ///< Boxes first, then clusters.
  uint32_t boxes = 0;
  std::vector<vec4> lamps;  ///< Position; luminous intensity in 100 cd.
};

inline constexpr uint32_t kFewestBoxes = 4000;
inline constexpr uint32_t kMostBoxes = 1'000'000;

/// A scene of `boxes` boxes: the building takes some thousands, the town the rest. The same on every machine.
[[nodiscard]] Scene make_scene(uint32_t boxes);

}  // namespace samples::frame
