// row_fold_wide.cpp: BoxKernels::fold_wide (working rows) and fold_source_wide (source rows, level 1), in SIMD: one
// texel from 2x3, 3x2 or 3x3 (2x2 is fold_quads), for the covering footprint at odd sizes. All reductions;
// source formats 8- and 16-bit UNORM, 8-bit sRGB, half and float without prepare(). row_fold_wide-inl.hpp has the loop.
#include "reduction/box_kernels.hpp"

#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduction/row_fold_wide.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "cpu/simd_dispatch.hpp"
#include "reduction/row_fold_wide-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::reduction {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // no vectors: scalar reference

void set_wide_folds(const BoxSpec& /*spec*/, BoxKernels<float>& /*kernels*/) {}

#else

template <class Loader, class Op, uint32_t kChannels, bool kIsSource, uint32_t kRowTaps, Taps kTaps>
void fold_wide_of(const void* const* rows, const WideFold<float>& fold, float* const* outs) {
  WideStrip<Loader, Op, kChannels, kIsSource, kRowTaps, kTaps>(rows, fold, outs).run();
}

template <class Loader, class Op, uint32_t kChannels, bool kIsSource = true>
void fold_wide(const void* const* rows, const WideFold<float>& fold, float* const* outs) {
  // Two taps on both axes are fold_quads.
  if (fold.row_taps == 2) return fold_wide_of<Loader, Op, kChannels, kIsSource, 2, Taps::kThree>(rows, fold, outs);
  return fold.columns.taps == Taps::kTwo
             ? fold_wide_of<Loader, Op, kChannels, kIsSource, 3, Taps::kTwo>(rows, fold, outs)
             : fold_wide_of<Loader, Op, kChannels, kIsSource, 3, Taps::kThree>(rows, fold, outs);
}

// ---- Selection of functions

void set_wide_folds(const BoxSpec& spec, BoxKernels<float>& kernels) {
  with_reduction(spec, [&]<class Op, uint32_t kChannels>() {
    kernels.fold_wide = fold_wide<LoadF32, Op, kChannels, false>;
    if (spec.source.prepares()) return;
    with_loader<kChannels>(spec, [&]<class Loader>() { kernels.fold_source_wide = fold_wide<Loader, Op, kChannels>; });
  });
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace onepass::reduction
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::reduction {

ONEPASS_SIMD_EXPORT(set_wide_folds);

void add_wide_folds(const BoxSpec& spec, BoxKernels<float>& kernels) {
  ONEPASS_SIMD_CALL(set_wide_folds)(spec, kernels);
}

}  // namespace onepass::reduction
#endif
