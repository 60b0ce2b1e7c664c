// pyramid.comp: the whole chain of all slices in one dispatch. A workgroup of 256 invocations owns tiles of one slice;
// see shaders/onepass/pyramid.glsl for the algorithm and src/pyramid/kernels.cmake for the variants.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "pyramid_extensions.glsl"

layout(local_size_x = 256) in;

// Not under the Vulkan memory model, where an unfenced exchange by self-validating words is a data race; nor, untried,
// with packed half arithmetic.
#if !TIGHT && !HALF && !ONEPASS_MEMORY_MODEL && ONEPASS_SUBGROUP
#define ONEPASS_MAILBOX 1
#endif
#define LEVEL_IMAGES 15  // levels[n] is level n + 1; spare entries repeat the last level
#include "pyramid_texel.glsl"

void onepass_store_level(uint level, uint2 texel, uint slice, ONEPASS_ELEMENT value) {
  store_texel(level - 1u, texel, slice, KEPT_ELEMENT(value));
}
// Prefetches the descriptor of a level's image by a query of its size: the device reads the descriptor from memory once
// per level, otherwise at the first store. The comparison keeps the compiler from removing the query.
void onepass_touch_level(uint level) {
#if INDEXED_IMAGES
  if (imageSize(levels[level - 1u]).x == 0) counters[0] = 0u;
#endif
}
uint onepass_increment(uint counter) {
  uint before;
  onepass_atomic_add_before(counters[counter], 1u, before);
  return before;
}
void onepass_reset(uint counter) { counters[counter] = 0u; }

#if ONEPASS_MAILBOX
// The mailbox: published texels of level 6, behind the intermediate levels. A word of 0 is an empty place; other words
// are a float's bits plus 1. The NaN of bits 0xFFFFFFFF is published as the NaN of bits 0xFFFFFFFE.
#if COMPONENTS == 1
#define MAILBOX_WORDS uint
#define mailbox_is_ready(words) (words != 0u)
#define mailbox_first(words) words
#elif COMPONENTS == 2
#define MAILBOX_WORDS uvec2
#define mailbox_is_ready(words) all(notEqual(words, uvec2(0u)))
#define mailbox_first(words) words.x
#else
#define MAILBOX_WORDS uvec4
#define mailbox_is_ready(words) all(notEqual(words, uvec4(0u)))
#define mailbox_first(words) words.x
#endif
layout(binding = 3) coherent volatile buffer Mailbox { MAILBOX_WORDS mail[]; };  // volatile: every poll loads anew

// Per slice: the places of parity 0, those of parity 1, the current parity.
uint mailbox_begin(uint slice, out uint places) {
  uint2 size = onepass_level_size2(pc.size, 6u);
  places = size.x * size.y;
  return gl_NumWorkGroups.z * pc.intermediate_stride + slice * (2u * places + 1u);
}
uint onepass_parity(uint slice) {
  uint places;
  uint begin = mailbox_begin(slice, places);
  return mailbox_first(mail[begin + 2u * places]);
}
void onepass_set_parity(uint slice, uint turn) {
  uint places;
  uint begin = mailbox_begin(slice, places);
  mail[begin + 2u * places] = MAILBOX_WORDS(turn);
}
void onepass_publish(uint slice, uint turn, uint place, ONEPASS_ELEMENT value) {
  uint places;
  uint begin = mailbox_begin(slice, places) + place;
  mail[begin + turn * places] = min(floatBitsToUint(value), MAILBOX_WORDS(0xFFFFFFFEu)) + 1u;
  mail[begin + (turn ^ 1u) * places] = MAILBOX_WORDS(0u);
}
bool onepass_consume(uint slice, uint turn, uint place, out ONEPASS_ELEMENT value) {
  uint places;
  uint begin = mailbox_begin(slice, places) + place;
  MAILBOX_WORDS words = mail[begin + turn * places];
  value = uintBitsToFloat(words - 1u);
  return mailbox_is_ready(words);
}
#endif

// For tests: delays about every third workgroup.
void onepass_delay(uint2 tile) {
  if (DELAY == 0u || (tile.x * 7u + tile.y * 13u) % 3u != 0u) return;
  uint state = tile.x + 1u;
  for (uint i = 0u; i < DELAY; ++i) state = state * 747796405u + 2891336453u;
  if (state == 0u) counters[0] += 0u;  // keeps the compiler from removing the loop
}

#if TIGHT
#include "pyramid_tight.glsl"
void main() { tight_pyramid(gl_WorkGroupID); }
#else
#if COMPONENTS == 4 && !HALF
#define ONEPASS_COLUMN_PASSES 2
#ifndef ONEPASS_WINDOW_ROWS
#define ONEPASS_WINDOW_ROWS 2
#endif
#endif
#include "onepass/pyramid.glsl"
void main() { onepass_pyramid(gl_WorkGroupID); }
#endif
