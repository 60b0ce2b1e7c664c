// cpu_spectral.hpp: what operations on spectra share: spectra of kernels, rows of images, alpha that is not filtered.
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

/// The spectrum of a kernel, laid out as the strips of the image's spectrum are: a product reads both in order.
class KernelSpectrum {
 public:
  /// `transform`: of the kernel, 1 channel or as many as the image's spectrum has. Throws std::bad_alloc.
  KernelSpectrum(const TransformPlan& transform, uint32_t image_channels);

  /// Transforms weights of the format and size that the transform says.
  Result<void> set(const ImageView& weights, const TransformTuning& tuning);

  /// Calls change(value, kx, ky) for every value of every plane.
  void each(const std::function<void(std::complex<float>& value, uint32_t kx, uint32_t ky)>& change);

  /// strip *= kernel, strip *= conj kernel.
  void multiply(const SpectrumStrip& strip) const;
  void multiply_conjugate(const SpectrumStrip& strip) const;

 private:
  /// Of the element of a column's strip at ky.
  [[nodiscard]] size_t element(uint32_t kx, uint32_t ky) const {
    return (size_t{kx / columns_} * height_ + ky) * 2 * lanes_;
  }

  TransformOptions transform_;
  uint32_t width_;
  uint32_t height_;
  uint32_t planes_;
  uint32_t columns_;  ///< Of a strip of the image.
  uint32_t lanes_;    ///< Values of an element: one a column if they serve all channels.
  AlignedVector<float> values_;
};

/// Gains times the values of a strip: gains[ky * (16 / channels) + i] for column i, all its channels.
void scale_strip(const SpectrumStrip& strip, const float* gains);

/// Calls `row(y, slice, slot)` for all rows of an image, on several threads.
void for_rows(Workers& workers, uint32_t height, uint32_t slices,
              const std::function<void(uint32_t y, uint32_t slice, uint32_t slot)>& row);

/// Copies alpha: target texel (x, y) gets that of source texel (x + offset.x, y + offset.y), 0 outside.
void copy_alpha(Workers& workers, const ImageView& source, const MutableImageView& target, Offset offset);

/// Kernel weights as floats, of the part of the kernel that matters, scaled as asked for.
struct KernelRequest {
  Rect part;            ///< What is kept; sums are of the whole kernel.
  uint32_t planes = 1;  ///< 1 to 4: R, G, B, the luminance.
  bool shared = true;   ///< One plane: the luminance.
  double scale = 1;     ///< On top of what follows.
  bool unit_sum = false;
  bool per_channel = false;  ///< unit_sum: each plane on its own.
};

/// Errors: kBadData naming what is wrong with the weights, kOutOfMemory.
[[nodiscard]] Result<Image> prepare_kernel(const ImageView& kernel, const KernelRequest& request);

}  // namespace onepass::cpu
