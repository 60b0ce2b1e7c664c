// fourier_fftw.hpp: FFTW in single precision as a well-known baseline, where the build found it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "fourier_cases.hpp"
#include "onepass/image.hpp"

namespace onepass::bench {

/// Forward and inverse transform of one case. Images consist of floats. Spectra are laid out
/// as SpectrumOrder::kRows; results are not scaled.
class FftwTransform {
 public:
  /// Plans with FFTW_MEASURE or, if `patient`, with FFTW_PATIENT, which takes minutes. Overwrites `source`. Null
  /// if the build found no FFTW, or if `threads` > 1 and it has no threads.
  static std::unique_ptr<FftwTransform> create(const FourierCase& transform, uint32_t threads, bool patient,
                                               std::span<std::byte> source, std::span<std::byte> spectrum,
                                               std::span<std::byte> target);
  FftwTransform() = default;
  FftwTransform(const FftwTransform&) = delete;
  FftwTransform& operator=(const FftwTransform&) = delete;
  virtual ~FftwTransform() = default;
  virtual void forward() const = 0;

  /// Destroys the spectrum of a real signal.
  virtual void inverse() const = 0;
};

/// Convolution of an image of floats as programs do it with FFTW: copies channels to padded planes, transforms them,
/// multiplies by the kernel's spectrum, transforms back. All of this is timed, but not the kernel's spectrum.
class FftwConvolution {
 public:
  /// Null in the cases of FftwTransform::create(), and for boundaries other than zero.
  static std::unique_ptr<FftwConvolution> create(const ConvolutionCase& convolution, uint32_t threads,
                                                 const ImageView& kernel);
  FftwConvolution() = default;
  FftwConvolution(const FftwConvolution&) = delete;
  FftwConvolution& operator=(const FftwConvolution&) = delete;
  virtual ~FftwConvolution() = default;

  /// Channels of the target that are not convolved keep their values.
  virtual void convolve(const ImageView& source, const MutableImageView& target) = 0;
};

}  // namespace onepass::bench
