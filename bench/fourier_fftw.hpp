// fourier_fftw.hpp: FFTW in single precision, where the build found it: the baseline that everybody knows.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "fourier_cases.hpp"
#include "onepass/image.hpp"

namespace onepass::bench {

/// Forward and inverse of one case, planned with FFTW_MEASURE. Spectra are laid out as SpectrumOrder::kRows; nothing is
/// scaled. Images of floats.
class FftwTransform {
 public:
  /// Null without FFTW, or for several threads without its threads. `source` is overwritten while it plans.
  static std::unique_ptr<FftwTransform> create(const FourierCase& transform, uint32_t threads,
                                               std::span<std::byte> source, std::span<std::byte> spectrum,
                                               std::span<std::byte> target);
  FftwTransform() = default;
  FftwTransform(const FftwTransform&) = delete;
  FftwTransform& operator=(const FftwTransform&) = delete;
  virtual ~FftwTransform() = default;
  virtual void forward() const = 0;

  /// Leaves nothing of use in the spectrum of a real signal.
  virtual void inverse() const = 0;
};

/// An image of floats convolved as programs on FFTW do: channels in padded planes, transformed, times the kernel's
/// spectrum, and back. Everything between source and target is timed, the kernel's spectrum is ready.
class FftwConvolution {
 public:
  /// Null without FFTW, for several threads without its threads, and for boundaries other than zero.
  static std::unique_ptr<FftwConvolution> create(const ConvolutionCase& convolution, uint32_t threads,
                                                 const ImageView& kernel);
  FftwConvolution() = default;
  FftwConvolution(const FftwConvolution&) = delete;
  FftwConvolution& operator=(const FftwConvolution&) = delete;
  virtual ~FftwConvolution() = default;

  /// Channels beyond those convolved stay as they are in the target.
  virtual void convolve(const ImageView& source, const MutableImageView& target) = 0;
};

}  // namespace onepass::bench
