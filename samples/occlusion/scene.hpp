// scene.hpp: a city of boxes, and a camera that moves through it.
//
//     +--------+    +--------+     blocks of one building each, streets between them full of crates; along the street
//     |        | :: |        |     that the camera takes, panels with slits between them. Metres, y up.
//     |building| :: |building|
//     |        | :: |        |     No two boxes touch, so that no pixel depends on the order in which they are drawn.
//     +--------+    +--------+
//      :: :: ::  ^   :: :: ::      crates
//                camera
#pragma once

#include <cstdint>
#include <vector>

#include "occlusion_params.h"
#include "onepass/image.hpp"

namespace samples::occlusion {

struct Camera {
  onepass::depth_query::Float3 eye;
  float yaw = 0;         ///< Radians; 0 looks along +z, positive turns to +x.
  float half_width = 1;  ///< Tangent of half the horizontal field of view.
  mat4 clip_of_world;    ///< Reversed depth, no far plane.
};

struct Scene {
  std::vector<Box> boxes;
  float extent = 0;  ///< Side length of the city in metres; its centre is the origin.

  /// The camera at a time from 0 to 1, for images with the aspect ratio of `size`.
  [[nodiscard]] Camera camera(double time, onepass::Extent size) const;
};

inline constexpr uint32_t kFewestBoxes = 500;
inline constexpr uint32_t kMostBoxes = 2'000'000;

/// A city of exactly `count` boxes, the same on every machine.
Scene make_scene(uint32_t count);

}  // namespace samples::occlusion
