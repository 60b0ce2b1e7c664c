// fog.glsl: columns of fog behind tiles of the image. A column stores, for the far end of each slice, the light
// scattered towards the eye up to there and the share of light that passes: four halves, in two words.
#ifndef FRAME_FOG_GLSL_
#define FRAME_FOG_GLSL_
#include "eyes.glsl"

uvec2 fog_columns() { return (uvec2(frame.width, frame.height) + frame.fog_tile - 1u) / frame.fog_tile; }

// Distance along the viewing direction at which slice `s` ends: slices grow with distance.
float fog_slice_end(float s) { return FOG_NEAR * pow(FOG_FAR / FOG_NEAR, s / float(FOG_SLICES - 1u)); }
// The inverse.
float fog_slice_of(float distance) {
  return log2(max(distance, FOG_NEAR) / FOG_NEAR) / log2(FOG_FAR / FOG_NEAR) * float(FOG_SLICES - 1u);
}
uint fog_word(uint eye, uvec2 column, uint slice) {
  uvec2 count = fog_columns();
  return ((eye * FOG_SLICES + slice) * count.y + column.y) * count.x + column.x;
}
#endif  // FRAME_FOG_GLSL_
