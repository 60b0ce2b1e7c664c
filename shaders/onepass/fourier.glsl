// fourier.glsl: discrete Fourier transforms of whole lines, each in the registers of a few invocations.
//
// A workgroup transforms LINES lines of LENGTH values; LANES invocations share a line and hold up to 16 values each.
// Stockham's algorithm: pass p takes the values b, b + N/R, b + 2N/R ... (butterfly b of N/R, radix R), turns them by
// twiddles, transforms them in registers and puts the results where the next pass finds its own in the same way; the
// last leaves result k of a line with k = b + j N/R. Between passes values cross shared memory, one number or one
// complex number of each at a time, so that 4096 values of two signals fit 32 KB.
//
//     LENGTH 8 = 2 * 4, LANES 2, lane 0:     v = x[0 4 . .]  and  x[2 6]    two butterflies of radix 2
//                                  exchange  v = y[0 2 4 6]                 one of radix 4
//                                  result    v = X[0 2 4 6]                 k = b + 2 j
//
// Define before including (constants may be specialization constants):
//     ONEPASS_FOURIER_SIGNALS       1: values are float2, (re, im). 2: float4, the values of two signals
//     ONEPASS_FOURIER_LENGTH        N, the product of the radices
//     ONEPASS_FOURIER_LANES         invocations of a line; LANES * floor(16 / R) >= N / R for every radix R
//     ONEPASS_FOURIER_LINES         lines of a workgroup
//     ONEPASS_FOURIER_PASSES        1 to 6
//     ONEPASS_FOURIER_RADIX(p)      of pass p: 1 to 10, 12, 14, 15, 16, but not 11 or 13
//     ONEPASS_FOURIER_SCALAR        1: exchange one number at a time (least shared memory), 0: a complex number. A macro
//     ONEPASS_FOURIER_PAD           true: leave a gap after every 16 values (lengths with many factors of 2)
//     ONEPASS_FOURIER_SHARED        numbers (SCALAR) or complex numbers of shared memory: (N + N/16 if PAD) * LINES; for
//                                   onepass_fourier_join also LANES * LINES * (the most values an invocation holds)
//     float2 onepass_fourier_twiddle(uint k)    exp(-2 pi i k / N)
// then call, with the same arguments in all invocations of a workgroup but lane and line:
//     onepass_fourier(lane, line, false, 0)   transforms v: before, value j of butterfly b is x[b + j N/R], first radix R
//     onepass_fourier(lane, line, true, 0)    the same with the radices in reverse order: starts where the other ended
// or with the number of a join (onepass_fourier_join) to do with the results.
// Butterfly b = lane + m LANES < N / R lies in v[m R], v[m R + 1], ...
// Source: C. Van Loan, "Computational Frameworks for the Fast Fourier Transform", 1992, 1.7.
#ifndef ONEPASS_FOURIER_GLSL_
#define ONEPASS_FOURIER_GLSL_

#if !defined(ONEPASS_FOURIER_SIGNALS) || ONEPASS_FOURIER_SIGNALS < 1 || ONEPASS_FOURIER_SIGNALS > 2
#error "fourier: define ONEPASS_FOURIER_SIGNALS: 1, values are float2, or 2, values are float4."
#endif
#if !defined(ONEPASS_FOURIER_SCALAR) || ONEPASS_FOURIER_SCALAR < 0 || ONEPASS_FOURIER_SCALAR > 1
#error "fourier: define ONEPASS_FOURIER_SCALAR: 1, numbers are exchanged one at a time, or 0, complex numbers."
#endif
#if !defined(ONEPASS_FOURIER_LENGTH) || !defined(ONEPASS_FOURIER_LANES) || !defined(ONEPASS_FOURIER_LINES)
#error "fourier: define ONEPASS_FOURIER_LENGTH, ONEPASS_FOURIER_LANES and ONEPASS_FOURIER_LINES."
#endif
#if !defined(ONEPASS_FOURIER_PASSES) || !defined(ONEPASS_FOURIER_PAD) || !defined(ONEPASS_FOURIER_SHARED)
#error "fourier: define ONEPASS_FOURIER_PASSES and ONEPASS_FOURIER_RADIX(p), ONEPASS_FOURIER_PAD and ONEPASS_FOURIER_SHARED."
#endif

#define ONEPASS_FOURIER_JOIN_REAL 1u
#define ONEPASS_FOURIER_JOIN_COMPLEX 2u

#include "onepass/prelude.glsl"

#if ONEPASS_FOURIER_SIGNALS == 2
#define ONEPASS_FOURIER_T float4
#else
#define ONEPASS_FOURIER_T float2
#endif
#include "onepass/fourier_dft.glsl"

#if ONEPASS_FOURIER_SCALAR
#define ONEPASS_FOURIER_PARTS (2u * ONEPASS_FOURIER_SIGNALS)
groupshared float s_exchange[ONEPASS_FOURIER_SHARED];
#else
#define ONEPASS_FOURIER_PARTS uint(ONEPASS_FOURIER_SIGNALS)
groupshared float2 s_exchange[ONEPASS_FOURIER_SHARED];
#endif

/// Butterflies of an invocation in a pass of this radix.
uint onepass_fourier_count(const uint radix) {
  uint butterflies = ONEPASS_FOURIER_LENGTH / radix;
  return (butterflies + ONEPASS_FOURIER_LANES - 1u) / ONEPASS_FOURIER_LANES;
}

/// Is there a butterfly b?
bool onepass_fourier_has(const uint radix, uint b) {
  uint butterflies = ONEPASS_FOURIER_LENGTH / radix;
  return butterflies % ONEPASS_FOURIER_LANES == 0u || b < butterflies;
}

/// Butterfly m of a lane, or the last there is.
uint onepass_fourier_butterfly(uint lane, const uint m, const uint radix) {
  uint b = lane + m * ONEPASS_FOURIER_LANES;
  uint butterflies = ONEPASS_FOURIER_LENGTH / radix;
  return butterflies % ONEPASS_FOURIER_LANES == 0u ? b : min(b, butterflies - 1u);
}

/// Where a value of a line lies in shared memory.
uint onepass_fourier_slot(uint index, uint line) {
  uint padded = ONEPASS_FOURIER_PAD ? index + (index >> 4u) : index;
  return padded * ONEPASS_FOURIER_LINES + line;
}

/// What j * stride more add to a slot. With PAD no carry may come from the lower four bits of index and of what is added:
/// the host pads only lengths for which that holds.
uint onepass_fourier_step(const uint distance) {
  return (ONEPASS_FOURIER_PAD ? distance + (distance >> 4u) : distance) * ONEPASS_FOURIER_LINES;
}

// Numbers of v that cross together: the complex number of a signal, or its part `part`.
void onepass_fourier_put(uint slot, uint i, const uint part) {
#if ONEPASS_FOURIER_SCALAR
  s_exchange[slot] = v[i][part];
#elif ONEPASS_FOURIER_SIGNALS == 2
  s_exchange[slot] = part == 0u ? v[i].xy : v[i].zw;
#else
  s_exchange[slot] = v[i];
#endif
}

void onepass_fourier_get(uint slot, uint i, const uint part) {
#if ONEPASS_FOURIER_SCALAR
  v[i][part] = s_exchange[slot];
#elif ONEPASS_FOURIER_SIGNALS == 2
  if (part == 0u) {
    v[i].xy = s_exchange[slot];
  } else {
    v[i].zw = s_exchange[slot];
  }
#else
  v[i] = s_exchange[slot];
#endif
}

#if ONEPASS_FOURIER_SIGNALS == 1
/// This line's value of a pair of lines, `first` or second, that hold `own` and `other`: see onepass_fourier_join.
float2 onepass_fourier_joined(float2 own, float2 other, const uint join, bool first) {
  float2 a = first ? own : other;
  float2 b = first ? other : own;
  if (join == ONEPASS_FOURIER_JOIN_REAL) return first ? a + b : onepass_turned(a - b);
  return first ? a + onepass_turned(b) : a - onepass_turned(b);
}
#endif

// From results of a pass of radix `from`, before which `before` values were transformed together, to butterflies of `to`.
// Lines are joined as they are read, if `join` says so and complex numbers are exchanged.
void onepass_fourier_exchange(uint lane, uint line, const uint before, const uint from, const uint to, const uint join) {
  ONEPASS_UNROLL for (uint part = 0u; part < ONEPASS_FOURIER_PARTS; ++part) {
    onepass_group_barrier();  // what was there before has been read
    ONEPASS_UNROLL for (uint m = 0u; m < onepass_fourier_count(from); ++m) {
      uint b = lane + m * ONEPASS_FOURIER_LANES;
      if (onepass_fourier_has(from, b)) {
        uint slot = onepass_fourier_slot(b / before * before * from + b % before, line);
        ONEPASS_UNROLL for (uint j = 0u; j < from; ++j) {
          onepass_fourier_put(slot + onepass_fourier_step(j * before), m * from + j, part);
        }
      }
    }
    onepass_group_barrier();  // all of the line is there
    // Every invocation reads, also one without a butterfly: NVIDIA's compiler lost values where some did not.
    ONEPASS_UNROLL for (uint m = 0u; m < onepass_fourier_count(to); ++m) {
      uint slot = onepass_fourier_slot(onepass_fourier_butterfly(lane, m, to), line);
      ONEPASS_UNROLL for (uint j = 0u; j < to; ++j) {
        uint at = slot + onepass_fourier_step(j * (ONEPASS_FOURIER_LENGTH / to));
#if ONEPASS_FOURIER_SIGNALS == 1 && !ONEPASS_FOURIER_SCALAR
        if (join != 0u) {
          v[m * to + j] = onepass_fourier_joined(s_exchange[at], s_exchange[at ^ 1u], join, (line & 1u) == 0u);
          continue;
        }
#endif
        onepass_fourier_get(at, m * to + j, part);
      }
    }
  }
}

#if ONEPASS_FOURIER_SIGNALS == 1
/// Lines 2 i and 2 i + 1 of a workgroup hold a and b, in butterflies of `radix`. Afterwards they hold
///     ONEPASS_FOURIER_JOIN_REAL      a + b  and  -i (a - b)
///     ONEPASS_FOURIER_JOIN_COMPLEX   a - i b  and  a + i b
/// the sums that tell two real signals in one complex one apart, and that put them together (in exchanged re and im).
void onepass_fourier_join(uint lane, uint line, const uint radix, const uint join) {
  float2 other[ONEPASS_FOURIER_MOST];
  ONEPASS_UNROLL for (uint part = 0u; part < ONEPASS_FOURIER_PARTS; ++part) {
    onepass_group_barrier();  // what was there before has been read
    ONEPASS_UNROLL for (uint i = 0u; i < onepass_fourier_count(radix) * radix; ++i) {
      onepass_fourier_put((i * ONEPASS_FOURIER_LANES + lane) * ONEPASS_FOURIER_LINES + line, i, part);
    }
    onepass_group_barrier();  // the other line is there
    ONEPASS_UNROLL for (uint i = 0u; i < onepass_fourier_count(radix) * radix; ++i) {
      uint slot = (i * ONEPASS_FOURIER_LANES + lane) * ONEPASS_FOURIER_LINES + (line ^ 1u);
#if ONEPASS_FOURIER_SCALAR
      other[i][part] = s_exchange[slot];
#else
      other[i] = s_exchange[slot];
#endif
    }
  }
  ONEPASS_UNROLL for (uint i = 0u; i < onepass_fourier_count(radix) * radix; ++i) {
    v[i] = onepass_fourier_joined(v[i], other[i], join, (line & 1u) == 0u);
  }
}
#endif

// Turns value j of a butterfly by w^j, w = exp(-2 pi i (b mod before) / (before radix)). The powers 1, 2, 4 and 8 are
// looked up; others are products of at most four of those.
void onepass_fourier_turn(uint lane, const uint before, const uint radix) {
  const uint stride = ONEPASS_FOURIER_LENGTH / (before * radix);
  ONEPASS_UNROLL for (uint m = 0u; m < onepass_fourier_count(radix); ++m) {
    uint k = (lane + m * ONEPASS_FOURIER_LANES) % before * stride;
    uint o = m * radix;
    float2 w[ONEPASS_FOURIER_MOST];
    ONEPASS_UNROLL for (uint j = 1u; j < radix; ++j) {
      if ((j & (j - 1u)) == 0u) {
        w[j] = onepass_fourier_twiddle(k * j);
      } else {
        const uint high = j > 8u ? 8u : j > 4u ? 4u : 2u;
        float2 a = w[high];
        float2 c = w[j - high];
        w[j] = float2(a.x * c.x - a.y * c.y, a.x * c.y + a.y * c.x);
      }
      v[o + j] = onepass_times(v[o + j], w[j]);
    }
  }
}

// One pass after the first: `before` is the product of the radices of the passes before, `last` the radix of the one
// just before.
void onepass_fourier_pass(uint lane, uint line, const uint before, const uint last, const uint radix, const uint join) {
  // The transform is linear: lines may be joined before its last pass.
  const bool is_last = before * radix == ONEPASS_FOURIER_LENGTH;
  onepass_fourier_exchange(lane, line, before / last, last, radix, is_last ? join : 0u);
  onepass_fourier_turn(lane, before, radix);
  onepass_dft(radix, onepass_fourier_count(radix));
}

void onepass_fourier(uint lane, uint line, const bool reversed, const uint join) {
  const uint n = ONEPASS_FOURIER_PASSES;
  const uint r0 = ONEPASS_FOURIER_RADIX(reversed ? n - 1u : 0u);
  onepass_dft(r0, onepass_fourier_count(r0));
  const uint r1 = n > 1u ? ONEPASS_FOURIER_RADIX(reversed ? n - 2u : 1u) : 1u;
  if (n > 1u) onepass_fourier_pass(lane, line, r0, r0, r1, join);
  const uint r2 = n > 2u ? ONEPASS_FOURIER_RADIX(reversed ? n - 3u : 2u) : 1u;
  if (n > 2u) onepass_fourier_pass(lane, line, r0 * r1, r1, r2, join);
  const uint r3 = n > 3u ? ONEPASS_FOURIER_RADIX(reversed ? n - 4u : 3u) : 1u;
  if (n > 3u) onepass_fourier_pass(lane, line, r0 * r1 * r2, r2, r3, join);
  const uint r4 = n > 4u ? ONEPASS_FOURIER_RADIX(reversed ? n - 5u : 4u) : 1u;
  if (n > 4u) onepass_fourier_pass(lane, line, r0 * r1 * r2 * r3, r3, r4, join);
#if ONEPASS_FOURIER_SIGNALS == 1
  const uint last = n == 1u ? r0 : n == 2u ? r1 : n == 3u ? r2 : n == 4u ? r3 : r4;
  if (join != 0u && (n == 1u || ONEPASS_FOURIER_SCALAR == 1)) onepass_fourier_join(lane, line, last, join);
#endif
}

#endif  // ONEPASS_FOURIER_GLSL_
