// row_quantised-inl.hpp: stores floats as quantised 8-bit values. Included once per SIMD target.
#if defined(ONEPASS_IMAGE_ROW_QUANTISED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEPASS_IMAGE_ROW_QUANTISED_INL
#undef ONEPASS_IMAGE_ROW_QUANTISED_INL
#else
#define ONEPASS_IMAGE_ROW_QUANTISED_INL
#endif

#include "image/row_codec.hpp"
#include "image/row_load-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::image {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
/// Stores four vectors of integers from 0 to 255 as 64 bytes. Packing works within blocks of 16 bytes; the permutation
/// restores the order. kStreams: a non-temporal store, for which `p` must be a multiple of 64.
template <bool kStreams>
HWY_INLINE void store_bytes(const __m512i (&codes)[4], uint8_t* p) {
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512i lower = _mm512_packs_epi32(codes[0], codes[1]);
  const __m512i upper = _mm512_packs_epi32(codes[2], codes[3]);
  const __m512i bytes = _mm512_permutexvar_epi32(order, _mm512_packus_epi16(lower, upper));
  if constexpr (kStreams) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(p), bytes);
  } else {
    _mm512_storeu_si512(p, bytes);
  }
}
#endif

/// Writes values that are already in the range of the target, 0 to 255: rounds them, but neither scales nor clamps.
struct WriteUnorm8 {
  using Stored = uint8_t;
  FloatV shift = hn::Set(Floats(), 0x1p+23F);  // leaves the nearest integer in the lower mantissa bits
  explicit WriteUnorm8(const EncodeSpec& /*spec*/) {}
  HWY_INLINE void write(FloatV value, uint8_t* p) const {
    const WordV bits = hn::BitCast(Words(), hn::Add(value, shift));
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3  // Highway 1.0.3's TruncateTo takes the wrong bytes on AVX3_DL
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(bits.raw));
#else
    const hn::Rebind<uint8_t, Floats> du8;
    hn::StoreU(hn::DemoteTo(du8, hn::BitCast(Ints(), hn::And(bits, hn::Set(Words(), 0xFF)))), du8, p);
#endif
  }

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  template <bool kStreams>
  HWY_INLINE void write4(const float* in, uint8_t* p) const {
    __m512i codes[4];
    for (size_t i = 0; i < 4; ++i) codes[i] = _mm512_cvtps_epi32(_mm512_loadu_ps(in + 16 * i));
    store_bytes<kStreams>(codes, p);
  }
#endif
};

#endif  // HWY_TARGET != HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace onepass::image
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
