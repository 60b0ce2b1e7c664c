// pictures.cpp: single frames, and the plot of metered and adapted exposures below six frames of a sequence.
#include "pictures.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "onepass/files.hpp"
#include "onepass/pyramid.hpp"
#include "readback.hpp"

namespace samples::frame {
namespace {

constexpr Rgb kPaper{250, 249, 246};
constexpr Rgb kInk{60, 58, 54};
constexpr Rgb kRule{214, 210, 202};
constexpr Rgb kMetered{214, 132, 46};
constexpr Rgb kAdapted{38, 84, 150};

Pixels side_by_side(const std::vector<onepass::Image>& eyes) {
  const onepass::Extent size = eyes.front().size();
  Pixels pixels({size.width * static_cast<uint32_t>(eyes.size()), size.height}, {});
  for (uint32_t eye = 0; eye < eyes.size(); ++eye) {
    std::vector<float> row(size_t{4} * size.width);
    for (uint32_t y = 0; y < size.height; ++y) {
      onepass::decode_row(eyes[eye].format(), eyes[eye].view().row(y), size.width, row.data());
      for (uint32_t x = 0; x < size.width; ++x) {
        const auto code = [&](size_t c) { return static_cast<uint8_t>(std::lround(row[4 * x + c] * 255)); };
        pixels.at(eye * size.width + x, y) = {code(0), code(1), code(2)};
      }
    }
  }
  return pixels;
}

onepass::Image to_image(const Pixels& pixels) {
  onepass::Image image = value_of(onepass::Image::create(onepass::Format::kRGBA8Srgb, pixels.size));
  for (size_t i = 0; i < pixels.texels.size(); ++i) {
    auto* code = reinterpret_cast<uint8_t*>(image.data()) + 4 * i;
    code[0] = pixels.texels[i].r;
    code[1] = pixels.texels[i].g;
    code[2] = pixels.texels[i].b;
    code[3] = 255;
  }
  return image;
}

void write_image(const std::filesystem::path& path, const onepass::ImageView& image) {
  if (path.extension() == ".jpg") {
    check(onepass::files::write_jpeg(path, image, {.quality = 86, .progressive = true}));
  } else {
    check(onepass::files::write_png(path, image, {.effort = 6}));
  }
}

// A vertical bar per column, so that lines have no gaps.
void draw_curve(Pixels& target, onepass::Rect area, const std::vector<Exposed>& sequence, float Exposed::*value,
                float low, float high, Rgb colour) {
  const float last = std::max(sequence.back().seconds, 1e-6F);
  float before = -1;
  for (uint32_t x = 0; x < area.width; ++x) {
    const float seconds = last * static_cast<float>(x) / static_cast<float>(area.width - 1);
    size_t next = 1;
    while (next + 1 < sequence.size() && sequence[next].seconds < seconds) ++next;
    const Exposed& a = sequence[next - 1];
    const Exposed& b = sequence[next];
    const float t = std::clamp((seconds - a.seconds) / std::max(b.seconds - a.seconds, 1e-6F), 0.0F, 1.0F);
    const float ev = a.*value + t * (b.*value - a.*value);
    const float y = static_cast<float>(area.y) + static_cast<float>(area.height) * (high - ev) / (high - low);
    const float top = before < 0 ? y : std::min(y, before);
    const float bottom = before < 0 ? y : std::max(y, before);
    fill(target, {area.x + x, static_cast<uint32_t>(top) - 1, 2, static_cast<uint32_t>(bottom - top) + 3}, colour);
    before = y;
  }
}

}  // namespace

Pixels read_picture(Gpu& gpu, const FrameLoop& loop) {
  std::vector<onepass::Image> eyes;
  for (uint32_t eye = 0; eye < loop.targets().eyes; ++eye) {
    eyes.push_back(read_image(gpu, loop.display().picture(), VK_IMAGE_LAYOUT_GENERAL, eye));
  }
  return side_by_side(eyes);
}

void write_pixels(const std::filesystem::path& path, const Pixels& pixels) {
  write_image(path, to_image(pixels).view());
}

void write_frame(const std::filesystem::path& path, Gpu& gpu, const FrameLoop& loop, const Options& options) {
  if (options.output_transfer == Output::kPq) {
    const onepass::Image image = read_image(gpu, loop.display().picture(), VK_IMAGE_LAYOUT_GENERAL);
    check(onepass::files::write_png(path, image.view(), {.bits = 16, .effort = 6, .code_points = {9, 16}}));
    return;
  }
  const onepass::Image whole = to_image(read_picture(gpu, loop));
  if (options.reduce == 1) return write_image(path, whole.view());
  const uint32_t level = options.reduce == 2 ? 1 : 2;
  auto pyramid = value_of(onepass::cpu::Pyramid::create(
      {.size = whole.size(), .levels = level + 1, .source = whole.format(), .target = whole.format()}));
  std::vector<onepass::Image> levels;
  std::vector<onepass::MutableImageView> views;
  for (uint32_t n = 1; n <= level; ++n) {
    levels.push_back(value_of(onepass::Image::create(whole.format(), onepass::level_size(whole.size(), n))));
    views.push_back(levels.back().view());
  }
  check(pyramid.build(whole.view(), views));
  write_image(path, levels.back().view());
}

void write_exposures(const std::filesystem::path& path, const std::vector<Exposed>& sequence) {
  constexpr uint32_t kPictures = 6;
  constexpr uint32_t kWidth = 1200;
  constexpr uint32_t kGap = 4;
  constexpr uint32_t kPlot = 190;
  const onepass::Extent size = sequence.front().picture.size;
  const uint32_t width = (kWidth - (kPictures - 1) * kGap) / kPictures;
  const uint32_t height = width * size.height / size.width;
  Pixels sheet({kWidth, height + kPlot + 2 * kTextHeight + 24}, kPaper);
  for (uint32_t i = 0; i < kPictures; ++i) {
    const size_t at = (sequence.size() - 1) * i / (kPictures - 1);
    draw_scaled(sheet, sequence[at].picture, {i * (width + kGap), 0, width, height});
  }
  float low = 100;
  float high = -100;
  for (const Exposed& moment : sequence) {
    low = std::min({low, moment.metered_ev, moment.adapted_ev});
    high = std::max({high, moment.metered_ev, moment.adapted_ev});
  }
  low = std::floor(low - 0.5F);
  high = std::ceil(high + 0.5F);
  const onepass::Rect area{44, height + kTextHeight + 14, kWidth - 54, kPlot};
  const auto step = static_cast<int>(std::max(1.0F, std::ceil((high - low) / 6)));
  for (int ev = static_cast<int>(low); ev <= static_cast<int>(high); ev += step) {
    const auto y = area.y + static_cast<uint32_t>(static_cast<float>(area.height) * (high - static_cast<float>(ev)) /
                                                  (high - low));
    fill(sheet, {area.x, y, area.width, 1}, kRule);
    if (ev >= 0) draw_text(sheet, 8, y - kTextHeight / 2, std::to_string(ev), kInk);
  }
  draw_curve(sheet, area, sequence, &Exposed::metered_ev, low, high, kMetered);
  draw_curve(sheet, area, sequence, &Exposed::adapted_ev, low, high, kAdapted);
  draw_text(sheet, area.x + 8, height + 8, "ev100 of the scene", kMetered);
  draw_text(sheet, area.x + 260, height + 8, "ev100 of the exposure, which adapts", kAdapted);
  const auto seconds = static_cast<int>(std::lround(sequence.back().seconds));
  draw_text(sheet, kWidth - 190, sheet.size.height - kTextHeight - 2, "time: 0 to " + std::to_string(seconds) + " s",
            kInk);
  write_pixels(path, sheet);
}

}  // namespace samples::frame
