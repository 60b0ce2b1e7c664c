// pictures.hpp: writes the drawn images as PNG files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "renderer.hpp"

namespace samples::particles {

/// Creates a folder and its parents if they do not exist.
void make_folder(const std::filesystem::path& folder);

/// Writes into the folder options.output:
///     depth.png       distance of the scene, near is bright
///     tiles.png       the nearest depth of each tile, at the tile's size in texels
///     particles.png   the particles over the scene
///     full_reads.png  the share of a texel's particles that read the depth buffer with DepthTest::kTileFirst
/// Returns the files.
std::vector<std::filesystem::path> write_pictures(const Renderer& renderer, const Options& options,
                                                  const std::vector<uint32_t>& image,
                                                  const std::vector<TexelCounts>& counts);

}  // namespace samples::particles
