// reflection_classify.glsl: which texels need rays. A workgroup owns a tile of 8x8 texels, an invocation a texel: the
// kinds of its texels make the kind of the tile, texels with rays are appended to the list of rays, tiles with a rough
// texel to the list of tiles. Both lists have any order: each entry is one texel's or tile's own work.
#include "reflection/reflection_common.glsl"

groupshared uint s_kinds[64];
groupshared uint s_kind;   // the largest of the tile
groupshared uint s_count;  // texels of the tile with a ray
groupshared uint s_first;  // their first entry in the list

// With a ray per quad: the texel of the quad whose turn it is in this frame, or the next rough one.
bool has_turn(uint2 texel, uint lane) {
  if (RAYS != 0u) return true;
  uint2 quad = texel / 2u;
  uint first = pc.frame + 3u * quad.x + 2u * quad.y;
  uint corner = lane & ~9u;  // lane of the quad's first texel: x and y even
  for (uint i = 0u; i < 4u; ++i) {
    uint turn = (first + i) & 3u;
    // Diagonals first: the turns of two frames are as far apart as they can be.
    uint x = turn & 1u;
    uint y = (turn ^ (turn >> 1u)) & 1u;
    uint other = corner + x + 8u * y;
    if (s_kinds[other] == ONEPASS_REFLECTION_ROUGH) return other == lane;
  }
  return false;
}

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint2 texel = gl_GlobalInvocationID.xy;
  uint slice = gl_WorkGroupID.z;
  bool inside = is_inside(texel);
  uint kind = ONEPASS_REFLECTION_NONE;
  if (inside) kind = kind_of(load_surface(texel, slice));
  if (lane == 0u) {
    s_kind = ONEPASS_REFLECTION_NONE;
    s_count = 0u;
  }
  s_kinds[lane] = kind;
  barrier();  // the shared variables are set
  bool traces = kind == ONEPASS_REFLECTION_MIRROR || (kind == ONEPASS_REFLECTION_ROUGH && has_turn(texel, lane));
  uint place = 0u;
  if (traces) onepass_shared_add_before(s_count, 1u, place);
  if (kind != ONEPASS_REFLECTION_NONE) onepass_shared_max(s_kind, kind);
  barrier();  // kind and count of the tile are known
  if (lane == 0u) {
    uint2 tiles = gl_NumWorkGroups.xy;
    uint tile = (slice * tiles.y + gl_WorkGroupID.y) * tiles.x + gl_WorkGroupID.x;
    STATE_TILES(2u * tile) = s_kind;
    if (s_kind == ONEPASS_REFLECTION_ROUGH) {
      uint entry = 0u;
      onepass_atomic_add_before(state_header[ONEPASS_REFLECTION_TILES], 1u, entry);
      STATE_TILES(2u * entry + 1u) = tile;
    }
    uint first = 0u;
    if (s_count > 0u) onepass_atomic_add_before(state_header[ONEPASS_REFLECTION_RAYS], s_count, first);
    s_first = first;
  }
  barrier();  // the first entry is known
  if (inside) {
    uint index = texel_index(texel, slice);
    if (traces) {
      traced[4u * (s_first + place) + 3u] = index;
    } else {
      traced[4u * index + 2u] = kNoRay;
    }
  }
}
