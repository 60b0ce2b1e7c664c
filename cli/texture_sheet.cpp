// texture_sheet.cpp: layout of the sheet of textures.
//
//     title
//     +-----------+ +-----------+    +-----------+ +-----------+
//     |  texture  | |  errors   |    |  texture  | |  errors   |
//     +-----------+ +-----------+    +-----------+ +-----------+
//     base  format, size             normal  format, size
//     errors            0 [scale] end
#include "texture_sheet.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "console.hpp"
#include "sheet.hpp"

namespace onepass::cli {
namespace {

constexpr uint32_t kSide = 384;      // of a picture
constexpr uint32_t kLines = 58;      // below a picture
constexpr uint32_t kColumnGap = 40;  // between textures
constexpr uint32_t kScaleWidth = 120;
constexpr uint32_t kScaleHeight = 14;
constexpr uint32_t kCellWidth = 2 * kSide + kGap;

std::string scale_text(TexelMeaning meaning) {
  const char* const units[] = {"of 255", "degrees", "stops"};
  return fmt::format("{:g} {}", scale_end(meaning), units[static_cast<size_t>(meaning)]);
}

void draw_texture(Pixels& sheet, const MadeTexture& texture, uint32_t x, uint32_t y, uint32_t height) {
  const Extent size = texture.picture.size;
  blit(sheet, texture.picture, {x, y, size.width, size.height});
  const uint32_t right = x + kSide + kGap;
  blit(sheet, texture.error.heat, {right, y, size.width, size.height});
  const uint32_t below = y + height + 8;
  draw_text(sheet, x, below, role_word(texture.role), 2, kTitle);
  draw_text(sheet, x + 120, below, fmt::format("{} {}", texture.format, size_text(texture.size)), 2, kText);
  draw_text(sheet, x, below + 24, error_text(texture.error), 2, kText);
  const std::string end = scale_text(texture.error.meaning);
  uint32_t at = x + kCellWidth - text_width(end, 2) - kScaleWidth - 12;
  for (uint32_t i = 0; i < kScaleWidth; ++i) {
    fill(sheet, {at + i, below + 26, 1, kScaleHeight}, heat_colour(static_cast<double>(i) / (kScaleWidth - 1)));
  }
  at += kScaleWidth + 12;
  draw_text(sheet, at, below + 24, end, 2, kText);
  draw_text(sheet, at - kScaleWidth - 12 - text_width("error 0 ", 2), below + 24, "error 0", 2, kText);
}

}  // namespace

Extent sheet_size(Extent texture) {
  const uint32_t longest = std::max(texture.width, texture.height);
  if (longest <= kSide) return texture;
  const auto fitted = [&](uint32_t n) {
    return std::max(1U, static_cast<uint32_t>(std::lround(double{static_cast<double>(n)} * kSide / longest)));
  };
  return {fitted(texture.width), fitted(texture.height)};
}

std::string error_text(const TextureError& error) {
  switch (error.meaning) {
    case TexelMeaning::kCodes:
      return error.mean == 0 ? "no error"
                             : fmt::format("PSNR {:.1f} dB, largest error {:.0f}", psnr(error), error.largest);
    case TexelMeaning::kNormals:
      return fmt::format("error {:.2f} degrees, largest {:.1f}", error.mean, error.largest);
    case TexelMeaning::kLight:
      return fmt::format("error {:.4f} stops, largest {:.2f}", error.mean, error.largest);
  }
  return "";
}

Result<void> write_texture_sheet(const std::filesystem::path& path, const std::string& title,
                                 std::span<const MadeTexture> textures) {
  const auto columns = static_cast<uint32_t>(std::min<size_t>(textures.size(), 2));
  std::vector<uint32_t> heights;  // of the rows' pictures
  for (size_t i = 0; i < textures.size(); i += columns) {
    uint32_t height = 1;
    for (size_t j = i; j < std::min<size_t>(i + columns, textures.size()); ++j) {
      height = std::max(height, textures[j].picture.size.height);
    }
    heights.push_back(height);
  }
  uint32_t bottom = kMargin + 48;
  for (const uint32_t height : heights) bottom += height + kLines + kGap;
  Pixels sheet({2 * kMargin + columns * kCellWidth + (columns - 1) * kColumnGap, bottom}, kBackground);
  draw_text(sheet, kMargin, kMargin - 6, std::string_view(title).substr(0, 60), 3, kTitle);
  uint32_t y = kMargin + 40;
  for (size_t row = 0; row < heights.size(); ++row) {
    for (size_t i = row * columns; i < std::min<size_t>((row + 1) * columns, textures.size()); ++i) {
      const auto column = static_cast<uint32_t>(i % columns);
      draw_texture(sheet, textures[i], kMargin + column * (kCellWidth + kColumnGap), y, heights[row]);
    }
    y += heights[row] + kLines + kGap;
  }
  return write_pixels(path, sheet);
}

}  // namespace onepass::cli
