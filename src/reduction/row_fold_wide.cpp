// row_fold_wide.cpp: RowKernels::fold_wide (working rows) and fold_source_wide (source rows, level 1), in SIMD: 2 or 3
// rows and 2 or 3 columns to one in one pass, for the covering footprint at odd sizes. All reductions; source formats
// 8- and 16-bit UNORM, 8-bit sRGB, half and float without prepare(). row_fold_wide-inl.hpp has the loop.
#include "reduction/row_kernels.hpp"

#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduction/row_fold_wide.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "reduction/row_fold_wide-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::cpu {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // no vectors: scalar reference

RowKernels<float> choose_wide(const RowSpec& /*spec*/) { return {}; }

#else

template <class Loader, class Op, uint32_t kChannels, bool kIsSource, uint32_t kRowTaps, Taps kTaps>
void fold_wide_of(const void* const* rows, const WideFold<float>& fold, float* const* outs) {
  WideStrip<Loader, Op, kChannels, kIsSource, kRowTaps, kTaps>(rows, fold, outs).run();
}

template <class Loader, class Op, uint32_t kChannels, bool kIsSource = true>
void fold_wide(const void* const* rows, const WideFold<float>& fold, float* const* outs) {
  const bool two_columns = fold.columns.taps == Taps::kTwo;
  if (fold.row_taps == 2) {
    return two_columns ? fold_wide_of<Loader, Op, kChannels, kIsSource, 2, Taps::kTwo>(rows, fold, outs)
                       : fold_wide_of<Loader, Op, kChannels, kIsSource, 2, Taps::kThree>(rows, fold, outs);
  }
  return two_columns ? fold_wide_of<Loader, Op, kChannels, kIsSource, 3, Taps::kTwo>(rows, fold, outs)
                     : fold_wide_of<Loader, Op, kChannels, kIsSource, 3, Taps::kThree>(rows, fold, outs);
}

// ---- Selection of functions

template <class Op, uint32_t kChannels>
RowKernels<float> choose_with(const RowSpec& spec) {
  RowKernels<float> kernels;
  kernels.fold_wide = fold_wide<LoadF32, Op, kChannels, false>;
  if (spec.prepares()) return kernels;
  switch (spec.source) {
    case Storage::kU8:
      kernels.fold_source_wide = fold_wide<LoadU8, Op, kChannels>;
      break;
    case Storage::kU16:
      kernels.fold_source_wide = fold_wide<LoadU16, Op, kChannels>;
      break;
    case Storage::kF16:
      kernels.fold_source_wide = fold_wide<LoadF16, Op, kChannels>;
      break;
    case Storage::kF32:
      kernels.fold_source_wide = fold_wide<LoadF32, Op, kChannels>;
      break;
    case Storage::kSrgb8:
      if constexpr (kChannels == 4) {
        kernels.fold_source_wide = spec.fixed_srgb ? fold_wide<LoadSrgbFixed, Op, 4> : fold_wide<LoadSrgb8, Op, 4>;
      }
      break;
    case Storage::kSrgbR8:
      if constexpr (kChannels == 1) {
        kernels.fold_source_wide =
            spec.fixed_srgb ? fold_wide<LoadSrgbFixedColours, Op, 1> : fold_wide<LoadSrgb8Colours, Op, 1>;
      }
      break;
    default:
      break;
  }
  return kernels;
}

RowKernels<float> choose_wide(const RowSpec& spec) {
  return choose_reduction(spec, [&]<class Op, uint32_t kChannels>() { return choose_with<Op, kChannels>(spec); });
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace onepass::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::cpu {

HWY_EXPORT(choose_wide);

RowKernels<float> find_wide_kernels(const RowSpec& spec) { return HWY_DYNAMIC_DISPATCH(choose_wide)(spec); }

}  // namespace onepass::cpu
#endif
