// pack_bc7.cpp: pack_bc7: chooses the order of endpoints, and writes fields in the order of the format.
//
// Source: Khronos Data Format Specification 1.3, section "BPTC Compressed Texture Image Formats", "BC7".
#include "blocks/pack_bc7.hpp"

#include <utility>

#include "blocks/bits.hpp"
#include "blocks/tables.hpp"

namespace onepass::blocks {
namespace {

uint32_t subset_of(const Bc7Mode& mode, uint32_t partition, uint32_t texel) {
  if (mode.subsets == 1) return 0;
  return mode.subsets == 2 ? kTwoSubsets[partition] >> texel & 1U : kThreeSubsets[partition] >> (2 * texel) & 3U;
}

uint32_t anchor_of(const Bc7Mode& mode, uint32_t partition, uint32_t subset) {
  if (subset == 0) return 0;
  return mode.subsets == 2 ? kAnchorOfTwo[partition] : kAnchorsOfThree[subset - 1][partition];
}

/// Reverses the order of indices of `bits` bits in a subset if its anchor has its highest bit set. Returns whether.
bool order_indices(const Bc7Mode& mode, uint32_t partition, uint32_t subset, uint32_t bits, uint8_t (&index)[16]) {
  if (index[anchor_of(mode, partition, subset)] >> (bits - 1) == 0) return false;
  for (uint32_t i = 0; i < 16; ++i) {
    if (subset_of(mode, partition, i) == subset) index[i] = static_cast<uint8_t>((1U << bits) - 1 - index[i]);
  }
  return true;
}

void write_indices(BitWriter& bits, const Bc7Mode& mode, uint32_t partition, uint32_t count,
                   const uint8_t (&index)[16]) {
  for (uint32_t i = 0; i < 16; ++i) {
    const bool anchor = i == anchor_of(mode, partition, subset_of(mode, partition, i));
    bits.write(index[i], count - (anchor ? 1 : 0));
  }
}

}  // namespace

void pack_bc7(const Bc7Block& given, std::byte* out) {
  Bc7Block block = given;
  const Bc7Mode& mode = kBc7Modes[block.mode];
  const bool two_indices = mode.second_index_bits > 0;
  const uint32_t color_bits = block.colors_second ? mode.second_index_bits : mode.index_bits;
  const uint32_t alpha_bits = block.colors_second ? mode.index_bits : mode.second_index_bits;
  for (uint32_t s = 0; s < mode.subsets; ++s) {
    if (order_indices(mode, block.partition, s, color_bits, block.index)) {
      for (uint32_t c = 0; c < (two_indices ? 3U : 4U); ++c) std::swap(block.ends[2 * s][c], block.ends[2 * s + 1][c]);
    }
  }
  if (two_indices && order_indices(mode, 0, 0, alpha_bits, block.alpha_index)) {
    std::swap(block.ends[0][3], block.ends[1][3]);
  }
  BitWriter bits;
  bits.write(uint64_t{1} << block.mode, block.mode + 1);
  bits.write(block.partition, mode.partition_bits);
  bits.write(block.rotation, mode.rotation_bits);
  bits.write(block.colors_second ? 1 : 0, mode.selection_bits);
  const uint32_t p_bits = mode.p_bit == PBit::kNone ? 0 : 1;
  for (uint32_t c = 0; c < 4; ++c) {
    const uint32_t count = c < 3 ? mode.color_bits : mode.alpha_bits;
    for (uint32_t e = 0; e < 2U * mode.subsets; ++e) bits.write(count == 0 ? 0 : block.ends[e][c] >> p_bits, count);
  }
  const uint32_t step = mode.p_bit == PBit::kShared ? 2 : 1;
  for (uint32_t e = 0; p_bits > 0 && e < 2U * mode.subsets; e += step) bits.write(block.ends[e][0] & 1U, 1);
  if (!two_indices) {
    write_indices(bits, mode, block.partition, mode.index_bits, block.index);
  } else {
    write_indices(bits, mode, 0, mode.index_bits, block.colors_second ? block.alpha_index : block.index);
    write_indices(bits, mode, 0, mode.second_index_bits, block.colors_second ? block.index : block.alpha_index);
  }
  bits.store(out);
}

}  // namespace onepass::blocks
