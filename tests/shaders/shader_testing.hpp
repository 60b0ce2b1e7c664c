// shader_testing.hpp: runs any compute shader on the device under test, with buffers, images and push constants.
#pragma once

#include <span>
#include <vector>

#include "tests/vulkan/vulkan_testing.hpp"

namespace onepass::testing {

/// A storage (or uniform) buffer: `words` is its content before, and after the run.
struct ShaderBuffer {
  uint32_t binding = 0;
  std::vector<uint32_t>* words = nullptr;
  bool uniform = false;
};

/// A sampled image of floats, one or four per texel, with all its levels; of several slices, if `slices` is not 0, each
/// level has those of all slices, and the view is that of an array.
struct ShaderSource {
  uint32_t binding = 0;
  Extent size;
  uint32_t channels = 1;
  std::vector<std::vector<float>> levels;
  uint32_t slices = 0;
};

/// A storage image of floats whose levels are bound as an array of `descriptors`; surplus ones repeat the last level.
struct ShaderTarget {
  uint32_t binding = 0;
  Extent size;
  uint32_t channels = 1;
  uint32_t descriptors = 1;
  std::vector<std::vector<float>> levels;  ///< The results. Before the run only its length counts, unless `keeps`.
  uint32_t slices = 0;                     ///< As in ShaderSource.
  bool keeps = false;                      ///< The levels hold `levels` before the run.
};

struct ShaderRun {
  std::span<const uint32_t> code;
  std::vector<ShaderBuffer> buffers;
  std::vector<ShaderSource> sources;
  std::vector<ShaderTarget> targets;
  std::vector<uint32_t> samplers;  ///< Bindings of a linear sampler that clamps; that of sources is nearest.
  std::vector<uint32_t> push;
  uint32_t groups[3] = {1, 1, 1};
  uint32_t times = 1;  ///< Number of dispatches; each continues with the memory of the previous one.
};

/// Runs the shader and stores the results in `buffers` and `targets`. Pipelines are cached by code, so the same code
/// must always have the same bindings. Errors fail the test.
void run_shader(ShaderRun& run);

}  // namespace onepass::testing
