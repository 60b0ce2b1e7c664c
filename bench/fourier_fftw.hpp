// fourier_fftw.hpp: FFTW in single precision, where the build found it: the baseline that everybody knows.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "fourier_cases.hpp"

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

}  // namespace onepass::bench
