// box_kernels.hpp: functions that reduce rows of texels: 1, 2 or 3 texels per axis become one. The CPU engines of
// pyramids and tile reductions are built from them. All SIMD targets give the same bits: the same additions and
// multiplications in the same order, none fused, or any exact method where results are sums of integers or quantised
// values.
//
//     source rows --decode--> working rows --fold_rows, fold_columns--> working rows --encode--> target rows
//
// A working row is a row in working form (image/row_codec.hpp). The general functions reduce working rows. Fast paths
// also decode or encode: they take source rows, or give target rows. "Fold" in a name means: reduce 2 or 3 rows or
// columns to one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "image/row_codec.hpp"
#include "onepass/reduction.hpp"

namespace onepass::reduction {

/// The finer texels that coarse texel i is made from.
enum class Taps : uint32_t {
  kOne = 1,    ///< i: the axis is one texel long already.
  kTwo = 2,    ///< 2i, 2i+1, of equal weight.
  kThree = 3,  ///< 2i, 2i+1, 2i+2 with weights (k-i, k, i+1) / (2k+1), where 2k+1 is the finer size.
};

/// Reduction, source rows and target rows of box kernels.
struct BoxSpec {
  Reduction reduction = Reduction::kMean;
  image::DecodeSpec source;
  image::EncodeSpec target;

  /// Of the working form: 1, 2 or 4.
  [[nodiscard]] uint32_t channels() const { return source.channels; }
  /// Three column taps of the source are summed with integer weights before rows: see row_fold_unorm8-inl.hpp.
  [[nodiscard]] bool sums_integers() const {
    return source.storage == image::Storage::kU8 && reduction == Reduction::kMean && !source.prepares();
  }
  /// Are working rows double? A mean in float would be off by more than 1/1000 of a 16-bit quantisation step.
  [[nodiscard]] bool works_in_double() const {
    return reduction == Reduction::kMean && target.storage == image::Storage::kU16;
  }
};

/// UNORM sources of 8 and 16 bits stay integers, and sRGB becomes fixed point, wherever that makes sums exact. min_max
/// of one channel has kPair.
BoxSpec make_box_spec(Format source, Format target, Reduction reduction,
                      image::PixelSemantics semantics = image::PixelSemantics::kPlain);

/// Parameters of a reduction of columns. Mean: with kOne and kTwo a texel is the sum of its taps times `scale`; with
/// kThree the taps have the weights first[e], middle and last[e] (e: element), and only fold_unorm8 uses `scale`.
template <typename T>
struct ColumnFold {
  Taps taps = Taps::kOne;
  T scale = 1;
  const T* first = nullptr;
  T middle = 0;
  const T* last = nullptr;
  const T* texel_first = nullptr;  ///< `first` and `last` by texel instead of by element; null with one channel.
  const T* texel_last = nullptr;
};

/// Parameters of a reduction with two or three taps per axis that makes several rows at once.
template <typename T>
struct WideFold {
  uint32_t count = 0;  ///< Rows to make, up to kMostPairs.
  uint32_t row_taps = 2;
  const std::array<T, 3>* weights = nullptr;  ///< Mean with three row taps: weights by coarse row.
  ColumnFold<T> columns;
  size_t texels = 0;    ///< Texels to make of each row.
  size_t readable = 0;  ///< Readable elements of each finer row.
};

/// One level of a FusedRows.
template <typename T>
struct FusedLevel {
  WideFold<T> fold;  ///< Parameters for whole rows; `count` may be 0 in the second and the third level.
  std::array<const void*, 9> fine{};
  std::array<T*, 4> coarse{};
  std::array<std::byte*, 4> targets{};  ///< Null for rows that are not written.
};

/// Fused rows of three levels: each level is the input of the next. Working rows of the first two levels have a layout
/// of the function's own.
template <typename T>
struct FusedRows {
  std::array<FusedLevel<T>, 3> levels;
  const image::RowEncoder<T>* encoder = nullptr;  ///< Of the target; encodes texels beside whole cache lines.
  bool non_temporal = true;                       ///< Whole cache lines are written with non-temporal stores.
};

/// Pairs of rows that are reduced at once. Several rows read in parallel hide memory latency: the hardware prefetcher
/// follows each row separately.
inline constexpr uint32_t kMostPairs = 4;

/// Counts are in elements unless they are called texels. Row pointers are at the first texel used. Functions process
/// whole vectors: working rows have image::kRowPadding elements beyond their end. A member of a fast path is null where
/// the fast path does not exist; the first three members are never null.
template <typename T>
struct BoxKernels {
  /// Reduces 2 or 3 rows to one. Mean: if `weights` is null, the sum of two rows.
  void (*fold_rows)(const T* const* rows, uint32_t taps, const T* weights, size_t count, T* out) = nullptr;
  /// Reduces the columns of one row to `texels` texels.
  void (*fold_columns)(const T* in, const ColumnFold<T>& fold, size_t texels, T* out) = nullptr;
  /// Reduces 2x2 texels to one in `pairs` pairs of working rows; rows[2i] and rows[2i + 1] give the `texels` texels of
  /// outs[i].
  void (*fold_quads)(const void* const* rows, uint32_t pairs, size_t texels, T* const* outs) = nullptr;

  /// fold_rows and fold_quads from source rows; they read nothing beyond these.
  void (*fold_source_rows)(const void* const* rows, uint32_t taps, const T* weights, size_t count, T* out) = nullptr;
  void (*fold_source_quads)(const void* const* rows, uint32_t pairs, size_t texels, T* const* outs) = nullptr;

  /// Reduces 2 or 3 rows and 2 or 3 columns to one; with three row taps neighbouring outputs share a row. Reads
  /// WideFold::readable elements only, writes whole vectors.
  void (*fold_wide)(const void* const* rows, const WideFold<T>& fold, T* const* outs) = nullptr;
  void (*fold_source_wide)(const void* const* rows, const WideFold<T>& fold, T* const* outs) = nullptr;
  /// The same from source rows, for BoxSpec::sums_integers() with three column taps.
  void (*fold_unorm8)(const void* const* rows, const WideFold<T>& fold, T* const* outs) = nullptr;

  /// Reduces eight source rows by 8x8 texels, three levels at once, to four, two and one target rows (outs[0..3],
  /// [4..5], [6]), and the last level also to a working row. `texels`: texels of the last level, a multiple of
  /// `tile_texels`. fold_tiles_non_temporal uses non-temporal stores and needs targets that begin on cache lines.
  void (*fold_tiles)(const void* const* rows, size_t texels, void* const* outs, T* last) = nullptr;
  void (*fold_tiles_non_temporal)(const void* const* rows, size_t texels, void* const* outs, T* last) = nullptr;
  uint32_t tile_texels = 0;

  /// Computes the rows of a FusedRows from source rows and writes them. Target addresses must be multiples of a texel's
  /// size.
  void (*fused_rows)(const FusedRows<T>& fused_rows) = nullptr;
  bool fuses_two_columns = false;  ///< fused_rows takes levels with two column taps, too.
  bool fuses_cached = false;       ///< fused_rows can write without non-temporal stores.
};

/// The functions for `spec` on the best enabled SIMD target. Double has the scalar reference only.
template <typename T>
BoxKernels<T> find_box_kernels(const BoxSpec& spec);

/// The scalar reference (row_fold_scalar.cpp): fold_rows, fold_columns, fold_quads. It defines the results of the SIMD
/// versions, and is used where a target has none.
template <typename T>
BoxKernels<T> scalar_box_kernels(const BoxSpec& spec);

/// SIMD functions by source file. Each of these sets the members that its file implements for `spec`, and no others:
///
///     row_fold.cpp         fold_rows, fold_columns, fold_quads
///     row_fold_source.cpp  fold_source_rows, fold_source_quads
///     row_fold_wide.cpp    fold_wide, fold_source_wide
///     row_fold_srgb.cpp    fold_source_rows, fold_source_quads, fold_source_wide of 8-bit sRGB
///     row_fold_unorm8.cpp  fold_unorm8
///     row_tile.cpp         fold_tiles, fold_tiles_non_temporal, tile_texels
///     row_tile_srgb.cpp    the same for RGBA8 sRGB
///     row_fused.cpp        fused_rows
///     row_fused_srgb.cpp   the same for RGBA8 sRGB
void add_folds(const BoxSpec& spec, BoxKernels<float>& kernels);
void add_source_folds(const BoxSpec& spec, BoxKernels<float>& kernels);
void add_wide_folds(const BoxSpec& spec, BoxKernels<float>& kernels);
void add_srgb_folds(const BoxSpec& spec, BoxKernels<float>& kernels);
void add_unorm8_folds(const BoxSpec& spec, BoxKernels<float>& kernels);
void add_tiles(const BoxSpec& spec, BoxKernels<float>& kernels);
void add_srgb_tiles(const BoxSpec& spec, BoxKernels<float>& kernels);
void add_fused_rows(const BoxSpec& spec, BoxKernels<float>& kernels);
void add_fused_srgb_rows(const BoxSpec& spec, BoxKernels<float>& kernels);

}  // namespace onepass::reduction
