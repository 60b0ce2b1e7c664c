// terrace.cpp: positions and materials of all objects. Metres, y up, the camera looks along -z; the terrace is the
// rectangle |x| < 6.
//
// The objects test a pyramid: railings and wires thinner than a texel of the coarse levels, a smooth floor from near to
// far, depth discontinuities of every size, lamps hundreds of times brighter than white.
#include "scene/terrace.hpp"

#include <array>

namespace onepass::cli::scene {
namespace {

constexpr float kFront = 8;  // z of the terrace's ends
constexpr float kBack = -34;
constexpr float kSide = 5.7F;  // x of the railing, and -x of the arcade

struct Materials {
  uint32_t floor, stone, marble, bronze, chrome, gold, red, blue, chalk, teal, lamp, bulb, rock;
};

Materials add_materials(World& world) {
  using Pattern = Material::Pattern;
  Materials m{};
  m.floor = world.add({.albedo = {0.62F, 0.57F, 0.5F}, .reflectance = 0.045F, .pattern = Pattern::kTiles});
  m.stone = world.add({.albedo = {0.66F, 0.58F, 0.48F}});
  m.marble = world.add({.albedo = {0.78F, 0.74F, 0.7F}, .reflectance = 0.03F, .pattern = Pattern::kMarble});
  m.bronze = world.add({.albedo = {0.11F, 0.1F, 0.09F}, .reflectance = 0.05F});
  m.chrome = world.add({.albedo = {0.9F, 0.91F, 0.92F}, .metal = true});
  m.gold = world.add({.albedo = {1.0F, 0.74F, 0.32F}, .metal = true});
  m.red = world.add({.albedo = {0.62F, 0.035F, 0.025F}, .reflectance = 0.05F});
  m.blue = world.add({.albedo = {0.03F, 0.09F, 0.42F}, .reflectance = 0.06F});
  m.chalk = world.add({.albedo = {0.8F, 0.79F, 0.76F}});
  m.teal = world.add({.albedo = {0.03F, 0.36F, 0.32F}, .reflectance = 0.05F});
  m.lamp = world.add({.emission = {60, 37, 16}});
  m.bulb = world.add({.emission = {150, 92, 38}});
  m.rock = world.add({.albedo = {0.16F, 0.13F, 0.13F}});
  return m;
}

// On the left: columns with round arches, every 4 m.
void add_arcade(World& world, const Materials& m) {
  constexpr float kPitch = 4;
  constexpr float kRadius = 1.55F;
  constexpr float kSpring = 3.1F;  // height at which the arch begins
  for (float z = 2; z > kBack; z -= kPitch) {
    const Vec3 foot{-kSide + 0.45F, 0, z};
    world.box(foot - Vec3{0.42F, 0, 0.42F}, foot + Vec3{0.42F, 0.28F, 0.42F}, m.stone);
    world.cone(foot + Vec3{0, 0.28F, 0}, 0.1F, 0.38F, 0.31F, m.stone);
    world.cone(foot + Vec3{0, 0.38F, 0}, 2.32F, 0.28F, 0.23F, m.marble);
    world.cone(foot + Vec3{0, 2.7F, 0}, 0.18F, 0.24F, 0.38F, m.stone);
    world.box(foot + Vec3{-0.42F, 2.88F, -0.42F}, foot + Vec3{0.42F, kSpring, 0.42F}, m.stone);
    const Vec3 low{foot.x - 0.34F, kSpring, z - kPitch};
    world.arch(low, {foot.x + 0.34F, kSpring + 2, z}, {foot.x, kSpring, z - kPitch / 2}, kRadius, m.stone);
  }
  const float x = -kSide + 0.45F;
  world.box({x - 0.46F, kSpring + 2, kBack - 2}, {x + 0.46F, kSpring + 2.18F, 2}, m.marble);
}

// A row of thin balusters between two points, with a hand rail.
void add_railing(World& world, const Materials& m, Vec3 from, Vec3 to) {
  const Vec3 along = to - from;
  const float length = std::sqrt(dot(along, along));
  const int count = static_cast<int>(length / 0.17F);
  for (int i = 0; i <= count; ++i) {
    const Vec3 foot = from + along * (static_cast<float>(i) / static_cast<float>(count));
    world.capsule(foot + Vec3{0, 0.1F, 0}, foot + Vec3{0, 1, 0}, 0.012F, m.bronze);
  }
  const int pieces = static_cast<int>(length / 3) + 1;  // short pieces have tight bounding boxes
  for (int i = 0; i < pieces; ++i) {
    const Vec3 a = from + along * (static_cast<float>(i) / static_cast<float>(pieces));
    const Vec3 b = from + along * (static_cast<float>(i + 1) / static_cast<float>(pieces));
    world.capsule(a + Vec3{0, 1.03F, 0}, b + Vec3{0, 1.03F, 0}, 0.032F, m.bronze);
    world.capsule(a + Vec3{0, 0.1F, 0}, b + Vec3{0, 0.1F, 0}, 0.018F, m.bronze);
  }
}

void add_lamp_posts(Terrace& terrace, const Materials& m) {
  for (float z = 2; z > kBack; z -= 6) {
    const Vec3 foot{kSide, 0, z};
    terrace.world.cone(foot, 0.5F, 0.09F, 0.045F, m.bronze);
    terrace.world.cone(foot + Vec3{0, 0.5F, 0}, 2.2F, 0.045F, 0.03F, m.bronze);
    terrace.world.cone(foot + Vec3{0, 2.7F, 0}, 0.06F, 0.05F, 0.11F, m.bronze);
    const Lamp lamp{foot + Vec3{0, 2.9F, 0}, 0.16F, terrace.world.materials[m.lamp].emission};
    terrace.world.sphere(lamp.centre, lamp.radius, m.lamp);
    terrace.lamps.push_back(lamp);
  }
}

// A wire that sags between two points, with bulbs.
void add_string_of_lights(World& world, const Materials& m, Vec3 from, Vec3 to, float sag) {
  constexpr int kPieces = 28;
  Vec3 last = from;
  for (int i = 1; i <= kPieces; ++i) {
    const float t = static_cast<float>(i) / kPieces;
    const Vec3 next = mix(from, to, t) - Vec3{0, sag * 4 * t * (1 - t), 0};
    world.capsule(last, next, 0.008F, m.bronze);
    if (i % 2 == 0 && i < kPieces) {
      world.capsule(next, next - Vec3{0, 0.07F, 0}, 0.014F, m.bronze);
      world.sphere(next - Vec3{0, 0.115F, 0}, 0.042F, m.bulb);
    }
    last = next;
  }
}

// Blocks whose edges halve like the levels of a pyramid, with a golden ball on top.
void add_monument(World& world, const Materials& m) {
  constexpr Vec3 kCentre{-0.3F, 0, -17};
  world.box(kCentre - Vec3{3.4F, 0, 3.4F}, kCentre + Vec3{3.4F, 0.18F, 3.4F}, m.stone);
  float y = 0.18F;
  float half = 1.5F;
  for (int level = 0; level < 5; ++level) {
    const float height = half * 1.1F;
    world.box(kCentre + Vec3{-half, y, -half}, kCentre + Vec3{half, y + height, half}, m.marble);
    y += height;
    half /= 2;
  }
  world.sphere(kCentre + Vec3{0, y + 0.3F, 0}, 0.3F, m.gold);
}

void add_balls(World& world, const Materials& m) {
  world.sphere({-1.45F, 0.85F, -4.2F}, 0.85F, m.chrome);
  world.sphere({0.75F, 0.5F, -2.6F}, 0.5F, m.red);
  world.sphere({2.7F, 0.68F, -5.6F}, 0.68F, m.gold);
  world.sphere({0.55F, 0.42F, -6.4F}, 0.42F, m.blue);
  world.sphere({-3.3F, 0.5F, -7.6F}, 0.5F, m.chalk);
  world.sphere({3.9F, 0.45F, -9.5F}, 0.45F, m.teal);
  const std::array<uint32_t, 6> choice{m.red, m.gold, m.chrome, m.blue, m.chalk, m.teal};
  for (uint32_t i = 0; i < 46; ++i) {
    const float radius = 0.07F + 0.12F * hash_unit(i, 1);
    const Vec3 centre{-4.2F + 9.2F * hash_unit(i, 2), radius, 0.2F - 14 * hash_unit(i, 3)};
    bool free = true;
    for (const Shape& other : world.shapes) {
      if (other.kind != Shape::Kind::kSphere) continue;
      const Vec3 offset = centre - other.a;
      free = free && dot(offset, offset) > (radius + other.r) * (radius + other.r);
    }
    if (free) world.sphere(centre, radius, choice[i % choice.size()]);
  }
}

void add_shore(World& world, const Materials& m) {
  for (uint32_t i = 0; i < 15; ++i) {
    const float x = -620 + 95 * static_cast<float>(i) + 60 * hash_unit(i, 11);
    const float height = 22 + 55 * hash_unit(i, 12) * hash_unit(i, 13);
    world.cone({x, -2, -820 + 140 * hash_unit(i, 14)}, height, height * 2.6F, height * 0.05F, m.rock);
  }
}

}  // namespace

Terrace make_terrace() {
  Terrace terrace;
  World& world = terrace.world;
  const Materials m = add_materials(world);
  world.box({-6, -0.6F, kBack}, {6, 0, kFront}, m.floor);
  world.box({-6.2F, -3, kBack - 0.2F}, {6.2F, -0.05F, kFront}, m.stone);
  world.box({kSide - 0.14F, 0, kBack}, {kSide + 0.14F, 0.07F, kFront}, m.stone);
  add_arcade(world, m);
  add_railing(world, m, {kSide, 0, kFront}, {kSide, 0, kBack + 0.2F});
  add_railing(world, m, {-kSide, 0, kBack + 0.2F}, {kSide, 0, kBack + 0.2F});
  add_lamp_posts(terrace, m);
  for (float z = -4; z > -29; z -= 6) {
    add_string_of_lights(world, m, {-kSide + 0.8F, 4.75F, z + 2}, {kSide, 3.05F, z}, 0.8F);
  }
  add_monument(world, m);
  add_balls(world, m);
  add_shore(world, m);
  world.build();
  return terrace;
}

}  // namespace onepass::cli::scene
