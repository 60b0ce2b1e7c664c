// row_codes_srgb-inl.hpp: Texels and SrgbCodes: vectors of sixteen texels whose channels are separate, and their RGBA8
// sRGB codes, for row_tile_srgb.cpp and row_fused_srgb.cpp. AVX3_DL only. Included once per SIMD target.
#if defined(ONEPASS_REDUCTION_ROW_CODES_SRGB_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEPASS_REDUCTION_ROW_CODES_SRGB_INL
#undef ONEPASS_REDUCTION_ROW_CODES_SRGB_INL
#else
#define ONEPASS_REDUCTION_ROW_CODES_SRGB_INL
#endif

#include <bit>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"  // with HWY_WANT_AVX3_DL
#include "image/row_srgb.hpp"
#include "image/srgb.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::reduction {
namespace HWY_NAMESPACE {
#if HWY_ARCH_X86 && HWY_TARGET == HWY_AVX3_DL

/// Sixteen texels: red, green, blue and alpha.
struct Texels {
  __m512 channels[4];
  HWY_INLINE __m512& operator[](size_t c) { return channels[c]; }
  HWY_INLINE const __m512& operator[](size_t c) const { return channels[c]; }
};

/// 2^n.
constexpr float power_of_two(int n) { return n < 0 ? 0.5F * power_of_two(n + 1) : n > 0 ? 2 * power_of_two(n - 1) : 1; }

/// Encodes texels. Linear light 1 is 2^kColorBits, an alpha of one code 2^kAlphaBits. Colours are not negative and at
/// most a rounding error above 1; alphas are within 0 to 255 codes.
template <int kColorBits, int kAlphaBits>
class SrgbCodes {
 public:
  SrgbCodes() {
    constexpr float kUnit = power_of_two(-kColorBits);
    float unit = 1;
    for (size_t i = 0; i <= kDegree; ++i, unit *= kUnit) {
      const float* coefficients = image::srgb_quartics().coefficients[i].data();
      // Lookups use the lowest five bits of a float's half octave. The unit shifts these by two half octaves per bit.
      static_assert(kColorBits % 8 == 0);
      constexpr bool kSwapped = kColorBits % 16 != 0;
      low_[i] = _mm512_mul_ps(_mm512_load_ps(coefficients + (kSwapped ? 16 : 0)), _mm512_set1_ps(unit));
      high_[i] = _mm512_mul_ps(_mm512_load_ps(coefficients + (kSwapped ? 0 : 16)), _mm512_set1_ps(unit));
    }
  }

  /// Encodes kCount vectors of texels. Their operations alternate, because those of one depend on each other.
  template <size_t kCount>
  HWY_INLINE void encode(const Texels (&texels)[kCount], __m512i (&codes)[kCount]) const {
    __m512i curves[3 * kCount];
    for (size_t i = 0; i < 3 * kCount; ++i) curves[i] = _mm512_castps_si512(texels[i / 3][i % 3]);
    set_curves(curves);
    __mmask16 sure = 0xFFFF;
    for (const __m512i& curve : curves) sure = _mm512_mask_test_epi32_mask(sure, curve, sure_bits_);
    if (HWY_UNLIKELY(sure != 0xFFFF)) {
      for (size_t i = 0; i < 3 * kCount; ++i) {
        const __mmask16 unsure = _mm512_testn_epi32_mask(curves[i], sure_bits_);
        if (unsure != 0) curves[i] = exact(texels[i / 3][i % 3], curves[i], unsure);
      }
    }
    for (size_t i = 0; i < kCount; ++i) {
      // The sum rounds the alpha to a whole code, in the lowest byte.
      const __m512i alpha = _mm512_castps_si512(_mm512_add_ps(texels[i][3], alpha_shift_));
      codes[i] = pack(curves[3 * i], curves[3 * i + 1], curves[3 * i + 2], alpha);
    }
  }

  HWY_INLINE __m512i encode(const Texels& texels) const {
    const Texels one[1] = {texels};
    __m512i codes[1];
    encode(one, codes);
    return codes[0];
  }

 private:
  using SrgbQuartics = image::SrgbQuartics;
  static constexpr size_t kDegree = SrgbQuartics::kDegree;

  /// Replaces linear light by floats with the quantised values in their mantissas; SrgbQuartics::kSureBits tells which
  /// ones are certain.
  template <size_t kCount>
  HWY_INLINE void set_curves(__m512i (&curves)[kCount]) const {
    __m512 light[kCount];
    __m512i octave_half[kCount];
    __m512 code[kCount];
    for (size_t i = 0; i < kCount; ++i) {
      light[i] = _mm512_max_ps(_mm512_castsi512_ps(curves[i]), least_);
      octave_half[i] = _mm512_srli_epi32(_mm512_castps_si512(light[i]), 22);
      code[i] = _mm512_permutex2var_ps(low_[kDegree], octave_half[i], high_[kDegree]);
    }
    for (size_t power = kDegree; power-- > 0;) {
      for (size_t i = 0; i < kCount; ++i) {
        const __m512 coefficient = _mm512_permutex2var_ps(low_[power], octave_half[i], high_[power]);
        code[i] = _mm512_fmadd_ps(code[i], light[i], coefficient);
      }
    }
    for (size_t i = 0; i < kCount; ++i) curves[i] = _mm512_castps_si512(code[i]);
  }

  /// Texels of 32 bits.
  HWY_INLINE __m512i pack(__m512i red, __m512i green, __m512i blue, __m512i alpha) const {
    constexpr int kSelect = 0xCA;  // a ? b : c
    constexpr int kShift = SrgbQuartics::kCodeShift;
    const __m512i red_green =
        _mm512_ternarylogic_epi32(byte_, _mm512_srli_epi32(red, kShift), _mm512_srli_epi32(green, kShift - 8), kSelect);
    const __m512i blue_alpha = _mm512_ternarylogic_epi32(three_bytes_, _mm512_slli_epi32(blue, 16 - kShift),
                                                         _mm512_slli_epi32(alpha, 24), kSelect);
    return _mm512_ternarylogic_epi32(two_bytes_, red_green, blue_alpha, kSelect);
  }

  /// Replaces the uncertain ones of `curve` by the lookup table of srgb.hpp: lane by lane, because there is rarely more
  /// than one, and some processors gather slowly. Lanes beyond a row may hold any value.
  static HWY_NOINLINE __m512i exact(__m512 light, __m512i curve, uint32_t unsure) {
    HWY_ALIGN float values[16];
    HWY_ALIGN uint32_t codes[16];
    _mm512_store_ps(values, light);
    _mm512_store_si512(codes, curve);
    for (; unsure != 0; unsure &= unsure - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(unsure));
      codes[lane] = encode_srgb(srgb_tables(), values[lane] * power_of_two(-kColorBits)) << SrgbQuartics::kCodeShift;
    }
    return _mm512_load_si512(codes);
  }

  __m512 low_[kDegree + 1];
  __m512 high_[kDegree + 1];
  __m512 least_ = _mm512_set1_ps(SrgbQuartics::kLeast * power_of_two(kColorBits));
  __m512 alpha_shift_ = _mm512_set1_ps(power_of_two(23 + kAlphaBits));
  __m512i sure_bits_ = _mm512_set1_epi32(SrgbQuartics::kSureBits);
  __m512i byte_ = _mm512_set1_epi32(0xFF);
  __m512i two_bytes_ = _mm512_set1_epi32(0xFFFF);
  __m512i three_bytes_ = _mm512_set1_epi32(0xFFFFFF);
};

#endif
}  // namespace HWY_NAMESPACE
}  // namespace onepass::reduction
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
