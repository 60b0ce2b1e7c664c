// sheet.hpp: contact sheets, which show all levels of a pyramid in one picture.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "canvas.hpp"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass::cli {

/// Text of the sheet, and how the texels are to be interpreted (see PixelSemantics).
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

/// Draws the levels and writes them as PNG: the base large (reduced if it is very large), coarser levels beside it, the
/// smallest magnified so that their texels are visible, each with its size below.
[[nodiscard]] Result<void> write_sheet(const std::filesystem::path& path, std::span<const ImageView> levels,
                                       const SheetText& text);

}  // namespace onepass::cli
