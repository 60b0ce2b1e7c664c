// tables.hpp: the tables that define BC6H and BC7: which texel is in which subset, anchor texels, bits of modes.
//
// Source: Khronos Data Format Specification 1.3, section "BPTC Compressed Texture Image Formats".
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace onepass::blocks {

/// Subset of each texel for two subsets, by partition number: bit i is the subset of texel i = x + 4 y.
inline constexpr std::array<uint16_t, 64> kTwoSubsets = {
    0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8,
    0xff00, 0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce, 0x088c, 0x3110,
    0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696,
    0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660, 0x0272, 0x04e4, 0x4e40, 0x2720,
    0xc936, 0x936c, 0x39c6, 0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22};

/// The same for three subsets: bits 2 i and 2 i + 1.
inline constexpr std::array<uint32_t, 64> kThreeSubsets = {
    0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050,
    0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250,
    0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
    0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200,
    0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
    0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
    0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000,
    0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254};

/// The texel of subset 1 whose index is stored without its highest bit, which is 0. Of subset 0 it is texel 0.
inline constexpr std::array<uint8_t, 64> kAnchorOfTwo = {
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2,  8, 2, 2, 8,
    8,  15, 2,  8,  2,  2,  8,  8,  2,  2,  15, 15, 6,  8,  2,  8,  15, 15, 2, 8, 2, 2,
    2,  15, 15, 6,  6,  2,  6,  8,  15, 15, 2,  2,  15, 15, 15, 15, 15, 2,  2, 15};

/// The same of subsets 1 and 2 of three.
inline constexpr std::array<std::array<uint8_t, 64>, 2> kAnchorsOfThree = {
    {{3,  3,  15, 15, 8, 3,  15, 15, 8,  8,  6, 6,  6, 5,  3, 3,  3,  3,  8,  15, 3,  3,
      6,  10, 5,  8,  8, 6,  8,  5,  15, 15, 8, 15, 3, 5,  6, 10, 8,  15, 15, 3,  15, 5,
      15, 15, 15, 15, 3, 15, 5,  5,  5,  8,  5, 10, 5, 10, 8, 13, 15, 12, 3,  3},
     {15, 8, 8, 3,  15, 15, 3,  8,  15, 15, 15, 15, 15, 15, 15, 8,  15, 8,  15, 3,  15, 8,
      15, 8, 3, 15, 6,  10, 15, 15, 10, 8,  15, 3,  15, 10, 10, 8,  9,  10, 6,  15, 8,  15,
      3,  6, 6, 8,  15, 3,  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3,  15, 15, 8}}};

/// Weights of the second endpoint in 64ths, by index, for indices of 2, 3 and 4 bits.
constexpr uint32_t index_weight(uint32_t bits, uint32_t index) {
  if (bits == 2) return index * 21 + (index >> 1);
  if (bits == 3) return index * 9 + (index >> 2);
  return (index << 2) + (index >> 2) + ((index >> 1) & 1);
}

/// A bit below the bits of an endpoint, which its channels share.
enum class PBit : uint8_t {
  kNone,
  kUnique,  ///< One for each endpoint.
  kShared,  ///< One for both endpoints of a subset.
};

/// The fields of a mode of BC7.
struct Bc7Mode {
  uint8_t subsets;
  uint8_t partition_bits;
  uint8_t rotation_bits;
  uint8_t selection_bits;  ///< Says whether colours have the secondary indices.
  uint8_t color_bits;      ///< Of one channel of one endpoint, without the P-bit.
  uint8_t alpha_bits;      ///< The same; 0: alpha is 255.
  PBit p_bit;
  uint8_t index_bits;
  uint8_t second_index_bits;  ///< 0: none.
};

inline constexpr std::array<Bc7Mode, 8> kBc7Modes = {{{3, 4, 0, 0, 4, 0, PBit::kUnique, 3, 0},
                                                      {2, 6, 0, 0, 6, 0, PBit::kShared, 3, 0},
                                                      {3, 6, 0, 0, 5, 0, PBit::kNone, 2, 0},
                                                      {2, 6, 0, 0, 7, 0, PBit::kUnique, 2, 0},
                                                      {1, 0, 2, 1, 5, 6, PBit::kNone, 2, 3},
                                                      {1, 0, 2, 0, 7, 8, PBit::kNone, 2, 2},
                                                      {1, 0, 0, 0, 7, 7, PBit::kUnique, 4, 0},
                                                      {2, 6, 0, 0, 5, 5, PBit::kUnique, 2, 0}}};

/// A mode of BC6H. `layout` has the bits of endpoints in the order of the block, after the mode and before the
/// partition: "g2:4" is bit 4 of green of endpoint 2; "r0:9-0" are bits 0 to 9, the lowest first; "r0:10-11" are bits
/// 11 and 10, the highest first.
struct Bc6hMode {
  uint8_t number;
  bool transformed;  ///< Endpoints after the first are differences to it.
  uint8_t subsets;
  uint8_t endpoint_bits;
  std::array<uint8_t, 3> delta_bits;  ///< Of red, green and blue of the endpoints after the first.
  std::string_view layout;
};

inline constexpr std::array<Bc6hMode, 14> kBc6hModes = {
    {{0,
      true,
      2,
      10,
      {5, 5, 5},
      "g2:4 b2:4 b3:4 r0:9-0 g0:9-0 b0:9-0 r1:4-0 g3:4 g2:3-0 g1:4-0 b3:0 g3:3-0 b1:4-0 b3:1 b2:3-0 "
      "r2:4-0 b3:2 r3:4-0 b3:3"},
     {1,
      true,
      2,
      7,
      {6, 6, 6},
      "g2:5 g3:4 g3:5 r0:6-0 b3:0 b3:1 b2:4 g0:6-0 b2:5 b3:2 g2:4 b0:6-0 b3:3 b3:5 b3:4 r1:5-0 g2:3-0 "
      "g1:5-0 g3:3-0 b1:5-0 b2:3-0 r2:5-0 r3:5-0"},
     {2,
      true,
      2,
      11,
      {5, 4, 4},
      "r0:9-0 g0:9-0 b0:9-0 r1:4-0 r0:10 g2:3-0 g1:3-0 g0:10 b3:0 g3:3-0 b1:3-0 b0:10 b3:1 b2:3-0 r2:4-0 "
      "b3:2 r3:4-0 b3:3"},
     {6,
      true,
      2,
      11,
      {4, 5, 4},
      "r0:9-0 g0:9-0 b0:9-0 r1:3-0 r0:10 g3:4 g2:3-0 g1:4-0 g0:10 g3:3-0 b1:3-0 b0:10 b3:1 b2:3-0 r2:3-0 "
      "b3:0 b3:2 r3:3-0 g2:4 b3:3"},
     {10,
      true,
      2,
      11,
      {4, 4, 5},
      "r0:9-0 g0:9-0 b0:9-0 r1:3-0 r0:10 b2:4 g2:3-0 g1:3-0 g0:10 b3:0 g3:3-0 b1:4-0 b0:10 b2:3-0 r2:3-0 "
      "b3:1 b3:2 r3:3-0 b3:4 b3:3"},
     {14,
      true,
      2,
      9,
      {5, 5, 5},
      "r0:8-0 b2:4 g0:8-0 g2:4 b0:8-0 b3:4 r1:4-0 g3:4 g2:3-0 g1:4-0 b3:0 g3:3-0 b1:4-0 b3:1 b2:3-0 "
      "r2:4-0 b3:2 r3:4-0 b3:3"},
     {18,
      true,
      2,
      8,
      {6, 5, 5},
      "r0:7-0 g3:4 b2:4 g0:7-0 b3:2 g2:4 b0:7-0 b3:3 b3:4 r1:5-0 g2:3-0 g1:4-0 b3:0 g3:3-0 b1:4-0 b3:1 "
      "b2:3-0 r2:5-0 r3:5-0"},
     {22,
      true,
      2,
      8,
      {5, 6, 5},
      "r0:7-0 b3:0 b2:4 g0:7-0 g2:5 g2:4 b0:7-0 g3:5 b3:4 r1:4-0 g3:4 g2:3-0 g1:5-0 g3:3-0 b1:4-0 b3:1 "
      "b2:3-0 r2:4-0 b3:2 r3:4-0 b3:3"},
     {26,
      true,
      2,
      8,
      {5, 5, 6},
      "r0:7-0 b3:1 b2:4 g0:7-0 b2:5 g2:4 b0:7-0 b3:5 b3:4 r1:4-0 g3:4 g2:3-0 g1:4-0 b3:0 g3:3-0 b1:5-0 "
      "b2:3-0 r2:4-0 b3:2 r3:4-0 b3:3"},
     {30,
      false,
      2,
      6,
      {6, 6, 6},
      "r0:5-0 g3:4 b3:0 b3:1 b2:4 g0:5-0 g2:5 b2:5 b3:2 g2:4 b0:5-0 g3:5 b3:3 b3:5 b3:4 r1:5-0 g2:3-0 "
      "g1:5-0 g3:3-0 b1:5-0 b2:3-0 r2:5-0 r3:5-0"},
     {3, false, 1, 10, {10, 10, 10}, "r0:9-0 g0:9-0 b0:9-0 r1:9-0 g1:9-0 b1:9-0"},
     {7, true, 1, 11, {9, 9, 9}, "r0:9-0 g0:9-0 b0:9-0 r1:8-0 r0:10 g1:8-0 g0:10 b1:8-0 b0:10"},
     {11, true, 1, 12, {8, 8, 8}, "r0:9-0 g0:9-0 b0:9-0 r1:7-0 r0:10-11 g1:7-0 g0:10-11 b1:7-0 b0:10-11"},
     {15, true, 1, 16, {4, 4, 4}, "r0:9-0 g0:9-0 b0:9-0 r1:3-0 r0:10-15 g1:3-0 g0:10-15 b1:3-0 b0:10-15"}}};

}  // namespace onepass::blocks
