// row_order.cpp: extreme_rows() and mode_rows() in SIMD. The rest of a row that fills no block is the scalar version's.
//
// The mode of 2, 4 or 8 labels, lane by lane: a sorting network puts equal labels side by side. In sorted order label i
// occurs n times or more where label i + n - 1 equals it. Going through n from 2 up, and for each n through i down, the
// last match is the smallest of the most frequent labels. Blocks of one label, most of a segmentation, are not sorted.
#include "volume/rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "volume/row_order.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "cpu/simd_dispatch.hpp"
#include "hwy/highway.h"
#include "volume/prefetch.hpp"
#include "volume/scalar_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::volume {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

template <typename T>
using Lanes = hn::ScalableTag<T>;
template <typename T>
using LanesV = hn::Vec<Lanes<T>>;

template <typename T>
HWY_INLINE LanesV<T> load_lanes(const std::byte* from) {
  const Lanes<T> d;
  const hn::Repartition<uint8_t, Lanes<T>> bytes;
  return hn::BitCast(d, hn::LoadU(bytes, reinterpret_cast<const uint8_t*>(from)));
}

/// The bits of floats as integers of their order, and back: order_key() of scalar_rows.hpp.
template <typename T, bool kKeyed>
HWY_INLINE LanesV<T> keys(LanesV<T> bits) {
  if constexpr (!kKeyed) {
    return bits;
  } else {
    const LanesV<T> magnitude = hn::Set(Lanes<T>(), std::numeric_limits<T>::max());
    return hn::Xor(bits, hn::And(hn::ShiftRight<8 * sizeof(T) - 1>(bits), magnitude));
  }
}

template <bool kMax, class V>
HWY_INLINE V extreme_of(V a, V b) {
  return kMax ? hn::Max(a, b) : hn::Min(a, b);
}

template <typename T, bool kKeyed, bool kMax>
HWY_INLINE LanesV<T> extreme_of_rows(const RowFold& fold, size_t at) {
  LanesV<T> value = keys<T, kKeyed>(load_lanes<T>(fold.rows[0] + at));
  for (uint32_t row = 1; row < fold.row_count; ++row) {
    value = extreme_of<kMax>(value, keys<T, kKeyed>(load_lanes<T>(fold.rows[row] + at)));
  }
  return value;
}

template <typename T, bool kKeyed, bool kMax, bool kPairs>
size_t extreme_blocks(const RowFold& fold) {
  const Lanes<T> d;
  const size_t lanes = hn::Lanes(d);
  auto* out = reinterpret_cast<T*>(fold.out);
  size_t i = 0;
  for (; i + 2 * lanes <= fold.elements; i += 2 * lanes) {
    const size_t at = i * sizeof(T);
    if (sizeof(T) < 8) prefetch_rows(fold, at, 2 * lanes * sizeof(T));
    const LanesV<T> lower = extreme_of_rows<T, kKeyed, kMax>(fold, at);
    const LanesV<T> upper = extreme_of_rows<T, kKeyed, kMax>(fold, at + lanes * sizeof(T));
    if constexpr (kPairs) {
      const LanesV<T> even = hn::ConcatEven(d, upper, lower);
      hn::StoreU(keys<T, kKeyed>(extreme_of<kMax>(even, hn::ConcatOdd(d, upper, lower))), d, out + i / 2);
    } else {
      hn::StoreU(keys<T, kKeyed>(lower), d, out + i);
      hn::StoreU(keys<T, kKeyed>(upper), d, out + i + lanes);
    }
  }
  return i;
}

template <class V>
HWY_INLINE void sort_two(V& a, V& b) {
  const V least = hn::Min(a, b);
  b = hn::Max(a, b);
  a = least;
}

/// Batcher's odd-even merge sort.
template <size_t kCount, class V>
HWY_INLINE void sort_lanes(V* v) {
  if constexpr (kCount >= 2) sort_two(v[0], v[1]);
  if constexpr (kCount >= 4) {
    sort_two(v[2], v[3]);
    sort_two(v[0], v[2]);
    sort_two(v[1], v[3]);
    sort_two(v[1], v[2]);
  }
  if constexpr (kCount == 8) {
    sort_lanes<4>(v + 4);
    sort_two(v[0], v[4]);
    sort_two(v[1], v[5]);
    sort_two(v[2], v[6]);
    sort_two(v[3], v[7]);
    sort_two(v[2], v[4]);
    sort_two(v[3], v[5]);
    sort_two(v[1], v[2]);
    sort_two(v[3], v[4]);
    sort_two(v[5], v[6]);
  }
}

template <typename T, size_t kCount>
HWY_INLINE LanesV<T> mode_of(LanesV<T>* labels) {
  const Lanes<T> d;
  LanesV<T> differences = hn::Zero(d);
  for (size_t i = 1; i < kCount; ++i) differences = hn::Or(differences, hn::Xor(labels[0], labels[i]));
  if (hn::AllTrue(d, hn::Eq(differences, hn::Zero(d)))) return labels[0];
  sort_lanes<kCount>(labels);
  LanesV<T> best = labels[0];
  for (size_t run = 2; run <= kCount; ++run) {
    for (size_t i = kCount - run + 1; i-- > 0;) {
      best = hn::IfThenElse(hn::Eq(labels[i], labels[i + run - 1]), labels[i], best);
    }
  }
  return best;
}

template <typename T, uint32_t kRows, bool kPairs>
size_t mode_blocks(const RowFold& fold) {
  const Lanes<T> d;
  const size_t lanes = hn::Lanes(d);
  const size_t step = kPairs ? 2 * lanes : lanes;
  auto* out = reinterpret_cast<T*>(fold.out);
  size_t i = 0;
  for (; i + step <= fold.elements; i += step) {
    if (sizeof(T) < 8) prefetch_rows(fold, i * sizeof(T), step * sizeof(T));  // wide labels saturate memory as they are
    LanesV<T> labels[kPairs ? 2 * kRows : kRows];
    for (uint32_t row = 0; row < kRows; ++row) {
      const std::byte* from = fold.rows[row] + i * sizeof(T);
      if constexpr (kPairs) {
        const LanesV<T> lower = load_lanes<T>(from);
        const LanesV<T> upper = load_lanes<T>(from + lanes * sizeof(T));
        labels[2 * row] = hn::ConcatEven(d, upper, lower);
        labels[2 * row + 1] = hn::ConcatOdd(d, upper, lower);
      } else {
        labels[row] = load_lanes<T>(from);
      }
    }
    hn::StoreU(mode_of < T, kPairs ? 2 * kRows : kRows > (labels), d, out + (kPairs ? i / 2 : i));
  }
  return i;
}

#else

template <typename T, bool kKeyed, bool kMax, bool kPairs>
size_t extreme_blocks(const RowFold& /*fold*/) {
  return 0;
}

template <typename T, uint32_t kRows, bool kPairs>
size_t mode_blocks(const RowFold& /*fold*/) {
  return 0;
}

#endif

template <typename T, bool kKeyed, bool kMax, bool kPairs>
void extreme_row(const RowFold& fold) {
  extreme_rest<T, kKeyed, kMax, kPairs>(fold, extreme_blocks<T, kKeyed, kMax, kPairs>(fold));
}

template <typename T, bool kPairs>
void mode_row(const RowFold& fold) {
  if (fold.row_count == 1) return mode_rest<T, kPairs>(fold, mode_blocks<T, 1, kPairs>(fold));
  if (fold.row_count == 2) return mode_rest<T, kPairs>(fold, mode_blocks<T, 2, kPairs>(fold));
  mode_rest<T, kPairs>(fold, mode_blocks<T, 4, kPairs>(fold));
}

template <typename T, bool kKeyed, bool kMax>
void set_extremes(RowFunctions& functions) {
  functions.elements = extreme_row<T, kKeyed, kMax, false>;
  functions.pairs = extreme_row<T, kKeyed, kMax, true>;
  functions.halve = halve_extremes<T, kKeyed, kMax>;
}

template <typename T, bool kKeyed>
void set_order(Reduction reduction, RowFunctions& functions) {
  if (reduction == Reduction::kMin) return set_extremes<T, kKeyed, false>(functions);
  if (reduction == Reduction::kMax) return set_extremes<T, kKeyed, true>(functions);
  if constexpr (!kKeyed) {
    functions.elements = mode_row<T, false>;
    functions.pairs = mode_row<T, true>;
  }
}

void set_order_rows(Reduction reduction, VoxelType type, RowFunctions& functions) {
  switch (type) {
    case VoxelType::kUint8:
      return set_order<uint8_t, false>(reduction, functions);
    case VoxelType::kInt8:
      return set_order<int8_t, false>(reduction, functions);
    case VoxelType::kUint16:
      return set_order<uint16_t, false>(reduction, functions);
    case VoxelType::kInt16:
      return set_order<int16_t, false>(reduction, functions);
    case VoxelType::kUint32:
      return set_order<uint32_t, false>(reduction, functions);
    case VoxelType::kInt32:
      return set_order<int32_t, false>(reduction, functions);
    case VoxelType::kUint64:
      return set_order<uint64_t, false>(reduction, functions);
    case VoxelType::kFloat16:
      return set_order<int16_t, true>(reduction, functions);
    case VoxelType::kFloat32:
      return set_order<int32_t, true>(reduction, functions);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace onepass::volume
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::volume {

ONEPASS_SIMD_EXPORT(set_order_rows);

RowFunctions extreme_rows(Reduction reduction, VoxelType type) {
  RowFunctions functions;
  ONEPASS_SIMD_CALL(set_order_rows)(reduction, type, functions);
  return functions;
}

RowFunctions mode_rows(VoxelType type) { return extreme_rows(Reduction::kMode, type); }

}  // namespace onepass::volume
#endif
