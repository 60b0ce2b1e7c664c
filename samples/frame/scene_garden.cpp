// scene_garden.cpp: terrace, pool, trees and grass in front of the hall, and a town on the slopes around it.
#include <algorithm>
#include <array>
#include <cmath>

#include "builder.hpp"

namespace samples::frame {
namespace {

constexpr float kTerraceEnd = 20;
constexpr float kPoolHalfWidth = 4.2F;
constexpr float kPoolEnd = 44;
constexpr float kGround = -0.34F;

void add_terrace(Builder& b, Random& random) {
  b.box({-13.2F, -0.45F, HALL_FRONT + 0.31F}, {13.2F, -0.1F, kTerraceEnd}, MATERIAL_CONCRETE, 0x4A463F);
  for (uint32_t j = 0; j < 7; ++j) {
    for (uint32_t i = 0; i < 22; ++i) {
      const float x = -13.2F + 1.2F * static_cast<float>(i);
      const float z = HALL_FRONT + 0.32F + 0.81F * static_cast<float>(j);
      b.box({x + 0.006F, -0.099F, z + 0.006F}, {x + 1.194F, -0.052F + random.between(0, 0.006F), z + 0.804F},
            MATERIAL_PAVING, 0x6A645A);
    }
  }
}

void add_pool(Builder& b, Random& random) {
  b.box({-kPoolHalfWidth, -0.7F, kTerraceEnd + 0.35F}, {kPoolHalfWidth, -0.24F, kPoolEnd}, MATERIAL_WATER, 0x0A120F);
  for (float z = kTerraceEnd + 0.02F; z < kPoolEnd + 0.3F; z += 0.9F) {  // its border
    for (const float side : {-1.0F, 1.0F}) {
      const float x = side * (kPoolHalfWidth + 0.21F);
      b.box({x - 0.2F, -0.6F, z + 0.005F}, {x + 0.2F, -0.15F + random.between(0, 0.01F), z + 0.893F}, MATERIAL_PAVING,
            0x777064);
    }
  }
  for (float x = -kPoolHalfWidth; x < kPoolHalfWidth - 0.1F; x += 0.84F) {
    b.box({x + 0.005F, -0.6F, kTerraceEnd + 0.01F},
          {x + 0.835F, -0.14F + random.between(0, 0.01F), kTerraceEnd + 0.36F}, MATERIAL_PAVING, 0x777064);
  }
  for (uint32_t i = 0; i < 9; ++i) {  // stepping stones
    const float z = kTerraceEnd + 1.3F + 2.4F * static_cast<float>(i);
    const float x = -1.6F + 0.35F * std::sin(1.9F * static_cast<float>(i));
    b.box({x - 0.55F, -0.5F, z - 0.42F}, {x + 0.55F, -0.13F, z + 0.42F}, MATERIAL_PAVING, 0x6E675C);
  }
}

// A trunk of boxes that bends, branches of boxes, leaves around the ends of the branches.
void add_tree(Builder& b, Random& random, float x, float z, float height, uint32_t colour) {
  float lean_x = random.between(-0.03F, 0.03F);
  float lean_z = random.between(-0.03F, 0.03F);
  const float radius = 0.028F * height;
  const uint32_t pieces = 14;
  float cx = x;
  float cz = z;
  const float trunk = 0.62F * height;
  for (uint32_t i = 0; i < pieces; ++i) {
    const float t = static_cast<float>(i) / pieces;
    const float r = radius * (1 - 0.7F * t);
    const float y = kGround + trunk * t;
    b.box({cx - r, y - 0.04F, cz - r}, {cx + r, y + trunk / pieces + 0.01F * t, cz + r}, MATERIAL_BARK, 0x3B2A1E);
    cx += lean_x * height / 10;
    cz += lean_z * height / 10;
    lean_x += random.between(-0.02F, 0.02F);
  }
  const uint32_t branches = 15;
  for (uint32_t i = 0; i < branches; ++i) {
    const float turn = 2.4F * static_cast<float>(i) + random.between(-0.4F, 0.4F);
    const float t = static_cast<float>(i) / (branches - 1);
    const float reach = height * (0.36F - 0.22F * t) * random.between(0.75F, 1.1F);
    const float base = kGround + height * (0.36F + 0.36F * t);
    const float rise = height * random.between(0.05F, 0.16F);
    const float sine = std::sin(turn);
    const float cosine = std::cos(turn);
    for (uint32_t k = 1; k <= 6; ++k) {
      const float s = static_cast<float>(k) / 6;
      const float r = 0.35F * radius * (1.1F - s);
      b.box({cx + cosine * reach * s - r, base + rise * s - r, cz + sine * reach * s - r},
            {cx + cosine * reach * s + r + 0.003F * s, base + rise * s + r, cz + sine * reach * s + r}, MATERIAL_BARK,
            0x3B2A1E);
    }
    for (uint32_t k = 0; k < 7; ++k) {
      const float s = random.between(0.45F, 1.12F);
      const float size = height * random.between(0.055F, 0.095F);
      b.cluster({cx + cosine * reach * s + random.between(-0.6F, 0.6F), base + rise * s + random.between(-0.3F, 0.5F),
                 cz + sine * reach * s + random.between(-0.6F, 0.6F)},
                {size * 1.25F, size * 0.75F, size * 1.25F}, MATERIAL_LEAVES, colour);
    }
  }
}

void add_trees(Builder& b, Random& random) {
  struct Tree {
    float x, z, height;
    uint32_t colour;
  };
  constexpr std::array<Tree, 15> kTrees{{{-6.6F, 23.5F, 7.2F, 0x7A8B2E},
                                         {9.4F, 22.5F, 5.2F, 0xB5702A},
                                         {-8.5F, 31, 9.5F, 0xA8842C},
                                         {17.5F, 37, 8, 0x6F7F2C},
                                         {-7.2F, 41, 9, 0x64752A},
                                         {6.2F, 47, 7.5F, 0xA8642A},
                                         {-13, 24, 9.5F, 0x5C6E2A},
                                         {-10.5F, 17, 8, 0x64752A},
                                         {20, 26, 8, 0x8A8030},
                                         {-15, 37, 11, 0x4F6428},
                                         {-2.0F, 52, 10, 0x6A742C},
                                         {3.5F, 60, 9, 0x586A28},
                                         {24, 52, 9, 0x4F6428},
                                         {-11, 50, 12, 0x566828},
                                         {26, 40, 10, 0x76862E}}};
  for (const Tree& tree : kTrees) add_tree(b, random, tree.x, tree.z, tree.height, tree.colour);
}

void add_grass(Builder& b, Random& random) {
  for (uint32_t i = 0; i < 900; ++i) {
    const float side = random.below(2) == 0 ? -1.0F : 1.0F;
    const float along = random.between(0, 1);
    const float x = side * (kPoolHalfWidth + 0.75F + 9.0F * along * along);
    const float z = kTerraceEnd + 0.6F + 26.0F * random.between(0, 1);
    const float high = random.between(0.16F, 0.36F);
    b.cluster({x, kGround + high, z}, {high * 1.15F, high, high * 1.15F}, MATERIAL_GRASS,
              random.below(4) == 0 ? 0x9A8A3C : 0x5F7030);
  }
  for (uint32_t i = 0; i < 70; ++i) {  // reeds at the far end of the pool and beside the terrace
    const float x = random.between(-kPoolHalfWidth, kPoolHalfWidth);
    const float high = random.between(0.35F, 0.6F);
    b.cluster({x, -0.4F + high, kPoolEnd + random.between(-2.0F, 1.5F)}, {0.5F, high, 0.5F}, MATERIAL_GRASS, 0x7C7A38);
  }
}

void add_house(Builder& b, Random& random, float x, float y, float z) {
  constexpr std::array<uint32_t, 5> kWalls{0xC9B79C, 0xB9A083, 0xD2C6B2, 0xA88F78, 0xBFA78A};
  const float hx = random.between(2.6F, 4.6F);
  const float hz = random.between(2.6F, 4.2F);
  const float storeys = static_cast<float>(1 + random.below(3));
  const float top = y + 2.7F * storeys;
  b.box({x - hx, y - 0.5F, z - hz}, {x + hx, top, z + hz}, MATERIAL_PLASTER, kWalls[random.below(5)]);
  for (uint32_t i = 0; i < 5; ++i) {  // steps of the roof
    const float in = 0.19F * static_cast<float>(i);
    const float rise = 0.36F * static_cast<float>(i);
    b.box({x - hx - 0.3F + in * hx, top + 0.01F + rise, z - hz - 0.28F},
          {x + hx + 0.3F - in * hx, top + 0.365F + rise, z + hz + 0.28F - 0.011F * static_cast<float>(i)},
          MATERIAL_TILES, 0x7E4630);
  }
  for (uint32_t storey = 0; storey < static_cast<uint32_t>(storeys); ++storey) {
    for (const float side : {-0.6F, -0.05F, 0.5F}) {
      const float wy = y + 2.7F * static_cast<float>(storey) + 0.9F;
      const uint32_t light = random.below(7) == 0 ? MATERIAL_LAMP : MATERIAL_PLAIN;
      b.box({x + side * hx - 0.45F, wy, z - hz - 0.02F}, {x + side * hx + 0.45F, wy + 1.3F, z - hz + 0.1F}, light,
            light == MATERIAL_LAMP ? 8000 : 0x1A1C1E);
      b.box({x - hx - 0.02F, wy + 0.01F, z + side * hz - 0.4F}, {x + hx + 0.02F, wy + 1.31F, z + side * hz + 0.4F},
            MATERIAL_PLAIN, 0x1A1C1E);
    }
  }
  const float chimney = x + random.between(-0.5F, 0.5F) * hx;
  b.box({chimney - 0.3F, top, z - 0.3F}, {chimney + 0.3F, top + 2.6F, z + 0.3F}, MATERIAL_PLASTER, 0x8A6A55);
}

// Height of the slopes on both sides of the valley.
float slope(float x, float z) {
  const float aside = std::max(std::abs(x) - 22, 0.0F);
  return kGround + 0.5F + 0.20F * aside + 0.04F * std::max(z - 60, 0.0F);
}

}  // namespace

void add_garden(Builder& builder) {
  Random random(1203);
  builder.box({-400, -3, -200}, {400, kGround, 19.9F}, MATERIAL_GROUND, 0x565A2A);
  builder.box({-400, -3, 19.9F}, {-kPoolHalfWidth - 0.3F, kGround, kPoolEnd}, MATERIAL_GROUND, 0x565A2A);
  builder.box({kPoolHalfWidth + 0.3F, -3, 19.9F}, {400, kGround, kPoolEnd}, MATERIAL_GROUND, 0x565A2A);
  builder.box({-400, -3, kPoolEnd}, {400, kGround, 900}, MATERIAL_GROUND, 0x565A2A);
  add_terrace(builder, random);
  add_pool(builder, random);
  add_trees(builder, random);
  add_grass(builder, random);
}

void add_town(Builder& builder, uint32_t boxes) {
  constexpr float kPitchX = 10.4F;
  constexpr float kPitchZ = 11;
  Random random(77);
  for (float z = 28; builder.boxes.size() < boxes; z += kPitchZ) {
    const float width = 60 + 0.45F * z;
    for (float aside = 24; aside < width; aside += kPitchX) {
      for (const float side : {-1.0F, 1.0F}) {  // a terrace, and in most places a house
        const float x = side * (aside + kPitchX / 2);
        const float y = slope(x, z);
        builder.box({x - kPitchX / 2, -3, z - kPitchZ / 2}, {x + kPitchX / 2, y, z + kPitchZ / 2}, MATERIAL_GROUND,
                    0x50552A);
        if (random.below(10) < 7) {
          add_house(builder, random, x, y, z);
        } else {
          const float high = random.between(1.6F, 3.2F);
          builder.cluster({x, y + high, z}, {1.5F * high, high, 1.5F * high}, MATERIAL_LEAVES, 0x55662A);
        }
      }
    }
  }
  builder.boxes.resize(boxes);
}

}  // namespace samples::frame
