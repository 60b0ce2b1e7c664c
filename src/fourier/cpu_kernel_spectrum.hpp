// cpu_kernel_spectrum.hpp: products of strips of an image's spectrum with the spectrum of a kernel or with gains.
#pragma once

#include <complex>
#include <functional>

#include "cpu/aligned_vector.hpp"
#include "fourier/cpu_impl.hpp"

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

}  // namespace onepass::cpu
