// texture_sheet.hpp: a picture of all textures of a set, each beside a heat map of its errors.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "onepass/result.hpp"
#include "texture_job.hpp"

namespace onepass::cli {

/// The size at which a texture is drawn, and its heat map.
[[nodiscard]] Extent sheet_size(Extent texture);

/// "PSNR 48.1 dB, largest error 6", "error 0.12 degrees, largest 1.9": means.
[[nodiscard]] std::string error_text(const TextureError& error);

/// Draws the sheet and writes it as PNG. Errors: those of files::write_png.
[[nodiscard]] Result<void> write_texture_sheet(const std::filesystem::path& path, const std::string& title,
                                               std::span<const MadeTexture> textures);

}  // namespace onepass::cli
