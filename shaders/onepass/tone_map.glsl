// tone_map.glsl: functions that map one texel of linear light to the stored value: exposure, operator, primaries,
// transfer, dithering. For the kernel that maps an image, and for kernels that do more with the same texel.
//
// The host composes operators of curves, matrices and a few mixes of channels (src/tone_map/program.hpp). A curve is a
// table of 128 cubics (256 if fine), indexed by exponent and first mantissa bits. Per channel it costs a load of 16
// bytes and about ten operations, whatever the operator, and no log, exp or pow.
//
// Before including it, define, all of them constants or uniform:
//   ONEPASS_TONE_PROGRAM        a ToneMapProgram
//   ONEPASS_TONE_CUBICS(i)      float4 number i of the cubics of all curves
//   ONEPASS_TONE_MIX            ONEPASS_TONE_NO_MIX, _LUMINANCE or _NEUTRAL
//   ONEPASS_TONE_MATRIX_MASK    bit i: stage i has a matrix
//   ONEPASS_TONE_CURVE_MASK     bit i: stage i has a curve
//   ONEPASS_TONE_ROOT_MASK      bit i: curve i takes the square root
//   ONEPASS_TONE_FOOT_MASK      bit i: curve i is constant up to where its pieces begin
//   ONEPASS_TONE_SHIFTS         bits 5 i to 5 i + 4: right shift from a float's bits to the index of curve i's piece
//   ONEPASS_TONE_CURVE_COUNT    number of curves, at least 1
//   ONEPASS_TONE_FINE           bool: curve 0 has twice as many cubics
//   ONEPASS_TONE_KEEPS_HUE, ONEPASS_TONE_GUARD_RAIL  bool
//   ONEPASS_TONE_OOTF_STAGE     for HLG only: the stage in which display light becomes scene light, before its curve
// tone_map_shader() of onepass/tone_map.hpp gives the values of all of them, for any operator.
// All invocations call onepass_tone_load() and then onepass_group_barrier() before the first onepass_tone_map().

#ifndef ONEPASS_TONE_MAP_GLSL_
#define ONEPASS_TONE_MAP_GLSL_

#include "onepass/prelude.glsl"
#include "onepass/tone_map_params.h"
#include "onepass/prelude_names.glsl"

#if !defined(ONEPASS_TONE_PROGRAM) || !defined(ONEPASS_TONE_CUBICS)
#error "tone_map: define ONEPASS_TONE_PROGRAM, a ToneMapProgram, and ONEPASS_TONE_CUBICS(i), a float4 of its curves."
#endif
#if !defined(ONEPASS_TONE_MIX) || !defined(ONEPASS_TONE_MATRIX_MASK) || !defined(ONEPASS_TONE_CURVE_MASK) ||     \
    !defined(ONEPASS_TONE_ROOT_MASK) || !defined(ONEPASS_TONE_CURVE_COUNT) || !defined(ONEPASS_TONE_FINE) ||     \
    !defined(ONEPASS_TONE_KEEPS_HUE) || !defined(ONEPASS_TONE_GUARD_RAIL) || !defined(ONEPASS_TONE_FOOT_MASK) || \
    !defined(ONEPASS_TONE_SHIFTS)
#error "tone_map: define all of ONEPASS_TONE_MIX, _MATRIX_MASK, _CURVE_MASK, _ROOT_MASK, _FOOT_MASK, _SHIFTS, _CURVE_COUNT, _FINE, _KEEPS_HUE and _GUARD_RAIL, as tone_map_shader() gives them."
#endif

#ifndef ONEPASS_TONE_OOTF_STAGE
#define ONEPASS_TONE_OOTF_STAGE 4u  // none
#endif

#define ONEPASS_TONE_TABLE ((ONEPASS_TONE_CURVE_COUNT + uint(ONEPASS_TONE_FINE)) * ONEPASS_TONE_PIECES)
// Where ONEPASS_TONE_CURVE_COUNT is no constant expression, ONEPASS_TONE_ROOM is the most cubics of any program.
#ifndef ONEPASS_TONE_ROOM
#define ONEPASS_TONE_ROOM ONEPASS_TONE_TABLE
#endif
groupshared float4 s_tone_cubics[ONEPASS_TONE_ROOM];

/// Copies the curves to shared memory; invocation `lane` of `lanes` copies its share.
void onepass_tone_load(uint lane, uint lanes) {
  ONEPASS_CONST uint count = ONEPASS_TONE_TABLE;
  for (uint first = 0u; first < count; first += lanes) {
    uint i = first + lane;
    if (i < count) s_tone_cubics[i] = ONEPASS_TONE_CUBICS(i);
  }
}

/// The value of curve `slot` at x >= 0. Shift, foot and root of a curve are constants: about ten operations remain.
float onepass_tone_curve(uint slot, float x) {
  float4 shape = ONEPASS_TONE_PROGRAM.curves[slot];
  bool root = (ONEPASS_TONE_ROOT_MASK >> slot & 1u) != 0u;
  bool foot = (ONEPASS_TONE_FOOT_MASK >> slot & 1u) != 0u;
  uint shift = ONEPASS_TONE_SHIFTS >> (5u * slot) & 31u;
  float s = min(x, shape.x);
  if (foot) s = max(s, shape.w);
  if (root) s = sqrt(s);
  uint bits = onepass_float_bits(s * shape.y + (foot ? 0.0 : 1.0));
  uint piece = (bits >> shift) - (0x3F800000u >> shift);
  float m = onepass_bits_float((bits & 0x7FFFFFu) | 0x3F800000u);
  bool fine = ONEPASS_TONE_FINE && slot == 0u;
  uint begin = (slot + (ONEPASS_TONE_FINE && slot != 0u ? 1u : 0u)) * ONEPASS_TONE_PIECES;
  // An inexact square root must not give an index beyond the table.
  if (root) piece = min(piece, (fine ? 2u : 1u) * ONEPASS_TONE_PIECES - 1u);
  float4 c = s_tone_cubics[begin + piece];
  return ((c.w * m + c.z) * m + c.y) * m + c.x;
}

float3 onepass_tone_curve3(uint slot, float3 c) {
  return float3(onepass_tone_curve(slot, c.r), onepass_tone_curve(slot, c.g), onepass_tone_curve(slot, c.b));
}

float onepass_tone_largest(float3 c) { return max(max(c.r, c.g), c.b); }
float onepass_tone_smallest(float3 c) { return min(min(c.r, c.g), c.b); }

bool onepass_tone_has_ootf() { return ONEPASS_TONE_OOTF_STAGE < uint(ONEPASS_TONE_STAGES); }

/// The slot of the curve of luminance or of the guard rail: behind those of the stages, before that of the OOTF.
uint onepass_tone_extra_slot() { return ONEPASS_TONE_CURVE_COUNT - (onepass_tone_has_ootf() ? 2u : 1u); }

/// Khronos PBR Neutral. The peak is taken after the offset is subtracted.
float3 onepass_tone_neutral(float3 c) {
  const float start = 0.76;
  float least = onepass_tone_smallest(c);
  float offset = least < 0.08 ? least - 6.25 * least * least : 0.04;
  c -= offset;
  float peak = onepass_tone_largest(c);
  if (peak < start) return c;
  float pressed = 1.0 - 0.0576 / (peak - 0.52);
  float left = 1.0 / (0.15 * (peak - pressed) + 1.0);
  return float3(pressed, pressed, pressed) + (c * (pressed / peak) - pressed) * left;
}

/// Moves the hue of `after` by a share of the way back to that of `before`. Curves keep the order of channels, so only
/// the middle channel changes.
float3 onepass_tone_keep_hue(float3 before, float3 after) {
  float from = onepass_tone_smallest(before);
  float to = onepass_tone_smallest(after);
  float range = max(onepass_tone_largest(before) - from, 1e-30);  // greys: 0 / 1e-30
  float stretch = ONEPASS_TONE_HUE_BEFORE * (onepass_tone_largest(after) - to) / range;
  return ONEPASS_TONE_HUE_AFTER * after + (before * stretch + (ONEPASS_TONE_HUE_BEFORE * to - from * stretch));
}

/// Luminance plus a share of the saturation, which is larger for dark colours.
float onepass_tone_compensated(float luminance, float saturation) {
  float share = onepass_tone_curve(onepass_tone_extra_slot(), max(luminance, 0.0));
  float with = saturation + luminance;
  return with + share * (luminance - with);
}

/// Moves colours with a negative channel into the gamut: adds white until none is negative, then scales so that the
/// compensated luminance does not increase.
float3 onepass_tone_guard(float3 c) {
  float4 rail = ONEPASS_TONE_PROGRAM.rail;
  float least = onepass_tone_smallest(c);
  float most = onepass_tone_largest(c);
  if (least >= 0.0) return c;
  float y = dot(c, rail.xyz);
  float saturation = (most - least) - (most * rail.w - y);
  float wanted = onepass_tone_compensated(y, saturation);
  float got = onepass_tone_compensated(y - least * rail.w, saturation);
  float scale = got > wanted ? wanted / max(got, 1e-30) : 1.0;
  return (c - least) * scale;
}

/// Applies the mix and the stages: exposed light, 0 to 65504, to the stored value before rounding.
float3 onepass_tone_light(float3 c) {
  if (ONEPASS_TONE_MIX == ONEPASS_TONE_LUMINANCE) {
    c *= onepass_tone_curve(onepass_tone_extra_slot(), dot(c, float3(0.2126, 0.7152, 0.0722)));
  }
  if (ONEPASS_TONE_MIX == ONEPASS_TONE_NEUTRAL) c = onepass_tone_neutral(c);
  uint slot = 0u;
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_TONE_STAGES; ++i) {
    float4 r = ONEPASS_TONE_PROGRAM.matrices[3u * i];
    if ((ONEPASS_TONE_MATRIX_MASK >> i & 1u) != 0u) {
      c = float3(dot(r.xyz, c), dot(ONEPASS_TONE_PROGRAM.matrices[3u * i + 1u].xyz, c),
                 dot(ONEPASS_TONE_PROGRAM.matrices[3u * i + 2u].xyz, c));
      if (i == 1u && ONEPASS_TONE_GUARD_RAIL) c = onepass_tone_guard(c);
      c = max(c, float3(0.0, 0.0, 0.0));
      // In other cases the stage's curve clips at its own top, which is not higher.
      if ((ONEPASS_TONE_CURVE_MASK >> i & 1u) == 0u || (i == 0u && ONEPASS_TONE_KEEPS_HUE)) c = min(c, r.www);
    }
    if (onepass_tone_has_ootf() && i == ONEPASS_TONE_OOTF_STAGE) {
      c = min(max(c, float3(0.0, 0.0, 0.0)), r.www);
      c *= onepass_tone_curve(ONEPASS_TONE_CURVE_COUNT - 1u, dot(c, ONEPASS_TONE_PROGRAM.ootf.xyz));
    }
    if ((ONEPASS_TONE_CURVE_MASK >> i & 1u) != 0u) {
      float3 before = c;
      // Exposed light and values clipped after a matrix are not negative; a curve's values may be, by rounding.
      if (i > 0u && (ONEPASS_TONE_MATRIX_MASK >> i & 1u) == 0u) c = max(c, float3(0.0, 0.0, 0.0));
      c = onepass_tone_curve3(slot, c);
      if (i == 0u && ONEPASS_TONE_KEEPS_HUE) c = onepass_tone_keep_hue(before, c);
      ++slot;
    }
  }
  return max(c, float3(0.0, 0.0, 0.0));
}

/// An exposure from a buffer: one that is not finite and above 0, as before a meter's first image, counts as 1.
float onepass_tone_usable_exposure(float exposure) {
  return exposure > 0.0 && exposure <= 3.402823466e38 ? exposure : 1.0;
}

/// Whether the first step is a curve, which clips at a limit of its own.
bool onepass_tone_curve_is_first() {
  if (ONEPASS_TONE_MIX != ONEPASS_TONE_NO_MIX) return false;
  if ((ONEPASS_TONE_MATRIX_MASK & 1u) != 0u) return false;
  if (ONEPASS_TONE_KEEPS_HUE) return false;
  return (ONEPASS_TONE_CURVE_MASK & 1u) != 0u;
}

/// Exposes light. NaN and negative light become 0. Light is limited to 65504, the largest half, or by the first curve.
float onepass_tone_exposed(float light, float exposure) {
  float exposed = light * exposure;
  exposed = exposed > 0.0 ? exposed : 0.0;
  return onepass_tone_curve_is_first() ? exposed : min(exposed, 65504.0);
}

/// Dithering noise of less than half a quantisation step, a function of the position; see docs/tone_map.md.
float onepass_tone_noise(uint2 position) {
  uint phase = position.x * 0xC13FA9A9u + position.y * 0x91E10DA5u;
  float unit = float(phase >> 8u) * (1.0 / 8388608.0);
  return (0.5 - abs(unit - 1.0)) * 0.999969482421875;
}

/// Maps a texel of linear light to the stored value, before rounding. Alpha is unchanged, except that NaN becomes 0.
float4 onepass_tone_map(float4 texel, float exposure) {
  float3 light = float3(onepass_tone_exposed(texel.r, exposure), onepass_tone_exposed(texel.g, exposure),
                        onepass_tone_exposed(texel.b, exposure));
  uint alpha_bits = onepass_float_bits(texel.a);
  float alpha = (alpha_bits & 0x7FFFFFFFu) > 0x7F800000u ? 0.0 : texel.a;
  return float4(onepass_tone_light(light), alpha);
}

/// Rounds to the nearest values of a UNORM target: a device's own stores may be off by a tenth of a quantisation step.
float4 onepass_tone_codes(float4 stored) {
  float4 unit = ONEPASS_TONE_PROGRAM.unit;
  const float whole = 12582912.0;  // 1.5 * 2^23: adding it rounds to integers; floor() takes longer
  float4 shifted = clamp(stored, 0.0, 1.0) * unit.xxxy + whole;
  precise float4 codes = shifted - whole;
  return codes * unit.zzzw;
}

/// Rounds to values of a UNORM target, up or down depending on the position.
float3 onepass_tone_dither(float3 stored, uint2 position) {
  float4 unit = ONEPASS_TONE_PROGRAM.unit;
  float noise = onepass_tone_noise(position) * (1.0 - unit.x * (1.0 / 2097152.0));
  float3 values = min(stored, float3(1.0, 1.0, 1.0)) * unit.x;
  // Noise is added to the difference from the nearest quantised value: beside a large value it would be rounded.
  precise float3 nearest = floor(values + 0.5);
  precise float3 rest = values - nearest;
  float3 codes = nearest + floor(rest + (noise + 0.5));
  return clamp(codes, float3(0.0, 0.0, 0.0), unit.xxx) * unit.z;
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_TONE_MAP_GLSL_
