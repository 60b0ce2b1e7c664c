// cpu_band.hpp: one band of rows through one stage of up to three levels.
//
// A stage reads its input level row by row and makes each coarser row as soon as the rows above it in the chain exist,
// while those are still in cache:
//
//     level 0   a b c d e f g h ...      streamed once
//     level 1   ab  cd  ef  gh           the last eight rows of each level are kept in working form
//     level 2   abcd    efgh
//     level 3   abcdefgh                 handed over to the next stage as a plane in working form
//
// Rows a to h are read side by side in strips, and a strip goes through all levels before the next one is read: eight
// rows are eight streams to the hardware that fetches ahead, and what a level needs of the finer one is in the L1
// cache.
//
// A band owns rows of every level. Where a coarse row needs finer rows that the next band owns (covering and edge), the
// band makes them as well and keeps them to itself: at most seven rows of the input.
#pragma once

#include <array>
#include <cstdint>

#include "cpu/aligned_vector.hpp"
#include "cpu/row_kernels.hpp"
#include "pyramid/coverage.hpp"
#include "pyramid/cpu_axis.hpp"

namespace onepass::cpu {

inline constexpr uint32_t kStageLevels = 3;
inline constexpr uint32_t kKeptRows = 8;          ///< Of each level; the first row of a stage may take seven.
inline constexpr uint32_t kStripElements = 2048;  ///< Made at a time: what is read for them stays in the L1 cache.
inline constexpr uint32_t kTileRows = 7;          ///< Four, two and one.
inline constexpr size_t kLineBytes = 64;          ///< Of a cache.
inline constexpr uint32_t kTileStrip = 32;        ///< Texels of a tile's last level made at a time in scratch memory.
inline constexpr size_t kTileStripBytes = kTileStrip * 4 * 16 + kLineBytes;
inline constexpr size_t kStripSpace = 2 * kStripElements + 16 + kRowPadding;  ///< Of the finer texels, up to 2n + 1.

/// How level n is made from level n-1.
template <typename T>
struct LevelStep {
  AxisStep x;
  AxisStep y;
  AlignedVector<T> first;  ///< Column weights of kThree, one per element; see ColumnFold.
  AlignedVector<T> last;
  T middle = 0;

  LevelStep(const PyramidOptions& options, uint32_t level, uint32_t channels);

  /// Every texel takes 2x2 finer ones of equal weight.
  [[nodiscard]] bool is_even() const {
    return x.taps == Taps::kTwo && y.taps == Taps::kTwo && !x.fat_last && !y.fat_last;
  }

  /// What the sum of two rows has to be multiplied with.
  [[nodiscard]] static T row_scale(Taps taps) { return taps == Taps::kTwo ? T(0.5) : T(1); }

  /// The fold of regular columns from texel `texel` on.
  [[nodiscard]] ColumnFold<T> columns(size_t element, T scale) const;
};

/// Rows in working form, kept between stages.
template <typename T>
struct Plane {
  AlignedVector<T> elements;
  size_t row_elements = 0;
  size_t slice_elements = 0;

  [[nodiscard]] T* row(uint32_t y, uint32_t slice) {
    return elements.data() + slice * slice_elements + y * row_elements;
  }
};

/// What all bands of a stage have in common. Level k of a stage is level `first + k` of the pyramid; arrays are indexed
/// by k, 0 being the input.
template <typename T>
struct StageWork {
  const RowSpec& spec;
  const RowKernels<T>& kernels;
  ImageView source;            ///< The input of the first stage...
  Plane<T>* input = nullptr;   ///< ...and of the others.
  Plane<T>* output = nullptr;  ///< Receives the last level; may be null.
  uint32_t first = 0;
  uint32_t count = 0;  ///< Levels to make, 1 to 3.
  uint32_t channels = 0;
  size_t texel_bytes = 0;                                     ///< Of the source.
  bool streams = false;                                       ///< Targets are written past the caches.
  bool tiles = false;                                         ///< Three levels can be made at once, 8x8 texels to one.
  std::array<const LevelStep<T>*, kStageLevels + 1> steps{};  ///< steps[k] makes level k.
  std::array<TexelRange, kStageLevels + 1> needed_x{};        ///< Columns to compute.
  std::array<Rect, kStageLevels + 1> computed{};              ///< Texels the job asks for.
  std::array<Rect, kStageLevels + 1> stored{};                ///< Those of them that are written to `targets`.
  std::array<MutableImageView, kStageLevels + 1> targets{};
};

/// What a coverage pass counts in one stage of one slice.
struct StageCounts {
  std::array<CoverageHistogram, kStageLevels + 1> bins{};
  std::array<uint64_t, kStageLevels + 1> passing{};  ///< [0] counts the base.
};

/// Rows and strips of one thread.
template <typename T>
struct BandScratch {
  AlignedVector<T> rows;             ///< kKeptRows of each level of a stage
  AlignedVector<std::byte> targets;  ///< kTileRows strips of target texels
  AlignedVector<T> strips;           ///< three decoded, three prepared, one folded, one finished
  StageCounts counts;

  void reserve(size_t row_elements);
  [[nodiscard]] T* strip(uint32_t index) { return strips.data() + index * kStripSpace; }
};

template <typename T>
class Band {
 public:
  /// Rows [top.begin, top.end) of the stage's last level of `slice`; `is_last` if there are none below.
  Band(const StageWork<T>& work, BandScratch<T>& scratch, uint32_t slice, TexelRange top, bool is_last);

  /// Makes the rows and writes them, alphas scaled by `alpha_scales[level]`.
  void write(const double* alpha_scales);

  /// Makes the rows and counts their alphas into scratch.counts.
  void count(float threshold);

 private:
  using Columns = std::array<uint32_t, kStageLevels + 1>;  ///< By level of the stage.

  void make_all_rows();
  void make_row(uint32_t k);
  uint32_t make_tiles(uint32_t y);
  void stream_strips(const void* const* rows, void* const* targets, uint32_t texels, T* last);
  void make_strip(uint32_t k, TexelRange rows, TexelRange x);
  [[nodiscard]] uint32_t strip_end(uint32_t k, const Columns& done) const;
  void fold(uint32_t k, uint32_t y, TexelRange x, T* out);
  const T* fold_strip_rows(uint32_t k, uint32_t y, TexelRange fine);
  const T* strip_row(uint32_t k, uint32_t y, TexelRange x, uint32_t tap);
  void fold_strip_columns(uint32_t k, TexelRange x, T row_scale, const T* row, T* out);
  bool fold_quads(uint32_t k, TexelRange rows, TexelRange x);
  bool fold_wide(uint32_t k, TexelRange rows, TexelRange x);
  [[nodiscard]] uint32_t store_begin(uint32_t k, uint32_t y, uint32_t x) const;

  void emit(uint32_t k, uint32_t y, TexelRange x, const T* row);
  void encode(uint32_t k, uint32_t y, TexelRange x, const T* row);
  void count_row(uint32_t k, const T* row, size_t texels);
  void count_base_rows();

  [[nodiscard]] T* kept_row(uint32_t k, uint32_t y);
  [[nodiscard]] const std::byte* source_texels(uint32_t y, uint32_t x) const {
    return work_.source.row(y, slice_) + x * work_.texel_bytes;
  }
  [[nodiscard]] bool reads_source(uint32_t k) const { return k == 1 && work_.input == nullptr; }

  const StageWork<T>& work_;
  BandScratch<T>& scratch_;
  uint32_t slice_;
  std::array<TexelRange, kStageLevels + 1> owned_{};   ///< Rows this band answers for; [0] without the job's limits.
  std::array<TexelRange, kStageLevels + 1> needed_{};  ///< Rows it makes.
  std::array<uint32_t, kStageLevels + 1> next_{};      ///< The row of each level to be made next.
  std::array<uint32_t, kStageLevels + 1> tiled_{};     ///< Columns of the present rows that make_tiles() has made.
  const double* alpha_scales_ = nullptr;               ///< Null while counting.
  float threshold_ = 0;
};

}  // namespace onepass::cpu
