// row_fold_wide-inl.hpp: WideStrip and fold_wide(): reduce 2 or 3 rows and 2 or 3 columns to one, for the covering
// footprint at odd sizes; all reductions, source or working rows of 1, 2 or 4 channels. Included once per SIMD target.
//
// The loop goes over blocks of four vectors. Up to nine finer rows become four coarser ones in one pass; a row that two
// coarser rows need is decoded once. With three column taps the last texel of a vector needs the first texel of the
// next one, so the last vector of a block is stored one block later:
//
//     finer texels     | 0 1 2 3 | 4 5 6 7 | 8 9 ...
//     coarser texels     |  0  |   |  2  |
//                            |  1  |   |  3  |     1 needs 2, 3 and 4
#if defined(ONEPASS_REDUCTION_ROW_FOLD_WIDE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEPASS_REDUCTION_ROW_FOLD_WIDE_INL
#undef ONEPASS_REDUCTION_ROW_FOLD_WIDE_INL
#else
#define ONEPASS_REDUCTION_ROW_FOLD_WIDE_INL
#endif

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "image/div_up.hpp"
#include "reduction/box_kernels.hpp"
#include "reduction/row_fold-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::reduction {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR

/// The vector that begins one texel after `texels`; its last texel comes from `next`.
template <uint32_t kChannels>
HWY_INLINE FloatV following_texels(FloatV texels, FloatV next) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return FloatV{_mm512_castsi512_ps(
      _mm512_alignr_epi32(_mm512_castps_si512(next.raw), _mm512_castps_si512(texels.raw), kChannels))};
#else
  const Floats d;
  const hn::Repartition<uint8_t, Floats> d8;
#if HWY_ARCH_X86 && HWY_TARGET == HWY_AVX2
  const FloatV after = hn::ConcatLowerUpper(d, next, texels);  // the block after each block of 16 bytes
#else
  const FloatV after = next;
#endif
  if constexpr (kChannels == 4) {
    return after;
  } else {
    return hn::BitCast(d,
                       hn::CombineShiftRightBytes<4 * kChannels>(d8, hn::BitCast(d8, after), hn::BitCast(d8, texels)));
  }
#endif
}

/// Extremes of several channels are smallest values, so that they share instances: a largest value is the negated
/// smallest of negated values. Vectors are negated where signs_of() has a sign. One channel, the most frequent, does
/// without.
template <class Op, uint32_t kChannels>
using SharedOp = std::conditional_t<Op::kMean || kChannels == 1, Op, Smallest>;

template <class Op>
HWY_INLINE FloatV signs_of() {
  const FloatV negative = hn::Set(Floats(), -0.0F);
  if constexpr (std::is_same_v<Op, Largest>) return negative;
  if constexpr (std::is_same_v<Op, Bounds>) return hn::OddEven(negative, hn::Zero(Floats()));
  return hn::Zero(Floats());
}

struct ColumnWeights {
  FloatV first;
  FloatV last;
};

/// Even and odd texels of reduced rows.
struct EvenOdd {
  FloatV even;
  FloatV odd;
};

/// Computes a strip of up to four rows. `Op`: a SharedOp.
template <class Loader, class Op, uint32_t kChannels, bool kIsSource, uint32_t kRowTaps, Taps kTaps>
class WideStrip {
 public:
  using Stored = typename Loader::Stored;

  HWY_INLINE WideStrip(const void* const* rows, const WideFold<float>& fold, float* const* outs, FloatV signs)
      : fold_(fold),
        outs_(outs),
        signs_(signs),
        scale_(hn::Set(Floats(), fold.columns.scale)),
        middle_(hn::Set(Floats(), fold.columns.middle)) {
    for (size_t i = 0; i < row_count(); ++i) rows_[i] = static_cast<const Stored*>(rows[i]);
  }

  /// Computes all texels that need no more than the first `fine` elements of the finer rows. Returns the number of
  /// elements computed of each row.
  HWY_INLINE size_t advance(size_t fine) {
    const size_t count = fold_.texels * kChannels;
    const size_t lag = kTaps == Taps::kThree ? hn::Lanes(Floats()) : 0;
    const size_t whole = std::min(fine, fold_.readable) / block_elements() * block_elements();
    if (next_ < whole) make_blocks(rows_, std::min(whole, round_up(2 * (count + lag), block_elements())));
    if (fine >= fold_.readable) make_last_blocks(count + lag);
    return next_ == 0 ? 0 : std::min(count, next_ / 2 - lag);
  }

  HWY_INLINE void run() { advance(fold_.readable); }

 private:
  using Vectors = FloatV[4];

  [[nodiscard]] size_t row_count() const { return 2 * fold_.count + kRowTaps - 2; }

  /// Computes the blocks up to element `end` of the coarser rows (with the lag) from copies of the finer rows' last
  /// elements, so that nothing beyond the rows is read.
  HWY_NOINLINE void make_last_blocks(size_t end) {
    HWY_ALIGN Stored last[2 * kMostPairs + 1][kMostBlockElements];
    const Stored* rows[2 * kMostPairs + 1] = {};
    while (next_ / 2 < end) {
      const size_t begin = std::min(next_, fold_.readable);
      for (size_t row = 0; row < row_count(); ++row) {
        std::memset(last[row], 0, sizeof(last[row]));
        std::memcpy(last[row], rows_[row] + begin, std::min(fold_.readable - begin, block_elements()) * sizeof(Stored));
        rows[row] = last[row];
      }
      make_blocks(rows, next_ + block_elements(), next_);
    }
  }

  HWY_INLINE void load(const Stored* block, Vectors& values) const {
    if (kIsSource) prefetch(block, block_elements() * sizeof(Stored));
    loader_.load4(block, values);
    for (FloatV& value : values) value = with_sign(value);
  }

  HWY_INLINE FloatV with_sign(FloatV value) const {
    return Op::kMean || kChannels == 1 ? value : hn::Xor(value, signs_);
  }

  HWY_INLINE ColumnWeights weights(size_t at) const {
    const Floats d;
    if constexpr (!Op::kMean || kTaps == Taps::kTwo) return {hn::Zero(d), hn::Zero(d)};
    return {hn::LoadU(d, fold_.columns.first + at), hn::LoadU(d, fold_.columns.last + at)};
  }

  HWY_INLINE FloatV fold_columns(const EvenOdd& texels, FloatV next, const ColumnWeights& weights) const {
    if constexpr (kTaps == Taps::kTwo) {
      const FloatV folded = Op::fold(texels.even, texels.odd);
      return Op::kMean ? hn::Mul(folded, scale_) : with_sign(folded);
    }
    const FloatV following = following_texels<kChannels>(texels.even, next);
    if constexpr (!Op::kMean) return with_sign(Op::fold(Op::fold(texels.even, texels.odd), following));
    const FloatV sides = hn::Add(hn::Mul(weights.first, texels.even), hn::Mul(weights.last, following));
    return hn::Add(sides, hn::Mul(middle_, texels.odd));
  }

  /// Reduces the blocks from next_ to element `end` of the finer rows, which begin with element `begin`.
  HWY_NOINLINE void make_blocks(const Stored* const* rows, size_t end, size_t begin = 0) {
    for (; next_ < end; next_ += block_elements()) {
      const size_t at = next_ / 2;
      const size_t from = next_ - begin;
      const ColumnWeights before = weights(next_ > 0 ? at - hn::Lanes(Floats()) : at);
      const ColumnWeights here = weights(at);
      Vectors first;
      load(rows[0] + from, first);
      // One after the other, not in a loop: the third row of a coarser row, the first of the next, stays in registers.
      make_row<0>(rows, from, at, before, here, first);
      if (fold_.count > 1) make_row<1>(rows, from, at, before, here, first);
      if (fold_.count > 2) make_row<2>(rows, from, at, before, here, first);
      if (fold_.count > 3) make_row<3>(rows, from, at, before, here, first);
    }
  }

  /// Reduces a block to row y. With three row taps `a` is the first finer row and becomes the last one.
  template <size_t y>
  HWY_INLINE void make_row(const Stored* const* rows, size_t from, size_t at, const ColumnWeights& before,
                           const ColumnWeights& here, Vectors& a) {
    const Floats d;
    const size_t lanes = hn::Lanes(d);
    Vectors b;
    Vectors c;
    const RowFold row_fold(Op::kMean && kRowTaps == 3 ? fold_.weights[y].data() : nullptr, kRowTaps);
    if (kRowTaps == 2 && y > 0) load(rows[2 * y] + from, a);
    load(rows[2 * y + 1] + from, b);
    if (kRowTaps == 3) load(rows[2 * y + 2] + from, c);
    Vectors folded;
    for (size_t v = 0; v < 4; ++v) {
      folded[v] = fold_taps < Op, Op::kMean && kRowTaps == 3,
      kRowTaps > (row_fold, a[v], b[v], kRowTaps == 3 ? c[v] : b[v]);
      if (kRowTaps == 3) a[v] = c[v];
    }
    const EvenOdd left = {even_texels<kChannels>(folded[0], folded[1]), odd_texels<kChannels>(folded[0], folded[1])};
    const EvenOdd right = {even_texels<kChannels>(folded[2], folded[3]), odd_texels<kChannels>(folded[2], folded[3])};
    float* out = outs_[y] + at;
    if (kTaps == Taps::kThree && at > 0) {
      hn::StoreU(fold_columns(waiting_[y], left.even, before), d, out - lanes);
    }
    hn::StoreU(fold_columns(left, right.even, here), d, out);
    if (kTaps == Taps::kTwo) hn::StoreU(fold_columns(right, right.even, here), d, out + lanes);
    waiting_[y] = right;
  }

  const WideFold<float>& fold_;
  const Stored* rows_[2 * kMostPairs + 1] = {};
  float* const* outs_;
  Loader loader_;
  FloatV signs_;  ///< Of extremes of several channels.
  FloatV scale_;
  FloatV middle_;
  EvenOdd waiting_[kMostPairs];
  size_t next_ = 0;  ///< The first element of the finer rows to read next.
};

template <class Loader, class Op, uint32_t kChannels, uint32_t kRowTaps, Taps kTaps>
void fold_wide_of(const void* const* rows, const WideFold<float>& fold, float* const* outs) {
  WideStrip<Loader, SharedOp<Op, kChannels>, kChannels, true, kRowTaps, kTaps>(rows, fold, outs, signs_of<Op>()).run();
}

template <class Loader, class Op, uint32_t kChannels>
void fold_wide(const void* const* rows, const WideFold<float>& fold, float* const* outs) {
  // Two taps on both axes are fold_quads.
  if (fold.row_taps == 2) return fold_wide_of<Loader, Op, kChannels, 2, Taps::kThree>(rows, fold, outs);
  return fold.columns.taps == Taps::kTwo ? fold_wide_of<Loader, Op, kChannels, 3, Taps::kTwo>(rows, fold, outs)
                                         : fold_wide_of<Loader, Op, kChannels, 3, Taps::kThree>(rows, fold, outs);
}

#endif  // HWY_TARGET != HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace onepass::reduction
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
