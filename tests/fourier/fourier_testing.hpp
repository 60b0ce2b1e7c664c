// fourier_testing.hpp: test cases of transforms: options of every kind, images and spectra for them, and comparison of
// either direction of an engine with the oracle.
#pragma once

#include <functional>

#include <gtest/gtest.h>

#include "tests/fourier/fourier_oracle.hpp"
#include "tests/pyramid/pyramid_oracle.hpp"

namespace onepass::testing {

/// An engine. Both functions fail the running test if the engine fails.
struct FourierEngine {
  std::function<std::vector<std::byte>(const TransformOptions&, const ImageView&)> forward;
  std::function<PaddedImage(const TransformOptions&, std::span<const std::byte>)> inverse;
};

/// Relative L2 errors that the contract allows.
inline constexpr double kFourierFloatError = 5e-7;
inline constexpr double kFourierHalfError = 1e-3;
double fourier_tolerance(const TransformOptions& options);

/// Real signals of 1 to 4 channels, then complex ones of one and two.
TransformOptions fourier_kind(uint32_t kind, Extent size);
inline constexpr uint32_t kFourierKinds = 6;

/// Random options with float formats and sizes up to `most`.
TransformOptions random_transform(Random& random, uint32_t most = 70);

/// An image that contains the crop and some texels around it.
PaddedImage transform_source(const TransformOptions& options, Random& random);

/// A random spectrum, rounded to its stored precision.
ComplexValues random_spectrum(const TransformOptions& options, Random& random);

/// The oracle that forward() is compared with.
enum class Oracle {
  kFftw,
  kDefinition,  ///< The sums of the definition: small sizes only.
};
/// Root mean square error of the result of inverse() for a spectrum (pairs in memory order), divided by the root mean
/// square of the whole domain: errors spread over the whole domain, while the result may be one dark texel. For whole
/// domains it is the relative L2 error.
double result_error(const TransformOptions& options, const std::vector<double>& actual, const ComplexValues& spectrum);

::testing::AssertionResult forward_matches(const FourierEngine& engine, const TransformOptions& options, Random& random,
                                           Oracle oracle = Oracle::kFftw);
/// Float targets only.
::testing::AssertionResult inverse_matches(const FourierEngine& engine, const TransformOptions& options,
                                           Random& random);
::testing::AssertionResult both_match(const FourierEngine& engine, const TransformOptions& options, Random& random);

/// Rows of the crop outside the domain, large or NaN, do not change the spectrum of the other rows.
::testing::AssertionResult unseen_rows_leave_nothing(const FourierEngine& engine, Random& random);

}  // namespace onepass::testing
