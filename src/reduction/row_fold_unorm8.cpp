// row_fold_unorm8.cpp: BoxKernels::fold_unorm8, in SIMD: the mean of 8-bit UNORM source rows with three column taps and
// two or three row taps (covering footprint, level 1). row_fold_unorm8-inl.hpp has the loop.
#include "reduction/box_kernels.hpp"

#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduction/row_fold_unorm8.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "cpu/simd_dispatch.hpp"
#include "reduction/row_fold_unorm8-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::reduction {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // no vectors: scalar reference

void set_unorm8_folds(const BoxSpec& /*spec*/, BoxKernels<float>& /*kernels*/) {}

#else

template <uint32_t kChannels>
void fold_unorm8(const void* const* rows, const WideFold<float>& fold, float* const* outs) {
  if (fold.row_taps == 2) return Unorm8Strip<kChannels, 2>(rows, fold, outs).run();
  Unorm8Strip<kChannels, 3>(rows, fold, outs).run();
}

void set_unorm8_folds(const BoxSpec& spec, BoxKernels<float>& kernels) {
  if (!spec.sums_integers()) return;
  const uint32_t channels = spec.channels();
  kernels.fold_unorm8 = channels == 1 ? fold_unorm8<1> : channels == 2 ? fold_unorm8<2> : fold_unorm8<4>;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace onepass::reduction
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::reduction {

ONEPASS_SIMD_EXPORT(set_unorm8_folds);

void add_unorm8_folds(const BoxSpec& spec, BoxKernels<float>& kernels) {
  ONEPASS_SIMD_CALL(set_unorm8_folds)(spec, kernels);
}

}  // namespace onepass::reduction
#endif
