// fourier_rows.glsl: loads and stores of the row stages, from an image or a buffer of texels to the intermediate buffer
// and back.
//
// READS_ORIGINALS_FIRST, a macro: the file that includes this one reads the source's texels by original_on_line() and
// keeps each in read_original before store().
#ifndef READS_ORIGINALS_FIRST
#define READS_ORIGINALS_FIRST 0
#endif
#define LIGHT_PARAMS pc
#define LIGHT_CHANNELS SOURCE_CHANNELS
#include "fourier/fourier_light.glsl"

#if STAGE == ROWS_OF_BUFFERS
uint buffer_index(uint2 texel, uint slice) {
  uint row_stride = ROW_STRIDE != 0u ? ROW_STRIDE : pc.row_stride;
  uint image_stride = IMAGE_STRIDE != 0u ? IMAGE_STRIDE : pc.image_stride;
  return slice * image_stride + texel.y * row_stride + texel.x;
}
#endif

// ---- Rows forward

#if STAGE != ROWS_INVERSE
#if STAGE == ROWS_OF_BUFFERS
READ_BUFFER(0, float, source_1)
READ_BUFFER(0, float2, source_2)
READ_BUFFER(0, float4, source_4)
READ_BUFFER(0, uint, source_half_2)
READ_BUFFER(0, uint2, source_half_4)

uint source_index(uint2 texel, uint slice) { return buffer_index(kCropAt + texel, slice); }

float4 source_texel(uint2 texel, uint slice) {
  uint i = source_index(texel, slice);
  if (SOURCE_CHANNELS == 1u) return float4(source_1[i], 0.0, 0.0, 1.0);
  if (SOURCE_CHANNELS == 2u) return float4(SOURCE_HALF ? unpackHalf2x16(source_half_2[i]) : source_2[i], 0.0, 1.0);
  if (SOURCE_HALF) return float4(unpackHalf2x16(source_half_4[i].x), unpackHalf2x16(source_half_4[i].y));
  return source_4[i];
}
#else
READ_IMAGE(0, source)

float4 image_texel(int2 texel, uint slice) {
  COUNT_READ(TEXEL_BYTES);
  return FETCH(source, int3(texel, int(slice)));
}

// The mean bright light of the 2x2 texels of the source that a texel stands for; the last ones repeat at an odd edge.
float4 half_texel(uint2 texel, uint slice) {
  int2 first = 2 * int2(texel);
  int2 last = min(first + 1, size_of(source) - 1);
  float4 sum = bright_light(image_texel(first, slice)) + bright_light(image_texel(int2(last.x, first.y), slice)) +
               bright_light(image_texel(int2(first.x, last.y), slice)) + bright_light(image_texel(last, slice));
  return 0.25 * sum;
}

float4 source_texel(uint2 texel, uint slice) {
  if (LIGHT == ONEPASS_LIGHT_HALF) return half_texel(texel, slice);
  float4 read = image_texel(int2(kCropAt + texel), slice);
  if (LIGHT == ONEPASS_LIGHT_FULL) return bright_light(read);
  return read;
}
#endif

// True if the domain shows this row of the crop.
bool is_seen(uint row) { return row >= FIRST_VISIBLE_ROW && row < END_OF_VISIBLE_ROWS; }

T load_forward(uint row, uint slice, uint b, const uint more) {
  uint x;
  bool exists = crop_texel(b + more, kPlacement.x, kSize.x, kCropSize.x, x);
  COUNT_ONLY_IF(exists);
#if ONEPASS_FOURIER_SIGNALS == 2
  float4 texel = source_texel(uint2(x, row), slice);
  return ONLY_IF(exists, KIND == ONEPASS_FOURIER_CHANNELS && CHANNELS == 3u ? float4(texel.rgb, 0.0) : texel);
#else
  if (KIND != ONEPASS_FOURIER_ROWS) return ONLY_IF(exists, source_texel(uint2(x, row), slice).rg);
  uint other = row + pair_rows(kCropSize.y);
  float first = source_texel(uint2(x, row), slice).r;
  COUNT_ONLY_IF(other < kCropSize.y);
  float second = source_texel(uint2(x, min(other, kCropSize.y - 1u)), slice).r;
  // Two rows share a complex line: a row that does not enter the domain must be 0, or its rounding errors and NaN would
  // reach the other row.
  return ONLY_IF(exists, float2(ONLY_IF(is_seen(row), first), ONLY_IF(is_seen(other), second)));
#endif
}

void store_forward(uint row, uint slice, uint b, const uint more, T value) {
  uint k = b + more;
  uint rows = KIND == ONEPASS_FOURIER_ROWS ? pair_rows(kCropSize.y) : kCropSize.y;
  write_element(between(slice, k, row, 0u, kSize.x, rows), 0u, scaled(value));
}
#endif

// ---- Rows inverse

#if STAGE != ROWS_FORWARD
#if STAGE == ROWS_OF_BUFFERS
WRITE_BUFFER(0, float, target_1)
WRITE_BUFFER(0, float2, target_2)
WRITE_BUFFER(0, float4, target_4)
WRITE_BUFFER(0, uint, target_half_2)
WRITE_BUFFER(0, uint2, target_half_4)

// Finite values beyond the largest half become it, as in images; Inf and NaN stay.
float within_halves(float value) {
  bool finite = (onepass_float_bits(value) & 0x7F800000u) != 0x7F800000u;
  return finite ? clamp(value, -65504.0, 65504.0) : value;
}

uint half_pair_of_texel(float2 value) { return half_pair(float2(within_halves(value.x), within_halves(value.y))); }

void store_texel(uint2 texel, uint slice, float4 value) {
  uint i = buffer_index(texel, slice);
  if (TARGET_CHANNELS == 1u) {
    target_1[i] = value.r;
  } else if (TARGET_CHANNELS == 2u) {
    if (TARGET_KIND == KIND_HALF) {
      target_half_2[i] = half_pair_of_texel(value.rg);
    } else {
      target_2[i] = value.rg;
    }
  } else if (TARGET_KIND == KIND_HALF) {
    target_half_4[i] = uint2(half_pair_of_texel(value.rg), half_pair_of_texel(value.ba));
  } else {
    target_4[i] = value;
  }
}
#else
WRITE_IMAGE(1, target)

#if OVER_SOURCE
READ_IMAGE(0, source)

// The source's texel under a texel of the result: outside the source, the nearest one without alpha.
float4 original_texel(uint2 texel, uint slice) {
  int2 at = int2(kResultAt + texel) - kPlacement;
  // Not int2(kCropSize) - 1, constants alone: validation layers fold it into constants in an invalid order.
  uint2 inside = min(uint2(max(at, int2(0, 0))) + 1u, kCropSize) - 1u;
  COUNT_READ(TEXEL_BYTES);
  float4 original = FETCH(source, int3(int2(kCropAt + inside), int(slice)));
  original.a = ONLY_IF(at == int2(inside), original.a);
  return original;
}

#if READS_ORIGINALS_FIRST
ONEPASS_PRIVATE float4 read_original;  // original_texel() of the texel that is stored next
#endif
#endif

void store_texel(uint2 texel, uint slice, float4 value) {
#if OVER_SOURCE
#if READS_ORIGINALS_FIRST
  float4 original = read_original;
#else
  float4 original = original_texel(texel, slice);
#endif
  if (LIGHT == ONEPASS_LIGHT_FULL) value = with_glow(original, value);  // `value` was the glow
  value.a = original.a;
#endif
  COUNT_WRITTEN(TEXEL_BYTES);
  STORE(target, int3(int2(texel), int(slice)), encode_target(value));
}
#endif

T load_inverse(uint row, uint slice, uint b, const uint more) {
  uint position = b + more;
  uint rows = kResultSize.y;
#if ONEPASS_FOURIER_SIGNALS == 1
  if (KIND == ONEPASS_FOURIER_ROWS) {
    bool conjugate = 2u * position > kSize.x;
    uint q = conjugate ? kSize.x - position : position;
    uint other = row + pair_rows(rows);
    float2 a = read_pair(between(slice, q, row, 0u, kSize.x / 2u + 1u, rows));
    COUNT_ONLY_IF(other < rows);
    float2 b = read_pair(between(slice, q, min(other, rows - 1u), 0u, kSize.x / 2u + 1u, rows));
    b = ONLY_IF(other < rows, b);
    // Self-mirrored frequencies of a real signal are real.
    bool own = q == 0u || 2u * q == kSize.x;
    a.y = own ? 0.0 : conjugate ? -a.y : a.y;
    b.y = own ? 0.0 : conjugate ? -b.y : b.y;
    return float2(b.x + a.y, a.x - b.y);
  }
#endif
  return onepass_swapped(read_element(between(slice, position, row, 0u, kSize.x, rows), 0u));
}

// The column of the result that position k of a line has; those before the first wrap around to >= width.
uint result_column(uint k) { return WHOLE ? k : k - kResultAt.x; }

#if OVER_SOURCE && READS_ORIGINALS_FIRST
float4 original_on_line(uint row, uint slice, uint k) {
  uint x = result_column(k);
  COUNT_ONLY_IF(WHOLE || x < kResultSize.x);
  return original_texel(uint2(x, row), slice);
}
#endif

void store_inverse(uint row, uint slice, uint b, const uint more, T value) {
  uint x = result_column(b + more);
  if (!WHOLE && x >= kResultSize.x) return;
  value = scaled(onepass_swapped(value));
#if ONEPASS_FOURIER_SIGNALS == 2
  store_texel(uint2(x, row), slice,
              KIND == ONEPASS_FOURIER_CHANNELS && CHANNELS == 3u ? float4(value.xyz, 1.0) : value);
#else
  if (KIND != ONEPASS_FOURIER_ROWS) {
    store_texel(uint2(x, row), slice, float4(value, 0.0, 1.0));
    return;
  }
  uint other = row + pair_rows(kResultSize.y);
  store_texel(uint2(x, row), slice, float4(value.x, 0.0, 0.0, 1.0));
  if (other < kResultSize.y) store_texel(uint2(x, other), slice, float4(value.y, 0.0, 0.0, 1.0));
#endif
}
#endif

#if STAGE == ROWS_FORWARD
#define load load_forward
#define store store_forward
#elif STAGE == ROWS_INVERSE
#define load load_inverse
#define store store_inverse
#else
T load(uint row, uint slice, uint b, const uint more) {
  if (INVERSE) return load_inverse(row, slice, b, more);
  return load_forward(row, slice, b, more);
}

void store(uint row, uint slice, uint b, const uint more, T value) {
  if (INVERSE) {
    store_inverse(row, slice, b, more, value);
  } else {
    store_forward(row, slice, b, more, value);
  }
}
#endif
