// fourier.glsl: discrete Fourier transforms of whole lines, each in the registers of a few invocations.
//
// A workgroup transforms LINES lines of LENGTH values; LANES invocations share a line and hold up to 16 values each.
// Stockham's algorithm: pass p loads the values b, b + N/R, b + 2N/R ... (butterfly b of N/R, radix R), multiplies them
// by twiddle factors, transforms them in registers and stores the results through shared memory in the order of the
// next pass. The last pass leaves result k = b + j N/R. Values cross shared memory one float at a time: the less shared
// memory a workgroup needs, the more workgroups are resident, and some compute while others wait at a barrier. Few
// lines, which are all resident, take less time with whole values and a fraction of the barriers.
//
//     LENGTH 8 = 2 * 4, LANES 2, lane 0:     v = x[0 4 . .]  and  x[2 6]    two butterflies of radix 2
//                                  exchange  v = y[0 2 4 6]                 one butterfly of radix 4
//                                  result    v = X[0 2 4 6]                 k = b + 2 j
//
// Define before including (constants may be specialization constants):
//     ONEPASS_FOURIER_SIGNALS       1: values are float2, (re, im). 2: float4, the values of two signals
//     ONEPASS_FOURIER_LENGTH        N, the product of the radices
//     ONEPASS_FOURIER_LANES         invocations per line; LANES * floor(16 / R) >= N / R for every radix R
//     ONEPASS_FOURIER_LINES         lines per workgroup
//     ONEPASS_FOURIER_PASSES        1 to 5
//     ONEPASS_FOURIER_RADIX(p)      radix of pass p: 1 to 10, 12, 14, 15 or 16
//     ONEPASS_FOURIER_PAD           true: leave a gap after every 16 values (lengths with many factors of 2)
//     ONEPASS_FOURIER_SHARED        floats of shared memory: N * LINES, with PAD (N + N/16) * LINES
//     ONEPASS_FOURIER_WHOLE_VALUES  (optional) true: whole values cross shared memory, 2 * SIGNALS * SHARED floats, and
//                                   all twiddle factors are read before the first pass
//     float2 onepass_fourier_twiddle(uint k)    exp(-2 pi i k / N)
// then call, in all invocations of a workgroup, with arguments that differ in lane and line only:
//     onepass_fourier(lane, line, false)   transforms v: before, value j of butterfly b is x[b + j N/R], first radix R
//     onepass_fourier(lane, line, true)    the same with reversed radices: its input is laid out as the other's output
// Butterfly b = lane + m LANES < N / R occupies v[m R], v[m R + 1], ...
// Source: C. Van Loan, "Computational Frameworks for the Fast Fourier Transform", 1992, 1.7.
#ifndef ONEPASS_FOURIER_GLSL_
#define ONEPASS_FOURIER_GLSL_

#if !defined(ONEPASS_FOURIER_SIGNALS) || ONEPASS_FOURIER_SIGNALS < 1 || ONEPASS_FOURIER_SIGNALS > 2
#error "fourier: define ONEPASS_FOURIER_SIGNALS: 1, values are float2, or 2, values are float4."
#endif
#if !defined(ONEPASS_FOURIER_LENGTH) || !defined(ONEPASS_FOURIER_LANES) || !defined(ONEPASS_FOURIER_LINES)
#error "fourier: define ONEPASS_FOURIER_LENGTH, ONEPASS_FOURIER_LANES and ONEPASS_FOURIER_LINES."
#endif
#if !defined(ONEPASS_FOURIER_PASSES) || !defined(ONEPASS_FOURIER_PAD) || !defined(ONEPASS_FOURIER_SHARED)
#error "fourier: define ONEPASS_FOURIER_PASSES and ONEPASS_FOURIER_RADIX(p), ONEPASS_FOURIER_PAD and ONEPASS_FOURIER_SHARED."
#endif

#include "onepass/prelude.glsl"
#include "onepass/prelude_names.glsl"

#if ONEPASS_FOURIER_SIGNALS == 2
#define ONEPASS_FOURIER_T onepass_float4
#else
#define ONEPASS_FOURIER_T onepass_float2
#endif
#include "onepass/fourier_dft.glsl"
#include "onepass/prelude_names.glsl"

#ifdef ONEPASS_FOURIER_WHOLE_VALUES
#define ONEPASS_FOURIER_AHEAD 1
#else
#define ONEPASS_FOURIER_AHEAD 0
#define ONEPASS_FOURIER_WHOLE_VALUES false
#endif
#define ONEPASS_FOURIER_TOGETHER (ONEPASS_FOURIER_WHOLE_VALUES ? 2 * ONEPASS_FOURIER_SIGNALS : 1)

groupshared float s_exchange[ONEPASS_FOURIER_SHARED * ONEPASS_FOURIER_TOGETHER];

/// Butterflies per invocation in a pass of this radix.
uint onepass_fourier_count(const uint radix) {
  uint butterflies = ONEPASS_FOURIER_LENGTH / radix;
  return (butterflies + ONEPASS_FOURIER_LANES - 1u) / ONEPASS_FOURIER_LANES;
}

/// True if butterfly b exists.
bool onepass_fourier_has(const uint radix, uint b) {
  uint butterflies = ONEPASS_FOURIER_LENGTH / radix;
  return butterflies % ONEPASS_FOURIER_LANES == 0u || b < butterflies;
}

/// Index of butterfly m of an invocation, clamped to the last butterfly.
uint onepass_fourier_butterfly(uint lane, const uint m, const uint radix) {
  uint b = lane + m * ONEPASS_FOURIER_LANES;
  uint butterflies = ONEPASS_FOURIER_LENGTH / radix;
  return butterflies % ONEPASS_FOURIER_LANES == 0u ? b : min(b, butterflies - 1u);
}

/// Index in shared memory of a value of a line.
uint onepass_fourier_slot(uint index, uint line) {
  uint padded = ONEPASS_FOURIER_PAD ? index + (index >> 4u) : index;
  return padded * ONEPASS_FOURIER_LINES + line;
}

/// Increment of an index in shared memory for a distance in the line. With PAD the sum must not carry out of the lower
/// four bits: the host pads only lengths for which that holds.
uint onepass_fourier_step(const uint distance) {
  return (ONEPASS_FOURIER_PAD ? distance + (distance >> 4u) : distance) * ONEPASS_FOURIER_LINES;
}

// From results of a pass of radix `from` to butterflies of the next, of radix `to`; `before` is the product of the
// radices before `from`.
void onepass_fourier_exchange(uint lane, uint line, const uint before, const uint from, const uint to) {
  const uint together = uint(ONEPASS_FOURIER_TOGETHER);  // floats of a value
  ONEPASS_UNROLL for (uint first = 0u; first < 2u * ONEPASS_FOURIER_SIGNALS; first += together) {
    onepass_group_barrier();  // the previous contents have been read
    ONEPASS_UNROLL for (uint m = 0u; m < onepass_fourier_count(from); ++m) {
      uint b = lane + m * ONEPASS_FOURIER_LANES;
      if (onepass_fourier_has(from, b)) {
        uint slot = onepass_fourier_slot(b / before * before * from + b % before, line);
        ONEPASS_UNROLL for (uint part = 0u; part < together; ++part) {
          ONEPASS_UNROLL for (uint j = 0u; j < from; ++j) {
            const uint step = part * ONEPASS_FOURIER_SHARED + onepass_fourier_step(j * before);
            s_exchange[slot + step] = v[m * from + j][first + part];
          }
        }
      }
    }
    onepass_group_barrier();  // the whole line is stored
    // Invocations without a butterfly read, too: NVIDIA's compiler lost values where some did not.
    ONEPASS_UNROLL for (uint m = 0u; m < onepass_fourier_count(to); ++m) {
      uint slot = onepass_fourier_slot(onepass_fourier_butterfly(lane, m, to), line);
      ONEPASS_UNROLL for (uint part = 0u; part < together; ++part) {
        ONEPASS_UNROLL for (uint j = 0u; j < to; ++j) {
          const uint step = part * ONEPASS_FOURIER_SHARED + onepass_fourier_step(j * (ONEPASS_FOURIER_LENGTH / to));
          v[m * to + j][first + part] = s_exchange[slot + step];
        }
      }
    }
  }
}

// w^j, a twiddle factor of butterfly `lane` + m LANES, w = exp(-2 pi i (b mod before) / (before radix)). j is 1, 2, 4
// or 8.
float2 onepass_fourier_factor(uint lane, const uint m, const uint before, const uint radix, const uint j) {
  const uint stride = ONEPASS_FOURIER_LENGTH / (before * radix);
  return onepass_fourier_twiddle((lane + m * ONEPASS_FOURIER_LANES) % before * stride * j);
}

#if ONEPASS_FOURIER_AHEAD
// The factors of all passes but the first, which has none: those of pass p begin at 16 (p - 1).
ONEPASS_PRIVATE float2 onepass_fourier_factors[64];

uint onepass_fourier_powers(const uint radix) { return radix > 8u ? 4u : radix > 4u ? 3u : radix > 2u ? 2u : 1u; }

void onepass_fourier_look_up(uint lane, const uint before, const uint radix, const uint begin) {
  const uint powers = onepass_fourier_powers(radix);
  ONEPASS_UNROLL for (uint m = 0u; m < onepass_fourier_count(radix); ++m) {
    ONEPASS_UNROLL for (uint i = 0u; i < powers; ++i) {
      onepass_fourier_factors[begin + m * powers + i] = onepass_fourier_factor(lane, m, before, radix, 1u << i);
    }
  }
}
#endif

// Multiplies value j of a butterfly by w^j. Powers 1, 2, 4 and 8 are looked up, or have been; the others are products
// of at most four of them.
void onepass_fourier_twiddle_multiply(uint lane, const uint before, const uint radix, const uint begin) {
  ONEPASS_UNROLL for (uint m = 0u; m < onepass_fourier_count(radix); ++m) {
    uint o = m * radix;
    float2 w[ONEPASS_FOURIER_MOST];
    ONEPASS_UNROLL for (uint j = 1u; j < radix; ++j) {
      if ((j & (j - 1u)) == 0u) {
#if ONEPASS_FOURIER_AHEAD
        if (ONEPASS_FOURIER_WHOLE_VALUES) {
          const uint power = j > 4u ? 3u : j > 2u ? 2u : j > 1u ? 1u : 0u;
          w[j] = onepass_fourier_factors[begin + m * onepass_fourier_powers(radix) + power];
        } else {
          w[j] = onepass_fourier_factor(lane, m, before, radix, j);
        }
#else
        w[j] = onepass_fourier_factor(lane, m, before, radix, j);
#endif
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

// A pass after the first: `before` is the product of all earlier radices, `last` the radix of the pass before it.
void onepass_fourier_pass(uint lane, uint line, const uint before, const uint last, const uint radix,
                          const uint begin) {
  onepass_fourier_exchange(lane, line, before / last, last, radix);
  onepass_fourier_twiddle_multiply(lane, before, radix, begin);
  onepass_dft(radix, onepass_fourier_count(radix));
}

void onepass_fourier(uint lane, uint line, const bool reversed) {
  const uint n = ONEPASS_FOURIER_PASSES;
  const uint r0 = ONEPASS_FOURIER_RADIX(reversed ? n - 1u : 0u);
  const uint r1 = n > 1u ? ONEPASS_FOURIER_RADIX(reversed ? n - 2u : 1u) : 1u;
  const uint r2 = n > 2u ? ONEPASS_FOURIER_RADIX(reversed ? n - 3u : 2u) : 1u;
  const uint r3 = n > 3u ? ONEPASS_FOURIER_RADIX(reversed ? n - 4u : 3u) : 1u;
  const uint r4 = n > 4u ? ONEPASS_FOURIER_RADIX(reversed ? n - 5u : 4u) : 1u;
#if ONEPASS_FOURIER_AHEAD
  // Few lines wait for memory more than for registers: all factors are read while the values arrive.
  if (ONEPASS_FOURIER_WHOLE_VALUES) {
    if (n > 1u) onepass_fourier_look_up(lane, r0, r1, 0u);
    if (n > 2u) onepass_fourier_look_up(lane, r0 * r1, r2, 16u);
    if (n > 3u) onepass_fourier_look_up(lane, r0 * r1 * r2, r3, 32u);
    if (n > 4u) onepass_fourier_look_up(lane, r0 * r1 * r2 * r3, r4, 48u);
  }
#endif
  onepass_dft(r0, onepass_fourier_count(r0));
  if (n > 1u) onepass_fourier_pass(lane, line, r0, r0, r1, 0u);
  if (n > 2u) onepass_fourier_pass(lane, line, r0 * r1, r1, r2, 16u);
  if (n > 3u) onepass_fourier_pass(lane, line, r0 * r1 * r2, r2, r3, 32u);
  if (n > 4u) onepass_fourier_pass(lane, line, r0 * r1 * r2 * r3, r3, r4, 48u);
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_FOURIER_GLSL_
