// ordered_reduction.glsl: a reduction of four texels whose result differs for every order of them at any level: a hash.
// Elements by ELEMENT: 0: a number; 1: four numbers, in two passes over columns; 2: a struct; 3: a number that is
// published in a mailbox. GLSL and HLSL.
#define ONEPASS_OWN_REDUCE4
#define ONEPASS_FOOTPRINT ONEPASS_ALIGNED
#define ONEPASS_PARAMS pc
// A word of the mailbox is the number + 1.
#define HASH(v00, v10, v01, v11) ((3u * (v00) + 5u * (v10) + 7u * (v01) + 11u * (v11) + 1u) & 0x7FFFFFFFu)
#if ELEMENT == 1
#define ONEPASS_ELEMENT uint4
#define ONEPASS_COLUMN_PASSES 2
uint4 element_of(uint base) { return base * uint4(1u, 13u, 17u, 19u); }
uint4 onepass_reduce4(uint4 v00, uint4 v10, uint4 v01, uint4 v11) { return HASH(v00, v10, v01, v11); }
#elif ELEMENT == 2
struct Pair {
  uint first, second;
};
#define ONEPASS_ELEMENT Pair
#define ONEPASS_ELEMENT_IS_STRUCT
Pair pair_of(uint first, uint second) {
  Pair pair;
  pair.first = first;
  pair.second = second;
  return pair;
}
Pair element_of(uint base) { return pair_of(base, 13u * base); }
Pair onepass_reduce4(Pair v00, Pair v10, Pair v01, Pair v11) {
  return pair_of(HASH(v00.first, v10.first, v01.first, v11.first),
                 HASH(v00.second, v10.second, v01.second, v11.second));
}
#else
#define ONEPASS_ELEMENT uint
uint element_of(uint base) { return base; }
uint onepass_reduce4(uint v00, uint v10, uint v01, uint v11) { return HASH(v00, v10, v01, v11); }
#endif
