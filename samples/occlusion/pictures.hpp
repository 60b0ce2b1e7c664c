// pictures.hpp: what happened in a frame, as PNG files that explain themselves.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "onepass/image.hpp"
#include "scene.hpp"

namespace occlusion {

void write_picture(const std::filesystem::path& path, const onepass::Image& picture);

/// The city from above: every box in the colour of what became of it, and what the camera sees.
void write_map(const std::filesystem::path& path, const Scene& scene, const Camera& camera,
               const std::vector<uint32_t>& states);

/// Four levels of the pyramid, magnified to the same size. `levels[n]` is level n + 1.
void write_pyramid(const std::filesystem::path& path, const std::vector<onepass::Image>& levels);

/// Where two frames differ: both, cut out, and the differences.
void write_wrong(const std::filesystem::path& path, const onepass::Image& all, const onepass::Image& culled,
                 const std::string& footprint);

/// The whole frame in gray, wrong pixels in red.
void write_difference(const std::filesystem::path& path, const onepass::Image& all, const onepass::Image& culled);

}  // namespace occlusion
