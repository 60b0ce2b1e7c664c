// row_fold_unorm8-inl.hpp: Unorm8Strip: the mean of 8-bit UNORM texels with three column taps and two or three row taps
// (covering footprint, level 1), by exact integer sums. Included once per SIMD target.
//
// Columns come before rows, because the column weights of texel i are integers k-i, k and i+1, divided by 2k+1. The sum
// of three weighted values is below 2^24, so it is exact in integers and in floats and each SIMD target may compute it
// in its own way. The row weights include the division by 2k+1. The loop goes over blocks of kGroups vectors; each row
// of sums is computed once, for both coarse rows that need it:
//
//     values  a0 a1 a2 a3 a4 ...  ->  sums  (k-0) a0 + k a1 + 1 a2,  (k-1) a2 + k a3 + 2 a4, ...
//     three rows of sums          ->  one row of texels
#if defined(ONEPASS_REDUCTION_ROW_FOLD_UNORM8_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEPASS_REDUCTION_ROW_FOLD_UNORM8_INL
#undef ONEPASS_REDUCTION_ROW_FOLD_UNORM8_INL
#else
#define ONEPASS_REDUCTION_ROW_FOLD_UNORM8_INL
#endif

#include <algorithm>
#include <cstring>

#include "reduction/box_kernels.hpp"
#include "reduction/row_fold-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::reduction {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR

constexpr size_t kGroups = 4;  ///< Vectors of sums computed from a row at a time.

#if HWY_ARCH_X86 && HWY_TARGET == HWY_AVX3_DL

/// Weighted sums of three columns, vector by vector: (k-i) a + k b + (i+1) c = k (a+b) + (i+1) (c-a) + a, because one
/// shuffle then gathers the bytes of a lane: a, b, c and a again.
template <uint32_t kChannels>
class ColumnSums {
 public:
  static constexpr size_t kBytesRead = 64;  ///< Bytes of a row read for one vector.

  explicit ColumnSums(const ColumnFold<float>& columns) {
    alignas(64) uint8_t from[64];
    for (uint32_t lane = 0; lane < 16; ++lane) {
      const uint32_t tap = lane / kChannels * 2 * kChannels + lane % kChannels;
      for (uint32_t byte = 0; byte < 4; ++byte)
        from[4 * lane + byte] = static_cast<uint8_t>(tap + byte % 3 * kChannels);
      const auto texel = static_cast<int32_t>(lane / kChannels);
      weights_[lane] = static_cast<int32_t>(columns.middle) + ((static_cast<int32_t>(columns.last[0]) + texel) << 16);
    }
    taps_ = _mm512_load_si512(from);
  }

  using Weights = __m512i;  ///< By lane: k and i+1, 16 bits each.

  /// The weights of vector `index` of the row. Elements beyond the last texel are meaningless.
  HWY_INLINE Weights weights(size_t index) const {
    const auto texels = static_cast<int32_t>(index * 16 / kChannels);
    return _mm512_add_epi32(_mm512_load_si512(weights_), _mm512_set1_epi32(texels << 16));
  }

  HWY_INLINE FloatV sum(const uint8_t* codes, const Weights& weights) const {
    const __m512i taps = _mm512_permutexvar_epi8(taps_, _mm512_loadu_si512(codes));
    const __m512i signs = _mm512_set1_epi32(static_cast<int32_t>(0xFF010101));  // a + b, c - a
    const __m512i a = _mm512_and_si512(taps, _mm512_set1_epi32(0xFF));
    return FloatV{_mm512_cvtepi32_ps(add_product(a, _mm512_maddubs_epi16(taps, signs), weights))};
  }

 private:
  /// Assembly, because Highway 1.0.3 hides the intrinsic from the compiler: see add_bytes in row_tile_srgb.cpp.
  static HWY_INLINE __m512i add_product(__m512i sum, __m512i a, __m512i b) {
    asm("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
  }

  alignas(64) int32_t weights_[16];
  __m512i taps_;
};

#else

/// Weighted sums of three columns, vector by vector.
template <uint32_t kChannels>
class ColumnSums {
 public:
  static constexpr size_t kBytesRead = 2 * HWY_MAX_BYTES / sizeof(float) + 2 * kChannels;

  explicit ColumnSums(const ColumnFold<float>& columns)
      : first_(columns.first), last_(columns.last), middle_(hn::Set(Floats(), columns.middle)) {}

  struct Weights {
    FloatV first;
    FloatV last;
  };

  HWY_INLINE Weights weights(size_t index) const {
    const size_t at = index * hn::Lanes(Floats());
    return {hn::LoadU(Floats(), first_ + at), hn::LoadU(Floats(), last_ + at)};
  }

  HWY_INLINE FloatV sum(const uint8_t* codes, const Weights& weights) const {
    const OneU8 loader;
    const size_t lanes = hn::Lanes(Floats());
    const FloatV lower = loader.load(codes);
    const FloatV upper = loader.load(codes + lanes);
    const uint8_t* next = codes + 2 * kChannels;
    const FloatV following = even_texels<kChannels>(loader.load(next), loader.load(next + lanes));
    const FloatV middle = hn::Mul(middle_, odd_texels<kChannels>(lower, upper));
    return hn::MulAdd(weights.first, even_texels<kChannels>(lower, upper), hn::MulAdd(weights.last, following, middle));
  }

 private:
  const float* first_;
  const float* last_;
  FloatV middle_;
};

#endif

/// Computes a strip of up to four rows.
template <uint32_t kChannels, uint32_t kRowTaps>
class Unorm8Strip {
 public:
  HWY_INLINE Unorm8Strip(const void* const* rows, const WideFold<float>& fold, float* const* outs)
      : fold_(fold), outs_(outs), sums_(fold.columns), scale_(hn::Set(Floats(), fold.columns.scale)) {
    for (size_t i = 0; i < row_count(); ++i) rows_[i] = static_cast<const uint8_t*>(rows[i]);
  }

  /// Computes all texels that need no more than the first `fine` elements of the finer rows. Returns the number of
  /// elements computed of each row.
  HWY_INLINE size_t advance(size_t fine) {
    const size_t count = fold_.texels * kChannels;
    const size_t readable = std::min(fine, fold_.readable);
    if (2 * next_ + kBytesRead <= readable) make_blocks(rows_, std::min(count, (readable - kBytesRead) / 2 + 1));
    if (fine >= fold_.readable) make_last_blocks();
    return std::min(count, next_);
  }

  HWY_INLINE void run() { advance(fold_.readable); }

 private:
  static constexpr size_t kBytesRead = 2 * (kGroups - 1) * HWY_MAX_BYTES / sizeof(float) + ColumnSums<4>::kBytesRead;
  using Group = FloatV[kGroups];
  using Weights = typename ColumnSums<kChannels>::Weights[kGroups];

  [[nodiscard]] size_t row_count() const { return 2 * fold_.count + kRowTaps - 2; }

  /// Computes the remaining elements, less than two blocks, from a copy, so that nothing beyond the rows is read.
  HWY_NOINLINE void make_last_blocks() {
    HWY_ALIGN uint8_t last[2 * kMostPairs + 1][2 * kBytesRead] = {};
    const uint8_t* rows[2 * kMostPairs + 1] = {};
    const size_t begin = std::min(2 * next_, fold_.readable);
    for (size_t row = 0; row < row_count(); ++row) {
      std::memcpy(last[row], rows_[row] + begin, std::min(fold_.readable - begin, sizeof(last[row])));
      rows[row] = last[row];
    }
    make_blocks(rows, fold_.texels * kChannels, begin);
  }

  /// Computes the blocks from next_ to element `end` of the coarser rows. The finer rows begin with element `begin`.
  HWY_NOINLINE void make_blocks(const uint8_t* const* rows, size_t end, size_t begin = 0) {
    const size_t lanes = hn::Lanes(Floats());
    for (; next_ < end; next_ += kGroups * lanes) {
      const size_t from = 2 * next_ - begin;
      Weights weights;
      for (size_t g = 0; g < kGroups; ++g) weights[g] = sums_.weights(next_ / lanes + g);
      Group first;
      sum(rows[0] + from, weights, first);
      // One after the other, not in a loop: the sums of a row that two coarser rows need stay in registers.
      make_row<0>(rows, from, weights, first);
      if (fold_.count > 1) make_row<1>(rows, from, weights, first);
      if (fold_.count > 2) make_row<2>(rows, from, weights, first);
      if (fold_.count > 3) make_row<3>(rows, from, weights, first);
    }
  }

  HWY_INLINE void sum(const uint8_t* codes, const Weights& weights, Group& sums) const {
    const size_t lanes = hn::Lanes(Floats());
    prefetch(codes, 2 * kGroups * lanes);
    for (size_t g = 0; g < kGroups; ++g) sums[g] = sums_.sum(codes + 2 * g * lanes, weights[g]);
  }

  /// Computes a block of coarser row y. With three row taps `a` is the sums of its first finer row and becomes those of
  /// its last.
  template <size_t y>
  HWY_INLINE void make_row(const uint8_t* const* rows, size_t from, const Weights& weights, Group& a) {
    const Floats d;
    Group b;
    Group c;
    const RowFold fold(kRowTaps == 3 ? fold_.weights[y].data() : nullptr, kRowTaps);
    if (kRowTaps == 2 && y > 0) sum(rows[2 * y] + from, weights, a);
    sum(rows[2 * y + 1] + from, weights, b);
    if (kRowTaps == 3) sum(rows[2 * y + 2] + from, weights, c);
    float* out = outs_[y] + next_;
    for (size_t g = 0; g < kGroups; ++g) {
      const FloatV folded = fold_taps<Sum, kRowTaps == 3, kRowTaps>(fold, a[g], b[g], kRowTaps == 3 ? c[g] : b[g]);
      hn::StoreU(kRowTaps == 3 ? folded : hn::Mul(folded, scale_), d, out + g * hn::Lanes(d));
      if (kRowTaps == 3) a[g] = c[g];
    }
  }

  const WideFold<float>& fold_;
  const uint8_t* rows_[2 * kMostPairs + 1] = {};
  float* const* outs_;
  ColumnSums<kChannels> sums_;
  FloatV scale_;
  size_t next_ = 0;  ///< The first element to compute next.
};

#endif  // HWY_TARGET != HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace onepass::reduction
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
