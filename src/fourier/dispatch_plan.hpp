// dispatch_plan.hpp: how a stage of a transform is shared by the invocations of a GPU: radices, lanes, lines, shared
// memory.
#pragma once

#include "onepass/fourier_params.h"
#include "onepass/vulkan/fourier.hpp"

namespace onepass::fourier {

/// Numbers of STAGE in src/fourier/fourier_stage.glsl.
enum class Stage : uint32_t { kRowsForward = 1, kColumnsForward, kColumnsInverse, kRowsInverse, kColumnsBoth };

/// What of a device matters here.
struct GroupLimits {
  uint32_t invocations = 128;
  uint32_t shared_bytes = 16384;
  uint32_t groups = 65535;  // an axis
  bool shuffles = true;     // within subgroups
};

/// How a workgroup transforms whole lines in registers and shared memory.
struct LineLayout {
  uint32_t length = 0;
  std::array<uint32_t, ONEPASS_FOURIER_MOST_PASSES> radices{};
  uint32_t passes = 0;
  uint32_t lanes = 1;  // invocations of a line
  uint32_t lines = 1;  // of a workgroup
  uint32_t shared_floats = 1;
  bool pad = false;
};

/// A stage and everything its kernels are specialised by.
struct StageLayout {
  Stage stage = Stage::kRowsForward;
  vulkan::StagePlan plan;
  std::array<LineLayout, 2> lines;  // shared memory: the first; four-step: of both dispatches
  uint32_t kind = ONEPASS_FOURIER_COMPLEX;
  uint32_t signals = 1;     // complex numbers of a value
  uint32_t line_count = 0;  // of a slice
  bool join = false;        // pairs of lines are real signals in a complex one
};

/// Complex numbers that lie between two stages for a position of a line: 1 or 2.
uint32_t signals_between(const TransformPlan& plan);

/// And their bytes.
uint32_t element_bytes(const TransformPlan& plan);

/// ONEPASS_FOURIER_COMPLEX...
uint32_t signal_kind(const TransformPlan& plan);

/// Bytes between the two stages of a direction.
uint64_t bytes_between(const TransformPlan& plan, bool forward);

/// Radices of one transform, first to last, none above `most`, as few and as equal as can be; empty if `length` has
/// other prime factors than 2, 3, 5 and 7 (or a prime factor above `most`).
std::vector<uint32_t> choose_radices(uint32_t length, uint32_t most);

/// Lays a stage out. Never fails: what shared memory cannot do becomes four-step, what that cannot becomes ping-pong.
struct StageOptions {
  Stage stage = Stage::kRowsForward;
  vulkan::SideKind side = vulkan::SideKind::kImage;  // of a stage of rows
  bool join = true;                                  // COLUMNS_BOTH: the operation needs the spectra of single channels
};
StageLayout plan_stage(const TransformPlan& plan, const StageOptions& options, const vulkan::TransformTuning& tuning,
                       const GroupLimits& limits);

}  // namespace onepass::fourier
