// rows.hpp: rows of a finer level to a row of a coarser one: the functions that a level of a volume is made by.
//
// A coarse row is made from 1, 2 or 4 finer rows: one or two rows of one or two planes. Rows are reduced element by
// element first, in the order ((row 0, row 1), (row 2, row 3)), then neighbours in x, even before odd: the same order
// in every function, so that sums of floats have the same bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "onepass/volume_stream.hpp"

namespace onepass::volume {

/// What a row holds: voxels, or the sums of a mean.
enum class Element { kU8, kI8, kU16, kI16, kU32, kI32, kU64, kI64, kF16, kF32, kF64 };

Element element_of(VoxelType type);
size_t bytes_of(Element element);

/// One coarse row.
struct RowFold {
  std::array<const std::byte*, 4> rows{};  ///< The finer rows.
  uint32_t row_count = 1;                  ///< 1, 2 or 4.
  size_t elements = 0;                     ///< Elements of a finer row.
  std::byte* out = nullptr;                ///< The coarse row, aligned to its elements.
};

/// Reduces rows. Both kinds make the same values: `elements` keeps the width, `pairs` halves it (one channel).
using Fold = void (*)(const RowFold& fold);

/// Halves the width of a row that `elements` has made: `texels` texels of `channels` interleaved channels.
using HalveRow = void (*)(const std::byte* row, size_t texels, uint32_t channels, std::byte* out);

/// Divides `elements` sums by `count` and rounds.
using RoundRow = void (*)(const std::byte* sums, size_t elements, uint64_t count, std::byte* out);

/// The functions of a level. `round` is null but for means.
struct RowFunctions {
  Fold elements = nullptr;
  Fold pairs = nullptr;
  HalveRow halve = nullptr;
  RoundRow round = nullptr;
};

/// Sums of `finer`, voxels or sums, in `sum`, rounded to `type`.
RowFunctions mean_rows(Element finer, Element sum, VoxelType type);

/// Extremes of kMin and kMax.
RowFunctions extreme_rows(Reduction reduction, VoxelType type);

/// Labels. Only `elements` and `pairs`, both from the finer rows: modes are not made in two steps.
RowFunctions mode_rows(VoxelType type);

}  // namespace onepass::volume
