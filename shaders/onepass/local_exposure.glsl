// local_exposure.glsl: the factor of a texel that brings its region nearer to grey and keeps the region's detail.
//
// The base of a texel is the mean log2 luminance of texels near it in position and in luminance, interpolated in the
// grid of local_exposure_grid.glsl; its detail is its log2 luminance minus the base. The distance of the base from grey
// and the detail are scaled separately. CPU version: src/tone_map/row_local.cpp; formulas: docs/local_exposure.md.
//
// Before including it, for onepass_local_factor(), define
//   ONEPASS_LOCAL_NODE(i)  float2 number i of the grid: weight and offset
// and pass it LocalParams of local_exposure_params.h, which the host program fills.
#ifndef ONEPASS_LOCAL_EXPOSURE_GLSL_
#define ONEPASS_LOCAL_EXPOSURE_GLSL_

#include "onepass/local_exposure_params.h"
#include "onepass/luminance_math.glsl"
#include "onepass/prelude_names.glsl"

/// A colour's position on the axis of luminance: between `node` and the next one, at `above`, 0 to 1.
struct LocalPlace {
  uint node;
  float above;
  bool colour;  // all three channels are finite
};

bool onepass_local_finite(float value) { return (onepass_float_bits(value) & 0x7F800000u) != 0x7F800000u; }

LocalPlace onepass_local_place(float3 c) {
  LocalPlace place;
  place.colour = onepass_local_finite(c.r) && onepass_local_finite(c.g) && onepass_local_finite(c.b);
  // Colours outside the gamut may have luminance 0: their largest channel counts.
  float y = c.r * 0.2126 + c.g * 0.7152 + c.b * 0.0722;
  float light = place.colour ? max(y, max(max(c.r, c.g), c.b) * 0.0722) : 1.0;
  int whole;
  float part = onepass_log2_parts(clamp(light, ONEPASS_LOCAL_LEAST, ONEPASS_LOCAL_MOST), whole);
  place.node = uint(whole - (ONEPASS_LOCAL_LOW + 1));
  place.above = clamp(part + 0.5, 0.0, 1.0);
  return place;
}

#ifdef ONEPASS_LOCAL_NODE

/// A texel's position between columns or rows of regions: at `share`, 0 to 1, from `first` to `second`.
struct LocalSpan {
  uint first, second;
  float share;
};

LocalSpan onepass_local_span(uint texel, float inverse_side, uint regions) {
  float at = clamp((float(texel) + 0.5) * inverse_side - 0.5, 0.0, float(regions - 1u));
  LocalSpan span;
  span.first = uint(at);
  span.second = min(span.first + 1u, regions - 1u);
  span.share = at - float(span.first);
  return span;
}

/// Weight and offset, interpolated between two nodes and between two rows of regions.
float2 onepass_local_between(uint upper, uint lower, float share, LocalPlace place) {
  uint a = upper * ONEPASS_LOCAL_BINS + place.node;
  uint b = lower * ONEPASS_LOCAL_BINS + place.node;
  float2 low = ONEPASS_LOCAL_NODE(a);
  float2 high = ONEPASS_LOCAL_NODE(a + 1u);
  low += (ONEPASS_LOCAL_NODE(b) - low) * share;
  high += (ONEPASS_LOCAL_NODE(b + 1u) - high) * share;
  high.y += high.x;  // offset relative to the lower node
  return (1.0 - place.above) * low + place.above * high;
}

/// The factor for the colour `c` of a texel; 1 if a channel is not finite. `first_region`: the first of the slice.
float onepass_local_factor(LocalParams params, float3 c, uint2 texel, uint first_region, float exposure) {
  LocalPlace place = onepass_local_place(c);
  LocalSpan x = onepass_local_span(texel.x, params.inverse_side, params.columns);
  LocalSpan y = onepass_local_span(texel.y, params.inverse_side, params.rows);
  uint upper = first_region + y.first * params.columns;
  uint lower = first_region + y.second * params.columns;
  float2 left = onepass_local_between(upper + x.first, lower + x.first, y.share, place);
  float2 right = onepass_local_between(upper + x.second, lower + x.second, y.share, place);
  float2 sums = left + (right - left) * x.share;
  // The base in stops, relative to the node, then to grey. The weight is never 0: it includes the texel's own.
  float base = sums.y / max(sums.x, 1e-30);
  int exposure_whole;
  float exposure_part = onepass_log2_parts(clamp(exposure, ONEPASS_LEAST_NORMAL, 3.402823466e38), exposure_whole);
  float from_grey =
      float(int(place.node) + ONEPASS_LOCAL_LOW + exposure_whole) + (base + (exposure_part - params.grey + 0.5));
  float moved = clamp(from_grey, -ONEPASS_LOCAL_STOPS, ONEPASS_LOCAL_STOPS);
  float stops = (moved > 0.0 ? params.highlights : params.shadows) * moved + params.detail * (place.above - base);
  return place.colour ? onepass_exp2(stops) : 1.0;
}

#endif  // ONEPASS_LOCAL_NODE
#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_LOCAL_EXPOSURE_GLSL_
