// sheet.hpp: contact sheets, which show all levels of a pyramid in one picture.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "canvas.hpp"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass::cli {

/// The look of all sheets: colours, and lengths in pixels.
inline constexpr Rgb kBackground{24, 25, 28};
inline constexpr Rgb kTitle{240, 240, 236};
inline constexpr Rgb kText{158, 160, 166};
inline constexpr uint32_t kMargin = 28;
inline constexpr uint32_t kGap = 20;
inline constexpr uint32_t kCaption = 36;  ///< Below each picture.
inline constexpr uint32_t kHeader = 98;   ///< Title and details.

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
