// pyramid_callbacks.glsl: checks the macros defined for pyramid.glsl and defines the defaults of the others. Part of
// pyramid.glsl.
#ifndef ONEPASS_PYRAMID_CALLBACKS_GLSL_
#define ONEPASS_PYRAMID_CALLBACKS_GLSL_

#include "onepass/prelude.glsl"
#include "onepass/pyramid_params.h"
#include "onepass/prelude_names.glsl"

#ifndef ONEPASS_ELEMENT
#error "pyramid: define ONEPASS_ELEMENT, what a texel is inside the kernel: float, float2, float4, uint2 or such."
#endif
#ifndef ONEPASS_PARAMS
#error "pyramid: define ONEPASS_PARAMS, an expression of type PyramidParams: push constants, a buffer's member."
#endif
#ifndef ONEPASS_FOOTPRINT
#error "pyramid: define ONEPASS_FOOTPRINT: ONEPASS_ALIGNED, ONEPASS_COVERING or ONEPASS_EDGE."
#endif
#if ONEPASS_FOOTPRINT == ONEPASS_TIGHT
#error "pyramid: ONEPASS_TIGHT levels are not made of finer levels: only the library's own kernels make them."
#endif
#ifdef ONEPASS_WINDOW_ONLY
#if ONEPASS_WINDOW_ONLY && (!ONEPASS_SUBGROUP || defined(ONEPASS_OWN_REDUCE4))
#error "pyramid: ONEPASS_WINDOW_ONLY needs ONEPASS_SUBGROUP 1, and no ONEPASS_OWN_REDUCE4."
#endif
#ifdef ONEPASS_TWO_TO_ONE_ONLY
#if ONEPASS_WINDOW_ONLY && ONEPASS_TWO_TO_ONE_ONLY
#error "pyramid: ONEPASS_WINDOW_ONLY and ONEPASS_TWO_TO_ONE_ONLY exclude each other."
#endif
#endif
#endif
#ifdef ONEPASS_COLUMN_PASSES
#if ONEPASS_COLUMN_PASSES != 1 && ONEPASS_COLUMN_PASSES != 2
#error "pyramid: ONEPASS_COLUMN_PASSES is 1, or 2 for elements of 16 bytes in less shared memory."
#endif
#endif
#ifdef ONEPASS_WINDOW_ROWS
#if ONEPASS_WINDOW_ROWS != 2 && ONEPASS_WINDOW_ROWS != 4 && ONEPASS_WINDOW_ROWS != 8
#error "pyramid: ONEPASS_WINDOW_ROWS is 8, 4 or 2: fewer for elements of 16 bytes, in fewer registers."
#endif
#endif
#if defined(ONEPASS_ELEMENT_IS_STRUCT) && ONEPASS_SUBGROUP
#error "pyramid: subgroup operations take numbers and vectors: ONEPASS_ELEMENT_IS_STRUCT needs ONEPASS_SUBGROUP 0."
#endif
#if defined(ONEPASS_REDUCTION) && defined(ONEPASS_REDUCE3_NESTS)
#error "pyramid: ONEPASS_REDUCTION already defines onepass_reduce3: ONEPASS_REDUCE3_NESTS is for your own onepass_reduce2."
#endif
#ifdef ONEPASS_OWN_REDUCE4
#if defined(ONEPASS_REDUCTION) || defined(ONEPASS_REDUCE3_NESTS)
#error "pyramid: ONEPASS_OWN_REDUCE4 takes the place of ONEPASS_REDUCTION, onepass_reduce2 and onepass_reduce3."
#endif
#if ONEPASS_FOOTPRINT != ONEPASS_ALIGNED
#error "pyramid: ONEPASS_OWN_REDUCE4 needs ONEPASS_ALIGNED: footprints of the others also have three texels per axis."
#endif
#endif
#if !defined(ONEPASS_OWN_SCRATCH) && (!defined(ONEPASS_COUNTERS) || !defined(ONEPASS_INTERMEDIATE))
#error "pyramid: define ONEPASS_COUNTERS(i) and ONEPASS_INTERMEDIATE(i), elements of two coherent buffers; or ONEPASS_OWN_SCRATCH and the four functions of scratch memory."
#endif

#ifndef ONEPASS_SCALAR
#define ONEPASS_SCALAR float
#endif

#ifdef ONEPASS_REDUCTION
#if ONEPASS_REDUCTION < 0 || ONEPASS_REDUCTION > ONEPASS_MIN_MAX
#error "pyramid: ONEPASS_REDUCTION is ONEPASS_MEAN, ONEPASS_MIN, ONEPASS_MAX or ONEPASS_MIN_MAX."
#endif
ONEPASS_ELEMENT onepass_reduce2(ONEPASS_ELEMENT a, ONEPASS_ELEMENT b, float2 weight) {
#if ONEPASS_REDUCTION == ONEPASS_MEAN
  return a * ONEPASS_SCALAR(weight.x) + b * ONEPASS_SCALAR(weight.y);
#elif ONEPASS_REDUCTION == ONEPASS_MIN
  return min(a, b);
#elif ONEPASS_REDUCTION == ONEPASS_MAX
  return max(a, b);
#else
  return ONEPASS_ELEMENT(min(a.x, b.x), max(a.y, b.y));
#endif
}
#endif
#if defined(ONEPASS_REDUCTION) || defined(ONEPASS_REDUCE3_NESTS)
ONEPASS_ELEMENT onepass_reduce3(ONEPASS_ELEMENT a, ONEPASS_ELEMENT b, ONEPASS_ELEMENT c, float3 weight) {
#if defined(ONEPASS_REDUCTION) && ONEPASS_REDUCTION == ONEPASS_MEAN
  return a * ONEPASS_SCALAR(weight.x) + b * ONEPASS_SCALAR(weight.y) + c * ONEPASS_SCALAR(weight.z);
#else
  return onepass_reduce2(onepass_reduce2(a, b, weight.xy), c, weight.yz);
#endif
}
#endif

#ifndef ONEPASS_OWN_LOAD_BLOCK
void onepass_load_base_block(uint2 texel, uint slice, ONEPASS_OUT(ONEPASS_ELEMENT) a, ONEPASS_OUT(ONEPASS_ELEMENT) b,
                             ONEPASS_OUT(ONEPASS_ELEMENT) c, ONEPASS_OUT(ONEPASS_ELEMENT) d) {
  uint2 from = min(texel, ONEPASS_PARAMS.size - 1u);
  uint2 to = min(texel + 1u, ONEPASS_PARAMS.size - 1u);
  a = onepass_load_base(from, slice);
  b = onepass_load_base(uint2(to.x, from.y), slice);
  c = onepass_load_base(uint2(from.x, to.y), slice);
  d = onepass_load_base(to, slice);
}
#endif
#ifndef ONEPASS_OWN_LOAD_QUAD
ONEPASS_ELEMENT onepass_load_base_quad(uint2 texel, uint slice) {
  ONEPASS_ELEMENT a, b, c, d;
  onepass_load_base_block(2u * texel, slice, a, b, c, d);
#ifdef ONEPASS_OWN_REDUCE4
  return onepass_reduce4(a, b, c, d);
#else
  return onepass_reduce2(onepass_reduce2(a, b, float2(0.5, 0.5)), onepass_reduce2(c, d, float2(0.5, 0.5)),
                         float2(0.5, 0.5));
#endif
}
#endif
#ifndef ONEPASS_TEXEL_PAIRS
#define ONEPASS_TEXEL_PAIRS false
#elif defined(ONEPASS_OWN_REDUCE4)
#error "pyramid: ONEPASS_TEXEL_PAIRS has no variant with ONEPASS_OWN_REDUCE4."
#endif
#ifndef ONEPASS_OWN_TEXEL_PAIRS
void onepass_load_base_pairs(uint2 texel, uint slice, ONEPASS_OUT_ARRAY(ONEPASS_ELEMENT) value[4]) {
  ONEPASS_UNROLL for (uint q = 0u; q < 4u; ++q) {
    value[q] = onepass_load_base_quad(texel + uint2(q & 1u, 16u * (q >> 1u)), slice);
  }
}
void onepass_store_pair(uint2 texel, uint slice, ONEPASS_ELEMENT first, ONEPASS_ELEMENT second) {
  onepass_store_level(1u, texel, slice, first);
  onepass_store_level(1u, texel + uint2(1u, 0u), slice, second);
}
#endif
#ifndef ONEPASS_OWN_TOUCH
void onepass_touch_level(uint level) {}
#endif
#ifndef ONEPASS_OWN_DELAY
void onepass_delay(uint2 tile) {}
void onepass_pause(uint polls) {}
#endif

#ifndef ONEPASS_OWN_SCRATCH
ONEPASS_ELEMENT onepass_load_intermediate(uint index) { return ONEPASS_INTERMEDIATE(index); }
void onepass_store_intermediate(uint index, ONEPASS_ELEMENT value) { ONEPASS_INTERMEDIATE(index) = value; }
uint onepass_increment(uint counter) {
  uint before;
  onepass_atomic_add_before(ONEPASS_COUNTERS(counter), 1u, before);
  return before;
}
void onepass_reset(uint counter) { onepass_atomic_store(ONEPASS_COUNTERS(counter), 0u); }
#endif

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_PYRAMID_CALLBACKS_GLSL_
