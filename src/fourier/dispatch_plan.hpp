// dispatch_plan.hpp: plan of a transform's stage on a GPU: technique, radices, invocations per line, lines per
// workgroup, shared memory, traffic.
#pragma once

#include <vector>

#include "onepass/fourier.hpp"
#include "onepass/fourier_params.h"

namespace onepass::fourier {

/// The stages of src/fourier/fourier_stage.glsl, one per direction.
enum class Stage : uint32_t { kRowsForward = 1, kColumnsForward, kColumnsInverse, kRowsInverse, kColumnsBoth };

inline bool is_row(Stage stage) { return stage == Stage::kRowsForward || stage == Stage::kRowsInverse; }

/// Device limits that matter here.
struct GroupLimits {
  uint32_t invocations = 128;
  uint32_t shared_bytes = 16384;
  uint32_t groups = 65535;  // per axis
  bool shuffles = true;     // subgroup shuffles, in subgroups of two invocations or more
  bool whole_lines = true;  // the driver compiles kernels that transform whole lines; without, passes between buffers
  uint32_t filling_groups = 264;  // workgroups that fill the device
};

/// How a workgroup transforms whole lines in registers and shared memory.
struct LineLayout {
  uint32_t length = 0;
  std::array<uint32_t, ONEPASS_FOURIER_MOST_PASSES> radices{};
  uint32_t passes = 0;
  uint32_t lanes = 1;  // invocations per line
  uint32_t lines = 1;  // per workgroup
  uint32_t shared_floats = 1;
  bool pad = false;
  bool whole = false;  // exchanges whole values: shared_floats for each of their floats
};

/// A stage and everything that specialises its kernels. Ping-pong: the first dispatch copies from the source, the last
/// one to the target; an operation on the spectrum is a dispatch between the passes forward and inverse.
struct StageLayout {
  Stage stage = Stage::kRowsForward;
  TransformStagePlan plan;
  std::array<LineLayout, 2> lines;  // shared memory: the first; four-step: one per dispatch
  uint32_t kind = ONEPASS_FOURIER_COMPLEX;
  uint32_t signals = 1;     // complex numbers per value
  uint32_t line_count = 0;  // per slice
  bool join = false;        // pairs of lines hold two real signals
};

/// Complex numbers per element of the intermediate buffer between two stages: 1 or 2.
uint32_t intermediate_signals(const TransformPlan& plan);

/// Bytes per element of the intermediate buffer.
uint32_t element_bytes(const TransformPlan& plan);

/// One of ONEPASS_FOURIER_COMPLEX, _CHANNELS, _ROWS.
uint32_t signal_kind(const TransformPlan& plan);

/// Bytes of the intermediate buffer of a direction.
uint64_t intermediate_bytes(const TransformPlan& plan, bool forward);

/// Radices of one transform, first to last, none above `most`, as few and as equal as possible; empty if `length` has
/// prime factors other than 2, 3, 5 and 7 (or a prime factor above `most`).
std::vector<uint32_t> choose_radices(uint32_t length, uint32_t most);

/// The stage that plan_stage() plans.
struct StageOptions {
  Stage stage = Stage::kRowsForward;
  bool join = true;  // COLUMNS_BOTH: the operation needs single channels
};
/// How it is planned: fields of vulkan::TransformTuning.
struct StageTuning {
  FourierTechnique technique = FourierTechnique::kAuto;
  uint32_t most_radix = 16;
  uint32_t values_per_invocation = 0;
  uint32_t lines_of_rows = 0;
  uint32_t lines_of_columns = 0;
};

/// Never fails: lines that do not fit shared memory use four-step, or ping-pong if their length cannot be split or the
/// driver does not compile whole lines.
StageLayout plan_stage(const TransformPlan& plan, const StageOptions& options, const StageTuning& tuning,
                       const GroupLimits& limits);

}  // namespace onepass::fourier
