// whitecaps.comp: foam, and the second moments of the slopes, whose mip chain gives the roughness of a footprint.
//
// Horizontal displacements map an area of the calm surface to det(J) times that area. Where waves compress the surface
// most, at their crests, they break (J. Tessendorf, Simulating Ocean Water, 2001). Foam stays with the
// water and decays.
//
// An invocation owns a texel of a cascade.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "ocean_params.h"

layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2DArray fields;
layout(binding = 1, rgba16f) uniform image2DArray surface;  // slope_x^2, slope_z^2, slope_x slope_z, foam
layout(push_constant) uniform Push { WaterParams pc; };

void main() {
  ivec3 at = ivec3(gl_GlobalInvocationID);
  if (any(greaterThanEqual(at.xy, ivec2(pc.texels)))) return;
  float dx_dz = texelFetch(fields, at, 0).w;
  vec4 derivatives = texelFetch(fields, at + ivec3(0, 0, CASCADES), 0);
  vec2 slope = derivatives.xy;
  float area = (1.0 + derivatives.z) * (1.0 + derivatives.w) - dx_dz * dx_dz;
  float fresh = clamp(WHITECAP_GAIN * (WHITECAP_AREA - area), 0.0, 1.0);
  float foam = max(pc.foam_left * imageLoad(surface, at).w, fresh);
  imageStore(surface, at, vec4(slope * slope, slope.x * slope.y, foam));
}
