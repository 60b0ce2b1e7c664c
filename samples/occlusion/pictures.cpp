// pictures.cpp: a map of the boxes by state, seen from above; levels of the pyramid, coloured by rank of depth; an
// enlarged part of both frames with their wrong pixels.
#include "pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "common/canvas.hpp"
#include "common/gpu.hpp"
#include "onepass/files.hpp"

namespace samples::occlusion {
namespace {

using onepass::Extent;
using onepass::Rect;
using onepass::depth_query::Float2;

constexpr Rgb kPaper{250, 250, 248};
constexpr Rgb kInk{30, 30, 34};
constexpr Rgb kWrong{230, 20, 60};
constexpr uint32_t kWidth = 960;  // of map, pyramid and wrong
constexpr uint32_t kLine = kTextHeight + 12;

Pixels to_pixels(const onepass::Image& image) {
  Pixels pixels(image.size(), kInk);
  for (size_t i = 0; i < pixels.texels.size(); ++i) {
    const auto* code = reinterpret_cast<const uint8_t*>(image.data()) + 4 * i;
    pixels.texels[i] = {code[0], code[1], code[2]};
  }
  return pixels;
}

void write_pixels(const std::filesystem::path& path, const Pixels& pixels) {
  onepass::Image image = value_of(onepass::Image::create(onepass::Format::kRGBA8Srgb, pixels.size));
  for (size_t i = 0; i < pixels.texels.size(); ++i) {
    auto* code = reinterpret_cast<uint8_t*>(image.data()) + 4 * i;
    code[0] = pixels.texels[i].r;
    code[1] = pixels.texels[i].g;
    code[2] = pixels.texels[i].b;
    code[3] = 255;
  }
  write_picture(path, image);
}

// ---- The map: z to the right, x upwards, so that the camera's right is down in the picture.

struct Map {
  float left, top;  // z and x of the upper left corner
  float scale;      // pixels per metre
  uint32_t offset;  // rows above the map
  [[nodiscard]] Float2 at(float x, float z) const {
    return {(z - left) * scale, (top - x) * scale + static_cast<float>(offset)};
  }
};

void draw_line(Pixels& target, Float2 from, Float2 to, uint32_t top, Rgb colour) {
  const auto steps = static_cast<uint32_t>(std::max(std::abs(to.x - from.x), std::abs(to.y - from.y)));
  for (uint32_t i = 0; i < steps; ++i) {
    const float along = static_cast<float>(i) / static_cast<float>(steps);
    const float x = from.x + (to.x - from.x) * along;
    const float y = from.y + (to.y - from.y) * along;
    if (x < 0 || y < static_cast<float>(top)) continue;
    fill(target, {static_cast<uint32_t>(x), static_cast<uint32_t>(y), 2, 2}, colour);
  }
}

struct Kind {
  const char* name;
  Rgb colour;
};
constexpr std::array<Kind, 5> kKinds{{{"outside the view", {214, 214, 210}},
                                      {"hidden: not drawn", {226, 120, 110}},
                                      {"drawn in phase 1", {38, 104, 190}},
                                      {"drawn in phase 2", {250, 170, 0}},
                                      {"phase 1, then hidden", {130, 90, 200}}}};

void draw_legend(Pixels& target, const std::vector<uint32_t>& states) {
  constexpr std::array<uint32_t, 5> kOrder{STATE_EARLY, STATE_LATE, STATE_HIDDEN, STATE_EARLY_HIDDEN, STATE_OUTSIDE};
  uint32_t column = 0;
  for (const uint32_t state : kOrder) {
    const uint32_t x = 10 + column % 3 * 316;
    const uint32_t y = 8 + column / 3 * kLine;
    fill(target, {x, y, 16, 16}, kKinds[state].colour);
    const auto count = std::count(states.begin(), states.end(), state);
    draw_text(target, x + 22, y, std::to_string(count) + " " + kKinds[state].name, kInk);
    ++column;
  }
}

// ---- Depth

// Pale yellow, red, violet, dark blue, from near to far. Brightness falls evenly, for grey prints.
Rgb depth_colour(float place) {
  constexpr std::array<Rgb, 9> kScale{{{255, 250, 214},
                                       {254, 219, 140},
                                       {252, 176, 90},
                                       {240, 122, 80},
                                       {213, 80, 96},
                                       {165, 55, 116},
                                       {113, 43, 122},
                                       {62, 34, 101},
                                       {17, 18, 52}}};
  const float scaled = std::clamp(place, 0.0F, 1.0F) * (kScale.size() - 1);
  const auto index = std::min(static_cast<size_t>(scaled), kScale.size() - 2);
  const float t = scaled - static_cast<float>(index);
  const auto mix = [t](uint8_t a, uint8_t b) {
    return static_cast<uint8_t>(static_cast<float>(a) + t * (static_cast<float>(b) - static_cast<float>(a)) + 0.5F);
  };
  const Rgb& a = kScale[index];
  const Rgb& b = kScale[index + 1];
  return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b)};
}

const float* depth_row(const onepass::Image& level, uint32_t y) {
  return reinterpret_cast<const float*>(level.view().row(y));
}

// Colours reversed depths by rank: equal parts of the colour scale hold equally many different depths of `finest`.
class DepthColours {
 public:
  explicit DepthColours(const onepass::Image& finest) {
    constexpr uint64_t kMostSamples = 1U << 18;
    const Extent size = finest.size();
    const double texels = static_cast<double>(size.width) * size.height;
    const auto step = static_cast<uint32_t>(std::sqrt(texels / kMostSamples)) + 1;
    for (uint32_t y = 0; y < size.height; y += step) {
      for (uint32_t x = 0; x < size.width; x += step) depths_.push_back(depth_row(finest, y)[x]);
    }
    std::sort(depths_.begin(), depths_.end());
    depths_.erase(std::unique(depths_.begin(), depths_.end()), depths_.end());
  }

  [[nodiscard]] Pixels show(const onepass::Image& level) const {
    Pixels pixels(level.size(), {});
    for (uint32_t y = 0; y < pixels.size.height; ++y) {
      for (uint32_t x = 0; x < pixels.size.width; ++x) pixels.at(x, y) = depth_colour(1 - rank(depth_row(level, y)[x]));
    }
    return pixels;
  }

 private:
  [[nodiscard]] float rank(float depth) const {
    if (depths_.size() < 2) return 0.5F;
    const auto at = std::lower_bound(depths_.begin(), depths_.end(), depth) - depths_.begin();
    return std::min(1.0F, static_cast<float>(at) / static_cast<float>(depths_.size() - 1));
  }

  std::vector<float> depths_;  // distinct, ascending
};

// ---- Differences

// The frame in pale grey, wrong pixels in red.
Pixels difference(const Pixels& all, const Pixels& culled) {
  Pixels result = all;
  for (size_t i = 0; i < all.texels.size(); ++i) {
    const Rgb& c = all.texels[i];
    const auto gray = static_cast<uint8_t>(110 + (c.r * 3 + c.g * 5 + c.b * 2) / 10 / 2);
    result.texels[i] = c == culled.texels[i] ? Rgb{gray, gray, gray} : kWrong;
  }
  return result;
}

// Bounding box of all wrong pixels.
Rect wrong_rect(const Pixels& all, const Pixels& culled) {
  uint32_t left = all.size.width, top = all.size.height, right = 0, bottom = 0;
  for (uint32_t y = 0; y < all.size.height; ++y) {
    for (uint32_t x = 0; x < all.size.width; ++x) {
      if (all.at(x, y) == culled.at(x, y)) continue;
      left = std::min(left, x);
      top = std::min(top, y);
      right = std::max(right, x + 1);
      bottom = std::max(bottom, y + 1);
    }
  }
  return {left, top, right - left, bottom - top};
}

Pixels cut(const Pixels& source, Rect rect) {
  Pixels result({rect.width, rect.height}, kPaper);
  for (uint32_t y = 0; y < rect.height; ++y) {
    for (uint32_t x = 0; x < rect.width; ++x) result.at(x, y) = source.at(rect.x + x, rect.y + y);
  }
  return result;
}

// A rectangle with the aspect ratio width : height around `inner`, inside the image.
Rect around(const Rect& inner, Extent image, uint32_t width, uint32_t height) {
  const float shape = static_cast<float>(width) / static_cast<float>(height);
  float h = std::max({static_cast<float>(inner.height) * 1.3F, static_cast<float>(inner.width) * 1.3F / shape,
                      static_cast<float>(image.height) / 3});
  h = std::min({h, static_cast<float>(image.height), static_cast<float>(image.width) / shape});
  const auto rows = static_cast<uint32_t>(h);
  const auto columns = std::min(static_cast<uint32_t>(h * shape), image.width);
  const auto place = [](uint32_t begin, uint32_t length, uint32_t wanted, uint32_t limit) {
    const uint32_t middle = begin + length / 2;
    return std::min(middle - std::min(middle, wanted / 2), limit - wanted);
  };
  return {place(inner.x, inner.width, columns, image.width), place(inner.y, inner.height, rows, image.height), columns,
          rows};
}

}  // namespace

void write_picture(const std::filesystem::path& path, const onepass::Image& picture) {
  check(onepass::files::write_png(path, picture.view(), {.effort = 7}));
}

void write_map(const std::filesystem::path& path, const Scene& scene, const Camera& camera,
               const std::vector<uint32_t>& states) {
  constexpr uint32_t kHeight = 600;
  constexpr uint32_t kLegend = 2 * kLine + 8;
  constexpr float kBehind = 40;
  const float shown = std::min(scene.extent * 0.9F, 330.0F);
  const Map map{camera.eye.z - std::min(kBehind, shown * 0.15F), camera.eye.x + shown * kHeight / kWidth / 2,
                static_cast<float>(kWidth) / shown, kLegend};
  Pixels picture({kWidth, kLegend + kHeight}, kPaper);
  for (size_t i = 1; i < scene.boxes.size(); ++i) {  // 0 is the ground
    const Box& box = scene.boxes[i];
    const Float2 from = map.at(box.high_x, box.low_z);
    const Float2 to = map.at(box.low_x, box.high_z);
    if (to.x < 0 || to.y < static_cast<float>(kLegend)) continue;
    const auto x = static_cast<uint32_t>(std::max(from.x, 0.0F));
    const auto y = static_cast<uint32_t>(std::max(from.y, static_cast<float>(kLegend)));
    fill(picture, {x, y, std::max(1U, static_cast<uint32_t>(to.x) - x), std::max(1U, static_cast<uint32_t>(to.y) - y)},
         kKinds[std::min<size_t>(states[i], kKinds.size() - 1)].colour);
  }
  const float sine = std::sin(camera.yaw);
  const float cosine = std::cos(camera.yaw);
  const Float2 eye = map.at(camera.eye.x, camera.eye.z);
  for (const float side : {-camera.half_width, camera.half_width}) {
    const float far = 2 * shown;
    const float x = camera.eye.x + far * (sine - side * cosine);
    const float z = camera.eye.z + far * (cosine + side * sine);
    draw_line(picture, eye, map.at(x, z), kLegend, kInk);
  }
  fill(picture, {static_cast<uint32_t>(eye.x) - 5, static_cast<uint32_t>(eye.y) - 5, 12, 12}, kInk);
  draw_legend(picture, states);
  write_pixels(path, picture);
}

void write_pyramid(const std::filesystem::path& path, const std::vector<onepass::Image>& levels) {
  constexpr uint32_t kGap = 4;
  const DepthColours colours(levels.front());
  const Extent base = levels.front().size();
  const uint32_t width = (kWidth - kGap) / 2;
  const uint32_t height = width * base.height / base.width;
  Pixels picture({kWidth, 2 * (height + kLine)}, kPaper);
  for (uint32_t i = 0; i < 4; ++i) {
    const auto level = std::min(2 * i, static_cast<uint32_t>(levels.size()) - 1);
    const Pixels shown = colours.show(levels[level]);
    const uint32_t x = i % 2 * (width + kGap);
    const uint32_t y = i / 2 * (height + kLine);
    draw_scaled(picture, shown, {x, y + kLine, width, height});
    draw_text(picture, x + 6, y + 8,
              "level " + std::to_string(level + 1) + ": " + std::to_string(shown.size.width) + "x" +
                  std::to_string(shown.size.height),
              kInk);
  }
  write_pixels(path, picture);
}

void write_wrong(const std::filesystem::path& path, const onepass::Image& all, const onepass::Image& culled,
                 const std::string& footprint) {
  constexpr uint32_t kGap = 6;
  constexpr uint32_t kPanel = (kWidth - 2 * kGap) / 3;
  constexpr uint32_t kHeight = 380;
  const Pixels frames[3] = {to_pixels(all), to_pixels(culled), difference(to_pixels(all), to_pixels(culled))};
  const auto wrong = std::count(frames[2].texels.begin(), frames[2].texels.end(), kWrong);
  const std::string names[3] = {"all boxes drawn", "culled: " + footprint, std::to_string(wrong) + " wrong pixels"};
  const Rect rect = around(wrong_rect(frames[0], frames[1]), frames[0].size, kPanel, kHeight);
  Pixels picture({kWidth, kHeight + kLine}, kPaper);
  for (uint32_t i = 0; i < 3; ++i) {
    const uint32_t x = i * (kPanel + kGap);
    const Pixels part = cut(frames[i], rect);
    draw_scaled(picture, part, {x, kLine, kPanel, kHeight});
    draw_text(picture, x + 6, 8, names[i], i == 2 ? kWrong : kInk);
  }
  write_pixels(path, picture);
}

void write_difference(const std::filesystem::path& path, const onepass::Image& all, const onepass::Image& culled) {
  write_pixels(path, difference(to_pixels(all), to_pixels(culled)));
}

}  // namespace samples::occlusion
