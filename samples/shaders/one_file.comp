// one_file.comp: the depth pyramid of pyramid.comp, around onepass_pyramid.glsl alone. docs/shaders/one_file.md
#version 460
#extension GL_GOOGLE_include_directive : require
#define ONEPASS_DECLARATIONS
#include "onepass_pyramid.glsl"  // part 1: PyramidParams, ONEPASS_COHERENT

layout(local_size_x = 256) in;
layout(push_constant, std430) uniform Constants { PyramidParams pc; };  // OnepassPyramidSetup::constants
layout(binding = 0) uniform sampler2D source;
// levels[n - 1] is level n. 12 elements suffice for bases below 8192; spare elements repeat the last level.
layout(binding = 1) uniform writeonly image2D levels[12];
layout(binding = 2, std430) ONEPASS_COHERENT buffer Counters { uint counters[]; };
layout(binding = 3, std430) ONEPASS_COHERENT buffer Kept { float kept[]; };

#define ONEPASS_ELEMENT float
#define ONEPASS_FOOTPRINT ONEPASS_COVERING
#define ONEPASS_REDUCTION ONEPASS_MAX
#define ONEPASS_PARAMS pc
#define ONEPASS_COUNTERS(i) counters[i]
#define ONEPASS_INTERMEDIATE(i) kept[i]

float onepass_load_base(uvec2 texel, uint slice) { return texelFetch(source, ivec2(texel), 0).r; }

// With shaderStorageImageArrayDynamicIndexing one line suffices: imageStore(levels[level - 1u], ...).
#define STORE(n)                                                     \
  case n:                                                            \
    imageStore(levels[n], ivec2(texel), vec4(value, 0.0, 0.0, 1.0)); \
    break;
void onepass_store_level(uint level, uvec2 texel, uint slice, float value) {
  switch (level - 1u) {
    STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6) STORE(7) STORE(8) STORE(9) STORE(10) STORE(11)
  }
}

#include "onepass_pyramid.glsl"  // part 2: onepass_pyramid()

void main() { onepass_pyramid(gl_WorkGroupID); }
