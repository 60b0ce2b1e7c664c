// cpu_stage.hpp: data of a stage, which makes up to three levels: how each level is computed, the buffers.
//
// A stage reads its input level row by row and computes each coarser row as soon as the finer rows of its footprint
// exist, while these are still in cache:
//
//     level 0   a b c d e f g h ...      read once
//     level 1   ab  cd  ef  gh           a ring buffer holds the last eight rows of each level in working form
//     level 2   abcd    efgh
//     level 3   abcdefgh                 input of the next stage: a plane in working form
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cpu/aligned_vector.hpp"
#include "image/row_codec.hpp"
#include "pyramid/cpu_axis.hpp"
#include "reduction/box_kernels.hpp"

namespace onepass::cpu {

using image::kRowPadding;
using reduction::BoxKernels;
using reduction::BoxSpec;
using reduction::ColumnFold;
using reduction::kMostPairs;
using reduction::WideFold;

inline constexpr uint32_t kStageLevels = 3;
inline constexpr uint32_t kRingRows = 8;          ///< Ring buffer rows per level; a band's first row may need seven.
inline constexpr uint32_t kStripElements = 2048;  ///< Elements of a strip: its finer texels stay in the L1 cache.
inline constexpr uint32_t kStripMultiple = 16;    ///< Texels: strips end where vectors and cache lines end.
inline constexpr uint32_t kTileRows = 7;          ///< Target rows of a tile: four, two and one.
inline constexpr size_t kLineBytes = 64;          ///< Bytes of a cache line.
inline constexpr uint32_t kTileStrip = 32;        ///< Texels of the last level computed at a time in scratch memory.
inline constexpr size_t kTileStripBytes = kTileStrip * 4 * 16 + kLineBytes;
inline constexpr size_t kStripSpace = 2 * kStripElements + 16 + kRowPadding;  ///< For up to 2n + 1 finer texels.

/// The reduction, source and target rows of a pyramid's kernels.
BoxSpec box_spec(const PyramidOptions& options);

/// Elements of a working row of `texels` with its padding, a multiple of kRowPadding.
[[nodiscard]] inline size_t padded_row(uint32_t texels, uint32_t channels) {
  return (size_t{texels} * channels + 2 * kRowPadding - 1) / kRowPadding * kRowPadding;
}

/// How level n is computed from level n-1.
template <typename T>
struct LevelStep {
  AxisStep x;
  AxisStep y;
  AlignedVector<T> first;  ///< Column weights of kThree, one per element; see ColumnFold.
  AlignedVector<T> last;
  AlignedVector<T> texel_first;  ///< The same, one per texel; empty with one channel.
  AlignedVector<T> texel_last;
  T middle = 0;
  std::vector<std::array<T, 3>> rows;  ///< Row weights of kThree, by coarse row from rows_begin on.
  uint32_t rows_begin = 0;
  bool is_mean = false;
  bool sums_integers = false;  ///< Column weights are integers; columns are reduced before rows.

  /// Without the weights of rows.
  LevelStep(const PyramidOptions& options, const BoxSpec& spec, uint32_t level);

  /// Computes the weights of the coarse rows `range` and drops those of others.
  void set_rows(TexelRange range);

  /// Weights of the finer rows of a row; null where rows have equal weight or none.
  [[nodiscard]] const std::array<T, 3>* row_weights(uint32_t row) const {
    return rows.empty() ? nullptr : &rows[row - rows_begin];
  }

  /// Is every texel, except a last one that takes the remainder, made from 2x2 finer texels of equal weight?
  [[nodiscard]] bool has_pairs() const { return x.taps == Taps::kTwo && y.taps == Taps::kTwo; }

  /// The factor of a sum of rows with `taps`.
  [[nodiscard]] T row_scale(Taps taps) const {
    return static_cast<T>((taps == Taps::kTwo ? 0.5 : 1.0) * weights_scale());
  }

  /// The factor that the column weights leave out: 1 / (2k + 1) where they are integers.
  [[nodiscard]] double weights_scale() const { return sums_integers ? 1.0 / x.fine : 1.0; }

  /// Parameters for the reduction of regular columns from element `element` on.
  [[nodiscard]] ColumnFold<T> columns(size_t element, T scale) const;
};

/// A level in working form, stored between stages.
template <typename T>
struct Plane {
  AlignedVector<T> elements;
  size_t row_elements = 0;
  size_t slice_elements = 0;
  uint32_t row_mask = ~0U;  ///< Of a stream: the plane is a ring buffer of row_mask + 1 rows.

  [[nodiscard]] T* row(uint32_t y, uint32_t slice) {
    return elements.data() + slice * slice_elements + (y & row_mask) * row_elements;
  }
};

/// Data that all bands of a stage share. Level k of a stage is level `first + k` of the pyramid; arrays are indexed by
/// k, and k = 0 is the input.
template <typename T>
struct StageWork {
  const BoxKernels<T>& kernels;
  const image::RowDecoder<T>& decoder;
  const image::RowEncoder<T>& encoder;
  ImageView source;            ///< The input of the first stage.
  Plane<T>* input = nullptr;   ///< The input of the other stages; null in the first.
  Plane<T>* output = nullptr;  ///< Receives the last level; may be null.
  uint32_t first = 0;
  uint32_t count = 0;  ///< Levels to compute, 1 to 3.
  uint32_t channels = 0;
  size_t texel_bytes = 0;                                     ///< Of a source texel.
  size_t target_bytes = 0;                                    ///< Of a target texel.
  bool non_temporal = false;                                  ///< Targets are written with non-temporal stores.
  bool tiles = false;                                         ///< Tiles apply: 8x8 texels to one, three levels at once.
  bool uses_fused_rows = false;                               ///< Fused rows of three levels apply; see row_fused.cpp.
  std::array<const LevelStep<T>*, kStageLevels + 1> steps{};  ///< steps[k] leads to level k.
  std::array<TexelRange, kStageLevels + 1> needed_x{};        ///< Columns to compute.
  std::array<Rect, kStageLevels + 1> computed{};              ///< Texels that the job asks for.
  std::array<Rect, kStageLevels + 1> stored{};                ///< The computed texels that are written to `targets`.
  std::array<MutableImageView, kStageLevels + 1> targets{};

  // Streams have some rows and columns of an image only:
  const std::byte* const* source_rows = nullptr;          ///< Rows of the source, instead of `source`.
  uint32_t first_source_row = 0;                          ///< The row of source_rows[0].
  size_t source_begin = 0;                                ///< Bytes of a source row before the first one there.
  std::array<uint32_t, kStageLevels + 1> first_target{};  ///< The row of a level that is row 0 of its target.
  std::array<uint32_t, kStageLevels + 1> ring_begin{};    ///< The first column of ring buffers.

  [[nodiscard]] std::byte* target_row(uint32_t k, uint32_t y, uint32_t slice) const {
    return targets[k].row(y - first_target[k], slice);
  }
};

/// What a first pass over a stage of one slice collects for Alpha::kCoverage.
struct AlphaPass {
  std::array<float*, kStageLevels + 1> alphas{};  ///< Receive the unrounded alphas of each level, rows without gaps.
  float base_cut = 0;                             ///< Texels of the base with at least this alpha are counted.
};

/// The strip buffers of a thread, each of kStripSpace elements. kStored and kSums are not used together: only texels
/// whose stored channels are not working channels need kStored, and their columns are not reduced before rows.
enum StripBuffer : uint32_t {
  kDecoded = 0,   ///< Three source rows in working form.
  kStored = 3,    ///< Three source rows as stored.
  kSums = 3,      ///< Sums of columns, in the space of kStored, which is then unused.
  kFolded = 6,    ///< Rows reduced to one; texels encoded for a non-temporal copy.
  kFinished = 7,  ///< Texels ready to be encoded.
  kStripBuffers = 8
};

/// Row and strip buffers of one thread.
template <typename T>
struct BandScratch {
  AlignedVector<T> rows;             ///< kRingRows of each level of a stage
  AlignedVector<std::byte> targets;  ///< kTileRows strips of target texels
  AlignedVector<T> strips;           ///< By StripBuffer.

  void reserve(size_t row_elements);
  [[nodiscard]] T* strip(uint32_t index) { return strips.data() + index * kStripSpace; }
};

}  // namespace onepass::cpu
