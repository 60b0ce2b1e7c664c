// frame_tone_map_params.h: the uniform buffer of the frame kernel, shared by C++ and GLSL: a tone map's program, then
// values that the tone map kernel has as push constants. The meter's push constants fill all 128 bytes here.
#ifndef ONEPASS_FRAME_TONE_MAP_PARAMS_H_
#define ONEPASS_FRAME_TONE_MAP_PARAMS_H_

#include "onepass/tone_map_params.h"

#if !defined(__cplusplus) || defined(ONEPASS_CUDA)
#include "onepass/prelude_names.glsl"
#endif

#if defined(__cplusplus) && !defined(ONEPASS_CUDA)
namespace onepass::tone_map {
#endif

struct FrameProgram {
  ToneMapProgram program;
  uint2 size;
  float exposure;  // multiplied by the exposure from the previous frame
  float reserved;
};

#if defined(__cplusplus) && !defined(ONEPASS_CUDA)
static_assert(sizeof(FrameProgram) == sizeof(ToneMapProgram) + 16, "must match the std140 layout in the shader");
}  // namespace onepass::tone_map
#endif
#if !defined(__cplusplus) || defined(ONEPASS_CUDA)
#include "onepass/prelude_names_end.glsl"
#endif
#endif  // ONEPASS_FRAME_TONE_MAP_PARAMS_H_
