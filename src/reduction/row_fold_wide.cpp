// row_fold_wide.cpp: BoxKernels::fold_wide (working rows) and fold_source_wide (source rows, level 1), in SIMD: one
// texel from 2x3, 3x2 or 3x3 (2x2 is fold_quads), for the covering footprint at odd sizes: of source formats without
// prepare(), of sRGB only means to sRGB (row_fold_srgb.cpp). Others take fold_source_rows and fold_columns, because
// each combination is compiled for seconds per SIMD target. row_fold_wide-inl.hpp has the loop.
#include "reduction/box_kernels.hpp"

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

// ---- Selection of functions

void set_wide_folds(const BoxSpec& spec, BoxKernels<float>& kernels) {
  with_reduction(spec, [&]<class Op, uint32_t kChannels>() {
    kernels.fold_wide = fold_wide<LoadF32, Op, kChannels>;
    if (spec.source.prepares()) return;
    with_loader(spec, [&]<class Loader>() { kernels.fold_source_wide = fold_wide<Loader, Op, kChannels>; });
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
