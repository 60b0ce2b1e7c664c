// render.hpp: renders the sample scene to linear colour and device depth.
#pragma once

#include <atomic>
#include <cstdint>

#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass::cli::scene {

/// The camera's depth range in metres. Depth is that of a Vulkan or Direct3D perspective projection: 0 at kNear, 1 at
/// kFar and where no surface was hit: z = kFar / (kFar - kNear) * (1 - kNear / distance along the view direction).
inline constexpr float kNear = 0.5F;
inline constexpr float kFar = 1000;

/// The rendered pixels.
struct Picture {
  Image colour;  ///< RGBA32Sfloat: linear light, Rec. 709 primaries, alpha 1.
  Image depth;   ///< R32Sfloat, at the pixel centres.
};

/// Renders the scene; the pixels are the same for any number of threads (0: usable_threads()). `progress` counts up
/// to 1000 meanwhile.
[[nodiscard]] Result<Picture> render(Extent size, uint32_t threads, std::atomic<uint32_t>& progress);

}  // namespace onepass::cli::scene
