// pyramid.comp: the whole chain of all slices in one dispatch. A workgroup of 256 owns a 64x64 tile of one slice; see
// shaders/onepass/pyramid.glsl for the algorithm and src/pyramid/kernels.cmake for the variants.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "pyramid_extensions.glsl"

layout(local_size_x = 256) in;

// Not with the memory model, whose rules know no store that proves itself; nor, untried, in packed half arithmetic.
#if !TIGHT && !HALF && !ONEPASS_MEMORY_MODEL && ONEPASS_SUBGROUP
#define ONEPASS_MAIL 1
#endif
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

#if ONEPASS_MAIL
// Texels of level 6 that are posted: behind what is kept. Words of 0 are empty places; the rest are bits plus 1, and the one
// NaN whose bits plus 1 are 0 is another NaN.
#if COMPONENTS == 1
#define MAIL_WORDS uint
#define mail_is_there(words) (words != 0u)
#define mail_first(words) words
#elif COMPONENTS == 2
#define MAIL_WORDS uvec2
#define mail_is_there(words) all(notEqual(words, uvec2(0u)))
#define mail_first(words) words.x
#else
#define MAIL_WORDS uvec4
#define mail_is_there(words) all(notEqual(words, uvec4(0u)))
#define mail_first(words) words.x
#endif
layout(binding = 3) coherent volatile buffer Mail { MAIL_WORDS mail[]; };  // volatile: who looks again reads anew

// Of a slice: places of turn 0, of turn 1, whose turn it is.
uint mail_begin(uint slice, out uint places) {
  uint2 size = onepass_level_size2(pc.size, 6u);
  places = size.x * size.y;
  return gl_NumWorkGroups.z * pc.kept_stride + slice * (2u * places + 1u);
}
uint onepass_turn(uint slice) {
  uint places;
  uint begin = mail_begin(slice, places);
  return mail_first(mail[begin + 2u * places]);
}
void onepass_set_turn(uint slice, uint turn) {
  uint places;
  uint begin = mail_begin(slice, places);
  mail[begin + 2u * places] = MAIL_WORDS(turn);
}
void onepass_post(uint slice, uint turn, uint place, ONEPASS_ELEMENT value) {
  uint places;
  uint begin = mail_begin(slice, places) + place;
  mail[begin + turn * places] = min(floatBitsToUint(value), MAIL_WORDS(0xFFFFFFFEu)) + 1u;
  mail[begin + (turn ^ 1u) * places] = MAIL_WORDS(0u);
}
bool onepass_receive(uint slice, uint turn, uint place, out ONEPASS_ELEMENT value) {
  uint places;
  uint begin = mail_begin(slice, places) + place;
  MAIL_WORDS words = mail[begin + turn * places];
  value = uintBitsToFloat(words - 1u);
  return mail_is_there(words);
}
#endif

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
#ifndef ONEPASS_STREAM_ROWS
#define ONEPASS_STREAM_ROWS 2
#endif
#endif
#include "onepass/pyramid.glsl"
void main() { onepass_pyramid(gl_WorkGroupID); }
#endif
