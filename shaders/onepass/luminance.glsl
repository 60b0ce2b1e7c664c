// luminance.glsl: reads a meter's results in any shader stage: the exposure, and the shares and edges of histogram
// bins. Bind the buffer that the meter wrote, after a barrier from COMPUTE_SHADER / SHADER_WRITE to SHADER_READ of your
// stage. No readback to the host is needed:
//
//     layout(std430, binding = 3) readonly buffer Metered { LuminanceResult results[]; };
//     ...
//     colour *= onepass_exposure(results[view]);
//
// luminance_params.h declares the struct and its fields; docs/luminance.md explains how they are computed.
#ifndef ONEPASS_LUMINANCE_GLSL_
#define ONEPASS_LUMINANCE_GLSL_

#include "onepass/prelude_types.glsl"
#include "onepass/luminance_params.h"

/// The factor to multiply linear colours by. It is 1 before the first image, when the buffer holds zeroes.
#define onepass_exposure(result) ((result).exposure > 0.0 ? (result).exposure : 1.0)

/// The share of the total weight that lies in bin `i` of the histogram, 0 to 1.
#define onepass_histogram_share(result, i)                                            \
  ((float((result).histogram[i].y) * 4294967296.0 + float((result).histogram[i].x)) / \
   (((result).total_weight.y | (result).total_weight.x) == 0u                         \
        ? 1.0                                                                         \
        : float((result).total_weight.y) * 4294967296.0 + float((result).total_weight.x)))

/// log2 luminance of the lower edge of bin `i`; with i = ONEPASS_LUMINANCE_BINS, of the upper edge of the last bin.
#define onepass_histogram_edge(result, i) \
  ((result).histogram_low +               \
   ((result).histogram_high - (result).histogram_low) * (float(i) / float(ONEPASS_LUMINANCE_BINS)))

#endif  // ONEPASS_LUMINANCE_GLSL_
