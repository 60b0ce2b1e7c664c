// shader_testing.hpp: any compute shader on the device under test: buffers, images, push constants, a dispatch.
#pragma once

#include <span>
#include <vector>

#include "vulkan_testing.hpp"

namespace onepass::testing {

/// A storage (or uniform) buffer: filled with the words, which are what the shader left afterwards.
struct ShaderBuffer {
  uint32_t binding = 0;
  std::vector<uint32_t>* words = nullptr;
  bool uniform = false;
};

/// A sampled image of floats, one or four a texel, with all its levels.
struct ShaderSource {
  uint32_t binding = 0;
  Extent size;
  uint32_t channels = 1;
  std::vector<std::vector<float>> levels;
};

/// A storage image of floats whose mip levels are an array of `descriptors` bindings; further ones repeat the last.
struct ShaderTarget {
  uint32_t binding = 0;
  Extent size;
  uint32_t channels = 1;
  uint32_t descriptors = 1;
  std::vector<std::vector<float>> levels;  ///< As many as it has elements; their content does not matter.
};

struct ShaderRun {
  std::span<const uint32_t> code;
  std::vector<ShaderBuffer> buffers;
  std::vector<ShaderSource> sources;
  std::vector<ShaderTarget> targets;
  std::vector<uint32_t> push;
  uint32_t groups[3] = {1, 1, 1};
  uint32_t times = 1;  ///< Dispatches, one after the other: the second finds what the first left.
};

/// Runs it; pipelines are kept, so that the same code always has the same bindings. Buffers and targets have the
/// results. Failures are the test's.
void run_shader(ShaderRun& run);

}  // namespace onepass::testing
