// fourier_kernel_names_test.cpp: the names that the Vulkan engine makes are those of the embedded kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include "fourier/kernel_names.hpp"
#include "vulkan/kernels.hpp"

namespace onepass::testing {
namespace {

using fourier::Stage;

// The kernels of a stage with every technique, source and target that the engine combines it with.
void add_names(const TransformPlan& plan, Stage stage, std::set<std::string>& names) {
  const bool has_over = stage == Stage::kRowsInverse && plan.options.signal == Signal::kReal;
  for (const auto technique : {FourierTechnique::kAuto, FourierTechnique::kPingPong, FourierTechnique::kFourStep}) {
    for (const bool join : {true, false}) {
      const auto layout =
          fourier::plan_stage(plan, {.stage = stage, .join = join}, {.technique = technique}, {.shared_bytes = 49152});
      names.insert(fourier::stage_kernel_name(layout, {}));
      names.insert(fourier::stage_kernel_name(layout, {.buffer = true}));
      if (has_over) names.insert(fourier::stage_kernel_name(layout, {.over = true}));
    }
  }
}

// Lengths: one pass, several passes, prime, too long for shared memory; columns of one and of two signals.
std::set<std::string> stage_names() {
  std::set<std::string> names;
  for (const Extent size :
       {Extent{1, 1}, Extent{480, 54}, Extent{37, 41}, Extent{640, 367}, Extent{640, 360}, Extent{16384, 6000}}) {
    for (const uint32_t channels : {1U, 2U, 3U, 4U}) {
      for (const Signal signal : {Signal::kReal, Signal::kComplex}) {
        if (signal == Signal::kComplex && channels % 2 != 0) continue;
        const auto plan =
            plan_transform({.size = size, .channels = channels, .signal = signal, .source = Format::kRGBA32Sfloat});
        EXPECT_TRUE(plan.ok());
        for (const Stage stage :
             {Stage::kRowsForward, Stage::kColumnsForward, Stage::kColumnsInverse, Stage::kRowsInverse}) {
          add_names(*plan, stage, names);
        }
        // Operations that need Bluestein's algorithm along y take two column stages.
        if (next_smooth_size(size.height) == size.height) add_names(*plan, Stage::kColumnsBoth, names);
      }
    }
  }
  return names;
}

TEST(FourierKernelNames, EveryStageHasAKernel) {
  for (const std::string& name : stage_names()) EXPECT_TRUE(vulkan::has_kernel(vulkan::kFourierKernels, name)) << name;
}

// The kernels of columns in shared memory have a capability that a device without shuffles lacks.
TEST(FourierKernelNames, ColumnsWithoutShufflesPassThroughBuffers) {
  for (const uint32_t channels : {1U, 2U, 4U}) {
    const auto plan = plan_transform({.size = {480, 54}, .channels = channels, .source = Format::kRGBA32Sfloat});
    ASSERT_TRUE(plan.ok());
    for (const Stage stage : {Stage::kRowsForward, Stage::kColumnsForward, Stage::kColumnsBoth, Stage::kColumnsInverse,
                              Stage::kRowsInverse}) {
      const auto layout = fourier::plan_stage(*plan, {.stage = stage}, {}, {.shared_bytes = 49152, .shuffles = false});
      EXPECT_EQ(layout.plan.technique == FourierTechnique::kSharedMemory, fourier::is_row(stage));
      EXPECT_TRUE(vulkan::has_kernel(vulkan::kFourierKernels, fourier::stage_kernel_name(layout, {})));
    }
  }
}

TEST(FourierKernelNames, EveryStepHasAKernel) {
  for (uint32_t step = ONEPASS_TEXELS_LOAD; step <= ONEPASS_TEXELS_BRIGHTEST; ++step) {
    EXPECT_TRUE(vulkan::has_kernel(vulkan::kFourierKernels, fourier::texel_kernel(step))) << step;
  }
  EXPECT_TRUE(vulkan::has_kernel(vulkan::kFourierKernels, fourier::kCorrelationImagesKernel));
  EXPECT_TRUE(vulkan::has_kernel(vulkan::kFourierKernels, fourier::kCorrelationKernel));
  EXPECT_TRUE(vulkan::has_kernel(vulkan::kFourierKernels, "fourier_spectrum"));
}

TEST(FourierKernelNames, EveryKernelHasAStage) {
  const std::set<std::string> names = stage_names();
  std::istringstream kernels(ONEPASS_STAGE_KERNELS);
  std::string kernel;
  size_t count = 0;
  for (; kernels >> kernel; ++count) EXPECT_TRUE(names.contains(kernel)) << kernel;
  EXPECT_EQ(count, names.size());
}

}  // namespace
}  // namespace onepass::testing
