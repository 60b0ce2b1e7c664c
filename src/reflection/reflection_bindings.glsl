// reflection_bindings.glsl: specialization constants, push constants and bindings of all kernels of reflections.
#include "onepass/prelude.glsl"
#include "reflection/reflection_params.h"

layout(constant_id = 0) const uint MARCH_GROUP = 64u;
layout(constant_id = 1) const uint RAYS = 1u;  // per texel; 0: one for each quad of 2x2
layout(constant_id = 2) const uint FOOTPRINT = 1u;
layout(constant_id = 3) const uint NEAREST_CHANNEL = 0u;
layout(constant_id = 4) const bool REVERSED_DEPTH = false;
layout(constant_id = 5) const uint NORMAL_ENCODING = 0u;  // of enum NormalEncoding
layout(constant_id = 6) const uint ROUGHNESS_CHANNEL = 0u;
layout(constant_id = 7) const bool HAS_MOTION = false;
layout(constant_id = 8) const bool HAS_ENVIRONMENT = false;
layout(constant_id = 9) const bool COLOR_OF_LAST_FRAME = false;
layout(constant_id = 10) const bool STORES_DISTANCE = false;
layout(constant_id = 11) const uint FILTER_PASSES = 0u;
layout(constant_id = 12) const bool HAS_RANGE = false;  // the pyramid has minima and maxima
layout(constant_id = 13) const uint STRIDE = 1u;        // texels of the images from one of the grid to the next
layout(push_constant, std430) uniform Constants { ReflectionParams pc; };

layout(binding = 0) uniform sampler2DArray depth_image;
layout(binding = 1) uniform sampler2DArray pyramid_image;  // levels 1 and up
layout(binding = 2) uniform sampler2DArray normal_image;
layout(binding = 3) uniform sampler2DArray roughness_image;
layout(binding = 4) uniform sampler2DArray color_image;
layout(binding = 5) uniform sampler2DArray motion_image;
layout(binding = 6) uniform sampler2DArray environment_image;
layout(binding = 7) uniform writeonly image2DArray target;
layout(binding = 8) uniform writeonly image2DArray distance_target;
layout(binding = 9, std430) buffer State {
  uint state_header[ONEPASS_REFLECTION_HEADER_WORDS];
  ReflectionMatrices state_matrices[ONEPASS_REFLECTION_MOST_SLICES];
  uint state_tiles[];
};
// Two words per tile: its kind; an entry of the list of rough tiles.
#define STATE_TILES(i) state_tiles[i]
layout(binding = 10, std430) buffer Traced { uint traced[]; };
layout(binding = 11, std430) buffer Settled { uint4 settled[]; };
layout(binding = 12, std430) buffer History { uint2 history[]; };
layout(binding = 13, std140) uniform Noise {
  uint4 noise_words[ONEPASS_REFLECTION_NOISE * ONEPASS_REFLECTION_NOISE / 4u];
};
