// scene_building.cpp: the hall and the dark room behind it. No two faces that look the same way lie in one plane and
// overlap: which of them is drawn would depend on the order of the objects.
#include <algorithm>
#include <array>
#include <cmath>

#include "builder.hpp"

namespace samples::frame {
namespace {

constexpr uint32_t kConcrete = 0x8A857D;
constexpr uint32_t kFloor = 0x33322F;
constexpr uint32_t kCedar = 0x6B4A33;
constexpr uint32_t kDarkTimber = 0x3A2416;
constexpr uint32_t kMetal = 0x15130F;
constexpr float kWidth = HALL_HALF_WIDTH;

void add_shell(Builder& b) {
  b.box({-6.7F, -0.4F, -26.6F}, {6.7F, 0, HALL_FRONT + 0.3F}, MATERIAL_FLOOR, kFloor);
  b.box({-7.6F, 5.12F, -27}, {7.6F, 5.5F, HALL_FRONT + 1.9F}, MATERIAL_CONCRETE, kConcrete);          // roof
  b.box({-6.65F, 0.001F, -26.5F}, {-6.22F, 5.11F, HALL_FRONT - 0.1F}, MATERIAL_CONCRETE, kConcrete);  // left
  b.box({6.22F, 0.001F, -26.45F}, {6.65F, 5.105F, SLATS_BACK}, MATERIAL_CONCRETE, kConcrete);         // right, behind
  b.box({-6.21F, 0.002F, -26.4F}, {6.21F, 5.1F, DARK_BACK - 0.05F}, MATERIAL_CONCRETE, kConcrete);    // back
}

// Cast panels of walls, with joints, each a little in front of or behind its neighbours.
void add_panels(Builder& b, Random& random) {
  constexpr float kPitch = 1.5F;
  constexpr float kRow = 0.98F;
  for (float z = DARK_BACK; z < HALL_FRONT - 0.2F; z += kPitch) {
    for (uint32_t row = 0; row < 5; ++row) {
      const float y = static_cast<float>(row) * kRow;
      const float end = std::min(z + kPitch - 0.012F, HALL_FRONT - 0.15F);
      for (const float side : {-1.0F, 1.0F}) {
        if (side > 0 && z + kPitch > SLATS_BACK + 0.1F) continue;
        const float face = kWidth + 0.05F + random.between(0, 0.02F);
        const float x0 = side > 0 ? face : -6.215F;
        const float x1 = side > 0 ? 6.215F : -face;
        b.box({x0, y + 0.012F, z + 0.003F * random.between(0, 1)}, {x1, y + kRow, end}, MATERIAL_CONCRETE, 0x9A948A);
      }
    }
  }
}

// The wall between the dark room and the hall, with a door.
void add_partition(Builder& b) {
  const float front = DOOR_Z + 0.14F;
  const float back = DOOR_Z - 0.14F;
  b.box({-6.02F, 0.003F, back}, {-DOOR_HALF_WIDTH - 0.12F, 5.09F, front}, MATERIAL_CONCRETE, 0x77716A);
  b.box({DOOR_HALF_WIDTH + 0.12F, 0.004F, back + 0.001F}, {6.02F, 5.08F, front - 0.001F}, MATERIAL_CONCRETE, 0x77716A);
  b.box({-DOOR_HALF_WIDTH - 0.12F, DOOR_HEIGHT + 0.1F, back + 0.002F}, {DOOR_HALF_WIDTH + 0.12F, 5.07F, front - 0.002F},
        MATERIAL_CONCRETE, 0x77716A);
  for (const float side : {-1.0F, 1.0F}) {  // the frame of the door
    const float x = side * (DOOR_HALF_WIDTH + 0.06F);
    b.box({x - 0.07F, 0.005F, back - 0.05F}, {x + 0.07F, DOOR_HEIGHT, front + 0.05F}, MATERIAL_TIMBER, kDarkTimber);
  }
  b.box({-DOOR_HALF_WIDTH - 0.13F, DOOR_HEIGHT + 0.001F, back - 0.06F},
        {DOOR_HALF_WIDTH + 0.13F, DOOR_HEIGHT + 0.14F, front + 0.06F}, MATERIAL_TIMBER, kDarkTimber);
}

void add_ceiling(Builder& b, Random& random) {
  for (uint32_t i = 0; i < 50; ++i) {  // planks along the hall
    const float x = -6.2F + 0.248F * static_cast<float>(i);
    b.box({x, 5.0F + random.between(0, 0.012F), -26.3F}, {x + 0.24F, 5.11F, HALL_FRONT + 1.7F}, MATERIAL_TIMBER,
          kCedar);
  }
  for (float z = DARK_BACK + 0.6F; z < HALL_FRONT + 1.6F; z += 0.8F) {
    if (std::abs(z - DOOR_Z) < 0.3F) continue;
    b.box({-6.06F, 4.66F + random.between(0, 0.006F), z}, {6.19F, 4.995F, z + 0.13F}, MATERIAL_TIMBER, 0x57402F);
  }
  for (const float x : {-3.4F, 3.4F}) {  // beams on the columns
    b.box({x - 0.15F, 4.40F, DOOR_Z + 0.2F}, {x + 0.15F, 4.65F, HALL_FRONT + 1.5F}, MATERIAL_TIMBER, 0x46301F);
  }
}

void add_columns(Builder& b) {
  for (int i = 0; i < 7; ++i) {
    const float z = -12 + 4 * static_cast<float>(i);
    for (const float x : {-3.4F, 3.4F}) {
      b.box({x - 0.17F, 0.251F, z - 0.17F}, {x + 0.17F, 4.395F, z + 0.17F}, MATERIAL_TIMBER, 0x4E3626);
      b.box({x - 0.25F, 0.0005F, z - 0.25F}, {x + 0.25F, 0.25F, z + 0.25F}, MATERIAL_CONCRETE, 0x6E6860);
    }
  }
}

// The right side of the hall: slats that the sun shines through.
void add_slats(Builder& b, Random& random) {
  b.box({6.0F, 0.0015F, SLATS_BACK + 0.01F}, {6.3F, 0.12F, HALL_FRONT - 0.05F}, MATERIAL_TIMBER, kDarkTimber);
  b.box({6.01F, 4.55F, SLATS_BACK + 0.02F}, {6.29F, 4.985F, HALL_FRONT - 0.04F}, MATERIAL_TIMBER, kDarkTimber);
  for (uint32_t i = 0; i < 37; ++i) {
    const float z = SLATS_BACK + 0.2F + 0.42F * static_cast<float>(i);
    b.box({6.10F + random.between(0, 0.006F), 0.121F, z}, {6.21F, 4.549F, z + 0.10F}, MATERIAL_TIMBER, 0x66432B);
  }
  for (const float y : {1.5F, 3.0F}) {
    b.box({6.13F, y, SLATS_BACK + 0.05F}, {6.19F, y + 0.06F, HALL_FRONT - 0.08F}, MATERIAL_TIMBER, kDarkTimber);
  }
}

void add_lamp(Builder& b, Float3 at, float half, float intensity) {
  b.box({at.x - half, at.y - 0.25F, at.z - half}, {at.x + half, at.y + 0.25F, at.z + half}, MATERIAL_LAMP,
        static_cast<uint32_t>(std::lround(1000 * intensity)));
  for (const float y : {-0.27F, 0.252F}) {
    b.box({at.x - half - 0.012F, at.y + y, at.z - half - 0.012F},
          {at.x + half + 0.012F, at.y + y + 0.018F, at.z + half + 0.012F}, MATERIAL_PLAIN, kMetal);
  }
  b.box({at.x - 0.008F, at.y + 0.271F, at.z - 0.008F}, {at.x + 0.008F, 4.9F, at.z + 0.008F}, MATERIAL_PLAIN, kMetal);
  b.lamp(at, intensity);
}

void add_lamps(Builder& b) {
  for (int i = 0; i < 6; ++i) {
    const float z = -10 + 4 * static_cast<float>(i);
    add_lamp(b, {-3.4F, 2.75F, z}, 0.17F, 7.0F);
    if (i < 4) add_lamp(b, {3.4F, 2.75F, z}, 0.17F, 7.0F);
  }
  add_lamp(b, {-2.3F, 2.45F, -17}, 0.17F, 0.55F);
  add_lamp(b, {2.4F, 2.45F, -20.5F}, 0.17F, 0.55F);
  add_lamp(b, {-2.3F, 2.45F, -23.5F}, 0.17F, 0.45F);
}

// Books between `begin` and `end`, along z, or along x if `across`.
void add_books(Builder& b, Random& random, float wall, float side, float begin, float end, float shelf, float room) {
  constexpr std::array<uint32_t, 8> kColours{0x6B2A1E, 0x1F3A3D, 0x7C5A2A, 0x2B2F45,
                                             0x8A8069, 0x3E4A2A, 0x54221F, 0x9C7C4A};
  for (float z = begin; z < end;) {
    const float thick = random.between(0.02F, 0.065F);
    if (random.below(14) == 0) {
      z += random.between(0.05F, 0.3F);
      continue;
    }
    const float high = room * random.between(0.62F, 0.93F);
    const float deep = random.between(0.17F, 0.25F);
    const float x = wall - side * 0.02F;
    b.box({std::min(x, x - side * deep), shelf, z}, {std::max(x, x - side * deep), shelf + high, z + thick - 0.002F},
          MATERIAL_PLAIN, kColours[random.below(8)]);
    z += thick;
  }
}

void add_shelves(Builder& b, Random& random, float side, float begin, float end, uint32_t rows) {
  constexpr float kRoom = 0.36F;
  const float wall = side * (kWidth + 0.03F);
  const float front = wall - side * 0.31F;
  const float left = std::min(wall, front);
  const float right = std::max(wall, front);
  for (uint32_t row = 0; row <= rows; ++row) {
    const float y = 0.1F + kRoom * static_cast<float>(row);
    b.box({left, y - 0.03F, begin}, {right, y, end}, MATERIAL_TIMBER, kDarkTimber);
    if (row < rows) add_books(b, random, wall, side, begin + 0.05F, end - 0.12F, y + 0.0005F, kRoom - 0.04F);
  }
  for (float z = begin; z < end + 0.1F; z += 1.5F) {
    b.box({left - 0.01F, 0.0021F, z - 0.022F},
          {right + 0.01F, 0.1F + kRoom * static_cast<float>(rows) + 0.02F, z + 0.022F}, MATERIAL_TIMBER, kDarkTimber);
  }
}

// Tables with open books and stools.
void add_furniture(Builder& b, Random& random) {
  const auto table = [&](float x, float z, float half_x, float half_z, float y) {
    b.box({x - half_x, y - 0.05F, z - half_z}, {x + half_x, y, z + half_z}, MATERIAL_TIMBER, 0x6A3C20);
    for (const float sx : {-1.0F, 1.0F}) {
      for (const float sz : {-1.0F, 1.0F}) {
        const float cx = x + sx * (half_x - 0.07F);
        const float cz = z + sz * (half_z - 0.07F);
        b.box({cx - 0.03F, 0.0007F, cz - 0.03F}, {cx + 0.03F, y - 0.051F, cz + 0.03F}, MATERIAL_TIMBER, kDarkTimber);
      }
    }
    for (uint32_t i = 0; i < 3; ++i) {  // stacks of books
      const float cx = x + random.between(-half_x + 0.2F, half_x - 0.2F);
      const float cz = z - half_z + 0.3F + static_cast<float>(i) * (2 * half_z - 0.6F) / 2.0F;
      float top = y + 0.0004F;
      for (uint32_t k = 0; k < 1 + random.below(3); ++k) {
        const float w = random.between(0.09F, 0.13F);
        b.box({cx - w, top, cz - 0.13F - 0.01F * static_cast<float>(k)}, {cx + w, top + 0.035F, cz + 0.12F},
              MATERIAL_PLAIN, k % 2 == 0 ? 0x8C8068 : 0x5A2A20);
        top += 0.0352F;
      }
    }
  };
  table(0.2F, -20.2F, 0.6F, 1.5F, 0.74F);
  table(4.75F, -6.5F, 0.4F, 1.3F, 0.74F);
  for (const float z : {-1.0F, 3.5F, 8.0F}) {  // benches on the left
    b.box({-5.3F, 0.40F, z - 0.9F}, {-4.75F, 0.46F, z + 0.9F}, MATERIAL_TIMBER, 0x7A4524);
    for (const float end : {-0.75F, 0.69F}) {
      b.box({-5.25F, 0.0008F, z + end}, {-4.8F, 0.399F, z + end + 0.06F}, MATERIAL_TIMBER, kDarkTimber);
    }
  }
}

}  // namespace

void add_building(Builder& builder) {
  Random random(20260407);
  add_shell(builder);
  add_panels(builder, random);
  add_partition(builder);
  add_ceiling(builder, random);
  add_columns(builder);
  add_slats(builder, random);
  add_lamps(builder);
  add_shelves(builder, random, -1, DOOR_Z + 0.6F, -0.6F, 9);
  add_shelves(builder, random, -1, DARK_BACK + 0.5F, DOOR_Z - 0.9F, 9);
  add_shelves(builder, random, 1, DARK_BACK + 0.5F, DOOR_Z - 0.9F, 9);
  add_furniture(builder, random);
  builder.balls = {{{0.75F, 0.62F, -3.6F, 0.62F}, {}, {1.0F, 0.77F, 0.34F}},                    // gold
                   {{-0.7F, 0.36F, -2.0F, 0.36F}, {1.1F, 0, 0.5F, 40}, {0.56F, 0.57F, 0.58F}},  // steel, moves
                   {{2.05F, 0.30F, -5.1F, 0.30F}, {}, {0.95F, 0.64F, 0.54F}}};                  // copper
}

}  // namespace samples::frame
