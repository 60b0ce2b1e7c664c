// row_nonfinite.cpp: finds and replaces NaN and Inf in rows of half, float and B10G11R11 texels, in SIMD.
//
// A row is read in blocks of sixteen vectors. A block of halves or floats is finite if its largest magnitude, compared
// as an integer, is less than that of Inf: two operations per vector besides the load (B10G11R11: four), so that finite
// images are read at the speed of memory. A block that fails the test is read again, to classify every lane.
#include "image/row_nonfinite.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "image/row_nonfinite.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include <cstring>

#include "hwy/highway.h"

#include "cpu/simd_dispatch.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::image {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // no vectors: scalar reference

NonFiniteRows choose_nonfinite_rows(Format /*format*/) { return {}; }

#else

namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kBlockVectors = 16;

/// Sets all lanes of every texel of which at least one lane is set in `flags` (all ones or 0). kBits: bits of a texel.
template <size_t kBits, class D>
HWY_INLINE hn::Vec<D> spread_over_texels(D d, hn::Vec<D> flags) {
  using Lane = hn::TFromD<D>;
  if constexpr (kBits == sizeof(Lane) * 8) {
    return flags;
  } else if constexpr (kBits <= 64) {
    using Texel = hwy::UnsignedFromSize<kBits / 8>;
    const hn::Repartition<Texel, D> dt;
    const auto texels = hn::BitCast(dt, flags);
    return hn::BitCast(d, hn::VecFromMask(dt, hn::Ne(texels, hn::Zero(dt))));
  } else {
    static_assert(kBits == 128);
    const hn::Repartition<uint64_t, D> dt;
    const auto halves = hn::BitCast(dt, flags);
    const auto either = hn::Or(halves, hn::Shuffle01(halves));
    return hn::BitCast(d, hn::VecFromMask(dt, hn::Ne(either, hn::Zero(dt))));
  }
}

/// Masks of NaN and infinite lanes (all ones or 0), and the lanes with both replaced.
template <class V>
struct Lanes {
  V nan, infinite, replaced;
};

/// Formats with one word per channel: halves (int16_t) and floats (int32_t).
template <typename Word, size_t kChannels>
struct Plain {
  using Stored = Word;
  using D = hn::ScalableTag<Word>;
  using V = hn::Vec<D>;
  static constexpr size_t kTexelWords = kChannels;
  static constexpr Word kInfinity = static_cast<Word>(sizeof(Word) == 2 ? 0x7C00 : 0x7F800000);

  static HWY_INLINE V magnitude(V words) {
    return hn::And(words, hn::Set(D(), static_cast<Word>(sizeof(Word) == 2 ? 0x7FFF : 0x7FFFFFFF)));
  }

  /// Test of a block: finite() of the join() of test() of all its vectors.
  static HWY_INLINE V test(V words) { return magnitude(words); }
  static HWY_INLINE V join(V a, V b) { return hn::Max(a, b); }
  static HWY_INLINE bool finite(V all) { return hn::AllTrue(D(), hn::Lt(all, hn::Set(D(), kInfinity))); }

  static HWY_INLINE Lanes<V> sort(V words, bool infinite) {
    const D d;
    const V infinity = hn::Set(d, kInfinity);
    const V large = magnitude(words);
    const auto is_nan = hn::Gt(large, infinity);
    const auto is_infinite = hn::Eq(large, hn::Set(d, infinite ? kInfinity : static_cast<Word>(-1)));
    // The bits of Inf minus 1 are those of the largest finite value, for either sign.
    const V limited = hn::IfThenElse(is_infinite, hn::Sub(words, hn::Set(d, Word{1})), words);
    return {hn::VecFromMask(d, is_nan), hn::VecFromMask(d, is_infinite), hn::IfThenZeroElse(is_nan, limited)};
  }
};

/// B10G11R11: one word per texel.
struct Packed {
  using Stored = int32_t;
  using D = hn::ScalableTag<int32_t>;
  using U = hn::RebindToUnsigned<D>;
  using V = hn::Vec<D>;
  static constexpr size_t kTexelWords = 1;

  /// Adding 1 to exponents of all ones carries into bits 10, 21 and 31.
  static HWY_INLINE V test(V words) {
    const D d;
    const V exponents = hn::And(hn::BitCast(d, hn::ShiftRight<1>(hn::BitCast(U(), words))), hn::Set(d, 0x7C1F03E0));
    return hn::Add(exponents, hn::Set(d, 0x04010020));
  }
  static HWY_INLINE V join(V a, V b) { return hn::Or(a, b); }
  static HWY_INLINE bool finite(V all) {
    const D d;
    const V carries = hn::And(all, hn::BitCast(d, hn::Set(U(), 0x80200400U)));
    return hn::AllTrue(d, hn::Eq(carries, hn::Zero(d)));
  }

  /// Masks of one field of each word, and the replaced field at its position.
  template <int kShift, int32_t kMask, int32_t kInfinity>
  static HWY_INLINE Lanes<V> sort_field(V words, bool infinite) {
    const D d;
    const V infinity = hn::Set(d, kInfinity);
    const V field = hn::And(hn::BitCast(d, hn::ShiftRight<kShift>(hn::BitCast(U(), words))), hn::Set(d, kMask));
    const auto is_nan = hn::Gt(field, infinity);
    const auto is_infinite = hn::Eq(field, hn::Set(d, infinite ? kInfinity : -1));
    const V limited = hn::IfThenElse(is_infinite, hn::Set(d, kInfinity - 1), field);
    return {hn::VecFromMask(d, is_nan), hn::VecFromMask(d, is_infinite),
            hn::ShiftLeft<kShift>(hn::IfThenZeroElse(is_nan, limited))};
  }

  static HWY_INLINE Lanes<V> sort(V words, bool infinite) {
    const auto red = sort_field<0, 0x7FF, 0x7C0>(words, infinite);
    const auto green = sort_field<11, 0x7FF, 0x7C0>(words, infinite);
    const auto blue = sort_field<22, 0x3FF, 0x3E0>(words, infinite);
    return {hn::Or3(red.nan, green.nan, blue.nan), hn::Or3(red.infinite, green.infinite, blue.infinite),
            hn::Or3(red.replaced, green.replaced, blue.replaced)};
  }
};

template <class Layout>
HWY_INLINE size_t block_words() {
  return kBlockVectors * hn::Lanes(typename Layout::D());
}

template <class Layout>
HWY_INLINE bool is_finite_block(const typename Layout::Stored* words) {
  const typename Layout::D d;
  const size_t lanes = hn::Lanes(d);
  auto even = Layout::test(hn::LoadU(d, words));
  auto odd = Layout::test(hn::LoadU(d, words + lanes));
  for (size_t i = 2; i < kBlockVectors; i += 2) {
    even = Layout::join(even, Layout::test(hn::LoadU(d, words + i * lanes)));
    odd = Layout::join(odd, Layout::test(hn::LoadU(d, words + (i + 1) * lanes)));
  }
  return Layout::finite(Layout::join(even, odd));
}

/// Adds the NaN and infinite texels of a block to `counts`.
template <class Layout>
void count_block(const typename Layout::Stored* words, bool infinite, NonFiniteCounts& counts) {
  const typename Layout::D d;
  constexpr size_t kBits = Layout::kTexelWords * sizeof(typename Layout::Stored) * 8;
  // Set lanes are -1. hn::CountTrue() gave wrong counts here when g++ 12 compiled it for AVX-512 with -O3.
  auto nan_sums = hn::Zero(d);
  auto infinite_sums = hn::Zero(d);
  for (size_t i = 0; i < kBlockVectors; ++i) {
    const auto lanes = Layout::sort(hn::LoadU(d, words + i * hn::Lanes(d)), infinite);
    const auto nan = spread_over_texels<kBits>(d, lanes.nan);
    const auto other = hn::AndNot(nan, spread_over_texels<kBits>(d, lanes.infinite));
    nan_sums = hn::Sub(nan_sums, nan);
    infinite_sums = hn::Sub(infinite_sums, other);
  }
  HWY_ALIGN typename Layout::Stored sums[2][HWY_MAX_BYTES / sizeof(typename Layout::Stored)];
  hn::Store(nan_sums, d, sums[0]);
  hn::Store(infinite_sums, d, sums[1]);
  size_t nan_lanes = 0, infinite_lanes = 0;
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    nan_lanes += static_cast<size_t>(sums[0][i]);
    infinite_lanes += static_cast<size_t>(sums[1][i]);
  }
  counts.nan += nan_lanes / Layout::kTexelWords;
  counts.infinite += infinite_lanes / Layout::kTexelWords;
}

template <class Layout>
void replace_block(typename Layout::Stored* words, bool infinite) {
  const typename Layout::D d;
  for (size_t i = 0; i < kBlockVectors; ++i) {
    auto* at = words + i * hn::Lanes(d);
    hn::StoreU(Layout::sort(hn::LoadU(d, at), infinite).replaced, d, at);
  }
}

/// Counts the texels of a block that failed the test, and sets the first counted texel if there was none before. If
/// `infinite` is false, a block with Inf but without NaN adds nothing. `x`: column of the block's first texel.
template <class Layout, Format kFormat>
HWY_NOINLINE void count_and_find(const typename Layout::Stored* words, size_t x, bool infinite,
                                 NonFiniteCounts& counts) {
  const bool known = counts.any();
  count_block<Layout>(words, infinite, counts);
  if (known || !counts.any()) return;
  NonFiniteCounts first;
  find_nonfinite_scalar(kFormat, words, block_words<Layout>() / Layout::kTexelWords, infinite, first);
  counts.x = x + first.x;
  counts.channel = first.channel;
  counts.value = first.value;
}

/// A copy of the last, incomplete block of a row, padded with zeros, so that nothing beyond the row is accessed.
template <class Layout>
struct LastBlock {
  using Stored = typename Layout::Stored;
  HWY_ALIGN Stored words[kBlockVectors * HWY_MAX_BYTES / sizeof(Stored)] = {};
  LastBlock(const Stored* from, size_t count) { std::memcpy(words, from, count * sizeof(Stored)); }
};

template <class Layout, Format kFormat>
void find_row(const void* row, size_t texels, bool infinite, NonFiniteCounts& counts) {
  const auto* words = static_cast<const typename Layout::Stored*>(row);
  const size_t count = texels * Layout::kTexelWords;
  const size_t block = block_words<Layout>();
  size_t i = 0;
  for (; i + block <= count; i += block) {
    if (is_finite_block<Layout>(words + i)) continue;
    count_and_find<Layout, kFormat>(words + i, i / Layout::kTexelWords, infinite, counts);
  }
  if (i == count) return;
  const LastBlock<Layout> last(words + i, count - i);
  if (!is_finite_block<Layout>(last.words)) {
    count_and_find<Layout, kFormat>(last.words, i / Layout::kTexelWords, infinite, counts);
  }
}

template <class Layout, Format kFormat>
void replace_row(void* row, size_t texels, bool infinite, NonFiniteCounts& counts) {
  auto* words = static_cast<typename Layout::Stored*>(row);
  const size_t count = texels * Layout::kTexelWords;
  const size_t block = block_words<Layout>();
  size_t i = 0;
  for (; i + block <= count; i += block) {
    if (is_finite_block<Layout>(words + i)) continue;
    count_and_find<Layout, kFormat>(words + i, i / Layout::kTexelWords, infinite, counts);
    replace_block<Layout>(words + i, infinite);
  }
  if (i == count) return;
  LastBlock<Layout> last(words + i, count - i);
  if (is_finite_block<Layout>(last.words)) return;
  count_and_find<Layout, kFormat>(last.words, i / Layout::kTexelWords, infinite, counts);
  replace_block<Layout>(last.words, infinite);
  std::memcpy(words + i, last.words, (count - i) * sizeof(words[0]));
}

template <class Layout, Format kFormat>
NonFiniteRows rows_of() {
  return {find_row<Layout, kFormat>, replace_row<Layout, kFormat>};
}

NonFiniteRows choose_nonfinite_rows(Format format) {
  switch (format) {
    case Format::kR16Sfloat:
      return rows_of<Plain<int16_t, 1>, Format::kR16Sfloat>();
    case Format::kRG16Sfloat:
      return rows_of<Plain<int16_t, 2>, Format::kRG16Sfloat>();
    case Format::kRGBA16Sfloat:
      return rows_of<Plain<int16_t, 4>, Format::kRGBA16Sfloat>();
    case Format::kR32Sfloat:
    case Format::kD32Sfloat:
    case Format::kD32SfloatS8:
      return rows_of<Plain<int32_t, 1>, Format::kR32Sfloat>();
    case Format::kRG32Sfloat:
      return rows_of<Plain<int32_t, 2>, Format::kRG32Sfloat>();
    case Format::kRGBA32Sfloat:
      return rows_of<Plain<int32_t, 4>, Format::kRGBA32Sfloat>();
    case Format::kB10G11R11Ufloat:
      return rows_of<Packed, Format::kB10G11R11Ufloat>();
    default:
      return {};
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace onepass::image
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::image {

ONEPASS_SIMD_EXPORT(choose_nonfinite_rows);

NonFiniteRows find_nonfinite_rows(Format format) { return ONEPASS_SIMD_CALL(choose_nonfinite_rows)(format); }

}  // namespace onepass::image
#endif
