// line_kernels.cpp: the functions of line_kernels.hpp for every SIMD target, selected at run time.
#include "fourier/line_kernels.hpp"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fourier/line_kernels.cpp"
#include "hwy/foreach_target.h"  // includes this file once per target; must be first

#include "cpu/simd_dispatch.hpp"
#include "fourier/line_passes-inl.hpp"
#include "fourier/line_strips-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::cpu {
namespace HWY_NAMESPACE {

LineKernels choose_lines() {
  return {.transform = transform_lines,
          .transpose_blocks = transpose_blocks,
          .transpose_blocks_mapped = transpose_blocks_mapped,
          .scatter = scatter,
          .gather = gather,
          .interleave = interleave,
          .deinterleave = deinterleave,
          .multiply = multiply_elements};
}

}  // namespace HWY_NAMESPACE
}  // namespace onepass::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::cpu {

ONEPASS_SIMD_EXPORT(choose_lines);

LineKernels find_line_kernels() { return ONEPASS_SIMD_CALL(choose_lines)(); }

}  // namespace onepass::cpu
#endif
