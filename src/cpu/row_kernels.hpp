// row_kernels.hpp: the row functions that techniques are made with. Each exists once per SIMD target and is chosen at
// run time; all targets compute the same bits: the same additions and multiplications in the same order, none of them
// fused, or, where sums of codes and codes themselves are the result, by any way that is exact.
//
// The working form of a row is 1, 2 or 4 interleaved channels of T: float, or double where the target is 16-bit UNORM
// and the mean of floats would not be exact enough. UNORM sources stay integral codes (0..255, 0..65535) as long as
// nothing but their size relation to the target matters: sums of codes are exact.
//
//     source row --decode--> source channels --prepare--> working row --fold_rows, fold_columns--> working row
//     working row --finish--> target channels --encode--> target row
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "onepass/pyramid.hpp"

namespace onepass::cpu {

/// The finer texels that coarse texel i takes.
enum class Taps : uint32_t {
  kOne = 1,    ///< i: the axis is one texel long already.
  kTwo = 2,    ///< 2i, 2i+1, of equal weight.
  kThree = 3,  ///< 2i, 2i+1, 2i+2 with weights (k-i, k, i+1) / (2k+1), where 2k+1 is the finer size.
};

/// How channels are stored. kSrgb8 is RGBA with linear alpha, kSrgbR8 one sRGB-encoded channel.
enum class Storage : uint32_t { kU8, kSrgb8, kSrgbR8, kU16, kF16, kF32, kA2B10G10R10, kB10G11R11 };

/// What has to happen to decoded texels before they can be averaged, undone by finish.
enum class Meaning : uint32_t {
  kPlain,     ///< Nothing.
  kPair,      ///< One source channel becomes two, a min and a max.
  kWeighted,  ///< (c, a) <-> (c * w, w) with w = max(a, 0) + 2^-40.
  kCoverage,  ///< Alpha is scaled on writing.
  kNormal,    ///< Vectors: UNORM codes to -1..1, two channels to three, length 1 on writing.
};

/// What the row functions need to know of a pyramid's options.
struct RowSpec {
  Storage source = Storage::kF32;
  Storage target = Storage::kF32;
  Reduction reduction = Reduction::kMean;
  Meaning meaning = Meaning::kPlain;
  uint32_t source_channels = 0;           ///< As decoded: 1, 2 or 4.
  uint32_t channels = 0;                  ///< Of the working form: 1, 2 or 4.
  uint32_t target_channels = 0;           ///< As encoded: 1, 2 or 4.
  std::array<float, 4> source_divisor{};  ///< Decoded values are divided by this: 1 unless codes must become 0..1.
  std::array<float, 4> target_divisor{};  ///< Working values are divided by this before they are encoded.
  double encode_scale = 1.0;              ///< UNORM targets: code per working unit. A2B10G10R10 knows its own.
  bool fixed_srgb = false;                ///< sRGB codes decode to what row_srgb.hpp says: sums are exact.
  bool signed_source = true;              ///< kNormal: the source stores -1..1 as it is.
  bool signed_target = true;

  [[nodiscard]] bool prepares() const {
    return meaning == Meaning::kPair || meaning == Meaning::kWeighted || meaning == Meaning::kNormal ||
           source_divisor[0] != 1.0F;
  }
  /// Three columns of the source are summed up with whole weights before rows are: see row_fold_codes.cpp.
  [[nodiscard]] bool sums_codes() const {
    return source == Storage::kU8 && reduction == Reduction::kMean && !prepares();
  }
  /// Working values are 8-bit codes or means of them.
  [[nodiscard]] bool has_codes() const { return source == Storage::kU8 && encode_scale == 1.0; }
  /// A working row of floats is a target row.
  [[nodiscard]] bool stores_as_is() const { return target == Storage::kF32 && !finishes(); }
  [[nodiscard]] bool finishes() const {
    return meaning == Meaning::kWeighted || meaning == Meaning::kCoverage || meaning == Meaning::kNormal ||
           target_divisor[0] != 1.0F;
  }
};

/// Derives the RowSpec. `codes` of UNORM sources stay codes when the target allows.
RowSpec make_row_spec(const PyramidOptions& options);

/// Working rows are of double: the mean of floats is off by more than 1/1000 of a 16-bit code.
inline bool works_in_double(const RowSpec& spec) {
  return spec.reduction == Reduction::kMean && spec.target == Storage::kU16;
}

/// How columns are folded: for kOne and kTwo every texel is the sum of its taps times `scale`; for kThree the taps have
/// the weights first[e], middle, last[e], one per element; `scale` is for what sums_codes() says.
template <typename T>
struct ColumnFold {
  Taps taps = Taps::kOne;
  T scale = 1;
  const T* first = nullptr;
  T middle = 0;
  const T* last = nullptr;
};

/// How several rows are folded side by side, two or three rows and two or three columns to one.
template <typename T>
struct WideFold {
  uint32_t count = 0;  ///< Rows to make, up to kMostPairs.
  uint32_t row_taps = 2;
  const std::array<T, 3>* weights = nullptr;  ///< Mean with three rows: by row.
  ColumnFold<T> columns;
  size_t texels = 0;    ///< To make of each row.
  size_t readable = 0;  ///< Elements of each finer row.
};

/// A level of a March.
template <typename T>
struct MarchLevel {
  WideFold<T> fold;  ///< Of whole rows.
  std::array<const void*, 9> fine{};
  std::array<T*, 4> coarse{};
  std::array<std::byte*, 4> targets{};  ///< Null for rows that are not written.
};

/// Rows of three levels that are made together: all texels take three columns, and a level is read by the next one.
template <typename T>
struct March {
  std::array<MarchLevel<T>, 3> levels;
  void (*encode)(const RowSpec& spec, const T* in, size_t texels, void* row) = nullptr;  ///< RowKernels::encode.
};

/// Elements a working row must be readable and writable beyond its end: the functions work in whole vectors.
inline constexpr size_t kRowPadding = 64;

/// Pairs of rows that are folded side by side. Memory answers sooner when several rows are read at a time: each is a
/// stream of its own to the hardware that fetches ahead.
inline constexpr uint32_t kMostPairs = 4;

/// Counts elements, not texels, unless it says texels. `row` pointers are at the first texel concerned.
template <typename T>
struct RowKernels {
  /// Decodes `texels` texels; never reads beyond them.
  void (*decode)(const RowSpec& spec, const void* row, size_t texels, T* out) = nullptr;
  /// Decoded texels to working texels.
  void (*prepare)(const RowSpec& spec, const T* in, size_t texels, T* out) = nullptr;
  /// Folds 2 or 3 rows. Mean: `weights` null adds two rows up.
  void (*fold_rows)(const T* const* rows, uint32_t taps, const T* weights, size_t count, T* out) = nullptr;
  /// Folds the columns of one row into `texels` texels.
  void (*fold_columns)(const T* in, const ColumnFold<T>& fold, size_t texels, T* out) = nullptr;
  /// Folds 2x2 texels of `pairs` pairs of working rows into as many rows of `texels` texels. rows[2i] and rows[2i + 1]
  /// make outs[i].
  void (*fold_quads)(const void* const* rows, uint32_t pairs, size_t texels, T* const* outs) = nullptr;
  /// Both straight from source rows, never reading beyond them. Null where there is no such short cut.
  void (*fold_source_rows)(const void* const* rows, uint32_t taps, const T* weights, size_t count, T* out) = nullptr;
  void (*fold_source_quads)(const void* const* rows, uint32_t pairs, size_t texels, T* const* outs) = nullptr;
  /// Folds 2 or 3 rows and columns to one; rows of three share the third. Reads only what is readable, writes whole
  /// vectors. Null where there is no such short cut.
  void (*fold_wide)(const void* const* rows, const WideFold<T>& fold, T* const* outs) = nullptr;
  void (*fold_source_wide)(const void* const* rows, const WideFold<T>& fold, T* const* outs) = nullptr;
  /// The same where RowSpec::sums_codes() and three columns become one.
  void (*fold_codes)(const void* const* rows, const WideFold<T>& fold, T* const* outs) = nullptr;
  /// Folds 8x8 texels of eight source rows, three levels at once, into four, two and one target rows (outs[0..3],
  /// [4..5], [6]) and, the last level, into a working row. `texels` counts the last level's, a multiple of
  /// `tile_texels`. stream_tiles writes past the caches and needs targets on cache lines. Null where there is no such
  /// short cut.
  void (*fold_tiles)(const RowSpec& spec, const void* const* rows, size_t texels, void* const* outs, T* last) = nullptr;
  void (*stream_tiles)(const RowSpec& spec, const void* const* rows, size_t texels, void* const* outs,
                       T* last) = nullptr;
  uint32_t tile_texels = 0;
  /// Makes the rows of a March from source rows and writes them past the caches. Addresses of targets must be multiples
  /// of a texel's size. Null where there is no such short cut.
  void (*march)(const RowSpec& spec, const March<T>& march) = nullptr;
  /// Working texels to target channels. `alpha_scale` is for kCoverage.
  void (*finish)(const RowSpec& spec, const T* in, size_t texels, double alpha_scale, T* out) = nullptr;
  /// Writes `texels` texels, and nothing beyond them.
  void (*encode)(const RowSpec& spec, const T* in, size_t texels, void* row) = nullptr;
  /// The same past the caches; the address of `row` must be a multiple of a texel's size. Null where there is no such
  /// short cut.
  void (*stream_encoded)(const RowSpec& spec, const T* in, size_t texels, void* row) = nullptr;
  /// Copies past the caches: what is not read again soon neither evicts what is, nor is read before it is overwritten.
  void (*stream)(const void* from, size_t bytes, void* to) = nullptr;
};

/// The functions for `spec` on the best SIMD target that is enabled.
template <typename T>
RowKernels<T> find_row_kernels(const RowSpec& spec);

/// The parts of it, one per source file.
RowKernels<float> find_decode_kernels(const RowSpec& spec);
RowKernels<float> find_fold_kernels(const RowSpec& spec);
RowKernels<float> find_fold_source_kernels(const RowSpec& spec);
RowKernels<float> find_wide_kernels(const RowSpec& spec);
RowKernels<float> find_code_kernels(const RowSpec& spec);
RowKernels<float> find_tile_kernels(const RowSpec& spec);
RowKernels<float> find_srgb_tile_kernels(const RowSpec& spec);
RowKernels<float> find_march_kernels(const RowSpec& spec);
RowKernels<float> find_encode_kernels(const RowSpec& spec);

}  // namespace onepass::cpu
