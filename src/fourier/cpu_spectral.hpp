// cpu_spectral.hpp: functions of the operations on spectra on the CPU: products with kernels' spectra, loops over rows,
// copies of alpha, kernel weights.
#pragma once

#include <complex>
#include <functional>
#include <vector>

#include "cpu/aligned_vector.hpp"
#include "cpu/workers.hpp"
#include "fourier/cpu_impl.hpp"
#include "fourier/operation_plan.hpp"
#include "onepass/fourier.hpp"

namespace onepass::cpu {

/// The spectrum of a kernel, laid out as the strips of the image's: products read both sequentially.
class KernelSpectrum {
 public:
  /// `transform`: plan of the kernel, with 1 channel or as many as the image's spectrum. Throws std::bad_alloc.
  KernelSpectrum(const TransformPlan& transform, uint32_t image_channels);

  /// Transforms weights of the format and size of the transform.
  Result<void> set(const ImageView& weights, const TransformTuning& tuning);

  /// Calls change(value, kx, ky) for every value of every plane.
  void each(const std::function<void(std::complex<float>& value, uint32_t kx, uint32_t ky)>& change);

  /// strip *= kernel; strip *= conj kernel.
  void multiply(const SpectrumStrip& strip) const;
  void multiply_conjugate(const SpectrumStrip& strip) const;

 private:
  /// Index in values_ of the element of a column at ky.
  [[nodiscard]] size_t element(uint32_t kx, uint32_t ky) const {
    return (size_t{kx / columns_} * height_ + ky) * 2 * lanes_;
  }

  TransformOptions transform_;
  uint32_t width_;
  uint32_t height_;
  uint32_t planes_;
  uint32_t columns_;  ///< Columns per strip of the image's spectrum.
  uint32_t lanes_;    ///< Values per element: one per column if shared.
  AlignedVector<float> values_;
};

/// Multiplies a strip by gains: gains[ky * (16 / channels) + i] for all channels of column i.
void scale_strip(const SpectrumStrip& strip, const float* gains);

/// Calls row(y, slice, slot) for all rows of an image, on several threads.
void for_rows(Workers& workers, uint32_t height, uint32_t slices,
              const std::function<void(uint32_t y, uint32_t slice, uint32_t slot)>& row);

/// Copies alpha from source texel (x + offset.x, y + offset.y) to target texel (x, y), 0 outside the source.
void copy_alpha(Workers& workers, const ImageView& source, const MutableImageView& target, Offset offset);

}  // namespace onepass::cpu
