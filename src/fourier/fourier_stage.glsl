// fourier_stage.glsl: where the values of a line come from and where the results go, for each of the stages of a transform.
//
// STAGE, a macro:
//     1 rows forward      image -> lines between       a line is a row of the crop (one channel: two rows)
//     2 columns forward   lines between -> spectrum    a line is column kx of a signal (of real ones: kx <= W/2)
//     3 columns inverse   spectrum -> lines between
//     4 rows inverse      lines between -> image
//     5 columns there and back, with an operation on the spectrum: 2 and 3, the spectrum never stored
//
// Between the stages lie whole columns: element ((slice * W + x) * rows + row), `rows` existing ones, of kSignals complex
// numbers. Real channels lie there as z = red + i green and blue + i alpha. Their column kx takes two lines, a = z(kx) and
// b = conj z(W - kx):  red = (a + b) / 2,  green = -i (a - b) / 2,  before or after the transform, which is linear. Back,
// a = red + i green and b = red - i green. One channel enters as two rows, r and r + ceil(rows / 2), and leaves as half
// spectra of rows, ((slice * (W/2+1) + kx) * rows + row).
//
// The values of a line are float2. Stages of rows can have float4, both signals of a texel, so that images are read and
// written once.

#define ROWS_FORWARD 1
#define COLUMNS_FORWARD 2
#define COLUMNS_INVERSE 3
#define ROWS_INVERSE 4
#define COLUMNS_BOTH 5

#define T ONEPASS_FOURIER_T

// ---- Traffic

// COUNT_TRAFFIC: what invocations ask of memory is added up, for the test that holds the plan's figures against it.
#if COUNT_TRAFFIC
layout(binding = 7) buffer Counts { uint counts[]; };
#define COUNT_READ(bytes) atomicAdd(counts[0], bytes)
#define COUNT_WRITTEN(bytes) atomicAdd(counts[1], bytes)
#else
#define COUNT_READ(bytes)
#define COUNT_WRITTEN(bytes)
#endif

// ---- Complex numbers in memory

layout(binding = 2) readonly buffer In1 { float2 in_pairs[]; };
layout(binding = 2) readonly buffer In2 { float4 in_twos[]; };
layout(binding = 2) readonly buffer InHalf1 { uint in_half_pairs[]; };
layout(binding = 2) readonly buffer InHalf2 { uint2 in_half_twos[]; };
layout(binding = 3) writeonly buffer Out1 { float2 out_pairs[]; };
layout(binding = 3) writeonly buffer Out2 { float4 out_twos[]; };
layout(binding = 3) writeonly buffer OutHalf1 { uint out_half_pairs[]; };
layout(binding = 3) writeonly buffer OutHalf2 { uint2 out_half_twos[]; };

#include "vulkan/target_texel.glsl"

// To the nearest half, because some devices cut off; ties away from zero, denormals as the device does them.
float nearest_half(float value) {
  uint bits = onepass_float_bits(value);
  float rounded = onepass_bits_float((bits + 0x1000u) & ~0x1FFFu);
  return (bits & 0x7F800000u) == 0x7F800000u ? value : rounded;
}

uint half_pair(float2 value) { return packHalf2x16(float2(nearest_half(value.x), nearest_half(value.y))); }

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

// Complex numbers of an element between the stages.
const uint kSignals = KIND == ONEPASS_FOURIER_CHANNELS ? (CHANNELS + 1u) / 2u : CHANNELS;

T none() {
#if ONEPASS_FOURIER_SIGNALS == 2
  return float4(0.0, 0.0, 0.0, 0.0);
#else
  return float2(0.0, 0.0);
#endif
}

// ---- The domain

// The texel of the crop that stands at a position of the domain; false: none does.
bool crop_texel(uint position, int placement, uint size, uint crop, out uint texel) {
  texel = position;
  if (BOUNDARY == BOUNDARY_NONE) return true;
  int i = int(position) - placement;
  int n = int(BOUNDARY == BOUNDARY_ZERO ? size : BOUNDARY == BOUNDARY_MIRROR ? 2u * crop : crop);
  if (BOUNDARY == BOUNDARY_CLAMP) {
    texel = uint(clamp(i, 0, n - 1));
    return true;
  }
  i -= int(floor(float(i) / float(n))) * n;  // good to one period, which the next line mends
  i = i < 0 ? i + n : i >= n ? i - n : i;
  texel = uint(i);
  if (BOUNDARY == BOUNDARY_MIRROR) texel = min(texel, 2u * crop - 1u - texel);
  return BOUNDARY != BOUNDARY_ZERO || texel < crop;
}

uint pair_rows(uint rows) { return (rows + 1u) / 2u; }

// ---- Rows forward

#if STAGE == ROWS_FORWARD
#if SOURCE_BUFFER
layout(binding = 0) readonly buffer Source1 { float source_1[]; };
layout(binding = 0) readonly buffer Source2 { float2 source_2[]; };
layout(binding = 0) readonly buffer Source4 { float4 source_4[]; };
layout(binding = 0) readonly buffer SourceHalf2 { uint source_half_2[]; };
layout(binding = 0) readonly buffer SourceHalf4 { uint2 source_half_4[]; };

uint source_index(uint2 texel, uint slice) {
  return slice * pc.image_stride + (pc.crop_at.y + texel.y) * pc.row_stride + pc.crop_at.x + texel.x;
}

float4 source_texel(uint2 texel, uint slice) {
  uint i = source_index(texel, slice);
  if (SOURCE_CHANNELS == 1u) return float4(source_1[i], 0.0, 0.0, 1.0);
  if (SOURCE_CHANNELS == 2u) return float4(SOURCE_HALF ? unpackHalf2x16(source_half_2[i]) : source_2[i], 0.0, 1.0);
  if (SOURCE_HALF) return float4(unpackHalf2x16(source_half_4[i].x), unpackHalf2x16(source_half_4[i].y));
  return source_4[i];
}

// Channels 2 part and 2 part + 1 of a texel.
float2 source_part(uint2 texel, uint slice, uint part) {
  uint i = source_index(texel, slice);
  if (SOURCE_CHANNELS == 1u) return float2(source_1[i], 0.0);
  i = SOURCE_CHANNELS == 4u ? 2u * i + part : i;
  return SOURCE_HALF ? unpackHalf2x16(source_half_2[i]) : source_2[i];
}
#else
layout(binding = 0) uniform sampler2DArray source;

float4 source_texel(uint2 texel, uint slice) {
  COUNT_READ(TEXEL_BYTES);
  return texelFetch(source, int3(int2(pc.crop_at + texel), int(slice)), 0);
}

float2 source_part(uint2 texel, uint slice, uint part) {
  float4 all = source_texel(texel, slice);
  return part == 0u ? all.rg : all.ba;
}
#endif

uint rows_between() { return KIND == ONEPASS_FOURIER_ROWS ? pair_rows(pc.crop_size.y) : pc.crop_size.y; }

#if ONEPASS_FOURIER_SIGNALS == 2
T load(uint line, uint slice, uint position) {
  uint x;
  if (!crop_texel(position, pc.placement.x, pc.size.x, pc.crop_size.x, x)) return none();
  float4 texel = source_texel(uint2(x, line), slice);
  return KIND == ONEPASS_FOURIER_CHANNELS && CHANNELS == 3u ? float4(texel.rgb, 0.0) : texel;
}

void store(uint line, uint slice, uint k, T value) {
  write_two((slice * pc.size.x + k) * rows_between() + line, value * pc.scale);
}
#else
T load(uint line, uint slice, uint position) {
  uint x;
  if (!crop_texel(position, pc.placement.x, pc.size.x, pc.crop_size.x, x)) return none();
  uint row = line / kSignals;
  if (KIND == ONEPASS_FOURIER_ROWS) {
    uint other = row + rows_between();
    float second = 0.0;
    if (other < pc.crop_size.y) second = source_texel(uint2(x, other), slice).r;
    return float2(source_texel(uint2(x, row), slice).r, second);
  }
  uint part = line % kSignals;
  float2 value = source_part(uint2(x, row), slice, part);
  if (part == 1u && KIND == ONEPASS_FOURIER_CHANNELS && CHANNELS == 3u) value.y = 0.0;
  return value;
}

void store(uint line, uint slice, uint k, T value) {
  uint element = (slice * pc.size.x + k) * rows_between() + line / kSignals;
  write_pair(element * kSignals + line % kSignals, value * pc.scale);
}
#endif
#endif

// ---- Columns

#if STAGE == COLUMNS_FORWARD || STAGE == COLUMNS_INVERSE || STAGE == COLUMNS_BOTH
// Lines of a column: of real channels two for each complex number between, of complex signals the signals.
const uint kLinesOfColumn = KIND == ONEPASS_FOURIER_CHANNELS ? 2u * kSignals : kSignals;

// The pair between that line `member` of column q begins with; real channels: line 2 s of column q and line 2 s + 1 of
// column W - q have complex number s.
uint pair_between(uint slice, uint q, uint member, uint rows, uint row) {
  bool real = KIND == ONEPASS_FOURIER_CHANNELS;
  uint x = real && member % 2u == 1u && q != 0u ? pc.size.x - q : q;
  return ((slice * pc.size.x + x) * rows + row) * kSignals + (real ? member / 2u : member);
}

uint spectrum_element(uint slice, uint kx, uint ky) {
  uint x = kx + pc.shift.x;
  uint y = ky + pc.shift.y;
  x = x >= pc.size.x ? x - pc.size.x : x;
  y = y >= pc.size.y ? y - pc.size.y : y;
  return slice * pc.slice_stride + x * pc.stride.x + y * pc.stride.y;
}

// A real signal's columns 0 and W/2 are mirrored onto themselves.
bool self_mirrored(uint q) { return q == 0u || 2u * q == pc.size.x; }
#endif

#if STAGE == COLUMNS_FORWARD || STAGE == COLUMNS_BOTH
T load(uint line, uint slice, uint position) {
  uint row;
  if (!crop_texel(position, pc.placement.y, pc.size.y, pc.crop_size.y, row)) return none();
  uint q = line / kLinesOfColumn;
  uint member = line % kLinesOfColumn;
  if (KIND == ONEPASS_FOURIER_ROWS) {
    uint rows = pair_rows(pc.crop_size.y);
    bool second = row >= rows;
    row = second ? row - rows : row;
    uint mirror = q == 0u ? 0u : pc.size.x - q;
    float2 z = read_pair((slice * pc.size.x + q) * rows + row);
    float2 m = read_pair((slice * pc.size.x + mirror) * rows + row);
    return second ? float2(z.y + m.y, m.x - z.x) : float2(z.x + m.x, z.y - m.y);
  }
  uint rows = pc.crop_size.y;
  float2 value = read_pair(pair_between(slice, q, member, rows, row));
  if (KIND == ONEPASS_FOURIER_COMPLEX) return value;
  if (member % 2u == 1u) value.y = -value.y;
#if PING_PONG
  if (JOIN) {
    float2 other = read_pair(pair_between(slice, q, member ^ 1u, rows, row));
    if (member % 2u == 0u) return float2(value.x + other.x, value.y - other.y);
    return onepass_turned(other - value);
  }
#endif
  return value;
}
#endif

#if STAGE == COLUMNS_FORWARD
void store(uint line, uint slice, uint k, T value) {
  uint member = line % kLinesOfColumn;
  if (member < CHANNELS) {
    write_pair(spectrum_element(slice, line / kLinesOfColumn, k) * CHANNELS + member, value * pc.scale);
  }
}
#endif

#if STAGE == COLUMNS_INVERSE
float2 spectrum_value(uint slice, uint q, uint ky, uint member) {
  if (member >= CHANNELS) return float2(0.0, 0.0);
  return read_pair(spectrum_element(slice, q, ky) * CHANNELS + member);
}

// Of a column that a real signal's spectrum mirrors onto itself: what is not Hermitian in it does not belong to the signal.
// Values have re and im exchanged.
float2 hermitian_part(uint line, uint slice, uint ky, float2 value) {
  uint mirror = ky == 0u ? 0u : pc.size.y - ky;
  if (ky >= pc.size.y) return value;
  float2 other = spectrum_value(slice, line / kLinesOfColumn, mirror, line % kLinesOfColumn);
  return 0.5 * float2(value.x - other.y, value.y + other.x);
}

float2 load_one(uint slice, uint q, uint ky, uint member) {
  float2 value = onepass_swapped(spectrum_value(slice, q, ky, member));
#if PING_PONG || BLUESTEIN
  if (KIND == ONEPASS_FOURIER_CHANNELS && self_mirrored(q)) {
    return hermitian_part(q * kLinesOfColumn + member, slice, ky, value);
  }
#endif
  return value;
}

T load(uint line, uint slice, uint position) {
  uint q = line / kLinesOfColumn;
  uint member = line % kLinesOfColumn;
  float2 value = load_one(slice, q, position, member);
#if PING_PONG
  if (KIND == ONEPASS_FOURIER_CHANNELS) {
    float2 other = load_one(slice, q, position, member ^ 1u);
    return member % 2u == 0u ? value + onepass_turned(other) : other - onepass_turned(value);
  }
#endif
  return value;
}
#endif

#if STAGE == COLUMNS_INVERSE || STAGE == COLUMNS_BOTH
void store_back(uint line, uint slice, uint k, T value) {
  uint row = k - pc.result_at.y;  // wraps around before the first
  if (row >= pc.result_size.y) return;
  uint q = line / kLinesOfColumn;
  uint member = line % kLinesOfColumn;
  uint rows = pc.result_size.y;
  value = onepass_swapped(value) * pc.scale;
  if (KIND == ONEPASS_FOURIER_ROWS) {
    write_pair((slice * (pc.size.x / 2u + 1u) + q) * rows + row, value);
    return;
  }
  if (KIND == ONEPASS_FOURIER_CHANNELS && member % 2u == 1u) {
    if (self_mirrored(q)) return;
    value.y = -value.y;
  }
  write_pair(pair_between(slice, q, member, rows, row), value);
}
#endif

// ---- Rows inverse

#if STAGE == ROWS_INVERSE
#if TARGET_BUFFER
layout(binding = 1) writeonly buffer Target1 { float target_1[]; };
layout(binding = 1) writeonly buffer Target2 { float2 target_2[]; };
layout(binding = 1) writeonly buffer Target4 { float4 target_4[]; };
layout(binding = 1) writeonly buffer TargetHalf2 { uint target_half_2[]; };
layout(binding = 1) writeonly buffer TargetHalf4 { uint2 target_half_4[]; };

void store_texel(uint2 texel, uint slice, float4 value) {
  uint i = slice * pc.image_stride + texel.y * pc.row_stride + texel.x;
  if (TARGET_CHANNELS == 1u) {
    target_1[i] = value.r;
  } else if (TARGET_CHANNELS == 2u) {
    if (TARGET_KIND == KIND_HALF) {
      target_half_2[i] = half_pair(value.rg);
    } else {
      target_2[i] = value.rg;
    }
  } else if (TARGET_KIND == KIND_HALF) {
    target_half_4[i] = uint2(half_pair(value.rg), half_pair(value.ba));
  } else {
    target_4[i] = value;
  }
}

// Channels 2 part and 2 part + 1 of a texel.
void store_half_texel(uint2 texel, uint slice, uint part, float2 value) {
  uint i = slice * pc.image_stride + texel.y * pc.row_stride + texel.x;
  if (TARGET_CHANNELS == 1u) {
    target_1[i] = value.x;
    return;
  }
  i = TARGET_CHANNELS == 4u ? 2u * i + part : i;
  if (TARGET_CHANNELS == 4u && part == 1u && KIND == ONEPASS_FOURIER_CHANNELS && CHANNELS == 3u) value.y = 1.0;
  if (TARGET_KIND == KIND_HALF) {
    target_half_2[i] = half_pair(value);
  } else {
    target_2[i] = value;
  }
  if (TARGET_CHANNELS == 4u && kSignals == 1u) {
    if (TARGET_KIND == KIND_HALF) {
      target_half_2[i + 1u] = half_pair(float2(0.0, 1.0));
    } else {
      target_2[i + 1u] = float2(0.0, 1.0);
    }
  }
}
#else
layout(binding = 1) uniform writeonly image2DArray target;

#if PASS_ALPHA
layout(binding = 0) uniform sampler2DArray source;

// The source's alpha at a texel of the result; 0 outside of the source.
float source_alpha(uint2 texel, uint slice) {
  int2 at = int2(pc.result_at + texel) - pc.placement;
  if (any(lessThan(at, int2(0, 0))) || any(greaterThanEqual(at, int2(pc.crop_size)))) return 0.0;
  return texelFetch(source, int3(int2(pc.crop_at) + at, int(slice)), 0).a;
}
#endif

void store_texel(uint2 texel, uint slice, float4 value) {
#if PASS_ALPHA
  value.a = source_alpha(texel, slice);
#endif
  COUNT_WRITTEN(TEXEL_BYTES);
  imageStore(target, int3(int2(texel), int(slice)), encode_target(value));
}
#endif

#if ONEPASS_FOURIER_SIGNALS == 2
T load(uint line, uint slice, uint position) {
  return onepass_swapped(read_two((slice * pc.size.x + position) * pc.result_size.y + line));
}

void store(uint line, uint slice, uint k, T value) {
  uint x = k - pc.result_at.x;  // wraps around before the first
  if (x >= pc.result_size.x) return;
  value = onepass_swapped(value) * pc.scale;
  store_texel(uint2(x, line), slice, KIND == ONEPASS_FOURIER_CHANNELS && CHANNELS == 3u ? float4(value.xyz, 1.0) : value);
}
#else
T load(uint line, uint slice, uint position) {
  uint rows = pc.result_size.y;
  uint row = line / kSignals;
  if (KIND != ONEPASS_FOURIER_ROWS) {
    uint element = (slice * pc.size.x + position) * rows + row;
    return onepass_swapped(read_pair(element * kSignals + line % kSignals));
  }
  bool conjugate = 2u * position > pc.size.x;
  uint q = conjugate ? pc.size.x - position : position;
  uint first = (slice * (pc.size.x / 2u + 1u) + q) * rows;
  uint other = row + pair_rows(rows);
  float2 a = read_pair(first + row);
  float2 b = float2(0.0, 0.0);
  if (other < rows) b = read_pair(first + other);
  if (q == 0u || 2u * q == pc.size.x) return float2(b.x, a.x);
  return conjugate ? float2(b.x - a.y, a.x + b.y) : float2(a.y + b.x, a.x - b.y);
}

void store(uint line, uint slice, uint k, T value) {
  uint x = k - pc.result_at.x;  // wraps around before the first
  if (x >= pc.result_size.x) return;
  value = onepass_swapped(value) * pc.scale;
  uint row = line / kSignals;
  if (KIND != ONEPASS_FOURIER_ROWS) {
#if TARGET_BUFFER
    store_half_texel(uint2(x, row), slice, line % kSignals, value);
#else
    store_texel(uint2(x, row), slice, float4(value, 0.0, 1.0));
#endif
    return;
  }
  uint other = row + pair_rows(pc.result_size.y);
  store_texel(uint2(x, row), slice, float4(value.x, 0.0, 0.0, 1.0));
  if (other < pc.result_size.y) store_texel(uint2(x, other), slice, float4(value.y, 0.0, 0.0, 1.0));
}
#endif
#endif
