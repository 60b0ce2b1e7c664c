// sheet.cpp: the steps of a frame side by side: depth with equal steps for equal ratios of distance, light through a
// tone map, objects from above by their state.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>

#include "camera.hpp"
#include "pictures.hpp"
#include "readback.hpp"
#include "steps.hpp"

namespace samples::frame {
namespace {

constexpr Rgb kPaper{250, 249, 246};
constexpr Rgb kInk{60, 58, 54};
constexpr uint32_t kTile = 472;
constexpr uint32_t kGap = 8;
constexpr uint32_t kColumns = 3;

constexpr std::array<std::pair<Shown, const char*>, 6> kSurfaceTiles{
    {{Shown::kRoughness, "roughness, blue: no rays"},
     {Shown::kSurfaces, "light of the surfaces"},
     {Shown::kRays, "one ray per texel"},
     {Shown::kReflections, "the same, filtered, 24 frames"},
     {Shown::kConfidence, "its confidence"},
     {Shown::kReflected, "with reflections"}}};

struct Tile {
  std::string name;
  Pixels picture;
};

const float* row_of(const onepass::Image& image, uint32_t y) {
  return reinterpret_cast<const float*>(image.view().row(y));
}

// Channel `channel` of an image of reversed depths: equal ratios of distance become equal steps, from pale to dark.
Pixels show_depth(const onepass::Image& image, uint32_t channels, uint32_t channel) {
  constexpr float kNearest = 1;
  constexpr float kFarthest = 200;
  constexpr float kNearPlane = 0.1F;
  constexpr std::array<std::array<float, 3>, 4> kScale{{{255, 244, 205}, {240, 140, 84}, {140, 50, 118}, {16, 17, 50}}};
  Pixels pixels(image.size(), {});
  for (uint32_t y = 0; y < pixels.size.height; ++y) {
    for (uint32_t x = 0; x < pixels.size.width; ++x) {
      const float depth = std::max(row_of(image, y)[channels * x + channel], 1e-7F);
      const float place = std::log(kNearPlane / depth / kNearest) / std::log(kFarthest / kNearest);
      const float at = std::clamp(place, 0.0F, 1.0F) * (kScale.size() - 1);
      const auto below = std::min(static_cast<size_t>(at), kScale.size() - 2);
      const float t = at - static_cast<float>(below);
      const auto mix = [&](size_t c) {
        return static_cast<uint8_t>(kScale[below][c] + t * (kScale[below + 1][c] - kScale[below][c]));
      };
      pixels.at(x, y) = {mix(0), mix(1), mix(2)};
    }
  }
  return pixels;
}

// Objects from above, z to the right, by their state.
Pixels show_map(const Scene& scene, const std::vector<uint32_t>& states, const Eye& eye, onepass::Extent size) {
  constexpr float kLeft = -30;
  constexpr float kRight = 130;
  constexpr std::array<Rgb, 5> kStates{
      {{222, 220, 214}, {226, 120, 110}, {38, 104, 190}, {250, 170, 0}, {130, 90, 200}}};
  Pixels pixels(size, {240, 239, 234});
  const float scale = static_cast<float>(size.width) / (kRight - kLeft);
  const auto middle = static_cast<float>(size.height) / 2;
  const auto to_x = [&](float z) { return static_cast<uint32_t>(std::max((z - kLeft) * scale, 0.0F)); };
  const auto to_y = [&](float x) { return static_cast<uint32_t>(std::max(middle - x * scale, 0.0F)); };
  for (const uint32_t state : {STATE_OUTSIDE, STATE_HIDDEN, STATE_EARLY_HIDDEN, STATE_LATE, STATE_EARLY}) {
    for (size_t i = 0; i < states.size(); ++i) {
      const Object& object = scene.objects[i];
      if (states[i] != state || object.high_x - object.low_x > 30 || object.low_y > 4.3F) continue;
      const uint32_t left = to_x(object.low_z);
      const uint32_t top = to_y(object.high_x);
      fill(pixels, {left, top, std::max(to_x(object.high_z) - left, 1U), std::max(to_y(object.low_x) - top, 1U)},
           kStates[state]);
    }
  }
  const uint32_t x = to_x(eye.origin[2]);
  const uint32_t y = to_y(eye.origin[0]);
  fill(pixels, {x - 3, y - 3, 7, 7}, {10, 10, 10});
  return pixels;
}

void write_tiles(const std::filesystem::path& path, const std::vector<Tile>& tiles, onepass::Extent size) {
  const uint32_t height = kTile * size.height / size.width;
  const uint32_t pitch = height + kTextHeight + 2 * kGap;
  const auto rows = (static_cast<uint32_t>(tiles.size()) + kColumns - 1) / kColumns;
  Pixels sheet({kColumns * (kTile + kGap) + kGap, rows * pitch + kGap}, kPaper);
  for (uint32_t i = 0; i < tiles.size(); ++i) {
    const uint32_t x = kGap + i % kColumns * (kTile + kGap);
    const uint32_t y = kGap + i / kColumns * pitch;
    draw_scaled(sheet, tiles[i].picture, {x, y, kTile, height});
    draw_text(sheet, x, y + height + kGap / 2, tiles[i].name, kInk);
  }
  write_pixels(path, sheet);
}

}  // namespace

void write_sheet(const std::filesystem::path& path, Gpu& gpu, FrameLoop& loop, const Scene& scene,
                 const Moment& moment) {
  constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;
  constexpr uint32_t kLevel = 4;
  const Targets& targets = loop.targets();
  const onepass::Extent size = targets.size;
  const auto agx = onepass::ToneOperator::kAgxBlender;
  std::vector<Tile> tiles;
  const float exposure = draw_settled(loop, moment, false).meter.exposure;
  const Moment still{.time = moment.time, .cut = false};
  const auto level = [&](const FramePyramid& pyramid, uint32_t n) {
    return read_image(gpu, pyramid.image(), kGeneral, 0, n - 1);
  };
  tiles.push_back({"depth", show_depth(read_image(gpu, targets.depth, kDepthRead), 1, 0)});
  tiles.push_back(
      {"hi z, farthest, level " + std::to_string(kLevel), show_depth(level(loop.pyramids().farthest, kLevel), 1, 0)});
  tiles.push_back(
      {"hi z, nearest, level " + std::to_string(kLevel), show_depth(level(loop.pyramids().min_max, kLevel), 2, 1)});
  tiles.push_back({"from above: blue drawn, red culled",
                   show_map(scene, read_states(gpu, loop.culling()), eye_at(moment.time, size, 0), size)});
  for (const auto& [step, name] : kSurfaceTiles) tiles.push_back({name, show_step(gpu, loop, step, exposure)});
  const onepass::Image scene_light = read_image(gpu, targets.scene, kGeneral);
  tiles.push_back({"with fog and particles", show_light(scene_light, exposure, agx)});
  tiles.push_back({"exposure only", show_light(scene_light, exposure, onepass::ToneOperator::kExposure)});
  const auto picture = [&] { return read_picture(gpu, loop); };
  const auto first_eye = [&](const Pixels& both) {
    Pixels pixels(size, {});
    for (uint32_t y = 0; y < size.height; ++y) std::copy_n(&both.at(0, y), size.width, &pixels.at(0, y));
    return pixels;
  };
  tiles.push_back({"bloom, tone map", first_eye(picture())});
  loop.draw(still, {.local_exposure = true});
  tiles.push_back({"the same with local exposure", first_eye(picture())});
  loop.draw(still, {.reflect = Reflect::kNone, .particles = false, .fog = false, .bloom = false});
  tiles.push_back({"no reflections, fog, particles, bloom", first_eye(picture())});
  write_tiles(path, tiles, size);
}

}  // namespace samples::frame
