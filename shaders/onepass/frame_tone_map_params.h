// frame_tone_map_params.h: the uniform buffer of the frame kernel, for C++ and GLSL alike: a tone map's program, then
// what the tone map has as push constants, which the meter's fill.
#ifndef ONEPASS_FRAME_TONE_MAP_PARAMS_H_
#define ONEPASS_FRAME_TONE_MAP_PARAMS_H_

#include "onepass/tone_map_params.h"

#ifdef __cplusplus
namespace onepass::tone_map {
#endif

struct FrameProgram {
  ToneMapProgram program;
  uint2 size;
  float exposure;  // multiplied with that of the frame before
  float reserved;
};

#ifdef __cplusplus
static_assert(sizeof(FrameProgram) == sizeof(ToneMapProgram) + 16, "must match the std140 layout in the shader");
}  // namespace onepass::tone_map
#endif
#endif  // ONEPASS_FRAME_TONE_MAP_PARAMS_H_
