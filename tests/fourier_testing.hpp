// fourier_testing.hpp: transforms to try: options of every kind, images and spectra for them, and the verdict on either
// direction of an engine.
#pragma once

#include <functional>

#include <gtest/gtest.h>

#include "fourier_oracle.hpp"
#include "pyramid_oracle.hpp"

namespace onepass::testing {

/// An engine: both calls fail the test they run in if the engine does.
struct FourierEngine {
  std::function<std::vector<std::byte>(const TransformOptions&, const ImageView&)> forward;
  std::function<PaddedImage(const TransformOptions&, std::span<const std::byte>)> inverse;
};

/// Relative L2 errors the contract allows.
inline constexpr double kFourierFloatError = 5e-7;
inline constexpr double kFourierHalfError = 1e-3;
double fourier_tolerance(const TransformOptions& options);

/// Real signals of 1 to 4 channels, then complex ones of one and two.
TransformOptions fourier_kind(uint32_t kind, Extent size);
inline constexpr uint32_t kFourierKinds = 6;

/// Any options of sizes up to `most` but formats.
TransformOptions random_transform(Random& random, uint32_t most = 70);

/// An image that holds the crop with some texels around it.
PaddedImage transform_source(const TransformOptions& options, Random& random);

/// A random spectrum, as stored.
ComplexValues random_spectrum(const TransformOptions& options, Random& random);

/// What forward() is compared with.
enum class Oracle {
  kFftw,
  kDefinition,  ///< The sums as they are written: small sizes only.
};
/// Root mean square error of what inverse() made of a spectrum (pairs in the order of memory), over the root mean
/// square of the whole domain: errors spread over all of it, and the result may be a texel where little happens. Of
/// whole domains it is the relative L2 error.
double result_error(const TransformOptions& options, const std::vector<double>& actual, const ComplexValues& spectrum);

::testing::AssertionResult forward_matches(const FourierEngine& engine, const TransformOptions& options, Random& random,
                                           Oracle oracle = Oracle::kFftw);
/// Float targets only.
::testing::AssertionResult inverse_matches(const FourierEngine& engine, const TransformOptions& options,
                                           Random& random);
::testing::AssertionResult both_match(const FourierEngine& engine, const TransformOptions& options, Random& random);

/// Rows of the crop that the domain does not show, large or NaN, leave nothing in the spectrum of the others.
::testing::AssertionResult unseen_rows_leave_nothing(const FourierEngine& engine, Random& random);

}  // namespace onepass::testing
