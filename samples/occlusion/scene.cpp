// scene.cpp: places buildings, panels and crates by a random generator with a fixed seed, so that a number of boxes
// gives the same city on every machine.
#include "scene.hpp"

#include <algorithm>
#include <cmath>

namespace samples::occlusion {
namespace {

using onepass::depth_query::Float3;

constexpr float kPitch = 36;            // from street to street, metres
constexpr float kStreet = 12;           // width
constexpr float kPlace = 3;             // crates stand in squares of this size
constexpr uint32_t kCratesABlock = 60;  // of 80 places
constexpr float kAboveGround = 0.02F;
constexpr float kPi = 3.14159265F;

// M. O'Neill's PCG hash: the same numbers on every machine.
class Random {
 public:
  uint32_t bits() {
    state_ = state_ * 747796405U + 2891336453U;
    const uint32_t word = ((state_ >> ((state_ >> 28U) + 4U)) ^ state_) * 277803737U;
    return (word >> 22U) ^ word;
  }
  float between(float low, float high) { return low + (high - low) * static_cast<float>(bits() >> 8U) * 0x1p-24F; }
  uint32_t below(uint32_t count) { return static_cast<uint32_t>(uint64_t{bits()} * count >> 32U); }

 private:
  uint32_t state_ = 20200101;
};

uint32_t rgb(float r, float g, float b) {
  const auto code = [](float v) { return static_cast<uint32_t>(std::lround(std::clamp(v, 0.0F, 1.0F) * 255)); };
  return code(r) << 16U | code(g) << 8U | code(b);
}

// A saturated colour of hue `h`, 0 to 1.
uint32_t hue(float h, float value) {
  const auto channel = [&](float shift) {
    return value * (0.25F + 0.75F * std::clamp(std::abs(std::fmod(h + shift, 1.0F) * 6 - 3) - 1, 0.0F, 1.0F));
  };
  return rgb(channel(0), channel(2.0F / 3), channel(1.0F / 3));
}

Box box(Float3 low, Float3 high, uint32_t colour) { return {low.x, low.y, low.z, colour, high.x, high.y, high.z, 0}; }

struct Place {
  float x, z;  // centre
};

// The squares for crates: all squares of streets, except those in the middle of the camera's street.
std::vector<Place> crate_places(uint32_t blocks) {
  std::vector<Place> places;
  const uint32_t squares = static_cast<uint32_t>(kPitch / kPlace);
  const uint32_t margin = static_cast<uint32_t>(kStreet / 2 / kPlace);
  const auto built = [&](uint32_t i) { return i % squares >= margin && i % squares < squares - margin; };
  const float half = static_cast<float>(blocks) * kPitch / 2;
  for (uint32_t j = 0; j < blocks * squares; ++j) {
    for (uint32_t i = 0; i < blocks * squares; ++i) {
      if (built(i) && built(j)) continue;
      const Place place{(static_cast<float>(i) + 0.5F) * kPlace - half, (static_cast<float>(j) + 0.5F) * kPlace - half};
      if (std::abs(place.x) > kPlace) places.push_back(place);
    }
  }
  return places;
}

void add_buildings(Scene& scene, uint32_t blocks, Random& random) {
  for (uint32_t j = 0; j < blocks; ++j) {
    for (uint32_t i = 0; i < blocks; ++i) {
      const float x = (static_cast<float>(i) + 0.5F) * kPitch - scene.extent / 2;
      const float z = (static_cast<float>(j) + 0.5F) * kPitch - scene.extent / 2;
      const float half_x = random.between(9, 12);
      const float half_z = random.between(9, 12);
      const float height = random.between(8, 22) + (random.below(6) == 0 ? 20.0F : 0.0F);
      const float tone = random.between(0.55F, 0.85F);
      const float warmth = random.between(-0.08F, 0.10F);
      scene.boxes.push_back(box({x - half_x, kAboveGround, z - half_z}, {x + half_x, height, z + half_z},
                                rgb(tone + warmth, tone, tone - warmth) | BOX_HAS_WINDOWS));
    }
  }
}

// Panels along the camera's street, at each block on one of its sides, alternately.
void add_panels(Scene& scene, uint32_t blocks, Random& random) {
  for (uint32_t j = 0; j < blocks; ++j) {
    for (uint32_t i = 0; i < static_cast<uint32_t>(kPitch / kPlace); ++i) {
      for (const float side : {-1.0F, 1.0F}) {
        if ((j + (side > 0 ? 1 : 0)) % 2 == 0) continue;
        const float z = static_cast<float>(j) * kPitch - scene.extent / 2 + (static_cast<float>(i) + 0.5F) * kPlace;
        const float half = random.between(0.9F, 1.3F);
        const float x0 = side > 0 ? 2.55F : -2.85F;
        scene.boxes.push_back(box({x0, kAboveGround, z - half}, {x0 + 0.3F, random.between(2.8F, 3.6F), z + half},
                                  rgb(0.36F, 0.42F, 0.50F)));
      }
    }
  }
}

void add_crates(Scene& scene, uint32_t blocks, uint32_t total, Random& random) {
  std::vector<Place> places = crate_places(blocks);
  for (uint32_t taken = 0; scene.boxes.size() < total; ++taken) {
    const uint32_t left = static_cast<uint32_t>(places.size()) - taken;
    std::swap(places[taken], places[taken + random.below(left)]);
    const Place& place = places[taken];
    const float half = random.between(0.25F, 0.95F);
    const float room = kPlace / 2 - 0.1F - half;
    const float x = place.x + random.between(-room, room);
    const float z = place.z + random.between(-room, room);
    const float height = half * random.between(1, 3);
    scene.boxes.push_back(box({x - half, kAboveGround, z - half}, {x + half, kAboveGround + height, z + half},
                              hue(random.between(0, 1), random.between(0.7F, 1))));
  }
}

}  // namespace

Scene make_scene(uint32_t count) {
  Scene scene;
  Random random;
  // Even, so that the middle of the city is a crossing.
  uint32_t blocks = 2;
  while (blocks * blocks * kCratesABlock < count) blocks += 2;
  scene.extent = static_cast<float>(blocks) * kPitch;
  const float ground = scene.extent / 2 + kPitch;
  scene.boxes.reserve(count);
  scene.boxes.push_back(box({-ground, -1, -ground}, {ground, 0, ground}, rgb(0.47F, 0.50F, 0.45F)));
  add_buildings(scene, blocks, random);
  add_panels(scene, blocks, random);
  add_crates(scene, blocks, count, random);
  return scene;
}

Camera Scene::camera(double time, onepass::Extent size) const {
  constexpr float kNear = 0.1F;
  const auto t = static_cast<float>(time);
  Camera camera;
  camera.eye = {1.2F * std::sin(t * 7), 2.3F + 1.2F * t, -0.22F * extent + t * std::min(60.0F, 0.4F * extent)};
  camera.yaw = 0.75F * std::sin(t * 3 * kPi);
  camera.half_width = 0.9F;
  const float x_scale = 1 / camera.half_width;
  const float y_scale = x_scale * static_cast<float>(size.width) / static_cast<float>(size.height);
  const float sine = std::sin(camera.yaw);
  const float cosine = std::cos(camera.yaw);
  // Rows of the view matrix: right, down, forward. Looking along +z with y up, +x is to the left; so right is -x.
  const Float3 rows[3] = {{-cosine, 0, sine}, {0, -1, 0}, {sine, 0, cosine}};
  const auto along = [&](const Float3& axis) {
    return -(axis.x * camera.eye.x + axis.y * camera.eye.y + axis.z * camera.eye.z);
  };
  auto& m = camera.clip_of_world.columns;
  for (uint32_t c = 0; c < 3; ++c) {
    const auto part = [&](const Float3& axis) { return c == 0 ? axis.x : c == 1 ? axis.y : axis.z; };
    m[c] = {x_scale * part(rows[0]), y_scale * part(rows[1]), 0, part(rows[2])};
  }
  m[3] = {x_scale * along(rows[0]), y_scale * along(rows[1]), kNear, along(rows[2])};
  return camera;
}

}  // namespace samples::occlusion
