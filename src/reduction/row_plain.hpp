// row_plain.hpp: scalar reference of the row functions in row_kernels.hpp. It defines the results of the SIMD versions,
// is the only version for double, and replaces SIMD versions that a target does not have.
#pragma once

#include "reduction/row_kernels.hpp"

namespace onepass::cpu {

/// The functions of RowKernels that are never null: decode, prepare, fold_rows, fold_columns, fold_quads, finish,
/// encode and stream. T is float or double.
template <typename T>
RowKernels<T> scalar_row_kernels(const RowSpec& spec);

}  // namespace onepass::cpu
