// sheet.cpp: layout and drawing of a contact sheet.
//
//     title                                             near [scale] far
//     details
//     +---------------------------+  +-------------+
//     |                           |  |   level 1   |
//     |         level 0           |  +-------------+
//     |                           |  +---+ +---+ +---+
//     |                           |  | 2 | | 3 | | 4 |
//     +---------------------------+  +---+ +---+ +---+ ...
//
// Levels from 2 on are in cells of one size. The number of cells per row is chosen so that the right side is about as
// tall as the left. For wide images the coarser levels are below the base instead of beside it.
#include "sheet.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "canvas.hpp"
#include "onepass/files.hpp"
#include "picture.hpp"

namespace onepass::cli {
namespace {

constexpr Rgb kFrame{46, 48, 53};
constexpr uint32_t kMostWidth = 1280;
constexpr uint32_t kMostHeight = 960;

// Position and available area of one level.
struct Place {
  uint32_t x = 0;
  uint32_t y = 0;
  Extent box;
};

// The largest size of the same shape that fits into `box`; never larger than the source, never 0.
Extent fit(Extent source, Extent box) {
  const double scale =
      std::min({1.0, static_cast<double>(box.width) / source.width, static_cast<double>(box.height) / source.height});
  const auto scaled = [scale](uint32_t n) { return std::max(1U, static_cast<uint32_t>(std::lround(n * scale))); };
  return {scaled(source.width), scaled(source.height)};
}

// Size of a level in a box: reduced to fit, at 1 to 3 times its size, or as large as fits if 4 times would fit.
Extent drawn_size(Extent source, Extent box) {
  if (source.width > box.width || source.height > box.height) return fit(source, box);
  const uint32_t whole = std::min(box.width / source.width, box.height / source.height);
  if (whole < 4) return {source.width * whole, source.height * whole};
  const double scale =
      std::min(static_cast<double>(box.width) / source.width, static_cast<double>(box.height) / source.height);
  return {static_cast<uint32_t>(source.width * scale), static_cast<uint32_t>(source.height * scale)};
}

struct Layout {
  std::vector<Place> places;
  Extent size;
};

// Places cells from level `first` on in rows of `columns`; (x, y) is the upper left corner. Returns the height used.
uint32_t place_cells(std::vector<Place>& places, size_t first, size_t count, uint32_t columns, Extent cell, uint32_t x,
                     uint32_t y) {
  uint32_t used = 0;
  for (size_t i = first; i < count; ++i) {
    const auto index = static_cast<uint32_t>(i - first);
    const uint32_t row = index / columns;
    places.push_back({x + index % columns * (cell.width + kGap), y + row * (cell.height + kCaption), cell});
    used = (row + 1) * (cell.height + kCaption);
  }
  return used;
}

// Width of the right side at which it is as tall as the base, with `columns` cells per row.
double width_beside(Extent base, size_t count, uint32_t columns) {
  const double shape = static_cast<double>(base.height) / base.width;
  const double rows = std::ceil((static_cast<double>(count) - 2) / columns);
  const double gaps = rows * shape * (columns - 1) * kGap / columns;
  return (base.height - rows * kCaption + gaps) / (shape * (1 + rows / columns));
}

Layout beside(Extent base, size_t count) {
  Layout layout;
  layout.places.push_back({kMargin, kHeader, base});
  uint32_t right = kMargin + base.width;
  uint32_t bottom = kHeader + base.height + kCaption;
  if (count > 1) {
    uint32_t columns = 2;
    const auto badness = [&](uint32_t n) {
      const bool lonely = count > 3 && (count - 2) % n == 1;  // a last row of one cell
      return std::abs(width_beside(base, count, n) - 0.48 * base.width) + (lonely ? 0.08 * base.width : 0);
    };
    for (uint32_t n = 3; n <= 4; ++n) {
      if (badness(n) < badness(columns)) columns = n;
    }
    // For tall images the cells are wider than the levels in them, because captions need the width.
    const double fitting = width_beside(base, count, columns);
    const auto width = static_cast<uint32_t>(std::max(fitting, 96.0 * columns));
    const auto rows = static_cast<uint32_t>((std::max<size_t>(count, 3) - 2 + columns - 1) / columns);
    const auto height = [&](uint32_t w, uint32_t share) {
      const uint64_t whole = uint64_t{w} * base.height / base.width;
      const uint64_t most = width > fitting ? base.height / share : whole;
      return static_cast<uint32_t>(std::max<uint64_t>(8, std::min(whole, most)));
    };
    const uint32_t first = height(width, 2);
    const uint32_t x = right + kGap;
    const uint32_t y = kHeader + first + kCaption;
    layout.places.push_back({x, kHeader, {width, first}});
    const uint32_t w = (width - (columns - 1) * kGap) / columns;
    bottom = std::max(bottom, y + place_cells(layout.places, 2, count, columns, {w, height(w, 2 * rows)}, x, y));
    right = x + width;
  }
  layout.size = {right + kMargin, bottom + kMargin - 12};
  return layout;
}

Layout below(Extent base, size_t count) {
  Layout layout;
  layout.places.push_back({kMargin, kHeader, base});
  const uint32_t width = std::max(base.width, 640U);
  constexpr uint32_t kColumns = 4;
  const uint32_t w = (width - (kColumns - 1) * kGap) / kColumns;
  const Extent cell{w, std::max(24U, static_cast<uint32_t>(uint64_t{w} * base.height / base.width))};
  const uint32_t y = kHeader + base.height + kCaption;
  const uint32_t used = place_cells(layout.places, 1, count, kColumns, cell, kMargin, y);
  layout.size = {kMargin + width + kMargin, y + used + kMargin - 8};
  return layout;
}

std::string caption(size_t level, Extent size, Extent shown, Extent drawn, size_t room) {
  std::string text = fmt::format("{}  {}x{}", level, size.width, size.height);
  const double scale = static_cast<double>(drawn.width) / shown.width;
  const std::string how = scale < 1   ? fmt::format("  at {:.0f}%", 100 * scale)
                          : scale > 1 ? fmt::format("  x{:.3g}", scale)
                                      : "";
  return text.size() + how.size() <= room ? text + how : text;
}

void draw_level(Pixels& sheet, const Viewer& viewer, const ImageView& level, size_t index, const Place& place) {
  const Pixels shown = viewer.show(level);
  const Extent drawn = drawn_size(shown.size, place.box);
  fill(sheet, {place.x - 1, place.y - 1, drawn.width + 2, drawn.height + 2}, kFrame);
  const bool reduced = drawn.width < shown.size.width || drawn.height < shown.size.height;
  blit(sheet, reduced ? shrink(shown, drawn) : shown, {place.x, place.y, drawn.width, drawn.height});
  const uint32_t scale = place.box.width >= 130 ? 2 : 1;
  const size_t room = (place.box.width + kGap - 3 * kTextAdvance) / (kTextAdvance * scale);
  const std::string text = caption(index, level.size, shown.size, drawn, room);
  draw_text(sheet, place.x, place.y + drawn.height + 7, text, scale, kText);
}

// "near 0.5 [scale] 1 far", right-aligned.
void draw_scale(Pixels& sheet, const Viewer& viewer) {
  constexpr uint32_t kWidth = 200;
  constexpr uint32_t kHeight = 18;
  constexpr uint32_t kScale = 2;
  const std::string near = fmt::format("near {:.5g}", viewer.nearest());
  const std::string far = fmt::format("{:.5g} far", viewer.farthest());
  const uint32_t needed = kWidth + text_width(near, kScale) + text_width(far, kScale) + 24;
  if (sheet.size.width < 2 * kMargin + needed + 300) return;
  uint32_t x = sheet.size.width - kMargin - needed;
  constexpr uint32_t kTop = kMargin - 2;
  draw_text(sheet, x, kTop + 2, near, kScale, kText);
  x += text_width(near, kScale) + 12;
  for (uint32_t i = 0; i < kWidth; ++i) {
    fill(sheet, {x + i, kTop, 1, kHeight}, Viewer::depth_colour(static_cast<float>(i) / (kWidth - 1)));
  }
  draw_text(sheet, x + kWidth + 12, kTop + 2, far, kScale, kText);
}

std::string cut(const std::string& text, size_t most) {
  if (text.size() <= most) return text;
  return most < 4 ? text.substr(0, most) : text.substr(0, most - 3) + "...";
}

}  // namespace

Result<void> write_pixels(const std::filesystem::path& path, const Pixels& pixels) {
  auto image = Image::create(Format::kRGBA8Srgb, pixels.size);
  if (!image) return image.error();
  for (uint32_t y = 0; y < pixels.size.height; ++y) {
    std::byte* row = image->view().row(y);
    for (uint32_t x = 0; x < pixels.size.width; ++x) {
      const Rgb& c = pixels.at(x, y);
      const std::array<uint8_t, 4> code{c.r, c.g, c.b, 255};
      std::copy_n(reinterpret_cast<const std::byte*>(code.data()), 4, row + size_t{4} * x);
    }
  }
  return files::write_png(path, image->view(), {.effort = 6});
}

Result<void> write_sheet(const std::filesystem::path& path, std::span<const ImageView> levels, const SheetText& text) {
  const Viewer viewer(
      levels.front(),
      {.depth = text.depth, .reversed = text.reversed, .two_depths = text.depth && text.min_max, .data = text.data});
  const Extent shown = viewer.shown_size(levels.front());
  Extent base = fit(shown, {kMostWidth, kMostHeight});
  if (base.width < 320 && base.height < 320) base = drawn_size(shown, {480, 480});
  const bool wide = base.width > 3 * base.height;
  const Layout layout = wide ? below(base, levels.size()) : beside(base, levels.size());

  Pixels sheet(layout.size, kBackground);
  const uint32_t room = layout.size.width - 2 * kMargin;
  draw_text(sheet, kMargin, kMargin - 6, cut(text.title, std::min<size_t>(room / (3 * kTextAdvance) / 2, 40)), 3,
            kTitle);
  std::string details = fmt::format("{}  {} levels", text.details, levels.size());
  if (const std::string remark = viewer.remark(); !remark.empty()) details += "  " + remark;
  const uint32_t scale = text_width(details, 2) <= room ? 2 : 1;
  draw_text(sheet, kMargin, kMargin + 32, cut(details, room / (scale * kTextAdvance)), scale, kText);
  if (text.depth) draw_scale(sheet, viewer);
  for (size_t i = 0; i < levels.size(); ++i) draw_level(sheet, viewer, levels[i], i, layout.places[i]);

  return write_pixels(path, sheet);
}

}  // namespace onepass::cli
