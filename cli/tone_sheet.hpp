// tone_sheet.hpp: draws one image with several exposures or operators side by side.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "canvas.hpp"
#include "onepass/result.hpp"

namespace onepass::cli {

/// A picture and its caption.
struct ToneCell {
  Pixels picture;
  std::string label;
  std::string remark;  ///< Grey, after the label.
  bool chosen = false;
};

/// The size at which a picture of `size` is drawn on a sheet with `count` pictures.
[[nodiscard]] Extent tone_cell_size(Extent size, size_t count);

/// Draws the cells in rows and writes them as PNG. Errors: those of files::write_png.
[[nodiscard]] Result<void> write_tone_sheet(const std::filesystem::path& path, const std::string& title,
                                            const std::string& details, const std::vector<ToneCell>& cells);

}  // namespace onepass::cli
