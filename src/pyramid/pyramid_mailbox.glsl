// pyramid_mailbox.glsl: the mailbox of pyramid.comp and pyramid.cu: the callbacks of self-validating words. Their
// protocol: shaders/onepass/workgroup_exchange.glsl.
//
// The mailbox lies behind the intermediate levels. Per slice it has a place per texel of level 6 for parity 0, as many
// for parity 1, and the parity. A word of 0 is an empty place; other words are a float's bits plus 1. The NaN of bits
// 0xFFFFFFFF is published as the NaN of bits 0xFFFFFFFE.
//
// Words of one and two components are loaded and stored by relaxed atomics, so that no data race exists, in the Vulkan
// memory model neither. Words of four components are coherent and volatile vectors: as four scalars in atomics they
// made chains 3 to 10 % slower on an H200.
#ifdef ONEPASS_CUDA
#define MAILBOX_BEGIN 0u  // a buffer of its own; pyramid.cu loads and stores its words
#else
#define MAILBOX_BEGIN (gl_NumWorkGroups.z * pc.intermediate_stride)
#if ONEPASS_MEMORY_MODEL
#define MAILBOX_SCOPE gl_ScopeQueueFamily  // as all exchanges in the memory model
#else
#define MAILBOX_SCOPE gl_ScopeDevice
#endif
#if COMPONENTS <= 2
layout(binding = 3) buffer Mailbox { uint mailbox_words[]; };
uint mailbox_load_word(uint index) {
  return atomicLoad(mailbox_words[index], MAILBOX_SCOPE, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}
void mailbox_store_word(uint index, uint word) {
  atomicStore(mailbox_words[index], word, MAILBOX_SCOPE, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}
#endif
#if COMPONENTS == 1
#define MAILBOX_WORDS uint
#define mailbox_load(element) mailbox_load_word(element)
#define mailbox_store(element, words) mailbox_store_word(element, words)
#else
#if COMPONENTS == 2
#define MAILBOX_WORDS uvec2
#else
#define MAILBOX_WORDS uvec4
#endif
#if COMPONENTS == 2
MAILBOX_WORDS mailbox_load(uint element) {
  uint first = mailbox_load_word(2u * element);
  return MAILBOX_WORDS(first, mailbox_load_word(2u * element + 1u));
}
void mailbox_store(uint element, MAILBOX_WORDS words) {
  mailbox_store_word(2u * element, words.x);
  mailbox_store_word(2u * element + 1u, words.y);
}
#else
layout(binding = 3) coherent volatile buffer Mailbox { MAILBOX_WORDS mailbox_words[]; };  // volatile: polls load anew
MAILBOX_WORDS mailbox_load(uint element) { return mailbox_words[element]; }
void mailbox_store(uint element, MAILBOX_WORDS words) { mailbox_words[element] = words; }
#endif
#endif
#endif  // ONEPASS_CUDA
#if COMPONENTS == 1
#define mailbox_is_ready(words) (words != 0u)
#define mailbox_first(words) words
#else
#ifdef ONEPASS_CUDA
#define mailbox_is_ready(words) all(onepass_greater(words, MAILBOX_WORDS(0u)))
#else
#define mailbox_is_ready(words) all(notEqual(words, MAILBOX_WORDS(0u)))
#endif
#define mailbox_first(words) words.x
#endif

// First element of a slice, and the number of places per parity.
uint mailbox_begin(uint slice, ONEPASS_OUT(uint) places) {
  uint2 size = onepass_level_size2(pc.size, 6u);
  places = size.x * size.y;
  return MAILBOX_BEGIN + slice * (2u * places + 1u);
}
uint onepass_parity(uint slice) {
  uint places;
  uint begin = mailbox_begin(slice, places);
  return mailbox_first(mailbox_load(begin + 2u * places));
}
void onepass_set_parity(uint slice, uint parity) {
  uint places;
  uint begin = mailbox_begin(slice, places);
  mailbox_store(begin + 2u * places, MAILBOX_WORDS(parity));
}
void onepass_publish(uint slice, uint parity, uint place, ONEPASS_ELEMENT value) {
  uint places;
  uint begin = mailbox_begin(slice, places) + place;
  mailbox_store(begin + parity * places, min(onepass_float_bits(value), MAILBOX_WORDS(0xFFFFFFFEu)) + 1u);
  mailbox_store(begin + (parity ^ 1u) * places, MAILBOX_WORDS(0u));
}
bool onepass_consume(uint slice, uint parity, uint place, ONEPASS_OUT(ONEPASS_ELEMENT) value) {
  uint places;
  uint begin = mailbox_begin(slice, places) + place;
  MAILBOX_WORDS words = mailbox_load(begin + parity * places);
  value = onepass_bits_float(words - 1u);
  return mailbox_is_ready(words);
}
