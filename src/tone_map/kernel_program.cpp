// kernel_program.cpp: programs for kernels; tone_map_shader() returns them for kernels of the caller's.
#include "tone_map/kernel_program.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "image/error.hpp"

namespace onepass {
namespace tone_map {

std::vector<const Curve*> curves_of(const Program& program) {
  std::vector<const Curve*> curves;
  for (const Stage& stage : program.stages) {
    if (stage.curve) curves.push_back(&*stage.curve);
  }
  if (program.mix == Mix::kLuminance) curves.push_back(&program.luminance);
  if (program.guard_rail) curves.push_back(&program.rail);
  if (program.ootf_stage < kStages) curves.push_back(&program.ootf);
  return curves;
}

KernelProgram make_kernel_program(const Program& program, Format target) {
  KernelProgram out;
  const std::vector<const Curve*> curves = curves_of(program);
  ONEPASS_ASSERT(curves.size() <= ONEPASS_TONE_CURVES);
  for (size_t i = 0; i < curves.size(); ++i) {
    const Curve& curve = *curves[i];
    out.program.curves[i] = {curve.gpu.top, curve.gpu.scale, 0, curve.gpu.bottom};
    const size_t first = out.cubics.size();
    static_assert(sizeof(curve.cubics[0]) == sizeof(float4));
    out.cubics.resize(first + curve.cubics.size());
    std::memcpy(out.cubics.data() + first, curve.cubics.data(), curve.cubics.size() * sizeof(float4));
  }
  out.cubics.resize(std::max<size_t>(ONEPASS_TONE_PIECES, out.cubics.size()));
  for (size_t i = 0; i < kStages; ++i) {
    const Stage& stage = program.stages[i];
    const bool ootf = i == program.ootf_stage;
    if (ootf) out.program.matrices[3 * i].w = stage.top;
    if (!stage.matrix) continue;
    // The kernel does not clip in front of a curve: the curve itself clips at its top.
    ONEPASS_ASSERT(ootf || !stage.curve || stage.curve->gpu.top <= stage.top);
    for (size_t row = 0; row < 3; ++row) {
      const auto& m = (*stage.matrix)[row];
      out.program.matrices[3 * i + row] = {static_cast<float>(m[0]), static_cast<float>(m[1]), static_cast<float>(m[2]),
                                           stage.top};
    }
  }
  const auto& w = program.rail_weights;
  out.program.rail = {w[0], w[1], w[2], w[0] + w[1] + w[2]};
  const auto& o = program.ootf_weights;
  out.program.ootf = {o[0], o[1], o[2], 0};
  const TargetUnit unit = target_unit(target);
  out.program.unit = {unit.color, unit.alpha, 1 / unit.color, 1 / unit.alpha};
  return out;
}

ProgramConstants make_program_constants(const Program& program) {
  ProgramConstants c;
  c.mix = static_cast<uint32_t>(program.mix);
  for (uint32_t i = 0; i < kStages; ++i) {
    if (program.stages[i].matrix) c.matrix_mask |= 1U << i;
    if (program.stages[i].curve) c.curve_mask |= 1U << i;
  }
  const std::vector<const Curve*> curves = curves_of(program);
  for (size_t i = 0; i < curves.size(); ++i) {
    if (curves[i]->gpu.root) c.root_mask |= 1U << i;
    if (curves[i]->gpu.bottom > 0) c.foot_mask |= 1U << i;
    c.shifts |= (23 - curves[i]->gpu.split) << (5 * i);
  }
  c.curve_count = std::max(1U, static_cast<uint32_t>(curves.size()));
  c.keeps_hue = program.keeps_hue ? 1 : 0;
  c.guard_rail = program.guard_rail ? 1 : 0;
  c.ootf_stage = static_cast<uint32_t>(program.ootf_stage);
  c.fine = !curves.empty() && curves[0]->cubics.size() > kGpuPieces ? 1 : 0;
  return c;
}

}  // namespace tone_map

Result<ToneMapShader> tone_map_shader(const ToneMapOptions& options) {
  const auto plan = plan_tone_map(options);
  if (!plan) return plan.error();
  const std::shared_ptr<const tone_map::Program> program = tone_map::find_program(options);
  const tone_map::KernelProgram made = tone_map::make_kernel_program(*program, options.target);
  ToneMapShader shader;
  shader.program.resize(sizeof(made.program) / 4);
  std::memcpy(shader.program.data(), &made.program, sizeof made.program);
  shader.cubics.resize(made.cubics.size() * 4);
  std::memcpy(shader.cubics.data(), made.cubics.data(), made.cubics.size() * sizeof(made.cubics[0]));
  const tone_map::ProgramConstants c = tone_map::make_program_constants(*program);
  const auto define = [&shader](std::string_view name, const std::string& value) {
    shader.definitions.append("#define ONEPASS_TONE_").append(name).append(" ").append(value).append("\n");
  };
  const auto truth = [](uint32_t value) { return std::string(value != 0 ? "true" : "false"); };
  define("MIX", std::to_string(c.mix));
  define("MATRIX_MASK", std::to_string(c.matrix_mask) + "u");
  define("CURVE_MASK", std::to_string(c.curve_mask) + "u");
  define("ROOT_MASK", std::to_string(c.root_mask) + "u");
  define("FOOT_MASK", std::to_string(c.foot_mask) + "u");
  define("SHIFTS", std::to_string(c.shifts) + "u");
  define("CURVE_COUNT", std::to_string(c.curve_count) + "u");
  define("FINE", truth(c.fine));
  define("KEEPS_HUE", truth(c.keeps_hue));
  define("GUARD_RAIL", truth(c.guard_rail));
  if (c.ootf_stage < tone_map::kStages) define("OOTF_STAGE", std::to_string(c.ootf_stage) + "u");
  return shader;
}

}  // namespace onepass
