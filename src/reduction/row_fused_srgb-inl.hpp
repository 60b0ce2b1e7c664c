// row_fused_srgb-inl.hpp: the levels of row_fused_srgb.cpp, which has the idea: decoding of RGBA8 sRGB and reduction by
// two or three taps per axis, in blocks of a row, from right to left. AVX3_DL only. Included once per SIMD target.
#if defined(ONEPASS_REDUCTION_ROW_FUSED_SRGB_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEPASS_REDUCTION_ROW_FUSED_SRGB_INL
#undef ONEPASS_REDUCTION_ROW_FUSED_SRGB_INL
#else
#define ONEPASS_REDUCTION_ROW_FUSED_SRGB_INL
#endif

#include <algorithm>
#include <cstring>

#include "image/row_srgb.hpp"
#include "reduction/row_codes_srgb-inl.hpp"
#include "reduction/row_fold-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::reduction {
namespace HWY_NAMESPACE {
#if HWY_ARCH_X86 && HWY_TARGET == HWY_AVX3_DL

constexpr size_t kLanes = 16;
constexpr size_t kBlock = 64;  ///< Source texels that are loaded at a time.
constexpr size_t kBlockBytes = 4 * kBlock;
constexpr ptrdiff_t kAhead = 1024;  ///< Bytes from a block to those that are prefetched.
constexpr int kAlphaBits = -22;     ///< Working alphas are in units of 2^-22.

HWY_INLINE __m512i evens() { return _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30); }
HWY_INLINE __m512i odds() { return _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31); }

/// `texels` without the first one; the last one is the first of `right`.
HWY_INLINE __m512 moved_by_one(__m512 texels, __m512 right) {
  return _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(right), _mm512_castps_si512(texels), 1));
}

// ---- Source texels

/// Separates the channels of 64 texels. Of each sixteen bytes, the first four are those of texels 0, 4, 8 and 12 of
/// sixteen texels, the next four of texels 1, 5, 9 and 13, and so on.
HWY_INLINE void separate_channels(const uint8_t* texels, __m512i (&channels)[4]) {
  alignas(64) static constexpr uint8_t kOrder[64] = {0, 16, 32, 48, 4, 20, 36, 52, 8,  24, 40, 56, 12, 28, 44, 60,
                                                     1, 17, 33, 49, 5, 21, 37, 53, 9,  25, 41, 57, 13, 29, 45, 61,
                                                     2, 18, 34, 50, 6, 22, 38, 54, 10, 26, 42, 58, 14, 30, 46, 62,
                                                     3, 19, 35, 51, 7, 23, 39, 55, 11, 27, 43, 59, 15, 31, 47, 63};
  const __m512i order = _mm512_load_si512(kOrder);
  __m512i sorted[4];
  for (size_t i = 0; i < 4; ++i) sorted[i] = _mm512_permutexvar_epi8(order, _mm512_loadu_si512(texels + 64 * i));
  const __m512i red_green0 = _mm512_shuffle_i32x4(sorted[0], sorted[1], _MM_SHUFFLE(1, 0, 1, 0));
  const __m512i red_green1 = _mm512_shuffle_i32x4(sorted[2], sorted[3], _MM_SHUFFLE(1, 0, 1, 0));
  const __m512i blue_alpha0 = _mm512_shuffle_i32x4(sorted[0], sorted[1], _MM_SHUFFLE(3, 2, 3, 2));
  const __m512i blue_alpha1 = _mm512_shuffle_i32x4(sorted[2], sorted[3], _MM_SHUFFLE(3, 2, 3, 2));
  channels[0] = _mm512_shuffle_i32x4(red_green0, red_green1, _MM_SHUFFLE(2, 0, 2, 0));
  channels[1] = _mm512_shuffle_i32x4(red_green0, red_green1, _MM_SHUFFLE(3, 1, 3, 1));
  channels[2] = _mm512_shuffle_i32x4(blue_alpha0, blue_alpha1, _MM_SHUFFLE(2, 0, 2, 0));
  channels[3] = _mm512_shuffle_i32x4(blue_alpha0, blue_alpha1, _MM_SHUFFLE(3, 1, 3, 1));
}

/// 64 values of one channel, each as 2 + x: by texel index modulo 4.
struct Values {
  __m512 by_index[4];
  HWY_INLINE __m512& operator[](size_t i) { return by_index[i]; }
  HWY_INLINE const __m512& operator[](size_t i) const { return by_index[i]; }
};

/// Interleaves the bytes and halves of dwords: `low` and `high` are halves of texels 0 and 1, then of 2 and 3,
/// modulo 4.
HWY_INLINE Values values_of(__m512i low01, __m512i low23, __m512i high01, __m512i high23) {
  return {{_mm512_castsi512_ps(_mm512_unpacklo_epi16(low01, high01)),
           _mm512_castsi512_ps(_mm512_unpackhi_epi16(low01, high01)),
           _mm512_castsi512_ps(_mm512_unpacklo_epi16(low23, high23)),
           _mm512_castsi512_ps(_mm512_unpackhi_epi16(low23, high23))}};
}

/// Colours: linear light.
class DecodeColour {
 public:
  DecodeColour() {
    for (size_t i = 0; i < 12; ++i) {
      tables_[i / 4][i % 4] = _mm512_load_si512(&image::srgb_fixed().planes[i / 4][i % 4 * 64]);
    }
  }
  HWY_INLINE Values operator()(__m512i codes) const {
    const __mmask64 is_upper_half = _mm512_movepi8_mask(codes);
    const __m512i byte0 = lookup(0, codes, is_upper_half);
    const __m512i byte1 = lookup(1, codes, is_upper_half);
    const __m512i byte2 = lookup(2, codes, is_upper_half);
    const __m512i byte3 = _mm512_set1_epi8(0x40);  // the upper byte of 2.0F
    return values_of(_mm512_unpacklo_epi8(byte0, byte1), _mm512_unpackhi_epi8(byte0, byte1),
                     _mm512_unpacklo_epi8(byte2, byte3), _mm512_unpackhi_epi8(byte2, byte3));
  }

 private:
  HWY_INLINE __m512i lookup(size_t plane, __m512i codes, __mmask64 is_upper_half) const {
    const __m512i(&table)[4] = tables_[plane];
    const __m512i lower = _mm512_permutex2var_epi8(table[0], codes, table[1]);
    const __m512i upper = _mm512_permutex2var_epi8(table[2], codes, table[3]);
    return _mm512_mask_mov_epi8(lower, is_upper_half, upper);
  }

  __m512i tables_[image::SrgbFixed::kPlanes][4];
};

/// Alpha: the code itself, in units of 2^-22.
struct DecodeAlpha {
  HWY_INLINE Values operator()(__m512i codes) const {
    const __m512i zero = _mm512_setzero_si512();
    const __m512i high = _mm512_set1_epi16(0x4000);
    return values_of(_mm512_unpacklo_epi8(codes, zero), _mm512_unpackhi_epi8(codes, zero), high, high);
  }
};

// ---- Reduction, with the operations of the scalar reference

/// Weights of three rows. In memory: a load broadcasts them at no cost.
struct RowWeights {
  float weight[3] = {};
  float excess[3] = {};  ///< -2 times the weight.
  void set(const float* weights) {
    for (size_t i = 0; i < 3; ++i) {
      weight[i] = weights[i];
      excess[i] = -2.0F * weights[i];
    }
  }

  /// The product of weight i and x, where `value` is 2 + x.
  HWY_INLINE __m512 times_excess(size_t i, __m512 value) const {
    return _mm512_fmadd_ps(_mm512_set1_ps(weight[i]), value, _mm512_set1_ps(excess[i]));
  }
};

/// Sixteen values of one row from those of two or three finer rows at `a`, `b` and `c`.
template <bool kThreeRows>
HWY_INLINE __m512 fold_three(const RowWeights& weights, const float* a, const float* b, const float* c) {
  const __m512 first = _mm512_load_ps(a);
  const __m512 middle = _mm512_load_ps(b);
  if constexpr (!kThreeRows) return _mm512_add_ps(first, middle);
  const __m512 sides = _mm512_add_ps(_mm512_mul_ps(_mm512_set1_ps(weights.weight[0]), first),
                                     _mm512_mul_ps(_mm512_set1_ps(weights.weight[2]), _mm512_load_ps(c)));
  return _mm512_add_ps(sides, _mm512_mul_ps(_mm512_set1_ps(weights.weight[1]), middle));
}

/// Sixteen texels of one channel from the columns a, b and c.
template <bool kThreeColumns>
class FoldColumns {
 public:
  explicit FoldColumns(const ColumnFold<float>& columns)
      : middle_(_mm512_set1_ps(kThreeColumns ? columns.middle : columns.scale)) {}
  HWY_INLINE void set_weights(__m512 first, __m512 last) {
    first_ = first;
    last_ = last;
  }
  HWY_INLINE __m512 operator()(__m512 a, __m512 b, __m512 c) const {
    if constexpr (!kThreeColumns) return _mm512_mul_ps(_mm512_add_ps(a, b), middle_);
    const __m512 sides = _mm512_add_ps(_mm512_mul_ps(first_, a), _mm512_mul_ps(last_, c));
    return _mm512_add_ps(sides, _mm512_mul_ps(middle_, b));
  }

 private:
  __m512 middle_;
  __m512 first_ = _mm512_setzero_ps();
  __m512 last_ = _mm512_setzero_ps();
};

/// What the levels share. Derived classes make blocks from right to left.
class Level {
 public:
  explicit Level(const FusedLevel<float>& level)
      : level_(level), fold_(level.fold), count_(level.fold.count), width_(level.fold.texels) {
    for (size_t y = 0; y < count_ && fold_.weights != nullptr; ++y) row_weights_[y].set(fold_.weights[y].data());
  }

 protected:
  /// Calls use.operator()<kThreeRows, kThreeColumns>().
  template <class Use>
  HWY_INLINE void with_taps(const Use& use) const {
    const bool three_columns = fold_.columns.taps == Taps::kThree;
    if (fold_.row_taps == 3) {
      return three_columns ? use.template operator()<true, true>() : use.template operator()<true, false>();
    }
    return three_columns ? use.template operator()<false, true>() : use.template operator()<false, false>();
  }

  [[nodiscard]] HWY_INLINE const float* fine_row(size_t y) const { return static_cast<const float*>(level_.fine[y]); }

  const FusedLevel<float>& level_;
  const WideFold<float>& fold_;
  size_t count_;
  size_t width_;  ///< Texels of a coarse row.
  RowWeights row_weights_[kMostPairs];
  __m512 right_[kMostPairs][4]{};  ///< The first column to the right of the block, by coarse row and channel.
};

/// Level 1: a row is blocks of 32 texels; of each channel sixteen even texels, then sixteen odd ones.
class SourceLevel : public Level {
 public:
  explicit SourceLevel(const FusedLevel<float>& level) : Level(level) {}

  HWY_INLINE void make(size_t block) {
    load(block);
    with_taps([&]<bool kThreeRows, bool kThreeColumns>() { make_block<kThreeRows, kThreeColumns>(block); });
  }

 private:
  HWY_INLINE void load(size_t block) {
    const size_t bytes = std::min(kBlockBytes, fold_.readable - block * kBlockBytes);
    const size_t rows = 2 * count_ + fold_.row_taps - 2;
    for (size_t y = 0; y < rows; ++y) {
      const uint8_t* from = static_cast<const uint8_t*>(level_.fine[y]) + block * kBlockBytes;
      if (HWY_UNLIKELY(bytes < kBlockBytes)) {
        HWY_ALIGN uint8_t last[kBlockBytes] = {};
        std::memcpy(last, from, bytes);
        separate_channels(last, codes_[y]);
        continue;
      }
      separate_channels(from, codes_[y]);
    }
  }

  template <bool kThreeRows, bool kThreeColumns>
  HWY_NOINLINE void make_block(size_t block) {
    FoldColumns<kThreeColumns> even(fold_.columns);
    FoldColumns<kThreeColumns> odd(fold_.columns);
    const size_t at = 2 * kLanes * block;
    if (kThreeColumns && at < width_) {
      const __m512 first0 = _mm512_loadu_ps(fold_.columns.texel_first + at);
      const __m512 first1 = _mm512_loadu_ps(fold_.columns.texel_first + at + kLanes);
      const __m512 last0 = _mm512_loadu_ps(fold_.columns.texel_last + at);
      const __m512 last1 = _mm512_loadu_ps(fold_.columns.texel_last + at + kLanes);
      even.set_weights(_mm512_permutex2var_ps(first0, evens(), first1), _mm512_permutex2var_ps(last0, evens(), last1));
      odd.set_weights(_mm512_permutex2var_ps(first0, odds(), first1), _mm512_permutex2var_ps(last0, odds(), last1));
    }
    for (size_t channel = 0; channel < 3; ++channel) {
      make_channel<kThreeRows, kThreeColumns>(block, channel, decode_colour_, even, odd);
    }
    make_channel<kThreeRows, kThreeColumns>(block, 3, DecodeAlpha(), even, odd);
  }

  template <bool kThreeRows, bool kThreeColumns, class Decode>
  HWY_INLINE void make_channel(size_t block, size_t channel, const Decode& decode,
                               const FoldColumns<kThreeColumns>& even, const FoldColumns<kThreeColumns>& odd) {
    // Spread over the arithmetic: prefetches in a row would occupy the buffers that the loads of a block need.
    const ptrdiff_t ahead = static_cast<ptrdiff_t>(block * kBlockBytes + 64 * channel) - kAhead;
    hwy::Prefetch(static_cast<const std::byte*>(level_.fine[2 * count_]) + ahead);
    const auto finish = [&](size_t y, const Values& rows) HWY_ATTR {
      const __m512 next = moved_by_one(rows[0], right_[y][channel]);
      right_[y][channel] = rows[0];
      if (block * 2 * kLanes >= width_) return;
      float* out = level_.coarse[y] + (4 * block + channel) * 2 * kLanes;
      _mm512_store_ps(out, even(rows[0], rows[1], rows[2]));
      _mm512_store_ps(out + kLanes, odd(rows[2], rows[3], next));
    };
    Values a = decode(codes_[0][channel]);
    Values rows = a;
    for (size_t y = 0; y < count_; ++y) {
      hwy::Prefetch(static_cast<const std::byte*>(level_.fine[2 * y]) + ahead);
      hwy::Prefetch(static_cast<const std::byte*>(level_.fine[2 * y + 1]) + ahead);
      const Values c = decode(codes_[kThreeRows ? 2 * y + 2 : 2 * y][channel]);
      if (y > 0) finish(y - 1, rows);
      const Values b = decode(codes_[2 * y + 1][channel]);
      if constexpr (kThreeRows) {
        const RowWeights& weights = row_weights_[y];
        for (size_t i = 0; i < 4; ++i) {
          const __m512 sides = _mm512_add_ps(weights.times_excess(0, a[i]), weights.times_excess(2, c[i]));
          rows[i] = _mm512_add_ps(sides, weights.times_excess(1, b[i]));
        }
        a = c;
      } else {
        const __m512 both = _mm512_set1_ps(4.0F);
        for (size_t i = 0; i < 4; ++i) rows[i] = _mm512_add_ps(_mm512_sub_ps(c[i], both), b[i]);  // exact
      }
    }
    finish(count_ - 1, rows);
  }

  DecodeColour decode_colour_;
  __m512i codes_[2 * kMostPairs + 1][4];
};

/// Level 2: a row is blocks of sixteen texels, channel by channel.
class SecondLevel : public Level {
 public:
  explicit SecondLevel(const FusedLevel<float>& level) : Level(level) {}

  HWY_INLINE void make(size_t block) {
    with_taps([&]<bool kThreeRows, bool kThreeColumns>() { make_block<kThreeRows, kThreeColumns>(block); });
  }

 private:
  template <bool kThreeRows, bool kThreeColumns>
  HWY_NOINLINE void make_block(size_t block) {
    FoldColumns<kThreeColumns> columns(fold_.columns);
    const size_t at = kLanes * block;
    if (kThreeColumns && at < width_) {
      columns.set_weights(_mm512_loadu_ps(fold_.columns.texel_first + at),
                          _mm512_loadu_ps(fold_.columns.texel_last + at));
    }
    for (size_t y = 0; y < count_; ++y) {
      const float* a = fine_row(2 * y) + 8 * at;
      const float* b = fine_row(2 * y + 1) + 8 * at;
      const float* c = kThreeRows ? fine_row(2 * y + 2) + 8 * at : b;
      for (size_t channel = 0; channel < 4; ++channel) {
        __m512 rows[2];
        for (size_t i = 0; i < 2; ++i) {
          const size_t from = (2 * channel + i) * kLanes;
          rows[i] = fold_three<kThreeRows>(row_weights_[y], a + from, b + from, c + from);
        }
        const __m512 next = moved_by_one(rows[0], right_[y][channel]);
        right_[y][channel] = rows[0];
        if (at >= width_) continue;
        _mm512_store_ps(level_.coarse[y] + 4 * at + channel * kLanes, columns(rows[0], rows[1], next));
      }
    }
  }
};

/// Level 3: rows of interleaved channels.
class ThirdLevel : public Level {
 public:
  explicit ThirdLevel(const FusedLevel<float>& level) : Level(level) {}

  HWY_INLINE void make(size_t block, Texels (&made)[kMostPairs]) {
    with_taps([&]<bool kThreeRows, bool kThreeColumns>() { make_block<kThreeRows, kThreeColumns>(block, made); });
  }

 private:
  template <bool kThreeRows, bool kThreeColumns>
  HWY_NOINLINE void make_block(size_t block, Texels (&made)[kMostPairs]) {
    FoldColumns<kThreeColumns> columns(fold_.columns);
    const size_t at = kLanes * block;
    if (kThreeColumns && at < width_) {
      columns.set_weights(_mm512_loadu_ps(fold_.columns.texel_first + at),
                          _mm512_loadu_ps(fold_.columns.texel_last + at));
    }
    for (size_t y = 0; y < count_; ++y) {
      const float* a = fine_row(2 * y) + 8 * at;
      const float* b = fine_row(2 * y + 1) + 8 * at;
      const float* c = kThreeRows ? fine_row(2 * y + 2) + 8 * at : b;
      for (size_t channel = 0; channel < 4; ++channel) {
        __m512 rows[2];
        for (size_t i = 0; i < 2; ++i) {
          const size_t from = (4 * i + channel) * kLanes;
          rows[i] = fold_three<kThreeRows>(row_weights_[y], a + from, b + from, c + from);
        }
        const __m512 even = _mm512_permutex2var_ps(rows[0], evens(), rows[1]);
        const __m512 odd = _mm512_permutex2var_ps(rows[0], odds(), rows[1]);
        made[y][channel] = columns(even, odd, moved_by_one(even, right_[y][channel]));
        right_[y][channel] = even;
      }
      if (at >= width_) continue;
      const FloatV alpha = hn::Mul(FloatV{made[y][3]}, hn::Set(Floats(), power_of_two(-kAlphaBits)));
      hn::StoreInterleaved4(FloatV{made[y][0]}, FloatV{made[y][1]}, FloatV{made[y][2]}, alpha, Floats(),
                            level_.coarse[y] + 4 * at);
    }
  }
};

#endif
}  // namespace HWY_NAMESPACE
}  // namespace onepass::reduction
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
