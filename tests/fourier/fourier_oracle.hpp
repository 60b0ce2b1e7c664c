// fourier_oracle.hpp: oracle of Fourier transforms for tests of every engine, in double precision: the domain from its
// definition, the sums from their definition at small sizes and by FFTW at others. Of the library only conversions of
// half floats are used.
#pragma once

#include <complex>
#include <span>
#include <string>
#include <vector>

#include "onepass/fourier.hpp"
#include "tests/pyramid/pyramid_testing.hpp"

namespace onepass::testing {

using ComplexValues = std::vector<std::complex<double>>;

/// Signal `channel` of a slice on its domain, in rows of size.width values, with crop, placement and boundary applied;
/// two channels make a complex signal.
ComplexValues oracle_domain(const TransformOptions& options, const ImageView& source, uint32_t slice, uint32_t channel);

/// The sums with exp(sign 2 pi i ...), without a factor, by FFTW.
ComplexValues oracle_sums(const ComplexValues& values, Extent size, int sign);

/// The same from the definition, in long double: O((W H)^2).
ComplexValues direct_sums(const ComplexValues& values, Extent size, int sign);

/// All pairs that forward() must write, in memory order. `direct`: by direct_sums().
ComplexValues oracle_spectrum(const TransformOptions& options, const ImageView& source, bool direct = false);

/// Channel values that inverse() must write for a spectrum in memory order: [slice][y][x][channel] of the result, with
/// `options.channels` channels.
std::vector<double> oracle_image(const TransformOptions& options, const ComplexValues& spectrum);

/// Decodes the pairs of a stored spectrum.
ComplexValues read_pairs(const TransformOptions& options, std::span<const std::byte> spectrum);
/// Encodes pairs as a stored spectrum. Halves are rounded.
std::vector<std::byte> write_pairs(const TransformOptions& options, const ComplexValues& pairs);

/// Channel values of an image in the layout of oracle_image(); further channels are left out.
std::vector<double> read_values(const TransformOptions& options, const ImageView& target);

/// |actual - expected| / |expected|, Euclidean norms. 0/0 is 0.
double relative_error(const ComplexValues& actual, const ComplexValues& expected);
double relative_error(const std::vector<double>& actual, const std::vector<double>& expected);

/// "97x101 r32_sfloat > r32_sfloat channels 1 slices 1 real rows corner float backward crop ...", for messages.
std::string describe(const TransformOptions& options);

}  // namespace onepass::testing
