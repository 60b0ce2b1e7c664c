// luminance_oracle.hpp: what a meter must say, in double precision and straight from the definitions in
// onepass/luminance.hpp. Shares no code with the library. For tests of every engine.
#pragma once

#include <string>
#include <vector>

#include "onepass/luminance.hpp"
#include "pyramid_oracle.hpp"
#include "pyramid_testing.hpp"

namespace onepass::testing {

/// A metered pixel.
struct OraclePixel {
  double luminance = 0;  ///< 0 or more.
  double error = 0;      ///< What rounding may have moved an engine's luminance by.
  uint32_t weight = 0;
};

/// What there is to know of a slice.
struct OracleMeter {
  std::vector<OraclePixel> pixels;
  /// log2 of the most and the least that a pixel's luminance may be, sorted, each with the weight up to it.
  std::vector<std::pair<double, uint64_t>> most, least;
  double mean_colour[3] = {};
  double mean_magnitude[3] = {};  ///< What errors of mean_colour are measured against.
  double mean_luminance = 0;
  double mean_error = 0;  ///< Of mean_luminance.
  double log_average = 0;
  double log_error = 0;  ///< Relative, of log_average.
  double min = 0, max = 0;
  uint64_t weight = 0, zero_weight = 0;
  uint32_t finite = 0, nan = 0, infinite = 0, negative = 0, zero = 0;
};

/// `decode_error`: what an engine's decoded channel may be off by, beyond rounding.
OracleMeter oracle_meter(const MeterOptions& options, const ImageView& source, uint32_t slice,
                         const ImageView& mask = {}, double decode_error = 0);

/// Whether a result of a cut (no history) says what it should.
::testing::AssertionResult result_matches(const MeterOptions& options, const OracleMeter& expected,
                                          const MeterResult& result);

/// The luminance adapted to after `seconds`, starting `from` with a metered luminance `to`; all in stops. By many small
/// steps of the differential equation.
double oracle_adapted(const Adaptation& adaptation, double from, double to, double seconds);

/// Positive luminances over many stops in every format; the seed repeats them.
void fill_scene(const MutableImageView& image, Random& random);

/// Makes some pixels of a float format NaN, infinite, negative or black.
void spoil(const MutableImageView& image, Random& random, uint32_t count);

/// "37x23x2 r32_sfloat metering 0 weights 0", for messages.
std::string describe(const MeterOptions& options);

}  // namespace onepass::testing
