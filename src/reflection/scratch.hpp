// scratch.hpp: the parts of the scratch memory of reflections; reflection_common.glsl describes their elements.
#pragma once

#include "onepass/reflection.hpp"
#include "reflection/reflection_params.h"
#include "vulkan/scratch_layout.hpp"

namespace onepass::reflection {

/// Texels from one that has rays to the next.
constexpr uint32_t stride_of(ReflectionResolution resolution) {
  return resolution == ReflectionResolution::kHalf ? 2 : 1;
}

/// Offsets and sizes in bytes.
struct ScratchParts {
  uint64_t state, traced, settled, history;
  uint64_t state_bytes, texel_bytes, history_bytes;  // texel_bytes: of traced and of settled
  uint64_t bytes;

  explicit ScratchParts(const ReflectionPlan& plan) {
    const uint32_t slices = plan.options.slices;
    const uint64_t texels = uint64_t{plan.traced.width} * plan.traced.height * slices;
    const uint64_t tiles = uint64_t{plan.tiles.width} * plan.tiles.height * slices;
    state_bytes =
        ONEPASS_REFLECTION_HEADER_WORDS * 4 + ONEPASS_REFLECTION_MOST_SLICES * sizeof(ReflectionMatrices) + 8 * tiles;
    texel_bytes = 16 * texels;
    history_bytes = 24 * texels;
    vulkan::ScratchLayout layout;
    state = layout.add(state_bytes);
    traced = layout.add(texel_bytes);
    settled = layout.add(texel_bytes);
    history = layout.add(history_bytes);
    bytes = layout.bytes();
  }
};

}  // namespace onepass::reflection
