// row_mip_filter.cpp: the row functions of row_mip_filter.hpp, in SIMD.
#include "pyramid/row_mip_filter.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pyramid/row_mip_filter.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "cpu/simd_dispatch.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace onepass::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class V>
HWY_INLINE V smaller(V a, V b) {
  return hn::IfThenElse(hn::Lt(b, a), b, a);
}

template <class V>
HWY_INLINE V larger(V a, V b) {
  return hn::IfThenElse(hn::Lt(a, b), b, a);
}

/// Four vectors at a time: their sums do not wait for each other.
template <typename T>
void weigh_rows(const T* const* rows, const T* weights, uint32_t taps, size_t count, bool add, T* out) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  for (size_t e = 0; e < count; e += 4 * lanes) {
    auto a = add ? hn::LoadU(d, out + e) : hn::Zero(d);
    auto b = add ? hn::LoadU(d, out + e + lanes) : hn::Zero(d);
    auto c = add ? hn::LoadU(d, out + e + 2 * lanes) : hn::Zero(d);
    auto f = add ? hn::LoadU(d, out + e + 3 * lanes) : hn::Zero(d);
    for (uint32_t k = 0; k < taps; ++k) {
      const auto weight = hn::Set(d, weights[k]);
      const T* row = rows[k] + e;
      a = hn::Add(a, hn::Mul(weight, hn::LoadU(d, row)));
      b = hn::Add(b, hn::Mul(weight, hn::LoadU(d, row + lanes)));
      c = hn::Add(c, hn::Mul(weight, hn::LoadU(d, row + 2 * lanes)));
      f = hn::Add(f, hn::Mul(weight, hn::LoadU(d, row + 3 * lanes)));
    }
    hn::StoreU(a, d, out + e);
    hn::StoreU(b, d, out + e + lanes);
    hn::StoreU(c, d, out + e + 2 * lanes);
    hn::StoreU(f, d, out + e + 3 * lanes);
  }
}

template <typename T>
void find_range(const T* const* rows, uint32_t taps, size_t count, bool add, T* low, T* high) {
  const hn::ScalableTag<T> d;
  for (size_t e = 0; e < count; e += hn::Lanes(d)) {
    auto least = hn::LoadU(d, add ? low + e : rows[0] + e);
    auto largest = hn::LoadU(d, add ? high + e : rows[0] + e);
    for (uint32_t k = 0; k < taps; ++k) {
      const auto value = hn::LoadU(d, rows[k] + e);
      least = smaller(least, value);
      largest = larger(largest, value);
    }
    hn::StoreU(least, d, low + e);
    hn::StoreU(largest, d, high + e);
  }
}

template <typename T>
void limit(const T* low, const T* high, size_t count, T* values) {
  const hn::ScalableTag<T> d;
  for (size_t e = 0; e < count; e += hn::Lanes(d)) {
    const auto raised = larger(hn::LoadU(d, values + e), hn::LoadU(d, low + e));
    hn::StoreU(smaller(raised, hn::LoadU(d, high + e)), d, values + e);
  }
}

/// The four partial sums of `count` products.
template <typename T>
HWY_INLINE void sum_products(const T* HWY_RESTRICT weights, const T* HWY_RESTRICT values, size_t count,
                             T* HWY_RESTRICT sums) {
  const hn::CappedTag<T, 16 / sizeof(T)> d;
  constexpr size_t kLanes = hn::MaxLanes(d);
  using V = hn::Vec<decltype(d)>;
  V parts[4 / kLanes];
  for (V& part : parts) part = hn::Zero(d);
  size_t e = 0;
  for (; e + 4 <= count; e += 4) {
    for (size_t p = 0; p < 4 / kLanes; ++p) {
      const size_t at = e + p * kLanes;
      parts[p] = hn::Add(parts[p], hn::Mul(hn::LoadU(d, weights + at), hn::LoadU(d, values + at)));
    }
  }
  for (size_t p = 0; p < 4 / kLanes; ++p) hn::StoreU(parts[p], d, sums + p * kLanes);
  for (; e < count; ++e) sums[e % 4] += weights[e] * values[e];
}

template <typename T>
void weigh_columns(const FilterAxis<T>& axis, const T* row, uint32_t channels, uint32_t texels, T* out) {
  for (uint32_t i = 0; i < texels; ++i, out += channels) {
    const FilterTaps<T> taps = axis.taps(i);
    alignas(16) T sums[4];
    sum_products(taps.weights, row + taps.first * static_cast<int64_t>(channels), size_t{taps.count} * channels, sums);
    if (channels == 4) {
      std::copy_n(sums, 4, out);
    } else if (channels == 2) {
      out[0] = sums[0] + sums[2];
      out[1] = sums[1] + sums[3];
    } else {
      out[0] = (sums[0] + sums[2]) + (sums[1] + sums[3]);
    }
  }
}

/// The weights of `run` and one tap, from element e of the run on.
template <bool kUniform, typename T, class D>
HWY_INLINE hn::Vec<D> weights_of(D d, const T* tap, size_t e) {
  if constexpr (kUniform) return hn::Set(d, *tap);
  return hn::LoadU(d, tap + e);
}

template <bool kUniform, typename T>
void weigh_run(const HalvingAxis<T>& axis, const typename HalvingAxis<T>::Run& run, const T* const* halves,
               uint32_t channels, T* out) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  const size_t begin = size_t{run.begin} * channels;
  const size_t count = size_t{run.end} * channels - begin;
  for (size_t e = 0; e < count; e += 2 * lanes) {
    auto a = hn::Zero(d);
    auto b = hn::Zero(d);
    for (uint32_t k = 0; k < run.count; ++k) {
      const uint32_t tap = run.first + k;
      const T* values = halves[tap % 2] + begin + size_t{tap / 2} * channels + e;
      const T* weights = axis.weights(run) + k * run.stride;
      a = hn::Add(a, hn::Mul(weights_of<kUniform>(d, weights, e), hn::LoadU(d, values)));
      b = hn::Add(b, hn::Mul(weights_of<kUniform>(d, weights, e + lanes), hn::LoadU(d, values + lanes)));
    }
    hn::StoreU(a, d, out + begin + e);
    hn::StoreU(b, d, out + begin + e + lanes);
  }
}

template <typename T>
void weigh_halves(const HalvingAxis<T>& axis, const T* even, const T* odd, uint32_t channels, T* out) {
  const T* const halves[] = {even, odd};
  for (const auto& run : axis.runs()) {
    if (run.stride == 1) {
      weigh_run<true>(axis, run, halves, channels, out);
    } else {
      weigh_run<false>(axis, run, halves, channels, out);
    }
  }
}

template <typename T>
FilterFunctions<T> functions_of() {
  return {weigh_rows<T>, find_range<T>, limit<T>, weigh_columns<T>, weigh_halves<T>};
}

FilterFunctions<float> choose_float() { return functions_of<float>(); }
FilterFunctions<double> choose_double() { return functions_of<double>(); }

}  // namespace HWY_NAMESPACE
}  // namespace onepass::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::cpu {

ONEPASS_SIMD_EXPORT(choose_float);
ONEPASS_SIMD_EXPORT(choose_double);

template <>
FilterFunctions<float> find_filter_functions<float>() {
  return ONEPASS_SIMD_CALL(choose_float)();
}

template <>
FilterFunctions<double> find_filter_functions<double>() {
  return ONEPASS_SIMD_CALL(choose_double)();
}

}  // namespace onepass::cpu
#endif
