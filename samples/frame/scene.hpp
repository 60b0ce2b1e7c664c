// scene.hpp: the objects of the scene: a hall of timber and concrete, a dark library behind it, a garden, a town.
#pragma once

#include <vector>

#include "frame_params.h"

namespace samples::frame {

/// A ball of metal. It swings about its place.
struct Ball {
  vec4 place;    ///< w: radius.
  vec4 reach{};  ///< Farthest way from the place; w: duration of a swing in seconds, 0 at rest.
  vec4 metal{};  ///< Reflectance at normal incidence.
};

struct Scene {
  std::vector<Object> objects;  ///< Boxes first, then clusters, then balls.
  uint32_t boxes = 0;
  std::vector<Ball> balls;  ///< Objects have their places at 0 seconds.
  std::vector<vec4> lamps;  ///< Position; luminous intensity in 100 cd.
};

/// Position and radius at a time in seconds.
[[nodiscard]] vec4 ball_at(const Ball& ball, float seconds);

inline constexpr uint32_t kFewestBoxes = 4000;
inline constexpr uint32_t kMostBoxes = 1'000'000;

/// A scene of `boxes` boxes: the building takes some thousands, the town the rest. The same on every machine.
[[nodiscard]] Scene make_scene(uint32_t boxes);

}  // namespace samples::frame
