// luminance_params.h: the constants, the result and the scratch memory of the meter, for C++ and GLSL alike.
//
// The buffer of results is an array of LuminanceResult, one a slice (array layer or view), std430, nothing before or
// between them. It is what shaders read (onepass/luminance.glsl), what the host fetches, and where adaptation lives
// from one frame to the next: zeroes are the state of a meter that has seen nothing.
#ifndef ONEPASS_LUMINANCE_PARAMS_H_
#define ONEPASS_LUMINANCE_PARAMS_H_

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>
namespace onepass::luminance {
using uint = uint32_t;
struct alignas(8) uint2 {
  uint x, y;
};
#endif

#define ONEPASS_LUMINANCE_BINS 256        // of the histogram in the result
#define ONEPASS_LUMINANCE_PERCENTILES 8   // in the result
#define ONEPASS_LUMINANCE_FINE_BINS 2048  // of the internal histogram of the automatic range: 32 a stop,
#define ONEPASS_LUMINANCE_FINE_LOW -32.0  // from 2^-32 on
#define ONEPASS_LUMINANCE_FINE_PER_STOP 32.0
// Where the bins of a mantissa end: bits of the least floats that are not below 2^(1/32), 2^(2/32)... 2.
#define ONEPASS_LUMINANCE_BIN_ENDS \
  0x3F82CD87u, 0x3F85AAC4u, 0x3F88980Fu, 0x3F8B95C2u, 0x3F8EA43Au, 0x3F91C3D4u, 0x3F94F4F0u, 0x3F9837F1u, \
  0x3F9B8D3Au, 0x3F9EF533u, 0x3FA27044u, 0x3FA5FED7u, 0x3FA9A15Bu, 0x3FAD583Fu, 0x3FB123F6u, 0x3FB504F4u, \
  0x3FB8FBB0u, 0x3FBD08A4u, 0x3FC12C4Du, 0x3FC5672Bu, 0x3FC9B9BEu, 0x3FCE248Du, 0x3FD2A81Eu, 0x3FD744FDu, \
  0x3FDBFBB8u, 0x3FE0CCDFu, 0x3FE5B907u, 0x3FEAC0C7u, 0x3FEFE4BAu, 0x3FF5257Eu, 0x3FFA83B3u, 0x40000000u
#define ONEPASS_LUMINANCE_GROUP 256  // invocations of a workgroup
#define ONEPASS_LUMINANCE_READS 8    // texels of an invocation in flight: four columns and two rows of them
#define ONEPASS_LUMINANCE_TILE_WIDTH 128
#define ONEPASS_LUMINANCE_TILE_HEIGHT 16
// Scratch memory of a slice: a counter, copies of the sums, two words a bin. Lines of 128 bytes apart.
#define ONEPASS_LUMINANCE_SUMS_AT 32
#define ONEPASS_LUMINANCE_COPIES 8
#define ONEPASS_LUMINANCE_COPY_WORDS 128
#define ONEPASS_LUMINANCE_BINS_AT 1056

// How pixels are weighted.
#define ONEPASS_LUMINANCE_AVERAGE 0
#define ONEPASS_LUMINANCE_CENTRE 1
#define ONEPASS_LUMINANCE_SPOT 2
#define ONEPASS_LUMINANCE_MASK 3

// 64-bit numbers are two words, the lower first. Weights: 1 a pixel when all count the same, else 0 to 255.
struct LuminanceResult {
  // What tone mapping reads.
  uint valid;               // 1: the last image had pixels to meter; 0: it had none, and exposure is what it was
  float exposure;           // multiply linear colours by this: after adaptation, with compensation
  float ev100;              // of the luminance adapted to
  float log_average;        // luminance: exp of the weighted mean of log(delta + Y)
  float adapted_luminance;  // what exposure and ev100 are of
  float mean_luminance;     // arithmetic
  float min_luminance;
  float max_luminance;
  float mean_red;  // of linear colours, negative channels as they are
  float mean_green;
  float mean_blue;
  float metered_luminance;  // what adaptation moves towards: log_average, or what MeterOptions::statistic says
  // How many pixels of a weight above 0 are...
  uint finite_count;    // all channels finite: metered
  uint nan_count;       // with a NaN: left out
  uint infinite_count;  // with an infinity and no NaN: left out
  uint negative_count;  // finite, of luminance below 0: metered as 0
  uint zero_count;      // finite, of luminance 0
  uint has_history;     // 1: adapted_log2 is of an earlier image
  float adapted_log2;   // log2 of adapted_luminance
  float histogram_low;  // log2 of the luminance where bin 0 begins
  float histogram_high;  // and where the last one ends
  uint reserved0;
  uint2 total_weight;  // of all metered pixels
  uint2 zero_weight;   // of those whose luminance is 0 or below: in no bin
  float percentiles[ONEPASS_LUMINANCE_PERCENTILES];  // luminances, in the order of MeterOptions::percentiles
  uint reserved1;
  uint reserved2;
  uint2 histogram[ONEPASS_LUMINANCE_BINS];  // weights; bins of equal width in log2 of luminance
};

// The constants of a dispatch.
struct LuminanceParams {
  uint origin;   // of the metered rectangle: x, and y in the upper half
  uint size;     // width, and height in the upper half
  uint tiles_x;  // of ONEPASS_LUMINANCE_TILE_WIDTH by ONEPASS_LUMINANCE_TILE_HEIGHT texels, columns of
  float red;     // weights of luminance
  float green;
  float blue;
  float delta;
  float bin_low;    // the bin of log2 luminance x is (x - bin_low) * bin_scale
  float bin_scale;  // bins a stop
  float centre_x;   // in texels of the rectangle: texel 0 is at 0
  float centre_y;
  float inverse_radius_x;  // 1 / texels
  float inverse_radius_y;
  float up;  // stops a second
  float down;
  float ease;             // stops
  float seconds;          // below 0: a cut
  float ev_offset;        // EV100 minus log2 luminance
  float exposure_offset;  // log2 of exposure, plus log2 luminance
  float clip_low;
  float clip_high;
  float log2_low;  // the metered log2 luminance is clamped to these
  float log2_high;
  float percentiles[ONEPASS_LUMINANCE_PERCENTILES];
  uint groups;  // of a slice
};

#ifdef __cplusplus
static_assert(sizeof(LuminanceParams) == 128 && offsetof(LuminanceParams, percentiles) == 92,
              "must match the std430 layout in the shader, and fit 128 bytes of push constants");
static_assert(sizeof(LuminanceResult) == 144 + 8 * ONEPASS_LUMINANCE_BINS, "must match the std430 layout in the shader");
static_assert(offsetof(LuminanceResult, total_weight) == 88 && offsetof(LuminanceResult, percentiles) == 104 &&
                  offsetof(LuminanceResult, histogram) == 144,
              "must match the std430 layout in the shader");
}  // namespace onepass::luminance
#endif
#endif  // ONEPASS_LUMINANCE_PARAMS_H_
