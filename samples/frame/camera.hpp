// camera.hpp: the camera's path from the dark room through the hall into the garden, and the camera of the sun.
#pragma once

#include "frame_params.h"
#include "onepass/image.hpp"

namespace samples::frame {

/// Distance between the eyes of a stereo pair, metres.
inline constexpr float kEyeDistance = 0.064F;

/// The eye at a time from 0 to 1, moved to the right by `aside` metres, for images with the aspect ratio of `size`.
[[nodiscard]] Eye eye_at(float time, onepass::Extent size, float aside);

/// Orthographic: the building and the near garden, seen from the sun; depth 0 is near.
[[nodiscard]] mat4 sun_of_world();

}  // namespace samples::frame
