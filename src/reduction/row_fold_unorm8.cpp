// row_fold_unorm8.cpp: RowKernels::fold_unorm8, in SIMD: the mean of 8-bit UNORM source rows with three column taps and
// two or three row taps (covering footprint, level 1). row_fold_unorm8-inl.hpp has the loop.
#include "reduction/row_kernels.hpp"

#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduction/row_fold_unorm8.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "reduction/row_fold_unorm8-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::cpu {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // no vectors: scalar reference

RowKernels<float> choose_codes(const RowSpec& /*spec*/) { return {}; }

#else

template <uint32_t kChannels>
void fold_unorm8(const void* const* rows, const WideFold<float>& fold, float* const* outs) {
  if (fold.row_taps == 2) return Unorm8Strip<kChannels, 2>(rows, fold, outs).run();
  Unorm8Strip<kChannels, 3>(rows, fold, outs).run();
}

RowKernels<float> choose_codes(const RowSpec& spec) {
  RowKernels<float> kernels;
  if (!spec.sums_integers()) return kernels;
  kernels.fold_unorm8 = spec.channels == 1 ? fold_unorm8<1> : spec.channels == 2 ? fold_unorm8<2> : fold_unorm8<4>;
  return kernels;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace onepass::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::cpu {

HWY_EXPORT(choose_codes);

RowKernels<float> find_code_kernels(const RowSpec& spec) { return HWY_DYNAMIC_DISPATCH(choose_codes)(spec); }

}  // namespace onepass::cpu
#endif
