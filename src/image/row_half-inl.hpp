// row_half-inl.hpp: vectors of floats to stored halves. Included once per SIMD target.
#if defined(ONEPASS_IMAGE_ROW_HALF_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEPASS_IMAGE_ROW_HALF_INL
#undef ONEPASS_IMAGE_ROW_HALF_INL
#else
#define ONEPASS_IMAGE_ROW_HALF_INL
#endif

#include <cstdint>
#include <limits>

#include "image/row_load-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::image {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR

using IntV = hn::Vec<Ints>;

/// Finite values beyond the largest half become that; Inf and NaN stay.
HWY_INLINE FloatV limited_to_half(FloatV value) {
  const Floats d;
  const FloatV most = hn::Set(d, 65504.0F);
  const auto is_finite = hn::Lt(hn::Abs(value), hn::Set(d, std::numeric_limits<float>::infinity()));
  return hn::IfThenElse(is_finite, hn::Min(hn::Max(value, hn::Neg(most)), most), value);
}

/// Bits of the nearest half of limited_to_half(), ties to even, as vcvtps2ph gives them.
HWY_INLINE IntV half_bits(FloatV value) {
  const Floats d;
  const Ints di;
  const IntV bits = hn::BitCast(di, value);
  const IntV magnitude = hn::And(bits, hn::Set(di, 0x7FFFFFFF));
  const IntV sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(di, 0x8000));
  const IntV rebiased = hn::Sub(magnitude, hn::Set(di, 112 << 23));
  const IntV odd = hn::And(hn::ShiftRight<13>(rebiased), hn::Set(di, 1));
  const IntV normal = hn::ShiftRight<13>(hn::Add(hn::Add(rebiased, hn::Set(di, 0xFFF)), odd));
  // Below 2^-14: the sum with 0.5 has the value as a multiple of 2^-24 in its mantissa, rounded by the addition.
  const FloatV half = hn::Set(d, 0.5F);
  const IntV denormal = hn::Sub(hn::BitCast(di, hn::Add(hn::BitCast(d, magnitude), half)), hn::BitCast(di, half));
  const IntV infinity = hn::Set(di, 0x7C00);
  const IntV payload = hn::Or(hn::And(hn::ShiftRight<13>(magnitude), hn::Set(di, 0x3FF)), hn::Set(di, 0x7E00));
  IntV result = hn::IfThenElse(hn::Lt(magnitude, hn::Set(di, 113 << 23)), denormal, hn::Min(normal, infinity));
  result = hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x7F800000)), payload, result);
  return hn::Or(result, sign);
}

/// Stores Lanes(Floats()) values as halves, of values beyond the largest half that.
HWY_INLINE void store_halves(FloatV unlimited, uint16_t* to) {
  const FloatV value = limited_to_half(unlimited);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  const hn::Rebind<hwy::float16_t, Floats> df16;
  hn::StoreU(hn::DemoteTo(df16, value), df16, reinterpret_cast<hwy::float16_t*>(to));
#else
  const hn::Rebind<uint16_t, Floats> du16;
  hn::StoreU(hn::DemoteTo(du16, half_bits(value)), du16, to);
#endif
}

#endif  // HWY_TARGET != HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace onepass::image
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
