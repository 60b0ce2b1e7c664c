// row_fold_srgb.cpp: fold_source_rows, fold_source_quads and, from sRGB to sRGB, fold_source_wide of 8-bit sRGB source
// rows, in SIMD; as row_fold_source.cpp and row_fold_wide.cpp do for other formats. A file of its own, because of all
// source rows only these gain from the target AVX3_DL: it has lookup tables in registers.
#include "reduction/box_kernels.hpp"

#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduction/row_fold_srgb.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "cpu/simd_dispatch.hpp"
#include "reduction/row_fold_wide-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::reduction {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // no vectors: scalar reference

void set_srgb_folds(const BoxSpec& /*spec*/, BoxKernels<float>& /*kernels*/) {}

#else

void set_srgb_folds(const BoxSpec& spec, BoxKernels<float>& kernels) {
  if (spec.source.prepares()) return;
  with_reduction(spec, [&]<class Op, uint32_t kChannels>() {
    with_srgb_loader<Op, kChannels>(spec, [&]<class Loader, bool kIsFixed>() {
      kernels.fold_source_rows = fold_rows_any<Loader, Op>;
      kernels.fold_source_quads = fold_quads_of<Loader, Op, kChannels>;
      if constexpr (kIsFixed) kernels.fold_source_wide = fold_wide<Loader, Op, kChannels>;
    });
  });
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace onepass::reduction
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::reduction {

ONEPASS_SIMD_EXPORT(set_srgb_folds);

void add_srgb_folds(const BoxSpec& spec, BoxKernels<float>& kernels) {
  ONEPASS_SIMD_CALL(set_srgb_folds)(spec, kernels);
}

}  // namespace onepass::reduction
#endif
