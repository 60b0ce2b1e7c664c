// readback.hpp: copies images and buffers of a frame to the host.
#pragma once

#include <vector>

#include "common/gpu.hpp"
#include "frame.hpp"
#include "onepass/image.hpp"

namespace samples::frame {

/// Level `level` of one layer, with its depth as kR32Sfloat. `layout`: that of the image, before and after.
[[nodiscard]] onepass::Image read_image(Gpu& gpu, const Image& image, VkImageLayout layout, uint32_t layer = 0,
                                        uint32_t level = 0);

/// The state of each object after the last frame: STATE_*.
[[nodiscard]] std::vector<uint32_t> read_states(Gpu& gpu, const Culling& culling);

}  // namespace samples::frame
