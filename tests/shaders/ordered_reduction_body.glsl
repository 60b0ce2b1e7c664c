// ordered_reduction_body.glsl: the callbacks of ordered_reduction.comp and .hlsl, after their bindings.
ONEPASS_ELEMENT onepass_load_base(uint2 texel, uint slice) {
  return element_of(LOAD((slice * pc.size.y + texel.y) * pc.size.x + texel.x));
}

uint texels_before(uint end) {
  uint texels = 0u;
  for (uint n = 1u; n < end; ++n) texels += max(pc.size.x >> n, 1u) * max(pc.size.y >> n, 1u);
  return texels;
}
void onepass_store_level(uint level, uint2 texel, uint slice, ONEPASS_ELEMENT value) {
  uint begin = slice * texels_before(pc.last_level + 1u) + texels_before(level);
  MADE(begin + texel.y * max(pc.size.x >> level, 1u) + texel.x) = value;
}

#if ELEMENT == 3
// Per slice: a word per texel of level 6 for parity 0, as many for parity 1, and the parity.
#define ONEPASS_MAILBOX 1
#define ONEPASS_SUBGROUP_POLLS true
uint places_of_slice() { return (pc.size.x >> 6u) * (pc.size.y >> 6u); }
uint parity_word(uint slice) { return slice * (2u * places_of_slice() + 1u) + 2u * places_of_slice(); }
uint place_word(uint slice, uint parity, uint place) {
  return slice * (2u * places_of_slice() + 1u) + parity * places_of_slice() + place;
}
uint onepass_parity(uint slice) {
  uint parity;
  onepass_atomic_load(mailbox[parity_word(slice)], parity);
  return parity;
}
void onepass_set_parity(uint slice, uint parity) { mailbox[parity_word(slice)] = parity; }
void onepass_publish(uint slice, uint parity, uint place, uint value) {
  mailbox[place_word(slice, parity, place)] = value + 1u;
  mailbox[place_word(slice, parity ^ 1u, place)] = 0u;
}
bool onepass_consume(uint slice, uint parity, uint place, out uint value) {
  uint word;
  onepass_atomic_load(mailbox[place_word(slice, parity, place)], word);
  value = word - 1u;
  return word != 0u;
}
#endif
