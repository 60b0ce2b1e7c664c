// multisample_depth.frag: writes a depth to one sample of each texel: depth_of() of vulkan_sources_test.cpp.
#version 460
layout(push_constant, std430) uniform Constants {
  uvec4 rect;  // x, y, width, height: only these texels are written
  uint slice;
  uint sample_index;
  uint seed;
} pc;

void main() {
  uvec2 texel = uvec2(gl_FragCoord.xy);
  if (any(lessThan(texel, pc.rect.xy)) || any(greaterThanEqual(texel, pc.rect.xy + pc.rect.zw))) discard;
  uint h =
      pc.seed + texel.x * 2654435761u + texel.y * 2246822519u + pc.slice * 3266489917u + pc.sample_index * 668265263u;
  h = (h ^ (h >> 15u)) * 2246822519u;
  h ^= h >> 13u;
  gl_FragDepth = float(h & 4095u) * (1.0 / 4096.0);
  gl_SampleMask[0] = 1 << pc.sample_index;
}
