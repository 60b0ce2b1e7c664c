// fourier_stage.glsl: where the values of a line come from and where the results go, for each of the stages of a transform.
//
// STAGE, a macro:
//     1 rows forward      image -> lines between       a line is a row of the crop (one channel: two rows)
//     2 columns forward   lines between -> spectrum    a line is column kx of a signal (of real ones: kx <= W/2)
//     3 columns inverse   spectrum -> lines between
//     4 rows inverse      lines between -> image
//     5 columns there and back, with an operation on the spectrum: 2 and 3, the spectrum never stored
//
// Between the stages lie whole columns: element ((slice * W + x) * rows + row), `rows` existing ones, S = 1 or 2 complex
// numbers an element. Real channels lie there as red + i green and blue + i alpha. The spectra of both at kx follow from
// the columns kx and W - kx:  red = (z(kx) + conj z(W-kx)) / 2,  green = (z(kx) - conj z(W-kx)) / 2i. One channel enters
// as two rows, r and r + ceil(rows / 2), and leaves as half spectra of rows, ((slice * (W/2+1) + kx) * rows + row).

#define ROWS_FORWARD 1
#define COLUMNS_FORWARD 2
#define COLUMNS_INVERSE 3
#define ROWS_INVERSE 4
#define COLUMNS_BOTH 5

#define T ONEPASS_FOURIER_T

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

uint half_pair(float2 value) {
  return packHalf2x16(float2(round_small(value.x, 13u, 0.75), round_small(value.y, 13u, 0.75)));
}

float2 read_pair(uint i) {
  if (HALF) return unpackHalf2x16(in_half_pairs[i]);
  return in_pairs[i];
}

float4 read_two(uint i) {
  if (HALF) {
    uint2 bits = in_half_twos[i];
    return float4(unpackHalf2x16(bits.x), unpackHalf2x16(bits.y));
  }
  return in_twos[i];
}

void write_pair(uint i, float2 value) {
  if (HALF) {
    out_half_pairs[i] = half_pair(value);
  } else {
    out_pairs[i] = value;
  }
}

void write_two(uint i, float4 value) {
  if (HALF) {
    out_half_twos[i] = uint2(half_pair(value.xy), half_pair(value.zw));
  } else {
    out_twos[i] = value;
  }
}

T read_value(uint i) {
#if ONEPASS_FOURIER_SIGNALS == 2
  return read_two(i);
#else
  return read_pair(i);
#endif
}

void write_value(uint i, T value) {
#if ONEPASS_FOURIER_SIGNALS == 2
  write_two(i, value);
#else
  write_pair(i, value);
#endif
}

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

float4 source_texel(uint2 texel, uint slice) {
  uint i = slice * pc.image_stride + (pc.crop_at.y + texel.y) * pc.row_stride + pc.crop_at.x + texel.x;
  if (SOURCE_CHANNELS == 1u) return float4(source_1[i], 0.0, 0.0, 1.0);
  if (SOURCE_CHANNELS == 2u) return float4(SOURCE_HALF ? unpackHalf2x16(source_half_2[i]) : source_2[i], 0.0, 1.0);
  if (SOURCE_HALF) return float4(unpackHalf2x16(source_half_4[i].x), unpackHalf2x16(source_half_4[i].y));
  return source_4[i];
}
#else
layout(binding = 0) uniform sampler2DArray source;

float4 source_texel(uint2 texel, uint slice) {
  return texelFetch(source, int3(int2(pc.crop_at + texel), int(slice)), 0);
}
#endif

uint rows_between() { return KIND == ONEPASS_FOURIER_ROWS ? pair_rows(pc.crop_size.y) : pc.crop_size.y; }

T load(uint line, uint slice, uint position) {
  uint x;
  if (!crop_texel(position, pc.placement.x, pc.size.x, pc.crop_size.x, x)) return none();
#if ONEPASS_FOURIER_SIGNALS == 2
  float4 texel = source_texel(uint2(x, line), slice);
  return KIND == ONEPASS_FOURIER_CHANNELS && CHANNELS == 3u ? float4(texel.rgb, 0.0) : texel;
#else
  float4 texel = source_texel(uint2(x, line), slice);
  if (KIND != ONEPASS_FOURIER_ROWS) return texel.rg;
  uint other = line + rows_between();
  return float2(texel.r, other < pc.crop_size.y ? source_texel(uint2(x, other), slice).r : 0.0);
#endif
}

void store(uint line, uint slice, uint k, T value) {
  write_value((slice * pc.size.x + k) * rows_between() + line, value * pc.scale);
}
#endif

// ---- Columns

#if STAGE == COLUMNS_FORWARD || STAGE == COLUMNS_INVERSE || STAGE == COLUMNS_BOTH
const uint kSignals = (CHANNELS + 1u) / 2u;  // complex numbers an element of real channels

uint column_of(uint line) { return KIND == ONEPASS_FOURIER_CHANNELS ? line / kSignals : line; }
uint signal_of(uint line) { return KIND == ONEPASS_FOURIER_CHANNELS ? line % kSignals : 0u; }

uint spectrum_element(uint slice, uint kx, uint ky) {
  uint x = kx + pc.shift.x;
  uint y = ky + pc.shift.y;
  x = x >= pc.size.x ? x - pc.size.x : x;
  y = y >= pc.size.y ? y - pc.size.y : y;
  return slice * pc.slice_stride + x * pc.stride.x + y * pc.stride.y;
}
#endif

#if STAGE == COLUMNS_FORWARD || STAGE == COLUMNS_BOTH
T load(uint line, uint slice, uint position) {
  uint row;
  if (!crop_texel(position, pc.placement.y, pc.size.y, pc.crop_size.y, row)) return none();
  uint q = column_of(line);
  uint rows = KIND == ONEPASS_FOURIER_ROWS ? pair_rows(pc.crop_size.y) : pc.crop_size.y;
  if (KIND == ONEPASS_FOURIER_COMPLEX) return read_value((slice * pc.size.x + q) * rows + row);
  uint mirror = q == 0u ? 0u : pc.size.x - q;
#if ONEPASS_FOURIER_SIGNALS == 2
  float2 z = read_pair(((slice * pc.size.x + q) * rows + row) * kSignals + signal_of(line));
  float2 m = read_pair(((slice * pc.size.x + mirror) * rows + row) * kSignals + signal_of(line));
  return 0.5 * float4(z.x + m.x, z.y - m.y, z.y + m.y, m.x - z.x);
#else
  bool second = row >= rows;
  row = second ? row - rows : row;
  float2 z = read_pair((slice * pc.size.x + q) * rows + row);
  float2 m = read_pair((slice * pc.size.x + mirror) * rows + row);
  return 0.5 * (second ? float2(z.y + m.y, m.x - z.x) : float2(z.x + m.x, z.y - m.y));
#endif
}
#endif

#if STAGE == COLUMNS_FORWARD
void store(uint line, uint slice, uint k, T value) {
  uint element = spectrum_element(slice, column_of(line), k);
  value *= pc.scale;
#if ONEPASS_FOURIER_SIGNALS == 2
  if (KIND == ONEPASS_FOURIER_CHANNELS) {
    uint pair = element * CHANNELS + 2u * signal_of(line);
    if (CHANNELS % 2u == 0u) {
      write_two(pair / 2u, value);
    } else {
      write_pair(pair, value.xy);
      if (signal_of(line) == 0u) write_pair(pair + 1u, value.zw);
    }
    return;
  }
#endif
  write_value(element, value);
}
#endif

#if STAGE == COLUMNS_INVERSE
T load(uint line, uint slice, uint position) {
  uint element = spectrum_element(slice, column_of(line), position);
#if ONEPASS_FOURIER_SIGNALS == 2
  if (KIND == ONEPASS_FOURIER_CHANNELS) {
    uint pair = element * CHANNELS + 2u * signal_of(line);
    if (CHANNELS % 2u == 0u) return onepass_swapped(read_two(pair / 2u));
    float2 first = read_pair(pair);
    float2 other = signal_of(line) == 0u ? read_pair(pair + 1u) : float2(0.0, 0.0);
    return float4(first.yx, other.yx);
  }
#endif
  return onepass_swapped(read_value(element));
}
#endif

#if STAGE == COLUMNS_INVERSE || STAGE == COLUMNS_BOTH
// A real signal's column 0 and column W/2 are real here: an imaginary part would not belong to it.
bool self_mirrored(uint q) { return q == 0u || 2u * q == pc.size.x; }

void store_back(uint line, uint slice, uint k, T value) {
  uint row = k - pc.result_at.y;  // wraps around before the first
  if (row >= pc.result_size.y) return;
  uint q = column_of(line);
  uint rows = pc.result_size.y;
  value = onepass_swapped(value) * pc.scale;
  if (KIND == ONEPASS_FOURIER_COMPLEX) {
    write_value((slice * pc.size.x + q) * rows + row, value);
    return;
  }
#if ONEPASS_FOURIER_SIGNALS == 2
  uint pair = ((slice * pc.size.x + q) * rows + row) * kSignals + signal_of(line);
  if (self_mirrored(q)) {
    write_pair(pair, value.xz);
    return;
  }
  write_pair(pair, float2(value.x - value.w, value.y + value.z));
  uint mirror = ((slice * pc.size.x + pc.size.x - q) * rows + row) * kSignals + signal_of(line);
  write_pair(mirror, float2(value.x + value.w, value.z - value.y));
#else
  write_pair((slice * (pc.size.x / 2u + 1u) + q) * rows + row, value);
#endif
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
#else
layout(binding = 1) uniform writeonly image2DArray target;

void store_texel(uint2 texel, uint slice, float4 value) {
  imageStore(target, int3(int2(texel), int(slice)), encode_target(value));
}
#endif

T load(uint line, uint slice, uint position) {
  uint rows = pc.result_size.y;
  if (KIND != ONEPASS_FOURIER_ROWS) {
    return onepass_swapped(read_value((slice * pc.size.x + position) * rows + line));
  }
#if ONEPASS_FOURIER_SIGNALS == 1
  bool conjugate = 2u * position > pc.size.x;
  uint q = conjugate ? pc.size.x - position : position;
  uint first = (slice * (pc.size.x / 2u + 1u) + q) * rows;
  uint other = line + pair_rows(rows);
  float2 a = read_pair(first + line);
  float2 b = other < rows ? read_pair(first + other) : float2(0.0, 0.0);
  if (q == 0u || 2u * q == pc.size.x) return float2(b.x, a.x);
  return conjugate ? float2(b.x - a.y, a.x + b.y) : float2(a.y + b.x, a.x - b.y);
#endif
  return none();
}

void store(uint line, uint slice, uint k, T value) {
  uint x = k - pc.result_at.x;  // wraps around before the first
  if (x >= pc.result_size.x) return;
  value = onepass_swapped(value) * pc.scale;
#if ONEPASS_FOURIER_SIGNALS == 2
  store_texel(uint2(x, line), slice, KIND == ONEPASS_FOURIER_CHANNELS && CHANNELS == 3u ? float4(value.xyz, 1.0) : value);
#else
  if (KIND != ONEPASS_FOURIER_ROWS) {
    store_texel(uint2(x, line), slice, float4(value, 0.0, 1.0));
    return;
  }
  uint other = line + pair_rows(pc.result_size.y);
  store_texel(uint2(x, line), slice, float4(value.x, 0.0, 0.0, 1.0));
  if (other < pc.result_size.y) store_texel(uint2(x, other), slice, float4(value.y, 0.0, 0.0, 1.0));
#endif
}
#endif
