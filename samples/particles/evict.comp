// evict.comp: evicts all other data from the caches by reading a larger buffer. The caches then hold clean lines, which
// no later access has to write back. With FILL it writes the buffer once, with hash values that memory compression does
// not shorten.
//
// An invocation owns ITEMS words of 16 bytes, 256 words apart.
#version 460
layout(local_size_x = 256) in;
layout(constant_id = 0) const bool FILL = false;

layout(binding = 0, std430) buffer Words { uvec4 words[]; };

const uint ITEMS = 8u;

uint hash(uint x) {
  x = (x ^ (x >> 16u)) * 0x7FEB352Du;
  x = (x ^ (x >> 15u)) * 0x846CA68Bu;
  return x ^ (x >> 16u);
}

void main() {
  uint first = gl_WorkGroupID.x * 256u * ITEMS + gl_LocalInvocationIndex;
  uvec4 sum = uvec4(0u);
  for (uint i = 0u; i < ITEMS; ++i) {
    uint index = first + 256u * i;
    if (index >= uint(words.length())) break;
    if (FILL) {
      words[index] = uvec4(hash(4u * index), hash(4u * index + 1u), hash(4u * index + 2u), hash(4u * index + 3u));
    } else {
      sum ^= words[index];
    }
  }
  // Never true in practice. A compiler cannot know this and must keep the reads.
  if (!FILL && sum == uvec4(0x12345678u, 0x9ABCDEF0u, 0x0FEDCBA9u, 0x87654321u)) words[first] = sum;
}
