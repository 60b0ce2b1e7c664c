// encode_bc7.cpp: the encoder of BC7: fits the modes that a quality tries, and keeps the best of them for each block.
//
//     opaque:      mode 6 (one subset, 16 colours), 1 and 3 (two subsets), 0 and 2 (three), 4 and 5 (a channel apart)
//     with alpha:  mode 6, 5 and 4 (alpha apart), 7 (two subsets)
//
// Subsets are chosen before the fits (bc7_partition-inl.hpp). A mode costs the same for all blocks in the lanes; modes
// that no block of a batch can take are left out.
#include <array>
#include <cstring>

#include "blocks/encode.hpp"
#include "blocks/pack_bc7.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "blocks/encode_bc7.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "blocks/bc7_fit-inl.hpp"
#include "blocks/bc7_partition-inl.hpp"
#include "cpu/simd_dispatch.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::blocks {
namespace HWY_NAMESPACE {
namespace {

constexpr Shape kMode0{3, 3, 3, 4, PBit::kUnique};
constexpr Shape kMode1{2, 3, 3, 6, PBit::kShared};
constexpr Shape kMode2{3, 3, 2, 5, PBit::kNone};
constexpr Shape kMode3{2, 3, 2, 7, PBit::kUnique};
constexpr Shape kMode4Colors2{1, 3, 2, 5, PBit::kNone};
constexpr Shape kMode4Colors3{1, 3, 3, 5, PBit::kNone};
constexpr Shape kMode4Alpha3{1, 1, 3, 6, PBit::kNone};
constexpr Shape kMode4Alpha2{1, 1, 2, 6, PBit::kNone};
constexpr Shape kMode5Colors{1, 3, 2, 7, PBit::kNone};
constexpr Shape kMode5Alpha{1, 1, 2, 8, PBit::kNone};
constexpr Shape kMode6{1, 4, 4, 7, PBit::kUnique};
constexpr Shape kMode7{2, 4, 2, 5, PBit::kUnique};

constexpr Channels<3> kRgb{{0, 1, 2}};
constexpr Channels<4> kRgba{{0, 1, 2, 3}};

/// The fields of Bc7Block, for each lane, of the best mode so far.
struct Best {
  V error;
  I mode, partition, rotation, colors_second;
  I ends[6][4];
  I index[16];
  I alpha_index[16];
};

HWY_INLINE void start(Best& best) {
  const I zero = hn::Zero(Ints());
  best.error = constant(1e30F);
  best.mode = best.partition = best.rotation = best.colors_second = zero;
  for (auto& end : best.ends) {
    for (I& channel : end) channel = zero;
  }
  for (I& index : best.index) index = zero;
  for (I& index : best.alpha_index) index = zero;
}

HWY_INLINE void set(I& to, I value, M where) { to = select(where, value, to); }

/// Takes over a fit of a mode without a second index.
template <Shape kShape>
HWY_INLINE void keep(const Fit<kShape>& fit, int mode, I partition, M allowed, Best& best) {
  const M better = hn::And(allowed, hn::Lt(fit.error, best.error));
  best.error = select(better, fit.error, best.error);
  set(best.mode, int_constant(mode), better);
  set(best.partition, partition, better);
  for (int s = 0; s < kShape.subsets; ++s) {
    for (int e = 0; e < 2; ++e) {
      for (int c = 0; c < kShape.channels; ++c) set(best.ends[2 * s + e][c], fit.ends[s][e][c], better);
    }
  }
  for (int i = 0; i < 16; ++i) set(best.index[i], fit.index[i], better);
}

template <Shape kShape>
HWY_NOINLINE void try_mode(const Bc7Problem& problem, const Channels<kShape.channels>& channels, int mode, I partition,
                           int refinements, M allowed, Best& best) {
  Fit<kShape> fitted;
  if constexpr (kShape.subsets == 1) {
    fit<kShape>(problem, channels, {}, refinements, fitted);
  } else {
    fit<kShape>(problem, channels, partition_of<kShape.subsets>(partition), refinements, fitted);
  }
  keep(fitted, mode, partition, allowed, best);
}

/// Tries mode 4 or 5 with the channel `apart` in the place of alpha.
template <Shape kColors, Shape kAlpha>
HWY_NOINLINE void try_channel_apart(const Bc7Problem& problem, int mode, int apart, bool colors_second, int refinements,
                                    M allowed, Best& best) {
  Channels<3> channels = kRgb;
  if (apart < 3) channels.at[apart] = 3;
  Fit<kColors> colors;
  Fit<kAlpha> alpha;
  fit<kColors>(problem, channels, {}, refinements, colors);
  fit<kAlpha>(problem, {{apart}}, {}, refinements, alpha);
  const V error = hn::Add(colors.error, alpha.error);
  const M better = hn::And(allowed, hn::Lt(error, best.error));
  best.error = select(better, error, best.error);
  set(best.mode, int_constant(mode), better);
  set(best.rotation, int_constant((apart + 1) % 4), better);
  set(best.colors_second, int_constant(colors_second ? 1 : 0), better);
  for (int e = 0; e < 2; ++e) {
    for (int c = 0; c < 3; ++c) set(best.ends[e][c], colors.ends[0][e][c], better);
    set(best.ends[e][3], alpha.ends[0][e][0], better);
  }
  for (int i = 0; i < 16; ++i) {
    set(best.index[i], colors.index[i], better);
    set(best.alpha_index[i], alpha.index[i], better);
  }
}

HWY_INLINE void try_mode4(const Bc7Problem& problem, int apart, int refinements, M allowed, Best& best) {
  try_channel_apart<kMode4Colors2, kMode4Alpha3>(problem, 4, apart, false, refinements, allowed, best);
  try_channel_apart<kMode4Colors3, kMode4Alpha2>(problem, 4, apart, true, refinements, allowed, best);
}

/// How much a quality tries.
struct Effort {
  int refinements = 1;
  int partitions = 0;   ///< Of two subsets.
  int partitions3 = 0;  ///< Of three.
  bool mode3 = false;
  bool apart = false;  ///< Modes 4 and 5 with every channel apart.
};

HWY_INLINE Effort effort_of(BlockQuality quality) {
  if (quality == BlockQuality::kFast) return {};
  if (quality == BlockQuality::kNormal) return {2, 1, 0, false, false};
  return {3, 4, 2, true, true};
}

constexpr int kMostPartitions = 4;

void try_opaque(const Bc7Problem& problem, const Effort& effort, M allowed, Best& best) {
  if (effort.partitions > 0) {
    Ranking<kMostPartitions> two;
    rank_partitions<3, 2>(problem, 64, two);
    for (int k = 0; k < effort.partitions; ++k) {
      try_mode<kMode1>(problem, kRgb, 1, two.partition[k], effort.refinements, allowed, best);
      if (effort.mode3) try_mode<kMode3>(problem, kRgb, 3, two.partition[k], effort.refinements, allowed, best);
    }
  }
  if (effort.partitions3 > 0) {
    Ranking<2> three;
    rank_partitions<3, 3>(problem, 16, three);
    for (int k = 0; k < effort.partitions3; ++k) {
      try_mode<kMode0>(problem, kRgb, 0, three.partition[k], effort.refinements, allowed, best);
    }
    rank_partitions<3, 3>(problem, 64, three);
    for (int k = 0; k < effort.partitions3; ++k) {
      try_mode<kMode2>(problem, kRgb, 2, three.partition[k], effort.refinements, allowed, best);
    }
  }
  for (int apart = 0; effort.apart && apart < 3; ++apart) {
    try_channel_apart<kMode5Colors, kMode5Alpha>(problem, 5, apart, false, effort.refinements, allowed, best);
    try_mode4(problem, apart, effort.refinements, allowed, best);
  }
}

void try_alpha(const Bc7Problem& problem, const Effort& effort, M allowed, Best& best) {
  try_channel_apart<kMode5Colors, kMode5Alpha>(problem, 5, 3, false, effort.refinements, allowed, best);
  if (effort.partitions > 0) {
    Ranking<kMostPartitions> two;
    rank_partitions<4, 2>(problem, 64, two);
    for (int k = 0; k < effort.partitions; ++k) {
      try_mode<kMode7>(problem, kRgba, 7, two.partition[k], effort.refinements, allowed, best);
    }
    try_mode4(problem, 3, effort.refinements, allowed, best);
  }
  for (int apart = 0; effort.apart && apart < 3; ++apart) {
    try_channel_apart<kMode5Colors, kMode5Alpha>(problem, 5, apart, false, effort.refinements, allowed, best);
    try_mode4(problem, apart, effort.refinements, allowed, best);
  }
}

/// Finds the blocks without transparency in the image.
HWY_INLINE M opaque_blocks(const Texels& texels) {
  V least = constant(255);
  for (int i = 0; i < 16; ++i) {
    const M inside = hn::Gt(texels.alpha_weight[i], hn::Zero(Floats()));
    least = hn::Min(least, select(inside, texels.channel[3][i], constant(255)));
  }
  return hn::Eq(least, constant(255));
}

/// Best, as arrays of lanes.
struct BestLanes {
  static constexpr int kFields = 4 + 24 + 32;
  HWY_ALIGN int32_t field[kFields][kMostLanes];
};

void store(const Best& best, BestLanes& lanes) {
  int k = 0;
  const auto put = [&](I value) { hn::Store(value, Ints(), lanes.field[k++]); };
  put(best.mode);
  put(best.partition);
  put(best.rotation);
  put(best.colors_second);
  for (const auto& end : best.ends) {
    for (const I channel : end) put(channel);
  }
  for (const I index : best.index) put(index);
  for (const I index : best.alpha_index) put(index);
}

Bc7Block block_in(const BestLanes& lanes, size_t lane) {
  Bc7Block block;
  int k = 0;
  const auto take = [&] { return lanes.field[k++][lane]; };
  block.mode = static_cast<uint32_t>(take());
  block.partition = static_cast<uint32_t>(take());
  block.rotation = static_cast<uint32_t>(take());
  block.colors_second = take() != 0;
  for (auto& end : block.ends) {
    for (uint8_t& channel : end) channel = static_cast<uint8_t>(take());
  }
  for (uint8_t& index : block.index) index = static_cast<uint8_t>(take());
  for (uint8_t& index : block.alpha_index) index = static_cast<uint8_t>(take());
  return block;
}

}  // namespace

void bc7(const ColorBlocks& blocks, const EncodeSettings& settings, std::byte* out) {
  const size_t lanes = hn::Lanes(Floats());
  const Effort effort = effort_of(settings.quality);
  Bc7Problem problem;
  problem.weighted = settings.weighted_by_alpha;
  for (size_t c = 0; c < 4; ++c) {
    problem.weights[c] = settings.weights[c];
    problem.roots[c] = std::sqrt(settings.weights[c]);
  }
  Best best;
  BestLanes stored;
  for (size_t first = 0; first < blocks.count; first += lanes) {
    load_texels(blocks, first, settings, problem.texels);
    problem.opaque = opaque_blocks(problem.texels);
    const M all = hn::Eq(constant(0), constant(0));
    start(best);
    try_mode<kMode6>(problem, kRgba, 6, hn::Zero(Ints()), effort.refinements, all, best);
    // Nothing is better than an error of 0: flat blocks are done.
    const M open = hn::Gt(best.error, hn::Zero(Floats()));
    const M opaque = hn::And(open, problem.opaque);
    const M alpha = hn::AndNot(problem.opaque, open);
    if (!hn::AllFalse(Floats(), opaque)) try_opaque(problem, effort, opaque, best);
    if (!hn::AllFalse(Floats(), alpha)) try_alpha(problem, effort, alpha, best);
    store(best, stored);
    for (size_t lane = 0; lane < lanes && first + lane < blocks.count; ++lane) {
      pack_bc7(block_in(stored, lane), out + 16 * (first + lane));
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace onepass::blocks
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::blocks {

ONEPASS_SIMD_EXPORT(bc7);

void encode_bc7(const ColorBlocks& blocks, const EncodeSettings& settings, std::byte* out) {
  ONEPASS_SIMD_CALL(bc7)(blocks, settings, out);
}

}  // namespace onepass::blocks
#endif
