// luminance_oracle.hpp: oracle of meters for tests of every engine: double precision, from the definitions in
// onepass/luminance.hpp. Shares no code with the library.
#pragma once

#include <string>
#include <vector>

#include "onepass/luminance.hpp"
#include "tests/pyramid/pyramid_oracle.hpp"
#include "tests/pyramid/pyramid_testing.hpp"

namespace onepass::testing {

/// A metered pixel.
struct OraclePixel {
  double luminance = 0;  ///< 0 or more.
  double error = 0;      ///< Largest rounding error of an engine's luminance.
  uint32_t weight = 0;
};

/// Statistics of a slice.
struct OracleMeter {
  std::vector<OraclePixel> pixels;
  /// log2 of the largest and the smallest luminance that a pixel may have, sorted, each with its cumulative weight.
  std::vector<std::pair<double, uint64_t>> most, least;
  double mean_colour[3] = {};
  double mean_magnitude[3] = {};  ///< Errors of mean_colour are relative to it.
  double mean_luminance = 0;
  double mean_error = 0;  ///< Largest error of mean_luminance.
  double log_average = 0;
  double log_error = 0;  ///< Largest relative error of log_average.
  double min = 0, max = 0;
  uint64_t weight = 0, zero_weight = 0;
  uint32_t finite = 0, nan = 0, infinite = 0, negative = 0, zero = 0;
};

/// `decode_error`: error allowed for an engine's decoded channel, beyond rounding.
OracleMeter oracle_meter(const MeterOptions& options, const ImageView& source, uint32_t slice,
                         const ImageView& mask = {}, double decode_error = 0);

/// Compares a result without history (a cut) with the oracle.
::testing::AssertionResult result_matches(const MeterOptions& options, const OracleMeter& expected,
                                          const MeterResult& result);

/// The adapted luminance after `seconds`, starting at `from` with a metered luminance `to`; all in stops. Integrates
/// the differential equation in 200,000 steps.
double oracle_adapted(const Adaptation& adaptation, double from, double to, double seconds);

/// Random positive luminances over 15 stops, in any format.
void fill_scene(const MutableImageView& image, Random& random);

/// Makes some pixels of a float format NaN, infinite, negative or black.
void spoil(const MutableImageView& image, Random& random, uint32_t count);

/// "37x23x2 r32_sfloat metering 0 weights 0 range ...", for messages.
std::string describe(const MeterOptions& options);

}  // namespace onepass::testing
