// pictures.hpp: what was drawn, as PNG files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "renderer.hpp"

namespace onepass::particles {

/// Makes a folder and those above it, where they are not there yet. Errors: kIo.
Result<void> make_folder(const std::filesystem::path& folder);

/// Writes into the folder options.output:
///     depth.png       distance of the scene, near is bright
///     tiles.png       the tiles of nearest depths, each as large as the texels it stands for
///     particles.png   the particles over the scene
///     full_reads.png  the share of a texel's particles that read the depth buffer when tiles are asked first
/// Returns the files. Errors: kIo, kOutOfMemory, kDevice.
Result<std::vector<std::filesystem::path>> write_pictures(const Renderer& renderer, const Options& options,
                                                          const std::vector<uint32_t>& image,
                                                          const std::vector<TexelCounts>& counts);

}  // namespace onepass::particles
