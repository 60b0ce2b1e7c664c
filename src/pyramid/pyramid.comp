// pyramid.comp: the whole chain of all slices in one dispatch. A workgroup of 256 owns a 64x64 tile of one slice; see
// shaders/onepass/pyramid.glsl for the algorithm and src/pyramid/kernels.cmake for the variants.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "pyramid_extensions.glsl"

layout(local_size_x = 256) in;

#define LEVEL_IMAGES 15  // levels[n] is level n + 1; entries past the last level repeat it
#include "pyramid_texel.glsl"

void onepass_store_level(uint level, uint2 texel, uint slice, ONEPASS_ELEMENT value) {
  store_texel(level - 1u, texel, slice, KEPT_ELEMENT(value));
}
uint onepass_increment(uint counter) {
  uint before;
  onepass_atomic_add_before(counters[counter], 1u, before);
  return before;
}
void onepass_reset(uint counter) { counters[counter] = 0u; }

// Holds back every third workgroup or so, for tests of late arrivals.
void onepass_delay(uint2 tile) {
  if (DELAY == 0u || (tile.x * 7u + tile.y * 13u) % 3u != 0u) return;
  uint state = tile.x + 1u;
  for (uint i = 0u; i < DELAY; ++i) state = state * 747796405u + 2891336453u;
  if (state == 0u) counters[0] += 0u;  // keeps the loop from being dropped
}

#if TIGHT
#include "pyramid_tight.glsl"
void main() { tight_pyramid(gl_WorkGroupID); }
#else
#if COMPONENTS == 4 && !HALF
#define ONEPASS_COLUMN_PASSES 2
#define ONEPASS_STREAM_ROWS 4
#endif
#include "onepass/pyramid.glsl"
void main() { onepass_pyramid(gl_WorkGroupID); }
#endif
