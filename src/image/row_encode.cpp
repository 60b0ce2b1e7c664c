// row_encode.cpp: finished texels to stored texels, in SIMD: find_simd_encode(). All formats but the packed ones. One
// loop over a row; the Writer of a format converts a vector, or four at a time.
#include <algorithm>
#include <cstring>
#include <limits>

#include "image/row_codec_functions.hpp"
#include "image/row_srgb.hpp"
#include "image/srgb.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "image/row_encode.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "cpu/simd_dispatch.hpp"
#include "image/row_half-inl.hpp"
#include "image/row_load-inl.hpp"
#include "image/row_quantised-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::image {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // no vectors: scalar reference

SimdEncode choose_encode(const EncodeSpec& /*spec*/) { return {}; }

#else

/// `value` clamped to 0..max; NaN becomes 0.
HWY_INLINE FloatV clamp(FloatV value, FloatV max) {
  return hn::Min(hn::IfThenElseZero(hn::Gt(value, hn::Zero(Floats())), value), max);
}

/// The nearest integer, ties to even. 0 <= value < 2^22.
HWY_INLINE IntV round_to_int(FloatV value) {
#if HWY_TARGET == HWY_EMU128  // NearestInt is wrong just below one half there
  const FloatV shift = hn::Set(Floats(), 0x1p+23F);
  return hn::Xor(hn::BitCast(Ints(), hn::Add(value, shift)), hn::BitCast(Ints(), shift));
#else
  return hn::NearestInt(value);
#endif
}

// ---- Writers: store Lanes(d) floats as channels

struct WriteF32 {
  using Stored = float;
  explicit WriteF32(const EncodeSpec& /*spec*/) {}
  HWY_INLINE void write(FloatV value, float* p) const { hn::StoreU(value, Floats(), p); }
};

struct WriteU8 {
  using Stored = uint8_t;
  FloatV scale;
  FloatV max = hn::Set(Floats(), 255.0F);
  explicit WriteU8(const EncodeSpec& spec) : scale(hn::Set(Floats(), static_cast<float>(spec.scale))) {}
  HWY_INLINE void write(FloatV value, uint8_t* p) const {
    const hn::Rebind<uint8_t, Floats> du8;
    hn::StoreU(hn::DemoteTo(du8, round_to_int(clamp(hn::Mul(value, scale), max))), du8, p);
  }
};

/// The rounded product with 65535 is less precise than a float in 0..1: the exact remainder corrects the result.
struct WriteU16 {
  using Stored = uint16_t;
  FloatV scale;
  FloatV max = hn::Set(Floats(), 65535.0F);
  bool scale_is_exact;  // integers times 1 or 257
  explicit WriteU16(const EncodeSpec& spec)
      : scale(hn::Set(Floats(), static_cast<float>(spec.scale))), scale_is_exact(spec.scale <= 257.0) {}
  HWY_INLINE void write(FloatV value, uint16_t* p) const {
    const hn::Rebind<uint16_t, Floats> du16;
    IntV code = round_to_int(clamp(hn::Mul(value, scale), max));
    if (!scale_is_exact) {
      const Floats d;
      const FloatV clamped = clamp(value, hn::Set(d, 1.0F));
      const FloatV steps = hn::Sub(hn::Mul(clamped, hn::Set(d, 65536.0F)), hn::ConvertTo(d, code));
      const FloatV remainder = hn::Sub(steps, clamped);  // value * 65535 - code: every operation is exact
      const FloatV half = hn::Set(d, 0.5F);
      // A mask is -1 as an integer.
      code = hn::Sub(code, hn::VecFromMask(Ints(), hn::RebindMask(Ints(), hn::Gt(remainder, half))));
      code = hn::Add(code, hn::VecFromMask(Ints(), hn::RebindMask(Ints(), hn::Lt(remainder, hn::Neg(half)))));
    }
    hn::StoreU(hn::DemoteTo(du16, code), du16, p);
  }
};

struct WriteF16 {
  using Stored = uint16_t;
  explicit WriteF16(const EncodeSpec& /*spec*/) {}
  HWY_INLINE void write(FloatV value, uint16_t* p) const { store_halves(value, p); }
};

/// RGBA texels: `color` in three channels, `alpha` in the fourth.
HWY_INLINE FloatV colors_and_alpha(float color, float alpha) {
  alignas(16) const float lanes[4] = {color, color, color, alpha};
  return hn::LoadDup128(Floats(), lanes);
}

/// RGBA with linear alpha, or without kAlpha colours only, by the table of srgb.hpp.
template <bool kAlpha>
struct WriteSrgb {
  using Stored = uint8_t;
  hn::Mask<Floats> is_alpha = hn::Gt(colors_and_alpha(0, 1), hn::Zero(Floats()));
  FloatV max;  // alpha is 0 to 255 (fixed_srgb) or 0 to 1
  FloatV alpha_scale;
  const int32_t* table = reinterpret_cast<const int32_t*>(srgb_tables().encode.data());
  explicit WriteSrgb(const EncodeSpec& spec)
      : max(colors_and_alpha(1, kAlpha && spec.fixed_srgb ? 255.0F : 1.0F)),
        alpha_scale(hn::Set(Floats(), spec.fixed_srgb ? 1.0F : 255.0F)) {}
  HWY_INLINE void write(FloatV value, uint8_t* p) const {
    const Floats d;
    const Ints di;
    const FloatV clamped = clamp(value, max);
    const FloatV color = hn::Min(hn::Max(clamped, hn::Set(d, SrgbTables::kSmallest)), hn::Set(d, 1.0F));
    const IntV bits = hn::BitCast(di, color);
    const IntV segment =
        hn::Sub(hn::ShiftRight<16>(bits), hn::Set(di, static_cast<int32_t>(SrgbTables::kFirstSegment)));
    const IntV entry = hn::GatherIndex(di, table, segment);
    IntV code = hn::ShiftRight<16>(hn::Add(entry, hn::And(bits, hn::Set(di, 0xFFFF))));
    if constexpr (kAlpha) {
      const IntV alpha = round_to_int(hn::Mul(clamped, alpha_scale));
      code = hn::IfThenElse(hn::RebindMask(di, is_alpha), alpha, code);
    }
    const hn::Rebind<uint8_t, Floats> du8;
    hn::StoreU(hn::DemoteTo(du8, code), du8, p);
  }
};

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

/// The same by polynomials, without lookups in memory: see row_srgb.hpp.
template <bool kAlpha>
struct WriteSrgbFast {
  using Stored = uint8_t;
  static constexpr __mmask16 kAlphas = kAlpha ? 0x8888 : 0;
  static constexpr size_t kDegree = SrgbQuartics::kDegree;
  WriteSrgb<kAlpha> exact;
  __m512 low[kDegree + 1];
  __m512 high[kDegree + 1];
  explicit WriteSrgbFast(const EncodeSpec& spec) : exact(spec) {
    for (size_t i = 0; i <= kDegree; ++i) {
      low[i] = _mm512_load_ps(srgb_quartics().coefficients[i].data());
      high[i] = _mm512_load_ps(srgb_quartics().coefficients[i].data() + 16);
    }
  }
  /// Quantised values of a vector. Adds to `unsure` the SIMD lanes whose result only the exact table can decide.
  HWY_INLINE __m512i codes_of(__m512 value, __mmask16& unsure) const {
    const __m512 one = _mm512_set1_ps(1.0F);
    const __m512 v = _mm512_min_ps(_mm512_max_ps(value, _mm512_set1_ps(SrgbQuartics::kLeast)), one);
    const __m512i octave_half = _mm512_srli_epi32(_mm512_castps_si512(v), 22);  // permutations use its lowest five bits
    __m512 code = _mm512_permutex2var_ps(low[kDegree], octave_half, high[kDegree]);
    for (size_t i = kDegree; i-- > 0;) {
      code = _mm512_fmadd_ps(code, v, _mm512_permutex2var_ps(low[i], octave_half, high[i]));
    }
    const __m512i bits = _mm512_castps_si512(code);
    const __m512i sure_bits = _mm512_set1_epi32(SrgbQuartics::kSureBits);
    unsure = _mm512_kor(unsure, _mm512_mask_testn_epi32_mask(static_cast<__mmask16>(~kAlphas), bits, sure_bits));
    const __m512i codes = _mm512_and_si512(_mm512_srli_epi32(bits, SrgbQuartics::kCodeShift), _mm512_set1_epi32(255));
    if constexpr (!kAlpha) return codes;
    const __m512 alphas = _mm512_min_ps(_mm512_max_ps(value, _mm512_setzero_ps()), exact.max.raw);  // NaN becomes 0
    return _mm512_mask_cvtps_epi32(codes, kAlphas, _mm512_mul_ps(alphas, exact.alpha_scale.raw));
  }

  HWY_INLINE void write(FloatV value, uint8_t* p) const {
    __mmask16 unsure = 0;
    const __m512i codes = codes_of(value.raw, unsure);
    if (unsure != 0) return exact.write(value, p);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(codes));
  }

  template <bool kStreams>
  HWY_INLINE void write4(const float* in, uint8_t* p) const {
    __m512i codes[4];
    __mmask16 unsure = 0;
    for (size_t i = 0; i < 4; ++i) codes[i] = codes_of(_mm512_loadu_ps(in + 16 * i), unsure);
    store_bytes<kStreams>(codes, p);
    if (HWY_LIKELY(unsure == 0)) return;
    for (size_t i = 0; i < 4; ++i) exact.write(hn::LoadU(Floats(), in + 16 * i), p + 16 * i);
  }
};

#else
template <bool kAlpha>
using WriteSrgbFast = WriteSrgb<kAlpha>;
#endif

template <class Writer, bool kStreams = false>
void encode_channels(const EncodeSpec& spec, const float* in, size_t texels, void* row) {
  using Stored = typename Writer::Stored;
  const Writer writer(spec);
  const size_t lanes = hn::Lanes(Floats());
  const size_t count = texels * spec.stored_channels;
  auto* out = static_cast<Stored*>(row);
  size_t i = 0;
  if constexpr (requires { writer.template write4<kStreams>(in, out); }) {
    for (; i + 4 * lanes <= count; i += 4 * lanes) writer.template write4<kStreams>(in + i, out + i);
  }
  for (; i + lanes <= count; i += lanes) writer.write(hn::LoadU(Floats(), in + i), out + i);
  if (i == count) return;
  HWY_ALIGN Stored rest[HWY_MAX_BYTES / sizeof(float)];
  writer.write(hn::LoadU(Floats(), in + i), rest);
  std::memcpy(out + i, rest, (count - i) * sizeof(Stored));
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

/// Encodes with non-temporal stores of whole cache lines; ordinary stores write the texels before and after them.
template <class Writer>
void encode_non_temporal(const EncodeSpec& spec, const float* in, size_t texels, void* row) {
  constexpr size_t kLine = 64;
  const size_t misaligned = reinterpret_cast<uintptr_t>(row) % kLine;
  const size_t head = misaligned == 0 ? 0 : std::min(texels, (kLine - misaligned) / spec.stored_channels);
  if (head != 0) encode_channels<Writer>(spec, in, head, row);
  const size_t elements = head * spec.stored_channels;
  encode_channels<Writer, true>(spec, in + elements, texels - head, static_cast<uint8_t*>(row) + elements);
}

#endif

void copy_non_temporal(const void* from_bytes, size_t bytes, void* to_bytes) {
  const auto* from = static_cast<const std::byte*>(from_bytes);
  auto* to = static_cast<std::byte*>(to_bytes);
  const Words d;
  const size_t vector_bytes = hn::Lanes(d) * sizeof(uint32_t);
  const size_t misaligned = reinterpret_cast<uintptr_t>(to) % vector_bytes;
  const size_t head = misaligned == 0 ? 0 : std::min(bytes, vector_bytes - misaligned);
  if (head != 0) std::memcpy(to, from, head);
  size_t i = head;
  for (; i + vector_bytes <= bytes; i += vector_bytes) {
    hn::Stream(hn::LoadU(d, reinterpret_cast<const uint32_t*>(from + i)), d, reinterpret_cast<uint32_t*>(to + i));
  }
  if (i < bytes) std::memcpy(to + i, from + i, bytes - i);
}

SimdEncode choose_encode(const EncodeSpec& spec) {
  SimdEncode simd;
  simd.copy_non_temporal = copy_non_temporal;
  switch (spec.storage) {
    case Storage::kU8:
      simd.encode = spec.has_quantised_values() ? encode_channels<WriteUnorm8> : encode_channels<WriteU8>;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
      if (spec.has_quantised_values()) simd.encode_non_temporal = encode_non_temporal<WriteUnorm8>;
#endif
      break;
    case Storage::kSrgb8:
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
      simd.encode_non_temporal = encode_non_temporal<WriteSrgbFast<true>>;
#endif
      simd.encode = encode_channels<WriteSrgbFast<true>>;
      break;
    case Storage::kSrgbColors:
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
      simd.encode_non_temporal = encode_non_temporal<WriteSrgbFast<false>>;
#endif
      simd.encode = encode_channels<WriteSrgbFast<false>>;
      break;
    case Storage::kU16:
      simd.encode = encode_channels<WriteU16>;
      break;
    case Storage::kF16:
      simd.encode = encode_channels<WriteF16>;
      break;
    case Storage::kF32:
      simd.encode = encode_channels<WriteF32>;
      break;
    default:
      break;  // packed formats: the scalar reference suffices
  }
  return simd;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace onepass::image
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::image {

ONEPASS_SIMD_EXPORT(choose_encode);

SimdEncode find_simd_encode(const EncodeSpec& spec) { return ONEPASS_SIMD_CALL(choose_encode)(spec); }

}  // namespace onepass::image
#endif
