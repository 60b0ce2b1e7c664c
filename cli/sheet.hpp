// sheet.hpp: contact sheets: all levels of a pyramid on one picture.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "canvas.hpp"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass::cli {

/// What the sheet says, and how the texels are to be read.
struct SheetText {
  std::string title;
  std::string details;
  bool depth = false;
  bool reversed = false;
  bool min_max = false;
  bool data = false;
};

/// Writes a picture as PNG. Errors: those of files::write_png.
[[nodiscard]] Result<void> write_pixels(const std::filesystem::path& path, const Pixels& pixels);

/// Draws the levels and writes them as PNG: the base large, coarser levels beside it, the smallest magnified so that
/// their texels can be seen, each with its size below. A large base is shown reduced.
[[nodiscard]] Result<void> write_sheet(const std::filesystem::path& path, std::span<const ImageView> levels,
                                       const SheetText& text);

}  // namespace onepass::cli
