// row_tile_srgb.cpp: BoxKernels::fold_tiles and fold_tiles_non_temporal for the mean of RGBA8 sRGB to RGBA8 sRGB:
// three levels at once for 2x2 taps, as in row_tile.cpp. AVX3_DL only, where registers hold lookup tables of 256 bytes.
// One loop over columns: a step reads 128 texels of eight rows. Loading separates the channels and puts the four values
// of a quad side by side, so that one instruction adds them and alpha costs next to nothing:
//
//     rows       r0 g0 b0 a0 r1 g1 b1 a1 ...       r0 r1 r0' r1' | r2 r3 r2' r3' | ...
//                r0'g0'b0'a0'r1'g1'b1'a1'...  ->   g0 g1 g0' g1' | ...
//     lookups    the three bytes of each value's linear light, as vectors of bytes
//     sums       65536 * (4 bytes) + 256 * (4 bytes) + (4 bytes): one texel of level 1

#include "image/row_srgb.hpp"
#include "reduction/box_kernels.hpp"

#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduction/row_tile_srgb.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "cpu/simd_dispatch.hpp"
#include "reduction/row_codes_srgb-inl.hpp"
#include "reduction/row_fold-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::reduction {
namespace HWY_NAMESPACE {

#if !(HWY_ARCH_X86 && HWY_TARGET == HWY_AVX3_DL)  // levels are computed one by one

void set_srgb_tiles(const BoxSpec& /*spec*/, BoxKernels<float>& /*kernels*/) {}

#else

using image::srgb_fixed;
using image::SrgbFixed;

constexpr uint32_t kLanes = 16;
constexpr float kColorUnit = 0x1p+24F;  ///< The sum of four fixed-point values for linear light 1.
constexpr float kAlphaUnit = 4.0F;      ///< The same for quantised alpha.
using TileCodes = SrgbCodes<24, 2>;

/// Texel order in the vectors of level 1: the unpack instructions work within blocks of 16 bytes, and each block gets
/// two texels of each of two vectors.
HWY_INLINE __m512i order_of_pairs() { return _mm512_setr_epi32(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15); }

/// `sum` plus the four bytes of each lane. In assembly: for this target Highway 1.0.3 requires processors with the
/// instruction, but does not enable its 512-bit intrinsic in the compiler.
HWY_INLINE __m512i add_bytes(__m512i sum, __m512i bytes) {
  asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(bytes), "v"(_mm512_set1_epi8(1)));
  return sum;
}

class QuadSums {
 public:
  QuadSums() {
    for (size_t i = 0; i < 12; ++i) tables_[i / 4][i % 4] = _mm512_load_si512(&srgb_fixed().planes[i / 4][i % 4 * 64]);
  }

  /// Reduces 32 texels of two rows to 16 texels of level 1.
  HWY_INLINE Texels add(const uint8_t* upper, const uint8_t* lower) const {
    const __m512i above0 = pairs(upper);
    const __m512i above1 = pairs(upper + 64);
    const __m512i below0 = pairs(lower);
    const __m512i below1 = pairs(lower + 64);
    const __m512i red_green0 = _mm512_unpacklo_epi16(above0, below0);
    const __m512i red_green1 = _mm512_unpacklo_epi16(above1, below1);
    const __m512i blue_alpha0 = _mm512_unpackhi_epi16(above0, below0);
    const __m512i blue_alpha1 = _mm512_unpackhi_epi16(above1, below1);
    const __m512i alpha = _mm512_unpackhi_epi64(blue_alpha0, blue_alpha1);
    const __m512i alphas = add_bytes(_mm512_setzero_si512(), alpha);
    return {light(_mm512_unpacklo_epi64(red_green0, red_green1)), light(_mm512_unpackhi_epi64(red_green0, red_green1)),
            light(_mm512_unpacklo_epi64(blue_alpha0, blue_alpha1)), _mm512_cvtepi32_ps(alphas)};
  }

 private:
  /// Groups the bytes of four texels by channel, within blocks of 16 bytes.
  static HWY_INLINE __m512i pairs(const uint8_t* texels) {
    const __m128i order = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_shuffle_epi8(_mm512_loadu_si512(texels), _mm512_broadcast_i32x4(order));
  }

  /// Looks values up in a table of 256 bytes.
  HWY_INLINE __m512i lookup(size_t plane, __m512i codes, __mmask64 is_upper_half) const {
    const __m512i(&table)[4] = tables_[plane];
    const __m512i lower = _mm512_permutex2var_epi8(table[0], codes, table[1]);
    const __m512i upper = _mm512_permutex2var_epi8(table[2], codes, table[3]);
    return _mm512_mask_mov_epi8(lower, is_upper_half, upper);
  }

  /// Sums of the linear light of four neighbouring values.
  HWY_INLINE __m512 light(__m512i codes) const {
    const __mmask64 is_upper_half = _mm512_movepi8_mask(codes);
    __m512i sum = add_bytes(_mm512_setzero_si512(), lookup(2, codes, is_upper_half));
    sum = add_bytes(_mm512_slli_epi32(sum, 8), lookup(1, codes, is_upper_half));
    return _mm512_cvtepi32_ps(add_bytes(_mm512_slli_epi32(sum, 8), lookup(0, codes, is_upper_half)));
  }

  __m512i tables_[SrgbFixed::kPlanes][4];
};

/// Reduces 2x2 texels to one, within blocks of 16 bytes, and restores their order by `order`; a0 is left of a1.
HWY_INLINE Texels fold_four(const Texels& a0, const Texels& b0, const Texels& a1, const Texels& b1, __m512i order) {
  Texels means;
  for (size_t c = 0; c < 4; ++c) {
    const __m512 left = _mm512_add_ps(a0[c], b0[c]);
    const __m512 right = _mm512_add_ps(a1[c], b1[c]);
    const __m512 sums = _mm512_add_ps(_mm512_shuffle_ps(left, right, _MM_SHUFFLE(2, 0, 2, 0)),
                                      _mm512_shuffle_ps(left, right, _MM_SHUFFLE(3, 1, 3, 1)));
    means[c] = _mm512_permutexvar_ps(order, _mm512_mul_ps(sums, _mm512_set1_ps(0.25F)));
  }
  return means;
}

HWY_INLINE void store_working(const Texels& texels, float* to) {
  const FloatV color = hn::Set(Floats(), 1 / kColorUnit);
  const FloatV alpha = hn::Set(Floats(), 1 / kAlphaUnit);
  hn::StoreInterleaved4(hn::Mul(FloatV{texels[0]}, color), hn::Mul(FloatV{texels[1]}, color),
                        hn::Mul(FloatV{texels[2]}, color), hn::Mul(FloatV{texels[3]}, alpha), Floats(), to);
}

/// Reduces 128 texels of eight rows. The loops are separate, so that each has its tables in registers.
template <class Store>
HWY_INLINE void fold_block(const QuadSums& quads, const TileCodes& codes, const uint8_t* const (&rows)[8],
                           uint8_t* const (&outs)[7], size_t block, float* last) {
  constexpr size_t kBytes = 4 * kLanes;
  const auto store = [](__m512i texels, uint8_t* to) HWY_ATTR {
    const hn::Full512<uint8_t> d8;
    Store::store(hn::Vec<decltype(d8)>{texels}, d8, to);
  };
  Texels level1[4][4];
  for (size_t row = 0; row < 4; ++row) {
    for (size_t i = 0; i < 4; ++i) {
      const uint8_t* upper = rows[2 * row] + (8 * block + 2 * i) * kBytes;
      const uint8_t* lower = rows[2 * row + 1] + (8 * block + 2 * i) * kBytes;
      prefetch(upper, 2 * kBytes);
      prefetch(lower, 2 * kBytes);
      level1[row][i] = quads.add(upper, lower);
    }
  }
  const __m512i pairs = order_of_pairs();
  for (size_t row = 0; row < 4; ++row) {
    for (size_t i = 0; i < 4; ++i) {
      store(_mm512_permutexvar_epi32(pairs, codes.encode(level1[row][i])), outs[row] + (4 * block + i) * kBytes);
    }
  }
  const __m512i columns = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  Texels level2[2][2];
  for (size_t row = 0; row < 2; ++row) {
    for (size_t i = 0; i < 2; ++i) {
      level2[row][i] = fold_four(level1[2 * row][2 * i], level1[2 * row + 1][2 * i], level1[2 * row][2 * i + 1],
                                 level1[2 * row + 1][2 * i + 1], columns);
      store(codes.encode(level2[row][i]), outs[4 + row] + (2 * block + i) * kBytes);
    }
  }
  const Texels level3 = fold_four(level2[0][0], level2[1][0], level2[0][1], level2[1][1], pairs);
  store(codes.encode(level3), outs[6] + block * kBytes);
  store_working(level3, last + block * kBytes);
}

template <class Store>
void fold_srgb_tiles(const void* const* source_rows, size_t texels, void* const* target_rows, float* last) {
  const QuadSums quads;
  const TileCodes codes;
  const uint8_t* rows[8];
  uint8_t* outs[7];
  for (size_t i = 0; i < 8; ++i) rows[i] = static_cast<const uint8_t*>(source_rows[i]);
  for (size_t i = 0; i < 7; ++i) outs[i] = static_cast<uint8_t*>(target_rows[i]);
  for (size_t block = 0; block < texels / kLanes; ++block) fold_block<Store>(quads, codes, rows, outs, block, last);
}

void set_srgb_tiles(const BoxSpec& spec, BoxKernels<float>& kernels) {
  if (!spec.source.fixed_srgb || spec.channels() != 4) return;
  kernels.fold_tiles = fold_srgb_tiles<CachedStore>;
  kernels.fold_tiles_non_temporal = fold_srgb_tiles<NonTemporalStore>;
  kernels.tile_texels = kLanes;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace onepass::reduction
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::reduction {

ONEPASS_SIMD_EXPORT(set_srgb_tiles);

void add_srgb_tiles(const BoxSpec& spec, BoxKernels<float>& kernels) {
  ONEPASS_SIMD_CALL(set_srgb_tiles)(spec, kernels);
}

}  // namespace onepass::reduction
#endif
