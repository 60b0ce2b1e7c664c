// kernel_program.hpp: a program as the kernels around shaders/onepass/tone_map.glsl read it: numbers, curves, and the
// constants that choose the code.
#pragma once

#include <vector>

#include "onepass/tone_map_params.h"
#include "tone_map/program.hpp"

namespace onepass::tone_map {

/// The curves of a program in the order of their slots: stages, luminance or guard rail, OOTF.
std::vector<const Curve*> curves_of(const Program& program);

struct KernelProgram {
  ToneMapProgram program{};
  std::vector<float4> cubics;  ///< Of all curves, ONEPASS_TONE_PIECES at least.
};

KernelProgram make_kernel_program(const Program& program, Format target);

/// The constants ONEPASS_TONE_... of the shader header.
struct ProgramConstants {
  uint32_t mix = 0, matrix_mask = 0, curve_mask = 0, root_mask = 0, foot_mask = 0, shifts = 0, curve_count = 1;
  uint32_t keeps_hue = 0, guard_rail = 0, ootf_stage = 0, fine = 0;
};

ProgramConstants make_program_constants(const Program& program);

}  // namespace onepass::tone_map
