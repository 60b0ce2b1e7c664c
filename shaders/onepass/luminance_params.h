// luminance_params.h: the constants, the result and the scratch memory of the meter, one text for C, C++, GLSL and
// HLSL. In C and C++ the structs are OnepassLuminanceConstants and OnepassLuminanceResult.
//
// The buffer of results is an array of LuminanceResult, one per slice (array layer or view), std430, without gaps.
// Shaders read it (onepass/luminance.glsl), the host may copy it, and it holds the state of adaptation between frames.
// Zeroes are the state before the first image.
#ifndef ONEPASS_LUMINANCE_PARAMS_H_
#define ONEPASS_LUMINANCE_PARAMS_H_

#if (defined(__cplusplus) || defined(__STDC_VERSION__)) && !defined(ONEPASS_CUDA)
#include "onepass/host_names.h"
#define LuminanceParams OnepassLuminanceConstants
#define LuminanceResult OnepassLuminanceResult
#else
#include "onepass/prelude_names.glsl"
#define ONEPASS_STRUCT_(name) struct name
#endif

// Kernels, both engines and the C headers take these numbers from here or assert that theirs are equal.
#define ONEPASS_LUMINANCE_BINS 256        // bins of the histogram in the result, as many as invocations per workgroup
#define ONEPASS_LUMINANCE_PERCENTILES 8   // percentiles in the result
#define ONEPASS_LUMINANCE_FINE_BINS 2048  // bins of the internal histogram of the automatic range
#define ONEPASS_LUMINANCE_FINE_LOW -32.0  // log2 luminance of its lower edge
#define ONEPASS_LUMINANCE_FINE_PER_STOP 32.0  // its bins per stop
// Upper edges of the 32 bins of a mantissa in [1, 2): bits of the smallest floats not below 2^(1/32), 2^(2/32)... 2.
#define ONEPASS_LUMINANCE_BIN_ENDS                                                                                     \
  0x3F82CD87u, 0x3F85AAC4u, 0x3F88980Fu, 0x3F8B95C2u, 0x3F8EA43Au, 0x3F91C3D4u, 0x3F94F4F0u, 0x3F9837F1u, 0x3F9B8D3Au, \
      0x3F9EF533u, 0x3FA27044u, 0x3FA5FED7u, 0x3FA9A15Bu, 0x3FAD583Fu, 0x3FB123F6u, 0x3FB504F4u, 0x3FB8FBB0u,          \
      0x3FBD08A4u, 0x3FC12C4Du, 0x3FC5672Bu, 0x3FC9B9BEu, 0x3FCE248Du, 0x3FD2A81Eu, 0x3FD744FDu, 0x3FDBFBB8u,          \
      0x3FE0CCDFu, 0x3FE5B907u, 0x3FEAC0C7u, 0x3FEFE4BAu, 0x3FF5257Eu, 0x3FFA83B3u, 0x40000000u
#define ONEPASS_LUMINANCE_GROUP 256  // invocations per workgroup
#define ONEPASS_LUMINANCE_READS 8    // texels in flight per invocation: four columns by two rows
#define ONEPASS_LUMINANCE_TILE_WIDTH 128
#define ONEPASS_LUMINANCE_TILE_HEIGHT 16
// Scratch memory of a slice: a counter, copies of the sums, two words per bin; each begins on a line of 128 bytes.
#define ONEPASS_LUMINANCE_SUMS_AT 32
#define ONEPASS_LUMINANCE_COPIES 8
#define ONEPASS_LUMINANCE_COPY_WORDS 128
#define ONEPASS_LUMINANCE_BINS_AT (ONEPASS_LUMINANCE_SUMS_AT + ONEPASS_LUMINANCE_COPIES * ONEPASS_LUMINANCE_COPY_WORDS)

// How pixels are weighted.
#define ONEPASS_LUMINANCE_AVERAGE 0
#define ONEPASS_LUMINANCE_CENTRE 1
#define ONEPASS_LUMINANCE_SPOT 2
#define ONEPASS_LUMINANCE_MASK 3

// 64-bit integers are two words, the lower one first. Weight of a pixel: 1 (average), 0 or 1 (spot), else 0 to 255.
ONEPASS_STRUCT_(LuminanceResult) {
  // For tone mapping.
  uint valid;               // 1: the last image had pixels to meter; 0: it had none, and exposure keeps its value
  float exposure;           // multiply linear colours by this; includes adaptation and compensation
  float ev100;              // of adapted_luminance
  float log_average;        // exp of the weighted mean of log(delta + Y), Y being luminance
  float adapted_luminance;  // exposure and ev100 are computed from this
  float mean_luminance;     // arithmetic mean
  float min_luminance;
  float max_luminance;
  float mean_red;  // means of linear colours; negative channels count as they are
  float mean_green;
  float mean_blue;
  float metered_luminance;  // target of adaptation: the luminance that MeterOptions::statistic selects, clamped
  // Numbers of pixels of weight above 0.
  uint finite_count;     // all channels finite: metered
  uint nan_count;        // with a NaN: left out
  uint infinite_count;   // with an infinity and no NaN: left out
  uint negative_count;   // finite, of luminance below 0: metered as 0
  uint zero_count;       // finite, of luminance 0
  uint has_history;      // 1: adapted_log2 is set, and the next image adapts from it
  float adapted_log2;    // log2 of adapted_luminance
  float histogram_low;   // log2 luminance of the lower edge of bin 0
  float histogram_high;  // and of the upper edge of the last bin
  uint reserved0;
  uint2 total_weight;                                // of all metered pixels
  uint2 zero_weight;                                 // of metered pixels of luminance 0 or below, which are in no bin
  float percentiles[ONEPASS_LUMINANCE_PERCENTILES];  // luminances, in the order of MeterOptions::percentiles
  uint reserved1;
  uint reserved2;
  uint2 histogram[ONEPASS_LUMINANCE_BINS];  // weight of each bin; bins have equal width in log2 luminance
};

// The push constants of a dispatch.
ONEPASS_STRUCT_(LuminanceParams) {
  uint origin;   // of the metered rectangle: x in the lower 16 bits, y in the upper
  uint size;     // width in the lower 16 bits, height in the upper
  uint tiles_x;  // columns of tiles of ONEPASS_LUMINANCE_TILE_WIDTH by ONEPASS_LUMINANCE_TILE_HEIGHT texels
  float red;     // weights of the channels in luminance
  float green;
  float blue;
  float delta;
  float bin_low;    // the bin of log2 luminance x is (x - bin_low) * bin_scale
  float bin_scale;  // bins per stop
  float centre_x;   // in texels of the rectangle: texel 0 is at 0
  float centre_y;
  float inverse_radius_x;  // 1 / texels
  float inverse_radius_y;
  float up;  // speeds of adaptation, in stops per second
  float down;
  float ease;             // within this many stops of the target, adaptation slows down
  float seconds;          // since the previous image; below 0: a cut
  float ev_offset;        // EV100 minus log2 luminance
  float exposure_offset;  // log2 of exposure, plus log2 luminance
  float clip_low;         // statistic 2 averages between these shares of the weight
  float clip_high;
  float log2_low;  // the metered log2 luminance is clamped to these
  float log2_high;
  float percentiles[ONEPASS_LUMINANCE_PERCENTILES];
  uint groups;  // workgroups per slice
};

#if (defined(__cplusplus) || defined(__STDC_VERSION__)) && !defined(ONEPASS_CUDA)
#if defined(__cplusplus) && !defined(ONEPASS_CUDA)
static_assert(ONEPASS_LUMINANCE_BINS == ONEPASS_LUMINANCE_GROUP, "an invocation writes one bin of the result");
static_assert(ONEPASS_LUMINANCE_FINE_BINS % ONEPASS_LUMINANCE_GROUP == 0, "invocations share the bins evenly");
static_assert(sizeof(LuminanceParams) == 128 && offsetof(LuminanceParams, percentiles) == 92,
              "must match the std430 layout in the shader, and fit 128 bytes of push constants");
static_assert(sizeof(LuminanceResult) == 144 + 8 * ONEPASS_LUMINANCE_BINS,
              "must match the std430 layout in the shader");
static_assert(offsetof(LuminanceResult, total_weight) == 88 && offsetof(LuminanceResult, percentiles) == 104 &&
                  offsetof(LuminanceResult, histogram) == 144,
              "must match the std430 layout in the shader");
#endif
#undef LuminanceParams
#undef LuminanceResult
#include "onepass/host_names_end.h"
#else
#undef ONEPASS_STRUCT_
#include "onepass/prelude_names_end.glsl"
#endif
#endif  // ONEPASS_LUMINANCE_PARAMS_H_
