// row_fold-inl.hpp: the parts that row_fold*.cpp, row_tile*.cpp and row_fused.cpp share: reductions of vectors,
// separation of even and odd texels, loops over blocks of rows. Included once per SIMD target.
//
// Elements are interleaved channels, so rows are reduced element by element. Columns are reduced after shuffles have
// separated even and odd texels; a texel of 1, 2 or 4 floats is one 32-, 64- or 128-bit unit of these shuffles. Loops
// advance by blocks of four vectors; the last, incomplete block of a row is copied, so that nothing beyond it is read.
#if defined(ONEPASS_REDUCTION_ROW_FOLD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEPASS_REDUCTION_ROW_FOLD_INL
#undef ONEPASS_REDUCTION_ROW_FOLD_INL
#else
#define ONEPASS_REDUCTION_ROW_FOLD_INL
#endif

#include "image/row_load-inl.hpp"
#include "reduction/box_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::reduction {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR

using namespace image::HWY_NAMESPACE;  // vectors and loaders
using image::Storage;

// ---- Stores of target texels

struct CachedStore {
  template <class D, class V>
  static HWY_INLINE void store(V value, D d, hn::TFromD<D>* to) {
    hn::StoreU(value, d, to);
  }
};

/// A non-temporal store; `to` must be aligned to a vector.
struct NonTemporalStore {
  template <class D, class V>
  static HWY_INLINE void store(V value, D d, hn::TFromD<D>* to) {
    hn::Stream(value, d, to);
  }
};

// ---- Reductions of two taps of equal weight. Means are sums until they are scaled.

struct Sum {
  static constexpr bool kMean = true;
  static HWY_INLINE FloatV fold(FloatV a, FloatV b) { return hn::Add(a, b); }
};

struct Smallest {
  static constexpr bool kMean = false;
  static HWY_INLINE FloatV fold(FloatV a, FloatV b) { return hn::Min(a, b); }
};

struct Largest {
  static constexpr bool kMean = false;
  static HWY_INLINE FloatV fold(FloatV a, FloatV b) { return hn::Max(a, b); }
};

/// The min in even elements, the max in odd ones.
struct Bounds {
  static constexpr bool kMean = false;
  static HWY_INLINE FloatV fold(FloatV a, FloatV b) { return hn::OddEven(hn::Max(a, b), hn::Min(a, b)); }
};

// ---- Selection of instances

/// Calls use.operator()<Op, kChannels>() with the reduction and the channels of working rows.
template <class Use>
void with_reduction(const BoxSpec& spec, const Use& use) {
  const auto with_channels = [&]<class Op>() {
    if (spec.channels() == 1) return use.template operator()<Op, 1>();
    return spec.channels() == 2 ? use.template operator()<Op, 2>() : use.template operator()<Op, 4>();
  };
  switch (spec.reduction) {
    case Reduction::kMin:
      return with_channels.template operator()<Smallest>();
    case Reduction::kMax:
      return with_channels.template operator()<Largest>();
    case Reduction::kMinMax:
      return use.template operator()<Bounds, 2>();
    default:
      return with_channels.template operator()<Sum>();
  }
}

/// Calls use.operator()<Loader>() with the loader of source rows whose elements are not sRGB; packed formats have none.
template <class Use>
void with_loader(const BoxSpec& spec, const Use& use) {
  switch (spec.source.storage) {
    case Storage::kU8:
      return use.template operator()<LoadU8>();
    case Storage::kU16:
      return use.template operator()<LoadU16>();
    case Storage::kF16:
      return use.template operator()<LoadF16>();
    case Storage::kF32:
      return use.template operator()<LoadF32>();
    default:
      return;
  }
}

/// Calls use.operator()<Loader, kIsFixed>() with the loader of 8-bit sRGB whose texels become kChannels working
/// channels. Only means have fixed-point values.
template <class Op, uint32_t kChannels, class Use>
void with_srgb_loader(const BoxSpec& spec, const Use& use) {
  if constexpr (kChannels == 4) {
    if (spec.source.storage != Storage::kSrgb8) return;
    if constexpr (Op::kMean) {
      if (spec.source.fixed_srgb) return use.template operator()<LoadSrgbFixed, true>();
    }
    use.template operator()<LoadSrgb8, false>();
  } else {
    if (spec.source.storage != Storage::kSrgbColors) return;
    if constexpr (Op::kMean) {
      if (spec.source.fixed_srgb) return use.template operator()<LoadSrgbFixedColours, true>();
    }
    use.template operator()<LoadSrgb8Colours, false>();
  }
}

// ---- Even and odd texels of two vectors

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
HWY_INLINE FloatV even_blocks(FloatV lower, FloatV upper) {
  return FloatV{_mm512_shuffle_f32x4(lower.raw, upper.raw, _MM_SHUFFLE(2, 0, 2, 0))};
}
HWY_INLINE FloatV odd_blocks(FloatV lower, FloatV upper) {
  return FloatV{_mm512_shuffle_f32x4(lower.raw, upper.raw, _MM_SHUFFLE(3, 1, 3, 1))};
}
#elif HWY_ARCH_X86 && HWY_TARGET == HWY_AVX2
HWY_INLINE FloatV even_blocks(FloatV lower, FloatV upper) { return hn::ConcatLowerLower(Floats(), upper, lower); }
HWY_INLINE FloatV odd_blocks(FloatV lower, FloatV upper) { return hn::ConcatUpperUpper(Floats(), upper, lower); }
#else  // vectors of one block
HWY_INLINE FloatV even_blocks(FloatV lower, FloatV /*upper*/) { return lower; }
HWY_INLINE FloatV odd_blocks(FloatV /*lower*/, FloatV upper) { return upper; }
#endif

template <uint32_t kChannels>
HWY_INLINE FloatV even_texels(FloatV lower, FloatV upper) {
  const hn::Repartition<double, Floats> d64;
  if constexpr (kChannels == 1) return hn::ConcatEven(Floats(), upper, lower);
  if constexpr (kChannels == 2) {
    return hn::BitCast(Floats(), hn::ConcatEven(d64, hn::BitCast(d64, upper), hn::BitCast(d64, lower)));
  }
  if constexpr (kChannels == 4) return even_blocks(lower, upper);
}

template <uint32_t kChannels>
HWY_INLINE FloatV odd_texels(FloatV lower, FloatV upper) {
  const hn::Repartition<double, Floats> d64;
  if constexpr (kChannels == 1) return hn::ConcatOdd(Floats(), upper, lower);
  if constexpr (kChannels == 2) {
    return hn::BitCast(Floats(), hn::ConcatOdd(d64, hn::BitCast(d64, upper), hn::BitCast(d64, lower)));
  }
  if constexpr (kChannels == 4) return odd_blocks(lower, upper);
}

template <class Op, uint32_t kChannels>
HWY_INLINE FloatV fold_pairs(FloatV lower, FloatV upper) {
  return Op::fold(even_texels<kChannels>(lower, upper), odd_texels<kChannels>(lower, upper));
}

// ---- Reduction of rows

/// Weights of the rows in fold_rows.
struct RowFold {
  FloatV first;
  FloatV middle;
  FloatV last;
  explicit RowFold(const float* weights, uint32_t taps)
      : first(hn::Set(Floats(), weights != nullptr ? weights[0] : 0.0F)),
        middle(hn::Set(Floats(), weights != nullptr ? weights[1] : 0.0F)),
        last(hn::Set(Floats(), weights != nullptr && taps == 3 ? weights[2] : 0.0F)) {}
};

template <class Op, bool kWeighted, uint32_t kTaps>
HWY_INLINE FloatV fold_taps(const RowFold& fold, FloatV a, FloatV b, FloatV c) {
  if constexpr (!kWeighted) return kTaps == 3 ? Op::fold(Op::fold(a, b), c) : Op::fold(a, b);
  FloatV sum = hn::Mul(fold.first, a);
  if constexpr (kTaps == 3) sum = hn::Add(sum, hn::Mul(fold.last, c));
  return hn::Add(sum, hn::Mul(fold.middle, b));
}

/// Reduces a block of 4 * Lanes(Floats()) elements of each row.
template <class Loader, class Op, bool kWeighted, uint32_t kTaps>
HWY_INLINE void fold_rows_block(const Loader& loader, const RowFold& fold, const typename Loader::Stored* a,
                                const typename Loader::Stored* b, const typename Loader::Stored* c, float* out) {
  FloatV va[4];
  FloatV vb[4];
  FloatV vc[4];
  loader.load4(a, va);
  loader.load4(b, vb);
  loader.load4(kTaps == 3 ? c : a, vc);
  for (size_t i = 0; i < 4; ++i) {
    hn::StoreU(fold_taps<Op, kWeighted, kTaps>(fold, va[i], vb[i], vc[i]), Floats(), out + i * hn::Lanes(Floats()));
  }
}

template <class Loader, class Op, bool kWeighted, uint32_t kTaps>
HWY_INLINE void fold_rows_of(const void* const* rows, const float* weights, size_t count, float* out) {
  using Stored = typename Loader::Stored;
  const Loader loader;
  const RowFold fold(weights, kTaps);
  const auto* a = static_cast<const Stored*>(rows[0]);
  const auto* b = static_cast<const Stored*>(rows[1]);
  const auto* c = static_cast<const Stored*>(kTaps == 3 ? rows[2] : rows[1]);
  size_t i = 0;
  for (; i + block_elements() <= count; i += block_elements()) {
    fold_rows_block<Loader, Op, kWeighted, kTaps>(loader, fold, a + i, b + i, c + i, out + i);
  }
  if (i == count) return;
  const LastBlock<Stored> last_a(a + i, count - i);
  const LastBlock<Stored> last_b(b + i, count - i);
  const LastBlock<Stored> last_c(c + i, count - i);
  HWY_ALIGN float last[kMostBlockElements];
  fold_rows_block<Loader, Op, kWeighted, kTaps>(loader, fold, last_a.elements, last_b.elements, last_c.elements, last);
  std::memcpy(out + i, last, (count - i) * sizeof(float));
}

template <class Loader, class Op>
void fold_rows_any(const void* const* rows, uint32_t taps, const float* weights, size_t count, float* out) {
  if (Op::kMean && weights != nullptr) {
    return taps == 3 ? fold_rows_of<Loader, Op, Op::kMean, 3>(rows, weights, count, out)
                     : fold_rows_of<Loader, Op, Op::kMean, 2>(rows, weights, count, out);
  }
  return taps == 3 ? fold_rows_of<Loader, Op, false, 3>(rows, nullptr, count, out)
                   : fold_rows_of<Loader, Op, false, 2>(rows, nullptr, count, out);
}

// ---- Reduction of rows and columns in one pass

/// Reduces several pairs of rows in one loop over blocks. `Block` reads block_elements() stored elements of both rows
/// of a pair and writes kOut / 2 times as many.
template <typename Stored, size_t kOut, class Block>
HWY_INLINE void fold_pairs_of_rows(const void* const* rows, uint32_t pairs, size_t count, float* const* outs,
                                   const Block& block) {
  size_t i = 0;
  for (; i + block_elements() <= count; i += block_elements()) {
    for (uint32_t pair = 0; pair < pairs; ++pair) {
      block(static_cast<const Stored*>(rows[2 * pair]) + i, static_cast<const Stored*>(rows[2 * pair + 1]) + i,
            outs[pair] + i * kOut / 2);
    }
  }
  if (i == count) return;
  for (uint32_t pair = 0; pair < pairs; ++pair) {
    const LastBlock<Stored> upper(static_cast<const Stored*>(rows[2 * pair]) + i, count - i);
    const LastBlock<Stored> lower(static_cast<const Stored*>(rows[2 * pair + 1]) + i, count - i);
    HWY_ALIGN float last[kMostBlockElements * kOut / 2];
    block(upper.elements, lower.elements, last);
    std::memcpy(outs[pair] + i * kOut / 2, last, (count - i) * kOut / 2 * sizeof(float));
  }
}

/// Reduces 2x2 texels and scales the mean; above0 is left of above1.
template <class Op, uint32_t kChannels>
HWY_INLINE FloatV fold_four(FloatV above0, FloatV below0, FloatV above1, FloatV below1) {
  const FloatV folded = fold_pairs<Op, kChannels>(Op::fold(above0, below0), Op::fold(above1, below1));
  return Op::kMean ? hn::Mul(folded, hn::Set(Floats(), 0.25F)) : folded;
}

/// Reduces 2x2 texels: 4 * Lanes(Floats()) elements of each row to 2 * Lanes(Floats()).
template <class Loader, class Op, uint32_t kChannels>
HWY_INLINE void fold_quads_block(const Loader& loader, const typename Loader::Stored* upper,
                                 const typename Loader::Stored* lower, float* out) {
  const Floats d;
  FloatV above[4];
  FloatV below[4];
  loader.load4(upper, above);
  loader.load4(lower, below);
  for (size_t i = 0; i < 4; i += 2) {
    hn::StoreU(fold_four<Op, kChannels>(above[i], below[i], above[i + 1], below[i + 1]), d, out + i / 2 * hn::Lanes(d));
  }
}

template <class Loader, class Op, uint32_t kChannels>
void fold_quads_of(const void* const* rows, uint32_t pairs, size_t texels, float* const* outs) {
  using Stored = typename Loader::Stored;
  const Loader loader;
  const auto block = [&loader](const Stored* upper, const Stored* lower, float* out)
                         HWY_ATTR { fold_quads_block<Loader, Op, kChannels>(loader, upper, lower, out); };
  fold_pairs_of_rows<Stored, 1>(rows, pairs, 2 * texels * kChannels, outs, block);
}

#endif  // HWY_TARGET != HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace onepass::reduction
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
