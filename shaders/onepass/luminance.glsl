// luminance.glsl: what shaders read of a meter's results, in any stage. Bind the buffer that a meter wrote, behind a
// barrier from its COMPUTE_SHADER / SHADER_WRITE to your SHADER_READ, and no readback is needed:
//
//     layout(std430, binding = 3) readonly buffer Metered { LuminanceResult results[]; };
//     ...
//     colour *= onepass_exposure(results[view]);
//
// The struct and its fields are in luminance_params.h, and how they are made in docs/luminance.md.
#ifndef ONEPASS_LUMINANCE_GLSL_
#define ONEPASS_LUMINANCE_GLSL_

#include "onepass/prelude_types.glsl"
#include "onepass/luminance_params.h"

/// The factor for linear colours. 1 before the first image: a buffer of zeroes.
#define onepass_exposure(result) ((result).exposure > 0.0 ? (result).exposure : 1.0)

/// The share of all weight that is in bin `i` of the histogram, 0 to 1.
#define onepass_histogram_share(result, i) \
  ((float((result).histogram[i].y) * 4294967296.0 + float((result).histogram[i].x)) / \
   max(float((result).total_weight.y) * 4294967296.0 + float((result).total_weight.x), 1.0))

/// log2 of the luminance where bin `i` begins; of the last one's end for i = ONEPASS_LUMINANCE_BINS.
#define onepass_histogram_edge(result, i) \
  ((result).histogram_low + \
   ((result).histogram_high - (result).histogram_low) * (float(i) / float(ONEPASS_LUMINANCE_BINS)))

#endif  // ONEPASS_LUMINANCE_GLSL_
