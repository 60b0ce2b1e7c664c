// fourier_constants.glsl: specialization constants (in the order of struct Constants in src/fourier/vulkan_stage.cpp),
// push constants, tables and twiddle factors of the transform kernels.
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint LANES = 1u;
layout(constant_id = 2) const uint LINES = 1u;
layout(constant_id = 3) const uint LENGTH = 1u;
layout(constant_id = 4) const uint PASSES = 1u;
layout(constant_id = 5) const uint RADIX_0 = 1u;
layout(constant_id = 6) const uint RADIX_1 = 1u;
layout(constant_id = 7) const uint RADIX_2 = 1u;
layout(constant_id = 8) const uint RADIX_3 = 1u;
layout(constant_id = 9) const uint RADIX_4 = 1u;
layout(constant_id = 10) const bool JOIN = false;    // separate or combine real channels
layout(constant_id = 11) const bool PAD = false;
layout(constant_id = 12) const uint SHARED = 1u;
layout(constant_id = 13) const bool COMPUTED = false;  // computed twiddle factors
layout(constant_id = 14) const uint KIND = 0u;         // ONEPASS_FOURIER_COMPLEX...
layout(constant_id = 15) const uint CHANNELS = 1u;     // channels of the spectrum
layout(constant_id = 16) const bool HALF = false;      // spectra and intermediate buffer
layout(constant_id = 17) const uint BOUNDARY = 0u;     // enum Boundary, or BOUNDARY_NONE
layout(constant_id = 18) const uint SOURCE_CHANNELS = 4u;
layout(constant_id = 19) const bool SOURCE_HALF = false;  // buffers
layout(constant_id = 20) const uint TARGET_CHANNELS = 4u;
layout(constant_id = 21) const uint TARGET_KIND = 0u;
layout(constant_id = 22) const bool TARGET_SRGB = false;
layout(constant_id = 23) const uint AXIS = 1u;         // length of the axis; LENGTH differs with Bluestein
layout(constant_id = 24) const uint OPERATION = 0u;    // ONEPASS_OPERATION_...
layout(constant_id = 25) const uint RADIX = 1u;        // four-step, ping-pong: radix of the pass
layout(constant_id = 26) const bool WHOLE = false;     // the result covers the domain on this axis
layout(constant_id = 27) const bool CENTRED = false;   // frequency 0 in the middle of the spectrum
layout(constant_id = 28) const bool SCALED = true;     // multiply results by pc.scale
layout(constant_id = 29) const uint STEPS = 0u;        // four-step, ping-pong: ONEPASS_FOURIER_FIRST...
layout(constant_id = 30) const bool EVEN = false;      // the line count is a multiple of LINES
layout(constant_id = 31) const bool PACK_HALF_ROUNDS_TO_NEAREST = false;  // packHalf2x16 rounds to the nearest half
layout(constant_id = 33) const uint LIGHT = 0u;  // ONEPASS_LIGHT_...
#if COUNT_TRAFFIC
layout(constant_id = 32) const uint TEXEL_BYTES = 0u;  // of the image
#endif

#define BOUNDARY_ZERO 0u
#define BOUNDARY_WRAP 1u
#define BOUNDARY_CLAMP 2u
#define BOUNDARY_MIRROR 3u
#define BOUNDARY_NONE 4u  // the crop covers the domain on this axis

layout(push_constant, std430) uniform Constants { FourierParams pc; };

// exp(-2 pi i k / LENGTH), k < LENGTH. Bluestein: then the chirp exp(-pi i n n / AXIS), n < AXIS, and the LENGTH values
// of the spectrum of its conjugate, divided by LENGTH.
layout(binding = 4) readonly buffer Tables { float2 tables[]; };

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
