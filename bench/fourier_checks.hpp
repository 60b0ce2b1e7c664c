// fourier_checks.hpp: single values of spectra and convolutions from their definitions, in double.
#pragma once

#include <complex>

#include "fourier_cases.hpp"

namespace onepass::bench {

/// The value of a frequency, by the sum at the top of onepass/fourier.hpp. `channel`: of the spectrum.
[[nodiscard]] std::complex<double> spectrum_value(const FourierCase& transform, const ImageView& source, Extent at,
                                                  uint32_t channel);

/// One channel of a texel, by the sum at the top of onepass/fourier_convolution.hpp.
[[nodiscard]] double convolved_value(const ConvolutionCase& convolution, const ImageView& source,
                                     const ImageView& kernel, Extent at, uint32_t channel);

}  // namespace onepass::bench
