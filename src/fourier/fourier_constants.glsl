// fourier_constants.glsl: specialization constants (in the order of struct Constants in src/fourier/vulkan_stage.cpp),
// push constants, tables and twiddle factors of the transform kernels.
//
// Sizes and positions are specialization constants: a kernel that reads push constants waits for them before it can
// read its source (docs/experiments/fourier.md).
#include "fourier/fourier_languages.glsl"

// Values of the macro STAGE: see fourier_stage.glsl.
#define ROWS_FORWARD 1
#define ROWS_INVERSE 2
#define ROWS_OF_BUFFERS 3
#define COLUMNS 4
#define COLUMNS_BOTH 5

#ifndef ONEPASS_HLSL
layout(local_size_x_id = 0) in;
#endif
CONSTANT(1, uint, LANES, 1u)
CONSTANT(2, uint, LINES, 1u)
CONSTANT(3, uint, LENGTH, 1u)
CONSTANT(4, uint, PASSES, 1u)
CONSTANT(5, uint, RADIX_0, 1u)
CONSTANT(6, uint, RADIX_1, 1u)
CONSTANT(7, uint, RADIX_2, 1u)
CONSTANT(8, uint, RADIX_3, 1u)
CONSTANT(9, uint, RADIX_4, 1u)
CONSTANT(10, bool, JOIN, false)  // separate or combine real channels
CONSTANT(11, bool, PAD, false)
CONSTANT(12, uint, SHARED, 1u)
CONSTANT(13, bool, COMPUTED, false)  // computed twiddle factors
CONSTANT(14, uint, KIND, 0u)         // ONEPASS_FOURIER_COMPLEX...
CONSTANT(15, uint, CHANNELS, 1u)     // channels of the spectrum
CONSTANT(16, bool, HALF, false)      // spectra and intermediate buffer
CONSTANT(17, uint, BOUNDARY, 0u)     // enum Boundary, or BOUNDARY_NONE
CONSTANT(18, uint, SOURCE_CHANNELS, 4u)
CONSTANT(19, bool, SOURCE_HALF, false)  // buffers
CONSTANT(20, uint, TARGET_CHANNELS, 4u)
CONSTANT(21, uint, TARGET_KIND, 0u)
CONSTANT(22, bool, TARGET_SRGB, false)
CONSTANT(23, uint, AXIS, 1u)                            // length of the axis; LENGTH differs with Bluestein
CONSTANT(24, uint, OPERATION, 0u)                       // ONEPASS_OPERATION_...
CONSTANT(25, uint, RADIX, 1u)                           // four-step, ping-pong: radix of the pass
CONSTANT(26, bool, WHOLE, false)                        // the result covers the domain on this axis
CONSTANT(27, bool, CENTRED, false)                      // frequency 0 in the middle of the spectrum
CONSTANT(28, float, SCALE, 1.0)                         // factor of the results
CONSTANT(29, uint, STEPS, 0u)                           // four-step, ping-pong: ONEPASS_FOURIER_FIRST...
CONSTANT(30, bool, EVEN, false)                         // the line count is a multiple of LINES
CONSTANT(31, bool, PACK_HALF_ROUNDS_TO_NEAREST, false)  // packHalf2x16 rounds to the nearest half
CONSTANT(33, uint, LIGHT, 0u)                           // ONEPASS_LIGHT_...
#if STAGE == COLUMNS || STAGE == ROWS_OF_BUFFERS
CONSTANT(34, bool, INVERSE, false)  // the direction
#endif
CONSTANT(35, bool, WHOLE_VALUES, false)  // are exchanged, not one float at a time
CONSTANT(36, uint, WIDTH, 1u)            // this and the next: the domain
CONSTANT(37, uint, HEIGHT, 1u)
CONSTANT(38, uint, CROP_AT_X, 0u)  // this and the next three: the rectangle of the image that enters the domain
CONSTANT(39, uint, CROP_AT_Y, 0u)
CONSTANT(40, uint, CROP_WIDTH, 1u)
CONSTANT(41, uint, CROP_HEIGHT, 1u)
CONSTANT(42, int, PLACEMENT_X, 0)  // this and the next: position of the crop in the domain
CONSTANT(43, int, PLACEMENT_Y, 0)
CONSTANT(44, uint, RESULT_AT_X, 0u)  // this and the next three: the rectangle of the domain that is written
CONSTANT(45, uint, RESULT_AT_Y, 0u)
CONSTANT(46, uint, RESULT_WIDTH, 1u)
CONSTANT(47, uint, RESULT_HEIGHT, 1u)
CONSTANT(48, uint, FIRST_VISIBLE_ROW, 0u)  // rows of the crop that occur in the domain
CONSTANT(49, uint, END_OF_VISIBLE_ROWS, 1u)
CONSTANT(50, uint, SHIFT_X, 0u)  // frequency (kx, ky) lies at position (kx + SHIFT_X, ky + SHIFT_Y), modulo the size
CONSTANT(51, uint, SHIFT_Y, 0u)
CONSTANT(52, uint, STRIDE_X, 1u)      // distance in the spectrum from kx to kx + 1, elements
CONSTANT(53, uint, STRIDE_Y, 1u)      // from ky to ky + 1
CONSTANT(54, uint, SLICE_STRIDE, 1u)  // from one slice to the next
CONSTANT(55, uint, LINE_COUNT, 1u)    // per slice
CONSTANT(56, uint, ROW_STRIDE, 0u)    // of a source or target buffer, texels; 0: pc.row_stride
CONSTANT(57, uint, IMAGE_STRIDE, 0u)  // from one of its slices to the next, texels; 0: pc.image_stride
#if COUNT_TRAFFIC
CONSTANT(32, uint, TEXEL_BYTES, 0u)  // of the image
#endif

#ifdef ONEPASS_HLSL
#define const              // glslang rejects specialization constants in const declarations
#define line onepass_line  // an HLSL keyword (geometry shaders)
#endif

DERIVED uint2 kSize = uint2(WIDTH, HEIGHT);
DERIVED uint2 kCropAt = uint2(CROP_AT_X, CROP_AT_Y);
DERIVED uint2 kCropSize = uint2(CROP_WIDTH, CROP_HEIGHT);
DERIVED int2 kPlacement = int2(PLACEMENT_X, PLACEMENT_Y);
DERIVED uint2 kResultAt = uint2(RESULT_AT_X, RESULT_AT_Y);
DERIVED uint2 kResultSize = uint2(RESULT_WIDTH, RESULT_HEIGHT);

#define BOUNDARY_ZERO 0u
#define BOUNDARY_WRAP 1u
#define BOUNDARY_CLAMP 2u
#define BOUNDARY_MIRROR 3u
#define BOUNDARY_NONE 4u  // the crop covers the domain on this axis

#ifdef ONEPASS_HLSL
[[vk::push_constant]] cbuffer Constants { FourierParams pc; };
#else
layout(push_constant, std430) uniform Constants { FourierParams pc; };
#endif

// exp(-2 pi i k / LENGTH), k < LENGTH. Bluestein: then the chirp exp(-pi i n n / AXIS), n < AXIS, and the LENGTH values
// of the spectrum of its conjugate, divided by LENGTH.
READ_BUFFER(4, float2, tables)

uint radix_of(const uint p) {
  return p == 0u ? RADIX_0 : p == 1u ? RADIX_1 : p == 2u ? RADIX_2 : p == 3u ? RADIX_3 : RADIX_4;
}

// cos and sin of 2 pi k / n. Integer arithmetic reduces the angle to [0, pi / 4], where short series suffice.
float2 cos_sin(uint k, uint n) {
  uint octant = 8u * k / n;
  uint rest = 8u * k - octant * n;
  bool odd = (octant & 1u) != 0u;
  float x = float(odd ? n - rest : rest) * (0.785398163397448309615661 / float(n));
  float xx = x * x;
  float sine = x + x * xx * (-1.0 / 6.0 + xx * (1.0 / 120.0 + xx * (-1.0 / 5040.0 + xx * (1.0 / 362880.0))));
  float cosine = 1.0 + xx * (-0.5 + xx * (1.0 / 24.0 + xx * (-1.0 / 720.0 + xx * (1.0 / 40320.0))));
  bool exchanged = octant == 1u || octant == 2u || octant == 5u || octant == 6u;
  float c = exchanged ? sine : cosine;
  float s = exchanged ? cosine : sine;
  return float2(octant >= 2u && octant < 6u ? -c : c, octant >= 4u ? -s : s);
}

// exp(-2 pi i k / LENGTH)
float2 root(uint k) {
  if (COMPUTED) {
    float2 turn = cos_sin(k, LENGTH);
    return float2(turn.x, -turn.y);
  }
  return tables[k];
}
