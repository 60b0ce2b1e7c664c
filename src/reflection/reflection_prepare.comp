// reflection_prepare.comp: the commands of the indirect dispatches, from the lengths of the lists. One invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "reflection/reflection_common.glsl"

layout(local_size_x = 1) in;

// Workgroups along x, then along y; the last row may have too many.
void write_command(uint at, uint groups) {
  uint x = min(groups, ONEPASS_REFLECTION_MOST_GROUPS);
  state.header[at] = x;
  state.header[at + 1u] = x == 0u ? 0u : (groups + x - 1u) / x;
  state.header[at + 2u] = 1u;
}

void main() {
  uint texels_per_group = MARCH_GROUP / max(RAYS, 1u);
  uint texels = state.header[ONEPASS_REFLECTION_RAYS];
  write_command(ONEPASS_REFLECTION_MARCH_COMMAND, (texels + texels_per_group - 1u) / texels_per_group);
  write_command(ONEPASS_REFLECTION_TILE_COMMAND, state.header[ONEPASS_REFLECTION_TILES]);
}
