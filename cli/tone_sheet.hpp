// tone_sheet.hpp: one image with several exposures or operators, side by side.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "canvas.hpp"
#include "onepass/result.hpp"

namespace onepass::cli {

/// A picture and what is written below it.
struct ToneCell {
  Pixels picture;
  std::string label;
  std::string remark;  ///< Smaller, behind the label.
  bool chosen = false;
};

/// The size that a picture of `size` is drawn in on a sheet of `count`.
[[nodiscard]] Extent tone_cell_size(Extent size, size_t count);

/// Draws the cells in rows and writes them as PNG. Errors: those of files::write_png.
[[nodiscard]] Result<void> write_tone_sheet(const std::filesystem::path& path, const std::string& title,
                                            const std::string& details, const std::vector<ToneCell>& cells);

}  // namespace onepass::cli
