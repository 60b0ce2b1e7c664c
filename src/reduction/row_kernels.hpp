// row_kernels.hpp: functions on rows of texels, from which the CPU engines are built. They are chosen at run time for
// the best SIMD target. All targets give the same bits: the same additions and multiplications in the same order, none
// fused, or any exact method where results are sums of integers or quantised values.
//
// A row in working form has 1, 2 or 4 interleaved channels of T: float, or double for the mean to 16-bit UNORM targets,
// where float is not precise enough. UNORM sources of 8 and 16 bits stay integers (0..255, 0..65535) unless `meaning`
// needs 0..1, so that their sums are exact. The find_*_kernels() at the end tell which file has which function.
//
//     source row --decode--> source channels --prepare--> working row --fold_rows, fold_columns--> working row
//     working row --finish--> target channels --encode--> target row
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "onepass/pyramid.hpp"

namespace onepass::cpu {

/// The finer texels that coarse texel i is made from.
enum class Taps : uint32_t {
  kOne = 1,    ///< i: the axis is one texel long already.
  kTwo = 2,    ///< 2i, 2i+1, of equal weight.
  kThree = 3,  ///< 2i, 2i+1, 2i+2 with weights (k-i, k, i+1) / (2k+1), where 2k+1 is the finer size.
};

/// How channels are stored. kSrgb8 is RGBA with linear alpha, kSrgbR8 one sRGB-encoded channel.
enum class Storage : uint32_t { kU8, kSrgb8, kSrgbR8, kU16, kF16, kF32, kA2B10G10R10, kB10G11R11 };

/// The transform of decoded texels before they are reduced (prepare); finish inverts kWeighted and kNormal.
enum class PixelSemantics : uint32_t {
  kPlain,     ///< None.
  kPair,      ///< One source channel becomes two: min and max.
  kWeighted,  ///< (c, a) <-> (c * w, w) with w = max(a, 0) + 2^-40.
  kCoverage,  ///< None before; finish scales alpha.
  kNormal,    ///< Vectors: UNORM to -1..1, two channels to three; finish normalises.
};

/// Properties of a pyramid's options on which the row functions depend.
struct RowSpec {
  Storage source = Storage::kF32;
  Storage target = Storage::kF32;
  Reduction reduction = Reduction::kMean;
  PixelSemantics meaning = PixelSemantics::kPlain;
  uint32_t source_channels = 0;           ///< As decoded: 1, 2 or 4.
  uint32_t channels = 0;                  ///< Of the working form: 1, 2 or 4.
  uint32_t target_channels = 0;           ///< As encoded: 1, 2 or 4.
  std::array<float, 4> source_divisor{};  ///< Divisor of decoded values: 1 unless UNORM must become 0..1.
  std::array<float, 4> target_divisor{};  ///< Divisor of working values before they are encoded.
  double encode_scale = 1.0;              ///< 8-, 16-bit UNORM targets: quantised value per working unit.
  bool fixed_srgb = false;                ///< sRGB decodes to fixed point (row_srgb.hpp): sums are exact.
  bool signed_source = true;              ///< kNormal: the source stores -1..1 directly.
  bool signed_target = true;

  [[nodiscard]] bool prepares() const {
    return meaning == PixelSemantics::kPair || meaning == PixelSemantics::kWeighted ||
           meaning == PixelSemantics::kNormal || source_divisor[0] != 1.0F;
  }
  /// Three column taps of the source are summed with integer weights before rows: see row_fold_unorm8-inl.hpp.
  [[nodiscard]] bool sums_integers() const {
    return source == Storage::kU8 && reduction == Reduction::kMean && !prepares();
  }
  /// Working values are quantised 8-bit values of the target, or means of them.
  [[nodiscard]] bool has_quantised_values() const { return source == Storage::kU8 && encode_scale == 1.0; }
  /// A working row of floats has the bytes of a target row.
  [[nodiscard]] bool stores_as_is() const { return target == Storage::kF32 && !finishes(); }
  [[nodiscard]] bool finishes() const {
    return meaning == PixelSemantics::kWeighted || meaning == PixelSemantics::kCoverage ||
           meaning == PixelSemantics::kNormal || target_divisor[0] != 1.0F;
  }
};

/// Derives the RowSpec.
RowSpec make_row_spec(const PyramidOptions& options);

/// Are working rows double? A mean in float would be off by more than 1/1000 of a 16-bit quantisation step.
inline bool works_in_double(const RowSpec& spec) {
  return spec.reduction == Reduction::kMean && spec.target == Storage::kU16;
}

/// Parameters of a reduction of columns. Mean: with kOne and kTwo a texel is the sum of its taps times `scale`; with
/// kThree the taps have the weights first[e], middle and last[e] (e: element), and only fold_unorm8 uses `scale`.
template <typename T>
struct ColumnFold {
  Taps taps = Taps::kOne;
  T scale = 1;
  const T* first = nullptr;
  T middle = 0;
  const T* last = nullptr;
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
  WideFold<T> fold;  ///< Parameters for whole rows.
  std::array<const void*, 9> fine{};
  std::array<T*, 4> coarse{};
  std::array<std::byte*, 4> targets{};  ///< Null for rows that are not written.
};

/// Fused rows of three levels: all have three column taps, and each level is the input of the next.
template <typename T>
struct FusedRows {
  std::array<FusedLevel<T>, 3> levels;
  void (*encode)(const RowSpec& spec, const T* in, size_t texels, void* row) = nullptr;  ///< RowKernels::encode.
};

/// Elements beyond its end that a working row must allow to read and write: the functions process whole vectors.
inline constexpr size_t kRowPadding = 64;

/// Pairs of rows that are reduced at once. Several rows read in parallel hide memory latency: the hardware prefetcher
/// follows each row separately.
inline constexpr uint32_t kMostPairs = 4;

/// Row functions. Counts are in elements unless they are called texels. Row pointers are at the first texel used.
template <typename T>
struct RowKernels {
  /// Decodes `texels` texels; reads nothing beyond them.
  void (*decode)(const RowSpec& spec, const void* row, size_t texels, T* out) = nullptr;
  /// Converts decoded texels to working texels.
  void (*prepare)(const RowSpec& spec, const T* in, size_t texels, T* out) = nullptr;
  /// Reduces 2 or 3 rows to one. Mean: if `weights` is null, the sum of two rows.
  void (*fold_rows)(const T* const* rows, uint32_t taps, const T* weights, size_t count, T* out) = nullptr;
  /// Reduces the columns of one row to `texels` texels.
  void (*fold_columns)(const T* in, const ColumnFold<T>& fold, size_t texels, T* out) = nullptr;
  /// Reduces 2x2 texels to one in `pairs` pairs of working rows; rows[2i] and rows[2i + 1] give the `texels` texels of
  /// outs[i].
  void (*fold_quads)(const void* const* rows, uint32_t pairs, size_t texels, T* const* outs) = nullptr;
  /// fold_rows and fold_quads from source rows; they read nothing beyond these. Null if this fast path does not exist.
  void (*fold_source_rows)(const void* const* rows, uint32_t taps, const T* weights, size_t count, T* out) = nullptr;
  void (*fold_source_quads)(const void* const* rows, uint32_t pairs, size_t texels, T* const* outs) = nullptr;
  /// Reduces 2 or 3 rows and 2 or 3 columns to one; with three row taps neighbouring outputs share a row. Reads
  /// WideFold::readable elements only, writes whole vectors. Null if this fast path does not exist.
  void (*fold_wide)(const void* const* rows, const WideFold<T>& fold, T* const* outs) = nullptr;
  void (*fold_source_wide)(const void* const* rows, const WideFold<T>& fold, T* const* outs) = nullptr;
  /// The same from source rows, for RowSpec::sums_integers() with three column taps.
  void (*fold_unorm8)(const void* const* rows, const WideFold<T>& fold, T* const* outs) = nullptr;
  /// Reduces eight source rows by 8x8 texels, three levels at once, to four, two and one target rows (outs[0..3],
  /// [4..5], [6]), and the last level also to a working row. `texels`: texels of the last level, a multiple of
  /// `tile_texels`. store_tiles_non_temporal uses non-temporal stores and needs targets that begin on cache lines. Null
  /// if this fast path does not exist.
  void (*fold_tiles)(const RowSpec& spec, const void* const* rows, size_t texels, void* const* outs, T* last) = nullptr;
  void (*store_tiles_non_temporal)(const RowSpec& spec, const void* const* rows, size_t texels, void* const* outs,
                                   T* last) = nullptr;
  uint32_t tile_texels = 0;
  /// Computes the rows of a FusedRows from source rows and writes them with non-temporal stores. Target addresses must
  /// be multiples of a texel's size. Null if this fast path does not exist.
  void (*fused_rows)(const RowSpec& spec, const FusedRows<T>& fused_rows) = nullptr;
  /// Converts working texels to target channels. `alpha_scale`: for kCoverage.
  void (*finish)(const RowSpec& spec, const T* in, size_t texels, double alpha_scale, T* out) = nullptr;
  /// Encodes `texels` texels; writes nothing beyond them.
  void (*encode)(const RowSpec& spec, const T* in, size_t texels, void* row) = nullptr;
  /// The same with non-temporal stores; `row` must be a multiple of a texel's size. Null if this fast path does not
  /// exist.
  void (*encode_non_temporal)(const RowSpec& spec, const T* in, size_t texels, void* row) = nullptr;
  /// Copies with non-temporal stores: no cache pollution, and no read of the lines that are overwritten.
  void (*stream)(const void* from, size_t bytes, void* to) = nullptr;
};

/// The functions for `spec` on the best enabled SIMD target; the scalar reference (row_plain.hpp) fills the gaps.
template <typename T>
RowKernels<T> find_row_kernels(const RowSpec& spec);

/// The functions that one source file provides for `spec`; the other members are null.
RowKernels<float> find_decode_kernels(const RowSpec& spec);       ///< row_decode.cpp: decode.
RowKernels<float> find_fold_kernels(const RowSpec& spec);         ///< row_fold.cpp: fold_rows, _columns, _quads.
RowKernels<float> find_fold_source_kernels(const RowSpec& spec);  ///< row_fold_source.cpp: fold_source_rows, _quads.
RowKernels<float> find_wide_kernels(const RowSpec& spec);         ///< row_fold_wide.cpp: fold_wide, fold_source_wide.
RowKernels<float> find_code_kernels(const RowSpec& spec);         ///< row_fold_unorm8.cpp: fold_unorm8.
RowKernels<float> find_tile_kernels(const RowSpec& spec);       ///< row_tile.cpp: fold_tiles, store_tiles_non_temporal.
RowKernels<float> find_srgb_tile_kernels(const RowSpec& spec);  ///< row_tile_srgb.cpp: the same for RGBA sRGB.
RowKernels<float> find_fused_row_kernels(const RowSpec& spec);  ///< row_fused.cpp: fused_rows.
RowKernels<float> find_encode_kernels(const RowSpec& spec);  ///< row_encode.cpp: encode, encode_non_temporal, stream.

}  // namespace onepass::cpu
