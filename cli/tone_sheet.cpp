// tone_sheet.cpp: layout and drawing of tone sheets.
#include "tone_sheet.hpp"

#include <algorithm>
#include <cmath>

#include "sheet.hpp"

namespace onepass::cli {
namespace {

constexpr Rgb kChosen{240, 200, 110};
constexpr uint32_t kLeastCell = 300;  // wide enough for the longest label
constexpr double kCellArea = 150000;
constexpr uint32_t kMostCell = 1600;  // texels per side

// Number of columns for a sheet of about 3 : 2; a count that leaves fewer cells empty may be preferred.
uint32_t columns_of(Extent cell, size_t count) {
  const double shape = 1.5 * (cell.height + kCaption) / (std::max(cell.width, kLeastCell) + kGap);
  const double ideal = std::sqrt(static_cast<double>(count) * shape);
  uint32_t best = 1;
  double least = 1e9;
  for (uint32_t columns = 1; columns <= count; ++columns) {
    const auto empty = static_cast<double>((columns - count % columns) % columns);
    const double badness = std::fabs(std::log(columns / ideal)) + 0.6 * empty / static_cast<double>(count);
    if (badness < least) best = columns;
    least = std::min(least, badness);
  }
  return best;
}

}  // namespace

Extent tone_cell_size(Extent size, size_t count) {
  const double area = count <= 4 ? 2 * kCellArea : kCellArea;
  const double scale = std::sqrt(area / (double{1} * size.width * size.height));
  // Small pictures are drawn at their own size, or magnified by a whole number.
  if (scale >= 1) {
    const uint32_t longest = std::max(size.width, size.height);
    const auto factor = std::clamp(std::min(16U, static_cast<uint32_t>(scale)), 1U, std::max(1U, kMostCell / longest));
    return {std::min(size.width * factor, kMostCell), std::min(size.height * factor, kMostCell)};
  }
  const auto scaled = [&](uint32_t n) {
    return std::clamp(static_cast<uint32_t>(std::lround(n * scale)), 1U, kMostCell);
  };
  return {scaled(size.width), scaled(size.height)};
}

Result<void> write_tone_sheet(const std::filesystem::path& path, const std::string& title, const std::string& details,
                              const std::vector<ToneCell>& cells) {
  const Extent cell = cells.front().picture.size;
  const uint32_t columns = columns_of(cell, cells.size());
  const auto rows = (static_cast<uint32_t>(cells.size()) + columns - 1) / columns;
  const uint32_t step_x = std::max(cell.width, kLeastCell) + kGap;
  const uint32_t step_y = cell.height + kCaption;
  const uint32_t needed = std::max(text_width(details, 2), text_width(title, 3));
  Pixels sheet(
      {std::max(2 * kMargin + columns * step_x - kGap, 2 * kMargin + needed), kHeader + rows * step_y + kMargin / 2},
      kBackground);
  draw_text(sheet, kMargin, kMargin - 6, title, 3, kTitle);
  draw_text(sheet, kMargin, kMargin + 32, details, 2, kText);
  for (size_t i = 0; i < cells.size(); ++i) {
    const auto index = static_cast<uint32_t>(i);
    const uint32_t x = kMargin + index % columns * step_x, y = kHeader + index / columns * step_y;
    const ToneCell& c = cells[i];
    if (c.chosen) fill(sheet, {x - 3, y - 3, cell.width + 6, cell.height + 6}, kChosen);
    blit(sheet, c.picture, {x, y, cell.width, cell.height});
    draw_text(sheet, x, y + cell.height + 9, c.label, 2, c.chosen ? kChosen : kTitle);
    draw_text(sheet, x + text_width(c.label, 2) + 2 * kTextAdvance, y + cell.height + 9, c.remark, 2, kText);
  }
  return write_pixels(path, sheet);
}

}  // namespace onepass::cli
