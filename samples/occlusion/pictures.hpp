// pictures.hpp: labelled pictures of a frame and its culling, as PNG files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "onepass/image.hpp"
#include "scene.hpp"

namespace samples::occlusion {

void write_picture(const std::filesystem::path& path, const onepass::Image& picture);

/// The city from above: every box in the colour of its state, and the camera's field of view.
void write_map(const std::filesystem::path& path, const Scene& scene, const Camera& camera,
               const std::vector<uint32_t>& states);

/// Four levels of the pyramid, scaled to the same size. `levels[n]` is level n + 1.
void write_pyramid(const std::filesystem::path& path, const std::vector<onepass::Image>& levels);

/// The region in which two frames differ: cut out of both, and the differences.
void write_wrong(const std::filesystem::path& path, const onepass::Image& all, const onepass::Image& culled,
                 const std::string& footprint);

/// The whole frame in grey, wrong pixels in red.
void write_difference(const std::filesystem::path& path, const onepass::Image& all, const onepass::Image& culled);

}  // namespace samples::occlusion
