// reflection_common.glsl: surfaces and storage of texels, for all kernels of reflections. The constants and bindings
// are declared before: by reflection_bindings.glsl, or in HLSL by tests/hlsl/reflection.hlsl.
//
// Rays and filters work on a grid of texels: all of the images, or every STRIDE-th along x and y from the first. A
// texel without further words is one of the grid; `full` texels are those of the images.
//
// Scratch memory, one element per texel of the grid and slice:
//     traced   4 words   what the march found: a Light in three words, kNoRay in the third one without a ray. The last
//                        word of element k is entry k of the list of rays. Passes of the filter overwrite all.
//     settled  4 words   a Light: the mean over frames; passes of the filter overwrite it
//     history  6 words   a Light as the last frame left it, not filtered; then depth and normal of its surface
#include "onepass/reflection_surface.glsl"

ONEPASS_TABLE uint kNoRay = 0xFFFFFFFFu;

// ---- Texels

uint texel_index(uint2 texel, uint slice) { return (slice * pc.traced.y + texel.y) * pc.traced.x + texel.x; }
bool is_inside(uint2 texel) { return texel.x < pc.traced.x && texel.y < pc.traced.y; }
uint2 full_texel(uint2 texel) { return STRIDE * texel; }
uint2 tile_counts() { return (pc.traced + (ONEPASS_REFLECTION_TILE - 1u)) / ONEPASS_REFLECTION_TILE; }

// The tile and slice of a workgroup of the lists' dispatches; false beyond the list's end.
bool listed_tile(uint group, out uint2 tile, out uint slice) {
  uint2 tiles = tile_counts();
  bool listed = group < state_header[ONEPASS_REFLECTION_TILES];
  uint entry = 0u;
  if (listed) entry = STATE_TILES(2u * group + 1u);
  tile = uint2(entry % tiles.x, entry / tiles.x % tiles.y);
  slice = entry / (tiles.x * tiles.y);
  return listed;
}

uint2 packed(float4 value) {
  float4 kept = onepass_storable4(value);
  return uint2(packHalf2x16(kept.xy), packHalf2x16(kept.zw));
}
float4 unpacked(uint2 words) { return float4(unpackHalf2x16(words.x), unpackHalf2x16(words.y)); }

uint4 pack_light(OnepassLight light) {
  uint2 value = packed(light.value);
  return uint4(value, packHalf2x16(float2(onepass_storable(light.deviation), onepass_storable(light.distance))),
               packHalf2x16(float2(onepass_storable(light.frames), 0.0)));
}
OnepassLight unpack_light(uint4 words) {
  float2 rest = unpackHalf2x16(words.z);
  OnepassLight light = {unpacked(words.xy), rest.x, rest.y, unpackHalf2x16(words.w).x};
  return light;
}

uint4 load_traced(uint index) {
  uint at = 4u * index;
  return uint4(traced[at], traced[at + 1u], traced[at + 2u], traced[at + 3u]);
}

// ---- Surfaces

float3 load_normal(uint2 full, uint slice) {
  float3 stored = texelFetch(normal_image, int3(int2(full), int(slice)), 0).xyz;
  if (NORMAL_ENCODING != 0u) stored = 2.0 * stored - 1.0;
  return NORMAL_ENCODING == 2u ? onepass_from_octahedron(stored.xy) : stored;
}

OnepassSurface load_full_surface(uint2 full, uint slice) {
  int3 at = int3(int2(full), int(slice));
  float depth = texelFetch(depth_image, at, 0).x;
  float roughness = texelFetch(roughness_image, at, 0)[ROUGHNESS_CHANNEL];
  return onepass_make_surface(state_matrices[slice].world_from_clip, onepass_center_of(full, pc.size), depth,
                              REVERSED_DEPTH, load_normal(full, slice), roughness);
}
OnepassSurface load_surface(uint2 texel, uint slice) { return load_full_surface(full_texel(texel), slice); }

// A number ONEPASS_REFLECTION_; a roughness that is NaN is too rough.
uint kind_of(OnepassSurface surface) {
  if (!surface.exists || !(surface.roughness <= pc.max_roughness)) return ONEPASS_REFLECTION_NONE;
  return surface.roughness <= pc.mirror_roughness ? ONEPASS_REFLECTION_MIRROR : ONEPASS_REFLECTION_ROUGH;
}

// ---- History

void keep_history(uint index, OnepassLight light, OnepassSurface surface) {
  uint4 words = pack_light(light);
  history[3u * index] = words.xy;
  history[3u * index + 1u] = words.zw;
  history[3u * index + 2u] =
      uint2(onepass_float_bits(surface.depth), packSnorm2x16(onepass_to_octahedron(surface.normal)));
}
void forget_history(uint index) { history[3u * index + 1u] = uint2(0u, 0u); }
