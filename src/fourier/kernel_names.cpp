// kernel_names.cpp: makes the name of a stage's kernel from the stage's properties: "fourier_", the technique unless it
// is shared memory, the stage, the number of signals, "_bluestein".
#include "fourier/kernel_names.hpp"

namespace onepass::fourier {
namespace {

const char* technique_part(FourierTechnique technique) {
  switch (technique) {
    case FourierTechnique::kPingPong:
      return "ping_pong_";
    case FourierTechnique::kFourStep:
      return "four_step_";
    default:
      return "";
  }
}

const char* stage_part(Stage stage, const StageKernel& kernel) {
  switch (stage) {
    case Stage::kRowsForward:
      return kernel.buffer ? "rows_buffer_" : "rows_forward_";
    case Stage::kRowsInverse:
      return kernel.buffer ? "rows_buffer_" : kernel.over ? "rows_inverse_over_" : "rows_inverse_";
    case Stage::kColumnsForward:
    case Stage::kColumnsInverse:
      return "columns_";
    case Stage::kColumnsBoth:
      break;
  }
  return "columns_both_";
}

}  // namespace

std::string stage_kernel_name(const StageLayout& layout, const StageKernel& kernel) {
  const TransformStagePlan& plan = layout.plan;
  const bool shared = plan.technique == FourierTechnique::kSharedMemory;  // the others have Bluestein's steps built in
  std::string name = "fourier_";
  name += technique_part(plan.technique);
  name += stage_part(layout.stage, kernel);
  name += std::to_string(layout.signals);
  if (shared && plan.length != plan.transform_length) name += "_bluestein";
  return name;
}

}  // namespace onepass::fourier
