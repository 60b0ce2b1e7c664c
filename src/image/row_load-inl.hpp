// row_load-inl.hpp: loaders: stored channels to vectors of floats. Included once per SIMD target.
//
// A loader converts 4 * Lanes(Floats()) consecutive stored channels to four vectors. A row is an array of its Stored
// type.
#if defined(ONEPASS_IMAGE_ROW_LOAD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEPASS_IMAGE_ROW_LOAD_INL
#undef ONEPASS_IMAGE_ROW_LOAD_INL
#else
#define ONEPASS_IMAGE_ROW_LOAD_INL
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/cache_control.h"
#include "hwy/highway.h"  // with HWY_WANT_AVX3_DL: lookup tables in registers
#include "image/row_srgb.hpp"
#include "image/srgb.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::image {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;
using Words = hn::RebindToUnsigned<Floats>;
using FloatV = hn::Vec<Floats>;
using WordV = hn::Vec<Words>;

/// Converts halves, stored in the lower 16 bits of each lane, to floats. The multiplication by 2^112 rebiases the
/// exponent and is exact for denormals too.
HWY_INLINE FloatV floats_of_half_bits(WordV bits) {
  const Floats d;
  const Words du;
  const WordV sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(du, 0x8000U)));
  const WordV magnitude = hn::And(bits, hn::Set(du, 0x7FFFU));
  const FloatV scaled = hn::Mul(hn::BitCast(d, hn::ShiftLeft<13>(magnitude)), hn::Set(d, 0x1p+112F));
  const auto special = hn::Gt(hn::BitCast(Ints(), magnitude), hn::Set(Ints(), 0x7BFF));
  const WordV exponent = hn::IfThenElseZero(hn::RebindMask(du, special), hn::Set(du, 0x7F800000U));
  return hn::BitCast(d, hn::Or(hn::Or(hn::BitCast(du, scaled), exponent), sign));
}

/// Prefetches `bytes` bytes 512 bytes ahead of `from`: the hardware prefetcher stops at the end of every page.
HWY_INLINE void prefetch(const void* from, size_t bytes) {
  constexpr size_t kAhead = 512;
  constexpr size_t kLine = 64;
  for (size_t i = 0; i < bytes; i += kLine) hwy::Prefetch(static_cast<const std::byte*>(from) + kAhead + i);
}

/// Loads four vectors one after the other with `Loader`.
template <class Loader>
struct LoadEach {
  HWY_INLINE void load4(const typename Loader::Stored* p, FloatV (&values)[4]) const {
    const size_t lanes = hn::Lanes(Floats());
    values[0] = one.load(p);
    values[1] = one.load(p + lanes);
    values[2] = one.load(p + 2 * lanes);
    values[3] = one.load(p + 3 * lanes);
  }
  using Stored = typename Loader::Stored;
  Loader one;
};

struct OneF32 {
  using Stored = float;
  HWY_INLINE FloatV load(const float* p) const { return hn::LoadU(Floats(), p); }
};

struct OneU8 {
  using Stored = uint8_t;
  HWY_INLINE FloatV load(const uint8_t* p) const {
    const hn::Rebind<uint8_t, Floats> du8;
    return hn::ConvertTo(Floats(), hn::PromoteTo(Ints(), hn::LoadU(du8, p)));
  }
};

struct OneU16 {
  using Stored = uint16_t;
  HWY_INLINE FloatV load(const uint16_t* p) const {
    const hn::Rebind<uint16_t, Floats> du16;
    return hn::ConvertTo(Floats(), hn::PromoteTo(Ints(), hn::LoadU(du16, p)));
  }
};

struct OneF16 {
  using Stored = uint16_t;
  HWY_INLINE FloatV load(const uint16_t* p) const {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    const hn::Rebind<hwy::float16_t, Floats> df16;
    return hn::PromoteTo(Floats(), hn::LoadU(df16, reinterpret_cast<const hwy::float16_t*>(p)));
#else
    const hn::Rebind<uint16_t, Floats> du16;
    return floats_of_half_bits(hn::PromoteTo(Words(), hn::LoadU(du16, p)));
#endif
  }
};

/// 8-bit sRGB RGBA by a lookup table, whose second half is for alpha. Without `kAlpha` all channels are colours.
template <bool kFixed, bool kAlpha>
struct OneSrgb {
  using Stored = uint8_t;
  const float* table = kFixed ? srgb_fixed().decode.data() : srgb_tables().decode.data();
  HWY_INLINE FloatV load(const uint8_t* p) const {
    alignas(16) static constexpr int32_t kHalf[4] = {0, 0, 0, 256};
    const hn::Rebind<uint8_t, Floats> du8;
    const auto code = hn::PromoteTo(Ints(), hn::LoadU(du8, p));
    if constexpr (!kAlpha) return hn::GatherIndex(Floats(), table, code);
    return hn::GatherIndex(Floats(), table, hn::Or(code, hn::LoadDup128(Ints(), kHalf)));
  }
};

using LoadF32 = LoadEach<OneF32>;
using LoadU8 = LoadEach<OneU8>;
using LoadU16 = LoadEach<OneU16>;
using LoadF16 = LoadEach<OneF16>;
using LoadSrgbEach = LoadEach<OneSrgb<false, false>>;  ///< Colours, a vector at a time.

#if HWY_ARCH_X86 && HWY_TARGET == HWY_AVX3_DL

/// Channels of sixteen RGBA half texels; alpha is converted on demand.
struct HalfPlanes {
  __m512 red, green, blue;
  __m256i alphas;
  [[nodiscard]] HWY_INLINE __m512 alpha() const { return _mm512_cvtph_ps(alphas); }
};

/// Order of texels: with `kTransposed` 0 4 8 12 1 5 ..., as four loads and a 4x4 transpose give it; else memory order.
template <bool kTransposed = false>
HWY_INLINE HalfPlanes planes_of_halves(__m512i low, __m512i high) {
  // First, in each eight texels, words of two reds, two greens and so on; then all reds and greens, blues and alphas.
  alignas(64) static constexpr uint8_t kOwn[64] = {0, 1, 8,  9,  16, 17, 24, 25, 32, 33, 40, 41, 48, 49, 56, 57,
                                                   2, 3, 10, 11, 18, 19, 26, 27, 34, 35, 42, 43, 50, 51, 58, 59,
                                                   4, 5, 12, 13, 20, 21, 28, 29, 36, 37, 44, 45, 52, 53, 60, 61,
                                                   6, 7, 14, 15, 22, 23, 30, 31, 38, 39, 46, 47, 54, 55, 62, 63};
  alignas(64) static constexpr uint8_t kFours[64] = {0, 1, 32, 33, 8,  9,  40, 41, 16, 17, 48, 49, 24, 25, 56, 57,
                                                     2, 3, 34, 35, 10, 11, 42, 43, 18, 19, 50, 51, 26, 27, 58, 59,
                                                     4, 5, 36, 37, 12, 13, 44, 45, 20, 21, 52, 53, 28, 29, 60, 61,
                                                     6, 7, 38, 39, 14, 15, 46, 47, 22, 23, 54, 55, 30, 31, 62, 63};
  const __m512i order = _mm512_load_si512(kTransposed ? kFours : kOwn);
  const __m512i a = _mm512_permutexvar_epi8(order, low);
  const __m512i b = _mm512_permutexvar_epi8(order, high);
  const __m512i own_first = _mm512_setr_epi32(0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
  const __m512i fours_first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512i first = kTransposed ? fours_first : own_first;
  const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
  const __m512i red_green = _mm512_permutex2var_epi32(a, first, b);
  const __m512i blue_alpha = _mm512_permutex2var_epi32(a, second, b);
  return {_mm512_cvtph_ps(_mm512_castsi512_si256(red_green)), _mm512_cvtph_ps(_mm512_extracti64x4_epi64(red_green, 1)),
          _mm512_cvtph_ps(_mm512_castsi512_si256(blue_alpha)), _mm512_extracti64x4_epi64(blue_alpha, 1)};
}

/// 8-bit sRGB RGBA by lookup tables in registers: four tables of 256 bytes give the four bytes of a float. Without
/// `kAlpha` all channels are colours: one-channel formats, and RGBA whose alpha is not used.
template <bool kFixed, bool kAlpha = true>
struct LoadSrgb {
  using Stored = uint8_t;
  __m512i tables[4][4];
  LoadSrgb() {
    const uint8_t* bytes = kFixed ? srgb_fixed().decode_bytes.data() : srgb_tables().decode_bytes.data();
    for (size_t i = 0; i < 16; ++i) tables[i / 4][i % 4] = _mm512_load_si512(bytes + 64 * i);
  }

  HWY_INLINE __m512i lookup(const __m512i (&table)[4], __m512i codes, __mmask64 is_upper_half) const {
    const __m512i lower = _mm512_permutex2var_epi8(table[0], codes, table[1]);
    const __m512i upper = _mm512_permutex2var_epi8(table[2], codes, table[3]);
    return _mm512_mask_mov_epi8(lower, is_upper_half, upper);
  }

  HWY_INLINE void load4(const uint8_t* p, FloatV (&values)[4]) const {
    const __m512i texels = _mm512_loadu_si512(p);
    // A transpose, because the interleaving below works within blocks of 16 bytes: texel k of block b becomes texel b
    // of vector k.
    const __m512i transposed = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i codes = _mm512_permutexvar_epi32(transposed, texels);
    const __mmask64 is_upper_half = _mm512_movepi8_mask(codes);
    const __m512i byte0 = lookup(tables[0], codes, is_upper_half);
    const __m512i byte1 = lookup(tables[1], codes, is_upper_half);
    const __m512i byte2 = lookup(tables[2], codes, is_upper_half);
    const __m512i byte3 = lookup(tables[3], codes, is_upper_half);
    const __m512i lower01 = _mm512_unpacklo_epi8(byte0, byte1);
    const __m512i upper01 = _mm512_unpackhi_epi8(byte0, byte1);
    const __m512i lower23 = _mm512_unpacklo_epi8(byte2, byte3);
    const __m512i upper23 = _mm512_unpackhi_epi8(byte2, byte3);
    const __m512i floats[4] = {_mm512_unpacklo_epi16(lower01, lower23), _mm512_unpackhi_epi16(lower01, lower23),
                               _mm512_unpacklo_epi16(upper01, upper23), _mm512_unpackhi_epi16(upper01, upper23)};
    if constexpr (!kAlpha) {
      for (size_t i = 0; i < 4; ++i) values[i] = FloatV{_mm512_castsi512_ps(floats[i])};
      return;
    }
    __m512 alphas = _mm512_cvtepi32_ps(_mm512_srli_epi32(texels, 24));
    if (!kFixed) alphas = _mm512_div_ps(alphas, _mm512_set1_ps(255.0F));
    __m512i from = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3);
    for (size_t i = 0; i < 4; ++i) {  // alphas into every fourth lane
      values[i] = FloatV{_mm512_mask_permutexvar_ps(_mm512_castsi512_ps(floats[i]), 0x8888, from, alphas)};
      from = _mm512_add_epi32(from, _mm512_set1_epi32(4));
    }
  }
};

#else

template <bool kFixed, bool kAlpha = true>
using LoadSrgb = LoadEach<OneSrgb<kFixed, kAlpha>>;

#endif

using LoadSrgb8 = LoadSrgb<false>;
using LoadSrgb8Colours = LoadSrgb<false, false>;
using LoadSrgbFixed = LoadSrgb<true>;
using LoadSrgbFixedColours = LoadSrgb<true, false>;

/// Elements that load4 reads.
HWY_INLINE size_t block_elements() { return 4 * hn::Lanes(Floats()); }
constexpr size_t kMostBlockElements = 4 * HWY_MAX_BYTES / sizeof(float);

/// A copy of the last, incomplete block of a row, so that nothing beyond the row is read.
template <typename Stored>
struct LastBlock {
  HWY_ALIGN Stored elements[kMostBlockElements] = {};
  LastBlock(const Stored* p, size_t count) { std::memcpy(elements, p, count * sizeof(Stored)); }
};

#endif  // HWY_TARGET != HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace onepass::image
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
