// compose.comp: the frame as the eye receives it: surfaces through the fog, the fog's light, and the particles.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "fog.glsl"
layout(local_size_x = GROUP_SIZE, local_size_y = GROUP_SIZE) in;

layout(set = 0, binding = 1) uniform sampler2DArray depth;
layout(set = 0, binding = 2) uniform sampler2DArray reflected;
layout(std430, set = 0, binding = 3) readonly buffer Fog { uvec2 fog[]; };
layout(std430, set = 0, binding = 4) readonly buffer Light { uint light[]; };
layout(set = 0, binding = 5, rgba16f) uniform writeonly image2DArray scene;
layout(push_constant) uniform Push { ComposeParams pc; };

vec4 load_fog(uint eye, ivec2 column, uint slice) {
  uvec2 inside = uvec2(clamp(column, ivec2(0), ivec2(fog_columns()) - 1));
  uvec2 words = fog[fog_word(eye, inside, slice)];
  return vec4(unpackHalf2x16(words.x), unpackHalf2x16(words.y));
}

vec4 fog_in_slice(uint eye, vec2 at, uint slice) {
  ivec2 corner = ivec2(floor(at));
  vec2 t = at - vec2(corner);
  vec4 top = mix(load_fog(eye, corner, slice), load_fog(eye, corner + ivec2(1, 0), slice), t.x);
  vec4 bottom = mix(load_fog(eye, corner + ivec2(0, 1), slice), load_fog(eye, corner + ivec2(1, 1), slice), t.x);
  return mix(top, bottom, t.y);
}

// Light and the share that passes, between the eye and a distance.
vec4 fog_until(uint eye, vec2 texel, float distance) {
  vec2 at = texel / float(frame.fog_tile) - 0.5;
  float slice = clamp(fog_slice_of(distance), 0.0, float(FOG_SLICES - 1u));
  uint before = uint(min(slice, float(FOG_SLICES - 2u)));
  return mix(fog_in_slice(eye, at, before), fog_in_slice(eye, at, before + 1u), slice - float(before));
}

void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  uint eye = gl_GlobalInvocationID.z;
  if (at.x >= frame.width || at.y >= frame.height) return;
  ivec3 texel = ivec3(ivec2(at), int(eye));
  vec3 seen = texelFetch(reflected, texel, 0).rgb;
  if (pc.fog != 0u) {
    float stored = texelFetch(depth, texel, 0).r;
    // The sky has its own haze.
    float distance = stored > 0.0 ? min(distance_of_depth(eye, stored), FOG_FAR) : 40.0;
    vec4 between = fog_until(eye, vec2(at) + 0.5, distance);
    seen = seen * between.a + between.rgb;
  }
  if (pc.particles != 0u) {
    uint word = 3u * ((eye * frame.height + at.y) * frame.width + at.x);
    seen += vec3(light[word], light[word + 1u], light[word + 2u]) / PARTICLE_SCALE;
  }
  imageStore(scene, texel, vec4(min(seen, vec3(60000.0)), 1.0));
}
