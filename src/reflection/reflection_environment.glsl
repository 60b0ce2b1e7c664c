// reflection_environment.glsl: the light of rays that hit nothing on the screen.

// The picture of the surroundings: longitude along x, from -z over x to z to -x; latitude along y, from +y to -y.
float3 environment_tap(int2 texel) {
  int2 size = textureSize(environment_image, 0).xy;
  int2 at = int2((texel.x + size.x) % size.x, clamp(texel.y, 0, size.y - 1));
  return onepass_storable4(texelFetch(environment_image, int3(at, 0), 0)).rgb;
}
float3 environment(float3 direction) {
  float2 at =
      float2(atan(direction.x, -direction.z) / 6.2831853 + 0.5, acos(clamp(direction.y, -1.0, 1.0)) / 3.14159265);
  float2 place = at * float2(textureSize(environment_image, 0).xy) - 0.5;
  int2 first = int2(floor(place));
  float2 part = place - float2(first);
  float3 top = mix(environment_tap(first), environment_tap(first + int2(1, 0)), part.x);
  float3 bottom = mix(environment_tap(first + int2(0, 1)), environment_tap(first + int2(1, 1)), part.x);
  return mix(top, bottom, part.y);
}

float3 light_without_hit(float3 direction) {
  if (HAS_ENVIRONMENT) return environment(direction);
  return float3(pc.fallback_r, pc.fallback_g, pc.fallback_b);
}
