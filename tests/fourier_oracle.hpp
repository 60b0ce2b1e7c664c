// fourier_oracle.hpp: what a transform must be, in double precision: the definition of the domain, the sum of the
// definition itself for small sizes and FFTW's for others. Shares no code with the library. For tests of every engine.
#pragma once

#include <complex>
#include <span>
#include <string>
#include <vector>

#include "onepass/fourier.hpp"
#include "pyramid_testing.hpp"

namespace onepass::testing {

using ComplexValues = std::vector<std::complex<double>>;

/// Signal `channel` of a slice on its domain, rows of size.width values: crop, placement and boundary applied, pairs of
/// channels of complex signals joined.
ComplexValues oracle_domain(const TransformOptions& options, const ImageView& source, uint32_t slice, uint32_t channel);

/// The bare sums with exp(sign 2 pi i ...), by FFTW.
ComplexValues oracle_sums(const ComplexValues& values, Extent size, int sign);

/// The same from the definition, in long double: O((W H)^2).
ComplexValues direct_sums(const ComplexValues& values, Extent size, int sign);

/// Everything that forward() must write, in the order of memory. `direct`: by direct_sums.
ComplexValues oracle_spectrum(const TransformOptions& options, const ImageView& source, bool direct = false);

/// What inverse() must write of a spectrum in the order of memory: channel values of the result,
/// [slice][y][x][channel], `options.channels` each.
std::vector<double> oracle_image(const TransformOptions& options, const ComplexValues& spectrum);

/// The pairs of a spectrum in memory.
ComplexValues read_pairs(const TransformOptions& options, std::span<const std::byte> spectrum);
/// Writes them. Halves are rounded.
std::vector<std::byte> write_pairs(const TransformOptions& options, const ComplexValues& pairs);

/// Channel values of an image as oracle_image() lays them out, and those of all channels that it does not.
std::vector<double> read_values(const TransformOptions& options, const ImageView& target);

/// |actual - expected| / |expected|, Euclidean norms. 0/0 is 0.
double relative_error(const ComplexValues& actual, const ComplexValues& expected);
double relative_error(const std::vector<double>& actual, const std::vector<double>& expected);

/// "97x101 r32_sfloat > r32_sfloat channels 1 real rows corner float backward zero ...", for messages.
std::string describe(const TransformOptions& options);

}  // namespace onepass::testing
