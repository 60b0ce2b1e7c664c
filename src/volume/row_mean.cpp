// row_mean.cpp: mean_rows(): sums of rows and their rounding, in SIMD. A block is two vectors of sums; the rest of a
// row is the scalar version's.
#include <bit>
#include <type_traits>

#include "volume/rows.hpp"

#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "volume/row_mean.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "cpu/simd_dispatch.hpp"
#include "image/row_half-inl.hpp"
#include "image/row_load-inl.hpp"
#include "volume/prefetch.hpp"
#include "volume/scalar_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::volume {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

template <typename Sum>
using Sums = hn::ScalableTag<Sum>;
template <typename Sum>
using SumV = hn::Vec<Sums<Sum>>;

template <class D>
HWY_INLINE hn::Vec<D> load_bytes(D d, const std::byte* from) {
  const hn::Repartition<uint8_t, D> bytes;
  return hn::BitCast(d, hn::LoadU(bytes, reinterpret_cast<const uint8_t*>(from)));
}

/// Loads 2 * Lanes(Sums) elements of type T.
template <typename T, typename Sum>
HWY_INLINE void load_block(const std::byte* from, SumV<Sum>& lower, SumV<Sum>& upper) {
  const Sums<Sum> d;
  const size_t lanes = hn::Lanes(d);
  if constexpr (std::is_same_v<T, Half>) {
    const hn::Half<image::HWY_NAMESPACE::Floats> half;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    const hn::Rebind<hwy::float16_t, image::HWY_NAMESPACE::Floats> stored;
    const auto values = hn::PromoteTo(image::HWY_NAMESPACE::Floats(), load_bytes(stored, from));
#else
    const hn::Rebind<uint16_t, image::HWY_NAMESPACE::Words> words;
    const auto values = image::HWY_NAMESPACE::floats_of_half_bits(
        hn::PromoteTo(image::HWY_NAMESPACE::Words(), load_bytes(words, from)));
#endif
    lower = hn::PromoteTo(d, hn::LowerHalf(half, values));
    upper = hn::PromoteTo(d, hn::UpperHalf(half, values));
  } else if constexpr (std::is_same_v<T, Sum>) {
    lower = load_bytes(d, from);
    upper = load_bytes(d, from + lanes * sizeof(T));
  } else if constexpr (std::is_same_v<T, uint32_t>) {
    const hn::RebindToUnsigned<Sums<Sum>> wide;
    const hn::Rebind<T, Sums<Sum>> narrow;
    lower = hn::BitCast(d, hn::PromoteTo(wide, load_bytes(narrow, from)));
    upper = hn::BitCast(d, hn::PromoteTo(wide, load_bytes(narrow, from + lanes * sizeof(T))));
  } else {
    const hn::Rebind<T, Sums<Sum>> narrow;
    lower = hn::PromoteTo(d, load_bytes(narrow, from));
    upper = hn::PromoteTo(d, load_bytes(narrow, from + lanes * sizeof(T)));
  }
}

template <typename T, typename Sum, uint32_t kRows>
HWY_INLINE void sum_block(const RowFold& fold, size_t i, SumV<Sum>& lower, SumV<Sum>& upper) {
  const size_t at = i * sizeof(T);
  load_block<T, Sum>(fold.rows[0] + at, lower, upper);
  if constexpr (kRows == 1) return;
  SumV<Sum> lower_1;
  SumV<Sum> upper_1;
  load_block<T, Sum>(fold.rows[1] + at, lower_1, upper_1);
  lower = hn::Add(lower, lower_1);
  upper = hn::Add(upper, upper_1);
  if constexpr (kRows == 2) return;
  SumV<Sum> lower_2;
  SumV<Sum> upper_2;
  load_block<T, Sum>(fold.rows[2] + at, lower_2, upper_2);
  load_block<T, Sum>(fold.rows[3] + at, lower_1, upper_1);
  lower = hn::Add(lower, hn::Add(lower_2, lower_1));
  upper = hn::Add(upper, hn::Add(upper_2, upper_1));
}

template <typename T, typename Sum, uint32_t kRows, bool kPairs>
size_t sum_blocks(const RowFold& fold) {
  const Sums<Sum> d;
  const size_t lanes = hn::Lanes(d);
  auto* out = reinterpret_cast<Sum*>(fold.out);
  size_t i = 0;
  for (; i + 2 * lanes <= fold.elements; i += 2 * lanes) {
    SumV<Sum> lower;
    SumV<Sum> upper;
    prefetch_rows(fold, i * sizeof(T), 2 * lanes * sizeof(T));
    sum_block<T, Sum, kRows>(fold, i, lower, upper);
    if constexpr (kPairs) {
      hn::StoreU(hn::Add(hn::ConcatEven(d, upper, lower), hn::ConcatOdd(d, upper, lower)), d, out + i / 2);
    } else {
      hn::StoreU(lower, d, out + i);
      hn::StoreU(upper, d, out + i + lanes);
    }
  }
  return i;
}

/// Divides by a power of two, 2^shift: adds just below one half, and 1 in the last place of odd quotients.
template <typename Sum, typename T>
size_t shift_blocks(const std::byte* sums, size_t elements, int shift, std::byte* out) {
  const Sums<Sum> d;
  const size_t lanes = hn::Lanes(d);
  const SumV<Sum> one = hn::Set(d, Sum{1});
  const SumV<Sum> below_half = hn::Set(d, static_cast<Sum>((Sum{1} << shift) / 2 - 1));
  size_t i = 0;
  for (; i + lanes <= elements; i += lanes) {
    const SumV<Sum> sum = load_bytes(d, sums + i * sizeof(Sum));
    const SumV<Sum> odd = hn::And(hn::ShiftRightSame(sum, shift), one);
    const SumV<Sum> quotient = hn::ShiftRightSame(hn::Add(sum, hn::Add(below_half, odd)), shift);
    const hn::Rebind<T, Sums<Sum>> narrow;
    auto* to = reinterpret_cast<T*>(out) + i;
    if constexpr (sizeof(Sum) == 8) {
      const hn::RebindToUnsigned<Sums<Sum>> wide;
      const hn::Rebind<uint32_t, Sums<Sum>> words;
      hn::StoreU(hn::BitCast(narrow, hn::TruncateTo(words, hn::BitCast(wide, quotient))), narrow, to);
    } else {
      hn::StoreU(hn::DemoteTo(narrow, quotient), narrow, to);
    }
  }
  return i;
}

template <typename Sum, typename T>
size_t divide_blocks(const std::byte* sums, size_t elements, uint64_t count, std::byte* out) {
  const Sums<Sum> d;
  const hn::Rebind<float, Sums<Sum>> floats;
  const SumV<Sum> divisor = hn::Set(d, static_cast<double>(count));
  size_t i = 0;
  for (; i + hn::Lanes(d) <= elements; i += hn::Lanes(d)) {
    const SumV<Sum> sum = load_bytes(d, sums + i * sizeof(Sum));
    hn::StoreU(hn::DemoteTo(floats, hn::Div(sum, divisor)), floats, reinterpret_cast<float*>(out) + i);
  }
  return i;
}

/// The same, to halves by way of floats.
size_t divide_to_halves(const std::byte* sums, size_t elements, uint64_t count, std::byte* out) {
  using image::HWY_NAMESPACE::Floats;
  const Sums<double> d;
  const hn::Rebind<float, Sums<double>> floats;
  const size_t lanes = hn::Lanes(d);
  const SumV<double> divisor = hn::Set(d, static_cast<double>(count));
  size_t i = 0;
  for (; i + 2 * lanes <= elements; i += 2 * lanes) {
    const std::byte* from = sums + i * sizeof(double);
    const auto lower = hn::DemoteTo(floats, hn::Div(load_bytes(d, from), divisor));
    const auto upper = hn::DemoteTo(floats, hn::Div(load_bytes(d, from + lanes * sizeof(double)), divisor));
    image::HWY_NAMESPACE::store_halves(hn::Combine(Floats(), upper, lower), reinterpret_cast<uint16_t*>(out) + i);
  }
  return i;
}

#else

template <typename T, typename Sum, uint32_t kRows, bool kPairs>
size_t sum_blocks(const RowFold& /*fold*/) {
  return 0;
}

#endif

template <typename T, typename Sum, bool kPairs>
void sum_rows(const RowFold& fold) {
  if (fold.row_count == 1) return sum_rest<T, Sum, 1, kPairs>(fold, sum_blocks<T, Sum, 1, kPairs>(fold));
  if (fold.row_count == 2) return sum_rest<T, Sum, 2, kPairs>(fold, sum_blocks<T, Sum, 2, kPairs>(fold));
  sum_rest<T, Sum, 4, kPairs>(fold, sum_blocks<T, Sum, 4, kPairs>(fold));
}

template <typename Sum, typename T>
void round_row(const std::byte* sums, size_t elements, uint64_t count, std::byte* out) {
  size_t done = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<T, float>) {
    done = divide_blocks<Sum, T>(sums, elements, count, out);
  } else if constexpr (std::is_same_v<T, Half>) {
    done = divide_to_halves(sums, elements, count, out);
  } else if constexpr (sizeof(Sum) == 4 || sizeof(T) == 4) {
    if (count > 1 && std::has_single_bit(count)) {
      done = shift_blocks<Sum, T>(sums, elements, std::countr_zero(count), out);
    }
  }
#endif
  round_rest<Sum, T>(sums, done, elements, count, out);
}

template <typename T, typename Sum>
void set_folds(RowFunctions& functions) {
  functions.elements = sum_rows<T, Sum, false>;
  functions.pairs = sum_rows<T, Sum, true>;
  functions.halve = halve_sums<Sum>;
}

template <typename Sum>
void set_folds_of(Element finer, RowFunctions& functions) {
  if constexpr (std::is_same_v<Sum, int32_t>) {
    if (finer == Element::kU8) set_folds<uint8_t, Sum>(functions);
    if (finer == Element::kI8) set_folds<int8_t, Sum>(functions);
    if (finer == Element::kU16) set_folds<uint16_t, Sum>(functions);
    if (finer == Element::kI16) set_folds<int16_t, Sum>(functions);
    if (finer == Element::kI32) set_folds<int32_t, Sum>(functions);
  } else if constexpr (std::is_same_v<Sum, int64_t>) {
    if (finer == Element::kU32) set_folds<uint32_t, Sum>(functions);
    if (finer == Element::kI32) set_folds<int32_t, Sum>(functions);
    if (finer == Element::kI64) set_folds<int64_t, Sum>(functions);
  } else {
    if (finer == Element::kF16) set_folds<Half, Sum>(functions);
    if (finer == Element::kF32) set_folds<float, Sum>(functions);
    if (finer == Element::kF64) set_folds<double, Sum>(functions);
  }
}

template <typename Sum>
RoundRow round_of(VoxelType type) {
  if constexpr (std::is_same_v<Sum, double>) {
    return type == VoxelType::kFloat16 ? round_row<Sum, Half> : round_row<Sum, float>;
  } else {
    if (type == VoxelType::kUint8) return round_row<Sum, uint8_t>;
    if (type == VoxelType::kInt8) return round_row<Sum, int8_t>;
    if (type == VoxelType::kUint16) return round_row<Sum, uint16_t>;
    if (type == VoxelType::kInt16) return round_row<Sum, int16_t>;
    if constexpr (sizeof(Sum) == 8) {
      return type == VoxelType::kUint32 ? round_row<Sum, uint32_t> : round_row<Sum, int32_t>;
    }
    return nullptr;
  }
}

void set_mean_rows(Element finer, Element sum, VoxelType type, RowFunctions& functions) {
  if (sum == Element::kI32) {
    set_folds_of<int32_t>(finer, functions);
    functions.round = round_of<int32_t>(type);
  } else if (sum == Element::kI64) {
    set_folds_of<int64_t>(finer, functions);
    functions.round = round_of<int64_t>(type);
  } else {
    set_folds_of<double>(finer, functions);
    functions.round = round_of<double>(type);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace onepass::volume
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::volume {

ONEPASS_SIMD_EXPORT(set_mean_rows);

RowFunctions mean_rows(Element finer, Element sum, VoxelType type) {
  RowFunctions functions;
  ONEPASS_SIMD_CALL(set_mean_rows)(finer, sum, type, functions);
  return functions;
}

}  // namespace onepass::volume
#endif
