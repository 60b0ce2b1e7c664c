// row_local.cpp: adds rows of texels to the grid of local exposure and interpolates it, in SIMD.
//
// A texel adds to three sums of one node: 1, its weight above the node, and the product of its two weights. All three
// are fields of one 64-bit word, so that it is one addition. Words of different copies of the nodes are independent.
#include "tone_map/row_local.hpp"

#include <algorithm>
#include <limits>

#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tone_map/row_local.cpp"
#include "hwy/foreach_target.h"  // includes this file once per target; must come first

#include "hwy/highway.h"

#include "cpu/simd_dispatch.hpp"
#include "image/div_up.hpp"
#include "tone_map/row_local-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::tone_map {
namespace HWY_NAMESPACE {

constexpr uint32_t kNone = kLocalStride - 1;  // the node of texels that are no colour: it does not exist

/// The word of a texel with the weight `above`, less than ONEPASS_LOCAL_ONE.
HWY_INLINE uint64_t packed(uint32_t above) {
  const uint64_t between = (uint64_t{ONEPASS_LOCAL_ONE - above} * above + ONEPASS_LOCAL_ONE / 2) / ONEPASS_LOCAL_ONE;
  return between | uint64_t{above} << LocalTally::kAboveShift | uint64_t{1} << LocalTally::kTexelShift;
}

/// Adds words to their nodes, consecutive ones to different copies.
HWY_INLINE void count_words(const uint32_t* nodes, const uint64_t* words, size_t count, LocalTally& tally) {
  uint64_t* const to = tally.words.data();
  const auto add = [&](size_t i, size_t copy) HWY_ATTR { to[copy * kLocalStride + nodes[i]] += words[i]; };
  static_assert(LocalTally::kCopies == 8);
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {  // unrolled by hand: the copy is then part of the address
    add(i, 0);
    add(i + 1, 1);
    add(i + 2, 2);
    add(i + 3, 3);
    add(i + 4, 4);
    add(i + 5, 5);
    add(i + 6, 6);
    add(i + 7, 7);
  }
  for (; i < count; ++i) add(i, i % 8);
}

template <class Source>
void add_texels(const uint16_t* halves, const float* rgba, size_t texels, LocalTally& tally) {
  const Floats d;
  constexpr size_t kMost = LocalTally::kMostTexels + kTexelPadding;
  HWY_ALIGN uint32_t nodes[kMost];
  HWY_ALIGN float above[kMost];
  HWY_ALIGN uint64_t words[kMost];
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i < texels; i += lanes) {
    hn::Store(light_of<Source>(Source::load(halves, rgba, i, texels - i).c), d, above + i);
  }
  in_fours(round_up(texels, lanes), FindPlaces{{reinterpret_cast<int32_t*>(nodes), above}});
  for (size_t i = 0; i < texels; ++i) {  // a loop that compilers vectorise
    const auto weight = static_cast<int32_t>(above[i] * ONEPASS_LOCAL_ONE + 0.5F);
    // All of the weight above a node is none above the next one: a word's field has no room for it.
    nodes[i] = nodes[i] >> 31 != 0 ? kNone : nodes[i] + static_cast<uint32_t>(weight >> 20);
    words[i] = packed(static_cast<uint32_t>(weight) & (ONEPASS_LOCAL_ONE - 1));
  }
  count_words(nodes, words, texels, tally);
}

void move_tally(LocalTally& tally, LocalSums& sums) {
  constexpr size_t kGroup = 8;  // nodes at a time; most groups have no texel
  constexpr auto field = [](uint64_t word, uint32_t shift, uint32_t end) {
    return (word >> shift) & ((uint64_t{1} << (end - shift)) - 1);
  };
  for (size_t begin = 0; begin < kLocalStride; begin += kGroup) {
    alignas(64) uint64_t words[kGroup] = {};
    for (size_t at = begin; at < tally.words.size(); at += kLocalStride) {
      for (size_t i = 0; i < kGroup; ++i) words[i] += tally.words[at + i];
    }
    uint64_t any = 0;
    for (const uint64_t word : words) any |= word;
    if (any == 0) continue;
    for (size_t at = begin; at < tally.words.size(); at += kLocalStride) {
      std::fill_n(tally.words.data() + at, kGroup, uint64_t{0});
    }
    for (size_t i = 0; i < kGroup; ++i) {
      sums.texels[begin + i] += words[i] >> LocalTally::kTexelShift;
      sums.above[begin + i] += field(words[i], LocalTally::kAboveShift, LocalTally::kTexelShift);
      sums.between[begin + i] += field(words[i], 0, LocalTally::kAboveShift);
    }
  }
}

void interpolate_nodes(const float* a, const float* b, float share, size_t count, float* to) {
  const Floats d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    const FloatV low = hn::Load(d, a + i);
    hn::Store(hn::Add(low, hn::Mul(hn::Sub(hn::Load(d, b + i), low), set(share))), d, to + i);
  }
}

LocalRowFunctions choose_local_rows(bool halves) {
  return {halves ? add_texels<HalfTexels> : add_texels<FloatTexels>, move_tally, interpolate_nodes};
}

}  // namespace HWY_NAMESPACE
}  // namespace onepass::tone_map
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::tone_map {

ONEPASS_SIMD_EXPORT(choose_local_rows);

LocalRowFunctions find_local_rows(bool halves) { return ONEPASS_SIMD_CALL(choose_local_rows)(halves); }

void set_exposure(float exposure, LocalScale& scale) {
  const Log2Parts parts =
      log2_parts(std::clamp(exposure, std::numeric_limits<float>::min(), std::numeric_limits<float>::max()));
  scale.exposure_whole = parts.whole;
  scale.exposure_part = parts.fraction - scale.params.grey;
}

}  // namespace onepass::tone_map
#endif
