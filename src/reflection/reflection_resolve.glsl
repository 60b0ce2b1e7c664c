// reflection_resolve.glsl: stores every texel of the targets, and forgets the history of texels outside of rough tiles.
// An invocation owns a texel of the images. A texel between those of the grid takes the light of the two or four beside
// it, each as far as its surface is alike: J. Kopf et al., "Joint Bilateral Upsampling", SIGGRAPH 2007.
#include "reflection/reflection_common.glsl"
#include "reflection/reflection_environment.glsl"

bool is_in_rough_tile(uint2 texel, uint slice) {
  uint2 tile = texel / ONEPASS_REFLECTION_TILE;
  uint2 tiles = tile_counts();
  return STATE_TILES(2u * ((slice * tiles.y + tile.y) * tiles.x + tile.x)) == ONEPASS_REFLECTION_ROUGH;
}

// What the stages before have found for a texel of the grid.
OnepassLight found_light(uint2 texel, uint slice) {
  uint index = texel_index(texel, slice);
  if (is_in_rough_tile(texel, slice)) {
    return unpack_light((FILTER_PASSES & 1u) != 0u ? load_traced(index) : settled[index]);
  }
  uint4 words = load_traced(index);
  if (words.z == kNoRay) return onepass_no_light();
  return unpack_light(uint4(words.xyz, 0u));
}

void update_history(uint2 texel, uint slice, OnepassLight light) {
  uint index = texel_index(texel, slice);
  if (!is_in_rough_tile(texel, slice)) {
    forget_history(index);
  } else if (FILTER_PASSES == 0u) {
    keep_history(index, light, load_surface(texel, slice));
  }
}

// The light of a texel that is not of the grid. At an even coordinate one texel of the grid is beside it along that
// axis, at an odd one there are two, as far away as each other.
OnepassLight light_between(uint2 full, uint slice) {
  OnepassLight light = onepass_no_light();
  OnepassSurface surface = load_full_surface(full, slice);
  if (kind_of(surface) == ONEPASS_REFLECTION_NONE) return light;
  float width = onepass_texel_width(state_matrices[slice].world_from_clip, surface, full, pc.size);
  OnepassLikeness likeness = onepass_likeness(surface, width);
  float weights = 0.0;
  float distance_weights = 0.0;
  for (uint i = 0u; i < 4u; ++i) {
    uint2 corner = uint2(i & 1u, i >> 1u);
    uint2 texel = full / STRIDE + corner;
    if (corner.x > full.x % STRIDE || corner.y > full.y % STRIDE || !is_inside(texel)) continue;
    OnepassSurface other = load_surface(texel, slice);
    OnepassLight tap = found_light(texel, slice);
    uint kind = kind_of(other);
    if (kind == ONEPASS_REFLECTION_NONE || (kind == ONEPASS_REFLECTION_ROUGH && !(tap.frames > 0.0))) continue;
    // Never 0: where no surface is alike, all lights are as good as each other.
    float weight = exp(-onepass_difference(likeness, other.position, other.normal, other.roughness));
    if (!(weight > 1e-25)) weight = 1e-25;
    light.value += weight * tap.value;
    weights += weight;
    if (tap.distance <= 0.0) continue;
    light.distance += weight * tap.distance;
    distance_weights += weight;
  }
  // Nothing beside it reflects: its light is that of a ray without a hit.
  if (weights == 0.0) {
    light.value = float4(light_without_hit(onepass_mirror_direction(surface)), 0.0);
    return light;
  }
  light.value = onepass_storable4(light.value / weights);
  light.distance = distance_weights > 0.0 ? onepass_storable(light.distance / distance_weights) : 0.0;
  return light;
}

void main() {
  uint2 full = gl_GlobalInvocationID.xy;
  uint slice = gl_WorkGroupID.z;
  if (full.x >= pc.size.x || full.y >= pc.size.y) return;
  OnepassLight light;
  if (full.x % STRIDE == 0u && full.y % STRIDE == 0u) {
    light = found_light(full / STRIDE, slice);
    update_history(full / STRIDE, slice, light);
  } else {
    light = light_between(full, slice);
  }
  imageStore(target, int3(int2(full), int(slice)), light.value);
  if (STORES_DISTANCE) imageStore(distance_target, int3(int2(full), int(slice)), float4(light.distance));
}
