// fourier_dft.glsl: discrete Fourier transforms of 2 to 16 values that an invocation holds in registers.
//
// Values are v[o], v[o + 1], ... of the private array `v` of ONEPASS_FOURIER_T: one complex number (re, im), or two of
// independent signals (re, im, re, im). Every transform is forward, exp(-2 pi i / n); for the inverse exchange re and
// im of input and results. Results are in natural order. A comment like "// 0 3" lists result indices.
//
// Radices 2, 3, 4, 5 and 7 are written out; 8, 9 and 16 are two Cooley-Tukey rounds with twiddle factors; 6, 10, 12, 14
// and 15 have coprime factors and need none (I. Good, "The Interaction Algorithm and Practical Fourier Analysis",
// 1958).
#ifndef ONEPASS_FOURIER_DFT_GLSL_
#define ONEPASS_FOURIER_DFT_GLSL_

#include "onepass/prelude_names.glsl"

#define ONEPASS_FOURIER_MOST 16  // values per invocation

ONEPASS_PRIVATE ONEPASS_FOURIER_T v[ONEPASS_FOURIER_MOST];

#if ONEPASS_FOURIER_SIGNALS == 2
/// onepass_times: x w. onepass_times_minus_i: -i x. onepass_swapped: re and im exchanged. Times ONEPASS_CONJUGATE: conj
/// x.
ONEPASS_FOURIER_T onepass_times(ONEPASS_FOURIER_T x, float2 w) {
  return float4(x.x * w.x - x.y * w.y, x.x * w.y + x.y * w.x, x.z * w.x - x.w * w.y, x.z * w.y + x.w * w.x);
}
#define onepass_times_minus_i(value) onepass_float4((value).y, -(value).x, (value).w, -(value).z)
#define onepass_swapped(value) (value).yxwz
#define ONEPASS_CONJUGATE onepass_float4(1.0, -1.0, 1.0, -1.0)
#else
ONEPASS_FOURIER_T onepass_times(ONEPASS_FOURIER_T x, float2 w) {
  return float2(x.x * w.x - x.y * w.y, x.x * w.y + x.y * w.x);
}
#define onepass_times_minus_i(value) onepass_float2((value).y, -(value).x)
#define onepass_swapped(value) (value).yx
#define ONEPASS_CONJUGATE onepass_float2(1.0, -1.0)
#endif

// Transforms in place on variables, results in natural order.
#define ONEPASS_DFT2(a, b)       \
  {                              \
    ONEPASS_FOURIER_T d = a - b; \
    a = a + b;                   \
    b = d;                       \
  }
#define ONEPASS_DFT3(a, b, c)                                                           \
  {                                                                                     \
    ONEPASS_FOURIER_T sum = b + c;                                                      \
    ONEPASS_FOURIER_T turn = onepass_times_minus_i(b - c) * 0.866025403784438646763723; \
    ONEPASS_FOURIER_T middle = a - 0.5 * sum;                                           \
    a = a + sum;                                                                        \
    b = middle + turn;                                                                  \
    c = middle - turn;                                                                  \
  }
#define ONEPASS_DFT4(a, b, c, d)                           \
  {                                                        \
    ONEPASS_FOURIER_T even = a + c;                        \
    ONEPASS_FOURIER_T even_less = a - c;                   \
    ONEPASS_FOURIER_T odd = b + d;                         \
    ONEPASS_FOURIER_T turn = onepass_times_minus_i(b - d); \
    a = even + odd;                                        \
    b = even_less + turn;                                  \
    c = even - odd;                                        \
    d = even_less - turn;                                  \
  }
#define ONEPASS_DFT5(a, b, c, d, e)                                                                            \
  {                                                                                                            \
    ONEPASS_FOURIER_T near = b + e;                                                                            \
    ONEPASS_FOURIER_T far = c + d;                                                                             \
    ONEPASS_FOURIER_T near_less = b - e;                                                                       \
    ONEPASS_FOURIER_T far_less = c - d;                                                                        \
    ONEPASS_FOURIER_T m1 = a + 0.309016994374947424102293 * near - 0.809016994374947424102293 * far;           \
    ONEPASS_FOURIER_T m2 = a - 0.809016994374947424102293 * near + 0.309016994374947424102293 * far;           \
    ONEPASS_FOURIER_T t1 =                                                                                     \
        onepass_times_minus_i(0.951056516295153572116439 * near_less + 0.587785252292473129168706 * far_less); \
    ONEPASS_FOURIER_T t2 =                                                                                     \
        onepass_times_minus_i(0.587785252292473129168706 * near_less - 0.951056516295153572116439 * far_less); \
    a = a + near + far;                                                                                        \
    b = m1 + t1;                                                                                               \
    e = m1 - t1;                                                                                               \
    c = m2 + t2;                                                                                               \
    d = m2 - t2;                                                                                               \
  }
#define ONEPASS_DFT7(a, b, c, d, e, f, g)                                                                            \
  {                                                                                                                  \
    ONEPASS_FOURIER_T s1 = b + g;                                                                                    \
    ONEPASS_FOURIER_T s2 = c + f;                                                                                    \
    ONEPASS_FOURIER_T s3 = d + e;                                                                                    \
    ONEPASS_FOURIER_T d1 = b - g;                                                                                    \
    ONEPASS_FOURIER_T d2 = c - f;                                                                                    \
    ONEPASS_FOURIER_T d3 = d - e;                                                                                    \
    ONEPASS_FOURIER_T m1 =                                                                                           \
        a + 0.623489801858733530525005 * s1 - 0.222520933956314404288903 * s2 - 0.900968867902419126236102 * s3;     \
    ONEPASS_FOURIER_T m2 =                                                                                           \
        a - 0.222520933956314404288903 * s1 - 0.900968867902419126236102 * s2 + 0.623489801858733530525005 * s3;     \
    ONEPASS_FOURIER_T m3 =                                                                                           \
        a - 0.900968867902419126236102 * s1 + 0.623489801858733530525005 * s2 - 0.222520933956314404288903 * s3;     \
    ONEPASS_FOURIER_T t1 = onepass_times_minus_i(0.781831482468029808708444 * d1 + 0.974927912181823607018131 * d2 + \
                                                 0.433883739117558120475768 * d3);                                   \
    ONEPASS_FOURIER_T t2 = onepass_times_minus_i(0.974927912181823607018131 * d1 - 0.433883739117558120475768 * d2 - \
                                                 0.781831482468029808708444 * d3);                                   \
    ONEPASS_FOURIER_T t3 = onepass_times_minus_i(0.433883739117558120475768 * d1 - 0.781831482468029808708444 * d2 + \
                                                 0.974927912181823607018131 * d3);                                   \
    a = a + s1 + s2 + s3;                                                                                            \
    b = m1 + t1;                                                                                                     \
    g = m1 - t1;                                                                                                     \
    c = m2 + t2;                                                                                                     \
    f = m2 - t2;                                                                                                     \
    d = m3 + t3;                                                                                                     \
    e = m3 - t3;                                                                                                     \
  }
#define ONEPASS_SWAP(a, b)   \
  {                          \
    ONEPASS_FOURIER_T t = a; \
    a = b;                   \
    b = t;                   \
  }

void onepass_dft6(uint o) {
  ONEPASS_DFT3(v[o], v[o + 2u], v[o + 4u])
  ONEPASS_DFT3(v[o + 3u], v[o + 5u], v[o + 1u])
  ONEPASS_DFT2(v[o], v[o + 3u])       // 0 3
  ONEPASS_DFT2(v[o + 2u], v[o + 5u])  // 4 1
  ONEPASS_DFT2(v[o + 4u], v[o + 1u])  // 2 5
  ONEPASS_SWAP(v[o + 2u], v[o + 4u])
  ONEPASS_SWAP(v[o + 1u], v[o + 5u])
}

void onepass_dft8(uint o) {
  const float kHalf = 0.707106781186547524400844;  // sqrt(1/2)
  ONEPASS_DFT4(v[o], v[o + 2u], v[o + 4u], v[o + 6u])
  ONEPASS_DFT4(v[o + 1u], v[o + 3u], v[o + 5u], v[o + 7u])
  v[o + 3u] = (v[o + 3u] + onepass_times_minus_i(v[o + 3u])) * kHalf;
  v[o + 5u] = onepass_times_minus_i(v[o + 5u]);
  v[o + 7u] = (onepass_times_minus_i(v[o + 7u]) - v[o + 7u]) * kHalf;
  ONEPASS_DFT2(v[o], v[o + 1u])       // 0 4
  ONEPASS_DFT2(v[o + 2u], v[o + 3u])  // 1 5
  ONEPASS_DFT2(v[o + 4u], v[o + 5u])  // 2 6
  ONEPASS_DFT2(v[o + 6u], v[o + 7u])  // 3 7
  ONEPASS_FOURIER_T x4 = v[o + 1u];
  v[o + 1u] = v[o + 2u];
  v[o + 2u] = v[o + 4u];
  v[o + 4u] = x4;
  ONEPASS_FOURIER_T x5 = v[o + 3u];
  v[o + 3u] = v[o + 6u];
  v[o + 6u] = v[o + 5u];
  v[o + 5u] = x5;
}

void onepass_dft9(uint o) {
  const float2 w1 = float2(0.766044443118978035202393, -0.642787609686539326322643);
  const float2 w2 = float2(0.173648177666930348851717, -0.984807753012208059366743);
  const float2 w4 = float2(-0.939692620785908384054110, -0.342020143325668733044099);
  ONEPASS_DFT3(v[o], v[o + 3u], v[o + 6u])
  ONEPASS_DFT3(v[o + 1u], v[o + 4u], v[o + 7u])
  ONEPASS_DFT3(v[o + 2u], v[o + 5u], v[o + 8u])
  v[o + 4u] = onepass_times(v[o + 4u], w1);
  v[o + 7u] = onepass_times(v[o + 7u], w2);
  v[o + 5u] = onepass_times(v[o + 5u], w2);
  v[o + 8u] = onepass_times(v[o + 8u], w4);
  ONEPASS_DFT3(v[o], v[o + 1u], v[o + 2u])       // 0 3 6
  ONEPASS_DFT3(v[o + 3u], v[o + 4u], v[o + 5u])  // 1 4 7
  ONEPASS_DFT3(v[o + 6u], v[o + 7u], v[o + 8u])  // 2 5 8
  ONEPASS_SWAP(v[o + 1u], v[o + 3u])
  ONEPASS_SWAP(v[o + 2u], v[o + 6u])
  ONEPASS_SWAP(v[o + 5u], v[o + 7u])
}

// Coprime factors p and q: value (q a + p b) mod pq is entry (a, b) of a p by q table. After transforms along both
// axes, entry (a, b) is result k with k mod p = a and k mod q = b.
void onepass_dft10(uint o) {
  ONEPASS_DFT5(v[o], v[o + 2u], v[o + 4u], v[o + 6u], v[o + 8u])
  ONEPASS_DFT5(v[o + 5u], v[o + 7u], v[o + 9u], v[o + 1u], v[o + 3u])
  ONEPASS_FOURIER_T even[5];
  ONEPASS_FOURIER_T odd[5];
  even[0] = v[o];
  even[1] = v[o + 2u];
  even[2] = v[o + 4u];
  even[3] = v[o + 6u];
  even[4] = v[o + 8u];
  odd[0] = v[o + 5u];
  odd[1] = v[o + 7u];
  odd[2] = v[o + 9u];
  odd[3] = v[o + 1u];
  odd[4] = v[o + 3u];
  v[o] = even[0] + odd[0];
  v[o + 1u] = even[1] - odd[1];
  v[o + 2u] = even[2] + odd[2];
  v[o + 3u] = even[3] - odd[3];
  v[o + 4u] = even[4] + odd[4];
  v[o + 5u] = even[0] - odd[0];
  v[o + 6u] = even[1] + odd[1];
  v[o + 7u] = even[2] - odd[2];
  v[o + 8u] = even[3] + odd[3];
  v[o + 9u] = even[4] - odd[4];
}

void onepass_dft12(uint o) {
  ONEPASS_DFT4(v[o], v[o + 3u], v[o + 6u], v[o + 9u])
  ONEPASS_DFT4(v[o + 4u], v[o + 7u], v[o + 10u], v[o + 1u])
  ONEPASS_DFT4(v[o + 8u], v[o + 11u], v[o + 2u], v[o + 5u])
  ONEPASS_DFT3(v[o], v[o + 4u], v[o + 8u])        // 0 4 8
  ONEPASS_DFT3(v[o + 3u], v[o + 7u], v[o + 11u])  // 9 1 5
  ONEPASS_DFT3(v[o + 6u], v[o + 10u], v[o + 2u])  // 6 10 2
  ONEPASS_DFT3(v[o + 9u], v[o + 1u], v[o + 5u])   // 3 7 11
  ONEPASS_FOURIER_T x1 = v[o + 7u];
  v[o + 7u] = v[o + 1u];
  v[o + 1u] = x1;
  ONEPASS_FOURIER_T x11 = v[o + 5u];
  v[o + 5u] = v[o + 11u];
  v[o + 11u] = x11;
  ONEPASS_SWAP(v[o + 3u], v[o + 9u])
}

void onepass_dft14(uint o) {
  ONEPASS_DFT7(v[o], v[o + 2u], v[o + 4u], v[o + 6u], v[o + 8u], v[o + 10u], v[o + 12u])
  ONEPASS_DFT7(v[o + 7u], v[o + 9u], v[o + 11u], v[o + 13u], v[o + 1u], v[o + 3u], v[o + 5u])
  ONEPASS_DFT2(v[o], v[o + 7u])        // 0 7
  ONEPASS_DFT2(v[o + 2u], v[o + 9u])   // 8 1
  ONEPASS_DFT2(v[o + 4u], v[o + 11u])  // 2 9
  ONEPASS_DFT2(v[o + 6u], v[o + 13u])  // 10 3
  ONEPASS_DFT2(v[o + 8u], v[o + 1u])   // 4 11
  ONEPASS_DFT2(v[o + 10u], v[o + 3u])  // 12 5
  ONEPASS_DFT2(v[o + 12u], v[o + 5u])  // 6 13
  ONEPASS_FOURIER_T t[14];
  t[0] = v[o];
  t[1] = v[o + 9u];
  t[2] = v[o + 4u];
  t[3] = v[o + 13u];
  t[4] = v[o + 8u];
  t[5] = v[o + 3u];
  t[6] = v[o + 12u];
  t[7] = v[o + 7u];
  t[8] = v[o + 2u];
  t[9] = v[o + 11u];
  t[10] = v[o + 6u];
  t[11] = v[o + 1u];
  t[12] = v[o + 10u];
  t[13] = v[o + 5u];
  ONEPASS_UNROLL for (uint j = 0u; j < 14u; ++j) v[o + j] = t[j];
}

void onepass_dft15(uint o) {
  ONEPASS_DFT3(v[o], v[o + 5u], v[o + 10u])
  ONEPASS_DFT3(v[o + 3u], v[o + 8u], v[o + 13u])
  ONEPASS_DFT3(v[o + 6u], v[o + 11u], v[o + 1u])
  ONEPASS_DFT3(v[o + 9u], v[o + 14u], v[o + 4u])
  ONEPASS_DFT3(v[o + 12u], v[o + 2u], v[o + 7u])
  ONEPASS_DFT5(v[o], v[o + 3u], v[o + 6u], v[o + 9u], v[o + 12u])        // 0 6 12 3 9
  ONEPASS_DFT5(v[o + 5u], v[o + 8u], v[o + 11u], v[o + 14u], v[o + 2u])  // 10 1 7 13 4
  ONEPASS_DFT5(v[o + 10u], v[o + 13u], v[o + 1u], v[o + 4u], v[o + 7u])  // 5 11 2 8 14
  ONEPASS_FOURIER_T t[15];
  t[0] = v[o];
  t[6] = v[o + 3u];
  t[12] = v[o + 6u];
  t[3] = v[o + 9u];
  t[9] = v[o + 12u];
  t[10] = v[o + 5u];
  t[1] = v[o + 8u];
  t[7] = v[o + 11u];
  t[13] = v[o + 14u];
  t[4] = v[o + 2u];
  t[5] = v[o + 10u];
  t[11] = v[o + 13u];
  t[2] = v[o + 1u];
  t[8] = v[o + 4u];
  t[14] = v[o + 7u];
  ONEPASS_UNROLL for (uint j = 0u; j < 15u; ++j) v[o + j] = t[j];
}

void onepass_dft16(uint o) {
  const float kHalf = 0.707106781186547524400844;  // sqrt(1/2)
  const float2 w1 = float2(0.923879532511286756128183, -0.382683432365089771728460);
  const float2 w3 = float2(0.382683432365089771728460, -0.923879532511286756128183);
  const float2 w9 = float2(-0.923879532511286756128183, 0.382683432365089771728460);
  ONEPASS_DFT4(v[o], v[o + 4u], v[o + 8u], v[o + 12u])
  ONEPASS_DFT4(v[o + 1u], v[o + 5u], v[o + 9u], v[o + 13u])
  ONEPASS_DFT4(v[o + 2u], v[o + 6u], v[o + 10u], v[o + 14u])
  ONEPASS_DFT4(v[o + 3u], v[o + 7u], v[o + 11u], v[o + 15u])
  v[o + 5u] = onepass_times(v[o + 5u], w1);
  v[o + 6u] = (v[o + 6u] + onepass_times_minus_i(v[o + 6u])) * kHalf;
  v[o + 7u] = onepass_times(v[o + 7u], w3);
  v[o + 9u] = (v[o + 9u] + onepass_times_minus_i(v[o + 9u])) * kHalf;
  v[o + 10u] = onepass_times_minus_i(v[o + 10u]);
  v[o + 11u] = (onepass_times_minus_i(v[o + 11u]) - v[o + 11u]) * kHalf;
  v[o + 13u] = onepass_times(v[o + 13u], w3);
  v[o + 14u] = (onepass_times_minus_i(v[o + 14u]) - v[o + 14u]) * kHalf;
  v[o + 15u] = onepass_times(v[o + 15u], w9);
  ONEPASS_DFT4(v[o], v[o + 1u], v[o + 2u], v[o + 3u])
  ONEPASS_DFT4(v[o + 4u], v[o + 5u], v[o + 6u], v[o + 7u])
  ONEPASS_DFT4(v[o + 8u], v[o + 9u], v[o + 10u], v[o + 11u])
  ONEPASS_DFT4(v[o + 12u], v[o + 13u], v[o + 14u], v[o + 15u])
  ONEPASS_SWAP(v[o + 1u], v[o + 4u])
  ONEPASS_SWAP(v[o + 2u], v[o + 8u])
  ONEPASS_SWAP(v[o + 3u], v[o + 12u])
  ONEPASS_SWAP(v[o + 6u], v[o + 9u])
  ONEPASS_SWAP(v[o + 7u], v[o + 13u])
  ONEPASS_SWAP(v[o + 11u], v[o + 14u])
}

/// `count` transforms of `radix` values each, stored consecutively in v.
void onepass_dft(const uint radix, const uint count) {
  ONEPASS_UNROLL for (uint m = 0u; m < count; ++m) {
    uint o = m * radix;
    if (radix == 2u) {
      ONEPASS_DFT2(v[o], v[o + 1u])
    } else if (radix == 3u) {
      ONEPASS_DFT3(v[o], v[o + 1u], v[o + 2u])
    } else if (radix == 4u) {
      ONEPASS_DFT4(v[o], v[o + 1u], v[o + 2u], v[o + 3u])
    } else if (radix == 5u) {
      ONEPASS_DFT5(v[o], v[o + 1u], v[o + 2u], v[o + 3u], v[o + 4u])
    } else if (radix == 6u) {
      onepass_dft6(o);
    } else if (radix == 7u) {
      ONEPASS_DFT7(v[o], v[o + 1u], v[o + 2u], v[o + 3u], v[o + 4u], v[o + 5u], v[o + 6u])
    } else if (radix == 8u) {
      onepass_dft8(o);
    } else if (radix == 9u) {
      onepass_dft9(o);
    } else if (radix == 10u) {
      onepass_dft10(o);
    } else if (radix == 12u) {
      onepass_dft12(o);
    } else if (radix == 14u) {
      onepass_dft14(o);
    } else if (radix == 15u) {
      onepass_dft15(o);
    } else if (radix == 16u) {
      onepass_dft16(o);
    }
  }
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_FOURIER_DFT_GLSL_
