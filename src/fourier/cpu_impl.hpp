// cpu_impl.hpp: the CPU engine of transforms, and the fused pass of operations on spectra: image to image, with an
// operation on each strip of the spectrum while it is in the cache.
//
//     rows of the image --row transforms--> work memory
//     work memory --column transforms--> strip --operation--> strip --column transforms--> work memory
//     work memory --row transforms--> rows of the result
//
// A strip is a block of columns stored contiguously, 16 values wide: 16 / channels frequencies kx with all their
// channels. It has one element (16 real parts, 16 imaginary parts) per existing row. Rows of padding are neither stored
// nor transformed: the column pass reads the row that they repeat.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "cpu/aligned_vector.hpp"
#include "cpu/progress_watch.hpp"
#include "cpu/workers.hpp"
#include "fourier/domain.hpp"
#include "fourier/line_kernels.hpp"
#include "image/row_codec.hpp"
#include "onepass/fourier.hpp"

namespace onepass::cpu {

/// A strip of a spectrum, all rows, in memory that no other thread uses. The real part of channel c at frequency
/// (first_kx + i, ky) is values[ky * kRowFloats + i * channels + c], the imaginary part kImaginary floats later. Order
/// and origin of the options do not apply: ky = 0, 1, ... height - 1, DC first. Values from columns * channels on are
/// padding and may be overwritten.
struct SpectrumStrip {
  static constexpr size_t kRowFloats = kElementFloats;
  static constexpr size_t kImaginary = kLanes;
  uint32_t slice = 0;
  uint32_t first_kx = 0;
  uint32_t columns = 0;   ///< Up to 16 / channels.
  uint32_t channels = 0;  ///< TransformPlan::spectrum_channels.
  uint32_t height = 0;
  float* values = nullptr;
};

/// Changes a strip in place. Called concurrently for distinct strips; concurrent calls have different slots below
/// Transform::Impl::slots().
using StripOperation = std::function<void(const SpectrumStrip& strip, uint32_t slot)>;

/// `count` texels of row `y` of a slice, from column `x` on, as floats.
using RowPart = std::function<void(uint32_t slice, uint32_t y, uint32_t x, uint32_t count, float* texels)>;

/// Changes of rows by the row passes of apply(); empty: none. Called concurrently for distinct rows.
struct RowChanges {
  RowPart load;   ///< Computes texels of the crop instead of decoding the source: as many channels as it stores. May
                  ///< write image::kRowPadding floats more.
  RowPart store;  ///< Changes texels of the result before they are encoded: as many channels as the target stores.
};

/// Where a call of a transform reports its progress, as a part of some longer work.
struct ProgressShare {
  ProgressWatch* watch = nullptr;
  double share = 1;  ///< The call's part of the work.
};

/// The result of work after its last part: kCancelled if the caller has cancelled it.
[[nodiscard]] Result<void> finish(ProgressWatch& watch);

/// Uninitialised memory.
class RawMemory {
 public:
  void allocate(size_t bytes);
  [[nodiscard]] std::byte* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(std::byte* data) const { ::operator delete (data, std::align_val_t{size_t{2} << 20}); }
  };
  std::unique_ptr<std::byte, Free> data_;
};

struct ONEPASS_INTERNAL Transform::Impl {
  static constexpr size_t kWorkAtOnce = size_t{8} << 20;

  /// `work_at_once`: bytes of work memory that slices share; one slice may take more.
  Impl(const TransformPlan& planned, const TransformTuning& tuning, size_t work_at_once = kWorkAtOnce);

  /// Once the watch of `progress` is cancelled, these calls return soon, with undefined results.
  void forward(const ImageView& source, std::span<std::byte> spectrum, const ProgressShare& progress = {});
  void inverse(std::span<const std::byte> spectrum, const MutableImageView& target, const ProgressShare& progress = {});

  /// The fused pass: forward(), `operation` on every strip, inverse(). The whole spectrum is never in memory. The
  /// operation gets unnormalised sums, times row_factor_; the result gets the factor of the norm. Views must have been
  /// checked.
  void apply(const ImageView& source, const StripOperation& operation, const MutableImageView& target,
             const RowChanges& changes = {}, const ProgressShare& progress = {});

  /// apply() to the first `count` slices, to `store` alone instead of a target. A task has a block of rows of all
  /// slices in work memory, and stores them in the order of the slices. Once the watch is cancelled, the slices of a
  /// group are stored either all or not at all. Returns the number of slices that were stored.
  uint32_t apply_in_order(const ImageView& source, uint32_t count, const StripOperation& operation,
                          const RowPart& store, const ProgressShare& progress);

  /// The first half of apply(): `operation` reads every strip of the spectrum.
  void inspect(const ImageView& source, const StripOperation& operation);

  [[nodiscard]] Result<void> check_source(const ImageView& source) const;
  [[nodiscard]] Result<void> check_target(const MutableImageView& target) const;
  [[nodiscard]] Result<void> check_spectrum(std::span<const std::byte> spectrum) const;

  [[nodiscard]] uint32_t slots() const { return workers_.slots(); }

  TransformPlan plan;
  TransformTuning tuning;

 private:
  static constexpr uint32_t kChunkFloats = 256;  ///< Per row, decoded or encoded at a time.
  /// The lines of sixteen rows of one channel, within a block.
  struct ChannelBatch {
    uint32_t batch = 0;
    Part part = Part::kWhole;
  };
  /// Location of a value of consecutive texels, `step` floats apart.
  struct Place {
    float* first = nullptr;
    size_t step = 0;
  };
  struct Scratch {
    RawMemory memory;              ///< Holds the three below.
    std::byte* lines = nullptr;    ///< All batches of a block of rows, or a strip.
    std::byte* passes = nullptr;   ///< LineJob::scratch, strips that are stored together, or the pairs of a strip.
    std::byte* decoded = nullptr;  ///< Chunks of 16 rows.
  };
  /// Range of slices whose strips are in work memory together.
  struct Slices {
    uint32_t first = 0;
    uint32_t count = 0;
  };

  void assign_batches();
  void map_axes();
  void allocate(size_t work_at_once);
  void each_slices(const std::function<void(Slices)>& work);
  /// The first two passes of apply().
  void apply_to_strips(const ImageView& source, Slices slices, const StripOperation& operation, const RowPart& load);
  /// The factors of an apply(): of a column pass, and of the rows of its result.
  struct ApplyFactors {
    double columns = 1;
    double rows = 1;
  };
  [[nodiscard]] ApplyFactors apply_factors() const;
  /// Runs the tasks of a pass over `slices`, unless the call is cancelled. `part`: the pass's part of the call.
  void run_pass(size_t tasks, Slices slices, double part, const std::function<void(size_t, uint32_t)>& task);
  void rows_to_strips(const ImageView& source, Slices slices, double part, const RowPart& load = {});
  void strips_to_rows(const MutableImageView& target, Slices slices, double factor, double part,
                      const RowPart& change = {});
  /// One block of rows of a slice; `target` without data: only `change` gets its texels.
  void strips_to_block(const MutableImageView& target, Slices slices, uint32_t slice, uint32_t block, double factor,
                       const RowPart& change, Scratch& scratch);
  /// Rows per block, and blocks of the result.
  [[nodiscard]] uint32_t block_rows() const { return groups_ * kLanes; }
  [[nodiscard]] uint32_t result_blocks() const;
  void each_strip(Slices slices, double part,
                  const std::function<void(SpectrumStrip&, std::byte* work, Scratch&, uint32_t)>& task);

  void strips_to_spectrum(Slices slices, double factor, double part, std::span<std::byte> spectrum);
  /// Strip `number` of the slice `slices.first + slice`, with scratch memory for its spectrum.
  [[nodiscard]] SpectrumStrip strip_at(Slices slices, uint32_t slice, uint32_t number, const Scratch& scratch) const;

  std::array<Place, kLanes> places_of(uint32_t group, uint32_t stored, uint32_t used, float* elsewhere,
                                      Scratch& scratch) const;
  void load_rows(const ImageView& source, uint32_t slice, uint32_t first_row, const RowPart& load,
                 Scratch& scratch) const;
  void store_rows(const MutableImageView& target, uint32_t slice, uint32_t first_row, const RowPart& change,
                  Scratch& scratch) const;
  void transform_rows(bool inverse, Scratch& scratch) const;
  StripRows strip_rows(uint32_t group, uint32_t row, uint32_t rows, uint32_t slice, Scratch& scratch) const;

  [[nodiscard]] std::byte* pairs_of(const SpectrumStrip& strip, std::byte* spectrum) const;
  [[nodiscard]] LineJob column_job(std::byte* work, float* values) const;
  void columns_forward(std::byte* work, float* values, Scratch& scratch, std::byte* pairs = nullptr,
                       double factor = 1) const;
  void columns_inverse(float* values, std::byte* work, double factor, Scratch& scratch,
                       const std::byte* pairs = nullptr) const;
  void store_strip(const SpectrumStrip& strip, double factor, std::span<std::byte> spectrum, Scratch& scratch) const;
  void load_strip(std::span<const std::byte> spectrum, const SpectrumStrip& strip, Scratch& scratch) const;
  /// Calls copy(offset in the spectrum, offset in the strip, bytes) for every contiguous range.
  template <class Copy>
  void each_run(const SpectrumStrip& strip, const Copy& copy) const;

  Scratch& scratch(uint32_t slot);
  [[nodiscard]] float* lines(const Scratch& scratch, uint32_t batch) const {
    return reinterpret_cast<float*>(scratch.lines) + batch * line_elements_ * kElementFloats;
  }
  [[nodiscard]] std::byte* work_strip(uint32_t slice_index, uint32_t strip) const {
    return work_.data() + (size_t{slice_index} * strips_ + strip) * strip_bytes_;
  }
  [[nodiscard]] bool half() const { return plan.options.precision == SpectrumPrecision::kHalf; }
  [[nodiscard]] bool real() const { return plan.options.signal == Signal::kReal; }

  Workers workers_;
  ProgressShare progress_;  ///< Of the call that runs.
  LineKernels kernels_;
  image::RowDecoder<float> decoder_;
  image::RowEncoder<float> encoder_;
  HalfRows halves_;
  LinePlan row_plan_;
  LinePlan column_plan_;

  uint32_t groups_ = 1;                                         ///< Groups of 16 rows per block.
  uint32_t batches_ = 1;                                        ///< Batches of lines per block.
  std::array<std::array<ChannelBatch, 4>, 2> channel_batches_;  ///< By group and channel of the spectrum.
  uint32_t strip_columns_ = 1;
  uint32_t strips_ = 1;
  uint32_t strips_together_ = 1;  ///< Strips of one task of strips_to_spectrum().
  bool stages_columns_ = false;   ///< strips_to_spectrum() transforms strips in scratch memory.
  uint32_t work_rows_ = 0;        ///< Per strip, and two more: one of zeros, one for discarded rows.
  size_t strip_bytes_ = 0;
  size_t line_elements_ = 0;
  uint32_t slices_at_once_ = 1;
  double row_factor_ = 1;                 ///< Strips hold unnormalised sums times this: 1 unless precision is kHalf.
  std::vector<uint32_t> texel_of_x_;      ///< Source element for each position of the domain.
  bool texels_in_order_ = false;          ///< texel_of_x_[x] = x.
  VisibleTexels seen_rows_;               ///< Rows of the crop that occur in the domain.
  std::vector<uint32_t> row_of_y_;        ///< Strip element for each row of the domain.
  std::vector<uint32_t> row_to_y_;        ///< The same for the inverse.
  std::vector<uint32_t> position_of_ky_;  ///< Row in memory for each frequency ky.
  size_t pair_stride_ = 0;                ///< Floats from one such row to the next.
  RawMemory work_;
  std::vector<Scratch> scratch_;
};

}  // namespace onepass::cpu
