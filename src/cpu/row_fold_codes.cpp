// row_fold_codes.cpp: three columns of 8-bit codes to one, and two or three rows of such sums: RowKernels::fold_codes,
// in SIMD.
#include "cpu/row_kernels.hpp"

#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/row_fold_codes.cpp"
#include "hwy/foreach_target.h"  // includes this file once a target: first

#include "cpu/row_fold_codes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::cpu {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // no vectors: the plain functions do it

RowKernels<float> choose_codes(const RowSpec& /*spec*/) { return {}; }

#else

template <uint32_t kChannels>
void fold_codes(const void* const* rows, const WideFold<float>& fold, float* const* outs) {
  if (fold.row_taps == 2) return CodeStrip<kChannels, 2>(rows, fold, outs).run();
  CodeStrip<kChannels, 3>(rows, fold, outs).run();
}

RowKernels<float> choose_codes(const RowSpec& spec) {
  RowKernels<float> kernels;
  if (!spec.sums_codes()) return kernels;
  kernels.fold_codes = spec.channels == 1 ? fold_codes<1> : spec.channels == 2 ? fold_codes<2> : fold_codes<4>;
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
