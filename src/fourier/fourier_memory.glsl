// fourier_memory.glsl: memory access of the transform kernels: complex numbers (float or half), the layout of the
// intermediate buffer between two stages, texels of the domain.

#include "fourier/fourier_traffic.glsl"

// ---- Complex numbers in memory

READ_BUFFER(2, float2, in_pairs)
READ_BUFFER(2, float4, in_twos)
READ_BUFFER(2, uint, in_half_pairs)
READ_BUFFER(2, uint2, in_half_twos)
WRITE_BUFFER(3, float2, out_pairs)
WRITE_BUFFER(3, float4, out_twos)
WRITE_BUFFER(3, uint, out_half_pairs)
WRITE_BUFFER(3, uint2, out_half_twos)

#include "vulkan/target_texel.glsl"

// Rounds to the nearest half, ties away from zero, because some devices truncate. The device rounds denormals.
float nearest_half(float value) {
  uint bits = onepass_float_bits(value);
  float rounded = onepass_bits_float((bits + 0x1000u) & ~0x1FFFu);
  return (bits & 0x7F800000u) == 0x7F800000u ? value : rounded;
}

uint half_pair(float2 value) {
  if (PACK_HALF_ROUNDS_TO_NEAREST) return packHalf2x16(value);
  return packHalf2x16(float2(nearest_half(value.x), nearest_half(value.y)));
}

float2 read_pair(uint i) {
  COUNT_READ(HALF ? 4u : 8u);
  if (HALF) return unpackHalf2x16(in_half_pairs[i]);
  return in_pairs[i];
}

float4 read_two(uint i) {
  COUNT_READ(HALF ? 8u : 16u);
  if (HALF) {
    uint2 bits = in_half_twos[i];
    return float4(unpackHalf2x16(bits.x), unpackHalf2x16(bits.y));
  }
  return in_twos[i];
}

void write_pair(uint i, float2 value) {
  COUNT_WRITTEN(HALF ? 4u : 8u);
  if (HALF) {
    out_half_pairs[i] = half_pair(value);
  } else {
    out_pairs[i] = value;
  }
}

void write_two(uint i, float4 value) {
  COUNT_WRITTEN(HALF ? 8u : 16u);
  if (HALF) {
    out_half_twos[i] = uint2(half_pair(value.xy), half_pair(value.zw));
  } else {
    out_twos[i] = value;
  }
}

// Complex numbers per element of the intermediate buffer.
DERIVED uint kSignals = KIND == ONEPASS_FOURIER_CHANNELS ? (CHANNELS + 1u) / 2u : CHANNELS;

DERIVED uint kElementBytes = (HALF ? 4u : 8u) * kSignals;
DERIVED uint kBlockRows = 64u / kElementBytes;

// Index of element (x, row) of the intermediate buffer, kSignals complex numbers. B rows form blocks of 64 bytes per
// column, so that row and column stages both access contiguous memory:
//     ((slice * blocks + row / B) * width + x) * B + row % B
// The row has a variable and a constant part; the latter is cheap if it is a multiple of B.
uint between(uint slice, uint x, uint row, const uint more, uint width, uint rows) {
  const bool whole = more % kBlockRows == 0u;
  if (!whole) row += more;
  uint blocks = (rows + kBlockRows - 1u) / kBlockRows;
  uint element = ((slice * blocks + row / kBlockRows) * width + x) * kBlockRows + row % kBlockRows;
  return whole ? element + more * width : element;
}

// Reads an element; with one signal per value: complex number `signal` of it.
T read_element(uint element, uint signal) {
#if ONEPASS_FOURIER_SIGNALS == 2
  return read_two(element);
#else
  return read_pair(element * kSignals + signal);
#endif
}

void write_element(uint element, uint signal, T value) {
#if ONEPASS_FOURIER_SIGNALS == 2
  write_two(element, value);
#else
  write_pair(element * kSignals + signal, value);
#endif
}

T scaled(T value) { return SCALE != 1.0 ? value * SCALE : value; }

// A float or vector, or 0. By bit mask: loads do not depend on the condition, and NaN is masked as well.
#define ONLY_IF(exists, value) onepass_bits_float(onepass_float_bits(value) & ((exists) ? 0xFFFFFFFFu : 0u))

T none() { return onepass_zero(T); }

// ---- The domain

// The texel of the crop at a position of the domain, along an axis. False: there is none, and `texel` is any texel.
bool crop_texel(uint position, int placement, uint size, uint crop, out uint texel) {
  texel = position;
  if (BOUNDARY == BOUNDARY_NONE) return true;
  int i = int(position) - placement;
  int n = int(BOUNDARY == BOUNDARY_ZERO ? size : BOUNDARY == BOUNDARY_MIRROR ? 2u * crop : crop);
  if (BOUNDARY == BOUNDARY_CLAMP) {
    texel = uint(clamp(i, 0, n - 1));
    return true;
  }
  // i modulo n. The quotient may be off by one period, and so is i with a zero boundary, since |placement| <= size: the
  // conditional expression corrects both.
  if (BOUNDARY != BOUNDARY_ZERO) i -= int(floor(float(i) / float(n))) * n;
  i = i < 0 ? i + n : i >= n ? i - n : i;
  texel = uint(i);
  if (BOUNDARY == BOUNDARY_MIRROR) texel = min(texel, 2u * crop - 1u - texel);
  bool exists = BOUNDARY != BOUNDARY_ZERO || texel < crop;
  texel = min(texel, crop - 1u);
  return exists;
}

uint pair_rows(uint rows) { return (rows + 1u) / 2u; }
