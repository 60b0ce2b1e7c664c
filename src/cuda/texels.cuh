// texels.cuh: loads and stores of texels in linear device memory, for the library's kernels in CUDA C++. Include it
// after onepass/prelude.glsl, with ONEPASS_KEEP_NAMES, between ONEPASS_DEVICE_BEGIN and ONEPASS_DEVICE_END.
//
// Arguments `storage` and `bytes` are specialised constants (specialized.cuh): of the branches on them one is left.
// Loads and conversions are separate functions, so that several loads are in flight before the first conversion.
#ifndef ONEPASS_TEXELS_CUH_
#define ONEPASS_TEXELS_CUH_

#include "cuda/image_params.h"

#ifdef __CUDA__
#define GLOBAL_MEMORY __attribute__((address_space(1)))
#else
#define GLOBAL_MEMORY
#endif

typedef unsigned long long Address;
typedef uint Words2 __attribute__((vector_size(8)));
typedef uint Words4 __attribute__((vector_size(16)));

template <typename T>
static inline T load_word(Address at) {
  return *reinterpret_cast<const GLOBAL_MEMORY T*>(at);
}
template <typename T>
static inline void store_word(Address at, T word) {
  *reinterpret_cast<GLOBAL_MEMORY T*>(at) = word;
}

// ---- Conversions that a GPU has instructions for

#ifdef __CUDA__
static inline float half_to_float(uint bits) {
  float value;
  asm("{ .reg .b16 h; cvt.u16.u32 h, %1; cvt.f32.f16 %0, h; }" : "=f"(value) : "r"(bits));
  return value;
}
/// Rounds to nearest, ties to even.
static inline uint float_to_half(float value) {
  uint bits;
  asm("{ .reg .b16 h; cvt.rn.f16.f32 h, %1; cvt.u32.u16 %0, h; }" : "=r"(bits) : "f"(value));
  return bits;
}
static inline float fused_multiply_add(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
/// The product of 64 bits, in one instruction: clang 14 makes a product of 64-bit numbers of it otherwise.
static inline Address wide_product(uint a, uint b) {
  Address product;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
  return product;
}
/// Within 2^-21 of the result. x is not negative.
static inline float power(float x, float exponent) {
  return __nvvm_ex2_approx_ftz_f(exponent * __nvvm_lg2_approx_ftz_f(x));
}
#else
static inline float half_to_float(uint bits) {
  uint magnitude = bits & 0x7FFFu;
  float value = magnitude >= 0x7C00u ? onepass_bits_float((magnitude << 13u) + 0x70000000u)
                                     : onepass_bits_float(magnitude << 13u) * 0x1p112f;
  return onepass_bits_float(onepass_float_bits(value) | (bits & 0x8000u) << 16u);
}
static inline uint float_to_half(float value) {
  uint bits = onepass_float_bits(value);
  uint sign = bits >> 16u & 0x8000u;
  float magnitude = onepass_abs(value);
  if (!(magnitude <= 3.4028235e38f)) return sign | (magnitude == magnitude ? 0x7C00u : 0x7E00u);
  if (magnitude < 0x1p-14f) return sign | static_cast<uint>(__builtin_rintf(magnitude * 0x1p24f));
  bits &= 0x7FFFFFFFu;
  bits += 0xFFFu + (bits >> 13u & 1u);
  return sign | onepass_min((bits >> 13u) - 0x1C000u, 0x7C00u);
}
static inline float fused_multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline Address wide_product(uint a, uint b) { return static_cast<Address>(a) * b; }
static inline float power(float x, float exponent) { return __builtin_powf(x, exponent); }
#endif

// ---- Words that blocks exchange without fences: every load and store is whole and goes to memory, in any order

#ifdef __CUDA__
static inline uint load_relaxed(Address at) {
  uint word;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
  return word;
}
static inline void store_relaxed(Address at, uint word) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" : : "l"(at), "r"(word) : "memory");
}
static inline uint2 load_relaxed2(Address at) {
  uint2 words;
  asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];" : "=r"(words.x), "=r"(words.y) : "l"(at) : "memory");
  return words;
}
static inline void store_relaxed2(Address at, uint2 words) {
  asm volatile("st.relaxed.gpu.global.v2.u32 [%0], {%1, %2};" : : "l"(at), "r"(words.x), "r"(words.y) : "memory");
}
static inline uint4 load_relaxed4(Address at) {
  uint4 words;
  asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
               : "l"(at)
               : "memory");
  return words;
}
static inline void store_relaxed4(Address at, uint4 words) {
  asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(at), "r"(words.x), "r"(words.y), "r"(words.z), "r"(words.w)
               : "memory");
}
#else
static inline uint load_relaxed(Address at) { return __atomic_load_n(reinterpret_cast<uint*>(at), __ATOMIC_RELAXED); }
static inline void store_relaxed(Address at, uint word) {
  __atomic_store_n(reinterpret_cast<uint*>(at), word, __ATOMIC_RELAXED);
}
static inline uint2 load_relaxed2(Address at) { return uint2(load_relaxed(at), load_relaxed(at + 4u)); }
static inline void store_relaxed2(Address at, uint2 words) {
  store_relaxed(at, words.x);
  store_relaxed(at + 4u, words.y);
}
static inline uint4 load_relaxed4(Address at) {
  return uint4(load_relaxed(at), load_relaxed(at + 4u), load_relaxed(at + 8u), load_relaxed(at + 12u));
}
static inline void store_relaxed4(Address at, uint4 words) {
  store_relaxed2(at, words.xy);
  store_relaxed2(at + 8u, words.zw);
}
#endif

// ---- Bytes of a texel

/// A texel of `bytes` bytes, 1, 2, 4, 8 or 16, aligned to its size. `kLeast`, 1 or 2, and `kMost`: limits that the
/// compiler knows.
template <uint kLeast, uint kMost>
static inline uint4 load_texel(Address at, uint bytes) {
  uint4 words = uint4(0u, 0u, 0u, 0u);
  if (kMost == 16u && bytes == 16u) {
    Words4 v = load_word<Words4>(at);
    words = uint4(v[0], v[1], v[2], v[3]);
  } else if (kMost >= 8u && bytes == 8u) {
    Words2 v = load_word<Words2>(at);
    words.x = v[0];
    words.y = v[1];
  } else if (bytes == 4u) {
    words.x = load_word<uint>(at);
  } else if (kLeast == 2u || bytes == 2u) {
    words.x = load_word<unsigned short>(at);
  } else {
    words.x = load_word<unsigned char>(at);
  }
  return words;
}

/// Four neighbouring texels of `bytes` bytes, 1, 2, 4 or 8, aligned to four times that, at most 16: `texels[i]` has
/// the words of load_texel().
template <uint kLeast, uint kMost>
static inline void load_four_texels(Address at, uint bytes, uint4 (&texels)[4]) {
  ONEPASS_UNROLL for (uint i = 0u; i < 4u; ++i) texels[i] = uint4(0u, 0u, 0u, 0u);
  if (kMost >= 8u && bytes == 8u) {
    ONEPASS_UNROLL for (uint i = 0u; i < 4u; i += 2u) {
      Words4 v = load_word<Words4>(at + 8u * i);
      texels[i].x = v[0];
      texels[i].y = v[1];
      texels[i + 1u].x = v[2];
      texels[i + 1u].y = v[3];
    }
  } else if (bytes == 4u) {
    Words4 v = load_word<Words4>(at);
    ONEPASS_UNROLL for (uint i = 0u; i < 4u; ++i) texels[i].x = v[i];
  } else if (kLeast == 2u || bytes == 2u) {
    Words2 v = load_word<Words2>(at);
    ONEPASS_UNROLL for (uint i = 0u; i < 4u; ++i) texels[i].x = v[i / 2u] >> (16u * (i & 1u)) & 0xFFFFu;
  } else {
    uint v = load_word<uint>(at);
    ONEPASS_UNROLL for (uint i = 0u; i < 4u; ++i) texels[i].x = v >> (8u * i) & 0xFFu;
  }
}

/// Two neighbouring texels of `bytes` bytes, 1, 2, 4 or 8, aligned to twice that. Their words may have further bits.
template <uint kLeast, uint kMost>
static inline void store_two_texels(Address at, uint bytes, uint4 first, uint4 second) {
  if (kMost >= 8u && bytes == 8u) {
    store_word(at, Words4{first.x, first.y, second.x, second.y});
  } else if (bytes == 4u) {
    store_word(at, Words2{first.x, second.x});
  } else if (kLeast == 2u || bytes == 2u) {
    store_word(at, (first.x & 0xFFFFu) | second.x << 16u);
  } else {
    store_word(at, static_cast<unsigned short>((first.x & 0xFFu) | second.x << 8u));
  }
}

template <uint kLeast, uint kMost>
static inline void store_texel(Address at, uint bytes, uint4 words) {
  if (kMost == 16u && bytes == 16u) {
    store_word(at, Words4{words.x, words.y, words.z, words.w});
  } else if (kMost >= 8u && bytes == 8u) {
    store_word(at, Words2{words.x, words.y});
  } else if (bytes == 4u) {
    store_word(at, words.x);
  } else if (kLeast == 2u || bytes == 2u) {
    store_word(at, static_cast<unsigned short>(words.x));
  } else {
    store_word(at, static_cast<unsigned char>(words.x));
  }
}

/// One channel of 1, 2 or 4 bytes.
static inline uint load_channel(Address at, uint bytes) {
  if (bytes == 4u) return load_word<uint>(at);
  if (bytes == 2u) return load_word<unsigned short>(at);
  return load_word<unsigned char>(at);
}
static inline void store_channel(Address at, uint bytes, uint word) {
  if (bytes == 4u) {
    store_word(at, word);
  } else if (bytes == 2u) {
    store_word(at, static_cast<unsigned short>(word));
  } else {
    store_word(at, static_cast<unsigned char>(word));
  }
}

// ---- Values of channels. UNORM is an integer here.

static inline uint stored_bytes(uint storage) {
  return storage == STORED_U8 ? 1u : storage == STORED_U16 || storage == STORED_F16 ? 2u : 4u;
}

static inline float channel_value(uint bits, uint storage) {
  if (storage == STORED_F32) return onepass_bits_float(bits);
  if (storage == STORED_F16) return half_to_float(bits);
  return static_cast<float>(bits);
}

/// Channel c of a texel whose channels have equal sizes.
static inline uint channel_bits(uint4 words, uint storage, uint c) {
  if (storage == STORED_U8) return words.x >> (8u * c) & 0xFFu;
  if (storage == STORED_U16 || storage == STORED_F16) return (c < 2u ? words.x : words.y) >> (16u * (c & 1u)) & 0xFFFFu;
  return words[c];
}

/// The channels of a packed word; of B10G11R11 alpha is 1, of X8D24 there is one channel.
static inline float4 packed_values(uint word, uint storage) {
  if (storage == STORED_A2B10G10R10) {
    return float4(static_cast<float>(word & 1023u), static_cast<float>(word >> 10u & 1023u),
                  static_cast<float>(word >> 20u & 1023u), static_cast<float>(word >> 30u)) *
           float4(1.0 / 1023.0, 1.0 / 1023.0, 1.0 / 1023.0, 1.0 / 3.0);
  }
  if (storage == STORED_B10G11R11) {
    return float4(half_to_float((word & 0x7FFu) << 4u), half_to_float((word >> 11u & 0x7FFu) << 4u),
                  half_to_float(word >> 22u << 5u), 1.0);
  }
  return float4(static_cast<float>(word & 0xFFFFFFu), 0.0, 0.0, 1.0);
}

/// The nearest integer from 0 to `most`; 0 of NaN.
static inline uint nearest_integer(float value, float most) {
  return static_cast<uint>(__builtin_rintf(value > 0.0 ? onepass_min(value, most) : 0.0f));
}

/// Finite values beyond the largest half become that.
static inline uint half_bits(float value) {
  bool finite = onepass_abs(value) <= 3.4028235e38;
  return float_to_half(finite ? onepass_clamp(value, -65504.0, 65504.0) : value);
}

/// `value` / `divisor`, rounded correctly for integers below 2^24; `divisor` is a positive integer, `inverse` 1 /
/// divisor.
static inline float divide_by_unit(float value, float divisor, float inverse) {
  if (divisor == 1.0) return value;  // also keeps Inf
  float quotient = value * inverse;
  return fused_multiply_add(fused_multiply_add(-quotient, divisor, value), inverse, quotient);
}

static inline float length(const float3& vector) { return onepass_sqrt(dot(vector, vector)); }

#endif  // ONEPASS_TEXELS_CUH_
