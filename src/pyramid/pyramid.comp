// pyramid.comp: the whole chain of all slices in one dispatch or in two. A workgroup owns tiles of one slice, or a part
// of one; see shaders/onepass/pyramid.glsl for the algorithm and src/pyramid/kernels.cmake for the variants.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "pyramid_extensions.glsl"

layout(local_size_x = 256, local_size_x_id = 24) in;
#define ONEPASS_TILE_PARTS (256u / gl_WorkGroupSize.x)

// Self-validating words (shaders/onepass/workgroup_exchange.glsl) of four components are vectors, whose plain loads and
// stores would be a data race in the Vulkan memory model; words of one and two components are relaxed atomics.
#if !TIGHT && (!ONEPASS_MEMORY_MODEL || COMPONENTS <= 2) && ONEPASS_SUBGROUP
#define ONEPASS_MAILBOX 1
#endif
#define LEVEL_IMAGES 15  // levels[n] is level n + 1; spare entries repeat the last level
#include "pyramid_texel.glsl"

void onepass_store_level(uint level, uint2 texel, uint slice, ONEPASS_ELEMENT value) {
  store_texel(level - 1u, texel, slice, value);
}
// Prefetches the descriptor of a level's image by a query of its size: the device reads the descriptor from memory once
// per level, otherwise at the first store. The comparison keeps the compiler from removing the query. The limit is for
// SwiftShader, which executes loops that no invocation enters once, with any index.
void onepass_touch_level(uint level) {
#if INDEXED_IMAGES
  if (imageSize(levels[min(level - 1u, uint(LEVEL_IMAGES) - 1u)]).x == 0) counters[0] = 0u;
#endif
}
uint onepass_increment(uint counter) {
  uint before;
  onepass_atomic_add_before(counters[counter], 1u, before);
  return before;
}
void onepass_reset(uint counter) { onepass_atomic_store(counters[counter], 0u); }

#if ONEPASS_MAILBOX
#include "pyramid_mailbox.glsl"
#endif

// For tests: delays about every third workgroup.
void onepass_delay(uint2 tile) {
  if (DELAY == 0u || (tile.x * 7u + tile.y * 13u) % 3u != 0u) return;
  uint state = tile.x + 1u;
  for (uint i = 0u; i < DELAY; ++i) state = state * 747796405u + 2891336453u;
  if (state == 0u) onepass_atomic_add(counters[0], 0u);  // keeps compilers from removing the loop
}
// For tests that delay workgroups: a poll takes microseconds. lavapipe ends the loops of an invocation after 65535
// iterations in all. Without the pause these are milliseconds, and a busy machine may stop the thread of the awaited
// workgroup for longer. Divisions in a loop would count as iterations too.
void onepass_pause(uint polls) {
  if (DELAY == 0u) return;
  uint state = polls + 1u;
#define DIVIDE state = 0xFFFFFFFFu / state;
#define DIVIDE_8_TIMES DIVIDE DIVIDE DIVIDE DIVIDE DIVIDE DIVIDE DIVIDE DIVIDE
  { DIVIDE_8_TIMES DIVIDE_8_TIMES DIVIDE_8_TIMES DIVIDE_8_TIMES }
  if (state == 0u) onepass_atomic_add(counters[0], 0u);  // keeps compilers from removing the divisions
}

#if TIGHT
#include "pyramid_tight.glsl"
void main() { tight_pyramid(gl_WorkGroupID); }
#else
#if COMPONENTS == 4
#define ONEPASS_COLUMN_PASSES 2
#ifndef ONEPASS_WINDOW_ROWS
#define ONEPASS_WINDOW_ROWS 2
#endif
#endif
#include "onepass/pyramid.glsl"
void main() { onepass_pyramid(gl_WorkGroupID); }
#endif
