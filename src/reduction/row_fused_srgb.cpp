// row_fused_srgb.cpp: BoxKernels::fused_rows for the mean of RGBA8 sRGB to RGBA8 sRGB: fused rows of three levels of
// the covering footprint, as in row_fused.cpp, with two or three taps per axis. AVX3_DL only, where registers hold
// lookup tables of 256 bytes.
//
// The loop goes over a row from right to left, 128 texels at a time, because the last texel of a vector needs a column
// of the vector to its right. Working rows of levels 1 and 2 have separate channels, so that alpha is not encoded as a
// colour and weights are per texel. Loading sorts texels by their index modulo 4: three levels then need next to no
// shuffles.
//
//     source    vectors of texels 0 4 8 ..., 1 5 9 ..., 2 6 10 ..., 3 7 11 ...      a, b, c, d
//     level 1   even texels from a b c, odd ones from c d a', where a' is a moved by one texel
//     level 2   texels in order, from even, odd and even'
//
// Lookups give the bytes of a float 2 + x for linear light x, a multiple of 2^-22. The product w x is computed as w (2
// + x) - 2 w in one fused operation, which rounds once, as a product does. Alpha is in units of 2^-22, too: a power of
// two changes no rounding.
#include <algorithm>

#include "image/div_up.hpp"
#include "reduction/box_kernels.hpp"

#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduction/row_fused_srgb.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "cpu/simd_dispatch.hpp"
#include "reduction/row_fused_srgb-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::reduction {
namespace HWY_NAMESPACE {

#if !(HWY_ARCH_X86 && HWY_TARGET == HWY_AVX3_DL)  // levels are computed one by one

void set_fused_srgb_rows(const BoxSpec& /*spec*/, BoxKernels<float>& /*kernels*/) {}

#else

using Codes = SrgbCodes<0, kAlphaBits>;

// ---- Targets

/// Writes the rows of one level to its target, from right to left and by whole cache lines.
class TargetRows {
 public:
  TargetRows(const FusedLevel<float>& level, bool non_temporal)
      : level_(level), width_(level.fold.texels), non_temporal_(non_temporal) {
    for (size_t y = 0; y < level.fold.count; ++y) {
      head_[y] = (kLanes - reinterpret_cast<uintptr_t>(level.targets[y]) / 4 % kLanes) % kLanes;
    }
  }

  [[nodiscard]] HWY_INLINE bool is_written(size_t y) const { return level_.targets[y] != nullptr; }

  /// Writes the cache line that begins in block `block` of row y; blocks are sixteen texels.
  HWY_INLINE void write(size_t y, size_t block, __m512i texels) {
    const __m512i from = _mm512_add_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                                          _mm512_set1_epi32(static_cast<int32_t>(head_[y])));
    const __m512i line = _mm512_permutex2var_epi32(texels, from, right_[y]);
    right_[y] = texels;
    const size_t begin = block * kLanes + head_[y];
    auto* to = reinterpret_cast<uint32_t*>(level_.targets[y]);
    if (HWY_LIKELY(begin + kLanes <= width_) && !non_temporal_) {
      _mm512_store_si512(to + begin, line);
    } else if (HWY_LIKELY(begin + kLanes <= width_)) {
      _mm512_stream_si512(reinterpret_cast<__m512i*>(to + begin), line);
    } else if (begin < width_) {
      _mm512_mask_storeu_epi32(to + begin, mask_of(width_ - begin), line);
    }
    if (block == 0 && head_[y] > 0) _mm512_mask_storeu_epi32(to, mask_of(std::min(head_[y], width_)), texels);
  }

 private:
  static HWY_INLINE __mmask16 mask_of(size_t texels) { return static_cast<__mmask16>((1U << texels) - 1); }

  const FusedLevel<float>& level_;
  size_t width_;
  bool non_temporal_;
  size_t head_[kMostPairs] = {};    ///< Texels before the first whole line.
  __m512i right_[kMostPairs] = {};  ///< The block to the right of the last one.
};

/// Encodes block `block` of 32 texels of level 1.
HWY_INLINE void encode_first(const Codes& codes, const FusedLevel<float>& level, size_t block, TargetRows& target) {
  const __m512i lower = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512i upper = _mm512_add_epi32(lower, _mm512_set1_epi32(8));
  for (size_t y = 0; y < level.fold.count; ++y) {
    if (!target.is_written(y)) continue;
    const float* from = level.coarse[y] + block * 8 * kLanes;
    Texels texels[2];  // even and odd ones
    for (size_t i = 0; i < 8; ++i) texels[i % 2][i / 2] = _mm512_load_ps(from + i * kLanes);
    __m512i made[2];
    codes.encode(texels, made);
    target.write(y, 2 * block + 1, _mm512_permutex2var_epi32(made[0], upper, made[1]));
    target.write(y, 2 * block, _mm512_permutex2var_epi32(made[0], lower, made[1]));
  }
}

/// Encodes block `block` of sixteen texels of level 2.
HWY_INLINE void encode_second(const Codes& codes, const FusedLevel<float>& level, size_t block, TargetRows& target) {
  for (size_t y = 0; y < level.fold.count; ++y) {
    if (!target.is_written(y)) continue;
    Texels texels;
    for (size_t c = 0; c < 4; ++c) texels[c] = _mm512_load_ps(level.coarse[y] + (4 * block + c) * kLanes);
    target.write(y, block, codes.encode(texels));
  }
}

void fused_srgb_rows(const FusedRows<float>& fused_rows) {
  const auto& levels = fused_rows.levels;
  SourceLevel first(levels[0]);
  SecondLevel second(levels[1]);
  ThirdLevel third(levels[2]);
  TargetRows first_target(levels[0], fused_rows.non_temporal);
  TargetRows second_target(levels[1], fused_rows.non_temporal);
  TargetRows third_target(levels[2], fused_rows.non_temporal);
  const Codes codes;
  const size_t width = levels[0].fold.readable / 4;
  for (size_t step = div_up(width, 2 * kBlock); step-- > 0;) {
    for (size_t block = 2 * step + 2; block-- > 2 * step;) {
      if (block * kBlock < width) first.make(block);
    }
    for (size_t block = 2 * step + 2; block-- > 2 * step;) {
      if (block * 2 * kLanes >= levels[0].fold.texels) continue;
      encode_first(codes, levels[0], block, first_target);
      second.make(block);
    }
    for (size_t block = 2 * step + 2; block-- > 2 * step;) {
      if (block * kLanes < levels[1].fold.texels) encode_second(codes, levels[1], block, second_target);
    }
    if (levels[2].fold.count == 0 || step * 2 * kLanes >= levels[1].fold.texels) continue;
    Texels made[kMostPairs];
    third.make(step, made);
    for (size_t y = 0; y < levels[2].fold.count; ++y) {
      if (third_target.is_written(y)) third_target.write(y, step, codes.encode(made[y]));
    }
  }
}

void set_fused_srgb_rows(const BoxSpec& spec, BoxKernels<float>& kernels) {
  if (!spec.source.fixed_srgb || spec.channels() != 4) return;
  kernels.fused_rows = fused_srgb_rows;
  kernels.fuses_two_columns = true;
  kernels.fuses_cached = true;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace onepass::reduction
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::reduction {

ONEPASS_SIMD_EXPORT(set_fused_srgb_rows);

void add_fused_srgb_rows(const BoxSpec& spec, BoxKernels<float>& kernels) {
  ONEPASS_SIMD_CALL(set_fused_srgb_rows)(spec, kernels);
}

}  // namespace onepass::reduction
#endif
