// reflection_prepare.glsl: the commands of the indirect dispatches, from the lengths of the lists. One invocation.
#include "reflection/reflection_common.glsl"

// Workgroups along x, then along y; the last row may have too many.
void write_command(uint at, uint groups) {
  uint x = min(groups, ONEPASS_REFLECTION_MOST_GROUPS);
  state_header[at] = x;
  state_header[at + 1u] = x == 0u ? 0u : (groups + x - 1u) / x;
  state_header[at + 2u] = 1u;
}

void main() {
  uint texels_per_group = MARCH_GROUP / max(RAYS, 1u);
  uint texels = state_header[ONEPASS_REFLECTION_RAYS];
  write_command(ONEPASS_REFLECTION_MARCH_COMMAND, (texels + texels_per_group - 1u) / texels_per_group);
  write_command(ONEPASS_REFLECTION_TILE_COMMAND, state_header[ONEPASS_REFLECTION_TILES]);
}
