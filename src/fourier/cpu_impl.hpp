// cpu_impl.hpp: the CPU engine of transforms, and its one more call for what works on spectra: a fused pass that goes
// from image to image and shows each strip of the spectrum to an operation while it lies in the cache.
//
//     rows of the image --lines--> work memory  --columns--> strip --operation--> strip --columns--> work memory
//     work memory --lines--> rows of the result
//
// Work memory is cut into strips of 16 values: 16 / channels frequencies kx, all their channels. A strip has an element
// (16 real parts, 16 imaginary parts) for each row that exists: rows of padding are neither stored nor transformed, the
// column pass reads the row that they repeat.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "cpu/aligned_vector.hpp"
#include "cpu/row_kernels.hpp"
#include "cpu/workers.hpp"
#include "fourier/domain.hpp"
#include "fourier/line_kernels.hpp"
#include "onepass/fourier.hpp"

namespace onepass::cpu {

/// Some columns of a spectrum, all rows of them, in memory that nobody else uses meanwhile. The real part of channel c
/// at frequency (first_kx + i, ky) is values[ky * kRowFloats + i * channels + c], the imaginary part lies kImaginary
/// floats further on. Order and origin of the options do not matter here: ky = 0, 1, ... height - 1, DC first. Lanes of
/// an element beyond columns * channels may be written and do not count.
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

/// Changes a strip in place. Called for distinct strips at the same time; no two calls at the same time have the same
/// slot, which is below Transform::Impl::slots().
using StripOperation = std::function<void(const SpectrumStrip& strip, uint32_t slot)>;

/// Memory that is not touched before it is used.
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
  Impl(const TransformPlan& planned, const TransformTuning& tuning);

  void forward(const ImageView& source, std::span<std::byte> spectrum);
  void inverse(std::span<const std::byte> spectrum, const MutableImageView& target);

  /// The fused pass: as forward(), `operation` on every strip, inverse(). The whole spectrum is never in memory. Values
  /// that the operation sees are the bare sums times strip_factor(); what the norm asks for comes with the rows of the
  /// result. Views must have been checked.
  void apply(const ImageView& source, const StripOperation& operation, const MutableImageView& target);

  /// Only the first half of it: `operation` sees every strip of the spectrum.
  void inspect(const ImageView& source, const StripOperation& operation);
  /// Only the second half: `operation` fills every strip, which holds anything at first.
  void synthesise(const StripOperation& operation, const MutableImageView& target);

  [[nodiscard]] Result<void> check_source(const ImageView& source) const;
  [[nodiscard]] Result<void> check_target(const MutableImageView& target) const;
  [[nodiscard]] Result<void> check_spectrum(std::span<const std::byte> spectrum) const;

  /// What apply() and inspect() multiply bare sums by: 1 unless precision is kHalf.
  [[nodiscard]] float strip_factor() const { return static_cast<float>(row_factor_); }
  [[nodiscard]] uint32_t slots() const { return workers_.slots(); }

  TransformPlan plan;

 private:
  static constexpr uint32_t kChunkFloats = 256;  ///< Of a row that are decoded or encoded at a time.
  /// Sixteen rows of one channel, within a block.
  struct Home {
    uint32_t batch = 0;
    Part part = Part::kWhole;
  };
  /// Where values of consecutive texels lie, a step of floats apart.
  struct Place {
    float* first = nullptr;
    size_t step = 0;
  };
  struct Scratch {
    RawMemory memory;              ///< All of it.
    std::byte* lines = nullptr;    ///< All batches of a block of rows, or a strip.
    std::byte* passes = nullptr;   ///< What LineJob::scratch wants.
    std::byte* decoded = nullptr;  ///< Chunks of 16 rows.
  };
  /// Which spectra a column pass begins or ends with.
  struct Slices {
    uint32_t first = 0;
    uint32_t count = 0;
  };

  void assign_batches();
  void map_axes();
  void allocate();
  void each_slices(const std::function<void(Slices)>& work);
  void rows_to_strips(const ImageView& source, Slices slices);
  void strips_to_rows(const MutableImageView& target, Slices slices, double factor);
  void each_strip(Slices slices, const std::function<void(SpectrumStrip&, std::byte* work, Scratch&, uint32_t)>& task);

  std::array<Place, kLanes> places_of(uint32_t group, uint32_t stored, uint32_t used, float* elsewhere,
                                      Scratch& scratch) const;
  void load_rows(const ImageView& source, uint32_t slice, uint32_t first_row, Scratch& scratch) const;
  void store_rows(const MutableImageView& target, uint32_t slice, uint32_t first_row, Scratch& scratch) const;
  void transform_rows(bool inverse, Scratch& scratch) const;
  StripRows strip_rows(uint32_t group, uint32_t row, uint32_t rows, uint32_t slice, Scratch& scratch) const;

  [[nodiscard]] std::byte* pairs_of(const SpectrumStrip& strip, std::byte* spectrum) const;
  void columns_forward(std::byte* work, float* values, Scratch& scratch, std::byte* pairs = nullptr,
                       double factor = 1) const;
  void columns_inverse(float* values, std::byte* work, double factor, Scratch& scratch,
                       const std::byte* pairs = nullptr) const;
  void store_strip(const SpectrumStrip& strip, double factor, std::span<std::byte> spectrum, Scratch& scratch) const;
  void load_strip(std::span<const std::byte> spectrum, const SpectrumStrip& strip, Scratch& scratch) const;
  /// Calls copy(position in memory, position in the strip, bytes) for all runs of bytes they have in common.
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
  LineKernels kernels_;
  RowSpec decode_spec_;
  RowSpec encode_spec_;
  RowKernels<float> decode_;
  RowKernels<float> encode_;
  HalfRows halves_;
  LinePlan row_plan_;
  LinePlan column_plan_;

  uint32_t groups_ = 1;                       ///< Of 16 rows in a block.
  uint32_t batches_ = 1;                      ///< Of lines in a block.
  std::array<std::array<Home, 4>, 2> homes_;  ///< By group and channel of the spectrum.
  uint32_t strip_columns_ = 1;
  uint32_t strips_ = 1;
  uint32_t work_rows_ = 0;  ///< Of a strip, with two more: one of zeros, one for what is not wanted.
  size_t strip_bytes_ = 0;
  size_t line_elements_ = 0;
  uint32_t slices_at_once_ = 1;
  double unit_ = 1;                       ///< Decoded value of 1.
  double row_factor_ = 1;                 ///< What strips hold is this times the bare sum.
  std::vector<uint32_t> texel_of_x_;      ///< Elements of a line's source, of positions in the domain.
  bool texels_in_order_ = false;          ///< texel_of_x_[x] = x.
  SeenTexels seen_rows_;                  ///< Of the crop: the others do not enter the domain.
  std::vector<uint32_t> row_of_y_;        ///< Elements of a strip, of rows of the domain.
  std::vector<uint32_t> row_to_y_;        ///< The same on the way back.
  std::vector<uint32_t> position_of_ky_;  ///< Rows in memory, of frequencies.
  size_t pair_stride_ = 0;                ///< Floats from one of them to the next.
  RawMemory work_;
  std::vector<Scratch> scratch_;
};

}  // namespace onepass::cpu
