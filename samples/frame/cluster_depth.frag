// cluster_depth.frag: cuts leaves out of their cards, in the depth pass and in the shadow map. The levels of the
// texture keep the share of texels that pass this test (onepass::Alpha::kCoverage).
#version 450
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 3) flat in vec4 tint;
layout(location = 4) flat in vec3 card;
layout(set = 0, binding = 2) uniform sampler2DArray leaves;

void main() {
  // Never true: it reads every input, which the vertex shader writes for the colour pass too.
  bool never = world.x + normal.x + card.x > 1e30;
  if (texture(leaves, vec3(uv, tint.w)).a < 0.5 || never) discard;
}
