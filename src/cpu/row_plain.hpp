// row_plain.hpp: the row functions of row_kernels.hpp as plain loops. They define what the SIMD versions compute, do
// the work for double, and stand in where a SIMD target has no version of its own.
#pragma once

#include "cpu/row_kernels.hpp"

namespace onepass::cpu {

/// Every function of RowKernels but fold_source_quads. T is float or double.
template <typename T>
RowKernels<T> plain_row_kernels(const RowSpec& spec);

}  // namespace onepass::cpu
