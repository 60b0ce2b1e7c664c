// row_texels-inl.hpp: texels as vectors of one channel each: loads from halves, conversion to quantised values, and
// stores of words. Included once per SIMD target.
#if defined(ONEPASS_TONE_MAP_ROW_TEXELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEPASS_TONE_MAP_ROW_TEXELS_INL
#undef ONEPASS_TONE_MAP_ROW_TEXELS_INL
#else
#define ONEPASS_TONE_MAP_ROW_TEXELS_INL
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "image/row_load-inl.hpp"
#include "image/small_float.hpp"
#include "tone_map/row_tone.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::tone_map {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;
using Words = hn::RebindToUnsigned<Floats>;
using FloatV = hn::Vec<Floats>;
using IntV = hn::Vec<Ints>;
using WordV = hn::Vec<Words>;

HWY_INLINE FloatV set(float value) { return hn::Set(Floats(), value); }

struct Rgb {
  FloatV r, g, b;
};

template <class Function>
HWY_INLINE Rgb each(const Rgb& c, const Function& f) {
  return {f(c.r), f(c.g), f(c.b)};
}

struct Texels {
  Rgb c;
  FloatV alpha;
};

/// NaN and negative values become 0.
HWY_INLINE FloatV positive(FloatV v) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  return hn::Max(v, hn::Zero(Floats()));  // if v is NaN, the instruction returns the other operand
#else
  return hn::IfThenElseZero(hn::Gt(v, hn::Zero(Floats())), v);
#endif
}

/// Prefetches a row 2 KB ahead: the hardware's own prefetch distance is shorter than the latency of memory.
HWY_INLINE void prefetch(const void* from, size_t bytes) {
#if HWY_TARGET != HWY_SCALAR
  constexpr size_t kAhead = 2048;
  constexpr size_t kLine = 64;
  for (size_t i = 0; i < bytes; i += kLine) hwy::Prefetch(static_cast<const std::byte*>(from) + kAhead + i);
#else
  static_cast<void>(from);
  static_cast<void>(bytes);
#endif
}

/// The halves of a vector of texels, two per word: even words hold red and green, odd words blue and alpha.
struct HalfWords {
  WordV low, high;

  /// Loads a vector of texels. `left`, at least 1, are in the row; those beyond are not read and become 0.
  static HWY_INLINE HalfWords load(const uint16_t* halves, size_t left) {
    const Words du;
    const size_t lanes = hn::Lanes(du);
    prefetch(halves, 8 * lanes);
    if (HWY_UNLIKELY(left < lanes)) {
      HWY_ALIGN uint32_t last[2 * HWY_MAX_BYTES / sizeof(uint32_t)] = {};
      std::memcpy(last, halves, left * 8);
      return {hn::Load(du, last), hn::LoadU(du, last + lanes)};
    }
    const auto* words = reinterpret_cast<const uint32_t*>(halves);
    return {hn::LoadU(du, words), hn::LoadU(du, words + lanes)};
  }
};

/// Converts halves to floats. The compiler omits channels that the caller does not use.
HWY_INLINE Texels texels_of(const HalfWords& halves) {
  const auto [low, high] = halves;
#if HWY_ARCH_X86 && HWY_TARGET == HWY_AVX3_DL
  const auto planes = image::HWY_NAMESPACE::planes_of_halves(low.raw, high.raw);
  return {{FloatV{planes.red}, FloatV{planes.green}, FloatV{planes.blue}}, FloatV{planes.alpha()}};
#elif HWY_TARGET == HWY_SCALAR
  const auto half = [](uint32_t bits) { return set(decode_half(static_cast<uint16_t>(bits))); };
  return {{half(low.raw), half(low.raw >> 16), half(high.raw)}, half(high.raw >> 16)};
#else
  const Words du;
  const WordV red_green = hn::ConcatEven(du, high, low);
  const WordV blue_alpha = hn::ConcatOdd(du, high, low);
  const auto half = [](WordV bits) { return image::HWY_NAMESPACE::floats_of_half_bits(bits); };
  return {{half(red_green), half(hn::ShiftRight<16>(red_green)), half(blue_alpha)},
          half(hn::ShiftRight<16>(blue_alpha))};
#endif
}

/// Texels of a row of RGBA floats.
struct FloatTexels {
  static constexpr bool kHalves = false;
  static HWY_INLINE Texels load(const uint16_t* /*halves*/, const float* rgba, size_t i, size_t /*left*/) {
    Texels t;
    hn::LoadInterleaved4(Floats(), rgba + 4 * i, t.c.r, t.c.g, t.c.b, t.alpha);
    return t;
  }
};

/// Texels of a row of RGBA halves.
struct HalfTexels {
  static constexpr bool kHalves = true;
  static HWY_INLINE Texels load(const uint16_t* halves, const float* /*rgba*/, size_t i, size_t left) {
    return texels_of(HalfWords::load(halves + 4 * i, left));
  }
};

/// NaN becomes 0.
HWY_INLINE FloatV clean_alpha(FloatV alpha) { return hn::IfThenElseZero(hn::Eq(alpha, alpha), alpha); }

/// Alpha in quantisation steps, 0 to `unit`; NaN becomes 0.
HWY_INLINE FloatV alpha_codes(FloatV alpha, float unit) {
  return hn::Min(positive(hn::Mul(alpha, set(unit))), set(unit));
}

/// Rounds a quantised value to an integer. NearestInt() would also handle values that do not fit.
HWY_INLINE WordV word_of(FloatV code) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return WordV{_mm512_cvtps_epi32(code.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  return WordV{_mm256_cvtps_epi32(code.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  return WordV{_mm_cvtps_epi32(code.raw)};
#else
  return hn::BitCast(Words(), hn::NearestInt(code));
#endif
}

/// Truncates numbers that fit an int32_t. ConvertTo() would also handle others.
HWY_INLINE IntV truncated(FloatV v) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return IntV{_mm512_cvttps_epi32(v.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  return IntV{_mm256_cvttps_epi32(v.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  return IntV{_mm_cvttps_epi32(v.raw)};
#else
  return hn::ConvertTo(Ints(), v);
#endif
}

/// Stores the words of a row: with non-temporal stores if RowTone::streams is set and the row is aligned.
struct WordStore {
  uint32_t* words;
  size_t texels;
  bool non_temporal;

  HWY_INLINE WordStore(const RowTone& tone, uint32_t* to, size_t count)
      : words(to),
        texels(count),
        non_temporal(tone.non_temporal &&
                     reinterpret_cast<uintptr_t>(to) % (hn::Lanes(Words()) * sizeof(uint32_t)) == 0) {}

  /// Stores the words from texel i on, nothing beyond the row.
  HWY_INLINE void store(WordV word, size_t i) const {
    const Words du;
    if (HWY_UNLIKELY(i + hn::Lanes(du) > texels)) {
      HWY_ALIGN uint32_t last[HWY_MAX_BYTES / sizeof(uint32_t)];
      hn::Store(word, du, last);
      for (size_t k = 0; i + k < texels; ++k) words[i + k] = last[k];
    } else if (non_temporal) {
      hn::Stream(word, du, words + i);
    } else {
      hn::StoreU(word, du, words + i);
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace onepass::tone_map
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
