// row_fold_wide-inl.hpp: WideStrip: reduces 2 or 3 rows and 2 or 3 columns to one, for the covering footprint at odd
// sizes; all reductions, source or working rows of 1, 2 or 4 channels. Included once per SIMD target.
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

struct ColumnWeights {
  FloatV first;
  FloatV last;
};

/// Even and odd texels of reduced rows.
struct EvenOdd {
  FloatV even;
  FloatV odd;
};

/// Computes a strip of up to four rows.
template <class Loader, class Op, uint32_t kChannels, bool kIsSource, uint32_t kRowTaps, Taps kTaps>
class WideStrip {
 public:
  using Stored = typename Loader::Stored;

  HWY_INLINE WideStrip(const void* const* rows, const WideFold<float>& fold, float* const* outs)
      : fold_(fold),
        outs_(outs),
        scale_(hn::Set(Floats(), fold.columns.scale)),
        middle_(hn::Set(Floats(), fold.columns.middle)) {
    for (size_t i = 0; i < 2 * fold.count + kRowTaps - 2; ++i) rows_[i] = static_cast<const Stored*>(rows[i]);
  }

  /// Computes all texels that need no more than the first `fine` elements of the finer rows. Returns the number of
  /// elements computed of each row.
  HWY_INLINE size_t advance(size_t fine) {
    const size_t count = fold_.texels * kChannels;
    const size_t lag = kTaps == Taps::kThree ? hn::Lanes(Floats()) : 0;
    for (; next_ / 2 < count + lag; next_ += block_elements()) {
      const bool whole = next_ + block_elements() <= fold_.readable;
      if (whole ? next_ + block_elements() > fine : fine < fold_.readable) break;
      make_block(next_, whole);
    }
    return next_ == 0 ? 0 : std::min(count, next_ / 2 - lag);
  }

  HWY_INLINE void run() { advance(fold_.readable); }

 private:
  /// `whole`: the row has all elements of the block. A condition at run time, because instances for both took as long
  /// to compile again.
  HWY_INLINE void load(size_t row, size_t i, bool whole, FloatV (&values)[4]) const {
    HWY_ALIGN Stored last[kMostBlockElements];
    const Stored* block = rows_[row] + i;
    if (!whole) {
      const size_t begin = std::min(i, fold_.readable);
      std::memset(last, 0, sizeof(last));
      std::memcpy(last, rows_[row] + begin, (fold_.readable - begin) * sizeof(Stored));
      block = last;
    } else if (kIsSource) {
      prefetch(block, block_elements() * sizeof(Stored));
    }
    loader_.load4(block, values);
  }

  HWY_INLINE ColumnWeights weights(size_t at) const {
    const Floats d;
    if constexpr (!Op::kMean || kTaps == Taps::kTwo) return {hn::Zero(d), hn::Zero(d)};
    return {hn::LoadU(d, fold_.columns.first + at), hn::LoadU(d, fold_.columns.last + at)};
  }

  HWY_INLINE FloatV fold_columns(const EvenOdd& texels, FloatV next, const ColumnWeights& weights) const {
    if constexpr (kTaps == Taps::kTwo) {
      const FloatV folded = Op::fold(texels.even, texels.odd);
      return Op::kMean ? hn::Mul(folded, scale_) : folded;
    }
    const FloatV following = following_texels<kChannels>(texels.even, next);
    if constexpr (!Op::kMean) return Op::fold(Op::fold(texels.even, texels.odd), following);
    const FloatV sides = hn::Add(hn::Mul(weights.first, texels.even), hn::Mul(weights.last, following));
    return hn::Add(sides, hn::Mul(middle_, texels.odd));
  }

  /// Reduces the block of finer texels that begins with element i, of all rows.
  HWY_INLINE void make_block(size_t i, bool whole) {
    const Floats d;
    const size_t lanes = hn::Lanes(d);
    const size_t at = i / 2;
    FloatV a[4];
    FloatV b[4];
    FloatV c[4];
    load(0, i, whole, a);
    const ColumnWeights weights_before = weights(i > 0 ? at - lanes : at);
    const ColumnWeights weights_here = weights(at);
    for (size_t y = 0; y < fold_.count; ++y) {
      const RowFold rows(Op::kMean && kRowTaps == 3 ? fold_.weights[y].data() : nullptr, kRowTaps);
      if (kRowTaps == 2 && y > 0) load(2 * y, i, whole, a);
      load(2 * y + 1, i, whole, b);
      if (kRowTaps == 3) load(2 * y + 2, i, whole, c);
      FloatV folded[4];
      for (size_t v = 0; v < 4; ++v) {
        folded[v] = fold_taps < Op, Op::kMean && kRowTaps == 3,
        kRowTaps > (rows, a[v], b[v], kRowTaps == 3 ? c[v] : b[v]);
        if (kRowTaps == 3) a[v] = c[v];
      }
      const EvenOdd left = {even_texels<kChannels>(folded[0], folded[1]), odd_texels<kChannels>(folded[0], folded[1])};
      const EvenOdd right = {even_texels<kChannels>(folded[2], folded[3]), odd_texels<kChannels>(folded[2], folded[3])};
      if (kTaps == Taps::kThree && i > 0) {
        hn::StoreU(fold_columns(waiting_[y], left.even, weights_before), d, outs_[y] + at - lanes);
      }
      hn::StoreU(fold_columns(left, right.even, weights_here), d, outs_[y] + at);
      if (kTaps == Taps::kTwo) hn::StoreU(fold_columns(right, right.even, weights_here), d, outs_[y] + at + lanes);
      waiting_[y] = right;
    }
  }

  const WideFold<float>& fold_;
  const Stored* rows_[2 * kMostPairs + 1] = {};
  float* const* outs_;
  Loader loader_;
  FloatV scale_;
  FloatV middle_;
  EvenOdd waiting_[kMostPairs];
  size_t next_ = 0;  ///< The first element of the finer rows to read next.
};

#endif  // HWY_TARGET != HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace onepass::reduction
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
