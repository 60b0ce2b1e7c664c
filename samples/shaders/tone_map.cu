// tone_map.cu: tone maps an image with the exposure in a meter's result, in CUDA C++. docs/shaders/cuda.md
#define ONEPASS_CUDA 1
#include "onepass/prelude.glsl"

#include "onepass/luminance.glsl"
#include "onepass/tone_map_params.h"

// ToneMapShader::definitions of an operator with one curve (ToneOperator::kHable).
#define ONEPASS_TONE_MIX 0
#define ONEPASS_TONE_MATRIX_MASK 0u
#define ONEPASS_TONE_CURVE_MASK 1u
#define ONEPASS_TONE_ROOT_MASK 0u
#define ONEPASS_TONE_FOOT_MASK 0u
#define ONEPASS_TONE_SHIFTS 21u
#define ONEPASS_TONE_CURVE_COUNT 1u
#define ONEPASS_TONE_FINE false
#define ONEPASS_TONE_KEEPS_HUE false
#define ONEPASS_TONE_GUARD_RAIL false
#define ONEPASS_TONE_PROGRAM (*program)
#define ONEPASS_TONE_CUBICS(i) cubics[i]

ONEPASS_DEVICE_BEGIN

struct ToneMap {
  onepass_uint2 size;
  const onepass_float4* source;  // rows without gaps
  onepass_float4* target;
  const ToneMapProgram* program;  // ToneMapShader::program
  const onepass_float4* cubics;   // ToneMapShader::cubics
  const LuminanceResult* metered;

#include "onepass/tone_map.glsl"

  void run(onepass_uint3 group, uint index) {  // 16x16 texels per workgroup
    onepass_tone_load(index, 256u);
    onepass_group_barrier();  // until the curves are in shared memory
    onepass_uint2 at = group.xy * 16u + onepass_uint2(index & 15u, index >> 4u);
    if (at.x >= size.x || at.y >= size.y) return;
    uint i = at.y * size.x + at.x;
    target[i] = onepass_tone_map(source[i], onepass_exposure(metered[0]));
  }
};

ONEPASS_DEVICE_END

ONEPASS_KERNEL tone_map(ToneMap kernel) { kernel.run(onepass_group_index(), onepass_invocation_index()); }
