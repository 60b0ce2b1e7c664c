// row_fold.cpp: reduces working rows to working rows, in SIMD, for all footprints and reductions; the format plays no
// part, because working rows are floats of 1, 2 or 4 channels. The functions are loops over the elements of a row:
//
//     fold_rows     2 or 3 rows to one
//     fold_columns  1, 2 or 3 neighbouring texels of a row to one
//     fold_quads    2x2 texels to one, in up to four pairs of rows at once
//
// row_fold_source.cpp reads source rows instead, row_fold_wide.cpp does rows and columns with three taps in one pass.
#include "reduction/box_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduction/row_fold.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "cpu/simd_dispatch.hpp"
#include "reduction/row_fold-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::reduction {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // no vectors: scalar reference

void set_folds(const BoxSpec& /*spec*/, BoxKernels<float>& /*kernels*/) {}

#else

// ---- Reduction of columns

/// The even texels of `in` from the second on: the third taps. `even` holds the even texels from the first on.
template <uint32_t kChannels>
HWY_INLINE FloatV following_even_texels(FloatV even, const float* in, size_t lanes) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  const FloatV next = hn::LoadU(Floats(), in + 2 * lanes);
  return FloatV{_mm512_castsi512_ps(
      _mm512_alignr_epi32(_mm512_castps_si512(next.raw), _mm512_castps_si512(even.raw), kChannels))};
#else
  static_cast<void>(even);
  const float* next = in + 2 * kChannels;
  return even_texels<kChannels>(hn::LoadU(Floats(), next), hn::LoadU(Floats(), next + lanes));
#endif
}

template <class Op, uint32_t kChannels, Taps kTaps>
void fold_columns_of(const float* in, const ColumnFold<float>& fold, size_t count, float* out) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  const FloatV scale = hn::Set(d, fold.scale);
  const FloatV middle = hn::Set(d, fold.middle);
  const float* first = fold.first;
  const float* last = fold.last;
  for (size_t i = 0; i < count; i += lanes) {
    const FloatV lower = hn::LoadU(d, in + 2 * i);
    const FloatV upper = hn::LoadU(d, in + 2 * i + lanes);
    const FloatV even = even_texels<kChannels>(lower, upper);
    const FloatV odd = odd_texels<kChannels>(lower, upper);
    FloatV folded;
    if constexpr (kTaps == Taps::kTwo) {
      folded = Op::fold(even, odd);
      if (Op::kMean) folded = hn::Mul(folded, scale);
    } else {
      const FloatV next = following_even_texels<kChannels>(even, in + 2 * i, lanes);
      if (Op::kMean) {
        const FloatV sides = hn::Add(hn::Mul(hn::LoadU(d, first + i), even), hn::Mul(hn::LoadU(d, last + i), next));
        folded = hn::Add(sides, hn::Mul(middle, odd));
      } else {
        folded = Op::fold(Op::fold(even, odd), next);
      }
    }
    hn::StoreU(folded, d, out + i);
  }
}

template <class Op, uint32_t kChannels>
void fold_columns(const float* in, const ColumnFold<float>& fold, size_t texels, float* out) {
  const Floats d;
  const size_t count = texels * kChannels;
  if (fold.taps == Taps::kTwo) return fold_columns_of<Op, kChannels, Taps::kTwo>(in, fold, count, out);
  if (fold.taps == Taps::kThree) return fold_columns_of<Op, kChannels, Taps::kThree>(in, fold, count, out);
  const FloatV scale = hn::Set(d, fold.scale);
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    const FloatV value = hn::LoadU(d, in + i);
    hn::StoreU(Op::kMean ? hn::Mul(value, scale) : value, d, out + i);
  }
}

// ---- Selection of functions

template <class Op>
void fold_rows(const float* const* rows, uint32_t taps, const float* weights, size_t count, float* out) {
  const void* const untyped[3] = {rows[0], rows[1], rows[2]};
  fold_rows_any<LoadF32, Op>(untyped, taps, weights, count, out);
}

void set_folds(const BoxSpec& spec, BoxKernels<float>& kernels) {
  with_reduction(spec, [&]<class Op, uint32_t kChannels>() {
    kernels.fold_rows = fold_rows<Op>;
    kernels.fold_columns = fold_columns<Op, kChannels>;
    kernels.fold_quads = fold_quads_of<LoadF32, Op, kChannels>;
  });
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace onepass::reduction
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::reduction {

ONEPASS_SIMD_EXPORT(set_folds);

void add_folds(const BoxSpec& spec, BoxKernels<float>& kernels) { ONEPASS_SIMD_CALL(set_folds)(spec, kernels); }

}  // namespace onepass::reduction
#endif
